//! What a Trainium generation is: one immutable table per chip, every number with its source.
//!
//! No other module holds a hardware number, and none matches on the generation.

pub mod dma;
pub mod engine;
pub mod memory;
mod trn1;
mod trn2;
mod trn3;

use serde::Serialize;

use crate::chip::dma::Dma;
use crate::chip::engine::Engines;
use crate::chip::memory::Memory;

/// How far a figure can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Stated in the vendor's documents.
    Documented,
    /// Computed from documented figures or read off published measurements.
    Derived,
    /// Chosen by us because nobody knows; the note says why.
    Estimated,
}

/// A hardware figure with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fact<T> {
    /// The figure.
    pub value: T,
    /// How far it can be trusted.
    pub trust: Trust,
    /// Where it comes from.
    pub source: &'static str,
}

impl<T: Copy> Fact<T> {
    /// A figure from the vendor's documents.
    pub const fn documented(value: T, source: &'static str) -> Self {
        Self {
            value,
            trust: Trust::Documented,
            source,
        }
    }

    /// A figure computed from documents or published measurements.
    pub const fn derived(value: T, source: &'static str) -> Self {
        Self {
            value,
            trust: Trust::Derived,
            source,
        }
    }

    /// A figure that we chose.
    pub const fn estimated(value: T, source: &'static str) -> Self {
        Self {
            value,
            trust: Trust::Estimated,
            source,
        }
    }

    /// The figure itself.
    pub const fn get(&self) -> T {
        self.value
    }
}

/// NeuronCore generation, as `nki.isa.nc_version` numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Gen {
    /// NeuronCore-v2: trn1, inf2.
    Gen2 = 2,
    /// NeuronCore-v3: trn2.
    Gen3 = 3,
    /// NeuronCore-v4: trn3.
    Gen4 = 4,
}

/// One chip generation.
#[derive(Debug, Serialize)]
pub struct Chip {
    /// Name of the target on the command line: `trn1`, `trn2`, `trn3`.
    pub name: &'static str,
    /// Marketing name.
    pub title: &'static str,
    /// NeuronCore generation.
    pub generation: Gen,
    /// Physical NeuronCores of a chip.
    pub cores: Fact<u32>,
    /// On-chip and device memories.
    pub memory: Memory,
    /// Compute engines.
    pub engines: Engines,
    /// DMA engines and queues.
    pub dma: Dma,
}

impl Chip {
    /// Every chip, oldest first.
    pub const ALL: &[&'static Self] = &[&trn1::CHIP, &trn2::CHIP, &trn3::CHIP];

    /// The chip called `name`.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().copied().find(|chip| chip.name == name)
    }
}
