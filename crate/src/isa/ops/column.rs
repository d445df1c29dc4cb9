//! Operands that are a constant or one value per partition, and the accumulation registers of the engines.

use crate::base::diag::{Code, Fault};
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::param::{Operand32, ReduceCmd};
use crate::isa::rules;
use crate::machine::state::Accumulators;
use crate::numerics::alu::{self, AluOp};
use crate::numerics::reduce;
use crate::tensor::tables::Tile;
use crate::tensor::view::ViewId;

/// One value for each partition.
pub(super) enum Column {
    /// The same everywhere.
    Constant(f32),
    /// One per partition.
    Values(Vec<f32>),
}

impl Column {
    /// Reads an operand.
    pub(super) fn read(cx: &mut ExecCx, operand: Operand32, param: &'static str) -> Result<Self, Fault> {
        match operand.tile() {
            Some(view) => cx.read(view, param).map(Self::Values),
            None => Ok(Self::Constant(operand.constant().unwrap_or(0.0))),
        }
    }

    /// The value of a partition.
    pub(super) fn at(&self, partition: usize) -> f32 {
        match self {
            Self::Constant(value) => *value,
            Self::Values(values) => values[partition],
        }
    }

    /// `data = data <op> column` in place, row by row; `reverse` exchanges the operands.
    pub(super) fn apply(&self, op: AluOp, data: &mut [f32], width: usize, reverse: bool) {
        match self {
            Self::Constant(value) => alu::scalar_f32_in_place(op, data, *value, reverse),
            Self::Values(values) => {
                for (row, &value) in data.chunks_exact_mut(width.max(1)).zip(values) {
                    alu::scalar_f32_in_place(op, row, value, reverse);
                }
            }
        }
    }
}

/// Which accumulation registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bank {
    /// Those of the Vector Engine.
    Vector,
    /// Those of the Scalar Engine.
    Scalar,
}

/// First lane of a tile: its physical partition as far as it is known.
pub(super) fn first_lane(tile: &Tile) -> usize {
    (tile.buffer.address.map_or(0, |address| address.partition) + tile.start_partition()) as usize
}

impl Bank {
    /// The registers.
    fn registers<'m>(self, cx: &'m mut ExecCx) -> &'m mut Accumulators {
        let state = cx.state();
        match self {
            Self::Vector => &mut state.vector,
            Self::Scalar => &mut state.scalar,
        }
    }

    /// Accumulates rows of `data` into the registers from `lane` on, as `cmd` says.
    pub(super) fn reduce(
        self,
        cx: &mut ExecCx,
        lane: usize,
        data: &[f32],
        width: usize,
        op: AluOp,
        cmd: ReduceCmd,
        init: &Column,
    ) -> Result<(), Fault> {
        let lanes = data.len() / width.max(1);
        let registers = self.registers(cx);
        if registers.len() < lane + lanes {
            registers.resize(lane + lanes, None);
        }
        let registers = &mut registers[lane..lane + lanes];
        let identity = reduce::identity(op).unwrap_or(0.0);
        match cmd {
            ReduceCmd::Idle => {
                if self == Self::Vector {
                    registers.fill(None);
                }
                return Ok(());
            }
            ReduceCmd::Reset | ReduceCmd::ResetReduce => registers.fill(Some(identity)),
            ReduceCmd::LoadReduce => {
                for (at, register) in registers.iter_mut().enumerate() {
                    *register = Some(init.at(at));
                }
            }
            ReduceCmd::Reduce => {}
        }
        if cmd == ReduceCmd::Reset {
            return Ok(());
        }
        for (register, row) in registers.iter_mut().zip(data.chunks_exact(width.max(1))) {
            let start = register.ok_or_else(undefined)?;
            *register = Some(reduce::reduce_onto_f32(op, start, row));
        }
        Ok(())
    }

    /// Sets registers from `lane` on.
    pub(super) fn set(self, cx: &mut ExecCx, lane: usize, values: &[f32]) {
        let registers = self.registers(cx);
        if registers.len() < lane + values.len() {
            registers.resize(lane + values.len(), None);
        }
        for (register, &value) in registers[lane..].iter_mut().zip(values) {
            *register = Some(value);
        }
    }

    /// The registers of `lanes` lanes from `lane` on.
    pub(super) fn load(self, cx: &mut ExecCx, lane: usize, lanes: usize) -> Result<Vec<f32>, Fault> {
        let registers = self.registers(cx);
        (lane..lane + lanes)
            .map(|at| registers.get(at).copied().flatten().ok_or_else(undefined))
            .collect()
    }
}

/// The fault of using accumulation registers that hold nothing defined.
fn undefined() -> Fault {
    Fault::new(
        Code::Undefined,
        "uses accumulation registers that no instruction has reset",
    )
    .on("reduce_cmd")
    .hint("start the accumulation with reduce_cmd=nisa.reduce_cmd.reset_reduce")
}

/// Checks `reduce_res`.
pub(super) fn check_result(cx: &OpCx, result: Option<ViewId>, like: (ViewId, &'static str)) -> Result<(), Fault> {
    match result {
        Some(view) => rules::column(cx, view, "reduce_res", like),
        None => Ok(()),
    }
}
