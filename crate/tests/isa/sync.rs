//! Two cores: barriers, exchanges, deadlocks, printing.

use trn3::isa::args::Arg::{Int, List, Tensor};
use trn3::numerics::dtype::Dtype;
use trn3::tensor::view::ViewId;

use crate::harness::{Kernel, numbers};

fn barrier(kernel: &mut Kernel, data: ViewId) {
    let cores = List(vec![Int(0), Int(1)]);
    kernel.ok("core_barrier", &[("data", Tensor(data)), ("cores", cores)]);
}

/// Core 0 writes the first half of a shared tensor, core 1 the second; after the barrier each reads the other's half.
#[test]
fn cores_see_each_other_after_a_barrier() {
    let mut kernel = Kernel::new();
    let input = kernel.input(&[4, 2], Dtype::F32, &(0..8).map(f64::from).collect::<Vec<_>>());
    let mut results = Vec::new();
    for core in 0..2_u64 {
        if core == 1 {
            kernel.builder.begin_core();
        }
        let shared = kernel.hbm(&[4, 2], Dtype::F32);
        let out = kernel.hbm(&[4, 2], Dtype::F32);
        let half = |kernel: &mut Kernel, view, which: u64| kernel.view(view, which * 4, &[(2, 2), (1, 2)]);
        let (from, to) = (half(&mut kernel, input, core), half(&mut kernel, shared, core));
        kernel.ok("dma_copy", &[("dst", Tensor(to)), ("src", Tensor(from))]);
        barrier(&mut kernel, shared);
        let (from, to) = (half(&mut kernel, shared, 1 - core), half(&mut kernel, out, core));
        kernel.ok("dma_copy", &[("dst", Tensor(to)), ("src", Tensor(from))]);
        if core == 0 {
            results.push(out);
        }
    }
    results.into_iter().for_each(|view| kernel.output(view));
    assert_eq!(kernel.run()[0], [4.0, 5.0, 6.0, 7.0, 0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn cores_exchange_tiles() {
    let mut kernel = Kernel::new();
    let out = kernel.input(&[2, 3], Dtype::F32, &[0.0; 6]);
    let data = kernel.input(&[2, 3], Dtype::F32, &[1.0, 2.0, 3.0, 10.0, 20.0, 30.0]);
    for core in 0..2_u64 {
        if core == 1 {
            kernel.builder.begin_core();
        }
        let row = |kernel: &mut Kernel, view| kernel.view(view, core * 3, &[(3, 1), (1, 3)]);
        let (mine, received) = (kernel.sbuf(&[1, 3], Dtype::F32), kernel.sbuf(&[1, 3], Dtype::F32));
        let from = row(&mut kernel, data);
        kernel.ok("dma_copy", &[("dst", Tensor(mine)), ("src", Tensor(from))]);
        let args = [
            ("src", Tensor(mine)),
            ("dst", Tensor(received)),
            ("send_to_rank", Int(1 - core as i64)),
            ("recv_from_rank", Int(1 - core as i64)),
            ("pipe_id", Int(0)),
        ];
        kernel.ok("sendrecv", &args);
        let to = row(&mut kernel, out);
        kernel.ok("dma_copy", &[("dst", Tensor(to)), ("src", Tensor(received))]);
    }
    kernel.output(out);
    assert_eq!(kernel.run()[0], [10.0, 20.0, 30.0, 1.0, 2.0, 3.0]);
}

#[test]
fn a_barrier_that_one_core_misses_is_a_deadlock() {
    let mut kernel = Kernel::new();
    let shared = kernel.hbm(&[2], Dtype::F32);
    barrier(&mut kernel, shared);
    kernel.builder.begin_core();
    kernel.hbm(&[2], Dtype::F32);
    let message = "the cores can never meet: core 0 waits in core_barrier, core 1 has ended";
    assert_eq!(kernel.fails(), ("deadlock", message.to_owned()));
}

#[test]
fn device_print_collects_values() {
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[1, 3], Dtype::Bf16, &numbers(3));
    let text = kernel.builder.text("tile:");
    let op = trn3::isa::ops::print::DevicePrint {
        print_prefix: text,
        tensor: trn3::isa::param::In(tile),
    };
    let loc = kernel.loc();
    kernel.builder.emit(trn3::isa::Inst::DevicePrint(op), loc).unwrap();
    let executor = kernel.execute().unwrap();
    assert_eq!(executor.printed().len(), 1);
    assert_eq!(executor.printed()[0].text, "tile: [1, 3] bfloat16 [-4, -3, -2]");
}
