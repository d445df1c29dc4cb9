//! Hardware rules: the exact message of calls that break one.

use trn3::isa;
use trn3::isa::args::Arg::{Float, Int, Member, Tensor};
use trn3::isa::args::{Arg, Args};
use trn3::numerics::dtype::Dtype;
use trn3::tensor::buffer::Space;

use crate::harness::{Kernel, func};

/// Asserts that a call is rejected with a code and a message.
fn expect(kernel: &mut Kernel, name: &str, args: &[(&str, Arg)], code: &str, message: &str) {
    let (got_code, got) = kernel.rejected(name, args);
    assert_eq!((got_code, got.as_str()), (code, format!("{name}: {message}").as_str()));
}

#[test]
fn products_outside_of_psum() {
    let mut kernel = Kernel::new();
    let a = kernel.sbuf(&[128, 128], Dtype::Bf16);
    let b = kernel.sbuf(&[128, 512], Dtype::Bf16);
    let out = kernel.sbuf(&[128, 512], Dtype::Bf16);
    let args = [("dst", Tensor(out)), ("stationary", Tensor(a)), ("moving", Tensor(b))];
    expect(
        &mut kernel,
        "nc_matmul",
        &args,
        "memory-space",
        "writes to PSUM only; dst 't2' [128, 512] bfloat16 in sbuf",
    );
    let hint = &kernel.call("nc_matmul", &args).unwrap_err().hints[0];
    assert_eq!(
        hint,
        "allocate dst with buffer=nl.psum, then move the result to SBUF with nisa.tensor_copy"
    );
}

#[test]
fn products_that_are_too_large_or_of_mixed_types() {
    let mut kernel = Kernel::on("trn2");
    let a = kernel.sbuf(&[128, 128], Dtype::Bf16);
    let wide = kernel.sbuf(&[128, 1024], Dtype::Bf16);
    let dst = kernel.psum(&[128, 1024], Dtype::F32);
    let args = [
        ("dst", Tensor(dst)),
        ("stationary", Tensor(a)),
        ("moving", Tensor(wide)),
    ];
    expect(
        &mut kernel,
        "nc_matmul",
        &args,
        "constraint",
        "moving 't1' [128, 1024] bfloat16 in sbuf has 1024 columns; limit 512 for a float32 dst",
    );
    let middle = kernel.view(dst, 256, &[(1024, 128), (1, 512)]);
    let b = kernel.sbuf(&[128, 512], Dtype::Bf16);
    let args = [
        ("dst", Tensor(middle)),
        ("stationary", Tensor(a)),
        ("moving", Tensor(b)),
    ];
    let message = "dst 't2' [128, 512] float32 in psum crosses a PSUM bank; limit: one bank of 2048 bytes a partition";
    expect(&mut kernel, "nc_matmul", &args, "constraint", message);
    let float = kernel.sbuf(&[128, 512], Dtype::F32);
    let bank = kernel.psum(&[128, 512], Dtype::F32);
    let args = [
        ("dst", Tensor(bank)),
        ("stationary", Tensor(a)),
        ("moving", Tensor(float)),
    ];
    let message = "stationary 't0' [128, 128] bfloat16 in sbuf and moving 't4' [128, 512] float32 in sbuf cannot be multiplied with each other; limit: float32 and tfloat32 pair with float32 or tfloat32 only";
    expect(&mut kernel, "nc_matmul", &args, "dtype", message);
    let half = kernel.psum(&[128, 512], Dtype::Bf16);
    let args = [("dst", Tensor(half)), ("stationary", Tensor(a)), ("moving", Tensor(b))];
    let message = "dst 't6' [128, 512] bfloat16 in psum; limit: dtype float32 on Trainium2";
    expect(&mut kernel, "nc_matmul", &args, "dtype", message);
    let tall = kernel.sbuf(&[128, 256], Dtype::Bf16);
    let args = [
        ("dst", Tensor(bank)),
        ("stationary", Tensor(tall)),
        ("moving", Tensor(b)),
    ];
    expect(
        &mut kernel,
        "nc_matmul",
        &args,
        "constraint",
        "stationary 't7' [128, 256] bfloat16 in sbuf has 256 columns; limit 128 columns of the array",
    );
}

