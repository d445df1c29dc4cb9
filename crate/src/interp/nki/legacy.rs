//! The dialect of `neuronxcc.nki`, in which many published kernels are still written.
//!
//! There instructions return their result, tensors have operators and can be assigned to, and index arrays address tiles. All of
//! it lowers to the same instructions. Kernels of the present API get an error with the rewrite instead.

use std::rc::Rc;

use crate::base::diag::{Code, Fault};
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{Arg as CallArg, CallArgs, NOWHERE};
use crate::interp::native::{Answer, NativeObject};
use crate::interp::raised::{Raised, Result};
use crate::interp::scope::ModuleId;
use crate::interp::value::Value;
use crate::isa::spec::Entry;
use crate::numerics::dtype::Dtype;
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::tensor::buffer::Space;
use crate::tensor::window::{AxisIndex, Grid, Window};

use super::isa::issue;
use super::language::{math, program, unary};
use super::tensor::NkiTensor;
use super::tracing::{Request, allocate, tracing};

/// Whether the kernel being traced uses this dialect.
fn is_legacy(cx: &mut Interp) -> bool {
    tracing(cx, "a tensor").is_ok_and(|tracing| tracing.legacy)
}

/// An array of indices: `nl.arange(128)[:, None]`.
pub struct IndexGrid(pub Grid);

impl NativeObject for IndexGrid {
    fn type_name(&self) -> &str {
        "index array"
    }

    fn getitem(&self, _cx: &mut Interp, index: &Value) -> Answer {
        let single = [index.clone()];
        let items: &[Value] = match index {
            Value::Tuple(items) => items,
            _ => &single,
        };
        let mut grid = self.0.clone();
        for (axis, item) in items.iter().enumerate() {
            match item {
                Value::None => grid = grid.expand(axis),
                Value::Slice(slice) if slice.start.is_none() && slice.stop.is_none() && slice.step.is_none() => {}
                _ => return Err(Raised::index_error("an index array takes ':' and None only")),
            }
        }
        Ok(Some(Value::native(Self(grid))))
    }

    fn binary(&self, _cx: &mut Interp, op: BinaryOp, other: &Value, reflected: bool) -> Answer {
        let grid = self.0.clone();
        let grid = match (op, other.as_int(), other.downcast::<Self>()) {
            (BinaryOp::Add, Some(number), _) => grid.shifted(number),
            (BinaryOp::Sub, Some(number), _) if !reflected => grid.shifted(-number),
            (BinaryOp::Mul, Some(number), _) => grid.scaled(number),
            (BinaryOp::Add, None, Some(other)) => grid.plus(&other.0)?,
            _ => return Ok(None),
        };
        Ok(Some(Value::native(Self(grid))))
    }
}

/// The window that index arrays address, if there are any among `items`.
///
/// # Errors
/// Indices that leave the tensor or do not form an access pattern.
pub fn index_grids(_cx: &mut Interp, tensor: &NkiTensor, items: &[Value]) -> Result<Option<Window>> {
    if !items.iter().any(|item| item.downcast::<IndexGrid>().is_some()) {
        return Ok(None);
    }
    let axes = items
        .iter()
        .map(|item| match (item.downcast::<IndexGrid>(), item.as_int()) {
            (Some(grid), _) => Ok(AxisIndex::Grid(grid.0.clone())),
            (None, Some(at)) => Ok(AxisIndex::At(at)),
            (None, None) => Err(Raised::index_error("index arrays can be mixed with integers only")),
        });
    let axes = axes.collect::<Result<Vec<_>>>()?;
    let window = tensor.window.index_grids(&axes).map_err(|fault| Fault {
        message: format!("{}: {}", tensor.name, fault.message),
        ..fault
    })?;
    Ok(Some(window))
}

/// The `nl` function behind an operator.
fn function(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Add => "add",
        BinaryOp::Sub => "subtract",
        BinaryOp::Mul => "multiply",
        BinaryOp::Div => "divide",
        BinaryOp::Pow => "power",
        BinaryOp::BitAnd => "bitwise_and",
        BinaryOp::BitOr => "bitwise_or",
        BinaryOp::BitXor => "bitwise_xor",
        _ => return None,
    })
}

/// The error of an operator in a kernel of the present API.
fn no_operators(tensor: &NkiTensor, instead: &str) -> Raised {
    Raised::type_error(format!("tensor {} has no operators", tensor.name)).hint(format!("write {instead}"))
}

