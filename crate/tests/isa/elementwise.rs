//! Element-wise instructions: every operator, dtype rules, broadcasting, reductions on the side.

use trn3::isa::args::Arg::{self, Bool, Float, Int, Member, Tensor};
use trn3::numerics::dtype::Dtype;

use crate::harness::{Kernel, bytes, close, func, numbers, values};

/// A bit operator of the reference.
type BitOp = fn(u32, u32) -> u32;
/// An activation function of the reference.
type Function = fn(f64) -> f64;

/// The float operators, from their definitions.
fn arithmetic(op: &str, a: f64, b: f64) -> f64 {
    let truth = |value: bool| f64::from(u8::from(value));
    match op {
        "add" => a + b,
        "subtract" => a - b,
        "multiply" => a * b,
        "maximum" => a.max(b),
        "minimum" => a.min(b),
        "abs_max" => {
            if a.abs() > b.abs() {
                a
            } else {
                b
            }
        }
        "abs_min" => {
            if a.abs() < b.abs() {
                a
            } else {
                b
            }
        }
        "equal" => truth(a == b),
        "not_equal" => truth(a != b),
        "greater" => truth(a > b),
        "greater_equal" => truth(a >= b),
        "less" => truth(a < b),
        "less_equal" => truth(a <= b),
        "logical_and" => truth(a != 0.0 && b != 0.0),
        "logical_or" => truth(a != 0.0 || b != 0.0),
        "logical_xor" => truth((a != 0.0) != (b != 0.0)),
        other => panic!("{other}"),
    }
}

const OPS: [&str; 16] = [
    "add",
    "subtract",
    "multiply",
    "maximum",
    "minimum",
    "abs_max",
    "abs_min",
    "equal",
    "not_equal",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
];

#[test]
fn tensor_tensor_applies_every_operator() {
    let (a, b) = (numbers(6 * 40), numbers(6 * 40 + 11)[11..].to_vec());
    for op in OPS {
        for dtype in [Dtype::F32, Dtype::Bf16, Dtype::F16] {
            let mut kernel = Kernel::new();
            let left = kernel.load(&[6, 40], dtype, &a);
            let right = kernel.load(&[6, 5, 8], dtype, &b);
            let dst = kernel.sbuf(&[6, 40], Dtype::F32);
            let args = [
                ("dst", Tensor(dst)),
                ("data1", Tensor(left)),
                ("data2", Tensor(right)),
                ("op", func(op)),
            ];
            kernel.ok("tensor_tensor", &args);
            kernel.output(dst);
            let want: Vec<f64> = a.iter().zip(&b).map(|(&a, &b)| arithmetic(op, a, b)).collect();
            assert_eq!(kernel.run()[0], want, "{op}");
        }
    }
}

#[test]
fn thirty_two_bit_integers_are_exact_on_gpsimd_and_not_on_vector() {
    // float32 rounds 16777217 to 16777216 on the way in, and the sum to a multiple of 4.
    for (engine, want) in [("unknown", 33_554_435.0), ("vector", 33_554_432.0)] {
        let mut kernel = Kernel::new();
        let a = kernel.load(&[1, 1], Dtype::I32, &[16_777_217.0]);
        let b = kernel.load(&[1, 1], Dtype::I32, &[16_777_218.0]);
        let dst = kernel.sbuf(&[1, 1], Dtype::I32);
        let args = [
            ("dst", Tensor(dst)),
            ("data1", Tensor(a)),
            ("data2", Tensor(b)),
            ("op", func("add")),
            ("engine", Member("engine", engine)),
        ];
        kernel.ok("tensor_tensor", &args);
        kernel.output(dst);
        assert_eq!(kernel.run()[0], [want], "{engine}");
    }
}

#[test]
fn bit_operators_keep_the_bits_of_narrow_integers() {
    let cases: [(&str, BitOp); 5] = [
        ("bitwise_and", |a, b| a & b),
        ("bitwise_or", |a, b| a | b),
        ("bitwise_xor", |a, b| a ^ b),
        ("left_shift", |a, b| a << b),
        ("right_shift", |a, b| a >> b),
    ];
    let a = [1.0, 200.0, 37.0, 255.0];
    let b = [3.0, 1.0, 7.0, 2.0];
    for (op, reference) in cases {
        let mut kernel = Kernel::new();
        let left = kernel.load(&[2, 2], Dtype::U8, &a);
        let right = kernel.load(&[2, 2], Dtype::U8, &b);
        let dst = kernel.sbuf(&[2, 2], Dtype::U8);
        let args = [
            ("dst", Tensor(dst)),
            ("data1", Tensor(left)),
            ("data2", Tensor(right)),
            ("op", func(op)),
        ];
        kernel.ok("tensor_tensor", &args);
        kernel.output(dst);
        let want: Vec<f64> = a
            .iter()
            .zip(b)
            .map(|(&a, b)| f64::from(reference(a as u32, b as u32) as u8))
            .collect();
        assert_eq!(kernel.run()[0], want, "{op}");
    }
}

