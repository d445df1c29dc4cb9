//! The list that `trn3 api` prints equals NKI's reference to the letter: names, what they are, parameters with order and
//! defaults, values of enumeration members; and every name on it works in a script.
//!
//! `golden/nki_surface.txt` holds the published names, one a line. It is derived from `shared/nki-api.json` beside the
//! repository; where that file is there, the test derives it again.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use trn3::base::diag::Severity;
use trn3::isa::CATALOG;
use trn3::simulation::api::{Entry, entries};
use trn3::simulation::{File, Options, Simulation};

/// `kind name(parameter, parameter=default, ...)`, or `kind name = value`.
const PUBLISHED: &str = include_str!("golden/nki_surface.txt");

/// The reference lists this alias of `NkiTensor.view` as an attribute.
const ALIAS: &str = "nki.language.NkiTensor.reinterpret_cast";

/// Names of ours beside the published list: objects of the class `_TileSize`, and annotations that the migration guide has.
fn is_extra(name: &str) -> bool {
    name.starts_with("nki.language.tile_size.") || name.starts_with("nki.typing.")
}

/// Collectives are listed as far as they exist; their own tests say how far.
fn is_collective(name: &str) -> bool {
    name.starts_with("nki.collectives.")
}

/// An entry as a line of the list.
fn line(entry: &Entry) -> String {
    let kind = match entry.kind {
        "dtype" => "constant",
        "enum" => "class",
        _ if entry.name == ALIAS => return format!("member {ALIAS}"),
        kind => kind,
    };
    let value = entry
        .value
        .as_ref()
        .map_or(String::new(), |value| format!(" = {value}"));
    format!("{kind} {}{}{value}", entry.name, entry.signature)
}

/// The parameters of a function in the reference.
fn signature(params: &Value) -> String {
    let parts = params.as_array().expect("a list of parameters").iter().map(|param| {
        let name = param["name"].as_str().expect("a name");
        param["default"]
            .as_str()
            .map_or(name.to_owned(), |default| format!("{name}={default}"))
    });
    format!("({})", parts.collect::<Vec<_>>().join(", "))
}

/// The rows of an object in the reference.
fn rows(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().expect("an object").iter()
}

/// The lines of the reference.
fn published(reference: &Value) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for (module, content) in rows(&reference["modules"]) {
        for (name, params) in rows(&content["functions"]) {
            lines.insert(format!("function {module}.{name}{}", signature(params)));
        }
        for name in content["constants"].as_array().expect("a list") {
            lines.insert(format!("constant {module}.{}", name.as_str().expect("a name")));
        }
        for (class, parts) in rows(&content["classes"]) {
            lines.insert(format!("class {module}.{class}"));
            // What `nl.tile_size` computes is declared as a property.
            let kind = if class == "_TileSize" { "member" } else { "method" };
            for (name, params) in rows(&parts["methods"]) {
                lines.insert(format!("{kind} {module}.{class}.{name}{}", signature(params)));
            }
            for (name, value) in rows(&parts["members"]) {
                let value = value.as_str().expect("a value");
                let is_value = value.parse::<i64>().is_ok() || value.starts_with('\'');
                let value = if is_value { format!(" = {value}") } else { String::new() };
                lines.insert(format!("member {module}.{class}.{name}{value}"));
            }
        }
    }
    lines
}

#[test]
fn the_golden_is_the_reference() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = own
        .ancestors()
        .find_map(|folder| fs::read_to_string(folder.join("shared/nki-api.json")).ok());
    let Some(text) = found else { return };
    let reference = serde_json::from_str(&text).expect("JSON");
    let lines: Vec<_> = published(&reference).into_iter().collect();
    let text = lines.join("\n") + "\n";
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        fs::write(own.join("tests/golden/nki_surface.txt"), text).expect("a writable file");
    } else {
        assert_eq!(
            PUBLISHED, text,
            "if the reference is right: UPDATE_GOLDENS=1 cargo test --test signatures"
        );
    }
}

