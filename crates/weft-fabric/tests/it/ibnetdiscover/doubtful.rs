//! Files that contradict themselves, lack parts or hold what a fabric cannot.

use super::samples::{
    PLAIN, adapter, error_text, host_names, links, one_switch, read_text, to_adapter,
};
use crate::reading::notes;
use weft_fabric::Node;

#[test]
fn what_a_fabric_cannot_hold_is_left_out_and_told() {
    let ports = to_adapter(1, "h", 1)
        + "[2]\t\"R-00000000000000c1\"[1](c1)\t\t# \"gateway\" lid 9 4xEDR\n"
        + "[3]\t\"S-0000000000000001\"[3]\t\t# \"sw\" lid 1 4xEDR\n"
        + &to_adapter(5, "Mellanox Technologies Aggregation Node", 8);
    let records = adapter(1, "h", 1)
        + &adapter(5, "Mellanox Technologies Aggregation Node", 8)
        + "Ca\t1 \"H-00000000000000a2\"\t\t# \"left\"\n\
           [1](b002)\t\"H-00000000000000a3\"[1](b003)\t\t# lid 1 lmc 0 \"right\" lid 2 4xEDR\n\
           Ca\t1 \"H-00000000000000a3\"\t\t# \"right\"\n\
           [1](b003)\t\"H-00000000000000a2\"[1](b002)\t\t# lid 2 lmc 0 \"left\" lid 1 4xEDR\n\
           Rt\t1 \"R-00000000000000c1\"\t\t# \"gateway\"\n\
           [1](c1)\t\"S-0000000000000001\"[2]\t\t# lid 9 lmc 0 \"sw\" lid 1 4xEDR\n";
    let read = read_text(&one_switch(&ports, &records));
    assert_eq!(
        links(&read.fabric),
        [
            "sw[1] – h[1] 4xEDR",
            "sw[8] – Mellanox Technologies Aggregation Node[1] 4xEDR"
        ]
    );
    assert_eq!(
        notes(&read),
        [
            "3: sw[2] – gateway[1]: a router is at one end; routers and their cables are left out",
            "4: sw[3] – sw[3]: the port leads to itself (a loopback plug); passed over",
            "13: host “left”: no port of it is wired to a switch; left out",
            "14: left[1] – right[1]: it joins two hosts without a switch; left out",
            "15: host “right”: no port of it is wired to a switch; left out",
            "17: router “gateway”: routers to other subnets are left out",
            "0: service ends: “Mellanox Technologies Aggregation Node”: their description says that \
             they are no compute ends; reached and proved, but without a say in traffic, balance and levels",
        ]
    );
}

#[test]
fn ends_that_disagree_are_told_and_the_confirmed_cable_is_kept() {
    // One side only; another rate at the other end; a cable to a port that both ends of another
    // cable confirm.
    let ports = to_adapter(1, "one", 1) + &to_adapter(3, "three", 3);
    let records = adapter(1, "one", 1).replace("EDR", "FDR")
        + &adapter(2, "two", 2)
        + &adapter(3, "three", 3)
        + &adapter(4, "four", 3);
    let read = read_text(&one_switch(&ports, &records));
    assert_eq!(
        links(&read.fabric),
        [
            "sw[1] – one[1] 4xEDR",
            "sw[2] – two[1] 4xEDR",
            "sw[3] – three[1] 4xEDR"
        ]
    );
    assert_eq!(
        notes(&read),
        [
            "2: sw[1] – one[1]: the rate is 4xEDR here and 4xFDR at line 6; 4xEDR was taken",
            "9: two[1] – sw[2]: only this end lists the cable; kept",
            "14: host “four”: no port of it is wired to a switch; left out",
            "15: four[1] – sw[3]: port 3 of “sw” has another cable, which both its ends list \
             (line 3); passed over",
        ]
    );
    let one_way = read.fabric.link_ids().map(|id| read.fabric.link(id).cable);
    let one_way: Vec<bool> = one_way.map(|cable| cable.is_one_way).collect();
    assert_eq!(one_way, [false, true, false]);
    assert!(read.fabric.link_ids().all(|id| {
        read.fabric
            .link(id)
            .ends
            .iter()
            .any(|end| matches!(end.node, Node::Switch(_)))
    }));
}

