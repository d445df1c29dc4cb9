//! Where a finished run can be looked at: the order in which a core executes, steps in it, and the instructions of a line.
//!
//! A *point* is one execution of an instruction: a launch, a core, and the number of the execution. Steps stay on one core, as a
//! debugger stays on one thread; a core executes in program order whatever the engines do at the same time.

use serde::Serialize;

use crate::base::span::{LocId, SourceMap, Span};
use crate::profile::Profile;
use crate::simulation::Simulation;
use crate::simulation::inspect::{Inspection, Inspector};
use crate::timing::walk::{Next, Walk};
use crate::trace::dynamic::Dynamic;
use crate::trace::program::{InstId, Program};

/// What a finished run keeps for whoever steps through it.
#[derive(Default)]
pub(super) struct Debugger {
    /// The order of one core, by launch and core; made when it is first asked for.
    order: Option<(usize, usize, Vec<InstId>)>,
    /// The run that stands where somebody looked last.
    pub inspector: Option<Inspector>,
}

/// A line at which to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// A step of a debugger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// To the next instruction.
    Next,
    /// To the instruction before.
    Previous,
    /// To the next instruction of another line.
    Line,
    /// To the next breakpoint, or to the last instruction.
    Continue,
    /// To the breakpoint before, or to the first instruction.
    Reverse,
}

impl Motion {
    /// The motion called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "next" => Some(Self::Next),
            "previous" => Some(Self::Previous),
            "line" => Some(Self::Line),
            "continue" => Some(Self::Continue),
            "reverse" => Some(Self::Reverse),
            _ => None,
        }
    }
}

/// One execution of an instruction, and its bar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Point {
    /// The core.
    pub core: u32,
    /// Which execution of the core, from 0.
    pub instance: u32,
    /// Executions of the core.
    pub total: u32,
    /// The instruction.
    pub name: &'static str,
    /// Its file.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its first entry in the timeline, if it takes time.
    pub entry: Option<u32>,
}

/// Executions of the instructions of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OfLine {
    /// How many there are.
    pub total: u32,
    /// The first ones that were asked for.
    pub points: Vec<Point>,
}

/// The executions of a core in order.
fn walk(program: &Program, core: usize, dynamic: &Dynamic) -> Vec<InstId> {
    let trace = &program.cores[core];
    let mut walk = Walk::default();
    let mut order = Vec::with_capacity(trace.insts.len());
    loop {
        match walk.next(trace, dynamic) {
            Next::Inst(inst) => order.push(inst),
            Next::Branch => {}
            Next::End => return order,
        }
    }
}

/// Which places lie on breakpoints.
struct Breaks<'a> {
    program: &'a Program,
    core: usize,
    on: Vec<bool>,
}

impl<'a> Breaks<'a> {
    fn new(program: &'a Program, core: usize, sources: &SourceMap, breakpoints: &[Breakpoint]) -> Self {
        let on = |span: Span| {
            let line = sources.range(span).0.line;
            let file = &sources.file(span.file).name;
            let at = |breakpoint: &Breakpoint| breakpoint.line == line && breakpoint.file == *file;
            breakpoints.iter().any(at)
        };
        let on = program.locs.iter().map(|loc| on(loc.span)).collect();
        Self { program, core, on }
    }

    fn loc(&self, inst: InstId) -> LocId {
        self.program.cores[self.core].locs[inst]
    }

    /// Whether the place `wanted` is among the calls that led to `from`.
    fn within(&self, wanted: LocId, from: LocId) -> bool {
        let mut place = Some(from);
        while let Some(loc) = place {
            if loc == wanted {
                return true;
            }
            place = self.program.locs[loc].caller;
        }
        false
    }

    /// Whether a breakpoint is reached at position `at`: each instruction of its line, or the first one of a call on its line.
    fn hit(&self, order: &[InstId], at: usize) -> bool {
        let loc = self.loc(order[at]);
        if self.on[loc.0 as usize] {
            return true;
        }
        let mut caller = self.program.locs[loc].caller;
        while let Some(call) = caller {
            if self.on[call.0 as usize] {
                let before = at.checked_sub(1).map(|before| self.loc(order[before]));
                return before.is_none_or(|before| !self.within(call, before));
            }
            caller = self.program.locs[call].caller;
        }
        false
    }
}

impl Simulation {
    /// The executions of a core.
    fn order(&mut self, launch: usize, core: usize) -> Option<&[InstId]> {
        let known = matches!(&self.debugger.order, Some((of, at, _)) if (*of, *at) == (launch, core));
        if !known {
            let profile = &self.launches.get(launch)?.profile;
            profile.program.cores.get(core)?;
            let none = Dynamic::default();
            let dynamic = self.dynamics.get(launch).and_then(|cores| cores.get(core));
            let order = walk(&profile.program, core, dynamic.unwrap_or(&none));
            self.debugger.order = Some((launch, core, order));
        }
        self.debugger.order.as_ref().map(|(_, _, order)| order.as_slice())
    }

