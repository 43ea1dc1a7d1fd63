//! The check of a certificate over source routes.

use crate::certificate::Certificate;
use crate::check_ways::{Rank, Ways};
use rayon::prelude::*;
use weft_fabric::{Fabric, Node, narrow};
use weft_routing::{Lane, Routes, SharedRoute, SourceRoutes};

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
        listed,
    };
    let shared = routes.by_groups(fabric);
    // Each turn has lanes of its own.
    let Some(states) = listed.state_count().filter(|_| routes.turns() == 1) else {
        let sources = (0..shared.sources().len()).into_par_iter();
        return sources.all(|from| {
            let mut routes = shared.from(from);
            routes.all(|route| ascent.holds_for(&route, |_, _| false))
        });
    };
    let destinations = (0..shared.destinations().len()).into_par_iter();
    let seen = || vec![0_u32; fabric.switch_count() * states];
    let each = destinations.map_init(seen, |seen, to| {
        let round: u32 = narrow(to + 1, "hosts have 32-bit ids");
        let mut routes = shared.to(to);
        routes.all(|route| {
            ascent.holds_for(&route, |at, state| {
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
    listed: &'a SourceRoutes,
}

impl Ascent<'_> {
    /// Follows a route, up to where the rest is known by the switch and the state there.
    #[inline]
    fn holds_for(
        &self,
        route: &SharedRoute<'_>,
        mut is_known: impl FnMut(usize, usize) -> bool,
    ) -> bool {
        let [from, to] = route.endpoints;
        let [start, end] =
            [route.sources[0], route.destinations[0]].map(|host| self.fabric.host_switch(host));
        let shift = self.routes.lane_shift(route.turn);
        let mut at = start;
        // After a stop the channel from the host has the lane of the step that comes next.
        let mut stop = None;
        let mut held: Option<(Rank, Lane)> = None;
        let mut steps = self.listed.steps_between(from, to);
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
