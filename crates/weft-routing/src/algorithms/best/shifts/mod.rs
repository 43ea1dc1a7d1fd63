//! Trees laid for shifts: every host sends to the k-th after it, for every k, as collective operations have it.
//!
//! Each shift loads the channels by itself. A tree is changed switch by switch wherever that lowers the sum, over all
//! shifts and channels, of the third power of what a channel carries in a shift. Hosts may have further addresses, each
//! with trees of its own, over which what is sent to them spreads. Where other traffic is told than all to all, trees
//! are then changed wherever that lowers the same sum over what it sends, or that of shifts alone; then all ways of a pair
//! to the further addresses of a host are laid anew together wherever the fullest channel gets emptier.
//!
//! A pair keeps to one lane, whatever the address. On each lane the turns that its routes make close no circle; so many
//! of them make each is counted, and a change that would close a circle is not made. In the end pairs are spread over the
//! lanes that hold them.

mod disjoint_ways;
mod lanes;
mod told_traffic;
mod turns;

use crate::form::{Endpoints, ForwardingTables, Lane, PairGranularity};
use crate::paths::{PathSpace, TurnRule, links_from};
use crate::random::stream;
use rand::seq::SliceRandom;
use turns::Turns;
use weft_fabric::{Fabric, SwitchId, narrow};

/// Hosts times channels up to which what every channel carries in every shift is counted.
pub(super) const MOST_SHIFT_WORK: u64 = 1 << 26;

/// Links by which a route may be longer than the shortest.
const MOST_DETOUR: usize = 2;

/// Where a switch has no way.
const NO_WAY: u32 = u32::MAX;

/// What is to be laid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// Addresses of each host.
    pub(super) addresses: usize,
    /// Whether the trees to the first addresses stay as they are.
    pub(super) keeps_first: bool,
    /// Lanes that there are.
    pub(super) lanes: u8,
    /// How often each tree is looked at.
    pub(super) rounds: u32,
    pub(super) seed: u64,
}

/// Lays trees for shifts, to begin with those of `tables`, which have an address for each host and are free of deadlock
/// by their service levels.
///
/// Where the ways to all hosts of a switch fit on one lane each, all pairs with them are put there, which leaves room
/// for most further turns; else every pair keeps its lane.
/// Time O(r·a·h·S·p·b·d) for r rounds, a addresses, h hosts, S switches of p ports, with b hosts behind a switch in a
/// tree and ways of d links; space O(h·C) for C channels.
///
/// Shapes: `demands`, for each kind of traffic, per switch and host, what is sent there.
pub(super) fn lay(
    fabric: &Fabric,
    tables: &ForwardingTables,
    demands: &[Vec<u64>],
    asked: Asked,
) -> ForwardingTables {
    let space = PathSpace::new(fabric, None, TurnRule::Free).with_rates(fabric);
    let endpoints = Endpoints::new(fabric, PairGranularity::Host);
    let mut trees = Trees::new(fabric, (&space, &endpoints), tables, demands, asked);
    let first = usize::from(asked.keeps_first);
    let mut order: Vec<(usize, usize)> = (0..endpoints.count())
        .flat_map(|to| (first..asked.addresses).map(move |address| (to, address)))
        .collect();
    // From what is best for shifts on, so that what is told is never worse off for having been told.
    for counts_told in [false, true] {
        if counts_told && demands.is_empty() {
            break;
        }
        trees.counts_told = counts_told;
        for round in 0..asked.rounds {
            order.shuffle(&mut stream(asked.seed, "trees for shifts", round.into()));
            let mut is_changed = false;
            for &(to, address) in &order {
                is_changed |= trees.better(to, address);
            }
            if !is_changed {
                break;
            }
        }
    }
    trees.spread_told(asked, first);
    trees.spread_over_lanes(asked);
    trees.tables(fabric, asked)
}

