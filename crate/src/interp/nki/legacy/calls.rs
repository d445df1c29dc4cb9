//! Instructions of the older form, which return their result instead of writing to a destination.

use crate::base::diag::{Code, Fault};
use crate::interp::Interp;
use crate::interp::builtin::{Arg as CallArg, CallArgs, NOWHERE};
use crate::interp::convert;
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::isa::args::Arg;
use crate::isa::spec::Entry;
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::Space;

use super::super::isa::issue;
use super::super::language::create;
use super::super::tensor::NkiTensor;
use super::super::tracing::{Issue, Request, allocate};
use super::grids::{IndexGrid, Predicate};

/// An argument that Rust code passes.
fn given(value: Value) -> CallArg {
    CallArg { value, span: NOWHERE }
}

/// Takes the keyword `name` out of a call.
fn take(args: &mut CallArgs, name: &str) -> Option<Value> {
    let at = args.keywords.iter().position(|(keyword, _)| &**keyword == name)?;
    Some(args.keywords.remove(at).1.value)
}

/// The argument of parameter `at`, called `name`.
fn argument<'a>(args: &'a CallArgs, at: usize, name: &str) -> Option<&'a Value> {
    let keyword = args.keywords.iter().find(|(keyword, _)| &**keyword == name);
    keyword
        .map(|(_, arg)| arg)
        .or_else(|| args.positional.get(at))
        .map(|arg| &arg.value)
}

/// Whether a call of `entry` in the older form leaves out the destination.
pub fn lacks_destination(entry: &Entry, args: &CallArgs) -> bool {
    let params = entry.spec.params;
    if params.first().is_none_or(|param| param.name != "dst") || args.keywords.iter().any(|(name, _)| &**name == "dst")
    {
        return false;
    }
    // Optional arguments may stand where the last tile is today.
    let is_tile = |arg: &CallArg| arg.value.downcast::<NkiTensor>().is_some();
    if entry.spec.name == "local_gather" && args.positional.get(2).is_some_and(|arg| !is_tile(arg)) {
        return true;
    }
    let required = params.iter().enumerate().filter(|(_, param)| param.default.is_none());
    let missing =
        |at: usize, name: &str| args.positional.len() <= at && !args.keywords.iter().any(|(key, _)| &**key == name);
    let missing = required.filter(|(at, param)| missing(*at, param.name)).count();
    missing > 0
}

/// Truth values were bytes: predicates take them as `uint8`.
fn bytes_of_truth(args: &mut CallArgs) -> Result<()> {
    let positional = args.positional.iter_mut();
    for arg in positional.chain(args.keywords.iter_mut().map(|(_, arg)| arg)) {
        if let Some(tile) = arg.value.downcast::<NkiTensor>()
            && tile.window.dtype == Dtype::Bool
        {
            arg.value = Value::native(tile.with(tile.window.reinterpret(Dtype::U8)?));
        }
    }
    Ok(())
}

/// Calls an instruction of the older form.
///
/// # Errors
/// No rule for the shape of the result, or what the instruction says.
pub fn call(cx: &mut Interp, entry: &'static Entry, mut args: CallArgs) -> Result<Value> {
    let name = entry.spec.name;
    if matches!(name, "tensor_copy_predicated" | "select_reduce") {
        bytes_of_truth(&mut args)?;
    }
    if let ("dma_copy", Some(op)) = (name, take(&mut args, "dst_rmw_op")) {
        return accumulate(cx, args, op);
    }
    if !lacks_destination(entry, &args) {
        return issue(cx, entry, &args);
    }
    let dtype = take(&mut args, "dtype").as_ref().and_then(convert::dtype_of);
    match name {
        "memset" => filled(cx, &args, dtype),
        "iota" => counted(cx, &args, dtype),
        "affine_select" => selected(cx, entry, &args, dtype),
        _ => returning(cx, entry, args, dtype),
    }
}

/// `dma_copy(dst, src, dst_rmw_op=op)`.
fn accumulate(cx: &mut Interp, mut args: CallArgs, op: Value) -> Result<Value> {
    take(&mut args, "unique_indices");
    let missing = || Raised::argument_error("dma_copy() needs dst and src");
    let dst = argument(&args, 0, "dst").cloned().ok_or_else(missing)?;
    let src = argument(&args, 1, "src").cloned().ok_or_else(missing)?;
    let entry = crate::isa::entry("dma_compute").ok_or_else(missing)?;
    let sources = Value::list(vec![src, dst.clone()]);
    let call = CallArgs::positional([dst, sources]).keyword("reduce_op", op);
    issue(cx, entry, &call)
}

