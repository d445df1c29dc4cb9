//! Reductions over the free dimensions and over partitions, cumulative sums and scans.

use crate::base::diag::{Code, Fault};
use crate::ensure;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::ops::activation::check_init;
use crate::isa::ops::column::{self, Bank, Column};
use crate::isa::ops::elementwise::{arithmetic, check_stage};
use crate::isa::param::{Axes, In, Operand32, Out, ReduceCmd};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::numerics::alu::{self, AluOp};
use crate::numerics::dtype::Dtype;
use crate::numerics::reduce::{self, ScanOps};
use crate::op;

op! {
    /// Reduces the last free dimensions of a tile on the Vector Engine, in float32 (or on bits).
    tensor_reduce => TensorReduce on [Vector] since Gen2 [
        deprecated "dtype", "the dtype of dst decides; allocate dst with the dtype you want"
    ] {
        /// Result.
        dst: Out,
        /// Operator of the reduction.
        op: AluOp,
        /// Tile.
        data: In,
        /// Dimensions to reduce: the last ones, without a gap; never dimension 0.
        axis: Axes,
        /// Multiply the result by -1.
        negate: bool = false,
        /// Keep the reduced dimensions with size 1.
        keepdims: bool = false,
    }
}

impl TensorReduce {
    /// Elements that are reduced to one.
    fn width(&self, cx: &OpCx) -> Result<u64, Fault> {
        let data = cx.tile(self.data.0);
        let rank = data.pattern.dims.len();
        let axes = self.axis.resolve(rank)?;
        if axes.contains(&0) {
            let fault = Fault::new(
                Code::Constraint,
                format!(
                    "axis 0 is the partition dimension of {}; limit: free dimensions",
                    data.label("data")
                ),
            );
            return Err(fault.on("axis").hint(
                "transpose the tile first with nisa.nc_transpose, or multiply with a vector of ones with nisa.nc_matmul",
            ));
        }
        if axes.iter().rev().enumerate().any(|(at, &axis)| axis != rank - 1 - at) {
            let message = format!(
                "axis {axes:?} of {}; limit: the last dimensions, without a gap",
                data.label("data")
            );
            return Err(Fault::new(Code::Constraint, message)
                .on("axis")
                .hint("reorder the dimensions of data with an access pattern so that the reduced ones come last"));
        }
        Ok(axes
            .iter()
            .map(|&axis| u64::from(data.pattern.dims[axis].num))
            .product())
    }
}

/// Checks that an operator reduces.
fn reduces(op: AluOp, param: &'static str) -> Result<(), Fault> {
    if op.info().reduces {
        return Ok(());
    }
    let message = format!("{param} {} does not reduce", op.name());
    Err(Fault::new(Code::Constraint, message)
        .on(param)
        .hint("reduce with add, subtract, multiply, maximum, minimum, a logical or a bitwise operator"))
}

impl Op for TensorReduce {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, data) = ((self.dst.0, "dst"), (self.data.0, "data"));
        rules::numeric(cx, &[dst, data])?;
        // The axes come first: a reduction over partitions is the mistake behind the shapes that would be blamed otherwise.
        let width = self.width(cx)?;
        rules::same_partitions(cx, data, dst)?;
        reduces(self.op, "op")?;
        let left = cx.tile(data.0).free_elements() / width.max(1);
        rules::free_is(cx, dst.0, dst.1, left)?;
        if self.op.is_bitvec() {
            rules::integers(cx, &[dst, data], self.op.name())?;
            ensure!(
                !self.negate,
                Constraint on "negate",
            hint "leave negate out; it multiplies by -1",
            "negate needs an arithmetic op, not {}",
                self.op.name()
            );
        }
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = self.width(&cx.op_cx())?.max(1) as usize;
        if self.op.is_bitvec() {
            let data = cx.read_bits(self.data.0, "data")?;
            let out = data
                .chunks_exact(width)
                .map(|row| reduce::reduce_bits(self.op, row))
                .collect();
            cx.machine.scratch.give_words(data);
            return cx.write_bits(self.dst.0, out);
        }
        let data = cx.read(self.data.0, "data")?;
        let mut out = cx.machine.scratch.floats(data.len() / width);
        reduce::reduce_rows_f32(self.op, &data, width, &mut out);
        if self.negate {
            alu::scalar_f32_in_place(AluOp::Multiply, &mut out, -1.0, false);
        }
        cx.recycle(data);
        cx.write(self.dst.0, out)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::one_per_cycle(cx, &cx.tile(self.data.0), false)
    }
}

