//! Runs a launch on the machine, core by core up to the next meeting, in slices of a given number of instructions.

mod arrivals;
pub mod pause;
mod plan;

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::base::diag::{Code, Diagnostic, Fault, Frame, Label, Severity};
use crate::base::index::Idx;
use crate::base::mend::Repair;
use crate::base::span::LocId;
use crate::exec::pause::Stop;
use crate::exec::plan::Plan;
use crate::isa::context::ExecCx;
use crate::isa::flow::Rendezvous;
use crate::machine::Machine;
use crate::numerics::dtype::Dtype;
use crate::tensor::view::ViewId;
use crate::trace::dynamic::Dynamic;
use crate::trace::limits::Limits;
use crate::trace::program::{Bound, InstId, Loop, LoopId, Program, Step, Trip};

/// Whether there is more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Call [`Executor::advance`] again.
    Running,
    /// The run is where [`Executor::stop_at`] asked it to stop.
    Paused,
    /// All cores have ended.
    Done,
}

/// A tensor after the run: shape, dtype, and bytes in storage layout, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Sizes of the dimensions.
    pub shape: Vec<u32>,
    /// Its dtype.
    pub dtype: Dtype,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A dynamic loop that a core is in.
#[derive(Clone, Copy, Debug)]
struct Frames {
    id: LoopId,
    /// Step of its begin.
    open: usize,
    /// Present value and bound of a range.
    value: i64,
    stop: i64,
    /// Iterations so far.
    trips: u64,
    /// Place of its trip count in the record.
    record: usize,
}

/// Progress of one core.
#[derive(Debug, Default)]
struct Core {
    at: usize,
    loops: Vec<Frames>,
    waiting: Option<(InstId, Rendezvous)>,
    done: bool,
    /// Instructions executed.
    instance: u32,
}

/// A line of `device_print`, and where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Core that printed.
    pub core: u32,
    /// Which execution of the core it was.
    pub instance: u32,
    /// The place of the call.
    pub loc: LocId,
    /// The prefix and the values.
    pub text: String,
}

/// Runs one launch.
#[derive(Debug)]
pub struct Executor {
    program: Rc<Program>,
    machine: Machine,
    plan: Plan,
    cores: Vec<Core>,
    dynamics: Vec<Dynamic>,
    executed: u64,
    limit: u64,
    written: Vec<bool>,
    warnings: Vec<Diagnostic>,
    /// Places that have a warning already.
    warned: FxHashSet<LocId>,
    printed: Vec<Line>,
    stop: Option<Stop>,
    paused: bool,
    /// A core and its step whose buffers are still to be dropped, since the run was stopped before.
    held: Option<(usize, u32)>,
}

impl Executor {
    /// Prepares a run; `inputs` are the bytes of the array arguments in argument order.
    ///
    /// # Errors
    /// Bytes that do not fit an argument, or more memory than the limits allow.
    pub fn new(program: Rc<Program>, inputs: Vec<Vec<u8>>, limits: &Limits) -> Result<Self, Fault> {
        let plan = Plan::new(&program);
        let count = program.cores.len();
        let mut machine = Machine::new(program.chip, &program.tables, &plan.owners, count, limits.memory.0);
        if inputs.len() != program.arguments.len() {
            let message = format!(
                "{} arguments were expected, {} given",
                program.arguments.len(),
                inputs.len()
            );
            return Err(Fault::new(Code::Internal, message));
        }
        for (&id, bytes) in program.arguments.iter().zip(inputs) {
            machine.memory.load(id, &program.tables.buffers[id], bytes)?;
        }
        let written = written_arguments(&program);
        Ok(Self {
            machine,
            plan,
            cores: (0..count).map(|_| Core::default()).collect(),
            dynamics: vec![Dynamic::default(); count],
            executed: 0,
            limit: limits.executed,
            written,
            warnings: Vec::new(),
            warned: FxHashSet::default(),
            printed: Vec::new(),
            stop: None,
            paused: false,
            held: None,
            program,
        })
    }

    /// Runs at most about `budget` instructions.
    ///
    /// # Errors
    /// The first fault, with its place and call chain.
    pub fn advance(&mut self, budget: u64) -> Result<Progress, Diagnostic> {
        let end = self.executed + budget;
        self.go_on();
        loop {
            let mut moved = false;
            for core in 0..self.cores.len() {
                moved |= self.run_core(core, end)?;
                if self.paused {
                    return Ok(Progress::Paused);
                }
                if self.executed >= end {
                    return Ok(Progress::Running);
                }
            }
            if self.cores.iter().all(|core| core.done) {
                return Ok(Progress::Done);
            }
            moved |= self.meet()?;
            if self.paused {
                return Ok(Progress::Paused);
            }
            if !moved {
                return Err(self.deadlock());
            }
        }
    }

