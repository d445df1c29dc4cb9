//! The part of Python that scripts find without NumPy and NKI: built-in functions, methods, and standard modules.
//!
//! Modules that are short in Python are written in Python, in `lib/`; they are parsed when a script imports them.

use crate::interp::Interp;
use crate::interp::NativeModule;
use crate::interp::builtin::Builtin;
use crate::interp::object::TypeTag;
use crate::interp::value::Value;

mod builtins;
mod constructors;
mod containers;
mod copying;
pub mod dataclasses;
mod enums;
pub(crate) mod format;
mod functools;
mod iterators;
mod itertools;
mod math;
mod modules;
mod named_tuple;
mod strings;
pub(crate) mod templates;
mod views;

/// Standard modules that are written in Python.
pub const LIBRARY: &[(&str, &str)] = &[
    ("abc", include_str!("lib/abc.py")),
    ("argparse", include_str!("lib/argparse.py")),
    ("collections", include_str!("lib/collections.py")),
    ("collections.abc", include_str!("lib/collections_abc.py")),
    ("contextlib", include_str!("lib/contextlib.py")),
    ("copy", include_str!("lib/copy.py")),
    ("inspect", include_str!("lib/inspect.py")),
    ("logging", include_str!("lib/logging.py")),
    ("numbers", include_str!("lib/numbers.py")),
    ("os", include_str!("lib/os.py")),
    ("os.path", include_str!("lib/os_path.py")),
    ("pkgutil", include_str!("lib/pkgutil.py")),
    ("string", include_str!("lib/string.py")),
    ("time", include_str!("lib/time.py")),
    ("types", include_str!("lib/types.py")),
    ("typing", include_str!("lib/typing.py")),
    ("typing_extensions", include_str!("lib/typing.py")),
    ("warnings", include_str!("lib/warnings.py")),
    ("__future__", include_str!("lib/future.py")),
];

/// The text of a standard module that is written in Python.
pub fn library(name: &str) -> Option<&'static str> {
    LIBRARY.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The methods of a built-in type.
pub fn methods(tag: TypeTag) -> &'static [Builtin] {
    match tag {
        TypeTag::Str => strings::STR_METHODS,
        TypeTag::List => containers::LIST_METHODS,
        TypeTag::Dict => containers::DICT_METHODS,
        TypeTag::Range => containers::RANGE_METHODS,
        TypeTag::Tuple => containers::TUPLE_METHODS,
        TypeTag::Set | TypeTag::Frozenset => containers::SET_METHODS,
        TypeTag::Int | TypeTag::Bool => constructors::INT_METHODS,
        TypeTag::Float => constructors::FLOAT_METHODS,
        TypeTag::Property => constructors::PROPERTY_METHODS,
        TypeTag::Slice => constructors::SLICE_METHODS,
        TypeTag::Iterator => iterators::ITERATOR_METHODS,
        _ => &[],
    }
}

/// Adds the built-in names and standard modules to a new context.
pub(crate) fn install(cx: &mut Interp) {
    for row in builtins::ROWS {
        cx.builtins.insert(row.name.to_owned(), Value::Builtin(row));
    }
    constructors::install(cx);
    cx.builtins.insert("NotImplemented".to_owned(), Value::NotImplemented);
    cx.builtins.insert("Ellipsis".to_owned(), Value::Ellipsis);
    cx.builtins.insert("__debug__".to_owned(), Value::Bool(true));
    let modules: [&[NativeModule]; 3] = [dataclasses::MODULES, enums::MODULES, modules::MODULES];
    modules.into_iter().flatten().for_each(|module| cx.register(*module));
}
