//! Files cut short or changed end in an error, a note or the same fabric.

use crate::reading::{assert_read_or_placed, found};
use proptest::prelude::*;
use weft_fabric::Fabric;
use weft_fabric::formats::{FormatName, read, write};
use weft_fabric::generate::{mesh, torus};
use weft_testing::{any_changes, changed};

const FORMATS: [FormatName; 4] = [
    FormatName::NodeLink,
    FormatName::GraphMl,
    FormatName::Anynet,
    FormatName::Caminos,
];

fn sample(format: FormatName) -> (Fabric, String) {
    let fabric = mesh(3, 2, 2).unwrap();
    let text = write(&fabric, format).unwrap();
    (found(&text).fabric, text)
}

#[test]
fn a_file_cut_anywhere_is_an_error_or_noted() {
    for format in FORMATS {
        let (whole, text) = sample(format);
        for length in 0..text.trim_end().len() {
            // CAMINOS files come with a note in any case, so that it tells nothing of a cut.
            if let Ok(found) = read(&text.as_bytes()[..length], "any") {
                assert!(
                    found.fabric == whole
                        || format == FormatName::Anynet && !found.notes.is_empty(),
                    "{format} cut after {length} bytes, which nobody was told"
                );
            }
        }
    }
}

#[test]
fn lost_lines_are_errors_or_noted() {
    for format in FORMATS {
        let (whole, text) = sample(format);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for first in 0..lines.len() {
            for count in 1..=3.min(lines.len() - first) {
                let kept = [&lines[..first], &lines[first + count..]].concat().concat();
                let Ok(found) = read(kept.as_bytes(), "any") else {
                    continue;
                };
                // A graph may have any nodes and edges; what it lost is not to be seen.
                let is_graph = matches!(format, FormatName::NodeLink | FormatName::GraphMl);
                let is_told = format == FormatName::Anynet && !found.notes.is_empty();
                assert!(
                    found.fabric == whole || is_told || is_graph,
                    "{format} without lines {first} to {}",
                    first + count
                );
            }
        }
    }
}

fn any_format() -> impl Strategy<Value = FormatName> {
    proptest::sample::select(FORMATS.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_never_make_a_reader_panic(
        format in any_format(),
        changes in any_changes(),
    ) {
        let text = write(&torus(3, 3, 1).unwrap(), format).unwrap();
        let bytes = changed(text.as_bytes(), &changes);
        assert_read_or_placed(&bytes);
    }

    #[test]
    fn no_pieces_of_the_formats_make_a_reader_panic(
        start in proptest::sample::select(vec![
            "router 0 ", "node 1 ", "NODOS 3\nGRADO 2\n", "<graphml><graph>", "{\"nodes\": [",
        ]),
        pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "router ", "node ", "0 ", "1 ", "2 ", "4294967296 ", "\n", "N 0\n", "N 1\n", "N ",
                "<node id='a'/>", "<node id='b'>", "</node>", "<edge source='a' target='b'/>",
                "<data key='k'>", "</data>", "</graph>", "</graphml>", "&lt;", "&#0;", "]]>",
                "{\"id\": \"a\"}", "{\"id\": [1, \"a\"]}", "], \"edges\": [", "], \"links\": [", ",",
                "{\"source\": \"a\", \"target\": \"a\"}", "]}", "\"from\": \"a\", ", "null", "é",
            ]),
            0..40,
        ),
    ) {
        let _ = read((start.to_owned() + &pieces.concat()).as_bytes(), "file");
    }
}
