//! Tensor Engine: products, accumulation, transposes.

use trn3::isa::args::Arg::{Bool, Int, List, Member, Tensor};
use trn3::numerics::dtype::Dtype;
use trn3::tensor::view::ViewId;

use crate::harness::{Kernel, close, numbers};

/// `a.T @ b` of row-major matrices with `k` rows.
fn reference(a: &[f64], b: &[f64], k: usize) -> Vec<f64> {
    let (m, n) = (a.len() / k, b.len() / k);
    let cell = |at: usize| (0..k).map(|row| a[row * m + at / n] * b[row * n + at % n]).sum();
    (0..m * n).map(cell).collect()
}

fn matmul(kernel: &mut Kernel, dst: ViewId, stationary: ViewId, moving: ViewId) {
    let args = [
        ("dst", Tensor(dst)),
        ("stationary", Tensor(stationary)),
        ("moving", Tensor(moving)),
    ];
    kernel.ok("nc_matmul", &args);
}

#[test]
fn products_of_every_dtype_are_exact_on_small_numbers() {
    for dtype in [
        Dtype::Bf16,
        Dtype::F16,
        Dtype::F32,
        Dtype::Tf32,
        Dtype::F8E4m3,
        Dtype::F8E5m2,
        Dtype::F8E4m3fn,
    ] {
        for (k, m, n) in [(128, 128, 512), (3, 5, 7), (1, 1, 1), (64, 32, 9)] {
            let a: Vec<f64> = numbers(k * m).iter().map(|x| (x / 2.0).round()).collect();
            let b: Vec<f64> = numbers(k * n).iter().rev().map(|x| (x / 2.0).round()).collect();
            let mut kernel = Kernel::new();
            let stationary = kernel.load(&[k as u32, m as u32], dtype, &a);
            let moving = kernel.load(&[k as u32, n as u32], dtype, &b);
            let dst = kernel.psum(&[m as u32, n as u32], Dtype::F32);
            matmul(&mut kernel, dst, stationary, moving);
            kernel.output(dst);
            assert_eq!(kernel.run()[0], reference(&a, &b, k), "{} {k}x{m}x{n}", dtype.name());
        }
    }
}

#[test]
fn later_products_into_the_same_place_accumulate() {
    let (a, b) = (numbers(4 * 3), numbers(4 * 5));
    let once = reference(&a, &b, 4);
    for (flags, times) in [(None, 3.0), (Some(true), 3.0), (Some(false), 1.0)] {
        let mut kernel = Kernel::new();
        let stationary = kernel.load(&[4, 3], Dtype::F32, &a);
        let moving = kernel.load(&[4, 5], Dtype::F32, &b);
        let dst = kernel.psum(&[3, 5], Dtype::F32);
        for step in 0..3 {
            let mut args = vec![
                ("dst", Tensor(dst)),
                ("stationary", Tensor(stationary)),
                ("moving", Tensor(moving)),
            ];
            if let Some(flag) = flags {
                args.push(("accumulate", Bool(flag && step > 0)));
            }
            kernel.ok("nc_matmul", &args);
        }
        kernel.output(dst);
        let want: Vec<f64> = once.iter().map(|x| x * times).collect();
        assert_eq!(kernel.run()[0], want, "{flags:?}");
    }
}

#[test]
fn a_bfloat16_destination_rounds() {
    let mut kernel = Kernel::new();
    let a = kernel.load(&[2, 1], Dtype::Bf16, &[1.0, 1.0]);
    let b = kernel.load(&[2, 1], Dtype::Bf16, &[256.0, 1.0]);
    let dst = kernel.psum(&[1, 1], Dtype::Bf16);
    matmul(&mut kernel, dst, a, b);
    kernel.output(dst);
    assert_eq!(kernel.run()[0], [256.0]);
}

#[test]
fn accumulating_into_unwritten_psum_is_undefined() {
    let mut kernel = Kernel::new();
    let a = kernel.load(&[2, 2], Dtype::F32, &numbers(4));
    let dst = kernel.psum(&[2, 2], Dtype::F32);
    let args = [
        ("dst", Tensor(dst)),
        ("stationary", Tensor(a)),
        ("moving", Tensor(a)),
        ("accumulate", Bool(true)),
    ];
    kernel.ok("nc_matmul", &args);
    let message = "nc_matmul: accumulates into dst 't2' [2, 2] float32 in psum, which was not written before; the result is undefined";
    assert_eq!(kernel.fails(), ("undefined", message.to_owned()));
}

