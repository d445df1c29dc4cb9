//! The `math` module. Functions are those of `numerics::math`, so that native and web results agree to the bit.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::builtin;
use crate::interp::builtin::Args;
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::value::Value;
use crate::numerics::math::double;

/// Constants of `math`.
pub const MATH_CONSTANTS: &[(&str, f64)] = &[
    ("pi", std::f64::consts::PI),
    ("e", std::f64::consts::E),
    ("tau", std::f64::consts::TAU),
    ("inf", f64::INFINITY),
    ("nan", f64::NAN),
];

builtin! {
    /// Functions of `math`.
    pub MATH_ROWS;
    /// Square root.
    "sqrt" "(x, /)" => |_cx, args| in_domain(args, |x| x >= 0.0, double::sqrt);
    /// e to the power of x.
    "exp" "(x, /)" => |_cx, args| finite(args, double::exp);
    /// 2 to the power of x.
    "exp2" "(x, /)" => |_cx, args| finite(args, double::exp2);
    /// e to the power of x, minus 1.
    "expm1" "(x, /)" => |_cx, args| finite(args, double::expm1);
    /// Logarithm to a base, natural by default.
    "log" "(x, base=None, /)" => |_cx, args| {
        let x = positive(args, 0)?;
        Ok(Value::Float(match args.some(1) {
            Some(_) => double::log(x) / double::log(positive(args, 1)?),
            None => double::log(x),
        }))
    };
    /// Logarithm to base 2.
    "log2" "(x, /)" => |_cx, args| Ok(Value::Float(double::log2(positive(args, 0)?)));
    /// Logarithm to base 10.
    "log10" "(x, /)" => |_cx, args| Ok(Value::Float(double::log10(positive(args, 0)?)));
    /// Logarithm of 1 + x.
    "log1p" "(x, /)" => |_cx, args| in_domain(args, |x| x > -1.0, double::log1p);
    /// Sine.
    "sin" "(x, /)" => |_cx, args| in_domain(args, f64::is_finite, double::sin);
    /// Cosine.
    "cos" "(x, /)" => |_cx, args| in_domain(args, f64::is_finite, double::cos);
    /// Tangent.
    "tan" "(x, /)" => |_cx, args| in_domain(args, f64::is_finite, double::tan);
    /// Arc sine.
    "asin" "(x, /)" => |_cx, args| in_domain(args, |x| x.abs() <= 1.0, double::asin);
    /// Arc cosine.
    "acos" "(x, /)" => |_cx, args| in_domain(args, |x| x.abs() <= 1.0, double::acos);
    /// Arc tangent.
    "atan" "(x, /)" => |_cx, args| Ok(Value::Float(double::atan(args.float(0)?)));
    /// Arc tangent of y / x in the right quadrant.
    "atan2" "(y, x, /)" => |_cx, args| Ok(Value::Float(double::atan2(args.float(0)?, args.float(1)?)));
    /// Hyperbolic sine.
    "sinh" "(x, /)" => |_cx, args| finite(args, double::sinh);
    /// Hyperbolic cosine.
    "cosh" "(x, /)" => |_cx, args| finite(args, double::cosh);
    /// Hyperbolic tangent.
    "tanh" "(x, /)" => |_cx, args| Ok(Value::Float(double::tanh(args.float(0)?)));
    /// Error function.
    "erf" "(x, /)" => |_cx, args| Ok(Value::Float(double::erf(args.float(0)?)));
    /// Complementary error function.
    "erfc" "(x, /)" => |_cx, args| Ok(Value::Float(double::erfc(args.float(0)?)));
    /// x to the power of y, as floats.
    "pow" "(x, y, /)" => |_cx, args| Ok(Value::Float(double::pow(args.float(0)?, args.float(1)?)));
    /// Absolute value, as a float.
    "fabs" "(x, /)" => |_cx, args| Ok(Value::Float(args.float(0)?.abs()));
    /// Remainder with the sign of x.
    "fmod" "(x, y, /)" => |_cx, args| {
        let (x, y) = (args.float(0)?, args.float(1)?);
        if y == 0.0 { Err(domain()) } else { Ok(Value::Float(double::fmod(x, y))) }
    };
    /// Magnitude of x with the sign of y.
    "copysign" "(x, y, /)" => |_cx, args| Ok(Value::Float(args.float(0)?.copysign(args.float(1)?)));
    /// x times 2 to the power of i.
    "ldexp" "(x, i, /)" => |_cx, args| {
        let exponent = args.int(1)?.clamp(-5000, 5000) as i32;
        Ok(Value::Float(double::ldexp(args.float(0)?, exponent)))
    };
    /// Mantissa and exponent of x.
    "frexp" "(x, /)" => |_cx, args| {
        let (mantissa, exponent) = double::frexp(args.float(0)?);
        Ok(Value::tuple(vec![Value::Float(mantissa), Value::Int(i64::from(exponent))]))
    };
    /// Fraction and whole part of x.
    "modf" "(x, /)" => |_cx, args| {
        let (fraction, whole) = double::modf(args.float(0)?);
        Ok(Value::tuple(vec![Value::Float(fraction), Value::Float(whole)]))
    };
    /// Whether x is not a number.
    "isnan" "(x, /)" => |_cx, args| Ok(Value::Bool(args.float(0)?.is_nan()));
    /// Whether x is infinite.
    "isinf" "(x, /)" => |_cx, args| Ok(Value::Bool(args.float(0)?.is_infinite()));
    /// Whether x is neither infinite nor not a number.
    "isfinite" "(x, /)" => |_cx, args| Ok(Value::Bool(args.float(0)?.is_finite()));
    /// Whether two numbers are close.
    "isclose" "(a, b, /, *, rel_tol=1e-09, abs_tol=0.0)" => |_cx, args| {
        let (a, b) = (args.float(0)?, args.float(1)?);
        let (relative, absolute) = (args.float_or(2, 1e-9)?, args.float_or(3, 0.0)?);
        let bound = (relative * a.abs().max(b.abs())).max(absolute);
        Ok(Value::Bool(a == b || (a.is_finite() && b.is_finite() && (a - b).abs() <= bound)))
    };
    /// Smallest integer that is not below x.
    "ceil" "(x, /)" => |_cx, args| rounded(args, f64::ceil);
    /// Largest integer that is not above x.
    "floor" "(x, /)" => |_cx, args| rounded(args, f64::floor);
    /// Integer part of x.
    "trunc" "(x, /)" => |_cx, args| rounded(args, f64::trunc);
    /// Greatest common divisor.
    "gcd" "(*integers)" => |_cx, args| fold(args, BigInt::zero(), gcd);
    /// Least common multiple.
    "lcm" "(*integers)" => |_cx, args| fold(args, BigInt::one(), lcm);
    /// Integer square root.
    "isqrt" "(n, /)" => |_cx, args| {
        let number = big(args.value(0)).ok_or_else(|| args.wrong(0, "an integer"))?;
        if number.is_negative() {
            return Err(Raised::value_error("isqrt() argument must be nonnegative"));
        }
        Ok(Value::integer(number.sqrt()))
    };
    /// Factorial.
    "factorial" "(n, /)" => |cx, args| {
        let number = args.size(0)?;
        // log2(n!) < n log2(n) bounds the bits before they are computed.
        let bits = number as f64 * double::log2(number.max(2) as f64);
        if bits > cx.limits.integer_bits as f64 {
            return Err(Raised::limit(format!("factorial({number}) is too large")));
        }
        Ok(Value::integer((1..=number).map(BigInt::from).product()))
    };
    /// Number of ways to choose k of n.
    "comb" "(n, k, /)" => |cx, args| {
        let (n, k) = (args.size(0)?, args.size(1)?);
        let steps = k.min(n.saturating_sub(k));
        cx.step(steps as u64)?;
        if k > n {
            return Ok(Value::Int(0));
        }
        let ways = (0..steps).fold(BigInt::one(), |ways, at| ways * BigInt::from(n - at) / BigInt::from(at + 1));
        Ok(Value::integer(ways))
    };
    /// Product of an iterable.
    "prod" "(iterable, /, *, start=1)" => |cx, args| {
        let mut product = args.get(1).cloned().unwrap_or(Value::Int(1));
        for item in cx.collect(args.value(0))? {
            product = cx.binary(crate::syntax::ast::BinaryOp::Mul, &product, &item)?;
        }
        Ok(product)
    };
    /// Sum of floats without intermediate rounding errors.
    "fsum" "(seq, /)" => |cx, args| {
        let items = cx.collect(args.value(0))?;
        let numbers = items.iter().map(|item| item.as_float().ok_or_else(|| args.wrong(0, "an iterable of numbers")));
        Ok(Value::Float(exact_sum(&numbers.collect::<Result<Vec<_>>>()?)))
    };
    /// Euclidean length of a vector.
    "hypot" "(*coordinates)" => |_cx, args| {
        let squares = args.rest().iter().map(|arg| arg.value.as_float().map(|x| x * x));
        let total = squares.sum::<Option<f64>>().ok_or_else(|| Raised::type_error("must be real number"))?;
        Ok(Value::Float(double::sqrt(total)))
    };
    /// Degrees to radians.
    "radians" "(x, /)" => |_cx, args| Ok(Value::Float(args.float(0)? * (std::f64::consts::PI / 180.0)));
    /// Radians to degrees.
    "degrees" "(x, /)" => |_cx, args| Ok(Value::Float(args.float(0)? * (180.0 / std::f64::consts::PI)));
}

