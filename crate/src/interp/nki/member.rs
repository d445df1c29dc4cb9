//! Enumerations of the API, memory regions and `nl.tile_size`.

use std::rc::Rc;

use crate::chip::Chip;
use crate::interp::Interp;
use crate::interp::native::{Answer, Items, NativeObject, PyIterator};
use crate::interp::raised::Result;
use crate::interp::value::Value;
use crate::syntax::ast::CompareOp;
use crate::tensor::buffer::Space;

use super::tracing::{chip, deprecated, shared};

/// The number or text behind a member, as `.value` gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raw {
    /// A number.
    Int(i64),
    /// A text.
    Text(&'static str),
}

impl Raw {
    fn value(self) -> Value {
        match self {
            Self::Int(number) => Value::Int(number),
            Self::Text(text) => Value::str(text),
        }
    }
}

/// The table of enumerations: class, members and their values.
type Table = &'static [(&'static str, &'static [(&'static str, Raw)])];

/// Every enumeration of `nki.isa` and `nki.language`.
pub static ENUMS: Table = &[
    (
        "engine",
        &[
            ("tensor", Raw::Int(1)),
            ("vector", Raw::Int(5)),
            ("scalar", Raw::Int(2)),
            ("gpsimd", Raw::Int(3)),
            ("dma", Raw::Int(4)),
            ("sync", Raw::Int(6)),
            ("unknown", Raw::Int(0)),
        ],
    ),
    (
        "reduce_cmd",
        &[
            ("idle", Raw::Int(0)),
            ("reset", Raw::Int(1)),
            ("reduce", Raw::Int(2)),
            ("reset_reduce", Raw::Int(3)),
            ("load_reduce", Raw::Int(4)),
        ],
    ),
    (
        "dge_mode",
        &[
            ("unknown", Raw::Int(0)),
            ("swdge", Raw::Int(1)),
            ("hwdge", Raw::Int(2)),
            ("none", Raw::Int(3)),
        ],
    ),
    ("oob_mode", &[("error", Raw::Int(0)), ("skip", Raw::Int(1))]),
    (
        "matmul_perf_mode",
        &[("none", Raw::Text("none")), ("double_row", Raw::Text("double_row"))],
    ),
    (
        "nc_version",
        &[("gen2", Raw::Int(2)), ("gen3", Raw::Int(3)), ("gen4", Raw::Int(4))],
    ),
    ("dma_engine", &[("dma", Raw::Int(1)), ("gpsimd_dma", Raw::Int(2))]),
    (
        "MemoryRegion",
        &[
            ("sbuf", Raw::Text("sbuf")),
            ("psum", Raw::Text("psum")),
            ("private_hbm", Raw::Text("private_hbm")),
            ("shared_hbm", Raw::Text("shared_hbm")),
        ],
    ),
];

/// An enumeration.
pub struct EnumClass {
    /// Its name.
    pub name: &'static str,
    members: &'static [(&'static str, Raw)],
}

/// A member of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name of the enumeration.
    pub class: &'static str,
    /// Its own name.
    pub name: &'static str,
    /// What stands behind it.
    pub raw: Raw,
}

/// The enumeration called `name`, the same object everywhere.
pub fn enum_class(cx: &mut Interp, name: &'static str) -> Value {
    shared(cx, name, || {
        let members = ENUMS
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(&[][..], |(_, members)| *members);
        Value::native(EnumClass { name, members })
    })
}

/// The member `class.name`.
pub fn member(class: &'static str, name: &str) -> Value {
    let members = ENUMS
        .iter()
        .find(|(known, _)| *known == class)
        .map_or(&[][..], |(_, members)| *members);
    let found = members.iter().find(|(known, _)| *known == name);
    found.map_or(Value::None, |&(name, raw)| Value::native(Member { class, name, raw }))
}

/// The memory that a value of `buffer=` names.
pub fn space(value: &Value) -> Option<Space> {
    let member = value
        .downcast::<Member>()
        .filter(|member| member.class == "MemoryRegion")?;
    [Space::Sbuf, Space::Psum, Space::Hbm, Space::SharedHbm]
        .into_iter()
        .find(|space| space.name() == member.name)
}

/// The value that names a memory.
pub fn region(space: Space) -> Value {
    member("MemoryRegion", space.name())
}

impl NativeObject for EnumClass {
    fn type_name(&self) -> &str {
        "EnumType"
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        if name == "__name__" {
            return Ok(Some(Value::str(self.name)));
        }
        Ok(Some(member(self.name, name)).filter(|found| !found.is_none()))
    }

    fn attribute_names(&self) -> Vec<String> {
        self.members.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    fn call(&self, _cx: &mut Interp, args: crate::interp::builtin::CallArgs) -> Answer {
        let wanted = args.positional.first().map(|arg| arg.value.clone());
        let found = self.members.iter().find(|(_, raw)| match (raw, &wanted) {
            (Raw::Int(number), Some(value)) => value.as_int() == Some(*number),
            (Raw::Text(text), Some(value)) => value.as_str() == Some(text),
            (_, None) => false,
        });
        Ok(found.map(|(name, _)| member(self.name, name)))
    }

    fn iter(&self, _cx: &mut Interp) -> Result<Option<Box<dyn PyIterator>>> {
        let items: Vec<Value> = self.members.iter().map(|(name, _)| member(self.name, name)).collect();
        Ok(Some(Box::new(Items(items.into_iter()))))
    }

    fn repr(&self, _cx: &mut Interp) -> Result<String> {
        Ok(format!("<enum '{}'>", self.name))
    }

    fn has_instance(&self, _cx: &mut Interp, value: &Value) -> Option<bool> {
        Some(
            value
                .downcast::<Member>()
                .is_some_and(|member| member.class == self.name),
        )
    }
}

impl NativeObject for Member {
    fn type_name(&self) -> &str {
        self.class
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        Ok(match name {
            "name" => Some(Value::str(self.name)),
            "value" => Some(self.raw.value()),
            _ => None,
        })
    }

