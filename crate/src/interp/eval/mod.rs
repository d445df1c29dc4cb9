//! The evaluator: walks the tree of a [`Code`](crate::syntax::ast::Code) with its variables in a [`Frame`].

use std::rc::Rc;

use crate::base::diag::Code as DiagnosticCode;
use crate::base::mend::rename;
use crate::base::span::Span;
use crate::interp::Interp;
use crate::interp::builtin::with_nearest;
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::scope::{Frame, SharedCell};
use crate::interp::value::Value;
use crate::syntax::ast::{Block, CodeKind, NameId, Slot};

mod attribute;
mod call;
mod class;
mod compare;
mod dialect;
mod expr;
mod generator;
mod import;
mod index;
mod iterate;
mod matching;
mod number;
mod operator;
mod stmt;
pub(super) mod text;
mod try_with;

pub use import::Stop;

/// How a statement ends.
pub(crate) enum Flow {
    /// The next one follows.
    Next,
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `return`.
    Return(Value),
}

/// Nested evaluations; the stack of a web page holds about this many.
const MAX_DEPTH: usize = 1200;

impl Interp {
    /// Gives an interruption its place and call chain, unless it has them.
    pub(crate) fn locate(&mut self, mut raised: Raised, span: Span) -> Raised {
        if raised.0.span.is_none() {
            raised.0.span = Some(span);
        }
        if let (Some((old, new)), Some(place)) = (raised.0.rename.take(), raised.0.span) {
            raised.0.fixes.extend(rename(&self.sources, place, &old, &new));
        }
        if raised.0.chain.is_empty() && !raised.0.located {
            raised.0.chain = self.chain();
        }
        raised.0.located = true;
        raised
    }

    /// The span of a node of the frame's code.
    pub(crate) fn place(frame: &Frame, start: u32, end: u32) -> Span {
        Span::new(frame.code.file, start, end)
    }

