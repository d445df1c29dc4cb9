//! Operations that rename, split, merge and reorder dimensions.

use crate::base::diag::{Code, Fault};
use crate::ensure;
use crate::tensor::pattern::Dim;
use crate::tensor::window::{Window, list};

impl Window {
    /// `permute(dims)`.
    ///
    /// # Errors
    /// `dims` is no permutation, or moves a dimension that must stay first.
    pub fn permute(&self, dims: &[i64]) -> Result<Self, Fault> {
        let ndim = self.dims.len();
        let mut seen = vec![false; ndim];
        let fault = || {
            let message = format!(
                "dims {} is no permutation of the {ndim} dimensions of {}",
                list(dims.iter().copied()),
                self.describe()
            );
            Fault::new(Code::Value, message).on("dims")
        };
        for &dim in dims {
            let axis = self.axis(dim, ndim, "dims")?;
            if std::mem::replace(&mut seen[axis], true) {
                return Err(fault());
            }
        }
        if dims.len() != ndim {
            return Err(fault());
        }
        if self.fixed() == 1 && dims[0] != 0 {
            self.movable(0, "permute", "dims")?;
        }
        let order: Vec<usize> = dims.iter().map(|&dim| dim.rem_euclid(ndim as i64) as usize).collect();
        let mut result = self.clone();
        result.dims = order.iter().map(|&axis| self.dims[axis]).collect();
        if let Some(indirection) = &mut result.indirect {
            indirection.dim = indirection
                .dim
                .and_then(|pinned| order.iter().position(|&axis| axis == pinned));
        }
        Ok(result)
    }

    /// `broadcast(dim, size)`: repeats a dimension of size 1.
    ///
    /// # Errors
    /// Another size, or the partition dimension.
    pub fn broadcast(&self, dim: i64, size: i64) -> Result<Self, Fault> {
        let axis = self.axis(dim, self.dims.len(), "dim")?;
        self.movable(axis, "broadcast", "dim")?;
        let num = self.dims[axis].num;
        if num != 1 {
            let message = format!(
                "broadcast() needs a dimension of size 1, dimension {axis} of {} has size {num}",
                self.describe()
            );
            return Err(Fault::new(Code::Shape, message).on("dim"));
        }
        let num = positive(size, "size")?;
        let mut result = self.clone();
        result.dims[axis] = Dim { step: 0, num };
        Ok(result)
    }

    /// `expand_dim(dim)`: inserts a dimension of size 1.
    ///
    /// # Errors
    /// A place that does not exist, or in front of the partition dimension.
    pub fn expand_dim(&self, dim: i64) -> Result<Self, Fault> {
        let axis = self.axis(dim, self.dims.len() + 1, "dim")?;
        if axis < self.fixed() {
            self.movable(0, "expand_dim", "dim")?;
        }
        let step = self.dims.get(axis).map_or(1, |dim| dim.step * i64::from(dim.num));
        let mut result = self.clone();
        result.dims.insert(axis, Dim { step, num: 1 });
        if let Some(pinned) = result
            .indirect
            .as_mut()
            .and_then(|indirection| indirection.dim.as_mut())
        {
            *pinned += usize::from(*pinned >= axis);
        }
        Ok(result)
    }

    /// `squeeze_dim(dim)`: removes a dimension of size 1.
    ///
    /// # Errors
    /// Another size, the partition dimension, or the last free dimension of an on-chip tensor.
    pub fn squeeze_dim(&self, dim: i64) -> Result<Self, Fault> {
        let axis = self.axis(dim, self.dims.len(), "dim")?;
        self.movable(axis, "squeeze_dim", "dim")?;
        let num = self.dims[axis].num;
        if num != 1 {
            let message = format!(
                "squeeze_dim() needs a dimension of size 1, dimension {axis} of {} has size {num}",
                self.describe()
            );
            return Err(Fault::new(Code::Shape, message).on("dim"));
        }
        let least = if self.space.is_on_chip() { 2 } else { 1 };
        ensure!(
            self.dims.len() > least,
            Constraint,
            "squeeze_dim() would leave fewer than {least} dimensions of {}",
            self.describe()
        );
        let mut result = self.clone();
        result.dims.remove(axis);
        if let Some(pinned) = result
            .indirect
            .as_mut()
            .and_then(|indirection| indirection.dim.as_mut())
        {
            *pinned -= usize::from(*pinned > axis);
        }
        Ok(result)
    }

