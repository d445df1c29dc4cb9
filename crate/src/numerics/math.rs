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

/// Exponential.
pub fn exp(x: f32) -> f32 {
    libm::exp(f64::from(x)) as f32
}

/// Natural logarithm.
pub fn log(x: f32) -> f32 {
    libm::log(f64::from(x)) as f32
}

/// Hyperbolic tangent.
pub fn tanh(x: f32) -> f32 {
    libm::tanh(f64::from(x)) as f32
}

/// Logistic function.
pub fn sigmoid(x: f32) -> f32 {
    sigmoid64(f64::from(x)) as f32
}

/// Error function.
pub fn erf(x: f32) -> f32 {
    libm::erf(f64::from(x)) as f32
}

/// Derivative of the error function, `2/√π exp(-x²)`.
pub fn erf_dx(x: f32) -> f32 {
    let x = f64::from(x);
    (std::f64::consts::FRAC_2_SQRT_PI * libm::exp(-x * x)) as f32
}

/// Logistic function in double precision.
fn sigmoid64(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

/// The normal distribution function in double precision.
fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// `x Φ(x)`.
pub fn gelu(x: f32) -> f32 {
    let x = f64::from(x);
    (x * normal_cdf(x)) as f32
}

/// Derivative of `x Φ(x)`.
pub fn gelu_dx(x: f32) -> f32 {
    let x = f64::from(x);
    let density = 0.5 * std::f64::consts::FRAC_2_SQRT_PI * std::f64::consts::FRAC_1_SQRT_2 * libm::exp(-0.5 * x * x);
    (normal_cdf(x) + x * density) as f32
}

/// `x/2 (1 + tanh(√(2/π) (x + 0.044715 x³)))`.
pub fn gelu_tanh(x: f32) -> f32 {
    let x = f64::from(x);
    let inner = 0.797_884_560_802_865_4 * (x + 0.044_715 * x * x * x);
    (x * sigmoid64(2.0 * inner)) as f32
}

/// `x sigmoid(1.702 x)`.
pub fn gelu_sigmoid(x: f32) -> f32 {
    let x = f64::from(x);
    (x * sigmoid64(1.702 * x)) as f32
}

/// Derivative of `x sigmoid(1.702 x)`.
pub fn gelu_sigmoid_dx(x: f32) -> f32 {
    let x = f64::from(x);
    let s = sigmoid64(1.702 * x);
    (s + 1.702 * x * s * (1.0 - s)) as f32
}

/// `x sigmoid(x)`.
pub fn silu(x: f32) -> f32 {
    let x = f64::from(x);
    (x * sigmoid64(x)) as f32
}

/// Derivative of `x sigmoid(x)`.
pub fn silu_dx(x: f32) -> f32 {
    let x = f64::from(x);
    let s = sigmoid64(x);
    (s + x * s * (1.0 - s)) as f32
}

/// `log(1 + exp(x))`.
pub fn softplus(x: f32) -> f32 {
    softplus64(f64::from(x)) as f32
}

/// `log(1 + exp(x))` in double precision.
fn softplus64(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}

/// `x tanh(softplus(x))`.
pub fn mish(x: f32) -> f32 {
    let x = f64::from(x);
    (x * libm::tanh(softplus64(x))) as f32
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
