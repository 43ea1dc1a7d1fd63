//! Whole files in all their variety.

use super::samples::{PLAIN, adapter, host_names, links, one_switch, read_text, to_adapter};
use crate::reading::notes;
use weft_fabric::Fabric;
use weft_fabric::formats::{FormatName, ReadFabric};

#[test]
fn a_plain_file_is_read_whole() {
    let ReadFabric {
        fabric,
        format,
        notes,
        ..
    } = read_text(PLAIN);
    assert_eq!(format, FormatName::Ibnetdiscover);
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!(fabric.name(), "cluster");
    let switches: Vec<(&str, u8, Option<u64>)> = fabric
        .switch_ids()
        .map(|id| fabric.switch(id))
        .map(|switch| (switch.name.as_str(), switch.port_count, switch.guid))
        .collect();
    assert_eq!(
        switches,
        [
            ("sw1", 8, Some(0x0002_c902_0000_0a00)),
            ("sw2 # rack 2; row 3", 8, Some(0x0002_c902_0000_0b00)),
            ("MF0;sw3:MSB7700/U1", 36, Some(0xec0d_9a03_0000_0c00)),
        ]
    );
    let hosts: Vec<(&str, Option<u64>)> = fabric
        .host_ids()
        .map(|id| fabric.host(id))
        .map(|h| (h.name.as_str(), h.guid))
        .collect();
    assert_eq!(
        hosts,
        [
            ("host3 mlx5_0", Some(0xec0d_9a03_0000_0030)),
            ("host2 HCA-1 port 1", Some(0x0002_c903_0000_0021)),
            ("host2 HCA-1 port 2", Some(0x0002_c903_0000_0022)),
            ("host1 HCA-2", Some(0x0002_c903_0000_0013)),
            ("host1 HCA-1", Some(0x0002_c903_0000_0011)),
        ]
    );
    assert_eq!(
        links(&fabric),
        [
            "sw1[1] – sw2 # rack 2; row 3[1] 4xEDR",
            "sw1[2] – sw2 # rack 2; row 3[2] 4xEDR",
            "sw1[3] – host1 HCA-1[1] 4xEDR",
            "sw1[4] – host2 HCA-1 port 1[1] 4xFDR",
            "sw1[7] – sw1[8] 4xEDR",
            "sw2 # rack 2; row 3[3] – MF0;sw3:MSB7700/U1[36] 4xFDR10",
            "sw2 # rack 2; row 3[4] – host1 HCA-2[1] 2xHDR",
            "MF0;sw3:MSB7700/U1[1] – host2 HCA-1 port 2[2] 4xFDR",
            "MF0;sw3:MSB7700/U1[2] – host3 mlx5_0[1] 4xHDR",
        ]
    );
}

/// Ways in which files differ without meaning anything else.
#[test]
fn the_same_fabric_in_other_clothes_is_the_same_fabric() {
    let plain = read_text(PLAIN).fabric;
    let variants = [
        ("no blank lines", PLAIN.replace("\n\n", "\n")),
        ("more blank lines", PLAIN.replace('\n', "\n\n")),
        ("line ends of other systems", PLAIN.replace('\n', "\r\n")),
        ("spaces for tabs", PLAIN.replace('\t', "    ")),
        ("indented", PLAIN.replace('\n', "\n   ") + "\n"),
        ("a byte-order mark", format!("\u{feff}{PLAIN}")),
        ("lids left out", with_empty_lids(PLAIN)),
        (
            "GUIDs with 0x",
            PLAIN
                .replace("(2c9", "(0x0002c9")
                .replace("(ec0d", "(0xec0d"),
        ),
        (
            "ids without leading zeros",
            PLAIN.replace("-0002c9", "-2c9"),
        ),
        (
            "groups",
            PLAIN
                .replace(
                    "\nvendid=0x2c9\ndevid=0xcb20",
                    "\n# Spine Nodes\nvendid=0x2c9\ndevid=0xcb20",
                )
                .replacen("\n\n", "\n\nChassis 1 (guid 0x2c90200000a00)\n\n", 1)
                .replacen(
                    "\n\nvendid=0x2c9\ndevid=0x1017",
                    "\n\nNon-Chassis Nodes\n\nvendid=0x2c9\ndevid=0x1017",
                    1,
                )
                .replace(
                    "sysimgguid=0x2c90200000b00",
                    "sysimgguid=0x2c90200000b00\t\t# Chassis 1",
                )
                .replace("(2c90200000b00)\n", "(2c90200000b00)\t# Mellanox spine 1\n")
                .replace("[1]\t\"S", "[1][ext 17]\t\"S")
                .replace("\"[1]\t\t", "\"[1][ext 17]\t\t"),
        ),
        (
            "full information",
            PLAIN.replace("DR\n", "DR s=4 w=2 v=3\n"),
        ),
        (
            "the system's GUID for the switch's",
            PLAIN.replace("switchguid=0x2c90200000a00", "switchguid=0x2c90200000f00"),
        ),
        (
            "ports in descending order",
            swap_lines(
                PLAIN,
                "[1]\t\"S-0002c90200000b00",
                "[2]\t\"S-0002c90200000b00",
            ),
        ),
    ];
    for (what, text) in variants {
        let read = read_text(&text);
        assert!(read.notes.is_empty(), "{what}: {:?}", read.notes);
        if what == "ports in descending order" {
            let sorted = |fabric: &Fabric| {
                let mut links = links(fabric);
                links.sort();
                links
            };
            assert_ne!(text, PLAIN);
            assert_eq!(sorted(&read.fabric), sorted(&plain), "{what}");
        } else if what == "lids left out" {
            assert_ne!(read.fabric, plain);
            assert_eq!(read.fabric.fingerprint(), plain.fingerprint());
        } else {
            assert_ne!(text, PLAIN, "{what}");
            assert_eq!(read.fabric, plain, "{what}");
        }
    }
}