#[test]
fn double_row_contracts_over_two_rows_of_each_partition() {
    let (a, b) = (vec![1.0, 2.0, 3.0, 4.0, 0.5, -1.0, 2.0, 0.0], numbers(2 * 2 * 3));
    let mut kernel = Kernel::new();
    let stationary = kernel.load(&[2, 2, 2], Dtype::F8E4m3, &a);
    let moving = kernel.load(&[2, 2, 3], Dtype::F8E4m3, &b);
    let dst = kernel.psum(&[2, 3], Dtype::F32);
    let args = [
        ("dst", Tensor(dst)),
        ("stationary", Tensor(stationary)),
        ("moving", Tensor(moving)),
        ("perf_mode", Member("matmul_perf_mode", "double_row")),
    ];
    kernel.ok("nc_matmul", &args);
    kernel.output(dst);
    assert_eq!(kernel.run()[0], reference(&a, &b, 4));
}

#[test]
fn transposes_move_bits_on_both_engines() {
    for (engine, dtype) in [
        ("tensor", Dtype::Bf16),
        ("vector", Dtype::F32),
        ("vector", Dtype::U8),
        ("tensor", Dtype::F32),
    ] {
        let mut data: Vec<f64> = (0..20 * 6).map(f64::from).collect();
        if dtype.is_float() {
            data[7] = f64::NAN;
            data[8] = f64::INFINITY;
        }
        let mut kernel = Kernel::new();
        let tile = kernel.load(&[20, 2, 3], dtype, &data);
        let dst = if engine == "tensor" {
            kernel.psum(&[6, 20], dtype)
        } else {
            kernel.sbuf(&[6, 20], dtype)
        };
        let args = [
            ("dst", Tensor(dst)),
            ("data", Tensor(tile)),
            ("engine", Member("engine", engine)),
        ];
        kernel.ok("nc_transpose", &args);
        kernel.output(dst);
        let want: Vec<f64> = (0..120).map(|at| data[at % 20 * 6 + at / 20]).collect();
        close(&kernel.run()[0], &want, 0.0);
    }
}

#[test]
fn matmul_transposes_against_the_identity() {
    let mut kernel = Kernel::new();
    let data = [1.0, f64::INFINITY, 3.0, 4.0];
    let a = kernel.load(&[2, 2], Dtype::Bf16, &data);
    let one = kernel.load(&[2, 2], Dtype::Bf16, &[1.0, 0.0, 0.0, 1.0]);
    let dst = kernel.psum(&[2, 2], Dtype::Bf16);
    let args = [
        ("dst", Tensor(dst)),
        ("stationary", Tensor(a)),
        ("moving", Tensor(one)),
        ("is_transpose", Bool(true)),
    ];
    kernel.ok("nc_matmul", &args);
    kernel.output(dst);
    assert_eq!(kernel.run()[0], [1.0, 3.0, f64::INFINITY, 4.0]);
}

#[test]
fn parts_of_the_array_are_checked() {
    let mut kernel = Kernel::new();
    let a = kernel.load(&[32, 32], Dtype::Bf16, &numbers(1024));
    let dst = kernel.psum(&[32, 32], Dtype::F32);
    let pair = |a: i64, b: i64| List(vec![Int(a), Int(b)]);
    let base = vec![("dst", Tensor(dst)), ("stationary", Tensor(a)), ("moving", Tensor(a))];
    let with = |position, size| {
        let mut args = base.clone();
        args.extend([("tile_position", position), ("tile_size", size)]);
        args
    };
    kernel.ok("nc_matmul", &with(pair(96, 0), pair(32, 128)));
    let (code, message) = kernel.rejected("nc_matmul", &with(pair(16, 0), pair(32, 128)));
    assert_eq!(code, "constraint");
    assert_eq!(
        message,
        "nc_matmul: tile_position has start row 16; limit: a multiple of the row size 32, inside 128"
    );
    let (_, message) = kernel.rejected("nc_matmul", &with(pair(0, 0), pair(48, 128)));
    assert_eq!(
        message,
        "nc_matmul: tile_size has a row size of 48; limit 32, 64, 128 on Trainium3"
    );
}

#[test]
fn accumulating_onto_the_work_of_another_engine_is_undefined_before_trainium3() {
    let run = |chip: &str, value: i64| {
        let mut kernel = Kernel::on(chip);
        let a = kernel.load(&[1, 1], Dtype::F32, &[3.0]);
        let dst = kernel.psum(&[1, 1], Dtype::F32);
        kernel.ok("memset", &[("dst", Tensor(dst)), ("value", Int(value))]);
        for _ in 0..2 {
            matmul(&mut kernel, dst, a, a);
        }
        kernel.output(dst);
        kernel
    };
    assert_eq!(run("trn3", 1).run()[0], [19.0]);
    assert_eq!(run("trn2", 0).run()[0], [18.0]);
    let message = "nc_matmul: accumulates onto dst 't2' [1, 1] float32 in psum, which another engine wrote; the result is undefined on Trainium2";
    assert_eq!(run("trn2", 1).fails(), ("undefined", message.to_owned()));
}
