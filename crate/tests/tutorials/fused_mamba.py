"""Launches every version of the Mamba tutorial against a recurrence written out."""
import numpy as np
from mamba_nki_kernels import mamba_v1, mamba_v2, mamba_v3

rng = np.random.default_rng(0)
channels, length, states = 128, 512, 2
delta = rng.random((1, channels, length)).astype(np.float32)
u = rng.random((1, channels, length)).astype(np.float32)
A = -rng.random((channels, states)).astype(np.float32)
B = rng.random((1, states, length)).astype(np.float32)
C = rng.random((1, states, length)).astype(np.float32)

expected = np.zeros((channels, length), dtype=np.float32)
for s in range(states):
    decay = np.exp(delta[0] * A[:, s:s + 1])
    drive = delta[0] * u[0] * B[0, s]
    state = np.zeros((channels,), dtype=np.float32)
    for t in range(length):
        state = decay[:, t] * state + drive[:, t]
        expected[:, t] += state * C[0, s, t]

for kernel in (mamba_v1, mamba_v2, mamba_v3):
    assert np.allclose(kernel(delta, u, A, B, C)[0], expected, rtol=1e-4, atol=1e-4)
