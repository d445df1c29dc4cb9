//! What a tile holds, in windows that fit a screen: large tiles are down-sampled here and never leave as a whole.

use serde::Serialize;

use crate::machine::peek::Peek;
use crate::numerics::cast::{decode_f64, value_count};
use crate::numerics::dtype::Dtype;

/// The content of an operand at one moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Content {
    /// Whether it could be read; a run-time index can be out of bounds.
    pub known: bool,
    /// Rows: the first dimension, the partitions on chip.
    pub rows: usize,
    /// Columns: all other dimensions, and the lanes of packed types.
    pub columns: usize,
    /// Smallest finite value.
    pub low: Option<f64>,
    /// Largest finite value.
    pub high: Option<f64>,
    /// Mean of the finite values.
    pub mean: Option<f64>,
    /// Values that are NaN.
    pub nan: u64,
    /// Infinite values.
    pub infinite: u64,
    /// Values that nobody wrote.
    pub unwritten: u64,
    #[serde(skip)]
    dtype: Dtype,
    #[serde(skip)]
    peek: Peek,
}

/// A part of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First row.
    pub row: usize,
    /// First column.
    pub column: usize,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Rows of cells at most.
    pub most_rows: usize,
    /// Columns of cells at most.
    pub most_columns: usize,
}

/// A cell holds a NaN.
pub const NAN: u8 = 1;
/// A cell holds an infinity.
pub const INFINITE: u8 = 2;
/// A cell holds values that nobody wrote.
pub const UNWRITTEN: u8 = 4;

/// Cells of a window, row by row. A cell stands for a block of values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cells {
    /// First row of the window.
    pub row: usize,
    /// First column of the window.
    pub column: usize,
    /// Rows of cells.
    pub rows: usize,
    /// Columns of cells.
    pub columns: usize,
    /// Rows of values in a cell.
    pub block_rows: usize,
    /// Columns of values in a cell.
    pub block_columns: usize,
    /// Mean of the finite values of each cell; NaN if it has none. The value itself in a cell of one finite value.
    pub mean: Vec<f64>,
    /// Smallest value, infinities included; NaN if it has none.
    pub low: Vec<f64>,
    /// Largest value, infinities included; NaN if it has none.
    pub high: Vec<f64>,
    /// [`NAN`], [`INFINITE`] and [`UNWRITTEN`].
    pub flags: Vec<u8>,
}

/// Sums over a block of values.
#[derive(Clone, Copy)]
struct Sums {
    low: f64,
    high: f64,
    sum: f64,
    finite: u64,
    nan: u64,
    infinite: u64,
    unwritten: u64,
}

impl Sums {
    const NONE: Self = Self {
        low: f64::NAN,
        high: f64::NAN,
        sum: 0.0,
        finite: 0,
        nan: 0,
        infinite: 0,
        unwritten: 0,
    };

    /// Adds a value.
    fn add(&mut self, value: f64) {
        if value.is_nan() {
            self.nan += 1;
            return;
        }
        // The comparison with NaN, the start, makes the other operand win.
        self.low = self.low.min(value);
        self.high = self.high.max(value);
        if value.is_infinite() {
            self.infinite += 1;
        } else {
            self.finite += 1;
            self.sum += value;
        }
    }

    /// Mean of the finite values.
    fn mean(&self) -> Option<f64> {
        (self.finite > 0).then(|| self.sum / self.finite as f64)
    }

    /// The flags of a cell.
    fn flags(&self) -> u8 {
        let flag = |count: u64, bit: u8| if count > 0 { bit } else { 0 };
        flag(self.nan, NAN) | flag(self.infinite, INFINITE) | flag(self.unwritten, UNWRITTEN)
    }
}

impl Content {
    /// The content of a view of `shape`; nothing if it could not be read.
    pub(super) fn new(dtype: Dtype, shape: &[u32], peek: Option<Peek>) -> Self {
        let known = peek.is_some();
        let peek = peek.unwrap_or_default();
        let values = value_count(dtype, peek.bytes.len());
        let rows = shape.first().map_or(1, |&rows| rows as usize).max(1);
        let mut content = Self {
            known,
            rows,
            columns: values / rows,
            low: None,
            high: None,
            mean: None,
            nan: 0,
            infinite: 0,
            unwritten: 0,
            dtype,
            peek,
        };
        content.summarize();
        content
    }

    /// Fills the sums over all values.
    fn summarize(&mut self) {
        let mut finite = Sums::NONE;
        for row in 0..self.rows {
            self.visit(row, 0..self.columns, &mut |_, value| match value {
                None => finite.unwritten += 1,
                Some(value) if value.is_infinite() => finite.infinite += 1,
                Some(value) => finite.add(value),
            });
        }
        self.low = (finite.finite > 0).then_some(finite.low);
        self.high = (finite.finite > 0).then_some(finite.high);
        self.mean = finite.mean();
        (self.nan, self.infinite, self.unwritten) = (finite.nan, finite.infinite, finite.unwritten);
    }

    /// Calls `visit` with the values of a part of a row, by column; those that nobody wrote are absent.
    fn visit(&self, row: usize, columns: std::ops::Range<usize>, visit: &mut dyn FnMut(usize, Option<f64>)) {
        let info = self.dtype.info();
        let (lanes, width) = (info.lanes as usize, info.bytes as usize);
        let first = columns.start / lanes;
        let end = columns.end.div_ceil(lanes);
        let start = row * (self.columns / lanes);
        let mut values = vec![0.0; (end - first) * lanes];
        let bytes = &self.peek.bytes[(start + first) * width..(start + end) * width];
        decode_f64(self.dtype, bytes, &mut values);
        for column in columns {
            let written = self.peek.written[start + column / lanes];
            visit(column, written.then(|| values[column - first * lanes]));
        }
    }

    /// The cells of a window; the part of it outside of the tile is left out.
    pub fn cells(&self, window: Window) -> Cells {
        let row = window.row.min(self.rows);
        let column = window.column.min(self.columns);
        let rows = if self.columns == 0 {
            0
        } else {
            window.rows.min(self.rows - row)
        };
        let columns = window.columns.min(self.columns - column);
        let block_rows = rows.div_ceil(window.most_rows.max(1)).max(1);
        let block_columns = columns.div_ceil(window.most_columns.max(1)).max(1);
        let mut cells = Cells {
            row,
            column,
            rows: rows.div_ceil(block_rows),
            columns: columns.div_ceil(block_columns),
            block_rows,
            block_columns,
            ..Cells::default()
        };
        for cell_row in 0..cells.rows {
            let mut sums = vec![Sums::NONE; cells.columns];
            let first = row + cell_row * block_rows;
            for at in first..(first + block_rows).min(row + rows) {
                self.visit(at, column..column + columns, &mut |at, value| {
                    let sum = &mut sums[(at - column) / block_columns];
                    match value {
                        Some(value) => sum.add(value),
                        None => sum.unwritten += 1,
                    }
                });
            }
            cells.mean.extend(sums.iter().map(|sum| sum.mean().unwrap_or(f64::NAN)));
            cells.low.extend(sums.iter().map(|sum| sum.low));
            cells.high.extend(sums.iter().map(|sum| sum.high));
            cells.flags.extend(sums.iter().map(Sums::flags));
        }
        cells
    }
}
