//! Sums, products, conversions, printing and files.

use super::{Silent, bits_of, counting, floats_of, integers_of, wide};
use crate::interp::numpy::array::{Array, Item};
use crate::interp::numpy::buffer::Buf;
use crate::interp::numpy::check::{self, Demanded, Tolerance, Verdict};
use crate::interp::numpy::math::{self, Binary, Unary};
use crate::interp::numpy::promote::{Weak, promote, promote_weak};
use crate::interp::numpy::random::{Random, Size};
use crate::interp::numpy::reduce::{self, Along, Extreme, Reduction};
use crate::interp::numpy::{einsum, io, linalg, print, search, shape};
use crate::numerics::dtype::Dtype;

/// `np.random.seed(seed); np.random.randn(count).astype(np.float32)`.
fn normals(seed: u32, count: usize) -> Array {
    let size = Size {
        shape: Some(vec![count]),
    };
    Random::legacy(seed)
        .standard_normal(&size, Dtype::F64)
        .unwrap()
        .astype(Dtype::F32)
        .unwrap()
}

fn sum(array: &Array, axes: Option<&[isize]>, dtype: Option<Dtype>) -> Array {
    let along = Along {
        axes: axes.map(<[isize]>::to_vec),
        keepdims: false,
        dtype,
    };
    reduce::reduce(Reduction::Sum, array, &along).unwrap()
}

#[test]
fn sums_have_numpys_bits() {
    let host = Silent::new();
    let x = normals(1, 1000);
    let bits = |array: &Array, at: usize| bits_of(array, &host)[at];
    let square = x.reshape(&[10, 100]).unwrap();
    assert_eq!(bits(&sum(&x, None, None), 0), 0x421b_3ffb);
    assert_eq!(bits(&reduce::mean(&x, &Along::all()).unwrap(), 0), 0x3d1e_f9d6);
    assert_eq!(bits(&reduce::std(&x, &Along::all(), 0.0).unwrap(), 0), 0x3f7b_2317);
    assert_eq!(bits(&sum(&square, Some(&[0]), None), 3), 0x4043_ad4b);
    assert_eq!(bits(&sum(&square, Some(&[1]), None), 3), 0xc002_51df);
    assert_eq!(
        bits(&sum(&shape::transpose(&square, None).unwrap(), Some(&[0]), None), 3),
        0xc002_51df
    );
    assert_eq!(
        bits(&sum(&x.reshape(&[10, 10, 10]).unwrap(), Some(&[0, 2]), None), 3),
        0xc00a_96f3
    );
    assert_eq!(
        bits(&sum(&x.astype(Dtype::F64).unwrap(), None, None), 0),
        0x4043_67ff_42a3_5000
    );
    assert_eq!(bits(&sum(&x, None, Some(Dtype::F64)), 0), 0x4043_67ff_42a3_5000);
    let half = x.astype(Dtype::F16).unwrap();
    assert_eq!(bits(&sum(&half, None, None), 0), 0x50da);
    assert_eq!(bits(&reduce::mean(&half, &Along::all()).unwrap(), 0), 0x28f8);
    assert_eq!(
        bits(&reduce::var(&square, &Along::axis(1), 1.0).unwrap(), 2),
        0x3f82_9296
    );
    assert_eq!(
        bits(&reduce::accumulate(Binary::Add, &x, None, None).unwrap(), 999),
        0x421b_3ff1
    );
}

#[test]
fn narrow_sums_round_like_ml_dtypes() {
    let host = Silent::new();
    let y = normals(1, 1000).astype(Dtype::Bf16).unwrap();
    assert_eq!(bits_of(&sum(&y, None, None), &host), [0x421f]);
    assert_eq!(bits_of(&reduce::mean(&y, &Along::all()).unwrap(), &host), [0x3d23]);
    let squares = math::binary(Binary::Multiply, &y, &y)
        .unwrap()
        .astype(Dtype::F8E4m3fn)
        .unwrap();
    assert_eq!(bits_of(&sum(&squares, None, None), &host), [0x74]);
}

