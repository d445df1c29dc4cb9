//! `NkiTensor`: a window with a name, and its Python methods.

use std::cell::Cell;
use std::rc::Rc;

use smallvec::SmallVec;

use crate::base::diag::{Code, Fault};
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{Args, Builtin};
use crate::interp::convert::{dtype_of, dtype_value};
use crate::interp::native::{Answer, NativeObject};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::{Bound, Value};
use crate::isa::Inst;
use crate::isa::ops::print::DeviceAssert;
use crate::isa::param::In;
use crate::numerics::dtype::Dtype;
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::tensor::buffer::Space;
use crate::tensor::view::{IndexSource, ViewId};
use crate::tensor::window::{Ap, Index, Window};

use super::indexing::{index_item, index_source};
use super::legacy;
use super::member::region;
use super::tracing::{deprecated, tracing};

/// A tensor in one of the device memories.
#[derive(Clone, Debug)]
pub struct NkiTensor {
    /// The name that people see.
    pub name: Rc<str>,
    /// The view.
    pub window: Window,
    /// The launch that it belongs to.
    generation: u32,
    /// Its id in the tables of the launch, once an instruction used it.
    view: Cell<Option<ViewId>>,
}

impl NkiTensor {
    /// A tensor of the launch `generation`.
    pub fn new(name: Rc<str>, window: Window, generation: u32) -> Self {
        Self {
            name,
            window,
            generation,
            view: Cell::new(None),
        }
    }

    /// The same tensor seen through another window.
    pub fn with(&self, window: Window) -> Self {
        Self::new(self.name.clone(), window, self.generation)
    }

    /// The view that instructions use.
    ///
    /// # Errors
    /// The tensor belongs to another launch.
    pub fn view(&self, cx: &mut Interp) -> Result<ViewId> {
        if let Some(view) = self.view.get()
            && self.is_current(cx)
        {
            return Ok(view);
        }
        let tracing = tracing(cx, "a tensor")?;
        if tracing.generation != self.generation {
            let message = format!("tensor {} belongs to another launch", self.name);
            return Err(Fault::new(Code::Value, message)
                .hint("pass arrays between kernels through the host")
                .into());
        }
        let window = &self.window;
        let index = window.indirect.map(|indirection| indirection.index);
        let view = tracing
            .builder
            .view(window.buffer, window.offset, window.pattern(), index);
        self.view.set(Some(view));
        Ok(view)
    }

    fn is_current(&self, cx: &mut Interp) -> bool {
        tracing(cx, "a tensor").is_ok_and(|tracing| tracing.generation == self.generation)
    }

    /// `a [128, 64] float32 in sbuf`, for messages.
    pub fn describe(&self) -> String {
        format!("{} {}", self.name, self.window.describe())
    }

    /// A method of older kernels, bound to this tensor.
    fn older_method(&self, name: &str) -> Answer {
        let row = OLDER_METHODS.iter().find(|row| row.name == name);
        Ok(row.map(|row| {
            Value::Bound(Rc::new(Bound {
                receiver: Value::native(self.clone()),
                function: Value::Builtin(row),
            }))
        }))
    }

    /// The shape as a Python tuple.
    pub fn shape_value(&self) -> Value {
        let sizes: Vec<usize> = self.window.dims.iter().map(|dim| dim.num as usize).collect();
        Value::shape(&sizes)
    }
}

impl NativeObject for NkiTensor {
    fn type_name(&self) -> &str {
        "NkiTensor"
    }

