//! The schedule against rules, floors and published kernel times.

use std::rc::Rc;

use proptest::prelude::*;

use super::*;
use crate::base::span::{FileId, Loc, LocId, Span};
use crate::base::units::Ps;
use crate::chip::Chip;
use crate::chip::engine::Engine;
use crate::isa::Inst;
use crate::isa::ops::copy::TensorCopy;
use crate::isa::ops::dma::DmaCopy;
use crate::isa::ops::matmul::NcMatmul;
use crate::isa::ops::sync::CoreBarrier;
use crate::isa::param::{Accumulate, CoreSet, DgeMode, EngineChoice, In, InOut, OobMode, Out, PerfMode, TilePair};
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::{Buffer, BufferId, Init, Space};
use crate::tensor::pattern::{AccessPattern, Dim};
use crate::tensor::view::ViewId;
use crate::timing::timeline::{Entry, Stall, Track};
use crate::trace::builder::Builder;
use crate::trace::limits::Limits;
use crate::trace::program::Bound;
use crate::trace::program::{Loop, Program, Trip};

/// A kernel written by hand.
pub(crate) struct Kernel {
    builder: Builder,
    loc: LocId,
    dtype: Dtype,
}

impl Kernel {
    pub(crate) fn on(chip: &str, dtype: Dtype) -> Self {
        let mut builder = Builder::new(Chip::by_name(chip).unwrap(), Limits::default());
        builder.begin_core();
        let loc = builder.loc(Loc {
            span: Span::new(FileId(0), 0, 1),
            caller: None,
        });
        Self { builder, loc, dtype }
    }

    /// A matrix buffer.
    pub(crate) fn buffer(&mut self, space: Space, rows: u32, columns: u32) -> BufferId {
        let dtype = if space == Space::Psum { Dtype::F32 } else { self.dtype };
        let buffer = Buffer {
            name: "t".to_owned(),
            space,
            shape: vec![rows, columns],
            dtype,
            address: None,
            init: Init::Unwritten,
            loc: self.loc,
        };
        self.builder.alloc(buffer).unwrap()
    }

    /// `rows` by `columns` of a buffer from a corner on.
    pub(crate) fn view(&mut self, buffer: BufferId, corner: (u32, u32), size: (u32, u32)) -> ViewId {
        let held = &self.builder.tables().buffers[buffer];
        let (dtype, pitch) = (held.dtype, held.shape[1]);
        let dims = smallvec::smallvec![
            Dim {
                step: i64::from(pitch),
                num: size.0,
            },
            Dim { step: 1, num: size.1 },
        ];
        let offset = u64::from(corner.0) * u64::from(pitch) + u64::from(corner.1);
        self.builder.view(buffer, offset, AccessPattern { dtype, dims }, None)
    }

    /// A whole new tile.
    pub(crate) fn tile(&mut self, space: Space, rows: u32, columns: u32) -> ViewId {
        let buffer = self.buffer(space, rows, columns);
        self.view(buffer, (0, 0), (rows, columns))
    }

    fn emit(&mut self, inst: impl Into<Inst>) {
        self.builder.emit(inst.into(), self.loc).unwrap();
    }

    pub(crate) fn dma(&mut self, dst: ViewId, src: ViewId) {
        self.emit(Inst::DmaCopy(DmaCopy {
            dst: Out(dst),
            src: In(src),
            priority: None,
            oob_mode: OobMode::Error,
            dge_mode: DgeMode::Unknown,
            engine: EngineChoice::Unknown,
        }));
    }

    pub(crate) fn copy(&mut self, dst: ViewId, src: ViewId, engine: Engine) {
        self.emit(Inst::TensorCopy(TensorCopy {
            dst: Out(dst),
            src: In(src),
            engine: EngineChoice::On(engine),
        }));
    }

    pub(crate) fn matmul(&mut self, dst: ViewId, stationary: ViewId, moving: ViewId) {
        self.emit(Inst::NcMatmul(NcMatmul {
            dst: InOut(dst),
            stationary: In(stationary),
            moving: In(moving),
            is_stationary_onezero: false,
            is_moving_onezero: false,
            is_transpose: false,
            accumulate: Accumulate::Auto,
            tile_position: TilePair(None),
            tile_size: TilePair(None),
            perf_mode: PerfMode::None,
        }));
    }

    fn barrier(&mut self, data: ViewId) {
        self.emit(Inst::CoreBarrier(CoreBarrier {
            data: In(data),
            cores: CoreSet(3),
            engine: EngineChoice::On(Engine::GpSimd),
        }));
    }

