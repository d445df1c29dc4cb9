//! Elementary functions of both float widths for host arrays, on `libm`: the same bits natively and in WASM.

/// A float type with the functions that NumPy offers.
pub trait Real: Copy + PartialOrd + Default + 'static {
    /// Conversion from binary64.
    fn of(x: f64) -> Self;
    /// Conversion to binary64.
    fn wide(self) -> f64;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Cube root.
    fn cbrt(self) -> Self;
    /// e to the power x.
    fn exp(self) -> Self;
    /// 2 to the power x.
    fn exp2(self) -> Self;
    /// exp(x) - 1.
    fn expm1(self) -> Self;
    /// Natural logarithm.
    fn log(self) -> Self;
    /// Binary logarithm.
    fn log2(self) -> Self;
    /// Decimal logarithm.
    fn log10(self) -> Self;
    /// log(1 + x).
    fn log1p(self) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Tangent.
    fn tan(self) -> Self;
    /// Inverse sine.
    fn asin(self) -> Self;
    /// Inverse cosine.
    fn acos(self) -> Self;
    /// Inverse tangent.
    fn atan(self) -> Self;
    /// Hyperbolic sine.
    fn sinh(self) -> Self;
    /// Hyperbolic cosine.
    fn cosh(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Inverse hyperbolic sine.
    fn asinh(self) -> Self;
    /// Inverse hyperbolic cosine.
    fn acosh(self) -> Self;
    /// Inverse hyperbolic tangent.
    fn atanh(self) -> Self;
    /// x to the power y.
    fn pow(self, y: Self) -> Self;
    /// Angle of the point (y, x).
    fn atan2(self, x: Self) -> Self;
    /// Euclidean length.
    fn hypot(self, y: Self) -> Self;
    /// Remainder with the sign of the dividend, as C's `fmod`.
    fn fmod(self, y: Self) -> Self;
}

macro_rules! real {
    ($ty:ty; $($name:ident => $function:ident),* ; $($name2:ident => $function2:ident),*) => {
        impl Real for $ty {
            fn of(x: f64) -> Self { x as $ty }
            fn wide(self) -> f64 { self as f64 }
            $(fn $name(self) -> Self { libm::$function(self) })*
            $(fn $name2(self, y: Self) -> Self { libm::$function2(self, y) })*
        }
    };
}

real!(f32; sqrt => sqrtf, cbrt => cbrtf, exp => expf, exp2 => exp2f, expm1 => expm1f, log => logf, log2 => log2f,
    log10 => log10f, log1p => log1pf, sin => sinf, cos => cosf, tan => tanf, asin => asinf, acos => acosf, atan => atanf,
    sinh => sinhf, cosh => coshf, tanh => tanhf, asinh => asinhf, acosh => acoshf, atanh => atanhf;
    pow => powf, atan2 => atan2f, hypot => hypotf, fmod => fmodf);
real!(f64; sqrt => sqrt, cbrt => cbrt, exp => exp, exp2 => exp2, expm1 => expm1, log => log, log2 => log2,
    log10 => log10, log1p => log1p, sin => sin, cos => cos, tan => tan, asin => asin, acos => acos, atan => atan,
    sinh => sinh, cosh => cosh, tanh => tanh, asinh => asinh, acosh => acosh, atanh => atanh;
    pow => pow, atan2 => atan2, hypot => hypot, fmod => fmod);

/// 2 to the power `exponent`, exactly (zero or infinity beyond binary64).
pub fn power_of_two(exponent: i32) -> f64 {
    libm::ldexp(1.0, exponent)
}

/// The binary exponent of a finite `x` other than zero: `x` is in `[2^e, 2^(e+1))`.
pub fn exponent_of(x: f64) -> i32 {
    libm::ilogb(x)
}

/// `x * y` as a rounded product and its exact error (Dekker); no overflow for moderate operands.
fn exact_product(x: f64, y: f64) -> (f64, f64) {
    let split = |x: f64| {
        let scaled = 134_217_729.0 * x;
        let high = scaled - (scaled - x);
        (high, x - high)
    };
    let ((x_high, x_low), (y_high, y_low)) = (split(x), split(y));
    let product = x * y;
    (
        product,
        ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low,
    )
}

/// The natural logarithm of a positive normal `x` with an error of hardly more than half a unit in the last place, as
/// the C libraries under NumPy have; `libm`'s own is up to one unit off.
pub fn log_tight(x: f64) -> f64 {
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let mut exponent = exponent_of(x);
    let mut mantissa = x * power_of_two(-exponent);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    // log(m) = 2 artanh(s) with s = (m - 1) / (m + 1), whose rounding error is kept.
    let (over, under) = (mantissa - 1.0, mantissa + 1.0);
    let under_error = mantissa - (under - 1.0);
    let s = over / under;
    let (product, product_error) = exact_product(s, under);
    let s_error = ((over - product) - product_error - s * under_error) / under;
    let square = s * s;
    let series = (1..=14)
        .rev()
        .fold(0.0, |sum, n| square * (1.0 / f64::from(2 * n + 1) + sum));
    let (whole, double) = (f64::from(exponent) * LN2_HIGH, 2.0 * s);
    let sum = whole + double;
    let sum_error = if exponent == 0 {
        whole - (sum - double)
    } else {
        double - (sum - whole)
    };
    sum + (sum_error + (2.0 * (s_error + s * series) + f64::from(exponent) * LN2_LOW))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_exponents_agree() {
        for exponent in [-1074, -1022, -1, 0, 1, 10, 1023] {
            assert_eq!(exponent_of(power_of_two(exponent)), exponent);
        }
        assert_eq!(Real::exp(0.0f32), 1.0);
        assert_eq!(log_tight(1.0), 0.0);
        assert_eq!(log_tight(2.0), std::f64::consts::LN_2);
        assert_eq!(log_tight(0.1), -2.302_585_092_994_045_5);
        assert_eq!(Real::fmod(-7.0f64, 3.0), -1.0);
    }
}
