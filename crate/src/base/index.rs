//! Typed `u32` indices and the vectors that they index, after the arenas of compiler back ends.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index into an [`IndexVec`].
pub trait Idx: Copy + Eq {
    /// Makes the index of position `position`.
    fn from_usize(position: usize) -> Self;
    /// The position that this index names.
    fn as_usize(self) -> usize;
}

/// Declares a `u32` index type.
#[macro_export]
macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        pub struct $name(pub u32);

        impl $crate::base::index::Idx for $name {
            fn from_usize(position: usize) -> Self {
                Self(u32::try_from(position).unwrap_or(u32::MAX))
            }
            fn as_usize(self) -> usize {
                self.0 as usize
            }
        }
    };
}

/// A vector indexed by its own index type.
#[derive(Clone, Debug)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    index: PhantomData<I>,
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            index: PhantomData,
        }
    }
}

impl<I: Idx, T> IndexVec<I, T> {
    /// An empty vector.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends an item and returns its index.
    pub fn push(&mut self, item: T) -> I {
        let index = I::from_usize(self.items.len());
        self.items.push(item);
        index
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item at `index`, if there is one.
    pub fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.as_usize())
    }

    /// The items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// The items in order, with their indices.
    pub fn iter_enumerated(&self) -> impl Iterator<Item = (I, &T)> {
        self.items
            .iter()
            .enumerate()
            .map(|(position, item)| (I::from_usize(position), item))
    }

    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Idx, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    fn index(&self, index: I) -> &T {
        &self.items[index.as_usize()]
    }
}

impl<I: Idx, T> IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.as_usize()]
    }
}
