//! `nki.jit`, and the launch itself.

use std::rc::Rc;

use crate::base::diag::{Code, Diagnostic, Fault};
use crate::base::span::LocId;
use crate::builtin;
use crate::interp::builtin::{Arg as CallArg, Args, CallArgs};
use crate::interp::native::{Answer, NativeObject};
use crate::interp::numpy::array::Array;
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::interp::{Interp, Tracer};
use crate::isa::spec::Access;
use crate::tensor::buffer::{Buffer, BufferId, Init, Space};
use crate::tensor::view::ViewId;
use crate::tensor::window::Window;
use crate::trace::builder::Builder;
use crate::trace::program::{Program, Trace};

use super::grid::LaunchGrid;
use super::host;
use super::session::{LaunchRecord, Output, Replay, Said, Session};
use super::tensor::NkiTensor;
use super::tracing::{Tracing, chip, deprecated, tracing};

/// A function decorated with `nki.jit`.
#[derive(Clone)]
pub struct Kernel {
    function: Value,
    name: Rc<str>,
    grid: LaunchGrid,
    legacy: bool,
}

impl NativeObject for Kernel {
    fn type_name(&self) -> &str {
        "Kernel"
    }

    fn getattr(&self, cx: &mut Interp, name: &str) -> Answer {
        match name {
            "func" => Ok(Some(self.function.clone())),
            "__name__" | "__doc__" | "__qualname__" => cx.getattr(&self.function, name).map(Some),
            _ => Ok(None),
        }
    }

    fn getitem(&self, cx: &mut Interp, index: &Value) -> Answer {
        let items = match index {
            Value::Tuple(items) => items.to_vec(),
            other => vec![other.clone()],
        };
        let grid = LaunchGrid::new(chip(cx), &self.name, &items, self.legacy)?;
        Ok(Some(Value::native(Self { grid, ..self.clone() })))
    }

    fn call(&self, cx: &mut Interp, args: CallArgs) -> Answer {
        if cx.in_kernel() {
            // A kernel that calls a kernel calls a function.
            return cx.call(&self.function, args).map(Some);
        }
        launch(cx, self, args).map(Some)
    }

    fn is_callable(&self) -> bool {
        true
    }

    fn repr(&self, _cx: &mut Interp) -> Result<String> {
        Ok(format!("<nki kernel {}>", self.name))
    }
}

impl Kernel {
    /// The kernel that `function` is, or a new one around it.
    fn of(cx: &mut Interp, function: &Value, legacy: bool) -> Result<Self> {
        if let Some(kernel) = function.downcast::<Self>() {
            return Ok(kernel.clone());
        }
        let name = match cx.getattr(function, "__name__") {
            Ok(name) => name.as_str().unwrap_or("kernel").into(),
            Err(_) => return Err(Raised::type_error("nki.jit takes a function")),
        };
        Ok(Self {
            function: function.clone(),
            name,
            grid: LaunchGrid::default(),
            legacy,
        })
    }
}

/// An array argument of a launch.
struct Argument {
    array: Array,
    value: Value,
    buffer: BufferId,
}

/// Makes HBM tensors of the arrays among the arguments.
struct Binder {
    builder: Builder,
    generation: u32,
    loc: LocId,
    arguments: Vec<Argument>,
}

impl Binder {
    /// The argument as the kernel sees it.
    fn bind(&mut self, value: &Value, name: &str) -> Result<Value> {
        if let Some(array) = host::as_array(value) {
            if array.shape().is_empty() {
                // A NumPy scalar is a number.
                return Ok(value.clone());
            }
            return self.array(value, &array, name);
        }
        let items = match value {
            Value::Tuple(items) => items.to_vec(),
            Value::List(items) => items.borrow().to_vec(),
            _ => return Ok(value.clone()),
        };
        let bound = items
            .iter()
            .enumerate()
            .map(|(at, item)| self.bind(item, &format!("{name}_{at}")));
        let bound = bound.collect::<Result<Vec<_>>>()?;
        Ok(if matches!(value, Value::List(_)) {
            Value::list(bound)
        } else {
            Value::tuple(bound)
        })
    }

    fn array(&mut self, value: &Value, array: &Array, name: &str) -> Result<Value> {
        let dtype = array.dtype();
        if dtype.info().host_only {
            let message = format!(
                "argument {name} has the dtype {}, which the device does not have",
                dtype.name()
            );
            return Err(Raised::from(Fault::new(Code::Dtype, message))
                .hint("convert it first, for example with x.astype(np.float32) or x.astype(np.int32)"));
        }
        let shape = array
            .shape()
            .iter()
            .map(|&size| u32::try_from(size).unwrap_or(u32::MAX))
            .collect::<Vec<_>>();
        let number = self.arguments.len() as u32;
        let buffer = Buffer {
            name: name.to_owned(),
            space: Space::SharedHbm,
            shape,
            dtype,
            address: None,
            init: Init::Argument(number),
            loc: self.loc,
        };
        let window_of = buffer.clone();
        let id = self.builder.argument(buffer);
        self.arguments.push(Argument {
            array: host::snapshot(array),
            value: value.clone(),
            buffer: id,
        });
        Ok(Value::native(NkiTensor::new(
            name.into(),
            Window::whole(id, &window_of),
            self.generation,
        )))
    }
}

