//! The two options of `simple_routes`.

use proptest::prelude::*;
use weft_fabric::generate::ring;
use weft_fabric::{Fabric, metrics};
use weft_testing::{cases, fabrics, host_pairs, route_spec, walk};

fn lengths(fabric: &Fabric, spec: &str) -> Vec<usize> {
    let routing = route_spec(fabric, spec).unwrap();
    let mut links: Vec<usize> = host_pairs(fabric)
        .into_iter()
        .map(|(from, to)| walk(fabric, &routing, from, to).links())
        .collect();
    links.sort_unstable();
    links
}

/// The shortest routes of a ring of five close a cycle each way; led around one turn each, one route
/// each way takes the three links on the other side.
#[test]
fn a_ring_of_five_is_led_around_two_turns() {
    let fabric = ring(5, 1).unwrap();
    let with = |more: &str| format!("simple_routes:shortest_path=yes{more}");
    let shortest = [vec![1; 10], vec![2; 10]].concat();
    let around = [vec![1; 10], vec![2; 8], vec![3; 2]].concat();
    assert_eq!(lengths(&fabric, &with("")), shortest);
    assert_eq!(
        lengths(&fabric, &with(",remove_deadlocks=yes,turns=2")),
        around
    );
    let error = route_spec(&fabric, &with(",remove_deadlocks=yes,turns=1")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the routes were led around turns, 1 in all, and their channels still form a cycle; give \
         remove_deadlocks more, such as turns=10, or take a routing without cycles, such as \
         smart"
    );
}

#[test]
fn legal_routes_have_no_cycle_to_remove() {
    let fabric = ring(5, 2).unwrap();
    let [plain, removed] = [
        "simple_routes",
        "simple_routes:remove_deadlocks=yes,turns=0",
    ]
    .map(|spec| route_spec(&fabric, spec).unwrap().routes);
    assert_eq!(plain, removed);
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn shortest_paths_are_shortest_whatever_the_weights(
        fabric in fabrics(0), seed in any::<u64>(),
        alpha in prop::sample::select(vec!["auto", "0", "0.3", "1"]),
    ) {
        let spec = format!("simple_routes:shortest_path=yes,alpha={alpha},seed={seed}");
        let routing = route_spec(&fabric, &spec).unwrap();
        for (source, destination) in host_pairs(&fabric) {
            let [from, to] = [source, destination].map(|host| fabric.host_switch(host));
            let links = metrics::distances_from(&fabric, from)[to.index()] as usize;
            prop_assert_eq!(walk(&fabric, &routing, source, destination).links(), links);
        }
    }
}
