//! Modules: Rust modules by name, script modules from the [`ModuleSource`](crate::interp::ModuleSource).

use std::rc::Rc;

use crate::base::diag::{Code as DiagnosticCode, Diagnostic};
use crate::base::span::{SourceFile, Span};
use crate::interp::Interp;
use crate::interp::builtin::with_nearest;
use crate::interp::raised::{Exception, Raised, Result};
use crate::interp::scope::{Frame, Module, ModuleId};
use crate::interp::value::Value;
use crate::syntax;
use crate::syntax::ast::{ImportFrom, ImportName};

impl Interp {
    pub(crate) fn exec_import(&mut self, frame: &mut Frame, name: &ImportName) -> Result<()> {
        let span = Self::place(frame, name.start, name.end);
        let id = self.import(&name.module).map_err(|raised| self.locate(raised, span))?;
        let top = match name.module.split_once('.') {
            Some((top, _)) if !name.renamed => self.by_name.get(top).copied().unwrap_or(id),
            _ => id,
        };
        self.store(frame, name.target, Value::Module(top));
        Ok(())
    }

    pub(crate) fn exec_import_from(&mut self, frame: &mut Frame, node: &ImportFrom) -> Result<()> {
        let module = self.absolute_name(frame, &node.module, node.level)?;
        let id = self.import(&module)?;
        if node.star {
            return self.import_star(frame, id);
        }
        for name in &node.names {
            let span = Self::place(frame, name.start, name.end);
            let value = match self.modules[id].get(&name.name).cloned() {
                Some(value) => value,
                None => {
                    let found = self.import_member(id, &module, &name.name);
                    found.map_err(|raised| self.locate(raised, span))?
                }
            };
            self.store(frame, name.target, value);
        }
        Ok(())
    }

    /// A name that is no global of the module may be a module inside it.
    fn import_member(&mut self, id: ModuleId, module: &str, name: &str) -> Result<Value> {
        let full = format!("{module}.{name}");
        if self.exists(&full) {
            return self.import(&full).map(Value::Module);
        }
        if let Some(missing) = self.modules[id].missing
            && let Some(value) = missing(self, name)?
        {
            return Ok(value);
        }
        if let Some(getter) = self.modules[id].get("__getattr__").cloned() {
            return self.call_values(&getter, vec![Value::from(name)]);
        }
        let text = format!("cannot import name '{name}' from '{module}'");
        let names: Vec<String> = self.modules[id].names().map(|name| name.to_string()).collect();
        Err(with_nearest(
            Raised::new(Exception::ImportError, text),
            name,
            names.iter().map(String::as_str),
        ))
    }

    fn import_star(&mut self, frame: &mut Frame, id: ModuleId) -> Result<()> {
        let chosen = match self.modules[id].get("__all__").cloned() {
            Some(all) => self
                .collect(&all)?
                .iter()
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect(),
            None => self.modules[id]
                .names()
                .filter(|name| !name.starts_with('_'))
                .map(|name| name.to_string())
                .collect::<Vec<_>>(),
        };
        for name in chosen {
            if let Some(value) = self.modules[id].get(&name).cloned() {
                self.define(frame.module, &name, value);
            }
        }
        Ok(())
    }

    /// The dotted name of a relative import.
    fn absolute_name(&self, frame: &Frame, name: &str, level: u32) -> Result<String> {
        if level == 0 {
            return Ok(name.to_owned());
        }
        let mut package: Vec<&str> = self.modules[frame.module]
            .package
            .split('.')
            .filter(|part| !part.is_empty())
            .collect();
        for _ in 1..level {
            if package.pop().is_none() {
                return Err(Raised::new(
                    Exception::ImportError,
                    "attempted relative import beyond top-level package",
                ));
            }
        }
        if package.is_empty() && self.modules[frame.module].name != "__main__" {
            return Err(Raised::new(
                Exception::ImportError,
                "attempted relative import with no known parent package",
            ));
        }
        if !name.is_empty() {
            package.push(name);
        }
        Ok(package.join("."))
    }

    /// Whether a module of this name can be imported.
    fn exists(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
            || self.native_modules.iter().any(|module| module.name == name)
            || super::super::py::library(name).is_some()
            || self.find_source(name).is_some()
    }

    /// Imports a module and the packages that contain it.
    pub fn import(&mut self, name: &str) -> Result<ModuleId> {
        if let Some(&id) = self.by_name.get(name) {
            return Ok(id);
        }
        if let Some((package, _)) = name.rsplit_once('.') {
            self.import(package)?;
        }
        let id = self.load_module(name)?;
        if let Some((package, child)) = name.rsplit_once('.')
            && let Some(&parent) = self.by_name.get(package)
        {
            self.define(parent, child, Value::Module(id));
        }
        Ok(id)
    }

