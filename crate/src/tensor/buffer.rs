//! Allocations: a named tensor in one of the memories.

use serde::Serialize;

use crate::base::span::LocId;
use crate::index_type;
use crate::numerics::dtype::Dtype;

index_type!(
    /// An allocation of a launch.
    BufferId
);

/// The memory a buffer lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// State buffer: 128 partitions, the working memory of a core.
    Sbuf,
    /// Partial-sum buffer: 128 partitions of 8 banks, the only memory the Tensor Engine writes.
    Psum,
    /// Device memory that belongs to one core of the launch.
    Hbm,
    /// Device memory that all cores of the launch see.
    SharedHbm,
}

impl Space {
    /// The name in `nki.language`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sbuf => "sbuf",
            Self::Psum => "psum",
            Self::Hbm => "private_hbm",
            Self::SharedHbm => "shared_hbm",
        }
    }

    /// Whether the memory is partitioned (SBUF, PSUM).
    pub const fn is_on_chip(self) -> bool {
        matches!(self, Self::Sbuf | Self::Psum)
    }
}

/// What a buffer holds before the kernel writes to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// Nothing: reading it before writing is an error.
    Unwritten,
    /// The host array given as argument number so-and-so of the launch.
    Argument(u32),
    /// Constant bytes in storage layout, row-major.
    Constant(std::rc::Rc<[u8]>),
}

/// A place that the user chose (`address=` of `nl.ndarray`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Address {
    /// First partition.
    pub partition: u32,
    /// First byte in each partition.
    pub byte: u64,
}

/// One allocation.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The name that people see: the user's, or the variable's, or a generated one.
    pub name: String,
    /// The memory it lives in.
    pub space: Space,
    /// Declared shape; on chip the first dimension is the partition dimension.
    pub shape: Vec<u32>,
    /// Declared dtype.
    pub dtype: Dtype,
    /// User-chosen place, if any.
    pub address: Option<Address>,
    /// Content before the first write.
    pub init: Init,
    /// Where it was allocated.
    pub loc: LocId,
}

impl Buffer {
    /// Partitions that the buffer spans; 1 in HBM.
    pub fn partitions(&self) -> u32 {
        if self.space.is_on_chip() {
            self.shape.first().copied().unwrap_or(1)
        } else {
            1
        }
    }

    /// Elements in one partition (on chip) or in all (HBM), counted in elements of `dtype`.
    pub fn row_elements(&self, dtype: Dtype) -> u64 {
        self.row_bytes() / u64::from(dtype.bytes())
    }

    /// Bytes in one partition (on chip) or in all (HBM).
    pub fn row_bytes(&self) -> u64 {
        let skip = usize::from(self.space.is_on_chip());
        let elements: u64 = self.shape.iter().skip(skip).map(|&size| u64::from(size)).product();
        elements * u64::from(self.dtype.bytes())
    }

    /// Bytes in all.
    pub fn bytes(&self) -> u64 {
        self.row_bytes() * u64::from(self.partitions())
    }
}
