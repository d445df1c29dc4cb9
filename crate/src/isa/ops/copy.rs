//! Copies and constants inside the core.

use crate::base::diag::{Code, Fault};
use crate::base::mend::Edit;
use crate::chip::engine::Engine;
use crate::isa::access;
use crate::isa::context::{ExecCx, OpCx};
use crate::isa::cost;
use crate::isa::param::{EngineChoice, In, InOut, Number, Operand32, Out};
use crate::isa::rules;
use crate::isa::spec::Op;
use crate::isa::work::Work;
use crate::numerics::cast::{self, Mode};
use crate::numerics::dtype::Dtype;
use crate::op;

op! {
    /// Copies a tile between on-chip memories, converting the dtype on the way.
    ///
    /// Equal dtypes copy bits; others convert through float32.
    tensor_copy => TensorCopy on [Vector, Scalar, GpSimd] since Gen2 [
        deprecated "dtype", "the dtype of dst decides; allocate dst with the dtype you want"
    ] {
        /// Tile to write.
        dst: Out,
        /// Tile to read.
        src: In,
        /// Engine to issue on.
        engine: EngineChoice = EngineChoice::Unknown,
    }
}

impl Op for TensorCopy {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, src) = ((self.dst.0, "dst"), (self.src.0, "src"));
        rules::on_chip(cx, dst.0, dst.1)?;
        rules::on_chip(cx, src.0, src.1)?;
        rules::same_shape(cx, dst, src)?;
        let engines: &[Engine] = match cx.chip.rules.scalar_arithmetic.get() {
            true => &[Engine::Vector, Engine::Scalar, Engine::GpSimd],
            false => &[Engine::Vector, Engine::GpSimd],
        };
        rules::engine(cx, self.engine, engines, &[dst, src])?;
        access::indirect_engine(cx, self.engine, &[Engine::Vector, Engine::Scalar], dst.0, src.0)?;
        if cx.tile(dst.0).dtype() != cx.tile(src.0).dtype() {
            rules::unpacked(cx, dst.0, dst.1)?;
            rules::unpacked(cx, src.0, src.1)?;
        }
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        if cx.tile(self.dst.0).dtype() == cx.tile(self.src.0).dtype() {
            let bytes = cx.read_raw(self.src.0, "src")?;
            return cx.write_raw(self.dst.0, bytes);
        }
        let values = cx.read(self.src.0, "src")?;
        cx.write(self.dst.0, values)
    }

    fn work(&self, cx: &OpCx) -> Work {
        let (dst, src) = (cx.tile(self.dst.0), cx.tile(self.src.0));
        let engine = cost::choose(self.engine, Self::SPEC.engines, &[dst, src]);
        if src.view.indirect.is_some() || dst.view.indirect.is_some() {
            return cost::lanes::dynamic_copy(cx, engine, &dst, &src);
        }
        cost::lanes::one_input(cx, engine, &dst, &src, false)
    }
}

op! {
    /// Fills a tile with a constant.
    memset => Memset on [Vector, GpSimd] since Gen2 {
        /// Tile to fill.
        dst: Out,
        /// The constant: an integer for integer tiles, zero for packed ones.
        value: Number,
        /// Engine to issue on.
        engine: EngineChoice = EngineChoice::Unknown,
    }
}

