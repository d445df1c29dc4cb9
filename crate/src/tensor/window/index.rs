//! `tensor[...]`, `slice` and `select`.

use smallvec::SmallVec;

use crate::base::diag::{Code, Fault};
use crate::tensor::pattern::Dim;
use crate::tensor::view::IndexSource;
use crate::tensor::window::Window;

/// One item of an index expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// An integer; negative ones count from the end.
    At(i64),
    /// `start:stop:step`.
    Slice {
        /// First index; the start of the dimension if absent.
        start: Option<i64>,
        /// Index behind the last; the end of the dimension if absent.
        stop: Option<i64>,
        /// Distance; 1 if absent.
        step: Option<i64>,
    },
    /// `...`: as many full slices as there are dimensions left.
    Ellipsis,
    /// One element at a run-time index.
    Dynamic(IndexSource),
    /// `nl.ds(start, size)` with a run-time start.
    DynamicSlice(IndexSource, u32),
}

impl Index {
    /// `:`.
    pub const ALL: Self = Self::Slice {
        start: None,
        stop: None,
        step: None,
    };
}

impl Window {
    /// `tensor[keys]`. On chip an integer keeps the partition dimension at size 1 and at least two dimensions remain; in HBM an
    /// integer removes its dimension and at least one remains.
    ///
    /// # Errors
    /// Too many items, an index or slice outside of its dimension, or one that touches a run-time index.
    pub fn index(&self, keys: &[Index]) -> Result<Self, Fault> {
        let keys = self.expand(keys)?;
        let mut result = self.clone();
        let mut removed: SmallVec<[usize; 4]> = SmallVec::new();
        for (axis, key) in keys.iter().enumerate() {
            if result.apply(axis, *key)? {
                removed.push(axis);
            }
        }
        for &axis in removed.iter().rev() {
            result.drop_axis(axis);
        }
        Ok(result)
    }

    /// Replaces `...` and missing items by full slices.
    fn expand(&self, keys: &[Index]) -> Result<SmallVec<[Index; 4]>, Fault> {
        let ndim = self.dims.len();
        let named = keys.iter().filter(|key| **key != Index::Ellipsis).count();
        if named > ndim {
            let message = format!(
                "{named} indices for a tensor with {ndim} dimensions {}",
                self.shape_text()
            );
            return Err(Fault::new(Code::Index, message).hint("give at most one index for each dimension"));
        }
        if keys.len() - named > 1 {
            return Err(
                Fault::new(Code::Index, "an index can have one '...' only").hint("write ':' for single dimensions")
            );
        }
        let mut expanded = SmallVec::with_capacity(ndim);
        for key in keys {
            match key {
                Index::Ellipsis => expanded.extend(std::iter::repeat_n(Index::ALL, ndim - named)),
                key => expanded.push(*key),
            }
        }
        expanded.resize(ndim, Index::ALL);
        Ok(expanded)
    }

    /// Applies one item to `axis`, with the dimension kept; tells whether it is to be removed.
    fn apply(&mut self, axis: usize, key: Index) -> Result<bool, Fault> {
        match key {
            Index::Slice { start, stop, step } => {
                if key != Index::ALL {
                    self.apply_slice(axis, start, stop, step)?;
                }
                Ok(false)
            }
            Index::At(at) => {
                let num = i64::from(self.dims[axis].num);
                let index = if at < 0 { at + num } else { at };
                if !(0..num).contains(&index) {
                    let message = format!(
                        "index {at} is outside of dimension {axis}, which has size {num} ({})",
                        self.describe()
                    );
                    return Err(Fault::new(Code::OutOfBounds, message).hint(match num {
                        1 => "the only index is 0".to_owned(),
                        _ => format!("indices run from 0 to {}", num - 1),
                    }));
                }
                self.narrow(axis, index, 1, 1)?;
                Ok(!(self.space.is_on_chip() && axis == 0))
            }
            Index::Dynamic(source) => self.apply_dynamic(axis, source, 1).map(|()| true),
            Index::DynamicSlice(source, size) => self.apply_dynamic(axis, source, size).map(|()| false),
            Index::Ellipsis => Ok(false),
        }
    }

