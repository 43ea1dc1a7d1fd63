//! What packed bytes, pipes and devices give, and what is refused of them.

#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

use flate2::Compression;
use flate2::write::GzEncoder;
use liblzma::write::XzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{self, Read, Write};
use std::path::Path;
use weft_files::{MOST_BYTES_WITHOUT_END, MOST_UNPACKED_BYTES, open, unpack};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut packer = XzEncoder::new(Vec::new(), 6);
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

type Packer = fn(&[u8]) -> Vec<u8>;

const PACKERS: [(&str, &str, Packer); 3] = [
    ("gzip", "gunzip", gzip),
    ("xz", "unxz", xz),
    ("zstd", "unzstd", zstd),
];

/// Bytes that pack a little.
fn text(lines: u32) -> Vec<u8> {
    (0..lines)
        .flat_map(|line| format!("{line} compute {}\n", line * 7 % 1000).into_bytes())
        .collect()
}

fn problem(result: io::Result<Option<Vec<u8>>>) -> String {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    error.to_string()
}

#[test]
fn what_was_packed_comes_back() {
    for (name, _, pack) in PACKERS {
        for lines in [0, 1, 3, 50_000] {
            let bytes = text(lines);
            assert_eq!(unpack(&pack(&bytes)).unwrap(), Some(bytes), "{name}");
        }
    }
    for plain in [
        &b""[..],
        b"\x1f",
        b"\x1f\x8b\x07",
        b"Switch 36",
        b"\xfd7zXY",
    ] {
        assert_eq!(unpack(plain).unwrap(), None);
    }
}

#[test]
fn members_that_follow_one_another_are_all_unpacked() {
    let (first, second) = (text(1000), text(30));
    let both = [first.as_slice(), &second].concat();
    for (name, _, pack) in PACKERS {
        let packed = [pack(&first), pack(&second)].concat();
        assert_eq!(unpack(&packed).unwrap(), Some(both.clone()), "{name}");
    }
}

#[test]
fn frames_to_be_skipped_are_skipped() {
    let skipped = b"\x50\x2a\x4d\x18\x05\x00\x00\x00hello";
    let packed = [&zstd(b"one"), &skipped[..], &zstd(b"two"), skipped].concat();
    assert_eq!(unpack(&packed).unwrap(), Some(b"onetwo".to_vec()));
    let cut = &packed[..packed.len() - 1];
    assert_eq!(
        problem(unpack(cut)),
        "what zstd packed is cut short, copy it again in full"
    );
}

#[test]
fn what_is_cut_short_is_told_as_such_wherever_it_is_cut() {
    for (name, _, pack) in PACKERS {
        let packed = pack(&text(2000));
        for length in (6..packed.len()).step_by(97).chain([packed.len() - 1]) {
            let told = format!("what {name} packed is cut short, copy it again in full");
            assert_eq!(problem(unpack(&packed[..length])), told, "{length}");
        }
    }
}

#[test]
fn no_changed_byte_gives_other_bytes() {
    for (name, _, pack) in PACKERS {
        let bytes = text(300);
        let packed = pack(&bytes);
        for place in 6..packed.len() {
            let mut changed = packed.clone();
            changed[place] ^= 0x10;
            match unpack(&changed) {
                // What no checksum covers: the time in gzip's header, a flag of its program.
                Ok(found) => assert_eq!(found.as_ref(), Some(&bytes), "{name} {place}"),
                Err(error) => {
                    let told = error.to_string();
                    assert!(told.contains(name), "{told}");
                }
            }
        }
    }
}

#[test]
fn what_is_packed_again_is_refused() {
    for (outer, command, pack) in PACKERS {
        for (inner, _, pack_first) in PACKERS {
            let told = format!(
                "what {outer} packed is packed again, by {inner}; unpack it first ({command})"
            );
            assert_eq!(problem(unpack(&pack(&pack_first(b"text")))), told);
        }
    }
}

#[test]
fn what_grows_beyond_all_measure_is_refused() {
    let zeros = vec![0; 40 << 20];
    for (name, command, pack) in PACKERS {
        let packed = pack(&zeros);
        assert!(packed.len() < 320 << 10);
        let told = problem(unpack(&packed));
        let begin = format!("what {name} packed grows to more than 32 MiB, 100 times its length;");
        assert!(told.starts_with(&begin), "{told}");
        assert!(
            told.ends_with(&format!("unpack it first ({command})")),
            "{told}"
        );
    }
}

#[test]
fn what_is_as_long_as_a_file_of_its_length_may_be_is_taken() {
    let zeros = vec![0; usize::try_from(MOST_UNPACKED_BYTES).unwrap()];
    for (name, _, pack) in PACKERS {
        let found = unpack(&pack(&zeros)).unwrap().unwrap();
        assert!(found == zeros, "{name}");
    }
}

#[test]
fn a_device_without_end_ends_with_a_limit() {
    let mut bytes = Vec::new();
    let mut input = open(Path::new("/dev/zero")).unwrap();
    let error = input.read_to_end(&mut bytes).unwrap_err();
    assert!(bytes.len() as u64 <= MOST_BYTES_WITHOUT_END);
    assert_eq!(
        error.to_string(),
        "no file on disk, and no end within 256 MiB; what is as long must be a file on disk"
    );
}
