//! What failures do not change of tables: who sends, and what the places of entries mean.

use super::failed_parts::Left;
use super::gathered::Gathered;
use super::level_rules::LevelRules;
use crate::form::{ForwardingTables, Lane, LanedSet, PairGranularity};
use crate::joining::{HeldLanes, WantedLanes};
use crate::paths::{NO_EDGE, PathSpace, TurnRule, links_from};
use std::sync::{Arc, OnceLock};
use weft_fabric::{ChannelId, Fabric, HostId, SwitchId, narrow};

/// No entry.
pub(super) const NO_EXIT: u8 = u8::MAX;

/// What failures do not change.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) fabric: Arc<Fabric>,
    pub(super) space: PathSpace,
    pub(super) granularity: PairGranularity,
    /// Per destination: its switch.
    pub(super) to: Vec<u32>,
    /// Per destination: whether anybody sends there.
    has_address: Vec<bool>,
    /// Whether the hosts of a switch share their service levels, and the lanes of these.
    pub(super) is_shared: bool,
    /// Who sends, by switch: an endpoint; of hosts that share levels, the first of a switch.
    pub(super) sources: Vec<usize>,
    /// Per switch: where its sources begin; then the number of all.
    source_offsets: Vec<usize>,
    pub(super) rules: LevelRules,
    /// Per edge: the switch that it leads to, and by what entry that goes back over the same link.
    pub(super) back: Vec<(u32, u8)>,
    /// Per switch that ways lead to, and per switch: the fewest links, if anybody has asked for these.
    fewest_links: OnceLock<Vec<u8>>,
}

/// What switches go on by to a destination.
#[derive(Clone, Copy)]
pub(super) struct Entries<'a> {
    pub(super) plan: &'a Plan,
    pub(super) destination: usize,
    /// Per switch: the place of its edge among those of the switch.
    pub(super) exits: &'a [u8],
}

impl Entries<'_> {
    pub(super) fn to(self) -> u32 {
        self.plan.to[self.destination]
    }

    pub(super) fn edge(self, at: u32) -> u32 {
        self.plan.edge(at, self.exits[at as usize])
    }

    /// The edges of the way from a switch, to where it ends.
    pub(super) fn way(self, from: u32) -> impl Iterator<Item = u32> {
        let mut at = from;
        // None is longer than there are switches, unless it leads in a circle that nobody sends on.
        (0..self.exits.len()).map_while(move |_| match self.edge(at) {
            NO_EDGE => None,
            edge => {
                at = self.plan.space.edge(edge).to;
                Some(edge)
            }
        })
    }
}

impl Plan {
    /// `None` where packets are on more pairs of a service level and a lane than sets have room for.
    pub(super) fn new(fabric: Arc<Fabric>, tables: &ForwardingTables) -> Option<Self> {
        let rules = LevelRules::new(tables)?;
        let space = PathSpace::new(&fabric, None, TurnRule::Free).with_rates(&fabric);
        let granularity = tables.granularity();
        let count = tables.endpoint_count();
        let is_shared = granularity == PairGranularity::Host
            && tables.levels_of_a_switch_agree()
            && rules.treat_hosts_alike(&fabric);
        let (mut sources, mut source_offsets) = (Vec::new(), vec![0]);
        for switch in fabric.switch_ids() {
            let hosts = fabric.hosts_of(switch).iter().map(|host| host.index());
            match granularity {
                PairGranularity::Host if is_shared => sources.extend(hosts.take(1)),
                PairGranularity::Host => sources.extend(hosts),
                PairGranularity::Switch => sources.extend(hosts.take(1).map(|_| switch.index())),
            }
            source_offsets.push(sources.len());
        }
        let switch = |endpoint| granularity.endpoint_switch(&fabric, endpoint);
        Some(Self {
            granularity,
            to: (0..count)
                .map(|endpoint| switch(endpoint).number())
                .collect(),
            has_address: (0..count)
                .map(|endpoint| !tables.addresses(endpoint).is_empty())
                .collect(),
            is_shared,
            sources,
            source_offsets,
            rules,
            back: (0..)
                .take(space.edge_count())
                .map(|edge| {
                    let edge = space.edge(edge);
                    (edge.to, exit(&space, edge.to, edge.reverse))
                })
                .collect(),
            space,
            fabric,
            fewest_links: OnceLock::new(),
        })
    }

    /// Finds for every two switches how far they are apart, so that many repairs need not follow ways that are longer.
    /// A byte for each two, and a search by breadth for each switch.
    pub(super) fn find_fewest_links(&self) {
        self.fewest_links.get_or_init(|| {
            let count = self.space.switch_count();
            let mut fewest = vec![0; count * count];
            for (row, to) in fewest.chunks_mut(count.max(1)).zip(0..) {
                for (fewest, links) in row.iter_mut().zip(links_from(&self.space, to)) {
                    // More is at least as much.
                    *fewest = narrow(links.min(u8::MAX.into()), "more was cut off");
                }
            }
            fewest
        });
    }