    pub(crate) fn finish(self) -> Rc<Program> {
        Rc::new(self.builder.finish(Rc::from("kernel"), vec![1], Vec::new()))
    }
}

/// The schedule of a program.
pub(crate) fn schedule(program: &Rc<Program>, options: Options) -> Timeline {
    let mut scheduler = Scheduler::new(Rc::clone(program), Vec::new(), options).unwrap();
    while !scheduler.advance(1 << 20) {}
    scheduler.finish()
}

/// Without the power limiter, so that rules show plainly.
const STEADY: Options = Options {
    order: Order::Scheduled,
    power_limit: false,
};

/// Entries of a track.
fn on(timeline: &Timeline, track: Track) -> Vec<Entry> {
    timeline
        .entries
        .iter()
        .filter(|entry| entry.track == track)
        .copied()
        .collect()
}

/// A tiled product of `m` by `k` and `k` by `n`; `hoist` loads the stationary tiles of a row block once.
pub(crate) fn product(chip: &str, dtype: Dtype, (m, k, n): (u32, u32, u32), hoist: bool) -> Rc<Program> {
    let mut kernel = Kernel::on(chip, dtype);
    let lhs = kernel.buffer(Space::Hbm, k, m);
    let rhs = kernel.buffer(Space::Hbm, k, n);
    let out = kernel.buffer(Space::SharedHbm, m, n);
    let steps = k / 128;
    for row in 0..m / 128 {
        let load_left = |kernel: &mut Kernel, step: u32| {
            let tile = kernel.tile(Space::Sbuf, 128, 128);
            let from = kernel.view(lhs, (step * 128, row * 128), (128, 128));
            kernel.dma(tile, from);
            tile
        };
        let load_right = |kernel: &mut Kernel, step: u32, column: u32| {
            let tile = kernel.tile(Space::Sbuf, 128, 512);
            let from = kernel.view(rhs, (step * 128, column * 512), (128, 512));
            kernel.dma(tile, from);
            tile
        };
        let left: Vec<ViewId> = if hoist {
            (0..steps).map(|step| load_left(&mut kernel, step)).collect()
        } else {
            Vec::new()
        };
        for column in 0..n / 512 {
            let sum = kernel.tile(Space::Psum, 128, 512);
            let right: Vec<ViewId> = if hoist {
                (0..steps).map(|step| load_right(&mut kernel, step, column)).collect()
            } else {
                Vec::new()
            };
            for step in 0..steps {
                let stationary = left.get(step as usize).copied();
                let stationary = stationary.unwrap_or_else(|| load_left(&mut kernel, step));
                let moving = right.get(step as usize).copied();
                let moving = moving.unwrap_or_else(|| load_right(&mut kernel, step, column));
                kernel.matmul(sum, stationary, moving);
            }
            let result = kernel.tile(Space::Sbuf, 128, 512);
            kernel.copy(result, sum, Engine::Vector);
            let to = kernel.view(out, (row * 128, column * 512), (128, 512));
            kernel.dma(to, result);
        }
    }
    kernel.finish()
}

#[test]
fn published_matmul_variants_of_trn2() {
    // 4096 x 8192 x 8192 fp32: 39.89 ms naive, 28.20 ms with hoisted loads (kernel optimization tutorial). An eighth of the rows.
    for (hoist, published) in [(false, 39.89), (true, 28.20)] {
        let program = product("trn2", Dtype::F32, (512, 8192, 8192), hoist);
        let timeline = schedule(&program, Options::default());
        let model = timeline.kernel_time().as_ns() * 8.0 / 1e6;
        let error = (model - published).abs() / published;
        assert!(error < 0.1, "model {model} ms, published {published} ms");
    }
}

#[test]
fn a_dependent_load_takes_the_published_time() {
    // 32 KiB: 1,993 ns from the trigger to the semaphore.
    let mut kernel = Kernel::on("trn2", Dtype::F32);
    let hbm = kernel.tile(Space::Hbm, 128, 64);
    let tile = kernel.tile(Space::Sbuf, 128, 64);
    let copy = kernel.tile(Space::Sbuf, 128, 64);
    kernel.dma(tile, hbm);
    kernel.copy(copy, tile, Engine::Vector);
    let timeline = schedule(&kernel.finish(), STEADY);
    let trigger = on(&timeline, Track::SYNC)[0];
    let reader = on(&timeline, Track::VECTOR)[0];
    let wait = (reader.start - trigger.start).as_ns();
    assert!((wait - 1_993.0).abs() < 0.15 * 1_993.0, "{wait}");
    assert_eq!(reader.stall, Stall::Data);
}

