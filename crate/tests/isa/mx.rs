//! Microscaling: quantisation, scale layout, and products.

use trn3::isa::args::Arg::Tensor;
use trn3::numerics::dtype::Dtype;

use crate::harness::{Kernel, numbers};

/// The scale exponent of a group, from the formula of the documentation.
fn exponent(group: &[f64], emax: i32) -> i32 {
    let amax = group.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
    if amax == 0.0 {
        -127
    } else {
        amax.log2().floor() as i32 - (emax - 1)
    }
}

#[test]
fn quantised_products_equal_products_of_the_quantised_values() {
    for (dtype, emax) in [(Dtype::F8E4m3fnX4, 8), (Dtype::F8E5m2X4, 15)] {
        for partitions in [32_usize, 128] {
            let (m, n) = (4_usize, 6_usize);
            let a: Vec<f64> = numbers(partitions * m * 4);
            let b: Vec<f64> = numbers(partitions * n * 4).iter().rev().map(|x| x * 8.0).collect();
            let mut kernel = Kernel::new();
            let quantised = |kernel: &mut Kernel, data: &[f64], columns: usize| {
                let p = partitions as u32;
                let tile = kernel.load(&[p, columns as u32 * 4], Dtype::Bf16, data);
                let packed = kernel.sbuf(&[p, columns as u32], dtype);
                let rows = if p <= 32 { p / 8 } else { p };
                let scale = kernel.sbuf(&[rows, columns as u32], Dtype::U8);
                let args = [
                    ("dst", Tensor(packed)),
                    ("src", Tensor(tile)),
                    ("dst_scale", Tensor(scale)),
                ];
                kernel.ok("quantize_mx", &args);
                (packed, scale)
            };
            let (pa, sa) = quantised(&mut kernel, &a, m);
            let (pb, sb) = quantised(&mut kernel, &b, n);
            let dst = kernel.psum(&[m as u32, n as u32], Dtype::F32);
            let args = [
                ("dst", Tensor(dst)),
                ("stationary", Tensor(pa)),
                ("moving", Tensor(pb)),
                ("stationary_scale", Tensor(sa)),
                ("moving_scale", Tensor(sb)),
            ];
            kernel.ok("nc_matmul_mx", &args);
            kernel.output(dst);
            kernel.output(pa);
            let first_scales = kernel.view(sa, 0, &[(m as i64, 4), (1, m as u32)]);
            kernel.output(first_scales);
            let results = kernel.run();
            // Multiples of 1/4 up to 4 (and 32) keep their value at these scales, so the product is exact.
            let value = |data: &[f64], columns: usize, p: usize, q: usize, column: usize| {
                data[p * columns * 4 + column * 4 + q]
            };
            let want: Vec<f64> = (0..m * n)
                .map(|at| {
                    let (row, column) = (at / n, at % n);
                    let pairs = (0..partitions).flat_map(|p| (0..4).map(move |q| (p, q)));
                    pairs
                        .map(|(p, q)| value(&a, m, p, q, row) * value(&b, n, p, q, column))
                        .sum()
                })
                .collect();
            if dtype == Dtype::F8E4m3fnX4 {
                assert_eq!(results[0], want, "{partitions}");
            }
            for group in 0..4 {
                for column in 0..m {
                    let members: Vec<f64> = (group * 8..group * 8 + 8)
                        .flat_map(|p| (0..4).map(move |q| (p, q)))
                        .map(|(p, q)| value(&a, m, p, q, column))
                        .collect();
                    let code = results[2][group * m + column] as i32;
                    assert_eq!(
                        code - 127,
                        exponent(&members, emax),
                        "{} group {group} column {column}",
                        dtype.name()
                    );
                }
            }
        }
    }
}

#[test]
fn scales_packed_at_an_offset_of_each_quadrant_are_found() {
    let mut kernel = Kernel::new();
    let data = numbers(64 * 8);
    let tile = kernel.load(&[64, 8], Dtype::Bf16, &data);
    let packed = kernel.sbuf(&[64, 2], Dtype::F8E4m3fnX4);
    let scales = kernel.sbuf(&[64, 2], Dtype::U8);
    let shifted = kernel.view(scales, 4 * 2, &[(2, 60), (1, 2)]);
    let args = [
        ("dst", Tensor(packed)),
        ("src", Tensor(tile)),
        ("dst_scale", Tensor(shifted)),
    ];
    kernel.ok("quantize_mx", &args);
    let rows = kernel.view(scales, 36 * 2, &[(2, 4), (1, 2)]);
    kernel.output(rows);
    let code = kernel.run()[0][0] as i32;
    let group: Vec<f64> = (32..40).flat_map(|p| data[p * 8..p * 8 + 4].to_vec()).collect();
    assert_eq!(code - 127, exponent(&group, 8));
}

#[test]
fn a_group_of_zeros_has_the_smallest_scale() {
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[32, 4], Dtype::F16, &[0.0; 128]);
    let packed = kernel.sbuf(&[32, 1], Dtype::F8E5m2X4);
    let scale = kernel.sbuf(&[4, 1], Dtype::F8E8m0fnu);
    let args = [
        ("dst", Tensor(packed)),
        ("src", Tensor(tile)),
        ("dst_scale", Tensor(scale)),
    ];
    kernel.ok("quantize_mx", &args);
    kernel.output(scale);
    assert_eq!(kernel.run()[0], [2.0_f64.powi(-127); 4]);
}

#[test]
fn scale_slices_that_break_the_quadrant_layout_are_rejected() {
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[64, 4], Dtype::Bf16, &numbers(256));
    let packed = kernel.sbuf(&[64, 1], Dtype::F8E4m3fnX4);
    let scales = kernel.sbuf(&[64, 1], Dtype::U8);
    let odd = kernel.view(scales, 2, &[(1, 62), (1, 1)]);
    let args = [
        ("dst", Tensor(packed)),
        ("src", Tensor(tile)),
        ("dst_scale", Tensor(odd)),
    ];
    let (code, message) = kernel.rejected("quantize_mx", &args);
    assert_eq!(code, "constraint");
    assert_eq!(
        message,
        "quantize_mx: dst_scale 't3' [62, 1] uint8 in sbuf starts at partition 2 of a quadrant; limit 0, 4, 8 or 12"
    );
    let short = kernel.view(scales, 0, &[(1, 8), (1, 1)]);
    let args = [
        ("dst", Tensor(packed)),
        ("src", Tensor(tile)),
        ("dst_scale", Tensor(short)),
    ];
    let (_, message) = kernel.rejected("quantize_mx", &args);
    assert_eq!(
        message,
        "quantize_mx: dst_scale 't3' [8, 1] uint8 in sbuf; limit: 1 elements per partition and at least 36 partitions for data on 64 partitions"
    );
}
