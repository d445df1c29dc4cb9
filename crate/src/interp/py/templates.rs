//! Text from values: `format(value, spec)`, `str.format` and the `%` operator.

use std::rc::Rc;

use num_bigint::BigInt;

use super::format::{Spec, format_float, format_int, format_str};
use crate::interp::Interp;
use crate::interp::builtin::{Args, plain_type_name};
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::value::Value;
use crate::numerics::math::double;

impl Interp {
    /// `format(value, spec)`.
    pub fn format(&mut self, value: &Value, spec: &str) -> Result<String> {
        if spec.is_empty() {
            return match self.call_special(value, "__format__", vec![Value::from("")])? {
                Some(text) => self.str(&text),
                None => match value {
                    Value::Native(native) => match Rc::clone(native).format(self, spec)? {
                        Some(text) => Ok(text),
                        None => self.str(value),
                    },
                    _ => self.str(value),
                },
            };
        }
        if matches!(value, Value::Unknown) {
            return self.unknown_text();
        }
        if let Value::Native(native) = value {
            if let Some(text) = Rc::clone(native).format(self, spec)? {
                return Ok(text);
            }
            return match Rc::clone(native).number(self)? {
                Some(number) => self.format(&number, spec),
                None => Err(unsupported_format(value)),
            };
        }
        if let Some(text) = self.call_special(value, "__format__", vec![Value::from(spec)])? {
            return self.str(&text);
        }
        let parsed = Spec::parse(spec).map_err(Raised::value_error)?;
        let text = match value {
            Value::Str(text) => format_str(text, &parsed),
            Value::Int(number) => format_int(&BigInt::from(*number), &parsed),
            Value::Bool(truth) => format_int(&BigInt::from(u8::from(*truth)), &parsed),
            Value::Big(number) => format_int(number, &parsed),
            Value::Float(number) => format_float(*number, &parsed),
            Value::Instance(instance) if instance.base.is_some() && !instance.class.is_enum => {
                return self.format(&instance.base.clone().unwrap_or(Value::None), spec);
            }
            Value::Instance(instance) if instance.class.is_enum => {
                return match &instance.base {
                    Some(base) => self.format(&base.clone(), spec),
                    None => {
                        let text = self.str(value)?;
                        format_str(&text, &parsed).map_err(Raised::value_error)
                    }
                };
            }
            other => return Err(unsupported_format(other)),
        };
        text.map_err(Raised::value_error)
    }

    /// `template % values`.
    pub(crate) fn percent(&mut self, template: &str, values: &Value) -> Result<Value> {
        let mut items = match values {
            Value::Tuple(items) => items.to_vec(),
            other => vec![other.clone()],
        }
        .into_iter();
        let mut out = String::new();
        let mut letters = template.chars().peekable();
        let mut by_name = false;
        while let Some(letter) = letters.next() {
            if letter != '%' {
                out.push(letter);
                continue;
            }
            let mut next_item = || {
                items
                    .next()
                    .ok_or_else(|| Raised::type_error("not enough arguments for format string"))
            };
            let mut named = None;
            if letters.peek() == Some(&'(') {
                letters.next();
                let name: String = letters.by_ref().take_while(|&letter| letter != ')').collect();
                named = Some(self.getitem(values, &Value::from(name))?);
                by_name = true;
            }
            let mut spec = String::new();
            let mut left = false;
            while let Some(&flag) = letters.peek().filter(|flag| "-+ #0".contains(**flag)) {
                letters.next();
                if flag == '-' { left = true } else { spec.push(flag) }
            }
            while let Some(&digit) = letters
                .peek()
                .filter(|digit| digit.is_ascii_digit() || **digit == '.' || **digit == '*')
            {
                letters.next();
                match digit {
                    '*' => spec.push_str(&next_item()?.as_int().unwrap_or(0).to_string()),
                    digit => spec.push(digit),
                }
            }
            let Some(kind) = letters.next() else {
                return Err(Raised::value_error("incomplete format"));
            };
            if kind == '%' {
                out.push('%');
                continue;
            }
            let value = match named {
                Some(value) => value,
                None => next_item()?,
            };
            out.push_str(&self.percent_item(&value, &spec, left, kind)?);
        }
        if !by_name && items.next().is_some() && !matches!(values, Value::Dict(_)) {
            return Err(Raised::type_error(
                "not all arguments converted during string formatting",
            ));
        }
        Ok(Value::from(out))
    }

