//! What `nki.language` computes, and older spellings that still work.
//!
//! The scripts of `fixtures/language` compare the functions with NumPy; they are written from the reference, not from the bindings.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::fs;

use support::{check_golden, crate_dir, options, run, scripts, stem};
use trn3::base::diag::Severity;
use trn3::simulation::{Mode, Simulation};

/// Fails unless the script ended without an error.
fn assert_no_error(name: &str, simulation: &Simulation) {
    let diagnostics = simulation.report().diagnostics;
    let errors = diagnostics.iter().filter(|one| one.severity == Severity::Error);
    assert_eq!(errors.count(), 0, "{name}:\n{}", simulation.render_diagnostics());
}

#[test]
fn functions_compute_what_the_reference_says() {
    for path in scripts(&crate_dir().join("tests/fixtures/language")) {
        let text = fs::read_to_string(&path).expect("a readable script");
        let simulation = run(&stem(&path), &text, options("trn3", Mode::Simulate));
        assert_no_error(&stem(&path), &simulation);
        let report = simulation.report();
        let warnings: Vec<_> = report.diagnostics.iter().map(|one| &one.message).collect();
        assert!(warnings.is_empty(), "{}: {warnings:?}", stem(&path));
    }
}

/// A kernel whose body is `body`, launched once.
fn kernel(body: &str) -> String {
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "import numpy as np\nimport nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n@nki.jit\ndef kernel(x):\n    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)\n    tile = nl.load(x)\n{body}    nl.store(out, tile)\n    return out\n\n\nkernel(np.ones((32, 8), dtype=np.float32))\n"
    )
}

/// Spellings of other releases: the body of a kernel, words of the warning, words of the advice.
const OLDER: &[(&str, &str, &str)] = &[
    (
        "nisa.tensor_copy(dst=tile, src=tile, engine=nisa.vector_engine)",
        "vector_engine is deprecated",
        "nisa.engine.vector",
    ),
    (
        "nisa.tensor_copy(dst=tile, src=tile, engine=nisa.scalar_engine)",
        "scalar_engine is deprecated",
        "nisa.engine.scalar",
    ),
    (
        "nisa.tensor_copy(dst=tile, src=tile, engine=nisa.gpsimd_engine)",
        "gpsimd_engine is deprecated",
        "nisa.engine.gpsimd",
    ),
    (
        "nisa.tensor_copy(dst=tile, src=tile, engine=nisa.unknown_engine)",
        "unknown_engine is deprecated",
        "nisa.engine.unknown",
    ),
    (
        "assert nisa.tensor_engine == nisa.engine.tensor",
        "tensor_engine is deprecated",
        "nisa.engine.tensor",
    ),
    (
        "nisa.tensor_copy(dst=tile, src=tile, dtype=nl.float32)",
        "'dtype' is deprecated",
        "dtype of dst",
    ),
    (
        "nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0, dtype=nl.float32)",
        "'dtype' is deprecated",
        "dtype of dst",
    ),
    (
        "assert nl.tile_size.psum_fmax == nl.tile_size.psum_bank_fmax",
        "psum_fmax is deprecated",
        "psum_bank_fmax",
    ),
    (
        "assert nl.tile_size.total_available_sbuf_size == nl.tile_size.sbuf_fmax_bytes",
        "total_available_sbuf_size is deprecated",
        "sbuf_fmax_bytes",
    ),
    (
        "for i in nl.affine_range(2):\n    tile = nl.copy(tile)",
        "affine_range() is deprecated",
        "range(...)",
    ),
    (
        "for i in nl.sequential_range(2):\n    tile = nl.copy(tile)",
        "sequential_range() is deprecated",
        "range(...)",
    ),
    (
        "for i in nl.static_range(0, 4, 2):\n    tile = nl.copy(tile)",
        "static_range() is deprecated",
        "range(...)",
    ),
    (
        "for i in nl.dynamic_range(2):\n    nisa.tensor_copy(dst=tile, src=tile)",
        "dynamic_range() is deprecated",
        "nl.fori_loop",
    ),
    (
        "left = nl.zeros((1, 1), dtype=nl.int32)\nreg = nisa.register_alloc(1)\nwhile reg:\n    nisa.register_load(reg, left)",
        "'while' over a register is deprecated",
        "nl.while_loop",
    ),
    (
        "reg = nisa.register_alloc()\nnisa.register_move(reg, imm=4)",
        "'imm' is deprecated",
        "src=",
    ),
    (
        "tile = tile.broadcast_to((32, 8))",
        "broadcast_to() is from an older NKI",
        "nl.broadcast_to",
    ),
];

