//! Attributes.

use std::rc::Rc;

use crate::interp::Interp;
use crate::interp::builtin::{Builtin, with_nearest};
use crate::interp::dict::Dict;
use crate::interp::object::{Class, Descriptor, Function, Instance};
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::value::{Bound, Value};

/// What an attribute lookup finds.
pub(crate) enum Found {
    /// The attribute itself.
    Plain(Value),
    /// A function that gets the object as its first argument.
    Method(Value),
}

impl Interp {
    /// `object.name`.
    pub fn getattr(&mut self, object: &Value, name: &str) -> Result<Value> {
        match self.find_attr(object, name)? {
            Some(Found::Plain(value)) => Ok(value),
            Some(Found::Method(function)) => Ok(Value::Bound(Rc::new(Bound {
                receiver: object.clone(),
                function,
            }))),
            None => Err(self.no_attribute(object, name)),
        }
    }

    /// The function behind `object.name(…)`, and whether it gets the object as its first argument.
    pub(crate) fn method(&mut self, object: &Value, name: &str) -> Result<(Value, bool)> {
        match self.find_attr(object, name)? {
            Some(Found::Plain(value)) => Ok((value, false)),
            Some(Found::Method(function)) => Ok((function, true)),
            None => Err(self.no_attribute(object, name)),
        }
    }

    /// Whether `object.name` exists.
    pub fn hasattr(&mut self, object: &Value, name: &str) -> Result<bool> {
        match self.find_attr(object, name) {
            Ok(found) => Ok(found.is_some()),
            Err(mut raised) if !raised.is_signal() => {
                let object = self.exception_object(&mut raised)?;
                let class = Value::Class(Rc::clone(&self.exceptions[Exception::AttributeError as usize]));
                if self.is_instance(&object, &class)? {
                    Ok(false)
                } else {
                    Err(raised)
                }
            }
            Err(raised) => Err(raised),
        }
    }

    pub(crate) fn find_attr(&mut self, object: &Value, name: &str) -> Result<Option<Found>> {
        match object {
            Value::Module(id) => {
                let module = &self.modules[*id];
                if let Some(value) = module.get(name) {
                    return Ok(Some(Found::Plain(value.clone())));
                }
                let (missing, getter) = (module.missing, module.get("__getattr__").cloned());
                let child = format!("{}.{name}", module.name);
                if let Some(&id) = self.by_name.get(&child) {
                    return Ok(Some(Found::Plain(Value::Module(id))));
                }
                if let Some(missing) = missing {
                    return Ok(missing(self, name)?.map(Found::Plain));
                }
                match getter {
                    Some(getter) => self
                        .call_values(&getter, vec![Value::from(name)])
                        .map(|value| Some(Found::Plain(value))),
                    None => Ok(None),
                }
            }
            Value::Instance(instance) => self.find_instance_attr(object, instance, name),
            Value::Native(native) => {
                let native = Rc::clone(native);
                if let Some(value) = native.getattr(self, name)? {
                    return Ok(Some(Found::Plain(value)));
                }
                Ok(find_row(native.methods(), name).map(|row| Found::Method(Value::Builtin(row))))
            }
            Value::Class(class) => self.find_class_attr(class, name),
            Value::Function(function) => Ok(self.function_attr(function, name)),
            Value::Super(parts) => {
                let class = match &parts.object {
                    Value::Class(class) => Rc::clone(class),
                    other => self.class_of(other),
                };
                self.find_behind(&class, &parts.after, &parts.object, name)
            }
            _ => self.find_builtin_attr(object, name),
        }
    }

    fn find_instance_attr(&mut self, object: &Value, instance: &Rc<Instance>, name: &str) -> Result<Option<Found>> {
        let of_class = instance.class.lookup(name);
        if let Some(Value::Descriptor(descriptor)) = &of_class
            && let Descriptor::Property(getter, _, _) = &**descriptor
        {
            return self
                .call_values(getter, vec![object.clone()])
                .map(|value| Some(Found::Plain(value)));
        }
        if let Some(value) = instance.attrs.borrow().get(name) {
            return Ok(Some(Found::Plain(value.clone())));
        }
        if let Some(value) = of_class {
            return Ok(Some(bind_to(value, &instance.class)));
        }
        match name {
            "__class__" => return Ok(Some(Found::Plain(Value::Class(Rc::clone(&instance.class))))),
            "__dict__" => return Ok(Some(Found::Plain(Value::dict(attrs_dict(instance))))),
            _ => {}
        }
        if let Some(value) = instance
            .class
            .exception
            .and_then(|kind| exception_attr(instance, kind, name))
        {
            return Ok(Some(Found::Plain(value)));
        }
        if let Some(base) = &instance.base {
            let base = base.clone();
            match self.find_attr(&base, name)? {
                Some(Found::Method(function)) => {
                    return Ok(Some(Found::Plain(Value::Bound(Rc::new(Bound {
                        receiver: base,
                        function,
                    })))));
                }
                Some(found) => return Ok(Some(found)),
                None => {}
            }
        }
        match instance.class.lookup("__getattr__") {
            Some(function) => {
                let value = self.call_values(&function, vec![object.clone(), Value::from(name)])?;
                Ok(Some(Found::Plain(value)))
            }
            None => Ok(None),
        }
    }

