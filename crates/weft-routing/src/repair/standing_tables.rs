//! Tables as far as they still stand.

use crate::cycles::LaneSet;
use crate::form::{ForwardingTables, Lane, PairGranularity, Routes};
use crate::joining::{HeldLanes, WantedLanes, WaysToOne};
use crate::paths::{NO_EDGE, PathSpace};
use crate::repair::RepairError;
use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId, SwitchId};

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
    /// Per destination: the ways that entries give which are left.
    pub(super) ways: Vec<WaysToOne>,
    /// Per source and destination.
    pub(super) lanes: Vec<Lane>,
    pub(super) lane_count: usize,
    under_way: UnderWay,
}

/// Packets that were under way when parts failed, on all old routes: broken ones too, and those of what
/// is gone.
#[derive(Default)]
struct UnderWay {
    /// Per lane and turn: what still stands of the routes, also behind a failed link.
    turns: Vec<(Lane, [u32; 2])>,
    /// Per destination that is left, lane, and switch: where packets come to that no source which is left
    /// would send there.
    behind: Vec<(usize, Lane, u32)>,
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
        let ways = endpoint_of.iter().enumerate().map(|(destination, &known)| {
            let address = tables.addresses(known).next();
            let edge = |at: SwitchId| {
                let was = SwitchId::from_index(switch_of[at.index()]);
                let port = tables.next_port(was, address?)?;
                space.edge_by_port(at.number(), port)
            };
            let switches = after.switch_ids();
            let next = switches.map(|at| edge(at).unwrap_or(NO_EDGE)).collect();
            WaysToOne::new(space, granularity.endpoint_switch(after, destination), next)
        });
        let ways = ways.collect();
        let mut left = vec![None; before.switch_count()];
        for at in after.switch_ids() {
            left[switch_of[at.index()]] = Some(at.number());
        }
        let mut destinations = vec![None; tables.endpoint_count()];
        for (destination, &known) in endpoint_of.iter().enumerate() {
            destinations[known] = Some(destination);
        }
        let under_way = UnderWay::of(before, tables, space, &left, &destinations);
        let lane = |from: usize, to: usize| tables.lane(endpoint_of[from], endpoint_of[to]);
        let rows = sources
            .iter()
            .flat_map(|&(from, _)| (0..count).map(move |to| lane(from, to)));
        Ok(Self {
            lanes: rows.collect(),
            lane_count: tables.lane_count().into(),
            after,
            space,
            granularity,
            count,
            is_shared,
            sources,
            ways,
            under_way,
        })
    }

    /// Lanes and switches where packets to a destination come to behind what failed: on old routes that
    /// broke before, or from sources that are gone.
    pub(super) fn behind(&self, destination: usize) -> &[(usize, Lane, u32)] {
        let all = &self.under_way.behind;
        let start = all.partition_point(|found| found.0 < destination);
        let end = all.partition_point(|found| found.0 <= destination);
        &all[start..end]
    }

    /// Lanes that hold the turns of all old routes, also of the pieces of those that broke, on either side
    /// of what failed.
    pub(super) fn held(&self) -> Result<HeldLanes, RepairError> {
        let mut wanted = WantedLanes::new(self.space, self.lane_count);
        for &(lane, turn) in &self.under_way.turns {
            wanted.add(&turn.map(|edge| (edge, lane)));
        }
        wanted.into_held().ok_or(RepairError::Deadlock)
    }

    pub(super) fn tables(&self, ways: &[WaysToOne], lanes: &[Lane]) -> ForwardingTables {
        let switches = self.space.switch_count();
        let mut tables = ForwardingTables::with_one_address(self.after, self.granularity);
        for (destination, ways) in ways.iter().enumerate() {
            for address in tables.addresses(destination) {
                for at in self.after.switch_ids() {
                    if let Some(port) = ways.port(self.space, at.number()) {
                        tables.set_next_port(at, address, port);
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
            let switches = self.ways.iter().map(WaysToOne::to);
            tables.set_lanes_by_switch(switches.collect(), all);
        } else {
            tables.set_lanes(all);
        }
        tables
    }
}

impl UnderWay {
    /// Follows every old route through the fabric there was. Of its switches, `left` tells the number that
    /// each has in what is left; of its destinations, `destinations` does.
    fn of(
        before: &Fabric,
        tables: &ForwardingTables,
        space: &PathSpace,
        left: &[Option<u32>],
        destinations: &[Option<usize>],
    ) -> Self {
        let routes = Routes::from(tables.clone());
        let mut found = Self::default();
        let mut is_known: Vec<LaneSet> = vec![0; space.turn_count()];
        let sends = |sources: &[HostId], from: Option<u32>| match tables.granularity() {
            PairGranularity::Host => {
                let mut sources = sources.iter();
                sources.any(|host| destinations[host.index()].is_some())
            }
            PairGranularity::Switch => from.is_some_and(|from| space.has_host(from)),
        };
        for route in routes.shared(before) {
            let walk = routes.walk_shared(before, &route);
            let lane = Lane::new(walk.service_level());
            let to = destinations[route.endpoints[1]];
            let mut held: Option<u32> = None;
            // Who is left is followed from where it sends.
            let mut is_behind = !sends(route.sources, left[walk.switch().index()]);
            for step in walk {
                let at = left[step.switch.index()];
                if let (true, Some(to), Some(at)) = (is_behind, to, at) {
                    found.behind.push((to, lane, at));
                }
                let edge = at.and_then(|at| space.edge_by_port(at, step.port));
                if let (Some(held), Some(wanted)) = (held, edge) {
                    let known = &mut is_known[space.turn_place(held, wanted)];
                    if *known >> lane.number() & 1 == 0 {
                        *known |= 1 << lane.number();
                        found.turns.push((lane, [held, wanted]));
                    }
                }
                is_behind = edge.is_none();
                held = edge;
            }
        }
        found.behind.sort_unstable();
        found.behind.dedup();
        found
    }
}
