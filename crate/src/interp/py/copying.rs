//! What the module `copy` is made of.

use std::cell::RefCell;
use std::rc::Rc;

use crate::builtin;
use crate::interp::Interp;
use crate::interp::contents::Contents;
use crate::interp::dict::{Dict, Namespace};
use crate::interp::object::Instance;
use crate::interp::raised::Result;
use crate::interp::value::Value;

builtin! {
    /// Copies of objects.
    pub ROWS;
    /// A copy whose items are the same objects.
    "shallow" "(x)" => |cx, args| {
        let value = args.value(0).clone();
        if let Some(copy) = cx.call_special(&value, "__copy__", Vec::new())? {
            return Ok(copy);
        }
        copied(cx, &value, &mut None)
    };
    /// A copy whose items are copies, too.
    "deep" "(x, memo=None)" => |cx, args| copied(cx, &args.value(0).clone(), &mut Some(Vec::new()));
}

/// Objects that were copied, so that shared and cyclic parts stay so.
type Memo = Option<Vec<(Value, Value)>>;

/// Copies a value; `memo` is `None` for a shallow copy.
fn copied(cx: &mut Interp, value: &Value, memo: &mut Memo) -> Result<Value> {
    cx.step(1)?;
    if let Some(known) = memo
        .as_ref()
        .and_then(|memo| memo.iter().find(|(old, _)| old.is(value)))
    {
        return Ok(known.1.clone());
    }
    cx.descend()?;
    let copy = copied_inner(cx, value, memo);
    cx.depth -= 1;
    copy
}

fn inner(cx: &mut Interp, value: &Value, memo: &mut Memo) -> Result<Value> {
    if memo.is_some() {
        copied(cx, value, memo)
    } else {
        Ok(value.clone())
    }
}

fn remember(memo: &mut Memo, old: &Value, new: &Value) {
    if let Some(memo) = memo {
        memo.push((old.clone(), new.clone()));
    }
}

fn copied_inner(cx: &mut Interp, value: &Value, memo: &mut Memo) -> Result<Value> {
    match value {
        Value::List(list) => {
            let fresh = Rc::new(RefCell::new(Contents::default()));
            let copy = Value::List(Rc::clone(&fresh));
            remember(memo, value, &copy);
            for item in list.borrow().to_vec() {
                let item = inner(cx, &item, memo)?;
                fresh.borrow_mut().push(item);
            }
            Ok(copy)
        }
        Value::Dict(dict) => {
            let fresh = Rc::new(RefCell::new(Dict::default()));
            let copy = Value::Dict(Rc::clone(&fresh));
            remember(memo, value, &copy);
            let entries: Vec<_> = dict.borrow().iter().cloned().collect();
            for entry in entries {
                let item = inner(cx, &entry.value, memo)?;
                fresh.borrow_mut().append(entry.hash, entry.key, item);
            }
            Ok(copy)
        }
        Value::Tuple(items) => {
            let items: Vec<Value> = items.iter().map(|item| inner(cx, item, memo)).collect::<Result<_>>()?;
            Ok(Value::tuple(items))
        }
        Value::Set(set) => Ok(Value::set(set.items.borrow().clone(), set.frozen)),
        Value::Instance(instance) if !instance.class.is_enum => {
            let base = match &instance.base {
                Some(base) => Some(inner_base(cx, base, memo)?),
                None => None,
            };
            let fresh = Rc::new(Instance {
                class: Rc::clone(&instance.class),
                attrs: RefCell::default(),
                base,
            });
            let copy = Value::Instance(Rc::clone(&fresh));
            remember(memo, value, &copy);
            let attrs: Vec<_> = instance
                .attrs
                .borrow()
                .iter()
                .map(|(name, value)| (Rc::clone(name), value.clone()))
                .collect();
            let mut namespace = Namespace::default();
            for (name, attr) in attrs {
                namespace.set(&name, inner(cx, &attr, memo)?);
            }
            *fresh.attrs.borrow_mut() = namespace;
            Ok(copy)
        }
        Value::Native(_) if cx.hasattr(value, "copy")? => {
            let method = cx.getattr(value, "copy")?;
            cx.call_values(&method, Vec::new())
        }
        other => Ok(other.clone()),
    }
}

/// The content of a subclass of a container is copied even in a shallow copy.
fn inner_base(cx: &mut Interp, base: &Value, memo: &mut Memo) -> Result<Value> {
    copied(cx, base, memo)
}
