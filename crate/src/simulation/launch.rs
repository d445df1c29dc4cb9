//! A launch being executed or scheduled, in slices.

use std::rc::Rc;

use crate::base::diag::{Code, Diagnostic, Fault};
use crate::base::span::{SourceMap, Span};
use crate::exec::{Executor, Line, Progress};
use crate::interp::nki::session::{LaunchRecord, Output};
use crate::interp::numpy;
use crate::profile::Profile;
use crate::simulation::script::Round;
use crate::timing::place::place_all;
use crate::timing::scheduler::{Options, Scheduler};
use crate::trace::dynamic::Dynamic;
use crate::trace::limits::Limits;
use crate::trace::program::Program;

/// What an executed launch gives: bytes of each output, and run-time facts core by core.
pub(super) type Executed = (Vec<Rc<Vec<u8>>>, Vec<Dynamic>);

/// A launch that is being executed.
pub(super) struct Execution {
    executor: Executor,
    program: Rc<Program>,
    outputs: Vec<Output>,
    instructions: u64,
    span: Span,
}

impl Execution {
    /// Computes the arguments of launch number `at` and prepares the machine.
    ///
    /// # Errors
    /// Memory that is too small, on the chip or here; arguments that cannot be computed.
    pub fn start(round: &mut Round, at: usize, limits: &Limits) -> Result<Self, Box<Diagnostic>> {
        let LaunchRecord {
            program,
            inputs,
            outputs,
            span,
            ..
        } = round.launches()[at].clone();
        place_all(&program)?;
        let mut bytes = Vec::new();
        for input in &inputs {
            let input = numpy::to_bytes(&mut round.interp, input).map_err(|raised| raised.into_diagnostic(span))?;
            bytes.push(input);
        }
        let instructions = program.instructions();
        let executor = Executor::new(Rc::clone(&program), bytes, limits).map_err(|fault| fault.at(span))?;
        Ok(Self {
            executor,
            program,
            outputs,
            instructions,
            span,
        })
    }

    /// Executes about `budget` instructions; says whether the launch has ended.
    ///
    /// # Errors
    /// What only values can show.
    pub fn advance(&mut self, budget: u64) -> Result<bool, Box<Diagnostic>> {
        self.executor
            .advance(budget)
            .map(|progress| progress == Progress::Done)
            .map_err(Box::new)
    }

    /// Share of the instructions that are executed; loops can make it reach the end early.
    pub fn fraction(&self) -> f64 {
        (self.executor.executed() as f64 / self.instructions.max(1) as f64).min(1.0)
    }

    /// What is suspicious in the values.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        self.executor.warnings().to_vec()
    }

    /// The launch.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// What `device_print` wrote.
    pub fn printed(&self) -> &[Line] {
        self.executor.printed()
    }

    /// The machine, for whoever runs the launch again to look at it.
    pub fn into_executor(self) -> Executor {
        self.executor
    }

    /// Takes the results.
    ///
    /// # Errors
    /// An output that nobody wrote.
    pub fn finish(mut self) -> Result<Executed, Box<Diagnostic>> {
        let span = self.span;
        let place = |fault: Fault| Box::new(fault.at(span));
        let mut returned = self.executor.results().map_err(place)?.into_iter();
        let written = self.executor.written_arguments();
        let bytes = self.outputs.iter().map(|output| match output.argument {
            None => returned.next().map(|output| output.bytes).unwrap_or_default(),
            Some(at) => written
                .iter()
                .find(|(argument, _)| *argument == at)
                .map(|(_, bytes)| bytes.clone())
                .unwrap_or_default(),
        });
        Ok((bytes.map(Rc::new).collect(), self.executor.dynamics().to_vec()))
    }
}

/// A launch that is being scheduled.
pub(super) struct Scheduling {
    program: Rc<Program>,
    scheduler: Scheduler,
}

impl Scheduling {
    /// Places the buffers of a launch.
    ///
    /// # Errors
    /// An on-chip memory that is too small.
    pub fn start(program: Rc<Program>, dynamics: Vec<Dynamic>) -> Result<Self, Box<Diagnostic>> {
        let scheduler = Scheduler::new(Rc::clone(&program), dynamics, Options::default())?;
        Ok(Self { program, scheduler })
    }

    /// Schedules up to `budget` instructions; says whether the schedule is complete.
    pub fn advance(&mut self, budget: u64) -> bool {
        self.scheduler.advance(budget)
    }

    /// Fails once the launch has gone through more instructions than the limits allow.
    ///
    /// # Errors
    /// The limit, at the launch.
    pub fn check(&self, limits: &Limits, span: Span) -> Result<(), Box<Diagnostic>> {
        // Marks of loops count too, so that empty loops end; no more than three surround an instruction in real kernels.
        let limit = limits.executed.saturating_mul(4);
        if self.scheduler.steps() <= limit && self.scheduler.scheduled() <= limits.executed {
            return Ok(());
        }
        let message = format!("the launch executes more than {} instructions", limits.executed);
        let fault = Fault::new(Code::Limit, message).hint("check that dynamic loops end, or lower their bounds");
        Err(Box::new(fault.at(span)))
    }

    /// Share of the instructions that are scheduled.
    pub fn fraction(&self) -> f64 {
        (self.scheduler.scheduled() as f64 / self.program.instructions().max(1) as f64).min(1.0)
    }

    /// The schedule, prepared for reading.
    pub fn finish(self, sources: &SourceMap) -> Profile {
        Profile::new(self.program, self.scheduler.finish(), sources)
    }
}