#[test]
fn a_store_over_all_engines_takes_the_published_time() {
    // 512 KiB: 2,970 ns from the trigger to the semaphore.
    let mut kernel = Kernel::on("trn2", Dtype::F32);
    let hbm = kernel.tile(Space::Hbm, 128, 1024);
    let tile = kernel.tile(Space::Sbuf, 128, 1024);
    kernel.dma(hbm, tile);
    let timeline = schedule(&kernel.finish(), STEADY);
    let data = on(&timeline, Track::dma(0))[0];
    let whole = (data.done - on(&timeline, Track::SYNC)[0].start).as_ns();
    assert!((whole - 2_970.0).abs() < 0.1 * 2_970.0, "{whole}");
    assert!(((data.end - data.start).as_ns() - 1_261.0).abs() < 5.0);
}

#[test]
fn stationary_loads_hide_behind_multiplications() {
    for (columns, interval) in [(512, 215.3), (128, 55.3)] {
        let mut kernel = Kernel::on("trn2", Dtype::Bf16);
        let sum = kernel.tile(Space::Psum, 128, columns);
        let moving = kernel.tile(Space::Sbuf, 128, columns);
        for _ in 0..32 {
            let stationary = kernel.tile(Space::Sbuf, 128, 128);
            kernel.matmul(sum, stationary, moving);
        }
        let timeline = schedule(&kernel.finish(), STEADY);
        let starts: Vec<Entry> = on(&timeline, Track::MULTIPLY_MOVING);
        let steady = (starts[31].start - starts[1].start).as_ns() / 30.0;
        assert!((steady - interval).abs() < 1.0, "{columns}: {steady}");
    }
}

#[test]
fn a_cold_tensor_engine_runs_at_half_rate() {
    let mut kernel = Kernel::on("trn2", Dtype::Bf16);
    let sum = kernel.tile(Space::Psum, 128, 512);
    let moving = kernel.tile(Space::Sbuf, 128, 512);
    let stationary = kernel.tile(Space::Sbuf, 128, 128);
    for _ in 0..64 {
        kernel.matmul(sum, stationary, moving);
    }
    let timeline = schedule(&kernel.finish(), Options::default());
    let steps = on(&timeline, Track::MULTIPLY_MOVING);
    assert!(((steps[1].start - steps[0].start).as_ns() - 430.7).abs() < 1.0);
    assert!(((steps[63].start - steps[62].start).as_ns() - 215.3).abs() < 1.0);
    assert!(timeline.power_limited > Ps::ZERO);
}

#[test]
fn dependences_order_readers_and_writers() {
    let mut kernel = Kernel::on("trn2", Dtype::F32);
    let a = kernel.tile(Space::Sbuf, 128, 512);
    let b = kernel.tile(Space::Sbuf, 128, 512);
    let c = kernel.tile(Space::Sbuf, 128, 512);
    kernel.copy(b, a, Engine::Vector);
    kernel.copy(c, b, Engine::Scalar);
    kernel.copy(b, a, Engine::Vector);
    let timeline = schedule(&kernel.finish(), STEADY);
    let [first, read, again] = [0, 1, 2].map(|at| timeline.entries[at]);
    assert_eq!(read.start, first.done + Ps::from_ns(12 + 23));
    assert_eq!((read.stall, read.cause), (Stall::Data, 0));
    assert_eq!(again.start, read.end + Ps::from_ns(10 + 23));
    assert_eq!((again.stall, again.cause), (Stall::Anti, 1));
}

#[test]
fn slices_of_one_tile_do_not_depend_on_each_other() {
    let mut kernel = Kernel::on("trn2", Dtype::F32);
    let wide = kernel.buffer(Space::Sbuf, 128, 1024);
    let source = kernel.tile(Space::Sbuf, 128, 512);
    let left = kernel.view(wide, (0, 0), (128, 512));
    let right = kernel.view(wide, (0, 512), (128, 512));
    kernel.copy(left, source, Engine::Vector);
    kernel.copy(right, source, Engine::Scalar);
    let timeline = schedule(&kernel.finish(), STEADY);
    assert_eq!(timeline.entries[0].start, timeline.entries[1].start);
}

