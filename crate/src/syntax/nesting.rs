//! A look at the raw text before it is parsed: the parser recurses along nested expressions and blocks, and the stack of
//! a web page is small.

use crate::base::diag::{Code, Diagnostic};
use crate::base::span::{FileId, Span};

/// Open brackets at one time.
const MAX_BRACKETS: usize = 60;
/// Blocks inside one another.
const MAX_INDENTS: usize = 60;
/// Operators and calls in one expression, between commas and line ends.
const MAX_OPERATORS: usize = 600;

/// The error of a text that is nested too deeply, if it is.
pub fn check(file: FileId, text: &str) -> Option<Diagnostic> {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
        brackets: 0,
        operators: 0,
        indents: vec![0],
    };
    while scan.at < scan.bytes.len() {
        let place = scan.at as u32;
        if let Some(what) = scan.token() {
            let span = Span::new(file, place, place + 1);
            let hint = "give parts of it a name, or put them into a function";
            return Some(Diagnostic::error(Code::Syntax, span, what).with_hint(hint));
        }
    }
    None
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    brackets: usize,
    operators: usize,
    indents: Vec<usize>,
}

impl Scan<'_> {
    /// Steps over one token; returns what is too deep.
    fn token(&mut self) -> Option<&'static str> {
        let byte = self.bytes[self.at];
        match byte {
            b'#' => self.skip_line(),
            b'"' | b'\'' => self.skip_string(byte),
            b'\n' | b'\r' => return self.line_end(),
            b'(' | b'[' | b'{' => {
                self.brackets += 1;
                self.operators += 1;
                self.at += 1;
            }
            b')' | b']' | b'}' => {
                self.brackets = self.brackets.saturating_sub(1);
                self.at += 1;
            }
            b',' | b';' => {
                self.operators = 0;
                self.at += 1;
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' => self.word(),
            byte if byte.is_ascii_whitespace() || byte.is_ascii_digit() || !byte.is_ascii() => self.at += 1,
            _ => {
                self.operators += 1;
                self.at += 1;
            }
        }
        if self.brackets > MAX_BRACKETS {
            Some("too many nested brackets")
        } else if self.operators > MAX_OPERATORS {
            Some("this expression is too long")
        } else {
            None
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while self.at < self.bytes.len() && (self.bytes[self.at].is_ascii_alphanumeric() || self.bytes[self.at] == b'_')
        {
            self.at += 1;
        }
        if matches!(
            &self.bytes[start..self.at],
            b"not" | b"lambda" | b"if" | b"else" | b"await" | b"elif"
        ) {
            self.operators += 1;
        }
    }

    fn skip_line(&mut self) {
        while self.at < self.bytes.len() && self.bytes[self.at] != b'\n' {
            self.at += 1;
        }
    }

    /// Skips a string; an unterminated one ends with its line.
    fn skip_string(&mut self, quote: u8) {
        let triple = self.bytes[self.at..].starts_with(&[quote; 3]);
        self.at += if triple { 3 } else { 1 };
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if rest[0] == b'\\' {
                self.at += 2;
            } else if triple && rest.starts_with(&[quote; 3]) {
                self.at += 3;
                return;
            } else if !triple && (rest[0] == quote || rest[0] == b'\n') {
                self.at += usize::from(rest[0] == quote);
                return;
            } else {
                self.at += 1;
            }
        }
    }

    /// Steps over a line end and notes the indentation of the next line, outside brackets.
    fn line_end(&mut self) -> Option<&'static str> {
        self.at += 1;
        if self.brackets > 0 {
            return None;
        }
        self.operators = 0;
        let start = self.at;
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        if matches!(self.bytes.get(self.at), None | Some(b'\n' | b'\r' | b'#')) {
            return None;
        }
        let width = self.at - start;
        while self.indents.last().is_some_and(|&outer| outer > width) {
            self.indents.pop();
        }
        if self.indents.last() != Some(&width) {
            self.indents.push(width);
        }
        (self.indents.len() > MAX_INDENTS).then_some("too many nested blocks")
    }
}
