//! A playground for NKI kernels: front end, functional simulator and timing model of AWS Trainium.
//!
//! Layers, left to right; a module imports only from its left (`ARCHITECTURE.md` says why):
//! `base` <- `numerics`, `syntax` <- `chip` <- `tensor` <- `machine`, `collectives` <- `isa` <- `trace` <-
//! `interp`, `exec`, `timing` <- `profile`, `workload` <- `simulation` <- `web`.

// The unit tests run natively. In the browser `tests/browser` runs, and compiling the others for it is wasted.
#![cfg(not(all(test, target_arch = "wasm32")))]

pub mod base;
pub mod chip;
pub mod exec;
pub mod interp;
pub mod isa;
pub mod machine;
pub mod numerics;
pub mod profile;
pub mod simulation;
pub mod syntax;
pub mod tensor;
pub mod timing;
pub mod trace;
#[cfg(target_arch = "wasm32")]
pub mod web;
