//! Placement of on-chip buffers from their lifetimes.
//!
//! Buffers are placed in the order of their first use, in a rotating next-fit order: a new buffer goes behind the one placed
//! before it, so the buffers of successive loop iterations land in different places as far as the memory allows, and
//! iterations overlap as double buffering would make them. If the rotation leaves only gaps that are too small, the placement starts
//! over with the lowest fitting address. A place that the user chose is kept and never given to another buffer.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::base::index::{Idx, IndexVec};
use crate::chip::Chip;
use crate::tensor::buffer::{BufferId, Space};
use crate::tensor::tables::Tables;

/// When a buffer of one core is alive, in positions of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// The buffer.
    pub buffer: BufferId,
    /// Position of the first access.
    pub first: u32,
    /// Position of the last access.
    pub last: u32,
}

/// Where a buffer lies in its memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// First partition.
    pub partition: u32,
    /// First byte in each partition.
    pub byte: u64,
}

/// A memory that is too small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overflow {
    /// The memory.
    pub space: Space,
    /// The buffer that found no place.
    pub buffer: BufferId,
    /// Bytes in a partition that are needed at that moment, this buffer included.
    pub needed: u64,
    /// Bytes in a partition that there are.
    pub limit: u64,
    /// Buffers alive at that moment, largest first.
    pub live: Vec<BufferId>,
}

/// The placement of one core's buffers.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// Place of each on-chip buffer that the core uses; indexed by buffer.
    pub places: Vec<Option<Place>>,
    /// Lifetimes in the order of first use.
    pub lifetimes: Vec<Lifetime>,
    /// Most SBUF bytes in a partition that are alive at once.
    pub sbuf_peak_bytes: u64,
    /// Most PSUM banks that hold live data at once.
    pub psum_peak_banks: u32,
}

impl Placement {
    /// The place of `buffer`; the start of the memory if it has none.
    pub fn place(&self, buffer: BufferId) -> Place {
        self.places
            .get(buffer.as_usize())
            .copied()
            .flatten()
            .unwrap_or_default()
    }
}

/// Which gap a buffer takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Policy {
    /// The next one behind the buffer placed before.
    Rotate,
    /// The lowest one.
    Lowest,
}

/// Free ranges of a memory of `size` bytes a partition.
struct Free {
    gaps: BTreeMap<u64, u64>,
    cursor: u64,
    policy: Policy,
}

impl Free {
    fn new(size: u64, policy: Policy) -> Self {
        Self {
            gaps: BTreeMap::from([(0, size)]),
            cursor: 0,
            policy,
        }
    }

    /// Takes `size` bytes; a gap must also satisfy the grain: no piece crosses a multiple of `grain` unless it starts on one.
    fn take(&mut self, size: u64, grain: u64) -> Option<u64> {
        let from = if self.policy == Policy::Rotate { self.cursor } else { 0 };
        let behind = self.gaps.range(from..).map(|(&lo, &hi)| (lo, hi));
        let before = self.gaps.range(..from).map(|(&lo, &hi)| (lo, hi));
        // The gap that contains the cursor starts before it, so it is offered first, from the cursor on.
        let around = self
            .gaps
            .range(..from)
            .next_back()
            .filter(|&(_, &hi)| hi > from)
            .map(|(_, &hi)| (from, hi));
        let at = around
            .into_iter()
            .chain(behind)
            .chain(before)
            .find_map(|(lo, hi)| fit(lo, hi, size, grain))?;
        self.remove(at, at + size);
        self.cursor = at + size;
        Some(at)
    }

    /// Marks a range as used.
    fn remove(&mut self, lo: u64, hi: u64) {
        let touched: Vec<(u64, u64)> = self
            .gaps
            .range(..hi)
            .rev()
            .take_while(|&(_, &end)| end > lo)
            .map(|(&start, &end)| (start, end))
            .collect();
        for (start, end) in touched {
            self.gaps.remove(&start);
            if start < lo {
                self.gaps.insert(start, lo);
            }
            if end > hi {
                self.gaps.insert(hi, end);
            }
        }
    }

