//! What the driver of a run and the NKI bindings share.
//!
//! A script runs with values that may not exist yet. A launch is traced when the script reaches it and recorded in
//! [`Session::launches`]; its outputs are lazy host arrays. When the script looks at an element of one, evaluation stops with a
//! suspension. The driver then executes the launches in order, stores their output bytes for the host arrays, and runs the script
//! again from the start in a fresh interpreter, with [`Session::replay`] holding the programs so far: launch number `i` is not
//! traced a second time. This ends, since each round executes at least one more launch.

use std::rc::Rc;

use crate::base::diag::Diagnostic;
use crate::base::span::Span;
use crate::chip::Chip;
use crate::interp::Print;
use crate::interp::numpy::array::Array;
use crate::interp::value::Value;
use crate::numerics::dtype::Dtype;
use crate::trace::limits::Limits;
use crate::trace::program::Program;

use super::launch::Shape;
use super::tracing::Tracing;

/// An array that a launch gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its dtype.
    pub dtype: Dtype,
    /// The argument whose host array it replaces; `None` for a returned tensor.
    pub argument: Option<usize>,
}

/// A launch in the order of the script.
#[derive(Clone)]
pub struct LaunchRecord {
    /// What was traced.
    pub program: Rc<Program>,
    /// The host arrays as they were at the launch, one for each buffer of `program.arguments`.
    pub inputs: Vec<Array>,
    /// Returned tensors (one for each view of `program.results`), then arguments that the kernel wrote.
    pub outputs: Vec<Output>,
    /// What the kernel function returns.
    pub shape: Shape,
    /// The call in the script.
    pub span: Span,
    /// What tracing said.
    pub said: Said,
}

/// What tracing a kernel leaves behind in the interpreter; a later round, which does not trace, says it again.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// What the kernel printed while it was traced.
    pub printed: Vec<Print>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

impl LaunchRecord {
    /// What the next round needs of this launch.
    pub fn replay(&self) -> Replay {
        Replay {
            program: self.program.clone(),
            outputs: self.outputs.clone(),
            shape: self.shape,
            said: self.said.clone(),
        }
    }
}

/// A launch of an earlier round, as the driver hands it to the next one.
#[derive(Clone)]
pub struct Replay {
    /// What was traced.
    pub program: Rc<Program>,
    /// What it gives back.
    pub outputs: Vec<Output>,
    /// What the kernel function returns.
    pub shape: Shape,
    /// What tracing said.
    pub said: Said,
}

/// State of the NKI bindings in one run of a script; a slot of the interpreter.
pub struct Session {
    /// The target.
    pub chip: &'static Chip,
    /// Bounds on traces.
    pub limits: Limits,
    /// Launches of earlier rounds, in order.
    pub replay: Vec<Replay>,
    /// Launches of this round, in order.
    pub launches: Vec<LaunchRecord>,
    /// The launch that is being traced.
    pub(super) tracing: Option<Tracing>,
    /// Launches traced so far, so that a tensor of one cannot be used in another.
    pub(super) generation: u32,
    /// Instruction functions, made once: enumeration classes and the like that must be the same object in every module.
    pub(super) shared: Vec<(&'static str, Value)>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            chip: Chip::ALL[Chip::ALL.len() - 1],
            limits: Limits::default(),
            replay: Vec::new(),
            launches: Vec::new(),
            tracing: None,
            generation: 0,
            shared: Vec::new(),
        }
    }
}
