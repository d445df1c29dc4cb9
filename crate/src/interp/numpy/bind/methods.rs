//! Methods of arrays that functions of the same name do not share a signature with.

use super::convert::{array_value, dtype_of, integers, item_value, operand, shape as shape_of, to_list};
use super::ndarray::NdArray;
use super::session::{host, raised};
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::Args;
use crate::interp::numpy::array::Array;
use crate::interp::numpy::index::{self, Index};
use crate::interp::numpy::node::Demand;
use crate::interp::numpy::shape::{infer_shape, transpose};
use crate::interp::numpy::{create, search};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;

/// The array of the method call.
fn this(args: &Args) -> Result<Array> {
    Ok(args.receiver::<NdArray>()?.0.clone())
}

/// Integers of `*args`, where one sequence stands for all of them.
fn spread_integers(cx: &mut Interp, args: &Args) -> Result<Vec<i64>> {
    let rest: Vec<Value> = args.rest().iter().map(|arg| arg.value.clone()).collect();
    match rest.as_slice() {
        [one] => integers(cx, one),
        _ => integers(cx, &Value::tuple(rest)),
    }
}

/// `reshape` to extents of which one may be -1.
pub(super) fn reshape(array: &Array, extents: &[i64]) -> Result<Value> {
    let wanted: Vec<i128> = extents.iter().map(|&extent| i128::from(extent)).collect();
    let shape = infer_shape(&wanted, array.len()).map_err(|fault| {
        let hint = format!(
            "the array has shape {}",
            crate::interp::numpy::node::show_shape(array.shape())
        );
        raised(fault.hint(hint))
    })?;
    Ok(array_value(array.reshape(&shape).map_err(raised)?))
}

/// Whether parameter `at` asks for the order of Fortran, first axis fastest; arrays themselves are stored row by row.
///
/// # Errors
/// Something that is no order.
fn is_fortran(args: &Args, at: usize) -> Result<bool> {
    match args.str_or(at, "C")? {
        "C" | "K" | "A" => Ok(false),
        "F" => Ok(true),
        _ => Err(args.wrong(at, "'C', 'F', 'A' or 'K'")),
    }
}

/// `reshape` in the order that parameter `at` names.
///
/// # Errors
/// Extents that do not fit.
pub(super) fn reshape_in_order(args: &Args, at: usize, array: &Array, extents: &[i64]) -> Result<Value> {
    if !is_fortran(args, at)? {
        return reshape(array, extents);
    }
    let turned = transpose(array, None).map_err(raised)?.copy();
    let backwards: Vec<i64> = extents.iter().rev().copied().collect();
    let reshaped = reshape(&turned, &backwards)?;
    let reshaped = crate::interp::numpy::as_array(&reshaped).unwrap_or(turned);
    Ok(array_value(transpose(&reshaped, None).map_err(raised)?))
}

/// The dtype of a `dtype` argument that must be there.
fn required_dtype(args: &Args, at: usize) -> Result<crate::numerics::dtype::Dtype> {
    dtype_of(args.value(at)).ok_or_else(|| args.wrong(at, "a dtype such as np.float32"))
}

builtin! {
    /// Methods of arrays.
    pub METHODS;
    /// The elements converted to a dtype, as a copy.
    "astype" "(self, dtype, order='K', casting='unsafe', subok=True, copy=True)" => |_cx, args| {
        let dtype = required_dtype(args, 1)?;
        Ok(array_value(this(args)?.astype(dtype).map_err(raised)?))
    };
    /// The bytes seen as another dtype.
    "view" "(self, dtype=None)" => |_cx, args| {
        let array = this(args)?;
        if args.some(1).is_none() {
            return Ok(array_value(array));
        }
        Ok(array_value(array.view_dtype(required_dtype(args, 1)?).map_err(raised)?))
    };
    /// The elements in another shape; a view where possible.
    "reshape" "(self, *shape, order='C')" => |cx, args| {
        let extents = spread_integers(cx, args)?;
        reshape_in_order(args, 1, &this(args)?, &extents)
    };
    /// Axes reversed, or in the given order; a view.
    "transpose" "(self, *axes)" => |cx, args| {
        let array = this(args)?;
        if args.rest().is_empty() || (args.rest().len() == 1 && args.rest()[0].value.is_none()) {
            return Ok(array_value(transpose(&array, None).map_err(raised)?));
        }
        let axes: Vec<isize> = spread_integers(cx, args)?.into_iter().map(|axis| axis as isize).collect();
        Ok(array_value(transpose(&array, Some(&axes)).map_err(raised)?))
    };
    /// The elements in one dimension, as a copy.
    "flatten" "(self, order='C')" => |_cx, args| {
        reshape_in_order(args, 1, &this(args)?.copy(), &[-1])
    };
    /// A copy with its own storage.
    "copy" "(self, order='C')" => |_cx, args| Ok(array_value(this(args)?.copy()));
    /// One element as a Python number.
    "item" "(self, *index)" => |cx, args| {
        let array = this(args)?;
        let entries = spread_integers(cx, args)?;
        let host = host(cx);
        let flat = if entries.len() == 1 { array.reshape(&[array.len()]).map_err(raised)? } else { array };
        let entries: Vec<Index> = entries.into_iter().map(|at| Index::Int(i128::from(at))).collect();
        match index::get(&flat, &entries, &host)?.item(&host) {
            Ok(item) => Ok(item_value(item)),
            Err(Demand::Unknown) => Ok(Value::Unknown),
            Err(other) => Err(other.into()),
        }
    };
    /// The elements as nested lists of Python numbers.
    "tolist" "(self)" => |cx, args| {
        let array = this(args)?;
        to_list(cx, &array)
    };
    /// Sets all elements.
    "fill" "(self, value)" => |cx, args| {
        let value = args.value(1).clone();
        let value = operand(cx, &value)?;
        this(args)?.write(&value).map_err(raised)?;
        Ok(Value::None)
    };
    /// Sorts along an axis in place.
    "sort" "(self, axis=-1, kind=None)" => |_cx, args| {
        let array = this(args)?;
        let sorted = search::sort(&array, Some(args.int_or(1, -1)? as isize)).map_err(raised)?;
        array.write(&sorted).map_err(raised)?;
        Ok(Value::None)
    };
    /// Accepted for compatibility: arrays of the playground have one memory order.
    "setflags" "(self, write=None, align=None, uic=None)" => |_cx, _args| Ok(Value::None);
    /// Changes the shape of a copy that repeats or cuts the elements.
    "resize" "(self, *shape)" => |_cx, _args| {
        Err(Raised::unimplemented("ndarray.resize is not available in the playground").hint("use np.pad or slicing"))
    };
    /// A byte string of the elements.
    "tobytes" "(self, order='C')" => |_cx, _args| {
        let raised = Raised::unimplemented("ndarray.tobytes is not available in the playground");
        Err(raised.hint("x.view(np.uint8) shows the bytes as an array"))
    };
}

/// A shape argument of functions that make arrays.
pub(super) fn shape_arg(cx: &mut Interp, args: &Args, at: usize) -> Result<Vec<usize>> {
    let value = args.value(at).clone();
    shape_of(cx, &value)
}

/// An array filled with one number.
pub(super) fn filled(shape: &[usize], value: i128, dtype: crate::numerics::dtype::Dtype) -> Result<Value> {
    let value = Array::python(crate::interp::numpy::array::Item::Int(value)).map_err(raised)?;
    Ok(array_value(create::full(shape, &value, dtype).map_err(raised)?))
}
