//! DMA transfers: from two views to descriptors.
//!
//! A descriptor moves one run that is contiguous on both sides. On chip a run ends with its partition; in HBM it goes on as
//! far as the steps of the view allow.

use crate::base::units::{Bytes, Ps};
use crate::chip::Chip;
use crate::chip::engine::Engine;
use crate::isa::context::OpCx;
use crate::isa::work::{Descriptors, DmaWork, Meeting, Work};
use crate::tensor::pattern::Dim;
use crate::tensor::tables::Tile;

/// How a transfer is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct How {
    /// Who makes the descriptors.
    pub descriptors: Descriptors,
    /// Whether the transfer transposes.
    pub transpose: bool,
    /// Whether it adds to the destination.
    pub accumulate: bool,
}

/// Who makes the descriptors when the user leaves it open.
///
/// A run-time index per partition needs GpSimd software. Otherwise hardware makes them, triggered from the Sync queue unless the
/// call names another engine; on chips without that hardware the host prepares them before the launch.
pub fn descriptors(cx: &OpCx, issue: Option<Engine>, indirect: bool) -> Descriptors {
    if indirect || issue == Some(Engine::GpSimd) {
        return Descriptors::Software;
    }
    if cx.chip.dma.hardware_descriptors.get() == 0 {
        return Descriptors::Static;
    }
    match issue {
        Some(Engine::Scalar) => Descriptors::Hardware(Engine::Scalar),
        _ => Descriptors::Hardware(Engine::Sync),
    }
}

/// Elements of the longest run that is contiguous in `tile`.
fn run_elements(tile: &Tile) -> u64 {
    let dims: &[Dim] = &tile.pattern.dims;
    let free = if tile.space().is_on_chip() {
        dims.get(1..).unwrap_or(&[])
    } else {
        dims
    };
    let mut run = 1;
    for dim in free.iter().rev().filter(|dim| dim.num > 1) {
        if u64::try_from(dim.step) != Ok(run) {
            break;
        }
        run *= u64::from(dim.num);
    }
    run
}

/// Greatest common divisor.
fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// DMA engines that serve the partitions of `tile`.
fn engines_of(cx: &OpCx, tile: &Tile) -> u32 {
    let per_engine = cx.chip.dma.partitions_per_engine.get().max(1);
    let first = tile.start_partition() / per_engine;
    let last = (tile.start_partition() + tile.partitions().max(1) - 1) / per_engine;
    (last - first + 1).min(cx.chip.dma.engines.get())
}

/// Size of a descriptor and the engines that share them.
fn split(cx: &OpCx, dst: &Tile, src: &Tile, bytes: u64, widest: u64) -> (u64, u32) {
    let run = gcd(run_elements(dst), run_elements(src)).max(1) * widest;
    let dma = &cx.chip.dma;
    let all = dma.engines.get();
    let chip_side = [dst, src].into_iter().filter(|tile| tile.space().is_on_chip());
    if let Some(engines) = chip_side.map(|tile| engines_of(cx, tile)).max() {
        return (run.min(dma.descriptor_max.get().0), engines);
    }
    let share = bytes.div_ceil(u64::from(all)).max(dma.small_write_bytes.get().0);
    let size = run.min(share).min(dma.descriptor_max.get().0);
    let engines = bytes.div_ceil(size.max(1)).min(u64::from(all)) as u32;
    (size, engines.max(1))
}

/// The transfer from `src` to `dst`.
pub fn transfer(cx: &OpCx, dst: &Tile, src: &Tile, how: How) -> DmaWork {
    let dma = &cx.chip.dma;
    let widest = u64::from(dst.dtype().bytes().max(src.dtype().bytes()));
    let elements = dst.pattern.elements().min(src.pattern.elements());
    let bytes = elements * widest;
    let (size, engines) = split(cx, dst, src, bytes, widest);
    let on_chip = dst.space().is_on_chip() && src.space().is_on_chip();
    let mut slowdown = 1.0;
    if how.transpose && on_chip {
        slowdown *= dma.transpose_sbuf_factor.get();
    } else if how.transpose {
        slowdown *= dma.transpose_hbm_factor.get();
    }
    if how.accumulate {
        slowdown *= dma.accumulate_factor.get();
    }
    let hbm = |tile: &Tile| {
        if tile.space().is_on_chip() {
            0
        } else {
            elements * u64::from(tile.dtype().bytes())
        }
    };
    let reread = if how.accumulate { hbm(dst) } else { 0 };
    DmaWork {
        descriptors: how.descriptors,
        descriptor_count: bytes.div_ceil(size.max(1)),
        descriptor_bytes: Bytes(size),
        bytes: Bytes(bytes),
        hbm_read: Bytes(hbm(src) + reread),
        hbm_write: Bytes(hbm(dst)),
        engines,
        first_engine: [dst, src]
            .into_iter()
            .find(|tile| tile.space().is_on_chip())
            .map_or(0, |tile| {
                tile.start_partition() / dma.partitions_per_engine.get().max(1)
            }),
        slowdown,
    }
}

