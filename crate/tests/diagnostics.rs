//! Every script of `fixtures/rejected` is refused with its exact message, at the line that says `# expect: <code>`.
#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::fs;
use std::path::Path;

use support::{check_golden, crate_dir, options, run, scripts, stem};
use trn3::simulation::report::{DiagnosticReport, FixReport};
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
    // An exception that the script raises itself says what the script says.
    let own = text
        .lines()
        .nth(line as usize - 1)
        .is_some_and(|line| line.trim_start().starts_with("raise "));
    if error.notes.iter().all(|note| note.starts_with("source: ")) && !own {
        return Err(format!("{name}: no way out is shown\n{rendered}"));
    }
    for fix in &error.fixes {
        check_fix(path, &text, fix, error).map_err(|what| format!("{name}: {what}\n{rendered}"))?;
    }
    check_golden(&path.with_extension("stderr"), &rendered);
    Ok(())
}

/// Applies a fix: the error must be gone from its place.
fn check_fix(path: &Path, text: &str, fix: &FixReport, error: &DiagnosticReport) -> Result<(), String> {
    let offset = |line: u32, column: u32| {
        let start: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
        let before: usize = text[start..]
            .chars()
            .take(column as usize - 1)
            .map(char::len_utf8)
            .sum();
        start + before
    };
    let place = &fix.place;
    let mut mended = text.to_owned();
    let range = offset(place.line, place.column)..offset(place.end_line, place.end_column);
    mended.replace_range(range, &fix.replacement);
    let simulation = run(&format!("{}.py", stem(path)), &mended, fixture_options(text));
    let same = |one: &DiagnosticReport| (one.code, &one.message) == (error.code, &error.message);
    match simulation.report().diagnostics.iter().any(same) {
        true => Err(format!("the fix '{}' changes nothing", fix.title)),
        false => Ok(()),
    }
}

/// Words of the implementation that no message may show. Python's own names, such as None and float32, are not among them.
const INTERNAL: &[&str] = &[
    "Option",
    "Some",
    "Vec",
    "String",
    "Rc",
    "Box",
    "RefCell",
    "HashMap",
    "u8",
    "u16",
    "u32",
    "u64",
    "i8",
    "i16",
    "i32",
    "i64",
    "usize",
    "isize",
    "f32",
    "f64",
    "Value",
    "Arg",
    "Args",
    "Fault",
    "Raised",
    "Failure",
    "Tile",
    "Tables",
    "ViewId",
    "BufferId",
    "PatternId",
    "LocId",
    "RegId",
    "InstId",
    "Operand32",
    "Number",
    "InOut",
    "EngineChoice",
    "TilePair",
    "Strides",
    "Axes",
    "Views",
    "AluOp",
    "Dtype",
    "Space",
    "Interp",
    "Instance",
    "unwrap",
    "panicked",
    "dyn",
    "impl",
];

/// The lines of a rendering that are ours: messages and advice, not the lines of the script.
fn own_lines(text: &str) -> impl Iterator<Item = &str> {
    let ours = ["error[", "warning[", "  = help:", "  = fix:", "  = source:"];
    text.lines()
        .filter(move |line| ours.iter().any(|start| line.starts_with(start)))
}

/// The goldens, by the name of their fixture.
fn goldens() -> Vec<(String, String)> {
    let folder = crate_dir().join("tests/fixtures/rejected");
    let all = scripts(&folder);
    let read = |path: &std::path::PathBuf| fs::read_to_string(path.with_extension("stderr")).unwrap_or_default();
    all.iter().map(|path| (stem(path), read(path))).collect()
}

#[test]
fn no_message_names_an_internal_type() {
    let mut shown = Vec::new();
    for (name, text) in goldens() {
        for line in own_lines(&text) {
            let word = |letter: char| !letter.is_alphanumeric() && letter != '_';
            let hit = line.split(word).find(|word| INTERNAL.contains(word));
            let hit = hit.or_else(|| ["::", "&str", "()>"].into_iter().find(|part| line.contains(part)));
            shown.extend(hit.map(|hit| format!("{name}: '{hit}' in {line}")));
        }
    }
    assert!(shown.is_empty(), "{}", shown.join("\n"));
}

#[test]
fn every_instruction_is_refused_somewhere() {
    let texts: Vec<String> = goldens().into_iter().map(|(_, text)| text).collect();
    let refused = |name: &str| {
        let starts = [
            format!("]: {name}: "),
            format!("]: {name}()"),
            format!("]: {name} does not exist"),
        ];
        texts
            .iter()
            .any(|text| own_lines(text).any(|line| starts.iter().any(|start| line.contains(start))))
    };
    let missing: Vec<_> = trn3::isa::CATALOG
        .iter()
        .map(|entry| entry.spec.name)
        .filter(|name| !refused(name))
        .collect();
    assert!(missing.is_empty(), "no fixture for {missing:?}");
}

/// The table of limits names fixtures that exist, and every row has one.
#[test]
fn every_limit_has_its_fixture() {
    let table = fs::read_to_string(crate_dir().join("tests/fixtures/rejected/README.md")).expect("the table");
    let known: Vec<String> = goldens().into_iter().map(|(name, _)| name).collect();
    let rows = table.lines().filter(|line| line.starts_with("| ")).skip(2);
    let mut count = 0;
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").collect();
        let [_, _, fixtures] = cells[..] else {
            panic!("three cells in {row}");
        };
        let names: Vec<_> = fixtures.split('`').skip(1).step_by(2).collect();
        assert!(
            !names.is_empty() || fixtures.trim().starts_with("none:"),
            "no fixture in {row}"
        );
        for name in names {
            assert!(known.iter().any(|one| one == name), "{name} of the table is no fixture");
        }
        count += 1;
    }
    assert!(count >= 35, "only {count} rows");
}

#[test]
fn rejected_scripts_say_what_is_wrong() {
    let all = scripts(&crate_dir().join("tests/fixtures/rejected"));
    assert!(all.len() >= 200, "only {} fixtures", all.len());
    let failures: Vec<String> = all.iter().filter_map(|path| check(path).err()).collect();
    assert!(
        failures.is_empty(),
        "{} of {} fixtures:\n{}",
        failures.len(),
        all.len(),
        failures.join("\n")
    );
}
