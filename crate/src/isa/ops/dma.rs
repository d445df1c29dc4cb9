//! Transfers by the DMA engines: copies with conversion, gathers and scatters, transposes, sums.

use crate::base::diag::{Code, Fault};
use crate::base::mend::Edit;
use crate::chip::engine::Engine;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::param::{DgeMode, EngineChoice, In, OobMode, Out, Permutation};
use crate::isa::rules;
use crate::isa::spec::{Op, Param};
use crate::isa::work::Work;
use crate::machine::layout::Layout;
use crate::numerics::cast::{self, Mode};
use crate::numerics::dtype::Dtype;
use crate::numerics::transpose;
use crate::op;
use crate::tensor::buffer::Space;
use crate::tensor::view::{IndexSource, ViewId};

op! {
    /// Copies between SBUF and HBM with the DMA engines; elements go over in the order of the two views.
    ///
    /// Different dtypes convert through float32. Views with run-time indices gather and scatter rows.
    dma_copy => DmaCopy on [] since Gen2 {
        /// Tensor to write, in SBUF or HBM.
        dst: Out,
        /// Tensor to read, in SBUF or HBM, with as many elements.
        src: In,
        /// Priority from 0 (first) to 3 (NeuronCore-v4 on).
        priority: Option<i32> = None,
        /// What happens to run-time indices out of bounds.
        oob_mode: OobMode = OobMode::Error,
        /// Who makes the descriptors.
        dge_mode: DgeMode = DgeMode::Unknown,
        /// Engine whose queue triggers the hardware block: sync or scalar, with `dge_mode.hwdge` only.
        engine: EngineChoice = EngineChoice::Unknown,
    }
}

/// Checks that DMA reaches an operand.
pub(super) fn reachable(cx: &OpCx, view: ViewId, param: &'static str) -> Result<(), Fault> {
    let hint = match param {
        "dst" => "write an SBUF tile, then copy it to PSUM with nisa.tensor_copy",
        _ => "copy the PSUM tile to SBUF first with nisa.tensor_copy",
    };
    rules::space(cx, view, param, rules::DMA, hint)
}

/// Whether the view goes by a list of run-time indices.
pub(super) fn is_vector(cx: &OpCx, view: ViewId) -> bool {
    let id = cx.tile(view).view.indirect;
    id.is_some_and(|id| {
        matches!(
            cx.tables.indirects[id].source,
            IndexSource::Vector(_) | IndexSource::Free(_)
        )
    })
}

/// Checks a view that goes by run-time indices.
pub(super) fn check_vector(cx: &OpCx, view: ViewId, param: &'static str, mode: DgeMode) -> Result<(), Fault> {
    if !is_vector(cx, view) {
        return Ok(());
    }
    let tile = cx.tile(view);
    if !cx.chip.rules.indirect_dma.get() {
        let message = format!(
            "{} goes by run-time indices, which {} does not have",
            tile.label(param),
            cx.chip.title
        );
        return Err(Fault::new(Code::Generation, message)
            .on(param)
            .hint("run on trn2 or trn3, or copy row by row with indices that are known while the kernel is traced")
            .source(cx.chip.rules.indirect_dma.source));
    }
    if tile.space().is_on_chip() {
        let message = format!(
            "{} goes by run-time indices; limit: only tensors in HBM",
            tile.label(param)
        );
        return Err(Fault::new(Code::MemorySpace, message).on(param).hint(
            "keep the table that is indexed in HBM; inside SBUF gather with nisa.nc_n_gather or nisa.local_gather",
        ));
    }
    if !matches!(mode, DgeMode::Unknown | DgeMode::Software) {
        let message = format!(
            "{} goes by run-time indices; limit: dge_mode.swdge or dge_mode.unknown",
            tile.label(param)
        );
        return Err(Fault::new(Code::Constraint, message)
            .on("dge_mode")
            .hint("leave dge_mode out")
            .mend("leave dge_mode out", Edit::Drop("dge_mode")));
    }
    Ok(())
}

/// Checks priority and descriptor mode.
fn check_queue(cx: &OpCx, priority: Option<i32>, mode: DgeMode) -> Result<(), Fault> {
    if let Some(priority) = priority {
        if !cx.chip.rules.dma_priority.get() {
            let message = format!("priority does not exist on {}; it needs NeuronCore-v4", cx.chip.title);
            return Err(Fault::new(Code::Generation, message)
                .on("priority")
                .hint("leave priority out")
                .mend("leave priority out", Edit::Drop("priority")));
        }
        if !(0..=3).contains(&priority) {
            return Err(
                Fault::new(Code::Constraint, format!("priority {priority}; limit 0 to 3"))
                    .on("priority")
                    .hint("0 goes first, 3 last"),
            );
        }
    }
    if mode == DgeMode::Hardware && !cx.chip.rules.hardware_dge.get() {
        let message = format!(
            "dge_mode.hwdge does not exist on {}; it needs NeuronCore-v3",
            cx.chip.title
        );
        return Err(Fault::new(Code::Generation, message)
            .on("dge_mode")
            .hint("leave dge_mode out")
            .mend("leave dge_mode out", Edit::Drop("dge_mode")));
    }
    Ok(())
}

