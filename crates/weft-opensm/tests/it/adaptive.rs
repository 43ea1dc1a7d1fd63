//! Tables of groups: written as ibdiagnet dumps them, and read again.

use crate::cluster::cluster;
use crate::export::{discovered, fixed};
use proptest::prelude::*;
use weft_fabric::{Fabric, HostId, LidRange, PortNumber, SwitchId};
use weft_opensm::{
    GroupFiles, GroupTableFiles, RoutesFileKind, read_group_tables, read_routes, routes_file_kind,
    static_group_tables, write_group_tables,
};
use weft_routing::algorithms::route_spec;
use weft_routing::{
    AdaptiveRoutes, AnyRouting, GroupEntry, GroupTables, Lane, LaneKey, LaneTables, LidState,
    PortGroup, Routes, Subgroup, to_tables,
};
use weft_testing::{cases, fabrics};

/// Two leaves and two spines; leaf a has ports 2 and 3 up, leaf b as well; the second host has two LIDs.
pub(crate) fn two_spines() -> Fabric {
    cluster(
        &[
            ("leaf a", 0xa0, 1),
            ("leaf b", 0xb0, 2),
            ("spine a", 0xc0, 3),
            ("spine b", 0xd0, 8),
        ],
        &[
            ("host a", [0xa1, 0x1a1], (4, 0), (0, 1)),
            ("host b", [0xb1, 0x1b1], (6, 1), (1, 1)),
        ],
        &[
            [(0, 2), (2, 1)],
            [(0, 3), (3, 1)],
            [(1, 2), (2, 2)],
            [(1, 3), (3, 2)],
        ],
    )
}

/// What ibdiagnet would dump of them: the leaves choose among their spines on service levels 0 to 3.
pub(crate) const FAR: &str = "\
# This file was made by IBDIAGNET
File version: 1

Switch 0x00000000000000a0, ar_en: 1, by_sl_en: 1, enable_by_sl_mask: 0x000f, pfrn_enabled: 1
Groups Definition:
Group  Sub Group  WHBF  Ports
-----------------------------
1      0          0     2, 3,
3      0          2     2,
3      1          1     3,

LFT Definition:
PLFT_NUM: 0, top: 0x0008
LID     Static Port  Lid State  Group
-------------------------------------
0x0001  0            Static     0
0x0002  2            Free       1
0x0004  1            Static     0
0x0006  2            Free       1
0x0007  3            HBF        3

Switch 0x00000000000000b0
Adaptive Routing: disabled
Groups Definition:
Group  Sub Group  WHBF  Ports
-----------------------------

LFT Definition:
PLFT_NUM: 0, top: 0x0008
LID     Static Port  Lid State  Group
-------------------------------------
0x0004  2            Static     0
0x0006  1            Static     0
0x0007  1            Static     0

Switch 0x00000000000000c0, ar_en: 1
Groups Definition:
Group  Sub Group  WHBF  Ports
-----------------------------

LFT Definition:
PLFT_NUM: 0, top: 0x0008
LID     Static Port  Lid State  Group
-------------------------------------
0x0004  1            Static     0
0x0006  2            Static     0
0x0007  2            Static     0

Switch 0x00000000000000d0, ar_en: 1
Groups Definition:
Group  Sub Group  WHBF  Ports
-----------------------------

LFT Definition:
PLFT_NUM: 0, top: 0x0008
LID     Static Port  Lid State  Group
-------------------------------------
0x0004  1            Static     0
0x0006  2            Static     0
0x0007  2            Static     0
";

pub(crate) fn group_tables(routing: &AnyRouting) -> &GroupTables {
    let AnyRouting::Adaptive(routing) = routing else {
        panic!("packets choose")
    };
    let AdaptiveRoutes::Groups(tables) = &routing.routes else {
        panic!("they are tables of groups")
    };
    tables
}

fn ports(numbers: &[u8]) -> Vec<PortNumber> {
    numbers.iter().copied().map(PortNumber::new).collect()
}

