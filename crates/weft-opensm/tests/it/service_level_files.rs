//! What `OpenSM` is given besides tables: the levels of pairs by its policy, the lanes of levels, LIDs, and
//! ways to the switches themselves.

use crate::cluster::cluster;
use crate::export::{FIRST_ON_ONE, assert_lines, discovered, file, laned, options, two_leaves};
use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId, SwitchId};
use weft_opensm::{LaneOrder, OpensmOptions, export};
use weft_routing::algorithms::route_spec;
use weft_routing::{ForwardingTables, Lane, LaneKey, LaneTables, PairGranularity, Routes};
use weft_testing::{assert_has, fabric_of, host_pairs};

/// The level that a policy gives packets from one port to another: that of the first rule whose groups hold
/// both, else 0.
fn level_by_policy(policy: &str, [source, destination]: [u64; 2]) -> u8 {
    let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap();
    let mut groups: BTreeMap<&str, Vec<[u64; 2]>> = BTreeMap::new();
    let (mut name, mut ends) = ("", [""; 2]);
    for line in policy.lines().map(str::trim) {
        let Some((key, value)) = line.split_once(": ") else {
            continue;
        };
        match key {
            "name" => name = value,
            "port-guid" => {
                for range in value.split(", ") {
                    let (first, last) = range.split_once('-').unwrap_or((range, range));
                    let ranges = groups.entry(name).or_default();
                    ranges.push([first, last].map(number));
                }
            }
            "source" => ends[0] = value,
            "destination" => ends[1] = value,
            "qos-level-name" => {
                let holds = |group: &str, guid: u64| {
                    let mut ranges = groups[group].iter();
                    ranges.any(|&[first, last]| (first..=last).contains(&guid))
                };
                if holds(ends[0], source) && holds(ends[1], destination) {
                    return value.trim_start_matches("SL").parse().unwrap();
                }
            }
            _ => {}
        }
    }
    0
}

#[track_caller]
pub(crate) fn assert_policy_says(
    fabric: &Fabric,
    policy: &str,
    level: impl Fn(HostId, HostId) -> u8,
) {
    let guid = |host: HostId| fabric.host(host).guid.unwrap();
    for (from, to) in host_pairs(fabric) {
        let found = level_by_policy(policy, [from, to].map(guid));
        assert_eq!(found, level(from, to), "{from:?} to {to:?} by\n{policy}");
    }
    for from in fabric.host_ids() {
        for switch in fabric.switch_ids() {
            let to = fabric.switch(switch).guid.unwrap();
            assert_eq!(level_by_policy(policy, [guid(from), to]), 0, "{policy}");
        }
    }
}

/// All levels of three hosts and two switches, whose GUIDs lie between those of the hosts.
#[test]
fn a_policy_gives_every_pair_its_level_and_switches_none() {
    let fabric = two_leaves();
    for drawn in 0..64_u8 {
        let bits = [0, 1, 2, 3, 4, 5].map(|bit| drawn >> bit & 1);
        let levels = [
            [0, bits[0], bits[1]],
            [bits[2], 0, bits[3]],
            [bits[4], bits[5], 0],
        ];
        if drawn == 0 {
            continue;
        }
        let flat: Vec<u8> = levels.concat();
        let routing = laned(&fabric, flat.try_into().unwrap());
        let made = export(&fabric, &routing, &options()).unwrap();
        let policy = file(&made, "qos-policy.conf");
        let level = |from: HostId, to: HostId| levels[from.index()][to.index()];
        assert_policy_says(&fabric, policy, level);
    }
}

/// Two levels that all ports give lane 0, or adapters lane 3.
#[test]
fn levels_and_the_lanes_of_adapters_count_by_themselves() {
    let fabric = two_leaves();
    let made = |host_lanes: [u8; 2]| {
        let mut routing = laned(&fabric, FIRST_ON_ONE);
        if let Routes::Tables(tables) = &mut routing.routes {
            let mut lanes = LaneTables::new(&fabric, LaneKey::ServiceLevel);
            let mut row = [Some(Lane::ZERO); LaneTables::KEYS];
            for switch in fabric.switch_ids() {
                // A level that nobody has is no lane in use.
                row[9] = Some(Lane::new(7));
                lanes.set_switch(switch, row);
            }
            row[..2].copy_from_slice(&host_lanes.map(|lane| Some(Lane::new(lane))));
            lanes.set_host(row);
            tables.set_lane_tables(lanes);
        }
        export(&fabric, &routing, &options()).unwrap()
    };
    let levels = made([0, 0]);
    assert_eq!((levels.level_count, levels.lane_count), (2, 1));
    assert_lines(file(&levels, "opensm.conf"), &["qos TRUE"]);
    assert_has(&file(&levels, "path-sl.txt"), "0x00000000000001a1 2 1\n");
    let adapters = made([0, 3]);
    assert_eq!((adapters.level_count, adapters.lane_count), (2, 4));
    assert_lines(file(&adapters, "opensm.conf"), &["qos_max_vls 4"]);
}

