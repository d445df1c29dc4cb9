//! A resource that serves one thing at a time, and remembers the gaps that it left.

use std::collections::VecDeque;

use crate::base::units::Ps;

/// Gaps that a resource remembers; older ones are forgotten, which can only make the schedule later.
const MAX_GAPS: usize = 24;

/// A server of one thing at a time.
///
/// Things arrive in program order, not in time order. One that is ready early may fill a gap that earlier ones left.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    free: Ps,
    gaps: VecDeque<(Ps, Ps)>,
}

impl Slots {
    /// Time from which nothing is reserved.
    pub fn free(&self) -> Ps {
        self.free
    }

    /// Reserves `length` at the first time from `ready` on that is free, gaps included.
    pub fn take(&mut self, ready: Ps, length: Ps) -> Ps {
        if ready < self.free {
            let fits = |&(lo, hi): &(Ps, Ps)| lo.max(ready) + length <= hi;
            if let Some(at) = self.gaps.iter().position(fits) {
                return self.fill(at, ready, length);
            }
        }
        self.append(ready, length)
    }

    /// Reserves `length` behind everything that is reserved.
    pub fn append(&mut self, ready: Ps, length: Ps) -> Ps {
        let start = self.free.max(ready);
        if start > self.free {
            self.remember(self.free, start);
        }
        self.free = start + length;
        start
    }

    /// Reserves exactly `start..end` if it is free.
    pub fn claim(&mut self, start: Ps, end: Ps) -> bool {
        if start >= self.free {
            self.append(start, end - start);
            return true;
        }
        let gap = self.gaps.iter().position(|&(lo, hi)| lo <= start && end <= hi);
        if let Some(at) = gap {
            self.fill(at, start, end - start);
        }
        gap.is_some()
    }

    /// Keeps the resource busy until `until`.
    pub fn hold(&mut self, until: Ps) {
        self.free = self.free.max(until);
    }

    /// Uses a part of gap number `at`.
    fn fill(&mut self, at: usize, ready: Ps, length: Ps) -> Ps {
        let (lo, hi) = self.gaps[at];
        let start = lo.max(ready);
        let end = start + length;
        self.gaps.remove(at);
        if end < hi {
            self.gaps.insert(at, (end, hi));
        }
        if lo < start {
            self.gaps.insert(at, (lo, start));
        }
        if self.gaps.len() > MAX_GAPS {
            self.gaps.pop_front();
        }
        start
    }

    /// Notes a gap.
    fn remember(&mut self, lo: Ps, hi: Ps) {
        if self.gaps.len() == MAX_GAPS {
            self.gaps.pop_front();
        }
        self.gaps.push_back((lo, hi));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_early_request_fills_the_gap_that_a_late_one_left() {
        let mut slots = Slots::default();
        assert_eq!(slots.take(Ps(100), Ps(10)), Ps(100));
        assert_eq!(slots.take(Ps(0), Ps(60)), Ps(0));
        assert_eq!(slots.take(Ps(0), Ps(60)), Ps(110));
        assert_eq!(slots.take(Ps(0), Ps(40)), Ps(60));
    }

    proptest! {
        #[test]
        fn reservations_never_overlap(requests in proptest::collection::vec((0u64..2000, 1u64..50), 1..200)) {
            let mut slots = Slots::default();
            let mut taken: Vec<(u64, u64)> = Vec::new();
            for (ready, length) in requests {
                let start = slots.take(Ps(ready), Ps(length)).0;
                prop_assert!(start >= ready);
                prop_assert!(taken.iter().all(|&(lo, hi)| start + length <= lo || hi <= start));
                taken.push((start, start + length));
            }
        }
    }
}
