//! Meetings of the cores of a launch.

use crate::base::diag::{Code, Fault};
use crate::chip::engine::Engine;
use crate::ensure;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::flow::Rendezvous;
use crate::isa::param::{CoreSet, DmaEngine, EngineChoice, In, Out};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::op;
use crate::tensor::buffer::Space;

op! {
    /// Waits until both cores of the launch have reached a barrier.
    core_barrier => CoreBarrier on [Tensor, Vector, Scalar, GpSimd, Sync] since Gen3 {
        /// Tensor in shared HBM that the cores synchronise on.
        data: In,
        /// Cores that meet: (0, 1).
        cores: CoreSet,
        /// Engine that waits.
        engine: EngineChoice = EngineChoice::On(Engine::GpSimd),
    }
}

impl Op for CoreBarrier {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let shared = rules::space(
            cx,
            self.data.0,
            "data",
            &[Space::SharedHbm],
            "cores share HBM only; allocate the tensor with buffer=nl.shared_hbm",
        );
        shared.map_err(|fault| rules::allocate_in(fault, &cx.tile(self.data.0), "shared_hbm"))
    }

    fn execute(&self, _cx: &mut ExecCx) -> Result<(), Fault> {
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::core_barrier(cx, cost::choose(self.engine, Self::SPEC.engines, &[]))
    }

    fn rendezvous(&self) -> Option<Rendezvous> {
        Some(Rendezvous::Barrier { cores: self.cores.0 })
    }
}

op! {
    /// Sends a tile to the other core and receives one from it.
    sendrecv => SendRecv on [] since Gen3 {
        /// Tile to send, in SBUF.
        src: In,
        /// Tile to receive into, in SBUF, of the same shape and dtype.
        dst: Out,
        /// Core that gets `src`.
        send_to_rank: i32,
        /// Core that `dst` comes from.
        recv_from_rank: i32,
        /// Only calls with equal pipes meet.
        pipe_id: i32,
        /// Shared DMA engines, or the DMA engine inside GpSimd.
        dma_engine: DmaEngine = DmaEngine::Dma,
    }
}

impl Op for SendRecv {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (src, dst) = ((self.src.0, "src"), (self.dst.0, "dst"));
        rules::sbuf(cx, src.0, src.1)?;
        rules::sbuf(cx, dst.0, dst.1)?;
        rules::same_dtype(cx, dst, src)?;
        rules::same_shape(cx, dst, src)?;
        for (rank, param) in [
            (self.send_to_rank, "send_to_rank"),
            (self.recv_from_rank, "recv_from_rank"),
        ] {
            if !(0..=1).contains(&rank) {
                return Err(Fault::new(Code::Constraint, format!("{param} {rank}; limit 0 or 1"))
                    .on(param)
                    .hint("a launch has two cores: the other one is 1 - nl.program_id(0)"));
            }
        }
        let tile = cx.tile(src.0);
        let element = u64::from(tile.dtype().bytes());
        let bytes = tile.free_elements() * element;
        ensure!(
            self.dma_engine == DmaEngine::Dma || bytes <= 256 * element,
            Constraint on "src",
            hint "send it in pieces, or leave dma_engine out",
            "{} has {bytes} bytes per partition; limit {} with dma_engine.gpsimd_dma",
            tile.label("src"),
            256 * element
        );
        Ok(())
    }

    fn execute(&self, _cx: &mut ExecCx) -> Result<(), Fault> {
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::dma::exchange(cx, &cx.tile(self.dst.0), &cx.tile(self.src.0))
    }

    fn rendezvous(&self) -> Option<Rendezvous> {
        Some(Rendezvous::SendRecv {
            src: self.src.0,
            dst: self.dst.0,
            to: self.send_to_rank.unsigned_abs(),
            from: self.recv_from_rank.unsigned_abs(),
            pipe: self.pipe_id,
        })
    }
}