/// Tables with two addresses a host, either of which may be sent to: `host b` at 2 and 3, …
#[test]
fn every_lid_of_a_port_has_its_level_and_none_is_another_s() {
    let with_two = |fabric: &Fabric| {
        let Routes::Tables(one) = laned(fabric, FIRST_ON_ONE).routes else {
            unreachable!("its routes are tables");
        };
        let mut two = ForwardingTables::new(PairGranularity::Host, 2, &[2; 3]);
        for switch in fabric.switch_ids() {
            for host in 0..3 {
                let port = one.next_port(switch, host).unwrap();
                for address in two.addresses(host) {
                    two.set_next_port(switch, address, port);
                }
            }
        }
        two.set_lanes(FIRST_ON_ONE.map(Lane::new).to_vec());
        two.send_to_any_address();
        let mut routing = laned(fabric, FIRST_ON_ONE);
        routing.routes = two.into();
        export(fabric, &routing, &options()).unwrap()
    };
    let made = with_two(&two_leaves());
    assert_eq!(made.new_lids, 0);
    assert_eq!(made.lmc, 1);
    let path_sl = file(&made, "path-sl.txt");
    assert_eq!(path_sl.lines().count(), 12);
    let paths = file(&made, "paths.csv");
    assert_eq!(paths.lines().count(), 13);
    for (lid, level, port) in [(2, 1, "b1"), (3, 1, "b1"), (6, 1, "b2"), (7, 1, "b2")] {
        assert_has(&path_sl, &format!("0x00000000000001a1 {lid} {level}\n"));
        let row = format!("0x00000000000000a1,0x00000000000000{port},{lid},{level}\n");
        assert_has(&paths, &row);
    }
    // LIDs 8 and 9 are those of the switches: a host at 9 would share its own, one at 8 two.
    let crowded = cluster(
        &[("leaf a", 0xa0, 5), ("leaf b", 0xb0, 8)],
        &[
            ("host a", [0xa1, 0x1a1], (4, 0), (0, 1)),
            ("host b", [0xb1, 0x1b1], (2, 0), (1, 1)),
            ("host c", [0xb2, 0x1b2], (6, 0), (1, 2)),
        ],
        &[[(0, 3), (1, 3)]],
    );
    let made = with_two(&crowded);
    // 5 is the first switch's and the second of host a, which stays where it is.
    assert_eq!(made.new_lids, 1);
    assert_has(
        &file(&made, "guid2lid"),
        "0x00000000000000a0 0x0001 0x0001\n",
    );
    assert_has(
        &file(&made, "guid2lid"),
        "0x00000000000000a1 0x0004 0x0005\n",
    );
}

/// In a row of three switches ways to the outer ones take two links: ranked upward from either end they
/// ascend, ranked downward they do not.
#[test]
fn ways_to_switches_ascend_the_order_where_they_can() {
    let row = fabric_of(&[1, 1, 1], &[(0, 1), (1, 2)]);
    let fabric = discovered(&row);
    let routing = route_spec(&fabric, "down_preferred").unwrap();
    let unordered = |ranks: [[u32; 3]; 3]| {
        let mut all = vec![0; fabric.channel_count()];
        for channel in fabric
            .channel_ids()
            .filter(|&c| fabric.is_switch_channel(c))
        {
            let [from, to] = fabric.switches_of(channel).map(SwitchId::index);
            all[channel.index()] = ranks[from][to];
        }
        let order = LaneOrder {
            lane_count: 1,
            ranks: &all,
        };
        let options = OpensmOptions {
            order: Some(order),
            ..options()
        };
        export(&fabric, &routing, &options)
            .unwrap()
            .unordered_switch_pairs
    };
    assert_eq!(unordered([[0, 1, 0], [2, 0, 2], [0, 1, 0]]), 0);
    assert_eq!(unordered([[0, 2, 0], [1, 0, 1], [0, 2, 0]]), 2);
    assert_eq!(unordered([[0, 1, 0], [1, 0, 2], [0, 2, 0]]), 1);
}
