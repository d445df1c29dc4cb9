//! The memories of a NeuronCore and of its chip.

use crate::base::units::{Bytes, BytesPerSec};
use crate::chip::fact::facts;

facts! {
    /// Sizes and rates of the memories.
    Memory, "memory" {
        /// Partitions of SBUF and PSUM; also the largest partition dimension of a tile.
        partitions: u32,
        /// SBUF bytes in a partition.
        sbuf_partition_bytes: Bytes,
        /// SBUF bytes in a partition that a kernel can allocate.
        sbuf_usable_bytes: Bytes,
        /// Granularity of SBUF allocation in a partition.
        sbuf_align_bytes: Bytes,
        /// PSUM banks in a partition.
        psum_banks: u32,
        /// Bytes of one PSUM bank in one partition.
        psum_bank_bytes: Bytes,
        /// HBM capacity of a chip.
        hbm_bytes: Bytes,
        /// HBM bandwidth that one core can draw when its neighbour is idle.
        hbm_stack_rate: BytesPerSec,
        /// Physical cores that share that bandwidth.
        cores_per_stack: u32,
    }
}