/// A tree per host and address, and what it loads in every shift.
struct Trees<'a> {
    space: &'a PathSpace,
    endpoints: &'a Endpoints,
    addresses: usize,
    /// Per switch: its hosts.
    hosts: Vec<Vec<usize>>,
    /// Per destination, address and switch: its way.
    ways: Vec<u32>,
    /// Per switch and destination: the lane.
    lanes: Vec<u8>,
    /// Per shift and edge: routes over it.
    loads: Vec<u32>,
    /// Per kind of traffic: what is sent, per switch and host.
    demands: &'a [Vec<u64>],
    /// Per kind of traffic and edge: what is sent over it to all addresses, so many times as there are of these.
    demanded: Vec<u64>,
    /// Per target switch and switch: links of the shortest way.
    links: Vec<Vec<u32>>,
    turns: Turns<'a>,
    /// The switches whose way leads over that which is looked at, it first; each with its last edge before that.
    behind: Vec<(u32, u32)>,
    is_behind: Vec<bool>,
    /// The shifts in which their hosts send to the destination.
    shifts: Vec<usize>,
    /// Per kind of traffic: what they send to it.
    flows: Vec<u64>,
    /// Whether a way costs what it carries of the traffic that was told.
    counts_told: bool,
}

impl<'a> Trees<'a> {
    fn new(
        fabric: &Fabric,
        (space, endpoints): (&'a PathSpace, &'a Endpoints),
        tables: &ForwardingTables,
        demands: &'a [Vec<u64>],
        asked: Asked,
    ) -> Self {
        let (switches, count) = (space.switch_count(), endpoints.count());
        let mut hosts = vec![Vec::new(); switches];
        for host in 0..count {
            hosts[endpoints.switch(host) as usize].push(host);
        }
        let mut ways = Vec::with_capacity(count * asked.addresses * switches);
        for to in 0..count {
            let way = |at: u32| match tables.next_port(SwitchId::new(at), to) {
                Some(port) if at != endpoints.switch(to) => space.edge_at(at, port),
                _ => NO_WAY,
            };
            let tree: Vec<u32> = (0..).take(switches).map(way).collect();
            for _ in 0..asked.addresses {
                ways.extend_from_slice(&tree);
            }
        }
        let links_to = |to| links_from(space, to);
        let links = (0..).take(switches).map(links_to).collect();
        let mut trees = Self {
            space,
            endpoints,
            addresses: asked.addresses,
            hosts,
            ways,
            lanes: vec![0; switches * count],
            loads: vec![0; count * space.edge_count()],
            demands,
            demanded: vec![0; demands.len() * space.edge_count()],
            links,
            turns: Turns::new(space, asked.lanes),
            behind: Vec::new(),
            is_behind: vec![false; switches],
            shifts: Vec::new(),
            flows: Vec::new(),
            counts_told: false,
        };
        trees.choose_lanes(fabric, tables, asked.lanes);
        for to in 0..count {
            for address in 0..asked.addresses {
                trees.load_all(to, address);
            }
        }
        trees
    }

    fn place(&self, to: usize, address: usize, at: u32) -> usize {
        (to * self.addresses + address) * self.space.switch_count() + at as usize
    }

    fn next(&self, edge: u32) -> u32 {
        self.space.edge(edge).to
    }

