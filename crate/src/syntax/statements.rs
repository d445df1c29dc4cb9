//! Lowering of statements, patterns, functions and classes.

use std::cell::OnceCell;
use std::rc::Rc;

use ruff_python_ast as py;
use ruff_text_size::{Ranged, TextRange};

use crate::syntax::ast::*;
use crate::syntax::lower::{CodeParts, Lowerer, binary_op, stmt};
use crate::syntax::scopes::ScopeKind;

const NO_ASYNC: &str = "kernel scripts run in order; write it without 'async'";

impl Lowerer<'_> {
    /// Lowers a whole file.
    pub fn module(&mut self, body: &[py::Stmt], range: TextRange) -> Rc<Code> {
        self.scopes.open(ScopeKind::Module);
        let parts = CodeParts {
            body: self.block(body),
            doc: docstring(body),
            ..CodeParts::default()
        };
        self.finish_code("<module>", CodeKind::Module, range, parts, false)
    }

    /// Lowers a body in a new function scope.
    pub(super) fn function_code(
        &mut self,
        name: &str,
        scope: ScopeKind,
        range: TextRange,
        build: impl FnOnce(&mut Self) -> CodeParts,
    ) -> Rc<Code> {
        let outer = std::mem::take(&mut self.yields);
        self.scopes.open(scope);
        let parts = build(self);
        let generator = self.yields > 0;
        self.yields = outer;
        self.finish_code(name, CodeKind::Function, range, parts, generator)
    }

    /// Closes the current scope and makes its code.
    fn finish_code(
        &mut self,
        name: &str,
        kind: CodeKind,
        range: TextRange,
        parts: CodeParts,
        generator: bool,
    ) -> Rc<Code> {
        let scope = self.scopes.current();
        let code = Rc::new(Code {
            name: name.into(),
            kind,
            params: parts.params,
            rest: parts.rest,
            keywords: parts.keywords,
            names: self.scopes.all[scope]
                .names
                .iter()
                .map(|(name, _)| Rc::clone(name))
                .collect(),
            body: parts.body,
            generator,
            doc: parts.doc,
            file: self.file,
            span: self.span(range),
            layout: OnceCell::new(),
        });
        self.scopes.all[scope].code = Some(Rc::clone(&code));
        self.scopes.close();
        code
    }

    pub(super) fn block(&mut self, body: &[py::Stmt]) -> Block {
        let mut out = Vec::with_capacity(body.len());
        for node in body {
            if self.enter(node.range()) {
                let before = self.yields;
                let kind = self.stmt_kind(node);
                self.check_yields(&kind, self.yields - before, node.range());
                out.push(stmt(kind, node.range(), self.yields > before));
            }
            self.leave();
        }
        out.into()
    }

    /// A generator can only be left between statements, so `yield` stands alone or right of `=`.
    fn check_yields(&mut self, kind: &StmtKind, count: u32, range: TextRange) {
        let plain = |expr: &Expr| matches!(expr.kind, ExprKind::Yield(_) | ExprKind::YieldFrom(_));
        let fine = match kind {
            StmtKind::Expr(value) | StmtKind::Assign(_, value) => count == 1 && plain(value),
            StmtKind::Annotate(node) => count == 1 && node.value.as_ref().is_some_and(plain),
            StmtKind::If(_) | StmtKind::For(_) | StmtKind::While(_) | StmtKind::With(_) | StmtKind::Try(_) => true,
            _ => false,
        };
        if count > 0 && !fine {
            self.unsupported(
                range,
                "'yield' inside a larger expression",
                "assign it to a name first: x = yield value",
            );
        }
    }

    fn stmt_kind(&mut self, node: &py::Stmt) -> StmtKind {
        match node {
            py::Stmt::Expr(node) => StmtKind::Expr(self.expr(&node.value)),
            py::Stmt::Assign(node) => {
                let value = self.expr(&node.value);
                StmtKind::Assign(node.targets.iter().map(|target| self.target(target)).collect(), value)
            }
            py::Stmt::AugAssign(node) => {
                let value = self.expr(&node.value);
                StmtKind::Augment(self.target(&node.target), binary_op(node.op), value)
            }
            py::Stmt::AnnAssign(node) => StmtKind::Annotate(Annotation {
                value: self.maybe(node.value.as_deref()),
                target: self.target(&node.target),
                annotation: self.source(node.annotation.range()),
            }),
            py::Stmt::Return(node) => StmtKind::Return(self.maybe(node.value.as_deref())),
            py::Stmt::Delete(node) => StmtKind::Delete(node.targets.iter().map(|item| self.target(item)).collect()),
            py::Stmt::Raise(node) => {
                let exception = self.maybe(node.exc.as_deref());
                StmtKind::Raise(exception, self.maybe(node.cause.as_deref()))
            }
            py::Stmt::Assert(node) => {
                let test = self.expr(&node.test);
                StmtKind::Assert(test, self.maybe(node.msg.as_deref()))
            }
            py::Stmt::Pass(_) => StmtKind::Pass,
            py::Stmt::Break(_) => StmtKind::Break,
            py::Stmt::Continue(_) => StmtKind::Continue,
            py::Stmt::Import(node) => StmtKind::Import(node.names.iter().map(|alias| self.import(alias)).collect()),
            py::Stmt::ImportFrom(node) => self.import_from(node),
            py::Stmt::Global(node) => self.global(node),
            py::Stmt::Nonlocal(node) => self.nonlocal(node),
            py::Stmt::FunctionDef(node) => self.function(node),
            py::Stmt::ClassDef(node) => self.class(node),
            other => self.compound(other),
        }
    }

    fn compound(&mut self, node: &py::Stmt) -> StmtKind {
        match node {
            py::Stmt::For(node) => {
                if node.is_async {
                    self.unsupported(node.range, "'async for'", NO_ASYNC);
                }
                let iter = self.expr(&node.iter);
                let target = self.target(&node.target);
                let body = self.block(&node.body);
                StmtKind::For(Box::new(For {
                    target,
                    iter,
                    body,
                    orelse: self.block(&node.orelse),
                }))
            }
            py::Stmt::While(node) => {
                let test = self.expr(&node.test);
                let body = self.block(&node.body);
                StmtKind::While(Box::new(While {
                    test,
                    body,
                    orelse: self.block(&node.orelse),
                }))
            }
            py::Stmt::If(node) => {
                let test = self.expr(&node.test);
                let body = self.block(&node.body);
                StmtKind::If(Box::new(If {
                    test,
                    body,
                    orelse: self.elif(&node.elif_else_clauses),
                }))
            }
            py::Stmt::With(node) => self.with(node, 0),
            py::Stmt::Try(node) => self.try_(node),
            py::Stmt::Match(node) => {
                let subject = self.expr(&node.subject);
                let cases = node.cases.iter().map(|case| self.case(case)).collect();
                StmtKind::Match(Box::new(Match { subject, cases }))
            }
            py::Stmt::TypeAlias(node) => {
                self.unsupported(
                    node.range,
                    "a 'type' statement",
                    "assign the type to a name: Name = type",
                );
                StmtKind::Pass
            }
            other => {
                self.unsupported(other.range(), "this statement", "write it in another way");
                StmtKind::Pass
            }
        }
    }

    fn elif(&mut self, clauses: &[py::ElifElseClause]) -> Block {
        let Some((first, others)) = clauses.split_first() else {
            return Box::new([]);
        };
        let Some(test) = &first.test else {
            return self.block(&first.body);
        };
        let before = self.yields;
        let test = self.expr(test);
        let body = self.block(&first.body);
        // A long chain of `elif` nests deeply here, but evaluation does not recurse along it.
        let orelse = self.elif(others);
        Box::new([stmt(
            StmtKind::If(Box::new(If { test, body, orelse })),
            first.range,
            self.yields > before,
        )])
    }

    fn with(&mut self, node: &py::StmtWith, at: usize) -> StmtKind {
        if node.is_async {
            self.unsupported(node.range, "'async with'", NO_ASYNC);
        }
        let Some(item) = node.items.get(at) else {
            return StmtKind::Pass;
        };
        let context = self.expr(&item.context_expr);
        let target = item.optional_vars.as_deref().map(|target| self.target(target));
        let body = if at + 1 < node.items.len() {
            let before = self.yields;
            let inner = self.with(node, at + 1);
            Box::new([stmt(inner, node.range, self.yields > before)])
        } else {
            self.block(&node.body)
        };
        StmtKind::With(Box::new(With { context, target, body }))
    }

    fn try_(&mut self, node: &py::StmtTry) -> StmtKind {
        if node.is_star {
            self.unsupported(node.range, "'except*'", "use 'except'");
        }
        let body = self.block(&node.body);
        let handler = |handler: &py::ExceptHandler| {
            let py::ExceptHandler::ExceptHandler(handler) = handler;
            let kind = self.maybe(handler.type_.as_deref());
            let name = handler.name.as_ref().map(|name| self.scopes.bind(name));
            Handler {
                kind,
                name,
                body: self.block(&handler.body),
            }
        };
        let handlers = node.handlers.iter().map(handler).collect();
        let orelse = self.block(&node.orelse);
        StmtKind::Try(Box::new(Try {
            body,
            handlers,
            orelse,
            finish: self.block(&node.finalbody),
        }))
    }

    fn import(&mut self, alias: &py::Alias) -> ImportName {
        let module = alias.name.as_str();
        let (bound, renamed) = match &alias.asname {
            Some(name) => (name.as_str(), true),
            None => (module.split('.').next().unwrap_or(module), false),
        };
        let target = self.scopes.bind(bound);
        let range = alias.name.range;
        ImportName {
            module: module.into(),
            target,
            renamed,
            start: range.start().to_u32(),
            end: range.end().to_u32(),
        }
    }

    fn import_from(&mut self, node: &py::StmtImportFrom) -> StmtKind {
        let star = node.names.iter().any(|alias| alias.name.as_str() == "*");
        let imported = |alias: &py::Alias| ImportedName {
            name: alias.name.as_str().into(),
            target: self.scopes.bind(alias.asname.as_ref().unwrap_or(&alias.name)),
            start: alias.name.range.start().to_u32(),
            end: alias.name.range.end().to_u32(),
        };
        let names: Box<[ImportedName]> = if star {
            Box::default()
        } else {
            node.names.iter().map(imported).collect()
        };
        let module = node.module.as_ref().map_or("", |name| name.as_str()).into();
        StmtKind::ImportFrom(Box::new(ImportFrom {
            module,
            level: node.level,
            names,
            star,
        }))
    }

    fn global(&mut self, node: &py::StmtGlobal) -> StmtKind {
        let scope = self.scopes.current_host();
        for name in &node.names {
            self.scopes.all[scope].globals.insert(name.as_str().into());
        }
        StmtKind::Pass
    }

    fn nonlocal(&mut self, node: &py::StmtNonlocal) -> StmtKind {
        let scope = self.scopes.current_host();
        for name in &node.names {
            let place = (name.range.start().to_u32(), name.range.end().to_u32());
            self.scopes.all[scope].nonlocals.insert(name.as_str().into(), place);
            self.scopes.use_name(name);
        }
        StmtKind::Pass
    }

    fn function(&mut self, node: &py::StmtFunctionDef) -> StmtKind {
        if node.is_async {
            self.unsupported(node.name.range, "'async def'", NO_ASYNC);
        }
        let decorators = self.exprs(node.decorator_list.iter().map(|decorator| &decorator.expression));
        let defaults = self.defaults(&node.parameters);
        let code = self.function_code(&node.name, ScopeKind::Function, node.range, |lowerer| {
            let parts = lowerer.params(&node.parameters);
            CodeParts {
                body: lowerer.block(&node.body),
                doc: docstring(&node.body),
                ..parts
            }
        });
        let target = self.scopes.bind(&node.name);
        StmtKind::Function(Box::new(FunctionDef {
            code,
            decorators,
            defaults,
            target,
        }))
    }

    /// Defaults in order of the parameters that have one; they belong to the enclosing scope.
    pub(super) fn defaults(&mut self, params: &py::Parameters) -> Box<[Expr]> {
        let all = params.posonlyargs.iter().chain(&params.args).chain(&params.kwonlyargs);
        self.exprs(all.filter_map(|param| param.default.as_deref()))
    }

    /// Binds the parameters in the current scope.
    pub(super) fn params(&mut self, params: &py::Parameters) -> CodeParts {
        let groups = [
            (&params.posonlyargs, true, false),
            (&params.args, true, true),
            (&params.kwonlyargs, false, true),
        ];
        let mut out = Vec::new();
        for (group, positional, keyword) in groups {
            for param in group {
                let name = self.scopes.bind(&param.parameter.name);
                out.push(Param {
                    name,
                    positional,
                    keyword,
                    default: param.default.is_some(),
                });
            }
        }
        let rest = params.vararg.as_ref().map(|param| self.scopes.bind(&param.name));
        let keywords = params.kwarg.as_ref().map(|param| self.scopes.bind(&param.name));
        CodeParts {
            params: out.into(),
            rest,
            keywords,
            ..CodeParts::default()
        }
    }

    fn class(&mut self, node: &py::StmtClassDef) -> StmtKind {
        let decorators = self.exprs(node.decorator_list.iter().map(|decorator| &decorator.expression));
        let arguments = node.arguments.as_deref();
        let bases = self.exprs(arguments.iter().flat_map(|arguments| arguments.args.iter()));
        let keyword = |keyword: &py::Keyword| {
            let name = keyword.arg.as_ref()?.as_str().into();
            Some((name, self.expr(&keyword.value)))
        };
        let keywords = arguments
            .iter()
            .flat_map(|arguments| arguments.keywords.iter())
            .filter_map(keyword)
            .collect();
        self.scopes.open(ScopeKind::Class);
        let parts = CodeParts {
            body: self.block(&node.body),
            doc: docstring(&node.body),
            ..CodeParts::default()
        };
        let code = self.finish_code(&node.name, CodeKind::Class, node.range, parts, false);
        let target = self.scopes.bind(&node.name);
        StmtKind::Class(Box::new(ClassDef {
            code,
            decorators,
            bases,
            keywords,
            target,
        }))
    }

    /// Lowers an assignment target and binds its names.
    pub(super) fn target(&mut self, target: &py::Expr) -> Expr {
        let range = target.range();
        let kind = match target {
            py::Expr::Name(node) => ExprKind::Name(self.scopes.bind(&node.id)),
            py::Expr::Tuple(node) => ExprKind::Tuple(self.targets(&node.elts, range)),
            py::Expr::List(node) => ExprKind::List(self.targets(&node.elts, range)),
            py::Expr::Starred(node) => ExprKind::Starred(Box::new(self.target(&node.value))),
            py::Expr::Attribute(_) | py::Expr::Subscript(_) => return self.expr(target),
            _ => {
                self.syntax_error(range, "cannot assign to this expression");
                ExprKind::Constant(Constant::None)
            }
        };
        self.spanned(kind, range)
    }

    fn targets(&mut self, targets: &[py::Expr], range: TextRange) -> Box<[Expr]> {
        if targets.iter().filter(|target| target.is_starred_expr()).count() > 1 {
            self.syntax_error(range, "multiple starred expressions in assignment");
        }
        if !self.enter(range) {
            self.leave();
            return Box::new([]);
        }
        let lowered = targets.iter().map(|target| self.target(target)).collect();
        self.leave();
        lowered
    }

    fn case(&mut self, case: &py::MatchCase) -> Case {
        let pattern = self.pattern(&case.pattern);
        Case {
            pattern,
            guard: self.maybe(case.guard.as_deref()),
            body: self.block(&case.body),
        }
    }

    fn pattern(&mut self, pattern: &py::Pattern) -> Pattern {
        let lowered = if self.enter(pattern.range()) {
            self.pattern_kind(pattern)
        } else {
            Pattern::As(None, None)
        };
        self.leave();
        lowered
    }

    fn pattern_kind(&mut self, pattern: &py::Pattern) -> Pattern {
        match pattern {
            py::Pattern::MatchValue(node) => Pattern::Value(self.expr(&node.value)),
            py::Pattern::MatchSingleton(node) => Pattern::Singleton(match node.value {
                py::Singleton::None => Constant::None,
                py::Singleton::True => Constant::Bool(true),
                py::Singleton::False => Constant::Bool(false),
            }),
            py::Pattern::MatchSequence(node) => {
                Pattern::Sequence(node.patterns.iter().map(|item| self.pattern(item)).collect())
            }
            py::Pattern::MatchStar(node) => Pattern::Star(node.name.as_ref().map(|name| self.scopes.bind(name))),
            py::Pattern::MatchMapping(node) => {
                let pairs = node.keys.iter().zip(&node.patterns);
                let items = pairs.map(|(key, item)| (self.expr(key), self.pattern(item))).collect();
                Pattern::Mapping(items, node.rest.as_ref().map(|name| self.scopes.bind(name)))
            }
            py::Pattern::MatchClass(node) => {
                let class = self.expr(&node.cls);
                let items = node.arguments.patterns.iter().map(|item| self.pattern(item)).collect();
                let named = node.arguments.keywords.iter();
                let named = named
                    .map(|item| (item.attr.as_str().into(), self.pattern(&item.pattern)))
                    .collect();
                Pattern::Class(class, items, named)
            }
            py::Pattern::MatchAs(node) => {
                let inner = node.pattern.as_deref().map(|inner| Box::new(self.pattern(inner)));
                Pattern::As(inner, node.name.as_ref().map(|name| self.scopes.bind(name)))
            }
            py::Pattern::MatchOr(node) => Pattern::Or(node.patterns.iter().map(|item| self.pattern(item)).collect()),
        }
    }
}

/// The string that a body begins with.
fn docstring(body: &[py::Stmt]) -> Option<Rc<str>> {
    let py::Stmt::Expr(first) = body.first()? else {
        return None;
    };
    match &*first.value {
        py::Expr::StringLiteral(text) => Some(text.value.to_str().into()),
        _ => None,
    }
}
