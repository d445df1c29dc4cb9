//! Generators.
//!
//! The body of a generator is run by an evaluator of its own, which keeps the way to the current `yield` as a stack of
//! levels: in each block the statement it is in, and what that statement needs to go on (an iterator, a branch, a pending
//! exception). Statements without `yield` go to the ordinary evaluator. To resume, the way is walked down again.

use std::rc::Rc;

use super::Flow;
use crate::interp::Interp;
use crate::interp::native::PyIterator;
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::scope::Frame;
use crate::interp::value::Value;
use crate::syntax::ast::{Block, Expr, ExprKind, For, If, Stmt, StmtKind, Try, While, With};

/// What a statement needs to go on.
enum State {
    /// It has not begun.
    Fresh,
    /// A `yield` waits for the value that is sent.
    Yielded,
    /// `yield from` an iterator.
    Delegating(Box<dyn PyIterator>),
    /// An `if` in its body (`true`) or its other branch.
    Branch(bool),
    /// A `for` in its body.
    For(Box<dyn PyIterator>),
    /// A `while` in its body.
    While,
    /// A loop in its `else`.
    Else,
    /// A `with` in its body; holds `__exit__`.
    With(Value),
    /// A `try` in its body.
    Try,
    /// A `try` in its `else`.
    TryElse,
    /// A `try` in a handler.
    Handler(usize, Raised),
    /// A `try` in its `finally`, with what follows.
    Finish(Result<Flow>),
}

/// A block on the way to the current `yield`.
struct Level {
    index: usize,
    state: State,
}

/// How a block of a generator ends.
enum Step {
    Yield(Value),
    Done(Flow),
}

/// The state of a generator.
pub(crate) struct Generator {
    frame: Frame,
    levels: Vec<Level>,
    sent: Value,
    thrown: Option<Raised>,
    returned: Value,
    started: bool,
    finished: bool,
}

impl PyIterator for Generator {
    fn next(&mut self, cx: &mut Interp) -> Result<Option<Value>> {
        self.resume(cx, Value::None)
    }

    fn send(&mut self, cx: &mut Interp, value: Value) -> Result<Option<Value>> {
        if !self.started && !value.is_none() {
            return Err(Raised::type_error(
                "can't send non-None value to a just-started generator",
            ));
        }
        self.resume(cx, value)
    }

    fn throw(&mut self, cx: &mut Interp, raised: Raised) -> Result<Option<Value>> {
        if self.finished || !self.started {
            self.finished = true;
            return Err(raised);
        }
        self.thrown = Some(raised);
        self.resume(cx, Value::None)
    }

    fn result(&self) -> Value {
        self.returned.clone()
    }
}

impl Generator {
    /// A generator that has not begun.
    pub(crate) fn new(frame: Frame) -> Self {
        Self {
            frame,
            levels: Vec::new(),
            sent: Value::None,
            thrown: None,
            returned: Value::None,
            started: false,
            finished: false,
        }
    }

    fn resume(&mut self, cx: &mut Interp, sent: Value) -> Result<Option<Value>> {
        if self.finished {
            return Ok(None);
        }
        self.sent = sent;
        self.started = true;
        let code = Rc::clone(&self.frame.code);
        let span = cx.span();
        cx.enter_call(&code, span)?;
        let outcome = self.block(cx, &code.body, 0);
        cx.leave_call();
        cx.span = span;
        match outcome {
            Ok(Step::Yield(value)) => Ok(Some(value)),
            Ok(Step::Done(flow)) => {
                self.finished = true;
                if let Flow::Return(value) = flow {
                    self.returned = value;
                }
                Ok(None)
            }
            Err(raised) => {
                self.finished = true;
                if raised.is(Exception::StopIteration) {
                    return Err(Raised::new(Exception::RuntimeError, "generator raised StopIteration"));
                }
                Err(raised)
            }
        }
    }

    /// Runs a block from where its level stands.
    fn block(&mut self, cx: &mut Interp, block: &Block, level: usize) -> Result<Step> {
        if self.levels.len() == level {
            self.levels.push(Level {
                index: 0,
                state: State::Fresh,
            });
        }
        while let Some(stmt) = block.get(self.levels[level].index) {
            match self.stmt(cx, stmt, level) {
                Ok(Step::Done(Flow::Next)) => {
                    self.levels.truncate(level + 1);
                    self.levels[level] = Level {
                        index: self.levels[level].index + 1,
                        state: State::Fresh,
                    };
                }
                Ok(Step::Yield(value)) => return Ok(Step::Yield(value)),
                other => {
                    self.levels.truncate(level);
                    return other;
                }
            }
        }
        self.levels.truncate(level);
        Ok(Step::Done(Flow::Next))
    }

