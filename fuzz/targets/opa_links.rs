//! The links of Omni-Path.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use weft_fabric::formats::FormatName;

fuzz_target!(|bytes: &[u8]| -> Corpus { weft_fuzz::only(bytes, FormatName::OpaLinks) });
