//! Virtual registers of the sequencers.

use crate::base::diag::{Code, Fault};
use crate::chip::engine::Engine;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::param::{In, Out, RegisterSource};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::op;
use crate::tensor::view::{RegId, ViewId};

op! {
    /// Allocates a virtual register, with a first value if one is given.
    ///
    /// The front end makes the register; with a value it also issues `register_move`.
    register_alloc => RegisterAlloc on [] since Gen2 unnamed {
        /// First value.
        x: Option<i32> = None,
    }
}

impl Op for RegisterAlloc {
    fn check(&self, _cx: &OpCx) -> Result<(), Fault> {
        Ok(())
    }

    fn execute(&self, _cx: &mut ExecCx) -> Result<(), Fault> {
        Ok(())
    }

    fn work(&self, _cx: &OpCx) -> Work {
        Work::Free
    }
}

op! {
    /// Sets a register to a constant or to the value of another register.
    register_move => RegisterMove on [] since Gen2 unnamed [
        deprecated "imm" => "src", "write src= instead"
    ] {
        /// Register to set.
        dst: RegId,
        /// Constant or register.
        src: RegisterSource,
    }
}

impl Op for RegisterMove {
    fn check(&self, _cx: &OpCx) -> Result<(), Fault> {
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let value = match self.src {
            RegisterSource::Constant(value) => value,
            RegisterSource::Register(register) => cx.machine.register(register)?,
        };
        cx.machine.set_register(self.dst, value);
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::register_move(cx, Engine::Sync)
    }
}

/// Checks a tensor that holds one value of at most 32 bits.
fn single(cx: &OpCx, view: ViewId, param: &'static str) -> Result<(), Fault> {
    let tile = cx.tile(view);
    rules::space(
        cx,
        view,
        param,
        rules::DMA,
        "copy the value to SBUF first with nisa.tensor_copy",
    )?;
    if tile.pattern.elements() != 1 || tile.dtype().is_packed() {
        let message = format!("{}; limit: exactly one element", tile.label(param));
        return Err(Fault::new(Code::Shape, message)
            .on(param)
            .hint(format!("take one element, for example {}[0:1, 0:1]", tile.buffer.name)));
    }
    Ok(())
}

op! {
    /// Loads one value from SBUF or HBM into a register; floats keep their bits.
    register_load => RegisterLoad on [] since Gen2 unnamed {
        /// Register to set.
        dst: RegId,
        /// Tensor with one element.
        src: In,
    }
}

impl Op for RegisterLoad {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        single(cx, self.src.0, "src")
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let value = if cx.tile(self.src.0).dtype().is_integer() {
            cx.machine.read_i32(cx.tables, self.src.0, "src")?[0]
        } else {
            cx.read_bits(self.src.0, "src")?[0] as i32
        };
        cx.machine.set_register(self.dst, value);
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::register_access(cx, Engine::Sync)
    }
}

op! {
    /// Stores a register in SBUF or HBM; narrower elements keep the low bits.
    register_store => RegisterStore on [] since Gen2 unnamed {
        /// Tensor with one element.
        dst: Out,
        /// Register.
        src: RegId,
    }
}

impl Op for RegisterStore {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        single(cx, self.dst.0, "dst")
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let value = cx.machine.register(self.src)?;
        cx.write_bits(self.dst.0, vec![value as u32])
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::register_access(cx, Engine::Sync)
    }
}
