//! The engines of a NeuronCore: clocks, throughput, overheads and limits.

use serde::Serialize;

use crate::base::units::{Hertz, Ps};
use crate::chip::fact::facts;

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

facts! {
    /// All engines of a core: clocks, throughput, overheads. `N` below is elements in a partition; times exclude `N / rate`.
    Engines, "engines" {
        /// Tensor Engine clock.
        tensor_clock: Hertz,
        /// Vector Engine clock.
        vector_clock: Hertz,
        /// Scalar Engine clock.
        scalar_clock: Hertz,
        /// GpSimd clock.
        gpsimd_clock: Hertz,
        /// Clock in which cycle counts of the whole core are given.
        core_clock: Hertz,
        /// Rows and columns of the array of the Tensor Engine.
        array_size: u32,
        /// Largest stationary free size.
        stationary_fmax: u32,
        /// Largest moving free size with an fp32 destination.
        moving_fmax: u32,
        /// Cycles of a moving column, 16-bit and 8-bit types.
        matmul_column: f64,
        /// Cycles of a moving column, fp32 (several passes).
        matmul_column_fp32: f64,
        /// Cycles of a moving column of an fp32 transpose.
        transpose_column_fp32: f64,
        /// Matrix instructions that one fp32 multiplication becomes; device counters count the flops of each.
        matmul_fp32_instructions: u32,
        /// Least columns that a matrix instruction is charged for.
        matmul_min_columns: u32,
        /// Added to the initiation interval of a matrix instruction.
        matmul_overhead: Ps,
        /// Interval to result of a matrix instruction.
        matmul_latency: Ps,
        /// How many times faster than a multiplication of equal size the stationary matrix loads.
        load_speedup: f64,
        /// Duration of loading a stationary matrix, 16-bit and 8-bit types.
        load_latency: Ps,
        /// The same, fp32.
        load_latency_fp32: Ps,
        /// Contraction rows of a double-row FP8 instruction over those of a plain one; 1 where it does not exist.
        double_row: u32,
        /// Contraction rows of a microscaling instruction over those of a plain one; 1 where it does not exist.
        mx_rows: u32,
        /// Length of a window of the Tensor Engine's power limiter; zero if it has none.
        power_window: Ps,
        /// Work in a window, as a share of full rate, from which the next window runs at full rate.
        power_threshold: f64,
        /// Factor on matrix instructions in a limited window.
        power_slowdown: f64,
        /// Elements a cycle in a lane of the Vector Engine for copies and tensor-scalar operations, both sides in SBUF, 16 bit,
        /// contiguous.
        vector_fast_lanes: u32,
        /// The same if a side is not 16 bit or not contiguous, or one side is in PSUM and both are 16 bit and contiguous.
        vector_medium_lanes: u32,
        /// Factor on a two-input operation whose operands are all 16 bit and in SBUF.
        vector_pair_lanes: u32,
        /// 1 if 8-bit floats count as 16 bit for the fast modes.
        vector_fast_fp8: u32,
        /// Interval overhead of a one-input operation.
        vector_overhead: Ps,
        /// Interval overhead with a per-partition scalar or a second tile.
        vector_pair_overhead: Ps,
        /// Latency overhead of a one-input operation.
        vector_latency: Ps,
        /// Latency overhead with a per-partition scalar or a second tile.
        vector_pair_latency: Ps,
        /// Least interval in cycles.
        vector_min_cycles: u32,
        /// Cycles an element of a reciprocal.
        vector_reciprocal: u32,
        /// Cycles an element of a scan.
        vector_scan: u32,
        /// Cycles an element of a batch-norm aggregation, in thirds.
        vector_aggregate_thirds: u32,
        /// Elements a cycle in a lane of quantize_mx.
        vector_quantize_lanes: u32,
        /// Elements a cycle in a lane of exponential.
        vector_exponential_lanes: u32,
        /// Words a cycle in a lane of rand2.
        vector_random_lanes: u32,
        /// Least cycles of a copy with a run-time address.
        dynamic_copy_cycles: u32,
        /// Elements a cycle in a lane of the Scalar Engine for copies and tensor-scalar operations of 16-bit types.
        scalar_fast_lanes: u32,
        /// Elements a cycle in a lane of the Scalar Engine for activation functions of 16-bit types.
        scalar_activation_lanes: u32,
        /// Interval overhead of a copy.
        scalar_copy_overhead: Ps,
        /// Latency overhead of a copy.
        scalar_copy_latency: Ps,
        /// Interval overhead of an activation with its source in PSUM.
        scalar_psum_overhead: Ps,
        /// Latency overhead of an activation with its source in PSUM.
        scalar_psum_latency: Ps,
        /// Interval overhead of an activation with its source in SBUF.
        scalar_sbuf_overhead: Ps,
        /// Latency overhead of an activation with its source in SBUF.
        scalar_sbuf_latency: Ps,
        /// Least cycles of an activation.
        scalar_min_cycles: u32,
        /// Cycles of reading the accumulator after an activation with reduction.
        scalar_accumulator_cycles: u32,
        /// Cycles an element of an element-wise operation on GpSimd.
        gpsimd_element: u32,
        /// Cycles an element of iota and affine_select.
        gpsimd_index_element: u32,
        /// Fixed cycles of a GpSimd instruction.
        gpsimd_overhead_cycles: u32,
        /// Elements that one group of an nc_n_gather handles.
        gpsimd_gather_group: u32,
        /// Cycles an element of topk, for a group of 16 partitions.
        gpsimd_topk_element: u32,
        /// Partitions of one GpSimd processor.
        gpsimd_group_partitions: u32,
        /// End of an instruction to its semaphore, Tensor Engine.
        signal_tensor: Ps,
        /// The same, Vector Engine.
        signal_vector: Ps,
        /// The same, other engines.
        signal_other: Ps,
        /// Semaphore to the start of the waiter, Vector, Scalar and GpSimd engines.
        wait_engine: Ps,
        /// The same, a multiplication.
        wait_multiply: Ps,
        /// The same, a load of a stationary matrix.
        wait_load: Ps,
        /// The same, a DMA trigger.
        wait_dma: Ps,
    }
}
