//! How many routes each channel would carry if every pair spread over all its shortest paths.

use crate::form::Endpoints;
use crate::paths::{PathSpace, ShortestPaths};

/// The largest number of host pairs' routes that a channel is expected to carry when each
/// pair takes any of its shortest paths with the same probability.
/// Time O(S (S + E)) for S switches and E links, as one pass over the states spreads the routes to
/// all destinations of a source.
pub(crate) fn largest_expected_load(space: &PathSpace, endpoints: &Endpoints) -> f64 {
    let switches = space.switch_count();
    // All endpoints of a switch share its paths; hosts of a switch are what counts.
    let mut hosts = vec![0.0; switches];
    for index in 0..endpoints.count() {
        hosts[endpoints.switch(index) as usize] += endpoints.hosts(index) as f64;
    }
    let mut load = vec![0.0_f64; space.edge_count()];
    let mut flow = vec![0.0_f64; space.state_count()];
    for source in endpoints.source_switches() {
        let paths = ShortestPaths::from(space, source.number());
        let counts = paths.counts(space);
        flow.fill(0.0);
        for (destination, here) in (0..).zip(&hosts) {
            if destination == source.number() {
                continue;
            }
            let ends = || paths.distances().ends(space, destination);
            let total: f64 = ends().map(|end| counts[end as usize]).sum();
            for end in ends() {
                flow[end as usize] += hosts[source.index()] * here * counts[end as usize] / total;
            }
        }
        for &at in paths.order().iter().rev() {
            let arriving = flow[at as usize];
            let last_steps = || paths.distances().last_steps(space, at);
            let total: f64 = last_steps()
                .map(|(before, _)| counts[before as usize])
                .sum();
            for (before, edge) in last_steps() {
                let part = arriving * counts[before as usize] / total;
                load[edge as usize] += part;
                flow[before as usize] += part;
            }
        }
    }
    load.into_iter().fold(0.0, f64::max)
}
