//! The boundary to the page: a run of a script as a JavaScript object. It converts and forwards, nothing else.
//!
//! Small structures go as plain objects with the names of the command line's JSON; spans and series go as typed arrays.
//! `www/src/sim/protocol.ts` declares their types.

mod arrays;
mod debug;
mod dto;

use js_sys::Float64Array;
use serde::Serialize;
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

use crate::base::units::Ps;
use crate::chip::Chip;
use crate::profile::counters::{Counter, sample};
use crate::profile::intervals::Window;
use crate::profile::{details, lod};
use crate::simulation::{File, Mode, Options, Simulation, api};

/// Counts what is allocated, so that a script that grows without end meets its limit before the tab does.
#[global_allocator]
static HEAP: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, usize::MAX);

/// Sends what a panic says to the console: the page only learns that the module stopped.
#[wasm_bindgen(start)]
fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        web_sys::console::error_1(&JsValue::from_str(&panic.to_string()));
    }));
}

/// A structure as a plain object; maps become objects, as in JSON.
fn to_js(value: &impl Serialize) -> Result<JsValue, JsError> {
    Ok(value.serialize(&serde_wasm_bindgen::Serializer::json_compatible())?)
}

/// A time that the page sends; it holds whole picoseconds as a float.
fn ps(value: f64) -> Ps {
    Ps(value.max(0.0) as u64)
}

/// One run of a script.
#[wasm_bindgen]
pub struct Run {
    simulation: Simulation,
}

#[wasm_bindgen]
impl Run {
    /// Prepares a run of the script `text`, called `name` in diagnostics.
    ///
    /// # Errors
    /// An unknown target or mode.
    #[wasm_bindgen(constructor)]
    pub fn new(name: String, text: String, target: &str, mode: &str) -> Result<Run, JsError> {
        let chip = Chip::by_name(target).ok_or_else(|| JsError::new(&format!("there is no target '{target}'")))?;
        let mode = match mode {
            "simulate" => Mode::Simulate,
            "estimate" => Mode::Estimate,
            _ => return Err(JsError::new(&format!("there is no mode '{mode}'"))),
        };
        let options = Options {
            chip,
            mode,
            memory_in_use: Some(|| HEAP.allocated() as u64),
            ..Options::default()
        };
        Ok(Self {
            simulation: Simulation::new(vec![File { name, text }], options),
        })
    }

    /// Works for up to about `budget` instructions and tells how far the run is.
    ///
    /// # Errors
    /// None; the type is that of all conversions.
    pub fn advance(&mut self, budget: f64) -> Result<JsValue, JsError> {
        to_js(&self.simulation.advance(budget as u64))
    }

    /// The report, and what the page needs to know of each launch.
    ///
    /// # Errors
    /// None; the type is that of all conversions.
    pub fn outcome(&self) -> Result<JsValue, JsError> {
        to_js(&dto::Outcome::new(&self.simulation))
    }

    /// The bars of a track between two times on `pixels` pixels, as columns.
    ///
    /// # Errors
    /// No such launch.
    pub fn window(&self, launch: usize, track: usize, from: f64, to: f64, pixels: u32) -> Result<JsValue, JsError> {
        Ok(arrays::columns(&lod::window(
            self.profile(launch)?,
            track,
            ps(from),
            ps(to),
            pixels,
        )))
    }

    /// A series between two times.
    ///
    /// # Errors
    /// No such launch or series.
    pub fn counter(
        &self,
        launch: usize,
        name: &str,
        from: f64,
        to: f64,
        buckets: usize,
    ) -> Result<Float64Array, JsError> {
        let counter = Counter::from_name(name).ok_or_else(|| JsError::new(&format!("there is no series '{name}'")))?;
        let window = Window {
            from: ps(from),
            to: ps(to),
            buckets,
        };
        Ok(Float64Array::from(
            sample(self.profile(launch)?, counter, window).as_slice(),
        ))
    }

    /// All that is known of an entry of the timeline; `null` if there is no such entry.
    ///
    /// # Errors
    /// No such launch.
    pub fn instruction(&self, launch: usize, entry: u32) -> Result<JsValue, JsError> {
        to_js(&details::instruction(
            self.profile(launch)?,
            entry,
            &self.simulation.sources(),
        ))
    }

    fn profile(&self, launch: usize) -> Result<&crate::profile::Profile, JsError> {
        self.simulation
            .profile(launch)
            .ok_or_else(|| JsError::new(&format!("there is no launch {launch}")))
    }
}

/// Every `nki.*` name that works, with its documentation.
///
/// # Errors
/// None; the type is that of all conversions.
#[wasm_bindgen]
pub fn catalog() -> Result<JsValue, JsError> {
    to_js(&api::entries())
}
