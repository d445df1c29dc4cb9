//! Patterns and selections: `iota`, `affine_select`, `range_select`, `select_reduce`, `nc_stream_shuffle`.

use crate::base::diag::{Code, Fault};
use crate::ensure;
use crate::isa::access;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::ops::column::{self, Bank, Column};
use crate::isa::ops::copy::element;
use crate::isa::param::{FillMinimum, In, InOut, Operand32, Out, ReduceCmd, Shuffle, Strides};
use crate::isa::rules;
use crate::isa::spec::{Op, Param};
use crate::isa::work::Work;
use crate::numerics::alu::{self, AluOp};
use crate::numerics::cast::{self, Mode};
use crate::numerics::dtype::Dtype;
use crate::op;
use crate::tensor::view::ViewId;

op! {
    /// Fills a tile with an affine pattern on GpSimd: `offset + partition * channel_multiplier + w * step_w + ... + x * step_x`.
    ///
    /// Values are 32-bit integers, converted to the dtype of `dst`.
    iota => Iota on [GpSimd] since Gen2 {
        /// Tile in SBUF.
        dst: Out,
        /// Up to four `[step, num]` loops, outermost first.
        pattern: Strides,
        /// Added to every value.
        offset: i32 = 0,
        /// Added once for each partition.
        channel_multiplier: i32 = 0,
    }
}

/// Checks a pattern against the elements of a tile.
fn check_pattern(cx: &OpCx, pattern: &Strides, view: ViewId, param: &'static str) -> Result<(), Fault> {
    let tile = cx.tile(view);
    let (have, need) = (pattern.elements(), tile.free_elements());
    if have == need {
        return Ok(());
    }
    let message = format!(
        "pattern has {have} elements, {} has {need} per partition; they must be equal",
        tile.label(param)
    );
    Err(Fault::new(Code::Shape, message).on("pattern").hint(format!(
        "the counts of pattern multiply to the elements of a partition, for example [[1, {need}]]"
    )))
}

/// The values of an affine expression on `partitions` partitions.
fn affine(pattern: &Strides, partitions: usize, offset: i32, multiplier: i32) -> Vec<i32> {
    let row = pattern.values();
    let mut values = Vec::with_capacity(row.len() * partitions);
    for partition in 0..partitions as i32 {
        let base = offset.wrapping_add(partition.wrapping_mul(multiplier));
        values.extend(row.iter().map(|value| value.wrapping_add(base)));
    }
    values
}

impl Op for Iota {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        rules::sbuf(cx, self.dst.0, "dst")?;
        rules::unpacked(cx, self.dst.0, "dst")?;
        check_pattern(cx, &self.pattern, self.dst.0, "dst")
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let partitions = cx.tile(self.dst.0).partitions() as usize;
        let values = affine(&self.pattern, partitions, self.offset, self.channel_multiplier);
        cx.machine.write_i32(cx.tables, self.dst.0, &values)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::gpsimd::index(cx, &cx.tile(self.dst.0))
    }
}

op! {
    /// Takes elements of a tile where an affine expression compares with 0, and a constant elsewhere, on GpSimd.
    affine_select => AffineSelect on [GpSimd] since Gen2 {
        /// Result in SBUF.
        dst: Out,
        /// Up to four `[step, num]` loops, outermost first.
        pattern: Strides,
        /// Added to the expression once for each partition.
        channel_multiplier: i32,
        /// Tile in SBUF to take elements from.
        on_true_tile: In,
        /// Constant for the other elements.
        on_false_value: f32,
        /// Comparison of the expression with 0.
        cmp_op: AluOp = AluOp::Equal,
        /// Added to the expression.
        offset: i32 = 0,
    }
}

/// Comparison operators.
const COMPARISONS: &[AluOp] = &[
    AluOp::Equal,
    AluOp::NotEqual,
    AluOp::Less,
    AluOp::LessEqual,
    AluOp::Greater,
    AluOp::GreaterEqual,
];

/// Checks a comparison operator.
fn check_comparison(op: AluOp, param: &'static str, allowed: &[AluOp]) -> Result<(), Fault> {
    if allowed.contains(&op) {
        return Ok(());
    }
    let names: Vec<_> = allowed.iter().map(|op| op.name()).collect();
    let message = format!("{param} {}; limit {}", op.name(), names.join(", "));
    Err(Fault::new(Code::Constraint, message)
        .on(param)
        .hint("write the condition with one of these comparisons"))
}

