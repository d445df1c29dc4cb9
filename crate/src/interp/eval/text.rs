//! `repr`, `str` and `print`.

use std::rc::Rc;

use crate::interp::Interp;
use crate::interp::dict::Dict;
use crate::interp::object::{Descriptor, Instance, TypeTag};
use crate::interp::raised::{Exception, Result};
use crate::interp::value::{Range, Value};

impl Interp {
    /// `str(value)`.
    pub fn str(&mut self, value: &Value) -> Result<String> {
        match value {
            Value::Str(text) => Ok(text.to_string()),
            Value::Native(native) => Rc::clone(native).str(self),
            Value::Instance(instance) => {
                if let Some(text) = self.call_special(value, "__str__", Vec::new())? {
                    return self.text_of(&text, "__str__");
                }
                if instance.class.exception.is_some() {
                    return self.exception_text(instance);
                }
                match &instance.base {
                    Some(_) if instance.class.is_enum && !shows_value(instance) => {
                        let name = enum_name(instance);
                        Ok(format!("{}.{name}", instance.class.name))
                    }
                    Some(base) if instance.class.is_enum || instance.class.lookup("__repr__").is_none() => {
                        if instance.class.lookup("_fields").is_some() {
                            return self.repr(value);
                        }
                        self.str(&base.clone())
                    }
                    _ if instance.class.is_enum => {
                        let name = enum_name(instance);
                        Ok(format!("{}.{name}", instance.class.name))
                    }
                    _ => self.repr(value),
                }
            }
            _ => self.repr(value),
        }
    }

    fn text_of(&mut self, text: &Value, method: &str) -> Result<String> {
        match text.as_str() {
            Some(text) => Ok(text.to_owned()),
            None => {
                let kind = self.type_name(text);
                let text = format!("{method} returned non-string (type {kind})");
                Err(crate::interp::raised::Raised::type_error(text))
            }
        }
    }

    fn exception_text(&mut self, instance: &Rc<Instance>) -> Result<String> {
        let args = instance.attrs.borrow().get("args").cloned();
        match args.as_ref().and_then(Value::as_items).as_deref() {
            None | Some([]) => Ok(String::new()),
            Some([one]) if instance.class.exception == Some(Exception::KeyError) => self.repr(one),
            Some([one]) => self.str(one),
            Some(all) => self.repr(&Value::tuple(all.to_vec())),
        }
    }

    /// `repr(value)`.
    pub fn repr(&mut self, value: &Value) -> Result<String> {
        Ok(match value {
            Value::None => "None".to_owned(),
            Value::Ellipsis => "Ellipsis".to_owned(),
            Value::NotImplemented => "NotImplemented".to_owned(),
            Value::Unknown => return self.unknown_text(),
            Value::Bool(truth) => if *truth { "True" } else { "False" }.to_owned(),
            Value::Int(number) => number.to_string(),
            Value::Float(number) => crate::interp::py::format::repr_float(*number),
            Value::Big(number) => {
                self.step(number.bits() * number.bits() / 4096)?;
                number.to_string()
            }
            Value::Str(text) => quote(text),
            Value::Tuple(items) => match items.as_slice() {
                [one] => format!("({},)", self.repr_nested(one)?),
                items => format!("({})", self.repr_items(items)?),
            },
            Value::List(items) => {
                let items = items.borrow().clone();
                format!("[{}]", self.repr_items(&items)?)
            }
            Value::Dict(dict) => {
                let dict = dict.borrow().clone();
                self.repr_dict(&dict)?
            }
            Value::Set(set) => {
                let items = set.items.borrow().keys();
                let inner = self.repr_items(&items)?;
                match (set.frozen, items.is_empty()) {
                    (false, true) => "set()".to_owned(),
                    (false, false) => format!("{{{inner}}}"),
                    (true, true) => "frozenset()".to_owned(),
                    (true, false) => format!("frozenset({{{inner}}})"),
                }
            }
            Value::Range(range) => range_repr(**range),
            Value::Slice(slice) => {
                let parts = [slice.start.clone(), slice.stop.clone(), slice.step.clone()];
                format!("slice({})", self.repr_items(&parts)?)
            }
            Value::Native(native) => Rc::clone(native).repr(self)?,
            Value::Instance(instance) => self.repr_instance(value, instance)?,
            other => self.repr_code(other)?,
        })
    }

    fn repr_code(&mut self, value: &Value) -> Result<String> {
        Ok(match value {
            Value::Function(function) => format!("<function {}>", function.code.name),
            Value::Builtin(builtin) => format!("<built-in function {}>", builtin.name),
            Value::Bound(bound) => {
                let receiver = self.type_name(&bound.receiver);
                let name = match &bound.function {
                    Value::Function(function) => function.code.name.to_string(),
                    Value::Builtin(builtin) => builtin.name.to_owned(),
                    other => self.type_name(other),
                };
                format!("<bound method {receiver}.{name}>")
            }
            Value::Class(class) if class.is_enum => format!("<enum '{}'>", class.name),
            Value::Class(class) if class.builtin => format!("<class '{}'>", class.name),
            Value::Class(class) => format!("<class '__main__.{}'>", class.name),
            Value::Module(id) => format!("<module '{}'>", self.modules[*id].name),
            Value::Descriptor(descriptor) => match &**descriptor {
                Descriptor::Property(..) => "<property object>".to_owned(),
                Descriptor::Static(_) => "<staticmethod object>".to_owned(),
                Descriptor::Class(_) => "<classmethod object>".to_owned(),
            },
            Value::Iterator(iterator) => format!("<{} object>", iterator.type_name),
            other => format!("<{} object>", other.tag().name()),
        })
    }

