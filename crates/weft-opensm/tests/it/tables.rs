//! Tables as `OpenSM` dumps them: read, and noticed where they are damaged.

use crate::cluster::{HostRow, cluster, cluster_of_ports, without_lids};
use proptest::prelude::*;
use weft_fabric::generate::torus;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId};
use weft_opensm::{ReadRoutes, read_routes as read};
use weft_routing::algorithms::route_spec;
use weft_routing::json::write;
use weft_routing::{ForwardingTables, PairGranularity, Routes};
use weft_testing::{any_changes, cases, changed, fabric_of, first_line};

/// The first line of an error.
fn message(text: &str, fabric: &Fabric) -> String {
    first_line(read(text.as_bytes(), "file", fabric).unwrap_err())
}

/// A host on each of two switches, joined by port 2 of each; the second host has two LIDs.
fn two_hosts() -> Fabric {
    cluster(
        &[("leaf a", 0xa0, 1), ("leaf b", 0xb0, 2)],
        &[
            ("host a", [0xa1, 0x1a1], (3, 0), (0, 1)),
            ("host b", [0xb1, 0x1b1], (4, 1), (1, 1)),
        ],
        &[[(0, 2), (1, 2)]],
    )
}

/// The routes of tables that leave no choice.
fn routes(found: &ReadRoutes) -> &Routes {
    &found.routing.fixed("a test").unwrap().routes
}

/// Reads tables of the cluster.
fn read_of_cluster(text: &str) -> ReadRoutes {
    read(text.as_bytes(), "file", &two_hosts()).unwrap()
}

const LFTS: &str = "\
Unicast lids [0-5] of switch Lid 1 guid 0x00000000000000a0 ('leaf a'):
0x0001 000 # Switch portguid 0x00000000000000a0: 'leaf a'
0x0002 002 # Switch portguid 0x00000000000000b0: 'leaf b'
0x0003 001 # Channel Adapter portguid 0x00000000000000a1: 'host a'
0x0004 002 # Channel Adapter portguid 0x00000000000000b1: 'host b'
0x0005 002 # Channel Adapter portguid 0x00000000000000b1: 'host b'
0x0009 002 # Channel Adapter portguid 0x00000000000000c1: 'gone'
6 lids dumped
Unicast lids [0-5] of switch Lid 2 guid 0x00000000000000b0 ('leaf b'):
0x0001 002 # Switch portguid 0x00000000000000a0: 'leaf a'
0x0002 000 # Switch portguid 0x00000000000000b0: 'leaf b'
0x0003 002 # Channel Adapter portguid 0x00000000000000a1: 'host a'
0x0004 001 # Channel Adapter portguid 0x00000000000000b1: 'host b'
0x0005 001 # Channel Adapter portguid 0x00000000000000b1: 'host b'
5 lids dumped
";

const FDBS: &str = "\
dump_ucast_routes: Switch 0x00000000000000a0
LID    : Port : Hops : Optimal
0x0001 : 000  : 00   : yes
0x0002 : 002  : 01   : yes
0x0003 : 001  : 00   : yes
0x0004 : 002  : 01   : yes
0x0005 : 002  : 01   : yes
dump_ucast_routes: Switch 0x00000000000000b0
LID    : Port : Hops : Optimal
0x0003 : 002  : 01   : yes
0x0004 : 001  : 00   : yes
0x0005 : 001  : 00   : yes
";

/// The tables of both files.
fn routes_of_cluster() -> Routes {
    let mut tables = ForwardingTables::new(PairGranularity::Host, 2, &[1, 2]);
    for (switch, ports) in [[1, 2, 2], [2, 1, 1]].into_iter().enumerate() {
        for (address, port) in ports.into_iter().enumerate() {
            let switch = SwitchId::from_index(switch);
            tables.set_next_port(switch, address, PortNumber::new(port));
        }
    }
    tables.send_to_any_address();
    tables.into()
}

