//! All that is known of one entry of the timeline.

use serde::Serialize;

use crate::base::span::SourceMap;
use crate::profile::Profile;
use crate::timing::timeline::{Entry, Stall};

/// One operand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Operand {
    /// The parameter.
    pub role: &'static str,
    /// The tensor, its shape, dtype and memory.
    pub text: String,
}

/// One entry in words and numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Instruction {
    /// The entry.
    pub inst: u32,
    /// The instruction.
    pub name: &'static str,
    /// The engine, or `dma`.
    pub engine: &'static str,
    /// Title of its row.
    pub track: String,
    /// Source file.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// Tile operands.
    pub operands: Vec<Operand>,
    /// Start in picoseconds.
    pub start_ps: u64,
    /// When the next one on its row could start.
    pub end_ps: u64,
    /// When its result was visible.
    pub done_ps: u64,
    /// When it reached the head of its queue.
    pub ready_ps: u64,
    /// What it waited for; empty if it did not wait.
    pub waited_for: String,
    /// The entry that it waited for, if there is one.
    pub cause: Option<u32>,
}

/// Details of entry number `at`, if it exists.
pub fn instruction(profile: &Profile, at: u32, sources: &SourceMap) -> Option<Instruction> {
    let entry = profile.timeline.entries.get(at as usize)?;
    let trace = &profile.program.cores[usize::from(entry.core)];
    let span = profile.program.locs[trace.locs[entry.inst]].span;
    let (place, _) = sources.range(span);
    let head = head_of_queue(profile, at, entry);
    Some(Instruction {
        inst: at,
        name: profile.name(entry),
        engine: entry.track.engine().map_or("dma", crate::chip::engine::Engine::name),
        track: entry.track.title(),
        file: sources.file(span.file).name.clone(),
        line: place.line,
        column: place.column,
        operands: operands(profile, entry),
        start_ps: entry.start.0,
        end_ps: entry.end.0,
        done_ps: entry.done.0,
        ready_ps: idle_since(profile, entry, head),
        waited_for: waited_for(profile, entry),
        cause: (entry.cause != at).then_some(entry.cause),
    })
}

/// Tile operands of the instruction of an entry.
pub fn operands(profile: &Profile, entry: &Entry) -> Vec<Operand> {
    let trace = &profile.program.cores[usize::from(entry.core)];
    let mut list = Vec::new();
    trace.insts[entry.inst].operands(&mut |operand| {
        list.push(Operand {
            role: operand.param,
            text: profile.program.tables.tile(operand.view).describe(),
        });
    });
    list
}

/// When the entry before it on the same row ended.
fn head_of_queue(profile: &Profile, at: u32, entry: &Entry) -> u64 {
    let row = profile
        .rows
        .iter()
        .find(|row| row.core == entry.core && row.track == entry.track);
    let before = row.and_then(|row| {
        let key = (entry.start, at);
        let place = row
            .entries
            .partition_point(|&other| (profile.entry(other).start, other) < key);
        place.checked_sub(1).map(|place| row.entries[place])
    });
    before
        .map_or(profile.program.chip.launch.preamble.get().0, |before| {
            profile.entry(before).end.0
        })
        .min(entry.start.0)
}

/// Since when the row has only waited: a transfer is asked for by its trigger, before that its queue had nothing to do.
fn idle_since(profile: &Profile, entry: &Entry, head: u64) -> u64 {
    let asked = match entry.stall {
        Stall::Trigger => profile.entry(entry.cause).start,
        _ if entry.track.is_dma() => entry.ready,
        _ => return head,
    };
    head.max(asked.0).min(entry.start.0)
}

/// What an entry waited for, in words.
fn waited_for(profile: &Profile, entry: &Entry) -> String {
    let cause = profile.entry(entry.cause);
    let other = format!("{} of line {}", profile.name(cause), profile.line(cause));
    match entry.stall {
        Stall::Launch => String::new(),
        Stall::Queue => format!("the queue, busy with {other}"),
        Stall::Data => format!("the result of {other}"),
        Stall::Anti => format!("{other} to finish reading what this overwrites"),
        Stall::Output => format!("{other} to finish writing what this overwrites"),
        Stall::Explicit => format!("{other}, by explicit order"),
        Stall::Weights => "its stationary matrix to load".to_owned(),
        Stall::Trigger => "the start-up time of the transfer".to_owned(),
        Stall::DmaEngines => "DMA engines that were busy with other transfers".to_owned(),
        Stall::Meeting => "another core".to_owned(),
    }
}
