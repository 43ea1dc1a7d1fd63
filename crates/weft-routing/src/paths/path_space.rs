//! The graph that routes are searched in: (switch, phase) states and the turns between them.

use super::slowness::slowness_of;
use crate::form::{Endpoints, RouteRow};
use crate::orient::Orientation;
use weft_fabric::{Fabric, PortNumber, SwitchId};

/// What stands for no edge in arrays of edges.
pub(crate) const NO_EDGE: u32 = u32::MAX;

/// What a route may do at a switch where it would turn from a down channel to an up channel.
///
/// Where there are several orientations, each is that of a lane, and a route begins on any of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnRule {
    /// Any turn is taken freely: minimal routes, without any guarantee.
    Free,
    /// No route makes that turn: legal routes of up*/down*, each on one lane.
    Forbidden,
    /// A route makes that turn by going on in the next orientation, and not after the last.
    Descend,
    /// The turn is made by way of an in-transit stop, which needs a host on that switch.
    Stop {
        /// Whether, of the shortest routes, only those with fewest stops count.
        fewest: bool,
    },
}

/// One way from a switch to a neighbour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) to: u32,
    /// The edge of the same link back.
    pub(crate) reverse: u32,
    pub(crate) port: PortNumber,
    ups: Ups,
    /// Those of the edge back.
    ups_back: Ups,
}

/// Whether a channel leads up: a bit per orientation, that of the first the lowest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ups(u16);

impl Ups {
    fn of(orientations: &[&Orientation], [from, to]: [SwitchId; 2]) -> Self {
        let all = orientations.iter().rev();
        Self(all.fold(0, |bits, orientation| {
            bits << 1 | u16::from(orientation.is_up(from, to))
        }))
    }

    fn is_up(self, orientation: u32) -> bool {
        self.0 >> orientation & 1 == 1
    }
}

impl Edge {
    /// Tells whether the channel leads up in an orientation.
    pub(crate) fn is_up(&self, orientation: u32) -> bool {
        self.ups.is_up(orientation)
    }

    /// Where the channel leads up.
    pub(crate) fn ups(&self) -> Ups {
        self.ups
    }
}

/// A switch together with the phase of a route there, numbered by [`PathSpace::state`]. Phase
/// `2·o` of orientation `o` is while the route may still go up freely, phase `2·o + 1` once it has
/// gone down.
pub(crate) type State = u32;

/// All channels between switches as a graph, with a rule for the turns.
#[derive(Clone, Debug)]
pub struct PathSpace {
    rule: TurnRule,
    /// Orientations; 1 where there is none.
    orientations: u32,
    /// Binary digits of a state that hold its phase.
    phase_digits: u32,
    /// Per switch: where its edges begin.
    offsets: Vec<u32>,
    /// Ways out of each switch by ascending port.
    edges: Vec<Edge>,
    has_host: Vec<bool>,
    /// Per switch: where its ports begin in `edge_of_port`.
    port_offsets: Vec<u32>,
    edge_of_port: Vec<u32>,
    /// Per edge: where its turns begin in an array of all, one for each way out of the switch it leads
    /// to; then the number of all.
    turn_offsets: Vec<u32>,
    /// Per edge: parts of time that a unit takes; empty where they are one for all.
    slowness: Vec<u32>,
}

impl PathSpace {
    /// Most orientations.
    pub const MOST_ORIENTATIONS: u8 = 16;

