//! Python values.
//!
//! A [`Value`] is two or three words: numbers, `bool` and `None` are inline, everything else is a reference count. On
//! the web it takes 16 bytes. Integers are `i64` and become big integers when they leave its range.
//!
//! [`Value::Unknown`] is a number or truth value that exists at run time but not yet: in estimate mode the elements of
//! host arrays are never computed. It spreads through arithmetic and comparison, prints as `?`, and a branch on it
//! raises [`crate::interp::raised::Kind::Suspend`].

use std::cell::RefCell;
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::interp::builtin::{Builtin, CallArgs};
use crate::interp::contents::{Contents, take_apart};
use crate::interp::dict::Dict;
use crate::interp::native::{NativeObject, PyIterator};
use crate::interp::object::{Class, Descriptor, Function, Instance, TypeTag};
use crate::interp::scope::ModuleId;

/// An identifier or attribute name.
pub type Name = Rc<str>;

/// A Python value.
#[derive(Clone)]
pub enum Value {
    /// `None`.
    None,
    /// `...`.
    Ellipsis,
    /// `NotImplemented`, what an operator method returns to let the other operand try.
    NotImplemented,
    /// A scalar that is not computed.
    Unknown,
    /// `True` or `False`.
    Bool(bool),
    /// An integer of at most 64 bits.
    Int(i64),
    /// A float.
    Float(f64),
    /// An integer that does not fit into 64 bits.
    Big(Rc<BigInt>),
    /// A string.
    Str(Rc<str>),
    /// A tuple.
    Tuple(Rc<Contents>),
    /// A list.
    List(Rc<RefCell<Contents>>),
    /// A dictionary.
    Dict(Rc<RefCell<Dict>>),
    /// A set or frozen set.
    Set(Rc<SetObject>),
    /// `slice(start, stop, step)`.
    Slice(Rc<Slice>),
    /// `range(start, stop, step)`.
    Range(Rc<Range>),
    /// A function of the script.
    Function(Rc<Function>),
    /// A function of a Rust module.
    Builtin(&'static Builtin),
    /// A function with its first argument.
    Bound(Rc<Bound>),
    /// A class, built in or of the script.
    Class(Rc<Class>),
    /// An object of a class of the script, or an exception.
    Instance(Rc<Instance>),
    /// `property`, `staticmethod` or `classmethod`.
    Descriptor(Rc<Descriptor>),
    /// `super()`: attributes of `object` looked up behind `after` in its method resolution order.
    Super(Rc<SuperObject>),
    /// A module.
    Module(ModuleId),
    /// An iterator, which may be a generator.
    Iterator(Rc<IteratorObject>),
    /// An object that Rust code defines.
    Native(Rc<dyn NativeObject>),
}

/// A set; `frozen` ones can be keys.
pub struct SetObject {
    /// Whether it is a `frozenset`.
    pub frozen: bool,
    /// Its items, as keys with value `None`.
    pub items: RefCell<Dict>,
}

/// `slice(start, stop, step)`; each is `None` or an integer.
pub struct Slice {
    /// First index.
    pub start: Value,
    /// Index behind the last.
    pub stop: Value,
    /// Distance.
    pub step: Value,
}

impl Slice {
    /// `:`.
    pub const WHOLE: Self = Self {
        start: Value::None,
        stop: Value::None,
        step: Value::None,
    };
}

/// `range(start, stop, step)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First value.
    pub start: i64,
    /// Bound that is not reached.
    pub stop: i64,
    /// Distance; never 0.
    pub step: i64,
}

impl Range {
    /// The number of values.
    pub fn len(self) -> usize {
        let (low, high) = if self.step > 0 {
            (self.start, self.stop)
        } else {
            (self.stop, self.start)
        };
        if low >= high {
            return 0;
        }
        let distance = i128::from(high) - i128::from(low);
        let step = i128::from(self.step).abs();
        ((distance + step - 1) / step) as usize
    }

