//! What a row of the instruction table consists of, and the macro that writes it.

use crate::base::diag::{Code, Fault};
use crate::base::mend::{Edit, Site};
use crate::base::span::Span;
use crate::chip::Gen;
use crate::chip::engine::Engine;
use crate::isa::Inst;
use crate::isa::args::{Arg, Args};
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::flow::Rendezvous;
use crate::isa::work::Work;
use crate::tensor::view::ViewId;

/// How an instruction uses an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Only read.
    Read,
    /// Only written; every byte of the view is replaced.
    Write,
    /// Read and written, or written in part.
    ReadWrite,
}

/// A tile operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The parameter's name.
    pub param: &'static str,
    /// How it is used.
    pub access: Access,
    /// The tile.
    pub view: ViewId,
}

/// One parameter of an instruction.
#[derive(Debug)]
pub struct ParamSpec {
    /// Its name, as NKI spells it.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// What it takes, for "expected …" and the reference.
    pub kind: &'static str,
    /// The default as NKI's signature shows it; `None` if the argument is required.
    pub default: Option<fn() -> String>,
    /// The words it accepts, for completion; empty if it is not a choice.
    pub choices: fn() -> Vec<&'static str>,
}

/// A keyword of an earlier release.
#[derive(Debug)]
pub struct Deprecated {
    /// The old keyword.
    pub old: &'static str,
    /// The parameter that took its place; `None` if the value is ignored.
    pub new: Option<&'static str>,
    /// What to write instead.
    pub advice: &'static str,
}

/// The static part of a row.
#[derive(Debug)]
pub struct OpSpec {
    /// Its name in `nki.isa`.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// Engines that can run it; empty for instructions of the DMA queues.
    pub engines: &'static [Engine],
    /// First generation that has it.
    pub since: Gen,
    /// Whether it takes the common argument `name`.
    pub named: bool,
    /// Keywords of earlier releases that still bind.
    pub deprecated: &'static [Deprecated],
    /// Its parameters without the common `name`.
    pub params: &'static [ParamSpec],
}

impl OpSpec {
    /// A call of this instruction, for rewrites.
    pub fn site(&self, call: Span) -> Site {
        Site {
            call,
            function: self.name,
            params: self.params.iter().map(|param| param.name).collect(),
        }
    }
}

/// A row of the catalog.
pub struct Entry {
    /// The static part.
    pub spec: &'static OpSpec,
    /// Binds the arguments of a call.
    pub bind: fn(&OpCx, &Args) -> Result<Inst, Fault>,
}

/// An instruction.
pub trait Op: Sized + Copy {
    /// Checks the hardware rules that the parameter types do not already enforce.
    ///
    /// # Errors
    /// The first rule that the operands break.
    fn check(&self, cx: &OpCx) -> Result<(), Fault>;

    /// Performs the instruction; `check` has passed.
    ///
    /// # Errors
    /// What only the values can show.
    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault>;

    /// What it costs, from shapes, dtypes and the chip alone.
    fn work(&self, cx: &OpCx) -> Work;

    /// The meeting with other cores that has to happen before `execute`, if any.
    fn rendezvous(&self) -> Option<Rendezvous> {
        None
    }
}

/// A type that a parameter can have. It owns binding, the text of "expected …", the spelling of defaults, and completion.
pub trait Param: Sized {
    /// What the parameter takes: "a tile to read".
    const KIND: &'static str;

    /// Converts an argument.
    ///
    /// # Errors
    /// A [`Fault`] that says what was expected.
    fn bind(arg: &Arg, cx: &OpCx) -> Result<Self, Fault>;

    /// The value as NKI's signature shows it.
    fn spell(&self) -> String;

    /// The words it accepts, if it is a choice.
    fn choices() -> Vec<&'static str> {
        Vec::new()
    }

    /// Reports the tile operands inside this value.
    fn visit(&self, _param: &'static str, _visit: &mut dyn FnMut(Operand)) {}

    /// The fault of an argument of the wrong type.
    fn mismatch(arg: &Arg) -> Fault {
        Fault::new(Code::Type, format!("expected {}, got {}", Self::KIND, arg.describe()))
    }
}

/// A word of a choice that was given as a string: what to write instead.
fn meant<T: Param>(fault: Fault, name: &'static str, text: &str) -> Fault {
    match T::KIND.rsplit_once("nki.isa.") {
        Some((_, class)) => fault.mend(
            format!("write {class}.{text}"),
            Edit::Member(name, format!("{class}.{text}")),
        ),
        None => fault.hint(format!("operators and functions are no strings: write nl.{text}")),
    }
}

