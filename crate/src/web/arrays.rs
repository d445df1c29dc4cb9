//! Columns as typed arrays.

use js_sys::{Array, Float64Array, Object, Reflect, Uint16Array, Uint32Array};
use wasm_bindgen::JsValue;

use crate::profile::lod::Bars;

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

/// Sets a property; on a fresh plain object that cannot fail.
fn set(object: &Object, key: &str, value: &JsValue) {
    let written = Reflect::set(object, &JsValue::from_str(key), value);
    debug_assert!(written.is_ok(), "a fresh object takes any property");
}
