//! Calls.

use std::rc::Rc;

use smallvec::SmallVec;

use super::Flow;
use super::generator::Generator;
use crate::base::diag::Code as DiagnosticCode;
use crate::interp::builtin::{Arg, Args, Builtin, CallArgs, missing_arguments, too_many_text, unexpected_keyword};
use crate::interp::dict::Dict;
use crate::interp::object::Function;
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::scope::Frame;
use crate::interp::value::Value;
use crate::interp::{Call, Interp};
use crate::syntax::ast::{Code, NameId};

impl Interp {
    /// `function(args)`.
    pub fn call(&mut self, function: &Value, mut args: CallArgs) -> Result<Value> {
        match function {
            Value::Function(function) => self.call_function(function, args),
            Value::Builtin(builtin) => self.call_builtin(builtin, args),
            Value::Bound(bound) => {
                let span = args.span.unwrap_or(self.span);
                args.positional.insert(
                    0,
                    Arg {
                        value: bound.receiver.clone(),
                        span,
                    },
                );
                self.call(&bound.function.clone(), args)
            }
            Value::Class(class) => self.construct(class, args),
            Value::Native(object) => {
                let object = Rc::clone(object);
                let named: SmallVec<[_; 8]> = args
                    .keywords
                    .iter()
                    .map(|(name, arg)| (Rc::clone(name), arg.span))
                    .collect();
                let answer = object.call(self, args).map_err(|raised| match raised.0.param {
                    Some(param) => match named.iter().find(|(name, _)| **name == *param) {
                        Some((_, span)) => raised.at(*span),
                        None => raised,
                    },
                    None => raised,
                })?;
                answer.ok_or_else(|| self.not_callable(function))
            }
            Value::Instance(_) => match self.find_special(function, "__call__") {
                Some(method) => {
                    let span = args.span.unwrap_or(self.span);
                    args.positional.insert(
                        0,
                        Arg {
                            value: function.clone(),
                            span,
                        },
                    );
                    self.call(&method, args)
                }
                None => Err(self.not_callable(function)),
            },
            Value::Descriptor(descriptor) => match &**descriptor {
                crate::interp::object::Descriptor::Static(inner) => self.call(&inner.clone(), args),
                _ => Err(self.not_callable(function)),
            },
            _ => Err(self.not_callable(function)),
        }
    }

    fn not_callable(&mut self, function: &Value) -> Raised {
        let raised = Raised::type_error(format!("'{}' object is not callable", self.type_name(function)));
        match function {
            Value::Module(id) => {
                let name = self.modules[*id].name.clone();
                raised.hint(format!("'{name}' is a module; call one of its functions, {name}.…()"))
            }
            Value::Tuple(_) | Value::List(_) | Value::Dict(_) => raised.hint("use [ ] to take an item"),
            _ => raised,
        }
    }

    /// `function(values…)`.
    pub fn call_values(&mut self, function: &Value, values: Vec<Value>) -> Result<Value> {
        self.call(function, CallArgs::positional(values))
    }

    /// The special method of an instance's class that a script defines.
    pub(crate) fn find_special(&self, value: &Value, name: &str) -> Option<Value> {
        match value {
            Value::Instance(instance) => instance.class.lookup(name),
            _ => None,
        }
    }

    /// Calls a special method, if the value is an instance whose class has it.
    pub(crate) fn call_special(&mut self, value: &Value, name: &str, args: Vec<Value>) -> Result<Option<Value>> {
        let Some(method) = self.find_special(value, name) else {
            return Ok(None);
        };
        let mut all = Vec::with_capacity(args.len() + 1);
        match &method {
            Value::Function(_) | Value::Builtin(_) => all.push(value.clone()),
            Value::None => return Ok(None),
            _ => {}
        }
        all.extend(args);
        self.call_values(&method, all).map(Some)
    }

    fn call_builtin(&mut self, builtin: &'static Builtin, args: CallArgs) -> Result<Value> {
        let signature = self.signature(builtin);
        let mut args = Args::bind(builtin, signature, args)?;
        (builtin.call)(self, &mut args).map_err(|raised| match raised.0.param.and_then(|param| args.span_of(param)) {
            Some(span) => raised.at(span),
            None => raised,
        })
    }

    /// Calls a function of the script.
    pub fn call_function(&mut self, function: &Rc<Function>, args: CallArgs) -> Result<Value> {
        let code = Rc::clone(&function.code);
        let span = args.span.unwrap_or(self.span);
        let mut frame = Frame::new(Rc::clone(&code), function.module, &function.cells);
        frame.function = Some(Rc::clone(function));
        self.bind_params(&mut frame, function, args)?;
        if code.generator {
            return Ok(Value::iterator("generator", Generator::new(frame)));
        }
        self.enter_call(&code, span)?;
        let outer = self.span;
        let outcome = self.exec_block(&mut frame, &code.body);
        let outcome = outcome.map_err(|raised| self.locate(raised, code.span));
        self.leave_call();
        self.span = outer;
        match outcome? {
            Flow::Return(value) => Ok(value),
            _ => Ok(Value::None),
        }
    }

