//! Tables of switches that choose among groups of ports: by hand, and at random.

use crate::fabrics::port_to;
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId, metrics};
use weft_routing::{
    GroupEntry, GroupTables, Lane, LaneKey, LaneTables, LidState, PortGroup, Subgroup,
};

/// Tables by which a switch (first) sends packets to hosts of another (second) by any of the next switches that are
/// told, the first of them for packets that may not choose; none where the two are the same.
pub fn groups_of(
    fabric: &Fabric,
    state: LidState,
    next: impl Fn(usize, usize) -> Vec<usize>,
) -> GroupTables {
    let mut tables = GroupTables::new(fabric, &vec![1; fabric.host_count()]);
    for host in fabric.host_ids() {
        let to = fabric.host_switch(host);
        for at in fabric.switch_ids() {
            let ports: Vec<PortNumber> = if at == to {
                vec![fabric.host_port(host)]
            } else {
                let next = next(at.index(), to.index()).into_iter();
                next.map(|next| port_to(fabric, at.index(), next)).collect()
            };
            set_group(&mut tables, (at, 0), host, &ports, state);
        }
    }
    tables
}

/// Tables without a choice in which each host has two addresses: packets to the first go as by `first`, those to the other
/// as by `second`, by their static ports.
pub fn two_addresses(fabric: &Fabric, first: &GroupTables, second: &GroupTables) -> GroupTables {
    let mut tables = GroupTables::new(fabric, &vec![2; fabric.host_count()]);
    for (place, of) in [first, second].into_iter().enumerate() {
        for (at, host) in fabric
            .switch_ids()
            .flat_map(|at| fabric.host_ids().map(move |host| (at, host)))
        {
            let entry = GroupEntry {
                state: LidState::Static,
                ..of.switch(at).entries(0)[of.addresses(host).start]
            };
            let address = tables.addresses(host).start + place;
            tables.set_entry(at, 0, address, entry);
        }
    }
    tables
}

/// Gives a switch's table an entry for the addresses of a host: a group of ports, the first of them static.
fn set_group(
    tables: &mut GroupTables,
    (at, table): (SwitchId, u8),
    host: HostId,
    ports: &[PortNumber],
    state: LidState,
) {
    let Some(&static_port) = ports.first() else {
        return;
    };
    let mut sorted = ports.to_vec();
    sorted.sort_unstable();
    let switch = tables.switch_mut(at);
    switch.adaptive_levels = u16::MAX;
    let subgroups = vec![Subgroup {
        ports: sorted,
        weight: 0,
    }];
    let group = PortGroup::new(subgroups);
    let known = switch.groups.iter().position(|known| *known == group);
    let number = known.unwrap_or_else(|| {
        switch.groups.push(group);
        switch.groups.len() - 1
    });
    let entry = GroupEntry {
        static_port,
        state,
        group: number.try_into().unwrap(),
    };
    for address in tables.addresses(host) {
        tables.set_entry(at, table, address, entry);
    }
}

