//! Expressions.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::interp::Interp;
use crate::interp::builtin::{Arg, CallArgs};
use crate::interp::dict::Dict;
use crate::interp::native::NativeObject;
use crate::interp::object::{Function, TypeTag};
use crate::interp::raised::{Raised, Result};
use crate::interp::scope::Frame;
use crate::interp::value::{Slice, SuperObject, Value};
use crate::syntax::ast::{
    Call, Clause, Code, Collection, CompareOp, Comprehension, Constant, Expr, ExprKind, FPart, Field, UnaryOp,
};

impl Interp {
    /// The value of an expression.
    pub(crate) fn eval(&mut self, frame: &mut Frame, expr: &Expr) -> Result<Value> {
        let outcome = match &expr.kind {
            ExprKind::Constant(constant) => return Ok(constant_value(constant)),
            ExprKind::Name(id) => self.load(frame, *id),
            _ => self.eval_deeper(frame, expr),
        };
        outcome.map_err(|raised| self.locate(raised, Self::place(frame, expr.start, expr.end)))
    }

    fn eval_deeper(&mut self, frame: &mut Frame, expr: &Expr) -> Result<Value> {
        self.descend()?;
        let value = self.eval_kind(frame, expr);
        self.depth -= 1;
        value
    }

    fn eval_kind(&mut self, frame: &mut Frame, expr: &Expr) -> Result<Value> {
        match &expr.kind {
            ExprKind::Constant(constant) => Ok(constant_value(constant)),
            ExprKind::Name(id) => self.load(frame, *id),
            ExprKind::Binary(op, operands) => {
                let left = self.eval(frame, &operands[0])?;
                let right = self.eval(frame, &operands[1])?;
                self.span = Self::place(frame, expr.start, expr.end);
                self.binary(*op, &left, &right)
            }
            ExprKind::Call(call) => self.eval_call(frame, expr, call),
            ExprKind::Attribute(object, name) => {
                let object = self.eval(frame, object)?;
                self.getattr(&object, name)
            }
            ExprKind::Subscript(parts) => {
                let object = self.eval(frame, &parts[0])?;
                if let (Value::Native(native), ExprKind::Tuple(items)) = (&object, &parts[1].kind) {
                    return self.index_native(frame, expr, native, items);
                }
                let index = self.eval(frame, &parts[1])?;
                self.span = Self::place(frame, expr.start, expr.end);
                self.getitem(&object, &index)
            }
            ExprKind::Compare(left, rest) => self.eval_compare(frame, left, rest),
            ExprKind::Unary(op, operand) => {
                let operand = self.eval(frame, operand)?;
                self.span = Self::place(frame, expr.start, expr.end);
                self.unary(*op, &operand)
            }
            ExprKind::And(values) => self.eval_logic(frame, values, false),
            ExprKind::Or(values) => self.eval_logic(frame, values, true),
            ExprKind::Conditional(parts) => {
                let test = self.eval(frame, &parts[0])?;
                let branch = if self.truth(&test)? { &parts[1] } else { &parts[2] };
                self.eval(frame, branch)
            }
            ExprKind::Tuple(items) => Ok(Value::tuple(self.eval_items(frame, items)?)),
            ExprKind::List(items) => Ok(Value::list(self.eval_items(frame, items)?)),
            ExprKind::Slice(parts) => self.eval_slice(frame, parts),
            ExprKind::FString(parts) => self.eval_fstring(frame, parts).map(Value::from),
            _ => self.eval_rare(frame, expr),
        }
    }

    fn eval_rare(&mut self, frame: &mut Frame, expr: &Expr) -> Result<Value> {
        match &expr.kind {
            ExprKind::Walrus(id, value) => {
                let value = self.eval(frame, value)?;
                self.store(frame, *id, value.clone());
                Ok(value)
            }
            ExprKind::Lambda(lambda) => {
                let defaults = self.eval_all(frame, &lambda.defaults)?;
                Ok(Value::Function(Self::make_function(frame, &lambda.code, defaults)))
            }
            ExprKind::Set(items) => {
                let items = self.eval_items(frame, items)?;
                self.make_set(items, false)
            }
            ExprKind::Dict(items) => {
                let dict = self.eval_dict(frame, items)?;
                self.check_kernel_dict(&dict, Self::place(frame, expr.start, expr.end));
                Ok(Value::dict(dict))
            }
            ExprKind::Comprehension(comprehension) => self.eval_comprehension(frame, comprehension),
            ExprKind::Generator(code, first) => {
                let source = self.eval(frame, first)?;
                let source = self.iterator_value(&source)?;
                let function = Value::Function(Self::make_function(frame, code, Vec::new()));
                self.call(&function, CallArgs::positional([source]))
            }
            ExprKind::Starred(_) => Err(Raised::type_error("a starred expression cannot be used here")),
            _ => Err(Raised::type_error("'yield' cannot be used here")),
        }
    }

