//! Elementary functions whose results do not depend on the host.
//!
//! Everything is built from IEEE additions, multiplications, divisions and square roots, or from `libm` compiled with
//! the crate; `f32::exp` and friends would call the host's library and differ between native code and WebAssembly.

/// Square root, correctly rounded.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    x.sqrt()
}

/// The nearest integer, ties to even: below 2^23 the adder rounds when the fraction falls off its end.
#[inline(always)]
pub fn round_even(x: f32) -> f32 {
    const WHOLE: f32 = 8_388_608.0;
    let magnitude = x.abs();
    let rounded = (magnitude + WHOLE) - WHOLE;
    (if magnitude < WHOLE { rounded } else { magnitude }).copysign(x)
}

/// `1 / sqrt(x)`, computed in double precision and rounded once.
#[inline(always)]
pub fn rsqrt(x: f32) -> f32 {
    (1.0 / f64::from(x).sqrt()) as f32
}

/// `x` to the power `y`.
pub fn pow(x: f32, y: f32) -> f32 {
    libm::powf(x, y)
}

/// Remainder of `x / y` with the sign of `x`.
pub fn fmod(x: f32, y: f32) -> f32 {
    libm::fmodf(x, y)
}

/// Remainder of `x / y` with the sign of `y` (Python's `%`).
pub fn python_mod(x: f32, y: f32) -> f32 {
    let rest = libm::fmodf(x, y);
    if rest == 0.0 {
        0.0f32.copysign(y)
    } else if (rest < 0.0) != (y < 0.0) {
        rest + y
    } else {
        rest
    }
}

/// `log2(e)`.
const LOG2_E: f64 = std::f64::consts::LOG2_E;

/// Exponential, within one unit in the last place.
///
/// `x = n ln 2 + r`; `ln 2` is taken off in two parts, the polynomial is the minimax one of the Cephes library, and
/// `2^n` is multiplied in two steps so that results below the normal range round once.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0;
    let x = x.clamp(-104.0, 89.0);
    let shifted = x * std::f32::consts::LOG2_E + SHIFT;
    let whole = shifted - SHIFT;
    let r = (x - whole * 0.693_359_4) + whole * 2.121_944_4e-4;
    let mut p = 1.987_569_1e-4;
    for coefficient in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        p = p * r + coefficient;
    }
    let value = (p * (r * r) + r) + 1.0;
    let n = (shifted.to_bits() as i32).wrapping_sub(SHIFT.to_bits() as i32);
    let half = n >> 1;
    let power = |n: i32| f32::from_bits((n.wrapping_add(127) as u32) << 23);
    value * power(half) * power(n.wrapping_sub(half))
}

/// Exponential in double precision to about 1e-11, enough to round to float32 afterwards; vectorises, unlike `libm`'s.
#[inline(always)]
fn exp64(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let x = x.clamp(-700.0, 700.0);
    let shifted = x * LOG2_E + SHIFT;
    let whole = shifted - SHIFT;
    let r = (x - whole * 0.693_147_180_369_123_8) - whole * 1.908_214_929_270_587_7e-10;
    let mut p = 1.0 / 362_880.0;
    for inverse in [40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0] {
        p = p * r + 1.0 / inverse;
    }
    p * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// `2 artanh(s)` in double precision for `s` up to 1/3, by its series.
#[inline(always)]
fn twice_artanh(s: f64) -> f64 {
    let square = s * s;
    let mut p = 1.0 / 21.0;
    for odd in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        p = p * square + 1.0 / odd;
    }
    2.0 * s * p
}

