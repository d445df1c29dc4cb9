//! Collects the instructions of a launch while the kernel is traced, and checks each as it arrives.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::base::diag::{Code, Fault};
use crate::base::index::IndexVec;
use crate::base::span::{Loc, LocId};
use crate::chip::Chip;
use crate::ensure;
use crate::isa::Inst;
use crate::isa::args::{Arg, Args};
use crate::isa::context::OpCx;
use crate::isa::spec::Entry;
use crate::tensor::buffer::{Address, Buffer, BufferId, Space};
use crate::tensor::pattern::AccessPattern;
use crate::tensor::tables::Tables;
use crate::tensor::view::{Indirect, IndirectId, RegId, TextId, View, ViewId};
use crate::trace::limits::Limits;
use crate::trace::program::{InstId, Loop, LoopId, Program, Step, Trace};

/// The launch that is being traced.
pub struct Builder {
    chip: &'static Chip,
    limits: Limits,
    tables: Tables,
    locs: IndexVec<LocId, Loc>,
    loc_ids: FxHashMap<Loc, LocId>,
    cores: Vec<Trace>,
    /// Shared buffers in the order the first core allocated them; further cores must allocate the same ones.
    shared: Vec<BufferId>,
    /// How many of them the present core has allocated.
    shared_seen: usize,
    arguments: Vec<BufferId>,
    registers: u32,
    instructions: u64,
}

impl Builder {
    /// Starts a launch on `chip`; call [`Self::begin_core`] before the kernel of each core is evaluated.
    pub fn new(chip: &'static Chip, limits: Limits) -> Self {
        Self {
            chip,
            limits,
            tables: Tables::default(),
            locs: IndexVec::new(),
            loc_ids: FxHashMap::default(),
            cores: Vec::new(),
            shared: Vec::new(),
            shared_seen: 0,
            arguments: Vec::new(),
            registers: 0,
            instructions: 0,
        }
    }

