//! The public tutorials run unmodified, with a NumPy launch beside each (`tests/tutorials/`).
//!
//! The kernels are not part of this repository. `NKI_SAMPLES` names the folder `src/nki_samples/tutorials` of a checkout of
//! aws-neuron/nki-samples, `NKI_EXAMPLES` the folder `nki/examples` of aws-neuron/aws-neuron-sdk:
//!
//! ```sh
//! NKI_SAMPLES=… NKI_EXAMPLES=… cargo test --test tutorials -- --ignored
//! ```
#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use trn3::base::diag::Severity;
use trn3::simulation::{File, Options, Simulation, Sources};

/// Python files of one folder.
struct Folder(PathBuf);

impl Sources for Folder {
    fn read(&self, path: &str) -> Option<(String, String)> {
        let full = self.0.join(path);
        fs::read_to_string(&full).ok().map(|text| (path.to_owned(), text))
    }
}

/// The folder that a variable names.
fn folder(variable: &str) -> PathBuf {
    let found = std::env::var_os(variable).map(PathBuf::from);
    found.unwrap_or_else(|| panic!("set {variable} to the folder of the kernels"))
}

/// Runs a script with the Python files of `folder` beside it, and fails unless it ends without an error.
fn run(name: &str, script: &Path, folder: &Path) {
    let text = fs::read_to_string(script).unwrap_or_else(|error| panic!("{}: {error}", script.display()));
    let sources: Rc<dyn Sources> = Rc::new(Folder(folder.to_path_buf()));
    let file = File {
        name: name.to_owned(),
        text,
    };
    let mut simulation = Simulation::new(
        vec![file],
        Options {
            sources: Some(sources),
            ..Options::default()
        },
    );
    while !simulation.advance(100_000).done {}
    let report = simulation.report();
    let errors = report
        .diagnostics
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .count();
    assert_eq!(errors, 0, "{name}:\n{}", simulation.render_diagnostics());
    assert!(!report.launches.is_empty(), "{name} launched nothing");
}

/// Runs a launch script of ours with the kernels of a folder beside it.
fn launch(script: &str, kernels: &Path) {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/tutorials")
        .join(script);
    run(script, &own, kernels);
}

/// Runs a tutorial file that checks itself under `__main__`.
fn main_of(folder: &Path, file: &str) {
    run(file, &folder.join(file), folder);
}

#[test]
#[ignore = "needs the public kernels, see above"]
fn samples_run_unmodified() {
    let root = folder("NKI_SAMPLES");
    for (topic, file) in [
        ("tensor_addition", "tensor_addition_nki_kernels.py"),
        ("tensor_addition", "spmd_tensor_addition_nki_kernels.py"),
        ("tensor_addition", "spmd_multiple_nc_tensor_addition_nki_kernels.py"),
        ("transpose2d", "transpose2d_nki_kernels.py"),
        ("average_pool2d", "average_pool2d_nki_kernels.py"),
    ] {
        main_of(&root.join(topic), file);
    }
    launch("matrix_multiplication.py", &root.join("matrix_multiplication"));
    launch("fused_mamba.py", &root.join("fused_mamba"));
    launch("mxfp_matmul.py", &root.join("mxfp-matmul"));
}

#[test]
#[ignore = "needs the public kernels, see above"]
fn documented_examples_run_unmodified() {
    let root = folder("NKI_EXAMPLES");
    for topic in [
        "tensor_addition",
        "average_pool2d",
        "transpose2d",
        "matrix_multiplication",
        "fused_mamba",
    ] {
        launch(&format!("{topic}.py"), &root.join(topic));
    }
    main_of(&root.join("simulate"), "nki_simulate_example.py");
}
