//! Views to values and back: gathers a tile into a slice in the order of the view, scatters a slice into a tile.
//!
//! Runs of neighbouring elements convert straight from and to the storage; other patterns pass through a packed copy.

use crate::base::diag::{Code, Fault};
use crate::machine::Machine;
use crate::machine::layout::{Layout, MAX_DIMS, Run};
use crate::machine::memory::Store;
use crate::numerics::cast::{self, Mode};
use crate::tensor::tables::{Tables, Tile};
use crate::tensor::view::{IndexSource, Indirect, ViewId};

/// Shortest run for which converting in place beats packing first.
const DIRECT_RUN: usize = 16;

/// Copies `count` elements of `N` bytes at distance `step` into a packed slice.
fn pack<const N: usize>(bytes: &[u8], run: Run, out: &mut [u8]) {
    let mut offset = run.offset as isize;
    for slot in out.as_chunks_mut::<N>().0 {
        let at = offset as usize;
        slot.copy_from_slice(&bytes[at..at + N]);
        offset += run.step;
    }
}

/// The inverse of [`pack`].
fn unpack<const N: usize>(bytes: &mut [u8], run: Run, values: &[u8]) {
    let mut offset = run.offset as isize;
    for value in values.as_chunks::<N>().0 {
        let at = offset as usize;
        bytes[at..at + N].copy_from_slice(value);
        offset += run.step;
    }
}

/// Gathers the elements of a layout into a packed slice.
fn gather(store: &Store, layout: &Layout, out: &mut [u8]) {
    let elem = layout.elem;
    let bytes = &store.bytes;
    layout.runs(|run| {
        let out = &mut out[run.at * elem..(run.at + run.count) * elem];
        if run.step == elem as isize || run.count == 1 {
            out.copy_from_slice(&bytes[run.offset..run.offset + run.count * elem]);
            return;
        }
        match elem {
            1 => pack::<1>(bytes, run, out),
            2 => pack::<2>(bytes, run, out),
            4 => pack::<4>(bytes, run, out),
            _ => pack::<8>(bytes, run, out),
        }
    });
}

/// Scatters a packed slice over the elements of a layout.
fn scatter(store: &mut Store, layout: &Layout, values: &[u8]) {
    let elem = layout.elem;
    let bytes = &mut store.bytes;
    layout.runs(|run| {
        let values = &values[run.at * elem..(run.at + run.count) * elem];
        if run.step == elem as isize || run.count == 1 {
            bytes[run.offset..run.offset + run.count * elem].copy_from_slice(values);
            return;
        }
        match elem {
            1 => unpack::<1>(bytes, run, values),
            2 => unpack::<2>(bytes, run, values),
            4 => unpack::<4>(bytes, run, values),
            _ => unpack::<8>(bytes, run, values),
        }
    });
}

/// Marks the elements of a layout as written.
fn mark(store: &mut Store, layout: &Layout) {
    if store.written.is_full() {
        return;
    }
    let elem = layout.elem;
    let written = &mut store.written;
    layout.runs(|run| {
        if run.step == elem as isize {
            written.set(run.offset, run.offset + run.count * elem);
            return;
        }
        for at in 0..run.count {
            let offset = (run.offset as isize + at as isize * run.step) as usize;
            written.set(offset, offset + elem);
        }
    });
}

/// The first element of a layout, in the order of the view, that has an unwritten byte.
fn first_unwritten(store: &Store, layout: &Layout) -> Option<usize> {
    if store.written.is_full() {
        return None;
    }
    let mut first = None;
    let elem = layout.elem;
    layout.runs(|run| {
        let dense = run.step == elem as isize || run.count == 1;
        if first.is_some() || dense && store.written.all(run.offset, run.offset + run.count * elem) {
            return;
        }
        let offset = |at: usize| (run.offset as isize + at as isize * run.step) as usize;
        let missing = (0..run.count).find(|&at| !store.written.all(offset(at), offset(at) + elem));
        first = missing.map(|at| run.at + at);
    });
    first
}

