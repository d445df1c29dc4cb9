//! Functions that make tensors.

use std::rc::Rc;

use crate::base::diag::{Code, Fault};
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::Args;
use crate::interp::convert;
use crate::interp::nki::legacy::{BlockTensor, is_legacy};
use crate::interp::nki::tensor::NkiTensor;
use crate::interp::nki::tracing::{Issue, Request, allocate, chip, tracing};
use crate::interp::nki::{convert_shape, convert_space, host};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::isa::args::Arg;
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::{Address, Init, Space};

use super::dtype;

/// `address=(partition, byte)`.
fn address(args: &Args, at: usize) -> Result<Option<Address>> {
    let Some(value) = args.some(at) else { return Ok(None) };
    let pair = value.as_items().and_then(|items| match items.as_slice() {
        [partition, byte] => Some((partition.as_int()?, byte.as_int()?)),
        _ => None,
    });
    let pair = pair.and_then(|(partition, byte)| Some((u32::try_from(partition).ok()?, u64::try_from(byte).ok()?)));
    let (partition, byte) = pair.ok_or_else(|| args.wrong(at, "a pair (partition, byte)"))?;
    Ok(Some(Address { partition, byte }))
}

/// Allocates what `(shape, dtype, buffer, name)` say at the given parameters, and lets `fill` write each tile.
fn create(
    cx: &mut Interp,
    args: &Args,
    at: [usize; 4],
    fill: impl Fn(&mut Interp, &NkiTensor) -> Result<()>,
) -> Result<Value> {
    let dtype = match dtype(args, at[1])? {
        Some(dtype) => dtype,
        None if is_legacy(cx) => Dtype::F32,
        None => return Err(args.wrong(at[1], "a dtype, such as nl.float32")),
    };
    let space = convert_space(args, at[2], Space::Sbuf)?;
    let name = args.str_or(at[3], "")?;
    let address = address(args, 4)?;
    let mut make = |shape| -> Result<NkiTensor> {
        let request = Request {
            name,
            address,
            ..Request::new(args.function(), shape, dtype, space)
        };
        let tensor = allocate(cx, request)?;
        fill(cx, &tensor)?;
        Ok(tensor)
    };
    if let Some((blocks, tile)) = args
        .value(at[0])
        .as_items()
        .filter(|_| space.is_on_chip())
        .and_then(|items| BlockTensor::split(&items))
    {
        let shape = super::super::shape_of(&tile).ok_or_else(|| super::super::not_a_shape(args, at[0], &tile))?;
        return Ok(Value::native(BlockTensor::build(blocks, || make(shape.clone()))?));
    }
    Ok(Value::native(make(convert_shape(args, at[0])?)?))
}

/// Fills a tile with one value.
///
/// # Errors
/// What `memset` or the copy to HBM say.
pub fn fill(cx: &mut Interp, tensor: &NkiTensor, value: &Arg) -> Result<()> {
    let dtype = tensor.window.dtype;
    let value = match value {
        Arg::Int(number) if dtype.is_float() && !dtype.is_packed() => Arg::Float(*number as f64),
        other => other.clone(),
    };
    if tensor.window.space.is_on_chip() {
        Issue::new()
            .tile(cx, "dst", tensor)?
            .with("value", value)
            .emit(cx, "memset")?;
        return Ok(());
    }
    fill_hbm(cx, tensor, value)
}

/// Engines cannot write to HBM: a tile in SBUF is filled once and copied row block by row block.
fn fill_hbm(cx: &mut Interp, tensor: &NkiTensor, value: Arg) -> Result<()> {
    let window = &tensor.window;
    let columns = window.dims.last().map_or(1, |dim| dim.num);
    let rows = (window.size() / u64::from(columns)) as u32;
    let flat = tensor.with(window.reshape(&[i64::from(rows), i64::from(columns)])?);
    let height = rows.min(chip(cx).memory.partitions.get());
    let source = allocate(
        cx,
        Request::new("full", vec![height, columns], window.dtype, Space::Sbuf),
    )?;
    Issue::new()
        .tile(cx, "dst", &source)?
        .with("value", value)
        .emit(cx, "memset")?;
    for start in (0..rows).step_by(height as usize) {
        let count = height.min(rows - start);
        let target = flat.with(flat.window.slice(0, i64::from(start), i64::from(start + count), 1)?);
        let part = source.with(source.window.slice(0, 0, i64::from(count), 1)?);
        Issue::new()
            .tile(cx, "dst", &target)?
            .tile(cx, "src", &part)?
            .emit(cx, "dma_copy")?;
    }
    Ok(())
}

