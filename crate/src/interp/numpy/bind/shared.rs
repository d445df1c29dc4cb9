//! Functions that are methods of arrays under the same signature: reductions and element-wise leftovers.

use super::convert::{array_operand, array_value, axes_arg, axis_arg, dtype_arg, float, integer, integers, operand};
use super::session::{host, raised};
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::Args;
use crate::interp::numpy::array::Array;
use crate::interp::numpy::math::{self, Binary};
use crate::interp::numpy::reduce::{self, Along, Extreme, Reduction};
use crate::interp::numpy::{index, linalg, search, shape};
use crate::interp::raised::Result;
use crate::interp::value::Value;

/// Parameter 0 as an array.
pub(super) fn first(cx: &mut Interp, args: &Args) -> Result<Array> {
    let value = args.value(0).clone();
    array_operand(cx, &value)
}

/// Reduces parameter 0; positions of `axis`, `keepdims` and `dtype` follow.
fn reduction(cx: &mut Interp, args: &Args, op: Reduction, keepdims: usize, dtype: Option<usize>) -> Result<Value> {
    let array = first(cx, args)?;
    let along = along(cx, args, keepdims, dtype)?;
    Ok(array_value(reduce::reduce(op, &array, &along).map_err(raised)?))
}

/// Axes (parameter 1), `keepdims` and `dtype` of a reduction.
pub(super) fn along(cx: &mut Interp, args: &Args, keepdims: usize, dtype: Option<usize>) -> Result<Along> {
    let dtype = match dtype {
        Some(at) => dtype_arg(args, at)?,
        None => None,
    };
    Ok(Along {
        axes: axes_arg(cx, args, 1)?,
        keepdims: args.truth_or(keepdims, false)?,
        dtype,
    })
}

/// `argmax` and `argmin`.
fn extreme(cx: &mut Interp, args: &Args, which: Extreme) -> Result<Value> {
    let array = first(cx, args)?;
    let axis = axis_arg(cx, args, 1, None)?;
    Ok(array_value(
        reduce::arg_extreme(which, &array, axis, args.truth_or(2, false)?).map_err(raised)?,
    ))
}

/// `var` and `std`.
fn spread(cx: &mut Interp, args: &Args, root: bool) -> Result<Value> {
    let array = first(cx, args)?;
    let along = along(cx, args, 4, Some(2))?;
    let ddof = args.float_or(3, 0.0)?;
    let made = if root {
        reduce::std(&array, &along, ddof)
    } else {
        reduce::var(&array, &along, ddof)
    };
    Ok(array_value(made.map_err(raised)?))
}

/// Running sums and products.
fn running(cx: &mut Interp, args: &Args, op: Binary) -> Result<Value> {
    let array = first(cx, args)?;
    let axis = axis_arg(cx, args, 1, None)?;
    Ok(array_value(
        reduce::accumulate(op, &array, axis, dtype_arg(args, 2)?).map_err(raised)?,
    ))
}