/// Natural logarithm: NaN below 0, minus infinity at 0.
#[inline(always)]
pub fn log(x: f32) -> f32 {
    const WHOLE: u64 = 0x4330_0000_0000_0000;
    const HALF_ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
    let bits = f64::from(x).to_bits();
    let offset = bits.wrapping_sub(HALF_ROOT);
    let exponent = f64::from_bits((offset.wrapping_add(1023 << 52) >> 52) | WHOLE) - f64::from_bits(WHOLE) - 1023.0;
    let mantissa = f64::from_bits((offset & 0x000f_ffff_ffff_ffff).wrapping_add(HALF_ROOT));
    let value = exponent * std::f64::consts::LN_2 + twice_artanh((mantissa - 1.0) / (mantissa + 1.0));
    let edge = if x == 0.0 { f32::NEG_INFINITY } else { f32::NAN };
    let top = if x == f32::INFINITY { x } else { value as f32 };
    if x > 0.0 { top } else { edge }
}

/// Hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let wide = f64::from(x);
    let large = 1.0 - 2.0 / (exp64(2.0 * wide) + 1.0);
    let small = wide - wide * wide * wide * (1.0 / 3.0);
    (if wide.abs() < 1e-3 { small } else { large }) as f32
}

/// Logistic function in double precision.
#[inline(always)]
fn sigmoid64(x: f64) -> f64 {
    1.0 / (1.0 + exp64(-x))
}

/// Logistic function.
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    sigmoid64(f64::from(x)) as f32
}

/// `erfc` in double precision to about 1e-10 relative: `exp(-x²) q P(q)` with `q = 3 / (3 + |x|)` and `P` a Chebyshev
/// fit for `|x| <= 11.5`, beyond which the result is 0 or 2 to any float32.
#[inline(always)]
fn erfc64(x: f64) -> f64 {
    let z = x.abs().clamp(0.0, 11.5);
    let q = 1.0 / (3.0 + z);
    let k = 7.565_217_391_304_348 * q - 1.521_739_130_434_782_5;
    let mut p = -1.023_146_010_334_22e-6;
    for coefficient in [
        1.829_892_867_401_82e-7,
        1.623_230_826_122_7e-5,
        6.085_650_800_035_41e-6,
        -2.250_295_540_073_85e-4,
        -4.996_452_867_235_75e-4,
        2.342_504_564_296_26e-3,
        1.919_012_215_250_94e-2,
        6.991_723_676_134_67e-2,
        1.710_808_167_516_28e-1,
        3.098_317_573_800_75e-1,
        4.283_407_594_097_32e-1,
    ] {
        p = p * k + coefficient;
    }
    let tail = 3.0 * q * p * exp64(-z * z);
    if x < 0.0 { 2.0 - tail } else { tail }
}

/// Error function.
#[inline(always)]
pub fn erf(x: f32) -> f32 {
    let x = f64::from(x);
    let square = x * x;
    let mut series = -1.0 / 1_320.0;
    for coefficient in [1.0 / 216.0, -1.0 / 42.0, 0.1, -1.0 / 3.0, 1.0] {
        series = series * square + coefficient;
    }
    let small = std::f64::consts::FRAC_2_SQRT_PI * x * series;
    let large = (1.0 - erfc64(x.abs())).copysign(x);
    (if square < 0.09 { small } else { large }) as f32
}

/// Derivative of the error function, `2/√π exp(-x²)`.
#[inline(always)]
pub fn erf_dx(x: f32) -> f32 {
    let x = f64::from(x);
    (std::f64::consts::FRAC_2_SQRT_PI * exp64(-x * x)) as f32
}

