//! Statements.

use std::rc::Rc;

use super::Flow;
use crate::interp::dict::Dict;
use crate::interp::native::PyIterator;
use crate::interp::raised::{Exception, Kind, Raised, Result};
use crate::interp::scope::Frame;
use crate::interp::value::Value;
use crate::interp::{Interp, OnUnknown, Outcome};
use crate::syntax::ast::{Annotation, BinaryOp, Block, Expr, ExprKind, For, FunctionDef, Stmt, StmtKind, While};

/// Checks that are remembered; a loop can make any number.
const MAX_CHECKS: usize = 1000;

impl Interp {
    /// Runs one statement.
    pub(crate) fn exec(&mut self, frame: &mut Frame, stmt: &Stmt) -> Result<Flow> {
        self.span = Self::place(frame, stmt.start, stmt.end);
        let outcome = match self.count_step() {
            Ok(()) => self.exec_kind(frame, stmt),
            Err(limit) => Err(limit),
        };
        outcome.map_err(|raised| self.locate(raised, Self::place(frame, stmt.start, stmt.end)))
    }

    fn exec_kind(&mut self, frame: &mut Frame, stmt: &Stmt) -> Result<Flow> {
        match &stmt.kind {
            StmtKind::Expr(expr) => {
                self.eval(frame, expr)?;
            }
            StmtKind::Assign(targets, value) => {
                let value = self.eval(frame, value)?;
                for target in targets {
                    self.assign(frame, target, value.clone())?;
                }
            }
            StmtKind::Augment(target, op, value) => self.exec_augment(frame, target, *op, value)?,
            StmtKind::For(node) => return self.exec_for(frame, node),
            StmtKind::While(node) => return self.exec_while(frame, node),
            StmtKind::If(_) => return self.exec_if(frame, stmt),
            StmtKind::Return(value) => {
                let value = match value {
                    Some(value) => self.eval(frame, value)?,
                    None => Value::None,
                };
                return Ok(Flow::Return(value));
            }
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::With(node) => return self.exec_with(frame, node),
            StmtKind::Try(node) => return self.exec_try(frame, node),
            StmtKind::Match(node) => return self.exec_match(frame, node),
            StmtKind::Pass => {}
            _ => self.exec_simple(frame, stmt)?,
        }
        Ok(Flow::Next)
    }

    fn exec_simple(&mut self, frame: &mut Frame, stmt: &Stmt) -> Result<()> {
        match &stmt.kind {
            StmtKind::Assert(test, message) => self.exec_assert(frame, test, message.as_ref()),
            StmtKind::Annotate(node) => self.exec_annotate(frame, node),
            StmtKind::Function(node) => {
                let function = self.define_function(frame, node)?;
                self.store(frame, node.target, function);
                Ok(())
            }
            StmtKind::Class(node) => {
                let class = self.define_class(frame, node)?;
                self.store(frame, node.target, class);
                Ok(())
            }
            StmtKind::Import(names) => names.iter().try_for_each(|name| self.exec_import(frame, name)),
            StmtKind::ImportFrom(node) => self.exec_import_from(frame, node),
            StmtKind::Raise(exception, cause) => self.exec_raise(frame, exception.as_ref(), cause.as_ref()),
            StmtKind::Delete(targets) => targets.iter().try_for_each(|target| self.delete(frame, target)),
            _ => Ok(()),
        }
    }

    /// `if` with its chain of `elif`, without recursion along the chain.
    fn exec_if(&mut self, frame: &mut Frame, stmt: &Stmt) -> Result<Flow> {
        let mut at = stmt;
        loop {
            let StmtKind::If(node) = &at.kind else {
                return self.exec(frame, at);
            };
            let test = self.eval(frame, &node.test)?;
            let holds = self.truth(&test);
            if holds.map_err(|raised| self.locate(raised, Self::place(frame, node.test.start, node.test.end)))? {
                return self.exec_block(frame, &node.body);
            }
            match &*node.orelse {
                [] => return Ok(Flow::Next),
                [one] if matches!(one.kind, StmtKind::If(_)) => at = one,
                _ => return self.exec_block(frame, &node.orelse),
            }
        }
    }

