//! Hardware rules that many instructions share: memories, shapes, dtypes and engines.
//!
//! Messages name the operand with its shape, then the limit; hints say a way out.

use crate::base::diag::{Code, Fault};
use crate::base::mend::Edit;
use crate::chip::engine::Engine;
use crate::isa::context::OpCx;
use crate::isa::param::{EngineChoice, Operand32};
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::Space;
use crate::tensor::tables::Tile;
use crate::tensor::view::ViewId;

/// On-chip memories.
pub const ON_CHIP: &[Space] = &[Space::Sbuf, Space::Psum];
/// SBUF only.
pub const SBUF: &[Space] = &[Space::Sbuf];
/// Memories that DMA reaches for kernels.
pub const DMA: &[Space] = &[Space::Sbuf, Space::Hbm, Space::SharedHbm];

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
    let (tile, model) = (cx.tile(view), cx.tile(like.0));
    if tile.free_elements() == 1 {
        return same_partitions(cx, like, (view, param));
    }
    let message = format!(
        "{} has {} elements per partition; limit 1, one value for each partition of {}",
        tile.label(param),
        tile.free_elements(),
        model.label(like.1)
    );
    let written = param.contains("res");
    Err(Fault::new(Code::Shape, message).on(param).hint(match written {
        true => format!("allocate it with shape ({}, 1)", model.partitions()),
        false => {
            "for a value per element use nisa.tensor_tensor; a row goes to all partitions when it is loaded, with \
                  nisa.dma_copy from x.broadcast(0, 128)"
                .to_owned()
        }
    }))
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
    let written = param.contains("dst") || param.contains("res");
    let fault = Fault::new(Code::Dtype, message).on(param).hint(if written {
        let same = allowed.iter().rev().find(|dtype| dtype.bytes() == tile.dtype().bytes());
        let best = same.or(allowed.first()).map_or("another dtype", |dtype| dtype.name());
        format!("allocate '{}' as {best}", tile.buffer.name)
    } else if allowed.iter().all(|dtype| dtype.is_packed()) {
        "quantise it first with nisa.quantize_mx, or load packed data".to_owned()
    } else {
        "convert it with nisa.tensor_copy into a tile of an allowed dtype".to_owned()
    });
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
