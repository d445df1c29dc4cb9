//! Hardware rules that many instructions share: partitions, access patterns, memories, shapes and dtypes.
//!
//! Messages name the operand with its shape, then the limit; hints say a way out.

use crate::base::diag::{Code, Fault};
use crate::base::mend::Edit;
use crate::chip::engine::Engine;
use crate::ensure;
use crate::isa::context::OpCx;
use crate::isa::param::{EngineChoice, Operand32};
use crate::isa::spec::{OpSpec, Operand};
use crate::machine::layout::MAX_DIMS;
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::Space;
use crate::tensor::pattern::Dim;
use crate::tensor::tables::Tile;
use crate::tensor::view::{IndexSource, ViewId};

/// On-chip memories.
pub const ON_CHIP: &[Space] = &[Space::Sbuf, Space::Psum];
/// SBUF only.
pub const SBUF: &[Space] = &[Space::Sbuf];
/// Memories that DMA reaches for kernels.
pub const DMA: &[Space] = &[Space::Sbuf, Space::Hbm, Space::SharedHbm];

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

/// Checks the memory of an operand; `hint` says what to do instead.
///
/// # Errors
/// The tile lives elsewhere.
pub fn space(cx: &OpCx, view: ViewId, param: &'static str, allowed: &[Space], hint: &str) -> Result<(), Fault> {
    let tile = cx.tile(view);
    if allowed.contains(&tile.space()) {
        return Ok(());
    }
    let names: Vec<_> = allowed.iter().map(|space| space.name()).collect();
    let message = format!("{}; limit: it must be in {}", tile.label(param), names.join(" or "));
    let fault = Fault::new(Code::MemorySpace, message).on(param).hint(hint);
    // Reading goes through a tile that is filled first; where to write is the user's choice.
    let stage = match tile.space() {
        Space::Psum if allowed.contains(&Space::Sbuf) => Some("tensor_copy"),
        Space::Hbm | Space::SharedHbm if allowed.contains(&Space::Sbuf) => Some("dma_copy"),
        Space::Sbuf | Space::Psum | Space::Hbm | Space::SharedHbm => None,
    };
    Err(
        match stage.filter(|_| !param.contains("dst") && !param.contains("res")) {
            Some(op) => fault.mend(
                format!("copy '{}' to SBUF first", tile.buffer.name),
                Edit::Stage(param, op),
            ),
            None => fault,
        },
    )
}

/// The usual hint for a tile in device memory that an engine should read or write.
pub const COPY_HINT: &str = "engines reach SBUF and PSUM only; copy between HBM and SBUF with nisa.dma_copy";

/// Checks that an operand is in SBUF or PSUM.
///
/// # Errors
/// The tile lives in device memory.
pub fn on_chip(cx: &OpCx, view: ViewId, param: &'static str) -> Result<(), Fault> {
    space(cx, view, param, ON_CHIP, COPY_HINT)
}

/// Checks that an operand is in SBUF.
///
/// # Errors
/// The tile lives elsewhere.
pub fn sbuf(cx: &OpCx, view: ViewId, param: &'static str) -> Result<(), Fault> {
    let hint = match cx.tile(view).space() {
        Space::Psum => "move it with nisa.tensor_copy",
        Space::Sbuf | Space::Hbm | Space::SharedHbm => COPY_HINT,
    };
    space(cx, view, param, SBUF, hint)
}

/// Checks that two tiles have the same partitions and the same number of elements in each.
///
/// # Errors
/// They differ.
pub fn same_shape(cx: &OpCx, a: (ViewId, &'static str), b: (ViewId, &'static str)) -> Result<(), Fault> {
    same_partitions(cx, a, b)?;
    let (left, right) = (cx.tile(a.0), cx.tile(b.0));
    let (m, n) = (left.free_elements(), right.free_elements());
    if m == n {
        return Ok(());
    }
    let message = format!(
        "{} has {m} elements per partition, {} has {n}{}; they must be equal",
        left.label(a.1),
        right.label(b.1),
        excess(m, n, &right)
    );
    let fault = Fault::new(Code::Shape, message).on(b.1);
    Err(match n {
        1 if right.dtype() == Dtype::F32 => {
            fault.hint("apply one value per partition with nisa.tensor_scalar, which broadcasts a [P, 1] tile")
        }
        1 => {
            fault.hint("apply one value per partition with nisa.tensor_scalar, which broadcasts a [P, 1] float32 tile")
        }
        _ => fault.hint(format!(
            "slice the longer one, for example {}[:, 0:{}], or allocate both with the same shape",
            if m > n { &left.buffer.name } else { &right.buffer.name },
            m.min(n)
        )),
    })
}

