//! What tables of groups tell a packet, read from them as they stand.

use super::ways::{Output, found};
use crate::draws::{flow_number, share};
use weft_fabric::{HostId, PortNumber, SwitchId};
use weft_routing::{GroupTables, Lane, LaneKey, LidState, PortGroup};

/// A packet in front of a buffer of a switch.
#[derive(Clone, Debug)]
pub(super) struct Asking {
    pub(super) switch: SwitchId,
    /// Where it came in.
    pub(super) came_by: PortNumber,
    pub(super) came_on: Lane,
    pub(super) source: HostId,
    pub(super) destination: HostId,
    /// The number by which it has one of what it might choose from, where switches do not choose.
    pub(super) number: Option<u64>,
    /// The ports of the switch behind which links or switches have failed.
    pub(super) failed: Vec<PortNumber>,
}

/// The service level of packets between two hosts, to the first address of the destination.
fn level_of(tables: &GroupTables, source: HostId, destination: HostId) -> u8 {
    let told = tables.pair_level(source, tables.addresses(destination).start);
    told.unwrap_or_else(|| tables.service_level())
}

/// The lane on which a host sends to another.
pub(super) fn host_lane(tables: &GroupTables, [source, destination]: [HostId; 2]) -> Lane {
    let level = level_of(tables, source, destination);
    let lane = match tables.lane_tables() {
        None => Some(Lane::new(level)),
        Some(lanes) => lanes.host()[usize::from(level)],
    };
    found(lane, "a lane for the service level at a host")
}

/// What a packet may take, in classes: outputs of a class where none of those before is open.
pub(super) fn offered(tables: &GroupTables, asking: &Asking) -> Vec<Vec<Output>> {
    let on_lanes = |ports: Vec<PortNumber>| -> Vec<Output> {
        let with_lane = |port| (port, lane_after(tables, asking, port));
        ports.into_iter().map(with_lane).collect()
    };
    let classes = ports(tables, asking).into_iter().map(on_lanes);
    classes.filter(|class| !class.is_empty()).collect()
}

/// The same without lanes.
fn ports(tables: &GroupTables, asking: &Asking) -> Vec<Vec<PortNumber>> {
    let switch = tables.switch(asking.switch);
    let table = switch.table(asking.came_by, looked_up_by(tables, asking));
    // Packets go to the first address of a host.
    let address = tables.addresses(asking.destination).start;
    let entry = switch.entries(table)[address];
    let levels = match (entry.state, switch.hashed_levels) {
        (LidState::Hashed, Some(levels)) => levels,
        _ => switch.adaptive_levels,
    };
    let level = level_of(tables, asking.source, asking.destination);
    let may_choose = levels & 1 << level != 0;
    let group = switch.groups.get(usize::from(entry.group));
    let group = group.filter(|group| may_choose && !all_ports(group).is_empty());
    let by_number = |group: &PortGroup, number: u64| {
        let tickets = tickets(group, &asking.failed);
        vec![vec![tickets[share(number, tickets.len())]]]
    };
    match (entry.state, group) {
        (LidState::Free, Some(group)) => {
            let subgroups = group.subgroups().iter();
            let of_all = || subgroups.map(|one| one.ports.clone()).collect();
            let number = asking.number;
            number.map_or_else(of_all, |number| by_number(group, number))
        }
        (LidState::Hashed, Some(group)) => {
            let ends = [asking.source, asking.destination].map(HostId::number);
            by_number(group, flow_number(asking.switch.number(), ends))
        }
        (LidState::Static, _) | (_, None) => vec![vec![entry.static_port]],
    }
}

/// The ports of all subgroups, ascending, each once.
fn all_ports(group: &PortGroup) -> Vec<PortNumber> {
    let mut all = Vec::new();
    for port in (1..=u8::MAX).map(PortNumber::new) {
        if group
            .subgroups()
            .iter()
            .any(|one| one.ports.contains(&port))
        {
            all.push(port);
        }
    }
    all
}

/// The ports that are drawn from: each that works as often as its subgroup weighs, one subgroup after another; where none
/// weighs anything, each once. Where none works, that goes for all.
fn tickets(group: &PortGroup, failed: &[PortNumber]) -> Vec<PortNumber> {
    let mut working = all_ports(group);
    working.retain(|port| !failed.contains(port));
    if working.is_empty() {
        working = all_ports(group);
    }
    let mut tickets = Vec::new();
    for subgroup in group.subgroups() {
        for port in subgroup.ports.iter().filter(|port| working.contains(port)) {
            tickets.extend(std::iter::repeat_n(*port, subgroup.weight.into()));
        }
    }
    if tickets.is_empty() {
        return working;
    }
    tickets
}

/// The lane of a packet behind a port.
fn lane_after(tables: &GroupTables, asking: &Asking, port: PortNumber) -> Lane {
    let Some(lanes) = tables.lane_tables() else {
        return asking.came_on;
    };
    let row = lanes.row(asking.switch, [asking.came_by, port]);
    let key = looked_up_by(tables, asking);
    found(row[key.index()], "a lane for the packet at a switch")
}

/// What a switch looks a packet up by: the lane that it came on, or its service level.
fn looked_up_by(tables: &GroupTables, asking: &Asking) -> Lane {
    let level = level_of(tables, asking.source, asking.destination);
    let own = tables.switch(asking.switch).levels_by_lane & 1 << level != 0;
    match tables.lane_tables() {
        Some(lanes) if lanes.key() == LaneKey::ServiceLevel && !own => Lane::new(level),
        _ => asking.came_on,
    }
}
