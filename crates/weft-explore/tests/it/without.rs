use crate::asked::{ask, by, ring, row};
use serde_json::json;

#[test]
fn tables_are_repaired_and_proved_without_a_cable() {
    let answer = ask(
        &ring(4),
        "without",
        &by("best:lanes=2"),
        json!({"cable": 0}),
    );
    assert_eq!(answer["way"], "repaired", "{answer}");
    assert_eq!(answer["free"], true);
    // Two hosts on either side of the middle of what is then a row; two routes over each link before.
    assert_eq!(
        (&answer["before"], &answer["largest_load"]),
        (&json!(2), &json!(4))
    );
    assert_eq!(answer["cut_off"], json!([]));
    assert_eq!(answer["entries"], 16);
    // Two neighbours that send the other way round change on all four switches at most; each has to.
    let changed = answer["changed_entries"].as_u64().expect("entries");
    assert!((2..=8).contains(&changed), "{answer}");
}

#[test]
fn what_nothing_joins_any_more_is_cut_off() {
    for part in [json!({"cable": 1}), json!({"switch": 2})] {
        let answer = ask(&row(), "without", &by("min_hop"), part);
        assert_eq!(answer["way"], "repaired", "{answer}");
        assert_eq!(answer["cut_off"], json!([2]));
        assert_eq!(
            (&answer["before"], &answer["largest_load"]),
            (&json!(2), &json!(1))
        );
        assert_eq!(answer["changed_entries"], 0);
    }
}

#[test]
fn failures_add_to_those_there_are() {
    let state = json!({"routing": "best:lanes=2", "failed_cables": [0]});
    let answer = ask(&ring(5), "without", &state, json!({"cable": 2}));
    assert_eq!(answer["free"], true, "{answer}");
    // A ring of five without two cables that have one between them is a row of two and one of three.
    assert_eq!(
        answer["cut_off"].as_array().map(Vec::len),
        Some(2),
        "{answer}"
    );
    assert_eq!(answer["largest_load"], 2);
}

#[test]
fn routes_that_are_no_tables_are_made_anew() {
    let answer = ask(&ring(4), "without", &by("ud_itb"), json!({"cable": 0}));
    assert_eq!(answer["way"], "anew");
    assert_eq!(answer["largest_load"], 4);
    assert_eq!(answer["changed_entries"], json!(null));
    assert!(
        answer["why_anew"]
            .as_str()
            .is_some_and(|why| why.contains("route anew")),
        "{answer}"
    );
    // Packets can deadlock before, so no repair keeps clear of that.
    let answer = ask(&ring(5), "without", &by("min_hop"), json!({"cable": 0}));
    assert_eq!(
        (&answer["way"], &answer["free"]),
        (&json!("anew"), &json!(true))
    );
}
