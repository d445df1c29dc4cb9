//! `match`.

use std::rc::Rc;

use super::Flow;
use super::expr::constant_value;
use crate::interp::Interp;
use crate::interp::dict::Dict;
use crate::interp::object::TypeTag;
use crate::interp::raised::{Raised, Result};
use crate::interp::scope::Frame;
use crate::interp::value::Value;
use crate::syntax::ast::{Expr, Match, NameId, Pattern};

impl Interp {
    pub(crate) fn exec_match(&mut self, frame: &mut Frame, node: &Match) -> Result<Flow> {
        let subject = self.eval(frame, &node.subject)?;
        for case in &node.cases {
            if !self.matches(frame, &case.pattern, &subject)? {
                continue;
            }
            if let Some(guard) = &case.guard {
                let guard = self.eval(frame, guard)?;
                if !self.truth(&guard)? {
                    continue;
                }
            }
            return self.exec_block(frame, &case.body);
        }
        Ok(Flow::Next)
    }

    fn matches(&mut self, frame: &mut Frame, pattern: &Pattern, subject: &Value) -> Result<bool> {
        match pattern {
            Pattern::Value(expr) => {
                let value = self.eval(frame, expr)?;
                self.equals(subject, &value)
            }
            Pattern::Singleton(constant) => Ok(subject.is(&constant_value(constant))),
            Pattern::Sequence(items) => match subject {
                Value::Str(_) => Ok(false),
                _ => match subject.as_items() {
                    Some(values) => self.matches_items(frame, items, &values),
                    None => Ok(false),
                },
            },
            Pattern::Star(name) => {
                self.capture_name(frame, *name, subject);
                Ok(true)
            }
            Pattern::Mapping(items, rest) => self.matches_mapping(frame, items, *rest, subject),
            Pattern::Class(class, items, named) => self.matches_class(frame, class, items, named, subject),
            Pattern::As(inner, name) => {
                if let Some(inner) = inner
                    && !self.matches(frame, inner, subject)?
                {
                    return Ok(false);
                }
                self.capture_name(frame, *name, subject);
                Ok(true)
            }
            Pattern::Or(options) => {
                for option in options {
                    if self.matches(frame, option, subject)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    fn capture_name(&mut self, frame: &mut Frame, name: Option<NameId>, value: &Value) {
        if let Some(name) = name {
            self.store(frame, name, value.clone());
        }
    }

    fn matches_items(&mut self, frame: &mut Frame, patterns: &[Pattern], values: &[Value]) -> Result<bool> {
        let star = patterns.iter().position(|pattern| matches!(pattern, Pattern::Star(_)));
        let fixed = patterns.len() - usize::from(star.is_some());
        if values.len() < fixed || (star.is_none() && values.len() > fixed) {
            return Ok(false);
        }
        let extra = values.len() - fixed;
        let mut at = 0;
        for pattern in patterns {
            if let Pattern::Star(name) = pattern {
                self.capture_name(frame, *name, &Value::list(values[at..at + extra].to_vec()));
                at += extra;
                continue;
            }
            if !self.matches(frame, pattern, &values[at])? {
                return Ok(false);
            }
            at += 1;
        }
        Ok(true)
    }

    fn matches_mapping(
        &mut self,
        frame: &mut Frame,
        items: &[(Expr, Pattern)],
        rest: Option<NameId>,
        subject: &Value,
    ) -> Result<bool> {
        let Value::Dict(dict) = subject else { return Ok(false) };
        let mut left = dict.borrow().clone();
        for (key, pattern) in items {
            let key = self.eval(frame, key)?;
            let hash = self.hash(&key)?;
            let Some(at) = self.find_key(&left, hash, &key)? else {
                return Ok(false);
            };
            let value = left.remove_at(at).map_or(Value::None, |entry| entry.value);
            if !self.matches(frame, pattern, &value)? {
                return Ok(false);
            }
        }
        let copied: Dict = left;
        self.capture_name(frame, rest, &Value::dict(copied));
        Ok(true)
    }

    fn matches_class(
        &mut self,
        frame: &mut Frame,
        class: &Expr,
        items: &[Pattern],
        named: &[(Rc<str>, Pattern)],
        subject: &Value,
    ) -> Result<bool> {
        let class = self.eval(frame, class)?;
        if !self.is_instance(subject, &class)? {
            return Ok(false);
        }
        let Value::Class(class_object) = &class else {
            return Err(Raised::type_error("called match pattern must be a class"));
        };
        if class_object.builtin && class_object.tag != TypeTag::Object {
            return match items {
                [] => Ok(true),
                [one] => self.matches(frame, one, subject),
                _ => Err(Raised::type_error(format!(
                    "{}() accepts 1 positional sub-pattern",
                    class_object.name
                ))),
            };
        }
        let names = match class_object.lookup("__match_args__") {
            Some(names) => names.as_items().unwrap_or_default(),
            None => Vec::new(),
        };
        if items.len() > names.len() {
            let text = format!(
                "{}() accepts {} positional sub-patterns",
                class_object.name,
                names.len()
            );
            return Err(Raised::type_error(text));
        }
        let positional = items
            .iter()
            .zip(&names)
            .map(|(item, name)| (name.as_str().unwrap_or_default().into(), item));
        let all: Vec<(Rc<str>, &Pattern)> = positional
            .chain(named.iter().map(|(name, item)| (Rc::clone(name), item)))
            .collect();
        for (name, pattern) in all {
            if !self.hasattr(subject, &name)? {
                return Ok(false);
            }
            let value = self.getattr(subject, &name)?;
            if !self.matches(frame, pattern, &value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
