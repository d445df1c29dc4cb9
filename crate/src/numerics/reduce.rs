//! Reductions and scans along a row.
//!
//! The order is part of the model and does not depend on the host: a sum, product, maximum, minimum or logical reduction
//! keeps eight partial results, element `i` going to partial `i mod 8`; at the end partial `j` takes in partial `j + 4`,
//! then `j + 2`, then `j + 1`. Operators for which the order of operands shows (`subtract`, `abs_max`, `abs_min`) and
//! scans go element by element.

use super::alu::{AluOp, F32Task, apply_f32, with_f32};

/// Partial results of a reduction.
const LANES: usize = 8;

/// What an accumulator holds before the first element; `None` for operators that do not reduce.
///
/// `subtract` starts at 0 for accumulators (`tensor_scalar_cumulative`); [`reduce_f32`] starts it at the first element.
pub fn identity(op: AluOp) -> Option<f32> {
    match op {
        AluOp::Add | AluOp::Average | AluOp::Subtract | AluOp::AbsMax => Some(0.0),
        AluOp::LogicalOr | AluOp::LogicalXor => Some(0.0),
        AluOp::Multiply | AluOp::LogicalAnd => Some(1.0),
        AluOp::Maximum => Some(f32::NEG_INFINITY),
        AluOp::Minimum | AluOp::AbsMin => Some(f32::INFINITY),
        AluOp::BitwiseOr | AluOp::BitwiseXor => Some(0.0),
        AluOp::BitwiseAnd => Some(f32::from_bits(u32::MAX)),
        AluOp::Divide | AluOp::Power | AluOp::Mod | AluOp::Fmod | AluOp::Bypass => None,
        AluOp::Equal | AluOp::NotEqual | AluOp::Greater | AluOp::GreaterEqual | AluOp::Less | AluOp::LessEqual => None,
        AluOp::LogicalNot | AluOp::Abs | AluOp::Square | AluOp::Relu | AluOp::Rsqrt | AluOp::Reciprocal => None,
        AluOp::Invert | AluOp::LeftShift | AluOp::RightShift => None,
    }
}

/// Whether the eight partial results would show in the answer by more than rounding.
fn in_sequence(op: AluOp) -> bool {
    matches!(op, AluOp::Subtract | AluOp::AbsMax | AluOp::AbsMin) || identity(op).is_none()
}

/// A fold with eight partial results.
struct Lanes<'a>(&'a [f32], f32);

impl F32Task for Lanes<'_> {
    type Output = f32;
    fn run(self, kernel: impl Fn(f32, f32) -> f32 + Copy + 'static) -> f32 {
        let mut partial = [self.1; LANES];
        let (blocks, rest) = self.0.as_chunks::<LANES>();
        for block in blocks {
            for (sum, &x) in partial.iter_mut().zip(block) {
                *sum = kernel(*sum, x);
            }
        }
        for (sum, &x) in partial.iter_mut().zip(rest) {
            *sum = kernel(*sum, x);
        }
        let [a, b, c, d, e, f, g, h] = partial;
        let [a, b, c, d] = [kernel(a, e), kernel(b, f), kernel(c, g), kernel(d, h)];
        kernel(kernel(a, c), kernel(b, d))
    }
}

/// A fold element by element.
struct Sequence<'a>(&'a [f32], f32);

impl F32Task for Sequence<'_> {
    type Output = f32;
    fn run(self, kernel: impl Fn(f32, f32) -> f32 + Copy + 'static) -> f32 {
        self.0.iter().fold(self.1, |sum, &x| kernel(sum, x))
    }
}

/// `op` over all elements of `row`; `average` divides by their number. An empty row gives the identity (or NaN).
///
/// Bit-vector operators see the bits of the floats; use [`reduce_bits`] for integers.
pub fn reduce_f32(op: AluOp, row: &[f32]) -> f32 {
    let Some((&first, rest)) = row.split_first() else {
        return identity(op).unwrap_or(f32::NAN);
    };
    if in_sequence(op) {
        return with_f32(op, Sequence(rest, first));
    }
    let start = identity(op).unwrap_or(f32::NAN);
    let total = with_f32(op, Lanes(row, start));
    if op == AluOp::Average {
        total / row.len() as f32
    } else {
        total
    }
}

