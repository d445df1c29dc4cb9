//! Element-wise arithmetic of the Vector, Scalar and GpSimd engines.

use crate::base::diag::{Code, Fault};
use crate::base::mend::Edit;
use crate::chip::engine::Engine;
use crate::ensure;
use crate::isa::access;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::ops::column::Column;
use crate::isa::param::{EngineChoice, In, Operand32, Out};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::numerics::alu::{self, AluOp, Arity};
use crate::numerics::dtype::Dtype;
use crate::op;
use crate::tensor::view::ViewId;

op! {
    /// Element-wise `dst = data1 <op> data2` of two tiles.
    ///
    /// Arithmetic is in float32. Tiles that are all int32 or uint32 and in SBUF go to GpSimd and compute exactly.
    tensor_tensor => TensorTensor on [Vector, GpSimd] since Gen2 {
        /// Result.
        dst: Out,
        /// Left operand.
        data1: In,
        /// Right operand.
        data2: In,
        /// Binary operator.
        op: AluOp,
        /// Engine to issue on.
        engine: EngineChoice = EngineChoice::Unknown,
    }
}

/// Types that GpSimd computes without float32.
const NATIVE: &[Dtype] = &[Dtype::I32, Dtype::U32];

impl TensorTensor {
    /// Operands with their names.
    fn tiles(&self) -> [(ViewId, &'static str); 3] {
        [(self.dst.0, "dst"), (self.data1.0, "data1"), (self.data2.0, "data2")]
    }

    /// Whether all tiles hold 32-bit integers.
    fn all_native(&self, cx: &OpCx) -> bool {
        self.tiles()
            .iter()
            .all(|&(view, _)| NATIVE.contains(&cx.tile(view).dtype()))
    }

    /// The engine that runs it.
    pub fn engine(&self, cx: &OpCx) -> Engine {
        match self.engine {
            EngineChoice::On(engine) => engine,
            EngineChoice::Unknown if self.op == AluOp::Power => Engine::GpSimd,
            EngineChoice::Unknown => {
                let native = self.all_native(cx) && !self.op.is_bitvec();
                let reachable = rules::any_psum(cx, &self.tiles()).is_none();
                if native && reachable {
                    Engine::GpSimd
                } else {
                    Engine::Vector
                }
            }
        }
    }

    /// Exact integer arithmetic.
    fn execute_native(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let a = cx.read_bits(self.data1.0, "data1")?;
        let b = cx.read_bits(self.data2.0, "data2")?;
        let mut out = cx.machine.scratch.words(a.len());
        let unsigned = self
            .tiles()
            .iter()
            .all(|&(view, _)| cx.tile(view).dtype() == Dtype::U32);
        if unsigned {
            alu::binary_u32(self.op, &a, &b, &mut out);
        } else {
            let signed = |words: &[u32]| words.iter().map(|&word| word as i32).collect::<Vec<_>>();
            let mut result = vec![0; a.len()];
            alu::binary_i32(self.op, &signed(&a), &signed(&b), &mut result);
            out.iter_mut()
                .zip(result)
                .for_each(|(slot, value)| *slot = value as u32);
        }
        cx.write_bits(self.dst.0, out)
    }
}

impl Op for TensorTensor {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let [dst, data1, data2] = self.tiles();
        rules::numeric(cx, &self.tiles())?;
        rules::same_shape(cx, data1, data2)?;
        rules::same_shape(cx, data1, dst)?;
        rules::not_both_psum(cx, data1, data2)?;
        if self.op.info().arity != Arity::Binary {
            let message = format!(
                "op {} does not combine two tiles; limit: binary operators",
                self.op.name()
            );
            return Err(Fault::new(Code::Constraint, message)
                .on("op")
                .hint("apply a unary operator with nisa.tensor_scalar or nisa.activation"));
        }
        rules::engine(cx, self.engine, &[Engine::Vector, Engine::GpSimd], &self.tiles())?;
        if self.op == AluOp::Power {
            rules::no_psum(cx, &self.tiles())?;
            if self.engine == EngineChoice::On(Engine::Vector) {
                let message = "op power runs on the GpSimd Engine only, not on vector";
                return Err(Fault::new(Code::Constraint, message)
                    .on("engine")
                    .hint("leave engine out")
                    .mend("leave engine out", Edit::Drop("engine")));
            }
        }
        if self.op.is_bitvec() {
            rules::integers(cx, &self.tiles(), self.op.name())?;
        }
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let op = cx.op_cx();
        if self.op.is_bitvec() {
            let mut a = cx.read_bits(self.data1.0, "data1")?;
            let b = cx.read_bits(self.data2.0, "data2")?;
            let left = a.clone();
            alu::binary_u32(self.op, &left, &b, &mut a);
            cx.machine.scratch.give_words(b);
            return cx.write_bits(self.dst.0, a);
        }
        if self.engine(&op) == Engine::GpSimd && self.all_native(&op) {
            return self.execute_native(cx);
        }
        let mut a = cx.read(self.data1.0, "data1")?;
        let b = cx.read(self.data2.0, "data2")?;
        alu::update_f32(self.op, &mut a, &b, false);
        cx.recycle(b);
        cx.write(self.dst.0, a)
    }

