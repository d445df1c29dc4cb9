//! The numbers of a launch, by the names that NKI users know.
//!
//! Percentages of time are shares of the latency. MFU and HFU are shares of the peak of the cores of the launch at bf16: MFU
//! counts the operations of the algorithm, `mfu_inst` those of the executed instructions (an fp32 multiplication is two), HFU adds
//! transposes. MBU is a share of the bandwidth of the HBM stacks that the cores draw on.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::units::{Bytes, Ps};
use crate::chip::engine::Engine;
use crate::profile::Profile;
use crate::profile::bound::bound;
use crate::profile::intervals::total;
use crate::profile::memory::{Peaks, peaks};
use crate::profile::roofline::{ratio, roofline};
use crate::tensor::buffer::Space;
use crate::timing::timeline::{Track, Transfer};

/// One engine, or DMA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EngineReport {
    /// Time with at least one instruction under way, averaged over cores.
    pub active_ns: f64,
    /// Its share of the latency.
    pub active_percent: f64,
    /// Instructions; for DMA, transfers.
    pub instructions: u64,
}

/// All engines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EngineReports {
    /// Tensor Engine.
    pub tensor: EngineReport,
    /// Vector Engine.
    pub vector: EngineReport,
    /// Scalar Engine.
    pub scalar: EngineReport,
    /// GpSimd Engine.
    pub gpsimd: EngineReport,
    /// Sync Engine.
    pub sync: EngineReport,
    /// DMA engines.
    pub dma: EngineReport,
}

/// A proposal with its proven gain.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// Stable name of the rule.
    pub id: &'static str,
    /// `info`, `warning`.
    pub severity: &'static str,
    /// What to change.
    pub message: String,
    /// Source line.
    pub line: u32,
    /// Proven gain.
    pub gain_percent: f64,
}

/// The summary of a launch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Launch preamble and tail included.
    pub latency_ns: f64,
    /// First instruction to the end of the last.
    pub kernel_ns: f64,
    /// Instructions executed.
    pub instructions: u64,
    /// Engines.
    pub engines: EngineReports,
    /// Metrics by name.
    pub summary: BTreeMap<&'static str, f64>,
    /// Peaks of the memories.
    pub memory: Peaks,
    /// What bounds the launch.
    pub bound_by: &'static str,
    /// Why, in words.
    pub bound_reason: String,
    /// Proposals; only those whose gain is proven.
    pub advice: Vec<Advice>,
}

/// Summarises a launch.
pub fn summarize(profile: &Profile) -> Summary {
    let bound = bound(profile);
    let timeline = &profile.timeline;
    let engines = engines(profile);
    Summary {
        latency_ns: timeline.latency.as_ns(),
        kernel_ns: timeline.kernel_time().as_ns(),
        instructions: timeline.totals.instructions.iter().sum(),
        summary: metrics(profile, &engines),
        engines,
        memory: peaks(profile),
        bound_by: bound.by,
        bound_reason: bound.reason,
        advice: Vec::new(),
    }
}

/// The engines of an average core.
fn engines(profile: &Profile) -> EngineReports {
    let latency = profile.timeline.latency.as_f64();
    let totals = &profile.timeline.totals;
    let one = |engine: Option<Engine>, instructions: u64| {
        let active = profile.active_time(engine);
        EngineReport {
            active_ns: active.as_ns(),
            active_percent: 100.0 * ratio(active.as_f64(), latency),
            instructions,
        }
    };
    let engine = |engine: Engine| one(Some(engine), totals.instructions[engine as usize]);
    EngineReports {
        tensor: engine(Engine::Tensor),
        vector: engine(Engine::Vector),
        scalar: engine(Engine::Scalar),
        gpsimd: engine(Engine::GpSimd),
        sync: engine(Engine::Sync),
        dma: one(None, profile.timeline.transfers.len() as u64),
    }
}

/// All metrics.
fn metrics(profile: &Profile, engines: &EngineReports) -> BTreeMap<&'static str, f64> {
    let mut list = Vec::new();
    time_metrics(profile, &mut list);
    compute_metrics(profile, &mut list);
    memory_metrics(profile, &mut list);
    dma_metrics(profile, engines, &mut list);
    engine_metrics(profile, engines, &mut list);
    list.into_iter().collect()
}

