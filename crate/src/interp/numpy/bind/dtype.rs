//! Dtype objects: one kind serves `np.float32`, `np.dtype("float32")`, `nl.float32` and `ml_dtypes.bfloat16`.

use super::convert::{array_value, dtype_of, nested, operand};
use super::session::raised;
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::CallArgs;
use crate::interp::native::{Answer, NativeObject};
use crate::interp::numpy::array::{Array, Item, Kind};
use crate::interp::numpy::create;
use crate::interp::numpy::math::result_type;
use crate::interp::numpy::promote::{can_store, integer_range, is_extension, numpy_name};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::numerics::dtype::{Class, Dtype, Flavour};
use crate::syntax::ast::CompareOp;

/// A dtype, or the scalar class of it: calling it makes a scalar.
pub struct DtypeObject {
    /// The format.
    pub dtype: Dtype,
    /// Whether it shows as a class.
    pub is_class: bool,
}

/// The value of a dtype.
pub fn dtype_value(dtype: Dtype) -> Value {
    Value::native(DtypeObject { dtype, is_class: false })
}

/// The scalar class of a dtype.
pub fn class_value(dtype: Dtype) -> Value {
    Value::native(DtypeObject { dtype, is_class: true })
}

/// NumPy's one-letter kind.
fn kind(dtype: Dtype) -> &'static str {
    match dtype.info().class {
        Class::Bool => "b",
        Class::Signed => "i",
        Class::Unsigned => "u",
        Class::Float(_) if !is_extension(dtype) => "f",
        Class::Float(_) | Class::Packed => "V",
    }
}

impl NativeObject for DtypeObject {
    fn type_name(&self) -> &str {
        if self.is_class { "type" } else { "dtype" }
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        Ok(Some(match name {
            "name" | "__name__" => Value::str(numpy_name(self.dtype)),
            "itemsize" => Value::Int(i64::from(self.dtype.bytes())),
            "kind" => Value::str(kind(self.dtype)),
            "type" => class_value(self.dtype),
            _ => return Ok(None),
        }))
    }

    fn attribute_names(&self) -> Vec<String> {
        ["name", "itemsize", "kind", "type"].map(str::to_owned).to_vec()
    }

    fn call(&self, cx: &mut Interp, args: CallArgs) -> Answer {
        if let Some((name, arg)) = args.keywords.first() {
            let message = format!("{}() takes no keyword argument '{name}'", numpy_name(self.dtype));
            return Err(Raised::argument_error(message).at(arg.span));
        }
        let Some(arg) = args.positional.first() else {
            return Ok(Some(array_value(
                Array::scalar(Item::Int(0), self.dtype).map_err(raised)?,
            )));
        };
        if let Some(text) = arg.value.as_str() {
            let parsed = text.trim().parse::<f64>();
            let number =
                parsed.map_err(|_| Raised::value_error(format!("could not convert string to float: '{text}'")))?;
            return Ok(Some(array_value(
                Array::scalar(Item::Float(number), self.dtype).map_err(raised)?,
            )));
        }
        let made = create::array(&nested(cx, &arg.value)?, Some(self.dtype)).map_err(raised)?;
        Ok(Some(array_value(made.into_scalar())))
    }

    fn compare(&self, _cx: &mut Interp, op: CompareOp, other: &Value) -> Answer {
        let equal = dtype_of(other) == Some(self.dtype);
        Ok(match op {
            CompareOp::Eq => Some(Value::Bool(equal)),
            CompareOp::Ne => Some(Value::Bool(!equal)),
            _ => None,
        })
    }

    fn key(&self) -> Option<String> {
        Some(format!("dtype {}", self.dtype.name()))
    }

    fn repr(&self, _cx: &mut Interp) -> Result<String> {
        let name = numpy_name(self.dtype);
        let module = if is_extension(self.dtype) { "ml_dtypes" } else { "numpy" };
        Ok(match (self.is_class, is_extension(self.dtype)) {
            (true, _) => format!("<class '{module}.{name}'>"),
            (false, true) => format!("dtype({name})"),
            (false, false) => format!("dtype('{name}')"),
        })
    }

