//! What a run printed, call by call with its place: `print` of the script and of kernels, `device_print` of the device.

use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::base::span::{SourceMap, Span};
use crate::exec::Line;
use crate::interp::Print;
use crate::isa::Inst;
use crate::trace::program::Program;

/// Who printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Printer {
    /// The script.
    Script,
    /// A kernel while it was traced.
    Trace,
    /// The device.
    Device,
    /// The device would print here, but an estimate computes no values.
    Skipped,
}

/// One piece of output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConsoleLine {
    /// Who printed.
    pub printer: Printer,
    /// What, without the last line end.
    pub text: String,
    /// The file of the call.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
    /// Number of the launch, inside of kernels.
    pub launch: Option<u32>,
    /// The core, inside of kernels.
    pub core: Option<u32>,
    /// Which execution of the core it was, on the device.
    pub instance: Option<u32>,
}

impl ConsoleLine {
    /// A line that something else than an instruction printed, or would have.
    fn new(sources: &SourceMap, printer: Printer, text: &str, span: Span) -> Self {
        Self {
            printer,
            text: text.strip_suffix('\n').unwrap_or(text).to_owned(),
            file: sources.file(span.file).name.clone(),
            line: sources.range(span).0.line,
            launch: None,
            core: None,
            instance: None,
        }
    }
}

/// What `print` wrote.
pub(super) fn of_script(sources: &SourceMap, prints: &[Print]) -> Vec<ConsoleLine> {
    let one = |print: &Print| {
        let printer = if print.tracer.is_some() {
            Printer::Trace
        } else {
            Printer::Script
        };
        ConsoleLine {
            launch: print.tracer.map(|tracer| tracer.launch),
            core: print.tracer.map(|tracer| tracer.core),
            ..ConsoleLine::new(sources, printer, &print.text, print.span)
        }
    };
    prints.iter().map(one).collect()
}

/// What `device_print` wrote in launch number `launch`.
pub(super) fn of_device(sources: &SourceMap, launch: u32, program: &Program, lines: &[Line]) -> Vec<ConsoleLine> {
    let one = |line: &Line| ConsoleLine {
        launch: Some(launch),
        core: Some(line.core),
        instance: Some(line.instance),
        ..ConsoleLine::new(sources, Printer::Device, &line.text, program.locs[line.loc].span)
    };
    lines.iter().map(one).collect()
}

/// The `device_print` calls of a launch whose values are not computed, one for each place of a core.
pub(super) fn skipped(sources: &SourceMap, launch: u32, program: &Program) -> Vec<ConsoleLine> {
    let mut lines = Vec::new();
    let mut known = FxHashSet::default();
    for (core, trace) in program.cores.iter().enumerate() {
        for (id, inst) in trace.insts.iter_enumerated() {
            let Inst::DevicePrint(print) = inst else { continue };
            if !known.insert((core, trace.locs[id], print.print_prefix)) {
                continue;
            }
            let text = &program.tables.texts[print.print_prefix];
            lines.push(ConsoleLine {
                launch: Some(launch),
                core: Some(core as u32),
                ..ConsoleLine::new(sources, Printer::Skipped, text, program.locs[trace.locs[id]].span)
            });
        }
    }
    lines
}
