//! `np.random`: the legacy functions and `default_rng`, with NumPy's own numbers for a seed, drawn lazily.
//!
//! Draws of one generator form a chain of nodes: each has the one before as input, so whatever is forced first, bits
//! are taken in program order.

pub mod bits;
mod ziggurat;

use std::cell::RefCell;
use std::rc::Rc;

use self::bits::{Bits, Pieces};
use self::ziggurat::Ziggurat;
use super::array::{Array, Item};
use super::buffer::{self, Buf};
use super::create;
use super::math::{self, Binary};
use super::node::{Held, Node, element_count};
use super::promote::{integer_range, numpy_name};
use crate::base::diag::{Code, Fault};
use crate::numerics::dtype::Dtype;
use crate::numerics::real::{Real, log_tight};

/// Seed of generators that the script does not seed, so that runs repeat.
pub const DEFAULT_SEED: u32 = 0;

/// Bits and what distributions keep between draws.
struct State {
    bits: Bits,
    spare_normal: Option<f64>,
    ziggurat: Option<Rc<Ziggurat>>,
    legacy: bool,
}

impl State {
    /// A normal number by the polar method, in pairs. One number in a thousand differs from NumPy's in the last bit, as it
    /// does between NumPy's own platforms: it goes through the logarithm of the C library.
    fn polar(&mut self) -> f64 {
        if let Some(spare) = self.spare_normal.take() {
            return spare;
        }
        loop {
            let x = 2.0 * self.bits.next_f64() - 1.0;
            let y = 2.0 * self.bits.next_f64() - 1.0;
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let factor = Real::sqrt(-2.0 * log_tight(square) / square);
                self.spare_normal = Some(factor * x);
                return factor * y;
            }
        }
    }

    /// `count` standard normal numbers.
    fn normals(&mut self, count: usize, single: bool) -> Buf {
        if self.legacy {
            return Buf::F64((0..count).map(|_| self.polar()).collect());
        }
        let tables = self.ziggurat.get_or_insert_with(|| Rc::new(Ziggurat::new())).clone();
        if single {
            return Buf::F32((0..count).map(|_| tables.single(&mut self.bits)).collect());
        }
        Buf::F64((0..count).map(|_| tables.wide(&mut self.bits)).collect())
    }

    /// An integer in `0..=range`.
    fn bounded(&mut self, range: u64) -> u64 {
        if self.legacy {
            self.bits.masked(range)
        } else {
            self.bits.lemire(range)
        }
    }

    /// `count` integers in `low..=low + range`.
    fn integers(&mut self, count: usize, low: i128, range: u64, dtype: Dtype) -> Buf {
        let mut pieces = Pieces::default();
        let values = (0..count).map(|_| {
            let drawn = match dtype {
                Dtype::Bool if range == 1 => u64::from(pieces.truth(&mut self.bits)),
                Dtype::I8 | Dtype::U8 => pieces.draw(&mut self.bits, range, 8, self.legacy),
                Dtype::I16 | Dtype::U16 => pieces.draw(&mut self.bits, range, 16, self.legacy),
                _ => self.bounded(range),
            };
            low + i128::from(drawn)
        });
        if dtype == Dtype::U64 {
            return Buf::U64(values.map(|x| x as u64).collect());
        }
        buffer::store(Buf::I64(values.map(|x| x as i64).collect()), dtype)
    }

    /// Shuffles positions from the back; the first `keep` stay where they are.
    fn shuffle(&mut self, positions: &mut [usize], keep: usize, masked: bool) {
        for i in (keep.max(1)..positions.len()).rev() {
            let j = if masked || self.legacy {
                self.bits.masked(i as u64)
            } else {
                self.bits.lemire(i as u64)
            };
            positions.swap(i, j as usize);
        }
    }

    /// `count` different positions below `size`, as `Generator.choice` draws them.
    fn distinct(&mut self, size: usize, count: usize, shuffled: bool) -> Vec<usize> {
        let cutoff = if shuffled { 50 } else { 20 };
        if size > 10_000 && count > size / cutoff {
            let mut all: Vec<usize> = (0..size).collect();
            self.shuffle(&mut all, (size - count).max(1), false);
            return all.split_off(size - count);
        }
        let mut chosen = rustc_hash::FxHashSet::default();
        let mut out = Vec::with_capacity(count);
        for j in size - count..size {
            let value = self.bits.lemire(j as u64) as usize;
            let value = if chosen.insert(value) { value } else { j };
            chosen.insert(value);
            out.push(value);
        }
        if shuffled {
            self.shuffle(&mut out, 1, false);
        }
        out
    }
}

