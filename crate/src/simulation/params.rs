//! Form comments: `NAME = literal  #@param …` at the top level of a script becomes a control of the page.
//!
//! The form after `#@param` is a list of choices, `["a", "b"]`, or a description, `{type:"slider", min:1, max:8, step:1}`, as
//! notebook forms have it. Setting a parameter replaces the literal in the source text and nothing else, so the script stays the
//! single source of truth.

use serde::Serialize;

use crate::base::diag::{Code, Fault};

/// The mark that starts a form.
const MARK: &str = "#@param";

/// The control that a form asks for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Control {
    /// One of several literals, as they are spelled in the source.
    Choice {
        /// The literals.
        choices: Vec<String>,
    },
    /// A number in a range.
    Slider {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
        /// Distance between two values.
        step: f64,
    },
    /// `True` or `False`.
    Boolean,
    /// Any literal.
    Text,
}

/// A parameter of a script.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScriptParam {
    /// The name that is assigned.
    pub name: String,
    /// The literal in the source, as it is spelled.
    pub literal: String,
    /// First byte of the literal.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Line, from 1.
    pub line: usize,
    /// The control.
    pub control: Control,
}

/// The parameters of a script, in source order. A form that cannot be read becomes a plain text field.
pub fn params(source: &str) -> Vec<ScriptParam> {
    let mut offset = 0;
    let mut found = Vec::new();
    for (index, line) in source.split_inclusive('\n').enumerate() {
        if let Some(param) = line_param(line, offset, index + 1) {
            found.push(param);
        }
        offset += line.len();
    }
    found
}

/// The source with the literal of `name` replaced by `value`. A value without quotes is quoted if the old literal is a string.
///
/// # Errors
/// No parameter of that name, a value that is no literal, or one that is not among the choices.
pub fn set(source: &str, name: &str, value: &str) -> Result<String, Fault> {
    let all = params(source);
    let Some(param) = all.iter().find(|param| param.name == name) else {
        let names = all
            .iter()
            .map(|param| param.name.as_str())
            .collect::<Vec<_>>()
            .join(", ");
        let known = if names.is_empty() {
            "it has none".to_owned()
        } else {
            format!("it has {names}")
        };
        return Err(Fault::new(
            Code::Argument,
            format!("the script has no #@param called '{name}'; {known}"),
        ));
    };
    let literal = spell(param, value)?;
    if let Control::Choice { choices } = &param.control
        && !choices.contains(&literal)
    {
        let known = choices.join(", ");
        return Err(Fault::new(
            Code::Value,
            format!("{name} cannot be {literal}; its choices are {known}"),
        ));
    }
    Ok([&source[..param.start], &literal, &source[param.end..]].concat())
}

/// `value` as a literal of the same kind as the present one.
fn spell(param: &ScriptParam, value: &str) -> Result<String, Fault> {
    let value = value.trim();
    if param.literal.starts_with(['"', '\'']) {
        let inner = value.trim_matches(['"', '\'']);
        let plain = inner
            .chars()
            .all(|c| !c.is_control() && !matches!(c, '"' | '\'' | '\\'));
        if plain {
            return Ok(format!("\"{inner}\""));
        }
    } else if is_plain_literal(value) {
        return Ok(value.to_owned());
    }
    Err(Fault::new(
        Code::Value,
        format!(
            "'{value}' is not a literal that can stand in place of {}",
            param.literal
        ),
    ))
}

/// Whether `text` is a number or one of Python's constants.
fn is_plain_literal(text: &str) -> bool {
    matches!(text, "True" | "False" | "None") || text.replace('_', "").parse::<f64>().is_ok()
}

/// The parameter that a line declares, if it does.
fn line_param(line: &str, offset: usize, number: usize) -> Option<ScriptParam> {
    let mark = line.find(MARK)?;
    let (code, form) = (&line[..mark], line[mark + MARK.len()..].trim());
    let equals = code.find('=')?;
    let name = code[..equals].split(':').next()?.trim_end();
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let literal = code[equals + 1..].trim();
    if !is_name || literal.is_empty() || literal.starts_with('=') {
        return None;
    }
    let start = offset + equals + 1 + (code[equals + 1..].len() - code[equals + 1..].trim_start().len());
    Some(ScriptParam {
        name: name.to_owned(),
        literal: literal.to_owned(),
        start,
        end: start + literal.len(),
        line: number,
        control: control(form, literal),
    })
}

