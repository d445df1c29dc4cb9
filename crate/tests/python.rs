//! Scripts of ordinary Python print what CPython 3.11 prints (`fixtures/python/*.out` is its output), wrong ones give
//! their exact message and place, and no text makes the front end panic.
#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use trn3::interp::{Interp, Limits, ModuleSource, NoModules, Outcome, Stop};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/python")
}

/// Runs a script; its output, and behind it the first error as `code: message @line:column`.
fn run_with(source: Box<dyn ModuleSource>, limits: Limits, text: &str) -> String {
    let mut cx = Interp::new(limits, source);
    let outcome = cx.run_script("script.py", text);
    let mut out = cx.stdout.clone();
    match outcome {
        Ok(()) => {}
        Err(Stop::Errors(errors)) => {
            let error = &errors[0];
            let at = cx.sources.range(error.span).0;
            out.push_str(&format!(
                "{}: {} @{}:{}\n",
                error.code.id(),
                error.message,
                at.line,
                at.column
            ));
        }
        Err(Stop::Suspended(at)) => out.push_str(&format!("suspended: {}\n", at.message)),
        Err(Stop::Exited) => out.push_str("exited\n"),
    }
    out
}

fn run(text: &str) -> String {
    run_with(Box::new(NoModules), Limits::default(), text)
}

fn agrees(name: &str) {
    let read =
        |ending: &str| fs::read_to_string(folder().join(format!("{name}.{ending}"))).expect("the fixture exists");
    let (ours, theirs) = (run(&read("py")), read("out"));
    for (at, (ours, theirs)) in ours.lines().zip(theirs.lines()).enumerate() {
        assert_eq!(ours, theirs, "line {} of the output of {name}.py", at + 1);
    }
    assert_eq!(
        ours.lines().count(),
        theirs.lines().count(),
        "{name}.py stops early:\n{ours}"
    );
}

#[test]
fn basics_agree_with_cpython() {
    agrees("basics");
}

#[test]
fn objects_agree_with_cpython() {
    agrees("objects");
}

#[test]
fn language_agrees_with_cpython() {
    agrees("language");
}

#[test]
fn iteration_agrees_with_cpython() {
    agrees("iteration");
}

#[test]
fn what_packages_use_agrees_with_cpython() {
    agrees("packages");
}

/// Wrong scripts and what they say.
const WRONG: &[(&str, &str)] = &[
    ("import numpyy", "import: No module named 'numpyy' @1:8"),
    (
        "def f(x):\n    return x + zz\nf(1)",
        "name: name 'zz' is not defined @2:16",
    ),
    ("x = [1, 2\ny = 3", "syntax: Expected `,`, found name @2:1"),
    ("if x = 3:\n    pass", "syntax: Expected `:`, found `=` @1:6"),
    (
        "def f():\nreturn 1",
        "syntax: Expected an indented block after function definition @2:1",
    ),
    ("async def f(): pass", "unsupported: 'async def' is not supported @1:11"),
    ("x = 1j", "unsupported: a complex number is not supported @1:5"),
    (
        "class A: pass\nA().foo",
        "attribute: 'A' object has no attribute 'foo' @2:1",
    ),
    (
        "def f(a): pass\nf(1, b=3)",
        "argument: f() got an unexpected keyword argument 'b' @2:8",
    ),
    (
        "def f(a): pass\nf(1, 2)",
        "argument: f() takes 1 positional argument but 2 were given @2:6",
    ),
    (
        "def f(a, b): pass\nf(1)",
        "argument: f() missing 1 required positional argument: 'b' @2:1",
    ),
    ("assert 1 == 2, 'values differ'", "assertion: values differ @1:8"),
    ("raise ValueError('boom')", "value: boom @1:1"),
    ("x = {'a': 1}\nx['b']", "index: there is no key 'b' @2:1"),
    ("x = [1]\nx[4]", "index: list index out of range @2:1"),
    ("for i in 5: pass", "type: 'int' object is not iterable @1:10"),
    ("a, b = 1, 2, 3", "value: too many values to unpack (expected 2) @1:1"),
    ("1 / 0", "arithmetic: division by zero @1:1"),
    (
        "def f(n): return f(n + 1)\nf(0)",
        "limit: maximum recursion depth exceeded (100 nested calls) @1:18",
    ),
    (
        "x = 10 ** 10 ** 10",
        "limit: an integer of 40000000000 bits is above the limit of 1048576 @1:5",
    ),
    (
        "x = [0] * 10**12",
        "limit: a container of 1000000000000 items is above the limit of 10000000 @1:5",
    ),
    (
        "while True: pass",
        "limit: the script takes more than 1000000 steps @1:13",
    ),
    (
        "def g():\n    while True: yield 1\nlist(g())",
        "limit: the script takes more than 1000000 steps @2:5",
    ),
    (
        "def f():\n    nonlocal q",
        "syntax: no binding for nonlocal 'q' found @2:14",
    ),
    (
        "import math\nmath.sqr(2)",
        "attribute: module 'math' has no attribute 'sqr' @2:1",
    ),
    ("'a' + 1", "type: can only concatenate str (not \"int\") to str @1:1"),
];