    fn work(&self, cx: &OpCx) -> Work {
        let [dst, a, b] = self.tiles().map(|(view, _)| cx.tile(view));
        cost::lanes::two_inputs(cx, self.engine(cx), &dst, &a, &b)
    }
}

op! {
    /// One or two operators between a tile and constants or one value per partition: `(data <op0> operand0) <op1> operand1`.
    ///
    /// Both operators are arithmetic (float32) or both work on bits.
    tensor_scalar => TensorScalar on [Vector, Scalar, GpSimd] since Gen2 [
        deprecated "dtype", "the dtype of dst decides; allocate dst with the dtype you want"
    ] {
        /// Result.
        dst: Out,
        /// Tile.
        data: In,
        /// First operator.
        op0: AluOp,
        /// Its operand: a number or a `[P, 1]` float32 tile; `None` or 0 for a unary operator.
        operand0: Option<Operand32>,
        /// Exchange the operands of `op0`.
        reverse0: bool = false,
        /// Second operator, if any.
        op1: Option<AluOp> = None,
        /// Its operand.
        operand1: Option<Operand32> = None,
        /// Exchange the operands of `op1`.
        reverse1: bool = false,
        /// Engine to issue on.
        engine: EngineChoice = EngineChoice::Unknown,
    }
}

/// Checks one operator and its operand.
pub(super) fn check_stage(
    cx: &OpCx,
    op: AluOp,
    operand: Option<Operand32>,
    names: (&'static str, &'static str),
    like: (ViewId, &'static str),
    dtypes: &[Dtype],
) -> Result<(), Fault> {
    let (op_name, param) = names;
    match (op.info().arity, operand) {
        (Arity::Binary, None) => {
            let message = format!("{op_name} {} needs {param}", op.name());
            Err(Fault::new(Code::Argument, message)
                .on(param)
                .hint("give a number, or a [P, 1] float32 tile"))
        }
        (Arity::Binary, Some(operand)) => rules::scalar(cx, operand, param, like, dtypes),
        (Arity::Unary, None) => Ok(()),
        (Arity::Unary, Some(operand)) if operand.constant() == Some(0.0) => Ok(()),
        (Arity::Unary, Some(_)) => {
            let message = format!("{op_name} {} takes one operand; {param} must be None or 0", op.name());
            Err(Fault::new(Code::Argument, message)
                .on(param)
                .hint(format!("write {param}=None"))
                .mend(format!("write {param}=None"), Edit::Set(param, "None".to_owned())))
        }
        (Arity::Reduction, _) => {
            let message = format!("{op_name} {} only exists as a reduction", op.name());
            Err(Fault::new(Code::Constraint, message)
                .on(op_name)
                .hint("use it with nisa.tensor_reduce or nisa.tensor_partition_reduce"))
        }
    }
}

/// Applies one operator to bit patterns, partition by partition.
fn apply_bits(
    cx: &mut ExecCx,
    words: &mut [u32],
    width: usize,
    op: AluOp,
    operand: Option<Operand32>,
    param: &'static str,
    reverse: bool,
) -> Result<(), Fault> {
    let operand = operand.unwrap_or(Operand32::Int(0));
    let values = match operand.tile() {
        Some(view) => Some(cx.read_bits(view, param)?),
        None => None,
    };
    let constant = operand.bits().unwrap_or(0);
    let mut source = cx.machine.scratch.words(width);
    for (partition, row) in words.chunks_exact_mut(width.max(1)).enumerate() {
        let scalar = values.as_ref().map_or(constant, |values| values[partition]);
        source.copy_from_slice(row);
        alu::scalar_u32(op, &source, scalar, reverse, row);
    }
    cx.machine.scratch.give_words(source);
    Ok(())
}

impl TensorScalar {
    /// The engine that runs it.
    pub fn engine(&self, _cx: &OpCx) -> Engine {
        match self.engine {
            EngineChoice::On(engine) => engine,
            EngineChoice::Unknown => Engine::Vector,
        }
    }

    /// Checks the choice of engine.
    fn check_engine(&self, cx: &OpCx) -> Result<(), Fault> {
        let tiles = [(self.dst.0, "dst"), (self.data.0, "data")];
        rules::engine(
            cx,
            self.engine,
            &[Engine::Vector, Engine::Scalar, Engine::GpSimd],
            &tiles,
        )?;
        let fault = |message: String| {
            Err(Fault::new(Code::Constraint, message)
                .on("engine")
                .hint("leave engine out")
                .mend("leave engine out", Edit::Drop("engine")))
        };
        match self.engine {
            EngineChoice::On(Engine::GpSimd) if self.op0 != AluOp::Rsqrt => {
                fault(format!("engine gpsimd runs op0 rsqrt only, not {}", self.op0.name()))
            }
            EngineChoice::On(Engine::Scalar) if !cx.chip.rules.scalar_arithmetic.get() => {
                fault(format!("engine scalar cannot run this on {}", cx.chip.title))
            }
            EngineChoice::On(Engine::Scalar) => {
                let pair = (self.op0, self.op1);
                let legal = [
                    (AluOp::Multiply, Some(AluOp::Add)),
                    (AluOp::Multiply, None),
                    (AluOp::Add, None),
                ];
                if legal.contains(&pair) && !self.reverse0 && !self.reverse1 {
                    return Ok(());
                }
                fault("engine scalar runs multiply then add, multiply, or add only".to_owned())
            }
            EngineChoice::On(_) | EngineChoice::Unknown => Ok(()),
        }
    }

    /// Applies the operators to bits.
    fn execute_bits(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.data.0).free_elements() as usize;
        let mut words = cx.read_bits(self.data.0, "data")?;
        apply_bits(
            cx,
            &mut words,
            width,
            self.op0,
            self.operand0,
            "operand0",
            self.reverse0,
        )?;
        if let Some(op1) = self.op1 {
            apply_bits(cx, &mut words, width, op1, self.operand1, "operand1", self.reverse1)?;
        }
        cx.write_bits(self.dst.0, words)
    }
}

