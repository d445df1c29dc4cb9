//! Subscripts.

use std::cell::RefCell;
use std::rc::Rc;

use crate::interp::Interp;
use crate::interp::contents::Contents;
use crate::interp::dict::Dict;
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::value::{Range, Slice, Value};

impl Interp {
    /// `object[index]`.
    pub fn getitem(&mut self, object: &Value, index: &Value) -> Result<Value> {
        match object {
            Value::List(list) => match index {
                Value::Slice(slice) => {
                    let items = list.borrow().clone();
                    self.sliced(&items, slice).map(Value::list)
                }
                _ => {
                    let length = list.borrow().len();
                    let at = self.position(index, length, "list")?;
                    Ok(list.borrow().get(at).cloned().unwrap_or(Value::None))
                }
            },
            Value::Tuple(items) => match index {
                Value::Slice(slice) => self.sliced(items, slice).map(Value::tuple),
                _ => Ok(items[self.position(index, items.len(), "tuple")?].clone()),
            },
            Value::Dict(dict) => match self.dict_get(dict, index)? {
                Some(value) => Ok(value),
                None => Err(self.no_key(dict, index)),
            },
            Value::Str(text) => self.index_str(text, index),
            Value::Range(range) => self.index_range(**range, index),
            Value::Native(native) => match Rc::clone(native).getitem(self, index)? {
                Some(value) => Ok(value),
                None => Err(self.not_subscriptable(object)),
            },
            Value::Instance(instance) => {
                if let Some(value) = self.call_special(object, "__getitem__", vec![index.clone()])? {
                    return Ok(value);
                }
                match &instance.base {
                    Some(Value::Dict(dict)) => match self.dict_get(dict, index)? {
                        Some(value) => Ok(value),
                        None => match self.call_special(object, "__missing__", vec![index.clone()])? {
                            Some(value) => Ok(value),
                            None => Err(self.no_key(dict, index)),
                        },
                    },
                    Some(base) => self.getitem(&base.clone(), index),
                    None => Err(self.not_subscriptable(object)),
                }
            }
            Value::Class(class) if class.is_enum => match index.as_str().and_then(|name| class.lookup(name)) {
                Some(member) => Ok(member),
                None => {
                    let key = self.repr(index)?;
                    Err(Raised::new(Exception::KeyError, key))
                }
            },
            Value::Class(class) => match class.lookup("__class_getitem__") {
                Some(function) => self.call_values(&function, vec![object.clone(), index.clone()]),
                None => Ok(object.clone()),
            },
            _ => Err(self.not_subscriptable(object)),
        }
    }

    fn not_subscriptable(&mut self, object: &Value) -> Raised {
        let raised = Raised::type_error(format!("'{}' object is not subscriptable", self.type_name(object)));
        match object {
            Value::Function(_) | Value::Builtin(_) | Value::Bound(_) => raised.hint("use ( ) to call it"),
            _ => raised,
        }
    }

    fn no_key(&mut self, dict: &Rc<RefCell<Dict>>, key: &Value) -> Raised {
        let text = self.repr(key).unwrap_or_default();
        let keys: Vec<String> = dict
            .borrow()
            .iter()
            .filter_map(|entry| entry.key.as_str().map(str::to_owned))
            .collect();
        let raised = Raised::new(Exception::KeyError, text);
        crate::interp::builtin::with_nearest(raised, key.as_str().unwrap_or(""), keys.iter().map(String::as_str))
    }

    /// The value of a key.
    pub(crate) fn dict_get(&mut self, dict: &Rc<RefCell<Dict>>, key: &Value) -> Result<Option<Value>> {
        let at = self.key_position(dict, key)?;
        Ok(at.and_then(|at| dict.borrow().entry(at).map(|entry| entry.value.clone())))
    }

    /// Whether a key exists.
    pub(crate) fn has_key(&mut self, dict: &Rc<RefCell<Dict>>, key: &Value) -> Result<bool> {
        Ok(self.key_position(dict, key)?.is_some())
    }

