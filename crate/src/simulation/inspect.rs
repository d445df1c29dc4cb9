//! The operands of one execution of an instruction, before and after it, had by running the launch again up to it.
//!
//! The run stays where it is, so that a step forward costs one instruction; a step back starts over. It advances in slices, like
//! every run.

use serde::Serialize;

use crate::base::diag::Diagnostic;
use crate::base::span::{LocId, SourceMap};
use crate::exec::pause::Iteration;
use crate::exec::{Executor, Progress};
use crate::isa::spec::Access;
use crate::machine::peek::Peek;
use crate::profile::Profile;
use crate::simulation::cells::Content;
use crate::simulation::launch::Execution;
use crate::simulation::report::{Place as SourcePlace, Related};
use crate::simulation::{Mode, Simulation};
use crate::tensor::buffer::Space;
use crate::tensor::region::Region;
use crate::tensor::view::{IndexSource, ViewId};
use crate::trace::program::{InstId, Program};

/// Part of a memory that an operand covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Extent {
    /// First partition, on chip.
    pub partition: u32,
    /// Number of partitions, on chip.
    pub partitions: u32,
    /// First byte in each partition; in HBM the first byte of the tensor that is touched.
    pub byte: u64,
    /// One past the last byte.
    pub byte_end: u64,
    /// First and last PSUM bank.
    pub banks: Option<(u64, u64)>,
    /// Whether a run-time index decides which part of it is touched.
    pub indirect: bool,
}

/// An operand and what it holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inspected {
    /// The parameter; a run-time index behind it is told by `index`.
    pub role: &'static str,
    /// Whether it is the run-time index of the parameter.
    pub index: bool,
    /// `read`, `write` or `read_write`.
    pub access: &'static str,
    /// The tensor.
    pub tensor: String,
    /// Shape of the view.
    pub shape: Vec<u32>,
    /// NKI's name of the dtype.
    pub dtype: &'static str,
    /// Values that a storage element packs.
    pub lanes: u32,
    /// The memory.
    pub space: &'static str,
    /// Where in it.
    pub extent: Extent,
    /// Content before the instruction.
    pub before: Content,
    /// Content after it.
    pub after: Content,
    /// Elements that differ.
    pub changed: u64,
}

/// An iteration of a loop of the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IterationReport {
    /// Line of the loop.
    pub line: u32,
    /// The iteration, from 0.
    pub number: u64,
    /// Value of its variable, if it has one.
    pub value: Option<i64>,
}

/// One execution of an instruction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inspection {
    /// The launch.
    pub launch: usize,
    /// The core.
    pub core: usize,
    /// Which execution of the core, from 0.
    pub instance: u32,
    /// The instruction.
    pub name: &'static str,
    /// Its place.
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The calls that led to it, innermost first.
    pub calls: Vec<Related>,
    /// Loops of the device around it, outermost first.
    pub iterations: Vec<IterationReport>,
    /// Its operands.
    pub operands: Vec<Inspected>,
}

/// How far an inspection is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Inspecting {
    /// Share of the instructions before the point that are executed, 0 to 1.
    pub fraction: f64,
    /// Whether [`Simulation::inspection`] has the answer.
    pub done: bool,
}

/// An operand to look at.
#[derive(Clone, Copy)]
struct Wanted {
    role: &'static str,
    index: bool,
    access: Access,
    view: ViewId,
}

/// What was seen before the instruction.
struct Seen {
    inst: InstId,
    wanted: Vec<Wanted>,
    contents: Vec<Option<Peek>>,
    iterations: Vec<Iteration>,
}

/// What is to do next.
enum Stage {
    /// Run up to the instruction.
    Before,
    /// Execute it; other cores may have to run until they meet it.
    Behind(Seen),
    /// Nothing.
    Found(Box<Inspection>),
}

/// A launch that runs again.
pub(super) struct Inspector {
    executor: Executor,
    launch: usize,
    core: usize,
    instance: u32,
    stage: Stage,
}

