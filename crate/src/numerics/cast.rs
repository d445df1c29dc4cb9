//! Conversion of slices between storage bytes (little-endian, as in tensors) and working numbers.
//!
//! - [`decode_f32`] / [`encode_f32`]: what engines do around float32 arithmetic;
//! - [`decode_f64`] / [`encode_f64`], [`decode_i64`] / [`encode_i64`]: host arrays, exact 64-bit integers;
//! - [`decode_i32`] / [`encode_i32`], [`decode_bits`] / [`encode_bits`]: native integers and bit patterns on the chip.
//!
//! `bytes.len()` is the number of storage elements times `dtype.bytes()`; a packed element holds `lanes` values, first
//! lane in the lowest bits, so the number of values is [`value_count`]. Slices that are too long are used in part.

use super::dtype::Dtype;
use super::minifloat::{
    Brain, Chip, Codec, Double, Int, Mini, NumPy, Rounding, Saturate, Scale, Single, Tensor32, Truth,
};

/// How a conversion treats values that the target cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// What the engines do: nearest-even; floats overflow to infinity (or NaN where there is none); integers round to
    /// nearest-even and saturate ([`round_to_i64`]).
    Chip,
    /// What `astype` of NumPy and `ml_dtypes` does: floats as above; integers truncate towards zero and wrap.
    NumPy,
    /// As `Chip`, but floats saturate at the largest finite value (OCP conversions).
    Saturate,
}

/// Rounds to the nearest integer, ties to even, saturating; NaN gives 0.
///
/// The documents do not say how an engine casts a float to an integer; [`Mode::Chip`] does this for every width.
#[inline(always)]
pub fn round_to_i64(x: f64) -> i64 {
    x.round_ties_even() as i64
}

/// The number of values in `bytes` bytes of `dtype`.
pub fn value_count(dtype: Dtype, bytes: usize) -> usize {
    let info = dtype.info();
    bytes / info.bytes as usize * info.lanes as usize
}

/// Evaluates `$run!(bytes, codec)` for the codec of a dtype; the packed four-bit format is dealt with before.
macro_rules! with_codec {
    ($dtype:expr, $run:ident) => {
        match $dtype {
            Dtype::Bool => $run!(1, Truth),
            Dtype::I8 => $run!(1, Int<i8>),
            Dtype::I16 => $run!(2, Int<i16>),
            Dtype::I32 => $run!(4, Int<i32>),
            Dtype::I64 => $run!(8, Int<i64>),
            Dtype::U8 => $run!(1, Int<u8>),
            Dtype::U16 => $run!(2, Int<u16>),
            Dtype::U32 => $run!(4, Int<u32>),
            Dtype::U64 => $run!(8, Int<u64>),
            Dtype::F16 => $run!(2, Mini<{ Dtype::F16 as u8 }>),
            Dtype::Bf16 => $run!(2, Brain),
            Dtype::F32 => $run!(4, Single),
            Dtype::Tf32 => $run!(4, Tensor32),
            Dtype::F64 => $run!(8, Double),
            Dtype::F8E4m3 => $run!(1, Mini<{ Dtype::F8E4m3 as u8 }>),
            Dtype::F8E4m3fn | Dtype::F8E4m3fnX4 => $run!(1, Mini<{ Dtype::F8E4m3fn as u8 }>),
            Dtype::F8E5m2 | Dtype::F8E5m2X4 => $run!(1, Mini<{ Dtype::F8E5m2 as u8 }>),
            Dtype::F8E8m0fnu => $run!(1, Scale),
            Dtype::F4E2m1fn | Dtype::F4E2m1fnX4 => $run!(1, Mini<{ Dtype::F4E2m1fn as u8 }>),
        }
    };
}

/// Applies `read` to each storage element.
#[inline(always)]
fn read_all<const N: usize, T>(bytes: &[u8], out: &mut [T], read: impl Fn([u8; N]) -> T) {
    for (value, raw) in out.iter_mut().zip(bytes.as_chunks::<N>().0) {
        *value = read(*raw);
    }
}

