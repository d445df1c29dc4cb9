//! What other releases of NKI spelt otherwise.
//!
//! A deprecated name still works, with a warning that says what replaced it. A removed name, keyword or order of arguments is an
//! error with the rewrite. The tables follow the migration guide; `neuronxcc.nki`, the namespace before all of that, has a dialect
//! of its own in [`legacy`](super::legacy).

use crate::base::diag::{Code, Fault};
use crate::interp::Interp;
use crate::interp::builtin::CallArgs;
use crate::interp::native::Answer;
use crate::interp::raised::{Exception, Raised, Result};
use crate::isa::spec::Entry;

use super::legacy::calls::lacks_destination;
use super::member::member;
use super::tracing::deprecated;

/// A name and what to write instead.
type Rewrite = (&'static str, &'static str);

/// Engines that `nki.isa` had as constants, and their members of `nki.isa.engine`.
pub static ENGINES: &[(&str, &str)] = &[
    ("tensor_engine", "tensor"),
    ("vector_engine", "vector"),
    ("scalar_engine", "scalar"),
    ("gpsimd_engine", "gpsimd"),
    ("unknown_engine", "unknown"),
];

const SLICES: &str =
    "address tiles with slices, such as x[0:128, 0:512]; what no slice expresses is x.ap(pattern=[[step, count], ...])";
const CALL: &str = "decorate the kernel with @nki.jit and call it; the run reports its latency and profile";
const LNC: &str =
    "launch on the two cores of a logical core with kernel[2](...), and ask nl.program_id(0) which one it is";

/// Names that `nki.language` no longer has.
static LANGUAGE: &[Rewrite] = &[
    ("arange", SLICES),
    ("mgrid", SLICES),
    (
        "par_dim",
        "dimension 0 of a tensor on chip is the partition dimension; put blocks into a Python list of tiles, or into a free dimension",
    ),
    ("nc", LNC),
    ("spmd_dim", LNC),
    ("fp32", "write the number: -3.4028235e38 is the smallest float32"),
    ("static_cast", "cast with nl.copy(x, dtype=...)"),
    (
        "atomic_rmw",
        "accumulate with nisa.dma_compute(dst, [src, dst], reduce_op=nl.add)",
    ),
    (
        "loop_reduce",
        "accumulate into a tile that is allocated before the loop, with nisa.tensor_tensor(dst=acc, data1=acc, data2=x, op=nl.add)",
    ),
];

/// Names that `nki.isa` no longer has.
static ISA: &[Rewrite] = &[
    (
        "tensor_copy_dynamic_src",
        "use nisa.tensor_copy() with NkiTensor.ap(scalar_offset=...)",
    ),
    (
        "tensor_copy_dynamic_dst",
        "use nisa.tensor_copy() with NkiTensor.ap(scalar_offset=...)",
    ),
    ("reduce", "use nisa.tensor_reduce(dst, op, data, axis)"),
];

/// Names that `nki` no longer has.
static TOP: &[Rewrite] = &[
    ("baremetal", CALL),
    ("benchmark", CALL),
    ("profile", CALL),
    ("trace", "decorate the kernel with @nki.jit"),
    ("simulate_kernel", "write nki.simulate(kernel)(a, b)"),
    ("experimental", "nl.while_loop and nl.fori_loop are in nki.language"),
];

/// The error of a name that was removed.
fn removed(module: &str, name: &str, instead: &str) -> Raised {
    Raised::new(Exception::AttributeError, format!("{module}.{name} was removed"))
        .code(Code::Unsupported)
        .hint(instead)
}

fn find(table: &[Rewrite], name: &str) -> Option<&'static str> {
    table.iter().find(|(old, _)| *old == name).map(|(_, instead)| *instead)
}

/// A name that `nki.language` does not define.
///
/// # Errors
/// It was removed.
pub fn of_language(_cx: &mut Interp, name: &str) -> Answer {
    find(LANGUAGE, name).map_or(Ok(None), |instead| Err(removed("nki.language", name, instead)))
}

