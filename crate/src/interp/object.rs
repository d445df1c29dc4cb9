//! Classes, instances and functions of the script.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use crate::interp::contents::take_apart;
use crate::interp::dict::Namespace;
use crate::interp::raised::Exception;
use crate::interp::scope::{ModuleId, SharedCell};
use crate::interp::value::{Name, Value};
use crate::syntax::ast::Code;

/// The table of built-in types that values can have.
macro_rules! type_tags {
    ($($name:ident = $text:literal,)*) => {
        /// A built-in type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum TypeTag { $(#[doc = concat!("`", $text, "`.")] $name,)* }

        impl TypeTag {
            /// Every type.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// What `type(x).__name__` says.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

type_tags! {
    Object = "object",
    None = "NoneType",
    Ellipsis = "ellipsis",
    NotImplemented = "NotImplementedType",
    Int = "int",
    Bool = "bool",
    Float = "float",
    Str = "str",
    Tuple = "tuple",
    List = "list",
    Dict = "dict",
    Set = "set",
    Frozenset = "frozenset",
    Slice = "slice",
    Range = "range",
    Function = "function",
    Builtin = "builtin_function_or_method",
    Method = "method",
    Type = "type",
    Property = "property",
    StaticMethod = "staticmethod",
    ClassMethod = "classmethod",
    Super = "super",
    Module = "module",
    Iterator = "iterator",
}

/// A class.
pub struct Class {
    /// Its name.
    pub name: Name,
    /// Direct base classes.
    pub bases: Vec<Rc<Class>>,
    /// Method resolution order behind the class itself.
    pub mro: Vec<Rc<Class>>,
    /// Attributes and methods.
    pub attrs: RefCell<Namespace>,
    /// The built-in type whose content its instances carry; [`TypeTag::Object`] for none.
    pub tag: TypeTag,
    /// Whether it is part of the language, not of a script.
    pub builtin: bool,
    /// The nearest built-in exception class, for exceptions.
    pub exception: Option<Exception>,
    /// Whether it is an enumeration.
    pub is_enum: bool,
    /// What `@dataclass` found.
    pub dataclass: RefCell<Option<Rc<Dataclass>>>,
}

impl Class {
    /// The attribute `name` of the class or the first base that has it.
    pub fn lookup(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.attrs.borrow().get(name) {
            return Some(value.clone());
        }
        self.mro
            .iter()
            .find_map(|class| class.attrs.borrow().get(name).cloned())
    }

    /// Whether it is `other` or derives from it.
    pub fn derives_from(&self, other: &Rc<Self>) -> bool {
        std::ptr::eq(self, Rc::as_ptr(other)) || self.mro.iter().any(|class| Rc::ptr_eq(class, other))
    }
}

/// What `@dataclass` found.
pub struct Dataclass {
    /// The fields in order, base classes first.
    pub fields: Vec<Field>,
    /// Whether attributes cannot be set.
    pub frozen: bool,
    /// Whether instances compare by their fields.
    pub eq: bool,
    /// Whether instances are ordered by their fields.
    pub order: bool,
}

/// A field of a data class.
#[derive(Clone)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its default.
    pub default: Option<Value>,
    /// A function that makes its default.
    pub factory: Option<Value>,
    /// Whether the constructor takes it.
    pub init: bool,
    /// Whether `repr` shows it.
    pub repr: bool,
    /// Whether comparisons use it.
    pub compare: bool,
    /// Whether the constructor takes it by keyword only.
    pub keyword_only: bool,
}

/// An object of a class.
pub struct Instance {
    /// Its class.
    pub class: Rc<Class>,
    /// Its attributes.
    pub attrs: RefCell<Namespace>,
    /// The content that a subclass of a built-in type carries.
    pub base: Option<Value>,
}

/// A function of the script.
pub struct Function {
    /// Its body.
    pub code: Rc<Code>,
    /// The module whose globals it uses.
    pub module: ModuleId,
    /// Values of the defaults, in order of the parameters that have one.
    pub defaults: Box<[Value]>,
    /// Captured variables.
    pub cells: Box<[SharedCell]>,
    /// The class that contains it, for `super()`.
    pub owner: RefCell<Weak<Class>>,
    /// Attributes that a script or decorator set.
    pub attrs: RefCell<Namespace>,
}

impl Function {
    /// Takes out what only this function holds: values of defaults and captured variables.
    pub fn take_values(&mut self) -> Vec<Value> {
        let defaults = std::mem::take(&mut self.defaults).into_vec();
        let cells = std::mem::take(&mut self.cells).into_vec();
        let captured = cells
            .into_iter()
            .filter_map(Rc::into_inner)
            .filter_map(RefCell::into_inner);
        defaults.into_iter().chain(captured).collect()
    }

    /// The name.
    pub fn name(&self) -> &Name {
        &self.code.name
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        take_apart(self.take_values());
    }
}

/// `property`, `staticmethod` or `classmethod`.
pub enum Descriptor {
    /// A computed attribute: getter, setter, deleter.
    Property(Value, Value, Value),
    /// A function that ignores the object.
    Static(Value),
    /// A function that gets the class.
    Class(Value),
}

impl Descriptor {
    /// The built-in type of the descriptor.
    pub fn tag(&self) -> TypeTag {
        match self {
            Self::Property(..) => TypeTag::Property,
            Self::Static(_) => TypeTag::StaticMethod,
            Self::Class(_) => TypeTag::ClassMethod,
        }
    }
}
