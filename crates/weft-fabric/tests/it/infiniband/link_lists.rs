//! Lists of cables between named nodes: UFM's links, planned topologies, ibutils' topologies, Omni-Path's
//! links and LLDP's tables.

use super::samples::{error_text, read_text, wiring};
use crate::machines::{missing, planted};
use crate::reading::{assert_read_or_placed, notes};
use proptest::prelude::*;
use weft_fabric::formats::{Companion, FormatName, read, read_beside};
use weft_fabric::{Fabric, Node, PortNumber};
use weft_testing::machines::pods_on_few_cores;
use weft_testing::{any_changes, assert_has, changed, table};

const UFM: &str = include_str!("two_leaves.ufm.json");
const NDT: &str = include_str!("two_leaves.ndt");
pub(super) const TOPO: &str = include_str!("two_leaves.topo");
const IBNL: &str = include_str!("director.topo");
const OPA: &str = include_str!("two_leaves.opa");
const LLDP: &str = include_str!("two_leaves.lldp");

const ALL: [(FormatName, &str); 6] = [
    (FormatName::UfmLinks, UFM),
    (FormatName::Ndt, NDT),
    (FormatName::Ibutils, TOPO),
    (FormatName::Ibutils, IBNL),
    (FormatName::OpaLinks, OPA),
    (FormatName::LldpTable, LLDP),
];

#[test]
fn each_list_is_the_fabric_that_it_describes() {
    let expected: [&[&str]; 6] = [
        &[
            "leaf1[1] – node1 mlx5_0[1] 4xHDR",
            "leaf1[3] – spine1[1] 4xHDR",
            "leaf2[1] – node2 mlx5_0[1]",
            "leaf2[3] – spine1[2]",
        ],
        &[
            "leaf1[3] – spine1 Blade 1[7]",
            "leaf1[42] – node1 mlx5_0[1]",
            "leaf2[3] – spine1 Blade 2[7]",
            "leaf2[41] – node2 mlx5_0[1]",
        ],
        &[
            "leaf1[1] – node1[1] 4xQDR",
            "leaf1[3] – spine1[1] 4xFDR",
            "leaf2[1] – node2[1]",
            "leaf2[3] – spine1[2]",
        ],
        &[
            "D-1/leaf1/U1[13] – D-1/spine/U1[1] 4xQDR",
            "D-1/leaf1/U1[1] – H-1[1] 4xQDR",
            "D-1/leaf2/U1[13] – D-1/spine/U1[2] 4xQDR",
            "D-1/leaf2/U1[1] – H-2[2] 4xQDR",
        ],
        &[
            "leaf1[1] – node1 hfi1_0[1] 100 Gbit/s",
            "leaf1[3] – spine1[1] 100 Gbit/s",
            "leaf2[1] – node2 hfi1_0[1] 100 Gbit/s",
            "leaf2[3] – spine1[2] 100 Gbit/s",
        ],
        &[
            "leaf1[1] – spine1[9]",
            "leaf1[5] – node1 enp1s0f0[1]",
            "leaf2[1] – spine1[13]",
            "leaf2[5] – node2 enp1s0f0[1]",
        ],
    ];
    for ((format, text), expected) in ALL.into_iter().zip(expected) {
        let read = read_text(text);
        assert_eq!(read.format, format);
        assert_eq!(wiring(&read.fabric), expected, "{format}");
    }
    assert_eq!(
        notes(&read_text(NDT)).len(),
        1,
        "the management link is passed over"
    );
    for text in [UFM, TOPO, IBNL, OPA] {
        assert!(
            notes(&read_text(text)).is_empty(),
            "{:?}",
            notes(&read_text(text))
        );
    }
    // The prompts, and that the spine has no table.
    let told = notes(&read_text(LLDP));
    assert_eq!(
        told,
        [
            "6: switch “spine1”: its own table is not in the file; cables from it to others are not known"
        ]
    );
}

#[test]
fn ufm_s_links_may_stand_in_an_object() {
    let whole = format!("{{\"systems\": [], \"links\": {UFM}}}");
    assert_eq!(read_text(&whole).fabric, read_text(UFM).fabric);
}

