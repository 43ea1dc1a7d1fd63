//! Files that give several devices one GUID, or one port several cables.

use super::samples::{adapter, links, one_switch, read_text, to_adapter};
use crate::reading::notes;
use weft_fabric::formats::{FormatName, read, write};
use weft_fabric::metrics::{Suspicion, levels, suspicions};
use weft_fabric::{Fabric, Node};

/// Two switches with a cable between their eighth ports, the given lines of ports and records.
fn two_switches([first, second]: [&str; 2], records: &str) -> String {
    let first = one_switch(first, "");
    let first = first.trim_end();
    format!(
        "{first}\n[8]\t\"S-0000000000000002\"[8]\t\t# \"far\" lid 2 4xEDR\n\n\
         Switch\t8 \"S-0000000000000002\"\t\t# \"far\" base port 0 lid 2 lmc 0\n{second}\
         [8]\t\"S-0000000000000001\"[8]\t\t# \"sw\" lid 1 4xEDR\n\n{records}"
    )
}

/// The record of an adapter on the far switch.
fn far_adapter(number: u32, description: &str, port: u32) -> String {
    adapter(number, description, port)
        .replace("S-0000000000000001", "S-0000000000000002")
        .replace("\"sw\" lid 1", "\"far\" lid 2")
}

fn found(fabric: &Fabric) -> Vec<Suspicion> {
    suspicions(fabric, &levels(fabric))
}

#[test]
fn two_devices_with_one_guid_are_both_read_and_told_in_one_line() {
    let ports = [
        to_adapter(1, "one", 1) + &to_adapter(2, "other", 2),
        to_adapter(1, "two", 3),
    ];
    let records = adapter(1, "one", 1) + &adapter(2, "other", 2) + &far_adapter(1, "two", 3);
    let read_twins = read_text(&two_switches([&ports[0], &ports[1]], &records));
    assert_eq!(
        links(&read_twins.fabric),
        [
            "sw[1] – one[1] 4xEDR",
            "sw[2] – other[1] 4xEDR",
            "sw[8] – far[8] 4xEDR",
            "far[3] – two[1] 4xEDR",
        ]
    );
    assert_eq!(
        notes(&read_twins),
        [
            "16: Ca\t1 \"H-00000000000000a1\"\t\t# \"two\": another device with other cables has this GUID \
             (line 10); both are read: give one of them another GUID, or discover the fabric again if cables \
             were moved meanwhile"
        ]
    );
    let hosts: Vec<Node> = read_twins.fabric.host_ids().map(Node::Host).collect();
    let shared = vec![hosts[0], hosts[2]];
    let suspected = found(&read_twins.fabric);
    assert!(suspected.contains(&Suspicion::SharedGuids { nodes: shared }));
    assert!(
        !suspected
            .iter()
            .any(|one| matches!(one, Suspicion::OneWay { .. }))
    );
}

#[test]
fn switches_with_one_guid_keep_their_own_cables() {
    // Two spines of one GUID between two leaves: nothing but the descriptions tells which is meant, as both have the
    // first port on the first leaf's.
    let spine = |name: &str, ports: [u32; 2]| {
        let lines = (1..).zip(ports).map(|(leaf, port)| {
            format!("[{leaf}]\t\"S-000000000000000{leaf}\"[{port}]\t\t# \"leaf{leaf}\" lid {leaf} 4xEDR\n")
        });
        let lines: String = lines.collect();
        format!(
            "Switch\t8 \"S-0000000000000009\"\t\t# \"{name}\" base port 0 lid 9 lmc 0\n{lines}\n"
        )
    };
    let leaf = |number: u32| {
        let up = [("spine1", 7), ("spine2", 8)].map(|(name, port)| {
            format!("[{port}]\t\"S-0000000000000009\"[{number}]\t\t# \"{name}\" lid 9 4xEDR\n")
        });
        format!(
            "Switch\t8 \"S-000000000000000{number}\"\t\t# \"leaf{number}\" base port 0 lid {number} lmc 0\n{}\n",
            up.concat()
        )
    };
    let text = leaf(1) + &leaf(2) + &spine("spine1", [7, 7]) + &spine("spine2", [8, 8]);
    let fabric = read_text(&text).fabric;
    assert_eq!(
        links(&fabric),
        [
            "leaf1[7] – spine1[1] 4xEDR",
            "leaf1[8] – spine2[1] 4xEDR",
            "leaf2[7] – spine1[2] 4xEDR",
            "leaf2[8] – spine2[2] 4xEDR",
        ]
    );
    // Their manager gave both the LID of the one it knows.
    let both: Vec<Node> = fabric.switch_ids().skip(2).map(Node::Switch).collect();
    let told = [
        Suspicion::SharedLids {
            nodes: both.clone(),
        },
        Suspicion::SharedGuids { nodes: both },
    ];
    assert_eq!(found(&fabric), told);
}

