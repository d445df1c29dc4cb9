//! `np.random`: module functions, `RandomState` and `Generator` objects.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::algebra::choice_axis;
use super::convert::{array_operand, array_value, as_array, dtype_of, integer, integers, is_sequence, operand, shape};
use super::session::{Session, raised};
use super::shared::integer_arg;
use crate::builtin;
use crate::interp::Interp;
use crate::interp::builtin::{Args, Builtin};
use crate::interp::native::NativeObject;
use crate::interp::numpy::array::{Array, Item};
use crate::interp::numpy::random::{DEFAULT_SEED, Random, Size};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::numerics::dtype::Dtype;

/// A `RandomState` or a `Generator`.
pub struct RandomObject(pub Random);

impl NativeObject for RandomObject {
    fn type_name(&self) -> &str {
        if self.0.is_legacy() { "RandomState" } else { "Generator" }
    }

    fn methods(&self) -> &'static [Builtin] {
        if self.0.is_legacy() {
            STATE_METHODS
        } else {
            GENERATOR_METHODS
        }
    }
}

/// The generator of a method call.
fn this(args: &Args) -> Result<Random> {
    Ok(args.receiver::<RandomObject>()?.0.clone())
}

/// The generator of the module functions.
fn global(cx: &mut Interp) -> Random {
    cx.extension::<Session>().random()
}

/// Parameter `at` as a size.
fn size(cx: &mut Interp, args: &Args, at: usize) -> Result<Size> {
    match args.some(at).cloned() {
        None => Ok(Size { shape: None }),
        Some(value) => Ok(Size {
            shape: Some(shape(cx, &value)?),
        }),
    }
}

/// The size that `randn(2, 3)` names.
fn listed_size(cx: &mut Interp, args: &Args) -> Result<Size> {
    if args.rest().is_empty() {
        return Ok(Size { shape: None });
    }
    let extents = Value::tuple(args.rest().iter().map(|arg| arg.value.clone()).collect::<Vec<_>>());
    Ok(Size {
        shape: Some(shape(cx, &extents)?),
    })
}

/// A number or array parameter.
fn parameter(cx: &mut Interp, args: &Args, at: usize, default: f64) -> Result<Array> {
    match args.some(at).cloned() {
        None => Array::python(Item::Float(default)).map_err(raised),
        Some(value) => operand(cx, &value),
    }
}

/// A dtype parameter of a draw.
fn dtype(args: &Args, at: usize, default: Dtype) -> Result<Dtype> {
    match args.some(at) {
        None => Ok(default),
        Some(value) => dtype_of(value).ok_or_else(|| args.wrong(at, "a dtype such as np.float32")),
    }
}

/// The words of a seed, little endian.
fn seed_words(cx: &mut Interp, value: &Value) -> Result<Vec<u32>> {
    if let Value::Big(number) = value {
        return big_words(number);
    }
    let mut words = Vec::new();
    for number in integers(cx, value)? {
        let number = u64::try_from(number).map_err(|_| Raised::value_error("a seed must not be negative"))?;
        words.push(number as u32);
        if number > u64::from(u32::MAX) {
            words.push((number >> 32) as u32);
        }
    }
    Ok(words)
}

/// The words of a large seed.
fn big_words(number: &BigInt) -> Result<Vec<u32>> {
    let (sign, words) = number.to_u32_digits();
    if sign == num_bigint::Sign::Minus {
        return Err(Raised::value_error("a seed must not be negative"));
    }
    Ok(words)
}

/// A legacy generator from a seed.
fn legacy(cx: &mut Interp, seed: Option<Value>) -> Result<Random> {
    let Some(seed) = seed else {
        return Ok(Random::legacy(DEFAULT_SEED));
    };
    if is_sequence(&seed) {
        return Ok(Random::legacy_from_key(&seed_words(cx, &seed)?));
    }
    match integer(cx, &seed)?.to_u32() {
        Some(seed) => Ok(Random::legacy(seed)),
        None => Err(Raised::value_error("Seed must be between 0 and 2**32 - 1")),
    }
}

/// `low` and `high` of integers: one bound alone is the upper one.
fn bounds(cx: &mut Interp, args: &Args, at: usize) -> Result<(i128, i128)> {
    let first = args.value(at).clone();
    let first = i128::from(integer(cx, &first)?);
    match args.some(at + 1).cloned() {
        None => Ok((0, first)),
        Some(high) => Ok((first, i128::from(integer(cx, &high)?))),
    }
}