    /// Links of which no way from one switch to another has fewer: all that there are at least where they were
    /// [found](Self::find_fewest_links), else none.
    pub(super) fn least_links(&self, at: u32, to: u32) -> u32 {
        let found = self.fewest_links.get();
        let place = to as usize * self.space.switch_count() + at as usize;
        found.map_or(0, |fewest| fewest[place].into())
    }

    pub(super) fn edges(&self, exits: &[u8], destination: usize, next: &mut Vec<u32>) {
        let entries = self.entries(exits, destination);
        next.clear();
        next.extend((0..).take(entries.exits.len()).map(|at| entries.edge(at)));
    }

    pub(super) fn entries<'a>(&'a self, exits: &'a [u8], destination: usize) -> Entries<'a> {
        let switches = self.space.switch_count();
        Entries {
            plan: self,
            destination,
            exits: &exits[destination * switches..][..switches],
        }
    }

    #[inline]
    pub(super) fn edge(&self, at: u32, exit: u8) -> u32 {
        match exit {
            NO_EXIT => NO_EDGE,
            exit => self.space.edge_ids(at).start + u32::from(exit),
        }
    }

    pub(super) fn exit(&self, at: u32, edge: u32) -> u8 {
        exit(&self.space, at, edge)
    }

    /// The switch that an edge leaves, and its entry for that.
    pub(super) fn entry_for(&self, edge: u32) -> (u32, u8) {
        let at = self.space.tail(edge);
        (at, self.exit(at, edge))
    }

    /// The places of a switch's sources.
    pub(super) fn sources_of(&self, at: u32) -> std::ops::Range<usize> {
        self.source_offsets[at as usize]..self.source_offsets[at as usize + 1]
    }

    /// What all entries lead over: the pairs of each edge, and the turns that packets make.
    fn carried(&self, exits: &[u8], lanes: &[Lane], left: &Left) -> (Vec<u64>, WantedLanes) {
        let mut wanted = WantedLanes::new(&self.space, self.rules.lane_count());
        let mut loads = vec![0; self.space.edge_count()];
        let mut gathered = Gathered::new(self.space.switch_count());
        let mut next = Vec::new();
        for destination in (0..self.to.len()).filter(|&to| self.is_left(to, left)) {
            self.edges(exits, destination, &mut next);
            let row = &lanes[destination * self.sources.len()..][..self.sources.len()];
            self.gather(&mut gathered, &next, row, destination, left);
            add_loads(&mut loads, &next, &gathered.pairs, u64::wrapping_add);
            for (turn, levels) in gathered.turns(&self.space, &next) {
                for steps in self.rules.steps(&self.space, turn, levels) {
                    wanted.add(&steps);
                }
            }
        }
        (loads, wanted)
    }

    /// The pairs of each edge, and the turns that packets make, where what switches send counts or does not; `None`
    /// where these close a cycle.
    pub(super) fn held(
        &self,
        (exits, lanes): (&[u8], &[Lane]),
        left: &mut Left,
        counts_management: bool,
    ) -> Option<(Vec<u64>, HeldLanes)> {
        left.counts_management = counts_management;
        let (loads, wanted) = self.carried(exits, lanes, left);
        Some((loads, wanted.into_held()?))
    }

    /// Gathers what hosts that are left send to a destination, on the levels of its row.
    pub(super) fn gather(
        &self,
        gathered: &mut Gathered,
        next: &[u32],
        row: &[Lane],
        destination: usize,
        left: &Left,
    ) {
        let weight = self.weight(destination, left);
        let own = |at: u32| {
            let pairs = left.compute[at as usize] * weight;
            (self.own_levels(row, [at, next[at as usize]], left), pairs)
        };
        let turned = |turn: [u32; 2], levels| self.rules.turned(&self.space, turn, levels);
        gathered.gather(&self.space, next, own, turned);
    }

    /// What a switch that answers and its hosts send to a destination over an edge, whose row is given.
    pub(super) fn own_levels(&self, row: &[Lane], [at, edge]: [u32; 2], left: &Left) -> LanedSet {
        if edge == NO_EDGE {
            return 0;
        }
        if self.manages(at, left) {
            return self.rules.of_management();
        }
        let sends = self.sources_left(at, left);
        sends.fold(0, |all, source| {
            all | self.begun(source, [at, edge], row[source].number(), left)
        })
    }

    /// Whether what a switch sends counts, of those that answer. On one lane that is so of each: what comes of its hosts
    /// is on that lane, too. On several it is so of those that are bare, as levels of hosts keep others apart.
    #[inline]
    pub(super) fn manages(&self, at: u32, left: &Left) -> bool {
        left.counts_management
            && left.answers[at as usize]
            && (self.rules.is_one_lane() || left.bare[at as usize])
    }

