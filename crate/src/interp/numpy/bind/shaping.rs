//! Functions that rearrange, join, cut and search arrays.

use super::convert::{array_operand, array_value, axes_arg, axis_arg, dtype_arg, integers, is_sequence, operand};
use super::methods::reshape_in_order;
use super::session::{host, raised};
use super::shared::{along, first, integer_arg};
use crate::base::diag::Fault;
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::Args;
use crate::interp::numpy::array::{Array, Item};
use crate::interp::numpy::index;
use crate::interp::numpy::math::{self, Binary};
use crate::interp::numpy::reduce::{self, Reduction};
use crate::interp::numpy::shape::{self, Pad};
use crate::interp::numpy::{create, search};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::numerics::dtype::Dtype;

/// Wraps the result of an array function.
fn out(made: std::result::Result<Array, Fault>) -> Result<Value> {
    made.map(array_value).map_err(raised)
}

/// Parameter 0 as a sequence of arrays.
fn arrays(cx: &mut Interp, args: &Args) -> Result<Vec<Array>> {
    let value = args.value(0).clone();
    cx.collect(&value)?.iter().map(|part| array_operand(cx, part)).collect()
}

/// `vstack`, `hstack`, `dstack`: parts with enough dimensions, joined.
fn stacked(cx: &mut Interp, args: &Args, ndim: usize, axis: isize) -> Result<Value> {
    let parts = arrays(cx, args)?;
    let parts: std::result::Result<Vec<Array>, Fault> = parts.iter().map(|part| shape::at_least(part, ndim)).collect();
    let parts = parts.map_err(raised)?;
    let axis = if ndim == 1 && parts.first().is_some_and(|part| part.ndim() > 1) {
        1
    } else {
        axis
    };
    out(shape::concatenate(&parts, axis))
}

/// `split` and its siblings along an axis.
fn split(cx: &mut Interp, args: &Args, axis: isize, exact: bool) -> Result<Value> {
    let array = first(cx, args)?;
    let sections = args.value(1).clone();
    let at = shape::normalise_axis(axis, array.ndim()).map_err(raised)?;
    let length = array.shape()[at];
    let ends = if is_sequence(&sections) {
        let wrap = |end: i64| {
            if end < 0 {
                (length as i64 + end).max(0) as usize
            } else {
                end as usize
            }
        };
        integers(cx, &sections)?.into_iter().map(wrap).chain([length]).collect()
    } else {
        shape::section_ends(length, args.size(1)?, exact).map_err(raised)?
    };
    let parts = shape::split(&array, &ends, axis).map_err(raised)?;
    Ok(Value::list(parts.into_iter().map(array_value).collect()))
}

/// Pad widths: a number, a pair, or a pair per axis.
fn widths(cx: &mut Interp, value: &Value, ndim: usize) -> Result<Vec<(usize, usize)>> {
    let pair = |numbers: Vec<i64>| -> Result<(usize, usize)> {
        let size =
            |x: i64| usize::try_from(x).map_err(|_| Raised::value_error("pad widths can't contain negative values"));
        match numbers.as_slice() {
            [both] => Ok((size(*both)?, size(*both)?)),
            [before, after] => Ok((size(*before)?, size(*after)?)),
            _ => Err(Raised::value_error("a pad width is a number or a pair of numbers")),
        }
    };
    if !is_sequence(value) {
        return Ok(vec![pair(integers(cx, value)?)?; ndim]);
    }
    let parts = cx.collect(value)?;
    if !parts.iter().any(is_sequence) {
        return Ok(vec![pair(integers(cx, value)?)?; ndim]);
    }
    let mut pairs = Vec::new();
    for part in &parts {
        pairs.push(pair(integers(cx, part)?)?);
    }
    if pairs.len() == 1 {
        pairs = vec![pairs[0]; ndim];
    }
    Ok(pairs)
}

