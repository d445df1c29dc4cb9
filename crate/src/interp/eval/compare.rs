//! Comparison, truth, equality and hashing.

use std::cmp::Ordering;
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};

use super::number::Number;
use crate::interp::dict::hash_str;
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::value::Value;
use crate::interp::{Interp, OnUnknown};
use crate::numerics::math::double;
use crate::syntax::ast::CompareOp;

impl Interp {
    /// `bool(value)`; an unknown value suspends the run.
    pub fn truth(&mut self, value: &Value) -> Result<bool> {
        match value {
            Value::Bool(truth) => Ok(*truth),
            _ => self
                .truth_value(value)?
                .ok_or_else(|| Self::needs_value("this condition")),
        }
    }

    /// `bool(value)`, or `None` if it is not computed.
    pub fn truth_value(&mut self, value: &Value) -> Result<Option<bool>> {
        Ok(Some(match value {
            Value::None => false,
            Value::Bool(truth) => *truth,
            Value::Int(number) => *number != 0,
            Value::Float(number) => *number != 0.0,
            Value::Str(text) => !text.is_empty(),
            Value::Tuple(items) => !items.is_empty(),
            Value::List(items) => !items.borrow().is_empty(),
            Value::Dict(dict) => !dict.borrow().is_empty(),
            Value::Set(set) => !set.items.borrow().is_empty(),
            Value::Range(range) => !range.is_empty(),
            Value::Unknown => return Ok(None),
            Value::Native(object) => match Rc::clone(object).truth(self)? {
                Value::Unknown => return Ok(None),
                answer => return self.truth_value(&answer),
            },
            Value::Instance(_) => return self.instance_truth(value),
            _ => true,
        }))
    }

    fn instance_truth(&mut self, value: &Value) -> Result<Option<bool>> {
        if let Some(answer) = self.call_special(value, "__bool__", Vec::new())? {
            return match answer {
                Value::Bool(truth) => Ok(Some(truth)),
                Value::Unknown => Ok(None),
                other => {
                    let kind = self.type_name(&other);
                    Err(Raised::type_error(format!(
                        "__bool__ should return bool, returned {kind}"
                    )))
                }
            };
        }
        if let Some(length) = self.call_special(value, "__len__", Vec::new())? {
            return self.truth_value(&length);
        }
        match value {
            Value::Instance(instance) => match &instance.base {
                Some(base) => self.truth_value(&base.clone()),
                None => Ok(Some(true)),
            },
            _ => Ok(Some(true)),
        }
    }

    /// `a op b`.
    pub fn compare(&mut self, op: CompareOp, a: &Value, b: &Value) -> Result<Value> {
        match op {
            CompareOp::Is => return Ok(Value::Bool(a.is(b))),
            CompareOp::IsNot => return Ok(Value::Bool(!a.is(b))),
            CompareOp::In => return self.contains(b, a),
            CompareOp::NotIn => {
                let answer = self.contains(b, a)?;
                return Ok(self
                    .truth_value(&answer)?
                    .map_or(Value::Unknown, |found| Value::Bool(!found)));
            }
            _ => {}
        }
        if let (Value::Int(x), Value::Int(y)) = (a, b) {
            return Ok(Value::Bool(holds(op, x.cmp(y))));
        }
        if let Some(value) = self.compare_native(op, a, b)? {
            return Ok(value);
        }
        if let Some(value) = self.compare_special(op, a, b)? {
            return Ok(value);
        }
        if matches!(a, Value::Unknown) || matches!(b, Value::Unknown) {
            return Ok(Value::Unknown);
        }
        match op {
            CompareOp::Eq => self.same(a, b).map(Value::Bool),
            CompareOp::Ne => self.same(a, b).map(|same| Value::Bool(!same)),
            _ => self.order(op, a, b),
        }
    }

    fn compare_native(&mut self, op: CompareOp, a: &Value, b: &Value) -> Result<Option<Value>> {
        if let Value::Native(object) = a
            && let Some(value) = Rc::clone(object).compare(self, op, b)?
        {
            return Ok(Some(value));
        }
        if let Value::Native(object) = b
            && let Some(value) = Rc::clone(object).compare(self, op.reflected(), a)?
        {
            return Ok(Some(value));
        }
        Ok(None)
    }

