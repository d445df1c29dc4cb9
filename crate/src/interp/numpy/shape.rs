//! Rearranging arrays: axes, joining, splitting, repeating, padding.

use super::array::{Array, Item, Kind};
use super::buffer::{self, Buf, Window, row_major};
use super::math;
use super::node::{element_count, show_shape};
use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::Dtype;

/// `axis` of an array with `ndim` dimensions, counted from the front.
///
/// # Errors
/// `index` when there is no such axis.
pub fn normalise_axis(axis: isize, ndim: usize) -> Result<usize, Fault> {
    let from_front = if axis < 0 { axis + ndim as isize } else { axis };
    if from_front < 0 || from_front >= ndim as isize {
        let message = format!("axis {axis} is out of bounds for array of dimension {ndim}");
        return Err(Fault::new(Code::Index, message));
    }
    Ok(from_front as usize)
}

/// Several axes, each at most once.
///
/// # Errors
/// `index` when one does not exist, `value` when one is repeated.
pub fn normalise_axes(axes: &[isize], ndim: usize) -> Result<Vec<usize>, Fault> {
    let mut out = Vec::new();
    for &axis in axes {
        let axis = normalise_axis(axis, ndim)?;
        if out.contains(&axis) {
            return Err(Fault::new(Code::Value, format!("axis {axis} is given twice")));
        }
        out.push(axis);
    }
    Ok(out)
}

/// A shape with at most one -1 that stands for what is left.
///
/// # Errors
/// `shape` when the size does not divide.
pub fn infer_shape(wanted: &[i128], size: usize) -> Result<Vec<usize>, Fault> {
    let known: i128 = wanted.iter().filter(|&&extent| extent >= 0).product();
    let unknown = wanted.iter().filter(|&&extent| extent < 0).count();
    let wrong = || {
        let shown = wanted.iter().map(i128::to_string).collect::<Vec<_>>().join(",");
        Fault::new(
            Code::Shape,
            format!("cannot reshape array of size {size} into shape ({shown})"),
        )
    };
    if unknown > 1 {
        return Err(Fault::new(Code::Value, "can only specify one unknown dimension"));
    }
    if unknown == 1 && (known == 0 || size as i128 % known != 0) {
        return Err(wrong());
    }
    let rest = if unknown == 1 { size as i128 / known } else { 0 };
    wanted
        .iter()
        .map(|&extent| usize::try_from(if extent < 0 { rest } else { extent }).map_err(|_| wrong()))
        .collect()
}

/// `np.transpose`: reversed axes, or the given order.
///
/// # Errors
/// `value` when `axes` is not a permutation.
pub fn transpose(array: &Array, axes: Option<&[isize]>) -> Result<Array, Fault> {
    let order = match axes {
        None => (0..array.ndim()).rev().collect(),
        Some(axes) => normalise_axes(axes, array.ndim())?,
    };
    if order.len() != array.ndim() {
        let message = format!(
            "axes don't match array: {} axes for shape {}",
            order.len(),
            show_shape(array.shape())
        );
        return Err(Fault::new(Code::Value, message));
    }
    Ok(array.permute(&order))
}

/// `np.swapaxes`.
///
/// # Errors
/// `index` when an axis does not exist.
pub fn swapaxes(array: &Array, a: isize, b: isize) -> Result<Array, Fault> {
    let mut order: Vec<usize> = (0..array.ndim()).collect();
    order.swap(normalise_axis(a, array.ndim())?, normalise_axis(b, array.ndim())?);
    Ok(array.permute(&order))
}

/// `np.moveaxis`.
///
/// # Errors
/// `index` when an axis does not exist, `value` when the lists differ in length.
pub fn moveaxis(array: &Array, from: &[isize], to: &[isize]) -> Result<Array, Fault> {
    let (from, to) = (normalise_axes(from, array.ndim())?, normalise_axes(to, array.ndim())?);
    if from.len() != to.len() {
        return Err(Fault::new(
            Code::Value,
            "source and destination must have the same number of axes",
        ));
    }
    let mut order: Vec<usize> = (0..array.ndim()).filter(|axis| !from.contains(axis)).collect();
    let mut moves: Vec<(usize, usize)> = to.into_iter().zip(from).collect();
    moves.sort_unstable();
    for (to, from) in moves {
        order.insert(to, from);
    }
    Ok(array.permute(&order))
}

