//! Gives every name its place, once: local slot, cell, global or class namespace.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::diag::{Code as DiagnosticCode, Diagnostic};
use crate::base::span::{FileId, Span};
use crate::syntax::ast::{Layout, Slot};
use crate::syntax::scopes::{ScopeKind, Scopes};

/// A variable: the scope that binds it and its name.
type Variable = (usize, Rc<str>);

/// What a name in a scope refers to.
enum Target {
    Global,
    Namespace,
    Variable(usize),
}

/// Sets the layout of every code; returns the names of the module's globals in order.
pub fn resolve(scopes: &Scopes, file: FileId, errors: &mut Vec<Diagnostic>) -> Vec<Rc<str>> {
    let mut resolver = Resolver::default();
    for host in hosts(scopes) {
        for (name, scope) in &scopes.all[host].names {
            resolver.note_captures(scopes, host, *scope, name);
        }
        report_nonlocals(scopes, host, file, errors);
    }
    for host in hosts(scopes) {
        resolver.number_own(scopes, host);
    }
    for host in hosts(scopes) {
        let layout = resolver.layout(scopes, host);
        if let Some(code) = &scopes.all[host].code {
            // Each code is laid out exactly once.
            let _ = code.layout.set(layout);
        }
    }
    resolver.globals
}

/// Scopes with a code of their own, outer ones first.
fn hosts(scopes: &Scopes) -> impl Iterator<Item = usize> {
    (0..scopes.all.len()).filter(|&id| scopes.all[id].host == id)
}

fn report_nonlocals(scopes: &Scopes, host: usize, file: FileId, errors: &mut Vec<Diagnostic>) {
    for (name, &(start, end)) in &scopes.all[host].nonlocals {
        if enclosing(scopes, scopes.all[host].parent, name).is_none() {
            let message = format!("no binding for nonlocal '{name}' found");
            errors.push(Diagnostic::error(
                DiagnosticCode::Syntax,
                Span::new(file, start, end),
                message,
            ));
        }
    }
}

/// The nearest function or comprehension from `scope` outwards that binds `name`.
fn enclosing(scopes: &Scopes, mut scope: Option<usize>, name: &str) -> Option<usize> {
    while let Some(id) = scope {
        let around = &scopes.all[id];
        let lexical = !matches!(around.kind, ScopeKind::Module | ScopeKind::Class);
        if lexical && around.globals.contains(name) {
            return None;
        }
        if lexical && around.bound.contains(name) && !around.nonlocals.contains_key(name) {
            return Some(id);
        }
        scope = around.parent;
    }
    None
}

fn target(scopes: &Scopes, scope: usize, name: &str) -> Target {
    let own = &scopes.all[scope];
    if own.globals.contains(name) {
        return Target::Global;
    }
    if own.bound.contains(name) && !own.nonlocals.contains_key(name) {
        match own.kind {
            ScopeKind::Module => return Target::Global,
            ScopeKind::Class => return Target::Namespace,
            ScopeKind::Function | ScopeKind::Generator | ScopeKind::Comprehension => return Target::Variable(scope),
        }
    }
    enclosing(scopes, own.parent, name).map_or(Target::Global, Target::Variable)
}

/// Where the variables of one code live.
#[derive(Default)]
struct Own {
    locals: FxHashMap<Variable, u32>,
    cells: FxHashMap<Variable, u32>,
}

#[derive(Default)]
struct Resolver {
    captured: FxHashSet<Variable>,
    free: FxHashMap<usize, Vec<Variable>>,
    own: FxHashMap<usize, Own>,
    globals: Vec<Rc<str>>,
    global_index: FxHashMap<Rc<str>, u32>,
}

impl Resolver {
    /// If `name` belongs to another code, every code between passes it on.
    fn note_captures(&mut self, scopes: &Scopes, host: usize, scope: usize, name: &Rc<str>) {
        let Target::Variable(owner) = target(scopes, scope, name) else {
            return;
        };
        let owner_host = scopes.all[owner].host;
        let variable = (owner, Rc::clone(name));
        let mut at = host;
        while at != owner_host {
            self.captured.insert(variable.clone());
            let free = self.free.entry(at).or_default();
            if !free.contains(&variable) {
                free.push(variable.clone());
            }
            match scopes.all[at].parent {
                Some(parent) => at = scopes.all[parent].host,
                None => break,
            }
        }
    }

    /// Numbers the variables that a code makes itself.
    fn number_own(&mut self, scopes: &Scopes, host: usize) {
        let mut own = Own::default();
        for (name, scope) in &scopes.all[host].names {
            let Target::Variable(owner) = target(scopes, *scope, name) else {
                continue;
            };
            if scopes.all[owner].host != host {
                continue;
            }
            let variable = (owner, Rc::clone(name));
            let table = if self.captured.contains(&variable) {
                &mut own.cells
            } else {
                &mut own.locals
            };
            let next = table.len() as u32;
            table.entry(variable).or_insert(next);
        }
        self.own.insert(host, own);
    }

    fn layout(&mut self, scopes: &Scopes, host: usize) -> Layout {
        let names = &scopes.all[host].names;
        let slots = names
            .iter()
            .map(|(name, scope)| self.slot(scopes, host, *scope, name))
            .collect();
        let free = self.free.get(&host).map_or(&[][..], Vec::as_slice);
        let around = scopes.all[host].parent.map(|parent| scopes.all[parent].host);
        let captures = free
            .iter()
            .filter_map(|variable| self.cell(around?, variable))
            .collect();
        let (locals, cells) = self
            .own
            .get(&host)
            .map_or((0, 0), |own| (own.locals.len(), own.cells.len()));
        Layout {
            slots,
            locals: locals as u32,
            cells: cells as u32,
            captures,
        }
    }

    /// The cell of `variable` in the frame of `host`.
    fn cell(&self, host: usize, variable: &Variable) -> Option<u32> {
        let own = self.own.get(&host)?;
        if let Some(&at) = own.cells.get(variable) {
            return Some(at);
        }
        let at = self.free.get(&host)?.iter().position(|free| free == variable)?;
        Some(own.cells.len() as u32 + at as u32)
    }

    fn slot(&mut self, scopes: &Scopes, host: usize, scope: usize, name: &Rc<str>) -> Slot {
        match target(scopes, scope, name) {
            Target::Global => Slot::Global(self.global(name)),
            Target::Namespace => Slot::Namespace(self.global(name)),
            Target::Variable(owner) => {
                let variable = (owner, Rc::clone(name));
                if let Some(at) = self.cell(host, &variable) {
                    return Slot::Cell(at);
                }
                let local = self.own.get(&host).and_then(|own| own.locals.get(&variable)).copied();
                match local {
                    Some(at) => Slot::Local(at),
                    None => Slot::Global(self.global(name)),
                }
            }
        }
    }

    fn global(&mut self, name: &Rc<str>) -> u32 {
        if let Some(&at) = self.global_index.get(name) {
            return at;
        }
        let at = self.globals.len() as u32;
        self.globals.push(Rc::clone(name));
        self.global_index.insert(Rc::clone(name), at);
        at
    }
}
