"""Transpose. Two ways to swap rows and columns: the Tensor Engine and the DMA engines."""
#@gallery order=20 group="First steps"

import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

rows = 512         #@param {type:"slider", min:128, max:1024, step:128}
columns = 512      #@param {type:"slider", min:128, max:1024, step:128}
engine = "tensor"  #@param ["tensor", "dma"]
precision = "bf16" #@param ["fp32", "bf16"]


@nki.jit
def transpose(x, engine):
    rows, columns = x.shape
    out = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.tile_size.pmax
    for i in range(rows // tile):
        # One long load per block of rows: 128 descriptors of a whole row each keep the DMA engines efficient.
        block = nl.ndarray((tile, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=block, src=x[nl.ds(i * tile, tile), :])
        for j in range(columns // tile):
            turned = nl.ndarray((tile, tile), dtype=x.dtype, buffer=nl.sbuf)
            if engine == "tensor":
                # The Tensor Engine multiplies by the identity and writes to PSUM; another engine brings the tile back.
                psum = nl.ndarray((tile, tile), dtype=x.dtype, buffer=nl.psum)
                nisa.nc_transpose(dst=psum, data=block[:, nl.ds(j * tile, tile)])
                nisa.tensor_copy(dst=turned, src=psum)
            else:
                nisa.dma_transpose(dst=turned, src=block[:, nl.ds(j * tile, tile)])
            nisa.dma_copy(dst=out[nl.ds(j * tile, tile), nl.ds(i * tile, tile)], src=turned)
    return out


dtype = {"fp32": nl.float32, "bf16": nl.bfloat16}[precision]
x = np.random.default_rng(0).standard_normal((rows, columns)).astype(dtype)

out = transpose(x, engine)

# A transpose moves bits and computes nothing: the result must be equal.
assert np.array_equal(out, x.T), "the transposed matrix differs from NumPy"
print("equal to NumPy, bit for bit")
