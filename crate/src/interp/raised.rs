//! What interrupts evaluation: Python exceptions, and signals that no `except` can catch.
//!
//! Code that detects a mistake knows neither its place nor the calls that led there, so a fresh [`Raised`] has none. The
//! evaluator adds both once, at the innermost expression. An exception becomes a Python object only when a handler
//! binds it.

use std::fmt;

use crate::base::diag::{Code, Diagnostic, Fault, Fix, Frame, Label};
use crate::base::span::Span;
use crate::interp::advice::advise;
use crate::interp::value::Value;

/// The result of everything that can raise.
pub type Result<T> = std::result::Result<T, Raised>;

/// The table of built-in exceptions: class, base class, and the code that it has when nobody catches it.
macro_rules! exceptions {
    ($($name:ident ($base:literal) $code:ident,)*) => {
        /// A built-in exception class.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Exception { $(#[doc = concat!("`", stringify!($name), "`.")] $name,)* }

        impl Exception {
            /// Every class; a base comes before the classes that derive from it.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The Python name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name),)* }
            }

            /// The Python name of the base class; `object` for the root.
            pub const fn base(self) -> &'static str {
                match self { $(Self::$name => $base,)* }
            }

            /// The code of an uncaught exception of this class.
            pub const fn code(self) -> Code {
                match self { $(Self::$name => Code::$code,)* }
            }
        }
    };
}

exceptions! {
    BaseException("object") Exception,
    SystemExit("BaseException") Exception,
    KeyboardInterrupt("BaseException") Exception,
    GeneratorExit("BaseException") Exception,
    Exception("BaseException") Exception,
    StopIteration("Exception") Exception,
    ArithmeticError("Exception") Arithmetic,
    OverflowError("ArithmeticError") Arithmetic,
    ZeroDivisionError("ArithmeticError") Arithmetic,
    FloatingPointError("ArithmeticError") Arithmetic,
    AssertionError("Exception") Assertion,
    AttributeError("Exception") Attribute,
    FrozenInstanceError("AttributeError") Attribute,
    ImportError("Exception") Import,
    ModuleNotFoundError("ImportError") Import,
    LookupError("Exception") Index,
    IndexError("LookupError") Index,
    KeyError("LookupError") Index,
    MemoryError("Exception") Limit,
    NameError("Exception") Name,
    UnboundLocalError("NameError") Name,
    OSError("Exception") File,
    FileNotFoundError("OSError") File,
    RuntimeError("Exception") Exception,
    RecursionError("RuntimeError") Limit,
    NotImplementedError("RuntimeError") Unimplemented,
    SyntaxError("Exception") Syntax,
    TypeError("Exception") Type,
    ValueError("Exception") Value,
    UnicodeError("ValueError") Value,
    Warning("Exception") Exception,
    UserWarning("Warning") Exception,
    DeprecationWarning("Warning") Deprecated,
    RuntimeWarning("Warning") Exception,
    FutureWarning("Warning") Deprecated,
    NkiValidationError("Exception") Constraint,
}

/// What was raised.
#[derive(Clone)]
pub enum Kind {
    /// A built-in exception that is no Python object yet; its text is the message.
    Builtin(Exception),
    /// An exception object.
    Object(Value),
    /// A value is needed that the simulation must compute first. The driver unwinds and runs the script again later.
    Suspend,
    /// A limit was reached or the run was cancelled; no handler may catch it.
    Limit,
}

/// An interruption with everything that its diagnostic will say.
#[derive(Clone)]
pub struct Failure {
    /// What was raised.
    pub kind: Kind,
    /// The code of the diagnostic if it is not caught.
    pub code: Code,
    /// The message.
    pub message: String,
    /// The parameter at fault; the call that passed it turns it into the span of the argument.
    pub param: Option<&'static str>,
    /// Where, once it is known.
    pub span: Option<Span>,
    /// Further places.
    pub labels: Vec<Label>,
    /// Ways out.
    pub hints: Vec<String>,
    /// Replacements.
    pub fixes: Vec<Fix>,
    /// A name at the place and what is probably meant.
    pub rename: Option<(String, String)>,
    /// Where the limit comes from.
    pub source: Option<String>,
    /// Whether the evaluator has added the chain.
    pub located: bool,
    /// The calls that led there, outermost first; set together with the span.
    pub chain: Vec<Frame>,
}

/// A raised exception or signal. One pointer, so that results stay small.
#[derive(Clone)]
pub struct Raised(pub Box<Failure>);

