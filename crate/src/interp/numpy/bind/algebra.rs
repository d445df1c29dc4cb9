//! Products of arrays, `np.linalg`, comparisons, `np.testing` and what is left of the top level.

use super::convert::{array_operand, array_value, axes_arg, axis_arg, integer, integers, is_sequence, operand};
use super::session::{host, raised};
use super::shared::{first, integer_arg, number_arg};
use crate::base::diag::Fault;
use crate::builtin;
use crate::interp::builtin::Args;
use crate::interp::native::{Answer, NativeObject};
use crate::interp::numpy::array::{Array, Item};
use crate::interp::numpy::check::{self, Demanded, Tolerance, Verdict};
use crate::interp::numpy::linalg::{self, Norm};
use crate::interp::numpy::math::{self, Binary};
use crate::interp::numpy::node::Demand;
use crate::interp::numpy::reduce::Along;
use crate::interp::numpy::{create, einsum};
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::value::Value;
use crate::interp::{Interp, Outcome, builtin::CallArgs};

/// Wraps the result of an array function.
fn out(made: std::result::Result<Array, Fault>) -> Result<Value> {
    made.map(array_value).map_err(raised)
}

/// Parameters 0 and 1 as operands.
fn two(cx: &mut Interp, args: &Args) -> Result<(Array, Array)> {
    let (a, b) = (args.value(0).clone(), args.value(1).clone());
    Ok((operand(cx, &a)?, operand(cx, &b)?))
}

/// Stores a result in parameter `at`, if an array was passed there.
fn into_out(args: &Args, at: usize, made: Array) -> Result<Value> {
    let Some(target) = args.some(at) else {
        return Ok(array_value(made));
    };
    let Some(array) = super::convert::as_array(target) else {
        return Err(args.wrong(at, "an array"));
    };
    array.write_in_place(&made, args.function()).map_err(raised)?;
    Ok(target.clone())
}

/// Tolerances of `allclose` and its siblings at positions 2 to 4.
fn tolerance(cx: &mut Interp, args: &Args, defaults: Tolerance) -> Result<Tolerance> {
    Ok(Tolerance {
        relative: number_arg(cx, args, 2, defaults.relative)?,
        absolute: number_arg(cx, args, 3, defaults.absolute)?,
        equal_nan: args.truth_or(4, defaults.equal_nan)?,
    })
}

/// Defaults of `np.allclose`.
const CLOSE: Tolerance = Tolerance {
    relative: 1e-5,
    absolute: 1e-8,
    equal_nan: false,
};

/// Runs a check of `np.testing` and records its outcome.
fn assertion(cx: &mut Interp, args: &Args, demanded: Demanded, note: &str) -> Result<Value> {
    let (actual, desired) = two(cx, args)?;
    let span = cx.span();
    let text = args.function().to_owned();
    let run = host(cx);
    match check::check(demanded, &actual, &desired, note, &run) {
        Ok(Verdict::Holds(absolute, relative)) => {
            let note = format!("largest absolute error {absolute:.3e}, relative {relative:.3e}");
            cx.record_check(span, text, Outcome::Passed, note);
            Ok(Value::None)
        }
        Ok(Verdict::Fails(message)) => {
            cx.record_check(span, text, Outcome::Failed, String::new());
            Err(Raised::new(Exception::AssertionError, message))
        }
        Err(Demand::Unknown) => {
            cx.record_check(
                span,
                text,
                Outcome::Skipped,
                "values are not computed in estimate mode".into(),
            );
            Ok(Value::None)
        }
        Err(other) => Err(other.into()),
    }
}

/// `axes` of `tensordot`: a number of axes, or two lists.
fn tensordot(cx: &mut Interp, args: &Args) -> Result<Value> {
    let (a, b) = two(cx, args)?;
    let axes = args.some(2).cloned().unwrap_or(Value::Int(2));
    if !is_sequence(&axes) {
        let count = integer(cx, &axes)?.max(0) as isize;
        let left: Vec<isize> = (a.ndim() as isize - count..a.ndim() as isize).collect();
        return out(linalg::tensordot(&a, &b, &left, &(0..count).collect::<Vec<_>>()));
    }
    let parts = cx.collect(&axes)?;
    let [left, right] = parts.as_slice() else {
        return Err(args.wrong(2, "a number of axes, or two lists of axes"));
    };
    let wide = |axes: Vec<i64>| axes.into_iter().map(|axis| axis as isize).collect::<Vec<_>>();
    let (left, right) = (wide(integers(cx, left)?), wide(integers(cx, right)?));
    out(linalg::tensordot(&a, &b, &left, &right))
}

