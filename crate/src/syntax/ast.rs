//! The tree that the interpreter walks: a compact form of Python with names resolved to slots.
//!
//! Every body that runs in a frame of its own (module, function, lambda, class, generator expression) is a [`Code`].
//! Inside a code a name is a [`NameId`]; its [`Layout`] says where the name lives. Comprehensions share the frame of the
//! code that contains them.

use std::cell::OnceCell;
use std::rc::Rc;

use num_bigint::BigInt;

use crate::base::span::{FileId, Span};

pub use super::operators::{BinaryOp, CompareOp, UnaryOp};

/// A name in its [`Code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NameId(pub u32);

/// Statements in order.
pub type Block = Box<[Stmt]>;

/// A body with a frame of its own.
#[derive(Debug)]
pub struct Code {
    /// The name: of the function or class, `<lambda>`, `<genexpr>` or `<module>`.
    pub name: Rc<str>,
    /// What kind of body.
    pub kind: CodeKind,
    /// Parameters but `*args` and `**kwargs`, positional ones first.
    pub params: Box<[Param]>,
    /// The `*args` parameter.
    pub rest: Option<NameId>,
    /// The `**kwargs` parameter.
    pub keywords: Option<NameId>,
    /// The names used, by [`NameId`].
    pub names: Box<[Rc<str>]>,
    /// The statements.
    pub body: Block,
    /// Whether it contains `yield`.
    pub generator: bool,
    /// The docstring.
    pub doc: Option<Rc<str>>,
    /// The file.
    pub file: FileId,
    /// The whole definition.
    pub span: Span,
    /// Where the names live; set once by [`crate::syntax::resolve`].
    pub layout: OnceCell<Layout>,
}

/// The kinds of [`Code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// A file.
    Module,
    /// A function, lambda or generator expression.
    Function,
    /// A class body.
    Class,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: NameId,
    /// Whether it can be passed by position.
    pub positional: bool,
    /// Whether it can be passed by keyword.
    pub keyword: bool,
    /// Whether it has a default.
    pub default: bool,
}

/// Where the names of a code live.
#[derive(Debug, Default)]
pub struct Layout {
    /// By [`NameId`].
    pub slots: Box<[Slot]>,
    /// The number of local slots.
    pub locals: u32,
    /// The number of cells that the code makes itself; captured ones follow.
    pub cells: u32,
    /// Cells taken from the frame that makes the function, in order.
    pub captures: Box<[u32]>,
}

/// Where one name lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// In the frame.
    Local(u32),
    /// In a cell that closures share.
    Cell(u32),
    /// In the module, at this position of its globals; built-in names are behind it.
    Global(u32),
    /// In the namespace of a class body, with the global behind it.
    Namespace(u32),
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Whether it contains a `yield` of its code.
    pub yields: bool,
}

/// The kinds of statements.
#[derive(Debug)]
pub enum StmtKind {
    /// An expression; its value is dropped.
    Expr(Expr),
    /// `a = b = value`.
    Assign(Box<[Expr]>, Expr),
    /// `target op= value`.
    Augment(Expr, BinaryOp, Expr),
    /// `target: annotation = value`.
    Annotate(Annotation),
    /// `for`.
    For(Box<For>),
    /// `while`.
    While(Box<While>),
    /// `if`; an `elif` is an `if` in `orelse`.
    If(Box<If>),
    /// `with`, one item; further items are nested.
    With(Box<With>),
    /// `match`.
    Match(Box<Match>),
    /// `raise exception from cause`.
    Raise(Option<Expr>, Option<Expr>),
    /// `try`.
    Try(Box<Try>),
    /// `assert test, message`.
    Assert(Expr, Option<Expr>),
    /// `import a.b as c`.
    Import(Box<[ImportName]>),
    /// `from module import names`.
    ImportFrom(Box<ImportFrom>),
    /// `return`.
    Return(Option<Expr>),
    /// `del`.
    Delete(Box<[Expr]>),
    /// `def`.
    Function(Box<FunctionDef>),
    /// `class`.
    Class(Box<ClassDef>),
    /// `pass`, `global`, `nonlocal`.
    Pass,
    /// `break`.
    Break,
    /// `continue`.
    Continue,
}

/// `target: annotation = value`.
#[derive(Debug)]
pub struct Annotation {
    /// The target.
    pub target: Expr,
    /// The source text of the annotation.
    pub annotation: Rc<str>,
    /// The value.
    pub value: Option<Expr>,
}