impl Raised {
    /// Raises a built-in exception.
    pub fn new(exception: Exception, message: impl Into<String>) -> Self {
        Self::of_kind(Kind::Builtin(exception), exception.code(), message.into())
    }

    /// An interruption of some kind.
    pub fn of_kind(kind: Kind, code: Code, message: String) -> Self {
        Self(Box::new(Failure {
            kind,
            code,
            message,
            param: None,
            span: None,
            labels: Vec::new(),
            hints: Vec::new(),
            fixes: Vec::new(),
            rename: None,
            source: None,
            located: false,
            chain: Vec::new(),
        }))
    }

    /// `TypeError`.
    pub fn type_error(message: impl Into<String>) -> Self {
        Self::new(Exception::TypeError, message)
    }

    /// `ValueError`.
    pub fn value_error(message: impl Into<String>) -> Self {
        Self::new(Exception::ValueError, message)
    }

    /// `IndexError`.
    pub fn index_error(message: impl Into<String>) -> Self {
        Self::new(Exception::IndexError, message)
    }

    /// `AttributeError`.
    pub fn attribute_error(message: impl Into<String>) -> Self {
        Self::new(Exception::AttributeError, message)
    }

    /// `TypeError` about the arguments of a call.
    pub fn argument_error(message: impl Into<String>) -> Self {
        Self::type_error(message).code(Code::Argument)
    }

    /// `NotImplementedError`: the playground does not model this yet.
    pub fn unimplemented(message: impl Into<String>) -> Self {
        Self::new(Exception::NotImplementedError, message)
    }

    /// A value is needed that is not computed yet.
    pub fn suspend(what: impl Into<String>) -> Self {
        Self::of_kind(Kind::Suspend, Code::Skipped, what.into())
    }

    /// A limit was reached.
    pub fn limit(message: impl Into<String>) -> Self {
        Self::of_kind(Kind::Limit, Code::Limit, message.into())
    }

    /// Replaces the code.
    #[must_use]
    pub fn code(mut self, code: Code) -> Self {
        self.0.code = code;
        self
    }

    /// Adds a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hints.push(hint.into());
        self
    }

    /// Adds a replacement that mends the error.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.0.fixes.push(fix);
        self
    }

    /// Names the parameter at fault.
    #[must_use]
    pub fn on(mut self, param: &'static str) -> Self {
        self.0.param = Some(param);
        self
    }

    /// Sets the place, unless it is known already.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.0.span.get_or_insert(span);
        self
    }

    /// Whether no `except` may catch it.
    pub fn is_signal(&self) -> bool {
        matches!(self.0.kind, Kind::Suspend | Kind::Limit)
    }

    /// Whether it is the built-in `exception` exactly (not a subclass, not an object).
    pub fn is(&self, exception: Exception) -> bool {
        matches!(self.0.kind, Kind::Builtin(class) if class == exception)
    }

    /// The diagnostic of an uncaught exception; `fallback` is its place if it has none.
    pub fn into_diagnostic(self, fallback: Span) -> Diagnostic {
        let mut failure = *self.0;
        if matches!(failure.kind, Kind::Builtin(Exception::KeyError)) {
            failure.message = format!("there is no key {}", failure.message);
        }
        if matches!(failure.kind, Kind::Builtin(_)) {
            advise(&mut failure);
        }
        Diagnostic {
            labels: failure.labels,
            hints: failure.hints,
            fixes: failure.fixes,
            source: failure.source,
            chain: failure.chain,
            ..Diagnostic::error(failure.code, failure.span.unwrap_or(fallback), failure.message)
        }
    }
}

impl fmt::Debug for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code.id(), self.0.message)
    }
}

impl From<Fault> for Raised {
    fn from(fault: Fault) -> Self {
        let mut raised = Self::of_kind(Kind::Builtin(Exception::NkiValidationError), fault.code, fault.message);
        raised.0.param = fault.param;
        raised.0.hints = fault.hints;
        raised.0.source = fault.source;
        raised
    }
}

impl From<Diagnostic> for Raised {
    fn from(diagnostic: Diagnostic) -> Self {
        let kind = Kind::Builtin(Exception::NkiValidationError);
        let mut raised = Self::of_kind(kind, diagnostic.code, diagnostic.message);
        raised.0.span = Some(diagnostic.span);
        raised.0.labels = diagnostic.labels;
        raised.0.hints = diagnostic.hints;
        raised.0.fixes = diagnostic.fixes;
        raised.0.source = diagnostic.source;
        raised.0.chain = diagnostic.chain;
        raised
    }
}
