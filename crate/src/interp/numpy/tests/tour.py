import numpy as np
a = np.arange(12, dtype=np.float32).reshape(3, 4)
print(a)
print(a.T.shape, a.sum(), a.mean(axis=0), a.max(axis=1, keepdims=True))
print(repr(a[1:, ::2]), a[a > 5], a[-1, 2])
b = a @ a.T
print(b.dtype, b[0, 0], b.shape)
a[0] = 100
a[:, 1] += 1
print(a)
print(np.where(a > 50, 1, 0))
x = np.float32(0.1)
print(repr(x), x + 1, type(x).__name__, float(x), int(np.float32(3.7)))
print(np.zeros((2, 3)), np.ones(3, dtype=int), np.full((2,), 7))
rng = np.random.default_rng(0)
print(rng.standard_normal(3), rng.integers(0, 10, size=5), rng.random())
np.random.seed(0)
print(np.random.randn(2, 2), np.random.rand(), np.random.randint(0, 10, (2, 3)))
print(np.allclose([1, 2], [1, 2 + 1e-9]), np.array_equal([1], [1]))
print(np.concatenate([a, a], axis=1).shape, np.stack([a, a]).shape, np.vstack([a, a]).shape)
print(np.exp(np.array([0.0, 1.0])), np.sqrt(2), np.pi)
print(a.astype(np.int32).tolist(), a.dtype == np.float32, str(a.dtype), a.dtype.name)
print(np.einsum('ij,kj->ik', a, a).shape)
print(np.linspace(0, 1, 5), np.eye(2), np.tril(np.ones((3, 3))))
print(f"{np.float32(1.5):.3f} {a.mean():8.2f} {np.int64(5):d}")
print(np.add.reduce(a, axis=0), np.maximum.accumulate([1, 3, 2]))
for row in a[:2]:
    print(row.sum())
print(len(a), a.size, a.nbytes, a.itemsize, a.ndim)
print(np.sort([3, 1, 2]), np.argsort([3, 1, 2]), np.unique([1, 1, 2]), np.cumsum([1, 2, 3]))
try:
    np.testing.assert_allclose(np.array([1.0, 2.0]), np.array([1.0, 2.5]), rtol=1e-3)
except AssertionError as e:
    print(e)
try:
    a + np.ones(3)
except ValueError as e:
    print('ValueError')
try:
    a[10]
except IndexError as e:
    print(e)
print(np.prod((2, 3, 4)), int(np.ceil(10 / 3)), np.max([1, 5, 2]), np.isnan(np.nan), np.isinf([1.0, np.inf]))
print(a.reshape(-1)[:3], a.ravel().shape, a.flatten()[0], a[None].shape, a[..., None].shape)
c = a.copy(); c *= 2; print(c[0], a[0])
print(np.bool_(True), repr(np.array([1.5, 2])), np.array([[1, 2], [3, 4]]).transpose())
print(np.mean([1, 2, 3]), np.std([1, 2, 3]), np.var(np.arange(5)), np.median([3, 1, 2]))
print(np.power(2, 3), np.array([2]) ** 3, 2 ** np.array([1, 2]), 10 - np.array([1]), -np.array([1, 2]), abs(np.array([-1])))
print(bool(np.array([1])), np.array(5).item(), list(np.array([1, 2])), sum(np.array([1, 2, 3])))
print(np.float32, np.dtype('float32'), np.finfo(np.float32).eps, np.iinfo(np.int8).max, isinstance(a, np.ndarray), isinstance(x, np.float32), isinstance(x, np.floating))
d = np.zeros((2, 2)); d[np.array([0, 1]), np.array([1, 0])] = [5, 6]; print(d)
print(np.clip([1, 5, 9], 2, 6), np.abs([-1, 2]), np.minimum(3, [1, 5]), np.round(2.567, 1), np.outer([1, 2], [3, 4]))
print(np.split(np.arange(6), 3), np.repeat([1, 2], 2), np.tile([1, 2], 2), np.pad([1], 1), np.flip([1, 2]), np.roll([1, 2, 3], 1))
print(np.linalg.norm([3.0, 4.0]), np.argmax([1, 9, 2]), np.any([0, 1]), np.all([1, 1]), np.diff([1, 4, 9]))
print(3 in np.array([1, 2, 3]), np.array([1, 2]) == np.array([1, 3]), (np.arange(3) < 2).all())
