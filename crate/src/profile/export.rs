//! Chrome trace event JSON, which Perfetto opens: one track an engine part and one a DMA queue.

use std::fmt::Write as _;

use crate::base::units::Ps;
use crate::profile::Profile;
use crate::profile::details::operands;
use crate::timing::timeline::Entry;

/// The whole timeline as JSON. Times are microseconds, as the format wants; the bars of a track never overlap.
pub fn chrome_trace(profile: &Profile) -> String {
    let mut out = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    for core in 0..profile.program.cores.len() {
        push_line(
            &mut out,
            &format!(
                "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{core},\"args\":{{\"name\":{}}}}}",
                quote(&format!("{} core {core}", profile.program.kernel))
            ),
        );
    }
    for row in &profile.rows {
        let (pid, tid) = (row.core, row.track.0);
        let name = quote(&row.track.title());
        push_line(
            &mut out,
            &format!(
                "{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{pid},\"tid\":{tid},\"args\":{{\"name\":{name}}}}}"
            ),
        );
        push_line(
            &mut out,
            &format!(
                "{{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":{pid},\"tid\":{tid},\"args\":{{\"sort_index\":{tid}}}}}"
            ),
        );
        for &at in &row.entries {
            push_line(&mut out, &event(profile, profile.entry(at)));
        }
    }
    // The last event has a comma behind it, which the format forbids.
    out.truncate(out.trim_end_matches([',', '\n']).len());
    out.push_str("\n]}\n");
    out
}

/// Appends one event.
fn push_line(out: &mut String, event: &str) {
    out.push_str(event);
    out.push_str(",\n");
}

/// One complete event.
fn event(profile: &Profile, entry: &Entry) -> String {
    let mut args = format!("\"line\":{}", profile.line(entry));
    for operand in operands(profile, entry) {
        // Writing to a String cannot fail.
        let _ = write!(args, ",{}:{}", quote(operand.role), quote(&operand.text));
    }
    format!(
        "{{\"ph\":\"X\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{{args}}}}}",
        quote(profile.name(entry)),
        entry.core,
        entry.track.0,
        micros(entry.start),
        micros(entry.end - entry.start)
    )
}

/// A time in microseconds with all its digits.
fn micros(time: Ps) -> String {
    format!("{}.{:06}", time.0 / 1_000_000, time.0 % 1_000_000)
}

/// A JSON string.
fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
