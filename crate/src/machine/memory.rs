//! The memories of all cores: one storage per buffer, made at the first write and dropped after the last use.
//!
//! Buffers that the user placed (`address=`) share one storage per core and memory, so that overlapping addresses overlap.

use rustc_hash::FxHashMap;

use crate::base::diag::{Code, Fault};
use crate::base::index::Idx;
use crate::chip::Chip;
use crate::machine::bits::Bitmap;
use crate::machine::layout::Placement;
use crate::tensor::buffer::{Buffer, BufferId, Init, Space};
use crate::tensor::tables::Tables;

/// Bytes with a bit for each byte that was written.
#[derive(Clone, Debug)]
pub struct Store {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Which of them were written.
    pub written: Bitmap,
}

/// All storages of a launch.
#[derive(Debug)]
pub struct Memory {
    /// Where each buffer lies; parallel to the buffers of the tables.
    places: Vec<Placement>,
    /// Storages; `None` before the first write and after the last use.
    stores: Vec<Option<Store>>,
    /// Bytes that each storage needs.
    sizes: Vec<u64>,
    /// Bytes in use.
    used: u64,
    /// Bytes that may be in use at once.
    limit: u64,
    /// Buffers whose last write was not a matrix product; parallel to `places`.
    foreign: Vec<bool>,
}

/// Bytes of one partition of an on-chip memory.
fn partition_bytes(chip: &Chip, space: Space) -> u64 {
    match space {
        Space::Sbuf => chip.memory.sbuf_partition_bytes.get().0,
        Space::Psum => u64::from(chip.memory.psum_banks.get()) * chip.memory.psum_bank_bytes.get().0,
        Space::Hbm | Space::SharedHbm => 0,
    }
}

impl Memory {
    /// Lays out the buffers of `tables`; `owners` gives the core of each buffer.
    pub fn new(chip: &Chip, tables: &Tables, owners: &[u32], limit: u64) -> Self {
        let mut memory = Self {
            places: Vec::with_capacity(owners.len()),
            stores: Vec::new(),
            sizes: Vec::new(),
            used: 0,
            limit,
            foreign: vec![false; owners.len()],
        };
        let mut arenas: FxHashMap<(u32, Space), usize> = FxHashMap::default();
        for (id, buffer) in tables.buffers.iter_enumerated() {
            let owner = owners.get(id.as_usize()).copied().unwrap_or(0);
            let place = match buffer.address.filter(|_| buffer.space.is_on_chip()) {
                Some(address) => {
                    let pitch = partition_bytes(chip, buffer.space);
                    let store = *arenas
                        .entry((owner, buffer.space))
                        .or_insert_with(|| memory.add(pitch * u64::from(chip.memory.partitions.get())));
                    Placement {
                        store,
                        base: (u64::from(address.partition) * pitch + address.byte) as usize,
                        pitch: pitch as usize,
                    }
                }
                None => Placement {
                    store: memory.add(buffer.bytes()),
                    base: 0,
                    pitch: buffer.row_bytes() as usize,
                },
            };
            memory.places.push(place);
        }
        memory
    }

    /// A new storage of `size` bytes.
    fn add(&mut self, size: u64) -> usize {
        self.sizes.push(size);
        self.stores.push(None);
        self.sizes.len() - 1
    }

    /// Where a buffer lies.
    pub fn place(&self, id: BufferId) -> Placement {
        self.places[id.as_usize()]
    }

    /// Bytes of the storage of a buffer.
    pub fn size(&self, id: BufferId) -> u64 {
        self.sizes[self.place(id).store]
    }

    /// The storage of a buffer, if it exists.
    pub fn get(&self, id: BufferId) -> Option<&Store> {
        self.stores[self.place(id).store].as_ref()
    }

