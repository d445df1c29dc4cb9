//! Bounds on what one run may use, so that any script is harmless.

use crate::base::units::Bytes;

/// Bounds of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions in the traces of one launch.
    pub instructions: u64,
    /// Instructions that a launch executes, those of loops once a trip.
    pub executed: u64,
    /// Kernel launches of a script.
    pub launches: u32,
    /// Evaluation steps of the interpreter.
    pub steps: u64,
    /// Bytes of host arrays and simulated memory that may be alive at once.
    pub memory: Bytes,
    /// Characters of captured output.
    pub output_chars: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            instructions: 4_000_000,
            // The schedule of an instruction takes some hundred bytes.
            executed: 10_000_000,
            launches: 256,
            steps: 400_000_000,
            // A WASM module has 4 GiB at most, and the page keeps the last good run beside the new one.
            memory: Bytes(if cfg!(target_arch = "wasm32") { 1 << 30 } else { 2 << 30 }),
            output_chars: 1 << 20,
        }
    }
}
