//! Forced array data: flat row-major vectors of native elements, their conversions and strided windows.
//!
//! Formats without a native Rust type (`float16`, `bfloat16`, `float8_*`, `float4_*`, the `x4` packs) are kept as raw
//! bits in an unsigned vector; [`lanes`] decodes them to `f32` for arithmetic and [`store`] rounds back.

use std::borrow::Cow;

use ndarray::{ArrayViewD, ArrayViewMutD, Axis, IxDyn, ShapeBuilder};

use super::narrow;
use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::{Class, Dtype};

/// A flat vector of one native element type.
#[derive(Clone, Debug, PartialEq)]
pub enum Buf {
    /// Truth values.
    Bool(Vec<bool>),
    /// 8-bit signed.
    I8(Vec<i8>),
    /// 16-bit signed.
    I16(Vec<i16>),
    /// 32-bit signed.
    I32(Vec<i32>),
    /// 64-bit signed.
    I64(Vec<i64>),
    /// 8-bit unsigned, or the bits of an 8-bit (or narrower) float.
    U8(Vec<u8>),
    /// 16-bit unsigned, or the bits of a 16-bit format.
    U16(Vec<u16>),
    /// 32-bit unsigned, or the bits of a 32-bit pack.
    U32(Vec<u32>),
    /// 64-bit unsigned.
    U64(Vec<u64>),
    /// binary32.
    F32(Vec<f32>),
    /// binary64.
    F64(Vec<f64>),
}

/// Evaluates `$body` with `$v` bound to the vector inside, whatever its type.
macro_rules! with_buf {
    ($buf:expr, $v:ident => $body:expr) => {
        match $buf {
            $crate::interp::numpy::buffer::Buf::Bool($v) => $body,
            $crate::interp::numpy::buffer::Buf::I8($v) => $body,
            $crate::interp::numpy::buffer::Buf::I16($v) => $body,
            $crate::interp::numpy::buffer::Buf::I32($v) => $body,
            $crate::interp::numpy::buffer::Buf::I64($v) => $body,
            $crate::interp::numpy::buffer::Buf::U8($v) => $body,
            $crate::interp::numpy::buffer::Buf::U16($v) => $body,
            $crate::interp::numpy::buffer::Buf::U32($v) => $body,
            $crate::interp::numpy::buffer::Buf::U64($v) => $body,
            $crate::interp::numpy::buffer::Buf::F32($v) => $body,
            $crate::interp::numpy::buffer::Buf::F64($v) => $body,
        }
    };
}
pub(super) use with_buf;

/// A native element type.
pub trait Element: Copy + PartialOrd + Default + 'static {
    /// Puts a vector into its variant.
    fn wrap(v: Vec<Self>) -> Buf;
    /// The vector inside, if it is of this type.
    fn get(buf: &Buf) -> Option<&[Self]>;
    /// The value as `f64`; 64-bit integers round.
    fn to_f64(self) -> f64;
    /// The value as an integer; floats truncate and saturate.
    fn to_i128(self) -> i128;
    /// Conversion from `f64`, as a C cast with saturation.
    fn from_f64(x: f64) -> Self;
    /// Conversion from an integer, with wrap-around.
    fn from_i128(x: i128) -> Self;
    /// Conversion from a 64-bit integer, with wrap-around.
    fn from_i64(x: i64) -> Self;
    /// Conversion from an unsigned 64-bit integer, with wrap-around.
    fn from_u64(x: u64) -> Self;
}

macro_rules! element {
    ($($ty:ty => $variant:ident),*) => {$(
        impl Element for $ty {
            fn wrap(v: Vec<Self>) -> Buf { Buf::$variant(v) }
            fn get(buf: &Buf) -> Option<&[Self]> {
                if let Buf::$variant(v) = buf { Some(v) } else { None }
            }
            fn to_f64(self) -> f64 { self as f64 }
            fn to_i128(self) -> i128 { self as i128 }
            fn from_f64(x: f64) -> Self { x as $ty }
            fn from_i128(x: i128) -> Self { x as $ty }
            fn from_i64(x: i64) -> Self { x as $ty }
            fn from_u64(x: u64) -> Self { x as $ty }
        }
    )*};
}
element!(i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32, u64 => U64, f32 => F32, f64 => F64);