#[test]
fn a_buffer_that_reuses_space_waits_for_the_last_reader() {
    let mut kernel = Kernel::on("trn2", Dtype::F32);
    let first = kernel.tile(Space::Sbuf, 128, 40_000);
    let out = kernel.tile(Space::Hbm, 128, 40_000);
    kernel.copy(first, first, Engine::Vector);
    kernel.dma(out, first);
    let second = kernel.tile(Space::Sbuf, 128, 40_000);
    kernel.copy(second, second, Engine::Vector);
    let timeline = schedule(&kernel.finish(), STEADY);
    let store = on(&timeline, Track::dma(0))[0];
    let vector = on(&timeline, Track::VECTOR);
    assert!(vector[1].start >= store.done);
    assert_eq!(vector[1].stall, Stall::Anti);
}

#[test]
fn a_late_store_does_not_hold_up_loads_unless_order_is_as_written() {
    let build = || {
        let mut kernel = Kernel::on("trn2", Dtype::F32);
        let hbm = kernel.tile(Space::Hbm, 128, 512);
        let out = kernel.tile(Space::SharedHbm, 128, 512);
        let tiles = [0; 3].map(|_| kernel.tile(Space::Sbuf, 128, 512));
        kernel.dma(tiles[0], hbm);
        kernel.copy(tiles[1], tiles[0], Engine::Vector);
        kernel.dma(out, tiles[1]);
        kernel.dma(tiles[2], hbm);
        kernel.finish()
    };
    let load_start = |order| {
        let timeline = schedule(
            &build(),
            Options {
                order,
                power_limit: false,
            },
        );
        on(&timeline, Track::SYNC)[2].start
    };
    assert!(load_start(Order::Scheduled) + Ps::from_ns(1000) < load_start(Order::AsWritten));
}

#[test]
fn dynamic_loops_repeat_their_body() {
    let mut kernel = Kernel::on("trn2", Dtype::F32);
    let (a, b) = (kernel.tile(Space::Sbuf, 128, 512), kernel.tile(Space::Sbuf, 128, 512));
    let body = Loop {
        trip: Trip::Range {
            start: Bound::Known(0),
            stop: Bound::Known(7),
            step: 1,
        },
        index: None,
        loc: kernel.loc,
    };
    let id = kernel.builder.begin_loop(body).unwrap();
    kernel.copy(a, b, Engine::Vector);
    kernel.builder.end_loop(id).unwrap();
    let timeline = schedule(&kernel.finish(), STEADY);
    assert_eq!(timeline.entries.len(), 7);
}

#[test]
fn cores_wait_for_each_other_at_a_barrier() {
    let mut kernel = Kernel::on("trn3", Dtype::F32);
    let shared = kernel.tile(Space::SharedHbm, 128, 512);
    let work = kernel.tile(Space::Sbuf, 128, 512);
    for _ in 0..20 {
        kernel.copy(work, work, Engine::Vector);
    }
    kernel.dma(shared, work);
    kernel.barrier(shared);
    kernel.builder.begin_core();
    let shared = kernel.tile(Space::SharedHbm, 128, 512);
    let other = kernel.tile(Space::Sbuf, 128, 512);
    kernel.barrier(shared);
    kernel.dma(other, shared);
    let timeline = schedule(&kernel.finish(), STEADY);
    let store = timeline
        .entries
        .iter()
        .find(|entry| entry.core == 0 && entry.track.is_dma())
        .unwrap();
    let load = timeline
        .entries
        .iter()
        .find(|entry| entry.core == 1 && entry.track == Track::SYNC)
        .unwrap();
    assert!(load.start >= store.done, "{load:?} {store:?}");
    let waits = timeline.entries.iter().filter(|entry| entry.stall == Stall::Meeting);
    assert_eq!(waits.count(), 1);
}

#[test]
fn two_cores_share_the_bandwidth_of_their_stack() {
    let build = |cores: usize| {
        let mut kernel = Kernel::on("trn2", Dtype::F32);
        for core in 0..cores {
            if core > 0 {
                kernel.builder.begin_core();
            }
            for _ in 0..64 {
                let hbm = kernel.tile(Space::Hbm, 128, 8192);
                let tile = kernel.tile(Space::Sbuf, 128, 8192);
                kernel.dma(tile, hbm);
            }
        }
        schedule(&kernel.finish(), STEADY).kernel_time().as_ns()
    };
    let bytes = 64.0 * 128.0 * 8192.0 * 4.0;
    let (one, two) = (build(1), build(2));
    assert!(one > bytes / 435.2 && one < 1.1 * bytes / 435.2, "{one}");
    assert!(two > 2.0 * bytes / 716.0 && two < 1.1 * 2.0 * bytes / 716.0, "{two}");
}

