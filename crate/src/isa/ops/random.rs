//! Random numbers and dropout.
//!
//! The documents name the algorithm (XORWOW) and the size of its state, not how a seed spreads over lanes; equal seeds give equal
//! numbers here, but not the numbers of a device.

use crate::base::diag::Fault;
use crate::chip::engine::Engine;
use crate::ensure;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::ops::column::{self, Column};
use crate::isa::param::{EngineChoice, In, Operand32, Out};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::machine::state::VectorLane;
use crate::numerics::dtype::Dtype;
use crate::numerics::prng::Xorwow;
use crate::op;
use crate::tensor::view::ViewId;

/// Words of state of a GpSimd lane, and of one part of a Vector Engine lane.
const STATE: usize = 6;
/// Integer dtypes.
const INTEGERS: &[Dtype] = &[Dtype::I8, Dtype::I16, Dtype::I32, Dtype::U8, Dtype::U16, Dtype::U32];

op! {
    /// Fills a tile with random bits, the low ones of 32 for each element.
    rng => Rng on [Vector, GpSimd] since Gen2 {
        /// Tile of an integer dtype.
        dst: Out,
        /// Engine to issue on: vector, or gpsimd (NeuronCore-v3 on).
        engine: EngineChoice = EngineChoice::On(Engine::Vector),
    }
}

/// The engine of a random instruction.
fn engine_of(choice: EngineChoice, default: Engine) -> Engine {
    match choice {
        EngineChoice::On(engine) => engine,
        EngineChoice::Unknown => default,
    }
}

/// Engines that make random bits.
fn generators(cx: &OpCx) -> &'static [Engine] {
    match cx.chip.rules.gpsimd_random.get() {
        true => &[Engine::Vector, Engine::GpSimd],
        false => &[Engine::Vector],
    }
}

impl Op for Rng {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        rules::on_chip(cx, self.dst.0, "dst")?;
        rules::dtype(cx, self.dst.0, "dst", INTEGERS)?;
        rules::engine(cx, self.engine, generators(cx), &[(self.dst.0, "dst")])
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let tile = cx.tile(self.dst.0);
        let width = tile.free_elements().max(1) as usize;
        let lane = column::first_lane(&tile);
        let mut words = cx.machine.scratch.words(tile.pattern.elements() as usize);
        let engine = engine_of(self.engine, Engine::Vector);
        for (row, words) in words.chunks_exact_mut(width).enumerate() {
            if engine == Engine::GpSimd {
                cx.state().gpsimd_lane(lane + row).fill_bits(words);
            } else {
                let generator = cx.state().vector_lane(lane + row);
                words
                    .iter_mut()
                    .for_each(|word| *word = generator.advance().next_bits());
            }
        }
        cx.write_bits(self.dst.0, words)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::random(cx, engine_of(self.engine, Engine::Vector), &cx.tile(self.dst.0))
    }
}

op! {
    /// Fills a tile with random numbers, uniform between `min` and `max`, on the Vector Engine.
    rand2 => Rand2 on [Vector] since Gen4 {
        /// Tile to fill.
        dst: Out,
        /// Lower bound: a number or a `[P, 1]` tile.
        min: Operand32,
        /// Upper bound: a number or a `[P, 1]` tile.
        max: Operand32,
    }
}

/// Dtypes that `rand2` writes.
const RANDOM: &[Dtype] = &[
    Dtype::F8E4m3,
    Dtype::F8E5m2,
    Dtype::F16,
    Dtype::Bf16,
    Dtype::F32,
    Dtype::Tf32,
    Dtype::I8,
    Dtype::I16,
    Dtype::I32,
    Dtype::U8,
    Dtype::U16,
    Dtype::U32,
];