/// Positions of the elements that both sides have; `None` if all.
pub(super) fn common(dst: &mut Layout, src: &Layout) -> bool {
    let Some(table) = &src.table else {
        return dst.table.is_some();
    };
    let mut offsets = dst.offsets();
    for (slot, &from) in offsets.iter_mut().zip(table) {
        if from == usize::MAX {
            *slot = usize::MAX;
        }
    }
    dst.table = Some(offsets);
    true
}

/// Converts packed elements through float32.
fn convert(cx: &mut ExecCx, from: Dtype, to: Dtype, bytes: Vec<u8>) -> Vec<u8> {
    if from == to {
        return bytes;
    }
    let count = cast::value_count(from, bytes.len());
    let mut values = cx.machine.scratch.floats(count);
    cast::decode_f32(from, &bytes, &mut values);
    let mut out = cx.machine.scratch.bytes(count * to.bytes() as usize);
    cast::encode_f32(to, &values, &mut out, Mode::Chip);
    cx.recycle(values);
    cx.machine.scratch.give_bytes(bytes);
    out
}

impl Op for DmaCopy {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, src) = (cx.tile(self.dst.0), cx.tile(self.src.0));
        reachable(cx, self.dst.0, "dst")?;
        reachable(cx, self.src.0, "src")?;
        let (to, from) = (dst.pattern.elements(), src.pattern.elements());
        if to != from {
            let message = format!(
                "{} has {to} elements, {} has {from}; they must be equal",
                dst.label("dst"),
                src.label("src")
            );
            return Err(Fault::new(Code::Shape, message).on("src").hint(
                "slice both to the same elements; a last tile that is not full needs both sides cut: min(end, size)",
            ));
        }
        check_queue(cx, self.priority, self.dge_mode)?;
        check_vector(cx, self.dst.0, "dst", self.dge_mode)?;
        check_vector(cx, self.src.0, "src", self.dge_mode)?;
        if let EngineChoice::On(engine) = self.engine {
            let legal = self.dge_mode == DgeMode::Hardware && matches!(engine, Engine::Sync | Engine::Scalar);
            if !legal {
                let message = format!("engine {}; limit sync or scalar, with dge_mode.hwdge", engine.name());
                return Err(Fault::new(Code::Constraint, message)
                    .on("engine")
                    .hint("leave engine out, or add dge_mode=nisa.dge_mode.hwdge for the queue of sync or scalar")
                    .mend("leave engine out", Edit::Drop("engine")));
            }
        }
        if dst.dtype() == src.dtype() {
            return Ok(());
        }
        if self.dge_mode == DgeMode::Hardware {
            let message = format!(
                "{} and {}; limit: equal dtypes with dge_mode.hwdge",
                dst.label("dst"),
                src.label("src")
            );
            return Err(Fault::new(Code::Dtype, message)
                .on("dge_mode")
                .hint("convert with another dge_mode, or view one side as the dtype of the other")
                .mend("leave dge_mode out", Edit::Drop("dge_mode")));
        }
        rules::unpacked(cx, self.dst.0, "dst")?;
        rules::unpacked(cx, self.src.0, "src")
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let skip = self.oob_mode == OobMode::Skip;
        let source = cx.machine.layout(cx.tables, self.src.0, skip)?;
        let mut target = cx.machine.layout(cx.tables, self.dst.0, skip)?;
        common(&mut target, &source);
        let bytes = cx.machine.read_layout(cx.tables, self.src.0, "src", &source)?;
        let (from, to) = (cx.tile(self.src.0).dtype(), cx.tile(self.dst.0).dtype());
        let bytes = convert(cx, from, to, bytes);
        cx.machine.write_layout(cx.tables, self.dst.0, &target, &bytes)?;
        cx.machine.scratch.give_bytes(bytes);
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        let issue = match self.engine {
            EngineChoice::On(engine) => Some(engine),
            EngineChoice::Unknown => (self.dge_mode == DgeMode::Software).then_some(Engine::GpSimd),
        };
        cost::dma::copy(cx, &cx.tile(self.dst.0), &cx.tile(self.src.0), issue)
    }
}