#[test]
fn records_and_lines_told_twice_count_once() {
    let record = one_switch(&to_adapter(1, "h", 1), "");
    let text = format!("{record}{record}{}", adapter(1, "h", 1));
    let read = read_text(&text);
    assert_eq!(links(&read.fabric), ["sw[1] – h[1] 4xEDR"]);
    assert_eq!(
        notes(&read),
        [
            "4: Switch\t8 \"S-0000000000000001\"\t\t# \"sw\" base port 0 lid 1 lmc 0: 2 lines from here \
             on repeat earlier ones, this one line 1; passed over, as where a file holds the same \
             twice or adapters have ports in two networks",
        ]
    );
}

#[test]
fn hosts_without_a_record_are_taken_from_the_switch() {
    let ports = to_adapter(1, "h1", 1) + &to_adapter(2, "h2", 2);
    let read = read_text(&one_switch(&ports, &adapter(1, "h1", 1)));
    assert_eq!(host_names(&read.fabric), ["h1", "h2"]);
    assert_eq!(
        notes(&read),
        [
            "3: channel adapter “h2” (H-00000000000000a2): a link leads to it, but it has no \
             record; taken from the link alone, as the file may have been cut"
        ]
    );
}

#[test]
fn a_switch_has_at_least_the_ports_it_uses() {
    let text = one_switch(&to_adapter(1, "h", 12), &adapter(1, "h", 12));
    let read = read_text(&text);
    assert_eq!(
        read.fabric
            .switch_ids()
            .map(|id| read.fabric.switch(id).port_count)
            .max(),
        Some(12)
    );
    assert_eq!(read.notes.len(), 1);
    assert_eq!(
        read.notes[0].reason,
        "the record gives the node 8 ports; it was given more"
    );
}

#[test]
fn errors_show_the_place() {
    let no_switch = adapter(1, "h1", 1).replace("S-0000000000000001", "H-00000000000000a2")
        + &adapter(2, "h2", 1).replace("S-0000000000000001", "H-00000000000000a1");
    assert!(
        error_text(&no_switch).contains("the fabric has no switch; at least one is needed"),
        "{}",
        error_text(&no_switch)
    );
    let bad_header = PLAIN.replace("Switch\t36", "Switch\t360");
    assert_eq!(
        error_text(&bad_header).lines().next().unwrap(),
        "cluster.ibnetdiscover:32:8: found “360”, expected the number of ports, 1 to 254"
    );
    let without_record = PLAIN.replace("Switch\t8 \"S-0002c90200000b00\"", "gone");
    assert_eq!(
        error_text(&without_record).lines().next().unwrap(),
        "cluster.ibnetdiscover:23:1: found the line of a port that belongs to no node, expected the \
         node's own line (Switch, Ca or Rt) before it"
    );
    let start = PLAIN
        .find("vendid=0x2c9\ndevid=0xcb20\nsysimgguid=0x2c90200000b00")
        .unwrap();
    let end = start + PLAIN[start..].find("\n\n").unwrap() + 2;
    let without_switch = format!("{}{}", &PLAIN[..start], &PLAIN[end..]);
    assert_eq!(
        error_text(&without_switch),
        "cluster.ibnetdiscover:11:1: found a link to S-0002c90200000b00 (“sw2 # rack 2; row 3”), \
         which has no record, expected a record of every switch: lines are missing from the file, \
         or the tool did not reach that switch\n   |\n11 | [1] \"S-0002c90200000b00\"[1]  # \"sw2 # \
         rack 2; row 3\" lid 2 4xEDR\n   | ^"
    );
}
