//! Schedules in GOAL's binary form.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weft_fuzz::programs::run;
use weft_model::workload::program::read_binary_goal;

fuzz_target!(|bytes: &[u8]| match read_binary_goal(bytes, "file") {
    Err(error) => assert!(error.to_string().starts_with("file:")),
    Ok(graph) => run(graph),
});