    fn stmt(&mut self, cx: &mut Interp, stmt: &Stmt, level: usize) -> Result<Step> {
        if !stmt.yields {
            return cx.exec(&mut self.frame, stmt).map(Step::Done);
        }
        cx.count_step()?;
        let outcome = match &stmt.kind {
            StmtKind::Expr(value) => self.yielding(cx, value, None, level),
            StmtKind::Assign(targets, value) => self.yielding(cx, value, Some(targets), level),
            StmtKind::Annotate(node) => match &node.value {
                Some(value) => self.yielding(cx, value, Some(std::slice::from_ref(&node.target)), level),
                None => Ok(Step::Done(Flow::Next)),
            },
            StmtKind::If(node) => self.branch(cx, node, level),
            StmtKind::For(node) => self.for_loop(cx, node, level),
            StmtKind::While(node) => self.while_loop(cx, node, level),
            StmtKind::With(node) => self.with(cx, node, level),
            StmtKind::Try(node) => self.try_block(cx, node, level),
            _ => Err(Raised::unimplemented("'yield' in this statement is not supported")),
        };
        outcome.map_err(|raised| cx.locate(raised, Interp::place(&self.frame, stmt.start, stmt.end)))
    }

    fn take_state(&mut self, level: usize) -> State {
        std::mem::replace(&mut self.levels[level].state, State::Fresh)
    }

    fn yielding(&mut self, cx: &mut Interp, value: &Expr, targets: Option<&[Expr]>, level: usize) -> Result<Step> {
        let state = self.take_state(level);
        if let Some(raised) = self.thrown.take() {
            return Err(raised);
        }
        match (state, &value.kind) {
            (State::Fresh, ExprKind::Yield(item)) => {
                let item = match item {
                    Some(item) => cx.eval(&mut self.frame, item)?,
                    None => Value::None,
                };
                self.levels[level].state = State::Yielded;
                return Ok(Step::Yield(item));
            }
            (State::Fresh, ExprKind::YieldFrom(source)) => {
                let source = cx.eval(&mut self.frame, source)?;
                let iterator = cx.iter(&source)?;
                self.levels[level].state = State::Delegating(iterator);
                return self.yielding(cx, value, targets, level);
            }
            (State::Delegating(mut iterator), _) => {
                if let Some(item) = iterator.next(cx)? {
                    self.levels[level].state = State::Delegating(iterator);
                    return Ok(Step::Yield(item));
                }
                self.sent = iterator.result();
            }
            _ => {}
        }
        let sent = std::mem::replace(&mut self.sent, Value::None);
        for target in targets.unwrap_or_default() {
            cx.assign(&mut self.frame, target, sent.clone())?;
        }
        Ok(Step::Done(Flow::Next))
    }

    fn branch(&mut self, cx: &mut Interp, node: &If, level: usize) -> Result<Step> {
        let holds = match self.take_state(level) {
            State::Branch(holds) => holds,
            _ => {
                let test = cx.eval(&mut self.frame, &node.test)?;
                cx.truth(&test)?
            }
        };
        self.levels[level].state = State::Branch(holds);
        self.block(cx, if holds { &node.body } else { &node.orelse }, level + 1)
    }

    fn for_loop(&mut self, cx: &mut Interp, node: &For, level: usize) -> Result<Step> {
        let (mut iterator, mut inside) = match self.take_state(level) {
            State::For(iterator) => (iterator, true),
            State::Else => return self.loop_else(cx, &node.orelse, level),
            _ => {
                let source = cx.eval(&mut self.frame, &node.iter)?;
                (cx.iter(&source)?, false)
            }
        };
        loop {
            if !inside {
                cx.count_step()?;
                let Some(item) = iterator.next(cx)? else {
                    return self.loop_else(cx, &node.orelse, level);
                };
                cx.assign(&mut self.frame, &node.target, item)?;
            }
            inside = false;
            match self.block(cx, &node.body, level + 1)? {
                Step::Yield(value) => {
                    self.levels[level].state = State::For(iterator);
                    return Ok(Step::Yield(value));
                }
                Step::Done(Flow::Next | Flow::Continue) => {}
                Step::Done(Flow::Break) => return Ok(Step::Done(Flow::Next)),
                left @ Step::Done(Flow::Return(_)) => return Ok(left),
            }
        }
    }

