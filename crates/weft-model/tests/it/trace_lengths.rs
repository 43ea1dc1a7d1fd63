//! Lengths at both ends: what is received is no longer than its receive has room for, and ranks list the
//! same counts in a collective operation.

use weft_model::workload::program::{
    Algorithms, Computing, Region, Tasks, TimeIndependentReader, TraceError, read_goal,
};

fn checked(text: &str) -> Result<Tasks, TraceError> {
    let mut reader = TimeIndependentReader::new(Computing::default());
    reader.read(text.as_bytes(), "run.ti")?;
    Tasks::of_trace(reader.finish()?, &Region::default(), Algorithms::default())
}

fn refusal(text: &str) -> String {
    checked(text).unwrap_err().to_string()
}

#[test]
fn a_receive_may_be_longer_than_its_message_and_not_shorter() {
    // The second message has 4 × 25 bytes, its receive room for 99.
    let text = |second: &str| {
        format!("0 send 1 7 10 6\n0 isend 1 7 25 1\n1 irecv 0 7 64 6\n1 {second}\n1 waitall\n")
    };
    assert_eq!(
        refusal(&text("recv 0 7 99 6")),
        "run.ti:4: recv has room for 99 bytes, message 2 of rank 0 to rank 1 with tag 7 (run.ti:2) \
         has 100; expected a message no longer than its receive, which MPI would truncate"
    );
    assert!(checked(&text("recv 0 7 100 6")).is_ok());
    // Without a count, with one that was asked for, and of a datatype that is not known.
    for second in ["recv 0 7", "recv 0 7 -1", "recv 0 7 1 -1", "irecv 0 7 1 56"] {
        assert!(checked(&text(second)).is_ok(), "{second}");
    }
}

#[test]
fn other_tags_and_ranks_have_messages_of_their_own() {
    // Whose lengths do not fit one another in the order of the lines.
    let text = "0 send 1 1 500 6\n0 send 1 2 5 6\n0 send 2 1 1 6\n1 recv 0 2 5 6\n\
                1 recv 0 1 500 6\n2 recv 0 1 1 6\n";
    assert!(checked(text).is_ok());
    assert_eq!(
        refusal(&text.replace("1 recv 0 1 500", "1 recv 0 1 499")),
        "run.ti:5: recv has room for 499 bytes, message 1 of rank 0 to rank 1 with tag 1 (run.ti:1) \
         has 500; expected a message no longer than its receive, which MPI would truncate"
    );
}

#[test]
fn a_sendrecv_has_room_for_what_it_says() {
    let text = |room: u32| format!("0 sendRecv 3 1 {room} 1 1 6\n1 sendRecv 7 0 12 0 6 6\n");
    assert!(checked(&text(7)).is_ok());
    assert_eq!(
        refusal(&text(6)),
        "run.ti:1: irecv has room for 6 bytes, message 1 of rank 1 to rank 0 with tag 0 (run.ti:2) \
         has 7; expected a message no longer than its receive, which MPI would truncate"
    );
}

