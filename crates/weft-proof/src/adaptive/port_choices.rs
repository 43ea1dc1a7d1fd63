//! Tables with a choice of ports: everywhere a packet may be, by any choice.

use super::Walked;
use crate::dependency_graph::DependencyGraph;
use crate::shortest_cycle::Arc;
use crate::verdict::{Dependency, RouteLoop, UnreachedPair};
use crate::wiring::Wiring;
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};
use weft_routing::{AdaptiveTables, DeadEnd, Lane};

/// Where a packet may be: a channel into a switch, and its lane.
type Place = (ChannelId, Lane);

/// Walks all that packets may do, destination after destination.
pub(super) fn walk<'a>(
    fabric: &'a Fabric,
    wiring: &'a Wiring,
    tables: &AdaptiveTables,
) -> Walked<'a> {
    let mut graph = DependencyGraph::new(fabric, wiring, tables.lane_count());
    let mut search = Search::new(fabric, wiring, tables);
    let (mut unreached, mut route_loop) = (Vec::new(), None);
    for to in fabric.switches_with_hosts() {
        search.explore(to, |held, port, lane| graph.add(held, port, lane));
        unreached.append(&mut search.unreached);
        if route_loop.is_none() && unreached.is_empty() {
            route_loop = search.find_loop(to);
        }
    }
    Walked {
        graph,
        unreached,
        route_loop,
    }
}

