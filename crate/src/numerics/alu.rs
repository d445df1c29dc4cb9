//! The one table of element-wise operators that instructions accept as `op=`, and their kernels.
//!
//! Use [`AluOp::from_name`] to turn `nl.add` (or `np.add`) into a row, [`binary_f32`] and [`scalar_f32`] for what the
//! engines do in float32, [`binary_i32`] and friends for the native 32-bit integers of GpSimd, and [`binary_bits`] for
//! bit patterns (elements zero-extended to `u32`; a store keeps the low bits of the destination's width, so one kernel
//! serves every integer width). Every kernel chooses its operator once per slice.
//!
//! Points where the documents leave room:
//! - `maximum` and `minimum` give NaN if either operand is NaN (as NumPy does), the second operand on a tie;
//! - comparisons and logical operators give 1 or 0; any non-zero value, NaN included, counts as true;
//! - shifts are logical, and a shift by 32 or more gives 0;
//! - 32-bit integer arithmetic wraps.

use serde::Serialize;

use super::cast::round_to_i64;
use super::math;

/// Whether an operator computes in float32 or on bit patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AluKind {
    /// Operands become float32 (or stay native 32-bit integers on GpSimd).
    Arithmetic,
    /// Operands are bit patterns of integer types; nothing is cast.
    Bitvec,
}

/// How many operands an operator reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// Only the first; a second one is ignored.
    Unary,
    /// Both.
    Binary,
    /// Only meaningful as a reduction.
    Reduction,
}

/// A row of the operator table.
#[derive(Clone, Copy, Debug)]
pub struct AluInfo {
    /// The name in `nki.language`.
    pub name: &'static str,
    /// Float32 or bit patterns.
    pub kind: AluKind,
    /// Operands read.
    pub arity: Arity,
    /// Whether a reduction instruction accepts it.
    pub reduces: bool,
    /// Whether NKI's table of ISA operators lists it; the others exist as `nl` functions only.
    pub listed: bool,
}

