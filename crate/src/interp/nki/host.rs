//! Where launches meet host arrays.

use crate::interp::Interp;
use crate::interp::numpy;
use crate::interp::numpy::array::Array;
use crate::interp::numpy::node::Node;
use crate::interp::raised::Result;
use crate::interp::value::Value;
use crate::numerics::dtype::Dtype;

/// The host array that a value is.
pub fn as_array(value: &Value) -> Option<Array> {
    numpy::as_array(value)
}

/// A value for a host array.
pub fn array_value(array: Array) -> Value {
    numpy::array_value(array)
}

/// The array as it is now: later writes to the original do not show.
pub fn snapshot(array: &Array) -> Array {
    Array::from_node(array.snapshot())
}

/// Output `number` of launch `launch`, computed when somebody looks at it.
pub fn output(shape: &[usize], dtype: Dtype, launch: u32, number: u32) -> Array {
    Array::from_node(Node::launch(shape, dtype, launch, number))
}

/// Replaces the content of the array that `target` holds, in place.
///
/// # Errors
/// The array cannot be written.
pub fn overwrite(_cx: &mut Interp, target: &Value, array: &Array) -> Result<()> {
    if let Some(own) = numpy::as_array(target) {
        own.write(array)?;
    }
    Ok(())
}

/// The storage bytes of an array.
///
/// # Errors
/// Values that are not computed yet.
pub fn bytes(cx: &mut Interp, array: &Array) -> Result<Vec<u8>> {
    numpy::to_bytes(cx, array)
}