op! {
    /// Reduces over the partitions of a tile on GpSimd; the result has one partition.
    tensor_partition_reduce => TensorPartitionReduce on [GpSimd] since Gen2 {
        /// Result with one partition.
        dst: Out,
        /// Operator: add, average, maximum, bitwise_or or bitwise_and.
        op: AluOp,
        /// Tile.
        data: In,
    }
}

impl Op for TensorPartitionReduce {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, data) = ((self.dst.0, "dst"), (self.data.0, "data"));
        rules::numeric(cx, &[dst, data])?;
        rules::no_psum(cx, &[dst, data])?;
        let legal = [
            AluOp::Add,
            AluOp::Average,
            AluOp::Maximum,
            AluOp::BitwiseOr,
            AluOp::BitwiseAnd,
        ];
        ensure!(
            legal.contains(&self.op),
            Constraint on "op",
            hint "transpose the tile with nisa.nc_transpose and reduce it with nisa.tensor_reduce",
            "op {}; limit add, average, maximum, bitwise_or, bitwise_and",
            self.op.name()
        );
        let tile = cx.tile(dst.0);
        ensure!(
            tile.partitions() == 1,
            Shape on "dst",
            hint "allocate dst with shape (1, columns)",
            "{} has {} partitions; the result has one",
            tile.label("dst"),
            tile.partitions()
        );
        rules::free_is(cx, dst.0, dst.1, cx.tile(data.0).free_elements())?;
        if self.op.is_bitvec() {
            rules::integers(cx, &[dst, data], self.op.name())?;
        }
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.data.0).free_elements().max(1) as usize;
        if self.op.is_bitvec() {
            let data = cx.read_bits(self.data.0, "data")?;
            let mut out = data[..width].to_vec();
            for row in data.chunks_exact(width).skip(1) {
                let left = out.clone();
                alu::binary_u32(self.op, &left, row, &mut out);
            }
            cx.machine.scratch.give_words(data);
            return cx.write_bits(self.dst.0, out);
        }
        let data = cx.read(self.data.0, "data")?;
        let op = if self.op == AluOp::Average { AluOp::Add } else { self.op };
        let mut out = data[..width].to_vec();
        for row in data.chunks_exact(width).skip(1) {
            alu::update_f32(op, &mut out, row, false);
        }
        if self.op == AluOp::Average {
            let rows = (data.len() / width) as f32;
            alu::scalar_f32_in_place(AluOp::Divide, &mut out, rows, false);
        }
        cx.recycle(data);
        cx.write(self.dst.0, out)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::gpsimd::partition_reduce(cx, &cx.tile(self.data.0))
    }
}

op! {
    /// `dst = data <op0> operand0` with a reduction of the results over each partition, on the Vector Engine.
    tensor_scalar_reduce => TensorScalarReduce on [Vector] since Gen2 {
        /// Result.
        dst: Out,
        /// Tile.
        data: In,
        /// Arithmetic operator.
        op0: AluOp,
        /// A number or a `[P, 1]` float32 tile; `None` or 0 for a unary operator.
        operand0: Option<Operand32>,
        /// Operator of the reduction: add, multiply, maximum or minimum.
        reduce_op: AluOp,
        /// `[P, 1]` tile that receives the accumulation registers.
        reduce_res: Option<Out> = None,
        /// Exchange the operands of `op0`.
        reverse0: bool = false,
        /// What happens to the accumulation registers.
        reduce_cmd: ReduceCmd = ReduceCmd::ResetReduce,
        /// What `load_reduce` loads.
        reduce_init: Option<Operand32> = None,
        /// Negate what is written to `reduce_res`.
        reduce_res_negate: bool = false,
    }
}