    /// Gives a range back.
    fn give(&mut self, mut lo: u64, mut hi: u64) {
        if let Some((&start, &end)) = self.gaps.range(..=lo).next_back()
            && end == lo
        {
            self.gaps.remove(&start);
            lo = start;
        }
        if let Some(end) = self.gaps.remove(&hi) {
            hi = end;
        }
        self.gaps.insert(lo, hi);
    }
}

/// The first place in `lo..hi` for `size` bytes that does not cross a multiple of `grain` in its middle.
fn fit(lo: u64, hi: u64, size: u64, grain: u64) -> Option<u64> {
    let room = if grain == 0 { size } else { grain - lo % grain };
    let at = if size <= room {
        lo
    } else {
        lo.next_multiple_of(grain.max(1))
    };
    (at + size <= hi).then_some(at)
}

/// One memory during placement.
struct Memory<'a> {
    tables: &'a Tables,
    space: Space,
    size: u64,
    align: u64,
    grain: u64,
}

impl Memory<'_> {
    /// Bytes in a partition that `buffer` takes.
    fn bytes(&self, buffer: BufferId) -> u64 {
        let row = self.tables.buffers[buffer].row_bytes().max(1);
        let step = if self.grain > 0 && row > self.grain {
            self.grain
        } else {
            self.align
        };
        row.next_multiple_of(step.max(1))
    }

    /// Places all buffers of this memory.
    fn run(&self, policy: Policy, lives: &[Lifetime], places: &mut [Option<Place>]) -> Result<(), Overflow> {
        let mut free = Free::new(self.size, policy);
        for life in lives {
            if let Some(address) = self.tables.buffers[life.buffer].address {
                free.remove(address.byte, address.byte + self.bytes(life.buffer));
                places[life.buffer.as_usize()] = Some(Place {
                    partition: address.partition,
                    byte: address.byte,
                });
            }
        }
        let mut live: BinaryHeap<Reverse<(u32, BufferId)>> = BinaryHeap::new();
        let automatic = |life: &&Lifetime| self.tables.buffers[life.buffer].address.is_none();
        for life in lives.iter().filter(automatic) {
            while let Some(&Reverse((last, buffer))) = live.peek()
                && last < life.first
            {
                live.pop();
                let byte = places[buffer.as_usize()].unwrap_or_default().byte;
                free.give(byte, byte + self.bytes(buffer));
            }
            let size = self.bytes(life.buffer);
            let Some(byte) = free.take(size, self.grain) else {
                return Err(self.overflow(life, lives));
            };
            places[life.buffer.as_usize()] = Some(Place { partition: 0, byte });
            live.push(Reverse((life.last, life.buffer)));
        }
        Ok(())
    }

    /// What is alive when `life` begins.
    fn overflow(&self, life: &Lifetime, lives: &[Lifetime]) -> Overflow {
        let at = |other: &&Lifetime| other.first <= life.first && other.last >= life.first;
        let mut live: Vec<BufferId> = lives.iter().filter(at).map(|other| other.buffer).collect();
        live.sort_by_key(|&buffer| (Reverse(self.bytes(buffer)), buffer));
        Overflow {
            space: self.space,
            buffer: life.buffer,
            needed: live.iter().map(|&buffer| self.bytes(buffer)).sum(),
            limit: self.size,
            live,
        }
    }

    /// Most bytes alive at once.
    fn peak(&self, lives: &[Lifetime]) -> u64 {
        let mut changes: Vec<(u32, i64)> = Vec::with_capacity(lives.len() * 2);
        for life in lives {
            let bytes = self.bytes(life.buffer) as i64;
            changes.push((life.first, bytes));
            changes.push((life.last + 1, -bytes));
        }
        changes.sort_unstable();
        let mut now = 0;
        let mut most = 0;
        for (_, change) in changes {
            now += change;
            most = most.max(now);
        }
        most.max(0) as u64
    }
}

