//! Methods of iterators and generators, and `iter` with a sentinel.

use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{Args, plain_type_name};
use crate::interp::native::PyIterator;
use crate::interp::raised::{Exception, Kind, Raised, Result};
use crate::interp::value::Value;

builtin! {
    /// Methods of iterators and generators.
    pub ITERATOR_METHODS;
    /// The next item.
    "__next__" "(self)" => next;
    /// The iterator itself.
    "__iter__" "(self)" => |_cx, args| Ok(args.take(0));
    /// Goes on with a value for the `yield` that waits.
    "send" "(self, value, /)" => |cx, args| {
        let Value::Iterator(iterator) = args.value(0).clone() else { return Err(args.wrong(0, "a generator")) };
        let value = args.take(1);
        let (sent, returned) = match iterator.state.try_borrow_mut() {
            Ok(mut state) => (state.send(cx, value)?, state.result()),
            Err(_) => return Err(Raised::value_error("generator already executing")),
        };
        match sent {
            Some(value) => Ok(value),
            None => Err(exhausted(cx, returned)),
        }
    };
    /// Raises an exception at the `yield` that waits.
    "throw" "(self, exception, /, *details)" => |cx, args| {
        let exception = args.take(1);
        let raised = cx.raise_value(exception)?;
        match thrown(cx, args, raised)? {
            Some(value) => Ok(value),
            None => {
                let Value::Iterator(iterator) = args.value(0) else { return Err(args.wrong(0, "a generator")) };
                let returned = iterator.state.try_borrow().map_or(Value::None, |state| state.result());
                Err(exhausted(cx, returned))
            }
        }
    };
    /// Ends a generator; its `finally` blocks run.
    "close" "(self)" => |cx, args| {
        match thrown(cx, args, Raised::new(Exception::GeneratorExit, "")) {
            Ok(Some(_)) => Err(Raised::new(Exception::RuntimeError, "generator ignored GeneratorExit")),
            Ok(None) => Ok(Value::None),
            Err(raised) if raised.0.code == Exception::GeneratorExit.code() && raised.0.message.is_empty() => Ok(Value::None),
            Err(raised) => Err(raised),
        }
    };
}

/// Raises an exception inside a generator; the next value, if it goes on.
fn thrown(cx: &mut Interp, args: &Args, raised: Raised) -> Result<Option<Value>> {
    let Value::Iterator(iterator) = args.value(0).clone() else {
        return Err(args.wrong(0, "a generator"));
    };
    match iterator.state.try_borrow_mut() {
        Ok(mut state) => state.throw(cx, raised),
        Err(_) => Err(Raised::value_error("generator already executing")),
    }
}

/// `next(iterator, default)`.
pub(super) fn next(cx: &mut Interp, args: &mut Args) -> Result<Value> {
    let source = args.value(0).clone();
    let item = match &source {
        Value::Iterator(_) => cx.iter(&source)?.next(cx)?,
        Value::Instance(_) => match cx.call_special(&source, "__next__", Vec::new()) {
            Ok(Some(value)) => Some(value),
            Ok(None) => {
                return Err(Raised::type_error(format!(
                    "'{}' object is not an iterator",
                    plain_type_name(&source)
                )));
            }
            Err(raised) if args.get(1).is_some() => cx.stop_or_raise(raised)?,
            Err(raised) => return Err(raised),
        },
        other => {
            let text = format!("'{}' object is not an iterator", plain_type_name(other));
            return Err(Raised::type_error(text).hint("make one with iter()"));
        }
    };
    match item {
        Some(value) => Ok(value),
        None if args.get(1).is_some() => Ok(args.take(1)),
        None => {
            let returned = match &source {
                Value::Iterator(iterator) => iterator.state.try_borrow().map_or(Value::None, |state| state.result()),
                _ => Value::None,
            };
            Err(exhausted(cx, returned))
        }
    }
}

/// `StopIteration`, with what a generator returned.
fn exhausted(cx: &mut Interp, returned: Value) -> Raised {
    let plain = Raised::new(Exception::StopIteration, "");
    if returned.is_none() {
        return plain;
    }
    let object = cx.make_exception(Exception::StopIteration, vec![returned]);
    Raised::of_kind(Kind::Object(object), plain.0.code, plain.0.message)
}

/// `iter(function, sentinel)`.
pub(super) struct CallUntil {
    /// Called for each item.
    pub function: Value,
    /// The value at which it ends.
    pub sentinel: Value,
}

impl PyIterator for CallUntil {
    fn next(&mut self, cx: &mut Interp) -> Result<Option<Value>> {
        let value = cx.call_values(&self.function, Vec::new())?;
        let ended = cx.equals(&value, &self.sentinel)?;
        Ok((!ended).then_some(value))
    }
}