    fn exec_for(&mut self, frame: &mut Frame, node: &For) -> Result<Flow> {
        let source = self.eval(frame, &node.iter)?;
        let place = Self::place(frame, node.iter.start, node.iter.end);
        self.span = place;
        let iterator = self.iter(&source);
        let iterator = iterator.map_err(|raised| self.locate(raised, place))?;
        self.drive(frame, iterator, Some(&node.target), &node.body, &node.orelse)
    }

    /// Runs a loop body for every item.
    fn drive(
        &mut self,
        frame: &mut Frame,
        mut iterator: Box<dyn PyIterator>,
        target: Option<&Expr>,
        body: &Block,
        orelse: &Block,
    ) -> Result<Flow> {
        while let Some(item) = iterator.next(self)? {
            self.count_step()?;
            if let Some(target) = target {
                self.assign(frame, target, item)?;
            }
            match self.exec_block(frame, body) {
                Ok(Flow::Next | Flow::Continue) => {}
                Ok(Flow::Break) => {
                    iterator.abandon(self, false)?;
                    return Ok(Flow::Next);
                }
                Ok(left) => {
                    iterator.abandon(self, false)?;
                    return Ok(left);
                }
                Err(raised) => {
                    iterator.abandon(self, true)?;
                    return Err(raised);
                }
            }
        }
        self.exec_block(frame, orelse)
    }

    fn exec_while(&mut self, frame: &mut Frame, node: &While) -> Result<Flow> {
        let mut first = true;
        loop {
            self.count_step()?;
            let test = self.eval(frame, &node.test)?;
            if first
                && let Value::Native(object) = &test
                && let Some(iterator) = object.while_loop(self)?
            {
                return self.drive(frame, iterator, None, &node.body, &node.orelse);
            }
            first = false;
            let holds = self.truth(&test);
            if !holds.map_err(|raised| self.locate(raised, Self::place(frame, node.test.start, node.test.end)))? {
                return self.exec_block(frame, &node.orelse);
            }
            match self.exec_block(frame, &node.body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                left @ Flow::Return(_) => return Ok(left),
            }
        }
    }

