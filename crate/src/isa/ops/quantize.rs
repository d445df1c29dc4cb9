//! Microscaling: quantisation on the Vector Engine, and matrix multiplication of quantised operands.
//!
//! A group of 32 elements (8 partitions x 4 neighbours) shares a scale. Scales of each 32 partitions lie on 4 partitions of the
//! same quadrant, at offset 0, 4, 8 or 12.

use crate::base::diag::{Code, Fault};
use crate::ensure;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::ops::matmul;
use crate::isa::param::{Accumulate, In, InOut, Out, TilePair};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::machine::layout::Layout;
use crate::numerics::dtype::Dtype;
use crate::numerics::mx;
use crate::op;
use crate::tensor::view::ViewId;

/// Partitions of a quadrant.
const QUADRANT: u32 = 32;
/// Scale rows of a quadrant.
const SCALE_ROWS: u32 = QUADRANT / mx::GROUP_PARTITIONS as u32;
/// Dtypes of scales.
const SCALES: &[Dtype] = &[Dtype::F8E8m0fnu, Dtype::U8];

/// Checks a scale tile for data of `partitions` x `columns` packed elements.
fn check_scale(cx: &OpCx, view: ViewId, param: &'static str, partitions: u32, columns: u64) -> Result<(), Fault> {
    rules::sbuf(cx, view, param)?;
    rules::dtype(cx, view, param, SCALES)?;
    let tile = cx.tile(view);
    let base = tile.buffer.address.map_or(0, |address| address.partition);
    let offset = (base + tile.start_partition()) % QUADRANT;
    let hint = "lay scales out as nisa.quantize_mx does: [P / 8, F / 4] for up to 32 partitions, else [P, F / 4] with the scales of each \
                32 partitions on the first 4 rows of their quadrant";
    if !offset.is_multiple_of(SCALE_ROWS) || offset > 12 {
        let message = format!(
            "{} starts at partition {offset} of a quadrant; limit 0, 4, 8 or 12",
            tile.label(param)
        );
        return Err(Fault::new(Code::Constraint, message).on(param).hint(hint));
    }
    let rows = QUADRANT * (partitions / QUADRANT - 1) + SCALE_ROWS;
    if tile.partitions() < rows || tile.free_elements() != columns {
        let message = format!(
            "{}; limit: {columns} elements per partition and at least {rows} partitions for data on {partitions} partitions",
            tile.label(param)
        );
        return Err(Fault::new(Code::Shape, message).on(param).hint(hint));
    }
    Ok(())
}

/// Where the scales of data on `partitions` partitions lie: one row for each 8 partitions.
fn scale_layout(cx: &mut ExecCx, view: ViewId, partitions: usize) -> Result<Layout, Fault> {
    let mut layout = cx.machine.layout(cx.tables, view, false)?;
    let columns = cx.tile(view).free_elements() as usize;
    let offsets = layout.offsets();
    let mut table = Vec::with_capacity(partitions / mx::GROUP_PARTITIONS * columns);
    for group in 0..partitions / mx::GROUP_PARTITIONS {
        let per_quadrant = SCALE_ROWS as usize;
        let row = group / per_quadrant * QUADRANT as usize + group % per_quadrant;
        table.extend_from_slice(&offsets[row * columns..(row + 1) * columns]);
    }
    layout.count = table.len();
    layout.table = Some(table);
    Ok(layout)
}

/// Checks the partitions of MX data.
fn check_partitions(cx: &OpCx, view: ViewId, param: &'static str) -> Result<(), Fault> {
    let tile = cx.tile(view);
    let partitions = tile.partitions();
    if partitions > 0 && partitions.is_multiple_of(QUADRANT) {
        return Ok(());
    }
    let message = format!(
        "{} has {partitions} partitions; limit 32, 64, 96 or 128",
        tile.label(param)
    );
    Err(Fault::new(Code::Constraint, message)
        .on(param)
        .hint("pad the contraction dimension to a multiple of 32 partitions"))
}

op! {
    /// Quantises float16 or bfloat16 data to MXFP8 on the Vector Engine: packed values and a scale for each 32 elements.
    ///
    /// The scale is `2^(floor(log2(amax)) - (Emax - 1))`, with Emax 8 for e4m3fn and 15 for e5m2; a group of zeros gets `2^-127`.
    quantize_mx => QuantizeMx on [Vector] since Gen4 {
        /// Packed result: a quarter of the elements of `src`.
        dst: Out,
        /// Data in SBUF: a multiple of 32 partitions and of 4 elements.
        src: In,
        /// Scales.
        dst_scale: InOut,
    }
}

impl Op for QuantizeMx {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        rules::sbuf(cx, self.dst.0, "dst")?;
        rules::sbuf(cx, self.src.0, "src")?;
        rules::dtype(cx, self.src.0, "src", &[Dtype::F16, Dtype::Bf16])?;
        rules::dtype(cx, self.dst.0, "dst", &[Dtype::F8E5m2X4, Dtype::F8E4m3fnX4])?;
        check_partitions(cx, self.src.0, "src")?;
        rules::same_partitions(cx, (self.src.0, "src"), (self.dst.0, "dst"))?;
        let src = cx.tile(self.src.0);
        let free = src.free_elements();
        ensure!(
            free.is_multiple_of(4),
            Constraint on "src",
            hint "pad the free dimension to a multiple of 4: four neighbours become one packed element",
            "{} has {free} elements per partition; limit: a multiple of 4",
            src.label("src")
        );
        rules::free_is(cx, self.dst.0, "dst", free / 4)?;
        check_scale(cx, self.dst_scale.0, "dst_scale", src.partitions(), free / 4)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let src = cx.tile(self.src.0);
        let (partitions, free) = (src.partitions() as usize, src.free_elements() as usize);
        let lane = cx.tile(self.dst.0).dtype().info().lane_dtype.unwrap_or(Dtype::F8E4m3fn);
        let values = cx.read(self.src.0, "src")?;
        let mut codes = cx.machine.scratch.bytes(values.len());
        let mut scales = vec![0; partitions / mx::GROUP_PARTITIONS * (free / mx::GROUP_ELEMENTS)];
        mx::quantize(lane, &values, free, &mut codes, &mut scales);
        cx.recycle(values);
        let layout = scale_layout(cx, self.dst_scale.0, partitions)?;
        cx.machine.write_layout(cx.tables, self.dst_scale.0, &layout, &scales)?;
        cx.write_raw(self.dst.0, codes)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::quantize_mx(cx, &cx.tile(self.src.0))
    }
}