/// `np.squeeze`.
///
/// # Errors
/// `value` when an axis to drop is not 1.
pub fn squeeze(array: &Array, axes: Option<&[isize]>) -> Result<Array, Fault> {
    let drop: Vec<usize> = match axes {
        Some(axes) => normalise_axes(axes, array.ndim())?,
        None => (0..array.ndim()).filter(|&axis| array.shape()[axis] == 1).collect(),
    };
    if let Some(axis) = drop.iter().find(|&&axis| array.shape()[axis] != 1) {
        let message = format!(
            "cannot squeeze axis {axis} of shape {}: its size is not one",
            show_shape(array.shape())
        );
        return Err(Fault::new(Code::Value, message));
    }
    let keep = (0..array.ndim()).filter(|axis| !drop.contains(axis));
    let (shape, strides) = keep.map(|axis| (array.shape()[axis], array.strides()[axis])).unzip();
    Ok(array.view_window(0, shape, strides))
}

/// `np.expand_dims`.
///
/// # Errors
/// `index` when a position does not exist.
pub fn expand_dims(array: &Array, axes: &[isize]) -> Result<Array, Fault> {
    let ndim = array.ndim() + axes.len();
    let new = normalise_axes(axes, ndim)?;
    let mut old = 0..array.ndim();
    let (shape, strides) = (0..ndim)
        .map(|axis| match new.contains(&axis) {
            true => (1, 0),
            false => old
                .next()
                .map_or((1, 0), |axis| (array.shape()[axis], array.strides()[axis])),
        })
        .unzip();
    Ok(array.view_window(0, shape, strides))
}

/// The part `start..start + length` of an axis, as a view.
pub fn narrow_axis(array: &Array, axis: usize, start: usize, length: usize) -> Array {
    let mut shape = array.shape().to_vec();
    shape[axis] = length;
    array.view_window(array.strides()[axis] * start as isize, shape, array.strides().to_vec())
}

/// `np.flip`.
///
/// # Errors
/// `index` when an axis does not exist.
pub fn flip(array: &Array, axes: Option<&[isize]>) -> Result<Array, Fault> {
    let axes = match axes {
        Some(axes) => normalise_axes(axes, array.ndim())?,
        None => (0..array.ndim()).collect(),
    };
    let mut strides = array.strides().to_vec();
    let mut offset = 0;
    for axis in axes {
        offset += strides[axis] * (array.shape()[axis] as isize - 1).max(0);
        strides[axis] = -strides[axis];
    }
    Ok(array.view_window(offset, array.shape().to_vec(), strides))
}

/// `np.rot90` in the plane of `axes`.
///
/// # Errors
/// `index` when an axis does not exist.
pub fn rot90(array: &Array, turns: i128, axes: (isize, isize)) -> Result<Array, Fault> {
    Ok(match turns.rem_euclid(4) {
        0 => array.clone(),
        1 => flip(&swapaxes(array, axes.0, axes.1)?, Some(&[axes.0]))?,
        2 => flip(array, Some(&[axes.0, axes.1]))?,
        _ => swapaxes(&flip(array, Some(&[axes.0]))?, axes.0, axes.1)?,
    })
}

/// `np.roll` along one axis, or of the flattened array.
///
/// # Errors
/// `index` when the axis does not exist.
pub fn roll(array: &Array, shift: i128, axis: Option<isize>) -> Result<Array, Fault> {
    let Some(axis) = axis else {
        return roll(&array.reshape(&[array.len()])?, shift, Some(0))?.reshape(array.shape());
    };
    let axis = normalise_axis(axis, array.ndim())?;
    let length = array.shape()[axis];
    if length == 0 {
        return Ok(array.copy());
    }
    let by = shift.rem_euclid(length as i128) as usize;
    concatenate(
        &[
            narrow_axis(array, axis, length - by, by),
            narrow_axis(array, axis, 0, length - by),
        ],
        axis as isize,
    )
}

