"""RMSNorm. Square and sum in one activation, one rsqrt per row, and one pass to scale."""
#@gallery order=90 group="Rows and norms"

import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

rows = 512         #@param {type:"slider", min:128, max:2048, step:128}
hidden = 2048      #@param {type:"slider", min:256, max:4096, step:256}
precision = "bf16" #@param ["fp32", "bf16"]

EPSILON = 1e-6


@nki.jit
def rmsnorm(x, weight):
    rows, hidden = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    P = nl.tile_size.pmax

    # The weight is the same for every row. A DMA with step 0 reads the one row of HBM for all 128 partitions.
    gamma = nl.ndarray((P, hidden), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=gamma, src=weight.ap(pattern=[[0, P], [1, hidden]]))
    epsilon = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=epsilon, value=EPSILON)

    for i in range(rows // P):
        block = nl.ds(i * P, P)
        tile = nl.ndarray((P, hidden), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[block, :])
        # The squares themselves are not needed, only their sum; the instruction must write them somewhere.
        squares = nl.ndarray((P, hidden), dtype=nl.float32, buffer=nl.sbuf)
        total = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=squares, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total)
        # rsqrt(total / hidden + epsilon): scale and bias are free on the Scalar Engine.
        inverse = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=inverse, op=nl.rsqrt, data=total, bias=epsilon, scale=1.0 / hidden)
        # (x * inverse) * gamma in one pass of the Vector Engine.
        result = nl.ndarray((P, hidden), dtype=x.dtype, buffer=nl.sbuf)
        nisa.scalar_tensor_tensor(
            dst=result, data=tile, op0=nl.multiply, operand0=inverse, op1=nl.multiply, operand1=gamma
        )
        nisa.dma_copy(dst=out[block, :], src=result)
    return out


dtype = {"fp32": nl.float32, "bf16": nl.bfloat16}[precision]
rng = np.random.default_rng(0)
x = rng.standard_normal((rows, hidden)).astype(dtype)
weight = rng.uniform(0.5, 1.5, (1, hidden)).astype(np.float32)

out = rmsnorm(x, weight).astype(np.float32)

wide = x.astype(np.float32)
reference = wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + EPSILON) * weight
# FP32: sum of squares and rsqrt, a few units in the last place. BF16: one rounding of the result to 8 bits (2^-9).
rtol = {"fp32": 2e-5, "bf16": 2**-8}[precision]
np.testing.assert_allclose(out, reference, rtol=rtol, atol=1e-6)
print(f"largest difference from NumPy: {np.abs(out - reference).max():.2e}")
