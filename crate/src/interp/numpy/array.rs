//! Host arrays: handles with NumPy's view and in-place semantics over lazy nodes.
//!
//! A handle is a strided window on a base. The base holds the current node, so a write through any handle is seen by
//! all of them; reading takes a snapshot of the current node.

use std::cell::RefCell;
use std::rc::Rc;

use super::buffer::{self, Buf, Window, row_major};
use super::node::{Demand, Held, Host, Made, Node, element_count, force, show_shape, take_buf};
use super::promote::{Weak, can_store, integer_range, numpy_name, weak_dtype};
use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::Dtype;

/// What the handle stands for in the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An `ndarray`.
    Array,
    /// A NumPy scalar such as `np.float32(1)`.
    Scalar,
    /// A Python scalar, whose dtype adapts to the other operand.
    Python(Weak),
}

/// One element as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Item {
    /// Truth value.
    Bool(bool),
    /// Integer.
    Int(i128),
    /// Float of any width, exactly.
    Float(f64),
}

impl Item {
    /// The kind of Python scalar.
    pub fn weak(self) -> Weak {
        match self {
            Self::Bool(_) => Weak::Bool,
            Self::Int(_) => Weak::Int,
            Self::Float(_) => Weak::Float,
        }
    }

    /// The value as a float.
    pub fn to_f64(self) -> f64 {
        match self {
            Self::Bool(x) => f64::from(u8::from(x)),
            Self::Int(x) => x as f64,
            Self::Float(x) => x,
        }
    }

    /// The value as an integer; floats truncate.
    pub fn to_int(self) -> i128 {
        match self {
            Self::Bool(x) => i128::from(x),
            Self::Int(x) => x,
            Self::Float(x) => x as i128,
        }
    }

    /// Whether it is not zero.
    pub fn is_true(self) -> bool {
        match self {
            Self::Bool(x) => x,
            Self::Int(x) => x != 0,
            Self::Float(x) => x != 0.0,
        }
    }

    /// One element in the storage of `dtype`.
    ///
    /// # Errors
    /// `arithmetic` when an integer does not fit an integer dtype.
    pub fn store(self, dtype: Dtype) -> Result<Buf, Fault> {
        match (self, integer_range(dtype)) {
            (Self::Int(x), Some((low, high))) if dtype != Dtype::Bool && !(low..=high).contains(&x) => {
                let message = format!("Python integer {x} out of bounds for {}", numpy_name(dtype));
                Err(Fault::new(Code::Arithmetic, message).hint("choose a wider dtype"))
            }
            (Self::Int(x), _) => Ok(match i64::try_from(x) {
                Ok(x) => buffer::store(Buf::I64(vec![x]), dtype),
                Err(_) if dtype == Dtype::U64 => Buf::U64(vec![x as u64]),
                Err(_) => buffer::store(Buf::F64(vec![x as f64]), dtype),
            }),
            (Self::Bool(x), _) => Ok(buffer::store(Buf::Bool(vec![x]), dtype)),
            (Self::Float(x), _) => Ok(buffer::store(Buf::F64(vec![x]), dtype)),
        }
    }
}

/// The shared cell behind views.
#[derive(Debug)]
struct Base {
    node: RefCell<Rc<Node>>,
}

/// A handle on a host array.
#[derive(Clone, Debug)]
pub struct Array {
    base: Rc<Base>,
    window: Window,
    kind: Kind,
    writable: bool,
}

impl Array {
    /// An array with its own storage.
    pub fn from_node(node: Rc<Node>) -> Self {
        let window = Window::whole(node.shape());
        Self {
            base: Rc::new(Base {
                node: RefCell::new(node),
            }),
            window,
            kind: Kind::Array,
            writable: true,
        }
    }

    /// An array whose elements are known.
    pub fn ready(shape: &[usize], dtype: Dtype, buf: Buf) -> Self {
        Self::from_node(Node::ready(shape, dtype, buf))
    }

    /// An array computed from `inputs` when asked for.
    ///
    /// # Errors
    /// `limit` when the shape cannot be stored.
    pub fn lazy(
        shape: &[usize],
        dtype: Dtype,
        inputs: &[&Self],
        compute: impl FnOnce(&[Rc<Held>]) -> Result<Buf, Fault> + 'static,
    ) -> Result<Self, Fault> {
        element_count(shape)?;
        Ok(Self::from_node(Node::lazy(
            shape,
            dtype,
            inputs.iter().map(|input| input.snapshot()).collect(),
            compute,
        )))
    }

