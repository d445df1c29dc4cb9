//! The `functools` and `operator` modules, as far as kernel scripts use them.

use std::cell::RefCell;

use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{Arg, Builtin, CallArgs};
use crate::interp::native::{Answer, NativeObject};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::{Name, Value};
use crate::syntax::ast::{BinaryOp, CompareOp, UnaryOp};

builtin! {
    /// Functions of `functools`.
    pub FUNCTOOLS_ROWS;
    /// Combines the items of an iterable from left to right.
    "reduce" "(function, iterable, initial=None, /)" => |cx, args| {
        let function = args.value(0).clone();
        let mut items = cx.collect(args.value(1))?.into_iter();
        let Some(mut total) = args.get(2).cloned().or_else(|| items.next()) else {
            return Err(Raised::type_error("reduce() of empty iterable with no initial value"));
        };
        for item in items {
            total = cx.call_values(&function, vec![total, item])?;
        }
        Ok(total)
    };
    /// A function with some arguments filled in.
    "partial" "(func, /, *args, **keywords)" => |_cx, args| {
        let function = args.value(0).clone();
        let given = args.forward();
        Ok(Value::native(Partial { function, positional: given.positional, keywords: given.keywords }))
    };
    /// Makes a wrapper look like the function it wraps.
    "wraps" "(wrapped, **options)" => |_cx, args| Ok(Value::native(Wraps { wrapped: args.value(0).clone() }));
    /// Remembers results by arguments.
    "lru_cache" "(maxsize=128, typed=False)" => |_cx, args| Ok(match args.get(0) {
        None | Some(Value::Int(_) | Value::None) => Value::Builtin(&CACHE_ROWS[0]),
        Some(function) => cached(function.clone()),
    });
    /// Remembers results by arguments, without a bound.
    "cache" "(user_function, /)" => |_cx, args| Ok(cached(args.take(0)));
    /// A method that is computed once; here it is a plain property.
    "cached_property" "(func)" => |_cx, args| {
        let property = crate::interp::object::Descriptor::Property(args.take(0), Value::None, Value::None);
        Ok(Value::Descriptor(std::rc::Rc::new(property)))
    };
}

builtin! {
    /// What `lru_cache(maxsize=…)` returns.
    pub CACHE_ROWS;
    /// Remembers results by arguments.
    "decorating_function" "(user_function, /)" => |_cx, args| Ok(cached(args.take(0)));
}

builtin! {
    /// Functions of `operator`.
    pub OPERATOR_ROWS;
    /// `a + b`
    "add" "(a, b, /)" => |cx, args| cx.binary(BinaryOp::Add, args.value(0), args.value(1));
    /// `a - b`
    "sub" "(a, b, /)" => |cx, args| cx.binary(BinaryOp::Sub, args.value(0), args.value(1));
    /// `a * b`
    "mul" "(a, b, /)" => |cx, args| cx.binary(BinaryOp::Mul, args.value(0), args.value(1));
    /// `a / b`
    "truediv" "(a, b, /)" => |cx, args| cx.binary(BinaryOp::Div, args.value(0), args.value(1));
    /// `a // b`
    "floordiv" "(a, b, /)" => |cx, args| cx.binary(BinaryOp::FloorDiv, args.value(0), args.value(1));
    /// `a % b`
    "mod" "(a, b, /)" => |cx, args| cx.binary(BinaryOp::Mod, args.value(0), args.value(1));
    /// `a ** b`
    "pow" "(a, b, /)" => |cx, args| cx.binary(BinaryOp::Pow, args.value(0), args.value(1));
    /// `a @ b`
    "matmul" "(a, b, /)" => |cx, args| cx.binary(BinaryOp::MatMul, args.value(0), args.value(1));
    /// `-a`
    "neg" "(a, /)" => |cx, args| cx.unary(UnaryOp::Neg, args.value(0));
    /// `a == b`
    "eq" "(a, b, /)" => |cx, args| cx.compare(CompareOp::Eq, args.value(0), args.value(1));
    /// `a != b`
    "ne" "(a, b, /)" => |cx, args| cx.compare(CompareOp::Ne, args.value(0), args.value(1));
    /// `a < b`
    "lt" "(a, b, /)" => |cx, args| cx.compare(CompareOp::Lt, args.value(0), args.value(1));
    /// `a <= b`
    "le" "(a, b, /)" => |cx, args| cx.compare(CompareOp::Le, args.value(0), args.value(1));
    /// `a > b`
    "gt" "(a, b, /)" => |cx, args| cx.compare(CompareOp::Gt, args.value(0), args.value(1));
    /// `a >= b`
    "ge" "(a, b, /)" => |cx, args| cx.compare(CompareOp::Ge, args.value(0), args.value(1));
    /// `a[b]`
    "getitem" "(a, b, /)" => |cx, args| cx.getitem(args.value(0), args.value(1));
    /// A function that takes items of its argument.
    "itemgetter" "(*items)" => |_cx, args| {
        let keys = args.rest().iter().map(|arg| arg.value.clone()).collect();
        Ok(Value::native(Getter { keys, attributes: false }))
    };
    /// A function that takes attributes of its argument.
    "attrgetter" "(*attrs)" => |_cx, args| {
        let keys = args.rest().iter().map(|arg| arg.value.clone()).collect();
        Ok(Value::native(Getter { keys, attributes: true }))
    };
}

