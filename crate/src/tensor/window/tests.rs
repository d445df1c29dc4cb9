use proptest::prelude::*;

use super::*;
use crate::base::span::LocId;
use crate::tensor::buffer::Init;
use crate::tensor::view::ViewId;

fn dtype(name: &str) -> Dtype {
    Dtype::from_name(name).expect("a dtype of the table")
}

fn window(shape: &[u32], space: Space) -> Window {
    let buffer = Buffer {
        name: "t".to_owned(),
        space,
        shape: shape.to_vec(),
        dtype: dtype("float32"),
        address: None,
        init: Init::Unwritten,
        loc: LocId(0),
    };
    Window::whole(BufferId(0), &buffer)
}

/// Storage index of every element, in row-major order of the window: the definition that the algebra must keep.
fn elements(window: &Window) -> Vec<i64> {
    let mut all = vec![window.offset as i64];
    for dim in &window.dims {
        all = all
            .iter()
            .flat_map(|&base| (0..i64::from(dim.num)).map(move |at| base + at * dim.step))
            .collect();
    }
    all
}

fn at(start: i64, stop: i64, step: i64) -> Index {
    Index::Slice {
        start: Some(start),
        stop: Some(stop),
        step: Some(step),
    }
}

#[test]
fn on_chip_indexing_keeps_partitions_and_two_dimensions() {
    let t = window(&[64, 64, 32], Space::Sbuf);
    assert_eq!(t.index(&[Index::At(0)]).unwrap().shape(), [1, 64, 32]);
    assert_eq!(
        t.index(&[Index::At(0), Index::At(0), Index::At(10)]).unwrap().shape(),
        [1, 1]
    );
    assert_eq!(t.index(&[Index::ALL, Index::At(0)]).unwrap().shape(), [64, 32]);
    let column = t.index(&[Index::ALL, Index::At(1), Index::At(10)]).unwrap();
    assert_eq!((column.shape(), column.offset), (vec![64, 1], 42));
    assert_eq!(t.index(&[Index::Ellipsis, Index::At(-1)]).unwrap().offset, 31);
}

#[test]
fn hbm_indexing_drops_dimensions() {
    let t = window(&[4, 128, 32], Space::SharedHbm);
    let inner = t.index(&[Index::At(2)]).unwrap();
    assert_eq!((inner.shape(), inner.offset), (vec![128, 32], 2 * 128 * 32));
    assert_eq!(
        t.index(&[Index::At(0), Index::At(0), Index::At(7)]).unwrap().shape(),
        [1]
    );
}

#[test]
fn slices_outside_are_refused_with_size_and_way_out() {
    let t = window(&[128, 500], Space::Sbuf);
    let fault = t.index(&[Index::ALL, at(0, 512, 1)]).unwrap_err();
    assert_eq!(fault.code, Code::OutOfBounds);
    assert_eq!(
        fault.message,
        "the slice 0:512 leaves dimension 1, which has size 500 ([128, 500] float32 in sbuf)"
    );
    assert_eq!(fault.hints, ["clip the end of the last tile: min(end, 500)"]);
    assert_eq!(t.index(&[at(0, 128, 2)]).unwrap_err().code, Code::Constraint);
    assert_eq!(
        t.index(&[Index::ALL, Index::At(500)]).unwrap_err().code,
        Code::OutOfBounds
    );
}

#[test]
fn slice_and_ap_give_the_documented_pattern() {
    let t = window(&[128, 64], Space::Sbuf);
    let u = t.slice(1, 8, 24, 1).unwrap();
    assert_eq!((u.pattern_text(), u.offset), ("[[64, 128], [1, 16]]".to_owned(), 8));
    let ap = Ap {
        pattern: vec![(64, 128), (1, 16)],
        offset: Some(8),
        index: None,
        indirect_dim: 0,
        dtype: None,
    };
    assert_eq!(t.ap(&ap).unwrap(), u);
    // Not composable: the pattern of the inner view has no effect, its offset is inherited unless one is given.
    assert_eq!(u.ap(&ap).unwrap(), u);
    assert_eq!(
        u.ap(&Ap {
            offset: None,
            ..ap.clone()
        })
        .unwrap()
        .offset,
        8
    );
    assert_eq!(
        t.ap(&Ap {
            pattern: vec![(128, 8), (1, 16)],
            ..ap.clone()
        })
        .unwrap_err()
        .code,
        Code::Constraint
    );
    assert_eq!(
        t.ap(&Ap {
            pattern: vec![(64, 128), (1, 57)],
            ..ap
        })
        .unwrap_err()
        .code,
        Code::OutOfBounds
    );
}

