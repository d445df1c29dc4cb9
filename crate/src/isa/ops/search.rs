//! Searches: the eight largest values, their places and replacements, sorted selections, places that are not zero.

use crate::base::diag::{Code, Fault};
use crate::ensure;
use crate::isa::access;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::param::{In, InOut, Out};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::numerics::dtype::Dtype;
use crate::op;
use crate::tensor::view::ViewId;

/// Values that a search handles at once.
const EIGHT: usize = 8;

/// Checks the elements per partition of a searched tile.
fn check_searched(cx: &OpCx, view: ViewId, param: &'static str) -> Result<(), Fault> {
    let tile = cx.tile(view);
    let (least, most) = cx.chip.rules.search_elements.get();
    let free = tile.free_elements();
    if (u64::from(least)..=u64::from(most)).contains(&free) {
        return Ok(());
    }
    let message = format!(
        "{} has {free} elements per partition; limit {least} to {most}",
        tile.label(param)
    );
    Err(Fault::new(Code::Constraint, message)
        .on(param)
        .hint(match free < u64::from(least) {
            true => "pad the tile with the most negative number",
            false => "search pieces and search their results again",
        }))
}

op! {
    /// The eight largest values of each partition, in descending order.
    max8 => Max8 on [Vector] since Gen2 {
        /// `[P, 8]` tile.
        dst: Out,
        /// Tile with 8 to 16,384 elements per partition.
        src: In,
    }
}

impl Op for Max8 {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, src) = ((self.dst.0, "dst"), (self.src.0, "src"));
        rules::numeric(cx, &[dst, src])?;
        rules::same_partitions(cx, src, dst)?;
        rules::free_is(cx, dst.0, dst.1, EIGHT as u64)?;
        access::rank(cx, src.0, src.1, 3)?;
        check_searched(cx, src.0, src.1)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.src.0).free_elements() as usize;
        let mut data = cx.read(self.src.0, "src")?;
        let mut out = Vec::with_capacity(data.len() / width * EIGHT);
        for row in data.chunks_exact_mut(width) {
            let (largest, _, _) = row.select_nth_unstable_by(EIGHT - 1, |a, b| b.total_cmp(a));
            largest.sort_unstable_by(|a, b| b.total_cmp(a));
            let eighth = row[EIGHT - 1];
            out.extend_from_slice(&row[..EIGHT - 1]);
            out.push(eighth);
        }
        cx.recycle(data);
        cx.write(self.dst.0, out)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::one_per_cycle(cx, &cx.tile(self.src.0), false)
    }
}

op! {
    /// Where eight given values first occur in each partition; equal values get successive places, in ascending order.
    ///
    /// A value that does not occur gives all ones.
    nc_find_index8 => NcFindIndex8 on [Vector] since Gen2 {
        /// `[P, 8]` tile of uint16 or uint32.
        dst: Out,
        /// Tile to search.
        data: In,
        /// Eight values per partition.
        vals: In,
    }
}

/// The place of each value, given in the order of `order`: equal values take successive places.
fn places(row: &[f32], vals: &[f32], order: impl Iterator<Item = usize>) -> [Option<usize>; EIGHT] {
    let mut found = [None; EIGHT];
    for slot in order {
        let taken = |at: &usize| found.contains(&Some(*at));
        found[slot] = (0..row.len()).find(|at| row[*at] == vals[slot] && !taken(at));
    }
    found
}

/// Checks the tiles of a search for eight values.
fn check_values(cx: &OpCx, data: ViewId, vals: ViewId) -> Result<(), Fault> {
    rules::numeric(cx, &[(data, "data"), (vals, "vals")])?;
    rules::same_partitions(cx, (data, "data"), (vals, "vals"))?;
    rules::free_is(cx, vals, "vals", EIGHT as u64)?;
    access::rank(cx, data, "data", 3)?;
    check_searched(cx, data, "data")
}

/// Checks a tile of indices.
fn check_indices(cx: &OpCx, view: ViewId, param: &'static str, like: ViewId) -> Result<(), Fault> {
    rules::on_chip(cx, view, param)?;
    rules::same_partitions(cx, (like, "data"), (view, param))?;
    rules::free_is(cx, view, param, EIGHT as u64)?;
    rules::dtype(cx, view, param, &[Dtype::U16, Dtype::U32])
}

