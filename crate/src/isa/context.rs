//! What an instruction can see: its tables while it is checked and priced, the machine while it runs.

use crate::base::diag::Fault;
use crate::chip::Chip;
use crate::machine::Machine;
use crate::machine::state::CoreState;
use crate::tensor::tables::{Tables, Tile};
use crate::tensor::view::ViewId;

/// Context of binding, checking and pricing. There are no values here, which keeps estimates honest.
#[derive(Clone, Copy)]
pub struct OpCx<'a> {
    /// The target.
    pub chip: &'static Chip,
    /// Buffers, patterns and views.
    pub tables: &'a Tables,
}

impl<'a> OpCx<'a> {
    /// The view `id` with everything it refers to.
    pub fn tile(&self, id: ViewId) -> Tile<'a> {
        self.tables.tile(id)
    }
}

/// Context of execution.
pub struct ExecCx<'a> {
    /// The target.
    pub chip: &'static Chip,
    /// Buffers, patterns and views.
    pub tables: &'a Tables,
    /// Memories and registers.
    pub machine: &'a mut Machine,
    /// Core that executes.
    pub core: u32,
}

impl<'a> ExecCx<'a> {
    /// The same without the machine.
    pub fn op_cx(&self) -> OpCx<'a> {
        OpCx {
            chip: self.chip,
            tables: self.tables,
        }
    }

    /// The view `id` with everything it refers to.
    pub fn tile(&self, id: ViewId) -> Tile<'a> {
        self.tables.tile(id)
    }

    /// The values of an operand as float32, in the order of its view.
    ///
    /// # Errors
    /// An element that nobody wrote, or an index out of bounds.
    pub fn read(&mut self, id: ViewId, param: &'static str) -> Result<Vec<f32>, Fault> {
        self.machine.read_f32(self.tables, id, param)
    }

    /// Writes float32 values to an operand and gives their vector back to the pool.
    ///
    /// # Errors
    /// An index out of bounds.
    pub fn write(&mut self, id: ViewId, values: Vec<f32>) -> Result<(), Fault> {
        self.machine.write_f32(self.tables, id, &values)?;
        self.machine.scratch.give_floats(values);
        Ok(())
    }

    /// The bit patterns of an operand.
    ///
    /// # Errors
    /// An element that nobody wrote, or an index out of bounds.
    pub fn read_bits(&mut self, id: ViewId, param: &'static str) -> Result<Vec<u32>, Fault> {
        self.machine.read_bits(self.tables, id, param)
    }

    /// Writes bit patterns to an operand and gives their vector back to the pool.
    ///
    /// # Errors
    /// An index out of bounds.
    pub fn write_bits(&mut self, id: ViewId, values: Vec<u32>) -> Result<(), Fault> {
        self.machine.write_bits(self.tables, id, &values)?;
        self.machine.scratch.give_words(values);
        Ok(())
    }

    /// The bytes of an operand, packed.
    ///
    /// # Errors
    /// An element that nobody wrote, or an index out of bounds.
    pub fn read_raw(&mut self, id: ViewId, param: &'static str) -> Result<Vec<u8>, Fault> {
        self.machine.read_raw(self.tables, id, param)
    }

    /// Writes packed bytes to an operand and gives their vector back to the pool.
    ///
    /// # Errors
    /// An index out of bounds.
    pub fn write_raw(&mut self, id: ViewId, bytes: Vec<u8>) -> Result<(), Fault> {
        self.machine.write_raw(self.tables, id, &bytes)?;
        self.machine.scratch.give_bytes(bytes);
        Ok(())
    }

    /// Gives a vector that is no longer needed back to the pool.
    pub fn recycle(&mut self, values: Vec<f32>) {
        self.machine.scratch.give_floats(values);
    }

    /// Engine state of the core that executes.
    pub fn state(&mut self) -> &mut CoreState {
        &mut self.machine.cores[self.core as usize]
    }
}
