//! Loops.
//!
//! Iterators with known bounds unroll while the kernel is traced, so they are plain ranges. Loops that stay loops on the device
//! evaluate their body once, between two marks in the trace; the induction value is a register.

use std::rc::Rc;

use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::Args;
use crate::interp::native::PyIterator;
use crate::interp::nki::register::VirtualRegister;
use crate::interp::nki::tracing::{Issue, deprecated, tracing};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::{Range, Value};
use crate::isa::args::Arg;
use crate::tensor::view::RegId;
use crate::trace::program::{Bound, Loop, LoopId, Trip};

/// `range` under one of its older names.
fn unrolled(cx: &mut Interp, args: &Args) -> Result<Value> {
    let name = args.function();
    if !tracing(cx, name).is_ok_and(|tracing| tracing.legacy) {
        let message = format!("nl.{name}() is deprecated: it is Python's range()");
        deprecated(cx, args.call_span(), &message, "write range(...)");
    }
    range(args)
}

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

/// A bound of a loop on the device: an integer or a register.
fn bound(args: &Args, at: usize) -> Result<Bound> {
    if let Some(register) = args.value(at).downcast::<VirtualRegister>() {
        return Ok(Bound::Register(register.id));
    }
    let number = args.value(at).as_int();
    number
        .map(Bound::Known)
        .ok_or_else(|| args.wrong(at, "an integer or a register"))
}

/// The trips from `start` to `stop` by the step at parameter `step`.
fn trip(args: &Args, start: Bound, stop: Bound, step: usize) -> Result<Trip> {
    let by = args.int_or(step, 1)?;
    if by < 1 {
        return Err(Raised::value_error(format!(
            "{}() needs a positive step, got {by}",
            args.function()
        )));
    }
    Ok(Trip::Range { start, stop, step: by })
}

/// A loop on the device: its body is evaluated once.
struct DeviceLoop {
    trip: Trip,
    /// What the body sees.
    index: RegId,
    id: Option<LoopId>,
}

impl DeviceLoop {
    /// Marks the start of the body.
    fn begin(&mut self, cx: &mut Interp) -> Result<Value> {
        if tracing(cx, "a loop")?.fixed_order > 0 {
            return Err(
                Raised::value_error("a loop that runs on the device cannot be inside of nl.no_reorder()")
                    .hint("use range() for the loop, or close the no_reorder() block before it"),
            );
        }
        let loc = cx.loc();
        let counted = matches!(self.trip, Trip::Range { .. });
        let body = Loop {
            trip: self.trip,
            index: counted.then_some(self.index),
            loc,
        };
        let tracing = tracing(cx, "a loop")?;
        let id = tracing.builder.begin_loop(body)?;
        tracing.regions.begin(id);
        self.id = Some(id);
        Ok(Value::native(VirtualRegister {
            id: self.index,
            frozen: counted,
        }))
    }

    /// Marks the end of the body.
    fn end(&self, cx: &mut Interp) -> Result<()> {
        if let Some(id) = self.id {
            let tracing = tracing(cx, "a loop")?;
            tracing.builder.end_loop(id)?;
            tracing.regions.end();
        }
        Ok(())
    }
}

impl PyIterator for DeviceLoop {
    fn next(&mut self, cx: &mut Interp) -> Result<Option<Value>> {
        if self.id.is_none() {
            return self.begin(cx).map(Some);
        }
        self.end(cx)?;
        Ok(None)
    }

    fn abandon(&mut self, _cx: &mut Interp, raised: bool) -> Result<()> {
        if raised {
            return Ok(());
        }
        Err(
            Raised::value_error("'break' and 'return' cannot leave a loop that runs on the device")
                .hint("use range() where the bounds are known while the kernel is traced"),
        )
    }
}

