"""Vector addition. The smallest complete kernel: load two tiles, add them, store the result."""
#@gallery order=10 group="First steps"

import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

rows = 512         #@param {type:"slider", min:128, max:2048, step:128}
columns = 1024     #@param {type:"slider", min:128, max:4096, step:128}
precision = "fp32" #@param ["fp32", "bf16"]


@nki.jit
def vector_add(a, b):
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    # SBUF has 128 partitions, so a tile covers at most 128 rows: the loop walks over blocks of rows.
    tile_rows = nl.tile_size.pmax
    for i in range(a.shape[0] // tile_rows):
        block = nl.ds(i * tile_rows, tile_rows)
        a_tile = nl.ndarray((tile_rows, a.shape[1]), dtype=a.dtype, buffer=nl.sbuf)
        b_tile = nl.ndarray((tile_rows, a.shape[1]), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a_tile, src=a[block, :])
        nisa.dma_copy(dst=b_tile, src=b[block, :])
        # The sum overwrites a_tile: the tile is not needed any more, and SBUF is small.
        nisa.tensor_tensor(dst=a_tile, data1=a_tile, data2=b_tile, op=nl.add)
        nisa.dma_copy(dst=out[block, :], src=a_tile)
    return out


dtype = {"fp32": nl.float32, "bf16": nl.bfloat16}[precision]
rng = np.random.default_rng(0)
a = rng.standard_normal((rows, columns)).astype(dtype)
b = rng.standard_normal((rows, columns)).astype(dtype)

out = vector_add(a, b)

# The engine adds in FP32 and rounds once, so the result is the correctly rounded sum: no tolerance at all.
reference = (a.astype(np.float32) + b.astype(np.float32)).astype(dtype)
assert np.array_equal(out, reference), "the sum differs from NumPy"
print("equal to NumPy, bit for bit")