/// `tensor <op> other`.
///
/// # Errors
/// The kernel uses the present API, or the operands do not fit.
pub fn operator(cx: &mut Interp, tensor: &NkiTensor, op: BinaryOp, other: &Value, reflected: bool) -> Answer {
    let Some(name) = function(op) else { return Ok(None) };
    if !is_legacy(cx) {
        return Err(no_operators(
            tensor,
            &format!("nl.{name}(a, b), or nisa.tensor_tensor with op=nl.{name}"),
        ));
    }
    let own = Value::native(tensor.clone());
    let (left, right) = if reflected {
        (other.clone(), own)
    } else {
        (own, other.clone())
    };
    math::binary(cx, name, &left, &right, None).map(Some)
}

/// `-tensor`.
///
/// # Errors
/// The kernel uses the present API.
pub fn unary(cx: &mut Interp, tensor: &NkiTensor, op: UnaryOp) -> Answer {
    if op != UnaryOp::Neg {
        return Ok(None);
    }
    if !is_legacy(cx) {
        return Err(no_operators(tensor, "nl.negative(x)"));
    }
    unary::unary(cx, "negative", tensor, None).map(Some)
}

/// `tensor <op>= other`: the result goes into the tensor itself.
///
/// # Errors
/// The kernel uses the present API, or the operands do not fit.
pub fn in_place(cx: &mut Interp, tensor: &NkiTensor, op: BinaryOp, other: &Value) -> Answer {
    let Some(name) = function(op) else { return Ok(None) };
    if !is_legacy(cx) {
        let instead = format!("nisa.tensor_tensor(dst=x, data1=x, data2=y, op=nl.{name})");
        return Err(no_operators(tensor, &instead));
    }
    let own = Value::native(tensor.clone());
    math::binary_into(cx, name, tensor, &own, other)?;
    Ok(Some(own))
}

/// `tensor[index] = value`.
///
/// # Errors
/// The kernel uses the present API, or the value does not fit.
pub fn assign(cx: &mut Interp, tensor: &NkiTensor, index: &Value, value: &Value) -> Result<()> {
    let target = match tensor.getitem(cx, index)? {
        Some(target) => target
            .downcast::<NkiTensor>()
            .cloned()
            .unwrap_or_else(|| tensor.clone()),
        None => tensor.clone(),
    };
    // `x[i] += y` has done its work on the view already.
    if value
        .downcast::<NkiTensor>()
        .is_some_and(|value| value.window == target.window)
    {
        return Ok(());
    }
    if !is_legacy(cx) {
        return Err(no_operators(tensor, "nisa.tensor_copy(dst=tensor[...], src=value)"));
    }
    program::fill_or_copy(cx, &target, value)
}

/// Whether a call of `entry` in the older form leaves out the destination.
pub fn lacks_destination(entry: &Entry, args: &CallArgs) -> bool {
    let params = entry.spec.params;
    if params.first().is_none_or(|param| param.name != "dst") || args.keywords.iter().any(|(name, _)| &**name == "dst")
    {
        return false;
    }
    let required = params.iter().enumerate().filter(|(_, param)| param.default.is_none());
    let missing =
        |at: usize, name: &str| args.positional.len() <= at && !args.keywords.iter().any(|(key, _)| &**key == name);
    let missing = required.filter(|(at, param)| missing(*at, param.name)).count();
    missing > 0
}

/// Calls `entry` with a new tile as its destination, and gives that tile.
///
/// # Errors
/// No rule for the shape of the result, or what the instruction says.
pub fn call_returning(cx: &mut Interp, entry: &'static Entry, mut args: CallArgs) -> Result<Value> {
    let dtype = args.keywords.iter().position(|(name, _)| &**name == "dtype");
    let dtype = dtype.map(|at| args.keywords.remove(at).1.value);
    let dtype = dtype.as_ref().and_then(crate::interp::convert::dtype_of);
    let tiles: Vec<NkiTensor> = (args.positional.iter())
        .chain(args.keywords.iter().map(|(_, arg)| arg))
        .filter_map(|arg| arg.value.downcast::<NkiTensor>().cloned())
        .collect();
    let Some(first) = tiles.first() else {
        return Err(Raised::argument_error(format!("{}() needs a tile", entry.spec.name)));
    };
    let (shape, dtype, space) = result_of(entry.spec.name, first, &tiles, dtype)?;
    let result = allocate(cx, Request::new(entry.spec.name, shape, dtype, space))?;
    let value = Value::native(result);
    args.positional.insert(
        0,
        CallArg {
            value: value.clone(),
            span: NOWHERE,
        },
    );
    issue(cx, entry, &args)?;
    Ok(value)
}

