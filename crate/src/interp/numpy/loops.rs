//! The inner loops of universal functions: straight passes over native slices, chosen once per call.

use super::buffer::{Buf, Element};
use super::math::{Binary, Unary};
use crate::base::diag::{Code, Fault};
use crate::numerics::real::Real;

/// Applies `f` to pairs; an operand of one element is repeated.
fn zip<T: Copy, R>(x: &[T], y: &[T], count: usize, f: impl Fn(T, T) -> R) -> Vec<R> {
    match (x, y) {
        ([x], [y]) if count == 1 => vec![f(*x, *y)],
        (x, [y]) => x.iter().map(|&x| f(x, *y)).collect::<Vec<_>>(),
        ([x], y) => y.iter().map(|&y| f(*x, y)).collect(),
        (x, y) => x.iter().zip(y).map(|(&x, &y)| f(x, y)).collect(),
    }
}

/// A function that has no loop for this element type.
fn missing<T>(name: &str) -> Result<T, Fault> {
    Err(Fault::new(
        Code::Type,
        format!("ufunc '{name}' is not supported for this dtype"),
    ))
}

/// A comparison, if `op` is one.
fn compare<T: PartialOrd + Copy>(op: Binary, x: &[T], y: &[T], n: usize) -> Option<Vec<bool>> {
    Some(match op {
        Binary::Greater => zip(x, y, n, |x, y| x > y),
        Binary::GreaterEqual => zip(x, y, n, |x, y| x >= y),
        Binary::Less => zip(x, y, n, |x, y| x < y),
        Binary::LessEqual => zip(x, y, n, |x, y| x <= y),
        Binary::Equal => zip(x, y, n, |x, y| x == y),
        Binary::NotEqual => zip(x, y, n, |x, y| x != y),
        _ => return None,
    })
}

/// Python's `%` on floats: the sign of the divisor.
fn float_mod<F: Real + std::ops::Add<Output = F>>(x: F, y: F) -> F {
    let zero = F::of(0.0);
    let rest = x.fmod(y);
    if rest == zero {
        return F::of(0f64.copysign(y.wide()));
    }
    if (rest < zero) != (y < zero) { rest + y } else { rest }
}

/// Python's `//` on floats, as NumPy's `npy_divmod` computes it.
fn float_floor_divide<F>(x: F, y: F) -> F
where
    F: Real + std::ops::Sub<Output = F> + std::ops::Div<Output = F>,
{
    let zero = F::of(0.0);
    if y == zero {
        return x / y;
    }
    let mut rest = x.fmod(y);
    let mut quotient = (x - rest) / y;
    if rest != zero && (y < zero) != (rest < zero) {
        rest = y;
        quotient = quotient - F::of(1.0);
    }
    let _ = rest;
    let mut floor = F::of(quotient.wide().floor());
    if quotient - floor > F::of(0.5) {
        floor = F::of(floor.wide() + 1.0);
    }
    if quotient == zero {
        F::of(0f64.copysign((x / y).wide()))
    } else {
        floor
    }
}

/// NaN if either is NaN, else the one that `first` prefers.
fn propagate<F: Real>(x: F, y: F, first: bool) -> F {
    if x.wide().is_nan() || (first && !y.wide().is_nan()) {
        x
    } else {
        y
    }
}

/// The other one if one is NaN, else the one that `first` prefers.
fn ignore_nan<F: Real>(x: F, y: F, first: bool) -> F {
    if y.wide().is_nan() || (first && !x.wide().is_nan()) {
        x
    } else {
        y
    }
}

/// log(exp(x) + exp(y)) without overflow.
fn logaddexp<F: Real + std::ops::Add<Output = F> + std::ops::Sub<Output = F>>(x: F, y: F) -> F {
    let difference = x - y;
    if x == y {
        x + F::of(std::f64::consts::LN_2)
    } else if difference > F::of(0.0) {
        x + (y - x).exp().log1p()
    } else {
        y + difference.exp().log1p()
    }
}

/// x to the power y, exact where NumPy has a fast path.
fn float_power<F: Real + std::ops::Mul<Output = F> + std::ops::Div<Output = F>>(x: &[F], y: &[F], n: usize) -> Vec<F> {
    match y {
        [y] if y.wide() == 2.0 => x.iter().map(|&x| x * x).collect(),
        [y] if y.wide() == 1.0 => x.to_vec(),
        [y] if y.wide() == 0.5 => x.iter().map(|&x| x.sqrt()).collect(),
        [y] if y.wide() == -1.0 => x.iter().map(|&x| F::of(1.0) / x).collect(),
        _ => zip(x, y, n, |x, y| x.pow(y)),
    }
}