/// The normal distribution function in double precision.
#[inline(always)]
fn normal_cdf(x: f64) -> f64 {
    0.5 * erfc64(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// `x` times a factor that decays faster than `x` grows: 0 where the factor is 0, even for infinite `x`.
#[inline(always)]
fn gated(x: f64, factor: f64) -> f32 {
    let product = x * factor;
    (if x == f64::NEG_INFINITY { -0.0 } else { product }) as f32
}

/// `x Φ(x)`.
#[inline(always)]
pub fn gelu(x: f32) -> f32 {
    let x = f64::from(x);
    gated(x, normal_cdf(x))
}

/// Derivative of `x Φ(x)`.
#[inline(always)]
pub fn gelu_dx(x: f32) -> f32 {
    const DENSITY_AT_ZERO: f64 = 0.398_942_280_401_432_7;
    let x = f64::from(x);
    let bounded = x.clamp(-60.0, 60.0);
    (normal_cdf(x) + bounded * DENSITY_AT_ZERO * exp64(-0.5 * bounded * bounded)) as f32
}

/// `x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))`.
#[inline(always)]
pub fn gelu_tanh(x: f32) -> f32 {
    const ROOT: f64 = 0.797_884_560_802_865_4;
    let x = f64::from(x);
    gated(x, sigmoid64(2.0 * ROOT * (x + 0.044_715 * x * x * x)))
}

/// `x sigmoid(1.702 x)`.
#[inline(always)]
pub fn gelu_sigmoid(x: f32) -> f32 {
    let x = f64::from(x);
    gated(x, sigmoid64(1.702 * x))
}

/// Derivative of `x sigmoid(slope x)`.
#[inline(always)]
fn gated_dx(x: f32, slope: f64) -> f32 {
    let bounded = (slope * f64::from(x)).clamp(-600.0, 600.0);
    let s = sigmoid64(bounded);
    (s + bounded * s * sigmoid64(-bounded)) as f32
}

/// Derivative of `x sigmoid(1.702 x)`.
#[inline(always)]
pub fn gelu_sigmoid_dx(x: f32) -> f32 {
    gated_dx(x, 1.702)
}

/// `x sigmoid(x)`.
#[inline(always)]
pub fn silu(x: f32) -> f32 {
    let x = f64::from(x);
    gated(x, sigmoid64(x))
}

/// Derivative of `x sigmoid(x)`.
#[inline(always)]
pub fn silu_dx(x: f32) -> f32 {
    gated_dx(x, 1.0)
}

/// `log(1 + exp(x))`.
#[inline(always)]
pub fn softplus(x: f32) -> f32 {
    let x = f64::from(x);
    let z = exp64(-x.abs());
    let above = if x < 0.0 { 0.0 } else { x };
    (above + twice_artanh(z / (2.0 + z))) as f32
}

/// `x tanh(softplus(x))`: with `w = exp(x)` that is `x (w² + 2w) / (w² + 2w + 2)`.
#[inline(always)]
pub fn mish(x: f32) -> f32 {
    let x = f64::from(x);
    let w = exp64(x.clamp(-700.0, 40.0));
    let t = w * (w + 2.0);
    gated(x, t / (t + 2.0))
}

/// Sine.
pub fn sin(x: f32) -> f32 {
    libm::sinf(x)
}

/// Sine as the Scalar Engine computes it: no range reduction; outside ±π a cubic goes on.
///
/// The documents give one value out there, `sin(9) = 27.65`; it is that of the Taylor cubic at π.
pub fn sin_engine(x: f32) -> f32 {
    let beyond = x.abs() - std::f32::consts::PI;
    if beyond > 0.0 {
        sign(x) * (beyond * (beyond * beyond / 6.0 - 1.0))
    } else {
        sin(x)
    }
}

/// Cosine.
pub fn cos(x: f32) -> f32 {
    libm::cosf(x)
}

/// Tangent.
pub fn tan(x: f32) -> f32 {
    libm::tanf(x)
}

/// Arc tangent.
pub fn atan(x: f32) -> f32 {
    libm::atanf(x)
}

/// -1, 0 or 1; NaN stays, and so does the sign of zero.
#[inline(always)]
pub fn sign(x: f32) -> f32 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

/// Double-precision functions for host arrays and Python's `math`, from `libm`.
pub mod double {
    pub use libm::{acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, ceil, copysign, cos, cosh, erf, erfc};
    pub use libm::{exp, exp2, exp10, expm1, floor, fmod, frexp, hypot, ilogb, ldexp, lgamma, log, log1p, log2, log10};
    pub use libm::{modf, pow, remainder, rint, round, sin, sinh, sqrt, tan, tanh, tgamma, trunc};
}
