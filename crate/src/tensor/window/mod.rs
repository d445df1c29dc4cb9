//! The state of an `NkiTensor`: a strided view of a buffer, and the algebra of view operations on it.
//!
//! Nothing here touches data. Each operation takes a window and gives a new one on the same storage, or a [`Fault`] that names
//! the parameter, the shape and the limit. The rules are those of the `NkiTensor` reference and of the access pattern deep dive:
//! on chip, dimension 0 is the partition dimension, steps one partition at a time, and never disappears.

mod grid;
mod index;
mod layout;

pub use grid::{AxisIndex, Grid};
pub use index::Index;

use smallvec::smallvec;

use crate::base::diag::{Code, Fault};
use crate::ensure;
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::{Buffer, BufferId, Space};
use crate::tensor::pattern::{AccessPattern, Dim, Dims};
use crate::tensor::view::{IndexSource, Indirect};

/// A run-time index on a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indirection {
    /// Where the index comes from, how far one unit moves the window, and how many values are legal.
    pub index: Indirect,
    /// The dimension of the window that the index fills; `None` if that dimension was removed.
    pub dim: Option<usize>,
}

/// A strided view of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The storage.
    pub buffer: BufferId,
    /// The memory of the storage.
    pub space: Space,
    /// Partitions of the storage; 1 in HBM.
    pub partitions: u32,
    /// Bytes of the storage in one partition (on chip) or in all (HBM).
    pub row_bytes: u64,
    /// How the bits are read.
    pub dtype: Dtype,
    /// Shape and steps, outermost first, in elements of `dtype`.
    pub dims: Dims,
    /// First element, in elements of `dtype`.
    pub offset: u64,
    /// Run-time index, if any.
    pub indirect: Option<Indirection>,
}

/// The arguments of `NkiTensor.ap`.
#[derive(Clone, Debug)]
pub struct Ap {
    /// `[step, count]` pairs, outermost first.
    pub pattern: Vec<(i64, i64)>,
    /// First element, counted from the start of the storage; `None` keeps the offset of the window.
    pub offset: Option<i64>,
    /// Run-time index, if any.
    pub index: Option<IndexSource>,
    /// The dimension of the window that the run-time index counts.
    pub indirect_dim: i64,
    /// Another way to read the bits.
    pub dtype: Option<Dtype>,
}

impl Window {
    /// The whole of a buffer, row-major.
    pub fn whole(id: BufferId, buffer: &Buffer) -> Self {
        let mut step = 1;
        let mut dims: Dims = buffer
            .shape
            .iter()
            .rev()
            .map(|&num| {
                let dim = Dim { step, num };
                step *= i64::from(num);
                dim
            })
            .collect();
        dims.reverse();
        Self {
            buffer: id,
            space: buffer.space,
            partitions: buffer.partitions(),
            row_bytes: buffer.row_bytes(),
            dtype: buffer.dtype,
            dims,
            offset: 0,
            indirect: None,
        }
    }

    /// Sizes of the dimensions.
    pub fn shape(&self) -> Vec<u32> {
        self.dims.iter().map(|dim| dim.num).collect()
    }

    /// Product of the sizes.
    pub fn size(&self) -> u64 {
        self.dims.iter().map(|dim| u64::from(dim.num)).product()
    }

    /// Elements of the storage in one partition (on chip) or in all (HBM).
    pub fn row_elements(&self) -> u64 {
        self.row_bytes / u64::from(self.dtype.bytes()).max(1)
    }

    /// The access pattern that instructions see.
    pub fn pattern(&self) -> AccessPattern {
        AccessPattern {
            dtype: self.dtype,
            dims: self.dims.clone(),
        }
    }

    /// Whether the window carries a run-time index.
    pub fn is_indirect(&self) -> bool {
        self.indirect.is_some()
    }

    /// `[128, 64] float32 in sbuf`, for messages.
    pub fn describe(&self) -> String {
        format!("{} {} in {}", self.shape_text(), self.dtype.name(), self.space.name())
    }

    /// `[128, 64]`.
    pub fn shape_text(&self) -> String {
        list(self.dims.iter().map(|dim| i64::from(dim.num)))
    }

    /// Whether the elements lie one behind the other; on chip the partition dimension does not count.
    pub fn is_contiguous(&self) -> bool {
        let free = &self.dims[usize::from(self.space.is_on_chip()).min(self.dims.len())..];
        let mut expected = 1;
        free.iter().rev().filter(|dim| dim.num != 1).all(|dim| {
            let fits = dim.step == expected;
            expected *= i64::from(dim.num);
            fits
        })
    }

