//! Each rule against its published figure: device measurements of trn1 and trn2, documents for trn3.

use super::*;
use crate::base::span::LocId;
use crate::base::units::Bytes;
use crate::isa::cost::dma::{How, descriptor_time, transfer};
use crate::isa::cost::matmul::{Shape, matrix};
use crate::isa::work::Descriptors;
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::{Buffer, Init};
use crate::tensor::pattern::{AccessPattern, Dim};
use crate::tensor::tables::Tables;
use crate::tensor::view::{View, ViewId};

/// Tiles to price.
struct Bench {
    chip: &'static Chip,
    tables: Tables,
}

impl Bench {
    fn on(chip: &str) -> Self {
        Self {
            chip: Chip::by_name(chip).unwrap(),
            tables: Tables::default(),
        }
    }

    /// A whole buffer of `rows` by `columns`.
    fn tile(&mut self, space: Space, rows: u32, columns: u32, dtype: Dtype) -> ViewId {
        self.window(space, (rows, columns), (rows, columns), dtype)
    }

    /// The corner of `size` of a buffer of `shape`.
    fn window(&mut self, space: Space, shape: (u32, u32), size: (u32, u32), dtype: Dtype) -> ViewId {
        let buffer = self.tables.buffers.push(Buffer {
            name: "t".to_owned(),
            space,
            shape: vec![shape.0, shape.1],
            dtype,
            address: None,
            init: Init::Unwritten,
            loc: LocId(0),
        });
        let dims = smallvec::smallvec![
            Dim {
                step: i64::from(shape.1),
                num: size.0,
            },
            Dim { step: 1, num: size.1 },
        ];
        let pattern = self.tables.patterns.intern(AccessPattern { dtype, dims });
        self.tables.views.push(View {
            buffer,
            pattern,
            offset: 0,
            indirect: None,
        })
    }

    fn cx(&self) -> OpCx<'_> {
        OpCx {
            chip: self.chip,
            tables: &self.tables,
        }
    }

    /// Price of a function of destination and source.
    fn price(&mut self, dst: ViewId, src: ViewId, rule: impl Fn(&OpCx, &Tile, &Tile) -> Work) -> (f64, f64) {
        let cx = self.cx();
        times(&rule(&cx, &cx.tile(dst), &cx.tile(src)))
    }
}

/// Interval and latency of the last phase in nanoseconds.
fn times(work: &Work) -> (f64, f64) {
    let Work::Engine(work) = work else {
        panic!("an engine instruction");
    };
    let phase = work.phases.last().unwrap();
    (phase.interval.as_ns(), phase.latency.as_ns())
}

/// Asserts that `model` is within `percent` of `measured`.
fn near(model: f64, measured: f64, percent: f64) {
    let error = 100.0 * (model - measured).abs() / measured;
    assert!(
        error <= percent,
        "model {model}, measured {measured}: {error:.1} % apart"
    );
}

/// A plain matrix instruction.
fn shape(columns: u64, fp32: bool, transpose: bool) -> Shape {
    Shape {
        contraction: 128,
        rows: 128,
        columns,
        fp32,
        transpose,
    }
}

#[test]
fn matrix_instructions_of_trn2() {
    let bench = Bench::on("trn2");
    let price = |shape| times(&matrix(&bench.cx(), shape));
    let (interval, latency) = price(shape(512, false, false));
    near(interval, 216.0, 1.0);
    near(latency, 379.0, 2.0);
    near(price(shape(512, true, false)).0, 2.0 * 428.0, 1.0);
    near(price(shape(128, false, true)).0, 55.0, 2.0);
    near(price(shape(128, true, true)).0, 109.0, 2.0);
    assert_eq!(price(shape(8, false, false)), price(shape(64, false, false)));
}

#[test]
fn matrix_instructions_of_trn1() {
    let bench = Bench::on("trn1");
    let price = |shape| times(&matrix(&bench.cx(), shape)).0;
    near(price(shape(512, false, false)), 219.0, 1.0);
    near(price(shape(128, false, false)), 48.0, 15.0);
    near(price(shape(512, true, false)), 1150.0, 1.0);
}

#[test]
fn operations_are_counted_by_kind() {
    let bench = Bench::on("trn2");
    let phase = |shape| match matrix(&bench.cx(), shape) {
        Work::Engine(work) => work.phases[1],
        other => panic!("{other:?}"),
    };
    let one = 2 * 128 * 128 * 512;
    let plain = phase(shape(512, false, false));
    assert_eq!((plain.flops, plain.model_flops, plain.transpose_flops), (one, one, 0));
    let fp32 = phase(shape(512, true, false));
    assert_eq!((fp32.flops, fp32.model_flops), (2 * one, one));
    let transpose = phase(shape(512, false, true));
    assert_eq!(
        (transpose.flops, transpose.model_flops, transpose.transpose_flops),
        (0, 0, one)
    );
}

