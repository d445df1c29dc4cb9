//! One value between its storage bytes and a number, for each format of the dtype table.
//!
//! Everything is branch-free integer and float arithmetic, so that the loops of `cast` vectorise. Rounding is to the
//! nearest, ties to even (`float8_e8m0fnu`: ties up, and all above 2^-127 up to 2^-126, as `ml_dtypes`). Overflow follows `ml_dtypes`, which NKI's own
//! simulator stores low precision with, and what the documents say of the hardware (a finite number beyond the range
//! becomes infinity): infinity where the format has one, NaN in the `fn` formats, the largest value in `float4_e2m1fn`.
//! Unlike `ml_dtypes`, NaN is always written as one positive quiet pattern: the sign of a computed NaN differs between
//! hosts, and stored bytes must not.

use num_traits::AsPrimitive;

use super::cast::Mode;
use super::dtype::{Dtype, Flavour, FloatFormat};
use super::math::round_even;

/// A [`Mode`] known at compile time.
pub(super) trait Rounding {
    /// The mode.
    const MODE: Mode;
}

/// Marker of [`Mode::Chip`].
pub(super) struct Chip;
/// Marker of [`Mode::NumPy`].
pub(super) struct NumPy;
/// Marker of [`Mode::Saturate`].
pub(super) struct Saturate;

impl Rounding for Chip {
    const MODE: Mode = Mode::Chip;
}
impl Rounding for NumPy {
    const MODE: Mode = Mode::NumPy;
}
impl Rounding for Saturate {
    const MODE: Mode = Mode::Saturate;
}

/// Conversions of one storage element of `N` bytes.
pub(super) trait Codec<const N: usize> {
    /// The value as float32 (wider formats round).
    fn to_f32(raw: [u8; N]) -> f32;
    /// The value as float64 (64-bit integers round).
    fn to_f64(raw: [u8; N]) -> f64;
    /// The value as an integer; floats truncate.
    fn to_i64(raw: [u8; N]) -> i64;
    /// Storage of a float32.
    fn from_f32<R: Rounding>(x: f32) -> [u8; N];
    /// Storage of a float64.
    fn from_f64<R: Rounding>(x: f64) -> [u8; N];
    /// Storage of an integer; narrower integers keep the low bits.
    fn from_i64(x: i64) -> [u8; N];
}

/// Float64 to integer in NumPy's way: truncation, `i64::MIN` for what does not fit.
#[inline(always)]
pub(super) fn truncate_to_i64(x: f64) -> i64 {
    if x.abs() < 9_223_372_036_854_775_808.0 {
        x as i64
    } else {
        i64::MIN
    }
}

/// Truth values.
pub(super) struct Truth;

impl Codec<1> for Truth {
    #[inline(always)]
    fn to_f32(raw: [u8; 1]) -> f32 {
        f32::from(u8::from(raw[0] != 0))
    }
    #[inline(always)]
    fn to_f64(raw: [u8; 1]) -> f64 {
        f64::from(u8::from(raw[0] != 0))
    }
    #[inline(always)]
    fn to_i64(raw: [u8; 1]) -> i64 {
        i64::from(raw[0] != 0)
    }
    #[inline(always)]
    fn from_f32<R: Rounding>(x: f32) -> [u8; 1] {
        [u8::from(x != 0.0)]
    }
    #[inline(always)]
    fn from_f64<R: Rounding>(x: f64) -> [u8; 1] {
        [u8::from(x != 0.0)]
    }
    #[inline(always)]
    fn from_i64(x: i64) -> [u8; 1] {
        [u8::from(x != 0)]
    }
}

/// Integers of type `I`.
pub(super) struct Int<I>(std::marker::PhantomData<I>);

/// Implements an integer codec; `$saturate` casts a whole float32 (narrow types by way of `i32`, which vectorises),
/// `$via` is NumPy's cast.
macro_rules! int_codec {
    ($($int:ty, $bytes:literal, $saturate:expr, $via:expr;)*) => {$(
        impl Codec<$bytes> for Int<$int> {
            #[inline(always)]
            fn to_f32(raw: [u8; $bytes]) -> f32 {
                <$int>::from_le_bytes(raw).as_()
            }
            #[inline(always)]
            fn to_f64(raw: [u8; $bytes]) -> f64 {
                <$int>::from_le_bytes(raw).as_()
            }
            #[inline(always)]
            fn to_i64(raw: [u8; $bytes]) -> i64 {
                <$int>::from_le_bytes(raw).as_()
            }
            #[inline(always)]
            fn from_f32<R: Rounding>(x: f32) -> [u8; $bytes] {
                match R::MODE {
                    Mode::Chip | Mode::Saturate => $saturate(round_even(x)).to_le_bytes(),
                    Mode::NumPy => Self::from_f64::<R>(f64::from(x)),
                }
            }
            #[inline(always)]
            fn from_f64<R: Rounding>(x: f64) -> [u8; $bytes] {
                match R::MODE {
                    Mode::Chip | Mode::Saturate => (x.round_ties_even() as $int).to_le_bytes(),
                    Mode::NumPy => $via(x).to_le_bytes(),
                }
            }
            #[inline(always)]
            fn from_i64(x: i64) -> [u8; $bytes] {
                (x as $int).to_le_bytes()
            }
        }
    )*};
}

