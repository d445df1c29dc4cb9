"""Blocked matmul. Load each operand once per block and reuse it: the DMA engines stop being the bottleneck."""
#@gallery order=50 group="Matrix multiplication"

import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

M = 1024           #@param {type:"slider", min:512, max:2048, step:512}
K = 1024           #@param {type:"slider", min:512, max:2048, step:512}
N = 1024           #@param {type:"slider", min:512, max:2048, step:512}
precision = "bf16" #@param ["fp32", "bf16"]

TILE_M, TILE_K, TILE_N = 128, 128, 512


@nki.jit
def matmul_blocked(lhs_t, rhs):
    K, M = lhs_t.shape
    _, N = rhs.shape
    k_tiles, m_tiles = K // TILE_K, M // TILE_M
    out = nl.ndarray((M, N), dtype=lhs_t.dtype, buffer=nl.shared_hbm)

    # The whole left side is loaded once and stays in SBUF. One row of 128 partitions is M elements long, so a descriptor
    # moves a long run of bytes instead of 256.
    lhs_tiles = []
    for k in range(k_tiles):
        tile = nl.ndarray((TILE_K, M), dtype=lhs_t.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=lhs_t[nl.ds(k * TILE_K, TILE_K), :])
        lhs_tiles.append(tile)

    for n in range(N // TILE_N):
        columns = nl.ds(n * TILE_N, TILE_N)
        # The column block of the right side is loaded once for all m. The loads of block n + 1 overlap with the
        # multiplications of block n, because they wait for nothing but free SBUF.
        rhs_tiles = []
        for k in range(k_tiles):
            tile = nl.ndarray((TILE_K, TILE_N), dtype=rhs.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=rhs[nl.ds(k * TILE_K, TILE_K), columns])
            rhs_tiles.append(tile)
        for m in range(m_tiles):
            acc = nl.ndarray((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)
            for k in range(k_tiles):
                stationary = lhs_tiles[k][:, nl.ds(m * TILE_M, TILE_M)]
                nisa.nc_matmul(dst=acc, stationary=stationary, moving=rhs_tiles[k])
            result = nl.ndarray((TILE_M, TILE_N), dtype=out.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result, src=acc)
            nisa.dma_copy(dst=out[nl.ds(m * TILE_M, TILE_M), columns], src=result)
    return out


dtype = {"fp32": nl.float32, "bf16": nl.bfloat16}[precision]
rng = np.random.default_rng(0)
lhs_t = rng.standard_normal((K, M)).astype(np.float32)
rhs = rng.standard_normal((K, N)).astype(np.float32)

out = matmul_blocked(lhs_t.astype(dtype), rhs.astype(dtype))

reference = lhs_t.T @ rhs
error = np.linalg.norm(out.astype(np.float32) - reference) / np.linalg.norm(reference)
# BF16 keeps 8 significant bits: two rounded operands and a rounded result give about 2.9e-3. FP32 differs by order only.
tolerance = {"fp32": 1e-6, "bf16": 5e-3}[precision]
assert error <= tolerance, f"relative error {error:.2e} is above {tolerance:.1e}"
print(f"relative error against FP32 NumPy: {error:.2e} (allowed {tolerance:.1e})")