/// The index of element `at` of a tile, as `[i, j, ...]`.
fn position(tile: &Tile, at: usize) -> String {
    let mut rest = at;
    let mut index: Vec<String> = Vec::new();
    for dim in tile.pattern.dims.iter().rev() {
        let num = (dim.num as usize).max(1);
        index.push((rest % num).to_string());
        rest /= num;
    }
    index.reverse();
    format!("[{}]", index.join(", "))
}

/// How much of a destination was written before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Nothing.
    Nothing,
    /// Some elements.
    Partly,
    /// Every element.
    Whole,
}

impl Machine {
    /// Where the elements of a view lie; run-time indices are read here.
    ///
    /// # Errors
    /// An index out of bounds (unless `skip`), or a view that leaves its buffer.
    pub fn layout(&mut self, tables: &Tables, view: ViewId, skip: bool) -> Result<Layout, Fault> {
        let tile = tables.tile(view);
        let place = self.memory.place(tile.view.buffer);
        let layout = match tile.view.indirect {
            None => Layout::of(&tile, place, 0, false),
            Some(id) => self.indirect_layout(tables, &tile, tables.indirects[id], skip)?,
        };
        let (low, high) = layout.extent();
        let inside = low >= 0 && high as u64 <= self.memory.size(tile.view.buffer);
        if layout.count > 0 && !inside || tile.pattern.dims.len() > MAX_DIMS {
            let message = format!(
                "{} reaches outside of its buffer {:?}",
                tile.describe(),
                tile.buffer.shape
            );
            return Err(Fault::new(Code::OutOfBounds, message));
        }
        Ok(layout)
    }

    /// The layout of a view with a run-time index.
    fn indirect_layout(
        &mut self,
        tables: &Tables,
        tile: &Tile,
        indirect: Indirect,
        skip: bool,
    ) -> Result<Layout, Fault> {
        let place = self.memory.place(tile.view.buffer);
        match indirect.source {
            IndexSource::Register(register) => {
                let index = i64::from(self.register(register)?);
                self.shifted(tile, indirect, index, skip)
            }
            IndexSource::Scalar(view) => {
                let index = self.read_indices(tables, view)?.first().copied().unwrap_or(0);
                self.shifted(tile, indirect, index, skip)
            }
            IndexSource::Vector(view) => {
                let indices = self.column_major(tables, view)?;
                let inner = Layout::of(tile, place, 0, true);
                self.table(tile, &inner, &indices, indirect, skip)
            }
            IndexSource::Free(view) => {
                let indices = self.read_indices(tables, view)?;
                self.free_table(tables, tile, view, &indices, indirect)
            }
        }
    }

    /// A view that one index moves as a whole.
    fn shifted(&self, tile: &Tile, indirect: Indirect, index: i64, skip: bool) -> Result<Layout, Fault> {
        let place = self.memory.place(tile.view.buffer);
        let layout = Layout::of(tile, place, index.saturating_mul(indirect.step), false);
        let (low, high) = layout.extent();
        let inside = low >= 0 && high as u64 <= self.memory.size(tile.view.buffer);
        if (0..indirect.limit as i64).contains(&index) && inside {
            return Ok(layout);
        }
        if !skip {
            return Err(out_of_bounds(tile, index, indirect.limit));
        }
        let mut empty = Layout::of(tile, place, 0, false);
        empty.table = Some(vec![usize::MAX; empty.count]);
        Ok(empty)
    }

    /// A view whose first dimension goes by a list of indices.
    fn table(
        &self,
        tile: &Tile,
        inner: &Layout,
        indices: &[i64],
        indirect: Indirect,
        skip: bool,
    ) -> Result<Layout, Fault> {
        let rows = tile.partitions() as usize;
        if indices.len() < rows {
            let message = format!("{} has {rows} rows, but {} indices", tile.describe(), indices.len());
            return Err(Fault::new(Code::Shape, message));
        }
        let offsets = inner.offsets();
        let size = self.memory.size(tile.view.buffer) as i64;
        let step = indirect.step * inner.elem as i64;
        let mut table = Vec::with_capacity(rows * offsets.len());
        for &index in &indices[..rows] {
            let at = |offset: &usize| *offset as i64 + index.saturating_mul(step);
            let inside = offsets.iter().all(|offset| (0..size).contains(&at(offset)));
            if (0..indirect.limit as i64).contains(&index) && inside {
                table.extend(offsets.iter().map(|offset| at(offset) as usize));
            } else if skip {
                table.extend(offsets.iter().map(|_| usize::MAX));
            } else {
                return Err(out_of_bounds(tile, index, indirect.limit));
            }
        }
        let mut layout = inner.clone();
        layout.count = table.len();
        layout.table = Some(table);
        Ok(layout)
    }

