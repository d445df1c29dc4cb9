//! Functions that reshape, repeat, transpose and multiply tiles.

use crate::base::diag::{Code, Fault};
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::Args;
use crate::interp::nki::convert_shape;
use crate::interp::nki::tensor::NkiTensor;
use crate::interp::nki::tracing::{Issue, Request, allocate};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::isa::args::Arg;
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::Space;

use super::program::copy;
use super::{dtype, through, tile};

/// Partitions that a shuffle moves data among.
const QUADRANT: u32 = 32;

/// The tile repeated to `shape`, as a new tile.
///
/// # Errors
/// Dimensions that are neither equal nor 1, or what the copy says.
pub fn broadcast_to(cx: &mut Interp, x: &NkiTensor, shape: &[u32], dtype: Option<Dtype>) -> Result<Value> {
    let own = x.window.shape();
    let dtype = dtype.unwrap_or(x.window.dtype);
    if own == shape && dtype == x.window.dtype {
        return Ok(Value::native(x.clone()));
    }
    let fits = own.len() == shape.len() && own.iter().zip(shape).all(|(&from, &to)| from == to || from == 1);
    if !fits {
        let message = format!(
            "broadcast_to() from {} to {shape:?}: each dimension must match or be 1",
            x.describe()
        );
        return Err(Fault::new(Code::Shape, message).on("shape").into());
    }
    let result = allocate(cx, Request::new("broadcast_to", shape.to_vec(), dtype, Space::Sbuf))?;
    let mut source = spread_free(x, shape)?;
    if own[0] == shape[0] {
        copy(cx, &result, &source)?;
        return Ok(Value::native(result));
    }
    if dtype != x.window.dtype {
        let staged = allocate(
            cx,
            Request::new("broadcast_to", source.window.shape(), dtype, Space::Sbuf),
        )?;
        copy(cx, &staged, &source)?;
        source = staged;
    }
    spread_partitions(cx, &result, &source)?;
    Ok(Value::native(result))
}

/// A view of `x` whose free dimensions are repeated to those of `shape`.
///
/// # Errors
/// A dimension that cannot be repeated.
pub fn spread_free(x: &NkiTensor, shape: &[u32]) -> Result<NkiTensor> {
    let mut window = x.window.clone();
    for (axis, &size) in shape.iter().enumerate().skip(1) {
        if window.dims[axis].num != size {
            window = window.broadcast(axis as i64, i64::from(size))?;
        }
    }
    Ok(x.with(window))
}

/// Copies the one partition of `source` to every partition of `result`: a shuffle for each quadrant.
fn spread_partitions(cx: &mut Interp, result: &NkiTensor, source: &NkiTensor) -> Result<()> {
    let count = result.window.dims[0].num;
    for start in (0..count).step_by(QUADRANT as usize) {
        let end = count.min(start + QUADRANT);
        let part = through(result, result.window.slice(0, i64::from(start), i64::from(end), 1))?;
        let mask = vec![Arg::Int(0); QUADRANT as usize];
        let issue = Issue::new().tile(cx, "dst", &part)?.tile(cx, "src", source)?;
        issue
            .with("shuffle_mask", Arg::List(mask))
            .emit(cx, "nc_stream_shuffle")?;
    }
    Ok(())
}

/// The tile with partitions and free elements exchanged, in PSUM.
///
/// # Errors
/// What the instruction says.
pub fn transpose(cx: &mut Interp, x: &NkiTensor, dtype: Option<Dtype>) -> Result<NkiTensor> {
    let (rows, columns) = (
        x.window.dims[0].num,
        (x.window.size() / u64::from(x.window.dims[0].num)) as u32,
    );
    let result = allocate(
        cx,
        Request::new("transpose", vec![columns, rows], x.window.dtype, Space::Psum),
    )?;
    let issue = Issue::new().tile(cx, "dst", &result)?.tile(cx, "data", x)?;
    issue
        .with("engine", Arg::Member("engine", "tensor"))
        .emit(cx, "nc_transpose")?;
    match dtype.filter(|&dtype| dtype != x.window.dtype) {
        None => Ok(result),
        Some(dtype) => {
            let cast = allocate(cx, Request::new("transpose", vec![columns, rows], dtype, Space::Sbuf))?;
            copy(cx, &cast, &result)?;
            Ok(cast)
        }
    }
}