/// The error of an argument without a result.
fn domain() -> Raised {
    Raised::value_error("math domain error")
}

/// `f(x)` for arguments that `test` accepts; NaN passes through.
fn in_domain(args: &Args, test: fn(f64) -> bool, f: fn(f64) -> f64) -> Result<Value> {
    let x = args.float(0)?;
    if x.is_nan() || test(x) {
        Ok(Value::Float(f(x)))
    } else {
        Err(domain())
    }
}

/// `f(x)`, which must not overflow.
fn finite(args: &Args, f: fn(f64) -> f64) -> Result<Value> {
    let x = args.float(0)?;
    let y = f(x);
    if x.is_finite() && y.is_infinite() {
        return Err(Raised::new(Exception::OverflowError, "math range error"));
    }
    Ok(Value::Float(y))
}

/// An argument above zero.
fn positive(args: &Args, at: usize) -> Result<f64> {
    let x = args.float(at)?;
    if x.is_nan() || x > 0.0 { Ok(x) } else { Err(domain()) }
}

/// A float rounded to an integer by `f`; integers stay as they are.
fn rounded(args: &Args, f: fn(f64) -> f64) -> Result<Value> {
    if big(args.value(0)).is_some() {
        return Ok(args.value(0).clone());
    }
    let x = f(args.float(0)?);
    match num_traits::FromPrimitive::from_f64(x) {
        Some(number) => Ok(Value::integer(number)),
        None if x.is_nan() => Err(Raised::value_error("cannot convert float NaN to integer")),
        None => Err(Raised::new(
            Exception::OverflowError,
            "cannot convert float infinity to integer",
        )),
    }
}

