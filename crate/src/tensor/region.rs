//! The bytes that a view touches, in a form that answers quickly whether two views can meet.

use crate::tensor::tables::Tile;

/// Loops of a view that a region looks at one by one; hardware patterns have at most five.
const MAX_LEVELS: usize = 8;

/// Partitions and bytes of a view.
///
/// The bytes lie in `lo..hi`; if `period` is not zero, only the first `run` bytes of each period counted from `lo` are touched.
/// That is exact for contiguous ranges and for column slices of matrices, interleaved ones included. Views with more levels
/// are covered by the same form with gaps counted in (`exact` is then false), so a region never misses a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First partition.
    pub first_partition: u32,
    /// One past the last partition.
    pub end_partition: u32,
    /// First byte in a partition (on chip) or in the buffer (HBM).
    pub lo: u64,
    /// One past the last byte.
    pub hi: u64,
    /// Distance of the runs; 0 for one run.
    pub period: u64,
    /// Bytes of a run.
    pub run: u64,
    /// Whether every byte of the form is touched.
    pub exact: bool,
}

impl Region {
    /// The bytes `lo..hi` of `partitions` partitions from `first_partition`.
    pub const fn contiguous(first_partition: u32, partitions: u32, lo: u64, hi: u64) -> Self {
        Self {
            first_partition,
            end_partition: first_partition + partitions,
            lo,
            hi,
            period: 0,
            run: hi.saturating_sub(lo),
            exact: true,
        }
    }

    /// The region of a view inside its buffer. A run-time index can move a view anywhere, so it gets the whole buffer.
    pub fn of(tile: &Tile) -> Self {
        if tile.view.indirect.is_some() {
            let whole = Self::contiguous(0, tile.buffer.partitions(), 0, tile.buffer.row_bytes());
            return Self { exact: false, ..whole };
        }
        let width = u64::from(tile.dtype().bytes());
        let on_chip = tile.space().is_on_chip();
        let (first, end, offset, free) = if on_chip {
            let row = tile.buffer.row_elements(tile.dtype()).max(1);
            let first = tile.start_partition();
            let reach = tile.pattern.dims.first().map_or(0, |dim| {
                u64::from(dim.num.saturating_sub(1)) * dim.step.unsigned_abs() / row
            });
            (first, first + reach as u32 + 1, tile.free_offset(), 1)
        } else {
            (0, 1, tile.view.offset, 0)
        };
        let dims = tile.pattern.dims.get(free..).unwrap_or(&[]);
        let mut levels = [(0, 0); MAX_LEVELS];
        let mut used = 0;
        let mut start = offset * width;
        for dim in dims.iter().filter(|dim| dim.num > 1 && dim.step != 0) {
            let step = dim.step.unsigned_abs() * width;
            if dim.step < 0 {
                start = start.saturating_sub(step * u64::from(dim.num - 1));
            }
            if used == MAX_LEVELS {
                let whole = Self::contiguous(first, end - first, 0, tile.buffer.row_bytes());
                return Self { exact: false, ..whole };
            }
            levels[used] = (step, u64::from(dim.num));
            used += 1;
        }
        levels[..used].sort_unstable();
        Self::from_levels(first, end, start, width, &levels[..used])
    }

    /// Folds loops, innermost first, into one run and one period.
    fn from_levels(first_partition: u32, end_partition: u32, lo: u64, width: u64, levels: &[(u64, u64)]) -> Self {
        let extent: u64 = levels.iter().map(|&(step, num)| step * (num - 1)).sum();
        let hi = lo + extent + width;
        let mut run = width;
        let mut rest = levels;
        while let [(step, num), outer @ ..] = rest {
            if *step > run {
                break;
            }
            run += step * (num - 1);
            rest = outer;
        }
        let (mut period, mut exact) = (0, true);
        if let [(step, num), outer @ ..] = rest {
            period = *step;
            let mut next = step * num;
            for (step, num) in outer {
                if step % period != 0 {
                    period = 0;
                }
                if period == 0 {
                    exact = false;
                    run = hi - lo;
                    break;
                }
                exact &= *step == next;
                next = step * num;
            }
        }
        Self {
            first_partition,
            end_partition,
            lo,
            hi,
            period,
            run,
            exact,
        }
    }