impl Op for TensorScalar {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, data) = ((self.dst.0, "dst"), (self.data.0, "data"));
        rules::numeric(cx, &[dst, data])?;
        rules::same_shape(cx, data, dst)?;
        self.check_engine(cx)?;
        access::indirect_engine(cx, self.engine, Self::SPEC.engines, dst.0, data.0)?;
        let bits = self.op0.is_bitvec();
        ensure!(
            self.op1.is_none_or(|op1| op1.is_bitvec() == bits),
            Constraint on "op1",
            hint "use two instructions, one for the arithmetic and one for the bits",
            "op0 {} and op1 {} must both be arithmetic or both work on bits",
            self.op0.name(),
            self.op1.map_or("None", AluOp::name)
        );
        ensure!(
            self.op1.is_some() || self.operand1.is_none(),
            Argument on "operand1",
            hint "give op1 too, or leave operand1 out",
            "operand1 is given without op1"
        );
        if bits {
            rules::integers(cx, &[dst, data], self.op0.name())?;
        }
        let dtypes: &[Dtype] = if bits { &[] } else { &[Dtype::F32] };
        check_stage(cx, self.op0, self.operand0, ("op0", "operand0"), data, dtypes)?;
        match self.op1 {
            Some(op1) => check_stage(cx, op1, self.operand1, ("op1", "operand1"), data, dtypes),
            None => Ok(()),
        }
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        if self.op0.is_bitvec() {
            return self.execute_bits(cx);
        }
        let width = cx.tile(self.data.0).free_elements() as usize;
        let zero = Operand32::Float(0.0);
        let first = Column::read(cx, self.operand0.unwrap_or(zero), "operand0")?;
        let second = Column::read(cx, self.operand1.unwrap_or(zero), "operand1")?;
        let mut data = cx.read(self.data.0, "data")?;
        first.apply(self.op0, &mut data, width, self.reverse0);
        if let Some(op1) = self.op1 {
            second.apply(op1, &mut data, width, self.reverse1);
        }
        cx.write(self.dst.0, data)
    }

    fn work(&self, cx: &OpCx) -> Work {
        let (dst, data) = (cx.tile(self.dst.0), cx.tile(self.data.0));
        let tile = |operand: Option<Operand32>| operand.and_then(Operand32::tile).is_some();
        cost::lanes::one_input(
            cx,
            self.engine(cx),
            &dst,
            &data,
            tile(self.operand0) || tile(self.operand1),
        )
    }
}