#[test]
fn a_system_that_is_defined_alone_is_a_fabric() {
    let alone = &IBNL[..IBNL.find("DIRECTOR D-1").unwrap()];
    assert_eq!(
        wiring(&read_text(alone).fabric),
        [
            "DIRECTOR/leaf1/U1[13] – DIRECTOR/spine/U1[1] 4xQDR",
            "DIRECTOR/leaf2/U1[13] – DIRECTOR/spine/U1[2] 4xQDR",
        ]
    );
    // A board that is taken out takes its cables with it.
    let without = IBNL.replace("DIRECTOR D-1", "DIRECTOR D-1 CFG: leaf2=R");
    assert!(error_text(&without).contains("found “L2/P1”, expected a port of “D-1”"));
}

#[test]
fn systems_are_defined_in_files_beside_a_topology_too() {
    let cut = IBNL.find("DIRECTOR D-1").unwrap();
    let (definitions, topology) = IBNL.split_at(cut);
    let (boards, top) = definitions.split_at(definitions.find("TOPSYSTEM").unwrap());
    let file = |name: &str, text: &str| Companion {
        name: format!("{name}.ibnl"),
        text: text.to_owned(),
    };
    let beside = |files: &[Companion]| read_beside(topology.as_bytes(), "d.topo", files);
    let whole = read_text(IBNL).fabric;
    // In one file, or boards apart; what nothing is asked of may be anything.
    let other = file("other", "SYSTEM OTHER\nNODE SW x\n");
    for files in [
        vec![other.clone(), file("DIRECTOR", definitions)],
        vec![file("boards", boards), other, file("DIRECTOR", top)],
    ] {
        let read = beside(&files).unwrap();
        assert_eq!(wiring(&read.fabric), wiring(&whole));
        assert!(notes(&read).is_empty());
    }
    let error = |files: &[Companion]| beside(files).unwrap_err().to_string();
    let missing = error(&[file("boards", boards)]);
    assert_has(
        &missing,
        "d.topo:2:4: found “L1/P1”, expected a port such as P1, as no definition of the system \
         DIRECTOR was found: it stands before “D-1” in the file, or as DIRECTOR.ibnl in the same \
         folder or in ibnl/ there",
    );
    assert_has(
        &error(&[file("DIRECTOR", top)]),
        "d.topo:1:1: found “D-1” with a board LEAF, expected a definition of LEAF",
    );
    let broken = definitions.replace("SW 24", "SW many");
    assert_has(
        &error(&[file("DIRECTOR", &broken)]),
        "DIRECTOR.ibnl:2:1: found “many”, expected a number of ports",
    );
}

#[test]
fn both_ends_of_a_cable_may_tell_of_it() {
    let spine = "admin@spine1:~$ show lldp table\n\
                 LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr\n\
                 -----------  --------------  --------------  ------------  -----------------\n\
                 Ethernet8    leaf1           Ethernet0       BR            x\n\
                 Ethernet12   leaf2.lan       Ethernet0       BR            x\n";
    let both = read_text(&format!("{LLDP}{spine}"));
    assert_eq!(wiring(&both.fabric), wiring(&read_text(LLDP).fabric));
    assert!(notes(&both).is_empty(), "{:?}", notes(&both));
    let other = spine.replace(
        "Ethernet8    leaf1           Ethernet0",
        "Ethernet16   leaf1           Ethernet0",
    );
    let read = read_text(&format!("{LLDP}{other}"));
    assert!(
        notes(&read)
            .iter()
            .any(|note| note.contains("the file lists another cable at port 1 of “leaf1”")),
        "{:?}",
        notes(&read)
    );
}

