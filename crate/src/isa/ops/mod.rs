//! The rows, by family.

pub mod accumulate;
pub mod activation;
mod column;
pub mod copy;
pub mod dma;
pub mod elementwise;
pub mod gather;
pub mod matmul;
pub mod norm;
pub mod print;
pub mod quantize;
pub mod random;
pub mod reduce;
pub mod register;
pub mod search;
pub mod select;
pub mod sync;
pub mod transpose;
