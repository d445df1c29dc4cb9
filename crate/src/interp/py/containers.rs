//! The methods of `list`, `tuple`, `dict`, `set` and `range`.
//!
//! A table or list is never borrowed while script code can run: comparisons, hashes and sort keys may call methods that
//! change the very container.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

use super::views::{Shown, View};
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::Args;
use crate::interp::contents::Contents;
use crate::interp::dict::{Dict, Entry};
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::value::{SetObject, Value};
use crate::syntax::ast::{BinaryOp, CompareOp};

builtin! {
    /// Methods of `list`; the first parameter of each is the list.
    pub LIST_METHODS;
    /// Adds an item at the end.
    "append" "(self, object, /)" => |cx, args| {
        let item = args.take(1);
        let list = list(args)?;
        cx.check_items(list.borrow().len() + 1)?;
        list.borrow_mut().push(item);
        Ok(Value::None)
    };
    /// Adds all items of an iterable at the end.
    "extend" "(self, iterable, /)" => |cx, args| {
        let items = cx.collect(args.value(1))?;
        let list = list(args)?;
        cx.check_items(list.borrow().len() + items.len())?;
        list.borrow_mut().extend(items);
        Ok(Value::None)
    };
    /// Adds an item before an index.
    "insert" "(self, index, object, /)" => |cx, args| {
        let (index, item) = (args.int(1)?, args.take(2));
        let list = list(args)?;
        let length = list.borrow().len();
        cx.check_items(length + 1)?;
        list.borrow_mut().insert(clamp(index, length), item);
        Ok(Value::None)
    };
    /// Removes and returns the item at an index, the last by default.
    "pop" "(self, index=-1, /)" => |_cx, args| {
        let index = args.int_or(1, -1)?;
        let list = list(args)?;
        let length = list.borrow().len() as i64;
        let at = if index < 0 { index + length } else { index };
        if length == 0 {
            return Err(Raised::index_error("pop from empty list"));
        }
        if !(0..length).contains(&at) {
            return Err(Raised::index_error("pop index out of range"));
        }
        let item = list.borrow_mut().remove(at as usize);
        Ok(item)
    };
    /// Removes the first item that equals a value.
    "remove" "(self, value, /)" => |cx, args| {
        let list = list(args)?;
        let found = find(cx, &list.borrow().clone(), args.value(1), 0)?;
        let at = found.ok_or_else(|| Raised::value_error("list.remove(x): x not in list"))?;
        if at < list.borrow().len() {
            list.borrow_mut().remove(at);
        }
        Ok(Value::None)
    };
    /// Removes all items.
    "clear" "(self, /)" => |_cx, args| {
        list(args)?.borrow_mut().clear();
        Ok(Value::None)
    };
    /// A new list with the same items.
    "copy" "(self, /)" => |_cx, args| Ok(Value::list(list(args)?.borrow().to_vec()));
    /// Reverses the order in place.
    "reverse" "(self, /)" => |_cx, args| {
        list(args)?.borrow_mut().reverse();
        Ok(Value::None)
    };
    /// Sorts in place; equal items keep their order.
    "sort" "(self, /, *, key=None, reverse=False)" => |cx, args| {
        let list = list(args)?;
        let items = list.borrow().to_vec();
        let sorted = sort(cx, items, args.some(1), args.truth_or(2, false)?)?;
        *list.borrow_mut() = sorted.into();
        Ok(Value::None)
    };
    /// The first index of a value.
    "index" "(self, value, start=0, stop=9223372036854775807, /)" => |cx, args| index(cx, args);
    /// How often a value occurs.
    "count" "(self, value, /)" => |cx, args| count(cx, args);
}

builtin! {
    /// Methods of `tuple`; the first parameter of each is the tuple.
    pub TUPLE_METHODS;
    /// The first index of a value.
    "index" "(self, value, start=0, stop=9223372036854775807, /)" => |cx, args| index(cx, args);
    /// How often a value occurs.
    "count" "(self, value, /)" => |cx, args| count(cx, args);
}

builtin! {
    /// Methods of `range`; the first parameter of each is the range.
    pub RANGE_METHODS;
    /// The index of a value.
    "index" "(self, value, /)" => |cx, args| {
        let items = cx.collect(args.value(0))?;
        let at = find(cx, &items, args.value(1), 0)?;
        at.map(Value::from).ok_or_else(|| Raised::value_error("the value is not in range"))
    };
    /// How often a value occurs: never or once.
    "count" "(self, value, /)" => |cx, args| {
        let held = cx.contains(args.value(0), args.value(1))?;
        Ok(Value::Int(i64::from(cx.truth(&held)?)))
    };
}