builtin! {
    /// Products, comparisons and the rest of the top level.
    pub ALGEBRA;
    /// Matrix product.
    "matmul" "(x1, x2, /, out=None)" => |cx, args| {
        let (a, b) = two(cx, args)?;
        into_out(args, 2, linalg::matmul(&a, &b).map_err(raised)?)
    };
    /// Sum of products over the last axes.
    "inner" "(a, b)" => |cx, args| { let (a, b) = two(cx, args)?; out(linalg::inner(&a, &b)) };
    /// All products of the elements of two vectors.
    "outer" "(a, b)" => |cx, args| { let (a, b) = two(cx, args)?; out(linalg::outer(&a, &b)) };
    /// Sum of products of all elements.
    "vdot" "(a, b)" => |cx, args| {
        let (a, b) = two(cx, args)?;
        let flat = |x: &Array| x.reshape(&[x.len()]).map_err(raised);
        out(linalg::matmul(&flat(&a)?, &flat(&b)?))
    };
    /// Sum of products over chosen axes.
    "tensordot" "(a, b, axes=2)" => |cx, args| tensordot(cx, args);
    /// Sum of products in Einstein's notation.
    "einsum" "(subscripts, *operands, optimize=False)" => |cx, args| {
        let text = args.str(0)?.to_owned();
        let mut operands = Vec::new();
        for arg in args.rest().to_vec() {
            operands.push(array_operand(cx, &arg.value)?);
        }
        out(einsum::einsum(&text, &operands))
    };
    /// Whether all elements agree within tolerances.
    "allclose" "(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)" => |cx, args| {
        let (a, b) = two(cx, args)?;
        let tolerance = tolerance(cx, args, CLOSE)?;
        out(check::allclose(&a, &b, tolerance))
    };
    /// Which elements agree within tolerances.
    "isclose" "(a, b, rtol=1e-05, atol=1e-08, equal_nan=False)" => |cx, args| {
        let (a, b) = two(cx, args)?;
        let tolerance = tolerance(cx, args, CLOSE)?;
        out(check::isclose(&a, &b, tolerance))
    };
    /// Whether shapes and all elements are equal.
    "array_equal" "(a1, a2)" => |cx, args| { let (a, b) = two(cx, args)?; out(check::array_equal(&a, &b)) };
    /// The largest elements over axes.
    "amax" "(a, axis=None, *, keepdims=False)" => |cx, args| extreme(cx, args, crate::interp::numpy::reduce::Reduction::Max);
    /// The smallest elements over axes.
    "amin" "(a, axis=None, *, keepdims=False)" => |cx, args| extreme(cx, args, crate::interp::numpy::reduce::Reduction::Min);
    /// Elements rounded to decimals.
    "around" "(a, decimals=0)" => |cx, args| {
        let array = first(cx, args)?;
        let decimals = integer_arg(cx, args, 1, 0)?.clamp(-300, 300) as i32;
        out(math::round(&array, decimals))
    };
    /// NaN and infinities replaced by numbers.
    "nan_to_num" "(x, copy=True, nan=0.0)" => |cx, args| {
        let array = first(cx, args)?;
        let filler = Array::python(Item::Float(number_arg(cx, args, 2, 0.0)?)).map_err(raised)?;
        let missing = math::unary(math::Unary::Isnan, &array).map_err(raised)?;
        out(math::select(&missing, &filler, &array))
    };
    /// Weighted mean.
    "average" "(a, axis=None, weights=None)" => |cx, args| {
        let array = first(cx, args)?;
        let along = Along { axes: axes_arg(cx, args, 1)?, ..Along::all() };
        let Some(weights) = args.some(2).cloned() else {
            return out(crate::interp::numpy::reduce::mean(&array, &along));
        };
        let weights = array_operand(cx, &weights)?;
        let sum = |x: &Array| crate::interp::numpy::reduce::reduce(crate::interp::numpy::reduce::Reduction::Sum, x, &along);
        let weighted = math::binary(Binary::Multiply, &array, &weights).and_then(|x| sum(&x)).map_err(raised)?;
        let total = weights.broadcast_to(array.shape()).and_then(|x| sum(&x)).map_err(raised)?;
        out(math::binary(Binary::Divide, &weighted, &total))
    };
    /// A function applied to every element, as an array.
    "vectorize" "(pyfunc, otypes=None)" => |_cx, args| Ok(Value::native(Vectorized { function: args.value(0).clone() }));
    /// A function applied to the rows along an axis.
    "apply_along_axis" "(func1d, axis, arr)" => |cx, args| apply_along_axis(cx, args);
    /// Accepted for compatibility: printing follows NumPy's defaults.
    "set_printoptions" "(**options)" => |_cx, _args| Ok(Value::None);
    /// Accepted for compatibility: floating-point errors never warn here. Works as a context manager.
    "errstate" "(**options)" => |_cx, _args| Ok(Value::native(Quiet));
    /// Accepted for compatibility: floating-point errors never warn here.
    "seterr" "(**options)" => |_cx, _args| Ok(Value::None);
}

