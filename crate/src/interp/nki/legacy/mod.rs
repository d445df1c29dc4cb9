//! The dialect of `neuronxcc.nki`, in which many published kernels are still written.
//!
//! There instructions return their result, tensors have operators and can be assigned to, and index arrays address tiles. All of
//! it lowers to the same instructions. Kernels of the present API get an error with the rewrite instead.

use std::rc::Rc;

use crate::builtin;
use crate::interp::Interp;
use crate::interp::native::{Answer, NativeObject};
use crate::interp::raised::{Raised, Result};
use crate::interp::scope::ModuleId;
use crate::interp::value::Value;
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::tensor::buffer::Space;
use crate::tensor::window::Grid;

use super::language::{math, program, unary};
use super::tensor::NkiTensor;
use super::tracing::tracing;
use grids::{IndexGrid, MeshGrid};

pub mod calls;
pub mod grids;

/// Whether the kernel being traced uses this dialect.
pub fn is_legacy(cx: &mut Interp) -> bool {
    tracing(cx, "a tensor").is_ok_and(|tracing| tracing.legacy)
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
    // `psum += nc_matmul(...)`: the engines read one operand from PSUM.
    let staged = match other.downcast::<NkiTensor>() {
        Some(value) if tensor.window.space == Space::Psum && value.window.space == Space::Psum => {
            unary::unary(cx, "copy", value, None)?
        }
        _ => other.clone(),
    };
    math::binary_into(cx, name, tensor, &own, &staged)?;
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

/// `nl.nc(n)`: as many programs as there are cores.
pub struct Cores(pub i64);

impl NativeObject for Cores {
    fn type_name(&self) -> &str {
        "nc"
    }

    /// `nl.nc(2) * 4`, `4 * nl.nc(2)`: the cores are the outer or the inner factor.
    fn binary(&self, _cx: &mut Interp, op: BinaryOp, other: &Value, reflected: bool) -> Answer {
        let (BinaryOp::Mul, Some(count)) = (op, other.as_int()) else {
            return Ok(None);
        };
        Ok(Some(Value::native(SpmdDim {
            size: count.saturating_mul(self.0),
            cores: self.0,
            blocked: !reflected,
        })))
    }
}

/// `nl.fp32`: limits of float32.
struct Float32;

impl NativeObject for Float32 {
    fn type_name(&self) -> &str {
        "fp32"
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        Ok(match name {
            "min" => Some(Value::Float(f64::from(f32::MIN))),
            "max" => Some(Value::Float(f64::from(f32::MAX))),
            "tiny" => Some(Value::Float(f64::from(f32::MIN_POSITIVE))),
            "eps" => Some(Value::Float(f64::from(f32::EPSILON))),
            _ => None,
        })
    }
}

/// `nl.spmd_dim(n, nl.nc(2))`: a dimension of a launch grid that cores share.
pub struct SpmdDim {
    /// Programs along the dimension.
    pub size: i64,
    /// Cores that share it.
    pub cores: i64,
    /// Whether each core runs a block of neighbours; else neighbours run on different cores.
    pub blocked: bool,
}

impl NativeObject for SpmdDim {
    fn type_name(&self) -> &str {
        "spmd_dim"
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
    /// A grid dimension of so many programs for each core: `spmd_dim(n, nc(c))` puts neighbours on different cores,
    /// `spmd_dim(nc(c), n)` on the same.
    "spmd_dim" "(size, dist)" => |_cx, args| {
        let outer = args.value(0).downcast::<Cores>().map(|cores| cores.0);
        let (cores, count) = match outer {
            Some(cores) => (cores, args.int(1)?),
            None => (args.native::<Cores>(1, "nl.nc(n)")?.0, args.int(0)?),
        };
        Ok(Value::native(SpmdDim { size: count.saturating_mul(cores), cores, blocked: outer.is_some() }))
    };
    /// Random values between 0 and 1, float32 unless another dtype is given.
    "rand" "(shape, dtype=None, buffer=sbuf, name='')" => super::language::create::rand;
}

/// Adds the names of the older dialect to `neuronxcc.nki.language`.
pub fn define(cx: &mut Interp, module: ModuleId) {
    cx.define_rows(module, ROWS);
    cx.define(module, "mgrid", Value::native(MeshGrid));
    cx.define(module, "fp32", Value::native(Float32));
}
