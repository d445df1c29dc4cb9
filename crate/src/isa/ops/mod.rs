//! The rows, by family.

pub mod copy;
