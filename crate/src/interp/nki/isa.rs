//! `nki.isa`: every row of the instruction catalog becomes a function.

use crate::base::diag::{Code, Fault};
use crate::base::span::Span;
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{CallArgs, NOWHERE};
use crate::interp::convert;
use crate::interp::native::{Answer, NativeObject};
use crate::interp::raised::{Raised, Result};
use crate::interp::scope::ModuleId;
use crate::interp::value::Value;
use crate::isa::CATALOG;
use crate::isa::args::Args;
use crate::isa::spec::Entry;

use super::legacy;
use super::member::{TypeMarker, enum_class, member};
use super::register::{NkiInstruction, register_alloc};
use super::tracing::{chip, deprecated, shared, tracing};

/// Instructions of the published API, in its order; those without a row say so when they are called.
pub static PUBLISHED: &[&str] = &[
    "dma_copy",
    "tensor_copy",
    "memset",
    "tensor_copy_predicated",
    "nc_matmul",
    "nc_matmul_mx",
    "nc_transpose",
    "dma_transpose",
    "tensor_tensor",
    "tensor_scalar",
    "tensor_reduce",
    "tensor_partition_reduce",
    "tensor_scalar_cumulative",
    "activation",
    "activation_reduce",
    "activate2",
    "iota",
    "affine_select",
    "local_gather",
    "nc_n_gather",
    "bn_stats",
    "bn_aggr",
    "tensor_tensor_scan",
    "nc_stream_shuffle",
    "rng",
    "dropout",
    "set_rng_seed",
    "rand_set_state",
    "rand_get_state",
    "rand2",
    "exponential",
    "reciprocal",
    "max8",
    "sequence_bounds",
    "scalar_tensor_tensor",
    "tensor_scalar_reduce",
    "core_barrier",
    "dma_compute",
    "quantize_mx",
    "range_select",
    "select_reduce",
    "sendrecv",
    "register_move",
    "register_load",
    "register_store",
    "nc_find_index8",
    "nc_match_replace8",
    "nonzero_with_count",
    "topk",
];

/// Enumerations of `nki.isa`.
static CLASSES: &[&str] = &[
    "engine",
    "reduce_cmd",
    "dge_mode",
    "oob_mode",
    "matmul_perf_mode",
    "nc_version",
    "dma_engine",
];

/// Instructions that were removed, and what replaced them.
static REMOVED: &[(&str, &str)] = &[
    (
        "tensor_copy_dynamic_src",
        "nisa.tensor_copy() with NkiTensor.ap(scalar_offset=...)",
    ),
    (
        "tensor_copy_dynamic_dst",
        "nisa.tensor_copy() with NkiTensor.ap(scalar_offset=...)",
    ),
];

/// A function of `nki.isa`.
pub struct Instruction {
    name: &'static str,
    entry: Option<&'static Entry>,
    /// Whether it is the older form that returns its result.
    legacy: bool,
}

impl NativeObject for Instruction {
    fn type_name(&self) -> &str {
        "function"
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        Ok(match name {
            "__name__" => Some(Value::str(self.name)),
            "__doc__" => self.entry.map(|entry| Value::str(entry.spec.doc)),
            _ => None,
        })
    }

    fn call(&self, cx: &mut Interp, args: CallArgs) -> Answer {
        let Some(entry) = self.entry else {
            return Err(missing(self.name));
        };
        if self.legacy && legacy::lacks_destination(entry, &args) {
            return legacy::call_returning(cx, entry, args).map(Some);
        }
        issue(cx, entry, &args).map(Some)
    }

    fn repr(&self, _cx: &mut Interp) -> Result<String> {
        Ok(format!("<function nki.isa.{}>", self.name))
    }
}

/// The error of an instruction that is not there.
fn missing(name: &str) -> Raised {
    match REMOVED.iter().find(|(removed, _)| *removed == name) {
        Some((_, instead)) => Raised::new(
            crate::interp::raised::Exception::AttributeError,
            format!("nki.isa.{name} was removed"),
        )
        .code(Code::Unsupported)
        .hint(format!("use {instead}")),
        None => Raised::unimplemented(format!("nki.isa.{name} is not modelled yet")),
    }
}

