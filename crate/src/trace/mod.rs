//! The program that tracing a launch yields, and the facts that only a run can add.

pub mod builder;
pub mod dynamic;
pub mod limits;
pub mod program;
