//! Every example kernel passes its own NumPy check in every precision that it offers, and its profile is a golden file.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::fs;
use std::path::Path;

use support::{check_golden, crate_dir, options, run, scripts, stem};
use trn3::base::diag::Severity;
use trn3::simulation::params::{self, Control};
use trn3::simulation::report::{CheckResult, Report};
use trn3::simulation::{Mode, Simulation};

/// The literals that the precision control of a script offers; its present one if there is no control.
fn precisions(text: &str) -> Vec<Option<String>> {
    let found = params::params(text).into_iter().find(|param| param.name == "precision");
    match found.map(|param| param.control) {
        Some(Control::Choice { choices }) => choices.into_iter().map(Some).collect(),
        _ => vec![None],
    }
}

/// The script in every precision, with the name of its golden file.
fn variants(path: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(path).expect("a readable kernel");
    let variant = |precision: Option<String>| match precision {
        Some(literal) => {
            let name = format!("{}-{}", stem(path), literal.trim_matches('"'));
            (
                name,
                params::set(&text, "precision", &literal).expect("an offered choice"),
            )
        }
        None => (stem(path), text.clone()),
    };
    precisions(&text).into_iter().map(variant).collect()
}

/// Fails unless the run ended without an error.
fn assert_no_error(name: &str, simulation: &Simulation) {
    let errors = simulation
        .report()
        .diagnostics
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .count();
    assert_eq!(errors, 0, "{name}:\n{}", simulation.render_diagnostics());
}

#[test]
fn kernels_pass_their_own_check() {
    for path in scripts(&crate_dir().join("../kernels")) {
        for (name, text) in variants(&path) {
            let simulation = run(&name, &text, options("trn3", Mode::Simulate));
            assert_no_error(&name, &simulation);
            let checks = simulation.report().checks;
            assert!(!checks.is_empty(), "{name} checks nothing");
            for check in &checks {
                assert_eq!(
                    check.result,
                    CheckResult::Passed,
                    "{name} line {}: {} {}",
                    check.line,
                    check.text,
                    check.note
                );
            }
        }
    }
}

/// The script with every slider at one end.
fn at_end(text: &str, end: fn(f64, f64) -> f64) -> String {
    params::params(text)
        .into_iter()
        .fold(text.to_owned(), |text, param| match param.control {
            Control::Slider { min, max, .. } => {
                let value = end(min, max).to_string();
                params::set(&text, &param.name, &value).expect("a value in the range")
            }
            _ => text,
        })
}

/// Floating-point operations that a test can afford; the largest products would take minutes.
const AFFORDABLE_FLOPS: f64 = 3e9;

#[test]
fn kernels_pass_at_the_ends_of_their_sliders() {
    let mut largest = 0;
    for path in scripts(&crate_dir().join("../kernels")) {
        for (name, text) in variants(&path) {
            for end in [f64::min, f64::max] {
                let text = at_end(&text, end);
                let estimate = run(&name, &text, options("trn3", Mode::Estimate));
                let flops = estimate.report().launches[0].summary.summary["hardware_flops"];
                if flops > AFFORDABLE_FLOPS {
                    continue;
                }
                largest += usize::from(end(0.0, 1.0) > 0.0);
                let simulation = run(&name, &text, options("trn3", Mode::Simulate));
                assert_no_error(&format!("{name} at the end of its sliders"), &simulation);
            }
        }
    }
    assert!(largest >= 12, "only {largest} scripts were run at their largest");
}

#[test]
fn loops_without_end_meet_a_limit_in_both_modes() {
    let text = "import numpy as np, nki, nki.language as nl, nki.isa as nisa\n\
        @nki.jit\ndef k(x):\n    \
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n    \
        tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)\n    \
        def body(i):\n        nisa.memset(dst=tile, value=1.0)\n    \
        nl.fori_loop(0, 1 << 40, body)\n    \
        nisa.dma_copy(dst=out, src=tile)\n    return out\nk(np.zeros((1, 8), np.float32))\n";
    for mode in [Mode::Simulate, Mode::Estimate] {
        let mut options = options("trn3", mode);
        options.limits.executed = 1000;
        let messages: Vec<_> = run("loop.py", text, options)
            .report()
            .diagnostics
            .into_iter()
            .map(|one| one.message)
            .collect();
        assert_eq!(
            messages,
            ["the launch executes more than 1000 instructions"],
            "{mode:?}"
        );
    }
}

#[test]
fn outputs_equal_their_digests() {
    // The browser test compares its own outputs with the same file.
    let mut lines = String::new();
    for path in scripts(&crate_dir().join("../kernels")) {
        for (name, text) in variants(&path) {
            let report = run(&name, &text, options("trn3", Mode::Simulate)).report();
            let outputs = report.launches.iter().flat_map(|launch| &launch.outputs);
            let digests: Vec<&str> = outputs
                .map(|output| output.digest.as_deref().expect("computed values"))
                .collect();
            let precision = name
                .strip_prefix(&stem(&path))
                .and_then(|rest| rest.strip_prefix('-'))
                .unwrap_or("-");
            lines += &format!("{} {precision}: {}\n", stem(&path), digests.join(" "));
        }
    }
    check_golden(&crate_dir().join("tests/golden/digests.txt"), &lines);
}

#[test]
fn estimates_equal_simulated_times() {
    // No example has a run-time loop, so time depends on shapes alone and both modes must agree to the picosecond.
    for path in scripts(&crate_dir().join("../kernels")) {
        for (name, text) in variants(&path) {
            let estimate = run(&name, &text, options("trn3", Mode::Estimate));
            assert_no_error(&name, &estimate);
            let simulate = run(&name, &text, options("trn3", Mode::Simulate));
            let (left, right) = (estimate.report(), simulate.report());
            assert_eq!(timing(&left), timing(&right), "{name}");
            assert!(
                left.checks.iter().all(|check| check.result == CheckResult::Skipped),
                "{name} checked values"
            );
        }
    }
}

#[test]
fn profiles_equal_their_goldens() {
    for path in scripts(&crate_dir().join("../kernels")) {
        for (name, text) in variants(&path) {
            let simulation = run(&name, &text, options("trn3", Mode::Estimate));
            let golden = crate_dir().join(format!("tests/golden/profiles/{name}.json"));
            check_golden(&golden, &(json(&simulation.report().launches) + "\n"));
        }
    }
}

/// The launches of a report without what only a simulation has.
fn timing(report: &Report) -> String {
    let mut launches = report.launches.clone();
    launches
        .iter_mut()
        .flat_map(|launch| &mut launch.outputs)
        .for_each(|output| output.digest = None);
    json(&launches)
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("plain data")
}
