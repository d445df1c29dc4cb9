//! Index arrays: `nl.arange`, `nl.mgrid`, what arithmetic makes of them, and the windows that they address.

use crate::base::diag::{Code, Fault};
use crate::interp::Interp;
use crate::interp::native::{Answer, Items, NativeObject, PyIterator};
use crate::interp::raised::{Raised, Result};
use crate::interp::value::Value;
use crate::syntax::ast::{BinaryOp, CompareOp};
use crate::tensor::pattern::Dim;
use crate::tensor::view::IndexSource;
use crate::tensor::window::{AxisIndex, Grid, Window};

use super::super::tensor::NkiTensor;

/// An array of indices: `nl.arange(128)[:, None]`.
pub struct IndexGrid(pub Grid);

impl NativeObject for IndexGrid {
    fn type_name(&self) -> &str {
        "index array"
    }

    fn getitem(&self, _cx: &mut Interp, index: &Value) -> Answer {
        let single = [index.clone()];
        let items: &[Value] = match index {
            Value::Tuple(items) => items,
            _ => &single,
        };
        let mut grid = self.0.clone();
        for (axis, item) in items.iter().enumerate() {
            match item {
                Value::None => grid = grid.expand(axis),
                Value::Slice(slice) if slice.start.is_none() && slice.stop.is_none() && slice.step.is_none() => {}
                _ => return Err(Raised::index_error("an index array takes ':' and None only")),
            }
        }
        Ok(Some(Value::native(Self(grid))))
    }

    fn binary(&self, _cx: &mut Interp, op: BinaryOp, other: &Value, reflected: bool) -> Answer {
        let grid = self.0.clone();
        let grid = match (op, other.as_int(), other.downcast::<Self>()) {
            (BinaryOp::Add, Some(number), _) => grid.shifted(number),
            (BinaryOp::Sub, Some(number), _) if !reflected => grid.shifted(-number),
            (BinaryOp::Mul, Some(number), _) => grid.scaled(number),
            (BinaryOp::Add, None, Some(other)) => grid.plus(&other.0)?,
            (BinaryOp::Sub, None, Some(other)) => grid.plus(&other.0.clone().scaled(-1))?,
            _ => return Ok(None),
        };
        Ok(Some(Value::native(Self(grid))))
    }

    fn compare(&self, _cx: &mut Interp, op: CompareOp, other: &Value) -> Answer {
        let name = match op {
            CompareOp::Lt => "less",
            CompareOp::Le => "less_equal",
            CompareOp::Gt => "greater",
            CompareOp::Ge => "greater_equal",
            CompareOp::Eq => "equal",
            CompareOp::Ne => "not_equal",
            _ => return Ok(None),
        };
        let difference = match (other.as_int(), other.downcast::<Self>()) {
            (Some(number), _) => self.0.clone().shifted(-number),
            (None, Some(other)) => self.0.plus(&other.0.clone().scaled(-1))?,
            (None, None) => return Ok(None),
        };
        Ok(Some(Value::native(Predicate { difference, op: name })))
    }
}

/// A comparison of index arrays: the difference of the sides against 0.
pub struct Predicate {
    /// Left side minus right side.
    pub difference: Grid,
    /// The operator, as `nki.language` names it.
    pub op: &'static str,
}

impl NativeObject for Predicate {
    fn type_name(&self) -> &str {
        "comparison of index arrays"
    }

    fn binary(&self, _cx: &mut Interp, op: BinaryOp, other: &Value, _reflected: bool) -> Answer {
        if op != BinaryOp::BitAnd || other.downcast::<Self>().is_none() {
            return Ok(None);
        }
        Err(
            Raised::from(Fault::new(Code::Unsupported, "masks were removed in NKI 0.2.0"))
                .hint("clip the slices instead, such as x[p:min(p + 128, rows), f:min(f + 512, columns)]"),
        )
    }
}

/// Names of the index arrays of a mesh.
const AXES: [&str; 5] = ["p", "x", "y", "z", "w"];

/// The index arrays that `nl.mgrid[...]` gives.
pub struct Mesh(Vec<Grid>);

impl Mesh {
    /// The arrays as values.
    pub fn grids(&self) -> Vec<Value> {
        self.0
            .iter()
            .map(|grid| Value::native(IndexGrid(grid.clone())))
            .collect()
    }
}

impl NativeObject for Mesh {
    fn type_name(&self) -> &str {
        "mgrid"
    }

