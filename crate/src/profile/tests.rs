//! Summaries, windows and series of small schedules.
