//! DMA: copies, conversion, gathers, scatters, transposes, sums.

use trn3::isa::args::Arg::{self, Int, List, Member, Tensor};
use trn3::numerics::dtype::Dtype;
use trn3::tensor::view::{IndexSource, Indirect, ViewId};

use crate::harness::{Kernel, func, numbers};

/// An index per row into a tensor of `rows` rows of `step` elements.
fn vector(index: ViewId, step: i64, rows: u64) -> Option<Indirect> {
    Some(Indirect {
        source: IndexSource::Vector(index),
        step,
        limit: rows,
    })
}

#[test]
fn copies_convert_between_all_dtypes_through_float32() {
    let data = [0.0, 1.0, 2.0, 3.0, 4.0, 6.0];
    let plain = |dtype: &Dtype| {
        !dtype.info().host_only && !dtype.is_packed() && !matches!(dtype, Dtype::F8E8m0fnu | Dtype::Bool)
    };
    for from in Dtype::ALL.iter().copied().filter(plain) {
        for to in Dtype::ALL.iter().copied().filter(plain) {
            let mut kernel = Kernel::new();
            let tile = kernel.load(&[2, 3], from, &data);
            let other = kernel.sbuf(&[2, 3], to);
            kernel.ok("dma_copy", &[("dst", Tensor(other)), ("src", Tensor(tile))]);
            kernel.output(other);
            assert_eq!(kernel.run()[0], data, "{} to {}", from.name(), to.name());
        }
    }
}

#[test]
fn views_of_any_steps_copy_in_their_order() {
    let data: Vec<f64> = (0..24).map(f64::from).collect();
    let mut kernel = Kernel::new();
    let source = kernel.input(&[4, 6], Dtype::F32, &data);
    // Columns in reverse order, every second row, each element twice.
    let view = kernel.view(source, 5, &[(12, 2), (-1, 6), (0, 2)]);
    let tile = kernel.sbuf(&[2, 12], Dtype::F32);
    kernel.ok("dma_copy", &[("dst", Tensor(tile)), ("src", Tensor(view))]);
    let out = kernel.hbm(&[12, 2], Dtype::F32);
    let turned = kernel.view(out, 0, &[(1, 2), (2, 12)]);
    kernel.ok("dma_copy", &[("dst", Tensor(turned)), ("src", Tensor(tile))]);
    kernel.output(out);
    let want: Vec<f64> = (0..24)
        .map(|at| {
            let (column, row) = (at / 2, at % 2);
            data[row * 12 + 5 - column / 2]
        })
        .collect();
    assert_eq!(kernel.run()[0], want);
}

#[test]
fn gathers_take_a_row_for_each_partition() {
    let data = numbers(5 * 3);
    let mut kernel = Kernel::new();
    let table = kernel.input(&[5, 3], Dtype::F32, &data);
    let index = kernel.load(&[4, 1], Dtype::U32, &[4.0, 0.0, 4.0, 2.0]);
    let rows = kernel.indirect(table, 0, &[(3, 4), (1, 3)], vector(index, 3, 5));
    let tile = kernel.sbuf(&[4, 3], Dtype::F32);
    kernel.ok("dma_copy", &[("dst", Tensor(tile)), ("src", Tensor(rows))]);
    kernel.output(tile);
    let want: Vec<f64> = [4, 0, 4, 2]
        .iter()
        .flat_map(|row| data[row * 3..row * 3 + 3].to_vec())
        .collect();
    assert_eq!(kernel.run()[0], want);
}

#[test]
fn scatters_write_rows_and_skip_what_is_out_of_bounds() {
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[3, 2], Dtype::F32, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let index = kernel.load(&[3, 1], Dtype::I32, &[2.0, 9.0, 0.0]);
    let table = kernel.input(&[3, 2], Dtype::F32, &[0.0; 6]);
    let rows = kernel.indirect(table, 0, &[(2, 3), (1, 2)], vector(index, 2, 3));
    let args = [
        ("dst", Tensor(rows)),
        ("src", Tensor(tile)),
        ("oob_mode", Member("oob_mode", "skip")),
    ];
    kernel.ok("dma_copy", &args);
    kernel.output(table);
    let executor = kernel.execute().unwrap();
    assert_eq!(executor.written_arguments().len(), 1);
    let mut executor = executor;
    let bytes = &executor.results().unwrap()[0].bytes;
    assert_eq!(
        crate::harness::values(Dtype::F32, bytes),
        [5.0, 6.0, 0.0, 0.0, 1.0, 2.0]
    );
}

#[test]
fn indices_out_of_bounds_stop_the_run() {
    let mut kernel = Kernel::new();
    let table = kernel.input(&[5, 3], Dtype::F32, &numbers(15));
    let index = kernel.load(&[1, 1], Dtype::I32, &[5.0]);
    let rows = kernel.indirect(table, 0, &[(3, 1), (1, 3)], vector(index, 3, 5));
    let tile = kernel.sbuf(&[1, 3], Dtype::F32);
    kernel.ok("dma_copy", &[("dst", Tensor(tile)), ("src", Tensor(rows))]);
    let message = "dma_copy: the run-time index 5 into 't0' [5, 3] is out of bounds; limit 0 to 4";
    assert_eq!(kernel.fails(), ("out-of-bounds", message.to_owned()));
}

