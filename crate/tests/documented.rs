//! The examples of the public documentation behave as it says: every test below `test`, every file of `examples`, and every
//! example in the docstrings of `api`.
//!
//! Nothing of the documentation is part of this repository. `NKI_DOCS` names the folder `nki` of a checkout of
//! aws-neuron/aws-neuron-sdk:
//!
//! ```sh
//! NKI_DOCS=… cargo test --test documented -- --ignored --nocapture
//! ```
//!
//! [`expected::DIFFERENT`] lists the examples that do not run as they stand, each with its reason; one that begins to run fails the test as
//! one that stops does.
#![cfg(not(target_arch = "wasm32"))]

#[path = "documented/expected.rs"]
mod expected;

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use trn3::base::diag::Severity;
use trn3::chip::Chip;
use trn3::simulation::{File, Options, Simulation, Sources};

/// An example as a script of its own.
struct Example {
    /// Where it is: the file and the test, or the function and the number of its code block.
    name: String,
    text: String,
}

/// Python files of a folder, and stand-ins of ours for test frameworks.
struct Folder(PathBuf);

/// Stand-ins for modules that the examples import.
const STAND_INS: &[(&str, &str)] = &[
    ("unittest.py", include_str!("documented/unittest.py")),
    ("pytest.py", include_str!("documented/pytest.py")),
];

impl Sources for Folder {
    fn read(&self, path: &str) -> Option<(String, String)> {
        let own = STAND_INS.iter().find(|(name, _)| *name == path);
        let text = own.map(|(_, text)| (*text).to_owned());
        text.or_else(|| fs::read_to_string(self.0.join(path)).ok())
            .map(|text| (path.to_owned(), text))
    }
}

/// The folder of the documentation.
fn documentation() -> PathBuf {
    let found = std::env::var_os("NKI_DOCS").map(PathBuf::from);
    found.expect("set NKI_DOCS to the folder nki of the documentation")
}

/// The Python files of a folder, in order.
fn python_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "py"))
        .collect();
    files.sort();
    files
}

/// The stem of a file.
fn stem(path: &Path) -> String {
    path.file_stem().expect("a file name").to_string_lossy().into_owned()
}

/// The first error of a script; `None` if it ends without one.
fn failure(example: &Example, folder: &Path) -> Option<String> {
    let sources: Rc<dyn Sources> = Rc::new(Folder(folder.to_path_buf()));
    let file = File {
        name: "example.py".to_owned(),
        text: example.text.clone(),
    };
    let options = Options {
        chip: Chip::by_name(expected::target(&example.name)).expect("a target"),
        sources: Some(sources),
        ..Options::default()
    };
    let mut simulation = Simulation::new(vec![file], options);
    while !simulation.advance(100_000).done {}
    let diagnostics = simulation.report().diagnostics;
    let error = diagnostics.into_iter().find(|one| one.severity == Severity::Error)?;
    let place = &error.place;
    Some(format!(
        "{}:{}: {} [{}]",
        place.file, place.line, error.message, error.code
    ))
}

/// Runs all examples and compares those that fail with the list.
fn check(examples: &[Example], folder: &Path) {
    let mut wrong = Vec::new();
    let mut passed = 0;
    for example in examples {
        let reason = expected::DIFFERENT.iter().find(|(name, _)| *name == example.name);
        match (failure(example, folder), reason) {
            (None, None) => passed += 1,
            (Some(error), Some((name, reason))) => println!("differs: {name}: {reason}\n         {error}"),
            (Some(error), None) => wrong.push(format!("{}: {error}", example.name)),
            (None, Some((name, reason))) => wrong.push(format!("{name} runs now; the list says: {reason}")),
        }
    }
    println!("{passed} of {} examples behave as documented", examples.len());
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        examples.len(),
        wrong.join("\n")
    );
}

/// The test methods of a file: class and method.
fn test_methods(text: &str) -> Vec<(String, String)> {
    let word = |text: &str| {
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect::<String>()
    };
    let mut class = String::new();
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("class ") {
            class = word(rest);
        } else if let Some(rest) = line
            .strip_prefix(' ')
            .and_then(|line| line.trim_start().strip_prefix("def test"))
        {
            found.push((class.clone(), format!("test{}", word(rest))));
        }
    }
    found
}

/// The tests of the documentation, each with a script that imports its file and calls it.
fn tests(folder: &Path) -> Vec<Example> {
    let mut all = Vec::new();
    for path in python_files(folder) {
        let module = stem(&path);
        let text = fs::read_to_string(&path).expect("a readable file");
        let methods = test_methods(&text);
        assert!(!methods.is_empty(), "{module} has no tests");
        for (class, method) in methods {
            all.push(Example {
                name: format!("{module}.{method}"),
                text: format!("from {module} import {class}\n{class}().{method}()\n"),
            });
        }
    }
    all
}