    fn compare_special(&mut self, op: CompareOp, a: &Value, b: &Value) -> Result<Option<Value>> {
        if !matches!(a, Value::Instance(_)) && !matches!(b, Value::Instance(_)) {
            return Ok(None);
        }
        for (left, right, op) in [(a, b, op), (b, a, op.reflected())] {
            if let Some(value) = self.call_special(left, op.method(), vec![right.clone()])?
                && !matches!(value, Value::NotImplemented)
            {
                return Ok(Some(value));
            }
            if op == CompareOp::Ne
                && let Some(value) = self.call_special(left, "__eq__", vec![right.clone()])?
                && !matches!(value, Value::NotImplemented)
            {
                return Ok(Some(
                    self.truth_value(&value)?
                        .map_or(Value::Unknown, |same| Value::Bool(!same)),
                ));
            }
        }
        self.compare_dataclass(op, a, b)
    }

    /// `a == b` as a truth; an unknown answer suspends the run.
    pub fn equals(&mut self, a: &Value, b: &Value) -> Result<bool> {
        if let (Value::Str(x), Value::Str(y)) = (a, b) {
            return Ok(x == y);
        }
        let answer = self.compare(CompareOp::Eq, a, b)?;
        self.truth(&answer)
    }

    /// Equality of built-in types.
    fn same(&mut self, a: &Value, b: &Value) -> Result<bool> {
        if let (Some(x), Some(y)) = (Number::of(a), Number::of(b)) {
            return Ok(compare_numbers(&x, &y) == Some(Ordering::Equal));
        }
        match (a, b) {
            (Value::Str(x), Value::Str(y)) => Ok(x == y),
            (Value::Tuple(x), Value::Tuple(y)) => self.same_items(x, y),
            (Value::List(x), Value::List(y)) => {
                let (x, y) = (x.borrow().clone(), y.borrow().clone());
                self.same_items(&x, &y)
            }
            (Value::Dict(x), Value::Dict(y)) => {
                let (x, y) = (x.borrow().clone(), y.borrow().clone());
                if x.len() != y.len() {
                    return Ok(false);
                }
                for entry in x.iter() {
                    let Some(at) = self.find_key(&y, entry.hash, &entry.key)? else {
                        return Ok(false);
                    };
                    let other = y.entry(at).map_or(Value::None, |entry| entry.value.clone());
                    if !self.same_or_equal(&entry.value, &other)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Value::Set(x), Value::Set(y)) => {
                let (x, y) = (x.items.borrow().clone(), y.items.borrow().clone());
                Ok(x.len() == y.len() && self.is_subset(&x, &y)?)
            }
            (Value::Range(x), Value::Range(y)) => {
                let same_step = x.len() <= 1 || x.step == y.step;
                Ok(x.len() == y.len() && (x.is_empty() || (x.start == y.start && same_step)))
            }
            (Value::Slice(x), Value::Slice(y)) => Ok(self.equals(&x.start, &y.start)?
                && self.equals(&x.stop, &y.stop)?
                && self.equals(&x.step, &y.step)?),
            (Value::Bound(x), Value::Bound(y)) => Ok(x.receiver.is(&y.receiver) && x.function.is(&y.function)),
            (Value::Instance(x), _) if x.base.is_some() => self.same(&x.base.clone().unwrap_or(Value::None), b),
            (_, Value::Instance(y)) if y.base.is_some() => self.same(a, &y.base.clone().unwrap_or(Value::None)),
            (Value::Native(x), Value::Native(y)) => Ok(a.is(b) || x.key().is_some_and(|key| Some(key) == y.key())),
            _ => Ok(a.is(b)),
        }
    }

    fn same_or_equal(&mut self, a: &Value, b: &Value) -> Result<bool> {
        Ok(a.is(b) || self.equals(a, b)?)
    }

    fn same_items(&mut self, x: &[Value], y: &[Value]) -> Result<bool> {
        if x.len() != y.len() {
            return Ok(false);
        }
        self.descend()?;
        let same = self.same_pairs(x, y);
        self.depth -= 1;
        same
    }

    fn same_pairs(&mut self, x: &[Value], y: &[Value]) -> Result<bool> {
        for (x, y) in x.iter().zip(y) {
            self.count_step()?;
            if !self.same_or_equal(x, y)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn is_subset(&mut self, a: &crate::interp::dict::Dict, b: &crate::interp::dict::Dict) -> Result<bool> {
        for entry in a.iter() {
            if self.find_key(b, entry.hash, &entry.key)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `<`, `<=`, `>`, `>=` of built-in types.
    fn order(&mut self, op: CompareOp, a: &Value, b: &Value) -> Result<Value> {
        if let (Some(x), Some(y)) = (Number::of(a), Number::of(b)) {
            let ordering = compare_numbers(&x, &y);
            return Ok(Value::Bool(ordering.is_some_and(|ordering| holds(op, ordering))));
        }
        match (a, b) {
            (Value::Str(x), Value::Str(y)) => return Ok(Value::Bool(holds(op, x.cmp(y)))),
            (Value::Set(x), Value::Set(y)) => {
                let (x, y) = (x.items.borrow().clone(), y.items.borrow().clone());
                let answer = match op {
                    CompareOp::Le => self.is_subset(&x, &y)?,
                    CompareOp::Lt => x.len() < y.len() && self.is_subset(&x, &y)?,
                    CompareOp::Ge => self.is_subset(&y, &x)?,
                    _ => y.len() < x.len() && self.is_subset(&y, &x)?,
                };
                return Ok(Value::Bool(answer));
            }
            _ => {}
        }
        let same_kind = a.tag() == b.tag() || matches!((a, b), (Value::Instance(_), _) | (_, Value::Instance(_)));
        if same_kind && let (Some(x), Some(y)) = (a.as_items(), b.as_items()) {
            return self.order_items(op, &x, &y);
        }
        let (x, y) = (self.type_name(a), self.type_name(b));
        Err(Raised::type_error(format!(
            "'{}' not supported between instances of '{x}' and '{y}'",
            op.sign()
        )))
    }

    fn order_items(&mut self, op: CompareOp, x: &[Value], y: &[Value]) -> Result<Value> {
        for (x, y) in x.iter().zip(y) {
            if !self.same_or_equal(x, y)? {
                return self.compare(op, x, y);
            }
        }
        Ok(Value::Bool(holds(op, x.len().cmp(&y.len()))))
    }

    /// `item in container`.
    pub fn contains(&mut self, container: &Value, item: &Value) -> Result<Value> {
        match container {
            Value::Str(text) => match item.as_str() {
                Some(part) => Ok(Value::Bool(text.contains(part))),
                None => {
                    let kind = self.type_name(item);
                    let text = format!("'in <string>' requires string as left operand, not {kind}");
                    Err(Raised::type_error(text))
                }
            },
            Value::Dict(dict) => self.has_key(dict, item).map(Value::Bool),
            Value::Set(set) => Ok(Value::Bool(self.key_position(&set.items, item)?.is_some())),
            Value::Range(range) if item.as_int().is_some() => {
                let number = item.as_int().unwrap_or(0);
                let offset = i128::from(number) - i128::from(range.start);
                let step = i128::from(range.step);
                Ok(Value::Bool(
                    offset % step == 0 && offset / step >= 0 && offset / step < range.len() as i128,
                ))
            }
            Value::Native(object) => match Rc::clone(object).contains(self, item)? {
                Some(answer) => Ok(answer),
                None => self.contains_by_iteration(container, item),
            },
            Value::Instance(instance) => {
                if let Some(answer) = self.call_special(container, "__contains__", vec![item.clone()])? {
                    return Ok(self.truth_value(&answer)?.map_or(Value::Unknown, Value::Bool));
                }
                match &instance.base {
                    Some(base) => self.contains(&base.clone(), item),
                    None => self.contains_by_iteration(container, item),
                }
            }
            _ => self.contains_by_iteration(container, item),
        }
    }

    fn contains_by_iteration(&mut self, container: &Value, item: &Value) -> Result<Value> {
        let mut iterator = self
            .iter(container)
            .map_err(|raised| match raised.is(Exception::TypeError) {
                true => Raised::type_error(format!(
                    "argument of type '{}' is not iterable",
                    self.type_name(container)
                )),
                false => raised,
            })?;
        while let Some(value) = iterator.next(self)? {
            self.count_step()?;
            if self.same_or_equal(&value, item)? {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }

    /// `hash(value)`: equal values have equal hashes.
    pub fn hash(&mut self, value: &Value) -> Result<u64> {
        const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
        Ok(match value {
            Value::Str(text) => hash_str(text),
            Value::Int(number) => (*number as u64).wrapping_mul(MIX),
            Value::Bool(truth) => u64::from(*truth).wrapping_mul(MIX),
            Value::Float(number) => hash_float(*number, MIX),
            Value::Big(number) => number
                .iter_u64_digits()
                .fold(7, |hash, digit| (hash ^ digit).wrapping_mul(MIX)),
            Value::Tuple(items) => self.hash_items(items)?,
            Value::Set(set) if set.frozen => set
                .items
                .borrow()
                .iter()
                .fold(11, |hash: u64, entry| hash.wrapping_add(entry.hash)),
            Value::Range(range) => (range.start as u64 ^ range.stop as u64).wrapping_mul(MIX) ^ range.step as u64,
            Value::Native(object) => match object.key() {
                Some(key) => hash_str(&key),
                None => value.address().unwrap_or(0) as u64,
            },
            Value::Instance(_) => return self.hash_instance(value),
            Value::List(_) | Value::Dict(_) | Value::Set(_) | Value::Slice(_) => {
                let text = format!("unhashable type: '{}'", self.type_name(value));
                return Err(Raised::type_error(text).hint("use a tuple, which cannot change"));
            }
            Value::Unknown => return Err(Self::needs_value("a key")),
            Value::Builtin(builtin) => hash_str(builtin.name),
            Value::Module(id) => u64::from(id.0),
            other => other.address().unwrap_or(other.tag() as usize) as u64,
        })
    }

    fn hash_items(&mut self, items: &[Value]) -> Result<u64> {
        self.descend()?;
        let hash = items.iter().try_fold(0x0034_5678_u64, |hash, item| {
            Ok((hash.rotate_left(5) ^ self.hash(item)?).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        });
        self.depth -= 1;
        hash
    }

    fn hash_instance(&mut self, value: &Value) -> Result<u64> {
        let Value::Instance(instance) = value else { return Ok(0) };
        if let Some(answer) = self.call_special(value, "__hash__", Vec::new())? {
            let number = answer
                .as_int()
                .ok_or_else(|| Raised::type_error("__hash__ method should return an integer"))?;
            return Ok(number as u64);
        }
        if let Some(data) = self.dataclass_of(&instance.class)
            && data.eq
        {
            if !data.frozen {
                let name = &instance.class.name;
                let text = format!("unhashable type: '{name}'");
                return Err(Raised::type_error(text).hint("declare it with @dataclass(frozen=True)"));
            }
            let fields = self.field_values(instance, &data);
            return self.hash_items(&fields);
        }
        if instance.class.lookup("__eq__").is_some() {
            return Err(Raised::type_error(format!(
                "unhashable type: '{}'",
                instance.class.name
            )));
        }
        match &instance.base {
            Some(base) => self.hash(&base.clone()),
            _ => Ok(value.address().unwrap_or(0) as u64),
        }
    }

    /// Suspends the run if text of unknown values is not wanted.
    pub(crate) fn unknown_text(&self) -> Result<String> {
        match self.on_unknown {
            OnUnknown::Skip => Ok("?".to_owned()),
            OnUnknown::Suspend => Err(Self::needs_value("text")),
        }
    }
}

fn hash_float(number: f64, mix: u64) -> u64 {
    if number == double::trunc(number) && number.abs() < 9.2e18 {
        return (number as i64 as u64).wrapping_mul(mix);
    }
    match BigInt::from_f64(number) {
        Some(big) if number == double::trunc(number) => big
            .iter_u64_digits()
            .fold(7, |hash, digit| (hash ^ digit).wrapping_mul(mix)),
        _ => number.to_bits().wrapping_mul(mix),
    }
}

/// Whether an ordering satisfies an operator.
fn holds(op: CompareOp, ordering: Ordering) -> bool {
    match op {
        CompareOp::Eq => ordering == Ordering::Equal,
        CompareOp::Ne => ordering != Ordering::Equal,
        CompareOp::Lt => ordering == Ordering::Less,
        CompareOp::Le => ordering != Ordering::Greater,
        CompareOp::Gt => ordering == Ordering::Greater,
        CompareOp::Ge => ordering != Ordering::Less,
        CompareOp::Is | CompareOp::IsNot | CompareOp::In | CompareOp::NotIn => false,
    }
}

/// Exact comparison, also between integers and floats; `None` with NaN.
fn compare_numbers(a: &Number, b: &Number) -> Option<Ordering> {
    match (a, b) {
        (Number::Int(x), Number::Int(y)) => Some(x.cmp(y)),
        (Number::Float(x), Number::Float(y)) => x.partial_cmp(y),
        (Number::Big(x), Number::Big(y)) => Some(x.cmp(y)),
        (Number::Float(x), _) => compare_numbers(b, &Number::Float(*x)).map(Ordering::reverse),
        (Number::Int(x), Number::Float(y)) if x.unsigned_abs() < 1 << 53 => (*x as f64).partial_cmp(y),
        (Number::Int(x), other) => compare_numbers(&Number::Big(Rc::new(BigInt::from(*x))), other),
        (Number::Big(x), Number::Int(y)) => Some((**x).cmp(&BigInt::from(*y))),
        (Number::Big(x), Number::Float(y)) => match BigInt::from_f64(double::floor(*y)) {
            Some(whole) => Some((**x).cmp(&whole).then(if double::floor(*y) == *y {
                Ordering::Equal
            } else {
                Ordering::Less
            })),
            None if y.is_nan() => None,
            None => x.to_f64().and_then(|x| x.partial_cmp(y)),
        },
    }
}