/// `op` over `row` with a starting value: `op(start, reduction of row)`, as accumulator registers do.
pub fn reduce_onto_f32(op: AluOp, start: f32, row: &[f32]) -> f32 {
    apply_f32(op, start, reduce_f32(op, row))
}

/// [`reduce_f32`] of each `width` elements of `data`.
pub fn reduce_rows_f32(op: AluOp, data: &[f32], width: usize, out: &mut [f32]) {
    if width == 0 {
        return out.fill(identity(op).unwrap_or(f32::NAN));
    }
    for (value, row) in out.iter_mut().zip(data.chunks_exact(width)) {
        *value = reduce_f32(op, row);
    }
}

/// A bit-vector operator over all elements of `row`; 0 for operators that do not reduce bits.
pub fn reduce_bits(op: AluOp, row: &[u32]) -> u32 {
    match op {
        AluOp::BitwiseAnd => row.iter().fold(u32::MAX, |sum, x| sum & x),
        AluOp::BitwiseOr => row.iter().fold(0, |sum, x| sum | x),
        AluOp::BitwiseXor => row.iter().fold(0, |sum, x| sum ^ x),
        _ => 0,
    }
}

/// A running fold; the accumulator is the second operand.
struct Cumulative<'a>(&'a mut [f32], f32);

impl F32Task for Cumulative<'_> {
    type Output = f32;
    fn run(self, kernel: impl Fn(f32, f32) -> f32 + Copy + 'static) -> f32 {
        let mut sum = self.1;
        for x in self.0.iter_mut() {
            sum = kernel(*x, sum);
            *x = sum;
        }
        sum
    }
}

/// `tensor_scalar_cumulative`'s second half in place: `sum = op(data[i], sum); data[i] = sum`; gives the last `sum`.
pub fn cumulative_f32(op: AluOp, start: f32, data: &mut [f32]) -> f32 {
    with_f32(op, Cumulative(data, start))
}

/// The operators of a [`scan_f32`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanOps {
    /// Combines `data0` with the running value.
    pub op0: AluOp,
    /// Combines that with `data1`.
    pub op1: AluOp,
    /// Whether the running value is the left operand of `op0`.
    pub reverse0: bool,
    /// Whether `data1` is the left operand of `op1`.
    pub reverse1: bool,
}

/// A kernel with its operands perhaps exchanged, as a function.
struct Pointer {
    reverse: bool,
}

impl F32Task for Pointer {
    type Output = Box<dyn Fn(f32, f32) -> f32>;
    fn run(self, kernel: impl Fn(f32, f32) -> f32 + Copy + 'static) -> Self::Output {
        Box::new(move |a, b| if self.reverse { kernel(b, a) } else { kernel(a, b) })
    }
}

/// The recurrence with its two kernels.
#[inline(always)]
fn recur(initial: f32, data0: &[f32], data1: &[f32], out: &mut [f32], step: impl Fn(f32, f32, f32) -> f32) {
    let mut value = initial;
    for ((out, &x), &y) in out.iter_mut().zip(data0).zip(data1) {
        value = step(x, value, y);
        *out = value;
    }
}

