//! `nki.isa`: every row of the instruction catalog becomes a function.

use crate::base::diag::{Fault, Fix};
use crate::base::span::Span;
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{Builtin, CallArgs, NOWHERE};
use crate::interp::convert;
use crate::interp::native::{Answer, NativeObject};
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::scope::ModuleId;
use crate::interp::value::Value;
use crate::isa::CATALOG;
use crate::isa::args::Args;
use crate::isa::spec::{Entry, OpSpec};

use super::member::{ENUMS, TypeMarker, enum_class, member};
use super::register::{self, NkiInstruction, register_alloc};
use super::tracing::{chip, deprecated, shared, tracing};
use super::{changes, legacy};

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

/// Classes of `nki.isa` whose objects are native, with their methods.
pub static CLASSES: &[(&str, &[Builtin])] = &[
    ("NkiInstruction", register::INSTRUCTION_METHODS),
    ("VirtualRegister", register::REGISTER_METHODS),
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
            return Err(Raised::unimplemented(format!(
                "nki.isa.{} is not modelled yet",
                self.name
            )));
        };
        if self.legacy {
            return legacy::calls::call(cx, entry, args).map(Some);
        }
        issue(cx, entry, &args).map(Some)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn repr(&self, _cx: &mut Interp) -> Result<String> {
        Ok(format!("<function nki.isa.{}>", self.name))
    }
}

/// Binds, checks and appends one instruction; gives its handle.
///
/// # Errors
/// What binding or a hardware rule says, at the argument concerned.
pub fn issue(cx: &mut Interp, entry: &'static Entry, call: &CallArgs) -> Result<Value> {
    let name = entry.spec.name;
    changes::check_keywords(entry, call)?;
    register::check_frozen(entry, call)?;
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
    let (generation, region) = (tracing.generation, tracing.regions.innermost());
    match tracing.builder.call(entry, &args, loc) {
        Ok(inst) => Ok(Value::native(NkiInstruction {
            inst,
            generation,
            region,
        })),
        Err(fault) => Err(point(cx, entry, call, changes::explain_order(entry, fault))),
    }
}

/// The fault at the argument that it names.
fn point(cx: &Interp, entry: &Entry, call: &CallArgs, mut fault: Fault) -> Raised {
    let span = fault.param.take().and_then(|param| argument_span(entry, call, param));
    let fixes = fixes(cx, entry.spec, call, &fault);
    let mut raised = Raised::from(fault);
    raised.0.fixes = fixes;
    match span {
        Some(span) => raised.at(span),
        None => raised,
    }
}

/// The rewrites of a fault as edits of the call.
fn fixes(cx: &Interp, spec: &'static OpSpec, call: &CallArgs, fault: &Fault) -> Vec<Fix> {
    let (Some(span), false) = (call.span, fault.mends.is_empty()) else {
        return Vec::new();
    };
    let allocation = |loc| cx.locs().get(loc).map(|place| place.span);
    let site = spec.site(span);
    let fixes = fault.mends.iter().map(|mend| mend.fix(&cx.sources, &site, allocation));
    fixes.flatten().collect()
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
    for name in PUBLISHED.iter().copied().chain(extra) {
        let entry = crate::isa::entry(name);
        cx.define(module, name, Value::native(Instruction { name, entry, legacy }));
    }
    for row in ENUMS.iter().filter(|row| row.module == "nki.isa") {
        let class = enum_class(cx, row.name);
        cx.define(module, row.name, class);
    }
    for (name, methods) in CLASSES.iter().copied() {
        let marker = shared(cx, name, || Value::native(TypeMarker { name, methods }));
        cx.define(module, name, marker);
    }
    let failure = cx.exception_class(Exception::NkiValidationError);
    cx.define(module, "NkiValidationError", failure);
    cx.define_rows(module, ROWS);
    if legacy {
        for &(name, engine) in changes::ENGINES {
            cx.define(module, name, member("engine", engine));
        }
    } else {
        cx.when_missing(module, changes::of_isa);
    }
}

builtin! {
    /// Functions of `nki.isa` that are no instructions.
    pub ROWS;
    /// The revision of the silicon within its generation. Only first revisions, 0, are described here.
    "get_nc_sub_version" "()" => |_cx, _args| Ok(Value::Int(0));
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