    /// The target.
    pub fn chip(&self) -> &'static Chip {
        self.chip
    }

    /// Buffers, patterns and views so far.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The context in which arguments are bound.
    pub fn op_cx(&self) -> OpCx<'_> {
        OpCx {
            chip: self.chip,
            tables: &self.tables,
        }
    }

    /// Starts the trace of the next core.
    pub fn begin_core(&mut self) {
        self.cores.push(Trace::default());
        self.shared_seen = 0;
    }

    /// Lets the present core run another program of an older launch grid, which shares the tensors of the ones before.
    pub fn begin_program(&mut self) {
        self.shared_seen = 0;
    }

    /// The id of a place.
    pub fn loc(&mut self, loc: Loc) -> LocId {
        if let Some(&id) = self.loc_ids.get(&loc) {
            return id;
        }
        let id = self.locs.push(loc);
        self.loc_ids.insert(loc, id);
        id
    }

    /// The place `id`.
    pub fn place(&self, id: LocId) -> Loc {
        self.locs[id]
    }

    /// Adds the buffer of an array argument.
    pub fn argument(&mut self, buffer: Buffer) -> BufferId {
        let id = self.tables.buffers.push(buffer);
        self.arguments.push(id);
        id
    }

    /// Allocates a buffer. The n-th shared buffer of every core is the same one.
    ///
    /// # Errors
    /// Cores that disagree on a shared buffer, or a size that no memory of the target has.
    pub fn alloc(&mut self, buffer: Buffer) -> Result<BufferId, Fault> {
        self.check_size(&buffer)?;
        if buffer.space != Space::SharedHbm {
            return Ok(self.tables.buffers.push(buffer));
        }
        let known = self.shared.get(self.shared_seen).copied();
        self.shared_seen += 1;
        let Some(id) = known else {
            let id = self.tables.buffers.push(buffer);
            self.shared.push(id);
            return Ok(id);
        };
        let first = &self.tables.buffers[id];
        ensure!(
            first.shape == buffer.shape && first.dtype == buffer.dtype,
            Constraint on "shape",
        hint "allocate with the same shape on both cores; what one core needs alone goes into private_hbm",
        "the cores of a launch must allocate the same shared tensors in the same order; core 0 has {} {:?} {}, core {} has {} {:?} {}",
            first.name,
            first.shape,
            first.dtype.name(),
            self.cores.len() - 1,
            buffer.name,
            buffer.shape,
            buffer.dtype.name()
        );
        Ok(id)
    }

    /// Rejects a buffer that could not be placed even in an empty memory.
    fn check_size(&self, buffer: &Buffer) -> Result<(), Fault> {
        let memory = &self.chip.memory;
        let row = buffer.row_bytes();
        let (limit, source, what, hint) = match buffer.space {
            Space::Sbuf => {
                let limit = memory.sbuf_usable_bytes.get().0;
                (
                    limit,
                    memory.sbuf_usable_bytes.source,
                    "an SBUF partition holds",
                    "work on a tile of it at a time and keep the rest in HBM",
                )
            }
            Space::Psum => {
                let limit = u64::from(memory.psum_banks.get()) * memory.psum_bank_bytes.get().0;
                (
                    limit,
                    memory.psum_bank_bytes.source,
                    "a PSUM partition holds",
                    "accumulate one tile of the result at a time",
                )
            }
            Space::Hbm | Space::SharedHbm => (
                memory.hbm_bytes.get().0,
                memory.hbm_bytes.source,
                "the device memory holds",
                "is a dimension too many, or in the wrong unit?",
            ),
        };
        let partitions = memory.partitions.get();
        if buffer.space.is_on_chip() && buffer.partitions() > partitions {
            let name = buffer.space.name();
            let message = format!(
                "{} has {} partitions, {name} has {partitions}",
                buffer.name,
                buffer.partitions()
            );
            return Err(Fault::new(Code::Constraint, message)
                .hint(format!(
                    "loop over tiles of {partitions} rows, or move rows to a free dimension"
                ))
                .source(memory.partitions.source));
        }
        if row > limit {
            let message = format!("{} needs {row} bytes, but {what} {limit}", buffer.name);
            return Err(Fault::new(Code::Capacity, message).hint(hint).source(source));
        }
        match buffer.address {
            Some(address) => check_address(buffer, address, partitions, limit),
            None => Ok(()),
        }
    }

    /// Adds a view.
    pub fn view(
        &mut self,
        buffer: BufferId,
        offset: u64,
        pattern: AccessPattern,
        indirect: Option<Indirect>,
    ) -> ViewId {
        let pattern = self.tables.patterns.intern(pattern);
        let indirect: Option<IndirectId> = indirect.map(|indirect| self.tables.indirects.push(indirect));
        self.tables.views.push(View {
            buffer,
            pattern,
            offset,
            indirect,
        })
    }

    /// A fresh virtual register.
    pub fn register(&mut self) -> RegId {
        self.registers += 1;
        RegId(self.registers - 1)
    }

    /// Binds a call, checks it and appends it to the present core.
    ///
    /// # Errors
    /// An argument that does not fit, a hardware rule that is broken, or too many instructions.
    pub fn call(&mut self, entry: &Entry, args: &Args, loc: LocId) -> Result<InstId, Fault> {
        let lists = self.lay_out_lists(args);
        let args = lists.as_ref().unwrap_or(args);
        let inst = (entry.bind)(&self.op_cx(), args)?;
        let id = self.emit(inst, loc)?;
        if let Some(name) = args.instruction_name(entry.spec.params.len()) {
            self.core()?.names.push((id, name));
        }
        Ok(id)
    }

    /// Interns a text for [`DevicePrint`](crate::isa::ops::print::DevicePrint).
    pub fn text(&mut self, text: &str) -> TextId {
        self.tables.texts.push(text.to_owned())
    }

    /// The arguments with each list of tiles laid out as consecutive views; `None` if there is none.
    fn lay_out_lists(&mut self, args: &Args) -> Option<Args> {
        let any = args.positional.iter().chain(args.keywords.iter().map(|(_, arg)| arg));
        if !any.into_iter().any(|arg| tile_list(arg).is_some()) {
            return None;
        }
        let mut args = args.clone();
        let values = args.positional.iter_mut();
        for arg in values.chain(args.keywords.iter_mut().map(|(_, arg)| arg)) {
            if let Some(views) = tile_list(arg) {
                let first = ViewId(self.tables.views.len() as u32);
                for &view in &views {
                    let copy = self.tables.views[view];
                    self.tables.views.push(copy);
                }
                *arg = Arg::Tensors(first, views.len() as u32);
            }
        }
        Some(args)
    }

    /// Checks an instruction and appends it to the present core.
    ///
    /// # Errors
    /// A hardware rule that is broken, or too many instructions.
    pub fn emit(&mut self, inst: Inst, loc: LocId) -> Result<InstId, Fault> {
        let spec = inst.spec();
        if spec.since > self.chip.generation {
            let message = format!(
                "{} does not exist on {} ({}); it needs NeuronCore-v{} or newer",
                spec.name, self.chip.name, self.chip.title, spec.since as u8
            );
            let newer = Chip::ALL.iter().filter(|chip| chip.generation >= spec.since);
            let names: Vec<_> = newer.map(|chip| chip.name).collect();
            return Err(Fault::new(Code::Generation, message)
                .hint(format!(
                    "choose the target {}, or branch on nisa.get_nc_version()",
                    names.join(" or ")
                ))
                .source(format!("NKI reference, nki.isa.{}", spec.name)));
        }
        inst.check(&self.op_cx())?;
        self.instructions += 1;
        if self.instructions > self.limits.instructions {
            let message = format!("the launch has more than {} instructions", self.limits.instructions);
            return Err(Fault::new(Code::Limit, message)
                .hint("loops over range() unroll: take larger tiles, or count with nl.dynamic_range()"));
        }
        let core = self.core()?;
        let id = core.insts.push(inst);
        core.locs.push(loc);
        core.steps.push(Step::Inst(id));
        Ok(id)
    }

    /// Opens a dynamic loop.
    ///
    /// # Errors
    /// No core was begun.
    pub fn begin_loop(&mut self, body: Loop) -> Result<LoopId, Fault> {
        let core = self.core()?;
        let id = core.loops.push(body);
        core.steps.push(Step::LoopBegin(id));
        Ok(id)
    }

    /// Closes the dynamic loop `id`.
    ///
    /// # Errors
    /// No core was begun.
    pub fn end_loop(&mut self, id: LoopId) -> Result<(), Fault> {
        self.core()?.steps.push(Step::LoopEnd(id));
        Ok(())
    }

    /// The innermost loop of the present core that is not closed.
    pub fn open_loop(&self) -> Option<&Loop> {
        let core = self.cores.last()?;
        let mut closed = 0;
        for step in core.steps.iter().rev() {
            match step {
                Step::LoopEnd(_) => closed += 1,
                Step::LoopBegin(id) if closed == 0 => return core.loops.get(*id),
                Step::LoopBegin(_) => closed -= 1,
                Step::Inst(_) => {}
            }
        }
        None
    }

    /// Orders two instructions of the present core.
    ///
    /// # Errors
    /// No core was begun.
    pub fn depends_on(&mut self, consumer: InstId, producer: InstId) -> Result<(), Fault> {
        self.core()?.depends.push((consumer, producer));
        Ok(())
    }

    /// The trace that grows.
    fn core(&mut self) -> Result<&mut Trace, Fault> {
        self.cores
            .last_mut()
            .ok_or_else(|| Fault::new(Code::Internal, "an instruction was issued outside of a kernel"))
    }

    /// Ends tracing.
    pub fn finish(self, kernel: Rc<str>, grid: Vec<u32>, results: Vec<ViewId>) -> Program {
        Program {
            kernel,
            grid,
            chip: self.chip,
            tables: self.tables,
            locs: self.locs,
            cores: self.cores,
            arguments: self.arguments,
            results,
        }
    }
}