    fn repr_nested(&mut self, value: &Value) -> Result<String> {
        self.count_step()?;
        self.descend()?;
        let text = self.repr(value);
        self.depth -= 1;
        text
    }

    fn repr_items(&mut self, items: &[Value]) -> Result<String> {
        let parts: Vec<String> = items.iter().map(|item| self.repr_nested(item)).collect::<Result<_>>()?;
        let text = parts.join(", ");
        self.check_items(text.len())?;
        Ok(text)
    }

    fn repr_dict(&mut self, dict: &Dict) -> Result<String> {
        let mut parts = Vec::new();
        for entry in dict.iter() {
            parts.push(format!(
                "{}: {}",
                self.repr_nested(&entry.key)?,
                self.repr_nested(&entry.value)?
            ));
        }
        Ok(format!("{{{}}}", parts.join(", ")))
    }

    fn repr_instance(&mut self, value: &Value, instance: &Rc<Instance>) -> Result<String> {
        if let Some(text) = self.call_special(value, "__repr__", Vec::new())? {
            return self.text_of(&text, "__repr__");
        }
        let class = &instance.class;
        let name = &class.name;
        if class.is_enum {
            let inner = instance.attrs.borrow().get("_value_").cloned().unwrap_or(Value::None);
            return Ok(format!(
                "<{name}.{}: {}>",
                enum_name(instance),
                self.repr_nested(&inner)?
            ));
        }
        if class.exception.is_some() {
            let args = instance
                .attrs
                .borrow()
                .get("args")
                .and_then(Value::as_items)
                .unwrap_or_default();
            return Ok(format!("{name}({})", self.repr_items(&args)?));
        }
        if let Some(data) = self.dataclass_of(class) {
            let shown = data.fields.iter().filter(|field| field.repr);
            let mut parts = Vec::new();
            for field in shown {
                let inner = instance
                    .attrs
                    .borrow()
                    .get(&field.name)
                    .cloned()
                    .or_else(|| class.lookup(&field.name));
                parts.push(format!(
                    "{}={}",
                    field.name,
                    self.repr_nested(&inner.unwrap_or(Value::None))?
                ));
            }
            return Ok(format!("{name}({})", parts.join(", ")));
        }
        let Some(base) = instance.base.clone() else {
            return Ok(format!("<{name} object>"));
        };
        if let (Some(fields), Some(items)) = (class.lookup("_fields"), base.as_items()) {
            let mut parts = Vec::new();
            for (field, item) in fields.as_items().unwrap_or_default().iter().zip(&items) {
                parts.push(format!(
                    "{}={}",
                    field.as_str().unwrap_or_default(),
                    self.repr_nested(item)?
                ));
            }
            return Ok(format!("{name}({})", parts.join(", ")));
        }
        let inner = self.repr_nested(&base)?;
        match (class.tag, class.lookup("__repr_name__")) {
            (TypeTag::Dict, Some(prefix)) => Ok(format!("{}({inner})", self.str(&prefix)?)),
            _ => Ok(inner),
        }
    }
}

fn enum_name(instance: &Instance) -> String {
    instance
        .attrs
        .borrow()
        .get("_name_")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// Whether `str` of a member is its value: of the enumerations whose members stand for numbers or text.
fn shows_value(instance: &Instance) -> bool {
    let standing = |name: &str| matches!(name, "IntEnum" | "StrEnum" | "IntFlag");
    instance
        .class
        .mro
        .iter()
        .any(|class| class.builtin && standing(&class.name))
}

fn range_repr(range: Range) -> String {
    match range.step {
        1 => format!("range({}, {})", range.start, range.stop),
        step => format!("range({}, {}, {step})", range.start, range.stop),
    }
}

/// Whether `repr` shows a letter as it is. Rust's table of what can be printed says the same as Python's, but for marks that
/// combine with the letter before, which Rust escapes where they stand alone.
fn is_printable(letter: char) -> bool {
    const COMBINING: std::ops::RangeInclusive<char> = '\u{300}'..='\u{36f}';
    matches!(letter, '"' | '\'') || COMBINING.contains(&letter) || letter.escape_debug().count() == 1
}

/// `repr` of a string.
pub fn quote(text: &str) -> String {
    let mark = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(mark);
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter if letter == mark => {
                out.push('\\');
                out.push(letter);
            }
            letter if is_printable(letter) => out.push(letter),
            letter => out.push_str(&match letter as u32 {
                code @ ..=0xff => format!("\\x{code:02x}"),
                code @ ..=0xffff => format!("\\u{code:04x}"),
                code => format!("\\U{code:08x}"),
            }),
        }
    }
    out.push(mark);
    out
}
