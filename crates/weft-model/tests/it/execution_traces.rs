//! Chakra's execution traces: nodes, groups and waits, as the schema has them, and what is refused.

use crate::network::{LATENCY, run};
use std::collections::BTreeMap;
use weft_fabric::HostId;
use weft_model::workload::program::{
    Algorithms, Computing, Execution, ExecutionTrace, Messaging, MessagingParameters, Program,
    Tasks, TraceError, TraceFile, open_trace,
};

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push((value & 0x7f) as u8);
    bytes
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [&varint(field << 3 | 2), &varint(value.len() as u64), value].concat()
}

/// A number or text as an attribute, in the field of the schema's type.
fn attribute(name: &str, value: &[u8]) -> Vec<u8> {
    bytes(10, &[&bytes(1, name.as_bytes()), value].concat())
}

fn int64(name: &str, value: u64) -> Vec<u8> {
    attribute(name, &number(9, value))
}

fn node(id: u64, kind: u64, waits_for: &[u64], more: &[Vec<u8>]) -> Vec<u8> {
    let packed: Vec<u8> = waits_for.iter().flat_map(|&id| varint(id)).collect();
    let head = [number(1, id), number(3, kind), bytes(5, &packed)];
    [head.concat(), more.concat()].concat()
}

fn compute(id: u64, micros: u64, waits_for: &[u64]) -> Vec<u8> {
    node(id, 4, waits_for, &[number(7, micros)])
}

fn all_reduce(id: u64, size: u64, more: &[Vec<u8>]) -> Vec<u8> {
    let attributes = [int64("comm_type", 0), int64("comm_size", size)];
    node(id, 7, &[], &[attributes.concat(), more.concat()])
}

fn file(nodes: &[Vec<u8>]) -> Vec<u8> {
    let metadata = bytes(1, b"0.0.4");
    let records = std::iter::once(&metadata).chain(nodes);
    let framed = records.map(|record| [varint(record.len() as u64), record.clone()].concat());
    framed.collect::<Vec<_>>().concat()
}

fn read(ranks: &[Vec<Vec<u8>>]) -> Result<ExecutionTrace, TraceError> {
    let mut trace = ExecutionTrace::new(Computing::default());
    for (rank, nodes) in ranks.iter().enumerate() {
        trace.read(file(nodes).as_slice(), &format!("run.{rank}.et"))?;
    }
    Ok(trace)
}

fn replay(ranks: &[Vec<Vec<u8>>]) -> (Execution, Program) {
    let graph = read(ranks).unwrap().graph(&Algorithms::default()).unwrap();
    let hosts: Vec<HostId> = (0..ranks.len()).map(HostId::from_index).collect();
    let messaging = Messaging::new(&MessagingParameters::default(), 1.0).unwrap();
    let program = Program::new(graph, messaging, &hosts, hosts.len()).unwrap();
    (run(&program).0, program)
}

fn refusal(ranks: &[Vec<Vec<u8>>]) -> String {
    let graph = read(ranks).and_then(|trace| trace.graph(&Algorithms::default()));
    graph.unwrap_err().to_string()
}

#[test]
fn nodes_compute_for_their_time_after_those_they_wait_for() {
    // What is of the processor goes beside other computing; 2 before 1 in the file.
    let of_cpu = attribute("is_cpu_op", &number(27, 1));
    let nodes = vec![
        compute(2, 3, &[1]),
        compute(1, 2, &[]),
        node(3, 4, &[], &[number(7, 4), of_cpu]),
        node(4, 4, &[2], &[int64("num_ops", 700)]),
        node(5, 1, &[4], &[bytes(2, b"a name")]),
    ];
    let (execution, _) = replay(std::slice::from_ref(&nodes));
    assert_eq!(execution.finish_cycle(0), Some(5_700));
    assert_eq!(execution.account(0, 10_000).computing_cycles, 5_700);
    let counts = read(&[nodes]).unwrap().node_counts();
    assert_eq!(counts, BTreeMap::from([("compute", 4), ("metadata", 1)]));
}

#[test]
fn messages_go_from_rank_to_rank_beside_computing() {
    let message = |end: &str, rank| {
        [
            int64(end, rank),
            int64("comm_tag", 5),
            int64("comm_size", 64),
        ]
        .concat()
    };
    let sender = vec![
        compute(1, 1, &[]),
        node(2, 5, &[1], &[message("comm_dst", 1)]),
        compute(3, 9, &[1]),
    ];
    let receiver = vec![
        node(7, 6, &[], &[message("comm_src", 0)]),
        compute(8, 2, &[7]),
    ];
    let (execution, _) = replay(&[sender, receiver]);
    assert_eq!(execution.finish_cycle(0), Some(10_000));
    assert_eq!(execution.finish_cycle(1), Some(1_000 + LATENCY + 1 + 2_000));
    assert_eq!(execution.message_counts(), (1, 1));
}

