//! Looking into a finished run: operands before and after an instruction, steps, breakpoints, the console.
//!
//! Expected values are worked out here from the script, not read from the run.
#![cfg(not(target_arch = "wasm32"))]

use trn3::base::diag::Severity;
use trn3::simulation::cells::{Cells, Content, INFINITE, NAN, UNWRITTEN, Window};
use trn3::simulation::console::Printer;
use trn3::simulation::debug::{Breakpoint, Motion, Point};
use trn3::simulation::inspect::Inspection;
use trn3::simulation::{File, Mode, Options, Simulation};

/// Loads, doubles in a loop of the device, stores. Lines are numbered from 1; the body of the kernel starts at line 8.
const LOOP: &str = "\
import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    print('traced', x.shape)
    for i in nl.dynamic_range(3):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
        nl.device_print('tile', tile[0:1, 0:2])
    nisa.dma_copy(dst=out, src=tile)
    return out


x = np.arange(24, dtype=np.float32).reshape(4, 6) + 1
print('host')
y = kernel(x)
assert np.array_equal(y, x * 8)
";

/// The line of the multiplication.
const MULTIPLY: u32 = 14;

/// Runs a script to its end.
fn run(text: &str, mode: Mode) -> Simulation {
    let file = File {
        name: "kernel.py".to_owned(),
        text: text.to_owned(),
    };
    let options = Options {
        mode,
        ..Options::default()
    };
    let mut simulation = Simulation::new(vec![file], options);
    simulation.finish();
    simulation
}

fn finished(text: &str, mode: Mode) -> Simulation {
    let simulation = run(text, mode);
    let errors = simulation
        .diagnostics()
        .into_iter()
        .filter(|one| one.severity == Severity::Error);
    assert_eq!(errors.count(), 0, "{}", simulation.render_diagnostics());
    simulation
}

/// Looks at one execution, in slices of `budget` instructions.
fn inspect(simulation: &mut Simulation, core: usize, instance: u32, budget: u64) -> Inspection {
    assert!(simulation.inspect(0, core, instance).expect("memory"));
    while !simulation.advance_inspection(budget).expect("no fault").done {}
    simulation.inspection().expect("an answer").clone()
}

/// All values of a tile, nothing where nobody wrote.
fn values(content: &Content) -> Vec<Option<f64>> {
    let whole = Window {
        row: 0,
        column: 0,
        rows: content.rows,
        columns: content.columns,
        most_rows: content.rows,
        most_columns: content.columns.max(1),
    };
    let Cells { mean, flags, .. } = content.cells(whole);
    let cells = mean.into_iter().zip(flags);
    cells
        .map(|(mean, flags)| (flags & UNWRITTEN == 0).then_some(mean))
        .collect()
}

/// The input of the kernel times `factor`.
fn scaled(factor: f64) -> Vec<Option<f64>> {
    (1..=24).map(|value| Some(f64::from(value) * factor)).collect()
}

fn place(point: &Point) -> (u32, &str, u32) {
    (point.instance, point.name, point.line)
}

#[test]
fn operands_are_seen_before_and_after_each_iteration() {
    let mut simulation = finished(LOOP, Mode::Simulate);
    // Execution 0 is the load; each iteration multiplies and prints.
    for iteration in 0..3_u32 {
        let seen = inspect(&mut simulation, 0, 1 + 2 * iteration, 1);
        assert_eq!((seen.name, seen.place.line), ("tensor_scalar", MULTIPLY));
        assert_eq!(seen.iterations.len(), 1);
        assert_eq!(seen.iterations[0].number, u64::from(iteration));
        assert_eq!(seen.iterations[0].value, Some(i64::from(iteration)));
        let factor = f64::from(1 << iteration);
        for operand in &seen.operands[..2] {
            assert_eq!(
                (operand.shape.as_slice(), operand.dtype, operand.space),
                (&[4, 6][..], "float32", "sbuf")
            );
            assert_eq!(
                (operand.extent.partitions, operand.extent.byte_end - operand.extent.byte),
                (4, 24)
            );
            assert_eq!(values(&operand.before), scaled(factor), "{}", operand.role);
            assert_eq!(values(&operand.after), scaled(2.0 * factor), "{}", operand.role);
            assert_eq!(operand.changed, 24);
            assert_eq!(
                (operand.before.low, operand.before.high),
                (Some(factor), Some(24.0 * factor))
            );
            assert_eq!(operand.before.mean, Some(12.5 * factor));
        }
    }
}

#[test]
fn a_step_back_gives_what_the_way_forward_gave() {
    let mut simulation = finished(LOOP, Mode::Simulate);
    let forward: Vec<_> = (0..8).map(|at| inspect(&mut simulation, 0, at, 1000)).collect();
    for at in (0..8).rev() {
        assert_eq!(inspect(&mut simulation, 0, at, 2), forward[at as usize]);
    }
    assert!(
        !simulation.inspect(0, 0, 8).expect("no fault"),
        "there are eight executions"
    );
}

