//! The items of a list or tuple, and the end of values that contain values.
//!
//! Rust drops nested data by recursion, so a script that nests lists a million deep would overflow the stack when they
//! go. Everything a script can nest goes through [`take_apart`] instead, which works down a list of its own.

use std::mem;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use crate::interp::value::Value;

/// The items of a list or tuple.
#[derive(Clone, Default)]
pub struct Contents(Vec<Value>);

impl Contents {
    /// The items alone.
    pub fn into_vec(mut self) -> Vec<Value> {
        mem::take(&mut self.0)
    }
}

impl Deref for Contents {
    type Target = Vec<Value>;

    fn deref(&self) -> &Vec<Value> {
        &self.0
    }
}

impl DerefMut for Contents {
    fn deref_mut(&mut self) -> &mut Vec<Value> {
        &mut self.0
    }
}

impl From<Vec<Value>> for Contents {
    fn from(items: Vec<Value>) -> Self {
        Self(items)
    }
}

impl Drop for Contents {
    fn drop(&mut self) {
        if self.0.iter().any(Value::nests) {
            take_apart(mem::take(&mut self.0));
        }
    }
}

/// Drops values and everything that only they hold, without recursion.
pub fn take_apart(mut values: Vec<Value>) {
    while let Some(value) = values.pop() {
        match value {
            Value::List(list) => values.extend(
                Rc::into_inner(list)
                    .map(|list| list.into_inner().into_vec())
                    .unwrap_or_default(),
            ),
            Value::Tuple(items) => values.extend(Rc::into_inner(items).map(Contents::into_vec).unwrap_or_default()),
            Value::Dict(dict) => values.extend(
                Rc::into_inner(dict)
                    .map(|dict| dict.into_inner().take_values())
                    .unwrap_or_default(),
            ),
            Value::Set(set) => values.extend(
                Rc::into_inner(set)
                    .map(|set| set.items.into_inner().take_values())
                    .unwrap_or_default(),
            ),
            Value::Instance(instance) => {
                if let Some(instance) = Rc::into_inner(instance) {
                    values.extend(instance.attrs.into_inner().take_values());
                    values.extend(instance.base);
                }
            }
            Value::Function(function) => {
                if let Some(mut function) = Rc::into_inner(function) {
                    values.extend(function.take_values());
                }
            }
            Value::Bound(bound) => {
                if let Some(mut bound) = Rc::into_inner(bound) {
                    values.extend(bound.take_values());
                }
            }
            _ => {}
        }
    }
}
