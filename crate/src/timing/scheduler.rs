//! Places instructions one by one, in slices of work.

use std::rc::Rc;

use crate::base::diag::Diagnostic;
use crate::base::index::Idx;
use crate::base::units::{Bytes, Ps};
use crate::isa::cost::dma::trigger;
use crate::isa::work::{Descriptors, DmaWork, EngineWork, Meeting, Part, Phase, Work};
use crate::tensor::buffer::{BufferId, Space};
use crate::timing::core::{Arrival, Core, Need, release};
use crate::timing::dma::Calendar;
use crate::timing::hazards::{Access, Memory};
use crate::timing::place::place_all;
use crate::timing::timeline::{Entry, Residence, Stall, Timeline, Track, Transfer};
use crate::timing::uses::{self, Use};
use crate::timing::walk::Next;
use crate::trace::dynamic::Dynamic;
use crate::trace::program::{InstId, Program};

/// Stretches of an HBM buffer for the search of hazards.
const HBM_STRETCHES: u64 = 64;

/// Bytes below which an HBM buffer is one stretch.
const HBM_STRETCH: u64 = 1 << 16;

/// The freedom that DMA triggers of the Sync queue have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// A trigger goes out when its data is ready; earlier instructions take precedence.
    #[default]
    Scheduled,
    /// Triggers go out in program order.
    AsWritten,
}

/// Choices of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Order of DMA triggers.
    pub order: Order,
    /// Whether the power limiter of the Tensor Engine acts.
    pub power_limit: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            order: Order::Scheduled,
            power_limit: true,
        }
    }
}

/// A schedule in the making.
#[derive(Debug)]
pub struct Scheduler {
    program: Rc<Program>,
    dynamics: Vec<Dynamic>,
    options: Options,
    cores: Vec<Core>,
    /// Accesses to HBM buffers that some instruction writes; indexed by buffer.
    hbm: Vec<Option<Memory>>,
    /// Bandwidth of each HBM stack, where its cores could exceed it.
    stacks: Vec<Option<Calendar>>,
    timeline: Timeline,
    uses: Vec<Use>,
    scheduled: u64,
    steps: u64,
}

impl Scheduler {
    /// Prepares a schedule: places buffers and finds the shared ones. `dynamics` has one item per core; missing ones are
    /// assumed.
    ///
    /// # Errors
    /// A memory that is too small.
    pub fn new(program: Rc<Program>, mut dynamics: Vec<Dynamic>, options: Options) -> Result<Self, Box<Diagnostic>> {
        let placements = place_all(&program)?;
        dynamics.resize(program.cores.len(), Dynamic::default());
        let timeline = Timeline {
            residence: vec![None; program.tables.buffers.len()],
            placements: placements.clone(),
            kernel_start: Ps(u64::MAX),
            ..Timeline::default()
        };
        let cores = program.cores.iter().zip(placements);
        let cores = cores.map(|(trace, placement)| Core::new(program.chip, trace, placement, options));
        Ok(Self {
            dynamics,
            options,
            cores: cores.collect(),
            hbm: written_buffers(&program),
            stacks: stacks(&program),
            timeline,
            uses: Vec::new(),
            scheduled: 0,
            steps: 0,
            program,
        })
    }

    /// Instructions placed so far.
    pub fn scheduled(&self) -> u64 {
        self.scheduled
    }

    /// Instructions and marks of loops that it came by so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Places up to `budget` instructions; says whether the schedule is complete.
    pub fn advance(&mut self, budget: u64) -> bool {
        let program = Rc::clone(&self.program);
        for _ in 0..budget {
            self.steps += 1;
            let Some(core) = self.next_core() else {
                if self.meet(&program) {
                    continue;
                }
                return true;
            };
            self.step(&program, core);
        }
        self.cores.iter().all(|core| core.ended)
    }

    /// The finished schedule.
    pub fn finish(mut self) -> Timeline {
        let launch = &self.program.chip.launch;
        let timeline = &mut self.timeline;
        if timeline.entries.is_empty() {
            timeline.kernel_start = launch.preamble.get();
            timeline.kernel_end = launch.preamble.get();
        }
        timeline.latency = timeline.kernel_end + launch.tail.get();
        timeline.power_limited = self.cores.iter().map(|core| core.limiter.limited()).sum();
        self.timeline
    }

    /// The core that is furthest behind among those that can go on.
    fn next_core(&self) -> Option<usize> {
        let able = |core: &Core| !core.ended && core.waiting.is_none();
        let cores = self.cores.iter().enumerate().filter(|(_, core)| able(core));
        cores.min_by_key(|(_, core)| core.clock).map(|(at, _)| at)
    }