/// `out[i] = op1(op0(data0[i], out[i - 1]), data1[i])` with `out[-1] = initial`: `tensor_tensor_scan` on one partition.
pub fn scan_f32(ops: ScanOps, initial: f32, data0: &[f32], data1: &[f32], out: &mut [f32]) {
    match (ops.op0, ops.op1) {
        (AluOp::Multiply, AluOp::Add) => recur(initial, data0, data1, out, |x, value, y| x * value + y),
        (op0, op1) => {
            let first = with_f32(op0, Pointer { reverse: ops.reverse0 });
            let second = with_f32(op1, Pointer { reverse: ops.reverse1 });
            recur(initial, data0, data1, out, |x, value, y| second(first(x, value), y));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_rows_reduce_exactly() {
        let row = [3.0, -5.0, 2.0, 5.0];
        let expect = [
            (AluOp::Add, 5.0),
            (AluOp::Subtract, 1.0),
            (AluOp::Multiply, -150.0),
            (AluOp::Maximum, 5.0),
            (AluOp::Minimum, -5.0),
            (AluOp::AbsMax, 5.0),
            (AluOp::AbsMin, 2.0),
            (AluOp::Average, 1.25),
            (AluOp::LogicalAnd, 1.0),
            (AluOp::LogicalOr, 1.0),
            (AluOp::LogicalXor, 0.0),
        ];
        for (op, value) in expect {
            assert_eq!(reduce_f32(op, &row), value, "{}", op.name());
        }
        assert_eq!(
            reduce_f32(AluOp::Maximum, &[-2.0, f32::NAN, -1.0]).to_bits() & 0x7fc0_0000,
            0x7fc0_0000
        );
    }

    #[test]
    fn every_reducing_operator_has_an_identity() {
        for &op in AluOp::ALL {
            assert_eq!(op.info().reduces, identity(op).is_some(), "{}", op.name());
        }
    }

    #[test]
    fn the_order_of_a_sum_is_the_documented_one() {
        // 2^24 swallows single ones but not their sum: partial 0 has 2^24 alone, the ones meet in other partials.
        let mut row = [1.0f32; 16];
        row[0] = 16_777_216.0;
        row[8] = 0.0;
        assert_eq!(reduce_f32(AluOp::Add, &row), 16_777_230.0);
        assert_eq!(row.iter().sum::<f32>(), 16_777_216.0);
    }

    #[test]
    fn rows_and_accumulators_reduce_alike() {
        let mut out = [0.0; 2];
        reduce_rows_f32(AluOp::Add, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3, &mut out);
        assert_eq!(out, [6.0, 15.0]);
        assert_eq!(reduce_onto_f32(AluOp::Add, 100.0, &[1.0, 2.0]), 103.0);
        assert_eq!(reduce_bits(AluOp::BitwiseAnd, &[0b1110, 0b0111]), 0b0110);
        assert_eq!(reduce_bits(AluOp::BitwiseXor, &[0b1110, 0b0111]), 0b1001);
    }

    #[test]
    fn cumulative_takes_the_running_value_on_the_right() {
        let mut data = [5.0, 3.0, 1.0];
        assert_eq!(cumulative_f32(AluOp::Subtract, 0.0, &mut data), 3.0);
        assert_eq!(data, [5.0, -2.0, 3.0]);
    }

    #[test]
    fn scans_honour_reversal() {
        let mut out = [0.0; 3];
        let ops = ScanOps {
            op0: AluOp::Multiply,
            op1: AluOp::Add,
            reverse0: false,
            reverse1: false,
        };
        scan_f32(ops, 1.0, &[2.0, 3.0, 0.5], &[1.0, -1.0, 4.0], &mut out);
        assert_eq!(out, [3.0, 8.0, 8.0]);
        let ops = ScanOps {
            op0: AluOp::Subtract,
            op1: AluOp::Maximum,
            ..ops
        };
        scan_f32(ops, 1.0, &[5.0, 1.0, 2.0], &[0.0; 3], &mut out);
        assert_eq!(out, [4.0, 0.0, 2.0]);
        let ops = ScanOps {
            op0: AluOp::Subtract,
            op1: AluOp::Subtract,
            reverse0: true,
            reverse1: true,
        };
        scan_f32(ops, 1.0, &[5.0, 1.0, 2.0], &[0.0, 1.0, 2.0], &mut out);
        assert_eq!(out, [4.0, -2.0, 6.0]);
    }

    proptest! {
        #[test]
        fn sums_of_small_integers_are_exact(row in prop::collection::vec(-1000i32..1000, 1..100)) {
            let floats: Vec<f32> = row.iter().map(|&x| x as f32).collect();
            prop_assert_eq!(reduce_f32(AluOp::Add, &floats), row.iter().sum::<i32>() as f32);
            let largest = row.iter().copied().max().unwrap_or(0);
            prop_assert_eq!(reduce_f32(AluOp::Maximum, &floats), largest as f32);
        }
    }
}