impl Element for bool {
    fn wrap(v: Vec<Self>) -> Buf {
        Buf::Bool(v)
    }
    fn get(buf: &Buf) -> Option<&[Self]> {
        if let Buf::Bool(v) = buf { Some(v) } else { None }
    }
    fn to_f64(self) -> f64 {
        f64::from(u8::from(self))
    }
    fn to_i128(self) -> i128 {
        i128::from(self)
    }
    fn from_f64(x: f64) -> Self {
        x != 0.0
    }
    fn from_i128(x: i128) -> Self {
        x != 0
    }
    fn from_i64(x: i64) -> Self {
        x != 0
    }
    fn from_u64(x: u64) -> Self {
        x != 0
    }
}

/// How a dtype is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In the variant of the same element type.
    Native,
    /// As bits, decoded to `f32` for arithmetic.
    Narrow,
    /// As bits without arithmetic.
    Packed,
}

/// How `dtype` is stored.
pub fn storage(dtype: Dtype) -> Storage {
    match dtype.info().class {
        Class::Packed => Storage::Packed,
        Class::Float(_) if !matches!(dtype, Dtype::F32 | Dtype::F64 | Dtype::Tf32) => Storage::Narrow,
        Class::Float(_) | Class::Bool | Class::Signed | Class::Unsigned => Storage::Native,
    }
}

/// `len` zeros in the storage of `dtype`.
pub fn zeros(dtype: Dtype, len: usize) -> Buf {
    match dtype {
        Dtype::Bool => Buf::Bool(vec![false; len]),
        Dtype::I8 => Buf::I8(vec![0; len]),
        Dtype::I16 => Buf::I16(vec![0; len]),
        Dtype::I32 => Buf::I32(vec![0; len]),
        Dtype::I64 => Buf::I64(vec![0; len]),
        Dtype::U64 => Buf::U64(vec![0; len]),
        Dtype::F32 | Dtype::Tf32 => Buf::F32(vec![0.0; len]),
        Dtype::F64 => Buf::F64(vec![0.0; len]),
        _ => match dtype.bytes() {
            1 => Buf::U8(vec![0; len]),
            2 => Buf::U16(vec![0; len]),
            _ => Buf::U32(vec![0; len]),
        },
    }
}

