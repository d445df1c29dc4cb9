//! What people read off a schedule: summaries, series over time, windows of the timeline, details and exports.
//!
//! Names and formulas are those that NKI users know from the vendor's profiler; where a percentage has a denominator, the
//! function that computes it says which.

pub mod bound;
pub mod counters;
pub mod details;
pub mod export;
pub mod intervals;
pub mod lod;
pub mod memory;
pub mod roofline;
pub mod summary;

use std::rc::Rc;

use crate::base::index::{Idx, IndexVec};
use crate::base::span::{LocId, SourceMap};
use crate::base::units::Ps;
use crate::chip::engine::Engine;
use crate::timing::timeline::{Entry, Timeline, Track};
use crate::trace::program::Program;

/// The entries of one row of the timeline, in time order.
#[derive(Clone, Debug)]
pub struct Row {
    /// The core.
    pub core: u8,
    /// The track.
    pub track: Track,
    /// Indices of entries, by start. They do not overlap.
    pub entries: Vec<u32>,
    /// How many times the source line changed up to each entry, so that a merged bar knows whether it has one line.
    pub line_changes: Vec<u32>,
}

/// A schedule prepared for reading.
#[derive(Debug)]
pub struct Profile {
    /// The program.
    pub program: Rc<Program>,
    /// Its schedule.
    pub timeline: Timeline,
    /// Rows with entries, by core and track.
    pub rows: Vec<Row>,
    /// Source line of each place.
    lines: IndexVec<LocId, u32>,
}

impl Profile {
    /// Sorts the entries of a schedule into rows.
    pub fn new(program: Rc<Program>, timeline: Timeline, sources: &SourceMap) -> Self {
        let mut lines = IndexVec::new();
        for loc in program.locs.iter() {
            lines.push(sources.range(loc.span).0.line);
        }
        let mut profile = Self {
            rows: Vec::new(),
            lines,
            program,
            timeline,
        };
        profile.rows = profile.sort_rows();
        profile
    }

    /// Rows with entries.
    fn sort_rows(&self) -> Vec<Row> {
        let mut slots: Vec<Option<Row>> = Vec::new();
        for (at, entry) in self.timeline.entries.iter().enumerate() {
            let slot = usize::from(entry.core) << 8 | usize::from(entry.track.0);
            if slots.len() <= slot {
                slots.resize_with(slot + 1, || None);
            }
            let row = slots[slot].get_or_insert_with(|| Row {
                core: entry.core,
                track: entry.track,
                entries: Vec::new(),
                line_changes: Vec::new(),
            });
            row.entries.push(at as u32);
        }
        let mut rows: Vec<Row> = slots.into_iter().flatten().collect();
        for row in &mut rows {
            row.entries.sort_by_key(|&at| (self.entry(at).start, at));
            let mut changes = 0;
            let mut last = None;
            for &at in &row.entries {
                let line = self.line(self.entry(at));
                changes += u32::from(last.is_some_and(|last| last != line));
                last = Some(line);
                row.line_changes.push(changes);
            }
        }
        rows
    }

    /// Entry number `at`.
    pub fn entry(&self, at: u32) -> &Entry {
        &self.timeline.entries[at as usize]
    }

    /// Source line of the instruction of an entry.
    pub fn line(&self, entry: &Entry) -> u32 {
        let trace = &self.program.cores[usize::from(entry.core)];
        self.lines[trace.locs[entry.inst]]
    }

    /// Name of the instruction of an entry.
    pub fn name(&self, entry: &Entry) -> &'static str {
        let trace = &self.program.cores[usize::from(entry.core)];
        trace.insts[entry.inst].spec().name
    }

    /// The title of a row; cores are named if there are several.
    pub fn title(&self, row: &Row) -> String {
        if self.program.cores.len() > 1 {
            format!("Core {} {}", row.core, row.track.title())
        } else {
            row.track.title()
        }
    }

    /// Busy intervals of the tracks that `select` takes, merged. An entry is active from its start until its result is visible.
    pub fn active(&self, select: impl Fn(Track) -> bool) -> Vec<(Ps, Ps)> {
        let rows = self.rows.iter().filter(|row| select(row.track));
        let entries = rows.flat_map(|row| row.entries.iter());
        intervals::union(entries.map(|&at| self.span(at)).collect())
    }

    /// Start of an entry and the end of its activity: the result being visible for engines, the last byte for transfers.
    fn span(&self, at: u32) -> (Ps, Ps) {
        let entry = self.entry(at);
        let end = if entry.track.is_dma() { entry.end } else { entry.done };
        (entry.start, end)
    }

    /// Active time of an engine of an average core; `None` stands for DMA.
    pub fn active_time(&self, engine: Option<Engine>) -> Ps {
        let cores = self.program.cores.len().max(1) as u64;
        let of_core = |core: u8| {
            let rows = self
                .rows
                .iter()
                .filter(|row| row.core == core && row.track.engine() == engine);
            let spans = rows
                .flat_map(|row| row.entries.iter())
                .map(|&at| self.span(at))
                .collect();
            intervals::total(&intervals::union(spans))
        };
        let sum: Ps = (0..cores).map(|core| of_core(core as u8)).sum();
        sum / cores
    }

    /// Time during which the parts of an engine were occupied, summed over entries and cores.
    pub fn busy_time(&self, select: impl Fn(Track) -> bool) -> Ps {
        let entries = self.timeline.entries.iter().filter(|entry| select(entry.track));
        entries.map(|entry| entry.end - entry.start).sum()
    }

    /// The index of a buffer's residence.
    fn residence(&self, at: usize) -> Option<(Ps, Ps)> {
        let held = self.timeline.residence.get(at).copied().flatten()?;
        Some((held.from, held.to))
    }

    /// Calls `visit` for each on-chip buffer that was used: its index, core, place and time.
    fn residents(&self, visit: &mut dyn FnMut(usize, usize, crate::tensor::alloc::Place, (Ps, Ps))) {
        for (core, placement) in self.timeline.placements.iter().enumerate() {
            for life in &placement.lifetimes {
                let at = life.buffer.as_usize();
                if let Some(span) = self.residence(at) {
                    visit(at, core, placement.place(life.buffer), span);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