    fn find_class_attr(&mut self, class: &Rc<Class>, name: &str) -> Result<Option<Found>> {
        if let Some(value) = class.lookup(name) {
            return Ok(Some(match value {
                Value::Descriptor(descriptor) => match &*descriptor {
                    Descriptor::Static(function) => Found::Plain(function.clone()),
                    Descriptor::Class(function) => Found::Plain(Value::Bound(Rc::new(Bound {
                        receiver: Value::Class(Rc::clone(class)),
                        function: function.clone(),
                    }))),
                    Descriptor::Property(..) => Found::Plain(Value::Descriptor(descriptor)),
                },
                other => Found::Plain(other),
            }));
        }
        let value = match name {
            "__name__" | "__qualname__" => Value::Str(Rc::clone(&class.name)),
            "__doc__" => Value::None,
            "__class__" => Value::Class(self.type_class(crate::interp::object::TypeTag::Type)),
            "__bases__" => Value::tuple(class.bases.iter().map(|base| Value::Class(Rc::clone(base)))),
            "__mro__" => {
                let behind = class.mro.iter().map(|base| Value::Class(Rc::clone(base)));
                Value::tuple(std::iter::once(Value::Class(Rc::clone(class))).chain(behind))
            }
            "__dict__" => {
                let mut dict = Dict::default();
                for (name, value) in class.attrs.borrow().iter() {
                    dict.set_str(name, value.clone());
                }
                Value::dict(dict)
            }
            "__members__" if class.is_enum => self.enum_members_dict(class),
            "__module__" => Value::from("__main__"),
            _ => {
                let row = find_row(super::super::py::methods(class.tag), name);
                return Ok(row.map(|row| Found::Plain(Value::Builtin(row))));
            }
        };
        Ok(Some(Found::Plain(value)))
    }

    /// `super().name`: the attribute behind `after` in the method resolution order of `class`.
    fn find_behind(
        &mut self,
        class: &Rc<Class>,
        after: &Rc<Class>,
        object: &Value,
        name: &str,
    ) -> Result<Option<Found>> {
        let skip = if Rc::ptr_eq(class, after) {
            0
        } else {
            class
                .mro
                .iter()
                .position(|base| Rc::ptr_eq(base, after))
                .map_or(0, |at| at + 1)
        };
        let found = class
            .mro
            .iter()
            .skip(skip)
            .find_map(|base| base.attrs.borrow().get(name).cloned());
        let Some(value) = found else { return Ok(None) };
        let found = match value {
            Value::Descriptor(descriptor) => match &*descriptor {
                Descriptor::Property(getter, _, _) => Found::Plain(self.call_values(getter, vec![object.clone()])?),
                _ => bind_to(Value::Descriptor(descriptor), class),
            },
            other => bind_to(other, class),
        };
        Ok(Some(match found {
            Found::Method(function) if name == "__new__" => Found::Plain(function),
            Found::Method(function) => Found::Plain(Value::Bound(Rc::new(Bound {
                receiver: object.clone(),
                function,
            }))),
            plain => plain,
        }))
    }

    fn function_attr(&self, function: &Rc<Function>, name: &str) -> Option<Found> {
        if let Some(value) = function.attrs.borrow().get(name) {
            return Some(Found::Plain(value.clone()));
        }
        let value = match name {
            "__name__" | "__qualname__" => Value::Str(Rc::clone(&function.code.name)),
            "__doc__" => function.code.doc.clone().map_or(Value::None, Value::Str),
            "__module__" => Value::from(self.modules[function.module].name.as_str()),
            "__dict__" => Value::dict(Dict::default()),
            "__defaults__" => Value::tuple(function.defaults.to_vec()),
            _ => return None,
        };
        Some(Found::Plain(value))
    }

