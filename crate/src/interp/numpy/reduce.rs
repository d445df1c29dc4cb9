//! Reductions along axes, in NumPy's order of summation.
//!
//! NumPy visits memory order: axes are sorted by stride and neighbours merged. Where the fastest axis is reduced, floats
//! are added pairwise in blocks of 128 with eight partial sums; where it is kept, row after row is added.

use super::array::{Array, Item};
use super::buffer::{self, Buf, Element, row_major};
use super::math::{self, Binary, Unary};
use super::narrow;
use super::node::show_shape;
use super::promote::{is_extension, no_arithmetic};
use super::shape::{normalise_axes, normalise_axis};
use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::{Class, Dtype};

pub use super::moments::{mean, std, var};

/// Elements that NumPy casts at a time when a reduction computes in another dtype.
const CAST_BUFFER: usize = 8192;

/// Reductions to one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// `np.sum`
    Sum,
    /// `np.prod`
    Prod,
    /// `np.max`
    Max,
    /// `np.min`
    Min,
    /// `np.any`
    Any,
    /// `np.all`
    All,
}

/// Reductions to a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// `np.argmax`
    Max,
    /// `np.argmin`
    Min,
}

/// Axis and shape arguments of a reduction.
#[derive(Clone, Debug, Default)]
pub struct Along {
    /// Axes, or all of them.
    pub axes: Option<Vec<isize>>,
    /// Whether reduced axes stay with extent 1.
    pub keepdims: bool,
    /// The dtype to compute in.
    pub dtype: Option<Dtype>,
}

impl Along {
    /// All axes.
    pub fn all() -> Self {
        Self::default()
    }

    /// One axis.
    pub fn axis(axis: isize) -> Self {
        Self {
            axes: Some(vec![axis]),
            ..Self::default()
        }
    }
}

/// The dtype of sums and products.
fn sum_dtype(dtype: Dtype) -> Dtype {
    match dtype.info().class {
        Class::Bool | Class::Signed => Dtype::I64,
        Class::Unsigned => Dtype::U64,
        Class::Float(_) | Class::Packed => dtype,
    }
}

/// Numbers that can be summed.
trait Number: Element {
    fn plus(self, y: Self) -> Self;
    fn times(self, y: Self) -> Self;
    fn larger(self, y: Self) -> Self;
    fn smaller(self, y: Self) -> Self;
    fn sum_row(row: &[Self]) -> Self;
    /// What a sum begins with: -0.0 for floats, as only that leaves every value as it is.
    const NO_SUM: Self;
    /// The sum of nothing.
    const EMPTY_SUM: Self;
    const NO_PRODUCT: Self;
}

macro_rules! integer_number {
    ($($ty:ty),*) => {$(
        impl Number for $ty {
            fn plus(self, y: Self) -> Self { self.wrapping_add(y) }
            fn times(self, y: Self) -> Self { self.wrapping_mul(y) }
            fn larger(self, y: Self) -> Self { self.max(y) }
            fn smaller(self, y: Self) -> Self { self.min(y) }
            fn sum_row(row: &[Self]) -> Self { row.iter().fold(0, |sum, &x| sum.wrapping_add(x)) }
            const NO_SUM: Self = 0;
            const EMPTY_SUM: Self = 0;
            const NO_PRODUCT: Self = 1;
        }
    )*};
}
integer_number!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! float_number {
    ($($ty:ty),*) => {$(
        impl Number for $ty {
            fn plus(self, y: Self) -> Self { self + y }
            fn times(self, y: Self) -> Self { self * y }
            fn larger(self, y: Self) -> Self { if self.is_nan() || self >= y { self } else { y } }
            fn smaller(self, y: Self) -> Self { if self.is_nan() || self <= y { self } else { y } }
            fn sum_row(row: &[Self]) -> Self { pairwise(row) }
            const NO_SUM: Self = -0.0;
            const EMPTY_SUM: Self = 0.0;
            const NO_PRODUCT: Self = 1.0;
        }
    )*};
}
float_number!(f32, f64);

