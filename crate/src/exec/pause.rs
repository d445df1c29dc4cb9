//! Stops a run before or behind one execution of an instruction, and looks at operands there.
//!
//! A run is deterministic, so the state before any instruction can be had again by running up to it. A core's executions are
//! numbered from 0 in program order, iterations of loops included; the other cores are wherever the order of the run puts them.

use crate::base::diag::{Diagnostic, Fault};
use crate::base::index::Idx;
use crate::base::span::LocId;
use crate::exec::{Executor, Progress};
use crate::machine::peek::Peek;
use crate::tensor::view::ViewId;
use crate::trace::program::{InstId, Step, Trip};

/// Where a run stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    core: usize,
    instance: u32,
    /// Behind the instruction; its buffers stay until the run goes on.
    behind: bool,
}

/// A loop of the device that a core is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// Where the loop is written.
    pub loc: LocId,
    /// The iteration, counted from 0.
    pub number: u64,
    /// Value of the loop's variable, if it has one.
    pub value: Option<i64>,
}

impl Executor {
    /// Runs about `budget` instructions towards the state before execution number `instance` of `core`.
    ///
    /// # Errors
    /// The first fault on the way.
    pub fn advance_to(&mut self, core: usize, instance: u32, budget: u64) -> Result<Progress, Diagnostic> {
        self.stop = Some(Stop {
            core,
            instance,
            behind: false,
        });
        self.advance(budget)
    }

    /// Runs about `budget` instructions towards the state behind execution number `instance` of `core`; what the instruction
    /// used last is still there.
    ///
    /// # Errors
    /// The first fault on the way.
    pub fn advance_behind(&mut self, core: usize, instance: u32, budget: u64) -> Result<Progress, Diagnostic> {
        self.stop = Some(Stop {
            core,
            instance,
            behind: true,
        });
        self.advance(budget)
    }

    /// Makes up for what a stop left out.
    pub(super) fn go_on(&mut self) {
        self.paused = false;
        if let Some((core, at)) = self.held.take() {
            self.drop_after(core, at);
        }
    }

    /// Whether the run stops before the next instruction of `core`.
    pub(super) fn stops_before(&mut self, core: usize) -> bool {
        let stop = self.stop.filter(|stop| !stop.behind && stop.core == core);
        let stops = stop.is_some_and(|stop| stop.instance == self.cores[core].instance);
        if stops {
            self.forget_starts(core);
        }
        stops
    }

    /// Ends the present instruction of a core.
    pub(super) fn leave_inst(&mut self, core: usize) {
        let instance = self.cores[core].instance;
        self.cores[core].instance += 1;
        let stop = self.stop.filter(|stop| stop.behind && stop.core == core);
        if stop.is_some_and(|stop| stop.instance == instance) {
            self.paused = true;
            self.held = Some((core, self.cores[core].at as u32));
            self.cores[core].at += 1;
            return;
        }
        self.leave_step(core);
    }

    /// How many instructions a core has executed.
    pub fn instance(&self, core: usize) -> u32 {
        self.cores[core].instance
    }

    /// The instruction that a core executes next.
    pub fn next_inst(&self, core: usize) -> Option<InstId> {
        match self.program.cores[core].steps.get(self.cores[core].at)? {
            Step::Inst(id) => Some(*id),
            Step::LoopBegin(_) | Step::LoopEnd(_) => None,
        }
    }

    /// The loops of the device that a core is in, outermost first.
    pub fn iterations(&self, core: usize) -> Vec<Iteration> {
        let loops = &self.program.cores[core].loops;
        let frames = self.cores[core].loops.iter();
        frames
            .map(|frame| Iteration {
                loc: loops[frame.id].loc,
                number: frame.trips.saturating_sub(1),
                value: match loops[frame.id].trip {
                    Trip::Range { .. } => Some(frame.value),
                    Trip::While(_) => None,
                },
            })
            .collect()
    }

    /// The bytes of a view at this point of the run, and which of its elements were written. `inst` is the instruction that
    /// uses it: run-time indices mean different things to different engines.
    ///
    /// # Errors
    /// A run-time index that nobody wrote or that is out of bounds.
    pub fn peek(&mut self, core: usize, inst: InstId, view: ViewId) -> Result<Peek, Fault> {
        let program = self.program.clone();
        self.machine.snake_group = program.cores[core].insts[inst].snake_group();
        self.machine.peek(&program.tables, view)
    }

    /// The core that owns the buffer of a view.
    pub fn owner(&self, view: ViewId) -> u32 {
        self.plan.owners[self.program.tables.views[view].buffer.as_usize()]
    }
}