    /// Runs statements.
    pub(crate) fn exec_block(&mut self, frame: &mut Frame, block: &Block) -> Result<Flow> {
        for stmt in block {
            match self.exec(frame, stmt)? {
                Flow::Next => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Next)
    }

    /// Goes one evaluation deeper.
    pub(crate) fn descend(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        self.depth -= 1;
        Err(
            Raised::new(Exception::RecursionError, "maximum recursion depth exceeded")
                .hint("is the end of the recursion ever reached?"),
        )
    }

    /// The value of a name.
    pub(crate) fn load(&mut self, frame: &Frame, id: NameId) -> Result<Value> {
        let slot = Frame::layout(&frame.code).slots[id.0 as usize];
        let value = match slot {
            Slot::Local(at) => frame.locals[at as usize].clone(),
            Slot::Cell(at) => frame.cells[at as usize].borrow().clone(),
            Slot::Global(at) => self.load_global(frame, at),
            Slot::Namespace(at) => {
                let name = &frame.code.names[id.0 as usize];
                let own = frame
                    .namespace
                    .as_ref()
                    .and_then(|namespace| namespace.get(name))
                    .cloned();
                own.or_else(|| self.load_global(frame, at))
            }
        };
        value.ok_or_else(|| self.unset(frame, id, slot))
    }

    fn load_global(&self, frame: &Frame, at: u32) -> Option<Value> {
        let global = &self.modules[frame.module].globals[at as usize];
        global.value.as_ref().or(global.builtin.as_ref()).cloned()
    }

    #[cold]
    fn unset(&mut self, frame: &Frame, id: NameId, slot: Slot) -> Raised {
        let name = &frame.code.names[id.0 as usize];
        if matches!(slot, Slot::Local(_) | Slot::Cell(_)) && frame.code.kind == CodeKind::Function {
            let message = format!("cannot access local variable '{name}' where it is not associated with a value");
            let raised = Raised::new(Exception::UnboundLocalError, message);
            return raised.hint(format!("assign '{name}' on every path that leads here"));
        }
        let raised = Raised::new(Exception::NameError, format!("name '{name}' is not defined"));
        let locals = frame.code.names.iter().map(|name| &**name);
        let module = &self.modules[frame.module];
        let visible = module
            .globals
            .iter()
            .filter(|global| global.value.is_some() || global.builtin.is_some());
        let near = with_nearest(
            raised,
            name,
            locals
                .filter(|other| self.is_set(frame, other))
                .chain(visible.map(|global| &*global.name)),
        );
        match missing_import(name) {
            Some(line) if near.0.hints.is_empty() => near.hint(format!("add '{line}' at the top")),
            _ => near,
        }
    }

    /// Whether a name of the frame's code has a value.
    fn is_set(&self, frame: &Frame, name: &str) -> bool {
        let at = frame.code.names.iter().position(|other| **other == *name);
        at.is_some_and(|at| match Frame::layout(&frame.code).slots[at] {
            Slot::Local(at) => frame.locals[at as usize].is_some(),
            Slot::Cell(at) => frame.cells[at as usize].borrow().is_some(),
            Slot::Global(at) | Slot::Namespace(at) => self.load_global(frame, at).is_some(),
        })
    }

    /// Sets a name.
    pub(crate) fn store(&mut self, frame: &mut Frame, id: NameId, value: Value) {
        match Frame::layout(&frame.code).slots[id.0 as usize] {
            Slot::Local(at) => frame.locals[at as usize] = Some(value),
            Slot::Cell(at) => *frame.cells[at as usize].borrow_mut() = Some(value),
            Slot::Global(at) => self.modules[frame.module].globals[at as usize].value = Some(value),
            Slot::Namespace(_) => {
                let name = Rc::clone(&frame.code.names[id.0 as usize]);
                if let Some(namespace) = &mut frame.namespace {
                    namespace.set(&name, value);
                }
            }
        }
    }

    /// Unsets a name; `false` if it was not set.
    pub(crate) fn unset_name(&mut self, frame: &mut Frame, id: NameId) -> bool {
        match Frame::layout(&frame.code).slots[id.0 as usize] {
            Slot::Local(at) => frame.locals[at as usize].take().is_some(),
            Slot::Cell(at) => frame.cells[at as usize].borrow_mut().take().is_some(),
            Slot::Global(at) => self.modules[frame.module].globals[at as usize].value.take().is_some(),
            Slot::Namespace(_) => {
                let name = Rc::clone(&frame.code.names[id.0 as usize]);
                frame
                    .namespace
                    .as_mut()
                    .is_some_and(|namespace| namespace.remove(&name).is_some())
            }
        }
    }

    /// The cells that a function made in `frame` captures.
    pub(crate) fn capture(frame: &Frame, captures: &[u32]) -> Box<[SharedCell]> {
        captures
            .iter()
            .map(|&at| Rc::clone(&frame.cells[at as usize]))
            .collect()
    }

    /// Makes the variables of a comprehension fresh.
    pub(crate) fn renew(frame: &mut Frame, targets: &[NameId]) {
        for id in targets {
            match Frame::layout(&frame.code).slots[id.0 as usize] {
                Slot::Local(at) => frame.locals[at as usize] = None,
                Slot::Cell(at) => frame.cells[at as usize] = SharedCell::default(),
                Slot::Global(_) | Slot::Namespace(_) => {}
            }
        }
    }

    /// The error of a limit, with its place in the code of the frame.
    pub(crate) fn count_step(&mut self) -> Result<()> {
        self.step(1)
    }

    /// Raises `Suspend` for a value that is not computed.
    pub(crate) fn needs_value(what: &str) -> Raised {
        Raised::suspend(format!("{what} needs a value that is not computed")).code(DiagnosticCode::Skipped)
    }
}

/// The import line that people forget for a well-known name.
fn missing_import(name: &str) -> Option<&'static str> {
    const LINES: &[(&str, &str)] = &[
        ("np", "import numpy as np"),
        ("nki", "import nki"),
        ("nl", "import nki.language as nl"),
        ("nisa", "import nki.isa as nisa"),
        ("math", "import math"),
        ("dataclass", "from dataclasses import dataclass"),
        ("Enum", "from enum import Enum"),
        ("partial", "from functools import partial"),
        ("itertools", "import itertools"),
        ("Optional", "from typing import Optional"),
    ];
    LINES.iter().find(|(known, _)| *known == name).map(|(_, line)| *line)
}