impl Op for TensorScalarReduce {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, data) = ((self.dst.0, "dst"), (self.data.0, "data"));
        rules::numeric(cx, &[dst, data])?;
        rules::same_shape(cx, data, dst)?;
        arithmetic(self.op0, "op0")?;
        check_stage(cx, self.op0, self.operand0, ("op0", "operand0"), data, &[Dtype::F32])?;
        ensure!(
            !self.reverse0,
            Unsupported on "reverse0",
            hint "use nisa.tensor_scalar with reverse0, then nisa.tensor_reduce",
            "reverse0 is not supported by NKI yet; use nisa.tensor_scalar"
        );
        let legal = [AluOp::Add, AluOp::Multiply, AluOp::Maximum, AluOp::Minimum];
        ensure!(
            legal.contains(&self.reduce_op),
            Constraint on "reduce_op",
            hint "write the result with nisa.tensor_scalar and reduce it with nisa.tensor_reduce",
            "reduce_op {}; limit add, multiply, maximum, minimum",
            self.reduce_op.name()
        );
        let commands = [ReduceCmd::ResetReduce, ReduceCmd::Reduce, ReduceCmd::LoadReduce];
        ensure!(
            commands.contains(&self.reduce_cmd),
            Constraint on "reduce_cmd",
            hint "start with reset_reduce, go on with reduce",
            "{}; limit reset_reduce, reduce, load_reduce",
            crate::isa::spec::Param::spell(&self.reduce_cmd)
        );
        ensure!(
            self.reduce_cmd != ReduceCmd::LoadReduce || self.reduce_init.is_some(),
            Argument on "reduce_init",
            hint "give reduce_init=, a number or a [P, 1] float32 tile",
            "reduce_cmd load_reduce needs reduce_init"
        );
        check_init(
            cx,
            self.reduce_cmd,
            self.reduce_init.unwrap_or(Operand32::Float(0.0)),
            data,
        )?;
        column::check_result(cx, self.reduce_res.map(|result| result.0), data)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.data.0).free_elements() as usize;
        let zero = Operand32::Float(0.0);
        let operand = Column::read(cx, self.operand0.unwrap_or(zero), "operand0")?;
        let init = Column::read(cx, self.reduce_init.unwrap_or(zero), "reduce_init")?;
        let mut data = cx.read(self.data.0, "data")?;
        operand.apply(self.op0, &mut data, width, false);
        let lane = column::first_lane(&cx.tile(self.data.0));
        Bank::Vector.reduce(cx, lane, &data, width, self.reduce_op, self.reduce_cmd, &init)?;
        if let Some(result) = self.reduce_res {
            let mut registers = Bank::Vector.load(cx, lane, data.len() / width.max(1))?;
            if self.reduce_res_negate {
                alu::scalar_f32_in_place(AluOp::Multiply, &mut registers, -1.0, false);
            }
            cx.write(result.0, registers)?;
        }
        cx.write(self.dst.0, data)
    }

    fn work(&self, cx: &OpCx) -> Work {
        let tile = self.operand0.and_then(Operand32::tile).is_some();
        cost::lanes::one_per_cycle(cx, &cx.tile(self.data.0), tile)
    }
}

op! {
    /// Running reduction along each partition: `reg = (src[i] <op0> imm0) <op1> reg; dst[i] = reg`.
    tensor_scalar_cumulative => TensorScalarCumulative on [Vector] since Gen2 {
        /// Result.
        dst: Out,
        /// Tile.
        src: In,
        /// Arithmetic operator with `imm0`.
        op0: AluOp,
        /// Operator of the running reduction: add, subtract, multiply, maximum or minimum.
        op1: AluOp,
        /// A number or a `[P, 1]` float32 tile.
        imm0: Operand32,
        /// What `load_reduce` loads.
        imm1: Option<Operand32> = None,
        /// What happens to the accumulation registers.
        reduce_cmd: ReduceCmd = ReduceCmd::ResetReduce,
    }
}

/// Dtypes of cumulative reductions.
const CUMULATIVE: &[Dtype] = &[
    Dtype::Bf16,
    Dtype::F16,
    Dtype::F32,
    Dtype::F8E4m3,
    Dtype::F8E4m3fn,
    Dtype::F8E5m2,
    Dtype::U8,
    Dtype::U16,
    Dtype::I8,
    Dtype::I16,
];