/// Loops on floats.
fn float_binary<F>(op: Binary, x: &[F], y: &[F], n: usize) -> Result<Buf, Fault>
where
    F: Real + Element + std::ops::Add<Output = F> + std::ops::Sub<Output = F> + std::ops::Mul<Output = F>,
    F: std::ops::Div<Output = F>,
{
    if let Some(truth) = compare(op, x, y, n) {
        return Ok(Buf::Bool(truth));
    }
    Ok(F::wrap(match op {
        Binary::Add => zip(x, y, n, |x, y| x + y),
        Binary::Subtract => zip(x, y, n, |x, y| x - y),
        Binary::Multiply => zip(x, y, n, |x, y| x * y),
        Binary::Divide => zip(x, y, n, |x, y| x / y),
        Binary::FloorDivide => zip(x, y, n, float_floor_divide),
        Binary::Remainder => zip(x, y, n, float_mod),
        Binary::Fmod => zip(x, y, n, |x, y| x.fmod(y)),
        Binary::Power => float_power(x, y, n),
        Binary::Maximum => zip(x, y, n, |x, y| propagate(x, y, x >= y)),
        Binary::Minimum => zip(x, y, n, |x, y| propagate(x, y, x <= y)),
        Binary::Fmax => zip(x, y, n, |x, y| ignore_nan(x, y, x >= y)),
        Binary::Fmin => zip(x, y, n, |x, y| ignore_nan(x, y, x <= y)),
        Binary::Arctan2 => zip(x, y, n, |x, y| x.atan2(y)),
        Binary::Hypot => zip(x, y, n, |x, y| x.hypot(y)),
        Binary::Copysign => zip(x, y, n, |x, y| F::of(x.wide().copysign(y.wide()))),
        Binary::Logaddexp => zip(x, y, n, logaddexp),
        _ => return missing(op.name()),
    }))
}

/// Integers with Python's division and NumPy's wrap-around.
trait Integer: Element + Eq + Ord {
    fn add(self, y: Self) -> Self;
    fn sub(self, y: Self) -> Self;
    fn mul(self, y: Self) -> Self;
    fn floor_div(self, y: Self) -> Self;
    fn modulo(self, y: Self) -> Self;
    fn remainder(self, y: Self) -> Self;
    fn power(self, y: Self) -> Self;
    fn and(self, y: Self) -> Self;
    fn or(self, y: Self) -> Self;
    fn xor(self, y: Self) -> Self;
    fn shl(self, y: Self) -> Self;
    fn shr(self, y: Self) -> Self;
    fn not(self) -> Self;
}

macro_rules! integer {
    ($($ty:ty),*) => {$(
        impl Integer for $ty {
            fn add(self, y: Self) -> Self { self.wrapping_add(y) }
            fn sub(self, y: Self) -> Self { self.wrapping_sub(y) }
            fn mul(self, y: Self) -> Self { self.wrapping_mul(y) }
            fn floor_div(self, y: Self) -> Self {
                if y == 0 { return 0; }
                let quotient = self.wrapping_div(y);
                let rest = self.wrapping_rem(y);
                // `y < 0` never holds for unsigned types; comparing through i128 keeps one definition.
                if rest != 0 && ((rest as i128) < 0) != ((y as i128) < 0) { quotient.wrapping_sub(1) } else { quotient }
            }
            fn modulo(self, y: Self) -> Self {
                if y == 0 { return 0; }
                let rest = self.wrapping_rem(y);
                if rest != 0 && ((rest as i128) < 0) != ((y as i128) < 0) { rest.wrapping_add(y) } else { rest }
            }
            fn remainder(self, y: Self) -> Self { if y == 0 { 0 } else { self.wrapping_rem(y) } }
            fn power(self, y: Self) -> Self { self.wrapping_pow(u32::try_from(y as i128).unwrap_or(0)) }
            fn and(self, y: Self) -> Self { self & y }
            fn or(self, y: Self) -> Self { self | y }
            fn xor(self, y: Self) -> Self { self ^ y }
            fn shl(self, y: Self) -> Self {
                u32::try_from(y as i128).ok().and_then(|y| self.checked_shl(y)).unwrap_or(0)
            }
            fn shr(self, y: Self) -> Self {
                let fill = if (self as i128) < 0 { !0 } else { 0 };
                u32::try_from(y as i128).ok().and_then(|y| self.checked_shr(y)).unwrap_or(fill)
            }
            fn not(self) -> Self { !self }
        }
    )*};
}
integer!(i8, i16, i32, i64, u8, u16, u32, u64);