    /// A view whose free dimension goes by offsets in snake order: offset `i` is `index[i % group, i / group]` of the group of
    /// partitions that the partition belongs to.
    fn free_table(
        &self,
        tables: &Tables,
        tile: &Tile,
        index: ViewId,
        indices: &[i64],
        indirect: Indirect,
    ) -> Result<Layout, Fault> {
        let place = self.memory.place(tile.view.buffer);
        let columns = tables.tile(index).free_elements() as usize;
        let group = self.snake_group;
        let number = tile.free_elements() as usize;
        let row = tile.buffer.row_elements(tile.dtype()) as i64;
        let elem = tile.dtype().bytes() as usize;
        let start = place.base + tile.start_partition() as usize * place.pitch;
        let mut table = Vec::with_capacity(number * tile.partitions() as usize);
        for partition in 0..tile.partitions() as usize {
            for at in 0..number {
                let slot = (partition / group * group + at % group) * columns + at / group;
                let offset = indices.get(slot).copied().filter(|_| at / group < columns);
                let offset = offset.ok_or_else(|| short_index(tile, number, group))?;
                let moved = tile.free_offset() as i64 + offset;
                if offset < 0 || moved >= row {
                    return Err(out_of_bounds(tile, offset, indirect.limit));
                }
                table.push(start + partition * place.pitch + moved as usize * elem);
            }
        }
        let mut layout = Layout::of(tile, place, 0, false);
        layout.count = table.len();
        layout.table = Some(table);
        Ok(layout)
    }

    /// The integers of an index tile, in the order of its view.
    fn read_indices(&mut self, tables: &Tables, view: ViewId) -> Result<Vec<i64>, Fault> {
        let dtype = tables.tile(view).dtype();
        let raw = self.read_raw(tables, view, "index")?;
        let mut values = vec![0; raw.len() / dtype.bytes() as usize];
        cast::decode_i64(dtype, &raw, &mut values);
        self.scratch.give_bytes(raw);
        Ok(values)
    }

    /// The integers of an index tile, column after column.
    fn column_major(&mut self, tables: &Tables, view: ViewId) -> Result<Vec<i64>, Fault> {
        let values = self.read_indices(tables, view)?;
        let rows = tables.tile(view).partitions().max(1) as usize;
        let columns = values.len() / rows;
        Ok((0..values.len())
            .map(|at| values[at % rows * columns + at / rows])
            .collect())
    }

    /// The fault of reading element `at` of a tile that nobody wrote.
    fn unwritten_fault(&mut self, tile: &Tile, param: &'static str, at: usize) -> Fault {
        self.unwritten = Some(tile.view.buffer);
        let message = format!(
            "{} reads element {}, which was never written",
            tile.label(param),
            position(tile, at)
        );
        let fault = Fault::new(Code::Uninitialized, message).on(param);
        match tile.space().is_on_chip() {
            true => fault.hint("write the whole tile before reading it: copy into it, or nisa.memset it"),
            false => fault.hint("write the tensor with nisa.dma_copy before reading it"),
        }
    }

    /// The storage of `tile` after a check that every element of `layout` was written.
    fn readable(&mut self, tile: &Tile, layout: &Layout, param: &'static str) -> Result<&Store, Fault> {
        self.memory.prepare(tile.view.buffer, tile.buffer)?;
        let missing = match self.memory.get(tile.view.buffer) {
            None if layout.count > 0 => Some(0),
            None => None,
            Some(store) => first_unwritten(store, layout),
        };
        if let Some(at) = missing {
            return Err(self.unwritten_fault(tile, param, at));
        }
        self.memory.make(tile.view.buffer, tile.buffer).map(|store| &*store)
    }

