//! Reading a view without demanding that it was written, for people who look at it.

use crate::base::diag::Fault;
use crate::machine::Machine;
use crate::tensor::tables::Tables;
use crate::tensor::view::ViewId;

/// The content of a view at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Peek {
    /// Bytes, packed in the order of the view; 0 where nothing was written.
    pub bytes: Vec<u8>,
    /// Whether each storage element was written; rows that an index leaves out count as not written.
    pub written: Vec<bool>,
}

impl Peek {
    /// Storage elements that two moments of the same view do not share; none if one of them could not be read.
    pub fn changed(before: Option<&Self>, after: Option<&Self>) -> u64 {
        let (Some(before), Some(after)) = (before, after) else {
            return 0;
        };
        let elements = after.written.len();
        if elements == 0 || before.written.len() != elements {
            return 0;
        }
        let width = after.bytes.len() / elements;
        let differs = |at: &usize| {
            let bytes = at * width..(at + 1) * width;
            before.written[*at] != after.written[*at] || before.bytes[bytes.clone()] != after.bytes[bytes]
        };
        (0..elements).filter(differs).count() as u64
    }
}

impl Machine {
    /// The content of a view as it is.
    ///
    /// # Errors
    /// A run-time index that nobody wrote or that is out of bounds.
    pub fn peek(&mut self, tables: &Tables, view: ViewId) -> Result<Peek, Fault> {
        let layout = self.layout(tables, view, true)?;
        let tile = tables.tile(view);
        self.memory.prepare(tile.view.buffer, tile.buffer)?;
        let elem = layout.elem;
        let mut peek = Peek {
            bytes: vec![0; layout.count * elem],
            written: vec![false; layout.count],
        };
        let Some(store) = self.memory.get(tile.view.buffer) else {
            return Ok(peek);
        };
        layout.runs(|run| {
            for at in 0..run.count {
                let from = (run.offset as isize + at as isize * run.step) as usize;
                if store.written.all(from, from + elem) {
                    let to = run.at + at;
                    peek.bytes[to * elem..(to + 1) * elem].copy_from_slice(&store.bytes[from..from + elem]);
                    peek.written[to] = true;
                }
            }
        });
        Ok(peek)
    }
}
