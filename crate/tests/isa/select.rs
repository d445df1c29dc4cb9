//! Patterns, selections and shuffles.

use trn3::isa::args::Arg::{Bool, Float, Int, List, Member, Tensor};
use trn3::numerics::dtype::Dtype;
use trn3::tensor::view::{IndexSource, Indirect, ViewId};

use crate::harness::{Kernel, func, numbers};

fn pattern(loops: &[(i64, i64)]) -> trn3::isa::args::Arg {
    List(
        loops
            .iter()
            .map(|&(step, num)| List(vec![Int(step), Int(num)]))
            .collect(),
    )
}

#[test]
fn iota_counts_in_nested_loops() {
    let mut kernel = Kernel::new();
    let dst = kernel.sbuf(&[3, 2, 2, 3], Dtype::I32);
    let args = [
        ("dst", Tensor(dst)),
        ("pattern", pattern(&[(100, 2), (-10, 2), (1, 3)])),
        ("offset", Int(7)),
        ("channel_multiplier", Int(1000)),
    ];
    kernel.ok("iota", &args);
    kernel.output(dst);
    let mut want = Vec::new();
    for p in 0..3 {
        for z in 0..2 {
            for y in 0..2 {
                for x in 0..3 {
                    want.push(f64::from(7 + p * 1000 + z * 100 - y * 10 + x));
                }
            }
        }
    }
    assert_eq!(kernel.run()[0], want);
}

#[test]
fn affine_select_makes_a_causal_mask() {
    let data = numbers(4 * 5);
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[4, 5], Dtype::Bf16, &data);
    let dst = kernel.sbuf(&[4, 5], Dtype::F32);
    let args = [
        ("dst", Tensor(dst)),
        ("pattern", pattern(&[(-1, 5)])),
        ("channel_multiplier", Int(1)),
        ("on_true_tile", Tensor(tile)),
        ("on_false_value", Float(-9984.0)),
        ("cmp_op", func("greater_equal")),
    ];
    kernel.ok("affine_select", &args);
    kernel.output(dst);
    let want: Vec<f64> = (0..20)
        .map(|at| if at / 5 >= at % 5 { data[at] } else { -9984.0 })
        .collect();
    assert_eq!(kernel.run()[0], want);
}

#[test]
fn range_select_compares_indices_with_bounds_and_keeps_the_maximum() {
    let data = numbers(2 * 6);
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[2, 6], Dtype::F32, &data);
    let low = kernel.load(&[2, 1], Dtype::F32, &[11.0, 20.0]);
    let high = kernel.load(&[2, 1], Dtype::F32, &[13.0, 30.0]);
    let dst = kernel.sbuf(&[2, 6], Dtype::F32);
    let top = kernel.sbuf(&[2, 1], Dtype::F32);
    let args = [
        ("dst", Tensor(dst)),
        ("on_true_tile", Tensor(tile)),
        ("comp_op0", func("greater_equal")),
        ("comp_op1", func("less")),
        ("bound0", Tensor(low)),
        ("bound1", Tensor(high)),
        ("reduce_res", Tensor(top)),
        ("range_start", Int(10)),
    ];
    kernel.ok("range_select", &args);
    kernel.output(dst);
    kernel.output(top);
    let results = kernel.run();
    let fill = f64::from(f32::MIN);
    assert_eq!(
        results[0],
        [
            fill, data[1], data[2], fill, fill, fill, fill, fill, fill, fill, fill, fill
        ]
    );
    assert_eq!(results[1], [data[1].max(data[2]), fill]);
}