    /// The storage of a buffer, made if need be.
    ///
    /// # Errors
    /// The memory of the run is used up.
    pub fn make(&mut self, id: BufferId, buffer: &Buffer) -> Result<&mut Store, Fault> {
        let at = self.place(id).store;
        if self.stores[at].is_none() {
            let bytes = match &buffer.init {
                Init::Constant(bytes) if buffer.address.is_none() => Some(bytes.to_vec()),
                Init::Constant(_) | Init::Unwritten | Init::Argument(_) => None,
            };
            self.reserve(at, buffer)?;
            let size = self.sizes[at] as usize;
            let written = Bitmap::new(size, bytes.is_some());
            let bytes = bytes.unwrap_or_else(|| vec![0; size]);
            self.stores[at] = Some(Store { bytes, written });
        }
        self.stores[at]
            .as_mut()
            .ok_or_else(|| Fault::new(Code::Internal, "a storage vanished"))
    }

    /// Makes the storage of a constant before it is read.
    ///
    /// # Errors
    /// The memory of the run is used up.
    pub fn prepare(&mut self, id: BufferId, buffer: &Buffer) -> Result<(), Fault> {
        if matches!(buffer.init, Init::Constant(_)) && self.get(id).is_none() {
            self.make(id, buffer)?;
        }
        Ok(())
    }

    /// Fills the storage of an argument with the bytes of the caller's array.
    ///
    /// # Errors
    /// Bytes that do not fit the buffer, or no memory left.
    pub fn load(&mut self, id: BufferId, buffer: &Buffer, bytes: Vec<u8>) -> Result<(), Fault> {
        let at = self.place(id).store;
        if bytes.len() as u64 != self.sizes[at] {
            let message = format!(
                "argument {} has {} bytes, {} were given",
                buffer.name,
                self.sizes[at],
                bytes.len()
            );
            return Err(Fault::new(Code::Internal, message));
        }
        self.reserve(at, buffer)?;
        let written = Bitmap::new(bytes.len(), true);
        self.stores[at] = Some(Store { bytes, written });
        Ok(())
    }

    /// Counts the bytes of a storage.
    fn reserve(&mut self, at: usize, buffer: &Buffer) -> Result<(), Fault> {
        self.used += self.sizes[at];
        if self.used > self.limit {
            let message = format!(
                "the simulated memory in use reaches {} bytes with '{}'; limit {} bytes a run",
                self.used, buffer.name, self.limit
            );
            return Err(Fault::new(Code::Limit, message).hint("use smaller shapes, or estimate without values"));
        }
        Ok(())
    }

    /// Forgets what a buffer holds. Storages that user-placed buffers share keep their bytes.
    pub fn drop_buffer(&mut self, id: BufferId, buffer: &Buffer) {
        let at = self.place(id).store;
        if buffer.address.is_some() && buffer.space.is_on_chip() {
            return;
        }
        if self.stores[at].take().is_some() {
            self.used -= self.sizes[at];
        }
    }

    /// Whether the last write to a buffer was not a matrix product.
    pub fn is_foreign(&self, id: BufferId) -> bool {
        self.foreign.get(id.as_usize()).copied().unwrap_or(false)
    }

    /// Notes whether the last write to a buffer was not a matrix product.
    pub fn set_foreign(&mut self, id: BufferId, foreign: bool) {
        if let Some(slot) = self.foreign.get_mut(id.as_usize()) {
            *slot = foreign;
        }
    }

    /// Marks the place of a user-placed buffer as unwritten.
    pub fn forget(&mut self, id: BufferId, buffer: &Buffer) {
        let place = self.place(id);
        let Some(store) = &mut self.stores[place.store] else {
            return;
        };
        let row = buffer.row_bytes() as usize;
        for partition in 0..buffer.partitions() as usize {
            let start = (place.base + partition * place.pitch).min(store.bytes.len());
            store.written.clear(start, (start + row).min(store.bytes.len()));
        }
    }

    /// Bytes in use.
    pub fn used(&self) -> u64 {
        self.used
    }
}