    fn attribute_names(&self) -> Vec<String> {
        vec!["name".to_owned(), "value".to_owned()]
    }

    fn compare(&self, _cx: &mut Interp, op: CompareOp, other: &Value) -> Answer {
        let equal = other.downcast::<Self>() == Some(self);
        let ordered = match (self.raw, other.downcast::<Self>().map(|member| member.raw)) {
            // Generations are ordered: `nisa.get_nc_version() >= nisa.nc_version.gen3`.
            (Raw::Int(left), Some(Raw::Int(right))) if self.class == "nc_version" => Some((left, right)),
            _ => None,
        };
        let answer = match op {
            CompareOp::Eq => Some(equal),
            CompareOp::Ne => Some(!equal),
            CompareOp::Lt => ordered.map(|(left, right)| left < right),
            CompareOp::Le => ordered.map(|(left, right)| left <= right),
            CompareOp::Gt => ordered.map(|(left, right)| left > right),
            CompareOp::Ge => ordered.map(|(left, right)| left >= right),
            _ => None,
        };
        Ok(answer.map(Value::Bool))
    }

    fn key(&self) -> Option<String> {
        Some(format!("{}.{}", self.class, self.name))
    }

    fn repr(&self, _cx: &mut Interp) -> Result<String> {
        Ok(format!(
            "<{}.{}: {}>",
            self.class,
            self.name,
            match self.raw {
                Raw::Int(number) => number.to_string(),
                Raw::Text(text) => format!("'{text}'"),
            }
        ))
    }

    fn str(&self, _cx: &mut Interp) -> Result<String> {
        Ok(format!("{}.{}", self.class, self.name))
    }
}

/// `nl.tile_size`.
pub struct TileSize;

/// Bytes of an FP32 element, in which several limits of `nl.tile_size` count.
const FP32_BYTES: u64 = 4;

/// A name of `nl.tile_size` and how its figure is read off the chip.
pub type Figure = (&'static str, fn(&Chip) -> u64);

/// Names and figures of `nl.tile_size`; the figures come from the chip.
pub static TILE_SIZES: &[Figure] = &[
    ("pmax", |chip| u64::from(chip.memory.partitions.get())),
    ("psum_fmax", |chip| chip.memory.psum_bank_bytes.get().0 / FP32_BYTES),
    ("psum_bank_fmax", |chip| {
        chip.memory.psum_bank_bytes.get().0 / FP32_BYTES
    }),
    ("psum_bank_fmax_bytes", |chip| chip.memory.psum_bank_bytes.get().0),
    ("gemm_stationary_fmax", |chip| {
        u64::from(chip.engines.stationary_fmax.get())
    }),
    // The API keeps one PSUM bank of FP32 as its tile width on every generation.
    ("gemm_moving_fmax", |chip| {
        chip.memory.psum_bank_bytes.get().0 / FP32_BYTES
    }),
    ("bn_stats_fmax", |chip| chip.memory.psum_bank_bytes.get().0 / FP32_BYTES),
    ("psum_min_align", |_| FP32_BYTES),
    ("sbuf_min_align", |_| 1),
    ("psum_num_banks", |chip| u64::from(chip.memory.psum_banks.get())),
    ("sbuf_size_bytes", |chip| {
        u64::from(chip.memory.partitions.get()) * chip.memory.sbuf_partition_bytes.get().0
    }),
    ("sbuf_fmax", |chip| chip.memory.sbuf_usable_bytes.get().0 / FP32_BYTES),
    ("sbuf_fmax_bytes", |chip| chip.memory.sbuf_usable_bytes.get().0),
    ("total_available_sbuf_size", |chip| {
        chip.memory.sbuf_usable_bytes.get().0
    }),
];

impl NativeObject for TileSize {
    fn type_name(&self) -> &str {
        "_TileSize"
    }

    fn getattr(&self, cx: &mut Interp, name: &str) -> Answer {
        match name {
            "psum_fmax" => deprecated(
                cx,
                None,
                "nl.tile_size.psum_fmax is deprecated",
                "use nl.tile_size.psum_bank_fmax",
            ),
            "total_available_sbuf_size" => {
                let hint = "use nl.tile_size.sbuf_fmax_bytes for one partition, sbuf_size_bytes for all";
                deprecated(cx, None, "nl.tile_size.total_available_sbuf_size is deprecated", hint);
            }
            _ => {}
        }
        let chip = chip(cx);
        let found = TILE_SIZES.iter().find(|(known, _)| *known == name);
        Ok(found.map(|(_, figure)| Value::Int(figure(chip) as i64)))
    }

    fn attribute_names(&self) -> Vec<String> {
        TILE_SIZES.iter().map(|(name, _)| (*name).to_owned()).collect()
    }
}

/// `nl.NKIObject` and other classes of the API that scripts use as base classes or in `isinstance`.
pub struct TypeMarker(pub Rc<str>);

impl NativeObject for TypeMarker {
    fn type_name(&self) -> &str {
        "type"
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        Ok((name == "__name__").then(|| Value::Str(self.0.clone())))
    }

    fn has_instance(&self, _cx: &mut Interp, value: &Value) -> Option<bool> {
        Some(match value {
            Value::Native(object) => object.is_a(&self.0),
            _ => false,
        })
    }
}
