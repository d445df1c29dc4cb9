//! Virtual registers and instruction handles.

use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::Builtin;
use crate::interp::native::{Answer, NativeObject, PyIterator};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::isa::args::Arg;
use crate::syntax::ast::CompareOp;
use crate::tensor::view::RegId;
use crate::trace::program::InstId;

use super::language::loops::while_register;
use super::tracing::{Issue, tracing};

/// `nisa.VirtualRegister`: a register of the sequencer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VirtualRegister {
    /// Its number in the launch.
    pub id: RegId,
}

impl NativeObject for VirtualRegister {
    fn type_name(&self) -> &str {
        "VirtualRegister"
    }

    fn truth(&self, _cx: &mut Interp) -> Result<Value> {
        Err(
            Raised::type_error("the value of a register is not known while the kernel is traced")
                .hint("use nl.while_loop or nl.fori_loop for control flow that depends on a register"),
        )
    }

    fn compare(&self, _cx: &mut Interp, _op: CompareOp, other: &Value) -> Answer {
        if other.as_float().is_none() && other.downcast::<Self>().is_none() {
            return Ok(None);
        }
        Err(
            Raised::type_error("a register cannot be compared: its value is not known while the kernel is traced")
                .hint("a loop counter that Python code looks at needs range(), which unrolls the loop"),
        )
    }

    fn while_loop(&self, cx: &mut Interp) -> Result<Option<Box<dyn PyIterator>>> {
        while_register(cx, *self).map(Some)
    }

    fn repr(&self, _cx: &mut Interp) -> Result<String> {
        Ok(format!("<VirtualRegister {}>", self.id.0))
    }
}

/// `nisa.register_alloc(x)`.
///
/// # Errors
/// No kernel, or an initial value that is no integer.
pub fn register_alloc(cx: &mut Interp, initial: &Value) -> Result<Value> {
    let id = tracing(cx, "register_alloc()")?.builder.register();
    match initial {
        Value::None => {}
        Value::Int(number) => {
            let issue = Issue::new()
                .with("dst", Arg::Register(id))
                .with("src", Arg::Int(*number));
            issue.emit(cx, "register_move")?;
        }
        other => {
            let got = crate::interp::builtin::plain_type_name(other);
            return Err(Raised::type_error(format!("register_alloc() takes an integer or None, not {got}")).on("x"));
        }
    }
    Ok(Value::native(VirtualRegister { id }))
}

/// `nisa.NkiInstruction`: the handle that an instruction call returns.
#[derive(Clone, Copy, Debug)]
pub struct NkiInstruction {
    /// The instruction.
    pub inst: InstId,
    /// The launch that it belongs to.
    pub generation: u32,
}

impl NativeObject for NkiInstruction {
    fn type_name(&self) -> &str {
        "NkiInstruction"
    }

    fn methods(&self) -> &'static [Builtin] {
        INSTRUCTION_METHODS
    }

    fn getattr(&self, _cx: &mut Interp, _name: &str) -> Answer {
        Ok(None)
    }
}

builtin! {
    /// Methods of `NkiInstruction`.
    pub INSTRUCTION_METHODS;
    /// Makes this instruction start only after `producers` have ended.
    "depends_on" "(self, *producers)" => |cx, args| {
        let this = *args.receiver::<NkiInstruction>()?;
        let producers: Vec<Option<NkiInstruction>> =
            args.rest().iter().map(|arg| arg.value.downcast::<NkiInstruction>().copied()).collect();
        let tracing = tracing(cx, "depends_on()")?;
        for producer in producers {
            let Some(producer) = producer.filter(|producer| producer.generation == tracing.generation) else {
                return Err(Raised::type_error("depends_on() takes handles that instructions of this kernel returned"));
            };
            tracing.builder.depends_on(this.inst, producer.inst)?;
        }
        Ok(args.value(0).clone())
    };
}
