//! Products of arrays and small dense algebra.

use super::array::Array;
use super::buffer::{self, Buf, Element};
use super::math::{self, Binary, Unary, broadcast_shapes};
use super::node::{element_count, show_shape};
use super::promote::{is_extension, no_arithmetic};
use super::reduce::{Along, Reduction, reduce};
use super::shape::{expand_dims, normalise_axes, squeeze};
use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::Dtype;

/// Rows of the register block.
const BLOCK_ROWS: usize = 4;
/// Columns of the register block.
const BLOCK_COLUMNS: usize = 8;
/// Depth that is accumulated before partial sums go back to memory.
const BLOCK_DEPTH: usize = 256;

/// Numbers that products are made of.
trait Scalar: Element {
    fn mul_add(self, x: Self, y: Self) -> Self;
}

macro_rules! scalar {
    (float $($ty:ty),*) => {$(
        impl Scalar for $ty {
            fn mul_add(self, x: Self, y: Self) -> Self { self + x * y }
        }
    )*};
    (integer $($ty:ty),*) => {$(
        impl Scalar for $ty {
            fn mul_add(self, x: Self, y: Self) -> Self { self.wrapping_add(x.wrapping_mul(y)) }
        }
    )*};
}
scalar!(float f32, f64);
scalar!(integer i8, i16, i32, i64, u8, u16, u32, u64);

/// Columns `start..` of rows of `b`, packed so that one block of columns lies together; missing columns are zero.
fn pack_columns<T: Scalar>(
    b: &[T],
    columns: usize,
    start: usize,
    depth: std::ops::Range<usize>,
) -> Vec<[T; BLOCK_COLUMNS]> {
    let width = BLOCK_COLUMNS.min(columns - start);
    depth
        .map(|k| {
            let mut row = [T::default(); BLOCK_COLUMNS];
            row[..width].copy_from_slice(&b[k * columns + start..k * columns + start + width]);
            row
        })
        .collect()
}

/// Adds `R` rows of `a` (each `panel.len()` long) times a packed panel to a register block.
fn multiply_block<T: Scalar, const R: usize>(a: [&[T]; R], panel: &[[T; BLOCK_COLUMNS]]) -> [[T; BLOCK_COLUMNS]; R] {
    let mut sums = [[T::default(); BLOCK_COLUMNS]; R];
    for (k, row) in panel.iter().enumerate() {
        for (sum, a) in sums.iter_mut().zip(&a) {
            let x = a[k];
            for (sum, &y) in sum.iter_mut().zip(row) {
                *sum = sum.mul_add(x, y);
            }
        }
    }
    sums
}

/// Adds a register block to rows of the output.
fn add_block<T: Scalar>(out: &mut [T], columns: usize, at: (usize, usize), sums: &[[T; BLOCK_COLUMNS]]) {
    let width = BLOCK_COLUMNS.min(columns - at.1);
    let one = T::from_i128(1);
    for (row, sums) in sums.iter().enumerate() {
        let start = (at.0 + row) * columns + at.1;
        for (sum, &x) in out[start..start + width].iter_mut().zip(sums) {
            *sum = sum.mul_add(x, one);
        }
    }
}

/// `out += a @ b` for row-major `a` (rows x depth) and `b` (depth x columns). The order of additions is fixed.
fn gemm<T: Scalar>(a: &[T], b: &[T], out: &mut [T], (rows, depth, columns): (usize, usize, usize)) {
    for first in (0..depth).step_by(BLOCK_DEPTH) {
        let range = first..(first + BLOCK_DEPTH).min(depth);
        for column in (0..columns).step_by(BLOCK_COLUMNS) {
            let panel = pack_columns(b, columns, column, range.clone());
            let line = |row: usize| &a[row * depth + range.start..row * depth + range.end];
            let mut row = 0;
            while row + BLOCK_ROWS <= rows {
                let lines = [line(row), line(row + 1), line(row + 2), line(row + 3)];
                add_block(out, columns, (row, column), &multiply_block(lines, &panel));
                row += BLOCK_ROWS;
            }
            for row in row..rows {
                add_block(out, columns, (row, column), &multiply_block([line(row)], &panel));
            }
        }
    }
}

