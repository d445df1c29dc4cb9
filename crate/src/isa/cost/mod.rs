//! What instructions cost, as functions of tiles and the chip: the vocabulary that `Op::work` of every row is written in.
//!
//! Every number comes from a figure of the chip; the figure names its source. Times follow one form: elements in a partition
//! over the rate of a lane, plus an interval overhead (when the next instruction can start) or a latency overhead (when the
//! result is visible). `N` below is elements in a partition.

pub mod dma;
pub mod gpsimd;
pub mod lanes;
pub mod matmul;

use smallvec::smallvec;

use crate::base::units::{Cycles, Hertz, Ps};
use crate::chip::Chip;
use crate::chip::engine::Engine;
use crate::isa::context::OpCx;
use crate::isa::param::EngineChoice;
use crate::isa::work::{EngineWork, Meeting, Part, Phase, Work};
use crate::tensor::buffer::Space;
use crate::tensor::tables::Tile;

/// The engine that runs an instruction.
///
/// What the user asks for is taken. If that is left to the compiler, the model takes the first of Vector, Scalar, GpSimd, Tensor
/// and Sync that the instruction allows and that can reach its operands (GpSimd cannot reach PSUM). The real compiler also
/// balances load between engines, which no public document describes.
pub fn choose(choice: EngineChoice, allowed: &[Engine], tiles: &[Tile]) -> Engine {
    if let EngineChoice::On(engine) = choice {
        return engine;
    }
    let psum = tiles.iter().any(|tile| tile.space() == Space::Psum);
    let order = [
        Engine::Vector,
        Engine::Scalar,
        Engine::GpSimd,
        Engine::Tensor,
        Engine::Sync,
    ];
    let reaches = |engine: Engine| !(psum && engine == Engine::GpSimd);
    let fits = |engine: &Engine| allowed.contains(engine) && reaches(*engine);
    order.into_iter().find(fits).unwrap_or(Engine::Vector)
}

/// The clock of `engine`.
pub fn clock(chip: &Chip, engine: Engine) -> Hertz {
    match engine {
        Engine::Tensor => chip.engines.tensor_clock.get(),
        Engine::Vector => chip.engines.vector_clock.get(),
        Engine::Scalar => chip.engines.scalar_clock.get(),
        Engine::GpSimd => chip.engines.gpsimd_clock.get(),
        Engine::Sync => chip.engines.core_clock.get(),
    }
}

/// One phase on a whole engine that does no matrix work.
pub fn simple(engine: Engine, interval: Ps, latency: Ps) -> Work {
    Work::Engine(EngineWork {
        engine,
        phases: smallvec![Phase {
            part: Part::Whole,
            interval,
            latency,
            flops: 0,
            transpose_flops: 0,
            model_flops: 0,
        }],
    })
}

/// Register arithmetic on the sequencer of `engine`.
pub fn register_move(cx: &OpCx, engine: Engine) -> Work {
    let time = cx.chip.launch.register_move.get();
    simple(engine, time, time)
}

/// A register that is loaded from or stored to memory by `engine`.
pub fn register_access(cx: &OpCx, engine: Engine) -> Work {
    let time = cx.chip.launch.register_load.get();
    simple(engine, time, time)
}

/// `core_barrier`: `engine` of each core waits for the other.
pub fn core_barrier(cx: &OpCx, engine: Engine) -> Work {
    Work::Meet(Meeting {
        engine,
        latency: cx.chip.launch.core_barrier.get(),
        transfer: None,
    })
}

/// Time of `cycles` cycles, which may be fractional.
fn cycles_f64(clock: Hertz, cycles: f64) -> Ps {
    Ps((cycles * 1e12 / clock.as_f64()).ceil() as u64)
}

/// Time of `elements` elements at `per_cycle` elements a cycle, at least `least` cycles.
fn lane_time(clock: Hertz, elements: u64, per_cycle: u32, least: u32) -> Ps {
    let per_cycle = u64::from(per_cycle.max(1));
    clock.time_of(Cycles(elements.div_ceil(per_cycle).max(u64::from(least))))
}

#[cfg(test)]
mod tests;