#[test]
#[ignore = "needs the public documentation, see above"]
fn tests_pass() {
    let folder = documentation().join("test");
    check(&tests(&folder), &folder);
}

/// The files of `examples`: the part above `__main__`, which needs a framework, and a launch of ours.
fn files(folder: &Path) -> Vec<Example> {
    let mut all = Vec::new();
    for path in python_files(folder) {
        let name = stem(&path);
        let text = fs::read_to_string(&path).expect("a readable file");
        let launch = expected::LAUNCHES.iter().find(|(file, _)| *file == name);
        let text = match launch {
            Some((_, launch)) => {
                let kernel = text.split("if __name__").next().unwrap_or_default();
                format!("{kernel}\nimport numpy as np\n{launch}")
            }
            None => text,
        };
        all.push(Example { name, text });
    }
    all
}

#[test]
#[ignore = "needs the public documentation, see above"]
fn example_files_run() {
    let folder = documentation().join("examples");
    let mut all = files(&folder);
    all.extend(files(&folder.join("simulate")));
    check(&all, &folder);
}

/// A code block of a docstring: the function that has it, its number there, and its lines without the indentation.
fn blocks(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let mut owners: Vec<(usize, String)> = Vec::new();
    let mut found: Vec<(String, String)> = Vec::new();
    let mut quoted = false;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let trimmed = line.trim_start();
        let head = trimmed.strip_prefix("def ").or_else(|| trimmed.strip_prefix("class "));
        if let Some(rest) = head.filter(|_| !quoted) {
            let depth = indentation(line);
            owners.retain(|(other, _)| *other < depth);
            let word = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_');
            owners.push((depth, word.collect()));
        }
        if line.matches("\"\"\"").count() % 2 == 1 {
            quoted = !quoted;
        }
        if quoted && trimmed.starts_with(".. code-block:: python") {
            let depth = indentation(line);
            let body: Vec<&str> = lines[at + 1..]
                .iter()
                .take_while(|line| line.trim().is_empty() || indentation(line) > depth)
                .copied()
                .collect();
            let least = body
                .iter()
                .filter(|line| !line.trim().is_empty())
                .map(|line| indentation(line))
                .min();
            let code: Vec<&str> = body
                .iter()
                .map(|line| line.get(least.unwrap_or(0)..).unwrap_or(""))
                .collect();
            let owner: Vec<&str> = owners.iter().map(|(_, name)| name.as_str()).collect();
            let owner = owner.join(".");
            let number = found
                .iter()
                .filter(|(name, _)| name.rsplit_once('#').is_some_and(|(name, _)| name == owner))
                .count();
            // The end of the docstring may share the last line.
            found.push((format!("{owner}#{number}"), code.join("\n").replace("\"\"\"", "")));
            at += body.len();
            quoted = !body.iter().any(|line| line.contains("\"\"\""));
        }
        at += 1;
    }
    found
}

/// A block as a script: a kernel is launched, statements become the body of one.
fn script(name: &str, code: &str) -> String {
    let head = "import numpy as np\nimport nki\nimport nki.language as nl\nimport nki.isa as nisa\n";
    let (given, after) = expected::SETUPS
        .iter()
        .find(|(block, _, _)| *block == name)
        .map_or((&[][..], ""), |(_, given, after)| (*given, *after));
    if code.contains("def ") && !given.is_empty() && given[0].0.is_empty() {
        return format!("{head}{code}\n{after}\n");
    }
    let body: String = code.lines().map(|line| format!("    {line}\n")).collect();
    let (inside, passed): (Vec<_>, Vec<_>) = given.iter().partition(|(name, _)| name.starts_with('@'));
    let prelude: String = inside
        .iter()
        .map(|(name, value)| format!("    {} = {value}\n", &name[1..]))
        .collect();
    let names: Vec<&str> = passed.iter().map(|(name, _)| *name).collect();
    let values: Vec<&str> = passed.iter().map(|(_, value)| *value).collect();
    format!(
        "{head}\n@nki.jit\ndef example({}):\n{prelude}{body}\n    done = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.shared_hbm)\n    nisa.dma_copy(dst=done, src=nl.zeros((1, 1), dtype=nl.float32))\n    return done\n\n\narguments = [{}]\nexample(*arguments)\n{after}\n",
        names.join(", "),
        values.join(", ")
    )
}

#[test]
#[ignore = "needs the public documentation, see above"]
fn docstring_examples_run() {
    let folder = documentation().join("api/nki");
    let mut all = Vec::new();
    for module in ["language", "isa"] {
        let text = fs::read_to_string(folder.join(module).join("__init__.py")).expect("a readable file");
        let found = blocks(&text);
        assert!(found.len() > 20, "only {} examples in {module}", found.len());
        for (name, code) in found {
            let name = format!("{module}.{name}");
            if !expected::PSEUDO_CODE.contains(&&*name) {
                all.push(Example {
                    text: script(&name, &code),
                    name,
                });
            }
        }
    }
    check(&all, &folder);
}
