//! Activation functions of the Scalar Engine, and the exponential of the Vector Engine.

use crate::base::diag::{Code, Fault};
use crate::ensure;
use crate::isa::access;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::ops::column::{self, Bank, Column};
use crate::isa::param::{In, Operand32, Out, ReduceCmd};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::numerics::activation::{self, Activation as Function, ValidRange};
use crate::numerics::alu::AluOp;
use crate::numerics::dtype::Dtype;
use crate::numerics::math;
use crate::op;
use crate::tensor::view::ViewId;

op! {
    /// `dst = op(data * scale + bias)` on the Scalar Engine, in float32, with an optional running sum over each partition.
    activation => Activation on [Scalar] since Gen2 [
        deprecated "dtype", "the dtype of dst decides; allocate dst with the dtype you want"
    ] {
        /// Result.
        dst: Out,
        /// Activation function.
        op: Function,
        /// Tile.
        data: In,
        /// Added before the function: a number (NeuronCore-v3 on) or a `[P, 1]` tile.
        bias: Option<Operand32> = None,
        /// Multiplied before `bias` is added: a number or a `[P, 1]` float32 tile.
        scale: Operand32 = Operand32::Float(1.0),
        /// Operator of the reduction: `nl.add`.
        reduce_op: Option<AluOp> = None,
        /// `[P, 1]` tile that receives the accumulation registers.
        reduce_res: Option<Out> = None,
        /// What happens to the accumulation registers.
        reduce_cmd: ReduceCmd = ReduceCmd::Idle,
    }
}

op! {
    /// As `activation` with a reduction of the results over each partition into `reduce_res`.
    activation_reduce => ActivationReduce on [Scalar] since Gen2 [
        deprecated "dtype", "the dtype of dst decides; allocate dst with the dtype you want"
    ] {
        /// Result.
        dst: Out,
        /// Activation function.
        op: Function,
        /// Tile.
        data: In,
        /// Operator of the reduction.
        reduce_op: AluOp,
        /// `[P, 1]` tile that receives the reduction.
        reduce_res: Option<Out>,
        /// Added before the function: a number (NeuronCore-v3 on) or a `[P, 1]` tile.
        bias: Option<Operand32> = None,
        /// Multiplied before `bias` is added: a number or a `[P, 1]` float32 tile.
        scale: Operand32 = Operand32::Float(1.0),
    }
}

/// Reductions of the Scalar Engine from NeuronCore-v4 on.
const REDUCTIONS: &[AluOp] = &[AluOp::Add, AluOp::Maximum, AluOp::Minimum, AluOp::AbsMax, AluOp::AbsMin];

/// Checks a reduction operator of the Scalar Engine.
fn check_reduction(cx: &OpCx, op: Option<AluOp>, cmd: ReduceCmd, wide: bool) -> Result<(), Fault> {
    ensure!(
        cmd != ReduceCmd::LoadReduce,
        Constraint on "reduce_cmd",
            hint "load_reduce is for the Vector Engine; start here with reset_reduce",
            "reduce_cmd load_reduce does not exist on the Scalar Engine; limit idle, reset, reduce, reset_reduce"
    );
    let Some(op) = op else {
        let fault = Fault::new(Code::Argument, "reduce_cmd reduces, but reduce_op is None").on("reduce_op");
        return match cmd {
            ReduceCmd::Reduce | ReduceCmd::ResetReduce => Err(fault.hint("give reduce_op=nl.add")),
            ReduceCmd::Idle | ReduceCmd::Reset | ReduceCmd::LoadReduce => Ok(()),
        };
    };
    let allowed = if wide && cx.chip.rules.scalar_reduce.get() {
        REDUCTIONS
    } else {
        &REDUCTIONS[..1]
    };
    if allowed.contains(&op) {
        return Ok(());
    }
    let names: Vec<_> = allowed.iter().map(|op| op.name()).collect();
    let message = format!(
        "reduce_op {}; limit {} on {}",
        op.name(),
        names.join(", "),
        cx.chip.title
    );
    Err(Fault::new(Code::Constraint, message)
        .on("reduce_op")
        .hint("reduce with nisa.tensor_reduce instead"))
}

/// Checks that a function has all it needs in `activation`.
fn check_function(op: Function) -> Result<(), Fault> {
    if op != Function::Prelu {
        return Ok(());
    }
    Err(Fault::new(
        Code::Unspecified,
        "op prelu needs a slope, and only activate2 has a parameter for it",
    )
    .on("op")
    .hint("use nisa.activate2(..., op=nl.prelu, relu_param=slope)"))
}

