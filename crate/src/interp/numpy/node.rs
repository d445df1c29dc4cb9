//! Lazy values: a node knows its shape and dtype at once and its elements only when somebody asks.
//!
//! Building an expression makes nodes; [`force`] computes one and what it needs, each once. In estimate mode only
//! *light* nodes (small, and made of small constants alone) have values; everything else is unknown. Outputs of kernel
//! launches come from the [`Host`]; while they are missing, forcing asks for the launch.

use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use super::buffer::{self, Buf};
use super::promote::numpy_name;
use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::Dtype;

/// Elements up to which a node made of constants is computed in estimate mode too.
const LIGHT_ELEMENTS: usize = 4096;

/// Largest size in bytes that a shape may have at all (2^46; far beyond any limit, so products cannot overflow).
const SIZE_CEILING: u128 = 1 << 46;

/// Whether values exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Values are computed on demand.
    Simulate,
    /// Shapes and dtypes only.
    Estimate,
}

/// Memory and work of host arrays in one run.
#[derive(Debug)]
pub struct Budget {
    limit_bytes: u64,
    used_bytes: Cell<u64>,
    computed_elements: Cell<u64>,
}

impl Budget {
    /// The limit that fits a browser tab (1 GiB) or a native process (2 GiB).
    pub const DEFAULT_LIMIT_BYTES: u64 = if cfg!(target_arch = "wasm32") { 1 << 30 } else { 2 << 30 };

    /// A budget of `limit_bytes` for all forced arrays that are alive.
    pub fn new(limit_bytes: u64) -> Rc<Self> {
        Rc::new(Self {
            limit_bytes,
            used_bytes: Cell::new(0),
            computed_elements: Cell::new(0),
        })
    }

    /// Bytes of forced arrays that are alive.
    pub fn used_bytes(&self) -> u64 {
        self.used_bytes.get()
    }

    /// Elements computed so far; laziness tests read it.
    pub fn computed_elements(&self) -> u64 {
        self.computed_elements.get()
    }

    /// Takes the bytes of a node, or says why not.
    fn take(self: &Rc<Self>, shape: &[usize], dtype: Dtype) -> Result<Ticket, Fault> {
        element_count(shape)?;
        let elements = u64::try_from(wide_count(shape)).unwrap_or(u64::MAX);
        let bytes = elements.saturating_mul(u64::from(dtype.bytes()));
        if self.used_bytes.get().saturating_add(bytes) > self.limit_bytes {
            let message = format!(
                "array of shape {} and dtype {} needs {}; {} of the {} limit for host arrays are in use",
                show_shape(shape),
                numpy_name(dtype),
                show_bytes(bytes),
                show_bytes(self.used_bytes.get()),
                show_bytes(self.limit_bytes),
            );
            return Err(
                Fault::new(Code::Limit, message).hint("use smaller arrays, or estimate mode, which needs no values")
            );
        }
        self.used_bytes.set(self.used_bytes.get() + bytes);
        self.computed_elements.set(self.computed_elements.get() + elements);
        Ok(Ticket {
            budget: Some(self.clone()),
            bytes,
        })
    }
}