#[test]
fn double_row_and_microscaling_do_more_in_the_same_time() {
    let mut bench = Bench::on("trn3");
    let stationary = bench.tile(Space::Sbuf, 128, 128, Dtype::F8E4m3fnX4);
    let moving = bench.tile(Space::Sbuf, 128, 512, Dtype::F8E4m3fnX4);
    let cx = bench.cx();
    let work = matmul::nc_matmul_mx(&cx, &cx.tile(stationary), &cx.tile(moving));
    let plain = matrix(&cx, shape(512, false, false));
    assert_eq!(times(&work), times(&plain));
    let flops = |work: &Work| match work {
        Work::Engine(work) => work.phases[1].flops,
        other => panic!("{other:?}"),
    };
    assert_eq!(flops(&work), 4 * flops(&plain));
    let mut bench = Bench::on("trn3");
    let stationary = bench.tile(Space::Sbuf, 128, 256, Dtype::F8E4m3);
    let moving = bench.tile(Space::Sbuf, 128, 1024, Dtype::F8E4m3);
    let cx = bench.cx();
    let double = matmul::nc_matmul(&cx, &cx.tile(stationary), &cx.tile(moving), true, false);
    assert_eq!(times(&double), times(&plain));
    assert_eq!(flops(&double), 2 * flops(&plain));
}

#[test]
fn scalar_engine_of_trn2() {
    let mut bench = Bench::on("trn2");
    let psum = bench.tile(Space::Psum, 128, 512, Dtype::F32);
    let sbuf = bench.tile(Space::Sbuf, 128, 512, Dtype::F32);
    let exp = |cx: &OpCx, dst: &Tile, src: &Tile| lanes::activation(cx, dst, src, false);
    let copy = |cx: &OpCx, dst: &Tile, src: &Tile| lanes::one_input(cx, Engine::Scalar, dst, src, false);
    let (interval, latency) = bench.price(sbuf, psum, exp);
    near(interval, 570.0, 1.0);
    near(latency, 685.0, 1.0);
    let (interval, latency) = bench.price(sbuf, sbuf, exp);
    near(interval, 612.0, 1.0);
    near(latency, 707.0, 1.0);
    let (interval, latency) = bench.price(sbuf, psum, copy);
    near(interval, 477.0, 1.0);
    near(latency, 585.0, 1.0);
}

#[test]
fn vector_engine_of_trn2() {
    let mut bench = Bench::on("trn2");
    let psum = bench.tile(Space::Psum, 128, 512, Dtype::F32);
    let sbuf = bench.tile(Space::Sbuf, 128, 512, Dtype::F32);
    let copy = |cx: &OpCx, dst: &Tile, src: &Tile| lanes::one_input(cx, Engine::Vector, dst, src, false);
    let scaled = |cx: &OpCx, dst: &Tile, src: &Tile| lanes::one_input(cx, Engine::Vector, dst, src, true);
    let (interval, latency) = bench.price(sbuf, psum, copy);
    near(interval, 608.0, 2.0);
    near(latency, 690.0, 1.0);
    let (interval, latency) = bench.price(sbuf, sbuf, scaled);
    near(interval, 396.0, 2.0);
    near(latency, 481.0, 1.0);
    let set = bench.price(sbuf, sbuf, |cx, dst, _| lanes::memset(cx, Engine::Vector, dst));
    near(set.1, 425.0, 2.0);
    let add = bench.price(sbuf, psum, |cx, dst, src| lanes::two_inputs_plain(cx, dst, dst, src));
    near(add.0, 655.0, 1.0);
    near(add.1, 740.0, 1.0);
}

#[test]
fn long_vector_instructions_of_trn2() {
    let mut bench = Bench::on("trn2");
    let wide = bench.tile(Space::Sbuf, 80, 16384, Dtype::Bf16);
    let small = bench.tile(Space::Sbuf, 80, 16384, Dtype::F8E4m3);
    let reduce = bench.price(wide, wide, |cx, _, src| lanes::one_per_cycle(cx, src, false));
    near(reduce.1, 17_223.0, 1.0);
    let quantise = bench.price(small, wide, |cx, dst, src| {
        lanes::one_input(cx, Engine::Vector, dst, src, true)
    });
    near(quantise.1, 8_802.0, 1.0);
}

