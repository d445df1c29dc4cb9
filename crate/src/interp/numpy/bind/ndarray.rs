//! `ndarray` and NumPy scalars as objects of the interpreter.

use super::convert::{array_value, indices, item_value, operand};
use super::dtype::dtype_value;
use super::methods::METHODS;
use super::session::{host, raised};
use super::shared::SHARED;
use crate::interp::Interp;
use crate::interp::builtin::Builtin;
use crate::interp::native::{Answer, Items, NativeObject, PyIterator};
use crate::interp::numpy::array::{Array, Kind};
use crate::interp::numpy::index::{self, Index};
use crate::interp::numpy::math::{self, Binary, Unary};
use crate::interp::numpy::node::{Demand, show_shape};
use crate::interp::numpy::promote::numpy_name;
use crate::interp::numpy::{linalg, print, shape};
use crate::interp::py::format::repr_float;
use crate::interp::raised::{Raised, Result};
use crate::interp::value::{Bound, Value};
use crate::numerics::dtype::Dtype;
use crate::syntax::ast::{BinaryOp, CompareOp, UnaryOp};

/// A host array, or a NumPy scalar.
pub struct NdArray(pub Array);

/// The universal function of an operator; `@` has none.
fn function_of(op: BinaryOp) -> Option<Binary> {
    Some(match op {
        BinaryOp::Add => Binary::Add,
        BinaryOp::Sub => Binary::Subtract,
        BinaryOp::Mul => Binary::Multiply,
        BinaryOp::Div => Binary::Divide,
        BinaryOp::FloorDiv => Binary::FloorDivide,
        BinaryOp::Mod => Binary::Remainder,
        BinaryOp::Pow => Binary::Power,
        BinaryOp::LeftShift => Binary::LeftShift,
        BinaryOp::RightShift => Binary::RightShift,
        BinaryOp::BitOr => Binary::BitwiseOr,
        BinaryOp::BitXor => Binary::BitwiseXor,
        BinaryOp::BitAnd => Binary::BitwiseAnd,
        BinaryOp::MatMul => return None,
    })
}

/// Whether arithmetic with `other` is arithmetic of arrays.
fn is_operand(other: &Value) -> bool {
    matches!(
        other,
        Value::Int(_)
            | Value::Bool(_)
            | Value::Float(_)
            | Value::Big(_)
            | Value::Unknown
            | Value::List(_)
            | Value::Tuple(_)
    ) || other.downcast::<NdArray>().is_some()
}

impl NdArray {
    fn operate(&self, cx: &mut Interp, op: BinaryOp, other: &Value, reflected: bool) -> Result<Option<Array>> {
        if !is_operand(other) {
            return Ok(None);
        }
        let other = operand(cx, other)?;
        let (a, b) = if reflected {
            (&other, &self.0)
        } else {
            (&self.0, &other)
        };
        let made = match function_of(op) {
            Some(function) => math::binary(function, a, b),
            None => linalg::matmul(a, b),
        };
        made.map(Some).map_err(raised)
    }

    /// The only element as a Python number; `Unknown` in estimate mode.
    fn scalar_value(&self, cx: &mut Interp) -> Result<Value> {
        let host = host(cx);
        match self.0.item(&host) {
            Ok(item) => Ok(item_value(item)),
            Err(Demand::Unknown) => Ok(Value::Unknown),
            Err(other) => Err(other.into()),
        }
    }

    fn text(&self, cx: &mut Interp, repr: bool) -> Result<String> {
        let host = host(cx);
        let text = if repr {
            print::repr(&self.0, &host)
        } else {
            print::show(&self.0, &host)
        };
        match text {
            Err(Demand::Unknown) if self.0.ndim() == 0 => Ok("?".into()),
            Err(Demand::Unknown) => Ok(print::show_unknown(&self.0)),
            other => Ok(other?),
        }
    }

