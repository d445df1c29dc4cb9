//! Run-time facts that time depends on: recorded by execution, or assumed for an estimate.

use rustc_hash::FxHashMap;

use crate::trace::program::LoopId;

/// The run-time facts of one core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dynamic {
    /// Trip counts of each dynamic loop, one per time it was entered.
    pub trips: FxHashMap<LoopId, Vec<u64>>,
}

/// Trips that an estimate assumes for a loop whose bound only the run knows. One trip is the least that shows its body; the
/// page marks such a time as a lower bound.
pub const ASSUMED_TRIPS: u64 = 1;

impl Dynamic {
    /// Trips of the loop `id` when it is entered for the `entry`-th time.
    pub fn trips(&self, id: LoopId, entry: usize) -> u64 {
        self.trips
            .get(&id)
            .and_then(|trips| trips.get(entry))
            .copied()
            .unwrap_or(ASSUMED_TRIPS)
    }
}
