//! Built-in types as functions: `int(x)`, `list(x)`, `property(f)`, and methods of numbers.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::Num;

use super::builtins::{pairs_to_dict, whole};
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{Args, plain_type_name};
use crate::interp::dict::Dict;
use crate::interp::object::{Descriptor, TypeTag};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::{Range, Slice, SuperObject, Value};
use crate::numerics::math::double;

builtin! {
    /// Built-in types that can be called.
    pub TYPES;
    /// An integer from a number or a text.
    "int" "(x=0, /, base=10)" => int;
    /// A float from a number or a text.
    "float" "(x=0.0, /)" => float;
    /// The text of an object.
    "str" "(object='', *args, **kwargs)" => |cx, args| match args.get(0) {
        Some(value) => cx.str(value).map(Value::from),
        None => Ok(Value::from("")),
    };
    /// The truth of an object.
    "bool" "(x=False, /)" => |cx, args| {
        let truth = cx.truth_value(args.value(0))?;
        Ok(truth.map_or(Value::Unknown, Value::Bool))
    };
    /// A list of the items.
    "list" "(iterable=(), /)" => |cx, args| Ok(Value::list(items(cx, args)?));
    /// A tuple of the items.
    "tuple" "(iterable=(), /)" => |cx, args| match args.get(0) {
        Some(tuple @ Value::Tuple(_)) => Ok(tuple.clone()),
        _ => Ok(Value::tuple(items(cx, args)?)),
    };
    /// A set of the items.
    "set" "(iterable=(), /)" => |cx, args| {
        let items = items(cx, args)?;
        cx.make_set(items, false)
    };
    /// A set of the items that cannot change.
    "frozenset" "(iterable=(), /)" => |cx, args| {
        let items = items(cx, args)?;
        cx.make_set(items, true)
    };
    /// A dictionary from a mapping or pairs, and keywords.
    "dict" "(mapping_or_iterable=(), /, **kwargs)" => |cx, args| {
        let mut dict = Dict::default();
        if let Some(source) = args.get(0).cloned() {
            update(cx, &source, &mut dict)?;
        }
        for (name, arg) in args.keywords() {
            dict.set_str(name, arg.value.clone());
        }
        Ok(Value::dict(dict))
    };
    /// Integers from `start` to `stop`, without `stop`.
    "range" "(start, stop=…, step=1, /)" => range;
    /// The slice `start:stop:step`.
    "slice" "(start, stop=…, step=None, /)" => |_cx, args| {
        let (start, stop) = match args.get(1) {
            Some(stop) => (args.value(0).clone(), stop.clone()),
            None => (Value::None, args.value(0).clone()),
        };
        Ok(Value::Slice(Rc::new(Slice { start, stop, step: args.take(2) })))
    };
    /// The class of an object.
    "type" "(object, /)" => |cx, args| Ok(Value::Class(cx.class_of(args.value(0))));
    /// A plain object.
    "object" "()" => |cx, _args| {
        let class = cx.type_class(TypeTag::Object);
        Ok(cx.new_instance(&class, &[]))
    };
    /// An attribute that functions compute.
    "property" "(fget=None, fset=None, fdel=None, doc=None)" => |_cx, args| {
        let parts = Descriptor::Property(args.take(0), args.take(1), args.take(2));
        Ok(Value::Descriptor(Rc::new(parts)))
    };
    /// A method that ignores its object.
    "staticmethod" "(function, /)" => |_cx, args| {
        Ok(Value::Descriptor(Rc::new(Descriptor::Static(args.take(0)))))
    };
    /// A method that gets the class.
    "classmethod" "(function, /)" => |_cx, args| {
        Ok(Value::Descriptor(Rc::new(Descriptor::Class(args.take(0)))))
    };
    /// Attributes of the classes behind `type` in the order of the object's class.
    "super" "(type, object, /)" => |_cx, args| match args.value(0) {
        Value::Class(class) => {
            let after = Rc::clone(class);
            Ok(Value::Super(Rc::new(SuperObject { object: args.take(1), after })))
        }
        _ => Err(args.wrong(0, "a class")),
    };
}

builtin! {
    /// What every class inherits.
    pub OBJECT_METHODS;
    /// Does nothing.
    "object.__init__" "(self, *args, **kwargs)" => |cx, args| {
        let rest: Vec<Value> = args.rest().iter().map(|arg| arg.value.clone()).collect();
        let object = args.value(0).clone();
        if let Value::Instance(instance) = &object
            && instance.class.exception.is_some()
        {
            return cx.setattr_plain(&object, "args", Value::tuple(rest)).map(|()| Value::None);
        }
        Ok(Value::None)
    };
    /// A new instance.
    "object.__new__" "(cls, *args, **kwargs)" => |cx, args| {
        let Value::Class(class) = args.value(0).clone() else { return Err(args.wrong(0, "a class")) };
        let call = args.forward();
        cx.allocate(&class, &call)
    };
    /// Sets an attribute without asking the class.
    "object.__setattr__" "(self, name, value, /)" => |cx, args| {
        let name = args.str(1)?.to_owned();
        cx.setattr_plain(args.value(0), &name, args.value(2).clone())?;
        Ok(Value::None)
    };
}

