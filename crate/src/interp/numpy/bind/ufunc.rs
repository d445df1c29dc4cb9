//! Universal functions as objects: `np.add(a, b)`, `np.add.reduce(a)`, `np.maximum.accumulate(a)`.

use super::convert::{array_operand, array_value, as_array, dtype_of, integers, operand};
use super::session::raised;
use crate::interp::Interp;
use crate::interp::builtin::{Arg, CallArgs};
use crate::interp::native::{Answer, NativeObject};
use crate::interp::numpy::array::Array;
use crate::interp::numpy::math::{self, Binary, Unary};
use crate::interp::numpy::reduce::{self, Along, Reduction};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;

/// A universal function.
#[derive(Clone, Copy)]
pub enum Function {
    /// Of one operand.
    Unary(Unary),
    /// Of two operands.
    Binary(Binary),
}

/// A universal function, or a method of one.
pub struct Ufunc {
    function: Function,
    method: Option<&'static str>,
}

/// Methods that functions of two operands have.
const METHODS: [&str; 3] = ["reduce", "accumulate", "outer"];

/// Other names of functions.
const ALIASES: [(&str, &str); 11] = [
    ("abs", "absolute"),
    ("fabs", "absolute"),
    ("mod", "remainder"),
    ("true_divide", "divide"),
    ("pow", "power"),
    ("bitwise_not", "invert"),
    ("bitwise_invert", "invert"),
    ("fix", "trunc"),
    ("radians", "deg2rad"),
    ("degrees", "rad2deg"),
    ("atan2", "arctan2"),
];

