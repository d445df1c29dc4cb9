//! Comparisons with tolerance and the assertions of `np.testing`, with NumPy's own failure text.

use super::array::{Array, Item, lane_item};
use super::buffer;
use super::math::{self, Binary, Unary, binary, broadcast_shapes, unary};
use super::node::{Demand, Host, show_shape};
use super::print;
use super::promote::{Weak, promote_weak};
use super::reduce::{Along, Reduction, reduce};
use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::Dtype;
use crate::numerics::math::double;

/// Mismatches that a failure text lists.
const LISTED: usize = 5;

/// How two arrays must agree.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// Part of the magnitude of the desired value.
    pub relative: f64,
    /// Absolute part.
    pub absolute: f64,
    /// Whether NaN equals NaN.
    pub equal_nan: bool,
}

/// What a comparison demands.
#[derive(Clone, Copy, Debug)]
pub enum Demanded {
    /// `assert_allclose`
    Close(Tolerance),
    /// `assert_array_equal`
    Equal,
    /// `assert_array_almost_equal`: this many decimals.
    Decimals(i32),
    /// `assert_array_less`
    Less,
}

/// A result of an assertion: the largest error, or the text of the failure.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds; the largest absolute and relative error.
    Holds(f64, f64),
    /// It does not hold.
    Fails(String),
}

/// `np.isclose`.
///
/// # Errors
/// `shape` or `dtype` when the operands do not fit.
pub fn isclose(a: &Array, b: &Array, tolerance: Tolerance) -> Result<Array, Fault> {
    let number = |x| Array::python(Item::Float(x));
    let b = b.astype(promote_weak(b.dtype(), Weak::Float)?)?;
    let distance = unary(Unary::Absolute, &binary(Binary::Subtract, a, &b)?)?;
    let relative = binary(
        Binary::Multiply,
        &unary(Unary::Absolute, &b)?,
        &number(tolerance.relative)?,
    )?;
    let limit = binary(Binary::Add, &relative, &number(tolerance.absolute)?)?;
    let near = binary(Binary::LessEqual, &distance, &limit)?;
    let near = binary(Binary::LogicalAnd, &near, &unary(Unary::Isfinite, &b)?)?;
    let mut close = binary(Binary::LogicalOr, &near, &binary(Binary::Equal, a, &b)?)?;
    if tolerance.equal_nan {
        let nan = |x: &Array| unary(Unary::Isnan, x);
        close = binary(
            Binary::LogicalOr,
            &close,
            &binary(Binary::LogicalAnd, &nan(a)?, &nan(&b)?)?,
        )?;
    }
    Ok(close)
}

/// `np.allclose` as a scalar that is not computed yet.
///
/// # Errors
/// As [`isclose`].
pub fn allclose(a: &Array, b: &Array, tolerance: Tolerance) -> Result<Array, Fault> {
    Ok(reduce(Reduction::All, &isclose(a, b, tolerance)?, &Along::all())?.into_scalar())
}

/// `np.array_equal` as a scalar that is not computed yet.
///
/// # Errors
/// As comparison.
pub fn array_equal(a: &Array, b: &Array) -> Result<Array, Fault> {
    if a.shape() != b.shape() {
        return Array::scalar(Item::Bool(false), Dtype::Bool);
    }
    Ok(reduce(Reduction::All, &binary(Binary::Equal, a, b)?, &Along::all())?.into_scalar())
}

impl Demanded {
    /// The first line of a failure.
    fn header(self) -> String {
        match self {
            Self::Close(t) => format!(
                "Not equal to tolerance rtol={}, atol={}",
                print_general(t.relative),
                print_general(t.absolute)
            ),
            Self::Equal => "Arrays are not equal".into(),
            Self::Decimals(decimals) => format!("Arrays are not almost equal to {decimals} decimals"),
            Self::Less => "Arrays are not strictly ordered `x < y`".into(),
        }
    }

    /// What the two sides are called.
    fn names(self) -> (&'static str, &'static str) {
        if matches!(self, Self::Less) {
            ("x", "y")
        } else {
            ("ACTUAL", "DESIRED")
        }
    }