builtin! {
    /// Methods of integers.
    pub INT_METHODS;
    /// The number of bits of the absolute value.
    "bit_length" "(self)" => |_cx, args| match args.value(0) {
        Value::Big(number) => Ok(Value::Int(number.bits() as i64)),
        _ => Ok(Value::Int(i64::from(64 - args.int(0)?.unsigned_abs().leading_zeros()))),
    };
    /// The number of ones in the absolute value.
    "bit_count" "(self)" => |_cx, args| Ok(Value::Int(i64::from(args.int(0)?.unsigned_abs().count_ones())));
    /// Always true.
    "is_integer" "(self)" => |_cx, _args| Ok(Value::Bool(true));
    /// The number itself.
    "__index__" "(self)" => |_cx, args| Ok(args.take(0));
    /// The number itself.
    "item" "(self)" => |_cx, args| Ok(args.take(0));
}

builtin! {
    /// Methods of floats.
    pub FLOAT_METHODS;
    /// Whether there is no fraction.
    "is_integer" "(self)" => |_cx, args| Ok(Value::Bool(args.float(0)? == double::trunc(args.float(0)?)));
    /// The number itself.
    "item" "(self)" => |_cx, args| Ok(args.take(0));
}

builtin! {
    /// Methods of properties.
    pub PROPERTY_METHODS;
    /// The property with another getter.
    "getter" "(self, function)" => |_cx, args| with_part(args, 0);
    /// The property with a setter.
    "setter" "(self, function)" => |_cx, args| with_part(args, 1);
    /// The property with a deleter.
    "deleter" "(self, function)" => |_cx, args| with_part(args, 2);
}

builtin! {
    /// Methods of slices.
    pub SLICE_METHODS;
    /// Start, stop and step for a sequence of this length.
    "indices" "(self, length, /)" => |cx, args| {
        let Value::Slice(slice) = args.value(0).clone() else { return Err(args.wrong(0, "a slice")) };
        let (start, stop, step) = cx.slice_indices(&slice, args.size(1)?)?;
        Ok(Value::tuple([Value::Int(start), Value::Int(stop), Value::Int(step)]))
    };
}

/// Makes the types callable and names them.
pub(super) fn install(cx: &mut Interp) {
    for row in TYPES {
        let Some(tag) = TypeTag::ALL.iter().copied().find(|tag| tag.name() == row.name) else {
            continue;
        };
        let class = cx.type_class(tag);
        if tag != TypeTag::Object {
            class.attrs.borrow_mut().set(&"__new__".into(), Value::Builtin(row));
        }
        cx.builtins.insert(row.name.to_owned(), Value::Class(class));
    }
    let object = cx.type_class(TypeTag::Object);
    for row in OBJECT_METHODS {
        let name = row.name.trim_start_matches("object.");
        object.attrs.borrow_mut().set(&name.into(), Value::Builtin(row));
    }
}

fn with_part(args: &mut Args, part: usize) -> Result<Value> {
    let function = args.take(1);
    let Value::Descriptor(descriptor) = args.value(0) else {
        return Err(args.wrong(0, "a property"));
    };
    let Descriptor::Property(getter, setter, deleter) = &**descriptor else {
        return Err(args.wrong(0, "a property"));
    };
    let mut parts = [getter.clone(), setter.clone(), deleter.clone()];
    parts[part] = function;
    let [getter, setter, deleter] = parts;
    Ok(Value::Descriptor(Rc::new(Descriptor::Property(
        getter, setter, deleter,
    ))))
}

fn items(cx: &mut Interp, args: &Args) -> Result<Vec<Value>> {
    match args.get(0) {
        Some(source) => cx.collect(&source.clone()),
        None => Ok(Vec::new()),
    }
}

/// Adds a mapping or pairs to a dictionary.
pub(crate) fn update(cx: &mut Interp, source: &Value, dict: &mut Dict) -> Result<()> {
    let mapping = matches!(source, Value::Dict(_)) || cx.hasattr(source, "keys")?;
    if !mapping {
        return pairs_to_dict(cx, source, dict);
    }
    for (key, value) in cx.mapping_items(source)? {
        cx.dict_set(dict, key, value)?;
    }
    Ok(())
}

