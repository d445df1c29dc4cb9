//! Meetings of cores: instructions that wait for other cores before they take effect.

use crate::tensor::view::ViewId;

/// What a core waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rendezvous {
    /// All cores of the set (bit i is core i) reach a barrier.
    Barrier {
        /// The cores, as a bit set.
        cores: u32,
    },
    /// The partners exchange tiles.
    SendRecv {
        /// Tile that this core sends.
        src: ViewId,
        /// Tile that this core receives into.
        dst: ViewId,
        /// Core that gets `src`.
        to: u32,
        /// Core that `dst` comes from.
        from: u32,
        /// Only calls with equal pipes meet.
        pipe: i32,
    },
}