#[test]
fn long_sums_have_numpys_bits() {
    let host = Silent::new();
    let x = normals(3, 300_000);
    assert_eq!(bits_of(&sum(&x, None, None), &host), [0xc3b9_1886]);
    let rows = x.reshape(&[300, 1000]).unwrap();
    assert_eq!(
        bits_of(&reduce::mean(&rows, &Along::axis(1)).unwrap(), &host)[7],
        0xbc96_2b0c
    );
    assert_eq!(
        bits_of(
            &reduce::mean(&x.astype(Dtype::F16).unwrap(), &Along::all()).unwrap(),
            &host
        ),
        [0x950e]
    );
    assert_eq!(
        bits_of(&sum(&x, None, Some(Dtype::F64)), &host),
        [0xc077_2310_3776_4e90]
    );
}

#[test]
fn conversions_agree_with_ml_dtypes() {
    let host = Silent::new();
    let values = [
        0.0,
        -0.0,
        1.0,
        0.3,
        1e-3,
        247.9,
        248.0,
        464.0,
        465.0,
        61440.0,
        1e-6,
        f64::INFINITY,
        f64::NAN,
        6.0,
        7.0,
    ];
    let array = wide(&[values.len()], &values);
    let bits = |dtype| bits_of(&array.astype(dtype).unwrap(), &host);
    assert_eq!(
        bits(Dtype::F8E4m3),
        [
            0, 0x80, 0x38, 0x2a, 1, 0x77, 0x78, 0x78, 0x78, 0x78, 0, 0x78, 0x7c, 0x4c, 0x4e
        ]
    );
    assert_eq!(
        bits(Dtype::F8E4m3fn),
        [
            0, 0x80, 0x38, 0x2a, 1, 0x77, 0x78, 0x7e, 0x7f, 0x7f, 0, 0x7f, 0x7f, 0x4c, 0x4e
        ]
    );
    assert_eq!(
        bits(Dtype::F8E5m2),
        [
            0, 0x80, 0x3c, 0x35, 0x14, 0x5c, 0x5c, 0x5f, 0x5f, 0x7c, 0, 0x7c, 0x7e, 0x46, 0x47
        ]
    );
    assert_eq!(bits(Dtype::F4E2m1fn), [0, 8, 2, 1, 0, 7, 7, 7, 7, 7, 0, 7, 8, 7, 7]);
    assert_eq!(
        bits(Dtype::F8E8m0fnu),
        [
            0xff, 0xff, 0x7f, 0x7d, 0x75, 0x87, 0x87, 0x88, 0x88, 0x8f, 0x6b, 0xff, 0xff, 0x82, 0x82
        ]
    );
    // ml_dtypes rounds binary64 through binary32, NumPy's float16 does not.
    let twice = wide(&[1], &[1.0 + 2f64.powi(-8) + 2f64.powi(-30)]);
    assert_eq!(bits_of(&twice.astype(Dtype::Bf16).unwrap(), &host), [0x3f80]);
    let once = wide(&[1], &[1.0 + 2f64.powi(-11) + 2f64.powi(-40)]);
    assert_eq!(bits_of(&once.astype(Dtype::F16).unwrap(), &host), [0x3c01]);
}

#[test]
fn every_narrow_pattern_survives_a_round_trip() {
    let host = Silent::new();
    for dtype in [Dtype::F8E4m3, Dtype::F8E4m3fn, Dtype::F8E5m2, Dtype::F8E8m0fnu] {
        let all = Array::ready(&[256], dtype, Buf::U8((0..=255).collect()));
        let back = all.astype(Dtype::F32).unwrap().astype(dtype).unwrap();
        let floats = floats_of(&all, &host);
        for (pattern, bits) in bits_of(&back, &host).into_iter().enumerate() {
            assert!(
                floats[pattern].is_nan() || bits == pattern as u64,
                "{} {pattern}",
                dtype.name()
            );
        }
    }
}