    /// Puts a call on the stack.
    pub(crate) fn enter_call(&mut self, code: &Rc<Code>, span: crate::base::span::Span) -> Result<()> {
        if self.calls.len() >= self.limits.recursion {
            let text = format!(
                "maximum recursion depth exceeded ({} nested calls)",
                self.limits.recursion
            );
            return Err(Raised::new(Exception::RecursionError, text).hint("is the end of the recursion ever reached?"));
        }
        self.descend()?;
        self.calls.push(Call {
            function: Rc::clone(&code.name),
            span,
            loc: None,
        });
        Ok(())
    }

    /// Takes a call off the stack.
    pub(crate) fn leave_call(&mut self) {
        self.calls.pop();
        self.depth -= 1;
    }

    fn bind_params(&mut self, frame: &mut Frame, function: &Rc<Function>, args: CallArgs) -> Result<()> {
        let code = Rc::clone(&function.code);
        let simple = args.keywords.is_empty() && code.rest.is_none() && code.keywords.is_none();
        if simple && args.positional.len() == code.params.len() && code.params.iter().all(|param| param.positional) {
            for (param, arg) in code.params.iter().zip(args.positional) {
                self.store(frame, param.name, arg.value);
            }
            return Ok(());
        }
        self.bind_general(frame, function, &code, args)
    }

    fn bind_general(
        &mut self,
        frame: &mut Frame,
        function: &Rc<Function>,
        code: &Rc<Code>,
        args: CallArgs,
    ) -> Result<()> {
        let accepted = code.params.iter().filter(|param| param.positional).count();
        let given = args.positional.len();
        let mut values: Vec<Option<Value>> = vec![None; code.params.len()];
        let mut rest = Vec::new();
        for (at, arg) in args.positional.into_iter().enumerate() {
            if at < accepted {
                values[at] = Some(arg.value);
            } else if code.rest.is_some() {
                rest.push(arg.value);
            } else {
                let optional = code
                    .params
                    .iter()
                    .filter(|param| param.positional && param.default)
                    .count();
                let text = too_many_text(&code.name, accepted - optional, accepted, given);
                return Err(argument_error(code, &text).at(arg.span));
            }
        }
        let mut extra = Dict::default();
        for (name, arg) in args.keywords {
            let at = code
                .params
                .iter()
                .position(|param| param.keyword && name_of(code, param.name) == &*name);
            match at {
                Some(at) if values[at].is_some() => {
                    let text = format!("{}() got multiple values for argument '{name}'", code.name);
                    return Err(argument_error(code, &text).at(arg.span));
                }
                Some(at) => values[at] = Some(arg.value),
                None if code.keywords.is_some() => extra.set_str(&name, arg.value),
                None => {
                    let names = code.params.iter().map(|param| name_of(code, param.name));
                    return Err(unexpected_keyword(&code.name, &name, names).at(arg.span));
                }
            }
        }
        self.fill_defaults(function, code, &mut values)?;
        for (param, value) in code.params.iter().zip(values) {
            self.store(frame, param.name, value.unwrap_or(Value::None));
        }
        if let Some(id) = code.rest {
            self.store(frame, id, Value::tuple(rest));
        }
        if let Some(id) = code.keywords {
            self.store(frame, id, Value::dict(extra));
        }
        Ok(())
    }

    fn fill_defaults(&mut self, function: &Function, code: &Rc<Code>, values: &mut [Option<Value>]) -> Result<()> {
        let mut default = function.defaults.iter();
        let mut missing = Vec::new();
        for (param, value) in code.params.iter().zip(values.iter_mut()) {
            let own = if param.default { default.next() } else { None };
            if value.is_none() {
                match own {
                    Some(own) => *value = Some(own.clone()),
                    None => missing.push(param),
                }
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let positional = missing.iter().any(|param| param.positional);
        let kind = if positional { "positional" } else { "keyword-only" };
        let of_kind = missing.iter().filter(|param| param.positional == positional);
        let names: Vec<&str> = of_kind.map(|param| name_of(code, param.name)).collect();
        Err(missing_arguments(&code.name, kind, &names))
    }
}

fn name_of(code: &Code, id: NameId) -> &str {
    &code.names[id.0 as usize]
}

fn argument_error(code: &Code, text: &str) -> Raised {
    let names: Vec<&str> = code.params.iter().map(|param| name_of(code, param.name)).collect();
    let hint = format!("its parameters are ({})", names.join(", "));
    Raised::type_error(text).code(DiagnosticCode::Argument).hint(hint)
}