/// `1.5 GiB`-like text.
fn show_bytes(bytes: u64) -> String {
    let units = [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.iter().find(|(_, size)| bytes >= *size) {
        Some((name, size)) => format!("{:.1} {name}", bytes as f64 / *size as f64),
        None => format!("{bytes} B"),
    }
}

/// `(2, 3)` as Python prints a tuple.
pub fn show_shape(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => format!(
            "({})",
            shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Number of elements of `shape`.
///
/// # Errors
/// `limit` when the product is beyond anything that could be stored.
pub fn element_count(shape: &[usize]) -> Result<usize, Fault> {
    let count = wide_count(shape);
    if count > SIZE_CEILING {
        let message = format!(
            "an array of shape {} has {count} elements, too many to store",
            show_shape(shape)
        );
        return Err(Fault::new(Code::Limit, message).hint("use a smaller shape"));
    }
    Ok(saturated(count))
}

/// Number of elements without wrapping.
fn wide_count(shape: &[usize]) -> u128 {
    shape
        .iter()
        .fold(1, |count, &extent| count.saturating_mul(extent as u128))
}

/// A count as an index: where indices have 32 bits, a lazy array may have more elements than could ever be stored.
fn saturated(count: u128) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Gives bytes back when dropped.
#[derive(Debug)]
struct Ticket {
    budget: Option<Rc<Budget>>,
    bytes: u64,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget {
            budget.used_bytes.set(budget.used_bytes.get() - self.bytes);
        }
    }
}

/// Forced data.
#[derive(Debug)]
pub struct Held {
    buf: Buf,
    _ticket: Ticket,
}

impl Deref for Held {
    type Target = Buf;

    fn deref(&self) -> &Buf {
        &self.buf
    }
}

/// The buffer itself when nobody else holds it, else a copy.
pub fn take_buf(held: Rc<Held>) -> Buf {
    match Rc::try_unwrap(held) {
        Ok(held) => held.buf,
        Err(held) => held.buf.clone(),
    }
}

/// Why a value could not be had.
#[derive(Clone, Debug, PartialEq)]
pub enum Demand {
    /// Estimate mode has no values.
    Unknown,
    /// The launch has to run first; unwind the script and run it again afterwards.
    NeedLaunch(u32),
    /// Something is wrong.
    Fault(Fault),
}

impl From<Fault> for Demand {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// What forcing needs from the run.
pub trait Host {
    /// Whether values exist.
    fn mode(&self) -> Mode;
    /// The memory of this run.
    fn budget(&self) -> &Rc<Budget>;
    /// The storage bytes of an output of a launch, once it has run.
    fn launch_output(&self, launch: u32, output: u32) -> Option<Rc<Vec<u8>>>;
}

/// What a computation gives.
pub enum Made {
    /// New data.
    New(Buf),
    /// The data of an input, unchanged.
    Same(Rc<Held>),
}

/// A computation on forced inputs.
type Compute = Box<dyn FnOnce(Vec<Rc<Held>>) -> Result<Made, Fault>>;

/// How far a node is.
enum State {
    Ready(Rc<Held>),
    Pending { inputs: Vec<Rc<Node>>, compute: Compute },
    Launch { launch: u32, output: u32 },
    Failed(Fault),
    Busy,
}

/// A lazy value.
pub struct Node {
    shape: Vec<usize>,
    dtype: Dtype,
    light: bool,
    state: RefCell<State>,
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Node({}, {})", show_shape(&self.shape), numpy_name(self.dtype))
    }
}

impl Node {
    /// Extents.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Element format.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        saturated(wide_count(&self.shape))
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the value is known in estimate mode too.
    pub fn is_light(&self) -> bool {
        self.light
    }

    fn with_state(shape: &[usize], dtype: Dtype, light: bool, state: State) -> Rc<Self> {
        Rc::new(Self {
            shape: shape.to_vec(),
            dtype,
            light,
            state: RefCell::new(state),
        })
    }

    /// A value that is there already; `buf` has as many elements as `shape`.
    pub fn ready(shape: &[usize], dtype: Dtype, buf: Buf) -> Rc<Self> {
        let held = Held {
            buf,
            _ticket: Ticket { budget: None, bytes: 0 },
        };
        let light = held.len() <= LIGHT_ELEMENTS;
        Self::with_state(shape, dtype, light, State::Ready(Rc::new(held)))
    }

    /// An output of a launch.
    pub fn launch(shape: &[usize], dtype: Dtype, launch: u32, output: u32) -> Rc<Self> {
        Self::with_state(shape, dtype, false, State::Launch { launch, output })
    }

    /// A value computed from `inputs` when asked for.
    pub fn lazy(
        shape: &[usize],
        dtype: Dtype,
        inputs: Vec<Rc<Self>>,
        compute: impl FnOnce(&[Rc<Held>]) -> Result<Buf, Fault> + 'static,
    ) -> Rc<Self> {
        Self::reusing(shape, dtype, inputs, move |held| compute(&held).map(Made::New))
    }

    /// As [`Node::lazy`], but the computation owns its inputs and may give one back or change it in place.
    pub fn reusing(
        shape: &[usize],
        dtype: Dtype,
        inputs: Vec<Rc<Self>>,
        compute: impl FnOnce(Vec<Rc<Held>>) -> Result<Made, Fault> + 'static,
    ) -> Rc<Self> {
        let elements = shape.iter().fold(1usize, |count, &extent| count.saturating_mul(extent));
        let light = elements <= LIGHT_ELEMENTS && inputs.iter().all(|input| input.light);
        Self::with_state(
            shape,
            dtype,
            light,
            State::Pending {
                inputs,
                compute: Box::new(compute),
            },
        )
    }

    /// The data, if it is there.
    pub fn ready_data(&self) -> Option<Rc<Held>> {
        if let State::Ready(held) = &*self.state.borrow() {
            Some(held.clone())
        } else {
            None
        }
    }

    /// Inputs that must be computed before this node.
    fn missing_inputs(&self) -> Vec<Rc<Self>> {
        match &*self.state.borrow() {
            State::Pending { inputs, .. } => inputs
                .iter()
                .filter(|input| input.ready_data().is_none())
                .cloned()
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Computes this node; its inputs are ready.
    fn compute(&self, host: &dyn Host) -> Result<(), Demand> {
        let state = self.state.replace(State::Busy);
        let made = match state {
            State::Pending { inputs, compute } => {
                let held = inputs.iter().filter_map(|input| input.ready_data()).collect();
                drop(inputs);
                self.make(host, |ticket| Ok((compute(held)?, ticket)))
            }
            State::Launch { launch, output } => {
                let Some(bytes) = host.launch_output(launch, output) else {
                    self.state.replace(State::Launch { launch, output });
                    return Err(Demand::NeedLaunch(launch));
                };
                self.make(host, |ticket| {
                    Ok((Made::New(buffer::from_le_bytes(self.dtype, &bytes)), ticket))
                })
            }
            State::Ready(held) => Ok(held),
            State::Failed(fault) => Err(fault),
            State::Busy => Err(Fault::new(Code::Internal, "an array depends on itself")),
        };
        match made {
            Ok(held) => {
                self.state.replace(State::Ready(held));
                Ok(())
            }
            Err(fault) => {
                self.state.replace(State::Failed(fault.clone()));
                Err(Demand::Fault(fault))
            }
        }
    }

    /// Reserves memory, computes, and checks the number of elements.
    fn make(
        &self,
        host: &dyn Host,
        compute: impl FnOnce(Ticket) -> Result<(Made, Ticket), Fault>,
    ) -> Result<Rc<Held>, Fault> {
        let (made, ticket) = compute(host.budget().take(&self.shape, self.dtype)?)?;
        let held = match made {
            Made::New(buf) => Rc::new(Held { buf, _ticket: ticket }),
            Made::Same(held) => held,
        };
        if held.len() == self.len() {
            return Ok(held);
        }
        let message = format!(
            "{} elements computed for an array of shape {}",
            held.len(),
            show_shape(&self.shape)
        );
        Err(Fault::new(Code::Internal, message))
    }
}

/// Dropping a long chain of nodes must not recurse once per link.
impl Drop for Node {
    fn drop(&mut self) {
        let mut waiting = take_inputs(&mut self.state);
        while let Some(node) = waiting.pop() {
            if let Ok(mut node) = Rc::try_unwrap(node) {
                waiting.append(&mut take_inputs(&mut node.state));
            }
        }
    }
}

/// The inputs of a pending state, which is left without any.
fn take_inputs(state: &mut RefCell<State>) -> Vec<Rc<Node>> {
    match state.get_mut() {
        State::Pending { inputs, .. } => std::mem::take(inputs),
        _ => Vec::new(),
    }
}

/// The data of `node`, computing it and what it needs at most once.
///
/// # Errors
/// `Unknown` in estimate mode, `NeedLaunch` while a launch has not run, or the fault of a computation.
pub fn force(node: &Rc<Node>, host: &dyn Host) -> Result<Rc<Held>, Demand> {
    if host.mode() == Mode::Estimate && !node.light {
        return Err(Demand::Unknown);
    }
    let mut stack = vec![node.clone()];
    while let Some(top) = stack.pop() {
        if top.ready_data().is_some() {
            continue;
        }
        let missing = top.missing_inputs();
        if missing.is_empty() {
            top.compute(host)?;
        } else {
            stack.push(top);
            stack.extend(missing);
        }
    }
    node.ready_data()
        .ok_or_else(|| Demand::Fault(Fault::new(Code::Internal, "a forced array has no data")))
}