/// `memset(shape, value, dtype)`.
fn filled(cx: &mut Interp, args: &CallArgs, dtype: Option<Dtype>) -> Result<Value> {
    let shape = argument(args, 0, "shape").and_then(Value::as_items).unwrap_or_default();
    let shape = super::super::shape_of(&shape).ok_or_else(|| Raised::type_error("memset() needs a shape"))?;
    let value = argument(args, 1, "value").cloned().unwrap_or(Value::Int(0));
    let value = convert::arg(cx, &value)?;
    let tile = allocate(
        cx,
        Request::new("memset", shape, dtype.unwrap_or(Dtype::F32), Space::Sbuf),
    )?;
    create::fill(cx, &tile, &value)?;
    Ok(Value::native(tile))
}

/// `iota(expression, dtype)`: the values of an index array.
fn counted(cx: &mut Interp, args: &CallArgs, dtype: Option<Dtype>) -> Result<Value> {
    let expression = argument(args, 0, "expr").and_then(|value| value.downcast::<IndexGrid>());
    let Some(grid) = expression.map(|grid| grid.0.clone()) else {
        return Err(Raised::type_error("iota() needs an expression of index arrays"));
    };
    let shape = grid.dims.iter().map(|dim| dim.num).collect();
    let tile = allocate(
        cx,
        Request::new("iota", shape, dtype.unwrap_or(Dtype::I32), Space::Sbuf),
    )?;
    let issue = Issue::new().tile(cx, "dst", &tile)?;
    let issue = issue
        .with("pattern", pattern(&grid))
        .with("offset", Arg::Int(grid.base));
    issue
        .with("channel_multiplier", Arg::Int(grid.dims[0].step))
        .emit(cx, "iota")?;
    Ok(Value::native(tile))
}

/// The free dimensions of an index array as `[step, count]` pairs.
fn pattern(grid: &crate::tensor::window::Grid) -> Arg {
    let pair = |dim: &crate::tensor::pattern::Dim| Arg::List(vec![Arg::Int(dim.step), Arg::Int(i64::from(dim.num))]);
    Arg::List(grid.dims.iter().skip(1).map(pair).collect())
}

/// `affine_select(pred, on_true_tile, on_false_value)`.
fn selected(cx: &mut Interp, entry: &'static Entry, args: &CallArgs, dtype: Option<Dtype>) -> Result<Value> {
    let missing = || {
        Raised::argument_error(format!(
            "{}() needs pred, on_true_tile and on_false_value",
            entry.spec.name
        ))
    };
    let predicate = argument(args, 0, "pred").and_then(|value| value.downcast::<Predicate>());
    let (difference, op) = predicate
        .map(|predicate| (predicate.difference.clone(), predicate.op))
        .ok_or_else(missing)?;
    let source = argument(args, 1, "on_true_tile").and_then(|value| value.downcast::<NkiTensor>());
    let source = source.cloned().ok_or_else(missing)?;
    let other = argument(args, 2, "on_false_value").cloned().ok_or_else(missing)?;
    let other = convert::arg(cx, &other)?;
    let tile = allocate(
        cx,
        Request::new(
            "affine_select",
            source.window.shape(),
            dtype.unwrap_or(source.window.dtype),
            Space::Sbuf,
        ),
    )?;
    let issue = Issue::new().tile(cx, "dst", &tile)?.tile(cx, "on_true_tile", &source)?;
    let issue = issue
        .with("pattern", pattern(&difference))
        .with("offset", Arg::Int(difference.base));
    let issue = issue
        .with("channel_multiplier", Arg::Int(difference.dims[0].step))
        .with("on_false_value", other);
    issue.with("cmp_op", Arg::Function(op)).emit(cx, "affine_select")?;
    Ok(Value::native(tile))
}

/// Calls `entry` with a new tile as its destination, and gives that tile.
fn returning(cx: &mut Interp, entry: &'static Entry, mut args: CallArgs, dtype: Option<Dtype>) -> Result<Value> {
    let tiles: Vec<NkiTensor> = (args.positional.iter())
        .chain(args.keywords.iter().map(|(_, arg)| arg))
        .filter_map(|arg| arg.value.downcast::<NkiTensor>().cloned())
        .collect();
    let Some(first) = tiles.first() else {
        return Err(Raised::argument_error(format!("{}() needs a tile", entry.spec.name)));
    };
    let (shape, dtype, space) = result_of(entry.spec.name, first, &tiles, &args, dtype)?;
    let result = allocate(cx, Request::new(entry.spec.name, shape, dtype, space))?;
    let value = Value::native(result);
    args.positional.insert(0, given(value.clone()));
    issue(cx, entry, &args)?;
    Ok(value)
}

