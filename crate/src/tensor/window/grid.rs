//! Index grids of older NKI: `nl.arange(128)[:, None]`, `nl.mgrid[...]` and sums of them.
//!
//! Kernels written before NKI 0.3 index tensors with arrays of indices. Such an array is always affine: a base plus one
//! coefficient for each of its dimensions. That is all that is kept of it, and indexing with it gives an ordinary window.

use crate::base::diag::{Code, Fault};
use crate::tensor::pattern::Dim;
use crate::tensor::window::Window;

/// An affine array of indices: element `(i, j, …)` is `base + i * coefficients[0] + j * coefficients[1] + …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The element at the origin.
    pub base: i64,
    /// Size and coefficient of each dimension.
    pub dims: Vec<Dim>,
}

/// One item of an index expression with grids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AxisIndex {
    /// An array of indices.
    Grid(Grid),
    /// One index.
    At(i64),
}

impl Grid {
    /// `arange(start, stop, step)`.
    pub fn arange(start: i64, stop: i64, step: i64) -> Option<Self> {
        let count = if step > 0 {
            stop.saturating_sub(start).saturating_add(step - 1) / step
        } else {
            return None;
        };
        let num = u32::try_from(count).ok().filter(|&count| count > 0)?;
        Some(Self {
            base: start,
            dims: vec![Dim { step, num }],
        })
    }

    /// The grid with a new dimension of size 1 in front of dimension `axis`.
    #[must_use]
    pub fn expand(mut self, axis: usize) -> Self {
        self.dims.insert(axis, Dim { step: 0, num: 1 });
        self
    }

    /// The grid plus a number.
    #[must_use]
    pub fn shifted(mut self, by: i64) -> Self {
        self.base = self.base.saturating_add(by);
        self
    }

    /// The grid times a number.
    #[must_use]
    pub fn scaled(mut self, by: i64) -> Self {
        self.base = self.base.saturating_mul(by);
        for dim in &mut self.dims {
            dim.step = dim.step.saturating_mul(by);
        }
        self
    }

    /// The sum of two grids, broadcast as NumPy does.
    ///
    /// # Errors
    /// Sizes that are neither equal nor 1.
    pub fn plus(&self, other: &Self) -> Result<Self, Fault> {
        let shape = broadcast(&[self, other])?;
        let (left, right) = (self.spread(&shape), other.spread(&shape));
        let dims = shape.iter().enumerate().map(|(at, &num)| Dim {
            step: left[at].saturating_add(right[at]),
            num,
        });
        Ok(Self {
            base: self.base.saturating_add(other.base),
            dims: dims.collect(),
        })
    }

    /// Coefficients over the dimensions of `shape`, to which the grid broadcasts.
    fn spread(&self, shape: &[u32]) -> Vec<i64> {
        let skip = shape.len() - self.dims.len();
        let own = self.dims.iter().map(|dim| if dim.num == 1 { 0 } else { dim.step });
        std::iter::repeat_n(0, skip).chain(own).collect()
    }

    /// Smallest and largest element.
    fn bounds(&self) -> (i64, i64) {
        self.dims.iter().fold((self.base, self.base), |(low, high), dim| {
            let reach = dim.step.saturating_mul(i64::from(dim.num) - 1);
            (low.saturating_add(reach.min(0)), high.saturating_add(reach.max(0)))
        })
    }
}

/// The common shape of some grids.
fn broadcast(grids: &[&Grid]) -> Result<Vec<u32>, Fault> {
    let ndim = grids.iter().map(|grid| grid.dims.len()).max().unwrap_or(0);
    let mut shape = vec![1; ndim];
    for grid in grids {
        let skip = ndim - grid.dims.len();
        for (size, dim) in shape[skip..].iter_mut().zip(&grid.dims) {
            match (*size, dim.num) {
                (_, 1) => {}
                (1, num) => *size = num,
                (a, b) if a == b => {}
                (a, b) => {
                    return Err(Fault::new(
                        Code::Shape,
                        format!("index arrays of sizes {a} and {b} do not broadcast"),
                    ));
                }
            }
        }
    }
    Ok(shape)
}

impl Window {
    /// `tensor[grids]`, one item for each dimension: the result has the common shape of the grids.
    ///
    /// # Errors
    /// An index outside of its dimension, grids that do not broadcast, or a partition dimension that does not come first.
    pub fn index_grids(&self, items: &[AxisIndex]) -> Result<Self, Fault> {
        if items.len() != self.dims.len() {
            let message = format!(
                "{} index arrays for {}: give one for each dimension",
                items.len(),
                self.describe()
            );
            return Err(Fault::new(Code::Index, message));
        }
        let grids: Vec<&Grid> = items
            .iter()
            .filter_map(|item| match item {
                AxisIndex::Grid(grid) => Some(grid),
                AxisIndex::At(_) => None,
            })
            .collect();
        let shape = broadcast(&grids)?;
        let mut steps = vec![0; shape.len()];
        let mut offset = self.offset as i64;
        for (axis, (item, dim)) in items.iter().zip(&self.dims).enumerate() {
            let (low, high) = match item {
                AxisIndex::Grid(grid) => grid.bounds(),
                AxisIndex::At(at) => (*at, *at),
            };
            if low < 0 || high >= i64::from(dim.num) {
                let message = format!("indices {low} to {high} leave dimension {axis} of {}", self.describe());
                return Err(Fault::new(Code::OutOfBounds, message));
            }
            match item {
                AxisIndex::Grid(grid) => {
                    offset += grid.base * dim.step;
                    for (step, coefficient) in steps.iter_mut().zip(grid.spread(&shape)) {
                        *step += coefficient * dim.step;
                    }
                }
                AxisIndex::At(at) => offset += at * dim.step,
            }
        }
        let mut result = self.clone();
        result.offset = offset as u64;
        result.dims = shape
            .iter()
            .zip(&steps)
            .map(|(&num, &step)| Dim { step, num })
            .collect();
        result.fix_partitions(&grids, items)?;
        Ok(result)
    }

    /// On chip the first dimension must run over partitions, and only it.
    fn fix_partitions(&mut self, grids: &[&Grid], items: &[AxisIndex]) -> Result<(), Fault> {
        if !self.space.is_on_chip() {
            return Ok(());
        }
        let rank = self.dims.len();
        let AxisIndex::Grid(partitions) = &items[0] else {
            self.dims.insert(
                0,
                Dim {
                    step: self.row_elements() as i64,
                    num: 1,
                },
            );
            return Ok(());
        };
        let only_first = |grid: &Grid, first: bool| {
            let skip = rank - grid.dims.len();
            let mut moving = grid
                .dims
                .iter()
                .enumerate()
                .filter(|(_, dim)| dim.step != 0 && dim.num != 1);
            moving.all(|(at, _)| (skip + at == 0) == first)
        };
        let others = grids.iter().skip(1).all(|grid| only_first(grid, false));
        if !only_first(partitions, true) || !others {
            let message = "on chip the first dimension of the index arrays must run over partitions, and no other may";
            return Err(Fault::new(Code::Constraint, message).hint("index partitions with nl.arange(n)[:, None]"));
        }
        if self.dims[0].num == 1 {
            self.dims[0].step = self.row_elements() as i64;
        }
        if rank < 2 {
            self.dims.push(Dim { step: 1, num: 1 });
        }
        self.require_partition_step()
    }
}