/// Port 255 leads nowhere; what names a port that is gone is no entry to whoever has its LID now.
#[test]
fn entries_to_nowhere_and_to_ports_that_are_gone_are_none() {
    let to_a = "0x0003 002 # Channel Adapter portguid 0x00000000000000a1";
    for changed in [to_a.replace("002", "255"), to_a.replace("a1", "c9")] {
        let found = read_of_cluster(&LFTS.replace(to_a, &changed));
        let Routes::Tables(tables) = routes(&found) else {
            panic!("they are tables");
        };
        let ports = [0, 1].map(|switch| tables.next_port(SwitchId::new(switch), 0));
        assert_eq!(ports, [Some(PortNumber::new(1)), None], "{changed}");
    }
}

#[test]
fn tables_of_opensm_are_read_by_guid_and_by_lid() {
    // GUIDs suffice where the file has them.
    for fabric in [two_hosts(), without_lids(two_hosts())] {
        let found = read(LFTS.as_bytes(), "file", &fabric).unwrap();
        assert_eq!(*routes(&found), routes_of_cluster());
        assert_eq!(found.routing.algorithm(), "opensm-lfts");
        let [note] = &found.notes[..] else {
            panic!("{:?}", found.notes)
        };
        assert_eq!(
            (note.line, note.text.as_str()),
            (Some(7), "port 0x00000000000000c1")
        );
    }
    let found = read_of_cluster(FDBS);
    assert_eq!(*routes(&found), routes_of_cluster());
    assert_eq!(found.routing.algorithm(), "opensm-fdbs");
    assert_eq!(found.notes, []);
}

#[test]
fn what_dump_fts_prints_is_read() {
    let text = LFTS
        .replace("# Channel Adapter", ": (Channel Adapter")
        .replace("switch Lid 1 guid", "switch DR path slid 0; dlid 0; 0 guid")
        .replace(
            "('leaf b'):\n",
            "('leaf b'):\n  Lid  Out   Destination\n       Port     Info \n",
        )
        .replace("lids dumped", "valid lids dumped");
    let found = read_of_cluster(&text);
    assert_eq!(*routes(&found), routes_of_cluster());
    // The port that the fabric does not have.
    assert_eq!(found.notes.len(), 1);
}

