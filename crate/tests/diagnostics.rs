//! Every script of `fixtures/rejected` is refused with its exact message, at the line that says `# expect: <code>`.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::fs;
use std::path::Path;

use support::{check_golden, crate_dir, options, run, scripts, stem};
use trn3::simulation::{Mode, Options};

/// What a fixture asks for in its first lines: `# target: trn2`, `# limits: steps=1000`.
fn fixture_options(text: &str) -> Options {
    let header = |key: &str| {
        text.lines()
            .take_while(|line| line.starts_with('#'))
            .find_map(|line| line.strip_prefix(key))
    };
    let mut options = options(header("# target: ").unwrap_or("trn3"), Mode::Simulate);
    for (name, value) in header("# limits: ")
        .into_iter()
        .flat_map(|limits| limits.split(", "))
        .filter_map(|limit| limit.split_once('='))
    {
        let value = value.parse().expect("a number");
        match name {
            "steps" => options.limits.steps = value,
            "instructions" => options.limits.instructions = value,
            _ => panic!("unknown limit {name}"),
        }
    }
    options
}

/// The line with the mark, from 1, and the code that it names.
fn expectation(text: &str) -> (u32, &str) {
    let found = text
        .lines()
        .enumerate()
        .find_map(|(at, line)| Some((at as u32 + 1, line.split_once("# expect: ")?.1)));
    found.expect("a line with '# expect: <code>'")
}

fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).expect("a readable fixture");
    let name = format!("{}.py", stem(path));
    let simulation = run(&name, &text, fixture_options(&text));
    let report = simulation.report();
    let rendered = simulation.render_diagnostics();
    let Some(error) = report
        .diagnostics
        .iter()
        .find(|one| one.severity == trn3::base::diag::Severity::Error)
    else {
        return Err(format!("{name}: no error\n{rendered}"));
    };
    let (line, code) = expectation(&text);
    if (error.place.line, error.code) != (line, code) {
        return Err(format!("{name}: expected {code} at line {line}\n{rendered}"));
    }
    let internal = ["::", "Some(", "None)", "BufferId", "ViewId", "Option<", "Rc<", "unwrap"];
    if let Some(word) = internal.iter().find(|word| error.message.contains(**word)) {
        return Err(format!("{name}: the message shows the internal '{word}'\n{rendered}"));
    }
    check_golden(&path.with_extension("stderr"), &rendered);
    Ok(())
}

#[test]
fn rejected_scripts_say_what_is_wrong() {
    let all = scripts(&crate_dir().join("tests/fixtures/rejected"));
    assert!(all.len() >= 40, "only {} fixtures", all.len());
    let failures: Vec<String> = all.iter().filter_map(|path| check(path).err()).collect();
    assert!(
        failures.is_empty(),
        "{} of {} fixtures:\n{}",
        failures.len(),
        all.len(),
        failures.join("\n")
    );
}