#[test]
fn lanes_of_trn1() {
    let mut bench = Bench::on("trn1");
    let psum = bench.tile(Space::Psum, 128, 512, Dtype::F32);
    let sbuf = bench.tile(Space::Sbuf, 128, 512, Dtype::F32);
    let copy = |cx: &OpCx, dst: &Tile, src: &Tile| lanes::one_input(cx, Engine::Scalar, dst, src, false);
    near(bench.price(sbuf, psum, copy).0, 383.0, 1.0);
    let both = bench.price(sbuf, sbuf, |cx, dst, src| {
        lanes::two_inputs(cx, Engine::Vector, dst, src, src)
    });
    near(both.0, 1039.0, 5.0);
    let mixed = bench.price(sbuf, psum, |cx, dst, src| {
        lanes::two_inputs(cx, Engine::Vector, dst, dst, src)
    });
    near(mixed.0, 494.0, 10.0);
}

#[test]
fn fast_modes_need_width_memory_and_contiguity() {
    let mut bench = Bench::on("trn2");
    let narrow = bench.tile(Space::Sbuf, 128, 512, Dtype::Bf16);
    let psum = bench.tile(Space::Psum, 128, 512, Dtype::Bf16);
    let wide = bench.tile(Space::Sbuf, 128, 512, Dtype::F32);
    let wide_psum = bench.tile(Space::Psum, 128, 512, Dtype::F32);
    let cx = bench.cx();
    let lanes_of = |dst, src| lanes::vector_lanes(&cx, &cx.tile(dst), &cx.tile(src));
    assert_eq!(lanes_of(narrow, narrow), 4);
    assert_eq!(lanes_of(wide, narrow), 2);
    assert_eq!(lanes_of(narrow, psum), 2);
    assert_eq!(lanes_of(wide, wide_psum), 1);
}

#[test]
fn the_compiler_gets_an_engine_that_reaches_the_tiles() {
    let mut bench = Bench::on("trn2");
    let psum = bench.tile(Space::Psum, 128, 512, Dtype::F32);
    let cx = bench.cx();
    let allowed = [Engine::GpSimd, Engine::Scalar];
    assert_eq!(
        choose(EngineChoice::Unknown, &allowed, &[cx.tile(psum)]),
        Engine::Scalar
    );
    assert_eq!(choose(EngineChoice::On(Engine::GpSimd), &allowed, &[]), Engine::GpSimd);
}

/// The transfer from an HBM window of `columns` fp32 columns to SBUF, or back.
fn load(chip: &str, rows: u32, columns: u32, store: bool) -> (Bench, crate::isa::work::DmaWork) {
    let mut bench = Bench::on(chip);
    let hbm = bench.window(Space::Hbm, (4096, 65_536), (rows, columns), Dtype::F32);
    let sbuf = bench.tile(Space::Sbuf, rows, columns, Dtype::F32);
    let (dst, src) = if store { (hbm, sbuf) } else { (sbuf, hbm) };
    let how = How {
        descriptors: Descriptors::Hardware(Engine::Sync),
        transpose: false,
        accumulate: false,
    };
    let cx = bench.cx();
    let work = transfer(&cx, &cx.tile(dst), &cx.tile(src), how);
    (bench, work)
}

#[test]
fn descriptors_of_trn2() {
    for (bytes, measured) in [(256, 17.0), (512, 27.0), (1024, 43.0), (2048, 83.0), (4096, 158.0)] {
        let (bench, work) = load("trn2", 128, bytes / 4, false);
        assert_eq!(work.descriptor_count, 128);
        assert_eq!(work.descriptor_bytes, Bytes(u64::from(bytes)));
        assert_eq!((work.engines, work.hbm_read), (16, Bytes(u64::from(bytes) * 128)));
        near(descriptor_time(bench.chip, &work).as_ns(), measured, 5.0);
    }
    let (bench, work) = load("trn2", 128, 64, true);
    near(descriptor_time(bench.chip, &work).as_ns(), 41.0, 2.0);
}

#[test]
fn partitions_choose_dma_engines() {
    assert_eq!(load("trn2", 80, 512, false).1.engines, 10);
    assert_eq!(load("trn2", 1, 512, false).1.engines, 1);
}

#[test]
fn a_whole_matrix_in_hbm_is_one_run_but_partitions_end_it() {
    let mut bench = Bench::on("trn3");
    let from = bench.tile(Space::Hbm, 128, 512, Dtype::Bf16);
    let to = bench.tile(Space::SharedHbm, 128, 512, Dtype::Bf16);
    let how = How {
        descriptors: Descriptors::Hardware(Engine::Sync),
        transpose: false,
        accumulate: false,
    };
    let cx = bench.cx();
    let work = transfer(&cx, &cx.tile(to), &cx.tile(from), how);
    assert_eq!((work.engines, work.descriptor_bytes), (16, Bytes(8192)));
    assert_eq!((work.hbm_read, work.hbm_write), (Bytes(131_072), Bytes(131_072)));
}

#[test]
fn every_figure_has_a_source() {
    for chip in Chip::ALL {
        let rows = chip.rows();
        assert!(rows.len() > 90);
        assert!(rows.iter().all(|row| !row.source.is_empty() && row.value.is_finite()));
    }
}