impl Op for NcFindIndex8 {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        check_values(cx, self.data.0, self.vals.0)?;
        check_indices(cx, self.dst.0, "dst", self.data.0)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.data.0).free_elements() as usize;
        let data = cx.read(self.data.0, "data")?;
        let vals = cx.read(self.vals.0, "vals")?;
        let rows = data.chunks_exact(width).zip(vals.chunks_exact(EIGHT));
        let out = rows
            .flat_map(|(row, vals)| places(row, vals, 0..EIGHT))
            .map(index)
            .collect();
        cx.recycle(data);
        cx.recycle(vals);
        cx.write_bits(self.dst.0, out)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::one_per_cycle(cx, &cx.tile(self.data.0), false)
    }
}

/// A place as an unsigned index; all ones if there is none.
fn index(place: Option<usize>) -> u32 {
    place.map_or(u32::MAX, |at| at as u32)
}

op! {
    /// Replaces the first occurrence of each of eight values in each partition; can also give their places.
    ///
    /// Values are matched from the last to the first, so that equal values get descending places. A value that does not occur
    /// gives all ones.
    nc_match_replace8 => NcMatchReplace8 on [Vector] since Gen2 {
        /// Result.
        dst: Out,
        /// Tile to search.
        data: In,
        /// Eight values per partition.
        vals: In,
        /// What replaces a match.
        imm: f32,
        /// `[P, 8]` tile of uint16 or uint32 that receives the places.
        dst_idx: Option<Out> = None,
    }
}

impl Op for NcMatchReplace8 {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        check_values(cx, self.data.0, self.vals.0)?;
        rules::numeric(cx, &[(self.dst.0, "dst")])?;
        rules::same_shape(cx, (self.data.0, "data"), (self.dst.0, "dst"))?;
        match self.dst_idx {
            Some(places) => check_indices(cx, places.0, "dst_idx", self.data.0),
            None => Ok(()),
        }
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.data.0).free_elements() as usize;
        let mut data = cx.read(self.data.0, "data")?;
        let vals = cx.read(self.vals.0, "vals")?;
        let mut indices = Vec::with_capacity(vals.len());
        for (row, vals) in data.chunks_exact_mut(width).zip(vals.chunks_exact(EIGHT)) {
            let found = places(row, vals, (0..EIGHT).rev());
            found.iter().flatten().for_each(|&at| row[at] = self.imm);
            indices.extend(found.map(index));
        }
        cx.recycle(vals);
        if let Some(places) = self.dst_idx {
            cx.write_bits(places.0, indices)?;
        }
        cx.write(self.dst.0, data)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::one_per_cycle(cx, &cx.tile(self.data.0), true)
    }
}

/// Partitions of a GpSimd core.
const GROUP: usize = 16;

op! {
    /// Places of the elements that are not zero, padding, and their number, for partitions 0, 16, ..., 112, on GpSimd.
    nonzero_with_count => NonzeroWithCount on [GpSimd] since Gen3 {
        /// int32 tile in SBUF with one element more than `src`; other partitions stay as they are.
        dst: InOut,
        /// float32 or int32 tile in SBUF.
        src: In,
        /// Added to every place.
        index_offset: i32 = 0,
        /// Fills unused slots.
        padding_val: i32 = -1,
    }
}

