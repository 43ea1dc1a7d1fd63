//! What was copied from a terminal: tabs lost, lines of other programs around, the same twice.

use super::samples::{PLAIN, adapter, error_text, links, one_switch, read_text, to_adapter};
use crate::reading::{error_of, notes};
use weft_fabric::formats::FormatErrorKind;
use weft_testing::table;

#[test]
fn tabs_may_be_lost_or_blanks() {
    let whole = read_text(PLAIN);
    for blank in ["", " ", "        "] {
        let read = read_text(&PLAIN.replace('\t', blank));
        assert_eq!(read, whole, "{blank:?}");
    }
    assert!(
        PLAIN
            .replace('\t', "")
            .contains("\nSwitch8 \"S-0002c90200000a00\"# \"sw1\"")
    );
}

#[test]
fn lines_of_a_log_around_the_dump_are_passed_over() {
    let before = "[root@login1 ~]# module load ib\n\
                  2026-05-04 10:11:12 starting discovery\n\
                  [1] 4711\n\
                  [10:11:12] Switch discovery of 3 switches\n\
                  Ca is short for channel adapter\n\
                  $ sudo ibnetdiscover\n";
    // Blank lines end a record and lines of other programs stand where they like, also without a
    // line end at the very end.
    for after in [
        "[1]+  Done     ibnetdiscover\n",
        "[12:30:01 root@login1]# ",
        "[root@login1 ~]$",
    ] {
        let between = PLAIN.replace(
            "[3]\t\"S-ec0d9a0300000c00\"",
            "-- MARK 10:11 --\n[3]\t\"S-ec0d9a0300000c00\"",
        );
        let read = read_text(&format!("{before}{between}{after}"));
        assert_eq!(read.fabric, read_text(PLAIN).fabric);
        assert_eq!(read.notes.len(), 1, "{:?}", notes(&read));
        assert_eq!(
            read.notes[0].reason,
            "nothing ibnetdiscover writes; passed over; 7 more of the kind, at lines 2, 3, 4, …"
        );
    }
}

#[test]
fn a_complete_dump_is_never_called_truncated() {
    // The last switch has no cables, and a prompt follows.
    let text = one_switch(&to_adapter(1, "h", 1), &adapter(1, "h", 1))
        + "Switch\t8 \"S-0000000000000002\"\t\t# \"spare\" base port 0 lid 9 lmc 0\n$ exit\n";
    assert_eq!(links(&read_text(&text).fabric), ["sw[1] – h[1] 4xEDR"]);
    // The line of a record became something else.
    let text = PLAIN.replace("Ca\t1 \"H-0002c90300000012\"", "a node");
    let error = error_of(text.as_bytes());
    assert!(
        matches!(error.kind, FormatErrorKind::Unexpected { .. }),
        "{error}"
    );
    let opened = one_switch(&to_adapter(1, "h", 1), &adapter(1, "h", 1))
        + "vendid=0x2c9\nConnection closed\n";
    assert_eq!(
        error_text(&opened).lines().next().unwrap(),
        "cluster.ibnetdiscover:8:1: found a line of something else after the opening lines of a \
         record, expected the record itself"
    );
}