/// How `np.pad` fills.
fn pad_mode(cx: &mut Interp, args: &Args) -> Result<Pad> {
    let value = match args.some(3).cloned() {
        Some(value) => operand(cx, &value)?,
        None => Array::python(Item::Int(0)).map_err(raised)?,
    };
    match args.str_or(2, "constant")? {
        "constant" => Ok(Pad::Constant(value)),
        "edge" => Ok(Pad::Edge),
        "reflect" => Ok(Pad::Reflect),
        "symmetric" => Ok(Pad::Symmetric),
        "wrap" => Ok(Pad::Wrap),
        mode => Err(Raised::unimplemented(format!(
            "np.pad(mode='{mode}') is not available in the playground"
        ))),
    }
}

/// Differences of neighbours along an axis, `n` times.
fn differences(array: &Array, n: i64, axis: isize) -> std::result::Result<Array, Fault> {
    let mut array = array.clone();
    for _ in 0..n {
        let at = shape::normalise_axis(axis, array.ndim())?;
        let length = array.shape()[at].saturating_sub(1);
        let (later, earlier) = (
            shape::narrow_axis(&array, at, 1, length),
            shape::narrow_axis(&array, at, 0, length),
        );
        let op = if array.dtype() == Dtype::Bool {
            Binary::NotEqual
        } else {
            Binary::Subtract
        };
        array = math::binary(op, &later, &earlier)?;
    }
    Ok(array)
}