#[test]
fn ports_that_neighbours_know_by_an_alias_are_those_of_their_own_table() {
    let head = "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr\n\
                -----------  --------------  --------------  ------------  -----------------\n";
    let leaf = format!(
        "admin@leaf1:~$ show lldp table\n{head}\
         Ethernet0    spine1          etp10           BR            x\n\
         Ethernet4    spine1          etp9            BR            x\n\
         Ethernet8    node1           enp1s0f0        O             x\n\
         eth0         mgmt1           Ethernet3       BR            x\n"
    );
    let spine = format!(
        "admin@spine1:~$ show lldp table\n{head}\
         Ethernet32   leaf1           Eth1/2          BR            x\n\
         Ethernet36   leaf1           Eth1/1          BR            Ethernet0\n"
    );
    let both = read_text(&format!("{leaf}{spine}"));
    assert_eq!(
        wiring(&both.fabric),
        [
            "leaf1[1] – spine1[37]",
            "leaf1[5] – spine1[33]",
            "leaf1[9] – node1 enp1s0f0[1]",
        ]
    );
    assert_eq!(
        notes(&both),
        [
            "7: eth0         mgmt1           Ethernet3       BR            x: the port is for management; passed over"
        ]
    );
    let lost = spine.replace("Ethernet32   leaf1", "Ethernet32   leaf2");
    let error = error_text(&format!("{leaf}{lost}"));
    assert_has(
        &error,
        "file:4:1: found port “etp10” of “spine1”, whose own table has no port of this name, \
         expected as many ports of “spine1” that lead to “leaf1” in its table as here, 2",
    );
}

#[test]
fn a_planned_topology_names_chips_of_blades_and_adapters_as_the_plugin_of_ufm_does() {
    let text = "#StartDevice,StartPort,EndDevice,EndPort,LinkType\r\n\
                leaf1,Port 21,core1,Blade 16_Port 2/20,Data\r\n\
                leaf1,Port 22,core1,Blade 16_Port 1/20,Data\r\n\
                node1,node1 ibp11s0f0,leaf1,Port 1, Data\r\n\
                node1,ibp21s0f0,leaf1,Port 1/2/1, Data\r\n";
    let expected = [
        "core1 Blade 16 U1[20] – leaf1[22]",
        "core1 Blade 16 U2[20] – leaf1[21]",
        "leaf1[1] – node1 ibp11s0f0[1]",
        "leaf1[3] – node1 ibp21s0f0[1]",
    ];
    assert_eq!(wiring(&read_text(text).fabric), expected);
    for names in [
        "#Fields:StartDevice,StartPort,EndDevice,EndPort,LinkType",
        "Start Device,Start Port,End Device,End Port,Link Type",
    ] {
        let other = text.replacen(
            "#StartDevice,StartPort,EndDevice,EndPort,LinkType",
            names,
            1,
        );
        assert_eq!(wiring(&read_text(&other).fabric), expected, "{names}");
    }
}

#[test]
fn ufm_labels_ports_of_switches() {
    let link = |source: &str, label: &str, far: &str| {
        format!(
            r#"{{"source_guid": "900a840300ac8c40", "source_port": "5", "source_port_dname": "1/3/1",
            "source_port_node_description": "{source}:1/3/1", "width": "IB_4x", "speed": "NDR",
            "destination_guid": "9c0591030085abc0", "destination_port": "20",
            "destination_port_dname": "{label}", "destination_port_node_description": "{far}"}}"#
        )
    };
    let read = |link: String| wiring(&read_text(&format!("[{link}]")).fabric);
    assert_eq!(
        read(link("leaf1", "L16/U2/20", "core1:L16/U2/20")),
        ["core1:L16/U2[20] – leaf1[5] 4xNDR"]
    );
    assert_eq!(
        read(link("leaf1", "1/10/2", "spine1:1/10/2")),
        ["leaf1[5] – spine1[20] 4xNDR"]
    );
}

#[test]
fn opaextractsellinks_writes_no_names_of_columns() {
    let text = "0x0011750101660000;1;FI;node1 hfi1_0;0x0011750102660000;5;SW;opasw1\n\
                0x0011750102660000;48;SW;opasw1;0x0011750103660000;48;SW;opasw2\n";
    assert_eq!(
        wiring(&read_text(text).fabric),
        ["node1 hfi1_0[1] – opasw1[5]", "opasw1[48] – opasw2[48]"]
    );
    let error = error_text(&format!("node3;1\n{text}"));
    assert_has(
        &error,
        "file:1:1: found values without names, expected the names of the columns",
    );
}

