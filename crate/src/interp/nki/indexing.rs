//! What stands in the brackets of `tensor[...]`: integers, slices, `nl.ds` and run-time indices.

use crate::base::diag::{Code, Fault};
use crate::interp::Interp;
use crate::interp::native::NativeObject;
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::tensor::view::IndexSource;
use crate::tensor::window::Index;

use super::register::VirtualRegister;
use super::tensor::NkiTensor;

/// A run-time index: an SBUF tensor or a register. `vector` says whether every partition has its own.
pub(super) fn index_source(cx: &mut Interp, value: &Value, vector: bool) -> Result<Option<IndexSource>> {
    if let Some(register) = value.downcast::<VirtualRegister>() {
        return Ok((!vector).then_some(IndexSource::Register(register.id)));
    }
    let Some(tensor) = value.downcast::<NkiTensor>() else {
        return Ok(None);
    };
    let size = tensor.window.size();
    if !vector && size != 1 {
        let message = format!("a scalar index needs a tile of shape (1, 1), got {}", tensor.describe());
        return Err(Fault::new(Code::Shape, message).into());
    }
    let view = tensor.view(cx)?;
    Ok(Some(if vector {
        IndexSource::Vector(view)
    } else {
        IndexSource::Scalar(view)
    }))
}

/// `nl.ds(start, size)`.
pub struct DynamicSlice {
    /// First index: an integer, a register or a scalar tile.
    pub start: Value,
    /// Number of elements.
    pub size: i64,
}

impl NativeObject for DynamicSlice {
    fn type_name(&self) -> &str {
        "DynamicSlice"
    }
}

/// One item of an index expression.
pub(super) fn index_item(cx: &mut Interp, item: &Value) -> Result<Index> {
    match item {
        Value::Int(at) => return Ok(Index::At(*at)),
        Value::Ellipsis => return Ok(Index::Ellipsis),
        Value::Slice(slice) => {
            return Ok(Index::Slice {
                start: bound(&slice.start)?,
                stop: bound(&slice.stop)?,
                step: bound(&slice.step)?,
            });
        }
        _ => {}
    }
    if let Some(slice) = item.downcast::<DynamicSlice>() {
        return dynamic_slice(cx, slice);
    }
    if let Some(source) = index_source(cx, item, false)? {
        return Ok(Index::Dynamic(source));
    }
    if let Some(at) = item.as_int() {
        return Ok(Index::At(at));
    }
    let message = format!(
        "a tensor cannot be indexed with {}",
        crate::interp::builtin::plain_type_name(item)
    );
    Err(Raised::type_error(message).hint("use integers, slices, '...' or nl.ds(start, size)"))
}

/// The index of `nl.ds`.
fn dynamic_slice(cx: &mut Interp, slice: &DynamicSlice) -> Result<Index> {
    if let Some(start) = slice.start.as_int() {
        return Ok(Index::Slice {
            start: Some(start),
            stop: Some(start.saturating_add(slice.size)),
            step: None,
        });
    }
    let size =
        u32::try_from(slice.size).map_err(|_| Raised::value_error(format!("nl.ds() has the size {}", slice.size)))?;
    match index_source(cx, &slice.start, false)? {
        Some(source) => Ok(Index::DynamicSlice(source, size)),
        None => Err(Raised::type_error(
            "nl.ds() needs an integer, a register or a tile of shape (1, 1) as its start",
        )),
    }
}

/// A bound of a slice.
fn bound(value: &Value) -> Result<Option<i64>> {
    match value {
        Value::None => Ok(None),
        other => match other.as_int() {
            Some(number) => Ok(Some(number)),
            None => Err(Raised::type_error(format!(
                "slice bounds of a tensor must be integers, not {}",
                crate::interp::builtin::plain_type_name(other)
            ))
            .hint("use nl.ds(start, size) for a start known only at run time")),
        },
    }
}