    /// Dimension `dim`, counted from the end if negative; fails outside `0..count`.
    fn axis(&self, dim: i64, count: usize, param: &'static str) -> Result<usize, Fault> {
        let signed = count as i64;
        let axis = if dim < 0 { dim + signed } else { dim };
        if (0..signed).contains(&axis) {
            return Ok(axis as usize);
        }
        let message = format!(
            "{param}={dim} is outside of a tensor with {} dimensions {}",
            self.dims.len(),
            self.shape_text()
        );
        Err(Fault::new(Code::Index, message).on(param))
    }

    /// Fails if `axis` is the partition dimension of an on-chip tensor, or filled by a run-time index.
    fn movable(&self, axis: usize, method: &str, param: &'static str) -> Result<(), Fault> {
        if self.space.is_on_chip() && axis == 0 {
            let message = format!(
                "{method}() cannot change dimension 0 of {}: it is the partition dimension",
                self.describe()
            );
            return Err(Fault::new(Code::Constraint, message).on(param).hint(
                "data moves between partitions only by an instruction, such as nisa.nc_transpose or nisa.dma_copy",
            ));
        }
        if self.pinned() == Some(axis) {
            let message = format!("{method}() cannot change dimension {axis}: a run-time index fills it");
            return Err(Fault::new(Code::Constraint, message)
                .on(param)
                .hint("apply views before vector_select(); is_indirect() tells"));
        }
        Ok(())
    }

    /// The dimension that a run-time index fills.
    fn pinned(&self) -> Option<usize> {
        self.indirect.and_then(|indirection| indirection.dim)
    }

    /// Leading dimensions that every reshaping keeps: the partition dimension, or one filled by a run-time index.
    fn fixed(&self) -> usize {
        usize::from(self.space.is_on_chip() || self.pinned() == Some(0))
    }

    /// Fails if the window has a run-time index already.
    fn require_direct(&self, method: &str) -> Result<(), Fault> {
        if self.indirect.is_none() {
            return Ok(());
        }
        let message = format!("{method}() on a view that has a run-time index already");
        Err(Fault::new(Code::Constraint, message).hint("a view carries one run-time index; is_indirect() tells"))
    }

    /// `select(dim, index)` with an index known only at run time: the dimension goes, the index moves the window.
    ///
    /// # Errors
    /// A second run-time index, a dimension that does not exist, or the partition dimension.
    pub fn select_dynamic(&self, dim: i64, source: IndexSource) -> Result<Self, Fault> {
        let axis = self.axis(dim, self.dims.len(), "dim")?;
        self.dynamic(axis, source, None)
    }

    /// The window at a run-time index of `axis`: one element, which removes the dimension, or `size` elements from there.
    fn dynamic(&self, axis: usize, source: IndexSource, size: Option<u32>) -> Result<Self, Fault> {
        self.require_direct("select")?;
        if self.space.is_on_chip() && axis == 0 {
            let message = format!("a run-time index cannot pick partitions of {}", self.describe());
            return Err(Fault::new(Code::Constraint, message)
                .on("dim")
                .hint("put the data that the index picks along a free dimension"));
        }
        let Dim { step, num } = self.dims[axis];
        let length = size.unwrap_or(1);
        ensure!(
            (1..=num).contains(&length),
            OutOfBounds,
            "a slice of {length} does not fit into dimension {axis} of {}",
            self.describe()
        );
        let mut result = self.clone();
        match size {
            Some(size) => result.dims[axis].num = size,
            None => result.drop_axis(axis),
        }
        let index = Indirect {
            source,
            step,
            limit: u64::from(num - length) + 1,
        };
        result.indirect = Some(Indirection { index, dim: None });
        Ok(result)
    }

    /// Removes dimension `axis`, or keeps it at size 1 where the tensor would get too few dimensions.
    fn drop_axis(&mut self, axis: usize) {
        let least = if self.space.is_on_chip() { 2 } else { 1 };
        if self.dims.len() > least {
            self.dims.remove(axis);
        } else {
            self.dims[axis].num = 1;
        }
    }

    /// `vector_select(0, offsets)`: row `offsets[p]` for each partition `p` of the other operand. The step of dimension 0
    /// becomes 0, since the index alone says where a row is.
    ///
    /// # Errors
    /// An on-chip tensor, another dimension, or a second run-time index.
    pub fn vector_select(&self, dim: i64, source: IndexSource, count: u32) -> Result<Self, Fault> {
        self.require_direct("vector_select")?;
        if dim != 0 {
            return Err(Fault::new(
                Code::Constraint,
                format!("vector_select() works on dimension 0 only, got dim={dim}"),
            )
            .on("dim")
            .hint("move the dimension that the indices pick to the front"));
        }
        ensure!(
            !self.space.is_on_chip(),
            MemorySpace on "dim",
            hint "inside SBUF gather with nisa.nc_n_gather, or with indirect() on trn3",
            "vector_select() needs a tensor in HBM, got {}",
            self.describe()
        );
        let Dim { step, num } = self.dims[0];
        let mut result = self.clone();
        result.dims[0] = Dim { step: 0, num: count };
        result.indirect = Some(Indirection {
            index: Indirect {
                source,
                step,
                limit: u64::from(num),
            },
            dim: Some(0),
        });
        Ok(result)
    }

