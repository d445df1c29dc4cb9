//! What host arrays need of one run, and how a missing value reaches the interpreter.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::base::diag::Code;
use crate::interp::Interp;
use crate::interp::numpy::io::Files;
use crate::interp::numpy::node::{Budget, Demand, Host, Mode};
use crate::interp::numpy::random::{DEFAULT_SEED, Random};
use crate::interp::raised::{Exception, Raised};

/// Outputs of launches by launch and position.
type Outputs = FxHashMap<(u32, u32), Rc<Vec<u8>>>;

/// State of host arrays in a run; the driver sets it up through `Interp::extension` before the script starts.
pub struct Session {
    /// Whether values exist.
    pub mode: Mode,
    /// Memory of forced arrays; share one across the re-runs of a script.
    pub budget: Rc<Budget>,
    /// Files below the current folder, if the run has any.
    pub files: Option<Rc<dyn Files>>,
    outputs: Rc<Outputs>,
    random: Random,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            mode: Mode::Simulate,
            budget: Budget::new(Budget::DEFAULT_LIMIT_BYTES),
            files: None,
            outputs: Rc::default(),
            random: Random::legacy(DEFAULT_SEED),
        }
    }
}

impl Session {
    /// Gives the storage bytes of an output of a launch that has run.
    pub fn set_output(&mut self, launch: u32, output: u32, bytes: Rc<Vec<u8>>) {
        Rc::make_mut(&mut self.outputs).insert((launch, output), bytes);
    }

    /// The generator behind `np.random.rand` and its siblings.
    pub fn random(&self) -> Random {
        self.random.clone()
    }

    /// Replaces that generator (`np.random.seed`).
    pub fn set_random(&mut self, random: Random) {
        self.random = random;
    }
}

/// What forcing needs, independent of the interpreter's borrow.
pub struct RunHost {
    mode: Mode,
    budget: Rc<Budget>,
    outputs: Rc<Outputs>,
}

impl Host for RunHost {
    fn mode(&self) -> Mode {
        self.mode
    }

    fn budget(&self) -> &Rc<Budget> {
        &self.budget
    }

    fn launch_output(&self, launch: u32, output: u32) -> Option<Rc<Vec<u8>>> {
        self.outputs.get(&(launch, output)).cloned()
    }
}

/// The host of the current run.
pub fn host(cx: &mut Interp) -> RunHost {
    let session = cx.extension::<Session>();
    RunHost {
        mode: session.mode,
        budget: session.budget.clone(),
        outputs: session.outputs.clone(),
    }
}

impl From<Demand> for Raised {
    fn from(demand: Demand) -> Self {
        match demand {
            Demand::Unknown => Self::suspend("the value of a host array is not computed in estimate mode"),
            Demand::NeedLaunch(launch) => Self::suspend(format!("the output of launch {launch} is needed")),
            Demand::Fault(fault) => raised(fault),
        }
    }
}

/// The Python exception that NumPy raises for a fault of a host array.
pub fn raised(fault: crate::base::diag::Fault) -> Raised {
    let exception = match fault.code {
        Code::Type | Code::Dtype => Exception::TypeError,
        Code::Index => Exception::IndexError,
        Code::Arithmetic => Exception::OverflowError,
        Code::Limit => return Raised::from(fault),
        Code::File => Exception::OSError,
        Code::Unimplemented => Exception::NotImplementedError,
        _ => Exception::ValueError,
    };
    let mut raised = Raised::new(exception, fault.message).code(fault.code);
    raised.0.param = fault.param;
    raised.0.hints = fault.hints;
    raised
}