/// Elements of a tile in one partition.
fn free(tile: &NkiTensor) -> u32 {
    tile.window.dims.iter().skip(1).map(|dim| dim.num).product()
}

/// Shape, dtype and memory of the tile that an instruction of the older form returns.
fn result_of(
    op: &str,
    first: &NkiTensor,
    tiles: &[NkiTensor],
    args: &CallArgs,
    dtype: Option<Dtype>,
) -> Result<(Vec<u32>, Dtype, Space)> {
    let mut shape = first.window.shape();
    let own = dtype.unwrap_or(first.window.dtype);
    let rows = shape[0];
    Ok(match (op, tiles) {
        ("nc_matmul", [stationary, moving, ..]) => (
            vec![free(stationary), free(moving)],
            dtype.unwrap_or(Dtype::F32),
            Space::Psum,
        ),
        ("nc_transpose", [data, ..]) => (vec![free(data), rows], own, Space::Psum),
        ("dma_transpose", [_, ..]) => (turned(&shape, args)?, own, Space::Sbuf),
        ("tensor_reduce", [_, ..]) => (reduced(&shape, args)?, own, Space::Sbuf),
        ("tensor_partition_reduce", _) => {
            shape[0] = 1;
            (shape, own, Space::Sbuf)
        }
        ("bn_stats", _) => (vec![rows, 6], Dtype::F32, Space::Sbuf),
        ("bn_aggr", _) => (vec![rows, 2], Dtype::F32, Space::Sbuf),
        ("max8", _) => (vec![rows, 8], own, Space::Sbuf),
        ("nc_find_index8", _) => (vec![rows, 8], Dtype::U32, Space::Sbuf),
        ("sequence_bounds", _) => (vec![rows, 2, free(first)], own, Space::Sbuf),
        ("nc_match_replace8", [..]) => {
            let data = argument(args, 0, "data").and_then(|value| value.downcast::<NkiTensor>());
            let data = data.unwrap_or(first);
            (data.window.shape(), dtype.unwrap_or(data.window.dtype), Space::Sbuf)
        }
        ("local_gather", [_, index, ..]) => (vec![rows, gathered(index, args)], own, Space::Sbuf),
        ("nc_matmul_mx", _) => {
            let message = format!("nki.isa.{op} needs a destination");
            return Err(
                Raised::from(Fault::new(Code::Unimplemented, message)).hint("pass dst= as the present API asks")
            );
        }
        _ => (shape, own, Space::Sbuf),
    })
}

/// The shape that `dma_transpose` gives.
fn turned(shape: &[u32], args: &CallArgs) -> Result<Vec<u32>> {
    let axes = argument(args, 1, "axes").and_then(Value::as_items);
    let Some(axes) = axes else {
        return Ok(shape.iter().rev().copied().collect());
    };
    let size = |axis: &Value| shape.get(usize::try_from(axis.as_int()?).ok()?).copied();
    let turned: Option<Vec<u32>> = axes.iter().map(size).collect();
    turned.ok_or_else(|| Raised::value_error("dma_transpose(): axes must be numbers of dimensions"))
}

/// The shape that `tensor_reduce` gives.
fn reduced(shape: &[u32], args: &CallArgs) -> Result<Vec<u32>> {
    let axis = argument(args, 2, "axis").cloned().unwrap_or(Value::None);
    let axes: Vec<i64> = match axis.as_int() {
        Some(axis) => vec![axis],
        None => axis
            .as_items()
            .unwrap_or_default()
            .iter()
            .filter_map(Value::as_int)
            .collect(),
    };
    let count = shape.len() as i64;
    let reduced = |at: usize| axes.iter().any(|&axis| axis.rem_euclid(count) == at as i64);
    let mut kept: Vec<u32> = (0..shape.len())
        .filter(|&at| !reduced(at))
        .map(|at| shape[at])
        .collect();
    if kept.len() < 2 {
        kept.push(1);
    }
    Ok(kept)
}

/// Elements in a partition that `local_gather` gives.
fn gathered(index: &NkiTensor, args: &CallArgs) -> u32 {
    /// Partitions whose indices a GpSimd core reads.
    const CORE_PARTITIONS: u32 = 16;
    let number = |at: usize, name: &str| {
        argument(args, at, name)
            .and_then(Value::as_int)
            .and_then(|n| u32::try_from(n).ok())
    };
    let each = number(2, "num_elem_per_idx").unwrap_or(1);
    let indices = number(3, "num_valid_indices").unwrap_or(free(index) * CORE_PARTITIONS);
    indices * each
}