op! {
    /// Matrix product of MXFP8 or MXFP4 operands on the Tensor Engine, dequantised on the way, into PSUM.
    ///
    /// The contraction runs over partitions and over the four values of each packed element.
    nc_matmul_mx => NcMatmulMx on [Tensor] since Gen4 {
        /// Result in PSUM, float32 or bfloat16.
        dst: InOut,
        /// Packed matrix that is loaded: an even number of at most 128 columns.
        stationary: In,
        /// Packed matrix that streams.
        moving: In,
        /// Scales of `stationary`.
        stationary_scale: In,
        /// Scales of `moving`.
        moving_scale: In,
        /// First row of the part of the array to use, and column 0.
        tile_position: Option<TilePair> = None,
        /// Rows of that part, and 128 columns.
        tile_size: Option<TilePair> = None,
        /// `False` overwrites `dst`, `True` adds to it, `None` overwrites at the first write of a place and adds later.
        accumulate: Accumulate = Accumulate::Auto,
    }
}

/// Packed dtypes.
const PACKED: &[Dtype] = &[Dtype::F8E5m2X4, Dtype::F8E4m3fnX4, Dtype::F4E2m1fnX4];

/// Reads an operand with its scales as a float32 matrix of `4 x partitions` rows.
fn dequantized(
    cx: &mut ExecCx,
    data: (ViewId, &'static str),
    scale: (ViewId, &'static str),
) -> Result<Vec<f32>, Fault> {
    let tile = cx.tile(data.0);
    let (partitions, columns) = (tile.partitions() as usize, tile.free_elements() as usize);
    let lanes = cx.read(data.0, data.1)?;
    let layout = scale_layout(cx, scale.0, partitions)?;
    let scales = cx.machine.read_layout(cx.tables, scale.0, scale.1, &layout)?;
    let mut out = cx.machine.scratch.floats(lanes.len());
    mx::expand(&lanes, columns, &scales, &mut out);
    cx.recycle(lanes);
    cx.machine.scratch.give_bytes(scales);
    Ok(out)
}

impl NcMatmulMx {
    /// Data and scales of both operands.
    fn pairs(&self) -> [[(ViewId, &'static str); 2]; 2] {
        [
            [
                (self.stationary.0, "stationary"),
                (self.stationary_scale.0, "stationary_scale"),
            ],
            [(self.moving.0, "moving"), (self.moving_scale.0, "moving_scale")],
        ]
    }
}

impl Op for NcMatmulMx {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let [[stationary, _], [moving, _]] = self.pairs();
        matmul::check_spaces(cx, self.dst.0, &[stationary, moving])?;
        rules::dtype(cx, self.dst.0, "dst", &[Dtype::F32, Dtype::Bf16])?;
        for [data, scale] in self.pairs() {
            rules::dtype(cx, data.0, data.1, PACKED)?;
            check_partitions(cx, data.0, data.1)?;
            let tile = cx.tile(data.0);
            check_scale(cx, scale.0, scale.1, tile.partitions(), tile.free_elements())?;
        }
        rules::same_partitions(cx, stationary, moving)?;
        let tile = cx.tile(stationary.0);
        let columns = tile.free_elements();
        ensure!(
            columns.is_multiple_of(2),
            Constraint on "stationary",
            hint "pad stationary with a column of zeros",
            "{} has {columns} columns; limit: an even number of at most 128",
            tile.label("stationary")
        );
        let none = TilePair(None);
        let (position, size) = (self.tile_position.unwrap_or(none), self.tile_size.unwrap_or(none));
        ensure!(
            position.0.is_none_or(|(_, column)| column == 0) && size.0.is_none_or(|(_, columns)| columns == 128),
            Constraint on "tile_position",
            hint "write tile_position=(row, 0) and tile_size=(rows, 128)",
            "the array can be tiled by rows only: tile_position (row, 0) and tile_size (rows, 128)"
        );
        matmul::check_tiling(cx, position, size, (stationary.0, columns))?;
        let moving = (moving.0, cx.tile(moving.0).free_elements());
        matmul::check_destination(cx, self.dst.0, columns, moving)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let [[stationary, stationary_scale], [moving, moving_scale]] = self.pairs();
        let k = cx.tile(stationary.0).partitions() as usize * mx::GROUP_ELEMENTS;
        let left = dequantized(cx, stationary, stationary_scale)?;
        let right = dequantized(cx, moving, moving_scale)?;
        let accumulate = matmul::accumulates(cx, self.dst.0, self.accumulate)?;
        matmul::product(cx, self.dst.0, &left, &right, k, accumulate)?;
        cx.recycle(left);
        cx.recycle(right);
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::matmul::nc_matmul_mx(cx, &cx.tile(self.stationary.0), &cx.tile(self.moving.0))
    }
}
