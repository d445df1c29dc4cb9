//! Memory: unwritten bytes, user-placed buffers, limits, loops and registers.

use std::rc::Rc;

use trn3::base::units::Bytes;
use trn3::exec::{Executor, Progress};
use trn3::isa::args::Arg::{self, Int, Register, Tensor};
use trn3::numerics::dtype::Dtype;
use trn3::tensor::buffer::{Address, Space};
use trn3::tensor::view::{IndexSource, Indirect};
use trn3::trace::limits::Limits;
use trn3::trace::program::{Bound, Loop, Trip};

use crate::harness::{Kernel, numbers};

#[test]
fn the_first_unwritten_element_is_named() {
    let mut kernel = Kernel::new();
    let tile = kernel.sbuf(&[4, 6], Dtype::Bf16);
    let part = kernel.view(tile, 0, &[(6, 4), (1, 5)]);
    kernel.ok("memset", &[("dst", Tensor(part)), ("value", Int(1))]);
    let out = kernel.sbuf(&[4, 6], Dtype::F32);
    kernel.ok("tensor_copy", &[("dst", Tensor(out)), ("src", Tensor(tile))]);
    let message = "tensor_copy: src 't0' [4, 6] bfloat16 in sbuf reads element [0, 5], which was never written";
    assert_eq!(kernel.fails(), ("uninitialized", message.to_owned()));
}

#[test]
fn returning_an_unwritten_tensor_is_reported() {
    let mut kernel = Kernel::new();
    let out = kernel.hbm(&[2, 2], Dtype::F32);
    kernel.output(out);
    let mut executor = kernel.execute().unwrap();
    let fault = executor.results().unwrap_err();
    let message = "the kernel returns a tensor that it did not write whole: result 't0' [2, 2] float32 in shared_hbm reads element [0, 0], which was never written";
    assert_eq!(fault.message, message);
}

#[test]
fn buffers_at_overlapping_addresses_share_bytes() {
    let mut kernel = Kernel::new();
    let at = |byte| Address { partition: 0, byte };
    let words = kernel.alloc_at(Space::Sbuf, &[2, 4], Dtype::U32, at(64));
    let halves = kernel.alloc_at(Space::Sbuf, &[2, 2], Dtype::U16, at(72));
    kernel.ok("memset", &[("dst", Tensor(words)), ("value", Int(0x0002_0001))]);
    let copy = kernel.sbuf(&[2, 2], Dtype::U16);
    kernel.ok("tensor_copy", &[("dst", Tensor(copy)), ("src", Tensor(halves))]);
    kernel.output(copy);
    assert_eq!(kernel.run()[0], [1.0, 2.0, 1.0, 2.0]);
}

#[test]
fn a_new_tile_in_the_same_bank_starts_a_new_accumulation() {
    let mut kernel = Kernel::new();
    let a = kernel.load(&[1, 1], Dtype::F32, &[3.0]);
    let mut outs = Vec::new();
    for _ in 0..2 {
        let place = Address {
            partition: 0,
            byte: 2048,
        };
        let dst = kernel.alloc_at(Space::Psum, &[1, 1], Dtype::F32, place);
        for _ in 0..2 {
            kernel.ok(
                "nc_matmul",
                &[("dst", Tensor(dst)), ("stationary", Tensor(a)), ("moving", Tensor(a))],
            );
        }
        let out = kernel.sbuf(&[1, 1], Dtype::F32);
        kernel.ok("tensor_copy", &[("dst", Tensor(out)), ("src", Tensor(dst))]);
        outs.push(out);
    }
    outs.into_iter().for_each(|out| kernel.output(out));
    assert_eq!(kernel.run(), [[18.0], [18.0]]);
}

#[test]
fn simulated_memory_has_a_limit() {
    let mut kernel = Kernel::new();
    let out = kernel.hbm(&[1024, 1024], Dtype::F32);
    kernel.output(out);
    let tile = kernel.load(&[128, 64], Dtype::F32, &numbers(128 * 64));
    let part = kernel.view(out, 0, &[(1024, 128), (1, 64)]);
    kernel.ok("dma_copy", &[("dst", Tensor(part)), ("src", Tensor(tile))]);
    let (program, inputs) = kernel.finish();
    let limits = Limits {
        memory: Bytes(1 << 20),
        ..Limits::default()
    };
    let mut executor = Executor::new(program, inputs, &limits).unwrap();
    let diagnostic = executor.advance(100).unwrap_err();
    assert_eq!(diagnostic.code.id(), "limit");
    let message = "dma_copy: the simulated memory in use reaches 4259840 bytes with 't0'; limit 1048576 bytes a run";
    assert_eq!(diagnostic.message, message);
}

#[test]
fn memory_is_freed_after_the_last_use() {
    let mut kernel = Kernel::new();
    for _ in 0..64 {
        let tile = kernel.sbuf(&[128, 2048], Dtype::F32);
        kernel.ok("memset", &[("dst", Tensor(tile)), ("value", Int(0))]);
    }
    let (program, inputs) = kernel.finish();
    let limits = Limits {
        memory: Bytes(2 << 20),
        ..Limits::default()
    };
    let mut executor = Executor::new(program, inputs, &limits).unwrap();
    assert_eq!(executor.advance(1000).unwrap(), Progress::Done);
}