#[test]
fn counts_that_disagree_are_refused() {
    for (text, problem) in [
        // Rank 1 gives rank 2 six, which expects five of it.
        (
            "0 alltoallv 9 1 2 3 9 1 4 7 1 1\n1 alltoallv 9 4 5 6 9 2 5 8 1 1\n\
             2 alltoallv 9 7 8 9 9 3 5 9 1 1\n",
            "run.ti:2: alltoallv gives 24 bytes to rank 2, which expects 20 of rank 1 (run.ti:3); \
             expected the same length at both ends",
        ),
        // Whatever the size of the datatype, something is not nothing.
        (
            "0 alltoallv 9 0 0 9 0 1 6 -1\n1 alltoallv 9 1 0 9 2 0 6 -1\n",
            "run.ti:1: alltoallv gives 0 bytes to rank 1, which expects some of rank 0 (run.ti:2); \
             expected the same length at both ends",
        ),
        (
            "0 alltoallv 9 0 3 9 0 1 6 -1\n1 alltoallv 9 1 0 9 0 0 6 -1\n",
            "run.ti:1: alltoallv gives 3 bytes to rank 1, which expects 0 of rank 0 (run.ti:2); \
             expected the same length at both ends",
        ),
        // The same in all, and not for each.
        (
            "0 allgatherv 3 3 5 6 6\n1 allgatherv 5 5 3 6 6\n",
            "run.ti:2: allgatherv of rank 1 lists 5 bytes for rank 0, that of rank 0 (run.ti:1) 3; \
             expected the same of all ranks",
        ),
        (
            "0 allgatherv 3 3 5 6 6\n1 allgatherv 4 3 5 6 6\n",
            "run.ti:2: allgatherv of rank 1 gives 4 bytes, rank 0 (run.ti:1) lists 5 for it; \
             expected the same of all ranks",
        ),
        (
            "0 allgatherv 4 3 5 6 6\n1 allgatherv 5 3 5 6 6\n",
            "run.ti:1: allgatherv of rank 0 gives 4 bytes, rank 1 (run.ti:2) lists 3 for it; \
             expected the same of all ranks",
        ),
        (
            "0 gatherv 3 0 0 1 6 6\n1 gatherv 5 2 5 1 6 6\n",
            "run.ti:1: gatherv gives 3 bytes to rank 1, which expects 2 of rank 0 (run.ti:2); \
             expected the same length at both ends",
        ),
        (
            "0 scatterv 3 5 3 0 6 6\n1 scatterv 0 0 2 0 6 1\n",
            "run.ti:1: scatterv gives 5 bytes to rank 1, which expects 8 of rank 0 (run.ti:2); \
             expected the same length at both ends",
        ),
        // To itself as to others.
        (
            "0 alltoallv 9 3 4 9 5 4\n1 alltoallv 9 4 5 9 4 5\n",
            "run.ti:1: alltoallv gives 3 bytes to rank 0, which expects 5 of rank 0 (run.ti:1); \
             expected the same length at both ends",
        ),
        (
            "0 gatherv 4 3 5 0 6 6\n1 gatherv 5 0 0 0 6 6\n",
            "run.ti:1: gatherv gives 4 bytes to rank 0, which expects 3 of rank 0 (run.ti:1); \
             expected the same length at both ends",
        ),
        (
            "0 scatterv 3 5 4 0 6 6\n1 scatterv 0 0 5 0 6 6\n",
            "run.ti:1: scatterv gives 3 bytes to rank 0, which expects 4 of rank 0 (run.ti:1); \
             expected the same length at both ends",
        ),
        (
            "0 gather 8 0 1 6 6\n1 gather 4 4 1 6 6\n",
            "run.ti:1: gather gives 8 bytes to rank 1, which expects 4 of rank 0 (run.ti:2); \
             expected the same length at both ends",
        ),
        (
            "0 scatter 4 4 0 6 6\n1 scatter 4 5 0 6 6\n",
            "run.ti:1: scatter gives 4 bytes to rank 1, which expects 5 of rank 0 (run.ti:2); \
             expected the same length at both ends",
        ),
        (
            "0 reducescatter 3 5 0 6\n1 reducescatter 5 3 0 6\n",
            "run.ti:2: reducescatter of rank 1 lists 5 bytes for rank 0, that of rank 0 (run.ti:1) \
             3; expected the same of all ranks",
        ),
    ] {
        assert_eq!(refusal(text), problem);
    }
}

