//! Enumerations of the API, memory regions and `nl.tile_size`.

use crate::chip::Chip;
use crate::interp::Interp;
use crate::interp::builtin::{Arg, Builtin, CallArgs, NOWHERE};
use crate::interp::native::{Answer, Items, NativeObject, PyIterator};
use crate::interp::raised::{Raised, Result};
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

    /// As Python writes it.
    pub fn spell(self) -> String {
        match self {
            Self::Int(number) => number.to_string(),
            Self::Text(text) => format!("'{text}'"),
        }
    }
}

/// A member of an enumeration, as its row declares it.
pub struct MemberRow {
    /// Its name.
    pub name: &'static str,
    /// What stands behind it.
    pub raw: Raw,
    /// What it means.
    pub doc: &'static str,
}

/// An enumeration of the API.
pub struct EnumRow {
    /// The module that has it.
    pub module: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What its members choose.
    pub doc: &'static str,
    /// Its members in order.
    pub members: &'static [MemberRow],
}

/// A row of a member.
const fn row(name: &'static str, raw: Raw, doc: &'static str) -> MemberRow {
    MemberRow { name, raw, doc }
}

/// Every enumeration of `nki.isa` and `nki.language`.
pub static ENUMS: &[EnumRow] = &[
    EnumRow {
        module: "nki.isa",
        name: "engine",
        doc: "The engines of a NeuronCore.",
        members: &[
            row("tensor", Raw::Int(1), "Matrix multiplications and transposes."),
            row(
                "vector",
                Raw::Int(5),
                "Arithmetic on two tiles, reductions and selections.",
            ),
            row("scalar", Raw::Int(2), "Activation functions."),
            row(
                "gpsimd",
                Raw::Int(3),
                "Exact integers, random numbers, and what moves data across partitions.",
            ),
            row("dma", Raw::Int(4), "The queues that move data between memories."),
            row("sync", Raw::Int(6), "Triggers of transfers and barriers."),
            row("unknown", Raw::Int(0), "The compiler chooses."),
        ],
    },
    EnumRow {
        module: "nki.isa",
        name: "reduce_cmd",
        doc: "What an instruction does to the accumulation registers of its engine.",
        members: &[
            row("idle", Raw::Int(0), "Leaves them alone."),
            row("reset", Raw::Int(1), "Sets them to the neutral value."),
            row("reduce", Raw::Int(2), "Accumulates on top of them."),
            row(
                "reset_reduce",
                Raw::Int(3),
                "Sets them to the neutral value, then accumulates.",
            ),
            row("load_reduce", Raw::Int(4), "Loads a given value, then accumulates."),
        ],
    },
    EnumRow {
        module: "nki.isa",
        name: "dge_mode",
        doc: "Who makes the descriptors of a DMA.",
        members: &[
            row("unknown", Raw::Int(0), "The compiler chooses."),
            row("swdge", Raw::Int(1), "Software on GpSimd."),
            row("hwdge", Raw::Int(2), "The hardware block (NeuronCore-v3 on)."),
            row("none", Raw::Int(3), "The runtime, before the kernel starts."),
        ],
    },
    EnumRow {
        module: "nki.isa",
        name: "oob_mode",
        doc: "What happens to a run-time index that is out of bounds.",
        members: &[
            row("error", Raw::Int(0), "The run stops."),
            row("skip", Raw::Int(1), "The access is left out."),
        ],
    },
    EnumRow {
        module: "nki.isa",
        name: "matmul_perf_mode",
        doc: "Fast modes of the Tensor Engine.",
        members: &[
            row("none", Raw::Text("none"), "One row for each processing element."),
            row(
                "double_row",
                Raw::Text("double_row"),
                "Two FP8 rows for each processing element.",
            ),
        ],
    },
    EnumRow {
        module: "nki.isa",
        name: "nc_version",
        doc: "Generations of the NeuronCore; they are ordered.",
        members: &[
            row("gen2", Raw::Int(2), "Trainium 1 and Inferentia 2."),
            row("gen3", Raw::Int(3), "Trainium 2."),
            row("gen4", Raw::Int(4), "Trainium 3."),
        ],
    },
    EnumRow {
        module: "nki.isa",
        name: "dma_engine",
        doc: "Which engines carry an exchange between two cores.",
        members: &[
            row("dma", Raw::Int(1), "The shared DMA engines."),
            row(
                "gpsimd_dma",
                Raw::Int(2),
                "The DMA engine inside GpSimd, for small tiles in SBUF.",
            ),
        ],
    },
    EnumRow {
        module: "nki.language",
        name: "MemoryRegion",
        doc: "The memories that a tensor can be in.",
        members: &[
            row("sbuf", Raw::Text("sbuf"), "The state buffer of a core."),
            row("psum", Raw::Text("psum"), "The accumulation buffer of a core."),
            row(
                "private_hbm",
                Raw::Text("private_hbm"),
                "Device memory that one program sees.",
            ),
            row(
                "shared_hbm",
                Raw::Text("shared_hbm"),
                "Device memory that all programs of a launch see.",
            ),
        ],
    },
];