/// `for target in iter: body else: orelse`.
#[derive(Debug)]
pub struct For {
    /// The target.
    pub target: Expr,
    /// What to iterate over.
    pub iter: Expr,
    /// The body.
    pub body: Block,
    /// Runs when the loop was not left by `break`.
    pub orelse: Block,
}

/// `while test: body else: orelse`.
#[derive(Debug)]
pub struct While {
    /// The condition.
    pub test: Expr,
    /// The body.
    pub body: Block,
    /// Runs when the loop was not left by `break`.
    pub orelse: Block,
}

/// `if test: body else: orelse`.
#[derive(Debug)]
pub struct If {
    /// The condition.
    pub test: Expr,
    /// The body.
    pub body: Block,
    /// The other branch.
    pub orelse: Block,
}

/// `with context as target: body`.
#[derive(Debug)]
pub struct With {
    /// The context manager.
    pub context: Expr,
    /// The target.
    pub target: Option<Expr>,
    /// The body.
    pub body: Block,
}

/// `match subject: cases`.
#[derive(Debug)]
pub struct Match {
    /// The subject.
    pub subject: Expr,
    /// The cases in order.
    pub cases: Box<[Case]>,
}

/// `case pattern if guard: body`.
#[derive(Debug)]
pub struct Case {
    /// The pattern.
    pub pattern: Pattern,
    /// The guard.
    pub guard: Option<Expr>,
    /// The body.
    pub body: Block,
}

/// A pattern of `match`.
#[derive(Debug)]
pub enum Pattern {
    /// A value to compare with.
    Value(Expr),
    /// `None`, `True` or `False`, compared by identity.
    Singleton(Constant),
    /// `[a, b, *rest]`.
    Sequence(Box<[Pattern]>),
    /// `*name` inside a sequence.
    Star(Option<NameId>),
    /// `{key: pattern, **rest}`.
    Mapping(Box<[(Expr, Pattern)]>, Option<NameId>),
    /// `Class(patterns, name=pattern)`.
    Class(Expr, Box<[Pattern]>, Box<[(Rc<str>, Pattern)]>),
    /// `pattern as name`; without a pattern it always matches.
    As(Option<Box<Pattern>>, Option<NameId>),
    /// `a | b`.
    Or(Box<[Pattern]>),
}

/// `try: body except: handlers else: orelse finally: finish`.
#[derive(Debug)]
pub struct Try {
    /// The guarded statements.
    pub body: Block,
    /// The handlers in order.
    pub handlers: Box<[Handler]>,
    /// Runs when nothing was raised.
    pub orelse: Block,
    /// Runs always.
    pub finish: Block,
}

/// `except kind as name: body`.
#[derive(Debug)]
pub struct Handler {
    /// The class or tuple of classes; `None` catches all.
    pub kind: Option<Expr>,
    /// The name of the exception.
    pub name: Option<NameId>,
    /// The body.
    pub body: Block,
}

/// One module of `import`.
#[derive(Debug)]
pub struct ImportName {
    /// The dotted name.
    pub module: Rc<str>,
    /// The name it is bound to.
    pub target: NameId,
    /// Whether the target is the module itself (`as`), not its first package.
    pub renamed: bool,
    /// First byte of the dotted name.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
}

/// `from module import names`.
#[derive(Debug)]
pub struct ImportFrom {
    /// The dotted name, empty for `from . import x`.
    pub module: Rc<str>,
    /// The number of leading dots.
    pub level: u32,
    /// The imported names.
    pub names: Box<[ImportedName]>,
    /// Whether it is `import *`.
    pub star: bool,
}

/// One name of `from … import`.
#[derive(Debug)]
pub struct ImportedName {
    /// Its name in the module.
    pub name: Rc<str>,
    /// The name it is bound to.
    pub target: NameId,
    /// First byte of the name.
    pub start: u32,
    /// One past its last byte.
    pub end: u32,
}

/// A function definition: what its enclosing frame evaluates.
#[derive(Debug)]
pub struct FunctionDef {
    /// The body.
    pub code: Rc<Code>,
    /// Decorators, outermost first.
    pub decorators: Box<[Expr]>,
    /// Defaults of the parameters that have one, in order.
    pub defaults: Box<[Expr]>,
    /// The name it is bound to.
    pub target: NameId,
}

