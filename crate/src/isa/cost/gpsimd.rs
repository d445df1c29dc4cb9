//! GpSimd: eight processors of 16 lanes that run software.

use crate::base::units::Cycles;
use crate::chip::engine::Engine;
use crate::isa::context::OpCx;
use crate::isa::cost::simple;
use crate::isa::work::Work;
use crate::tensor::tables::Tile;

/// An instruction of `cycles` cycles plus the fixed part.
fn cycles(cx: &OpCx, cycles: u64) -> Work {
    let engines = &cx.chip.engines;
    let fixed = u64::from(engines.gpsimd_overhead_cycles.get());
    let time = engines.gpsimd_clock.get().time_of(Cycles(fixed + cycles));
    simple(Engine::GpSimd, time, time)
}

/// An element-wise operation on `elements` elements of a partition.
pub fn elementwise(cx: &OpCx, elements: u64) -> Work {
    cycles(cx, elements * u64::from(cx.chip.engines.gpsimd_element.get()))
}

/// `iota` and `affine_select`, which compute an index for each element.
pub fn index(cx: &OpCx, dst: &Tile) -> Work {
    let element = u64::from(cx.chip.engines.gpsimd_index_element.get());
    cycles(cx, dst.free_elements() * element)
}

/// `local_gather` and `nc_n_gather`: groups of indices, each at the element-wise rate.
pub fn gather(cx: &OpCx, dst: &Tile) -> Work {
    let engines = &cx.chip.engines;
    let group = u64::from(engines.gpsimd_gather_group.get());
    let elements = dst.free_elements();
    let groups = elements.div_ceil(group.max(1));
    let fixed = u64::from(engines.gpsimd_overhead_cycles.get());
    let element = u64::from(engines.gpsimd_element.get());
    cycles(cx, groups.saturating_sub(1) * fixed + elements * element)
}

/// `topk` of `keep` among `elements` elements of a partition; each processor takes its 16 partitions one after the other.
pub fn topk(cx: &OpCx, partitions: u32, elements: u64, keep: u64) -> Work {
    let engines = &cx.chip.engines;
    let lanes = engines.gpsimd_group_partitions.get().max(1);
    let rows = u64::from(partitions.min(lanes));
    let element = u64::from(engines.gpsimd_topk_element.get());
    cycles(cx, (element * elements + keep) * rows.div_ceil(u64::from(lanes)))
}

/// A reduction over partitions.
pub fn partition_reduce(cx: &OpCx, src: &Tile) -> Work {
    elementwise(cx, src.free_elements() * u64::from(src.partitions()).max(1))
}
