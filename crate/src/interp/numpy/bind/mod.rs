//! Host arrays in the interpreter: the modules `numpy`, `numpy.random`, `numpy.linalg`, `numpy.testing`, `ml_dtypes`.

mod algebra;
pub mod convert;
pub mod dtype;
mod making;
mod methods;
pub mod ndarray;
mod random;
pub mod session;
mod shaping;
mod shared;
pub mod ufunc;

use crate::interp::builtin::CallArgs;
use crate::interp::native::{Answer, NativeObject};
use crate::interp::raised::{Raised, Result};
use crate::interp::scope::ModuleId;
use crate::interp::value::Value;
use crate::interp::{Interp, NativeModule};
use crate::numerics::dtype::Dtype;

/// The modules, for `Interp::register`.
pub static MODULES: &[NativeModule] = &[
    NativeModule {
        name: "numpy",
        init: init_numpy,
    },
    NativeModule {
        name: "numpy.random",
        init: init_random,
    },
    NativeModule {
        name: "numpy.linalg",
        init: init_linalg,
    },
    NativeModule {
        name: "numpy.testing",
        init: init_testing,
    },
    NativeModule {
        name: "ml_dtypes",
        init: init_ml_dtypes,
    },
];

/// Scalar classes of `numpy`.
const CLASSES: [(&str, Dtype); 30] = [
    ("bool_", Dtype::Bool),
    ("bool", Dtype::Bool),
    ("int8", Dtype::I8),
    ("int16", Dtype::I16),
    ("int32", Dtype::I32),
    ("int64", Dtype::I64),
    ("int_", Dtype::I64),
    ("intp", Dtype::I64),
    ("intc", Dtype::I32),
    ("long", Dtype::I64),
    ("longlong", Dtype::I64),
    ("short", Dtype::I16),
    ("byte", Dtype::I8),
    ("uint8", Dtype::U8),
    ("uint16", Dtype::U16),
    ("uint32", Dtype::U32),
    ("uint64", Dtype::U64),
    ("uint", Dtype::U64),
    ("uintp", Dtype::U64),
    ("uintc", Dtype::U32),
    ("ubyte", Dtype::U8),
    ("ushort", Dtype::U16),
    ("ulong", Dtype::U64),
    ("float16", Dtype::F16),
    ("float32", Dtype::F32),
    ("float64", Dtype::F64),
    ("half", Dtype::F16),
    ("single", Dtype::F32),
    ("double", Dtype::F64),
    ("float_", Dtype::F64),
];

/// Formats of `ml_dtypes`.
const EXTENSIONS: [Dtype; 6] = [
    Dtype::Bf16,
    Dtype::F8E4m3,
    Dtype::F8E4m3fn,
    Dtype::F8E5m2,
    Dtype::F8E8m0fnu,
    Dtype::F4E2m1fn,
];

/// Abstract classes of scalars.
const ABSTRACT: [&str; 7] = [
    "generic",
    "number",
    "integer",
    "signedinteger",
    "unsignedinteger",
    "floating",
    "inexact",
];

/// Names of NumPy that are known and not modelled; using one says so.
const MISSING: [&str; 61] = [
    "fft",
    "polynomial",
    "ma",
    "char",
    "strings",
    "lib",
    "ctypeslib",
    "complex64",
    "complex128",
    "complex_",
    "csingle",
    "cdouble",
    "datetime64",
    "timedelta64",
    "object_",
    "str_",
    "bytes_",
    "void",
    "histogram",
    "histogram2d",
    "histogramdd",
    "digitize",
    "interp",
    "convolve",
    "correlate",
    "corrcoef",
    "cov",
    "gradient",
    "percentile",
    "quantile",
    "nanpercentile",
    "nanstd",
    "nanprod",
    "matrix_transpose",
    "float_power",
    "nanvar",
    "nanargmax",
    "nanargmin",
    "trapezoid",
    "cross",
    "kron",
    "polyfit",
    "polyval",
    "roots",
    "insert",
    "delete",
    "append",
    "isin",
    "in1d",
    "intersect1d",
    "union1d",
    "setdiff1d",
    "lexsort",
    "packbits",
    "unpackbits",
    "frombuffer",
    "loadtxt",
    "savetxt",
    "savez",
    "memmap",
    "nditer",
];