/// `np.concatenate` along an axis.
///
/// # Errors
/// `shape` when the other axes differ, `value` for nothing to join.
pub fn concatenate(arrays: &[Array], axis: isize) -> Result<Array, Fault> {
    let Some(first) = arrays.first() else {
        return Err(Fault::new(Code::Value, "need at least one array to concatenate"));
    };
    if first.ndim() == 0 {
        return Err(Fault::new(Code::Shape, "zero-dimensional arrays cannot be concatenated").hint("use np.stack"));
    }
    let axis = normalise_axis(axis, first.ndim())?;
    let mut shape = first.shape().to_vec();
    shape[axis] = 0;
    for array in arrays {
        let fits = array.ndim() == shape.len()
            && (0..shape.len()).all(|other| other == axis || array.shape()[other] == shape[other]);
        if !fits {
            let message = format!(
                "shapes {} and {} cannot be joined along axis {axis}: all other axes must be equal",
                show_shape(first.shape()),
                show_shape(array.shape())
            );
            return Err(Fault::new(Code::Shape, message));
        }
        shape[axis] += array.shape()[axis];
    }
    element_count(&shape)?;
    let dtype = math::result_type(arrays)?;
    let parts: Vec<Array> = arrays
        .iter()
        .map(|array| array.astype(dtype))
        .collect::<Result<_, _>>()?;
    let shapes: Vec<Vec<usize>> = parts.iter().map(|part| part.shape().to_vec()).collect();
    let target = shape.clone();
    Array::lazy(&shape, dtype, &parts.iter().collect::<Vec<_>>(), move |held| {
        let mut out = buffer::zeros(dtype, target.iter().product());
        let strides = row_major(&target);
        let mut at = 0;
        for (part, shape) in held.iter().zip(shapes) {
            let window = Window {
                offset: at * strides[axis] as usize,
                shape: shape.clone(),
                strides: strides.clone(),
            };
            buffer::scatter(&mut out, &window, part)?;
            at += shape[axis];
        }
        Ok(out)
    })
}

/// `np.stack` along a new axis.
///
/// # Errors
/// `shape` when shapes differ.
pub fn stack(arrays: &[Array], axis: isize) -> Result<Array, Fault> {
    if let Some(other) = arrays.iter().find(|array| array.shape() != arrays[0].shape()) {
        let message = format!(
            "all input arrays must have the same shape, not {} and {}",
            show_shape(arrays[0].shape()),
            show_shape(other.shape())
        );
        return Err(Fault::new(Code::Shape, message));
    }
    let grown: Vec<Array> = arrays
        .iter()
        .map(|array| expand_dims(array, &[axis]))
        .collect::<Result<_, _>>()?;
    concatenate(&grown, axis)
}

/// At least `ndim` dimensions, as `np.atleast_1d` and `np.atleast_2d` add them.
///
/// # Errors
/// Never in practice; the shape keeps its size.
pub fn at_least(array: &Array, ndim: usize) -> Result<Array, Fault> {
    let missing = ndim.saturating_sub(array.ndim());
    if missing == 0 {
        return Ok(array.clone().into_array());
    }
    array.reshape(&[vec![1; missing], array.shape().to_vec()].concat())
}

/// Ends of the parts of an axis: `sections` equal ones, or as equal as possible.
///
/// # Errors
/// `value` when equal parts do not exist.
pub fn section_ends(length: usize, sections: usize, exact: bool) -> Result<Vec<usize>, Fault> {
    if sections == 0 {
        return Err(Fault::new(Code::Value, "number of sections must be larger than 0"));
    }
    if exact && !length.is_multiple_of(sections) {
        let message = format!("array split of {length} elements into {sections} does not give equal parts");
        return Err(Fault::new(Code::Value, message).hint("use np.array_split for parts of different size"));
    }
    let (size, longer) = (length / sections, length % sections);
    Ok((1..=sections)
        .map(|section| section * size + section.min(longer))
        .collect())
}

