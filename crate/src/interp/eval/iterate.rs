//! Iteration and length.

use std::cell::RefCell;
use std::rc::Rc;

use crate::interp::Interp;
use crate::interp::contents::Contents;
use crate::interp::dict::Dict;
use crate::interp::native::{Items, PyIterator};
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::value::{IteratorObject, Range, Value};

/// Counts along a range.
struct RangeItems {
    range: Range,
    at: usize,
    len: usize,
}

impl PyIterator for RangeItems {
    fn next(&mut self, _cx: &mut Interp) -> Result<Option<Value>> {
        if self.at >= self.len {
            return Ok(None);
        }
        self.at += 1;
        Ok(Some(Value::Int(self.range.at(self.at - 1))))
    }

    fn remaining(&self) -> Option<usize> {
        Some(self.len - self.at)
    }
}

/// Reads a list as it is at each step.
struct ListItems {
    list: Rc<RefCell<Contents>>,
    at: usize,
}

impl PyIterator for ListItems {
    fn next(&mut self, _cx: &mut Interp) -> Result<Option<Value>> {
        let item = self.list.borrow().get(self.at).cloned();
        self.at += 1;
        Ok(item)
    }
}

/// Keys of a dictionary; notices when it changes its size.
struct DictKeys {
    dict: Rc<RefCell<Dict>>,
    at: u32,
    len: usize,
}

impl PyIterator for DictKeys {
    fn next(&mut self, _cx: &mut Interp) -> Result<Option<Value>> {
        let dict = self.dict.borrow();
        if dict.len() != self.len {
            return Err(
                Raised::new(Exception::RuntimeError, "dictionary changed size during iteration")
                    .hint("iterate over a copy: for key in list(d):"),
            );
        }
        let Some(at) = dict.next_from(self.at) else {
            return Ok(None);
        };
        self.at = at + 1;
        Ok(dict.entry(at).map(|entry| entry.key.clone()))
    }
}

/// Characters of a string.
struct Characters {
    text: Rc<str>,
    at: usize,
}

impl PyIterator for Characters {
    fn next(&mut self, _cx: &mut Interp) -> Result<Option<Value>> {
        let Some(letter) = self.text[self.at..].chars().next() else {
            return Ok(None);
        };
        self.at += letter.len_utf8();
        Ok(Some(Value::from(letter.to_string())))
    }
}

/// An iterator object that a script holds.
struct Shared(Rc<IteratorObject>);

impl PyIterator for Shared {
    fn next(&mut self, cx: &mut Interp) -> Result<Option<Value>> {
        match self.0.state.try_borrow_mut() {
            Ok(mut state) => state.next(cx),
            Err(_) => Err(Raised::value_error("generator already executing")),
        }
    }

    fn abandon(&mut self, cx: &mut Interp, raised: bool) -> Result<()> {
        self.0
            .state
            .try_borrow_mut()
            .map_or(Ok(()), |mut state| state.abandon(cx, raised))
    }

    fn result(&self) -> Value {
        self.0.state.try_borrow().map_or(Value::None, |state| state.result())
    }

    fn remaining(&self) -> Option<usize> {
        self.0.state.try_borrow().ok().and_then(|state| state.remaining())
    }
}

/// An instance with `__next__`.
struct ByNext(Value);

impl PyIterator for ByNext {
    fn next(&mut self, cx: &mut Interp) -> Result<Option<Value>> {
        match cx.call_special(&self.0, "__next__", Vec::new()) {
            Ok(Some(value)) => Ok(Some(value)),
            Ok(None) => Err(Raised::type_error("iter() returned a non-iterator")),
            Err(raised) => cx.stop_or_raise(raised),
        }
    }
}

/// An object with `__getitem__` only.
struct ByIndex {
    object: Value,
    at: i64,
}

impl PyIterator for ByIndex {
    fn next(&mut self, cx: &mut Interp) -> Result<Option<Value>> {
        self.at += 1;
        match cx.getitem(&self.object, &Value::Int(self.at - 1)) {
            Ok(value) => Ok(Some(value)),
            Err(mut raised) if !raised.is_signal() => {
                let object = cx.exception_object(&mut raised)?;
                let class = Value::Class(Rc::clone(&cx.exceptions[Exception::IndexError as usize]));
                if cx.is_instance(&object, &class)? {
                    Ok(None)
                } else {
                    Err(raised)
                }
            }
            Err(raised) => Err(raised),
        }
    }
}

