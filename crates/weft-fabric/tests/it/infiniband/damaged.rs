//! Files cut short, changed or with lines lost end in an error or a note, never in a panic or a
//! fabric that silently lacks a cable.

use super::link_lists::TOPO;
use super::samples::{
    BLOCKS, DB_CSV, IBNETDISCOVER, LINES, NET_DUMP, PORTS_REPORT, SAMPLES, SUBNET_LIST, wiring,
};
use crate::reading::{assert_cuts_are_noticed, assert_read_or_placed, assert_truncated};
use proptest::prelude::*;
use weft_fabric::formats::{read, write};
use weft_testing::{any_changes, changed};

/// Written files, hosts last: their order is known, that of a tool's output is not.
fn written() -> Vec<String> {
    let plain = read(IBNETDISCOVER.as_bytes(), "file").unwrap().fabric;
    SAMPLES
        .iter()
        .take(3)
        .chain(SAMPLES.last())
        .map(|&(format, _)| write(&plain, format).unwrap())
        .collect()
}

#[test]
fn a_file_cut_anywhere_is_noticed() {
    for text in written() {
        let whole = wiring(&read(text.as_bytes(), "file").unwrap().fabric);
        assert_cuts_are_noticed(&text, |fabric| wiring(fabric) == whole);
    }
}

#[test]
fn a_file_cut_within_a_line_is_called_truncated() {
    for text in [PORTS_REPORT, LINES, BLOCKS, SUBNET_LIST] {
        let last = text.trim_end().rfind('\n').unwrap() + 1;
        for length in last + 20..text.trim_end().len() - 7 {
            let error = assert_truncated(&text.as_bytes()[..length]);
            let place = usize::try_from(error.line).unwrap();
            assert_eq!(place, text.lines().count(), "{error}");
        }
    }
}

#[test]
fn a_block_without_ports_at_the_end_is_called_truncated() {
    let end = BLOCKS.rfind("CA: host3 mlx5_0:\n").unwrap();
    let text = &BLOCKS[..end + "CA: host3 mlx5_0:\n".len()];
    assert_truncated(text.as_bytes());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_pieces_of_the_formats_make_a_reader_panic(
        pieces in proptest::collection::vec(
            prop_oneof![
                Just("SW "), Just("CA "), Just("RT "), Just("{ SW Ports:"), Just("} "), Just("{"),
                Just("NodeGUID:"), Just("PortGUID:1 "), Just(" LID:"), Just(" PN:0"), Just("PHY=4x "),
                Just("Switch: 0x"), Just("CA: "), Just("0x"), Just("a0 "), Just("1 "), Just("255 "),
                Just("1[  ] "), Just("==("), Just(" 4X 10.0 Gbps"), Just(" Down/ Polling"),
                Just(")==> "), Just("\"é\" "), Just("\""), Just("( '"), Just("' - '"), Just("' )"),
                Just("4x EDR"), Just(" - "), Just("\n"), Just(":\n"), Just("ü"), Just("-SM "),
            ],
            0..80,
        )
    ) {
        let _ = read(pieces.concat().as_bytes(), "file");
    }

    #[test]
    fn changed_bytes_never_make_a_reader_panic(
        sample in 0..SAMPLES.len(),
        changes in any_changes(),
    ) {
        let bytes = changed(SAMPLES[sample].1.as_bytes(), &changes);
        assert_read_or_placed(&bytes);
    }

    /// Up to a dozen lines lost anywhere: the cables are the same, or someone is told. Only of the
    /// cable that leads back to its own switch both lines can go together unnoticed.
    #[test]
    fn lost_lines_are_noticed(
        sample in 0..SAMPLES.len(),
        first in any::<prop::sample::Index>(),
        count in 1_usize..12,
    ) {
        let (format, text) = SAMPLES[sample];
        let whole = wiring(&read(text.as_bytes(), "file").unwrap().fabric);
        let lines: Vec<&str> = text.lines().collect();
        let lost = first.index(lines.len());
        let lost = lost..(lost + count).min(lines.len());
        let kept = [&lines[..lost.start], &lines[lost.end..]].concat().join("\n") + "\n";
        if let Ok(found) = read(kept.as_bytes(), "file") {
            let mut cables = wiring(&found.fabric);
            let is_told = !found.notes.is_empty();
            if !is_told && cables != whole {
                cables.push("sw1[7] – sw1[8] 4xEDR".to_owned());
                cables.sort();
            }
            prop_assert!(is_told || cables == whole, "{}: {:?}", format, lost);
        }
    }
}

/// A line of a cable that is cut is told by its number, also where the rest could be read as that of a port without one.
#[test]
fn a_line_cut_within_a_file_loses_no_cable_in_silence() {
    for text in [DB_CSV, NET_DUMP, TOPO] {
        let read_text = |text: &str| read(text.as_bytes(), "file");
        let whole = read_text(text).unwrap();
        let mut offset = 0;
        for line in text.lines() {
            let end = offset + line.len();
            for cut in (offset + 1..end)
                .step_by(3)
                .filter(|&cut| text.is_char_boundary(cut))
            {
                let content = line.trim_start().len();
                if cut < end - content + 2 {
                    continue;
                }
                match read_text(&format!("{}{}", &text[..cut], &text[end..])) {
                    Ok(found) => {
                        let is_told = found.notes.len() > whole.notes.len();
                        let is_same = found.fabric.link_count() >= whole.fabric.link_count();
                        assert!(is_told || is_same, "{}", &text[offset..cut]);
                    }
                    Err(error) => assert_ne!(error.to_string(), ""),
                }
            }
            offset = end + 1;
        }
    }
}