/// How much longer or shorter a tile of `n` elements per partition is than one of `m`, if it is close.
fn excess(m: u64, n: u64, tile: &Tile) -> String {
    let apart = m.abs_diff(n);
    if apart * 8 > m {
        return String::new();
    }
    let more = if n > m { "more" } else { "fewer" };
    format!(" ({apart} {more}, {} bytes)", apart * u64::from(tile.dtype().bytes()))
}

/// Checks that two tiles have the same partitions.
///
/// # Errors
/// They differ.
pub fn same_partitions(cx: &OpCx, a: (ViewId, &'static str), b: (ViewId, &'static str)) -> Result<(), Fault> {
    let (left, right) = (cx.tile(a.0), cx.tile(b.0));
    let (m, n) = (left.partitions(), right.partitions());
    if m == n {
        return Ok(());
    }
    let message = format!(
        "{} has {m} partitions, {} has {n}; they must be equal",
        left.label(a.1),
        right.label(b.1)
    );
    let longer = if m > n { &left.buffer.name } else { &right.buffer.name };
    Err(Fault::new(Code::Shape, message).on(b.1).hint(format!(
        "take the same rows of both, for example {longer}[0:{}]; partitions do not broadcast",
        m.min(n)
    )))
}

/// Checks the number of elements per partition of a tile.
///
/// # Errors
/// It is another number.
pub fn free_is(cx: &OpCx, view: ViewId, param: &'static str, elements: u64) -> Result<(), Fault> {
    let tile = cx.tile(view);
    if tile.free_elements() == elements {
        return Ok(());
    }
    let message = format!(
        "{} has {} elements per partition; limit exactly {elements}",
        tile.label(param),
        tile.free_elements()
    );
    Err(Fault::new(Code::Shape, message)
        .on(param)
        .hint(format!("give a tile of shape [{}, {elements}]", tile.partitions())))
}

/// Checks that a tile is `[P, 1]` on chip, with the partitions of `like`.
///
/// # Errors
/// Another shape, or another memory.
pub fn column(cx: &OpCx, view: ViewId, param: &'static str, like: (ViewId, &'static str)) -> Result<(), Fault> {
    on_chip(cx, view, param)?;
    free_is(cx, view, param, 1)?;
    same_partitions(cx, like, (view, param))
}

