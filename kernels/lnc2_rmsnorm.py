"""Two cores, one kernel. With LNC 2 a kernel runs on two physical cores that share HBM: each takes half of the rows."""
#@gallery order=130 group="More than one core"

import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

rows = 1024        #@param {type:"slider", min:256, max:2048, step:256}
hidden = 2048      #@param {type:"slider", min:256, max:4096, step:256}
cores = 2          #@param [1, 2]

EPSILON = 1e-6


@nki.jit
def rmsnorm(x):
    rows, hidden = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    P = nl.tile_size.pmax
    # The same program runs on every core; only its number differs. Both write to the same output, in different rows.
    share = rows // nl.num_programs(0)
    first = nl.program_id(0) * share

    epsilon = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=epsilon, value=EPSILON)
    for i in range(share // P):
        block = nl.ds(first + i * P, P)
        tile = nl.ndarray((P, hidden), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[block, :])
        squares = nl.ndarray((P, hidden), dtype=nl.float32, buffer=nl.sbuf)
        total = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=squares, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total)
        inverse = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=inverse, op=nl.rsqrt, data=total, bias=epsilon, scale=1.0 / hidden)
        result = nl.ndarray((P, hidden), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=result, data=tile, op0=nl.multiply, operand0=inverse)
        nisa.dma_copy(dst=out[block, :], src=result)
    return out


x = np.random.default_rng(0).standard_normal((rows, hidden)).astype(np.float32)

out = rmsnorm[cores](x)

reference = x / np.sqrt((x**2).mean(axis=1, keepdims=True) + EPSILON)
# A sum of up to 4,096 squares and one rsqrt in FP32: a few units in the last place.
np.testing.assert_allclose(out, reference, rtol=2e-5, atol=1e-6)
print(f"largest difference from NumPy: {np.abs(out - reference).max():.2e}")