    /// Attributes that are no methods.
    fn attribute(&self, name: &str) -> Result<Option<Value>> {
        let array = &self.0;
        let bytes = i64::from(array.dtype().bytes());
        Ok(Some(match name {
            "shape" => Value::shape(array.shape()),
            "dtype" => dtype_value(array.dtype()),
            "ndim" => Value::from(array.ndim()),
            "size" => Value::from(array.len()),
            "itemsize" => Value::Int(bytes),
            "nbytes" => Value::Int(array.len() as i64 * bytes),
            "strides" => Value::tuple(
                array
                    .strides()
                    .iter()
                    .map(|&s| Value::Int(s as i64 * bytes))
                    .collect::<Vec<_>>(),
            ),
            "T" => array_value(shape::transpose(array, None).map_err(raised)?),
            "mT" => array_value(shape::swapaxes(array, -1, -2).map_err(raised)?),
            "real" => array_value(array.clone()),
            "flat" => array_value(array.reshape(&[array.len()]).map_err(raised)?),
            _ => return Ok(None),
        }))
    }
}

/// Names of attributes that are no methods.
const ATTRIBUTES: [&str; 11] = [
    "shape", "dtype", "ndim", "size", "itemsize", "nbytes", "strides", "T", "mT", "real", "flat",
];

impl NativeObject for NdArray {
    fn type_name(&self) -> &str {
        if self.0.kind() == Kind::Array {
            "ndarray"
        } else {
            numpy_name(self.0.dtype())
        }
    }