#[test]
fn the_list_equals_the_published_one() {
    let name = |line: &str| line.split(' ').nth(1).expect("a name").to_owned();
    let ours: BTreeSet<String> = entries()
        .iter()
        .filter(|entry| !is_extra(&entry.name) && !is_collective(&entry.name))
        .map(line)
        .collect();
    let reference: BTreeSet<String> = PUBLISHED.lines().map(str::to_owned).collect();
    let expected: BTreeSet<String> = reference
        .iter()
        .filter(|line| !is_collective(&name(line)))
        .cloned()
        .collect();
    let missing: Vec<_> = expected.difference(&ours).collect();
    let different: Vec<_> = ours.difference(&expected).collect();
    assert!(
        missing.is_empty() && different.is_empty(),
        "missing or different: {missing:#?}\nours: {different:#?}"
    );
    assert_eq!((PUBLISHED.lines().count(), expected.len()), (292, 280));
}

#[test]
fn collectives_that_exist_have_the_published_signatures() {
    let reference: BTreeSet<&str> = PUBLISHED.lines().collect();
    for entry in entries().iter().filter(|entry| is_collective(&entry.name)) {
        let class = format!("class {}", entry.name);
        assert!(
            reference.contains(&*line(entry)) || reference.contains(&*class),
            "{}",
            line(entry)
        );
    }
}

#[test]
fn every_name_is_documented() {
    for entry in entries() {
        assert!(!entry.doc.trim().is_empty(), "{}", entry.name);
        assert!(!entry.signature.contains("self, )"), "{}", entry.name);
    }
    for entry in CATALOG {
        for param in entry.spec.params {
            assert!(!param.doc.trim().is_empty(), "{}.{}", entry.spec.name, param.name);
        }
    }
}

/// A line of a script that uses a name: looks it up, and checks that it is what the list says.
fn usage(entry: &Entry) -> String {
    let name = &entry.name;
    let (owner, last) = name.rsplit_once('.').expect("a dotted name");
    // Attributes belong to objects of the class.
    let object = match owner {
        "nki.language.NkiTensor" => "made",
        "nki.language._TileSize" => "nki.language.tile_size",
        owner => owner,
    };
    let check = match (entry.kind, &entry.value) {
        (_, Some(value)) => {
            format!("{name}.value == {value} and {name}.name == '{last}' and {owner}({value}) == {name}")
        }
        ("function" | "method" | "class" | "enum", None) => format!("callable({name})"),
        ("member", None) => format!("{object}.{last} is not None"),
        ("dtype", None) => format!("np.zeros((2, 2), dtype={name}).dtype == {name}"),
        (_, None) => format!("{name} is not None"),
    };
    let import = match owner {
        "nki.language" | "nki.isa" | "nki.collectives" | "nki.typing" => format!("    from {owner} import {last}\n"),
        _ => String::new(),
    };
    format!("{import}    assert {check}, '{name}'\n")
}

#[test]
fn every_name_works() {
    let mut script = String::from(
        "import numpy as np\nimport nki\nimport nki.language\nimport nki.isa\nimport nki.collectives\nimport nki.typing\n\n\n@nki.jit\ndef kernel(x):\n    made = nki.language.ndarray(x.shape, dtype=x.dtype, buffer=nki.language.shared_hbm)\n",
    );
    for entry in entries() {
        script += &usage(&entry);
    }
    script += "    nki.isa.dma_copy(dst=made, src=x)\n    return made\n\n\nassert kernel(np.ones((4, 4), dtype=np.float32)).sum() == 16\n";
    let file = File {
        name: "names.py".to_owned(),
        text: script,
    };
    let mut simulation = Simulation::new(vec![file], Options::default());
    while !simulation.advance(10_000).done {}
    let errors = simulation
        .report()
        .diagnostics
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .count();
    assert_eq!(errors, 0, "{}", simulation.render_diagnostics());
}
