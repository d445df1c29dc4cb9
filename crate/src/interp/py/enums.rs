//! The module `enum`.

use std::cell::RefCell;
use std::rc::Rc;

use crate::builtin;
use crate::interp::builtin::CallArgs;
use crate::interp::dict::{Dict, Namespace};
use crate::interp::native::NativeObject;
use crate::interp::object::{Class, Descriptor, Instance, TypeTag};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::interp::{Interp, NativeModule};

/// The module.
pub const MODULES: &[NativeModule] = &[NativeModule { name: "enum", init }];

builtin! {
    /// Functions of `enum`.
    pub ROWS;
    /// The next value.
    "auto" "()" => |_cx, _args| Ok(Value::native(Auto));
    /// Refuses members with equal values.
    "unique" "(enumeration)" => |_cx, args| Ok(args.take(0));
}

/// What `auto()` returns until the class is finished.
struct Auto;

impl NativeObject for Auto {
    fn type_name(&self) -> &str {
        "auto"
    }
}

fn init(cx: &mut Interp, module: crate::interp::scope::ModuleId) -> Result<()> {
    cx.define_rows(module, ROWS);
    let object = cx.type_class(TypeTag::Object);
    let base = cx.builtin_class("Enum", Some(&object), TypeTag::Object, true);
    for (name, tag) in [
        ("IntEnum", TypeTag::Int),
        ("StrEnum", TypeTag::Str),
        ("IntFlag", TypeTag::Int),
        ("Flag", TypeTag::Int),
    ] {
        let content = cx.type_class(tag);
        let class = Rc::new(Class {
            name: name.into(),
            bases: vec![Rc::clone(&content), Rc::clone(&base)],
            mro: vec![content, Rc::clone(&base), Rc::clone(&object)],
            attrs: RefCell::default(),
            tag,
            builtin: true,
            exception: None,
            is_enum: true,
            dataclass: RefCell::default(),
        });
        cx.define(module, name, Value::Class(class));
    }
    let meta = cx.builtin_class("EnumMeta", Some(&object), TypeTag::Object, false);
    cx.define(module, "EnumMeta", Value::Class(meta));
    cx.define(module, "Enum", Value::Class(base));
    Ok(())
}

/// Names that are no members: functions, descriptors, private names and nested classes.
fn is_member(name: &str, value: &Value) -> bool {
    let plain = !matches!(
        value,
        Value::Function(_) | Value::Descriptor(_) | Value::Class(_) | Value::Builtin(_)
    );
    plain && !name.starts_with('_')
}

impl Interp {
    /// Turns the attributes of a new enumeration into members.
    pub(crate) fn finish_enum(&mut self, class: &Rc<Class>) -> Result<()> {
        let all: Vec<(Rc<str>, Value)> = class
            .attrs
            .borrow()
            .iter()
            .map(|(name, value)| (Rc::clone(name), value.clone()))
            .collect();
        let mut members: Vec<Value> = Vec::new();
        let mut last = Value::Int(0);
        for (name, value) in all.into_iter().filter(|(name, value)| is_member(name, value)) {
            let value = match &value {
                Value::Native(_) if value.downcast::<Auto>().is_some() => match class.tag {
                    TypeTag::Str => Value::from(name.to_lowercase()),
                    _ => Value::Int(last.as_int().unwrap_or(0) + 1),
                },
                _ => value,
            };
            last = value.clone();
            let alias = self.member_with(&members, &value)?;
            let member = match alias {
                Some(member) => member,
                None => {
                    let member = self.new_member(class, &name, &value)?;
                    members.push(member.clone());
                    member
                }
            };
            class.attrs.borrow_mut().set(&name, member);
        }
        class
            .attrs
            .borrow_mut()
            .set(&"_member_list_".into(), Value::tuple(members));
        Ok(())
    }

    fn new_member(&mut self, class: &Rc<Class>, name: &Rc<str>, value: &Value) -> Result<Value> {
        let base = match class.tag {
            TypeTag::Object => None,
            tag => {
                let content = Value::Class(self.type_class(tag));
                Some(self.call_values(&content, vec![value.clone()])?)
            }
        };
        let mut attrs = Namespace::default();
        attrs.set(&"_name_".into(), Value::Str(Rc::clone(name)));
        attrs.set(&"_value_".into(), value.clone());
        attrs.set(&"name".into(), Value::Str(Rc::clone(name)));
        attrs.set(&"value".into(), value.clone());
        let instance = Instance {
            class: Rc::clone(class),
            attrs: RefCell::new(attrs),
            base,
        };
        let member = Value::Instance(Rc::new(instance));
        if let Some(init @ Value::Function(_)) = class.lookup("__init__") {
            let mut args = vec![member.clone()];
            match value {
                Value::Tuple(items) => args.extend(items.iter().cloned()),
                other => args.push(other.clone()),
            }
            self.call_values(&init, args)?;
        }
        Ok(member)
    }

    fn member_with(&mut self, members: &[Value], value: &Value) -> Result<Option<Value>> {
        for member in members {
            let Value::Instance(instance) = member else { continue };
            let own = instance.attrs.borrow().get("_value_").cloned().unwrap_or(Value::None);
            if own.is(value) || (own.tag() == value.tag() && self.equals(&own, value)?) {
                return Ok(Some(member.clone()));
            }
        }
        Ok(None)
    }

    /// The members of an enumeration in order, without aliases.
    pub(crate) fn enum_members(&self, class: &Rc<Class>) -> Vec<Value> {
        class
            .attrs
            .borrow()
            .get("_member_list_")
            .and_then(Value::as_items)
            .unwrap_or_default()
    }

    /// The members by name.
    pub(crate) fn enum_members_dict(&self, class: &Rc<Class>) -> Value {
        let mut dict = Dict::default();
        for (name, value) in class.attrs.borrow().iter() {
            if matches!(value, Value::Instance(instance) if Rc::ptr_eq(&instance.class, class)) {
                dict.set_str(name, value.clone());
            }
        }
        Value::dict(dict)
    }

    /// `Color(1)`: the member with this value.
    pub(crate) fn enum_by_value(&mut self, class: &Rc<Class>, args: &CallArgs) -> Result<Value> {
        let Some(arg) = args
            .positional
            .first()
            .or_else(|| args.keywords.first().map(|(_, arg)| arg))
        else {
            return Err(Raised::argument_error(format!(
                "{}() takes the value of a member",
                class.name
            )));
        };
        if matches!(&arg.value, Value::Instance(instance) if Rc::ptr_eq(&instance.class, class)) {
            return Ok(arg.value.clone());
        }
        let members = self.enum_members(class);
        if let Some(member) = self.member_with(&members, &arg.value)? {
            return Ok(member);
        }
        let missing = match class.lookup("_missing_") {
            Some(Value::Descriptor(descriptor)) => match &*descriptor {
                Descriptor::Class(function) => {
                    let call = vec![Value::Class(Rc::clone(class)), arg.value.clone()];
                    self.call_values(&function.clone(), call)?
                }
                _ => Value::None,
            },
            _ => Value::None,
        };
        if !missing.is_none() {
            return Ok(missing);
        }
        let text = self.repr(&arg.value)?;
        let names: Vec<String> = members.iter().map(|member| self.str(member)).collect::<Result<_>>()?;
        let raised = Raised::value_error(format!("{text} is not a valid {}", class.name));
        Err(raised.hint(format!("its members are {}", names.join(", "))))
    }
}
