//! Parameters that are short lists of integers, kept inline so that instructions stay `Copy`.

use crate::base::diag::{Code, Fault};
use crate::base::mend::Edit;
use crate::isa::args::Arg;
use crate::isa::context::OpCx;
use crate::isa::spec::{Access, Operand, Param};
use crate::tensor::view::ViewId;

/// The integers of a list argument.
fn integers(arg: &Arg) -> Option<Vec<i64>> {
    let Arg::List(items) = arg else {
        return None;
    };
    let integer = |item: &Arg| match item {
        Arg::Int(value) => Some(*value),
        _ => None,
    };
    items.iter().map(integer).collect()
}

/// One loop of an affine pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Stride {
    /// What one iteration adds.
    pub step: i32,
    /// Number of iterations.
    pub num: u32,
}

/// An affine pattern of up to four loops, outermost first, padded in front with single iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides(pub [Stride; 4]);

impl Strides {
    /// Iterations of all loops together.
    pub fn elements(&self) -> u64 {
        self.0.iter().map(|stride| u64::from(stride.num)).product()
    }

    /// The values that the loops give, in order, without offset; 32-bit arithmetic.
    pub fn values(&self) -> Vec<i32> {
        let mut values = vec![0_i32];
        for stride in self.0 {
            let outer = std::mem::take(&mut values);
            values.reserve(outer.len() * stride.num as usize);
            for base in outer {
                values.extend((0..stride.num).map(|at| base.wrapping_add(stride.step.wrapping_mul(at as i32))));
            }
        }
        values
    }

    /// Binds one `[step, num]` pair.
    fn pair(arg: &Arg) -> Option<Stride> {
        match integers(arg)?.as_slice() {
            [step, num] => Some(Stride {
                step: i32::try_from(*step).ok()?,
                num: u32::try_from(*num).ok()?,
            }),
            _ => None,
        }
    }
}

impl Param for Strides {
    const KIND: &'static str = "a list of up to four [step, num] pairs";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        let Arg::List(items) = arg else {
            return Err(Self::mismatch(arg));
        };
        let pairs: Option<Vec<_>> = items.iter().map(Self::pair).collect();
        let pairs = pairs.ok_or_else(|| {
            Self::mismatch(arg).hint("write a list of pairs, outermost loop first: [[1, 512]] counts 0 to 511")
        })?;
        if pairs.is_empty() || pairs.len() > 4 {
            let message = format!("has {} loops; limit 1 to 4 [step, num] pairs", pairs.len());
            return Err(Fault::new(Code::Constraint, message)
                .hint("make one loop of two that continue each other, or fill a slice at a time"));
        }
        let mut all = [Stride { step: 0, num: 1 }; 4];
        all[4 - pairs.len()..].copy_from_slice(&pairs);
        Ok(Self(all))
    }

    fn spell(&self) -> String {
        "...".to_owned()
    }
}

/// Axes to reduce over, as a bit set of non-negative axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axes {
    values: [i8; 6],
    len: u8,
}

impl Axes {
    /// The axes of a tile with `rank` dimensions, ascending, negative ones counted from the end.
    ///
    /// # Errors
    /// An axis that the tile does not have, or one given twice.
    pub fn resolve(&self, rank: usize) -> Result<Vec<usize>, Fault> {
        let mut axes = Vec::new();
        for &axis in &self.values[..usize::from(self.len)] {
            let at = if axis < 0 {
                i64::from(axis) + rank as i64
            } else {
                i64::from(axis)
            };
            let Some(at) = usize::try_from(at).ok().filter(|&at| at < rank && !axes.contains(&at)) else {
                let message =
                    format!("axis {axis} does not name a free dimension of a tile with {rank} dimensions once");
                return Err(Fault::new(Code::Shape, message).on("axis").hint(format!(
                    "free dimensions are 1 to {}; the last one is -1 too",
                    rank.saturating_sub(1)
                )));
            };
            axes.push(at);
        }
        axes.sort_unstable();
        Ok(axes)
    }
}

impl Param for Axes {
    const KIND: &'static str = "an axis or a list of axes";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        let list = match arg {
            Arg::Int(axis) => vec![*axis],
            _ => integers(arg).ok_or_else(|| Self::mismatch(arg))?,
        };
        if list.is_empty() || list.len() > 6 {
            return Err(Self::mismatch(arg));
        }
        let mut values = [0; 6];
        for (slot, axis) in values.iter_mut().zip(&list) {
            *slot = i8::try_from(*axis).map_err(|_| Self::mismatch(arg))?;
        }
        Ok(Self {
            values,
            len: list.len() as u8,
        })
    }

    fn spell(&self) -> String {
        "...".to_owned()
    }
}

