//! The instruction set: one row per instruction, from which everything else is derived.
//!
//! A row ([`op!`](crate::op)) gives the signature, its documentation and the engines; `impl Op` beside it gives the checks, the
//! effect and the cost. The `isa!` list below turns the rows into [`Inst`] and [`CATALOG`]. This layer knows no Python: callers hand
//! it [`args::Args`].

pub mod access;
pub mod args;
pub mod context;
pub mod cost;
pub mod flow;
pub mod ops;
pub mod param;
pub mod rules;
pub mod spec;
pub mod work;

use crate::base::diag::{Code, Fault};
use crate::base::mend::Edit;
use crate::chip::engine::Engine;
use crate::isa::args::Args;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::flow::Rendezvous;
use crate::isa::spec::{Entry, Op, OpSpec, Operand};
use crate::isa::work::Work;
use crate::machine::access::Written;
use crate::machine::{SNAKE_GROUP, SNAKE_GROUP_TENSOR};

/// Declares [`Inst`] and [`CATALOG`] from the list of row types.
macro_rules! isa {
    (nki.isa { $($family:ident::$op:ident,)* } other { $($other_family:ident::$other:ident,)* }) => {
        /// An instruction with its operands bound.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Inst {
            $(#[doc = concat!("`", stringify!($op), "`")] $op(ops::$family::$op),)*
            $(#[doc = concat!("`", stringify!($other), "`")] $other(ops::$other_family::$other),)*
        }

        /// Every instruction of `nki.isa`, in the order of the list.
        pub static CATALOG: &[Entry] = &[
            $(Entry { spec: &ops::$family::$op::SPEC, bind: |cx, args| Ok(Inst::$op(ops::$family::$op::bind(cx, args)?)) },)*
        ];

        impl Inst {
            /// The row of this instruction.
            pub fn spec(&self) -> &'static OpSpec {
                match self { $(Self::$op(_) => &ops::$family::$op::SPEC,)* $(Self::$other(_) => &ops::$other_family::$other::SPEC,)* }
            }

            /// Calls `visit` for each tile operand, in the order of the parameters.
            pub fn operands(&self, visit: &mut dyn FnMut(Operand)) {
                match self { $(Self::$op(op) => op.operands(visit),)* $(Self::$other(op) => op.operands(visit),)* }
            }

            /// Checks the hardware rules.
            ///
            /// # Errors
            /// The first rule that the operands break.
            pub fn check(&self, cx: &OpCx) -> Result<(), Fault> {
                self.check_operands(cx)?;
                match self { $(Self::$op(op) => op.check(cx),)* $(Self::$other(op) => op.check(cx),)* }.map_err(|fault| self.named(fault))
            }

            /// Performs the instruction on the machine.
            ///
            /// # Errors
            /// What only the values can show: an index out of bounds, a read of memory that nobody wrote.
            pub fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
                cx.machine.snake_group = self.snake_group();
                let result = match self { $(Self::$op(op) => op.execute(cx),)* $(Self::$other(op) => op.execute(cx),)* };
                result.map_err(|fault| self.named(self.exchanged(cx, fault)))
            }

            /// Partitions that share offsets of the free dimension on its engine.
            pub fn snake_group(&self) -> usize {
                match self.spec().engines {
                    [Engine::Tensor] => SNAKE_GROUP_TENSOR,
                    _ => SNAKE_GROUP,
                }
            }

            /// The meeting with other cores that has to happen before the instruction, if any.
            pub fn rendezvous(&self) -> Option<Rendezvous> {
                match self { $(Self::$op(op) => op.rendezvous(),)* $(Self::$other(op) => op.rendezvous(),)* }
            }

            /// What the instruction costs, from shapes, dtypes and the chip alone.
            pub fn work(&self, cx: &OpCx) -> Work {
                match self { $(Self::$op(op) => op.work(cx),)* $(Self::$other(op) => op.work(cx),)* }
            }
        }
    };
}

