//! Algorithms that may take long tell how far they are.

use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::generate::torus;
use weft_routing::algorithms::route_any;
use weft_routing::{NoSolver, Progress};

#[test]
fn what_puts_paths_on_lanes_one_by_one_tells_each() {
    let fabric = torus(4, 4, 1).unwrap();
    for (name, balance, steps, share) in [
        ("lash", Some("no"), 1, Some(1.0)),
        ("lash", Some("yes"), 2, None),
        ("lash_tor", None, 1, Some(1.0)),
    ] {
        let told = Arc::new(Progress::default());
        let given = balance.map(|balance| ("balance".to_owned(), balance.to_owned()));
        let given: BTreeMap<_, _> = given.into_iter().collect();
        route_any(&fabric, name, &given, &NoSolver, &told).unwrap();
        assert_eq!((told.steps(), told.share()), (steps, share), "{name}");
    }
}
