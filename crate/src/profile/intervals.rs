//! Sets of time intervals, and their share of the buckets of a window.

use crate::base::units::Ps;

/// Merges intervals that touch or overlap; empty ones vanish.
pub fn union(mut spans: Vec<(Ps, Ps)>) -> Vec<(Ps, Ps)> {
    spans.retain(|&(start, end)| start < end);
    spans.sort_unstable();
    let mut merged: Vec<(Ps, Ps)> = Vec::new();
    for (start, end) in spans {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

/// Sum of the lengths.
pub fn total(spans: &[(Ps, Ps)]) -> Ps {
    spans.iter().map(|&(start, end)| end - start).sum()
}

/// A stretch of time cut into equal buckets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Start.
    pub from: Ps,
    /// End.
    pub to: Ps,
    /// Number of buckets.
    pub buckets: usize,
}

impl Window {
    /// Length of a bucket in picoseconds.
    pub fn bucket(&self) -> f64 {
        (self.to - self.from).as_f64().max(1.0) / self.buckets.max(1) as f64
    }

    /// Adds to each bucket the time that `span` covers in it, times `weight` per picosecond.
    pub fn add(&self, sums: &mut [f64], span: (Ps, Ps), weight: f64) {
        let (start, end) = (span.0.max(self.from), span.1.min(self.to));
        if start >= end || sums.is_empty() {
            return;
        }
        let size = self.bucket();
        let (start, end) = ((start - self.from).as_f64(), (end - self.from).as_f64());
        let last = sums.len() - 1;
        let first = ((start / size) as usize).min(last);
        let until = ((end / size) as usize).min(last);
        for (at, sum) in sums.iter_mut().enumerate().take(until + 1).skip(first) {
            let (lo, hi) = (at as f64 * size, (at + 1) as f64 * size);
            *sum += weight * (end.min(hi) - start.max(lo)).max(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_count_once() {
        let merged = union(vec![(Ps(5), Ps(9)), (Ps(0), Ps(2)), (Ps(8), Ps(12)), (Ps(3), Ps(3))]);
        assert_eq!(merged, vec![(Ps(0), Ps(2)), (Ps(5), Ps(12))]);
        assert_eq!(total(&merged), Ps(9));
    }

    #[test]
    fn buckets_share_a_span_by_time() {
        let window = Window {
            from: Ps(100),
            to: Ps(200),
            buckets: 4,
        };
        let mut sums = vec![0.0; 4];
        window.add(&mut sums, (Ps(110), Ps(160)), 2.0);
        assert_eq!(sums, vec![30.0, 50.0, 20.0, 0.0]);
    }
}
