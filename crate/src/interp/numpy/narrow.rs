//! Narrow floats of host arrays: decoding to `f32` and rounding as `ml_dtypes` and NumPy do.

use super::buffer::Buf;
use crate::numerics::cast::{self, Mode};
use crate::numerics::dtype::Dtype;

/// Decodes an 8-bit (or narrower) float format.
pub fn decode8(dtype: Dtype, bits: &[u8]) -> Vec<f32> {
    decode_bytes(dtype, bits, bits.len())
}

/// Decodes `float16` or `bfloat16`.
pub fn decode16(dtype: Dtype, bits: &[u16]) -> Vec<f32> {
    let bytes: Vec<u8> = bits.iter().flat_map(|pattern| pattern.to_le_bytes()).collect();
    decode_bytes(dtype, &bytes, bits.len())
}

/// Decodes storage bytes of `count` elements.
fn decode_bytes(dtype: Dtype, bytes: &[u8], count: usize) -> Vec<f32> {
    let mut out = vec![0.0; count];
    cast::decode_f32(dtype, bytes, &mut out);
    out
}

/// Storage bytes as the buffer of a narrow format.
fn from_bytes(dtype: Dtype, bytes: Vec<u8>) -> Buf {
    if dtype.bytes() == 1 {
        return Buf::U8(bytes);
    }
    Buf::U16(
        bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|pair| u16::from_le_bytes(*pair))
            .collect(),
    )
}

/// Rounds binary64 values to a narrow float format. `ml_dtypes` goes through binary32, NumPy's `float16` does not.
pub fn encode(dtype: Dtype, values: &[f64]) -> Buf {
    if dtype != Dtype::F16 {
        return encode_single(dtype, &values.iter().map(|&x| x as f32).collect::<Vec<_>>());
    }
    let mut bytes = vec![0; values.len() * 2];
    cast::encode_f64(dtype, values, &mut bytes, Mode::NumPy);
    from_bytes(dtype, bytes)
}

/// Rounds binary32 values to a narrow float format.
pub fn encode_single(dtype: Dtype, values: &[f32]) -> Buf {
    let mut bytes = vec![0; values.len() * dtype.bytes() as usize];
    cast::encode_f32(dtype, values, &mut bytes, Mode::NumPy);
    from_bytes(dtype, bytes)
}

/// `x` rounded to `dtype` and back.
pub fn round(dtype: Dtype, x: f32) -> f32 {
    cast::through(dtype, x, Mode::NumPy)
}
