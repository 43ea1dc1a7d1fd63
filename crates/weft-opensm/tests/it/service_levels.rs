//! Service levels and the lanes that switches give them, as `OpenSM` dumps them.

use crate::cluster::cluster;
use proptest::prelude::*;
use weft_fabric::{Fabric, HostId};
use weft_opensm::{LaneMaps, ServiceLevels, on_lanes};
use weft_routing::{ForwardingTables, Routes};
use weft_testing::{any_changes, cases, changed, first_line, tables_of};

/// Three switches in a row, by ports 2 and 3, a host on port 1 of each; the last has two LIDs.
fn row_of_three() -> Fabric {
    cluster(
        &[
            ("leaf 0", 0xa0, 1),
            ("leaf 1", 0xa1, 2),
            ("leaf 2", 0xa2, 3),
        ],
        &[
            ("host 0", [0xc1, 0xc0], (4, 0), (0, 1)),
            ("host 1", [0xd1, 0xd0], (5, 0), (1, 1)),
            ("host 2", [0xe1, 0xe0], (6, 1), (2, 1)),
        ],
        &[[(0, 3), (1, 2)], [(1, 3), (2, 2)]],
    )
}

const RECORDS: &str = "\
Channel Adapter 0x00000000000000c1, base LID 4, \"host 0\", port 1
# LID  : SL : MTU : RATE
0x0001 : 0  : 4   : 7
0x0005 : 2  : 4   : 7
0x0006 : 3  : 4   : 7
0x0007 : 3  : 4   : 7
0x0009 : 1  : 4   : 7

Switch 0x00000000000000a0, base LID 1, \"leaf 0\", port 0
# LID  : SL : MTU : RATE
0x0005 : 9  : 4   : 7

Channel Adapter 0x00000000000000d1, base LID 5, \"host 1\", port 1
# LID  : SL : MTU : RATE
0x0004 : 1  : 4   : 7
0x0006 : UNREACHABLE
";

const PAIRS: &str = "\
0x00000000000000c0 5 2
0x00000000000000c0 6 3
0x00000000000000c0 7 3
0x00000000000000d0 4 1
";

fn levels(text: &str, fabric: &Fabric) -> ServiceLevels {
    ServiceLevels::read(text.as_bytes(), "file", fabric)
        .unwrap()
        .levels
}

fn message(text: &str, fabric: &Fabric) -> String {
    first_line(ServiceLevels::read(text.as_bytes(), "file", fabric).unwrap_err())
}

fn host(number: usize) -> HostId {
    HostId::from_index(number)
}

#[test]
fn both_kinds_of_files_say_the_same() {
    let fabric = row_of_three();
    for text in [RECORDS, PAIRS] {
        let levels = levels(text, &fabric);
        let of = |source, destination| levels.level(host(source), host(destination));
        assert_eq!([of(0, 1), of(0, 2), of(1, 0)], [Some(2), Some(3), Some(1)]);
        assert_eq!([of(1, 2), of(2, 0)], [None, None]);
    }
    let notes = ServiceLevels::read(RECORDS.as_bytes(), "file", &fabric)
        .unwrap()
        .notes;
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].line, Some(7));
    assert_eq!(notes[0].text, "destination LID 0x0009");
}

#[test]
fn damaged_entries_are_refused_with_the_place() {
    let fabric = row_of_three();
    for (text, expected) in [
        (
            RECORDS.replace("0x0005 : 2", "0x0005 : 16"),
            "file:4:1: found “0x0005 : 16  : 4   : 7”, expected an entry such as “0x0004 : 1  : 4   \
             : 7”",
        ),
        (
            PAIRS.replace("d0 4 1", "d0 4 16"),
            "file:4:1: found “0x00000000000000d0 4 16”, expected an entry such as “0x0004 : 1  : 4   : 7”",
        ),
        (
            PAIRS.replace("7 3", "7 4"),
            "file:3:1: found service level 4 for LID 0x0007, expected 3, as this source is told for \
             another LID of the port, or for another port of its adapter; give the levels of one LID \
             of each port alone",
        ),
        (
            "once upon a time\n".to_owned(),
            "file:1:1: found “once upon a time”, expected service levels: opensm-path-records.dump, \
             or lines of source GUID, destination LID and service level",
        ),
        (
            String::new(),
            "file:1:1: found an empty file, expected service levels of pairs of ports",
        ),
    ] {
        assert_eq!(message(&text, &fabric), expected);
    }
}

/// The lanes of a route, step by step.
fn lanes(fabric: &Fabric, routes: &Routes, [source, destination]: [usize; 2]) -> Vec<u8> {
    routes
        .walk_hosts(fabric, host(source), host(destination))
        .filter(|step| step.hop.is_ok())
        .map(|step| step.lane.number())
        .collect()
}

fn host_tables(fabric: &Fabric) -> ForwardingTables {
    tables_of(fabric, "down_preferred:per=host")
}

#[test]
fn levels_are_lanes_of_their_number_where_no_switch_maps_them() {
    let fabric = row_of_three();
    let levels = levels(RECORDS, &fabric);
    let routes = on_lanes(&fabric, host_tables(&fabric), Some(&levels), None).into();
    assert_eq!(lanes(&fabric, &routes, [0, 2]), [3, 3]);
    assert_eq!(lanes(&fabric, &routes, [0, 1]), [2]);
    assert_eq!(lanes(&fabric, &routes, [2, 0]), [0, 0]);
    assert_eq!(routes.lane_count(), 4);
}

