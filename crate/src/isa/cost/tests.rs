//! Each rule against its published figure.
