//! What one instruction touches, in addresses of the memories.

use crate::isa::Inst;
use crate::isa::spec::Access as Role;
use crate::tensor::alloc::Placement;
use crate::tensor::buffer::{BufferId, Space};
use crate::tensor::region::Region;
use crate::tensor::view::{IndexSource, ViewId};
use crate::timing::timeline::Totals;
use crate::trace::program::Program;

/// One operand in physical addresses.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// The buffer.
    pub buffer: BufferId,
    /// The memory.
    pub space: Space,
    /// The bytes, in addresses of the memory.
    pub region: Region,
    /// Whether it is read.
    pub read: bool,
    /// Whether it is written.
    pub write: bool,
    /// Whether the load of a stationary matrix needs it, rather than the multiplication.
    pub stationary: bool,
    /// Bytes that pass.
    pub bytes: u64,
}

/// Collects what `inst` touches into `uses`.
pub fn collect(program: &Program, placement: &Placement, inst: &Inst, uses: &mut Vec<Use>) {
    uses.clear();
    inst.operands(&mut |operand| {
        let stationary = operand.param.starts_with("stationary") || operand.param == "data";
        let (read, write) = match operand.access {
            Role::Read => (true, false),
            Role::Write => (false, true),
            Role::ReadWrite => (true, true),
        };
        let mut touch = of_view(program, placement, operand.view);
        touch.read = read;
        touch.write = write;
        touch.stationary = stationary && !write;
        uses.push(touch);
        if let Some(indirect) = program.tables.views[operand.view].indirect {
            match program.tables.indirects[indirect].source {
                IndexSource::Scalar(view) | IndexSource::Vector(view) | IndexSource::Free(view) => {
                    uses.push(of_view(program, placement, view));
                }
                IndexSource::Register(_) => {}
            }
        }
    });
}

/// A read of a view.
fn of_view(program: &Program, placement: &Placement, view: ViewId) -> Use {
    let tile = program.tables.tile(view);
    let region = Region::of(&tile);
    let place = placement.place(tile.view.buffer);
    let space = tile.space();
    Use {
        buffer: tile.view.buffer,
        space,
        region: if space.is_on_chip() {
            region.placed_at(place.partition, place.byte)
        } else {
            region
        },
        read: true,
        write: false,
        stationary: false,
        bytes: tile.bytes(),
    }
}

/// Adds the on-chip traffic of an instruction.
pub fn count(uses: &[Use], totals: &mut Totals) {
    for touch in uses {
        let bytes = crate::base::units::Bytes(touch.bytes);
        let (read, write) = match touch.space {
            Space::Sbuf => (&mut totals.sbuf_read, &mut totals.sbuf_write),
            Space::Psum => (&mut totals.psum_read, &mut totals.psum_write),
            Space::Hbm | Space::SharedHbm => continue,
        };
        // PSUM adds at its write port: an accumulating multiplication sends its products and reads nothing back.
        let adds_in_place = touch.space == Space::Psum && touch.write;
        if touch.read && !adds_in_place {
            *read += bytes;
        }
        if touch.write {
            *write += bytes;
        }
    }
}