/// Warns if a value lies where the hardware's approximation of a function is not valid.
fn note_range(cx: &mut ExecCx, op: Function, data: &[f32]) {
    let Some(at) = activation::first_outside(op, data) else {
        return;
    };
    let range = match op.valid() {
        ValidRange::Within(low, high) => format!("{low:e} to {high:e}"),
        ValidRange::Magnitude(low, high) => format!("magnitudes {low:e} to {high:e}"),
        ValidRange::All => return,
    };
    let message = format!(
        "op {} gets {:?}; the Scalar Engine is valid for {range} and gives something else outside",
        op.name(),
        data[at]
    );
    cx.machine.notes.push(
        Fault::new(Code::Unspecified, message)
            .on("data")
            .hint("bring the values into the range first, for example with nisa.tensor_scalar and nl.maximum"),
    );
}

impl Activation {
    /// Applies scale, bias and function.
    fn values(&self, cx: &mut ExecCx) -> Result<(Vec<f32>, usize), Fault> {
        let width = cx.tile(self.data.0).free_elements() as usize;
        let scale = Column::read(cx, self.scale, "scale")?;
        let bias = match self.bias {
            Some(bias) => Some(Column::read(cx, bias, "bias")?),
            None => None,
        };
        let mut data = cx.read(self.data.0, "data")?;
        if self.scale.constant() != Some(1.0) {
            scale.apply(AluOp::Multiply, &mut data, width, false);
        }
        if let Some(bias) = bias {
            bias.apply(AluOp::Add, &mut data, width, false);
        }
        note_range(cx, self.op, &data);
        activation::apply_in_place(self.op, &mut data, 0.0);
        Ok((data, width))
    }
}

/// Reduces into the registers of an engine, stores them, and writes `dst`.
struct Finish {
    bank: Bank,
    dst: ViewId,
    lanes_of: ViewId,
    op: AluOp,
    cmd: ReduceCmd,
    result: Option<ViewId>,
    init: Column,
}

impl Finish {
    /// Does it.
    fn run(&self, cx: &mut ExecCx, data: Vec<f32>, width: usize) -> Result<(), Fault> {
        let lane = column::first_lane(&cx.tile(self.lanes_of));
        self.bank
            .reduce(cx, lane, &data, width, self.op, self.cmd, &self.init)?;
        if let Some(result) = self.result {
            let registers = self.bank.load(cx, lane, data.len() / width.max(1))?;
            cx.write(result, registers)?;
        }
        cx.write(self.dst, data)
    }
}

impl Op for Activation {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, data) = ((self.dst.0, "dst"), (self.data.0, "data"));
        rules::numeric(cx, &[dst, data])?;
        rules::same_shape(cx, data, dst)?;
        check_function(self.op)?;
        rules::scalar(cx, self.scale, "scale", data, &[Dtype::F32])?;
        if let Some(bias) = self.bias {
            if bias.tile().is_none() && !cx.chip.rules.scalar_bias.get() {
                let message = format!("bias is a number; limit: a [P, 1] tile on {}", cx.chip.title);
                return Err(Fault::new(Code::Constraint, message)
                    .on("bias")
                    .hint("fill a [P, 1] tile with nisa.memset and give that"));
            }
            if self.op == Function::Reciprocal && !cx.chip.rules.reciprocal_bias.get() {
                let message = format!("op reciprocal takes no bias on {}", cx.chip.title);
                return Err(Fault::new(Code::Constraint, message)
                    .on("bias")
                    .hint("add the bias first with nisa.tensor_scalar, or use nisa.reciprocal")
                    .source(cx.chip.rules.reciprocal_bias.source));
            }
            rules::scalar(cx, bias, "bias", data, &[])?;
            let tf32 = bias.tile().is_some_and(|view| cx.tile(view).dtype() == Dtype::Tf32);
            ensure!(
                !tf32,
                Dtype on "bias",
                hint "allocate the bias as float32",
                "bias is tfloat32; any other dtype is allowed"
            );
        }
        check_reduction(cx, self.reduce_op, self.reduce_cmd, false)?;
        column::check_result(cx, self.reduce_res.map(|result| result.0), data)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let (data, width) = self.values(cx)?;
        let finish = Finish {
            bank: Bank::Scalar,
            dst: self.dst.0,
            lanes_of: self.data.0,
            op: self.reduce_op.unwrap_or(AluOp::Add),
            cmd: self.reduce_cmd,
            result: self.reduce_res.map(|result| result.0),
            init: Column::Constant(0.0),
        };
        finish.run(cx, data, width)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::activation(
            cx,
            &cx.tile(self.dst.0),
            &cx.tile(self.data.0),
            self.reduce_res.is_some(),
        )
    }
}

