//! Files cut short, changed or of another kind end in an error or a note, never in a panic or a
//! fabric that silently lacks a part.

use crate::reading::{assert_cuts_are_noticed, assert_read_or_placed, assert_truncated, error_of};
use proptest::prelude::*;
use weft_fabric::formats::{FormatName, read, write};
use weft_fabric::generate::{mesh, torus};
use weft_testing::{any_changes, changed};

const PLAIN: &str = include_str!("ibnetdiscover/three_switches.ibnetdiscover");

#[test]
fn an_ibnetdiscover_file_cut_anywhere_is_noticed() {
    let whole = read(PLAIN.as_bytes(), "file").unwrap().fabric;
    assert_cuts_are_noticed(PLAIN, |fabric| *fabric == whole);
}

#[test]
fn a_file_cut_within_a_line_is_called_truncated() {
    // Within the record of a switch, of an adapter, and within the lines before a record.
    for cut in [
        "[3]\t\"S-ec0d",
        "[1](ec0d9a0300000030) \t\"S-ec0d",
        "sysimgg",
    ] {
        let end = PLAIN.rfind(cut).unwrap() + cut.len();
        let error = assert_truncated(&PLAIN.as_bytes()[..end]);
        assert_eq!(error.line as usize, PLAIN[..end].lines().count(), "{error}");
    }
}

#[test]
fn a_json_file_cut_anywhere_is_truncated() {
    let text = write(&torus(3, 2, 1).unwrap(), FormatName::Json).unwrap();
    let mut open = 0;
    for length in 1..text.trim_end().len() {
        let cut = &text[..length];
        if cut.trim_end().ends_with([']', '}']) {
            // It may have been cut, or lack a bracket.
            let told = error_of(cut.as_bytes()).to_string();
            assert!(told.contains("still open, expected “"), "{told}");
            open += 1;
        } else {
            assert_truncated(cut.as_bytes());
        }
    }
    assert!(open > 20);
}

/// What ends as a file ends that was written in full does not look truncated: the bracket is named.
#[test]
fn json_that_lacks_a_bracket_is_told_which() {
    let link = r#"{"source_guid": "1", "destination_guid": "2", "name": "[{\"["}"#;
    for (text, told) in [
        (
            format!("{{\n\"links\": [\n{link}\n]\n"),
            "“{” of line 1 still open, expected “}” for it",
        ),
        (
            format!("[\n[\n{link}\n]\n"),
            "“[” of line 1 still open, expected “]” for it",
        ),
        (
            format!("[{link}\n"),
            "“[” of line 1 still open, expected “]” for it",
        ),
    ] {
        let error = error_of(text.as_bytes());
        let shown = error.to_string();
        assert!(shown.contains(told), "{shown}");
        assert!(!shown.contains("looks truncated"), "{shown}");
        assert_eq!(error.line as usize, text.lines().count());
    }
    let cut = format!("[{link}, {}", &link[..30]);
    assert_truncated(cut.as_bytes());
}

#[test]
fn files_of_other_kinds_are_named() {
    let cases: [(&[u8], &str); 14] = [
        (b"", "file:1:1: found an empty file, expected a fabric"),
        (
            b" \r\n\t\n",
            "file:1:1: found an empty file, expected a fabric",
        ),
        (
            b"\xef\xbb\xbf\n",
            "file:1:1: found an empty file, expected a fabric",
        ),
        (
            b"\x1f\x8b\x08\x00rest",
            "file:1:1: found a gzip-compressed file, expected the text of a fabric",
        ),
        (
            b"PK\x03\x04rest",
            "file:1:1: found a zip archive, expected the text of a fabric",
        ),
        (
            b"\xff\xfe#\0\n\0",
            "file:1:1: found text in UTF-16, expected the text of a fabric",
        ),
        (
            b"#\n\x7fELF\0\0",
            "file:2:5: found a byte of value zero, expected the text of a fabric",
        ),
        (
            b"\x89PNG\r\n\x1a\n",
            "file:2:1: found a control character, expected the text of a fabric",
        ),
        (
            b"caf\xe9 au lait",
            "file:1:4: found a byte that is not UTF-8, expected the text of a fabric",
        ),
        (
            b"{\"format\": \"\xff\"}",
            "file:1:13: found a byte that is not UTF-8, expected the text of a fabric",
        ),
        (
            b"once upon a time\n",
            "file:1:1: found a file that starts with “once upon a time”",
        ),
        (
            b"\n\n<html>\n",
            "file:3:1: found a file that starts with “<html>”",
        ),
        (
            b"Switch\t : 0x0002c90200000b00 ports 8 devid 0xcb20 vendid 0x2c9 \"sw\"\n",
            "file:1:1: found a list of nodes without links (ibnetdiscover -l, -S, -H or -R)",
        ),
        (
            b"#\n# Topology file: generated on\n",
            "file:2:30: found the end of the file before",
        ),
    ];
    for (bytes, start) in cases {
        let text = error_of(bytes).to_string();
        assert!(text.starts_with(start), "{text}");
        assert!(!text.lines().next().unwrap().ends_with(';'), "{text}");
    }
}

