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
    with_codec!(dtype, run);
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
    with_codec!(dtype, run);
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
    with_codec!(dtype, run);
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
    with_codec!(dtype, run);
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
    with_codec!(dtype, run);
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
    with_codec!(dtype, run);
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
    with_codec!(dtype, run);
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
    with_codec!(dtype, run);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numerics::dtype::{Class, Flavour, FloatFormat};
    use proptest::prelude::*;

    /// Formats narrow enough to list.
    const NARROW: &[Dtype] = &[
        Dtype::F16,
        Dtype::Bf16,
        Dtype::F8E4m3,
        Dtype::F8E4m3fn,
        Dtype::F8E5m2,
        Dtype::F4E2m1fn,
    ];

    /// The value of a finite code without sign, from the definition of the format.
    fn value_of(format: FloatFormat, code: u32) -> f64 {
        let mantissa = f64::from(code & ((1 << format.mantissa_bits) - 1));
        let exponent = (code >> format.mantissa_bits) as i32;
        let unit = |exponent: i32| 2f64.powi(exponent - format.bias - format.mantissa_bits as i32);
        let hidden = f64::from(1u32 << format.mantissa_bits);
        if exponent == 0 {
            mantissa * unit(1)
        } else {
            (hidden + mantissa) * unit(exponent)
        }
    }

    /// The largest finite code without sign.
    fn largest_of(format: FloatFormat) -> u32 {
        let all = (1u32 << (format.exponent_bits + format.mantissa_bits)) - 1;
        match format.flavour {
            Flavour::Ieee => all - (1 << format.mantissa_bits),
            Flavour::FiniteNan => all - 1,
            Flavour::Finite | Flavour::Scale => all,
        }
    }

    /// The nearest code by comparing distances to neighbours, ties to the even code.
    fn nearest(format: FloatFormat, x: f64) -> u32 {
        let largest = largest_of(format);
        let beyond = if format.flavour == Flavour::Finite {
            largest
        } else {
            largest + 1
        };
        let (mut low, mut high) = (0, largest + 1);
        while high - low > 1 {
            let middle = u32::midpoint(low, high);
            if value_of(format, middle) <= x.abs() {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (down, up) = (x.abs() - value_of(format, low), value_of(format, high) - x.abs());
        let code = if down < up || (down == up && low % 2 == 0) {
            low
        } else {
            high
        };
        let sign = u32::from(x.is_sign_negative()) << (format.exponent_bits + format.mantissa_bits);
        code.min(beyond) | sign
    }

    fn encode_one(dtype: Dtype, x: f32, mode: Mode) -> u32 {
        let mut raw = [0u8; 8];
        encode_f32(dtype, &[x], &mut raw, mode);
        u32::from_le_bytes([raw[0], raw[1], raw[2], raw[3]])
    }

    #[test]
    fn sixteen_bit_formats_agree_with_the_half_crate() {
        for code in 0..=u16::MAX {
            let mut values = [0f32; 1];
            decode_f32(Dtype::F16, &code.to_le_bytes(), &mut values);
            let peer = half::f16::from_bits(code).to_f32();
            assert!(
                values[0].to_bits() == peer.to_bits() || (values[0].is_nan() && peer.is_nan()),
                "{code:#06x}"
            );
            decode_f32(Dtype::Bf16, &code.to_le_bytes(), &mut values);
            let peer = half::bf16::from_bits(code).to_f32();
            assert!(
                values[0].to_bits() == peer.to_bits() || (values[0].is_nan() && peer.is_nan()),
                "{code:#06x}"
            );
        }
        for x in stimulus() {
            assert_eq!(
                encode_one(Dtype::F16, x, Mode::Chip),
                u32::from(half::f16::from_f32(x).to_bits()),
                "{x:e}"
            );
            assert_eq!(
                encode_one(Dtype::Bf16, x, Mode::Chip),
                u32::from(half::bf16::from_f32(x).to_bits()),
                "{x:e}"
            );
        }
    }

    fn fnv(bytes: impl IntoIterator<Item = u8>) -> u32 {
        bytes.into_iter().fold(0x811c_9dc5, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        })
    }

    /// Every upper half of a float32 with lower halves around the rounding points; no NaN.
    fn stimulus() -> Vec<f32> {
        let lows = [0, 0x7fff, 0x8000, 0x8001, 0x0fff, 0x1000, 0x1001, 0x2fff, 0x3000];
        let patterns = lows
            .into_iter()
            .flat_map(|low: u32| (0..65536u32).map(move |high| high << 16 | low));
        patterns.map(f32::from_bits).filter(|x| !x.is_nan()).collect()
    }

    /// Hashes of what NumPy and `ml_dtypes` 0.5 give for the stimulus, and for decoding every code.
    const GOLDEN: &[(Dtype, u32, u32)] = &[
        (Dtype::F16, 0xe750_2925, 0x6905_7165),
        (Dtype::Bf16, 0xb463_694d, 0xe408_8045),
        (Dtype::F8E4m3, 0x5099_0bad, 0x545a_f785),
        (Dtype::F8E4m3fn, 0x13b0_6e33, 0x4a61_7f05),
        (Dtype::F8E5m2, 0xaac4_0a45, 0x5ac3_6625),
        (Dtype::F8E8m0fnu, 0xf9a2_13c9, 0x2178_9045),
        (Dtype::F4E2m1fn, 0x813e_204b, 0x81eb_c945),
    ];

    #[test]
    fn casts_agree_with_ml_dtypes() {
        let values = stimulus();
        assert_eq!(values.len(), 587_522);
        for &(dtype, encoded, decoded) in GOLDEN {
            let width = dtype.bytes() as usize;
            let mut bytes = vec![0u8; values.len() * width];
            encode_f32(dtype, &values, &mut bytes, Mode::NumPy);
            assert_eq!(fnv(bytes), encoded, "encode {}", dtype.name());
            let codes = if dtype == Dtype::F4E2m1fn {
                16
            } else {
                1u32 << (8 * width)
            };
            let bytes: Vec<u8> = (0..codes)
                .flat_map(|code| code.to_le_bytes()[..width].to_vec())
                .collect();
            let mut values = vec![0f32; codes as usize];
            decode_f32(dtype, &bytes, &mut values);
            let bits = values
                .iter()
                .map(|x| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() });
            assert_eq!(fnv(bits.flat_map(u32::to_le_bytes)), decoded, "decode {}", dtype.name());
        }
    }

    #[test]
    fn every_code_decodes_to_its_definition_and_back() {
        for &dtype in NARROW {
            let Class::Float(format) = dtype.info().class else {
                panic!("{}", dtype.name())
            };
            let sign = 1u32 << (format.exponent_bits + format.mantissa_bits);
            for code in 0..=largest_of(format) {
                let mut value = [0f32];
                decode_f32(dtype, &code.to_le_bytes(), &mut value);
                assert_eq!(
                    f64::from(value[0]),
                    value_of(format, code),
                    "{} {code:#x}",
                    dtype.name()
                );
                assert_eq!(encode_one(dtype, value[0], Mode::Chip), code);
                assert_eq!(encode_one(dtype, -value[0], Mode::Chip), code | sign);
            }
        }
    }

    #[test]
    fn midpoints_go_to_the_even_code() {
        for &dtype in NARROW {
            let Class::Float(format) = dtype.info().class else {
                panic!("{}", dtype.name())
            };
            for code in 0..=largest_of(format) {
                let middle = f64::midpoint(value_of(format, code), value_of(format, code + 1)) as f32;
                for x in [middle, middle.next_up(), middle.next_down(), -middle] {
                    let expected = nearest(format, f64::from(x));
                    assert_eq!(encode_one(dtype, x, Mode::Chip), expected, "{} {x:e}", dtype.name());
                }
            }
        }
    }

    #[test]
    fn overflow_follows_the_mode() {
        let cases = [
            (Dtype::F8E4m3, 0x78, 0x77),
            (Dtype::F8E4m3fn, 0x7f, 0x7e),
            (Dtype::F8E5m2, 0x7c, 0x7b),
            (Dtype::F4E2m1fn, 7, 7),
            (Dtype::F16, 0x7c00, 0x7bff),
        ];
        for (dtype, overflowing, saturating) in cases {
            for x in [1e30, f32::INFINITY] {
                assert_eq!(encode_one(dtype, x, Mode::Chip), overflowing);
                assert_eq!(encode_one(dtype, x, Mode::Saturate), saturating);
            }
        }
        // The fill value of `range_select` becomes minus infinity in narrower floats, the documents say.
        assert_eq!(encode_one(Dtype::Bf16, f32::MIN, Mode::Chip), 0xff80);
    }

    #[test]
    fn nan_is_one_pattern() {
        let canonical = [
            (Dtype::F32, 0x7fc0_0000),
            (Dtype::Bf16, 0x7fc0),
            (Dtype::F16, 0x7e00),
            (Dtype::F8E5m2, 0x7e),
        ];
        for (dtype, pattern) in canonical {
            assert_eq!(encode_one(dtype, f32::NAN, Mode::Chip), pattern);
            assert_eq!(encode_one(dtype, -f32::NAN, Mode::NumPy), pattern);
        }
    }

    #[test]
    fn floats_become_integers_by_mode() {
        let values = [2.5f32, 3.5, -1.5, 300.7, -200.0, 3e9, f32::NAN];
        let cast = |dtype: Dtype, mode| {
            let (mut raw, mut out) = ([0u8; 64], [0i64; 7]);
            encode_f32(dtype, &values, &mut raw, mode);
            decode_i64(dtype, &raw, &mut out);
            out
        };
        assert_eq!(cast(Dtype::I8, Mode::Chip), [2, 4, -2, 127, -128, 127, 0]);
        assert_eq!(cast(Dtype::U8, Mode::Chip), [2, 4, 0, 255, 0, 255, 0]);
        assert_eq!(cast(Dtype::I32, Mode::Chip), [2, 4, -2, 301, -200, 2_147_483_647, 0]);
        assert_eq!(cast(Dtype::I8, Mode::NumPy), [2, 3, -1, 44, 56, 0, 0]);
        assert_eq!(cast(Dtype::U8, Mode::NumPy), [2, 3, 255, 44, 56, 0, 0]);
        let low = i64::from(i32::MIN);
        assert_eq!(cast(Dtype::I32, Mode::NumPy), [2, 3, -1, 300, -200, low, low]);
        assert_eq!(
            cast(Dtype::I64, Mode::NumPy),
            [2, 3, -1, 300, -200, 3_000_000_000, i64::MIN]
        );
    }

    #[test]
    fn integers_keep_all_their_bits() {
        let values = [i64::MIN, -1, 0, 1 << 53 | 1, i64::MAX];
        let (mut raw, mut back) = ([0u8; 40], [0i64; 5]);
        encode_i64(Dtype::I64, &values, &mut raw);
        decode_i64(Dtype::I64, &raw, &mut back);
        assert_eq!(back, values);
        let mut narrow = [0i32; 5];
        encode_i64(Dtype::I16, &[0x1_8001, -1, 5, 0, 0], &mut raw);
        decode_i32(Dtype::I16, &raw, &mut narrow);
        assert_eq!(narrow, [-32767, -1, 5, 0, 0]);
    }

    #[test]
    fn float64_rounds_once_to_half_and_twice_to_bfloat() {
        let mut raw = [0u8; 2];
        encode_f64(
            Dtype::F16,
            &[1.0 + 2f64.powi(-11) + 2f64.powi(-40)],
            &mut raw,
            Mode::NumPy,
        );
        assert_eq!(raw, 0x3c01u16.to_le_bytes());
        encode_f64(
            Dtype::Bf16,
            &[1.0 + 2f64.powi(-8) + 2f64.powi(-40)],
            &mut raw,
            Mode::NumPy,
        );
        assert_eq!(raw, 0x3f80u16.to_le_bytes());
    }

    #[test]
    fn packs_hold_lanes_from_the_low_bits_up() {
        let values = [0.5f32, -1.0, 6.0, 3.0];
        let mut raw = [0u8; 2];
        encode_f32(Dtype::F4E2m1fnX4, &values, &mut raw, Mode::Chip);
        assert_eq!(raw, [0xa1, 0x57]);
        let mut back = [0f32; 4];
        decode_f32(Dtype::F4E2m1fnX4, &raw, &mut back);
        assert_eq!(back, values);
        assert_eq!(value_count(Dtype::F4E2m1fnX4, 2), 4);
        let mut raw = [0u8; 4];
        encode_f32(Dtype::F8E4m3fnX4, &[1.0, 2.0, -1.0, 448.0], &mut raw, Mode::Chip);
        assert_eq!(raw, [0x38, 0x40, 0xb8, 0x7e]);
    }

    proptest! {
        #[test]
        fn any_float_goes_to_the_nearest_code(bits in any::<u32>()) {
            let x = f32::from_bits(bits);
            prop_assume!(!x.is_nan());
            let bounded = x.clamp(-1e38, 1e38);
            for &dtype in NARROW {
                let Class::Float(format) = dtype.info().class else { unreachable!() };
                prop_assert_eq!(encode_one(dtype, bounded, Mode::Chip), nearest(format, f64::from(bounded)));
            }
        }

        #[test]
        fn tensor_float_keeps_ten_bits(bits in any::<u32>()) {
            let x = f32::from_bits(bits);
            prop_assume!(x.is_normal());
            let kept = through(Dtype::Tf32, x, Mode::Chip);
            prop_assert_eq!(kept.to_bits() & 0x1fff, 0);
            let finite = kept.is_finite();
            prop_assert!(!finite || (f64::from(kept) - f64::from(x)).abs() <= f64::from(x.abs()) / 2048.0);
        }
    }
}