#[test]
fn partitions() {
    let mut kernel = Kernel::new();
    let tile = kernel.sbuf(&[128, 8], Dtype::F32);
    let odd = kernel.view(tile, 16 * 8, &[(8, 32), (1, 8)]);
    let args = [("dst", Tensor(odd)), ("value", Int(0))];
    let message =
        "dst 't0' [32, 8] float32 in sbuf starts at partition 16; limit 0, 32, 64 or 96 for up to 32 partitions";
    expect(&mut kernel, "memset", &args, "constraint", message);
    let middle = kernel.view(tile, 32 * 8, &[(8, 64), (1, 8)]);
    let args = [("dst", Tensor(middle)), ("value", Int(0))];
    let message = "dst 't0' [64, 8] float32 in sbuf starts at partition 32; limit 0 or 64 for 33 to 64 partitions";
    expect(&mut kernel, "memset", &args, "constraint", message);
    let beyond = kernel.view(tile, 0, &[(8, 128), (1, 9)]);
    let args = [("dst", Tensor(beyond)), ("value", Int(0))];
    let message = "dst 't0' [128, 9] float32 in sbuf reaches outside of its tensor of shape [128, 8]";
    expect(&mut kernel, "memset", &args, "out-of-bounds", message);
}

#[test]
fn memories_that_an_engine_cannot_reach() {
    let mut kernel = Kernel::new();
    let hbm = kernel.hbm(&[128, 8], Dtype::F32);
    let tile = kernel.sbuf(&[128, 8], Dtype::F32);
    let bank = kernel.psum(&[128, 8], Dtype::F32);
    let other = kernel.psum(&[128, 8], Dtype::F32);
    let args = [("dst", Tensor(tile)), ("src", Tensor(hbm))];
    let message = "src 't0' [128, 8] float32 in shared_hbm; limit: it must be in sbuf or psum";
    expect(&mut kernel, "tensor_copy", &args, "memory-space", message);
    let args = [("dst", Tensor(hbm)), ("src", Tensor(bank))];
    let message = "src 't2' [128, 8] float32 in psum; limit: it must be in sbuf or private_hbm or shared_hbm";
    expect(&mut kernel, "dma_copy", &args, "memory-space", message);
    let args = [
        ("dst", Tensor(tile)),
        ("data1", Tensor(bank)),
        ("data2", Tensor(other)),
        ("op", func("add")),
    ];
    let message =
        "data1 't2' [128, 8] float32 in psum and data2 't3' [128, 8] float32 in psum; limit: one input at most in psum";
    expect(&mut kernel, "tensor_tensor", &args, "memory-space", message);
    let args = [
        ("dst", Tensor(tile)),
        ("src", Tensor(bank)),
        ("engine", Member("engine", "gpsimd")),
    ];
    let message = "src 't2' [128, 8] float32 in psum; limit: the GpSimd Engine cannot reach psum";
    expect(&mut kernel, "tensor_copy", &args, "memory-space", message);
}

#[test]
fn shapes_and_axes() {
    let mut kernel = Kernel::new();
    let tile = kernel.sbuf(&[128, 4, 8], Dtype::F32);
    let small = kernel.sbuf(&[64, 32], Dtype::F32);
    let args = [("dst", Tensor(tile)), ("src", Tensor(small))];
    let message = "dst 't0' [128, 4, 8] float32 in sbuf has 128 partitions, src 't1' [64, 32] float32 in sbuf has 64; they must be equal";
    expect(&mut kernel, "tensor_copy", &args, "shape", message);
    let column = kernel.sbuf(&[128, 1], Dtype::F32);
    let args = [
        ("dst", Tensor(column)),
        ("op", func("add")),
        ("data", Tensor(tile)),
        ("axis", Int(0)),
    ];
    let message = "axis 0 is the partition dimension of data 't0' [128, 4, 8] float32 in sbuf; limit: free dimensions";
    expect(&mut kernel, "tensor_reduce", &args, "constraint", message);
    let args = [
        ("dst", Tensor(column)),
        ("op", func("add")),
        ("data", Tensor(tile)),
        ("axis", Int(1)),
    ];
    let message = "axis [1] of data 't0' [128, 4, 8] float32 in sbuf; limit: the last dimensions, without a gap";
    expect(&mut kernel, "tensor_reduce", &args, "constraint", message);
    let half = kernel.sbuf(&[128, 1], Dtype::Bf16);
    let args = [
        ("dst", Tensor(tile)),
        ("data", Tensor(tile)),
        ("op0", func("add")),
        ("operand0", Tensor(half)),
    ];
    let message = "operand0 't3' [128, 1] bfloat16 in sbuf; limit: dtype float32";
    expect(&mut kernel, "tensor_scalar", &args, "dtype", message);
}