/// Applies `write` to each value.
#[inline(always)]
fn write_all<const N: usize, T: Copy>(values: &[T], out: &mut [u8], write: impl Fn(T) -> [u8; N]) {
    for (raw, &value) in out.as_chunks_mut::<N>().0.iter_mut().zip(values) {
        *raw = write(value);
    }
}

/// Two values a byte, low nibble first.
fn unpack_nibbles<T>(bytes: &[u8], out: &mut [T], read: impl Fn([u8; 1]) -> T) {
    for (pair, &byte) in out.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [read([byte & 15]), read([byte >> 4])];
    }
}

/// Two values a byte, low nibble first.
fn pack_nibbles<T: Copy>(values: &[T], out: &mut [u8], write: impl Fn(T) -> [u8; 1]) {
    for (byte, pair) in out.iter_mut().zip(values.as_chunks::<2>().0) {
        *byte = write(pair[0])[0] | (write(pair[1])[0] << 4);
    }
}

/// The four-bit codec, for packs of two values a byte.
type Nibble = Mini<{ Dtype::F4E2m1fn as u8 }>;

/// Values of `bytes` as float32: exact except for 32- and 64-bit integers and float64, which round.
pub fn decode_f32(dtype: Dtype, bytes: &[u8], out: &mut [f32]) {
    macro_rules! run {
        ($n:literal, $codec:ty) => {
            read_all::<$n, f32>(bytes, out, <$codec as Codec<$n>>::to_f32)
        };
    }
    if dtype == Dtype::F4E2m1fnX4 {
        return unpack_nibbles(bytes, out, Nibble::to_f32);
    }
    with_codec!(dtype, run)
}

/// Values of `bytes` as float64: exact except for 64-bit integers, which round.
pub fn decode_f64(dtype: Dtype, bytes: &[u8], out: &mut [f64]) {
    macro_rules! run {
        ($n:literal, $codec:ty) => {
            read_all::<$n, f64>(bytes, out, <$codec as Codec<$n>>::to_f64)
        };
    }
    if dtype == Dtype::F4E2m1fnX4 {
        return unpack_nibbles(bytes, out, Nibble::to_f64);
    }
    with_codec!(dtype, run)
}

/// Values of `bytes` as integers: `uint64` keeps its bits, floats truncate.
pub fn decode_i64(dtype: Dtype, bytes: &[u8], out: &mut [i64]) {
    macro_rules! run {
        ($n:literal, $codec:ty) => {
            read_all::<$n, i64>(bytes, out, <$codec as Codec<$n>>::to_i64)
        };
    }
    if dtype == Dtype::F4E2m1fnX4 {
        return unpack_nibbles(bytes, out, Nibble::to_i64);
    }
    with_codec!(dtype, run)
}

/// Values of `bytes` as 32-bit integers: the low 32 bits of what [`decode_i64`] gives.
pub fn decode_i32(dtype: Dtype, bytes: &[u8], out: &mut [i32]) {
    macro_rules! run {
        ($n:literal, $codec:ty) => {
            read_all::<$n, i32>(bytes, out, |raw| <$codec as Codec<$n>>::to_i64(raw) as i32)
        };
    }
    if dtype == Dtype::F4E2m1fnX4 {
        return unpack_nibbles(bytes, out, |raw| Nibble::to_i64(raw) as i32);
    }
    with_codec!(dtype, run)
}

/// Stores float32 values as `dtype`.
pub fn encode_f32(dtype: Dtype, values: &[f32], out: &mut [u8], mode: Mode) {
    match mode {
        Mode::Chip => encode_f32_as::<Chip>(dtype, values, out),
        Mode::NumPy => encode_f32_as::<NumPy>(dtype, values, out),
        Mode::Saturate => encode_f32_as::<Saturate>(dtype, values, out),
    }
}

