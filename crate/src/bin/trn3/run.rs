//! `trn3 run`: a script from a file, its diagnostics on standard error, its numbers as text or JSON.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use lexopt::prelude::*;
use trn3::base::diag::Severity;
use trn3::base::span::{SourceFile, SourceMap};
use trn3::chip::Chip;
use trn3::profile::export;
use trn3::simulation::report::{LaunchReport, Report, Wall};
use trn3::simulation::{File, Mode, Options, Phase, Simulation, params};

use crate::files::{Below, Roots};
use crate::output;

/// Instructions of one slice between two looks at the clock.
const SLICE: u64 = 100_000;

/// The arguments of the command.
struct Arguments {
    file: PathBuf,
    chip: &'static Chip,
    mode: Mode,
    sets: Vec<(String, String)>,
    json: Option<String>,
    trace: Option<PathBuf>,
    roots: Vec<PathBuf>,
}

/// Runs the command; `Ok(false)` means that the script is in error.
pub fn command(parser: lexopt::Parser) -> Result<bool, lexopt::Error> {
    let arguments = parse(parser)?;
    let text = fs::read_to_string(&arguments.file)
        .map_err(|error| format!("cannot read {}: {error}", arguments.file.display()))?;
    let text = arguments.sets.iter().try_fold(text, |text, (name, value)| {
        params::set(&text, name, value).map_err(|fault| format!("--set {name}={value}: {}", fault.message))
    })?;
    let parse_ms = parse_time_ms(&text);
    let mut simulation = simulation(&arguments, text);
    let mut wall = advance(&mut simulation);
    wall.trace_ms = (wall.trace_ms - parse_ms).max(0.0);
    wall.parse_ms = parse_ms;
    let report = Report {
        wall: Some(wall),
        ..simulation.report()
    };
    write(&arguments, &simulation, &report)?;
    Ok(!report.diagnostics.iter().any(|one| one.severity == Severity::Error))
}

fn parse(mut parser: lexopt::Parser) -> Result<Arguments, lexopt::Error> {
    let mut file = None;
    let newest = Chip::ALL[Chip::ALL.len() - 1];
    let mut arguments = Arguments {
        file: PathBuf::new(),
        chip: newest,
        mode: Mode::Simulate,
        sets: Vec::new(),
        json: None,
        trace: None,
        roots: Vec::new(),
    };
    while let Some(argument) = parser.next()? {
        match argument {
            Long("target") => arguments.chip = chip(&parser.value()?.string()?)?,
            Long("mode") => arguments.mode = mode(&parser.value()?.string()?)?,
            Long("set") => arguments.sets.push(setting(&parser.value()?.string()?)?),
            Long("precise-fp") => precise(&parser.value()?.string()?)?,
            Long("json") => arguments.json = Some(parser.value()?.string()?),
            Long("trace") => arguments.trace = Some(parser.value()?.into()),
            Long("root") => arguments.roots.push(root(parser.value()?.into())?),
            Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
            other => return Err(other.unexpected()),
        }
    }
    arguments.file = file.ok_or("the file of the script is missing")?;
    Ok(arguments)
}

/// A folder of modules.
fn root(path: PathBuf) -> Result<PathBuf, lexopt::Error> {
    if path.is_dir() {
        Ok(path)
    } else {
        Err(format!("--root {}: there is no such folder", path.display()).into())
    }
}

/// The chip that `--target` names.
pub fn chip(name: &str) -> Result<&'static Chip, lexopt::Error> {
    let known = Chip::ALL.iter().map(|chip| chip.name).collect::<Vec<_>>().join(", ");
    Chip::by_name(name).ok_or_else(|| format!("unknown target '{name}'; known are {known}").into())
}

fn mode(name: &str) -> Result<Mode, lexopt::Error> {
    match name {
        "simulate" => Ok(Mode::Simulate),
        "estimate" => Ok(Mode::Estimate),
        _ => Err(format!("unknown mode '{name}'; known are simulate, estimate").into()),
    }
}