builtin! {
    /// Methods of `dict`; the first parameter of each is the dictionary.
    pub DICT_METHODS;
    /// The value of a key, or a default.
    "get" "(self, key, default=None, /)" => |cx, args| {
        let dict = dict(args)?;
        let found = lookup(cx, &dict, args.value(1))?;
        Ok(found.map_or_else(|| args.value(2).clone(), |(_, value)| value))
    };
    /// The keys.
    "keys" "(self, /)" => |_cx, args| Ok(View::value(dict(args)?, Shown::Keys));
    /// The values.
    "values" "(self, /)" => |_cx, args| Ok(View::value(dict(args)?, Shown::Values));
    /// Pairs of key and value.
    "items" "(self, /)" => |_cx, args| Ok(View::value(dict(args)?, Shown::Items));
    /// A dictionary with these keys and the same value for each.
    "fromkeys" "(iterable, value=None, /)" => |cx, args| {
        let mut dict = Dict::default();
        for key in cx.collect(args.value(0))? {
            cx.dict_set(&mut dict, key, args.value(1).clone())?;
        }
        Ok(Value::dict(dict))
    };
    /// Removes a key and returns its value, or a default.
    "pop" "(self, key, default=None, /)" => |cx, args| {
        let dict = dict(args)?;
        if let Some((at, value)) = lookup(cx, &dict, args.value(1))? {
            dict.borrow_mut().remove_at(at);
            return Ok(value);
        }
        match args.get(2) {
            Some(default) => Ok(default.clone()),
            None => Err(Raised::new(Exception::KeyError, cx.repr(args.value(1))?)),
        }
    };
    /// Removes and returns the pair that was added last.
    "popitem" "(self, /)" => |_cx, args| {
        let dict = dict(args)?;
        let last = dict.borrow().last();
        let entry = last.and_then(|at| dict.borrow_mut().remove_at(at));
        entry.as_ref().map(pair).ok_or_else(|| Raised::new(Exception::KeyError, "'popitem(): dictionary is empty'"))
    };
    /// The value of a key, which is added with a default if it is missing.
    "setdefault" "(self, key, default=None, /)" => |cx, args| {
        let dict = dict(args)?;
        if let Some((_, value)) = lookup(cx, &dict, args.value(1))? {
            return Ok(value);
        }
        let value = args.value(2).clone();
        insert(cx, &dict, args.value(1).clone(), value.clone())?;
        Ok(value)
    };
    /// Sets the keys of another mapping, of pairs and of keyword arguments.
    "update" "(self, other=None, /, **entries)" => |cx, args| {
        let dict = dict(args)?;
        let mut pairs = match args.some(1) {
            None => Vec::new(),
            Some(other) => pairs(cx, &other.clone())?,
        };
        pairs.extend(args.keywords().iter().map(|(name, arg)| (Value::Str(name.clone()), arg.value.clone())));
        for (key, value) in pairs {
            insert(cx, &dict, key, value)?;
        }
        Ok(Value::None)
    };
    /// Removes all keys.
    "clear" "(self, /)" => |_cx, args| {
        dict(args)?.borrow_mut().clear();
        Ok(Value::None)
    };
    /// A new dictionary with the same keys and values.
    "copy" "(self, /)" => |_cx, args| Ok(Value::dict(dict(args)?.borrow().clone()));
}

