//! What the instructions of a generation accept, where generations differ.

use serde::Serialize;

use crate::chip::Fact;

/// Capabilities and limits of instructions.
#[derive(Debug, Serialize)]
pub struct Rules {
    /// Partitions of a quadrant; a tile starts at a multiple of it, of twice or of four times it, as many partitions as it has.
    pub quadrant: Fact<u32>,
    /// Dimensions that an engine's access pattern has inside a partition.
    pub pattern_dims: Fact<u32>,
    /// Elements per partition that one instruction of an engine reads or writes in SBUF.
    pub sbuf_elements: Fact<u32>,
    /// The same in PSUM.
    pub psum_elements: Fact<u32>,
    /// Row sizes into which the processing array can be tiled.
    pub row_tiles: Fact<&'static [u16]>,
    /// Whether a matrix multiplication can write bfloat16.
    pub matmul_bfloat16: Fact<bool>,
    /// Whether one matrix multiplication can span several PSUM banks.
    pub matmul_banks: Fact<bool>,
    /// Whether the Tensor Engine takes float8_e4m3fn.
    pub matmul_e4m3fn: Fact<bool>,
    /// Whether the Tensor Engine has the double-row mode.
    pub double_row: Fact<bool>,
    /// Whether transposes by the Tensor Engine move bits, so that NaN and infinity survive.
    pub exact_transpose: Fact<bool>,
    /// Whether a matrix multiplication may accumulate onto PSUM content that another engine wrote.
    pub accumulate_on_any: Fact<bool>,
    /// Whether the hardware block can make descriptors.
    pub hardware_dge: Fact<bool>,
    /// Whether DMA takes a priority.
    pub dma_priority: Fact<bool>,
    /// Whether DMA can gather rows by indices that it reads at run time.
    pub indirect_dma: Fact<bool>,
    /// Whether the Scalar Engine takes a constant bias.
    pub scalar_bias: Fact<bool>,
    /// Whether it takes a bias in front of reciprocal.
    pub reciprocal_bias: Fact<bool>,
    /// Whether the Scalar Engine reduces with operators other than add.
    pub scalar_reduce: Fact<bool>,
    /// Whether the Scalar Engine runs tensor_copy and tensor_scalar.
    pub scalar_arithmetic: Fact<bool>,
    /// Whether engines take free-dimension offsets from memory.
    pub tensor_indirection: Fact<bool>,
    /// Whether GpSimd generates random numbers.
    pub gpsimd_random: Fact<bool>,
    /// Whether the state of the Vector Engine's generator can be set and read.
    pub vector_random_state: Fact<bool>,
    /// Elements per partition that bn_stats takes.
    pub bn_stats_fmax: Fact<u32>,
    /// Fewest and most elements per partition that max8 and its relatives take.
    pub search_elements: Fact<(u32, u32)>,
    /// Rows and columns that the Vector Engine transposes at once.
    pub vector_transpose: Fact<u32>,
    /// Rows and columns that the Tensor Engine transposes at once.
    pub tensor_transpose: Fact<u32>,
    /// Tiles that dma_compute adds.
    pub dma_compute_sources: Fact<u32>,
    /// Indices of a GpSimd core that local_gather takes.
    pub gather_indices: Fact<u32>,
}

/// The instruction reference of the public NKI documentation.
const ISA: &str = "NKI ISA reference";

/// The architecture guide of the first generation, whose rules the later guides do not change.
const ARCH: &str = "NKI architecture guide, Trainium/Inferentia2";

/// NeuronCore-v2.
pub(super) const V2: Rules = Rules {
    quadrant: Fact::documented(32, ARCH),
    pattern_dims: Fact::documented(4, "NKI access patterns, hardware capability"),
    sbuf_elements: Fact::documented(64 * 1024, ARCH),
    psum_elements: Fact::documented(4 * 1024, ARCH),
    row_tiles: Fact::documented(&[64, 128], ISA),
    matmul_bfloat16: Fact::documented(false, ISA),
    matmul_banks: Fact::documented(false, ISA),
    matmul_e4m3fn: Fact::documented(false, ISA),
    double_row: Fact::documented(false, ISA),
    exact_transpose: Fact::documented(false, ISA),
    accumulate_on_any: Fact::documented(false, ISA),
    hardware_dge: Fact::documented(false, ISA),
    dma_priority: Fact::documented(false, ISA),
    indirect_dma: Fact::documented(false, "DGE reference of the NKI documentation"),
    scalar_bias: Fact::documented(false, ISA),
    reciprocal_bias: Fact::documented(false, "NKI reference, engine selection"),
    scalar_reduce: Fact::documented(false, ISA),
    scalar_arithmetic: Fact::documented(false, ISA),
    tensor_indirection: Fact::documented(false, ISA),
    gpsimd_random: Fact::documented(false, ISA),
    vector_random_state: Fact::documented(false, ISA),
    bn_stats_fmax: Fact::documented(512, ISA),
    search_elements: Fact::documented((8, 16_384), ISA),
    vector_transpose: Fact::documented(32, ISA),
    tensor_transpose: Fact::documented(128, ISA),
    dma_compute_sources: Fact::documented(16, ISA),
    gather_indices: Fact::documented(4096, ISA),
};

/// NeuronCore-v3.
pub(super) const V3: Rules = Rules {
    row_tiles: Fact::documented(&[32, 64, 128], ISA),
    double_row: Fact::documented(true, ISA),
    exact_transpose: Fact::documented(true, ISA),
    hardware_dge: Fact::documented(true, ISA),
    indirect_dma: Fact::documented(true, "DGE reference of the NKI documentation"),
    scalar_bias: Fact::documented(true, ISA),
    reciprocal_bias: Fact::documented(true, "NKI reference, engine selection"),
    scalar_arithmetic: Fact::documented(true, ISA),
    gpsimd_random: Fact::documented(true, ISA),
    ..V2
};

/// NeuronCore-v4.
pub(super) const V4: Rules = Rules {
    psum_elements: Fact::derived(8 * 1024, "a bfloat16 product may fill all of PSUM"),
    matmul_bfloat16: Fact::documented(true, ISA),
    matmul_banks: Fact::documented(true, ISA),
    matmul_e4m3fn: Fact::documented(true, ISA),
    accumulate_on_any: Fact::derived(true, "the note that forbids it names v2 and v3 only"),
    dma_priority: Fact::documented(true, ISA),
    scalar_reduce: Fact::documented(true, ISA),
    tensor_indirection: Fact::documented(true, ISA),
    vector_random_state: Fact::documented(true, ISA),
    ..V3
};