    fn str(&self, cx: &mut Interp) -> Result<String> {
        if self.is_class {
            self.repr(cx)
        } else {
            Ok(numpy_name(self.dtype).to_owned())
        }
    }

    fn is_a(&self, type_name: &str) -> bool {
        type_name == "dtype" || type_name == "type" && self.is_class
    }

    fn has_instance(&self, _cx: &mut Interp, value: &Value) -> Option<bool> {
        let scalar = super::convert::as_array(value).filter(|array| array.kind() == Kind::Scalar);
        Some(scalar.is_some_and(|array| array.dtype() == self.dtype))
    }
}

/// An abstract class of scalars: `np.floating`, `np.integer`.
pub struct Abstract(pub &'static str);

impl Abstract {
    /// Whether scalars of `dtype` belong to it.
    fn covers(&self, dtype: Dtype) -> bool {
        let class = dtype.info().class;
        match self.0 {
            "generic" => true,
            "number" => class != Class::Bool,
            "floating" | "inexact" => matches!(class, Class::Float(_)) && !is_extension(dtype),
            "integer" => matches!(class, Class::Signed | Class::Unsigned),
            "signedinteger" => class == Class::Signed,
            "unsignedinteger" => class == Class::Unsigned,
            _ => false,
        }
    }
}

impl NativeObject for Abstract {
    fn type_name(&self) -> &str {
        "type"
    }

    fn repr(&self, _cx: &mut Interp) -> Result<String> {
        Ok(format!("<class 'numpy.{}'>", self.0))
    }

    fn call(&self, cx: &mut Interp, args: CallArgs) -> Answer {
        let row = super::making::MAKING.iter().find(|row| row.name == self.0);
        row.map(|row| cx.call(&Value::Builtin(row), args)).transpose()
    }

    fn has_instance(&self, _cx: &mut Interp, value: &Value) -> Option<bool> {
        let array = super::convert::as_array(value);
        Some(match self.0 {
            "ndarray" => array.is_some_and(|array| array.kind() == Kind::Array),
            _ => array.is_some_and(|array| array.kind() == Kind::Scalar && self.covers(array.dtype())),
        })
    }
}

/// Facts about a format: `np.finfo`, `np.iinfo`.
struct Info {
    name: &'static str,
    entries: Vec<(&'static str, Value)>,
}

impl NativeObject for Info {
    fn type_name(&self) -> &str {
        self.name
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        Ok(self
            .entries
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.clone()))
    }

    fn attribute_names(&self) -> Vec<String> {
        self.entries.iter().map(|(name, _)| (*name).to_owned()).collect()
    }
}

/// `np.finfo(dtype)`.
fn float_info(dtype: Dtype) -> Result<Value> {
    let Class::Float(format) = dtype.info().class else {
        let message = format!("data type {} is not a float", numpy_name(dtype));
        return Err(Raised::value_error(message).hint("use np.iinfo for integers"));
    };
    let power = crate::numerics::real::power_of_two;
    let scalar = |x: f64| Array::scalar(Item::Float(x), dtype).map(array_value).map_err(raised);
    let eps = power(-(format.mantissa_bits as i32));
    // The `fn` formats use the top exponent for numbers; only its last pattern is NaN.
    let (reserved, gap) = match format.flavour {
        Flavour::Ieee | Flavour::Scale => (1, eps),
        Flavour::FiniteNan => (0, 2.0 * eps),
        Flavour::Finite => (0, eps),
    };
    let max = (2.0 - gap) * power((1 << format.exponent_bits) - 1 - reserved - format.bias);
    let tiny = power(1 - format.bias);
    let entries = vec![
        ("dtype", dtype_value(dtype)),
        ("bits", Value::Int(i64::from(dtype.bytes()) * 8)),
        ("eps", scalar(eps)?),
        ("max", scalar(max)?),
        ("min", scalar(-max)?),
        ("tiny", scalar(tiny)?),
        ("smallest_normal", scalar(tiny)?),
        ("smallest_subnormal", scalar(tiny * eps)?),
    ];
    Ok(Value::native(Info { name: "finfo", entries }))
}

/// `np.iinfo(dtype)`.
fn integer_info(dtype: Dtype) -> Result<Value> {
    let Some((min, max)) = integer_range(dtype) else {
        let message = format!("data type {} is not an integer", numpy_name(dtype));
        return Err(Raised::value_error(message).hint("use np.finfo for floats"));
    };
    let number = |x: i128| super::convert::item_value(Item::Int(x));
    let entries = vec![
        ("dtype", dtype_value(dtype)),
        ("bits", Value::Int(i64::from(dtype.bytes()) * 8)),
        ("min", number(min)),
        ("max", number(max)),
    ];
    Ok(Value::native(Info { name: "iinfo", entries }))
}

/// The dtype of an argument that is a dtype, or has one.
fn dtype_like(cx: &mut Interp, value: &Value) -> Result<Dtype> {
    match dtype_of(value) {
        Some(dtype) => Ok(dtype),
        None => Ok(operand(cx, value)?.dtype()),
    }
}

builtin! {
    /// Functions about dtypes.
    pub DTYPES;
    /// The dtype that a name, class or dtype stands for.
    "dtype" "(dtype)" => |_cx, args| {
        match dtype_of(args.value(0)) {
            Some(dtype) => Ok(dtype_value(dtype)),
            None => Err(args.wrong(0, "the name of a dtype, or a dtype")),
        }
    };
    /// Range and precision of a float format.
    "finfo" "(dtype)" => |cx, args| {
        let value = args.value(0).clone();
        float_info(dtype_like(cx, &value)?)
    };
    /// Range of an integer format.
    "iinfo" "(type)" => |cx, args| {
        let value = args.value(0).clone();
        integer_info(dtype_like(cx, &value)?)
    };
    /// The dtype that operands meet in.
    "result_type" "(*arrays_and_dtypes)" => |cx, args| {
        let mut operands = Vec::new();
        for arg in args.rest().to_vec() {
            operands.push(match dtype_of(&arg.value) {
                Some(dtype) => create::zeros(&[], dtype).map_err(raised)?,
                None => operand(cx, &arg.value)?,
            });
        }
        result_type(&operands).map(dtype_value).map_err(raised)
    };
    /// The dtype that two dtypes meet in.
    "promote_types" "(type1, type2)" => |cx, args| {
        let (a, b) = (args.value(0).clone(), args.value(1).clone());
        let (a, b) = (dtype_like(cx, &a)?, dtype_like(cx, &b)?);
        crate::interp::numpy::promote::promote(a, b).map(dtype_value).map_err(raised)
    };
    /// Whether a dtype belongs to a class of dtypes.
    "issubdtype" "(arg1, arg2)" => |cx, args| {
        let value = args.value(0).clone();
        let dtype = dtype_like(cx, &value)?;
        Ok(Value::Bool(match args.value(1).downcast::<Abstract>() {
            Some(class) => class.covers(dtype),
            None => dtype_of(args.value(1)) == Some(dtype),
        }))
    };
    /// Whether values of one dtype may be stored in another without losing their kind.
    "can_cast" "(from_, to, casting='safe')" => |cx, args| {
        let value = args.value(0).clone();
        let from = dtype_like(cx, &value)?;
        let Some(to) = dtype_of(args.value(1)) else { return Err(args.wrong(1, "a dtype")) };
        match args.str_or(2, "safe")? {
            "no" | "equiv" => Ok(Value::Bool(from == to)),
            "same_kind" => Ok(Value::Bool(can_store(from, to))),
            "unsafe" => Ok(Value::Bool(true)),
            _ => Ok(Value::Bool(crate::interp::numpy::promote::promote(from, to) == Ok(to))),
        }
    };
}