/// NumPy's pairwise sum.
fn pairwise<T: Number>(row: &[T]) -> T {
    let n = row.len();
    if n < 8 {
        return row.iter().fold(T::NO_SUM, |sum, &x| sum.plus(x));
    }
    if n <= 128 {
        let (chunks, rest) = row.as_chunks::<8>();
        let mut r = chunks[0];
        for chunk in &chunks[1..] {
            for (sum, &x) in r.iter_mut().zip(chunk) {
                *sum = sum.plus(x);
            }
        }
        let left = r[0].plus(r[1]).plus(r[2].plus(r[3]));
        let right = r[4].plus(r[5]).plus(r[6].plus(r[7]));
        return rest.iter().fold(left.plus(right), |sum, &x| sum.plus(x));
    }
    let half = n / 2 - (n / 2) % 8;
    pairwise(&row[..half]).plus(pairwise(&row[half..]))
}

/// How a reduction walks a row-major array: extents after merging, and whether each is reduced.
struct Plan {
    dims: Vec<(usize, bool)>,
    kept: usize,
}

impl Plan {
    /// Merges neighbours of the same kind and drops unit axes.
    fn new(shape: &[usize], reduced: &[bool]) -> Self {
        let mut dims: Vec<(usize, bool)> = Vec::new();
        for (&extent, &is_reduced) in shape.iter().zip(reduced) {
            match dims.last_mut() {
                _ if extent == 1 => {}
                Some((last, kind)) if *kind == is_reduced => *last *= extent,
                _ => dims.push((extent, is_reduced)),
            }
        }
        let kept = dims.iter().filter(|dim| !dim.1).map(|dim| dim.0).product();
        Self { dims, kept }
    }

    /// Calls `visit(output offset, input offset, row length, row is reduced)` for each innermost row in memory order.
    fn rows(&self, mut visit: impl FnMut(usize, usize, usize, bool)) {
        let Some((&(inner, reduced), outer)) = self.dims.split_last() else {
            visit(0, 0, 1, true);
            return;
        };
        let kept: Vec<usize> = self.dims.iter().map(|dim| if dim.1 { 1 } else { dim.0 }).collect();
        let steps: Vec<usize> = row_major(&kept)
            .iter()
            .zip(&self.dims)
            .map(|(&step, dim)| if dim.1 { 0 } else { step as usize })
            .collect();
        let mut index = vec![0usize; outer.len()];
        let rows = outer.iter().map(|dim| dim.0).product::<usize>();
        let (mut target, mut source) = (0, 0);
        for _ in 0..rows {
            visit(target, source, inner, reduced);
            source += inner;
            for axis in (0..outer.len()).rev() {
                index[axis] += 1;
                target += steps[axis];
                if index[axis] < outer[axis].0 {
                    break;
                }
                target -= steps[axis] * index[axis];
                index[axis] = 0;
            }
        }
    }
}

/// Reduces with `combine`; `row` reduces an innermost row, which then combines with what is there.
fn fold<T: Element>(
    plan: &Plan,
    data: &[T],
    first: T,
    combine: impl Fn(T, T) -> T,
    row: impl Fn(T, &[T]) -> T,
) -> Vec<T> {
    let mut out = vec![first; plan.kept];
    if data.is_empty() {
        return out;
    }
    plan.rows(|target, source, length, reduced| {
        let values = &data[source..source + length];
        if reduced {
            out[target] = row(out[target], values);
        } else {
            for (sum, &x) in out[target..target + length].iter_mut().zip(values) {
                *sum = combine(*sum, x);
            }
        }
    });
    out
}

/// As [`fold`] with the first element as start, for `max` and `min`.
fn fold_first<T: Element>(plan: &Plan, data: &[T], combine: impl Fn(T, T) -> T + Copy) -> Vec<T> {
    let mut out: Vec<Option<T>> = vec![None; plan.kept];
    plan.rows(|target, source, length, reduced| {
        for (i, &x) in data[source..source + length].iter().enumerate() {
            let slot = &mut out[if reduced { target } else { target + i }];
            *slot = Some(slot.map_or(x, |seen| combine(seen, x)));
        }
    });
    out.into_iter().map(Option::unwrap_or_default).collect()
}

/// One reduction of numbers of type `T`; `chunk` bounds the rows that are summed at once.
fn numbers<T: Number>(op: Reduction, plan: &Plan, data: &[T], chunk: usize) -> Buf {
    T::wrap(match op {
        Reduction::Prod => fold(plan, data, T::NO_PRODUCT, T::times, |seen, row| {
            row.iter().fold(seen, |x, &y| x.times(y))
        }),
        Reduction::Max => fold_first(plan, data, T::larger),
        Reduction::Min => fold_first(plan, data, T::smaller),
        Reduction::Sum | Reduction::Any | Reduction::All if data.is_empty() => vec![T::EMPTY_SUM; plan.kept],
        Reduction::Sum | Reduction::Any | Reduction::All => fold(plan, data, T::NO_SUM, T::plus, |seen, row| {
            row.chunks(chunk).fold(seen, |seen, part| seen.plus(T::sum_row(part)))
        }),
    })
}

