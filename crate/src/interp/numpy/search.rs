//! Order and search: sorting, distinct values, counting.

use std::cmp::Ordering;

use super::array::Array;
use super::buffer::{self, Buf, Element};
use super::node::{Demand, Host};
use super::reduce::{self, Along};
use super::shape::{moveaxis, narrow_axis, normalise_axis};
use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::Dtype;

/// NumPy's order: numbers, then NaN.
fn order<T: PartialOrd>(x: &T, y: &T) -> Ordering {
    x.partial_cmp(y).unwrap_or_else(|| {
        let (x_nan, y_nan) = (x.partial_cmp(x).is_none(), y.partial_cmp(y).is_none());
        x_nan.cmp(&y_nan)
    })
}

/// Positions that sort a slice; equal elements keep their order.
fn sorted_positions<T: PartialOrd>(row: &[T]) -> Vec<usize> {
    let mut at: Vec<usize> = (0..row.len()).collect();
    at.sort_by(|&i, &j| order(&row[i], &row[j]));
    at
}

/// Positions within each row of `length` that sort it.
fn row_orders(lanes: &Buf, length: usize) -> Vec<usize> {
    buffer::with_buf!(lanes, v => v.chunks(length.max(1)).flat_map(sorted_positions).collect())
}

/// The array with `axis` last; without an axis, flattened.
fn axis_last(array: &Array, axis: Option<isize>) -> Result<(Array, isize), Fault> {
    match axis {
        None => Ok((array.reshape(&[array.len()])?, 0)),
        Some(axis) => {
            let axis = normalise_axis(axis, array.ndim())? as isize;
            Ok((moveaxis(array, &[axis], &[-1])?, axis))
        }
    }
}

/// `np.sort`.
///
/// # Errors
/// `index` when the axis does not exist.
pub fn sort(array: &Array, axis: Option<isize>) -> Result<Array, Fault> {
    let (view, axis) = axis_last(array, axis)?;
    let (dtype, length) = (array.dtype(), view.shape().last().copied().unwrap_or(1));
    let out = Array::lazy(view.shape(), dtype, &[&view], move |held| {
        let orders = row_orders(&buffer::lanes(&held[0], dtype), length);
        let at: Vec<usize> = orders
            .iter()
            .enumerate()
            .map(|(i, &position)| i / length.max(1) * length + position)
            .collect();
        Ok(held[0].pick(&at))
    })?;
    moveaxis(&out, &[-1], &[axis])
}

/// `np.argsort` (stable).
///
/// # Errors
/// `index` when the axis does not exist.
pub fn argsort(array: &Array, axis: Option<isize>) -> Result<Array, Fault> {
    let (view, axis) = axis_last(array, axis)?;
    let (dtype, length) = (array.dtype(), view.shape().last().copied().unwrap_or(1));
    let out = Array::lazy(view.shape(), Dtype::I64, &[&view], move |held| {
        let orders = row_orders(&buffer::lanes(&held[0], dtype), length);
        Ok(Buf::I64(orders.into_iter().map(|at| at as i64).collect()))
    })?;
    moveaxis(&out, &[-1], &[axis])
}

/// What `np.unique` gives: values, first positions, inverse, counts.
pub struct Unique {
    /// Sorted distinct values.
    pub values: Array,
    /// Where each first occurs.
    pub index: Array,
    /// The number of the value of each element.
    pub inverse: Array,
    /// How often each occurs.
    pub counts: Array,
}

/// `np.unique` of the flattened array. Needs the values.
///
/// # Errors
/// As forcing.
pub fn unique(array: &Array, host: &dyn Host) -> Result<Unique, Demand> {
    let held = array.force(host)?;
    let lanes = buffer::lanes(&held, array.dtype());
    let (at, same): (Vec<usize>, Vec<bool>) = buffer::with_buf!(&*lanes, v => {
        let at = sorted_positions(v);
        let same = (0..at.len()).map(|i| i > 0 && order(&v[at[i - 1]], &v[at[i]]).is_eq()).collect();
        (at, same)
    });
    let (mut first, mut counts, mut inverse) = (Vec::new(), Vec::new(), vec![0i64; at.len()]);
    for (&position, same) in at.iter().zip(same) {
        if !same {
            first.push(position);
            counts.push(0i64);
        }
        if let Some(count) = counts.last_mut() {
            *count += 1;
        }
        inverse[position] = counts.len() as i64 - 1;
    }
    let integers = |v: Vec<i64>| Array::ready(&[v.len()], Dtype::I64, Buf::I64(v));
    Ok(Unique {
        values: Array::ready(&[first.len()], array.dtype(), held.pick(&first)),
        index: integers(first.iter().map(|&at| at as i64).collect()),
        inverse: Array::ready(array.shape(), Dtype::I64, Buf::I64(inverse)),
        counts: integers(counts),
    })
}

/// Number of elements of sorted `row` before `x` (`right`: not after).
fn insertion<T: Element>(row: &[T], x: T, right: bool) -> i64 {
    row.partition_point(|y| {
        if right {
            order(y, &x).is_le()
        } else {
            order(y, &x).is_lt()
        }
    }) as i64
}

/// `np.searchsorted`.
///
/// # Errors
/// `shape` unless `sorted` has one dimension.
pub fn searchsorted(sorted: &Array, values: &Array, right: bool) -> Result<Array, Fault> {
    if sorted.ndim() != 1 {
        return Err(Fault::new(
            Code::Shape,
            "np.searchsorted needs a sorted array with one dimension",
        ));
    }
    let (a, b) = (sorted.astype(Dtype::F64)?, values.astype(Dtype::F64)?);
    let out = Array::lazy(values.shape(), Dtype::I64, &[&a, &b], move |held| {
        let row = held[0].typed::<f64>()?;
        Ok(Buf::I64(
            held[1]
                .typed::<f64>()?
                .iter()
                .map(|&x| insertion(row, x, right))
                .collect(),
        ))
    })?;
    Ok(out.into_scalar())
}

/// `np.bincount`. Needs the values, which decide the length.
///
/// # Errors
/// `value` for negative elements, else as forcing.
pub fn bincount(array: &Array, minimum: usize, host: &dyn Host) -> Result<Array, Demand> {
    let held = array.astype(Dtype::I64)?.force(host)?;
    let values: &[i64] = held.typed()?;
    if values.iter().any(|&x| x < 0) {
        return Err(Fault::new(Code::Value, "np.bincount needs elements that are not negative").into());
    }
    let length = super::node::element_count(&[values.iter().max().map_or(0, |&x| x as usize + 1).max(minimum)])?;
    let mut counts = vec![0i64; length];
    for &x in values {
        counts[x as usize] += 1;
    }
    Ok(Array::ready(&[length], Dtype::I64, Buf::I64(counts)))
}

/// `np.median` along an axis, or of everything.
///
/// # Errors
/// `index` when the axis does not exist.
pub fn median(array: &Array, axis: Option<isize>, keepdims: bool) -> Result<Array, Fault> {
    let sorted = sort(array, axis)?;
    let at = normalise_axis(axis.unwrap_or(0), sorted.ndim())?;
    let length = sorted.shape()[at];
    if length == 0 {
        return Err(Fault::new(Code::Value, "the median of nothing is undefined"));
    }
    let (start, count) = if length % 2 == 1 {
        (length / 2, 1)
    } else {
        (length / 2 - 1, 2)
    };
    let middle = narrow_axis(&sorted, at, start, count);
    reduce::mean(
        &middle,
        &Along {
            axes: Some(vec![at as isize]),
            keepdims,
            dtype: None,
        },
    )
}