#[test]
fn collective_operations_are_those_of_their_groups() {
    // Ranks 0 and 2 have a group of their own, by its ranks, 1 and 3 one that is told by name.
    let ranks: Vec<u8> = [0, 2].into_iter().flat_map(varint).collect();
    let listed = attribute("ranks", &bytes(10, &bytes(1, &ranks)));
    let named = attribute("pg_name", &bytes(29, b"7"));
    let json = br#"[["[{\"pg_name\": \"7\", \"backend\": \"nccl\", \"ranks\": [1, 3]}]"]]"#;
    let told = [
        bytes(2, b"## process_group:init ##"),
        bytes(8, &bytes(1, json)),
    ];
    let first = || {
        vec![
            all_reduce(1, 1000, std::slice::from_ref(&listed)),
            all_reduce(2, 8, &[]),
        ]
    };
    let second = || {
        let told = node(9, 1, &[], &told);
        vec![
            told,
            all_reduce(1, 500, std::slice::from_ref(&named)),
            all_reduce(2, 8, &[]),
        ]
    };
    let ranks = [first(), second(), first(), second()];
    let (execution, program) = replay(&ranks);
    assert!(execution.is_finished());
    assert_eq!(execution.unmatched(), []);
    let taken = program.collectives();
    assert_eq!(
        taken,
        BTreeMap::from([(("allreduce", "recursive_doubling".to_owned()), 3)])
    );
    // Two messages in each group, and two by each rank among all.
    assert_eq!(execution.message_counts(), (2 + 2 + 8, 2 + 2 + 8));

    // All to all has a share for each, a reduce-scatter leaves one.
    for (kind, size, expected) in [
        (6, 4000, 12 * 1000),
        (7, 4000, 12 * 1000),
        (2, 1000, 12 * 1000),
        (9, 0, 0),
    ] {
        let attributes = [int64("comm_type", kind), int64("comm_size", size)].concat();
        let ranks = vec![vec![node(1, 7, &[], &[attributes])]; 4];
        let graph = read(&ranks).unwrap().graph(&Algorithms::default()).unwrap();
        let bytes: u64 = Tasks::from(graph).messages().map(|(.., bytes)| bytes).sum();
        assert_eq!(bytes, expected, "operation {kind}");
    }
}

