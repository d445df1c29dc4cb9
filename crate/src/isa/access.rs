//! Rules of the access patterns of operands: partitions, where tiles start, dimensions, run-time indices.

use crate::base::diag::{Code, Fault};
use crate::base::mend::Edit;
use crate::chip::engine::Engine;
use crate::ensure;
use crate::isa::context::OpCx;
use crate::isa::param::EngineChoice;
use crate::isa::spec::{OpSpec, Operand};
use crate::machine::layout::MAX_DIMS;
use crate::tensor::buffer::Space;
use crate::tensor::pattern::Dim;
use crate::tensor::tables::Tile;
use crate::tensor::view::{IndexSource, ViewId};

/// Checks what holds for every operand of every instruction.
///
/// # Errors
/// The first rule that the operand breaks.
pub fn operand(cx: &OpCx, spec: &OpSpec, operand: Operand) -> Result<(), Fault> {
    let tile = cx.tile(operand.view);
    let label = || tile.label(operand.param);
    ensure!(
        !tile.pattern.dims.is_empty() && tile.pattern.dims.len() <= MAX_DIMS,
        Constraint,
        "{} has {} dimensions; limit 1 to {MAX_DIMS}",
        label(),
        tile.pattern.dims.len()
    );
    inside(&tile, operand.param)?;
    indices(cx, spec, &tile, operand.param)?;
    if !tile.space().is_on_chip() {
        return Ok(());
    }
    let limit = cx.chip.memory.partitions.get();
    ensure!(
        tile.partitions() <= limit,
        Constraint,
        "{} spans {} partitions; limit {limit}",
        label(),
        tile.partitions()
    );
    if spec.engines.is_empty() || operand.param.ends_with("_scale") {
        return Ok(());
    }
    start_partition(cx, &tile, operand.param)?;
    engine_pattern(cx, &tile, operand.param)
}

/// Checks that a tile stays inside its buffer.
fn inside(tile: &Tile, param: &'static str) -> Result<(), Fault> {
    let dims = &tile.pattern.dims;
    if dims.iter().any(|dim| dim.num == 0) {
        return Ok(());
    }
    let on_chip = tile.space().is_on_chip();
    let row = tile.buffer.row_elements(tile.dtype()) as i64;
    let reach = |skip: usize, from: i64| {
        let free = dims.iter().skip(skip).map(|dim| dim.step * i64::from(dim.num - 1));
        free.fold((from, from), |(low, high), step| {
            (low + step.min(0), high + step.max(0))
        })
    };
    let fits = if on_chip {
        let (low, high) = reach(1, tile.free_offset() as i64);
        let partitions =
            i64::from(tile.start_partition()) + (dims[0].step * i64::from(dims[0].num - 1)).div_euclid(row.max(1));
        low >= 0 && high < row && (0..i64::from(tile.buffer.partitions())).contains(&partitions)
    } else {
        let (low, high) = reach(0, tile.view.offset as i64);
        tile.view.indirect.is_some() || low >= 0 && high < row
    };
    if fits {
        return Ok(());
    }
    let message = format!(
        "{} reaches outside of its tensor of shape {:?}",
        tile.label(param),
        tile.buffer.shape
    );
    Err(Fault::new(Code::OutOfBounds, message)
        .on(param)
        .hint("check offset, steps and counts of the access pattern"))
}

/// Checks where the partitions of an engine access start.
fn start_partition(cx: &OpCx, tile: &Tile, param: &'static str) -> Result<(), Fault> {
    starts(cx, tile, param, tile.partitions())
}