/// Names of the parameters of a script function.
fn parameter_names(function: &Value) -> Vec<String> {
    match function {
        Value::Function(function) => {
            let code = &function.code;
            code.params
                .iter()
                .map(|param| code.names[param.name.0 as usize].to_string())
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Runs a kernel: traces it, or takes the trace of an earlier round, and gives its outputs.
fn launch(cx: &mut Interp, kernel: &Kernel, args: CallArgs) -> Result<Value> {
    let span = cx.span();
    let loc = cx.loc();
    let session = cx.extension::<Session>();
    let number = session.launches.len();
    if number as u32 >= session.limits.launches {
        let limit = session.limits.launches;
        return Err(Raised::limit(format!("the script launches more than {limit} kernels")));
    }
    session.generation += 1;
    let builder = Builder::new(session.chip, session.limits);
    let mut binder = Binder {
        builder,
        generation: session.generation,
        loc,
        arguments: Vec::new(),
    };
    let args = bind_all(&mut binder, kernel, args)?;
    let replay = cx.extension::<Session>().replay.get(number).cloned();
    let (arguments, traced) = match replay {
        Some(replay) => {
            say(cx, &replay.said)?;
            (binder.arguments, replay)
        }
        None => listen(cx, |cx| trace(cx, kernel, binder, &args))?,
    };
    let Replay {
        program,
        outputs,
        shape,
        said,
    } = traced;
    let inputs = arguments.iter().map(|argument| argument.array.clone()).collect();
    let record = LaunchRecord {
        program,
        inputs,
        outputs: outputs.clone(),
        shape,
        span,
        said,
    };
    cx.extension::<Session>().launches.push(record);
    deliver(cx, number as u32, &arguments, &outputs, shape)
}

/// Says again what tracing said in an earlier round.
fn say(cx: &mut Interp, said: &Said) -> Result<()> {
    for print in &said.printed {
        cx.repeat_print(print.clone())?;
    }
    for warning in &said.warnings {
        cx.warn(warning.clone());
    }
    Ok(())
}

/// Traces, and keeps what that prints and warns of.
fn listen(
    cx: &mut Interp,
    trace: impl FnOnce(&mut Interp) -> Result<(Vec<Argument>, Replay)>,
) -> Result<(Vec<Argument>, Replay)> {
    let (printed, warnings) = (cx.prints.len(), cx.warnings.len());
    let (arguments, mut traced) = trace(cx)?;
    traced.said = Said {
        printed: cx.prints.get(printed..).unwrap_or_default().to_owned(),
        warnings: cx.warnings.get(warnings..).unwrap_or_default().to_vec(),
    };
    Ok((arguments, traced))
}

/// Binds all arguments of a call.
fn bind_all(binder: &mut Binder, kernel: &Kernel, args: CallArgs) -> Result<CallArgs> {
    let names = parameter_names(&kernel.function);
    let mut bound = CallArgs {
        span: args.span,
        ..CallArgs::default()
    };
    for (at, arg) in args.positional.into_iter().enumerate() {
        let generated = format!("arg{at}");
        let name = names.get(at).unwrap_or(&generated);
        let value = binder.bind(&arg.value, name).map_err(|raised| raised.at(arg.span))?;
        bound.positional.push(CallArg { value, span: arg.span });
    }
    for (name, arg) in args.keywords {
        let value = binder.bind(&arg.value, &name).map_err(|raised| raised.at(arg.span))?;
        bound.keywords.push((name, CallArg { value, span: arg.span }));
    }
    Ok(bound)
}

/// What the kernel function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing.
    Nothing,
    /// One tensor.
    One,
    /// A tuple of tensors.
    Tuple,
}

/// Evaluates the kernel once for each program.
fn trace(cx: &mut Interp, kernel: &Kernel, binder: Binder, args: &CallArgs) -> Result<(Vec<Argument>, Replay)> {
    let Binder {
        builder,
        generation,
        arguments,
        ..
    } = binder;
    let tracing = Tracing {
        builder,
        generation,
        legacy: kernel.legacy,
        grid: kernel.grid.sizes(),
        program: Vec::new(),
        core: 0,
        constants: Default::default(),
        identities: Default::default(),
        regions: Default::default(),
        fixed_order: 0,
        tensors: 0,
    };
    cx.extension::<Session>().tracing = Some(tracing);
    let outer = cx.enter_kernel(!kernel.legacy);
    let returned = evaluate(cx, kernel, args);
    cx.tracer = None;
    cx.leave_kernel(outer);
    let finished = returned.and_then(|returned| results(cx, kernel, &returned));
    let tracing = cx.extension::<Session>().tracing.take();
    let (views, shape) = finished?;
    let tracing = tracing.ok_or_else(|| Raised::from(Fault::new(Code::Internal, "the launch was lost")))?;
    let grid = if tracing.grid.is_empty() { vec![1] } else { tracing.grid };
    let mut program = tracing.builder.finish(kernel.name.clone(), grid, views);
    program.locs = cx.locs().clone();
    let outputs = outputs(cx, &program, &arguments)?;
    let traced = Replay {
        program: Rc::new(program),
        outputs,
        shape,
        said: Said::default(),
    };
    Ok((arguments, traced))
}

/// Calls the kernel function for every program of every core; gives what the first one returned.
fn evaluate(cx: &mut Interp, kernel: &Kernel, args: &CallArgs) -> Result<Value> {
    let mut first = None;
    for core in 0..kernel.grid.cores() {
        for (at, program) in kernel.grid.programs(core).into_iter().enumerate() {
            let trace = tracing(cx, "a launch")?;
            if at == 0 {
                trace.builder.begin_core();
            } else {
                trace.builder.begin_program();
            }
            trace.regions = Default::default();
            trace.core = core;
            trace.program = program;
            let launch = cx.extension::<Session>().launches.len() as u32;
            cx.tracer = Some(Tracer { launch, core });
            let value = cx.call(&kernel.function, args.clone())?;
            if tracing(cx, "a launch")?.builder.open_loop().is_some() {
                return Err(Raised::value_error(
                    "an exception left a loop that runs on the device and was caught outside of it",
                )
                .hint("catch it inside of the loop's body, or use range(), which unrolls the loop"));
            }
            first.get_or_insert(value);
        }
    }
    Ok(first.unwrap_or(Value::None))
}

/// The views that the kernel returned.
fn results(cx: &mut Interp, kernel: &Kernel, returned: &Value) -> Result<(Vec<ViewId>, Shape)> {
    let (items, shape) = match returned {
        Value::None => (Vec::new(), Shape::Nothing),
        Value::Tuple(_) | Value::List(_) => (returned.as_items().unwrap_or_default(), Shape::Tuple),
        one => (vec![one.clone()], Shape::One),
    };
    let mut views = Vec::new();
    for item in &items {
        let Some(tensor) = item.downcast::<NkiTensor>() else {
            let got = crate::interp::builtin::plain_type_name(item);
            return Err(Raised::type_error(format!(
                "kernel {} returns {got}; only tensors can be returned",
                kernel.name
            )));
        };
        let older = kernel.legacy && tensor.window.space == Space::Hbm;
        if tensor.window.space != Space::SharedHbm && !older {
            let message = format!(
                "kernel {} returns {}; outputs must be in shared_hbm",
                kernel.name,
                tensor.describe()
            );
            return Err(Raised::from(Fault::new(Code::MemorySpace, message))
                .hint("allocate it with buffer=nl.shared_hbm and copy the tile there with nisa.dma_copy"));
        }
        views.push(tensor.view(cx)?);
    }
    Ok((views, shape))
}

/// Which buffers the instructions write.
fn written(program: &Program) -> Vec<bool> {
    let mut written = vec![false; program.tables.buffers.len()];
    let mut visit = |trace: &Trace| {
        for inst in trace.insts.iter() {
            inst.operands(&mut |operand| {
                if operand.access != Access::Read {
                    written[program.tables.views[operand.view].buffer.0 as usize] = true;
                }
            });
        }
    };
    program.cores.iter().for_each(&mut visit);
    written
}

/// What the launch gives back: returned tensors, then arguments that were written. A tensor that nobody wrote is an error.
fn outputs(cx: &mut Interp, program: &Program, arguments: &[Argument]) -> Result<Vec<Output>> {
    let written = written(program);
    let mut outputs = Vec::new();
    for &view in &program.results {
        let tile = program.tables.tile(view);
        if tile.buffer.init == Init::Unwritten && !written[tile.view.buffer.0 as usize] {
            let message = format!(
                "kernel {} returns {}, but never writes to it",
                program.kernel,
                tile.describe()
            );
            let span = program.locs[tile.buffer.loc].span;
            return Err(Raised::from(Fault::new(Code::Uninitialized, message))
                .at(span)
                .hint("copy the result into it with nisa.dma_copy(dst=..., src=...); on the device it would hold zeros or old data"));
        }
        let shape = tile.pattern.dims.iter().map(|dim| dim.num as usize).collect();
        outputs.push(Output {
            shape,
            dtype: tile.dtype(),
            argument: None,
        });
    }
    for (at, argument) in arguments.iter().enumerate() {
        if written[argument.buffer.0 as usize] {
            let buffer = &program.tables.buffers[argument.buffer];
            let shape = buffer.shape.iter().map(|&size| size as usize).collect();
            outputs.push(Output {
                shape,
                dtype: buffer.dtype,
                argument: Some(at),
            });
        }
    }
    if outputs.is_empty() {
        let message = format!("kernel {} returns nothing and writes to no argument", program.kernel);
        let span = cx.span();
        cx.warn(Diagnostic::warning(Code::Value, span, message).with_hint("return the output tensor"));
    }
    Ok(outputs)
}

/// Gives the outputs to the script: lazy arrays, and new contents of the arguments that were written.
fn deliver(cx: &mut Interp, launch: u32, arguments: &[Argument], outputs: &[Output], shape: Shape) -> Result<Value> {
    let mut returned = Vec::new();
    for (at, output) in outputs.iter().enumerate() {
        let array = host::output(&output.shape, output.dtype, launch, at as u32);
        match output.argument {
            None => returned.push(host::array_value(array)),
            Some(argument) => host::overwrite(cx, &arguments[argument].value, &array)?,
        }
    }
    Ok(match shape {
        Shape::Nothing => Value::None,
        Shape::One => returned.pop().unwrap_or(Value::None),
        Shape::Tuple => Value::tuple(returned),
    })
}

/// `jit`, in its three forms: `@jit`, `@jit(...)` and `jit(f)`.
fn jit(cx: &mut Interp, args: &mut Args, legacy: bool) -> Result<Value> {
    if legacy {
        let hint =
            "import nki, nki.language and nki.isa; the migration guide of the NKI documentation shows the differences";
        deprecated(
            cx,
            args.call_span(),
            "neuronxcc.nki is the older namespace of NKI",
            hint,
        );
    }
    for (name, arg) in args.keywords() {
        match &**name {
            // NKI 0.3.0 and later reject it; public samples still pass it.
            "platform_target" if !legacy => {
                let message = "nki.jit(platform_target=...) was removed in NKI 0.3.0 and is ignored here";
                let hint =
                    "leave it out and choose the target of the run; on a machine NEURON_PLATFORM_TARGET_OVERRIDE does";
                deprecated(cx, Some(arg.span), message, hint);
            }
            "platform_target" | "mode" | "debug_kernel" | "experimental_flags" | "show_compiler_tb" => {
                let message = format!("nki.jit({name}=...) is ignored here");
                deprecated(cx, Some(arg.span), &message, "choose the target of the run instead");
            }
            other => return Err(Raised::argument_error(format!("nki.jit has no option '{other}'")).at(arg.span)),
        }
    }
    match args.some(0).cloned() {
        Some(function) => Kernel::of(cx, &function, legacy).map(Value::native),
        None => Ok(Value::native(Decorator { legacy })),
    }
}

/// What `nki.jit(...)` with options returns.
struct Decorator {
    legacy: bool,
}

impl NativeObject for Decorator {
    fn type_name(&self) -> &str {
        "function"
    }

    fn call(&self, cx: &mut Interp, args: CallArgs) -> Answer {
        let function = args
            .positional
            .first()
            .map(|arg| arg.value.clone())
            .unwrap_or(Value::None);
        Kernel::of(cx, &function, self.legacy).map(|kernel| Some(Value::native(kernel)))
    }
}

builtin! {
    /// Functions of `nki`.
    pub ROWS;
    /// Makes a function a kernel. `kernel(...)` runs it on one core, `kernel[2](...)` on two.
    "jit" "(fn=None, **kwargs)" => |cx, args| jit(cx, args, false);
    /// A kernel that runs on the model; every kernel does here.
    "simulate" "(kernel)" => |cx, args| {
        let function = args.value(0).clone();
        Kernel::of(cx, &function, false).map(Value::native)
    };
}

builtin! {
    /// Functions of `neuronxcc.nki`.
    pub LEGACY_ROWS;
    /// Makes a function a kernel of the older dialect.
    "jit" "(fn=None, **kwargs)" => |cx, args| jit(cx, args, true);
    /// Makes a function a kernel of the older dialect.
    "trace" "(fn=None, **kwargs)" => |cx, args| jit(cx, args, true);
    /// Makes a function a kernel of the older dialect.
    "baremetal" "(fn=None, **kwargs)" => |cx, args| jit(cx, args, true);
    /// Runs a kernel of the older dialect on the model.
    "simulate_kernel" "(kernel, *args, **kwargs)" => |cx, args| {
        let function = args.value(0).clone();
        let kernel = Kernel::of(cx, &function, true)?;
        launch(cx, &kernel, args.forward())
    };
}