/// `amax` and `amin`.
fn extreme(cx: &mut Interp, args: &Args, op: crate::interp::numpy::reduce::Reduction) -> Result<Value> {
    let array = first(cx, args)?;
    let along = super::shared::along(cx, args, 2, None)?;
    out(crate::interp::numpy::reduce::reduce(op, &array, &along))
}

/// `np.apply_along_axis`: the function gets rows and gives arrays of one shape.
fn apply_along_axis(cx: &mut Interp, args: &Args) -> Result<Value> {
    let function = args.value(0).clone();
    let axis = integer_arg(cx, args, 1, 0)? as isize;
    let source = args.value(2).clone();
    let array = array_operand(cx, &source)?;
    let last = crate::interp::numpy::shape::moveaxis(&array, &[axis], &[-1]).map_err(raised)?;
    let (outer, length) = (last.shape()[..last.ndim() - 1].to_vec(), last.shape()[last.ndim() - 1]);
    let count: usize = outer.iter().product();
    let rows = last.reshape(&[count, length]).map_err(raised)?;
    let mut parts = Vec::new();
    for row in 0..count {
        let line = crate::interp::numpy::shape::narrow_axis(&rows, 0, row, 1)
            .reshape(&[length])
            .map_err(raised)?;
        let made = cx.call_values(&function, vec![array_value(line)])?;
        parts.push(array_operand(cx, &made)?);
    }
    let made = crate::interp::numpy::shape::stack(&parts, 0).map_err(raised)?;
    let inner = made.shape()[1..].to_vec();
    let made = made.reshape(&[&outer[..], &inner].concat()).map_err(raised)?;
    if inner.is_empty() {
        return Ok(array_value(made));
    }
    // The axes of what the function gives take the place of the axis that it was given.
    let place = axis.rem_euclid(array.ndim() as isize);
    let behind = outer.len() as isize;
    let (from, to): (Vec<isize>, Vec<isize>) = (0..inner.len() as isize).map(|at| (behind + at, place + at)).unzip();
    out(crate::interp::numpy::shape::moveaxis(&made, &from, &to))
}

/// What `np.vectorize` returns.
struct Vectorized {
    function: Value,
}

impl NativeObject for Vectorized {
    fn type_name(&self) -> &str {
        "vectorize"
    }

    fn call(&self, cx: &mut Interp, args: CallArgs) -> Answer {
        let mut operands = Vec::new();
        let mut shape = Vec::new();
        for arg in &args.positional {
            let array = array_operand(cx, &arg.value)?;
            shape = math::broadcast_shapes(&shape, array.shape()).map_err(raised)?;
            operands.push(array);
        }
        let run = host(cx);
        let mut columns = Vec::new();
        for array in &operands {
            match array.broadcast_to(&shape).map_err(raised)?.items(&run) {
                Ok(items) => columns.push(items),
                Err(Demand::Unknown) => return unknown_result(&shape),
                Err(other) => return Err(other.into()),
            }
        }
        let count = shape.iter().product();
        cx.step(count as u64)?;
        let mut results = Vec::with_capacity(count);
        for i in 0..count {
            let values = columns
                .iter()
                .map(|items| super::convert::item_value(items[i]))
                .collect();
            results.push(cx.call_values(&self.function, values)?);
        }
        let nested = super::convert::nested(cx, &Value::list(results))?;
        Ok(Some(out(
            create::array(&nested, None).and_then(|flat| flat.reshape(&shape))
        )?))
    }
}

/// The result of a vectorised function whose inputs are not computed: binary64 of the broadcast shape.
fn unknown_result(shape: &[usize]) -> Answer {
    let node = crate::interp::numpy::node::Node::launch(shape, crate::numerics::dtype::Dtype::F64, u32::MAX, 0);
    Ok(Some(array_value(Array::from_node(node))))
}

/// A context manager that does nothing.
struct Quiet;

builtin! {
    /// Methods of the context manager of `np.errstate`.
    QUIET;
    /// Enters the block.
    "__enter__" "(self)" => |_cx, args| Ok(args.value(0).clone());
    /// Leaves the block.
    "__exit__" "(self, exc_type, exc_value, traceback)" => |_cx, _args| Ok(Value::Bool(false));
}