impl Inspector {
    /// The answer, once it is there.
    pub fn found(&self) -> Option<&Inspection> {
        match &self.stage {
            Stage::Found(inspection) => Some(inspection),
            Stage::Before | Stage::Behind(_) => None,
        }
    }

    /// Share of the way that is done.
    fn fraction(&self) -> f64 {
        f64::from(self.executor.instance(self.core)) / f64::from(self.instance.max(1))
    }

    /// Whether the run can go on to a point, instead of starting over.
    fn reaches(&self, launch: usize, core: usize, instance: u32) -> bool {
        let between = matches!(self.stage, Stage::Behind(_));
        self.launch == launch && !between && self.executor.instance(core) <= instance
    }

    /// The contents of `wanted` where the run stands; nothing where an index is wrong.
    fn peek(&mut self, inst: InstId, wanted: &[Wanted]) -> Vec<Option<Peek>> {
        let views = wanted.iter().map(|wanted| wanted.view);
        views
            .map(|view| self.executor.peek(self.core, inst, view).ok())
            .collect()
    }
}

/// The operands of an instruction, each followed by its run-time index.
fn operands(program: &Program, core: usize, inst: InstId) -> Vec<Wanted> {
    let mut list = Vec::new();
    program.cores[core].insts[inst].operands(&mut |operand| {
        let wanted = Wanted {
            role: operand.param,
            index: false,
            access: operand.access,
            view: operand.view,
        };
        list.push(wanted);
        let indirect = program.tables.views[operand.view].indirect;
        match indirect.map(|id| program.tables.indirects[id].source) {
            Some(IndexSource::Scalar(view) | IndexSource::Vector(view) | IndexSource::Free(view)) => {
                list.push(Wanted {
                    index: true,
                    access: Access::Read,
                    view,
                    ..wanted
                });
            }
            Some(IndexSource::Register(_)) | None => {}
        }
    });
    list
}

/// Where a view lies.
fn extent(profile: &Profile, owner: u32, view: ViewId) -> Extent {
    let tables = &profile.program.tables;
    let tile = tables.tile(view);
    let region = Region::of(&tile);
    let placement = profile.timeline.placements.get(owner as usize);
    let place = placement
        .filter(|_| tile.space().is_on_chip())
        .map(|placement| placement.place(tile.view.buffer))
        .unwrap_or_default();
    let region = region.placed_at(place.partition, place.byte);
    let bank = profile.program.chip.memory.psum_bank_bytes.get().0;
    Extent {
        partition: region.first_partition,
        partitions: region.end_partition - region.first_partition,
        byte: region.lo,
        byte_end: region.hi,
        banks: (tile.space() == Space::Psum).then(|| (region.lo / bank, region.hi.saturating_sub(1) / bank)),
        indirect: tile.view.indirect.is_some(),
    }
}

/// The name of an access.
fn access_name(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::ReadWrite => "read_write",
    }
}

impl Inspector {
    /// Puts the answer together.
    fn report(&self, profile: &Profile, sources: &SourceMap, seen: Seen, after: Vec<Option<Peek>>) -> Inspection {
        let Seen {
            inst,
            wanted,
            contents,
            iterations,
        } = seen;
        let program = &profile.program;
        let loc = program.cores[self.core].locs[inst];
        let line = |loc: LocId| sources.range(program.locs[loc].span).0.line;
        let mut calls = Vec::new();
        let mut caller = program.locs[loc].caller;
        while let Some(id) = caller {
            let call = program.locs[id];
            calls.push(Related {
                message: sources
                    .text(call.span)
                    .split('(')
                    .next()
                    .unwrap_or_default()
                    .trim()
                    .to_owned(),
                place: SourcePlace::new(sources, call.span),
            });
            caller = call.caller;
        }
        let both = wanted.into_iter().zip(contents).zip(after);
        let operands = both.map(|((wanted, before), after)| {
            let tile = program.tables.tile(wanted.view);
            let changed = Peek::changed(before.as_ref(), after.as_ref());
            let shape = tile.pattern.shape();
            Inspected {
                role: wanted.role,
                index: wanted.index,
                access: access_name(wanted.access),
                tensor: tile.buffer.name.clone(),
                dtype: tile.dtype().name(),
                lanes: tile.dtype().info().lanes,
                space: tile.space().name(),
                extent: extent(profile, self.executor.owner(wanted.view), wanted.view),
                before: Content::new(tile.dtype(), &shape, before),
                after: Content::new(tile.dtype(), &shape, after),
                changed,
                shape,
            }
        });
        Inspection {
            launch: self.launch,
            core: self.core,
            instance: self.instance,
            name: program.cores[self.core].insts[inst].spec().name,
            place: SourcePlace::new(sources, program.locs[loc].span),
            calls,
            iterations: iterations
                .iter()
                .map(|iteration| IterationReport {
                    line: line(iteration.loc),
                    number: iteration.number,
                    value: iteration.value,
                })
                .collect(),
            operands: operands.collect(),
        }
    }
}