    /// The bytes of a tile, packed in the order of the view.
    ///
    /// # Errors
    /// An element that nobody wrote, or an index out of bounds.
    pub fn read_raw(&mut self, tables: &Tables, view: ViewId, param: &'static str) -> Result<Vec<u8>, Fault> {
        let layout = self.layout(tables, view, false)?;
        self.read_layout(tables, view, param, &layout)
    }

    /// As [`Self::read_raw`], for a layout that is known; elements left out are zero.
    ///
    /// # Errors
    /// An element that nobody wrote.
    pub fn read_layout(
        &mut self,
        tables: &Tables,
        view: ViewId,
        param: &'static str,
        layout: &Layout,
    ) -> Result<Vec<u8>, Fault> {
        let tile = tables.tile(view);
        let mut out = self.scratch.bytes(layout.count * layout.elem);
        if layout.table.is_some() {
            out.fill(0);
        }
        let store = self.readable(&tile, layout, param)?;
        gather(store, layout, &mut out);
        Ok(out)
    }

    /// The values of a tile as float32, in the order of the view; packed dtypes give all their lanes.
    ///
    /// # Errors
    /// An element that nobody wrote, or an index out of bounds.
    pub fn read_f32(&mut self, tables: &Tables, view: ViewId, param: &'static str) -> Result<Vec<f32>, Fault> {
        let tile = tables.tile(view);
        let dtype = tile.dtype();
        let lanes = dtype.info().lanes as usize;
        let layout = self.layout(tables, view, false)?;
        let mut out = self.scratch.floats(layout.count * lanes);
        let inner = layout.hops().last().map_or(1, |hop| hop.num);
        if layout.is_dense() && (inner >= DIRECT_RUN || layout.count == inner) {
            let store = self.readable(&tile, &layout, param)?;
            layout.runs(|run| {
                let bytes = &store.bytes[run.offset..run.offset + run.count * layout.elem];
                cast::decode_f32(dtype, bytes, &mut out[run.at * lanes..(run.at + run.count) * lanes]);
            });
            return Ok(out);
        }
        let raw = self.read_layout(tables, view, param, &layout)?;
        cast::decode_f32(dtype, &raw, &mut out);
        self.scratch.give_bytes(raw);
        Ok(out)
    }

    /// The bit patterns of a tile, zero-extended.
    ///
    /// # Errors
    /// An element that nobody wrote, or an index out of bounds.
    pub fn read_bits(&mut self, tables: &Tables, view: ViewId, param: &'static str) -> Result<Vec<u32>, Fault> {
        let width = tables.tile(view).dtype().bytes() as usize;
        let raw = self.read_raw(tables, view, param)?;
        let mut out = self.scratch.words(raw.len() / width);
        cast::decode_bits(width, &raw, &mut out);
        self.scratch.give_bytes(raw);
        Ok(out)
    }

    /// The values of an integer tile.
    ///
    /// # Errors
    /// An element that nobody wrote, or an index out of bounds.
    pub fn read_i32(&mut self, tables: &Tables, view: ViewId, param: &'static str) -> Result<Vec<i32>, Fault> {
        let dtype = tables.tile(view).dtype();
        let raw = self.read_raw(tables, view, param)?;
        let mut out = vec![0; raw.len() / dtype.bytes() as usize];
        cast::decode_i32(dtype, &raw, &mut out);
        self.scratch.give_bytes(raw);
        Ok(out)
    }

    /// Writes packed bytes over a layout and marks them as written.
    ///
    /// # Errors
    /// The memory of the run is used up.
    pub fn write_layout(&mut self, tables: &Tables, view: ViewId, layout: &Layout, bytes: &[u8]) -> Result<(), Fault> {
        let tile = tables.tile(view);
        self.memory.set_foreign(tile.view.buffer, true);
        let store = self.memory.make(tile.view.buffer, tile.buffer)?;
        scatter(store, layout, bytes);
        mark(store, layout);
        Ok(())
    }

    /// Writes packed bytes to a tile.
    ///
    /// # Errors
    /// An index out of bounds.
    pub fn write_raw(&mut self, tables: &Tables, view: ViewId, bytes: &[u8]) -> Result<(), Fault> {
        let layout = self.layout(tables, view, false)?;
        self.write_layout(tables, view, &layout, bytes)
    }

