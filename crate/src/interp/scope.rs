//! Where names live at run time: frames, cells and the globals of modules.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::index_type;
use crate::interp::dict::Namespace;
use crate::interp::object::Function;
use crate::interp::value::{Name, Value};
use crate::syntax::ast::{Code, Layout};

index_type!(
    /// A module of the run.
    ModuleId
);

/// A variable that closures share.
pub type SharedCell = Rc<RefCell<Option<Value>>>;

/// The variables of one call.
pub struct Frame {
    /// What runs.
    pub code: Rc<Code>,
    /// The module whose globals it uses.
    pub module: ModuleId,
    /// Local variables.
    pub locals: Vec<Option<Value>>,
    /// Own cells, then captured ones.
    pub cells: Vec<SharedCell>,
    /// The namespace, in a class body.
    pub namespace: Option<Box<Namespace>>,
    /// The function, in a call.
    pub function: Option<Rc<Function>>,
}

impl Frame {
    /// A frame for `code` with unset variables.
    pub fn new(code: Rc<Code>, module: ModuleId, captured: &[SharedCell]) -> Self {
        let (locals, own) = code.layout.get().map_or((0, 0), |layout| (layout.locals, layout.cells));
        let mut locals_vec = Vec::new();
        locals_vec.resize(locals as usize, None);
        let mut cells: Vec<SharedCell> = Vec::with_capacity(own as usize + captured.len());
        cells.resize_with(own as usize, SharedCell::default);
        cells.extend(captured.iter().cloned());
        Self {
            code,
            module,
            locals: locals_vec,
            cells,
            namespace: None,
            function: None,
        }
    }

    /// Where the names of the code live.
    pub fn layout(code: &Code) -> &Layout {
        code.layout.get_or_init(Layout::default)
    }
}

/// A global variable.
#[derive(Clone)]
pub struct Global {
    /// Its name.
    pub name: Name,
    /// Its value, once it is set.
    pub value: Option<Value>,
    /// The built-in object of that name.
    pub builtin: Option<Value>,
}

/// A module: its globals, found by position from code and by name from outside.
#[derive(Default)]
pub struct Module {
    /// The dotted name.
    pub name: String,
    /// Whether its body has run or it is made of rows.
    pub ready: bool,
    /// The package that relative imports start from.
    pub package: String,
    /// The variables.
    pub globals: Vec<Global>,
    /// Positions by name.
    pub index: FxHashMap<Name, u32>,
    /// Answers for names that are no globals, as a function `__getattr__` of a script module does.
    pub missing: Option<Missing>,
}

/// Answers for a name that a Rust module does not define.
pub type Missing = fn(&mut crate::interp::Interp, &str) -> crate::interp::native::Answer;

impl Module {
    /// The value of `name`, if it is set.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let at = *self.index.get(name)?;
        self.globals[at as usize].value.as_ref()
    }

    /// The position of `name`, added if it is new.
    pub fn position(&mut self, name: &Name) -> u32 {
        if let Some(&at) = self.index.get(name) {
            return at;
        }
        let at = self.globals.len() as u32;
        self.globals.push(Global {
            name: Rc::clone(name),
            value: None,
            builtin: None,
        });
        self.index.insert(Rc::clone(name), at);
        at
    }

    /// Sets `name`.
    pub fn set(&mut self, name: &str, value: Value) {
        let at = self.position(&name.into());
        self.globals[at as usize].value = Some(value);
    }

    /// Names that are set, in order.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.globals
            .iter()
            .filter(|global| global.value.is_some())
            .map(|global| &global.name)
    }
}