builtin! {
    /// Functions that rearrange and search.
    pub SHAPING;
    /// The elements in another shape.
    "reshape" "(a, shape, order='C')" => |cx, args| {
        let array = first(cx, args)?;
        let extents = args.value(1).clone();
        let extents = integers(cx, &extents)?;
        reshape_in_order(args, 2, &array, &extents)
    };
    /// Axes reversed, or in the given order.
    "transpose" "(a, axes=None)" => |cx, args| {
        let array = first(cx, args)?;
        let axes = axes_arg(cx, args, 1)?;
        out(shape::transpose(&array, axes.as_deref()))
    };
    /// Axes reversed, or in the given order.
    "permute_dims" "(a, axes=None)" => |cx, args| {
        let array = first(cx, args)?;
        let axes = axes_arg(cx, args, 1)?;
        out(shape::transpose(&array, axes.as_deref()))
    };
    /// Axes moved to other positions.
    "moveaxis" "(a, source, destination)" => |cx, args| {
        let array = first(cx, args)?;
        let from = axes_arg(cx, args, 1)?.unwrap_or_default();
        let to = axes_arg(cx, args, 2)?.unwrap_or_default();
        out(shape::moveaxis(&array, &from, &to))
    };
    /// New axes of extent 1.
    "expand_dims" "(a, axis)" => |cx, args| {
        let array = first(cx, args)?;
        let axes = axes_arg(cx, args, 1)?.unwrap_or_default();
        out(shape::expand_dims(&array, &axes))
    };
    /// A read-only view repeated along missing and unit axes.
    "broadcast_to" "(array, shape)" => |cx, args| {
        let array = first(cx, args)?;
        let shape = super::methods::shape_arg(cx, args, 1)?;
        out(array.broadcast_to(&shape))
    };
    /// Arrays broadcast against each other.
    "broadcast_arrays" "(*args)" => |cx, args| {
        let mut parts = Vec::new();
        let mut shape = Vec::new();
        for arg in args.rest().to_vec() {
            let part = array_operand(cx, &arg.value)?;
            shape = math::broadcast_shapes(&shape, part.shape()).map_err(raised)?;
            parts.push(part);
        }
        let parts = parts.iter().map(|part| out(part.broadcast_to(&shape))).collect::<Result<Vec<_>>>()?;
        Ok(Value::tuple(parts))
    };
    /// Arrays joined along an axis.
    "concatenate" "(arrays, axis=0, dtype=None)" => |cx, args| {
        let mut parts = arrays(cx, args)?;
        if let Some(dtype) = dtype_arg(args, 2)? {
            parts = parts.iter().map(|part| part.astype(dtype)).collect::<std::result::Result<_, _>>().map_err(raised)?;
        }
        match axis_arg(cx, args, 1, Some(0))? {
            Some(axis) => out(shape::concatenate(&parts, axis)),
            None => {
                let flat: std::result::Result<Vec<_>, _> = parts.iter().map(|part| part.reshape(&[part.len()])).collect();
                out(shape::concatenate(&flat.map_err(raised)?, 0))
            }
        }
    };
    /// Arrays joined along a new axis.
    "stack" "(arrays, axis=0)" => |cx, args| {
        let parts = arrays(cx, args)?;
        let axis = integer_arg(cx, args, 1, 0)? as isize;
        out(shape::stack(&parts, axis))
    };
    /// Arrays joined along the first axis.
    "vstack" "(tup)" => |cx, args| stacked(cx, args, 2, 0);
    /// Arrays joined along the second axis (vectors: the first).
    "hstack" "(tup)" => |cx, args| stacked(cx, args, 1, 0);
    /// Parts of equal size.
    "split" "(ary, indices_or_sections, axis=0)" => |cx, args| {
        let axis = integer_arg(cx, args, 2, 0)? as isize;
        split(cx, args, axis, true)
    };
    /// Parts of about equal size.
    "array_split" "(ary, indices_or_sections, axis=0)" => |cx, args| {
        let axis = integer_arg(cx, args, 2, 0)? as isize;
        split(cx, args, axis, false)
    };
    /// Parts along the first axis.
    "vsplit" "(ary, indices_or_sections)" => |cx, args| split(cx, args, 0, true);
    /// Parts along the second axis.
    "hsplit" "(ary, indices_or_sections)" => |cx, args| split(cx, args, 1, true);
    /// The array repeated as a whole.
    "tile" "(A, reps)" => |cx, args| {
        let array = first(cx, args)?;
        let times = super::methods::shape_arg(cx, args, 1)?;
        out(shape::tile(&array, &times))
    };
    /// The array with a border.
    "pad" "(array, pad_width, mode='constant', constant_values=0)" => |cx, args| {
        let array = first(cx, args)?;
        let value = args.value(1).clone();
        let widths = widths(cx, &value, array.ndim())?;
        let mode = pad_mode(cx, args)?;
        out(shape::pad(&array, &widths, &mode))
    };
    /// Elements in reversed order.
    "flip" "(m, axis=None)" => |cx, args| {
        let array = first(cx, args)?;
        let axes = axes_arg(cx, args, 1)?;
        out(shape::flip(&array, axes.as_deref()))
    };
    /// Rows in reversed order.
    "flipud" "(m)" => |cx, args| { let array = first(cx, args)?; out(shape::flip(&array, Some(&[0]))) };
    /// Columns in reversed order.
    "fliplr" "(m)" => |cx, args| { let array = first(cx, args)?; out(shape::flip(&array, Some(&[1]))) };
    /// Elements moved along an axis, around the end.
    "roll" "(a, shift, axis=None)" => |cx, args| {
        let array = first(cx, args)?;
        let shift = i128::from(integer_arg(cx, args, 1, 0)?);
        let axis = axis_arg(cx, args, 2, None)?;
        out(shape::roll(&array, shift, axis))
    };
    /// A quarter turn.
    "rot90" "(m, k=1, axes=(0, 1))" => |cx, args| {
        let array = first(cx, args)?;
        let turns = i128::from(integer_arg(cx, args, 1, 1)?);
        let axes = match axes_arg(cx, args, 2)?.as_deref() {
            Some(&[a, b]) => (a, b),
            _ => (0, 1),
        };
        out(shape::rot90(&array, turns, axes))
    };
    /// At least one dimension.
    "atleast_1d" "(ary)" => |cx, args| { let array = first(cx, args)?; out(shape::at_least(&array, 1)) };
    /// At least two dimensions.
    "atleast_2d" "(ary)" => |cx, args| { let array = first(cx, args)?; out(shape::at_least(&array, 2)) };
    /// Elements of one array where a condition holds, else of another; or the positions where it holds.
    "where" "(condition, x=None, y=None)" => |cx, args| {
        let condition = first(cx, args)?;
        let (Some(x), Some(y)) = (args.some(1).cloned(), args.some(2).cloned()) else {
            let host = host(cx);
            let axes = index::nonzero(&condition, &host)?;
            return Ok(Value::tuple(axes.into_iter().map(array_value).collect::<Vec<_>>()));
        };
        let (x, y) = (operand(cx, &x)?, operand(cx, &y)?);
        out(math::select(&condition, &x, &y))
    };
    /// Positions of elements that are not zero, one row each.
    "argwhere" "(a)" => |cx, args| {
        let array = first(cx, args)?;
        let host = host(cx);
        let axes = index::nonzero(&array, &host)?;
        out(shape::stack(&axes, 1))
    };
    /// Flat positions of elements that are not zero.
    "flatnonzero" "(a)" => |cx, args| {
        let array = first(cx, args)?;
        let flat = array.reshape(&[array.len()]).map_err(raised)?;
        let host = host(cx);
        Ok(array_value(index::nonzero(&flat, &host)?.remove(0)))
    };
    /// Number of elements that are not zero.
    "count_nonzero" "(a, axis=None, *, keepdims=False)" => |cx, args| {
        let truth = first(cx, args)?.astype(Dtype::Bool).map_err(raised)?;
        let along = along(cx, args, 2, None)?;
        out(reduce::reduce(Reduction::Sum, &truth, &along))
    };
    /// Sorted along an axis.
    "sort" "(a, axis=-1, kind=None, *, stable=None)" => |cx, args| {
        let array = first(cx, args)?;
        let axis = axis_arg(cx, args, 1, Some(-1))?;
        out(search::sort(&array, axis))
    };
    /// Partly sorted along an axis; here it is sorted completely, which is one valid answer.
    "partition" "(a, kth, axis=-1)" => |cx, args| {
        let array = first(cx, args)?;
        let axis = axis_arg(cx, args, 2, Some(-1))?;
        out(search::sort(&array, axis))
    };
    /// Sorted distinct values.
    "unique" "(ar, return_index=False, return_inverse=False, return_counts=False)" => |cx, args| {
        let array = first(cx, args)?;
        let host = host(cx);
        let found = search::unique(&array, &host)?;
        let mut parts = vec![found.values];
        for (at, part) in [(1, found.index), (2, found.inverse), (3, found.counts)] {
            if args.truth_or(at, false)? {
                parts.push(part);
            }
        }
        let mut parts: Vec<Value> = parts.into_iter().map(array_value).collect();
        Ok(if parts.len() == 1 { parts.remove(0) } else { Value::tuple(parts) })
    };
    /// How often each small integer occurs.
    "bincount" "(x, minlength=0)" => |cx, args| {
        let array = first(cx, args)?;
        let minimum = args.int_or(1, 0)?.max(0) as usize;
        let host = host(cx);
        Ok(array_value(search::bincount(&array, minimum, &host)?))
    };
    /// Differences of neighbours.
    "diff" "(a, n=1, axis=-1)" => |cx, args| {
        let array = first(cx, args)?;
        let (n, axis) = (integer_arg(cx, args, 1, 1)?, integer_arg(cx, args, 2, -1)? as isize);
        out(differences(&array, n, axis))
    };
    /// The middle value.
    "median" "(a, axis=None, *, keepdims=False)" => |cx, args| {
        let array = first(cx, args)?;
        let axis = axis_arg(cx, args, 1, None)?;
        out(search::median(&array, axis, args.truth_or(2, false)?))
    };
    /// The elements that an index array picks along an axis.
    "take_along_axis" "(arr, indices, axis=-1)" => |cx, args| {
        let array = first(cx, args)?;
        let positions = args.value(1).clone();
        let positions = array_operand(cx, &positions)?;
        let axis = integer_arg(cx, args, 2, -1)? as isize;
        let entries = index::along_axis(&array, &positions, axis).map_err(raised)?;
        let host = host(cx);
        Ok(array_value(index::get(&array, &entries, &host)?))
    };
    /// Stores values where an index array picks along an axis.
    "put_along_axis" "(arr, indices, values, axis)" => |cx, args| {
        let array = first(cx, args)?;
        let (positions, values) = (args.value(1).clone(), args.value(2).clone());
        let (positions, values) = (array_operand(cx, &positions)?, operand(cx, &values)?);
        let axis = integer_arg(cx, args, 3, 0)? as isize;
        let entries = index::along_axis(&array, &positions, axis).map_err(raised)?;
        let host = host(cx);
        index::set(&array, &entries, &values, &host)?;
        Ok(Value::None)
    };
    /// Row and column positions of the upper triangle of a square matrix.
    "triu_indices" "(n, k=0, m=None)" => |cx, args| triangle_positions(cx, args, false);
    /// Row and column positions of the lower triangle of a square matrix.
    "tril_indices" "(n, k=0, m=None)" => |cx, args| triangle_positions(cx, args, true);
    /// Row and column positions of the upper triangle of an array.
    "triu_indices_from" "(arr, k=0)" => |cx, args| triangle_of(cx, args, false);
    /// Row and column positions of the lower triangle of an array.
    "tril_indices_from" "(arr, k=0)" => |cx, args| triangle_of(cx, args, true);
    /// Sum that ignores NaN.
    "nansum" "(a, axis=None, *, keepdims=False)" => |cx, args| ignoring_nan(cx, args, Some(Reduction::Sum));
    /// Mean that ignores NaN.
    "nanmean" "(a, axis=None, *, keepdims=False)" => |cx, args| ignoring_nan(cx, args, None);
    /// Largest element that is not NaN.
    "nanmax" "(a, axis=None, *, keepdims=False)" => |cx, args| ignoring_nan(cx, args, Some(Reduction::Max));
    /// Smallest element that is not NaN.
    "nanmin" "(a, axis=None, *, keepdims=False)" => |cx, args| ignoring_nan(cx, args, Some(Reduction::Min));
    /// Copies one array into another, in place.
    "copyto" "(dst, src)" => |cx, args| {
        let target = first(cx, args)?;
        let source = args.value(1).clone();
        let source = operand(cx, &source)?;
        target.write_in_place(&source, "copyto").map_err(raised)?;
        Ok(Value::None)
    };
}