/// `dma_copy` and its kin. `issue` is the engine that the call names.
pub fn copy(cx: &OpCx, dst: &Tile, src: &Tile, issue: Option<Engine>) -> Work {
    let indirect = is_gather(cx, dst) || is_gather(cx, src);
    let how = How {
        descriptors: descriptors(cx, issue, indirect),
        transpose: false,
        accumulate: false,
    };
    Work::Dma(transfer(cx, dst, src, how))
}

/// Whether a view has an index per partition.
fn is_gather(cx: &OpCx, tile: &Tile) -> bool {
    use crate::tensor::view::IndexSource;
    let source = tile.view.indirect.map(|id| cx.tables.indirects[id].source);
    matches!(source, Some(IndexSource::Vector(_) | IndexSource::Free(_)))
}

/// `dma_transpose`: the rows of the source are the descriptors.
pub fn transpose(cx: &OpCx, dst: &Tile, src: &Tile) -> Work {
    let indirect = is_gather(cx, dst) || is_gather(cx, src);
    let how = How {
        descriptors: descriptors(cx, None, indirect),
        transpose: true,
        accumulate: false,
    };
    let mut work = transfer(cx, dst, src, how);
    let row = run_elements(src) * u64::from(src.dtype().bytes());
    let size = row.min(cx.chip.dma.descriptor_max.get().0).max(1);
    work.descriptor_bytes = Bytes(size);
    work.descriptor_count = work.bytes.0.div_ceil(size);
    Work::Dma(work)
}

/// `dma_compute`: several sources are added into the destination.
pub fn accumulate(cx: &OpCx, dst: &Tile, srcs: &[Tile]) -> Work {
    let how = |first: bool| How {
        descriptors: descriptors(cx, None, false),
        transpose: false,
        accumulate: !first,
    };
    let Some((first, rest)) = srcs.split_first() else {
        return Work::Free;
    };
    let mut sum = transfer(cx, dst, first, how(true));
    for src in rest {
        let part = transfer(cx, dst, src, how(false));
        sum.descriptor_count += part.descriptor_count;
        sum.bytes += part.bytes;
        sum.hbm_read += part.hbm_read;
        sum.hbm_write += part.hbm_write;
        sum.slowdown = sum.slowdown.max(part.slowdown);
    }
    Work::Dma(sum)
}

/// `sendrecv`: both cores meet, then each sends over its DMA engines.
pub fn exchange(cx: &OpCx, dst: &Tile, src: &Tile) -> Work {
    let how = How {
        descriptors: descriptors(cx, None, false),
        transpose: false,
        accumulate: false,
    };
    Work::Meet(Meeting {
        engine: Engine::Sync,
        latency: cx.chip.launch.core_barrier.get(),
        transfer: Some(transfer(cx, dst, src, how)),
    })
}

/// Time of one descriptor on its engine.
pub fn descriptor_time(chip: &Chip, work: &DmaWork) -> Ps {
    let dma = &chip.dma;
    let data = dma.engine_rate.get().time_of(work.descriptor_bytes);
    let data = Ps((data.as_f64() * work.slowdown).ceil() as u64);
    let short = work.hbm_write > Bytes::ZERO && work.descriptor_bytes < dma.small_write_bytes.get();
    let extra = if short {
        dma.small_write_overhead.get()
    } else {
        Ps::ZERO
    };
    data + dma.descriptor_overhead.get() + extra
}

/// The queue that triggers a transfer, the time that this takes there, and the time from the trigger to the first data.
pub fn trigger(chip: &Chip, work: &DmaWork) -> (Engine, Ps, Ps) {
    let dma = &chip.dma;
    let store = work.hbm_write > Bytes::ZERO;
    match work.descriptors {
        Descriptors::Hardware(engine) => {
            let start = if store {
                dma.hardware_store_start
            } else {
                dma.hardware_load_start
            };
            (engine, dma.hardware_issue.get(), start.get())
        }
        Descriptors::Software => (Engine::GpSimd, dma.software_issue.get(), dma.software_start.get()),
        Descriptors::Static => {
            let start = if store {
                dma.static_store_start
            } else {
                dma.static_load_start
            };
            (Engine::Sync, dma.static_issue.get(), start.get())
        }
    }
}
