//! One run of a script, from source text to report: what the page, the command line, tests and benches drive alike.
//!
//! A run advances in slices of work, never of time. The script is interpreted and its kernels are traced in one piece; launches are
//! then executed and scheduled step by step. In simulate mode a script may look at results of its launches: it is suspended,
//! the launches are executed, and it runs again with their results (`interp::nki::session` says why that ends).

pub mod api;
pub mod cells;
pub mod console;
pub mod debug;
pub mod inspect;
mod launch;
pub mod params;
pub mod report;
mod script;

use std::rc::Rc;

use serde::Serialize;

use crate::base::diag::Diagnostic;
use crate::base::span::SourceMap;
use crate::chip::Chip;
use crate::interp::numpy::node::Budget;
use crate::profile::Profile;
use crate::profile::summary::summarize;
use crate::simulation::console::ConsoleLine;
use crate::simulation::debug::Debugger;
use crate::simulation::launch::{Executed, Execution, Scheduling};
use crate::simulation::report::{DiagnosticReport, LaunchReport, OutputReport, Report, VERSION};
use crate::simulation::script::{End, Round, Setup};
use crate::trace::limits::Limits;

pub use crate::simulation::script::{Files, Sources};

/// Whether values are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Values and times.
    #[default]
    Simulate,
    /// Times only; shapes suffice.
    Estimate,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path relative to the folder that imports start from.
    pub name: String,
    /// Text.
    pub text: String,
}

/// Choices of a run.
#[derive(Clone)]
pub struct Options {
    /// The target.
    pub chip: &'static Chip,
    /// Whether values are computed.
    pub mode: Mode,
    /// Bounds on what the run may use.
    pub limits: Limits,
    /// Tells how many bytes the program has allocated; without it only the sizes of single objects are bounded.
    pub memory_in_use: Option<fn() -> u64>,
    /// Where imports that are not among the given files are looked for.
    pub sources: Option<Rc<dyn Sources>>,
    /// Files for `numpy.load` and `numpy.save`.
    pub files: Option<Rc<dyn Files>>,
}

impl Default for Options {
    /// Simulation on the newest chip, without files.
    fn default() -> Self {
        Self {
            chip: Chip::ALL[Chip::ALL.len() - 1],
            mode: Mode::default(),
            limits: Limits::default(),
            memory_in_use: None,
            sources: None,
            files: None,
        }
    }
}

/// What a run does at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Interpreting the script and tracing its kernels.
    Trace,
    /// Computing values.
    Execute,
    /// Scheduling.
    Schedule,
    /// Nothing more.
    Done,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Progress {
    /// What it does next.
    pub phase: Phase,
    /// Share of the present phase that is done, 0 to 1.
    pub fraction: f64,
    /// Whether nothing more is to do.
    pub done: bool,
}

/// Between two looks at the limits, so many instructions are scheduled.
const SCHEDULE_SLICE: u64 = 1_000_000;

/// A launch with its schedule.
struct Launch {
    profile: Profile,
    report: LaunchReport,
}

/// The state between two slices.
enum State {
    Trace,
    Execute(Box<Execution>),
    Schedule(Box<Scheduling>),
    Done,
}

/// One run of a script.
pub struct Simulation {
    setup: Setup,
    state: State,
    /// The last evaluation of the script.
    round: Option<Round>,
    /// What executed launches gave: bytes of each output.
    results: Vec<Vec<Rc<Vec<u8>>>>,
    /// Run-time facts of executed launches, core by core.
    dynamics: Vec<Vec<crate::trace::dynamic::Dynamic>>,
    /// What `device_print` wrote.
    printed: Vec<ConsoleLine>,
    debugger: Debugger,
    launches: Vec<Launch>,
    diagnostics: Vec<Diagnostic>,
}