#[test]
fn reshape_rejects_what_needs_a_copy() {
    let t = window(&[128, 4, 6], Space::Sbuf);
    assert_eq!(
        t.reshape(&[128, 2, 12]).unwrap().pattern_text(),
        "[[24, 128], [12, 2], [1, 12]]"
    );
    let turned = t.permute(&[0, 2, 1]).unwrap();
    assert_eq!(turned.reshape(&[128, 24]).unwrap_err().code, Code::Shape);
    assert_eq!(t.reshape(&[64, 48]).unwrap_err().code, Code::Constraint);
    assert_eq!(turned.flatten_dims(1, 2).unwrap_err().param, Some("start_dim"));
}

#[test]
fn rearrange_splits_reorders_and_merges() {
    let t = window(&[128, 24], Space::Sbuf);
    let u = t
        .rearrange(
            &[vec!["b"], vec!["h", "w"]],
            &[vec!["b"], vec!["w"], vec!["h"]],
            &[("h", 4)],
        )
        .unwrap();
    assert_eq!(u.pattern_text(), "[[24, 128], [1, 6], [6, 4]]");
    let back = u
        .rearrange(&[vec!["b"], vec!["w"], vec!["h"]], &[vec!["b"], vec!["h", "w"]], &[])
        .unwrap();
    assert_eq!(back, t);
}

#[test]
fn reinterpreting_scales_the_last_dimension() {
    let t = window(&[128, 64], Space::Sbuf);
    assert_eq!(
        t.reinterpret(dtype("uint8")).unwrap().pattern_text(),
        "[[256, 128], [1, 256]]"
    );
    let bytes = t.reinterpret(dtype("uint8")).unwrap();
    assert_eq!(bytes.reinterpret(dtype("float32")).unwrap(), t);
    let odd = bytes.slice(1, 2, 10, 1).unwrap();
    assert_eq!(odd.reinterpret(dtype("float32")).unwrap_err().code, Code::Shape);
}

#[test]
fn run_time_indices_know_their_limit() {
    let t = window(&[4, 128, 8], Space::SharedHbm);
    let source = IndexSource::Scalar(ViewId(3));
    let picked = t.select_dynamic(0, source).unwrap();
    assert_eq!(picked.shape(), [128, 8]);
    assert_eq!(
        picked.indirect.unwrap().index,
        Indirect {
            source,
            step: 1024,
            limit: 4
        }
    );
    assert_eq!(picked.select_dynamic(0, source).unwrap_err().code, Code::Constraint);
    let rows = t.vector_select(0, IndexSource::Vector(ViewId(3)), 64).unwrap();
    assert_eq!(rows.shape(), [64, 128, 8]);
    assert_eq!(rows.slice(0, 0, 8, 1).unwrap_err().code, Code::Constraint);
    assert_eq!(rows.slice(1, 0, 8, 1).unwrap().shape(), [64, 8, 8]);
    let flat = window(&[512, 512], Space::SharedHbm);
    let ap = Ap {
        pattern: vec![(512, 128), (1, 256)],
        offset: Some(0),
        index: Some(source),
        indirect_dim: 0,
        dtype: None,
    };
    assert_eq!(
        flat.ap(&ap).unwrap().indirect.unwrap().index,
        Indirect {
            source,
            step: 512,
            limit: 385
        }
    );
}

#[test]
fn grids_make_windows() {
    let t = window(&[5, 12], Space::Sbuf);
    let p = Grid::arange(0, 5, 1).unwrap().expand(1).expand(2);
    let f1 = Grid::arange(0, 3, 1).unwrap().expand(0).expand(2);
    let f2 = Grid::arange(0, 4, 1).unwrap().expand(0).expand(0);
    let columns = f2.scaled(3).plus(&f1).unwrap();
    let u = t.index_grids(&[AxisIndex::Grid(p), AxisIndex::Grid(columns)]).unwrap();
    assert_eq!(u.pattern_text(), "[[12, 5], [1, 3], [3, 4]]");
}