/// A generator: the legacy global one, a `RandomState`, or a `Generator`.
#[derive(Clone)]
pub struct Random {
    state: Rc<RefCell<State>>,
    last: Rc<RefCell<Option<Rc<Node>>>>,
}

/// Shape and dtype of a draw; without a shape the result is a scalar.
#[derive(Clone, Debug)]
pub struct Size {
    /// Extents, or a scalar.
    pub shape: Option<Vec<usize>>,
}

impl Size {
    /// Extents; none for a scalar.
    fn extents(&self) -> &[usize] {
        self.shape.as_deref().unwrap_or(&[])
    }
}

impl std::fmt::Debug for Random {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Random")
    }
}

impl Random {
    fn with_bits(bits: Bits, legacy: bool) -> Self {
        let state = State {
            bits,
            spare_normal: None,
            ziggurat: None,
            legacy,
        };
        Self {
            state: Rc::new(RefCell::new(state)),
            last: Rc::new(RefCell::new(None)),
        }
    }

    /// As `np.random.seed(seed)`.
    pub fn legacy(seed: u32) -> Self {
        Self::with_bits(Bits::legacy(seed), true)
    }

    /// As `np.random.seed(key)` with a sequence.
    pub fn legacy_from_key(key: &[u32]) -> Self {
        Self::with_bits(Bits::legacy_from_key(key), true)
    }

    /// As `np.random.default_rng(entropy)`; words little endian.
    pub fn generator(entropy: &[u32]) -> Self {
        Self::with_bits(Bits::pcg(entropy), false)
    }

    /// Whether this draws as the legacy functions do.
    pub fn is_legacy(&self) -> bool {
        self.state.borrow().legacy
    }

    /// A draw in program order: `inputs` are forced before bits are taken.
    fn draw(
        &self,
        size: &Size,
        dtype: Dtype,
        inputs: &[&Array],
        make: impl FnOnce(&mut State, &[Rc<Held>]) -> Result<Buf, Fault> + 'static,
    ) -> Result<Array, Fault> {
        element_count(size.extents())?;
        let state = self.state.clone();
        let mut all: Vec<Rc<Node>> = inputs.iter().map(|input| input.snapshot()).collect();
        all.extend(self.last.borrow().clone());
        let node = Node::lazy(size.extents(), dtype, all, move |held| {
            make(&mut state.borrow_mut(), held)
        });
        self.last.replace(Some(node.clone()));
        let array = Array::from_node(node);
        Ok(if size.shape.is_none() {
            array.into_scalar()
        } else {
            array
        })
    }

    /// Numbers in `[0, 1)`: `random`, `rand`, `random_sample`.
    ///
    /// # Errors
    /// `dtype` unless `float32` (generators only) or `float64`.
    pub fn random(&self, size: &Size, dtype: Dtype) -> Result<Array, Fault> {
        self.check_float(dtype)?;
        let count = element_count(size.extents())?;
        self.draw(size, dtype, &[], move |state, _| {
            Ok(match dtype {
                Dtype::F32 => Buf::F32((0..count).map(|_| state.bits.next_f32()).collect()),
                _ => Buf::F64((0..count).map(|_| state.bits.next_f64()).collect()),
            })
        })
    }

    /// `standard_normal` and `randn`.
    ///
    /// # Errors
    /// `dtype` unless `float32` (generators only) or `float64`.
    pub fn standard_normal(&self, size: &Size, dtype: Dtype) -> Result<Array, Fault> {
        self.check_float(dtype)?;
        let count = element_count(size.extents())?;
        self.draw(size, dtype, &[], move |state, _| {
            Ok(state.normals(count, dtype == Dtype::F32))
        })
    }