#[test]
fn dtypes_meet_as_in_numpy() {
    let cases = [
        (Dtype::I8, Dtype::U8, Dtype::I16),
        (Dtype::I64, Dtype::U64, Dtype::F64),
        (Dtype::I16, Dtype::F16, Dtype::F32),
        (Dtype::I32, Dtype::F32, Dtype::F64),
        (Dtype::U8, Dtype::Bf16, Dtype::Bf16),
        (Dtype::F16, Dtype::Bf16, Dtype::F32),
        (Dtype::F8E4m3fn, Dtype::F8E5m2, Dtype::F32),
        (Dtype::F8E4m3, Dtype::F8E4m3fn, Dtype::F8E4m3),
        (Dtype::I32, Dtype::Bf16, Dtype::F64),
        (Dtype::Bool, Dtype::F4E2m1fn, Dtype::F4E2m1fn),
    ];
    for (a, b, expected) in cases {
        assert_eq!(promote(a, b), Ok(expected), "{} {}", a.name(), b.name());
    }
    assert_eq!(promote_weak(Dtype::F32, Weak::Float), Ok(Dtype::F32));
    assert_eq!(promote_weak(Dtype::Bf16, Weak::Float), Ok(Dtype::F32));
    assert_eq!(promote_weak(Dtype::Bf16, Weak::Int), Ok(Dtype::Bf16));
    assert_eq!(promote_weak(Dtype::I32, Weak::Float), Ok(Dtype::F64));
    assert!(promote(Dtype::F8E5m2X4, Dtype::F32).is_err());
}

#[test]
fn division_and_remainder_follow_python() {
    let host = Silent::new();
    let x = wide(&[4], &[7.0, -7.0, 7.0, -7.0]);
    let y = wide(&[4], &[3.0, 3.0, -3.0, -3.0]);
    assert_eq!(
        floats_of(&math::binary(Binary::FloorDivide, &x, &y).unwrap(), &host),
        [2.0, -3.0, -3.0, 2.0]
    );
    assert_eq!(
        floats_of(&math::binary(Binary::Remainder, &x, &y).unwrap(), &host),
        [1.0, 2.0, -2.0, -1.0]
    );
    let (x, y) = (x.astype(Dtype::I32).unwrap(), y.astype(Dtype::I32).unwrap());
    assert_eq!(
        integers_of(&math::binary(Binary::FloorDivide, &x, &y).unwrap(), &host),
        [2, -3, -3, 2]
    );
    assert_eq!(
        integers_of(&math::binary(Binary::Remainder, &x, &y).unwrap(), &host),
        [1, 2, -2, -1]
    );
    assert_eq!(math::binary(Binary::Divide, &x, &y).unwrap().dtype(), Dtype::F64);
    assert_eq!(
        math::unary(Unary::Exp, &x.astype(Dtype::I8).unwrap()).unwrap().dtype(),
        Dtype::F16
    );
}

#[test]
fn products_agree_with_a_plain_loop() {
    let host = Silent::new();
    for (rows, depth, columns) in [(1, 1, 1), (5, 300, 17), (4, 7, 16), (33, 2, 31)] {
        let (a, b) = (counting(&[rows, depth]), counting(&[depth, columns]));
        let product = integers_of(&linalg::matmul(&a, &b).unwrap(), &host);
        for (at, &value) in product.iter().enumerate() {
            let (row, column) = (at / columns, at % columns);
            let expected: i64 = (0..depth)
                .map(|k| (row * depth + k) as i64 * (k * columns + column) as i64)
                .sum();
            assert_eq!(value, expected);
        }
    }
    let narrow = counting(&[2, 2]).astype(Dtype::Bf16).unwrap();
    assert_eq!(linalg::matmul(&narrow, &narrow).unwrap().dtype(), Dtype::F32);
    assert!(linalg::matmul(&counting(&[2, 3]), &counting(&[2, 3])).is_err());
}

#[test]
fn einsum_contracts_reorders_and_takes_diagonals() {
    let host = Silent::new();
    let (a, b) = (counting(&[2, 3]), counting(&[3, 4]));
    let of = |text: &str, operands: &[Array]| integers_of(&einsum::einsum(text, operands).unwrap(), &host);
    assert_eq!(
        of("ij,jk->ki", &[a.clone(), b.clone()]),
        [20, 56, 23, 68, 26, 80, 29, 92]
    );
    assert_eq!(of("ij,jk", &[a.clone(), b]), [20, 23, 26, 29, 56, 68, 80, 92]);
    assert_eq!(of("ii", &[counting(&[3, 3])]), [12]);
    assert_eq!(of("ii->i", &[counting(&[3, 3])]), [0, 4, 8]);
    assert_eq!(of("...j->...", std::slice::from_ref(&a)), [3, 12]);
    assert_eq!(
        of("bij,bjk->bik", &[counting(&[2, 1, 2]), counting(&[2, 2, 1])]),
        [1, 13]
    );
    assert_eq!(of("i,j->ij", &[counting(&[2]), counting(&[3])]), [0, 0, 0, 0, 1, 2]);
    assert!(einsum::einsum("ij,jk->iz", &[a.clone(), counting(&[3, 4])]).is_err());
    assert!(einsum::einsum("ijk->i", &[a]).is_err());
}

