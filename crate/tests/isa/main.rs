//! Every instruction against a plain reference written from the documentation, and the messages of its rules.
#![cfg(not(target_arch = "wasm32"))]

mod dma;
mod elementwise;
mod harness;
mod matmul;
mod memory;
mod mx;
mod reduce;
mod rejected;
mod search;
mod select;
mod sync;
