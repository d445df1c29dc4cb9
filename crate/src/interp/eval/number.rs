//! Arithmetic on numbers: integers without wrap-around, floats as Python defines them.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use crate::base::diag::Code;
use crate::interp::Interp;
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::value::Value;
use crate::numerics::math::double;
use crate::syntax::ast::{BinaryOp, UnaryOp};

/// A number with its Python type.
pub(crate) enum Number {
    /// `int` or `bool` that fits.
    Int(i64),
    /// A larger `int`.
    Big(Rc<BigInt>),
    /// `float`.
    Float(f64),
}

impl Number {
    /// The number that a value is.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Int(number) => Some(Self::Int(*number)),
            Value::Bool(truth) => Some(Self::Int(i64::from(*truth))),
            Value::Float(number) => Some(Self::Float(*number)),
            Value::Big(number) => Some(Self::Big(Rc::clone(number))),
            Value::Instance(instance) => instance.base.as_ref().and_then(Self::of),
            _ => None,
        }
    }

    fn big(&self) -> Option<BigInt> {
        match self {
            Self::Int(number) => Some(BigInt::from(*number)),
            Self::Big(number) => Some((**number).clone()),
            Self::Float(_) => None,
        }
    }

    fn float(&self) -> Result<f64> {
        match self {
            Self::Int(number) => Ok(*number as f64),
            Self::Float(number) => Ok(*number),
            Self::Big(number) => {
                let float = number.to_f64().filter(|float| float.is_finite());
                float.ok_or_else(|| Raised::new(Exception::OverflowError, "int too large to convert to float"))
            }
        }
    }
}

fn division_by_zero(what: &str) -> Raised {
    Raised::new(Exception::ZeroDivisionError, what)
}

impl Interp {
    /// `a op b` for two numbers.
    pub(crate) fn binary_number(&mut self, op: BinaryOp, a: &Number, b: &Number) -> Result<Option<Value>> {
        if let (Number::Int(x), Number::Int(y)) = (a, b)
            && let Some(value) = small(op, *x, *y)
        {
            return Ok(Some(value));
        }
        match (a.big(), b.big()) {
            (Some(x), Some(y)) => self.big_binary(op, &x, &y),
            _ => float_binary(op, a.float()?, b.float()?),
        }
    }

    fn big_binary(&mut self, op: BinaryOp, x: &BigInt, y: &BigInt) -> Result<Option<Value>> {
        self.step((x.bits() + y.bits()) / 64)?;
        let number = match op {
            BinaryOp::Add => x + y,
            BinaryOp::Sub => x - y,
            BinaryOp::Mul => {
                self.check_bits(x.bits() + y.bits())?;
                self.step((x.bits() / 64) * (y.bits() / 64) / 16)?;
                x * y
            }
            BinaryOp::FloorDiv => floor_div(x, y)?.0,
            BinaryOp::Mod => floor_div(x, y)?.1,
            BinaryOp::Div => return true_div(x, y).map(Some),
            BinaryOp::Pow => return self.big_pow(x, y).map(Some),
            BinaryOp::LeftShift => x << self.shift_count(x, y)?,
            BinaryOp::RightShift => {
                if y.is_negative() {
                    return Err(Raised::value_error("negative shift count"));
                }
                match y.to_u64() {
                    Some(count) => x >> count,
                    None => BigInt::from(if x.is_negative() { -1 } else { 0 }),
                }
            }
            BinaryOp::BitOr => x | y,
            BinaryOp::BitXor => x ^ y,
            BinaryOp::BitAnd => x & y,
            BinaryOp::MatMul => return Ok(None),
        };
        Ok(Some(Value::integer(number)))
    }

    fn check_bits(&self, bits: u64) -> Result<()> {
        if bits <= self.limits.integer_bits {
            return Ok(());
        }
        Err(Raised::limit(format!(
            "an integer of {bits} bits is above the limit of {}",
            self.limits.integer_bits
        )))
    }

