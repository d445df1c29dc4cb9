//! Objects that Rust code defines: host arrays, NKI tensors, dtypes, kernels.
//!
//! ```ignore
//! struct Counter { count: Cell<i64> }
//!
//! builtin! {
//!     /// Methods of `Counter`.
//!     pub COUNTER_METHODS;
//!     /// Adds `by` and returns the new count.
//!     "add" "(self, by=1)" => |_cx, args| {
//!         let this = args.receiver::<Counter>()?;
//!         let by = args.int_or(1, 1)?;
//!         this.count.set(this.count.get() + by);
//!         Ok(Value::Int(this.count.get()))
//!     };
//! }
//!
//! impl NativeObject for Counter {
//!     fn type_name(&self) -> &str { "Counter" }
//!     fn methods(&self) -> &'static [Builtin] { COUNTER_METHODS }
//!     fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
//!         Ok((name == "count").then(|| Value::Int(self.count.get())))
//!     }
//! }
//! ```

use std::any::Any;

use crate::interp::Interp;
use crate::interp::builtin::{Builtin, CallArgs};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::syntax::ast::{BinaryOp, CompareOp, UnaryOp};

/// What an optional ability answers: `Ok(None)` means that the object cannot do it, and Python's own error follows.
pub type Answer = Result<Option<Value>>;

/// An object that Rust code defines. Every method but [`NativeObject::type_name`] has a default: the object is opaque.
pub trait NativeObject: Any {
    /// What `type(x).__name__` and messages say.
    fn type_name(&self) -> &str;

