//! Our own format: what is written comes back unchanged; what is wrong is named with its place.

use crate::any_fabric::{any_fabric, with_service_ends};
use proptest::prelude::*;
use weft_fabric::formats::{FORMATS, FormatName, read, write};
use weft_fabric::generate::{IrregularParameters, express_torus, irregular};
use weft_fabric::metrics::{Suspicion, levels, suspicions};
use weft_fabric::{Fabric, HostId, Layout, LidRange, LinkId, SwitchId};
use weft_testing::table;

const TWO_SWITCHES: &str = r#"{
  "format": "weft-fabric",
  "version": 1,
  "name": "two switches",
  "layout": {"grid": {"extents": [2, 1]}},
  "switches": [
    {"name": "sw0", "ports": 8, "guid": "0x0002c90200000001", "system_guid": "0x0002c90200000000", "lid": 4},
    {"name": "sw1", "ports": 8}
  ],
  "hosts": [
    {"name": "host0", "guid": "0x0002c90300000007", "adapter_guid": "0x0002c90300000006", "lid": 12, "lmc": 2},
    {"name": "host1"}
  ],
  "links": [
    {"ends": [["host0", 1], ["sw0", 1]], "rate": "4xHDR"},
    {"ends": [["sw1", 1], ["host1", 2]]},
    {"ends": [["sw0", 5], ["sw1", 5]]}
  ]
}
"#;

#[test]
fn the_documented_example_is_read_and_written() {
    let found = read(TWO_SWITCHES.as_bytes(), "any.json").unwrap();
    assert_eq!(found.format, FormatName::Json);
    assert!(found.notes.is_empty());
    let fabric = &found.fabric;
    assert_eq!(fabric.name(), "two switches");
    assert_eq!(
        *fabric.layout(),
        Layout::Grid {
            extents: vec![2, 1]
        }
    );
    assert_eq!(
        fabric.switch(SwitchId::new(0)).guid,
        Some(0x0002_c902_0000_0001)
    );
    assert_eq!(
        fabric.switch(SwitchId::new(0)).system_guid,
        Some(0x0002_c902_0000_0000)
    );
    assert_eq!(fabric.switch(SwitchId::new(0)).lids, LidRange::new(4, 0));
    assert_eq!(fabric.switch(SwitchId::new(1)).guid, None);
    assert_eq!(fabric.host(HostId::new(0)).lids, LidRange::new(12, 2));
    assert_eq!(
        fabric.host(HostId::new(0)).adapter_guid,
        Some(0x0002_c903_0000_0006)
    );
    assert_eq!(fabric.host_switch(HostId::new(1)), SwitchId::new(1));
    let descriptions: Vec<String> = fabric
        .link_ids()
        .map(|id| fabric.describe_channel(weft_fabric::ChannelId::new(2 * id.number())))
        .collect();
    assert_eq!(
        descriptions,
        ["host0[1] → sw0[1]", "sw1[1] → host1[2]", "sw0[5] → sw1[5]"]
    );
    assert_eq!(write_json(fabric), TWO_SWITCHES);
}

#[test]
fn a_file_without_name_is_called_after_its_file() {
    let text = TWO_SWITCHES.replace("  \"name\": \"two switches\",\n", "");
    for (source_name, name) in [
        ("a/b/my.cluster.json", "my.cluster"),
        ("cluster", "cluster"),
        (r"C:\fabrics\lab.json", "lab"),
        ("-", "fabric"),
        ("dir/.json", "fabric"),
    ] {
        assert_eq!(
            read(text.as_bytes(), source_name).unwrap().fabric.name(),
            name
        );
    }
}

#[test]
fn generated_fabrics_come_back_unchanged() {
    for fabric in [
        express_torus(5, 4, 3).unwrap(),
        irregular(&IrregularParameters::default()).unwrap(),
    ] {
        let fabric = with_service_ends(&fabric);
        let back = read(write_json(&fabric).as_bytes(), "x").unwrap().fabric;
        assert_eq!(back, fabric);
        assert_eq!(back.fingerprint(), fabric.fingerprint());
    }
}

