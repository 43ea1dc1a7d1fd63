//! Files that contradict themselves, lack parts or hold what a fabric cannot.

use super::samples::{BLOCKS, LINES, PORTS_REPORT, SUBNET_LIST, error_text, read_text, wiring};
use crate::reading::notes;
use weft_fabric::formats::{FormatName, ReadNote};
use weft_fabric::metrics::{Suspicion, levels, suspicions};
use weft_testing::table;

/// One switch of two ports with two hosts, in every format.
const SMALL: [(FormatName, &str); 4] = [
    (
        FormatName::PortsReport,
        "SW     1  1 0x00000000000000a0 4x EDR - CA     2  1 0x00000000000001b1 ( 'sw' - 'one' )\n\
         SW     1  2 0x00000000000000a0 4x EDR - CA     3  1 0x00000000000001b2 ( 'sw' - 'two' )\n\
         CA     2  1 0x00000000000001b1 4x EDR - SW     1  1 0x00000000000000a0 ( 'one' - 'sw' )\n\
         CA     3  1 0x00000000000001b2 4x EDR - SW     1  2 0x00000000000000a0 ( 'two' - 'sw' )\n",
    ),
    (
        FormatName::Iblinkinfo,
        "0x00000000000000a0 \"sw\" 1 1[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  0x00000000000001b1 2 1[  ] \"one\" ( )\n\
         0x00000000000000a0 \"sw\" 1 2[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  0x00000000000001b2 3 1[  ] \"two\" ( )\n\
         0x00000000000001b1 \"one\" 2 1[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  0x00000000000000a0 1 1[  ] \"sw\" ( )\n\
         0x00000000000001b2 \"two\" 3 1[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  0x00000000000000a0 1 2[  ] \"sw\" ( )\n",
    ),
    (
        FormatName::Iblinkinfo,
        "Switch: 0x00000000000000a0 sw:\n\
         1 1[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  2 1[  ] \"one\" ( )\n\
         1 2[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  3 1[  ] \"two\" ( )\n\
         CA: one:\n\
         0x00000000000001b1 2 1[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  1 1[  ] \"sw\" ( )\n\
         CA: two:\n\
         0x00000000000001b2 3 1[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  1 2[  ] \"sw\" ( )\n",
    ),
    (
        FormatName::SubnetList,
        "{ SW Ports:02 SystemGUID:a0 NodeGUID:a0 PortGUID:a0 VenID:0 DevID:0 Rev:0 {sw} LID:0001 PN:01 } { CA Ports:01 SystemGUID:1b0 NodeGUID:1b0 PortGUID:1b1 VenID:0 DevID:0 Rev:0 {one} LID:0002 PN:01 } PHY=4x LOG=ACT SPD=25\n\
         { SW Ports:02 SystemGUID:a0 NodeGUID:a0 PortGUID:a0 VenID:0 DevID:0 Rev:0 {sw} LID:0001 PN:02 } { CA Ports:01 SystemGUID:2b0 NodeGUID:2b0 PortGUID:1b2 VenID:0 DevID:0 Rev:0 {two} LID:0003 PN:01 } PHY=4x LOG=ACT SPD=25\n\
         { CA Ports:01 SystemGUID:1b0 NodeGUID:1b0 PortGUID:1b1 VenID:0 DevID:0 Rev:0 {one} LID:0002 PN:01 } { SW Ports:02 SystemGUID:a0 NodeGUID:a0 PortGUID:a0 VenID:0 DevID:0 Rev:0 {sw} LID:0001 PN:01 } PHY=4x LOG=ACT SPD=25\n\
         { CA Ports:01 SystemGUID:2b0 NodeGUID:2b0 PortGUID:1b2 VenID:0 DevID:0 Rev:0 {two} LID:0003 PN:01 } { SW Ports:02 SystemGUID:a0 NodeGUID:a0 PortGUID:a0 VenID:0 DevID:0 Rev:0 {sw} LID:0001 PN:02 } PHY=4x LOG=ACT SPD=25\n",
    ),
];

const WIRING: [&str; 2] = ["one[1] – sw[1] 4xEDR", "sw[2] – two[1] 4xEDR"];

/// The text without the line that `which` tells, of those it is right for.
fn without(text: &str, which: impl Fn(&str) -> bool) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !which(line)).collect();
    lines.join("\n") + "\n"
}