#[test]
fn memory_that_nobody_wrote_is_told_apart_from_zero() {
    let mut simulation = finished(LOOP, Mode::Simulate);
    let load = inspect(&mut simulation, 0, 0, 1000);
    let (dst, src) = (&load.operands[0], &load.operands[1]);
    assert_eq!((dst.role, dst.access, dst.before.unwritten), ("dst", "write", 24));
    assert_eq!(values(&dst.before), vec![None; 24]);
    assert_eq!(values(&dst.after), scaled(1.0));
    assert_eq!((src.space, values(&src.before)), ("shared_hbm", scaled(1.0)));
    assert_eq!((src.changed, dst.changed), (0, 24));
    // The last use of the tile: it is still there behind the instruction.
    let store = inspect(&mut simulation, 0, 7, 1000);
    assert_eq!(values(&store.operands[0].after), scaled(8.0));
    assert_eq!(values(&store.operands[1].after), scaled(8.0));
}

#[test]
fn windows_are_sampled_down_and_cut_at_the_edge() {
    let mut simulation = finished(LOOP, Mode::Simulate);
    let load = inspect(&mut simulation, 0, 0, 1000);
    let window = Window {
        row: 0,
        column: 1,
        rows: 4,
        columns: 100,
        most_rows: 2,
        most_columns: 3,
    };
    let cells = load.operands[0].after.cells(window);
    assert_eq!(
        (cells.rows, cells.columns, cells.block_rows, cells.block_columns),
        (2, 3, 2, 2)
    );
    // Rows 1..6 and 7..12 of the first block: columns 1 to 2 hold 2, 3, 8, 9.
    assert_eq!((cells.mean[0], cells.low[0], cells.high[0]), (5.5, 2.0, 9.0));
    // The last column of blocks has one column of values: 6 and 12.
    assert_eq!((cells.mean[2], cells.low[2], cells.high[2]), (9.0, 6.0, 12.0));
    assert_eq!(cells.flags, vec![0; 6]);
}

#[test]
fn nan_and_infinity_are_flagged_and_left_out_of_the_mean() {
    let text = LOOP
        .replace(
            "x = np.arange(24, dtype=np.float32).reshape(4, 6) + 1",
            "x = np.ones((4, 6), dtype=np.float32)\nx[0, 1] = np.nan\nx[0, 2] = -np.inf",
        )
        .replace("assert np.array_equal(y, x * 8)\n", "");
    let mut simulation = finished(&text, Mode::Simulate);
    let load = inspect(&mut simulation, 0, 0, 1000);
    let after = &load.operands[0].after;
    assert_eq!(
        (after.nan, after.infinite, after.low, after.high),
        (1, 1, Some(1.0), Some(1.0))
    );
    let row = Window {
        row: 0,
        column: 0,
        rows: 1,
        columns: 6,
        most_rows: 1,
        most_columns: 2,
    };
    let cells = after.cells(row);
    assert_eq!(cells.flags, [NAN | INFINITE, 0]);
    assert_eq!(
        (cells.mean[0], cells.low[0], cells.high[0]),
        (1.0, f64::NEG_INFINITY, 1.0)
    );
}

#[test]
fn steps_follow_the_order_of_execution() {
    let mut simulation = finished(LOOP, Mode::Simulate);
    let stop = [Breakpoint {
        file: "kernel.py".to_owned(),
        line: MULTIPLY,
    }];
    let mut step = |from, motion| {
        let point = simulation.seek(0, 0, from, motion, &stop);
        point.map(|point| (point.instance, point.line))
    };
    assert_eq!(step(None, Motion::Next), Some((0, 11)));
    assert_eq!(step(Some(0), Motion::Next), Some((1, MULTIPLY)));
    assert_eq!(step(Some(7), Motion::Next), None);
    assert_eq!(step(Some(0), Motion::Previous), None);
    assert_eq!(step(Some(2), Motion::Previous), Some((1, MULTIPLY)));
    assert_eq!(step(None, Motion::Continue), Some((1, MULTIPLY)));
    assert_eq!(step(Some(1), Motion::Continue), Some((3, MULTIPLY)));
    assert_eq!(step(Some(5), Motion::Continue), Some((7, 16)), "the end");
    assert_eq!(step(Some(7), Motion::Continue), None);
    assert_eq!(step(Some(5), Motion::Reverse), Some((3, MULTIPLY)));
    assert_eq!(step(Some(1), Motion::Reverse), Some((0, 11)), "the start");
    assert_eq!(step(Some(1), Motion::Line), Some((2, 15)));
}

