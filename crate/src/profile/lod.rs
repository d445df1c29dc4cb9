//! Windows of a row at the resolution of a screen.
//!
//! Entries narrower than a pixel are merged with their neighbours in the same pixel into one bar that says how many it stands
//! for. The cost depends on the pixels, not on the entries.

use serde::Serialize;

use crate::base::units::Ps;
use crate::profile::{Profile, Row};

/// Bars of a window, as columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Bars {
    /// Start in picoseconds.
    pub start: Vec<f64>,
    /// End in picoseconds.
    pub end: Vec<f64>,
    /// Entry, the first one of a merged bar.
    pub inst: Vec<u32>,
    /// Source line; 0 if entries of several lines were merged.
    pub line: Vec<u32>,
    /// Entries that the bar stands for.
    pub count: Vec<u32>,
    /// Index into `names`.
    pub name: Vec<u16>,
    /// Names of instructions.
    pub names: Vec<&'static str>,
}

impl Bars {
    /// The index of a name.
    fn name_index(&mut self, name: &'static str) -> u16 {
        let known = self.names.iter().position(|&known| known == name);
        known.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        }) as u16
    }
}

/// The bars of row number `row` between `from` and `to` on `pixels` pixels.
pub fn window(profile: &Profile, row: usize, from: Ps, to: Ps, pixels: u32) -> Bars {
    let mut bars = Bars::default();
    let Some(row) = profile.rows.get(row) else {
        return bars;
    };
    let pixel = Ps((to - from).0 / u64::from(pixels.max(1)));
    let mut at = row.entries.partition_point(|&at| profile.entry(at).end <= from);
    while at < row.entries.len() {
        let first = profile.entry(row.entries[at]);
        if first.start >= to {
            break;
        }
        let until = group_end(profile, row, at, pixel);
        push(profile, row, at, until, &mut bars);
        at = until;
    }
    bars
}

/// One past the last entry that shares a bar with entry number `at` of the row.
fn group_end(profile: &Profile, row: &Row, at: usize, pixel: Ps) -> usize {
    let wide = |index: usize| {
        let entry = profile.entry(row.entries[index]);
        entry.end - entry.start >= pixel
    };
    if wide(at) {
        return at + 1;
    }
    let limit = profile.entry(row.entries[at]).start + pixel;
    let rest = &row.entries[at..];
    let until = at + rest.partition_point(|&at| profile.entry(at).start < limit).max(1);
    if until > at + 1 && wide(until - 1) {
        until - 1
    } else {
        until
    }
}

/// Appends the bar of entries `at..until` of a row.
fn push(profile: &Profile, row: &Row, at: usize, until: usize, bars: &mut Bars) {
    let first = profile.entry(row.entries[at]);
    let last = profile.entry(row.entries[until - 1]);
    let one_line = row.line_changes[at] == row.line_changes[until - 1];
    let name = bars.name_index(profile.name(first));
    bars.start.push(first.start.as_f64());
    bars.end.push(last.end.as_f64());
    bars.inst.push(row.entries[at]);
    bars.line.push(if one_line { profile.line(first) } else { 0 });
    bars.count.push((until - at) as u32);
    bars.name.push(name);
}
