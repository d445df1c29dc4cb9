//! Vocabulary that every layer shares: units, typed indices, source positions and diagnostics.

pub mod diag;
pub mod index;
pub mod mend;
pub mod span;
pub mod units;