#[test]
fn older_spellings_work_with_a_warning() {
    for (body, message, advice) in OLDER {
        let simulation = run("older.py", &kernel(body), options("trn3", Mode::Simulate));
        assert_no_error(body, &simulation);
        let diagnostics = simulation.report().diagnostics;
        let found = diagnostics
            .iter()
            .any(|one| one.severity == Severity::Warning && one.code == "deprecated" && one.message.contains(message));
        let rendered = simulation.render_diagnostics();
        assert!(found && rendered.contains(advice), "{body}:\n{rendered}");
    }
}

#[test]
fn older_options_of_jit_are_ignored_with_a_warning() {
    for (option, message) in [
        (
            "platform_target='trn2'",
            "platform_target=...) was removed in NKI 0.3.0",
        ),
        ("mode='simulation'", "nki.jit(mode=...) is ignored"),
    ] {
        let text = kernel("pass").replace("@nki.jit", &format!("@nki.jit({option})"));
        let simulation = run("older.py", &text, options("trn3", Mode::Simulate));
        assert_no_error(option, &simulation);
        let rendered = simulation.render_diagnostics();
        assert!(rendered.contains(message), "{option}:\n{rendered}");
    }
}

#[test]
fn the_older_namespace_works_with_a_warning() {
    let text = "import numpy as np\nimport neuronxcc.nki as nki\nimport neuronxcc.nki.isa as nisa\nimport neuronxcc.nki.language as nl\n\n\n@nki.jit(mode='simulation')\ndef kernel(x):\n    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.hbm)\n    p, f = nl.mgrid[0:128, 0:64]\n    tile = nl.load(x[p, f])\n    total = nisa.tensor_reduce(np.add, tile, axis=[1])\n    scaled = nisa.tensor_scalar(tile, np.multiply, total)\n    nl.store(out[p, f], scaled)\n    return out\n\n\nx = np.random.rand(128, 64).astype(np.float32)\nassert np.allclose(kernel(x), x * x.sum(axis=1, keepdims=True), rtol=1e-5)\n";
    let simulation = run("older.py", text, options("trn3", Mode::Simulate));
    assert_no_error("neuronxcc", &simulation);
    let rendered = simulation.render_diagnostics();
    assert!(rendered.contains("neuronxcc.nki is the older namespace"), "{rendered}");
}

#[test]
fn tiles_are_printed_while_the_kernel_runs() {
    let text = kernel("nl.device_print('tile', tile[0:2, 0:3])\nprint('traced')");
    let simulation = run("print.py", &text, options("trn3", Mode::Simulate));
    assert_no_error("print", &simulation);
    check_golden(
        &crate_dir().join("tests/golden/device_print.txt"),
        &simulation.report().stdout,
    );
}

#[test]
fn what_the_compiler_does_not_take_is_a_warning() {
    let path = crate_dir().join("tests/fixtures/dialect/kernel.py");
    let text = fs::read_to_string(&path).expect("a readable script");
    let simulation = run("kernel.py", &text, options("trn3", Mode::Simulate));
    assert_no_error("kernel.py", &simulation);
    let rendered: String = simulation
        .render_diagnostics()
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    check_golden(&path.with_extension("stderr"), &rendered);
}