impl ActivationReduce {
    /// The same as an `activation` that resets and reduces.
    fn as_activation(&self) -> Activation {
        Activation {
            dst: self.dst,
            op: self.op,
            data: self.data,
            bias: self.bias,
            scale: self.scale,
            reduce_op: Some(self.reduce_op),
            reduce_res: self.reduce_res,
            reduce_cmd: ReduceCmd::ResetReduce,
        }
    }
}

impl Op for ActivationReduce {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        check_reduction(cx, Some(self.reduce_op), ReduceCmd::ResetReduce, true)?;
        let add = Activation {
            reduce_op: Some(AluOp::Add),
            ..self.as_activation()
        };
        add.check(cx)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        self.as_activation().execute(cx)
    }

    fn work(&self, cx: &OpCx) -> Work {
        self.as_activation().work(cx)
    }
}

op! {
    /// `dst = op((data <op0> imm0) <op1> imm1)` on the Scalar Engine, with an optional reduction.
    activate2 => Activate2 on [Scalar] since Gen4 {
        /// Result.
        dst: Out,
        /// Activation function.
        op: Function,
        /// Tile.
        data: In,
        /// Operand of `op0`: a number or a `[P, 1]` tile.
        imm0: Operand32,
        /// Operand of `op1`: a number or a `[P, 1]` tile.
        imm1: Operand32,
        /// First operator: multiply, add, subtract or bypass.
        op0: AluOp,
        /// Second operator: add, subtract or bypass.
        op1: AluOp,
        /// Parameter of the function: the slope of `prelu`.
        relu_param: Operand32 = Operand32::Float(0.0),
        /// Exchange the operands of `op0`.
        reverse0: bool = false,
        /// Exchange the operands of `op1`.
        reverse1: bool = false,
        /// Operator of the reduction.
        reduce_op: Option<AluOp> = None,
        /// `[P, 1]` tile that receives the accumulation registers.
        reduce_res: Option<Out> = None,
        /// What happens to the accumulation registers.
        reduce_cmd: ReduceCmd = ReduceCmd::Idle,
    }
}

/// Pairs of operators in front of the function.
const PAIRS: &[(AluOp, AluOp)] = &[
    (AluOp::Multiply, AluOp::Add),
    (AluOp::Multiply, AluOp::Subtract),
    (AluOp::Multiply, AluOp::Bypass),
    (AluOp::Add, AluOp::Bypass),
    (AluOp::Subtract, AluOp::Bypass),
    (AluOp::Bypass, AluOp::Bypass),
];

impl Op for Activate2 {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, data) = ((self.dst.0, "dst"), (self.data.0, "data"));
        rules::numeric(cx, &[dst, data])?;
        rules::same_shape(cx, data, dst)?;
        if !PAIRS.contains(&(self.op0, self.op1)) {
            let pairs: Vec<_> = PAIRS
                .iter()
                .map(|(a, b)| format!("({}, {})", a.name(), b.name()))
                .collect();
            let message = format!(
                "op0 {} with op1 {}; limit {}",
                self.op0.name(),
                self.op1.name(),
                pairs.join(", ")
            );
            return Err(Fault::new(Code::Constraint, message)
                .on("op0")
                .hint("scale with op0 and shift with op1; use nl.bypass for what is not needed"));
        }
        ensure!(
            !self.reverse0 || self.op0 != AluOp::Bypass,
            Argument on "reverse0",
            hint "leave reverse0 out",
            "reverse0 needs an op0"
        );
        ensure!(
            !self.reverse1 || self.op1 != AluOp::Bypass,
            Argument on "reverse1",
            hint "leave reverse1 out",
            "reverse1 needs an op1"
        );
        rules::scalar(cx, self.imm0, "imm0", data, &[])?;
        rules::scalar(cx, self.imm1, "imm1", data, &[])?;
        if let (Some(a), Some(b)) = (self.imm0.tile(), self.imm1.tile()) {
            rules::same_dtype(cx, (a, "imm0"), (b, "imm1"))?;
        }
        rules::scalar(cx, self.relu_param, "relu_param", data, &[])?;
        check_reduction(cx, self.reduce_op, self.reduce_cmd, true)?;
        column::check_result(cx, self.reduce_res.map(|result| result.0), data)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.data.0).free_elements() as usize;
        let mut data = cx.read(self.data.0, "data")?;
        if self.op0 != AluOp::Bypass {
            Column::read(cx, self.imm0, "imm0")?.apply(self.op0, &mut data, width, self.reverse0);
        }
        if self.op1 != AluOp::Bypass {
            Column::read(cx, self.imm1, "imm1")?.apply(self.op1, &mut data, width, self.reverse1);
        }
        note_range(cx, self.op, &data);
        match Column::read(cx, self.relu_param, "relu_param")? {
            Column::Constant(parameter) => activation::apply_in_place(self.op, &mut data, parameter),
            Column::Values(parameters) => {
                for (row, &parameter) in data.chunks_exact_mut(width.max(1)).zip(&parameters) {
                    activation::apply_in_place(self.op, row, parameter);
                }
            }
        }
        let finish = Finish {
            bank: Bank::Scalar,
            dst: self.dst.0,
            lanes_of: self.data.0,
            op: self.reduce_op.unwrap_or(AluOp::Add),
            cmd: self.reduce_cmd,
            result: self.reduce_res.map(|result| result.0),
            init: Column::Constant(0.0),
        };
        finish.run(cx, data, width)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::activation(
            cx,
            &cx.tile(self.dst.0),
            &cx.tile(self.data.0),
            self.reduce_res.is_some(),
        )
    }
}