op! {
    /// Transposes a tensor on its way into SBUF: dimensions in reverse order, for four of them (3, 1, 2, 0).
    dma_transpose => DmaTranspose on [] since Gen2 {
        /// Tile to write, in SBUF.
        dst: Out,
        /// Tensor to read, in HBM or SBUF, of the same dtype.
        src: In,
        /// Source dimension of each dimension of `dst`.
        axes: Option<Permutation> = None,
        /// Priority from 0 (first) to 3 (NeuronCore-v4 on).
        priority: Option<i32> = None,
        /// Who makes the descriptors.
        dge_mode: DgeMode = DgeMode::Unknown,
        /// What happens to run-time indices out of bounds.
        oob_mode: OobMode = OobMode::Error,
    }
}

impl DmaTranspose {
    /// The axes for a source of `rank` dimensions.
    fn axes(&self, rank: usize) -> Result<&[u8], Fault> {
        let default: &[u8] = match rank {
            2 => &[1, 0],
            3 => &[2, 1, 0],
            4 => &[3, 1, 2, 0],
            _ => {
                let message = format!("src has {rank} dimensions; limit 2, 3 or 4");
                return Err(Fault::new(Code::Shape, message)
                    .on("src")
                    .hint("reshape src, or transpose one slice at a time"));
            }
        };
        let axes = self.axes.as_ref().map_or(default, Permutation::axes);
        if axes.len() != rank {
            let message = format!("axes {axes:?} do not fit a src with {rank} dimensions");
            return Err(Fault::new(Code::Shape, message)
                .on("axes")
                .hint(format!(
                    "leave axes out for {default:?}, the only order for {rank} dimensions"
                ))
                .mend("leave axes out", Edit::Drop("axes")));
        }
        Ok(axes)
    }

    /// Checks the rules of the hardware block.
    fn check_hardware(&self, cx: &OpCx) -> Result<(), Fault> {
        let src = cx.tile(self.src.0);
        let shape = src.pattern.shape();
        let first = shape[0];
        let rank = shape.len();
        let rows = if rank == 2 {
            first == 16
        } else {
            [1, 2, 4, 8, 16].contains(&first) && (first * shape[rank - 2]).is_multiple_of(16)
        };
        let limit = if rank == 2 {
            "first dimension 16"
        } else {
            "first dimension 1, 2, 4, 8 or 16, and a multiple of 16 with the last but one"
        };
        if !rows {
            let message = format!("{}; limit: {limit} with dge_mode.hwdge", src.label("src"));
            return Err(software(Fault::new(Code::Constraint, message).on("src")));
        }
        narrow(cx, self.src.0, "dge_mode.hwdge").map_err(software)
    }

    /// Checks the rules of a gather.
    fn check_gather(&self, cx: &OpCx) -> Result<(), Fault> {
        let src = cx.tile(self.src.0);
        let shape = src.pattern.shape();
        check_vector(cx, self.src.0, "src", self.dge_mode)?;
        narrow(cx, self.src.0, "run-time indices")?;
        let fault = |limit: &str, hint: &str| {
            let message = format!("{}; limit: {limit} with run-time indices", src.label("src"));
            Err(Fault::new(Code::Constraint, message).on("src").hint(hint))
        };
        if !shape[0].is_multiple_of(16) {
            return fault(
                "first dimension a multiple of 16",
                "gather a few rows more, for example row 0 again, and leave their columns of the result out",
            );
        }
        if shape.len() == 4 && shape[1] != 1 && shape[2] != 1 {
            return fault(
                "dimension 1 or 2 has size 1",
                "transpose slice by slice along dimension 1",
            );
        }
        let Some(IndexSource::Vector(index)) = src.view.indirect.map(|id| cx.tables.indirects[id].source) else {
            return Ok(());
        };
        let index = cx.tile(index);
        let (rows, columns) = (index.partitions(), index.free_elements());
        let fits = (16..=128).contains(&rows) && rows.is_multiple_of(16) && (columns == 1 || rows == 128);
        if !fits || index.dtype() != Dtype::U32 || index.space() != Space::Sbuf {
            let message = format!(
                "{}; limit: uint32 in sbuf with 16 to 128 rows, a multiple of 16, and 128 for several columns",
                index.label("index")
            );
            return Err(Fault::new(Code::Constraint, message)
                .on("src")
                .hint("load the indices into a uint32 tile of shape [128, n], padded with a valid row"));
        }
        if u64::from(rows) * columns < u64::from(shape[0]) {
            let message = format!(
                "{} has fewer indices than {} has rows",
                index.label("index"),
                src.label("src")
            );
            return Err(Fault::new(Code::Shape, message)
                .on("src")
                .hint("give one index for each row of the pattern"));
        }
        Ok(())
    }
}

/// Checks the element size and the last dimension of a fast transpose.
fn narrow(cx: &OpCx, view: ViewId, why: &str) -> Result<(), Fault> {
    let src = cx.tile(view);
    let last = src.pattern.dims.last().map_or(1, |dim| dim.num);
    if src.dtype().bytes() == 2 && last <= 128 {
        return Ok(());
    }
    let message = format!(
        "{}; limit: a 2-byte dtype and a last dimension of at most 128 with {why}",
        src.label("src")
    );
    Err(Fault::new(Code::Constraint, message)
        .on("src")
        .hint("transpose slices of 128 columns, and 4-byte data with nisa.nc_transpose"))
}