/// Float64 to a 32-bit integer in NumPy's way: truncation, `i32::MIN` for what does not fit.
#[inline(always)]
fn truncate_to_i32(x: f64) -> i32 {
    let whole = truncate_to_i64(x);
    i32::try_from(whole).unwrap_or(i32::MIN)
}

/// Float64 to an unsigned 64-bit integer in NumPy's way.
#[inline(always)]
fn truncate_to_u64(x: f64) -> u64 {
    let beyond_signed = (9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0).contains(&x);
    if beyond_signed {
        x as u64
    } else {
        truncate_to_i64(x) as u64
    }
}

int_codec! {
    i8, 1, |x| (x as i32).clamp(i8::MIN.into(), i8::MAX.into()) as i8, |x| truncate_to_i32(x) as i8;
    u8, 1, |x| (x as i32).clamp(u8::MIN.into(), u8::MAX.into()) as u8, |x| truncate_to_i32(x) as u8;
    i16, 2, |x| (x as i32).clamp(i16::MIN.into(), i16::MAX.into()) as i16, |x| truncate_to_i32(x) as i16;
    u16, 2, |x| (x as i32).clamp(u16::MIN.into(), u16::MAX.into()) as u16, |x| truncate_to_i32(x) as u16;
    i32, 4, |x| x as i32, truncate_to_i32;
    u32, 4, |x| x as u32, |x| truncate_to_i64(x) as u32;
    i64, 8, |x| x as i64, truncate_to_i64;
    u64, 8, |x| x as u64, truncate_to_u64;
}

/// The quiet NaN that every conversion writes.
const NAN: u32 = 0x7fc0_0000;

/// Bits of a float32 with NaN made canonical.
#[inline(always)]
fn canonical_bits(x: f32) -> u32 {
    if x.is_nan() { NAN } else { x.to_bits() }
}

/// Rounds float32 bits to the nearest multiple of `2^drop` units, ties to even, and shifts the rest away.
#[inline(always)]
fn round_bits(bits: u32, drop: u32) -> u32 {
    (bits + ((1 << (drop - 1)) - 1) + ((bits >> drop) & 1)) >> drop
}

/// Methods of a float codec that go through float32 (as `ml_dtypes` does).
macro_rules! through_f32 {
    ($bytes:literal) => {
        #[inline(always)]
        fn to_f64(raw: [u8; $bytes]) -> f64 {
            f64::from(Self::to_f32(raw))
        }
        #[inline(always)]
        fn to_i64(raw: [u8; $bytes]) -> i64 {
            truncate_to_i64(f64::from(Self::to_f32(raw)))
        }
        #[inline(always)]
        fn from_i64(x: i64) -> [u8; $bytes] {
            Self::from_f32::<NumPy>(x as f32)
        }
    };
}

/// binary32.
pub(super) struct Single;

impl Codec<4> for Single {
    through_f32!(4);
    #[inline(always)]
    fn to_f32(raw: [u8; 4]) -> f32 {
        f32::from_le_bytes(raw)
    }
    #[inline(always)]
    fn from_f32<R: Rounding>(x: f32) -> [u8; 4] {
        canonical_bits(x).to_le_bytes()
    }
    #[inline(always)]
    fn from_f64<R: Rounding>(x: f64) -> [u8; 4] {
        Self::from_f32::<R>(x as f32)
    }
}

/// binary64.
pub(super) struct Double;