/// Rows of one switch, of which level 3 has another lane.
fn maps(switch: u8, ports: &[(u8, u8)], lane_of_three: u8, fabric: &Fabric) -> LaneMaps {
    let mut text = format!("Switch 0x00000000000000a{switch}, base LID 2, \"leaf\"\n#in out : 0\n");
    for (input, output) in ports {
        let row = format!("{input}   {output}   : 0 1 2 {lane_of_three} 4 5 6 7 0 1 2 3 4 5 6 7\n");
        text.push_str(&row);
    }
    text += "#----\n\nChannel Adapter 0x00000000000000c1, base LID 4, \"host 0\"\n";
    text += "0   0   : 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9\n";
    let (maps, notes) = LaneMaps::read(text.as_bytes(), "file", fabric).unwrap();
    assert_eq!(notes, []);
    maps
}

#[test]
fn switches_map_levels_to_lanes_port_by_port() {
    let fabric = row_of_three();
    let levels = levels(RECORDS, &fabric);
    let routes =
        |maps: LaneMaps| on_lanes(&fabric, host_tables(&fabric), Some(&levels), Some(&maps)).into();
    // From the first host the packet comes in by port 2 of the middle switch and leaves by 3.
    let changed = routes(maps(1, &[(2, 3)], 5, &fabric));
    assert_eq!(lanes(&fabric, &changed, [0, 2]), [3, 5]);
    assert_eq!(lanes(&fabric, &changed, [0, 1]), [2]);
    let elsewhere = routes(maps(1, &[(3, 2)], 5, &fabric));
    assert_eq!(lanes(&fabric, &elsewhere, [0, 2]), [3, 3]);
    // On lane 15 nothing travels.
    let dropped = routes(maps(1, &[(2, 3)], 15, &fabric));
    assert_eq!(lanes(&fabric, &dropped, [0, 2]), [3]);
}

#[test]
fn maps_that_keep_the_levels_in_use_leave_the_tables_alone() {
    let fabric = row_of_three();
    let levels = levels(RECORDS, &fabric);
    let kept = maps(1, &[(2, 3), (3, 2)], 3, &fabric);
    let tables = |maps| on_lanes(&fabric, host_tables(&fabric), Some(&levels), maps);
    assert_eq!(tables(Some(&kept)), tables(None));
    // One row that differs is enough, whatever follows it.
    let rows = "Switch 0x00000000000000a1, base LID 2, \"leaf\"\n\
                2 3 : 0 1 2 5 4 5 6 7 0 1 2 3 4 5 6 7\n3 2 : 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n";
    let (one, _) = LaneMaps::read(rows.as_bytes(), "file", &fabric).unwrap();
    assert_ne!(tables(Some(&one)), tables(None));
    let beyond =
        "Switch 0x00000000000000a1, base LID 2, \"leaf\"\n1 9 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7";
    let (maps, notes) = LaneMaps::read(beyond.as_bytes(), "file", &fabric).unwrap();
    assert_eq!(tables(Some(&maps)), tables(None));
    assert_eq!(notes[0].reason, "the switch has no such port; passed over");
}

#[test]
fn lanes_that_are_no_lanes_are_refused_with_the_place() {
    let fabric = row_of_three();
    for (text, expected) in [
        (
            "Switch 0x00000000000000a1, base LID 2, \"leaf\"\n0 1 : 0 1 2\n",
            "file:2:1: found “0 1 : 0 1 2”, expected an entry such as “0 1 : 0 1 2 … (16 lanes)”",
        ),
        (
            "0 1 : 0 1 2\n",
            "file:1:1: found “0 1 : 0 1 2”, expected lanes of service levels (opensm-sl2vl.dump)",
        ),
    ] {
        let error = LaneMaps::read(text.as_bytes(), "file", &fabric).unwrap_err();
        assert_eq!(first_line(error), expected);
    }
    let foreign = "Switch 0x00000000000000f1, base LID 2, \"leaf\"\n";
    let (maps, notes) = LaneMaps::read(foreign.as_bytes(), "file", &fabric).unwrap();
    // As when a file is about adapters alone.
    let adapter = "Channel Adapter 0x00000000000000c1, base LID 4, \"host 0\"\n";
    let none = LaneMaps::read(adapter.as_bytes(), "file", &fabric);
    assert_eq!(maps, none.unwrap().0);
    assert_eq!(notes[0].text, "switch 0x00000000000000f1");
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn changed_bytes_never_make_a_reader_panic(
        kind in 0_usize..3,
        changes in any_changes(),
    ) {
        let fabric = row_of_three();
        let map = "Switch 0x00000000000000a1, base LID 2, \"leaf\"\n\
                   0 1 : 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7\n";
        let bytes = changed([RECORDS, PAIRS, map][kind].as_bytes(), &changes);
        let tables = host_tables(&fabric);
        if let Ok(found) = ServiceLevels::read(&bytes, "file", &fabric) {
            let tables = on_lanes(&fabric, tables.clone(), Some(&found.levels), None);
            prop_assert!(tables.lane_count() <= 16);
        }
        if let Ok((maps, _)) = LaneMaps::read(&bytes, "file", &fabric) {
            prop_assert!(on_lanes(&fabric, tables, None, Some(&maps)).lane_count() <= 16);
        }
    }
}