fn setting(text: &str) -> Result<(String, String), lexopt::Error> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("--set takes NAME=VALUE, got '{text}'"))?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

/// Values are always computed as the device would; the FP32 reference run beside it does not exist yet.
fn precise(text: &str) -> Result<(), lexopt::Error> {
    match text {
        "1" => Ok(()),
        "0" => Err("--precise-fp 0 (everything in FP32) is not available in this version".into()),
        _ => Err(format!("--precise-fp takes 0 or 1, got '{text}'").into()),
    }
}

fn simulation(arguments: &Arguments, text: String) -> Simulation {
    let mut roots = vec![arguments.file.parent().unwrap_or(Path::new("")).to_owned()];
    roots.extend(arguments.roots.iter().cloned());
    let options = Options {
        chip: arguments.chip,
        mode: arguments.mode,
        memory_in_use: Some(|| crate::HEAP.allocated() as u64),
        sources: Some(Rc::new(Roots(roots))),
        files: Some(Rc::new(Below(PathBuf::from(".")))),
        ..Options::default()
    };
    Simulation::new(
        vec![File {
            name: arguments.file.display().to_string(),
            text,
        }],
        options,
    )
}

/// The time that parsing takes. A run parses and interprets in one piece, so it is measured apart and taken off there.
fn parse_time_ms(text: &str) -> f64 {
    let file = SourceMap::default().add(SourceFile::new(String::new(), text.to_owned()));
    let start = Instant::now();
    std::hint::black_box(trn3::syntax::parse(file, text));
    start.elapsed().as_secs_f64() * 1e3
}

/// Runs to the end and measures the phases.
fn advance(simulation: &mut Simulation) -> Wall {
    let mut wall = Wall::default();
    loop {
        let phase = simulation.progress().phase;
        let start = Instant::now();
        let done = simulation.advance(SLICE).done;
        let spent_ms = |time: Duration| time.as_secs_f64() * 1e3;
        match phase {
            Phase::Trace => wall.trace_ms += spent_ms(start.elapsed()),
            Phase::Execute => wall.execute_ms += spent_ms(start.elapsed()),
            Phase::Schedule => wall.schedule_ms += spent_ms(start.elapsed()),
            Phase::Done => {}
        }
        if done {
            return wall;
        }
    }
}

/// Writes what was asked for.
fn write(arguments: &Arguments, simulation: &Simulation, report: &Report) -> Result<(), lexopt::Error> {
    output::complain(&simulation.render_diagnostics());
    match arguments.json.as_deref() {
        Some(path) => {
            let text = serde_json::to_string_pretty(report).map_err(|error| error.to_string())? + "\n";
            if path == "-" {
                output::show(&text)?;
            } else {
                fs::write(path, text).map_err(|error| format!("cannot write {path}: {error}"))?;
            }
        }
        None => {
            let launches = report.launches.iter().map(described);
            output::show(&format!("{}{}", report.stdout, launches.collect::<String>()))?;
        }
    }
    if let Some(path) = &arguments.trace {
        let profiles: Vec<_> = (0..report.launches.len())
            .filter_map(|at| simulation.profile(at))
            .collect();
        if profiles.is_empty() {
            output::complain("trn3: nothing was launched, so there is no trace to write\n");
            return Ok(());
        }
        fs::write(path, export::chrome_trace(&profiles, &simulation.sources()))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(())
}

/// The numbers of a launch, for people.
fn described(launch: &LaunchReport) -> String {
    let summary = &launch.summary;
    let mut text = format!(
        "{}: {:.2} us, bound by {}\n",
        launch.kernel,
        summary.latency_ns / 1e3,
        summary.bound_by
    );
    let engines = &summary.engines;
    let list = [
        ("tensor", engines.tensor),
        ("vector", engines.vector),
        ("scalar", engines.scalar),
        ("gpsimd", engines.gpsimd),
        ("sync", engines.sync),
        ("dma", engines.dma),
    ];
    for (name, engine) in list {
        text += &format!(
            "  {name:6} {:5.1} % active, {} instructions\n",
            engine.active_percent, engine.instructions
        );
    }
    text
}
