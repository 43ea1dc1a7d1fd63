//! Destination renaming: any routes as forwarding tables, by further addresses for destinations.

use crate::form::{
    ForwardingTables, Lane, NoLevel, PairGranularity, PairNames, RouteHop, RouteStep, Routes,
    TooManyLanes, service_levels,
};
use rayon::prelude::*;
use std::num::NonZeroU8;
use weft_fabric::{Fabric, HostId, LidRange, PortNumber, SwitchId};

/// Routes cannot be held in tables.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages tell what fields are")]
pub enum RenamingError {
    /// A destination needs more addresses than it may have.
    #[error(
        "“{destination}” needs {needed} addresses for its routes to part as they do, but an LMC of \
         {lmc} allows {allowed}; allow a larger one (at most 7), or route with selection=first or by \
         down_preferred, which needs one"
    )]
    TooManyAddresses {
        destination: String,
        needed: usize,
        lmc: u8,
        allowed: usize,
    },
    /// The routes have more lanes than can be numbered.
    #[error(transparent)]
    Lanes(#[from] TooManyLanes),
    /// A larger LMC than `InfiniBand` has.
    #[error("found LMC {lmc}, expected 0 to 7: a port has at most 128 addresses")]
    InvalidLmc { lmc: u8 },
    /// A route leaves the network on the way.
    #[error(
        "the route {pair} stops in transit at host “{host}”, which tables \
         cannot tell; choose a routing without in-transit stops"
    )]
    Stop { pair: PairNames, host: String },
    /// Routes change lanes in more ways than service levels can tell.
    #[error(
        "on each of {levels} service levels the route {pair} takes other \
         lanes than a route before it by the same ports, and there are no more; choose a routing \
         that changes lanes less"
    )]
    TooManyLevels { pair: PairNames, levels: usize },
    /// A route meets a switch twice.
    #[error(
        "the route {pair} meets switch “{switch}” twice; in tables it \
         would never end"
    )]
    Loop { pair: PairNames, switch: String },
    /// A route does not lead to its destination.
    #[error("the route {0} does not lead to its destination")]
    NotReached(PairNames),
}

/// Puts routes into forwarding tables, unchanged: where routes to one destination part at a
/// switch, the destination gets a further address, and the sources know which to send to.
///
/// Sources are taken in ascending order, each to the first address whose entries its route agrees
/// with. A destination has at most 2^`lmc` addresses. Tables are returned as they are, if they need no
/// more.
///
/// Where no route changes its lane, a pair's service level is the number of its lane. Else lane tables
/// are made, by which switches change it: every route gets a service level on which they do so as it
/// does.
///
/// # Errors
/// [`RenamingError`], of the first destination that cannot be served.
///
/// # Complexity
/// Time in proportion to the steps of all routes times the addresses of a destination.
///
/// # Source
/// López, Flich, Duato, "Deadlock-free routing in `InfiniBand` through destination renaming", ICPP
/// 2001, of which the abstract is public; the order is our own.
pub fn to_tables(
    fabric: &Fabric,
    routes: &Routes,
    lmc: u8,
) -> Result<ForwardingTables, RenamingError> {
    if lmc > LidRange::MAX_MASK_BITS {
        return Err(RenamingError::InvalidLmc { lmc });
    }
    let granularity = routes.granularity();
    let count = granularity.endpoint_count(fabric);
    let renaming = Renaming {
        fabric,
        routes,
        lmc,
    };
    if let Routes::Tables(tables) = routes {
        let over = (0..count).find(|&to| tables.addresses(to).len() > renaming.allowed());
        return over.map_or(Ok(tables.clone()), |to| {
            Err(renaming.too_many(to, tables.addresses(to).len()))
        });
    }
    // All are asked before the first error is told, which is the same on any number of cores.
    let renamed: Vec<Result<Renamed, _>> = (0..count)
        .into_par_iter()
        .map(|destination| renaming.rename(destination))
        .collect();
    let renamed: Vec<Renamed> = renamed.into_iter().collect::<Result<_, _>>()?;

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a destination has at most 128 addresses"
    )]
    let addresses: Vec<u8> = renamed.iter().map(|of| of.entries.len() as u8).collect();
    let mut tables = ForwardingTables::new(granularity, fabric.switch_count(), &addresses);
    let mut aliases = vec![0; count * count];
    let mut lanes = vec![Lane::ZERO; count * count];
    let changes_lanes = renamed.iter().any(|of| of.changes_lanes);
    for (destination, of) in renamed.into_iter().enumerate() {
        for (address, entries) in tables.addresses(destination).zip(of.entries) {
            for (switch, port) in fabric.switch_ids().zip(entries) {
                tables.set_next_port(switch, address, port);
            }
        }
        for (source, (alias, lane)) in of.sources.into_iter().enumerate() {
            aliases[source * count + destination] = alias;
            lanes[source * count + destination] = lane;
        }
    }
    tables.set_aliases(aliases);
    if changes_lanes {
        let leveled = service_levels(fabric, routes).map_err(|error| renaming.no_level(&error))?;
        lanes = leveled.levels;
        tables.set_lane_tables(leveled.tables);
    }
    tables.set_lanes(lanes);
    if let Some(turns) = NonZeroU8::new(routes.turns()) {
        tables.alternate(turns)?;
    }
    Ok(tables)
}