#[test]
fn tensor_scalar_broadcasts_numbers_and_columns_and_reverses() {
    let data = numbers(4 * 6);
    let column = [1.0, -2.0, 0.5, 3.0];
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[4, 6], Dtype::Bf16, &data);
    let scalars = kernel.load(&[4, 1], Dtype::F32, &column);
    let dst = kernel.sbuf(&[4, 6], Dtype::F32);
    let args = [
        ("dst", Tensor(dst)),
        ("data", Tensor(tile)),
        ("op0", func("subtract")),
        ("operand0", Tensor(scalars)),
        ("reverse0", Bool(true)),
        ("op1", func("multiply")),
        ("operand1", Float(2.0)),
    ];
    kernel.ok("tensor_scalar", &args);
    kernel.output(dst);
    let want: Vec<f64> = data
        .iter()
        .enumerate()
        .map(|(at, x)| (column[at / 6] - x) * 2.0)
        .collect();
    assert_eq!(kernel.run()[0], want);
}

#[test]
fn tensor_scalar_works_on_bits_and_on_one_operand() {
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[1, 3], Dtype::I32, &[5.0, -1.0, 1024.0]);
    let dst = kernel.sbuf(&[1, 3], Dtype::I32);
    let args = [
        ("dst", Tensor(dst)),
        ("data", Tensor(tile)),
        ("op0", func("bitwise_and")),
        ("operand0", Int(0xff)),
        ("op1", func("left_shift")),
        ("operand1", Int(4)),
    ];
    kernel.ok("tensor_scalar", &args);
    let floats = kernel.load(&[1, 2], Dtype::F32, &[-3.0, 0.25]);
    let root = kernel.sbuf(&[1, 2], Dtype::F32);
    let args = [
        ("dst", Tensor(root)),
        ("data", Tensor(floats)),
        ("op0", func("abs")),
        ("operand0", Arg::None),
    ];
    kernel.ok("tensor_scalar", &args);
    kernel.output(dst);
    kernel.output(root);
    let results = kernel.run();
    assert_eq!(results[0], [80.0, 4080.0, 0.0]);
    assert_eq!(results[1], [3.0, 0.25]);
}

#[test]
fn scalar_tensor_tensor_chains_both_operators() {
    let (data, other) = (numbers(3 * 4), numbers(3 * 4 + 5)[5..].to_vec());
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[3, 4], Dtype::F32, &data);
    let second = kernel.load(&[3, 4], Dtype::F32, &other);
    let dst = kernel.sbuf(&[3, 4], Dtype::F32);
    let args = [
        ("dst", Tensor(dst)),
        ("data", Tensor(tile)),
        ("op0", func("multiply")),
        ("operand0", Float(0.5)),
        ("op1", func("subtract")),
        ("operand1", Tensor(second)),
        ("reverse1", Bool(true)),
    ];
    kernel.ok("scalar_tensor_tensor", &args);
    kernel.output(dst);
    let want: Vec<f64> = data.iter().zip(&other).map(|(x, y)| y - x * 0.5).collect();
    assert_eq!(kernel.run()[0], want);
}

#[test]
fn copies_keep_bits_or_convert() {
    let nan = 0x7fc0_1234_u32.to_le_bytes().to_vec();
    let mut kernel = Kernel::new();
    let source = kernel.argument(&[1, 1], Dtype::F32, nan.clone());
    let tile = kernel.sbuf(&[1, 1], Dtype::F32);
    kernel.ok("dma_copy", &[("dst", Tensor(tile)), ("src", Tensor(source))]);
    let same = kernel.sbuf(&[1, 1], Dtype::F32);
    kernel.ok("tensor_copy", &[("dst", Tensor(same)), ("src", Tensor(tile))]);
    let numbers = kernel.load(&[1, 3], Dtype::F32, &[2.5, -1.5, 300.0]);
    let rounded = kernel.sbuf(&[1, 3], Dtype::U8);
    kernel.ok("tensor_copy", &[("dst", Tensor(rounded)), ("src", Tensor(numbers))]);
    kernel.output(same);
    kernel.output(rounded);
    let mut executor = kernel.execute().unwrap();
    let results = executor.results().unwrap();
    assert_eq!(results[0].bytes, nan);
    assert_eq!(values(Dtype::U8, &results[1].bytes), [2.0, 0.0, 255.0]);
}

