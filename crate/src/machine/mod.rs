//! Architectural state: memories with a bit for each written byte, registers, random state.

pub mod access;
pub mod bits;
pub mod layout;
pub mod memory;
pub mod peek;
pub mod scratch;
pub mod state;

use crate::base::diag::{Code, Fault};
use crate::chip::Chip;
use crate::machine::memory::Memory;
use crate::machine::scratch::Scratch;
use crate::machine::state::CoreState;
use crate::numerics::matmul::Stationary;
use crate::tensor::buffer::BufferId;
use crate::tensor::tables::Tables;
use crate::tensor::view::RegId;

/// Partitions that share offsets of the free dimension on the Vector, Scalar and GpSimd engines.
pub const SNAKE_GROUP: usize = 16;
/// The same on the Tensor Engine.
pub const SNAKE_GROUP_TENSOR: usize = 32;

/// The state of all cores of a launch.
#[derive(Debug)]
pub struct Machine {
    /// Memories.
    pub memory: Memory,
    /// Engine state, core by core.
    pub cores: Vec<CoreState>,
    /// Buffers for intermediate values, reused from one instruction to the next.
    pub scratch: Scratch,
    /// The buffer of the last read of unwritten memory, for the diagnostic.
    pub unwritten: Option<BufferId>,
    /// What `device_print` wrote, in order.
    pub printed: Vec<Printed>,
    /// Warnings of the instruction that executes; the executor takes them and gives them a place.
    pub notes: Vec<Fault>,
    /// The processing array of the Tensor Engine, reused.
    pub stationary: Stationary,
    /// Partitions that share offsets of the free dimension, for the engine that executes.
    pub snake_group: usize,
    registers: Vec<Option<i32>>,
}

/// One line of `device_print`.
#[derive(Clone, Debug, PartialEq)]
pub struct Printed {
    /// Core that printed.
    pub core: u32,
    /// The prefix and the values.
    pub text: String,
}

impl Machine {
    /// The state before the first instruction.
    pub fn new(chip: &Chip, tables: &Tables, owners: &[u32], cores: usize, limit: u64) -> Self {
        Self {
            memory: Memory::new(chip, tables, owners, limit),
            cores: (0..cores).map(|_| CoreState::default()).collect(),
            scratch: Scratch::default(),
            unwritten: None,
            printed: Vec::new(),
            notes: Vec::new(),
            stationary: Stationary::new(),
            snake_group: SNAKE_GROUP,
            registers: Vec::new(),
        }
    }

    /// The value of a register.
    ///
    /// # Errors
    /// Nobody wrote it.
    pub fn register(&self, id: RegId) -> Result<i32, Fault> {
        let value = self.registers.get(id.0 as usize).copied().flatten();
        value.ok_or_else(|| {
            Fault::new(Code::Uninitialized, "reads a register that was never written")
                .hint("give nisa.register_alloc a value, or fill it with nisa.register_move or nisa.register_load")
        })
    }

    /// Sets a register.
    pub fn set_register(&mut self, id: RegId, value: i32) {
        let at = id.0 as usize;
        if self.registers.len() <= at {
            self.registers.resize(at + 1, None);
        }
        self.registers[at] = Some(value);
    }
}