/// Cuts an axis at `ends`; the last part reaches the end.
///
/// # Errors
/// `index` when the axis does not exist.
pub fn split(array: &Array, ends: &[usize], axis: isize) -> Result<Vec<Array>, Fault> {
    let axis = normalise_axis(axis, array.ndim())?;
    let mut start = 0;
    Ok(ends
        .iter()
        .map(|&end| {
            let end = end.min(array.shape()[axis]);
            let part = narrow_axis(array, axis, start.min(end), end - start.min(end));
            start = end;
            part
        })
        .collect())
}

/// Elements of an axis at known positions (not negative, in range).
///
/// # Errors
/// `limit` when the result is too large.
pub fn pick_axis(array: &Array, axis: usize, positions: Vec<usize>) -> Result<Array, Fault> {
    let source = array.shape().to_vec();
    let mut shape = source.clone();
    shape[axis] = positions.len();
    Array::lazy(&shape, array.dtype(), &[array], move |held| {
        let inner: usize = source[axis + 1..].iter().product();
        let outer: usize = source[..axis].iter().product();
        let mut at = Vec::with_capacity(outer * positions.len() * inner);
        for block in 0..outer {
            for &position in &positions {
                let start = (block * source[axis] + position) * inner;
                at.extend(start..start + inner);
            }
        }
        Ok(held[0].pick(&at))
    })
}

/// `np.repeat`; `counts` has one entry, or one per element of the axis.
///
/// # Errors
/// `shape` when the counts do not fit, `index` when the axis does not exist.
pub fn repeat(array: &Array, counts: &[usize], axis: Option<isize>) -> Result<Array, Fault> {
    let Some(axis) = axis else {
        return repeat(&array.reshape(&[array.len()])?, counts, Some(0));
    };
    let axis = normalise_axis(axis, array.ndim())?;
    let length = array.shape()[axis];
    if counts.len() != 1 && counts.len() != length {
        let message = format!("{} repeat counts given for an axis of {length} elements", counts.len());
        return Err(Fault::new(Code::Shape, message));
    }
    let times = |i: usize| counts[if counts.len() == 1 { 0 } else { i }];
    element_count(&[counts.iter().copied().max().unwrap_or(0), array.len()])?;
    pick_axis(
        array,
        axis,
        (0..length).flat_map(|i| std::iter::repeat_n(i, times(i))).collect(),
    )
}

/// `np.tile`.
///
/// # Errors
/// `limit` when the result is too large.
pub fn tile(array: &Array, times: &[usize]) -> Result<Array, Fault> {
    let ndim = array.ndim().max(times.len());
    let array = at_least(array, ndim)?;
    let times = [vec![1; ndim - times.len()], times.to_vec()].concat();
    let mut spread = Vec::new();
    let mut shape = Vec::new();
    for (axis, &count) in times.iter().enumerate() {
        spread.extend([count, array.shape()[axis]]);
        shape.push(count.saturating_mul(array.shape()[axis]));
    }
    let grown: Vec<usize> = (0..ndim).flat_map(|axis| [1, array.shape()[axis]]).collect();
    element_count(&shape)?;
    array.reshape(&grown)?.broadcast_to(&spread)?.copy().reshape(&shape)
}

/// How `np.pad` fills.
#[derive(Clone, Debug)]
pub enum Pad {
    /// With a value.
    Constant(Array),
    /// With the nearest edge.
    Edge,
    /// Mirrored without repeating the edge.
    Reflect,
    /// Mirrored with the edge.
    Symmetric,
    /// From the other side.
    Wrap,
}

