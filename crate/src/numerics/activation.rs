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

#[cfg(test)]
mod tests {
    use super::*;

    /// The mathematical function in double precision, from `libm` and written independently of the kernels.
    fn reference(func: Activation, x: f64) -> f64 {
        let sigmoid = |x: f64| 1.0 / (1.0 + libm::exp(-x));
        let dx_of_gated = |slope: f64| {
            let s = sigmoid(slope * x);
            s + slope * x * s * sigmoid(-slope * x)
        };
        let cdf = libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0;
        match func {
            Activation::Copy => x,
            Activation::Square => x * x,
            Activation::Sigmoid => sigmoid(x),
            Activation::Relu => x.max(0.0),
            Activation::Prelu => x.max(0.0) + 0.25 * x.min(0.0),
            Activation::Gelu => x * cdf,
            Activation::GeluDx => cdf + x * libm::exp(-x * x / 2.0) / (2.0 * std::f64::consts::PI).sqrt(),
            Activation::GeluApprxTanh => {
                let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
                x * sigmoid(2.0 * inner)
            }
            Activation::GeluApprxSigmoid => x * sigmoid(1.702 * x),
            Activation::GeluApprxSigmoidDx => dx_of_gated(1.702),
            Activation::Silu => x * sigmoid(x),
            Activation::SiluDx => dx_of_gated(1.0),
            Activation::Tanh => libm::tanh(x),
            Activation::Softplus => x.max(0.0) + libm::log1p(libm::exp(-x.abs())),
            Activation::Mish => x * libm::tanh(x.max(0.0) + libm::log1p(libm::exp(-x.abs()))),
            Activation::Erf => libm::erf(x),
            Activation::ErfDx => 2.0 / std::f64::consts::PI.sqrt() * libm::exp(-x * x),
            Activation::Exp => libm::exp(x),
            Activation::Log => libm::log(x),
            Activation::Sin => libm::sin(x),
            Activation::Arctan => libm::atan(x),
            Activation::Sqrt => x.sqrt(),
            Activation::Rsqrt => 1.0 / x.sqrt(),
            Activation::Reciprocal => 1.0 / x,
            Activation::Sign => f64::from(i8::from(x > 0.0) - i8::from(x < 0.0)),
            Activation::Abs => x.abs(),
        }
    }

    /// Distance in units of the last place of the float32 nearest to `exact`.
    fn ulps(value: f32, exact: f64) -> f64 {
        let near = exact as f32;
        if f64::from(value) == exact || (value.is_infinite() && value == near) {
            return 0.0;
        }
        let unit = f64::from(near.abs().next_up()) - f64::from(near.abs());
        (f64::from(value) - exact).abs() / unit
    }

    /// Numbers over all magnitudes of interest, both signs.
    fn inputs() -> Vec<f32> {
        let magnitudes = (0x2f80_0000u32..0x4300_0000).step_by(9973).map(f32::from_bits);
        magnitudes
            .flat_map(|x| [x, -x])
            .chain([0.0, 1.0, -1.0, 88.7, -103.0])
            .collect()
    }

    #[test]
    fn kernels_stay_within_an_ulp_of_double_precision() {
        let x = inputs();
        let mut out = vec![0f32; x.len()];
        for &func in Activation::ALL {
            apply(func, &x, 0.25, &mut out);
            let valid = x.iter().zip(&out).filter(|(x, _)| func.valid().contains(**x));
            let worst = valid.map(|(&x, &y)| (ulps(y, reference(func, f64::from(x))), x));
            let (error, at) = worst.fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
            assert!(error <= 1.0, "{} is off by {error:.2} ulp at {at:e}", func.name());
        }
    }

    #[test]
    fn limits_are_kept() {
        let at = |func, x: f32| {
            let mut data = [x];
            apply_in_place(func, &mut data, 0.0);
            data[0]
        };
        assert_eq!(at(Activation::Exp, f32::NEG_INFINITY), 0.0);
        assert_eq!(at(Activation::Exp, f32::MIN), 0.0);
        assert_eq!(at(Activation::Exp, 0.0), 1.0);
        assert_eq!(at(Activation::Exp, 89.0), f32::INFINITY);
        assert_eq!(at(Activation::Log, 0.0), f32::NEG_INFINITY);
        assert_eq!(at(Activation::Log, 1.0), 0.0);
        assert_eq!(at(Activation::Log, f32::INFINITY), f32::INFINITY);
        assert_eq!(at(Activation::Sigmoid, f32::INFINITY), 1.0);
        assert_eq!(at(Activation::Tanh, f32::NEG_INFINITY), -1.0);
        for func in [
            Activation::Gelu,
            Activation::Silu,
            Activation::Mish,
            Activation::GeluApprxTanh,
        ] {
            assert_eq!(at(func, f32::NEG_INFINITY), 0.0, "{}", func.name());
            assert_eq!(at(func, f32::INFINITY), f32::INFINITY, "{}", func.name());
        }
        for &func in Activation::ALL {
            let quiet = matches!(func, Activation::Prelu);
            assert!(at(func, f32::NAN).is_nan() || quiet, "{}", func.name());
        }
    }

    #[test]
    fn sine_goes_on_as_a_cubic_beyond_pi() {
        let mut data = [9.0f32, -9.0, 3.0];
        apply_in_place(Activation::Sin, &mut data, 0.0);
        assert!((data[0] - 27.65).abs() < 0.005, "{}", data[0]);
        assert_eq!(data[1], -data[0]);
        assert!((data[2] - 0.141_12).abs() < 1e-5);
    }

    #[test]
    fn valid_ranges_are_checked() {
        assert_eq!(first_outside(Activation::Log, &[1.0, 0.0]), Some(1));
        assert_eq!(first_outside(Activation::Reciprocal, &[-1.0, 1e-20]), Some(1));
        assert_eq!(first_outside(Activation::Exp, &[1e30]), None);
        assert_eq!(first_outside(Activation::Sin, &[3.2, 0.0]), Some(0));
        assert_eq!(exp2(-64), 2f32.powi(-64));
    }

    #[test]
    fn names_lead_back_to_their_function() {
        for &func in Activation::ALL {
            assert_eq!(Activation::from_name(func.name()), Some(func));
        }
    }
}