/// Tables at random: mostly ports that lead nearer, now and then others; one or two addresses a host, those of a switch
/// mostly alike or not; switches that choose for some levels or none; a level for all packets or one for each pair; lanes by service level, by the lane before, or none; tables by input port and lane.
pub fn random_groups(fabric: &Fabric, seed: u64) -> GroupTables {
    let mut draws = Pcg64Mcg::new(u128::from(seed) * 2 + 1);
    let astray = if draws.random_bool(0.5) { 0.0 } else { 0.05 };
    let by_pair = draws.random_bool(0.3);
    let several = if by_pair { 0.0 } else { 0.2 };
    let addresses: Vec<u8> = fabric
        .host_ids()
        .map(|_| 1 + u8::from(draws.random_bool(several)))
        .collect();
    // Per host: another of its switch, like which others send to it.
    let alike = if draws.random_bool(0.5) { 0.8 } else { 0.0 };
    let like: Vec<Option<HostId>> = fabric
        .host_ids()
        .map(|host| {
            let first = fabric.hosts_of(fabric.host_switch(host))[0];
            (first != host && draws.random_bool(alike)).then_some(first)
        })
        .collect();
    let mut tables = GroupTables::new(fabric, &addresses);
    if draws.random_bool(0.6) {
        tables.set_lane_tables(random_lanes(fabric, &mut draws));
    }
    if by_pair {
        let first = draws.random_range(0..2);
        tables.set_pair_levels(|source, address| {
            u8::from((first + source.index() * 3 + address * 5) % 4 > 1)
        });
    }
    for at in fabric.switch_ids() {
        let table_count = if draws.random_bool(0.2) { 2 } else { 1 };
        for table in 0..table_count {
            for host in fabric.host_ids() {
                if let Some(first) = like[host.index()]
                    && at != fabric.host_switch(host)
                {
                    let address = tables.addresses(first).start;
                    let entry = tables.switch(at).entries(table)[address];
                    for address in tables.addresses(host) {
                        tables.set_entry(at, table, address, entry);
                    }
                    continue;
                }
                let ports = random_ports(fabric, at, host, astray, &mut draws);
                let states = [
                    LidState::Static,
                    LidState::Hashed,
                    LidState::Free,
                    LidState::Free,
                ];
                let state = states[draws.random_range(0..states.len())];
                set_group(&mut tables, (at, table), host, &ports, state);
            }
        }
        if table_count == 2 {
            for &channel in fabric.outgoing(at) {
                for lane in (0..2).map(Lane::new) {
                    let table = u8::from(draws.random_bool(0.5));
                    tables.set_table(fabric, at, (fabric.source(channel).port, lane), table);
                }
            }
        }
        let masks = [u16::MAX, u16::MAX, u16::MAX, 0xfffe, 0];
        let own = tables.switch_mut(at);
        own.adaptive_levels = masks[draws.random_range(0..masks.len())];
        own.hashed_levels = draws.random_bool(0.2).then_some(0xfffe);
        own.levels_by_lane = [0, 0, 1, u16::MAX][draws.random_range(0..4)];
    }
    tables
}

/// Ports by which a switch sends packets to a host.
fn random_ports(
    fabric: &Fabric,
    at: SwitchId,
    host: HostId,
    astray: f64,
    draws: &mut Pcg64Mcg,
) -> Vec<PortNumber> {
    let to = fabric.host_switch(host);
    let hops = || fabric.hops(at).iter().filter(|hop| hop.switch != at);
    if at == to {
        let mut ports = vec![fabric.host_port(host)];
        let others = hops().filter(|_| draws.random_bool(astray / 4.0));
        ports.extend(others.map(|hop| hop.port));
        return ports;
    }
    let links = metrics::distances_from(fabric, to);
    let mut ports: Vec<PortNumber> = Vec::new();
    let mut nearer: Vec<PortNumber> = Vec::new();
    for hop in hops() {
        if links[hop.switch.index()] < links[at.index()] {
            nearer.push(hop.port);
        } else if draws.random_bool(astray) {
            ports.push(hop.port);
        }
    }
    let kept = nearer[draws.random_range(0..nearer.len())];
    ports.extend(
        nearer
            .iter()
            .filter(|&&port| port == kept || draws.random_bool(0.7)),
    );
    let first = draws.random_range(0..ports.len());
    ports.swap(0, first);
    ports
}

/// Two lanes: by the service level, or a lane that packets come to and never leave.
fn random_lanes(fabric: &Fabric, draws: &mut Pcg64Mcg) -> LaneTables {
    let row = |first: u8, second: u8| {
        let mut row = [None; LaneTables::KEYS];
        row[0] = Some(Lane::new(first));
        row[1] = Some(Lane::new(second));
        row
    };
    let key = if draws.random_bool(0.5) {
        LaneKey::ServiceLevel
    } else {
        LaneKey::IncomingLane
    };
    let mut tables = LaneTables::new(fabric, key).in_use(2, 2);
    tables.set_host(row(0, draws.random_range(0..2)));
    for at in fabric.switch_ids() {
        match draws.random_range(0..3) {
            0 => tables.set_switch(at, row(0, 1)),
            1 => tables.set_switch(at, row(draws.random_range(0..2), 1)),
            _ => {
                for &input in fabric.outgoing(at) {
                    for &output in fabric.outgoing(at) {
                        let ports = [input, output].map(|channel| fabric.source(channel).port);
                        tables.set(fabric, at, ports, row(draws.random_range(0..2), 1));
                    }
                }
            }
        }
    }
    tables
}