/// The enumeration called `name`.
fn enum_row(name: &str) -> Option<&'static EnumRow> {
    ENUMS.iter().find(|row| row.name == name)
}

/// An enumeration.
pub struct EnumClass {
    /// Its name.
    pub name: &'static str,
    members: &'static [MemberRow],
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
        let members = enum_row(name).map_or(&[][..], |row| row.members);
        Value::native(EnumClass { name, members })
    })
}

/// The member `class.name`.
pub fn member(class: &'static str, name: &str) -> Value {
    let members = enum_row(class).map_or(&[][..], |row| row.members);
    let found = members.iter().find(|row| row.name == name);
    found.map_or(Value::None, |row| {
        let (name, raw) = (row.name, row.raw);
        Value::native(Member { class, name, raw })
    })
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
        self.members.iter().map(|row| row.name.to_owned()).collect()
    }

    fn call(&self, _cx: &mut Interp, args: CallArgs) -> Answer {
        let wanted = args.positional.first().map(|arg| arg.value.clone());
        let found = self.members.iter().find(|row| match (row.raw, &wanted) {
            (Raw::Int(number), Some(value)) => value.as_int() == Some(number),
            (Raw::Text(text), Some(value)) => value.as_str() == Some(text),
            (_, None) => false,
        });
        Ok(found.map(|row| member(self.name, row.name)))
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn iter(&self, _cx: &mut Interp) -> Result<Option<Box<dyn PyIterator>>> {
        let items: Vec<Value> = self.members.iter().map(|row| member(self.name, row.name)).collect();
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
        Ok(format!("<{}.{}: {}>", self.class, self.name, self.raw.spell()))
    }

    fn str(&self, _cx: &mut Interp) -> Result<String> {
        Ok(format!("{}.{}", self.class, self.name))
    }
}

/// `nl.tile_size`.
pub struct TileSize;

/// Bytes of an FP32 element, in which several limits of `nl.tile_size` count.
const FP32_BYTES: u64 = 4;

/// A name of `nl.tile_size`.
pub struct Figure {
    /// Its name.
    pub name: &'static str,
    /// What it counts.
    pub doc: &'static str,
    /// How it is read off the chip.
    pub of: fn(&Chip) -> u64,
    /// Whether the reference declares it as a property.
    pub property: bool,
    /// What to use instead, if the name is deprecated.
    pub instead: Option<&'static str>,
}

/// A figure that is a plain attribute.
const fn figure(name: &'static str, doc: &'static str, of: fn(&Chip) -> u64) -> Figure {
    Figure {
        name,
        doc,
        of,
        property: false,
        instead: None,
    }
}

impl Figure {
    /// The same figure, declared as a property.
    const fn property(mut self) -> Self {
        self.property = true;
        self
    }

    /// The same figure under a name that is deprecated.
    const fn deprecated(mut self, instead: &'static str) -> Self {
        self.instead = Some(instead);
        self
    }
}

/// The elements of a PSUM bank in FP32.
fn bank_elements(chip: &Chip) -> u64 {
    chip.memory.psum_bank_bytes.get().0 / FP32_BYTES
}

/// The bytes of a partition of SBUF that kernels can use.
fn usable_bytes(chip: &Chip) -> u64 {
    chip.memory.sbuf_usable_bytes.get().0
}

