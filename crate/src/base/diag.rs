//! What the user sees when something is wrong, and how a rule says so before it knows where.
//!
//! A rule raises a [`Fault`] that names a parameter; the front end or the executor turns it once into a
//! [`Diagnostic`] with a place and a call chain.

use std::fmt::Write as _;

use serde::Serialize;

use crate::base::mend::{Edit, Mend, Repair};
use crate::base::span::{SourceMap, Span};

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// The run goes on, but the result may not be what was meant.
    Warning,
    /// The run stopped.
    Error,
}

/// The table of diagnostic codes: one row per stable kebab-case id, with one line that explains it.
macro_rules! codes {
    ($($(#[doc = $doc:literal])* $variant:ident = $id:literal,)*) => {
        /// Stable identity of a kind of diagnostic.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[doc = $doc])* $variant,)* }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The kebab-case id.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$variant => $id,)* }
            }

            /// One line that explains the code.
            pub const fn explanation(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),*),)* }
            }
        }
    };
}

codes! {
    /// The text is not Python that the parser accepts.
    Syntax = "syntax",
    /// A name is not defined where it is used.
    Name = "name",
    /// An attribute does not exist on this value.
    Attribute = "attribute",
    /// A module or a name in it cannot be imported.
    Import = "import",
    /// A value has the wrong type for this use.
    Type = "type",
    /// A value has the right type but cannot be used here.
    Value = "value",
    /// A subscript is outside its sequence, or a key is missing.
    Index = "index",
    /// Integer or float arithmetic has no result.
    Arithmetic = "arithmetic",
    /// An `assert` did not hold.
    Assertion = "assertion",
    /// An exception that the script raised was not caught.
    Exception = "exception",
    /// An argument is missing, unknown or given twice.
    Argument = "argument",
    /// Array shapes do not fit together.
    Shape = "shape",
    /// A dtype is not allowed here.
    Dtype = "dtype",
    /// A hardware rule of the target forbids this.
    Constraint = "constraint",
    /// An operand is in a memory that the engine cannot reach.
    MemorySpace = "memory-space",
    /// The instruction or engine does not exist on this generation.
    Generation = "generation",
    /// A memory is full.
    Capacity = "capacity",
    /// An access leaves its tensor.
    OutOfBounds = "out-of-bounds",
    /// Memory is read that nobody wrote.
    Uninitialized = "uninitialized",
    /// Cores wait for each other and none can go on.
    Deadlock = "deadlock",
    /// The public documents call the result undefined.
    Undefined = "undefined",
    /// The public documents do not say what happens.
    Unspecified = "unspecified",
    /// This will not be modelled.
    Unsupported = "unsupported",
    /// This is not modelled yet.
    Unimplemented = "unimplemented",
    /// Python runs this, but the NKI compiler does not take it inside of a kernel.
    Dialect = "dialect",
    /// A spelling that a later NKI release replaced.
    Deprecated = "deprecated",
    /// A limit of the playground was reached.
    Limit = "limit",
    /// A file cannot be read or written.
    File = "file",
    /// A check was skipped because values are not computed.
    Skipped = "skipped",
    /// An error in the playground itself.
    Internal = "internal",
}

/// A second place that helps to understand a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// A replacement that would mend the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What the fix does, in a few words.
    pub title: String,
    /// The text to replace.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

/// One call on the way from the script to the place of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function that was called.
    pub function: String,
    /// The call expression.
    pub span: Span,
}

/// A message to the user, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Its kind.
    pub code: Code,
    /// What is wrong, with the operand and the limit.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Further places.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub hints: Vec<String>,
    /// Replacements that the page can offer.
    pub fixes: Vec<Fix>,
    /// Rewrites that become fixes where the text is at hand.
    pub repairs: Vec<Repair>,
    /// Where the limit comes from.
    pub source: Option<String>,
    /// Calls that led here, outermost first.
    pub chain: Vec<Frame>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            span,
            labels: Vec::new(),
            hints: Vec::new(),
            fixes: Vec::new(),
            repairs: Vec::new(),
            source: None,
            chain: Vec::new(),
        }
    }

    /// A warning at `span`.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, span, message)
        }
    }

    /// Adds a way out.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Renders the message for a terminal, with the source line and a caret.
    pub fn render(&self, sources: &SourceMap) -> String {
        let mut out = String::new();
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{severity}[{}]: {}", self.code.id(), self.message);
        render_excerpt(&mut out, sources, self.span, "");
        for label in &self.labels {
            render_excerpt(&mut out, sources, label.span, &label.text);
        }
        for hint in &self.hints {
            let _ = writeln!(out, "  = help: {hint}");
        }
        for fix in &self.fixes {
            render_fix(&mut out, sources, fix);
        }
        if let Some(source) = &self.source {
            let _ = writeln!(out, "  = source: {source}");
        }
        render_chain(&mut out, sources, &self.chain);
        out
    }
}

