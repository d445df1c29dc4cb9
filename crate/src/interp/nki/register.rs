//! Virtual registers and instruction handles.

use crate::base::diag::{Code, Fault};
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{Args, Builtin, CallArgs};
use crate::interp::native::{Answer, NativeObject, PyIterator};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::isa::args::Arg;
use crate::isa::spec::Entry;
use crate::syntax::ast::CompareOp;
use crate::tensor::view::RegId;
use crate::trace::program::{InstId, LoopId};

use super::language::loops::while_register;
use super::tracing::{Issue, tracing};

/// `nisa.VirtualRegister`: a register of the sequencer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VirtualRegister {
    /// Its number in the launch.
    pub id: RegId,
    /// Whether only the loop that owns it sets it: the variable of a counted loop.
    pub frozen: bool,
}

impl VirtualRegister {
    /// A register that instructions may set.
    pub fn new(id: RegId) -> Self {
        Self { id, frozen: false }
    }
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

/// Refuses to set the variable of a counted loop.
///
/// # Errors
/// The instruction would write a register that its loop owns.
pub fn check_frozen(entry: &Entry, call: &CallArgs) -> Result<()> {
    if !matches!(entry.spec.name, "register_move" | "register_load") {
        return Ok(());
    }
    let keyword = call
        .keywords
        .iter()
        .find(|(name, _)| &**name == "dst")
        .map(|(_, arg)| arg);
    let Some(dst) = keyword.or_else(|| call.positional.first()) else {
        return Ok(());
    };
    if !dst
        .value
        .downcast::<VirtualRegister>()
        .is_some_and(|register| register.frozen)
    {
        return Ok(());
    }
    let message = format!(
        "{}(): the variable of a loop on the device cannot be set",
        entry.spec.name
    );
    Err(Raised::from(Fault::new(Code::Constraint, message))
        .at(dst.span)
        .hint("keep the value that changes in a register of its own, from nisa.register_alloc()"))
}

/// `VirtualRegister(state, frozen)`.
fn construct(cx: &mut Interp, args: &Args) -> Result<Value> {
    if args.some(1).is_some() {
        return Err(Raised::argument_error(
            "VirtualRegister() takes a state of the compiler, which scripts do not have",
        )
        .hint("make a register with nisa.register_alloc(x)"));
    }
    let frozen = args.truth_or(2, false)?;
    let id = tracing(cx, "VirtualRegister()")?.builder.register();
    Ok(Value::native(VirtualRegister { id, frozen }))
}

builtin! {
    /// Methods of `VirtualRegister`.
    pub REGISTER_METHODS;
    /// A new register; kernels make theirs with `nisa.register_alloc`.
    "__init__" "(self, state=None, frozen=False)" => |cx, args| construct(cx, args);
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
    Ok(Value::native(VirtualRegister::new(id)))
}

/// `nisa.NkiInstruction`: the handle that an instruction call returns.
#[derive(Clone, Copy, Debug)]
pub struct NkiInstruction {
    /// The instruction.
    pub inst: InstId,
    /// The launch that it belongs to.
    pub generation: u32,
    /// The loop on the device that contains it.
    pub region: Option<LoopId>,
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
    /// Handles come from the functions of `nki.isa`.
    "__init__" "(self, handle)" => |_cx, _args| {
        let raised = Raised::argument_error("NkiInstruction() takes a handle of the compiler, which scripts do not have");
        Err(raised.hint("keep what a function of nki.isa returns, such as a = nisa.dma_copy(dst, src)"))
    };
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
            if !tracing.regions.encloses(producer.region, this.region) {
                let text = "depends_on(): the producer is in a loop on the device that does not contain the consumer, so its semaphore could never or always fire";
                return Err(Raised::from(Fault::new(Code::Constraint, text)).hint("issue both in the same loop, or the producer in an enclosing scope"));
            }
            tracing.builder.depends_on(this.inst, producer.inst)?;
        }
        Ok(args.value(0).clone())
    };
}