#[test]
fn memset_fills_with_the_value_of_the_dtype() {
    for (dtype, value, want) in [
        (Dtype::Bf16, Float(0.1), 0.100_097_656_25),
        (Dtype::I32, Int(i64::from(i32::MIN)), f64::from(i32::MIN)),
        (Dtype::U32, Int(4_294_967_295), 4_294_967_295.0),
        (Dtype::F8E5m2, Float(-3.0), -3.0),
    ] {
        let mut kernel = Kernel::new();
        let dst = kernel.sbuf(&[2, 3], dtype);
        kernel.ok("memset", &[("dst", Tensor(dst)), ("value", value)]);
        kernel.output(dst);
        assert_eq!(kernel.run()[0], [want; 6], "{}", dtype.name());
    }
}

#[test]
fn predicated_copies_leave_other_elements() {
    let mut kernel = Kernel::new();
    let dst = kernel.load(&[2, 3], Dtype::F32, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let src = kernel.load(&[2, 3], Dtype::F32, &[10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
    let predicate = kernel.load(&[2, 3], Dtype::U8, &[1.0, 0.0, 7.0, 0.0, 0.0, 1.0]);
    let args = [
        ("dst", Tensor(dst)),
        ("src", Tensor(src)),
        ("predicate", Tensor(predicate)),
    ];
    kernel.ok("tensor_copy_predicated", &args);
    let args = [
        ("dst", Tensor(dst)),
        ("src", Float(-1.0)),
        ("predicate", Tensor(predicate)),
        ("reverse_pred", Bool(true)),
    ];
    kernel.ok("tensor_copy_predicated", &args);
    kernel.output(dst);
    assert_eq!(kernel.run()[0], [10.0, -1.0, 30.0, -1.0, -1.0, 60.0]);
}

#[test]
fn activations_scale_and_shift_first() {
    let functions: [(&'static str, Function); 8] = [
        ("exp", f64::exp),
        ("tanh", f64::tanh),
        ("relu", |x| x.max(0.0)),
        ("square", |x| x * x),
        ("sigmoid", |x| 1.0 / (1.0 + (-x).exp())),
        ("silu", |x| x / (1.0 + (-x).exp())),
        ("copy", |x| x),
        ("gelu_apprx_tanh", |x| {
            0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x)).tanh())
        }),
    ];
    let data = numbers(5 * 9);
    let bias = [0.5, -1.0, 0.0, 2.0, 1.0];
    for (name, reference) in functions {
        let mut kernel = Kernel::new();
        let tile = kernel.load(&[5, 9], Dtype::Bf16, &data);
        let column = kernel.load(&[5, 1], Dtype::F32, &bias);
        let dst = kernel.sbuf(&[5, 9], Dtype::F32);
        let sum = kernel.sbuf(&[5, 1], Dtype::F32);
        let args = [
            ("dst", Tensor(dst)),
            ("op", func(name)),
            ("data", Tensor(tile)),
            ("bias", Tensor(column)),
            ("scale", Float(0.5)),
            ("reduce_op", func("add")),
            ("reduce_res", Tensor(sum)),
            ("reduce_cmd", Member("reduce_cmd", "reset_reduce")),
        ];
        kernel.ok("activation", &args);
        kernel.output(dst);
        kernel.output(sum);
        let results = kernel.run();
        let want: Vec<f64> = data
            .iter()
            .enumerate()
            .map(|(at, x)| reference(x * 0.5 + bias[at / 9]))
            .collect();
        close(&results[0], &want, 2e-6);
        let sums: Vec<f64> = want.chunks(9).map(|row| row.iter().sum()).collect();
        close(&results[1], &sums, 1e-5);
    }
}

#[test]
fn accumulation_registers_persist_between_activations() {
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[2, 3], Dtype::F32, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let dst = kernel.sbuf(&[2, 3], Dtype::F32);
    let sum = kernel.sbuf(&[2, 1], Dtype::F32);
    for (command, result) in [("reset", None), ("reduce", None), ("idle", None), ("reduce", Some(sum))] {
        let mut args = vec![
            ("dst", Tensor(dst)),
            ("op", func("copy")),
            ("data", Tensor(tile)),
            ("reduce_op", func("add")),
            ("reduce_cmd", Member("reduce_cmd", command)),
        ];
        args.extend(result.map(|view| ("reduce_res", Tensor(view))));
        kernel.ok("activation", &args);
    }
    kernel.output(sum);
    assert_eq!(kernel.run()[0], [12.0, 30.0]);
}

#[test]
fn activate2_and_exponential_run_on_trainium3() {
    let data = numbers(2 * 8);
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[2, 8], Dtype::F32, &data);
    let first = kernel.sbuf(&[2, 8], Dtype::F32);
    let top = kernel.sbuf(&[2, 1], Dtype::F32);
    let args = [
        ("dst", Tensor(first)),
        ("op", func("prelu")),
        ("data", Tensor(tile)),
        ("imm0", Float(3.0)),
        ("imm1", Float(0.0)),
        ("op0", func("subtract")),
        ("op1", func("bypass")),
        ("reverse0", Bool(true)),
        ("relu_param", Float(0.25)),
        ("reduce_op", func("maximum")),
        ("reduce_cmd", Member("reduce_cmd", "reset_reduce")),
        ("reduce_res", Tensor(top)),
    ];
    kernel.ok("activate2", &args);
    let second = kernel.sbuf(&[2, 8], Dtype::F32);
    let sum = kernel.sbuf(&[2, 1], Dtype::F32);
    let args = [
        ("dst", Tensor(second)),
        ("src", Tensor(tile)),
        ("max_value", Float(1.0)),
        ("reduce_res", Tensor(sum)),
        ("reduce_cmd", Member("reduce_cmd", "load_reduce")),
        ("reduce_init", Float(10.0)),
    ];
    kernel.ok("exponential", &args);
    for view in [first, top, second, sum] {
        kernel.output(view);
    }
    let results = kernel.run();
    let want: Vec<f64> = data
        .iter()
        .map(|x| 3.0 - x)
        .map(|x| if x > 0.0 { x } else { x * 0.25 })
        .collect();
    assert_eq!(results[0], want);
    let tops: Vec<f64> = want
        .chunks(8)
        .map(|row| row.iter().fold(f64::MIN, |a, &x| a.max(x)))
        .collect();
    assert_eq!(results[1], tops);
    let want: Vec<f64> = data.iter().map(|x| (x - 1.0).exp()).collect();
    close(&results[2], &want, 1e-6);
    let sums: Vec<f64> = want.chunks(8).map(|row| 10.0 + row.iter().sum::<f64>()).collect();
    close(&results[3], &sums, 1e-6);
}