/// Most banks of `bank` bytes that hold live data at once.
fn peak_banks(memory: &Memory, lives: &[Lifetime], places: &[Option<Place>], bank: u64) -> u32 {
    let banks = memory.size.div_ceil(bank.max(1)) as usize;
    let mut changes: Vec<(u32, bool, usize)> = Vec::new();
    for life in lives {
        let byte = places[life.buffer.as_usize()].unwrap_or_default().byte;
        let first = (byte / bank) as usize;
        let last = ((byte + memory.bytes(life.buffer) - 1) / bank) as usize;
        for at in first..=last.min(banks.saturating_sub(1)) {
            changes.push((life.first, true, at));
            changes.push((life.last + 1, false, at));
        }
    }
    changes.sort_unstable();
    let mut used = vec![0_u32; banks];
    let mut most = 0;
    for (_, begins, at) in changes {
        used[at] = if begins {
            used[at] + 1
        } else {
            used[at].saturating_sub(1)
        };
        most = most.max(used.iter().filter(|&&count| count > 0).count());
    }
    most as u32
}

/// Places the buffers of one core; `lives` is in the order of first use and holds on-chip buffers only.
///
/// # Errors
/// A memory that is too small at some moment.
pub fn place(chip: &Chip, tables: &Tables, lives: &[Lifetime]) -> Result<Placement, Overflow> {
    let memory = &chip.memory;
    let bank = memory.psum_bank_bytes.get().0;
    let sbuf = Memory {
        tables,
        space: Space::Sbuf,
        size: memory.sbuf_usable_bytes.get().0,
        align: memory.sbuf_align_bytes.get().0,
        grain: 0,
    };
    let psum = Memory {
        tables,
        space: Space::Psum,
        size: bank * u64::from(memory.psum_banks.get()),
        align: memory.sbuf_align_bytes.get().0,
        grain: bank,
    };
    let mut places = vec![None; tables.buffers.len()];
    let of = |space: Space| -> Vec<Lifetime> {
        let here = |life: &&Lifetime| tables.buffers[life.buffer].space == space;
        lives.iter().filter(here).copied().collect()
    };
    let (in_sbuf, in_psum) = (of(Space::Sbuf), of(Space::Psum));
    for (memory, lives) in [(&sbuf, &in_sbuf), (&psum, &in_psum)] {
        if memory.run(Policy::Rotate, lives, &mut places).is_err() {
            memory.run(Policy::Lowest, lives, &mut places)?;
        }
    }
    Ok(Placement {
        sbuf_peak_bytes: sbuf.peak(&in_sbuf),
        psum_peak_banks: peak_banks(&psum, &in_psum, &places, bank),
        places,
        lifetimes: lives.to_vec(),
    })
}

/// Collects lifetimes while accesses are reported in program order.
#[derive(Debug, Default)]
pub struct Lifetimes {
    slots: IndexVec<BufferId, Option<u32>>,
    lives: Vec<Lifetime>,
}

impl Lifetimes {
    /// For `buffers` buffers, none used yet.
    pub fn new(buffers: usize) -> Self {
        let mut slots = IndexVec::new();
        for _ in 0..buffers {
            slots.push(None);
        }
        Self {
            slots,
            lives: Vec::new(),
        }
    }

    /// Notes an access to `buffer` at `position`.
    pub fn access(&mut self, buffer: BufferId, position: u32) {
        match self.slots[buffer] {
            Some(slot) => self.lives[slot as usize].last = position,
            None => {
                self.slots[buffer] = Some(self.lives.len() as u32);
                self.lives.push(Lifetime {
                    buffer,
                    first: position,
                    last: position,
                });
            }
        }
    }

    /// Extends every buffer that was touched at or after `from` to `to`: the body of a dynamic loop may run again.
    pub fn extend(&mut self, from: u32, to: u32) {
        for life in self.lives.iter_mut().filter(|life| life.last >= from) {
            life.last = to;
        }
    }

