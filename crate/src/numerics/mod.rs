//! Number formats and the arithmetic of the engines, bit-exact where a standard defines it.

pub mod activation;
pub mod alu;
pub mod cast;
pub mod dtype;
pub mod math;
