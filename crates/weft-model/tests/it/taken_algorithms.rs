//! Which algorithm a collective operation takes, and which so many ranks cannot do.

use std::fmt::Write;
use weft_model::workload::program::{
    Algorithms, Collective, Computing, Region, Tasks, TimeIndependentReader, Trace,
};

fn taken(operation: &str, ranks: u32, bytes: u64) -> String {
    let collective = Collective::even(operation, ranks, 0, bytes).unwrap();
    collective.algorithm(&Algorithms::default(), ranks)
}

#[test]
fn without_a_choice_length_and_ranks_decide() {
    for (operation, ranks, bytes, algorithm) in [
        ("barrier", 6, 0, "dissemination"),
        ("bcast", 8, 12_287, "binomial"),
        ("bcast", 8, 12_288, "scatter_allgather"),
        ("bcast", 7, 12_288, "binomial"),
        ("reduce", 8, 2_048, "binomial"),
        ("reduce", 8, 2_049, "reduce_scatter_gather"),
        ("reduce", 12, 2_049, "binomial"),
        ("allreduce", 12, 2_048, "recursive_doubling"),
        ("allreduce", 12, 2_049, "reduce_scatter_allgather"),
        // 16 × 32,768 bytes are 524,288; 10 × 8,192 are 81,920.
        ("allgather", 16, 32_767, "recursive_doubling"),
        ("allgather", 16, 32_768, "ring"),
        ("allgatherv", 10, 8_191, "bruck"),
        ("allgatherv", 10, 8_192, "ring"),
        ("alltoall", 8, 256, "bruck"),
        ("alltoall", 7, 256, "scattered"),
        ("alltoall", 8, 32_768, "scattered"),
        ("alltoall", 8, 32_769, "pairwise"),
        ("alltoallv", 8, 1 << 20, "scattered"),
        ("gather", 6, 8, "binomial"),
        ("scatterv", 6, 8, "linear"),
        ("reducescatter", 16, 32_767, "recursive_halving"),
        ("reducescatter", 16, 32_768, "pairwise"),
    ] {
        let case = format!("{operation} of {bytes} bytes, {ranks} ranks");
        assert_eq!(taken(operation, ranks, bytes), algorithm, "{case}");
    }
}

#[test]
fn an_algorithm_that_so_many_ranks_cannot_do_is_refused() {
    for (operation, algorithm, otherwise) in [
        ("reduce", "reduce_scatter_gather", "binomial"),
        (
            "allgather",
            "recursive_doubling",
            "bruck below 81920 bytes in all, else ring",
        ),
        (
            "allgatherv",
            "recursive_doubling",
            "bruck below 81920 bytes in all, else ring",
        ),
    ] {
        let mut algorithms = Algorithms::default();
        algorithms.choose(operation, algorithm).unwrap();
        let tasks = |ranks| {
            let collective = Collective::even(operation, ranks, 0, 5_000).unwrap();
            let trace = Trace::of_collectives(ranks, &[collective]);
            Tasks::of_trace(trace, &Region::default(), algorithms)
        };
        let problem = format!(
            "{operation} by {algorithm} needs a power of two of ranks, the program has 12; choose \
             another, or none, which takes {otherwise}"
        );
        assert_eq!(tasks(12).unwrap_err().to_string(), problem);
        let found = tasks(16).unwrap().collectives();
        assert_eq!(
            Vec::from_iter(found),
            [((operation, algorithm.to_owned()), 1)]
        );
    }
}

#[test]
fn what_a_trace_calls_is_counted_by_algorithm() {
    let mut text = String::new();
    for rank in 0..3 {
        for line in [
            "allreduce 8 0 6",
            "allreduce 9000 0 6",
            "exscan 8 0 6",
            "bcast 8 0 6",
        ] {
            writeln!(text, "{rank} {line}").unwrap();
        }
    }
    let found = |region: &str| {
        let mut reader = TimeIndependentReader::new(Computing::default());
        reader.read(text.as_bytes(), "run.ti").unwrap();
        let (trace, region) = (reader.finish().unwrap(), region.parse().unwrap());
        let tasks = Tasks::of_trace(trace, &region, Algorithms::default()).unwrap();
        Vec::from_iter(tasks.collectives())
    };
    let all = [
        (("allreduce", "recursive_doubling".to_owned()), 2),
        (("allreduce", "reduce_scatter_allgather".to_owned()), 1),
        (("bcast", "binomial".to_owned()), 1),
    ];
    assert_eq!(found(".."), all);
    let last = [(("allreduce", "recursive_doubling".to_owned()), 1)];
    assert_eq!(found("allreduce:2..bcast"), last);
}
