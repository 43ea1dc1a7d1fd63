//! The check of a certificate over source routes.

use crate::certificate::Certificate;
use crate::check_lines;
use crate::check_ways::{Rank, Ways};
use rayon::prelude::*;
use weft_fabric::{Fabric, Node, PortNumber, SwitchId, narrow};
use weft_routing::{Lane, Routes, RoutesFrom, SharedRoute, SharedRoutes, SourceRoutes, Steps};

/// Tells whether all source routes arrive and ascend; where one does not, nobody is told which.
///
/// Where a rule tells from the state and the switch of a packet how it goes on to a destination, each is
/// looked at once for each destination.
pub(crate) fn all_ascend(
    fabric: &Fabric,
    certificate: &Certificate,
    routes: &Routes,
    listed: &SourceRoutes,
) -> bool {
    let ways = Ways::new(fabric, certificate);
    let ascent = Ascent {
        fabric,
        ways: &ways,
        routes,
    };
    let shared = routes.by_groups(fabric);
    // Each turn has lanes of its own.
    let Some(states) = listed.state_count().filter(|_| routes.turns() == 1) else {
        let mut places = vec![None; routes.endpoint_count()];
        for (place, group) in shared.sources().iter().enumerate() {
            places[group.endpoint] = Some(place);
        }
        let ladder = (routes.lane_count() == 1).then(|| Ladder::new(fabric, &ways));
        return listed.blocks().par_iter().all(|block| {
            listed.visit(block, |from| {
                let place = places[from.source()];
                place.is_none_or(|place| ascent.holds_from(from, &shared, place, ladder.as_ref()))
            })
        });
    };
    if let Some(lines) = listed.lines(fabric) {
        return check_lines::all_ascend(fabric, &ways, listed, &shared, &lines);
    }
    let destinations = (0..shared.destinations().len()).into_par_iter();
    let seen = || vec![0_u32; fabric.switch_count() * states];
    let each = destinations.map_init(seen, |seen, to| {
        let round: u32 = narrow(to + 1, "hosts have 32-bit ids");
        let mut routes = shared.to(to);
        routes.all(|route| {
            let steps = listed.steps_between(route.endpoints[0], route.endpoints[1]);
            ascent.holds_for(steps, &route, |at, state| {
                let last = &mut seen[at * states + state];
                std::mem::replace(last, round) == round
            })
        })
    });
    each.all(|is_good| is_good)
}

/// What it takes to follow routes.
struct Ascent<'a> {
    fabric: &'a Fabric,
    ways: &'a Ways<'a>,
    routes: &'a Routes,
}

impl Ascent<'_> {
    /// Follows the routes from a group of hosts, by the ladder where they are plain.
    fn holds_from(
        &self,
        routes: RoutesFrom<'_>,
        shared: &SharedRoutes<'_>,
        place: usize,
        ladder: Option<&Ladder>,
    ) -> bool {
        let source = &shared.sources()[place];
        let ladder = ladder.filter(|_| routes.are_held_on_one_lane());
        let first = self.ways.injection(source.hosts, Lane::ZERO);
        shared.destinations().iter().enumerate().all(|(to, group)| {
            let climbs = |ladder: &Ladder| {
                let ends = [source.switch, group.switch];
                let last = ladder.climb(routes, group.endpoint, ends, first);
                last.is_some() && last < self.ways.ejection(group.hosts, Lane::ZERO)
            };
            if source.switch != group.switch && ladder.is_some_and(climbs) {
                return true;
            }
            let mut between = shared.between(place, to);
            between
                .all(|route| self.holds_for(routes.steps_to(group.endpoint), &route, |_, _| false))
        })
    }

    /// Follows a route, up to where the rest is known by the switch and the state there.
    #[inline]
    fn holds_for(
        &self,
        mut steps: Steps<'_>,
        route: &SharedRoute<'_>,
        mut is_known: impl FnMut(usize, usize) -> bool,
    ) -> bool {
        let [start, end] =
            [route.sources[0], route.destinations[0]].map(|host| self.fabric.host_switch(host));
        let shift = self.routes.lane_shift(route.turn);
        let mut at = start;
        // After a stop the channel from the host has the lane of the step that comes next.
        let mut stop = None;
        let mut held: Option<(Rank, Lane)> = None;
        while let Some((port, lane)) = steps.next_on_lane() {
            let lane = Lane::new(lane.number() + shift);
            let Some(way) = self.ways.behind(at, port) else {
                return false;
            };
            let before = match (stop.take(), held) {
                (Some(injection), _) => self.ways.rank(injection, lane),
                (None, Some((rank, _))) => rank,
                (None, None) => self.ways.injection(route.sources, lane),
            };
            let rank = self.ways.rank(way.channel, lane);
            if rank <= before {
                return false;
            }
            if is_known(at.index(), steps.state()) {
                return true;
            }
            held = Some((rank, lane));
            match way.to {
                Node::Switch(next) => at = next,
                Node::Host(host) => stop = Some(self.fabric.injection_channel(host)),
            }
        }
        if at != end {
            return false;
        }
        let Some((rank, lane)) = held else {
            return self
                .ways
                .join([route.sources, route.destinations], Lane::new(shift));
        };
        let last = stop.map_or(rank, |injection| self.ways.rank(injection, lane));
        last < self.ways.ejection(route.destinations, lane)
    }
}

