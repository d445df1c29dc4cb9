//! Indexing: basic indices give views, arrays of positions or truth values give copies.

use std::rc::Rc;

use super::array::{Array, Item};
use super::buffer::{Buf, row_major};
use super::math;
use super::node::{Demand, Held, Host, show_shape};
use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::Dtype;

/// One entry of a subscript.
#[derive(Clone, Debug)]
pub enum Index {
    /// A position.
    Int(i128),
    /// `start:stop:step`.
    Slice(Option<i128>, Option<i128>, Option<i128>),
    /// `None` or `np.newaxis`.
    NewAxis,
    /// `...`
    Ellipsis,
    /// Positions or a mask.
    Array(Array),
}

/// A view and the axes of it that arrays index.
struct Prepared {
    view: Array,
    arrays: Vec<(usize, Array)>,
    adjacent: bool,
}

/// How many axes of the array an entry takes.
fn consumed(index: &Index) -> usize {
    match index {
        Index::NewAxis | Index::Ellipsis => 0,
        Index::Int(_) | Index::Slice(..) => 1,
        Index::Array(array) if array.dtype() == Dtype::Bool => array.ndim(),
        Index::Array(_) => 1,
    }
}

/// A position on an axis, counted from the front.
fn position(index: i128, axis: usize, length: usize) -> Result<usize, Fault> {
    let from_front = if index < 0 { index + length as i128 } else { index };
    if from_front < 0 || from_front >= length as i128 {
        let message = format!("index {index} is out of bounds for axis {axis} with size {length}");
        return Err(Fault::new(Code::Index, message));
    }
    Ok(from_front as usize)
}

/// Start, step and number of elements of a slice, as `slice.indices` gives them.
///
/// # Errors
/// `value` for a step of zero.
pub fn slice_bounds(
    (start, stop, step): (Option<i128>, Option<i128>, Option<i128>),
    length: usize,
) -> Result<(usize, isize, usize), Fault> {
    let step = step.unwrap_or(1);
    if step == 0 {
        return Err(Fault::new(Code::Value, "slice step cannot be zero"));
    }
    let n = length as i128;
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let bound = |x: i128| (if x < 0 { x + n } else { x }).clamp(low, high);
    let start = start.map_or(if step > 0 { low } else { high }, bound);
    let stop = stop.map_or(if step > 0 { high } else { low }, bound);
    let span = if step > 0 { stop - start } else { start - stop };
    let count = if span > 0 { (span - 1) / step.abs() + 1 } else { 0 };
    Ok((
        if count == 0 { 0 } else { start as usize },
        step.clamp(-n - 1, n + 1) as isize,
        count as usize,
    ))
}

/// The subscript with the ellipsis written out as full slices.
fn expand(array: &Array, indices: &[Index]) -> Result<Vec<Index>, Fault> {
    let used: usize = indices.iter().map(consumed).sum();
    if used > array.ndim() {
        let message = format!(
            "too many indices: array of shape {} is {}-dimensional, but {used} were indexed",
            show_shape(array.shape()),
            array.ndim()
        );
        return Err(Fault::new(Code::Index, message));
    }
    if indices.iter().filter(|index| matches!(index, Index::Ellipsis)).count() > 1 {
        return Err(Fault::new(
            Code::Index,
            "an index can only have a single ellipsis ('...')",
        ));
    }
    let full = || std::iter::repeat_n(Index::Slice(None, None, None), array.ndim() - used);
    let at = indices.iter().position(|index| matches!(index, Index::Ellipsis));
    Ok(match at {
        Some(at) => indices[..at]
            .iter()
            .cloned()
            .chain(full())
            .chain(indices[at + 1..].iter().cloned())
            .collect(),
        None => indices.iter().cloned().chain(full()).collect(),
    })
}

/// Applies the basic entries; beside arrays, positions count as arrays of one element.
fn prepare(array: &Array, indices: &[Index], host: &dyn Host) -> Result<Prepared, Demand> {
    let entries = expand(array, indices)?;
    let advanced = entries.iter().any(|index| matches!(index, Index::Array(_)));
    let (mut shape, mut strides, mut offset, mut axis) = (Vec::new(), Vec::new(), 0isize, 0);
    let mut arrays: Vec<(usize, Array)> = Vec::new();
    let mut runs: Vec<bool> = Vec::new();
    for entry in entries {
        let is_array = matches!(entry, Index::Array(_)) || (advanced && matches!(entry, Index::Int(_)));
        if runs.last() != Some(&is_array) {
            runs.push(is_array);
        }
        match entry {
            Index::Ellipsis => {}
            Index::NewAxis => {
                shape.push(1);
                strides.push(0);
            }
            Index::Slice(start, stop, step) => {
                let (first, step, count) = slice_bounds((start, stop, step), array.shape()[axis])?;
                offset += first as isize * array.strides()[axis];
                shape.push(count);
                strides.push(step * array.strides()[axis]);
                axis += 1;
            }
            Index::Int(index) => {
                let at = position(index, axis, array.shape()[axis])?;
                if advanced {
                    arrays.push((shape.len(), Array::ready(&[], Dtype::I64, Buf::I64(vec![at as i64]))));
                    shape.push(array.shape()[axis]);
                    strides.push(array.strides()[axis]);
                } else {
                    offset += at as isize * array.strides()[axis];
                }
                axis += 1;
            }
            Index::Array(index) => {
                let parts = positions_of(&index, array, axis, host)?;
                for part in parts {
                    arrays.push((shape.len(), part));
                    shape.push(array.shape()[axis]);
                    strides.push(array.strides()[axis]);
                    axis += 1;
                }
            }
        }
    }
    let adjacent = runs.iter().filter(|is_array| **is_array).count() <= 1;
    Ok(Prepared {
        view: array.view_window(offset, shape, strides),
        arrays,
        adjacent,
    })
}