/// Sums and products of narrow floats, rounding as NumPy (`float16`) and `ml_dtypes` (after each step) do.
fn narrow_numbers(op: Reduction, plan: &Plan, data: &[f32], dtype: Dtype) -> Buf {
    let round = |x: f32| narrow::round(dtype, x);
    Buf::F32(match op {
        Reduction::Sum if dtype == Dtype::F16 => fold(
            plan,
            data,
            if data.is_empty() { 0.0 } else { -0.0 },
            |x, y| round(x + y),
            |seen, row| round(seen + pairwise(row)),
        ),
        Reduction::Sum => fold(
            plan,
            data,
            0.0,
            |x, y| round(x + y),
            |s, row| row.iter().fold(s, |x, &y| round(x + y)),
        ),
        Reduction::Prod => fold(
            plan,
            data,
            1.0,
            |x, y| round(x * y),
            |s, row| row.iter().fold(s, |x, &y| round(x * y)),
        ),
        Reduction::Max => fold_first(plan, data, f32::larger),
        Reduction::Min | Reduction::Any | Reduction::All => fold_first(plan, data, f32::smaller),
    })
}

/// Reductions of truth values.
fn truths(op: Reduction, plan: &Plan, data: &[bool]) -> Buf {
    let any = matches!(op, Reduction::Any | Reduction::Max | Reduction::Sum);
    Buf::Bool(if any {
        fold(plan, data, false, |x, y| x | y, |seen, row| seen | row.contains(&true))
    } else {
        fold(plan, data, true, |x, y| x & y, |seen, row| seen & !row.contains(&false))
    })
}

/// Runs a reduction on native lanes.
fn run(op: Reduction, plan: &Plan, lanes: &Buf, dtype: Dtype, chunk: usize) -> Buf {
    match lanes {
        Buf::Bool(v) => truths(op, plan, v),
        Buf::I8(v) => numbers(op, plan, v, chunk),
        Buf::I16(v) => numbers(op, plan, v, chunk),
        Buf::I32(v) => numbers(op, plan, v, chunk),
        Buf::I64(v) => numbers(op, plan, v, chunk),
        Buf::U8(v) => numbers(op, plan, v, chunk),
        Buf::U16(v) => numbers(op, plan, v, chunk),
        Buf::U32(v) => numbers(op, plan, v, chunk),
        Buf::U64(v) => numbers(op, plan, v, chunk),
        Buf::F32(v) if dtype == Dtype::F32 => numbers(op, plan, v, chunk),
        Buf::F32(v) => narrow_numbers(op, plan, v, dtype),
        Buf::F64(v) => numbers(op, plan, v, chunk),
    }
}

/// Axes from the largest stride to the smallest: the order of memory.
fn memory_order(array: &Array) -> Vec<usize> {
    let mut order: Vec<usize> = (0..array.ndim()).collect();
    order.sort_by_key(|&axis| std::cmp::Reverse(array.strides()[axis].unsigned_abs()));
    order
}

/// Which axes are reduced.
pub(super) fn reduced_axes(array: &Array, along: &Along) -> Result<Vec<bool>, Fault> {
    let mut reduced = vec![along.axes.is_none(); array.ndim()];
    for axis in normalise_axes(along.axes.as_deref().unwrap_or(&[]), array.ndim())? {
        reduced[axis] = true;
    }
    Ok(reduced)
}

/// The dtype in which a reduction computes.
fn compute_dtype(op: Reduction, array: &Array, along: &Along) -> Dtype {
    match (op, along.dtype) {
        (_, Some(dtype)) => dtype,
        (Reduction::Sum | Reduction::Prod, None) => sum_dtype(array.dtype()),
        (Reduction::Any | Reduction::All, None) => Dtype::Bool,
        (Reduction::Max | Reduction::Min, None) => array.dtype(),
    }
}

