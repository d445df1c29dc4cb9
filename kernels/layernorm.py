"""LayerNorm. bn_stats and bn_aggr give mean and variance in one pass over the data."""
#@gallery order=100 group="Rows and norms"

import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

rows = 512         #@param {type:"slider", min:128, max:2048, step:128}
hidden = 2048      #@param {type:"slider", min:512, max:4096, step:512}
precision = "fp32" #@param ["fp32", "bf16"]

EPSILON = 1e-5


@nki.jit
def layernorm(x, weight, bias):
    rows, hidden = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    P, chunk = nl.tile_size.pmax, nl.tile_size.bn_stats_fmax

    gamma = nl.ndarray((P, hidden), dtype=nl.float32, buffer=nl.sbuf)
    beta = nl.ndarray((P, hidden), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=gamma, src=weight.ap(pattern=[[0, P], [1, hidden]]))
    nisa.dma_copy(dst=beta, src=bias.ap(pattern=[[0, P], [1, hidden]]))
    epsilon = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=epsilon, value=EPSILON)

    for i in range(rows // P):
        block = nl.ds(i * P, P)
        tile = nl.ndarray((P, hidden), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[block, :])
        # bn_stats takes at most 512 elements, so a row is cut in chunks; bn_aggr merges their six statistics each.
        stats = nl.ndarray((P, hidden // chunk, 6), dtype=nl.float32, buffer=nl.sbuf)
        for c in range(hidden // chunk):
            nisa.bn_stats(dst=stats[:, c, :], data=tile[:, nl.ds(c * chunk, chunk)])
        moments = nl.ndarray((P, 2), dtype=nl.float32, buffer=nl.sbuf)
        nisa.bn_aggr(dst=moments, data=stats.reshape((P, hidden // chunk * 6)))
        inverse = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=inverse, op=nl.rsqrt, data=moments[:, 1:2], bias=epsilon)
        # (x - mean) * inverse, with both per-row numbers as operands of one instruction.
        centred = nl.ndarray((P, hidden), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(
            dst=centred, data=tile, op0=nl.subtract, operand0=moments[:, 0:1], op1=nl.multiply, operand1=inverse
        )
        scaled = nl.ndarray((P, hidden), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=scaled, data1=centred, data2=gamma, op=nl.multiply)
        result = nl.ndarray((P, hidden), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=result, data1=scaled, data2=beta, op=nl.add)
        nisa.dma_copy(dst=out[block, :], src=result)
    return out


dtype = {"fp32": nl.float32, "bf16": nl.bfloat16}[precision]
rng = np.random.default_rng(0)
x = rng.standard_normal((rows, hidden)).astype(dtype)
weight = rng.uniform(0.5, 1.5, (1, hidden)).astype(np.float32)
bias = rng.standard_normal((1, hidden)).astype(np.float32)

out = layernorm(x, weight, bias).astype(np.float32)

wide = x.astype(np.float32)
mean = wide.mean(axis=1, keepdims=True)
reference = (wide - mean) / np.sqrt(wide.var(axis=1, keepdims=True) + EPSILON) * weight + bias
# The mean is subtracted from values of order 1, so FP32's rounding leaves an absolute error beside a relative one. BF16 rounds
# the result to 8 significant bits: at most 2^-9 of it, of which we allow twice.
rtol = {"fp32": 2e-5, "bf16": 2**-8}[precision]
np.testing.assert_allclose(out, reference, rtol=rtol, atol=2e-5)
print(f"largest difference from NumPy: {np.abs(out - reference).max():.2e}")
