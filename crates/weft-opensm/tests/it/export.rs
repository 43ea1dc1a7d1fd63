//! What `OpenSM` is given: the routes as they are, whatever form they had.

use crate::cluster::{cluster, without_lids};
use crate::service_level_files::assert_policy_says;
use proptest::prelude::*;
use std::collections::BTreeMap;
use weft_fabric::formats::{FormatName, read as read_fabric, write as write_fabric};
use weft_fabric::generate::{torus, torus_of};
use weft_fabric::{Fabric, HostId, LidRange, PortNumber, SwitchId};
use weft_opensm::{
    LaneMaps, LaneOrder, OpensmEngine, OpensmError, OpensmFiles, OpensmOptions, ReadRoutes,
    ServiceLevels, export, on_lanes, read_routes,
};
use weft_routing::algorithms::route_spec;
use weft_routing::{
    Lane, LaneKey, LaneTables, PairGranularity, Routes, Routing, complete_addresses, to_tables,
};
use weft_testing::{assert_has, cases, fabrics, host_pairs};

pub(crate) fn options<'a>() -> OpensmOptions<'a> {
    OpensmOptions {
        folder: "/etc/opensm/weft",
        fabric_file: "cluster.ibnetdiscover",
        lmc: 7,
        engine: None,
        order: None,
        verdict: "Nothing is known of them.",
        holds_for_any_lid: false,
        is_for_opensm_alone: false,
    }
}

/// The fabric as a discovery would give it: with GUIDs.
pub(crate) fn discovered(fabric: &Fabric) -> Fabric {
    let text = write_fabric(fabric, FormatName::Ibnetdiscover).unwrap();
    read_fabric(text.as_bytes(), "fabric.ibnetdiscover")
        .unwrap()
        .fabric
}

/// The routes of tables that leave no choice.
pub(crate) fn fixed(found: &ReadRoutes) -> Routes {
    found.routing.fixed("a test").unwrap().routes.clone()
}

pub(crate) fn file<'a>(made: &'a OpensmFiles, name: &str) -> &'a str {
    let found = made.files.iter().find(|(known, _)| *known == name);
    &found.unwrap().1
}

/// Two switches and three hosts, of which the last two hang on the second switch.
pub(crate) fn two_leaves() -> Fabric {
    cluster(
        &[("leaf a", 0xa0, 9), ("leaf b", 0xb0, 8)],
        &[
            ("host a", [0xa1, 0x1a1], (4, 0), (0, 1)),
            ("host b", [0xb1, 0x1b1], (2, 0), (1, 1)),
            ("host c", [0xb2, 0x1b2], (6, 0), (1, 2)),
        ],
        &[[(0, 3), (1, 3)]],
    )
}

/// Tables of the small cluster with lanes by source and destination.
pub(crate) fn laned(fabric: &Fabric, lanes: [u8; 9]) -> Routing {
    let mut routing = route_spec(fabric, "down_preferred:per=host").unwrap();
    if let Routes::Tables(tables) = &mut routing.routes {
        tables.set_lanes(lanes.map(Lane::new).to_vec());
    }
    routing
}

/// The first host sends on lane 1.
pub(crate) const FIRST_ON_ONE: [u8; 9] = [0, 1, 1, 0, 0, 0, 0, 0, 0];

pub(crate) fn assert_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|found| found == *line), "{line}\n{text}");
    }
}