/// Checks where a tile starts that takes part in an access of `active` partitions.
///
/// # Errors
/// It does not start at a multiple of what so many partitions need.
pub fn starts(cx: &OpCx, tile: &Tile, param: &'static str, active: u32) -> Result<(), Fault> {
    let quadrant = cx.chip.rules.quadrant;
    let all = cx.chip.memory.partitions.get();
    let align = active.next_power_of_two().clamp(quadrant.get(), all);
    let base = tile.buffer.address.map_or(0, |address| address.partition);
    let start = base + tile.start_partition();
    if start.is_multiple_of(align) {
        return Ok(());
    }
    let starts: Vec<_> = (0..all).step_by(align as usize).map(|at| at.to_string()).collect();
    let allowed = match starts.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    };
    let reach = match align {
        _ if align == quadrant.get() => format!("up to {align}"),
        _ if align == all => format!("more than {}", align / 2),
        _ => format!("{} to {align}", align / 2 + 1),
    };
    let message = format!(
        "{} starts at partition {start}; limit {allowed} for {reach} partitions",
        tile.label(param)
    );
    let nearest = (start / align * align).saturating_sub(base);
    Err(Fault::new(Code::Constraint, message)
        .on(param)
        .hint("move the data to an allowed start with nisa.dma_copy, or lay the tile out along the free dimension")
        .source(quadrant.source)
        .mend(
            format!("take the {} partitions from {nearest} on instead", tile.partitions()),
            Edit::Rows(param, nearest, tile.partitions()),
        ))
}

/// Dimensions of an access inside a partition, as the hardware counts them: those that continue each other are one.
fn free_dims(tile: &Tile) -> Vec<Dim> {
    let mut dims: Vec<Dim> = Vec::new();
    for dim in tile.pattern.dims.iter().skip(1).filter(|dim| dim.num != 1) {
        match dims.last_mut() {
            Some(outer) if outer.step == dim.step * i64::from(dim.num) => {
                *outer = Dim {
                    step: dim.step,
                    num: outer.num.saturating_mul(dim.num),
                };
            }
            _ => dims.push(*dim),
        }
    }
    dims
}

/// Checks that a tile has at most `most` dimensions, the partitions counted and those that continue each other taken as one.
///
/// # Errors
/// It has more.
pub fn rank(cx: &OpCx, view: ViewId, param: &'static str, most: usize) -> Result<(), Fault> {
    let tile = cx.tile(view);
    let rank = free_dims(&tile).len() + 1;
    if rank <= most {
        return Ok(());
    }
    let message = format!("{} is accessed in {rank} dimensions; limit {most}", tile.label(param));
    Err(Fault::new(Code::Constraint, message)
        .on(param)
        .hint("copy it to a tile whose free dimensions follow each other without gaps, or work on one slice at a time"))
}

/// Checks what the access pattern of an engine can express.
fn engine_pattern(cx: &OpCx, tile: &Tile, param: &'static str) -> Result<(), Fault> {
    let rules = &cx.chip.rules;
    let most = rules.pattern_dims;
    let dims = tile.pattern.dims.len() - 1;
    if dims > most.get() as usize && free_dims(tile).len() > most.get() as usize {
        let message = format!(
            "{} is accessed in {} free dimensions; limit {}",
            tile.label(param),
            free_dims(tile).len(),
            most.get()
        );
        return Err(Fault::new(Code::Constraint, message)
            .on(param)
            .hint("copy it to a tile whose free dimensions follow each other without gaps, or work on one slice at a time")
            .source(most.source));
    }
    let elements = match tile.space() {
        Space::Psum => rules.psum_elements,
        Space::Sbuf | Space::Hbm | Space::SharedHbm => rules.sbuf_elements,
    };
    let free = tile.free_elements();
    if free > u64::from(elements.get()) {
        let message = format!(
            "{} has {free} elements per partition; limit {} for one instruction in {}",
            tile.label(param),
            elements.get(),
            tile.space().name()
        );
        return Err(Fault::new(Code::Constraint, message)
            .on(param)
            .hint("split the instruction into several, each on a slice of the free dimension")
            .source(elements.source));
    }
    Ok(())
}

/// Operands that may go by offsets of the free dimension (`.indirect()`), by instruction.
const INDIRECT: &[(&str, &[&str])] = &[
    ("nc_matmul", &["dst", "stationary", "moving"]),
    ("tensor_copy", &["dst", "src"]),
    ("tensor_copy_predicated", &["dst", "predicate"]),
    ("tensor_tensor", &["dst", "data1"]),
    ("tensor_scalar", &["dst", "data"]),
    ("tensor_reduce", &["dst", "data"]),
    ("tensor_scalar_cumulative", &["dst", "src"]),
    ("activation", &["dst", "data"]),
    ("activation_reduce", &["dst", "data"]),
    ("activate2", &["dst", "data"]),
    ("exponential", &["dst", "src"]),
    ("tensor_scalar_reduce", &["dst", "data"]),
];

