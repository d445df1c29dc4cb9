//! The DMA engines of a NeuronCore.

use crate::base::units::{Bytes, BytesPerSec, Ps};
use crate::chip::fact::facts;

facts! {
    /// DMA engines, queues and their costs.
    Dma, "dma" {
        /// DMA engines of a core.
        engines: u32,
        /// Queues (rings) of a DMA engine.
        queues: u32,
        /// Partitions that one DMA engine serves: engine e moves partitions 8 e to 8 e + 7.
        partitions_per_engine: u32,
        /// Data rate of one engine.
        engine_rate: BytesPerSec,
        /// Fixed cost of a descriptor on its engine.
        descriptor_overhead: Ps,
        /// Largest descriptor of a copy that has no partition side.
        descriptor_max: Bytes,
        /// Writes to HBM shorter than this pay extra.
        small_write_bytes: Bytes,
        /// What a short write to HBM pays extra.
        small_write_overhead: Ps,
        /// Instruction that triggers a transfer with hardware-made descriptors: time on the issuing queue.
        hardware_issue: Ps,
        /// The same with descriptors made by GpSimd software: GpSimd time.
        software_issue: Ps,
        /// The same with descriptors that the host prepared.
        static_issue: Ps,
        /// Trigger to first data of a load, hardware-made descriptors.
        hardware_load_start: Ps,
        /// Trigger to first data of a store, hardware-made descriptors.
        hardware_store_start: Ps,
        /// Trigger to first data, software-made descriptors.
        software_start: Ps,
        /// Trigger to first data of a load, host-made descriptors.
        static_load_start: Ps,
        /// Trigger to first data of a store, host-made descriptors.
        static_store_start: Ps,
        /// Last data to the semaphore showing completion.
        completion: Ps,
        /// 1 if hardware makes descriptors at run time, 0 if the host prepares them.
        hardware_descriptors: u32,
        /// Factor on the data time of a transposing transfer from HBM.
        transpose_hbm_factor: f64,
        /// Factor on the data time of a transposing transfer inside SBUF.
        transpose_sbuf_factor: f64,
        /// Factor on the data time of read-add-write.
        accumulate_factor: f64,
        /// Data rate of the private DMA of GpSimd, each direction.
        gpsimd_rate: BytesPerSec,
    }
}