#[test]
fn the_executions_of_a_line_and_their_bars() {
    let mut simulation = finished(LOOP, Mode::Simulate);
    let line = Breakpoint {
        file: "kernel.py".to_owned(),
        line: MULTIPLY,
    };
    let found = simulation.of_line(0, 0, &line, 1, 1).expect("a launch");
    assert_eq!(found.total, 3);
    assert_eq!(
        found.points.iter().map(place).collect::<Vec<_>>(),
        [(3, "tensor_scalar", MULTIPLY)]
    );
    let point = simulation.point(0, 0, 3).expect("an execution");
    let entry = point.entry.expect("a bar");
    assert_eq!(simulation.point_of_entry(0, entry), Some(point));
    // A print takes no time, so it has no bar.
    assert_eq!(simulation.point(0, 0, 2).expect("an execution").entry, None);
}

#[test]
fn a_breakpoint_on_a_call_stops_once_for_each_call() {
    let text = "\
import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl


def twice(tile):
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    twice(tile)
    twice(tile)
    nl.store(out, tile)
    return out


kernel(np.ones((4, 6), dtype=np.float32))
";
    let mut simulation = finished(text, Mode::Simulate);
    let stop = [Breakpoint {
        file: "kernel.py".to_owned(),
        line: 16,
    }];
    let first = simulation.seek(0, 0, None, Motion::Continue, &stop).expect("the call");
    assert_eq!(place(&first), (1, "tensor_scalar", 8));
    let next = simulation
        .seek(0, 0, Some(1), Motion::Continue, &stop)
        .expect("the end");
    assert_eq!(place(&next), (5, "dma_copy", 18));
    let seen = inspect(&mut simulation, 0, 2, 1000);
    assert_eq!(
        seen.calls
            .iter()
            .map(|call| (call.message.as_str(), call.place.line))
            .collect::<Vec<_>>(),
        [("twice", 16)]
    );
    assert_eq!(values(&seen.operands[0].after), vec![Some(3.0); 24]);
}

#[test]
fn the_console_names_printers_and_places() {
    let simulation = finished(LOOP, Mode::Simulate);
    let told: Vec<_> = simulation
        .console()
        .into_iter()
        .map(|line| (line.printer, line.text, line.line, line.core, line.instance))
        .collect();
    let device = |values: &str, instance| {
        (
            Printer::Device,
            format!("tile [1, 2] float32 [{values}]"),
            15,
            Some(0),
            Some(instance),
        )
    };
    assert_eq!(
        told,
        [
            (Printer::Script, "host".to_owned(), 21, None, None),
            (Printer::Trace, "traced (4, 6)".to_owned(), 12, Some(0), None),
            device("2, 4", 2),
            device("4, 8", 4),
            device("8, 16", 6),
        ]
    );
    let lines: String = simulation
        .console()
        .iter()
        .map(|line| line.text.clone() + "\n")
        .collect();
    assert_eq!(simulation.report().stdout, lines);
}

#[test]
fn an_estimate_says_that_the_device_prints_no_values() {
    let mut simulation = run(LOOP, Mode::Estimate);
    let skipped: Vec<_> = simulation
        .console()
        .into_iter()
        .filter(|line| line.printer == Printer::Skipped)
        .map(|line| (line.text, line.line))
        .collect();
    assert_eq!(skipped, [("tile".to_owned(), 15)]);
    assert!(!simulation.inspect(0, 0, 1).expect("no fault"), "there are no values");
}

#[test]
fn integers_are_printed_exactly() {
    let text = "\
import numpy as np
import nki
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nl.device_print('n', tile)
    nl.store(out, tile)
    return out


kernel(np.array([[16777217, -2147483647]], dtype=np.int32))
";
    let simulation = finished(text, Mode::Simulate);
    assert_eq!(simulation.report().stdout, "n [1, 2] int32 [16777217, -2147483647]\n");
}

#[test]
fn two_cores_that_meet_are_seen_on_both_sides() {
    let text = "\
import numpy as np
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    out = nl.ndarray((2, 4, 6), dtype=x.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    tile = nl.load(x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=float(10 * core))
    other = nl.ndarray((4, 6), dtype=x.dtype, buffer=nl.sbuf)
    nisa.sendrecv(src=tile, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
    nl.store(out[core], other)
    return out


kernel[2](np.ones((4, 6), dtype=np.float32))
";
    let mut simulation = finished(text, Mode::Simulate);
    for core in [0, 1] {
        let seen = inspect(&mut simulation, core, 2, 1);
        assert_eq!(seen.name, "sendrecv");
        let received = seen.operands.iter().find(|operand| operand.role == "dst").expect("dst");
        let expected = if core == 0 { 11.0 } else { 1.0 };
        assert_eq!(values(&received.before), vec![None; 24]);
        assert_eq!(values(&received.after), vec![Some(expected); 24], "core {core}");
    }
}