/// Elements of a tile in the dtype of `dst`: bits if the dtypes agree, through float32 otherwise.
fn converted(cx: &mut ExecCx, from: ViewId, param: &'static str, to: Dtype) -> Result<Vec<u8>, Fault> {
    let dtype = cx.tile(from).dtype();
    if dtype == to {
        return cx.read_raw(from, param);
    }
    let values = cx.read(from, param)?;
    let mut bytes = cx.machine.scratch.bytes(values.len() * to.bytes() as usize);
    cast::encode_f32(to, &values, &mut bytes, Mode::Chip);
    cx.recycle(values);
    Ok(bytes)
}

impl Op for AffineSelect {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, source) = ((self.dst.0, "dst"), (self.on_true_tile.0, "on_true_tile"));
        for (view, param) in [dst, source] {
            rules::sbuf(cx, view, param)?;
            rules::unpacked(cx, view, param)?;
        }
        rules::same_shape(cx, dst, source)?;
        check_comparison(self.cmp_op, "cmp_op", COMPARISONS)?;
        check_pattern(cx, &self.pattern, dst.0, dst.1)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let tile = cx.tile(self.dst.0);
        let dtype = tile.dtype();
        let partitions = tile.partitions() as usize;
        let values = affine(&self.pattern, partitions, self.offset, self.channel_multiplier);
        let mut holds = vec![0; values.len()];
        alu::scalar_i32(self.cmp_op, &values, 0, false, &mut holds);
        let mut bytes = converted(cx, self.on_true_tile.0, "on_true_tile", dtype)?;
        let other = element(dtype, Operand32::Float(self.on_false_value));
        for (slot, &holds) in bytes.chunks_exact_mut(other.len()).zip(&holds) {
            if holds == 0 {
                slot.copy_from_slice(&other);
            }
        }
        cx.write_raw(self.dst.0, bytes)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::gpsimd::index(cx, &cx.tile(self.dst.0))
    }
}

op! {
    /// Takes elements whose index passes two comparisons with bounds of their partition, the most negative float32 elsewhere;
    /// also reduces the result to its maximum.
    range_select => RangeSelect on [Vector] since Gen3 {
        /// Result.
        dst: Out,
        /// Tile to take elements from; a float dtype.
        on_true_tile: In,
        /// Comparison of the index with `bound0`.
        comp_op0: AluOp,
        /// Comparison of the index with `bound1`.
        comp_op1: AluOp,
        /// `[P, 1]` float32 tile.
        bound0: In,
        /// `[P, 1]` float32 tile.
        bound1: In,
        /// What happens to the accumulation registers.
        reduce_cmd: ReduceCmd = ReduceCmd::ResetReduce,
        /// `[P, 1]` tile that receives the accumulation registers.
        reduce_res: Option<Out> = None,
        /// Operator of the reduction: `nl.maximum`.
        reduce_op: AluOp = AluOp::Maximum,
        /// Index of the first element.
        range_start: i32 = 0,
        /// Value of the other elements; the hardware has only one.
        on_false_value: FillMinimum = FillMinimum,
    }
}

/// Checks the reduction of a selection.
fn check_maximum(op: AluOp, cmd: ReduceCmd, allowed: &[ReduceCmd]) -> Result<(), Fault> {
    ensure!(
        op == AluOp::Maximum,
        Constraint on "reduce_op",
        hint "leave reduce_op out, and reduce with nisa.tensor_reduce for other operators",
        "reduce_op {}; limit maximum",
        op.name()
    );
    if allowed.contains(&cmd) {
        return Ok(());
    }
    let names: Vec<_> = allowed.iter().map(Param::spell).collect();
    Err(
        Fault::new(Code::Constraint, format!("{}; limit {}", cmd.spell(), names.join(", ")))
            .on("reduce_cmd")
            .hint("start with reset_reduce, go on with reduce"),
    )
}

/// Largest index that float32 counts exactly.
const EXACT: i64 = 1 << 24;