/// Every function under every name.
pub fn all() -> Vec<(&'static str, Value)> {
    let value = |function| Value::native(Ufunc { function, method: None });
    let unary = Unary::ALL.iter().map(|&op| (op.name(), value(Function::Unary(op))));
    let binary = Binary::ALL.iter().map(|&op| (op.name(), value(Function::Binary(op))));
    let mut out: Vec<(&'static str, Value)> = unary.chain(binary).collect();
    let aliases: Vec<(&'static str, Value)> = ALIASES
        .iter()
        .filter_map(|(alias, name)| {
            out.iter()
                .find(|(known, _)| known == name)
                .map(|(_, value)| (*alias, value.clone()))
        })
        .collect();
    out.extend(aliases);
    out
}

/// The reduction that repeats a function.
fn reduction_of(op: Binary) -> Option<Reduction> {
    Some(match op {
        Binary::Add => Reduction::Sum,
        Binary::Multiply => Reduction::Prod,
        Binary::Maximum => Reduction::Max,
        Binary::Minimum => Reduction::Min,
        Binary::LogicalAnd => Reduction::All,
        Binary::LogicalOr => Reduction::Any,
        _ => return None,
    })
}

impl Ufunc {
    /// The name of the function, if this is the function itself and not a method of it.
    pub fn function_name(&self) -> Option<&'static str> {
        let name = match self.function {
            Function::Unary(op) => op.name(),
            Function::Binary(op) => op.name(),
        };
        self.method.is_none().then_some(name)
    }

    fn name(&self) -> String {
        let name = match self.function {
            Function::Unary(op) => op.name(),
            Function::Binary(op) => op.name(),
        };
        self.method
            .map_or_else(|| name.to_owned(), |method| format!("{name}.{method}"))
    }

    /// Keyword arguments by name; those that are not modelled are refused.
    fn keywords(&self, args: &CallArgs, known: &[&str]) -> Result<()> {
        match args.keywords.iter().find(|(name, _)| !known.contains(&&**name)) {
            None => Ok(()),
            Some((name, arg)) => {
                let message = format!(
                    "{}(): argument '{name}' is not available in the playground",
                    self.name()
                );
                Err(Raised::unimplemented(message).at(arg.span))
            }
        }
    }

    /// `f(a)` or `f(a, b)`.
    fn apply(&self, cx: &mut Interp, args: &CallArgs) -> Result<Value> {
        self.keywords(args, &["out", "dtype"])?;
        let wanted = match self.function {
            Function::Unary(_) => 1,
            Function::Binary(_) => 2,
        };
        let given = args.positional.len();
        if given != wanted && given != wanted + 1 {
            let message = format!(
                "{}() takes {wanted} positional arguments but {given} were given",
                self.name()
            );
            return Err(Raised::argument_error(message));
        }
        let a = operand(cx, &args.positional[0].value)?;
        let made = match self.function {
            Function::Unary(op) => math::unary(op, &a),
            Function::Binary(op) => math::binary(op, &a, &operand(cx, &args.positional[1].value)?),
        };
        let mut made = made.map_err(raised)?;
        if let Some(dtype) = keyword(args, "dtype") {
            let dtype =
                dtype_of(&dtype.value).ok_or_else(|| Raised::type_error("dtype must be a dtype").at(dtype.span))?;
            made = made.astype(dtype).map_err(raised)?;
        }
        let out = args
            .positional
            .get(wanted)
            .or_else(|| keyword(args, "out"))
            .filter(|out| !out.value.is_none());
        let Some(out) = out else { return Ok(array_value(made)) };
        let Some(target) = as_array(&out.value) else {
            return Err(Raised::type_error("out must be an array").at(out.span));
        };
        target
            .write_in_place(&made, &self.name())
            .map_err(|fault| raised(fault).at(out.span))?;
        Ok(out.value.clone())
    }

    /// `f.reduce(a, axis=0)`.
    fn reduce(&self, cx: &mut Interp, op: Binary, args: &CallArgs) -> Result<Value> {
        self.keywords(args, &["axis", "keepdims", "dtype"])?;
        let array = self.array(cx, args)?;
        let Some(reduction) = reduction_of(op) else {
            return Err(Raised::unimplemented(format!(
                "np.{} is not available in the playground",
                self.name()
            )));
        };
        let axes = match args.positional.get(1).or_else(|| keyword(args, "axis")) {
            None => Some(vec![0]),
            Some(arg) if arg.value.is_none() => None,
            Some(arg) => Some(
                integers(cx, &arg.value)?
                    .into_iter()
                    .map(|axis| axis as isize)
                    .collect(),
            ),
        };
        let keepdims = keyword(args, "keepdims").is_some_and(|arg| arg.value.as_int() == Some(1));
        let dtype = keyword(args, "dtype").and_then(|arg| dtype_of(&arg.value));
        Ok(array_value(
            reduce::reduce(reduction, &array, &Along { axes, keepdims, dtype }).map_err(raised)?,
        ))
    }

    /// `f.accumulate(a, axis=0)`.
    fn accumulate(&self, cx: &mut Interp, op: Binary, args: &CallArgs) -> Result<Value> {
        self.keywords(args, &["axis", "dtype"])?;
        let array = self.array(cx, args)?;
        let axis = match args.positional.get(1).or_else(|| keyword(args, "axis")) {
            None => 0,
            Some(arg) => super::convert::integer(cx, &arg.value)? as isize,
        };
        let dtype = keyword(args, "dtype").and_then(|arg| dtype_of(&arg.value));
        Ok(array_value(
            reduce::accumulate(op, &array, Some(axis), dtype).map_err(raised)?,
        ))
    }

    /// `f.outer(a, b)`.
    fn outer(&self, cx: &mut Interp, op: Binary, args: &CallArgs) -> Result<Value> {
        self.keywords(args, &[])?;
        let a = self.array(cx, args)?;
        let Some(second) = args.positional.get(1) else {
            return Err(Raised::argument_error(format!("{}() needs two operands", self.name())));
        };
        let b = array_operand(cx, &second.value)?;
        let grown = a.reshape(&[a.shape(), &vec![1; b.ndim()]].concat()).map_err(raised)?;
        Ok(array_value(math::binary(op, &grown, &b).map_err(raised)?))
    }

    /// The first argument of a method.
    fn array(&self, cx: &mut Interp, args: &CallArgs) -> Result<Array> {
        match args.positional.first() {
            Some(arg) => array_operand(cx, &arg.value),
            None => Err(Raised::argument_error(format!("{}() needs an array", self.name()))),
        }
    }
}

/// A keyword argument.
fn keyword<'a>(args: &'a CallArgs, name: &str) -> Option<&'a Arg> {
    args.keywords
        .iter()
        .find(|(known, _)| **known == *name)
        .map(|(_, arg)| arg)
}

impl NativeObject for Ufunc {
    fn type_name(&self) -> &str {
        "ufunc"
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        if name == "__name__" {
            return Ok(Some(Value::str(self.name())));
        }
        let method = METHODS.iter().find(|known| **known == name);
        Ok(match (self.function, self.method, method) {
            (Function::Binary(_), None, Some(method)) => Some(Value::native(Self {
                function: self.function,
                method: Some(method),
            })),
            _ => None,
        })
    }

    fn attribute_names(&self) -> Vec<String> {
        METHODS.map(str::to_owned).to_vec()
    }

    fn call(&self, cx: &mut Interp, args: CallArgs) -> Answer {
        match (self.function, self.method) {
            (Function::Binary(op), Some("reduce")) => self.reduce(cx, op, &args),
            (Function::Binary(op), Some("accumulate")) => self.accumulate(cx, op, &args),
            (Function::Binary(op), Some(_)) => self.outer(cx, op, &args),
            _ => self.apply(cx, &args),
        }
        .map(Some)
    }

    fn key(&self) -> Option<String> {
        Some(format!("ufunc {}", self.name()))
    }

    fn repr(&self, _cx: &mut Interp) -> Result<String> {
        Ok(format!("<ufunc '{}'>", self.name()))
    }
}