    /// Takes one step of a core.
    fn step(&mut self, program: &Program, at: usize) {
        let trace = &program.cores[at];
        match self.cores[at].walk.next(trace, &self.dynamics[at]) {
            Next::Inst(inst) => self.place(program, at, inst),
            Next::Branch => {
                let core = &mut self.cores[at];
                for free in &mut core.free {
                    *free += program.chip.launch.branch.get();
                }
            }
            Next::End => self.cores[at].ended = true,
        }
    }

    /// Places one instruction.
    fn place(&mut self, program: &Program, at: usize, inst: InstId) {
        let instruction = &program.cores[at].insts[inst];
        let mut uses = std::mem::take(&mut self.uses);
        uses::collect(program, &self.cores[at].placement, instruction, &mut uses);
        uses::count(&uses, &mut self.timeline.totals);
        self.scheduled += 1;
        match instruction.work(&program.op_cx()) {
            Work::Engine(work) => self.place_engine(program, at, inst, &work, &uses),
            Work::Dma(work) => {
                let need = self.need(program, at, Track::SYNC, inst, &uses, |_| true);
                self.place_dma(program, at, inst, &work, &uses, need);
            }
            Work::Meet(meeting) => {
                // A barrier orders everything before it with everything after it on its tensor, so it acts like a write.
                for touch in &mut uses {
                    touch.write |= meeting.transfer.is_none();
                }
                let track = Track::of(meeting.engine);
                let mut need = self.need(program, at, track, inst, &uses, |_| true);
                self.wait_for_queue(at, track, &mut need);
                self.cores[at].waiting = Some(Arrival {
                    inst,
                    meeting,
                    need,
                    uses: uses.clone(),
                });
            }
            Work::Free => {}
        }
        self.uses = uses;
    }

    /// Places the phases of an engine instruction.
    fn place_engine(&mut self, program: &Program, at: usize, inst: InstId, work: &EngineWork, uses: &[Use]) {
        self.count_engine(work);
        let mut loaded = Need::launch(Ps::ZERO);
        for phase in &work.phases {
            let track = match phase.part {
                Part::LoadStationary => Track::LOAD_STATIONARY,
                Part::MultiplyMoving => Track::MULTIPLY_MOVING,
                Part::Whole => Track::of(work.engine),
            };
            let stationary = phase.part == Part::LoadStationary;
            let of_phase = |touch: &Use| phase.part == Part::Whole || touch.stationary == stationary;
            let mut need = self.need(program, at, track, inst, uses, of_phase);
            if phase.part == Part::MultiplyMoving {
                need.and(loaded.ready, Stall::Weights, loaded.cause);
            }
            let entry = self.place_phase(at, inst, track, phase, need);
            let (end, done) = (
                self.timeline.entries[entry as usize].end,
                self.timeline.entries[entry as usize].done,
            );
            loaded = Need {
                ready: done,
                stall: Stall::Weights,
                cause: Some(entry),
            };
            for touch in uses.iter().filter(|touch| of_phase(touch)) {
                let release = if touch.write { done } else { end };
                self.record(at, track, touch, release, entry);
            }
        }
    }

    /// Adds the operations of an engine instruction to the sums.
    fn count_engine(&mut self, work: &EngineWork) {
        let totals = &mut self.timeline.totals;
        totals.instructions[work.engine as usize] += 1;
        for phase in &work.phases {
            totals.flops += phase.flops;
            totals.transpose_flops += phase.transpose_flops;
            totals.model_flops += phase.model_flops;
            totals.matmuls += u64::from(phase.part == Part::MultiplyMoving && phase.flops > 0);
        }
    }

    /// Waits for the queue of `track` and, for loads, for the array.
    fn wait_for_queue(&self, at: usize, track: Track, need: &mut Need) {
        let core = &self.cores[at];
        let index = track.0 as usize;
        let free = if track == Track::SYNC {
            core.sync.free()
        } else {
            core.free[index]
        };
        need.and(free, Stall::Queue, core.latest[index]);
        if track == Track::LOAD_STATIONARY {
            need.and(
                core.multiplies[0],
                Stall::Queue,
                core.latest[Track::MULTIPLY_MOVING.0 as usize],
            );
        }
    }

