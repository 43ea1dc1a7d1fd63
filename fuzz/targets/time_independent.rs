//! SimGrid's time-independent traces.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weft_fuzz::programs::run;
use weft_model::workload::program::{
    Algorithms, Computing, Region, Tasks, TimeIndependentReader, TraceError,
};

fuzz_target!(|bytes: &[u8]| {
    let mut reader = TimeIndependentReader::new(Computing::default());
    let read = reader.read(bytes, "file").and_then(|()| reader.finish());
    match read.and_then(|trace| Tasks::of_trace(trace, &Region::default(), Algorithms::default())) {
        Err(TraceError::File { file, line, .. }) => {
            assert!(file == "file" && line > 0, "{file}:{line}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(tasks) => run(tasks),
    }
});
