//! The memories of a NeuronCore and of its chip.

use serde::Serialize;

use crate::base::units::{Bytes, BytesPerSec};
use crate::chip::Fact;

/// Sizes and rates of the memories.
#[derive(Debug, Serialize)]
pub struct Memory {
    /// Partitions of SBUF and PSUM; also the largest partition dimension of a tile.
    pub partitions: Fact<u32>,
    /// SBUF bytes in a partition.
    pub sbuf_partition_bytes: Fact<Bytes>,
    /// SBUF bytes in a partition that a kernel can allocate.
    pub sbuf_usable_bytes: Fact<Bytes>,
    /// PSUM banks in a partition.
    pub psum_banks: Fact<u32>,
    /// Bytes of one PSUM bank in one partition.
    pub psum_bank_bytes: Fact<Bytes>,
    /// HBM capacity of a chip.
    pub hbm_bytes: Fact<Bytes>,
    /// HBM bandwidth that one core can draw when its neighbour is idle.
    pub hbm_stack_rate: Fact<BytesPerSec>,
    /// Physical cores that share that bandwidth.
    pub cores_per_stack: Fact<u32>,
}