    fn methods(&self) -> &'static [Builtin] {
        METHODS
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        let dims = &self.window.dims;
        Ok(Some(match name {
            "shape" => self.shape_value(),
            "dtype" => dtype_value(self.window.dtype),
            "ndim" => Value::from(dims.len()),
            "size" => Value::Int(self.window.size() as i64),
            "strides" => Value::tuple(dims.iter().map(|dim| Value::Int(dim.step))),
            "offset" => Value::Int(self.window.offset as i64),
            "name" => Value::Str(self.name.clone()),
            "buffer" => region(self.window.space),
            _ => return self.older_method(name),
        }))
    }

    fn attribute_names(&self) -> Vec<String> {
        ATTRIBUTES.iter().map(|(name, _)| (*name).to_owned()).collect()
    }

    fn getitem(&self, cx: &mut Interp, index: &Value) -> Answer {
        let items: &[Value] = match index {
            Value::Tuple(items) => items,
            single => std::slice::from_ref(single),
        };
        let mesh = index.downcast::<legacy::grids::Mesh>().map(legacy::grids::Mesh::grids);
        self.getitem_of(cx, mesh.as_deref().unwrap_or(items))
    }

    fn getitem_of(&self, cx: &mut Interp, items: &[Value]) -> Answer {
        if let Some(window) = legacy::grids::index_grids(cx, self, items)? {
            return Ok(Some(Value::native(self.with(window))));
        }
        let mut keys: SmallVec<[Index; 4]> = SmallVec::with_capacity(items.len());
        for item in items {
            keys.push(index_item(cx, item)?);
        }
        let window = self.window.index(&keys).map_err(|fault| Fault {
            message: format!("{}: {}", self.name, fault.message),
            ..fault
        })?;
        Ok(Some(Value::native(self.with(window))))
    }

    fn setitem(&self, cx: &mut Interp, index: &Value, value: &Value) -> Result<bool> {
        legacy::assign(cx, self, index, value)?;
        Ok(true)
    }

    fn binary(&self, cx: &mut Interp, op: BinaryOp, other: &Value, reflected: bool) -> Answer {
        legacy::operator(cx, self, op, other, reflected)
    }

    fn in_place(&self, cx: &mut Interp, op: BinaryOp, other: &Value) -> Answer {
        legacy::in_place(cx, self, op, other)
    }

    fn unary(&self, cx: &mut Interp, op: UnaryOp) -> Answer {
        legacy::unary(cx, self, op)
    }

    fn len(&self, _cx: &mut Interp) -> Result<Option<usize>> {
        Ok(self.window.dims.first().map(|dim| dim.num as usize))
    }

    fn truth(&self, cx: &mut Interp) -> Result<Value> {
        // Older kernels ask in this way whether an optional argument was passed.
        if !self.window.space.is_on_chip() && legacy::is_legacy(cx) {
            return Ok(Value::Bool(true));
        }
        Err(Raised::type_error(format!(
            "the values of tensor {} are not known while the kernel is traced, so no branch can depend on them",
            self.name
        ))
        .hint("select values with nl.where or a predicated instruction"))
    }

    fn assert_later(&self, cx: &mut Interp, text: &str) -> Result<bool> {
        let (tensor, loc) = (In(self.view(cx)?), cx.loc());
        let builder = &mut tracing(cx, "a tensor")?.builder;
        let condition = builder.text(text);
        builder.emit(Inst::DeviceAssert(DeviceAssert { condition, tensor }), loc)?;
        Ok(true)
    }

    fn repr(&self, _cx: &mut Interp) -> Result<String> {
        Ok(format!("<NkiTensor {}>", self.describe()))
    }
}

/// Attributes of a tensor and what they tell; all are known while the kernel is traced.
pub static ATTRIBUTES: &[(&str, &str)] = &[
    ("shape", "Sizes of the dimensions."),
    ("strides", "Elements between neighbours along each dimension."),
    ("offset", "First element, counted from the start of the storage."),
    ("name", "The name that messages and the profile show."),
    ("dtype", "How the bits of an element are read."),
    ("buffer", "The memory that holds the storage."),
    ("ndim", "Number of dimensions."),
    ("size", "Number of elements."),
];

/// A tensor that `NkiTensor(...)` made without a storage: it has a shape and a dtype, but no data.
pub struct Placeholder {
    name: Rc<str>,
    shape: Vec<u32>,
    dtype: Dtype,
    space: Space,
}

impl NativeObject for Placeholder {
    fn type_name(&self) -> &str {
        "NkiTensor"
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        let sizes: Vec<usize> = self.shape.iter().map(|&size| size as usize).collect();
        let size: i64 = self.shape.iter().map(|&size| i64::from(size)).product();
        Ok(match name {
            "shape" => Some(Value::shape(&sizes)),
            "dtype" => Some(dtype_value(self.dtype)),
            "ndim" => Some(Value::from(sizes.len())),
            "size" => Some(Value::Int(size)),
            "name" => Some(Value::Str(self.name.clone())),
            "buffer" => Some(region(self.space)),
            _ => None,
        })
    }

