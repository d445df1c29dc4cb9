//! DMA engines and the HBM behind them.
//!
//! The descriptors of a transfer are spread over the engines that serve its partitions; each engine works them off one after
//! the other, first come first served. A descriptor costs its data time plus a fixed part. HBM bandwidth is a calendar of
//! bytes a microsecond that the cores of a stack share.

use crate::base::units::{Bytes, BytesPerSec, Ps};
use crate::chip::Chip;
use crate::isa::cost::dma::descriptor_time;
use crate::isa::work::DmaWork;
use crate::timing::queue::Slots;

/// Length of a page of the HBM calendar: a power of two near a microsecond.
const PAGE: u64 = 1 << 20;

/// Bytes that an HBM stack has moved, by page of time.
#[derive(Clone, Debug)]
pub struct Calendar {
    capacity: u64,
    used: Vec<u64>,
}

impl Calendar {
    /// An empty calendar of a stack.
    pub fn new(rate: BytesPerSec) -> Self {
        Self {
            capacity: (u128::from(rate.0) * u128::from(PAGE) / 1_000_000_000_000) as u64,
            used: Vec::new(),
        }
    }

    /// Books `bytes` from `start` on, if possible evenly until `end`; gives the time when the last byte has moved.
    pub fn book(&mut self, start: Ps, end: Ps, bytes: Bytes) -> Ps {
        let length = end.saturating_sub(start).0.max(1);
        let mut left = bytes.0;
        let mut page = start.0 / PAGE;
        let mut finish = end;
        while left > 0 {
            let at = page as usize;
            if self.used.len() <= at {
                self.used.resize(at + 1, 0);
            }
            let (from, to) = ((page * PAGE).max(start.0), (page + 1) * PAGE);
            let share = (u128::from(bytes.0) * u128::from(to - from)).div_ceil(u128::from(length)) as u64;
            let take = left.min(share).min(self.capacity.saturating_sub(self.used[at]));
            self.used[at] += take;
            left -= take;
            if take > 0 {
                finish = finish.max(Ps(from + (to - from) * take / share.max(1)));
            }
            page += 1;
        }
        finish
    }
}

/// The DMA engines of one core.
#[derive(Clone, Debug)]
pub struct Engines {
    slots: Vec<Slots>,
}

/// When the data of a transfer moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// First byte.
    pub start: Ps,
    /// Last byte.
    pub end: Ps,
    /// Sum of the times of all descriptors.
    pub packet_time: Ps,
}

impl Engines {
    /// Idle engines.
    pub fn new(chip: &Chip) -> Self {
        Self {
            slots: vec![Slots::default(); chip.dma.engines.get() as usize],
        }
    }

    /// Moves the data of `work`, which can start at `ready`.
    pub fn run(&mut self, chip: &Chip, work: &DmaWork, ready: Ps, hbm: Option<&mut Calendar>) -> Moved {
        let one = descriptor_time(chip, work);
        let engines = u64::from(work.engines.max(1));
        let whole = work.descriptor_count / engines;
        let extra = work.descriptor_count % engines;
        let mut moved = Moved {
            start: Ps(u64::MAX),
            end: ready,
            packet_time: one * work.descriptor_count,
        };
        let used = work.engines.max(1) as usize;
        for index in 0..used {
            let count = whole + u64::from((index as u64) < extra);
            let at = (work.first_engine as usize + index) % self.slots.len();
            if count > 0 {
                let start = self.slots[at].take(ready, one * count);
                moved.start = moved.start.min(start);
                moved.end = moved.end.max(start + one * count);
            }
        }
        moved.start = moved.start.min(moved.end);
        if let Some(calendar) = hbm {
            let finish = calendar.book(moved.start, moved.end, work.hbm_read + work.hbm_write);
            if finish > moved.end {
                moved.end = finish;
                for index in 0..used {
                    let at = (work.first_engine as usize + index) % self.slots.len();
                    self.slots[at].hold(finish);
                }
            }
        }
        moved
    }
}
