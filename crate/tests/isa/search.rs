//! Searches, gathers, and random numbers.

use trn3::isa::args::Arg::{Float, Int, Member, Tensor};
use trn3::numerics::dtype::Dtype;

use crate::harness::{Kernel, numbers};

#[test]
fn max8_sorts_the_eight_largest() {
    let data = numbers(2 * 20);
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[2, 4, 5], Dtype::Bf16, &data);
    let dst = kernel.sbuf(&[2, 8], Dtype::F32);
    kernel.ok("max8", &[("dst", Tensor(dst)), ("src", Tensor(tile))]);
    kernel.output(dst);
    let want: Vec<f64> = data
        .chunks(20)
        .flat_map(|row| {
            let mut sorted = row.to_vec();
            sorted.sort_by(|a, b| b.total_cmp(a));
            sorted.truncate(8);
            sorted
        })
        .collect();
    assert_eq!(kernel.run()[0], want);
}

#[test]
fn found_indices_ascend_and_replaced_ones_descend_for_equal_values() {
    let data = [1.0, 2.0, 3.0, 4.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0];
    let vals = [3.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 9.0];
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[1, 11], Dtype::F32, &data);
    let eight = kernel.load(&[1, 8], Dtype::F32, &vals);
    let found = kernel.sbuf(&[1, 8], Dtype::U32);
    kernel.ok(
        "nc_find_index8",
        &[("dst", Tensor(found)), ("data", Tensor(tile)), ("vals", Tensor(eight))],
    );
    let replaced = kernel.sbuf(&[1, 11], Dtype::F32);
    let places = kernel.sbuf(&[1, 8], Dtype::U16);
    let args = [
        ("dst", Tensor(replaced)),
        ("data", Tensor(tile)),
        ("vals", Tensor(eight)),
        ("imm", Float(-1.0)),
        ("dst_idx", Tensor(places)),
    ];
    kernel.ok("nc_match_replace8", &args);
    for view in [found, replaced, places] {
        kernel.output(view);
    }
    let results = kernel.run();
    assert_eq!(results[0], [2.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 4_294_967_295.0]);
    assert_eq!(
        results[1],
        [1.0, 2.0, -1.0, 4.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 8.0]
    );
    assert_eq!(results[2], [2.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 65535.0]);
}

#[test]
fn nonzero_with_count_reads_every_sixteenth_partition() {
    let mut data = vec![0.0; 17 * 8];
    data[..8].copy_from_slice(&[0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    data[16 * 8] = 5.0;
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[17, 8], Dtype::F32, &data);
    let dst = kernel.load(&[17, 9], Dtype::I32, &[77.0; 17 * 9]);
    kernel.ok(
        "nonzero_with_count",
        &[("dst", Tensor(dst)), ("src", Tensor(tile)), ("index_offset", Int(16))],
    );
    kernel.output(dst);
    let got = &kernel.run()[0];
    assert_eq!(got[..9], [17.0, 18.0, 21.0, -1.0, -1.0, -1.0, -1.0, -1.0, 3.0]);
    assert_eq!(got[16 * 9..], [16.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 1.0]);
    assert_eq!(got[9..16 * 9], [77.0; 15 * 9]);
}

#[test]
fn sequence_bounds_of_the_documented_example() {
    let mut kernel = Kernel::new();
    let ids = kernel.load(&[1, 9], Dtype::I32, &[0.0, 1.0, 1.0, 2.0, 2.0, 2.0, 0.0, 3.0, 3.0]);
    let dst = kernel.sbuf(&[1, 2, 9], Dtype::I32);
    kernel.ok("sequence_bounds", &[("dst", Tensor(dst)), ("segment_ids", Tensor(ids))]);
    kernel.output(dst);
    let want = [
        9.0, 1.0, 1.0, 3.0, 3.0, 3.0, 9.0, 7.0, 7.0, -1.0, 3.0, 3.0, 6.0, 6.0, 6.0, -1.0, 9.0, 9.0,
    ];
    assert_eq!(kernel.run()[0], want);
}

#[test]
fn topk_keeps_the_largest_in_snake_order() {
    let n = 42;
    let values: Vec<f64> = (0..n).map(|at| f64::from((at * 29 % 42) as i32)).collect();
    let mut data = vec![-1000.0; 16 * 3];
    values
        .iter()
        .enumerate()
        .for_each(|(at, &value)| data[at % 16 * 3 + at / 16] = value);
    let mut kernel = Kernel::new();
    let src = kernel.load(&[16, 3], Dtype::Bf16, &data);
    let val = kernel.load(&[16, 20], Dtype::Bf16, &[-5.0; 320]);
    let idx = kernel.load(&[16, 20], Dtype::U32, &[7.0; 320]);
    let args = [
        ("val_dst", Tensor(val)),
        ("idx_dst", Tensor(idx)),
        ("src", Tensor(src)),
        ("n", Int(n)),
    ];
    kernel.ok("topk", &args);
    kernel.output(val);
    kernel.output(idx);
    let results = kernel.run();
    let mut order: Vec<usize> = (0..n as usize).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    for (rank, &at) in order[n as usize - 20..].iter().enumerate() {
        let place = rank % 16 * 20 + rank / 16;
        assert_eq!((results[0][place], results[1][place]), (values[at], at as f64));
    }
    assert_eq!(results[0][2], -5.0);
}

#[test]
fn gathers_by_partition_and_by_group() {
    let data: Vec<f64> = (0..16 * 8).map(f64::from).collect();
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[16, 8], Dtype::Bf16, &data);
    let own: Vec<f64> = (0..16 * 2).map(|at| f64::from(at * 3 % 8)).collect();
    let index = kernel.load(&[16, 2], Dtype::U32, &own);
    let dst = kernel.sbuf(&[16, 2], Dtype::Bf16);
    kernel.ok(
        "nc_n_gather",
        &[("dst", Tensor(dst)), ("data", Tensor(tile)), ("indices", Tensor(index))],
    );
    let shared: Vec<f64> = (0..16 * 2).map(|at| f64::from(at * 5 % 7)).collect();
    let index = kernel.load(&[16, 2], Dtype::U16, &shared);
    let group = kernel.sbuf(&[16, 40], Dtype::Bf16);
    let args = [
        ("dst", Tensor(group)),
        ("src_buffer", Tensor(tile)),
        ("index", Tensor(index)),
        ("num_elem_per_idx", Int(2)),
        ("num_valid_indices", Int(20)),
    ];
    kernel.ok("local_gather", &args);
    kernel.output(dst);
    kernel.output(group);
    let results = kernel.run();
    let want: Vec<f64> = (0..32).map(|at| data[at / 2 * 8 + own[at] as usize]).collect();
    assert_eq!(results[0], want);
    let want: Vec<f64> = (0..16 * 40)
        .map(|at| {
            let (partition, slot) = (at / 40, at % 40);
            let which = slot / 2;
            let index = shared[which % 16 * 2 + which / 16] as usize;
            data[partition * 8 + index + slot % 2]
        })
        .collect();
    assert_eq!(results[1], want);
}

