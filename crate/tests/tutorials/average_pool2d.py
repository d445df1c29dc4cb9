"""Launches the pooling kernel of the documentation."""
import numpy as np
from average_pool2d_nki_kernels import tensor_avgpool_kernel

x = np.arange(2 * 6 * 6, dtype=np.float16).reshape(2, 6, 6)
expected = x.reshape(2, 3, 2, 3, 2).astype(np.float32).mean(axis=(2, 4))
assert np.allclose(tensor_avgpool_kernel(x, 2), expected)