/// The first packets that create dependencies between switches, each with its way to there.
pub(super) fn witnesses(
    fabric: &Fabric,
    wiring: &Wiring,
    tables: &AdaptiveTables,
    arcs: &[Arc],
) -> Vec<Dependency> {
    let mut search = Search::new(fabric, wiring, tables);
    let mut found: Vec<Option<Dependency>> = vec![None; arcs.len()];
    for to in fabric.switches_with_hosts() {
        let mut met = Vec::new();
        search.explore(to, |held, port, lane| {
            let wanted = fabric.outgoing_at(fabric.switches_of(held.0)[1], port);
            let is_it = |arc: &Arc| arc.0 == held && Some(arc.1) == wanted.map(|c| (c, lane));
            met.extend(arcs.iter().position(is_it));
        });
        for place in met {
            let (held, wanted) = arcs[place];
            found[place].get_or_insert_with(|| {
                let (source, mut nodes) = search.way_to(held);
                nodes.push(fabric.target(wanted.0).node);
                Dependency::of(arcs[place], [source, fabric.hosts_of(to)[0]], nodes)
            });
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    found.into_iter().flatten().collect()
}

/// Searches for all that packets to one destination may do, which share their memory.
struct Search<'a> {
    fabric: &'a Fabric,
    wiring: &'a Wiring,
    tables: &'a AdaptiveTables,
    lanes: usize,
    /// Per channel and lane: the place before it, itself where packets start; `None` where none come.
    before: Vec<Option<Place>>,
    /// The places reached, in their order.
    places: Vec<Place>,
    unreached: Vec<UnreachedPair>,
}

impl<'a> Search<'a> {
    fn new(fabric: &'a Fabric, wiring: &'a Wiring, tables: &'a AdaptiveTables) -> Self {
        let lanes = usize::from(tables.lane_count());
        Self {
            fabric,
            wiring,
            tables,
            lanes,
            before: vec![None; fabric.channel_count() * lanes],
            places: Vec::new(),
            unreached: Vec::new(),
        }
    }

    fn index(&self, (channel, lane): Place) -> usize {
        channel.index() * self.lanes + lane.index()
    }

    /// Whether a packet at a place is on the escape for good.
    fn is_on_escape(&self, (channel, lane): Place) -> bool {
        let from_host = matches!(self.fabric.source(channel).node, Node::Host(_));
        !from_host && self.tables.is_escape(lane)
    }

    /// The ports a packet may take at a switch, and the one of the escape.
    fn choice(
        &self,
        switch: SwitchId,
        is_on_escape: bool,
        to: SwitchId,
    ) -> (&'a [PortNumber], Option<PortNumber>) {
        let any = if is_on_escape {
            &[]
        } else {
            self.tables.ports(switch, to)
        };
        (any, self.tables.escape_port(switch, to))
    }

    /// Follows packets to `to` from all hosts by all they may take, and tells `depends` of what
    /// they may hold and have to wait for.
    fn explore(&mut self, to: SwitchId, mut depends: impl FnMut(Place, PortNumber, Lane)) {
        self.before.fill(None);
        self.places.clear();
        let all_lanes = (0..self.tables.lane_count()).map(Lane::new);
        for host in self.fabric.host_ids() {
            for lane in all_lanes.clone() {
                let start = (self.fabric.injection_channel(host), lane);
                self.reach(start, start);
            }
        }
        let mut number = 0;
        while let Some(&here) = self.places.get(number) {
            number += 1;
            let switch = self.fabric.switches_of(here.0)[1];
            if switch == to {
                for &host in self.fabric.hosts_of(to) {
                    if here.0 != self.fabric.injection_channel(host) {
                        depends(here, self.fabric.host_port(host), here.1);
                    }
                }
                continue;
            }
            let (any, escape) = self.choice(switch, self.is_on_escape(here), to);
            let has_escape = self.tables.has_escape();
            let is_stranded = (has_escape && escape.is_none()) || (!has_escape && any.is_empty());
            if is_stranded {
                self.miss(here, to, PortNumber::new(0), DeadEnd::NoEntry);
                continue;
            }
            let adaptive_lanes = self.tables.adaptive_lanes().map(Lane::new);
            let any = any
                .iter()
                .flat_map(|&port| adaptive_lanes.clone().map(move |lane| (port, lane, false)));
            let escape = escape.map(|port| (port, AdaptiveTables::ESCAPE_LANE, true));
            for (port, lane, is_escape) in any.chain(escape) {
                let exit = self.wiring.exit(switch, port);
                match exit.behind {
                    Some(Node::Switch(_)) => {
                        if is_escape || !self.tables.has_escape() {
                            depends(here, port, lane);
                        }
                        self.reach((exit.channel, lane), here);
                    }
                    None => self.miss(here, to, port, DeadEnd::NoCable),
                    Some(Node::Host(host)) => self.miss(here, to, port, DeadEnd::OtherHost(host)),
                }
            }
        }
    }

    fn reach(&mut self, place: Place, from: Place) {
        let index = self.index(place);
        if self.before[index].is_none() {
            self.before[index] = Some(from);
            self.places.push(place);
        }
    }

    /// A packet at a place is led nowhere; told once for a switch and destination.
    fn miss(&mut self, at: Place, to: SwitchId, port: PortNumber, dead_end: DeadEnd) {
        let ends = [self.way_to(at).0, self.fabric.hosts_of(to)[0]];
        let at = (self.fabric.switches_of(at.0)[1], port);
        let pair = UnreachedPair::by_dead_end(ends, at, dead_end);
        let is_told = self.unreached.iter().any(|told| told.reason == pair.reason);
        if !is_told {
            self.unreached.push(pair);
        }
    }

    /// The host a packet came from to a place, and the switches on its way.
    fn way_to(&self, place: Place) -> (HostId, Vec<Node>) {
        let mut nodes = Vec::new();
        let mut at = place;
        loop {
            nodes.push(self.fabric.target(at.0).node);
            match self.fabric.source(at.0).node {
                Node::Host(host) => {
                    nodes.reverse();
                    return (host, nodes);
                }
                Node::Switch(_) => {
                    let Some(before) = self.before[self.index(at)] else {
                        unreachable!(
                            "every place reached has one before it, up to a host's channel"
                        );
                    };
                    at = before;
                }
            }
        }
    }

    /// Finds a way round which packets to `to` may go for ever: switches on which they are on the
    /// escape or not.
    fn find_loop(&self, to: SwitchId) -> Option<RouteLoop> {
        let state = |place: Place| {
            2 * self.fabric.switches_of(place.0)[1].index() + usize::from(self.is_on_escape(place))
        };
        let count = 2 * self.fabric.switch_count();
        let mut at: Vec<Option<Place>> = vec![None; count];
        for &place in &self.places {
            at[state(place)].get_or_insert(place);
        }
        let next = |here: usize| {
            let switch = SwitchId::from_index(here / 2);
            let (any, escape) = match at[here] {
                Some(_) if switch != to => self.choice(switch, here % 2 == 1, to),
                _ => (&[][..], None),
            };
            let any = any.iter().map(|&port| (port, 0));
            any.chain(escape.map(|port| (port, 1)))
                .filter_map(
                    move |(port, on_escape)| match self.wiring.exit(switch, port).behind {
                        Some(Node::Switch(next)) => Some(2 * next.index() + on_escape),
                        Some(Node::Host(_)) | None => None,
                    },
                )
        };
        // States are taken away once all that follow are gone; what is left goes round.
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut left = vec![0_usize; count];
        for (here, left) in left.iter_mut().enumerate() {
            for there in next(here) {
                *left += 1;
                before[there].push(here);
            }
        }
        let mut gone: Vec<usize> = (0..count).filter(|&here| left[here] == 0).collect();
        let mut number = 0;
        while let Some(&there) = gone.get(number) {
            number += 1;
            for &here in &before[there] {
                left[here] -= 1;
                if left[here] == 0 {
                    gone.push(here);
                }
            }
        }
        let mut here = (0..count).find(|&here| left[here] > 0)?;
        let mut met = vec![here];
        let start = loop {
            here = next(here).find(|&there| left[there] > 0)?;
            if let Some(start) = met.iter().position(|&state| state == here) {
                break start;
            }
            met.push(here);
        };
        let (source, mut nodes) = self.way_to(at[here]?);
        let round = met[start + 1..].iter().chain([&here]);
        nodes.extend(round.map(|state| Node::Switch(SwitchId::from_index(state / 2))));
        Some(RouteLoop {
            source,
            destination: self.fabric.hosts_of(to)[0],
            switch: SwitchId::from_index(here / 2),
            nodes,
        })
    }
}
