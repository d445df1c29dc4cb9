//! The engines of a NeuronCore: clocks, throughput, overheads and limits.

use serde::Serialize;

use crate::base::units::{Hertz, Ps};
use crate::chip::Fact;

/// An instruction stream of a NeuronCore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Tensor Engine (PE).
    Tensor,
    /// Vector Engine (DVE).
    Vector,
    /// Scalar Engine (ACT).
    Scalar,
    /// GpSimd Engine (POOL).
    GpSimd,
    /// Sync Engine (SP).
    Sync,
}

impl Engine {
    /// Every engine, in the order of the page.
    pub const ALL: &[Self] = &[Self::Tensor, Self::Vector, Self::Scalar, Self::GpSimd, Self::Sync];

    /// The name in `nki.isa.engine` and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tensor => "tensor",
            Self::Vector => "vector",
            Self::Scalar => "scalar",
            Self::GpSimd => "gpsimd",
            Self::Sync => "sync",
        }
    }

    /// The name that people read.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Tensor => "Tensor Engine",
            Self::Vector => "Vector Engine",
            Self::Scalar => "Scalar Engine",
            Self::GpSimd => "GpSimd Engine",
            Self::Sync => "Sync Engine",
        }
    }
}

/// All engines of a core.
#[derive(Debug, Serialize)]
pub struct Engines {
    /// Tensor Engine clock.
    pub tensor_clock: Fact<Hertz>,
    /// Vector Engine clock.
    pub vector_clock: Fact<Hertz>,
    /// Scalar Engine clock.
    pub scalar_clock: Fact<Hertz>,
    /// GpSimd clock.
    pub gpsimd_clock: Fact<Hertz>,
    /// Largest stationary free size.
    pub stationary_fmax: Fact<u32>,
    /// Largest moving free size with an fp32 destination.
    pub moving_fmax: Fact<u32>,
    /// Time from the end of an instruction to the start of a waiter on another engine.
    pub semaphore_latency: Fact<Ps>,
}