    /// Makes a function whose captured variables are those of `frame`.
    pub(crate) fn make_function(frame: &Frame, code: &Rc<Code>, defaults: Vec<Value>) -> Rc<Function> {
        let cells = Self::capture(frame, &Frame::layout(code).captures);
        Rc::new(Function {
            code: Rc::clone(code),
            module: frame.module,
            defaults: defaults.into(),
            cells,
            owner: Default::default(),
            attrs: Default::default(),
        })
    }

    pub(crate) fn eval_all(&mut self, frame: &mut Frame, exprs: &[Expr]) -> Result<Vec<Value>> {
        exprs.iter().map(|expr| self.eval(frame, expr)).collect()
    }

    /// `native[item, ...]`.
    fn index_native(
        &mut self,
        frame: &mut Frame,
        expr: &Expr,
        native: &Rc<dyn NativeObject>,
        items: &[Expr],
    ) -> Result<Value> {
        let mut values: SmallVec<[Value; 4]> = SmallVec::new();
        for item in items {
            match &item.kind {
                ExprKind::Starred(inner) => {
                    let inner = self.eval(frame, inner)?;
                    values.extend(self.collect(&inner)?);
                }
                _ => values.push(self.eval(frame, item)?),
            }
        }
        self.span = Self::place(frame, expr.start, expr.end);
        match native.getitem_of(self, &values)? {
            Some(value) => Ok(value),
            None => self.getitem(&Value::Native(Rc::clone(native)), &Value::tuple(values)),
        }
    }

    /// Items of a display; starred ones are spread.
    fn eval_items(&mut self, frame: &mut Frame, exprs: &[Expr]) -> Result<Vec<Value>> {
        let mut items = Vec::with_capacity(exprs.len());
        for expr in exprs {
            match &expr.kind {
                ExprKind::Starred(inner) => {
                    let inner = self.eval(frame, inner)?;
                    items.extend(self.collect(&inner)?);
                }
                _ => items.push(self.eval(frame, expr)?),
            }
        }
        Ok(items)
    }

    fn eval_slice(&mut self, frame: &mut Frame, parts: &[Option<Expr>; 3]) -> Result<Value> {
        if parts.iter().all(Option::is_none) {
            return Ok(self.whole_slice.clone());
        }
        let mut part = |at: usize| match &parts[at] {
            Some(expr) => self.eval(frame, expr),
            None => Ok(Value::None),
        };
        let slice = Slice {
            start: part(0)?,
            stop: part(1)?,
            step: part(2)?,
        };
        Ok(Value::Slice(Rc::new(slice)))
    }

    fn eval_dict(&mut self, frame: &mut Frame, items: &[(Option<Expr>, Expr)]) -> Result<Dict> {
        let mut dict = Dict::default();
        for (key, value) in items {
            match key {
                Some(key) => {
                    let key = self.eval(frame, key)?;
                    let value = self.eval(frame, value)?;
                    self.dict_set(&mut dict, key, value)?;
                }
                None => {
                    let mapping = self.eval(frame, value)?;
                    for (key, value) in self.mapping_items(&mapping)? {
                        self.dict_set(&mut dict, key, value)?;
                    }
                }
            }
        }
        Ok(dict)
    }

    /// `a and b`, `a or b`: stops at the first value whose truth is `stop`. An unknown value makes the result unknown.
    fn eval_logic(&mut self, frame: &mut Frame, values: &[Expr], stop: bool) -> Result<Value> {
        let mut last = Value::Bool(!stop);
        let mut unknown = false;
        for expr in values {
            last = self.eval(frame, expr)?;
            match self.truth_value(&last)? {
                Some(truth) if truth == stop => return Ok(last),
                Some(_) => {}
                None => unknown = true,
            }
        }
        Ok(if unknown { Value::Unknown } else { last })
    }