/// Declares the table and the kernels: `Variant = "name", arity, reduces, listed, float kernel, integer kernel` for
/// arithmetic rows, `Variant = "name", arity, reduces, kernel on u32` for bit-vector rows.
macro_rules! alu_ops {
    (
        arithmetic { $($(#[$adoc:meta])* $a:ident = $aname:literal, $aarity:ident, $areduces:literal, $listed:literal, $float:expr, $int:expr;)* }
        bitvec { $($(#[$bdoc:meta])* $b:ident = $bname:literal, $barity:ident, $breduces:literal, $bits:expr;)* }
    ) => {
        /// An element-wise operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
        #[repr(u8)]
        pub enum AluOp { $($(#[$adoc])* $a,)* $($(#[$bdoc])* $b,)* }

        /// One row per [`AluOp`], in order.
        static TABLE: &[AluInfo] = &[
            $(AluInfo { name: $aname, kind: AluKind::Arithmetic, arity: Arity::$aarity, reduces: $areduces, listed: $listed },)*
            $(AluInfo { name: $bname, kind: AluKind::Bitvec, arity: Arity::$barity, reduces: $breduces, listed: true },)*
        ];

        impl AluOp {
            /// Every operator.
            pub const ALL: &[Self] = &[$(Self::$a,)* $(Self::$b,)*];
        }

        /// Runs `task` with the float32 kernel of `op`; bit-vector operators see the bits of their operands.
        pub(super) fn with_f32<T: F32Task>(op: AluOp, task: T) -> T::Output {
            match op {
                $(AluOp::$a => task.run($float),)*
                $(AluOp::$b => task.run(|a: f32, b: f32| f32::from_bits(call_bits($bits, a.to_bits(), b.to_bits()))),)*
            }
        }

        /// Runs `task` with the integer kernel of `op` on sign- or zero-extended operands; the low 32 bits count.
        fn with_int<T: IntTask>(op: AluOp, task: T) -> T::Output {
            match op {
                $(AluOp::$a => task.run($int),)*
                $(AluOp::$b => task.run(|a: i64, b: i64| i64::from(call_bits($bits, a as u32, b as u32))),)*
            }
        }
    };
}

/// Gives a bit kernel its operand types.
#[inline(always)]
fn call_bits(kernel: impl Fn(u32, u32) -> u32, a: u32, b: u32) -> u32 {
    kernel(a, b)
}

/// Work to do with a float32 kernel that is known at compile time.
pub(super) trait F32Task {
    /// What the work gives.
    type Output;
    /// Does the work.
    fn run(self, kernel: impl Fn(f32, f32) -> f32 + Copy + 'static) -> Self::Output;
}

/// Work to do with an integer kernel that is known at compile time.
trait IntTask {
    /// What the work gives.
    type Output;
    /// Does the work.
    fn run(self, kernel: impl Fn(i64, i64) -> i64 + Copy) -> Self::Output;
}

alu_ops! {
    arithmetic {
        /// `a + b`.
        Add = "add", Binary, true, true, |a, b| a + b, |a, b| a.wrapping_add(b);
        /// `a - b`.
        Subtract = "subtract", Binary, true, true, |a, b| a - b, |a, b| a.wrapping_sub(b);
        /// `a * b`.
        Multiply = "multiply", Binary, true, true, |a, b| a * b, |a, b| a.wrapping_mul(b);
        /// `a / b`.
        Divide = "divide", Binary, false, false, |a, b| a / b, |a, b| through_f32(a, b, |a, b| a / b);
        /// The larger operand.
        Maximum = "maximum", Binary, true, true, maximum, |a, b| a.max(b);
        /// The smaller operand.
        Minimum = "minimum", Binary, true, true, minimum, |a, b| a.min(b);
        /// The operand with the larger magnitude, `b` on a tie.
        AbsMax = "abs_max", Binary, true, true, abs_max, |a, b| if a.abs() > b.abs() { a } else { b };
        /// The operand with the smaller magnitude, `b` on a tie.
        AbsMin = "abs_min", Binary, true, true, abs_min, |a, b| if a.abs() < b.abs() { a } else { b };
        /// `a` to the power `b`.
        Power = "power", Binary, false, true, math::pow, |a, b| through_f32(a, b, math::pow);
        /// Remainder with the sign of the divisor (Python's `%`).
        Mod = "mod", Binary, false, false, math::python_mod, int_mod;
        /// Remainder with the sign of the dividend (C's `fmod`).
        Fmod = "fmod", Binary, false, false, math::fmod, |a, b| a.checked_rem(b).unwrap_or(0);
        /// `a == b`.
        Equal = "equal", Binary, false, true, |a, b| truth(a == b), |a, b| i64::from(a == b);
        /// `a != b`.
        NotEqual = "not_equal", Binary, false, true, |a, b| truth(a != b), |a, b| i64::from(a != b);
        /// `a >= b`.
        GreaterEqual = "greater_equal", Binary, false, true, |a, b| truth(a >= b), |a, b| i64::from(a >= b);
        /// `a > b`.
        Greater = "greater", Binary, false, true, |a, b| truth(a > b), |a, b| i64::from(a > b);
        /// `a <= b`.
        LessEqual = "less_equal", Binary, false, true, |a, b| truth(a <= b), |a, b| i64::from(a <= b);
        /// `a < b`.
        Less = "less", Binary, false, true, |a, b| truth(a < b), |a, b| i64::from(a < b);
        /// Both are true.
        LogicalAnd = "logical_and", Binary, true, true, |a, b| truth(is(a) & is(b)), |a, b| i64::from((a != 0) & (b != 0));
        /// At least one is true.
        LogicalOr = "logical_or", Binary, true, true, |a, b| truth(is(a) | is(b)), |a, b| i64::from((a != 0) | (b != 0));
        /// Exactly one is true.
        LogicalXor = "logical_xor", Binary, true, true, |a, b| truth(is(a) ^ is(b)), |a, b| i64::from((a != 0) ^ (b != 0));
        /// `a` is zero.
        LogicalNot = "logical_not", Unary, false, false, |a, _| truth(a == 0.0), |a, _| i64::from(a == 0);
        /// Magnitude.
        Abs = "abs", Unary, false, true, |a, _| a.abs(), |a, _| a.abs();
        /// `a * a`.
        Square = "square", Unary, false, true, |a, _| a * a, |a, _| a.wrapping_mul(a);
        /// `max(a, 0)`.
        Relu = "relu", Unary, false, true, |a, _| maximum(a, 0.0), |a, _| a.max(0);
        /// `1 / sqrt(a)`.
        Rsqrt = "rsqrt", Unary, false, true, |a, _| math::rsqrt(a), |a, b| through_f32(a, b, |a, _| math::rsqrt(a));
        /// `1 / a`.
        Reciprocal = "reciprocal", Unary, false, true, |a, _| 1.0 / a, |a, b| through_f32(a, b, |a, _| 1.0 / a);
        /// Sum divided by the number of elements.
        Average = "average", Reduction, true, false, |a, b| a + b, |a, b| a.wrapping_add(b);
        /// `a`, unchanged.
        Bypass = "bypass", Unary, false, true, |a, _| a, |a, _| a;
    }
    bitvec {
        /// All bits flipped.
        Invert = "invert", Unary, false, |a, _| !a;
        /// Bits of both.
        BitwiseAnd = "bitwise_and", Binary, true, |a, b| a & b;
        /// Bits of either.
        BitwiseOr = "bitwise_or", Binary, true, |a, b| a | b;
        /// Bits of exactly one.
        BitwiseXor = "bitwise_xor", Binary, true, |a, b| a ^ b;
        /// `a` shifted left by `b`.
        LeftShift = "left_shift", Binary, false, |a, b| a.checked_shl(b).unwrap_or(0);
        /// `a` shifted right by `b`, zeros coming in.
        RightShift = "right_shift", Binary, false, |a, b| a.checked_shr(b).unwrap_or(0);
    }
}

impl AluOp {
    /// The row of this operator.
    pub fn info(self) -> &'static AluInfo {
        &TABLE[self as usize]
    }

    /// The name in `nki.language`.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether it works on bit patterns.
    pub fn is_bitvec(self) -> bool {
        self.info().kind == AluKind::Bitvec
    }

    /// Whether it ignores its second operand.
    pub fn is_unary(self) -> bool {
        self.info().arity == Arity::Unary
    }

    /// The operator called `name`; `max`, `min` and `absolute` are NumPy's or reduction names of the same operators.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = match name {
            "max" => "maximum",
            "min" => "minimum",
            "absolute" => "abs",
            "remainder" => "mod",
            "bitwise_not" => "invert",
            other => other,
        };
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }
}

/// Whether a number counts as true.
#[inline(always)]
fn is(value: f32) -> bool {
    value != 0.0
}

/// 1 for true, 0 for false.
#[inline(always)]
fn truth(value: bool) -> f32 {
    if value { 1.0 } else { 0.0 }
}

/// The larger operand; NaN if either is NaN, `b` on a tie.
#[inline(always)]
pub fn maximum(a: f32, b: f32) -> f32 {
    if (a > b) | a.is_nan() { a } else { b }
}

/// The smaller operand; NaN if either is NaN, `b` on a tie.
#[inline(always)]
pub fn minimum(a: f32, b: f32) -> f32 {
    if (a < b) | a.is_nan() { a } else { b }
}

/// The operand with the larger magnitude, `b` on a tie.
#[inline(always)]
fn abs_max(a: f32, b: f32) -> f32 {
    if (a.abs() > b.abs()) | a.is_nan() { a } else { b }
}

/// The operand with the smaller magnitude, `b` on a tie.
#[inline(always)]
fn abs_min(a: f32, b: f32) -> f32 {
    if (a.abs() < b.abs()) | a.is_nan() { a } else { b }
}

/// Python's `%` on integers, 0 for a zero divisor (as NumPy).
fn int_mod(a: i64, b: i64) -> i64 {
    let rest = a.checked_rem(b).unwrap_or(0);
    if rest != 0 && (rest < 0) != (b < 0) {
        rest + b
    } else {
        rest
    }
}

/// An integer operand through float32 and back, for operators that have no integer form.
#[inline(always)]
fn through_f32(a: i64, b: i64, kernel: impl Fn(f32, f32) -> f32) -> i64 {
    round_to_i64(f64::from(kernel(a as f32, b as f32)))
}

/// `out[i] = kernel(a[i], b[i])`.
struct BinaryF32<'a>(&'a [f32], &'a [f32], &'a mut [f32]);

impl F32Task for BinaryF32<'_> {
    type Output = ();
    fn run(self, kernel: impl Fn(f32, f32) -> f32 + Copy + 'static) {
        for ((out, &a), &b) in self.2.iter_mut().zip(self.0).zip(self.1) {
            *out = kernel(a, b);
        }
    }
}

/// `out[i] = a[i] <op> b[i]` in float32; slices have equal lengths. A unary operator ignores `b`.
pub fn binary_f32(op: AluOp, a: &[f32], b: &[f32], out: &mut [f32]) {
    with_f32(op, BinaryF32(a, b, out));
}

/// `data[i] = kernel(data[i], other[i])`, or with operands exchanged.
struct UpdateF32<'a>(&'a mut [f32], &'a [f32], bool);

impl F32Task for UpdateF32<'_> {
    type Output = ();
    fn run(self, kernel: impl Fn(f32, f32) -> f32 + Copy + 'static) {
        let pairs = self.0.iter_mut().zip(self.1);
        if self.2 {
            pairs.for_each(|(a, &b)| *a = kernel(b, *a));
        } else {
            pairs.for_each(|(a, &b)| *a = kernel(*a, b));
        }
    }
}

/// `data[i] = data[i] <op> other[i]` in place; `reverse` gives `other[i] <op> data[i]`.
pub fn update_f32(op: AluOp, data: &mut [f32], other: &[f32], reverse: bool) {
    let reverse = reverse && !op.is_unary();
    with_f32(op, UpdateF32(data, other, reverse));
}

/// `data[i] = kernel(data[i], scalar)`, or with operands exchanged.
struct ScalarF32<'a>(&'a mut [f32], f32, bool);

impl F32Task for ScalarF32<'_> {
    type Output = ();
    fn run(self, kernel: impl Fn(f32, f32) -> f32 + Copy + 'static) {
        let scalar = self.1;
        if self.2 {
            self.0.iter_mut().for_each(|a| *a = kernel(scalar, *a));
        } else {
            self.0.iter_mut().for_each(|a| *a = kernel(*a, scalar));
        }
    }
}

/// `data[i] = data[i] <op> scalar` in place; `reverse` gives `scalar <op> data[i]`. A unary operator reads only `data`.
pub fn scalar_f32_in_place(op: AluOp, data: &mut [f32], scalar: f32, reverse: bool) {
    let reverse = reverse && !op.is_unary();
    with_f32(op, ScalarF32(data, scalar, reverse));
}

/// `out[i] = a[i] <op> scalar`; `reverse` gives `scalar <op> a[i]`. A unary operator reads only `a`.
pub fn scalar_f32(op: AluOp, a: &[f32], scalar: f32, reverse: bool, out: &mut [f32]) {
    out.copy_from_slice(a);
    scalar_f32_in_place(op, out, scalar, reverse);
}

/// One application of `op` in float32.
pub fn apply_f32(op: AluOp, a: f32, b: f32) -> f32 {
    let mut value = [a];
    scalar_f32_in_place(op, &mut value, b, false);
    value[0]
}

/// `out[i] = kernel(a[i], b[i])` on 32-bit integers of one signedness.
struct BinaryInt<'a, I>(&'a [I], &'a [I], &'a mut [I]);

/// A 32-bit integer that widens exactly and comes back modulo 2^32.
trait Int32: Copy {
    /// Exact widening.
    fn widen(self) -> i64;
    /// Low 32 bits.
    fn wrap(wide: i64) -> Self;
}

impl Int32 for i32 {
    #[inline(always)]
    fn widen(self) -> i64 {
        i64::from(self)
    }
    #[inline(always)]
    fn wrap(wide: i64) -> Self {
        wide as Self
    }
}

impl Int32 for u32 {
    #[inline(always)]
    fn widen(self) -> i64 {
        i64::from(self)
    }
    #[inline(always)]
    fn wrap(wide: i64) -> Self {
        wide as Self
    }
}

impl<I: Int32> IntTask for BinaryInt<'_, I> {
    type Output = ();
    fn run(self, kernel: impl Fn(i64, i64) -> i64 + Copy) {
        for ((out, &a), &b) in self.2.iter_mut().zip(self.0).zip(self.1) {
            *out = I::wrap(kernel(a.widen(), b.widen()));
        }
    }
}

