//! What can be chosen by name — topologies, routings, patterns, arrivals, hardware, messaging — with
//! parameters: what they may be, what was chosen, and what is said of a mistake.
//!
//! ```text
//! registry of entries ─► find ─► Entry ─┐
//! text ─► Choice ───────────────────────┴─► Entry::complete ─► Values
//! struct of values ─► Field (Spec, get, set)
//! ```
//!
//! Values are checked at one moment, when they are completed; whoever reads them afterwards finds
//! what its kind promises. Knows nothing of fabrics.

mod choice;
mod entry;
mod error;
mod field;
mod kind;
mod spec;
mod suggestion;
mod values;

pub use choice::Choice;
pub use entry::{Entry, find};
pub use error::RegistryError;
pub use field::{Field, Held};
pub use kind::{Kind, Open, Value};
pub use spec::Spec;
pub use suggestion::Suggestion;
pub use values::Values;
