//! Element-wise functions of one tile.
//!
//! Most are one instruction. Where the reference gives no lowering, the functions here choose one that is exact or accurate:
//!
//! - `sin`, `cos`, `tan`: the Scalar Engine is accurate within pi only, so the argument is reduced first (the reference says that
//!   `sin` does so, not how): the nearest whole number of turns, as int32, is subtracted in two parts;
//! - `ceil`, `floor`, `trunc`: the remainder of a division by 1 is subtracted, which is exact for every size;
//! - `rsqrt` runs on GpSimd, which cannot read PSUM.

use crate::base::diag::{Code, Fault};
use crate::interp::Interp;
use crate::interp::nki::tensor::NkiTensor;
use crate::interp::nki::tracing::Issue;
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::isa::args::Arg;
use crate::numerics::activation::Activation;
use crate::numerics::alu::AluOp;
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::Space;

use super::math::{Operand, apply, operand, result, with_number};
use super::program::copy;

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
        "logical_not" => with_number(cx, Arg::Function("logical_xor"), &dst, x, Arg::Float(1.0), false)?,
        "invert" => with_number(cx, Arg::Function("bitwise_xor"), &dst, x, Arg::Int(-1), false)?,
        "sin" => sine(cx, &dst, x)?,
        "cos" => cosine(cx, &dst, x)?,
        "tan" => tangent(cx, &dst, x)?,
        "ceil" | "floor" | "trunc" => whole(cx, name, &dst, x)?,
        "rsqrt" => precise_rsqrt(cx, &dst, x)?,
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

/// `dst = name(x)` on the Scalar Engine.
///
/// # Errors
/// What the instruction says.
pub fn activation(cx: &mut Interp, name: &'static str, dst: &NkiTensor, x: &NkiTensor) -> Result<()> {
    let issue = Issue::new().tile(cx, "dst", dst)?.tile(cx, "data", x)?;
    issue.with("op", Arg::Function(name)).emit(cx, "activation").map(|_| ())
}

/// An operator of `tensor_scalar` and its constant.
type Stage = (&'static str, f64);

/// `dst = (x <first>) <second>` with constants.
fn stages(cx: &mut Interp, dst: &NkiTensor, x: &NkiTensor, first: Stage, second: Stage) -> Result<()> {
    let issue = Issue::new().tile(cx, "dst", dst)?.tile(cx, "data", x)?;
    let issue = issue
        .with("op0", Arg::Function(first.0))
        .with("operand0", Arg::Float(first.1));
    issue
        .with("op1", Arg::Function(second.0))
        .with("operand1", Arg::Float(second.1))
        .emit(cx, "tensor_scalar")
        .map(|_| ())
}

/// A turn in two parts: products of the first with up to 16 bits are exact in float32.
const TURN_HIGH: f64 = 6.28125;
const TURN_LOW: f64 = std::f64::consts::TAU - TURN_HIGH;

/// The angle within pi that is whole turns away from `x`.
fn within_pi(cx: &mut Interp, x: &NkiTensor) -> Result<NkiTensor> {
    let shape = x.window.shape();
    let turns = result(cx, "turns", shape.clone(), Dtype::I32)?;
    let per_turn = Arg::Float(1.0 / std::f64::consts::TAU);
    with_number(cx, Arg::Function("multiply"), &turns, x, per_turn, false)?;
    let mut angle = x.clone();
    for part in [TURN_HIGH, TURN_LOW] {
        let rest = result(cx, "angle", shape.clone(), Dtype::F32)?;
        let issue = Issue::new().tile(cx, "dst", &rest)?.tile(cx, "data", &turns)?;
        let issue = issue
            .with("op0", Arg::Function("multiply"))
            .with("operand0", Arg::Float(-part));
        let issue = issue.with("op1", Arg::Function("add"));
        issue.tile(cx, "operand1", &angle)?.emit(cx, "scalar_tensor_tensor")?;
        angle = rest;
    }
    // Rounding may leave the range of the engine by a bit.
    let pi = f64::from(std::f32::consts::PI);
    stages(cx, &angle, &angle, ("minimum", pi), ("maximum", -pi))?;
    Ok(angle)
}

fn sine(cx: &mut Interp, dst: &NkiTensor, x: &NkiTensor) -> Result<()> {
    let angle = within_pi(cx, x)?;
    activation(cx, "sin", dst, &angle)
}

/// `cos(x) = sin(x + pi / 2)`.
fn cosine(cx: &mut Interp, dst: &NkiTensor, x: &NkiTensor) -> Result<()> {
    let shifted = result(cx, "shifted", x.window.shape(), Dtype::F32)?;
    let quarter = Arg::Float(std::f64::consts::FRAC_PI_2);
    with_number(cx, Arg::Function("add"), &shifted, x, quarter, false)?;
    sine(cx, dst, &shifted)
}

/// `tan(x) = sin(x) * (1 / cos(x))`.
fn tangent(cx: &mut Interp, dst: &NkiTensor, x: &NkiTensor) -> Result<()> {
    let shape = x.window.shape();
    let up = result(cx, "sine", shape.clone(), Dtype::F32)?;
    sine(cx, &up, x)?;
    let down = result(cx, "cosine", shape, Dtype::F32)?;
    cosine(cx, &down, x)?;
    Issue::new()
        .tile(cx, "dst", &down)?
        .tile(cx, "data", &down)?
        .emit(cx, "reciprocal")?;
    apply(cx, "multiply", dst, Operand::Tile(up), Operand::Tile(down))
}

/// The whole numbers of `ceil`, `floor` and `trunc`.
fn whole(cx: &mut Interp, name: &'static str, dst: &NkiTensor, x: &NkiTensor) -> Result<()> {
    if x.window.dtype.is_integer() {
        return copy(cx, dst, x);
    }
    let rest = result(cx, "rest", x.window.shape(), Dtype::F32)?;
    let combine = match name {
        "ceil" => {
            stages(cx, &rest, x, ("multiply", -1.0), ("mod", 1.0))?;
            "add"
        }
        "floor" => {
            with_number(cx, Arg::Function("mod"), &rest, x, Arg::Float(1.0), false)?;
            "subtract"
        }
        _ => {
            with_number(cx, Arg::Function("fmod"), &rest, x, Arg::Float(1.0), false)?;
            "subtract"
        }
    };
    apply(cx, combine, dst, Operand::Tile(x.clone()), Operand::Tile(rest))
}

/// `1 / sqrt(x)` on GpSimd, which is more precise than the Scalar Engine.
fn precise_rsqrt(cx: &mut Interp, dst: &NkiTensor, x: &NkiTensor) -> Result<()> {
    if x.window.space == Space::Psum {
        let message = format!(
            "nl.rsqrt() runs on GpSimd, which cannot read PSUM, got {}",
            x.describe()
        );
        return Err(Raised::from(Fault::new(Code::MemorySpace, message).on("x"))
            .hint("copy the tile to SBUF with nl.copy(x), or use nisa.activation(dst, op=nl.rsqrt, data=x) on the Scalar Engine"));
    }
    let issue = Issue::new().tile(cx, "dst", dst)?.tile(cx, "data", x)?;
    let issue = issue
        .with("op0", Arg::Function("rsqrt"))
        .with("operand0", Arg::Float(0.0));
    issue
        .with("engine", Arg::Member("engine", "gpsimd"))
        .emit(cx, "tensor_scalar")
        .map(|_| ())
}
