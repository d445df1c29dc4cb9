//! Chrome trace event JSON, which Perfetto opens.

use std::fmt::Write as _;

use crate::base::span::SourceMap;
use crate::base::units::Ps;
use crate::profile::Profile;
use crate::profile::details::operands;
use crate::timing::timeline::{Entry, Track};

/// The timelines of all launches as JSON: one process a launch and core, one track an engine part (busy or not) and one a DMA
/// queue. Times are microseconds, as the format wants; the bars of a track never overlap.
pub fn chrome_trace(profiles: &[&Profile], sources: &SourceMap) -> String {
    let mut out = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    let mut pid = 0;
    for (launch, profile) in profiles.iter().enumerate() {
        for core in 0..profile.program.cores.len() {
            let name = format!("launch {launch}: {} core {core}", profile.program.kernel);
            let args = format!("{{\"name\":{}}}", quote(&name));
            push_line(&mut out, &meta("process_name", pid, None, &args));
            write_core(&mut out, profile, sources, (core as u8, pid));
            pid += 1;
        }
    }
    // The last event has a comma behind it, which the format forbids.
    out.truncate(out.trim_end_matches([',', '\n']).len());
    out.push_str("\n]}\n");
    out
}

/// The tracks of one core, which is process `pid`.
fn write_core(out: &mut String, profile: &Profile, sources: &SourceMap, (core, pid): (u8, usize)) {
    let rows = profile.rows.iter().filter(|row| row.core == core);
    let engines = (0..Track::ENGINES as u8).map(Track);
    let queues = rows.clone().map(|row| row.track).filter(|track| track.is_dma());
    for track in engines.chain(queues) {
        let args = format!("{{\"name\":{}}}", quote(&track.title()));
        push_line(out, &meta("thread_name", pid, Some(track), &args));
        let args = format!("{{\"sort_index\":{}}}", track.0);
        push_line(out, &meta("thread_sort_index", pid, Some(track), &args));
    }
    for row in rows {
        for &at in &row.entries {
            push_line(out, &event(profile, sources, profile.entry(at), pid));
        }
    }
}

/// An event that names a process or a track.
fn meta(name: &str, pid: usize, track: Option<Track>, args: &str) -> String {
    let tid = track.map_or_else(String::new, |track| format!(",\"tid\":{}", track.0));
    format!("{{\"ph\":\"M\",\"name\":\"{name}\",\"pid\":{pid}{tid},\"args\":{args}}}")
}

/// Appends one event.
fn push_line(out: &mut String, event: &str) {
    out.push_str(event);
    out.push_str(",\n");
}

/// One complete event.
fn event(profile: &Profile, sources: &SourceMap, entry: &Entry, pid: usize) -> String {
    let trace = &profile.program.cores[usize::from(entry.core)];
    let span = profile.program.locs[trace.locs[entry.inst]].span;
    let file = quote(&sources.file(span.file).name);
    let mut args = format!("\"line\":{},\"file\":{file}", profile.line(entry));
    for operand in operands(profile, entry) {
        // Writing to a String cannot fail.
        let _ = write!(args, ",{}:{}", quote(operand.role), quote(&operand.text));
    }
    format!(
        "{{\"ph\":\"X\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{{args}}}}}",
        quote(profile.name(entry)),
        pid,
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