    /// A Python scalar as an operand.
    ///
    /// # Errors
    /// `arithmetic` when an integer is beyond 64 bits.
    pub fn python(item: Item) -> Result<Self, Fault> {
        let weak = item.weak();
        let dtype = match item {
            Item::Int(x) if x > i128::from(i64::MAX) => Dtype::U64,
            _ => weak_dtype(weak),
        };
        Ok(Self {
            kind: Kind::Python(weak),
            ..Self::ready(&[], dtype, item.store(dtype)?)
        })
    }

    /// A NumPy scalar.
    ///
    /// # Errors
    /// `arithmetic` when an integer does not fit `dtype`.
    pub fn scalar(item: Item, dtype: Dtype) -> Result<Self, Fault> {
        Ok(Self {
            kind: Kind::Scalar,
            ..Self::ready(&[], dtype, item.store(dtype)?)
        })
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        &self.window.shape
    }

    /// Element format.
    pub fn dtype(&self) -> Dtype {
        self.base.node.borrow().dtype()
    }

    /// Number of dimensions.
    pub fn ndim(&self) -> usize {
        self.window.shape.len()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.window.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.window.is_empty()
    }

    /// What the handle stands for.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Strides in elements.
    pub fn strides(&self) -> &[isize] {
        &self.window.strides
    }

    /// Whether the value is known in estimate mode too.
    pub fn is_light(&self) -> bool {
        self.base.node.borrow().is_light()
    }

    /// The same data as a NumPy scalar if it has no dimensions.
    #[must_use]
    pub fn into_scalar(self) -> Self {
        if self.ndim() == 0 && self.kind == Kind::Array {
            Self {
                kind: Kind::Scalar,
                ..self
            }
        } else {
            self
        }
    }

    /// The same data as an array.
    #[must_use]
    pub fn into_array(self) -> Self {
        Self {
            kind: Kind::Array,
            ..self
        }
    }

    /// The same data as a Python scalar operand.
    #[must_use]
    pub fn into_python(self, weak: Weak) -> Self {
        Self {
            kind: Kind::Python(weak),
            ..self
        }
    }

