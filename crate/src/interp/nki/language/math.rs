//! Element-wise functions and reductions. Their names are also the tokens of operators and activations.
//!
//! The reference gives the dtype of the result for one operand only (that of the operand). For two tiles the wider dtype wins,
//! float over integer, and `float16` with `bfloat16` gives `float32`.

use crate::base::diag::{Code, Fault};
use crate::builtin;
use crate::chip::Gen;
use crate::interp::Interp;
use crate::interp::builtin::{Args, plain_type_name};
use crate::interp::convert;
use crate::interp::nki::tensor::NkiTensor;
use crate::interp::nki::tracing::{Issue, Request, allocate, chip};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::isa::args::Arg;
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::Space;

use super::shape::{broadcast_to, spread_free};
use super::unary::unary;
use super::{dtype, tile};

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
pub(super) fn result(cx: &mut Interp, function: &str, shape: Vec<u32>, dtype: Dtype) -> Result<NkiTensor> {
    allocate(cx, Request::new(function, shape, dtype, Space::Sbuf))
}

/// The operand of an element-wise function.
pub(super) enum Operand {
    Tile(NkiTensor),
    Number(Arg),
}

pub(super) fn operand(cx: &mut Interp, name: &str, value: &Value) -> Result<Operand> {
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
    check_generation(cx, name)?;
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

/// The reference has the comparisons by magnitude from NeuronCore-v4 on.
fn check_generation(cx: &mut Interp, name: &str) -> Result<()> {
    let chip = chip(cx);
    if !matches!(name, "abs_max" | "abs_min") || chip.generation >= Gen::Gen4 {
        return Ok(());
    }
    let message = format!(
        "nl.{name}() does not exist on {}; it needs NeuronCore-v4 or newer",
        chip.title
    );
    Err(Raised::from(Fault::new(Code::Generation, message))
        .hint("compare the magnitudes, nl.abs(x) and nl.abs(y), with nl.maximum or nl.minimum"))
}

/// Issues the instruction of an element-wise function of two operands.
pub(super) fn apply(cx: &mut Interp, name: &'static str, dst: &NkiTensor, x: Operand, y: Operand) -> Result<()> {
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
pub(super) fn with_number(
    cx: &mut Interp,
    op: Arg,
    dst: &NkiTensor,
    tile: &NkiTensor,
    number: Arg,
    reverse: bool,
) -> Result<()> {
    let issue = Issue::new().tile(cx, "dst", dst)?.tile(cx, "data", tile)?;
    let issue = issue
        .with("op0", op)
        .with("operand0", number)
        .with("reverse0", Arg::Bool(reverse));
    issue.emit(cx, "tensor_scalar").map(|_| ())
}

/// The shape that two tiles broadcast to.
pub(super) fn common_shape(name: &str, a: &NkiTensor, b: &NkiTensor) -> Result<Vec<u32>> {
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
}

builtin! {
    /// Names that only stand for operators, as in `op=nl.bypass`.
    pub TOKEN_ROWS;
    /// The parametric rectifier, for `op=` of activations; `relu_param` is its slope for negative inputs.
    "prelu" "(x)" => token_only;
    /// No operation, for `op0=` and `op1=`.
    "bypass" "(x)" => token_only;
    /// The mean, for `op=` of reductions.
    "average" "(x)" => token_only;
}