    /// The region moved by whole partitions and bytes: from a buffer into the memory that holds it.
    pub fn placed_at(self, partition: u32, byte: u64) -> Self {
        Self {
            first_partition: self.first_partition + partition,
            end_partition: self.end_partition + partition,
            lo: self.lo + byte,
            hi: self.hi + byte,
            ..self
        }
    }

    /// Whether both can touch a common byte.
    pub fn overlaps(&self, other: &Self) -> bool {
        let apart = self.end_partition <= other.first_partition
            || other.end_partition <= self.first_partition
            || self.hi <= other.lo
            || other.hi <= self.lo;
        if apart {
            return false;
        }
        let period = match (self.period, other.period) {
            (0, 0) => return true,
            (0, period) | (period, 0) => period,
            (a, b) if a == b => a,
            (a, b) => gcd(a, b),
        };
        let ahead = (other.lo + period - self.lo % period) % period;
        let behind = (period - ahead) % period;
        ahead < self.run || behind < other.run
    }

    /// Whether every byte of `other` is surely inside.
    pub fn covers(&self, other: &Self) -> bool {
        let bounds = self.exact
            && self.first_partition <= other.first_partition
            && self.end_partition >= other.end_partition
            && self.lo <= other.lo
            && self.hi >= other.hi;
        if !bounds || self.period == 0 {
            return bounds;
        }
        let ahead = (other.lo - self.lo) % self.period;
        other.period.is_multiple_of(self.period) && other.run <= self.run && ahead + other.run <= self.run
    }
}

/// Greatest common divisor.
fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every byte of loops over `lo`.
    fn bytes(lo: u64, width: u64, levels: &[(u64, u64)]) -> Vec<u64> {
        let mut starts = vec![lo];
        for &(step, num) in levels {
            starts = starts
                .iter()
                .flat_map(|start| (0..num).map(move |at| start + at * step))
                .collect();
        }
        starts.iter().flat_map(|start| *start..start + width).collect()
    }

    fn region(lo: u64, width: u64, levels: &[(u64, u64)]) -> Region {
        let mut sorted = levels.to_vec();
        sorted.retain(|level| level.1 > 1);
        sorted.sort_unstable();
        Region::from_levels(0, 128, lo, width, &sorted)
    }

    #[test]
    fn disjoint_column_slices_do_not_meet() {
        let left = region(0, 4, &[(4, 512), (8192, 128)]);
        let right = region(2048, 4, &[(4, 512), (8192, 128)]);
        assert!(!left.overlaps(&right));
        assert!(left.overlaps(&left));
        assert!(left.covers(&left));
    }

    #[test]
    fn interleaved_elements_do_not_meet() {
        let even = region(0, 2, &[(4, 256)]);
        let odd = region(2, 2, &[(4, 256)]);
        assert!(!even.overlaps(&odd));
        assert!(!odd.overlaps(&even));
    }

    #[test]
    fn other_partitions_do_not_meet() {
        let low = Region::contiguous(0, 64, 0, 100);
        assert!(!low.overlaps(&Region::contiguous(64, 64, 0, 100)));
    }

    fn levels() -> impl Strategy<Value = Vec<(u64, u64)>> {
        proptest::collection::vec((1u64..40, 1u64..5), 0..3)
    }

    proptest! {
        #[test]
        fn overlap_never_misses_a_common_byte(a in levels(), b in levels(), la in 0u64..60, lb in 0u64..60, w in 1u64..5) {
            let (ra, rb) = (region(la, w, &a), region(lb, w, &b));
            let (ba, bb) = (bytes(la, w, &a), bytes(lb, w, &b));
            if ba.iter().any(|byte| bb.contains(byte)) {
                prop_assert!(ra.overlaps(&rb));
            }
            if ra.covers(&rb) {
                prop_assert!(bb.iter().all(|byte| ba.contains(byte)));
            }
        }
    }
}
