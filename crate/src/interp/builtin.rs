//! Functions that Rust code defines: one [`builtin!`](crate::builtin) row each.
//!
//! A row is a name, a Python signature, a doc comment and a body. Arguments are bound by the signature with Python's own
//! messages, and every argument keeps its span, so that an error can point at it.
//!
//! ```ignore
//! builtin! {
//!     /// Functions of the module.
//!     pub ROWS;
//!     /// `x` times `y`.
//!     "scale" "(x, y=2, /, *, negate=False)" => |_cx, args| {
//!         let x = args.float(0)?;                  // required; error "scale() argument 'x' must be …, not str"
//!         let y = args.int_or(1, 2)?;              // optional with default
//!         let sign = if args.truth_or(2, false)? { -1.0 } else { 1.0 };
//!         Ok(Value::Float(sign * x * y as f64))
//!     };
//! }
//! ```
//!
//! Parameters are numbered in the order of the signature, `*` and `/` not counted; `*args` and `**kwargs` are read with
//! [`Args::rest`] and [`Args::keywords`] and have no number.

use std::rc::Rc;

use crate::base::diag::Code;
use crate::base::span::Span;
use crate::interp::Interp;
use crate::interp::native::NativeObject;
use crate::interp::raised::{Raised, Result};
use crate::interp::value::{Name, Value};

/// One function that Rust code defines.
pub struct Builtin {
    /// The Python name.
    pub name: &'static str,
    /// The signature in Python's spelling, with its parentheses.
    pub signature: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// The body.
    pub call: fn(&mut Interp, &mut Args) -> Result<Value>,
}

