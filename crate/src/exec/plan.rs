//! What the executor knows before it starts: the core of each buffer, where loops end, and when a buffer is used last.

use crate::base::index::Idx;
use crate::isa::spec::Access;
use crate::tensor::buffer::{BufferId, Init};
use crate::tensor::tables::Tables;
use crate::tensor::view::{IndexSource, ViewId};
use crate::trace::program::{Program, Step, Trace};

/// The plan of one core.
#[derive(Debug, Default)]
pub(super) struct CorePlan {
    /// Buffers to drop after each step; sorted by step.
    pub(super) drops: Vec<(u32, BufferId)>,
    /// Placed buffers whose first use, at this step, writes them: what lay there before is forgotten. Sorted by step.
    pub(super) starts: Vec<(u32, BufferId)>,
    /// The step that closes the loop that a step opens; its own position for other steps.
    pub(super) closes: Vec<u32>,
}

/// The plan of a launch.
#[derive(Debug)]
pub(super) struct Plan {
    /// Core of each buffer.
    pub(super) owners: Vec<u32>,
    /// Plans by core.
    pub(super) cores: Vec<CorePlan>,
}

/// First and last step that uses a buffer on one core.
#[derive(Clone, Copy)]
struct Life {
    core: u32,
    first: u32,
    last: u32,
    shared: bool,
    /// Whether the first use writes.
    fresh: bool,
}

/// Calls `visit` for the buffer of a view and of the run-time indices behind it.
fn buffers_of(tables: &Tables, view: ViewId, visit: &mut dyn FnMut(BufferId)) {
    let view = tables.views[view];
    visit(view.buffer);
    let Some(id) = view.indirect else {
        return;
    };
    match tables.indirects[id].source {
        IndexSource::Scalar(index) | IndexSource::Vector(index) | IndexSource::Free(index) => {
            buffers_of(tables, index, visit);
        }
        IndexSource::Register(_) => {}
    }
}

/// For each step, the loop close that matches it, and the outermost loop around it as (open, close).
fn loops(trace: &Trace) -> (Vec<u32>, Vec<(u32, u32)>) {
    let mut closes: Vec<u32> = (0..trace.steps.len() as u32).collect();
    let mut spans = Vec::new();
    let mut open = Vec::new();
    for (at, step) in trace.steps.iter().enumerate() {
        match step {
            Step::LoopBegin(_) => open.push(at as u32),
            Step::LoopEnd(_) => {
                if let Some(start) = open.pop() {
                    closes[start as usize] = at as u32;
                    closes[at] = start;
                    spans.push((start, at as u32));
                }
            }
            Step::Inst(_) => {}
        }
    }
    spans.sort_unstable();
    (closes, spans)
}

/// Moves a last use to the end of each loop that the buffer is alive in from outside.
fn extend(life: Life, spans: &[(u32, u32)]) -> u32 {
    let mut last = life.last;
    for &(start, end) in spans.iter().rev() {
        if life.first < start && start <= last && last < end {
            last = end;
        }
    }
    // An enclosing loop can only be met after an inner one moved the end, so a second pass settles nested loops.
    for &(start, end) in spans {
        if life.first < start && start <= last && last < end {
            last = end;
        }
    }
    last
}

impl Plan {
    /// Walks the traces of a launch.
    pub(super) fn new(program: &Program) -> Self {
        let tables = &program.tables;
        let mut lives: Vec<Option<Life>> = vec![None; tables.buffers.len()];
        for (core, trace) in program.cores.iter().enumerate() {
            walk(tables, core as u32, trace, &mut lives);
        }
        for view in &program.results {
            if let Some(life) = &mut lives[tables.views[*view].buffer.as_usize()] {
                life.shared = true;
            }
        }
        let owners = lives.iter().map(|life| life.map_or(0, |life| life.core)).collect();
        let mut cores: Vec<CorePlan> = program.cores.iter().map(|_| CorePlan::default()).collect();
        let spans: Vec<_> = program.cores.iter().map(loops).collect();
        for (id, buffer) in tables.buffers.iter_enumerated() {
            let life = lives[id.as_usize()];
            if let Some(life) = life.filter(|life| life.fresh && buffer.address.is_some()) {
                cores[life.core as usize].starts.push((life.first, id));
            }
            let kept = matches!(buffer.init, Init::Argument(_));
            if let Some(life) = life.filter(|life| !life.shared && !kept) {
                let last = extend(life, &spans[life.core as usize].1);
                cores[life.core as usize].drops.push((last, id));
            }
        }
        for (plan, (closes, _)) in cores.iter_mut().zip(spans) {
            plan.drops.sort_unstable();
            plan.starts.sort_unstable();
            plan.closes = closes;
        }
        Self { owners, cores }
    }
}

/// Records the uses of one core.
fn walk(tables: &Tables, core: u32, trace: &Trace, lives: &mut [Option<Life>]) {
    for (at, step) in trace.steps.iter().enumerate() {
        let Step::Inst(inst) = step else {
            continue;
        };
        let at = at as u32;
        trace.insts[*inst].operands(&mut |operand| {
            buffers_of(tables, operand.view, &mut |buffer| {
                let life = lives[buffer.as_usize()].get_or_insert(Life {
                    core,
                    first: at,
                    last: at,
                    shared: false,
                    fresh: operand.access != Access::Read,
                });
                life.shared |= life.core != core;
                life.last = at;
            });
        });
    }
}

/// The entries of step `at` in a list sorted by step.
fn of_step(list: &[(u32, BufferId)], at: u32) -> &[(u32, BufferId)] {
    let start = list.partition_point(|&(step, _)| step < at);
    let end = start + list[start..].partition_point(|&(step, _)| step == at);
    &list[start..end]
}

impl CorePlan {
    /// Buffers whose last use is step `at`.
    pub(super) fn drops_after(&self, at: u32) -> &[(u32, BufferId)] {
        of_step(&self.drops, at)
    }

    /// Placed buffers that step `at` writes first.
    pub(super) fn starts_at(&self, at: u32) -> &[(u32, BufferId)] {
        of_step(&self.starts, at)
    }
}
