//! Host arrays: what kernel scripts use of NumPy, lazily.
//!
//! [`node`] holds lazy values, [`array`] the handles with view semantics; the other modules build nodes. Nothing here
//! knows the interpreter except the `bind` modules.

pub mod array;
pub mod bind;
pub mod buffer;
pub mod check;
pub mod create;
pub mod einsum;
pub mod index;
pub mod io;
pub mod linalg;
mod loops;
pub mod math;
mod moments;
mod narrow;
pub mod node;
pub mod print;
pub mod promote;
pub mod random;
pub mod reduce;
pub mod search;
pub mod shape;
pub use self::bind::MODULES;
pub use self::bind::convert::{array_value, as_array, dtype_of, to_bytes};
pub use self::bind::dtype::dtype_value;
pub use self::bind::session::Session;

#[cfg(test)]
mod tests;