/// Declares a table of [`Builtin`] rows.
#[macro_export]
macro_rules! builtin {
    ($(#[doc = $table:literal])* $vis:vis $rows:ident;
     $($(#[doc = $doc:literal])* $name:literal $signature:literal => $call:expr;)*) => {
        $(#[doc = $table])*
        $vis static $rows: &[$crate::interp::builtin::Builtin] = &[$(
            $crate::interp::builtin::Builtin {
                name: $name,
                signature: $signature,
                doc: concat!($($doc, "\n",)*),
                call: $call,
            },
        )*];
    };
}

/// A value with the place where it was written.
#[derive(Clone)]
pub struct Arg {
    /// The value.
    pub value: Value,
    /// The argument expression.
    pub span: Span,
}

/// The arguments of a call, before binding.
#[derive(Clone, Default)]
pub struct CallArgs {
    /// Positional arguments, starred ones spread.
    pub positional: Vec<Arg>,
    /// Keyword arguments in order, double-starred ones spread.
    pub keywords: Vec<(Name, Arg)>,
    /// The whole call expression; `None` for calls that Rust code makes.
    pub span: Option<Span>,
}

/// The place of arguments that Rust code passes.
pub const NOWHERE: Span = Span::new(crate::base::span::FileId(0), 0, 0);

impl CallArgs {
    /// Positional arguments without a place.
    pub fn positional(values: impl IntoIterator<Item = Value>) -> Self {
        let positional = values.into_iter().map(|value| Arg { value, span: NOWHERE }).collect();
        Self {
            positional,
            keywords: Vec::new(),
            span: None,
        }
    }

    /// Adds a keyword argument without a place.
    #[must_use]
    pub fn keyword(mut self, name: &str, value: Value) -> Self {
        self.keywords.push((name.into(), Arg { value, span: NOWHERE }));
        self
    }
}

/// How a parameter can be passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// By position only.
    Positional,
    /// By position or keyword.
    Either,
    /// By keyword only.
    Keyword,
}

/// A parameter of a signature.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its default as Python text; required parameters have none.
    pub default: Option<&'static str>,
    /// How it can be passed.
    pub passing: Passing,
}

/// A signature, taken apart.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// Parameters in order.
    pub params: Vec<Parameter>,
    /// Whether there is a `*args`.
    pub rest: bool,
    /// Whether there is a `**kwargs`.
    pub keywords: bool,
}

impl Signature {
    /// Takes a signature text such as `(x, /, *, key=None)` apart.
    pub fn parse(text: &'static str) -> Self {
        let mut signature = Self::default();
        let mut passing = Passing::Either;
        let inner = text.trim().trim_start_matches('(');
        for part in split_params(inner.strip_suffix(')').unwrap_or(inner)) {
            if part == "/" {
                signature
                    .params
                    .iter_mut()
                    .for_each(|param| param.passing = Passing::Positional);
            } else if part.starts_with("**") {
                signature.keywords = true;
            } else if let Some(name) = part.strip_prefix('*') {
                signature.rest |= !name.is_empty();
                passing = Passing::Keyword;
            } else {
                let (name, default) = match part.split_once('=') {
                    Some((name, default)) => (name.trim(), Some(default.trim())),
                    None => (part, None),
                };
                signature.params.push(Parameter { name, default, passing });
            }
        }
        signature
    }

    /// The number of parameters that a positional argument can fill.
    pub fn positional_count(&self) -> usize {
        self.params
            .iter()
            .filter(|param| param.passing != Passing::Keyword)
            .count()
    }
}

/// Splits at commas that are outside brackets and quotes.
fn split_params(text: &'static str) -> impl Iterator<Item = &'static str> {
    let mut depth = 0_u32;
    let mut quoted = false;
    text.split(move |letter: char| {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '\'' | '"' => quoted = !quoted,
            _ => {}
        }
        letter == ',' && depth == 0 && !quoted
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
}

/// The arguments of a builtin, bound to its parameters.
pub struct Args {
    builtin: &'static Builtin,
    signature: Rc<Signature>,
    slots: Vec<Option<Arg>>,
    rest: Vec<Arg>,
    keywords: Vec<(Name, Arg)>,
    span: Option<Span>,
}

impl Args {
    /// Binds the arguments of a call.
    pub fn bind(builtin: &'static Builtin, signature: Rc<Signature>, call: CallArgs) -> Result<Self> {
        let mut slots = Vec::new();
        slots.resize_with(signature.params.len(), || None);
        let given = call.positional.len();
        let accepted = signature.positional_count();
        let mut rest = Vec::new();
        for (at, arg) in call.positional.into_iter().enumerate() {
            if at < accepted {
                slots[at] = Some(arg);
            } else if signature.rest {
                rest.push(arg);
            } else {
                return Err(too_many(builtin.name, &signature, given).at(arg.span));
            }
        }
        let mut args = Self {
            builtin,
            signature,
            slots,
            rest,
            keywords: Vec::new(),
            span: call.span,
        };
        for (name, arg) in call.keywords {
            args.bind_keyword(name, arg)?;
        }
        args.require_all()?;
        Ok(args)
    }

    fn bind_keyword(&mut self, name: Name, arg: Arg) -> Result<()> {
        let function = self.builtin.name;
        let found = self.signature.params.iter().position(|param| *param.name == *name);
        match found.filter(|&at| self.signature.params[at].passing != Passing::Positional) {
            Some(at) if self.slots[at].is_some() => {
                let message = format!("{function}() got multiple values for argument '{name}'");
                Err(Raised::argument_error(message).at(arg.span))
            }
            Some(at) => {
                self.slots[at] = Some(arg);
                Ok(())
            }
            None if self.signature.keywords => {
                self.keywords.push((name, arg));
                Ok(())
            }
            None => {
                let names = self.signature.params.iter().map(|param| param.name);
                Err(unexpected_keyword(function, &name, names).at(arg.span))
            }
        }
    }

    fn require_all(&self) -> Result<()> {
        let missing: Vec<&str> = (self.signature.params.iter().zip(&self.slots))
            .filter(|(param, slot)| param.default.is_none() && slot.is_none())
            .map(|(param, _)| param.name)
            .collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(missing_arguments(self.builtin.name, "positional", &missing))
        }
    }

    /// The name of the function, for messages.
    pub fn function(&self) -> &'static str {
        self.builtin.name
    }

    /// The whole call expression, if a script made the call.
    pub fn call_span(&self) -> Option<Span> {
        self.span
    }

    /// Parameter `at`, if an argument was passed.
    pub fn get(&self, at: usize) -> Option<&Value> {
        self.slots.get(at).and_then(Option::as_ref).map(|arg| &arg.value)
    }

    /// Parameter `at`; `None` if no argument was passed.
    pub fn value(&self, at: usize) -> &Value {
        self.get(at).unwrap_or(&Value::None)
    }

    /// Parameter `at`, if an argument other than `None` was passed.
    pub fn some(&self, at: usize) -> Option<&Value> {
        self.get(at).filter(|value| !value.is_none())
    }

    /// Moves parameter `at` out; `None` if no argument was passed.
    pub fn take(&mut self, at: usize) -> Value {
        self.slots
            .get_mut(at)
            .and_then(Option::take)
            .map_or(Value::None, |arg| arg.value)
    }

    /// Where parameter `at` was written, if it was passed by a script.
    pub fn span(&self, at: usize) -> Option<Span> {
        self.slots
            .get(at)
            .and_then(Option::as_ref)
            .map(|arg| arg.span)
            .filter(|&span| span != NOWHERE)
    }

    /// Where the argument called `name` was written.
    pub fn span_of(&self, name: &str) -> Option<Span> {
        let at = self.signature.params.iter().position(|param| param.name == name)?;
        self.span(at)
    }

    /// The arguments behind the named ones, for `*args`.
    pub fn rest(&self) -> &[Arg] {
        &self.rest
    }

    /// The keyword arguments without a parameter, for `**kwargs`.
    pub fn keywords(&self) -> &[(Name, Arg)] {
        &self.keywords
    }

    /// All that `*args` and `**kwargs` took, as the arguments of another call.
    pub fn forward(&mut self) -> CallArgs {
        CallArgs {
            positional: std::mem::take(&mut self.rest),
            keywords: std::mem::take(&mut self.keywords),
            span: self.span,
        }
    }

    /// The native object of a method call.
    pub fn receiver<T: NativeObject>(&self) -> Result<&T> {
        self.value(0)
            .downcast()
            .ok_or_else(|| self.wrong(0, "an object of its own type"))
    }

    /// Parameter `at` as a native object; `what` completes "must be …".
    pub fn native<T: NativeObject>(&self, at: usize, what: &str) -> Result<&T> {
        self.value(at).downcast().ok_or_else(|| self.wrong(at, what))
    }

    /// Parameter `at` as an integer. An unknown value suspends the run.
    pub fn int(&self, at: usize) -> Result<i64> {
        match self.value(at) {
            Value::Unknown => Err(Raised::suspend(format!(
                "{}() needs the value of an argument",
                self.builtin.name
            ))),
            value => value.as_int().ok_or_else(|| self.wrong(at, "an integer")),
        }
    }

    /// Parameter `at` as an integer that is not negative.
    pub fn size(&self, at: usize) -> Result<usize> {
        usize::try_from(self.int(at)?).map_err(|_| self.wrong(at, "an integer that is not negative"))
    }

    /// Parameter `at` as an integer, or `default` if it was not passed.
    pub fn int_or(&self, at: usize, default: i64) -> Result<i64> {
        if self.get(at).is_none() {
            Ok(default)
        } else {
            self.int(at)
        }
    }

    /// Parameter `at` as a float. An unknown value suspends the run.
    pub fn float(&self, at: usize) -> Result<f64> {
        match self.value(at) {
            Value::Unknown => Err(Raised::suspend(format!(
                "{}() needs the value of an argument",
                self.builtin.name
            ))),
            value => value.as_float().ok_or_else(|| self.wrong(at, "a real number")),
        }
    }

    /// Parameter `at` as a float, or `default` if it was not passed.
    pub fn float_or(&self, at: usize, default: f64) -> Result<f64> {
        if self.get(at).is_none() {
            Ok(default)
        } else {
            self.float(at)
        }
    }

    /// Parameter `at` as a string.
    pub fn str(&self, at: usize) -> Result<&str> {
        self.value(at).as_str().ok_or_else(|| self.wrong(at, "a string"))
    }

    /// Parameter `at` as a string, or `default` if it was not passed.
    pub fn str_or<'a>(&'a self, at: usize, default: &'a str) -> Result<&'a str> {
        if self.get(at).is_none() {
            Ok(default)
        } else {
            self.str(at)
        }
    }

    /// Parameter `at` as `True` or `False`, or `default` if it was not passed.
    pub fn truth_or(&self, at: usize, default: bool) -> Result<bool> {
        match self.get(at) {
            None => Ok(default),
            Some(Value::None) => Ok(false),
            Some(value) => value
                .as_int()
                .map(|number| number != 0)
                .ok_or_else(|| self.wrong(at, "True or False")),
        }
    }

    /// The error that parameter `at` has the wrong type; `what` completes "must be …".
    pub fn wrong(&self, at: usize, what: &str) -> Raised {
        let name = self.signature.params.get(at).map_or("", |param| param.name);
        let got = plain_type_name(self.value(at));
        let message = format!("{}() argument '{name}' must be {what}, not {got}", self.builtin.name);
        let raised = Raised::type_error(message);
        match self.span(at) {
            Some(span) => raised.at(span),
            None => raised,
        }
    }
}

/// The type name of a value, as messages show it.
pub fn plain_type_name(value: &Value) -> String {
    match value {
        Value::Native(object) => object.type_name().to_owned(),
        Value::Instance(instance) => instance.class.name.to_string(),
        Value::Iterator(iterator) => iterator.type_name.to_owned(),
        other => other.tag().name().to_owned(),
    }
}

/// `f() takes 2 positional arguments but 3 were given`, in all its forms.
fn too_many(function: &str, signature: &Signature, given: usize) -> Raised {
    let positional = signature
        .params
        .iter()
        .filter(|param| param.passing != Passing::Keyword);
    let required = positional.filter(|param| param.default.is_none()).count();
    Raised::argument_error(too_many_text(function, required, signature.positional_count(), given))
}

/// The text of the error for too many positional arguments.
pub fn too_many_text(function: &str, required: usize, accepted: usize, given: usize) -> String {
    let range = if required == accepted {
        accepted.to_string()
    } else {
        format!("from {required} to {accepted}")
    };
    let plural = if accepted == 1 && required == accepted { "" } else { "s" };
    let verb = if given == 1 { "was" } else { "were" };
    format!("{function}() takes {range} positional argument{plural} but {given} {verb} given")
}

/// `f() missing 2 required positional arguments: 'a' and 'b'`.
pub fn missing_arguments(function: &str, kind: &str, names: &[&str]) -> Raised {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let list = match quoted.as_slice() {
        [one] => one.clone(),
        [first, second] => format!("{first} and {second}"),
        [init @ .., last] => format!("{}, and {last}", init.join(", ")),
        [] => String::new(),
    };
    let plural = if names.len() == 1 { "" } else { "s" };
    Raised::argument_error(format!(
        "{function}() missing {} required {kind} argument{plural}: {list}",
        names.len()
    ))
}

/// `f() got an unexpected keyword argument 'x'`, with the nearest parameter as a hint.
pub fn unexpected_keyword<'a>(function: &str, name: &str, params: impl Iterator<Item = &'a str>) -> Raised {
    let raised = Raised::type_error(format!("{function}() got an unexpected keyword argument '{name}'"));
    with_nearest(raised, name, params).code(Code::Argument)
}

/// Adds "did you mean" with the candidate nearest to `name`, if one is near.
pub fn with_nearest<'a>(raised: Raised, name: &str, candidates: impl Iterator<Item = &'a str>) -> Raised {
    let Some(best) = nearest(name, candidates) else {
        return raised;
    };
    let mut raised = raised.hint(format!("did you mean '{best}'?"));
    raised.0.rename = Some((name.to_owned(), best.to_owned()));
    raised
}

/// The candidate with the smallest edit distance to `name`, if that is at most a third of its length (at least 1).
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Every other single letter is near a single letter.
    if name.chars().count() < 2 {
        return None;
    }
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .filter(|candidate| *candidate != name)
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein distance in characters, upper and lower case alike.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