/// Other names of rows: alias and row.
const ALIASES: [(&str, &str); 4] = [
    ("concat", "concatenate"),
    ("row_stack", "vstack"),
    ("round_", "round"),
    ("cumulative_sum", "cumsum"),
];

/// A name that NumPy has and the playground has not.
struct Missing {
    name: &'static str,
}

impl Missing {
    fn error(&self) -> Raised {
        Raised::unimplemented(format!("numpy.{} is not available in the playground", self.name))
            .hint("a few lines of what is there often do the same")
    }
}

impl NativeObject for Missing {
    fn type_name(&self) -> &str {
        "missing"
    }

    fn getattr(&self, _cx: &mut Interp, _name: &str) -> Answer {
        Err(self.error())
    }

    fn call(&self, _cx: &mut Interp, _args: CallArgs) -> Answer {
        Err(self.error())
    }
}

/// Fills `numpy`.
fn init_numpy(cx: &mut Interp, id: ModuleId) -> Result<()> {
    for name in MISSING {
        cx.define(id, name, Value::native(Missing { name }));
    }
    for (name, value) in ufunc::all() {
        cx.define(id, name, value);
    }
    for rows in [
        making::MAKING,
        shared::SHARED,
        shaping::SHAPING,
        algebra::ALGEBRA,
        dtype::DTYPES,
    ] {
        cx.define_rows(id, rows);
    }
    let rows = || [making::MAKING, shared::SHARED, shaping::SHAPING].into_iter().flatten();
    for (alias, name) in ALIASES {
        if let Some(row) = rows().find(|row| row.name == name) {
            cx.define(id, alias, Value::Builtin(row));
        }
    }
    for (name, dtype) in CLASSES {
        cx.define(id, name, dtype::class_value(dtype));
    }
    for name in ABSTRACT {
        cx.define(id, name, Value::native(dtype::Abstract(name)));
    }
    cx.define(id, "ndarray", Value::native(dtype::Abstract("ndarray")));
    let constants = [
        ("pi", std::f64::consts::PI),
        ("e", std::f64::consts::E),
        ("euler_gamma", 0.577_215_664_901_532_9),
        ("inf", f64::INFINITY),
        ("nan", f64::NAN),
    ];
    for (name, value) in constants {
        cx.define(id, name, Value::Float(value));
    }
    cx.define(id, "newaxis", Value::None);
    cx.define(id, "__version__", Value::str("2.4.6"));
    for child in ["numpy.random", "numpy.linalg", "numpy.testing"] {
        let module = cx.import(child)?;
        cx.define(id, &child["numpy.".len()..], Value::Module(module));
    }
    Ok(())
}

/// Fills `numpy.random`.
fn init_random(cx: &mut Interp, id: ModuleId) -> Result<()> {
    cx.define_rows(id, random::RANDOM);
    Ok(())
}

/// Fills `numpy.linalg`.
fn init_linalg(cx: &mut Interp, id: ModuleId) -> Result<()> {
    cx.define_rows(id, algebra::LINALG);
    Ok(())
}

/// Fills `numpy.testing`.
fn init_testing(cx: &mut Interp, id: ModuleId) -> Result<()> {
    cx.define_rows(id, algebra::TESTING);
    Ok(())
}

/// Fills `ml_dtypes`.
fn init_ml_dtypes(cx: &mut Interp, id: ModuleId) -> Result<()> {
    for dtype in EXTENSIONS {
        cx.define(id, dtype.name(), dtype::class_value(dtype));
    }
    Ok(())
}