/// Takes the argument of one parameter out of its slot, or its default.
///
/// # Errors
/// The argument is missing or of the wrong type.
pub fn take<T: Param>(
    op: &str,
    name: &'static str,
    slot: Option<&Arg>,
    default: Option<T>,
    cx: &OpCx,
) -> Result<T, Fault> {
    match (slot, default) {
        (Some(arg), _) => T::bind(arg, cx).map_err(|fault| {
            let message = format!("{op}(): '{name}' {}", fault.message);
            let fault = Fault { message, ..fault }.on(name);
            match arg {
                Arg::Str(text) if T::choices().contains(&&**text) => meant::<T>(fault, name, text),
                _ if !fault.hints.is_empty() => fault,
                Arg::Tensor(_) => {
                    fault.hint("the values of a tile are not known while the kernel is traced; give a constant")
                }
                Arg::Int(_) | Arg::Float(_) | Arg::Bool(_) if T::KIND.starts_with("a tile") => {
                    fault.hint("make a tile of it, for example with nl.full((128, 1), value, dtype=nl.float32)")
                }
                _ => fault.hint(format!("give {}", T::KIND)),
            }
        }),
        (None, Some(default)) => Ok(default),
        (None, None) => Err(
            Fault::new(Code::Argument, format!("{op}() needs the argument '{name}'")).hint(format!("give {}", T::KIND)),
        ),
    }
}

/// Declares an instruction: the struct, its [`OpSpec`], the binder and the operand walk.
#[macro_export]
macro_rules! op {
    (@default $ty:ty) => { None };
    (@default $ty:ty, $default:expr) => { Some(|| <$ty as $crate::isa::spec::Param>::spell(&{ let value: $ty = $default; value })) };
    (@named) => { true };
    (@named unnamed) => { false };
    (@renamed) => { None };
    (@renamed $new:literal) => { Some($new) };
    (@value $ty:ty) => { None::<$ty> };
    (@value $ty:ty, $default:expr) => { Some({ let value: $ty = $default; value }) };
    (
        $(#[doc = $doc:literal])*
        $name:ident => $op:ident on [$($engine:ident),* $(,)?] since $generation:ident
        $($unnamed:ident)?
        $([$(deprecated $old:literal $(=> $new:literal)?, $advice:literal);* $(;)?])?
        {
            $($(#[doc = $param_doc:literal])* $field:ident: $ty:ty $(= $default:expr)?,)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $op {
            $($(#[doc = $param_doc])* pub $field: $ty,)*
        }

        impl $op {
            /// The row of this instruction.
            pub const SPEC: $crate::isa::spec::OpSpec = $crate::isa::spec::OpSpec {
                name: stringify!($name),
                doc: concat!($($doc, "\n"),*),
                engines: &[$($crate::chip::engine::Engine::$engine),*],
                since: $crate::chip::Gen::$generation,
                named: $crate::op!(@named $($unnamed)?),
                deprecated: &[$($($crate::isa::spec::Deprecated {
                    old: $old,
                    new: $crate::op!(@renamed $($new)?),
                    advice: $advice,
                }),*)?],
                params: &[$($crate::isa::spec::ParamSpec {
                    name: stringify!($field),
                    doc: concat!($($param_doc, "\n"),*),
                    kind: <$ty as $crate::isa::spec::Param>::KIND,
                    default: $crate::op!(@default $ty $(, $default)?),
                    choices: <$ty as $crate::isa::spec::Param>::choices,
                }),*],
            };

            /// Binds the arguments of a call.
            ///
            /// # Errors
            /// A missing, unknown or ill-typed argument.
            pub fn bind(
                cx: &$crate::isa::context::OpCx,
                args: &$crate::isa::args::Args,
            ) -> Result<Self, $crate::base::diag::Fault> {
                let mut slots = args.slots(&Self::SPEC)?.into_iter();
                Ok(Self {
                    $($field: $crate::isa::spec::take(
                        stringify!($name),
                        stringify!($field),
                        slots.next().flatten(),
                        $crate::op!(@value $ty $(, $default)?),
                        cx,
                    )?,)*
                })
            }

            /// Calls `visit` for each tile operand, in the order of the parameters.
            pub fn operands(&self, visit: &mut dyn FnMut($crate::isa::spec::Operand)) {
                $($crate::isa::spec::Param::visit(&self.$field, stringify!($field), visit);)*
            }
        }
    };
}