/// The control of a form.
fn control(form: &str, literal: &str) -> Control {
    if let Some(list) = enclosed(form, '[', ']') {
        let choices = split(list).into_iter().map(normal_quotes).collect();
        return Control::Choice { choices };
    }
    let fields = enclosed(form, '{', '}').map(split).unwrap_or_default();
    let field = |key: &str| {
        fields.iter().find_map(|field| {
            let (name, value) = field.split_once(':')?;
            (name.trim().trim_matches(['"', '\'']) == key).then(|| value.trim().trim_matches(['"', '\'']).to_owned())
        })
    };
    let number = |key: &str| field(key).and_then(|text| text.parse::<f64>().ok());
    match (field("type").as_deref(), number("min"), number("max")) {
        (Some("slider" | "number" | "integer"), Some(min), Some(max)) if min <= max => {
            let step = number("step").filter(|step| *step > 0.0).unwrap_or(1.0);
            Control::Slider { min, max, step }
        }
        _ if matches!(literal, "True" | "False") => Control::Boolean,
        _ => Control::Text,
    }
}

/// The text between `open` at the start and the matching `close`.
fn enclosed(text: &str, open: char, close: char) -> Option<&str> {
    let inner = text.strip_prefix(open)?;
    inner.rfind(close).map(|end| &inner[..end])
}

/// Splits at commas outside of quotes; empty parts are dropped.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (None, ',') => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// A string literal with double quotes, so that equal choices are spelled equally.
fn normal_quotes(literal: &str) -> String {
    match literal.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) if !inner.contains('"') => format!("\"{inner}\""),
        _ => literal.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "import numpy as np\nM = 1024  #@param {type:\"slider\", min:128, max:4096, step:128}\nprecision = 'bf16' #@param [\"fp32\", 'bf16']\nfast = True #@param {type:\"boolean\"}\nlabel = \"a\" #@param\n";

    #[test]
    fn forms_become_controls() {
        let found = params(SCRIPT);
        assert_eq!(
            found.iter().map(|param| param.name.as_str()).collect::<Vec<_>>(),
            ["M", "precision", "fast", "label"]
        );
        assert_eq!(
            found[0].control,
            Control::Slider {
                min: 128.0,
                max: 4096.0,
                step: 128.0
            }
        );
        assert_eq!(&SCRIPT[found[0].start..found[0].end], "1024");
        assert_eq!(
            found[1].control,
            Control::Choice {
                choices: vec!["\"fp32\"".into(), "\"bf16\"".into()]
            }
        );
        assert_eq!(found[2].control, Control::Boolean);
        assert_eq!(found[3].control, Control::Text);
    }

    #[test]
    fn setting_replaces_the_literal_only() {
        assert_eq!(set(SCRIPT, "M", "2048").unwrap(), SCRIPT.replace("1024", "2048"));
        assert_eq!(
            set(SCRIPT, "precision", "fp32").unwrap(),
            SCRIPT.replace("'bf16' #", "\"fp32\" #")
        );
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        let message = |name, value| set(SCRIPT, name, value).unwrap_err().message;
        assert_eq!(
            message("M", "f()"),
            "'f()' is not a literal that can stand in place of 1024"
        );
        assert_eq!(
            message("label", "a\"+x+\""),
            "'a\"+x+\"' is not a literal that can stand in place of \"a\""
        );
        assert_eq!(
            message("precision", "fp64"),
            "precision cannot be \"fp64\"; its choices are \"fp32\", \"bf16\""
        );
        assert_eq!(
            message("K", "1"),
            "the script has no #@param called 'K'; it has M, precision, fast, label"
        );
    }

    #[test]
    fn comparisons_and_comments_are_not_assignments() {
        assert_eq!(params("if a == 1: #@param [1]\n# x = 1 #@param [1]\n"), []);
    }
}