    fn eval_compare(&mut self, frame: &mut Frame, left: &Expr, rest: &[(CompareOp, Expr)]) -> Result<Value> {
        let place = (left.start, rest.last().map_or(left.end, |(_, right)| right.end));
        let mut left = self.eval(frame, left)?;
        let mut result = Value::Bool(true);
        let mut unknown = false;
        for (at, (op, right)) in rest.iter().enumerate() {
            let right = self.eval(frame, right)?;
            self.span = Self::place(frame, place.0, place.1);
            result = self.compare(*op, &left, &right)?;
            if at + 1 == rest.len() {
                break;
            }
            match self.truth_value(&result)? {
                Some(false) => return Ok(result),
                Some(true) => {}
                None => unknown = true,
            }
            left = right;
        }
        Ok(if unknown { Value::Unknown } else { result })
    }

    fn eval_call(&mut self, frame: &mut Frame, expr: &Expr, call: &Call) -> Result<Value> {
        self.count_step()?;
        let mut args = CallArgs::default();
        if !call.positional.is_empty() {
            args.positional.reserve(call.positional.len() + 1);
        }
        let function = match &call.function.kind {
            ExprKind::Attribute(object, name) => {
                let receiver = self.eval(frame, object)?;
                let place = Self::place(frame, object.start, object.end);
                let found = self.method(&receiver, name);
                let function_place = Self::place(frame, call.function.start, call.function.end);
                let (function, bound) = found.map_err(|raised| self.locate(raised, function_place))?;
                if bound {
                    args.positional.push(Arg {
                        value: receiver,
                        span: place,
                    });
                }
                function
            }
            _ => self.eval(frame, &call.function)?,
        };
        self.eval_args(frame, call, &mut args)?;
        let span = Self::place(frame, expr.start, expr.end);
        args.span = Some(span);
        if let (Value::Class(class), true) = (&function, args.positional.is_empty())
            && class.tag == TypeTag::Super
        {
            return Self::implicit_super(frame);
        }
        let outer = std::mem::replace(&mut self.span, span);
        let result = self.call(&function, args);
        let result = result.map_err(|raised| self.locate(raised, span));
        self.span = outer;
        result
    }

    /// `super()` without arguments.
    fn implicit_super(frame: &Frame) -> Result<Value> {
        let owner = frame
            .function
            .as_ref()
            .and_then(|function| function.owner.borrow().upgrade());
        let first =
            frame
                .code
                .params
                .first()
                .and_then(|param| match Frame::layout(&frame.code).slots[param.name.0 as usize] {
                    crate::syntax::ast::Slot::Local(at) => frame.locals[at as usize].clone(),
                    crate::syntax::ast::Slot::Cell(at) => frame.cells[at as usize].borrow().clone(),
                    _ => None,
                });
        match (owner, first) {
            (Some(after), Some(object)) => Ok(Value::Super(Rc::new(SuperObject { object, after }))),
            _ => Err(Raised::new(
                crate::interp::raised::Exception::RuntimeError,
                "super(): no arguments",
            )),
        }
    }

    fn eval_args(&mut self, frame: &mut Frame, call: &Call, args: &mut CallArgs) -> Result<()> {
        for expr in &call.positional {
            let span = Self::place(frame, expr.start, expr.end);
            if let ExprKind::Starred(inner) = &expr.kind {
                let inner = self.eval(frame, inner)?;
                let items = self.collect(&inner)?;
                args.positional
                    .extend(items.into_iter().map(|value| Arg { value, span }));
            } else {
                let value = self.eval(frame, expr)?;
                args.positional.push(Arg { value, span });
            }
        }
        args.keywords.reserve(call.keywords.len());
        for (name, expr) in &call.keywords {
            let value = self.eval(frame, expr)?;
            let span = Self::place(frame, expr.start, expr.end);
            match name {
                Some(name) => args.keywords.push((Rc::clone(name), Arg { value, span })),
                None => {
                    for (key, value) in self.mapping_items(&value)? {
                        let name = key
                            .as_str()
                            .ok_or_else(|| Raised::type_error("keywords must be strings"))?;
                        args.keywords.push((name.into(), Arg { value, span }));
                    }
                }
            }
        }
        Ok(())
    }

