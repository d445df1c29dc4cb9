//! Views: what an instruction reads or writes.

use crate::index_type;
use crate::tensor::buffer::BufferId;
use crate::tensor::pattern::PatternId;

index_type!(
    /// A view in the table of a trace.
    ViewId
);
index_type!(
    /// A run-time index attached to a view, in the table of a trace.
    IndirectId
);
index_type!(
    /// An interned text of an instruction.
    TextId
);
index_type!(
    /// A virtual register of a core.
    RegId
);

/// A window on a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// The buffer.
    pub buffer: BufferId,
    /// Shape, steps and dtype.
    pub pattern: PatternId,
    /// First element, counted from the start of the buffer in elements of the pattern's dtype. On chip the partition is
    /// `offset / row_elements`, as in `NkiTensor.ap`.
    pub offset: u64,
    /// Run-time index that moves the view, if any.
    pub indirect: Option<IndirectId>,
}

/// A run-time index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indirect {
    /// Where the index comes from.
    pub source: IndexSource,
    /// Elements by which one unit of the index moves the view.
    pub step: i64,
    /// Number of legal index values; an index outside is out of bounds.
    pub limit: u64,
}

/// Where a run-time index comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexSource {
    /// One value for the whole view, read from a `[1, 1]` SBUF tile.
    Scalar(ViewId),
    /// One value for the whole view, held in a register.
    Register(RegId),
    /// One value per partition of the other side of a DMA, read from a `[P, 1]` SBUF tile. The step of dimension 0 is 0: the
    /// index alone says where a row is.
    Vector(ViewId),
    /// Free-dimension offsets in snake order (tensor indirection of NeuronCore-v4); dimension 1 has step 0.
    Free(ViewId),
}
