//! The services of [`Interp`] that do not evaluate anything: output, places, limits, modules, extension slots.

use super::*;
use crate::interp::value::Slice;

impl Interp {
    /// A context without modules but the language's own.
    pub fn new(limits: Limits, source: Box<dyn ModuleSource>) -> Self {
        let mut cx = Self {
            sources: SourceMap::default(),
            stdout: String::new(),
            prints: Vec::new(),
            tracer: None,
            warnings: Vec::new(),
            checks: Vec::new(),
            limits,
            on_unknown: OnUnknown::Skip,
            steps: 0,
            memory_in_use: None,
            memory_before: 0,
            next_look: 0,
            modules: IndexVec::new(),
            by_name: FxHashMap::default(),
            native_modules: Vec::new(),
            source,
            calls: Vec::new(),
            span: NOWHERE,
            kernel_base: None,
            compiled_kernel: false,
            locs: IndexVec::new(),
            loc_index: FxHashMap::default(),
            signatures: FxHashMap::default(),
            extensions: Vec::new(),
            classes: Vec::new(),
            types: Vec::new(),
            exceptions: Vec::new(),
            native_classes: FxHashMap::default(),
            builtins: FxHashMap::default(),
            handling: Vec::new(),
            depth: 0,
            whole_slice: Value::Slice(Rc::new(Slice::WHOLE)),
        };
        cx.make_types();
        py::install(&mut cx);
        cx
    }

    /// Makes a Rust module importable.
    pub fn register(&mut self, module: NativeModule) {
        self.native_modules.push(module);
    }

