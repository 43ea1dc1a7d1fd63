use crate::asked::{ask, by, ring, row};
use serde_json::{Value, json};

#[test]
fn a_cable_tells_its_pairs() {
    let answer = ask(&row(), "cable", &by("min_hop"), json!({"cable": 0}));
    assert_eq!(
        answer["forward"],
        json!({
            "load": 2, "pairs": 2, "matching": 2,
            "shown": [
                {"source": 0, "destination": 1, "load": 1},
                {"source": 0, "destination": 2, "load": 1},
            ],
        })
    );
    assert_eq!(
        answer["back"]["shown"],
        json!([
            {"source": 1, "destination": 0, "load": 1},
            {"source": 2, "destination": 0, "load": 1},
        ])
    );
}

/// More switches than there are blocks in which is looked for pairs, and routes of sources and of tables.
#[test]
fn pairs_of_a_cable_are_as_many_as_its_load() {
    let torus = weft_fabric::generate::torus(13, 11, 1).expect("a torus");
    let explorer = weft_explore::Explorer::new(torus);
    for routing in ["updown", "min_hop"] {
        let state = by(routing);
        let loads = ask(&explorer, "routing", &state, json!({}))["loads"].clone();
        for cable in (0..286).step_by(7) {
            let asked = json!({"cable": cable, "count": 0});
            let answer = ask(&explorer, "cable", &state, asked);
            for way in ["forward", "back"] {
                assert_eq!(
                    answer[way]["pairs"], loads[way][cable],
                    "{routing}, {cable}"
                );
            }
        }
    }
}

#[test]
fn pairs_are_searched_by_the_names_of_hosts_and_shown_in_portions() {
    let asked = |more: Value| {
        let mut more = more;
        more["cable"] = json!(0);
        ask(&row(), "cable", &by("min_hop"), more)["forward"].clone()
    };
    let carla = asked(json!({"search": "CARL"}));
    assert_eq!(
        (&carla["pairs"], &carla["matching"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(
        carla["shown"],
        json!([{"source": 0, "destination": 2, "load": 1}])
    );
    // Anna sends both.
    assert_eq!(asked(json!({"search": "anna"}))["matching"], 2);
    assert_eq!(asked(json!({"search": "dora"}))["matching"], 0);
    let second = asked(json!({"first": 1, "count": 1}));
    assert_eq!(
        second["shown"],
        json!([{"source": 0, "destination": 2, "load": 1}])
    );
    assert_eq!(asked(json!({"first": 7}))["shown"], json!([]));
    assert_eq!(asked(json!({"count": 0}))["shown"], json!([]));
}

#[test]
fn pairs_of_a_pattern_are_those_that_send_by_what_they_bring() {
    // Half of what everybody sends goes to carla, the rest to any other.
    let state = json!({"routing": "min_hop", "pattern": "hotspot:share=50,hosts=carla"});
    let answer = ask(&row(), "cable", &state, json!({"cable": 0}));
    let shown = answer["forward"]["shown"].as_array().expect("pairs");
    let to: Vec<&Value> = shown.iter().map(|pair| &pair["destination"]).collect();
    assert_eq!(to, [&json!(2), &json!(1)], "{answer}");
    let loads: f64 = shown.iter().filter_map(|pair| pair["load"].as_f64()).sum();
    assert!((loads - 1.0).abs() < 1e-12, "all that Anna sends: {answer}");
    let load = answer["forward"]["load"].as_f64().expect("a load");
    assert!((load - loads).abs() < 1e-12);
}

#[test]
fn pairs_add_up_to_the_load_whatever_the_routing() {
    for routing in [
        "min_hop",
        "updown",
        "ud_itb",
        "best:lanes=2",
        "lash",
        "dfsssp",
    ] {
        let explorer = ring(6);
        let loads = ask(&explorer, "routing", &by(routing), json!({}))["loads"].clone();
        for cable in 0..6 {
            let more = json!({"cable": cable, "count": 1000});
            let answer = ask(&explorer, "cable", &by(routing), more);
            for way in ["forward", "back"] {
                let shown = answer[way]["shown"].as_array().expect("pairs");
                let sum: f64 = shown.iter().filter_map(|pair| pair["load"].as_f64()).sum();
                let load = loads[way][cable].as_f64().expect("a load");
                assert!(
                    (sum - load).abs() < 1e-9,
                    "{routing} {cable} {way}: {answer}"
                );
                assert_eq!(answer[way]["load"].as_f64(), Some(load));
            }
        }
    }
}

#[test]
fn routings_are_compared_on_a_cable() {
    let more = json!({"cable": 0, "routings": ["min_hop", "updown", "valiant", "nonsense"]});
    let answer = ask(&ring(5), "loads_of_cable", &by("min_hop"), more);
    let rows = answer["rows"].as_array().expect("rows");
    let expected = json!({
        "routing": "min_hop", "forward": 3, "back": 3, "largest_load": 3, "free": false,
    });
    assert_eq!(rows[0], expected);
    assert_eq!(rows[1]["free"], true);
    assert_eq!(rows[2]["forward"], json!(null));
    assert_eq!(rows[3]["routing"], "nonsense");
    assert!(
        rows[3]["error"]
            .as_str()
            .is_some_and(|text| text.contains("“nonsense”"))
    );
}

#[test]
fn service_ends_cross_without_counting() {
    let text = crate::asked::ROW.replace(
        r#"{"name": "carla"}"#,
        r#"{"name": "carla", "service": "told"}"#,
    );
    let explorer = weft_explore::Explorer::read(text.as_bytes(), "row.json").expect("a fabric");
    let answer = ask(&explorer, "cable", &by("min_hop"), json!({"cable": 1}));
    assert_eq!(
        answer["forward"],
        json!({"load": 0, "pairs": 0, "matching": 0, "shown": []})
    );
}
