//! Binary operators on values of all types.

use std::rc::Rc;

use super::number::Number;
use crate::interp::Interp;
use crate::interp::dict::Dict;
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::syntax::ast::BinaryOp;

impl Interp {
    /// `a op b`.
    pub fn binary(&mut self, op: BinaryOp, a: &Value, b: &Value) -> Result<Value> {
        if let (Value::Int(x), Value::Int(y)) = (a, b) {
            let fast = match op {
                BinaryOp::Add => x.checked_add(*y),
                BinaryOp::Sub => x.checked_sub(*y),
                BinaryOp::Mul => x.checked_mul(*y),
                _ => None,
            };
            if let Some(number) = fast {
                return Ok(Value::Int(number));
            }
        }
        if let Some(value) = self.binary_native(op, a, b)? {
            return Ok(value);
        }
        if let Some(value) = self.binary_special(op, a, b)? {
            return Ok(value);
        }
        if let Some(value) = self.binary_builtin(op, unwrapped(a), unwrapped(b))? {
            return Ok(value);
        }
        Err(self.bad_operands(op, a, b))
    }

    /// `a op= b`: the value that the target gets.
    pub fn in_place(&mut self, op: BinaryOp, a: &Value, b: &Value) -> Result<Value> {
        match a {
            Value::Native(object) => {
                if let Some(value) = Rc::clone(object).in_place(self, op, b)? {
                    return Ok(value);
                }
            }
            Value::Instance(_) => {
                let method = format!("__i{}__", op.method());
                if let Some(value) = self.call_special(a, &method, vec![b.clone()])? {
                    return Ok(value);
                }
            }
            Value::List(list) if op == BinaryOp::Add => {
                let items = self.collect(b)?;
                self.check_items(list.borrow().len() + items.len())?;
                list.borrow_mut().extend(items);
                return Ok(a.clone());
            }
            Value::List(list) if op == BinaryOp::Mul => {
                let Value::List(repeated) = self.binary(op, a, b)? else {
                    return self.binary(op, a, b);
                };
                let items = repeated.take();
                *list.borrow_mut() = items;
                return Ok(a.clone());
            }
            Value::Dict(_) if op == BinaryOp::BitOr => {
                for (key, value) in self.mapping_items(b)? {
                    self.setitem(a, &key, value)?;
                }
                return Ok(a.clone());
            }
            Value::Set(set) if !set.frozen => {
                let result = self.binary(op, a, b)?;
                if let Value::Set(changed) = &result {
                    let items = changed.items.borrow().clone();
                    *set.items.borrow_mut() = items;
                    return Ok(a.clone());
                }
                return Ok(result);
            }
            _ => {}
        }
        self.binary(op, a, b)
    }

    fn binary_native(&mut self, op: BinaryOp, a: &Value, b: &Value) -> Result<Option<Value>> {
        if let Value::Native(object) = a
            && let Some(value) = Rc::clone(object).binary(self, op, b, false)?
        {
            return Ok(Some(value));
        }
        if let Value::Native(object) = b
            && let Some(value) = Rc::clone(object).binary(self, op, a, true)?
        {
            return Ok(Some(value));
        }
        let number = |value: &Value| matches!(value, Value::Unknown) || Number::of(value).is_some();
        let unknown = matches!(a, Value::Unknown) || matches!(b, Value::Unknown);
        Ok((unknown && number(a) && number(b)).then_some(Value::Unknown))
    }

    fn binary_special(&mut self, op: BinaryOp, a: &Value, b: &Value) -> Result<Option<Value>> {
        if !matches!(a, Value::Instance(_)) && !matches!(b, Value::Instance(_)) {
            return Ok(None);
        }
        let (forward, backward) = (format!("__{}__", op.method()), format!("__r{}__", op.method()));
        if let Some(value) = self.call_special(a, &forward, vec![b.clone()])?
            && !matches!(value, Value::NotImplemented)
        {
            return Ok(Some(value));
        }
        let reflected = self.call_special(b, &backward, vec![a.clone()])?;
        Ok(reflected.filter(|value| !matches!(value, Value::NotImplemented)))
    }

    fn binary_builtin(&mut self, op: BinaryOp, a: &Value, b: &Value) -> Result<Option<Value>> {
        if let (Value::Bool(x), Value::Bool(y)) = (a, b) {
            match op {
                BinaryOp::BitAnd => return Ok(Some(Value::Bool(x & y))),
                BinaryOp::BitOr => return Ok(Some(Value::Bool(x | y))),
                BinaryOp::BitXor => return Ok(Some(Value::Bool(x ^ y))),
                _ => {}
            }
        }
        if let (Some(x), Some(y)) = (Number::of(a), Number::of(b)) {
            return self.binary_number(op, &x, &y);
        }
        match (op, a, b) {
            (BinaryOp::Add, Value::Str(x), Value::Str(y)) => {
                self.check_items(x.len() + y.len())?;
                self.step((x.len() + y.len()) as u64 / 64)?;
                Ok(Some(Value::from(format!("{x}{y}"))))
            }
            (BinaryOp::Add, Value::List(x), Value::List(y)) => {
                let items: Vec<Value> = x.borrow().iter().chain(y.borrow().iter()).cloned().collect();
                self.check_items(items.len())?;
                self.step(items.len() as u64 / 16)?;
                Ok(Some(Value::list(items)))
            }
            (BinaryOp::Add, Value::Tuple(x), Value::Tuple(y)) => {
                self.check_items(x.len() + y.len())?;
                self.step((x.len() + y.len()) as u64 / 16)?;
                Ok(Some(Value::tuple(x.iter().chain(y.iter()).cloned())))
            }
            (BinaryOp::Mul, sequence, count) if count.as_int().is_some() => self.repeat(sequence, count),
            (BinaryOp::Mul, count, sequence) if count.as_int().is_some() => self.repeat(sequence, count),
            (BinaryOp::Mod, Value::Str(template), values) => self.percent(template, values).map(Some),
            (BinaryOp::BitOr, Value::Dict(x), Value::Dict(y)) => {
                let mut merged = x.borrow().clone();
                let entries: Vec<_> = y.borrow().iter().cloned().collect();
                for entry in entries {
                    self.dict_set(&mut merged, entry.key, entry.value)?;
                }
                Ok(Some(Value::dict(merged)))
            }
            (_, Value::Set(x), Value::Set(y)) => {
                let (x_items, y_items) = (x.items.borrow().clone(), y.items.borrow().clone());
                self.set_operation(op, &x_items, &y_items, x.frozen)
            }
            (BinaryOp::BitOr, x, y) if is_type_like(x) && is_type_like(y) => {
                Ok(Some(Value::tuple([types_of(x), types_of(y)].concat())))
            }
            _ => Ok(None),
        }
    }

