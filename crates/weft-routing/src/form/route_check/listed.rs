//! Routes listed port by port.

use crate::form::SourceRoutes;
use crate::form::port_targets::PortTargets;
use rayon::prelude::*;
use weft_fabric::Fabric;

/// Tells whether all routes that packets take lead to their end without a stop.
pub(super) fn all_arrive(fabric: &Fabric, routes: &SourceRoutes) -> bool {
    if routes.lead_by_rule(fabric) {
        return true;
    }
    routes.find_all();
    let granularity = routes.granularity();
    let switch = |endpoint| granularity.endpoint_switch(fabric, endpoint);
    let has_hosts = |&endpoint: &usize| !fabric.hosts_of(switch(endpoint)).is_empty();
    let used: Vec<usize> = (0..routes.endpoint_count()).filter(has_hosts).collect();
    let targets = PortTargets::new(fabric);
    used.par_iter().all(|&source| {
        used.iter().all(|&destination| {
            let ends = [source, destination].map(|endpoint| switch(endpoint).index());
            let steps = routes.steps_between(source, destination);
            targets.stops(ends, steps) == Some(0)
        })
    })
}