#[test]
fn the_small_fabric_is_the_same_in_every_format() {
    for (format, text) in SMALL {
        let read = read_text(text);
        assert_eq!((read.format, notes(&read)), (format, vec![]));
        assert_eq!(wiring(&read.fabric), WIRING);
    }
}

#[test]
fn lines_told_twice_count_once() {
    for (format, text) in SMALL {
        let first = text.lines().next().unwrap();
        let again = match first.strip_prefix("Switch: ") {
            Some(_) => text.lines().take(2).collect::<Vec<_>>().join("\n"),
            None => first.to_owned(),
        };
        let read = read_text(&format!("{text}{again}\n"));
        assert_eq!(wiring(&read.fabric), WIRING, "{format}");
        assert_eq!(read.notes.len(), 1, "{format}: {:?}", read.notes);
        assert!(
            read.notes[0].reason.starts_with("the line repeats line "),
            "{format}: {:?}",
            read.notes
        );
    }
}

#[test]
fn a_port_with_two_peers_is_read_on_and_told() {
    for (format, text) in SMALL {
        // The second port's line names the first port.
        let changed = match format {
            FormatName::PortsReport => text.replacen("SW     1  2", "SW     1  1", 1),
            FormatName::Iblinkinfo => text.replacen("1 2[  ] ==", "1 1[  ] ==", 1),
            _ => text.replacen("PN:02", "PN:01", 1),
        };
        assert_ne!(changed, text);
        let read = read_text(&changed);
        let first = if text.starts_with("Switch") { 2 } else { 1 };
        let told = format!("the file lists another cable at port 1 of “sw” (line {first})");
        let is_told =
            |note: &&ReadNote| note.line == Some(first + 1) && note.reason.starts_with(&told);
        assert_eq!(
            read.notes.iter().filter(is_told).count(),
            1,
            "{format}: {:?}",
            read.notes
        );
        let found = suspicions(&read.fabric, &levels(&read.fabric));
        let of_links = found.iter().filter_map(|one| match one {
            Suspicion::Disputed { links } => Some(links.len()),
            _ => None,
        });
        assert_eq!(of_links.sum::<usize>(), 1, "{format}: {found:?}");
    }
}

#[test]
fn a_cable_that_one_end_lists_is_kept_and_told() {
    for (format, text) in SMALL {
        // The line of the second host, with its header, or its line in the switch's.
        let is_host = |line: &str| {
            line.starts_with("CA     3")
                || line.contains("1b2 \"two\"")
                || line == "CA: two:"
                || line.starts_with("0x00000000000001b2 3")
                || line.starts_with("{ CA Ports:01 SystemGUID:2b0")
        };
        let read = read_text(&without(text, is_host));
        assert_eq!(wiring(&read.fabric), WIRING, "{format}");
        assert_eq!(read.notes.len(), 1, "{format}: {:?}", read.notes);
        assert!(
            read.notes[0].text.starts_with("channel adapter “two” ("),
            "{:?}",
            read.notes
        );
        assert!(
            read.notes[0].reason.contains("it has no record"),
            "{format}"
        );
        let hosts = read.fabric.host_ids().map(|id| read.fabric.host(id));
        let two = hosts.last().unwrap();
        assert_eq!(
            two.guid,
            Some(0x1b2).filter(|_| !text.starts_with("Switch"))
        );
        assert_eq!(two.adapter_guid.is_some(), format == FormatName::SubnetList);
    }
}

#[test]
fn a_switch_without_lines_is_refused() {
    for (format, text) in [
        (
            FormatName::PortsReport,
            without(PORTS_REPORT, |line| line.starts_with("SW     2")),
        ),
        (
            FormatName::Iblinkinfo,
            without(LINES, |line| line.starts_with("0x0002c90200000b00")),
        ),
        (
            FormatName::SubnetList,
            without(SUBNET_LIST, |line| {
                line.starts_with("{ SW") && line.find("sw2 ").is_some_and(|at| at < 160)
            }),
        ),
    ] {
        let error = error_text(&text);
        assert!(
            error.contains("which has no record, expected a record of every switch"),
            "{format}: {error}"
        );
    }
    let start = BLOCKS.find("Switch: 0x0002c90200000b00").unwrap();
    let end = start + BLOCKS[start..].find("CA:").unwrap();
    let error = error_text(&format!("{}{}", &BLOCKS[..start], &BLOCKS[end..]));
    assert!(
        error.contains("(“sw2 # rack 2; row 3”), which has no record"),
        "{error}"
    );
}

