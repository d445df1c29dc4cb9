//! Where the elements of a view lie in the storage of its buffer, as loops over byte offsets.

use crate::tensor::tables::Tile;

/// Most loops that a view can have.
pub const MAX_DIMS: usize = 8;

/// One loop over byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Hop {
    /// Iterations.
    pub num: usize,
    /// Bytes between two iterations.
    pub step: isize,
}

/// Place of a buffer in its storage: byte offset of its first byte, and bytes between two partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Index of the storage.
    pub store: usize,
    /// First byte.
    pub base: usize,
    /// Bytes from one partition to the next.
    pub pitch: usize,
}

/// Loops of a view over bytes, outermost first; loops that continue each other are merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Byte offset of the first element.
    pub base: isize,
    /// Bytes of one element.
    pub elem: usize,
    /// Number of elements.
    pub count: usize,
    /// Loops; those beyond `rank` are unused.
    hops: [Hop; MAX_DIMS],
    /// Number of loops.
    rank: usize,
    /// Byte offsets element by element, for views with run-time indices; `usize::MAX` is left out.
    pub table: Option<Vec<usize>>,
}

/// A run of elements at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Position of its first element in the order of the view.
    pub at: usize,
    /// Byte offset of its first element.
    pub offset: usize,
    /// Number of elements.
    pub count: usize,
    /// Bytes between two elements.
    pub step: isize,
}

impl Layout {
    /// The loops of `tile`, shifted by `shift` elements; `skip_first` leaves out the first dimension.
    pub fn of(tile: &Tile, place: Placement, shift: i64, skip_first: bool) -> Self {
        let elem = tile.dtype().bytes() as usize;
        let offset = tile.view.offset as i64 + shift;
        let row = tile.buffer.row_elements(tile.dtype()).max(1) as i64;
        let on_chip = tile.space().is_on_chip();
        let bytes = |elements: i64, partitioned: bool| {
            if on_chip && partitioned {
                elements.div_euclid(row) as isize * place.pitch as isize
                    + elements.rem_euclid(row) as isize * elem as isize
            } else {
                elements as isize * elem as isize
            }
        };
        let mut layout = Self {
            base: place.base as isize + bytes(offset, true),
            elem,
            count: 1,
            hops: [Hop::default(); MAX_DIMS],
            rank: 0,
            table: None,
        };
        for (at, dim) in tile.pattern.dims.iter().enumerate().skip(usize::from(skip_first)) {
            layout.push(Hop {
                num: dim.num as usize,
                step: bytes(dim.step, at == 0),
            });
        }
        layout
    }

    /// Adds an inner loop.
    fn push(&mut self, hop: Hop) {
        self.count *= hop.num;
        if hop.num == 1 {
            return;
        }
        if let Some(outer) = self.rank.checked_sub(1).map(|at| &mut self.hops[at])
            && outer.step == hop.step * hop.num as isize
        {
            *outer = Hop {
                num: outer.num * hop.num,
                step: hop.step,
            };
            return;
        }
        if self.rank < MAX_DIMS {
            self.hops[self.rank] = hop;
            self.rank += 1;
        }
    }

    /// The loops.
    pub fn hops(&self) -> &[Hop] {
        &self.hops[..self.rank]
    }

    /// Smallest and largest byte offset of an element, the largest plus the element's size.
    pub fn extent(&self) -> (isize, isize) {
        let reach = |hop: &Hop| hop.step * (hop.num as isize - 1).max(0);
        let low: isize = self.hops().iter().map(|hop| reach(hop).min(0)).sum();
        let high: isize = self.hops().iter().map(|hop| reach(hop).max(0)).sum();
        (self.base + low, self.base + high + self.elem as isize)
    }

    /// Whether the innermost loop steps from one element to the next.
    pub fn is_dense(&self) -> bool {
        self.table.is_none() && self.hops().last().is_none_or(|hop| hop.step == self.elem as isize)
    }

    /// Calls `visit` for each run, in the order of the view. Bounds were checked against [`Self::extent`].
    pub fn runs(&self, mut visit: impl FnMut(Run)) {
        if let Some(table) = &self.table {
            for (at, &offset) in table.iter().enumerate() {
                if offset != usize::MAX {
                    visit(Run {
                        at,
                        offset,
                        count: 1,
                        step: 0,
                    });
                }
            }
            return;
        }
        if self.count == 0 {
            return;
        }
        let unit = Hop {
            num: 1,
            step: self.elem as isize,
        };
        let (inner, outer) = match self.hops().split_last() {
            Some((inner, outer)) => (*inner, outer),
            None => (unit, &[][..]),
        };
        let mut index = [0_usize; MAX_DIMS];
        let mut offset = self.base;
        let mut at = 0;
        loop {
            visit(Run {
                at,
                offset: offset as usize,
                count: inner.num,
                step: inner.step,
            });
            at += inner.num;
            let mut dim = outer.len();
            loop {
                if dim == 0 {
                    return;
                }
                dim -= 1;
                index[dim] += 1;
                offset += outer[dim].step;
                if index[dim] < outer[dim].num {
                    break;
                }
                offset -= outer[dim].step * outer[dim].num as isize;
                index[dim] = 0;
            }
        }
    }

    /// Byte offsets of all elements in the order of the view.
    pub fn offsets(&self) -> Vec<usize> {
        if let Some(table) = &self.table {
            return table.clone();
        }
        let mut offsets = Vec::with_capacity(self.count);
        self.runs(|run| {
            offsets.extend((0..run.count).map(|at| (run.offset as isize + at as isize * run.step) as usize));
        });
        offsets
    }
}