/// A metric and its value.
type Metric = (&'static str, f64);

/// Times in seconds, as the profiler gives them.
fn time_metrics(profile: &Profile, list: &mut Vec<Metric>) {
    let timeline = &profile.timeline;
    let latency = timeline.latency.as_f64();
    let active = total(&profile.active(|_| true)).as_f64();
    let clock = profile.program.chip.engines.core_clock.get().as_f64();
    list.extend([
        ("total_time", latency / 1e12),
        ("total_exec_time", timeline.kernel_time().as_f64() / 1e12),
        ("total_active_time", active / 1e12),
        ("total_active_time_percent", 100.0 * ratio(active, latency)),
        ("neuroncore_cycle_count", (latency / 1e12 * clock).round()),
        ("event_count", timeline.entries.len() as f64),
        ("throttle_active_time_ns", timeline.power_limited.as_ns()),
    ]);
}

/// Operations and their shares of the peak.
fn compute_metrics(profile: &Profile, list: &mut Vec<Metric>) {
    let totals = &profile.timeline.totals;
    let roof = roofline(profile);
    let seconds = profile.timeline.latency.as_f64() / 1e12;
    let share = |flops: f64| 100.0 * ratio(flops, seconds * roof.peak_flops);
    let ceiling = 100.0 * ratio(roof.attainable_flops, roof.peak_flops);
    let hardware = (totals.flops + totals.transpose_flops) as f64;
    list.extend([
        ("model_flops", totals.model_flops as f64),
        ("hardware_flops", hardware),
        ("transpose_flops", totals.transpose_flops as f64),
        ("mm_arithmetic_intensity", roof.intensity),
        ("peak_flops_bandwidth_ratio", roof.knee),
        ("mfu_estimated_percent", share(totals.model_flops as f64)),
        ("mfu_max_achievable_estimated_percent", ceiling),
        ("mfu_inst_estimated_percent", share(totals.flops as f64)),
        ("mfu_inst_max_achievable_estimated_percent", ceiling),
        ("hfu_estimated_percent", share(hardware)),
    ]);
}

/// Traffic of the memories.
fn memory_metrics(profile: &Profile, list: &mut Vec<Metric>) {
    let totals = &profile.timeline.totals;
    let sum = |bytes: fn(&Transfer) -> Bytes| profile.timeline.transfers.iter().map(bytes).sum::<Bytes>().as_f64();
    let peak = roofline(profile).peak_bandwidth * profile.timeline.latency.as_f64() / 1e12;
    let inputs = input_bytes(profile);
    let outputs = output_bytes(profile);
    list.extend([
        ("hbm_read_bytes", sum(|transfer| transfer.hbm_read)),
        ("hbm_write_bytes", sum(|transfer| transfer.hbm_write)),
        ("mbu_estimated_percent", 100.0 * ratio(profile.hbm_bytes(), peak)),
        ("mbu_min_read_util_percent", 100.0 * ratio(inputs, peak)),
        ("inputs_and_weights_size_bytes", inputs),
        ("inputs_outputs_weights_size_bytes", inputs + outputs),
        ("sbuf_read_bytes", totals.sbuf_read.as_f64()),
        ("sbuf_write_bytes", totals.sbuf_write.as_f64()),
        ("psum_read_bytes", totals.psum_read.as_f64()),
        ("psum_write_bytes", totals.psum_write.as_f64()),
    ]);
}

/// Bytes of the array arguments.
fn input_bytes(profile: &Profile) -> f64 {
    let program = &profile.program;
    let arguments = program.arguments.iter();
    arguments
        .map(|&buffer| program.tables.buffers[buffer].bytes() as f64)
        .sum()
}

/// Bytes of the results.
fn output_bytes(profile: &Profile) -> f64 {
    let tables = &profile.program.tables;
    let results = profile.program.results.iter().map(|&view| tables.tile(view));
    results
        .filter(|tile| !matches!(tile.space(), Space::Sbuf | Space::Psum))
        .map(|tile| tile.bytes() as f64)
        .sum()
}

/// Transfers.
fn dma_metrics(profile: &Profile, engines: &EngineReports, list: &mut Vec<Metric>) {
    let transfers = &profile.timeline.transfers;
    let count = transfers.len() as f64;
    let bytes = transfers.iter().map(|transfer| transfer.bytes).sum::<Bytes>().as_f64();
    let packets = transfers
        .iter()
        .map(|transfer| transfer.packet_time)
        .sum::<Ps>()
        .as_f64();
    let time = profile.busy_time(Track::is_dma).as_f64();
    let of = |software: bool| transfers.iter().filter(move |transfer| transfer.software == software);
    let size = |software: bool| of(software).map(|transfer| transfer.bytes).sum::<Bytes>().as_f64();
    let descriptors = |software: bool| of(software).map(|transfer| transfer.descriptors).sum::<u64>() as f64;
    let queues = profile.rows.iter().filter(|row| row.track.is_dma()).count();
    let clock = profile.program.chip.engines.core_clock.get().as_f64();
    list.extend([
        ("dma_active_time", engines.dma.active_ns / 1e9),
        ("dma_active_time_percent", engines.dma.active_percent),
        ("dma_active_cycles", (engines.dma.active_ns / 1e9 * clock).round()),
        ("dma_transfer_count", count),
        ("dma_transfer_total_bytes", bytes),
        ("dma_transfer_average_bytes", ratio(bytes, count)),
        ("dma_transfer_time", time / 1e12),
        ("dma_packet_time", packets / 1e12),
        ("dma_queue_count", queues as f64),
        ("hardware_dynamic_dma_packet_count", descriptors(false)),
        ("hardware_dynamic_dma_size", size(false)),
        ("software_dynamic_dma_packet_count", descriptors(true)),
        ("software_dynamic_dma_size", size(true)),
    ]);
}

/// Names of the metrics of each engine: sum of instruction times, active time, its share, count.
const ENGINE_METRICS: [(Engine, [&str; 4]); 5] = [
    (
        Engine::Tensor,
        [
            "tensor_engine_instruction_time",
            "tensor_engine_active_time",
            "tensor_engine_active_time_percent",
            "tensor_engine_instruction_count",
        ],
    ),
    (
        Engine::Vector,
        [
            "vector_engine_instruction_time",
            "vector_engine_active_time",
            "vector_engine_active_time_percent",
            "vector_engine_instruction_count",
        ],
    ),
    (
        Engine::Scalar,
        [
            "scalar_engine_instruction_time",
            "scalar_engine_active_time",
            "scalar_engine_active_time_percent",
            "scalar_engine_instruction_count",
        ],
    ),
    (
        Engine::GpSimd,
        [
            "gpsimd_engine_instruction_time",
            "gpsimd_engine_active_time",
            "gpsimd_engine_active_time_percent",
            "gpsimd_engine_instruction_count",
        ],
    ),
    (
        Engine::Sync,
        [
            "sync_engine_instruction_time",
            "sync_engine_active_time",
            "sync_engine_active_time_percent",
            "sync_engine_instruction_count",
        ],
    ),
];

/// Engines: sum and union of instruction times, share, count.
fn engine_metrics(profile: &Profile, engines: &EngineReports, list: &mut Vec<Metric>) {
    let sum = |engine: Engine| {
        let entries = profile
            .timeline
            .entries
            .iter()
            .filter(|entry| entry.track.engine() == Some(engine));
        entries.map(|entry| entry.done - entry.start).sum::<Ps>().as_f64() / 1e12
    };
    list.push(("matmul_instruction_count", profile.timeline.totals.matmuls as f64));
    let reports = [
        engines.tensor,
        engines.vector,
        engines.scalar,
        engines.gpsimd,
        engines.sync,
    ];
    for ((engine, names), report) in ENGINE_METRICS.iter().zip(reports) {
        let values = [
            sum(*engine),
            report.active_ns / 1e9,
            report.active_percent,
            report.instructions as f64,
        ];
        list.extend(names.iter().copied().zip(values));
    }
}
