//! Looking at a finished run: steps, and operands of instructions.

use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

use super::{Run, arrays, to_js};
use crate::base::diag::Diagnostic;
use crate::simulation::cells::Window;
use crate::simulation::debug::{Breakpoint, Motion};

/// An error of a run that did not happen the first time.
fn failed(diagnostic: &Diagnostic) -> JsError {
    JsError::new(&diagnostic.message)
}

#[wasm_bindgen]
impl Run {
    /// The point of an entry of the timeline, or `null`.
    ///
    /// # Errors
    /// None; the type is that of all conversions.
    pub fn point_of_entry(&mut self, launch: usize, entry: u32) -> Result<JsValue, JsError> {
        to_js(&self.simulation.point_of_entry(launch, entry))
    }

    /// The point that a step leads to, or `null`; `from` is below 0 before the first step. `files` and `lines` are breakpoints.
    ///
    /// # Errors
    /// An unknown motion.
    pub fn seek(
        &mut self,
        launch: usize,
        core: usize,
        from: f64,
        motion: &str,
        files: Vec<String>,
        lines: Vec<u32>,
    ) -> Result<JsValue, JsError> {
        let motion = Motion::from_name(motion).ok_or_else(|| JsError::new(&format!("there is no step '{motion}'")))?;
        let from = (from >= 0.0).then_some(from as u32);
        let breakpoints = files.into_iter().zip(lines);
        let breakpoints: Vec<_> = breakpoints.map(|(file, line)| Breakpoint { file, line }).collect();
        to_js(&self.simulation.seek(launch, core, from, motion, &breakpoints))
    }

    /// The executions of the instructions of a line.
    ///
    /// # Errors
    /// None; the type is that of all conversions.
    pub fn of_line(
        &mut self,
        launch: usize,
        core: usize,
        file: String,
        line: u32,
        skip: usize,
        limit: usize,
    ) -> Result<JsValue, JsError> {
        let at = Breakpoint { file, line };
        to_js(&self.simulation.of_line(launch, core, &at, skip, limit))
    }

    /// Starts to look at one execution; false if there is nothing to see.
    ///
    /// # Errors
    /// Memory that does not suffice.
    pub fn inspect(&mut self, launch: usize, core: usize, instance: u32) -> Result<bool, JsError> {
        self.simulation
            .inspect(launch, core, instance)
            .map_err(|diagnostic| failed(&diagnostic))
    }

    /// Works for up to about `budget` instructions and tells how far the look is.
    ///
    /// # Errors
    /// None that the run did not have.
    pub fn advance_inspection(&mut self, budget: f64) -> Result<JsValue, JsError> {
        let state = self.simulation.advance_inspection(budget as u64);
        to_js(&state.map_err(|diagnostic| failed(&diagnostic))?)
    }

    /// What the look found, or `null`.
    ///
    /// # Errors
    /// None; the type is that of all conversions.
    pub fn inspection(&self) -> Result<JsValue, JsError> {
        to_js(&self.simulation.inspection())
    }

    /// Cells of an operand before or after the instruction; `part` is row, column, rows, columns, and the most cells each way.
    ///
    /// # Errors
    /// No such operand.
    pub fn cells(&self, operand: usize, after: bool, part: &[u32]) -> Result<JsValue, JsError> {
        let found = self.simulation.inspection();
        let operand = found.and_then(|found| found.operands.get(operand));
        let (Some(operand), &[row, column, rows, columns, most_rows, most_columns]) = (operand, part) else {
            return Err(JsError::new("there is no such part of an operand"));
        };
        let window = Window {
            row: row as usize,
            column: column as usize,
            rows: rows as usize,
            columns: columns as usize,
            most_rows: most_rows as usize,
            most_columns: most_columns as usize,
        };
        let content = if after { &operand.after } else { &operand.before };
        Ok(arrays::cells(&content.cells(window)))
    }
}