    /// Where the demand holds.
    fn holds(self, a: &Array, b: &Array) -> Result<Array, Fault> {
        let either_nan = || -> Result<Array, Fault> {
            binary(Binary::LogicalAnd, &unary(Unary::Isnan, a)?, &unary(Unary::Isnan, b)?)
        };
        match self {
            Self::Close(tolerance) => isclose(a, b, tolerance),
            Self::Equal => binary(Binary::LogicalOr, &binary(Binary::Equal, a, b)?, &either_nan()?),
            Self::Less => binary(Binary::Less, a, b),
            Self::Decimals(decimals) => {
                let wide = [a.astype(Dtype::F64)?, b.astype(Dtype::F64)?];
                let distance = unary(Unary::Absolute, &binary(Binary::Subtract, &wide[0], &wide[1])?)?;
                let limit = Array::python(Item::Float(1.5 * double::pow(10.0, f64::from(-decimals))))?;
                let near = binary(Binary::Less, &distance, &limit)?;
                let same = binary(Binary::LogicalOr, &binary(Binary::Equal, a, b)?, &either_nan()?)?;
                binary(Binary::LogicalOr, &near, &same)
            }
        }
    }
}

/// `%g`-like text of a tolerance.
fn print_general(x: f64) -> String {
    if x == 0.0 {
        "0".into()
    } else {
        print::show_item(Item::Float(x), Dtype::F64)
            .trim_end_matches(".0")
            .to_owned()
    }
}

/// Checks `demanded`; `note` goes into the failure text.
///
/// # Errors
/// `Unknown` in estimate mode, `NeedLaunch` while a launch has not run, or a fault.
pub fn check(
    demanded: Demanded,
    actual: &Array,
    desired: &Array,
    note: &str,
    host: &dyn Host,
) -> Result<Verdict, Demand> {
    let mut header = format!("\n{}", demanded.header());
    header.push('\n');
    header.push_str(note);
    let Ok(shape) =
        broadcast_shapes(actual.shape(), desired.shape()).and_then(|shape| same_shape(actual, desired, shape))
    else {
        let shapes = format!("{}, {}", show_shape(actual.shape()), show_shape(desired.shape()));
        return fails(
            demanded,
            &header,
            &format!("(shapes {shapes} mismatch)"),
            actual,
            desired,
            host,
        );
    };
    let (a, b) = (actual.broadcast_to(&shape)?, desired.broadcast_to(&shape)?);
    if a.dtype().is_float() || b.dtype().is_float() {
        for (test, what) in [(Unary::Isnan, "nan"), (Unary::Isinf, "inf")] {
            if matches!(demanded, Demanded::Less) {
                break;
            }
            if !array_equal(&unary(test, &a)?, &unary(test, &b)?)?.item(host)?.is_true() {
                return fails(
                    demanded,
                    &header,
                    &format!("{what} location mismatch:"),
                    actual,
                    desired,
                    host,
                );
            }
        }
    }
    let good = demanded.holds(&a, &b)?.force(host)?;
    let bad: Vec<usize> = good
        .typed::<bool>()?
        .iter()
        .enumerate()
        .filter(|(_, good)| !**good)
        .map(|(i, _)| i)
        .collect();
    let errors = Errors::of(&a, &b, host)?;
    if bad.is_empty() {
        return Ok(Verdict::Holds(errors.largest(None).0, errors.largest(None).1));
    }
    let facts = mismatches(demanded, &a, &b, &bad, &errors, host)?;
    fails(demanded, &header, &facts, actual, desired, host)
}

/// Arrays must have one shape, or one side must be a number.
fn same_shape(a: &Array, b: &Array, shape: Vec<usize>) -> Result<Vec<usize>, Fault> {
    if a.shape() == b.shape() || a.ndim() == 0 || b.ndim() == 0 {
        return Ok(shape);
    }
    Err(Fault::new(Code::Shape, "shapes differ"))
}

/// The whole failure text.
fn fails(
    demanded: Demanded,
    header: &str,
    facts: &str,
    a: &Array,
    b: &Array,
    host: &dyn Host,
) -> Result<Verdict, Demand> {
    let show = |array: &Array| print::repr(&array.clone().into_array(), host);
    let (x, y) = demanded.names();
    Ok(Verdict::Fails(format!(
        "{header}\n{facts}\n {x}: {}\n {y}: {}",
        show(a)?,
        show(b)?
    )))
}

