//! The schedule as columns, one entry per phase of an executed instruction.

use serde::Serialize;

use crate::base::units::{Bytes, Ps};
use crate::chip::engine::Engine;
use crate::tensor::alloc::Placement;
use crate::trace::program::InstId;

/// A row of the timeline: a part of an engine or a DMA queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Track(pub u8);

impl Track {
    /// Loads of the stationary matrix.
    pub const LOAD_STATIONARY: Self = Self(0);
    /// Multiplications.
    pub const MULTIPLY_MOVING: Self = Self(1);
    /// Vector Engine.
    pub const VECTOR: Self = Self(2);
    /// Scalar Engine.
    pub const SCALAR: Self = Self(3);
    /// GpSimd Engine.
    pub const GPSIMD: Self = Self(4);
    /// Sync Engine.
    pub const SYNC: Self = Self(5);
    /// The tracks of engines.
    pub const ENGINES: usize = 6;

    /// The track of an engine that has one part; multiplications for the Tensor Engine.
    pub const fn of(engine: Engine) -> Self {
        match engine {
            Engine::Tensor => Self::MULTIPLY_MOVING,
            Engine::Vector => Self::VECTOR,
            Engine::Scalar => Self::SCALAR,
            Engine::GpSimd => Self::GPSIMD,
            Engine::Sync => Self::SYNC,
        }
    }

    /// DMA queue number `queue`.
    pub const fn dma(queue: u8) -> Self {
        Self(queue.saturating_add(Self::ENGINES as u8))
    }

    /// Whether it is a DMA queue.
    pub const fn is_dma(self) -> bool {
        self.0 as usize >= Self::ENGINES
    }

    /// The engine, unless it is a DMA queue.
    pub const fn engine(self) -> Option<Engine> {
        match self.0 {
            0 | 1 => Some(Engine::Tensor),
            2 => Some(Engine::Vector),
            3 => Some(Engine::Scalar),
            4 => Some(Engine::GpSimd),
            5 => Some(Engine::Sync),
            _ => None,
        }
    }

    /// The name that people read.
    pub fn title(self) -> String {
        match (self.0, self.engine()) {
            (0, _) => "Tensor: LoadStationary".to_owned(),
            (1, _) => "Tensor: MultiplyMoving".to_owned(),
            (_, Some(engine)) => engine.title().to_owned(),
            (queue, None) => format!("DMA queue {}", queue as usize - Self::ENGINES),
        }
    }
}

/// Why an entry did not start earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stall {
    /// It is the first of its kind; nothing held it.
    Launch,
    /// The entry before it on the same queue.
    Queue,
    /// It reads what another entry writes.
    Data,
    /// It overwrites what another entry reads.
    Anti,
    /// It overwrites what another entry writes.
    Output,
    /// Explicit order.
    Explicit,
    /// The stationary matrix was not loaded.
    Weights,
    /// The trigger had not run.
    Trigger,
    /// The DMA engines were busy.
    DmaEngines,
    /// Another core had not arrived.
    Meeting,
}

/// One entry: a phase of an executed instruction, or the data phase of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// When it starts.
    pub start: Ps,
    /// When the next entry of the track can start.
    pub end: Ps,
    /// When its result is visible.
    pub done: Ps,
    /// When everything that it needs was there.
    pub ready: Ps,
    /// The track.
    pub track: Track,
    /// The core.
    pub core: u8,
    /// The instruction in the trace of the core.
    pub inst: InstId,
    /// Which execution of the core it is, counted from 0 over all its instructions.
    pub instance: u32,
    /// Why it did not start earlier.
    pub stall: Stall,
    /// The entry that it waited for; itself if there is none.
    pub cause: u32,
}

/// A transfer, beside its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Transfer {
    /// Its entry.
    pub entry: u32,
    /// Bytes moved.
    pub bytes: Bytes,
    /// Bytes read from HBM.
    pub hbm_read: Bytes,
    /// Bytes written to HBM.
    pub hbm_write: Bytes,
    /// Descriptors.
    pub descriptors: u64,
    /// Bytes of a descriptor.
    pub descriptor_bytes: Bytes,
    /// DMA engines that share them.
    pub engines: u32,
    /// Sum of the times of its descriptors.
    pub packet_time: Ps,
    /// Whether GpSimd software made the descriptors.
    pub software: bool,
}

/// When a buffer held data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Residence {
    /// Start of its first access.
    pub from: Ps,
    /// End of its last access.
    pub to: Ps,
}

/// Sums over all instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Instructions executed, by engine in the order of [`Engine::ALL`].
    pub instructions: [u64; 5],
    /// Matrix multiplications.
    pub matmuls: u64,
    /// Floating-point operations of all matrix instructions, transposes left out.
    pub flops: u64,
    /// Operations of transposes.
    pub transpose_flops: u64,
    /// Operations of the algorithm.
    pub model_flops: u64,
    /// SBUF bytes read.
    pub sbuf_read: Bytes,
    /// SBUF bytes written.
    pub sbuf_write: Bytes,
    /// PSUM bytes read.
    pub psum_read: Bytes,
    /// PSUM bytes written.
    pub psum_write: Bytes,
}

/// The schedule of a launch.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// Entries in program order, cores interleaved.
    pub entries: Vec<Entry>,
    /// Transfers in the order of their entries.
    pub transfers: Vec<Transfer>,
    /// Residence of each buffer, if it was used; indexed by buffer.
    pub residence: Vec<Option<Residence>>,
    /// Placement of the buffers of each core.
    pub placements: Vec<Placement>,
    /// Sums.
    pub totals: Totals,
    /// Start of the first entry.
    pub kernel_start: Ps,
    /// End of the last entry.
    pub kernel_end: Ps,
    /// Launch preamble and tail included.
    pub latency: Ps,
    /// Time of matrix work in windows that the power limiter slowed down.
    pub power_limited: Ps,
}

impl Timeline {
    /// From the first instruction to the end of the last.
    pub fn kernel_time(&self) -> Ps {
        self.kernel_end - self.kernel_start
    }
}
