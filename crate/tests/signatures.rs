//! The instruction table shows the signatures of NKI's reference to the letter: names, order, defaults.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;

use trn3::isa::CATALOG;
use trn3::isa::spec::{OpSpec, ParamSpec};

/// `name(parameter, parameter=default, ...)`, one function a line, as published for `nki.isa`.
const PUBLISHED: &str = include_str!("golden/nki_isa_signatures.txt");

/// Functions of the module that ask about the target instead of issuing an instruction.
const QUERIES: [&str; 2] = ["get_nc_sub_version", "get_nc_version"];

fn parameter(param: &ParamSpec) -> String {
    match param.default {
        Some(default) => format!("{}={}", param.name, default()),
        None => param.name.to_owned(),
    }
}

fn signature(spec: &OpSpec) -> String {
    let mut parts: Vec<_> = spec.params.iter().map(parameter).collect();
    if spec.named {
        parts.push("name=None".to_owned());
    }
    format!("{}({})", spec.name, parts.join(", "))
}

#[test]
fn signatures_equal_the_published_ones() {
    let name = |line: &str| line.split('(').next().unwrap_or(line).to_owned();
    let ours: BTreeMap<_, _> = CATALOG
        .iter()
        .map(|entry| (entry.spec.name.to_owned(), signature(entry.spec)))
        .collect();
    let published: BTreeMap<_, _> = PUBLISHED
        .lines()
        .map(|line| (name(line), line.to_owned()))
        .filter(|(name, _)| !QUERIES.contains(&name.as_str()))
        .collect();
    assert_eq!(published.len(), 50);
    assert_eq!(ours, published);
}

#[test]
fn every_row_is_documented() {
    for entry in CATALOG {
        assert!(!entry.spec.doc.trim().is_empty(), "{}", entry.spec.name);
        for param in entry.spec.params {
            assert!(!param.doc.trim().is_empty(), "{}.{}", entry.spec.name, param.name);
        }
    }
}
