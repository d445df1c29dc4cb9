//! The example kernels inside a browser: each passes its own check, and its outputs are those of the native run, to the bit.
#![cfg(target_arch = "wasm32")]

use include_dir::{Dir, include_dir};
use trn3::chip::Chip;
use trn3::simulation::params;
use trn3::simulation::report::{CheckResult, Report};
use trn3::simulation::{File, Mode, Options, Simulation};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Digests that the native test wrote: `name precision digest...` in each line, `-` for scripts without a precision.
const DIGESTS: &str = include_str!("../../crate/tests/golden/digests.txt");

/// The folder of the scripts.
static KERNELS: Dir = include_dir!("$CARGO_MANIFEST_DIR/../kernels");

/// Runs a script in a precision.
fn run(name: &str, precision: &str) -> Report {
    let file = KERNELS.get_file(format!("{name}.py")).expect("a kernel of the folder");
    let text = file.contents_utf8().expect("a script in UTF-8");
    let text = match precision {
        "-" => text.to_owned(),
        literal => params::set(text, "precision", literal).expect("an offered precision"),
    };
    let options = Options {
        chip: Chip::by_name("trn3").expect("the newest chip"),
        mode: Mode::Simulate,
        ..Options::default()
    };
    let mut simulation = Simulation::new(
        vec![File {
            name: format!("{name}.py"),
            text,
        }],
        options,
    );
    simulation.finish();
    let report = simulation.report();
    assert!(
        report.diagnostics.is_empty(),
        "{name} {precision}: {}",
        simulation.render_diagnostics()
    );
    report
}

/// Lets the browser do what waits: the driver gives a page up that does not answer for 20 seconds.
async fn pause() {
    let promise = js_sys::eval("new Promise((resolve) => setTimeout(resolve))").expect("a promise");
    let waited = JsFuture::from(js_sys::Promise::from(promise)).await;
    assert!(waited.is_ok());
}

#[wasm_bindgen_test]
async fn every_kernel_agrees_with_the_native_run() {
    let mut seen = 0;
    for line in DIGESTS.lines() {
        pause().await;
        let (key, expected) = line.split_once(": ").expect("name precision: digests");
        let (name, precision) = key.split_once(' ').expect("a name and a precision");
        let report = run(name, precision);
        assert!(
            report.checks.iter().all(|check| check.result == CheckResult::Passed),
            "{key}: {:?}",
            report.checks
        );
        let outputs = report.launches.iter().flat_map(|launch| &launch.outputs);
        let digests: Vec<&str> = outputs.filter_map(|output| output.digest.as_deref()).collect();
        assert_eq!(digests.join(" "), expected, "{key}");
        seen += 1;
    }
    assert!(seen >= KERNELS.files().count(), "only {seen} lines of digests");
}

#[wasm_bindgen_test]
fn deep_recursion_is_an_error_not_a_crash() {
    let text = "def f(n):\n    return [f(n + 1) for _ in range(1)]\n\n\nf(0)\n".to_owned();
    let mut simulation = Simulation::new(
        vec![File {
            name: "deep.py".to_owned(),
            text,
        }],
        Options::default(),
    );
    simulation.finish();
    let report = simulation.report();
    assert_eq!(
        report.diagnostics.iter().map(|one| one.code).collect::<Vec<_>>(),
        ["limit"]
    );
}
