//! State inside the engines of one core.

/// Accumulation registers of an engine, one per partition; `None` if their value is not defined.
pub type Accumulators = Vec<Option<f32>>;

/// Engine state of a core.
#[derive(Debug, Default)]
pub struct CoreState {
    /// Accumulation registers of the Vector Engine.
    pub vector: Accumulators,
    /// Accumulation registers of the Scalar Engine.
    pub scalar: Accumulators,
    /// Random state of the Vector Engine, lane by lane.
    pub vector_random: Vec<[u32; 6]>,
    /// Random state of GpSimd, lane by lane.
    pub gpsimd_random: Vec<[u32; 6]>,
}