#[test]
fn what_a_call_sends_and_receives_is_as_long() {
    let read = |text: &str| {
        let mut reader = TimeIndependentReader::new(Computing::default());
        let outcome = reader.read(text.as_bytes(), "run.ti");
        outcome.err().map(|error| error.to_string())
    };
    for (text, problem) in [
        (
            "0 alltoall 8 16\n",
            "alltoall sends 8 bytes and receives 16",
        ),
        // As many elements, of double and int.
        (
            "0 allgather 4 4 0 1\n",
            "allgather sends 32 bytes and receives 16",
        ),
        (
            "0 iallgather 4 5 6 6\n",
            "iallgather sends 4 bytes and receives 5",
        ),
        (
            "0 gather 8 4 0 6 6\n",
            "gather sends 8 bytes and receives 4",
        ),
        (
            "0 scatter 4 8 0 6 6\n",
            "scatter sends 4 bytes and receives 8",
        ),
    ] {
        let expected = format!("run.ti:1: {problem} of the same call; expected as many");
        assert_eq!(read(text), Some(expected));
    }
    // The same of two datatypes, of one that is not known, with the count to receive left out, and in place.
    for text in [
        "0 alltoall 4 8 0 1\n",
        "0 alltoall 4 9 0 -1\n",
        "0 allgather 8 6 6\n",
        "0 allgather 8\n",
        "0 alltoall 0 8 6 6\n",
        "0 allgather 8 0 6 6\n",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn data_that_stay_in_place_are_as_long_as_what_is_received() {
    let same = |one: &str, other: &str| {
        let [one, other] = [one, other].map(|text| {
            let tasks = checked(&format!("0 {text}\n1 {text}\n")).unwrap();
            tasks.messages().collect::<Vec<_>>()
        });
        assert_eq!(one, other);
        assert!(!one.is_empty());
    };
    same("alltoall 0 8 6 6", "alltoall 8 8 6 6");
    same("allgather 0 8 6 6", "allgather 8 8 6 6");
}

#[test]
fn counts_that_a_trace_does_not_tell_are_taken_from_the_other_end() {
    for text in [
        // In place: nothing is given by name, or what stays with the root.
        "0 allgatherv 0 3 5 6 6\n1 allgatherv 0 3 5 6 6\n",
        "0 gatherv 0 9 5 0 6 6\n1 gatherv 5 0 0 0 6 6\n",
        "0 scatterv 9 5 0 0 6 6\n1 scatterv 0 0 5 0 6 6\n",
        "0 gather 8 0 1 6 6\n1 gather 0 8 1 6 6\n",
        "0 scatter 8 0 0 6 6\n1 scatter 0 8 0 6 6\n",
        // What only the root needs is not looked at elsewhere.
        "0 gather 8 900 1 6 6\n1 gather 8 8 1 6 6\n",
        "0 scatter 8 8 0 6 6\n1 scatter 900 8 0 6 6\n",
        // Received in a datatype of unknown size.
        "0 alltoallv 9 1 2 9 1 1 6 -1\n1 alltoallv 9 8 9 9 1 1 6 -1\n",
        "0 scatterv 9 8 0 0 6 -1\n1 scatterv 0 0 1 0 6 -1\n",
        // As many bytes of two datatypes; one datatype is that of both.
        "0 alltoallv 9 0 8 9 0 2 6 1\n1 alltoallv 9 2 0 9 2 0 1 1\n",
        "0 alltoallv 9 0 2 9 0 3 1\n1 alltoallv 9 3 0 9 2 0 1\n",
    ] {
        assert!(checked(text).is_ok(), "{text}");
    }
}

#[test]
fn receives_of_a_schedule_that_are_too_short_are_refused() {
    let read = |receives: &str| {
        let text = format!(
            "num_ranks 2\nrank 0 {{\na: send 9b to 1 tag 3\nb: send 4b to 1 tag 3\n}}\n\
             rank 1 {{\n{receives}\n}}\n"
        );
        read_goal(text.as_bytes(), "run.goal").map(|graph| graph.task_count())
    };
    // Whichever receive gets which of the two.
    assert_eq!(
        read("a: recv 8b from 0 tag 3\nb: recv 8b from 0 tag 3")
            .unwrap_err()
            .to_string(),
        "run.goal:8: recv has room for 8 bytes, a message of rank 0 to rank 1 with tag 3 \
         (run.goal:3) has 9; expected a message no longer than its receive, which MPI would truncate"
    );
    for (receives, tasks) in [
        ("a: recv 4b from 0 tag 3\nb: recv 9b from 0 tag 3", 4),
        ("a: recv 64b from 0 tag 3\nb: recv 64b from 0 tag 3", 4),
        // Another message may be the one that nobody receives, another receive the one that waits.
        ("a: recv 4b from 0 tag 3", 3),
        (
            "a: recv 1b from 0 tag 3\nb: recv 9b from 0 tag 3\nc: recv 4b from 0 tag 3",
            5,
        ),
        // It may go to a receive of any rank or tag.
        ("a: recv 1b from 0 tag 3\nb: recv 1b from -1 tag 3", 4),
        ("a: recv 1b from 0 tag 3\nb: recv 1b from 0 tag -1", 4),
        ("a: recv 1b from 0 tag 3\nb: recv 1b from -1 tag -1", 4),
    ] {
        assert_eq!(read(receives).unwrap(), tasks, "{receives}");
    }
    // One that takes others leaves these as they are.
    assert!(read("a: recv 3b from 0 tag 3\nb: recv 1b from -1 tag 4").is_err());
}