#[test]
fn groups_are_read_with_who_may_choose_and_on_which_levels() {
    let found = read_routes(FAR.as_bytes(), "ibdiagnet2.far", &two_spines()).unwrap();
    assert_eq!(found.notes, []);
    assert_eq!(found.routing.algorithm(), "ibdiagnet-far");
    let tables = group_tables(&found.routing);
    let [leaf, other, spine, _] = [0, 1, 2, 3].map(|switch| tables.switch(SwitchId::new(switch)));
    assert_eq!(
        [leaf, other, spine].map(|switch| switch.adaptive_levels),
        [0xf, 0, u16::MAX]
    );
    assert_eq!(
        [leaf, other, spine].map(|switch| switch.notifies),
        [true, false, false]
    );
    // Addresses: that of host a, then the two of host b.
    let leads = |switch: u32, address, level| {
        let from = (PortNumber::new(1), Lane::new(level));
        let choice = tables.choice(SwitchId::new(switch), from, address, level);
        (choice.state, choice.ports.to_vec())
    };
    assert_eq!(leads(0, 0, 0), (LidState::Static, ports(&[1])));
    assert_eq!(leads(0, 1, 3), (LidState::Free, ports(&[2, 3])));
    assert_eq!(leads(0, 1, 4), (LidState::Static, ports(&[2])));
    assert_eq!(leads(0, 2, 0), (LidState::Hashed, ports(&[2, 3])));
    assert_eq!(leads(1, 0, 0), (LidState::Static, ports(&[2])));
    assert_eq!(leads(2, 1, 0), (LidState::Static, ports(&[2])));
    let weights = leaf.groups[3]
        .subgroups()
        .iter()
        .map(|subgroup| subgroup.weight);
    assert_eq!(weights.collect::<Vec<_>>(), [2, 1]);
    assert_eq!(leaf.groups[2], PortGroup::default());
    // Flows may be hashed where packets may not choose by themselves.
    let hashed = "enable_by_sl_mask: 0x0000, by_sl_hbf_en: 1, enable_by_sl_mask_hbf: 0x000f";
    let hashed = FAR.replace("enable_by_sl_mask: 0x000f", hashed);
    let found = read_routes(hashed.as_bytes(), "file", &two_spines()).unwrap();
    let of_address = |address| {
        let from = (PortNumber::new(1), Lane::ZERO);
        let tables = group_tables(&found.routing);
        tables.choice(SwitchId::new(0), from, address, 0).state
    };
    assert_eq!([1, 2].map(of_address), [LidState::Static, LidState::Hashed]);
    // Where weights are not in use they say nothing.
    let unweighted = FAR.replace("pfrn_enabled: 1", "whbf_en: 0, pfrn_enabled: 1");
    let found = read_routes(unweighted.as_bytes(), "file", &two_spines()).unwrap();
    let group = group_tables(&found.routing).switch(SwitchId::new(0)).groups[3].clone();
    assert!(
        group
            .subgroups()
            .iter()
            .all(|subgroup| subgroup.weight == 0)
    );
}

/// Files without weights and states, as before SHIELD.
#[test]
fn older_files_have_fewer_columns() {
    let older = FAR
        .replace("Group  Sub Group  WHBF  Ports", "Group  Sub Group  Ports")
        .replace("1      0          0     2, 3,", "1 0 2,3")
        .replace(
            "3      0          2     2,\n3      1          1     3,\n",
            "",
        )
        .replace("Lid State  ", "")
        .replace("Static     0", "0")
        .replace("Free       1", "1")
        .replace("HBF        3", "1");
    let found = read_routes(older.as_bytes(), "ibdiagnet2.ar", &two_spines()).unwrap();
    let tables = group_tables(&found.routing);
    let from = (PortNumber::new(1), Lane::ZERO);
    let choice = tables.choice(SwitchId::new(0), from, 2, 0);
    assert_eq!(
        (choice.state, choice.ports),
        (LidState::Free, &ports(&[2, 3])[..])
    );
    let choice = tables.choice(SwitchId::new(0), from, 0, 0);
    assert_eq!(
        (choice.state, choice.ports),
        (LidState::Static, &ports(&[1])[..])
    );
}

