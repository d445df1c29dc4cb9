//! What an instruction can see: its tables while it is checked and priced, the machine while it runs.

use crate::chip::Chip;
use crate::machine::Machine;
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