fn write_json(fabric: &Fabric) -> String {
    write(fabric, FormatName::Json).unwrap()
}

/// Changes one text of the example for another and gives the error.
fn error_after(from: &str, to: &str) -> String {
    assert!(TWO_SWITCHES.contains(from), "the example has {from}");
    let text = TWO_SWITCHES.replacen(from, to, 1);
    let readable: Vec<&str> = FORMATS
        .iter()
        .filter(|format| format.reads())
        .map(|format| format.title)
        .collect();
    read(text.as_bytes(), "two.json")
        .unwrap_err()
        .to_string()
        .replace(&readable.join(", "), "FORMATS")
}

#[test]
fn every_mistake_is_named_with_its_place() {
    let cases = table(
        r#"
        "weft-fabric" => "geojson"
            two.json:2:13: found JSON of format "geojson", expected a fabric (FORMATS); check that
            this is the file you meant
        "format": "weft-fabric", => ``
            two.json:1:1: found a JSON object without “format”, expected a fabric (FORMATS); check
            that this is the file you meant
        "version": 1 => "version": 2
            two.json:3:14: found version 2 of the weft-fabric format, expected 1; read this file
            with a newer release of weft
        "version": 1 => "version": "1"
            two.json:3:14: found version "1", expected 1
        `  "version": 1,\n` => ``
            two.json:1:1: found no field “version”, expected "version": 1
        "name": "two switches" => "title": "two switches"
            two.json:4:3: found unknown field `title`, expected one of `format`, `version`, `name`,
            `layout`, `switches`, `hosts`, `links`
        "name": "sw1", "ports": 8 => "name": "sw1", "ports": 8, "speed": 3
            two.json:8:33: found unknown field `speed`, expected one of `name`, `ports`, `guid`, `system_guid`,
            `lid`, `lmc`
        {"name": "sw1", "ports": 8} => {"name": "sw1"}
            two.json:8:5: found no field `ports`, expected it; add it
        "ports": 8} => "ports": 255}
            two.json:8:30: found integer `255`, expected a number of ports or a port, 1 to 254
        "ports": 8} => "ports": "8"}
            two.json:8:30: found string "8", expected a number of ports or a port, 1 to 254
        0x0002c90300000007 => c90300000007
            two.json:11:31: found “c90300000007”, expected a GUID such as 0x0002c90300000001
        "lid": 4 => "lmc": 1
            two.json:7:5: found an “lmc” without “lid”, expected a lid from 1 to 49151 that is a
            multiple of 2^lmc, lmc from 0 to 7
        "lmc": 2 => "lmc": 3
            two.json:11:5: found lid 12 with lmc 3, expected a lid from 1 to 49151 that is a
            multiple of 2^lmc, lmc from 0 to 7
        4xHDR => 4xQQR
            two.json:15:57: found link rate “4xQQR”, expected a data rate such as 1.28 Gbit/s, or
            width x speed such as 4xHDR (widths 1, 2, 4, 8, 12)
        "rate" => "width"
            two.json:15:42: found unknown field `width`, expected one of `ends`, `rate`, `metres`,
            `port_kind`, `one_way`, `disputed`
        ["sw0", 5], ["sw1", 5] => ["sw0", 5], ["sv1", 5]
            two.json:17:27: no node is named “sv1”; did you mean “sw1”?
        ["sw0", 5], ["sw1", 5] => ["spine", 5], ["sw1", 5]
            two.json:17:15: no node is named “spine”; list it under “switches” or “hosts”
        ["sw0", 5], ["sw1", 5] => ["sw1", 5], ["sw0", 1]
            two.json:17:27: port 1 of “sw0” is used twice: by host0[1] – sw0[1] and by sw1[5] –
            sw0[1] (first at line 15)
        ["sw0", 5], ["sw1", 5] => ["sw1", 5], ["sw1", 5]
            two.json:17:27: port 5 of “sw1” is used twice: by sw1[5] – sw1[5] and by sw1[5] – sw1[5]
        ["sw0", 5], ["sw1", 5] => ["sw0", 5], ["host1", 1]
            two.json:17:27: host “host1” has two links, to “sw1” and to “sw0”; a host is one NIC
            port with exactly one link (enter a NIC with two ports as two hosts) (first at line 16)
        ["sw0", 5], ["sw1", 5] => ["sw0", 5], ["sw1", 9]
            two.json:17:27: port 9 of “sw1” does not exist; it has ports 1 to 8
        ["sw0", 5], ["sw1", 5] => ["sw0", 5], ["sw1", 0]
            two.json:17:35: found integer `0`, expected a number of ports or a port, 1 to 254
        ["sw0", 5], ["sw1", 5] => ["sw0", 5], ["sw1"]
            two.json:17:33: found invalid length 1, expected a node's name and a port such as
            ["sw0", 1]
        ["sw0", 5], ["sw1", 5] => ["sw0", 5]
            two.json:17:25: found invalid length 1, expected an array of length 2
        ["sw1", 1], ["host1", 2] => ["host0", 1], ["host1", 2]
            two.json:16:15: a link joins the hosts “host0” and “host1”; a host's link must lead to a
            switch
        {"ends": [["sw1", 1], ["host1", 2]]}, => ``
            two.json:12:5: host “host1” has no link; a host needs exactly one, to a switch
        "name": "host1" => "name": "sw0"
            two.json:12:5: two nodes are named “sw0”; names must be unique (first at line 7)
        "name": "host1" => "name": " "
            two.json:12:5: a node has an empty name; give it one
        [2, 1] => [2, 2]
            two.json:5:13: the layout is a grid of extents [2, 2], but there are 2 switches; the
            product of the extents must be the number of switches
        [2, 1] => [-2, 1]
            two.json:5:35: found integer `-2`, expected a whole number
        "ports": 8}\n => "ports": 8},\n
            two.json:9:3: found “]”, expected a value, as JSON has it; is a comma too many?
        "version": 1, => "version": 1
            two.json:4:3: found “"”, expected `,` or `}`, as JSON has it
        "links": [ => "links": {
            two.json:15:5: found “{”, expected JSON (key must be a string)
    "#,
    );
    for [from, to, expected] in cases {
        let text = error_after(&from, &to);
        assert_eq!(text.lines().next().unwrap(), expected, "for {from}\n{text}");
        assert_eq!(text.lines().count(), 4, "{text}");
    }
}

#[test]
fn the_place_is_shown() {
    let text = error_after("\"sw1\", 5", "\"sv1\", 5");
    let shown: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(
        shown,
        [
            "   |",
            "17 |     {\"ends\": [[\"sw0\", 5], [\"sv1\", 5]]}",
            "   |                           ^"
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_comes_back_unchanged(fabric in any_fabric(".{0,12}")) {
        let back = read(write_json(&fabric).as_bytes(), "any").unwrap();
        prop_assert_eq!(back.fabric.fingerprint(), fabric.fingerprint());
        prop_assert_eq!(back.fabric, fabric);
    }
}

#[test]
fn a_link_that_one_end_tells_of_comes_back_as_such() {
    let text = TWO_SWITCHES.replace("[\"sw1\", 5]]", "[\"sw1\", 5]], \"one_way\": true");
    let fabric = read(text.as_bytes(), "any.json").unwrap().fabric;
    let one_way = |fabric: &Fabric| -> Vec<bool> {
        let links = fabric.link_ids().map(|id| fabric.link(id).cable.is_one_way);
        links.collect()
    };
    assert_eq!(one_way(&fabric), [false, false, true]);
    let again = read(
        write(&fabric, FormatName::Json).unwrap().as_bytes(),
        "any.json",
    );
    assert_eq!(one_way(&again.unwrap().fabric), [false, false, true]);
    assert_eq!(
        suspicions(&fabric, &levels(&fabric))[0],
        Suspicion::OneWay {
            links: vec![LinkId::new(2)]
        }
    );
}