    /// Runs one core until it waits, ends or the budget is used up; says whether it did anything.
    fn run_core(&mut self, core: usize, end: u64) -> Result<bool, Diagnostic> {
        let program = self.program.clone();
        let trace = &program.cores[core];
        let mut moved = false;
        while self.cores[core].waiting.is_none() && !self.cores[core].done {
            let at = self.cores[core].at;
            let Some(&step) = trace.steps.get(at) else {
                self.cores[core].done = true;
                return Ok(true);
            };
            if self.executed >= end {
                return Ok(true);
            }
            moved = true;
            match step {
                Step::Inst(_) if self.stops_before(core) => {
                    self.paused = true;
                    return Ok(moved);
                }
                Step::Inst(id) => {
                    self.step(core, id)?;
                    if self.paused {
                        return Ok(true);
                    }
                }
                Step::LoopBegin(id) => self.enter(core, id, trace.loops[id])?,
                Step::LoopEnd(id) => self.repeat(core, trace.loops[id])?,
            }
        }
        Ok(moved)
    }

    /// Executes one instruction, or starts to wait.
    fn step(&mut self, core: usize, id: InstId) -> Result<(), Diagnostic> {
        let program = self.program.clone();
        let trace = &program.cores[core];
        let inst = &trace.insts[id];
        self.count(trace.locs[id])?;
        if let Some(rendezvous) = inst.rendezvous() {
            self.cores[core].waiting = Some((id, rendezvous));
            return Ok(());
        }
        self.forget_starts(core);
        let mut cx = ExecCx {
            chip: program.chip,
            tables: &program.tables,
            machine: &mut self.machine,
            core: core as u32,
        };
        if let Err(mut fault) = inst.execute(&mut cx) {
            let site = inst.spec().site(program.locs[trace.locs[id]].span);
            let mends = std::mem::take(&mut fault.mends);
            let mut diagnostic = self.diagnose(fault, trace.locs[id]);
            diagnostic.repairs = mends
                .into_iter()
                .map(|mend| Repair {
                    mend,
                    site: site.clone(),
                })
                .collect();
            return Err(diagnostic);
        }
        self.take_notes(inst.spec().name, trace.locs[id]);
        self.take_printed(core, trace.locs[id]);
        self.leave_inst(core);
        Ok(())
    }

    /// Forgets what lies where buffers begin to live that the present step writes first.
    fn forget_starts(&mut self, core: usize) {
        let at = self.cores[core].at as u32;
        for &(_, buffer) in self.plan.cores[core].starts_at(at) {
            self.machine.memory.forget(buffer, &self.program.tables.buffers[buffer]);
        }
    }

    /// Gives what an instruction printed its place.
    fn take_printed(&mut self, core: usize, loc: LocId) {
        let instance = self.cores[core].instance;
        let lines = self.machine.printed.drain(..).map(|printed| Line {
            core: printed.core,
            instance,
            loc,
            text: printed.text,
        });
        self.printed.extend(lines);
    }

    /// Turns the notes of an instruction into warnings, one for each place.
    fn take_notes(&mut self, name: &str, loc: LocId) {
        while let Some(note) = self.machine.notes.pop() {
            if self.warned.insert(loc) {
                let mut warning = self.diagnose(note, loc);
                warning.severity = Severity::Warning;
                warning.message = format!("{name}: {}", warning.message);
                self.warnings.push(warning);
            }
        }
    }

    /// What is suspicious in the values so far, one warning for each place.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Counts an instruction against the limit.
    fn count(&mut self, loc: LocId) -> Result<(), Diagnostic> {
        self.executed += 1;
        if self.executed <= self.limit {
            return Ok(());
        }
        let message = format!("the launch executes more than {} instructions", self.limit);
        let fault = Fault::new(Code::Limit, message).hint("check that dynamic loops end");
        Err(self.diagnose(fault, loc))
    }

    /// Drops what the present step used last and goes on to the next.
    fn leave_step(&mut self, core: usize) {
        let at = self.cores[core].at as u32;
        self.drop_after(core, at);
        self.cores[core].at += 1;
    }

    /// Drops the buffers whose last use a step was.
    fn drop_after(&mut self, core: usize, at: u32) {
        for &(_, buffer) in self.plan.cores[core].drops_after(at) {
            let info = &self.program.tables.buffers[buffer];
            self.machine.memory.drop_buffer(buffer, info);
        }
    }

    /// Enters a dynamic loop, or skips it.
    fn enter(&mut self, core: usize, id: LoopId, body: Loop) -> Result<(), Diagnostic> {
        let (value, stop) = match body.trip {
            Trip::Range { start, stop, .. } => (self.bound(start, body.loc)?, self.bound(stop, body.loc)?),
            Trip::While(_) => (0, 0),
        };
        let records = self.dynamics[core].trips.entry(id).or_default();
        records.push(0);
        let frame = Frames {
            id,
            open: self.cores[core].at,
            value,
            stop,
            trips: 0,
            record: records.len() - 1,
        };
        self.cores[core].loops.push(frame);
        self.iterate(core, body)
    }

