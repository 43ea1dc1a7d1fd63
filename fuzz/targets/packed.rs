//! Files as commands open them: packed by gzip, xz or zstd, or not, whatever they hold.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use std::io::ErrorKind;
use weft_files::{MOST_GROWTH, MOST_UNPACKED_BYTES, unpack};

/// Longer content is only unpacked: the readers have targets of their own.
const MOST_READ: usize = 1 << 16;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    match unpack(bytes) {
        Ok(None) => Corpus::Reject,
        Ok(Some(content)) => {
            let most = MOST_UNPACKED_BYTES + MOST_GROWTH * bytes.len() as u64;
            assert!(content.len() as u64 <= most, "{} bytes", content.len());
            if content.len() <= MOST_READ {
                weft_fuzz::any(&content);
            }
            Corpus::Keep
        }
        Err(error) => {
            // What is wrong is told in words, not as the decoder says it.
            assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
            assert!(error.get_ref().is_some());
            Corpus::Keep
        }
    }
});