    fn getattr(&self, _cx: &mut Interp, name: &str) -> Answer {
        let at = AXES.iter().position(|axis| *axis == name);
        Ok(at.and_then(|at| self.grids().into_iter().nth(at)))
    }

    fn getitem(&self, _cx: &mut Interp, index: &Value) -> Answer {
        let at = index.as_int().and_then(|at| usize::try_from(at).ok());
        Ok(at.and_then(|at| self.grids().into_iter().nth(at)))
    }

    fn iter(&self, _cx: &mut Interp) -> Result<Option<Box<dyn PyIterator>>> {
        Ok(Some(Box::new(Items(self.grids().into_iter()))))
    }

    fn len(&self, _cx: &mut Interp) -> Result<Option<usize>> {
        Ok(Some(self.0.len()))
    }
}

/// `nl.mgrid`.
pub struct MeshGrid;

impl NativeObject for MeshGrid {
    fn type_name(&self) -> &str {
        "mgrid"
    }

    fn getitem(&self, _cx: &mut Interp, index: &Value) -> Answer {
        let single = [index.clone()];
        let items: &[Value] = match index {
            Value::Tuple(items) => items,
            _ => &single,
        };
        let count = items.len();
        let grids = items.iter().enumerate().map(|(axis, item)| {
            let Value::Slice(slice) = item else { return None };
            let start = if slice.start.is_none() {
                0
            } else {
                slice.start.as_int()?
            };
            let step = if slice.step.is_none() { 1 } else { slice.step.as_int()? };
            let mut grid = Grid::arange(start, slice.stop.as_int()?, step)?;
            for _ in 0..axis {
                grid = grid.expand(0);
            }
            for at in axis + 1..count {
                grid = grid.expand(at);
            }
            Some(grid)
        });
        let grids: Option<Vec<Grid>> = grids.collect();
        let grids = grids
            .ok_or_else(|| Raised::index_error("nl.mgrid takes slices start:stop, such as nl.mgrid[0:128, 0:512]"))?;
        Ok(Some(Value::native(Mesh(grids))))
    }
}

/// The window that index arrays address, if there are any among `items`.
///
/// # Errors
/// Indices that leave the tensor or do not form an access pattern.
pub fn index_grids(cx: &mut Interp, tensor: &NkiTensor, items: &[Value]) -> Result<Option<Window>> {
    if !items.iter().any(|item| item.downcast::<IndexGrid>().is_some()) {
        return Ok(None);
    }
    if let Some(rows) = items.first().and_then(|item| item.downcast::<NkiTensor>()) {
        return gathered(cx, tensor, rows, &items[1..]).map(Some);
    }
    addressed(tensor, &tensor.window, items).map(Some)
}

/// The window of index arrays and integers.
fn addressed(tensor: &NkiTensor, window: &Window, items: &[Value]) -> Result<Window> {
    let axes = items
        .iter()
        .map(|item| match (item.downcast::<IndexGrid>(), item.as_int()) {
            (Some(grid), _) => Ok(AxisIndex::Grid(grid.0.clone())),
            (None, Some(at)) => Ok(AxisIndex::At(at)),
            (None, None) => Err(Raised::index_error("index arrays can be mixed with integers only")),
        });
    let axes = axes.collect::<Result<Vec<_>>>()?;
    let window = window.index_grids(&axes).map_err(|fault| Fault {
        message: format!("{}: {}", tensor.name, fault.message),
        ..fault
    })?;
    Ok(window)
}

/// `tensor[rows, grids]`: for each partition the row that the tile `rows` holds.
fn gathered(cx: &mut Interp, tensor: &NkiTensor, rows: &NkiTensor, rest: &[Value]) -> Result<Window> {
    let source = IndexSource::Vector(rows.view(cx)?);
    let count = rows.window.dims[0].num;
    let mut window = tensor.window.vector_select(0, source, count)?;
    let row = addressed(tensor, &tensor.window.select(0, 0)?, rest)?;
    let free = match row.dims.split_first() {
        Some((Dim { num: 1, .. }, free)) => free,
        _ => {
            return Err(Raised::index_error(
                "index arrays beside a tile of row numbers must have size 1 in their first dimension",
            ));
        }
    };
    window.dims.truncate(1);
    window.dims.extend_from_slice(free);
    window.offset = row.offset;
    Ok(window)
}
