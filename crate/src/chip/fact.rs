//! Figures with their source, and the table macro that makes every group of them listable.

use serde::Serialize;

use crate::base::units::{Bytes, BytesPerSec, Cycles, Hertz, Ps};

/// How far a figure can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Stated in the vendor's documents.
    Documented,
    /// Computed from documented figures or read off published measurements.
    Derived,
    /// Chosen by us because nobody knows; the note says why.
    Estimated,
}

/// A hardware figure with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Fact<T> {
    /// The figure.
    pub value: T,
    /// How far it can be trusted.
    pub trust: Trust,
    /// Where it comes from.
    pub source: &'static str,
}

impl<T: Copy> Fact<T> {
    /// A figure from the vendor's documents.
    pub const fn documented(value: T, source: &'static str) -> Self {
        Self {
            value,
            trust: Trust::Documented,
            source,
        }
    }

    /// A figure computed from documents or published measurements.
    pub const fn derived(value: T, source: &'static str) -> Self {
        Self {
            value,
            trust: Trust::Derived,
            source,
        }
    }

    /// A figure that we chose.
    pub const fn estimated(value: T, source: &'static str) -> Self {
        Self {
            value,
            trust: Trust::Estimated,
            source,
        }
    }

    /// The figure itself.
    pub const fn get(&self) -> T {
        self.value
    }
}

/// A type that a figure can have: its number and unit for display.
pub trait Figure: Copy {
    /// The number, in [`Self::UNIT`].
    fn number(self) -> f64;
    /// The unit that people read.
    const UNIT: &'static str;
}

/// Gives types their display number and unit.
macro_rules! figures {
    ($($ty:ty, $unit:literal, $number:expr;)*) => {
        $(impl Figure for $ty {
            const UNIT: &'static str = $unit;
            fn number(self) -> f64 {
                let number: fn(Self) -> f64 = $number;
                number(self)
            }
        })*
    };
}

figures! {
    u32, "", f64::from;
    f64, "", |value| value;
    Bytes, "B", |value| value.as_f64();
    Cycles, "cycles", |value| value.as_f64();
    Ps, "ns", |value| value.as_ns();
    Hertz, "GHz", |value| value.as_f64() / 1e9;
    BytesPerSec, "GB/s", |value| value.as_f64() / 1e9;
}

/// One line of the hardware table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What it describes: `memory`, `engines`, `dma`, `launch`.
    pub group: &'static str,
    /// Name of the figure.
    pub name: &'static str,
    /// The number.
    pub value: f64,
    /// Its unit; empty for counts and factors.
    pub unit: &'static str,
    /// How far it can be trusted.
    pub trust: Trust,
    /// Where it comes from.
    pub source: &'static str,
}

/// Declares a group of figures: the struct, and `rows` to list them.
macro_rules! facts {
    ($(#[doc = $doc:literal])* $group:ident, $title:literal {
        $($(#[doc = $field_doc:literal])* $field:ident: $ty:ty,)*
    }) => {
        $(#[doc = $doc])*
        #[derive(Debug, serde::Serialize)]
        pub struct $group {
            $($(#[doc = $field_doc])* pub $field: $crate::chip::fact::Fact<$ty>,)*
        }

        impl $group {
            /// Appends one row per figure.
            pub fn rows(&self, rows: &mut Vec<$crate::chip::fact::Row>) {
                $(rows.push($crate::chip::fact::Row {
                    group: $title,
                    name: stringify!($field),
                    value: $crate::chip::fact::Figure::number(self.$field.value),
                    unit: <$ty as $crate::chip::fact::Figure>::UNIT,
                    trust: self.$field.trust,
                    source: self.$field.source,
                });)*
            }
        }
    };
}

pub(super) use facts;