/// `choice` with its parameters from position `at`: a, size, replace, p, then axis and shuffle of generators.
fn choice(cx: &mut Interp, args: &Args, random: &Random, at: usize) -> Result<Value> {
    let population = args.value(at).clone();
    let size = size(cx, args, at + 1)?;
    let replace = args.truth_or(at + 2, true)?;
    let p = args.some(at + 3).cloned().map(|p| array_operand(cx, &p)).transpose()?;
    let (axis, shuffled) = match random.is_legacy() {
        true => (0, true),
        false => (choice_axis(cx, args, at + 4)?, args.truth_or(at + 5, true)?),
    };
    let array = if is_sequence(&population) {
        Some(array_operand(cx, &population)?)
    } else {
        None
    };
    let count = match &array {
        Some(array) => array.shape().get(axis).copied().unwrap_or(0),
        None => {
            usize::try_from(integer(cx, &population)?).map_err(|_| args.wrong(at, "a positive number or an array"))?
        }
    };
    let positions = random
        .choice_positions(count, &size, replace, p.as_ref(), shuffled)
        .map_err(raised)?;
    match array {
        None => Ok(array_value(positions)),
        Some(array) => Ok(array_value(Random::pick(&array, &positions, axis).map_err(raised)?)),
    }
}

/// `permutation` of a number or an array.
fn permutation(cx: &mut Interp, random: &Random, value: &Value) -> Result<Value> {
    let made = if is_sequence(value) {
        random.permutation(&array_operand(cx, value)?)
    } else {
        random.permutation_of(integer(cx, value)?.max(0) as usize)
    };
    made.map(array_value).map_err(raised)
}

/// `shuffle` of an array in place.
fn shuffle(random: &Random, args: &Args, at: usize) -> Result<Value> {
    let Some(array) = as_array(args.value(at)) else {
        return Err(args
            .wrong(at, "an array")
            .hint("shuffle np.array(list), or use rng.permutation(list)"));
    };
    random.shuffle(&array).map_err(raised)?;
    Ok(Value::None)
}

/// Wraps a draw.
fn drawn(made: std::result::Result<Array, crate::base::diag::Fault>) -> Result<Value> {
    made.map(array_value).map_err(raised)
}

/// Uniform or normal numbers with two parameters at `at` and a size behind them.
fn two_parameters(cx: &mut Interp, args: &Args, random: &Random, at: usize, normal: bool) -> Result<Value> {
    let (a, b) = (parameter(cx, args, at, 0.0)?, parameter(cx, args, at + 1, 1.0)?);
    let size = size(cx, args, at + 2)?;
    drawn(if normal {
        random.normal(&a, &b, &size)
    } else {
        random.uniform(&a, &b, &size)
    })
}

builtin! {
    /// Functions of `np.random`.
    pub RANDOM;
    /// Seeds the module's generator.
    "seed" "(seed=None)" => |cx, args| {
        let random = legacy(cx, args.some(0).cloned())?;
        cx.extension::<Session>().set_random(random);
        Ok(Value::None)
    };
    /// A new generator; without a seed it starts from a fixed one, so that runs repeat.
    "default_rng" "(seed=None)" => |cx, args| {
        let words = match args.some(0).cloned() {
            Some(value) if value.downcast::<RandomObject>().is_some() => return Ok(value),
            Some(value) => seed_words(cx, &value)?,
            None => vec![DEFAULT_SEED],
        };
        Ok(Value::native(RandomObject(Random::generator(&words))))
    };
    /// A generator with the legacy streams.
    "RandomState" "(seed=None)" => |cx, args| Ok(Value::native(RandomObject(legacy(cx, args.some(0).cloned())?)));
    /// Standard normal numbers.
    "randn" "(*dims)" => |cx, args| { let size = listed_size(cx, args)?; drawn(global(cx).standard_normal(&size, Dtype::F64)) };
    /// Numbers in `[0, 1)`.
    "rand" "(*dims)" => |cx, args| { let size = listed_size(cx, args)?; drawn(global(cx).random(&size, Dtype::F64)) };
    /// Numbers in `[0, 1)`.
    "random" "(size=None)" => |cx, args| { let size = size(cx, args, 0)?; drawn(global(cx).random(&size, Dtype::F64)) };
    /// Numbers in `[0, 1)`.
    "random_sample" "(size=None)" => |cx, args| { let size = size(cx, args, 0)?; drawn(global(cx).random(&size, Dtype::F64)) };
    /// Numbers in `[0, 1)`.
    "ranf" "(size=None)" => |cx, args| { let size = size(cx, args, 0)?; drawn(global(cx).random(&size, Dtype::F64)) };
    /// Standard normal numbers.
    "standard_normal" "(size=None)" => |cx, args| {
        let size = size(cx, args, 0)?;
        drawn(global(cx).standard_normal(&size, Dtype::F64))
    };
    /// Integers in a range.
    "randint" "(low, high=None, size=None, dtype=int)" => |cx, args| {
        let (low, high) = bounds(cx, args, 0)?;
        let size = size(cx, args, 2)?;
        drawn(global(cx).integers(low, high, &size, dtype(args, 3, Dtype::I64)?))
    };
    /// Numbers between two bounds.
    "uniform" "(low=0.0, high=1.0, size=None)" => |cx, args| { let random = global(cx); two_parameters(cx, args, &random, 0, false) };
    /// Normal numbers.
    "normal" "(loc=0.0, scale=1.0, size=None)" => |cx, args| { let random = global(cx); two_parameters(cx, args, &random, 0, true) };
    /// Elements drawn from an array or a range.
    "choice" "(a, size=None, replace=True, p=None)" => |cx, args| { let random = global(cx); choice(cx, args, &random, 0) };
    /// A random order.
    "permutation" "(x)" => |cx, args| { let (random, value) = (global(cx), args.value(0).clone()); permutation(cx, &random, &value) };
    /// Puts an array into a random order.
    "shuffle" "(x)" => |cx, args| { let random = global(cx); shuffle(&random, args, 0) };
}