/// Loops on integers.
fn integer_binary<T: Integer>(op: Binary, x: &[T], y: &[T], n: usize) -> Result<Buf, Fault> {
    if let Some(truth) = compare(op, x, y, n) {
        return Ok(Buf::Bool(truth));
    }
    if op == Binary::Power && y.iter().any(|y| y.to_i128() < 0) {
        let message = "Integers to negative integer powers are not allowed.";
        return Err(Fault::new(Code::Value, message).hint("convert the base to float first"));
    }
    Ok(T::wrap(match op {
        Binary::Add => zip(x, y, n, T::add),
        Binary::Subtract => zip(x, y, n, T::sub),
        Binary::Multiply => zip(x, y, n, T::mul),
        Binary::FloorDivide => zip(x, y, n, T::floor_div),
        Binary::Remainder => zip(x, y, n, T::modulo),
        Binary::Fmod => zip(x, y, n, T::remainder),
        Binary::Power => zip(x, y, n, T::power),
        Binary::Maximum | Binary::Fmax => zip(x, y, n, Ord::max),
        Binary::Minimum | Binary::Fmin => zip(x, y, n, Ord::min),
        Binary::BitwiseAnd => zip(x, y, n, T::and),
        Binary::BitwiseOr => zip(x, y, n, T::or),
        Binary::BitwiseXor => zip(x, y, n, T::xor),
        Binary::LeftShift => zip(x, y, n, T::shl),
        Binary::RightShift => zip(x, y, n, T::shr),
        _ => return missing(op.name()),
    }))
}

/// Loops on truth values.
fn bool_binary(op: Binary, x: &[bool], y: &[bool], n: usize) -> Result<Buf, Fault> {
    if let Some(truth) = compare(op, x, y, n) {
        return Ok(Buf::Bool(truth));
    }
    Ok(Buf::Bool(match op {
        Binary::Add | Binary::Maximum | Binary::Fmax | Binary::BitwiseOr | Binary::LogicalOr => {
            zip(x, y, n, |x, y| x | y)
        }
        Binary::Multiply | Binary::Minimum | Binary::Fmin | Binary::BitwiseAnd | Binary::LogicalAnd => {
            zip(x, y, n, |x, y| x & y)
        }
        Binary::BitwiseXor | Binary::LogicalXor => zip(x, y, n, |x, y| x ^ y),
        _ => return missing(op.name()),
    }))
}

/// `op` on two buffers of one type; an operand of one element is repeated.
///
/// # Errors
/// `type` when the function has no loop for the type.
pub fn binary(op: Binary, x: &Buf, y: &Buf, count: usize) -> Result<Buf, Fault> {
    match x {
        Buf::Bool(v) => bool_binary(op, v, y.typed()?, count),
        Buf::I8(v) => integer_binary(op, v, y.typed()?, count),
        Buf::I16(v) => integer_binary(op, v, y.typed()?, count),
        Buf::I32(v) => integer_binary(op, v, y.typed()?, count),
        Buf::I64(v) => integer_binary(op, v, y.typed()?, count),
        Buf::U8(v) => integer_binary(op, v, y.typed()?, count),
        Buf::U16(v) => integer_binary(op, v, y.typed()?, count),
        Buf::U32(v) => integer_binary(op, v, y.typed()?, count),
        Buf::U64(v) => integer_binary(op, v, y.typed()?, count),
        Buf::F32(v) => float_binary(op, v, y.typed()?, count),
        Buf::F64(v) => float_binary(op, v, y.typed()?, count),
    }
}

/// Applies `f` to every element.
fn map<T: Copy, R>(x: &[T], f: impl Fn(T) -> R) -> Vec<R> {
    x.iter().map(|&x| f(x)).collect()
}

/// Tests on floats.
fn float_test<F: Real>(op: Unary, x: &[F]) -> Option<Vec<bool>> {
    Some(match op {
        Unary::Isnan => map(x, |x| x.wide().is_nan()),
        Unary::Isinf => map(x, |x| x.wide().is_infinite()),
        Unary::Isfinite => map(x, |x| x.wide().is_finite()),
        Unary::Signbit => map(x, |x| x.wide().is_sign_negative()),
        _ => return None,
    })
}

/// Arithmetic on floats that is exact or correctly rounded.
fn float_simple<F>(op: Unary, x: &[F]) -> Option<Vec<F>>
where
    F: Real + std::ops::Neg<Output = F> + std::ops::Mul<Output = F> + std::ops::Div<Output = F>,
{
    let sign = |x: F| match x.wide() {
        wide if wide > 0.0 => F::of(1.0),
        wide if wide < 0.0 => F::of(-1.0),
        0.0 => F::of(0.0),
        _ => x,
    };
    Some(match op {
        Unary::Negative => map(x, |x| -x),
        Unary::Positive => x.to_vec(),
        Unary::Absolute => map(x, |x| F::of(x.wide().abs())),
        Unary::Sign => map(x, sign),
        Unary::Square => map(x, |x| x * x),
        Unary::Reciprocal => map(x, |x| F::of(1.0) / x),
        Unary::Floor => map(x, |x| F::of(x.wide().floor())),
        Unary::Ceil => map(x, |x| F::of(x.wide().ceil())),
        Unary::Trunc => map(x, |x| F::of(x.wide().trunc())),
        Unary::Rint => map(x, |x| F::of(x.wide().round_ties_even())),
        Unary::Deg2rad => map(x, |x| x * F::of(std::f64::consts::PI / 180.0)),
        Unary::Rad2deg => map(x, |x| x * F::of(180.0 / std::f64::consts::PI)),
        _ => return None,
    })
}

