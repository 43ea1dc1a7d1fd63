//! Questions of small fabrics.

use serde_json::{Value, json};
use weft_explore::Explorer;

/// Three switches in a row, a host on each: cable 0 from the first to the second, 1 on to the third.
pub(crate) const ROW: &str = r#"{
    "format": "weft-fabric", "version": 1, "name": "row",
    "switches": [{"name": "left", "ports": 4}, {"name": "middle", "ports": 4}, {"name": "right", "ports": 4}],
    "hosts": [{"name": "Anna"}, {"name": "bert"}, {"name": "carla"}],
    "links": [
        {"ends": [["Anna", 1], ["left", 1]]},
        {"ends": [["left", 3], ["middle", 2]]},
        {"ends": [["bert", 1], ["middle", 1]]},
        {"ends": [["middle", 4], ["right", 2]]},
        {"ends": [["carla", 1], ["right", 1]]}
    ]
}"#;

pub(crate) fn row() -> Explorer {
    Explorer::read(ROW.as_bytes(), "row.json").expect("the row is a fabric")
}

/// So many switches in a circle, a host on each.
pub(crate) fn ring(switches: u32) -> Explorer {
    Explorer::new(weft_fabric::generate::ring(switches, 1).expect("a ring"))
}

/// A state of nothing but a routing.
pub(crate) fn by(routing: &str) -> Value {
    json!({"routing": routing})
}

/// The answer to a question with further members.
pub(crate) fn ask(explorer: &Explorer, question: &str, state: &Value, more: Value) -> Value {
    let mut asked = more;
    asked["question"] = json!(question);
    asked["state"] = state.clone();
    serde_json::from_str(&explorer.ask(&asked.to_string())).expect("answers are JSON")
}

/// Why a question has no answer.
pub(crate) fn refused(explorer: &Explorer, question: &str) -> String {
    let answer: Value = serde_json::from_str(&explorer.ask(question)).expect("answers are JSON");
    let error = answer.as_object().expect("an object");
    assert_eq!(error.len(), 1, "{answer}");
    answer["error"]["what"]
        .as_str()
        .expect("a sentence")
        .to_owned()
}
