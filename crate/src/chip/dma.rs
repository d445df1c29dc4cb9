//! The DMA engines of a NeuronCore.

use serde::Serialize;

use crate::base::units::{BytesPerSec, Ps};
use crate::chip::Fact;

/// DMA engines, queues and their costs.
#[derive(Debug, Serialize)]
pub struct Dma {
    /// DMA engines of a core.
    pub engines: Fact<u32>,
    /// Data rate of one engine.
    pub engine_rate: Fact<BytesPerSec>,
    /// Fixed cost of a descriptor on its engine.
    pub descriptor_overhead: Fact<Ps>,
}
