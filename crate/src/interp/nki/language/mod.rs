//! `nki.language`: functions that lower to instructions and have no semantics of their own, and the tokens that stand for
//! operators (`op=nl.add`).

pub mod create;
pub mod loops;
pub mod math;
pub mod program;
pub mod reduce;
pub mod shape;
pub mod unary;

use crate::base::diag::Fault;
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{Args, Builtin};
use crate::interp::convert::{dtype_of, dtype_value};
use crate::interp::object::TypeTag;
use crate::interp::raised::Result;
use crate::interp::scope::ModuleId;
use crate::interp::value::Value;
use crate::numerics::dtype::Dtype;
use crate::tensor::window::Window;

use super::member::{TileSize, TypeMarker, enum_class, member};
use super::tensor::NkiTensor;
use super::tracing::shared;
use super::{changes, legacy, tensor};

/// The functions of the module.
pub static TABLES: &[&[Builtin]] = &[
    create::ROWS,
    loops::ROWS,
    math::BINARY_ROWS,
    math::UNARY_ROWS,
    reduce::ROWS,
    program::ROWS,
    shape::ROWS,
];

/// Names with a value that are neither functions nor dtypes, and what they stand for.
pub static CONSTANTS: &[(&str, &str)] = &[
    ("sbuf", "The state buffer of a core."),
    ("psum", "The accumulation buffer of a core."),
    ("hbm", "Device memory that one program sees; the same as `private_hbm`."),
    ("private_hbm", "Device memory that one program sees."),
    (
        "shared_hbm",
        "Device memory that all programs of a launch see; outputs are there.",
    ),
    ("tile_size", "Sizes that tiles of the target have at most."),
    ("DType", "The type of a dtype, for annotations."),
];

builtin! {
    /// Methods of `NKIObject`.
    pub OBJECT_METHODS;
    /// Sets each keyword as an attribute.
    "__init__" "(self, **kwargs)" => |cx, args| {
        let this = args.value(0).clone();
        let fields: Vec<_> = args.keywords().iter().map(|(name, arg)| (name.clone(), arg.value.clone())).collect();
        for (name, value) in fields {
            cx.setattr(&this, &name, value)?;
        }
        Ok(Value::None)
    };
}

/// Fills the globals of `nki.language`.
///
/// # Errors
/// None today; the type is that of every module.
pub fn init(cx: &mut Interp, module: ModuleId) -> Result<()> {
    define(cx, module);
    cx.when_missing(module, changes::of_language);
    Ok(())
}

/// What both namespaces have.
fn define(cx: &mut Interp, module: ModuleId) {
    for rows in TABLES.iter().copied().chain([math::TOKEN_ROWS]) {
        cx.define_rows(module, rows);
    }
    for &dtype in Dtype::ALL {
        if !dtype.info().host_only {
            cx.define(module, dtype.name(), dtype_value(dtype));
        }
    }
    for name in ["sbuf", "psum", "private_hbm", "shared_hbm"] {
        cx.define(module, name, member("MemoryRegion", name));
    }
    cx.define(module, "hbm", member("MemoryRegion", "private_hbm"));
    let regions = enum_class(cx, "MemoryRegion");
    cx.define(module, "MemoryRegion", regions);
    cx.define(module, "tile_size", Value::native(TileSize));
    for (name, methods) in [("NkiTensor", tensor::METHODS), ("_TileSize", &[])] {
        let marker = shared(cx, name, || Value::native(TypeMarker { name, methods }));
        cx.define(module, name, marker);
    }
    let text = Value::Class(cx.type_class(TypeTag::Str));
    cx.define(module, "DType", text);
    // Classes that derive from it are data classes without a decorator.
    let object = cx.type_class(TypeTag::Object);
    let base = cx.builtin_class("NKIObject", Some(&object), TypeTag::Object, false);
    base.attrs
        .borrow_mut()
        .set(&"__auto_dataclass__".into(), Value::Bool(true));
    for row in OBJECT_METHODS {
        base.attrs.borrow_mut().set(&row.name.into(), Value::Builtin(row));
    }
    let base = shared(cx, "NKIObject", || Value::Class(base));
    cx.define(module, "NKIObject", base);
}

/// Fills the globals of `neuronxcc.nki.language`.
///
/// # Errors
/// None today; the type is that of every module.
pub fn init_legacy(cx: &mut Interp, module: ModuleId) -> Result<()> {
    define(cx, module);
    legacy::define(cx, module);
    Ok(())
}

/// The tile that parameter `at` must be.
fn tile(args: &Args, at: usize) -> Result<NkiTensor> {
    args.native::<NkiTensor>(at, "a tile").cloned()
}

/// The dtype that parameter `at` is, if it is given.
fn dtype(args: &Args, at: usize) -> Result<Option<Dtype>> {
    match args.some(at) {
        None => Ok(None),
        Some(value) => Ok(Some(
            dtype_of(value).ok_or_else(|| args.wrong(at, "a dtype, such as nl.float32"))?,
        )),
    }
}

/// The tensor seen through a window that a view operation gave.
fn through(tensor: &NkiTensor, window: std::result::Result<Window, Fault>) -> Result<NkiTensor> {
    Ok(tensor.with(window?))
}
