//! The one table of number formats: NKI's dtypes and the wider ones that only host arrays have.

use serde::Serialize;

/// What the bits of a format mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A truth value in a byte.
    Bool,
    /// Two's complement.
    Signed,
    /// Plain binary.
    Unsigned,
    /// Sign, exponent, mantissa; see [`FloatFormat`].
    Float(FloatFormat),
    /// Several narrow floats in one storage element; the row's `lanes` says how many.
    Packed,
}

/// How a float format spends its top exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Infinities and NaNs as in IEEE 754.
    Ieee,
    /// No infinities; NaN is the all-ones pattern only (the `fn` formats).
    FiniteNan,
    /// No infinities and no NaN.
    Finite,
    /// A power of two: no sign, no mantissa, all-ones is NaN.
    Scale,
}

/// The layout of a float format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    /// Exponent bits.
    pub exponent_bits: u32,
    /// Explicit mantissa bits.
    pub mantissa_bits: u32,
    /// Exponent bias.
    pub bias: i32,
    /// Use of the top exponent.
    pub flavour: Flavour,
}

/// A row of the dtype table.
#[derive(Clone, Copy, Debug)]
pub struct DtypeInfo {
    /// NKI's name; `str(dtype)` gives it.
    pub name: &'static str,
    /// Bytes of one storage element (for packed types the pack).
    pub bytes: u32,
    /// Meaning of the bits.
    pub class: Class,
    /// Logical values in one storage element: 1, or 4 for packed types.
    pub lanes: u32,
    /// The dtype of one lane of a packed type.
    pub lane_dtype: Option<Dtype>,
    /// Whether only host arrays can have it.
    pub host_only: bool,
    /// What it is.
    pub doc: &'static str,
}

/// Shorthand for a float row.
const fn float(exponent_bits: u32, mantissa_bits: u32, bias: i32, flavour: Flavour) -> Class {
    Class::Float(FloatFormat {
        exponent_bits,
        mantissa_bits,
        bias,
        flavour,
    })
}

