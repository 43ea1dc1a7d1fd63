//! Formats of simulators and graph tools.

mod anynet;
mod caminos;
mod damaged;
mod graphml;
mod node_link;
mod round_trips;
mod written_only;

use crate::reading::{self, error_of, found};
use weft_fabric::Fabric;
use weft_fabric::formats::ReadFabric;

/// The first line of the error that a text named `file` comes to.
fn error(text: &str) -> String {
    let error = error_of(text.as_bytes()).to_string();
    error.lines().next().unwrap().to_owned()
}

/// The error after one text of a sample was changed for another.
fn error_after(sample: &str, from: &str, to: &str) -> String {
    assert!(sample.contains(from), "the sample has {from}");
    error(&sample.replacen(from, to, 1))
}

/// Every link with its ports, in order.
fn links(fabric: &Fabric) -> Vec<String> {
    reading::links(fabric, " → ")
}

/// Line and text of every note.
fn notes(found: &ReadFabric) -> Vec<(Option<u32>, &str)> {
    let notes = found.notes.iter();
    notes.map(|note| (note.line, note.text.as_str())).collect()
}
