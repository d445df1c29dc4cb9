"""Tiled matmul. Each output tile gathers its products in PSUM; choose a precision and watch everything change."""
#@gallery order=40 group="Matrix multiplication"

import ml_dtypes
import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl

M = 512            #@param {type:"slider", min:128, max:2048, step:128}
K = 1024           #@param {type:"slider", min:512, max:4096, step:512}
N = 1024           #@param {type:"slider", min:512, max:4096, step:512}
precision = "bf16" #@param ["fp32", "bf16", "mxfp8", "mxfp4"]

TILE_M, TILE_K, TILE_N = 128, 128, 512


@nki.jit
def matmul(lhs_t, rhs):
    """lhs_t is [K, M]: the Tensor Engine contracts over partitions, so the left side comes transposed."""
    K, M = lhs_t.shape
    _, N = rhs.shape
    out = nl.ndarray((M, N), dtype=lhs_t.dtype, buffer=nl.shared_hbm)
    for m in range(M // TILE_M):
        for n in range(N // TILE_N):
            # Both strips are loaded again for every output tile that needs them. The next kernel of the gallery mends that.
            stationary = load_strip(lhs_t, m * TILE_M, TILE_M)
            moving = load_strip(rhs, n * TILE_N, TILE_N)
            # One PSUM bank holds 512 FP32 values a partition: just one output tile.
            acc = nl.ndarray((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)
            for k in range(K // TILE_K):
                nisa.nc_matmul(dst=acc, stationary=stationary[:, k, :], moving=moving[:, k, :])
            store_tile(out, m, n, acc)
    return out


def load_strip(x, column, width):
    """Columns of x [K, F] as [128, K/128, width]: a transfer has a fixed cost, so one brings all the contraction tiles."""
    rows, pitch = x.shape
    tiles = rows // TILE_K
    strip = nl.ndarray((TILE_K, tiles, width), dtype=x.dtype, buffer=nl.sbuf)
    # [step, count] pairs, in elements: partitions, contraction tiles, columns.
    nisa.dma_copy(dst=strip, src=x.ap(pattern=[[pitch, TILE_K], [TILE_K * pitch, tiles], [1, width]], offset=column))
    return strip


def store_tile(out, m, n, acc):
    """PSUM cannot be the source of a DMA, so the sum goes through SBUF, where it takes the dtype of the result."""
    result = nl.ndarray(acc.shape, dtype=out.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=acc)
    nisa.dma_copy(dst=out[nl.ds(m * TILE_M, TILE_M), nl.ds(n * TILE_N, TILE_N)], src=result)


@nki.jit
def matmul_mx(lhs_data, lhs_scale, rhs_data, rhs_scale):
    """Data is [K/4, ...]: an x4 element packs four contraction rows. Scales lie beside the rows that they belong to."""
    K4, M = lhs_data.shape
    _, N = rhs_data.shape
    out = nl.ndarray((M, N), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    for m in range(M // TILE_M):
        for n in range(N // TILE_N):
            stationary, stationary_scale = [load_strip(x, m * TILE_M, TILE_M) for x in (lhs_data, lhs_scale)]
            moving, moving_scale = [load_strip(x, n * TILE_N, TILE_N) for x in (rhs_data, rhs_scale)]
            acc = nl.ndarray((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)
            for k in range(K4 // TILE_K):
                # One instruction contracts 4 x 128 = 512 rows in the time that BF16 needs for 128.
                nisa.nc_matmul_mx(
                    dst=acc,
                    stationary=stationary[:, k, :],
                    moving=moving[:, k, :],
                    stationary_scale=stationary_scale[:, k, :],
                    moving_scale=moving_scale[:, k, :],
                )
            store_tile(out, m, n, acc)
    return out


def quantize_host(x, element, exponent_max, value_max):
    """OCP microscaling along the rows of x [K, F]: data packed to [K/4, F], and scales in the same rows."""
    rows, columns = x.shape
    groups = x.reshape(rows // 32, 32, columns)
    exponent = np.floor(np.log2(np.abs(groups).max(axis=1))) - exponent_max
    # The largest value of a group may lie above the largest element; the standard saturates it.
    values = (groups / np.exp2(exponent)[:, None, :]).clip(-value_max, value_max)
    codes = values.astype(element).view(np.uint8).reshape(rows // 4, 4, columns)
    # Eight packed rows share a scale. The Tensor Engine looks for the scales of 32 partitions in the first four of them, so
    # they are spread out here: more bytes, but a single transfer where the compact layout would need four short ones.
    scales = np.zeros((rows // 128, 32, columns), np.uint8)
    scales[:, :4] = (exponent + 127).reshape(rows // 128, 4, columns)
    scales = scales.reshape(rows // 4, columns)
    if element == ml_dtypes.float4_e2m1fn:
        codes = codes.astype(np.uint16)
        packed = codes[:, 0] | codes[:, 1] << 4 | codes[:, 2] << 8 | codes[:, 3] << 12
        return packed.view(nl.float4_e2m1fn_x4), scales
    codes = codes.astype(np.uint32)
    packed = codes[:, 0] | codes[:, 1] << 8 | codes[:, 2] << 16 | codes[:, 3] << 24
    return packed.view(nl.float8_e4m3fn_x4), scales


rng = np.random.default_rng(0)
lhs_t = rng.standard_normal((K, M)).astype(np.float32)
rhs = rng.standard_normal((K, N)).astype(np.float32)

if precision == "fp32":
    out = matmul(lhs_t, rhs)
elif precision == "bf16":
    out = matmul(lhs_t.astype(nl.bfloat16), rhs.astype(nl.bfloat16))
else:
    # The element format with its largest exponent and value.
    mxfp8, mxfp4 = (ml_dtypes.float8_e4m3fn, 8, 448), (ml_dtypes.float4_e2m1fn, 2, 6)
    element = mxfp8 if precision == "mxfp8" else mxfp4
    out = matmul_mx(*quantize_host(lhs_t, *element), *quantize_host(rhs, *element))

# The reference stays in FP32, so the error shows what the precision costs.
reference = lhs_t.T @ rhs
error = np.linalg.norm(out.astype(np.float32) - reference) / np.linalg.norm(reference)
# Rounding to p mantissa bits has a relative RMS error of about 0.2 * 2^-p: uniform over a step, divided by the mean significand.
# Two operands, and a BF16 result, add in quadrature: 2.8e-3 for BF16, 3.6e-2 for E4M3, 1.5e-1 for E2M1. We allow up to twice
# that; FP32 only differs by the order of summation.
tolerance = {"fp32": 1e-6, "bf16": 5e-3, "mxfp8": 6e-2, "mxfp4": 3e-1}[precision]
assert error <= tolerance, f"relative error {error:.2e} is above {tolerance:.1e}"
print(f"relative error against FP32 NumPy: {error:.2e} (allowed {tolerance:.1e})")