#[test]
fn tensor_scalar_reduce_accumulates_over_tiles() {
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[2, 2], Dtype::F32, &[1.0, 2.0, 3.0, 4.0]);
    let dst = kernel.sbuf(&[2, 2], Dtype::F32);
    let sum = kernel.sbuf(&[2, 1], Dtype::F32);
    for (command, result) in [("reset_reduce", false), ("reduce", true)] {
        let mut args = vec![
            ("dst", Tensor(dst)),
            ("data", Tensor(tile)),
            ("op0", func("add")),
            ("operand0", Float(1.0)),
            ("reduce_op", func("multiply")),
            ("reduce_cmd", Member("reduce_cmd", command)),
            ("reduce_res_negate", Bool(true)),
        ];
        if result {
            args.push(("reduce_res", Tensor(sum)));
        }
        kernel.ok("tensor_scalar_reduce", &args);
    }
    kernel.output(dst);
    kernel.output(sum);
    let results = kernel.run();
    assert_eq!(results[0], [2.0, 3.0, 4.0, 5.0]);
    assert_eq!(results[1], [-36.0, -400.0]);
}

#[test]
fn reciprocal_is_correctly_rounded() {
    let data = [3.0, -7.0, 0.1, 1e30];
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[1, 4], Dtype::F32, &data);
    let dst = kernel.sbuf(&[1, 4], Dtype::F32);
    kernel.ok("reciprocal", &[("dst", Tensor(dst)), ("data", Tensor(tile))]);
    kernel.output(dst);
    let want: Vec<f64> = values(Dtype::F32, &bytes(Dtype::F32, &data))
        .iter()
        .map(|&x| f64::from(1.0 / x as f32))
        .collect();
    assert_eq!(kernel.run()[0], want);
}

#[test]
fn values_outside_of_the_valid_range_of_a_function_warn_once_a_place() {
    let mut kernel = Kernel::new();
    let tile = kernel.load(&[1, 2], Dtype::F32, &[1.0, 0.0]);
    let dst = kernel.sbuf(&[1, 2], Dtype::F32);
    for _ in 0..2 {
        let args = [("dst", Tensor(dst)), ("op", func("log")), ("data", Tensor(tile))];
        kernel.ok("activation", &args);
    }
    let executor = kernel.execute().unwrap();
    assert_eq!(executor.warnings().len(), 1);
    let message = "activation: op log gets 0.0; the Scalar Engine is valid for 5.421011e-20 to 1.8446744e19 and gives something else outside";
    assert_eq!(executor.warnings()[0].message, message);
}