    /// Rows of methods; the first parameter of each is `self`.
    fn methods(&self) -> &'static [Builtin] {
        &[]
    }

    /// Attribute `name`; methods of [`NativeObject::methods`] need not be answered here.
    fn getattr(&self, _cx: &mut Interp, _name: &str) -> Answer {
        Ok(None)
    }

    /// Sets attribute `name`; `false` if there is none.
    fn setattr(&self, _cx: &mut Interp, _name: &str, _value: Value) -> Result<bool> {
        Ok(false)
    }

    /// Attribute names, for suggestions in messages and `dir`.
    fn attribute_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// `self(args)`.
    fn call(&self, _cx: &mut Interp, _args: CallArgs) -> Answer {
        Ok(None)
    }

    /// `callable(self)`.
    fn is_callable(&self) -> bool {
        false
    }

    /// `self[index]`.
    fn getitem(&self, _cx: &mut Interp, _index: &Value) -> Answer {
        Ok(None)
    }

    /// `self[items, ...]` without the tuple, which objects that are indexed very often need not have made; `None` if this one
    /// wants the tuple.
    fn getitem_of(&self, _cx: &mut Interp, _items: &[Value]) -> Answer {
        Ok(None)
    }

    /// `self[index] = value`; `false` if the object has no items.
    fn setitem(&self, _cx: &mut Interp, _index: &Value, _value: &Value) -> Result<bool> {
        Ok(false)
    }

    /// `self <op> other`, or `other <op> self` if `reflected`.
    fn binary(&self, _cx: &mut Interp, _op: BinaryOp, _other: &Value, _reflected: bool) -> Answer {
        Ok(None)
    }

    /// `self <op>= other`; the answer is bound to the target. `None` falls back to [`NativeObject::binary`].
    fn in_place(&self, _cx: &mut Interp, _op: BinaryOp, _other: &Value) -> Answer {
        Ok(None)
    }

    /// `-self`, `+self`, `~self` (`not` asks [`NativeObject::truth`]).
    fn unary(&self, _cx: &mut Interp, _op: UnaryOp) -> Answer {
        Ok(None)
    }

    /// `self <op> other`; a reflected comparison arrives with the operator turned round. `==` and `!=` fall back to
    /// identity.
    fn compare(&self, _cx: &mut Interp, _op: CompareOp, _other: &Value) -> Answer {
        Ok(None)
    }

    /// `item in self`.
    fn contains(&self, _cx: &mut Interp, _item: &Value) -> Answer {
        Ok(None)
    }

    /// `iter(self)`.
    fn iter(&self, _cx: &mut Interp) -> Result<Option<Box<dyn PyIterator>>> {
        Ok(None)
    }

    /// `len(self)`.
    fn len(&self, _cx: &mut Interp) -> Result<Option<usize>> {
        Ok(None)
    }

    /// `bool(self)`: `Value::Bool`, or `Value::Unknown` where the value is not computed.
    fn truth(&self, _cx: &mut Interp) -> Result<Value> {
        Ok(Value::Bool(true))
    }

    /// `assert self` of a value that is known at run time only: the object sees to the check and answers `true`. `text` is the
    /// condition as the script writes it.
    fn assert_later(&self, _cx: &mut Interp, _text: &str) -> Result<bool> {
        Ok(false)
    }

    /// `int(self)`, `float(self)`, `self.__index__()`: a number or `Value::Unknown`.
    fn number(&self, _cx: &mut Interp) -> Answer {
        Ok(None)
    }

    /// `while self:`. An object that is a run-time condition answers with the iterator that drives the loop instead: the
    /// body runs once for every item (usually one, between a begin and an end marker).
    fn while_loop(&self, _cx: &mut Interp) -> Result<Option<Box<dyn PyIterator>>> {
        Ok(None)
    }

    /// A key for hashing and equality in dictionaries; objects without one are compared by identity.
    fn key(&self) -> Option<String> {
        None
    }

    /// `repr(self)`.
    fn repr(&self, _cx: &mut Interp) -> Result<String> {
        Ok(format!("<{} object>", self.type_name()))
    }

    /// `str(self)`.
    fn str(&self, cx: &mut Interp) -> Result<String> {
        self.repr(cx)
    }

    /// `format(self, spec)`; `None` falls back to `str` if the spec is empty, and to [`NativeObject::number`] if not.
    fn format(&self, _cx: &mut Interp, _spec: &str) -> Result<Option<String>> {
        Ok(None)
    }

    /// Names that `isinstance(x, T)` accepts for this object when `T` is a native type marker of that name.
    fn is_a(&self, type_name: &str) -> bool {
        self.type_name() == type_name
    }

    /// For a native that stands for a type: whether `value` is an instance of it; `None` if it is no type.
    fn has_instance(&self, _cx: &mut Interp, _value: &Value) -> Option<bool> {
        None
    }
}

/// The state of an iterator.
pub trait PyIterator {
    /// The next value, or `None` at the end.
    fn next(&mut self, cx: &mut Interp) -> Result<Option<Value>>;

    /// Called when a `for` or `while` loop leaves early (`break`, `return`, or an exception when `raised`).
    fn abandon(&mut self, _cx: &mut Interp, _raised: bool) -> Result<()> {
        Ok(())
    }

    /// `generator.send(value)`; plain iterators have none.
    fn send(&mut self, _cx: &mut Interp, _value: Value) -> Result<Option<Value>> {
        Err(Raised::attribute_error("this iterator has no attribute 'send'"))
    }

    /// `generator.throw(exception)`; a plain iterator ends with the exception.
    fn throw(&mut self, _cx: &mut Interp, raised: Raised) -> Result<Option<Value>> {
        Err(raised)
    }

    /// What a generator returned, for `yield from`.
    fn result(&self) -> Value {
        Value::None
    }

    /// The number of values left, if it is known.
    fn remaining(&self) -> Option<usize> {
        None
    }
}

/// Iterates over values that are already there.
pub struct Items(pub std::vec::IntoIter<Value>);

impl PyIterator for Items {
    fn next(&mut self, _cx: &mut Interp) -> Result<Option<Value>> {
        Ok(self.0.next())
    }

    fn remaining(&self) -> Option<usize> {
        Some(self.0.len())
    }
}
