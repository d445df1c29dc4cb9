//! Laziness, views, indexing and rearranging.

use std::rc::Rc;

use super::{Silent, counting, floats_of, integers_of, wide};
use crate::base::diag::Code;
use crate::interp::numpy::array::{Array, Item};
use crate::interp::numpy::buffer::Buf;
use crate::interp::numpy::create::{self, Nested};
use crate::interp::numpy::index::{self, Index};
use crate::interp::numpy::math::{self, Binary};
use crate::interp::numpy::node::{Demand, Mode, Node};
use crate::interp::numpy::random::{Random, Size};
use crate::interp::numpy::reduce::{Along, Reduction, reduce};
use crate::interp::numpy::{linalg, shape};
use crate::numerics::dtype::Dtype;

fn slice(start: i128, stop: i128, step: i128) -> Index {
    Index::Slice(Some(start), Some(stop), Some(step))
}

const FULL: Index = Index::Slice(None, None, None);

#[test]
fn estimate_mode_computes_nothing_large() {
    let host = Silent::with(Mode::Estimate, 1 << 30);
    let size = Size {
        shape: Some(vec![4096, 4096]),
    };
    let x = Random::legacy(0)
        .standard_normal(&size, Dtype::F64)
        .unwrap()
        .astype(Dtype::F32)
        .unwrap();
    let y = linalg::matmul(&x, &shape::transpose(&x, None).unwrap()).unwrap();
    let total = reduce(Reduction::Sum, &y, &Along::all()).unwrap();
    assert_eq!((y.shape(), y.dtype()), (&[4096, 4096][..], Dtype::F32));
    assert_eq!(total.item(&host), Err(Demand::Unknown));
    assert_eq!(y.force(&host).err(), Some(Demand::Unknown));
    assert_eq!(host.budget.computed_elements(), 0);
}

#[test]
fn small_constants_are_known_in_estimate_mode() {
    let host = Silent::with(Mode::Estimate, 1 << 30);
    let product = reduce(
        Reduction::Prod,
        &counting(&[4]),
        &Along {
            axes: None,
            ..Along::all()
        },
    )
    .unwrap();
    assert_eq!(product.item(&host), Ok(Item::Int(0)));
    let size = Size { shape: None };
    let random = Random::generator(&[1]);
    random
        .random(
            &Size {
                shape: Some(vec![1 << 20]),
            },
            Dtype::F64,
        )
        .unwrap();
    assert_eq!(
        random.random(&size, Dtype::F64).unwrap().item(&host),
        Err(Demand::Unknown)
    );
}

#[test]
fn nodes_are_computed_once_and_only_on_demand() {
    let host = Silent::new();
    let x = create::zeros(&[100], Dtype::F32).unwrap();
    let y = math::binary(Binary::Add, &x, &Array::python(Item::Int(1)).unwrap()).unwrap();
    assert_eq!(host.budget.computed_elements(), 0);
    y.force(&host).unwrap();
    assert_eq!(host.budget.computed_elements(), 200);
    y.force(&host).unwrap();
    assert_eq!(host.budget.computed_elements(), 200);
}

#[test]
fn memory_is_bounded_and_given_back() {
    let host = Silent::with(Mode::Simulate, 1000);
    for _ in 0..10 {
        create::zeros(&[200], Dtype::F32).unwrap().force(&host).unwrap();
    }
    assert_eq!(host.budget.used_bytes(), 0);
    let Err(Demand::Fault(fault)) = create::zeros(&[2, 200], Dtype::F32).unwrap().force(&host) else {
        panic!("1600 bytes do not fit");
    };
    assert_eq!(fault.code, Code::Limit);
    assert!(
        fault.message.contains("(2, 200)") && fault.message.contains("1.6 KiB"),
        "{}",
        fault.message
    );
    assert_eq!(
        create::zeros(&[usize::MAX, 8], Dtype::U8).unwrap_err().code,
        Code::Limit
    );
}

