//! Tables as far as they still stand.

use crate::cycles::{Dependencies, LaneGrowth};
use crate::form::{ForwardingTables, Lane, PairGranularity};
use crate::paths::PathSpace;
use crate::repair::RepairError;
use std::collections::BTreeMap;
use weft_fabric::{Fabric, SwitchId};

/// The old tables, as far as they still stand.
pub(super) struct Old<'a> {
    pub(super) after: &'a Fabric,
    pub(super) space: &'a PathSpace,
    pub(super) granularity: PairGranularity,
    /// Destinations left.
    pub(super) count: usize,
    /// Whether the hosts of a switch share their lanes.
    pub(super) is_shared: bool,
    /// Who sends: an endpoint and its switch; of hosts that share lanes, the first of a switch.
    pub(super) sources: Vec<(usize, u32)>,
    /// Per destination and switch: the edge that the entry leads over, if it is left.
    pub(super) entries: Vec<Option<u32>>,
    /// Per source and destination.
    pub(super) lanes: Vec<Lane>,
    pub(super) lane_count: usize,
}

impl<'a> Old<'a> {
    /// Tables of a fabric as far as they stand in what is left of it.
    pub(super) fn new(
        before: &Fabric,
        tables: &ForwardingTables,
        after: &'a Fabric,
        space: &'a PathSpace,
    ) -> Result<Self, RepairError> {
        let names = before
            .switch_ids()
            .map(|s| (before.switch(s).name.as_str(), s.index()));
        let switches: BTreeMap<&str, usize> = names.collect();
        let names = before
            .host_ids()
            .map(|h| (before.host(h).name.as_str(), h.index()));
        let hosts: BTreeMap<&str, usize> = names.collect();
        let known = |map: &BTreeMap<&str, usize>, what, name: &String| {
            let found = map.get(name.as_str()).copied();
            let name = name.clone();
            found.ok_or(RepairError::NotBefore { what, name })
        };
        let switch_of: Vec<usize> = after
            .switch_ids()
            .map(|s| known(&switches, "switch", &after.switch(s).name))
            .collect::<Result<_, _>>()?;
        let host_of: Vec<usize> = after
            .host_ids()
            .map(|h| known(&hosts, "host", &after.host(h).name))
            .collect::<Result<_, _>>()?;
        let granularity = tables.granularity();
        let endpoint_of = match granularity {
            PairGranularity::Switch => &switch_of,
            PairGranularity::Host => &host_of,
        };
        let count = endpoint_of.len();
        let is_shared = granularity == PairGranularity::Host && tables.sources_of_a_switch_agree();
        let mut sources = Vec::new();
        let mut is_met = vec![false; after.switch_count()];
        for endpoint in 0..count {
            let switch = granularity.endpoint_switch(after, endpoint);
            let is_first = !std::mem::replace(&mut is_met[switch.index()], true);
            if !after.hosts_of(switch).is_empty() && (is_first || !is_shared) {
                sources.push((endpoint, switch.number()));
            }
        }
        let mut entries = vec![None; count * after.switch_count()];
        for (destination, &known) in endpoint_of.iter().enumerate() {
            let to = granularity.endpoint_switch(after, destination);
            for address in tables.addresses(known) {
                for at in after.switch_ids().filter(|&at| at != to) {
                    let was = SwitchId::from_index(switch_of[at.index()]);
                    let port = tables.next_port(was, address);
                    let edge = port.and_then(|port| {
                        let mut edges = space.edge_ids(at.number());
                        edges.find(|&edge| space.edge(edge).port == port)
                    });
                    entries[destination * after.switch_count() + at.index()] = edge;
                }
            }
        }
        let lane = |from: usize, to: usize| tables.lane(endpoint_of[from], endpoint_of[to]);
        let rows = sources
            .iter()
            .flat_map(|&(from, _)| (0..count).map(move |to| lane(from, to)));
        Ok(Self {
            lanes: rows.collect(),
            lane_count: usize::from(tables.lane_count()),
            after,
            space,
            granularity,
            count,
            is_shared,
            sources,
            entries,
        })
    }

    /// The switch of a destination.
    pub(super) fn to(&self, destination: usize) -> u32 {
        self.granularity
            .endpoint_switch(self.after, destination)
            .number()
    }

    /// The edges that entries lead over from a switch, as far as they go, and whether they
    /// lead to the destination.
    pub(super) fn path(
        &self,
        entries: &[Option<u32>],
        from: u32,
        destination: usize,
    ) -> (Vec<u32>, bool) {
        let (mut at, to) = (from, self.to(destination));
        let of = &entries[destination * self.space.switch_count()..][..self.space.switch_count()];
        let mut path = Vec::new();
        while at != to && path.len() < self.space.switch_count() {
            let Some(edge) = of[at as usize] else { break };
            path.push(edge);
            at = self.space.edge(edge).to;
        }
        (path, at == to)
    }

    /// Lanes that hold the turns of all old routes, also the pieces of those that broke.
    pub(super) fn growth(&self) -> Result<LaneGrowth<'a>, RepairError> {
        let mut graphs = vec![Dependencies::new(self.space.edge_count()); self.lane_count];
        self.each_turn(|lane, [held, wanted]| {
            if graphs[lane].uses(held, wanted) == 0 {
                graphs[lane].add(held, wanted);
            }
        });
        let ranks: Option<Vec<Vec<u32>>> = graphs.iter().map(Dependencies::ranks).collect();
        let mut growth = LaneGrowth::new(self.space, ranks.ok_or(RepairError::Deadlock)?);
        self.each_turn(|lane, turn| {
            let is_held = growth.hold(lane, &turn);
            debug_assert!(is_held, "what ascends closes no cycle");
        });
        Ok(growth)
    }

    fn each_turn(&self, mut visit: impl FnMut(usize, [u32; 2])) {
        for (place, &(_, from)) in self.sources.iter().enumerate() {
            for destination in 0..self.count {
                let lane = self.lanes[place * self.count + destination].index();
                let (path, _) = self.path(&self.entries, from, destination);
                for turn in path.windows(2) {
                    visit(lane, [turn[0], turn[1]]);
                }
            }
        }
    }

    pub(super) fn tables(&self, entries: &[Option<u32>], lanes: &[Lane]) -> ForwardingTables {
        let switches = self.space.switch_count();
        let mut tables = ForwardingTables::with_one_address(self.after, self.granularity);
        for destination in 0..self.count {
            for address in tables.addresses(destination) {
                let of = &entries[destination * switches..][..switches];
                for (at, edge) in (0..).zip(of) {
                    if let Some(edge) = edge {
                        let port = self.space.edge(*edge).port;
                        tables.set_next_port(SwitchId::new(at), address, port);
                    }
                }
            }
        }
        let rows = if self.is_shared { switches } else { self.count };
        let mut all = vec![Lane::ZERO; rows * self.count];
        for (&(endpoint, switch), row) in self.sources.iter().zip(lanes.chunks(self.count.max(1))) {
            let place = if self.is_shared {
                switch as usize
            } else {
                endpoint
            };
            all[place * self.count..][..self.count].copy_from_slice(row);
        }
        if self.is_shared {
            let switch = |to: usize| self.to(to);
            tables.set_lanes_by_switch((0..self.count).map(switch).collect(), all);
        } else {
            tables.set_lanes(all);
        }
        tables
    }
}
