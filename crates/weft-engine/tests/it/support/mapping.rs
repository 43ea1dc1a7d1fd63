//! What happens to a wormhole network: links and switches that fail and return at random times, a mapper that
//! gives hosts other routes one after another, some of which do not lead to all, and sources that send again.

use super::compare::Horizon;
use super::coverage::Coverage;
use super::fabrics;
use super::random::Draws;
use std::fmt;
use weft_fabric::degrade::{Keep, degrade};
use weft_fabric::{Fabric, LinkId};
use weft_model::changes::{Change, Changes, Retries};
use weft_routing::{MappedRoutes, SourceRoutes, algorithms};

#[derive(Default)]
pub(crate) struct Mapping {
    /// Routes that take the place of the first.
    pub(crate) others: Vec<MappedRoutes>,
    pub(crate) changes: Changes,
    kinds: Vec<&'static str>,
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = &self.kinds;
        write!(f, "other routes: {kinds:?}, {:?}", self.changes)
    }
}

impl Mapping {
    /// Random events, and other routes, with stops if these may be.
    pub(crate) fn draw(
        draws: &mut Draws,
        fabric: &Fabric,
        first: &SourceRoutes,
        may_stop: bool,
        Horizon { cycles, .. }: Horizon,
    ) -> Self {
        let mut drawn = Self::default();
        if !draws.once_in(4) {
            for _ in 0..draws.between(1, 3) {
                let (routes, kind) = other_routes(draws, fabric, first, may_stop);
                drawn.others.push(routes);
                drawn.kinds.push(kind);
            }
        }
        let mut changes = Vec::new();
        let most = *draws.choose(&[1, 3, 10, 30]);
        for _ in 0..draws.between(1, most) {
            drawn.add(draws, fabric, cycles, &mut changes);
        }
        let retries = draws.once_in(2).then(|| Retries {
            timeout_cycles: draws.between(1, 2_000),
            count: draws.between_u32(0, 5),
        });
        drawn.changes = Changes::new(changes, retries);
        drawn
    }

    /// A part fails, and mostly returns; or other routes reach hosts one after another.
    fn add(
        &self,
        draws: &mut Draws,
        fabric: &Fabric,
        cycles: u64,
        changes: &mut Vec<(u64, Change)>,
    ) {
        // Often in the first cycle, or in the same cycle as others.
        let cycle = match (changes.last(), draws.between(0, 9)) {
            (Some(&(cycle, _)), 0) => cycle,
            (_, 1) => 0,
            _ => draws.between(0, cycles - 1),
        };
        let longest = *draws.choose(&[0, 5, 100, cycles]);
        let later = (cycle + draws.between(0, longest)).min(cycles - 1);
        let (fails, returns) = if draws.once_in(4) {
            let switch = *draws.choose(&fabric.switch_ids().collect::<Vec<_>>());
            (Change::SwitchFails(switch), Change::SwitchReturns(switch))
        } else {
            let link = LinkId::from_index(draws.index(fabric.link_count()));
            (Change::LinkFails(link), Change::LinkReturns(link))
        };
        if self.others.is_empty() || draws.once_in(2) {
            changes.push((cycle, fails));
            if !draws.once_in(4) {
                changes.push((later, returns));
            }
            return;
        }
        let routes = draws.index(self.others.len() + 1);
        for host in fabric.host_ids() {
            let at = draws.between(cycle, later);
            changes.push((at, Change::HostTables(host, routes)));
        }
    }

    pub(crate) fn count(&self, coverage: &mut Coverage) {
        for kind in &self.kinds {
            coverage.count(format!("routes {kind}"), 1);
        }
        coverage.count_if("sources that send again", self.changes.retries().is_some());
    }
}

fn other_routes(
    draws: &mut Draws,
    fabric: &Fabric,
    first: &SourceRoutes,
    may_stop: bool,
) -> (MappedRoutes, &'static str) {
    let name = if may_stop && draws.once_in(2) {
        "ud_itb"
    } else {
        *draws.choose(&["updown", "minimal", "dfs"])
    };
    let per = *draws.choose(&["host", "switch"]);
    let routed = |fabric: &Fabric| {
        let routing = algorithms::route_spec(fabric, &format!("{name}:per={per}")).ok()?;
        let routes = routing.routes.to_source_routes(fabric).into_owned();
        (routes.lane_count() == 1).then_some(routes)
    };
    if draws.once_in(2) {
        let failures = fabrics::failures(draws, Keep::LargestPart);
        let left = degrade(fabric, &failures).ok().map(|left| left.fabric);
        if let Some(left) = left.filter(fabrics::joins_two_hosts)
            && let Some(routes) = routed(&left)
        {
            let lifted = MappedRoutes::lifted(&routes, &left, fabric).unwrap();
            return (lifted, "of what is left");
        }
    }
    let routes = routed(fabric).unwrap_or_else(|| first.clone());
    let share = *draws.choose(&[3, 10, 1_000]);
    let is_found = fabric.host_ids().map(|_| !draws.once_in(share));
    let mapped = MappedRoutes::new(routes, is_found.collect());
    (mapped, "of another routing")
}
