//! New arrays from nothing, from numbers and from nested sequences.

use std::rc::Rc;

use super::array::{Array, Item};
use super::buffer::{self, Buf};
use super::node::{Node, element_count, show_shape};
use super::promote::{Weak, weak_dtype};
use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::Dtype;

/// `np.zeros`.
///
/// # Errors
/// `limit` when the shape cannot be stored.
pub fn zeros(shape: &[usize], dtype: Dtype) -> Result<Array, Fault> {
    let count = element_count(shape)?;
    Array::lazy(shape, dtype, &[], move |_| Ok(buffer::zeros(dtype, count)))
}

/// `np.full`.
///
/// # Errors
/// `shape` when the value does not broadcast, `arithmetic` when it does not fit the dtype.
pub fn full(shape: &[usize], value: &Array, dtype: Dtype) -> Result<Array, Fault> {
    let fitted = match value.snapshot_item().filter(|_| value.ndim() == 0) {
        Some(item @ Item::Int(_)) => Array::ready(&[], dtype, item.store(dtype)?),
        _ => value.astype(dtype)?,
    };
    Ok(fitted.broadcast_to(shape)?.copy())
}

/// `np.arange` on numbers.
///
/// # Errors
/// `value` for a step of zero, `limit` when the result is too long.
pub fn arange(start: Item, stop: Item, step: Item, dtype: Option<Dtype>) -> Result<Array, Fault> {
    if !step.is_true() {
        return Err(Fault::new(Code::Value, "np.arange needs a step other than zero"));
    }
    let integers = [start, stop, step].iter().all(|item| item.weak() != Weak::Float);
    let dtype = dtype.unwrap_or(if integers { Dtype::I64 } else { Dtype::F64 });
    if integers {
        let (start, step) = (start.to_int(), step.to_int());
        let span = stop.to_int() - start;
        let count = if (span > 0) == (step > 0) && span != 0 {
            (span.abs() - 1) / step.abs() + 1
        } else {
            0
        };
        let count = element_count(&[count as usize])?;
        return Array::lazy(&[count], dtype, &[], move |_| {
            let values = (0..count as i128).map(|i| (start + i * step) as i64).collect();
            Ok(buffer::store(Buf::I64(values), dtype))
        });
    }
    let (start, stop, step) = (start.to_f64(), stop.to_f64(), step.to_f64());
    let count = element_count(&[((stop - start) / step).ceil().max(0.0) as usize])?;
    let delta = (start + step) - start;
    Array::lazy(&[count], dtype, &[], move |_| {
        Ok(buffer::store(
            Buf::F64((0..count).map(|i| start + i as f64 * delta).collect()),
            dtype,
        ))
    })
}

/// `np.linspace` on numbers.
///
/// # Errors
/// `limit` when the result is too long.
pub fn linspace(start: f64, stop: f64, count: usize, endpoint: bool, dtype: Dtype) -> Result<Array, Fault> {
    let divisions = if endpoint { count.saturating_sub(1) } else { count };
    let step = (stop - start) / divisions as f64;
    Array::lazy(&[count], dtype, &[], move |_| {
        let mut values: Vec<f64> = (0..count)
            .map(|i| {
                if divisions == 0 {
                    start
                } else if step == 0.0 {
                    i as f64 / divisions as f64 * (stop - start) + start
                } else {
                    i as f64 * step + start
                }
            })
            .collect();
        if let Some(last) = values.last_mut().filter(|_| endpoint && count > 1) {
            *last = stop;
        }
        Ok(buffer::store(Buf::F64(values), dtype))
    })
}

/// `np.eye`: ones on the diagonal `k`.
///
/// # Errors
/// `limit` when the shape cannot be stored.
pub fn eye(rows: usize, columns: usize, k: isize, dtype: Dtype) -> Result<Array, Fault> {
    element_count(&[rows, columns])?;
    pattern(rows, columns, dtype, move |row, column| {
        column as isize - row as isize == k
    })
}

/// `np.tri`: ones on and below the diagonal `k`.
///
/// # Errors
/// `limit` when the shape cannot be stored.
pub fn tri(rows: usize, columns: usize, k: isize, dtype: Dtype) -> Result<Array, Fault> {
    pattern(rows, columns, dtype, move |row, column| {
        column as isize - row as isize <= k
    })
}

/// A matrix that is one where `is_one(row, column)`.
fn pattern(
    rows: usize,
    columns: usize,
    dtype: Dtype,
    is_one: impl Fn(usize, usize) -> bool + 'static,
) -> Result<Array, Fault> {
    element_count(&[rows, columns])?;
    Array::lazy(&[rows, columns], dtype, &[], move |_| {
        let ones = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        Ok(buffer::store(
            Buf::Bool(ones.map(|(row, column)| is_one(row, column)).collect()),
            dtype,
        ))
    })
}

