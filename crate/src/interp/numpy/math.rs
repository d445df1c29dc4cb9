//! Universal functions: which exist, which dtype they give, and how operands broadcast.

use std::borrow::Cow;
use std::rc::Rc;

use super::array::{Array, Item, Kind};
use super::buffer::{self, Buf};
use super::loops;
use super::node::{Held, Node, element_count, show_shape};
use super::promote::{self, Weak, float_for, no_arithmetic, numpy_name, promote, promote_weak, weak_dtype};
use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::Dtype;
use crate::numerics::math::double;

/// How the dtype of a result follows from that of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The common dtype.
    Same,
    /// The common dtype, where `bool` counts as `int8`.
    Number,
    /// A float that holds the common dtype.
    Float,
    /// `float64` for integers, else the common dtype.
    Divide,
    /// Compares in the common dtype and gives `bool`.
    Compare,
    /// Tests truth values.
    Logical,
    /// Integers and `bool` only.
    Bits,
}

/// Declares an enum of functions: `Variant "names" Rule`.
macro_rules! functions {
    ($(#[$doc:meta])* $enum:ident { $($variant:ident $name:literal $rule:ident;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $enum { $(#[doc = concat!("`np.", $name, "`.")] $variant,)* }

        impl $enum {
            /// Every function.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// NumPy's name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// How dtypes follow.
            const fn rule(self) -> Rule {
                match self { $(Self::$variant => Rule::$rule,)* }
            }

            /// The function called `name`.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|function| function.name() == name)
            }
        }
    };
}

functions! {
    /// Functions of two operands.
    Binary {
        Add "add" Same;
        Subtract "subtract" Same;
        Multiply "multiply" Same;
        Divide "divide" Divide;
        FloorDivide "floor_divide" Number;
        Remainder "remainder" Number;
        Fmod "fmod" Number;
        Power "power" Number;
        Maximum "maximum" Same;
        Minimum "minimum" Same;
        Fmax "fmax" Same;
        Fmin "fmin" Same;
        Arctan2 "arctan2" Float;
        Hypot "hypot" Float;
        Copysign "copysign" Float;
        Logaddexp "logaddexp" Float;
        Greater "greater" Compare;
        GreaterEqual "greater_equal" Compare;
        Less "less" Compare;
        LessEqual "less_equal" Compare;
        Equal "equal" Compare;
        NotEqual "not_equal" Compare;
        BitwiseAnd "bitwise_and" Bits;
        BitwiseOr "bitwise_or" Bits;
        BitwiseXor "bitwise_xor" Bits;
        LeftShift "left_shift" Bits;
        RightShift "right_shift" Bits;
        LogicalAnd "logical_and" Logical;
        LogicalOr "logical_or" Logical;
        LogicalXor "logical_xor" Logical;
    }
}

functions! {
    /// Functions of one operand.
    Unary {
        Negative "negative" Same;
        Positive "positive" Same;
        Absolute "absolute" Same;
        Sign "sign" Same;
        Square "square" Number;
        Reciprocal "reciprocal" Number;
        Floor "floor" Same;
        Ceil "ceil" Same;
        Trunc "trunc" Same;
        Rint "rint" Float;
        Sqrt "sqrt" Float;
        Cbrt "cbrt" Float;
        Exp "exp" Float;
        Exp2 "exp2" Float;
        Expm1 "expm1" Float;
        Log "log" Float;
        Log2 "log2" Float;
        Log10 "log10" Float;
        Log1p "log1p" Float;
        Sin "sin" Float;
        Cos "cos" Float;
        Tan "tan" Float;
        Arcsin "arcsin" Float;
        Arccos "arccos" Float;
        Arctan "arctan" Float;
        Sinh "sinh" Float;
        Cosh "cosh" Float;
        Tanh "tanh" Float;
        Arcsinh "arcsinh" Float;
        Arccosh "arccosh" Float;
        Arctanh "arctanh" Float;
        Deg2rad "deg2rad" Float;
        Rad2deg "rad2deg" Float;
        Isnan "isnan" Compare;
        Isinf "isinf" Compare;
        Isfinite "isfinite" Compare;
        Signbit "signbit" Compare;
        LogicalNot "logical_not" Logical;
        Invert "invert" Bits;
    }
}

/// The dtype that two operands meet in.
///
/// # Errors
/// `dtype` when they cannot meet.
pub fn common_dtype(a: &Array, b: &Array) -> Result<Dtype, Fault> {
    match (a.kind(), b.kind()) {
        (Kind::Python(_), Kind::Python(_)) => promote(a.dtype(), b.dtype()),
        (Kind::Python(weak), _) => promote_weak(b.dtype(), weak),
        (_, Kind::Python(weak)) => promote_weak(a.dtype(), weak),
        _ => promote(a.dtype(), b.dtype()),
    }
}

