//! Means, variances and standard deviations: sums divided in the dtype in which NumPy computes them.

use super::array::{Array, Item};
use super::math::{self, Binary, Unary};
use super::reduce::{Along, Reduction, reduce, reduced_axes};
use crate::base::diag::Fault;
use crate::numerics::dtype::Dtype;

/// Number of elements that each result of a reduction covers.
fn count(array: &Array, along: &Along) -> Result<usize, Fault> {
    let reduced = reduced_axes(array, along)?;
    Ok(array
        .shape()
        .iter()
        .zip(reduced)
        .filter(|(_, reduced)| *reduced)
        .map(|(&extent, _)| extent)
        .product())
}

/// Divides by a count in binary64 and rounds to the dtype of `sum`.
fn divide(sum: &Array, by: f64) -> Result<Array, Fault> {
    let by = Array::scalar(Item::Float(by), Dtype::F64)?;
    Ok(math::binary(Binary::Divide, sum, &by)?
        .astype(sum.dtype())?
        .into_scalar())
}

/// The dtype in which means and variances are computed.
fn mean_dtype(array: &Array, along: &Along) -> Dtype {
    along.dtype.unwrap_or(match array.dtype() {
        dtype if dtype.is_integer() => Dtype::F64,
        Dtype::F16 => Dtype::F32,
        dtype => dtype,
    })
}

/// `np.mean`.
///
/// # Errors
/// As [`reduce`].
pub fn mean(array: &Array, along: &Along) -> Result<Array, Fault> {
    let compute = Along {
        dtype: Some(mean_dtype(array, along)),
        ..along.clone()
    };
    let mean = divide(&reduce(Reduction::Sum, array, &compute)?, count(array, along)? as f64)?;
    half_result(mean, array, along)
}

/// `float16` input gives `float16` output.
fn half_result(result: Array, array: &Array, along: &Along) -> Result<Array, Fault> {
    if array.dtype() == Dtype::F16 && along.dtype.is_none() {
        return Ok(result.astype(Dtype::F16)?.into_scalar());
    }
    Ok(result)
}

/// `np.var` with `ddof` fewer degrees of freedom.
///
/// # Errors
/// As [`reduce`].
pub fn var(array: &Array, along: &Along, ddof: f64) -> Result<Array, Fault> {
    let dtype = mean_dtype(array, along);
    let total = Along {
        dtype: Some(dtype),
        keepdims: true,
        ..along.clone()
    };
    let items = count(array, along)? as f64;
    let centre = divide(&reduce(Reduction::Sum, array, &total)?, items)?;
    let difference = math::binary(Binary::Subtract, array, &centre)?;
    let squares = math::binary(Binary::Multiply, &difference, &difference)?;
    let sum = reduce(
        Reduction::Sum,
        &squares,
        &Along {
            dtype: Some(dtype),
            ..along.clone()
        },
    )?;
    half_result(divide(&sum, (items - ddof).max(0.0))?, array, along)
}

/// `np.std` with `ddof` fewer degrees of freedom.
///
/// # Errors
/// As [`reduce`].
pub fn std(array: &Array, along: &Along, ddof: f64) -> Result<Array, Fault> {
    math::unary(Unary::Sqrt, &var(array, along, ddof)?)
}