    /// `indirect(index, num_elem)`: elements at run-time offsets of the free dimension.
    ///
    /// # Errors
    /// A tensor in HBM or a second run-time index.
    pub fn indirect_free(&self, source: IndexSource, count: u32) -> Result<Self, Fault> {
        self.require_direct("indirect")?;
        ensure!(
            self.space.is_on_chip(),
            MemorySpace on "index",
            hint "load the tensor first, or pick rows in HBM with vector_select()",
            "indirect() needs a tensor in sbuf or psum, got {}",
            self.describe()
        );
        let limit = self.dims.iter().skip(1).map(|dim| u64::from(dim.num)).product();
        let mut result = self.clone();
        result.dims = smallvec![self.dims[0], Dim { step: 0, num: count }];
        result.indirect = Some(Indirection {
            index: Indirect { source, step: 1, limit },
            dim: Some(1),
        });
        Ok(result)
    }

    /// `ap(...)`: an explicit pattern on the storage, whatever the shape of this window. A given offset counts from the start
    /// of the storage, none keeps the offset of the window.
    ///
    /// # Errors
    /// A pattern that leaves the storage, or skips partitions on chip.
    pub fn ap(&self, ap: &Ap) -> Result<Self, Fault> {
        let dtype = ap.dtype.unwrap_or(self.dtype);
        let dims = pattern_dims(&ap.pattern)?;
        let offset = match ap.offset {
            None => self.offset * u64::from(self.dtype.bytes()) / u64::from(dtype.bytes()),
            Some(offset) => u64::try_from(offset).map_err(|_| {
                Fault::new(Code::Value, format!("offset={offset} must not be negative"))
                    .on("offset")
                    .hint("the offset counts elements from the start of the storage")
            })?,
        };
        let mut result = Self {
            dtype,
            dims,
            offset,
            indirect: None,
            ..self.clone()
        };
        result.require_partition_step()?;
        result.require_inside()?;
        if let Some(source) = ap.index {
            result.indirect = Some(self.ap_index(&mut result, source, ap.indirect_dim)?);
        }
        Ok(result)
    }

    /// The run-time index of `ap`: it counts dimension `dim` of this window, and may move `target` as far as the storage reaches.
    fn ap_index(&self, target: &mut Self, source: IndexSource, dim: i64) -> Result<Indirection, Fault> {
        let axis = self.axis(dim, self.dims.len(), "indirect_dim")?;
        let vector = matches!(source, IndexSource::Vector(_));
        ensure!(
            !vector || axis == 0,
            Constraint on "indirect_dim",
            hint "move the dimension that the indices pick to the front",
            "vector_offset works with indirect_dim=0 only, got {axis}"
        );
        let step = self.dims[axis].step * i64::from(self.dtype.bytes()) / i64::from(target.dtype.bytes());
        ensure!(
            step > 0,
            Constraint,
            "dimension {axis} of {} does not move",
            self.describe()
        );
        if vector {
            target.dims[0].step = 0;
        }
        let (_, last) = target.extent();
        let room = target.storage_limit() - 1 - last;
        let index = Indirect {
            source,
            step,
            limit: (room.max(0) / step) as u64 + 1,
        };
        Ok(Indirection {
            index,
            dim: vector.then_some(0),
        })
    }

    /// Smallest and largest element, counted inside one partition on chip.
    fn extent(&self) -> (i64, i64) {
        let row = self.row_elements().max(1);
        let on_chip = self.space.is_on_chip();
        let start = if on_chip { self.offset % row } else { self.offset } as i64;
        self.dims
            .iter()
            .skip(usize::from(on_chip))
            .fold((start, start), |(low, high), dim| {
                let reach = dim.step.saturating_mul(i64::from(dim.num) - 1);
                (low.saturating_add(reach.min(0)), high.saturating_add(reach.max(0)))
            })
    }

    /// Elements of the storage in one partition (on chip) or in all.
    fn storage_limit(&self) -> i64 {
        self.row_elements() as i64
    }