/// Names and figures of `nl.tile_size`; the figures come from the chip.
pub static TILE_SIZES: &[Figure] = &[
    figure("pmax", "Partitions that a tile has at most.", |chip| {
        u64::from(chip.memory.partitions.get())
    }),
    figure(
        "psum_fmax",
        "FP32 elements of a PSUM bank in one partition.",
        bank_elements,
    )
    .deprecated("nl.tile_size.psum_bank_fmax"),
    figure(
        "psum_bank_fmax",
        "FP32 elements of a PSUM bank in one partition.",
        bank_elements,
    ),
    figure(
        "psum_bank_fmax_bytes",
        "Bytes of a PSUM bank in one partition.",
        |chip| chip.memory.psum_bank_bytes.get().0,
    ),
    figure(
        "gemm_stationary_fmax",
        "Columns that a stationary operand has at most.",
        |chip| u64::from(chip.engines.stationary_fmax.get()),
    ),
    // The API keeps one PSUM bank of FP32 as its tile width on every generation.
    figure(
        "gemm_moving_fmax",
        "Columns that a moving operand of FP32 results has at most in one bank.",
        bank_elements,
    ),
    figure(
        "bn_stats_fmax",
        "Elements in a partition that `nisa.bn_stats` takes at most.",
        bank_elements,
    ),
    figure(
        "psum_min_align",
        "Bytes that an address in a PSUM partition is a multiple of.",
        |_| FP32_BYTES,
    ),
    figure(
        "sbuf_min_align",
        "Bytes that an address in an SBUF partition is a multiple of.",
        |_| 1,
    ),
    figure("psum_num_banks", "Banks of a PSUM partition.", |chip| {
        u64::from(chip.memory.psum_banks.get())
    })
    .property(),
    figure("sbuf_size_bytes", "Bytes of SBUF in all partitions.", |chip| {
        u64::from(chip.memory.partitions.get()) * chip.memory.sbuf_partition_bytes.get().0
    })
    .property(),
    figure("sbuf_fmax", "FP32 elements that a partition of SBUF holds.", |chip| {
        usable_bytes(chip) / FP32_BYTES
    })
    .property(),
    figure("sbuf_fmax_bytes", "Bytes that a partition of SBUF holds.", usable_bytes).property(),
    figure(
        "total_available_sbuf_size",
        "Bytes that a partition of SBUF holds.",
        usable_bytes,
    )
    .property()
    .deprecated("nl.tile_size.sbuf_fmax_bytes for one partition, nl.tile_size.sbuf_size_bytes for all"),
];

impl NativeObject for TileSize {
    fn type_name(&self) -> &str {
        "_TileSize"
    }

    fn getattr(&self, cx: &mut Interp, name: &str) -> Answer {
        let Some(figure) = TILE_SIZES.iter().find(|figure| figure.name == name) else {
            return Ok(None);
        };
        if let Some(instead) = figure.instead {
            let message = format!("nl.tile_size.{name} is deprecated");
            deprecated(cx, None, &message, &format!("use {instead}"));
        }
        Ok(Some(Value::Int((figure.of)(chip(cx)) as i64)))
    }

    fn attribute_names(&self) -> Vec<String> {
        TILE_SIZES.iter().map(|figure| figure.name.to_owned()).collect()
    }
}

/// A class of the API whose objects are native: scripts name it in annotations, in `isinstance` and at times to construct.
pub struct TypeMarker {
    /// Its name.
    pub name: &'static str,
    /// Its methods; the row `__init__` constructs.
    pub methods: &'static [Builtin],
}

impl TypeMarker {
    /// The row of a method.
    fn method(&self, name: &str) -> Option<&'static Builtin> {
        self.methods.iter().find(|row| row.name == name)
    }
}

impl NativeObject for TypeMarker {
    fn type_name(&self) -> &str {
        "type"
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        if name == "__name__" {
            return Ok(Some(Value::str(self.name)));
        }
        Ok(self.method(name).map(Value::Builtin))
    }

    fn attribute_names(&self) -> Vec<String> {
        self.methods.iter().map(|row| row.name.to_owned()).collect()
    }

    fn call(&self, cx: &mut Interp, mut args: CallArgs) -> Answer {
        let Some(row) = self.method("__init__") else {
            return Err(Raised::type_error(format!(
                "scripts make no objects of the class {}",
                self.name
            )));
        };
        let unborn = Arg {
            value: Value::None,
            span: NOWHERE,
        };
        args.positional.insert(0, unborn);
        cx.call(&Value::Builtin(row), args).map(Some)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn has_instance(&self, _cx: &mut Interp, value: &Value) -> Option<bool> {
        Some(match value {
            Value::Native(object) => object.is_a(self.name),
            _ => false,
        })
    }

    fn repr(&self, _cx: &mut Interp) -> Result<String> {
        Ok(format!("<class '{}'>", self.name))
    }
}
