//! Sums that the DMA engines compute.

use crate::base::diag::{Code, Fault};
use crate::base::mend::Edit;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::ops::dma::{check_vector, common, is_vector, reachable};
use crate::isa::param::{DgeMode, OobMode, Out, UnitScales, Views};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::machine::layout::Layout;
use crate::numerics::alu::AluOp;
use crate::numerics::cast::{self, Mode};
use crate::op;
use crate::tensor::view::ViewId;

op! {
    /// Adds tensors element by element inside the DMA engines, in float32.
    ///
    /// With run-time indices on one source it adds to rows of HBM (scatter) or gathers rows and adds them to SBUF.
    dma_compute => DmaCompute on [] since Gen2 {
        /// Tensor to write.
        dst: Out,
        /// Tensors to add: at most 16.
        srcs: Views,
        /// Operator of the reduction: `nl.add`.
        reduce_op: AluOp,
        /// Scale factors, all 1.0.
        scales: Option<UnitScales> = None,
        /// Promise that no index comes twice.
        unique_indices: bool = true,
        /// What happens to run-time indices out of bounds.
        oob_mode: OobMode = OobMode::Error,
    }
}

impl DmaCompute {
    /// Checks a sum with run-time indices.
    fn check_indirect(&self, cx: &OpCx) -> Result<(), Fault> {
        if self.srcs.count != 2 {
            let message = format!(
                "srcs has {} tensors; limit exactly 2 with run-time indices",
                self.srcs.count
            );
            return Err(Fault::new(Code::Constraint, message)
                .on("srcs")
                .hint("add tensors one at a time: srcs=[dst, data]"));
        }
        if !self.unique_indices {
            let message = "unique_indices=False is not supported by NKI yet";
            return Err(Fault::new(Code::Unsupported, message)
                .on("unique_indices")
                .hint("combine rows with equal indices first, for example with nisa.nc_matmul and a 0/1 matrix"));
        }
        let same = |view: ViewId| {
            let (a, b) = (cx.tile(view).view, cx.tile(self.dst.0).view);
            a.buffer == b.buffer && a.offset == b.offset && a.pattern == b.pattern
        };
        if !self.srcs.iter().any(same) {
            let message = "with run-time indices one of srcs must be dst itself";
            return Err(Fault::new(Code::Constraint, message)
                .on("srcs")
                .hint("write srcs=[dst, data] to add data to dst"));
        }
        for view in self.srcs.iter() {
            check_vector(cx, view, "srcs", DgeMode::Software)?;
        }
        check_vector(cx, self.dst.0, "dst", DgeMode::Software)
    }
}

/// Whether two elements of a layout are the same place.
fn has_duplicates(layout: &Layout) -> bool {
    let mut offsets: Vec<_> = layout
        .offsets()
        .into_iter()
        .filter(|&offset| offset != usize::MAX)
        .collect();
    offsets.sort_unstable();
    offsets.windows(2).any(|pair| pair[0] == pair[1])
}

impl Op for DmaCompute {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let dst = cx.tile(self.dst.0);
        reachable(cx, self.dst.0, "dst")?;
        rules::unpacked(cx, self.dst.0, "dst")?;
        let most = cx.chip.rules.dma_compute_sources.get();
        if self.srcs.count > most {
            let message = format!("srcs has {} tensors; limit {most}", self.srcs.count);
            return Err(Fault::new(Code::Constraint, message)
                .on("srcs")
                .hint(format!("add {most} at a time; dst can be one of the next srcs")));
        }
        if self.reduce_op != AluOp::Add {
            let message = format!("reduce_op {}; limit add", self.reduce_op.name());
            return Err(Fault::new(Code::Constraint, message)
                .on("reduce_op")
                .hint("load the tensors to SBUF and combine them with nisa.tensor_tensor"));
        }
        let scales = self.scales.map_or(self.srcs.count, |scales| scales.0);
        if scales != self.srcs.count {
            let message = format!("scales has {scales} entries for {} srcs", self.srcs.count);
            return Err(Fault::new(Code::Argument, message)
                .on("scales")
                .hint("leave scales out: all of them must be 1.0")
                .mend("leave scales out", Edit::Drop("scales")));
        }
        for view in self.srcs.iter() {
            reachable(cx, view, "srcs")?;
            rules::unpacked(cx, view, "srcs")?;
            let src = cx.tile(view);
            if src.pattern.elements() != dst.pattern.elements() {
                let message = format!(
                    "{} has {} elements, {} has {}; they must be equal",
                    src.label("srcs"),
                    src.pattern.elements(),
                    dst.label("dst"),
                    dst.pattern.elements()
                );
                return Err(Fault::new(Code::Shape, message)
                    .on("srcs")
                    .hint("slice all tensors to the same elements"));
            }
        }
        if self.srcs.iter().any(|view| is_vector(cx, view)) || is_vector(cx, self.dst.0) {
            return self.check_indirect(cx);
        }
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let skip = self.oob_mode == OobMode::Skip;
        let mut target = cx.machine.layout(cx.tables, self.dst.0, skip)?;
        let indirect = is_vector(&cx.op_cx(), self.dst.0);
        if indirect && has_duplicates(&target) {
            let message = "the run-time indices name a row twice; with unique_indices=True the result is undefined";
            return Err(Fault::new(Code::Undefined, message)
                .on("dst")
                .hint("add up the rows with equal indices before they are scattered"));
        }
        let mut sum = cx.machine.scratch.floats(target.count);
        for (at, view) in self.srcs.iter().enumerate() {
            let source = cx.machine.layout(cx.tables, view, skip)?;
            common(&mut target, &source);
            let bytes = cx.machine.read_layout(cx.tables, view, "srcs", &source)?;
            let mut values = cx.machine.scratch.floats(source.count);
            cast::decode_f32(cx.tile(view).dtype(), &bytes, &mut values);
            if at == 0 {
                sum.copy_from_slice(&values);
            } else {
                sum.iter_mut().zip(&values).for_each(|(sum, value)| *sum += value);
            }
            cx.recycle(values);
            cx.machine.scratch.give_bytes(bytes);
        }
        let dtype = cx.tile(self.dst.0).dtype();
        let mut bytes = cx.machine.scratch.bytes(sum.len() * dtype.bytes() as usize);
        cast::encode_f32(dtype, &sum, &mut bytes, Mode::Chip);
        cx.machine.write_layout(cx.tables, self.dst.0, &target, &bytes)?;
        cx.recycle(sum);
        cx.machine.scratch.give_bytes(bytes);
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        let srcs: Vec<_> = self.srcs.iter().map(|view| cx.tile(view)).collect();
        cost::dma::accumulate(cx, &cx.tile(self.dst.0), &srcs)
    }
}
