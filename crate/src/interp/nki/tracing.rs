//! The launch that is being traced, and how bindings allocate tensors and issue instructions in it.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::base::diag::{Code, Diagnostic};
use crate::base::span::Span;
use crate::chip::Chip;
use crate::interp::Interp;
use crate::interp::builtin::NOWHERE;
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::isa::args::{Arg, Args};
use crate::numerics::dtype::Dtype;
use crate::tensor::buffer::{Address, Buffer, Init, Space};
use crate::tensor::window::Window;
use crate::trace::builder::Builder;
use crate::trace::program::{InstId, LoopId};

use super::session::Session;
use super::tensor::NkiTensor;

/// What makes two constant tensors equal: bytes, dtype and shape.
pub type Content = (Rc<[u8]>, Dtype, Vec<u32>);

/// The loops on the device, as they nest while the kernel is traced.
#[derive(Default)]
pub struct Regions {
    /// The loop around each loop of the present core, by the number of the loop.
    parents: Vec<Option<LoopId>>,
    open: Vec<LoopId>,
}

impl Regions {
    /// The innermost open loop.
    pub fn innermost(&self) -> Option<LoopId> {
        self.open.last().copied()
    }

    /// A loop begins.
    pub fn begin(&mut self, id: LoopId) {
        let outer = self.innermost();
        self.parents.resize(self.parents.len().max(id.0 as usize + 1), None);
        self.parents[id.0 as usize] = outer;
        self.open.push(id);
    }

    /// The innermost loop ends.
    pub fn end(&mut self) {
        self.open.pop();
    }

    /// Whether `outer` is `inner` or contains it; `None` stands for the kernel itself.
    pub fn encloses(&self, outer: Option<LoopId>, inner: Option<LoopId>) -> bool {
        let mut at = inner;
        loop {
            if at == outer {
                return true;
            }
            let Some(id) = at else { return false };
            at = self.parents.get(id.0 as usize).copied().flatten();
        }
    }
}

/// The launch that is being traced.
pub struct Tracing {
    /// Collects the instructions.
    pub builder: Builder,
    /// Number of this launch among the traced ones.
    pub generation: u32,
    /// Whether the kernel uses the dialect of `neuronxcc.nki`.
    pub legacy: bool,
    /// The launch grid.
    pub grid: Vec<u32>,
    /// The program id along each axis of the grid.
    pub program: Vec<u32>,
    /// The physical core.
    pub core: u32,
    /// Constant tensors by content, so that equal ones are stored once.
    pub constants: FxHashMap<Content, NkiTensor>,
    /// Tiles that hold an identity matrix, by size, dtype and core.
    pub identities: FxHashMap<(u32, Dtype, u32), NkiTensor>,
    /// Loops on the device.
    pub regions: Regions,
    /// `no_reorder` blocks that are open.
    pub fixed_order: u32,
    /// Tensors allocated so far, for generated names.
    pub tensors: u32,
}

/// The launch that is being traced; `what` is the function that needs it.
///
/// # Errors
/// No kernel is running.
pub fn tracing<'a>(cx: &'a mut Interp, what: &str) -> Result<&'a mut Tracing> {
    cx.extension::<Session>().tracing.as_mut().ok_or_else(|| {
        Raised::from(crate::base::diag::Fault::new(
            Code::Value,
            format!("{what} works inside of a kernel only"),
        ))
        .hint("put the call into a function decorated with @nki.jit and launch that")
    })
}

/// The target of the run.
pub fn chip(cx: &mut Interp) -> &'static Chip {
    cx.extension::<Session>().chip
}

/// What to allocate.
pub struct Request<'a> {
    /// The function that asks, for messages.
    pub function: &'a str,
    /// The shape.
    pub shape: Vec<u32>,
    /// The dtype.
    pub dtype: Dtype,
    /// The memory.
    pub space: Space,
    /// The user's name; empty to take the variable's.
    pub name: &'a str,
    /// The user's place.
    pub address: Option<Address>,
    /// Content before the first write.
    pub init: Init,
}

impl<'a> Request<'a> {
    /// An unwritten tensor without a name.
    pub fn new(function: &'a str, shape: Vec<u32>, dtype: Dtype, space: Space) -> Self {
        Self {
            function,
            shape,
            dtype,
            space,
            name: "",
            address: None,
            init: Init::Unwritten,
        }
    }
}