/// The iterator behind `while register:`.
///
/// # Errors
/// No kernel is running.
pub fn while_register(cx: &mut Interp, register: VirtualRegister) -> Result<Box<dyn PyIterator>> {
    tracing(cx, "a loop over a register")?;
    deprecated(
        cx,
        None,
        "a bare 'while' over a register is deprecated",
        "put the body into a function that returns the next condition and write nl.while_loop(register, body)",
    );
    Ok(Box::new(DeviceLoop {
        trip: Trip::While(register.id),
        index: register.id,
        id: None,
    }))
}

fn dynamic_range(cx: &mut Interp, args: &Args) -> Result<Value> {
    deprecated(
        cx,
        args.call_span(),
        "nl.dynamic_range() is deprecated",
        "put the body into a function and write nl.fori_loop(start, stop, body)",
    );
    let (start, stop) = if args.some(1).is_some() {
        (bound(args, 0)?, bound(args, 1)?)
    } else {
        (Bound::Known(0), bound(args, 0)?)
    };
    let trip = trip(args, start, stop, 2)?;
    let index = tracing(cx, "nl.dynamic_range()")?.builder.register();
    Ok(Value::iterator("dynamic_range", DeviceLoop { trip, index, id: None }))
}

fn fori_loop(cx: &mut Interp, args: &Args) -> Result<Value> {
    let trip = trip(args, bound(args, 0)?, bound(args, 1)?, 3)?;
    let index = tracing(cx, "nl.fori_loop()")?.builder.register();
    let mut body = DeviceLoop { trip, index, id: None };
    let value = body.begin(cx)?;
    let returned = cx.call(&args.value(2).clone(), vec![value].into())?;
    if !returned.is_none() {
        return Err(Raised::type_error("the body of nl.fori_loop() cannot return a value")
            .hint("carry state between the rounds in a tensor that is allocated before the loop"));
    }
    body.end(cx)?;
    Ok(Value::None)
}

/// `dst = src` for registers.
fn copy_register(cx: &mut Interp, dst: RegId, src: RegId) -> Result<()> {
    let issue = Issue::new()
        .with("dst", Arg::Register(dst))
        .with("src", Arg::Register(src));
    issue.emit(cx, "register_move").map(|_| ())
}

fn while_loop(cx: &mut Interp, args: &Args) -> Result<Value> {
    let init = args.native::<VirtualRegister>(0, "a register")?.id;
    // The condition has a register of its own: the body gets values, and `init` stays as it is.
    let condition = tracing(cx, "nl.while_loop()")?.builder.register();
    copy_register(cx, condition, init)?;
    let mut body = DeviceLoop {
        trip: Trip::While(condition),
        index: condition,
        id: None,
    };
    let value = body.begin(cx)?;
    let next = cx.call(&args.value(1).clone(), vec![value].into())?;
    let Some(next) = next.downcast::<VirtualRegister>() else {
        return Err(Raised::type_error(
            "the body of nl.while_loop() must return the register of the next condition",
        ));
    };
    if next.id != condition {
        copy_register(cx, condition, next.id)?;
    }
    body.end(cx)?;
    Ok(Value::None)
}

builtin! {
    /// Loop functions.
    pub ROWS;
    /// `range`, unrolled.
    "affine_range" "(start, stop=None, step=1)" => |cx, args| unrolled(cx, args);
    /// `range`, unrolled.
    "sequential_range" "(start, stop=None, step=1)" => |cx, args| unrolled(cx, args);
    /// `range`, unrolled.
    "static_range" "(start, stop=None, step=1)" => |cx, args| unrolled(cx, args);
    /// A loop that runs on the device; the loop variable is a register.
    "dynamic_range" "(start, stop=None, step=1)" => |cx, args| dynamic_range(cx, args);
    /// A counted loop that runs on the device: `body_fun(i)` with a register `i`.
    "fori_loop" "(lower, upper, body_fun, step=1)" => |cx, args| fori_loop(cx, args);
    /// A loop on the device that runs while a register is not zero; the body returns the next one.
    "while_loop" "(init, body_fun)" => |cx, args| while_loop(cx, args);
}