impl Simulation {
    /// Prepares a run. The first file is the script; the others can be imported.
    pub fn new(files: Vec<File>, options: Options) -> Self {
        let budget = Budget::new(options.limits.memory.0);
        Self {
            setup: Setup { files, options, budget },
            state: State::Trace,
            round: None,
            results: Vec::new(),
            dynamics: Vec::new(),
            printed: Vec::new(),
            debugger: Debugger::default(),
            launches: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Does up to about `budget` instructions of work. Interpreting the script is one piece, bounded by the limits.
    pub fn advance(&mut self, budget: u64) -> Progress {
        match std::mem::replace(&mut self.state, State::Done) {
            State::Trace => self.trace(),
            State::Execute(execution) => self.execute(execution, budget),
            State::Schedule(scheduling) => self.schedule(scheduling, budget),
            State::Done => {}
        }
        self.progress()
    }

    /// Runs to the end.
    pub fn finish(&mut self) {
        while !self.advance(u64::MAX / 2).done {}
    }

    /// How far the run is.
    pub fn progress(&self) -> Progress {
        let (phase, fraction) = match &self.state {
            State::Trace => (Phase::Trace, 0.0),
            State::Execute(execution) => (Phase::Execute, execution.fraction()),
            State::Schedule(scheduling) => (Phase::Schedule, scheduling.fraction()),
            State::Done => (Phase::Done, 1.0),
        };
        Progress {
            phase,
            fraction,
            done: phase == Phase::Done,
        }
    }

    /// Evaluates the script once, with the results of launches so far.
    fn trace(&mut self) {
        let round = Round::run(&self.setup, &self.results, self.round.take());
        self.round = Some(round);
        self.next();
    }

    /// Decides what follows: the next launch to execute, another evaluation, or scheduling.
    fn next(&mut self) {
        let Some(round) = &mut self.round else { return };
        let executed = self.results.len();
        if self.setup.options.mode == Mode::Simulate && executed < round.launches().len() {
            match Execution::start(round, executed, &self.setup.options.limits) {
                Ok(execution) => self.state = State::Execute(Box::new(execution)),
                Err(diagnostic) => self.fail(*diagnostic),
            }
            return;
        }
        match round.end.clone() {
            End::Suspended(_) if self.setup.options.mode == Mode::Simulate && round.computed < executed => {
                self.state = State::Trace;
                return;
            }
            End::Suspended(diagnostic) => self
                .diagnostics
                .push(script::stopped(*diagnostic, self.setup.options.mode)),
            End::Failed(diagnostics) => self.diagnostics.extend(diagnostics),
            End::Finished => {}
        }
        self.schedule_next();
    }

    /// Executes a part of a launch.
    fn execute(&mut self, mut execution: Box<Execution>, budget: u64) {
        let progress = execution.advance(budget);
        if !matches!(progress, Ok(false)) {
            self.diagnostics.extend(execution.warnings());
        }
        match progress {
            Ok(false) => self.state = State::Execute(execution),
            Ok(true) => match self.finish_execution(*execution) {
                Ok((results, dynamics)) => {
                    self.results.push(results);
                    self.dynamics.push(dynamics);
                    if let Some(round) = &mut self.round {
                        round.deliver(&self.results);
                    }
                    self.next();
                }
                Err(diagnostic) => self.fail(*diagnostic),
            },
            Err(diagnostic) => self.fail(*diagnostic),
        }
    }

    /// Takes what an executed launch gives.
    fn finish_execution(&mut self, execution: Execution) -> Result<Executed, Box<Diagnostic>> {
        if let Some(sources) = self.sources_ref() {
            let launch = self.results.len() as u32;
            let printed = console::of_device(sources, launch, execution.program(), execution.printed());
            self.printed.extend(printed);
        }
        execution.finish()
    }

    /// Starts scheduling the next launch, if there is one.
    fn schedule_next(&mut self) {
        let Some(round) = &self.round else { return };
        let at = self.launches.len();
        let Some(record) = round.launches().get(at) else { return };
        let dynamics = self.dynamics.get(at).cloned().unwrap_or_default();
        match Scheduling::start(Rc::clone(&record.program), dynamics) {
            Ok(scheduling) => self.state = State::Schedule(Box::new(scheduling)),
            Err(diagnostic) => self.fail(*diagnostic),
        }
    }

    /// Schedules a part of a launch.
    fn schedule(&mut self, mut scheduling: Box<Scheduling>, budget: u64) {
        let done = scheduling.advance(budget.min(SCHEDULE_SLICE));
        let Some(round) = &self.round else { return };
        let Some(record) = round.launches().get(self.launches.len()) else {
            return;
        };
        if let Err(diagnostic) = scheduling.check(&self.setup.options.limits, record.span) {
            self.fail(*diagnostic);
            return;
        }
        if !done {
            self.state = State::Schedule(scheduling);
            return;
        }
        let profile = scheduling.finish(&round.sources);
        let results = self.results.get(self.launches.len());
        let digest = |at: usize| {
            results
                .and_then(|results| results.get(at))
                .map(|bytes| report::digest(bytes))
        };
        let outputs = record
            .outputs
            .iter()
            .enumerate()
            .filter(|(_, output)| output.argument.is_none());
        let report = LaunchReport {
            kernel: profile.program.kernel.to_string(),
            grid: profile.program.grid.clone(),
            summary: summarize(&profile),
            outputs: outputs
                .map(|(at, output)| OutputReport {
                    shape: output.shape.clone(),
                    dtype: output.dtype.name(),
                    digest: digest(at),
                })
                .collect(),
        };
        self.launches.push(Launch { profile, report });
        self.schedule_next();
    }

    /// Ends the run with an error of a launch. What the script said before stays.
    fn fail(&mut self, mut diagnostic: Diagnostic) {
        let sources = self.sources();
        for frame in diagnostic.chain.iter_mut().filter(|frame| frame.function.is_empty()) {
            let call = sources.text(frame.span);
            frame.function = call.split('(').next().unwrap_or(call).trim().to_owned();
        }
        let repairs = std::mem::take(&mut diagnostic.repairs);
        let fixes = repairs
            .iter()
            .map(|repair| repair.mend.fix(&sources, &repair.site, |_| None));
        diagnostic.fixes.extend(fixes.flatten());
        self.diagnostics.push(diagnostic);
        self.state = State::Done;
    }

    /// The source files without a copy of them.
    fn sources_ref(&self) -> Option<&SourceMap> {
        self.round.as_ref().map(|round| &round.sources)
    }

    /// What the run printed, call by call: the script and its kernels while they were traced, then the device.
    pub fn console(&self) -> Vec<ConsoleLine> {
        let Some(round) = &self.round else { return Vec::new() };
        let mut lines = console::of_script(&round.sources, &round.prints);
        if self.setup.options.mode == Mode::Estimate {
            for (at, launch) in round.launches().iter().enumerate() {
                lines.extend(console::skipped(&round.sources, at as u32, &launch.program));
            }
        }
        lines.extend(self.printed.iter().cloned());
        lines
    }

    /// All source files of the run.
    pub fn sources(&self) -> SourceMap {
        self.round
            .as_ref()
            .map(|round| round.sources.clone())
            .unwrap_or_default()
    }

    /// Diagnostics in the order of the run: warnings of the script, then what ended it.
    pub fn diagnostics(&self) -> Vec<&Diagnostic> {
        let warnings = self.round.iter().flat_map(|round| &round.warnings);
        warnings.chain(&self.diagnostics).collect()
    }

    /// Diagnostics as a terminal shows them, without colours.
    pub fn render_diagnostics(&self) -> String {
        let sources = self.sources();
        let all = self
            .diagnostics()
            .into_iter()
            .map(|diagnostic| diagnostic.render(&sources));
        all.collect::<Vec<_>>().join("\n")
    }

    /// The numbers of the run; complete once it is done.
    pub fn report(&self) -> Report {
        let sources = self.sources();
        let round = self.round.as_ref();
        let checks = round
            .map(|round| report::checks(&sources, &round.checks))
            .unwrap_or_default();
        let mut stdout = round.map(|round| round.stdout.clone()).unwrap_or_default();
        for line in &self.printed {
            stdout.push_str(&line.text);
            stdout.push('\n');
        }
        Report {
            version: VERSION,
            target: self.setup.options.chip.name,
            mode: self.setup.options.mode,
            stdout,
            launches: self.launches.iter().map(|launch| launch.report.clone()).collect(),
            checks,
            diagnostics: self
                .diagnostics()
                .into_iter()
                .map(|one| DiagnosticReport::new(&sources, one))
                .collect(),
            wall: None,
        }
    }

    /// The profile of launch number `launch`, once it is scheduled.
    pub fn profile(&self, launch: usize) -> Option<&Profile> {
        self.launches.get(launch).map(|launch| &launch.profile)
    }
}
