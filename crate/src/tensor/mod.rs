//! Tensors as hardware sees them: allocations, access patterns, views, and the bytes a view touches.

pub mod alloc;
pub mod buffer;
pub mod pattern;
pub mod region;
pub mod tables;
pub mod view;
pub mod window;
