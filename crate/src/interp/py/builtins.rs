//! Built-in functions.

use std::rc::Rc;

use num_bigint::BigInt;

use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{Args, plain_type_name};
use crate::interp::dict::Dict;
use crate::interp::native::PyIterator;
use crate::interp::object::Class;
use crate::interp::py::iterators::{CallUntil, next};
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::value::Value;
use crate::numerics::math::double;
use crate::syntax::ast::{BinaryOp, CompareOp};

builtin! {
    /// Built-in functions.
    pub ROWS;
    /// Writes its arguments as a line of text.
    "print" "(*args, sep=' ', end='\\n', file=None, flush=False)" => |cx, args| {
        let parts: Vec<String> = args.rest().iter().map(|arg| cx.str(&arg.value)).collect::<Result<_>>()?;
        let sep = if args.some(0).is_some() { args.str(0)? } else { " " };
        let end = if args.some(1).is_some() { args.str(1)? } else { "\n" };
        cx.print(&format!("{}{end}", parts.join(sep)))?;
        Ok(Value::None)
    };
    /// The number of items.
    "len" "(obj, /)" => |cx, args| Ok(Value::from(cx.len(args.value(0))?));
    /// The absolute value.
    "abs" "(x, /)" => |cx, args| abs(cx, args.value(0));
    /// Whether all items are true.
    "all" "(iterable, /)" => |cx, args| any_all(cx, args, false);
    /// Whether any item is true.
    "any" "(iterable, /)" => |cx, args| any_all(cx, args, true);
    /// The sum of the items.
    "sum" "(iterable, /, start=0)" => |cx, args| {
        let mut total = args.get(1).cloned().unwrap_or(Value::Int(0));
        let mut iterator = cx.iter(args.value(0))?;
        while let Some(item) = iterator.next(cx)? {
            cx.count_step()?;
            total = cx.binary(BinaryOp::Add, &total, &item)?;
        }
        Ok(total)
    };
    /// The smallest item or argument.
    "min" "(*args, key=None, default=…)" => |cx, args| extreme(cx, args, CompareOp::Lt);
    /// The largest item or argument.
    "max" "(*args, key=None, default=…)" => |cx, args| extreme(cx, args, CompareOp::Gt);
    /// A sorted list of the items.
    "sorted" "(iterable, /, *, key=None, reverse=False)" => |cx, args| {
        let items = cx.collect(args.value(0))?;
        let key = args.some(1).cloned();
        Ok(Value::list(super::containers::sort(cx, items, key.as_ref(), args.truth_or(2, false)?)?))
    };
    /// The items in reverse order.
    "reversed" "(sequence, /)" => |cx, args| {
        let value = args.value(0).clone();
        if let Some(result) = cx.call_special(&value, "__reversed__", Vec::new())? {
            return Ok(result);
        }
        let mut items = cx.collect(&value)?;
        items.reverse();
        Ok(Value::iterator("reversed", crate::interp::native::Items(items.into_iter())))
    };
    /// Pairs of a count and an item.
    "enumerate" "(iterable, start=0)" => |cx, args| {
        let source = cx.iter(args.value(0))?;
        Ok(Value::iterator("enumerate", Enumerate { source, count: args.int_or(1, 0)? }))
    };
    /// Tuples of the items at the same position.
    "zip" "(*iterables, strict=False)" => |cx, args| {
        let sources = args.rest().iter().map(|arg| cx.iter(&arg.value)).collect::<Result<_>>()?;
        Ok(Value::iterator("zip", Zip { sources, strict: args.truth_or(0, false)? }))
    };
    /// The function applied to the items.
    "map" "(func, /, *iterables)" => |cx, args| {
        let sources = args.rest().iter().map(|arg| cx.iter(&arg.value)).collect::<Result<_>>()?;
        Ok(Value::iterator("map", Map { function: args.take(0), zip: Zip { sources, strict: false } }))
    };
    /// The items for which the function is true.
    "filter" "(function, iterable, /)" => |cx, args| {
        let source = cx.iter(args.value(1))?;
        Ok(Value::iterator("filter", Filter { function: args.take(0), source }))
    };
    /// An iterator over the items.
    "iter" "(iterable, sentinel=…, /)" => |cx, args| match args.get(1).cloned() {
        None => cx.iterator_value(args.value(0)),
        Some(sentinel) => Ok(Value::iterator("callable_iterator", CallUntil { function: args.take(0), sentinel })),
    };
    /// The next item of an iterator.
    "next" "(iterator, default=…, /)" => next;
    /// The value rounded to some digits, half to even.
    "round" "(number, ndigits=None)" => |cx, args| round(cx, args);
    /// Quotient and rest.
    "divmod" "(x, y, /)" => |cx, args| {
        let (x, y) = (args.value(0).clone(), args.value(1).clone());
        let quotient = cx.binary(BinaryOp::FloorDiv, &x, &y)?;
        Ok(Value::tuple([quotient, cx.binary(BinaryOp::Mod, &x, &y)?]))
    };
    /// `base` to the power of `exp`, modulo `mod` if that is given.
    "pow" "(base, exp, mod=None)" => |cx, args| {
        let Some(modulus) = args.some(2).cloned() else {
            return cx.binary(BinaryOp::Pow, args.value(0), args.value(1));
        };
        let (base, exponent) = (big(args, 0)?, big(args, 1)?);
        let Value::Int(modulus) = modulus else { return Err(args.wrong(2, "an integer")) };
        if modulus == 0 {
            return Err(Raised::value_error("pow() 3rd argument cannot be 0"));
        }
        let modulus = BigInt::from(modulus);
        if exponent.sign() != num_bigint::Sign::Minus {
            return Ok(Value::integer(base.modpow(&exponent, &modulus)));
        }
        match base.modinv(&modulus) {
            Some(inverse) => Ok(Value::integer(inverse.modpow(&-exponent, &modulus))),
            None => Err(Raised::value_error("base is not invertible for the given modulus")),
        }
    };
    /// Whether the object is an instance of the class or of one of the classes.
    "isinstance" "(obj, class_or_tuple, /)" => |cx, args| {
        cx.is_instance(args.value(0), args.value(1)).map(Value::Bool)
    };
    /// Whether the class derives from the other or from one of the others.
    "issubclass" "(cls, class_or_tuple, /)" => |_cx, args| {
        let Value::Class(class) = args.value(0) else {
            return Err(Raised::type_error("issubclass() arg 1 must be a class"));
        };
        Ok(Value::Bool(is_subclass(class, args.value(1))?))
    };
    /// The attribute of that name.
    "getattr" "(object, name, default=…, /)" => |cx, args| {
        let object = args.value(0).clone();
        let name = args.str(1)?.to_owned();
        match args.get(2) {
            Some(default) if !cx.hasattr(&object, &name)? => Ok(default.clone()),
            _ => cx.getattr(&object, &name),
        }
    };
    /// Sets the attribute of that name.
    "setattr" "(object, name, value, /)" => |cx, args| {
        let name = args.str(1)?.to_owned();
        cx.setattr(args.value(0), &name, args.value(2).clone())?;
        Ok(Value::None)
    };
    /// Whether there is an attribute of that name.
    "hasattr" "(object, name, /)" => |cx, args| {
        let name = args.str(1)?.to_owned();
        cx.hasattr(args.value(0), &name).map(Value::Bool)
    };
    /// Removes the attribute of that name.
    "delattr" "(object, name, /)" => |cx, args| {
        let name = args.str(1)?.to_owned();
        cx.delattr(args.value(0), &name)?;
        Ok(Value::None)
    };
    /// Whether the object can be called.
    "callable" "(obj, /)" => |cx, args| Ok(Value::Bool(cx.is_callable(args.value(0))));
    /// The text that shows the object to programmers.
    "repr" "(obj, /)" => |cx, args| cx.repr(args.value(0)).map(Value::from);
    /// Like `repr`.
    "ascii" "(obj, /)" => |cx, args| cx.repr(args.value(0)).map(Value::from);
    /// The text of the value in a format.
    "format" "(value, format_spec='', /)" => |cx, args| {
        let spec = args.str_or(1, "")?.to_owned();
        cx.format(args.value(0), &spec).map(Value::from)
    };
    /// The hash of the object.
    "hash" "(obj, /)" => |cx, args| Ok(Value::Int((cx.hash(args.value(0))? >> 3) as i64));
    /// A number that is the object's own while it lives.
    "id" "(obj, /)" => |_cx, args| {
        let value = args.value(0);
        let own = value.address().or_else(|| value.as_int().map(|number| number as usize));
        Ok(Value::from(own.unwrap_or(value.tag() as usize)))
    };
    /// The attributes of an object as a dictionary.
    "vars" "(object, /)" => |cx, args| cx.getattr(args.value(0), "__dict__");
    /// The names of the attributes of an object.
    "dir" "(object, /)" => |cx, args| {
        let names = cx.attribute_names(args.value(0));
        Ok(Value::list(names.into_iter().map(Value::from).collect()))
    };
    /// The character with this code.
    "chr" "(i, /)" => |_cx, args| {
        let code = u32::try_from(args.int(0)?).ok().and_then(char::from_u32);
        code.map(|letter| Value::from(letter.to_string())).ok_or_else(|| Raised::value_error("chr() arg not in range(0x110000)"))
    };
    /// The code of a character.
    "ord" "(c, /)" => |_cx, args| {
        let text = args.str(0)?;
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => Ok(Value::Int(i64::from(u32::from(letter)))),
            _ => Err(Raised::type_error(format!("ord() expected a character, but string of length {} found", text.chars().count()))),
        }
    };
    /// The number in base 16.
    "hex" "(number, /)" => |_cx, args| in_base(args, 16, "0x");
    /// The number in base 8.
    "oct" "(number, /)" => |_cx, args| in_base(args, 8, "0o");
    /// The number in base 2.
    "bin" "(number, /)" => |_cx, args| in_base(args, 2, "0b");
    /// Not available: there are no files or keyboards here.
    "input" "(prompt='', /)" => |_cx, _args| Err(Raised::unimplemented("input() is not available in the playground"));
    /// Not available: there are no files here.
    "open" "(file, mode='r', **kwargs)" => |_cx, _args| {
        Err(Raised::unimplemented("open() is not available in the playground").hint("numpy.load and numpy.save read and write arrays"))
    };
    /// Not available: scripts cannot run text.
    "exec" "(source, *args)" => |_cx, _args| Err(Raised::unimplemented("exec() is not available in the playground"));
    /// Not available: scripts cannot run text.
    "eval" "(source, *args)" => |_cx, _args| Err(Raised::unimplemented("eval() is not available in the playground"));
}

