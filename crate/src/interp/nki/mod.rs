//! NKI bound to the interpreter: `nki`, `nki.language`, `nki.isa`, `nki.collectives`, `nki.typing`, and the older paths below
//! `neuronxcc`.

pub mod changes;
pub mod grid;
pub mod host;
pub mod indexing;
pub mod isa;
pub mod language;
pub mod launch;
pub mod legacy;
pub mod member;
pub mod register;
pub mod session;
pub mod surface;
pub mod tensor;
pub mod tracing;

use crate::builtin;
use crate::interp::builtin::{Args, plain_type_name};
use crate::interp::native::{Answer, NativeObject};
use crate::interp::raised::{Raised, Result};
use crate::interp::scope::ModuleId;
use crate::interp::value::Value;
use crate::interp::{Interp, NativeModule};
use crate::tensor::buffer::Space;

pub use surface::{Api, api};

/// The modules, for registration with an interpreter.
pub static MODULES: &[NativeModule] = &[
    NativeModule { name: "nki", init },
    NativeModule {
        name: "nki.language",
        init: language::init,
    },
    NativeModule {
        name: "nki.isa",
        init: isa::init,
    },
    NativeModule {
        name: "nki.collectives",
        init: init_collectives,
    },
    NativeModule {
        name: "nki.typing",
        init: init_typing,
    },
    NativeModule {
        name: "neuronxcc",
        init: |_cx, _id| Ok(()),
    },
    NativeModule {
        name: "neuronxcc.nki",
        init: init_legacy,
    },
    NativeModule {
        name: "neuronxcc.nki.language",
        init: language::init_legacy,
    },
    NativeModule {
        name: "neuronxcc.nki.isa",
        init: isa::init_legacy,
    },
    NativeModule {
        name: "neuronxcc.nki.isa.constants",
        init: isa::init_legacy,
    },
    NativeModule {
        name: "neuronxcc.nki.typing",
        init: init_typing,
    },
];

fn init(cx: &mut Interp, id: ModuleId) -> Result<()> {
    cx.define_rows(id, launch::ROWS);
    cx.define(id, "__version__", Value::str("0.6.0"));
    for name in ["nki.language", "nki.isa"] {
        cx.import(name)?;
    }
    cx.when_missing(id, changes::of_nki);
    Ok(())
}

fn init_legacy(cx: &mut Interp, id: ModuleId) -> Result<()> {
    cx.define_rows(id, launch::LEGACY_ROWS);
    for name in ["neuronxcc.nki.language", "neuronxcc.nki.isa"] {
        cx.import(name)?;
    }
    Ok(())
}

fn init_collectives(cx: &mut Interp, id: ModuleId) -> Result<()> {
    cx.define_rows(id, COLLECTIVES);
    Ok(())
}

/// Names of `nki.typing` and what they say.
pub static TYPING: &[(&str, &str)] = &[
    (
        "tensor",
        "Annotates a tensor parameter; `tensor[128, 512]` gives its shape.",
    ),
    ("mutable_tensor", "Annotates a tensor parameter that the kernel writes."),
];

fn init_typing(cx: &mut Interp, id: ModuleId) -> Result<()> {
    for &(name, _) in TYPING {
        cx.define(id, name, Value::native(Annotation(name)));
    }
    Ok(())
}

/// `nki.typing.tensor[...]`: an annotation, which says nothing to the interpreter.
struct Annotation(&'static str);

impl NativeObject for Annotation {
    fn type_name(&self) -> &str {
        self.0
    }

    fn getitem(&self, _cx: &mut Interp, _index: &Value) -> Answer {
        Ok(Some(Value::native(Self(self.0))))
    }
}

/// A collective, which is not modelled yet.
fn collective(_cx: &mut Interp, args: &mut Args) -> Result<Value> {
    Err(Raised::unimplemented(format!(
        "nki.collectives.{} is not modelled yet",
        args.function()
    )))
}

builtin! {
    /// Functions of `nki.collectives`.
    pub COLLECTIVES;
    /// Reduces tensors over all ranks of a group.
    "all_reduce" "(srcs, dsts, replica_group, op, priority=None, name=None)" => collective;
    /// Gathers tensors of all ranks of a group.
    "all_gather" "(srcs, dsts, replica_group, collective_dim, priority=None, name=None)" => collective;
    /// Reduces over all ranks and leaves a part on each.
    "reduce_scatter" "(srcs, dsts, replica_group, collective_dim, op, priority=None, name=None)" => collective;
    /// Exchanges parts between all ranks.
    "all_to_all" "(srcs, dsts, replica_group, collective_dim, priority=None, name=None)" => collective;
    /// Sends tensors from rank to rank.
    "collective_permute" "(srcs, dsts, source_target_pairs, priority=None, name=None)" => collective;
    /// The rank of this program.
    "rank_id" "(name=None)" => collective;
    /// A group of ranks.
    "ReplicaGroup" "(replica_groups)" => collective;
}

/// A shape from parameter `at`: positive integers.
///
/// # Errors
/// Anything else.
pub fn convert_shape(args: &Args, at: usize) -> Result<Vec<u32>> {
    let items = match args.value(at) {
        single if single.as_int().is_some() => vec![single.clone()],
        other => other.as_items().unwrap_or_default(),
    };
    shape_of(&items).ok_or_else(|| not_a_shape(args, at, &items))
}

/// The memory that parameter `at` names.
///
/// # Errors
/// Anything that is no memory.
pub fn convert_space(args: &Args, at: usize, default: Space) -> Result<Space> {
    let Some(value) = args.some(at) else { return Ok(default) };
    if let Some(space) = member::space(value) {
        return Ok(space);
    }
    let raised = args.wrong(at, "a memory region");
    let named = value
        .as_str()
        .filter(|text| ["sbuf", "psum", "hbm", "private_hbm", "shared_hbm"].contains(text));
    Err(match named {
        Some(name) => raised.hint(format!("names of memories were removed; write nl.{name}")),
        None => raised.hint("use nl.sbuf, nl.psum, nl.private_hbm or nl.shared_hbm"),
    })
}

/// The error of a shape that [`shape_of`] does not take.
fn not_a_shape(args: &Args, at: usize, items: &[Value]) -> Raised {
    match items
        .iter()
        .filter_map(Value::as_int)
        .find(|&size| size > i64::from(u32::MAX))
    {
        Some(size) => {
            let limit = u32::MAX;
            Raised::limit(format!("a dimension of {size} elements is above the limit of {limit}"))
                .hint("spread the elements over several dimensions")
        }
        None => {
            let mut raised = args.wrong(at, "a tuple of positive integers");
            if let Some(bad) = items.iter().position(|item| item.as_int().is_none_or(|size| size < 1)) {
                let what = match items[bad].as_int() {
                    Some(size) => size.to_string(),
                    None => format!("of type {}", plain_type_name(&items[bad])),
                };
                raised.0.message = format!(
                    "{}(): dimension {bad} of the shape is {what}; limit: a positive integer",
                    args.function()
                );
            }
            raised
        }
    }
}

/// Positive integers, `par_dim` marks included.
fn shape_of(items: &[Value]) -> Option<Vec<u32>> {
    let size = |item: &Value| {
        let number = item
            .downcast::<legacy::PartitionDim>()
            .map(|mark| mark.0)
            .or_else(|| item.as_int())?;
        u32::try_from(number).ok().filter(|&size| size > 0)
    };
    let shape = items.iter().map(size).collect::<Option<Vec<_>>>()?;
    (!shape.is_empty()).then_some(shape)
}

#[cfg(test)]
mod tests;
