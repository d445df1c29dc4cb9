//! Gathers inside SBUF by GpSimd.

use crate::base::diag::{Code, Fault};
use crate::ensure;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::param::{In, Out};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::numerics::dtype::Dtype;
use crate::op;

/// Partitions that a GpSimd core is connected to.
const GROUP: usize = 16;

op! {
    /// Gathers elements of each partition by indices that its group of 16 partitions shares.
    ///
    /// The indices of a group are read partition by partition, then column by column; every partition of the group gathers by
    /// all of them, counted in elements of the partition.
    local_gather => LocalGather on [GpSimd] since Gen2 {
        /// Result: `num_elem_per_idx` elements for each valid index.
        dst: Out,
        /// Tile to gather from.
        src_buffer: In,
        /// uint16 indices.
        index: In,
        /// Elements to take from each index on: 1, 2, 4, 8, 16 or 32.
        num_elem_per_idx: i32 = 1,
        /// Indices that count in each group; all, if it is left out.
        num_valid_indices: Option<i32> = None,
    }
}

impl LocalGather {
    /// Indices that count in each group.
    fn valid(&self, cx: &OpCx) -> u64 {
        let all = cx.tile(self.index.0).free_elements() * GROUP as u64;
        self.num_valid_indices
            .map_or(all, |valid| u64::from(valid.unsigned_abs()))
    }
}

impl Op for LocalGather {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, src, index) = (
            (self.dst.0, "dst"),
            (self.src_buffer.0, "src_buffer"),
            (self.index.0, "index"),
        );
        for (view, param) in [dst, src, index] {
            rules::sbuf(cx, view, param)?;
        }
        rules::dtype(cx, index.0, index.1, &[Dtype::U16])?;
        rules::same_dtype(cx, src, dst)?;
        rules::same_partitions(cx, src, index)?;
        rules::same_partitions(cx, src, dst)?;
        let tile = cx.tile(src.0);
        ensure!(
            tile.partitions().is_multiple_of(GROUP as u32),
            Constraint on "src_buffer",
            hint "take 16, 32, ... or 128 rows: each GpSimd core serves 16 of them",
            "{} has {} partitions; limit: a multiple of 16",
            tile.label("src_buffer"),
            tile.partitions()
        );
        ensure!(
            [1, 2, 4, 8, 16, 32].contains(&self.num_elem_per_idx),
            Constraint on "num_elem_per_idx",
            hint "take the next smaller one and give more indices",
            "num_elem_per_idx {}; limit 1, 2, 4, 8, 16 or 32",
            self.num_elem_per_idx
        );
        let all = cx.tile(index.0).free_elements() * GROUP as u64;
        let valid = self.valid(cx);
        ensure!(
            self.num_valid_indices.is_none_or(|valid| valid > 0) && valid <= all,
            Constraint on "num_valid_indices",
            hint "leave it out to use all indices",
            "num_valid_indices {valid}; limit 1 to {all}, the indices of 16 partitions"
        );
        let most = u64::from(cx.chip.rules.gather_indices.get());
        ensure!(
            valid <= most,
            Constraint on "index",
            hint "gather in several instructions, or take several elements for each index with num_elem_per_idx",
            "{valid} indices for each group of 16 partitions; limit {most}"
        );
        rules::free_is(
            cx,
            dst.0,
            dst.1,
            valid * u64::from(self.num_elem_per_idx.unsigned_abs()),
        )
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let valid = self.valid(&cx.op_cx()) as usize;
        let run = self.num_elem_per_idx.unsigned_abs() as usize;
        let tile = cx.tile(self.src_buffer.0);
        let (width, elem) = (tile.free_elements() as usize, tile.dtype().bytes() as usize);
        let columns = cx.tile(self.index.0).free_elements() as usize;
        let indices = cx.read_bits(self.index.0, "index")?;
        let source = cx.read_raw(self.src_buffer.0, "src_buffer")?;
        let mut out = Vec::with_capacity(tile.partitions() as usize * valid * run * elem);
        for (partition, row) in source.chunks_exact(width * elem).enumerate() {
            let group = &indices[partition / GROUP * GROUP * columns..];
            for at in 0..valid {
                let index = group[at % GROUP * columns + at / GROUP] as usize;
                let Some(elements) = row.get(index * elem..(index + run) * elem) else {
                    let message = format!(
                        "index {index} with {run} elements leaves {}, which has {width} elements per partition; the result is undefined",
                        tile.label("src_buffer")
                    );
                    return Err(Fault::new(Code::Undefined, message)
                        .on("index")
                        .hint(format!("keep indices between 0 and {}", width.saturating_sub(run))));
                };
                out.extend_from_slice(elements);
            }
        }
        cx.machine.scratch.give_words(indices);
        cx.machine.scratch.give_bytes(source);
        cx.write_raw(self.dst.0, out)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::gpsimd::gather(cx, &cx.tile(self.dst.0))
    }
}

op! {
    /// Gathers elements of each partition by indices of the same partition; free dimensions count as one.
    nc_n_gather => NcNGather on [GpSimd] since Gen2 {
        /// Result, of the shape of `indices` and the dtype of `data`.
        dst: Out,
        /// Tile to gather from.
        data: In,
        /// uint32 indices.
        indices: In,
    }
}

impl Op for NcNGather {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, data, indices) = ((self.dst.0, "dst"), (self.data.0, "data"), (self.indices.0, "indices"));
        for (view, param) in [dst, data, indices] {
            rules::sbuf(cx, view, param)?;
        }
        rules::same_dtype(cx, data, dst)?;
        rules::dtype(cx, indices.0, indices.1, &[Dtype::U32])?;
        rules::same_partitions(cx, data, indices)?;
        rules::same_shape(cx, indices, dst)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let tile = cx.tile(self.data.0);
        let (width, elem) = (tile.free_elements() as usize, tile.dtype().bytes() as usize);
        let columns = cx.tile(self.indices.0).free_elements().max(1) as usize;
        let indices = cx.read_bits(self.indices.0, "indices")?;
        let data = cx.read_raw(self.data.0, "data")?;
        let mut out = Vec::with_capacity(indices.len() * elem);
        for (row, indices) in data.chunks_exact(width * elem).zip(indices.chunks_exact(columns)) {
            for &index in indices {
                let at = index as usize * elem;
                let Some(element) = row.get(at..at + elem) else {
                    let message = format!("index {index} leaves {}; limit 0 to {}", tile.label("data"), width - 1);
                    return Err(Fault::new(Code::OutOfBounds, message)
                        .on("indices")
                        .hint("indices count elements of one partition, its free dimensions taken as one"));
                };
                out.extend_from_slice(element);
            }
        }
        cx.machine.scratch.give_words(indices);
        cx.machine.scratch.give_bytes(data);
        cx.write_raw(self.dst.0, out)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::gpsimd::gather(cx, &cx.tile(self.dst.0))
    }
}
