//! The whole path on two sizes of the tiled matrix multiplication, beside what bounds it from below. One JSON object a line.
#![cfg_attr(target_arch = "wasm32", expect(unused, reason = "benches run natively"))]

use std::time::Instant;

use trn3::numerics::matmul::{Matrix, MatrixMut, Shape, Stationary};
use trn3::simulation::{File, Mode, Options, Simulation};

/// Measured rounds; the median is printed.
const ROUNDS: usize = 5;

/// The example script with all three sizes set to `size`.
fn cube(size: usize) -> String {
    let text = include_str!("../../kernels/matmul.py");
    let line = |line: &str| match line.split_once(" = ") {
        Some((name @ ("M" | "K" | "N"), _)) => format!("{name} = {size}\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Seconds that a run of the script takes, and its instructions.
fn run(text: &str, mode: Mode) -> (f64, u64) {
    let start = Instant::now();
    let file = File {
        name: "matmul.py".to_owned(),
        text: text.to_owned(),
    };
    let options = Options {
        mode,
        ..Options::default()
    };
    let mut simulation = Simulation::new(vec![file], options);
    simulation.finish();
    let seconds = start.elapsed().as_secs_f64();
    let report = simulation.report();
    assert!(report.diagnostics.is_empty(), "{}", simulation.render_diagnostics());
    (
        seconds,
        report.launches.iter().map(|launch| launch.summary.instructions).sum(),
    )
}

/// Seconds that the front end takes for a million instructions in a static loop nest, and how many there are.
fn trace() -> (f64, u64) {
    let file = File {
        name: "million.py".to_owned(),
        text: include_str!("million.py").to_owned(),
    };
    let options = Options {
        mode: Mode::Estimate,
        ..Options::default()
    };
    let mut simulation = Simulation::new(vec![file], options);
    let start = Instant::now();
    // The script is interpreted and its kernels are traced in one piece, whatever the budget.
    simulation.advance(1);
    let seconds = start.elapsed().as_secs_f64();
    simulation.finish();
    let report = simulation.report();
    assert!(report.diagnostics.is_empty(), "{}", simulation.render_diagnostics());
    (seconds, report.launches[0].summary.instructions)
}

/// Seconds that the multiplications of the tiled program take by themselves, on operands that are decoded already.
fn bare(size: usize) -> f64 {
    let (left, right) = (vec![0.5_f32; size * size], vec![0.25_f32; size * size]);
    let mut out = vec![0.0_f32; size * size];
    let (tile_k, tile_m, tile_n) = (128, 128, 512);
    let mut array = Stationary::new();
    let start = Instant::now();
    for m in (0..size).step_by(tile_m) {
        for n in (0..size).step_by(tile_n) {
            for k in (0..size).step_by(tile_k) {
                let stationary = Matrix {
                    data: &left[k * size + m..],
                    stride: size,
                };
                array.load(tile_k, tile_m, stationary);
                let moving = Matrix {
                    data: &right[k * size + n..],
                    stride: size,
                };
                let mut target = MatrixMut {
                    data: &mut out[m * size + n..],
                    stride: size,
                };
                array.multiply(tile_n, moving, &mut target, k > 0);
            }
        }
    }
    assert!(
        out.iter().all(|&value| value == 0.125 * size as f32),
        "{:?}",
        Shape {
            k: size,
            m: size,
            n: size
        }
    );
    start.elapsed().as_secs_f64()
}

/// The median of `ROUNDS` measurements.
fn median(mut measure: impl FnMut() -> f64) -> f64 {
    let mut all: Vec<f64> = (0..ROUNDS).map(|_| measure()).collect();
    all.sort_by(f64::total_cmp);
    all[ROUNDS / 2]
}

fn main() {
    let report = |case: &str, value: f64, unit: &str| {
        println!("{{\"bench\": \"path\", \"case\": \"{case}\", \"value\": {value:.4}, \"unit\": \"{unit}\"}}");
    };
    let (small, large) = (cube(1024), cube(4096));
    let products = median(|| bare(1024));
    let simulate = median(|| run(&small, Mode::Simulate).0);
    report("1024 cubed bf16, multiplications alone", products, "s");
    report("1024 cubed bf16, script to checked result", simulate, "s");
    report("1024 cubed bf16, script over multiplications", simulate / products, "x");
    let (_, million) = trace();
    let traced = median(|| trace().0);
    report("a million instructions, traced", traced, "s");
    report(
        "a million instructions, traced a second",
        million as f64 / traced,
        "1/s",
    );
    let (_, instructions) = run(&large, Mode::Estimate);
    let estimate = median(|| run(&large, Mode::Estimate).0);
    report("4096 cubed bf16, estimate", estimate, "s");
    report(
        "4096 cubed bf16, instructions traced and scheduled a second",
        instructions as f64 / estimate,
        "1/s",
    );
}