/// `np.pad` with (before, after) per axis.
///
/// # Errors
/// `shape` when the widths do not fit, `value` when a mirror has nothing to show.
pub fn pad(array: &Array, widths: &[(usize, usize)], mode: &Pad) -> Result<Array, Fault> {
    if widths.len() != array.ndim() {
        let message = format!(
            "{} pad widths given for shape {}",
            widths.len(),
            show_shape(array.shape())
        );
        return Err(Fault::new(Code::Shape, message));
    }
    if let Pad::Constant(value) = mode {
        let shape: Vec<usize> = array
            .shape()
            .iter()
            .zip(widths)
            .map(|(&extent, &(before, after))| extent + before + after)
            .collect();
        let out = super::create::full(&shape, value, array.dtype())?;
        let start = out
            .strides()
            .iter()
            .zip(widths)
            .map(|(&stride, &(before, _))| stride * before as isize)
            .sum();
        out.view_window(start, array.shape().to_vec(), out.strides().to_vec())
            .write(array)?;
        return Ok(out);
    }
    let mut out = array.clone();
    for (axis, &(before, after)) in widths.iter().enumerate() {
        let length = array.shape()[axis];
        if length == 0 {
            return Err(Fault::new(
                Code::Value,
                format!("cannot extend empty axis {axis} from its own values"),
            ));
        }
        let positions = (-(before as isize)..(length + after) as isize)
            .map(|at| mirrored(at, length, mode))
            .collect();
        out = pick_axis(&out, axis, positions)?;
    }
    Ok(out)
}

/// The position inside `length` that a padded position shows.
fn mirrored(at: isize, length: usize, mode: &Pad) -> usize {
    let n = length as isize;
    let inside = match mode {
        Pad::Constant(_) | Pad::Edge => at.clamp(0, n - 1),
        Pad::Wrap => at.rem_euclid(n),
        Pad::Symmetric => {
            let at = at.rem_euclid(2 * n);
            at.min(2 * n - 1 - at)
        }
        Pad::Reflect if n == 1 => 0,
        Pad::Reflect => {
            let at = at.rem_euclid(2 * n - 2);
            at.min(2 * n - 2 - at)
        }
    };
    inside as usize
}

/// The lower (`keep_lower`) or upper triangle; elsewhere zero. `k` shifts the diagonal.
///
/// # Errors
/// `shape` for fewer than two dimensions.
pub fn triangle(array: &Array, k: isize, keep_lower: bool) -> Result<Array, Fault> {
    let &[.., rows, columns] = array.shape() else {
        return Err(Fault::new(
            Code::Shape,
            format!("a triangle needs two dimensions, not {}", show_shape(array.shape())),
        ));
    };
    let limit = move |row: usize, column: usize| column as isize - row as isize;
    let keep: Vec<bool> = (0..rows * columns)
        .map(|i| {
            let distance = limit(i / columns, i % columns);
            if keep_lower { distance <= k } else { distance >= k }
        })
        .collect();
    let mask = Array::ready(&[rows, columns], Dtype::Bool, Buf::Bool(keep));
    let zero = Array::scalar(Item::Int(0), array.dtype())?;
    math::select(&mask, &array.clone().into_array(), &zero)
}

/// Whether an operand is a number without dimensions.
pub fn is_number(array: &Array) -> bool {
    array.ndim() == 0 && array.kind() != Kind::Array
}

/// `np.diagonal` of a matrix (last two axes), as a view; `k` above the main one.
///
/// # Errors
/// `shape` for fewer than two dimensions.
pub fn diagonal(array: &Array, k: isize) -> Result<Array, Fault> {
    let &[ref outer @ .., rows, columns] = array.shape() else {
        return Err(Fault::new(
            Code::Shape,
            format!("a diagonal needs two dimensions, not {}", show_shape(array.shape())),
        ));
    };
    let (down, right) = ((-k).max(0) as usize, k.max(0) as usize);
    let length = rows.saturating_sub(down).min(columns.saturating_sub(right));
    let (row, column) = (array.strides()[outer.len()], array.strides()[outer.len() + 1]);
    let offset = if length == 0 {
        0
    } else {
        row * down as isize + column * right as isize
    };
    let shape = [outer, &[length]].concat();
    let strides = [&array.strides()[..outer.len()], &[row + column]].concat();
    Ok(array.view_window(offset, shape, strides))
}