/// Reduces `array`.
///
/// # Errors
/// `index` for axes that do not exist, `value` for extremes of nothing, `dtype` for packed types.
pub fn reduce(op: Reduction, array: &Array, along: &Along) -> Result<Array, Fault> {
    let (from, dtype) = (array.dtype(), compute_dtype(op, array, along));
    if from.is_packed() {
        return Err(no_arithmetic(from));
    }
    let reduced = reduced_axes(array, along)?;
    let empty = array
        .shape()
        .iter()
        .zip(&reduced)
        .any(|(&extent, &reduced)| reduced && extent == 0);
    if empty && matches!(op, Reduction::Max | Reduction::Min) {
        let message = format!(
            "reduction over an empty axis of shape {} has no identity",
            show_shape(array.shape())
        );
        return Err(Fault::new(Code::Value, message));
    }
    let order = memory_order(array);
    let view = array.permute(&order);
    let flags: Vec<bool> = order.iter().map(|&axis| reduced[axis]).collect();
    let kept: Vec<usize> = order.iter().copied().filter(|&axis| !reduced[axis]).collect();
    let shape: Vec<usize> = kept.iter().map(|&axis| array.shape()[axis]).collect();
    let in_shape = view.shape().to_vec();
    let out = Array::lazy(&shape, dtype, &[&view], move |held| {
        let chunk = if from == dtype { usize::MAX } else { CAST_BUFFER };
        let lanes = buffer::lanes_as(&held[0], from, dtype);
        Ok(buffer::store(
            run(op, &Plan::new(&in_shape, &flags), &lanes, dtype, chunk),
            dtype,
        ))
    })?;
    restore_axes(&out, &kept, &reduced, along.keepdims)
}

/// Puts kept axes back in their order and inserts unit axes.
fn restore_axes(out: &Array, kept: &[usize], reduced: &[bool], keepdims: bool) -> Result<Array, Fault> {
    let mut back: Vec<usize> = (0..kept.len()).collect();
    back.sort_by_key(|&position| kept[position]);
    let out = out.permute(&back);
    if !keepdims {
        return Ok(out.into_scalar());
    }
    let mut extents = out.shape().iter();
    let shape: Vec<usize> = reduced
        .iter()
        .map(|&reduced| {
            if reduced {
                1
            } else {
                extents.next().copied().unwrap_or(1)
            }
        })
        .collect();
    out.reshape(&shape)
}

/// Position of the extreme of each row of `length`; NaN wins.
fn positions<T: Element>(data: &[T], length: usize, extreme: Extreme) -> Vec<i64> {
    let better = |x: T, best: T| match extreme {
        Extreme::Max => x > best,
        Extreme::Min => x < best,
    };
    data.chunks(length.max(1))
        .map(|row| {
            let mut at = 0;
            for (i, &x) in row.iter().enumerate() {
                let nan = x.partial_cmp(&x).is_none();
                if nan {
                    return i as i64;
                }
                if better(x, row[at]) {
                    at = i;
                }
            }
            at as i64
        })
        .collect()
}

/// `np.argmax` and `np.argmin`; without an axis, in the flattened array.
///
/// # Errors
/// `index` for an axis that does not exist, `value` for an empty axis.
pub fn arg_extreme(extreme: Extreme, array: &Array, axis: Option<isize>, keepdims: bool) -> Result<Array, Fault> {
    let from = array.dtype();
    let (source, axis) = match axis {
        Some(axis) => (array.clone(), normalise_axis(axis, array.ndim())?),
        None => (array.reshape(&[array.len()])?, 0),
    };
    let length = source.shape()[axis];
    if length == 0 {
        return Err(Fault::new(
            Code::Value,
            "attempt to get argmax or argmin of an empty sequence",
        ));
    }
    let mut order: Vec<usize> = (0..source.ndim()).filter(|&other| other != axis).collect();
    let shape: Vec<usize> = order.iter().map(|&axis| source.shape()[axis]).collect();
    order.push(axis);
    let view = source.permute(&order);
    let out = Array::lazy(&shape, Dtype::I64, &[&view], move |held| {
        let lanes = buffer::lanes(&held[0], from);
        Ok(Buf::I64(buffer::with_buf!(&*lanes, v => positions(v, length, extreme))))
    })?;
    if !keepdims {
        return Ok(out.into_scalar());
    }
    let mut kept = array.shape().to_vec();
    if source.ndim() == array.ndim() && array.ndim() > 0 {
        kept[axis] = 1;
    } else {
        kept.fill(1);
    }
    out.reshape(&kept)
}

