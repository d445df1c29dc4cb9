//! The vocabulary of cost: what an instruction asks of the engines and of the DMA system.

use smallvec::SmallVec;

use crate::base::units::{Bytes, Ps};
use crate::chip::engine::Engine;

/// What an instruction costs.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// One or more phases on an engine, in order.
    Engine(EngineWork),
    /// A transfer by the DMA engines.
    Dma(DmaWork),
    /// The cores of the launch meet; what may follow starts when all have arrived.
    Meet(Meeting),
    /// Nothing that takes time on the modelled hardware.
    Free,
}

/// Phases of one instruction on one engine.
#[derive(Clone, Debug, PartialEq)]
pub struct EngineWork {
    /// The engine.
    pub engine: Engine,
    /// Phases, in order; most instructions have one, a matrix multiplication two.
    pub phases: SmallVec<[Phase; 2]>,
}

/// The part of an engine that a phase occupies. Parts of one engine run side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The whole of a Vector, Scalar, GpSimd or Sync Engine.
    Whole,
    /// Loading the stationary matrix into the Tensor Engine, in the shadow of the multiplication before it.
    LoadStationary,
    /// Streaming the moving matrix through the Tensor Engine.
    MultiplyMoving,
}

/// One phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// The part of the engine that is busy.
    pub part: Part,
    /// Time until the next instruction can start on the same part (initiation interval).
    pub interval: Ps,
    /// Time from the start to the result being visible to others.
    pub latency: Ps,
    /// Floating-point operations done by the hardware, transposes left out: 2 K M N for each matrix instruction.
    pub flops: u64,
    /// The same of transposes done by matrix multiplication.
    pub transpose_flops: u64,
    /// Operations of the algorithm that `flops` stands for: an fp32 multiplication takes several hardware passes.
    pub model_flops: u64,
}

/// Who makes the descriptors of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptors {
    /// The hardware block, triggered from the queue of this engine (Sync or Scalar).
    Hardware(Engine),
    /// GpSimd software.
    Software,
    /// The host, before the kernel starts.
    Static,
}

/// A rendezvous of the cores of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Meeting {
    /// The engine that waits.
    pub engine: Engine,
    /// Time from the last arrival until all go on.
    pub latency: Ps,
    /// The transfer of this core that follows, if any.
    pub transfer: Option<DmaWork>,
}

/// One DMA transfer.
#[derive(Clone, Debug, PartialEq)]
pub struct DmaWork {
    /// Who makes the descriptors.
    pub descriptors: Descriptors,
    /// Number of descriptors (contiguous runs on both sides, split at the largest size).
    pub descriptor_count: u64,
    /// Bytes of one descriptor (the last may be shorter).
    pub descriptor_bytes: Bytes,
    /// Bytes moved.
    pub bytes: Bytes,
    /// Bytes read from HBM.
    pub hbm_read: Bytes,
    /// Bytes written to HBM.
    pub hbm_write: Bytes,
    /// DMA engines that share the descriptors, from the partitions on the SBUF side.
    pub engines: u32,
    /// First of these engines.
    pub first_engine: u32,
    /// Factor on the data time for transposes, read-modify-write and the like; 1.0 for a plain copy.
    pub slowdown: f64,
}
