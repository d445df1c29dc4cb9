//! Hardware access patterns: nested loops of a step and a count, interned because most views share them.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::base::index::{Idx, IndexVec};
use crate::index_type;
use crate::numerics::dtype::Dtype;

index_type!(
    /// An interned [`AccessPattern`].
    PatternId
);

/// One loop of an access pattern, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim {
    /// Elements between two iterations. 0 repeats (broadcast).
    pub step: i64,
    /// Number of iterations.
    pub num: u32,
}

/// The loops of a pattern. A launch makes one for each operand, and hardly any has more than four, so they lie in place.
pub type Dims = SmallVec<[Dim; 4]>;

/// The shape and steps of a view, in elements of `dtype`.
///
/// On chip the first dimension is the partition dimension; its step is the number of elements that the buffer has in one
/// partition, exactly as `NkiTensor.ap` counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AccessPattern {
    /// How the bits are read.
    pub dtype: Dtype,
    /// Loops, outermost first.
    pub dims: Dims,
}

impl AccessPattern {
    /// Sizes of the dimensions.
    pub fn shape(&self) -> Vec<u32> {
        self.dims.iter().map(|dim| dim.num).collect()
    }

    /// Product of all sizes.
    pub fn elements(&self) -> u64 {
        self.dims.iter().map(|dim| u64::from(dim.num)).product()
    }

    /// Product of all sizes but the first: the elements in one partition of an on-chip tile.
    pub fn free_elements(&self) -> u64 {
        self.dims.iter().skip(1).map(|dim| u64::from(dim.num)).product()
    }
}

/// All access patterns of a launch, each stored once.
#[derive(Clone, Debug, Default)]
pub struct PatternTable {
    patterns: IndexVec<PatternId, AccessPattern>,
    ids: FxHashMap<AccessPattern, PatternId>,
}

impl PatternTable {
    /// The id of `pattern`, which is stored if it is new.
    pub fn intern(&mut self, pattern: AccessPattern) -> PatternId {
        if let Some(&id) = self.ids.get(&pattern) {
            return id;
        }
        let id = self.patterns.push(pattern.clone());
        self.ids.insert(pattern, id);
        id
    }

    /// The pattern `id`.
    pub fn get(&self, id: PatternId) -> &AccessPattern {
        &self.patterns.as_slice()[id.as_usize()]
    }
}