    /// The point of an entry of the timeline.
    pub fn point_of_entry(&mut self, launch: usize, entry: u32) -> Option<Point> {
        let found = self.profile(launch)?.timeline.entries.get(entry as usize)?;
        let (core, instance) = (usize::from(found.core), found.instance);
        let point = self.point(launch, core, instance)?;
        Some(Point {
            entry: Some(entry),
            ..point
        })
    }

    /// The point of one execution.
    pub fn point(&mut self, launch: usize, core: usize, instance: u32) -> Option<Point> {
        let order = self.order(launch, core)?;
        let (inst, total) = (*order.get(instance as usize)?, order.len() as u32);
        let profile = self.profile(launch)?;
        let entries = profile.timeline.entries.iter();
        let same =
            |entry: &crate::timing::timeline::Entry| usize::from(entry.core) == core && entry.instance == instance;
        let entry = entries.clone().position(same).map(|at| at as u32);
        Some(self.describe(profile, core, (instance, inst, total), entry))
    }

    /// A point in words.
    fn describe(&self, profile: &Profile, core: usize, at: (u32, InstId, u32), entry: Option<u32>) -> Point {
        let (instance, inst, total) = at;
        let trace = &profile.program.cores[core];
        let span = profile.program.locs[trace.locs[inst]].span;
        let sources = self.sources_ref();
        Point {
            core: core as u32,
            instance,
            total,
            name: trace.insts[inst].spec().name,
            file: sources.map_or_else(String::new, |sources| sources.file(span.file).name.clone()),
            line: sources.map_or(0, |sources| sources.range(span).0.line),
            entry,
        }
    }

    /// The point that a step leads to from execution `from` of a core (from before the first one without it); nothing if the
    /// core has nothing in that direction.
    pub fn seek(
        &mut self,
        launch: usize,
        core: usize,
        from: Option<u32>,
        motion: Motion,
        breakpoints: &[Breakpoint],
    ) -> Option<Point> {
        let order = self.order(launch, core)?.to_vec();
        let profile = self.profile(launch)?;
        let sources = self.sources_ref()?;
        let breaks = Breaks::new(&profile.program, core, sources, breakpoints);
        let place = |at: usize| {
            let span = profile.program.locs[breaks.loc(order[at])].span;
            (span.file, sources.range(span).0.line)
        };
        let next = from.map_or(0, |from| from as usize + 1);
        let before = from.map_or(0, |from| (from as usize).min(order.len()));
        let found = match motion {
            Motion::Next => (next < order.len()).then_some(next),
            Motion::Previous => before.checked_sub(1),
            Motion::Line => {
                let here = next.checked_sub(1).filter(|&at| at < order.len()).map(place);
                (next..order.len()).find(|&at| Some(place(at)) != here || breaks.hit(&order, at))
            }
            Motion::Continue => (next..order.len())
                .find(|&at| breaks.hit(&order, at))
                .or_else(|| order.len().checked_sub(1).filter(|&last| last >= next)),
            Motion::Reverse => (0..before)
                .rev()
                .find(|&at| breaks.hit(&order, at))
                .or((before > 0).then_some(0)),
        };
        self.point(launch, core, found? as u32)
    }

    /// The executions of the instructions of a line on a core: how many, and up to `limit` of them from number `skip` on.
    pub fn of_line(
        &mut self,
        launch: usize,
        core: usize,
        at: &Breakpoint,
        skip: usize,
        limit: usize,
    ) -> Option<OfLine> {
        let order = self.order(launch, core)?.to_vec();
        let profile = self.profile(launch)?;
        let here = Breaks::new(&profile.program, core, self.sources_ref()?, std::slice::from_ref(at));
        let on_line = |inst: &InstId| here.on[here.loc(*inst).0 as usize];
        let all = order.iter().enumerate().filter(|(_, inst)| on_line(inst));
        let count = all.clone().count() as u32;
        let total = order.len() as u32;
        let some = all.skip(skip).take(limit);
        let points = some.map(|(at, &inst)| self.describe(profile, core, (at as u32, inst, total), None));
        Some(OfLine {
            total: count,
            points: points.collect(),
        })
    }

    /// What the last inspection found, once it is complete.
    pub fn inspection(&self) -> Option<&Inspection> {
        self.debugger.inspector.as_ref()?.found()
    }
}