struct Renaming<'a> {
    fabric: &'a Fabric,
    routes: &'a Routes,
    lmc: u8,
}

/// What one destination comes to.
struct Renamed {
    /// Per address: the next port of each switch, 0 without.
    entries: Vec<Vec<PortNumber>>,
    /// Per source: which address it sends to, and the lane it begins on.
    sources: Vec<(u8, Lane)>,
    /// Whether a route to it changes its lane.
    changes_lanes: bool,
}

/// A route.
struct Steps {
    /// The next port at each switch it meets, but the last.
    ports: Vec<(SwitchId, PortNumber)>,
    /// The lane it begins on.
    lane: Lane,
    /// Whether it changes that.
    changes_lanes: bool,
}

const NO_PORT: PortNumber = PortNumber::new(0);

impl Renaming<'_> {
    fn allowed(&self) -> usize {
        1 << self.lmc
    }

    fn rename(&self, destination: usize) -> Result<Renamed, RenamingError> {
        let granularity = self.routes.granularity();
        let (fabric, count) = (self.fabric, granularity.endpoint_count(self.fabric));
        let has_host = |endpoint| {
            let switch = granularity.endpoint_switch(fabric, endpoint);
            !fabric.hosts_of(switch).is_empty()
        };
        let mut found = Renamed {
            entries: Vec::new(),
            sources: vec![(0, Lane::ZERO); count],
            changes_lanes: false,
        };
        if !has_host(destination) {
            return Ok(found);
        }
        let end = granularity.endpoint_switch(fabric, destination);
        let mut entries = vec![NO_PORT; fabric.switch_count()];
        if granularity == PairGranularity::Host {
            entries[end.index()] = fabric.host_port(HostId::from_index(destination));
        }
        found.entries.push(entries.clone());
        let mut met = vec![usize::MAX; fabric.switch_count()];
        for source in (0..count).filter(|&source| source != destination && has_host(source)) {
            let steps = self.steps(source, destination, end, &mut met)?;
            found.changes_lanes |= steps.changes_lanes;
            let agrees = |entries: &Vec<PortNumber>| {
                steps.ports.iter().all(|&(switch, port)| {
                    let entry = entries[switch.index()];
                    entry == NO_PORT || entry == port
                })
            };
            let alias = found.entries.iter().position(agrees);
            let alias = alias.unwrap_or(found.entries.len());
            if alias == self.allowed() {
                return Err(self.too_many(destination, alias + 1));
            }
            if alias == found.entries.len() {
                found.entries.push(entries.clone());
            }
            for (switch, port) in steps.ports {
                found.entries[alias][switch.index()] = port;
            }
            #[expect(clippy::cast_possible_truncation, reason = "less than 128")]
            let alias = alias as u8;
            found.sources[source] = (alias, steps.lane);
        }
        Ok(found)
    }

    /// Walks a route. `met` tells, per switch, which source's route met it last.
    fn steps(
        &self,
        source: usize,
        destination: usize,
        end: SwitchId,
        met: &mut [usize],
    ) -> Result<Steps, RenamingError> {
        let pair = || self.pair([source, destination]);
        let mut walk = self.routes.walk(self.fabric, source, destination);
        let lane = walk.lane().unwrap_or_default();
        let mut steps = Vec::new();
        let mut changes_lanes = false;
        met[walk.switch().index()] = source;
        while let Some(RouteStep {
            switch,
            port,
            lane: here,
            hop,
        }) = walk.next()
        {
            match hop {
                Ok(RouteHop::Channel(_)) => {}
                Ok(RouteHop::InTransit(host)) => {
                    return Err(RenamingError::Stop {
                        pair: pair(),
                        host: self.fabric.host(host).name.clone(),
                    });
                }
                Err(_) => return Err(RenamingError::NotReached(pair())),
            }
            changes_lanes |= here != lane;
            if met[walk.switch().index()] == source {
                return Err(RenamingError::Loop {
                    pair: pair(),
                    switch: self.fabric.switch(walk.switch()).name.clone(),
                });
            }
            met[walk.switch().index()] = source;
            steps.push((switch, port));
        }
        if walk.switch() == end {
            return Ok(Steps {
                ports: steps,
                lane,
                changes_lanes,
            });
        }
        Err(RenamingError::NotReached(pair()))
    }

    fn no_level(&self, error: &NoLevel) -> RenamingError {
        RenamingError::TooManyLevels {
            pair: self.pair(error.endpoints),
            levels: error.levels,
        }
    }

    fn too_many(&self, destination: usize, needed: usize) -> RenamingError {
        let granularity = self.routes.granularity();
        RenamingError::TooManyAddresses {
            destination: granularity
                .endpoint_name(self.fabric, destination)
                .to_owned(),
            needed,
            lmc: self.lmc,
            allowed: self.allowed(),
        }
    }

    fn pair(&self, endpoints: [usize; 2]) -> PairNames {
        PairNames::of(self.fabric, self.routes.granularity(), endpoints)
    }
}
