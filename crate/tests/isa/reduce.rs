//! Reductions, cumulative sums, scans and statistics.

use trn3::isa::args::Arg::{Bool, Float, Int, List, Member, Tensor};
use trn3::numerics::dtype::Dtype;

use crate::harness::{Kernel, close, func, numbers};

/// A step of a reduction of the reference.
type Fold = fn(f64, f64) -> f64;

#[test]
fn reductions_of_the_last_dimensions() {
    let data: Vec<f64> = numbers(4 * 3 * 5).iter().map(|x| x + 0.25).collect();
    let cases: [(&str, Fold); 5] = [
        ("add", |a, b| a + b),
        ("multiply", |a, b| a * b),
        ("maximum", f64::max),
        ("minimum", f64::min),
        ("subtract", |a, b| a - b),
    ];
    for (op, fold) in cases {
        for (axes, width) in [(vec![2], 5), (vec![1, 2], 15), (vec![-1], 5)] {
            let mut kernel = Kernel::new();
            let tile = kernel.load(&[4, 3, 5], Dtype::F32, &data);
            let dst = kernel.sbuf(&[4, 15 / width], Dtype::F32);
            let axis = List(axes.iter().map(|&axis| Int(axis)).collect());
            let args = [
                ("dst", Tensor(dst)),
                ("op", func(op)),
                ("data", Tensor(tile)),
                ("axis", axis),
                ("negate", Bool(true)),
            ];
            kernel.ok("tensor_reduce", &args);
            kernel.output(dst);
            let reduce = |row: &[f64]| -row.iter().copied().reduce(fold).unwrap();
            let want: Vec<f64> = data.chunks(width as usize).map(reduce).collect();
            close(&kernel.run()[0], &want, 1e-5);
        }
    }
}

#[test]
fn bit_reductions_and_partition_reductions() {
    let data = [12.0, 10.0, 6.0, 255.0, 3.0, 5.0];
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[2, 3], Dtype::U8, &data);
    let bits = kernel.sbuf(&[2, 1], Dtype::U8);
    let args = [
        ("dst", Tensor(bits)),
        ("op", func("bitwise_xor")),
        ("data", Tensor(tile)),
        ("axis", Int(1)),
    ];
    kernel.ok("tensor_reduce", &args);
    let mean = kernel.sbuf(&[1, 3], Dtype::F32);
    let args = [("dst", Tensor(mean)), ("op", func("average")), ("data", Tensor(tile))];
    kernel.ok("tensor_partition_reduce", &args);
    let both = kernel.sbuf(&[1, 3], Dtype::U8);
    let args = [
        ("dst", Tensor(both)),
        ("op", func("bitwise_and")),
        ("data", Tensor(tile)),
    ];
    kernel.ok("tensor_partition_reduce", &args);
    for view in [bits, mean, both] {
        kernel.output(view);
    }
    let results = kernel.run();
    assert_eq!(results[0], [0.0, 249.0]);
    assert_eq!(results[1], [133.5, 6.5, 5.5]);
    assert_eq!(results[2], [12.0, 2.0, 4.0]);
}

#[test]
fn cumulative_reductions_carry_the_register() {
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[2, 3], Dtype::F32, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let (first, second) = (kernel.sbuf(&[2, 3], Dtype::F32), kernel.sbuf(&[2, 3], Dtype::F32));
    for (dst, command) in [(first, "reset_reduce"), (second, "reduce")] {
        let args = [
            ("dst", Tensor(dst)),
            ("src", Tensor(tile)),
            ("op0", func("multiply")),
            ("op1", func("add")),
            ("imm0", Float(10.0)),
            ("reduce_cmd", Member("reduce_cmd", command)),
        ];
        kernel.ok("tensor_scalar_cumulative", &args);
    }
    kernel.output(first);
    kernel.output(second);
    let results = kernel.run();
    assert_eq!(results[0], [10.0, 30.0, 60.0, 40.0, 90.0, 150.0]);
    assert_eq!(results[1], [70.0, 90.0, 120.0, 190.0, 240.0, 300.0]);
}

#[test]
fn scans_feed_each_result_into_the_next() {
    let (a, b) = (numbers(3 * 6), numbers(3 * 6 + 4)[4..].to_vec());
    for (op0, op1, reverse0) in [("multiply", "add", false), ("subtract", "maximum", true)] {
        let mut kernel = Kernel::new();
        let first = kernel.load(&[3, 6], Dtype::F32, &a);
        let second = kernel.load(&[3, 6], Dtype::F32, &b);
        let start = kernel.load(&[3, 1], Dtype::F32, &[1.0, 2.0, 3.0]);
        let dst = kernel.sbuf(&[3, 6], Dtype::F32);
        let args = [
            ("dst", Tensor(dst)),
            ("data0", Tensor(first)),
            ("data1", Tensor(second)),
            ("initial", Tensor(start)),
            ("op0", func(op0)),
            ("op1", func(op1)),
            ("reverse0", Bool(reverse0)),
        ];
        kernel.ok("tensor_tensor_scan", &args);
        kernel.output(dst);
        let mut want = Vec::new();
        for row in 0..3 {
            let mut value = row as f64 + 1.0;
            for at in row * 6..row * 6 + 6 {
                value = if op0 == "multiply" {
                    a[at] * value + b[at]
                } else {
                    (value - a[at]).max(b[at])
                };
                want.push(value);
            }
        }
        close(&kernel.run()[0], &want, 1e-6);
    }
}

#[test]
fn statistics_of_even_and_odd_elements_combine_to_mean_and_variance() {
    let data: Vec<f64> = numbers(2 * 9);
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[2, 9], Dtype::F32, &data);
    let stats = kernel.sbuf(&[2, 6], Dtype::F32);
    kernel.ok("bn_stats", &[("dst", Tensor(stats)), ("data", Tensor(tile))]);
    let out = kernel.sbuf(&[2, 2], Dtype::F32);
    kernel.ok("bn_aggr", &[("dst", Tensor(out)), ("data", Tensor(stats))]);
    kernel.output(stats);
    kernel.output(out);
    let results = kernel.run();
    let moments = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (mean, values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>())
    };
    for row in 0..2 {
        let line = &data[row * 9..row * 9 + 9];
        let even: Vec<f64> = line.iter().copied().step_by(2).collect();
        let odd: Vec<f64> = line.iter().copied().skip(1).step_by(2).collect();
        let ((me, se), (mo, so)) = (moments(&even), moments(&odd));
        close(&results[0][row * 6..row * 6 + 6], &[5.0, me, se, 4.0, mo, so], 1e-6);
        let (mean, square) = moments(line);
        close(&results[1][row * 2..row * 2 + 2], &[mean, square / 9.0], 1e-6);
    }
}
