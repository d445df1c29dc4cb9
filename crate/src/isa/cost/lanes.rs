//! Lane engines: Vector and Scalar. A lane works on one partition, so fewer partitions do not save time.

use crate::base::units::{Cycles, Ps};
use crate::chip::engine::{Engine, Engines};
use crate::isa::context::OpCx;
use crate::isa::cost::{clock, cycles_f64, gpsimd, lane_time, simple};
use crate::isa::work::Work;
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::Space;
use crate::tensor::tables::Tile;

/// Whether the innermost dimension of a tile is contiguous.
fn contiguous(tile: &Tile) -> bool {
    let dims = tile.pattern.dims.get(1..).unwrap_or(&[]);
    dims.iter()
        .rev()
        .find(|dim| dim.num > 1)
        .is_none_or(|dim| dim.step == 1)
}

/// Whether a dtype takes part in the 16-bit modes of the Vector Engine.
fn is_narrow(engines: &Engines, dtype: Dtype) -> bool {
    let float8 = dtype.bytes() == 1 && dtype.is_float();
    dtype.bytes() == 2 || (float8 && engines.vector_fast_fp8.get() == 1)
}

/// Elements a cycle in a lane of the Vector Engine for a copy or tensor-scalar operation: 4, 2 or 1 by memory, width and
/// contiguity. Measured: fp32 from SBUF to SBUF and bf16 to fp8 run at 2, fp32 from PSUM at 1.
pub fn vector_lanes(cx: &OpCx, dst: &Tile, src: &Tile) -> u32 {
    let engines = &cx.chip.engines;
    let narrow = is_narrow(engines, dst.dtype()) && is_narrow(engines, src.dtype());
    let fast = narrow && contiguous(dst) && contiguous(src);
    match (dst.space() == Space::Sbuf && src.space() == Space::Sbuf, fast) {
        (true, true) => engines.vector_fast_lanes.get(),
        (true, false) | (false, true) => engines.vector_medium_lanes.get(),
        (false, false) => 1,
    }
}

/// A Vector operation of `cycles` cycles; `pair` says that it has a second tile or a per-partition scalar.
fn vector(cx: &OpCx, cycles: f64, pair: bool) -> Work {
    let engines = &cx.chip.engines;
    let clock = engines.vector_clock.get();
    let time = cycles_f64(clock, cycles);
    let (interval, latency) = if pair {
        (engines.vector_pair_overhead.get(), engines.vector_pair_latency.get())
    } else {
        (engines.vector_overhead.get(), engines.vector_latency.get())
    };
    let least = clock.time_of(Cycles(u64::from(engines.vector_min_cycles.get())));
    simple(Engine::Vector, (time + interval).max(least), time + latency)
}

/// A Scalar Engine copy or tensor-scalar operation.
fn scalar_copy(cx: &OpCx, dst: &Tile, src: &Tile) -> Work {
    let engines = &cx.chip.engines;
    let narrow = dst.dtype().bytes() <= 2 && src.dtype().bytes() <= 2;
    let lanes = if narrow { engines.scalar_fast_lanes.get() } else { 1 };
    let time = lane_time(
        engines.scalar_clock.get(),
        src.free_elements().max(dst.free_elements()),
        lanes,
        engines.scalar_min_cycles.get(),
    );
    simple(
        Engine::Scalar,
        time + engines.scalar_copy_overhead.get(),
        time + engines.scalar_copy_latency.get(),
    )
}

/// An operation with one input tile: `tensor_copy`, `tensor_scalar`, casts. `pointer` says that an operand is a per-partition
/// scalar in SBUF.
pub fn one_input(cx: &OpCx, engine: Engine, dst: &Tile, src: &Tile, pointer: bool) -> Work {
    let elements = dst.free_elements().max(src.free_elements());
    match engine {
        Engine::Scalar => scalar_copy(cx, dst, src),
        Engine::Vector | Engine::Tensor | Engine::Sync => {
            let cycles = elements as f64 / f64::from(vector_lanes(cx, dst, src));
            vector(cx, cycles, pointer)
        }
        Engine::GpSimd => gpsimd::elementwise(cx, elements),
    }
}

/// An operation with two input tiles: `tensor_tensor`. `N` cycles if one is in PSUM, `2 N` if both are in SBUF, halved when all
/// three are 16 bit in SBUF.
pub fn two_inputs(cx: &OpCx, engine: Engine, dst: &Tile, a: &Tile, b: &Tile) -> Work {
    let elements = dst.free_elements().max(a.free_elements()).max(b.free_elements());
    if engine == Engine::GpSimd {
        return gpsimd::elementwise(cx, elements * 2);
    }
    let engines = &cx.chip.engines;
    let tiles = [dst, a, b];
    let sbuf = tiles.iter().all(|tile| tile.space() == Space::Sbuf);
    let narrow = tiles.iter().all(|tile| is_narrow(engines, tile.dtype()));
    let passes = if a.space() == Space::Sbuf && b.space() == Space::Sbuf {
        2.0
    } else {
        1.0
    };
    let lanes = if sbuf && narrow {
        engines.vector_pair_lanes.get()
    } else {
        1
    };
    vector(cx, elements as f64 * passes / f64::from(lanes), true)
}