/// Appends what a replacement does, and the lines as they would be.
fn render_fix(out: &mut String, sources: &SourceMap, fix: &Fix) {
    let file = sources.file(fix.span.file);
    let (start, end) = sources.range(fix.span);
    let _ = writeln!(out, "  = fix: {}", fix.title);
    let before: String = file
        .line_text(start.line)
        .chars()
        .take(start.column as usize - 1)
        .collect();
    let after: String = file.line_text(end.line).chars().skip(end.column as usize - 1).collect();
    for (line, text) in (start.line..).zip(format!("{before}{}{after}", fix.replacement).lines()) {
        let _ = writeln!(out, "{line} + {text}");
    }
}

/// Appends the calls, innermost first; repetitions of one call, as recursions have them, are counted.
fn render_chain(out: &mut String, sources: &SourceMap, chain: &[Frame]) {
    let mut rest = chain.iter().rev().peekable();
    while let Some(frame) = rest.next() {
        let mut more = 0;
        while rest.next_if_eq(&frame).is_some() {
            more += 1;
        }
        let (start, _) = sources.range(frame.span);
        let name = &sources.file(frame.span.file).name;
        let again = if more > 0 {
            format!(" ({more} more times)")
        } else {
            String::new()
        };
        let _ = writeln!(
            out,
            "  = called: {} at {name}:{}:{}{again}",
            frame.function, start.line, start.column
        );
    }
}

/// Appends `--> file:line:column` and the line with carets under the span.
fn render_excerpt(out: &mut String, sources: &SourceMap, span: Span, text: &str) {
    let file = sources.file(span.file);
    let (start, end) = sources.range(span);
    let line = file.line_text(start.line);
    let gutter = start.line.to_string().len();
    let last = if end.line == start.line {
        end.column
    } else {
        line.chars().count() as u32 + 1
    };
    let carets = "^".repeat(last.saturating_sub(start.column).max(1) as usize);
    let blank = " ".repeat(start.column as usize - 1);
    let _ = writeln!(out, "{:gutter$}--> {}:{}:{}", "", file.name, start.line, start.column);
    let _ = writeln!(out, "{:gutter$} |", "");
    let _ = writeln!(out, "{} | {line}", start.line);
    let _ = writeln!(out, "{}", format!("{:gutter$} | {blank}{carets} {text}", "").trim_end());
}

/// A broken rule before its place is known: it names the parameter that breaks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its kind.
    pub code: Code,
    /// What is wrong, with the operand and the limit.
    pub message: String,
    /// The parameter at fault, as the user spells it.
    pub param: Option<&'static str>,
    /// What to do about it.
    pub hints: Vec<String>,
    /// Rewrites of the call that mend it.
    pub mends: Vec<Mend>,
    /// Where the limit comes from.
    pub source: Option<String>,
}

impl Fault {
    /// A fault of the whole instruction.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            param: None,
            hints: Vec::new(),
            mends: Vec::new(),
            source: None,
        }
    }

    /// Names the parameter at fault.
    #[must_use]
    pub fn on(mut self, param: &'static str) -> Self {
        self.param = Some(param);
        self
    }

    /// Adds a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds a rewrite that mends it.
    #[must_use]
    pub fn mend(mut self, title: impl Into<String>, edit: Edit) -> Self {
        let title = title.into();
        self.mends.push(Mend { title, edit });
        self
    }

    /// Says where the limit comes from.
    #[must_use]
    pub fn source(mut self, source: impl Into<String>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Gives the fault its place.
    pub fn at(self, span: Span) -> Diagnostic {
        Diagnostic {
            hints: self.hints,
            source: self.source,
            ..Diagnostic::error(self.code, span, self.message)
        }
    }
}

/// Returns a [`Fault`] unless a condition holds: `ensure!(cond, Code, "message {}", value)`, or with the parameter at fault and a
/// way out: `ensure!(cond, Code on "param", hint "do this", "message {}", value)`.
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $code:ident on $param:literal, hint $hint:expr, $($message:tt)+) => {
        let holds: bool = $condition;
        if !holds {
            let message = format!($($message)+);
            let fault = $crate::base::diag::Fault::new($crate::base::diag::Code::$code, message);
            return Err(fault.on($param).hint($hint));
        }
    };
    ($condition:expr, $code:ident, $($message:tt)+) => {
        let holds: bool = $condition;
        if !holds {
            return Err($crate::base::diag::Fault::new($crate::base::diag::Code::$code, format!($($message)+)));
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::span::SourceFile;

    #[test]
    fn rendering_points_at_the_place() {
        let mut sources = SourceMap::default();
        let file = sources.add(SourceFile::new("k.py", "x = 1\ny = foo(x)\n"));
        let text = Diagnostic::error(Code::Name, Span::new(file, 10, 13), "name 'foo' is not defined")
            .with_hint("define it")
            .render(&sources);
        let expected = "error[name]: name 'foo' is not defined\n --> k.py:2:5\n  |\n2 | y = foo(x)\n  |     ^^^\n  = help: define it\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn codes_are_unique_and_kebab_case() {
        for (at, code) in Code::ALL.iter().enumerate() {
            assert!(
                code.id().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'),
                "{}",
                code.id()
            );
            assert!(!code.explanation().is_empty());
            assert!(Code::ALL[..at].iter().all(|other| other.id() != code.id()));
        }
    }
}
