//! Element-wise functions and reductions. Their names are also the tokens of operators and activations.
//!
//! The reference gives the dtype of the result for one operand only (that of the operand). For two tiles the wider dtype wins,
//! float over integer, and `float16` with `bfloat16` gives `float32`.

use crate::base::diag::{Code, Fault};
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{Args, plain_type_name};
use crate::interp::convert;
use crate::interp::nki::tensor::{NkiTensor, integers};
use crate::interp::nki::tracing::{Issue, Request, allocate};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::isa::args::Arg;
use crate::numerics::activation::Activation;
use crate::numerics::alu::AluOp;
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::Space;

use super::program::copy;
use super::shape::{broadcast_to, spread_free};
use super::{dtype, through, tile};

/// The dtype of a result of two tiles.
fn promote(a: Dtype, b: Dtype) -> Dtype {
    match (a.is_float(), b.is_float()) {
        _ if a == b => a,
        (true, false) => a,
        (false, true) => b,
        _ if a.bytes() != b.bytes() => {
            if a.bytes() > b.bytes() {
                a
            } else {
                b
            }
        }
        (true, true) => Dtype::F32,
        (false, false) => Dtype::I32,
    }
}

/// A new tile in SBUF.
fn result(cx: &mut Interp, function: &str, shape: Vec<u32>, dtype: Dtype) -> Result<NkiTensor> {
    allocate(cx, Request::new(function, shape, dtype, Space::Sbuf))
}

/// The operand of an element-wise function.
enum Operand {
    Tile(NkiTensor),
    Number(Arg),
}

fn operand(cx: &mut Interp, name: &str, value: &Value) -> Result<Operand> {
    if let Some(tile) = value.downcast::<NkiTensor>() {
        if !tile.window.space.is_on_chip() {
            let message = format!("nl.{name}() needs tiles in sbuf or psum, got {}", tile.describe());
            return Err(
                Raised::from(Fault::new(Code::MemorySpace, message)).hint("bring it on chip with nl.load() first")
            );
        }
        return Ok(Operand::Tile(tile.clone()));
    }
    match convert::arg(cx, value)? {
        number @ (Arg::Int(_) | Arg::Float(_) | Arg::Bool(_)) => Ok(Operand::Number(number)),
        _ => Err(Raised::type_error(format!(
            "nl.{name}() takes tiles and numbers, not {}",
            plain_type_name(value)
        ))),
    }
}

/// `x <name> y` as a new tile.
///
/// # Errors
/// Operands that do not fit together, or what the instruction says.
pub fn binary(cx: &mut Interp, name: &'static str, x: &Value, y: &Value, dtype: Option<Dtype>) -> Result<Value> {
    let (x, y) = (operand(cx, name, x)?, operand(cx, name, y)?);
    let tile = match (&x, &y) {
        (Operand::Tile(a), Operand::Tile(b)) => {
            let shape = common_shape(name, a, b)?;
            let dtype = dtype.unwrap_or_else(|| promote(a.window.dtype, b.window.dtype));
            result(cx, name, shape, dtype)?
        }
        (Operand::Tile(a), Operand::Number(_)) | (Operand::Number(_), Operand::Tile(a)) => {
            result(cx, name, a.window.shape(), dtype.unwrap_or(a.window.dtype))?
        }
        (Operand::Number(_), Operand::Number(_)) => {
            return Err(Raised::type_error(format!("nl.{name}() needs at least one tile"))
                .hint("use Python's own operators for numbers"));
        }
    };
    apply(cx, name, &tile, x, y)?;
    Ok(Value::native(tile))
}

/// `dst = x <name> y`.
///
/// # Errors
/// As [`binary`].
pub fn binary_into(cx: &mut Interp, name: &'static str, dst: &NkiTensor, x: &Value, y: &Value) -> Result<()> {
    let (x, y) = (operand(cx, name, x)?, operand(cx, name, y)?);
    apply(cx, name, dst, x, y)
}

/// Issues the instruction of an element-wise function of two operands.
fn apply(cx: &mut Interp, name: &'static str, dst: &NkiTensor, x: Operand, y: Operand) -> Result<()> {
    let op = Arg::Function(name);
    match (x, y) {
        (Operand::Tile(a), Operand::Tile(b)) => {
            let shape = dst.window.shape();
            let (a, b) = (repeated(cx, &a, &shape)?, repeated(cx, &b, &shape)?);
            let issue = Issue::new()
                .tile(cx, "dst", dst)?
                .tile(cx, "data1", &a)?
                .tile(cx, "data2", &b)?;
            issue.with("op", op).emit(cx, "tensor_tensor")?;
        }
        (Operand::Tile(tile), Operand::Number(number)) => with_number(cx, op, dst, &tile, number, false)?,
        (Operand::Number(number), Operand::Tile(tile)) => with_number(cx, op, dst, &tile, number, true)?,
        (Operand::Number(_), Operand::Number(_)) => {}
    }
    Ok(())
}