/// What `partial` returns.
struct Partial {
    function: Value,
    positional: Vec<Arg>,
    keywords: Vec<(Name, Arg)>,
}

impl NativeObject for Partial {
    fn type_name(&self) -> &str {
        "partial"
    }

    fn getattr(&self, cx: &mut Interp, name: &str) -> Answer {
        match name {
            "func" => Ok(Some(self.function.clone())),
            "__name__" => cx.getattr(&self.function, name).map(Some),
            _ => Ok(None),
        }
    }

    fn call(&self, cx: &mut Interp, mut args: CallArgs) -> Answer {
        let mut positional = self.positional.clone();
        positional.append(&mut args.positional);
        let overridden = |name: &Name| args.keywords.iter().any(|(given, _)| given == name);
        let mut keywords: Vec<_> = self
            .keywords
            .iter()
            .filter(|(name, _)| !overridden(name))
            .cloned()
            .collect();
        keywords.append(&mut args.keywords);
        cx.call(
            &self.function,
            CallArgs {
                positional,
                keywords,
                span: args.span,
            },
        )
        .map(Some)
    }
}

/// What `wraps(f)` returns: a decorator that copies the name.
struct Wraps {
    wrapped: Value,
}

impl NativeObject for Wraps {
    fn type_name(&self) -> &str {
        "wraps"
    }

    fn call(&self, cx: &mut Interp, args: CallArgs) -> Answer {
        let Some(wrapper) = args.positional.first().map(|arg| arg.value.clone()) else {
            return Ok(None);
        };
        for name in ["__name__", "__doc__", "__wrapped__"] {
            let value = if name == "__wrapped__" {
                self.wrapped.clone()
            } else {
                cx.getattr(&self.wrapped, name)?
            };
            if matches!(wrapper, Value::Function(_)) {
                cx.setattr(&wrapper, name, value)?;
            }
        }
        Ok(Some(wrapper))
    }
}

/// A function that remembers its results. Few distinct arguments are usual, so a list is searched.
struct Cached {
    function: Value,
    results: RefCell<Vec<(Value, Value)>>,
}

/// Wraps `function` in a cache.
fn cached(function: Value) -> Value {
    Value::native(Cached {
        function,
        results: RefCell::default(),
    })
}

builtin! {
    /// Methods of a cached function.
    pub CACHED_METHODS;
    /// Forgets all results.
    "cache_clear" "(self)" => |_cx, args| {
        args.receiver::<Cached>()?.results.borrow_mut().clear();
        Ok(Value::None)
    };
}

impl NativeObject for Cached {
    fn type_name(&self) -> &str {
        "functools._lru_cache_wrapper"
    }

    fn methods(&self) -> &'static [Builtin] {
        CACHED_METHODS
    }

    fn getattr(&self, cx: &mut Interp, name: &str) -> Answer {
        match name {
            "__wrapped__" => Ok(Some(self.function.clone())),
            "__name__" | "__doc__" => cx.getattr(&self.function, name).map(Some),
            _ => Ok(None),
        }
    }

    fn call(&self, cx: &mut Interp, args: CallArgs) -> Answer {
        let mut parts: Vec<Value> = args.positional.iter().map(|arg| arg.value.clone()).collect();
        for (name, arg) in &args.keywords {
            parts.extend([Value::Str(name.clone()), arg.value.clone()]);
        }
        let key = Value::tuple(parts);
        if let Some(result) = self.find(cx, &key)? {
            return Ok(Some(result));
        }
        let result = cx.call(&self.function, args)?;
        self.results.borrow_mut().push((key, result.clone()));
        Ok(Some(result))
    }
}

impl Cached {
    /// The result that was remembered for `key`.
    fn find(&self, cx: &mut Interp, key: &Value) -> Result<Option<Value>> {
        let known = self.results.borrow().clone();
        for (other, result) in known {
            if cx.equals(&other, key)? {
                return Ok(Some(result));
            }
        }
        Ok(None)
    }
}

/// What `itemgetter` and `attrgetter` return.
struct Getter {
    keys: Vec<Value>,
    attributes: bool,
}

impl NativeObject for Getter {
    fn type_name(&self) -> &str {
        if self.attributes {
            "operator.attrgetter"
        } else {
            "operator.itemgetter"
        }
    }

    fn call(&self, cx: &mut Interp, args: CallArgs) -> Answer {
        let Some(object) = args.positional.first().map(|arg| arg.value.clone()) else {
            return Ok(None);
        };
        let mut found = Vec::new();
        for key in &self.keys {
            found.push(match key.as_str().filter(|_| self.attributes) {
                Some(name) => cx.getattr(&object, name)?,
                None => cx.getitem(&object, key)?,
            });
        }
        Ok(Some(match found.len() {
            1 => found.remove(0),
            _ => Value::tuple(found),
        }))
    }
}