fn matmul(cx: &mut Interp, args: &Args) -> Result<Value> {
    let (x, y) = (tile(args, 0)?, tile(args, 1)?);
    let stationary = if args.truth_or(2, false)? {
        x
    } else {
        let turned = transpose(cx, &x, None)?;
        let staged = allocate(
            cx,
            Request::new("matmul", turned.window.shape(), turned.window.dtype, Space::Sbuf),
        )?;
        copy(cx, &staged, &turned)?;
        staged
    };
    let free = |tile: &NkiTensor| (tile.window.size() / u64::from(tile.window.dims[0].num)) as u32;
    let shape = vec![free(&stationary), free(&y)];
    let result = allocate(cx, Request::new("matmul", shape, Dtype::F32, Space::Psum))?;
    let issue = Issue::new()
        .tile(cx, "dst", &result)?
        .tile(cx, "stationary", &stationary)?;
    issue.tile(cx, "moving", &y)?.emit(cx, "nc_matmul")?;
    Ok(Value::native(result))
}

/// The reference gives no lowering for `load_transpose2d`: here the DMA engines transpose, and a cast is a copy behind that.
fn load_transposed(cx: &mut Interp, src: &NkiTensor, dtype: Option<Dtype>) -> Result<NkiTensor> {
    let mut shape = src.window.shape();
    if shape.len() != 2 {
        let message = format!(
            "load_transpose2d() takes a tensor of 2 dimensions, got {}",
            src.describe()
        );
        return Err(Raised::from(Fault::new(Code::Shape, message).on("src")));
    }
    if src.window.space.is_on_chip() {
        let message = format!("load_transpose2d() reads a tensor in HBM, got {}", src.describe());
        return Err(Raised::from(Fault::new(Code::MemorySpace, message).on("src"))
            .hint("nl.transpose() turns a tile that is on chip"));
    }
    shape.reverse();
    let request = Request::new("load_transpose2d", shape.clone(), src.window.dtype, Space::Sbuf);
    let turned = allocate(cx, request)?;
    Issue::new()
        .tile(cx, "dst", &turned)?
        .tile(cx, "src", src)?
        .emit(cx, "dma_transpose")?;
    match dtype.filter(|&dtype| dtype != src.window.dtype) {
        None => Ok(turned),
        Some(dtype) => {
            let cast = allocate(cx, Request::new("load_transpose2d", shape, dtype, Space::Sbuf))?;
            copy(cx, &cast, &turned)?;
            Ok(cast)
        }
    }
}

builtin! {
    /// Functions that change the shape of tiles, and matrix multiplication.
    pub ROWS;
    /// A view with a dimension of size 1 inserted.
    "expand_dims" "(x, axis)" => |_cx, args| {
        let x = tile(args, 0)?;
        through(&x, x.window.expand_dim(args.int(1)?)).map(Value::native)
    };
    /// The tile repeated to a larger shape.
    "broadcast_to" "(x, shape, dtype=None)" => |cx, args| {
        let (x, shape, dtype) = (tile(args, 0)?, convert_shape(args, 1)?, dtype(args, 2)?);
        broadcast_to(cx, &x, &shape, dtype)
    };
    /// The tile with partitions and free elements exchanged.
    "transpose" "(x, dtype=None)" => |cx, args| {
        let (x, dtype) = (tile(args, 0)?, dtype(args, 1)?);
        transpose(cx, &x, dtype).map(Value::native)
    };
    /// `x @ y`, or `x.T @ y` if `transpose_x`; the result is in PSUM.
    "matmul" "(x, y, transpose_x=False)" => |cx, args| matmul(cx, args);
    /// Loads an HBM tensor with its two dimensions exchanged.
    "load_transpose2d" "(src, dtype=None)" => |cx, args| {
        let (src, dtype) = (tile(args, 0)?, dtype(args, 1)?);
        load_transposed(cx, &src, dtype).map(Value::native)
    };
}
