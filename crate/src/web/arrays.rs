//! Columns as typed arrays.

use js_sys::{Array, Float64Array, Object, Reflect, Uint8Array, Uint16Array, Uint32Array};
use wasm_bindgen::JsValue;

use crate::profile::lod::Bars;
use crate::simulation::cells::Cells;

/// Bars as an object with one typed array a column.
pub fn columns(bars: &Bars) -> JsValue {
    let object = Object::new();
    set(&object, "start", &Float64Array::from(bars.start.as_slice()));
    set(&object, "end", &Float64Array::from(bars.end.as_slice()));
    set(&object, "inst", &Uint32Array::from(bars.inst.as_slice()));
    set(&object, "line", &Uint32Array::from(bars.line.as_slice()));
    set(&object, "count", &Uint32Array::from(bars.count.as_slice()));
    set(&object, "name", &Uint16Array::from(bars.name.as_slice()));
    let names: Array = bars.names.iter().map(|name| JsValue::from_str(name)).collect();
    set(&object, "names", &names);
    object.into()
}

/// Cells of a tile as an object.
pub fn cells(cells: &Cells) -> JsValue {
    let object = Object::new();
    let number = |key: &str, value: usize| set(&object, key, &JsValue::from_f64(value as f64));
    number("row", cells.row);
    number("column", cells.column);
    number("rows", cells.rows);
    number("columns", cells.columns);
    number("block_rows", cells.block_rows);
    number("block_columns", cells.block_columns);
    set(&object, "mean", &Float64Array::from(cells.mean.as_slice()));
    set(&object, "low", &Float64Array::from(cells.low.as_slice()));
    set(&object, "high", &Float64Array::from(cells.high.as_slice()));
    set(&object, "flags", &Uint8Array::from(cells.flags.as_slice()));
    object.into()
}

/// Sets a property; on a fresh plain object that cannot fail.
fn set(object: &Object, key: &str, value: &JsValue) {
    let written = Reflect::set(object, &JsValue::from_str(key), value);
    debug_assert!(written.is_ok(), "a fresh object takes any property");
}
