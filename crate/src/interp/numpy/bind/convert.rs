//! Values of the interpreter to arrays, dtypes, shapes and subscripts, and back.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::dtype::DtypeObject;
use super::ndarray::NdArray;
use super::session::{host, raised};
use crate::interp::Interp;
use crate::interp::builtin::{Args, plain_type_name};
use crate::interp::numpy::array::{Array, Item, Kind};
use crate::interp::numpy::create::{self, Nested};
use crate::interp::numpy::index::Index;
use crate::interp::numpy::node::{Demand, Node};
use crate::interp::numpy::promote::Weak;
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::numerics::dtype::Dtype;

/// A launch number that no launch has: its output stays unknown.
const NO_LAUNCH: u32 = u32::MAX;

/// The host array that a value is.
pub fn as_array(value: &Value) -> Option<Array> {
    value.downcast::<NdArray>().map(|array| array.0.clone())
}

/// A value for a host array.
pub fn array_value(array: Array) -> Value {
    Value::native(NdArray(array))
}

/// The storage bytes of an array: row-major, little endian.
///
/// # Errors
/// Suspends while values are missing.
pub fn to_bytes(cx: &mut Interp, array: &Array) -> Result<Vec<u8>> {
    let host = host(cx);
    Ok(array.to_bytes(&host)?)
}

/// A Python number.
pub fn item_value(item: Item) -> Value {
    match item {
        Item::Bool(x) => Value::Bool(x),
        Item::Int(x) => i64::try_from(x).map_or_else(|_| Value::integer(BigInt::from(x)), Value::Int),
        Item::Float(x) => Value::Float(x),
    }
}

/// A number that is not computed, as an operand.
fn unknown() -> Array {
    Array::from_node(Node::launch(&[], Dtype::F64, NO_LAUNCH, 0)).into_python(Weak::Float)
}

/// A Python number as an item.
pub fn item_of(value: &Value) -> Option<Item> {
    Some(match value {
        Value::Bool(x) => Item::Bool(*x),
        Value::Int(x) => Item::Int(i128::from(*x)),
        Value::Big(x) => x
            .to_i128()
            .map_or_else(|| Item::Float(x.to_f64().unwrap_or(f64::INFINITY)), Item::Int),
        Value::Float(x) => Item::Float(*x),
        Value::Instance(_) => Item::Int(i128::from(value.as_int()?)),
        _ => return None,
    })
}

/// An operand of an array function: an array, a number, or a nested sequence.
///
/// # Errors
/// `TypeError` for anything else.
pub fn operand(cx: &mut Interp, value: &Value) -> Result<Array> {
    if let Some(array) = as_array(value) {
        return Ok(array);
    }
    if let Some(item) = item_of(value) {
        return Array::python(item).map_err(raised);
    }
    if matches!(value, Value::Unknown) {
        return Ok(unknown());
    }
    let nested = nested(cx, value)?;
    create::array(&nested, None).map_err(raised)
}

/// An operand that must be an array: Python numbers get their own dtype.
///
/// # Errors
/// As [`operand`].
pub fn array_operand(cx: &mut Interp, value: &Value) -> Result<Array> {
    let array = operand(cx, value)?;
    Ok(if matches!(array.kind(), Kind::Python(_)) {
        array.into_array()
    } else {
        array
    })
}

/// A nested sequence.
///
/// # Errors
/// `TypeError` for values that are no numbers.
pub fn nested(cx: &mut Interp, value: &Value) -> Result<Nested> {
    nested_within(cx, value, MAX_DIMENSIONS)
}

/// Dimensions of an array at most, as in NumPy; a list that contains itself has more.
const MAX_DIMENSIONS: usize = 64;

/// [`nested`] with at most `depth` lists inside of each other.
fn nested_within(cx: &mut Interp, value: &Value, depth: usize) -> Result<Nested> {
    if let Some(array) = as_array(value) {
        return Ok(Nested::Array(array));
    }
    if let Some(item) = item_of(value) {
        return Ok(Nested::Item(item));
    }
    match value {
        Value::Unknown => Ok(Nested::Array(unknown().into_array())),
        Value::List(_) | Value::Tuple(_) | Value::Range(_) => {
            let Some(depth) = depth.checked_sub(1) else {
                return Err(Raised::value_error(format!(
                    "the lists are nested deeper than {MAX_DIMENSIONS}, the dimensions of an array at most"
                ))
                .hint("does a list contain itself?"));
            };
            let parts = cx.collect(value)?;
            cx.step(parts.len() as u64)?;
            Ok(Nested::List(
                parts
                    .iter()
                    .map(|part| nested_within(cx, part, depth))
                    .collect::<Result<_>>()?,
            ))
        }
        Value::Native(object) => match object.number(cx)? {
            Some(number) => nested_within(cx, &number, depth),
            None => Err(no_array(value)),
        },
        _ => Err(no_array(value)),
    }
}