impl Op for Memset {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let dst = cx.tile(self.dst.0);
        rules::on_chip(cx, self.dst.0, "dst")?;
        rules::engine(
            cx,
            self.engine,
            &[Engine::Vector, Engine::GpSimd],
            &[(self.dst.0, "dst")],
        )?;
        let Number(value) = self.value;
        if dst.dtype().is_packed() && value.constant() != Some(0.0) {
            let message = format!("{} is packed; limit: value 0", dst.label("dst"));
            return Err(Fault::new(Code::Dtype, message)
                .on("value")
                .hint("load packed data with nisa.dma_copy")
                .mend("write value=0", Edit::Set("value", "0".to_owned())));
        }
        let float = matches!(value, Operand32::Float(_));
        if dst.dtype().is_integer() && dst.dtype() != Dtype::Bool && float {
            let message = format!(
                "value {} is a float, {} holds integers; they must match",
                crate::isa::spec::Param::spell(&value),
                dst.label("dst")
            );
            let fault = Fault::new(Code::Dtype, message)
                .on("value")
                .hint("write the value as an integer");
            return Err(match value.constant().filter(|value| value.fract() == 0.0) {
                Some(whole) => fault.mend(
                    format!("write value={whole:.0}"),
                    Edit::Set("value", format!("{whole:.0}")),
                ),
                None => fault,
            });
        }
        Ok(())
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let tile = cx.tile(self.dst.0);
        let dtype = tile.dtype();
        let element = element(dtype, self.value.0);
        let count = tile.pattern.elements() as usize;
        let mut bytes = cx.machine.scratch.bytes(count * element.len());
        bytes
            .chunks_exact_mut(element.len())
            .for_each(|slot| slot.copy_from_slice(&element));
        cx.write_raw(self.dst.0, bytes)
    }

    fn work(&self, cx: &OpCx) -> Work {
        let dst = cx.tile(self.dst.0);
        cost::lanes::memset(cx, cost::choose(self.engine, Self::SPEC.engines, &[dst]), &dst)
    }
}

/// The bytes of one element of `dtype` that holds a constant.
pub(super) fn element(dtype: Dtype, value: Operand32) -> Vec<u8> {
    let mut bytes = vec![0; dtype.bytes() as usize];
    let lanes = dtype.info().lanes as usize;
    match value {
        Operand32::Int(value) => cast::encode_i64(dtype, &vec![i64::from(value); lanes], &mut bytes),
        Operand32::Wide(value) => cast::encode_i64(dtype, &vec![i64::from(value); lanes], &mut bytes),
        Operand32::Float(value) => cast::encode_f32(dtype, &vec![value; lanes], &mut bytes, Mode::Chip),
        Operand32::Tile(_) => {}
    }
    bytes
}

op! {
    /// Copies the elements of a tile, or a constant, where a predicate holds; other elements of `dst` stay.
    tensor_copy_predicated => TensorCopyPredicated on [Vector] since Gen2 {
        /// Tile to update.
        dst: InOut,
        /// Tile to copy from, or a constant.
        src: Operand32,
        /// Unsigned integers; an element holds where it is not zero.
        predicate: In,
        /// Copy where the predicate does not hold.
        reverse_pred: bool = false,
    }
}

impl Op for TensorCopyPredicated {
    fn check(&self, cx: &OpCx) -> Result<(), Fault> {
        let (dst, predicate) = ((self.dst.0, "dst"), (self.predicate.0, "predicate"));
        rules::numeric(cx, &[dst, predicate])?;
        rules::same_shape(cx, dst, predicate)?;
        rules::dtype(cx, predicate.0, predicate.1, &[Dtype::U8, Dtype::U16, Dtype::U32])?;
        let Some(src) = self.src.tile().map(|view| (view, "src")) else {
            return Ok(());
        };
        rules::on_chip(cx, src.0, src.1)?;
        rules::same_shape(cx, dst, src)?;
        rules::same_dtype(cx, dst, src)?;
        rules::not_both_psum(cx, src, predicate)
    }

    fn execute(&self, cx: &mut ExecCx) -> Result<(), Fault> {
        let predicate = cx.read_bits(self.predicate.0, "predicate")?;
        let dtype = cx.tile(self.dst.0).dtype();
        let bytes = match self.src.tile() {
            Some(src) => cx.read_raw(src, "src")?,
            None => element(dtype, self.src).repeat(predicate.len()),
        };
        let mut layout = cx.machine.layout(cx.tables, self.dst.0, false)?;
        let mut offsets = layout.offsets();
        for (offset, &holds) in offsets.iter_mut().zip(&predicate) {
            if (holds != 0) == self.reverse_pred {
                *offset = usize::MAX;
            }
        }
        layout.table = Some(offsets);
        cx.machine.write_layout(cx.tables, self.dst.0, &layout, &bytes)?;
        cx.machine.scratch.give_words(predicate);
        cx.machine.scratch.give_bytes(bytes);
        Ok(())
    }

    fn work(&self, cx: &OpCx) -> Work {
        let (dst, predicate) = (cx.tile(self.dst.0), cx.tile(self.predicate.0));
        let src = self.src.tile().map_or(dst, |view| cx.tile(view));
        cost::lanes::two_inputs_plain(cx, &dst, &src, &predicate)
    }
}