/// The dtype that several operands meet in.
///
/// # Errors
/// `dtype` when they cannot meet; `value` when there are none.
pub fn result_type(operands: &[Array]) -> Result<Dtype, Fault> {
    let is_python = |array: &&Array| matches!(array.kind(), Kind::Python(_));
    let mut strong = operands.iter().filter(|array| !is_python(array));
    let weakest = operands.iter().filter_map(|array| match array.kind() {
        Kind::Python(weak) => Some(weak),
        Kind::Array | Kind::Scalar => None,
    });
    let weak: Option<Weak> = weakest.max();
    match (strong.next(), weak) {
        (Some(first), weak) => {
            let dtype = strong.try_fold(first.dtype(), |dtype, array| promote(dtype, array.dtype()))?;
            weak.map_or(Ok(dtype), |weak| promote_weak(dtype, weak))
        }
        (None, Some(weak)) => Ok(weak_dtype(weak)),
        (None, None) => Err(Fault::new(Code::Value, "at least one array or dtype is required")),
    }
}

/// The shape that `a` and `b` broadcast to.
///
/// # Errors
/// `shape` when they do not.
pub fn broadcast_shapes(a: &[usize], b: &[usize]) -> Result<Vec<usize>, Fault> {
    let ndim = a.len().max(b.len());
    let extent = |shape: &[usize], axis: usize| (axis + shape.len()).checked_sub(ndim).map_or(1, |axis| shape[axis]);
    (0..ndim)
        .map(|axis| match (extent(a, axis), extent(b, axis)) {
            (x, y) if x == y => Ok(x),
            (1, y) => Ok(y),
            (x, 1) => Ok(x),
            _ => {
                let message = format!(
                    "operands could not be broadcast together with shapes {} and {}",
                    show_shape(a),
                    show_shape(b)
                );
                let hint = "trailing axes must be equal or 1; insert axes with x[:, None] or np.expand_dims";
                Err(Fault::new(Code::Shape, message).hint(hint))
            }
        })
        .collect()
}

/// An operand ready for a loop over `shape` in `dtype`: one element, or all of them.
fn operand(array: &Array, shape: &[usize], dtype: Dtype) -> Result<Rc<Node>, Fault> {
    if let (Kind::Python(_), Some(item)) = (array.kind(), array.snapshot_item()) {
        let out_of_range = matches!(item, Item::Int(_)) && dtype.is_integer();
        let buf = if out_of_range {
            item.store(dtype)?
        } else {
            buffer::cast(&item.store(array.dtype())?, array.dtype(), dtype)
        };
        return Ok(Node::ready(&[], dtype, buf));
    }
    if array.len() == 1 || array.shape() == shape {
        return Ok(array.snapshot());
    }
    Ok(array.broadcast_to(shape)?.snapshot())
}

/// Input data in `dtype` as native lanes.
fn lanes_in(held: &Rc<Held>, from: Dtype, dtype: Dtype) -> Cow<'_, Buf> {
    buffer::lanes_as(held, from, dtype)
}

/// The dtype in which a binary function computes, and that of its result.
fn binary_dtypes(op: Binary, a: &Array, b: &Array) -> Result<(Dtype, Dtype), Fault> {
    let common = common_dtype(a, b)?;
    if common.is_packed() {
        return Err(no_arithmetic(common));
    }
    if op == Binary::Subtract && common == Dtype::Bool {
        let message = "numpy boolean subtract, the `-` operator, is not supported";
        return Err(Fault::new(Code::Type, message).hint("use ^ or np.logical_xor"));
    }
    Ok(match op.rule() {
        Rule::Same => (common, common),
        Rule::Number if common == Dtype::Bool => (Dtype::I8, Dtype::I8),
        Rule::Number => (common, common),
        Rule::Float => (float_for(common), float_for(common)),
        Rule::Divide if common.is_integer() => (Dtype::F64, Dtype::F64),
        Rule::Divide => (common, common),
        Rule::Compare => (common, Dtype::Bool),
        Rule::Logical => (Dtype::Bool, Dtype::Bool),
        Rule::Bits if common.is_float() => return Err(no_bits(op.name(), common)),
        Rule::Bits => (common, common),
    })
}

/// The fault of a bit operation on floats.
fn no_bits(name: &str, dtype: Dtype) -> Fault {
    Fault::new(
        Code::Type,
        format!("ufunc '{name}' is not supported for {}", numpy_name(dtype)),
    )
    .hint("bit operations need integers; view the bits with .view(np.uint32)")
}

/// Whether a comparison of `array` with a Python integer that its dtype cannot hold has a known answer.
fn compares_out_of_range(a: &Array, b: &Array) -> bool {
    let (Kind::Python(_), Some(Item::Int(x))) = (b.kind(), b.snapshot_item().filter(|_| b.ndim() == 0)) else {
        return false;
    };
    promote::integer_range(a.dtype()).is_some_and(|(low, high)| a.dtype() != Dtype::Bool && !(low..=high).contains(&x))
}