#[test]
fn launches_are_asked_for_and_then_read() {
    let host = Silent::new();
    let out = Array::from_node(Node::launch(&[2], Dtype::I32, 3, 0));
    let doubled = math::binary(Binary::Add, &out, &out).unwrap();
    assert_eq!(doubled.force(&host).err(), Some(Demand::NeedLaunch(3)));
    host.launch.replace(Some(Rc::new(vec![1, 0, 0, 0, 2, 0, 0, 0])));
    assert_eq!(integers_of(&doubled, &host), [2, 4]);
}

#[test]
fn long_chains_neither_overflow_the_stack_nor_copy() {
    let host = Silent::new();
    let x = create::zeros(&[1000], Dtype::I64).unwrap();
    for i in 0..20_000 {
        index::set(
            &x,
            &[Index::Int(i % 1000)],
            &Array::python(Item::Int(i)).unwrap(),
            &host,
        )
        .unwrap();
    }
    let dropped = x.copy();
    assert_eq!(integers_of(&x, &host)[..2], [19_000, 19_001]);
    drop(dropped);
    let never_forced = create::zeros(&[10], Dtype::I64).unwrap();
    for i in 0..200_000 {
        never_forced.write(&Array::python(Item::Int(i)).unwrap()).unwrap();
        index::set(
            &never_forced,
            &[Index::Int(0)],
            &Array::python(Item::Int(i)).unwrap(),
            &host,
        )
        .unwrap();
    }
}

#[test]
fn writing_through_a_view_changes_the_base() {
    let host = Silent::new();
    let base = counting(&[3, 4]);
    let column = index::get(&base, &[FULL, slice(1, 2, 1)], &host).unwrap();
    let turned = shape::transpose(&base, None).unwrap();
    column.write(&Array::python(Item::Int(-1)).unwrap()).unwrap();
    assert_eq!(integers_of(&base, &host), [0, -1, 2, 3, 4, -1, 6, 7, 8, -1, 10, 11]);
    index::set(
        &turned,
        &[Index::Int(3), Index::Int(0)],
        &Array::python(Item::Int(50)).unwrap(),
        &host,
    )
    .unwrap();
    assert_eq!(integers_of(&base, &host)[3], 50);
    base.reshape(&[12])
        .unwrap()
        .write(&Array::python(Item::Int(7)).unwrap())
        .unwrap();
    assert_eq!(integers_of(&turned, &host), [7; 12]);
    let reversed = index::get(&base, &[Index::Slice(None, None, Some(-1))], &host).unwrap();
    index::set(&reversed, &[Index::Int(0)], &counting(&[4]), &host).unwrap();
    assert_eq!(integers_of(&base, &host)[8..], [0, 1, 2, 3]);
}

#[test]
fn a_snapshot_keeps_its_values() {
    let host = Silent::new();
    let x = counting(&[3]);
    let sum = math::binary(Binary::Add, &x, &x).unwrap();
    x.write(&Array::python(Item::Int(100)).unwrap()).unwrap();
    assert_eq!(integers_of(&sum, &host), [0, 2, 4]);
    assert_eq!(integers_of(&x, &host), [100; 3]);
}

#[test]
fn read_only_handles_refuse_writes() {
    let x = counting(&[3]);
    let wide = x.broadcast_to(&[2, 3]).unwrap();
    assert_eq!(wide.write(&x).unwrap_err().code, Code::Value);
    assert!(x.view_dtype(Dtype::U8).unwrap().write(&x).is_err());
    assert_eq!(
        x.write_in_place(&super::wide(&[3], &[0.0; 3]), "+=").unwrap_err().code,
        Code::Dtype
    );
}

#[test]
fn bytes_can_be_seen_as_other_dtypes() {
    let host = Silent::new();
    let bytes = Array::ready(&[2, 8], Dtype::U8, Buf::U8((0..16).collect()));
    let packed = bytes.view_dtype(Dtype::F8E4m3fnX4).unwrap();
    assert_eq!((packed.shape(), packed.dtype()), (&[2, 2][..], Dtype::F8E4m3fnX4));
    assert_eq!(packed.to_bytes(&host).unwrap(), (0..16).collect::<Vec<u8>>());
    let halves = packed.view_dtype(Dtype::F4E2m1fnX4).unwrap();
    assert_eq!(halves.shape(), [2, 4]);
    assert_eq!(halves.view_dtype(Dtype::F8E5m2).unwrap().shape(), [2, 8]);
    let odd = Array::ready(&[3], Dtype::U8, Buf::U8(vec![0; 3]));
    assert_eq!(odd.view_dtype(Dtype::U16).unwrap_err().code, Code::Shape);
    assert!(math::binary(Binary::Add, &packed, &packed).is_err());
}