/// Binds, checks and appends one instruction; gives its handle.
///
/// # Errors
/// What binding or a hardware rule says, at the argument concerned.
pub fn issue(cx: &mut Interp, entry: &'static Entry, call: &CallArgs) -> Result<Value> {
    let name = entry.spec.name;
    let mut args = Args::default();
    args.positional.reserve(call.positional.len());
    for arg in &call.positional {
        args.positional.push(convert::arg(cx, &arg.value)?);
    }
    for (keyword, arg) in &call.keywords {
        args.keywords.push((keyword.clone(), convert::arg(cx, &arg.value)?));
    }
    for fault in args.deprecations(entry.spec) {
        let span = fault.param.and_then(|param| argument_span(entry, call, param));
        deprecated(cx, span, &fault.message, fault.hints.first().map_or("", String::as_str));
    }
    let loc = cx.loc();
    let tracing = tracing(cx, name)?;
    let generation = tracing.generation;
    match tracing.builder.call(entry, &args, loc) {
        Ok(inst) => Ok(Value::native(NkiInstruction { inst, generation })),
        Err(fault) => Err(point(entry, call, fault)),
    }
}

/// The fault at the argument that it names.
fn point(entry: &Entry, call: &CallArgs, fault: Fault) -> Raised {
    let span = fault.param.and_then(|param| argument_span(entry, call, param));
    let raised = Raised::from(Fault { param: None, ..fault });
    match span {
        Some(span) => raised.at(span),
        None => raised,
    }
}

/// Where the argument `param` was written.
fn argument_span(entry: &Entry, call: &CallArgs, param: &str) -> Option<Span> {
    let keyword = call
        .keywords
        .iter()
        .find(|(name, _)| &**name == param)
        .map(|(_, arg)| arg.span);
    let position = entry.spec.params.iter().position(|spec| spec.name == param);
    let positional = position.and_then(|at| call.positional.get(at)).map(|arg| arg.span);
    keyword.or(positional).filter(|span| *span != NOWHERE)
}

/// The signature of a row as Python writes it.
pub fn signature(entry: &Entry) -> String {
    let params = entry.spec.params.iter().map(|param| match param.default {
        Some(default) => format!("{}={}", param.name, default()),
        None => param.name.to_owned(),
    });
    let name = entry.spec.named.then(|| "name=None".to_owned());
    let all: Vec<String> = params.chain(name).collect();
    format!("({})", all.join(", "))
}

/// Fills the globals of `nki.isa`.
///
/// # Errors
/// None today; the type is that of every module.
pub fn init(cx: &mut Interp, module: ModuleId) -> Result<()> {
    define(cx, module, false);
    Ok(())
}

/// Fills the globals of `neuronxcc.nki.isa`.
///
/// # Errors
/// None today; the type is that of every module.
pub fn init_legacy(cx: &mut Interp, module: ModuleId) -> Result<()> {
    define(cx, module, true);
    Ok(())
}

fn define(cx: &mut Interp, module: ModuleId, legacy: bool) {
    let extra = CATALOG
        .iter()
        .map(|entry| entry.spec.name)
        .filter(|name| !PUBLISHED.contains(name));
    let removed = REMOVED.iter().map(|(name, _)| *name);
    for name in PUBLISHED.iter().copied().chain(extra).chain(removed) {
        let entry = crate::isa::entry(name);
        cx.define(module, name, Value::native(Instruction { name, entry, legacy }));
    }
    for name in CLASSES.iter().copied() {
        let class = enum_class(cx, name);
        cx.define(module, name, class);
    }
    for engine in ["tensor", "vector", "scalar", "gpsimd", "unknown"] {
        cx.define(module, &format!("{engine}_engine"), member("engine", engine));
    }
    for name in ["NkiInstruction", "VirtualRegister"] {
        let marker = shared(cx, name, || Value::native(TypeMarker(name.into())));
        cx.define(module, name, marker);
    }
    cx.define_rows(module, ROWS);
}

builtin! {
    /// Functions of `nki.isa` that are no instructions.
    pub ROWS;
    /// The generation of the target.
    "get_nc_version" "()" => |cx, _args| {
        let name = format!("gen{}", chip(cx).generation as u8);
        Ok(member("nc_version", &name))
    };
    /// A new register, set to `x` if that is given.
    "register_alloc" "(x=None)" => |cx, args| {
        let initial = args.value(0).clone();
        register_alloc(cx, &initial)
    };
}
