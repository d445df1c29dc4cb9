//! `trn3 api` and `trn3 chip`: what is modelled, and with which figures.

use lexopt::prelude::*;
use trn3::chip::Chip;
use trn3::simulation::api;

use crate::{output, run};

/// Whether `--json` was given, and the target if one is accepted.
fn parse(mut parser: lexopt::Parser, target: bool) -> Result<(bool, Option<&'static Chip>), lexopt::Error> {
    let (mut json, mut chip) = (false, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("json") => json = true,
            Long("target") if target => chip = Some(run::chip(&parser.value()?.string()?)?),
            other => return Err(other.unexpected()),
        }
    }
    Ok((json, chip))
}

/// Every `nki.*` name that works, with its signature.
pub fn api(parser: lexopt::Parser) -> Result<bool, lexopt::Error> {
    let (json, _) = parse(parser, false)?;
    let entries = api::entries();
    if json {
        output::show(&to_json(&entries)?)?;
    } else {
        let lines = entries
            .iter()
            .map(|entry| format!("{}{}\n", entry.name, entry.signature));
        output::show(&lines.collect::<String>())?;
    }
    Ok(true)
}

/// A structure as indented JSON.
fn to_json(value: &impl serde::Serialize) -> Result<String, lexopt::Error> {
    Ok(serde_json::to_string_pretty(value).map_err(|error| error.to_string())? + "\n")
}

/// The hardware table of a chip, each figure with unit and source.
pub fn chip(parser: lexopt::Parser) -> Result<bool, lexopt::Error> {
    let (json, chip) = parse(parser, true)?;
    let chip = chip.unwrap_or(Chip::ALL[Chip::ALL.len() - 1]);
    let rows = chip.rows();
    if json {
        output::show(&to_json(&rows)?)?;
        return Ok(true);
    }
    let lines = rows.iter().map(|row| {
        format!(
            "{:10} {:34} {:>16} {:8} {:?}: {}\n",
            row.group, row.name, row.value, row.unit, row.trust, row.source
        )
    });
    output::show(&format!(
        "{} ({})\n{}",
        chip.title,
        chip.name,
        lines.collect::<String>()
    ))?;
    Ok(true)
}
