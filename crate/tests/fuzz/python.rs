//! Scripts of random Python that always parse: every statement and expression that the front end knows, nested at random, with
//! values that need not fit.

use crate::random::Random;

const NAMES: &[&str] = &[
    "a", "b", "c", "d", "f", "g", "x", "y", "C", "D", "self", "items", "np", "math",
];
const ATOMS: &[&str] = &[
    "0",
    "1",
    "-1",
    "7",
    "2**70",
    "0.5",
    "1e308",
    "float('nan')",
    "True",
    "False",
    "None",
    "''",
    "'abc'",
    "'é\\n'",
    "[]",
    "{}",
    "()",
    "...",
    "'{:>5}'",
    "set()",
    "range(5)",
    "slice(1, None)",
    "object()",
    "int",
    "str",
    "type",
    "len",
    "print",
    "NotImplemented",
];
const BINARY: &[&str] = &[
    "+", "-", "*", "/", "//", "%", "@", "&", "|", "^", "<<", ">>", "**", "and", "or",
];
const COMPARE: &[&str] = &["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"];
const FUNCTIONS: &[&str] = &[
    "len",
    "sorted",
    "list",
    "tuple",
    "set",
    "dict",
    "sum",
    "min",
    "max",
    "abs",
    "range",
    "zip",
    "enumerate",
    "map",
    "filter",
    "reversed",
    "isinstance",
    "issubclass",
    "getattr",
    "hasattr",
    "setattr",
    "int",
    "float",
    "str",
    "bool",
    "repr",
    "print",
    "iter",
    "next",
    "divmod",
    "round",
    "pow",
    "any",
    "all",
    "hash",
    "id",
    "type",
    "callable",
    "chr",
    "ord",
    "hex",
    "bin",
    "format",
    "vars",
    "dir",
    "super",
    "property",
    "staticmethod",
    "classmethod",
    "frozenset",
    "bytes",
    "slice",
    "math.sqrt",
    "math.gcd",
    "math.prod",
    "functools.reduce",
    "functools.partial",
    "functools.lru_cache",
    "itertools.product",
    "itertools.chain",
    "itertools.accumulate",
    "itertools.islice",
    "itertools.permutations",
    "copy.deepcopy",
    "operator.itemgetter",
    "collections.namedtuple",
    "collections.defaultdict",
    "collections.Counter",
    "collections.deque",
    "np.zeros",
    "np.ones",
    "np.arange",
    "np.array",
    "np.full",
    "np.eye",
    "np.linspace",
    "np.random.randn",
    "np.random.randint",
    "np.random.permutation",
    "np.sum",
    "np.mean",
    "np.max",
    "np.argmax",
    "np.sort",
    "np.argsort",
    "np.concatenate",
    "np.stack",
    "np.split",
    "np.where",
    "np.clip",
    "np.dot",
    "np.matmul",
    "np.einsum",
    "np.transpose",
    "np.reshape",
    "np.repeat",
    "np.tile",
    "np.pad",
    "np.cumsum",
    "np.exp",
    "np.log",
    "np.sqrt",
    "np.tanh",
    "np.allclose",
    "np.array_equal",
    "np.unique",
    "np.broadcast_to",
    "np.expand_dims",
    "np.squeeze",
    "np.roll",
    "np.flip",
    "np.diff",
    "np.outer",
    "np.linalg.norm",
    "np.linalg.inv",
    "np.float32",
    "np.int8",
    "np.uint64",
    "np.dtype",
    "np.isnan",
    "np.searchsorted",
    "np.triu",
    "np.diag",
    "np.prod",
    "np.var",
    "np.std",
    "np.meshgrid",
    "np.take",
    "np.nonzero",
    "np.add.reduce",
    "np.testing.assert_allclose",
];
const METHODS: &[&str] = &[
    "append",
    "extend",
    "pop",
    "insert",
    "remove",
    "sort",
    "index",
    "count",
    "keys",
    "values",
    "items",
    "get",
    "update",
    "setdefault",
    "join",
    "split",
    "strip",
    "replace",
    "format",
    "startswith",
    "upper",
    "zfill",
    "encode",
    "rjust",
    "partition",
    "add",
    "union",
    "intersection",
    "copy",
    "clear",
    "reshape",
    "astype",
    "sum",
    "mean",
    "T",
    "shape",
    "dtype",
    "ravel",
    "transpose",
    "view",
    "item",
    "tolist",
    "max",
    "__class__",
    "__dict__",
    "__name__",
    "__init__",
    "real",
    "bit_length",
    "send",
    "close",
    "throw",
    "m",
    "p",
];
const SPECS: &[&str] = &[
    "", ":5", ":>10", ":.2f", ":,", ":x", ":08.3e", "!r", "!s:^9", ":%", ":_", ":+d", "=",
];

/// A script that grows.
struct Script<'a> {
    random: &'a mut Random,
    text: String,
    indent: usize,
    in_function: bool,
    in_loop: bool,
}

