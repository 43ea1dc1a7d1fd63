use crate::asked::{ROW, ask, by, refused, ring, row};
use serde_json::json;
use weft_fabric::{Fabric, formats, generate};
use weft_routing::algorithms::route_spec;
use weft_routing::json as routes_json;

fn row_fabric() -> Fabric {
    formats::read(ROW.as_bytes(), "row.json")
        .expect("a fabric")
        .fabric
}

#[test]
fn routes_that_are_given_are_asked_for_by_their_name() {
    let routing = route_spec(&row_fabric(), "min_hop").expect("routes");
    let mut explorer = row();
    explorer.add_routes("today", routing);
    let today = ask(&explorer, "routing", &by("today"), json!({}));
    assert_eq!(today, ask(&explorer, "routing", &by("min_hop"), json!({})));
    // Who does not know them takes the name for a routing.
    let question = r#"{"question": "routing", "state": {"routing": "today"}}"#;
    assert!(refused(&row(), question).contains("found routing “today”"));
}

#[test]
fn routes_are_read_from_their_text() {
    let fabric = row_fabric();
    let text = routes_json::write(&fabric, &route_spec(&fabric, "min_hop").expect("routes"));
    let mut explorer = row();
    explorer
        .read_routes("lfts", &text)
        .expect("routes of the row");
    let answer = ask(&explorer, "cable", &by("lfts"), json!({"cable": 0}));
    assert_eq!(answer["forward"]["pairs"], 2);
    assert!(explorer.read_routes("damaged", "{").is_err());
    // Of another fabric.
    assert!(ring(4).read_routes("lfts", &text).is_err());
}

#[test]
fn given_tables_are_repaired_after_failures() {
    let fabric = generate::ring(4, 1).expect("a ring");
    let tables = route_spec(&fabric, "best:lanes=2").expect("tables");
    let mut explorer = ring(4);
    explorer.add_routes("today", tables);
    let without = ask(&explorer, "without", &by("today"), json!({"cable": 0}));
    assert_eq!(without["way"], "repaired");
    let failed = json!({"routing": "today", "failed_cables": [0]});
    let answer = ask(&explorer, "routing", &failed, json!({}));
    assert_eq!(answer["verdict"]["free"], true);
    assert_eq!(answer["largest_load"], without["largest_load"]);
    assert_eq!(answer["verdict"]["words"], without["words"]);
    // One more part, beside those that failed.
    let further = ask(&explorer, "without", &failed, json!({"cable": 2}));
    assert_eq!(further["free"], true, "{further}");
}

#[test]
fn given_lists_of_ports_are_known_of_the_whole_fabric_alone() {
    let fabric = generate::ring(4, 1).expect("a ring");
    let mut explorer = ring(4);
    explorer.add_routes("lists", route_spec(&fabric, "ud_itb").expect("routes"));
    let question =
        r#"{"question": "routing", "state": {"routing": "lists", "failed_cables": [0]}}"#;
    assert!(refused(&explorer, question).contains("route anew"));
}

#[test]
fn a_pattern_finds_in_its_file_what_is_given() {
    let mut row = row();
    let state = json!({"routing": "min_hop", "pattern": "matrix:file=some.csv"});
    // Before it is given there is none; what was answered then is forgotten.
    assert!(ask(&row, "routing", &state, json!({}))["error"].is_object());
    row.add_pattern("matrix:file=some.csv", "Anna,carla,1\nbert,carla,5\n");
    let answer = ask(&row, "routing", &state, json!({}));
    // Anna sends a fifth of what Bert does.
    assert_eq!(answer["loads"]["forward"], json!([0.2, 1.2]), "{answer}");
    assert_eq!(answer["loads"]["back"], json!([0, 0]));
    let crossing = ask(&row, "cable", &state, json!({"cable": 1}));
    assert_eq!(crossing["forward"]["pairs"], 2, "{crossing}");
    row.add_pattern("matrix:file=some.csv", "Anna,carla,1\nbert,nobody,5\n");
    let answer = ask(&row, "routing", &state, json!({}));
    assert!(
        answer["error"]["what"]
            .as_str()
            .is_some_and(|what| what.contains("nobody"))
    );
}
