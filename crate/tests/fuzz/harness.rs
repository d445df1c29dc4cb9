//! What every case goes through, the watch over it, and the count of how far cases come.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use trn3::base::diag::Severity;
use trn3::base::units::Bytes;
use trn3::simulation::report::Report;
use trn3::simulation::{File, Mode, Options, Simulation};
use trn3::trace::limits::Limits;

use crate::HEAP;
use crate::random::Random;

/// A case that takes longer hangs. The limits below are met within seconds; the rest is for machines that are busy.
const HANG: Duration = Duration::from_secs(240);

/// The stack that the command line gives to a script.
const STACK_BYTES: usize = 1 << 30;

/// Of the cases of a kind, at least one in so many must be right or, wrong, be so only after a launch. Fewer would mean that the
/// fuzzer tests messages of the parser and nothing behind it. Only counted where there are enough cases to tell.
const SHALLOW: u64 = 50;

fn limits() -> Limits {
    Limits {
        instructions: 5_000,
        executed: 20_000,
        launches: 4,
        steps: 50_000,
        memory: Bytes(256 << 20),
        output_chars: 10_000,
    }
}

/// Runs a text to its end.
fn run(text: &str, mode: Mode) -> Report {
    let file = File {
        name: "script.py".to_owned(),
        text: text.to_owned(),
    };
    let options = Options {
        mode,
        limits: limits(),
        memory_in_use: Some(|| HEAP.allocated() as u64),
        ..Options::default()
    };
    let mut simulation = Simulation::new(vec![file], options);
    simulation.finish();
    let report = simulation.report();
    let rendered = simulation.render_diagnostics();
    assert_eq!(rendered.is_empty(), report.diagnostics.is_empty());
    report
}

/// Whether a run had no error.
fn right(report: &Report) -> bool {
    report.diagnostics.iter().all(|one| one.severity != Severity::Error)
}

/// What holds for every text; gives the report of the simulation.
fn check(text: &str) -> Report {
    let (estimate, simulate) = (run(text, Mode::Estimate), run(text, Mode::Simulate));
    // One more, as a text may end with a line end, behind which an error can lie.
    let lines = text.split(['\n', '\r']).count() as u32 + 1;
    for found in estimate.diagnostics.iter().chain(&simulate.diagnostics) {
        assert_ne!(found.code, "internal", "{}", found.message);
        assert!(!found.message.is_empty());
        let line = found.place.line;
        assert!((1..=lines).contains(&line), "line {line} of {lines}: {}", found.message);
    }
    // Times do not depend on values, so both modes agree, unless the script itself looked at a result or a loop on the device
    // has a number of trips that the estimate can only assume.
    if right(&estimate) && right(&simulate) {
        for (left, right) in estimate.launches.iter().zip(&simulate.launches) {
            if left.summary.instructions == right.summary.instructions {
                let (left, right) = (left.summary.latency_ns, right.summary.latency_ns);
                assert_eq!(left, right, "the two modes differ in time");
            }
        }
    }
    simulate
}

/// The case that a fuzzer is at, and since when.
pub type Present = Mutex<Option<(String, Instant)>>;

/// Ends the program if a case hangs: a loop that does not end cannot be stopped from outside.
fn watch(present: &'static Present) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let present = present.lock().expect("nobody panics with it");
            if let Some((case, since)) = &*present
                && since.elapsed() > HANG
            {
                eprintln!("{case} has not ended after {HANG:?}");
                std::process::exit(1);
            }
        }
    });
}

/// A number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(default, |text| {
        text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}"))
    })
}

/// How far the cases of a kind came.
#[derive(Debug, Default)]
struct Reach {
    cases: u64,
    launched: u64,
    right: u64,
    /// How often each kind of error ended a case.
    errors: BTreeMap<&'static str, u64>,
}

impl Reach {
    fn count(&mut self, report: &Report) {
        self.cases += 1;
        self.launched += u64::from(!report.launches.is_empty());
        self.right += u64::from(right(report));
        let error = report.diagnostics.iter().find(|one| one.severity == Severity::Error);
        if let Some(error) = error {
            *self.errors.entry(error.code).or_default() += 1;
        }
    }
}

/// Checks texts that `make` makes, of each of `kinds` in turn, until the time is over.
pub fn fuzz(
    name: &'static str,
    present: &'static Present,
    kinds: &'static [&'static str],
    make: impl Fn(&mut Random, &str) -> String + Send + 'static,
) {
    let duration = Duration::from_secs(setting("FUZZ_SECONDS", 60));
    let mut seed = setting("FUZZ_SEED", 1);
    watch(present);
    let work = move || {
        let start = Instant::now();
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}.py"));
        let mut reached: BTreeMap<&str, Reach> = BTreeMap::new();
        loop {
            let kind = kinds[(seed % kinds.len() as u64) as usize];
            let text = make(&mut Random::new(seed), kind);
            // Written before it runs, as a stack that overflows takes the program with it.
            fs::write(&file, &text).expect("a writable folder");
            let case = format!("FUZZ_SEED={seed} of {name}, text in {}", file.display());
            *present.lock().expect("nobody panics with it") = Some((case.clone(), Instant::now()));
            match catch_unwind(AssertUnwindSafe(|| check(&text))) {
                Ok(report) => reached.entry(kind).or_default().count(&report),
                Err(_) => panic!("{case}:\n{text}"),
            }
            if start.elapsed() >= duration {
                break;
            }
            seed += 1;
        }
        *present.lock().expect("nobody panics with it") = None;
        for (kind, reach) in &reached {
            println!("{kind}: {reach:?} in {:.0} s", start.elapsed().as_secs_f64());
            let deep = (reach.launched + reach.right) * SHALLOW;
            assert!(
                reach.cases < 10 * SHALLOW || deep >= reach.cases,
                "{kind} tests hardly anything: {reach:?}"
            );
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    assert!(
        thread.expect("a thread").join().is_ok(),
        "{name} found a defect; see above"
    );
}
