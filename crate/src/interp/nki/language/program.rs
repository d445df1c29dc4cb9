//! Loading and storing, the launch grid, memory predicates, debugging.

use crate::base::diag::{Code, Fault};
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{Args, Builtin};
use crate::interp::convert;
use crate::interp::native::NativeObject;
use crate::interp::nki::indexing::DynamicSlice;
use crate::interp::nki::legacy::is_legacy;
use crate::interp::nki::member::space;
use crate::interp::nki::tensor::NkiTensor;
use crate::interp::nki::tracing::{Issue, Request, allocate, tracing};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::isa::Inst;
use crate::isa::args::Arg;
use crate::isa::ops::print::DevicePrint;
use crate::isa::param::In;
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::Space;

use super::create::fill;
use super::{dtype, through, tile};

/// A tensor with at least two dimensions: a row of HBM becomes a column of partitions.
fn two_dimensional(tensor: &NkiTensor) -> Result<NkiTensor> {
    if tensor.window.dims.len() > 1 {
        return Ok(tensor.clone());
    }
    through(tensor, tensor.window.expand_dim(1))
}

/// Copies `src` to `dst` by the engine that reaches both.
///
/// # Errors
/// Shapes that differ, or what the copy says.
pub fn copy(cx: &mut Interp, dst: &NkiTensor, src: &NkiTensor) -> Result<()> {
    let on_chip = dst.window.space.is_on_chip() && src.window.space.is_on_chip();
    let (dst, src) = if on_chip {
        (dst.clone(), src.clone())
    } else {
        (two_dimensional(dst)?, two_dimensional(src)?)
    };
    let op = if on_chip { "tensor_copy" } else { "dma_copy" };
    Issue::new()
        .tile(cx, "dst", &dst)?
        .tile(cx, "src", &src)?
        .emit(cx, op)?;
    Ok(())
}

/// Writes a tile or a number into `target`.
///
/// # Errors
/// Anything else, or what the instruction says.
pub fn fill_or_copy(cx: &mut Interp, target: &NkiTensor, value: &Value) -> Result<()> {
    if let Some(source) = value.downcast::<NkiTensor>() {
        return copy(cx, target, source);
    }
    match convert::arg(cx, value)? {
        number @ (Arg::Int(_) | Arg::Float(_) | Arg::Bool(_)) => fill(cx, target, &number),
        other => Err(Raised::type_error(format!(
            "a tile or a number can be assigned to a tensor, not {}",
            other.describe()
        ))),
    }
}

/// A new SBUF tile with the content of an HBM tensor.
fn load(cx: &mut Interp, src: &NkiTensor, dtype: Option<Dtype>) -> Result<Value> {
    if src.window.space.is_on_chip() {
        let message = format!("load() reads a tensor in HBM, got {}", src.describe());
        return Err(
            Raised::from(Fault::new(Code::MemorySpace, message).on("src")).hint("nl.copy() copies on-chip tiles")
        );
    }
    let flat = src.window.dims.len() == 1;
    let src = two_dimensional(src)?;
    let rows = src.window.dims[0].num;
    let limit = crate::interp::nki::tracing::chip(cx).memory.partitions.get();
    if rows > limit {
        let message = format!(
            "load() puts dimension 0 on partitions, and {} has {rows} rows; SBUF has {limit} partitions",
            src.describe()
        );
        let fault = Raised::from(Fault::new(Code::Constraint, message).on("src"));
        return Err(match flat {
            true => {
                fault.hint("an integer index drops a dimension of a tensor in HBM; keep it with a slice: x[i:i + 1]")
            }
            false => fault.hint(format!("load {limit} rows at a time: x[i * {limit}:(i + 1) * {limit}]")),
        });
    }
    let request = Request::new(
        "load",
        src.window.shape(),
        dtype.unwrap_or(src.window.dtype),
        Space::Sbuf,
    );
    let tile = allocate(cx, request)?;
    copy(cx, &tile, &src)?;
    Ok(Value::native(tile))
}

fn store(cx: &mut Interp, args: &Args) -> Result<Value> {
    let dst = tile(args, 0)?;
    if is_legacy(cx) && args.value(1).downcast::<NkiTensor>().is_none() {
        // The older dialect stores numbers too.
        fill_or_copy(cx, &dst, &args.value(1).clone())?;
        return Ok(Value::None);
    }
    let value = tile(args, 1)?;
    if dst.window.space.is_on_chip() {
        let message = format!("store() writes a tensor in HBM, got {}", dst.describe());
        return Err(Raised::from(Fault::new(Code::MemorySpace, message).on("dst"))
            .hint("the destination comes first: nl.store(dst, value)"));
    }
    // DMA does not read PSUM, so the tile goes through SBUF.
    let value = if value.window.space == Space::Psum {
        let request = Request::new("store", value.window.shape(), value.window.dtype, Space::Sbuf);
        let staged = allocate(cx, request)?;
        copy(cx, &staged, &value)?;
        staged
    } else {
        value
    };
    copy(cx, &dst, &value)?;
    Ok(Value::None)
}