impl Script<'_> {
    fn name(&mut self) -> String {
        (*self.random.pick(NAMES)).to_owned()
    }

    fn list(&mut self, depth: usize) -> String {
        let count = self.random.below(4);
        let items: Vec<String> = (0..count).map(|_| self.expression(depth)).collect();
        items.join(", ")
    }

    fn comprehension(&mut self, depth: usize) -> String {
        let (item, over) = (self.expression(depth), self.expression(depth));
        let clause = match self.random.below(3) {
            0 => format!(" if {}", self.expression(depth)),
            1 => format!(" for y in {}", self.expression(depth)),
            _ => String::new(),
        };
        let item_of = format!("{item} for x in {over}{clause}");
        match self.random.below(4) {
            0 => format!("[{item_of}]"),
            1 => format!("({item_of})"),
            2 => format!("{{{item_of}}}"),
            _ => format!("{{x: {item_of}}}"),
        }
    }

    fn call(&mut self, depth: usize) -> String {
        let function = match self.random.below(3) {
            0 => self.name(),
            _ => (*self.random.pick(FUNCTIONS)).to_owned(),
        };
        let extra = match self.random.below(12) {
            0 => format!(", *{}", self.expression(depth)),
            1 => format!(", **{}", self.expression(depth)),
            2 => format!(", axis={}", self.expression(depth)),
            3 => format!(", key={}", self.expression(depth)),
            4 => ", dtype=np.int8".to_owned(),
            _ => String::new(),
        };
        let list = self.list(depth);
        let extra = if list.is_empty() {
            extra.trim_start_matches(", ").to_owned()
        } else {
            extra
        };
        format!("{function}({list}{extra})")
    }

    fn expression(&mut self, depth: usize) -> String {
        let Some(depth) = depth.checked_sub(1) else {
            return match self.random.below(2) {
                0 => self.name(),
                _ => (*self.random.pick(ATOMS)).to_owned(),
            };
        };
        match self.random.below(22) {
            0..=2 => (*self.random.pick(ATOMS)).to_owned(),
            3 | 4 => self.name(),
            5 | 6 => {
                let (left, right) = (self.expression(depth), self.expression(depth));
                format!("({left} {} {right})", self.random.pick(BINARY))
            }
            7 => {
                let (left, middle, right) = (self.expression(depth), self.expression(depth), self.expression(depth));
                format!(
                    "({left} {} {middle} {} {right})",
                    self.random.pick(COMPARE),
                    self.random.pick(COMPARE)
                )
            }
            8 => format!(
                "({}{})",
                self.random.pick(&["-", "not ", "~", "+"]),
                self.expression(depth)
            ),
            9 => format!(
                "({} if {} else {})",
                self.expression(depth),
                self.expression(depth),
                self.expression(depth)
            ),
            10 => format!("(lambda x, y=1, *z: {})", self.expression(depth)),
            11 => self.comprehension(depth),
            12..=14 => self.call(depth),
            15 => format!("({}).{}", self.expression(depth), self.random.pick(METHODS)),
            16 => format!(
                "({}).{}({})",
                self.expression(depth),
                self.random.pick(METHODS),
                self.list(depth)
            ),
            17 => format!("({})[{}]", self.expression(depth), self.expression(depth)),
            18 => {
                let (from, to) = (self.expression(0), self.expression(0));
                format!(
                    "({})[{from}:{to}:{}]",
                    self.expression(depth),
                    self.random.pick(&["1", "-1", "2", ""])
                )
            }
            19 => format!("f\"{{{}{}}}\"", self.name(), self.random.pick(SPECS)),
            20 => format!("[{}, *({})]", self.list(depth), self.expression(depth)).replace("[, ", "["),
            _ => format!("({} := {})", self.random.pick(&["x", "y"]), self.expression(depth)),
        }
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(&"    ".repeat(self.indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn block(&mut self) {
        self.indent += 1;
        for _ in 0..=self.random.below(3) {
            self.statement();
        }
        self.indent -= 1;
    }

    fn loop_block(&mut self) {
        let outside = std::mem::replace(&mut self.in_loop, true);
        self.block();
        self.in_loop = outside;
        if self.random.chance(15) {
            self.line("else:");
            self.block();
        }
    }

    fn function(&mut self, header: &str) {
        self.line(header);
        let outside = (
            std::mem::replace(&mut self.in_function, true),
            std::mem::replace(&mut self.in_loop, false),
        );
        self.block();
        (self.in_function, self.in_loop) = outside;
    }

    fn class(&mut self) {
        match self.random.below(4) {
            0 => self.line("@dataclasses.dataclass(frozen=True)"),
            1 => self.line("@dataclasses.dataclass"),
            _ => {}
        }
        let base = *self.random.pick(&[
            "",
            "(object)",
            "(C)",
            "(Exception)",
            "(enum.Enum)",
            "(dict)",
            "(abc.ABC)",
            "(int)",
        ]);
        let name = *self.random.pick(&["C", "D"]);
        self.line(&format!("class {name}{base}:"));
        self.indent += 1;
        let value = self.expression(1);
        self.line(&format!("a: int = {value}"));
        for _ in 0..self.random.below(3) {
            let decorator = *self.random.pick(&[
                "",
                "",
                "@property",
                "@staticmethod",
                "@classmethod",
                "@functools.cached_property",
            ]);
            if !decorator.is_empty() {
                self.line(decorator);
            }
            let method = *self.random.pick(&[
                "m",
                "p",
                "__init__",
                "__repr__",
                "__add__",
                "__eq__",
                "__getitem__",
                "__len__",
                "__iter__",
                "__call__",
                "__enter__",
                "__hash__",
                "__getattr__",
            ]);
            let parameters = *self.random.pick(&["self", "self, x=1", "*a, **k", "self, x"]);
            self.function(&format!("def {method}({parameters}):"));
        }
        self.indent -= 1;
    }

    fn compound(&mut self) {
        let value = self.expression(2);
        match self.random.below(9) {
            0 => {
                self.line(&format!("if {value}:"));
                self.block();
                self.line("else:");
                self.block();
            }
            1 | 2 => {
                let target = *self.random.pick(&["x", "a, b", "(a, *b)", "items[0]", "self.x"]);
                self.line(&format!("for {target} in {value}:"));
                self.loop_block();
            }
            3 => {
                self.line(&format!("while {value}:"));
                self.loop_block();
            }
            4 => {
                let decorator =
                    *self
                        .random
                        .pick(&["", "", "", "@functools.lru_cache", "@contextlib.contextmanager", "@f"]);
                if !decorator.is_empty() {
                    self.line(decorator);
                }
                let name = *self.random.pick(&["f", "g"]);
                let parameters = *self
                    .random
                    .pick(&["", "x", "x, y=2", "*a", "x, /, y", "*, x=1", "x: int = 3, **k"]);
                self.function(&format!("def {name}({parameters}):"));
            }
            5 => self.class(),
            6 => {
                self.line("try:");
                self.block();
                let caught = *self
                    .random
                    .pick(&["Exception as x", "(ValueError, TypeError)", "C", "KeyError"]);
                self.line(&format!("except {caught}:"));
                self.block();
                if self.random.chance(30) {
                    self.line("finally:");
                    self.block();
                }
            }
            7 => {
                self.line(&format!("with {value} as y:"));
                self.block();
            }
            _ => {
                self.line(&format!("match {value}:"));
                self.indent += 1;
                let pattern = *self.random.pick(&[
                    "1 | 2",
                    "[a, *b]",
                    "{'k': x, **y}",
                    "C(a=1)",
                    "str() as x",
                    "None",
                    "(a, b) if a",
                ]);
                self.line(&format!("case {pattern}:"));
                self.block();
                self.line("case _:");
                self.block();
                self.indent -= 1;
            }
        }
    }

    fn statement(&mut self) {
        if self.indent < 4 && self.random.chance(30) {
            self.compound();
            return;
        }
        let value = self.expression(3);
        let simple = match self.random.below(14) {
            0..=4 => format!("{} = {value}", self.random.pick(NAMES)),
            5 => format!(
                "{} = {value}",
                self.random
                    .pick(&["a, b", "a, *b", "x = y", "items[0]", "x.a", "x[1:2]"])
            ),
            6 => format!(
                "{} {}= {value}",
                self.random.pick(NAMES),
                self.random.pick(&["+", "*", "-", "//", "|", "@", "**"])
            ),
            7 => format!("print({value})"),
            8 => format!("assert {value}, {}", self.expression(1)),
            9 => format!("del {}", self.random.pick(&["a", "x.a", "items[0]", "b"])),
            10 => format!(
                "raise {}",
                self.random.pick(&[
                    "ValueError(x)",
                    "C",
                    "C()",
                    "StopIteration",
                    "KeyError('k') from None",
                    "x"
                ])
            ),
            11 if self.in_function => format!("{} {value}", self.random.pick(&["return", "yield", "yield from"])),
            12 if self.in_loop => (*self.random.pick(&["break", "continue"])).to_owned(),
            _ => value,
        };
        self.line(&simple);
    }
}

/// A whole script.
pub fn script(random: &mut Random) -> String {
    let mut script = Script {
        random,
        text: String::new(),
        indent: 0,
        in_function: false,
        in_loop: false,
    };
    script.line("import abc, collections, contextlib, copy, dataclasses, enum, functools, itertools, math, operator");
    script.line("import numpy as np");
    script.line("a, b, c, d, items, x, y = 1, 2.5, 'abc', {'k': 1}, [3, 1, 2], np.arange(6).reshape(2, 3), (1, 2)");
    script.function("def f(x, y=1):");
    script.function("def g(*x):");
    script.class();
    // An error ends a script, so most statements run where errors are caught.
    for _ in 0..3 + script.random.below(10) {
        if script.random.chance(10) {
            script.statement();
            continue;
        }
        script.line("try:");
        script.block();
        script.line("except Exception as error: print(type(error).__name__, error)");
    }
    script.text
}