    /// Fails if the pattern touches elements that the storage does not have.
    fn require_inside(&self) -> Result<(), Fault> {
        let first = self.offset / self.row_elements().max(1);
        let count = self.dims.first().map_or(1, |dim| u64::from(dim.num));
        if self.space.is_on_chip() && first + count > u64::from(self.partitions) {
            let message = format!(
                "the access pattern {} with offset {} covers partitions {first} to {}, but the storage has {}",
                self.pattern_text(),
                self.offset,
                first + count - 1,
                self.partitions
            );
            return Err(Fault::new(Code::OutOfBounds, message).on("pattern"));
        }
        let (low, high) = self.extent();
        let limit = self.storage_limit();
        if low >= 0 && high < limit {
            return Ok(());
        }
        let per = if self.space.is_on_chip() { " in a partition" } else { "" };
        let message = format!(
            "the access pattern {} with offset {} reaches element {}, but the storage has {limit} {} elements{per}",
            self.pattern_text(),
            self.offset,
            if low < 0 { low } else { high },
            self.dtype.name()
        );
        Err(Fault::new(Code::OutOfBounds, message)
            .on("pattern")
            .hint("steps, counts and offset are in elements of the dtype, counted on the whole storage"))
    }

    /// Fails unless an on-chip pattern steps one partition at a time.
    fn require_partition_step(&self) -> Result<(), Fault> {
        let Some(first) = self.dims.first().filter(|_| self.space.is_on_chip()) else {
            return Ok(());
        };
        let row = self.row_elements() as i64;
        if first.step == row || first.num == 1 {
            return Ok(());
        }
        let message = format!(
            "the first step of the pattern is {}, but must be {row}, the elements in a partition of {}: partitions are read one after the other",
            first.step,
            self.space.name()
        );
        Err(Fault::new(Code::Constraint, message).on("pattern"))
    }

    /// `[[64, 128], [1, 64]]`.
    pub fn pattern_text(&self) -> String {
        let pairs: Vec<String> = self
            .dims
            .iter()
            .map(|dim| format!("[{}, {}]", dim.step, dim.num))
            .collect();
        format!("[{}]", pairs.join(", "))
    }

    /// `view(dtype)`: the same bits under another dtype; the last dimension grows or shrinks.
    ///
    /// # Errors
    /// A last dimension with gaps, a size that does not divide, or a run-time index.
    pub fn reinterpret(&self, dtype: Dtype) -> Result<Self, Fault> {
        self.require_direct("view")?;
        let (old, new) = (u64::from(self.dtype.bytes()), u64::from(dtype.bytes()));
        let mut result = self.clone();
        result.dtype = dtype;
        if old == new {
            return Ok(result);
        }
        let last = self.dims[self.dims.len() - 1];
        let fault = |what: String| {
            Err(Fault::new(
                Code::Shape,
                format!("view({}) of {}: {what}", dtype.name(), self.describe()),
            )
            .on("dtype"))
        };
        if last.step != 1 && last.num != 1 {
            return fault(format!(
                "the last dimension must be contiguous, its step is {}",
                last.step
            ));
        }
        let scale = |elements: i64| elements * old as i64 / new as i64;
        let bytes = u64::from(last.num) * old;
        if bytes % new != 0 {
            return fault(format!(
                "the last dimension has {bytes} bytes, which is no multiple of {new}"
            ));
        }
        let outer = &self.dims[..self.dims.len() - 1];
        let aligned = |elements: i64| (elements.unsigned_abs() * old).is_multiple_of(new);
        if !aligned(self.offset as i64) || !outer.iter().all(|dim| dim.num == 1 || aligned(dim.step)) {
            return fault(format!("the elements do not start at multiples of {new} bytes"));
        }
        result.offset = self.offset * old / new;
        for dim in &mut result.dims {
            dim.step = scale(dim.step);
        }
        let at = result.dims.len() - 1;
        result.dims[at] = Dim {
            step: 1,
            num: (bytes / new) as u32,
        };
        Ok(result)
    }
}

/// Elements that no memory has; products of steps and sizes stay far from overflow.
const MAX_STEP: u64 = 1 << 40;

/// The pairs of `ap` as dimensions.
fn pattern_dims(pattern: &[(i64, i64)]) -> Result<Dims, Fault> {
    if pattern.is_empty() {
        return Err(Fault::new(Code::Value, "the pattern is empty")
            .on("pattern")
            .hint("give [step, count] pairs"));
    }
    pattern
        .iter()
        .map(|&(step, num)| match u32::try_from(num) {
            Ok(num) if num > 0 && step.unsigned_abs() <= MAX_STEP => Ok(Dim { step, num }),
            Ok(num) if num > 0 => {
                let message = format!("the step of [{step}, {num}] is larger than any memory");
                Err(Fault::new(Code::Value, message).on("pattern"))
            }
            _ => Err(Fault::new(Code::Value, format!("the count of [{step}, {num}] must be positive")).on("pattern")),
        })
        .collect()
}

/// `[1, 2, 3]`.
fn list(items: impl Iterator<Item = i64>) -> String {
    let texts: Vec<String> = items.map(|item| item.to_string()).collect();
    format!("[{}]", texts.join(", "))
}

#[cfg(test)]
mod tests;