/// The links between switches with their ranks on lane 0, side by side: what it takes to climb routes that
/// neither stop nor change lanes.
struct Ladder {
    /// The lowest port that leads to a switch anywhere.
    lowest: u8,
    /// How many ports there are from that to the highest.
    width: usize,
    /// Per switch and port.
    rungs: Vec<Rung>,
}

#[derive(Clone, Copy)]
struct Rung {
    /// Where those of the switch behind begin; beyond all where there is none.
    next: u32,
    rank: u32,
}

impl Ladder {
    fn new(fabric: &Fabric, ways: &Ways<'_>) -> Self {
        let mut links = Vec::new();
        for switch in fabric.switch_ids() {
            for port in (1..=u8::MAX).map(PortNumber::new) {
                let Some(way) = ways.behind(switch, port) else {
                    continue;
                };
                if let (Node::Switch(next), Some(rank)) =
                    (way.to, ways.rank(way.channel, Lane::ZERO))
                {
                    links.push((switch, port.number(), next, rank));
                }
            }
        }
        let ports = || links.iter().map(|&(_, port, _, _)| port);
        let lowest = ports().min().unwrap_or(1);
        let width = ports()
            .max()
            .map_or(0, |highest| usize::from(highest - lowest) + 1);
        let nothing = Rung {
            next: u32::MAX,
            rank: 0,
        };
        let mut rungs = vec![nothing; fabric.switch_count() * width];
        for (switch, port, next, rank) in links {
            let next = narrow(
                next.index() * width,
                "a fabric has fewer than 2^31 channels",
            );
            rungs[switch.index() * width + usize::from(port - lowest)] = Rung { next, rank };
        }
        Self {
            lowest,
            width,
            rungs,
        }
    }

    /// The rank of the last link of a route between two switches that leads there by links alone, each
    /// ranked above the one before and the first above that of its hosts; `None` of any other.
    #[inline]
    fn climb(
        &self,
        routes: RoutesFrom<'_>,
        destination: usize,
        [from, to]: [SwitchId; 2],
        before: Rank,
    ) -> Rank {
        let mut at = from.index() * self.width;
        let mut held = before;
        let ascends = routes.try_each_port(destination, |port| {
            let place = usize::from(port.number().wrapping_sub(self.lowest));
            let rung = self.rungs.get(at + place).filter(|_| place < self.width);
            let Some(&Rung { next, rank }) = rung else {
                return false;
            };
            if next == u32::MAX || held >= Some(rank) {
                return false;
            }
            held = Some(rank);
            at = next as usize;
            true
        });
        held.filter(|_| ascends && at == to.index() * self.width && from != to)
    }
}
