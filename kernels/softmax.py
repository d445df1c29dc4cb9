"""Softmax, fused. One activation subtracts the maximum, takes the exponential and sums the row at the same time."""
#@gallery order=80 group="Rows and norms"

import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

rows = 512         #@param {type:"slider", min:128, max:2048, step:128}
columns = 2048     #@param {type:"slider", min:128, max:4096, step:128}
precision = "fp32" #@param ["fp32", "bf16"]


@nki.jit
def softmax(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    P, columns = nl.tile_size.pmax, x.shape[1]
    for i in range(x.shape[0] // P):
        block = nl.ds(i * P, P)
        tile = nl.ndarray((P, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[block, :])
        # `negate` gives -max directly, ready to be the bias of the activation.
        minus_max = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=minus_max, op=nl.maximum, data=tile, axis=1, negate=True)
        # The Scalar Engine computes exp(x + bias) and adds up the row on the way: two passes of the naive kernel less, and
        # the Vector Engine is free for the next tile.
        exps = nl.ndarray((P, columns), dtype=nl.float32, buffer=nl.sbuf)
        total = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=exps, op=nl.exp, data=tile, reduce_op=nl.add, reduce_res=total, bias=minus_max)
        inverse = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.reciprocal(dst=inverse, data=total)
        result = nl.ndarray((P, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=result, data=exps, op0=nl.multiply, operand0=inverse)
        nisa.dma_copy(dst=out[block, :], src=result)
    return out


dtype = {"fp32": nl.float32, "bf16": nl.bfloat16}[precision]
x = np.random.default_rng(0).standard_normal((rows, columns)).astype(dtype)

out = softmax(x).astype(np.float32)

wide = x.astype(np.float32)
exps = np.exp(wide - wide.max(axis=1, keepdims=True))
reference = exps / exps.sum(axis=1, keepdims=True)
# FP32: a few units in the last place for exp, sum and reciprocal. BF16: the result is rounded to 8 significant bits (2^-9),
# on top of the same FP32 error.
rtol = {"fp32": 2e-5, "bf16": 2**-8}[precision]
np.testing.assert_allclose(out, reference, rtol=rtol, atol=1e-8)
print(f"largest difference from NumPy: {np.abs(out - reference).max():.2e}")
