use crate::asked::{refused, row};
use weft_explore::Explorer;

fn said(question: &str, expected: &str) {
    let what = refused(&row(), question);
    assert!(what.contains(expected), "{question}: {what}");
}

#[test]
fn what_is_no_question_is_said_to_be_none() {
    said("", "found no JSON: EOF");
    said("{", "found no JSON: EOF");
    said(&"[".repeat(100_000), "found no JSON: recursion limit");
    said("[]", "question: found [], expected an object");
    said("7", "question: found 7, expected an object");
    said("{}", "question: found nothing, expected a text");
    said(
        r#"{"question": 7, "state": {"routing": "updown"}}"#,
        "question: found 7, expected a text",
    );
    said(
        r#"{"question": "routnig", "state": {"routing": "updown"}}"#,
        "found question “routnig”, expected one of routing, limits, cable, loads_of_cable, pair, without, transition, ways, run",
    );
    let long = format!(r#"{{"question": {:?}}}"#, vec!["x"; 1000]);
    assert!(refused(&row(), &long).len() < 200);
}

#[test]
fn what_is_no_state_is_said_to_be_none() {
    said(
        r#"{"question": "routing"}"#,
        "state: found null, expected an object",
    );
    said(
        r#"{"question": "routing", "state": {}}"#,
        "state.routing: found nothing, expected a text",
    );
    let states = [
        (r#"{"routing": "updwon"}"#, "found routing “updwon”"),
        (r#"{"routing": "updown:root=9"}"#, "9"),
        (
            r#"{"routing": "updown:rooot=0"}"#,
            "found parameter “rooot”",
        ),
        (
            r#"{"routing": "updown", "pattern": "unifrom"}"#,
            "found pattern “unifrom”",
        ),
        (
            r#"{"routing": "updown", "patern": "uniform"}"#,
            "state.patern: found \"uniform\", expected no such member",
        ),
        (
            r#"{"routing": "updown", "failed_cables": [2]}"#,
            "state.failed_cables: found [2], expected a list: each the number of a cable, 0 to 1",
        ),
        (
            r#"{"routing": "updown", "failed_cables": 1}"#,
            "state.failed_cables: found 1",
        ),
        (
            r#"{"routing": "updown", "failed_cables": [-1]}"#,
            "state.failed_cables: found [-1]",
        ),
        (
            r#"{"routing": "updown", "failed_cables": [0.5]}"#,
            "state.failed_cables: found [0.5]",
        ),
        (
            r#"{"routing": "updown", "failed_switches": [18446744073709551615]}"#,
            "state.failed_switches: found [18446744073709551615], expected a list: each the number of a switch, 0 to 2",
        ),
        (
            r#"{"routing": "updown", "failed_switches": [0, 1, 2]}"#,
            "leave one at least",
        ),
    ];
    for (state, expected) in states {
        said(
            &format!(r#"{{"question": "routing", "state": {state}}}"#),
            expected,
        );
    }
}

#[test]
fn what_is_no_part_is_said_to_be_none() {
    let questions = [
        (
            r#""cable", "cable": 2"#,
            "cable: found 2, expected the number of a cable, 0 to 1",
        ),
        (
            r#""cable""#,
            "cable: found nothing, expected the number of a cable, 0 to 1",
        ),
        (
            r#""cable", "cable": "0""#,
            "cable: found \"0\", expected the number of a cable",
        ),
        (
            r#""cable", "cable": 0, "search": 1"#,
            "search: found 1, expected a text",
        ),
        (
            r#""cable", "cable": 0, "count": 10001"#,
            "count: found 10001, expected a whole number from 0 to 10000",
        ),
        (r#""cable", "cable": 0, "first": -1"#, "first: found -1"),
        (
            r#""cable", "cable": 0, "depth": 1"#,
            "depth: found 1, expected no such member",
        ),
        (
            r#""pair", "source": 0, "destination": 3"#,
            "destination: found 3, expected the number of a host, 0 to 2",
        ),
        (
            r#""pair", "source": 1, "destination": 1"#,
            "destination: found 1, expected another host",
        ),
        (r#""without""#, "cable: found nothing"),
        (
            r#""without", "switch": 3"#,
            "switch: found 3, expected the number of a switch, 0 to 2",
        ),
        (
            r#""run", "cycles": 9"#,
            "load: found nothing, expected a number more than 0 and at most 1",
        ),
        (r#""run", "cycles": 9, "load": 1.5"#, "load: found 1.5"),
        (
            r#""run", "cycles": 1000001, "load": 1"#,
            "cycles: found 1000001, expected a whole number",
        ),
        (
            r#""run", "cycles": 9, "load": 1"#,
            "found hardware preset “”, expected one of",
        ),
        (
            r#""loads_of_cable", "cable": 0"#,
            "routings: found null, expected a list of 1 to 32 texts",
        ),
        (
            r#""loads_of_cable", "cable": 0, "routings": []"#,
            "routings: found []",
        ),
        (
            r#""loads_of_cable", "cable": 0, "routings": [1]"#,
            "routings: found [1]",
        ),
    ];
    for (question, expected) in questions {
        said(
            &format!(r#"{{"state": {{"routing": "updown"}}, "question": {question}}}"#),
            expected,
        );
    }
}

#[test]
fn what_failed_cannot_be_asked_for() {
    let state = r#""state": {"routing": "updown", "failed_cables": [1]}"#;
    said(
        &format!(r#"{{"question": "cable", "cable": 1, {state}}}"#),
        "cable “middle[4] – right[2]” is not there any more",
    );
    said(
        &format!(r#"{{"question": "pair", "source": 0, "destination": 2, {state}}}"#),
        "host “carla” is not there any more",
    );
}

#[test]
fn packets_that_choose_have_no_pairs_in_advance() {
    let state = r#""state": {"routing": "valiant"}"#;
    said(
        &format!(r#"{{"question": "cable", "cable": 1, {state}}}"#),
        "valiant",
    );
    said(
        &format!(r#"{{"question": "pair", "source": 0, "destination": 1, {state}}}"#),
        "valiant",
    );
}

#[test]
fn hardware_that_there_is_not_is_named() {
    let state = r#""state": {"routing": "updown", "hardware": "myrinte"}"#;
    said(
        &format!(r#"{{"question": "pair", "source": 0, "destination": 1, {state}}}"#),
        "“myrinte”",
    );
}

#[test]
fn what_is_no_fabric_is_refused() {
    assert!(Explorer::read(b"{", "page.json").is_err());
}

#[test]
fn an_error_is_kept_and_told_again() {
    let explorer = row();
    let question = r#"{"question": "routing", "state": {"routing": "updown:root=9"}}"#;
    assert_eq!(refused(&explorer, question), refused(&explorer, question));
}