/// `out[i] = kernel(a[i], scalar)` on 32-bit integers, or with operands exchanged.
struct ScalarInt<'a, I>(&'a [I], I, bool, &'a mut [I]);

impl<I: Int32> IntTask for ScalarInt<'_, I> {
    type Output = ();
    fn run(self, kernel: impl Fn(i64, i64) -> i64 + Copy) {
        let scalar = self.1.widen();
        let pairs = self.3.iter_mut().zip(self.0);
        if self.2 {
            pairs.for_each(|(out, &a)| *out = I::wrap(kernel(scalar, a.widen())));
        } else {
            pairs.for_each(|(out, &a)| *out = I::wrap(kernel(a.widen(), scalar)));
        }
    }
}

/// `out[i] = a[i] <op> b[i]` on signed 32-bit integers, wrapping.
pub fn binary_i32(op: AluOp, a: &[i32], b: &[i32], out: &mut [i32]) {
    with_int(op, BinaryInt(a, b, out));
}

/// `out[i] = a[i] <op> scalar` on signed 32-bit integers; `reverse` gives `scalar <op> a[i]`.
pub fn scalar_i32(op: AluOp, a: &[i32], scalar: i32, reverse: bool, out: &mut [i32]) {
    with_int(op, ScalarInt(a, scalar, reverse && !op.is_unary(), out));
}

