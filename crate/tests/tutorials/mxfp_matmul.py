"""Launches the MX matmul kernels with the tutorial's own data generator and golden reference."""
import ml_dtypes
import nki.language as nl
import numpy as np
from mx_cpu_utils import generate_stabilized_mx_data, nc_matmul_mx_golden, quantize_mx_golden
from mx_kernels import (
    kernel_copy_strided_quantize_matmul_mx,
    kernel_offline_quantized_mx_matmul,
    kernel_on_device_quantize_matmul_mx,
)

PACKED = {
    ml_dtypes.float8_e5m2: nl.float8_e5m2_x4,
    ml_dtypes.float8_e4m3fn: nl.float8_e4m3fn_x4,
    ml_dtypes.float4_e2m1fn: nl.float4_e2m1fn_x4,
}
M, K, N = 128, 128, 512


def close(out, golden):
    # The tutorial's own tolerance.
    assert np.allclose(out.astype(np.float32), golden.astype(np.float32), rtol=5e-2, atol=5e-2)


for element, packed in PACKED.items():
    _, _, stationary, stationary_scale = generate_stabilized_mx_data(element, (K, M * 4))
    values, _, moving, moving_scale = generate_stabilized_mx_data(element, (K, N * 4))
    out = kernel_offline_quantized_mx_matmul(stationary, stationary_scale, moving, moving_scale, packed)
    close(out, nc_matmul_mx_golden(stationary, moving, stationary_scale, moving_scale, element, element))
    if element == ml_dtypes.float4_e2m1fn:
        continue
    out = kernel_on_device_quantize_matmul_mx(stationary, stationary_scale, values.astype(nl.bfloat16), packed, packed)
    data, scale = quantize_mx_golden(values, element)
    close(out, nc_matmul_mx_golden(stationary, data, stationary_scale, scale, element, element))

lhs_t = np.random.rand(4 * K, M).astype(nl.bfloat16)
rhs = np.random.rand(4 * K, N).astype(nl.bfloat16)
expected = lhs_t.astype(np.float32).T @ rhs.astype(np.float32)
for use_tensor_copy in (True, False):
    out = kernel_copy_strided_quantize_matmul_mx(lhs_t, rhs, nl.float8_e4m3fn_x4, use_tensor_copy)
    error = np.linalg.norm(out.astype(np.float32) - expected) / np.linalg.norm(expected)
    # e4m3fn keeps 3 mantissa bits: at most 6% an element, far less in a sum of 512.
    assert error < 0.05, error