/// A class definition.
#[derive(Debug)]
pub struct ClassDef {
    /// The body.
    pub code: Rc<Code>,
    /// Decorators, outermost first.
    pub decorators: Box<[Expr]>,
    /// Base classes.
    pub bases: Box<[Expr]>,
    /// Keyword arguments.
    pub keywords: Box<[(Rc<str>, Expr)]>,
    /// The name it is bound to.
    pub target: NameId,
}

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A literal.
#[derive(Clone, Debug)]
pub enum Constant {
    /// `None`.
    None,
    /// `...`.
    Ellipsis,
    /// `True` or `False`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer beyond 64 bits.
    Big(Rc<BigInt>),
    /// A float.
    Float(f64),
    /// A string.
    Str(Rc<str>),
}

/// The kinds of expressions.
#[derive(Debug)]
pub enum ExprKind {
    /// A literal.
    Constant(Constant),
    /// A name.
    Name(NameId),
    /// `a and b and c`.
    And(Box<[Expr]>),
    /// `a or b or c`.
    Or(Box<[Expr]>),
    /// `name := value`.
    Walrus(NameId, Box<Expr>),
    /// `a op b`.
    Binary(BinaryOp, Box<[Expr; 2]>),
    /// `op a`.
    Unary(UnaryOp, Box<Expr>),
    /// `lambda`.
    Lambda(Box<Lambda>),
    /// `body if test else orelse`, in the order test, body, orelse.
    Conditional(Box<[Expr; 3]>),
    /// `{key: value, **mapping}`.
    Dict(Box<[(Option<Expr>, Expr)]>),
    /// `{a, b}`.
    Set(Box<[Expr]>),
    /// `[a, b]`.
    List(Box<[Expr]>),
    /// `(a, b)`.
    Tuple(Box<[Expr]>),
    /// A comprehension that is computed at once.
    Comprehension(Box<Comprehension>),
    /// A generator expression, with its first iterable, which is computed at once.
    Generator(Rc<Code>, Box<Expr>),
    /// `a < b < c`.
    Compare(Box<Expr>, Box<[(CompareOp, Expr)]>),
    /// `f(a, k=b)`.
    Call(Box<Call>),
    /// `f"…"`.
    FString(Box<[FPart]>),
    /// `object.name`.
    Attribute(Box<Expr>, Rc<str>),
    /// `object[index]`.
    Subscript(Box<[Expr; 2]>),
    /// `start:stop:step` inside a subscript.
    Slice(Box<[Option<Expr>; 3]>),
    /// `*value`.
    Starred(Box<Expr>),
    /// `yield value`.
    Yield(Option<Box<Expr>>),
    /// `yield from value`.
    YieldFrom(Box<Expr>),
}

/// `lambda params: body`.
#[derive(Debug)]
pub struct Lambda {
    /// The body, one `return`.
    pub code: Rc<Code>,
    /// Defaults of the parameters that have one, in order.
    pub defaults: Box<[Expr]>,
}

/// What a comprehension builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collection {
    /// A list.
    List,
    /// A set.
    Set,
    /// A dictionary.
    Dict,
}

/// A comprehension.
#[derive(Debug)]
pub struct Comprehension {
    /// What it builds.
    pub collection: Collection,
    /// The item, or the key.
    pub item: Expr,
    /// The value of a dictionary.
    pub value: Option<Expr>,
    /// The clauses, outermost first.
    pub clauses: Box<[Clause]>,
    /// The names that it binds itself; they are fresh on each evaluation.
    pub targets: Box<[NameId]>,
}

/// `for target in iter if condition …`.
#[derive(Debug)]
pub struct Clause {
    /// The target.
    pub target: Expr,
    /// What to iterate over.
    pub iter: Expr,
    /// The conditions.
    pub conditions: Box<[Expr]>,
}

/// A call.
#[derive(Debug)]
pub struct Call {
    /// The function.
    pub function: Expr,
    /// Positional arguments; [`ExprKind::Starred`] ones are spread.
    pub positional: Box<[Expr]>,
    /// Keyword arguments; those without a name are spread.
    pub keywords: Box<[(Option<Rc<str>>, Expr)]>,
}

/// A part of an f-string.
#[derive(Debug)]
pub enum FPart {
    /// Literal text.
    Text(Rc<str>),
    /// `{value!conversion:spec}`, with `debug` text for `{value=}`.
    Field(Box<Field>),
}

/// A replacement field of an f-string.
#[derive(Debug)]
pub struct Field {
    /// The value.
    pub value: Expr,
    /// The text of `{value=}`.
    pub debug: Option<Rc<str>>,
    /// `r`, `s` or `a`.
    pub conversion: Option<char>,
    /// The format spec.
    pub spec: Box<[FPart]>,
}