    fn percent_item(&mut self, value: &Value, spec: &str, left: bool, kind: char) -> Result<String> {
        let (value, kind, align) = match kind {
            's' => (Value::from(self.str(value)?), 's', '>'),
            'r' | 'a' => (Value::from(self.repr(value)?), 's', '>'),
            'd' | 'i' | 'u' => (self.truncated(value)?, 'd', '>'),
            'c' if value.as_str().is_some() => (value.clone(), 's', '>'),
            'x' | 'X' | 'o' | 'c' => (value.clone(), kind, '>'),
            'e' | 'E' | 'f' | 'F' | 'g' | 'G' => (value.clone(), kind, '>'),
            other => return Err(Raised::value_error(format!("unsupported format character '{other}'"))),
        };
        let align = if left {
            "<"
        } else if spec.contains('0') && !spec.starts_with(|digit: char| ('1'..='9').contains(&digit)) {
            ""
        } else if align == '>' {
            ">"
        } else {
            ""
        };
        let spec = if kind == 's' {
            spec.trim_start_matches(['0', '+', ' ', '#'])
        } else {
            spec
        };
        self.format(&value, &format!("{align}{spec}{kind}"))
    }

    fn truncated(&mut self, value: &Value) -> Result<Value> {
        match value {
            Value::Float(number) => super::builtins::whole(*number, double::trunc(*number)),
            Value::Str(_) => Err(Raised::type_error("%d format: a real number is required, not str")),
            other => Ok(other.clone()),
        }
    }

    /// `template.format(args)`.
    pub(crate) fn format_template(&mut self, args: &mut Args) -> Result<Value> {
        let template = args.str(0)?.to_owned();
        let mut count = 0;
        let text = self.expand(&template, args, &mut count, 2)?;
        Ok(Value::from(text))
    }

    fn expand(&mut self, template: &str, args: &Args, count: &mut usize, depth: u8) -> Result<String> {
        if depth == 0 {
            return Err(Raised::value_error("Max string recursion exceeded"));
        }
        let mut out = String::new();
        let mut rest = template;
        while let Some(at) = rest.find(['{', '}']) {
            out.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            if rest[at..].starts_with("{{") || rest[at..].starts_with("}}") {
                out.push_str(&rest[at..at + 1]);
                rest = &after[1..];
                continue;
            }
            if rest[at..].starts_with('}') {
                return Err(Raised::value_error("Single '}' encountered in format string"));
            }
            let end = closing(after).ok_or_else(|| Raised::value_error("expected '}' before end of string"))?;
            out.push_str(&self.expand_field(&after[..end], args, count, depth)?);
            rest = &after[end + 1..];
        }
        out.push_str(rest);
        Ok(out)
    }

    fn expand_field(&mut self, field: &str, args: &Args, count: &mut usize, depth: u8) -> Result<String> {
        let (head, spec) = field.split_once(':').unwrap_or((field, ""));
        let (path, conversion) = head.split_once('!').unwrap_or((head, ""));
        let end = path.find(['.', '[']).unwrap_or(path.len());
        let mut value = argument(&path[..end], args, count)?;
        let mut rest = &path[end..];
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('[') {
                let close = inner
                    .find(']')
                    .ok_or_else(|| Raised::value_error("Missing ']' in format string"))?;
                let key = inner[..close]
                    .parse()
                    .map_or_else(|_| Value::from(&inner[..close]), Value::Int);
                value = self.getitem(&value, &key)?;
                rest = &inner[close + 1..];
            } else {
                let inner = rest.trim_start_matches('.');
                let close = inner.find(['.', '[']).unwrap_or(inner.len());
                value = self.getattr(&value, &inner[..close])?;
                rest = &inner[close..];
            }
        }
        let value = match conversion {
            "r" | "a" => Value::from(self.repr(&value)?),
            "s" => Value::from(self.str(&value)?),
            _ => value,
        };
        let spec = self.expand(spec, args, count, depth - 1)?;
        self.format(&value, &spec)
    }
}

/// The position of the brace that closes a field.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The argument that a field names.
fn argument(name: &str, args: &Args, count: &mut usize) -> Result<Value> {
    let at = match name {
        "" => {
            *count += 1;
            *count - 1
        }
        name => match name.parse() {
            Ok(at) => at,
            Err(_) => {
                let found = args.keywords().iter().find(|(key, _)| **key == *name);
                return found
                    .map(|(_, arg)| arg.value.clone())
                    .ok_or_else(|| Raised::new(Exception::KeyError, format!("'{name}'")));
            }
        },
    };
    let found = args.rest().get(at).map(|arg| arg.value.clone());
    found.ok_or_else(|| Raised::index_error(format!("Replacement index {at} out of range for positional args tuple")))
}

fn unsupported_format(value: &Value) -> Raised {
    let kind = plain_type_name(value);
    Raised::type_error(format!("unsupported format string passed to {kind}.__format__"))
        .hint("convert it with str() first")
}