/// One view operation with free parameters, made legal for the window that it meets.
#[derive(Clone, Debug)]
struct Step(u8, u32, u32, u32);

/// The same operation on a window and on its explicit list of elements.
fn apply(step: &Step, w: &Window, list: &[i64]) -> Option<(Window, Vec<i64>)> {
    let shape = w.shape();
    let axis = step.1 as usize % shape.len();
    let inner: usize = shape[axis + 1..].iter().product::<u32>() as usize;
    let num = shape[axis] as usize;
    let pick = |keep: &dyn Fn(usize) -> bool| {
        let kept = list
            .iter()
            .enumerate()
            .filter(|(i, _)| keep(i / inner % num))
            .map(|(_, e)| *e);
        kept.collect::<Vec<_>>()
    };
    match step.0 % 6 {
        0 => {
            let start = step.2 as usize % num;
            let stop = start + 1 + step.3 as usize % (num - start);
            let by = 1 + (step.3 as usize % 3);
            let result = w.slice(axis as i64, start as i64, stop as i64, by as i64).ok()?;
            Some((
                result,
                pick(&|at| at >= start && at < stop && (at - start).is_multiple_of(by)),
            ))
        }
        1 => {
            let index = step.2 as usize % num;
            Some((w.select(axis as i64, index as i64).ok()?, pick(&|at| at == index)))
        }
        2 => {
            let mut order: Vec<i64> = (0..shape.len() as i64).collect();
            order.swap(axis, step.2 as usize % shape.len());
            let result = w.permute(&order).ok()?;
            Some((result, transposed(list, &shape, &order)))
        }
        3 => {
            let divisor = (2..=num).find(|d| num.is_multiple_of(*d))?;
            Some((w.reshape_dim(axis as i64, &[divisor as i64, -1]).ok()?, list.to_vec()))
        }
        4 => {
            let end = (axis + 1).min(shape.len() - 1);
            Some((w.flatten_dims(axis as i64, end as i64).ok()?, list.to_vec()))
        }
        _ => {
            let total: u32 = shape.iter().skip(1).product();
            Some((w.reshape(&[i64::from(shape[0]), i64::from(total)]).ok()?, list.to_vec()))
        }
    }
}

fn transposed(list: &[i64], shape: &[u32], order: &[i64]) -> Vec<i64> {
    let sizes: Vec<usize> = order.iter().map(|&axis| shape[axis as usize] as usize).collect();
    (0..list.len())
        .map(|flat| {
            let mut rest = flat;
            let mut index = vec![0; shape.len()];
            for (at, &axis) in order.iter().enumerate().rev() {
                index[axis as usize] = rest % sizes[at];
                rest /= sizes[at];
            }
            let source = index.iter().zip(shape).fold(0, |sum, (i, &n)| sum * n as usize + i);
            list[source]
        })
        .collect()
}

proptest! {
    #[test]
    fn chains_of_views_address_the_same_elements(
        on_chip in any::<bool>(),
        shape in prop::collection::vec(1u32..7, 2..5),
        steps in prop::collection::vec((any::<u8>(), 0u32..64, 0u32..64, 0u32..64), 1..8),
    ) {
        let mut w = window(&shape, if on_chip { Space::Sbuf } else { Space::SharedHbm });
        let mut list = elements(&w);
        for (kind, a, b, c) in steps {
            if let Some((next, expected)) = apply(&Step(kind, a, b, c), &w, &list) {
                prop_assert_eq!(elements(&next), expected.clone());
                let least = if on_chip { 2 } else { 1 };
                prop_assert!(next.dims.len() >= least);
                (w, list) = (next, expected);
            }
        }
    }

    #[test]
    fn reinterpreting_keeps_the_bytes(shape in prop::collection::vec(1u32..6, 2..4), cut in 0u32..6) {
        let t = window(&shape, Space::SharedHbm);
        let t = t.slice(0, i64::from(cut % shape[0]), i64::from(shape[0]), 1).unwrap();
        let halves = t.reinterpret(dtype("bfloat16")).unwrap();
        let expected: Vec<i64> = elements(&t).iter().flat_map(|e| [e * 2, e * 2 + 1]).collect();
        prop_assert_eq!(elements(&halves), expected);
        prop_assert_eq!(halves.reinterpret(dtype("float32")).unwrap(), t);
    }
}
