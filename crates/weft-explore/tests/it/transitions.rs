use crate::asked::{ask, by, ring, row};
use serde_json::{Value, json};
use weft_explore::Explorer;

/// Entries written by all steps, and whether each names a switch of so many.
fn written(answer: &Value, switches: u64) -> u64 {
    let steps = answer["steps"].as_array().expect("steps");
    let writes = steps.iter().filter(|step| step["kind"] == "write");
    writes
        .map(|step| {
            let names = step["switches"].as_array().expect("switches");
            let entries = step["entries"].as_array().expect("entries");
            assert_eq!(names.len(), entries.len(), "{answer}");
            assert!(
                names.iter().all(|one| one.as_u64() < Some(switches)),
                "{answer}"
            );
            entries.iter().filter_map(Value::as_u64).sum::<u64>()
        })
        .sum()
}

#[test]
fn a_repair_is_written_in_rounds_that_cannot_deadlock() {
    let state = by("best:lanes=2");
    let part = json!({"cable": 0});
    let without = ask(&ring(4), "without", &state, part.clone());
    let answer = ask(&ring(4), "transition", &state, part);
    assert_eq!(answer["way"], "repaired", "{answer}");
    assert_eq!(
        (&answer["free"], &answer["drained"]),
        (&json!(true), &json!([]))
    );
    // Each entry that the repair changes is written once.
    assert_eq!(answer["changed_entries"], without["changed_entries"]);
    assert_eq!(
        written(&answer, 4),
        answer["changed_entries"].as_u64().expect("entries")
    );
}

#[test]
fn switches_are_numbered_as_in_the_whole_network() {
    // Without its first switch, a ring of four is a row of the others; the one across changes nothing but
    // what led by it, and its neighbours have nothing to choose.
    let answer = ask(
        &ring(4),
        "transition",
        &by("best:lanes=2"),
        json!({"switch": 0}),
    );
    let steps = answer["steps"].as_array().expect("steps");
    let switches: Vec<_> = steps
        .iter()
        .filter_map(|step| step["switches"].as_array())
        .flatten()
        .filter_map(Value::as_u64)
        .collect();
    assert!(
        !switches.is_empty() && switches.iter().all(|one| (1..4).contains(one)),
        "{answer}"
    );
}

#[test]
fn entries_to_who_is_cut_off_are_cleared() {
    let answer = ask(&row(), "transition", &by("min_hop"), json!({"cable": 1}));
    let steps = json!([{"kind": "write", "switches": [0, 1], "entries": [1, 1]}]);
    assert_eq!(answer["steps"], steps);
    assert_eq!(
        (&answer["changed_entries"], &answer["dropped"]),
        (&json!(2), &json!([]))
    );
}

#[test]
fn tables_that_can_deadlock_may_do_so_until_they_are_gone() {
    // What fails breaks the only circle of a ring, but not all of a torus.
    let answer = ask(&ring(5), "transition", &by("min_hop"), json!({"cable": 0}));
    assert_eq!(
        (&answer["way"], &answer["free"]),
        (&json!("anew"), &json!(true)),
        "{answer}"
    );
    let torus = Explorer::new(weft_fabric::generate::torus(5, 5, 1).expect("a torus"));
    let state = by("min_hop");
    let mut answer = ask(&torus, "transition", &state, json!({"cable": 0}));
    assert!(
        answer["error"]["what"]
            .as_str()
            .is_some_and(|what| what.contains("deadlock")),
        "{answer}"
    );
    answer = ask(
        &torus,
        "transition",
        &by("best:lanes=2"),
        json!({"cable": 0}),
    );
    assert_eq!(answer["free"], true, "{answer}");
}

#[test]
fn routes_that_packets_carry_have_no_transition() {
    let answer = ask(&ring(4), "transition", &by("ud_itb"), json!({"cable": 0}));
    let told = answer["error"]["what"].as_str().expect("an error");
    assert!(told.contains("choose a routing by tables"), "{told}");
}

#[test]
fn lane_tables_by_ports_are_written_too() {
    let torus = Explorer::new(weft_fabric::generate::torus(4, 4, 1).expect("a torus"));
    let answer = ask(
        &torus,
        "transition",
        &by("torus_2qos"),
        json!({"switch": 5}),
    );
    assert_eq!(answer["free"], true, "{answer}");
    for step in answer["steps"].as_array().expect("steps") {
        assert!(
            ["write", "write_lanes", "wait", "answer", "renew"]
                .contains(&step["kind"].as_str().expect("a kind"))
        );
    }
}
