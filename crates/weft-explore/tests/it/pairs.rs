use crate::asked::{ROW, ask, by, ring, row};
use serde_json::{Value, json};
use weft::{Hardware, Network, RoutedFabric};
use weft_fabric::formats;
use weft_routing::algorithms::route_spec;

#[test]
fn a_pair_tells_its_way_there_and_back() {
    let more = json!({"source": 0, "destination": 2});
    let answer = ask(&row(), "pair", &by("min_hop"), more);
    let there = &answer["there"];
    assert_eq!(
        there["hops"],
        json!([
            {"switch": 0, "port": "3", "cable": 0, "forward": true, "lane": 0},
            {"switch": 1, "port": "4", "cable": 1, "forward": true, "lane": 0},
            {"switch": 2, "port": "1", "cable": null, "forward": null, "lane": 0},
        ])
    );
    assert_eq!(there["arrives"], true);
    assert_eq!(there["words"], json!(null));
    assert_eq!(there["service_level"], 0);
    assert_eq!(there["stops"], json!([]));
    assert_eq!(there["addresses"], 1);
    assert_eq!(there["idle_latency_ns"], json!(null));
    let back = answer["back"]["hops"].as_array().expect("hops");
    let back: Vec<_> = back
        .iter()
        .map(|hop| (&hop["switch"], &hop["forward"]))
        .collect();
    let no = json!(false);
    assert_eq!(back[..2], [(&json!(2), &no), (&json!(1), &no)]);
    assert_eq!(
        answer["shares"],
        json!([
            {"cable": 0, "forward": true, "load": 2},
            {"cable": 0, "forward": false, "load": 2},
            {"cable": 1, "forward": true, "load": 2},
            {"cable": 1, "forward": false, "load": 2},
        ])
    );
}

/// Two leaves of two hosts below two spines: half of each pair's packets take either.
#[test]
fn packets_that_choose_tell_all_that_they_may_take() {
    let tree = weft_fabric::generate::xgft(&[2, 2], &[1, 2]).expect("a tree");
    let explorer = weft_explore::Explorer::new(tree);
    let state = json!({"routing": "ar_ftree", "hardware": "infiniband_hdr"});
    let answer = ask(
        &explorer,
        "pair",
        &state,
        json!({"source": 0, "destination": 3}),
    );
    for (way, forward) in [("there", [true, false]), ("back", [false, true])] {
        let told = &answer[way];
        assert_eq!(
            (&told["arrives"], &told["hops"]),
            (&json!(true), &json!([]))
        );
        assert!(told["idle_latency_ns"].as_f64() > Some(0.0));
        let choices = told["choices"].as_array().expect("choices");
        assert_eq!(choices.len(), 4);
        assert!(choices.iter().all(|one| one["part"] == 0.5));
        let up = choices.iter().filter(|one| one["forward"] == forward[0]);
        assert_eq!(up.count(), 2);
    }
    assert_eq!(answer["shares"].as_array().map(Vec::len), Some(8));
    let on_myrinet = json!({"routing": "ar_ftree", "hardware": "myrinet"});
    let refused = ask(
        &explorer,
        "pair",
        &on_myrinet,
        json!({"source": 0, "destination": 3}),
    );
    assert_eq!(refused["there"]["choices"], answer["there"]["choices"]);
    let why = refused["there"]["no_latency"].as_str().expect("a reason");
    assert!(why.contains("packets choose on their way"), "{why}");
    // Two hosts of a leaf to two of the other: four pairs, half of each.
    let cable = ask(&explorer, "cable", &state, json!({"cable": 0}));
    for way in ["forward", "back"] {
        assert_eq!(
            (&cable[way]["load"], &cable[way]["pairs"]),
            (&json!(2), &json!(4))
        );
        let shown = cable[way]["shown"].as_array().expect("pairs");
        assert!(shown.iter().all(|one| one["load"] == 0.5), "{shown:?}");
    }
    // The first of two ways as good as each other, to the other leaf and to the other host.
    let ways = ask(
        &explorer,
        "ways",
        &state,
        json!({"pairs": [[0, 3], [3, 0], [0, 1]]}),
    );
    let way = |place: usize| ways["ways"][place].as_array().expect("cables").clone();
    assert_eq!([way(0).len(), way(1).len(), way(2).len()], [2, 2, 0]);
    let half = |code: &Value| code.as_u64().map(|code| code / 2);
    let mut back: Vec<_> = way(1).iter().map(half).collect();
    back.reverse();
    assert_eq!(way(0).iter().map(half).collect::<Vec<_>>(), back);
    let one = json!({"routing": "ar_ftree", "pattern": "shift:by=2"});
    let cable = ask(&explorer, "cable", &one, json!({"cable": 0}));
    assert_eq!(
        (&cable["forward"]["load"], &cable["forward"]["pairs"]),
        (&json!(1), &json!(2))
    );
}