#[test]
fn the_kind_of_a_file_is_found_from_its_content() {
    use RoutesFileKind::{GroupTables, LaneMaps, LaneSwitching, PrivateTables, StaticTables};
    let far = read_routes(FAR.as_bytes(), "file", &two_spines()).unwrap();
    let mut tables = group_tables(&far.routing).clone();
    let fabric = two_spines();
    let at = SwitchId::new(0);
    tables.set_entry(at, 1, 0, tables.switch(at).entries(0)[0]);
    tables.set_table(&fabric, at, (PortNumber::new(2), Lane::ZERO), 1);
    tables.set_lane_tables(LaneTables::new(&fabric, LaneKey::IncomingLane));
    let made = write_group_tables(&fabric, &tables).unwrap();
    let kinds = made
        .files
        .iter()
        .map(|(name, text)| (*name, routes_file_kind(text.as_bytes())));
    let expected = [
        ("ibdiagnet2.far", Some(GroupTables)),
        ("ibdiagnet2.fdbs", Some(StaticTables)),
        ("ibdiagnet2.plft", Some(PrivateTables)),
        ("ibdiagnet2.slvl", Some(LaneMaps)),
        ("ibdiagnet2.vl2vl", Some(LaneSwitching)),
        ("ibdiagnet2.lst", None),
        ("ibdiagnet2.ibnetdiscover", None),
    ];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
    let packed = "0x00000000000000a0 1 2 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67\n";
    assert_eq!(routes_file_kind(packed.as_bytes()), Some(LaneMaps));
    assert_eq!(routes_file_kind(b"Switch 0xa0\n"), None);
}

/// The lanes of `.slvl`, in either form.
#[test]
fn lanes_come_from_switches_and_adapters() {
    let fabric = two_spines();
    let rows = |row: &dyn Fn(u8, u8, u8) -> String| {
        let mut text = String::new();
        for switch in [0xa0, 0xb0, 0xc0, 0xd0] {
            for (input, output) in
                (0..=8).flat_map(|input| (0..=8).map(move |output| (input, output)))
            {
                text += &row(switch, input, output);
            }
        }
        text
    };
    let packed = rows(&|switch, input, output| {
        format!(
            "0x00000000000000{switch:02x} {input} {output} 0x01 0x23 0x01 0x23 0x01 0x23 0x01 0xff\n"
        )
    });
    let adapters =
        "Channel Adapter 0x00000000000000a1, base LID 4\n0 1 : 3 2 1 0 3 2 1 0 3 2 1 0 3 2 1 0\n";
    for (slvl, host) in [(packed.clone(), 1), (adapters.to_owned() + &packed, 2)] {
        let files = GroupFiles {
            groups: Some((FAR.as_bytes(), "x/ibdiagnet2.far")),
            lane_maps: Some((slvl.as_bytes(), "x/ibdiagnet2.slvl")),
            ..GroupFiles::default()
        };
        let found = read_group_tables(&files, &fabric).unwrap();
        assert_eq!(found.notes, []);
        let tables = group_tables(&found.routing);
        assert_eq!(tables.lane_count(), 4);
        assert_eq!(tables.host_lane(1), Some(Lane::new(host)));
        let next = |level| {
            let ports = [1, 2].map(PortNumber::new);
            tables.next_lane(SwitchId::new(0), ports, level, Lane::new(1))
        };
        assert_eq!([next(6), next(15)], [Some(Lane::new(2)), None]);
    }
}