/// A random kernel: loads, copies, multiplications and stores over few tiles.
fn random_kernel(choices: &[(u8, u8, u8, u8)]) -> Rc<Program> {
    let mut kernel = Kernel::on("trn3", Dtype::Bf16);
    let hbm = kernel.buffer(Space::SharedHbm, 512, 2048);
    let sbuf: Vec<BufferId> = (0..4).map(|_| kernel.buffer(Space::Sbuf, 128, 1024)).collect();
    let psum: Vec<BufferId> = (0..3).map(|_| kernel.buffer(Space::Psum, 128, 512)).collect();
    for &(kind, a, b, c) in choices {
        let pick = |kernel: &mut Kernel, choice: u8, columns: u32| {
            let corner = u32::from(choice / 4 % 2) * 512;
            kernel.view(sbuf[usize::from(choice) % 4], (0, corner), (128, columns))
        };
        let place = (u32::from(c) % 4 * 128, u32::from(c) / 4 % 4 * 512);
        match kind % 5 {
            0 => {
                let (to, from) = (pick(&mut kernel, a, 512), kernel.view(hbm, place, (128, 512)));
                kernel.dma(to, from);
            }
            1 => {
                let (to, from) = (kernel.view(hbm, place, (128, 512)), pick(&mut kernel, a, 512));
                kernel.dma(to, from);
            }
            2 => {
                let (to, from) = (pick(&mut kernel, a, 512), pick(&mut kernel, b, 512));
                let engine = [Engine::Vector, Engine::Scalar, Engine::GpSimd][usize::from(c) % 3];
                kernel.copy(to, from, engine);
            }
            3 => {
                let (stationary, moving) = (pick(&mut kernel, a, 128), pick(&mut kernel, b, 512));
                let sum = kernel.view(psum[usize::from(c) % 3], (0, 0), (128, 512));
                kernel.matmul(sum, stationary, moving);
            }
            _ => {
                let (to, from) = (
                    pick(&mut kernel, a, 512),
                    kernel.view(psum[usize::from(c) % 3], (0, 0), (128, 512)),
                );
                kernel.copy(to, from, Engine::Vector);
            }
        }
    }
    kernel.finish()
}

/// Asserts what every schedule must obey.
fn check_invariants(timeline: &Timeline) {
    let mut rows: std::collections::BTreeMap<Track, Vec<Entry>> = std::collections::BTreeMap::new();
    for entry in &timeline.entries {
        assert!(entry.ready <= entry.start && entry.start <= entry.end && entry.end <= entry.done);
        rows.entry(entry.track).or_default().push(*entry);
    }
    for row in rows.values_mut() {
        row.sort_by_key(|entry| (entry.start, entry.end));
        for pair in row.windows(2) {
            assert!(pair[0].end <= pair[1].start, "{pair:?}");
        }
    }
    for entry in &timeline.entries {
        let cause = timeline.entries[entry.cause as usize];
        let started = match entry.stall {
            Stall::Data | Stall::Output => cause.done <= entry.start,
            Stall::Anti | Stall::Trigger => cause.start <= entry.start,
            _ => true,
        };
        assert!(started, "{entry:?} {cause:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn schedules_obey_engines_causes_and_floors(
        choices in proptest::collection::vec(any::<(u8, u8, u8, u8)>(), 1..120),
        slice in 1u64..50,
    ) {
        let program = random_kernel(&choices);
        let timeline = schedule(&program, Options::default());
        check_invariants(&timeline);
        let mut sliced = Scheduler::new(Rc::clone(&program), Vec::new(), Options::default()).unwrap();
        while !sliced.advance(slice) {}
        let sliced = sliced.finish();
        prop_assert_eq!(&sliced.entries, &timeline.entries);
        prop_assert_eq!(sliced.latency, timeline.latency);
        let bytes: u64 = timeline.transfers.iter().map(|transfer| transfer.bytes.0).sum();
        let transfers = choices.iter().filter(|choice| choice.0 % 5 < 2).count() as u64;
        prop_assert_eq!(bytes, transfers * 128 * 512 * 2);
        let time = timeline.kernel_time().as_ns();
        prop_assert!(time >= timeline.totals.model_flops as f64 / 78_643.2);
        prop_assert!(time >= bytes as f64 / (16.0 * 38.4));
    }
}
