//! Random tables of switches that choose among groups of ports: up and down, which cannot deadlock, and by all shortest
//! ways, which can.

use super::super::case::DrawnRouting;
use super::super::random::Draws;
use super::routes::{DrawnRoutes, lane_tables};
use std::fmt::Write;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId, metrics};
use weft_routing::{
    AdaptiveRoutes, GroupEntry, GroupTables, Lane, LaneTables, LidState, PortGroup, Subgroup,
};

/// What is drawn from.
pub(crate) const KINDS: [&str; 2] = ["groups up and down", "groups of shortest ways"];

/// Tables that lead to every host whatever packets choose.
pub(crate) fn draw(draws: &mut Draws, fabric: &Fabric) -> DrawnRouting<DrawnRoutes> {
    let is_sound = draws.once_in(2);
    let ways = if is_sound {
        Ways::up_and_down(draws, fabric)
    } else {
        Ways::shortest(fabric)
    };
    let (tables, details) = tables(draws, fabric, &ways);
    let kind = KINDS[usize::from(!is_sound)];
    DrawnRouting {
        description: format!("{kind}, {details}"),
        routes: DrawnRoutes::Adaptive(AdaptiveRoutes::Groups(tables)),
        kind: kind.to_owned(),
        is_deadlock_free: is_sound,
        is_repaired: false,
        are_refused: false,
    }
}

/// Per destination switch and switch: the ports that lead on.
pub(crate) struct Ways(Vec<Vec<Vec<PortNumber>>>);

impl Ways {
    /// All ports that lead nearer.
    pub(crate) fn shortest(fabric: &Fabric) -> Self {
        let of = |to: SwitchId| {
            let links = metrics::distances_from(fabric, to);
            let ports = |here: SwitchId| {
                let hops = fabric.hops(here).iter();
                let nearer = hops.filter(|hop| links[hop.switch.index()] < links[here.index()]);
                nearer.map(|hop| hop.port).collect()
            };
            fabric.switch_ids().map(ports).collect()
        };
        Self(fabric.switch_ids().map(of).collect())
    }

    /// Down by shortest ways where all of the way leads down, else up by any port.
    pub(crate) fn up_and_down(draws: &mut Draws, fabric: &Fabric) -> Self {
        let root = SwitchId::from_index(draws.index(fabric.switch_count()));
        let levels = metrics::distances_from(fabric, root);
        let place = |switch: SwitchId| (levels[switch.index()], switch);
        let of = |to: SwitchId| {
            let down = links_down(fabric, to, place);
            let ports = |here: SwitchId| {
                let leads_on = |next: SwitchId| match down[here.index()] {
                    Some(links) => down[next.index()]
                        .is_some_and(|after| place(next) > place(here) && after < links),
                    None => place(next) < place(here),
                };
                let hops = fabric.hops(here).iter();
                let hops = hops.filter(|hop| leads_on(hop.switch));
                hops.map(|hop| hop.port).collect()
            };
            fabric.switch_ids().map(ports).collect()
        };
        Self(fabric.switch_ids().map(of).collect())
    }
}

/// Per switch: the links of a shortest way down to a switch, if there is one.
fn links_down<P: PartialOrd>(
    fabric: &Fabric,
    to: SwitchId,
    place: impl Fn(SwitchId) -> P,
) -> Vec<Option<u32>> {
    let mut links = vec![None; fabric.switch_count()];
    links[to.index()] = Some(0);
    let mut reached = vec![to];
    let mut distance = 0;
    while !reached.is_empty() {
        distance += 1;
        let mut above = Vec::new();
        for &here in &reached {
            for hop in fabric.hops(here) {
                let known = &mut links[hop.switch.index()];
                if known.is_none() && place(hop.switch) < place(here) {
                    *known = Some(distance);
                    above.push(hop.switch);
                }
            }
        }
        reached = above;
    }
    links
}