    fn shift_count(&self, x: &BigInt, y: &BigInt) -> Result<u64> {
        if y.is_negative() {
            return Err(Raised::value_error("negative shift count"));
        }
        if x.is_zero() {
            return Ok(0);
        }
        let count = y.to_u64().unwrap_or(u64::MAX);
        self.check_bits(x.bits().saturating_add(count))?;
        Ok(count)
    }

    fn big_pow(&mut self, x: &BigInt, y: &BigInt) -> Result<Value> {
        if y.is_negative() {
            let (base, exponent) = (
                x.to_f64().unwrap_or(f64::INFINITY),
                y.to_f64().unwrap_or(f64::NEG_INFINITY),
            );
            if x.is_zero() {
                return Err(division_by_zero("0.0 cannot be raised to a negative power"));
            }
            return Ok(Value::Float(double::pow(base, exponent)));
        }
        let exponent = y.to_u64().unwrap_or(u64::MAX);
        if x.bits() > 1 {
            self.check_bits(x.bits().saturating_mul(exponent))?;
        }
        let exponent = match u32::try_from(exponent) {
            Ok(exponent) => exponent,
            // The base is 0, 1 or -1 here: only the parity of the exponent matters.
            Err(_) => 2 + (exponent % 2) as u32,
        };
        self.step(x.bits() * u64::from(exponent) / 64)?;
        Ok(Value::integer(x.pow(exponent)))
    }

    /// `-value`, `+value`, `~value`.
    pub(crate) fn unary_number(&mut self, op: UnaryOp, value: &Value) -> Result<Value> {
        if let Value::Native(object) = value
            && let Some(result) = Rc::clone(object).unary(self, op)?
        {
            return Ok(result);
        }
        if matches!(value, Value::Unknown) {
            return Ok(Value::Unknown);
        }
        let (sign, method) = match op {
            UnaryOp::Neg => ("-", "__neg__"),
            UnaryOp::Pos => ("+", "__pos__"),
            UnaryOp::Invert => ("~", "__invert__"),
            UnaryOp::Not => ("not", "__bool__"),
        };
        if let Some(result) = self.call_special(value, method, Vec::new())? {
            return Ok(result);
        }
        match (op, Number::of(value)) {
            (UnaryOp::Neg, Some(Number::Int(number))) => Ok(number
                .checked_neg()
                .map_or_else(|| Value::integer(-BigInt::from(number)), Value::Int)),
            (UnaryOp::Neg, Some(Number::Float(number))) => Ok(Value::Float(-number)),
            (UnaryOp::Neg, Some(Number::Big(number))) => Ok(Value::integer(-(*number).clone())),
            (UnaryOp::Pos, Some(Number::Int(number))) => Ok(Value::Int(number)),
            (UnaryOp::Pos, Some(Number::Float(number))) => Ok(Value::Float(number)),
            (UnaryOp::Pos, Some(Number::Big(number))) => Ok(Value::Big(number)),
            (UnaryOp::Invert, Some(Number::Int(number))) => Ok(Value::Int(!number)),
            (UnaryOp::Invert, Some(Number::Big(number))) => Ok(Value::integer(-(*number).clone() - 1)),
            _ => Err(Raised::type_error(format!(
                "bad operand type for unary {sign}: '{}'",
                self.type_name(value)
            ))),
        }
    }
}