/// Declares the table: `Variant = "name", bytes, class, lanes, lane dtype, host only`.
macro_rules! dtypes {
    ($($(#[doc = $doc:literal])* $variant:ident = $name:literal, $bytes:literal, $class:expr, $lanes:literal, $lane:expr, $host:literal;)*) => {
        /// A number format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        #[repr(u8)]
        pub enum Dtype { $($(#[doc = $doc])* $variant,)* }

        /// One row per [`Dtype`], in order.
        const TABLE: &[DtypeInfo] = &[
            $(DtypeInfo { name: $name, bytes: $bytes, class: $class, lanes: $lanes, lane_dtype: $lane, host_only: $host, doc: concat!($($doc,)*) },)*
        ];

        impl Dtype {
            /// Every dtype.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];
        }
    };
}

dtypes! {
    /// Truth value, one byte.
    Bool = "bool_", 1, Class::Bool, 1, None, false;
    /// 8-bit signed integer.
    I8 = "int8", 1, Class::Signed, 1, None, false;
    /// 16-bit signed integer.
    I16 = "int16", 2, Class::Signed, 1, None, false;
    /// 32-bit signed integer.
    I32 = "int32", 4, Class::Signed, 1, None, false;
    /// 64-bit signed integer (host arrays only).
    I64 = "int64", 8, Class::Signed, 1, None, true;
    /// 8-bit unsigned integer.
    U8 = "uint8", 1, Class::Unsigned, 1, None, false;
    /// 16-bit unsigned integer.
    U16 = "uint16", 2, Class::Unsigned, 1, None, false;
    /// 32-bit unsigned integer.
    U32 = "uint32", 4, Class::Unsigned, 1, None, false;
    /// 64-bit unsigned integer (host arrays only).
    U64 = "uint64", 8, Class::Unsigned, 1, None, true;
    /// IEEE 754 binary16.
    F16 = "float16", 2, float(5, 10, 15, Flavour::Ieee), 1, None, false;
    /// The upper half of binary32.
    Bf16 = "bfloat16", 2, float(8, 7, 127, Flavour::Ieee), 1, None, false;
    /// IEEE 754 binary32.
    F32 = "float32", 4, float(8, 23, 127, Flavour::Ieee), 1, None, false;
    /// binary32 storage whose mantissa keeps 10 bits.
    Tf32 = "tfloat32", 4, float(8, 10, 127, Flavour::Ieee), 1, None, false;
    /// IEEE 754 binary64 (host arrays only).
    F64 = "float64", 8, float(11, 52, 1023, Flavour::Ieee), 1, None, true;
    /// 8-bit float with infinities; the largest finite value is 240.
    F8E4m3 = "float8_e4m3", 1, float(4, 3, 7, Flavour::Ieee), 1, None, false;
    /// OCP 8-bit float without infinities; the largest value is 448.
    F8E4m3fn = "float8_e4m3fn", 1, float(4, 3, 7, Flavour::FiniteNan), 1, None, false;
    /// OCP 8-bit float with infinities; the largest finite value is 57344.
    F8E5m2 = "float8_e5m2", 1, float(5, 2, 15, Flavour::Ieee), 1, None, false;
    /// OCP 8-bit power-of-two scale.
    F8E8m0fnu = "float8_e8m0fnu", 1, float(8, 0, 127, Flavour::Scale), 1, None, false;
    /// OCP 4-bit float, one value in the low bits of a byte (host arrays only; tiles hold packs of four).
    F4E2m1fn = "float4_e2m1fn", 1, float(2, 1, 1, Flavour::Finite), 1, None, true;
    /// Four `float8_e4m3fn` in 32 bits.
    F8E4m3fnX4 = "float8_e4m3fn_x4", 4, Class::Packed, 4, Some(Dtype::F8E4m3fn), false;
    /// Four `float8_e5m2` in 32 bits.
    F8E5m2X4 = "float8_e5m2_x4", 4, Class::Packed, 4, Some(Dtype::F8E5m2), false;
    /// Four `float4_e2m1fn` in 16 bits.
    F4E2m1fnX4 = "float4_e2m1fn_x4", 2, Class::Packed, 4, Some(Dtype::F4E2m1fn), false;
}

impl Dtype {
    /// The row of this dtype.
    pub fn info(self) -> &'static DtypeInfo {
        &TABLE[self as usize]
    }

    /// The layout of a float that is not packed.
    pub const fn float_format(self) -> Option<FloatFormat> {
        match TABLE[self as usize].class {
            Class::Float(format) => Some(format),
            Class::Bool | Class::Signed | Class::Unsigned | Class::Packed => None,
        }
    }

    /// NKI's name.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Bytes of one storage element.
    pub fn bytes(self) -> u32 {
        self.info().bytes
    }

    /// The dtype called `name` (`bool` and `bool_` are the same).
    pub fn from_name(name: &str) -> Option<Self> {
        let name = if name == "bool" { "bool_" } else { name };
        Self::ALL.iter().copied().find(|dtype| dtype.name() == name)
    }

    /// Whether values are floats (packed types included).
    pub fn is_float(self) -> bool {
        matches!(self.info().class, Class::Float(_) | Class::Packed)
    }

    /// Whether values are integers or truth values.
    pub fn is_integer(self) -> bool {
        matches!(self.info().class, Class::Bool | Class::Signed | Class::Unsigned)
    }

    /// Whether one storage element packs several values.
    pub fn is_packed(self) -> bool {
        self.info().lanes > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_dtype() {
        for &dtype in Dtype::ALL {
            assert_eq!(Dtype::from_name(dtype.name()), Some(dtype));
        }
        assert_eq!(Dtype::from_name("bool"), Some(Dtype::Bool));
    }

    #[test]
    fn bits_of_float_rows_fill_their_storage() {
        for &dtype in Dtype::ALL {
            let Class::Float(format) = dtype.info().class else {
                continue;
            };
            let sign = u32::from(format.flavour != Flavour::Scale);
            let used = sign + format.exponent_bits + format.mantissa_bits;
            assert!(used <= dtype.bytes() * 8, "{}", dtype.name());
        }
    }
}