#[test]
fn every_line_names_the_port_and_switches_have_entries_too() {
    let fabric = two_leaves();
    let routing = route_spec(&fabric, "down_preferred").unwrap();
    let made = export(&fabric, &routing, &options()).unwrap();
    assert_eq!(made.new_lids, 0);
    let expected = "\
Unicast lids [0-9] of switch Lid 9 guid 0x00000000000000a0 ('leaf a'):
0x0002 003 # Channel Adapter portguid 0x00000000000000b1: 'host b'
0x0004 001 # Channel Adapter portguid 0x00000000000000a1: 'host a'
0x0006 003 # Channel Adapter portguid 0x00000000000000b2: 'host c'
0x0008 003 # Switch portguid 0x00000000000000b0: 'leaf b'
0x0009 000 # Switch portguid 0x00000000000000a0: 'leaf a'
5 lids dumped
Unicast lids [0-9] of switch Lid 8 guid 0x00000000000000b0 ('leaf b'):
0x0002 001 # Channel Adapter portguid 0x00000000000000b1: 'host b'
0x0004 003 # Channel Adapter portguid 0x00000000000000a1: 'host a'
0x0006 002 # Channel Adapter portguid 0x00000000000000b2: 'host c'
0x0008 000 # Switch portguid 0x00000000000000b0: 'leaf b'
0x0009 003 # Switch portguid 0x00000000000000a0: 'leaf a'
5 lids dumped
";
    assert_eq!(file(&made, "weft.lfts"), expected);
    let names: Vec<_> = made.files.iter().map(|(name, _)| *name).collect();
    let expected = [
        "weft.lfts",
        "guid2lid",
        "opensm.conf",
        "subnet.lst",
        "routes.fdbs",
        "empty.mcfdbs",
        "README.md",
    ];
    assert_eq!(names, expected, "no service levels where there is one lane");
    let fdbs = file(&made, "routes.fdbs");
    assert_has(&fdbs, "0x0002 : 003  : 02   : yes\n");
    assert_has(&fdbs, "0x0009 : 000  : 00   : yes\n");
}

#[test]
fn lids_are_made_where_the_fabric_has_none() {
    let fabric = without_lids(two_leaves());
    let routing = route_spec(&fabric, "down_preferred").unwrap();
    let made = export(&fabric, &routing, &options()).unwrap();
    assert_eq!(made.new_lids, 5);
    let expected = "\
0x00000000000000a0 0x0001 0x0001

0x00000000000000b0 0x0002 0x0002

0x00000000000000a1 0x0003 0x0003

0x00000000000000b1 0x0004 0x0004

0x00000000000000b2 0x0005 0x0005

";
    assert_eq!(file(&made, "guid2lid"), expected);
}

#[test]
fn service_levels_are_rules_between_groups_of_ports() {
    let fabric = two_leaves();
    let made = export(&fabric, &laned(&fabric, FIRST_ON_ONE), &options()).unwrap();
    let expected = "\
port-groups
  port-group
    name: g0
    port-guid: 0x00000000000000a1
  end-port-group
  port-group
    name: g1
    port-guid: 0x00000000000000b1-0x00000000000000b2
  end-port-group
end-port-groups
qos-levels
  qos-level
    name: DEFAULT
    sl: 0
  end-qos-level
  qos-level
    name: SL1
    sl: 1
  end-qos-level
end-qos-levels
qos-match-rules
  qos-match-rule
    source: g0
    destination: g1
    qos-level-name: SL1
  end-qos-match-rule
end-qos-match-rules
";
    assert_eq!(file(&made, "qos-policy.conf"), expected);
    assert_eq!((made.policy_rules, made.lane_count), (1, 2));
    let conf = file(&made, "opensm.conf");
    assert_lines(
        conf,
        &[
            "routing_engine file,no_fallback",
            "lfts_file /etc/opensm/weft/weft.lfts",
            "lmc 0",
            "qos TRUE",
            "qos_policy_file /etc/opensm/weft/qos-policy.conf",
            "qos_max_vls 2",
            "qos_vlarb_low 0:64,1:64",
            "qos_sl2vl 0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1",
        ],
    );
    let path_sl = "\
0x00000000000001a1 2 1
0x00000000000001a1 6 1
0x00000000000001b1 4 0
0x00000000000001b1 6 0
0x00000000000001b2 4 0
0x00000000000001b2 2 0
";
    assert_eq!(file(&made, "path-sl.txt"), path_sl);
}

#[test]
fn levels_that_no_two_hosts_use_are_none() {
    let fabric = two_leaves();
    // What a host would be told for itself.
    let routing = laned(&fabric, [1, 0, 0, 0, 1, 0, 0, 0, 1]);
    let made = export(&fabric, &routing, &options()).unwrap();
    assert_eq!((made.lane_count, made.policy_rules), (1, 0));
    assert!(!file(&made, "opensm.conf").contains("qos"));
}