/// Arithmetic that stays within 64 bits.
fn small(op: BinaryOp, x: i64, y: i64) -> Option<Value> {
    let number = match op {
        BinaryOp::Add => x.checked_add(y)?,
        BinaryOp::Sub => x.checked_sub(y)?,
        BinaryOp::Mul => x.checked_mul(y)?,
        BinaryOp::FloorDiv if y != 0 => {
            let quotient = x.checked_div(y)?;
            if x % y != 0 && (x < 0) != (y < 0) {
                quotient - 1
            } else {
                quotient
            }
        }
        BinaryOp::Mod if y != 0 => {
            let rest = x.checked_rem(y)?;
            if rest != 0 && (rest < 0) != (y < 0) {
                rest + y
            } else {
                rest
            }
        }
        BinaryOp::Pow if y >= 0 => x.checked_pow(u32::try_from(y).ok()?)?,
        BinaryOp::LeftShift if (0..63).contains(&y) => {
            let shifted = x << y;
            if shifted >> y != x {
                return None;
            }
            shifted
        }
        BinaryOp::RightShift if y >= 0 => x >> y.min(63),
        BinaryOp::BitOr => x | y,
        BinaryOp::BitXor => x ^ y,
        BinaryOp::BitAnd => x & y,
        BinaryOp::Div if y != 0 && x.unsigned_abs() < 1 << 53 && y.unsigned_abs() < 1 << 53 => {
            return Some(Value::Float(x as f64 / y as f64));
        }
        _ => return None,
    };
    Some(Value::Int(number))
}

/// Quotient and rest, rounded towards minus infinity.
pub(crate) fn floor_div(x: &BigInt, y: &BigInt) -> Result<(BigInt, BigInt)> {
    if y.is_zero() {
        return Err(division_by_zero("integer division or modulo by zero"));
    }
    let (quotient, rest) = (x / y, x % y);
    if !rest.is_zero() && rest.is_negative() != y.is_negative() {
        return Ok((quotient - 1, rest + y));
    }
    Ok((quotient, rest))
}

/// The quotient of large integers as a float.
fn true_div(x: &BigInt, y: &BigInt) -> Result<Value> {
    if y.is_zero() {
        return Err(division_by_zero("division by zero"));
    }
    // Scale so that the integer quotient has more bits than a float, then scale back.
    let shift = 66 + y.bits() as i64 - x.bits() as i64;
    let scaled = if shift >= 0 {
        (x << shift as u64) / y
    } else {
        x / (y << shift.unsigned_abs())
    };
    let mantissa = scaled.to_f64().unwrap_or(f64::INFINITY);
    let result = double::ldexp(mantissa, -(shift as i32));
    if result.is_infinite() {
        return Err(Raised::new(
            Exception::OverflowError,
            "integer division result too large for a float",
        ));
    }
    Ok(Value::Float(result))
}

fn float_binary(op: BinaryOp, x: f64, y: f64) -> Result<Option<Value>> {
    let number = match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Div if y == 0.0 => return Err(division_by_zero("float division by zero")),
        BinaryOp::Div => x / y,
        BinaryOp::FloorDiv if y == 0.0 => return Err(division_by_zero("float floor division by zero")),
        BinaryOp::FloorDiv => double::floor((x - float_mod(x, y)) / y + 0.0),
        BinaryOp::Mod if y == 0.0 => return Err(division_by_zero("float modulo by zero")),
        BinaryOp::Mod => float_mod(x, y),
        BinaryOp::Pow => return float_pow(x, y).map(Some),
        _ => return Ok(None),
    };
    Ok(Some(Value::Float(number)))
}

/// The rest with the sign of the divisor.
pub(crate) fn float_mod(x: f64, y: f64) -> f64 {
    let rest = double::fmod(x, y);
    if rest == 0.0 {
        return double::copysign(0.0, y);
    }
    if (rest < 0.0) == (y < 0.0) { rest } else { rest + y }
}

fn float_pow(x: f64, y: f64) -> Result<Value> {
    if x == 0.0 && y < 0.0 {
        return Err(division_by_zero("0.0 cannot be raised to a negative power"));
    }
    if x < 0.0 && y.is_finite() && y != double::trunc(y) {
        return Err(Raised::value_error("a negative number to a fractional power is complex").code(Code::Arithmetic));
    }
    let result = double::pow(x, y);
    if result.is_infinite() && x.is_finite() && y.is_finite() {
        return Err(Raised::new(Exception::OverflowError, "Numerical result out of range"));
    }
    Ok(Value::Float(result))
}