/// A permutation of up to four axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    values: [u8; 4],
    len: u8,
}

impl Permutation {
    /// The axes in order.
    pub fn axes(&self) -> &[u8] {
        &self.values[..usize::from(self.len)]
    }
}

impl Param for Permutation {
    const KIND: &'static str = "the axes (1, 0), (2, 1, 0) or (3, 1, 2, 0)";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        let list = integers(arg).ok_or_else(|| Self::mismatch(arg))?;
        let values = match list.as_slice() {
            [1, 0] => [1, 0, 0, 0],
            [2, 1, 0] => [2, 1, 0, 0],
            [3, 1, 2, 0] => [3, 1, 2, 0],
            _ => {
                let message =
                    format!("is {list:?}; the DMA engines transpose by (1, 0), (2, 1, 0) or (3, 1, 2, 0) only");
                return Err(Fault::new(Code::Constraint, message)
                    .hint("reach other orders with views before and after, or with nisa.dma_copy of a permuted view"));
            }
        };
        Ok(Self {
            values,
            len: list.len() as u8,
        })
    }

    fn spell(&self) -> String {
        "...".to_owned()
    }
}

/// A position or size in the processing array: rows and columns; `()` if it is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TilePair(pub Option<(u16, u16)>);

impl Param for TilePair {
    const KIND: &'static str = "a pair (rows, columns)";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        let list = integers(arg).ok_or_else(|| Self::mismatch(arg))?;
        let small = |value: i64| u16::try_from(value).map_err(|_| Self::mismatch(arg));
        match list.as_slice() {
            [] => Ok(Self(None)),
            [rows, columns] => Ok(Self(Some((small(*rows)?, small(*columns)?)))),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        self.0
            .map_or_else(|| "()".to_owned(), |(rows, columns)| format!("({rows}, {columns})"))
    }
}

/// For each of 32 partitions, the partition to copy from; 255 leaves it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shuffle(pub [u8; 32]);

impl Shuffle {
    /// The mark of a partition that is left alone.
    pub const KEEP: u8 = 255;
}

impl Param for Shuffle {
    const KIND: &'static str = "a list of 32 partitions (0 to 31, or 255)";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        let list = integers(arg).ok_or_else(|| Self::mismatch(arg))?;
        let mut mask = [Self::KEEP; 32];
        if list.len() != mask.len() {
            let message = format!("has {} entries; one for each of 32 partitions is needed", list.len());
            return Err(Fault::new(Code::Constraint, message)
                .hint("give 32 entries; every quadrant of 32 partitions uses the same ones"));
        }
        for (at, (slot, &from)) in mask.iter_mut().zip(&list).enumerate() {
            if !(0..32).contains(&from) && from != i64::from(Self::KEEP) {
                let message = format!("entry {at} is {from}; entries are 0 to 31, or 255 to leave the partition alone");
                return Err(Fault::new(Code::Constraint, message).hint(
                    "count from the first partition of each quadrant; data goes to another quadrant by nisa.dma_copy",
                ));
            }
            *slot = from as u8;
        }
        Ok(Self(mask))
    }

    fn spell(&self) -> String {
        "...".to_owned()
    }
}

/// A set of cores, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreSet(pub u32);

impl Param for CoreSet {
    const KIND: &'static str = "the tuple of cores (0, 1)";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        let list = integers(arg).ok_or_else(|| Self::mismatch(arg))?;
        if list != [0, 1] {
            let message = format!("is {list:?}; only (0, 1) can meet at a barrier");
            return Err(Fault::new(Code::Constraint, message)
                .hint("write cores=(0, 1)")
                .mend("write cores=(0, 1)", Edit::Set("cores", "(0, 1)".to_owned())));
        }
        Ok(Self(0b11))
    }

    fn spell(&self) -> String {
        "...".to_owned()
    }
}

/// A list of tiles to read, as consecutive views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Views {
    /// The first.
    pub first: ViewId,
    /// How many.
    pub count: u32,
}

impl Views {
    /// The views in order.
    pub fn iter(self) -> impl Iterator<Item = ViewId> {
        (self.first.0..self.first.0 + self.count).map(ViewId)
    }
}

impl Param for Views {
    const KIND: &'static str = "a list of tiles to read";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            Arg::Tensors(first, count) => Ok(Self {
                first: *first,
                count: *count,
            }),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        "...".to_owned()
    }

    fn visit(&self, param: &'static str, visit: &mut dyn FnMut(Operand)) {
        for view in self.iter() {
            visit(Operand {
                param,
                access: Access::Read,
                view,
            });
        }
    }
}
