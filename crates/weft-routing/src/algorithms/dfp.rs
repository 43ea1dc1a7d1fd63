//! Dragonfly+: any way over at most one other group, on a lane that is raised where packets turn up again.

use super::{Algorithm, Lanes, Needs, RouteFunction};
use crate::error::{Refusal, RoutingError};
use crate::form::{AdaptiveRoutes, GroupNumbers, GroupTables, Lane, LaneKey, LaneTables};
use crate::orient::routed_part;
use crate::parameters::{LIDS, Parameters};
use crate::shape::joined_groups;
use weft_fabric::metrics::JoinedGroups;
use weft_fabric::{Fabric, Hop, PortNumber, SwitchId};

/// Adaptive routing of a dragonfly+.
///
/// Packets go up to a spine, over a link to another group, and down. That group is their host's, or another: there they
/// go on to their host's by a link of the same spine, or down to a leaf and up to a spine that has one, on lane 1 from
/// then on. Ways without another group come first; others are taken where none of these has room. On each lane
/// channels up come before those to other groups, and these before channels down, so that no packets wait for one another
/// in a circle.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "dfp",
    title: "adaptive dragonfly+",
    summary: "Lets a packet take, in groups of leaves and spines whose spines are joined, any spine and any link straight to \
              the group of its host if there is room, else one over another group, where its lane is raised.",
    needs: Needs::lanes(Lanes::PerFabric).tables(),
    further: "Packets take two lanes and cross one other group at most.",
    refuses: &[Refusal::JoinedGroups],
    source: "Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, “Dragonfly+: low cost topology for scaling datacenters”, \
             HiPINEB 2017; named after the engine of NVIDIA's manager for such networks; where the lane is raised \
             and what comes first are our own",
    parameters: &[LIDS],
    route: RouteFunction::Adaptive(route),
    is_blind_to_service: true,
    ..Algorithm::DEFAULT
};

/// The table of a leaf for packets of its hosts.
const OF_HOSTS: u8 = 0;
/// The table of a leaf for packets that come down to it to go up again.
const COME_DOWN: u8 = 1;
/// The table of a spine for packets that come up for the first time.
const COME_UP: u8 = 0;
/// The table of a spine for packets that come from another group for the first time.
const FROM_GROUP: u8 = 1;
/// The table of a spine for packets on the raised lane.
const RAISED: u8 = 2;

const LANES: u8 = 2;
const RAISED_LANE: Lane = Lane::new(1);

fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<AdaptiveRoutes, RoutingError> {
    let state = parameters.lid_state();
    let part = routed_part(fabric)?;
    let groups = joined_groups(fabric, &part)?;
    let mut tables = GroupTables::new(fabric, &vec![1; fabric.host_count()]);
    let mut numbers = vec![GroupNumbers::default(); fabric.switch_count()];
    for to in fabric.switches_with_hosts() {
        let ways = Ways::to(fabric, &groups, &part, to)?;
        for &at in &part {
            for (table, subgroups) in ways.of(at) {
                for &host in fabric.hosts_of(to) {
                    let entry = if at == to {
                        GroupNumbers::one(fabric.host_port(host))
                    } else {
                        let first = subgroups.iter().find(|ports| !ports.is_empty());
                        let port = first.map(|ports| ports[host.index() % ports.len()]);
                        numbers[at.index()].entry(port, subgroups.clone(), state)
                    };
                    let address = tables.addresses(host).start;
                    tables.set_entry(at, table, address, entry);
                }
            }
        }
    }
    for &at in &part {
        std::mem::take(&mut numbers[at.index()]).give(tables.switch_mut(at));
        for hop in fabric.hops(at) {
            let by_lane = match (groups.is_spine(at), leaves_group(&groups, at, hop)) {
                (true, true) => [FROM_GROUP, RAISED],
                (true, false) => [COME_UP, RAISED],
                (false, _) => [COME_DOWN; 2],
            };
            for (lane, table) in (0..).zip(by_lane) {
                tables.set_table(fabric, at, (hop.port, Lane::new(lane)), table);
            }
        }
    }
    tables.set_lane_tables(lanes(fabric, &groups, &part));
    Ok(AdaptiveRoutes::Groups(tables))
}

/// A table of a switch, and in it the ports that lead on, those that are preferred first.
type OfTable = (u8, Vec<Vec<PortNumber>>);

/// The ports that lead on to the hosts of a leaf, by switch.
struct Ways<'a> {
    fabric: &'a Fabric,
    groups: &'a JoinedGroups,
    to: SwitchId,
    /// Of its group: whether the switch is joined to the leaf.
    is_above: Vec<bool>,
    /// Of other groups: the ports straight to such a switch.
    straight: Vec<Vec<PortNumber>>,
    /// Of spines of other groups, for packets from a third: the ports straight on, or where there are none down to leaves
    /// above which a spine leads straight on.
    onward: Vec<Vec<PortNumber>>,
    /// Of spines of other groups: the ports to groups that lead on so.
    by_others: Vec<Vec<PortNumber>>,
}

