//! Number formats and the arithmetic of the engines, bit-exact where a standard defines it.
//!
//! Everything works on slices and knows nothing of tensors: callers gather lanes, call a kernel, scatter the result.
//! [`cast`] turns storage bytes into numbers and back; [`alu`], [`activation`], [`reduce`], [`matmul`], [`mx`], [`prng`]
//! and [`transpose`] are what instructions compute.

pub mod activation;
pub mod alu;
pub mod cast;
pub mod dtype;
pub mod math;
pub mod matmul;
pub mod minifloat;
pub mod mx;
pub mod prng;
pub mod real;
pub mod reduce;
pub mod transpose;
