//! The rows, by family.

pub mod activation;
mod column;
pub mod copy;
pub mod dma;
pub mod elementwise;
pub mod matmul;
pub mod print;
pub mod reduce;
pub mod register;
pub mod sync;