/// Tables drawn by numbers: groups, entries, private tables, lanes and levels that go by them.
fn drawn(fabric: &Fabric, addresses: &[u8], mut draw: impl FnMut(u64) -> u64) -> GroupTables {
    let mut tables = GroupTables::new(fabric, addresses);
    let port = |draw: &mut dyn FnMut(u64) -> u64, count: u8| {
        PortNumber::new(u8::try_from(draw(count.into()) + 1).unwrap())
    };
    let small = |number: u64| u16::try_from(number).unwrap();
    for id in fabric.switch_ids() {
        let ports = fabric.switch(id).port_count;
        let groups: Vec<PortGroup> = (0..draw(5))
            .map(|_| {
                let subgroup = |draw: &mut dyn FnMut(u64) -> u64| {
                    let mut members: Vec<PortNumber> =
                        (0..draw(4)).map(|_| port(draw, ports)).collect();
                    members.sort_unstable();
                    members.dedup();
                    let weight = u8::try_from(draw(3)).unwrap();
                    Subgroup {
                        ports: members,
                        weight,
                    }
                };
                PortGroup::new((0..=draw(2)).map(|_| subgroup(&mut draw)).collect())
            })
            .collect();
        let count = small(groups.len() as u64);
        for table in 0..=u8::try_from(draw(3)).unwrap() {
            for address in 0..tables.address_count() {
                let state = [LidState::Static, LidState::Hashed, LidState::Free];
                let entry = GroupEntry {
                    static_port: port(&mut draw, ports),
                    state: state[usize::try_from(draw(3)).unwrap()],
                    group: small(draw(u64::from(count) + 1)),
                };
                let is_none = table > 0 && draw(4) == 0;
                let entry = if is_none { GroupEntry::NONE } else { entry };
                tables.set_entry(id, table, address, entry);
            }
        }
        let last = tables.switch(id).table_count() as u64;
        for _ in 0..draw(10) {
            let at = (
                PortNumber::new(u8::try_from(draw(u64::from(ports) + 1)).unwrap()),
                Lane::new(u8::try_from(draw(16)).unwrap()),
            );
            // The first table where nothing else is set would be told by no row.
            if last > 1 {
                let table = u8::try_from(1 + draw(last - 1)).unwrap();
                tables.set_table(fabric, id, at, table);
            }
        }
        let switch = tables.switch_mut(id);
        switch.groups = groups;
        switch.adaptive_levels = small(draw(1 << 16));
        switch.hashed_levels = (draw(2) == 1).then(|| small(draw(1 << 16)));
        switch.notifies = draw(2) == 1;
    }
    if draw(2) == 1 {
        let mut lanes = LaneTables::new(fabric, LaneKey::ServiceLevel);
        let row = |draw: &mut dyn FnMut(u64) -> u64| {
            [(); 16].map(|()| {
                let lane = u8::try_from(draw(16)).unwrap();
                (lane < 15).then_some(Lane::new(lane))
            })
        };
        lanes.set_host(row(&mut draw));
        for id in fabric.switch_ids() {
            lanes.set_switch(id, row(&mut draw));
            let ports = u64::from(fabric.switch(id).port_count) + 1;
            for _ in 0..draw(4) {
                let pair = [(); 2].map(|()| PortNumber::new(u8::try_from(draw(ports)).unwrap()));
                lanes.set(fabric, id, pair, row(&mut draw));
            }
            tables.switch_mut(id).levels_by_lane = small(draw(1 << 16));
        }
        tables.set_lane_tables(lanes);
    }
    tables
}

pub(crate) fn read_again(made: &GroupTableFiles) -> AnyRouting {
    let file = |ending: &str| {
        let found = made.files.iter().find(|(name, _)| name.ends_with(ending));
        found.map(|(name, text)| (text.as_bytes(), *name))
    };
    let files = GroupFiles {
        groups: file(".far"),
        static_ports: file(".fdbs"),
        private_tables: file(".plft"),
        lane_switching: file(".vl2vl"),
        lane_maps: file(".slvl"),
    };
    let found = read_group_tables(&files, &made.fabric).unwrap();
    for note in &found.notes {
        // Random ports have no cables, random groups no ports.
        let is_of_draw = ["no cable", "that are empty"]
            .iter()
            .any(|part| note.text.contains(part));
        assert!(is_of_draw, "{note:?}");
    }
    found.routing
}