fn int(cx: &mut Interp, args: &mut Args) -> Result<Value> {
    let value = args.value(0).clone();
    match &value {
        Value::None if args.get(0).is_none() => Ok(Value::Int(0)),
        Value::Int(_) | Value::Big(_) | Value::Unknown => Ok(value),
        Value::Bool(truth) => Ok(Value::Int(i64::from(*truth))),
        Value::Float(number) => whole(*number, double::trunc(*number)),
        Value::Str(text) => parse_int(text, args.int_or(1, 10)?),
        Value::Native(native) => match Rc::clone(native).number(cx)? {
            Some(Value::Float(number)) => whole(number, double::trunc(number)),
            Some(number) => Ok(number),
            None => Err(args.wrong(0, "a string, a number or an array of one element")),
        },
        Value::Instance(instance) => {
            for method in ["__int__", "__index__", "__trunc__"] {
                if let Some(result) = cx.call_special(&value, method, Vec::new())? {
                    return Ok(result);
                }
            }
            match &instance.base {
                Some(base) => {
                    let class = Value::Class(cx.type_class(TypeTag::Int));
                    cx.call_values(&class, vec![base.clone()])
                }
                None => Err(not_a_number("int", &value)),
            }
        }
        other => Err(not_a_number("int", other)),
    }
}

fn not_a_number(function: &str, value: &Value) -> Raised {
    let what = if function == "int" {
        "a string, a bytes-like object or a real number"
    } else {
        "a string or a real number"
    };
    Raised::type_error(format!(
        "{function}() argument must be {what}, not '{}'",
        plain_type_name(value)
    ))
}

fn parse_int(text: &str, base: i64) -> Result<Value> {
    let wrong = || {
        Raised::value_error(format!(
            "invalid literal for int() with base {base}: {}",
            crate::interp::eval::text::quote(text)
        ))
    };
    let plain = text.trim();
    let (negative, digits) = match plain.as_bytes().first() {
        Some(b'-') => (true, &plain[1..]),
        Some(b'+') => (false, &plain[1..]),
        _ => (false, plain),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match (base, lower.get(..2)) {
        (0 | 16, Some("0x")) => (16, &lower[2..]),
        (0 | 8, Some("0o")) => (8, &lower[2..]),
        (0 | 2, Some("0b")) => (2, &lower[2..]),
        (0, _) => (10, lower.as_str()),
        (2..=36, _) => (base as u32, lower.as_str()),
        _ => return Err(Raised::value_error("int() base must be >= 2 and <= 36, or 0")),
    };
    if digits.len() > 4300 {
        return Err(Raised::value_error(
            "Exceeds the limit (4300 digits) for integer string conversion",
        ));
    }
    if !digits.starts_with(|digit: char| digit.is_digit(radix)) || digits.ends_with('_') || digits.contains("__") {
        return Err(wrong());
    }
    let number = BigInt::from_str_radix(&digits.replace('_', ""), radix).map_err(|_| wrong())?;
    Ok(Value::integer(if negative { -number } else { number }))
}

fn float(cx: &mut Interp, args: &mut Args) -> Result<Value> {
    let value = args.value(0).clone();
    match &value {
        Value::None if args.get(0).is_none() => Ok(Value::Float(0.0)),
        Value::Unknown => Ok(Value::Unknown),
        Value::Str(text) => {
            let plain = text.trim().replace('_', "");
            let lower = plain.to_ascii_lowercase();
            let known = lower.trim_start_matches(['-', '+']);
            let word = matches!(known, "inf" | "infinity" | "nan");
            let digits = known.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.');
            let number: Option<f64> = if word || digits { lower.parse().ok() } else { None };
            number.map(Value::Float).ok_or_else(|| {
                let quoted = crate::interp::eval::text::quote(text);
                Raised::value_error(format!("could not convert string to float: {quoted}"))
            })
        }
        Value::Native(native) => match Rc::clone(native).number(cx)? {
            Some(Value::Unknown) => Ok(Value::Unknown),
            Some(number) => Ok(Value::Float(number.as_float().unwrap_or(f64::NAN))),
            None => Err(args.wrong(0, "a string, a number or an array of one element")),
        },
        _ => {
            if let Some(result) = cx.call_special(&value, "__float__", Vec::new())? {
                return Ok(result);
            }
            match value.as_float() {
                Some(number) => Ok(Value::Float(number)),
                None => Err(not_a_number("float", &value)),
            }
        }
    }
}

fn range(cx: &mut Interp, args: &mut Args) -> Result<Value> {
    let mut bound = |at: usize| -> Result<i64> {
        let value = args.value(at).clone();
        match cx.index_number(&value)? {
            Some(number) => Ok(number),
            None => {
                let text = format!(
                    "'{}' object cannot be interpreted as an integer",
                    plain_type_name(&value)
                );
                let raised = Raised::type_error(text);
                let raised = if matches!(value, Value::Float(_)) {
                    raised.hint("divide with // to get an integer")
                } else {
                    raised
                };
                Err(match args.span(at) {
                    Some(span) => raised.at(span),
                    None => raised,
                })
            }
        }
    };
    let first = bound(0)?;
    let (start, stop) = if args.get(1).is_some() {
        (first, bound(1)?)
    } else {
        (0, first)
    };
    let step = if args.get(2).is_some() { bound(2)? } else { 1 };
    if step == 0 {
        return Err(Raised::value_error("range() arg 3 must not be zero"));
    }
    Ok(Value::Range(Rc::new(Range { start, stop, step })))
}