#[test]
fn one_index_moves_a_whole_view() {
    let data = numbers(6 * 4);
    for register in [false, true] {
        let mut kernel = Kernel::new();
        let table = kernel.input(&[6, 4], Dtype::F32, &data);
        let index = kernel.load(&[1, 1], Dtype::I32, &[3.0]);
        let source = if register {
            let id = kernel.register();
            kernel.ok("register_load", &[("dst", Arg::Register(id)), ("src", Tensor(index))]);
            IndexSource::Register(id)
        } else {
            IndexSource::Scalar(index)
        };
        let indirect = Indirect {
            source,
            step: 4,
            limit: 6,
        };
        let rows = kernel.indirect(table, 0, &[(4, 2), (1, 4)], Some(indirect));
        let tile = kernel.sbuf(&[2, 4], Dtype::F32);
        kernel.ok("dma_copy", &[("dst", Tensor(tile)), ("src", Tensor(rows))]);
        kernel.output(tile);
        assert_eq!(kernel.run()[0], data[12..20]);
    }
}

#[test]
fn transposes_of_two_three_and_four_dimensions() {
    for (shape, axes) in [
        (vec![6_u32, 10], vec![1, 0]),
        (vec![3, 4, 5], vec![2, 1, 0]),
        (vec![2, 3, 4, 5], vec![3, 1, 2, 0]),
    ] {
        let count: u32 = shape.iter().product();
        let data: Vec<f64> = (0..count).map(f64::from).collect();
        let turned: Vec<u32> = axes.iter().map(|&axis| shape[axis]).collect();
        let mut kernel = Kernel::new();
        let source = kernel.input(&shape, Dtype::F16, &data);
        let tile = kernel.sbuf(&turned, Dtype::F16);
        let axes_arg = List(axes.iter().map(|&axis| Int(axis as i64)).collect());
        kernel.ok(
            "dma_transpose",
            &[("dst", Tensor(tile)), ("src", Tensor(source)), ("axes", axes_arg)],
        );
        kernel.output(tile);
        let strides: Vec<u32> = (0..shape.len()).map(|at| shape[at + 1..].iter().product()).collect();
        let want: Vec<f64> = (0..count)
            .map(|at| {
                let mut rest = at;
                let mut from = 0;
                for (dim, &axis) in axes.iter().enumerate().rev() {
                    from += rest % turned[dim] * strides[axis];
                    rest /= turned[dim];
                }
                f64::from(from)
            })
            .collect();
        assert_eq!(kernel.run()[0], want, "{shape:?}");
    }
}

#[test]
fn gather_transposes_read_indices_column_after_column() {
    let data: Vec<f64> = (0..64 * 8).map(f64::from).collect();
    let order: Vec<f64> = (0..32).map(|at| f64::from((at * 7 + 3) % 64)).collect();
    let mut kernel = Kernel::new();
    let table = kernel.input(&[64, 8], Dtype::F16, &data);
    let index = kernel.load(&[32, 1], Dtype::U32, &order);
    let rows = kernel.indirect(table, 0, &[(8, 32), (1, 8)], vector(index, 8, 64));
    let tile = kernel.sbuf(&[8, 32], Dtype::F16);
    kernel.ok("dma_transpose", &[("dst", Tensor(tile)), ("src", Tensor(rows))]);
    kernel.output(tile);
    let want: Vec<f64> = (0..256).map(|at| data[order[at % 32] as usize * 8 + at / 32]).collect();
    assert_eq!(kernel.run()[0], want);
}

#[test]
fn dma_compute_adds_up_to_sixteen_tensors() {
    let (a, b, c) = (numbers(12), numbers(15)[3..].to_vec(), numbers(17)[5..].to_vec());
    let mut kernel = Kernel::new();
    let first = kernel.input(&[3, 4], Dtype::F32, &a);
    let second = kernel.input(&[12], Dtype::Bf16, &b);
    let third = kernel.load(&[3, 4], Dtype::F16, &c);
    let out = kernel.hbm(&[3, 4], Dtype::F32);
    let srcs = List(vec![Tensor(first), Tensor(second), Tensor(third)]);
    kernel.ok(
        "dma_compute",
        &[("dst", Tensor(out)), ("srcs", srcs), ("reduce_op", func("add"))],
    );
    kernel.output(out);
    let want: Vec<f64> = (0..12).map(|at| a[at] + b[at] + c[at]).collect();
    assert_eq!(kernel.run()[0], want);
}

#[test]
fn dma_compute_adds_to_rows_that_indices_name() {
    let mut kernel = Kernel::new();
    let table = kernel.input(&[3, 2], Dtype::F32, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let index = kernel.load(&[2, 1], Dtype::U32, &[2.0, 0.0]);
    let rows = kernel.indirect(table, 0, &[(2, 2), (1, 2)], vector(index, 2, 3));
    let data = kernel.load(&[2, 2], Dtype::F32, &[10.0, 20.0, 30.0, 40.0]);
    let srcs = List(vec![Tensor(rows), Tensor(data)]);
    kernel.ok(
        "dma_compute",
        &[("dst", Tensor(rows)), ("srcs", srcs), ("reduce_op", func("add"))],
    );
    kernel.output(table);
    assert_eq!(kernel.run()[0], [31.0, 42.0, 3.0, 4.0, 15.0, 26.0]);
}