    /// The lifetimes in the order of first use.
    pub fn finish(self) -> Vec<Lifetime> {
        self.lives
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::span::LocId;
    use crate::numerics::dtype::Dtype;
    use crate::tensor::buffer::{Address, Buffer, Init};

    /// Buffers of `columns` fp32 each, with their lives.
    fn setup(space: Space, buffers: &[(u32, u32, u32)]) -> (Tables, Vec<Lifetime>) {
        let mut tables = Tables::default();
        let lives = buffers.iter().map(|&(columns, first, last)| {
            let buffer = tables.buffers.push(Buffer {
                name: format!("t{first}"),
                space,
                shape: vec![128, columns],
                dtype: Dtype::F32,
                address: None,
                init: Init::Unwritten,
                loc: LocId(0),
            });
            Lifetime { buffer, first, last }
        });
        let lives = lives.collect();
        (tables, lives)
    }

    fn trn2() -> &'static Chip {
        Chip::by_name("trn2").unwrap()
    }

    #[test]
    fn successive_buffers_rotate() {
        let (tables, lives) = setup(Space::Sbuf, &[(512, 0, 1), (512, 2, 3), (512, 4, 5)]);
        let placement = place(trn2(), &tables, &lives).unwrap();
        let bytes: Vec<u64> = lives.iter().map(|life| placement.place(life.buffer).byte).collect();
        assert_eq!(bytes, [0, 2048, 4096]);
        assert_eq!(placement.sbuf_peak_bytes, 2048);
    }

    #[test]
    fn live_buffers_never_share_bytes() {
        let sizes: Vec<(u32, u32, u32)> = (0..400).map(|at| (64 + at * 37 % 900, at, at + at * 7 % 40)).collect();
        let (tables, lives) = setup(Space::Sbuf, &sizes);
        let placement = place(trn2(), &tables, &lives).unwrap();
        let range = |life: &Lifetime| {
            let lo = placement.place(life.buffer).byte;
            (lo, lo + tables.buffers[life.buffer].row_bytes())
        };
        for (at, a) in lives.iter().enumerate() {
            for b in &lives[..at] {
                let (ra, rb) = (range(a), range(b));
                let together = a.first <= b.last && b.first <= a.last;
                assert!(!together || ra.1 <= rb.0 || rb.1 <= ra.0);
            }
        }
    }

    #[test]
    fn psum_tiles_do_not_cross_banks_and_use_them_in_turn() {
        let (tables, lives) = setup(Space::Psum, &[(300, 0, 9), (300, 1, 9), (512, 2, 9), (1024, 3, 9)]);
        let placement = place(trn2(), &tables, &lives).unwrap();
        let bytes: Vec<u64> = lives.iter().map(|life| placement.place(life.buffer).byte).collect();
        assert_eq!(bytes, [0, 2048, 4096, 6144]);
        assert_eq!(placement.psum_peak_banks, 5);
    }

    #[test]
    fn a_full_memory_names_what_fills_it() {
        let (tables, lives) = setup(Space::Psum, &[(512, 0, 9), (3072, 1, 9), (512, 2, 9), (4, 10, 11)]);
        assert!(place(trn2(), &tables, &lives).is_ok());
        let (tables, lives) = setup(Space::Psum, &[(512, 0, 9), (3072, 1, 9), (1024, 2, 9)]);
        let overflow = place(trn2(), &tables, &lives).unwrap_err();
        assert_eq!((overflow.needed, overflow.limit), (18_432, 16_384));
        assert_eq!(overflow.live, [BufferId(1), BufferId(2), BufferId(0)]);
    }

    #[test]
    fn a_chosen_address_is_kept_and_not_shared() {
        let (mut tables, lives) = setup(Space::Sbuf, &[(512, 0, 9), (512, 1, 9)]);
        tables.buffers[BufferId(1)].address = Some(Address { partition: 0, byte: 0 });
        let placement = place(trn2(), &tables, &lives).unwrap();
        assert_eq!(placement.place(BufferId(1)).byte, 0);
        assert_eq!(placement.place(BufferId(0)).byte, 2048);
    }
}
