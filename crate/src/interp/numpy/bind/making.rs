//! Functions that make arrays, and files of arrays.

use std::rc::Rc;

use super::convert::{
    array_operand, array_value, dtype_arg, integer, is_sequence, item_of, nested, operand, shape as shape_of,
};
use super::methods::{filled, shape_arg};
use super::session::{Session, host, raised};
use super::shared::{first, integer_arg, number_arg};
use crate::base::diag::{Code, Fault};
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::Args;
use crate::interp::numpy::array::{Array, Item};
use crate::interp::numpy::io::{self, Files};
use crate::interp::numpy::math::{self, Binary};
use crate::interp::numpy::{create, shape};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::numerics::dtype::Dtype;

/// A number of a range: Python numbers stay as they are, scalars of NumPy give their value.
fn range_item(cx: &mut Interp, value: &Value) -> Result<Item> {
    if let Some(item) = item_of(value) {
        return Ok(item);
    }
    let number = match value {
        Value::Native(object) => object.number(cx)?.unwrap_or(Value::None),
        other => other.clone(),
    };
    match item_of(&number) {
        Some(item) => Ok(item),
        None if matches!(number, Value::Unknown) => Err(Raised::suspend("a bound of np.arange is not computed")),
        None => Err(Raised::type_error("np.arange() needs numbers")),
    }
}

/// `zeros_like` and its siblings: the shape and dtype to make.
fn like(cx: &mut Interp, args: &Args, dtype_at: usize, shape_at: usize) -> Result<(Vec<usize>, Dtype)> {
    let model = first(cx, args)?;
    let dtype = dtype_arg(args, dtype_at)?.unwrap_or(model.dtype());
    let shape = match args.some(shape_at).cloned() {
        Some(value) => shape_of(cx, &value)?,
        None => model.shape().to_vec(),
    };
    Ok((shape, dtype))
}

/// The value of `full` and `full_like`.
fn full(cx: &mut Interp, shape: &[usize], value: &Value, dtype: Option<Dtype>) -> Result<Value> {
    let value = operand(cx, value)?;
    let dtype = dtype.unwrap_or(value.dtype());
    Ok(array_value(create::full(shape, &value, dtype).map_err(raised)?))
}

/// The files of the run.
fn files(cx: &mut Interp) -> Result<Rc<dyn Files>> {
    match &cx.extension::<Session>().files {
        Some(files) => Ok(files.clone()),
        None => Err(raised(
            Fault::new(Code::File, "this run has no files").hint("make the array with np.random instead"),
        )),
    }
}

/// A nested sequence as an array; NumPy scalars and arrays keep their dtype.
fn made(cx: &mut Interp, args: &Args, copy: bool) -> Result<Value> {
    let value = args.value(0).clone();
    let dtype = dtype_arg(args, 1)?;
    if let (false, Some(array)) = (copy, super::convert::as_array(&value))
        && dtype.is_none_or(|dtype| dtype == array.dtype())
    {
        return Ok(array_value(array.into_array()));
    }
    let nested = nested(cx, &value)?;
    Ok(array_value(create::array(&nested, dtype).map_err(raised)?.into_array()))
}

