//! `nki.language`: functions that lower to instructions and have no semantics of their own, and the tokens that stand for
//! operators (`op=nl.add`).

pub mod create;
pub mod loops;
pub mod math;
pub mod program;
pub mod shape;

use crate::base::diag::Fault;
use crate::interp::Interp;
use crate::interp::builtin::Args;
use crate::interp::convert::{dtype_of, dtype_value};
use crate::interp::object::TypeTag;
use crate::interp::raised::Result;
use crate::interp::scope::ModuleId;
use crate::interp::value::Value;
use crate::numerics::dtype::Dtype;
use crate::tensor::window::Window;

use super::legacy;
use super::member::{TileSize, TypeMarker, enum_class, member};
use super::tensor::NkiTensor;
use super::tracing::shared;

/// Fills the globals of `nki.language`.
///
/// # Errors
/// None today; the type is that of every module.
pub fn init(cx: &mut Interp, module: ModuleId) -> Result<()> {
    for rows in [
        create::ROWS,
        loops::ROWS,
        math::BINARY_ROWS,
        math::UNARY_ROWS,
        math::REDUCE_ROWS,
        program::ROWS,
        shape::ROWS,
    ] {
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
    let marker = shared(cx, "NkiTensor", || Value::native(TypeMarker("NkiTensor".into())));
    cx.define(module, "NkiTensor", marker);
    // Classes that derive from it are data classes without a decorator.
    let object = cx.type_class(TypeTag::Object);
    let base = cx.builtin_class("NKIObject", Some(&object), TypeTag::Object, false);
    base.attrs
        .borrow_mut()
        .set(&"__auto_dataclass__".into(), Value::Bool(true));
    let base = shared(cx, "NKIObject", || Value::Class(base));
    cx.define(module, "NKIObject", base);
    Ok(())
}

/// Fills the globals of `neuronxcc.nki.language`.
///
/// # Errors
/// None today; the type is that of every module.
pub fn init_legacy(cx: &mut Interp, module: ModuleId) -> Result<()> {
    init(cx, module)?;
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
