//! Lifetimes and places of the buffers of a program, and the message when a memory is too small.

use crate::base::diag::{Code, Diagnostic, Label};
use crate::tensor::alloc::{Lifetime, Lifetimes, Overflow, Placement, place};
use crate::tensor::buffer::{BufferId, Space};
use crate::trace::program::{Program, Step, Trace};

/// Tensors that a message about a full memory names.
const NAMED: usize = 5;

/// Lifetimes of the on-chip buffers of one core, in the order of first use.
pub fn lifetimes(program: &Program, trace: &Trace) -> Vec<Lifetime> {
    let mut lives = Lifetimes::new(program.tables.buffers.len());
    let mut open: Vec<u32> = Vec::new();
    for (at, step) in trace.steps.iter().enumerate() {
        let at = at as u32;
        match *step {
            Step::Inst(inst) => trace.insts[inst].operands(&mut |operand| {
                let buffer = program.tables.views[operand.view].buffer;
                if program.tables.buffers[buffer].space.is_on_chip() {
                    lives.access(buffer, at);
                }
            }),
            Step::LoopBegin(_) => open.push(at),
            Step::LoopEnd(_) => {
                if let Some(from) = open.pop() {
                    lives.extend(from, at);
                }
            }
        }
    }
    lives.finish()
}

/// Places the buffers of every core.
///
/// # Errors
/// A memory that is too small, with the tensors that fill it.
pub fn place_all(program: &Program) -> Result<Vec<Placement>, Box<Diagnostic>> {
    let one = |trace: &Trace| {
        let lives = lifetimes(program, trace);
        place(program.chip, &program.tables, &lives).map_err(|overflow| Box::new(explain(program, &overflow)))
    };
    program.cores.iter().map(one).collect()
}

/// Most HBM bytes that the launch holds: arguments, results and scratch.
pub fn hbm_peak_bytes(program: &Program) -> u64 {
    let hbm = |space: Space| !space.is_on_chip();
    let buffers = program.tables.buffers.iter();
    buffers
        .filter(|buffer| hbm(buffer.space))
        .map(|buffer| buffer.bytes())
        .sum()
}

/// The message about a memory that is too small.
fn explain(program: &Program, overflow: &Overflow) -> Diagnostic {
    let buffers = &program.tables.buffers;
    let culprit = &buffers[overflow.buffer];
    let name = if overflow.space == Space::Psum { "PSUM" } else { "SBUF" };
    let message = if overflow.needed > overflow.limit {
        format!(
            "{name} is full: '{}' {:?} {} needs {} bytes a partition, which makes {} with what is alive, but a partition holds {} \
             ({} too many)",
            culprit.name,
            culprit.shape,
            culprit.dtype.name(),
            culprit.row_bytes(),
            overflow.needed,
            overflow.limit,
            overflow.needed - overflow.limit
        )
    } else {
        format!(
            "{name} has no gap for '{}' {:?} {}: it needs {} contiguous bytes a partition; {} of {} are in use",
            culprit.name,
            culprit.shape,
            culprit.dtype.name(),
            culprit.row_bytes(),
            overflow.needed - culprit.row_bytes().min(overflow.needed),
            overflow.limit
        )
    };
    let mut diagnostic = Diagnostic::error(Code::Capacity, program.locs[culprit.loc].span, message);
    let others = overflow.live.iter().filter(|&&buffer| buffer != overflow.buffer);
    diagnostic.labels = others.take(NAMED).map(|&buffer| label(program, buffer)).collect();
    let memory = &program.chip.memory;
    let source = match overflow.space {
        Space::Psum => memory.psum_bank_bytes.source,
        Space::Sbuf | Space::Hbm | Space::SharedHbm => memory.sbuf_usable_bytes.source,
    };
    diagnostic.source = Some(source.to_owned());
    diagnostic.with_hint(if overflow.space == Space::Psum {
        "copy finished results to SBUF before starting new ones, or use fewer accumulators at a time"
    } else {
        "use smaller tiles, load inside the loop instead of before it, or store results to HBM earlier"
    })
}

/// A place that names a live tensor.
fn label(program: &Program, buffer: BufferId) -> Label {
    let held = &program.tables.buffers[buffer];
    Label {
        span: program.locs[held.loc].span,
        text: format!(
            "'{}' {:?} {} is alive: {} bytes a partition",
            held.name,
            held.shape,
            held.dtype.name(),
            held.row_bytes()
        ),
    }
}