#[test]
fn ranges_of_guids_hold_no_port_of_others() {
    // A switch and a host of the other group lie between two members.
    let fabric = two_leaves();
    let routing = laned(&fabric, [0, 0, 0, 0, 0, 1, 0, 1, 0]);
    let made = export(&fabric, &routing, &options()).unwrap();
    let policy = file(&made, "qos-policy.conf");
    // Both are told level 1 for each other: one group, one rule.
    assert_eq!(made.policy_rules, 1, "{policy}");
    assert!(policy.contains("port-guid: 0x00000000000000b1-0x00000000000000b2\n"));
    assert!(!policy.contains("a1-"), "{policy}");
}

#[test]
fn what_tables_cannot_hold_is_refused_with_what_can() {
    let generated = torus(4, 4, 1).unwrap();
    let routing = route_spec(&generated, "updown").unwrap();
    let error = export(&generated, &routing, &options()).unwrap_err();
    assert!(matches!(error, OpensmError::NoGuid { .. }), "{error}");

    let fabric = discovered(&generated);
    let message = |spec: &str, lmc| {
        let routing = route_spec(&fabric, spec).unwrap();
        let options = OpensmOptions { lmc, ..options() };
        export(&fabric, &routing, &options).unwrap_err().to_string()
    };
    let stops = message("ud_itb", 7);
    assert_has(&stops, "stops in transit at host");
    assert!(
        stops.ends_with("packets would have to carry their route, as on Myrinet"),
        "{stops}"
    );
    let addresses = message("updown:selection=random", 0);
    assert_has(&addresses, "an LMC of 0 allows 1");
    let fabric = discovered(&torus(5, 5, 1).unwrap());
    let routing = route_spec(&fabric, "dimension_order").unwrap();
    let file = OpensmOptions {
        engine: Some(OpensmEngine::File),
        ..options()
    };
    let error = export(&fabric, &routing, &file).unwrap_err();
    assert_eq!(error, OpensmError::LaneTables);
    let text = error.to_string();
    assert_has(&text, "our plugin, the engine “weft”");

    let mut tables = to_tables(&fabric, &routing.routes, 7).unwrap();
    tables.set_lane_tables(LaneTables::new(&fabric, LaneKey::IncomingLane));
    let routing = Routing {
        routes: tables.into(),
        ..routing
    };
    let error = export(&fabric, &routing, &options()).unwrap_err();
    assert_eq!(error, OpensmError::IncomingLanes);
}

/// The small cluster again, with a lane of its own for each service level at every turn.
/// The hash that ties files together, made on its own.
fn fnv_1a(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    hash
}

#[test]
fn lanes_by_ports_are_told_by_the_plugin() {
    let fabric = two_leaves();
    let mut routing = laned(&fabric, FIRST_ON_ONE);
    let row = |lanes: [u8; 2]| {
        let mut row = [Some(Lane::ZERO); LaneTables::KEYS];
        row[..2].copy_from_slice(&lanes.map(|lane| Some(Lane::new(lane))));
        row[15] = None;
        row
    };
    if let Routes::Tables(tables) = &mut routing.routes {
        let mut lanes = LaneTables::new(&fabric, LaneKey::ServiceLevel);
        lanes.set_host(row([0, 1]));
        lanes.set_switch(SwitchId::new(0), row([0, 0]));
        lanes.set_switch(SwitchId::new(1), row([0, 0]));
        let ports = [1, 3].map(PortNumber::new);
        lanes.set(&fabric, SwitchId::new(0), ports, row([1, 2]));
        tables.set_lane_tables(lanes);
    }
    let made = export(&fabric, &routing, &options()).unwrap();
    assert_eq!(made.engine, OpensmEngine::Weft);
    assert_eq!(
        (made.level_count, made.lane_count, made.policy_rules),
        (2, 3, 0)
    );
    let tables = file(&made, "weft.lfts");
    let above = format!(
        "\
# Service levels by source and destination, lanes by service level: for the plugin `weft`.
tables {} 0x{:016x}
level 0x00000000000000a1 -11
level 0x00000000000000b1 0-0
level 0x00000000000000b2 00-
hosts 010000000000000f
lanes 0x00000000000000a0 * * 000000000000000f
lanes 0x00000000000000a0 1 3 120000000000000f
lanes 0x00000000000000b0 * * 000000000000000f
",
        tables.len(),
        fnv_1a(tables)
    );
    let expected = format!("{above}end 9 0x{:016x}\n", fnv_1a(&above));
    assert_eq!(file(&made, "weft.lfts.lanes"), expected);
    let conf = file(&made, "opensm.conf");
    assert_lines(
        conf,
        &[
            "routing_engine weft,no_fallback",
            "event_plugin_name weft",
            "qos TRUE",
            "qos_max_vls 4",
        ],
    );
    assert!(!conf.contains("qos_policy_file"), "{conf}");
    let sl2vl = file(&made, "sl2vl.dump");
    let row = "1   3   : 1  2  0  0  0  0  0  0  0  0  0  0  0  0  0  15";
    assert_lines(sl2vl, &[row]);
    assert!(file(&made, "README.md").contains("make opensm-plugin"));

    // The plugin can load what the file engine can.
    let told = OpensmOptions {
        engine: Some(OpensmEngine::Weft),
        ..options()
    };
    let made = export(&fabric, &laned(&fabric, FIRST_ON_ONE), &told).unwrap();
    let lanes = file(&made, "weft.lfts.lanes");
    assert_has(&lanes, "lanes 0x00000000000000b0 * * 0101010101010101\n");
}