    /// The module `id`.
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id]
    }

    /// Sets a global of a module.
    pub fn define(&mut self, module: ModuleId, name: &str, value: Value) {
        self.modules[module].set(name, value);
    }

    /// The class of a built-in exception.
    pub fn exception_class(&self, exception: raised::Exception) -> Value {
        Value::Class(Rc::clone(&self.exceptions[exception as usize]))
    }

    /// Lets `hook` answer for names that a module does not define.
    pub fn when_missing(&mut self, module: ModuleId, hook: scope::Missing) {
        self.modules[module].missing = Some(hook);
    }

    /// Adds every row of a table to a module.
    pub fn define_rows(&mut self, module: ModuleId, rows: &'static [Builtin]) {
        for row in rows {
            self.define(module, row.name, Value::Builtin(row));
        }
    }

    /// The signature of a row, taken apart once per run.
    pub fn signature(&mut self, builtin: &'static Builtin) -> Rc<Signature> {
        let key = std::ptr::from_ref(builtin) as usize;
        Rc::clone(
            self.signatures
                .entry(key)
                .or_insert_with(|| Rc::new(Signature::parse(builtin.signature))),
        )
    }

    /// Appends a line of text (with its line end) to the output.
    pub fn print(&mut self, text: &str) -> Result<()> {
        let (text, span, tracer) = (text.to_owned(), self.span, self.tracer);
        self.repeat_print(Print { text, span, tracer })
    }

    /// Appends what an earlier round printed.
    pub fn repeat_print(&mut self, print: Print) -> Result<()> {
        if self.stdout.len() + print.text.len() > self.limits.output_bytes {
            return Err(Raised::limit(format!(
                "the output is longer than {} bytes",
                self.limits.output_bytes
            )));
        }
        self.stdout.push_str(&print.text);
        if !print.text.is_empty() {
            self.prints.push(print);
        }
        Ok(())
    }

    /// Adds a warning, once per code, place and message.
    pub fn warn(&mut self, mut diagnostic: Diagnostic) {
        if diagnostic.chain.is_empty() {
            diagnostic.chain = self.chain();
        }
        if !self.warnings.contains(&diagnostic) {
            self.warnings.push(diagnostic);
        }
    }

    /// Records a check of the script on values.
    pub fn record_check(&mut self, span: Span, text: String, outcome: Outcome, note: String) {
        self.checks.push(Check {
            span,
            text,
            outcome,
            note,
        });
    }

    /// The call expression that is being evaluated.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The file of the script itself.
    pub fn script(&self) -> FileId {
        FileId(0)
    }

    /// The calls in progress, outermost first.
    pub fn chain(&self) -> Vec<CallFrame> {
        let frame = |call: &Call| CallFrame {
            function: call.function.to_string(),
            span: call.span,
        };
        self.calls.iter().map(frame).collect()
    }

    /// The place of the call being evaluated, with its callers up to the kernel.
    pub fn loc(&mut self) -> LocId {
        let base = self.kernel_base.unwrap_or(0).min(self.calls.len());
        let known = (base..self.calls.len()).rev().find(|&at| self.calls[at].loc.is_some());
        let mut caller = known.and_then(|at| self.calls[at].loc);
        for at in known.map_or(base, |at| at + 1)..self.calls.len() {
            let loc = self.intern(Loc {
                span: self.calls[at].span,
                caller,
            });
            self.calls[at].loc = Some(loc);
            caller = Some(loc);
        }
        self.intern(Loc {
            span: self.span,
            caller,
        })
    }

    fn intern(&mut self, loc: Loc) -> LocId {
        if let Some(&id) = self.loc_index.get(&loc) {
            return id;
        }
        let id = self.locs.push(loc);
        self.loc_index.insert(loc, id);
        id
    }

    /// All places given out by [`Interp::loc`].
    pub fn locs(&self) -> &IndexVec<LocId, Loc> {
        &self.locs
    }

    /// Says that the next call is a kernel: places are chained up to it. Returns what [`Interp::leave_kernel`] takes.
    /// `compiled` says whether the NKI compiler reads it.
    pub fn enter_kernel(&mut self, compiled: bool) -> Option<usize> {
        self.compiled_kernel = compiled;
        self.kernel_base.replace(self.calls.len() + 1)
    }

    /// Says that the kernel has returned.
    pub fn leave_kernel(&mut self, outer: Option<usize>) {
        self.kernel_base = outer;
        self.compiled_kernel &= outer.is_some();
    }

    /// Whether a kernel is being traced.
    pub fn in_kernel(&self) -> bool {
        self.kernel_base.is_some()
    }

    /// The slot of type `T`, made when it is first asked for.
    pub fn extension<T: Default + 'static>(&mut self) -> &mut T {
        let at = match self.extensions.iter().position(|slot| slot.is::<T>()) {
            Some(at) => at,
            None => {
                self.extensions.push(Box::<T>::default());
                self.extensions.len() - 1
            }
        };
        // The slot at `at` holds a `T` by construction; the arm below never runs.
        match self.extensions[at].downcast_mut() {
            Some(slot) => slot,
            None => unreachable!("extension slots are found by type"),
        }
    }

    /// Bounds what the program may allocate from here on; `in_use` tells how much it has.
    pub fn watch_memory(&mut self, in_use: fn() -> u64) {
        self.memory_before = in_use();
        self.memory_in_use = Some(in_use);
    }

    /// Counts `count` units of work against the limits of steps and memory.
    #[inline]
    pub fn step(&mut self, count: u64) -> Result<()> {
        self.steps += count;
        if self.steps < self.next_look {
            Ok(())
        } else {
            self.look_at_limits()
        }
    }

    /// The steps and memory used so far, against their limits.
    #[cold]
    fn look_at_limits(&mut self) -> Result<()> {
        /// Between two looks a script can allocate this many times the largest string or list that needs no look of its own.
        const STEPS_BETWEEN_LOOKS: u64 = 4096;

        let Limits {
            steps, memory_bytes, ..
        } = self.limits;
        if self.steps > steps {
            return Err(Raised::limit(format!("the script takes more than {steps} steps"))
                .hint("is there a loop that never ends? Make it shorter, or its sizes smaller"));
        }
        self.next_look = (self.steps + STEPS_BETWEEN_LOOKS).min(steps + 1);
        let used = self
            .memory_in_use
            .map_or(0, |in_use| in_use().saturating_sub(self.memory_before));
        if used <= memory_bytes {
            return Ok(());
        }
        Err(Raised::limit(format!(
            "the script uses more than {} MiB of memory",
            memory_bytes >> 20
        ))
        .hint("is there a list, dictionary or string that grows without end? Make it, or the sizes, smaller"))
    }

    /// Refuses a container of `count` items if that is above the limit.
    pub fn check_items(&mut self, count: usize) -> Result<()> {
        /// More items than this are a reason to look at the memory in use.
        const MANY: usize = 16 << 10;

        if count <= self.limits.items {
            return if count > MANY { self.look_at_limits() } else { Ok(()) };
        }
        let limit = self.limits.items;
        Err(
            Raised::limit(format!("a container of {count} items is above the limit of {limit}"))
                .hint("use a range, an iterator or a NumPy array instead"),
        )
    }
}

impl Drop for Interp {
    /// Breaks the reference cycles between classes, their methods and enumeration members.
    fn drop(&mut self) {
        for class in self.classes.drain(..).filter_map(|class| class.upgrade()) {
            let attrs = class.attrs.take();
            drop(attrs);
        }
    }
}