impl Simulation {
    /// Starts to look at one execution; [`Self::advance_inspection`] does the work. False if there is no such execution, or if
    /// the run computed no values.
    ///
    /// # Errors
    /// Memory that does not suffice for a second run.
    pub fn inspect(&mut self, launch: usize, core: usize, instance: u32) -> Result<bool, Box<Diagnostic>> {
        if self.setup.options.mode == Mode::Estimate || self.point(launch, core, instance).is_none() {
            return Ok(false);
        }
        let kept = self.debugger.inspector.take();
        let executor = match kept.filter(|kept| kept.reaches(launch, core, instance)) {
            Some(kept) => kept.executor,
            None => {
                let Some(round) = &mut self.round else { return Ok(false) };
                Execution::start(round, launch, &self.setup.options.limits)?.into_executor()
            }
        };
        self.debugger.inspector = Some(Inspector {
            executor,
            launch,
            core,
            instance,
            stage: Stage::Before,
        });
        Ok(true)
    }

    /// Runs up to about `budget` instructions towards the point that [`Self::inspect`] named.
    ///
    /// # Errors
    /// None that the first run did not have.
    pub fn advance_inspection(&mut self, budget: u64) -> Result<Inspecting, Box<Diagnostic>> {
        let idle = Inspecting {
            fraction: 0.0,
            done: false,
        };
        let Some(mut inspector) = self.debugger.inspector.take() else {
            return Ok(idle);
        };
        self.approach(&mut inspector, budget)?;
        let state = Inspecting {
            fraction: inspector.fraction().min(1.0),
            done: inspector.found().is_some(),
        };
        self.debugger.inspector = Some(inspector);
        Ok(state)
    }

    /// Runs up to the instruction, looks at its operands, executes it and looks again.
    fn approach(&self, inspector: &mut Inspector, budget: u64) -> Result<(), Box<Diagnostic>> {
        let (core, instance) = (inspector.core, inspector.instance);
        let (Some(profile), Some(sources)) = (self.profile(inspector.launch), self.sources_ref()) else {
            return Ok(());
        };
        if matches!(inspector.stage, Stage::Before) {
            if inspector.executor.advance_to(core, instance, budget)? != Progress::Paused {
                return Ok(());
            }
            let Some(inst) = inspector.executor.next_inst(core) else {
                return Ok(());
            };
            let wanted = operands(&profile.program, core, inst);
            inspector.stage = Stage::Behind(Seen {
                inst,
                contents: inspector.peek(inst, &wanted),
                iterations: inspector.executor.iterations(core),
                wanted,
            });
        }
        if inspector.found().is_some() || inspector.executor.advance_behind(core, instance, budget)? != Progress::Paused
        {
            return Ok(());
        }
        if let Stage::Behind(seen) = std::mem::replace(&mut inspector.stage, Stage::Before) {
            let after = inspector.peek(seen.inst, &seen.wanted);
            let found = inspector.report(profile, sources, seen, after);
            inspector.stage = Stage::Found(Box::new(found));
        }
        Ok(())
    }
}