#[test]
fn a_cable_between_two_of_one_guid_does_not_make_them_one() {
    let ports = [to_adapter(1, "one", 1), to_adapter(2, "two", 1)];
    let records = adapter(1, "one", 1) + &far_adapter(2, "two", 1);
    let text = two_switches([&ports[0], &ports[1]], &records);
    let text = text.replace("S-0000000000000002", "S-0000000000000001");
    let fabric = read_text(&text).fabric;
    assert_eq!(fabric.switch_count(), 2);
    let expected = [
        "sw[1] – one[1] 4xEDR",
        "sw[8] – far[8] 4xEDR",
        "far[1] – two[1] 4xEDR",
    ];
    assert_eq!(links(&fabric), expected);
}

#[test]
fn a_record_that_shares_a_cable_with_an_earlier_one_is_of_the_same_device() {
    let first = one_switch(&(to_adapter(1, "h1", 1) + &to_adapter(2, "h2", 2)), "");
    let again = one_switch(&(to_adapter(1, "h1", 1) + &to_adapter(3, "h3", 2)), "");
    let records = adapter(1, "h1", 1) + &adapter(2, "h2", 2);
    let fabric = read_text(&(first + &again + &records)).fabric;
    assert_eq!(fabric.switch_count(), 1);
    assert_eq!(
        links(&fabric),
        ["sw[1] – h1[1] 4xEDR", "sw[2] – h2[1] 4xEDR"]
    );
    let disputed = fabric.link_ids().nth(1).into_iter().collect();
    assert_eq!(found(&fabric), [Suspicion::Disputed { links: disputed }]);
}

#[test]
fn of_two_cables_at_one_port_the_one_that_the_other_end_lists_is_taken() {
    // The first line of the port is the wrong one.
    let ports = to_adapter(1, "h1", 1) + &to_adapter(2, "h2", 1) + &to_adapter(3, "h3", 3);
    let (second, third) = (adapter(2, "h2", 1), adapter(3, "h3", 3));
    let confirmed = read_text(&one_switch(&ports, &(second + &third)));
    assert_eq!(
        links(&confirmed.fabric),
        ["sw[1] – h2[1] 4xEDR", "sw[3] – h3[1] 4xEDR"]
    );
    let told = "2: sw[1] – h1[1]: the file lists another cable at port 1 of “sw” (line 3), which was taken; \
                passed over";
    assert!(
        notes(&confirmed).iter().any(|note| note == told),
        "{:?}",
        notes(&confirmed)
    );
    // Where neither is confirmed it is the first.
    let fabric = read_text(&one_switch(&ports, &third)).fabric;
    assert_eq!(
        links(&fabric),
        ["sw[1] – h1[1] 4xEDR", "sw[3] – h3[1] 4xEDR"]
    );
    let links = fabric.link_ids().take(1).collect();
    assert_eq!(found(&fabric), [Suspicion::Disputed { links }]);
}

#[test]
fn two_devices_that_claim_one_port_are_read_on() {
    let text = one_switch(
        &to_adapter(3, "h3", 3),
        &(adapter(1, "h1", 1) + &adapter(2, "h2", 1) + &adapter(3, "h3", 3)),
    );
    let read_claims = read_text(&text);
    assert_eq!(
        links(&read_claims.fabric),
        ["sw[1] – h1[1] 4xEDR", "sw[3] – h3[1] 4xEDR"]
    );
    assert!(notes(&read_claims).contains(
        &"8: h2[1] – sw[1]: port 1 of “sw” has another cable, listed first (line 5); passed over"
            .to_owned()
    ));
    let kinds = found(&read_claims.fabric);
    assert!(
        matches!(
            kinds[..],
            [Suspicion::OneWay { .. }, Suspicion::Disputed { .. }]
        ),
        "{kinds:?}"
    );
}