impl Codec<8> for Double {
    #[inline(always)]
    fn to_f32(raw: [u8; 8]) -> f32 {
        f64::from_le_bytes(raw) as f32
    }
    #[inline(always)]
    fn to_f64(raw: [u8; 8]) -> f64 {
        f64::from_le_bytes(raw)
    }
    #[inline(always)]
    fn to_i64(raw: [u8; 8]) -> i64 {
        truncate_to_i64(f64::from_le_bytes(raw))
    }
    #[inline(always)]
    fn from_f32<R: Rounding>(x: f32) -> [u8; 8] {
        Self::from_f64::<R>(f64::from(x))
    }
    #[inline(always)]
    fn from_f64<R: Rounding>(x: f64) -> [u8; 8] {
        let bits = if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.to_bits() };
        bits.to_le_bytes()
    }
    #[inline(always)]
    fn from_i64(x: i64) -> [u8; 8] {
        (x as f64).to_le_bytes()
    }
}

/// The upper half of binary32.
pub(super) struct Brain;

impl Codec<2> for Brain {
    through_f32!(2);
    #[inline(always)]
    fn to_f32(raw: [u8; 2]) -> f32 {
        f32::from_bits(u32::from(u16::from_le_bytes(raw)) << 16)
    }
    #[inline(always)]
    fn from_f32<R: Rounding>(x: f32) -> [u8; 2] {
        (round_bits(canonical_bits(x), 16) as u16).to_le_bytes()
    }
    #[inline(always)]
    fn from_f64<R: Rounding>(x: f64) -> [u8; 2] {
        Self::from_f32::<R>(x as f32)
    }
}

/// binary32 storage with 10 mantissa bits; what lies below them is ignored when read.
pub(super) struct Tensor32;

impl Codec<4> for Tensor32 {
    through_f32!(4);
    #[inline(always)]
    fn to_f32(raw: [u8; 4]) -> f32 {
        f32::from_bits(u32::from_le_bytes(raw) & !0x1fff)
    }
    #[inline(always)]
    fn from_f32<R: Rounding>(x: f32) -> [u8; 4] {
        (round_bits(canonical_bits(x), 13) << 13).to_le_bytes()
    }
    #[inline(always)]
    fn from_f64<R: Rounding>(x: f64) -> [u8; 4] {
        Self::from_f32::<R>(x as f32)
    }
}

/// A power of two: bits are the biased exponent.
pub(super) struct Scale;

impl Codec<1> for Scale {
    through_f32!(1);
    #[inline(always)]
    fn to_f32(raw: [u8; 1]) -> f32 {
        scale_to_f32(raw[0])
    }
    #[inline(always)]
    fn from_f32<R: Rounding>(x: f32) -> [u8; 1] {
        let bits = x.to_bits();
        let normal = (bits.wrapping_add(0x0040_0000)) >> 23;
        let code = if bits < 0x0080_0000 {
            u32::from(bits > 0x0040_0000)
        } else {
            normal.min(0xff)
        };
        let saturating = R::MODE == Mode::Saturate;
        let code = if saturating { code.min(0xfe) } else { code };
        let invalid = x.is_nan() || bits >> 31 == 1 || (bits == 0 && !saturating);
        [if invalid { 0xff } else { code as u8 }]
    }
    #[inline(always)]
    fn from_f64<R: Rounding>(x: f64) -> [u8; 1] {
        Self::from_f32::<R>(x as f32)
    }
}

/// The factor that a `float8_e8m0fnu` code stands for.
#[inline(always)]
pub fn scale_to_f32(code: u8) -> f32 {
    let bits = match code {
        0 => 0x0040_0000,
        0xff => NAN,
        other => u32::from(other) << 23,
    };
    f32::from_bits(bits)
}

/// A format of at most 16 bits; `D` is the [`Dtype`] as a number, from whose row everything follows.
pub(super) struct Mini<const D: u8>;

impl<const D: u8> Mini<D> {
    /// The layout in the dtype table.
    const FORMAT: FloatFormat = match Dtype::ALL[D as usize].float_format() {
        Some(format) => format,
        None => panic!("a float format"),
    };
    /// Mantissa bits.
    const M: u32 = Self::FORMAT.mantissa_bits;
    /// Distance of the mantissa from where float32 has it.
    const SHIFT: u32 = 23 - Self::M;
    /// Float32's biased exponent of the smallest normal number.
    const MIN_NORMAL: u32 = (128 - Self::FORMAT.bias) as u32;
    /// The exponent field of all ones, as a code without sign.
    const TOP: u32 = ((1 << Self::FORMAT.exponent_bits) - 1) << Self::M;
    /// The code of the largest finite value.
    const LARGEST: u32 = match Self::FORMAT.flavour {
        Flavour::Ieee => Self::TOP - 1,
        Flavour::FiniteNan => Self::TOP + (1 << Self::M) - 2,
        Flavour::Finite | Flavour::Scale => Self::TOP + (1 << Self::M) - 1,
    };
    /// The code for values beyond the largest when not saturating.
    const OVERFLOW: u32 = match Self::FORMAT.flavour {
        Flavour::Ieee | Flavour::FiniteNan => Self::LARGEST + 1,
        Flavour::Finite | Flavour::Scale => Self::LARGEST,
    };
    /// The code written for NaN; a format without NaN gets negative zero.
    const NAN: u32 = match Self::FORMAT.flavour {
        Flavour::Ieee => Self::TOP + (1 << (Self::M - 1)),
        Flavour::FiniteNan => Self::LARGEST + 1,
        Flavour::Finite | Flavour::Scale => Self::SIGN,
    };
    /// The sign bit.
    const SIGN: u32 = 1 << (Self::FORMAT.exponent_bits + Self::M);
    /// A power of two that overflows for certain.
    const LIMIT: f32 = f32::from_bits(((((1 << Self::FORMAT.exponent_bits) - 1) as u32) + Self::MIN_NORMAL) << 23);

