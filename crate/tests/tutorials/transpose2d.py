"""Launches the transposition kernel of the documentation."""
import numpy as np
from transpose2d_nki_kernels import tensor_transpose2D_kernel_

x = np.arange(5 * 3 * 4, dtype=np.int8).reshape(5, 12)
expected = x.reshape(5, 3, 4).transpose(0, 2, 1).reshape(5, 12)
assert (tensor_transpose2D_kernel_(x, (3, 4)) == expected).all()
