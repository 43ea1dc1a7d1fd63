//! Formats of simulators and graph tools.

mod anynet;
mod caminos;
mod damaged;
mod graphml;
mod node_link;
mod round_trips;
mod written_only;

use weft_fabric::formats::{ReadFabric, read};
use weft_fabric::{ChannelId, Fabric};

/// Reads a file named `file`.
fn found(text: &str) -> ReadFabric {
    match read(text.as_bytes(), "file") {
        Ok(found) => found,
        Err(error) => panic!("{error}"),
    }
}

/// The first line of the error that a text named `file` comes to.
fn error(text: &str) -> String {
    let error = read(text.as_bytes(), "file").unwrap_err().to_string();
    error.lines().next().unwrap().to_owned()
}

/// The error after one text of a sample was changed for another.
fn error_after(sample: &str, from: &str, to: &str) -> String {
    assert!(sample.contains(from), "the sample has {from}");
    error(&sample.replacen(from, to, 1))
}

/// Every link with its ports, in order.
fn links(fabric: &Fabric) -> Vec<String> {
    let forward = |id: weft_fabric::LinkId| ChannelId::new(2 * id.number());
    let links = fabric.link_ids().map(|id| {
        let rate = fabric.link(id).cable.rate;
        let rate = rate.map_or_else(String::new, |rate| format!(" {rate}"));
        format!("{}{rate}", fabric.describe_channel(forward(id)))
    });
    links.collect()
}

/// Line and text of every note.
fn notes(found: &ReadFabric) -> Vec<(Option<u32>, &str)> {
    let notes = found.notes.iter();
    notes.map(|note| (note.line, note.text.as_str())).collect()
}