#[test]
fn ports_of_a_switch_that_have_no_line_are_told() {
    let reports = [
        without(PORTS_REPORT, |line| {
            line.starts_with("SW     1  5") || line.starts_with("SW     1  6")
        }),
        without(LINES, |line| {
            line.starts_with("0x0002c90200000a00")
                && (line.contains("1    5[") || line.contains("1    6["))
        }),
        without(BLOCKS, |line| {
            line.starts_with("           1    5[") || line.starts_with("           1    6[")
        }),
    ];
    for text in reports {
        let read = read_text(&text);
        assert_eq!(read.notes.len(), 1, "{:?}", read.notes);
        let told = &notes(&read)[0];
        assert!(
            told.ends_with(
                "switch “sw1”: ports 5, 6 of it, which should be listed wired or not, have \
                            no line; the file may have lost some"
            ),
            "{told}"
        );
    }
}

#[test]
fn lines_that_are_not_understood_are_refused() {
    let cases = table(
        r#"
        \nCA     3  1 => \nCA     3  x
            file:4:11: found “x”, expected a port, 1 to 254
        0x00000000000001b2 "two" 3 1[ => 0x00000000000001b2 "two" 3 1(
            file:4:29: found “(”, expected “[”
        0x00000000000001b2 3 1 => 0x00000000000001b2 3 255
            file:7:22: found “255[”, expected a port, 1 to 254
        {two} LID:0003 PN:01 } { SW => {two} LID:0003 PN:FF } { SW
            file:4:92: found “PN:FF”, expected “PN:” and a port, 1 to fe
    "#,
    );
    for ((format, text), [from, to, start]) in SMALL.into_iter().zip(cases) {
        assert!(text.contains(&from), "{format}");
        let error = error_text(&text.replace(&from, &to));
        assert!(error.starts_with(&start), "{format}: {error}");
    }
}

#[test]
fn rates_may_be_unclear() {
    let cases = table(
        r"
        4x EDR => 4x ???
            the rate “4x ???” says nothing
        4X 25.78125 Gbps => 4X 3.0 Gbps
            the rate “4X 3.0 Gbps Active/  LinkUp” says nothing
        4X 25.78125 Gbps => 4X ???
            the rate “4X ??? Active/  LinkUp” says nothing
        PHY=4x LOG=ACT SPD=25 => PHY=4x LOG=INI SPD=??
            the rate “PHY=4x LOG=INI SPD=??” says nothing
    ",
    );
    for ((format, text), [from, to, reason]) in SMALL.into_iter().zip(cases) {
        let changed = text.replace(&from, &to);
        let read = read_text(&changed);
        assert_eq!(
            wiring(&read.fabric),
            ["one[1] – sw[1]", "sw[2] – two[1]"],
            "{format}"
        );
        let told = &read.notes[0].reason;
        assert_eq!(read.notes.len(), 1, "{format}");
        assert!(told.starts_with(&reason), "{told}");
        assert!(told.contains("; 3 more of the kind, at lines "), "{told}");
        // One clear end is enough.
        let one_clear = changed.replacen(&to, &from, 2);
        assert_eq!(wiring(&read_text(&one_clear).fabric), WIRING, "{format}");
    }
}

/// Two adapters with one name, before a subnet manager gave LIDs.
const TWINS: &str = "Switch: 0x00000000000000a0 sw:\n\
     0 1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  0 1[  ] \"twin\" ( )\n\
     0 2[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  0 1[  ] \"twin\" ( )\n\
     CA: twin:\n\
     0x00000000000001b1 0 1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  0 1[  ] \"sw\" ( )\n\
     CA: twin:\n\
     0x00000000000001b2 0 1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  0 2[  ] \"sw\" ( )\n";

#[test]
fn nodes_with_one_name_are_told_apart_by_lid_or_by_their_own_lines_or_not_at_all() {
    let twins = [
        "sw[1] – twin 0x00000000000001b1[1] 4xQDR",
        "sw[2] – twin 0x00000000000001b2[1] 4xQDR",
    ];
    assert_eq!(wiring(&read_text(TWINS).fabric), twins);
    // By LID, although the second adapter's own line is of no use.
    let with_lids = TWINS
        .replacen("0 1[  ] \"twin", "5 1[  ] \"twin", 1)
        .replacen("0 1[  ] \"twin", "6 1[  ] \"twin", 1)
        .replace("1b1 0 1[", "1b1 5 1[")
        .replace("1b2 0 1[", "1b2 6 1[");
    assert_eq!(wiring(&read_text(&with_lids).fabric), twins);
    let neither = TWINS.replace("==>  0 2[", "==>  0 1[");
    assert_eq!(
        error_text(&neither).lines().next().unwrap(),
        "file:2:1: found a link to port 1 of “twin”, which 2 nodes are called, expected the node's \
         GUID: write the file again with iblinkinfo -l, which adds it"
    );
}

#[test]
fn what_iblinkinfo_adds_is_read_past() {
    let (_, lines) = SMALL[1];
    let text = lines
        .replace("1[  ]", "1[ 17]")
        .replace("LinkUp)==>", "LinkUp) (HOQ:9 VL_Stall:7)==>")
        .replace("( )", "(Could be 12X Could be 53.125 Gbps)");
    let read = read_text(&text);
    assert_eq!(
        (wiring(&read.fabric), notes(&read)),
        (WIRING.map(String::from).into(), vec![])
    );

    let lost = format!(
        "{lines}0x00000000000000a0 \"sw\" 1 3[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>      \"Port not available\"\n\
         0x00000000000001b3 \"two\" 0 2[  ] ==(                Down/ Polling)==>             [  ] \"\" ( )\n"
    );
    let read = read_text(&lost);
    assert_eq!(wiring(&read.fabric), WIRING);
    // The adapter's second port has no cable, which is nothing to tell.
    assert_eq!(read.notes.len(), 1, "{:?}", read.notes);
    assert_eq!(
        read.notes[0].reason,
        "the tool did not reach the other end; without a cable"
    );
}

#[test]
fn a_ports_report_whose_names_run_into_each_other_is_read_without_them() {
    let (_, text) = SMALL[0];
    let read = read_text(
        &text
            .replace("'one'", "'o' - 'e'")
            .replace("'two'", "'t wo'"),
    );
    assert_eq!(
        wiring(&read.fabric),
        [
            "0x00000000000001b1[1] – sw[1] 4xEDR",
            "sw[2] – t wo[1] 4xEDR"
        ]
    );
    assert_eq!(read.notes.len(), 2);
}

#[test]
fn subnet_lists_that_contradict_themselves_are_told() {
    let (_, text) = SMALL[3];
    let more_ports = text.replacen("{ SW Ports:02", "{ SW Ports:24", 1);
    let read = read_text(&more_ports);
    assert_eq!(wiring(&read.fabric), WIRING);
    assert_eq!(
        read.notes[0].reason,
        "the node has 2 ports here and had 36 before; the larger number was taken"
    );
    let fewer = text.replace("Ports:02", "Ports:01");
    assert_eq!(
        read_text(&fewer).notes[0].reason,
        "the record gives the node 1 ports; it was given more"
    );
    let down = text.replacen("LOG=ACT", "LOG=DWN", 1);
    let read = read_text(&down);
    assert_eq!(
        notes(&read)[0].rsplit(": ").next().unwrap(),
        "the link is down; without a cable"
    );
    assert_eq!(
        read.notes.len(),
        2,
        "and only one end lists the other: {:?}",
        read.notes
    );
}

#[test]
fn routers_and_hosts_joined_without_a_switch_are_left_out() {
    for (format, text) in SMALL {
        let more = match format {
            FormatName::PortsReport => {
                "RT 9 1 0xc1 4x EDR - SW 1 3 0xa0 ( 'gateway' - 'sw' )\n\
                 SW 1 3 0xa0 4x EDR - RT 9 1 0xc1 ( 'sw' - 'gateway' )\n"
            }
            FormatName::SubnetList => continue,
            _ if text.starts_with("Switch") => {
                "Router: gateway:\n\
                 0xc1 9 1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  1 3[  ] \"sw\" ( )\n\
                 Switch: 0x00000000000000a0 sw:\n\
                 1 3[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  9 1[  ] \"gateway\" ( )\n"
            }
            _ => continue,
        };
        let read = read_text(&format!("{text}{more}"));
        assert_eq!(wiring(&read.fabric), WIRING, "{format}");
        let reasons: Vec<&str> = read.notes.iter().map(|note| note.reason.as_str()).collect();
        assert!(
            reasons.contains(&"routers to other subnets are left out"),
            "{reasons:?}"
        );
    }
}
