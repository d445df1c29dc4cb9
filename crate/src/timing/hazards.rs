//! Which earlier accesses an access must wait for.
//!
//! Each memory is cut into stretches; an access is filed under every stretch it touches, so a search looks only at its
//! neighbourhood. A write removes what it replaces. A stretch that still grows long folds its older half into one record, which
//! can delay but never lose a dependence.

use crate::base::units::Ps;
use crate::tensor::region::Region;
use crate::timing::timeline::Track;

/// Accesses in a stretch beyond which the older half is folded.
const MAX_RECORDS: usize = 48;

/// An access to a memory.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// The bytes, in the memory's own addresses.
    pub region: Region,
    /// Whether it writes.
    pub write: bool,
    /// When the bytes are free for others: read to the end, or written and visible.
    pub release: Ps,
    /// The core.
    pub core: u8,
    /// The track that accesses.
    pub track: Track,
    /// Its entry in the timeline.
    pub entry: u32,
}

/// The latest accesses to one memory.
#[derive(Clone, Debug)]
pub struct Memory {
    stretch: u64,
    stretches: Vec<Vec<Access>>,
}

impl Memory {
    /// A memory of `bytes` bytes (in a partition, if it has partitions) cut into `count` stretches.
    pub fn new(bytes: u64, count: u64) -> Self {
        let count = count.max(1);
        Self {
            stretch: bytes.div_ceil(count).max(1),
            stretches: vec![Vec::new(); count as usize],
        }
    }

    /// Indices of the stretches that `region` touches.
    fn span(&self, region: &Region) -> std::ops::Range<usize> {
        let last = self.stretches.len() - 1;
        let first = ((region.lo / self.stretch) as usize).min(last);
        let end = ((region.hi.saturating_sub(1) / self.stretch) as usize).min(last);
        first..end.max(first) + 1
    }

    /// Calls `visit` for each access that overlaps `region` and conflicts with it: at least one of both writes.
    pub fn conflicts(&self, region: &Region, write: bool, visit: &mut dyn FnMut(&Access)) {
        for at in self.span(region) {
            for access in &self.stretches[at] {
                if (write || access.write) && access.region.overlaps(region) {
                    visit(access);
                }
            }
        }
    }

    /// Files an access.
    pub fn record(&mut self, access: Access) {
        for at in self.span(&access.region) {
            let (lo, hi) = (at as u64 * self.stretch, (at as u64 + 1) * self.stretch);
            let records = &mut self.stretches[at];
            if access.write {
                records.retain(|old| !replaces(&access, old, lo, hi));
            } else if let Some(old) = records.iter_mut().find(|old| is_repeat(&access, old)) {
                if access.release >= old.release {
                    *old = access;
                }
                continue;
            }
            records.push(access);
            if records.len() > MAX_RECORDS {
                fold(records);
            }
        }
    }
}

/// Whether both read the same bytes on the same track, so that the later end stands for both.
fn is_repeat(access: &Access, old: &Access) -> bool {
    !old.write && old.core == access.core && old.track == access.track && old.region == access.region
}

/// Whether the write leaves nothing of `old` inside the stretch `lo..hi`. Whoever waits for the write then waits for `old`
/// too, because the write itself waited for it.
fn replaces(write: &Access, old: &Access, lo: u64, hi: u64) -> bool {
    if write.region.covers(&old.region) {
        return true;
    }
    let inside = write.region.first_partition <= old.region.first_partition
        && write.region.end_partition >= old.region.end_partition;
    write.region.exact
        && write.region.period == 0
        && inside
        && write.region.lo <= old.region.lo.max(lo)
        && write.region.hi >= old.region.hi.min(hi)
}

/// Folds the older half into one write of the bytes around them.
fn fold(records: &mut Vec<Access>) {
    let rest = records.split_off(MAX_RECORDS / 2);
    let old = std::mem::replace(records, rest);
    let Some(mut sum) = old.iter().copied().max_by_key(|access| access.release) else {
        return;
    };
    sum.write = true;
    for access in &old {
        let region = &mut sum.region;
        region.first_partition = region.first_partition.min(access.region.first_partition);
        region.end_partition = region.end_partition.max(access.region.end_partition);
        region.lo = region.lo.min(access.region.lo);
        region.hi = region.hi.max(access.region.hi);
    }
    sum.region.period = 0;
    sum.region.run = sum.region.hi - sum.region.lo;
    sum.region.exact = false;
    records.insert(0, sum);
}
