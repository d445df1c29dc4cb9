//! What a run tells the outside: the JSON of the command line, which is also what the page shows.

use serde::Serialize;

use crate::base::diag::{Diagnostic, Severity};
use crate::base::span::{SourceMap, Span};
use crate::interp::{Check, Outcome};
use crate::profile::summary::Summary;
use crate::simulation::Mode;

/// Version of the JSON; it changes when a field changes its meaning or goes away.
pub const VERSION: u32 = 1;

/// A place in a file, for people: lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file.
    pub file: String,
    /// First line.
    pub line: u32,
    /// First column, in Unicode scalar values.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// One past the last column.
    pub end_column: u32,
}

impl Place {
    /// The place of `span`.
    pub fn new(sources: &SourceMap, span: Span) -> Self {
        let (start, end) = sources.range(span);
        Self {
            file: sources.file(span.file).name.clone(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }
}

/// A second place of a diagnostic, or a call that led to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Related {
    /// What is there.
    pub message: String,
    /// Where.
    #[serde(flatten)]
    pub place: Place,
}

/// A replacement that would mend an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FixReport {
    /// What it does.
    pub title: String,
    /// The text to replace.
    #[serde(flatten)]
    pub place: Place,
    /// The new text.
    pub replacement: String,
}

/// A diagnostic with its places resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiagnosticReport {
    /// How bad it is.
    pub severity: Severity,
    /// Stable id of its kind.
    pub code: &'static str,
    /// What is wrong, with the operand and the limit.
    pub message: String,
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// What to do about it, and where the limit comes from.
    pub notes: Vec<String>,
    /// Further places.
    pub labels: Vec<Related>,
    /// Calls that led here, outermost first.
    pub calls: Vec<Related>,
    /// Replacements that the page can offer.
    pub fixes: Vec<FixReport>,
}

impl DiagnosticReport {
    /// Resolves the places of `diagnostic`.
    pub fn new(sources: &SourceMap, diagnostic: &Diagnostic) -> Self {
        let related = |message: &str, span| Related {
            message: message.to_owned(),
            place: Place::new(sources, span),
        };
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code.id(),
            message: diagnostic.message.clone(),
            place: Place::new(sources, diagnostic.span),
            notes: diagnostic
                .hints
                .iter()
                .cloned()
                .chain(diagnostic.source.iter().map(|source| format!("source: {source}")))
                .collect(),
            labels: diagnostic
                .labels
                .iter()
                .map(|label| related(&label.text, label.span))
                .collect(),
            calls: diagnostic
                .chain
                .iter()
                .map(|frame| related(&frame.function, frame.span))
                .collect(),
            fixes: diagnostic
                .fixes
                .iter()
                .map(|fix| FixReport {
                    title: fix.title.clone(),
                    place: Place::new(sources, fix.span),
                    replacement: fix.replacement.clone(),
                })
                .collect(),
        }
    }
}

/// How a check of the script ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckResult {
    /// It held.
    Passed,
    /// It did not hold.
    Failed,
    /// Values were not computed.
    Skipped,
}

/// A check of the script: an `assert`, or a comparison of NumPy's testing module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckReport {
    /// How it ended.
    pub result: CheckResult,
    /// The condition as it is written.
    pub text: String,
    /// Facts beside it, such as the largest error.
    pub note: String,
    /// Line, from 1.
    pub line: u32,
}

/// Wall-clock times of the phases, measured by the caller, who owns the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Wall {
    /// Reading the script.
    pub parse_ms: f64,
    /// Running the script and tracing its kernels.
    pub trace_ms: f64,
    /// Computing values.
    pub execute_ms: f64,
    /// Scheduling.
    pub schedule_ms: f64,
}

/// An array that a launch returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutputReport {
    /// Its shape.
    pub shape: Vec<usize>,
    /// NKI's name of its dtype.
    pub dtype: &'static str,
    /// [`digest`] of its bytes, if values were computed: two runs agree to the bit if their digests do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// The 64-bit FNV-1a hash of `bytes` as 16 hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    /// Offset basis and prime of the 64-bit variant.
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let hash = bytes
        .iter()
        .fold(BASIS, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    format!("{hash:016x}")
}

/// The numbers of a launch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LaunchReport {
    /// Name of the kernel function.
    pub kernel: String,
    /// The launch grid.
    pub grid: Vec<u32>,
    /// Times, engines, metrics, memory, what bounds it, proposals.
    #[serde(flatten)]
    pub summary: Summary,
    /// Returned arrays.
    pub outputs: Vec<OutputReport>,
}

/// The numbers of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Version of this structure.
    pub version: u32,
    /// The target.
    pub target: &'static str,
    /// Whether values were computed.
    pub mode: Mode,
    /// What the script and `device_print` printed.
    pub stdout: String,
    /// Launches in the order of the script.
    pub launches: Vec<LaunchReport>,
    /// Checks of the script on values.
    pub checks: Vec<CheckReport>,
    /// Errors and warnings.
    pub diagnostics: Vec<DiagnosticReport>,
    /// Times of the phases, if the caller measured them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall: Option<Wall>,
}

/// Resolves the places of checks.
pub(super) fn checks(sources: &SourceMap, checks: &[Check]) -> Vec<CheckReport> {
    let one = |check: &Check| CheckReport {
        result: match check.outcome {
            Outcome::Passed => CheckResult::Passed,
            Outcome::Failed => CheckResult::Failed,
            Outcome::Skipped => CheckResult::Skipped,
        },
        text: check.text.clone(),
        note: check.note.clone(),
        line: sources.range(check.span).0.line,
    };
    checks.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::digest;

    #[test]
    fn digests_are_the_published_fnv_values() {
        assert_eq!(digest(b""), "cbf29ce484222325");
        assert_eq!(digest(b"a"), "af63dc4c8601ec8c");
        assert_eq!(digest(b"foobar"), "85944171f73967e8");
    }
}