impl Op for NonzeroWithCount {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, src) = ((self.dst.0, "dst"), (self.src.0, "src"));
        rules::sbuf(cx, dst.0, dst.1)?;
        rules::sbuf(cx, src.0, src.1)?;
        rules::dtype(cx, dst.0, dst.1, &[Dtype::I32])?;
        rules::dtype(cx, src.0, src.1, &[Dtype::F32, Dtype::I32])?;
        rules::same_partitions(cx, src, dst)?;
        rules::free_is(cx, dst.0, dst.1, cx.tile(src.0).free_elements() + 1)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.src.0).free_elements() as usize;
        let mut source = cx.machine.layout(cx.tables, self.src.0, false)?;
        let mut target = cx.machine.layout(cx.tables, self.dst.0, false)?;
        let pick = |offsets: Vec<usize>, width: usize| -> Vec<usize> {
            offsets.chunks_exact(width).step_by(GROUP).flatten().copied().collect()
        };
        source.table = Some(pick(source.offsets(), width));
        target.table = Some(pick(target.offsets(), width + 1));
        source.count = source.table.as_ref().map_or(0, Vec::len);
        let raw = cx.machine.read_layout(cx.tables, self.src.0, "src", &source)?;
        let float = cx.tile(self.src.0).dtype() == Dtype::F32;
        let mut out: Vec<u8> = Vec::new();
        for row in raw.chunks_exact(width * 4) {
            let nonzero = |word: &[u8; 4]| {
                let bits = u32::from_le_bytes(*word);
                bits != 0 && !(float && bits == 0x8000_0000)
            };
            let places = row
                .as_chunks::<4>()
                .0
                .iter()
                .enumerate()
                .filter(|(_, word)| nonzero(word));
            let mut line: Vec<i32> = places
                .map(|(at, _)| self.index_offset.wrapping_add(at as i32))
                .collect();
            let count = line.len() as i32;
            line.resize(width, self.padding_val);
            line.push(count);
            out.extend(line.iter().flat_map(|value| value.to_le_bytes()));
        }
        cx.machine.write_layout(cx.tables, self.dst.0, &target, &out)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::gpsimd::elementwise(cx, cx.tile(self.src.0).free_elements())
    }
}

op! {
    /// The K largest of `n` values and their places, for each group of 16 partitions, on GpSimd.
    ///
    /// Values lie in snake order: value i is on partition `i % 16`, column `i / 16` of its group. Results come in ascending order
    /// in the same layout, in the first `ceil(K / 16)` columns; the documents leave that layout open, published kernels rely on it.
    topk => Topk on [GpSimd] since Gen2 {
        /// bfloat16 tile in SBUF; its free size is K.
        val_dst: InOut,
        /// uint32 tile in SBUF of the same shape.
        idx_dst: InOut,
        /// bfloat16 tile in SBUF.
        src: In,
        /// Number of values in each group.
        n: i32,
    }
}

impl Topk {
    /// Values to keep.
    fn keep(&self, cx: &OpCx) -> u64 {
        cx.tile(self.val_dst.0).free_elements()
    }
}

/// The first `count` elements of each group in snake order, as places in a row-major tile.
fn snake(partitions: usize, columns: usize, count: usize) -> Vec<usize> {
    (0..partitions / GROUP)
        .flat_map(|group| (0..count).map(move |at| (group * GROUP + at % GROUP) * columns + at / GROUP))
        .collect()
}