    fn repr(&self, _cx: &mut Interp) -> Result<String> {
        let (shape, dtype, space) = (&self.shape, self.dtype.name(), self.space.name());
        Ok(format!(
            "<NkiTensor {} {shape:?} {dtype} in {space}, without storage>",
            self.name
        ))
    }
}

/// `NkiTensor(shape, dtype, storage, buffer, name)`. Storages belong to frameworks; without one the tensor only describes.
fn construct(args: &Args) -> Result<Value> {
    if args.some(3).is_some() {
        return Err(Raised::argument_error(
            "NkiTensor() binds a storage that a framework hands out, and there is none here",
        )
        .hint("allocate a tensor with nl.ndarray(shape, dtype, buffer=...)"));
    }
    let shape = super::convert_shape(args, 1)?;
    let dtype = dtype_of(args.value(2)).ok_or_else(|| args.wrong(2, "a dtype, such as nl.float32"))?;
    let space = super::convert_space(args, 4, Space::Sbuf)?;
    let name = args.str_or(5, "")?.into();
    Ok(Value::native(Placeholder {
        name,
        shape,
        dtype,
        space,
    }))
}

/// `tensor[key]` by name.
fn item(cx: &mut Interp, args: &Args) -> Result<Value> {
    let found = receiver(args)?.getitem(cx, args.value(1))?;
    found.ok_or_else(|| args.wrong(1, "integers, slices, '...' or nl.ds(start, size)"))
}

/// The tensor that a method was called on.
fn receiver(args: &Args) -> Result<NkiTensor> {
    args.receiver::<NkiTensor>().cloned()
}

/// A list of integers.
pub(super) fn integers(args: &Args, at: usize) -> Result<Vec<i64>> {
    let items = args.value(at).as_items();
    let numbers = items.and_then(|items| items.iter().map(Value::as_int).collect::<Option<Vec<_>>>());
    numbers.ok_or_else(|| args.wrong(at, "a tuple of integers"))
}

/// The result of a view operation.
fn viewed(tensor: &NkiTensor, window: std::result::Result<Window, Fault>) -> Result<Value> {
    Ok(Value::native(tensor.with(window?)))
}

/// The `[step, count]` pairs of `ap`.
fn pattern(args: &Args) -> Result<Vec<(i64, i64)>> {
    let pair = |item: &Value| match item.as_items()?.as_slice() {
        [step, count] => Some((step.as_int()?, count.as_int()?)),
        _ => None,
    };
    let items = args.value(1).as_items();
    let pairs = items.and_then(|items| items.iter().map(pair).collect::<Option<Vec<_>>>());
    pairs.ok_or_else(|| args.wrong(1, "a list of [step, count] pairs"))
}

/// One side of `rearrange`: names and groups of names.
fn axes(args: &Args, at: usize) -> Result<Vec<Vec<String>>> {
    let group = |item: &Value| match item.as_str() {
        Some(name) => Some(vec![name.to_owned()]),
        None => item
            .as_items()?
            .iter()
            .map(|name| name.as_str().map(str::to_owned))
            .collect(),
    };
    let items = args.value(at).as_items();
    let groups = items.and_then(|items| items.iter().map(group).collect::<Option<Vec<_>>>());
    groups.ok_or_else(|| args.wrong(at, "a tuple of names and tuples of names"))
}