    fn find_builtin_attr(&mut self, object: &Value, name: &str) -> Result<Option<Found>> {
        if let Some(row) = find_row(super::super::py::methods(object.tag()), name) {
            return Ok(Some(Found::Method(Value::Builtin(row))));
        }
        let value = match (object, name) {
            (_, "__class__") => Value::Class(self.class_of(object)),
            (Value::Builtin(builtin), "__name__" | "__qualname__") => Value::from(builtin.name),
            (Value::Builtin(builtin), "__doc__") => Value::from(builtin.doc.trim()),
            (Value::Bound(bound), "__self__") => bound.receiver.clone(),
            (Value::Bound(bound), "__func__") => bound.function.clone(),
            (Value::Bound(bound), name) => {
                let function = bound.function.clone();
                return self.find_attr(&function, name);
            }
            (Value::Range(range), "start") => Value::Int(range.start),
            (Value::Range(range), "stop") => Value::Int(range.stop),
            (Value::Range(range), "step") => Value::Int(range.step),
            (Value::Slice(slice), "start") => slice.start.clone(),
            (Value::Slice(slice), "stop") => slice.stop.clone(),
            (Value::Slice(slice), "step") => slice.step.clone(),
            (Value::Int(_) | Value::Big(_) | Value::Bool(_), "real" | "numerator") | (Value::Float(_), "real") => {
                object.clone()
            }
            (Value::Int(_) | Value::Bool(_), "imag") => Value::Int(0),
            (Value::Int(_) | Value::Bool(_), "denominator") => Value::Int(1),
            (Value::Descriptor(descriptor), "fget") => match &**descriptor {
                Descriptor::Property(getter, _, _) => getter.clone(),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(Found::Plain(value)))
    }

    #[cold]
    fn no_attribute(&mut self, object: &Value, name: &str) -> Raised {
        let text = match object {
            Value::Module(id) => format!("module '{}' has no attribute '{name}'", self.modules[*id].name),
            Value::Class(class) => format!("type object '{}' has no attribute '{name}'", class.name),
            Value::Super(_) => format!("'super' object has no attribute '{name}'"),
            other => format!("'{}' object has no attribute '{name}'", self.type_name(other)),
        };
        let names = self.attribute_names(object);
        with_nearest(Raised::attribute_error(text), name, names.iter().map(String::as_str))
    }

    /// Names of attributes, for `dir` and suggestions.
    pub(crate) fn attribute_names(&mut self, object: &Value) -> Vec<String> {
        let of_class = |class: &Rc<Class>| -> Vec<String> {
            let all = std::iter::once(class).chain(&class.mro);
            all.flat_map(|class| {
                class
                    .attrs
                    .borrow()
                    .iter()
                    .map(|(name, _)| name.to_string())
                    .collect::<Vec<_>>()
            })
            .collect()
        };
        let rows = |rows: &'static [Builtin]| rows.iter().map(|row| row.name.to_owned());
        let mut names: Vec<String> = match object {
            Value::Module(id) => self.modules[*id].names().map(|name| name.to_string()).collect(),
            Value::Instance(instance) => {
                let own: Vec<String> = instance
                    .attrs
                    .borrow()
                    .iter()
                    .map(|(name, _)| name.to_string())
                    .collect();
                own.into_iter().chain(of_class(&instance.class)).collect()
            }
            Value::Class(class) => of_class(class),
            Value::Native(native) => native
                .attribute_names()
                .into_iter()
                .chain(rows(native.methods()))
                .collect(),
            other => rows(super::super::py::methods(other.tag())).collect(),
        };
        names.sort();
        names.dedup();
        names
    }

    /// `object.name = value`.
    pub fn setattr(&mut self, object: &Value, name: &str, value: Value) -> Result<()> {
        match object {
            Value::Instance(instance) => {
                if let Some(setter @ Value::Function(_)) = instance.class.lookup("__setattr__") {
                    return self
                        .call_values(&setter, vec![object.clone(), Value::from(name), value])
                        .map(drop);
                }
                if self.dataclass_of(&instance.class).is_some_and(|data| data.frozen) {
                    let text = format!("cannot assign to field '{name}'");
                    let raised = Raised::new(Exception::FrozenInstanceError, text);
                    return Err(raised.hint("use dataclasses.replace() to make a changed copy"));
                }
                self.setattr_plain(object, name, value)
            }
            Value::Class(class) if !class.builtin => {
                let member = |value: &Value| matches!(value, Value::Instance(one) if Rc::ptr_eq(&one.class, class));
                if class.is_enum && class.attrs.borrow().get(name).is_some_and(member) {
                    return Err(Raised::attribute_error(format!("cannot reassign member '{name}'"))
                        .hint("members of an enumeration are constants"));
                }
                class.attrs.borrow_mut().set(&name.into(), value);
                Ok(())
            }
            Value::Module(id) => {
                self.define(*id, name, value);
                Ok(())
            }
            Value::Function(function) => {
                function.attrs.borrow_mut().set(&name.into(), value);
                Ok(())
            }
            Value::Native(native) if Rc::clone(native).setattr(self, name, value)? => Ok(()),
            other => {
                let kind = self.type_name(other);
                if self.hasattr(other, name)? {
                    return Err(Raised::attribute_error(format!(
                        "'{kind}' object attribute '{name}' is read-only"
                    )));
                }
                Err(self.no_attribute(other, name))
            }
        }
    }

    /// `object.__setattr__`: sets without asking the class, but for properties.
    pub(crate) fn setattr_plain(&mut self, object: &Value, name: &str, value: Value) -> Result<()> {
        let Value::Instance(instance) = object else {
            return self.setattr(object, name, value);
        };
        if let Some(Value::Descriptor(descriptor)) = instance.class.lookup(name)
            && let Descriptor::Property(_, setter, _) = &*descriptor
        {
            if setter.is_none() {
                let kind = &instance.class.name;
                let text = format!("property '{name}' of '{kind}' object has no setter");
                return Err(Raised::attribute_error(text).hint(format!("define one with @{name}.setter")));
            }
            return self.call_values(setter, vec![object.clone(), value]).map(drop);
        }
        instance.attrs.borrow_mut().set(&name.into(), value);
        Ok(())
    }

    /// `del object.name`.
    pub(crate) fn delattr(&mut self, object: &Value, name: &str) -> Result<()> {
        if let Value::Instance(instance) = object
            && let Some(Value::Descriptor(descriptor)) = instance.class.lookup(name)
            && let Descriptor::Property(_, _, deleter) = &*descriptor
        {
            if deleter.is_none() {
                let kind = &instance.class.name;
                let text = format!("property '{name}' of '{kind}' object has no deleter");
                return Err(Raised::attribute_error(text).hint(format!("define one with @{name}.deleter")));
            }
            return self.call_values(deleter, vec![object.clone()]).map(drop);
        }
        let removed = match object {
            Value::Instance(instance) => instance.attrs.borrow_mut().remove(name),
            Value::Class(class) if !class.builtin => class.attrs.borrow_mut().remove(name),
            Value::Function(function) => function.attrs.borrow_mut().remove(name),
            _ => None,
        };
        if removed.is_some() {
            Ok(())
        } else {
            Err(self.no_attribute(object, name))
        }
    }
}

/// What every exception has, where nothing has been set.
fn exception_attr(instance: &Instance, kind: Exception, name: &str) -> Option<Value> {
    let first = || {
        let args = instance.attrs.borrow().get("args").and_then(Value::as_items);
        args.and_then(|args| args.first().cloned()).unwrap_or(Value::None)
    };
    match (name, kind) {
        ("__cause__" | "__context__" | "__traceback__", _) => Some(Value::None),
        ("__suppress_context__", _) => Some(Value::Bool(false)),
        ("value", Exception::StopIteration) | ("code", Exception::SystemExit) => Some(first()),
        _ => None,
    }
}

/// The row called `name`.
pub(crate) fn find_row(rows: &'static [Builtin], name: &str) -> Option<&'static Builtin> {
    rows.iter().find(|row| row.name == name)
}

/// A class attribute as an instance sees it.
fn bind_to(value: Value, class: &Rc<Class>) -> Found {
    match value {
        Value::Function(_) | Value::Builtin(_) => Found::Method(value),
        Value::Descriptor(descriptor) => match &*descriptor {
            Descriptor::Static(function) => Found::Plain(function.clone()),
            Descriptor::Class(function) => Found::Plain(Value::Bound(Rc::new(Bound {
                receiver: Value::Class(Rc::clone(class)),
                function: function.clone(),
            }))),
            Descriptor::Property(..) => Found::Plain(Value::Descriptor(descriptor)),
        },
        other => Found::Plain(other),
    }
}

/// The attributes of an instance as a dictionary.
pub(crate) fn attrs_dict(instance: &Instance) -> Dict {
    let mut dict = Dict::default();
    for (name, value) in instance.attrs.borrow().iter() {
        dict.set_str(name, value.clone());
    }
    dict
}
