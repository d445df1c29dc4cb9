//! Transposes of a tile on the Tensor Engine or the Vector Engine.

use crate::base::diag::{Code, Fault};
use crate::base::mend::Edit;
use crate::chip::engine::Engine;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::ops::matmul::{check_spaces, move_transposed, product, transposable};
use crate::isa::param::{EngineChoice, In, Out};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::numerics::dtype::Dtype;
use crate::op;
use crate::tensor::buffer::Space;

op! {
    /// Transposes partitions and free elements of a tile on the Tensor Engine (into PSUM) or on the Vector Engine.
    ///
    /// Several free dimensions count as one. From NeuronCore-v3 on bits are moved, so NaN and infinity survive.
    nc_transpose => NcTranspose on [Tensor, Vector] since Gen2 {
        /// Result, with as many partitions as `data` has elements in each.
        dst: Out,
        /// Tile to transpose: up to 128 x 128 on the Tensor Engine, 32 x 32 on the Vector Engine.
        data: In,
        /// Engine to issue on; without a choice, the size and the memories decide.
        engine: EngineChoice = EngineChoice::Unknown,
    }
}

impl NcTranspose {
    /// The engine that runs it.
    pub fn engine(&self, cx: &OpCx) -> Engine {
        if let EngineChoice::On(engine) = self.engine {
            return engine;
        }
        let (dst, data) = (cx.tile(self.dst.0), cx.tile(self.data.0));
        let small = u64::from(cx.chip.rules.vector_transpose.get());
        let fits = u64::from(data.partitions()).max(data.free_elements()) <= small;
        let tensor = data.space() == Space::Sbuf && dst.space() == Space::Psum;
        if fits && !tensor {
            Engine::Vector
        } else {
            Engine::Tensor
        }
    }
}

impl Op for NcTranspose {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, data) = (cx.tile(self.dst.0), cx.tile(self.data.0));
        let engine = self.engine(cx);
        let limit = match engine {
            Engine::Vector => cx.chip.rules.vector_transpose.get(),
            Engine::Tensor => cx.chip.rules.tensor_transpose.get(),
            Engine::Scalar | Engine::GpSimd | Engine::Sync => {
                let message = format!("runs on the Tensor or Vector Engine, not on {}", engine.name());
                return Err(Fault::new(Code::Constraint, message)
                    .on("engine")
                    .hint("leave engine out; the size and the memories decide")
                    .mend("leave engine out", Edit::Drop("engine")));
            }
        };
        let (p, f) = (u64::from(data.partitions()), data.free_elements());
        if p > u64::from(limit) || f > u64::from(limit) {
            let message = format!(
                "{}; limit [{limit}, {limit}] on the {}",
                data.label("data"),
                engine.title()
            );
            return Err(Fault::new(Code::Constraint, message)
                .on("data")
                .hint(format!(
                    "transpose blocks of {limit} x {limit}, each into its own part of the result, or load with nisa.dma_transpose"
                )));
        }
        if engine == Engine::Tensor {
            check_spaces(cx, self.dst.0, &[(self.data.0, "data")])?;
        } else {
            rules::on_chip(cx, self.dst.0, "dst")?;
            rules::on_chip(cx, self.data.0, "data")?;
        }
        if (u64::from(dst.partitions()), dst.free_elements()) != (f, p) {
            let message = format!(
                "{}; the transpose of {} is [{f}, {p}]",
                dst.label("dst"),
                data.label("data")
            );
            return Err(Fault::new(Code::Shape, message)
                .on("dst")
                .hint(format!("allocate dst with shape ({f}, {p})")));
        }
        if !cx.chip.rules.exact_transpose.get() && engine == Engine::Tensor && dst.dtype() == Dtype::F32 {
            return Ok(());
        }
        transposable(cx, self.dst.0, self.data.0, "data")
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let op = cx.op_cx();
        let exact = cx.chip.rules.exact_transpose.get() || self.engine(&op) == Engine::Vector;
        if exact || cx.tile(self.data.0).dtype().is_integer() {
            return move_transposed(cx, self.dst.0, self.data.0, "data");
        }
        let k = cx.tile(self.data.0).partitions() as usize;
        let data = cx.read(self.data.0, "data")?;
        let mut identity = cx.machine.scratch.floats(k * k);
        identity.fill(0.0);
        identity.iter_mut().step_by(k + 1).for_each(|one| *one = 1.0);
        product(cx, self.dst.0, &data, &identity, k, false)?;
        cx.recycle(data);
        cx.recycle(identity);
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        let data = cx.tile(self.data.0);
        match self.engine(cx) {
            Engine::Tensor => cost::matmul::nc_transpose(cx, &data),
            Engine::Vector | Engine::Scalar | Engine::GpSimd | Engine::Sync => cost::lanes::transpose(cx, &data),
        }
    }
}