#[test]
fn select_reduce_takes_columns_for_false_elements() {
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[2, 3], Dtype::Bf16, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let predicate = kernel.load(&[2, 3], Dtype::U8, &[1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let other = kernel.load(&[2, 1], Dtype::F32, &[-1.0, 100.0]);
    let dst = kernel.sbuf(&[2, 3], Dtype::F32);
    let top = kernel.sbuf(&[2, 1], Dtype::F32);
    let args = [
        ("dst", Tensor(dst)),
        ("predicate", Tensor(predicate)),
        ("on_true", Tensor(tile)),
        ("on_false", Tensor(other)),
        ("reduce_res", Tensor(top)),
        ("reduce_cmd", Member("reduce_cmd", "reset_reduce")),
        ("reverse_pred", Bool(true)),
    ];
    kernel.ok("select_reduce", &args);
    kernel.output(dst);
    kernel.output(top);
    let results = kernel.run();
    assert_eq!(results[0], [-1.0, 2.0, -1.0, 4.0, 5.0, 100.0]);
    assert_eq!(results[1], [2.0, 100.0]);
}

#[test]
fn shuffles_move_partitions_inside_their_quadrant() {
    let data: Vec<f64> = (0..64 * 2).map(f64::from).collect();
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[64, 2], Dtype::F32, &data);
    let dst = kernel.load(&[64, 2], Dtype::F32, &[-1.0; 128]);
    let mask: Vec<i64> = (0..32).map(|at| if at == 3 { 255 } else { 31 - at }).collect();
    let list = List(mask.iter().map(|&from| Int(from)).collect());
    kernel.ok(
        "nc_stream_shuffle",
        &[("dst", Tensor(dst)), ("src", Tensor(tile)), ("shuffle_mask", list)],
    );
    kernel.output(dst);
    let want: Vec<f64> = (0..128)
        .map(|at| {
            let (row, column) = (at / 2, at % 2);
            match mask[row % 32] {
                255 => -1.0,
                from => data[(row / 32 * 32 + from as usize) * 2 + column],
            }
        })
        .collect();
    assert_eq!(kernel.run()[0], want);
}

/// A view of `tile` whose free dimension goes by the offsets of `index`.
fn indirect(kernel: &mut Kernel, tile: ViewId, index: ViewId, columns: i64, number: u32) -> ViewId {
    let source = IndexSource::Free(index);
    let limit = columns.unsigned_abs();
    kernel.indirect(
        tile,
        0,
        &[(columns, 32), (0, number)],
        Some(Indirect { source, step: 1, limit }),
    )
}

#[test]
fn free_offsets_are_read_in_snake_order_by_group() {
    let data: Vec<f64> = (0..32 * 40).map(f64::from).collect();
    let offsets: Vec<f64> = (0..32 * 2).map(|at| f64::from((at * 7 + at / 32) % 40)).collect();
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[32, 40], Dtype::F32, &data);
    let index = kernel.load(&[32, 2], Dtype::U32, &offsets);
    let view = indirect(&mut kernel, tile, index, 40, 20);
    let dst = kernel.sbuf(&[32, 20], Dtype::F32);
    kernel.ok("tensor_copy", &[("dst", Tensor(dst)), ("src", Tensor(view))]);
    kernel.output(dst);
    let want: Vec<f64> = (0..32 * 20)
        .map(|at| {
            let (partition, slot) = (at / 20, at % 20);
            let group = partition / 16 * 16;
            data[partition * 40 + offsets[(group + slot % 16) * 2 + slot / 16] as usize]
        })
        .collect();
    assert_eq!(kernel.run()[0], want);
}

#[test]
fn free_offsets_need_trainium3_and_an_operand_that_takes_them() {
    for (chip, op) in [("trn2", "tensor_copy"), ("trn3", "reciprocal")] {
        let mut kernel = Kernel::on(chip);
        let tile = kernel.sbuf(&[32, 40], Dtype::F32);
        let index = kernel.sbuf(&[32, 2], Dtype::U32);
        let view = indirect(&mut kernel, tile, index, 40, 20);
        let dst = kernel.sbuf(&[32, 20], Dtype::F32);
        let param = if op == "reciprocal" { "data" } else { "src" };
        let (code, message) = kernel.rejected(op, &[("dst", Tensor(dst)), (param, Tensor(view))]);
        let title = if chip == "trn2" { "Trainium2" } else { "Trainium3" };
        let want = format!(
            "{op}: {param} 't0' [32, 20] float32 in sbuf goes by run-time indices, which this operand does not take on {title}"
        );
        assert_eq!((code, message), ("constraint", want));
    }
}