/// A name that `nki.isa` does not define: an engine constant, or one that was removed.
///
/// # Errors
/// It was removed.
pub fn of_isa(cx: &mut Interp, name: &str) -> Answer {
    if let Some((_, engine)) = ENGINES.iter().find(|(old, _)| *old == name) {
        let hint = format!("write nisa.engine.{engine}");
        deprecated(cx, None, &format!("nki.isa.{name} is deprecated"), &hint);
        return Ok(Some(member("engine", engine)));
    }
    find(ISA, name).map_or(Ok(None), |instead| Err(removed("nki.isa", name, instead)))
}

/// A name that `nki` does not define.
///
/// # Errors
/// It was removed.
pub fn of_nki(_cx: &mut Interp, name: &str) -> Answer {
    find(TOP, name).map_or(Ok(None), |instead| Err(removed("nki", name, instead)))
}

/// Keywords that instructions no longer take: the instruction (empty for every one), the keyword, what to write instead.
static KEYWORDS: &[(&str, &str, &str)] = &[
    (
        "",
        "mask",
        "clip the slices of the operands instead, such as x[p:min(p + 128, rows), f:min(f + 512, columns)]",
    ),
    (
        "dma_copy",
        "dst_rmw_op",
        "accumulate with nisa.dma_compute(dst, [src, dst], reduce_op=nl.add)",
    ),
    (
        "dma_copy",
        "unique_indices",
        "it belongs to nisa.dma_compute(dst, [src, dst], reduce_op=nl.add, unique_indices=True)",
    ),
    (
        "sendrecv",
        "use_gpsimd_dma",
        "write dma_engine=nisa.dma_engine.gpsimd_dma, or nisa.dma_engine.dma for False",
    ),
];

/// Parameters whose place changed: the instruction, the parameter that then gets the wrong value, the order of today.
static ORDERS: &[(&str, &str, &str)] = &[
    (
        "dma_compute",
        "reduce_op",
        "since NKI 0.3.0 the order is nisa.dma_compute(dst, srcs, reduce_op, scales=None, unique_indices=True)",
    ),
    (
        "affine_select",
        "on_true_tile",
        "since NKI 0.3.0 the order is nisa.affine_select(dst, pattern, channel_multiplier, on_true_tile, on_false_value, offset=0)",
    ),
];

/// Rejects keywords that instructions no longer take.
///
/// # Errors
/// The first one, with the rewrite.
pub fn check_keywords(entry: &Entry, call: &CallArgs) -> Result<()> {
    let op = entry.spec.name;
    for (keyword, arg) in &call.keywords {
        let row = KEYWORDS
            .iter()
            .find(|(owner, old, _)| *old == &**keyword && (owner.is_empty() || *owner == op));
        if let Some((_, old, instead)) = row {
            let message = format!("{op}(): the keyword '{old}' was removed");
            return Err(Raised::argument_error(message).at(arg.span).hint(*instead));
        }
    }
    Ok(())
}

/// Adds the order of today to a fault of an argument whose place changed.
#[must_use]
pub fn explain_order(entry: &Entry, fault: Fault) -> Fault {
    let op = entry.spec.name;
    let row = ORDERS
        .iter()
        .find(|(owner, param, _)| *owner == op && fault.param == Some(*param) && fault.code == Code::Type);
    match row {
        Some((_, _, order)) => fault.hint(*order),
        None => fault,
    }
}

/// Says where results go, if a call leaves out the destination as the instructions of NKI 0.1 did.
#[must_use]
pub fn explain_destination(entry: &Entry, call: &CallArgs, fault: Fault) -> Fault {
    if fault.code != Code::Argument || call.positional.is_empty() || !lacks_destination(entry, call) {
        return fault;
    }
    let op = entry.spec.name;
    Fault {
        hints: Vec::new(),
        ..fault
    }
    .hint(format!(
        "instructions return no tile; allocate one and pass it first: nisa.{op}(dst, ...)"
    ))
}
