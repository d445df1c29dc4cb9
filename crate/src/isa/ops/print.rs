//! `nl.device_print`: shows a tile while the kernel runs.

use crate::base::diag::Fault;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::param::In;
use crate::isa::rules;
use crate::isa::spec::{Op, Param};
use crate::isa::work::Work;
use crate::machine::Printed;
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
        let values = cx.read(self.tensor.0, "tensor")?;
        let mut shown: Vec<_> = values.iter().take(SHOWN).map(|value| format!("{value}")).collect();
        if values.len() > SHOWN {
            shown.push("...".to_owned());
        }
        let prefix = &cx.tables.texts[self.print_prefix];
        let text = format!(
            "{prefix} {:?} {} [{}]",
            tile.pattern.shape(),
            tile.dtype().name(),
            shown.join(", ")
        );
        cx.machine.printed.push(Printed { core: cx.core, text });
        cx.recycle(values);
        Ok(())
    }

    fn work(&self, _cx: &OpCx) -> Work {
        Work::Free
    }
}
