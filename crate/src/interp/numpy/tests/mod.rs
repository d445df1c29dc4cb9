//! Host arrays against numbers that NumPy 2.4 and ml_dtypes 0.6 printed.

mod arrays;
mod random;
mod scripts;
mod values;

use std::cell::RefCell;
use std::rc::Rc;

use super::array::Array;
use super::buffer::Buf;
use super::node::{Budget, Host, Mode};
use crate::numerics::dtype::Dtype;

/// A run without files, and with launches that the test fills in.
struct Silent {
    mode: Mode,
    budget: Rc<Budget>,
    launch: RefCell<Option<Rc<Vec<u8>>>>,
}

impl Silent {
    fn new() -> Self {
        Self::with(Mode::Simulate, 1 << 30)
    }

    fn with(mode: Mode, limit_bytes: u64) -> Self {
        Self {
            mode,
            budget: Budget::new(limit_bytes),
            launch: RefCell::new(None),
        }
    }
}

impl Host for Silent {
    fn mode(&self) -> Mode {
        self.mode
    }

    fn budget(&self) -> &Rc<Budget> {
        &self.budget
    }

    fn launch_output(&self, _launch: u32, _output: u32) -> Option<Rc<Vec<u8>>> {
        self.launch.borrow().clone()
    }
}

/// The bits of floats.
fn bits_of(array: &Array, host: &Silent) -> Vec<u64> {
    match &**array.force(host).unwrap() {
        Buf::F64(v) => v.iter().map(|x| x.to_bits()).collect(),
        Buf::F32(v) => v.iter().map(|x| u64::from(x.to_bits())).collect(),
        other => (0..other.len()).map(|i| other.raw_int(i) as u64).collect(),
    }
}

/// Elements as integers.
fn integers_of(array: &Array, host: &Silent) -> Vec<i64> {
    array
        .items(host)
        .unwrap()
        .iter()
        .map(|item| item.to_int() as i64)
        .collect()
}

/// Elements as floats.
fn floats_of(array: &Array, host: &Silent) -> Vec<f64> {
    array.items(host).unwrap().iter().map(|item| item.to_f64()).collect()
}

/// An array of binary64.
fn wide(shape: &[usize], values: &[f64]) -> Array {
    Array::ready(shape, Dtype::F64, Buf::F64(values.to_vec()))
}

/// The integers `0..count` in a shape.
fn counting(shape: &[usize]) -> Array {
    let count: usize = shape.iter().product();
    Array::ready(shape, Dtype::I64, Buf::I64((0..count as i64).collect()))
}
