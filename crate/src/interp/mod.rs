//! The interpreter of kernel scripts: ordinary Python, with host arrays and NKI bound to it.
//!
//! [`Interp`] is the context that every function gets. It does no IO: source files come from a [`ModuleSource`], output
//! is collected. Nothing is global, so that runs cannot influence each other.

use std::any::Any;
use std::rc::{Rc, Weak};

use rustc_hash::FxHashMap;

use crate::base::diag::{Diagnostic, Frame as CallFrame};
use crate::base::index::IndexVec;
use crate::base::span::{FileId, Loc, LocId, SourceMap, Span};
use crate::interp::builtin::{Builtin, NOWHERE, Signature};
use crate::interp::object::Class;
use crate::interp::raised::{Raised, Result};
use crate::interp::scope::{Module, ModuleId};
use crate::interp::value::{Name, Value};

mod advice;
pub mod builtin;
pub mod contents;
mod context;
pub mod convert;
pub mod dict;
mod eval;
pub mod native;
pub mod nki;
pub mod numpy;
pub mod object;
pub mod py;
pub mod raised;
pub mod scope;
pub mod value;

pub use eval::Stop;

/// Finds the source text of modules that a script imports.
pub trait ModuleSource {
    /// The name and text of the file at `path` (such as `pkg/mod.py`), if there is one.
    fn read(&self, path: &str) -> Option<(String, String)>;

    /// Whether there are files below `path`, so that it is a package even without `__init__.py`.
    fn is_folder(&self, _path: &str) -> bool {
        false
    }
}

/// No files beside the script.
pub struct NoModules;

impl ModuleSource for NoModules {
    fn read(&self, _path: &str) -> Option<(String, String)> {
        None
    }
}

/// What a script may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Evaluation steps: statements, calls and loop iterations.
    pub steps: u64,
    /// Nested calls.
    pub recursion: usize,
    /// Items of one container, or bytes of one string.
    pub items: usize,
    /// Bits of one integer.
    pub integer_bits: u64,
    /// Bytes that `print` may write.
    pub output_bytes: usize,
    /// Bytes that the program may allocate while the script runs, where [`Interp::memory_in_use`] can tell.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 200_000_000,
            recursion: 100,
            items: 10_000_000,
            integer_bits: 1 << 20,
            output_bytes: 1 << 22,
            memory_bytes: 1 << 31,
        }
    }
}

/// What happens where the script looks at a value that is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnUnknown {
    /// Checks are skipped, text shows `?`; only a branch suspends.
    Skip,
    /// Checks and text suspend, too: the driver computes the value and runs the script again.
    Suspend,
}

/// How a check of the script ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It held.
    Passed,
    /// It did not hold.
    Failed,
    /// Values were not computed.
    Skipped,
}

/// An `assert` or `assert_allclose` outside kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Where.
    pub span: Span,
    /// The source text of the condition.
    pub text: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Facts to show beside it, such as the largest error.
    pub note: String,
}

/// A Rust module: its dotted name and how its globals are made.
#[derive(Clone, Copy)]
pub struct NativeModule {
    /// The dotted name, such as `nki.isa`.
    pub name: &'static str,
    /// Fills the globals on first import.
    pub init: fn(&mut Interp, ModuleId) -> Result<()>,
}

/// Who prints while a kernel is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tracer {
    /// Number of the launch.
    pub launch: u32,
    /// The core whose program is evaluated.
    pub core: u32,
}

/// One call of `print`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    /// What it wrote, line end included.
    pub text: String,
    /// The call.
    pub span: Span,
    /// Set inside of kernels.
    pub tracer: Option<Tracer>,
}

/// A call in progress.
struct Call {
    function: Name,
    span: Span,
    loc: Option<LocId>,
}

/// The context of a run.
pub struct Interp {
    /// All source files.
    pub sources: SourceMap,
    /// What `print` wrote.
    pub stdout: String,
    /// The same call by call.
    pub prints: Vec<Print>,
    /// The kernel that is being traced.
    pub tracer: Option<Tracer>,
    /// Warnings so far.
    pub warnings: Vec<Diagnostic>,
    /// Host-side checks so far.
    pub checks: Vec<Check>,
    /// What the script may use up.
    pub limits: Limits,
    /// What happens where the script looks at a value that is not computed.
    pub on_unknown: OnUnknown,
    /// Steps taken.
    pub steps: u64,
    /// Tells how many bytes the program has allocated.
    pub memory_in_use: Option<fn() -> u64>,
    /// Bytes in use when the script began.
    memory_before: u64,
    /// At so many steps the limits are looked at again.
    next_look: u64,
    modules: IndexVec<ModuleId, Module>,
    by_name: FxHashMap<String, ModuleId>,
    native_modules: Vec<NativeModule>,
    source: Box<dyn ModuleSource>,
    calls: Vec<Call>,
    span: Span,
    kernel_base: Option<usize>,
    /// Whether the kernel that is being traced would be read by the NKI compiler, and not by Python.
    pub(crate) compiled_kernel: bool,
    locs: IndexVec<LocId, Loc>,
    loc_index: FxHashMap<Loc, LocId>,
    signatures: FxHashMap<usize, Rc<Signature>>,
    extensions: Vec<Box<dyn Any>>,
    classes: Vec<Weak<Class>>,
    types: Vec<Rc<Class>>,
    exceptions: Vec<Rc<Class>>,
    native_classes: FxHashMap<String, Rc<Class>>,
    builtins: FxHashMap<String, Value>,
    handling: Vec<Raised>,
    depth: usize,
    /// `:`, which kernels write all the time.
    whole_slice: Value,
}
