//! Series over time, as one value per bucket of a window.

use crate::base::units::Bytes;
use crate::profile::Profile;
use crate::profile::intervals::Window;
use crate::profile::memory::bank_residence;
use crate::tensor::buffer::Space;
use crate::timing::timeline::Transfer;

/// A series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// HBM reads in GB/s.
    HbmRead,
    /// HBM writes in GB/s.
    HbmWrite,
    /// SBUF bytes of a partition that hold data, averaged over cores.
    SbufBytes,
    /// PSUM banks that hold data, averaged over cores.
    PsumBanks,
    /// Share of time that a row of the timeline is busy, by its number.
    Busy(usize),
}

impl Counter {
    /// The series called `name`; `busy:N` is the busy share of row N.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "hbm_read_gbps" => Some(Self::HbmRead),
            "hbm_write_gbps" => Some(Self::HbmWrite),
            "sbuf_bytes_per_partition" => Some(Self::SbufBytes),
            "psum_banks" => Some(Self::PsumBanks),
            _ => name
                .strip_prefix("busy:")
                .and_then(|row| row.parse().ok())
                .map(Self::Busy),
        }
    }
}

/// Samples a series.
pub fn sample(profile: &Profile, counter: Counter, window: Window) -> Vec<f64> {
    let mut sums = vec![0.0; window.buckets];
    match counter {
        Counter::HbmRead => traffic(profile, window, &mut sums, |transfer| transfer.hbm_read),
        Counter::HbmWrite => traffic(profile, window, &mut sums, |transfer| transfer.hbm_write),
        Counter::SbufBytes => sbuf(profile, window, &mut sums),
        Counter::PsumBanks => psum(profile, window, &mut sums),
        Counter::Busy(row) => busy(profile, row, window, &mut sums),
    }
    sums
}

/// Adds bytes over time; a byte per picosecond is 1000 GB/s.
fn traffic(profile: &Profile, window: Window, sums: &mut [f64], bytes: impl Fn(&Transfer) -> Bytes) {
    let bucket = window.bucket();
    for transfer in &profile.timeline.transfers {
        let entry = profile.entry(transfer.entry);
        let length = (entry.end - entry.start).as_f64().max(1.0);
        let rate = bytes(transfer).as_f64() / length;
        window.add(sums, (entry.start, entry.end), rate * 1000.0 / bucket);
    }
}

/// Adds the SBUF bytes of resident buffers.
fn sbuf(profile: &Profile, window: Window, sums: &mut [f64]) {
    let cores = profile.program.cores.len().max(1) as f64;
    let share = 1.0 / (window.bucket() * cores);
    profile.residents(&mut |at, _, _, span| {
        let buffer = &profile.program.tables.buffers.as_slice()[at];
        if buffer.space == Space::Sbuf {
            window.add(sums, span, buffer.row_bytes() as f64 * share);
        }
    });
}

/// Adds the PSUM banks that hold data.
fn psum(profile: &Profile, window: Window, sums: &mut [f64]) {
    let cores = profile.program.cores.len().max(1) as f64;
    let share = 1.0 / (window.bucket() * cores);
    for span in bank_residence(profile).into_iter().flatten() {
        window.add(sums, span, share);
    }
}

/// Adds the busy time of a row.
fn busy(profile: &Profile, row: usize, window: Window, sums: &mut [f64]) {
    let share = 1.0 / window.bucket();
    let entries = profile.rows.get(row).map_or(&[][..], |row| &row.entries);
    for &at in entries {
        let entry = profile.entry(at);
        window.add(sums, (entry.start, entry.end), share);
    }
}
