//! Reductions over free dimensions, and functions that consist of several instructions.
//!
//! The reference says that the axes are the last ones of the tile and gives no lowering. A mean is a sum in float32 times the
//! reciprocal of the count; a variance is the mean of squared distances to the mean.

use crate::base::diag::{Code, Fault};
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::Args;
use crate::interp::convert;
use crate::interp::nki::legacy::is_legacy;
use crate::interp::nki::tensor::{NkiTensor, integers};
use crate::interp::nki::tracing::Issue;
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::isa::args::Arg;
use crate::numerics::dtype::Dtype;

use super::math::{Operand, apply, common_shape, operand, result, with_number};
use super::unary::activation;
use super::{dtype, through, tile};

/// The axes of a reduction, counted from the front and sorted.
fn axes(cx: &mut Interp, args: &Args, at: usize, x: &NkiTensor) -> Result<Vec<usize>> {
    let given = match args.value(at).as_int() {
        Some(axis) => vec![axis],
        None => integers(args, at)?,
    };
    let count = x.window.dims.len() as i64;
    let mut axes = Vec::new();
    for axis in given {
        let positive = if axis < 0 { axis + count } else { axis };
        if !(1..count).contains(&positive) {
            let message = format!("{}(): axis {axis} of {}", args.function(), x.describe());
            let raised = Raised::from(Fault::new(Code::Constraint, format!("{message} cannot be reduced")).on("axis"));
            return Err(raised.hint("only free dimensions reduce here; for partitions use a matrix multiplication with ones, or transpose first"));
        }
        axes.push(positive as usize);
    }
    axes.sort_unstable();
    axes.dedup();
    let last = x.window.dims.len() - axes.len();
    if axes.iter().enumerate().any(|(at, &axis)| axis != last + at) && !is_legacy(cx) {
        let message = format!(
            "{}(): axes {axes:?} of {} are not its last ones",
            args.function(),
            x.describe()
        );
        return Err(Raised::from(Fault::new(Code::Constraint, message).on("axis"))
            .hint("move the dimensions to the end first with x.permute(...)"));
    }
    Ok(axes)
}

/// A reduction over free dimensions as a new tile.
fn reduce(
    cx: &mut Interp,
    name: &'static str,
    x: &NkiTensor,
    axes: &[usize],
    dtype: Dtype,
    keepdims: bool,
) -> Result<NkiTensor> {
    operand(cx, name, &Value::native(x.clone()))?;
    let sizes = x.window.shape();
    let kept: Vec<usize> = (0..sizes.len()).filter(|axis| !axes.contains(axis)).collect();
    // The instruction reduces the last dimensions; the older dialect takes any, so the others come first.
    let order: Vec<i64> = kept.iter().chain(axes).map(|&axis| axis as i64).collect();
    let data = through(x, x.window.permute(&order))?;
    let mut shape: Vec<u32> = if keepdims {
        let size = |axis: usize| if axes.contains(&axis) { 1 } else { sizes[axis] };
        (0..sizes.len()).map(size).collect()
    } else {
        kept.iter().map(|&axis| sizes[axis]).collect()
    };
    if shape.len() < 2 {
        shape.push(1);
    }
    let dst = result(cx, name, shape, dtype)?;
    let last = (kept.len()..sizes.len()).map(|axis| Arg::Int(axis as i64)).collect();
    let issue = Issue::new().tile(cx, "dst", &dst)?.tile(cx, "data", &data)?;
    issue
        .with("op", Arg::Function(name))
        .with("axis", Arg::List(last))
        .emit(cx, "tensor_reduce")?;
    Ok(dst)
}

/// `name(x, axis, dtype, keepdims)`.
fn reduction(cx: &mut Interp, args: &Args, name: &'static str) -> Result<Value> {
    let x = tile(args, 0)?;
    let axes = axes(cx, args, 1, &x)?;
    let dtype = dtype(args, 2)?.unwrap_or(x.window.dtype);
    reduce(cx, name, &x, &axes, dtype, args.truth_or(3, false)?).map(Value::native)
}

/// Product of the sizes of some axes.
fn extent(x: &NkiTensor, axes: &[usize]) -> f64 {
    axes.iter().map(|&axis| f64::from(x.window.dims[axis].num)).product()
}

/// `dst = x * factor`, in a new tile.
fn scaled(cx: &mut Interp, x: &NkiTensor, factor: f64, dtype: Dtype) -> Result<NkiTensor> {
    let dst = result(cx, "mean", x.window.shape(), dtype)?;
    with_number(cx, Arg::Function("multiply"), &dst, x, Arg::Float(factor), false)?;
    Ok(dst)
}

