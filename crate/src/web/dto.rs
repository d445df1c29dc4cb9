//! What the page is told of a finished run, beside the report.

use serde::Serialize;

use crate::profile::Profile;
use crate::profile::roofline::roofline;
use crate::simulation::Simulation;
use crate::simulation::console::ConsoleLine;
use crate::simulation::report::Report;
use crate::timing::timeline::Track;

/// The whole answer to a run.
#[derive(Serialize)]
pub struct Outcome {
    /// What the command line writes too.
    pub report: Report,
    /// One for each launch of the report.
    pub launches: Vec<LaunchInfo>,
    /// The output, call by call.
    pub console: Vec<ConsoleLine>,
}

impl Outcome {
    /// What `simulation` found.
    pub fn new(simulation: &Simulation) -> Self {
        let report = simulation.report();
        let profiles = (0..report.launches.len()).filter_map(|at| simulation.profile(at));
        Self {
            launches: profiles.map(LaunchInfo::new).collect(),
            console: simulation.console(),
            report,
        }
    }
}

/// What a launch offers besides its report.
#[derive(Serialize)]
pub struct LaunchInfo {
    /// Its length in picoseconds.
    pub end_ps: u64,
    /// Rows of its timeline.
    pub tracks: Vec<TrackInfo>,
    /// Capacities that the charts are drawn against.
    pub limits: Limits,
}

/// A row of the timeline.
#[derive(Serialize)]
pub struct TrackInfo {
    /// Its number in questions; a row without entries has one that no row has.
    pub id: usize,
    /// `engine` or `dma`.
    pub kind: &'static str,
    /// The engine, or `dma`.
    pub engine: &'static str,
    /// The part of an engine that has several; empty otherwise.
    pub part: &'static str,
    /// The core, if the launch has several.
    pub core: Option<u8>,
    /// The DMA queue.
    pub queue: Option<u8>,
}

/// Capacities.
#[derive(Serialize)]
pub struct Limits {
    /// SBUF bytes of a partition that a kernel can allocate.
    pub sbuf_bytes_per_partition: u64,
    /// PSUM banks of a partition.
    pub psum_banks: u32,
    /// HBM bandwidth of the cores of the launch, the denominator of MBU.
    pub hbm_gbps: f64,
}

impl LaunchInfo {
    /// Reads it off a profile.
    fn new(profile: &Profile) -> Self {
        let memory = &profile.program.chip.memory;
        Self {
            end_ps: profile.timeline.latency.0,
            tracks: tracks(profile),
            limits: Limits {
                sbuf_bytes_per_partition: memory.sbuf_usable_bytes.get().0,
                psum_banks: memory.psum_banks.get(),
                hbm_gbps: roofline(profile).peak_bandwidth / 1e9,
            },
        }
    }
}

/// All engines of every core, busy or not, then the DMA queues that were used.
fn tracks(profile: &Profile) -> Vec<TrackInfo> {
    let cores = profile.program.cores.len() as u8;
    let mut list = Vec::new();
    for core in 0..cores {
        for track in (0..Track::ENGINES as u8).map(Track) {
            let row = profile
                .rows
                .iter()
                .position(|row| row.core == core && row.track == track);
            list.push(track_info(
                row.unwrap_or(usize::MAX),
                track,
                (cores > 1).then_some(core),
            ));
        }
        for (at, row) in profile
            .rows
            .iter()
            .enumerate()
            .filter(|(_, row)| row.core == core && row.track.is_dma())
        {
            list.push(track_info(at, row.track, (cores > 1).then_some(core)));
        }
    }
    list
}

/// The description of row number `id`.
fn track_info(id: usize, track: Track, core: Option<u8>) -> TrackInfo {
    let engine = track.engine();
    TrackInfo {
        id,
        kind: if engine.is_some() { "engine" } else { "dma" },
        engine: engine.map_or("dma", crate::chip::engine::Engine::name),
        part: match track {
            Track::LOAD_STATIONARY => "load_stationary",
            Track::MULTIPLY_MOVING => "multiply_moving",
            _ => "",
        },
        core,
        queue: engine.is_none().then(|| track.0 - Track::ENGINES as u8),
    }
}