struct Enumerate {
    source: Box<dyn PyIterator>,
    count: i64,
}

impl PyIterator for Enumerate {
    fn next(&mut self, cx: &mut Interp) -> Result<Option<Value>> {
        let Some(item) = self.source.next(cx)? else {
            return Ok(None);
        };
        self.count += 1;
        Ok(Some(Value::tuple([Value::Int(self.count - 1), item])))
    }

    fn abandon(&mut self, cx: &mut Interp, raised: bool) -> Result<()> {
        self.source.abandon(cx, raised)
    }
}

struct Zip {
    sources: Vec<Box<dyn PyIterator>>,
    strict: bool,
}

impl PyIterator for Zip {
    fn next(&mut self, cx: &mut Interp) -> Result<Option<Value>> {
        let mut items = Vec::with_capacity(self.sources.len());
        for at in 0..self.sources.len() {
            match self.sources[at].next(cx)? {
                Some(item) => items.push(item),
                None if self.strict && at > 0 => {
                    return Err(Raised::value_error(format!(
                        "zip() argument {} is shorter than argument 1",
                        at + 1
                    )));
                }
                None => {
                    if self.strict && self.sources.len() > 1 && self.sources[1].next(cx)?.is_some() {
                        return Err(Raised::value_error("zip() argument 2 is longer than argument 1"));
                    }
                    return Ok(None);
                }
            }
        }
        Ok((!items.is_empty()).then(|| Value::tuple(items)))
    }
}

