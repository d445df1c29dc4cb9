//! From source text to the tree that the interpreter walks.
//!
//! This is the only user of the parser crate. [`parse`] never fails: it returns what it understood, and errors beside it.

use std::rc::Rc;

use ruff_python_ast::PySourceType;
use ruff_python_parser::parse_unchecked_source;
use ruff_text_size::Ranged;

use crate::base::diag::{Code as DiagnosticCode, Diagnostic};
use crate::base::span::{FileId, Span};

pub mod ast;
mod lower;
mod nesting;
mod operators;
mod resolve;
mod scopes;
mod statements;

/// A parsed file.
pub struct Parsed {
    /// The body of the module.
    pub module: Rc<ast::Code>,
    /// The names of its globals: [`ast::Slot::Global`] counts along this list.
    pub globals: Vec<Rc<str>>,
    /// What is wrong with the text.
    pub errors: Vec<Diagnostic>,
}

/// Parses a file. Files above 4 GiB cannot occur: positions are 32 bits wide.
pub fn parse(file: FileId, text: &str) -> Parsed {
    if let Some(error) = nesting::check(file, text) {
        let mut empty = parse_shallow(file, "");
        empty.errors.push(error);
        return empty;
    }
    parse_shallow(file, text)
}

/// Parses a text whose nesting has been checked.
fn parse_shallow(file: FileId, text: &str) -> Parsed {
    let parsed = parse_unchecked_source(text, PySourceType::Python);
    let mut errors: Vec<Diagnostic> = parsed
        .errors()
        .iter()
        .map(|error| syntax_error(file, text, error))
        .collect();
    let syntax = parsed.syntax();
    let mut lowerer = lower::Lowerer::new(file, text);
    let module = lowerer.module(&syntax.body, syntax.range());
    let (scopes, found) = lowerer.into_parts();
    errors.extend(found);
    let globals = resolve::resolve(&scopes, file, &mut errors);
    errors.sort_by_key(|error| error.span.start);
    Parsed {
        module,
        globals,
        errors,
    }
}

fn syntax_error(file: FileId, text: &str, error: &ruff_python_parser::ParseError) -> Diagnostic {
    let start = error.location.start().to_u32();
    let span = Span::new(file, start, error.location.end().to_u32().max(start));
    let message = error.error.to_string();
    let diagnostic = Diagnostic::error(DiagnosticCode::Syntax, span, message.clone());
    match way_out(&message, text.get(start as usize..).unwrap_or("")) {
        Some(hint) => diagnostic.with_hint(hint),
        None => diagnostic,
    }
}

/// What to do about a syntax error, for frequent ones.
fn way_out(message: &str, rest: &str) -> Option<&'static str> {
    let hints = [
        ("Expected `:`", "a compound statement ends its first line with ':'"),
        ("indented block", "indent the lines that belong to the statement above"),
        ("Unexpected indentation", "align this line with the one above"),
        (
            "unindent does not match",
            "use the indentation of one of the blocks around",
        ),
        (
            "unterminated string",
            "close the string with the quote that it began with",
        ),
        (
            "missing closing quote",
            "close the string with the quote that it began with",
        ),
        (
            "Invalid assignment target",
            "only names, attributes, subscripts and tuples of them can be assigned",
        ),
        (
            "Expected `)`",
            "close the parenthesis, or separate the arguments with commas",
        ),
        (
            "Expected `,`, found `]`",
            "close the bracket with the one that it began with",
        ),
        (
            "Expected `,`, found `)`",
            "close the bracket with the one that it began with",
        ),
        (
            "Expected `,`",
            "separate the items with commas, or close the bracket before",
        ),
        ("Positional argument cannot follow", "put arguments with a name last"),
        (
            "cannot assign to",
            "only names, attributes, subscripts and tuples of them can be assigned",
        ),
        ("f-string", "close the braces of the f-string"),
        (
            "Expected an identifier",
            "a keyword of Python cannot be a name; add an underscore",
        ),
        ("inconsistent use of tabs", "indent with spaces only"),
        ("unexpected EOF", "a bracket or block is not closed"),
    ];
    if rest.starts_with('=') && message.contains("xpected") {
        return Some("'=' assigns; use '==' to compare");
    }
    hints
        .iter()
        .find(|(part, _)| message.contains(part))
        .map(|(_, hint)| *hint)
}
