//! UPDN: what `OpenSM`'s engine of that name loads, ways up and then down, each port used alike.

use super::min_hop::least_used_ports;
use super::orientation_asked_for::roots_by_rule;
use super::{Algorithm, Deadlock, Lanes, Needs, Refusal, RouteFunction};
use crate::error::RoutingError;
use crate::form::{ForwardingTables, Routes};
use crate::orient::{Orientation, RootProblem, RootRule, routed_part};
use crate::parameters::{OPENSM_ROOT, Parameters, SEED};
use crate::paths::{NextHops, PathSpace, TurnRule};
use std::collections::VecDeque;
use weft_fabric::{Fabric, SwitchId};

/// Up and then down as a subnet manager does it.
///
/// Of two switches with a link that nearer to a root is up, of equally near ones that with the lower GUID;
/// between two roots both ways are. From every switch with hosts a search counts the links to all others, and
/// goes up no more once it went down; then every switch takes, of the ports with the fewest links, the one
/// least used, as by min-hop.
///
/// The search knows one direction of a switch, that of the way that came first, and one number of links, the
/// least. So where a switch has ways of both kinds, some routes may turn from down to up, and packets deadlock.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "updn",
    title: "UPDN",
    summary: "Takes at every switch, of the ports with the fewest links up and then down to a host, the \
              one used for fewest hosts so far, as OpenSM's engine of that name.",
    deadlock: Deadlock::PerFabric,
    needs: Needs::lanes(Lanes::One).tables(),
    further: "Refused where some pair of compute ends has no such route; pairs of service ends may have \
              none.",
    refuses: &[Refusal::Roots],
    source: "OpenSM, doc/current-routing.txt, “UPDN Routing Algorithm”; osm_ucast_updn.c",
    is_blind_to_service: true,
    parameters: &[OPENSM_ROOT, SEED],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    Ok(tables(fabric, parameters, |_, _, _| {})?.into())
}

/// The tables; `note` is told of all ways of fewest links to each switch with hosts.
pub(super) fn tables(
    fabric: &Fabric,
    parameters: &mut Parameters,
    mut note: impl FnMut(&PathSpace, SwitchId, &NextHops),
) -> Result<ForwardingTables, RoutingError> {
    let part = routed_part(fabric)?;
    let rule: RootRule = parameters.parsed("root");
    let refused = |problem| parameters.root_error("root", fabric, &part, &rule, problem);
    let roots = roots_by_rule(fabric, &part, &rule, parameters.seed()).map_err(refused)?;
    let Some((&first, others)) = roots.split_first() else {
        return Err(refused(RootProblem::NoneFound));
    };
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let mut search = Search::new(
        fabric,
        &space,
        &Orientation::from_roots(fabric, first, others),
    );
    let has_compute = |switch: &SwitchId| fabric.compute_hosts_of(*switch) > 0;
    let mut apart = None;
    let tables = least_used_ports(fabric, &space, |to| {
        search.count_links_to(to.number());
        if apart.is_none() && has_compute(&to) {
            let mut ends = part.iter().copied().filter(has_compute);
            let missed = ends.find(|from| search.links[from.index()] == NO_WAY);
            apart = missed.map(|from| RootProblem::Unjoined(from, to));
        }
        let ways = search.next_hops(to.number());
        note(&space, to, &ways);
        ways
    });
    apart.map_or(Ok(tables), |problem| Err(refused(problem)))
}

/// Links where there is no way.
const NO_WAY: u32 = u32::MAX;

/// A search from a switch over all ways that, from there, go up and then down.
///
/// Source: `OpenSM`, `osm_ucast_updn.c`, the hop counts of switches by LID and port.
struct Search<'a> {
    space: &'a PathSpace,
    /// Per edge: whether it leads up.
    is_up: Vec<bool>,
    /// Per switch: fewest links.
    links: Vec<u32>,
    /// Per edge the search took: links of the way back over it.
    links_by_edge: Vec<u32>,
    /// Per switch that waits: whether the search came to it going up.
    came_up: Vec<bool>,
    is_waiting: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(fabric: &Fabric, space: &'a PathSpace, ranks: &Orientation) -> Self {
        let is_up = |edge: usize| {
            let edge = SwitchId::from_index(edge).number();
            let [from, to] = [space.tail(edge), space.edge(edge).to].map(SwitchId::new);
            let [below, above] = [from, to].map(|switch| ranks.level(switch));
            let id = |switch| (fabric.switch(switch).guid, switch);
            match below.cmp(&above) {
                std::cmp::Ordering::Equal => below == 0 || id(from) > id(to),
                unequal => unequal.is_gt(),
            }
        };
        let (switches, edges) = (space.switch_count(), space.edge_count());
        Self {
            space,
            is_up: (0..edges).map(is_up).collect(),
            links: vec![NO_WAY; switches],
            links_by_edge: vec![NO_WAY; edges],
            came_up: vec![false; switches],
            is_waiting: vec![false; switches],
        }
    }

    fn count_links_to(&mut self, to: u32) {
        self.links.fill(NO_WAY);
        self.links_by_edge.fill(NO_WAY);
        self.links[to as usize] = 0;
        self.came_up[to as usize] = true;
        let mut queue = VecDeque::from([to]);
        while let Some(at) = queue.pop_front() {
            self.is_waiting[at as usize] = false;
            let links = self.links[at as usize] + 1;
            for edge in self.space.edge_ids(at) {
                let next = self.space.edge(edge).to;
                let is_up = self.is_up[edge as usize];
                let is_legal = self.came_up[at as usize] || !is_up;
                if !is_legal || links >= self.links_by_edge[edge as usize] {
                    continue;
                }
                self.links_by_edge[edge as usize] = links;
                let fewest = &mut self.links[next as usize];
                *fewest = links.min(*fewest);
                if !std::mem::replace(&mut self.is_waiting[next as usize], true) {
                    self.came_up[next as usize] = is_up;
                    queue.push_back(next);
                }
            }
        }
    }

    /// The ways of fewest links that were found; each leads to a switch with fewer.
    fn next_hops(&self, to: u32) -> NextHops {
        let has_way = |&at: &u32| at != to && self.links[at as usize] != NO_WAY;
        let all = (0..).take(self.space.switch_count());
        let mut order: Vec<u32> = all.filter(has_way).collect();
        order.sort_by_key(|&at| self.links[at as usize]);
        NextHops::of(self.space, order, |at, edge| {
            self.links_by_edge[edge.reverse as usize] == self.links[at as usize]
        })
    }
}
