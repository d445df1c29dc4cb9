//! What several test programs share: running a script through the facade, and golden files.

use std::fs;
use std::path::{Path, PathBuf};

use trn3::chip::Chip;
use trn3::simulation::{File, Mode, Options, Simulation};

/// Work items that one slice may do; small enough that the tests exercise the slicing.
const SLICE: u64 = 10_000;

/// The folder of the crate.
pub fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The scripts of a folder, in order of their names.
pub fn scripts(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no scripts in {}", folder.display());
    found
}

/// The name of a script without folder and ending.
pub fn stem(path: &Path) -> String {
    path.file_stem().expect("a file name").to_string_lossy().into_owned()
}

/// Options of a run on `target`.
pub fn options(target: &str, mode: Mode) -> Options {
    Options {
        chip: Chip::by_name(target).expect("a known target"),
        mode,
        ..Options::default()
    }
}

/// Runs a script to its end.
pub fn run(name: &str, text: &str, options: Options) -> Simulation {
    let file = File {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let mut simulation = Simulation::new(vec![file], options);
    while !simulation.advance(SLICE).done {}
    simulation
}

/// Compares `actual` with the file at `path`, or writes the file if `UPDATE_GOLDENS` is set.
pub fn check_golden(path: &Path, actual: &str) {
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
        fs::write(path, actual).expect("a writable file");
        return;
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert!(
        expected == actual,
        "{} differs.\n--- expected\n{expected}\n--- actual\n{actual}\nIf the new text is right: UPDATE_GOLDENS=1 cargo test",
        path.display()
    );
}
