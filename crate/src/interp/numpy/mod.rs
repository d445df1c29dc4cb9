//! Host arrays: what kernel scripts use of NumPy, lazily.
//!
//! [`node`] holds lazy values, [`array`] the handles with view semantics; the other modules build nodes. Nothing here
//! knows the interpreter except the `bind` modules.

pub mod array;
pub mod buffer;
pub mod check;
pub mod create;
pub mod einsum;
pub mod index;
pub mod io;
pub mod linalg;
mod loops;
pub mod math;
mod narrow;
pub mod node;
pub mod print;
pub mod promote;
pub mod random;
pub mod reduce;
pub mod search;
pub mod shape;
#[cfg(test)]
mod tests;