    /// `reshape_dim(dim, shape)`: splits one dimension; one size may be -1.
    ///
    /// # Errors
    /// Sizes that do not multiply to the dimension, or the partition dimension.
    pub fn reshape_dim(&self, dim: i64, shape: &[i64]) -> Result<Self, Fault> {
        let axis = self.axis(dim, self.dims.len(), "dim")?;
        let Dim { step, num } = self.dims[axis];
        let sizes = infer(shape, u64::from(num)).ok_or_else(|| {
            let message = format!(
                "{} does not split dimension {axis} of {}, which has size {num}",
                list(shape.iter().copied()),
                self.describe()
            );
            Fault::new(Code::Shape, message).on("shape")
        })?;
        if sizes.len() != 1 {
            self.movable(axis, "reshape_dim", "dim")?;
        }
        let mut inner = step;
        let mut split: Vec<Dim> = sizes
            .iter()
            .rev()
            .map(|&num| {
                let dim = Dim { step: inner, num };
                inner *= i64::from(num);
                dim
            })
            .collect();
        split.reverse();
        let mut result = self.clone();
        result.dims.remove(axis);
        result.dims.insert_many(axis, split);
        if let Some(pinned) = result
            .indirect
            .as_mut()
            .and_then(|indirection| indirection.dim.as_mut())
        {
            *pinned += if *pinned > axis { sizes.len() - 1 } else { 0 };
        }
        Ok(result)
    }

    /// `flatten_dims(start_dim, end_dim)`: merges neighbours, both ends included.
    ///
    /// # Errors
    /// Dimensions with gaps between them, or the partition dimension.
    pub fn flatten_dims(&self, start_dim: i64, end_dim: i64) -> Result<Self, Fault> {
        let start = self.axis(start_dim, self.dims.len(), "start_dim")?;
        let end = self.axis(end_dim, self.dims.len(), "end_dim")?;
        if start > end {
            return Err(Fault::new(
                Code::Value,
                format!("start_dim={start_dim} lies behind end_dim={end_dim}"),
            )
            .on("start_dim"));
        }
        if start < end && start < self.fixed() {
            self.movable(0, "flatten_dims", "start_dim")?;
        }
        let merged = &self.dims[start..=end];
        let total: u64 = merged.iter().map(|dim| u64::from(dim.num)).product();
        let dims = relayout(merged, &[total as u32]).ok_or_else(|| {
            let message = format!(
                "dimensions {start} to {end} of {} are not contiguous (pattern {})",
                self.describe(),
                self.pattern_text()
            );
            Fault::new(Code::Shape, message)
                .on("start_dim")
                .hint("copy the view to a new tile first, for example with nisa.tensor_copy")
        })?;
        let mut result = self.clone();
        result.dims.drain(start..=end);
        result.dims.insert_many(start, dims);
        if let Some(pinned) = result
            .indirect
            .as_mut()
            .and_then(|indirection| indirection.dim.as_mut())
        {
            *pinned -= if *pinned > end { end - start } else { 0 };
        }
        Ok(result)
    }

    /// `reshape(shape)`.
    ///
    /// # Errors
    /// Another number of elements, another partition dimension, or a layout that would need a copy.
    pub fn reshape(&self, shape: &[i64]) -> Result<Self, Fault> {
        let sizes = shape
            .iter()
            .map(|&size| positive(size, "shape"))
            .collect::<Result<Vec<_>, _>>()?;
        let total: u64 = sizes.iter().map(|&size| u64::from(size)).product();
        let wanted = list(shape.iter().copied());
        if total != self.size() || sizes.is_empty() {
            let message = format!(
                "reshape() to {wanted} has {total} elements, {} has {}",
                self.describe(),
                self.size()
            );
            return Err(Fault::new(Code::Shape, message).on("shape"));
        }
        let fixed = self.fixed();
        if fixed == 1 && sizes[0] != self.dims[0].num {
            let message = format!(
                "reshape() to {wanted} changes the partition dimension of {} from {} to {}",
                self.describe(),
                self.dims[0].num,
                sizes[0]
            );
            return Err(Fault::new(Code::Constraint, message).on("shape").hint(
                "data moves between partitions only by an instruction, such as nisa.nc_transpose or nisa.dma_copy",
            ));
        }
        if self.space.is_on_chip() && sizes.len() < 2 {
            return Err(Fault::new(
                Code::Constraint,
                format!("reshape() to {wanted}: an on-chip tensor has at least 2 dimensions"),
            )
            .on("shape"));
        }
        let free = relayout(&self.dims[fixed..], &sizes[fixed..]).ok_or_else(|| {
            let message = format!(
                "reshape() to {wanted} would need a copy: {} has the pattern {}",
                self.describe(),
                self.pattern_text()
            );
            Fault::new(Code::Shape, message)
                .on("shape")
                .hint("copy the view to a new tile first, for example with nisa.tensor_copy")
        })?;
        let mut result = self.clone();
        result.dims.truncate(fixed);
        result.dims.extend(free);
        Ok(result)
    }