/// The error for a value that cannot become an array.
fn no_array(value: &Value) -> Raised {
    Raised::type_error(format!(
        "cannot make an array of a value of type {}",
        plain_type_name(value)
    ))
    .hint("arrays are made of numbers, or of lists and tuples of numbers")
}

/// The dtype that a value is: a dtype object, a scalar class, or a name.
pub fn dtype_of(value: &Value) -> Option<Dtype> {
    if let Some(object) = value.downcast::<DtypeObject>() {
        return Some(object.dtype);
    }
    match value {
        Value::Str(name) => dtype_named(name),
        Value::Class(class) => match &*class.name {
            "int" => Some(Dtype::I64),
            "float" => Some(Dtype::F64),
            "bool" => Some(Dtype::Bool),
            _ => None,
        },
        _ => None,
    }
}

/// A dtype by name (`float32`), type code (`f4`, `<f4`) or Python type name.
fn dtype_named(name: &str) -> Option<Dtype> {
    let short = name.trim_start_matches(['<', '=', '|']);
    let codes = [
        ("i1", Dtype::I8),
        ("i2", Dtype::I16),
        ("i4", Dtype::I32),
        ("i8", Dtype::I64),
        ("u1", Dtype::U8),
        ("u2", Dtype::U16),
        ("u4", Dtype::U32),
        ("u8", Dtype::U64),
        ("f2", Dtype::F16),
        ("f4", Dtype::F32),
        ("f8", Dtype::F64),
        ("b1", Dtype::Bool),
        ("?", Dtype::Bool),
        ("int", Dtype::I64),
        ("float", Dtype::F64),
        ("f", Dtype::F32),
        ("d", Dtype::F64),
        ("e", Dtype::F16),
        ("half", Dtype::F16),
        ("single", Dtype::F32),
        ("double", Dtype::F64),
        ("uint", Dtype::U64),
    ];
    codes
        .iter()
        .find(|(code, _)| *code == short)
        .map(|(_, dtype)| *dtype)
        .or_else(|| Dtype::from_name(short))
}

/// Parameter `at` as a dtype, if it was passed.
///
/// # Errors
/// `TypeError` when it is no dtype.
pub fn dtype_arg(args: &Args, at: usize) -> Result<Option<Dtype>> {
    match args.some(at) {
        None => Ok(None),
        Some(value) => match dtype_of(value) {
            Some(dtype) => Ok(Some(dtype)),
            None => Err(args.wrong(at, "a dtype such as np.float32")),
        },
    }
}

/// An integer, also from a NumPy scalar.
///
/// # Errors
/// `TypeError` for anything else; suspends for unknown values.
pub fn integer(cx: &mut Interp, value: &Value) -> Result<i64> {
    let number = match value {
        Value::Native(object) => object.number(cx)?.unwrap_or(Value::None),
        other => other.clone(),
    };
    if matches!(number, Value::Unknown) {
        return Err(Raised::suspend("an integer is needed whose value is not computed"));
    }
    number.as_int().ok_or_else(|| {
        Raised::type_error(format!(
            "'{}' object cannot be interpreted as an integer",
            plain_type_name(value)
        ))
    })
}

/// A float, also from a NumPy scalar.
///
/// # Errors
/// `TypeError` for anything else; suspends for unknown values.
pub fn float(cx: &mut Interp, value: &Value) -> Result<f64> {
    let number = match value {
        Value::Native(object) => object.number(cx)?.unwrap_or(Value::None),
        other => other.clone(),
    };
    if matches!(number, Value::Unknown) {
        return Err(Raised::suspend("a number is needed whose value is not computed"));
    }
    number
        .as_float()
        .ok_or_else(|| Raised::type_error(format!("must be a real number, not {}", plain_type_name(value))))
}

/// Whether a value is a sequence of several.
pub fn is_sequence(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Tuple(_) | Value::Range(_))
        || as_array(value).is_some_and(|array| array.ndim() > 0)
}

/// Integers of a number or a sequence of numbers.
///
/// # Errors
/// As [`integer`].
pub fn integers(cx: &mut Interp, value: &Value) -> Result<Vec<i64>> {
    if !is_sequence(value) {
        return Ok(vec![integer(cx, value)?]);
    }
    cx.collect(value)?.iter().map(|item| integer(cx, item)).collect()
}

