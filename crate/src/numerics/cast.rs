//! Conversion of slices between storage bytes and working numbers.

/// How a conversion treats values that the target cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// What the engines do: nearest-even; floats overflow to infinity (or NaN where there is none); integers saturate.
    Chip,
    /// What `astype` of NumPy and `ml_dtypes` does: as above, but integers truncate towards zero and wrap.
    NumPy,
    /// As `Chip`, but floats saturate at the largest finite value (OCP conversions).
    Saturate,
}

/// Rounds to the nearest integer, ties to even, saturating; NaN gives 0.
///
/// The documents do not say how an engine casts a float to an integer; this function is the one place of that assumption.
#[inline(always)]
pub fn round_to_i64(x: f64) -> i64 {
    x.round_ties_even() as i64
}
