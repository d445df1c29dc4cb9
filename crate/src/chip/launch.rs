//! What a launch costs beyond its instructions.

use crate::base::units::Ps;
use crate::chip::fact::facts;

facts! {
    /// Fixed costs of a launch and of control flow.
    Launch, "launch" {
        /// From the start of the launch to the first instruction of the kernel.
        preamble: Ps,
        /// From the end of the last instruction to the end of the launch.
        tail: Ps,
        /// A branch, once per iteration of a dynamic loop on each queue.
        branch: Ps,
        /// Register arithmetic on a sequencer.
        register_move: Ps,
        /// Loading a register from memory.
        register_load: Ps,
        /// Semaphore round of two cores that meet.
        core_barrier: Ps,
        /// The most physical cores that one launch has.
        logical_cores: u32,
    }
}