    /// Tells whether lanes hold all turns of the way from a switch that stands: on one lane they do so for what it sends
    /// itself.
    pub(super) fn holds_way_from(&self, at: u32, left: &Left) -> bool {
        self.rules.is_one_lane() && (left.sends[at as usize] || self.manages(at, left))
    }

    /// Tells whether what is sent to whom is left goes over the edges that are left as before, where no entry changes: on
    /// one lane each switch sends that has not failed itself with all its edges.
    pub(super) fn alike_where_ways_stay(&self, left: &Left, before: &Left) -> bool {
        let answers = left.answers.iter().zip(&before.answers);
        let mut silent = answers
            .zip(&left.switches)
            .filter(|((is, was), _)| is != was);
        let is_one_lane = left.counts_management && self.rules.is_one_lane();
        is_one_lane && silent.all(|(_, stands)| !stands)
    }

    /// The places of the sources of a switch that are left.
    pub(super) fn sources_left(&self, at: u32, left: &Left) -> impl Iterator<Item = usize> {
        let each_alone = self.granularity == PairGranularity::Host && !self.is_shared;
        self.sources_of(at).filter(move |&source| {
            left.sends[at as usize] && (!each_alone || left.hosts[self.sources[source]])
        })
    }

    /// What a source sends by a service level from its switch over an edge.
    fn begun(&self, source: usize, [at, edge]: [u32; 2], level: u8, left: &Left) -> LanedSet {
        if self.granularity == PairGranularity::Host {
            let host = HostId::from_index(self.sources[source]);
            let input = self.fabric.host_port(host);
            return self.rules.begun(&self.space, input, edge, level);
        }
        let hosts = self.fabric.hosts_of(SwitchId::new(at)).iter();
        let hosts = hosts.filter(|host| left.hosts[host.index()]);
        hosts.fold(0, |all, &host| {
            let input = self.fabric.host_port(host);
            all | self.rules.begun(&self.space, input, edge, level)
        })
    }

    /// What packets of a service level are on that come to a path: of the sources that are left at a switch, if it has
    /// any, else from other neighbours that are left, of which one will do.
    pub(super) fn coming(&self, at: u32, path: &[u32], level: u8, left: &Left) -> Coming {
        let Some(&edge) = path.first() else {
            return Coming::All(0);
        };
        let mut sources = self.sources_left(at, left).peekable();
        if sources.peek().is_some() {
            let begun = sources.map(|source| self.begun(source, [at, edge], level, left));
            let mut all = 0;
            for one in begun {
                if one == 0 {
                    return Coming::Nobody;
                }
                all |= one;
            }
            return Coming::All(all);
        }
        let inputs = self.space.edges_of(at).iter().map(|edge| edge.reverse);
        let inputs =
            inputs.filter(|&input| input != self.space.edge(edge).reverse && left.has(input));
        Coming::Any(self.rules.passing(&self.space, inputs, edge, level))
    }

    /// The compute ends left that a destination stands for.
    pub(super) fn weight(&self, destination: usize, left: &Left) -> u64 {
        match self.granularity {
            PairGranularity::Host => {
                let host = HostId::from_index(destination);
                u64::from(left.hosts[destination] && !self.fabric.is_service(host))
            }
            PairGranularity::Switch => left.compute[destination],
        }
    }

    /// Tells whether somebody still sends to a destination.
    pub(super) fn is_left(&self, destination: usize, left: &Left) -> bool {
        let stands = match self.granularity {
            PairGranularity::Host => left.hosts[destination],
            PairGranularity::Switch => left.sends[destination],
        };
        stands && self.has_address[destination]
    }

    /// The channel of an edge.
    pub(super) fn channel(&self, edge: u32) -> ChannelId {
        let hops = self.fabric.hops(SwitchId::new(self.space.tail(edge)));
        let first = self.space.edge_ids(self.space.tail(edge)).start;
        hops[(edge - first) as usize].channel
    }
}

/// The entry by which a switch goes on by an edge.
fn exit(space: &PathSpace, at: u32, edge: u32) -> u8 {
    match edge {
        NO_EDGE => NO_EXIT,
        edge => narrow(
            (edge - space.edge_ids(at).start) as usize,
            "a switch has at most 254 ports",
        ),
    }
}

/// Who comes to a path by a service level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coming {
    /// All of these.
    All(LanedSet),
    /// Some of these.
    Any(LanedSet),
    /// The switch has no lane for the level of some source.
    Nobody,
}

/// Adds or takes away, for every edge that switches go on by, the pairs they send over it.
pub(super) fn add_loads(
    loads: &mut [u64],
    next: &[u32],
    pairs: &[u64],
    change: impl Fn(u64, u64) -> u64,
) {
    for (&edge, &pairs) in next.iter().zip(pairs) {
        if edge != NO_EDGE {
            loads[edge as usize] = change(loads[edge as usize], pairs);
        }
    }
}