builtin! {
    /// Methods of `RandomState`.
    STATE_METHODS;
    /// Starts again from a seed: not available, make a new object.
    "seed" "(self, seed=None)" => |_cx, _args| {
        Err(Raised::unimplemented("RandomState.seed is not available in the playground").hint("make a new RandomState(seed)"))
    };
    /// Standard normal numbers.
    "randn" "(self, *dims)" => |cx, args| { let size = listed_size(cx, args)?; drawn(this(args)?.standard_normal(&size, Dtype::F64)) };
    /// Numbers in `[0, 1)`.
    "rand" "(self, *dims)" => |cx, args| { let size = listed_size(cx, args)?; drawn(this(args)?.random(&size, Dtype::F64)) };
    /// Numbers in `[0, 1)`.
    "random_sample" "(self, size=None)" => |cx, args| { let size = size(cx, args, 1)?; drawn(this(args)?.random(&size, Dtype::F64)) };
    /// Numbers in `[0, 1)`.
    "random" "(self, size=None)" => |cx, args| { let size = size(cx, args, 1)?; drawn(this(args)?.random(&size, Dtype::F64)) };
    /// Standard normal numbers.
    "standard_normal" "(self, size=None)" => |cx, args| {
        let size = size(cx, args, 1)?;
        drawn(this(args)?.standard_normal(&size, Dtype::F64))
    };
    /// Integers in a range.
    "randint" "(self, low, high=None, size=None, dtype=int)" => |cx, args| {
        let (low, high) = bounds(cx, args, 1)?;
        let size = size(cx, args, 3)?;
        drawn(this(args)?.integers(low, high, &size, dtype(args, 4, Dtype::I64)?))
    };
    /// Numbers between two bounds.
    "uniform" "(self, low=0.0, high=1.0, size=None)" => |cx, args| { let random = this(args)?; two_parameters(cx, args, &random, 1, false) };
    /// Normal numbers.
    "normal" "(self, loc=0.0, scale=1.0, size=None)" => |cx, args| { let random = this(args)?; two_parameters(cx, args, &random, 1, true) };
    /// Elements drawn from an array or a range.
    "choice" "(self, a, size=None, replace=True, p=None)" => |cx, args| { let random = this(args)?; choice(cx, args, &random, 1) };
    /// A random order.
    "permutation" "(self, x)" => |cx, args| { let (random, value) = (this(args)?, args.value(1).clone()); permutation(cx, &random, &value) };
    /// Puts an array into a random order.
    "shuffle" "(self, x)" => |_cx, args| { let random = this(args)?; shuffle(&random, args, 1) };
}

builtin! {
    /// Methods of `Generator`.
    GENERATOR_METHODS;
    /// Numbers in `[0, 1)`.
    "random" "(self, size=None, dtype=None)" => |cx, args| {
        let size = size(cx, args, 1)?;
        drawn(this(args)?.random(&size, dtype(args, 2, Dtype::F64)?))
    };
    /// Standard normal numbers.
    "standard_normal" "(self, size=None, dtype=None)" => |cx, args| {
        let size = size(cx, args, 1)?;
        drawn(this(args)?.standard_normal(&size, dtype(args, 2, Dtype::F64)?))
    };
    /// Integers in a range.
    "integers" "(self, low, high=None, size=None, dtype=None, endpoint=False)" => |cx, args| {
        let (low, high) = bounds(cx, args, 1)?;
        let size = size(cx, args, 3)?;
        let last = i128::from(integer_arg(cx, args, 5, 0)?);
        drawn(this(args)?.integers(low, high + last, &size, dtype(args, 4, Dtype::I64)?))
    };
    /// Numbers between two bounds.
    "uniform" "(self, low=0.0, high=1.0, size=None)" => |cx, args| { let random = this(args)?; two_parameters(cx, args, &random, 1, false) };
    /// Normal numbers.
    "normal" "(self, loc=0.0, scale=1.0, size=None)" => |cx, args| { let random = this(args)?; two_parameters(cx, args, &random, 1, true) };
    /// Elements drawn from an array or a range.
    "choice" "(self, a, size=None, replace=True, p=None, axis=0, shuffle=True)" => |cx, args| {
        let random = this(args)?;
        choice(cx, args, &random, 1)
    };
    /// A random order.
    "permutation" "(self, x)" => |cx, args| { let (random, value) = (this(args)?, args.value(1).clone()); permutation(cx, &random, &value) };
    /// Puts an array into a random order.
    "shuffle" "(self, x)" => |_cx, args| { let random = this(args)?; shuffle(&random, args, 1) };
}