    /// Prepares the search in a fabric. Without an orientation every channel counts as down,
    /// which suits [`TurnRule::Free`] only; [`TurnRule::Free`] and [`TurnRule::Stop`] look at the
    /// first orientation alone.
    ///
    /// # Panics
    /// With more than [`MOST_ORIENTATIONS`](Self::MOST_ORIENTATIONS).
    pub fn new<'a>(
        fabric: &Fabric,
        orientations: impl IntoIterator<Item = &'a Orientation>,
        rule: TurnRule,
    ) -> Self {
        let orientations: Vec<&Orientation> = orientations.into_iter().collect();
        assert!(orientations.len() <= usize::from(Self::MOST_ORIENTATIONS));
        let mut offsets = vec![0];
        let mut edges = Vec::new();
        let mut port_offsets = vec![0];
        let mut edge_of_port = Vec::new();
        let mut edge_of_channel = vec![u32::MAX; fabric.channel_count()];
        for switch in fabric.switch_ids() {
            let first_port = edge_of_port.len();
            let ports = usize::from(fabric.switch(switch).port_count) + 1;
            edge_of_port.resize(first_port + ports, u32::MAX);
            for hop in fabric.hops(switch) {
                // Ids fit 32 bits: a fabric has fewer than 2^31 channels, and an edge is one.
                let id = SwitchId::from_index(edges.len()).number();
                edge_of_port[first_port + hop.port.index()] = id;
                edge_of_channel[hop.channel.index()] = id;
                edges.push(Edge {
                    to: hop.switch.number(),
                    reverse: hop.channel.reverse().number(),
                    port: hop.port,
                    ups: Ups::of(&orientations, [switch, hop.switch]),
                    ups_back: Ups::of(&orientations, [hop.switch, switch]),
                });
            }
            offsets.push(SwitchId::from_index(edges.len()).number());
            port_offsets.push(SwitchId::from_index(edge_of_port.len()).number());
        }
        for edge in &mut edges {
            edge.reverse = edge_of_channel[edge.reverse as usize];
        }
        let has_host = fabric
            .switch_ids()
            .map(|s| !fabric.hosts_of(s).is_empty())
            .collect();
        let orientations = match rule {
            TurnRule::Free | TurnRule::Stop { .. } => 1,
            TurnRule::Forbidden | TurnRule::Descend => orientations.iter().map(|_| 1).sum(),
        };
        let exits = |edge: &Edge| offsets[edge.to as usize + 1] - offsets[edge.to as usize];
        let mut turn_offsets = vec![0];
        turn_offsets.extend(edges.iter().scan(0, |end, edge| {
            *end += exits(edge);
            Some(*end)
        }));
        Self {
            rule,
            orientations,
            phase_digits: (2 * orientations).next_power_of_two().trailing_zeros(),
            offsets,
            edges,
            has_host,
            port_offsets,
            edge_of_port,
            turn_offsets,
            slowness: Vec::new(),
        }
    }

    /// The same, with channels that take longer where links of the fabric are slower than others.
    pub(crate) fn with_rates(mut self, fabric: &Fabric) -> Self {
        self.slowness = slowness_of(fabric);
        self
    }

    /// What a unit takes of a channel's time, in parts of which the fastest has few; 1 where rates are left out
    /// or all the same.
    pub(crate) fn slowness(&self, edge: u32) -> u64 {
        let slowness = self.slowness.get(edge as usize);
        slowness.map_or(1, |&parts| parts.into())
    }

    pub(crate) fn switch_count(&self) -> usize {
        self.has_host.len()
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub(crate) fn has_host(&self, switch: u32) -> bool {
        self.has_host[switch as usize]
    }

    /// Tells whether the space is that of a fabric with the same switches, ports and links.
    pub(crate) fn is_of(&self, fabric: &Fabric) -> bool {
        let is_alike = |switch: SwitchId| {
            let hops = fabric.hops(switch).iter();
            let own = self.edges_of(switch.number()).iter();
            own.map(|edge| (edge.port, edge.to))
                .eq(hops.map(|hop| (hop.port, hop.switch.number())))
        };
        fabric.switch_count() == self.switch_count() && fabric.switch_ids().all(is_alike)
    }

    /// Tells whether it is sure that paths lead from each of some switches to each: links join them, and
    /// where no path may turn from down to up, all ways up end at one switch. A path goes up to it and down
    /// the way up from its end. `false` where nobody can tell without a search.
    pub(crate) fn joins(&self, switches: &[SwitchId]) -> bool {
        let Some(first) = switches.first() else {
            return true;
        };
        let mut is_met = vec![false; self.switch_count()];
        is_met[first.index()] = true;
        let mut open = vec![first.number()];
        let mut tops = 0;
        while let Some(at) = open.pop() {
            let edges = self.edges_of(at);
            tops += u32::from(!edges.iter().any(|edge| edge.is_up(0)));
            for edge in edges {
                if !std::mem::replace(&mut is_met[edge.to as usize], true) {
                    open.push(edge.to);
                }
            }
        }
        let has_one_way_up = self.orientations == 1 && tops == 1;
        switches.iter().all(|switch| is_met[switch.index()])
            && match self.rule {
                TurnRule::Free => true,
                TurnRule::Forbidden => has_one_way_up,
                TurnRule::Descend | TurnRule::Stop { .. } => false,
            }
    }

    /// Tells whether routes with fewest stops are preferred among the shortest.
    pub(crate) fn prefers_fewest_stops(&self) -> bool {
        self.rule == TurnRule::Stop { fewest: true }
    }

    pub(crate) fn edge(&self, id: u32) -> &Edge {
        &self.edges[id as usize]
    }

    /// The switch that an edge leaves.
    pub(crate) fn tail(&self, id: u32) -> u32 {
        self.edge(self.edge(id).reverse).to
    }

    /// The ids of the ways out of a switch by ascending port.
    pub(crate) fn edge_ids(&self, switch: u32) -> std::ops::Range<u32> {
        self.offsets[switch as usize]..self.offsets[switch as usize + 1]
    }

    /// Counts the turns from an edge to a way out of the switch it leads to, those straight back
    /// included.
    pub(crate) fn turn_count(&self) -> usize {
        self.turn_offsets[self.edges.len()] as usize
    }

    /// The place of a turn in an array of all.
    #[inline]
    pub(crate) fn turn_place(&self, held: u32, wanted: u32) -> usize {
        let first = self.offsets[self.edge(held).to as usize];
        (self.turn_offsets[held as usize] + wanted - first) as usize
    }

    /// The place of a turn from an edge to the `exit`-th way out of the switch it leads to.
    #[inline]
    pub(crate) fn turn_place_by(&self, held: u32, exit: u8) -> usize {
        self.turn_offsets[held as usize] as usize + usize::from(exit)
    }

    /// The ways out of a switch by ascending port.
    pub(crate) fn edges_of(&self, switch: u32) -> &[Edge] {
        let ids = self.edge_ids(switch);
        &self.edges[ids.start as usize..ids.end as usize]
    }

    /// The way out of a switch by a port, whatever the port; `None` where no other switch is there.
    pub(crate) fn edge_by_port(&self, switch: u32, port: PortNumber) -> Option<u32> {
        let [first, end] = [0, 1].map(|next| self.port_offsets[switch as usize + next] as usize);
        let edge = self.edge_of_port[first..end].get(port.index()).copied();
        edge.filter(|&edge| edge != NO_EDGE)
    }

    pub(crate) fn edge_at(&self, switch: u32, port: PortNumber) -> u32 {
        self.edge_of_port[self.port_offsets[switch as usize] as usize + port.index()]
    }

    /// The ports of routes given by their edges.
    pub(crate) fn row<'p>(&self, paths: impl IntoIterator<Item = &'p Vec<u32>>) -> RouteRow {
        let ports = |path: &'p Vec<u32>| path.iter().map(|&edge| self.edge(edge).port);
        paths.into_iter().map(ports).collect()
    }

    /// A row per source, of a path for every destination that needs a route.
    pub(crate) fn rows<'p>(
        &self,
        endpoints: &Endpoints,
        path: impl Fn(usize, usize) -> Option<&'p Vec<u32>>,
    ) -> Vec<RouteRow> {
        const NO_PATH: &Vec<u32> = &Vec::new();
        let row = |from| {
            let needed = |to| endpoints.need_route(from, to).then(|| path(from, to));
            self.row((0..endpoints.count()).map(|to| needed(to).flatten().unwrap_or(NO_PATH)))
        };
        (0..endpoints.count()).map(row).collect()
    }

    /// The edges of the path that leaves a switch by ports.
    pub(crate) fn edges_along(&self, from: u32, ports: &[PortNumber]) -> impl Iterator<Item = u32> {
        let mut here = from;
        ports.iter().map(move |&port| {
            let edge = self.edge_at(here, port);
            here = self.edge(edge).to;
            edge
        })
    }

    pub(crate) fn state(&self, switch: u32, phase: u32) -> State {
        switch << self.phase_digits | phase
    }

    /// The switch and the phase of a state.
    pub(crate) fn place(&self, state: State) -> (u32, u32) {
        let switch = state >> self.phase_digits;
        (switch, state ^ switch << self.phase_digits)
    }

    /// Counts the states, some of which no route takes.
    pub(crate) fn state_count(&self) -> usize {
        self.switch_count() << self.phase_digits
    }

    /// The states in which routes from a switch may begin, one per orientation.
    pub(crate) fn starts(&self, switch: u32) -> impl Iterator<Item = State> + Clone + use<> {
        let first = self.state(switch, 0);
        (0..self.orientations).map(move |orientation| first + 2 * orientation)
    }

    /// The states in which routes to a switch may end.
    pub(crate) fn ends(&self, switch: u32) -> impl Iterator<Item = State> + Clone + use<> {
        let first = self.state(switch, 0);
        first..first + 2 * self.orientations
    }

    /// The phase after taking a channel, by where it leads up, at a switch, and whether that takes a stop;
    /// `None` where the rule forbids it.
    #[inline]
    pub(crate) fn turn(&self, switch: u32, phase: u32, edge: Ups) -> Option<(u32, bool)> {
        let (orientation, went_down) = (phase / 2, phase % 2 == 1);
        if self.rule == TurnRule::Free {
            return (phase == 0).then_some((0, false));
        }
        if !edge.is_up(orientation) {
            return Some((phase | 1, false));
        }
        if !went_down {
            return Some((phase, false));
        }
        match self.rule {
            TurnRule::Free | TurnRule::Forbidden => None,
            TurnRule::Stop { .. } => self.has_host[switch as usize].then_some((0, true)),
            TurnRule::Descend => {
                let next = orientation + 1;
                let phase = || 2 * next + u32::from(!edge.is_up(next));
                (next < self.orientations).then(|| (phase(), false))
            }
        }
    }

    /// The ways into a state: the state before, the edge taken from it, and whether the
    /// route stops there first. Ordered by the port of `at` they arrive on, then by phase.
    pub(crate) fn ways_into(&self, at: State) -> impl Iterator<Item = (State, u32, bool)> + '_ {
        let (switch, phase) = self.place(at);
        // A turn leads to the same orientation or, at most, to the next.
        let first_phase = match self.rule {
            TurnRule::Descend => (phase & !1).saturating_sub(2),
            _ => phase & !1,
        };
        self.edges_of(switch).iter().flat_map(move |back| {
            (first_phase..(phase & !1) + 2).filter_map(move |phase_before| {
                let (after, stop) = self.turn(back.to, phase_before, back.ups_back)?;
                (after == phase).then_some((self.state(back.to, phase_before), back.reverse, stop))
            })
        })
    }
}
