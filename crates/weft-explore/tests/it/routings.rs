use crate::asked::{ask, by, ring, row};
use serde_json::json;

#[test]
fn loads_of_a_row_are_the_pairs_on_either_side() {
    let answer = ask(&row(), "routing", &by("min_hop"), json!({}));
    assert_eq!(answer["loads"], json!({"forward": [2, 2], "back": [2, 2]}));
    assert_eq!(answer["largest_load"], 2);
    assert_eq!(answer["lanes"], 1);
    assert_eq!(answer["adaptive"], false);
    assert_eq!(answer["cut_off"], json!([]));
    assert_eq!(answer["unreached_pairs"], 0);
    let verdict = &answer["verdict"];
    assert_eq!(verdict["free"], true);
    assert_eq!(verdict["verdict"], "deadlock-free");
    assert_eq!(verdict["cycle"], json!(null));
    let words = verdict["words"].as_str().expect("a text");
    assert!(words.starts_with("deadlock-free: 6 host pairs"), "{words}");
}

#[test]
fn a_deadlock_shows_its_cycle_cable_by_cable() {
    let explorer = ring(5);
    let answer = ask(&explorer, "routing", &by("min_hop"), json!({}));
    // One pair of neighbours and two pairs two apart cross each channel.
    assert_eq!(answer["largest_load"], 3);
    assert_eq!(answer["loads"]["forward"], json!([3, 3, 3, 3, 3]));
    assert_eq!(answer["verdict"]["free"], false);
    let cycle = answer["verdict"]["cycle"]
        .as_array()
        .expect("a cycle")
        .clone();
    let mut cables: Vec<u64> = cycle
        .iter()
        .filter_map(|step| step["cable"].as_u64())
        .collect();
    cables.sort_unstable();
    assert_eq!(cables, [0, 1, 2, 3, 4]);
    for step in &cycle {
        assert_eq!(step["lane"], 0);
        assert_ne!(step["source"], step["destination"]);
        assert!(
            step["words"]
                .as_str()
                .is_some_and(|words| words.contains(" → ")),
            "{step}"
        );
    }
}

#[test]
fn a_pattern_loads_by_what_hosts_send() {
    // Anna sends to bert, bert to carla, carla to Anna.
    let state = json!({"routing": "min_hop", "pattern": "shift:by=1"});
    let answer = ask(&row(), "routing", &state, json!({}));
    assert_eq!(answer["loads"], json!({"forward": [1, 1], "back": [1, 1]}));
    assert_eq!(answer["largest_load"], 1);
}

#[test]
fn what_failed_is_routed_around() {
    let state = json!({"routing": "updown", "failed_cables": [0]});
    let answer = ask(&ring(4), "routing", &state, json!({}));
    let forward = answer["loads"]["forward"].as_array().expect("loads");
    assert_eq!(forward.len(), 4);
    assert_eq!(forward[0], json!(null));
    // A row of four: two hosts on either side of its middle.
    assert_eq!(answer["largest_load"], 4);
    assert_eq!(answer["cut_off"], json!([]));
}

#[test]
fn hosts_beyond_a_failure_are_cut_off() {
    for state in [
        json!({"routing": "min_hop", "failed_cables": [1]}),
        json!({"routing": "min_hop", "failed_switches": [2]}),
        json!({"routing": "min_hop", "failed_switches": [2, 2], "failed_cables": [1, 1]}),
    ] {
        let answer = ask(&row(), "routing", &state, json!({}));
        assert_eq!(answer["cut_off"], json!([2]), "{state}");
        assert_eq!(
            answer["loads"],
            json!({"forward": [1, null], "back": [1, null]})
        );
    }
}

#[test]
fn packets_that_choose_are_proved_and_load_nothing_in_advance() {
    let answer = ask(&ring(4), "routing", &by("valiant"), json!({}));
    assert_eq!(answer["adaptive"], true);
    assert_eq!(answer["verdict"]["free"], true);
    assert_eq!(answer["loads"], json!(null));
    assert_eq!(answer["largest_load"], json!(null));
}

#[test]
fn groups_of_ports_load_evenly() {
    // Four pairs from leaf to leaf each way, one half of them over each of two spines.
    let tree = weft_fabric::generate::k_ary_n_tree(2, 2).expect("a tree");
    let explorer = weft_explore::Explorer::new(tree);
    let answer = ask(&explorer, "routing", &by("ar_updn"), json!({}));
    assert_eq!(answer["adaptive"], true, "{answer}");
    assert_eq!(answer["verdict"]["free"], true);
    let loads = json!({"forward": [2, 2, 2, 2], "back": [2, 2, 2, 2]});
    assert_eq!(answer["loads"], loads);
}

#[test]
fn limits_are_the_cut_and_the_share_of_halves() {
    // Two pairs cross each way whatever the routes; a single pair sends at a time, and gets all.
    let answer = ask(&row(), "limits", &by("min_hop"), json!({}));
    assert_eq!(answer, json!({"bound": 2, "bisection_percent": 100}));
    let state = json!({"routing": "min_hop", "pattern": "shift:by=1"});
    assert_eq!(
        ask(&row(), "limits", &state, json!({}))["bound"],
        json!(null)
    );
}

#[test]
fn the_same_question_has_the_same_answer() {
    let explorer = ring(6);
    let question = r#"{"question": "routing", "state": {"routing": "best:lanes=2"}}"#;
    let first = explorer.ask(question);
    assert_eq!(explorer.ask(question), first);
    assert_eq!(ring(6).ask(question), first);
}
