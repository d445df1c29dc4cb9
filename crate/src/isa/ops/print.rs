//! What shows and checks tiles while the kernel runs: `nl.device_print`, and `assert` on a tile.

use crate::base::diag::{Code, Fault};
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::param::In;
use crate::isa::rules;
use crate::isa::spec::{Op, Param};
use crate::isa::work::Work;
use crate::machine::Printed;
use crate::numerics::cast;
use crate::op;
use crate::tensor::view::TextId;

/// Values of a tile that a line shows at most.
const SHOWN: usize = 64;

impl Param for TextId {
    const KIND: &'static str = "a constant string";

    fn bind(arg: &crate::isa::args::Arg, _cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            crate::isa::args::Arg::Int(id) => Ok(Self(*id as u32)),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        "...".to_owned()
    }
}

op! {
    /// Prints a prefix and the values of a tile at run time.
    device_print => DevicePrint on [] since Gen2 unnamed {
        /// Text in front of the values, interned in the tables.
        print_prefix: TextId,
        /// Tile in SBUF or HBM.
        tensor: In,
    }
}

/// The first values of a tile.
fn shown<T: std::fmt::Display>(values: &[T]) -> String {
    let first: Vec<_> = values.iter().take(SHOWN).map(T::to_string).collect();
    let more = if values.len() > SHOWN { ", ..." } else { "" };
    first.join(", ") + more
}

impl Op for DevicePrint {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        rules::space(
            cx,
            self.tensor.0,
            "tensor",
            rules::DMA,
            "copy the tile to SBUF first with nisa.tensor_copy",
        )
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let tile = cx.tile(self.tensor.0);
        let shown = if tile.dtype().is_integer() {
            let raw = cx.read_raw(self.tensor.0, "tensor")?;
            let mut values = vec![0; cast::value_count(tile.dtype(), raw.len())];
            cast::decode_i64(tile.dtype(), &raw, &mut values);
            shown(&values)
        } else {
            let values = cx.read(self.tensor.0, "tensor")?;
            let text = shown(&values);
            cx.recycle(values);
            text
        };
        let prefix = &cx.tables.texts[self.print_prefix];
        let text = format!(
            "{prefix} {:?} {} [{}]",
            tile.pattern.shape(),
            tile.dtype().name(),
            shown
        );
        cx.machine.printed.push(Printed { core: cx.core, text });
        Ok(())
    }

    fn work(&self, _cx: &OpCx) -> Work {
        Work::Free
    }
}

op! {
    /// Stops the run unless every value of a tile is true.
    ///
    /// The reference asserts on tiles in its examples and does not say what the device does. Here the run checks the values; it
    /// takes no time.
    device_assert => DeviceAssert on [] since Gen2 unnamed {
        /// Text of the condition, interned in the tables.
        condition: TextId,
        /// Tile that must not hold 0.
        tensor: In,
    }
}

impl Op for DeviceAssert {
    fn check(&self, _cx: &OpCx) -> Result<(), Fault> {
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let values = cx.read(self.tensor.0, "tensor")?;
        let (count, first) = (values.len(), values.iter().position(|&value| value == 0.0));
        let wrong = values.iter().filter(|&&value| value == 0.0).count();
        cx.recycle(values);
        let Some(first) = first else { return Ok(()) };
        let text = &cx.tables.texts[self.condition];
        let shape = cx.tile(self.tensor.0).pattern.shape();
        Err(Fault::new(
            Code::Assertion,
            format!(
                "assertion failed: {text}: false at {wrong} of {count} elements of {shape:?}, first at element {first}"
            ),
        )
        .hint("show the operands before it with nl.device_print"))
    }

    fn work(&self, _cx: &OpCx) -> Work {
        Work::Free
    }
}