builtin! {
    /// Methods of `set` and `frozenset`; the first parameter of each is the set.
    pub SET_METHODS;
    /// Adds an item.
    "add" "(self, item, /)" => |cx, args| {
        let set = set(args, true)?;
        insert(cx, &set.items, args.value(1).clone(), Value::None)?;
        Ok(Value::None)
    };
    /// Removes an item that must be there.
    "remove" "(self, item, /)" => |cx, args| {
        if discard(cx, args)? {
            return Ok(Value::None);
        }
        Err(Raised::new(Exception::KeyError, cx.repr(args.value(1))?))
    };
    /// Removes an item if it is there.
    "discard" "(self, item, /)" => |cx, args| discard(cx, args).map(|_| Value::None);
    /// Removes and returns an item.
    "pop" "(self, /)" => |_cx, args| {
        let set = set(args, true)?;
        let first = set.items.borrow().next_from(0);
        let entry = first.and_then(|at| set.items.borrow_mut().remove_at(at));
        entry.map(|entry| entry.key).ok_or_else(|| Raised::new(Exception::KeyError, "'pop from an empty set'"))
    };
    /// Removes all items.
    "clear" "(self, /)" => |_cx, args| {
        set(args, true)?.items.borrow_mut().clear();
        Ok(Value::None)
    };
    /// A new set with the same items.
    "copy" "(self, /)" => |_cx, args| {
        let set = set(args, false)?;
        let items = set.items.borrow().clone();
        Ok(Value::set(items, set.frozen))
    };
    /// Adds the items of iterables.
    "update" "(self, *others)" => |cx, args| {
        let set = set(args, true)?;
        for other in args.rest().to_vec() {
            for item in cx.collect(&other.value)? {
                insert(cx, &set.items, item, Value::None)?;
            }
        }
        Ok(Value::None)
    };
    /// The items of this set and of iterables.
    "union" "(self, *others)" => |cx, args| combine(cx, args, BinaryOp::BitOr);
    /// The items that all have.
    "intersection" "(self, *others)" => |cx, args| combine(cx, args, BinaryOp::BitAnd);
    /// The items that only this set has.
    "difference" "(self, *others)" => |cx, args| combine(cx, args, BinaryOp::Sub);
    /// The items that exactly one has.
    "symmetric_difference" "(self, *others)" => |cx, args| combine(cx, args, BinaryOp::BitXor);
    /// Whether every item is in another set.
    "issubset" "(self, other, /)" => |cx, args| {
        let other = as_set(cx, args.value(1))?;
        cx.compare(CompareOp::Le, args.value(0), &other)
    };
    /// Whether every item of another set is in this one.
    "issuperset" "(self, other, /)" => |cx, args| {
        let other = as_set(cx, args.value(1))?;
        cx.compare(CompareOp::Ge, args.value(0), &other)
    };
    /// Whether no item is in both sets.
    "isdisjoint" "(self, other, /)" => |cx, args| {
        let other = as_set(cx, args.value(1))?;
        let both = cx.binary(BinaryOp::BitAnd, args.value(0), &other)?;
        Ok(Value::Bool(cx.len(&both)? == 0))
    };
}

/// The receiver as what it holds, also inside an instance of a subclass.
fn receiver(args: &Args) -> &Value {
    match args.value(0) {
        Value::Instance(instance) => instance.base.as_ref().unwrap_or(&Value::None),
        value => value,
    }
}

fn list(args: &Args) -> Result<Rc<RefCell<Contents>>> {
    match receiver(args) {
        Value::List(list) => Ok(Rc::clone(list)),
        _ => Err(args.wrong(0, "a list")),
    }
}

fn dict(args: &Args) -> Result<Rc<RefCell<Dict>>> {
    match receiver(args) {
        Value::Dict(dict) => Ok(Rc::clone(dict)),
        _ => Err(args.wrong(0, "a dict")),
    }
}

/// The set; methods that change it do not exist for frozen ones.
fn set(args: &Args, change: bool) -> Result<Rc<SetObject>> {
    match receiver(args) {
        Value::Set(set) if change && set.frozen => {
            let name = args.function();
            Err(Raised::attribute_error(format!(
                "'frozenset' object has no attribute '{name}'"
            )))
        }
        Value::Set(set) => Ok(Rc::clone(set)),
        _ => Err(args.wrong(0, "a set")),
    }
}

/// An index for insertion: negative ones count from the end, others stop at it.
fn clamp(index: i64, length: usize) -> usize {
    let length = length as i64;
    (if index < 0 { index + length } else { index }).clamp(0, length) as usize
}