fn ap(cx: &mut Interp, args: &mut Args) -> Result<Value> {
    let tensor = receiver(args)?;
    let mut index = None;
    for (at, vector) in [(3, false), (4, true)] {
        let Some(value) = args.some(at).cloned() else { continue };
        let source = index_source(cx, &value, vector)?.ok_or_else(|| args.wrong(at, "a tile in sbuf or a register"))?;
        if index.replace(source).is_some() {
            return Err(Raised::argument_error(
                "ap() takes scalar_offset or vector_offset, not both",
            ));
        }
    }
    let dtype = match args.some(6) {
        None => None,
        Some(value) => Some(dtype_of(value).ok_or_else(|| args.wrong(6, "a dtype"))?),
    };
    let offset = if args.some(2).is_some() {
        Some(args.int(2)?)
    } else {
        None
    };
    let request = Ap {
        pattern: pattern(args)?,
        offset,
        index,
        indirect_dim: args.int_or(5, 0)?,
        dtype,
    };
    viewed(&tensor, tensor.window.ap(&request))
}

fn select(cx: &mut Interp, args: &mut Args) -> Result<Value> {
    let tensor = receiver(args)?;
    let dim = args.int(1)?;
    let index = args.value(2).clone();
    if let Some(at) = index.as_int() {
        return viewed(&tensor, tensor.window.select(dim, at));
    }
    let source =
        index_source(cx, &index, false)?.ok_or_else(|| args.wrong(2, "an integer or a tile of shape (1, 1)"))?;
    viewed(&tensor, tensor.window.select_dynamic(dim, source))
}

fn rearrange(args: &Args) -> Result<Value> {
    let tensor = receiver(args)?;
    let (src, dst) = (axes(args, 1)?, axes(args, 2)?);
    let mut sizes = Vec::new();
    if let Some(Value::Dict(dict)) = args.some(3) {
        for entry in dict.borrow().iter() {
            let pair = entry
                .key
                .as_str()
                .zip(entry.value.as_int())
                .ok_or_else(|| args.wrong(3, "a dictionary of sizes by name"))?;
            sizes.push((pair.0.to_owned(), pair.1));
        }
    }
    let sizes: Vec<(&str, i64)> = sizes.iter().map(|(name, size)| (name.as_str(), *size)).collect();
    fn borrow(groups: &[Vec<String>]) -> Vec<Vec<&str>> {
        groups
            .iter()
            .map(|group| group.iter().map(String::as_str).collect())
            .collect()
    }
    viewed(&tensor, tensor.window.rearrange(&borrow(&src), &borrow(&dst), &sizes))
}

fn view(args: &Args) -> Result<Value> {
    let tensor = receiver(args)?;
    let dtype = dtype_of(args.value(1)).ok_or_else(|| args.wrong(1, "a dtype"))?;
    viewed(&tensor, tensor.window.reinterpret(dtype))
}

