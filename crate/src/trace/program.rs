//! A launch after tracing: tables, one instruction stream per core, arguments and results.

use std::rc::Rc;

use crate::base::index::IndexVec;
use crate::base::span::{Loc, LocId};
use crate::chip::Chip;
use crate::index_type;
use crate::isa::Inst;
use crate::isa::context::OpCx;
use crate::tensor::buffer::BufferId;
use crate::tensor::tables::Tables;
use crate::tensor::view::{RegId, ViewId};

index_type!(
    /// An instruction of one core's trace.
    InstId
);
index_type!(
    /// A dynamic loop of one core's trace.
    LoopId
);

/// An entry of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An instruction.
    Inst(InstId),
    /// Start of the body of a dynamic loop.
    LoopBegin(LoopId),
    /// End of the body of a dynamic loop.
    LoopEnd(LoopId),
}

/// A bound of a dynamic loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Known while tracing.
    Known(i64),
    /// Read from a register when the loop is entered.
    Register(RegId),
}

/// How often a dynamic loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trip {
    /// `range(start, stop, step)` with a positive step.
    Range {
        /// First value.
        start: Bound,
        /// Bound that is not reached.
        stop: Bound,
        /// Distance of two values.
        step: i64,
    },
    /// As long as a register is not zero, tested before each iteration.
    While(RegId),
}

impl Trip {
    /// Iterations, if they are known while tracing.
    pub fn known(&self) -> Option<u64> {
        match *self {
            Self::Range {
                start: Bound::Known(start),
                stop: Bound::Known(stop),
                step,
            } => Some(
                stop.saturating_sub(start)
                    .max(0)
                    .unsigned_abs()
                    .div_ceil(step.max(1).unsigned_abs()),
            ),
            Self::Range { .. } | Self::While(_) => None,
        }
    }
}

/// A dynamic loop: one body, run several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// How often it runs.
    pub trip: Trip,
    /// Register that holds the present value of a `Range`; written at the start of each iteration.
    pub index: Option<RegId>,
    /// Where it is written.
    pub loc: LocId,
}

/// The instruction stream of one core, in program order.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Instructions and loop marks in program order.
    pub steps: Vec<Step>,
    /// The instructions.
    pub insts: IndexVec<InstId, Inst>,
    /// Where each instruction was issued; parallel to `insts`.
    pub locs: IndexVec<InstId, LocId>,
    /// Dynamic loops.
    pub loops: IndexVec<LoopId, Loop>,
    /// Names that the user gave to instructions.
    pub names: Vec<(InstId, Rc<str>)>,
    /// Explicit order: the consumer starts after the producer ended.
    pub depends: Vec<(InstId, InstId)>,
}

/// A launch after tracing.
#[derive(Clone, Debug)]
pub struct Program {
    /// Name of the kernel function.
    pub kernel: Rc<str>,
    /// The launch grid as the user wrote it.
    pub grid: Vec<u32>,
    /// The target.
    pub chip: &'static Chip,
    /// Buffers, patterns and views of all cores.
    pub tables: Tables,
    /// Interned places.
    pub locs: IndexVec<LocId, Loc>,
    /// One trace per physical core of the launch.
    pub cores: Vec<Trace>,
    /// Buffers of the array arguments, in argument order.
    pub arguments: Vec<BufferId>,
    /// Views that the kernel returned, in order.
    pub results: Vec<ViewId>,
}

impl Program {
    /// The context in which instructions are checked and priced.
    pub fn op_cx(&self) -> OpCx<'_> {
        OpCx {
            chip: self.chip,
            tables: &self.tables,
        }
    }

    /// Instructions of all cores.
    pub fn instructions(&self) -> u64 {
        self.cores.iter().map(|core| core.insts.len() as u64).sum()
    }
}
