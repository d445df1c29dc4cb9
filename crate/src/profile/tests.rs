//! Summaries, windows and series of small schedules.

use std::rc::Rc;

use super::*;
use crate::base::span::SourceFile;
use crate::chip::engine::Engine;
use crate::numerics::dtype::Dtype;
use crate::profile::counters::{Counter, sample};
use crate::profile::intervals::Window;
use crate::profile::summary::summarize;
use crate::tensor::buffer::Space;
use crate::timing::Options;
use crate::timing::tests::{Kernel, product, schedule};

/// The profile of a program, with a source of one line.
fn profile(program: Rc<Program>) -> (Profile, SourceMap) {
    let mut sources = SourceMap::default();
    sources.add(SourceFile::new("kernel.py", "x = f()\n"));
    let timeline = schedule(&program, Options::default());
    (Profile::new(program, timeline, &sources), sources)
}

/// A product of 512 x 1024 x 1024 in bf16.
fn small() -> (Profile, SourceMap) {
    profile(product("trn3", Dtype::Bf16, (512, 1024, 1024), true))
}

#[test]
fn bytes_and_operations_are_those_of_the_kernel() {
    let (profile, _) = small();
    let summary = summarize(&profile).summary;
    let (m, k, n) = (512.0, 1024.0, 1024.0);
    assert_eq!(summary["model_flops"], 2.0 * m * k * n);
    assert_eq!(summary["hardware_flops"], 2.0 * m * k * n);
    assert_eq!(summary["transpose_flops"], 0.0);
    // Each row block loads its stationary tiles once and all moving tiles.
    assert_eq!(summary["hbm_read_bytes"], 2.0 * (m * k + 4.0 * k * n));
    assert_eq!(summary["hbm_write_bytes"], 2.0 * m * n);
    // Eight multiplications add to a sum where it is stored; the copy reads it once.
    assert_eq!(summary["psum_write_bytes"], 4.0 * m * n * 8.0);
    assert_eq!(summary["psum_read_bytes"], 4.0 * m * n);
    assert_eq!(summary["matmul_instruction_count"], 64.0);
    assert_eq!(summary["inputs_and_weights_size_bytes"], 0.0);
}

#[test]
fn shares_follow_their_formulas() {
    let (profile, _) = small();
    let all = summarize(&profile);
    let seconds = all.latency_ns / 1e9;
    let mfu = 100.0 * all.summary["model_flops"] / (seconds * 78.6432e12);
    assert!((all.summary["mfu_estimated_percent"] - mfu).abs() < 1e-9);
    let bytes = all.summary["hbm_read_bytes"] + all.summary["hbm_write_bytes"];
    let mbu = 100.0 * bytes / (seconds * 1225e9);
    assert!((all.summary["mbu_estimated_percent"] - mbu).abs() < 1e-9);
    assert!((all.summary["total_time"] - seconds).abs() < 1e-15);
    assert_eq!(all.latency_ns, profile.timeline.latency.as_ns());
    assert!(all.engines.tensor.active_percent <= 100.0);
    assert!(all.summary["tensor_engine_instruction_time"] >= all.summary["tensor_engine_active_time"]);
}

#[test]
fn peaks_are_the_fullest_moments_of_the_schedule() {
    let (profile, _) = small();
    let residents = memory::residents(&profile);
    // The level can only rise where a tensor arrives, so these instants suffice.
    let level = |space: Space, at: u64| {
        let there = residents
            .iter()
            .filter(|one| one.space == space && one.from_ps <= at && at < one.to_ps);
        there.map(|one| one.bytes).sum::<u64>()
    };
    let highest = |space: Space| residents.iter().map(|one| level(space, one.from_ps)).max().unwrap();
    let peaks = memory::peaks(&profile);
    assert_eq!(peaks.sbuf_peak_bytes_per_partition, highest(Space::Sbuf));
    // Each accumulator of this program fills one bank of 2 KiB.
    assert_eq!(u64::from(peaks.psum_peak_banks) * 2048, highest(Space::Psum));
    assert_eq!(peaks.hbm_peak_bytes, 2 * (512 * 1024 + 1024 * 1024 + 512 * 1024));
}

#[test]
fn the_naive_product_is_bound_by_dma_and_a_long_one_by_its_engine() {
    let (naive, _) = profile(product("trn2", Dtype::F32, (256, 2048, 2048), false));
    assert_eq!(summarize(&naive).bound_by, "dma");
    let mut kernel = Kernel::on("trn2", Dtype::F32);
    let tile = kernel.tile(Space::Sbuf, 128, 4096);
    for _ in 0..100 {
        kernel.copy(tile, tile, Engine::Vector);
    }
    let (chain, _) = profile(kernel.finish());
    assert_eq!(summarize(&chain).bound_by, "vector");
}

