//! The types that parameters of instructions have.

mod choice;
mod shape;
mod value;

pub use choice::{Accumulate, DgeMode, DmaEngine, OobMode, PerfMode, ReduceCmd};
pub use shape::{Axes, CoreSet, Permutation, Shuffle, Stride, Strides, TilePair, Views};
pub use value::{FillMinimum, Number, Operand32, RegisterSource, UnitScales};

use crate::base::diag::Fault;
use crate::chip::engine::Engine;
use crate::isa::args::Arg;
use crate::isa::context::OpCx;
use crate::isa::spec::{Access, Operand, Param};
use crate::tensor::view::ViewId;

/// A tile that the instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct In(pub ViewId);

/// A tile that the instruction writes whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out(pub ViewId);

/// A tile that the instruction reads and writes, or writes in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InOut(pub ViewId);

/// Declares a tile parameter.
macro_rules! tile_param {
    ($ty:ident, $kind:literal, $access:ident) => {
        impl Param for $ty {
            const KIND: &'static str = $kind;

            fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
                match arg {
                    Arg::Tensor(view) => Ok(Self(*view)),
                    _ => Err(Self::mismatch(arg)),
                }
            }

            fn spell(&self) -> String {
                "...".to_owned()
            }

            fn visit(&self, param: &'static str, visit: &mut dyn FnMut(Operand)) {
                visit(Operand {
                    param,
                    access: Access::$access,
                    view: self.0,
                });
            }
        }
    };
}

tile_param!(In, "a tile to read", Read);
tile_param!(Out, "a tile to write", Write);
tile_param!(InOut, "a tile to update", ReadWrite);

impl<T: Param> Param for Option<T> {
    const KIND: &'static str = T::KIND;

    fn bind(arg: &Arg, cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            Arg::None => Ok(None),
            _ => T::bind(arg, cx).map(Some),
        }
    }

    fn spell(&self) -> String {
        self.as_ref().map_or_else(|| "None".to_owned(), T::spell)
    }

    fn choices() -> Vec<&'static str> {
        T::choices()
    }

    fn visit(&self, param: &'static str, visit: &mut dyn FnMut(Operand)) {
        if let Some(value) = self {
            value.visit(param, visit);
        }
    }
}

/// The engine that a call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineChoice {
    /// Leave it to the compiler.
    Unknown,
    /// This engine.
    On(Engine),
}

impl Param for EngineChoice {
    const KIND: &'static str = "an engine (nki.isa.engine.*)";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        let Arg::Member("engine", name) = arg else {
            return match arg {
                Arg::None => Ok(Self::Unknown),
                _ => Err(Self::mismatch(arg)),
            };
        };
        if *name == "unknown" || *name == "unknown_engine" {
            return Ok(Self::Unknown);
        }
        let engine = Engine::ALL.iter().copied().find(|engine| engine.name() == *name);
        engine.map(Self::On).ok_or_else(|| Self::mismatch(arg))
    }

    fn spell(&self) -> String {
        match self {
            Self::Unknown => "engine.unknown".to_owned(),
            Self::On(engine) => format!("engine.{}", engine.name()),
        }
    }

    fn choices() -> Vec<&'static str> {
        vec!["unknown", "tensor", "vector", "scalar", "gpsimd", "sync"]
    }
}
