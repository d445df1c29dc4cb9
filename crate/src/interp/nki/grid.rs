//! Launch grids.
//!
//! A grid of one number is the number of logical cores: `kernel[2](...)` runs one program on each of two physical cores that
//! share HBM. Kernels of the older dialect may have grids of any size and several axes; their programs run one after the other on
//! one core, or on as many as an axis made with `nl.spmd_dim` names.

use crate::base::diag::{Code, Fault};
use crate::chip::Chip;
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;

use super::legacy::{Cores, SpmdDim};

/// The most programs of an older grid.
const MAX_PROGRAMS: u32 = 4096;

/// One axis of a launch grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    size: u32,
    /// Cores that share the axis.
    cores: u32,
    /// Whether each core runs a block of neighbours; else neighbours run on different cores.
    blocked: bool,
}

/// The grid of a launch; without axes it is one program on one core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchGrid {
    axes: Vec<Axis>,
    legacy: bool,
    /// The most physical cores that the target gives a launch.
    most: u32,
}

/// One axis of a grid expression.
fn axis(item: &Value) -> Result<Axis> {
    let blocked = item.downcast::<SpmdDim>().is_some_and(|dim| dim.blocked);
    let (size, cores) = if let Some(dim) = item.downcast::<SpmdDim>() {
        (dim.size, dim.cores)
    } else if let Some(cores) = item.downcast::<Cores>() {
        (cores.0, cores.0)
    } else {
        let size = item.as_int();
        (
            size.ok_or_else(|| Raised::type_error("a launch grid consists of integers"))?,
            1,
        )
    };
    match (u32::try_from(size), u32::try_from(cores)) {
        (Ok(size), Ok(cores)) if size > 0 && cores > 0 => Ok(Axis { size, cores, blocked }),
        _ => Err(Raised::value_error(format!(
            "a launch grid needs positive sizes, got {size}"
        ))),
    }
}

impl LaunchGrid {
    /// The grid of `kernel[items]`.
    ///
    /// # Errors
    /// Sizes that no launch can have.
    pub fn new(chip: &Chip, kernel: &str, items: &[Value], legacy: bool) -> Result<Self> {
        let axes = items.iter().map(axis).collect::<Result<Vec<_>>>()?;
        let programs = axes
            .iter()
            .fold(1_u64, |all, axis| all.saturating_mul(u64::from(axis.size)));
        let cores = chip.launch.logical_cores;
        let limit = if legacy { MAX_PROGRAMS } else { cores.get() };
        if programs <= u64::from(limit) && (legacy || axes.len() == 1) {
            let most = cores.get();
            return Ok(Self { axes, legacy, most });
        }
        if legacy {
            let message = format!("a launch grid of {programs} programs is above the limit of {limit}");
            return Err(Fault::new(Code::Limit, message).into());
        }
        let sizes: Vec<String> = axes.iter().map(|axis| axis.size.to_string()).collect();
        let range = if cores.get() == 1 {
            "1".to_owned()
        } else {
            format!("1 or {}", cores.get())
        };
        let message = format!(
            "{kernel}[{}]: the launch grid is the number of cores; limit {range} on {}",
            sizes.join(", "),
            chip.title
        );
        let fault = Fault::new(Code::Constraint, message).source(cores.source);
        Err(Raised::from(fault).hint(match programs <= 2 {
            true => "choose the target trn2 or trn3, or launch the kernel without a grid",
            false => "loop over tiles inside of the kernel instead",
        }))
    }

    /// Sizes of the axes.
    pub fn sizes(&self) -> Vec<u32> {
        self.axes.iter().map(|axis| axis.size).collect()
    }

    /// Physical cores of a launch.
    pub fn cores(&self) -> u32 {
        if !self.legacy {
            return self.axes.first().map_or(1, |axis| axis.size);
        }
        let shared = self.axes.iter().fold(1_u32, |all, axis| all.saturating_mul(axis.cores));
        shared.min(self.most.max(1))
    }

    /// The program ids that core `core` runs, in order.
    pub fn programs(&self, core: u32) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new()];
        for axis in &self.axes {
            let grown = all
                .iter()
                .flat_map(|ids| (0..axis.size).map(move |id| ids.iter().copied().chain([id]).collect::<Vec<u32>>()));
            all = grown.collect();
        }
        all.retain(|ids| self.core_of(ids) == core);
        all
    }

    /// The core that runs a program.
    fn core_of(&self, ids: &[u32]) -> u32 {
        if !self.legacy {
            return ids.first().copied().unwrap_or(0);
        }
        let pairs = self.axes.iter().zip(ids);
        let place = pairs.fold(0_u32, |core, (axis, id)| {
            let own = if axis.blocked {
                id / (axis.size / axis.cores).max(1)
            } else {
                id % axis.cores
            };
            core.wrapping_mul(axis.cores).wrapping_add(own)
        });
        place % self.cores()
    }
}