/// Elementary functions.
fn float_elementary<F: Real>(op: Unary, x: &[F]) -> Option<Vec<F>> {
    let function: fn(F) -> F = match op {
        Unary::Sqrt => F::sqrt,
        Unary::Cbrt => F::cbrt,
        Unary::Exp => F::exp,
        Unary::Exp2 => F::exp2,
        Unary::Expm1 => F::expm1,
        Unary::Log => F::log,
        Unary::Log2 => F::log2,
        Unary::Log10 => F::log10,
        Unary::Log1p => F::log1p,
        Unary::Sin => F::sin,
        Unary::Cos => F::cos,
        Unary::Tan => F::tan,
        Unary::Arcsin => F::asin,
        Unary::Arccos => F::acos,
        Unary::Arctan => F::atan,
        Unary::Sinh => F::sinh,
        Unary::Cosh => F::cosh,
        Unary::Tanh => F::tanh,
        Unary::Arcsinh => F::asinh,
        Unary::Arccosh => F::acosh,
        Unary::Arctanh => F::atanh,
        _ => return None,
    };
    Some(map(x, function))
}

/// Loops on floats.
fn float_unary<F>(op: Unary, x: &[F]) -> Result<Buf, Fault>
where
    F: Real + Element + std::ops::Neg<Output = F> + std::ops::Mul<Output = F> + std::ops::Div<Output = F>,
{
    if let Some(truth) = float_test(op, x) {
        return Ok(Buf::Bool(truth));
    }
    match float_simple(op, x).or_else(|| float_elementary(op, x)) {
        Some(v) => Ok(F::wrap(v)),
        None => missing(op.name()),
    }
}

/// Loops on integers.
fn integer_unary<T: Integer>(op: Unary, x: &[T]) -> Result<Buf, Fault> {
    let (zero, one) = (T::default(), T::from_i128(1));
    let negate = |x: T| zero.sub(x);
    Ok(T::wrap(match op {
        Unary::Negative => map(x, negate),
        Unary::Positive | Unary::Floor | Unary::Ceil | Unary::Trunc => x.to_vec(),
        Unary::Absolute => map(x, |x| if x < zero { negate(x) } else { x }),
        Unary::Sign => map(x, |x| {
            if x > zero {
                one
            } else if x < zero {
                negate(one)
            } else {
                zero
            }
        }),
        Unary::Square => map(x, |x| x.mul(x)),
        Unary::Reciprocal => map(x, |x| one.floor_div(x)),
        Unary::Invert => map(x, T::not),
        _ => return missing(op.name()),
    }))
}

/// Loops on truth values.
fn bool_unary(op: Unary, x: &[bool]) -> Result<Buf, Fault> {
    match op {
        Unary::LogicalNot | Unary::Invert => Ok(Buf::Bool(map(x, |x| !x))),
        Unary::Absolute | Unary::Floor | Unary::Ceil | Unary::Trunc => Ok(Buf::Bool(x.to_vec())),
        _ => missing(op.name()),
    }
}

/// `op` on every element.
///
/// # Errors
/// `type` when the function has no loop for the type.
pub fn unary(op: Unary, x: &Buf) -> Result<Buf, Fault> {
    match x {
        Buf::Bool(v) => bool_unary(op, v),
        Buf::I8(v) => integer_unary(op, v),
        Buf::I16(v) => integer_unary(op, v),
        Buf::I32(v) => integer_unary(op, v),
        Buf::I64(v) => integer_unary(op, v),
        Buf::U8(v) => integer_unary(op, v),
        Buf::U16(v) => integer_unary(op, v),
        Buf::U32(v) => integer_unary(op, v),
        Buf::U64(v) => integer_unary(op, v),
        Buf::F32(v) => float_unary(op, v),
        Buf::F64(v) => float_unary(op, v),
    }
}

/// The elements of `x` where `chosen`, else those of `y`.
///
/// # Errors
/// `internal` when the types differ.
pub fn select<T: Element>(chosen: &[bool], x: &[T], y: &Buf) -> Result<Buf, Fault> {
    let y = y.typed::<T>()?;
    Ok(T::wrap(
        chosen
            .iter()
            .zip(x.iter().zip(y))
            .map(|(&first, (&x, &y))| if first { x } else { y })
            .collect(),
    ))
}
