//! What a Trainium generation is: one immutable table per chip, every number with its source.
//!
//! No other module holds a hardware number, and none matches on the generation.

pub mod dma;
pub mod engine;
pub mod fact;
pub mod launch;
pub mod memory;
pub mod rules;
mod trn1;
mod trn2;
mod trn3;

use serde::Serialize;

use crate::chip::dma::Dma;
use crate::chip::engine::Engines;
pub use crate::chip::fact::{Fact, Row, Trust};
use crate::chip::launch::Launch;
use crate::chip::memory::Memory;
use crate::chip::rules::Rules;

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
    /// Launch and control flow.
    pub launch: Launch,
    /// What instructions accept.
    pub rules: Rules,
}

impl Chip {
    /// Every chip, oldest first.
    pub const ALL: &[&'static Self] = &[&trn1::CHIP, &trn2::CHIP, &trn3::CHIP];

    /// Every figure with its source, in the order of the groups.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows = vec![Row {
            group: "chip",
            name: "cores",
            value: f64::from(self.cores.get()),
            unit: "",
            trust: self.cores.trust,
            source: self.cores.source,
        }];
        self.memory.rows(&mut rows);
        self.engines.rows(&mut rows);
        self.dma.rows(&mut rows);
        self.launch.rows(&mut rows);
        rows
    }

    /// The chip called `name`.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().copied().find(|chip| chip.name == name)
    }
}