/// Allocates a tensor.
///
/// # Errors
/// A shape that its memory cannot have, a dtype of host arrays only, or no kernel.
pub fn allocate(cx: &mut Interp, mut request: Request) -> Result<NkiTensor> {
    // The one shape of one dimension that the reference uses on chip: a single value.
    if request.space.is_on_chip() && request.shape == [1] {
        request.shape.push(1);
    }
    check_request(&request)?;
    let loc = cx.loc();
    let name = if request.name.is_empty() {
        assigned_name(cx)
    } else {
        Some(request.name.to_owned())
    };
    let tracing = tracing(cx, request.function)?;
    tracing.tensors += 1;
    let name = name.unwrap_or_else(|| format!("tensor{}", tracing.tensors));
    let buffer = Buffer {
        name: name.clone(),
        space: request.space,
        shape: request.shape,
        dtype: request.dtype,
        address: request.address,
        init: request.init,
        loc,
    };
    let id = tracing.builder.alloc(buffer)?;
    let window = Window::whole(id, &tracing.builder.tables().buffers[id]);
    Ok(NkiTensor::new(name.into(), window, tracing.generation))
}

/// Bytes that no device memory has; far below, sums of sizes cannot overflow.
const MAX_BYTES: u64 = 1 << 48;

/// The rules of shapes and dtypes that no memory lifts.
fn check_request(request: &Request) -> Result<()> {
    let Request {
        function,
        shape,
        dtype,
        space,
        ..
    } = request;
    let fault = |code, message, param| Err(Raised::from(crate::base::diag::Fault::new(code, message).on(param)));
    if dtype.info().host_only {
        let message = format!("{function}(): the device has no dtype {}", dtype.name());
        return fault(Code::Dtype, message, "dtype");
    }
    let bytes = shape.iter().fold(u64::from(dtype.bytes()), |all, &size| {
        all.saturating_mul(u64::from(size))
    });
    if bytes > MAX_BYTES {
        let message =
            format!("{function}(): a tensor of shape {shape:?} has {bytes} bytes or more, no memory holds that");
        return fault(Code::Capacity, message, "shape");
    }
    if shape.is_empty() {
        return fault(Code::Shape, format!("{function}(): the shape is empty"), "shape");
    }
    if space.is_on_chip() && shape.len() < 2 {
        let message = format!(
            "{function}(): a tensor in {} has at least 2 dimensions, partition and free; got {shape:?}",
            space.name()
        );
        return Err(
            Raised::from(crate::base::diag::Fault::new(Code::Shape, message).on("shape"))
                .hint(format!("write ({}, 1)", shape[0])),
        );
    }
    Ok(())
}

/// The variable that the present call is assigned to, read off the source line: `name = call(...)`.
fn assigned_name(cx: &Interp) -> Option<String> {
    let span = cx.span();
    if span == NOWHERE {
        return None;
    }
    let text = &cx.sources.file(span.file).text;
    let before = text.get(..span.start as usize)?;
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    let target = line.trim_end().strip_suffix('=')?.trim();
    let target = target.split(':').next().unwrap_or(target).trim();
    let is_name = !target.is_empty() && target.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    is_name.then(|| target.to_owned())
}

/// Arguments of an instruction that the bindings themselves issue.
#[derive(Default)]
pub struct Issue(Args);

impl Issue {
    /// No arguments.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a keyword argument.
    #[must_use]
    pub fn with(mut self, name: &'static str, arg: Arg) -> Self {
        self.0.keywords.push((name.into(), arg));
        self
    }

    /// Adds a tile.
    pub fn tile(self, cx: &mut Interp, name: &'static str, tensor: &NkiTensor) -> Result<Self> {
        let view = tensor.view(cx)?;
        Ok(self.with(name, Arg::Tensor(view)))
    }

    /// Issues the instruction called `op`.
    ///
    /// # Errors
    /// The instruction does not exist here, or a rule is broken.
    pub fn emit(self, cx: &mut Interp, op: &'static str) -> Result<InstId> {
        let loc = cx.loc();
        let Some(entry) = crate::isa::entry(op) else {
            return Err(Raised::unimplemented(format!("nki.isa.{op} is not modelled yet")));
        };
        let tracing = tracing(cx, op)?;
        // The parameter of a fault is one of the instruction's, which the user has not written.
        let issued = tracing.builder.call(entry, &self.0, loc);
        issued.map_err(|fault| crate::base::diag::Fault { param: None, ..fault }.into())
    }
}

/// Warns that a spelling is from an older NKI, once for each place.
pub fn deprecated(cx: &mut Interp, span: Option<Span>, message: &str, hint: &str) {
    let span = span.unwrap_or_else(|| cx.span());
    cx.warn(Diagnostic::warning(Code::Deprecated, span, message).with_hint(hint));
}

/// A value that is an object of its own in every module that has it.
pub fn shared(cx: &mut Interp, key: &'static str, make: impl FnOnce() -> Value) -> Value {
    let session = cx.extension::<Session>();
    if let Some((_, value)) = session.shared.iter().find(|(known, _)| *known == key) {
        return value.clone();
    }
    let value = make();
    session.shared.push((key, value.clone()));
    value
}