#[test]
fn indexing_follows_numpy() {
    let host = Silent::new();
    let x = counting(&[3, 4]);
    let get = |entries: &[Index]| index::get(&x, entries, &host).unwrap();
    let list = |values: &[i64]| Index::Array(Array::ready(&[values.len()], Dtype::I64, Buf::I64(values.to_vec())));
    assert_eq!(integers_of(&get(&[Index::Int(-1), Index::Int(1)]), &host), [9]);
    assert_eq!(
        integers_of(&get(&[slice(0, 3, 2), slice(-1, -4, -2)]), &host),
        [3, 1, 11, 9]
    );
    assert_eq!(integers_of(&get(&[list(&[2, 0])]), &host), [8, 9, 10, 11, 0, 1, 2, 3]);
    assert_eq!(integers_of(&get(&[list(&[2, 0]), list(&[1, -1])]), &host), [9, 3]);
    assert_eq!(
        integers_of(&get(&[FULL, list(&[1, 1, 0])]), &host),
        [1, 1, 0, 5, 5, 4, 9, 9, 8]
    );
    assert_eq!(get(&[Index::NewAxis, Index::Ellipsis, Index::Int(0)]).shape(), [1, 3]);
    let cube = counting(&[2, 3, 4]);
    let apart = index::get(&cube, &[list(&[1]), FULL, list(&[2])], &host).unwrap();
    assert_eq!(
        (apart.shape(), integers_of(&apart, &host)),
        (&[1, 3][..], vec![14, 18, 22])
    );
    let beside_int = index::get(&cube, &[Index::Int(1), FULL, list(&[0, 2])], &host).unwrap();
    assert_eq!(
        (beside_int.shape(), integers_of(&beside_int, &host)),
        (&[2, 3][..], vec![12, 16, 20, 14, 18, 22])
    );
    let error = |entries: &[Index]| index::get(&x, entries, &host).unwrap_err();
    assert!(matches!(error(&[Index::Int(3)]), Demand::Fault(fault) if fault.message.contains("axis 0 with size 3")));
    assert!(matches!(error(&[FULL, FULL, FULL]), Demand::Fault(fault) if fault.code == Code::Index));
}

#[test]
fn masks_select_and_assign() {
    let host = Silent::new();
    let x = counting(&[2, 3]);
    let limit = Array::python(Item::Int(2)).unwrap();
    let mask = math::binary(Binary::Greater, &x, &limit).unwrap();
    let chosen = index::get(&x, &[Index::Array(mask.clone())], &host).unwrap();
    assert_eq!(integers_of(&chosen, &host), [3, 4, 5]);
    index::set(&x, &[Index::Array(mask.clone())], &counting(&[3]), &host).unwrap();
    assert_eq!(integers_of(&x, &host), [0, 1, 2, 0, 1, 2]);
    index::set(&x, &[Index::Array(mask)], &Array::python(Item::Int(9)).unwrap(), &host).unwrap();
    assert_eq!(integers_of(&x, &host), [0, 1, 2, 9, 9, 9]);
    let positions = Array::ready(&[2], Dtype::I64, Buf::I64(vec![1, 0]));
    let entries = [Index::Array(positions.clone()), Index::Array(positions)];
    index::set(&x, &entries, &Array::python(Item::Int(-4)).unwrap(), &host).unwrap();
    assert_eq!(integers_of(&x, &host), [-4, 1, 2, 9, -4, 9]);
}