    /// The way of a switch.
    fn path(&self, to: usize, address: usize, from: u32) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = from;
        while self.ways[self.place(to, address, at)] != NO_WAY {
            let edge = self.ways[self.place(to, address, at)];
            path.push(edge);
            at = self.next(edge);
        }
        path
    }

    /// The switches with hosts but that of a destination.
    fn sources(&self, to: usize) -> Vec<u32> {
        let target = self.endpoints.switch(to);
        let all = (0..).zip(&self.hosts);
        all.filter(|&(at, hosts)| at != target && !hosts.is_empty())
            .map(|(at, _)| at)
            .collect()
    }

    fn load_all(&mut self, to: usize, address: usize) {
        for from in self.sources(to) {
            let path = self.path(to, address, from);
            self.note_sent(to, &[(from, NO_WAY)]);
            self.load(&path);
        }
    }

    /// Notes the shifts in which hosts of some switches send to a destination, and what they send by each kind of traffic.
    fn note_sent(&mut self, to: usize, switches: &[(u32, u32)]) {
        let count = self.endpoints.count();
        self.shifts.clear();
        for &(at, _) in switches {
            let hosts = &self.hosts[at as usize];
            self.shifts
                .extend(hosts.iter().map(|host| (count + to - host) % count));
        }
        self.flows.clear();
        let of_all = self.demands.iter().map(|demand| {
            let sent = |&(at, _): &(u32, u32)| demand[at as usize * count + to];
            switches.iter().map(sent).sum::<u64>()
        });
        self.flows.extend(of_all);
    }

    /// Loads a path with what was noted.
    fn load(&mut self, path: &[u32]) {
        let edges = self.space.edge_count();
        for &edge in path {
            for &shift in &self.shifts {
                self.loads[shift * edges + edge as usize] += 1;
            }
            for (kind, flow) in self.flows.iter().enumerate() {
                self.demanded[kind * edges + edge as usize] += flow;
            }
        }
    }

    /// Takes what was noted off a path.
    fn unload(&mut self, path: &[u32]) {
        let edges = self.space.edge_count();
        for &edge in path {
            for &shift in &self.shifts {
                self.loads[shift * edges + edge as usize] -= 1;
            }
            for (kind, flow) in self.flows.iter().enumerate() {
                self.demanded[kind * edges + edge as usize] -= flow;
            }
        }
    }

    /// What a path of what was noted costs more than without it, by the traffic that was told and by shifts.
    fn cost(&self, path: &[u32]) -> (u128, u128) {
        let edges = self.space.edge_count();
        let more = |load: u128, by: u128| by * (3 * load * (load + by) + by * by);
        let (mut told, mut shifted) = (0, 0);
        for &edge in path {
            let slowness = u128::from(self.space.slowness(edge)).pow(3);
            let of_shift =
                |&shift: &usize| more(self.loads[shift * edges + edge as usize].into(), 1);
            shifted += slowness * self.shifts.iter().map(of_shift).sum::<u128>();
            let told_flows: &[u64] = if self.counts_told { &self.flows } else { &[] };
            for (kind, &flow) in told_flows.iter().enumerate() {
                let load = self.demanded[kind * edges + edge as usize];
                told += slowness * more(load.into(), flow.into());
            }
        }
        (told, shifted)
    }

    /// Lets switches send towards an address another way, they and all behind them, wherever that costs less; tells
    /// whether any does.
    fn better(&mut self, to: usize, address: usize) -> bool {
        let target = self.endpoints.switch(to);
        let mut is_changed = false;
        for at in (0..).take(self.space.switch_count()) {
            if at != target && self.ways[self.place(to, address, at)] != NO_WAY {
                is_changed |= self.send_elsewhere(to, address, at);
            }
        }
        is_changed
    }

    fn send_elsewhere(&mut self, to: usize, address: usize, at: u32) -> bool {
        let target = self.endpoints.switch(to);
        self.find_behind(to, address, at);
        let behind = std::mem::take(&mut self.behind);
        self.note_sent(to, &behind);
        let before = self.path(to, address, at);
        self.unload(&before);
        let now = self.cost(&before);
        let longest = self.links[target as usize][at as usize] as usize + MOST_DETOUR;
        let mut choices: Vec<((u128, u128), Vec<u32>)> = Vec::new();
        for edge in self.space.edge_ids(at) {
            let next = self.next(edge);
            let leads = next == target || self.ways[self.place(to, address, next)] != NO_WAY;
            if edge == before[0] || self.is_behind[next as usize] || !leads {
                continue;
            }
            let mut path = vec![edge];
            path.extend(self.path(to, address, next));
            let cost = self.cost(&path);
            if path.len() <= longest && cost < now {
                choices.push((cost, path));
            }
        }
        choices.sort_unstable();
        let chosen = choices.into_iter().map(|choice| choice.1);
        let chosen = chosen
            .into_iter()
            .find(|path| self.turn(to, &behind, &before, path));
        self.load(chosen.as_ref().unwrap_or(&before));
        if let Some(path) = &chosen {
            let place = self.place(to, address, at);
            self.ways[place] = path[0];
        }
        for &(other, _) in &behind {
            self.is_behind[other as usize] = false;
        }
        self.behind = behind;
        chosen.is_some()
    }

    /// Finds the switches whose way leads over one.
    fn find_behind(&mut self, to: usize, address: usize, at: u32) {
        self.behind.clear();
        self.behind.push((at, NO_WAY));
        self.is_behind[at as usize] = true;
        let mut place = 0;
        while let Some(&(here, last)) = self.behind.get(place) {
            place += 1;
            for back in self.space.edges_of(here) {
                let way = back.reverse;
                let is_child = self.ways[self.place(to, address, back.to)] == way;
                if is_child && !self.is_behind[back.to as usize] {
                    let last = if here == at { way } else { last };
                    self.is_behind[back.to as usize] = true;
                    self.behind.push((back.to, last));
                }
            }
        }
    }

    /// Lets the routes of some switches, and all behind the first of them, turn as by another way; not where that
    /// closes a circle on a lane. Tells whether they do.
    fn turn(&mut self, to: usize, behind: &[(u32, u32)], before: &[u32], path: &[u32]) -> bool {
        let count = self.endpoints.count();
        let pairs = |last: u32, path: &[u32]| -> Vec<[u32; 2]> {
            let enters = (last != NO_WAY).then(|| [last, path[0]]);
            let on = path.windows(2).map(|two| [two[0], two[1]]);
            enters.into_iter().chain(on).collect()
        };
        let sending = behind.iter();
        let sending = sending.filter(|(at, _)| !self.hosts[*at as usize].is_empty());
        let sending: Vec<(u8, u32)> = sending
            .map(|&(at, last)| (self.lanes[at as usize * count + to], last))
            .collect();
        for (number, &(lane, last)) in sending.iter().enumerate() {
            if !self.turns.take(lane, &pairs(last, path)) {
                for &(lane, last) in &sending[..number] {
                    self.turns.give_back(lane, &pairs(last, path));
                }
                return false;
            }
        }
        for &(lane, last) in &sending {
            self.turns.give_back(lane, &pairs(last, before));
        }
        true
    }

    fn tables(&self, fabric: &Fabric, asked: Asked) -> ForwardingTables {
        let addresses: u8 = narrow(self.addresses, "a host has 128 addresses at most");
        let count = self.endpoints.count();
        let (of_host, host) = (vec![addresses; count], PairGranularity::Host);
        let mut tables = ForwardingTables::new(host, fabric.switch_count(), &of_host);
        for to in fabric.host_ids() {
            for (number, address) in tables.addresses(to.index()).enumerate() {
                tables.set_next_port(fabric.host_switch(to), address, fabric.host_port(to));
                for at in (0..).take(self.space.switch_count()) {
                    let way = self.ways[self.place(to.index(), number, at)];
                    if way != NO_WAY {
                        let port = self.space.edge(way).port;
                        tables.set_next_port(SwitchId::new(at), address, port);
                    }
                }
            }
        }
        debug_assert!(self.lanes.iter().all(|&lane| lane < asked.lanes.max(1)));
        let switches = (0..count).map(|host| self.endpoints.switch(host)).collect();
        let lanes = self.lanes.iter().map(|&lane| Lane::new(lane)).collect();
        tables.set_lanes_by_switch(switches, lanes);
        tables.send_to_any_address();
        tables
    }
}
