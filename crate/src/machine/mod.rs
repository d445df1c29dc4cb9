//! Architectural state: memories with a bit for each written byte, registers, random state.

/// The state of all cores of a launch.
#[derive(Debug, Default)]
pub struct Machine {}