#[test]
fn a_window_merges_what_is_narrower_than_a_pixel() {
    let (profile, _) = small();
    let row = profile
        .rows
        .iter()
        .position(|row| row.track == Track::MULTIPLY_MOVING)
        .unwrap();
    let end = profile.timeline.latency;
    let fine = lod::window(&profile, row, Ps::ZERO, end, 100_000);
    assert_eq!(fine.count.iter().sum::<u32>(), 64);
    assert!(fine.count.iter().all(|&count| count == 1));
    let coarse = lod::window(&profile, row, Ps::ZERO, end, 10);
    assert_eq!(coarse.count.iter().sum::<u32>(), 64);
    assert!(coarse.start.len() <= 10);
    assert!(coarse.line.iter().all(|&line| line == 1));
    assert_eq!(coarse.names, ["nc_matmul"]);
    for at in 1..coarse.start.len() {
        assert!(coarse.start[at] >= coarse.end[at - 1]);
    }
}

#[test]
fn series_add_up_to_the_totals() {
    let (profile, _) = small();
    let window = Window {
        from: Ps::ZERO,
        to: profile.timeline.latency,
        buckets: 37,
    };
    let sum = |counter| sample(&profile, counter, window).iter().sum::<f64>() * window.bucket() / 1000.0;
    let summary = summarize(&profile).summary;
    assert!((sum(Counter::HbmRead) / summary["hbm_read_bytes"] - 1.0).abs() < 1e-9);
    assert!((sum(Counter::HbmWrite) / summary["hbm_write_bytes"] - 1.0).abs() < 1e-9);
    let banks = sample(&profile, Counter::PsumBanks, window);
    assert!(banks.iter().all(|&count| (0.0..=8.0).contains(&count)));
    assert!(banks.iter().any(|&count| count > 0.0));
    let held = sample(&profile, Counter::SbufBytes, window);
    assert!(held.iter().all(|&bytes| bytes <= 240.0 * 1024.0));
    assert_eq!(Counter::from_name("busy:3"), Some(Counter::Busy(3)));
    assert_eq!(Counter::from_name("nonsense"), None);
}

#[test]
fn details_say_what_an_instruction_waited_for() {
    let (profile, sources) = small();
    let first = profile
        .rows
        .iter()
        .find(|row| row.track == Track::LOAD_STATIONARY)
        .unwrap()
        .entries[0];
    let details = details::instruction(&profile, first, &sources).unwrap();
    assert_eq!((details.name, details.engine, details.line), ("nc_matmul", "tensor", 1));
    assert_eq!(details.waited_for, "the result of dma_copy of line 1");
    assert_eq!(details.operands[1].role, "stationary");
    assert!(details.ready_ps < details.start_ps);
    assert!(details::instruction(&profile, u32::MAX, &sources).is_none());
}

#[test]
fn the_export_is_json_with_every_entry_and_no_overlap_on_a_track() {
    let (profile, sources) = small();
    let text = export::chrome_trace(&[&profile, &profile], &sources);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let tracks = |pid: usize| {
        let of = move |event: &&serde_json::Value| event["name"] == "thread_name" && event["pid"] == pid;
        events.iter().filter(of).count()
    };
    assert!(tracks(0) > Track::ENGINES && tracks(0) == tracks(1) && tracks(2) == 0);
    let events: Vec<_> = events.iter().filter(|event| event["pid"] == 0).collect();
    let bars: Vec<_> = events.iter().filter(|event| event["ph"] == "X").collect();
    assert_eq!(bars.len(), profile.timeline.entries.len());
    let mut ends = std::collections::BTreeMap::new();
    for bar in bars {
        let (start, length) = (bar["ts"].as_f64().unwrap(), bar["dur"].as_f64().unwrap());
        let end: &mut f64 = ends.entry(bar["tid"].as_u64().unwrap()).or_insert(0.0);
        assert!(start + 1e-9 >= *end);
        *end = start + length;
        assert!(bar["args"]["line"].as_u64() == Some(1));
    }
}

#[test]
fn empty_kernels_take_the_launch() {
    let (profile, _) = profile(Kernel::on("trn3", Dtype::F32).finish());
    let summary = summarize(&profile);
    assert_eq!(
        (summary.latency_ns, summary.kernel_ns, summary.instructions),
        (15_000.0, 0.0, 0)
    );
    assert_eq!(summary.bound_by, "latency");
    assert!(summary.summary.values().all(|value| value.is_finite()));
}
