//! Matrix multiplication and transposes of the Tensor Engine.

use crate::base::diag::{Code, Fault};
use crate::base::mend::Edit;
use crate::ensure;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::param::{Accumulate, In, InOut, PerfMode, TilePair};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::machine::access::Written;
use crate::numerics::dtype::Dtype;
use crate::numerics::matmul::{Matrix, MatrixMut};
use crate::numerics::transpose::{self, Layout};
use crate::op;
use crate::tensor::buffer::Space;
use crate::tensor::view::ViewId;

op! {
    /// Matrix product `dst = stationary.T @ moving` on the Tensor Engine, into PSUM.
    ///
    /// Partitions are the contraction dimension of both inputs. Products add up in float32; `dst` is overwritten or added to,
    /// as `accumulate` says.
    nc_matmul => NcMatmul on [Tensor] since Gen2 {
        /// Result in PSUM: as many partitions as `stationary` has columns, as many elements as `moving` has columns.
        dst: InOut,
        /// Matrix that is loaded into the processing array: at most 128 partitions and 128 columns, in SBUF.
        stationary: In,
        /// Matrix that streams through the array, in SBUF.
        moving: In,
        /// Promise that `stationary` holds ones and zeros only; speeds up float32.
        is_stationary_onezero: bool = false,
        /// Promise that `moving` holds ones and zeros only; speeds up float32.
        is_moving_onezero: bool = false,
        /// Transpose `stationary`; `moving` must be the identity. Moves bits from NeuronCore-v3 on.
        is_transpose: bool = false,
        /// `False` overwrites `dst`, `True` adds to it, `None` overwrites at the first write of a place and adds later.
        accumulate: Accumulate = Accumulate::Auto,
        /// First row and column of the part of the array to use.
        tile_position: TilePair = TilePair(None),
        /// Rows and columns of that part.
        tile_size: TilePair = TilePair(None),
        /// `double_row` packs two FP8 rows into each processing element.
        perf_mode: PerfMode = PerfMode::None,
    }
}

/// Float types that the Tensor Engine multiplies.
const FLOATS: &[Dtype] = &[
    Dtype::F8E4m3,
    Dtype::F8E5m2,
    Dtype::Bf16,
    Dtype::F16,
    Dtype::Tf32,
    Dtype::F32,
    Dtype::F8E4m3fn,
];
/// Types of the double-row mode.
const FP8: &[Dtype] = &[Dtype::F8E4m3, Dtype::F8E5m2, Dtype::F8E4m3fn];
/// Types of operands that go by run-time indices.
const INDIRECT: &[Dtype] = &[Dtype::F16, Dtype::Bf16, Dtype::F8E4m3, Dtype::F8E5m2, Dtype::F8E4m3fn];
/// Types that only pair with each other.
const WIDE: &[Dtype] = &[Dtype::Tf32, Dtype::F32];