    fn while_loop(&mut self, cx: &mut Interp, node: &While, level: usize) -> Result<Step> {
        let mut inside = match self.take_state(level) {
            State::While => true,
            State::Else => return self.loop_else(cx, &node.orelse, level),
            _ => false,
        };
        loop {
            if !inside {
                cx.count_step()?;
                let test = cx.eval(&mut self.frame, &node.test)?;
                if !cx.truth(&test)? {
                    return self.loop_else(cx, &node.orelse, level);
                }
            }
            inside = false;
            self.levels[level].state = State::While;
            match self.block(cx, &node.body, level + 1)? {
                Step::Done(Flow::Next | Flow::Continue) => {}
                Step::Done(Flow::Break) => return Ok(Step::Done(Flow::Next)),
                other => return Ok(other),
            }
        }
    }

    fn loop_else(&mut self, cx: &mut Interp, orelse: &Block, level: usize) -> Result<Step> {
        self.levels[level].state = State::Else;
        self.block(cx, orelse, level + 1)
    }

    fn with(&mut self, cx: &mut Interp, node: &With, level: usize) -> Result<Step> {
        let exit = match self.take_state(level) {
            State::With(exit) => exit,
            _ => {
                let manager = cx.eval(&mut self.frame, &node.context)?;
                cx.enter_context(&mut self.frame, &manager, node)?
            }
        };
        match self.block(cx, &node.body, level + 1) {
            Ok(Step::Yield(value)) => {
                self.levels[level].state = State::With(exit);
                Ok(Step::Yield(value))
            }
            Ok(Step::Done(flow)) => cx.leave_context(&exit, Ok(flow)).map(Step::Done),
            Err(raised) => {
                self.levels.truncate(level + 1);
                cx.leave_context(&exit, Err(raised)).map(Step::Done)
            }
        }
    }

    fn try_block(&mut self, cx: &mut Interp, node: &Try, level: usize) -> Result<Step> {
        let mut state = self.take_state(level);
        if matches!(state, State::Fresh) {
            state = State::Try;
        }
        let outcome = match state {
            State::Finish(pending) => return self.finish(cx, &node.finish, pending, level),
            State::Handler(at, raised) => self.handler(cx, node, at, raised, level),
            State::TryElse => self.phase(cx, &node.orelse, State::TryElse, level),
            _ => self.guarded(cx, node, level),
        };
        match outcome {
            Ok(Step::Yield(value)) => Ok(Step::Yield(value)),
            Ok(Step::Done(flow)) => self.finish(cx, &node.finish, Ok(flow), level),
            Err(raised) if raised.is_signal() => Err(raised),
            Err(raised) => self.finish(cx, &node.finish, Err(raised), level),
        }
    }

    /// Runs a part of a `try`; a `yield` in it leaves `state` behind.
    fn phase(&mut self, cx: &mut Interp, block: &Block, state: State, level: usize) -> Result<Step> {
        self.levels[level].state = state;
        let outcome = self.block(cx, block, level + 1);
        if outcome.is_err() {
            self.levels.truncate(level + 1);
        }
        outcome
    }

    fn guarded(&mut self, cx: &mut Interp, node: &Try, level: usize) -> Result<Step> {
        let (depth, calls) = (cx.depth, cx.calls.len());
        match self.phase(cx, &node.body, State::Try, level) {
            Ok(Step::Done(Flow::Next)) => self.phase(cx, &node.orelse, State::TryElse, level),
            Err(raised) if !raised.is_signal() => {
                cx.depth = depth;
                cx.calls.truncate(calls);
                let mut raised = raised;
                for (at, handler) in node.handlers.iter().enumerate() {
                    if cx.catches(&mut self.frame, handler, &mut raised)? {
                        if let Some(name) = handler.name {
                            let object = cx.exception_object(&mut raised)?;
                            cx.store(&mut self.frame, name, object);
                        }
                        return self.handler(cx, node, at, raised, level);
                    }
                }
                Err(raised)
            }
            other => other,
        }
    }

    fn handler(&mut self, cx: &mut Interp, node: &Try, at: usize, raised: Raised, level: usize) -> Result<Step> {
        cx.handling.push(raised.clone());
        let outcome = self.phase(cx, &node.handlers[at].body, State::Handler(at, raised), level);
        cx.handling.pop();
        outcome
    }

    fn finish(&mut self, cx: &mut Interp, block: &Block, pending: Result<Flow>, level: usize) -> Result<Step> {
        match self.block(cx, block, level + 1)? {
            Step::Yield(value) => {
                self.levels[level].state = State::Finish(pending);
                Ok(Step::Yield(value))
            }
            Step::Done(Flow::Next) => pending.map(Step::Done),
            left => Ok(left),
        }
    }
}
