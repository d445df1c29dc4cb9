//! What `dict.keys()`, `dict.values()` and `dict.items()` return: they follow the dictionary.

use std::cell::RefCell;
use std::rc::Rc;

use crate::interp::Interp;
use crate::interp::dict::Dict;
use crate::interp::native::{Answer, Items, NativeObject, PyIterator};
use crate::interp::raised::Result;
use crate::interp::value::Value;
use crate::syntax::ast::{BinaryOp, CompareOp};

/// What a view shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// The keys.
    Keys,
    /// The values.
    Values,
    /// Pairs of both.
    Items,
}

/// A view of a dictionary.
pub(super) struct View {
    dict: Rc<RefCell<Dict>>,
    shown: Shown,
}

impl View {
    /// A view of `dict` as a value.
    pub(super) fn value(dict: Rc<RefCell<Dict>>, shown: Shown) -> Value {
        Value::native(Self { dict, shown })
    }

    fn items(&self) -> Vec<Value> {
        let dict = self.dict.borrow();
        let entries = dict.iter();
        match self.shown {
            Shown::Keys => entries.map(|entry| entry.key.clone()).collect(),
            Shown::Values => entries.map(|entry| entry.value.clone()).collect(),
            Shown::Items => entries
                .map(|entry| Value::tuple([entry.key.clone(), entry.value.clone()]))
                .collect(),
        }
    }
}

impl NativeObject for View {
    fn type_name(&self) -> &str {
        match self.shown {
            Shown::Keys => "dict_keys",
            Shown::Values => "dict_values",
            Shown::Items => "dict_items",
        }
    }

    fn iter(&self, cx: &mut Interp) -> Result<Option<Box<dyn PyIterator>>> {
        match self.shown {
            // Keys come one by one, so that a dictionary that changes its size is noticed.
            Shown::Keys => cx.iter(&Value::Dict(Rc::clone(&self.dict))).map(Some),
            _ => Ok(Some(Box::new(Items(self.items().into_iter())))),
        }
    }

    fn len(&self, _cx: &mut Interp) -> Result<Option<usize>> {
        Ok(Some(self.dict.borrow().len()))
    }

    fn truth(&self, _cx: &mut Interp) -> Result<Value> {
        Ok(Value::Bool(!self.dict.borrow().is_empty()))
    }

    fn contains(&self, cx: &mut Interp, item: &Value) -> Answer {
        match self.shown {
            Shown::Keys => cx.has_key(&self.dict, item).map(|found| Some(Value::Bool(found))),
            _ => Ok(None),
        }
    }

    fn binary(&self, cx: &mut Interp, op: BinaryOp, other: &Value, reflected: bool) -> Answer {
        if self.shown == Shown::Values {
            return Ok(None);
        }
        let own = cx.make_set(self.items(), false)?;
        let other = cx.collect(other)?;
        let other = cx.make_set(other, false)?;
        let (left, right) = if reflected { (other, own) } else { (own, other) };
        cx.binary(op, &left, &right).map(Some)
    }

    fn compare(&self, cx: &mut Interp, op: CompareOp, other: &Value) -> Answer {
        let set = matches!(other, Value::Set(_)) || other.downcast::<Self>().is_some();
        if self.shown == Shown::Values || !set {
            return Ok(None);
        }
        let own = cx.make_set(self.items(), false)?;
        let other = cx.collect(other)?;
        let other = cx.make_set(other, false)?;
        cx.compare(op, &own, &other).map(Some)
    }

    fn repr(&self, cx: &mut Interp) -> Result<String> {
        let inner = cx.repr(&Value::list(self.items()))?;
        Ok(format!("{}({inner})", self.type_name()))
    }
}