    fn check_float(&self, dtype: Dtype) -> Result<(), Fault> {
        if dtype == Dtype::F64 || (dtype == Dtype::F32 && !self.is_legacy()) {
            return Ok(());
        }
        let message = format!("random floats come as float32 or float64, not {}", numpy_name(dtype));
        Err(Fault::new(Code::Dtype, message)
            .hint("draw float32 and convert with .astype(dtype)")
            .on("dtype"))
    }

    /// The shape of a draw whose parameters may be arrays.
    fn spread(size: &Size, a: &Array, b: &Array) -> Result<Size, Fault> {
        let shape = math::broadcast_shapes(a.shape(), b.shape())?;
        Ok(match &size.shape {
            None if !shape.is_empty() => Size { shape: Some(shape) },
            _ => size.clone(),
        })
    }

    /// `normal(loc, scale)`.
    ///
    /// # Errors
    /// `shape` when parameters do not broadcast.
    pub fn normal(&self, loc: &Array, scale: &Array, size: &Size) -> Result<Array, Fault> {
        let unit = self.standard_normal(&Self::spread(size, loc, scale)?, Dtype::F64)?;
        math::binary(Binary::Add, loc, &math::binary(Binary::Multiply, scale, &unit)?)
    }

    /// `uniform(low, high)`.
    ///
    /// # Errors
    /// `shape` when parameters do not broadcast.
    pub fn uniform(&self, low: &Array, high: &Array, size: &Size) -> Result<Array, Fault> {
        let unit = self.random(&Self::spread(size, low, high)?, Dtype::F64)?;
        let range = math::binary(Binary::Subtract, high, low)?;
        math::binary(Binary::Add, low, &math::binary(Binary::Multiply, &range, &unit)?)
    }

    /// Integers in `low..high`: `randint` and `integers`.
    ///
    /// # Errors
    /// `value` for an empty range or one outside the dtype.
    pub fn integers(&self, low: i128, high: i128, size: &Size, dtype: Dtype) -> Result<Array, Fault> {
        let Some((least, most)) = integer_range(dtype) else {
            let message = format!("random integers need an integer dtype, not {}", numpy_name(dtype));
            return Err(Fault::new(Code::Dtype, message).on("dtype"));
        };
        if low < least || high - 1 > most {
            let message = format!("the range {low}..{high} does not fit {}", numpy_name(dtype));
            return Err(Fault::new(Code::Value, message).hint("choose a wider dtype or a smaller range"));
        }
        if low >= high {
            return Err(Fault::new(
                Code::Value,
                format!("low >= high: no integers in {low}..{high}"),
            ));
        }
        let (count, range) = (element_count(size.extents())?, (high - 1 - low) as u64);
        self.draw(size, dtype, &[], move |state, _| {
            Ok(state.integers(count, low, range, dtype))
        })
    }

    /// Positions `0..length` in random order.
    fn shuffled_positions(&self, length: usize) -> Result<Array, Fault> {
        let size = Size {
            shape: Some(vec![length]),
        };
        self.draw(&size, Dtype::I64, &[], move |state, _| {
            let mut positions: Vec<usize> = (0..length).collect();
            state.shuffle(&mut positions, 1, true);
            Ok(Buf::I64(positions.into_iter().map(|x| x as i64).collect()))
        })
    }

    /// Rows of `array` at lazily drawn positions along `axis`.
    fn rows(array: &Array, positions: &Array, axis: usize) -> Result<Array, Fault> {
        let source = array.shape().to_vec();
        let mut shape = source.clone();
        shape.splice(axis..=axis, positions.shape().iter().copied());
        let made = Array::lazy(&shape, array.dtype(), &[array, positions], move |held| {
            let inner: usize = source[axis + 1..].iter().product();
            let outer: usize = source[..axis].iter().product();
            let chosen = held[1].typed::<i64>()?;
            let extent = source[axis];
            let starts = (0..outer).flat_map(|block| chosen.iter().map(move |&at| block * extent + at as usize));
            Ok(held[0].pick(
                &starts
                    .flat_map(|start| start * inner..(start + 1) * inner)
                    .collect::<Vec<_>>(),
            ))
        })?;
        Ok(if positions.ndim() == 0 {
            made.into_scalar()
        } else {
            made
        })
    }

