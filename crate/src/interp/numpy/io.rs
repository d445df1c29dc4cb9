//! `.npy` files, versions 1 to 3: bytes to arrays and back. Reading and writing files is the caller's business.

use super::array::Array;
use super::node::{Demand, Host, show_shape};
use super::promote::{is_extension, numpy_name};
use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::{Class, Dtype};

/// First bytes of the format.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Files below the current folder, as the front end of the run offers them.
pub trait Files {
    /// The bytes of a file.
    ///
    /// # Errors
    /// `file` when it cannot be read.
    fn read(&self, path: &str) -> Result<Vec<u8>, Fault>;
    /// Writes a file.
    ///
    /// # Errors
    /// `file` when it cannot be written.
    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), Fault>;
}

/// A file that is not what it should be.
fn broken(what: &str) -> Fault {
    Fault::new(Code::File, format!("not a .npy file that can be read: {what}"))
}

/// The type string of a dtype (`<f4`).
fn descriptor(dtype: Dtype) -> Result<String, Fault> {
    let bytes = dtype.bytes();
    let order = if bytes == 1 { '|' } else { '<' };
    let kind = match dtype.info().class {
        Class::Bool => 'b',
        Class::Signed => 'i',
        Class::Unsigned => 'u',
        Class::Float(_) if !is_extension(dtype) && dtype != Dtype::Tf32 => 'f',
        Class::Float(_) | Class::Packed => {
            let bits = bytes * 8;
            let message = format!(".npy files have no name for {}", numpy_name(dtype));
            return Err(Fault::new(Code::File, message).hint(format!("save x.view(np.uint{bits}) and view it back")));
        }
    };
    Ok(format!("{order}{kind}{bytes}"))
}

/// The dtype of a type string.
fn dtype_of(descriptor: &str) -> Result<Dtype, Fault> {
    if descriptor.starts_with('>') {
        return Err(broken("big-endian data"));
    }
    Dtype::ALL
        .iter()
        .copied()
        .filter(|&dtype| !is_extension(dtype) && !dtype.is_packed() && dtype != Dtype::Tf32)
        .find(|&dtype| self::descriptor(dtype).is_ok_and(|text| text[1..] == descriptor[1.min(descriptor.len())..]))
        .ok_or_else(|| broken(&format!("unknown type '{descriptor}'")))
}

/// The text behind `'key':` in a header.
fn field<'a>(header: &'a str, key: &str) -> Result<&'a str, Fault> {
    let at = header
        .find(&format!("'{key}':"))
        .ok_or_else(|| broken(&format!("no '{key}' in the header")))?;
    Ok(header[at + key.len() + 3..].trim_start())
}

/// The array of a `.npy` file.
///
/// # Errors
/// `file` when the bytes are not a readable `.npy`.
pub fn from_npy(bytes: &[u8]) -> Result<Array, Fault> {
    if !bytes.starts_with(MAGIC) || bytes.len() < 12 {
        return Err(broken("the magic string is missing"));
    }
    let (start, length) = match bytes[6] {
        1 => (10, usize::from(u16::from_le_bytes([bytes[8], bytes[9]]))),
        2 | 3 => (
            12,
            u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]) as usize,
        ),
        version => return Err(broken(&format!("version {version}"))),
    };
    let end = start + length;
    let header = bytes
        .get(start..end)
        .and_then(|header| std::str::from_utf8(header).ok());
    let header = header.ok_or_else(|| broken("the header is cut"))?;
    let type_text = field(header, "descr")?
        .split('\'')
        .nth(1)
        .ok_or_else(|| broken("a structured type"))?;
    let dtype = dtype_of(type_text)?;
    let shape_text = field(header, "shape")?
        .trim_start_matches('(')
        .split(')')
        .next()
        .unwrap_or_default();
    let mut shape = Vec::new();
    for extent in shape_text.split(',').map(str::trim).filter(|extent| !extent.is_empty()) {
        shape.push(extent.parse::<usize>().map_err(|_| broken("the shape"))?);
    }
    let count = super::node::element_count(&shape)? * dtype.bytes() as usize;
    let data = bytes.get(end..end + count).ok_or_else(|| broken("the data is cut"))?;
    if field(header, "fortran_order")?.starts_with("True") {
        shape.reverse();
        return super::shape::transpose(&Array::from_bytes(&shape, dtype, data)?, None);
    }
    Array::from_bytes(&shape, dtype, data)
}

/// The bytes of a `.npy` file, version 1.
///
/// # Errors
/// `file` for dtypes that the format cannot name, else as forcing.
pub fn to_npy(array: &Array, host: &dyn Host) -> Result<Vec<u8>, Demand> {
    let type_text = descriptor(array.dtype())?;
    let mut header = format!(
        "{{'descr': '{type_text}', 'fortran_order': False, 'shape': {}, }}",
        show_shape(array.shape())
    );
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    let mut out = MAGIC.to_vec();
    out.extend([1, 0]);
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(array.to_bytes(host)?);
    Ok(out)
}