#[test]
fn the_latency_of_an_idle_network_is_that_of_the_engine() {
    let fabric = formats::read(ROW.as_bytes(), "row.json")
        .expect("a fabric")
        .fabric;
    let routing = route_spec(&fabric, "updown").expect("routes");
    let routed = RoutedFabric::new(fabric, routing);
    let hardware = Hardware::preset("myrinet").expect("a preset");
    let network = Network::new(&routed, &hardware).expect("a network");
    let expected = network
        .idle_latencies_ns(["Anna", "carla"], &[512])
        .expect("a latency")[0];
    let state = json!({"routing": "updown", "hardware": "myrinet"});
    let answer = ask(
        &row(),
        "pair",
        &state,
        json!({"source": 0, "destination": 2}),
    );
    assert_eq!(answer["there"]["idle_latency_ns"].as_f64(), expected);
    assert!(expected > Some(3_000.0), "{expected:?}");
    // Hardware with room for whole packets is simulated, too.
    let state = json!({"routing": "updown", "hardware": "infiniband_hdr"});
    let answer = ask(
        &row(),
        "pair",
        &state,
        json!({"source": 0, "destination": 1}),
    );
    assert!(
        answer["back"]["idle_latency_ns"].as_f64() > Some(100.0),
        "{answer}"
    );
}

#[test]
fn stops_in_transit_are_told() {
    // Two of the shortest ways of a ring of six turn from down to up.
    let explorer = ring(6);
    let mut stops = 0;
    for source in 0..6 {
        for destination in (0..6).filter(|&one| one != source) {
            let more = json!({"source": source, "destination": destination});
            let answer = ask(&explorer, "pair", &by("ud_itb"), more);
            let there = &answer["there"];
            assert_eq!(there["service_level"], json!(null));
            let hosts = there["stops"].as_array().expect("stops").len();
            let through = there["hops"].as_array().expect("hops").iter();
            let through = through.filter(|hop| hop["cable"].is_null()).count();
            assert_eq!(through, hosts + 1, "{answer}");
            stops += hosts;
        }
    }
    assert!(stops > 0);
}

#[test]
fn the_ways_of_many_pairs_are_told_at_once() {
    let pairs = json!({"pairs": [[0, 2], [2, 0], [1, 0]]});
    let answer = ask(&row(), "ways", &by("min_hop"), pairs.clone());
    assert_eq!(answer, json!({"ways": [[0, 2], [3, 1], [1]]}));
    let state = json!({"routing": "min_hop", "failed_cables": [1]});
    let answer = ask(&row(), "ways", &state, pairs);
    assert_eq!(
        answer,
        json!({"ways": [[], [], [1]]}),
        "the third host is cut off"
    );
    for wrong in [
        json!([[0, 3]]),
        json!([[1, 1]]),
        json!([[0]]),
        json!(3),
        json!(null),
    ] {
        let answer = ask(&row(), "ways", &by("min_hop"), json!({"pairs": wrong}));
        let told = answer["error"]["what"].as_str().expect("an error");
        assert!(told.contains("expected a list of at most"), "{told}");
    }
}