/// The position arrays of one entry; a mask becomes one per axis, which needs its values.
fn positions_of(index: &Array, array: &Array, axis: usize, host: &dyn Host) -> Result<Vec<Array>, Demand> {
    if index.dtype() != Dtype::Bool {
        if !index.dtype().is_integer() && !index.is_empty() {
            let message = "arrays used as indices must be of integer (or boolean) type";
            return Err(Fault::new(Code::Index, message)
                .hint("convert with .astype(int)")
                .into());
        }
        return Ok(vec![index.astype(Dtype::I64)?]);
    }
    let extents = &array.shape()[axis..axis + index.ndim()];
    if extents != index.shape() {
        let message = format!(
            "boolean index of shape {} does not match the indexed axes {}",
            show_shape(index.shape()),
            show_shape(extents)
        );
        return Err(Fault::new(Code::Index, message).into());
    }
    nonzero(index, host)
}

/// `np.nonzero`: the positions of elements that are not zero, one array per axis. Needs the values.
///
/// # Errors
/// As forcing.
pub fn nonzero(array: &Array, host: &dyn Host) -> Result<Vec<Array>, Demand> {
    let truth = array.astype(Dtype::Bool)?.force(host)?;
    let truth: &[bool] = truth.typed()?;
    let at: Vec<usize> = (0..truth.len()).filter(|&i| truth[i]).collect();
    let strides = row_major(array.shape());
    let axis_positions = |axis: usize| {
        let (stride, extent) = (strides[axis] as usize, array.shape()[axis]);
        let positions: Vec<i64> = at.iter().map(|&i| (i / stride % extent) as i64).collect();
        Array::ready(&[at.len()], Dtype::I64, Buf::I64(positions))
    };
    Ok((0..array.ndim()).map(axis_positions).collect())
}

/// Offsets of all elements of a strided rectangle, row-major.
fn offsets(shape: &[usize], strides: &[usize]) -> Vec<usize> {
    let mut out = vec![0];
    for (&extent, &stride) in shape.iter().zip(strides) {
        out = out
            .iter()
            .flat_map(|&start| (0..extent).map(move |i| start + i * stride))
            .collect();
    }
    out
}

/// Where an advanced subscript reads: flat positions in the row-major view, and the shape of the result.
struct Selection {
    view: Array,
    indices: Vec<Array>,
    axes: Vec<usize>,
    /// Axes before, and after, the indexed ones.
    around: (Vec<usize>, Vec<usize>),
    shape: Vec<usize>,
}

impl Selection {
    fn new(prepared: Prepared) -> Result<Self, Fault> {
        let Prepared { view, arrays, adjacent } = prepared;
        let mut broadcast = Vec::new();
        for (_, array) in &arrays {
            broadcast = math::broadcast_shapes(&broadcast, array.shape())?;
        }
        let axes: Vec<usize> = arrays.iter().map(|(axis, _)| *axis).collect();
        let first = if adjacent {
            axes.first().copied().unwrap_or(0)
        } else {
            0
        };
        let rest = (0..view.ndim()).filter(|axis| !axes.contains(axis));
        let around: (Vec<usize>, Vec<usize>) = rest.partition(|&axis| axis < first);
        let extents = |axes: &[usize]| axes.iter().map(|&axis| view.shape()[axis]).collect::<Vec<_>>();
        let shape = [extents(&around.0), broadcast.clone(), extents(&around.1)].concat();
        let indices = arrays
            .iter()
            .map(|(_, array)| array.broadcast_to(&broadcast))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            view,
            indices,
            axes,
            around,
            shape,
        })
    }

    /// A function from forced index arrays to flat positions.
    fn resolver(&self) -> impl Fn(&[Rc<Held>]) -> Result<Vec<usize>, Fault> + use<> {
        let extents = self.view.shape().to_vec();
        let strides: Vec<usize> = row_major(&extents).iter().map(|&stride| stride as usize).collect();
        let axes = self.axes.clone();
        let table = |axes: &[usize]| {
            let pick = |from: &[usize]| axes.iter().map(|&axis| from[axis]).collect::<Vec<_>>();
            offsets(&pick(&extents), &pick(&strides))
        };
        let (before, after) = (table(&self.around.0), table(&self.around.1));
        move |held| {
            let count = held.first().map_or(1, |first| first.len());
            let mut chosen = vec![0; count];
            for (index, &axis) in held.iter().zip(&axes) {
                for (sum, &at) in chosen.iter_mut().zip(index.typed::<i64>()?) {
                    *sum += position(i128::from(at), axis, extents[axis])? * strides[axis];
                }
            }
            let mut out = Vec::with_capacity(before.len() * count * after.len());
            for start in &before {
                for middle in &chosen {
                    out.extend(after.iter().map(|end| start + middle + end));
                }
            }
            Ok(out)
        }
    }
}