impl Buf {
    /// Number of elements.
    pub fn len(&self) -> usize {
        with_buf!(self, v => v.len())
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vector of type `T`; an internal error if the buffer has another type.
    ///
    /// # Errors
    /// `internal` when the element type differs.
    pub fn typed<T: Element>(&self) -> Result<&[T], Fault> {
        T::get(self).ok_or_else(|| Fault::new(Code::Internal, "array storage has another element type than expected"))
    }

    /// Element `i` as `f64`, without decoding of narrow formats.
    pub fn raw_f64(&self, i: usize) -> f64 {
        with_buf!(self, v => v[i].to_f64())
    }

    /// Element `i` as an integer, without decoding of narrow formats.
    pub fn raw_int(&self, i: usize) -> i128 {
        with_buf!(self, v => v[i].to_i128())
    }

    /// The elements `start..end`.
    pub fn slice(&self, start: usize, end: usize) -> Self {
        with_buf!(self, v => Element::wrap(v[start..end].to_vec()))
    }

    /// The elements at `at`, in that order.
    pub fn pick(&self, at: &[usize]) -> Self {
        with_buf!(self, v => Element::wrap(at.iter().map(|&i| v[i]).collect()))
    }

    /// Appends `other`, which must have the same element type (else nothing happens).
    pub fn append(&mut self, other: &Self) {
        with_buf!(self, v => if let Some(w) = Element::get(other) { v.extend_from_slice(w) });
    }

    /// Overwrites element `to` with element `from` of `source` (same element type).
    pub fn put(&mut self, to: usize, source: &Self, from: usize) {
        with_buf!(self, v => if let Some(w) = Element::get(source) { v[to] = w[from] });
    }

    /// The bytes of all elements, little endian.
    pub fn to_le_bytes(&self) -> Vec<u8> {
        match self {
            Self::Bool(v) => v.iter().map(|&x| u8::from(x)).collect(),
            Self::U8(v) => v.clone(),
            Self::I8(v) => v.iter().map(|&x| x as u8).collect(),
            Self::I16(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::I32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::I64(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::U16(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::U32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::U64(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::F32(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::F64(v) => v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        }
    }
}

/// Splits `bytes` into words and converts each.
fn words<const N: usize, T>(bytes: &[u8], from: fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks::<N>().0.iter().map(|chunk| from(*chunk)).collect()
}

/// The elements of `dtype` in `bytes` (little endian; a rest shorter than an element is ignored).
pub fn from_le_bytes(dtype: Dtype, bytes: &[u8]) -> Buf {
    match zeros(dtype, 0) {
        Buf::Bool(_) => Buf::Bool(bytes.iter().map(|&x| x != 0).collect()),
        Buf::U8(_) => Buf::U8(bytes.to_vec()),
        Buf::I8(_) => Buf::I8(bytes.iter().map(|&x| x as i8).collect()),
        Buf::I16(_) => Buf::I16(words(bytes, i16::from_le_bytes)),
        Buf::I32(_) => Buf::I32(words(bytes, i32::from_le_bytes)),
        Buf::I64(_) => Buf::I64(words(bytes, i64::from_le_bytes)),
        Buf::U16(_) => Buf::U16(words(bytes, u16::from_le_bytes)),
        Buf::U32(_) => Buf::U32(words(bytes, u32::from_le_bytes)),
        Buf::U64(_) => Buf::U64(words(bytes, u64::from_le_bytes)),
        Buf::F32(_) => Buf::F32(words(bytes, f32::from_le_bytes)),
        Buf::F64(_) => Buf::F64(words(bytes, f64::from_le_bytes)),
    }
}

/// The values of a buffer of `dtype` in a native type: narrow floats become `f32`.
pub fn lanes(buf: &Buf, dtype: Dtype) -> Cow<'_, Buf> {
    match (storage(dtype), buf) {
        (Storage::Narrow, Buf::U8(v)) => Cow::Owned(Buf::F32(narrow::decode8(dtype, v))),
        (Storage::Narrow, Buf::U16(v)) => Cow::Owned(Buf::F32(narrow::decode16(dtype, v))),
        _ => Cow::Borrowed(buf),
    }
}

/// The values of a buffer of `from` after conversion to `dtype`, in a native type.
pub fn lanes_as(buf: &Buf, from: Dtype, dtype: Dtype) -> Cow<'_, Buf> {
    if from == dtype {
        return lanes(buf, dtype);
    }
    let converted = cast(buf, from, dtype);
    match storage(dtype) {
        Storage::Narrow => Cow::Owned(lanes(&converted, dtype).into_owned()),
        Storage::Native | Storage::Packed => Cow::Owned(converted),
    }
}

/// Converts between native element types as a C cast does.
fn native<T: Element>(buf: &Buf) -> Vec<T> {
    match buf {
        Buf::F32(v) => v.iter().map(|&x| T::from_f64(f64::from(x))).collect(),
        Buf::F64(v) => v.iter().map(|&x| T::from_f64(x)).collect(),
        Buf::Bool(v) => v.iter().map(|&x| T::from_i64(i64::from(x))).collect(),
        Buf::I8(v) => v.iter().map(|&x| T::from_i64(i64::from(x))).collect(),
        Buf::I16(v) => v.iter().map(|&x| T::from_i64(i64::from(x))).collect(),
        Buf::I32(v) => v.iter().map(|&x| T::from_i64(i64::from(x))).collect(),
        Buf::I64(v) => v.iter().map(|&x| T::from_i64(x)).collect(),
        Buf::U8(v) => v.iter().map(|&x| T::from_i64(i64::from(x))).collect(),
        Buf::U16(v) => v.iter().map(|&x| T::from_i64(i64::from(x))).collect(),
        Buf::U32(v) => v.iter().map(|&x| T::from_i64(i64::from(x))).collect(),
        Buf::U64(v) => v.iter().map(|&x| T::from_u64(x)).collect(),
    }
}

/// A buffer of `T`: as it is when it has that type already, else converted.
pub fn to_native<T: Element>(buf: &Buf) -> Vec<T> {
    match T::get(buf) {
        Some(v) => v.to_vec(),
        None => native(buf),
    }
}

/// Rounds or converts native values into the storage of `dtype`.
pub fn store(buf: Buf, dtype: Dtype) -> Buf {
    let target = zeros(dtype, 0);
    match storage(dtype) {
        Storage::Narrow => match buf {
            Buf::F32(v) => narrow::encode_single(dtype, &v),
            other => narrow::encode(dtype, &native::<f64>(&other)),
        },
        Storage::Packed => buf,
        Storage::Native if std::mem::discriminant(&target) == std::mem::discriminant(&buf) && dtype != Dtype::Tf32 => {
            buf
        }
        Storage::Native if dtype == Dtype::Tf32 => Buf::F32(
            native::<f32>(&buf)
                .into_iter()
                .map(|x| narrow::round(Dtype::Tf32, x))
                .collect(),
        ),
        Storage::Native => with_buf!(target, v => convert_like(&v, &buf)),
    }
}

/// Converts `buf` to the element type of `_like`.
fn convert_like<T: Element>(_like: &[T], buf: &Buf) -> Buf {
    T::wrap(native(buf))
}

/// Converts data of `from` to `to`.
pub fn cast(buf: &Buf, from: Dtype, to: Dtype) -> Buf {
    if from == to {
        buf.clone()
    } else {
        store(lanes(buf, from).into_owned(), to)
    }
}

/// A strided rectangle of elements in a flat vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// First element.
    pub offset: usize,
    /// Extent of each dimension.
    pub shape: Vec<usize>,
    /// Elements between neighbours of each dimension; zero where broadcast.
    pub strides: Vec<isize>,
}

/// Row-major strides of `shape`.
pub fn row_major(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis] as isize;
    }
    strides
}

impl Window {
    /// All of a row-major array.
    pub fn whole(shape: &[usize]) -> Self {
        Self {
            offset: 0,
            shape: shape.to_vec(),
            strides: row_major(shape),
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Whether elements lie one after another in row-major order.
    pub fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        for (&extent, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if extent != 1 && stride != expected {
                return false;
            }
            expected *= extent as isize;
        }
        true
    }

    /// The lowest element, positive strides, and the axes that run backwards.
    fn normalised(&self) -> (usize, Vec<usize>, Vec<usize>) {
        let mut offset = self.offset as isize;
        let mut reversed = Vec::new();
        for (axis, (&extent, &stride)) in self.shape.iter().zip(&self.strides).enumerate() {
            if stride < 0 {
                offset += stride * (extent as isize - 1);
                reversed.push(axis);
            }
        }
        (
            offset as usize,
            self.strides.iter().map(|stride| stride.unsigned_abs()).collect(),
            reversed,
        )
    }
}

/// Copies the window out of `source` into a row-major vector.
fn gather_typed<T: Element>(source: &[T], window: &Window) -> Result<Vec<T>, Fault> {
    if window.is_empty() {
        return Ok(Vec::new());
    }
    if window.is_contiguous() {
        return Ok(source[window.offset..window.offset + window.len()].to_vec());
    }
    if window.strides.iter().all(|&stride| stride == 0) {
        return Ok(vec![source[window.offset]; window.len()]);
    }
    let (offset, strides, reversed) = window.normalised();
    let shape = IxDyn(&window.shape).strides(IxDyn(&strides));
    let mut view = ArrayViewD::from_shape(shape, &source[offset..]).map_err(|error| internal(&error))?;
    for axis in reversed {
        view.invert_axis(Axis(axis));
    }
    let mut out = vec![T::default(); window.len()];
    ArrayViewMutD::from_shape(IxDyn(&window.shape), &mut out)
        .map_err(|error| internal(&error))?
        .assign(&view);
    Ok(out)
}

/// Writes row-major `values` into the window of `target`.
fn scatter_typed<T: Element>(target: &mut [T], window: &Window, values: &[T]) -> Result<(), Fault> {
    if window.is_empty() {
        return Ok(());
    }
    let (offset, strides, reversed) = window.normalised();
    let shape = IxDyn(&window.shape).strides(IxDyn(&strides));
    let mut view = ArrayViewMutD::from_shape(shape, &mut target[offset..]).map_err(|error| internal(&error))?;
    for axis in reversed {
        view.invert_axis(Axis(axis));
    }
    view.assign(&ArrayViewD::from_shape(IxDyn(&window.shape), values).map_err(|error| internal(&error))?);
    Ok(())
}

/// A window that `ndarray` does not accept is a defect here, not of the user.
fn internal(error: &ndarray::ShapeError) -> Fault {
    Fault::new(Code::Internal, format!("array window: {error}"))
}

/// Copies the window out of `source`.
///
/// # Errors
/// `internal` when the window leaves the buffer.
pub fn gather(source: &Buf, window: &Window) -> Result<Buf, Fault> {
    with_buf!(source, v => gather_typed(v, window).map(Element::wrap))
}

/// Writes `values` into the window of `target`; both must have one element type.
///
/// # Errors
/// `internal` when the window leaves the buffer or the types differ.
pub fn scatter(target: &mut Buf, window: &Window, values: &Buf) -> Result<(), Fault> {
    with_buf!(target, v => scatter_typed(v, window, values.typed()?))
}