#[test]
fn long_lines_are_shown_around_the_place() {
    let text = format!("{{\"format\": \"{}\"}}", "x".repeat(10_000));
    let error = error_of(text.as_bytes());
    assert_eq!((error.line, error.column), (1, 12));
    assert!(error.excerpt.chars().count() < 130, "{error}");
    let text = format!(
        "{{\"format\": \"weft-fabric\", \"version\":1,{}\"oops\": 1}}",
        " ".repeat(500)
    );
    let error = read(text.as_bytes(), "file").unwrap_err();
    let line = error.to_string().lines().last().unwrap().to_owned();
    let column = line.chars().count() - 1;
    let shown = error.to_string().lines().nth(2).unwrap().to_owned();
    assert!(
        shown
            .chars()
            .skip(column.saturating_sub(8))
            .take(10)
            .any(|c| c == '"'),
        "{error}"
    );
}

#[test]
fn a_deeply_nested_file_is_an_error() {
    for opening in ["[", "{\"a\":", "{\"format\":["] {
        let text = format!("{{\"format\": {}", opening.repeat(100_000));
        assert!(read(text.as_bytes(), "file").is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes, "file");
    }

    #[test]
    fn no_pieces_of_the_format_make_a_reader_panic(
        pieces in proptest::collection::vec(
            prop_oneof![
                Just("Switch\t"), Just("Ca\t"), Just("Rt "), Just("8 "), Just("\"S-1\""),
                Just("\"S-2\""), Just("\"H-1\""), Just("\"H-2\""), Just("\"R-1\""), Just("\n"),
                Just("[1]"), Just("[2]"), Just("[254]"), Just("[255]"), Just("[0]"), Just("(b1)"),
                Just("[ext 3]"), Just(" # \"name\" lid 1 4xEDR"), Just("\""), Just("#"),
                Just(" # \"é\" 4x???"), Just("vendid=0x1\n"), Just("{"), Just("ü"), Just("\t"),
            ],
            0..60,
        )
    ) {
        let _ = read(pieces.concat().as_bytes(), "file");
    }

    #[test]
    fn changed_bytes_never_make_a_reader_panic(
        as_json in any::<bool>(),
        changes in any_changes(),
    ) {
        let json = write(&mesh(2, 2, 1).unwrap(), FormatName::Json).unwrap();
        let bytes = changed(if as_json { json.as_bytes() } else { PLAIN.as_bytes() }, &changes);
        assert_read_or_placed(&bytes);
    }

    /// Up to a dozen lines lost anywhere: the fabric is the same, or someone is told. Only of the
    /// cable that leads back to its own switch both lines can go together.
    #[test]
    fn lost_lines_are_noticed(
        first in any::<prop::sample::Index>(),
        count in 1_usize..12,
    ) {
        let lines: Vec<&str> = PLAIN.lines().collect();
        let lost = first.index(lines.len());
        let lost = lost..(lost + count).min(lines.len());
        let own_cable = lines.iter().position(|line| line.starts_with("[7]")).unwrap();
        prop_assume!(!(lost.contains(&own_cable) && lost.contains(&(own_cable + 1))));
        let kept = [&lines[..lost.start], &lines[lost.end..]].concat().join("\n") + "\n";
        if let Ok(found) = read(kept.as_bytes(), "file") {
            let whole = read(PLAIN.as_bytes(), "file").unwrap().fabric;
            prop_assert!(!found.notes.is_empty() || found.fabric == whole, "{:?}", lost);
        }
    }
}

/// A file that says the same again and again is refused in a moment, however long it is: work that grew
/// with the square of its length would go on for hours.
#[test]
fn long_files_of_one_word_take_no_longer_than_they_are() {
    for word in [
        "\"",
        "\"[",
        "{\"a\":",
        "\"S-0002\"",
        "\"S-0002\"[1]",
        "[1]\"",
        "(",
        "<a>",
        "[[",
        "- ",
        "a=",
        "0x",
    ] {
        for before in ["", "Switch\t36 \"S-1\"  # \"", "digraph x {", "\"a\",1,"] {
            let text = before.to_owned() + &word.repeat((2 << 20) / word.len());
            let error = read(text.as_bytes(), "long").unwrap_err().to_string();
            assert!(error.starts_with("long:") && error.len() < 2_000, "{error}");
        }
    }
}