/// A batch of products of typed data.
fn batched<T: Scalar>(
    a: &[T],
    b: &Buf,
    batch: usize,
    (rows, depth, columns): (usize, usize, usize),
) -> Result<Buf, Fault> {
    let b = b.typed::<T>()?;
    let mut out = vec![T::default(); batch * rows * columns];
    for i in 0..batch {
        let (a, b) = (
            &a[i * rows * depth..][..rows * depth],
            &b[i * depth * columns..][..depth * columns],
        );
        gemm(
            a,
            b,
            &mut out[i * rows * columns..][..rows * columns],
            (rows, depth, columns),
        );
    }
    Ok(T::wrap(out))
}

/// `any(a & b)` for truth values, through integers.
fn product(a: &Buf, b: &Buf, batch: usize, dims: (usize, usize, usize)) -> Result<Buf, Fault> {
    match a {
        Buf::Bool(_) => {
            let (a, b) = (buffer::to_native::<i64>(a), Buf::I64(buffer::to_native(b)));
            let counts = batched(&a, &b, batch, dims)?;
            Ok(Buf::Bool(
                counts.typed::<i64>()?.iter().map(|&count| count != 0).collect(),
            ))
        }
        Buf::I8(v) => batched(v, b, batch, dims),
        Buf::I16(v) => batched(v, b, batch, dims),
        Buf::I32(v) => batched(v, b, batch, dims),
        Buf::I64(v) => batched(v, b, batch, dims),
        Buf::U8(v) => batched(v, b, batch, dims),
        Buf::U16(v) => batched(v, b, batch, dims),
        Buf::U32(v) => batched(v, b, batch, dims),
        Buf::U64(v) => batched(v, b, batch, dims),
        Buf::F32(v) => batched(v, b, batch, dims),
        Buf::F64(v) => batched(v, b, batch, dims),
    }
}

/// The dtype in which products are computed: `ml_dtypes` floats have none of their own and give `float32`.
fn product_dtype(a: &Array, b: &Array) -> Result<Dtype, Fault> {
    let dtype = math::common_dtype(a, b)?;
    if dtype.is_packed() {
        return Err(no_arithmetic(dtype));
    }
    Ok(if is_extension(dtype) { Dtype::F32 } else { dtype })
}

/// `a @ b` for at least two dimensions each; `batch` axes lead.
pub(super) fn multiply_matrices(a: &Array, b: &Array) -> Result<Array, Fault> {
    let (na, nb) = (a.ndim(), b.ndim());
    let (rows, depth) = (a.shape()[na - 2], a.shape()[na - 1]);
    let (other, columns) = (b.shape()[nb - 2], b.shape()[nb - 1]);
    if depth != other {
        let message = format!(
            "matmul: inner dimensions of shapes {} and {} differ ({depth} and {other})",
            show_shape(a.shape()),
            show_shape(b.shape())
        );
        return Err(Fault::new(Code::Shape, message).hint("transpose one operand with .T, or check its layout"));
    }
    let dtype = product_dtype(a, b)?;
    let batch = broadcast_shapes(&a.shape()[..na - 2], &b.shape()[..nb - 2])?;
    let count = element_count(&batch)?;
    let a = a.astype(dtype)?.broadcast_to(&[&batch[..], &[rows, depth]].concat())?;
    let b = b
        .astype(dtype)?
        .broadcast_to(&[&batch[..], &[depth, columns]].concat())?;
    Array::lazy(
        &[&batch[..], &[rows, columns]].concat(),
        dtype,
        &[&a, &b],
        move |held| {
            let lanes = [buffer::lanes(&held[0], dtype), buffer::lanes(&held[1], dtype)];
            Ok(buffer::store(
                product(&lanes[0], &lanes[1], count, (rows, depth, columns))?,
                dtype,
            ))
        },
    )
}

/// `np.matmul`, the `@` operator.
///
/// # Errors
/// `shape` when inner dimensions differ or an operand has none.
pub fn matmul(a: &Array, b: &Array) -> Result<Array, Fault> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return Err(Fault::new(Code::Shape, "matmul: operands need at least one dimension").hint("use * for scalars"));
    }
    let left = if a.ndim() == 1 {
        expand_dims(a, &[0])?
    } else {
        a.clone()
    };
    let right = if b.ndim() == 1 {
        expand_dims(b, &[1])?
    } else {
        b.clone()
    };
    let mut out = multiply_matrices(&left, &right)?;
    if b.ndim() == 1 {
        out = squeeze(&out, Some(&[-1]))?;
    }
    if a.ndim() == 1 {
        let axis = if b.ndim() == 1 { -1 } else { -2 };
        out = squeeze(&out, Some(&[axis]))?;
    }
    Ok(out.into_scalar())
}