    /// A handle that must not be written through.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self {
            writable: false,
            ..self
        }
    }

    /// Whether both handles look at the same base.
    pub fn shares_base(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.base, &other.base)
    }

    /// Whether the window is all of the base in row-major order.
    fn is_whole(&self) -> bool {
        self.window.is_contiguous() && self.window.offset == 0 && self.len() == self.base.node.borrow().len()
    }

    /// The current value as a node of this handle's shape.
    pub fn snapshot(&self) -> Rc<Node> {
        let node = self.base.node.borrow().clone();
        let (shape, dtype) = (self.window.shape.clone(), node.dtype());
        if self.is_whole() {
            if node.shape() == self.shape() {
                return node;
            }
            return Node::reusing(&shape, dtype, vec![node], |mut held| Ok(Made::Same(held.remove(0))));
        }
        let window = self.window.clone();
        Node::lazy(&shape, dtype, vec![node], move |held| buffer::gather(&held[0], &window))
    }

    /// The elements in row-major order.
    ///
    /// # Errors
    /// As [`force`].
    pub fn force(&self, host: &dyn Host) -> Result<Rc<Held>, Demand> {
        force(&self.snapshot(), host)
    }

    /// The same window seen with other extents and strides.
    fn with_window(&self, window: Window) -> Self {
        Self {
            base: self.base.clone(),
            window,
            kind: Kind::Array,
            writable: self.writable,
        }
    }

    /// A view: `offset` elements further, with other extents and strides.
    pub fn view_window(&self, offset: isize, shape: Vec<usize>, strides: Vec<isize>) -> Self {
        let offset = (self.window.offset as isize + offset).max(0) as usize;
        self.with_window(Window { offset, shape, strides })
    }

    /// A copy with its own storage.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self::from_node(self.snapshot())
    }

    /// The elements in another shape of the same size; a view when the window is contiguous, else a copy.
    ///
    /// # Errors
    /// `shape` when sizes differ.
    pub fn reshape(&self, shape: &[usize]) -> Result<Self, Fault> {
        if element_count(shape)? != self.len() {
            let message = format!(
                "cannot reshape array of size {} into shape {}",
                self.len(),
                show_shape(shape)
            );
            let hint = format!("the array has shape {}", show_shape(self.shape()));
            return Err(Fault::new(Code::Shape, message).hint(hint));
        }
        if self.window.is_contiguous() {
            return Ok(self.view_window(0, shape.to_vec(), row_major(shape)));
        }
        self.copy().reshape(shape)
    }

    /// A view with axes in the given order (a permutation of all axes).
    #[must_use]
    pub fn permute(&self, axes: &[usize]) -> Self {
        let shape = axes.iter().map(|&axis| self.window.shape[axis]).collect();
        let strides = axes.iter().map(|&axis| self.window.strides[axis]).collect();
        self.view_window(0, shape, strides)
    }

    /// A read-only view repeated along missing and unit axes.
    ///
    /// # Errors
    /// `shape` when the shapes do not broadcast.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Self, Fault> {
        let wrong = || {
            let message = format!(
                "array of shape {} cannot be broadcast to shape {}",
                show_shape(self.shape()),
                show_shape(shape)
            );
            Fault::new(Code::Shape, message)
        };
        let missing = shape.len().checked_sub(self.ndim()).ok_or_else(wrong)?;
        let mut strides = vec![0; shape.len()];
        for (axis, &extent) in self.window.shape.iter().enumerate() {
            if extent == shape[missing + axis] {
                strides[missing + axis] = self.window.strides[axis];
            } else if extent != 1 {
                return Err(wrong());
            }
        }
        element_count(shape)?;
        Ok(self.view_window(0, shape.to_vec(), strides).read_only())
    }

    /// The elements converted to `dtype`; a copy.
    ///
    /// # Errors
    /// `dtype` for conversions that do not exist.
    pub fn astype(&self, dtype: Dtype) -> Result<Self, Fault> {
        let from = self.dtype();
        if from == dtype {
            return Ok(Self {
                kind: self.kind,
                ..self.copy()
            });
        }
        if from.is_packed() || dtype.is_packed() {
            let message = format!("cannot convert {} to {}", numpy_name(from), numpy_name(dtype));
            return Err(Fault::new(Code::Dtype, message).hint("reinterpret the bytes with .view(dtype)"));
        }
        let made = Self::lazy(self.shape(), dtype, &[self], move |held| {
            Ok(buffer::cast(&held[0], from, dtype))
        })?;
        Ok(Self {
            kind: if self.kind == Kind::Array {
                Kind::Array
            } else {
                Kind::Scalar
            },
            ..made
        })
    }

    /// The bytes seen as `dtype`; the last axis grows or shrinks with the element size. The result is read-only.
    ///
    /// # Errors
    /// `shape` when the last axis is not a multiple of the new element.
    pub fn view_dtype(&self, dtype: Dtype) -> Result<Self, Fault> {
        let from = self.dtype();
        let (old, new) = (from.bytes() as usize, dtype.bytes() as usize);
        let mut shape = self.window.shape.clone();
        if old != new {
            let bytes = shape.last().map(|&last| last * old).filter(|bytes| bytes % new == 0);
            let (Some(bytes), Some(last)) = (bytes, shape.last_mut()) else {
                let message = format!(
                    "cannot view shape {} of {} as {}: the last axis is not a multiple of {new} bytes",
                    show_shape(self.shape()),
                    numpy_name(from),
                    numpy_name(dtype)
                );
                return Err(Fault::new(Code::Shape, message));
            };
            *last = bytes / new;
        }
        let same_storage = from != Dtype::Bool
            && dtype != Dtype::Bool
            && std::mem::discriminant(&buffer::zeros(from, 0)) == std::mem::discriminant(&buffer::zeros(dtype, 0));
        let node = Node::reusing(&shape, dtype, vec![self.snapshot()], move |mut held| {
            Ok(if same_storage {
                Made::Same(held.remove(0))
            } else {
                Made::New(buffer::from_le_bytes(dtype, &held[0].to_le_bytes()))
            })
        });
        Ok(Self::from_node(node).read_only())
    }

    /// Replaces the elements of this handle's window in its base; `values` broadcasts and is converted.
    ///
    /// # Errors
    /// `value` when the handle is read-only, `shape` when shapes do not fit.
    pub fn write(&self, values: &Self) -> Result<(), Fault> {
        self.check_writable()?;
        let values = match (values.kind, self.dtype().is_integer()) {
            (Kind::Python(Weak::Int), true) => values.fit(self.dtype())?,
            _ => values.astype(self.dtype())?,
        };
        // NumPy drops leading unit axes of the value that the target does not have.
        let extra = values.ndim().saturating_sub(self.ndim());
        let values = if extra > 0 && values.shape()[..extra].iter().all(|&extent| extent == 1) {
            values.reshape(&values.shape()[extra..])?
        } else {
            values
        };
        self.write_node(values.broadcast_to(self.shape())?.snapshot());
        Ok(())
    }

    /// A Python integer in `dtype`, checked against its range.
    fn fit(&self, dtype: Dtype) -> Result<Self, Fault> {
        match self.snapshot_item() {
            Some(item) => Ok(Self::ready(&[], dtype, item.store(dtype)?)),
            None => self.astype(dtype),
        }
    }

    /// The element of a Python scalar operand; `None` if it is not computed, or if there is none.
    pub fn snapshot_item(&self) -> Option<Item> {
        if self.is_empty() {
            return None;
        }
        let data = self.snapshot().ready_data()?;
        Some(item_at(&data, self.dtype(), 0))
    }

    /// Fails for handles that share bytes with nobody (`view(dtype)`) or repeat elements (`broadcast_to`).
    ///
    /// # Errors
    /// `value` when the handle is read-only.
    pub fn check_writable(&self) -> Result<(), Fault> {
        if self.writable {
            return Ok(());
        }
        Err(Fault::new(Code::Value, "assignment destination is read-only")
            .hint("views by .view(dtype) and np.broadcast_to cannot be written; write to a .copy()"))
    }

    /// Replaces the window by a node of the same shape and dtype.
    fn write_node(&self, value: Rc<Node>) {
        let (old, shape, dtype) = {
            let node = self.base.node.borrow();
            (node.clone(), node.shape().to_vec(), node.dtype())
        };
        let new = if self.is_whole() {
            Node::reusing(&shape, dtype, vec![value], |mut held| Ok(Made::Same(held.remove(0))))
        } else {
            let window = self.window.clone();
            Node::reusing(&shape, dtype, vec![old, value], move |mut held| {
                let value = held.remove(1);
                let mut buf = take_buf(held.remove(0));
                buffer::scatter(&mut buf, &window, &value)?;
                Ok(Made::New(buf))
            })
        };
        self.base.node.replace(new);
    }

    /// The result of an in-place operator: `values` must be storable under the `same_kind` rule.
    ///
    /// # Errors
    /// `dtype` when the cast loses its kind, else as [`Array::write`].
    pub fn write_in_place(&self, values: &Self, operation: &str) -> Result<(), Fault> {
        let (from, to) = (values.dtype(), self.dtype());
        if !can_store(from, to) {
            let message = format!(
                "cannot cast the result of '{operation}' from {} to {} in place",
                numpy_name(from),
                numpy_name(to)
            );
            return Err(Fault::new(Code::Dtype, message).hint("write a = a + b, or convert one side with astype"));
        }
        self.write(values)
    }

    /// The storage bytes: row-major, little endian.
    ///
    /// # Errors
    /// As [`force`].
    pub fn to_bytes(&self, host: &dyn Host) -> Result<Vec<u8>, Demand> {
        Ok(self.force(host)?.to_le_bytes())
    }

    /// An array from storage bytes.
    ///
    /// # Errors
    /// `shape` when the length does not fit.
    pub fn from_bytes(shape: &[usize], dtype: Dtype, bytes: &[u8]) -> Result<Self, Fault> {
        let expected = element_count(shape)? * dtype.bytes() as usize;
        if expected != bytes.len() {
            let message = format!(
                "{} bytes given for shape {} of {}, which needs {expected}",
                bytes.len(),
                show_shape(shape),
                numpy_name(dtype)
            );
            return Err(Fault::new(Code::Shape, message));
        }
        Ok(Self::ready(shape, dtype, buffer::from_le_bytes(dtype, bytes)))
    }

    /// The only element.
    ///
    /// # Errors
    /// `value` when there are several or none, else as [`force`].
    pub fn item(&self, host: &dyn Host) -> Result<Item, Demand> {
        if self.len() != 1 {
            let message = format!("an array of shape {} has no single value", show_shape(self.shape()));
            return Err(Fault::new(Code::Value, message)
                .hint("reduce it first, or index one element")
                .into());
        }
        Ok(item_at(&*self.force(host)?, self.dtype(), 0))
    }

    /// All elements as numbers, row-major.
    ///
    /// # Errors
    /// As [`force`].
    pub fn items(&self, host: &dyn Host) -> Result<Vec<Item>, Demand> {
        let held = self.force(host)?;
        let dtype = self.dtype();
        let lanes = buffer::lanes(&held, dtype);
        Ok((0..self.len()).map(|i| lane_item(&lanes, i)).collect())
    }
}

/// Element `i` of native lanes.
pub fn lane_item(lanes: &Buf, i: usize) -> Item {
    match lanes {
        Buf::Bool(v) => Item::Bool(v[i]),
        Buf::F32(v) => Item::Float(f64::from(v[i])),
        Buf::F64(v) => Item::Float(v[i]),
        other => Item::Int(other.raw_int(i)),
    }
}

/// Element `i` of storage of `dtype`.
pub fn item_at(buf: &Buf, dtype: Dtype, i: usize) -> Item {
    lane_item(&buffer::lanes(&buf.slice(i, i + 1), dtype), 0)
}
