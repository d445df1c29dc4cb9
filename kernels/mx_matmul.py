"""MX matmul with on-chip quantisation. Weights arrive packed, activations are quantised by the Vector Engine."""
#@gallery order=60 group="Matrix multiplication"

import ml_dtypes
import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

M = 256             #@param {type:"slider", min:128, max:1024, step:128}
K = 1024            #@param {type:"slider", min:512, max:4096, step:512}
N = 1024            #@param {type:"slider", min:512, max:2048, step:512}
precision = "mxfp8" #@param ["mxfp8", "mxfp4"]

P, TILE_M, TILE_N = 128, 128, 512


@nki.jit
def mx_matmul(weights, weight_scales, activations):
    """weights [K/4, M] packed, weight_scales [K/32, M], activations [K/4, N * 4] BF16 with four rows side by side."""
    K4, M = weights.shape
    N = activations.shape[1] // 4
    out = nl.ndarray((M, N), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    for n in range(N // TILE_N):
        quantized = []
        for k in range(K4 // P):
            raw = nl.ndarray((P, TILE_N * 4), dtype=nl.bfloat16, buffer=nl.sbuf)
            nisa.dma_copy(dst=raw, src=activations[nl.ds(k * P, P), nl.ds(n * TILE_N * 4, TILE_N * 4)])
            # Groups of 8 partitions x 4 neighbours share one scale, which lands in the quadrant of its group.
            # quantize_mx makes FP8 only; the Tensor Engine accepts FP8 activations beside FP4 weights.
            data = nl.ndarray((P, TILE_N), dtype=nl.float8_e4m3fn_x4, buffer=nl.sbuf)
            scale = nl.ndarray((P, TILE_N), dtype=nl.uint8, buffer=nl.sbuf)
            nisa.quantize_mx(dst=data, src=raw, dst_scale=scale)
            quantized.append((data, scale))
        for m in range(M // TILE_M):
            acc = nl.ndarray((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)
            for k in range(K4 // P):
                data, scale = quantized[k]
                stationary, stationary_scale = load_weights(weights, weight_scales, k, m)
                nisa.nc_matmul_mx(
                    dst=acc,
                    stationary=stationary,
                    moving=data,
                    stationary_scale=stationary_scale,
                    moving_scale=scale,
                )
            result = nl.ndarray((TILE_M, TILE_N), dtype=out.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result, src=acc)
            nisa.dma_copy(dst=out[nl.ds(m * TILE_M, TILE_M), nl.ds(n * TILE_N, TILE_N)], src=result)
    return out


def load_weights(weights, weight_scales, k, m):
    """One stationary tile and its scales, spread over the quadrants: rows 0-3, 32-35, 64-67, 96-99."""
    columns = nl.ds(m * TILE_M, TILE_M)
    tile = nl.ndarray((P, TILE_M), dtype=weights.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=weights[nl.ds(k * P, P), columns])
    scale = nl.ndarray((P, TILE_M), dtype=nl.uint8, buffer=nl.sbuf)
    for quadrant in range(4):
        rows = nl.ds(k * 16 + quadrant * 4, 4)
        nisa.dma_copy(dst=scale[nl.ds(quadrant * 32, 4), :], src=weight_scales[rows, columns])
    return tile, scale


def quantize_host(x, element, exponent_max, value_max):
    """OCP microscaling along the rows of x [K, F]: data packed to [K/4, F] and scales [K/32, F]."""
    rows, columns = x.shape
    groups = x.reshape(rows // 32, 32, columns)
    exponent = np.floor(np.log2(np.abs(groups).max(axis=1))) - exponent_max
    # The largest value of a group may lie above the largest element; the standard saturates it.
    values = (groups / np.exp2(exponent)[:, None, :]).clip(-value_max, value_max)
    codes = values.astype(element).view(np.uint8).reshape(rows // 4, 4, columns)
    bits = 4 if element == ml_dtypes.float4_e2m1fn else 8
    codes = codes.astype(np.uint32)
    packed = codes[:, 0] | codes[:, 1] << bits | codes[:, 2] << 2 * bits | codes[:, 3] << 3 * bits
    packed = packed.astype(np.uint16).view(nl.float4_e2m1fn_x4) if bits == 4 else packed.view(nl.float8_e4m3fn_x4)
    return packed, (exponent + 127).astype(np.uint8)


rng = np.random.default_rng(0)
lhs_t = rng.standard_normal((K, M)).astype(np.float32)
rhs = rng.standard_normal((K, N)).astype(np.float32)
# The element format of the weights with its largest exponent and value.
mxfp8, mxfp4 = (ml_dtypes.float8_e4m3fn, 8, 448), (ml_dtypes.float4_e2m1fn, 2, 6)
weights, weight_scales = quantize_host(lhs_t, *(mxfp8 if precision == "mxfp8" else mxfp4))
# Four consecutive rows stand side by side in the free dimension, as quantize_mx wants them.
activations = rhs.reshape(K // 4, 4, N).transpose(0, 2, 1).reshape(K // 4, N * 4).astype(nl.bfloat16)

out = mx_matmul(weights, weight_scales, activations)

reference = lhs_t.T @ rhs
error = np.linalg.norm(out.astype(np.float32) - reference) / np.linalg.norm(reference)
# E4M3 keeps 4 significant bits and E2M1 keeps 2: about 2.6 % and 11 % RMS an operand; we allow twice the sum in quadrature
# of the two operands, of which the activations are E4M3 in both cases.
tolerance = {"mxfp8": 7.4e-2, "mxfp4": 2.3e-1}[precision]
assert error <= tolerance, f"relative error {error:.2e} is above {tolerance:.1e}"
print(f"relative error against FP32 NumPy: {error:.2e} (allowed {tolerance:.1e})")