impl Op for TensorScalarCumulative {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, src) = ((self.dst.0, "dst"), (self.src.0, "src"));
        rules::numeric(cx, &[dst, src])?;
        rules::same_shape(cx, src, dst)?;
        rules::dtype(cx, dst.0, dst.1, CUMULATIVE)?;
        rules::dtype(cx, src.0, src.1, CUMULATIVE)?;
        arithmetic(self.op0, "op0")?;
        check_stage(cx, self.op0, Some(self.imm0), ("op0", "imm0"), src, &[Dtype::F32])?;
        let legal = [
            AluOp::Add,
            AluOp::Subtract,
            AluOp::Multiply,
            AluOp::Maximum,
            AluOp::Minimum,
        ];
        ensure!(
            legal.contains(&self.op1),
            Constraint on "op1",
            hint "use nisa.tensor_tensor_scan for other operators",
            "op1 {}; limit add, subtract, multiply, maximum, minimum",
            self.op1.name()
        );
        let commands = [ReduceCmd::ResetReduce, ReduceCmd::Reduce, ReduceCmd::LoadReduce];
        ensure!(
            commands.contains(&self.reduce_cmd),
            Constraint on "reduce_cmd",
            hint "start with reset_reduce, go on with reduce",
            "{}; limit reset_reduce, reduce, load_reduce",
            crate::isa::spec::Param::spell(&self.reduce_cmd)
        );
        ensure!(
            (self.reduce_cmd == ReduceCmd::LoadReduce) == self.imm1.is_some(),
            Argument on "imm1",
            hint "give imm1 together with reduce_cmd=nisa.reduce_cmd.load_reduce, or neither",
            "imm1 goes with reduce_cmd load_reduce, and only with it"
        );
        match self.imm1 {
            Some(imm1) => rules::scalar(cx, imm1, "imm1", src, &[Dtype::F32]),
            None => Ok(()),
        }
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.src.0).free_elements().max(1) as usize;
        let init = Column::read(cx, self.imm1.unwrap_or(Operand32::Float(0.0)), "imm1")?;
        let operand = Column::read(cx, self.imm0, "imm0")?;
        let mut data = cx.read(self.src.0, "src")?;
        operand.apply(self.op0, &mut data, width, false);
        let lane = column::first_lane(&cx.tile(self.src.0));
        let rows = data.len() / width;
        let start: Vec<f32> = match self.reduce_cmd {
            ReduceCmd::Reduce => Bank::Vector.load(cx, lane, rows)?,
            ReduceCmd::LoadReduce => (0..rows).map(|row| init.at(row)).collect(),
            ReduceCmd::Idle | ReduceCmd::Reset | ReduceCmd::ResetReduce => {
                vec![reduce::identity(self.op1).unwrap_or(0.0); rows]
            }
        };
        let last: Vec<f32> = data
            .chunks_exact_mut(width)
            .zip(start)
            .map(|(row, start)| reduce::cumulative_f32(self.op1, start, row))
            .collect();
        Bank::Vector.set(cx, lane, &last);
        cx.write(self.dst.0, data)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::scan(cx, &cx.tile(self.dst.0))
    }
}

op! {
    /// Scan of two tiles along each partition: `dst[i] = (data0[i] <op0> dst[i - 1]) <op1> data1[i]`, from `initial`.
    tensor_tensor_scan => TensorTensorScan on [Vector] since Gen2 {
        /// Result.
        dst: Out,
        /// First tile.
        data0: In,
        /// Second tile.
        data1: In,
        /// Start: a number or a `[P, 1]` tile.
        initial: Operand32,
        /// First operator.
        op0: AluOp,
        /// Second operator.
        op1: AluOp,
        /// Exchange the operands of `op0`.
        reverse0: bool = false,
        /// Exchange the operands of `op1`.
        reverse1: bool = false,
    }
}

impl Op for TensorTensorScan {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, a, b) = ((self.dst.0, "dst"), (self.data0.0, "data0"), (self.data1.0, "data1"));
        rules::numeric(cx, &[dst, a, b])?;
        rules::same_shape(cx, a, b)?;
        rules::same_shape(cx, a, dst)?;
        rules::not_both_psum(cx, a, b)?;
        for (op, param) in [(self.op0, "op0"), (self.op1, "op1")] {
            arithmetic(op, param)?;
            if op.info().arity != alu::Arity::Binary {
                let message = format!("{param} {} is not a binary operator", op.name());
                return Err(Fault::new(Code::Constraint, message)
                    .on(param)
                    .hint("apply unary operators to the tile first, with nisa.tensor_scalar or nisa.activation"));
            }
        }
        rules::scalar(cx, self.initial, "initial", a, &[])
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.data0.0).free_elements().max(1) as usize;
        let initial = Column::read(cx, self.initial, "initial")?;
        let a = cx.read(self.data0.0, "data0")?;
        let b = cx.read(self.data1.0, "data1")?;
        let mut out = cx.machine.scratch.floats(a.len());
        let ops = ScanOps {
            op0: self.op0,
            op1: self.op1,
            reverse0: self.reverse0,
            reverse1: self.reverse1,
        };
        let rows = a
            .chunks_exact(width)
            .zip(b.chunks_exact(width))
            .zip(out.chunks_exact_mut(width));
        for (row, ((a, b), out)) in rows.enumerate() {
            reduce::scan_f32(ops, initial.at(row), a, b, out);
        }
        cx.recycle(a);
        cx.recycle(b);
        cx.write(self.dst.0, out)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::scan(cx, &cx.tile(self.dst.0))
    }
}