impl Interp {
    /// `iter(value)`.
    pub fn iter(&mut self, value: &Value) -> Result<Box<dyn PyIterator>> {
        Ok(match value {
            Value::Range(range) => Box::new(RangeItems {
                range: **range,
                at: 0,
                len: range.len(),
            }),
            Value::List(list) => Box::new(ListItems {
                list: Rc::clone(list),
                at: 0,
            }),
            Value::Tuple(items) => Box::new(Items(Vec::from(&items[..]).into_iter())),
            Value::Dict(dict) => {
                let len = dict.borrow().len();
                Box::new(DictKeys {
                    dict: Rc::clone(dict),
                    at: 0,
                    len,
                })
            }
            Value::Set(set) => Box::new(Items(set.items.borrow().keys().into_iter())),
            Value::Str(text) => Box::new(Characters {
                text: Rc::clone(text),
                at: 0,
            }),
            Value::Iterator(iterator) => Box::new(Shared(Rc::clone(iterator))),
            Value::Class(class) if class.is_enum => Box::new(Items(self.enum_members(class).into_iter())),
            Value::Native(native) => match Rc::clone(native).iter(self)? {
                Some(iterator) => iterator,
                None => return Err(self.not_iterable(value)),
            },
            Value::Instance(instance) => {
                if let Some(iterator) = self.call_special(value, "__iter__", Vec::new())? {
                    return match &iterator {
                        Value::Instance(_) => Ok(Box::new(ByNext(iterator))),
                        Value::Iterator(iterator) => Ok(Box::new(Shared(Rc::clone(iterator)))),
                        other => self.iter(other),
                    };
                }
                if self.find_special(value, "__getitem__").is_some() {
                    return Ok(Box::new(ByIndex {
                        object: value.clone(),
                        at: 0,
                    }));
                }
                match &instance.base {
                    Some(base) => return self.iter(&base.clone()),
                    None => return Err(self.not_iterable(value)),
                }
            }
            Value::Unknown => return Err(Self::needs_value("iteration")),
            _ => return Err(self.not_iterable(value)),
        })
    }

    fn not_iterable(&mut self, value: &Value) -> Raised {
        let raised = Raised::type_error(format!("'{}' object is not iterable", self.type_name(value)));
        if matches!(value, Value::Int(_)) {
            raised.hint("use range(n) to count")
        } else {
            raised
        }
    }

    /// Turns `StopIteration` into the end of an iterator.
    pub(crate) fn stop_or_raise(&mut self, mut raised: Raised) -> Result<Option<Value>> {
        if raised.is_signal() {
            return Err(raised);
        }
        let object = self.exception_object(&mut raised)?;
        let class = Value::Class(Rc::clone(&self.exceptions[Exception::StopIteration as usize]));
        if self.is_instance(&object, &class)? {
            Ok(None)
        } else {
            Err(raised)
        }
    }

    /// `iter(value)` as a value.
    pub(crate) fn iterator_value(&mut self, value: &Value) -> Result<Value> {
        if let Value::Iterator(_) = value {
            return Ok(value.clone());
        }
        let name = match value {
            Value::List(_) => "list_iterator",
            Value::Tuple(_) => "tuple_iterator",
            Value::Range(_) => "range_iterator",
            Value::Dict(_) => "dict_keyiterator",
            _ => "iterator",
        };
        let state = self.iter(value)?;
        Ok(Value::Iterator(Rc::new(IteratorObject {
            type_name: name,
            state: RefCell::new(state),
        })))
    }

    /// All items of an iterable.
    pub fn collect(&mut self, value: &Value) -> Result<Vec<Value>> {
        match value {
            Value::Tuple(items) => return Ok(items.to_vec()),
            Value::List(items) => return Ok(items.borrow().to_vec()),
            Value::Range(range) => {
                self.check_items(range.len())?;
                self.step(range.len() as u64 / 16)?;
                return Ok((0..range.len()).map(|at| Value::Int(range.at(at))).collect());
            }
            _ => {}
        }
        let mut iterator = self.iter(value)?;
        let mut items = Vec::new();
        while let Some(item) = iterator.next(self)? {
            self.count_step()?;
            self.check_items(items.len())?;
            items.push(item);
        }
        Ok(items)
    }

    /// `len(value)`.
    pub fn len(&mut self, value: &Value) -> Result<usize> {
        match value {
            Value::Str(text) => Ok(if text.is_ascii() {
                text.len()
            } else {
                text.chars().count()
            }),
            Value::Tuple(items) => Ok(items.len()),
            Value::List(items) => Ok(items.borrow().len()),
            Value::Dict(dict) => Ok(dict.borrow().len()),
            Value::Set(set) => Ok(set.items.borrow().len()),
            Value::Range(range) => Ok(range.len()),
            Value::Class(class) if class.is_enum => Ok(self.enum_members(class).len()),
            Value::Native(native) => match Rc::clone(native).len(self)? {
                Some(length) => Ok(length),
                None => Err(self.no_length(value)),
            },
            Value::Instance(instance) => {
                if let Some(length) = self.call_special(value, "__len__", Vec::new())? {
                    let length = length.as_int().and_then(|length| usize::try_from(length).ok());
                    return length.ok_or_else(|| Raised::value_error("__len__() should return >= 0"));
                }
                match &instance.base {
                    Some(base) => self.len(&base.clone()),
                    None => Err(self.no_length(value)),
                }
            }
            _ => Err(self.no_length(value)),
        }
    }

    fn no_length(&mut self, value: &Value) -> Raised {
        Raised::type_error(format!("object of type '{}' has no len()", self.type_name(value)))
    }
}