impl Op for Rand2 {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let dst = (self.dst.0, "dst");
        rules::on_chip(cx, dst.0, dst.1)?;
        rules::dtype(cx, dst.0, dst.1, RANDOM)?;
        rules::scalar(cx, self.min, "min", dst, &[Dtype::F32])?;
        rules::scalar(cx, self.max, "max", dst, &[Dtype::F32])?;
        if let (Some(min), Some(max)) = (self.min.constant(), self.max.constant()) {
            ensure!(min < max, Value on "max",
            hint "exchange min and max",
            "min {min:?} is not below max {max:?}");
        }
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let tile = cx.tile(self.dst.0);
        let width = tile.free_elements().max(1) as usize;
        let lane = column::first_lane(&tile);
        let min = Column::read(cx, self.min, "min")?;
        let max = Column::read(cx, self.max, "max")?;
        let mut out = cx.machine.scratch.floats(tile.pattern.elements() as usize);
        for (row, values) in out.chunks_exact_mut(width).enumerate() {
            let (low, high) = (min.at(row), max.at(row));
            let generator = cx.state().vector_lane(lane + row);
            values
                .iter_mut()
                .for_each(|value| *value = low + (high - low) * generator.advance().next_unit());
        }
        cx.write(self.dst.0, out)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::random(cx, Engine::Vector, &cx.tile(self.dst.0))
    }
}

op! {
    /// Replaces elements by zero with a given probability, on the Vector Engine.
    dropout => Dropout on [Vector] since Gen2 [
        deprecated "dtype", "dst has the dtype of data"
    ] {
        /// Result, of the dtype of `data`.
        dst: Out,
        /// Tile.
        data: In,
        /// Probability of a zero: a number or a `[P, 1]` tile.
        prob: Operand32,
    }
}

impl Op for Dropout {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, data) = ((self.dst.0, "dst"), (self.data.0, "data"));
        rules::numeric(cx, &[dst, data])?;
        rules::same_shape(cx, data, dst)?;
        rules::same_dtype(cx, data, dst)?;
        rules::scalar(cx, self.prob, "prob", data, &[])?;
        if let Some(prob) = self.prob.constant() {
            ensure!(
                (0.0..=1.0).contains(&prob),
                Value on "prob",
            hint "prob is the share of zeros, for example 0.1",
            "prob is {prob}; limit: a probability is between 0 and 1"
            );
        }
        let Some(view) = self.prob.tile() else {
            return Ok(());
        };
        let tile = cx.tile(view);
        let integers = cx.tile(data.0).dtype().is_integer();
        let fits = tile.dtype() == Dtype::F32 || !integers && tile.dtype().is_float();
        ensure!(
            fits,
            Dtype on "prob",
            hint "allocate prob as float32",
            "{}; limit: {} for {} data",
            tile.label("prob"),
            if integers { "float32" } else { "a float dtype" },
            if integers { "integer" } else { "float" }
        );
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let tile = cx.tile(self.data.0);
        let elem = tile.dtype().bytes() as usize;
        let width = tile.free_elements().max(1) as usize;
        let lane = column::first_lane(&tile);
        let probability = Column::read(cx, self.prob, "prob")?;
        let mut bytes = cx.read_raw(self.data.0, "data")?;
        for (row, line) in bytes.chunks_exact_mut(width * elem).enumerate() {
            let limit = probability.at(row);
            let generator = cx.state().vector_lane(lane + row);
            for element in line.chunks_exact_mut(elem) {
                if generator.advance().next_unit() < limit {
                    element.fill(0);
                }
            }
        }
        cx.write_raw(self.dst.0, bytes)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::one_per_cycle(cx, &cx.tile(self.data.0), true)
    }
}

op! {
    /// Seeds the generator of the Vector Engine.
    set_rng_seed => SetRngSeed on [Vector] since Gen2 {
        /// `[1, 1]` tile with a 32-bit seed.
        src_seeds: In,
    }
}

impl Op for SetRngSeed {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        rules::on_chip(cx, self.src_seeds.0, "src_seeds")?;
        let tile = cx.tile(self.src_seeds.0);
        ensure!(
            tile.pattern.elements() == 1 && tile.dtype().bytes() == 4 && !tile.dtype().is_packed(),
            Shape on "src_seeds",
            hint "load one uint32 or int32 into a tile of shape (1, 1)",
            "{}; limit: one 32-bit value",
            tile.label("src_seeds")
        );
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let seed = cx.read_bits(self.src_seeds.0, "src_seeds")?[0];
        let lanes = cx.chip.memory.partitions.get();
        cx.state().vector_random = (0..lanes).map(|lane| VectorLane::seeded(seed, lane)).collect();
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::one_per_cycle(cx, &cx.tile(self.src_seeds.0), false)
    }
}