builtin! {
    /// Functions that make arrays.
    pub MAKING;
    /// An array of a nested sequence, as a copy.
    "array" "(object, dtype=None, *, copy=True, ndmin=0)" => |cx, args| {
        let copy = args.truth_or(2, true)?;
        let made = made(cx, args, copy)?;
        let ndim = integer_arg(cx, args, 3, 0)?.max(0) as usize;
        let array = array_operand(cx, &made)?;
        if ndim > array.ndim() { Ok(array_value(shape::at_least(&array, ndim).map_err(raised)?)) } else { Ok(made) }
    };
    /// An array of a nested sequence; arrays stay as they are.
    "asarray" "(a, dtype=None, order=None)" => |cx, args| made(cx, args, false);
    /// An array of a nested sequence; arrays stay as they are.
    "asanyarray" "(a, dtype=None, order=None)" => |cx, args| made(cx, args, false);
    /// An array in row-major order.
    "ascontiguousarray" "(a, dtype=None)" => |cx, args| made(cx, args, false);
    /// A copy.
    "copy" "(a, order='K')" => |cx, args| Ok(array_value(first(cx, args)?.copy()));
    /// Zeros.
    "zeros" "(shape, dtype=None, order='C')" => |cx, args| {
        let shape = shape_arg(cx, args, 0)?;
        let dtype = dtype_arg(args, 1)?.unwrap_or(Dtype::F64);
        Ok(array_value(create::zeros(&shape, dtype).map_err(raised)?))
    };
    /// Not initialised in NumPy; zeros here.
    "empty" "(shape, dtype=None, order='C')" => |cx, args| {
        let shape = shape_arg(cx, args, 0)?;
        let dtype = dtype_arg(args, 1)?.unwrap_or(Dtype::F64);
        Ok(array_value(create::zeros(&shape, dtype).map_err(raised)?))
    };
    /// Not initialised in NumPy; zeros here.
    "ndarray" "(shape, dtype=None)" => |cx, args| {
        let shape = shape_arg(cx, args, 0)?;
        let dtype = dtype_arg(args, 1)?.unwrap_or(Dtype::F64);
        Ok(array_value(create::zeros(&shape, dtype).map_err(raised)?))
    };
    /// Ones.
    "ones" "(shape, dtype=None, order='C')" => |cx, args| {
        let shape = shape_arg(cx, args, 0)?;
        filled(&shape, 1, dtype_arg(args, 1)?.unwrap_or(Dtype::F64))
    };
    /// One value everywhere.
    "full" "(shape, fill_value, dtype=None, order='C')" => |cx, args| {
        let shape = shape_arg(cx, args, 0)?;
        let value = args.value(1).clone();
        full(cx, &shape, &value, dtype_arg(args, 2)?)
    };
    /// Zeros in the shape and dtype of another array.
    "zeros_like" "(a, dtype=None, order='K', subok=True, shape=None)" => |cx, args| {
        let (shape, dtype) = like(cx, args, 1, 4)?;
        Ok(array_value(create::zeros(&shape, dtype).map_err(raised)?))
    };
    /// Not initialised in NumPy; zeros here.
    "empty_like" "(prototype, dtype=None, order='K', subok=True, shape=None)" => |cx, args| {
        let (shape, dtype) = like(cx, args, 1, 4)?;
        Ok(array_value(create::zeros(&shape, dtype).map_err(raised)?))
    };
    /// Ones in the shape and dtype of another array.
    "ones_like" "(a, dtype=None, order='K', subok=True, shape=None)" => |cx, args| {
        let (shape, dtype) = like(cx, args, 1, 4)?;
        filled(&shape, 1, dtype)
    };
    /// One value in the shape and dtype of another array.
    "full_like" "(a, fill_value, dtype=None, order='K', subok=True, shape=None)" => |cx, args| {
        let (shape, dtype) = like(cx, args, 2, 5)?;
        let value = args.value(1).clone();
        full(cx, &shape, &value, Some(dtype))
    };
    /// Evenly spaced numbers with a step.
    "arange" "(start, stop=None, step=1, dtype=None)" => |cx, args| {
        let (a, b, step) = (args.value(0).clone(), args.some(1).cloned(), args.some(2).cloned());
        let first = range_item(cx, &a)?;
        let (start, stop) = match b {
            Some(stop) => (first, range_item(cx, &stop)?),
            None => (Item::Int(0), first),
        };
        let step = match step {
            Some(step) => range_item(cx, &step)?,
            None => Item::Int(1),
        };
        Ok(array_value(create::arange(start, stop, step, dtype_arg(args, 3)?).map_err(raised)?))
    };
    /// A number of evenly spaced numbers.
    "linspace" "(start, stop, num=50, endpoint=True, dtype=None)" => |cx, args| {
        let (start, stop) = (number_arg(cx, args, 0, 0.0)?, number_arg(cx, args, 1, 0.0)?);
        let count = integer_arg(cx, args, 2, 50)?;
        let count = usize::try_from(count).map_err(|_| args.wrong(2, "a number that is not negative"))?;
        let dtype = dtype_arg(args, 4)?.unwrap_or(Dtype::F64);
        Ok(array_value(create::linspace(start, stop, count, args.truth_or(3, true)?, dtype).map_err(raised)?))
    };
    /// Powers of a base with evenly spaced exponents.
    "logspace" "(start, stop, num=50, endpoint=True, base=10.0)" => |cx, args| {
        let (start, stop) = (number_arg(cx, args, 0, 0.0)?, number_arg(cx, args, 1, 0.0)?);
        let count = usize::try_from(integer_arg(cx, args, 2, 50)?).map_err(|_| args.wrong(2, "a positive number"))?;
        let exponents = create::linspace(start, stop, count, args.truth_or(3, true)?, Dtype::F64).map_err(raised)?;
        let base = Array::python(Item::Float(number_arg(cx, args, 4, 10.0)?)).map_err(raised)?;
        Ok(array_value(math::binary(Binary::Power, &base, &exponents).map_err(raised)?))
    };
    /// Ones on a diagonal.
    "eye" "(N, M=None, k=0, dtype=None)" => |cx, args| {
        let rows = args.size(0)?;
        let columns = integer_arg(cx, args, 1, rows as i64)?.max(0) as usize;
        let dtype = dtype_arg(args, 3)?.unwrap_or(Dtype::F64);
        Ok(array_value(create::eye(rows, columns, args.int_or(2, 0)? as isize, dtype).map_err(raised)?))
    };
    /// The identity matrix.
    "identity" "(n, dtype=None)" => |_cx, args| {
        let (n, dtype) = (args.size(0)?, dtype_arg(args, 1)?.unwrap_or(Dtype::F64));
        Ok(array_value(create::eye(n, n, 0, dtype).map_err(raised)?))
    };
    /// Ones on and below a diagonal.
    "tri" "(N, M=None, k=0, dtype=None)" => |cx, args| {
        let rows = args.size(0)?;
        let columns = integer_arg(cx, args, 1, rows as i64)?.max(0) as usize;
        let dtype = dtype_arg(args, 3)?.unwrap_or(Dtype::F64);
        Ok(array_value(create::tri(rows, columns, args.int_or(2, 0)? as isize, dtype).map_err(raised)?))
    };
    /// The lower triangle.
    "tril" "(m, k=0)" => |cx, args| {
        let array = first(cx, args)?;
        Ok(array_value(shape::triangle(&array, args.int_or(1, 0)? as isize, true).map_err(raised)?))
    };
    /// The upper triangle.
    "triu" "(m, k=0)" => |cx, args| {
        let array = first(cx, args)?;
        Ok(array_value(shape::triangle(&array, args.int_or(1, 0)? as isize, false).map_err(raised)?))
    };
    /// A diagonal matrix, or the diagonal of a matrix.
    "diag" "(v, k=0)" => |cx, args| {
        let array = first(cx, args)?;
        let k = args.int_or(1, 0)? as isize;
        if array.ndim() != 1 {
            return Ok(array_value(shape::diagonal(&array, k).map_err(raised)?));
        }
        let n = array.len() + k.unsigned_abs();
        let out = create::zeros(&[n, n], array.dtype()).map_err(raised)?;
        shape::diagonal(&out, k).and_then(|line| line.write(&array)).map_err(raised)?;
        Ok(array_value(out))
    };
    /// Coordinate arrays of a grid.
    "meshgrid" "(*xi, indexing='xy', sparse=False, copy=True)" => |cx, args| {
        if args.truth_or(1, false)? {
            return Err(Raised::unimplemented("np.meshgrid(sparse=True) is not available in the playground"));
        }
        let matrix = args.str_or(0, "xy")? == "ij";
        let mut lines = Vec::new();
        for arg in args.rest().to_vec() {
            lines.push(array_operand(cx, &arg.value)?);
        }
        let grids = create::meshgrid(&lines, matrix).map_err(raised)?;
        Ok(Value::tuple(grids.into_iter().map(array_value)))
    };
    /// The coordinates of every element.
    "indices" "(dimensions)" => |cx, args| {
        let shape = shape_arg(cx, args, 0)?;
        Ok(array_value(create::indices(&shape).map_err(raised)?))
    };
    /// An array of what a function gives for coordinate arrays.
    "fromfunction" "(function, shape, dtype=None)" => |cx, args| {
        let function = args.value(0).clone();
        let shape = shape_arg(cx, args, 1)?;
        let dtype = dtype_arg(args, 2)?.unwrap_or(Dtype::F64);
        let grid = create::indices(&shape).and_then(|grid| grid.astype(dtype)).map_err(raised)?;
        let axes = (0..shape.len()).map(|axis| {
            shape::squeeze(&shape::narrow_axis(&grid, 0, axis, 1), Some(&[0])).map(array_value).map_err(raised)
        });
        let axes = axes.collect::<Result<Vec<_>>>()?;
        cx.call_values(&function, axes)
    };
    /// An array of the values of an iterable.
    "fromiter" "(iter, dtype)" => |cx, args| {
        let items = args.value(0).clone();
        let items = Value::list(cx.collect(&items)?);
        let nested = nested(cx, &items)?;
        Ok(array_value(create::array(&nested, dtype_arg(args, 1)?).map_err(raised)?))
    };
    /// The array of a `.npy` file below the current folder.
    "load" "(file, mmap_mode=None, allow_pickle=False)" => |cx, args| {
        let path = args.str(0)?.to_owned();
        let bytes = files(cx)?.read(&path).map_err(raised)?;
        Ok(array_value(io::from_npy(&bytes).map_err(raised)?))
    };
    /// Writes a `.npy` file below the current folder.
    "save" "(file, arr, allow_pickle=True)" => |cx, args| {
        let mut path = args.str(0)?.to_owned();
        if !path.ends_with(".npy") {
            path.push_str(".npy");
        }
        let value = args.value(1).clone();
        let array = array_operand(cx, &value)?;
        let files = files(cx)?;
        let host = host(cx);
        match io::to_npy(&array, &host) {
            Ok(bytes) => files.write(&path, &bytes).map_err(raised)?,
            Err(crate::interp::numpy::node::Demand::Unknown) => {}
            Err(other) => return Err(other.into()),
        }
        Ok(Value::None)
    };
    /// The number of dimensions.
    "ndim" "(a)" => |cx, args| Ok(Value::from(first(cx, args)?.ndim()));
    /// The shape.
    "shape" "(a)" => |cx, args| Ok(Value::shape(first(cx, args)?.shape()));
    /// The number of elements.
    "size" "(a, axis=None)" => |cx, args| {
        let array = first(cx, args)?;
        match args.some(1).cloned() {
            None => Ok(Value::from(array.len())),
            Some(axis) => {
                let axis = integer(cx, &axis)? as isize;
                let axis = shape::normalise_axis(axis, array.ndim()).map_err(raised)?;
                Ok(Value::from(array.shape()[axis]))
            }
        }
    };
    /// Whether a value is a number and no array.
    "isscalar" "(element)" => |_cx, args| {
        let value = args.value(0);
        let scalar = super::convert::as_array(value).is_some_and(|array| array.kind() != crate::interp::numpy::array::Kind::Array);
        Ok(Value::Bool(scalar || (item_of(value).is_some() && !is_sequence(value)) || value.as_str().is_some()))
    };
}