/// Checks that the operands are where the Tensor Engine reaches them.
pub(super) fn check_spaces(cx: &OpCx, dst: ViewId, inputs: &[(ViewId, &'static str)]) -> Result<(), Fault> {
    let tile = cx.tile(dst);
    if tile.space() != Space::Psum {
        let message = format!("writes to PSUM only; {}", tile.label("dst"));
        let fault = Fault::new(Code::MemorySpace, message)
            .on("dst")
            .hint("allocate dst with buffer=nl.psum, then move the result to SBUF with nisa.tensor_copy");
        return Err(rules::allocate_in(fault, &tile, "psum"));
    }
    for &(view, param) in inputs {
        rules::sbuf(cx, view, param)?;
    }
    Ok(())
}

/// Checks the size and dtype of the destination against a result of `m` x `n`.
pub(super) fn check_destination(cx: &OpCx, dst: ViewId, m: u64, moving: (ViewId, u64)) -> Result<(), Fault> {
    let (moving, n) = moving;
    let tile = cx.tile(dst);
    let chip = cx.chip;
    let shape = (u64::from(tile.partitions()), tile.free_elements());
    if shape != (m, n) {
        let message = format!(
            "{}; the product has {m} partitions and {n} elements in each",
            tile.label("dst")
        );
        let fault = Fault::new(Code::Shape, message)
            .on("dst")
            .hint(match shape.0 >= m && shape.1 >= n {
                true => format!(
                    "write the part that the product has: {}[0:{m}, 0:{n}]",
                    tile.buffer.name
                ),
                false => "dst is [columns of stationary, columns of moving]".to_owned(),
            });
        return Err(match shape == (n, m) {
            true => fault.mend("exchange stationary and moving", Edit::Swap("stationary", "moving")),
            false => fault,
        });
    }
    let bank = chip.memory.psum_bank_bytes.get().0;
    let element = u64::from(tile.dtype().bytes());
    let most = match chip.rules.matmul_banks.get() {
        true => u64::from(chip.memory.psum_banks.get()) * bank / element,
        false => u64::from(chip.engines.moving_fmax.get()),
    };
    if n > most {
        let message = format!(
            "{} has {n} columns; limit {most} for a {} dst",
            cx.tile(moving).label("moving"),
            tile.dtype().name()
        );
        let what = if chip.rules.matmul_banks.get() {
            "all PSUM banks"
        } else {
            "one PSUM bank"
        };
        return Err(Fault::new(Code::Constraint, message).on("moving").hint(format!(
            "split the columns of moving into tiles of at most {most}, what {what} of a partition hold, each with its own dst"
        )));
    }
    let start = tile.buffer.address.map_or(0, |address| address.byte) + tile.free_offset() * element;
    if !chip.rules.matmul_banks.get() && start % bank + n * element > bank {
        let message = format!(
            "{} crosses a PSUM bank; limit: one bank of {bank} bytes a partition",
            tile.label("dst")
        );
        return Err(Fault::new(Code::Constraint, message)
            .on("dst")
            .hint(format!(
                "let each product write one bank: start dst at a multiple of {} {} values",
                bank / element,
                tile.dtype().name()
            ))
            .source(chip.memory.psum_bank_bytes.source));
    }
    Ok(())
}

/// Checks `tile_position` and `tile_size` for a stationary matrix of `k` rows and `m` columns.
pub(super) fn check_tiling(
    cx: &OpCx,
    position: TilePair,
    size: TilePair,
    stationary: (ViewId, u64),
) -> Result<(), Fault> {
    let (stationary, m) = stationary;
    let stationary = cx.tile(stationary);
    let k = u64::from(stationary.partitions());
    let array = cx.chip.engines.array_size.get();
    let ((row, column), (rows, columns)) = match (position.0, size.0) {
        (None, None) => ((0, 0), (array as u16, array as u16)),
        (Some(position), Some(size)) => (position, size),
        _ => {
            let fault = Fault::new(
                Code::Argument,
                "tile_position and tile_size go together; only one was given",
            );
            let given = if position.0.is_some() {
                "tile_position"
            } else {
                "tile_size"
            };
            return Err(fault
                .on(given)
                .hint("give both, or neither for the whole array")
                .mend(format!("leave {given} out"), Edit::Drop(given)));
        }
    };
    let allowed = cx.chip.rules.row_tiles.get();
    for (what, start, length) in [("row", row, rows), ("column", column, columns)] {
        if !allowed.contains(&length) {
            let sizes: Vec<_> = allowed.iter().map(u16::to_string).collect();
            let message = format!(
                "tile_size has a {what} size of {length}; limit {} on {}",
                sizes.join(", "),
                cx.chip.title
            );
            return Err(Fault::new(Code::Constraint, message)
                .on("tile_size")
                .hint("take the next larger size; the operands may be smaller than the tile"));
        }
        if start % length != 0 || u32::from(start) + u32::from(length) > array {
            let message = format!(
                "tile_position has start {what} {start}; limit: a multiple of the {what} size {length}, inside {array}"
            );
            let places: Vec<_> = (0..array)
                .step_by(usize::from(length))
                .map(|at| at.to_string())
                .collect();
            return Err(Fault::new(Code::Constraint, message)
                .on("tile_position")
                .hint(format!("start at {what} {}", places.join(", "))));
        }
    }
    if k > u64::from(rows) {
        let message = format!(
            "{} has {k} partitions; limit {rows} rows of the array",
            stationary.label("stationary")
        );
        return Err(Fault::new(Code::Constraint, message).on("stationary").hint(format!(
            "split the contraction into products of at most {rows} partitions that add up in PSUM"
        )));
    }
    if m > u64::from(columns) {
        let message = format!(
            "{} has {m} columns; limit {columns} columns of the array",
            stationary.label("stationary")
        );
        return Err(Fault::new(Code::Constraint, message).on("stationary").hint(format!(
            "split the columns of stationary into tiles of at most {columns}; each gives its own rows of the result"
        )));
    }
    Ok(())
}

/// Decides whether a product overwrites or accumulates, from the flag and from what `dst` holds.
pub(super) fn accumulates(cx: &mut ExecCx, dst: ViewId, flag: Accumulate) -> Result<bool, Fault> {
    if flag == Accumulate::No {
        return Ok(false);
    }
    let label = cx.tile(dst).label("dst");
    match (flag, cx.machine.written(cx.tables, dst)?) {
        (Accumulate::No, _) | (Accumulate::Auto, Written::Nothing) => Ok(false),
        (_, Written::Whole) => Ok(true),
        (Accumulate::Yes, _) => {
            let message = format!("accumulates into {label}, which was not written before; the result is undefined");
            Err(Fault::new(Code::Undefined, message)
                .on("accumulate")
                .hint("start the group with accumulate=False, or leave accumulate out")
                .mend("leave accumulate out", Edit::Drop("accumulate")))
        }
        (Accumulate::Auto, Written::Partly) => {
            let message = format!("{label} was written in part; the documents do not say whether the rest accumulates");
            Err(Fault::new(Code::Unspecified, message)
                .on("accumulate")
                .hint("say accumulate=True or accumulate=False"))
        }
    }
}

/// Writes `stationary.T @ moving` of float32 matrices to `dst`.
pub(super) fn product(
    cx: &mut ExecCx,
    dst: ViewId,
    stationary: &[f32],
    moving: &[f32],
    k: usize,
    accumulate: bool,
) -> Result<(), Fault> {
    let k = k.max(1);
    let (m, n) = (stationary.len() / k, moving.len() / k);
    let mut out = if accumulate {
        cx.read(dst, "dst")?
    } else {
        cx.machine.scratch.floats(m * n)
    };
    let buffer = cx.tile(dst).view.buffer;
    if accumulate && !cx.chip.rules.accumulate_on_any.get() && cx.machine.memory.is_foreign(buffer) {
        own_content(cx, dst, &out)?;
    }
    let array = &mut cx.machine.stationary;
    array.load(
        k,
        m,
        Matrix {
            data: stationary,
            stride: m,
        },
    );
    let mut result = MatrixMut {
        data: &mut out,
        stride: n,
    };
    array.multiply(
        n,
        Matrix {
            data: moving,
            stride: n,
        },
        &mut result,
        accumulate,
    );
    cx.write(dst, out)?;
    cx.machine.memory.set_foreign(buffer, false);
    Ok(())
}

/// Rejects accumulation onto content that another engine wrote, unless it is zero and cannot show.
fn own_content(cx: &ExecCx, dst: ViewId, content: &[f32]) -> Result<(), Fault> {
    if content.iter().all(|&value| value == 0.0) {
        return Ok(());
    }
    let message = format!(
        "accumulates onto {}, which another engine wrote; the result is undefined on {}",
        cx.tile(dst).label("dst"),
        cx.chip.title
    );
    Err(Fault::new(Code::Undefined, message)
        .on("dst")
        .hint("start the accumulation with a product that overwrites dst, and add the rest with nisa.tensor_tensor"))
}

impl NcMatmul {
    /// Partitions of the inputs times the rows that each partition holds.
    fn contraction(&self, cx: &OpCx) -> u64 {
        let rows = if self.perf_mode == PerfMode::DoubleRow { 2 } else { 1 };
        u64::from(cx.tile(self.stationary.0).partitions()) * rows
    }

    /// Columns of stationary and moving.
    fn columns(&self, cx: &OpCx) -> (u64, u64) {
        let rows = if self.perf_mode == PerfMode::DoubleRow { 2 } else { 1 };
        let columns = |view: ViewId| cx.tile(view).free_elements() / rows;
        (columns(self.stationary.0), columns(self.moving.0))
    }

    /// Whether the bits of `stationary` are moved.
    fn moves_bits(&self, cx: &OpCx) -> bool {
        let wide = cx.tile(self.stationary.0).dtype() == Dtype::F32;
        let sums = cx.tile(self.dst.0).dtype() == Dtype::F32 && !wide;
        self.is_transpose && cx.chip.rules.exact_transpose.get() && !sums
    }

    /// Checks the dtypes of the inputs.
    fn check_inputs(&self, cx: &OpCx) -> Result<(), Fault> {
        let pair = [(self.stationary.0, "stationary"), (self.moving.0, "moving")];
        let allowed = match (self.perf_mode, cx.chip.rules.matmul_e4m3fn.get()) {
            (PerfMode::None, true) => FLOATS,
            (PerfMode::None, false) => &FLOATS[..6],
            (PerfMode::DoubleRow, true) => FP8,
            (PerfMode::DoubleRow, false) => &FP8[..2],
        };
        for (view, param) in pair {
            rules::dtype(cx, view, param, allowed)?;
        }
        let [left, right] = pair.map(|(view, _)| cx.tile(view));
        let mixed = WIDE.contains(&left.dtype()) != WIDE.contains(&right.dtype());
        let eights = [left.dtype(), right.dtype()];
        let legacy = eights.contains(&Dtype::F8E4m3) && eights.contains(&Dtype::F8E4m3fn);
        if mixed || legacy {
            let message = format!(
                "{} and {} cannot be multiplied with each other; limit: {}",
                left.label("stationary"),
                right.label("moving"),
                if mixed {
                    "float32 and tfloat32 pair with float32 or tfloat32 only"
                } else {
                    "float8_e4m3 does not pair with float8_e4m3fn"
                }
            );
            return Err(Fault::new(Code::Dtype, message)
                .on("moving")
                .hint("convert one of them with nisa.tensor_copy"));
        }
        Ok(())
    }

    /// Checks the rules of the double-row mode.
    fn check_double_row(&self, cx: &OpCx) -> Result<(), Fault> {
        let plain = |code, message: String| {
            Err(Fault::new(code, message)
                .on("perf_mode")
                .hint("leave perf_mode out, and multiply with twice as many instructions")
                .mend("leave perf_mode out", Edit::Drop("perf_mode")))
        };
        if !cx.chip.rules.double_row.get() {
            let message = format!("perf_mode double_row does not exist on {}", cx.chip.title);
            return plain(Code::Generation, message);
        }
        if self.is_transpose {
            let message = "perf_mode double_row does not combine with is_transpose";
            return plain(Code::Constraint, message.to_owned());
        }
        let array = cx.chip.engines.array_size.get();
        let columns = self.tile_size.0.map_or(array, |(_, columns)| u32::from(columns));
        if columns != array {
            let message =
                format!("perf_mode double_row does not combine with column tiling (tile_size has {columns} columns)");
            return plain(Code::Constraint, message);
        }
        for (view, param) in [(self.stationary.0, "stationary"), (self.moving.0, "moving")] {
            let tile = cx.tile(view);
            let first = tile.pattern.dims.get(1).map(|dim| dim.num);
            if first != Some(2) || tile.pattern.dims.len() < 3 {
                let message = format!(
                    "{}; limit: perf_mode double_row needs shape [partitions, 2, columns]",
                    tile.label(param)
                );
                return Err(Fault::new(Code::Shape, message).on(param).hint(
                    "put the two halves of the contraction of each partition one after the other: tile.reshape((p, 2, columns))",
                ));
            }
        }
        Ok(())
    }

    /// Checks what run-time indices do not combine with.
    fn check_indirect(&self, cx: &OpCx) -> Result<(), Fault> {
        let operands = [
            (self.dst.0, "dst"),
            (self.stationary.0, "stationary"),
            (self.moving.0, "moving"),
        ];
        for (view, param) in operands {
            let tile = cx.tile(view);
            if tile.view.indirect.is_none() {
                continue;
            }
            ensure!(
                self.tile_position.0.is_none_or(|position| position == (0, 0)),
                Constraint on "tile_position",
                hint "leave tile_position and tile_size out",
                "{} goes by run-time indices; limit: tile_position (0, 0)",
                tile.label(param)
            );
            ensure!(
                !self.is_transpose || param != "moving",
                Constraint on "moving",
                hint "give the identity matrix as it is; stationary may go by indices",
                "{} goes by run-time indices, which is_transpose does not take",
                tile.label(param)
            );
            if param != "dst" {
                rules::dtype(cx, view, param, INDIRECT)?;
            }
        }
        Ok(())
    }

    /// Checks the dtype of the destination.
    fn check_result(&self, cx: &OpCx) -> Result<(), Fault> {
        let tile = cx.tile(self.dst.0);
        if self.moves_bits(cx) {
            return transposable(cx, self.dst.0, self.stationary.0, "stationary");
        }
        let allowed: &[Dtype] = match cx.chip.rules.matmul_bfloat16.get() {
            true => &[Dtype::F32, Dtype::Bf16],
            false => &[Dtype::F32],
        };
        if allowed.contains(&tile.dtype()) {
            return Ok(());
        }
        let names: Vec<_> = allowed.iter().map(|dtype| dtype.name()).collect();
        let message = format!(
            "{}; limit: dtype {} on {}",
            tile.label("dst"),
            names.join(" or "),
            cx.chip.title
        );
        let fault = Fault::new(Code::Dtype, message)
            .on("dst")
            .hint("accumulate in float32 and convert on the way to SBUF with nisa.tensor_copy");
        Err(rules::allocate_as(fault, &tile, Dtype::F32))
    }
}

/// Checks that a transpose that moves bits writes elements that hold those of its source.
pub(super) fn transposable(cx: &OpCx, dst: ViewId, data: ViewId, param: &'static str) -> Result<(), Fault> {
    let (to, from) = (cx.tile(dst), cx.tile(data));
    let padded = from.dtype().bytes() == 1 && to.dtype().bytes() == 2;
    if to.dtype() == from.dtype() || padded {
        return Ok(());
    }
    let message = format!(
        "{} and {} must have the same dtype to transpose",
        to.label("dst"),
        from.label(param)
    );
    let fault = Fault::new(Code::Dtype, message)
        .on("dst")
        .hint(format!("allocate dst as {}", from.dtype().name()));
    Err(rules::allocate_as(fault, &to, from.dtype()))
}

/// Moves the bits of `data`, seen as partitions x elements, transposed to `dst`.
pub(super) fn move_transposed(cx: &mut ExecCx, dst: ViewId, data: ViewId, param: &'static str) -> Result<(), Fault> {
    let tile = cx.tile(data);
    let (rows, columns) = (tile.partitions() as usize, tile.free_elements() as usize);
    let width = tile.dtype().bytes() as usize;
    let source = cx.read_raw(data, param)?;
    let mut result = cx.machine.scratch.bytes(source.len());
    let layout = Layout {
        rows,
        columns,
        source_stride: columns * width,
        result_stride: rows * width,
    };
    transpose::transpose_bytes(width, layout, &source, &mut result);
    cx.machine.scratch.give_bytes(source);
    let target = cx.tile(dst).dtype().bytes() as usize;
    if target == width {
        return cx.write_raw(dst, result);
    }
    let mut wide = cx.machine.scratch.bytes(result.len() / width * target);
    wide.fill(0);
    for (slot, value) in wide.chunks_exact_mut(target).zip(result.chunks_exact(width)) {
        slot[..width].copy_from_slice(value);
    }
    cx.machine.scratch.give_bytes(result);
    cx.write_raw(dst, wide)
}

/// Whether a `k` x `k` matrix is the identity.
fn is_identity(matrix: &[f32], k: usize) -> bool {
    let one = |at: usize| if at / k == at % k { 1.0 } else { 0.0 };
    matrix.len() == k * k && matrix.iter().enumerate().all(|(at, &value)| value == one(at))
}

impl Op for NcMatmul {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (stationary, moving) = (self.stationary.0, self.moving.0);
        check_spaces(cx, self.dst.0, &[(stationary, "stationary"), (moving, "moving")])?;
        if self.perf_mode == PerfMode::DoubleRow {
            self.check_double_row(cx)?;
        }
        self.check_inputs(cx)?;
        if let Err(fault) = rules::same_partitions(cx, (stationary, "stationary"), (moving, "moving")) {
            return Err(fault.hint("the contraction dimension is on the partitions of both operands"));
        }
        self.check_indirect(cx)?;
        let (m, n) = self.columns(cx);
        check_tiling(cx, self.tile_position, self.tile_size, (stationary, m))?;
        check_destination(cx, self.dst.0, m, (moving, n))?;
        self.check_result(cx)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let op = cx.op_cx();
        let k = self.contraction(&op) as usize;
        let moving = cx.read(self.moving.0, "moving")?;
        if self.moves_bits(&op) {
            let identity = is_identity(&moving, k);
            cx.recycle(moving);
            if !identity {
                let message = "is_transpose with a moving matrix that is not the identity; the documents do not say what it gives";
                return Err(Fault::new(Code::Unspecified, message)
                    .on("moving")
                    .hint("give the identity matrix as moving, or leave is_transpose out"));
            }
            return move_transposed(cx, self.dst.0, self.stationary.0, "stationary");
        }
        let stationary = cx.read(self.stationary.0, "stationary")?;
        let accumulate = accumulates(cx, self.dst.0, self.accumulate)?;
        product(cx, self.dst.0, &stationary, &moving, k, accumulate)?;
        cx.recycle(stationary);
        cx.recycle(moving);
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        let (stationary, moving) = (cx.tile(self.stationary.0), cx.tile(self.moving.0));
        let double_row = self.perf_mode == PerfMode::DoubleRow;
        cost::matmul::nc_matmul(cx, &stationary, &moving, double_row, self.is_transpose)
    }
}