    /// Whether there are no values.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The value at `index`, which must be below [`Range::len`].
    pub fn at(self, index: usize) -> i64 {
        (i128::from(self.start) + i128::from(self.step) * index as i128) as i64
    }
}

/// A function with its first argument.
pub struct Bound {
    /// The first argument.
    pub receiver: Value,
    /// The function.
    pub function: Value,
}

impl Bound {
    /// Takes both values out.
    pub fn take_values(&mut self) -> [Value; 2] {
        [&mut self.receiver, &mut self.function].map(|value| std::mem::replace(value, Value::None))
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        take_apart(self.take_values().into());
    }
}

/// What `super()` returns.
pub struct SuperObject {
    /// The object, or the class in a class method.
    pub object: Value,
    /// The class that contains the calling method.
    pub after: Rc<Class>,
}

/// An iterator with its state.
pub struct IteratorObject {
    /// What `type(x).__name__` says, such as `generator`.
    pub type_name: &'static str,
    /// The state; borrowed while `next` runs, so that a generator that asks itself is an error, not a panic.
    pub state: RefCell<Box<dyn PyIterator>>,
}

impl Value {
    /// A string value.
    pub fn str(text: impl Into<Rc<str>>) -> Self {
        Self::Str(text.into())
    }

    /// A new list.
    pub fn list(items: Vec<Self>) -> Self {
        Self::List(Rc::new(RefCell::new(items.into())))
    }

    /// A tuple.
    pub fn tuple(items: impl IntoIterator<Item = Self>) -> Self {
        Self::Tuple(Rc::new(Contents::from(Vec::from_iter(items))))
    }

    /// A tuple of integers, as shapes and strides are.
    pub fn shape(dims: &[usize]) -> Self {
        Self::tuple(dims.iter().map(|&dim| Self::Int(dim as i64)))
    }

    /// A new dictionary.
    pub fn dict(items: Dict) -> Self {
        Self::Dict(Rc::new(RefCell::new(items)))
    }

    /// A new set.
    pub fn set(items: Dict, frozen: bool) -> Self {
        Self::Set(Rc::new(SetObject {
            frozen,
            items: RefCell::new(items),
        }))
    }

    /// An object that Rust code defines.
    pub fn native(object: impl NativeObject) -> Self {
        Self::Native(Rc::new(object))
    }

    /// An iterator.
    pub fn iterator(type_name: &'static str, state: impl PyIterator + 'static) -> Self {
        Self::Iterator(Rc::new(IteratorObject {
            type_name,
            state: RefCell::new(Box::new(state)),
        }))
    }

    /// An integer, small if it fits.
    pub fn integer(number: BigInt) -> Self {
        match number.to_i64() {
            Some(small) => Self::Int(small),
            None => Self::Big(Rc::new(number)),
        }
    }

    /// Whether this can hold other values of the script, and so needs [`crate::interp::contents::take_apart`] when it goes.
    pub fn nests(&self) -> bool {
        matches!(
            self,
            Self::List(_)
                | Self::Tuple(_)
                | Self::Dict(_)
                | Self::Set(_)
                | Self::Instance(_)
                | Self::Function(_)
                | Self::Bound(_)
        )
    }