/// `np.dot`.
///
/// # Errors
/// As [`matmul`].
pub fn dot(a: &Array, b: &Array) -> Result<Array, Fault> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return math::binary(Binary::Multiply, a, b);
    }
    if a.ndim() <= 2 && b.ndim() <= 2 {
        return matmul(a, b);
    }
    let axis = if b.ndim() == 1 { 0 } else { b.ndim() as isize - 2 };
    tensordot(a, b, &[a.ndim() as isize - 1], &[axis])
}

/// `np.tensordot` over pairs of axes.
///
/// # Errors
/// `shape` when paired axes differ in extent.
pub fn tensordot(a: &Array, b: &Array, axes_a: &[isize], axes_b: &[isize]) -> Result<Array, Fault> {
    let (axes_a, axes_b) = (normalise_axes(axes_a, a.ndim())?, normalise_axes(axes_b, b.ndim())?);
    let extents = |array: &Array, axes: &[usize]| axes.iter().map(|&axis| array.shape()[axis]).collect::<Vec<_>>();
    let inner = extents(a, &axes_a);
    if inner != extents(b, &axes_b) {
        let message = format!(
            "tensordot: summed axes of shapes {} and {} differ",
            show_shape(a.shape()),
            show_shape(b.shape())
        );
        return Err(Fault::new(Code::Shape, message));
    }
    let rest = |array: &Array, axes: &[usize]| {
        (0..array.ndim())
            .filter(|axis| !axes.contains(axis))
            .collect::<Vec<_>>()
    };
    let (rest_a, rest_b) = (rest(a, &axes_a), rest(b, &axes_b));
    let (rows, columns) = (extents(a, &rest_a), extents(b, &rest_b));
    let depth = element_count(&inner)?;
    let left = a
        .permute(&[rest_a, axes_a].concat())
        .reshape(&[element_count(&rows)?, depth])?;
    let right = b
        .permute(&[axes_b, rest_b].concat())
        .reshape(&[depth, element_count(&columns)?])?;
    Ok(multiply_matrices(&left, &right)?
        .reshape(&[rows, columns].concat())?
        .into_scalar())
}

/// `np.outer` of the flattened operands.
///
/// # Errors
/// `limit` when the result is too large.
pub fn outer(a: &Array, b: &Array) -> Result<Array, Fault> {
    math::binary(Binary::Multiply, &a.reshape(&[a.len(), 1])?, &b.reshape(&[1, b.len()])?)
}

/// `np.inner`: sums over the last axes.
///
/// # Errors
/// As [`tensordot`].
pub fn inner(a: &Array, b: &Array) -> Result<Array, Fault> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return math::binary(Binary::Multiply, a, b);
    }
    tensordot(a, b, &[-1], &[-1])
}

/// `np.trace` of a matrix.
///
/// # Errors
/// `shape` for fewer than two dimensions.
pub fn trace(a: &Array, k: isize) -> Result<Array, Fault> {
    reduce(Reduction::Sum, &super::shape::diagonal(a, k)?, &Along::axis(-1))
}

/// The vector norms that `np.linalg.norm` knows here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Norm {
    /// Root of the sum of squares (also Frobenius).
    Two,
    /// Sum of magnitudes.
    One,
    /// Largest magnitude.
    Infinity,
    /// Smallest magnitude.
    NegativeInfinity,
}

/// `np.linalg.norm` over axes.
///
/// # Errors
/// As reductions.
pub fn norm(a: &Array, norm: Norm, along: &Along) -> Result<Array, Fault> {
    let a = if a.dtype().is_integer() {
        a.astype(Dtype::F64)?
    } else {
        a.clone()
    };
    let magnitude = math::unary(Unary::Absolute, &a)?;
    match norm {
        Norm::One => reduce(Reduction::Sum, &magnitude, along),
        Norm::Infinity => reduce(Reduction::Max, &magnitude, along),
        Norm::NegativeInfinity => reduce(Reduction::Min, &magnitude, along),
        Norm::Two => {
            let squares = math::binary(Binary::Multiply, &a, &a)?;
            math::unary(Unary::Sqrt, &reduce(Reduction::Sum, &squares, along)?)
        }
    }
}

