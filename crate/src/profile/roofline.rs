//! The roofline: where the kernel stands between compute and HBM.

use serde::Serialize;

use crate::base::units::Ps;
use crate::chip::Chip;
use crate::profile::Profile;

/// The roofline of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Roofline {
    /// Peak of the Tensor Engines of the launch for bf16, operations a second.
    pub peak_flops: f64,
    /// Peak HBM bandwidth of the stacks of the launch, bytes a second.
    pub peak_bandwidth: f64,
    /// Operations a byte of HBM traffic; transposes left out.
    pub intensity: f64,
    /// Operations a second that the intensity allows.
    pub attainable_flops: f64,
    /// Intensity at which both peaks meet.
    pub knee: f64,
}

/// Peak bf16 operations a second of the Tensor Engine of one core.
pub fn core_peak(chip: &Chip) -> f64 {
    let size = f64::from(chip.engines.array_size.get());
    2.0 * size * size * chip.engines.tensor_clock.get().as_f64()
}

/// HBM stacks that the cores of a launch draw on.
pub fn stacks(chip: &Chip, cores: usize) -> f64 {
    cores.div_ceil(chip.memory.cores_per_stack.get().max(1) as usize) as f64
}

/// `amount` a second over `time`; 0 for no time.
pub fn per_second(amount: f64, time: Ps) -> f64 {
    if time == Ps::ZERO {
        0.0
    } else {
        amount * 1e12 / time.as_f64()
    }
}

/// `part / whole`; 0 for an empty whole.
pub fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

/// The roofline of a launch.
pub fn roofline(profile: &Profile) -> Roofline {
    let chip = profile.program.chip;
    let cores = profile.program.cores.len();
    let totals = &profile.timeline.totals;
    let peak_flops = core_peak(chip) * cores as f64;
    let peak_bandwidth = chip.memory.hbm_stack_rate.get().as_f64() * stacks(chip, cores);
    let intensity = ratio(totals.flops as f64, profile.hbm_bytes());
    Roofline {
        peak_flops,
        peak_bandwidth,
        intensity,
        attainable_flops: peak_flops.min(intensity * peak_bandwidth),
        knee: ratio(peak_flops, peak_bandwidth),
    }
}

impl Profile {
    /// HBM bytes read and written.
    pub fn hbm_bytes(&self) -> f64 {
        let transfers = self.timeline.transfers.iter();
        transfers.map(|one| (one.hbm_read + one.hbm_write).as_f64()).sum()
    }
}
