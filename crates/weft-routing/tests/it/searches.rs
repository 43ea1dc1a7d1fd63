//! How far `best` searches that is given neither starts nor a time: by rounds of trees, which are counted, and by what
//! comes of it.

use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::Fabric;
use weft_fabric::generate::{JellyfishParameters, jellyfish};
use weft_routing::algorithms::route_any;
use weft_routing::load::{BoundEffort, BoundedRoutes, load_bound};
use weft_routing::{AnyRouting, NoSolver, Progress, Routing};
use weft_testing::{irregular_of, loads};

/// Rounds of what there is at once, which is an answer beside those of a search: by shortest routes, and by others where
/// it is far from a bound.
const AT_ONCE: u64 = 3;

/// Rounds of a start until it is compared with others, and those that improve it.
const TRIAL: u64 = 3;
const IMPROVING: u64 = 5;

/// A routing, and the rounds of trees that were grown for it.
fn searched(fabric: &Fabric, given: &[(&str, &str)]) -> (Arc<Routing>, u64) {
    let given: BTreeMap<String, String> = given
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let told = Arc::new(Progress::default());
    let AnyRouting::Fixed(routing) = route_any(fabric, "best", &given, &NoSolver, &told).unwrap()
    else {
        unreachable!("every pair has one route");
    };
    (routing, told.steps())
}

fn random_of(switches: u32, degree: u32, seed: u64) -> Fabric {
    let parameters = JellyfishParameters {
        switches,
        degree,
        hosts_per_switch: 4,
        seed,
    };
    jellyfish(&parameters).unwrap()
}

/// A start by shortest routes and one by longer ones, of which the better is improved, come within a twentieth of a
/// bound; and that many starts make the same again.
#[test]
fn a_search_ends_after_a_start_that_is_near_a_bound() {
    let fabrics = [
        irregular_of(64, 11),
        random_of(64, 5, 11),
        random_of(128, 6, 11),
    ];
    for fabric in fabrics {
        let (routing, rounds) = searched(&fabric, &[]);
        let bound = load_bound(&fabric, BoundedRoutes::Tables, BoundEffort::Quick).unwrap();
        let largest = loads(&fabric, &routing).1;
        assert!(
            20 * largest <= 21 * bound.least_load,
            "{largest} for {} on {}",
            bound.least_load,
            fabric.name()
        );
        assert!(rounds <= AT_ONCE + 2 * TRIAL + IMPROVING, "{rounds}");
        assert_eq!(routing.parameters["starts"], "1");
        let (again, _) = searched(&fabric, &[("starts", "1")]);
        assert_eq!(again, routing);
    }
}

/// Beyond 2²³ hosts times channels the first start with eight lanes is improved while that helps, and four are not
/// begun: five times as long, for nothing.
#[test]
fn a_large_sparse_network_is_searched_with_the_most_lanes_alone() {
    let fabric = irregular_of(440, 24);
    let (at_once, rounds_at_once) = searched(&fabric, &[("starts", "0")]);
    let (first, rounds_of_first) = searched(&fabric, &[("starts", "first")]);
    let (routing, rounds) = searched(&fabric, &[("starts", "1")]);
    assert_eq!(rounds_at_once, 1);
    assert!(rounds_of_first <= TRIAL, "{rounds_of_first}");
    assert!(rounds <= TRIAL + IMPROVING, "{rounds}");
    let [at_once, first, last] = [&at_once, &first, &routing].map(|one| loads(&fabric, one).1);
    assert!(
        last <= first && first <= at_once,
        "{last}, {first} and {at_once}"
    );
    assert!(10 * at_once <= 13 * last, "{at_once} and {last}");
}