builtin! {
    /// Functions of NumPy that are methods of arrays, too.
    pub SHARED;
    /// Sum over axes, in NumPy's order of additions.
    "sum" "(self, axis=None, dtype=None, *, keepdims=False)" => |cx, args| reduction(cx, args, Reduction::Sum, 3, Some(2));
    /// Product over axes.
    "prod" "(self, axis=None, dtype=None, *, keepdims=False)" => |cx, args| reduction(cx, args, Reduction::Prod, 3, Some(2));
    /// Largest element over axes.
    "max" "(self, axis=None, *, keepdims=False)" => |cx, args| reduction(cx, args, Reduction::Max, 2, None);
    /// Smallest element over axes.
    "min" "(self, axis=None, *, keepdims=False)" => |cx, args| reduction(cx, args, Reduction::Min, 2, None);
    /// Whether any element over axes is true.
    "any" "(self, axis=None, *, keepdims=False)" => |cx, args| reduction(cx, args, Reduction::Any, 2, None);
    /// Whether all elements over axes are true.
    "all" "(self, axis=None, *, keepdims=False)" => |cx, args| reduction(cx, args, Reduction::All, 2, None);
    /// Mean over axes.
    "mean" "(self, axis=None, dtype=None, *, keepdims=False)" => |cx, args| {
        let array = first(cx, args)?;
        let along = along(cx, args, 3, Some(2))?;
        Ok(array_value(reduce::mean(&array, &along).map_err(raised)?))
    };
    /// Variance over axes.
    "var" "(self, axis=None, dtype=None, ddof=0, keepdims=False)" => |cx, args| spread(cx, args, false);
    /// Standard deviation over axes.
    "std" "(self, axis=None, dtype=None, ddof=0, keepdims=False)" => |cx, args| spread(cx, args, true);
    /// Position of the largest element.
    "argmax" "(self, axis=None, *, keepdims=False)" => |cx, args| extreme(cx, args, Extreme::Max);
    /// Position of the smallest element.
    "argmin" "(self, axis=None, *, keepdims=False)" => |cx, args| extreme(cx, args, Extreme::Min);
    /// Running sum.
    "cumsum" "(self, axis=None, dtype=None)" => |cx, args| running(cx, args, Binary::Add);
    /// Running product.
    "cumprod" "(self, axis=None, dtype=None)" => |cx, args| running(cx, args, Binary::Multiply);
    /// Difference of the largest and smallest element.
    "ptp" "(self, axis=None)" => |cx, args| {
        let array = first(cx, args)?;
        let along = Along { axes: axes_arg(cx, args, 1)?, ..Along::all() };
        let most = reduce::reduce(Reduction::Max, &array, &along).map_err(raised)?;
        let least = reduce::reduce(Reduction::Min, &array, &along).map_err(raised)?;
        Ok(array_value(math::binary(Binary::Subtract, &most, &least).map_err(raised)?))
    };
    /// Elements limited to a range.
    "clip" "(self, min=None, max=None)" => |cx, args| {
        let array = first(cx, args)?;
        let (low, high) = (args.some(1).cloned(), args.some(2).cloned());
        let low = low.map(|value| operand(cx, &value)).transpose()?;
        let high = high.map(|value| operand(cx, &value)).transpose()?;
        Ok(array_value(math::clip(&array, low.as_ref(), high.as_ref()).map_err(raised)?))
    };
    /// Elements rounded to decimals, halves to even.
    "round" "(self, decimals=0)" => |cx, args| {
        let array = first(cx, args)?;
        let decimals = args.int_or(1, 0)?.clamp(-300, 300) as i32;
        Ok(array_value(math::round(&array, decimals).map_err(raised)?))
    };
    /// Matrix product.
    "dot" "(self, b)" => |cx, args| {
        let a = first(cx, args)?;
        let b = args.value(1).clone();
        let b = array_operand(cx, &b)?;
        Ok(array_value(linalg::dot(&a, &b).map_err(raised)?))
    };
    /// Sum along a diagonal.
    "trace" "(self, offset=0)" => |cx, args| {
        let array = first(cx, args)?;
        Ok(array_value(linalg::trace(&array, args.int_or(1, 0)? as isize).map_err(raised)?))
    };
    /// A diagonal, as a view.
    "diagonal" "(self, offset=0)" => |cx, args| {
        let array = first(cx, args)?;
        Ok(array_value(shape::diagonal(&array, args.int_or(1, 0)? as isize).map_err(raised)?.read_only()))
    };
    /// Two axes exchanged.
    "swapaxes" "(self, axis1, axis2)" => |cx, args| {
        let array = first(cx, args)?;
        let (a, b) = (args.int(1)? as isize, args.int(2)? as isize);
        Ok(array_value(shape::swapaxes(&array, a, b).map_err(raised)?))
    };
    /// Axes of extent 1 dropped.
    "squeeze" "(self, axis=None)" => |cx, args| {
        let array = first(cx, args)?;
        let axes = axes_arg(cx, args, 1)?;
        Ok(array_value(shape::squeeze(&array, axes.as_deref()).map_err(raised)?))
    };
    /// The elements in one dimension; a view where possible.
    "ravel" "(self)" => |cx, args| {
        let array = first(cx, args)?;
        Ok(array_value(array.reshape(&[array.len()]).map_err(raised)?))
    };
    /// Elements repeated.
    "repeat" "(self, repeats, axis=None)" => |cx, args| {
        let array = first(cx, args)?;
        let counts = args.value(1).clone();
        let counts: Vec<usize> = integers(cx, &counts)?.into_iter().map(|count| count.max(0) as usize).collect();
        let axis = axis_arg(cx, args, 2, None)?;
        Ok(array_value(shape::repeat(&array, &counts, axis).map_err(raised)?))
    };
    /// Elements at positions along an axis.
    "take" "(self, indices, axis=None)" => |cx, args| {
        let array = first(cx, args)?;
        let positions = args.value(1).clone();
        let positions = array_operand(cx, &positions)?;
        let axis = axis_arg(cx, args, 2, None)?;
        let host = host(cx);
        Ok(array_value(index::take(&array, &positions, axis, &host)?.into_scalar()))
    };
    /// Positions that sort along an axis.
    "argsort" "(self, axis=-1, kind=None, *, stable=None)" => |cx, args| {
        let array = first(cx, args)?;
        let axis = axis_arg(cx, args, 1, Some(-1))?;
        Ok(array_value(search::argsort(&array, axis).map_err(raised)?))
    };
    /// Positions that partly sort along an axis; here they sort completely, which is one valid answer.
    "argpartition" "(self, kth, axis=-1)" => |cx, args| {
        let array = first(cx, args)?;
        let axis = axis_arg(cx, args, 2, Some(-1))?;
        Ok(array_value(search::argsort(&array, axis).map_err(raised)?))
    };
    /// Positions of elements that are not zero, one array per axis.
    "nonzero" "(self)" => |cx, args| {
        let array = first(cx, args)?;
        let host = host(cx);
        let axes = index::nonzero(&array, &host)?;
        Ok(Value::tuple(axes.into_iter().map(array_value).collect::<Vec<_>>()))
    };
    /// Where elements would be inserted into this sorted array.
    "searchsorted" "(self, v, side='left')" => |cx, args| {
        let sorted = first(cx, args)?;
        let values = args.value(1).clone();
        let values = array_operand(cx, &values)?;
        let right = args.str_or(2, "left")? == "right";
        Ok(array_value(search::searchsorted(&sorted, &values, right).map_err(raised)?))
    };
}

/// A Python number parameter that may be a NumPy scalar.
pub(super) fn number_arg(cx: &mut Interp, args: &Args, at: usize, default: f64) -> Result<f64> {
    match args.some(at).cloned() {
        None => Ok(default),
        Some(value) => float(cx, &value),
    }
}

/// An integer parameter that may be a NumPy scalar.
pub(super) fn integer_arg(cx: &mut Interp, args: &Args, at: usize, default: i64) -> Result<i64> {
    match args.some(at).cloned() {
        None => Ok(default),
        Some(value) => integer(cx, &value),
    }
}