isa! {
    nki.isa {
        dma::DmaCopy,
        copy::TensorCopy,
        copy::Memset,
        copy::TensorCopyPredicated,
        matmul::NcMatmul,
        quantize::NcMatmulMx,
        transpose::NcTranspose,
        dma::DmaTranspose,
        elementwise::TensorTensor,
        elementwise::TensorScalar,
        reduce::TensorReduce,
        reduce::TensorPartitionReduce,
        reduce::TensorScalarCumulative,
        activation::Activation,
        activation::ActivationReduce,
        activation::Activate2,
        select::Iota,
        select::AffineSelect,
        gather::LocalGather,
        gather::NcNGather,
        norm::BnStats,
        norm::BnAggr,
        reduce::TensorTensorScan,
        select::NcStreamShuffle,
        random::Rng,
        random::Dropout,
        random::SetRngSeed,
        random::RandSetState,
        random::RandGetState,
        random::Rand2,
        activation::Exponential,
        elementwise::Reciprocal,
        search::Max8,
        search::SequenceBounds,
        elementwise::ScalarTensorTensor,
        reduce::TensorScalarReduce,
        sync::CoreBarrier,
        accumulate::DmaCompute,
        quantize::QuantizeMx,
        select::RangeSelect,
        select::SelectReduce,
        sync::SendRecv,
        register::RegisterAlloc,
        register::RegisterMove,
        register::RegisterLoad,
        register::RegisterStore,
        search::NcFindIndex8,
        search::NcMatchReplace8,
        search::NonzeroWithCount,
        search::Topk,
    }
    other {
        print::DevicePrint,
        print::DeviceAssert,
    }
}

impl Inst {
    /// Asks whether two operands are exchanged if the one to read holds nothing and the one to write holds all.
    fn exchanged(&self, cx: &mut ExecCx, fault: Fault) -> Fault {
        if fault.code != Code::Uninitialized {
            return fault;
        }
        let (mut to, mut from) = (None, None);
        self.operands(&mut |operand| {
            if operand.param == "dst" {
                to = Some(operand.view);
            } else if Some(operand.param) == fault.param {
                from = Some((operand.view, operand.param));
            }
        });
        let (Some(to), Some((from, param))) = (to, from) else {
            return fault;
        };
        let same = cx.tile(to).pattern.elements() == cx.tile(from).pattern.elements();
        let mut holds = |view| cx.machine.written(cx.tables, view);
        if !same || holds(to) != Ok(Written::Whole) || holds(from) != Ok(Written::Nothing) {
            return fault;
        }
        let hint = format!("are dst and {param} exchanged? What dst names holds data, what {param} names holds none");
        fault
            .hint(hint)
            .mend(format!("exchange dst and {param}"), Edit::Swap("dst", param))
    }

    /// Puts the name of the instruction in front of a message, and its page behind a limit that names no other source.
    fn named(&self, fault: Fault) -> Fault {
        // An assertion is the script's own statement, not an instruction.
        if fault.code == Code::Assertion {
            return fault;
        }
        let name = self.spec().name;
        let message = format!("{name}: {}", fault.message);
        let limit = matches!(
            fault.code,
            Code::Constraint
                | Code::Shape
                | Code::Dtype
                | Code::MemorySpace
                | Code::Generation
                | Code::Undefined
                | Code::Unspecified
                | Code::Unsupported
        );
        let module = if entry(name).is_some() { "isa" } else { "language" };
        let source = fault
            .source
            .or_else(|| limit.then(|| format!("NKI reference, nki.{module}.{name}")));
        Fault {
            message,
            source,
            ..fault
        }
    }

    /// Checks the rules that hold for all operands.
    fn check_operands(&self, cx: &OpCx) -> Result<(), Fault> {
        let mut result = Ok(());
        self.operands(&mut |operand| {
            if result.is_ok() {
                result = access::operand(cx, self.spec(), operand);
            }
        });
        result.map_err(|fault| self.named(fault))
    }
}

/// The catalog entry of the instruction called `name`.
pub fn entry(name: &str) -> Option<&'static Entry> {
    CATALOG.iter().find(|entry| entry.spec.name == name)
}

/// Binds the arguments of the instruction called by `entry`.
///
/// # Errors
/// A missing, unknown or ill-typed argument.
pub fn bind(entry: &Entry, cx: &OpCx, args: &Args) -> Result<Inst, Fault> {
    (entry.bind)(cx, args)
}

// A million instructions must fit in tens of megabytes.
const _: () = assert!(size_of::<Inst>() <= 64);
