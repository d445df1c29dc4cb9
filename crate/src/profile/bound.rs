//! What bounds a kernel: the resource that is occupied for most of its time.

use serde::Serialize;

use crate::base::units::{BytesPerSec, Ps};
use crate::chip::engine::Engine;
use crate::profile::Profile;
use crate::profile::roofline::{ratio, stacks};
use crate::timing::timeline::Track;

/// Share of the kernel's time below which no resource bounds it; then waiting does.
const BOUND_SHARE: f64 = 0.5;

/// A resource and how busy it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bound {
    /// `tensor`, `vector`, `scalar`, `gpsimd`, `sync`, `dma`, `hbm` or `latency`.
    pub by: &'static str,
    /// Share of the kernel's time that it was occupied, in percent.
    pub percent: f64,
    /// In words.
    pub reason: String,
}

/// The shares of all resources, in the order of [`Bound::by`].
fn shares(profile: &Profile) -> Vec<(&'static str, f64, String)> {
    let time = profile.timeline.kernel_time().as_f64() * profile.program.cores.len().max(1) as f64;
    let share = |busy: Ps| ratio(busy.as_f64(), time);
    let engine = |engine: Engine| {
        let busy = share(profile.busy_time(|track| track == Track::of(engine)));
        let text = format!(
            "the {} is occupied {:.0} % of the kernel's time",
            engine.title(),
            busy * 100.0
        );
        (engine.name(), busy, text)
    };
    let mut list: Vec<_> = Engine::ALL.iter().map(|&at| engine(at)).collect();
    list.push(("dma", dma_share(profile, time), dma_reason(profile, time)));
    list.push(hbm_share(profile));
    list
}

/// Share of time that the DMA engines, or the queue that triggers transfers, are occupied.
fn dma_share(profile: &Profile, time: f64) -> f64 {
    let (engines, triggers) = dma_parts(profile, time);
    engines.max(triggers)
}

/// Share of the DMA engines, and of triggers.
fn dma_parts(profile: &Profile, time: f64) -> (f64, f64) {
    let transfers = &profile.timeline.transfers;
    let packets: Ps = transfers.iter().map(|transfer| transfer.packet_time).sum();
    let count = f64::from(profile.program.chip.dma.engines.get());
    let triggers = profile.busy_time(|track| track == Track::SYNC);
    (ratio(packets.as_f64(), time * count), ratio(triggers.as_f64(), time))
}

/// Why DMA bounds, in words.
fn dma_reason(profile: &Profile, time: f64) -> String {
    let (engines, triggers) = dma_parts(profile, time);
    let count = profile.timeline.transfers.len().max(1) as f64;
    let bytes: f64 = profile
        .timeline
        .transfers
        .iter()
        .map(|transfer| transfer.bytes.as_f64())
        .sum();
    if triggers > engines {
        return format!(
            "triggering transfers occupies the Sync queue {:.0} % of the kernel's time: {count} transfers of {:.0} bytes on average",
            triggers * 100.0,
            bytes / count
        );
    }
    format!(
        "the DMA engines are occupied {:.0} % of the kernel's time",
        engines * 100.0
    )
}

/// Share of the HBM bandwidth that was used.
fn hbm_share(profile: &Profile) -> (&'static str, f64, String) {
    let chip = profile.program.chip;
    let peak = chip.memory.hbm_stack_rate.get().as_f64() * stacks(chip, profile.program.cores.len());
    let seconds = profile.timeline.kernel_time().as_f64() / 1e12;
    let share = ratio(profile.hbm_bytes(), seconds * peak);
    let peak = BytesPerSec(peak as u64).as_f64() / 1e9;
    (
        "hbm",
        share,
        format!(
            "HBM moves {:.0} % of its {peak:.0} GB/s during the kernel",
            share * 100.0
        ),
    )
}

/// What bounds the launch.
pub fn bound(profile: &Profile) -> Bound {
    let mut most = ("latency", 0.0, "nothing runs".to_owned());
    for item in shares(profile) {
        // Triggers are the Sync Engine's main work; where they dominate, transfers are what the user can change.
        if item.1 > most.1 || (item.0 == "dma" && item.1 >= most.1) {
            most = item;
        }
    }
    let (by, share, reason) = most;
    if share < BOUND_SHARE {
        return Bound {
            by: "latency",
            percent: share * 100.0,
            reason: format!("no resource is busy for half of the time; the busiest: {reason}"),
        };
    }
    Bound {
        by,
        percent: share * 100.0,
        reason,
    }
}