#[test]
fn wrong_scripts_say_what_and_where() {
    let limits = Limits {
        steps: 1_000_000,
        ..Limits::default()
    };
    for (text, expected) in WRONG {
        assert_eq!(
            run_with(Box::new(NoModules), limits, text),
            format!("{expected}\n"),
            "for the script:\n{text}"
        );
    }
}

struct Files(&'static [(&'static str, &'static str)]);

impl ModuleSource for Files {
    fn read(&self, path: &str) -> Option<(String, String)> {
        let found = self.0.iter().find(|(name, _)| *name == path);
        found.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
    }
}

#[test]
fn packages_and_relative_imports() {
    let files = Files(&[
        ("pkg/__init__.py", "from .a import one\n__all__ = ['one', 'b']\n"),
        ("pkg/a.py", "from . import b\none = b.two - 1\n"),
        (
            "pkg/b.py",
            "two = 2\nassert __package__ == 'pkg' and __file__ == 'pkg/b.py'\n",
        ),
        ("pkg/sub/__init__.py", ""),
        (
            "pkg/sub/deep.py",
            "from ..b import two\nfrom .. import a\nthree = two + a.one\n",
        ),
        ("bad.py", "x = (\n"),
    ]);
    let text =
        "import pkg.sub.deep as deep\nfrom pkg import *\nimport pkg.b\nprint(deep.three, one, pkg.b.two)\nimport bad\n";
    let out = run_with(Box::new(files), Limits::default(), text);
    assert_eq!(out, "3 1 2\nsyntax: unexpected EOF while parsing @2:1\n");
}

#[test]
fn endless_literals_are_refused_before_they_are_read() {
    let decimal = format!("x = {}\n", "9".repeat(2_000_000));
    let message = "unsupported: an integer literal of more than 4300 digits is not supported @1:5\n";
    assert_eq!(run_with(Box::new(NoModules), Limits::default(), &decimal), message);
    let hexadecimal = format!("print(0x{} > 1 << 4000)\n", "f".repeat(5000));
    assert_eq!(run_with(Box::new(NoModules), Limits::default(), &hexadecimal), "True\n");
}

#[test]
fn host_checks_are_recorded() {
    let mut cx = Interp::new(Limits::default(), Box::new(NoModules));
    let outcome = cx.run_script(
        "script.py",
        "assert 1 < 2\ndef f():\n    assert True\nf()\nassert 2 < 1, 'no'\n",
    );
    assert!(outcome.is_err());
    let checks: Vec<(&str, Outcome)> = cx
        .checks
        .iter()
        .map(|check| (check.text.as_str(), check.outcome))
        .collect();
    let expected = [
        ("1 < 2", Outcome::Passed),
        ("True", Outcome::Passed),
        ("2 < 1", Outcome::Failed),
    ];
    assert_eq!(checks, expected);
}

/// Pretends that 1 MiB more is in use each time somebody asks.
fn growing_memory() -> u64 {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    ASKED.fetch_add(1 << 20, Ordering::Relaxed)
}

#[test]
fn a_script_that_grows_without_end_meets_the_limit_of_memory() {
    let limits = Limits {
        memory_bytes: 100 << 20,
        ..Limits::default()
    };
    let mut cx = Interp::new(limits, Box::new(NoModules));
    cx.watch_memory(growing_memory);
    let Err(Stop::Errors(errors)) = cx.run_script("script.py", "x = []\nwhile True:\n    x = [x]\n") else {
        panic!("the script does not end by itself");
    };
    assert_eq!(errors[0].message, "the script uses more than 100 MiB of memory");
}

#[test]
fn deeply_nested_data_goes_without_recursion() {
    for nest in [
        "[x]",
        "(x,)",
        "{'a': x}",
        "Node(x)",
        "Node(x).method",
        "lambda y=x: y",
        "[{'a': (Node(x),)}]",
    ] {
        let text = format!(
            "class Node:\n    def __init__(self, n): self.n = n\n    def method(self): pass\n\
             x = None\nfor i in range(200_000):\n    x = {nest}\nx = None\nprint('gone')\n"
        );
        assert_eq!(
            run_with(Box::new(NoModules), Limits::default(), &text),
            "gone\n",
            "{nest}"
        );
    }
}

fn small_limits() -> Limits {
    Limits {
        steps: 20_000,
        items: 10_000,
        integer_bits: 4096,
        output_bytes: 10_000,
        ..Limits::default()
    }
}

/// Pieces that wrong programs are made of.
const PIECES: &[&str] = &[
    "x",
    "y",
    " ",
    "\n",
    "\n    ",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    ".",
    "=",
    "==",
    "+",
    "*",
    "**",
    "-",
    "not ",
    "1",
    "0",
    "1e9",
    "'a'",
    "f'{x}'",
    "def f(x):",
    "class A:",
    "return ",
    "yield ",
    "for x in ",
    "while ",
    "if ",
    "else:",
    "lambda x: ",
    "try:",
    "except:",
    "finally:",
    "with ",
    "as ",
    "import math",
    "from . import x",
    "range(",
    "print(",
    "x = ",
    "del x",
    "assert ",
    "@",
    "global x",
    "nonlocal x",
    "match x:",
    "case ",
    "_",
    "*x",
    "f(x)",
    "x[0]",
    "x.y",
    "<<",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        run_with(Box::new(NoModules), small_limits(), &text);
    }

    #[test]
    fn no_mixture_of_pieces_makes_it_panic(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        run_with(Box::new(NoModules), small_limits(), &pieces.concat());
    }

    #[test]
    fn no_mutated_script_makes_it_panic(at in any::<prop::sample::Index>(), cut in 0_usize..40, piece in prop::sample::select(PIECES)) {
        let text = fs::read_to_string(folder().join("objects.py")).expect("the fixture exists");
        let letters: Vec<char> = text.chars().collect();
        let at = at.index(letters.len());
        let behind = (at + cut).min(letters.len());
        let mutated: String = letters[..at].iter().chain(piece.chars().collect::<Vec<_>>().iter()).chain(&letters[behind..]).collect();
        run_with(Box::new(NoModules), small_limits(), &mutated);
    }

    #[test]
    fn integers_agree_with_wide_arithmetic(a in any::<i64>(), b in any::<i64>()) {
        let (x, y) = (i128::from(a), i128::from(b));
        let expected = format!("{} {} {}\n", x + y, x - y, x * y);
        prop_assert_eq!(run(&format!("print({a} + {b}, {a} - {b}, {a} * {b})")), expected);
        if b != 0 {
            let (quotient, rest) = (x.div_euclid(y), x.rem_euclid(y));
            let (quotient, rest) = if rest != 0 && y < 0 { (quotient - 1, rest + y) } else { (quotient, rest) };
            prop_assert_eq!(run(&format!("print({a} // ({b}), {a} % ({b}))")), format!("{quotient} {rest}\n"));
        }
    }
}
