"""Launches the tensor addition kernel of the documentation."""
import numpy as np
from tensor_addition_nki_kernels import nki_tensor_add

a = np.random.rand(256, 1024).astype(np.float16)
b = np.random.rand(256, 1024).astype(np.float16)
assert (nki_tensor_add(a, b) == a + b).all()