/// Offers to let the compiler choose who makes the descriptors.
fn software(fault: Fault) -> Fault {
    fault
        .hint("leave dge_mode out; the compiler then chooses a way that takes this shape")
        .mend("leave dge_mode out", Edit::Drop("dge_mode"))
}

impl Op for DmaTranspose {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, src) = (cx.tile(self.dst.0), cx.tile(self.src.0));
        rules::sbuf(cx, self.dst.0, "dst")?;
        reachable(cx, self.src.0, "src")?;
        rules::same_dtype(cx, (self.dst.0, "dst"), (self.src.0, "src"))?;
        check_queue(cx, self.priority, self.dge_mode)?;
        let shape = src.pattern.shape();
        let axes = self.axes(shape.len())?;
        let turned: Vec<u32> = axes.iter().map(|&axis| shape[usize::from(axis)]).collect();
        if dst.pattern.shape() != turned {
            let message = format!(
                "{}; the transpose of {} is {turned:?}",
                dst.label("dst"),
                src.label("src")
            );
            return Err(Fault::new(Code::Shape, message)
                .on("dst")
                .hint(format!("allocate dst with shape {turned:?}")));
        }
        if is_vector(cx, self.src.0) {
            return self.check_gather(cx);
        }
        if !matches!(self.dge_mode, DgeMode::Unknown | DgeMode::Hardware) {
            let message = format!(
                "{}; limit dge_mode.unknown or dge_mode.hwdge without run-time indices",
                self.dge_mode.spell()
            );
            return Err(Fault::new(Code::Constraint, message)
                .on("dge_mode")
                .hint("leave dge_mode out")
                .mend("leave dge_mode out", Edit::Drop("dge_mode")));
        }
        if self.oob_mode == OobMode::Skip && src.view.indirect.is_none() {
            let message = "oob_mode.skip needs a src with run-time indices";
            return Err(Fault::new(Code::Constraint, message)
                .on("oob_mode")
                .hint("leave oob_mode out: addresses that are known while the kernel is traced are checked then")
                .mend("leave oob_mode out", Edit::Drop("oob_mode")));
        }
        if self.dge_mode == DgeMode::Hardware {
            return self.check_hardware(cx);
        }
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let src = cx.tile(self.src.0);
        let width = src.dtype().bytes() as usize;
        let shape = src.pattern.shape();
        let axes = self.axes(shape.len())?;
        let source = cx
            .machine
            .layout(cx.tables, self.src.0, self.oob_mode == OobMode::Skip)?;
        let mut target = cx.machine.layout(cx.tables, self.dst.0, false)?;
        let bytes = cx.machine.read_layout(cx.tables, self.src.0, "src", &source)?;
        let mut out = cx.machine.scratch.bytes(bytes.len());
        if let [rows, columns] = shape[..] {
            let layout = transpose::Layout {
                rows: rows as usize,
                columns: columns as usize,
                source_stride: columns as usize * width,
                result_stride: rows as usize * width,
            };
            transpose::transpose_bytes(width, layout, &bytes, &mut out);
        } else {
            for (slot, from) in out.chunks_exact_mut(width).zip(turned_order(&shape, axes)) {
                slot.copy_from_slice(&bytes[from * width..(from + 1) * width]);
            }
        }
        if let Some(table) = &source.table {
            let mut offsets = target.offsets();
            for (slot, from) in offsets.iter_mut().zip(turned_order(&shape, axes)) {
                if table[from] == usize::MAX {
                    *slot = usize::MAX;
                }
            }
            target.table = Some(offsets);
        }
        cx.machine.write_layout(cx.tables, self.dst.0, &target, &out)?;
        cx.machine.scratch.give_bytes(bytes);
        cx.machine.scratch.give_bytes(out);
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        cost::dma::transpose(cx, &cx.tile(self.dst.0), &cx.tile(self.src.0))
    }
}

/// For each element of the transposed tensor, in order, its position in the source.
fn turned_order(shape: &[u32], axes: &[u8]) -> Vec<usize> {
    let mut strides = vec![1_usize; shape.len()];
    for at in (0..shape.len().saturating_sub(1)).rev() {
        strides[at] = strides[at + 1] * shape[at + 1] as usize;
    }
    let mut order = vec![0];
    for &axis in axes {
        let (num, stride) = (shape[usize::from(axis)] as usize, strides[usize::from(axis)]);
        order = order
            .iter()
            .flat_map(|base| (0..num).map(move |at| base + at * stride))
            .collect();
    }
    order
}
