//! State inside the engines of one core.

use crate::numerics::prng::Xorwow;

/// Accumulation registers of an engine, one per partition; `None` if their value is not defined.
pub type Accumulators = Vec<Option<f32>>;

/// The generator of one lane of the Vector Engine: four in turn, 24 words of state.
#[derive(Clone, Copy, Debug)]
pub struct VectorLane {
    /// The generators.
    pub parts: [Xorwow; 4],
    /// The one that comes next.
    pub turn: usize,
}

impl VectorLane {
    /// The lane `lane` of an engine with seed `seed`.
    pub fn seeded(seed: u32, lane: u32) -> Self {
        Self {
            parts: std::array::from_fn(|part| Xorwow::seeded(seed, lane * 4 + part as u32)),
            turn: 0,
        }
    }

    /// The generator that comes next.
    pub fn advance(&mut self) -> &mut Xorwow {
        let turn = self.turn;
        self.turn = (turn + 1) % self.parts.len();
        &mut self.parts[turn]
    }
}

/// Engine state of a core.
#[derive(Debug, Default)]
pub struct CoreState {
    /// Accumulation registers of the Vector Engine.
    pub vector: Accumulators,
    /// Accumulation registers of the Scalar Engine.
    pub scalar: Accumulators,
    /// Random state of the Vector Engine, lane by lane.
    pub vector_random: Vec<VectorLane>,
    /// Random state of GpSimd, lane by lane.
    pub gpsimd_random: Vec<Xorwow>,
}

impl CoreState {
    /// The generator of a lane of the Vector Engine; a lane that was never seeded starts from seed 0.
    pub fn vector_lane(&mut self, lane: usize) -> &mut VectorLane {
        while self.vector_random.len() <= lane {
            let next = VectorLane::seeded(0, self.vector_random.len() as u32);
            self.vector_random.push(next);
        }
        &mut self.vector_random[lane]
    }

    /// The generator of a lane of GpSimd; a lane that was never seeded starts from seed 0.
    pub fn gpsimd_lane(&mut self, lane: usize) -> &mut Xorwow {
        while self.gpsimd_random.len() <= lane {
            let next = Xorwow::seeded(0, self.gpsimd_random.len() as u32);
            self.gpsimd_random.push(next);
        }
        &mut self.gpsimd_random[lane]
    }
}