/// Absolute and relative errors of all elements, in the dtype of the comparison.
struct Errors {
    absolute: Vec<f64>,
    relative: Vec<f64>,
    dtype: Dtype,
}

impl Errors {
    fn of(a: &Array, b: &Array, host: &dyn Host) -> Result<Self, Demand> {
        let dtype = math::common_dtype(a, b)?;
        let (x, y) = (a.astype(Dtype::F64)?.force(host)?, b.astype(Dtype::F64)?.force(host)?);
        let (x, y) = (x.typed::<f64>()?, y.typed::<f64>()?);
        let absolute: Vec<f64> = x
            .iter()
            .zip(y)
            .map(|(x, y)| if x == y { 0.0 } else { (x - y).abs() })
            .collect();
        let relative = absolute
            .iter()
            .zip(y)
            .map(|(e, y)| if *e == 0.0 { 0.0 } else { e / y.abs() })
            .collect();
        Ok(Self {
            absolute,
            relative,
            dtype,
        })
    }

    /// Largest errors of all elements, or of those at `bad`; NaN does not count.
    fn largest(&self, bad: Option<&[usize]>) -> (f64, f64) {
        let most = |errors: &[f64]| match bad {
            None => errors.iter().copied().fold(0.0, f64::max),
            Some(bad) => bad.iter().map(|&i| errors[i]).fold(0.0, f64::max),
        };
        (most(&self.absolute), most(&self.relative))
    }
}

/// The lines about mismatching elements.
fn mismatches(
    demanded: Demanded,
    a: &Array,
    b: &Array,
    bad: &[usize],
    errors: &Errors,
    host: &dyn Host,
) -> Result<String, Demand> {
    let percent = 100.0 * bad.len() as f64 / a.len() as f64;
    let mut lines = vec![format!(
        "Mismatched elements: {} / {} ({}%)",
        bad.len(),
        a.len(),
        three_digits(percent)
    )];
    if a.ndim() > 0 {
        let heading = match bad.len() {
            1 => "Mismatch at index:".to_owned(),
            n if n <= LISTED => "Mismatch at indices:".to_owned(),
            _ => format!("First {LISTED} mismatches are at indices:"),
        };
        lines.push(heading);
        let (x, y) = (
            buffer::lanes(&*a.force(host)?, a.dtype()).into_owned(),
            buffer::lanes(&*b.force(host)?, b.dtype()).into_owned(),
        );
        for &at in bad.iter().take(LISTED) {
            let left = print::show_item(lane_item(&x, at), a.dtype());
            let right = print::show_item(lane_item(&y, at), b.dtype());
            let (first, second) = demanded.names();
            lines.push(format!(
                " [{}]: {left} ({first}), {right} ({second})",
                place(at, a.shape())
            ));
        }
    }
    let (absolute, relative) = errors.largest(Some(bad));
    let integers = errors.dtype.is_integer();
    let shown = if integers {
        format!("{absolute}")
    } else {
        array_text(absolute, errors.dtype)
    };
    lines.push(format!("Max absolute difference among violations: {shown}"));
    let dtype = if integers { Dtype::F64 } else { errors.dtype };
    lines.push(format!(
        "Max relative difference among violations: {}",
        array_text(relative, dtype)
    ));
    Ok(lines.join("\n"))
}

/// A float as an array of no dimensions shows it (`1.`).
fn array_text(x: f64, dtype: Dtype) -> String {
    print::float_in_array(x, dtype)
}

/// Three significant digits without trailing zeros.
fn three_digits(x: f64) -> String {
    let digits = if x >= 100.0 {
        0
    } else if x >= 10.0 {
        1
    } else if x >= 1.0 {
        2
    } else {
        3
    };
    let text = format!("{x:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// `1, 2` for a flat position.
fn place(at: usize, shape: &[usize]) -> String {
    let mut rest = at;
    let mut index: Vec<String> = Vec::new();
    for &extent in shape.iter().rev() {
        index.push((rest % extent).to_string());
        rest /= extent;
    }
    index.reverse();
    index.join(", ")
}
