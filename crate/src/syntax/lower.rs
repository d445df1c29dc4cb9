//! The parser's tree, lowered to ours: expressions and scopes. Statements are in [`crate::syntax::statements`].
//!
//! Lowering never fails: a construct that is not supported becomes a diagnostic that names it, and a placeholder.

use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::Num;
use ruff_python_ast as py;
use ruff_text_size::{Ranged, TextRange};

use crate::base::diag::{Code as DiagnosticCode, Diagnostic};
use crate::base::span::{FileId, Span};
use crate::syntax::ast::*;
use crate::syntax::scopes::{ScopeKind, Scopes};

/// Expressions and blocks may be nested this deep; evaluation recurses along the tree.
const MAX_DEPTH: u32 = 200;

/// Lowers one file.
pub struct Lowerer<'a> {
    pub(super) file: FileId,
    pub(super) text: &'a str,
    pub(super) scopes: Scopes,
    /// Found so far.
    pub errors: Vec<Diagnostic>,
    /// `yield`s of the code being lowered.
    pub(super) yields: u32,
    depth: u32,
}

impl<'a> Lowerer<'a> {
    /// A lowerer for a file with this text.
    pub fn new(file: FileId, text: &'a str) -> Self {
        Self {
            file,
            text,
            scopes: Scopes::default(),
            errors: Vec::new(),
            yields: 0,
            depth: 0,
        }
    }

    /// The scopes found.
    pub fn into_parts(self) -> (Scopes, Vec<Diagnostic>) {
        (self.scopes, self.errors)
    }

    pub(super) fn span(&self, range: TextRange) -> Span {
        Span::new(self.file, range.start().to_u32(), range.end().to_u32())
    }

    pub(super) fn unsupported(&mut self, range: TextRange, what: &str, hint: &str) {
        let span = self.span(range);
        let message = format!("{what} is not supported");
        self.errors
            .push(Diagnostic::error(DiagnosticCode::Unsupported, span, message).with_hint(hint));
    }

    pub(super) fn syntax_error(&mut self, range: TextRange, message: &str) {
        let span = self.span(range);
        self.errors
            .push(Diagnostic::error(DiagnosticCode::Syntax, span, message));
    }

    /// The source text of a range.
    pub(super) fn source(&self, range: TextRange) -> Rc<str> {
        self.text
            .get(range.start().to_usize()..range.end().to_usize())
            .unwrap_or("")
            .into()
    }

    /// Goes one level deeper, unless that is too deep.
    pub(super) fn enter(&mut self, range: TextRange) -> bool {
        self.depth += 1;
        if self.depth == MAX_DEPTH {
            self.syntax_error(range, "this is nested too deeply");
        }
        self.depth < MAX_DEPTH
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn exprs<'b>(&mut self, exprs: impl IntoIterator<Item = &'b py::Expr>) -> Box<[Expr]> {
        exprs.into_iter().map(|expr| self.expr(expr)).collect()
    }

