//! The one place where a Python value becomes an argument of an instruction.

use crate::interp::Interp;
use crate::interp::builtin::plain_type_name;
use crate::interp::nki::member::Member;
use crate::interp::nki::register::VirtualRegister;
use crate::interp::nki::tensor::NkiTensor;
use crate::interp::numpy::bind::ufunc::Ufunc;
use crate::interp::numpy::{dtype_of as numpy_dtype, dtype_value as numpy_dtype_value};
use crate::interp::raised::Result;
use crate::interp::value::Value;
use crate::isa::args::Arg;
use crate::numerics::dtype::Dtype;

/// The argument that `value` is. A scalar that an estimate does not compute becomes 0: times never depend on values.
///
/// # Errors
/// A tensor of another launch, or a host scalar that must be computed first.
pub fn arg(cx: &mut Interp, value: &Value) -> Result<Arg> {
    Ok(match value {
        Value::None => Arg::None,
        Value::Bool(truth) => Arg::Bool(*truth),
        Value::Int(number) => Arg::Int(*number),
        Value::Float(number) => Arg::Float(*number),
        Value::Unknown => Arg::Float(0.0),
        Value::Str(text) => Arg::Str(text.clone()),
        Value::Builtin(row) => Arg::Function(row.name),
        Value::Tuple(_) | Value::List(_) => {
            let items = value.as_items().unwrap_or_default();
            Arg::List(items.iter().map(|item| arg(cx, item)).collect::<Result<_>>()?)
        }
        Value::Native(_) => native(cx, value)?,
        other => Arg::Other(plain_type_name(other).into()),
    })
}

/// The argument that a native object is.
fn native(cx: &mut Interp, value: &Value) -> Result<Arg> {
    if let Some(tensor) = value.downcast::<NkiTensor>() {
        return tensor.view(cx).map(Arg::Tensor);
    }
    if let Some(member) = value.downcast::<Member>() {
        return Ok(Arg::Member(member.class, member.name));
    }
    if let Some(register) = value.downcast::<VirtualRegister>() {
        return Ok(Arg::Register(register.id));
    }
    if let Some(dtype) = dtype_of(value) {
        return Ok(Arg::Dtype(dtype));
    }
    if let Some(name) = value.downcast::<Ufunc>().and_then(Ufunc::function_name) {
        return Ok(Arg::Function(operator_name(name)));
    }
    let Value::Native(object) = value else {
        return Ok(Arg::Other("object".into()));
    };
    Ok(match object.clone().number(cx)? {
        Some(Value::Int(number)) => Arg::Int(number),
        Some(Value::Float(number)) => Arg::Float(number),
        Some(Value::Bool(truth)) => Arg::Bool(truth),
        Some(_) => Arg::Float(0.0),
        None => Arg::Other(object.type_name().into()),
    })
}

/// NKI's name of an operator that NumPy calls otherwise.
fn operator_name(name: &'static str) -> &'static str {
    match name {
        "absolute" => "abs",
        "remainder" => "mod",
        other => other,
    }
}

/// The dtype that a value is: a dtype object, a NumPy scalar class, or a name.
pub fn dtype_of(value: &Value) -> Option<Dtype> {
    numpy_dtype(value)
}

/// The value of a dtype; one kind of object serves NumPy and NKI.
pub fn dtype_value(dtype: Dtype) -> Value {
    numpy_dtype_value(dtype)
}