/// `np.indices`: the coordinates of every element along each axis.
///
/// # Errors
/// `limit` when the shape cannot be stored.
pub fn indices(shape: &[usize]) -> Result<Array, Fault> {
    let axes: Vec<Array> = (0..shape.len())
        .map(|axis| {
            let line = arange(Item::Int(0), Item::Int(shape[axis] as i128), Item::Int(1), None)?;
            let mut grown = vec![1; shape.len()];
            grown[axis] = shape[axis];
            line.reshape(&grown)?.broadcast_to(shape)
        })
        .collect::<Result<_, _>>()?;
    super::shape::stack(&axes, 0)
}

/// `np.meshgrid`; `matrix` indexing (`ij`) keeps the order of the inputs, otherwise the first two axes swap.
///
/// # Errors
/// `limit` when the result cannot be stored.
pub fn meshgrid(lines: &[Array], matrix: bool) -> Result<Vec<Array>, Fault> {
    let axis_of = |i: usize| if !matrix && lines.len() > 1 && i < 2 { 1 - i } else { i };
    let mut shape = vec![1; lines.len()];
    for (i, line) in lines.iter().enumerate() {
        shape[axis_of(i)] = line.len();
    }
    lines
        .iter()
        .enumerate()
        .map(|(i, line)| {
            let mut grown = vec![1; lines.len()];
            grown[axis_of(i)] = line.len();
            Ok(line.reshape(&grown)?.broadcast_to(&shape)?.copy())
        })
        .collect()
}

/// A nested sequence on its way to an array.
#[derive(Clone, Debug)]
pub enum Nested {
    /// A number.
    Item(Item),
    /// An array or NumPy scalar.
    Array(Array),
    /// A list or tuple.
    List(Vec<Nested>),
}

impl Nested {
    /// The shape; sequences on one level must agree.
    fn shape(&self) -> Result<Vec<usize>, Fault> {
        match self {
            Self::Item(_) => Ok(Vec::new()),
            Self::Array(array) => Ok(array.shape().to_vec()),
            Self::List(parts) => {
                let Some(first) = parts.first() else { return Ok(vec![0]) };
                let inner = first.shape()?;
                for part in parts {
                    if part.shape()? != inner {
                        let message = format!(
                            "setting an array element with a sequence: an element of shape {} beside one of shape {}",
                            show_shape(&part.shape()?),
                            show_shape(&inner)
                        );
                        return Err(Fault::new(Code::Value, message).hint("all rows must have the same length"));
                    }
                }
                Ok([vec![parts.len()], inner].concat())
            }
        }
    }

    /// The weakest Python kind that holds all numbers, and the arrays found.
    fn kinds(&self, weak: &mut Option<Weak>, arrays: &mut Vec<Array>) {
        match self {
            Self::Item(item) => *weak = (*weak).max(Some(item.weak())),
            Self::Array(array) => arrays.push(array.clone()),
            Self::List(parts) => parts.iter().for_each(|part| part.kinds(weak, arrays)),
        }
    }

    /// Appends the elements in order: numbers as they are, arrays by reference.
    fn collect(&self, dtype: Dtype, nodes: &mut Vec<Rc<Node>>) -> Result<(), Fault> {
        match self {
            Self::Item(item) => nodes.push(Node::ready(&[], dtype, item.store(dtype)?)),
            Self::Array(array) => nodes.push(array.astype(dtype)?.snapshot()),
            Self::List(parts) => return parts.iter().try_for_each(|part| part.collect(dtype, nodes)),
        }
        Ok(())
    }
}

/// The dtype that `np.array` gives to a nested sequence.
fn natural_dtype(nested: &Nested) -> Result<Dtype, Fault> {
    let (mut weak, mut arrays) = (None, Vec::new());
    nested.kinds(&mut weak, &mut arrays);
    if let Some(weak) = weak {
        // Inside a sequence a Python number has its own dtype; nothing is weak.
        arrays.push(Array::ready(&[], weak_dtype(weak), buffer::zeros(weak_dtype(weak), 1)));
    }
    if arrays.is_empty() {
        Ok(Dtype::F64)
    } else {
        super::math::result_type(&arrays)
    }
}

/// `np.array(nested, dtype)`.
///
/// # Errors
/// `value` for ragged sequences, `arithmetic` for integers that do not fit.
pub fn array(nested: &Nested, dtype: Option<Dtype>) -> Result<Array, Fault> {
    if let Nested::Array(array) = nested {
        return match dtype {
            Some(dtype) => Ok(array.astype(dtype)?.into_array()),
            None => Ok(array.copy()),
        };
    }
    let shape = nested.shape()?;
    let dtype = match dtype {
        Some(dtype) => dtype,
        None => natural_dtype(nested)?,
    };
    let mut nodes = Vec::new();
    nested.collect(dtype, &mut nodes)?;
    let mut out = buffer::zeros(dtype, 0);
    if nodes.iter().all(|node| node.ready_data().is_some()) {
        for held in nodes.iter().filter_map(|node| node.ready_data()) {
            out.append(&held);
        }
        return Ok(Array::ready(&shape, dtype, out));
    }
    element_count(&shape)?;
    Ok(Array::from_node(Node::lazy(&shape, dtype, nodes, move |held| {
        for part in held {
            out.append(part);
        }
        Ok(out)
    })))
}