    /// Assigns a value to a target.
    pub(crate) fn assign(&mut self, frame: &mut Frame, target: &Expr, value: Value) -> Result<()> {
        let outcome = match &target.kind {
            ExprKind::Name(id) => {
                self.store(frame, *id, value);
                return Ok(());
            }
            ExprKind::Attribute(object, name) => {
                let object = self.eval(frame, object)?;
                self.setattr(&object, name, value)
            }
            ExprKind::Subscript(parts) => {
                let object = self.eval(frame, &parts[0])?;
                let index = self.eval(frame, &parts[1])?;
                self.setitem(&object, &index, value)
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => self.unpack(frame, targets, &value),
            _ => Err(Raised::type_error("cannot assign to this expression")),
        };
        outcome.map_err(|raised| self.locate(raised, Self::place(frame, target.start, target.end)))
    }

    fn unpack(&mut self, frame: &mut Frame, targets: &[Expr], value: &Value) -> Result<()> {
        let star = targets
            .iter()
            .position(|target| matches!(target.kind, ExprKind::Starred(_)));
        let items = self
            .collect(value)
            .map_err(|raised| match raised.is(Exception::TypeError) {
                true => Raised::type_error(format!("cannot unpack non-iterable {} object", self.type_name(value))),
                false => raised,
            })?;
        let wanted = targets.len() - usize::from(star.is_some());
        if items.len() < wanted {
            let at_least = if star.is_some() { "at least " } else { "" };
            let text = format!(
                "not enough values to unpack (expected {at_least}{wanted}, got {})",
                items.len()
            );
            return Err(Raised::value_error(text));
        }
        let Some(star) = star else {
            if items.len() > wanted {
                let text = format!("too many values to unpack (expected {wanted})");
                let hint = format!("the right side has {} values", items.len());
                return Err(Raised::value_error(text).hint(hint));
            }
            return targets
                .iter()
                .zip(items)
                .try_for_each(|(target, item)| self.assign(frame, target, item));
        };
        let tail = items.len() - (wanted - star);
        for (at, target) in targets.iter().enumerate() {
            match &target.kind {
                ExprKind::Starred(inner) => self.assign(frame, inner, Value::list(items[star..tail].to_vec()))?,
                _ if at < star => self.assign(frame, target, items[at].clone())?,
                _ => self.assign(frame, target, items[tail + at - star - 1].clone())?,
            }
        }
        Ok(())
    }

    fn exec_augment(&mut self, frame: &mut Frame, target: &Expr, op: BinaryOp, value: &Expr) -> Result<()> {
        match &target.kind {
            ExprKind::Attribute(object, name) => {
                let object = self.eval(frame, object)?;
                let old = self.getattr(&object, name)?;
                let value = self.eval(frame, value)?;
                let new = self.in_place(op, &old, &value)?;
                self.setattr(&object, name, new)
            }
            ExprKind::Subscript(parts) => {
                let object = self.eval(frame, &parts[0])?;
                let index = self.eval(frame, &parts[1])?;
                let old = self.getitem(&object, &index)?;
                let value = self.eval(frame, value)?;
                let new = self.in_place(op, &old, &value)?;
                self.setitem(&object, &index, new)
            }
            _ => {
                let old = self.eval(frame, target)?;
                let value = self.eval(frame, value)?;
                let new = self.in_place(op, &old, &value)?;
                self.assign(frame, target, new)
            }
        }
    }

    fn exec_assert(&mut self, frame: &mut Frame, test: &Expr, message: Option<&Expr>) -> Result<()> {
        let value = self.eval(frame, test)?;
        let span = Self::place(frame, test.start, test.end);
        if let Value::Native(object) = &value {
            let text = self.sources.text(span).to_owned();
            let outer = std::mem::replace(&mut self.span, span);
            let later = Rc::clone(object).assert_later(self, &text);
            self.span = outer;
            if later.map_err(|raised| self.locate(raised, span))? {
                return Ok(());
            }
        }
        let truth = self.truth_value(&value).map_err(|raised| self.locate(raised, span))?;
        if truth.is_none() && self.on_unknown == OnUnknown::Suspend {
            return Err(Self::needs_value("this check"));
        }
        let outcome = match truth {
            Some(true) => Outcome::Passed,
            Some(false) => Outcome::Failed,
            None => Outcome::Skipped,
        };
        if !self.in_kernel() && span.file == self.script() && self.checks.len() < MAX_CHECKS {
            let text = self.sources.text(span).to_owned();
            let note = self.compared_numbers(frame, test);
            self.record_check(span, text, outcome, note);
        }
        if outcome != Outcome::Failed {
            return Ok(());
        }
        let raised = match message {
            Some(message) => {
                let message = self.eval(frame, message)?;
                let text = self.str(&message)?;
                let hint = format!("the condition is: {}", self.sources.text(span));
                Raised::new(Exception::AssertionError, text).hint(hint)
            }
            None => {
                let text = format!("assertion failed: {}", self.sources.text(span));
                Raised::new(Exception::AssertionError, text)
            }
        };
        Err(raised.at(span))
    }

    /// `error = 0.00288, tolerance = 0.005`: the numbers behind the names that a check compares.
    fn compared_numbers(&mut self, frame: &Frame, test: &Expr) -> String {
        let ExprKind::Compare(left, rest) = &test.kind else {
            return String::new();
        };
        let mut parts: Vec<String> = Vec::new();
        for operand in std::iter::once(&**left).chain(rest.iter().map(|(_, operand)| operand)) {
            let ExprKind::Name(id) = operand.kind else { continue };
            let Ok(value) = self.load(frame, id) else { continue };
            let spec = if matches!(value, Value::Int(_)) { "" } else { ".3g" };
            // What has no such format is no number; the check is complete without it.
            if !matches!(value, Value::Str(_))
                && let Ok(number) = self.format(&value, spec)
            {
                parts.push(format!("{} = {number}", frame.code.names[id.0 as usize]));
            }
        }
        parts.join(", ")
    }

    fn exec_annotate(&mut self, frame: &mut Frame, node: &Annotation) -> Result<()> {
        if let Some(namespace) = &mut frame.namespace
            && let ExprKind::Name(id) = node.target.kind
        {
            let name = Rc::clone(&frame.code.names[id.0 as usize]);
            let annotations = match namespace.get("__annotations__") {
                Some(Value::Dict(dict)) => Rc::clone(dict),
                _ => Rc::default(),
            };
            annotations
                .borrow_mut()
                .set_str(&name, Value::Str(Rc::clone(&node.annotation)));
            namespace.set(&"__annotations__".into(), Value::Dict(annotations));
        }
        match &node.value {
            Some(value) => {
                let value = self.eval(frame, value)?;
                self.assign(frame, &node.target, value)
            }
            None => Ok(()),
        }
    }

    fn define_function(&mut self, frame: &mut Frame, node: &FunctionDef) -> Result<Value> {
        let decorators = self.eval_all(frame, &node.decorators)?;
        let defaults = self.eval_all(frame, &node.defaults)?;
        let function = Value::Function(Self::make_function(frame, &node.code, defaults));
        self.decorate(frame, function, &decorators, &node.decorators)
    }

    /// Applies decorators, innermost first.
    pub(crate) fn decorate(
        &mut self,
        frame: &Frame,
        mut value: Value,
        decorators: &[Value],
        exprs: &[Expr],
    ) -> Result<Value> {
        for (decorator, expr) in decorators.iter().zip(exprs).rev() {
            let span = Self::place(frame, expr.start, expr.end);
            let outer = std::mem::replace(&mut self.span, span);
            let outcome = self.call_values(decorator, vec![value]);
            self.span = outer;
            value = outcome.map_err(|raised| self.locate(raised, span))?;
        }
        Ok(value)
    }

    fn delete(&mut self, frame: &mut Frame, target: &Expr) -> Result<()> {
        match &target.kind {
            ExprKind::Name(id) => {
                if self.unset_name(frame, *id) {
                    return Ok(());
                }
                let name = &frame.code.names[id.0 as usize];
                Err(Raised::new(
                    Exception::NameError,
                    format!("name '{name}' is not defined"),
                ))
            }
            ExprKind::Attribute(object, name) => {
                let object = self.eval(frame, object)?;
                self.delattr(&object, name)
            }
            ExprKind::Subscript(parts) => {
                let object = self.eval(frame, &parts[0])?;
                let index = self.eval(frame, &parts[1])?;
                self.delitem(&object, &index)
            }
            ExprKind::Tuple(items) | ExprKind::List(items) => {
                items.iter().try_for_each(|item| self.delete(frame, item))
            }
            _ => Err(Raised::type_error("cannot delete this expression")),
        }
    }

    fn exec_raise(&mut self, frame: &mut Frame, exception: Option<&Expr>, cause: Option<&Expr>) -> Result<()> {
        let Some(exception) = exception else {
            return Err(self
                .handling
                .last()
                .cloned()
                .unwrap_or_else(|| Raised::new(Exception::RuntimeError, "No active exception to reraise")));
        };
        let value = self.eval(frame, exception)?;
        let mut raised = self.raise_value(value)?;
        if cause.is_some() || !self.handling.is_empty() {
            let cause = cause.map(|cause| self.eval(frame, cause)).transpose()?;
            self.link_exceptions(&mut raised, cause)?;
        }
        Err(raised)
    }

    /// Tells an exception which one was being handled when it was raised, and which one is its cause.
    fn link_exceptions(&mut self, raised: &mut Raised, cause: Option<Value>) -> Result<()> {
        let Value::Instance(instance) = self.exception_object(raised)? else {
            return Ok(());
        };
        let handled = self.handling.last().map(|handled| handled.0.kind.clone());
        if let Some(Kind::Object(context)) = handled
            && !matches!(&context, Value::Instance(other) if Rc::ptr_eq(other, &instance))
        {
            instance.attrs.borrow_mut().set(&"__context__".into(), context);
        }
        let Some(cause) = cause else { return Ok(()) };
        let cause = match &cause {
            Value::Class(class) if class.exception.is_some() => self.call_values(&cause, Vec::new())?,
            _ => cause,
        };
        let fits = |cause: &Value| matches!(cause, Value::Instance(one) if one.class.exception.is_some());
        if !cause.is_none() && !fits(&cause) {
            return Err(Raised::type_error("exception causes must derive from BaseException"));
        }
        let mut attrs = instance.attrs.borrow_mut();
        attrs.set(&"__cause__".into(), cause);
        attrs.set(&"__suppress_context__".into(), Value::Bool(true));
        Ok(())
    }

    /// What `raise value` raises.
    pub(crate) fn raise_value(&mut self, value: Value) -> Result<Raised> {
        let object = match &value {
            Value::Class(class) if class.exception.is_some() => self.call_values(&value, Vec::new())?,
            _ => value,
        };
        let Value::Instance(instance) = &object else {
            return Err(Raised::type_error("exceptions must derive from BaseException"));
        };
        let Some(base) = instance.class.exception else {
            return Err(Raised::type_error("exceptions must derive from BaseException"));
        };
        if let Some(known) = self
            .handling
            .iter()
            .rev()
            .find(|raised| matches!(&raised.0.kind, Kind::Object(other) if other.is(&object)))
        {
            return Ok(known.clone());
        }
        let text = self.str(&object)?;
        let name = &instance.class.name;
        let message = if text.is_empty() {
            name.to_string()
        } else {
            format!("{name}: {text}")
        };
        let message = if base.code() == crate::base::diag::Code::Exception {
            message
        } else {
            text_or(text, name)
        };
        Ok(Raised::of_kind(Kind::Object(object), base.code(), message))
    }

    /// Key-value pairs of a mapping.
    pub fn mapping_items(&mut self, mapping: &Value) -> Result<Vec<(Value, Value)>> {
        let dict = match mapping {
            Value::Dict(dict) => Rc::clone(dict),
            Value::Instance(instance) => match &instance.base {
                Some(Value::Dict(dict)) => Rc::clone(dict),
                _ => return self.mapping_by_keys(mapping),
            },
            _ => return self.mapping_by_keys(mapping),
        };
        let items = dict
            .borrow()
            .iter()
            .map(|entry| (entry.key.clone(), entry.value.clone()))
            .collect();
        Ok(items)
    }

    fn mapping_by_keys(&mut self, mapping: &Value) -> Result<Vec<(Value, Value)>> {
        if !self.hasattr(mapping, "keys")? {
            return Err(Raised::type_error(format!(
                "'{}' object is not a mapping",
                self.type_name(mapping)
            )));
        }
        let keys = self.getattr(mapping, "keys")?;
        let keys = self.call_values(&keys, Vec::new())?;
        let keys = self.collect(&keys)?;
        keys.into_iter()
            .map(|key| Ok((key.clone(), self.getitem(mapping, &key)?)))
            .collect()
    }

    /// Sets a key of a table that no script can see yet.
    pub(crate) fn dict_set(&mut self, dict: &mut Dict, key: Value, value: Value) -> Result<()> {
        let hash = self.hash(&key)?;
        match self.find_key(dict, hash, &key)? {
            Some(at) => dict.set_value(at, value),
            None => dict.append(hash, key, value),
        }
        Ok(())
    }

    /// The position of a key in a table that no script can see.
    pub(crate) fn find_key(&mut self, dict: &Dict, hash: u64, key: &Value) -> Result<Option<u32>> {
        for at in dict.candidates(hash).to_vec() {
            let Some(entry) = dict.entry(at) else { continue };
            if entry.key.is(key) || self.equals(&entry.key.clone(), key)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }
}

fn text_or(text: String, name: &str) -> String {
    if text.is_empty() { name.to_owned() } else { text }
}
