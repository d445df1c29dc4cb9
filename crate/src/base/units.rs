//! Units as types, so that a byte count, a cycle count and a time cannot be mixed up.
//!
//! Time is integer picoseconds: every clock of every generation is then exact to a thousandth of a cycle, and sums of
//! millions of intervals stay exact. Cycles become time only through a named clock ([`Hertz::time_of`]).

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub, SubAssign};

use serde::Serialize;

/// Declares a transparent `u64` quantity with the arithmetic that makes sense for it.
macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident, $suffix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub struct $name(pub u64);

        impl $name {
            /// The zero of this quantity.
            pub const ZERO: Self = Self(0);

            /// Difference that stops at zero.
            pub const fn saturating_sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }

            /// The number as a float, for ratios and display.
            pub const fn as_f64(self) -> f64 {
                self.0 as f64
            }
        }

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }
        }
        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }
        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                self.saturating_sub(other)
            }
        }
        impl SubAssign for $name {
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }
        impl Mul<u64> for $name {
            type Output = Self;
            fn mul(self, factor: u64) -> Self {
                Self(self.0.saturating_mul(factor))
            }
        }
        impl Div<u64> for $name {
            type Output = Self;
            fn div(self, divisor: u64) -> Self {
                Self(self.0 / divisor)
            }
        }
        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
                values.fold(Self::ZERO, Add::add)
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", self.0, $suffix)
            }
        }
    };
}

quantity!(
    /// A number of bytes.
    Bytes,
    " B"
);
quantity!(
    /// A number of clock cycles of some clock that the context names.
    Cycles,
    " cycles"
);
quantity!(
    /// A duration or instant in picoseconds.
    Ps,
    " ps"
);
quantity!(
    /// A frequency in hertz.
    Hertz,
    " Hz"
);
quantity!(
    /// A data rate in bytes per second.
    BytesPerSec,
    " B/s"
);

/// Picoseconds in a second.
const PS_PER_SECOND: u128 = 1_000_000_000_000;

impl Ps {
    /// A whole number of nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * 1000)
    }

    /// A fractional number of nanoseconds, rounded to the nearest picosecond; negative values become zero.
    pub fn from_ns_f64(ns: f64) -> Self {
        Self((ns * 1000.0).round().max(0.0) as u64)
    }

    /// The time in nanoseconds.
    pub const fn as_ns(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl Hertz {
    /// The duration of `cycles` cycles of this clock, rounded up to a picosecond.
    pub fn time_of(self, cycles: Cycles) -> Ps {
        Ps((u128::from(cycles.0) * PS_PER_SECOND).div_ceil(u128::from(self.0.max(1))) as u64)
    }
}

impl BytesPerSec {
    /// A rate in gigabytes (10^9 bytes) per second, which is also bytes per nanosecond.
    pub fn from_gb_per_s(gb_per_s: f64) -> Self {
        Self((gb_per_s * 1e9).round().max(0.0) as u64)
    }

    /// The time that `bytes` take at this rate, rounded up to a picosecond.
    pub fn time_of(self, bytes: Bytes) -> Ps {
        Ps((u128::from(bytes.0) * PS_PER_SECOND).div_ceil(u128::from(self.0.max(1))) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_become_time_through_a_clock() {
        assert_eq!(Hertz(2_400_000_000).time_of(Cycles(512)), Ps(213_334));
        assert_eq!(Hertz(1_200_000_000).time_of(Cycles(3)), Ps(2_500));
    }

    #[test]
    fn bytes_become_time_through_a_rate() {
        assert_eq!(BytesPerSec::from_gb_per_s(38.4).time_of(Bytes(384)), Ps(10_000));
    }

    #[test]
    fn differences_stop_at_zero() {
        assert_eq!(Ps(3) - Ps(5), Ps::ZERO);
    }
}