/// Solves `a x = b` for row-major `a` (n x n) and `b` (n x m) in place by elimination with row pivots.
fn eliminate(a: &mut [f64], b: &mut [f64], n: usize, m: usize) -> Result<f64, Fault> {
    let mut determinant = 1.0;
    for column in 0..n {
        let pivot = (column..n).fold(column, |best, row| {
            if a[row * n + column].abs() > a[best * n + column].abs() {
                row
            } else {
                best
            }
        });
        if a[pivot * n + column] == 0.0 {
            return Err(Fault::new(Code::Arithmetic, "Singular matrix"));
        }
        if pivot != column {
            (0..n).for_each(|k| a.swap(pivot * n + k, column * n + k));
            (0..m).for_each(|k| b.swap(pivot * m + k, column * m + k));
            determinant = -determinant;
        }
        determinant *= a[column * n + column];
        for row in (0..n).filter(|&row| row != column) {
            let factor = a[row * n + column] / a[column * n + column];
            (column..n).for_each(|k| a[row * n + k] -= factor * a[column * n + k]);
            (0..m).for_each(|k| b[row * m + k] -= factor * b[column * m + k]);
        }
    }
    for row in 0..n {
        (0..m).for_each(|k| b[row * m + k] /= a[row * n + row]);
    }
    Ok(determinant)
}

/// The extent of a square matrix.
fn square(a: &Array) -> Result<usize, Fault> {
    match a.shape() {
        [rows, columns] if rows == columns => Ok(*rows),
        shape => Err(Fault::new(
            Code::Shape,
            format!("a square matrix is needed, not shape {}", show_shape(shape)),
        )),
    }
}

/// The dtype of linear algebra.
fn algebra_dtype(a: &Array) -> Dtype {
    if a.dtype() == Dtype::F32 {
        Dtype::F32
    } else {
        Dtype::F64
    }
}

/// `np.linalg.solve` for one matrix; computed in binary64.
///
/// # Errors
/// `shape` when extents differ; `arithmetic` (when forced) for a singular matrix.
pub fn solve(a: &Array, b: &Array) -> Result<Array, Fault> {
    let n = square(a)?;
    if b.shape().first() != Some(&n) || b.ndim() > 2 {
        let message = format!(
            "solve: shapes {} and {} do not fit",
            show_shape(a.shape()),
            show_shape(b.shape())
        );
        return Err(Fault::new(Code::Shape, message));
    }
    let (dtype, m) = (algebra_dtype(a), b.len() / n.max(1));
    Array::lazy(
        b.shape(),
        dtype,
        &[&a.astype(Dtype::F64)?, &b.astype(Dtype::F64)?],
        move |held| {
            let mut x = held[1].typed::<f64>()?.to_vec();
            eliminate(&mut held[0].typed::<f64>()?.to_vec(), &mut x, n, m)?;
            Ok(buffer::store(Buf::F64(x), dtype))
        },
    )
}

/// `np.linalg.inv` for one matrix.
///
/// # Errors
/// As [`solve`].
pub fn inv(a: &Array) -> Result<Array, Fault> {
    let n = square(a)?;
    solve(a, &super::create::eye(n, n, 0, algebra_dtype(a))?)
}

/// `np.linalg.det` for one matrix.
///
/// # Errors
/// `shape` when the matrix is not square.
pub fn det(a: &Array) -> Result<Array, Fault> {
    let (n, dtype) = (square(a)?, algebra_dtype(a));
    let out = Array::lazy(&[], dtype, &[&a.astype(Dtype::F64)?], move |held| {
        let determinant = eliminate(&mut held[0].typed::<f64>()?.to_vec(), &mut [], n, 0).unwrap_or(0.0);
        Ok(buffer::store(Buf::F64(vec![determinant]), dtype))
    })?;
    Ok(out.into_scalar())
}
