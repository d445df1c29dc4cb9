//! The scopes of a module while its tree is being built: which names each one binds and uses.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::syntax::ast::{Code, NameId};

/// The kinds of scopes. Comprehensions have a scope, but no [`Code`] of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// A file.
    Module,
    /// A function or lambda.
    Function,
    /// A generator expression.
    Generator,
    /// A class body.
    Class,
    /// A list, set or dictionary comprehension.
    Comprehension,
}

/// A scope.
#[derive(Debug)]
pub struct Scope {
    /// What it is.
    pub kind: ScopeKind,
    /// The scope around it.
    pub parent: Option<usize>,
    /// The scope whose code runs it: itself, or the one around a comprehension.
    pub host: usize,
    /// Names that it binds.
    pub bound: FxHashSet<Rc<str>>,
    /// Names declared `global`.
    pub globals: FxHashSet<Rc<str>>,
    /// Names declared `nonlocal`, with the place of the declaration.
    pub nonlocals: FxHashMap<Rc<str>, (u32, u32)>,
    /// Names used in it.
    pub ids: FxHashMap<Rc<str>, NameId>,
    /// For a host: all names of its code with their scopes, by [`NameId`].
    pub names: Vec<(Rc<str>, usize)>,
    /// For a host: its code, once it is built.
    pub code: Option<Rc<Code>>,
}

/// All scopes of a module; a scope comes before those inside it.
#[derive(Debug, Default)]
pub struct Scopes {
    /// The scopes.
    pub all: Vec<Scope>,
    open: Vec<usize>,
}

impl Scopes {
    /// Opens a scope inside the current one.
    pub fn open(&mut self, kind: ScopeKind) -> usize {
        let id = self.all.len();
        let parent = self.open.last().copied();
        let host = match (kind, parent) {
            (ScopeKind::Comprehension, Some(around)) => self.all[around].host,
            _ => id,
        };
        self.all.push(Scope {
            kind,
            parent,
            host,
            bound: FxHashSet::default(),
            globals: FxHashSet::default(),
            nonlocals: FxHashMap::default(),
            ids: FxHashMap::default(),
            names: Vec::new(),
            code: None,
        });
        self.open.push(id);
        id
    }

    /// Closes the current scope.
    pub fn close(&mut self) {
        self.open.pop();
    }

    /// The current scope.
    pub fn current(&self) -> usize {
        self.open.last().copied().unwrap_or(0)
    }

    /// The current scope, or the one around it if that is a comprehension.
    pub fn current_host(&self) -> usize {
        self.all[self.current()].host
    }

    /// A use of `name` in the current scope.
    pub fn use_name(&mut self, name: &str) -> NameId {
        self.id_in(self.current(), name)
    }

    /// A binding of `name` in the current scope.
    pub fn bind(&mut self, name: &str) -> NameId {
        let scope = self.current();
        self.all[scope].bound.insert(name.into());
        self.id_in(scope, name)
    }

    /// A binding of `name` in the function around all comprehensions, as `:=` makes it.
    pub fn bind_outside(&mut self, name: &str) -> NameId {
        let mut scope = self.current();
        while matches!(self.all[scope].kind, ScopeKind::Comprehension | ScopeKind::Generator) {
            scope = self.all[scope].parent.unwrap_or(0);
        }
        self.id_in(scope, name);
        self.all[scope].bound.insert(name.into());
        self.use_name(name)
    }

    fn id_in(&mut self, scope: usize, name: &str) -> NameId {
        if let Some(&id) = self.all[scope].ids.get(name) {
            return id;
        }
        let name: Rc<str> = name.into();
        let host = self.all[scope].host;
        let id = NameId(self.all[host].names.len() as u32);
        self.all[host].names.push((Rc::clone(&name), scope));
        self.all[scope].ids.insert(name, id);
        id
    }
}