#[test]
fn values_and_generations() {
    let mut kernel = Kernel::new();
    let whole = kernel.sbuf(&[4, 4], Dtype::I32);
    let args = [("dst", Tensor(whole)), ("value", Float(2.0))];
    let message = "value 2.0 is a float, dst 't0' [4, 4] int32 in sbuf holds integers; they must match";
    expect(&mut kernel, "memset", &args, "dtype", message);
    let packed = kernel.sbuf(&[4, 4], Dtype::F8E4m3fnX4);
    let args = [("dst", Tensor(packed)), ("value", Int(1))];
    let message = "dst 't1' [4, 4] float8_e4m3fn_x4 in sbuf is packed; limit: value 0";
    expect(&mut kernel, "memset", &args, "dtype", message);
    let mut old = Kernel::on("trn2");
    let tile = old.sbuf(&[32, 4], Dtype::F32);
    let args = [("dst", Tensor(tile)), ("src", Tensor(tile))];
    let fault = old.call("exponential", &args).unwrap_err();
    assert_eq!(
        fault.message,
        "exponential does not exist on trn2 (Trainium2); it needs NeuronCore-v4 or newer"
    );
}

#[test]
fn transposes() {
    let mut kernel = Kernel::new();
    let tile = kernel.sbuf(&[64, 64], Dtype::F32);
    let dst = kernel.sbuf(&[64, 64], Dtype::F32);
    let args = [
        ("dst", Tensor(dst)),
        ("data", Tensor(tile)),
        ("engine", Member("engine", "vector")),
    ];
    let message = "data 't0' [64, 64] float32 in sbuf; limit [32, 32] on the Vector Engine";
    expect(&mut kernel, "nc_transpose", &args, "constraint", message);
    let source = kernel.alloc(Space::SharedHbm, &[8, 64], Dtype::Bf16);
    let turned = kernel.sbuf(&[64, 8], Dtype::Bf16);
    let args = [
        ("dst", Tensor(turned)),
        ("src", Tensor(source)),
        ("dge_mode", Member("dge_mode", "hwdge")),
    ];
    let message = "src 't2' [8, 64] bfloat16 in shared_hbm; limit: first dimension 16 with dge_mode.hwdge";
    expect(&mut kernel, "dma_transpose", &args, "constraint", message);
}

#[test]
fn arguments_by_name() {
    let mut kernel = Kernel::new();
    let tile = kernel.sbuf(&[4, 4], Dtype::F32);
    let fault = kernel.call("tensor_copy", &[("dst", Tensor(tile))]).unwrap_err();
    assert_eq!(fault.message, "tensor_copy() needs the argument 'src'");
    let fault = kernel
        .call("tensor_copy", &[("dst", Tensor(tile)), ("mask", Int(0))])
        .unwrap_err();
    assert_eq!(fault.message, "tensor_copy() has no parameter 'mask'");
    let args = [
        ("dst", Tensor(tile)),
        ("src", Tensor(tile)),
        ("dtype", Arg::Dtype(Dtype::F32)),
    ];
    kernel.ok("tensor_copy", &args);
    let keywords = args.map(|(name, arg)| (name.into(), arg)).into_iter().collect();
    let args = Args {
        positional: Default::default(),
        keywords,
    };
    let warnings = args.deprecations(isa::entry("tensor_copy").unwrap().spec);
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].message, "tensor_copy(): 'dtype' is deprecated");
    let fault = kernel
        .call(
            "activation",
            &[("dst", Tensor(tile)), ("op", func("nope")), ("data", Tensor(tile))],
        )
        .unwrap_err();
    assert_eq!(
        fault.message,
        "activation(): 'op' expected an activation function of nki.language (nl.exp, nl.gelu, ...), got the function nope"
    );
}
