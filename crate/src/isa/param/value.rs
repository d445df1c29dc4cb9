//! Parameters that are numbers, operators, or a number or a tile.

use crate::base::diag::{Code, Fault};
use crate::isa::args::Arg;
use crate::isa::context::OpCx;
use crate::isa::spec::{Access, Operand, Param};
use crate::numerics::activation::Activation;
use crate::numerics::alu::AluOp;
use crate::tensor::view::{RegId, ViewId};

impl Param for bool {
    const KIND: &'static str = "True or False";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            Arg::Bool(value) => Ok(*value),
            Arg::Int(value @ (0 | 1)) => Ok(*value == 1),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        if *self { "True" } else { "False" }.to_owned()
    }

    fn choices() -> Vec<&'static str> {
        vec!["True", "False"]
    }
}

impl Param for i32 {
    const KIND: &'static str = "a 32-bit integer";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            Arg::Int(value) => Self::try_from(*value).map_err(|_| Self::mismatch(arg)),
            Arg::Float(value) if value.fract() == 0.0 && value.abs() < 2_147_483_648.0 => Ok(*value as Self),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        self.to_string()
    }
}

impl Param for f32 {
    const KIND: &'static str = "a number";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            Arg::Float(value) => Ok(*value as Self),
            Arg::Int(value) => Ok(*value as Self),
            Arg::Bool(value) => Ok(Self::from(u8::from(*value))),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        format!("{self:?}")
    }
}

impl Param for RegId {
    const KIND: &'static str = "a register (nki.isa.register_alloc)";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            Arg::Register(register) => Ok(*register),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        "...".to_owned()
    }
}

/// A constant or a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterSource {
    /// A constant.
    Constant(i32),
    /// Another register.
    Register(RegId),
}

impl Param for RegisterSource {
    const KIND: &'static str = "a 32-bit integer or a register";

    fn bind(arg: &Arg, cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            Arg::Register(register) => Ok(Self::Register(*register)),
            Arg::Int(_) => i32::bind(arg, cx).map(Self::Constant),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        "...".to_owned()
    }
}

impl Param for AluOp {
    const KIND: &'static str = "an operator of nki.language (nl.add, nl.maximum, ...)";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            Arg::Function(name) => Self::from_name(name).ok_or_else(|| match Activation::from_name(name) {
                Some(_) => Self::mismatch(arg).hint(format!(
                    "nl.{name} is a function of the Scalar Engine: apply it with nisa.activation"
                )),
                None => Self::mismatch(arg).hint(format!("the operators are {}", Self::choices().join(", "))),
            }),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        self.name().to_owned()
    }

    fn choices() -> Vec<&'static str> {
        Self::ALL
            .iter()
            .filter(|op| op.info().listed)
            .map(|op| op.name())
            .collect()
    }
}

impl Param for Activation {
    const KIND: &'static str = "an activation function of nki.language (nl.exp, nl.gelu, ...)";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            Arg::Function(name) => Self::from_name(name).ok_or_else(|| match AluOp::from_name(name) {
                Some(_) => Self::mismatch(arg).hint(format!(
                    "nl.{name} is an operator: apply it with nisa.tensor_scalar or nisa.tensor_tensor"
                )),
                None => Self::mismatch(arg).hint(format!("the Scalar Engine has {}", Self::choices().join(", "))),
            }),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        self.name().to_owned()
    }

    fn choices() -> Vec<&'static str> {
        Self::ALL.iter().map(|func| func.name()).collect()
    }
}

/// A constant, or a tile with one element per partition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operand32 {
    /// A float constant.
    Float(f32),
    /// An integer constant.
    Int(i32),
    /// An integer constant that only fits without a sign.
    Wide(u32),
    /// A tile.
    Tile(ViewId),
}

impl Operand32 {
    /// The tile, if it is one.
    pub fn tile(self) -> Option<ViewId> {
        match self {
            Self::Tile(view) => Some(view),
            Self::Float(_) | Self::Int(_) | Self::Wide(_) => None,
        }
    }

    /// The constant as float32, if it is one.
    pub fn constant(self) -> Option<f32> {
        match self {
            Self::Float(value) => Some(value),
            Self::Int(value) => Some(value as f32),
            Self::Wide(value) => Some(value as f32),
            Self::Tile(_) => None,
        }
    }

    /// The constant as a bit pattern, if it is an integer.
    pub fn bits(self) -> Option<u32> {
        match self {
            Self::Int(value) => Some(value as u32),
            Self::Wide(value) => Some(value),
            Self::Float(value) if value.fract() == 0.0 && value.abs() < 4_294_967_296.0 => Some(value as i64 as u32),
            Self::Float(_) | Self::Tile(_) => None,
        }
    }
}

impl Param for Operand32 {
    const KIND: &'static str = "a number or a tile with one element per partition";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            Arg::Tensor(view) => Ok(Self::Tile(*view)),
            Arg::Float(value) => Ok(Self::Float(*value as f32)),
            Arg::Bool(value) => Ok(Self::Int(i32::from(*value))),
            Arg::Int(value) => Ok(integer(*value)),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        match self {
            Self::Float(value) => value.spell(),
            Self::Int(value) => value.to_string(),
            Self::Wide(value) => value.to_string(),
            Self::Tile(_) => "...".to_owned(),
        }
    }

    fn visit(&self, param: &'static str, visit: &mut dyn FnMut(Operand)) {
        if let Self::Tile(view) = *self {
            visit(Operand {
                param,
                access: Access::Read,
                view,
            });
        }
    }
}

/// The narrowest form of an integer constant; beyond 32 bits it is a float, as the engines see it.
fn integer(value: i64) -> Operand32 {
    if let Ok(value) = i32::try_from(value) {
        Operand32::Int(value)
    } else if let Ok(value) = u32::try_from(value) {
        Operand32::Wide(value)
    } else {
        Operand32::Float(value as f32)
    }
}

/// A constant of any 32-bit type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number(pub Operand32);

impl Param for Number {
    const KIND: &'static str = "a number";

    fn bind(arg: &Arg, cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            Arg::Float(_) | Arg::Int(_) | Arg::Bool(_) => Operand32::bind(arg, cx).map(Self),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        self.0.spell()
    }
}

/// The only fill value of `range_select`: the most negative float32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FillMinimum;

impl Param for FillMinimum {
    const KIND: &'static str = "the most negative float32 (-3.4028235e+38)";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            Arg::Float(value) if *value as f32 == f32::MIN => Ok(Self),
            Arg::Float(_) | Arg::Int(_) => Err(Fault::new(
                Code::Constraint,
                format!("must be -3.4028235e+38 on this hardware, got {}", arg.describe()),
            )
            .hint("leave it out, or select with nisa.select_reduce or nisa.affine_select")),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        "...".to_owned()
    }
}

/// A list of scale factors that must all be 1.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitScales(pub u32);

impl Param for UnitScales {
    const KIND: &'static str = "a list of scale factors that are all 1.0";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        let Arg::List(items) = arg else {
            return Err(Self::mismatch(arg));
        };
        let one = |item: &Arg| matches!(item, Arg::Float(value) if *value == 1.0) || *item == Arg::Int(1);
        match items.iter().find(|item| !one(item)) {
            None => Ok(Self(items.len() as u32)),
            Some(other) => Err(Fault::new(
                Code::Constraint,
                format!("the DMA engines scale by 1.0 only, got {}", other.describe()),
            )
            .hint("scale with nisa.tensor_scalar or nisa.activation before or after")),
        }
    }

    fn spell(&self) -> String {
        "...".to_owned()
    }
}