    fn methods(&self) -> &'static [Builtin] {
        SHARED
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        if let Some(row) = METHODS.iter().find(|row| row.name == name) {
            let receiver = array_value(self.0.clone());
            return Ok(Some(Value::Bound(std::rc::Rc::new(Bound {
                receiver,
                function: Value::Builtin(row),
            }))));
        }
        self.attribute(name)
    }

    fn setattr(&self, _cx: &mut Interp, name: &str, _value: Value) -> Result<bool> {
        if ATTRIBUTES.contains(&name) {
            let raised = Raised::attribute_error(format!("attribute '{name}' of an array cannot be set"));
            return Err(raised.hint("use reshape, astype or view, which give a new array"));
        }
        Ok(false)
    }

    fn attribute_names(&self) -> Vec<String> {
        ATTRIBUTES
            .iter()
            .copied()
            .chain(METHODS.iter().map(|row| row.name))
            .map(str::to_owned)
            .collect()
    }

    fn getitem(&self, cx: &mut Interp, index: &Value) -> Answer {
        let entries = indices(cx, index)?;
        let host = host(cx);
        match index::get(&self.0, &entries, &host) {
            Ok(array) => Ok(Some(array_value(array))),
            Err(Demand::Unknown) => {
                let text =
                    "the shape of an array indexed by a mask depends on values, which estimate mode does not compute";
                Err(Raised::suspend(text))
            }
            Err(other) => Err(other.into()),
        }
    }

    fn setitem(&self, cx: &mut Interp, index: &Value, value: &Value) -> Result<bool> {
        if self.0.kind() != Kind::Array {
            return Ok(false);
        }
        let entries = indices(cx, index)?;
        let value = operand(cx, value)?;
        let host = host(cx);
        index::set(&self.0, &entries, &value, &host)?;
        Ok(true)
    }

    fn binary(&self, cx: &mut Interp, op: BinaryOp, other: &Value, reflected: bool) -> Answer {
        Ok(self.operate(cx, op, other, reflected)?.map(array_value))
    }

    fn in_place(&self, cx: &mut Interp, op: BinaryOp, other: &Value) -> Answer {
        if self.0.kind() != Kind::Array {
            return Ok(None);
        }
        let Some(result) = self.operate(cx, op, other, false)? else {
            return Ok(None);
        };
        if result.shape() != self.0.shape() {
            let message = format!(
                "non-broadcastable output operand with shape {} does not match the result {}",
                show_shape(self.0.shape()),
                show_shape(result.shape())
            );
            return Err(Raised::value_error(message));
        }
        self.0
            .write_in_place(&result, &format!("{}=", op.sign()))
            .map_err(raised)?;
        Ok(Some(array_value(self.0.clone())))
    }

    fn unary(&self, _cx: &mut Interp, op: UnaryOp) -> Answer {
        let function = match op {
            UnaryOp::Neg => Unary::Negative,
            UnaryOp::Pos => Unary::Positive,
            UnaryOp::Invert => Unary::Invert,
            UnaryOp::Not => return Ok(None),
        };
        math::unary(function, &self.0)
            .map(array_value)
            .map(Some)
            .map_err(raised)
    }

    fn compare(&self, cx: &mut Interp, op: CompareOp, other: &Value) -> Answer {
        let function = match op {
            CompareOp::Eq => Binary::Equal,
            CompareOp::Ne => Binary::NotEqual,
            CompareOp::Lt => Binary::Less,
            CompareOp::Le => Binary::LessEqual,
            CompareOp::Gt => Binary::Greater,
            CompareOp::Ge => Binary::GreaterEqual,
            CompareOp::Is | CompareOp::IsNot | CompareOp::In | CompareOp::NotIn => return Ok(None),
        };
        if !is_operand(other) {
            return Ok(None);
        }
        let other = operand(cx, other)?;
        math::binary(function, &self.0, &other)
            .map(array_value)
            .map(Some)
            .map_err(raised)
    }

    fn contains(&self, cx: &mut Interp, item: &Value) -> Answer {
        let equal = self
            .compare(cx, CompareOp::Eq, item)?
            .and_then(|value| super::convert::as_array(&value));
        let Some(equal) = equal else {
            return Ok(Some(Value::Bool(false)));
        };
        let any = crate::interp::numpy::reduce::Reduction::Any;
        let found = crate::interp::numpy::reduce::reduce(any, &equal, &Default::default()).map_err(raised)?;
        NdArray(found).scalar_value(cx).map(Some)
    }

    fn iter(&self, cx: &mut Interp) -> Result<Option<Box<dyn PyIterator>>> {
        let Some(&length) = self.0.shape().first() else {
            return Err(Raised::type_error("iteration over a 0-d array"));
        };
        cx.check_items(length)?;
        let host = host(cx);
        let rows: std::result::Result<Vec<Value>, Demand> = (0..length)
            .map(|i| index::get(&self.0, &[Index::Int(i as i128)], &host).map(array_value))
            .collect();
        Ok(Some(Box::new(Items(rows?.into_iter()))))
    }

    fn len(&self, _cx: &mut Interp) -> Result<Option<usize>> {
        match self.0.shape().first() {
            Some(&length) => Ok(Some(length)),
            None => Err(Raised::type_error("len() of unsized object")),
        }
    }

    fn truth(&self, cx: &mut Interp) -> Result<Value> {
        if self.0.len() != 1 {
            let message = format!(
                "The truth value of an array of shape {} is ambiguous. Use a.any() or a.all()",
                show_shape(self.0.shape())
            );
            return Err(Raised::value_error(message));
        }
        let host = host(cx);
        match self.0.item(&host) {
            Ok(item) => Ok(Value::Bool(item.is_true())),
            Err(Demand::Unknown) => Ok(Value::Unknown),
            Err(other) => Err(other.into()),
        }
    }

    fn number(&self, cx: &mut Interp) -> Answer {
        if self.0.len() != 1 {
            let message = "only arrays with one element can be converted to Python numbers";
            return Err(Raised::type_error(format!(
                "{message}, not shape {}",
                show_shape(self.0.shape())
            )));
        }
        self.scalar_value(cx).map(Some)
    }

    fn format(&self, cx: &mut Interp, spec: &str) -> Result<Option<String>> {
        // NumPy formats its narrow scalars as Python's floats, which have more digits than `str` shows.
        let narrow = matches!(self.0.dtype(), Dtype::F16 | Dtype::F32) && self.0.kind() != Kind::Array;
        if !spec.is_empty() || !narrow {
            return Ok(None);
        }
        Ok(match self.scalar_value(cx)? {
            Value::Float(number) => Some(repr_float(number)),
            _ => None,
        })
    }

    fn repr(&self, cx: &mut Interp) -> Result<String> {
        self.text(cx, true)
    }

    fn str(&self, cx: &mut Interp) -> Result<String> {
        self.text(cx, false)
    }

    fn is_a(&self, type_name: &str) -> bool {
        match self.0.kind() {
            Kind::Array => type_name == "ndarray",
            Kind::Scalar | Kind::Python(_) => {
                type_name == numpy_name(self.0.dtype()) || (type_name == "float" && self.0.dtype() == Dtype::F64)
            }
        }
    }
}
