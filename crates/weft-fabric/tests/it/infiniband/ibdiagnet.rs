//! What ibdiagnet leaves behind: its database and its dump of links.

use super::samples::{DB_CSV, IBNETDISCOVER, NET_DUMP, error_text, nodes, read_text, wiring};
use crate::reading::{assert_read_or_placed, assert_truncated, notes};
use proptest::prelude::*;
use weft_fabric::formats::{FormatName, read};
use weft_testing::{any_changes, changed, table};

const BOTH: [(FormatName, &str); 2] =
    [(FormatName::DbCsv, DB_CSV), (FormatName::NetDump, NET_DUMP)];

#[test]
fn both_files_tell_the_fabric_that_others_tell() {
    let plain = read_text(IBNETDISCOVER).fabric;
    for (format, text) in BOTH {
        let read = read_text(text);
        assert_eq!((read.format, notes(&read)), (format, vec![]));
        assert_eq!(wiring(&read.fabric), wiring(&plain), "{format}");
        assert_eq!(nodes(&read.fabric), nodes(&plain), "{format}");
    }
    let host = |text| {
        let fabric = read_text(text).fabric;
        let id = fabric
            .host_ids()
            .find(|&id| fabric.host(id).name == "host2 HCA-1 port 2");
        fabric.host(id.unwrap()).adapter_guid
    };
    assert_eq!(host(DB_CSV), Some(0x0002_c903_0000_0020));
    assert_eq!(host(NET_DUMP), None);
}

#[test]
fn switches_of_one_chassis_share_the_guid_of_their_system() {
    let systems = |system: &str| {
        // The column before a switch's own GUID.
        let own = ",1,1,0x0002c90200000b00,0x0002c90200000b00";
        let told = format!(",1,1,{system},0x0002c90200000b00");
        let text = DB_CSV.replace(own, &told);
        let fabric = read_text(&text).fabric;
        let system = |id| fabric.switch(id).system_guid;
        fabric.switch_ids().map(system).collect::<Vec<_>>()
    };
    assert_eq!(systems("0x0002c90200000b00"), [None; 3]);
    let first = Some(0x0002_c902_0000_0a00);
    assert_eq!(systems("0x0002c90200000a00"), [first, first, None]);
    assert_eq!(systems("0x0000000000000000"), [None; 3]);
    assert_eq!(systems("0x0000000000000007"), [None, Some(7), None]);
}

#[test]
fn counters_of_errors_and_cables_stand_at_their_ports() {
    let read = read_text(DB_CSV);
    let told: Vec<String> = read
        .ports
        .iter()
        .map(|record| {
            let (node, port) = (read.fabric.node_name(record.end.node), record.end.port);
            format!("{node}[{port}] {:?} {:?}", record.errors, record.cable)
        })
        .collect();
    // The wider counter is the one that counts on; a port without errors and without a known cable is
    // not told, and what says that there is no counter is none.
    assert_eq!(
        told,
        [
            "sw1[2] [(\"SymbolErrorCounter\", 70000), (\"LinkDownedCounter\", 2)] [(\"vendor\", \
             \"Maker\"), (\"part\", \"PN-4X-2\"), (\"serial\", \"SN0001\"), (\"length\", \"2 m\")]",
            "MF0;sw3:MSB7700/U1[1] [(\"PortRcvErrors\", 3)] []",
            "host2 HCA-1 port 2[2] [(\"LinkDownedCounter\", 1)] []",
        ]
    );
    assert!(read_text(IBNETDISCOVER).ports.is_empty());
}

#[test]
fn columns_are_known_by_name_in_any_order_and_case() {
    let swapped = DB_CSV
        .replace(
            "NodeGuid1,PortNum1,NodeGuid2,PortNum2",
            "NODEGUID2,PortNum2,nodeguid1,PORTNUM1",
        )
        .replace("START_TEMP", "START_OTHER")
        .replace("END_TEMP", "END_OTHER");
    assert_eq!(
        wiring(&read_text(&swapped).fabric),
        wiring(&read_text(DB_CSV).fabric)
    );
}

#[test]
fn what_is_missing_or_wrong_has_its_place() {
    let cases = table(
        r"
        END_LINKS => END_LINK
            file:65:1: found the start of another section within LINKS, expected END_LINKS
        START_LINKS => START_CONNECTIONS
            file:82:17: found the end of the file, expected a section LINKS; the file looks truncated
        ,NodeType, => ,Kind,
            file:4:1: found a line of names without this column, expected a column “nodetype”
        0x0002c90200000a00,1,0x0002c90200000b00,1 => 0x0002c90200000a00,0,0x0002c90200000b00,1
            file:54:20: found “0”, expected a port, 1 to 254
        0x0002c90200000a00,1,0x0002c90200000b00,1 => 0x0002c90200000a00,1,0x0002c90200000b0f,1
            file:54:22: found “0x0002c90200000b0f”, expected the GUID of a node in the section NODES
        0x0002c90200000a00,1,0x0002c90200000b00,1 => 0x0002c90200000a00,1
            file:54:21: found a row of 2 cells, expected a GUID such as 0xb8599f0300000100
    ",
    );
    for [from, to, start] in cases {
        assert!(DB_CSV.contains(&from), "{from}");
        let error = error_text(&DB_CSV.replace(&from, &to));
        assert!(error.starts_with(&start), "{error}\n{start}");
    }
    let cases = table(
        r#"
        "sw1", Mellanox, 0x0002c90200000a00, LID 1 => "sw1", Mellanox, LID 1
            file:1:1: found a line of something else, expected a switch's name, vendor, GUID and LID, between commas
        0x0002c90200000b00 : 1  : => 0x0002c90200000b00 : x  :
            file:3:91: found “x”, expected the port at the other end, 1 to 254
        : N# : => : Port :
            file:2:1: found a line of names without this column, expected a column “n#”
    "#,
    );
    for [from, to, start] in cases {
        assert!(NET_DUMP.contains(&from), "{from}");
        let error = error_text(&NET_DUMP.replace(&from, &to));
        assert!(error.starts_with(&start), "{error}\n{start}");
    }
}

#[test]
fn an_active_port_without_a_link_is_told() {
    let lost = DB_CSV.replace("0x0002c90200000a00,1,0x0002c90200000b00,1\n", "");
    assert_eq!(
        notes(&read_text(&lost)),
        [
            "0: sw1[1]: the port is active, but the section LINKS has no cable of it",
            "0: sw2 # rack 2; row 3[1]: the port is active, but the section LINKS has no cable of it",
        ]
    );
}

#[test]
fn a_database_cut_anywhere_within_its_links_is_truncated() {
    let end = DB_CSV.find("END_LINKS").unwrap();
    let start = DB_CSV.find("START_LINKS").unwrap();
    for length in start..end {
        assert_truncated(&DB_CSV.as_bytes()[..length]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_never_make_a_reader_panic(which in 0..BOTH.len(), changes in any_changes()) {
        assert_read_or_placed(&changed(BOTH[which].1.as_bytes(), &changes));
    }

    #[test]
    fn cut_files_never_make_a_reader_panic(which in 0..BOTH.len(), at in any::<prop::sample::Index>()) {
        let text = BOTH[which].1.as_bytes();
        let _ = read(&text[..at.index(text.len())], "file");
    }
}