/// The first position from `start` on whose item equals `value`.
fn find(cx: &mut Interp, items: &[Value], value: &Value, start: usize) -> Result<Option<usize>> {
    for (at, item) in items.iter().enumerate().skip(start) {
        if item.is(value) || cx.equals(item, value)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// `index` of lists and tuples.
fn index(cx: &mut Interp, args: &Args) -> Result<Value> {
    let items = args.value(0).as_items().ok_or_else(|| args.wrong(0, "a sequence"))?;
    let start = clamp(args.int_or(2, 0)?, items.len());
    let stop = clamp(args.int_or(3, i64::MAX)?, items.len());
    match find(cx, &items[..stop.max(start)], args.value(1), start)? {
        Some(at) => Ok(at.into()),
        None => Err(Raised::value_error(format!(
            "{} is not in {}",
            cx.repr(args.value(1))?,
            cx.type_name(args.value(0))
        ))),
    }
}

/// `count` of lists and tuples.
fn count(cx: &mut Interp, args: &Args) -> Result<Value> {
    let items = args.value(0).as_items().ok_or_else(|| args.wrong(0, "a sequence"))?;
    let mut total = 0_usize;
    for item in &items {
        total += usize::from(item.is(args.value(1)) || cx.equals(item, args.value(1))?);
    }
    Ok(total.into())
}

/// Sorts values by `<`, as `sorted` and `list.sort` do; a merge sort, so that errors of comparisons can end it.
pub fn sort(cx: &mut Interp, items: Vec<Value>, key: Option<&Value>, reverse: bool) -> Result<Vec<Value>> {
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        let name = match key {
            Some(key) => cx.call_values(key, vec![item.clone()])?,
            None => item.clone(),
        };
        keyed.push((name, item));
    }
    // Reversing before and after keeps equal items in their order.
    if reverse {
        keyed.reverse();
    }
    let mut sorted = merge_sort(cx, keyed)?;
    if reverse {
        sorted.reverse();
    }
    Ok(sorted.into_iter().map(|(_, item)| item).collect())
}

type Keyed = (Value, Value);

fn merge_sort(cx: &mut Interp, mut items: Vec<Keyed>) -> Result<Vec<Keyed>> {
    if items.len() < 2 {
        return Ok(items);
    }
    let right = items.split_off(items.len() / 2);
    let mut left = merge_sort(cx, items)?.into_iter().peekable();
    let mut right = merge_sort(cx, right)?.into_iter().peekable();
    let mut merged = Vec::with_capacity(left.len() + right.len());
    loop {
        let take_right = match (left.peek(), right.peek()) {
            (Some((a, _)), Some((b, _))) => less(cx, b, a)?,
            (None, Some(_)) => true,
            (_, None) => break,
        };
        merged.extend(if take_right { right.next() } else { left.next() });
    }
    merged.extend(left);
    Ok(merged)
}

/// `a < b`, with a fast path for numbers and strings.
fn less(cx: &mut Interp, a: &Value, b: &Value) -> Result<bool> {
    cx.step(1)?;
    let quick = match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
        _ => None,
    };
    if let Some(order) = quick {
        return Ok(order == Ordering::Less);
    }
    let answer = cx.compare(CompareOp::Lt, a, b)?;
    cx.truth(&answer)
}

/// Key and value as a tuple.
fn pair(entry: &Entry) -> Value {
    Value::tuple(vec![entry.key.clone(), entry.value.clone()])
}

/// The position and value of a key.
fn lookup(cx: &mut Interp, dict: &RefCell<Dict>, key: &Value) -> Result<Option<(u32, Value)>> {
    let hash = cx.hash(key)?;
    let candidates = dict.borrow().candidates(hash).to_vec();
    for at in candidates {
        let Some(entry) = dict.borrow().entry(at).cloned() else {
            continue;
        };
        if entry.key.is(key) || cx.equals(&entry.key, key)? {
            return Ok(Some((at, entry.value)));
        }
    }
    Ok(None)
}

/// Sets a key.
fn insert(cx: &mut Interp, dict: &RefCell<Dict>, key: Value, value: Value) -> Result<()> {
    if let Some((at, _)) = lookup(cx, dict, &key)? {
        dict.borrow_mut().set_value(at, value);
        return Ok(());
    }
    let hash = cx.hash(&key)?;
    cx.check_items(dict.borrow().len() + 1)?;
    dict.borrow_mut().append(hash, key, value);
    Ok(())
}

/// The pairs of a mapping or of an iterable of pairs.
fn pairs(cx: &mut Interp, other: &Value) -> Result<Vec<(Value, Value)>> {
    let mapping = matches!(other, Value::Dict(_)) || cx.hasattr(other, "keys")?;
    if mapping {
        return cx.mapping_items(other);
    }
    let mut found = Vec::new();
    for item in cx.collect(other)? {
        let parts = cx.collect(&item)?;
        let [key, value] = parts.as_slice() else {
            let message = format!(
                "dictionary update sequence element has length {}; 2 is required",
                parts.len()
            );
            return Err(Raised::value_error(message));
        };
        found.push((key.clone(), value.clone()));
    }
    Ok(found)
}

/// Removes an item; whether it was there.
fn discard(cx: &mut Interp, args: &Args) -> Result<bool> {
    let set = set(args, true)?;
    let found = lookup(cx, &set.items, args.value(1))?;
    if let Some((at, _)) = found {
        set.items.borrow_mut().remove_at(at);
    }
    Ok(found.is_some())
}

/// An iterable as a set.
fn as_set(cx: &mut Interp, value: &Value) -> Result<Value> {
    if matches!(value, Value::Set(_)) {
        return Ok(value.clone());
    }
    let items = cx.collect(value)?;
    cx.make_set(items, false)
}

/// The set operation of this set with each of the others in turn.
fn combine(cx: &mut Interp, args: &Args, op: BinaryOp) -> Result<Value> {
    let mut total = receiver(args).clone();
    for other in args.rest() {
        let other = as_set(cx, &other.value)?;
        total = cx.binary(op, &total, &other)?;
    }
    Ok(total)
}