    /// Writes float32 values to a tile, converted to its dtype as the engines do.
    ///
    /// # Errors
    /// An index out of bounds.
    pub fn write_f32(&mut self, tables: &Tables, view: ViewId, values: &[f32]) -> Result<(), Fault> {
        let tile = tables.tile(view);
        let dtype = tile.dtype();
        let lanes = dtype.info().lanes as usize;
        let layout = self.layout(tables, view, false)?;
        let inner = layout.hops().last().map_or(1, |hop| hop.num);
        if layout.is_dense() && (inner >= DIRECT_RUN || layout.count == inner) {
            self.memory.set_foreign(tile.view.buffer, true);
            let store = self.memory.make(tile.view.buffer, tile.buffer)?;
            let bytes = &mut store.bytes;
            layout.runs(|run| {
                let values = &values[run.at * lanes..(run.at + run.count) * lanes];
                let target = &mut bytes[run.offset..run.offset + run.count * layout.elem];
                cast::encode_f32(dtype, values, target, Mode::Chip);
            });
            mark(store, &layout);
            return Ok(());
        }
        let mut raw = self.scratch.bytes(layout.count * layout.elem);
        cast::encode_f32(dtype, values, &mut raw, Mode::Chip);
        self.write_layout(tables, view, &layout, &raw)?;
        self.scratch.give_bytes(raw);
        Ok(())
    }

    /// Writes bit patterns to a tile; the low bits of each count.
    ///
    /// # Errors
    /// An index out of bounds.
    pub fn write_bits(&mut self, tables: &Tables, view: ViewId, values: &[u32]) -> Result<(), Fault> {
        let width = tables.tile(view).dtype().bytes() as usize;
        let mut raw = self.scratch.bytes(values.len() * width);
        cast::encode_bits(width, values, &mut raw);
        self.write_raw(tables, view, &raw)?;
        self.scratch.give_bytes(raw);
        Ok(())
    }

    /// Writes 32-bit integers to a tile, converted to its dtype.
    ///
    /// # Errors
    /// An index out of bounds.
    pub fn write_i32(&mut self, tables: &Tables, view: ViewId, values: &[i32]) -> Result<(), Fault> {
        let dtype = tables.tile(view).dtype();
        let mut raw = self.scratch.bytes(values.len() * dtype.bytes() as usize);
        cast::encode_i32(dtype, values, &mut raw);
        self.write_raw(tables, view, &raw)?;
        self.scratch.give_bytes(raw);
        Ok(())
    }

    /// How much of a view was written before.
    ///
    /// # Errors
    /// An index out of bounds.
    pub fn written(&mut self, tables: &Tables, view: ViewId) -> Result<Written, Fault> {
        let layout = self.layout(tables, view, false)?;
        let Some(store) = self.memory.get(tables.tile(view).view.buffer) else {
            return Ok(Written::Nothing);
        };
        if first_unwritten(store, &layout).is_none() {
            return Ok(Written::Whole);
        }
        let mut any = false;
        layout.runs(|run| {
            let reach = run.step.unsigned_abs() * run.count.saturating_sub(1) + layout.elem;
            let start = if run.step < 0 {
                run.offset + layout.elem - reach
            } else {
                run.offset
            };
            any |= store.written.any(start, start + reach);
        });
        Ok(if any { Written::Partly } else { Written::Nothing })
    }
}

/// The fault of an index tile with too few offsets.
fn short_index(tile: &Tile, number: usize, group: usize) -> Fault {
    let message = format!(
        "{} needs {number} offsets for each {group} partitions, its index tile holds fewer",
        tile.describe()
    );
    Fault::new(Code::Shape, message)
        .hint("offset i is index[i % G, i // G], with G = 32 on the Tensor Engine and 16 elsewhere")
}

/// The fault of an index out of bounds.
fn out_of_bounds(tile: &Tile, index: i64, limit: u64) -> Fault {
    let message = format!(
        "the run-time index {index} into '{}' {:?} is out of bounds; limit 0 to {}",
        tile.buffer.name,
        tile.buffer.shape,
        limit.saturating_sub(1)
    );
    Fault::new(Code::OutOfBounds, message)
        .hint("clamp the indices, or leave such rows out with oob_mode=nisa.oob_mode.skip")
}