/// `op(a, b)`.
///
/// # Errors
/// `shape`, `dtype` or `arithmetic` when the operands do not fit.
pub fn binary(op: Binary, a: &Array, b: &Array) -> Result<Array, Fault> {
    let (mut compute, result) = binary_dtypes(op, a, b)?;
    if op.rule() == Rule::Compare && (compares_out_of_range(a, b) || compares_out_of_range(b, a)) {
        compute = Dtype::F64;
    }
    let shape = broadcast_shapes(a.shape(), b.shape())?;
    let count = element_count(&shape)?;
    let (x, y) = (operand(a, &shape, compute)?, operand(b, &shape, compute)?);
    let (from_x, from_y) = (x.dtype(), y.dtype());
    let node = Node::lazy(&shape, result, vec![x, y], move |held| {
        let (x, y) = (lanes_in(&held[0], from_x, compute), lanes_in(&held[1], from_y, compute));
        Ok(buffer::store(loops::binary(op, &x, &y, count)?, result))
    });
    Ok(finish(Array::from_node(node), &[a, b]))
}

/// Results without dimensions are scalars, as in NumPy.
fn finish(array: Array, operands: &[&Array]) -> Array {
    if array.ndim() == 0 && operands.iter().all(|operand| operand.ndim() == 0) {
        array.into_scalar()
    } else {
        array
    }
}

/// The dtype in which a unary function computes, and that of its result.
fn unary_dtypes(op: Unary, dtype: Dtype) -> Result<(Dtype, Dtype), Fault> {
    if dtype.is_packed() {
        return Err(no_arithmetic(dtype));
    }
    if dtype == Dtype::Bool && matches!(op, Unary::Negative | Unary::Sign | Unary::Positive) {
        let message = format!("ufunc '{}' is not supported for bool", op.name());
        return Err(Fault::new(Code::Type, message).hint("use ~ or np.logical_not, or convert with astype"));
    }
    Ok(match op.rule() {
        Rule::Same | Rule::Divide => (dtype, dtype),
        Rule::Number if dtype == Dtype::Bool => (Dtype::I8, Dtype::I8),
        Rule::Number => (dtype, dtype),
        Rule::Float => (float_for(dtype), float_for(dtype)),
        Rule::Compare => (float_for(dtype), Dtype::Bool),
        Rule::Logical => (Dtype::Bool, Dtype::Bool),
        Rule::Bits if dtype.is_float() => return Err(no_bits(op.name(), dtype)),
        Rule::Bits => (dtype, dtype),
    })
}

/// `op(a)`.
///
/// # Errors
/// `type` or `dtype` when the function does not exist for this dtype.
pub fn unary(op: Unary, a: &Array) -> Result<Array, Fault> {
    let from = a.dtype();
    let (compute, result) = unary_dtypes(op, from)?;
    let array = Array::lazy(a.shape(), result, &[a], move |held| {
        Ok(buffer::store(
            loops::unary(op, &lanes_in(&held[0], from, compute))?,
            result,
        ))
    })?;
    Ok(finish(array, &[a]))
}

/// `np.clip(a, low, high)`; a missing bound does nothing.
///
/// # Errors
/// As [`binary`].
pub fn clip(a: &Array, low: Option<&Array>, high: Option<&Array>) -> Result<Array, Fault> {
    let mut out = a.clone();
    if promote::is_extension(a.dtype()) {
        out = a.astype(Dtype::F32)?;
    }
    if let Some(low) = low {
        out = binary(Binary::Maximum, &out, low)?;
    }
    if let Some(high) = high {
        out = binary(Binary::Minimum, &out, high)?;
    }
    Ok(out)
}

/// `np.where(condition, a, b)`.
///
/// # Errors
/// `shape` or `dtype` when the operands do not fit.
pub fn select(condition: &Array, a: &Array, b: &Array) -> Result<Array, Fault> {
    let dtype = common_dtype(a, b)?;
    let shape = broadcast_shapes(condition.shape(), &broadcast_shapes(a.shape(), b.shape())?)?;
    let condition = condition.astype(Dtype::Bool)?.broadcast_to(&shape)?;
    let cast = |array: &Array| -> Result<Array, Fault> {
        let node = operand(array, &shape, dtype)?;
        Array::from_node(node).astype(dtype)?.broadcast_to(&shape)
    };
    let (a, b) = (cast(a)?, cast(b)?);
    Array::lazy(&shape, dtype, &[&condition, &a, &b], |held| {
        let chosen = held[0].typed::<bool>()?;
        buffer::with_buf!(&**held[1], x => loops::select(chosen, x, &held[2]))
    })
}

/// `np.round(a, decimals)`.
///
/// # Errors
/// As [`binary`].
pub fn round(a: &Array, decimals: i32) -> Result<Array, Fault> {
    if a.dtype().is_integer() && decimals >= 0 {
        return Ok(a.copy());
    }
    if decimals == 0 {
        return unary(Unary::Rint, a);
    }
    let scale = Array::python(Item::Float(double::pow(10.0, f64::from(decimals.abs()))))?;
    let (up, down) = if decimals > 0 {
        (Binary::Multiply, Binary::Divide)
    } else {
        (Binary::Divide, Binary::Multiply)
    };
    binary(down, &unary(Unary::Rint, &binary(up, a, &scale)?)?, &scale)
}