/// `array[indices]`.
///
/// # Errors
/// `index` when out of bounds; masks need their values.
pub fn get(array: &Array, indices: &[Index], host: &dyn Host) -> Result<Array, Demand> {
    let scalar = indices.iter().all(|index| matches!(index, Index::Int(_)));
    let prepared = prepare(array, indices, host)?;
    if prepared.arrays.is_empty() {
        return Ok(if scalar && prepared.view.ndim() == 0 {
            prepared.view.copy().into_scalar()
        } else {
            prepared.view
        });
    }
    let selection = Selection::new(prepared)?;
    let resolve = selection.resolver();
    let inputs: Vec<&Array> = std::iter::once(&selection.view).chain(&selection.indices).collect();
    let out = Array::lazy(&selection.shape, array.dtype(), &inputs, move |held| {
        Ok(held[0].pick(&resolve(&held[1..])?))
    })?;
    Ok(out.into_scalar())
}

/// `array[indices] = value`.
///
/// # Errors
/// `index` when out of bounds, `shape` when the value does not fit; masks with array values need their values.
pub fn set(array: &Array, indices: &[Index], value: &Array, host: &dyn Host) -> Result<(), Demand> {
    array.check_writable()?;
    if let [Index::Array(mask)] = indices
        && mask.dtype() == Dtype::Bool
        && mask.shape() == array.shape()
        && value.len() == 1
    {
        let value = super::create::full(&[], value, array.dtype())?;
        array.write(&math::select(mask, &value, array)?)?;
        return Ok(());
    }
    let prepared = prepare(array, indices, host)?;
    if prepared.arrays.is_empty() {
        prepared.view.write(value)?;
        return Ok(());
    }
    let selection = Selection::new(prepared)?;
    let resolve = selection.resolver();
    let fitted = match value.snapshot_item().filter(|_| value.ndim() == 0) {
        Some(item @ Item::Int(_)) => Array::ready(&[], array.dtype(), item.store(array.dtype())?),
        _ => value.astype(array.dtype())?,
    };
    let values = fitted.broadcast_to(&selection.shape)?;
    let inputs: Vec<&Array> = [&selection.view, &values]
        .into_iter()
        .chain(&selection.indices)
        .collect();
    let updated = Array::lazy(selection.view.shape(), array.dtype(), &inputs, move |held| {
        let mut out: Buf = (**held[0]).clone();
        for (from, to) in resolve(&held[2..])?.into_iter().enumerate() {
            out.put(to, &held[1], from);
        }
        Ok(out)
    })?;
    selection.view.write(&updated)?;
    Ok(())
}

/// `np.take(array, indices, axis)`; without an axis, of the flattened array.
///
/// # Errors
/// `index` when out of bounds.
pub fn take(array: &Array, indices: &Array, axis: Option<isize>, host: &dyn Host) -> Result<Array, Demand> {
    let Some(axis) = axis else {
        return take(&array.reshape(&[array.len()])?, indices, Some(0), host);
    };
    let axis = super::shape::normalise_axis(axis, array.ndim())?;
    let mut entries = vec![Index::Slice(None, None, None); axis];
    entries.push(Index::Array(indices.astype(Dtype::I64)?));
    get(array, &entries, host)
}

/// The entries that pick, at every position of `indices`, the element along `axis` (`take_along_axis`).
///
/// # Errors
/// `shape` when the dimensions differ.
pub fn along_axis(array: &Array, indices: &Array, axis: isize) -> Result<Vec<Index>, Fault> {
    let axis = super::shape::normalise_axis(axis, array.ndim())?;
    if indices.ndim() != array.ndim() {
        let message = format!(
            "indices of shape {} and array of shape {} must have the same number of dimensions",
            show_shape(indices.shape()),
            show_shape(array.shape())
        );
        return Err(Fault::new(Code::Shape, message));
    }
    (0..array.ndim())
        .map(|other| {
            if other == axis {
                return Ok(Index::Array(indices.clone()));
            }
            let length = indices.shape()[other];
            let mut shape = vec![1; array.ndim()];
            shape[other] = length;
            let line = Buf::I64((0..length as i64).collect());
            Ok(Index::Array(Array::ready(&shape, Dtype::I64, line)))
        })
        .collect()
}