fn mean(cx: &mut Interp, x: &NkiTensor, axes: &[usize], dtype: Dtype, keepdims: bool) -> Result<NkiTensor> {
    let sum = reduce(cx, "add", x, axes, Dtype::F32, keepdims)?;
    scaled(cx, &sum, 1.0 / extent(x, axes), dtype)
}

/// `x <name> y` of two tiles.
fn pair(cx: &mut Interp, name: &'static str, x: &NkiTensor, y: &NkiTensor, dtype: Dtype) -> Result<NkiTensor> {
    let (x, y) = (Operand::Tile(x.clone()), Operand::Tile(y.clone()));
    let (Operand::Tile(a), Operand::Tile(b)) = (&x, &y) else {
        return Err(Raised::type_error("two tiles are needed"));
    };
    let dst = result(cx, name, common_shape(name, a, b)?, dtype)?;
    apply(cx, name, &dst, x, y)?;
    Ok(dst)
}

fn variance(cx: &mut Interp, args: &Args) -> Result<Value> {
    let x = tile(args, 0)?;
    let axes = axes(cx, args, 1, &x)?;
    let dtype = dtype(args, 2)?.unwrap_or(x.window.dtype);
    let centre = mean(cx, &x, &axes, Dtype::F32, true)?;
    let distance = pair(cx, "subtract", &x, &centre, Dtype::F32)?;
    let square = pair(cx, "multiply", &distance, &distance, Dtype::F32)?;
    mean(cx, &square, &axes, dtype, true).map(Value::native)
}

fn softmax(cx: &mut Interp, args: &Args) -> Result<Value> {
    let x = tile(args, 0)?;
    let axes = if args.some(1).is_some() {
        axes(cx, args, 1, &x)?
    } else {
        vec![x.window.dims.len() - 1]
    };
    let dtype = dtype(args, 2)?.unwrap_or(x.window.dtype);
    let largest = reduce(cx, "maximum", &x, &axes, Dtype::F32, true)?;
    let shifted = pair(cx, "subtract", &x, &largest, Dtype::F32)?;
    let powers = result(cx, "softmax", x.window.shape(), Dtype::F32)?;
    activation(cx, "exp", &powers, &shifted)?;
    let sum = reduce(cx, "add", &powers, &axes, Dtype::F32, true)?;
    let inverse = result(cx, "softmax", sum.window.shape(), Dtype::F32)?;
    Issue::new()
        .tile(cx, "dst", &inverse)?
        .tile(cx, "data", &sum)?
        .emit(cx, "reciprocal")?;
    pair(cx, "multiply", &powers, &inverse, dtype).map(Value::native)
}

fn rms_norm(cx: &mut Interp, args: &Args) -> Result<Value> {
    let (x, w) = (tile(args, 0)?, tile(args, 1)?);
    let axes = axes(cx, args, 2, &x)?;
    let (count, epsilon) = (args.float(3)?, args.float_or(4, 1e-6)?);
    let dtype = dtype(args, 5)?.unwrap_or(x.window.dtype);
    let compute = super::dtype(args, 6)?.unwrap_or(Dtype::F32);
    let square = pair(cx, "multiply", &x, &x, compute)?;
    let sum = reduce(cx, "add", &square, &axes, Dtype::F32, true)?;
    let mean = result(cx, "rms_norm", sum.window.shape(), Dtype::F32)?;
    let issue = Issue::new().tile(cx, "dst", &mean)?.tile(cx, "data", &sum)?;
    let issue = issue
        .with("op0", Arg::Function("multiply"))
        .with("operand0", Arg::Float(1.0 / count));
    issue
        .with("op1", Arg::Function("add"))
        .with("operand1", Arg::Float(epsilon))
        .emit(cx, "tensor_scalar")?;
    let inverse = result(cx, "rms_norm", sum.window.shape(), Dtype::F32)?;
    activation(cx, "rsqrt", &inverse, &mean)?;
    let normal = pair(cx, "multiply", &x, &inverse, compute)?;
    pair(cx, "multiply", &normal, &w, dtype).map(Value::native)
}

