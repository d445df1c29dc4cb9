//! `typing.NamedTuple` and `collections.namedtuple`: tuples whose items have names.

use std::rc::Rc;

use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{CallArgs, missing_arguments, too_many_text, unexpected_keyword};
use crate::interp::dict::{Dict, Namespace};
use crate::interp::native::{Answer, NativeObject};
use crate::interp::object::{Class, Descriptor, TypeTag};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;

builtin! {
    /// Functions of `collections` that make classes.
    pub ROWS;
    /// A class of tuples with named items.
    "namedtuple" "(typename, field_names, *, rename=False, defaults=None, module=None)" => |cx, args| {
        let names: Vec<String> = match args.value(1) {
            Value::Str(text) => text.replace(',', " ").split_whitespace().map(str::to_owned).collect(),
            other => cx.collect(&other.clone())?.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
        };
        let defaults = match args.some(3) {
            Some(defaults) => cx.collect(&defaults.clone())?,
            None => Vec::new(),
        };
        let first = names.len().saturating_sub(defaults.len());
        let defaults = names[first..].iter().cloned().zip(defaults).collect();
        let tuple = cx.type_class(TypeTag::Tuple);
        let class = cx.new_class(args.str(0)?, vec![tuple], Namespace::default())?;
        set_fields(&class, &names, defaults);
        Ok(Value::Class(class))
    };
}

builtin! {
    /// Methods of named tuples.
    pub METHODS;
    /// The items as a dictionary.
    "_asdict" "(self)" => |cx, args| {
        let mut dict = Dict::default();
        for (name, value) in fields(args.value(0)).into_iter().zip(cx.collect(args.value(0))?) {
            dict.set_str(&name, value);
        }
        Ok(Value::dict(dict))
    };
    /// A copy with some items replaced.
    "_replace" "(self, **changes)" => |cx, args| {
        let object = args.value(0).clone();
        let mut call = CallArgs::default();
        for (name, value) in fields(&object).into_iter().zip(cx.collect(&object)?) {
            let changed = args.keywords().iter().find(|(key, _)| **key == *name);
            call = call.keyword(&name, changed.map_or(value, |(_, arg)| arg.value.clone()));
        }
        let class = Value::Class(cx.class_of(&object));
        cx.call(&class, call)
    };
}

/// Reads one item; the getter of a field.
struct Getter(usize);

impl NativeObject for Getter {
    fn type_name(&self) -> &str {
        "_tuplegetter"
    }

    fn call(&self, cx: &mut Interp, args: CallArgs) -> Answer {
        match args.positional.first() {
            Some(arg) => cx.getitem(&arg.value, &Value::from(self.0)).map(Some),
            None => Ok(None),
        }
    }
}

fn fields(value: &Value) -> Vec<String> {
    let Value::Instance(instance) = value else {
        return Vec::new();
    };
    let names = instance
        .class
        .lookup("_fields")
        .and_then(|names| names.as_items())
        .unwrap_or_default();
    names
        .iter()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}

fn set_fields(class: &Rc<Class>, names: &[String], defaults: Vec<(String, Value)>) {
    let mut attrs = class.attrs.borrow_mut();
    for (at, name) in names.iter().enumerate() {
        let getter = Descriptor::Property(Value::native(Getter(at)), Value::None, Value::None);
        attrs.set(&name.as_str().into(), Value::Descriptor(Rc::new(getter)));
    }
    let as_values = names.iter().map(|name| Value::from(name.as_str()));
    attrs.set(&"_fields".into(), Value::tuple(as_values.clone()));
    attrs.set(&"__match_args__".into(), Value::tuple(as_values));
    let mut table = Dict::default();
    for (name, value) in defaults {
        table.set_str(&name, value);
    }
    attrs.set(&"_field_defaults".into(), Value::dict(table));
    for row in METHODS {
        attrs.set(&row.name.into(), Value::Builtin(row));
    }
}

impl Interp {
    /// Turns the annotations of a class with base `NamedTuple` into fields.
    pub(crate) fn finish_named_tuple(&mut self, class: &Rc<Class>) -> Result<()> {
        let annotations = class.attrs.borrow().get("__annotations__").cloned();
        let names: Vec<String> = match annotations {
            Some(Value::Dict(dict)) => dict
                .borrow()
                .iter()
                .filter_map(|entry| entry.key.as_str().map(str::to_owned))
                .collect(),
            _ => Vec::new(),
        };
        let defaults = names.iter().filter_map(|name| {
            let default = class.attrs.borrow().get(name).cloned();
            default.map(|value| (name.clone(), value))
        });
        let defaults = defaults.collect();
        set_fields(class, &names, defaults);
        Ok(())
    }

    /// The items of a new named tuple.
    pub(crate) fn named_tuple_items(&mut self, class: &Rc<Class>, args: &CallArgs) -> Result<Value> {
        let names = class
            .lookup("_fields")
            .and_then(|names| names.as_items())
            .unwrap_or_default();
        let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        let defaults = class.lookup("_field_defaults");
        let default = |name: &str| match &defaults {
            Some(Value::Dict(dict)) => dict.borrow().get_str(name).cloned(),
            _ => None,
        };
        if args.positional.len() > names.len() {
            let required = names.iter().filter(|name| default(name).is_none()).count();
            let text = too_many_text(
                &format!("{}.__new__", class.name),
                required + 1,
                names.len() + 1,
                args.positional.len() + 1,
            );
            return Err(Raised::argument_error(text));
        }
        if let Some((name, arg)) = args.keywords.iter().find(|(name, _)| !names.contains(&&**name)) {
            return Err(
                unexpected_keyword(&format!("{}.__new__", class.name), name, names.iter().copied()).at(arg.span),
            );
        }
        let mut items = Vec::new();
        let mut missing = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let named = args
                .keywords
                .iter()
                .find(|(key, _)| **key == **name)
                .map(|(_, arg)| arg.value.clone());
            let given = args.positional.get(at).map(|arg| arg.value.clone());
            match given.or(named).or_else(|| default(name)) {
                Some(value) => items.push(value),
                None => missing.push(*name),
            }
        }
        if !missing.is_empty() {
            return Err(missing_arguments(
                &format!("{}.__new__", class.name),
                "positional",
                &missing,
            ));
        }
        Ok(Value::tuple(items))
    }
}