    /// Places one phase on its part.
    fn place_phase(&mut self, at: usize, inst: InstId, track: Track, phase: &Phase, need: Need) -> u32 {
        let mut start = need;
        self.wait_for_queue(at, track, &mut start);
        let core = &mut self.cores[at];
        let end = if track == Track::MULTIPLY_MOVING {
            core.multiplies = [core.multiplies[1], start.ready];
            core.limiter.run(start.ready, phase.interval)
        } else {
            start.ready + phase.interval
        };
        if track == Track::SYNC {
            core.sync.append(start.ready, phase.interval);
        }
        core.free[track.0 as usize] = end;
        let done = end.max(end + phase.latency - phase.interval);
        self.push(at, inst, track, (start, need.ready), end, done)
    }

    /// Places a transfer: its trigger on a queue of an engine, then its data on the DMA engines.
    fn place_dma(&mut self, program: &Program, at: usize, inst: InstId, work: &DmaWork, uses: &[Use], need: Need) {
        let chip = program.chip;
        let (engine, issue, lead) = trigger(chip, work);
        self.timeline.totals.instructions[engine as usize] += 1;
        let track = Track::of(engine);
        let mut start = need;
        let core = &mut self.cores[at];
        if track == Track::SYNC && self.options.order == Order::Scheduled {
            let slot = core.sync.take(need.ready, issue);
            start.and(slot, Stall::Queue, core.latest[track.0 as usize]);
        } else {
            self.wait_for_queue(at, track, &mut start);
            let core = &mut self.cores[at];
            core.free[track.0 as usize] = start.ready + issue;
            if track == Track::SYNC {
                core.sync.append(start.ready, issue);
            }
        }
        let end = start.ready + issue;
        let trigger = self.push(at, inst, track, (start, need.ready), end, end);
        let ready = start.ready + lead;
        let stack = at / program.chip.memory.cores_per_stack.get().max(1) as usize;
        let calendar = self.stacks.get_mut(stack).and_then(Option::as_mut);
        let core = &mut self.cores[at];
        let moved = core.dma.run(chip, work, ready, calendar);
        let queue = core.dma_queue(moved.start, moved.end);
        let mut data = Need {
            ready,
            stall: Stall::Trigger,
            cause: Some(trigger),
        };
        data.and(moved.start, Stall::DmaEngines, None);
        let done = moved.end + chip.dma.completion.get();
        let entry = self.push(at, inst, queue, (data, ready), moved.end, done);
        self.timeline.transfers.push(Transfer {
            entry,
            bytes: work.bytes,
            hbm_read: work.hbm_read,
            hbm_write: work.hbm_write,
            descriptors: work.descriptor_count,
            descriptor_bytes: work.descriptor_bytes,
            engines: work.engines,
            packet_time: moved.packet_time,
            software: work.descriptors == Descriptors::Software,
        });
        for touch in uses {
            self.record(at, queue, touch, done, entry);
        }
    }

    /// Lets the cores that wait for each other go on; says whether there were any.
    fn meet(&mut self, program: &Program) -> bool {
        let arrivals: Vec<(usize, Arrival)> = (0..self.cores.len())
            .filter_map(|at| self.cores[at].waiting.take().map(|arrival| (at, arrival)))
            .collect();
        let Some(last) = arrivals.iter().map(|(_, arrival)| arrival.need.ready).max() else {
            return false;
        };
        for (at, arrival) in arrivals {
            self.leave(program, at, &arrival, last);
        }
        true
    }

    /// Lets one core go on from a meeting whose last participant came at `last`.
    fn leave(&mut self, program: &Program, at: usize, arrival: &Arrival, last: Ps) {
        let Meeting {
            engine,
            latency,
            transfer,
        } = &arrival.meeting;
        let track = Track::of(*engine);
        let end = last + *latency;
        let core = &mut self.cores[at];
        core.free[track.0 as usize] = end;
        if track == Track::SYNC {
            core.sync.append(arrival.need.ready, end - arrival.need.ready);
        }
        self.timeline.totals.instructions[*engine as usize] += 1;
        let mut start = arrival.need;
        if last > arrival.need.ready {
            start.stall = Stall::Meeting;
        }
        let entry = self.push(at, arrival.inst, track, (start, arrival.need.ready), end, end);
        if let Some(work) = transfer {
            let need = Need {
                ready: end,
                stall: Stall::Meeting,
                cause: Some(entry),
            };
            self.place_dma(program, at, arrival.inst, work, &arrival.uses, need);
            return;
        }
        for touch in &arrival.uses {
            self.record(at, track, touch, end, entry);
        }
    }