/// `like(x, dtype, buffer, name)`.
fn like(cx: &mut Interp, args: &Args, fill: impl Fn(&mut Interp, &NkiTensor) -> Result<()>) -> Result<Value> {
    let model = super::tile(args, 0)?;
    let dtype = dtype(args, 1)?.unwrap_or(model.window.dtype);
    let space = convert_space(args, 2, model.window.space)?;
    let name = args.str_or(3, "")?;
    let request = Request {
        name,
        ..Request::new(args.function(), model.window.shape(), dtype, space)
    };
    let tensor = allocate(cx, request)?;
    fill(cx, &tensor)?;
    Ok(Value::native(tensor))
}

/// A constant in shared HBM with the given row-major bytes; equal constants are one tensor.
///
/// # Errors
/// No kernel, or a shape that HBM cannot hold.
pub fn constant(cx: &mut Interp, function: &str, shape: Vec<u32>, dtype: Dtype, bytes: Rc<[u8]>) -> Result<NkiTensor> {
    let key = (bytes.clone(), dtype, shape.clone());
    let trace = tracing(cx, function)?;
    if let Some(known) = trace.constants.get(&key).filter(|_| trace.core == 0) {
        return Ok(known.clone());
    }
    // Every core asks for its constants anew, so that all of them allocate the same shared tensors in the same order.
    let request = Request {
        init: Init::Constant(bytes),
        name: "constant",
        ..Request::new(function, shape, dtype, Space::SharedHbm)
    };
    let tensor = allocate(cx, request)?;
    tracing(cx, function)?.constants.insert(key, tensor.clone());
    Ok(tensor)
}

fn shared_constant(cx: &mut Interp, args: &mut Args) -> Result<Value> {
    let mut constant_value = args.value(0).clone();
    if constant_value.as_str().is_some() {
        // A path: NumPy's own function reads the file.
        let numpy = Value::Module(cx.import("numpy")?);
        let load = cx.getattr(&numpy, "load")?;
        constant_value = cx.call(&load, vec![constant_value].into())?;
    }
    let Some(array) = host::as_array(&constant_value) else {
        return Err(args.wrong(0, "a NumPy array or the path of a .npy file"));
    };
    let shape = array.shape().iter().map(|&size| size as u32).collect();
    let dtype = array.dtype();
    let bytes = host::bytes(cx, &array)?;
    Ok(Value::native(constant(
        cx,
        "shared_constant",
        shape,
        dtype,
        bytes.into(),
    )?))
}

/// An identity matrix in SBUF; one tile for each size and dtype.
///
/// # Errors
/// More rows than partitions, or no kernel.
pub fn identity(cx: &mut Interp, n: u32, dtype: Dtype) -> Result<NkiTensor> {
    let partitions = chip(cx).memory.partitions.get();
    if !(1..=partitions).contains(&n) {
        let message = format!("shared_identity_matrix(): n={n}; limit: 1 to {partitions}, the partitions of SBUF");
        return Err(Raised::from(Fault::new(Code::Constraint, message).on("n"))
            .hint("an identity of one tile serves every tile of a larger matrix"));
    }
    let trace = tracing(cx, "shared_identity_matrix")?;
    let key = (n, dtype, trace.core);
    if let Some(known) = trace.identities.get(&key) {
        return Ok(known.clone());
    }
    let one = convert_one(dtype)?;
    let width = dtype.bytes() as usize;
    let mut bytes = vec![0; (n * n) as usize * width];
    for at in 0..n as usize {
        let start = at * (n as usize + 1) * width;
        bytes[start..start + width].copy_from_slice(&one);
    }
    let source = constant(cx, "shared_identity_matrix", vec![n, n], dtype, bytes.into())?;
    let tile = allocate(
        cx,
        Request {
            name: "identity",
            ..Request::new("shared_identity_matrix", vec![n, n], dtype, Space::Sbuf)
        },
    )?;
    Issue::new()
        .tile(cx, "dst", &tile)?
        .tile(cx, "src", &source)?
        .emit(cx, "dma_copy")?;
    tracing(cx, "shared_identity_matrix")?
        .identities
        .insert(key, tile.clone());
    Ok(tile)
}