    /// The position of a key in a table that a script may change while keys are compared.
    pub(crate) fn key_position(&mut self, dict: &RefCell<Dict>, key: &Value) -> Result<Option<u32>> {
        let hash = self.hash(key)?;
        let candidates: Vec<(u32, Value)> = {
            let dict = dict.borrow();
            let entries = dict.candidates(hash).iter();
            entries
                .filter_map(|&at| dict.entry(at).map(|entry| (at, entry.key.clone())))
                .collect()
        };
        for (at, candidate) in candidates {
            if candidate.is(key) || self.equals(&candidate, key)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Sets a key of a dictionary.
    pub(crate) fn dict_insert(&mut self, dict: &RefCell<Dict>, key: Value, value: Value) -> Result<()> {
        match self.key_position(dict, &key)? {
            Some(at) => dict.borrow_mut().set_value(at, value),
            None => {
                let hash = self.hash(&key)?;
                self.check_items(dict.borrow().len())?;
                dict.borrow_mut().append(hash, key, value);
            }
        }
        Ok(())
    }

    /// The position that an index names in a sequence of `length` items.
    pub(crate) fn position(&mut self, index: &Value, length: usize, what: &str) -> Result<usize> {
        let Some(number) = self.index_number(index)? else {
            let kind = self.type_name(index);
            return Err(Raised::type_error(format!(
                "{what} indices must be integers or slices, not {kind}"
            )));
        };
        let at = if number < 0 { number + length as i64 } else { number };
        match usize::try_from(at) {
            Ok(at) if at < length => Ok(at),
            _ => {
                let text = format!("{what} index out of range");
                Err(Raised::index_error(text).hint(format!("the index is {number}, the length is {length}")))
            }
        }
    }

    /// The integer that an index is, also by `__index__`; `None` if it is none.
    pub(crate) fn index_number(&mut self, index: &Value) -> Result<Option<i64>> {
        if let Some(number) = index.as_int() {
            return Ok(Some(number));
        }
        match index {
            Value::Unknown => Err(Self::needs_value("an index")),
            Value::Big(number) => Ok(Some(if number.sign() == num_bigint::Sign::Minus {
                i64::MIN / 2
            } else {
                i64::MAX
            })),
            Value::Native(native) => match Rc::clone(native).number(self)? {
                Some(Value::Int(number)) => Ok(Some(number)),
                Some(Value::Unknown) => Err(Self::needs_value("an index")),
                _ => Ok(None),
            },
            Value::Instance(_) => Ok(self
                .call_special(index, "__index__", Vec::new())?
                .and_then(|number| number.as_int())),
            _ => Ok(None),
        }
    }

    /// Start, stop and step of a slice of a sequence of `length` items, as `slice.indices` gives them.
    pub fn slice_indices(&mut self, slice: &Slice, length: usize) -> Result<(i64, i64, i64)> {
        let length = length as i64;
        let mut part = |value: &Value| -> Result<Option<i64>> {
            if value.is_none() {
                return Ok(None);
            }
            match self.index_number(value)? {
                Some(number) => Ok(Some(number)),
                None => Err(Raised::type_error(
                    "slice indices must be integers or None or have an __index__ method",
                )),
            }
        };
        let step = part(&slice.step)?.unwrap_or(1);
        if step == 0 {
            return Err(Raised::value_error("slice step cannot be zero"));
        }
        let (low, high) = if step > 0 { (0, length) } else { (-1, length - 1) };
        let clamp = |number: i64| {
            let number = if number < 0 {
                number.saturating_add(length)
            } else {
                number
            };
            number.clamp(low, high)
        };
        let start = part(&slice.start)?.map_or(if step > 0 { low } else { high }, clamp);
        let stop = part(&slice.stop)?.map_or(if step > 0 { high } else { low }, clamp);
        Ok((start, stop, step))
    }

    fn sliced(&mut self, items: &[Value], slice: &Slice) -> Result<Vec<Value>> {
        let (start, stop, step) = self.slice_indices(slice, items.len())?;
        let range = Range { start, stop, step };
        self.step(range.len() as u64 / 16)?;
        Ok((0..range.len())
            .map(|at| items[range.at(at) as usize].clone())
            .collect())
    }

    fn index_str(&mut self, text: &Rc<str>, index: &Value) -> Result<Value> {
        if text.is_ascii() && !matches!(index, Value::Slice(_)) {
            let at = self.position(index, text.len(), "string")?;
            return Ok(Value::from(&text[at..at + 1]));
        }
        let letters: Vec<char> = text.chars().collect();
        self.step(letters.len() as u64 / 16)?;
        match index {
            Value::Slice(slice) => {
                let (start, stop, step) = self.slice_indices(slice, letters.len())?;
                let range = Range { start, stop, step };
                let out: String = (0..range.len()).map(|at| letters[range.at(at) as usize]).collect();
                Ok(Value::from(out))
            }
            _ => Ok(Value::from(
                letters[self.position(index, letters.len(), "string")?].to_string(),
            )),
        }
    }

    fn index_range(&mut self, range: Range, index: &Value) -> Result<Value> {
        match index {
            Value::Slice(slice) => {
                let (start, stop, step) = self.slice_indices(slice, range.len())?;
                let inner = Range {
                    start: range.start + start * range.step,
                    stop: range.start + stop * range.step,
                    step: step.saturating_mul(range.step),
                };
                Ok(Value::Range(Rc::new(inner)))
            }
            _ => Ok(Value::Int(range.at(self.position(
                index,
                range.len(),
                "range object",
            )?))),
        }
    }

    /// `object[index] = value`.
    pub fn setitem(&mut self, object: &Value, index: &Value, value: Value) -> Result<()> {
        match object {
            Value::List(list) => match index {
                Value::Slice(slice) => self.set_slice(list, slice, &value),
                _ => {
                    let length = list.borrow().len();
                    let at = self.position(index, length, "list assignment")?;
                    // `__index__` of a script may have shortened the list meanwhile.
                    if let Some(item) = list.borrow_mut().get_mut(at) {
                        *item = value;
                    }
                    Ok(())
                }
            },
            Value::Dict(dict) => self.dict_insert(dict, index.clone(), value),
            Value::Native(native) if Rc::clone(native).setitem(self, index, &value)? => Ok(()),
            Value::Instance(instance) => {
                let args = vec![index.clone(), value.clone()];
                if self.call_special(object, "__setitem__", args)?.is_some() {
                    return Ok(());
                }
                match &instance.base {
                    Some(base) => self.setitem(&base.clone(), index, value),
                    None => Err(self.no_assignment(object)),
                }
            }
            _ => Err(self.no_assignment(object)),
        }
    }

    fn no_assignment(&mut self, object: &Value) -> Raised {
        let raised = Raised::type_error(format!(
            "'{}' object does not support item assignment",
            self.type_name(object)
        ));
        if matches!(object, Value::Tuple(_)) {
            raised.hint("use a list, which can change")
        } else {
            raised
        }
    }

    fn set_slice(&mut self, list: &Rc<RefCell<Contents>>, slice: &Slice, value: &Value) -> Result<()> {
        let items = self.collect(value)?;
        let length = list.borrow().len();
        let (start, stop, step) = self.slice_indices(slice, length)?;
        let range = Range { start, stop, step };
        if step == 1 {
            let mut list = list.borrow_mut();
            let end = (stop.max(start) as usize).min(list.len());
            list.splice((start as usize).min(end)..end, items);
            return Ok(());
        }
        if items.len() != range.len() {
            let text = format!(
                "attempt to assign sequence of size {} to extended slice of size {}",
                items.len(),
                range.len()
            );
            return Err(Raised::value_error(text));
        }
        for (at, item) in items.into_iter().enumerate() {
            if let Some(old) = list.borrow_mut().get_mut(range.at(at) as usize) {
                *old = item;
            }
        }
        Ok(())
    }

    /// `del object[index]`.
    pub(crate) fn delitem(&mut self, object: &Value, index: &Value) -> Result<()> {
        match object {
            Value::List(list) => {
                let length = list.borrow().len();
                let Value::Slice(slice) = index else {
                    let at = self.position(index, length, "list")?;
                    if at < list.borrow().len() {
                        list.borrow_mut().remove(at);
                    }
                    return Ok(());
                };
                let (start, stop, step) = self.slice_indices(slice, length)?;
                let range = Range { start, stop, step };
                let mut gone: Vec<usize> = (0..range.len()).map(|at| range.at(at) as usize).collect();
                gone.sort_unstable();
                for at in gone.into_iter().rev() {
                    if at < list.borrow().len() {
                        list.borrow_mut().remove(at);
                    }
                }
                Ok(())
            }
            Value::Dict(dict) => match self.key_position(dict, index)? {
                Some(at) => {
                    dict.borrow_mut().remove_at(at);
                    Ok(())
                }
                None => Err(self.no_key(dict, index)),
            },
            Value::Instance(instance) => {
                if self.call_special(object, "__delitem__", vec![index.clone()])?.is_some() {
                    return Ok(());
                }
                match &instance.base {
                    Some(base) => self.delitem(&base.clone(), index),
                    None => Err(self.no_deletion(object)),
                }
            }
            _ => Err(self.no_deletion(object)),
        }
    }

    fn no_deletion(&mut self, object: &Value) -> Raised {
        Raised::type_error(format!(
            "'{}' object doesn't support item deletion",
            self.type_name(object)
        ))
    }
}