/// Shape, dtype and memory of the tile that an instruction of the older form returns.
fn result_of(
    op: &str,
    first: &NkiTensor,
    tiles: &[NkiTensor],
    dtype: Option<Dtype>,
) -> Result<(Vec<u32>, Dtype, Space)> {
    let shape = first.window.shape();
    let free = |tile: &NkiTensor| tile.window.dims.iter().skip(1).map(|dim| dim.num).product::<u32>();
    Ok(match (op, tiles) {
        ("nc_matmul", [stationary, moving, ..]) => (
            vec![free(stationary), free(moving)],
            dtype.unwrap_or(Dtype::F32),
            Space::Psum,
        ),
        ("nc_transpose", [data, ..]) => (
            vec![free(data), shape[0]],
            dtype.unwrap_or(data.window.dtype),
            Space::Psum,
        ),
        ("tensor_reduce" | "bn_stats" | "bn_aggr" | "nc_matmul_mx" | "max8", _) => {
            let message = format!("nki.isa.{op} needs a destination");
            return Err(
                Raised::from(Fault::new(Code::Unimplemented, message)).hint("pass dst= as the present API asks")
            );
        }
        _ => (shape, dtype.unwrap_or(first.window.dtype), Space::Sbuf),
    })
}

/// `nl.par_dim(n)`: marks the partition dimension in a shape with block dimensions.
pub struct PartitionDim(pub i64);

impl NativeObject for PartitionDim {
    fn type_name(&self) -> &str {
        "par_dim"
    }

    fn number(&self, _cx: &mut Interp) -> Answer {
        Ok(Some(Value::Int(self.0)))
    }
}

/// A tensor with block dimensions in front of the partition dimension: an array of tiles.
pub struct BlockTensor {
    blocks: Vec<u32>,
    tiles: Rc<[NkiTensor]>,
}

impl BlockTensor {
    /// Splits a shape at `par_dim`: block dimensions and tile shape. `None` if the partition dimension comes first.
    pub fn split(shape: &[Value]) -> Option<(Vec<u32>, Vec<Value>)> {
        let at = shape
            .iter()
            .position(|item| item.downcast::<PartitionDim>().is_some())?;
        let blocks: Option<Vec<u32>> = shape[..at].iter().map(|item| item.as_int()?.try_into().ok()).collect();
        blocks
            .filter(|blocks| !blocks.is_empty())
            .map(|blocks| (blocks, shape[at..].to_vec()))
    }

    /// An array of `blocks` tiles made by `make`.
    ///
    /// # Errors
    /// What `make` says.
    pub fn build(blocks: Vec<u32>, mut make: impl FnMut() -> Result<NkiTensor>) -> Result<Self> {
        let count: u32 = blocks.iter().product();
        let tiles = (0..count).map(|_| make()).collect::<Result<Vec<_>>>()?;
        Ok(Self {
            blocks,
            tiles: tiles.into(),
        })
    }

    /// The tile that the leading items of `index` choose, and the items that are left.
    fn pick(&self, index: &Value) -> Result<(NkiTensor, Value)> {
        let items = match index {
            Value::Tuple(items) => items.to_vec(),
            other => vec![other.clone()],
        };
        let mut at = 0;
        for (axis, &size) in self.blocks.iter().enumerate() {
            let chosen = items
                .get(axis)
                .and_then(Value::as_int)
                .filter(|&chosen| (0..i64::from(size)).contains(&chosen));
            let Some(chosen) = chosen else {
                return Err(Raised::index_error(format!(
                    "block dimension {axis} needs an integer below {size}"
                )));
            };
            at = at * size as usize + chosen as usize;
        }
        let rest: Vec<Value> = items[self.blocks.len()..].to_vec();
        let rest = if rest.is_empty() {
            Value::Ellipsis
        } else {
            Value::tuple(rest)
        };
        Ok((self.tiles[at].clone(), rest))
    }
}