/// Rejects a place that the user chose and that the memory does not have.
fn check_address(buffer: &Buffer, address: Address, partitions: u32, limit: u64) -> Result<(), Fault> {
    let (name, space) = (&buffer.name, buffer.space.name());
    ensure!(
        buffer.space.is_on_chip(),
        Constraint on "address",
        hint "leave address out: the runtime places tensors in HBM",
        "{name} is in {space}, where no address can be chosen; limit: SBUF and PSUM"
    );
    let last = u64::from(address.partition) + u64::from(buffer.partitions());
    ensure!(
        last <= u64::from(partitions),
        OutOfBounds on "address",
        hint "choose an earlier partition, or leave address out",
        "{name} begins at partition {} and has {}; limit: {space} has {partitions} partitions",
        address.partition,
        buffer.partitions()
    );
    let (begin, row) = (address.byte, buffer.row_bytes());
    ensure!(
        begin.saturating_add(row) <= limit,
        OutOfBounds on "address",
        hint "choose an earlier byte, or leave address out",
        "{name} begins at byte {begin} and needs {row}; limit: a partition of {space} has {limit} bytes"
    );
    // `nl.tile_size.psum_min_align`; in SBUF every byte will do.
    ensure!(
        buffer.space != Space::Psum || begin.is_multiple_of(4),
        Constraint on "address",
        hint "round the byte down to a multiple of 4",
        "{name} begins at byte {begin} of its partitions; limit: a multiple of 4 in PSUM"
    );
    Ok(())
}

/// The views of a list of tiles; `None` for anything else.
fn tile_list(arg: &Arg) -> Option<Vec<ViewId>> {
    let Arg::List(items) = arg else {
        return None;
    };
    let view = |item: &Arg| match item {
        Arg::Tensor(view) => Some(*view),
        _ => None,
    };
    let views: Vec<_> = items.iter().map_while(view).collect();
    (!views.is_empty() && views.len() == items.len()).then_some(views)
}