#[test]
fn arrays_are_joined_cut_and_repeated() {
    let host = Silent::new();
    let x = counting(&[2, 2]);
    let of = |array: Array| integers_of(&array, &host);
    assert_eq!(
        of(shape::concatenate(&[x.clone(), x.clone()], 1).unwrap()),
        [0, 1, 0, 1, 2, 3, 2, 3]
    );
    assert_eq!(
        of(shape::stack(&[x.clone(), x.clone()], -1).unwrap()),
        [0, 0, 1, 1, 2, 2, 3, 3]
    );
    assert_eq!(of(shape::repeat(&x, &[2], Some(0)).unwrap()), [0, 1, 0, 1, 2, 3, 2, 3]);
    assert_eq!(of(shape::tile(&x, &[1, 2]).unwrap()), [0, 1, 0, 1, 2, 3, 2, 3]);
    assert_eq!(of(shape::roll(&counting(&[5]), 2, None).unwrap()), [3, 4, 0, 1, 2]);
    assert_eq!(of(shape::rot90(&x, 1, (0, 1)).unwrap()), [1, 3, 0, 2]);
    assert_eq!(of(shape::diagonal(&counting(&[3, 3]), 1).unwrap()), [1, 5]);
    assert_eq!(of(shape::triangle(&x, 0, true).unwrap()), [0, 0, 2, 3]);
    let zero = shape::Pad::Constant(Array::python(Item::Int(0)).unwrap());
    assert_eq!(
        of(shape::pad(&counting(&[2]), &[(1, 2)], &zero).unwrap()),
        [0, 0, 1, 0, 0]
    );
    assert_eq!(
        of(shape::pad(&counting(&[3]), &[(2, 2)], &shape::Pad::Reflect).unwrap()),
        [2, 1, 0, 1, 2, 1, 0]
    );
    assert_eq!(
        of(shape::pad(&counting(&[3]), &[(2, 2)], &shape::Pad::Symmetric).unwrap()),
        [1, 0, 0, 1, 2, 2, 1]
    );
    assert_eq!(shape::section_ends(7, 3, false), Ok(vec![3, 5, 7]));
    assert!(shape::section_ends(7, 3, true).is_err());
    assert!(shape::concatenate(&[x, counting(&[3, 3])], 0).is_err());
    assert_eq!(shape::infer_shape(&[2, -1], 6), Ok(vec![2, 3]));
    assert!(shape::infer_shape(&[4, -1], 6).is_err());
}

#[test]
fn arrays_are_made_from_ranges_and_nested_lists() {
    let host = Silent::new();
    let ints = |start, stop, step| create::arange(Item::Int(start), Item::Int(stop), Item::Int(step), None).unwrap();
    assert_eq!(integers_of(&ints(5, 0, -2), &host), [5, 3, 1]);
    assert_eq!(ints(3, 3, 1).len(), 0);
    let floats = create::arange(Item::Int(0), Item::Float(0.35), Item::Float(0.1), None).unwrap();
    assert_eq!(floats_of(&floats, &host), [0.0, 0.1, 0.2, 0.30000000000000004]);
    let line = create::linspace(0.0, 1.0, 5, true, Dtype::F64).unwrap();
    assert_eq!(floats_of(&line, &host), [0.0, 0.25, 0.5, 0.75, 1.0]);
    let row = |values: [i128; 2]| Nested::List(values.map(|x| Nested::Item(Item::Int(x))).to_vec());
    let made = create::array(&Nested::List(vec![row([1, 2]), row([3, 4])]), Some(Dtype::F32)).unwrap();
    assert_eq!(
        (made.shape(), floats_of(&made, &host)),
        (&[2, 2][..], vec![1.0, 2.0, 3.0, 4.0])
    );
    let ragged = Nested::List(vec![row([1, 2]), Nested::Item(Item::Int(3))]);
    assert_eq!(create::array(&ragged, None).unwrap_err().code, Code::Value);
    let big = Nested::Item(Item::Int(300));
    assert_eq!(create::array(&big, Some(Dtype::U8)).unwrap_err().code, Code::Arithmetic);
    assert_eq!(
        integers_of(&create::indices(&[2, 2]).unwrap(), &host),
        [0, 0, 1, 1, 0, 1, 0, 1]
    );
    assert_eq!(
        integers_of(&create::tri(2, 3, 0, Dtype::I64).unwrap(), &host),
        [1, 0, 0, 1, 1, 0]
    );
    assert_eq!(floats_of(&wide(&[1], &[2.5]), &host), [2.5]);
}
