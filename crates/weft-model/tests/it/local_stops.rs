//! In-transit stops under local traffic, on random networks as BOOST uses them.
//!
//! BOOST section 5.4.2 gives 0.381 stops per message at a radius of 5 in networks of 64 switches,
//! and hardly any (0.0008) at 3. Ten networks of the same kind, minimal paths drawn at random, an
//! independent program: 0.379 over pairs of hosts (0.357 to 0.405 by network) at 5, 0.19 over pairs
//! of distinct switches at 4, 0.525 at 6, none at 3.

use weft_fabric::generate::{IrregularParameters, irregular};
use weft_model::workload::ChosenPattern;
use weft_routing::algorithms::route_spec;
use weft_routing::demand_figures;

const NETWORKS: u64 = 10;

/// Mean stops of a packet, per network: over pairs of hosts, and over those on distinct switches.
fn stops(radius: u32) -> Vec<(f64, f64)> {
    let pattern: ChosenPattern = format!("local:radius={radius}").parse().unwrap();
    let network = |seed| {
        let fabric = irregular(&IrregularParameters {
            switches: 64,
            hosts_per_switch: 4,
            ports_per_switch: 8,
            seed,
            ..IrregularParameters::default()
        });
        let fabric = fabric.unwrap();
        let routing = route_spec(&fabric, "ud_itb:selection=random").unwrap();
        let destinations = pattern.destinations(&fabric, None).unwrap();
        let all = demand_figures(&fabric, &routing, |host| destinations.probabilities(host));
        let (mut crossing, mut count) = (0.0, 0.0);
        for host in fabric.host_ids() {
            let to_others = destinations.probabilities(host);
            let is_other = |&&(to, _): &&_| fabric.host_switch(to) != fabric.host_switch(host);
            crossing += to_others
                .iter()
                .filter(is_other)
                .map(|entry| entry.1)
                .sum::<f64>();
            count += 1.0;
        }
        let mean = all.mean_in_transit_stops;
        (mean, mean * count / crossing)
    };
    (1..=NETWORKS).map(network).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    values.sum::<f64>() / NETWORKS as f64
}

#[test]
fn stops_grow_with_the_radius_as_published() {
    for (radius, expected, tolerance) in [
        (3, 0.0, 1e-12),
        (4, 0.19, 0.02),
        (5, 0.386, 0.02),
        (6, 0.525, 0.02),
    ] {
        let found = mean(stops(radius).iter().map(|entry| entry.1));
        assert!(
            (found - expected).abs() <= tolerance,
            "radius {radius}: {found} stops, expected {expected} ± {tolerance}"
        );
    }
}

#[test]
fn stops_at_the_radius_of_the_paper_are_the_papers() {
    let found = stops(5);
    let mean = mean(found.iter().map(|entry| entry.0));
    assert!((mean - 0.381).abs() < 0.015, "{mean}, 0.381 published");
    for (stops, _) in found {
        assert!((0.34..0.42).contains(&stops), "{stops}");
    }
}
