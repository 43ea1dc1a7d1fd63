//! Routings that are taken where none are named.

use weft_routing::algorithms::{DefaultSet, check, parse_spec};

#[test]
fn every_default_routing_is_known_and_stands_in_its_set_once() {
    for (name, set) in DefaultSet::NAMES {
        for lanes in [1, 8, 15] {
            let mut specifications = set.specifications(lanes);
            assert!(!specifications.is_empty(), "{name}");
            for text in &specifications {
                let choice = parse_spec(text).unwrap();
                assert_eq!(check(&choice.name, &choice.parameters), Ok(()), "{text}");
            }
            let count = specifications.len();
            specifications.sort_unstable();
            specifications.dedup();
            assert_eq!(specifications.len(), count, "{name}: {specifications:?}");
        }
    }
}

#[test]
fn routings_stand_in_the_order_of_their_places() {
    let advised = DefaultSet::Advised.specifications(4);
    let best = advised.iter().position(|text| text == "best:lanes=4");
    let lash = advised.iter().position(|text| text == "lash:lanes=4");
    assert!(best < lash, "{advised:?}");
}
