//! Loops.
//!
//! Iterators with known bounds unroll while the kernel is traced, so they are plain ranges. Loops that stay loops on the device
//! need the induction register in the trace, which does not carry it yet: they are refused by name.

use std::rc::Rc;

use crate::builtin;
use crate::interp::builtin::Args;
use crate::interp::raised::{Raised, Result};
use crate::interp::value::{Range, Value};

/// `range(start, stop, step)` with Python's rule for a missing stop.
fn range(args: &Args) -> Result<Value> {
    let first = args.int(0)?;
    let (start, stop) = if args.some(1).is_some() {
        (first, args.int(1)?)
    } else {
        (0, first)
    };
    let step = args.int_or(2, 1)?;
    if step == 0 {
        return Err(Raised::value_error(format!(
            "{}() step must not be zero",
            args.function()
        )));
    }
    Ok(Value::Range(Rc::new(Range { start, stop, step })))
}

/// The error of loops on the device.
fn on_device(args: &Args) -> Raised {
    Raised::unimplemented(format!("nl.{}() is not modelled yet", args.function()))
        .hint("use range() where the bounds are known while the kernel is traced")
}

builtin! {
    /// Loop functions.
    pub ROWS;
    /// `range`, unrolled.
    "affine_range" "(start, stop=None, step=1)" => |_cx, args| range(args);
    /// `range`, unrolled.
    "sequential_range" "(start, stop=None, step=1)" => |_cx, args| range(args);
    /// `range`, unrolled.
    "static_range" "(start, stop=None, step=1)" => |_cx, args| range(args);
    /// A loop that runs on the device.
    "dynamic_range" "(start, stop=None, step=1)" => |_cx, args| Err(on_device(args));
    /// A counted loop that runs on the device.
    "fori_loop" "(lower, upper, body_fun, step=1)" => |_cx, args| Err(on_device(args));
    /// A loop on the device that runs while a register is not zero.
    "while_loop" "(init, body_fun)" => |_cx, args| Err(on_device(args));
}
