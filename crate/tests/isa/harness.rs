//! A small way to write kernels in tests: buffers, calls by keyword, a run, values back as float64.

use std::rc::Rc;

use trn3::base::diag::{Diagnostic, Fault};
use trn3::base::span::{FileId, Loc, LocId, Span};
use trn3::chip::Chip;
use trn3::exec::{Executor, Progress};
use trn3::isa::args::{Arg, Args};
use trn3::isa::entry;
use trn3::numerics::cast::{self, Mode};
use trn3::numerics::dtype::Dtype;
use trn3::tensor::buffer::{Address, Buffer, BufferId, Init, Space};
use trn3::tensor::pattern::{AccessPattern, Dim};
use trn3::tensor::view::{Indirect, RegId, ViewId};
use trn3::trace::builder::Builder;
use trn3::trace::limits::Limits;
use trn3::trace::program::{InstId, Program};

/// A kernel under construction.
pub struct Kernel {
    pub builder: Builder,
    loc: LocId,
    inputs: Vec<Vec<u8>>,
    results: Vec<ViewId>,
    names: u32,
}

/// Bytes of values in `dtype`.
pub fn bytes(dtype: Dtype, values: &[f64]) -> Vec<u8> {
    let lanes = dtype.info().lanes as usize;
    let mut out = vec![0; values.len() / lanes * dtype.bytes() as usize];
    cast::encode_f64(dtype, values, &mut out, Mode::NumPy);
    out
}

/// Values of bytes in `dtype`.
pub fn values(dtype: Dtype, bytes: &[u8]) -> Vec<f64> {
    let mut out = vec![0.0; cast::value_count(dtype, bytes.len())];
    cast::decode_f64(dtype, bytes, &mut out);
    out
}

/// Steps of a dense row-major tensor.
pub fn dense(shape: &[u32]) -> Vec<Dim> {
    let mut step = 1;
    let mut dims: Vec<Dim> = shape
        .iter()
        .rev()
        .map(|&num| {
            let dim = Dim { step, num };
            step *= i64::from(num);
            dim
        })
        .collect();
    dims.reverse();
    dims
}

impl Kernel {
    /// A kernel for `trn1`, `trn2` or `trn3`.
    pub fn on(chip: &str) -> Self {
        let mut builder = Builder::new(Chip::by_name(chip).unwrap(), Limits::default());
        let loc = builder.loc(Loc {
            span: Span::new(FileId(0), 0, 1),
            caller: None,
        });
        builder.begin_core();
        Self {
            builder,
            loc,
            inputs: Vec::new(),
            results: Vec::new(),
            names: 0,
        }
    }

    /// A kernel for Trainium3.
    pub fn new() -> Self {
        Self::on("trn3")
    }

    /// The place of every call.
    pub fn loc(&self) -> LocId {
        self.loc
    }

    fn buffer(&mut self, space: Space, shape: &[u32], dtype: Dtype, init: Init) -> Buffer {
        self.names += 1;
        Buffer {
            name: format!("t{}", self.names - 1),
            space,
            shape: shape.to_vec(),
            dtype,
            address: None,
            init,
            loc: self.loc,
        }
    }

    /// A view of a whole buffer.
    pub fn whole(&mut self, id: BufferId) -> ViewId {
        let buffer = &self.builder.tables().buffers[id];
        let pattern = AccessPattern {
            dtype: buffer.dtype,
            dims: dense(&buffer.shape).into(),
        };
        self.builder.view(id, 0, pattern, None)
    }

    /// An allocated tensor.
    pub fn alloc(&mut self, space: Space, shape: &[u32], dtype: Dtype) -> ViewId {
        let buffer = self.buffer(space, shape, dtype, Init::Unwritten);
        let id = self.builder.alloc(buffer).unwrap();
        self.whole(id)
    }

    /// An allocated tensor at a place of the user's choice.
    pub fn alloc_at(&mut self, space: Space, shape: &[u32], dtype: Dtype, address: Address) -> ViewId {
        let mut buffer = self.buffer(space, shape, dtype, Init::Unwritten);
        buffer.address = Some(address);
        let id = self.builder.alloc(buffer).unwrap();
        self.whole(id)
    }

    pub fn sbuf(&mut self, shape: &[u32], dtype: Dtype) -> ViewId {
        self.alloc(Space::Sbuf, shape, dtype)
    }

    pub fn psum(&mut self, shape: &[u32], dtype: Dtype) -> ViewId {
        self.alloc(Space::Psum, shape, dtype)
    }

    pub fn hbm(&mut self, shape: &[u32], dtype: Dtype) -> ViewId {
        self.alloc(Space::SharedHbm, shape, dtype)
    }

    /// An array argument with bytes.
    pub fn argument(&mut self, shape: &[u32], dtype: Dtype, data: Vec<u8>) -> ViewId {
        let init = Init::Argument(self.inputs.len() as u32);
        let buffer = self.buffer(Space::SharedHbm, shape, dtype, init);
        self.inputs.push(data);
        let id = self.builder.argument(buffer);
        self.whole(id)
    }

