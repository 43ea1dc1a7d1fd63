//! Source routes between the hosts that a mapper has found.

use crate::form::lifted_tables::by_name;
use crate::form::{LiftError, PairGranularity, RouteRow, SourceRoutes};
use weft_fabric::{Fabric, HostId};

/// Source routes over a fabric of which a mapper has found some hosts alone, as Myrinet's finds what is left after a
/// failure: nobody has a route to or from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedRoutes {
    routes: SourceRoutes,
    is_found: Vec<bool>,
}

impl MappedRoutes {
    /// Routes between all hosts that are found; what is held for others counts for nothing.
    ///
    /// Shapes: `is_found` has an entry per host.
    pub fn new(routes: SourceRoutes, is_found: Vec<bool>) -> Self {
        Self { routes, is_found }
    }

    /// The routes of `part` on the `whole` that it is left of, switches and hosts being known by their names and
    /// cables by their ports.
    ///
    /// # Errors
    /// [`LiftError::NotAPart`] where that is no part of it.
    pub fn lifted(routes: &SourceRoutes, part: &Fabric, whole: &Fabric) -> Result<Self, LiftError> {
        let hosts = by_name(
            "host",
            whole.host_ids().map(|id| whole.host(id).name.as_str()),
            part.host_ids().map(|id| part.host(id).name.as_str()),
        )?;
        let mut is_found = vec![false; whole.host_count()];
        for &was in &hosts {
            is_found[was] = true;
        }
        let granularity = routes.granularity();
        let found = match granularity {
            PairGranularity::Host => hosts,
            PairGranularity::Switch => by_name(
                "switch",
                whole.switch_ids().map(|id| whole.switch(id).name.as_str()),
                part.switch_ids().map(|id| part.switch(id).name.as_str()),
            )?,
        };
        let mut places = vec![None; granularity.endpoint_count(whole)];
        for (place, &was) in found.iter().enumerate() {
            places[was] = Some(place);
        }
        let row = |&from: &Option<usize>| {
            let mut row = RouteRow::default();
            for &to in &places {
                let pair = from.zip(to);
                let steps = pair.map(|(from, to)| routes.steps_between(from, to).on_lanes());
                row.push_on_lanes(steps.into_iter().flatten());
            }
            row
        };
        let rows = places.iter().map(row).collect();
        let routes = SourceRoutes::from_rows(granularity, rows);
        Ok(Self { routes, is_found })
    }

    /// The routes, of which those of pairs that have none count for nothing.
    pub fn routes(&self) -> &SourceRoutes {
        &self.routes
    }

    /// Whether the mapper has found a host.
    pub fn finds(&self, host: HostId) -> bool {
        self.is_found.get(host.index()).is_some_and(|&found| found)
    }

    /// Whether there is a route from one host to another.
    pub fn leads(&self, source: HostId, destination: HostId) -> bool {
        self.finds(source) && self.finds(destination)
    }
}