/// `dst = tile <op> number`, or the other way round.
fn with_number(cx: &mut Interp, op: Arg, dst: &NkiTensor, tile: &NkiTensor, number: Arg, reverse: bool) -> Result<()> {
    let issue = Issue::new().tile(cx, "dst", dst)?.tile(cx, "data", tile)?;
    let issue = issue
        .with("op0", op)
        .with("operand0", number)
        .with("reverse0", Arg::Bool(reverse));
    issue.emit(cx, "tensor_scalar").map(|_| ())
}

/// The shape that two tiles broadcast to.
fn common_shape(name: &str, a: &NkiTensor, b: &NkiTensor) -> Result<Vec<u32>> {
    let (left, right) = (a.window.shape(), b.window.shape());
    let pairs = left.iter().zip(&right);
    let fits = left.len() == right.len() && pairs.clone().all(|(a, b)| a == b || *a == 1 || *b == 1);
    if fits {
        return Ok(pairs.map(|(a, b)| *a.max(b)).collect());
    }
    let message = format!("nl.{name}(): {} and {} do not broadcast", a.describe(), b.describe());
    Err(Raised::from(Fault::new(Code::Shape, message)).hint("dimensions must be equal or 1"))
}

/// `x` repeated to `shape`: free dimensions by a view, partitions by a copy.
fn repeated(cx: &mut Interp, x: &NkiTensor, shape: &[u32]) -> Result<NkiTensor> {
    if x.window.dims[0].num == shape[0] || x.window.dims.len() != shape.len() {
        return if x.window.dims.len() == shape.len() {
            spread_free(x, shape)
        } else {
            Ok(x.clone())
        };
    }
    let spread = broadcast_to(cx, x, shape, None)?;
    Ok(spread.downcast::<NkiTensor>().cloned().unwrap_or_else(|| x.clone()))
}

/// `name(x)` as a new tile.
///
/// # Errors
/// A function that no instruction computes, or what the instruction says.
pub fn unary(cx: &mut Interp, name: &'static str, x: &NkiTensor, dtype: Option<Dtype>) -> Result<Value> {
    let value = Value::native(x.clone());
    operand(cx, name, &value)?;
    let dst = result(cx, name, x.window.shape(), dtype.unwrap_or(x.window.dtype))?;
    match name {
        "copy" => copy(cx, &dst, x)?,
        "negative" => with_number(cx, Arg::Function("multiply"), &dst, x, Arg::Float(-1.0), false)?,
        "logical_not" => with_number(cx, Arg::Function("equal"), &dst, x, Arg::Float(0.0), false)?,
        "cos" => cosine(cx, &dst, x)?,
        "reciprocal" => {
            Issue::new()
                .tile(cx, "dst", &dst)?
                .tile(cx, "data", x)?
                .emit(cx, "reciprocal")?;
        }
        _ if Activation::from_name(name).is_some() => activation(cx, name, &dst, x)?,
        _ if AluOp::from_name(name).is_some() => with_number(cx, Arg::Function(name), &dst, x, Arg::Int(0), false)?,
        _ => return Err(Raised::unimplemented(format!("nl.{name}() is not modelled yet"))),
    }
    Ok(Value::native(dst))
}

fn activation(cx: &mut Interp, name: &'static str, dst: &NkiTensor, x: &NkiTensor) -> Result<()> {
    let issue = Issue::new().tile(cx, "dst", dst)?.tile(cx, "data", x)?;
    issue.with("op", Arg::Function(name)).emit(cx, "activation").map(|_| ())
}

/// `cos(x) = sin(x + pi / 2)`.
fn cosine(cx: &mut Interp, dst: &NkiTensor, x: &NkiTensor) -> Result<()> {
    let bias = result(cx, "cos", vec![x.window.dims[0].num, 1], Dtype::F32)?;
    super::create::fill(cx, &bias, &Arg::Float(std::f64::consts::FRAC_PI_2))?;
    let issue = Issue::new()
        .tile(cx, "dst", dst)?
        .tile(cx, "data", x)?
        .tile(cx, "bias", &bias)?;
    issue
        .with("op", Arg::Function("sin"))
        .emit(cx, "activation")
        .map(|_| ())
}