    /// Whether this is `None`.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// The value as an `i64`, if it is an integer or `bool` that fits (also an instance of a subclass of `int`).
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            Self::Bool(truth) => Some(i64::from(*truth)),
            Self::Instance(instance) => instance.base.as_ref().and_then(Self::as_int),
            _ => None,
        }
    }

    /// The value as an `f64`, if it is a real number.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Self::Float(number) => Some(*number),
            Self::Big(number) => number.to_f64(),
            other => other.as_int().map(|number| number as f64),
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            Self::Instance(instance) => instance.base.as_ref().and_then(Self::as_str),
            _ => None,
        }
    }

    /// The native object inside, if it is a `T`.
    ///
    /// ```ignore
    /// if let Some(tensor) = value.downcast::<NkiTensor>() { /* … */ }
    /// ```
    pub fn downcast<T: NativeObject>(&self) -> Option<&T> {
        match self {
            Self::Native(object) => {
                let any: &dyn std::any::Any = &**object;
                any.downcast_ref()
            }
            _ => None,
        }
    }

    /// The items of a tuple or list, copied (values are cheap to copy); `None` for everything else.
    pub fn as_items(&self) -> Option<Vec<Self>> {
        match self {
            Self::Tuple(items) => Some(items.to_vec()),
            Self::List(items) => Some(items.borrow().to_vec()),
            Self::Instance(instance) => instance.base.as_ref().and_then(Self::as_items),
            _ => None,
        }
    }

    /// The built-in type of the value, for everything but instances and natives.
    pub fn tag(&self) -> TypeTag {
        match self {
            Self::None => TypeTag::None,
            Self::Ellipsis => TypeTag::Ellipsis,
            Self::NotImplemented => TypeTag::NotImplemented,
            Self::Bool(_) => TypeTag::Bool,
            Self::Int(_) | Self::Big(_) => TypeTag::Int,
            Self::Float(_) | Self::Unknown => TypeTag::Float,
            Self::Str(_) => TypeTag::Str,
            Self::Tuple(_) => TypeTag::Tuple,
            Self::List(_) => TypeTag::List,
            Self::Dict(_) => TypeTag::Dict,
            Self::Set(set) => {
                if set.frozen {
                    TypeTag::Frozenset
                } else {
                    TypeTag::Set
                }
            }
            Self::Slice(_) => TypeTag::Slice,
            Self::Range(_) => TypeTag::Range,
            Self::Function(_) => TypeTag::Function,
            Self::Builtin(_) => TypeTag::Builtin,
            Self::Bound(_) => TypeTag::Method,
            Self::Class(_) => TypeTag::Type,
            Self::Descriptor(descriptor) => descriptor.tag(),
            Self::Super(_) => TypeTag::Super,
            Self::Module(_) => TypeTag::Module,
            Self::Iterator(_) => TypeTag::Iterator,
            Self::Instance(_) | Self::Native(_) => TypeTag::Object,
        }
    }

    /// Whether both are the same object, as `is` tests.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None)
            | (Self::Ellipsis, Self::Ellipsis)
            | (Self::NotImplemented, Self::NotImplemented) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Str(a), Self::Str(b)) => a == b,
            (Self::Builtin(a), Self::Builtin(b)) => std::ptr::eq(*a, *b),
            (Self::Module(a), Self::Module(b)) => a == b,
            _ => self.address().is_some_and(|at| Some(at) == other.address()),
        }
    }

    /// The address of the object behind a reference; `None` for inline values.
    pub fn address(&self) -> Option<usize> {
        fn of<T: ?Sized>(object: &Rc<T>) -> Option<usize> {
            Some(Rc::as_ptr(object).cast::<u8>() as usize)
        }
        match self {
            Self::Big(object) => of(object),
            Self::Str(object) => of(object),
            Self::Tuple(object) => of(object),
            Self::List(object) => of(object),
            Self::Dict(object) => of(object),
            Self::Set(object) => of(object),
            Self::Slice(object) => of(object),
            Self::Range(object) => of(object),
            Self::Function(object) => of(object),
            Self::Bound(object) => of(object),
            Self::Class(object) => of(object),
            Self::Instance(object) => of(object),
            Self::Descriptor(object) => of(object),
            Self::Super(object) => of(object),
            Self::Iterator(object) => of(object),
            Self::Native(object) => of(object),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        i64::try_from(number).map_or_else(|_| Self::integer(BigInt::from(number)), Self::Int)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Str(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Str(text.into())
    }
}

impl From<Vec<Value>> for CallArgs {
    fn from(values: Vec<Value>) -> Self {
        Self::positional(values)
    }
}
