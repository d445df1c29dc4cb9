//! The structure that `ARCHITECTURE.md` describes, as tests: which module may import which, how long a file may
//! be, and what no file may contain. A failure names the file, the line and the rule.
#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::{Path, PathBuf};

/// The layers, left to right. A module imports from the layers to its left only, never from a sibling.
const LAYERS: &[&[&str]] = &[
    &["base"],
    &["numerics", "syntax"],
    &["chip"],
    &["tensor"],
    &["machine", "collectives"],
    &["isa"],
    &["trace"],
    &["interp", "exec", "timing"],
    &["profile", "workload"],
    &["simulation"],
    &["web", "bin"],
];

/// Modules with fewer importers than the order of the layers permits: imported, its only importers, the reason.
const ONLY: &[(&str, &[&str], &str)] = &[
    ("syntax", &["interp", "simulation"], "the rest knows no Python"),
    (
        "machine",
        &["isa", "trace", "exec", "simulation", "bin"],
        "estimate mode has no machine to look at",
    ),
    (
        "interp",
        &["simulation"],
        "the trace is all that the rest sees of a kernel",
    ),
];

/// Words that no source file may contain, with the reason.
const BANNED: &[(&str, &str)] = &[
    ("#[allow", "fix the cause; a program may `#[expect]` with a reason"),
    ("#![allow", "fix the cause; a program may `#![expect]` with a reason"),
    ("TODO", "finish it or file an issue"),
    ("FIXME", "finish it or file an issue"),
    ("todo!(", "report a diagnostic"),
    ("unimplemented!(", "report a diagnostic"),
];

/// Words that the code of the library may not contain outside `bin`.
const BANNED_IN_CORE: &[(&str, &str)] = &[
    ("std::fs", "the core does no IO"),
    ("std::env", "the core reads no environment"),
    ("std::time", "the core has no clock"),
    ("std::thread", "the core has no threads"),
    ("thread_local!", "no hidden state"),
    ("static mut ", "no hidden state"),
    ("println!(", "the core prints nothing"),
    (
        "std::collections::HashMap",
        "its order differs from run to run: use rustc_hash or a BTreeMap",
    ),
    (
        "std::collections::HashSet",
        "its order differs from run to run: use rustc_hash or a BTreeSet",
    ),
];

/// Crates that only the named modules may use.
const DOORS: &[(&str, &[&str])] = &[
    ("ruff_", &["syntax"]),
    ("libm::", &["numerics"]),
    ("half::", &["numerics"]),
    ("wasm_bindgen", &["web"]),
    ("serde_wasm_bindgen", &["web"]),
    ("js_sys", &["web"]),
    ("web_sys", &["web"]),
    ("lexopt", &["bin"]),
    ("cap::", &["bin", "web"]),
];

/// The longest a Rust file may be.
const MAX_LINES: usize = 600;

/// A source file.
struct Source {
    /// Path below the crate, with `/`.
    path: String,
    /// The whole text.
    text: String,
}

impl Source {
    /// The top module: `isa` for `src/isa/ops/dma.rs`, nothing for `src/lib.rs` and files outside `src`.
    fn module(&self) -> Option<&str> {
        let below = self.path.strip_prefix("src/")?;
        match below.split_once('/') {
            Some((module, _)) => Some(module),
            None => below.strip_suffix(".rs").filter(|&name| name != "lib"),
        }
    }

    /// Numbered lines without their comments, since prose may name anything.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        lines.map(|(index, line)| (index + 1, line.split("//").next().unwrap_or("")))
    }

    /// As `code`, with a `use` that spans several lines joined into its first.
    fn statements(&self) -> Vec<(usize, String)> {
        let mut joined: Vec<(usize, String)> = Vec::new();
        let mut open = false;
        for (number, line) in self.code() {
            match joined.last_mut().filter(|_| open) {
                Some((_, whole)) => whole.push_str(line.trim()),
                None => joined.push((number, line.trim().to_string())),
            }
            let start = line.trim_start();
            open = (open || start.starts_with("use ") || start.starts_with("pub use ")) && !line.contains(';');
        }
        joined
    }
}