    fn load_module(&mut self, name: &str) -> Result<ModuleId> {
        if let Some(module) = self.native_modules.iter().find(|module| module.name == name).copied() {
            let id = self.add_module(name, name);
            (module.init)(self, id)?;
            self.modules[id].ready = true;
            return Ok(id);
        }
        if let Some(text) = super::super::py::library(name) {
            return self.run_module(name, name, &format!("<{name}>"), text);
        }
        if let Some((path, text, package)) = self.find_source(name) {
            let parent = name.rsplit_once('.').map_or("", |(parent, _)| parent).to_owned();
            return self.run_module(name, if package { name } else { &parent }, &path, &text);
        }
        let text = format!("No module named '{name}'");
        let known: Vec<&str> = self
            .native_modules
            .iter()
            .map(|module| module.name)
            .chain(super::super::py::LIBRARY.iter().map(|(name, _)| *name))
            .collect();
        let raised = with_nearest(
            Raised::new(Exception::ModuleNotFoundError, text),
            name,
            known.into_iter(),
        );
        let place = name.replace('.', "/");
        Err(raised.hint(format!(
            "the playground has no such module; a file {place}.py beside the script would be found"
        )))
    }

    /// Path and text of a script module, and whether it is a package.
    fn find_source(&self, name: &str) -> Option<(String, String, bool)> {
        let path = name.replace('.', "/");
        if let Some((path, text)) = self.source.read(&format!("{path}.py")) {
            return Some((path, text, false));
        }
        if let Some((path, text)) = self.source.read(&format!("{path}/__init__.py")) {
            return Some((path, text, true));
        }
        self.source
            .is_folder(&path)
            .then(|| (format!("{path}/__init__.py"), String::new(), true))
    }

    /// Adds an empty module.
    pub(crate) fn add_module(&mut self, name: &str, package: &str) -> ModuleId {
        let module = Module {
            name: name.to_owned(),
            package: package.to_owned(),
            ..Module::default()
        };
        let id = self.modules.push(module);
        self.by_name.insert(name.to_owned(), id);
        id
    }

    /// Parses and runs the text of a module.
    pub(crate) fn run_module(&mut self, name: &str, package: &str, path: &str, text: &str) -> Result<ModuleId> {
        let file = self.sources.add(SourceFile::new(path, text));
        let parsed = syntax::parse(file, text);
        if let Some(error) = parsed.errors.into_iter().next() {
            return Err(syntax_error(error));
        }
        let id = self.start_module(name, package, &parsed.globals);
        self.define(id, "__file__", Value::from(path));
        if let (true, Some(folder)) = (name == package, path.strip_suffix("/__init__.py")) {
            self.define(id, "__path__", Value::list(vec![Value::from(folder)]));
        }
        self.run_code(id, &parsed.module).inspect_err(|_| {
            self.by_name.remove(name);
        })?;
        Ok(id)
    }

    /// Makes the module object of a script, with the built-in names behind its globals.
    pub(crate) fn start_module(&mut self, name: &str, package: &str, globals: &[Rc<str>]) -> ModuleId {
        let id = self.add_module(name, package);
        for name in globals {
            let at = self.modules[id].position(name);
            let builtin = self.builtins.get(&**name).cloned();
            self.modules[id].globals[at as usize].builtin = builtin;
        }
        self.define(id, "__name__", Value::from(name));
        self.define(id, "__package__", Value::from(package));
        id
    }

    /// Runs the body of a module.
    pub(crate) fn run_code(&mut self, id: ModuleId, code: &Rc<syntax::ast::Code>) -> Result<()> {
        let mut frame = Frame::new(Rc::clone(code), id, &[]);
        let code = Rc::clone(code);
        self.descend()?;
        let outcome = self.exec_block(&mut frame, &code.body);
        self.depth -= 1;
        outcome?;
        self.modules[id].ready = true;
        Ok(())
    }

    /// Runs a script: its name for messages, and its text. Errors come back as diagnostics; a suspension as `Err` with
    /// [`Stop::Suspended`].
    pub fn run_script(&mut self, name: &str, text: &str) -> std::result::Result<(), Stop> {
        let file = self.sources.add(SourceFile::new(name, text));
        let parsed = syntax::parse(file, text);
        if !parsed.errors.is_empty() {
            return Err(Stop::Errors(parsed.errors));
        }
        let id = self.start_module("__main__", "", &parsed.globals);
        self.define(id, "__file__", Value::from(name));
        let end = text.len() as u32;
        let outcome = self.run_code(id, &parsed.module);
        outcome.map_err(|raised| self.stop(raised, Span::new(file, end, end)))
    }

    fn stop(&mut self, raised: Raised, fallback: Span) -> Stop {
        use crate::interp::raised::Kind;
        self.depth = 0;
        self.calls.clear();
        match &raised.0.kind {
            Kind::Suspend => Stop::Suspended(Box::new(raised.into_diagnostic(fallback))),
            Kind::Object(Value::Instance(instance)) if instance.class.exception == Some(Exception::SystemExit) => {
                Stop::Exited
            }
            _ => Stop::Errors(vec![raised.into_diagnostic(fallback)]),
        }
    }
}

/// Why a script ended before its end.
#[derive(Clone, Debug)]
pub enum Stop {
    /// Mistakes.
    Errors(Vec<Diagnostic>),
    /// A value is needed that is not computed; the diagnostic says where.
    Suspended(Box<Diagnostic>),
    /// `sys.exit()`.
    Exited,
}

fn syntax_error(error: Diagnostic) -> Raised {
    let mut raised = Raised::new(Exception::SyntaxError, error.message)
        .code(DiagnosticCode::Syntax)
        .at(error.span);
    raised.0.hints = error.hints;
    raised
}
