"""Launches every kernel of the matrix multiplication tutorial."""
import numpy as np
from matrix_multiplication_nki_kernels import (
    nki_matmul_basic_,
    nki_matmul_block_free_dimension_,
    nki_matmul_fully_optimized_,
    nki_matmul_hoist_load_,
    nki_matmul_tiled_,
)


def check(kernel, k, m, n, **meta):
    rng = np.random.default_rng(1)
    lhs_t = rng.standard_normal((k, m)).astype(np.float32)
    rhs = rng.standard_normal((k, n)).astype(np.float32)
    # FP32 sums of at most 512 products in another order than NumPy's.
    assert np.allclose(kernel(lhs_t, rhs, **meta), lhs_t.T @ rhs, rtol=1e-4, atol=1e-4)


check(nki_matmul_basic_, 128, 64, 512)
check(nki_matmul_tiled_, 256, 128, 512)
check(nki_matmul_hoist_load_, 256, 128, 512)
check(nki_matmul_block_free_dimension_, 128, 256, 1024)
check(nki_matmul_fully_optimized_, 512, 256, 1024, TILES_IN_BLOCK_M=2, TILES_IN_BLOCK_N=1, TILES_IN_BLOCK_K=2)