/// The last LID is a multiple of 64; the table of a host beside it is its own. Without one nothing is.
#[test]
fn a_last_lid_that_dump_fts_leaves_out_goes_as_one_beside_it() {
    let beside = ("host b", [0xb1, 0x1b1], (4, 0), (1, 1));
    let last = ("host c", [0xd1, 0x1d1], (64, 0), (1, 3));
    let first = ("host a", [0xa1, 0x1a1], (3, 0), (0, 1));
    let leaves = [("leaf a", 0xa0, 1), ("leaf b", 0xb0, 2)];
    let of = |hosts: &[HostRow<'_>]| cluster(&leaves, hosts, &[[(0, 2), (1, 2)]]);
    let printed = LFTS
        .replace("[0-5]", "[0x0-0x40]")
        .replace("6 lids", "6 valid lids");
    let fabric = of(&[first, beside, last]);
    let found = read(printed.as_bytes(), "file", &fabric).unwrap();
    let Routes::Tables(tables) = routes(&found) else {
        panic!("no tables");
    };
    let port = |switch, host| tables.next_port(SwitchId::new(switch), tables.addresses(host).start);
    assert_eq!(port(0, 2), Some(PortNumber::new(2)));
    assert_eq!(port(1, 2), Some(PortNumber::new(3)));
    let note = |found: &ReadRoutes| {
        let told = found.notes.iter().find(|note| note.text.contains("host c"));
        told.map(|note| format!("{}: {}", note.text, note.reason))
    };
    let left_out = "no entries of LID 0x0040, “host c”: `dump_fts` leaves out a last LID that is a multiple of 64";
    let like = format!("{left_out}; they are taken to be those of “host b”");
    assert_eq!(note(&found), Some(like));
    // Alone on its switch it is reached as the switch is, where entries to that are printed.
    let alone = of(&[first, last]);
    let to_switch = "0x0002 002 # Switch portguid 0x00000000000000b0: 'leaf b'\n";
    let without = printed.replace(to_switch, "").replace("6 valid", "5 valid");
    let unknown = format!("{left_out}; they are not known");
    let found = read(without.as_bytes(), "file", &alone).unwrap();
    assert_eq!(note(&found), Some(unknown));
    let found = read(printed.as_bytes(), "file", &alone).unwrap();
    let Routes::Tables(tables) = routes(&found) else {
        panic!("no tables");
    };
    let port = |switch| tables.next_port(SwitchId::new(switch), tables.addresses(1).start);
    assert_eq!(
        [port(0), port(1)],
        [2, 3].map(|port| Some(PortNumber::new(port)))
    );
    let like = format!("{left_out}; they are taken to be those of switch “leaf b”");
    assert_eq!(note(&found), Some(like));
    // What OpenSM writes itself is whole: there a host without entries has none.
    let written = printed.replace("[0x0-0x40]", "[0-64]");
    assert_eq!(
        note(&read(written.as_bytes(), "file", &fabric).unwrap()),
        None
    );
}

/// A release of `dump_fts` prints no entry by a port from 128 on, which is none that switches lack.
#[test]
fn tables_without_entries_by_high_ports_are_refused_where_cables_are_there() {
    let printed = LFTS
        .replace("[0-5]", "[0x0-0x5]")
        .replace(
            "0x0009 002 # Channel Adapter portguid 0x00000000000000c1: 'gone'\n",
            "",
        )
        .replace("6 lids", "5 valid lids")
        .replace("5 lids", "5 valid lids");
    let at = |port: u8| {
        let hosts = [
            ("host a", [0xa1, 0x1a1], (3, 0), (0, port)),
            ("host b", [0xb1, 0x1b1], (4, 1), (1, 1)),
        ];
        let leaves = [("leaf a", 0xa0, 1), ("leaf b", 0xb0, 2)];
        cluster_of_ports(144, &leaves, &hosts, &[[(0, 2), (1, 2)]])
    };
    let own = "0x0003 001 # Channel Adapter portguid 0x00000000000000a1: 'host a'\n";
    let left_out = printed
        .replacen(own, "", 1)
        .replacen("5 valid", "4 valid", 1);
    assert_eq!(
        message(&left_out, &at(130)),
        "file:1:1: found no entry by a port from 128 on, and 1 lacking at switch “leaf a”, which has cables there, \
         expected these entries, too, which `dump_fts` leaves out in releases such as 44 of infiniband-diags; print \
         them by `dump_fts -a`, or give the opensm-lfts.dump of OpenSM"
    );
    // Whole tables, such as `-a` prints, are read, as are those of switches without cables there, and what OpenSM wrote.
    let all = printed.replacen(own, "0x0003 130 : (illegal port)\n", 1);
    let found = read(all.as_bytes(), "file", &at(130)).unwrap();
    let Routes::Tables(tables) = routes(&found) else {
        panic!("no tables");
    };
    let first = tables.addresses(0).start;
    assert_eq!(
        tables.next_port(SwitchId::new(0), first),
        Some(PortNumber::new(130))
    );
    assert!(read(left_out.as_bytes(), "file", &at(1)).is_ok());
    let written = left_out.replace("[0x0-0x5]", "[0-5]");
    assert!(read(written.as_bytes(), "file", &at(130)).is_ok());
}

#[test]
fn lines_of_other_programs_are_passed_over_and_counted() {
    let noise = "ibwarn: [7] mad_rpc: _do_madrpc failed\n";
    for text in [LFTS, FDBS] {
        let noisy = format!("{noise}{noise}{text}{noise}")
            .replace("dump_ucast_routes", "osm_ucast_mgr_dump_ucast_routes");
        let found = read_of_cluster(&noisy);
        assert_eq!(*routes(&found), routes_of_cluster());
        let note = &found.notes[0];
        assert_eq!((note.line, note.text.as_str()), (Some(1), noise.trim()));
        assert_eq!(note.reason, "no line of this format; 3 are passed over");
    }
}

#[test]
fn opensm_counts_lids_and_entries_go_by_their_guid() {
    for (from, to) in [
        ("6 lids dumped", "3299 lids dumped"),
        ("0x0003 ", "0x0007 "),
    ] {
        let found = read_of_cluster(&LFTS.replace(from, to));
        assert_eq!(*routes(&found), routes_of_cluster());
    }
}

#[test]
fn tables_that_do_not_fit_are_refused_with_the_place() {
    let fabric = two_hosts();
    let nameless = fabric_of(&[1, 1], &[(0, 1)]);
    for (text, fabric, expected) in [
        (
            LFTS.to_owned(),
            &nameless,
            "file:1:1: found switch 0x00000000000000a0, expected switches of fabric “test”, which \
             has no GUIDs; make it from a discovery of the same cluster (ibnetdiscover)",
        ),
        (
            LFTS.replace("00b0 ('leaf b')", "00d0 ('leaf b')"),
            &fabric,
            "file:9:1: found switch 0x00000000000000d0, expected a switch of fabric “cluster”; the \
             tables are of another fabric, or the cluster has changed since it was discovered",
        ),
        (
            LFTS.replace("00b0 ('leaf b')", "00a0 ('leaf b')"),
            &fabric,
            "file:9:1: found switch 0x00000000000000a0, expected each switch once; it is listed at \
             line 1 already",
        ),
        (
            LFTS[..LFTS.find("Unicast lids [0-5] of switch Lid 2").unwrap()].to_owned(),
            &fabric,
            "file:8:14: found no tables of switch “leaf b”, expected those of all 2 switches of \
             fabric “cluster”",
        ),
        (
            LFTS.replace("6 lids dumped", "7 valid lids dumped"),
            &fabric,
            "file:8:1: found 6 entries, expected 7, as the line after them says; copy the file in \
             full",
        ),
        (
            LFTS.replace("6 lids dumped", "5 lids dumped"),
            &fabric,
            "file:8:1: found 6 entries, expected 5 at most, as the line after them says; copy the \
             file in full",
        ),
        (
            LFTS.replace("0x0004 001", "0x0004 x"),
            &fabric,
            "file:13:1: found port “x”, expected a port, 0 to 254",
        ),
        (
            LFTS.replace("0x0004 001", "0x-4 001"),
            &fabric,
            "file:13:1: found “0x-4 001 # Channel Adapter portguid 0x00”, expected an entry such as \
             “0x0001 003 # … portguid 0x…”",
        ),
        (
            FDBS.to_owned(),
            &without_lids(two_hosts()),
            "file:3:1: found LID 0x0001 alone, expected entries with the GUID of their port, as \
             fabric “cluster” has no LIDs; give opensm-lfts.dump, or make the fabric from a \
             discovery with LIDs (ibnetdiscover)",
        ),
        (
            String::new(),
            &fabric,
            "file:1:1: found an empty file, expected routes: Weft's own JSON, tables as OpenSM \
             dumps them (opensm-lfts.dump, dump_fts), its opensm.fdbs, or ibdiagnet's .far",
        ),
        (
            "# a comment\n  once upon a time".to_owned(),
            &fabric,
            "file:2:3: found a file that starts with “once upon a time”, expected routes: Weft's \
             own JSON, tables as OpenSM dumps them (opensm-lfts.dump, dump_fts), its opensm.fdbs, or ibdiagnet's .far",
        ),
    ] {
        assert_eq!(message(&text, fabric), expected);
    }
}

#[test]
fn files_cut_anywhere_are_noticed() {
    let fabric = two_hosts();
    for text in [LFTS, FDBS] {
        let whole = routes_of_cluster();
        for length in 0..text.len() {
            if let Ok(found) = read(&text.as_bytes()[..length], "file", &fabric) {
                // Of the file without ends only whole lines can go unnoticed: their entries are
                // missing then, which the proof tells.
                let lost = text[..length].ends_with('\n') && text == FDBS;
                assert!(*routes(&found) == whole || lost, "cut after {length} bytes");
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn changed_bytes_never_make_a_reader_panic(
        kind in 0_usize..3,
        changes in any_changes(),
    ) {
        let fabric = if kind == 0 { torus(2, 2, 1).unwrap() } else { two_hosts() };
        let json = || write(&fabric, &route_spec(&fabric, "down_preferred").unwrap());
        let text = [json(), LFTS.to_owned(), FDBS.to_owned()][kind].clone();
        let bytes = changed(text.as_bytes(), &changes);
        match read(&bytes, "file", &fabric) {
            Err(error) => {
                let place = format!("file:{}:{}: ", error.line, error.column);
                prop_assert!(error.to_string().starts_with(&place));
            }
            // Whatever was read can be walked.
            Ok(found) => {
                for host in fabric.host_ids() {
                    let walk = routes(&found).walk_hosts(&fabric, HostId::new(0), host);
                    prop_assert!(walk.count() <= fabric.switch_count());
                }
            }
        }
    }
}