    fn eval_fstring(&mut self, frame: &mut Frame, parts: &[FPart]) -> Result<String> {
        let mut out = String::new();
        for part in parts {
            match part {
                FPart::Text(text) => out.push_str(text),
                FPart::Field(field) => self.eval_field(frame, field, &mut out)?,
            }
        }
        Ok(out)
    }

    fn eval_field(&mut self, frame: &mut Frame, field: &Field, out: &mut String) -> Result<()> {
        let value = self.eval(frame, &field.value)?;
        let spec = self.eval_fstring(frame, &field.spec)?;
        if let Some(debug) = &field.debug {
            out.push_str(debug);
        }
        let plain_debug = field.debug.is_some() && field.conversion.is_none() && field.spec.is_empty();
        let text = match field.conversion {
            Some('r' | 'a') => Value::from(self.repr(&value)?),
            Some(_) => Value::from(self.str(&value)?),
            None if plain_debug => Value::from(self.repr(&value)?),
            None => value,
        };
        out.push_str(&self.format(&text, &spec)?);
        Ok(())
    }

    fn eval_comprehension(&mut self, frame: &mut Frame, comprehension: &Comprehension) -> Result<Value> {
        let source = match comprehension.clauses.first() {
            Some(clause) => self.eval(frame, &clause.iter)?,
            None => Value::None,
        };
        Self::renew(frame, &comprehension.targets);
        let mut items = Vec::new();
        self.run_clauses(frame, comprehension, 0, &source, &mut items)?;
        match comprehension.collection {
            Collection::List => Ok(Value::list(items.into_iter().map(|(item, _)| item).collect())),
            Collection::Set => self.make_set(items.into_iter().map(|(item, _)| item).collect(), false),
            Collection::Dict => {
                let mut dict = Dict::default();
                for (key, value) in items {
                    self.dict_set(&mut dict, key, value)?;
                }
                Ok(Value::dict(dict))
            }
        }
    }

    fn run_clauses(
        &mut self,
        frame: &mut Frame,
        comprehension: &Comprehension,
        at: usize,
        source: &Value,
        items: &mut Vec<(Value, Value)>,
    ) -> Result<()> {
        let clause = &comprehension.clauses[at];
        let mut iterator = self.iter(source)?;
        while let Some(item) = iterator.next(self)? {
            self.count_step()?;
            self.assign(frame, &clause.target, item)?;
            if !self.conditions_hold(frame, clause)? {
                continue;
            }
            if let Some(inner) = comprehension.clauses.get(at + 1) {
                let source = self.eval(frame, &inner.iter)?;
                self.run_clauses(frame, comprehension, at + 1, &source, items)?;
                continue;
            }
            self.check_items(items.len())?;
            let item = self.eval(frame, &comprehension.item)?;
            let value = match &comprehension.value {
                Some(value) => self.eval(frame, value)?,
                None => Value::None,
            };
            items.push((item, value));
        }
        Ok(())
    }

    fn conditions_hold(&mut self, frame: &mut Frame, clause: &Clause) -> Result<bool> {
        for condition in &clause.conditions {
            let test = self.eval(frame, condition)?;
            if !self.truth(&test)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `op value`.
    pub fn unary(&mut self, op: UnaryOp, value: &Value) -> Result<Value> {
        if op == UnaryOp::Not {
            return Ok(self
                .truth_value(value)?
                .map_or(Value::Unknown, |truth| Value::Bool(!truth)));
        }
        self.unary_number(op, value)
    }
}

/// The value of a literal.
pub(crate) fn constant_value(constant: &Constant) -> Value {
    match constant {
        Constant::None => Value::None,
        Constant::Ellipsis => Value::Ellipsis,
        Constant::Bool(truth) => Value::Bool(*truth),
        Constant::Int(number) => Value::Int(*number),
        Constant::Big(number) => Value::Big(Rc::clone(number)),
        Constant::Float(number) => Value::Float(*number),
        Constant::Str(text) => Value::Str(Rc::clone(text)),
    }
}
