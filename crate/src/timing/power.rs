//! The power limiter of the Tensor Engine.
//!
//! Time is cut into windows on a fixed grid. A window runs at full rate if the one before it did at least a threshold of full-rate
//! work; otherwise every matrix instruction takes longer. The engine starts limited. (Hardware-facts, section 2.3.)

use crate::base::units::Ps;
use crate::chip::engine::Engines;

/// The limiter of one core. Calls must come in time order, which the in-order queue of the engine gives.
#[derive(Clone, Debug)]
pub struct Limiter {
    window: u64,
    threshold: f64,
    slowdown: f64,
    at: u64,
    work: f64,
    full: bool,
    limited: Ps,
}

impl Limiter {
    /// The limiter of a chip, or one that never limits.
    pub fn new(engines: &Engines, on: bool) -> Self {
        Self {
            window: if on { engines.power_window.get().0 } else { 0 },
            threshold: engines.power_threshold.get(),
            slowdown: engines.power_slowdown.get(),
            at: 0,
            work: 0.0,
            full: false,
            limited: Ps::ZERO,
        }
    }

    /// Runs work that takes `length` at full rate from `start` on; gives its end.
    pub fn run(&mut self, start: Ps, length: Ps) -> Ps {
        if self.window == 0 {
            return start + length;
        }
        let mut time = start.0;
        let mut left = length.0 as f64;
        loop {
            self.advance(time / self.window);
            let factor = if self.full { 1.0 } else { self.slowdown };
            let end = (self.at + 1) * self.window;
            let room = (end - time) as f64 / factor;
            if left <= room {
                self.work += left;
                let finish = time + (left * factor).ceil() as u64;
                if !self.full {
                    self.limited += Ps(finish - time);
                }
                return Ps(finish);
            }
            self.work += room;
            left -= room;
            if !self.full {
                self.limited += Ps(end - time);
            }
            time = end;
        }
    }

    /// Time of matrix work in limited windows.
    pub fn limited(&self) -> Ps {
        self.limited
    }

    /// Moves on to window `to`.
    fn advance(&mut self, to: u64) {
        if to == self.at {
            return;
        }
        self.full = to == self.at + 1 && self.work >= self.threshold * self.window as f64;
        self.at = to;
        self.work = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Chip;

    /// Ends of `count` back-to-back pieces of `ns` nanoseconds from `start` on.
    fn run(limiter: &mut Limiter, start: Ps, ns: u64, count: usize) -> Vec<Ps> {
        let mut at = start;
        (0..count)
            .map(|_| {
                at = limiter.run(at, Ps::from_ns(ns));
                at
            })
            .collect()
    }

    #[test]
    fn starts_at_half_rate_and_recovers_after_a_busy_window() {
        let engines = &Chip::by_name("trn2").unwrap().engines;
        let mut limiter = Limiter::new(engines, true);
        let ends = run(&mut limiter, Ps::ZERO, 216, 40);
        assert_eq!(ends[0], Ps::from_ns(432));
        assert_eq!(ends[39] - ends[38], Ps::from_ns(216));
    }

    #[test]
    fn an_idle_window_limits_again() {
        let engines = &Chip::by_name("trn2").unwrap().engines;
        let mut limiter = Limiter::new(engines, true);
        let ends = run(&mut limiter, Ps::ZERO, 216, 40);
        let later = ends[39] + Ps::from_ns(20_000);
        assert_eq!(limiter.run(later, Ps::from_ns(216)) - later, Ps::from_ns(432));
    }

    #[test]
    fn trn1_has_no_limiter() {
        let mut limiter = Limiter::new(&Chip::by_name("trn1").unwrap().engines, true);
        assert_eq!(limiter.run(Ps(5), Ps(100)), Ps(105));
    }
}