/// The axes of a reduction, counted from the front and sorted.
fn axes(args: &Args, at: usize, x: &NkiTensor) -> Result<Vec<usize>> {
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
    let count = x.window.dims.len();
    let kept: Vec<usize> = (0..count).filter(|axis| !axes.contains(axis)).collect();
    // The instruction reduces the last dimensions, so the others come first.
    let order: Vec<i64> = kept.iter().chain(axes).map(|&axis| axis as i64).collect();
    let data = through(x, x.window.permute(&order))?;
    let sizes = x.window.shape();
    let mut shape: Vec<u32> = if keepdims {
        (0..count)
            .map(|axis| if axes.contains(&axis) { 1 } else { sizes[axis] })
            .collect()
    } else {
        kept.iter().map(|&axis| sizes[axis]).collect()
    };
    if shape.len() < 2 {
        shape.push(1);
    }
    let dst = result(cx, name, shape, dtype)?;
    let last = (kept.len()..count).map(|axis| Arg::Int(axis as i64)).collect();
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
    let axes = axes(args, 1, &x)?;
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
    let axes = axes(args, 1, &x)?;
    let dtype = dtype(args, 2)?.unwrap_or(x.window.dtype);
    let centre = mean(cx, &x, &axes, Dtype::F32, true)?;
    let distance = pair(cx, "subtract", &x, &centre, Dtype::F32)?;
    let square = pair(cx, "multiply", &distance, &distance, Dtype::F32)?;
    mean(cx, &square, &axes, dtype, true).map(Value::native)
}

