//! Every `nki.*` name that works, for completion, hover, signature help and `trn3 api`.

use serde::Serialize;

use crate::interp::nki;
use crate::isa;
use crate::isa::spec::ParamSpec;

/// A documented parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ParamDoc {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its default as the signature shows it.
    pub default: Option<String>,
    /// What it is for.
    pub doc: &'static str,
    /// The words it accepts, if it is a choice.
    pub choices: Vec<&'static str>,
}

/// A documented name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its full name, such as `nki.isa.dma_copy`.
    pub name: String,
    /// `function`, `class`, `method`, `enum`, `member`, `constant` or `dtype`.
    pub kind: &'static str,
    /// Its parameters in parentheses, if it can be called.
    pub signature: String,
    /// Its value as Python writes it, for members of enumerations.
    pub value: Option<String>,
    /// What it does.
    pub doc: &'static str,
    /// Its parameters, where each is documented.
    pub params: Vec<ParamDoc>,
}

/// Every name, in the order of the modules.
pub fn entries() -> Vec<Entry> {
    let entry = |api: nki::Api| Entry {
        params: instruction_params(&api.name),
        name: api.name,
        kind: api.kind.word(),
        signature: api.signature,
        value: api.value,
        doc: api.doc.trim(),
    };
    nki::api().into_iter().map(entry).collect()
}

/// The parameters of an instruction; empty for other names.
fn instruction_params(name: &str) -> Vec<ParamDoc> {
    let entry = name.strip_prefix("nki.isa.").and_then(isa::entry);
    entry
        .map(|entry| entry.spec.params.iter().map(param).collect())
        .unwrap_or_default()
}

fn param(spec: &ParamSpec) -> ParamDoc {
    ParamDoc {
        name: spec.name,
        kind: spec.kind,
        default: spec.default.map(|spell| spell()),
        doc: spec.doc.trim(),
        choices: (spec.choices)(),
    }
}