    /// The value of a loop bound.
    fn bound(&self, bound: Bound, loc: LocId) -> Result<i64, Diagnostic> {
        match bound {
            Bound::Known(value) => Ok(value),
            Bound::Register(register) => match self.machine.register(register) {
                Ok(value) => Ok(i64::from(value)),
                Err(fault) => Err(self.diagnose(fault, loc)),
            },
        }
    }

    /// Ends an iteration.
    fn repeat(&mut self, core: usize, body: Loop) -> Result<(), Diagnostic> {
        self.count(body.loc)?;
        if let (Some(frame), Trip::Range { step, .. }) = (self.cores[core].loops.last_mut(), body.trip) {
            frame.value += step.max(1);
        }
        self.iterate(core, body)
    }

    /// Starts the next iteration of the innermost loop, or leaves it.
    fn iterate(&mut self, core: usize, body: Loop) -> Result<(), Diagnostic> {
        let Some(frame) = self.cores[core].loops.last().copied() else {
            return Ok(());
        };
        let again = match body.trip {
            Trip::Range { .. } => frame.value < frame.stop,
            Trip::While(register) => self.bound(Bound::Register(register), body.loc)? != 0,
        };
        if again {
            if let Some(index) = body.index {
                self.machine.set_register(index, frame.value as i32);
            }
            if let Some(frame) = self.cores[core].loops.last_mut() {
                frame.trips += 1;
            }
            self.cores[core].at = frame.open + 1;
            return Ok(());
        }
        self.cores[core].loops.pop();
        if let Some(record) = self.dynamics[core].trips.get_mut(&frame.id) {
            record[frame.record] = frame.trips;
        }
        self.cores[core].at = self.plan.cores[core].closes[frame.open] as usize;
        self.leave_step(core);
        Ok(())
    }

    /// A fault with its place, its calls, and the allocation it is about.
    fn diagnose(&self, fault: Fault, loc: LocId) -> Diagnostic {
        let program = &self.program;
        let place = program.locs[loc];
        let unwritten = (fault.code == Code::Uninitialized)
            .then_some(self.machine.unwritten)
            .flatten();
        let mut diagnostic = fault.at(place.span);
        let mut caller = place.caller;
        while let Some(id) = caller {
            let call = program.locs[id];
            diagnostic.chain.push(Frame {
                // The executor has no source text; whoever has it fills in the name (`simulation`).
                function: String::new(),
                span: call.span,
            });
            caller = call.caller;
        }
        diagnostic.chain.reverse();
        if let Some(buffer) = unwritten {
            let buffer = &program.tables.buffers[buffer];
            diagnostic.labels.push(Label {
                span: program.locs[buffer.loc].span,
                text: format!("'{}' is allocated here", buffer.name),
            });
        }
        diagnostic
    }

    /// What the kernel returned, in order.
    ///
    /// # Errors
    /// A result with elements that nobody wrote.
    pub fn results(&mut self) -> Result<Vec<Output>, Fault> {
        let program = self.program.clone();
        program.results.iter().map(|&view| self.output(view)).collect()
    }

    /// One result.
    fn output(&mut self, view: ViewId) -> Result<Output, Fault> {
        let program = self.program.clone();
        let tile = program.tables.tile(view);
        let bytes = self
            .machine
            .read_raw(&program.tables, view, "result")
            .map_err(|fault| {
                let message = format!(
                    "the kernel returns a tensor that it did not write whole: {}",
                    fault.message
                );
                Fault { message, ..fault }
            })?;
        Ok(Output {
            shape: tile.pattern.shape(),
            dtype: tile.dtype(),
            bytes,
        })
    }

    /// Argument number and bytes of each array argument that the kernel writes to.
    pub fn written_arguments(&self) -> Vec<(usize, Vec<u8>)> {
        let arguments = self.program.arguments.iter().enumerate();
        arguments
            .filter(|(at, _)| self.written[*at])
            .filter_map(|(at, &id)| self.machine.memory.get(id).map(|store| (at, store.bytes.clone())))
            .collect()
    }

    /// Run-time facts by core, for the timing model.
    pub fn dynamics(&self) -> &[Dynamic] {
        &self.dynamics
    }

    /// What `device_print` wrote so far.
    pub fn printed(&self) -> &[Line] {
        &self.printed
    }

    /// Instructions executed so far.
    pub fn executed(&self) -> u64 {
        self.executed
    }
}

/// Which arguments an instruction writes to.
fn written_arguments(program: &Program) -> Vec<bool> {
    use crate::isa::spec::Access;
    let mut buffers = vec![false; program.tables.buffers.len()];
    for inst in program.cores.iter().flat_map(|core| core.insts.iter()) {
        inst.operands(&mut |operand| {
            if operand.access != Access::Read {
                buffers[program.tables.views[operand.view].buffer.as_usize()] = true;
            }
        });
    }
    program.arguments.iter().map(|id| buffers[id.as_usize()]).collect()
}