#[test]
fn algebra_solves_small_systems() {
    let host = Silent::new();
    let a = wide(&[2, 2], &[0.0, 2.0, 1.0, 1.0]);
    assert_eq!(floats_of(&linalg::inv(&a).unwrap(), &host), [-0.5, 1.0, 0.5, 0.0]);
    assert_eq!(floats_of(&linalg::det(&a).unwrap(), &host), [-2.0]);
    assert_eq!(
        floats_of(
            &linalg::norm(&wide(&[2], &[3.0, -4.0]), linalg::Norm::Two, &Along::all()).unwrap(),
            &host
        ),
        [5.0]
    );
}

#[test]
fn order_and_extremes() {
    let host = Silent::new();
    let x = wide(&[2, 3], &[3.0, f64::NAN, 1.0, 5.0, 4.0, 6.0]);
    assert_eq!(
        integers_of(&search::argsort(&x, Some(-1)).unwrap(), &host),
        [2, 0, 1, 1, 0, 2]
    );
    assert_eq!(floats_of(&search::sort(&x, Some(0)).unwrap(), &host)[..1], [3.0]);
    assert_eq!(
        integers_of(&reduce::arg_extreme(Extreme::Max, &x, Some(1), false).unwrap(), &host),
        [1, 2]
    );
    assert_eq!(
        integers_of(&reduce::arg_extreme(Extreme::Min, &x, Some(0), false).unwrap(), &host),
        [0, 0, 0]
    );
    let repeated = Array::ready(&[5], Dtype::I64, Buf::I64(vec![2, 1, 2, 3, 1]));
    let unique = search::unique(&repeated, &host).unwrap();
    assert_eq!(integers_of(&unique.values, &host), [1, 2, 3]);
    assert_eq!(integers_of(&unique.inverse, &host), [1, 0, 1, 2, 0]);
    assert_eq!(integers_of(&unique.counts, &host), [2, 2, 1]);
}

#[test]
fn arrays_print_as_numpy_prints_them() {
    let host = Silent::new();
    let repr = |array: &Array| print::repr(array, &host).unwrap();
    let line = |values: &[f64]| wide(&[values.len()], values);
    assert_eq!(repr(&line(&[1.0, 2.25])), "array([1.  , 2.25])");
    assert_eq!(repr(&line(&[1e-5, 1234.5])), "array([1.0000e-05, 1.2345e+03])");
    assert_eq!(repr(&line(&[1e9, 1.0])), "array([1.e+09, 1.e+00])");
    assert_eq!(repr(&line(&[0.1, 0.123456789012])), "array([0.1       , 0.12345679])");
    assert_eq!(repr(&line(&[f64::NAN, 1.5, f64::INFINITY])), "array([nan, 1.5, inf])");
    assert_eq!(
        repr(&line(&[f64::NEG_INFINITY, f64::NAN, 3.0])),
        "array([-inf,  nan,   3.])"
    );
    assert_eq!(repr(&line(&[1e-10, f64::NAN])), "array([1.e-10,    nan])");
    assert_eq!(repr(&counting(&[2, 2])), "array([[0, 1],\n       [2, 3]])");
    assert_eq!(
        repr(&counting(&[1001])),
        "array([   0,    1,    2, ...,  998,  999, 1000], shape=(1001,))"
    );
    assert_eq!(
        repr(&line(&[0.1, 0.2]).astype(Dtype::F32).unwrap()),
        "array([0.1, 0.2], dtype=float32)"
    );
    assert_eq!(
        repr(&line(&[1.5]).astype(Dtype::Bf16).unwrap()),
        "array([1.5], dtype=bfloat16)"
    );
    assert_eq!(repr(&wide(&[2, 0], &[])), "array([], shape=(2, 0), dtype=float64)");
    let zeros = wide(&[2, 2, 2], &[0.0; 8]).astype(Dtype::F32).unwrap();
    let expected = "array([[[0., 0.],\n        [0., 0.]],\n\n       [[0., 0.],\n        [0., 0.]]], dtype=float32)";
    assert_eq!(repr(&zeros), expected);
    assert_eq!(print::show(&counting(&[2, 2]), &host).unwrap(), "[[0 1]\n [2 3]]");
    assert_eq!(
        repr(&Array::scalar(Item::Float(0.1), Dtype::F32).unwrap()),
        "np.float32(0.1)"
    );
    assert_eq!(print::show_item(Item::Float(65504.0), Dtype::F16), "6.55e+04");
    assert_eq!(print::show_item(Item::Float(1e15), Dtype::F64), "1000000000000000.0");
    let long = normals(0, 25).reshape(&[1, 25]).unwrap().astype(Dtype::F16).unwrap();
    assert!(
        repr(&long)
            .starts_with("array([[ 1.764 ,  0.4001,  0.9785,  2.24  ,  1.867 , -0.977 ,  0.95  ,\n        -0.1514")
    );
    assert!(repr(&long).ends_with("0.8643, -0.742 ,  2.27  ]], dtype=float16)"));
}