    fn repeat(&mut self, sequence: &Value, count: &Value) -> Result<Option<Value>> {
        let count = usize::try_from(count.as_int().unwrap_or(0).max(0)).unwrap_or(usize::MAX);
        let length = match sequence {
            Value::Str(text) => text.len(),
            Value::List(items) => items.borrow().len(),
            Value::Tuple(items) => items.len(),
            _ => return Ok(None),
        };
        let total = length.saturating_mul(count);
        self.check_items(total)?;
        self.step(total as u64 / 16)?;
        let cycle = |items: &[Value]| -> Vec<Value> { items.iter().cycle().take(total).cloned().collect() };
        Ok(match sequence {
            Value::Str(text) => Some(Value::from(text.repeat(count))),
            Value::List(items) => Some(Value::list(cycle(&items.borrow()))),
            Value::Tuple(items) => Some(Value::tuple(cycle(items))),
            _ => None,
        })
    }

    /// `|`, `&`, `-`, `^` of sets.
    pub(crate) fn set_operation(&mut self, op: BinaryOp, a: &Dict, b: &Dict, frozen: bool) -> Result<Option<Value>> {
        let mut out = Dict::default();
        let (keep_left, in_right): (fn(bool) -> bool, bool) = match op {
            BinaryOp::BitOr => (|_| true, true),
            BinaryOp::BitAnd => (|both| both, false),
            BinaryOp::Sub => (|both| !both, false),
            BinaryOp::BitXor => (|both| !both, true),
            _ => return Ok(None),
        };
        for entry in a.iter() {
            let both = self.find_key(b, entry.hash, &entry.key)?.is_some();
            if keep_left(both) {
                out.append(entry.hash, entry.key.clone(), Value::None);
            }
        }
        if in_right {
            for entry in b.iter() {
                if self.find_key(a, entry.hash, &entry.key)?.is_none() {
                    out.append(entry.hash, entry.key.clone(), Value::None);
                }
            }
        }
        Ok(Some(Value::set(out, frozen)))
    }

    /// A set of items.
    pub fn make_set(&mut self, items: Vec<Value>, frozen: bool) -> Result<Value> {
        let mut dict = Dict::default();
        for item in items {
            let hash = self.hash(&item)?;
            if self.find_key(&dict, hash, &item)?.is_none() {
                dict.append(hash, item, Value::None);
            }
        }
        Ok(Value::set(dict, frozen))
    }

    #[cold]
    fn bad_operands(&mut self, op: BinaryOp, a: &Value, b: &Value) -> Raised {
        let (x, y) = (self.type_name(a), self.type_name(b));
        if op == BinaryOp::Add && x == "str" {
            let text = format!("can only concatenate str (not \"{y}\") to str");
            return Raised::type_error(text).hint("convert it with str(), or use an f-string");
        }
        if op == BinaryOp::Add && (x == "list" || x == "tuple") {
            return Raised::type_error(format!("can only concatenate {x} (not \"{y}\") to {x}"));
        }
        if op == BinaryOp::Mul && matches!(a, Value::Str(_) | Value::List(_) | Value::Tuple(_)) {
            return Raised::type_error(format!("can't multiply sequence by non-int of type '{y}'"));
        }
        let sign = match op {
            BinaryOp::Pow => "** or pow()",
            other => other.sign(),
        };
        let raised = Raised::type_error(format!("unsupported operand type(s) for {sign}: '{x}' and '{y}'"));
        let register = "VirtualRegister";
        match x == register || y == register {
            true => raised.hint(
                "a register has its value on the device only: compute with integers of range(), or in a tile and then nisa.register_load",
            ),
            false => raised.hint("convert one of them first, or check where the value comes from"),
        }
    }
}

/// The content of an instance of a subclass of a built-in type.
fn unwrapped(value: &Value) -> &Value {
    match value {
        Value::Instance(instance) => instance.base.as_ref().unwrap_or(value),
        other => other,
    }
}

/// Whether `X | Y` makes a union of types.
fn is_type_like(value: &Value) -> bool {
    match value {
        Value::Class(_) | Value::None => true,
        Value::Tuple(items) => !items.is_empty() && items.iter().all(is_type_like),
        _ => false,
    }
}

fn types_of(value: &Value) -> Vec<Value> {
    match value {
        Value::Tuple(items) => items.to_vec(),
        other => vec![other.clone()],
    }
}
