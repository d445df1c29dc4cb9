//! `try` and `with`.

use super::Flow;
use crate::interp::Interp;
use crate::interp::builtin::CallArgs;
use crate::interp::raised::{Exception, Kind, Raised, Result};
use crate::interp::scope::Frame;
use crate::interp::value::Value;
use crate::syntax::ast::{Handler, Try, With};

/// The key whose `repr` the message of a `KeyError` is: strings without escapes and integers; the text itself otherwise.
fn key_of(message: &str) -> Value {
    let text = message.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    match (text, message.parse()) {
        (Some(text), _) if !text.contains('\\') => Value::from(text),
        (_, Ok(number)) => Value::Int(number),
        _ => Value::from(message),
    }
}

impl Interp {
    pub(crate) fn exec_try(&mut self, frame: &mut Frame, node: &Try) -> Result<Flow> {
        let depth = self.depth;
        let calls = self.calls.len();
        let outcome = match self.exec_block(frame, &node.body) {
            Ok(Flow::Next) => self.exec_block(frame, &node.orelse),
            Ok(flow) => Ok(flow),
            Err(raised) => {
                self.depth = depth;
                self.calls.truncate(calls);
                self.handle(frame, &node.handlers, raised)
            }
        };
        if node.finish.is_empty() || matches!(&outcome, Err(raised) if raised.is_signal()) {
            return outcome;
        }
        self.depth = depth;
        match self.exec_block(frame, &node.finish)? {
            Flow::Next => outcome,
            left => Ok(left),
        }
    }

    /// Runs the first handler that catches `raised`.
    pub(crate) fn handle(&mut self, frame: &mut Frame, handlers: &[Handler], raised: Raised) -> Result<Flow> {
        if raised.is_signal() {
            return Err(raised);
        }
        for handler in handlers {
            let mut raised = raised.clone();
            if !self.catches(frame, handler, &mut raised)? {
                continue;
            }
            if let Some(name) = handler.name {
                let object = self.exception_object(&mut raised)?;
                self.store(frame, name, object);
            }
            self.handling.push(raised);
            let outcome = self.exec_block(frame, &handler.body);
            self.handling.pop();
            if let Some(name) = handler.name {
                self.unset_name(frame, name);
            }
            return outcome;
        }
        Err(raised)
    }

    pub(crate) fn catches(&mut self, frame: &mut Frame, handler: &Handler, raised: &mut Raised) -> Result<bool> {
        let Some(kind) = &handler.kind else { return Ok(true) };
        let kind = self.eval(frame, kind)?;
        let object = self.exception_object(raised)?;
        self.is_instance(&object, &kind)
    }

    /// The Python object of a raised exception, made when it is first needed.
    pub(crate) fn exception_object(&mut self, raised: &mut Raised) -> Result<Value> {
        match &raised.0.kind {
            Kind::Object(object) => Ok(object.clone()),
            Kind::Builtin(exception) => {
                let message = raised.0.message.clone();
                let args = match *exception {
                    _ if message.is_empty() => Vec::new(),
                    Exception::KeyError => vec![key_of(&message)],
                    _ => vec![Value::from(message)],
                };
                let object = self.make_exception(*exception, args);
                raised.0.kind = Kind::Object(object.clone());
                Ok(object)
            }
            Kind::Suspend | Kind::Limit => Err(raised.clone()),
        }
    }

    /// An object of a built-in exception class.
    pub(crate) fn make_exception(&mut self, exception: Exception, args: Vec<Value>) -> Value {
        let class = std::rc::Rc::clone(&self.exceptions[exception as usize]);
        self.new_instance(&class, &[("args", Value::tuple(args))])
    }

    pub(crate) fn exec_with(&mut self, frame: &mut Frame, node: &With) -> Result<Flow> {
        let manager = self.eval(frame, &node.context)?;
        let exit = self.enter_context(frame, &manager, node)?;
        let depth = self.depth;
        let calls = self.calls.len();
        let outcome = self.exec_block(frame, &node.body);
        self.depth = depth;
        self.calls.truncate(calls);
        self.leave_context(&exit, outcome)
    }

    /// Calls `__enter__` and binds the target; returns `__exit__`.
    pub(crate) fn enter_context(&mut self, frame: &mut Frame, manager: &Value, node: &With) -> Result<Value> {
        for name in ["__enter__", "__exit__"] {
            if !self.hasattr(manager, name)? {
                let kind = self.type_name(manager);
                let text = format!("'{kind}' object does not support the context manager protocol");
                let span = Self::place(frame, node.context.start, node.context.end);
                return Err(Raised::type_error(text).at(span).hint(format!("it has no {name}()")));
            }
        }
        let exit = self.getattr(manager, "__exit__")?;
        let enter = self.getattr(manager, "__enter__")?;
        let value = self.call_values(&enter, Vec::new())?;
        if let Some(target) = &node.target {
            self.assign(frame, target, value)?;
        }
        Ok(exit)
    }

    /// Calls `__exit__`, which may swallow the exception.
    pub(crate) fn leave_context(&mut self, exit: &Value, outcome: Result<Flow>) -> Result<Flow> {
        match outcome {
            Err(raised) if raised.is_signal() => Err(raised),
            Err(mut raised) => {
                let object = self.exception_object(&mut raised)?;
                let class = Value::Class(self.class_of(&object));
                let swallowed = self.call(exit, CallArgs::positional([class, object, Value::None]))?;
                if self.truth(&swallowed)? {
                    Ok(Flow::Next)
                } else {
                    Err(raised)
                }
            }
            Ok(flow) => {
                self.call(exit, CallArgs::positional([Value::None, Value::None, Value::None]))?;
                Ok(flow)
            }
        }
    }
}