/// `num_programs(axes)`: of one axis, or the product over several.
fn extent(cx: &mut Interp, args: &Args) -> Result<Value> {
    let Some(axes) = args.get(0).and_then(Value::as_items) else {
        return along(cx, args, false);
    };
    let grid = tracing(cx, "nl.num_programs()")?.grid.clone();
    let mut all = 1;
    for axis in axes {
        let axis = axis.as_int().and_then(|axis| usize::try_from(axis).ok());
        let axis = axis.ok_or_else(|| args.wrong(0, "an axis or a tuple of axes"))?;
        all *= i64::from(grid.get(axis).copied().unwrap_or(1));
    }
    Ok(Value::Int(all))
}

/// The extent or position of the launch along `axis`.
fn along(cx: &mut Interp, args: &Args, position: bool) -> Result<Value> {
    let axis = args.int_or(0, 0)?;
    let name = args.function();
    let trace = tracing(cx, &format!("nl.{name}()"))?;
    let values = if position { &trace.program } else { &trace.grid };
    let absent = i64::from(!position);
    match usize::try_from(axis).ok().and_then(|axis| values.get(axis)) {
        Some(&value) => Ok(Value::Int(i64::from(value))),
        // A launch without a grid has one program.
        None if (0..3).contains(&axis) => Ok(Value::Int(absent)),
        None => Err(Raised::value_error(format!(
            "{name}(): a launch grid has no axis {axis}"
        ))),
    }
}

/// The function that answers whether a memory is one of `spaces`.
fn is_memory(args: &Args, spaces: &[Space]) -> Result<Value> {
    let given = args.value(0);
    let own = given.downcast::<NkiTensor>().map(|tensor| tensor.window.space);
    let space = own
        .or_else(|| space(given))
        .ok_or_else(|| args.wrong(0, "a memory region"))?;
    Ok(Value::Bool(spaces.contains(&space)))
}

/// `with nl.no_reorder():`. Instructions issue in program order on their engines here anyway.
struct NoReorder;

impl NativeObject for NoReorder {
    fn type_name(&self) -> &str {
        "no_reorder"
    }

    fn methods(&self) -> &'static [Builtin] {
        NO_REORDER
    }
}

builtin! {
    /// Methods of the context that `no_reorder` returns.
    NO_REORDER;
    /// Enters the region.
    "__enter__" "(self)" => |cx, _args| {
        tracing(cx, "nl.no_reorder()")?.fixed_order += 1;
        Ok(Value::None)
    };
    /// Leaves the region.
    "__exit__" "(self, *details)" => |cx, _args| {
        let open = &mut tracing(cx, "nl.no_reorder()")?.fixed_order;
        *open = open.saturating_sub(1);
        Ok(Value::Bool(false))
    };
}

builtin! {
    /// Functions of the program and its launch.
    pub ROWS;
    /// A new SBUF tile with the content of an HBM tensor.
    "load" "(src, dtype=None)" => |cx, args| {
        let (src, dtype) = (tile(args, 0)?, dtype(args, 1)?);
        load(cx, &src, dtype)
    };
    /// Writes an SBUF tile to an HBM tensor.
    "store" "(dst, value)" => |cx, args| store(cx, args);
    /// The position of this program along an axis of the launch grid.
    "program_id" "(axis=0)" => |cx, args| along(cx, args, true);
    /// The number of programs along an axis of the launch grid.
    "num_programs" "(axes=0)" => |cx, args| extent(cx, args);
    /// The number of axes of the launch grid; 0 without one.
    "program_ndim" "()" => |cx, _args| Ok(Value::from(tracing(cx, "nl.program_ndim()")?.grid.len()));
    /// `size` elements from `start`, which may be known only at run time.
    "ds" "(start, size)" => |_cx, args| {
        let size = args.int(1)?;
        Ok(Value::native(DynamicSlice { start: args.value(0).clone(), size }))
    };
    /// Whether a memory is in HBM.
    "is_hbm" "(buffer)" => |_cx, args| is_memory(args, &[Space::Hbm, Space::SharedHbm]);
    /// Whether a memory is SBUF or PSUM.
    "is_on_chip" "(buffer)" => |_cx, args| is_memory(args, &[Space::Sbuf, Space::Psum]);
    /// Whether a memory is PSUM.
    "is_psum" "(buffer)" => |_cx, args| is_memory(args, &[Space::Psum]);
    /// Whether a memory is SBUF.
    "is_sbuf" "(buffer)" => |_cx, args| is_memory(args, &[Space::Sbuf]);
    /// Keeps the order of instructions inside a `with` block.
    "no_reorder" "()" => |_cx, _args| Ok(Value::native(NoReorder));
    /// Prints a tile when the kernel runs.
    "device_print" "(print_prefix, tensor)" => |cx, args| {
        let (prefix, tensor) = (args.str(0)?.to_owned(), tile(args, 1)?);
        let (view, loc) = (In(tensor.view(cx)?), cx.loc());
        let builder = &mut tracing(cx, "nl.device_print()")?.builder;
        let print_prefix = builder.text(&prefix);
        builder.emit(Inst::DevicePrint(DevicePrint { print_prefix, tensor: view }), loc)?;
        Ok(Value::None)
    };
}