/// Checks the tile of a generator's state.
fn check_state(cx: &OpCx, view: ViewId, param: &'static str, choice: EngineChoice) -> Result<Engine, Fault> {
    let engines: &[Engine] = match cx.chip.rules.vector_random_state.get() {
        true => &[Engine::GpSimd, Engine::Vector],
        false => &[Engine::GpSimd],
    };
    rules::engine(cx, choice, engines, &[(view, param)])?;
    rules::dtype(cx, view, param, &[Dtype::U32])?;
    let engine = engine_of(choice, Engine::GpSimd);
    let words = if engine == Engine::Vector { 4 * STATE } else { STATE };
    rules::free_is(cx, view, param, words as u64)?;
    Ok(engine)
}

op! {
    /// Sets the state of the generator of an engine, lane by lane.
    rand_set_state => RandSetState on [GpSimd, Vector] since Gen3 {
        /// uint32 tile in SBUF with 6 (GpSimd) or 24 (Vector) words per partition.
        src_seeds: In,
        /// Engine: gpsimd, or vector (NeuronCore-v4 on).
        engine: EngineChoice = EngineChoice::On(Engine::GpSimd),
    }
}

/// A generator from its words of state.
fn generator(words: &[u32]) -> Xorwow {
    let mut state = [0; STATE];
    state.copy_from_slice(words);
    Xorwow::from_state(state)
}

impl Op for RandSetState {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        rules::sbuf(cx, self.src_seeds.0, "src_seeds")?;
        check_state(cx, self.src_seeds.0, "src_seeds", self.engine).map(|_| ())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let lane = column::first_lane(&cx.tile(self.src_seeds.0));
        let words = cx.read_bits(self.src_seeds.0, "src_seeds")?;
        if engine_of(self.engine, Engine::GpSimd) == Engine::Vector {
            for (row, words) in words.chunks_exact(4 * STATE).enumerate() {
                *cx.state().vector_lane(lane + row) = VectorLane {
                    parts: std::array::from_fn(|part| generator(&words[part * STATE..(part + 1) * STATE])),
                    turn: 0,
                };
            }
        } else {
            for (row, words) in words.chunks_exact(STATE).enumerate() {
                *cx.state().gpsimd_lane(lane + row) = generator(words);
            }
        }
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::random(cx, engine_of(self.engine, Engine::GpSimd), &cx.tile(self.src_seeds.0))
    }
}

op! {
    /// Stores the state of the generator of an engine, lane by lane.
    rand_get_state => RandGetState on [GpSimd, Vector] since Gen3 {
        /// uint32 tile with 6 (GpSimd) or 24 (Vector) words per partition.
        dst: Out,
        /// Engine: gpsimd, or vector (NeuronCore-v4 on).
        engine: EngineChoice = EngineChoice::On(Engine::GpSimd),
    }
}

impl Op for RandGetState {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        rules::on_chip(cx, self.dst.0, "dst")?;
        if check_state(cx, self.dst.0, "dst", self.engine)? == Engine::GpSimd {
            return rules::sbuf(cx, self.dst.0, "dst");
        }
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let tile = cx.tile(self.dst.0);
        let lane = column::first_lane(&tile);
        let vector = engine_of(self.engine, Engine::GpSimd) == Engine::Vector;
        let mut words = Vec::with_capacity(tile.pattern.elements() as usize);
        for row in 0..tile.partitions() as usize {
            if vector {
                let state = *cx.state().vector_lane(lane + row);
                words.extend(state.parts.iter().flat_map(Xorwow::state));
            } else {
                words.extend(cx.state().gpsimd_lane(lane + row).state());
            }
        }
        cx.write_bits(self.dst.0, words)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::random(cx, engine_of(self.engine, Engine::GpSimd), &cx.tile(self.dst.0))
    }
}