    pub(super) fn boxed(&mut self, expr: &py::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    pub(super) fn maybe(&mut self, expr: Option<&py::Expr>) -> Option<Expr> {
        expr.map(|expr| self.expr(expr))
    }

    pub(super) fn spanned(&self, kind: ExprKind, range: TextRange) -> Expr {
        Expr {
            kind,
            start: range.start().to_u32(),
            end: range.end().to_u32(),
        }
    }

    /// Lowers an expression.
    pub(super) fn expr(&mut self, expr: &py::Expr) -> Expr {
        let range = expr.range();
        let kind = if self.enter(range) {
            self.expr_kind(expr)
        } else {
            ExprKind::Constant(Constant::None)
        };
        self.leave();
        self.spanned(kind, range)
    }

    fn expr_kind(&mut self, expr: &py::Expr) -> ExprKind {
        match expr {
            py::Expr::Name(node) => ExprKind::Name(self.scopes.use_name(&node.id)),
            py::Expr::NumberLiteral(node) => ExprKind::Constant(self.number(&node.value, node.range)),
            py::Expr::StringLiteral(node) => ExprKind::Constant(Constant::Str(node.value.to_str().into())),
            py::Expr::BooleanLiteral(node) => ExprKind::Constant(Constant::Bool(node.value)),
            py::Expr::NoneLiteral(_) => ExprKind::Constant(Constant::None),
            py::Expr::EllipsisLiteral(_) => ExprKind::Constant(Constant::Ellipsis),
            py::Expr::BoolOp(node) => {
                let values = self.exprs(&node.values);
                match node.op {
                    py::BoolOp::And => ExprKind::And(values),
                    py::BoolOp::Or => ExprKind::Or(values),
                }
            }
            py::Expr::BinOp(node) => {
                let operands = [self.expr(&node.left), self.expr(&node.right)];
                ExprKind::Binary(binary_op(node.op), Box::new(operands))
            }
            py::Expr::UnaryOp(node) => self.unary(node),
            py::Expr::If(node) => ExprKind::Conditional(Box::new(
                [&node.test, &node.body, &node.orelse].map(|part| self.expr(part)),
            )),
            py::Expr::Compare(node) => {
                let left = self.boxed(&node.left);
                let pairs = node.ops.iter().zip(&node.comparators);
                ExprKind::Compare(
                    left,
                    pairs.map(|(op, right)| (compare_op(*op), self.expr(right))).collect(),
                )
            }
            py::Expr::Call(node) => ExprKind::Call(Box::new(self.call(node))),
            py::Expr::Attribute(node) => ExprKind::Attribute(self.boxed(&node.value), node.attr.as_str().into()),
            py::Expr::Subscript(node) => {
                ExprKind::Subscript(Box::new([self.expr(&node.value), self.expr(&node.slice)]))
            }
            py::Expr::Slice(node) => {
                let parts = [&node.lower, &node.upper, &node.step];
                ExprKind::Slice(Box::new(parts.map(|part| self.maybe(part.as_deref()))))
            }
            py::Expr::Tuple(node) => ExprKind::Tuple(self.exprs(&node.elts)),
            py::Expr::List(node) => ExprKind::List(self.exprs(&node.elts)),
            py::Expr::Set(node) => ExprKind::Set(self.exprs(&node.elts)),
            py::Expr::Dict(node) => {
                let item = |item: &py::DictItem| (self.maybe(item.key.as_ref()), self.expr(&item.value));
                ExprKind::Dict(node.items.iter().map(item).collect())
            }
            py::Expr::FString(node) => ExprKind::FString(self.fstring(&node.value)),
            py::Expr::Starred(node) => ExprKind::Starred(self.boxed(&node.value)),
            other => self.expr_with_scope(other),
        }
    }

    /// Expressions that bind names or open scopes, and those that are not supported.
    fn expr_with_scope(&mut self, expr: &py::Expr) -> ExprKind {
        match expr {
            py::Expr::Named(node) => self.walrus(node),
            py::Expr::Lambda(node) => self.lambda(node),
            py::Expr::ListComp(node) => self.comprehension(Collection::List, &node.elt, None, &node.generators),
            py::Expr::SetComp(node) => self.comprehension(Collection::Set, &node.elt, None, &node.generators),
            py::Expr::DictComp(node) => match &node.key {
                Some(key) => self.comprehension(Collection::Dict, key, Some(&node.value), &node.generators),
                None => self.refused(node.range, "unpacking in a dictionary comprehension", "write a loop"),
            },
            py::Expr::Generator(node) => self.generator(node),
            py::Expr::Yield(node) => {
                self.yields += 1;
                let value = node.value.as_ref().map(|value| self.boxed(value));
                ExprKind::Yield(value)
            }
            py::Expr::YieldFrom(node) => {
                self.yields += 1;
                ExprKind::YieldFrom(self.boxed(&node.value))
            }
            py::Expr::Await(node) => self.refused(node.range, "'await'", "kernel scripts run in order; call directly"),
            py::Expr::TString(node) => self.refused(node.range, "a template string", "use an f-string"),
            py::Expr::BytesLiteral(node) => self.refused(node.range, "a bytes literal", "use a string"),
            other => self.refused(other.range(), "this expression", "write it in another way"),
        }
    }

    fn refused(&mut self, range: TextRange, what: &str, hint: &str) -> ExprKind {
        self.unsupported(range, what, hint);
        ExprKind::Constant(Constant::None)
    }

    fn number(&mut self, number: &py::Number, range: TextRange) -> Constant {
        match number {
            py::Number::Float(value) => Constant::Float(*value),
            py::Number::Int(value) => match value.as_i64() {
                Some(small) => Constant::Int(small),
                None => self.long_integer(&value.to_string(), range),
            },
            py::Number::Complex { .. } => {
                self.unsupported(
                    range,
                    "a complex number",
                    "NKI has no complex numbers; keep two real parts",
                );
                Constant::None
            }
        }
    }

    /// An integer beyond 64 bits. Reading a decimal one takes time with the square of its length, hence CPython's limit.
    fn long_integer(&mut self, token: &str, range: TextRange) -> Constant {
        const MAX_DIGITS: usize = 4300;
        /// Of the bases that are powers of two; a quarter of the bits that a computed integer may have.
        const MAX_PLACES: usize = 1 << 18;

        // Other bases begin with a zero, and a decimal number cannot.
        let limit = if token.starts_with('0') { MAX_PLACES } else { MAX_DIGITS };
        if token.len() <= limit {
            return Constant::Big(Rc::new(big_integer(token)));
        }
        let what = format!("an integer literal of more than {limit} digits");
        self.unsupported(range, &what, "compute it from smaller ones");
        Constant::None
    }

    fn unary(&mut self, node: &py::ExprUnaryOp) -> ExprKind {
        let operand = self.boxed(&node.operand);
        let op = match node.op {
            py::UnaryOp::USub => UnaryOp::Neg,
            py::UnaryOp::UAdd => UnaryOp::Pos,
            py::UnaryOp::Invert => UnaryOp::Invert,
            py::UnaryOp::Not => UnaryOp::Not,
        };
        match (&op, &operand.kind) {
            (UnaryOp::Neg, ExprKind::Constant(Constant::Int(value))) => ExprKind::Constant(Constant::Int(-value)),
            (UnaryOp::Neg, ExprKind::Constant(Constant::Float(value))) => ExprKind::Constant(Constant::Float(-value)),
            _ => ExprKind::Unary(op, operand),
        }
    }

    fn call(&mut self, node: &py::ExprCall) -> Call {
        let function = self.expr(&node.func);
        let positional = self.exprs(&node.arguments.args);
        let keyword = |keyword: &py::Keyword| {
            (
                keyword.arg.as_ref().map(|name| name.as_str().into()),
                self.expr(&keyword.value),
            )
        };
        Call {
            function,
            positional,
            keywords: node.arguments.keywords.iter().map(keyword).collect(),
        }
    }

    fn walrus(&mut self, node: &py::ExprNamed) -> ExprKind {
        let value = self.boxed(&node.value);
        match &*node.target {
            py::Expr::Name(name) => ExprKind::Walrus(self.scopes.bind_outside(&name.id), value),
            other => self.refused(other.range(), "':=' with this target", "assign to a name"),
        }
    }

    fn fstring(&mut self, value: &py::FStringValue) -> Box<[FPart]> {
        let mut parts = Vec::new();
        for part in value.iter() {
            match part {
                py::FStringPart::Literal(text) => parts.push(FPart::Text((*text.value).into())),
                py::FStringPart::FString(inner) => self.fparts(&inner.elements, &mut parts),
            }
        }
        parts.into()
    }

    fn fparts(&mut self, elements: &py::InterpolatedStringElements, parts: &mut Vec<FPart>) {
        for element in elements.iter() {
            match element {
                py::InterpolatedStringElement::Literal(text) => parts.push(FPart::Text((*text.value).into())),
                py::InterpolatedStringElement::Interpolation(field) => {
                    let mut spec = Vec::new();
                    let value = self.expr(&field.expression);
                    if let Some(format) = &field.format_spec {
                        self.fparts(&format.elements, &mut spec);
                    }
                    parts.push(FPart::Field(Box::new(Field {
                        value,
                        debug: field.debug_text.as_ref().map(|text| text.as_str().into()),
                        conversion: field.conversion.to_char(),
                        spec: spec.into(),
                    })));
                }
            }
        }
    }

    fn comprehension(
        &mut self,
        collection: Collection,
        item: &py::Expr,
        value: Option<&py::Expr>,
        generators: &[py::Comprehension],
    ) -> ExprKind {
        let mut first = generators.first().map(|clause| self.expr(&clause.iter));
        let yields = self.yields;
        let scope = self.scopes.open(ScopeKind::Comprehension);
        let clauses = generators
            .iter()
            .map(|clause| self.clause(clause, first.take()))
            .collect();
        let item = self.expr(item);
        let value = self.maybe(value);
        self.scopes.close();
        if self.yields != yields {
            self.errors.push(self.yield_in_comprehension(generators));
        }
        let around = &self.scopes.all[scope];
        let mut targets: Vec<NameId> = around
            .bound
            .iter()
            .filter_map(|name| around.ids.get(name))
            .copied()
            .collect();
        targets.sort_unstable();
        ExprKind::Comprehension(Box::new(Comprehension {
            collection,
            item,
            value,
            clauses,
            targets: targets.into(),
        }))
    }

    fn yield_in_comprehension(&self, generators: &[py::Comprehension]) -> Diagnostic {
        let range = generators.first().map_or_else(TextRange::default, Ranged::range);
        Diagnostic::error(
            DiagnosticCode::Syntax,
            self.span(range),
            "'yield' inside a comprehension",
        )
    }

    fn clause(&mut self, clause: &py::Comprehension, first: Option<Expr>) -> Clause {
        if clause.is_async {
            self.unsupported(clause.range, "'async for'", "kernel scripts run in order; use 'for'");
        }
        let iter = first.unwrap_or_else(|| self.expr(&clause.iter));
        let target = self.target(&clause.target);
        Clause {
            target,
            iter,
            conditions: self.exprs(&clause.ifs),
        }
    }

    fn generator(&mut self, node: &py::ExprGenerator) -> ExprKind {
        let Some(outer) = node.generators.first() else {
            return ExprKind::Constant(Constant::None);
        };
        let first = self.boxed(&outer.iter);
        let range = node.range;
        let code = self.function_code("<genexpr>", ScopeKind::Generator, range, |lowerer| {
            let source = lowerer.scopes.bind(".0");
            let body = lowerer.generator_body(node, source, 0);
            let param = Param {
                name: source,
                positional: true,
                keyword: false,
                default: false,
            };
            CodeParts {
                params: Box::new([param]),
                body: Box::new([body]),
                ..CodeParts::default()
            }
        });
        ExprKind::Generator(code, first)
    }

    /// The loops of a generator expression from clause `at` inwards, around a `yield`.
    fn generator_body(&mut self, node: &py::ExprGenerator, source: NameId, at: usize) -> Stmt {
        let range = node.range;
        let Some(clause) = node.generators.get(at) else {
            let item = self.boxed(&node.elt);
            self.yields += 1;
            let value = self.spanned(ExprKind::Yield(Some(item)), node.elt.range());
            return stmt(StmtKind::Expr(value), range, true);
        };
        let first = (at == 0).then(|| self.spanned(ExprKind::Name(source), clause.iter.range()));
        let clause = self.clause(clause, first);
        let mut body = self.generator_body(node, source, at + 1);
        for test in clause.conditions.into_iter().rev() {
            let branch = If {
                test,
                body: Box::new([body]),
                orelse: Box::new([]),
            };
            body = stmt(StmtKind::If(Box::new(branch)), range, true);
        }
        let looped = For {
            target: clause.target,
            iter: clause.iter,
            body: Box::new([body]),
            orelse: Box::new([]),
        };
        stmt(StmtKind::For(Box::new(looped)), range, true)
    }

    fn lambda(&mut self, node: &py::ExprLambda) -> ExprKind {
        let defaults = node
            .parameters
            .as_deref()
            .map_or_else(Default::default, |params| self.defaults(params));
        let code = self.function_code("<lambda>", ScopeKind::Function, node.range, |lowerer| {
            let mut parts = node
                .parameters
                .as_deref()
                .map_or_else(CodeParts::default, |params| lowerer.params(params));
            let body = lowerer.expr(&node.body);
            parts.body = Box::new([stmt(StmtKind::Return(Some(body)), node.body.range(), false)]);
            parts
        });
        ExprKind::Lambda(Box::new(Lambda { code, defaults }))
    }
}

/// A statement at a range.
pub(super) fn stmt(kind: StmtKind, range: TextRange, yields: bool) -> Stmt {
    Stmt {
        kind,
        start: range.start().to_u32(),
        end: range.end().to_u32(),
        yields,
    }
}

/// What the body of a function consists of.
#[derive(Default)]
pub(super) struct CodeParts {
    pub(super) params: Box<[Param]>,
    pub(super) rest: Option<NameId>,
    pub(super) keywords: Option<NameId>,
    pub(super) body: Block,
    pub(super) doc: Option<Rc<str>>,
}

/// The value of an integer literal with prefix and underscores.
fn big_integer(token: &str) -> BigInt {
    let text: String = token.chars().filter(|&digit| digit != '_').collect();
    let lower = text.to_ascii_lowercase();
    let parsed = match lower.get(..2) {
        Some("0x") => BigInt::from_str_radix(&lower[2..], 16),
        Some("0o") => BigInt::from_str_radix(&lower[2..], 8),
        Some("0b") => BigInt::from_str_radix(&lower[2..], 2),
        _ => BigInt::from_str_radix(&lower, 10),
    };
    parsed.unwrap_or_default()
}

/// Our binary operator.
pub(super) fn binary_op(op: py::Operator) -> BinaryOp {
    match op {
        py::Operator::Add => BinaryOp::Add,
        py::Operator::Sub => BinaryOp::Sub,
        py::Operator::Mult => BinaryOp::Mul,
        py::Operator::MatMult => BinaryOp::MatMul,
        py::Operator::Div => BinaryOp::Div,
        py::Operator::Mod => BinaryOp::Mod,
        py::Operator::Pow => BinaryOp::Pow,
        py::Operator::LShift => BinaryOp::LeftShift,
        py::Operator::RShift => BinaryOp::RightShift,
        py::Operator::BitOr => BinaryOp::BitOr,
        py::Operator::BitXor => BinaryOp::BitXor,
        py::Operator::BitAnd => BinaryOp::BitAnd,
        py::Operator::FloorDiv => BinaryOp::FloorDiv,
    }
}

fn compare_op(op: py::CmpOp) -> CompareOp {
    match op {
        py::CmpOp::Eq => CompareOp::Eq,
        py::CmpOp::NotEq => CompareOp::Ne,
        py::CmpOp::Lt => CompareOp::Lt,
        py::CmpOp::LtE => CompareOp::Le,
        py::CmpOp::Gt => CompareOp::Gt,
        py::CmpOp::GtE => CompareOp::Ge,
        py::CmpOp::Is => CompareOp::Is,
        py::CmpOp::IsNot => CompareOp::IsNot,
        py::CmpOp::In => CompareOp::In,
        py::CmpOp::NotIn => CompareOp::NotIn,
    }
}
