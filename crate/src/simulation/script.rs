//! One evaluation of the script: a fresh interpreter with the modules bound, and what it leaves behind.

use std::rc::Rc;

use crate::base::diag::{Code, Diagnostic, Severity};
use crate::base::span::SourceMap;
use crate::interp::nki::session::{LaunchRecord, Replay, Session};
use crate::interp::numpy::bind::session::Session as ArraySession;
use crate::interp::numpy::node::{Budget, Mode as ArrayMode};
use crate::interp::{Check, Interp, Limits, ModuleSource, OnUnknown, Print, Stop, nki, numpy};
use crate::simulation::{File, Mode, Options};

pub use crate::interp::numpy::io::Files;

/// Finds source files that were not given with the run.
pub trait Sources {
    /// The name and text of the file at `path`, such as `pkg/mod.py`, if there is one.
    fn read(&self, path: &str) -> Option<(String, String)>;
}

/// What every evaluation of the script starts from.
pub(super) struct Setup {
    /// The script, then files that it can import.
    pub files: Vec<File>,
    /// Choices of the run.
    pub options: Options,
    /// Memory of host arrays over all evaluations.
    pub budget: Rc<Budget>,
}

/// The files of a run, then those found elsewhere.
struct RunSources {
    files: Vec<File>,
    elsewhere: Option<Rc<dyn Sources>>,
}

impl ModuleSource for RunSources {
    fn read(&self, path: &str) -> Option<(String, String)> {
        let given = self.files.iter().find(|file| file.name == path);
        let given = given.map(|file| (file.name.clone(), file.text.clone()));
        given.or_else(|| self.elsewhere.as_ref()?.read(path))
    }
}

/// How an evaluation ended.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// At the end of the script.
    Finished,
    /// At a value that is not computed.
    Suspended(Box<Diagnostic>),
    /// At an error.
    Failed(Vec<Diagnostic>),
}

/// One evaluation of the script.
pub(super) struct Round {
    /// The interpreter, kept because arrays of the launches are computed with its state.
    pub interp: Interp,
    /// All source files.
    pub sources: SourceMap,
    /// What the script printed.
    pub stdout: String,
    /// The same call by call.
    pub prints: Vec<Print>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    /// Checks on values.
    pub checks: Vec<Check>,
    /// How it ended.
    pub end: End,
    /// Launches whose results this evaluation had.
    pub computed: usize,
    launches: Vec<LaunchRecord>,
}

impl Round {
    /// Evaluates the script with the results of earlier launches; `before` is the evaluation that recorded them.
    pub fn run(setup: &Setup, results: &[Vec<Rc<Vec<u8>>>], before: Option<Self>) -> Self {
        let replay = before.map(Self::into_replay).unwrap_or_default();
        let options = &setup.options;
        let source = RunSources {
            files: setup.files.get(1..).unwrap_or_default().to_vec(),
            elsewhere: options.sources.clone(),
        };
        let mut interp = Interp::new(limits(options), Box::new(source));
        if let Some(in_use) = options.memory_in_use {
            interp.watch_memory(in_use);
        }
        for module in numpy::MODULES.iter().chain(nki::MODULES) {
            interp.register(*module);
        }
        interp.on_unknown = match options.mode {
            Mode::Simulate => OnUnknown::Suspend,
            Mode::Estimate => OnUnknown::Skip,
        };
        set_up_arrays(&mut interp, setup, results);
        let session = interp.extension::<Session>();
        (session.chip, session.limits, session.replay) = (options.chip, options.limits, replay);
        let (name, text) = setup
            .files
            .first()
            .map_or(("", ""), |file| (file.name.as_str(), file.text.as_str()));
        let end = match interp.run_script(name, text) {
            Ok(()) | Err(Stop::Exited) => End::Finished,
            Err(Stop::Suspended(diagnostic)) => End::Suspended(diagnostic),
            Err(Stop::Errors(diagnostics)) => End::Failed(diagnostics),
        };
        Self {
            sources: interp.sources.clone(),
            stdout: std::mem::take(&mut interp.stdout),
            prints: std::mem::take(&mut interp.prints),
            warnings: std::mem::take(&mut interp.warnings),
            checks: std::mem::take(&mut interp.checks),
            launches: std::mem::take(&mut interp.extension::<Session>().launches),
            end,
            computed: results.len(),
            interp,
        }
    }

    /// The launches in the order of the script.
    pub fn launches(&self) -> &[LaunchRecord] {
        &self.launches
    }

    /// Makes the results of launches visible to arrays that depend on them.
    pub fn deliver(&mut self, results: &[Vec<Rc<Vec<u8>>>]) {
        let arrays = self.interp.extension::<ArraySession>();
        deliver(arrays, results);
    }

    /// What the next evaluation takes over.
    fn into_replay(self) -> Vec<Replay> {
        self.launches.iter().map(LaunchRecord::replay).collect()
    }
}

/// The diagnostic of a script that needs a value which is not computed.
pub(super) fn stopped(diagnostic: Diagnostic, mode: Mode) -> Diagnostic {
    match mode {
        Mode::Simulate => Diagnostic {
            code: Code::Internal,
            ..diagnostic
        },
        Mode::Estimate => Diagnostic {
            severity: Severity::Warning,
            code: Code::Skipped,
            ..diagnostic
        }
        .with_hint("the rest of the script is skipped in estimate mode; simulate to run all of it"),
    }
}

/// The interpreter's share of the limits.
fn limits(options: &Options) -> Limits {
    let all = &options.limits;
    Limits {
        steps: all.steps,
        output_bytes: all.output_chars,
        memory_bytes: all.memory.0,
        ..Limits::default()
    }
}

/// Mode, memory, files and results of host arrays.
fn set_up_arrays(interp: &mut Interp, setup: &Setup, results: &[Vec<Rc<Vec<u8>>>]) {
    let arrays = interp.extension::<ArraySession>();
    arrays.mode = match setup.options.mode {
        Mode::Simulate => ArrayMode::Simulate,
        Mode::Estimate => ArrayMode::Estimate,
    };
    arrays.budget = Rc::clone(&setup.budget);
    arrays.files.clone_from(&setup.options.files);
    deliver(arrays, results);
}

fn deliver(arrays: &mut ArraySession, results: &[Vec<Rc<Vec<u8>>>]) {
    for (launch, outputs) in results.iter().enumerate() {
        for (output, bytes) in outputs.iter().enumerate() {
            arrays.set_output(launch as u32, output as u32, Rc::clone(bytes));
        }
    }
}