    /// `rearrange(src, dst, sizes)` in the manner of einops: each item is a dimension or a group of named parts.
    ///
    /// # Errors
    /// Names that do not match, sizes that do not divide, or a layout that would need a copy.
    pub fn rearrange(&self, src: &[Vec<&str>], dst: &[Vec<&str>], sizes: &[(&str, i64)]) -> Result<Self, Fault> {
        let value = |message: String, param| Fault::new(Code::Value, message).on(param);
        if src.len() != self.dims.len() {
            let message = format!(
                "src_pattern names {} dimensions, {} has {}",
                src.len(),
                self.describe(),
                self.dims.len()
            );
            return Err(value(message, "src_pattern"));
        }
        let mut split = self.clone();
        for (axis, group) in src.iter().enumerate().rev() {
            let shape: Vec<i64> = group
                .iter()
                .map(|name| {
                    sizes
                        .iter()
                        .find(|(known, _)| known == name)
                        .map_or(-1, |(_, size)| *size)
                })
                .collect();
            split = split
                .reshape_dim(axis as i64, &shape)
                .map_err(|fault| fault.on("src_pattern"))?;
        }
        let names: Vec<&str> = src.iter().flatten().copied().collect();
        let targets: Vec<&str> = dst.iter().flatten().copied().collect();
        let order: Option<Vec<i64>> = targets
            .iter()
            .map(|name| names.iter().position(|known| known == name).map(|at| at as i64))
            .collect();
        let order = order.filter(|order| order.len() == names.len()).ok_or_else(|| {
            value(
                "src_pattern and dst_pattern must use the same names, each once".to_owned(),
                "dst_pattern",
            )
        })?;
        let mut result = split.permute(&order).map_err(|fault| fault.on("dst_pattern"))?;
        for (axis, group) in dst.iter().enumerate() {
            let end = axis + group.len().max(1) - 1;
            result = result
                .flatten_dims(axis as i64, end as i64)
                .map_err(|fault| fault.on("dst_pattern"))?;
        }
        Ok(result)
    }
}

/// A size that must be positive.
fn positive(size: i64, param: &'static str) -> Result<u32, Fault> {
    u32::try_from(size)
        .ok()
        .filter(|&size| size > 0)
        .ok_or_else(|| Fault::new(Code::Value, format!("a size must be positive, got {size}")).on(param))
}

/// `shape` with its -1 replaced, if the sizes multiply to `total`.
fn infer(shape: &[i64], total: u64) -> Option<Vec<u32>> {
    let unknown = shape.iter().filter(|&&size| size == -1).count();
    let mut known: u64 = 1;
    for &size in shape.iter().filter(|&&size| size != -1) {
        known = known.checked_mul(u64::try_from(size).ok().filter(|&size| size > 0)?)?;
    }
    if unknown > 1 || !total.is_multiple_of(known) || (unknown == 0 && known != total) {
        return None;
    }
    let missing = total / known;
    let sizes = shape
        .iter()
        .map(|&size| if size == -1 { missing as u32 } else { size as u32 });
    Some(sizes.collect())
}

/// The steps of `sizes` over the same elements in the same order, or `None` if no steps can express it. Both have the same
/// number of elements.
fn relayout(dims: &[Dim], sizes: &[u32]) -> Option<Vec<Dim>> {
    let old: Vec<Dim> = dims.iter().copied().filter(|dim| dim.num != 1).collect();
    let mut result = vec![Dim { step: 1, num: 1 }; sizes.len()];
    let (mut from, mut to) = (old.len(), sizes.len());
    // From the innermost dimension outwards: take runs of old and of new dimensions with equal products.
    while to > 0 {
        let (mut have, mut want) = (1, u64::from(sizes[to - 1]));
        let (from_end, to_end) = (from, to);
        to -= 1;
        while have != want {
            if have < want {
                from = from.checked_sub(1)?;
                have *= u64::from(old[from].num);
            } else {
                to = to.checked_sub(1)?;
                want *= u64::from(sizes[to]);
            }
        }
        let run = &old[from..from_end];
        let merged = run
            .windows(2)
            .all(|pair| pair[0].step == pair[1].step * i64::from(pair[1].num));
        if !merged {
            return None;
        }
        let mut step = run.last().map_or_else(|| outer_step(&result, to_end), |dim| dim.step);
        for at in (to..to_end).rev() {
            result[at] = Dim { step, num: sizes[at] };
            step *= i64::from(sizes[at]);
        }
    }
    Some(result)
}

/// The step of a dimension of size 1 in front of `result[inner..]`.
fn outer_step(result: &[Dim], inner: usize) -> i64 {
    result.get(inner).map_or(1, |dim| dim.step * i64::from(dim.num))
}