/// Every Rust file below the given folders of the crate, in order of path.
fn sources(folders: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in folders {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let below = |file: &Path| {
        file.strip_prefix(root)
            .expect("below the crate")
            .to_string_lossy()
            .replace('\\', "/")
    };
    let read = |file: PathBuf| Source {
        path: below(&file),
        text: fs::read_to_string(&file).expect("readable"),
    };
    files.into_iter().map(read).collect()
}

/// Adds the Rust files below `folder`, which need not exist.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.expect("readable folder").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The top modules that a statement names through `crate::`, also in `use crate::{a::B, c::D}`.
fn imported(statement: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, word) in statement.match_indices("crate::") {
        let before = statement[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &statement[at + word.len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(top_names(group)),
            None => found.push(identifier(rest)),
        }
    }
    found
}

/// The first path segment of each item of a brace group, nested groups skipped.
fn top_names(group: &str) -> Vec<String> {
    let mut depth = 0_i32;
    let mut names = vec![identifier(group)];
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(identifier(&group[at + 1..])),
            _ => {}
        }
        if depth < 0 {
            break;
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The identifier at the start of the text.
fn identifier(text: &str) -> String {
    let word = |c: &char| c.is_alphanumeric() || *c == '_';
    text.trim_start().chars().take_while(word).collect()
}

/// Whether a line names the crate at the start of a path, not inside another word, a string or a field.
fn names_crate(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "_\"'.:".contains(c))
    })
}

/// The layer of a top module.
fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Why `importer` may not import `target`, if so. Names that are no top module (re-exports, macros) pass.
fn objection(importer: &str, target: &str) -> Option<&'static str> {
    let (from, to) = (layer(importer)?, layer(target)?);
    if importer == target {
        return None;
    }
    if let Some(row) = ONLY.iter().find(|row| row.0 == target && !row.1.contains(&importer)) {
        return Some(row.2);
    }
    (to >= from).then_some("it is not to the left of it in the list of layers")
}

/// Fails with all findings at once.
fn report(rule: &str, findings: &[String]) {
    assert!(findings.is_empty(), "{rule}:\n  {}\n", findings.join("\n  "));
}

#[test]
fn modules_import_only_from_their_left() {
    let mut findings = Vec::new();
    for source in sources(&["src"]) {
        let Some(module) = source.module() else {
            continue;
        };
        assert!(layer(module).is_some(), "{}: `{module}` is in no layer", source.path);
        for (number, statement) in source.statements() {
            for target in imported(&statement) {
                if let Some(why) = objection(module, &target) {
                    findings.push(format!("{}:{number}: {module} imports {target}: {why}", source.path));
                }
            }
        }
    }
    report("imports against the layers", &findings);
}

#[test]
fn external_crates_are_behind_their_doors() {
    let mut findings = Vec::new();
    for source in sources(&["src"]) {
        let Some(module) = source.module() else {
            continue;
        };
        for (number, line) in source.code() {
            let wrong = |row: &&(&str, &[&str])| names_crate(line, row.0) && !row.1.contains(&module);
            if let Some((name, doors)) = DOORS.iter().find(wrong) {
                findings.push(format!("{}:{number}: `{name}` is for {doors:?} only", source.path));
            }
        }
    }
    report("crates outside their module", &findings);
}

#[test]
fn no_file_is_longer_than_the_limit() {
    let lines = |source: &Source| source.text.lines().count();
    let mut files = sources(&["src", "tests", "benches", "../tests/browser"]);
    files.retain(|source| lines(source) > MAX_LINES);
    let findings: Vec<String> = files
        .iter()
        .map(|source| format!("{}: {}", source.path, lines(source)))
        .collect();
    report("files of more than 600 lines", &findings);
}

#[test]
fn no_file_contains_a_banned_word() {
    let mut findings = Vec::new();
    for source in sources(&["src", "tests", "benches", "../tests/browser"]) {
        if source.path == "tests/layering.rs" {
            continue;
        }
        for (index, line) in source.text.lines().enumerate() {
            if let Some((word, why)) = BANNED.iter().find(|row| line.contains(row.0)) {
                findings.push(format!("{}:{}: `{word}`: {why}", source.path, index + 1));
            }
        }
        let core = source.module().is_some_and(|module| module != "bin");
        for (number, line) in source.code().filter(|_| core) {
            if let Some((word, why)) = BANNED_IN_CORE.iter().find(|row| line.contains(row.0)) {
                findings.push(format!("{}:{number}: `{word}`: {why}", source.path));
            }
        }
    }
    report("words that may not stand in the source", &findings);
}

#[test]
fn the_rules_can_fail() {
    assert_eq!(imported("use crate::isa::spec::OpSpec;"), ["isa"]);
    assert_eq!(imported("use crate::{base::{Span, Loc}, exec::Run};"), ["base", "exec"]);
    assert_eq!(imported("let x = crate::timing::queue();"), ["timing"]);
    assert!(imported("$crate::isa::x").is_empty());
    assert!(objection("exec", "timing").is_some(), "siblings");
    assert!(objection("base", "numerics").is_some(), "against the order");
    assert!(
        objection("isa", "syntax").is_some(),
        "not among the importers of syntax"
    );
    assert!(
        objection("timing", "machine").is_some(),
        "not among the importers of machine"
    );
    assert!(objection("timing", "trace").is_none() && objection("trace", "trace").is_none());
    assert!(names_crate("use libm::expf;", "libm::") && !names_crate("my_libm::x", "libm::"));
}