fn softmax(cx: &mut Interp, args: &Args) -> Result<Value> {
    let x = tile(args, 0)?;
    let axes = if args.some(1).is_some() {
        axes(args, 1, &x)?
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
    let axes = axes(args, 2, &x)?;
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

/// A row of a function of two operands.
fn binary_row(cx: &mut Interp, args: &mut Args) -> Result<Value> {
    let (x, y, dtype) = (args.value(0).clone(), args.value(1).clone(), dtype(args, 2)?);
    binary(cx, args.function(), &x, &y, dtype)
}

/// A row of a function of one operand.
fn unary_row(cx: &mut Interp, args: &mut Args) -> Result<Value> {
    let (x, dtype) = (tile(args, 0)?, dtype(args, 1)?);
    unary(cx, args.function(), &x, dtype)
}

/// The error of a token that is no function.
fn token_only(_cx: &mut Interp, args: &mut Args) -> Result<Value> {
    Err(Raised::type_error(format!(
        "nl.{} stands for an operator and cannot be called",
        args.function()
    )))
}

builtin! {
    /// Element-wise functions of two operands.
    pub BINARY_ROWS;
    /// `x + y`.
    "add" "(x, y, dtype=None)" => binary_row;
    /// `x - y`.
    "subtract" "(x, y, dtype=None)" => binary_row;
    /// `x * y`.
    "multiply" "(x, y, dtype=None)" => binary_row;
    /// `x / y`.
    "divide" "(x, y, dtype=None)" => binary_row;
    /// The larger of `x` and `y`.
    "maximum" "(x, y, dtype=None)" => binary_row;
    /// The smaller of `x` and `y`.
    "minimum" "(x, y, dtype=None)" => binary_row;
    /// The larger magnitude.
    "abs_max" "(x, y, dtype=None)" => binary_row;
    /// The smaller magnitude.
    "abs_min" "(x, y, dtype=None)" => binary_row;
    /// `x ** y`.
    "power" "(x, y, dtype=None)" => binary_row;
    /// `x == y` as 1 or 0.
    "equal" "(x, y, dtype=None)" => binary_row;
    /// `x != y` as 1 or 0.
    "not_equal" "(x, y, dtype=None)" => binary_row;
    /// `x < y` as 1 or 0.
    "less" "(x, y, dtype=None)" => binary_row;
    /// `x <= y` as 1 or 0.
    "less_equal" "(x, y, dtype=None)" => binary_row;
    /// `x > y` as 1 or 0.
    "greater" "(x, y, dtype=None)" => binary_row;
    /// `x >= y` as 1 or 0.
    "greater_equal" "(x, y, dtype=None)" => binary_row;
    /// Bitwise and.
    "bitwise_and" "(x, y, dtype=None)" => binary_row;
    /// Bitwise or.
    "bitwise_or" "(x, y, dtype=None)" => binary_row;
    /// Bitwise exclusive or.
    "bitwise_xor" "(x, y, dtype=None)" => binary_row;
    /// Bits shifted to the left.
    "left_shift" "(x, y, dtype=None)" => binary_row;
    /// Bits shifted to the right.
    "right_shift" "(x, y, dtype=None)" => binary_row;
    /// Logical and as 1 or 0.
    "logical_and" "(x, y, dtype=None)" => binary_row;
    /// Logical or as 1 or 0.
    "logical_or" "(x, y, dtype=None)" => binary_row;
    /// Logical exclusive or as 1 or 0.
    "logical_xor" "(x, y, dtype=None)" => binary_row;
    /// The remainder with the sign of `x`.
    "fmod" "(x, y, dtype=None)" => binary_row;
    /// The remainder with the sign of `y`.
    "mod" "(x, y, dtype=None)" => binary_row;
}

builtin! {
    /// Element-wise functions of one operand.
    pub UNARY_ROWS;
    /// Magnitude.
    "abs" "(x, dtype=None)" => unary_row;
    /// `x * x`.
    "square" "(x, dtype=None)" => unary_row;
    /// Bits inverted.
    "invert" "(x, dtype=None)" => unary_row;
    /// 1 where `x` is 0.
    "logical_not" "(x, dtype=None)" => unary_row;
    /// Exponential function.
    "exp" "(x, dtype=None)" => unary_row;
    /// Natural logarithm.
    "log" "(x, dtype=None)" => unary_row;
    /// Square root.
    "sqrt" "(x, dtype=None)" => unary_row;
    /// Reciprocal of the square root.
    "rsqrt" "(x, dtype=None)" => unary_row;
    /// Hyperbolic tangent.
    "tanh" "(x, dtype=None)" => unary_row;
    /// `1 / (1 + exp(-x))`.
    "sigmoid" "(x, dtype=None)" => unary_row;
    /// `max(x, 0)`.
    "relu" "(x, dtype=None)" => unary_row;
    /// Gaussian error linear unit.
    "gelu" "(x, dtype=None)" => unary_row;
    /// Gaussian error linear unit, sigmoid approximation.
    "gelu_apprx_sigmoid" "(x, dtype=None)" => unary_row;
    /// Gaussian error linear unit, tanh approximation.
    "gelu_apprx_tanh" "(x, dtype=None)" => unary_row;
    /// Derivative of `gelu`.
    "gelu_dx" "(x, dtype=None)" => unary_row;
    /// Derivative of `gelu_apprx_sigmoid`.
    "gelu_apprx_sigmoid_dx" "(x, dtype=None)" => unary_row;
    /// `x * sigmoid(x)`.
    "silu" "(x, dtype=None)" => unary_row;
    /// Derivative of `silu`.
    "silu_dx" "(x, dtype=None)" => unary_row;
    /// `log(1 + exp(x))`.
    "softplus" "(x, dtype=None)" => unary_row;
    /// `x * tanh(softplus(x))`.
    "mish" "(x, dtype=None)" => unary_row;
    /// Error function.
    "erf" "(x, dtype=None)" => unary_row;
    /// Derivative of `erf`.
    "erf_dx" "(x, dtype=None)" => unary_row;
    /// `1 / x`.
    "reciprocal" "(x, dtype=None)" => unary_row;
    /// A copy in SBUF.
    "copy" "(x, dtype=None)" => unary_row;
    /// Sine.
    "sin" "(x, dtype=None)" => unary_row;
    /// Cosine.
    "cos" "(x, dtype=None)" => unary_row;
    /// Tangent.
    "tan" "(x, dtype=None)" => unary_row;
    /// Inverse tangent.
    "arctan" "(x, dtype=None)" => unary_row;
    /// The next integer above.
    "ceil" "(x, dtype=None)" => unary_row;
    /// The next integer below.
    "floor" "(x, dtype=None)" => unary_row;
    /// The next integer towards 0.
    "trunc" "(x, dtype=None)" => unary_row;
    /// `-x`.
    "negative" "(x, dtype=None)" => unary_row;
    /// -1, 0 or 1.
    "sign" "(x, dtype=None)" => unary_row;
    /// Parametric rectifier; a token for `op=`.
    "prelu" "(x)" => token_only;
    /// No operation; a token for `op=`.
    "bypass" "(x)" => token_only;
    /// Mean; a token for `op=`.
    "average" "(x)" => token_only;
}

builtin! {
    /// Reductions and functions composed of several instructions.
    pub REDUCE_ROWS;
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
        let axes = axes(args, 1, &x)?;
        let dtype = dtype(args, 2)?.unwrap_or(x.window.dtype);
        reduce(cx, "logical_and", &x, &axes, dtype, false).map(Value::native)
    };
    /// Mean over free dimensions, computed in float32.
    "mean" "(x, axis, dtype=None, keepdims=False)" => |cx, args| {
        let x = tile(args, 0)?;
        let axes = axes(args, 1, &x)?;
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
        let (data, indices, dtype) = (tile(args, 0)?, tile(args, 1)?, dtype(args, 3)?);
        let dst = result(cx, "gather_flattened", indices.window.shape(), dtype.unwrap_or(data.window.dtype))?;
        let issue = Issue::new().tile(cx, "dst", &dst)?.tile(cx, "data", &data)?;
        issue.tile(cx, "indices", &indices)?.emit(cx, "nc_n_gather")?;
        Ok(Value::native(dst))
    };
}
