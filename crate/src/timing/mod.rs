//! The time model: schedules the instruction streams of all cores on engines and DMA queues.
//!
//! Instructions are placed in program order. A queue of an engine is in order: an instruction starts when the queue is free and
//! everything that it needs is there. Needs are overlaps of the bytes that instructions touch ([`hazards`]), explicit order,
//! and meetings of cores. Two freedoms of the real compiler are modelled, because kernels are compiled with them: buffers
//! rotate through memory ([`crate::tensor::alloc`]), and DMA triggers of the Sync queue go out as soon as their data is ready,
//! earlier instructions first ([`Order::Scheduled`]). [`Order::AsWritten`] takes the second one away.
//!
//! The schedule uses shapes, addresses, the chip and [`Dynamic`](crate::trace::dynamic::Dynamic) only, never values.

pub mod core;
pub mod dma;
pub mod hazards;
pub mod place;
pub mod power;
pub mod queue;
pub mod scheduler;
pub mod timeline;
pub mod uses;
pub mod walk;

pub use scheduler::{Options, Order, Scheduler};
pub use timeline::Timeline;

#[cfg(test)]
pub(crate) mod tests;