/// A fabric as a discovery gives it, each host with 2^`bits` LIDs.
fn with_lids(fabric: &Fabric, bits: u8) -> Fabric {
    let fabric = discovered(fabric);
    let switches = u16::try_from(fabric.switch_count()).unwrap();
    let hosts = u16::try_from(fabric.host_count()).unwrap();
    // The hosts' first, from the end.
    let host = |host: u16| LidRange::new((hosts - host) << bits, bits);
    let switch = |switch: u16| LidRange::new(0x4000 + switch, 0);
    fabric.with_lids(
        (0..switches).map(switch).collect(),
        (0..hosts).map(host).collect(),
    )
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn tables_are_read_as_they_were_written(
        fabric in fabrics(0),
        bits in 0_u8..3,
        knows_lids in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let fabric = if knows_lids { with_lids(&fabric, bits) } else { discovered(&fabric) };
        let addresses = vec![1 << bits; fabric.host_count()];
        let mut state = seed;
        let tables = drawn(&fabric, &addresses, |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        });
        let made = write_group_tables(&fabric, &tables).unwrap();
        prop_assert_eq!(made.keeps_lids, knows_lids);
        match read_again(&made) {
            AnyRouting::Adaptive(routing) => {
                prop_assert_eq!(&routing.routes, &AdaptiveRoutes::Groups(tables));
            }
            // Those that happen to leave no choice.
            AnyRouting::Fixed(routing) => {
                let Routes::Tables(found) = &routing.routes else { unreachable!() };
                for (switch, address) in fabric.switch_ids().flat_map(|switch| {
                    (0..found.address_count()).map(move |address| (switch, address))
                }) {
                    let from = (PortNumber::new(0), Lane::ZERO);
                    let choice = tables.choice(switch, from, address, 0);
                    prop_assert_eq!(choice.state, LidState::Static);
                    prop_assert_eq!(found.next_port(switch, address), choice.ports.first().copied());
                }
            }
        }
    }

    /// Static routing in files of groups is what it is in files of static ports.
    #[test]
    fn static_ports_are_the_same_in_all_files(fabric in fabrics(1), on in any::<bool>()) {
        let fabric = with_lids(&fabric, 0);
        let routing = route_spec(&fabric, "down_preferred:per=host").unwrap();
        let static_tables = to_tables(&fabric, &routing.routes, 0).unwrap();
        let mut tables = static_group_tables(&fabric, &static_tables).unwrap();
        for switch in fabric.switch_ids() {
            tables.switch_mut(switch).adaptive_levels = if on { u16::MAX } else { 0 };
        }
        let made = write_group_tables(&fabric, &tables).unwrap();
        let read = |ending: &str| {
            let (name, text) = made.files.iter().find(|(name, _)| name.ends_with(ending)).unwrap();
            read_routes(text.as_bytes(), name, &made.fabric).unwrap()
        };
        prop_assert_eq!(fixed(&read(".far")), fixed(&read(".fdbs")));
        prop_assert_eq!(read(".far").notes, read(".fdbs").notes);
        // Of a folder too.
        let AnyRouting::Fixed(of_folder) = read_again(&made) else { panic!("no packet chooses") };
        prop_assert_eq!(&of_folder.routes, &fixed(&read(".fdbs")));
    }
}

#[test]
fn switches_that_choose_nothing_are_taken_from_the_static_ports() {
    let cut = FAR.find("Switch 0x00000000000000c0").unwrap();
    let fdbs = "\
osm_ucast_mgr_dump_ucast_routes: Switch 0x00000000000000c0
LID    : Port : Hops : Optimal
PLFT_NUM: 0
0x0004 : 001  : 00   : yes
0x0006 : 002  : 00   : yes
0x0007 : 002  : 00   : yes
osm_ucast_mgr_dump_ucast_routes: Switch 0x00000000000000a0
LID    : Port : Hops : Optimal
0x0004 : 001  : 00   : yes
0x0006 : 003  : 00   : yes
";
    let files = GroupFiles {
        groups: Some((&FAR.as_bytes()[..cut], "ibdiagnet2.far")),
        static_ports: Some((fdbs.as_bytes(), "ibdiagnet2.fdbs")),
        ..GroupFiles::default()
    };
    let found = read_group_tables(&files, &two_spines()).unwrap();
    let told: Vec<_> = found
        .notes
        .iter()
        .map(|note| (note.line, note.text.as_str(), note.reason.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (
                Some(10),
                "ibdiagnet2.fdbs: static ports that are others in the file of groups",
                "those of the file of groups count; the files are of different times",
            ),
            (
                None,
                "ibdiagnet2.far: 1 switches without tables: “spine b”",
                "the wiring has them and the files do not; packets end there",
            ),
        ]
    );
    let tables = group_tables(&found.routing);
    let from = (PortNumber::new(1), Lane::ZERO);
    let host = tables.addresses(HostId::new(1)).start;
    assert_eq!(
        tables.choice(SwitchId::new(2), from, host, 0).ports,
        ports(&[2])
    );
    assert_eq!(tables.choice(SwitchId::new(3), from, host, 0).ports, []);
}
