//! The tables that give meaning to the small ids inside instructions.

use crate::base::diag::{Code, Fault};
use crate::base::index::IndexVec;
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::{Buffer, BufferId, Space};
use crate::tensor::pattern::{AccessPattern, PatternTable};
use crate::tensor::view::{Indirect, IndirectId, TextId, View, ViewId};

/// Buffers, patterns, views and run-time indices of one launch; all its cores share them.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Allocations.
    pub buffers: IndexVec<BufferId, Buffer>,
    /// Interned access patterns.
    pub patterns: PatternTable,
    /// Views, in the order they were made.
    pub views: IndexVec<ViewId, View>,
    /// Run-time indices.
    pub indirects: IndexVec<IndirectId, Indirect>,
    /// Texts of instructions.
    pub texts: IndexVec<TextId, String>,
}

impl Tables {
    /// The view `id` with everything it refers to.
    pub fn tile(&self, id: ViewId) -> Tile<'_> {
        let view = self.views[id];
        Tile {
            view,
            buffer: &self.buffers[view.buffer],
            pattern: self.patterns.get(view.pattern),
            id,
        }
    }
}

/// A view together with its buffer and pattern.
#[derive(Clone, Copy, Debug)]
pub struct Tile<'a> {
    /// The id of the view.
    pub id: ViewId,
    /// The view.
    pub view: View,
    /// Its buffer.
    pub buffer: &'a Buffer,
    /// Its access pattern.
    pub pattern: &'a AccessPattern,
}

impl Tile<'_> {
    /// The memory that holds it.
    pub fn space(&self) -> Space {
        self.buffer.space
    }

    /// How its bits are read.
    pub fn dtype(&self) -> Dtype {
        self.pattern.dtype
    }

    /// Size of the first dimension: the partitions of an on-chip tile.
    pub fn partitions(&self) -> u32 {
        self.pattern.dims.first().map_or(1, |dim| dim.num)
    }

    /// First partition inside the buffer (on chip).
    pub fn start_partition(&self) -> u32 {
        let row = self.buffer.row_elements(self.dtype()).max(1);
        (self.view.offset / row) as u32
    }

    /// First element in each partition (on chip), in elements of the dtype.
    pub fn free_offset(&self) -> u64 {
        self.view.offset % self.buffer.row_elements(self.dtype()).max(1)
    }

    /// Elements in one partition.
    pub fn free_elements(&self) -> u64 {
        self.pattern.free_elements()
    }

    /// Bytes that the view covers, each counted once per access.
    pub fn bytes(&self) -> u64 {
        self.pattern.elements() * u64::from(self.dtype().bytes())
    }

    /// `name [128, 512] bfloat16 in sbuf`, for messages.
    pub fn describe(&self) -> String {
        let shape = self
            .pattern
            .dims
            .iter()
            .map(|dim| dim.num.to_string())
            .collect::<Vec<_>>()
            .join(", ");
        format!(
            "{} [{shape}] {} in {}",
            self.buffer.name,
            self.dtype().name(),
            self.space().name()
        )
    }

    /// `param 'name' [128, 512] bfloat16 in sbuf`: the tile as an operand, for messages.
    pub fn label(&self, param: &str) -> String {
        format!(
            "{param} '{}' {:?} {} in {}",
            self.buffer.name,
            self.pattern.shape(),
            self.dtype().name(),
            self.space().name()
        )
    }

    /// Fails unless the tile lives in one of `allowed`; `who` names the instruction or engine that needs it.
    pub fn require_space(&self, allowed: &[Space], who: &str) -> Result<(), Fault> {
        if allowed.contains(&self.space()) {
            return Ok(());
        }
        let names = allowed
            .iter()
            .map(|space| space.name())
            .collect::<Vec<_>>()
            .join(" or ");
        Err(Fault::new(
            Code::MemorySpace,
            format!("{who} needs a tile in {names}, got {}", self.describe()),
        ))
    }
}
