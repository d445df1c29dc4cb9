//! Walks a trace in execution order: dynamic loops repeat their body.

use rustc_hash::FxHashMap;

use crate::trace::dynamic::Dynamic;
use crate::trace::program::{InstId, LoopId, Step, Trace};

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// An instruction.
    Inst(InstId),
    /// The branch at the end of a loop body.
    Branch,
    /// The end of the trace.
    End,
}

/// A position in the execution of a trace.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    at: usize,
    /// Open loops: first step of the body, iterations left, this one included.
    open: Vec<(usize, u64)>,
    entries: FxHashMap<LoopId, usize>,
    /// Instructions so far.
    passed: u32,
}

impl Walk {
    /// The number of the present instance: how many instructions the core executed before it.
    pub fn instance(&self) -> u32 {
        self.passed.saturating_sub(1)
    }

    /// Moves on by one.
    pub fn next(&mut self, trace: &Trace, dynamic: &Dynamic) -> Next {
        while let Some(step) = trace.steps.get(self.at) {
            self.at += 1;
            match *step {
                Step::Inst(inst) => {
                    self.passed += 1;
                    return Next::Inst(inst);
                }
                Step::LoopBegin(id) => self.enter(trace, dynamic, id),
                Step::LoopEnd(_) => {
                    if let Some((body, left)) = self.open.pop()
                        && left > 1
                    {
                        self.open.push((body, left - 1));
                        self.at = body;
                    }
                    return Next::Branch;
                }
            }
        }
        Next::End
    }

    /// Enters a loop or skips it.
    fn enter(&mut self, trace: &Trace, dynamic: &Dynamic, id: LoopId) {
        let entry = self.entries.entry(id).or_insert(0);
        let known = trace.loops[id].trip.known();
        let trips = known.unwrap_or_else(|| dynamic.trips(id, *entry));
        *entry += 1;
        if trips > 0 {
            self.open.push((self.at, trips));
            return;
        }
        while let Some(step) = trace.steps.get(self.at) {
            self.at += 1;
            if *step == Step::LoopEnd(id) {
                return;
            }
        }
    }
}