#[test]
fn failures_read_like_numpys() {
    let host = Silent::new();
    let tolerance = Tolerance {
        relative: 1e-7,
        absolute: 0.0,
        equal_nan: true,
    };
    let (a, b) = (wide(&[3], &[1.0, 2.0, 3.0]), wide(&[3], &[1.0, 2.0, 4.0]));
    let expected = "\nNot equal to tolerance rtol=1e-07, atol=0\n\nMismatched elements: 1 / 3 (33.3%)\n\
        Mismatch at index:\n [2]: 3.0 (ACTUAL), 4.0 (DESIRED)\nMax absolute difference among violations: 1.\n\
        Max relative difference among violations: 0.25\n ACTUAL: array([1., 2., 3.])\n DESIRED: array([1., 2., 4.])";
    let verdict = check::check(Demanded::Close(tolerance), &a, &b, "", &host).unwrap();
    assert_eq!(verdict, Verdict::Fails(expected.into()));
    assert_eq!(
        check::check(Demanded::Close(tolerance), &a, &a, "", &host),
        Ok(Verdict::Holds(0.0, 0.0))
    );
    let expected = "\nArrays are not equal\n\nMismatched elements: 1 / 2 (50%)\nMismatch at index:\n [1]: 2 (ACTUAL), 3 (DESIRED)\n\
        Max absolute difference among violations: 1\nMax relative difference among violations: 0.33333333\n \
        ACTUAL: array([1, 2])\n DESIRED: array([1, 3])";
    let integers = |values: [i64; 2]| Array::ready(&[2], Dtype::I64, Buf::I64(values.to_vec()));
    let verdict = check::check(Demanded::Equal, &integers([1, 2]), &integers([1, 3]), "", &host).unwrap();
    assert_eq!(verdict, Verdict::Fails(expected.into()));
    let Verdict::Fails(text) = check::check(Demanded::Close(tolerance), &a, &wide(&[2], &[0.0; 2]), "", &host).unwrap()
    else {
        panic!("shapes differ");
    };
    assert!(text.contains("(shapes (3,), (2,) mismatch)"));
}

#[test]
fn npy_files_survive_a_round_trip() {
    let host = Silent::new();
    for dtype in [
        Dtype::F32,
        Dtype::F64,
        Dtype::F16,
        Dtype::I32,
        Dtype::U8,
        Dtype::Bool,
        Dtype::U16,
    ] {
        let array = counting(&[2, 3]).astype(dtype).unwrap();
        let bytes = io::to_npy(&array, &host).unwrap();
        assert_eq!(bytes.len(), 128 + 6 * dtype.bytes() as usize);
        let back = io::from_npy(&bytes).unwrap();
        assert_eq!((back.shape(), back.dtype()), (array.shape(), dtype));
        assert_eq!(bits_of(&back, &host), bits_of(&array, &host));
    }
    let text = "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 3), }";
    let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend((0..6i64).flat_map(i64::to_le_bytes));
    assert_eq!(integers_of(&io::from_npy(&bytes).unwrap(), &host), [0, 2, 4, 1, 3, 5]);
    assert!(io::from_npy(&bytes[..70]).is_err());
    assert!(io::to_npy(&counting(&[2]).astype(Dtype::Bf16).unwrap(), &host).is_err());
}