impl Op for RangeSelect {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, source) = ((self.dst.0, "dst"), (self.on_true_tile.0, "on_true_tile"));
        rules::numeric(cx, &[dst, source])?;
        rules::same_shape(cx, source, dst)?;
        let tile = cx.tile(source.0);
        ensure!(
            tile.dtype().is_float(),
            Dtype on "on_true_tile",
            hint "convert it first with nisa.tensor_copy into a float32 or bfloat16 tile",
            "{}; limit: a float dtype",
            tile.label("on_true_tile")
        );
        let ordered: Vec<_> = COMPARISONS
            .iter()
            .copied()
            .filter(|&op| op != AluOp::NotEqual)
            .collect();
        check_comparison(self.comp_op0, "comp_op0", &ordered)?;
        check_comparison(self.comp_op1, "comp_op1", &ordered)?;
        for (view, param) in [(self.bound0.0, "bound0"), (self.bound1.0, "bound1")] {
            rules::column(cx, view, param, source)?;
            rules::dtype(cx, view, param, &[Dtype::F32])?;
        }
        let last = i64::from(self.range_start) + tile.free_elements() as i64;
        ensure!(
            i64::from(self.range_start) > -EXACT && last <= EXACT,
            Constraint on "range_start",
            hint "split the row into pieces and give each its own range_start",
            "indices run from {} to {last}; limit 2^24",
            self.range_start
        );
        check_maximum(
            self.reduce_op,
            self.reduce_cmd,
            &[ReduceCmd::Idle, ReduceCmd::Reduce, ReduceCmd::ResetReduce],
        )?;
        column::check_result(cx, self.reduce_res.map(|result| result.0), source)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.on_true_tile.0).free_elements() as usize;
        let low = cx.read(self.bound0.0, "bound0")?;
        let high = cx.read(self.bound1.0, "bound1")?;
        let mut data = cx.read(self.on_true_tile.0, "on_true_tile")?;
        let start = self.range_start;
        let index: Vec<f32> = (0..width as i32).map(|at| start.wrapping_add(at) as f32).collect();
        let (mut first, mut second) = (vec![0.0; width], vec![0.0; width]);
        for ((row, &low), &high) in data.chunks_exact_mut(width.max(1)).zip(&low).zip(&high) {
            alu::scalar_f32(self.comp_op0, &index, low, false, &mut first);
            alu::scalar_f32(self.comp_op1, &index, high, false, &mut second);
            for ((value, &first), &second) in row.iter_mut().zip(&first).zip(&second) {
                if first == 0.0 || second == 0.0 {
                    *value = f32::MIN;
                }
            }
        }
        let plan = Maximum {
            dst: self.dst.0,
            lanes_of: self.on_true_tile.0,
            cmd: self.reduce_cmd,
            result: self.reduce_res.map(|result| result.0),
        };
        plan.finish(cx, data, width)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::one_per_cycle(cx, &cx.tile(self.on_true_tile.0), true)
    }
}

/// The reduction of a selection to its maximum.
struct Maximum {
    dst: ViewId,
    lanes_of: ViewId,
    cmd: ReduceCmd,
    result: Option<ViewId>,
}

impl Maximum {
    /// Reduces, stores the registers and the selection.
    fn finish(&self, cx: &mut ExecCx, data: Vec<f32>, width: usize) -> Result<(), Fault> {
        let lane = column::first_lane(&cx.tile(self.lanes_of));
        let none = Column::Constant(0.0);
        Bank::Vector.reduce(cx, lane, &data, width, AluOp::Maximum, self.cmd, &none)?;
        if let Some(result) = self.result {
            let registers = Bank::Vector.load(cx, lane, data.len() / width.max(1))?;
            cx.write(result, registers)?;
        }
        cx.write(self.dst, data)
    }
}

op! {
    /// Takes elements of a tile where a predicate holds, a constant or one value per partition elsewhere; can also reduce the
    /// result to its maximum.
    select_reduce => SelectReduce on [Vector] since Gen2 {
        /// Result.
        dst: Out,
        /// Integers; an element holds where it is not zero.
        predicate: In,
        /// Tile to take elements from.
        on_true: In,
        /// A number or a `[P, 1]` tile.
        on_false: Operand32,
        /// `[P, 1]` tile that receives the accumulation registers.
        reduce_res: Option<Out> = None,
        /// What happens to the accumulation registers.
        reduce_cmd: ReduceCmd = ReduceCmd::Idle,
        /// Operator of the reduction: `nl.maximum`.
        reduce_op: AluOp = AluOp::Maximum,
        /// Take elements where the predicate does not hold.
        reverse_pred: bool = false,
    }
}