impl NativeObject for BlockTensor {
    fn type_name(&self) -> &str {
        "NkiTensor"
    }

    fn getattr(&self, cx: &mut Interp, name: &str) -> Answer {
        match (name, self.tiles.first()) {
            ("shape", Some(tile)) => {
                let sizes = self.blocks.iter().copied().chain(tile.window.shape());
                Ok(Some(Value::tuple(sizes.map(|size| Value::Int(i64::from(size))))))
            }
            ("dtype" | "buffer", Some(tile)) => tile.getattr(cx, name),
            _ => Ok(None),
        }
    }

    fn getitem(&self, cx: &mut Interp, index: &Value) -> Answer {
        let (tile, rest) = self.pick(index)?;
        tile.getitem(cx, &rest)
    }

    fn setitem(&self, cx: &mut Interp, index: &Value, value: &Value) -> Result<bool> {
        let (tile, rest) = self.pick(index)?;
        assign(cx, &tile, &rest, value)?;
        Ok(true)
    }
}

/// `nl.nc(n)`: as many neighbouring programs as there are cores.
pub struct Cores(pub i64);

impl NativeObject for Cores {
    fn type_name(&self) -> &str {
        "nc"
    }
}

/// `nl.spmd_dim(n, nl.nc(2))`: a dimension of a launch grid whose neighbouring programs run on different cores.
pub struct SpmdDim {
    /// Programs along the dimension.
    pub size: i64,
    /// Cores that share it.
    pub cores: i64,
}

impl NativeObject for SpmdDim {
    fn type_name(&self) -> &str {
        "spmd_dim"
    }
}

/// `nl.mgrid`.
pub struct MeshGrid;

impl NativeObject for MeshGrid {
    fn type_name(&self) -> &str {
        "mgrid"
    }

    fn getitem(&self, _cx: &mut Interp, index: &Value) -> Answer {
        let single = [index.clone()];
        let items: &[Value] = match index {
            Value::Tuple(items) => items,
            _ => &single,
        };
        let count = items.len();
        let grids = items.iter().enumerate().map(|(axis, item)| {
            let Value::Slice(slice) = item else { return None };
            let start = if slice.start.is_none() {
                0
            } else {
                slice.start.as_int()?
            };
            let step = if slice.step.is_none() { 1 } else { slice.step.as_int()? };
            let mut grid = Grid::arange(start, slice.stop.as_int()?, step)?;
            for _ in 0..axis {
                grid = grid.expand(0);
            }
            for at in axis + 1..count {
                grid = grid.expand(at);
            }
            Some(Value::native(IndexGrid(grid)))
        });
        let grids: Option<Vec<Value>> = grids.collect();
        let grids = grids
            .ok_or_else(|| Raised::index_error("nl.mgrid takes slices start:stop, such as nl.mgrid[0:128, 0:512]"))?;
        Ok(Some(Value::tuple(grids)))
    }
}

builtin! {
    /// Functions that only the older dialect has.
    pub ROWS;
    /// Indices `start` to `stop`.
    "arange" "(start, stop=None, step=1)" => |_cx, args| {
        let first = args.int(0)?;
        let (start, stop) = if args.some(1).is_some() { (first, args.int(1)?) } else { (0, first) };
        let grid = Grid::arange(start, stop, args.int_or(2, 1)?);
        grid.map(|grid| Value::native(IndexGrid(grid))).ok_or_else(|| Raised::value_error("arange() is empty"))
    };
    /// Marks the partition dimension.
    "par_dim" "(size)" => |_cx, args| Ok(Value::native(PartitionDim(args.int(0)?)));
    /// As many neighbouring programs as there are cores.
    "nc" "(cores)" => |_cx, args| Ok(Value::native(Cores(args.int(0)?)));
    /// A grid dimension of `size` times the cores of `dist`, neighbours on different cores.
    "spmd_dim" "(size, dist)" => |_cx, args| {
        let cores = args.native::<Cores>(1, "nl.nc(n)")?.0;
        Ok(Value::native(SpmdDim { size: args.int(0)?.saturating_mul(cores), cores }))
    };
}

/// Adds the names of the older dialect to `neuronxcc.nki.language`.
pub fn define(cx: &mut Interp, module: ModuleId) {
    cx.define_rows(module, ROWS);
    cx.define(module, "mgrid", Value::native(MeshGrid));
}