    /// `permutation` of an array along its first axis.
    ///
    /// # Errors
    /// `shape` for an array without dimensions.
    pub fn permutation(&self, array: &Array) -> Result<Array, Fault> {
        let Some(&length) = array.shape().first() else {
            return Err(Fault::new(
                Code::Shape,
                "only arrays with at least one dimension can be permuted",
            ));
        };
        Self::rows(array, &self.shuffled_positions(length)?, 0)
    }

    /// `permutation(n)`.
    ///
    /// # Errors
    /// `limit` when `n` is too large.
    pub fn permutation_of(&self, length: usize) -> Result<Array, Fault> {
        let line = create::arange(Item::Int(0), Item::Int(length as i128), Item::Int(1), None)?;
        self.permutation(&line)
    }

    /// `shuffle`: permutes the first axis in place.
    ///
    /// # Errors
    /// As [`Random::permutation`]; `value` for a read-only array.
    pub fn shuffle(&self, array: &Array) -> Result<(), Fault> {
        let Some(&length) = array.shape().first() else {
            return Err(Fault::new(
                Code::Shape,
                "only arrays with at least one dimension can be shuffled",
            ));
        };
        array.write(&Self::rows(array, &self.shuffled_positions(length)?, 0)?)
    }

    /// `choice` from `0..population`: positions to draw.
    ///
    /// # Errors
    /// `value` when more different elements are wanted than there are.
    pub fn choice_positions(
        &self,
        population: usize,
        size: &Size,
        replace: bool,
        probabilities: Option<&Array>,
        shuffled: bool,
    ) -> Result<Array, Fault> {
        let count = element_count(size.extents())?;
        if population == 0 && count > 0 {
            return Err(Fault::new(Code::Value, "choice needs a population that is not empty"));
        }
        if !replace && count > population {
            let message = format!("cannot take {count} different elements from {population}");
            return Err(Fault::new(Code::Value, message).hint("pass replace=True"));
        }
        match (probabilities, replace) {
            (Some(p), true) => self.weighted(&p.astype(Dtype::F64)?, population, size),
            (Some(_), false) => Err(Fault::new(
                Code::Unimplemented,
                "choice with p and without replacement is not available in the playground",
            )),
            (None, true) => self.integers(0, population as i128, size, Dtype::I64),
            (None, false) => self.draw(size, Dtype::I64, &[], move |state, _| {
                let chosen = if state.legacy {
                    let mut all: Vec<usize> = (0..population).collect();
                    state.shuffle(&mut all, 1, true);
                    all.truncate(count);
                    all
                } else {
                    state.distinct(population, count, shuffled)
                };
                Ok(Buf::I64(chosen.into_iter().map(|x| x as i64).collect()))
            }),
        }
    }

    /// Positions drawn with probabilities `p`.
    fn weighted(&self, p: &Array, population: usize, size: &Size) -> Result<Array, Fault> {
        if p.len() != population {
            let message = format!("'a' and 'p' must have the same size, not {population} and {}", p.len());
            return Err(Fault::new(Code::Shape, message).on("p"));
        }
        let count = element_count(size.extents())?;
        self.draw(size, Dtype::I64, &[p], move |state, held| {
            let mut sum = 0.0;
            let cumulative: Vec<f64> = held[0]
                .typed::<f64>()?
                .iter()
                .map(|&p| {
                    sum += p;
                    sum
                })
                .collect();
            if (sum - 1.0).abs() > 1e-8 {
                return Err(Fault::new(Code::Value, format!("probabilities sum to {sum}, not 1")).on("p"));
            }
            let draws = (0..count).map(|_| state.bits.next_f64());
            Ok(Buf::I64(
                draws
                    .map(|x| cumulative.partition_point(|&c| c / sum <= x) as i64)
                    .collect(),
            ))
        })
    }

    /// Elements of `array` along `axis` at drawn positions.
    ///
    /// # Errors
    /// `limit` when the result is too large.
    pub fn pick(array: &Array, positions: &Array, axis: usize) -> Result<Array, Fault> {
        Self::rows(array, positions, axis)
    }
}