/// Checks where run-time indices are allowed: rows for DMA only, free-dimension offsets for some operands of NeuronCore-v4.
fn indices(cx: &OpCx, spec: &OpSpec, tile: &Tile, param: &'static str) -> Result<(), Fault> {
    let source = tile.view.indirect.map(|id| cx.tables.indirects[id].source);
    let dma = spec.engines.is_empty();
    let allowed = match source {
        None | Some(IndexSource::Scalar(_) | IndexSource::Register(_)) => true,
        Some(IndexSource::Vector(_)) => dma,
        Some(IndexSource::Free(_)) => {
            let row = INDIRECT.iter().find(|(name, _)| *name == spec.name);
            cx.chip.rules.tensor_indirection.get() && row.is_some_and(|(_, params)| params.contains(&param))
        }
    };
    if let (true, Some(IndexSource::Free(index))) = (allowed, source) {
        return index_start(cx, tile, param, &cx.tile(index));
    }
    if allowed {
        return Ok(());
    }
    let message = format!(
        "{} goes by run-time indices, which this operand does not take on {}",
        tile.label(param),
        cx.chip.title
    );
    Err(Fault::new(Code::Constraint, message)
        .on(param)
        .hint("gather the elements first, with nisa.dma_copy or nisa.nc_n_gather"))
}

/// Checks where the indices of `.indirect()` start, for tensors whose place the user chose.
fn index_start(cx: &OpCx, tile: &Tile, param: &'static str, index: &Tile) -> Result<(), Fault> {
    let Some(address) = index.buffer.address else {
        return Ok(());
    };
    let quadrant = cx.chip.rules.quadrant.get();
    let start = address.partition + index.start_partition();
    ensure!(
        start.is_multiple_of(quadrant),
        Constraint on "dst",
        hint "allocate the indices at partition 0, 32, 64 or 96",
        "{} of {} starts at partition {start}; limit: a multiple of {quadrant}",
        index.label("the index"),
        tile.label(param)
    );
    let Some(place) = tile.buffer.address.filter(|_| param != "dst") else {
        return Ok(());
    };
    let own = place.partition + tile.start_partition();
    if own == start {
        return Ok(());
    }
    let message = format!(
        "{} starts at partition {own}, its index at partition {start}; they must start at the same",
        tile.label(param)
    );
    Err(Fault::new(Code::Constraint, message)
        .on(param)
        .hint("allocate the tile and its indices with the same partition in address="))
}

/// Checks that an engine takes run-time indices, and that the Scalar Engine does not scatter to PSUM.
///
/// # Errors
/// It does not.
pub fn indirect_engine(
    cx: &OpCx,
    choice: EngineChoice,
    allowed: &[Engine],
    dst: ViewId,
    other: ViewId,
) -> Result<(), Fault> {
    let indirect = |view| {
        cx.tile(view)
            .view
            .indirect
            .is_some_and(|id| matches!(cx.tables.indirects[id].source, IndexSource::Free(_)))
    };
    let EngineChoice::On(engine) = choice else {
        return Ok(());
    };
    if !indirect(dst) && !indirect(other) {
        return Ok(());
    }
    let fault = |message: String| {
        Err(Fault::new(Code::Constraint, message)
            .on("engine")
            .hint("leave engine out")
            .mend("leave engine out", Edit::Drop("engine")))
    };
    if !allowed.contains(&engine) {
        return fault(format!("engine {} takes no run-time indices here", engine.name()));
    }
    if engine == Engine::Scalar && indirect(dst) && cx.tile(dst).space() == Space::Psum {
        return fault(format!(
            "the Scalar Engine cannot scatter to psum; {}",
            cx.tile(dst).label("dst")
        ));
    }
    Ok(())
}
