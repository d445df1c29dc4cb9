//! Copies inside the core.

use crate::base::diag::Fault;
use crate::ensure;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::param::{EngineChoice, In, Out};
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::op;
use crate::tensor::buffer::Space;

op! {
    /// Copies a tile between on-chip memories, converting the dtype on the way.
    tensor_copy => TensorCopy on [Vector, Scalar, GpSimd] since Gen2 {
        /// Tile to write.
        dst: Out,
        /// Tile to read.
        src: In,
        /// Engine to issue on.
        engine: EngineChoice = EngineChoice::Unknown,
    }
}

impl Op for TensorCopy {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, src) = (cx.tile(self.dst.0), cx.tile(self.src.0));
        dst.require_space(&[Space::Sbuf, Space::Psum], "tensor_copy")
            .map_err(|fault| fault.on("dst"))?;
        src.require_space(&[Space::Sbuf, Space::Psum], "tensor_copy")
            .map_err(|fault| fault.on("src"))?;
        ensure!(
            dst.partitions() == src.partitions() && dst.free_elements() == src.free_elements(),
            Shape,
            "tensor_copy needs equal tiles, got dst {} and src {}",
            dst.describe(),
            src.describe()
        );
        Ok(())
    }

    fn execute(&self, _cx: &mut ExecCx) -> Result<(), Fault> {
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        let (dst, src) = (cx.tile(self.dst.0), cx.tile(self.src.0));
        let engine = cost::choose(self.engine, Self::SPEC.engines, &[dst, src]);
        cost::lanes::one_input(cx, engine, &dst, &src, false)
    }
}
