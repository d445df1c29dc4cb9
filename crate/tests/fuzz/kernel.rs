//! Scripts with a kernel of random instructions: every row of the catalog, called with tiles, numbers and choices that fit more
//! often than not.

use trn3::isa::CATALOG;
use trn3::isa::spec::{Entry, ParamSpec};

use crate::random::Random;

const DTYPES: &[&str] = &[
    "float32",
    "bfloat16",
    "float16",
    "float8_e4m3",
    "float8_e5m2",
    "float8_e4m3fn",
    "int32",
    "uint32",
    "int16",
    "uint16",
    "int8",
    "uint8",
    "float8_e4m3fn_x4",
    "float4_e2m1fn_x4",
    "tfloat32",
    "bool_",
];
const OPERATORS: &[&str] = &[
    "add",
    "subtract",
    "multiply",
    "maximum",
    "minimum",
    "divide",
    "power",
    "mod",
    "equal",
    "less",
    "greater_equal",
    "logical_and",
    "bitwise_and",
    "left_shift",
    "abs",
    "rsqrt",
    "bypass",
    "exp",
    "gelu",
    "copy",
    "square",
];
const PARTITIONS: &[usize] = &[1, 4, 16, 31, 32, 33, 64, 96, 127, 128];
const FREE: &[usize] = &[1, 2, 3, 8, 32, 64, 100, 128, 512, 513, 2048];
const NUMBERS: &[&str] = &[
    "0", "1", "-1", "2", "0.5", "1.0", "-3.5", "128", "1e30", "10**20", "0xffff", "None", "True",
];

/// A tile of the kernel.
struct Tile {
    name: String,
    shape: Vec<usize>,
}

/// A kernel that grows.
struct Kernel<'a> {
    random: &'a mut Random,
    text: String,
    indent: usize,
    tiles: Vec<Tile>,
    registers: usize,
}