#[test]
fn lines_that_look_like_a_records_and_are_not_understood_are_refused() {
    let cases = table(
        r#"
        [1](b001) => [one](b001)
            2:26: found “one](b001)”, expected a port, 1 to 254
        [1]\t"H- => [1\t"H-
            2:3: found “"H-00000000000000a1"[1](b001)”, expected “]”
        [1]\t"H- => [1]\tH-
            2:5: found “H-00000000000000a1"[1](b001)”, expected the peer's id in quotes
        [1]\t"H-00000000000000a1" => [1]\tH-00000000000000a1
            2:5: found “H-00000000000000a1[1](b001)”, expected the peer's id in quotes
        [1]\t"H-00000000000000a1" => [1]\t“H-00000000000000a1”
            2:5: found ““H-00000000000000a1”[1](b001)”, expected the peer's id in quotes
        [1]\t"H- => [255]\t"H-
            2:2: found “255]”, expected a port, 1 to 254
        [1]\t"H- => 10:11:12 [1]\t"H-
            2:1: found “10:11:12”, expected a line that begins with Switch, Ca, Rt or [port]; take off what stands before that
        Switch\t8 => node7: Switch\t8
            1:1: found “node7:”, expected a line that begins with Switch, Ca, Rt or [port]; take off what stands before that
        Switch\t8 => Switch\teight
            1:8: found “eight”, expected the number of ports, 1 to 254
        Ca\t1 => Ca\t1 2
            4:6: found “2”, expected the node's id in quotes
    "#,
    );
    let whole = one_switch(&to_adapter(1, "h", 1), &adapter(1, "h", 1));
    for [from, to, expected] in cases {
        let text = whole.replacen(&from, &to, 1);
        assert_ne!(text, whole, "{from}");
        let error = error_text(&text);
        let start = format!("cluster.ibnetdiscover:{expected}");
        assert!(error.starts_with(&start), "{error}\n{start}");
    }
}

#[test]
fn a_number_before_a_record_that_is_none_is_refused() {
    for key in ["vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid="] {
        let place = PLAIN.lines().position(|line| line.starts_with(key));
        let line = place.unwrap() + 1;
        let text = PLAIN.replacen(&format!("\n{key}0x"), &format!("\n{key}0xg"), 1);
        let expected = "expected a number of hexadecimal digits, 64 bits at most";
        let error = error_text(&text);
        let start = format!("cluster.ibnetdiscover:{line}:{}: found “0xg", key.len() + 1);
        assert!(
            error.starts_with(&start) && error.contains(expected),
            "{error}"
        );
    }
}

#[test]
fn a_file_with_a_time_before_every_line_says_so() {
    let text = format!(
        "10:11:12 {}\n",
        PLAIN.trim_end().replace('\n', "\n10:11:12 ")
    );
    assert_eq!(
        error_text(&text).lines().next().unwrap(),
        "cluster.ibnetdiscover:10:1: found “10:11:12”, expected a line that begins with Switch, Ca, \
         Rt or [port]; take off what stands before that"
    );
}

#[test]
fn a_dump_that_stands_in_the_file_twice_takes_one_note() {
    let read = read_text(&format!("{PLAIN}{PLAIN}"));
    assert_eq!(read.fabric, read_text(PLAIN).fabric);
    let count = PLAIN
        .lines()
        .filter(|line| line.starts_with(['S', 'C', '[']))
        .count();
    let line = PLAIN.lines().count() + 10;
    assert_eq!(
        notes(&read),
        [format!(
            "{line}: Switch\t8 \"S-0002c90200000a00\"\t\t# \"sw1\" enhanced port 0 lid 1 lmc 0: {count} \
             lines from here on repeat earlier ones, this one line 10; passed over, as where a file \
             holds the same twice or adapters have ports in two networks"
        )]
    );
}

#[test]
fn impossible_lids_take_one_note() {
    let ports: String = (1..=5)
        .map(|n| to_adapter(n, &format!("h{n}"), n))
        .collect();
    let records: String = (1..=5).map(|n| adapter(n, &format!("h{n}"), n)).collect();
    let text = one_switch(&ports, &records);
    assert!(read_text(&text).notes.is_empty());
    let with_lid = |lid: &str| {
        let hosts = 5..=9;
        hosts.fold(text.clone(), |text, own| {
            text.replace(&format!("lid {own} "), lid)
        })
    };
    let read = read_text(&with_lid("lid 49152 "));
    assert_eq!(
        notes(&read),
        [
            "0: ports with LIDs that none can have (5): “h1” (lid 49152), “h2” (lid 49152), “h3” (lid \
             49152), …: LIDs of ports run from 1 to 49151 and are multiples of 2^LMC; left out"
        ]
    );
}