    /// When the operands that `select` takes are there for `track`.
    fn need(
        &self,
        program: &Program,
        at: usize,
        track: Track,
        inst: InstId,
        uses: &[Use],
        select: impl Fn(&Use) -> bool,
    ) -> Need {
        let chip = program.chip;
        let mut need = Need::launch(chip.launch.preamble.get());
        for touch in uses.iter().filter(|touch| select(touch)) {
            let Some(memory) = self.memory(at, touch.space, touch.buffer) else {
                continue;
            };
            memory.conflicts(&touch.region, touch.write, &mut |earlier| {
                if let Some((ready, stall)) = release(chip, earlier, at as u8, track, touch.read) {
                    need.and(ready, stall, Some(earlier.entry));
                }
            });
        }
        let core = &self.cores[at];
        for producer in core.producers.get(&inst).into_iter().flatten() {
            if let Some(&(done, entry)) = core.produced.get(producer) {
                need.and(done, Stall::Explicit, Some(entry));
            }
        }
        need
    }

    /// Accesses to the memory of an operand; none for HBM that nobody writes.
    fn memory(&self, at: usize, space: Space, buffer: BufferId) -> Option<&Memory> {
        match space {
            Space::Sbuf => Some(&self.cores[at].sbuf),
            Space::Psum => Some(&self.cores[at].psum),
            Space::Hbm | Space::SharedHbm => self.hbm[buffer.as_usize()].as_ref(),
        }
    }

    /// Files an access and extends the residence of its buffer.
    fn record(&mut self, at: usize, track: Track, touch: &Use, release: Ps, entry: u32) {
        let start = self.timeline.entries[entry as usize].start;
        let slot = &mut self.timeline.residence[touch.buffer.as_usize()];
        let seen = slot.get_or_insert(Residence {
            from: start,
            to: release,
        });
        seen.from = seen.from.min(start);
        seen.to = seen.to.max(release);
        let access = Access {
            region: touch.region,
            write: touch.write,
            release,
            core: at as u8,
            track,
            entry,
        };
        match touch.space {
            Space::Sbuf => self.cores[at].sbuf.record(access),
            Space::Psum => self.cores[at].psum.record(access),
            Space::Hbm | Space::SharedHbm => {
                if let Some(memory) = &mut self.hbm[touch.buffer.as_usize()] {
                    memory.record(access);
                }
            }
        }
    }

    /// Adds an entry; `from` is why it starts when it does, and when its operands were ready.
    fn push(&mut self, at: usize, inst: InstId, track: Track, from: (Need, Ps), end: Ps, done: Ps) -> u32 {
        let (start, ready) = from;
        let timeline = &mut self.timeline;
        let entry = timeline.entries.len() as u32;
        timeline.entries.push(Entry {
            start: start.ready,
            end,
            done,
            ready,
            track,
            core: at as u8,
            inst,
            instance: self.cores[at].walk.instance(),
            stall: start.stall,
            cause: start.cause.unwrap_or(entry),
        });
        timeline.kernel_start = timeline.kernel_start.min(start.ready);
        timeline.kernel_end = timeline.kernel_end.max(done);
        let core = &mut self.cores[at];
        core.clock = start.ready;
        if let Some(latest) = core.latest.get_mut(track.0 as usize) {
            *latest = Some(entry);
        }
        if let Some(produced) = core.produced.get_mut(&inst) {
            *produced = (done, entry);
        }
        entry
    }
}

/// Accesses to the HBM buffers that the program writes; buffers that are only read need none.
fn written_buffers(program: &Program) -> Vec<Option<Memory>> {
    let mut memories: Vec<Option<Memory>> = vec![None; program.tables.buffers.len()];
    for inst in program.cores.iter().flat_map(|core| core.insts.iter()) {
        inst.operands(&mut |operand| {
            let buffer = program.tables.views[operand.view].buffer;
            let held = &program.tables.buffers[buffer];
            let slot = &mut memories[buffer.as_usize()];
            if operand.access == crate::isa::spec::Access::Read || held.space.is_on_chip() || slot.is_some() {
                return;
            }
            let stretches = held.bytes().div_ceil(HBM_STRETCH).min(HBM_STRETCHES);
            *slot = Some(Memory::new(held.bytes(), stretches));
        });
    }
    memories
}

/// Calendars of the HBM stacks whose cores together can ask for more than the stack gives.
fn stacks(program: &Program) -> Vec<Option<Calendar>> {
    let chip = program.chip;
    let share = chip.memory.cores_per_stack.get().max(1) as usize;
    let rate = chip.memory.hbm_stack_rate.get();
    let core = Bytes(chip.dma.engine_rate.get().0 * u64::from(chip.dma.engines.get()));
    let groups = program.cores.chunks(share);
    let busy = |cores: usize| core.0 * cores as u64 > rate.0;
    groups
        .map(|group| busy(group.len()).then(|| Calendar::new(rate)))
        .collect()
}