/// Copies row `i` of an argument to row `i` of the result in a dynamic loop with the given trip.
fn row_copies(trip: impl Fn(&mut Kernel) -> Trip) -> (Vec<f64>, Vec<u64>) {
    let mut kernel = Kernel::new();
    let table = kernel.input(&[6, 2], Dtype::F32, &(0..12).map(f64::from).collect::<Vec<_>>());
    let out = kernel.input(&[6, 2], Dtype::F32, &[0.0; 12]);
    let trip = trip(&mut kernel);
    let index = kernel.register();
    let body = Loop {
        trip,
        index: Some(index),
        loc: kernel.loc(),
    };
    let id = kernel.builder.begin_loop(body).unwrap();
    let row = |kernel: &mut Kernel, tensor| {
        let source = IndexSource::Register(index);
        kernel.indirect(
            tensor,
            0,
            &[(2, 1), (1, 2)],
            Some(Indirect {
                source,
                step: 2,
                limit: 6,
            }),
        )
    };
    let (from, to) = (row(&mut kernel, table), row(&mut kernel, out));
    let tile = kernel.sbuf(&[1, 2], Dtype::F32);
    kernel.ok("dma_copy", &[("dst", Tensor(tile)), ("src", Tensor(from))]);
    kernel.ok("dma_copy", &[("dst", Tensor(to)), ("src", Tensor(tile))]);
    kernel.builder.end_loop(id).unwrap();
    kernel.output(out);
    let mut executor = kernel.execute().unwrap();
    let trips = executor.dynamics()[0].trips[&id].clone();
    let bytes = &executor.results().unwrap()[0].bytes;
    (crate::harness::values(Dtype::F32, bytes), trips)
}

#[test]
fn counted_loops_run_with_bounds_from_registers() {
    let (rows, trips) = row_copies(|kernel| {
        let stop = kernel.register();
        kernel.ok("register_move", &[("dst", Register(stop)), ("imm", Int(6))]);
        Trip::Range {
            start: Bound::Known(1),
            stop: Bound::Register(stop),
            step: 2,
        }
    });
    assert_eq!(rows, [0.0, 0.0, 2.0, 3.0, 0.0, 0.0, 6.0, 7.0, 0.0, 0.0, 10.0, 11.0]);
    assert_eq!(trips, [3]);
}

#[test]
fn while_loops_test_their_register_before_each_iteration() {
    let mut kernel = Kernel::new();
    let flag = kernel.register();
    kernel.ok("register_move", &[("dst", Register(flag)), ("src", Int(2))]);
    let cell = kernel.sbuf(&[1, 1], Dtype::I32);
    let sum = kernel.load(&[1, 1], Dtype::I32, &[0.0]);
    let body = Loop {
        trip: Trip::While(flag),
        index: None,
        loc: kernel.loc(),
    };
    let id = kernel.builder.begin_loop(body).unwrap();
    kernel.ok("register_store", &[("dst", Tensor(cell)), ("src", Register(flag))]);
    let add = |kernel: &mut Kernel, dst, a, operand: i64| {
        let args = [
            ("dst", Tensor(dst)),
            ("data", Tensor(a)),
            ("op0", Arg::Function("add")),
            ("operand0", Int(operand)),
        ];
        kernel.ok("tensor_scalar", &args);
    };
    add(&mut kernel, sum, sum, 10);
    add(&mut kernel, cell, cell, -1);
    kernel.ok("register_load", &[("dst", Register(flag)), ("src", Tensor(cell))]);
    kernel.builder.end_loop(id).unwrap();
    kernel.output(sum);
    assert_eq!(kernel.run()[0], [20.0]);
}

#[test]
fn endless_loops_reach_the_limit() {
    let mut kernel = Kernel::new();
    let flag = kernel.register();
    kernel.ok("register_move", &[("dst", Register(flag)), ("src", Int(1))]);
    let body = Loop {
        trip: Trip::While(flag),
        index: None,
        loc: kernel.loc(),
    };
    let id = kernel.builder.begin_loop(body).unwrap();
    kernel.builder.end_loop(id).unwrap();
    let (program, inputs) = kernel.finish();
    let limits = Limits {
        executed: 1000,
        ..Limits::default()
    };
    let mut executor = Executor::new(program, inputs, &limits).unwrap();
    let diagnostic = executor.advance(u64::MAX / 2).unwrap_err();
    assert_eq!(diagnostic.message, "the launch executes more than 1000 instructions");
}

#[test]
fn registers_that_nobody_wrote_are_reported() {
    let mut kernel = Kernel::new();
    let (a, b) = (kernel.register(), kernel.register());
    kernel.ok("register_move", &[("dst", Register(a)), ("src", Register(b))]);
    let message = "register_move: reads a register that was never written";
    assert_eq!(kernel.fails(), ("uninitialized", message.to_owned()));
}

#[test]
fn slices_of_a_run_give_the_same_values() {
    let build = || {
        let mut kernel = Kernel::new();
        let tile = kernel.load(&[8, 32], Dtype::F32, &numbers(256));
        for _ in 0..10 {
            let args = [
                ("dst", Tensor(tile)),
                ("op", Arg::Function("tanh")),
                ("data", Tensor(tile)),
            ];
            kernel.ok("activation", &args);
        }
        kernel.output(tile);
        kernel.finish()
    };
    let run = |budget| {
        let (program, inputs) = build();
        let mut executor = Executor::new(Rc::clone(&program), inputs, &Limits::default()).unwrap();
        let mut slices = 0;
        while executor.advance(budget).unwrap() == Progress::Running {
            slices += 1;
        }
        (executor.results().unwrap(), slices)
    };
    let (whole, once) = run(1_000_000);
    let (sliced, many) = run(1);
    assert_eq!(whole, sliced);
    assert!(once == 0 && many >= 10);
}