/// Tables by some of the ways, and what they are.
fn tables(draws: &mut Draws, fabric: &Fabric, ways: &Ways) -> (GroupTables, String) {
    let by_pair = draws.once_in(4);
    let counts: &[u8] = if by_pair { &[1] } else { &[1, 1, 1, 2, 4] };
    let addresses: Vec<u8> = fabric.host_ids().map(|_| *draws.choose(counts)).collect();
    let mut tables = GroupTables::new(fabric, &addresses);
    let level = u8::try_from(draws.index(3)).unwrap();
    tables.set_service_level(level);
    let mut details = format!("service level {level}");
    if by_pair {
        let first = draws.index(3);
        let level = |source: HostId, address: usize| {
            u8::try_from((first + source.index() * 7 + address * 5) % 3).unwrap()
        };
        tables.set_pair_levels(level);
        details = format!("service levels by pair from {first} on");
    }
    if draws.once_in(2) {
        let (lanes, _) = lane_tables(draws, fabric);
        write!(details, ", lanes by {:?}", lanes.key()).unwrap();
        tables.set_lane_tables(lanes);
    }
    for switch in fabric.switch_ids() {
        let several = if draws.once_in(3) { 3 } else { 1 };
        for table in 0..several {
            for destination in fabric.host_ids() {
                set_entries(
                    draws,
                    fabric,
                    ways,
                    (switch, table, destination),
                    &mut tables,
                );
            }
        }
        if several > 1 {
            spread(draws, fabric, (switch, several), &mut tables);
        }
        let levels = *draws.choose(&[u16::MAX, u16::MAX, 1 << level, 0]);
        let tables = tables.switch_mut(switch);
        tables.adaptive_levels = levels;
        tables.hashed_levels = *draws.choose(&[None, None, Some(0), Some(1 << level)]);
        tables.levels_by_lane = *draws.choose(&[0, 0, 1 << level, u16::MAX]);
    }
    (tables, details)
}

/// Which packets look into which of the tables of a switch.
fn spread(
    draws: &mut Draws,
    fabric: &Fabric,
    (switch, several): (SwitchId, u8),
    tables: &mut GroupTables,
) {
    for port in 0..=fabric.switch(switch).port_count {
        for lane in 0..LaneTables::KEYS {
            let entered = (
                PortNumber::new(port),
                Lane::new(u8::try_from(lane).unwrap()),
            );
            let table = u8::try_from(draws.index(several.into())).unwrap();
            tables.set_table(fabric, switch, entered, table);
        }
    }
}

/// What one table of a switch knows of the addresses of a host.
fn set_entries(
    draws: &mut Draws,
    fabric: &Fabric,
    ways: &Ways,
    (switch, table, destination): (SwitchId, u8, HostId),
    tables: &mut GroupTables,
) {
    let to = fabric.host_switch(destination);
    let all = if switch == to {
        vec![fabric.host_port(destination)]
    } else {
        ways.0[to.index()][switch.index()].clone()
    };
    for address in tables.addresses(destination) {
        let state = *draws.choose(&[
            LidState::Free,
            LidState::Free,
            LidState::Hashed,
            LidState::Static,
        ]);
        let groups = &mut tables.switch_mut(switch).groups;
        let group = u16::try_from(groups.len()).unwrap();
        groups.push(some_of(draws, &all));
        let entry = GroupEntry {
            static_port: *draws.choose(&all),
            state,
            group,
        };
        tables.set_entry(switch, table, address, entry);
    }
}

/// A group of some ports, now and then of none.
fn some_of(draws: &mut Draws, all: &[PortNumber]) -> PortGroup {
    let mut ports = all.to_vec();
    if draws.once_in(4) {
        draws.shuffle(&mut ports);
        ports.truncate(draws.index(ports.len() + 1));
    }
    let count = *draws.choose(&[1, 1, 2, 3]);
    let mut subgroups = vec![Subgroup::default(); count];
    for &port in &ports {
        // A port may be in several.
        for _ in 0..*draws.choose(&[1, 1, 1, 2]) {
            subgroups[draws.index(count)].ports.push(port);
        }
    }
    if draws.once_in(2) {
        for one in &mut subgroups {
            one.weight = *draws.choose(&[0, 1, 1, 2, 7]);
        }
    }
    PortGroup::new(subgroups)
}
