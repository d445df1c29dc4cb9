//! Which dtype an expression has: NumPy 2 promotion with weak Python scalars, and the casts of `ml_dtypes`.

use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::{Class, Dtype};

/// NumPy's name of a dtype (`bool`, not NKI's `bool_`).
pub fn numpy_name(dtype: Dtype) -> &'static str {
    if dtype == Dtype::Bool { "bool" } else { dtype.name() }
}

/// Whether this is a float format of `ml_dtypes`, unknown to NumPy itself.
pub fn is_extension(dtype: Dtype) -> bool {
    matches!(dtype.info().class, Class::Float(_))
        && !matches!(dtype, Dtype::F16 | Dtype::F32 | Dtype::F64 | Dtype::Tf32)
}

/// Whether this is an unsigned integer.
fn is_unsigned(dtype: Dtype) -> bool {
    dtype.info().class == Class::Unsigned
}

/// The signed integer of `bytes`; `float64` beyond 8.
fn signed(bytes: u32) -> Dtype {
    match bytes {
        1 => Dtype::I8,
        2 => Dtype::I16,
        4 => Dtype::I32,
        8 => Dtype::I64,
        _ => Dtype::F64,
    }
}

/// The integer that holds both.
fn promote_integers(a: Dtype, b: Dtype) -> Dtype {
    match (is_unsigned(a), is_unsigned(b)) {
        (false, false) => signed(a.bytes().max(b.bytes())),
        (true, true) => {
            if a.bytes() >= b.bytes() {
                a
            } else {
                b
            }
        }
        (true, false) => signed(b.bytes().max(a.bytes() * 2)),
        (false, true) => signed(a.bytes().max(b.bytes() * 2)),
    }
}

/// The NumPy float that a ufunc on floats uses for an integer operand.
pub fn float_for(dtype: Dtype) -> Dtype {
    match dtype.info().class {
        Class::Float(_) | Class::Packed => dtype,
        Class::Bool | Class::Signed | Class::Unsigned => match dtype.bytes() {
            1 => Dtype::F16,
            2 => Dtype::F32,
            _ => Dtype::F64,
        },
    }
}

/// A float format of `ml_dtypes` with something else.
fn promote_extension(extension: Dtype, other: Dtype, extension_first: bool) -> Dtype {
    let mixes = |dtype| matches!(dtype, Dtype::F8E4m3 | Dtype::F8E4m3fn | Dtype::F4E2m1fn);
    match other {
        Dtype::F64 => Dtype::F64,
        _ if other.is_integer() && other.bytes() == 1 => extension,
        _ if other.is_integer() && other.bytes() > 2 => Dtype::F64,
        _ if mixes(extension) && mixes(other) => {
            if extension_first {
                extension
            } else {
                other
            }
        }
        _ => Dtype::F32,
    }
}

/// The dtype that two arrays meet in.
///
/// # Errors
/// `dtype` for packed types, which have no arithmetic.
pub fn promote(a: Dtype, b: Dtype) -> Result<Dtype, Fault> {
    if a == b {
        return Ok(a);
    }
    for dtype in [a, b] {
        if dtype.is_packed() {
            return Err(no_arithmetic(dtype));
        }
    }
    Ok(match (a, b) {
        (Dtype::Tf32, other) | (other, Dtype::Tf32) if other != Dtype::F64 => Dtype::F32,
        (Dtype::Bool, other) | (other, Dtype::Bool) => other,
        _ if is_extension(a) => promote_extension(a, b, true),
        _ if is_extension(b) => promote_extension(b, a, false),
        _ if a.is_float() && b.is_float() => {
            if a.bytes() >= b.bytes() {
                a
            } else {
                b
            }
        }
        _ if a.is_float() => promote_float(a, float_for(b)),
        _ if b.is_float() => promote_float(b, float_for(a)),
        _ => promote_integers(a, b),
    })
}

/// The wider of two NumPy floats.
fn promote_float(a: Dtype, b: Dtype) -> Dtype {
    if a.bytes() >= b.bytes() { a } else { b }
}

/// The fault of arithmetic on a packed type.
pub fn no_arithmetic(dtype: Dtype) -> Fault {
    Fault::new(
        Code::Dtype,
        format!(
            "{} packs four values in one element and has no arithmetic in NumPy",
            dtype.name()
        ),
    )
    .hint("unpack with .view(np.uint8) first, or dequantise to float32")
}

/// The kinds of Python scalar, which adapt to the array they meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weak {
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `float`.
    Float,
}

/// The dtype of a Python scalar alone.
pub fn weak_dtype(weak: Weak) -> Dtype {
    match weak {
        Weak::Bool => Dtype::Bool,
        Weak::Int => Dtype::I64,
        Weak::Float => Dtype::F64,
    }
}

/// The dtype that an array and a Python scalar meet in.
///
/// # Errors
/// `dtype` for packed types.
pub fn promote_weak(dtype: Dtype, weak: Weak) -> Result<Dtype, Fault> {
    if dtype.is_packed() {
        return Err(no_arithmetic(dtype));
    }
    Ok(match weak {
        Weak::Bool => dtype,
        Weak::Int if dtype == Dtype::Bool => Dtype::I64,
        Weak::Int => dtype,
        Weak::Float if dtype.is_integer() => Dtype::F64,
        Weak::Float if is_extension(dtype) => Dtype::F32,
        Weak::Float => dtype,
    })
}

/// The smallest and largest value of an integer dtype.
pub fn integer_range(dtype: Dtype) -> Option<(i128, i128)> {
    let bits = dtype.bytes() * 8;
    match dtype.info().class {
        Class::Bool => Some((0, 1)),
        Class::Signed => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        Class::Unsigned => Some((0, (1 << bits) - 1)),
        Class::Float(_) | Class::Packed => None,
    }
}

/// Whether NumPy's `same_kind` rule lets an in-place operation store `from` into `to`.
pub fn can_store(from: Dtype, to: Dtype) -> bool {
    let rank = |dtype: Dtype| match dtype.info().class {
        Class::Bool => 0,
        Class::Unsigned => 1,
        Class::Signed => 2,
        Class::Float(_) | Class::Packed => 3,
    };
    from == to || rank(from) <= rank(to)
}