/// The bytes of 1 in `dtype`.
fn convert_one(dtype: Dtype) -> Result<Vec<u8>> {
    let wide = |bits: u32| Ok(bits.to_le_bytes()[..dtype.bytes() as usize].to_vec());
    match dtype {
        Dtype::F32 | Dtype::Tf32 => wide(1.0_f32.to_bits()),
        Dtype::F16 => wide(0x3C00),
        Dtype::Bf16 => wide(0x3F80),
        Dtype::F8E4m3 | Dtype::F8E4m3fn => wide(0x38),
        Dtype::F8E5m2 => wide(0x3C),
        Dtype::Bool | Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::U8 | Dtype::U16 | Dtype::U32 => wide(1),
        other => Err(
            Fault::new(Code::Dtype, format!("no identity matrix in {}", other.name()))
                .on("dtype")
                .into(),
        ),
    }
}

fn shared_identity_matrix(cx: &mut Interp, args: &mut Args) -> Result<Value> {
    let n = u32::try_from(args.size(0)?).unwrap_or(u32::MAX);
    let dtype = dtype(args, 1)?.unwrap_or(Dtype::U8);
    let tile = identity(cx, n, dtype)?;
    match args.some(2) {
        None => Ok(Value::native(tile)),
        Some(_) => {
            let dst = super::tile(args, 2)?;
            Issue::new()
                .tile(cx, "dst", &dst)?
                .tile(cx, "src", &tile)?
                .emit(cx, "tensor_copy")?;
            Ok(Value::native(dst))
        }
    }
}

fn full(cx: &mut Interp, args: &mut Args) -> Result<Value> {
    let value = convert::arg(cx, &args.value(1).clone())?;
    if !matches!(value, Arg::Int(_) | Arg::Float(_) | Arg::Bool(_)) {
        return Err(args.wrong(1, "a number"));
    }
    create(cx, args, [0, 2, 3, 4], |cx, tensor| fill(cx, tensor, &value))
}

/// `rand(shape, dtype, buffer, name)`.
///
/// # Errors
/// What the allocation or the instruction say.
pub fn rand(cx: &mut Interp, args: &mut Args) -> Result<Value> {
    create(cx, args, [0, 1, 2, 3], |cx, tensor| {
        let issue = Issue::new().tile(cx, "dst", tensor)?;
        let issue = issue.with("min", Arg::Float(0.0)).with("max", Arg::Float(1.0));
        issue.emit(cx, "rand2").map(|_| ())
    })
}

builtin! {
    /// Functions that make tensors.
    pub ROWS;
    /// A tensor without content. On chip, dimension 0 is the partition dimension.
    "ndarray" "(shape, dtype, buffer=sbuf, name='', address=None)" => |cx, args| {
        create(cx, args, [0, 1, 2, 3], |_cx, _tensor| Ok(()))
    };
    /// A tensor of zeros.
    "zeros" "(shape, dtype, buffer=sbuf, name='')" => |cx, args| {
        create(cx, args, [0, 1, 2, 3], |cx, tensor| fill(cx, tensor, &Arg::Int(0)))
    };
    /// A tensor of ones.
    "ones" "(shape, dtype, buffer=sbuf, name='')" => |cx, args| {
        create(cx, args, [0, 1, 2, 3], |cx, tensor| fill(cx, tensor, &Arg::Int(1)))
    };
    /// A tensor filled with one value.
    "full" "(shape, fill_value, dtype, buffer=sbuf, name='')" => full;
    /// A tensor of zeros with the shape of another.
    "zeros_like" "(x, dtype=None, buffer=None, name='')" => |cx, args| {
        like(cx, args, |cx, tensor| fill(cx, tensor, &Arg::Int(0)))
    };
    /// A tensor without content with the shape of another.
    "empty_like" "(x, dtype=None, buffer=None, name='')" => |cx, args| like(cx, args, |_cx, _tensor| Ok(()));
    /// A constant in shared HBM, from a NumPy array.
    "shared_constant" "(constant)" => shared_constant;
    /// An identity matrix in SBUF, the same tile for every call with the same size and dtype.
    "shared_identity_matrix" "(n, dtype=uint8, dst=None)" => shared_identity_matrix;
    /// A tensor of random values between 0 and 1.
    "rand" "(shape, dtype, buffer=sbuf, name='')" => rand;
    /// Seeds the generator that `rand` uses.
    "random_seed" "(seed)" => |cx, args| {
        let seed = super::tile(args, 0)?;
        if seed.window.size() != 1 {
            return Err(Raised::from(Fault::new(Code::Shape, format!("random_seed() takes a tile of shape (1, 1), got {}", seed.describe()))));
        }
        Issue::new().tile(cx, "src_seeds", &seed)?.emit(cx, "set_rng_seed")?;
        Ok(Value::None)
    };
}
