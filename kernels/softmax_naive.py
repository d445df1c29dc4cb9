"""Softmax, step by step. One instruction for each step of the formula: easy to read, slow on the Vector Engine."""
#@gallery order=70 group="Rows and norms"

import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

rows = 512         #@param {type:"slider", min:128, max:2048, step:128}
columns = 2048     #@param {type:"slider", min:128, max:4096, step:128}


@nki.jit
def softmax_naive(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    P, columns = nl.tile_size.pmax, x.shape[1]
    for i in range(x.shape[0] // P):
        block = nl.ds(i * P, P)
        tile = nl.ndarray((P, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[block, :])
        row_max = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=row_max, op=nl.maximum, data=tile, axis=1)
        shifted = nl.ndarray((P, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=shifted, data=tile, op0=nl.subtract, operand0=row_max)
        exps = nl.ndarray((P, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=exps, op=nl.exp, data=shifted)
        total = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=total, op=nl.add, data=exps, axis=1)
        inverse = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.reciprocal(dst=inverse, data=total)
        result = nl.ndarray((P, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=result, data=exps, op0=nl.multiply, operand0=inverse)
        nisa.dma_copy(dst=out[block, :], src=result)
    return out


x = np.random.default_rng(0).standard_normal((rows, columns)).astype(np.float32)

out = softmax_naive(x)

exps = np.exp(x - x.max(axis=1, keepdims=True))
reference = exps / exps.sum(axis=1, keepdims=True)
# exp, a sum of up to 4,096 terms and a reciprocal, each good to a few units in the last place of FP32.
np.testing.assert_allclose(out, reference, rtol=2e-5, atol=1e-8)
print(f"largest difference from NumPy: {np.abs(out - reference).max():.2e}")
