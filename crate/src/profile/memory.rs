//! Which tensor held which memory when.

use serde::Serialize;

use crate::base::index::Idx;
use crate::base::units::Ps;
use crate::profile::Profile;
use crate::profile::intervals::union;
use crate::tensor::buffer::{BufferId, Space};
use crate::timing::place::hbm_peak_bytes;

/// A tensor in an on-chip memory during a time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Resident {
    /// Its name.
    pub name: String,
    /// The memory.
    pub space: Space,
    /// The core.
    pub core: u32,
    /// First byte in a partition.
    pub byte: u64,
    /// Bytes in a partition.
    pub bytes: u64,
    /// Partitions.
    pub partitions: u32,
    /// First access.
    pub from_ps: u64,
    /// End of the last access.
    pub to_ps: u64,
    /// Source line of the allocation.
    pub line: u32,
}

/// Peaks of the memories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Peaks {
    /// Most SBUF bytes of a partition that hold data at once, on the fullest core.
    pub sbuf_peak_bytes_per_partition: u64,
    /// Most PSUM banks that hold data at once, on the fullest core.
    pub psum_peak_banks: u32,
    /// HBM bytes of arguments, results and scratch.
    pub hbm_peak_bytes: u64,
}

/// Peaks of a launch, over the time of the schedule: the same that the series of occupancy show.
pub fn peaks(profile: &Profile) -> Peaks {
    let cores = profile.program.cores.len();
    let mut sbuf = vec![Vec::new(); cores];
    profile.residents(&mut |at, core, _, span| {
        let buffer = &profile.program.tables.buffers.as_slice()[at];
        if buffer.space == Space::Sbuf {
            sbuf[core].push((span, buffer.row_bytes()));
        }
    });
    let banks = profile.program.chip.memory.psum_banks.get() as usize;
    let residence = bank_residence(profile);
    let psum = residence
        .chunks(banks.max(1))
        .map(|core| highest(core.iter().flatten().map(|&span| (span, 1))));
    Peaks {
        sbuf_peak_bytes_per_partition: sbuf.into_iter().map(highest).max().unwrap_or(0),
        psum_peak_banks: psum.max().unwrap_or(0) as u32,
        hbm_peak_bytes: hbm_peak_bytes(&profile.program),
    }
}

/// The largest sum of amounts that are there at the same time.
fn highest(spans: impl IntoIterator<Item = ((Ps, Ps), u64)>) -> u64 {
    let mut changes: Vec<(Ps, i64)> = Vec::new();
    for ((from, to), amount) in spans {
        changes.extend([(from, amount as i64), (to, -(amount as i64))]);
    }
    // What ends makes room for what starts at the same instant: smaller changes first.
    changes.sort_unstable();
    let level = changes.iter().scan(0, |level, (_, change)| {
        *level += change;
        Some(*level)
    });
    level.max().unwrap_or(0) as u64
}

/// Every tensor in SBUF and PSUM with its place and time.
pub fn residents(profile: &Profile) -> Vec<Resident> {
    let mut list = Vec::new();
    profile.residents(&mut |at, core, place, (from, to)| {
        let buffer = &profile.program.tables.buffers[BufferId::from_usize(at)];
        list.push(Resident {
            name: buffer.name.clone(),
            space: buffer.space,
            core: core as u32,
            byte: place.byte,
            bytes: buffer.row_bytes(),
            partitions: buffer.partitions(),
            from_ps: from.0,
            to_ps: to.0,
            line: profile.lines[buffer.loc],
        });
    });
    list
}

/// When each PSUM bank of each core holds data.
pub fn bank_residence(profile: &Profile) -> Vec<Vec<(Ps, Ps)>> {
    let memory = &profile.program.chip.memory;
    let (banks, bank) = (memory.psum_banks.get() as usize, memory.psum_bank_bytes.get().0.max(1));
    let mut spans: Vec<Vec<(Ps, Ps)>> = vec![Vec::new(); banks * profile.program.cores.len()];
    profile.residents(&mut |at, core, place, span| {
        let buffer = &profile.program.tables.buffers.as_slice()[at];
        if buffer.space != Space::Psum {
            return;
        }
        let first = (place.byte / bank) as usize;
        let last = ((place.byte + buffer.row_bytes().max(1) - 1) / bank) as usize;
        for number in first..=last.min(banks.saturating_sub(1)) {
            spans[core * banks + number].push(span);
        }
    });
    spans.into_iter().map(union).collect()
}