/// [`encode_f32`] for one mode.
fn encode_f32_as<R: Rounding>(dtype: Dtype, values: &[f32], out: &mut [u8]) {
    macro_rules! run {
        ($n:literal, $codec:ty) => {
            write_all::<$n, f32>(values, out, <$codec as Codec<$n>>::from_f32::<R>)
        };
    }
    if dtype == Dtype::F4E2m1fnX4 {
        return pack_nibbles(values, out, Nibble::from_f32::<R>);
    }
    with_codec!(dtype, run)
}

/// Stores float64 values as `dtype`; narrow floats round through float32 as `ml_dtypes` does, `float16` rounds once.
pub fn encode_f64(dtype: Dtype, values: &[f64], out: &mut [u8], mode: Mode) {
    match mode {
        Mode::Chip => encode_f64_as::<Chip>(dtype, values, out),
        Mode::NumPy => encode_f64_as::<NumPy>(dtype, values, out),
        Mode::Saturate => encode_f64_as::<Saturate>(dtype, values, out),
    }
}

/// [`encode_f64`] for one mode.
fn encode_f64_as<R: Rounding>(dtype: Dtype, values: &[f64], out: &mut [u8]) {
    macro_rules! run {
        ($n:literal, $codec:ty) => {
            write_all::<$n, f64>(values, out, <$codec as Codec<$n>>::from_f64::<R>)
        };
    }
    if dtype == Dtype::F4E2m1fnX4 {
        return pack_nibbles(values, out, Nibble::from_f64::<R>);
    }
    with_codec!(dtype, run)
}

/// Stores integers as `dtype`: integers keep the low bits, floats round.
pub fn encode_i64(dtype: Dtype, values: &[i64], out: &mut [u8]) {
    macro_rules! run {
        ($n:literal, $codec:ty) => {
            write_all::<$n, i64>(values, out, <$codec as Codec<$n>>::from_i64)
        };
    }
    if dtype == Dtype::F4E2m1fnX4 {
        return pack_nibbles(values, out, Nibble::from_i64);
    }
    with_codec!(dtype, run)
}

/// Stores 32-bit integers as `dtype`: integers keep the low bits, floats round.
pub fn encode_i32(dtype: Dtype, values: &[i32], out: &mut [u8]) {
    macro_rules! run {
        ($n:literal, $codec:ty) => {
            write_all::<$n, i32>(values, out, |x| <$codec as Codec<$n>>::from_i64(i64::from(x)))
        };
    }
    if dtype == Dtype::F4E2m1fnX4 {
        return pack_nibbles(values, out, |x| Nibble::from_i64(i64::from(x)));
    }
    with_codec!(dtype, run)
}

/// Storage elements of `width` bytes (1, 2 or 4) as bit patterns, zero-extended.
pub fn decode_bits(width: usize, bytes: &[u8], out: &mut [u32]) {
    match width {
        1 => read_all::<1, u32>(bytes, out, |raw| u32::from(raw[0])),
        2 => read_all::<2, u32>(bytes, out, |raw| u32::from(u16::from_le_bytes(raw))),
        _ => read_all::<4, u32>(bytes, out, u32::from_le_bytes),
    }
}

/// Stores the low bits of patterns in elements of `width` bytes (1, 2 or 4).
pub fn encode_bits(width: usize, values: &[u32], out: &mut [u8]) {
    match width {
        1 => write_all::<1, u32>(values, out, |x| [x as u8]),
        2 => write_all::<2, u32>(values, out, |x| (x as u16).to_le_bytes()),
        _ => write_all::<4, u32>(values, out, u32::to_le_bytes),
    }
}

/// `x` as it reads back after being stored as `dtype` (one lane of it, if packed).
pub fn through(dtype: Dtype, x: f32, mode: Mode) -> f32 {
    let dtype = dtype.info().lane_dtype.unwrap_or(dtype);
    let mut raw = [0u8; 8];
    let mut value = [0f32];
    encode_f32(dtype, &[x], &mut raw, mode);
    decode_f32(dtype, &raw, &mut value);
    value[0]
}