#[test]
fn the_raw_output_of_opaxmlextract_has_a_line_for_each_end() {
    let raw = "Rate;LinkDetails;Port.NodeDesc;Port.PortNum\n\
               100g;;leaf1;3\n100g;;spine1;1\n100g;;leaf1;1\n100g;;node1 hfi1_0;1\n\
               100g;;leaf1;2\n100g;;node2 hfi1_0;1\n";
    assert_eq!(
        wiring(&read_text(raw).fabric),
        [
            "leaf1[1] – node1 hfi1_0[1] 100 Gbit/s",
            "leaf1[2] – node2 hfi1_0[1] 100 Gbit/s",
            "leaf1[3] – spine1[1] 100 Gbit/s",
        ]
    );
}

/// The links of a fabric as `opaextractlinks` lists them, which tells of no port without a cable; their ports are the same
/// times `step`.
fn listed(fabric: &Fabric, step: u8) -> String {
    let end = |node: Node, port: PortNumber| {
        let name = fabric.node_name(node).replace(';', " ");
        match node {
            Node::Switch(_) => format!("SW;{name};{}", step * port.number()),
            Node::Host(_) => format!("FI;{name};1"),
        }
    };
    let names = "Port.NodeType;Port.NodeDesc;Port.PortNum";
    let mut lines = vec![format!(
        "Rate;LinkDetails;CableLength;CableLabel;CableDetails;{names};{names}"
    )];
    lines.extend(fabric.link_ids().map(|link| {
        let [a, b] = fabric.link(link).ends.map(|at| end(at.node, at.port));
        format!("100g;;;;;{a};{b}")
    }));
    lines.join("\n") + "\n"
}

/// Where no switch has ports beyond those that have a cable, a cable in the last of them takes its port along. Of a core that
/// shares its spines with few others several ports may be meant.
#[test]
fn a_switch_has_the_ports_of_those_in_its_place() {
    for step in [1, 3] {
        for ends in pods_on_few_cores(8).trunks() {
            let mut room = pods_on_few_cores(8);
            let expected = planted(&room, &ends);
            room.pull(ends[0]);
            let (found, others) = missing(&read_text(&listed(&room.fabric(), step)).fabric);
            assert_eq!(others, [], "{step} {ends:?}");
            let [cable] = &Vec::from_iter(found)[..] else {
                panic!("{step} {ends:?}");
            };
            for ((name, ports), (found, among)) in expected.iter().zip(cable) {
                assert_eq!(*found, name.replace(';', " "), "{step} {ends:?}");
                let mut ports = ports.iter().map(|port| step * port);
                assert!(ports.all(|port| among.contains(&port)), "{step} {ends:?}");
            }
        }
    }
}

#[test]
fn what_is_wrong_has_its_place() {
    let cases = table(
        r#"
        "source_port": "3" => "source_port": "0"
            file:2:2: found “0”, expected a port, 1 to 254
        leaf1,Port 21/2 => leaf1,Port 21/3
            file:3:29: found “Port 21/3”, expected a port such as Port 7, Port 21/2, Blade 3_Port 7, Blade 3_Port 2/20 or mlx5_0
        SW 24 MT47396 U1 => SW 255 MT47396 U1
            file:2:1: found “255”, expected a number of ports, 1 to 254
        P1 -4x-10G-> HCA node1 P1 => L1/P1 -4x-10G-> HCA node1 P1
            file:3:4: found “L1/P1”, expected a port such as P1
        leaf1;3;spine1;1 => leaf1;;spine1;1
            file:2:16: found “”, expected a port, 1 to 254
    "#,
    );
    for ([from, to, start], text) in cases.into_iter().zip([UFM, NDT, IBNL, TOPO, OPA]) {
        assert!(text.contains(&from), "{from}");
        let error = error_text(&text.replacen(&from, &to, 1));
        assert!(error.starts_with(&start), "{error}\n{start}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_never_make_a_reader_panic(which in 0..ALL.len(), changes in any_changes()) {
        assert_read_or_placed(&changed(ALL[which].1.as_bytes(), &changes));
    }

    #[test]
    fn cut_files_never_make_a_reader_panic(which in 0..ALL.len(), at in any::<prop::sample::Index>()) {
        let text = ALL[which].1.as_bytes();
        let _ = read(&text[..at.index(text.len())], "file");
    }
}