    /// The float32 equal to `code`.
    #[inline(always)]
    pub(super) fn decode(code: u32) -> f32 {
        let magnitude = code & (Self::SIGN - 1);
        let sign = (code & Self::SIGN) << (31 - (Self::FORMAT.exponent_bits + Self::M));
        let shifted = magnitude << Self::SHIFT;
        let least = Self::MIN_NORMAL << 23;
        let small = f32::from_bits(shifted | least) - f32::from_bits(least);
        let normal = shifted + ((Self::MIN_NORMAL - 1) << 23);
        let finite = if magnitude < 1 << Self::M {
            small.to_bits()
        } else {
            normal
        };
        let special = if Self::FORMAT.flavour == Flavour::Ieee && magnitude == Self::TOP {
            0x7f80_0000
        } else {
            NAN
        };
        let bits = if magnitude > Self::LARGEST { special } else { finite };
        f32::from_bits(bits | sign)
    }

    /// The code nearest to `x`.
    ///
    /// Adding a power of two whose last place is that of the target format makes the float adder do the rounding.
    #[inline(always)]
    pub(super) fn encode(x: f32, saturate: bool) -> u32 {
        let magnitude = x.abs();
        let clamped = if magnitude < Self::LIMIT {
            magnitude
        } else {
            Self::LIMIT
        };
        let base = clamped.to_bits().max(Self::MIN_NORMAL << 23) & 0x7f80_0000;
        let magic = base + (Self::SHIFT << 23);
        let units = (clamped + f32::from_bits(magic)).to_bits() - magic;
        let code = units + ((base - (Self::MIN_NORMAL << 23)) >> Self::SHIFT);
        let code = code.min(if saturate { Self::LARGEST } else { Self::OVERFLOW });
        let signed = code | ((x.to_bits() >> 31) * Self::SIGN);
        if x.is_nan() { Self::NAN } else { signed }
    }
}

/// Implements a codec of a [`Mini`] format.
macro_rules! mini_codec {
    ($($dtype:ident, $int:ty, $bytes:literal, $narrow:expr;)*) => {$(
        impl Codec<$bytes> for Mini<{ Dtype::$dtype as u8 }> {
            through_f32!($bytes);
            #[inline(always)]
            fn to_f32(raw: [u8; $bytes]) -> f32 {
                Self::decode(u32::from(<$int>::from_le_bytes(raw)))
            }
            #[inline(always)]
            fn from_f32<R: Rounding>(x: f32) -> [u8; $bytes] {
                (Self::encode(x, R::MODE == Mode::Saturate) as $int).to_le_bytes()
            }
            #[inline(always)]
            fn from_f64<R: Rounding>(x: f64) -> [u8; $bytes] {
                Self::from_f32::<R>($narrow(x))
            }
        }
    )*};
}

/// Float64 to float32, plainly rounded (`ml_dtypes` rounds twice).
#[inline(always)]
fn narrow(x: f64) -> f32 {
    x as f32
}

/// Float64 to float32, rounded to odd, so that a second rounding to fewer bits gives what one rounding would.
#[inline(always)]
fn narrow_to_odd(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) == x || x.is_nan() {
        return near;
    }
    let towards_zero = near.to_bits() - u32::from(f64::from(near).abs() > x.abs());
    f32::from_bits(towards_zero | 1)
}

mini_codec! {
    F16, u16, 2, narrow_to_odd;
    F8E4m3, u8, 1, narrow;
    F8E4m3fn, u8, 1, narrow;
    F8E5m2, u8, 1, narrow;
    F4E2m1fn, u8, 1, narrow;
}