impl<'a> Ways<'a> {
    fn to(
        fabric: &'a Fabric,
        groups: &'a JoinedGroups,
        part: &[SwitchId],
        to: SwitchId,
    ) -> Result<Self, RoutingError> {
        let count = fabric.switch_count();
        let mut ways = Self {
            fabric,
            groups,
            to,
            is_above: vec![false; count],
            straight: vec![Vec::new(); count],
            onward: vec![Vec::new(); count],
            by_others: vec![Vec::new(); count],
        };
        for hop in fabric.hops(to) {
            ways.is_above[hop.switch.index()] = true;
        }
        let is_far = |at: SwitchId| groups.group(at) != groups.group(to);
        for &at in part.iter().filter(|&&at| is_far(at)) {
            ways.straight[at.index()] = ways.ports(at, |next| ways.is_above[next.index()]);
        }
        let far_spines = || {
            part.iter()
                .copied()
                .filter(|&at| is_far(at) && groups.is_spine(at))
        };
        for at in far_spines() {
            ways.onward[at.index()] = if ways.leads_straight(at) {
                ways.straight[at.index()].clone()
            } else {
                ways.ports(at, |leaf| {
                    let above = || ways.ports(leaf, |next| ways.leads_straight(next));
                    !groups.is_spine(leaf) && !above().is_empty()
                })
            };
        }
        for at in far_spines() {
            ways.by_others[at.index()] = ways.ports(at, |next| {
                !ways.onward[next.index()].is_empty() && groups.group(next) != groups.group(at)
            });
        }
        for from in fabric.switches_with_hosts().filter(|&from| from != to) {
            let [_, subgroups] = ways.of_leaf(from);
            if subgroups.is_empty() {
                let [from, to] = [from, to].map(|switch| &fabric.switch(switch).name);
                return Err(RoutingError::NoJoinedGroups {
                    fabric: fabric.name().to_owned(),
                    reason: format!("no spine leads straight from “{from}” to “{to}”"),
                });
            }
        }
        Ok(ways)
    }

    /// The ports of a switch to switches that are wanted.
    fn ports(&self, at: SwitchId, wanted: impl Fn(SwitchId) -> bool) -> Vec<PortNumber> {
        let hops = self.fabric.hops(at).iter();
        hops.filter(|hop| wanted(hop.switch))
            .map(|hop| hop.port)
            .collect()
    }

    fn leads_straight(&self, spine: SwitchId) -> bool {
        !self.straight[spine.index()].is_empty()
    }

    /// The ports of a leaf to spines from which there are ways over another group alone, and to those that lead straight
    /// on, or down.
    fn of_leaf(&self, leaf: SwitchId) -> [Vec<PortNumber>; 2] {
        if self.groups.group(leaf) == self.groups.group(self.to) {
            let above = self.ports(leaf, |next| self.is_above[next.index()]);
            return [Vec::new(), above];
        }
        let straight = self.ports(leaf, |next| self.leads_straight(next));
        let round = self.ports(leaf, |next| {
            !self.leads_straight(next) && !self.by_others[next.index()].is_empty()
        });
        [round, straight]
    }

    /// What each table of a switch says of packets to the hosts of the leaf.
    fn of(&self, at: SwitchId) -> Vec<OfTable> {
        let is_near = self.groups.group(at) == self.groups.group(self.to);
        if !self.groups.is_spine(at) {
            let [round, straight] = self.of_leaf(at);
            let again = if is_near {
                Vec::new()
            } else {
                straight.clone()
            };
            return vec![(OF_HOSTS, vec![straight, round]), (COME_DOWN, vec![again])];
        }
        if is_near {
            let down = self.ports(at, |next| next == self.to);
            return [COME_UP, FROM_GROUP, RAISED]
                .map(|table| (table, vec![down.clone()]))
                .to_vec();
        }
        let straight = &self.straight[at.index()];
        let by_others = self.by_others[at.index()].clone();
        vec![
            (COME_UP, vec![straight.clone(), by_others]),
            (FROM_GROUP, vec![self.onward[at.index()].clone()]),
            (RAISED, vec![straight.clone()]),
        ]
    }
}

/// Whether a link of a switch leads to another group.
fn leaves_group(groups: &JoinedGroups, from: SwitchId, hop: &Hop) -> bool {
    groups.group(from) != groups.group(hop.switch)
}

/// Lanes that are raised where packets go up again, or on from group to group; all begin on lane 0.
fn lanes(fabric: &Fabric, groups: &JoinedGroups, part: &[SwitchId]) -> LaneTables {
    let mut tables = LaneTables::new(fabric, LaneKey::IncomingLane).in_use(LANES, LANES);
    tables.set_host([Some(Lane::ZERO); LaneTables::KEYS]);
    let mut raised = [None; LaneTables::KEYS];
    raised[0] = Some(RAISED_LANE);
    for &at in part {
        let is_raised = |hop: &&Hop| !groups.is_spine(at) || leaves_group(groups, at, hop);
        let hops: Vec<PortNumber> = fabric
            .hops(at)
            .iter()
            .filter(is_raised)
            .map(|hop| hop.port)
            .collect();
        for &from in &hops {
            for &to in &hops {
                tables.set(fabric, at, [from, to], raised);
            }
        }
    }
    tables
}
