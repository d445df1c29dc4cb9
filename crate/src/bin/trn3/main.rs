//! The command line: the page without a browser, for scripts, CI and benchmarks.
//!
//! Exit status: 0 success, 1 the script is in error, 2 wrong usage.

#[cfg(not(target_arch = "wasm32"))]
mod files;
#[cfg(not(target_arch = "wasm32"))]
mod output;
#[cfg(not(target_arch = "wasm32"))]
mod run;
#[cfg(not(target_arch = "wasm32"))]
mod tables;

#[cfg(target_arch = "wasm32")]
fn main() {}

/// Counts what is allocated, so that a script that grows without end meets its limit.
#[cfg(not(target_arch = "wasm32"))]
#[global_allocator]
static HEAP: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, usize::MAX);

/// Stack of the thread that runs scripts: nested expressions and iterators are evaluated by recursion. Only what is used
/// takes memory.
#[cfg(not(target_arch = "wasm32"))]
const STACK_BYTES: usize = 1 << 30;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    use std::process::ExitCode;

    let run = || command(lexopt::Parser::from_env()).map_err(|error| error.to_string());
    let thread = match std::thread::Builder::new().stack_size(STACK_BYTES).spawn(run) {
        Ok(thread) => thread,
        Err(error) => {
            output::complain(&format!("trn3: {error}\n"));
            return ExitCode::from(2);
        }
    };
    match thread.join() {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        Ok(Ok(false)) => ExitCode::from(1),
        Ok(Err(error)) => {
            output::complain(&format!("trn3: {error}\n(trn3 --help shows how it is used)\n"));
            ExitCode::from(2)
        }
        // A defect of ours; the panic has told its place on standard error already.
        Err(_) => ExitCode::from(1),
    }
}

/// What `--help` and a usage error show.
#[cfg(not(target_arch = "wasm32"))]
const USAGE: &str = "\
usage: trn3 run FILE.py [--target trn1|trn2|trn3] [--mode simulate|estimate] [--set NAME=VALUE]...
                [--precise-fp 1] [--json PATH|-] [--trace PATH] [--root DIR]...
       trn3 api  [--json]
       trn3 chip [--target trn1|trn2|trn3] [--json]
";

/// Runs the command; `Ok(false)` means that the script is in error.
#[cfg(not(target_arch = "wasm32"))]
fn command(mut parser: lexopt::Parser) -> Result<bool, lexopt::Error> {
    use lexopt::prelude::*;

    if std::env::args_os()
        .skip(1)
        .any(|argument| argument == "--help" || argument == "-h")
    {
        output::show(USAGE)?;
        return Ok(true);
    }
    match parser.next()? {
        Some(Long("version") | Short('V')) => {
            output::show(concat!("trn3 ", env!("CARGO_PKG_VERSION"), "\n"))?;
            Ok(true)
        }
        Some(Value(name)) => match name.string()?.as_str() {
            "run" => run::command(parser),
            "api" => tables::api(parser),
            "chip" => tables::chip(parser),
            name @ ("collective" | "plan") => Err(format!("'{name}' is not available in this version").into()),
            other => Err(format!("unknown command '{other}'").into()),
        },
        Some(option) => Err(option.unexpected()),
        None => Err("a command is missing".into()),
    }
}