    /// A run-time index on `axis`, with the dimension kept.
    fn apply_dynamic(&mut self, axis: usize, source: IndexSource, size: u32) -> Result<(), Fault> {
        *self = self.dynamic(axis, source, Some(size))?;
        Ok(())
    }

    /// Python's defaults and negative bounds, then [`Window::narrow`].
    fn apply_slice(
        &mut self,
        axis: usize,
        start: Option<i64>,
        stop: Option<i64>,
        step: Option<i64>,
    ) -> Result<(), Fault> {
        let num = i64::from(self.dims[axis].num);
        let absolute = |bound: i64| if bound < 0 { bound.saturating_add(num) } else { bound };
        let (start, stop, step) = (start.map_or(0, absolute), stop.map_or(num, absolute), step.unwrap_or(1));
        self.checked_slice(axis, start, stop, step)
    }

    /// A slice whose bounds must lie inside of the dimension.
    fn checked_slice(&mut self, axis: usize, start: i64, stop: i64, step: i64) -> Result<(), Fault> {
        let num = i64::from(self.dims[axis].num);
        if step < 1 {
            return Err(Fault::new(
                Code::Value,
                format!("a slice of a tensor needs a step of at least 1, got {step}"),
            )
            .on("step")
            .hint("write the elements in the other order instead, for example with an access pattern that is stored backwards"));
        }
        if start < 0 || stop > num {
            let message = format!(
                "the slice {start}:{stop} leaves dimension {axis}, which has size {num} ({})",
                self.describe()
            );
            return Err(Fault::new(Code::OutOfBounds, message)
                .on("end")
                .hint(format!("clip the end of the last tile: min(end, {num})")));
        }
        if start >= stop {
            let message = format!(
                "the slice {start}:{stop} of dimension {axis} ({}) is empty",
                self.describe()
            );
            return Err(Fault::new(Code::Shape, message)
                .on("start")
                .hint("leave out the round of the loop that has no elements left"));
        }
        let count = (stop - start - 1) / step + 1;
        self.narrow(axis, start, step, count as u32)
    }

    /// Keeps `count` elements of `axis` from `start`, `step` apart.
    fn narrow(&mut self, axis: usize, start: i64, step: i64, count: u32) -> Result<(), Fault> {
        if self.pinned() == Some(axis) {
            let message = format!("dimension {axis} cannot be sliced or indexed: a run-time index fills it");
            return Err(Fault::new(Code::Constraint, message).hint("slice before the run-time index is applied"));
        }
        if axis == 0 && self.space.is_on_chip() && step > 1 && count > 1 {
            let message = format!(
                "a step of {step} on the partition dimension of {}: an access reads partitions one after the other",
                self.describe()
            );
            return Err(Fault::new(Code::Constraint, message).hint("put the strided data along a free dimension"));
        }
        let dim = self.dims[axis];
        // The offset of a window with negative steps never goes below 0: require_inside checked the whole pattern.
        self.offset = self.offset.wrapping_add_signed(start * dim.step);
        self.dims[axis] = Dim {
            step: if count == 1 { dim.step } else { dim.step * step },
            num: count,
        };
        if axis == 0 && self.space.is_on_chip() {
            self.dims[axis].step = dim.step;
        }
        Ok(())
    }

    /// `slice(dim, start, end, step)`.
    ///
    /// # Errors
    /// Bounds that do not satisfy `0 <= start < end <= shape[dim]`, or a step below 1.
    pub fn slice(&self, dim: i64, start: i64, end: i64, step: i64) -> Result<Self, Fault> {
        let axis = self.axis(dim, self.dims.len(), "dim")?;
        let mut result = self.clone();
        result.checked_slice(axis, start, end, step)?;
        Ok(result)
    }

    /// `select(dim, index)` with a known index.
    ///
    /// # Errors
    /// An index outside of the dimension, or a dimension that a run-time index fills.
    pub fn select(&self, dim: i64, index: i64) -> Result<Self, Fault> {
        let axis = self.axis(dim, self.dims.len(), "dim")?;
        let mut result = self.clone();
        if result
            .apply(axis, Index::At(index))
            .map_err(|fault| fault.on("index"))?
        {
            result.drop_axis(axis);
        }
        Ok(result)
    }
}