/// On a ring, a switch is reached as its host is, on level 0, and the lanes of that ascend the order
/// of the datelines: lane 1 up to them, lane 0 from them on.
#[test]
fn ways_to_switches_that_do_not_ascend_the_order_are_counted() {
    let fabric = discovered(&torus_of(&[5], 1).unwrap());
    let routing = route_spec(&fabric, "dimension_order").unwrap();
    let unordered = |ranks: Option<&[u32]>| {
        let order = ranks.map(|ranks| LaneOrder {
            lane_count: 2,
            ranks,
        });
        let options = OpensmOptions { order, ..options() };
        let made = export(&fabric, &routing, &options).unwrap();
        made.unordered_switch_pairs
    };
    let counted = |shift: u32| {
        let mut ranks = vec![0; fabric.channel_count() * 2];
        let channels = fabric.channel_ids();
        for channel in channels.filter(|&channel| fabric.is_switch_channel(channel)) {
            let [from, to] = fabric.switches_of(channel).map(SwitchId::number);
            // Links from the dateline on, in the way of the channel: the last closes the ring.
            let place = if to == (from + 1) % 5 { from } else { 4 - from };
            ranks[channel.index() * 2 + 1] = place;
            ranks[channel.index() * 2] = 5 + (place + shift) % 5;
        }
        unordered(Some(&ranks))
    };
    assert_eq!(counted(1), 0);
    // Were lane 0 ranked as lane 1 is, 4 → 0 → 1 and 0 → 4 → 3 would descend.
    assert_eq!(counted(0), 2);
    assert_eq!(unordered(None), 20);
}

/// The next switch and port of every route, and its lane, walked.
type Steps = BTreeMap<(HostId, HostId), Vec<(SwitchId, PortNumber, Lane)>>;

fn steps(fabric: &Fabric, routes: &Routes) -> Steps {
    let walked = |(from, to): (HostId, HostId)| {
        let walk = routes.walk_hosts(fabric, from, to);
        let steps = walk.map(|step| (step.switch, step.port, step.lane));
        ((from, to), steps.collect())
    };
    host_pairs(fabric).into_iter().map(walked).collect()
}