op! {
    /// `(data <op0> operand0) <op1> operand1`, where `operand0` is a number or one value per partition and `operand1` a tile.
    scalar_tensor_tensor => ScalarTensorTensor on [Vector] since Gen2 {
        /// Result.
        dst: Out,
        /// Tile.
        data: In,
        /// First operator.
        op0: AluOp,
        /// A number or a `[P, 1]` tile.
        operand0: Operand32,
        /// Second operator.
        op1: AluOp,
        /// Tile of the shape of `data`.
        operand1: In,
        /// Exchange the operands of `op0`.
        reverse0: bool = false,
        /// Exchange the operands of `op1`.
        reverse1: bool = false,
    }
}

/// Checks that an operator is arithmetic.
pub(super) fn arithmetic(op: AluOp, param: &'static str) -> Result<(), Fault> {
    if !op.is_bitvec() {
        return Ok(());
    }
    let message = format!("{param} {} works on bits; limit: arithmetic operators", op.name());
    Err(Fault::new(Code::Constraint, message)
        .on(param)
        .hint("use nisa.tensor_scalar or nisa.tensor_tensor for bit operators"))
}

impl Op for ScalarTensorTensor {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, data, other) = (
            (self.dst.0, "dst"),
            (self.data.0, "data"),
            (self.operand1.0, "operand1"),
        );
        rules::numeric(cx, &[dst, data, other])?;
        rules::same_shape(cx, data, other)?;
        rules::same_shape(cx, data, dst)?;
        rules::not_both_psum(cx, data, other)?;
        arithmetic(self.op0, "op0")?;
        arithmetic(self.op1, "op1")?;
        check_stage(cx, self.op0, Some(self.operand0), ("op0", "operand0"), data, &[])
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.data.0).free_elements() as usize;
        let first = Column::read(cx, self.operand0, "operand0")?;
        let mut data = cx.read(self.data.0, "data")?;
        let other = cx.read(self.operand1.0, "operand1")?;
        first.apply(self.op0, &mut data, width, self.reverse0);
        alu::update_f32(self.op1, &mut data, &other, self.reverse1);
        cx.recycle(other);
        cx.write(self.dst.0, data)
    }

    fn work(&self, cx: &OpCx) -> Work {
        let (dst, data, other) = (cx.tile(self.dst.0), cx.tile(self.data.0), cx.tile(self.operand1.0));
        cost::lanes::two_inputs_plain(cx, &dst, &data, &other)
    }
}

op! {
    /// `1 / x` of every element, in float32.
    reciprocal => Reciprocal on [Vector] since Gen2 [
        deprecated "dtype", "the dtype of dst decides; allocate dst with the dtype you want"
    ] {
        /// Result.
        dst: Out,
        /// Tile.
        data: In,
    }
}

impl Op for Reciprocal {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, data) = ((self.dst.0, "dst"), (self.data.0, "data"));
        rules::numeric(cx, &[dst, data])?;
        rules::same_shape(cx, data, dst)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let mut data = cx.read(self.data.0, "data")?;
        alu::scalar_f32_in_place(AluOp::Reciprocal, &mut data, 0.0, false);
        cx.write(self.dst.0, data)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::reciprocal(cx, &cx.tile(self.data.0))
    }
}