/// `np.cumsum` (`Sum`) and `np.cumprod` (`Prod`), also running maxima and minima.
///
/// # Errors
/// `index` for an axis that does not exist.
pub fn accumulate(op: Binary, array: &Array, axis: Option<isize>, dtype: Option<Dtype>) -> Result<Array, Fault> {
    let sums = matches!(op, Binary::Add | Binary::Multiply);
    let dtype = dtype.unwrap_or(if sums { sum_dtype(array.dtype()) } else { array.dtype() });
    let (source, axis) = match axis {
        Some(axis) => (array.clone(), normalise_axis(axis, array.ndim())?),
        None => (array.reshape(&[array.len()])?, 0),
    };
    let (from, shape) = (array.dtype(), source.shape().to_vec());
    Array::lazy(&shape.clone(), dtype, &[&source], move |held| {
        let lanes = buffer::lanes_as(&held[0], from, dtype);
        let inner: usize = shape[axis + 1..].iter().product();
        let out = running(op, lanes.into_owned(), inner, shape[axis], dtype)?;
        Ok(buffer::store(out, dtype))
    })
}

/// Combines each element with the result `inner` elements before it, along rows of `length`.
fn running(op: Binary, lanes: Buf, inner: usize, length: usize, dtype: Dtype) -> Result<Buf, Fault> {
    fn scan<T: Copy>(mut v: Vec<T>, inner: usize, length: usize, f: impl Fn(T, T) -> T) -> Vec<T> {
        for block in v.chunks_mut((inner * length).max(1)) {
            for i in inner..block.len() {
                block[i] = f(block[i - inner], block[i]);
            }
        }
        v
    }
    fn numbers<T: Number>(
        op: Binary,
        v: Vec<T>,
        inner: usize,
        length: usize,
        round: impl Fn(T) -> T,
    ) -> Result<Buf, Fault> {
        Ok(T::wrap(match op {
            Binary::Add => scan(v, inner, length, |x, y| round(x.plus(y))),
            Binary::Multiply => scan(v, inner, length, |x, y| round(x.times(y))),
            Binary::Maximum => scan(v, inner, length, T::larger),
            Binary::Minimum => scan(v, inner, length, T::smaller),
            _ => {
                return Err(Fault::new(
                    Code::Unimplemented,
                    "this ufunc has no accumulate in the playground",
                ));
            }
        }))
    }
    match lanes {
        Buf::I64(v) => numbers(op, v, inner, length, |x| x),
        Buf::U64(v) => numbers(op, v, inner, length, |x| x),
        Buf::I32(v) => numbers(op, v, inner, length, |x| x),
        Buf::F32(v) => numbers(op, v, inner, length, |x| {
            if dtype == Dtype::F32 {
                x
            } else {
                narrow::round(dtype, x)
            }
        }),
        Buf::F64(v) => numbers(op, v, inner, length, |x| x),
        other => {
            let wide = numbers(op, buffer::to_native::<i64>(&other), inner, length, |x| x)?;
            Ok(buffer::store(wide, dtype))
        }
    }
}

/// Sum, mean, maximum or minimum that ignores NaN: `np.nansum`, `np.nanmean`, `np.nanmax`, `np.nanmin`.
///
/// # Errors
/// As [`reduce`].
pub fn ignoring_nan(op: Option<Reduction>, array: &Array, along: &Along) -> Result<Array, Fault> {
    if array.dtype().is_integer() {
        return op.map_or_else(|| mean(array, along), |op| reduce(op, array, along));
    }
    let filler = match op {
        Some(Reduction::Max) => f64::NEG_INFINITY,
        Some(Reduction::Min) => f64::INFINITY,
        _ => 0.0,
    };
    let missing = math::unary(Unary::Isnan, array)?;
    let filled = math::select(&missing, &Array::scalar(Item::Float(filler), array.dtype())?, array)?;
    if let Some(op) = op {
        return reduce(op, &filled, along);
    }
    let present = math::unary(Unary::LogicalNot, &missing)?;
    let counts = reduce(
        Reduction::Sum,
        &present,
        &Along {
            dtype: None,
            ..along.clone()
        },
    )?;
    let sum = reduce(Reduction::Sum, &filled, along)?;
    let dtype = if is_extension(array.dtype()) {
        Dtype::F32
    } else {
        array.dtype()
    };
    math::binary(Binary::Divide, &sum, &counts)?.astype(dtype)
}