/// Checks an operand that is a constant or a `[P, 1]` tile of one of `dtypes` (any, if empty).
///
/// # Errors
/// Another shape, memory or dtype.
pub fn scalar(
    cx: &OpCx,
    operand: Operand32,
    param: &'static str,
    like: (ViewId, &'static str),
    dtypes: &[Dtype],
) -> Result<(), Fault> {
    let Some(view) = operand.tile() else {
        return Ok(());
    };
    column(cx, view, param, like)?;
    if dtypes.is_empty() {
        return Ok(());
    }
    dtype(cx, view, param, dtypes)
}

/// Checks the dtype of an operand.
///
/// # Errors
/// It is not one of `allowed`.
pub fn dtype(cx: &OpCx, view: ViewId, param: &'static str, allowed: &[Dtype]) -> Result<(), Fault> {
    let tile = cx.tile(view);
    if allowed.contains(&tile.dtype()) {
        return Ok(());
    }
    let names: Vec<_> = allowed.iter().map(|dtype| dtype.name()).collect();
    let message = format!("{}; limit: dtype {}", tile.label(param), names.join(", "));
    let fault = Fault::new(Code::Dtype, message)
        .on(param)
        .hint("convert it with nisa.tensor_copy into a tile of an allowed dtype");
    Err(match allowed {
        [only] => allocate_as(fault, &tile, *only),
        _ => fault,
    })
}

/// Offers to allocate a tile with another dtype.
pub fn allocate_as(fault: Fault, tile: &Tile, dtype: Dtype) -> Fault {
    fault.mend(
        format!("allocate '{}' as {}", tile.buffer.name, dtype.name()),
        Edit::Allocate(tile.buffer.loc, "dtype", 1, dtype.name()),
    )
}

/// Offers to allocate a tile in another memory, called `name` in `nki.language`.
pub fn allocate_in(fault: Fault, tile: &Tile, name: &'static str) -> Fault {
    fault.mend(
        format!("allocate '{}' in {name}", tile.buffer.name),
        Edit::Allocate(tile.buffer.loc, "buffer", 2, name),
    )
}

/// Checks that an operand is not of a packed dtype.
///
/// # Errors
/// It is.
pub fn unpacked(cx: &OpCx, view: ViewId, param: &'static str) -> Result<(), Fault> {
    let tile = cx.tile(view);
    if !tile.dtype().is_packed() {
        return Ok(());
    }
    let message = format!(
        "{} is packed; only copies, nc_matmul_mx and quantize_mx handle packed dtypes",
        tile.label(param)
    );
    Err(Fault::new(Code::Dtype, message)
        .on(param)
        .hint("unpack the data outside of the kernel, or allocate the tile with a plain dtype"))
}

/// Checks that operands have equal dtypes.
///
/// # Errors
/// They differ.
pub fn same_dtype(cx: &OpCx, a: (ViewId, &'static str), b: (ViewId, &'static str)) -> Result<(), Fault> {
    let (left, right) = (cx.tile(a.0), cx.tile(b.0));
    if left.dtype() == right.dtype() {
        return Ok(());
    }
    let message = format!("{} and {} must have the same dtype", left.label(a.1), right.label(b.1));
    let fault = Fault::new(Code::Dtype, message).on(b.1).hint(format!(
        "convert one of them with nisa.tensor_copy, or allocate '{}' as {}",
        right.buffer.name,
        left.dtype().name()
    ));
    Err(allocate_as(fault, &right, left.dtype()))
}

/// Checks that two inputs are not both in PSUM.
///
/// # Errors
/// They are.
pub fn not_both_psum(cx: &OpCx, a: (ViewId, &'static str), b: (ViewId, &'static str)) -> Result<(), Fault> {
    let (left, right) = (cx.tile(a.0), cx.tile(b.0));
    if left.space() != Space::Psum || right.space() != Space::Psum {
        return Ok(());
    }
    let message = format!(
        "{} and {}; limit: one input at most in psum",
        left.label(a.1),
        right.label(b.1)
    );
    Err(Fault::new(Code::MemorySpace, message)
        .on(b.1)
        .hint("copy one of them to SBUF first with nisa.tensor_copy")
        .mend(
            format!("copy '{}' to SBUF first", right.buffer.name),
            Edit::Stage(b.1, "tensor_copy"),
        ))
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

/// Checks that operands are on chip and hold plain numbers.
///
/// # Errors
/// One of them is elsewhere or packed.
pub fn numeric(cx: &OpCx, operands: &[(ViewId, &'static str)]) -> Result<(), Fault> {
    for &(view, param) in operands {
        on_chip(cx, view, param)?;
        unpacked(cx, view, param)?;
    }
    Ok(())
}

/// Checks that operands hold integers, as bit-vector operators need.
///
/// # Errors
/// One of them does not.
pub fn integers(cx: &OpCx, operands: &[(ViewId, &'static str)], op: &str) -> Result<(), Fault> {
    for &(view, param) in operands {
        let tile = cx.tile(view);
        if !tile.dtype().is_integer() {
            let message = format!("{}; limit: {op} works on integer dtypes only", tile.label(param));
            return Err(Fault::new(Code::Dtype, message)
                .on(param)
                .hint("view the tile as an integer dtype of the same size to work on its bits"));
        }
    }
    Ok(())
}

/// Checks the engine that a call asks for, and that GpSimd is not asked to reach PSUM.
///
/// # Errors
/// Another engine, or a PSUM operand for GpSimd.
pub fn engine(
    cx: &OpCx,
    choice: EngineChoice,
    allowed: &[Engine],
    operands: &[(ViewId, &'static str)],
) -> Result<(), Fault> {
    let EngineChoice::On(engine) = choice else {
        return Ok(());
    };
    if !allowed.contains(&engine) {
        let names: Vec<_> = allowed.iter().map(|engine| engine.name()).collect();
        let message = format!(
            "engine {} cannot run this on {}; limit {}",
            engine.name(),
            cx.chip.title,
            names.join(", ")
        );
        return Err(Fault::new(Code::Constraint, message)
            .on("engine")
            .hint("leave engine out")
            .mend("leave engine out", Edit::Drop("engine")));
    }
    if engine == Engine::GpSimd {
        return no_psum(cx, operands);
    }
    Ok(())
}

/// Checks that GpSimd reaches all operands.
///
/// # Errors
/// One of them is in PSUM.
pub fn no_psum(cx: &OpCx, operands: &[(ViewId, &'static str)]) -> Result<(), Fault> {
    match any_psum(cx, operands) {
        None => Ok(()),
        Some((view, param)) => {
            let message = format!(
                "{}; limit: the GpSimd Engine cannot reach psum",
                cx.tile(view).label(param)
            );
            Err(Fault::new(Code::MemorySpace, message)
                .on(param)
                .hint("copy between PSUM and SBUF with nisa.tensor_copy on the Vector or Scalar Engine")
                .mend("leave engine out", Edit::Drop("engine")))
        }
    }
}

/// The first operand in PSUM.
pub fn any_psum(cx: &OpCx, operands: &[(ViewId, &'static str)]) -> Option<(ViewId, &'static str)> {
    operands
        .iter()
        .copied()
        .find(|&(view, _)| cx.tile(view).space() == Space::Psum)
}
