//! Number formats and the arithmetic of the engines, bit-exact where a standard defines it.

pub mod dtype;