/// A discovery takes a GUID for one device and lists it once, with the cable that it met last.
#[test]
fn one_record_of_two_adapters_is_read_as_both() {
    let ports = [
        to_adapter(1, "one", 1) + &to_adapter(2, "other", 2),
        to_adapter(1, "one", 3),
    ];
    let records = adapter(2, "other", 2) + &far_adapter(1, "one", 3);
    let read_twins = read_text(&two_switches([&ports[0], &ports[1]], &records));
    let twin = "one 0x000000000000b001";
    assert_eq!(
        links(&read_twins.fabric),
        [
            format!("sw[1] – {twin} (2)[1] 4xEDR"),
            "sw[2] – other[1] 4xEDR".to_owned(),
            "sw[8] – far[8] 4xEDR".to_owned(),
            format!("far[3] – {twin}[1] 4xEDR"),
        ]
    );
    assert!(
        notes(&read_twins).contains(
            &"2: sw[1] – one[1]: another port of a switch leads there, too (line 7); taken for two devices with one \
              GUID: give one of them another, or discover the fabric again if cables were moved meanwhile"
                .to_owned()
        ),
        "{:?}",
        notes(&read_twins)
    );
    let hosts: Vec<Node> = read_twins.fabric.host_ids().map(Node::Host).collect();
    let shared = vec![hosts[1], hosts[2]];
    let told = found(&read_twins.fabric);
    assert!(
        told.contains(&Suspicion::SharedGuids { nodes: shared }),
        "{told:?}"
    );
    assert!(
        !told
            .iter()
            .any(|one| matches!(one, Suspicion::OneWay { .. } | Suspicion::Disputed { .. }))
    );
}

#[test]
fn of_an_adapter_without_a_record_each_port_of_a_switch_has_its_own() {
    let ports = [
        to_adapter(1, "one", 1) + &to_adapter(2, "other", 2),
        to_adapter(1, "one", 3) + &to_adapter(1, "one", 4),
    ];
    let records = adapter(2, "other", 2);
    let fabric = read_text(&two_switches([&ports[0], &ports[1]], &records)).fabric;
    assert_eq!(fabric.host_count(), 4);
    assert!(
        !found(&fabric)
            .iter()
            .any(|one| matches!(one, Suspicion::Disputed { .. }))
    );
}

/// The adapter's record contradicts both switches, or another adapter has the port by its own record: then a line is wrong,
/// and no device is made of it.
#[test]
fn claims_that_other_records_contradict_make_no_adapter() {
    let ports = [
        to_adapter(1, "one", 1) + &to_adapter(2, "other", 2),
        to_adapter(1, "one", 3),
    ];
    let elsewhere = adapter(2, "other", 2) + &far_adapter(1, "one", 5);
    let fabric = read_text(&two_switches([&ports[0], &ports[1]], &elsewhere)).fabric;
    assert_eq!(fabric.host_count(), 2);
    let claimed = adapter(2, "other", 2) + &far_adapter(1, "one", 3) + &adapter(3, "third", 1);
    let fabric = read_text(&two_switches([&ports[0], &ports[1]], &claimed)).fabric;
    assert!(
        found(&fabric)
            .iter()
            .any(|one| matches!(one, Suspicion::Disputed { .. }))
    );
}

#[test]
fn a_disputed_cable_comes_back_as_such() {
    let ports = to_adapter(1, "h1", 1) + &to_adapter(2, "h2", 1) + &to_adapter(3, "h3", 2);
    let fabric = read_text(&one_switch(&ports, &adapter(3, "h3", 2))).fabric;
    let text = write(&fabric, FormatName::Json).unwrap();
    let again = read(text.as_bytes(), "again.json").unwrap().fabric;
    let disputed = |fabric: &Fabric| -> Vec<bool> {
        let links = fabric.link_ids();
        links.map(|id| fabric.link(id).cable.is_disputed).collect()
    };
    assert_eq!(disputed(&fabric), [true, false]);
    assert_eq!(disputed(&again), [true, false]);
}