/// `out[i] = a[i] <op> b[i]` on unsigned 32-bit integers, wrapping.
pub fn binary_u32(op: AluOp, a: &[u32], b: &[u32], out: &mut [u32]) {
    with_int(op, BinaryInt(a, b, out));
}

/// `out[i] = a[i] <op> scalar` on unsigned 32-bit integers; `reverse` gives `scalar <op> a[i]`.
pub fn scalar_u32(op: AluOp, a: &[u32], scalar: u32, reverse: bool, out: &mut [u32]) {
    with_int(op, ScalarInt(a, scalar, reverse && !op.is_unary(), out));
}

/// [`binary_u32`] on bit patterns zero-extended from any width; a store keeps the low bits.
pub fn binary_bits(op: AluOp, a: &[u32], b: &[u32], out: &mut [u32]) {
    binary_u32(op, a, b, out);
}

/// [`scalar_u32`] on bit patterns zero-extended from any width; a store keeps the low bits.
pub fn scalar_bits(op: AluOp, a: &[u32], scalar: u32, reverse: bool, out: &mut [u32]) {
    scalar_u32(op, a, scalar, reverse, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_operator() {
        for &op in AluOp::ALL {
            assert_eq!(AluOp::from_name(op.name()), Some(op));
        }
        assert_eq!(AluOp::from_name("max"), Some(AluOp::Maximum));
        assert_eq!(AluOp::from_name("exp"), None);
    }

    #[test]
    fn float_kernels_follow_their_definition() {
        let cases = [
            (AluOp::Subtract, 5.0, 3.0, 2.0),
            (AluOp::Divide, 7.0, 2.0, 3.5),
            (AluOp::AbsMax, -5.0, 3.0, -5.0),
            (AluOp::AbsMax, 1.0, -1.0, -1.0),
            (AluOp::AbsMin, 1.0, -1.0, -1.0),
            (AluOp::AbsMin, -5.0, 3.0, 3.0),
            (AluOp::Power, 2.0, -0.5, std::f32::consts::FRAC_1_SQRT_2),
            (AluOp::Mod, -7.0, 3.0, 2.0),
            (AluOp::Mod, 7.0, -3.0, -2.0),
            (AluOp::Fmod, -7.0, 3.0, -1.0),
            (AluOp::GreaterEqual, 2.0, 2.0, 1.0),
            (AluOp::Less, 2.0, 2.0, 0.0),
            (AluOp::LogicalXor, 2.0, 0.0, 1.0),
            (AluOp::LogicalAnd, 2.0, 0.0, 0.0),
            (AluOp::LogicalNot, 0.0, 9.0, 1.0),
            (AluOp::Relu, -2.0, 0.0, 0.0),
            (AluOp::Rsqrt, 16.0, 0.0, 0.25),
            (AluOp::Bypass, 3.0, 9.0, 3.0),
        ];
        for (op, a, b, value) in cases {
            assert_eq!(apply_f32(op, a, b), value, "{} {a} {b}", op.name());
            let mut out = [0.0];
            binary_f32(op, &[a], &[b], &mut out);
            assert_eq!(out, [value]);
            let mut data = [b];
            update_f32(op, &mut data, &[a], !op.is_unary());
            let expected = if op.is_unary() { apply_f32(op, b, 0.0) } else { value };
            assert_eq!(data, [expected], "{}", op.name());
        }
    }

    #[test]
    fn nan_survives_extremes() {
        for (a, b) in [(f32::NAN, 1.0), (1.0, f32::NAN)] {
            assert!(maximum(a, b).is_nan() && minimum(a, b).is_nan());
        }
        assert_eq!((maximum(2.0, -3.0), minimum(2.0, -3.0)), (2.0, -3.0));
    }

    #[test]
    fn reversal_exchanges_operands_of_binary_operators_only() {
        let mut out = [0.0; 2];
        scalar_f32(AluOp::Subtract, &[1.0, 2.0], 10.0, true, &mut out);
        assert_eq!(out, [9.0, 8.0]);
        scalar_f32(AluOp::Subtract, &[1.0, 2.0], 10.0, false, &mut out);
        assert_eq!(out, [-9.0, -8.0]);
        scalar_f32(AluOp::Square, &[3.0, 4.0], 10.0, true, &mut out);
        assert_eq!(out, [9.0, 16.0]);
    }

    #[test]
    fn integers_are_exact_and_wrap() {
        let mut out = [0i32; 2];
        binary_i32(AluOp::Add, &[i32::MAX, 16_777_217], &[1, 1], &mut out);
        assert_eq!(out, [i32::MIN, 16_777_218]);
        binary_i32(AluOp::Multiply, &[65_537, -3], &[65_537, 5], &mut out);
        assert_eq!(out, [131_073, -15]);
        scalar_i32(AluOp::Mod, &[-7, 7], 3, false, &mut out);
        assert_eq!(out, [2, 1]);
        let mut out = [0u32; 2];
        binary_u32(AluOp::Maximum, &[u32::MAX, 1], &[0, 2], &mut out);
        assert_eq!(out, [u32::MAX, 2]);
        scalar_u32(AluOp::Subtract, &[1, 3], 2, false, &mut out);
        assert_eq!(out, [u32::MAX, 1]);
    }

    #[test]
    fn bit_operators_see_patterns() {
        let mut out = [0u32; 3];
        binary_bits(AluOp::LeftShift, &[1, 1, 0x8000_0000], &[31, 32, 1], &mut out);
        assert_eq!(out, [0x8000_0000, 0, 0]);
        scalar_bits(AluOp::RightShift, &[0xffff_ffff, 16, 1], 4, false, &mut out);
        assert_eq!(out, [0x0fff_ffff, 1, 0]);
        scalar_bits(AluOp::Invert, &[0, 1, u32::MAX], 0, false, &mut out);
        assert_eq!(out, [u32::MAX, u32::MAX - 1, 0]);
        assert_eq!(apply_f32(AluOp::BitwiseAnd, -1.5, f32::from_bits(0x7fff_ffff)), 1.5);
    }
}
