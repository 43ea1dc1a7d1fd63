//! Mistakes planted in traces: what was cut out, joined, doubled or named otherwise is refused with its place, not passed
//! over.

use weft_model::workload::program::{
    Algorithms, Computing, TimeIndependentReader, TraceFile, open_trace, read_goal,
};
use weft_testing::table;

fn of_goal(text: &str) -> String {
    read_goal(text.as_bytes(), "run.goal")
        .unwrap_err()
        .to_string()
}

fn of_lines(text: &str) -> String {
    let mut reader = TimeIndependentReader::new(Computing::default());
    let read = reader.read(text.as_bytes(), "run.ti");
    read.unwrap_err().to_string()
}

#[test]
fn schedules() {
    for [text, problem] in table(
        r"
        num_ranks 3\nrank 0 {\n}\nrank 2 {\n}\n
            run.goal:5: the schedule ends without rank 1; expected all of ranks 0 to 2, those that do nothing as rank 1 { }
        num_ranks 2\n
            run.goal:1: the schedule ends without rank 0; expected all of ranks 0 to 1, those that do nothing as rank 0 { }
        num_ranks 2\nrank 0 {\n/* of rank 0\n}\nrank 1 {\n}\n
            run.goal:3: a comment begins here with /* and does not end; expected */
        num_ranks 1\nrank 0 {\n}\n/* a */ /* b\n
            run.goal:4: a comment begins here with /* and does not end; expected */
        num_ranks 1\nrank 0 {\na: send 8b to 0 tag 1 tag 2\n}\n
            run.goal:3: found “send 8b to 0 tag 1 tag 2”, expected tag with a number (-1 in a recv: any), cpu and nic with 0
            to 255, each once
        num_ranks 1\nrank 0 {\na: calc 5 cpu 1 cpu 1\n}\n
            run.goal:3: found “calc 5 cpu 1 cpu 1”, expected tag with a number (-1 in a recv: any), cpu and nic with 0 to
            255, each once
        num_ranks 1\nrank 0 {\na: calc 5 tag 1\n}\n
            run.goal:3: found “calc 5 tag 1”, expected tag with a number (-1 in a recv: any), cpu and nic with 0 to 255, each
            once
        num_ranks 1\nrank 0 {\na b: calc 5\n}\n
            run.goal:3: found “a b: calc 5”, expected a label of one word
        num_ranks 1\nrank 0 {\na: calc 5\nrank 1 {\n}\n
            run.goal:4: found “rank 1 {”, expected LABEL: send, recv or calc, LABEL requires LABEL, LABEL irequires LABEL, or }
        num_ranks 1\nrank 0 {\n}\n}\n
            run.goal:4: found “}”, expected rank with its number and {
        num_ranks 1\nrank 0 {\na: calc 5 b: calc 6\n}\n
            run.goal:3: found “calc 5 b: calc 6”, expected tag with a number (-1 in a recv: any), cpu and nic with 0 to 255,
            each once
        num_ranks 1\nrank 0 {\na: calc -5\n}\n
            run.goal:3: found “calc -5”, expected calc with a whole number of ns
        num_ranks 1\nrank 0 {\na: send 8b from 0\n}\n
            run.goal:3: found “send 8b from 0”, expected send SIZEb to RANK, recv SIZEb from RANK, or calc NS
        num_ranks 1\nrank 0 {\na: recv 8b from -2\n}\n
            run.goal:3: found “recv 8b from -2”, expected the number of a rank
        num_ranks 1\nrank 0 {\na: calc 5\na requires a\n}\n
            run.goal:3: a task of rank 0 waits, through others, for itself; expected none that does: one of these waits is
            too many
        num_ranks 1\nrank 0 {\na: calc 5\na requires\n}\n
            run.goal:4: found “a requires”, expected LABEL requires LABEL or LABEL irequires LABEL
        num_ranks 1\nrank 0 {\na: calc 5\na: calc 6\n}\n
            run.goal:4: found “a: calc 6”, expected each label once
        num_ranks 1\nnum_ranks 1\nrank 0 {\n}\n
            run.goal:2: found “num_ranks 1”, expected rank with its number and {
        num_ranks 1\nrank 0 {\n}\nrank 0 {\n}\n
            run.goal:4: found “rank 0 {”, expected each rank once
    ",
    ) {
        assert_eq!(of_goal(&text), problem);
    }
    // What is complete is read, be there a mark of the byte order in front.
    read_goal(
        "\u{feff}num_ranks 1\n/* all */ rank 0 {\n}\n".as_bytes(),
        "run.goal",
    )
    .unwrap();
}

#[test]
fn lines() {
    for [text, problem] in table(
        r"
        0 compute 5 0 send 1 0 8 6\n
            run.ti:1: found “0” behind the last that compute has; expected at most 1 after it, and each action on a line of
            its own
        0 barrier1 compute 5\n
            run.ti:1: found action “barrier1”, which cannot be replayed; expected one of init, finalize, compute, sleep, send,
            isend, recv, irecv, sendRecv, wait, waitall, barrier, bcast, reduce, allreduce, scan, exscan, alltoall, alltoallv,
            allgather, allgatherv, gather, gatherv, scatter, scatterv, reducescatter, and these with an i in front, which are
            waited for later; did you mean “barrier”?
        0 barrier 1 compute 5\n
            run.ti:1: found “1” behind the last that barrier has; expected at most 0 after it, and each action on a line of its
            own
        0 init\n0 send 1 0 8 6 1 recv 0 0 8 6\n
            run.ti:2: found “1” behind the last that send has; expected at most 4 after it, and each action on a line of its own
        0 ibcast 8 0 6 0\n
            run.ti:1: found “0” behind the last that ibcast has; expected at most 3 after it, and each action on a line of its
            own
        0 wait 0 1 7 0\n
            run.ti:1: found “0” behind the last that wait has; expected at most 3 after it, and each action on a line of its own
        0 finalize 0 init\n
            run.ti:1: found “0” behind the last that finalize has; expected at most 0 after it, and each action on a line of
            its own
        0 send 1 0 8 6.5\n
            run.ti:1: found “6.5” for the datatype of send; expected a whole number
        0 send 1 0 8 56\n
            run.ti:1: send counts datatype 56, whose size the trace does not tell; expected 0 to 55
        0 send 1 -1 8 6\n
            run.ti:1: found -1 for the tag of send; expected 0 to 2147483647
        0 compute -1\n
            run.ti:1: found “-1” for the flops of compute; expected 0 or more
        0 compute nan\n
            run.ti:1: found “nan” for the flops of compute; expected 0 or more
        0 sleep 1e9\n
            run.ti:1: found “1e9” for the seconds of sleep; expected no more than take 1e13 ns, or a faster host traced (flops
            per second)
        -1 compute 5\n
            run.ti:1: found “-1”, expected the number of a rank
        0 bcast 8 -1 6\n
            run.ti:1: found -1 for the root of bcast; expected a rank
    ",
    ) {
        assert_eq!(of_lines(&text), problem);
    }
}

/// A file name and what it holds.
type File<'a> = (&'a str, Vec<u8>);

/// What is said of the first of some files, by whose names the others are.
fn of_files(name: &str, files: &[File<'_>]) -> String {
    let folder = std::env::temp_dir().join(format!("weft-planted-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, content) in files {
        std::fs::write(folder.join(name), content).unwrap();
    }
    let opened = open_trace(&folder.join(files[0].0), Computing::default());
    std::fs::remove_dir_all(&folder).unwrap();
    let told = match opened {
        Err(error) => error.to_string(),
        Ok(TraceFile::Execution(trace)) => match trace.graph(&Algorithms::default()) {
            Err(error) => error.to_string(),
            Ok(graph) => format!("{} ranks", graph.rank_count()),
        },
        Ok(_) => "no execution trace".to_owned(),
    };
    told.replace(&format!("{}/", folder.display()), "")
}

#[test]
fn lists() {
    let told = of_files(
        "list",
        &[
            ("list.txt", b"a.ti\nb.ti\na.ti\n".to_vec()),
            ("a.ti", b"0 compute 5\n".to_vec()),
            ("b.ti", b"1 compute 5\n".to_vec()),
        ],
    );
    assert_eq!(
        told,
        "list.txt:3: found “a.ti” again, which line 1 has; expected each file once"
    );
}

/// A record behind its length.
fn record(bytes: &[u8]) -> Vec<u8> {
    [&[u8::try_from(bytes.len()).unwrap()], bytes].concat()
}

/// What a trace begins with: version 4.
fn begin() -> Vec<u8> {
    record(&[0x0a, 1, b'4'])
}

/// A collective operation with number 3: type 7, attributes of 64 bits with these names and values below 128.
fn operation(attributes: &[(&str, u8)]) -> Vec<u8> {
    let mut node = vec![8, 3, 24, 7];
    for (name, value) in attributes {
        let length = u8::try_from(name.len()).unwrap();
        let inner = [&[0x0a, length], name.as_bytes(), &[72, *value]].concat();
        node.extend([82, u8::try_from(inner.len()).unwrap()]);
        node.extend(inner);
    }
    record(&node)
}

#[test]
fn execution_traces() {
    let whole = [begin(), operation(&[("comm_type", 9)])].concat();
    let told = |name: &str, files: &[File<'_>]| of_files(name, files);
    let one = |content: Vec<u8>| told("one", &[("s.0.et", content)]);
    assert_eq!(one(whole.clone()), "1 ranks");
    assert_eq!(
        one([begin(), operation(&[("comm_type", 0)])].concat()),
        "s.0.et:1: it has no attribute comm_size; expected one"
    );
    assert_eq!(
        one([begin(), operation(&[("comm_size", 8)])].concat()),
        "s.0.et:1: it has no attribute comm_type; expected one"
    );
    let beside = |second: Vec<u8>| told("two", &[("s.0.et", whole.clone()), ("s.1.et", second)]);
    assert_eq!(beside(whole.clone()), "2 ranks");
    // The first record of the second file is gone, or the file is another's.
    for second in [operation(&[("comm_type", 9)]), b"0 compute 5\n".to_vec()] {
        let told = beside(second);
        assert!(told.starts_with("s.1.et:0: found "), "{told}");
    }
    assert_eq!(
        beside(operation(&[("comm_type", 9)])),
        "s.1.et:0: found no GlobalMetadata, with a version or attributes; expected an execution trace to begin so"
    );
    // One file of three is gone.
    let gone = told(
        "gone",
        &[("s.0.et", whole.clone()), ("s.2.et", whole.clone())],
    );
    assert!(gone.starts_with("s.1.et: no such file"), "{gone}");
    // The file of another rank is named.
    let other = told(
        "other",
        &[("s.1.et", whole.clone()), ("s.0.et", whole.clone())],
    );
    assert_eq!(
        other,
        "s.1.et is the file of rank 1; expected that of rank 0, s.0.et, beside which those of the others are found"
    );
    // The list of a group has no end.
    let cut = b"[{\"pg_name\": \"0\", \"ranks\": [0, 1";
    let name = b"process_group:init";
    let inputs = [&[0x0a, u8::try_from(cut.len()).unwrap()], &cut[..]].concat();
    let node = [
        &[8, 3, 0x12, 18],
        &name[..],
        &[24, 1, 0x42, u8::try_from(inputs.len()).unwrap()],
        &inputs,
    ];
    assert_eq!(
        one([begin(), record(&node.concat())].concat()),
        "s.0.et:1: found groups “[{\"pg_name\": \"0\", \"ranks\": [0, 1”, expected pg_name and ranks of each"
    );
}