impl Op for Topk {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (values, places, src) = (
            (self.val_dst.0, "val_dst"),
            (self.idx_dst.0, "idx_dst"),
            (self.src.0, "src"),
        );
        for (view, param) in [values, places, src] {
            rules::sbuf(cx, view, param)?;
        }
        rules::dtype(cx, values.0, values.1, &[Dtype::Bf16])?;
        rules::dtype(cx, src.0, src.1, &[Dtype::Bf16])?;
        rules::dtype(cx, places.0, places.1, &[Dtype::U32])?;
        rules::same_shape(cx, values, places)?;
        rules::same_partitions(cx, src, values)?;
        let tile = cx.tile(src.0);
        ensure!(
            tile.partitions().is_multiple_of(GROUP as u32),
            Constraint on "src",
            hint "take 16, 32, ... or 128 rows: 16 of them hold one group of values",
            "{} has {} partitions; limit: a multiple of 16",
            tile.label("src"),
            tile.partitions()
        );
        let (n, keep) = (i64::from(self.n), self.keep(cx) as i64);
        ensure!(
            (8..65_536).contains(&n),
            Constraint on "n",
            hint "n is the number of values in 16 partitions; search larger sets in pieces",
            "n {n}; limit 8 to 65535"
        );
        ensure!(
            (1..32_768).contains(&keep) && keep <= n,
            Constraint on "val_dst",
            hint "the free size of val_dst is K: allocate it with that many columns",
            "{}; limit K from 1 to 32767 and at most n = {n}",
            cx.tile(values.0).label("val_dst")
        );
        ensure!(
            tile.free_elements() as i64 >= (n + 15) / 16,
            Shape on "src",
            hint "give src ceil(n / 16) columns, or a smaller n",
            "{} holds fewer than n = {n} values in 16 partitions",
            tile.label("src")
        );
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let keep = self.keep(&cx.op_cx()) as usize;
        let tile = cx.tile(self.src.0);
        let (partitions, columns) = (tile.partitions() as usize, tile.free_elements() as usize);
        let n = self.n.unsigned_abs() as usize;
        let mut source = cx.machine.layout(cx.tables, self.src.0, false)?;
        let offsets = source.offsets();
        source.table = Some(
            snake(partitions, columns, n)
                .into_iter()
                .map(|at| offsets[at])
                .collect(),
        );
        source.count = partitions / GROUP * n;
        let raw = cx.machine.read_layout(cx.tables, self.src.0, "src", &source)?;
        let mut data = cx.machine.scratch.floats(source.count);
        crate::numerics::cast::decode_f32(Dtype::Bf16, &raw, &mut data);
        let (mut values, mut places) = (Vec::new(), Vec::new());
        for group in data.chunks_exact(n) {
            let mut order: Vec<u32> = (0..n as u32).collect();
            order.sort_by(|&a, &b| group[a as usize].total_cmp(&group[b as usize]).then(b.cmp(&a)));
            for &at in &order[n - keep..] {
                values.extend_from_slice(&raw_of(group[at as usize]));
                places.extend_from_slice(&at.to_le_bytes());
            }
        }
        cx.recycle(data);
        cx.machine.scratch.give_bytes(raw);
        for (view, bytes) in [(self.val_dst.0, values), (self.idx_dst.0, places)] {
            let mut target = cx.machine.layout(cx.tables, view, false)?;
            let offsets = target.offsets();
            target.table = Some(
                snake(partitions, keep, keep)
                    .into_iter()
                    .map(|at| offsets[at])
                    .collect(),
            );
            cx.machine.write_layout(cx.tables, view, &target, &bytes)?;
        }
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::gpsimd::topk(
            cx,
            cx.tile(self.src.0).partitions(),
            u64::from(self.n.unsigned_abs()),
            self.keep(cx),
        )
    }
}

/// The bytes of a bfloat16 value.
fn raw_of(value: f32) -> [u8; 2] {
    let [_, _, low, high] = value.to_le_bytes();
    [low, high]
}

op! {
    /// For each element of a row of segment ids, where its segment starts and ends, on GpSimd.
    ///
    /// Elements with id 0 are padding: start n, end -1.
    sequence_bounds => SequenceBounds on [GpSimd] since Gen2 {
        /// `[1, 2, n]` tile: starts, then ends (exclusive).
        dst: Out,
        /// `[1, n]` tile of segment ids, float32 or int32.
        segment_ids: In,
    }
}

impl Op for SequenceBounds {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, ids) = ((self.dst.0, "dst"), (self.segment_ids.0, "segment_ids"));
        rules::numeric(cx, &[dst, ids])?;
        rules::no_psum(cx, &[dst, ids])?;
        for (view, param) in [dst, ids] {
            rules::dtype(cx, view, param, &[Dtype::F32, Dtype::I32])?;
            let tile = cx.tile(view);
            ensure!(
                tile.partitions() == 1,
                Shape on "segment_ids",
            hint "keep the ids in one row: a tile of shape [1, n]",
            "{} has {} partitions; limit 1",
                tile.label(param),
                tile.partitions()
            );
        }
        rules::free_is(cx, dst.0, dst.1, 2 * cx.tile(ids.0).free_elements())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let ids = cx.read(self.segment_ids.0, "segment_ids")?;
        let n = ids.len();
        let mut out = vec![0.0; 2 * n];
        let (starts, ends) = out.split_at_mut(n);
        let mut start = 0;
        for at in 0..n {
            if at > 0 && ids[at] != ids[at - 1] {
                start = at;
            }
            starts[at] = if ids[at] == 0.0 { n as f32 } else { start as f32 };
        }
        let mut end = n;
        for at in (0..n).rev() {
            if at + 1 < n && ids[at] != ids[at + 1] {
                end = at + 1;
            }
            ends[at] = if ids[at] == 0.0 { -1.0 } else { end as f32 };
        }
        cx.recycle(ids);
        cx.write(self.dst.0, out)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::gpsimd::elementwise(cx, cx.tile(self.segment_ids.0).free_elements())
    }
}
