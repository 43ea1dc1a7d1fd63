//! Execution traces of Chakra, of one rank or of two alike.

#![no_main]

use libfuzzer_sys::fuzz_target;
use weft_fuzz::programs::run;
use weft_model::workload::program::{Algorithms, Computing, ExecutionTrace};

fuzz_target!(|bytes: &[u8]| {
    for ranks in [1, 2] {
        let mut trace = ExecutionTrace::new(Computing::default());
        let mut read = Ok(());
        for _ in 0..ranks {
            read = read.and_then(|()| trace.read(bytes, "file"));
        }
        match read.and_then(|()| trace.graph(&Algorithms::default())) {
            Err(error) => assert!(error.to_string().starts_with("file:")),
            Ok(graph) => run(graph),
        }
    }
});