/// The integer that a value is.
fn big(value: &Value) -> Option<BigInt> {
    match value {
        Value::Int(number) => Some(BigInt::from(*number)),
        Value::Bool(truth) => Some(BigInt::from(i32::from(*truth))),
        Value::Big(number) => Some((**number).clone()),
        _ => None,
    }
}

/// Combines all arguments, which must be integers.
fn fold(args: &Args, start: BigInt, combine: fn(BigInt, BigInt) -> BigInt) -> Result<Value> {
    let mut total = start;
    for arg in args.rest() {
        let number = big(&arg.value).ok_or_else(|| Raised::type_error("arguments must be integers").at(arg.span))?;
        total = combine(total, number.abs());
    }
    Ok(Value::integer(total))
}

/// Greatest common divisor of two numbers that are not negative.
fn gcd(mut a: BigInt, mut b: BigInt) -> BigInt {
    while !b.is_zero() {
        (a, b) = (b.clone(), a % b);
    }
    a
}

/// Least common multiple of two numbers that are not negative.
fn lcm(a: BigInt, b: BigInt) -> BigInt {
    if a.is_zero() || b.is_zero() {
        return BigInt::zero();
    }
    let divisor = gcd(a.clone(), b.clone());
    a / divisor * b
}

/// Shewchuk's summation: partial sums that do not overlap, so that only the last addition rounds.
fn exact_sum(numbers: &[f64]) -> f64 {
    let mut partials: Vec<f64> = Vec::new();
    for &number in numbers {
        let mut x = number;
        let mut kept = 0;
        for at in 0..partials.len() {
            let mut y = partials[at];
            if x.abs() < y.abs() {
                std::mem::swap(&mut x, &mut y);
            }
            let high = x + y;
            let low = y - (high - x);
            if low != 0.0 {
                partials[kept] = low;
                kept += 1;
            }
            x = high;
        }
        partials.truncate(kept);
        partials.push(x);
    }
    partials.iter().rev().fold(0.0, |sum, part| sum + part)
}