    /// An array argument.
    pub fn input(&mut self, shape: &[u32], dtype: Dtype, data: &[f64]) -> ViewId {
        self.argument(shape, dtype, bytes(dtype, data))
    }

    /// An SBUF tile loaded from an argument.
    pub fn load(&mut self, shape: &[u32], dtype: Dtype, data: &[f64]) -> ViewId {
        let source = self.input(shape, dtype, data);
        let tile = self.sbuf(shape, dtype);
        self.ok("dma_copy", &[("dst", Arg::Tensor(tile)), ("src", Arg::Tensor(source))]);
        tile
    }

    /// Another view of the buffer of `view`.
    pub fn view(&mut self, view: ViewId, offset: u64, dims: &[(i64, u32)]) -> ViewId {
        self.indirect(view, offset, dims, None)
    }

    /// Another view of the buffer of `view`, with a run-time index.
    pub fn indirect(&mut self, view: ViewId, offset: u64, dims: &[(i64, u32)], index: Option<Indirect>) -> ViewId {
        let tile = self.builder.tables().tile(view);
        let (buffer, dtype) = (tile.view.buffer, tile.dtype());
        let dims = dims.iter().map(|&(step, num)| Dim { step, num }).collect();
        self.builder.view(buffer, offset, AccessPattern { dtype, dims }, index)
    }

    /// A register.
    pub fn register(&mut self) -> RegId {
        self.builder.register()
    }

    /// Issues an instruction with keyword arguments.
    pub fn call(&mut self, name: &str, args: &[(&str, Arg)]) -> Result<InstId, Fault> {
        let keywords = args.iter().map(|(name, arg)| (Rc::from(*name), arg.clone())).collect();
        let args = Args {
            positional: Default::default(),
            keywords,
        };
        self.builder.call(entry(name).unwrap(), &args, self.loc)
    }

    /// Issues an instruction that must be accepted.
    pub fn ok(&mut self, name: &str, args: &[(&str, Arg)]) {
        if let Err(fault) = self.call(name, args) {
            panic!("{name}: {}", fault.message);
        }
    }

    /// Issues an instruction that must be rejected; gives code and message.
    pub fn rejected(&mut self, name: &str, args: &[(&str, Arg)]) -> (&'static str, String) {
        let fault = self.call(name, args).unwrap_err();
        (fault.code.id(), fault.message)
    }

    /// Returns a tile: copies it to HBM (through SBUF if it is in PSUM).
    pub fn output(&mut self, view: ViewId) {
        let tile = self.builder.tables().tile(view);
        let (shape, dtype, space) = (tile.pattern.shape(), tile.dtype(), tile.space());
        let mut source = view;
        if space == Space::Psum {
            source = self.sbuf(&shape, dtype);
            self.ok(
                "tensor_copy",
                &[("dst", Arg::Tensor(source)), ("src", Arg::Tensor(view))],
            );
        }
        if space.is_on_chip() {
            let out = self.hbm(&shape, dtype);
            self.ok("dma_copy", &[("dst", Arg::Tensor(out)), ("src", Arg::Tensor(source))]);
            source = out;
        }
        self.results.push(source);
    }

    /// The program, its inputs, and a way to run it.
    pub fn finish(self) -> (Rc<Program>, Vec<Vec<u8>>) {
        let program = self.builder.finish(Rc::from("kernel"), vec![1], self.results);
        (Rc::new(program), self.inputs)
    }

    /// Runs the kernel to its end.
    pub fn execute(self) -> Result<Executor, Diagnostic> {
        let (program, inputs) = self.finish();
        let mut executor = Executor::new(program, inputs, &Limits::default()).unwrap();
        while executor.advance(1000)? == Progress::Running {}
        Ok(executor)
    }

    /// Runs the kernel; gives the values of the outputs.
    pub fn run(self) -> Vec<Vec<f64>> {
        let mut executor = match self.execute() {
            Ok(executor) => executor,
            Err(diagnostic) => panic!("{}", diagnostic.message),
        };
        let outputs = executor.results().unwrap();
        outputs
            .iter()
            .map(|output| values(output.dtype, &output.bytes))
            .collect()
    }

    /// Runs the kernel, which must fail; gives code and message.
    pub fn fails(self) -> (&'static str, String) {
        let diagnostic = match self.execute() {
            Ok(_) => panic!("the kernel ran"),
            Err(diagnostic) => diagnostic,
        };
        (diagnostic.code.id(), diagnostic.message)
    }
}

/// Numbers that are exact in every float dtype and differ from each other: a fixed sequence between -4 and 4.
pub fn numbers(count: usize) -> Vec<f64> {
    (0..count)
        .map(|at| f64::from((at * 37 % 33) as i32 - 16) / 4.0)
        .collect()
}

/// A function of `nki.language`.
pub fn func(name: &'static str) -> Arg {
    Arg::Function(name)
}

/// Whether two lists agree to a relative tolerance.
pub fn close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len());
    for (at, (got, want)) in got.iter().zip(want).enumerate() {
        let fits =
            got == want || (got - want).abs() <= tolerance * want.abs().max(1.0) || got.is_nan() && want.is_nan();
        assert!(fits, "element {at}: got {got}, want {want}");
    }
}
