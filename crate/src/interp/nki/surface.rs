//! The list of every `nki.*` name that works, gathered from the tables that define the names.

use crate::interp::builtin::Builtin;
use crate::numerics::dtype::Dtype;

use super::member::{ENUMS, TILE_SIZES};
use super::{COLLECTIVES, TYPING, changes, isa, language, launch, tensor};

/// What a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A function.
    Function,
    /// A class.
    Class,
    /// A method of a class.
    Method,
    /// An enumeration.
    Enum,
    /// A member of an enumeration, or an attribute of a class.
    Member,
    /// Anything else that has a value: a memory, a token for `op=`.
    Constant,
    /// A number format.
    Dtype,
}

impl Kind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Class => "class",
            Self::Method => "method",
            Self::Enum => "enum",
            Self::Member => "member",
            Self::Constant => "constant",
            Self::Dtype => "dtype",
        }
    }
}

/// One line of the listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Api {
    /// The dotted name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The parameters in parentheses, for what can be called.
    pub signature: String,
    /// The value as Python writes it, for members of enumerations.
    pub value: Option<String>,
    /// The documentation.
    pub doc: &'static str,
}

/// A line without parameters.
fn plain(name: String, kind: Kind, doc: &'static str) -> Api {
    Api {
        name,
        kind,
        signature: String::new(),
        value: None,
        doc,
    }
}

/// A line of a row.
fn callable(owner: &str, kind: Kind, row: &'static Builtin) -> Api {
    Api {
        signature: row.signature.to_owned(),
        ..plain(format!("{owner}.{}", row.name), kind, row.doc)
    }
}

/// Functions of every module.
fn functions(all: &mut Vec<Api>) {
    for entry in crate::isa::CATALOG {
        let name = format!("nki.isa.{}", entry.spec.name);
        // The front end makes registers itself, beside the row of the catalog.
        if isa::ROWS.iter().any(|row| row.name == entry.spec.name) {
            continue;
        }
        all.push(Api {
            signature: isa::signature(entry),
            ..plain(name, Kind::Function, entry.spec.doc)
        });
    }
    let tables: [(&str, &[&'static [Builtin]]); 4] = [
        ("nki", &[launch::ROWS]),
        ("nki.isa", &[isa::ROWS]),
        ("nki.collectives", &[COLLECTIVES]),
        ("nki.language", language::TABLES),
    ];
    for (module, tables) in tables {
        let rows = tables.iter().copied().flatten();
        all.extend(rows.map(|row| callable(module, Kind::Function, row)));
    }
}

/// Enumerations and their members.
fn enums(all: &mut Vec<Api>) {
    for row in ENUMS {
        let owner = format!("{}.{}", row.module, row.name);
        for member in row.members {
            all.push(Api {
                value: Some(member.raw.spell()),
                ..plain(format!("{owner}.{}", member.name), Kind::Member, member.doc)
            });
        }
        all.push(plain(owner, Kind::Enum, row.doc));
    }
}

/// A class with its methods.
fn class(all: &mut Vec<Api>, owner: &str, doc: &'static str, methods: &'static [Builtin]) {
    all.push(plain(owner.to_owned(), Kind::Class, doc));
    all.extend(methods.iter().map(|row| callable(owner, Kind::Method, row)));
}

/// Classes, their methods and attributes.
fn classes(all: &mut Vec<Api>) {
    let tensor = "nki.language.NkiTensor";
    class(
        all,
        tensor,
        "A tensor in one of the device memories: a strided view of a storage.",
        tensor::METHODS,
    );
    for (name, doc) in tensor::ATTRIBUTES {
        all.push(plain(format!("{tensor}.{name}"), Kind::Member, doc));
    }
    class(
        all,
        "nki.language.NKIObject",
        "Base of classes that kernels use; the classes that derive from it are data classes.",
        language::OBJECT_METHODS,
    );
    class(
        all,
        "nki.isa.NkiInstruction",
        "The handle that a function of `nki.isa` returns.",
        super::register::INSTRUCTION_METHODS,
    );
    class(
        all,
        "nki.isa.VirtualRegister",
        "A 32-bit register of the sequencers; its value is known at run time only.",
        super::register::REGISTER_METHODS,
    );
    class(
        all,
        "nki.isa.NkiValidationError",
        "Raised where an instruction breaks a rule of the hardware.",
        &[],
    );
    class(
        all,
        "nki.language._TileSize",
        "The class of `nl.tile_size`: sizes that tiles of the target have at most.",
        &[],
    );
    for figure in TILE_SIZES {
        let signature = if figure.property { "(self)" } else { "" };
        all.push(Api {
            signature: signature.to_owned(),
            ..plain(
                format!("nki.language._TileSize.{}", figure.name),
                Kind::Member,
                figure.doc,
            )
        });
        all.push(plain(
            format!("nki.language.tile_size.{}", figure.name),
            Kind::Member,
            figure.doc,
        ));
    }
}

/// Dtypes, memories, tokens for `op=` and older engine constants.
fn constants(all: &mut Vec<Api>) {
    for &dtype in Dtype::ALL {
        let info = dtype.info();
        if !info.host_only {
            all.push(plain(format!("nki.language.{}", info.name), Kind::Dtype, info.doc));
        }
    }
    for row in language::CONSTANTS {
        all.push(plain(format!("nki.language.{}", row.0), Kind::Constant, row.1));
    }
    for row in language::math::TOKEN_ROWS {
        all.push(plain(format!("nki.language.{}", row.name), Kind::Constant, row.doc));
    }
    for (name, _) in changes::ENGINES {
        let doc = "An engine under its older name; `nisa.engine` has the members.";
        all.push(plain(format!("nki.isa.{name}"), Kind::Constant, doc));
    }
    for (name, doc) in TYPING {
        all.push(plain(format!("nki.typing.{name}"), Kind::Constant, doc));
    }
}

/// Every name of the API that works, sorted.
pub fn api() -> Vec<Api> {
    let mut all = Vec::new();
    functions(&mut all);
    enums(&mut all);
    classes(&mut all);
    constants(&mut all);
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}
