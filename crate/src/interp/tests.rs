//! Scripts with the output that CPython 3.11 gives.

use super::*;

/// Runs a script; returns its output, or the first error as `code: message @line`.
fn run(text: &str) -> String {
    let mut cx = Interp::new(Limits::default(), Box::new(NoModules));
    let outcome = cx.run_script("script.py", text);
    let mut out = cx.stdout.clone();
    match outcome {
        Ok(()) => {}
        Err(Stop::Errors(errors)) => {
            let error = &errors[0];
            let line = cx.sources.range(error.span).0.line;
            out.push_str(&format!("{}: {} @{line}\n", error.code.id(), error.message));
        }
        Err(Stop::Suspended(at)) => out.push_str(&format!("suspended: {}\n", at.message)),
        Err(Stop::Exited) => out.push_str("exited\n"),
    }
    out
}

#[test]
fn smoke() {
    assert_eq!(
        run("def f(a, b=2, *c, **d):\n    return a + b\nprint(f(1), f(1, 5))\n"),
        "3 6\n"
    );
}
