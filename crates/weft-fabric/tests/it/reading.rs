//! Short ways to read files, and what holds for every file.

use std::collections::BTreeMap;
use weft_fabric::formats::{FormatError, FormatErrorKind, ReadFabric, read};
use weft_fabric::generate::{TOPOLOGIES, Topology, generate};
use weft_fabric::{ChannelId, Fabric};

/// Reads a file named `file`.
pub(crate) fn found(text: &str) -> ReadFabric {
    read(text.as_bytes(), "file").unwrap_or_else(|error| panic!("{error}"))
}

/// The error of a file named `file`.
pub(crate) fn error_of(bytes: &[u8]) -> FormatError {
    read(bytes, "file").unwrap_err()
}

/// All notes, each with its line.
pub(crate) fn notes(read: &ReadFabric) -> Vec<String> {
    let notes = read.notes.iter();
    notes
        .map(|note| format!("{}: {}: {}", note.line.unwrap_or(0), note.text, note.reason))
        .collect()
}

/// Every link with its ports and its rate, in order; `between` stands between its ends.
pub(crate) fn links(fabric: &Fabric, between: &str) -> Vec<String> {
    let link = |id: weft_fabric::LinkId| {
        let rate = fabric.link(id).cable.rate;
        let rate = rate.map_or_else(String::new, |rate| format!(" {rate}"));
        let ends = fabric.describe_channel(ChannelId::new(2 * id.number()));
        ends.replace(" → ", between) + &rate
    };
    fabric.link_ids().map(link).collect()
}

/// The values that the parameters of a topology have in examples.
pub(crate) fn examples(topology: &Topology) -> BTreeMap<String, String> {
    let specs = topology.parameters.iter();
    specs
        .map(|spec| (spec.name.to_owned(), spec.example.to_owned()))
        .collect()
}

/// The example of every topology there is.
pub(crate) fn example_of_each_topology() -> impl Iterator<Item = Fabric> {
    TOPOLOGIES
        .iter()
        .map(|topology| generate(topology.name, &examples(topology)).unwrap())
}

/// Reads damaged bytes: what is refused is refused with its place.
pub(crate) fn assert_read_or_placed(bytes: &[u8]) {
    if let Err(error) = read(bytes, "file") {
        let text = error.to_string();
        let place = format!("file:{}:{}: ", error.line, error.column);
        assert!(text.starts_with(&place), "{text}");
        assert!(error.line as usize <= bytes.split(|&b| b == b'\n').count());
    }
}

/// Reads bytes that end too early, which is what the error must say.
pub(crate) fn assert_truncated(bytes: &[u8]) -> FormatError {
    let error = error_of(bytes);
    let is_told = matches!(error.kind, FormatErrorKind::Truncated { .. });
    assert!(is_told, "{} bytes: {error}", bytes.len());
    error
}

/// Cuts a file at every place: someone is told, or the fabric is whole.
pub(crate) fn assert_cuts_are_noticed(text: &str, is_whole: impl Fn(&Fabric) -> bool) {
    let (mut errors, mut noted) = (0, 0);
    for length in 0..text.len() {
        match read(&text.as_bytes()[..length], "file") {
            Err(_) => errors += 1,
            Ok(read) if !read.notes.is_empty() => noted += 1,
            Ok(read) => assert!(
                is_whole(&read.fabric),
                "cut after {length} bytes, which nobody was told"
            ),
        }
    }
    assert!(errors > text.len() / 2, "{errors} cuts are errors");
    assert!(noted > 0, "cuts among the adapters are told");
}
