//! Arguments of an instruction call, in a form that knows no Python.

use std::rc::Rc;

use crate::base::diag::{Code, Fault};
use crate::isa::spec::ParamSpec;
use crate::numerics::dtype::Dtype;
use crate::tensor::view::{RegId, ViewId};

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// A tile.
    Tensor(ViewId),
    /// A virtual register.
    Register(RegId),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// `None`.
    None,
    /// A string.
    Str(Rc<str>),
    /// A dtype.
    Dtype(Dtype),
    /// A function of `nki.language` or NumPy that stands for an operator or activation, by name.
    Function(&'static str),
    /// A member of an enum of `nki.isa` or `nki.language`: class and member name.
    Member(&'static str, &'static str),
    /// A list or tuple.
    List(Vec<Self>),
    /// Anything else, by the name of its type.
    Other(Rc<str>),
}

impl Arg {
    /// What the argument is, for "expected …, got …".
    pub fn describe(&self) -> String {
        match self {
            Self::Tensor(_) => "a tile".to_owned(),
            Self::Register(_) => "a register".to_owned(),
            Self::Int(value) => format!("the integer {value}"),
            Self::Float(value) => format!("the float {value}"),
            Self::Bool(value) => (if *value { "True" } else { "False" }).to_owned(),
            Self::None => "None".to_owned(),
            Self::Str(value) => format!("the string {value:?}"),
            Self::Dtype(dtype) => format!("the dtype {}", dtype.name()),
            Self::Function(name) => format!("the function {name}"),
            Self::Member(class, name) => format!("{class}.{name}"),
            Self::List(items) => format!("a list of {}", items.len()),
            Self::Other(name) => format!("a {name}"),
        }
    }
}

/// The arguments of one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Args {
    /// Positional arguments.
    pub positional: Vec<Arg>,
    /// Keyword arguments in call order.
    pub keywords: Vec<(Rc<str>, Arg)>,
}

impl Args {
    /// Distributes the arguments over `params`, as Python does. `name=` is common to all instructions and skipped here.
    ///
    /// # Errors
    /// Too many positional arguments, an unknown keyword, or an argument given twice.
    pub fn slots<'a>(&'a self, op: &str, params: &[ParamSpec]) -> Result<Vec<Option<&'a Arg>>, Fault> {
        let mut slots = vec![None; params.len()];
        if self.positional.len() > params.len() + 1 {
            let message = format!(
                "{op}() takes at most {} arguments, {} were given",
                params.len() + 1,
                self.positional.len()
            );
            return Err(Fault::new(Code::Argument, message));
        }
        for (slot, arg) in slots.iter_mut().zip(&self.positional) {
            *slot = Some(arg);
        }
        for (keyword, arg) in &self.keywords {
            if &**keyword == "name" {
                continue;
            }
            let Some(at) = params.iter().position(|param| param.name == &**keyword) else {
                let known = params.iter().map(|param| param.name).collect::<Vec<_>>().join(", ");
                return Err(
                    Fault::new(Code::Argument, format!("{op}() has no parameter '{keyword}'"))
                        .hint(format!("its parameters are {known}, name")),
                );
            };
            if slots[at].replace(arg).is_some() {
                return Err(Fault::new(Code::Argument, format!("{op}() got '{keyword}' twice")).on(params[at].name));
            }
        }
        Ok(slots)
    }

    /// The `name=` of the instruction, if one was given.
    pub fn instruction_name(&self, params: usize) -> Option<Rc<str>> {
        let keyword = self
            .keywords
            .iter()
            .find(|(keyword, _)| &**keyword == "name")
            .map(|(_, arg)| arg);
        match keyword.or_else(|| self.positional.get(params)) {
            Some(Arg::Str(name)) => Some(name.clone()),
            _ => None,
        }
    }
}