#[test]
fn equal_seeds_give_equal_numbers_and_states_can_be_restored() {
    let mut kernel = Kernel::new();
    let seed = kernel.load(&[1, 1], Dtype::U32, &[42.0]);
    let tiles: Vec<_> = (0..3).map(|_| kernel.sbuf(&[4, 50], Dtype::F32)).collect();
    for (at, &tile) in tiles.iter().enumerate() {
        if at != 1 {
            kernel.ok("set_rng_seed", &[("src_seeds", Tensor(seed))]);
        }
        kernel.ok(
            "rand2",
            &[("dst", Tensor(tile)), ("min", Float(-2.0)), ("max", Float(3.0))],
        );
    }
    let state = kernel.sbuf(&[4, 6], Dtype::U32);
    kernel.ok("rand_get_state", &[("dst", Tensor(state))]);
    let bits: Vec<_> = (0..2).map(|_| kernel.sbuf(&[4, 9], Dtype::U16)).collect();
    for &tile in &bits {
        kernel.ok("rand_set_state", &[("src_seeds", Tensor(state))]);
        kernel.ok("rng", &[("dst", Tensor(tile)), ("engine", Member("engine", "gpsimd"))]);
    }
    for view in tiles.into_iter().chain(bits) {
        kernel.output(view);
    }
    let results = kernel.run();
    assert_eq!(results[0], results[2]);
    assert_ne!(results[0], results[1]);
    assert!(results[0].iter().all(|x| (-2.0..=3.0).contains(x)));
    let mean = results[0].iter().sum::<f64>() / 200.0;
    assert!((mean - 0.5).abs() < 0.4, "{mean}");
    assert_eq!(results[3], results[4]);
}

#[test]
fn dropout_keeps_all_nothing_or_a_share() {
    let data: Vec<f64> = (1..=3 * 100).map(f64::from).collect();
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[3, 100], Dtype::F32, &data);
    let prob = kernel.load(&[3, 1], Dtype::F32, &[0.0, 1.0, 0.5]);
    let dst = kernel.sbuf(&[3, 100], Dtype::F32);
    kernel.ok(
        "dropout",
        &[("dst", Tensor(dst)), ("data", Tensor(tile)), ("prob", Tensor(prob))],
    );
    kernel.output(dst);
    let got = &kernel.run()[0];
    assert_eq!(got[..100], data[..100]);
    assert_eq!(got[100..200], [0.0; 100]);
    let kept = got[200..].iter().filter(|&&x| x != 0.0).count();
    assert!((25..=75).contains(&kept), "{kept}");
}