/// `where(condition, x, y)`: `y` is copied, then overwritten where the condition holds.
fn select(cx: &mut Interp, args: &Args) -> Result<Value> {
    let condition = tile(args, 0)?;
    let shape = condition.window.shape();
    let source = |at: usize| args.value(at).downcast::<NkiTensor>().cloned();
    let own = source(1)
        .or_else(|| source(2))
        .map_or(Dtype::F32, |tile| tile.window.dtype);
    let dtype = dtype(args, 3)?.unwrap_or(own);
    let dst = result(cx, "where", shape.clone(), dtype)?;
    let mask = result(cx, "where", shape.clone(), Dtype::U8)?;
    with_number(
        cx,
        Arg::Function("not_equal"),
        &mask,
        &condition,
        Arg::Float(0.0),
        false,
    )?;
    super::program::fill_or_copy(cx, &dst, &args.value(2).clone())?;
    let chosen = result(cx, "where", shape, dtype)?;
    super::program::fill_or_copy(cx, &chosen, &args.value(1).clone())?;
    let issue = Issue::new().tile(cx, "dst", &dst)?.tile(cx, "src", &chosen)?;
    issue.tile(cx, "predicate", &mask)?.emit(cx, "tensor_copy_predicated")?;
    Ok(Value::native(dst))
}

builtin! {
    /// Reductions and functions composed of several instructions.
    pub ROWS;
    /// Sum over free dimensions.
    "sum" "(x, axis, dtype=None, keepdims=False)" => |cx, args| reduction(cx, args, "add");
    /// Largest element over free dimensions.
    "max" "(x, axis, dtype=None, keepdims=False)" => |cx, args| reduction(cx, args, "maximum");
    /// Smallest element over free dimensions.
    "min" "(x, axis, dtype=None, keepdims=False)" => |cx, args| reduction(cx, args, "minimum");
    /// Product over free dimensions.
    "prod" "(x, axis, dtype=None, keepdims=False)" => |cx, args| reduction(cx, args, "multiply");
    /// Whether all elements over free dimensions are true.
    "all" "(x, axis, dtype=None)" => |cx, args| {
        let x = tile(args, 0)?;
        let axes = axes(cx, args, 1, &x)?;
        let dtype = dtype(args, 2)?.unwrap_or(x.window.dtype);
        reduce(cx, "logical_and", &x, &axes, dtype, false).map(Value::native)
    };
    /// Mean over free dimensions, computed in float32.
    "mean" "(x, axis, dtype=None, keepdims=False)" => |cx, args| {
        let x = tile(args, 0)?;
        let axes = axes(cx, args, 1, &x)?;
        let dtype = dtype(args, 2)?.unwrap_or(x.window.dtype);
        let keepdims = args.truth_or(3, false)?;
        mean(cx, &x, &axes, dtype, keepdims).map(Value::native)
    };
    /// Variance over free dimensions; the dimensions stay.
    "var" "(x, axis, dtype=None, keepdims=False)" => |cx, args| variance(cx, args);
    /// Exponentials divided by their sum.
    "softmax" "(x, axis=-1, dtype=None)" => |cx, args| softmax(cx, args);
    /// `x` divided by its root mean square, times `w`.
    "rms_norm" "(x, w, axis, n, epsilon=1e-06, dtype=None, compute_dtype=None)" => |cx, args| rms_norm(cx, args);
    /// Elements of `x` where the condition is not 0, else of `y`.
    "where" "(condition, x, y, dtype=None)" => |cx, args| select(cx, args);
    /// `x` with elements set to 0 at random.
    "dropout" "(x, rate, dtype=None)" => |cx, args| {
        let (x, dtype) = (tile(args, 0)?, dtype(args, 2)?);
        let dst = result(cx, "dropout", x.window.shape(), dtype.unwrap_or(x.window.dtype))?;
        let rate = convert::arg(cx, &args.value(1).clone())?;
        let issue = Issue::new().tile(cx, "dst", &dst)?.tile(cx, "data", &x)?;
        issue.with("prob", rate).emit(cx, "dropout")?;
        Ok(Value::native(dst))
    };
    /// Elements of each partition at the given indices.
    "gather_flattened" "(data, indices, axis=0, dtype=None)" => |cx, args| {
        if args.int_or(2, 0)? != 0 {
            let text = "gather_flattened() takes axis=0 only: the reference does not say what another axis means";
            return Err(Raised::from(Fault::new(Code::Unspecified, text).on("axis")));
        }
        let (data, indices, dtype) = (tile(args, 0)?, tile(args, 1)?, dtype(args, 3)?);
        let dst = result(cx, "gather_flattened", indices.window.shape(), dtype.unwrap_or(data.window.dtype))?;
        let issue = Issue::new().tile(cx, "dst", &dst)?.tile(cx, "data", &data)?;
        issue.tile(cx, "indices", &indices)?.emit(cx, "nc_n_gather")?;
        Ok(Value::native(dst))
    };
}