proptest! {
    #![proptest_config(cases(60))]

    /// What is exported and read back as a dump leads every packet the same way on the same lane.
    #[test]
    fn exported_routes_come_back(
        fabric in fabrics(1), seed in any::<u64>(), lanes in 1_u8..5,
        algorithm in prop::sample::select(vec!["updown:per=switch", "updown:per=host", "updown:per=host,selection=first"]),
        plugin in any::<bool>(),
    ) {
        let fabric = discovered(&fabric);
        let routing = route_spec(&fabric, &format!("{algorithm},seed={seed}")).unwrap();
        let Ok(mut tables) = to_tables(&fabric, &routing.routes, 7) else { return Ok(()) };
        let count = tables.endpoint_count();
        let lane = |pair: usize| Lane::new(u8::try_from(pair * 7 % usize::from(lanes)).unwrap());
        tables.set_lanes((0..count * count).map(lane).collect());
        // Pairs whose other ways their lane does not hold have another.
        let tables = complete_addresses(&fabric, tables);
        let routing = Routing { routes: tables.clone().into(), ..routing };
        let engine = plugin.then_some(OpensmEngine::Weft);
        let made = export(&fabric, &routing, &OpensmOptions { engine, ..options() }).unwrap();

        if made.policy_rules > 0 {
            let endpoint = |host| tables.granularity().endpoint(&fabric, host);
            assert_policy_says(&fabric, file(&made, "qos-policy.conf"), |from, to| {
                tables.lane(endpoint(from), endpoint(to)).number()
            });
        }
        let list = read_fabric(file(&made, "subnet.lst").as_bytes(), "subnet.lst").unwrap();
        prop_assert_eq!(list.fabric.host_count(), fabric.host_count());
        // The list knows the first LID of each port.
        let with_all_lids = with_lids_of(&fabric, &made);
        let read_levels = |name| {
            let text = file(&made, name).as_bytes();
            ServiceLevels::read(text, name, &with_all_lids).unwrap().levels
        };
        for dump in ["weft.lfts", "routes.fdbs"] {
            let found = read_routes(file(&made, dump).as_bytes(), dump, &with_all_lids).unwrap();
            prop_assert_eq!(&found.notes, &[]);
            let Routes::Tables(mut found) = fixed(&found) else { unreachable!() };
            prop_assert_eq!(found.granularity(), PairGranularity::Host);
            let mut levels = None;
            let mut maps = None;
            if made.needs_chosen_lids {
                levels = Some(read_levels("paths.csv"));
            } else {
                // Of what is alike for all sources, any LID will do.
                found.set_aliases(vec![0; fabric.host_count() * fabric.host_count()]);
            }
            if made.lane_count > 1 && levels.is_none() {
                levels = Some(read_levels("path-sl.txt"));
                let sl2vl = file(&made, "sl2vl.dump").as_bytes();
                maps = Some(LaneMaps::read(sl2vl, "sl2vl.dump", &with_all_lids).unwrap().0);
            }
            let routes = on_lanes(&with_all_lids, found, levels.as_ref(), maps.as_ref());
            let routes = Routes::from(routes);
            // Levels that nobody uses have a lane in every dump.
            prop_assert!(maps.is_none() || routes.lane_count() <= made.lane_count);
            prop_assert_eq!(steps(&fabric, &routes), steps(&fabric, &routing.routes));
        }
    }
}

/// A torus needs four service levels on two lanes; the files have a lane for each of sixteen.
#[test]
fn lanes_that_are_read_again_are_those_of_the_levels_in_use() {
    let fabric = discovered(&torus(5, 5, 1).unwrap());
    for spec in ["dimension_order", "torus_2qos"] {
        let routing = route_spec(&fabric, spec).unwrap();
        let made = export(&fabric, &routing, &options()).unwrap();
        assert_eq!((made.level_count, made.lane_count), (4, 2));
        let read_in = with_lids_of(&fabric, &made);
        let of = |name| file(&made, name).as_bytes();
        let levels = ServiceLevels::read(of("path-sl.txt"), "path-sl.txt", &read_in).unwrap();
        let (maps, _) = LaneMaps::read(of("sl2vl.dump"), "sl2vl.dump", &read_in).unwrap();
        let found = read_routes(of("weft.lfts"), "weft.lfts", &read_in).unwrap();
        let Routes::Tables(found) = fixed(&found) else {
            unreachable!()
        };
        let read = on_lanes(&read_in, found, Some(&levels.levels), Some(&maps));
        assert_eq!(read.lane_count(), 2, "{spec}");
    }
}

/// The fabric with the LIDs of the file `guid2lid`.
fn with_lids_of(fabric: &Fabric, made: &OpensmFiles) -> Fabric {
    let number = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap();
    let lids: BTreeMap<u64, Option<LidRange>> = file(made, "guid2lid")
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| {
            let words: Vec<u64> = line.split_whitespace().map(number).collect();
            let bits = (words[2] - words[1] + 1).trailing_zeros();
            let first = u16::try_from(words[1]).unwrap();
            (words[0], LidRange::new(first, u8::try_from(bits).unwrap()))
        })
        .collect();
    let switches = fabric
        .switch_ids()
        .map(|id| lids[&fabric.switch(id).guid.unwrap()]);
    let hosts = fabric
        .host_ids()
        .map(|id| lids[&fabric.host(id).guid.unwrap()]);
    fabric
        .clone()
        .with_lids(switches.collect(), hosts.collect())
}
