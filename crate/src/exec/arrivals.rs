//! Meetings of cores: barriers and exchanges take effect when all participants have arrived.

use crate::base::diag::{Code, Diagnostic, Fault, Label};
use crate::exec::Executor;
use crate::isa::flow::Rendezvous;
use crate::tensor::view::ViewId;

impl Executor {
    /// Lets every complete meeting take effect; says whether there was one.
    ///
    /// # Errors
    /// An exchange of tiles that do not fit each other, or of unwritten data.
    pub(super) fn meet(&mut self) -> Result<bool, Diagnostic> {
        let mut moved = false;
        for core in 0..self.cores.len() {
            let Some((_, rendezvous)) = self.cores[core].waiting else {
                continue;
            };
            let members = self.members(core, rendezvous);
            if members.is_empty() {
                continue;
            }
            self.exchange(&members)?;
            for member in members {
                self.cores[member].waiting = None;
                self.leave_inst(member);
            }
            moved = true;
        }
        Ok(moved)
    }

    /// All cores of the meeting that `core` waits for, if all of them wait for it; else none.
    fn members(&self, core: usize, rendezvous: Rendezvous) -> Vec<usize> {
        let members: Vec<usize> = match rendezvous {
            Rendezvous::Barrier { cores } => (0..32).filter(|at| cores >> at & 1 == 1).collect(),
            Rendezvous::SendRecv { to, from, .. } => {
                let mut members = vec![core, to as usize, from as usize];
                members.sort_unstable();
                members.dedup();
                members
            }
        };
        let agrees = |member: &usize| {
            let other = self.cores.get(*member).and_then(|core| core.waiting);
            match (rendezvous, other.map(|(_, other)| other)) {
                (Rendezvous::Barrier { cores: a }, Some(Rendezvous::Barrier { cores: b })) => a == b,
                (Rendezvous::SendRecv { pipe: a, .. }, Some(Rendezvous::SendRecv { pipe: b, .. })) => a == b,
                (Rendezvous::Barrier { .. } | Rendezvous::SendRecv { .. }, _) => false,
            }
        };
        if members.iter().all(agrees) {
            members
        } else {
            Vec::new()
        }
    }

    /// Moves the tiles of an exchange: all are read before any is written.
    fn exchange(&mut self, members: &[usize]) -> Result<(), Diagnostic> {
        let mut moves: Vec<(usize, ViewId, Vec<u8>)> = Vec::new();
        for &member in members {
            let Some((inst, Rendezvous::SendRecv { dst, from, .. })) = self.cores[member].waiting else {
                continue;
            };
            let source = self.cores.get(from as usize).and_then(|core| core.waiting);
            let Some((_, Rendezvous::SendRecv { src, to, .. })) = source else {
                continue;
            };
            let loc = self.program.cores[member].locs[inst];
            let tables = &self.program.tables;
            let fits = tables.tile(src).bytes() == tables.tile(dst).bytes();
            if to as usize != member || !fits {
                let message = format!(
                    "sendrecv: core {member} receives {} from core {from}, which sends {} to core {to}",
                    tables.tile(dst).label("dst"),
                    tables.tile(src).label("src")
                );
                return Err(self.diagnose(Fault::new(Code::Constraint, message), loc));
            }
            let program = self.program.clone();
            let bytes = self.machine.read_raw(&program.tables, src, "src");
            let bytes = bytes.map_err(|fault| self.diagnose(fault, loc))?;
            moves.push((member, dst, bytes));
        }
        for (member, dst, bytes) in moves {
            let program = self.program.clone();
            let written = self.machine.write_raw(&program.tables, dst, &bytes);
            if let (Err(fault), Some((inst, _))) = (written, self.cores[member].waiting) {
                return Err(self.diagnose(fault, program.cores[member].locs[inst]));
            }
        }
        Ok(())
    }

    /// The diagnostic of cores that wait for each other for ever.
    pub(super) fn deadlock(&self) -> Diagnostic {
        let mut places = Vec::new();
        let mut parts = Vec::new();
        for (core, state) in self.cores.iter().enumerate() {
            match state.waiting {
                Some((inst, _)) => {
                    let trace = &self.program.cores[core];
                    let name = trace.insts[inst].spec().name;
                    places.push((trace.locs[inst], format!("core {core} waits in {name}")));
                    parts.push(format!("core {core} waits in {name}"));
                }
                None => parts.push(format!("core {core} has ended")),
            }
        }
        let message = format!("the cores can never meet: {}", parts.join(", "));
        let fault = Fault::new(Code::Deadlock, message).hint(match self.cores.len() {
            1 => "the launch has one core: launch the kernel on two, kernel[2](...)",
            _ => "all cores of the launch must reach the same barriers and exchanges in the same order",
        });
        let Some(&(first, _)) = places.first() else {
            return fault.at(crate::base::span::Span::new(crate::base::span::FileId(0), 0, 0));
        };
        let mut diagnostic = self.diagnose(fault, first);
        diagnostic.labels = places
            .into_iter()
            .map(|(loc, text)| Label {
                span: self.program.locs[loc].span,
                text,
            })
            .collect();
        diagnostic
    }
}