fn with_empty_lids(text: &str) -> String {
    let mut result = String::new();
    let mut words = text.split_inclusive(' ').peekable();
    while let Some(word) = words.next() {
        result.push_str(word);
        if word.ends_with("lid ") {
            words.next_if(|next| next.trim().bytes().all(|b| b.is_ascii_digit()));
        }
    }
    result
}

fn swap_lines(text: &str, one: &str, other: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let find = |start: &str| {
        lines
            .iter()
            .position(|line| line.starts_with(start))
            .unwrap()
    };
    let (one, other) = (find(one), find(other));
    lines.swap(one, other);
    lines.join("\n") + "\n"
}

#[test]
fn words_of_shells_and_complaints_of_tools_are_passed_over_and_told() {
    let text = format!(
        "[root@node1 ~]# ibnetdiscover\n\
         src/query_smp.c:197; umad (DR path slid 0; dlid 0; 0,1,19) bad status 110; Connection \
         timed out\n{PLAIN}[root@node1 ~]# "
    );
    let read = read_text(&text);
    assert_eq!(read.fabric, read_text(PLAIN).fabric);
    assert_eq!(
        notes(&read),
        [
            "1: [root@node1 ~]# ibnetdiscover: nothing ibnetdiscover writes; passed over",
            "2: src/query_smp.c:197; umad (DR path slid 0; dlid 0; 0,1,19) bad status 110; \
             Connection timed out: a complaint of the tool, passed over; what it could not reach \
             is missing from the fabric",
            "67: [root@node1 ~]#: nothing ibnetdiscover writes; passed over",
        ]
    );
}

#[test]
fn equal_descriptions_get_their_guid_and_empty_ones_the_id() {
    let ports: String = [(1, "HCA"), (2, "HCA"), (3, "sw"), (4, " ")]
        .map(|(n, d)| to_adapter(n, d, n))
        .concat();
    let records: String = [(1, "HCA"), (2, "HCA"), (3, "sw"), (4, " ")]
        .map(|(n, d)| adapter(n, d, n))
        .concat();
    let read = read_text(&one_switch(&ports, &records));
    assert_eq!(
        host_names(&read.fabric),
        [
            "HCA 0x000000000000b001",
            "HCA 0x000000000000b002",
            "sw 0x000000000000b003",
            "H-00000000000000a4"
        ]
    );
    assert_eq!(
        notes(&read),
        [
            "0: 4 nodes share their description with others: names must be unique; the GUID was \
             appended to theirs"
        ]
    );
}

#[test]
fn names_stay_unique_whatever_the_descriptions() {
    // The third adapter is called what the first would become.
    let named = [(1, "HCA"), (2, "HCA"), (3, "HCA 0x000000000000b001")];
    let ports: String = named.map(|(n, d)| to_adapter(n, d, n)).concat();
    let records: String = named.map(|(n, d)| adapter(n, d, n)).concat();
    let read = read_text(&one_switch(&ports, &records));
    assert_eq!(
        host_names(&read.fabric),
        [
            "HCA 0x000000000000b001 (2)",
            "HCA 0x000000000000b002",
            "HCA 0x000000000000b001"
        ]
    );
}

#[test]
fn a_port_number_in_the_place_of_the_guid_is_no_guid() {
    let text = one_switch(&to_adapter(1, "h", 3), &adapter(1, "h", 3)).replace("(b001)", "(1)");
    let fabric = read_text(&text).fabric;
    let guids: Vec<Option<u64>> = fabric.host_ids().map(|id| fabric.host(id).guid).collect();
    assert_eq!(guids, [None]);
}

#[test]
fn rates_may_be_missing_or_unclear() {
    let ports = to_adapter(1, "old", 1).replace(" 4xEDR", "")
        + &to_adapter(2, "odd", 2).replace("EDR", "???");
    let records = adapter(1, "old", 1).replace(" 4xEDR", "") + &adapter(2, "odd", 2);
    let read = read_text(&one_switch(&ports, &records));
    assert_eq!(
        links(&read.fabric),
        ["sw[1] – old[1]", "sw[2] – odd[1] 4xEDR"]
    );
    assert_eq!(
        notes(&read),
        [
            "3: [2]\t\"H-00000000000000a2\"[1](b002)\t\t# \"odd\" lid 6 4x???: the rate “4x???” \
             says nothing; the link's rate is unknown"
        ]
    );
}
