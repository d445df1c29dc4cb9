//! Parameters that are one word of a fixed set.

use crate::base::diag::Fault;
use crate::isa::args::Arg;
use crate::isa::context::OpCx;
use crate::isa::spec::Param;

/// Declares a parameter whose values are the members of an enum of `nki.isa`.
macro_rules! choice {
    ($(#[$doc:meta])* $ty:ident = $class:literal { $($(#[$member_doc:meta])* $member:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $ty { $($(#[$member_doc])* $member,)* }

        impl Param for $ty {
            const KIND: &'static str = concat!("a member of nki.isa.", $class);

            fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
                match arg {
                    $(Arg::Member($class, $name) => Ok(Self::$member),)*
                    _ => Err(Self::mismatch(arg).hint(format!(
                        "write nisa.{}.{{{}}}", $class, Self::choices().join(", ")
                    ))),
                }
            }

            fn spell(&self) -> String {
                match self { $(Self::$member => concat!($class, ".", $name).to_owned(),)* }
            }

            fn choices() -> Vec<&'static str> {
                vec![$($name),*]
            }
        }
    };
}

choice! {
    /// Who makes the descriptors of a DMA.
    DgeMode = "dge_mode" {
        /// The compiler decides.
        Unknown = "unknown",
        /// GpSimd software.
        Software = "swdge",
        /// The hardware block.
        Hardware = "hwdge",
        /// The host, before the kernel starts.
        Static = "none",
    }
}

choice! {
    /// What happens to a run-time index that is out of bounds.
    OobMode = "oob_mode" {
        /// The run stops.
        Error = "error",
        /// The access is left out.
        Skip = "skip",
    }
}

choice! {
    /// What an instruction does to the accumulation registers of its engine.
    ReduceCmd = "reduce_cmd" {
        /// Leaves them alone.
        Idle = "idle",
        /// Resets them.
        Reset = "reset",
        /// Accumulates on top of them.
        Reduce = "reduce",
        /// Resets them, then accumulates.
        ResetReduce = "reset_reduce",
        /// Loads a value, then accumulates.
        LoadReduce = "load_reduce",
    }
}

choice! {
    /// Fast modes of the Tensor Engine.
    PerfMode = "matmul_perf_mode" {
        /// None.
        None = "none",
        /// Two FP8 rows in each processing element.
        DoubleRow = "double_row",
    }
}

choice! {
    /// How two cores exchange tiles.
    DmaEngine = "dma_engine" {
        /// The shared DMA engines.
        Dma = "dma",
        /// The DMA engine inside GpSimd.
        GpSimd = "gpsimd_dma",
    }
}

/// The `accumulate` flag of a matrix multiplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulate {
    /// Overwrite at the first write of a place, accumulate later.
    Auto,
    /// Overwrite.
    No,
    /// Accumulate.
    Yes,
}

impl Param for Accumulate {
    const KIND: &'static str = "True, False or None";

    fn bind(arg: &Arg, _cx: &OpCx) -> Result<Self, Fault> {
        match arg {
            Arg::None => Ok(Self::Auto),
            Arg::Bool(false) => Ok(Self::No),
            Arg::Bool(true) => Ok(Self::Yes),
            _ => Err(Self::mismatch(arg)),
        }
    }

    fn spell(&self) -> String {
        match self {
            Self::Auto => "None",
            Self::No => "False",
            Self::Yes => "True",
        }
        .to_owned()
    }
}