/// A shape: a number or a sequence of numbers, none negative.
///
/// # Errors
/// `ValueError` for negative extents.
pub fn shape(cx: &mut Interp, value: &Value) -> Result<Vec<usize>> {
    let extents = integers(cx, value)?;
    extents
        .into_iter()
        .map(|extent| {
            usize::try_from(extent)
                .map_err(|_| Raised::value_error(format!("negative dimensions are not allowed: {extent}")))
        })
        .collect()
}

/// Parameter `at` as axes: none, one or several.
///
/// # Errors
/// As [`integer`].
pub fn axes_arg(cx: &mut Interp, args: &Args, at: usize) -> Result<Option<Vec<isize>>> {
    match args.some(at).cloned() {
        None => Ok(None),
        Some(value) => Ok(Some(
            integers(cx, &value)?.into_iter().map(|axis| axis as isize).collect(),
        )),
    }
}

/// Parameter `at` as one axis, or `default` when it was not passed; an explicit `None` is none.
///
/// # Errors
/// As [`integer`].
pub fn axis_arg(cx: &mut Interp, args: &Args, at: usize, default: Option<isize>) -> Result<Option<isize>> {
    match args.get(at).cloned() {
        None => Ok(default),
        Some(Value::None) => Ok(None),
        Some(value) => Ok(Some(integer(cx, &value)? as isize)),
    }
}

/// An entry of a slice: an integer or nothing.
fn bound(cx: &mut Interp, value: &Value) -> Result<Option<i128>> {
    if value.is_none() {
        Ok(None)
    } else {
        Ok(Some(i128::from(integer(cx, value)?)))
    }
}

/// A subscript.
///
/// # Errors
/// `IndexError` for values that cannot index.
pub fn indices(cx: &mut Interp, value: &Value) -> Result<Vec<Index>> {
    let entries = match value {
        Value::Tuple(items) => items.to_vec(),
        other => vec![other.clone()],
    };
    entries.iter().map(|entry| index(cx, entry)).collect()
}

/// One entry of a subscript.
fn index(cx: &mut Interp, value: &Value) -> Result<Index> {
    match value {
        Value::None => Ok(Index::NewAxis),
        Value::Ellipsis => Ok(Index::Ellipsis),
        Value::Slice(slice) => {
            let step = bound(cx, &slice.step)?;
            Ok(Index::Slice(bound(cx, &slice.start)?, bound(cx, &slice.stop)?, step))
        }
        Value::Int(number) => Ok(Index::Int(i128::from(*number))),
        Value::Unknown => Err(Raised::suspend("an index is needed whose value is not computed")),
        _ => match as_array(value) {
            Some(array) if array.ndim() == 0 && array.dtype() != Dtype::Bool && array.dtype().is_integer() => {
                Ok(Index::Int(i128::from(integer(cx, value)?)))
            }
            Some(array) => Ok(Index::Array(array)),
            None if is_sequence(value) || matches!(value, Value::Bool(_)) => {
                Ok(Index::Array(sequence_index(cx, value)?))
            }
            None => match value {
                Value::Native(_) => Ok(Index::Int(i128::from(integer(cx, value)?))),
                _ => Err(Raised::index_error(format!(
                    "only integers, slices, '...', None and integer or boolean arrays are indices, not {}",
                    plain_type_name(value)
                ))),
            },
        },
    }
}

/// A list of positions or truth values; an empty list selects nothing.
fn sequence_index(cx: &mut Interp, value: &Value) -> Result<Array> {
    let array = array_operand(cx, value)?;
    if array.is_empty() {
        array.astype(Dtype::I64).map_err(raised)
    } else {
        Ok(array)
    }
}

/// The elements as nested lists of Python numbers.
///
/// # Errors
/// Suspends while values are missing.
pub fn to_list(cx: &mut Interp, array: &Array) -> Result<Value> {
    cx.check_items(array.len())?;
    let host = host(cx);
    let items = match array.items(&host) {
        Ok(items) => items.into_iter().map(item_value).collect(),
        Err(Demand::Unknown) => vec![Value::Unknown; array.len()],
        Err(other) => return Err(other.into()),
    };
    Ok(nest(&items, array.shape()))
}

/// Cuts flat values into nested lists.
fn nest(items: &[Value], shape: &[usize]) -> Value {
    match shape {
        [] => items.first().cloned().unwrap_or(Value::None),
        [_] => Value::list(items.to_vec()),
        [extent, inner @ ..] => {
            let size: usize = inner.iter().product();
            Value::list(
                (0..*extent)
                    .map(|i| nest(&items[i * size..(i + 1) * size], inner))
                    .collect(),
            )
        }
    }
}
