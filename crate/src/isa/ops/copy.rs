//! Copies inside the core.

use crate::base::diag::Fault;
use crate::base::units::Ps;
use crate::chip::engine::Engine;
use crate::ensure;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::param::{EngineChoice, In, Out};
use crate::isa::spec::Op;
use crate::isa::work::{EngineWork, Part, Phase, Work};
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

    fn work(&self, _cx: &OpCx) -> Work {
        let phase = Phase {
            part: Part::Whole,
            interval: Ps::from_ns(60),
            latency: Ps::from_ns(150),
            flops: 0,
            transpose_flops: 0,
            model_flops: 0,
        };
        Work::Engine(EngineWork {
            engine: Engine::Vector,
            phases: vec![phase],
        })
    }
}
