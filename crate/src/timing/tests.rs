//! The schedule against rules and floors.
