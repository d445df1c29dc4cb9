//! Statistics for normalisation.

use crate::base::diag::{Code, Fault};
use crate::ensure;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::param::{In, Out};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::op;

/// Numbers of one group of statistics: count, mean, variance times count.
const TRIPLE: usize = 3;

op! {
    /// Count, mean and variance times count of the even and of the odd elements of each partition, in float32.
    bn_stats => BnStats on [Vector] since Gen2 [
        deprecated "dtype", "the dtype of dst decides; allocate dst with the dtype you want"
    ] {
        /// `[P, 6]` tile: the three numbers of the even elements, then of the odd ones.
        dst: Out,
        /// Tile with at most 512 elements per partition.
        data: In,
    }
}

/// Count, mean and variance times count of some numbers.
fn statistics(values: impl Iterator<Item = f32> + Clone) -> [f32; TRIPLE] {
    let count = values.clone().count() as f32;
    if count == 0.0 {
        return [0.0; TRIPLE];
    }
    let mean = values.clone().fold(0.0, |sum: f32, x| sum + x) / count;
    let square = values.fold(0.0, |sum: f32, x| sum + (x - mean) * (x - mean));
    [count, mean, square]
}

impl Op for BnStats {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, data) = ((self.dst.0, "dst"), (self.data.0, "data"));
        rules::numeric(cx, &[dst, data])?;
        rules::same_partitions(cx, data, dst)?;
        rules::free_is(cx, dst.0, dst.1, 2 * TRIPLE as u64)?;
        let tile = cx.tile(data.0);
        let most = cx.chip.rules.bn_stats_fmax.get();
        if tile.free_elements() > u64::from(most) {
            let message = format!(
                "{} has {} elements per partition; limit {most}",
                tile.label("data"),
                tile.free_elements()
            );
            return Err(Fault::new(Code::Constraint, message)
                .on("data")
                .hint("take the statistics of pieces of at most 512 elements and combine them with nisa.bn_aggr"));
        }
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.data.0).free_elements().max(1) as usize;
        let data = cx.read(self.data.0, "data")?;
        let mut out = Vec::with_capacity(data.len() / width * 2 * TRIPLE);
        for row in data.chunks_exact(width) {
            out.extend(statistics(row.iter().step_by(2).copied()));
            out.extend(statistics(row.iter().skip(1).step_by(2).copied()));
        }
        cx.recycle(data);
        cx.write(self.dst.0, out)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::one_per_cycle(cx, &cx.tile(self.data.0), false)
    }
}

op! {
    /// Mean and variance of each partition from the results of `bn_stats`.
    bn_aggr => BnAggr on [Vector] since Gen2 [
        deprecated "dtype", "the dtype of dst decides; allocate dst with the dtype you want"
    ] {
        /// `[P, 2]` tile: mean, variance.
        dst: Out,
        /// Groups of count, mean, variance times count.
        data: In,
    }
}

/// Mean and variance of the union of groups.
fn aggregate(groups: &[f32]) -> [f32; 2] {
    let triples = groups.as_chunks::<TRIPLE>().0;
    let count = triples.iter().fold(0.0, |sum: f32, [count, _, _]| sum + count);
    let mean = triples
        .iter()
        .fold(0.0, |sum: f32, [count, mean, _]| sum + count * mean)
        / count;
    let square = triples.iter().fold(0.0, |sum: f32, [count, m, square]| {
        sum + (square + count * (m - mean) * (m - mean))
    });
    [mean, square / count]
}

impl Op for BnAggr {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, data) = ((self.dst.0, "dst"), (self.data.0, "data"));
        rules::numeric(cx, &[dst, data])?;
        rules::same_partitions(cx, data, dst)?;
        rules::free_is(cx, dst.0, dst.1, 2)?;
        let tile = cx.tile(data.0);
        let free = tile.free_elements();
        ensure!(
            free > 0 && free.is_multiple_of(TRIPLE as u64),
            Shape on "data",
            hint "give the results of nisa.bn_stats one after the other: 6 numbers each",
            "{} has {free} elements per partition; limit: a multiple of 3",
            tile.label("data")
        );
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let width = cx.tile(self.data.0).free_elements() as usize;
        let data = cx.read(self.data.0, "data")?;
        let out = data.chunks_exact(width).flat_map(aggregate).collect();
        cx.recycle(data);
        cx.write(self.dst.0, out)
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::lanes::bn_aggr(cx, &cx.tile(self.data.0))
    }
}