/// Reductions without NaN.
fn ignoring_nan(cx: &mut Interp, args: &Args, op: Option<Reduction>) -> Result<Value> {
    let array = first(cx, args)?;
    let along = along(cx, args, 2, None)?;
    out(reduce::ignoring_nan(op, &array, &along))
}

/// `triu_indices` and `tril_indices`.
fn triangle_positions(cx: &mut Interp, args: &Args, lower: bool) -> Result<Value> {
    let rows = args.size(0)?;
    let k = integer_arg(cx, args, 1, 0)? as isize;
    let columns = integer_arg(cx, args, 2, rows as i64)?.max(0) as usize;
    triangle_positions_in(cx, rows, columns, k, lower)
}

/// `triu_indices_from` and `tril_indices_from`.
fn triangle_of(cx: &mut Interp, args: &Args, lower: bool) -> Result<Value> {
    let array = first(cx, args)?;
    let k = integer_arg(cx, args, 1, 0)? as isize;
    match array.shape() {
        [rows, columns] => triangle_positions_in(cx, *rows, *columns, k, lower),
        _ => Err(args.wrong(0, "an array of two dimensions")),
    }
}

/// Positions of a triangle of a matrix with so many rows and columns.
fn triangle_positions_in(cx: &mut Interp, rows: usize, columns: usize, k: isize, lower: bool) -> Result<Value> {
    let ones = create::full(
        &[rows, columns],
        &Array::python(Item::Bool(true)).map_err(raised)?,
        Dtype::Bool,
    );
    let mask = ones.and_then(|ones| shape::triangle(&ones, k, lower)).map_err(raised)?;
    let host = host(cx);
    let axes = index::nonzero(&mask, &host)?;
    Ok(Value::tuple(axes.into_iter().map(array_value).collect::<Vec<_>>()))
}