#[test]
fn broken_traces_are_refused_with_their_record() {
    let whole = file(&[compute(1, 2, &[]), compute(2, 3, &[1])]);
    for length in 1..whole.len() {
        let mut trace = ExecutionTrace::new(Computing::default());
        let read = trace.read(&whole[..length], "run.0.et");
        let told = read.map_err(|error| error.to_string());
        let is_whole = [8, 8 + 9].contains(&length);
        assert_eq!(told.is_ok(), is_whole, "{length}: {told:?}");
        if let Err(told) = told {
            assert!(
                told.starts_with("run.0.et:") && told.ends_with("the trace is cut short"),
                "{told}"
            );
        }
    }
    let send = |more: &[Vec<u8>]| vec![node(1, 5, &[], more)];
    let reduce = |size| vec![all_reduce(1, size, &[])];
    for (ranks, expected) in [
        (
            vec![vec![compute(1, 2, &[4])]],
            "run.0.et:1: it waits for node 4, which is not there; expected one of the file's",
        ),
        (
            vec![vec![compute(1, 2, &[]), compute(1, 2, &[])]],
            "run.0.et:2: found node 1 a second time, expected each once",
        ),
        (
            vec![vec![compute(1, 2, &[2]), compute(2, 2, &[1])]],
            "run.0.et:1: node 1 waits, through others, for itself; expected none that does: one of its ctrl_deps and data_deps, or of theirs, is too many",
        ),
        (
            vec![vec![node(1, 11, &[], &[])]],
            "run.0.et:1: found node type 11, expected 0 to 10",
        ),
        (
            vec![vec![vec![0xff]]],
            "run.0.et:1: found bytes that are no node of a Chakra execution trace",
        ),
        (
            vec![send(&[])],
            "run.0.et:1: it has no attribute comm_dst; expected one",
        ),
        (
            vec![send(&[int64("comm_dst", 3), int64("comm_size", 8)])],
            "run.0.et:1: rank 3 does not exist; the program has ranks 0 to 0",
        ),
        (
            vec![send(&[
                int64("comm_dst", 0),
                int64("comm_size", 8),
                int64("comm_tag", 1 << 30),
            ])],
            "run.0.et:1: found comm_tag of 1073741824, expected 0 to less than 1073741824",
        ),
        (
            vec![send(&[
                int64("comm_dst", 0),
                int64("comm_size", 8),
                attribute("comm_tag", &number(17, 1)),
            ])],
            "run.0.et:1: found comm_tag of -1, expected 0 to less than 1073741824",
        ),
        (
            vec![send(&[
                int64("comm_dst", 0),
                int64("comm_size", u64::MAX - 4),
            ])],
            "run.0.et:1: found comm_size of -5, expected a number of bytes, 0 or more",
        ),
        (
            vec![send(&[
                int64("comm_dst", 0),
                attribute(
                    "comm_size",
                    &[vec![5 << 3 | 1], 8.0_f64.to_le_bytes().to_vec()].concat(),
                ),
            ])],
            "run.0.et:1: its attribute comm_size has no whole number; expected a number of bytes, 0 or more",
        ),
        (
            vec![vec![
                compute(1, 2, &[2]),
                compute(2, 2, &[4]),
                compute(3, 2, &[]),
                compute(4, 2, &[2]),
            ]],
            "run.0.et:2: node 2 waits, through others, for itself; expected none that does: one of its ctrl_deps and data_deps, or of theirs, is too many",
        ),
        (
            vec![reduce(8), reduce(9)],
            "run.1.et:1: allreduce of 9 bytes; rank 0 of its group has allreduce of 8 bytes (run.0.et:1); expected the same of all its ranks, in the same order",
        ),
        (
            vec![reduce(8), vec![]],
            "run.0.et:1: allreduce of 8 bytes of 1 of the 2 ranks of its group; expected all to take part",
        ),
        (
            vec![vec![all_reduce(
                1,
                8,
                &[attribute("pg_name", &bytes(29, b"3"))],
            )]],
            "run.0.et:1: its group “3” is told nowhere; expected it in a node process_group:init, or an attribute ranks",
        ),
        (
            vec![vec![all_reduce(
                1,
                8,
                &[attribute("ranks", &bytes(10, &bytes(1, &[0, 4])))],
            )]],
            "run.0.et:1: its group has rank 4, the trace has ranks 0 to 0; expected the files of all ranks in one folder, or a group of these",
        ),
        (
            vec![vec![all_reduce(
                1,
                8,
                &[attribute("ranks", &bytes(10, &bytes(1, &[0, 0])))],
            )]],
            "run.0.et:1: its group has ranks [0, 0]; expected each once, and rank 0",
        ),
        (
            vec![vec![node(
                1,
                7,
                &[],
                &[int64("comm_type", 12), int64("comm_size", 8)],
            )]],
            "run.0.et:1: found comm_type 12, expected 0 to 9",
        ),
    ] {
        assert_eq!(refusal(&ranks), expected);
    }
}

/// The converter from `PyTorch` tells no version, and older ones have groups in nodes that compute.
#[test]
fn traces_of_the_converter_from_pytorch_are_read() {
    let text = |name: &str, text: &[u8]| {
        let told = [bytes(1, name.as_bytes()), bytes(29, text)];
        bytes(2, &told.concat())
    };
    let time = bytes(2, &[bytes(1, b"start_ts"), number(13, 1 << 40)].concat());
    let metadata = [
        text("schema", b"1.1.1-chakra.0.0.4"),
        text("time", &[b'0'; 100]),
        time,
    ]
    .concat();
    let groups = br#"['[{"pg_name": "0", "pg_desc": "default_pg", "ranks": []}]']"#;
    let told = [
        bytes(2, b"## process_group:init ##"),
        bytes(8, &bytes(1, groups)),
    ];
    let of_group = attribute("pg_name", &bytes(29, b"0"));
    let nodes = [
        metadata.clone(),
        node(1, 4, &[], &[number(7, 3), told.concat()]),
        // It was called by 7, which no data come from, and by 1.
        all_reduce(2, 8, &[of_group, number(4, 7), number(4, 1)]),
    ];
    let framed = nodes.map(|record| [varint(record.len() as u64), record].concat());
    let folder = std::env::temp_dir().join(format!("weft-pytorch-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for rank in 0..2 {
        std::fs::write(folder.join(format!("step.{rank}.et")), framed.concat()).unwrap();
    }
    let read = open_trace(&folder.join("step.0.et"), Computing::default()).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let TraceFile::Execution(trace) = read else {
        panic!("{read:?}");
    };
    assert_eq!(trace.rank_count(), 2);
    let graph = trace.graph(&Algorithms::default()).unwrap();
    let hosts: Vec<HostId> = (0..2).map(HostId::from_index).collect();
    let messaging = Messaging::new(&MessagingParameters::default(), 1.0).unwrap();
    let (execution, _) = run(&Program::new(graph, messaging, &hosts, 2).unwrap());
    assert_eq!(execution.message_counts(), (2, 2));
    assert_eq!(execution.finish_cycle(0), Some(3_000 + LATENCY + 1));
    assert_eq!(trace.node_counts()["compute"], 2);
}