impl Kernel<'_> {
    fn line(&mut self, text: &str) {
        self.text.push_str(&"    ".repeat(self.indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A statement whose error, which is likely, mostly does not end the kernel.
    fn attempt(&mut self, text: &str) {
        if self.random.chance(5) {
            self.line(text);
            return;
        }
        self.line("try:");
        self.line(&format!("    {text}"));
        self.line("except Exception: pass");
    }

    fn shape(&mut self) -> Vec<usize> {
        let mut shape = vec![*self.random.pick(PARTITIONS)];
        for _ in 0..1 + self.random.below(100) / 85 {
            shape.push(*self.random.pick(FREE));
        }
        shape
    }

    fn dtype(&mut self) -> String {
        // Half of them the plain one, or hardly two operands would fit.
        let name = if self.random.chance(50) {
            "float32"
        } else {
            *self.random.pick(DTYPES)
        };
        format!("nl.{name}")
    }

    fn new_tile(&mut self) {
        let name = format!("t{}", self.tiles.len());
        let shape = match self.tiles.is_empty() || self.random.chance(40) {
            true => self.shape(),
            false => self.random.pick(&self.tiles).shape.clone(),
        };
        let dtype = self.dtype();
        let buffer = *self
            .random
            .pick(&["sbuf", "sbuf", "sbuf", "psum", "shared_hbm", "private_hbm"]);
        let extent: Vec<String> = shape.iter().map(usize::to_string).collect();
        let extent = format!("({},)", extent.join(", "));
        self.line(&format!(
            "{name} = nl.ndarray({extent}, dtype={dtype}, buffer=nl.{buffer})"
        ));
        if buffer != "shared_hbm" && buffer != "private_hbm" && self.random.chance(80) {
            self.line(&format!("nisa.memset({name}, 0)"));
        }
        self.tiles.push(Tile { name, shape });
    }

    /// A tile, whole or in part.
    fn tile(&mut self) -> String {
        if self.tiles.is_empty() {
            return "a".to_owned();
        }
        let at = self.random.below(self.tiles.len());
        let (name, shape) = (self.tiles[at].name.clone(), self.tiles[at].shape.clone());
        let index = match self.random.below(8) {
            0 => {
                let parts: Vec<String> = shape
                    .iter()
                    .map(|&size| {
                        let from = self.random.below(size + 1);
                        let to = from + self.random.below(size + 2);
                        match self.random.below(4) {
                            0 => ":".to_owned(),
                            1 => format!("{from}:{to}:{}", 1 + self.random.below(3)),
                            2 => format!("{from}"),
                            _ => format!("{from}:{to}"),
                        }
                    })
                    .collect();
                format!("[{}]", parts.join(", "))
            }
            1 => "[:, 0:1]".to_owned(),
            2 => "[0:1]".to_owned(),
            3 => format!("[nl.ds({}, {})]", self.random.below(130), self.random.below(130)),
            4 => match self.random.below(4) {
                0 => format!(".reshape(({}, {}))", shape[0], shape[1..].iter().product::<usize>()),
                1 => format!(".view({})", self.dtype()),
                2 => format!(
                    ".ap([[{}, {}], [1, {}]])",
                    shape[1..].iter().product::<usize>(),
                    shape[0],
                    shape[1]
                ),
                _ => ".permute((1, 0))".to_owned(),
            },
            _ => String::new(),
        };
        name + &index
    }

    /// An argument that the parameter may take.
    fn argument(&mut self, spec: &ParamSpec) -> String {
        if self.random.chance(4) {
            return (*self.random.pick(NUMBERS)).to_owned();
        }
        let choices = (spec.choices)();
        if !choices.is_empty() {
            let choice = *self.random.pick(&choices);
            if ["True", "False", "None"].contains(&choice) {
                return choice.to_owned();
            }
            let class = spec.kind.rsplit('.').next().unwrap_or_default();
            return match spec.kind.contains("nki.isa") {
                true => format!("nisa.{}.{choice}", class.trim_end_matches([')', '*'])),
                false => format!("nl.{choice}"),
            };
        }
        let kind = spec.kind;
        if kind.contains("list of tiles") {
            return format!("[{}, {}]", self.tile(), self.tile());
        }
        if kind.contains("tile") && !(kind.contains("number") && self.random.chance(60)) {
            return self.tile();
        }
        if kind.contains("operator") || kind.contains("function") {
            return format!("nl.{}", self.random.pick(OPERATORS));
        }
        if kind.contains("engine") {
            return format!(
                "nisa.engine.{}",
                self.random
                    .pick(&["vector", "scalar", "gpsimd", "tensor", "sync", "unknown"])
            );
        }
        if kind.contains("dtype") {
            return self.dtype();
        }
        if kind.contains("register") && self.registers > 0 {
            return format!("r{}", self.random.below(self.registers));
        }
        if kind.contains("pairs") {
            return format!("[[1, {}]]", self.random.pick(FREE));
        }
        if kind.contains("partitions") {
            return "list(range(32))".to_owned();
        }
        if kind.contains("axes") || kind.contains("axis") {
            return (*self.random.pick(&["1", "(1,)", "0", "(1, 0)", "-1", "[1, 2]"])).to_owned();
        }
        if kind.contains("pair") {
            return (*self.random.pick(&["(0, 0)", "(32, 32)", "(128, 128)", "(64, 0)"])).to_owned();
        }
        if kind.contains("True") {
            return (*self.random.pick(&["True", "False"])).to_owned();
        }
        if kind.contains("cores") {
            return "(0, 1)".to_owned();
        }
        (*self.random.pick(NUMBERS)).to_owned()
    }

    fn instruction(&mut self, entry: &Entry) {
        let mut arguments = Vec::new();
        for spec in entry.spec.params {
            if spec.default.is_none() || self.random.chance(15) {
                let value = self.argument(spec);
                arguments.push(format!("{}={value}", spec.name));
            }
        }
        self.attempt(&format!("nisa.{}({})", entry.spec.name, arguments.join(", ")));
    }

    fn statement(&mut self) {
        let deep = self.indent > 3;
        match self.random.below(20) {
            0..=4 => self.new_tile(),
            5 if !deep => {
                let range = *self.random.pick(&[
                    "range",
                    "nl.affine_range",
                    "nl.sequential_range",
                    "nl.static_range",
                    "nl.dynamic_range",
                ]);
                let count = self.random.below(4);
                self.line(&format!("for i{} in {range}({count}):", self.indent));
                self.block();
            }
            6 if !deep => {
                self.line("with nl.no_reorder():");
                self.block();
            }
            7 => {
                let value = self.random.below(5);
                self.line(&format!("r{} = nisa.register_alloc({value})", self.registers));
                self.registers += 1;
            }
            8 => {
                let (to, from) = (self.tile(), self.tile());
                self.attempt(&format!("nisa.dma_copy(dst={to}, src={from})"));
            }
            9 => {
                let (left, right) = (self.tile(), self.tile());
                let name = *self.random.pick(OPERATORS);
                self.attempt(&format!("x = nl.{name}({left}, {right})"));
            }
            10 if !deep => {
                self.line("if nl.program_id(0) == 0:");
                self.block();
            }
            _ => {
                let entry = &CATALOG[self.random.below(CATALOG.len())];
                self.instruction(entry);
            }
        }
    }

    fn block(&mut self) {
        self.indent += 1;
        // What a block allocates is not known after it, as a name bound in a loop of no trips is not.
        let (tiles, registers) = (self.tiles.len(), self.registers);
        for _ in 0..=self.random.below(3) {
            self.statement();
        }
        self.tiles.truncate(tiles);
        self.registers = registers;
        self.indent -= 1;
    }
}

/// A whole script that launches a random kernel.
pub fn script(random: &mut Random) -> String {
    let mut kernel = Kernel {
        random,
        text: String::new(),
        indent: 0,
        tiles: Vec::new(),
        registers: 0,
    };
    for line in [
        "import numpy as np",
        "import nki",
        "import nki.language as nl",
        "import nki.isa as nisa",
        "",
        "@nki.jit",
        "def kernel(a, b):",
    ] {
        kernel.line(line);
    }
    kernel.indent = 1;
    let (rows, columns) = (*kernel.random.pick(PARTITIONS), *kernel.random.pick(FREE));
    kernel.line(&format!(
        "out = nl.ndarray(({rows}, {columns}), dtype=a.dtype, buffer=nl.shared_hbm)"
    ));
    for name in ["a", "b", "out"] {
        kernel.tiles.push(Tile {
            name: name.to_owned(),
            shape: vec![rows, columns],
        });
    }
    kernel.attempt("nisa.dma_copy(dst=out, src=a)");
    for _ in 0..3 {
        kernel.new_tile();
    }
    for _ in 0..1 + kernel.random.below(12) {
        kernel.statement();
    }
    kernel.line("return out");
    kernel.indent = 0;
    let dtype = *kernel
        .random
        .pick(&["np.float32", "np.int32", "nl.bfloat16", "np.float16", "np.uint8"]);
    let make = format!("np.random.randn({rows}, {columns}).astype({dtype})");
    kernel.line(&format!("x = {make}"));
    let launch = *kernel
        .random
        .pick(&["kernel", "kernel", "kernel[2]", "nki.simulate(kernel)"]);
    kernel.line(&format!("y = {launch}(x, {make})"));
    kernel.line("print(y.sum())");
    kernel.text
}
