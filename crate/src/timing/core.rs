//! The state of one core while its instructions are placed.

use rustc_hash::FxHashMap;

use crate::base::units::Ps;
use crate::chip::Chip;
use crate::chip::engine::Engine;
use crate::isa::work::Meeting;
use crate::tensor::alloc::Placement;
use crate::timing::dma;
use crate::timing::hazards::{Access, Memory};
use crate::timing::power::Limiter;
use crate::timing::queue::Slots;
use crate::timing::scheduler::Options;
use crate::timing::timeline::{Stall, Track};
use crate::timing::uses::Use;
use crate::timing::walk::Walk;
use crate::trace::program::{InstId, Trace};

/// Bytes of a stretch of SBUF for the search of hazards; a typical tile has one or a few.
const SBUF_STRETCH: u64 = 2048;

/// What an entry waits for.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    /// When everything is there.
    pub ready: Ps,
    /// What came last.
    pub stall: Stall,
    /// The entry that it came from.
    pub cause: Option<u32>,
}

impl Need {
    /// Nothing but the launch.
    pub fn launch(at: Ps) -> Self {
        Self {
            ready: at,
            stall: Stall::Launch,
            cause: None,
        }
    }

    /// Takes in one more condition.
    pub fn and(&mut self, ready: Ps, stall: Stall, cause: Option<u32>) {
        if ready > self.ready {
            *self = Self { ready, stall, cause };
        }
    }
}

/// An arrival at a meeting.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The instruction.
    pub inst: InstId,
    /// The meeting.
    pub meeting: Meeting,
    /// When the core arrived.
    pub need: Need,
    /// What the instruction touches.
    pub uses: Vec<Use>,
}

/// One core.
#[derive(Debug)]
pub struct Core {
    /// Position in the trace.
    pub walk: Walk,
    /// Whether the trace is at its end.
    pub ended: bool,
    /// When each part of an engine can take the next instruction.
    pub free: [Ps; Track::ENGINES],
    /// Latest entry of each part.
    pub latest: [Option<u32>; Track::ENGINES],
    /// The Sync queue, which triggers transfers.
    pub sync: Slots,
    /// Starts of the last two multiplications, older first: a stationary matrix can load once the multiplication before the
    /// previous one has started.
    pub multiplies: [Ps; 2],
    /// Power limiter.
    pub limiter: Limiter,
    /// Accesses to SBUF.
    pub sbuf: Memory,
    /// Accesses to PSUM.
    pub psum: Memory,
    /// DMA engines.
    pub dma: dma::Engines,
    /// DMA queues: rows of the timeline on which transfers do not overlap.
    pub queues: Vec<Slots>,
    /// Places of buffers.
    pub placement: Placement,
    /// Explicit order: producers of a consumer.
    pub producers: FxHashMap<InstId, Vec<InstId>>,
    /// When instructions that others name were done, with their entry.
    pub produced: FxHashMap<InstId, (Ps, u32)>,
    /// The meeting that the core waits at.
    pub waiting: Option<Arrival>,
    /// Start of the latest entry.
    pub clock: Ps,
}

impl Core {
    /// A core before its first instruction.
    pub fn new(chip: &Chip, trace: &Trace, placement: Placement, options: Options) -> Self {
        let memory = &chip.memory;
        let sbuf = memory.sbuf_partition_bytes.get().0;
        let banks = u64::from(memory.psum_banks.get());
        let mut producers: FxHashMap<InstId, Vec<InstId>> = FxHashMap::default();
        for &(consumer, producer) in &trace.depends {
            producers.entry(consumer).or_default().push(producer);
        }
        let start = chip.launch.preamble.get();
        let mut sync = Slots::default();
        sync.hold(start);
        Self {
            walk: Walk::default(),
            ended: false,
            free: [start; Track::ENGINES],
            latest: [None; Track::ENGINES],
            sync,
            multiplies: [Ps::ZERO; 2],
            limiter: Limiter::new(&chip.engines, options.power_limit),
            sbuf: Memory::new(sbuf, sbuf.div_ceil(SBUF_STRETCH)),
            psum: Memory::new(banks * memory.psum_bank_bytes.get().0, banks),
            dma: dma::Engines::new(chip),
            queues: Vec::new(),
            placement,
            produced: trace
                .depends
                .iter()
                .map(|&(_, producer)| (producer, (Ps::ZERO, u32::MAX)))
                .collect(),
            producers,
            waiting: None,
            clock: Ps::ZERO,
        }
    }

    /// The first DMA queue that is free during `start..end`.
    pub fn dma_queue(&mut self, start: Ps, end: Ps) -> Track {
        let free = self.queues.iter_mut().position(|queue| queue.claim(start, end));
        let queue = free.unwrap_or_else(|| {
            let mut queue = Slots::default();
            queue.append(start, end - start);
            self.queues.push(queue);
            self.queues.len() - 1
        });
        Track::dma(u8::try_from(queue).unwrap_or(u8::MAX))
    }
}

/// When an access of `track` may start because of an earlier one, or nothing if they need no order beyond the queue's own.
///
/// On one queue of an engine, order is enough for overwriting; reading a result waits for its latency. Multiplications add up in
/// PSUM in order, so they do not wait for each other. Elsewhere a semaphore tells.
pub fn release(chip: &Chip, earlier: &Access, core: u8, track: Track, read: bool) -> Option<(Ps, Stall)> {
    let stall = match (earlier.write, read) {
        (true, true) => Stall::Data,
        (true, false) => Stall::Output,
        (false, _) => Stall::Anti,
    };
    let same = earlier.core == core && earlier.track == track && !track.is_dma();
    if same {
        let waits = stall == Stall::Data && track != Track::MULTIPLY_MOVING;
        return waits.then_some((earlier.release, stall));
    }
    Some((earlier.release + signal(chip, earlier.track) + wait(chip, track), stall))
}

/// End of work on a track to its semaphore.
fn signal(chip: &Chip, track: Track) -> Ps {
    let engines = &chip.engines;
    match track.engine() {
        Some(Engine::Tensor) => engines.signal_tensor.get(),
        Some(Engine::Vector) => engines.signal_vector.get(),
        Some(Engine::Scalar | Engine::GpSimd | Engine::Sync) => engines.signal_other.get(),
        None => Ps::ZERO,
    }
}

/// Semaphore to the start of the waiter.
fn wait(chip: &Chip, track: Track) -> Ps {
    let engines = &chip.engines;
    match (track, track.engine()) {
        (Track::LOAD_STATIONARY, _) => engines.wait_load.get(),
        (_, Some(Engine::Tensor)) => engines.wait_multiply.get(),
        (_, Some(Engine::Vector | Engine::Scalar | Engine::GpSimd)) => engines.wait_engine.get(),
        (_, Some(Engine::Sync) | None) => engines.wait_dma.get(),
    }
}
