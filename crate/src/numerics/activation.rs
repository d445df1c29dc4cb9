//! The one table of activation functions of the Scalar Engine, and their kernels.
//!
//! The hardware approximates them by piecewise polynomials that are not public; here they are the mathematical
//! functions in float32. Two things of the hardware are kept: the documented valid input range
//! ([`Activation::valid`]; use [`first_outside`] to warn), and `sin`, which extrapolates a cubic outside ±π.

use serde::Serialize;

use super::math;

/// Where a function gives valid results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValidRange {
    /// Everywhere.
    All,
    /// From the first to the second number, inclusive.
    Within(f32, f32),
    /// Magnitude from the first to the second number, inclusive, either sign.
    Magnitude(f32, f32),
}

/// A row of the activation table.
#[derive(Clone, Copy, Debug)]
pub struct ActivationInfo {
    /// The name in `nki.language`.
    pub name: &'static str,
    /// Where it gives valid results.
    pub valid: ValidRange,
}

/// Declares the table: `Variant = "name", valid range, kernel(x, parameter)`.
macro_rules! activations {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $valid:expr, $kernel:expr;)*) => {
        /// An activation function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        #[repr(u8)]
        pub enum Activation { $($(#[$doc])* $variant,)* }

        /// One row per [`Activation`], in order.
        static TABLE: &[ActivationInfo] = &[$(ActivationInfo { name: $name, valid: $valid },)*];

        impl Activation {
            /// Every activation function.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];
        }

        /// `data[i] = func(data[i])` in place; `parameter` is the slope of `prelu` for negative inputs, unused elsewhere.
        pub fn apply_in_place(func: Activation, data: &mut [f32], parameter: f32) {
            match func { $(Activation::$variant => each(data, parameter, $kernel),)* }
        }
    };
}

/// 2 to the power `exponent`, for normal results.
const fn exp2(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

use std::f32::consts::{FRAC_PI_2, PI};

activations! {
    /// `x`.
    Copy = "copy", ValidRange::All, |x, _| x;
    /// `x * x`.
    Square = "square", ValidRange::All, |x, _| x * x;
    /// `1 / (1 + exp(-x))`.
    Sigmoid = "sigmoid", ValidRange::All, |x, _| math::sigmoid(x);
    /// `max(x, 0)`.
    Relu = "relu", ValidRange::All, |x, _| super::alu::maximum(x, 0.0);
    /// `x` if positive, else `parameter * x`.
    Prelu = "prelu", ValidRange::All, |x, slope| if x > 0.0 { x } else { slope * x };
    /// `x * Φ(x)`.
    Gelu = "gelu", ValidRange::All, |x, _| math::gelu(x);
    /// Derivative of `gelu`.
    GeluDx = "gelu_dx", ValidRange::All, |x, _| math::gelu_dx(x);
    /// `gelu` by its tanh approximation.
    GeluApprxTanh = "gelu_apprx_tanh", ValidRange::All, |x, _| math::gelu_tanh(x);
    /// `x * sigmoid(1.702 x)`.
    GeluApprxSigmoid = "gelu_apprx_sigmoid", ValidRange::All, |x, _| math::gelu_sigmoid(x);
    /// Derivative of `gelu_apprx_sigmoid`.
    GeluApprxSigmoidDx = "gelu_apprx_sigmoid_dx", ValidRange::All, |x, _| math::gelu_sigmoid_dx(x);
    /// `x * sigmoid(x)`.
    Silu = "silu", ValidRange::All, |x, _| math::silu(x);
    /// Derivative of `silu`.
    SiluDx = "silu_dx", ValidRange::All, |x, _| math::silu_dx(x);
    /// Hyperbolic tangent.
    Tanh = "tanh", ValidRange::All, |x, _| math::tanh(x);
    /// `log(1 + exp(x))`.
    Softplus = "softplus", ValidRange::All, |x, _| math::softplus(x);
    /// `x * tanh(softplus(x))`.
    Mish = "mish", ValidRange::All, |x, _| math::mish(x);
    /// Error function.
    Erf = "erf", ValidRange::All, |x, _| math::erf(x);
    /// Derivative of `erf`.
    ErfDx = "erf_dx", ValidRange::All, |x, _| math::erf_dx(x);
    /// Exponential.
    Exp = "exp", ValidRange::All, |x, _| math::exp(x);
    /// Natural logarithm.
    Log = "log", ValidRange::Within(exp2(-64), exp2(64)), |x, _| math::log(x);
    /// Sine; a cubic outside ±π.
    Sin = "sin", ValidRange::Within(-PI, PI), |x, _| math::sin_engine(x);
    /// Arc tangent.
    Arctan = "arctan", ValidRange::Within(-FRAC_PI_2, FRAC_PI_2), |x, _| math::atan(x);
    /// Square root.
    Sqrt = "sqrt", ValidRange::Within(exp2(-116), exp2(118)), |x, _| math::sqrt(x);
    /// `1 / sqrt(x)`.
    Rsqrt = "rsqrt", ValidRange::Within(exp2(-87), exp2(97)), |x, _| math::rsqrt(x);
    /// `1 / x`.
    Reciprocal = "reciprocal", ValidRange::Magnitude(exp2(-42), exp2(42)), |x, _| 1.0 / x;
    /// -1, 0 or 1.
    Sign = "sign", ValidRange::All, |x, _| math::sign(x);
    /// Magnitude.
    Abs = "abs", ValidRange::All, |x, _| x.abs();
}

impl Activation {
    /// The row of this function.
    pub fn info(self) -> &'static ActivationInfo {
        &TABLE[self as usize]
    }

    /// The name in `nki.language`.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Where the function gives valid results on the hardware.
    pub fn valid(self) -> ValidRange {
        self.info().valid
    }

    /// The function called `name` (NumPy's `absolute` is `abs`).
    pub fn from_name(name: &str) -> Option<Self> {
        let name = if name == "absolute" { "abs" } else { name };
        Self::ALL.iter().copied().find(|func| func.name() == name)
    }
}

impl ValidRange {
    /// Whether `x` is inside; NaN is inside, it is valid input everywhere.
    pub fn contains(self, x: f32) -> bool {
        match self {
            Self::All => true,
            Self::Within(low, high) => x.is_nan() || (low <= x && x <= high),
            Self::Magnitude(low, high) => x.is_nan() || (low <= x.abs() && x.abs() <= high),
        }
    }
}

/// Applies one kernel to every element.
#[inline(always)]
fn each(data: &mut [f32], parameter: f32, kernel: impl Fn(f32, f32) -> f32 + Copy) {
    data.iter_mut().for_each(|x| *x = kernel(*x, parameter));
}

/// `out[i] = func(x[i])`; `parameter` as in [`apply_in_place`].
pub fn apply(func: Activation, x: &[f32], parameter: f32, out: &mut [f32]) {
    out.copy_from_slice(x);
    apply_in_place(func, out, parameter);
}

/// The index of the first element outside the valid input range of `func`.
pub fn first_outside(func: Activation, x: &[f32]) -> Option<usize> {
    match func.valid() {
        ValidRange::All => None,
        valid => x.iter().position(|&x| !valid.contains(x)),
    }
}