op! {
    /// `dst = exp(src - max_value)` on the Vector Engine, with an optional running sum over each partition.
    exponential => Exponential on [Vector] since Gen4 {
        /// Result.
        dst: Out,
        /// Tile.
        src: In,
        /// Subtracted first: a number or a `[P, 1]` float32 tile.
        max_value: Operand32 = Operand32::Float(0.0),
        /// `[P, 1]` tile that receives the accumulation registers.
        reduce_res: Option<Out> = None,
        /// What happens to the accumulation registers.
        reduce_cmd: ReduceCmd = ReduceCmd::Idle,
        /// What `load_reduce` loads.
        reduce_init: Operand32 = Operand32::Float(0.0),
    }
}

/// Dtypes that `exponential` writes.
const EXP_OUT: &[Dtype] = &[
    Dtype::F8E4m3,
    Dtype::F8E5m2,
    Dtype::F16,
    Dtype::Bf16,
    Dtype::F32,
    Dtype::Tf32,
    Dtype::I8,
    Dtype::I16,
    Dtype::I32,
    Dtype::U8,
    Dtype::U16,
];
/// Dtypes that `exponential` reads.
const EXP_IN: &[Dtype] = &[
    Dtype::F8E4m3,
    Dtype::F8E5m2,
    Dtype::F16,
    Dtype::Bf16,
    Dtype::F32,
    Dtype::I8,
    Dtype::I16,
    Dtype::I32,
    Dtype::U8,
    Dtype::U16,
    Dtype::U32,
];

/// Checks `reduce_init` against `reduce_cmd`.
pub(super) fn check_init(
    cx: &OpCx,
    cmd: ReduceCmd,
    init: Operand32,
    like: (ViewId, &'static str),
) -> Result<(), Fault> {
    if cmd != ReduceCmd::LoadReduce && init.constant() != Some(0.0) {
        return Err(
            Fault::new(Code::Argument, "reduce_init is given, but reduce_cmd does not load it")
                .on("reduce_init")
                .hint("use reduce_cmd=nisa.reduce_cmd.load_reduce, or leave reduce_init out"),
        );
    }
    rules::scalar(cx, init, "reduce_init", like, &[Dtype::F32])
}

impl Op for Exponential {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, src) = ((self.dst.0, "dst"), (self.src.0, "src"));
        rules::numeric(cx, &[dst, src])?;
        rules::same_shape(cx, src, dst)?;
        rules::dtype(cx, dst.0, dst.1, EXP_OUT)?;
        rules::dtype(cx, src.0, src.1, EXP_IN)?;
        access::rank(cx, dst.0, dst.1, 4)?;
        access::rank(cx, src.0, src.1, 4)?;
        rules::scalar(cx, self.max_value, "max_value", src, &[Dtype::F32])?;
        ensure!(
            self.reduce_cmd != ReduceCmd::Reset,
            Constraint on "reduce_cmd",
            hint "use reset_reduce at the first tile",
            "reduce_cmd reset; limit idle, reset_reduce, reduce, load_reduce"
        );
        check_init(cx, self.reduce_cmd, self.reduce_init, src)?;
        column::check_result(cx, self.reduce_res.map(|result| result.0), src)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.src.0).free_elements() as usize;
        let shift = Column::read(cx, self.max_value, "max_value")?;
        let init = Column::read(cx, self.reduce_init, "reduce_init")?;
        let mut data = cx.read(self.src.0, "src")?;
        shift.apply(AluOp::Subtract, &mut data, width, false);
        data.iter_mut().for_each(|x| *x = math::exp(*x));
        let finish = Finish {
            bank: Bank::Vector,
            dst: self.dst.0,
            lanes_of: self.src.0,
            op: AluOp::Add,
            cmd: self.reduce_cmd,
            result: self.reduce_res.map(|result| result.0),
            init,
        };
        finish.run(cx, data, width)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::exponential(cx, &cx.tile(self.src.0))
    }
}