struct Map {
    function: Value,
    zip: Zip,
}

impl PyIterator for Map {
    fn next(&mut self, cx: &mut Interp) -> Result<Option<Value>> {
        match self.zip.next(cx)? {
            Some(items) => cx
                .call_values(&self.function, items.as_items().unwrap_or_default())
                .map(Some),
            None => Ok(None),
        }
    }
}

struct Filter {
    function: Value,
    source: Box<dyn PyIterator>,
}

impl PyIterator for Filter {
    fn next(&mut self, cx: &mut Interp) -> Result<Option<Value>> {
        while let Some(item) = self.source.next(cx)? {
            cx.count_step()?;
            let test = match &self.function {
                Value::None => item.clone(),
                function => cx.call_values(&function.clone(), vec![item.clone()])?,
            };
            if cx.truth(&test)? {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }
}

fn abs(cx: &mut Interp, value: &Value) -> Result<Value> {
    if let Some(result) = cx.call_special(value, "__abs__", Vec::new())? {
        return Ok(result);
    }
    if let Value::Native(_) = value
        && cx.hasattr(value, "__abs__")?
    {
        let method = cx.getattr(value, "__abs__")?;
        return cx.call_values(&method, Vec::new());
    }
    match value {
        Value::Float(number) => Ok(Value::Float(number.abs())),
        Value::Unknown => Ok(Value::Unknown),
        _ => match value.as_int() {
            Some(number) if number != i64::MIN => Ok(Value::Int(number.abs())),
            _ => {
                let negative = cx.compare(CompareOp::Lt, value, &Value::Int(0)).map_err(|_| {
                    Raised::type_error(format!("bad operand type for abs(): '{}'", plain_type_name(value)))
                })?;
                if cx.truth(&negative)? {
                    cx.binary(BinaryOp::Sub, &Value::Int(0), value)
                } else {
                    Ok(value.clone())
                }
            }
        },
    }
}

/// `any` and `all`: the first item whose truth is `stop` decides; unknown items make the answer unknown.
fn any_all(cx: &mut Interp, args: &mut Args, stop: bool) -> Result<Value> {
    let mut iterator = cx.iter(args.value(0))?;
    let mut unknown = false;
    while let Some(item) = iterator.next(cx)? {
        cx.count_step()?;
        match cx.truth_value(&item)? {
            Some(truth) if truth == stop => return Ok(Value::Bool(stop)),
            Some(_) => {}
            None => unknown = true,
        }
    }
    Ok(if unknown { Value::Unknown } else { Value::Bool(!stop) })
}

fn extreme(cx: &mut Interp, args: &mut Args, op: CompareOp) -> Result<Value> {
    let function = args.function();
    let items = match args.rest() {
        [] => {
            return Err(Raised::argument_error(format!(
                "{function} expected at least 1 argument, got 0"
            )));
        }
        [one] => cx.collect(&one.value.clone())?,
        many => many.iter().map(|arg| arg.value.clone()).collect(),
    };
    let key = args.some(0).cloned();
    let mut best: Option<(Value, Value)> = None;
    for item in items {
        cx.count_step()?;
        let rank = match &key {
            Some(key) => cx.call_values(key, vec![item.clone()])?,
            None => item.clone(),
        };
        let better = match &best {
            Some((_, best_rank)) => cx.compare(op, &rank, best_rank)?,
            None => Value::Bool(true),
        };
        match cx.truth_value(&better)? {
            Some(true) => best = Some((item, rank)),
            Some(false) => {}
            None => return Ok(Value::Unknown),
        }
    }
    match (best, args.get(1)) {
        (Some((item, _)), _) => Ok(item),
        (None, Some(default)) => Ok(default.clone()),
        (None, None) => Err(Raised::value_error(format!("{function}() iterable argument is empty"))),
    }
}

fn round(cx: &mut Interp, args: &mut Args) -> Result<Value> {
    let value = args.value(0).clone();
    if let Some(result) = cx.call_special(&value, "__round__", args.some(1).cloned().into_iter().collect())? {
        return Ok(result);
    }
    let number = match &value {
        Value::Unknown => return Ok(Value::Unknown),
        Value::Float(number) => *number,
        Value::Native(native) => match Rc::clone(native).number(cx)? {
            Some(Value::Float(number)) => number,
            Some(other) => return Ok(other),
            None => return Err(args.wrong(0, "a real number")),
        },
        other => match (other.as_int(), args.some(1).and_then(Value::as_int)) {
            (Some(number), Some(digits)) if digits < 0 => return Ok(Value::Int(round_int(number, digits))),
            (Some(_), _) => return Ok(other.clone()),
            (None, _) => return Err(args.wrong(0, "a real number")),
        },
    };
    match args.some(1) {
        None => whole(number, double::rint(number)),
        Some(_) => {
            let digits = args.int(1)?;
            if digits < 0 {
                let scale = double::pow(10.0, -digits as f64);
                return Ok(Value::Float(double::rint(number / scale) * scale));
            }
            // The decimal conversion rounds the exact value, half to even, as Python does.
            let text = format!("{number:.*}", (digits as usize).min(400));
            Ok(Value::Float(text.parse().unwrap_or(number)))
        }
    }
}

fn round_int(number: i64, digits: i64) -> i64 {
    let Some(scale) = u32::try_from(-digits)
        .ok()
        .and_then(|digits| 10_i64.checked_pow(digits))
    else {
        return 0;
    };
    let (low, rest) = (number.div_euclid(scale), number.rem_euclid(scale));
    let up = rest * 2 > scale || (rest * 2 == scale && low % 2 != 0);
    (low + i64::from(up)) * scale
}

/// A float without fraction as an integer.
pub(crate) fn whole(original: f64, rounded: f64) -> Result<Value> {
    if original.is_nan() {
        return Err(Raised::value_error("cannot convert float NaN to integer"));
    }
    if original.is_infinite() {
        return Err(Raised::new(
            Exception::OverflowError,
            "cannot convert float infinity to integer",
        ));
    }
    if rounded.abs() < 9.0e18 {
        return Ok(Value::Int(rounded as i64));
    }
    use num_traits::FromPrimitive;
    Ok(Value::integer(BigInt::from_f64(rounded).unwrap_or_default()))
}

/// Parameter `at` as a big integer.
fn big(args: &Args, at: usize) -> Result<BigInt> {
    match args.value(at) {
        Value::Big(number) => Ok((**number).clone()),
        _ => args.int(at).map(BigInt::from),
    }
}

fn in_base(args: &mut Args, base: u32, prefix: &str) -> Result<Value> {
    let number = big(args, 0)?;
    let sign = if number.sign() == num_bigint::Sign::Minus {
        "-"
    } else {
        ""
    };
    let digits = number.magnitude().to_str_radix(base);
    Ok(Value::from(format!("{sign}{prefix}{digits}")))
}

fn is_subclass(class: &Rc<Class>, other: &Value) -> Result<bool> {
    match other {
        Value::Class(other) => Ok(class.derives_from(other)),
        Value::Tuple(others) => others
            .iter()
            .try_fold(false, |found, other| Ok(found || is_subclass(class, other)?)),
        Value::Native(native) => Ok(native.is_a(&class.name)),
        _ => Err(Raised::type_error(
            "issubclass() arg 2 must be a class, a tuple of classes, or a union",
        )),
    }
}

/// A dictionary from pairs.
pub(crate) fn pairs_to_dict(cx: &mut Interp, source: &Value, dict: &mut Dict) -> Result<()> {
    for (at, pair) in cx.collect(source)?.iter().enumerate() {
        match cx.collect(pair)?.as_slice() {
            [key, value] => cx.dict_set(dict, key.clone(), value.clone())?,
            other => {
                let text = format!(
                    "dictionary update sequence element #{at} has length {}; 2 is required",
                    other.len()
                );
                return Err(Raised::value_error(text));
            }
        }
    }
    Ok(())
}