impl Op for SelectReduce {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, predicate, source) = (
            (self.dst.0, "dst"),
            (self.predicate.0, "predicate"),
            (self.on_true.0, "on_true"),
        );
        rules::numeric(cx, &[dst, predicate, source])?;
        rules::same_shape(cx, source, predicate)?;
        rules::same_shape(cx, source, dst)?;
        rules::not_both_psum(cx, source, predicate)?;
        rules::dtype(
            cx,
            predicate.0,
            predicate.1,
            &[Dtype::I8, Dtype::U8, Dtype::I16, Dtype::U16],
        )?;
        let tile = cx.tile(source.0);
        ensure!(
            ![Dtype::Tf32, Dtype::I32, Dtype::U32].contains(&tile.dtype()),
            Dtype on "on_true",
            hint "convert it first with nisa.tensor_copy into float32, or use nisa.tensor_copy_predicated",
            "{}; limit: any dtype but tfloat32, int32 and uint32",
            tile.label("on_true")
        );
        rules::scalar(cx, self.on_false, "on_false", source, &[])?;
        check_maximum(
            self.reduce_op,
            self.reduce_cmd,
            &[ReduceCmd::Idle, ReduceCmd::Reduce, ReduceCmd::ResetReduce],
        )?;
        if let Some(result) = self.reduce_res {
            let tile = cx.tile(result.0);
            ensure!(
                tile.dtype().is_float(),
                Dtype on "reduce_res",
                hint "allocate reduce_res as float32",
                "{}; limit: a float dtype",
                tile.label("reduce_res")
            );
        }
        column::check_result(cx, self.reduce_res.map(|result| result.0), source)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.on_true.0).free_elements() as usize;
        let predicate = cx.read_bits(self.predicate.0, "predicate")?;
        let other = Column::read(cx, self.on_false, "on_false")?;
        let mut data = cx.read(self.on_true.0, "on_true")?;
        let rows = data
            .chunks_exact_mut(width.max(1))
            .zip(predicate.chunks_exact(width.max(1)));
        for (partition, (row, predicate)) in rows.enumerate() {
            let other = other.at(partition);
            for (value, &holds) in row.iter_mut().zip(predicate) {
                if (holds != 0) == self.reverse_pred {
                    *value = other;
                }
            }
        }
        cx.machine.scratch.give_words(predicate);
        let plan = Maximum {
            dst: self.dst.0,
            lanes_of: self.on_true.0,
            cmd: self.reduce_cmd,
            result: self.reduce_res.map(|result| result.0),
        };
        plan.finish(cx, data, width)
    }

    fn work(&self, cx: &OpCx) -> Work {
        let (dst, source, predicate) = (cx.tile(self.dst.0), cx.tile(self.on_true.0), cx.tile(self.predicate.0));
        cost::lanes::two_inputs_plain(cx, &dst, &source, &predicate)
    }
}

op! {
    /// Moves partitions inside each group of 32 by a mask, on the Vector Engine.
    nc_stream_shuffle => NcStreamShuffle on [Vector] since Gen2 {
        /// Tile to write; partitions with mask 255 stay as they are.
        dst: InOut,
        /// Tile to read.
        src: In,
        /// For each of 32 partitions the partition to copy from, or 255.
        shuffle_mask: Shuffle,
    }
}

impl NcStreamShuffle {
    /// The source partition of each partition of `dst`.
    fn rows(&self, partitions: usize) -> impl Iterator<Item = (usize, usize)> {
        let mask = self.shuffle_mask.0;
        (0..partitions).filter_map(move |row| {
            let from = mask[row % 32];
            (from != Shuffle::KEEP).then_some((row, row / 32 * 32 + usize::from(from)))
        })
    }
}

impl Op for NcStreamShuffle {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, src) = ((self.dst.0, "dst"), (self.src.0, "src"));
        rules::on_chip(cx, dst.0, dst.1)?;
        rules::on_chip(cx, src.0, src.1)?;
        rules::same_dtype(cx, dst, src)?;
        rules::free_is(cx, dst.0, dst.1, cx.tile(src.0).free_elements())?;
        let active = cx.tile(src.0).partitions().max(cx.tile(dst.0).partitions());
        for (view, param) in [dst, src] {
            access::starts(cx, &cx.tile(view), param, active)?;
        }
        let have = cx.tile(src.0).partitions() as usize;
        let missing = self
            .rows(cx.tile(dst.0).partitions() as usize)
            .find(|&(_, from)| from >= have);
        if let Some((row, from)) = missing {
            let message = format!(
                "partition {row} of dst comes from partition {from}; {} has {have}",
                cx.tile(src.0).label("src")
            );
            return Err(Fault::new(Code::OutOfBounds, message)
                .on("shuffle_mask")
                .hint("write 255 for rows that stay as they are, or give src all the rows that the mask names"));
        }
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let mut source = cx.machine.layout(cx.tables, self.src.0, false)?;
        let mut target = cx.machine.layout(cx.tables, self.dst.0, false)?;
        let width = cx.tile(self.src.0).free_elements() as usize;
        let (from, to) = (source.offsets(), target.offsets());
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (row, origin) in self.rows(cx.tile(self.dst.0).partitions() as usize) {
            reads.extend_from_slice(&from[origin * width..(origin + 1) * width]);
            writes.extend_from_slice(&to[row * width..(row + 1) * width]);
        }
        source.count = reads.len();
        source.table = Some(reads);
        target.count = writes.len();
        target.table = Some(writes);
        let bytes = cx.machine.read_layout(cx.tables, self.src.0, "src", &source)?;
        cx.machine.write_layout(cx.tables, self.dst.0, &target, &bytes)?;
        cx.machine.scratch.give_bytes(bytes);
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::one_per_cycle(cx, &cx.tile(self.src.0), false)
    }
}
