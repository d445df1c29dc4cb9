//! Arguments of an instruction call, in a form that knows no Python.

use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

use crate::base::diag::{Code, Fault};
use crate::ensure;
use crate::isa::spec::OpSpec;
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
    /// A list of tiles whose views follow each other in the tables: the first, and how many.
    Tensors(ViewId, u32),
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
            Self::Tensors(..) => "a list of tiles".to_owned(),
            Self::Other(name) => format!("a {name}"),
        }
    }
}

/// The arguments of one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Args {
    /// Positional arguments.
    pub positional: SmallVec<[Arg; 4]>,
    /// Keyword arguments in call order.
    pub keywords: SmallVec<[(Rc<str>, Arg); 8]>,
}

impl Args {
    /// Distributes the arguments over the parameters of `spec`, as Python does. `name=` is common to all instructions and
    /// skipped here; deprecated keywords go to the parameter that took their place, or nowhere.
    ///
    /// # Errors
    /// Too many positional arguments, an unknown keyword, or an argument given twice.
    pub fn slots<'a>(&'a self, spec: &OpSpec) -> Result<SmallVec<[Option<&'a Arg>; 16]>, Fault> {
        let mut slots: SmallVec<[Option<&Arg>; 16]> = smallvec![None; spec.params.len()];
        let most = spec.params.len() + usize::from(spec.named);
        ensure!(
            self.positional.len() <= most,
            Argument,
            "{}() takes at most {most} arguments, {} were given",
            spec.name,
            self.positional.len()
        );
        for (slot, arg) in slots.iter_mut().zip(&self.positional) {
            *slot = Some(arg);
        }
        for (keyword, arg) in &self.keywords {
            let Some(at) = keyword_slot(spec, keyword)? else {
                continue;
            };
            if slots[at].replace(arg).is_some() {
                let message = format!("{}() got '{}' twice", spec.name, spec.params[at].name);
                return Err(Fault::new(Code::Argument, message).on(spec.params[at].name));
            }
        }
        Ok(slots)
    }

    /// Warnings about keywords of earlier releases.
    pub fn deprecations(&self, spec: &OpSpec) -> Vec<Fault> {
        let old = |keyword: &str| spec.deprecated.iter().find(|row| row.old == keyword);
        let rows = self.keywords.iter().filter_map(|(keyword, _)| old(keyword));
        rows.map(|row| {
            let message = format!("{}(): '{}' is deprecated", spec.name, row.old);
            Fault::new(Code::Deprecated, message).on(row.old).hint(row.advice)
        })
        .collect()
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

/// The slot that a keyword fills; `None` if it is taken but has no slot.
fn keyword_slot(spec: &OpSpec, keyword: &str) -> Result<Option<usize>, Fault> {
    if spec.named && keyword == "name" {
        return Ok(None);
    }
    let place = |name: &str| spec.params.iter().position(|param| param.name == name);
    if let Some(row) = spec.deprecated.iter().find(|row| row.old == keyword) {
        return Ok(row.new.and_then(place));
    }
    if let Some(at) = place(keyword) {
        return Ok(Some(at));
    }
    let mut known: Vec<_> = spec.params.iter().map(|param| param.name).collect();
    if spec.named {
        known.push("name");
    }
    Err(
        Fault::new(Code::Argument, format!("{}() has no parameter '{keyword}'", spec.name))
            .hint(format!("its parameters are {}", known.join(", "))),
    )
}