impl NativeObject for Quiet {
    fn type_name(&self) -> &str {
        "errstate"
    }

    fn methods(&self) -> &'static [crate::interp::builtin::Builtin] {
        QUIET
    }
}

/// The order of a norm.
fn norm_order(args: &Args) -> Result<Norm> {
    match args.some(1) {
        None => Ok(Norm::Two),
        Some(value) if value.as_str() == Some("fro") => Ok(Norm::Two),
        Some(value) => match value.as_float() {
            Some(1.0) => Ok(Norm::One),
            Some(2.0) => Ok(Norm::Two),
            Some(f64::INFINITY) => Ok(Norm::Infinity),
            Some(f64::NEG_INFINITY) => Ok(Norm::NegativeInfinity),
            _ => Err(Raised::unimplemented(
                "np.linalg.norm() knows ord 1, 2, inf, -inf and 'fro' in the playground",
            )),
        },
    }
}

builtin! {
    /// Functions of `np.linalg`.
    pub LINALG;
    /// The length of vectors, or the Frobenius norm of a matrix.
    "norm" "(x, ord=None, axis=None, keepdims=False)" => |cx, args| {
        let array = first(cx, args)?;
        let order = norm_order(args)?;
        let axes = axes_arg(cx, args, 2)?;
        let vectors = axes.as_ref().map_or(array.ndim(), Vec::len) == 1;
        if !vectors && args.some(1).is_some_and(|ord| ord.as_str() != Some("fro")) {
            return Err(Raised::unimplemented("matrix norms other than 'fro' are not available in the playground"));
        }
        out(linalg::norm(&array, order, &Along { axes, keepdims: args.truth_or(3, false)?, dtype: None }))
    };
    /// The inverse of a matrix.
    "inv" "(a)" => |cx, args| { let array = first(cx, args)?; out(linalg::inv(&array)) };
    /// The determinant of a matrix.
    "det" "(a)" => |cx, args| { let array = first(cx, args)?; out(linalg::det(&array)) };
    /// The solution of a system of linear equations.
    "solve" "(a, b)" => |cx, args| { let (a, b) = two(cx, args)?; out(linalg::solve(&a, &b)) };
}

builtin! {
    /// Functions of `np.testing`.
    pub TESTING;
    /// Fails unless arrays agree within tolerances.
    "assert_allclose" "(actual, desired, rtol=1e-07, atol=0, equal_nan=True, err_msg='', verbose=True)" => |cx, args| {
        let defaults = Tolerance { relative: 1e-7, absolute: 0.0, equal_nan: true };
        let tolerance = tolerance(cx, args, defaults)?;
        let note = args.str_or(5, "")?.to_owned();
        assertion(cx, args, Demanded::Close(tolerance), &note)
    };
    /// Fails unless arrays are equal.
    "assert_array_equal" "(actual, desired, err_msg='', verbose=True)" => |cx, args| {
        let note = args.str_or(2, "")?.to_owned();
        assertion(cx, args, Demanded::Equal, &note)
    };
    /// Fails unless values are equal.
    "assert_equal" "(actual, desired, err_msg='', verbose=True)" => |cx, args| {
        let note = args.str_or(2, "")?.to_owned();
        assertion(cx, args, Demanded::Equal, &note)
    };
    /// Fails unless arrays agree to some decimals.
    "assert_array_almost_equal" "(actual, desired, decimal=6, err_msg='', verbose=True)" => |cx, args| {
        let decimals = integer_arg(cx, args, 2, 6)? as i32;
        let note = args.str_or(3, "")?.to_owned();
        assertion(cx, args, Demanded::Decimals(decimals), &note)
    };
    /// Fails unless values agree to some decimals.
    "assert_almost_equal" "(actual, desired, decimal=7, err_msg='', verbose=True)" => |cx, args| {
        let decimals = integer_arg(cx, args, 2, 7)? as i32;
        let note = args.str_or(3, "")?.to_owned();
        assertion(cx, args, Demanded::Decimals(decimals), &note)
    };
    /// Fails unless every element is less.
    "assert_array_less" "(x, y, err_msg='', verbose=True)" => |cx, args| {
        let note = args.str_or(2, "")?.to_owned();
        assertion(cx, args, Demanded::Less, &note)
    };
}

/// An axis parameter for siblings of this module.
pub(super) fn choice_axis(cx: &mut Interp, args: &Args, at: usize) -> Result<usize> {
    Ok(axis_arg(cx, args, at, Some(0))?.unwrap_or(0).max(0) as usize)
}
