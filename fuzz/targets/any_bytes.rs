//! Bytes of any kind; the format is found from the content.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| weft_fuzz::any(bytes));