/// Two input tiles without a fast mode: `scalar_tensor_tensor`, `select_reduce`, `tensor_copy_predicated`.
pub fn two_inputs_plain(cx: &OpCx, dst: &Tile, a: &Tile, b: &Tile) -> Work {
    let elements = dst.free_elements().max(a.free_elements()).max(b.free_elements());
    let sbuf = a.space() == Space::Sbuf && b.space() == Space::Sbuf;
    vector(cx, elements as f64 * if sbuf { 2.0 } else { 1.0 }, true)
}

/// One element a cycle in a lane of the Vector Engine: `tensor_reduce`, `tensor_scalar_reduce`, `bn_stats`, `max8`,
/// `nc_find_index8`, `nc_match_replace8`, `nc_stream_shuffle`, `range_select`, `dropout`. Give the longest tile; `pair` as in
/// [`one_input`].
pub fn one_per_cycle(cx: &OpCx, longest: &Tile, pair: bool) -> Work {
    vector(cx, longest.free_elements() as f64, pair)
}

/// `reciprocal` on the Vector Engine.
pub fn reciprocal(cx: &OpCx, src: &Tile) -> Work {
    let cycles = u64::from(cx.chip.engines.vector_reciprocal.get()) * src.free_elements();
    vector(cx, cycles as f64, false)
}

/// `tensor_tensor_scan` and `tensor_scalar_cumulative`.
pub fn scan(cx: &OpCx, dst: &Tile) -> Work {
    let cycles = u64::from(cx.chip.engines.vector_scan.get()) * dst.free_elements();
    vector(cx, cycles as f64, true)
}

/// `bn_aggr`.
pub fn bn_aggr(cx: &OpCx, src: &Tile) -> Work {
    let thirds = f64::from(cx.chip.engines.vector_aggregate_thirds.get());
    vector(cx, src.free_elements() as f64 * thirds / 3.0, false)
}

/// `memset`: no input, so the destination alone decides the mode.
pub fn memset(cx: &OpCx, engine: Engine, dst: &Tile) -> Work {
    one_input(cx, engine, dst, dst, false)
}

/// A copy whose address is known only at run time.
pub fn dynamic_copy(cx: &OpCx, engine: Engine, dst: &Tile, src: &Tile) -> Work {
    let least = clock(cx.chip, engine).time_of(Cycles(u64::from(cx.chip.engines.dynamic_copy_cycles.get())));
    let mut work = one_input(cx, engine, dst, src, false);
    if let Work::Engine(on) = &mut work {
        for phase in &mut on.phases {
            phase.interval = phase.interval.max(least);
            phase.latency = phase.latency.max(least);
        }
    }
    work
}

/// `quantize_mx`.
pub fn quantize_mx(cx: &OpCx, src: &Tile) -> Work {
    let lanes = f64::from(cx.chip.engines.vector_quantize_lanes.get());
    vector(cx, src.free_elements() as f64 / lanes, false)
}

/// `exponential` on the Vector Engine.
pub fn exponential(cx: &OpCx, src: &Tile) -> Work {
    let lanes = f64::from(cx.chip.engines.vector_exponential_lanes.get());
    vector(cx, src.free_elements() as f64 / lanes, true)
}

/// `rand2` and `rng`: 32-bit words.
pub fn random(cx: &OpCx, engine: Engine, dst: &Tile) -> Work {
    if engine == Engine::GpSimd {
        return gpsimd::elementwise(cx, dst.free_elements());
    }
    let lanes = f64::from(cx.chip.engines.vector_random_lanes.get());
    vector(cx, dst.free_elements() as f64 / lanes, false)
}

/// A transpose of 32 x 32 blocks on the Vector Engine.
pub fn transpose(cx: &OpCx, src: &Tile) -> Work {
    let least = f64::from(cx.chip.engines.vector_min_cycles.get());
    vector(cx, (src.free_elements() as f64).max(least), false)
}

/// `activation`, `activation_reduce` and `activate2` on the Scalar Engine. `reduces` adds the read of the accumulator.
pub fn activation(cx: &OpCx, dst: &Tile, src: &Tile, reduces: bool) -> Work {
    let engines = &cx.chip.engines;
    let clock = engines.scalar_clock.get();
    let narrow = dst.dtype().bytes() <= 2 && src.dtype().bytes() <= 2;
    let lanes = if narrow {
        engines.scalar_activation_lanes.get()
    } else {
        1
    };
    let elements = src.free_elements().max(dst.free_elements());
    let time = lane_time(clock, elements, lanes, engines.scalar_min_cycles.get());
    let (interval, latency) = if src.space() == Space::Psum {
        (engines.scalar_psum_overhead.get(), engines.scalar_psum_latency.get())
    } else {
        (engines.scalar_sbuf_overhead.get(), engines.scalar_sbuf_latency.get())
    };
    let extra = if reduces {
        clock.time_of(Cycles(u64::from(engines.scalar_accumulator_cycles.get())))
    } else {
        Ps::ZERO
    };
    simple(Engine::Scalar, time + interval + extra, time + latency + extra)
}
