//! Files cut short, changed or with lines lost end in an error or a note, never in a panic or a
//! fabric that silently lacks a cable.

use super::samples::{BLOCKS, IBNETDISCOVER, LINES, PORTS_REPORT, SAMPLES, SUBNET_LIST, wiring};
use proptest::prelude::*;
use weft_fabric::formats::{FormatErrorKind, FormatName, read, write};
use weft_testing::{any_changes, changed};

/// Written files, hosts last: their order is known, that of a tool's output is not.
fn written() -> Vec<(FormatName, String)> {
    let plain = read(IBNETDISCOVER.as_bytes(), "file").unwrap().fabric;
    SAMPLES
        .iter()
        .take(3)
        .chain(SAMPLES.last())
        .map(|&(format, _)| (format, write(&plain, format).unwrap()))
        .collect()
}

#[test]
fn a_file_cut_anywhere_is_noticed() {
    for (format, text) in written() {
        let whole = wiring(&read(text.as_bytes(), "file").unwrap().fabric);
        let (mut errors, mut noted) = (0, 0);
        for length in 0..text.len() {
            match read(&text.as_bytes()[..length], "file") {
                Err(_) => errors += 1,
                Ok(read) if !read.notes.is_empty() => noted += 1,
                Ok(read) => assert_eq!(
                    wiring(&read.fabric),
                    whole,
                    "{format}: cut after {length} bytes, which nobody was told"
                ),
            }
        }
        assert!(
            errors > text.len() / 2,
            "{format}: {errors} cuts are errors"
        );
        assert!(noted > 0, "{format}: cuts among the adapters are told");
    }
}

#[test]
fn a_file_cut_within_a_line_is_called_truncated() {
    for (format, text) in [
        (FormatName::PortsReport, PORTS_REPORT),
        (FormatName::Iblinkinfo, LINES),
        (FormatName::Iblinkinfo, BLOCKS),
        (FormatName::SubnetList, SUBNET_LIST),
    ] {
        let last = text.trim_end().rfind('\n').unwrap() + 1;
        for length in last + 20..text.trim_end().len() - 7 {
            let error = read(&text.as_bytes()[..length], "file").unwrap_err();
            assert!(
                matches!(error.kind, FormatErrorKind::Truncated { .. }),
                "{format}: {error}"
            );
            let place = usize::try_from(error.line).unwrap();
            assert_eq!(place, text.lines().count(), "{format}: {error}");
        }
    }
}

#[test]
fn a_block_without_ports_at_the_end_is_called_truncated() {
    let end = BLOCKS.rfind("CA: host3 mlx5_0:\n").unwrap();
    let text = &BLOCKS[..end + "CA: host3 mlx5_0:\n".len()];
    let error = read(text.as_bytes(), "file").unwrap_err();
    assert!(
        matches!(error.kind, FormatErrorKind::Truncated { .. }),
        "{error}"
    );
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
        if let Err(error) = read(&bytes, "file") {
            let place = format!("file:{}:{}: ", error.line, error.column);
            prop_assert!(error.to_string().starts_with(&place));
            prop_assert!(error.line as usize <= bytes.split(|&b| b == b'\n').count());
        }
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