builtin! {
    /// Methods of `NkiTensor`.
    pub METHODS;
    /// A description without data; tensors with data come from `nl.ndarray`.
    "__init__" "(self, shape, dtype, storage, buffer=sbuf, name='')" => |_cx, args| construct(args);
    /// A view by integers, slices, `...` and `nl.ds`. On chip an integer keeps dimension 0, and two dimensions remain.
    "__getitem__" "(self, key)" => |cx, args| item(cx, args);
    /// Kernels of the present API do not assign to tensors; `nisa.tensor_copy` writes to a view.
    "__setitem__" "(self, key, value)" => |cx, args| {
        let (tensor, value) = (receiver(args)?, args.value(2).clone());
        legacy::assign(cx, &tensor, args.value(1), &value)?;
        Ok(Value::None)
    };
    /// Whether the elements lie one behind the other (in each partition, on chip).
    "is_contiguous" "(self)" => |_cx, args| Ok(Value::Bool(receiver(args)?.window.is_contiguous()));
    /// The access pattern as `[[step, count], ...]`.
    "get_pattern" "(self)" => |_cx, args| {
        let pairs = receiver(args)?.window.dims.iter().map(|dim| {
            Value::list(vec![Value::Int(dim.step), Value::Int(i64::from(dim.num))])
        }).collect();
        Ok(Value::list(pairs))
    };
    /// Whether the view carries a run-time index.
    "is_indirect" "(self)" => |_cx, args| Ok(Value::Bool(receiver(args)?.window.is_indirect()));
    /// Reorders the dimensions.
    "permute" "(self, dims)" => |_cx, args| {
        let tensor = receiver(args)?;
        viewed(&tensor, tensor.window.permute(&integers(args, 1)?))
    };
    /// Repeats a dimension of size 1.
    "broadcast" "(self, dim, size)" => |_cx, args| {
        let tensor = receiver(args)?;
        viewed(&tensor, tensor.window.broadcast(args.int(1)?, args.int(2)?))
    };
    /// Inserts a dimension of size 1.
    "expand_dim" "(self, dim)" => |_cx, args| {
        let tensor = receiver(args)?;
        viewed(&tensor, tensor.window.expand_dim(args.int(1)?))
    };
    /// Removes a dimension of size 1.
    "squeeze_dim" "(self, dim)" => |_cx, args| {
        let tensor = receiver(args)?;
        viewed(&tensor, tensor.window.squeeze_dim(args.int(1)?))
    };
    /// Splits a dimension; one size may be -1.
    "reshape_dim" "(self, dim, shape)" => |_cx, args| {
        let tensor = receiver(args)?;
        viewed(&tensor, tensor.window.reshape_dim(args.int(1)?, &integers(args, 2)?))
    };
    /// Merges neighbouring dimensions, both ends included.
    "flatten_dims" "(self, start_dim, end_dim)" => |_cx, args| {
        let tensor = receiver(args)?;
        viewed(&tensor, tensor.window.flatten_dims(args.int(1)?, args.int(2)?))
    };
    /// Another shape for the same elements, without a copy.
    "reshape" "(self, shape)" => |_cx, args| {
        let tensor = receiver(args)?;
        viewed(&tensor, tensor.window.reshape(&integers(args, 1)?))
    };
    /// Splits, reorders and merges named dimensions.
    "rearrange" "(self, src_pattern, dst_pattern, fixed_sizes=None)" => |_cx, args| rearrange(args);
    /// Elements `start` to `end` of one dimension, `step` apart.
    "slice" "(self, dim, start, end, step=1)" => |_cx, args| {
        let tensor = receiver(args)?;
        viewed(&tensor, tensor.window.slice(args.int(1)?, args.int(2)?, args.int(3)?, args.int_or(4, 1)?))
    };
    /// One element of a dimension, at a known or a run-time index.
    "select" "(self, dim, index)" => select;
    /// Rows of an HBM tensor at run-time indices, one for each partition.
    "vector_select" "(self, dim, vector_offset)" => |cx, args| {
        let tensor = receiver(args)?;
        let offsets = args.native::<NkiTensor>(2, "a tile in sbuf")?.clone();
        let source = IndexSource::Vector(offsets.view(cx)?);
        let count = offsets.window.dims.first().map_or(1, |dim| dim.num);
        viewed(&tensor, tensor.window.vector_select(args.int(1)?, source, count))
    };
    /// An explicit access pattern on the storage.
    "ap" "(self, pattern, offset=None, scalar_offset=None, vector_offset=None, indirect_dim=0, dtype=None)" => ap;
    /// The same bits as another dtype.
    "view" "(self, dtype)" => |_cx, args| view(args);
    /// The same bits as another dtype.
    "reinterpret_cast" "(self, dtype)" => |_cx, args| view(args);
    /// Elements at run-time offsets of the free dimension (NeuronCore-v4).
    "indirect" "(self, index, num_elem=None)" => |cx, args| {
        let tensor = receiver(args)?;
        let index = args.native::<NkiTensor>(1, "a tile in sbuf")?.clone();
        let count = if args.some(2).is_some() { args.size(2)? as u64 } else { index.window.size() };
        let source = IndexSource::Free(index.view(cx)?);
        viewed(&tensor, tensor.window.indirect_free(source, count as u32))
    };
}

builtin! {
    /// Methods of `NkiTensor` that only older kernels use.
    pub OLDER_METHODS;
    /// The tile repeated to a larger shape.
    "broadcast_to" "(self, shape)" => |cx, args| {
        let tensor = receiver(args)?;
        let shape = super::convert_shape(args, 1)?;
        deprecated(cx, args.call_span(), "NkiTensor.broadcast_to() is from an older NKI", "write nl.broadcast_to(x, shape), or x.broadcast(dim, size) for a view");
        super::language::shape::broadcast_to(cx, &tensor, &shape, None)
    };
}
