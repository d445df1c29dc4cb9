//! Fuzzing: whatever the text, a run ends soon, within its memory, without a panic, and every message has a place in it.
//!
//! `FUZZ_SECONDS` says how long each fuzzer goes on (a minute by default, so that the two take two minutes of work), `FUZZ_SEED`
//! where it begins. A case that fails is left in the folder of the test's temporary files and named with its seed:
//! `FUZZ_SEED=<seed> FUZZ_SECONDS=0` runs that one alone.
#![cfg(not(target_arch = "wasm32"))]

mod bytes;
mod harness;
mod kernel;
mod mutate;
mod python;
mod random;

use std::fs;
use std::path::{Path, PathBuf};

use trn3::simulation::params::{self, Control};

use crate::harness::{Present, fuzz};

/// Memory that the program may have in all. What asks for more is stopped by the allocator, which ends the test.
const MEMORY_BYTES: usize = 4 << 30;

#[global_allocator]
static HEAP: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, MEMORY_BYTES);

/// Scripts to begin from: the gallery, the language's fixtures and the rejected ones.
fn seeds() -> Vec<String> {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders =
        ["../kernels", "tests/fixtures/python", "tests/fixtures/rejected"].map(|folder| crate_dir.join(folder));
    let mut paths: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("the folder exists"))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    paths.sort();
    assert!(paths.len() > 50, "only {} seeds", paths.len());
    let read = |path: PathBuf| fs::read_to_string(path).ok();
    paths.into_iter().filter_map(read).map(small).collect()
}

/// A script with its sliders at their small ends, so that a case takes milliseconds.
fn small(mut text: String) -> String {
    for param in params::params(&text) {
        if let Control::Slider { min, .. } = param.control {
            text = params::set(&text, &param.name, &min.to_string()).expect("a slider takes its own minimum");
        }
    }
    text
}

/// The byte fuzzer of the parser: damaged texts, and what follows where they still are programs.
#[test]
fn damaged_texts() {
    static PRESENT: Present = Present::new(None);
    let seeds = seeds();
    fuzz("bytes", &PRESENT, &["damaged"], move |random, _| {
        bytes::damaged(random, &seeds)
    });
}

/// The grammar-aware fuzzer: Python, kernels, and working scripts with words exchanged.
#[test]
fn scripts_of_the_grammar() {
    static PRESENT: Present = Present::new(None);
    let seeds = seeds();
    fuzz(
        "scripts",
        &PRESENT,
        &["python", "kernel", "mutated"],
        move |random, kind| match kind {
            "python" => python::script(random),
            "kernel" => kernel::script(random),
            _ => mutate::mutated(random, &seeds),
        },
    );
}
