//! Files of groups that are damaged, or of another fabric or time: refused or told, with their place.

use crate::adaptive::{FAR, group_tables, two_spines};
use crate::cluster::without_lids;
use proptest::prelude::*;
use weft_fabric::{Fabric, PortNumber, SwitchId};
use weft_opensm::{GroupFiles, ReadRoutes, read_group_tables, read_routes as read};
use weft_routing::Lane;
use weft_testing::{any_changes, cases, changed, fabric_of, first_line};

fn message(text: &str, fabric: &Fabric) -> String {
    first_line(read(text.as_bytes(), "file", fabric).unwrap_err())
}

/// Line, text and reason of what was told.
fn told(found: &ReadRoutes) -> Vec<(Option<u32>, &str, &str)> {
    let notes = found.notes.iter();
    notes
        .map(|note| (note.line, note.text.as_str(), note.reason.as_str()))
        .collect()
}

#[test]
fn what_is_damaged_is_refused_with_its_place() {
    let fabric = two_spines();
    let replaced = |from: &str, to: &str| {
        assert!(FAR.contains(from), "{from}");
        FAR.replacen(from, to, 1)
    };
    for (text, fabric, expected) in [
        (
            replaced("00b0\n", "00a0\n"),
            &fabric,
            "file:22:1: found switch 0x00000000000000a0, expected each switch once; it is listed at \
             line 4 already",
        ),
        (
            replaced("Sub Group  WHBF", "Sub Group  Colour"),
            &fabric,
            "file:6:1: found “Group  Sub Group  Colour  Ports” in a file of version 1, expected \
             Group, Sub Group, WHBF, Ports, as files of version 1 have them",
        ),
        (
            replaced("File version: 1", "File version: 9").replacen("Lid State", "Mood", 1),
            &fabric,
            "file:14:1: found “LID     Static Port  Mood  Group” in a file of version 9, expected \
             LID, Static Port, Lid State, Group, as files of version 1 have them",
        ),
        (
            replaced(
                "0x0006  2            Free       1",
                "0x0006  2            Merry      1",
            ),
            &fabric,
            "file:19:1: found “0x0006  2            Merry      1”, expected an entry such as “0x0004 \
             19 Free 1”",
        ),
        (
            replaced(
                "0x0006  2            Free       1",
                "0x0006  2            Free",
            ),
            &fabric,
            "file:19:1: found “0x0006  2            Free”, expected an entry such as “0x0004 19 Free \
             1”",
        ),
        (
            replaced("0x0006  2   ", "0x0006  256 "),
            &fabric,
            "file:19:1: found “0x0006  256          Free       1”, expected an entry such as “0x0004 \
             19 Free 1”",
        ),
        (
            replaced(
                "0x0007  3            HBF        3",
                "0x0006  3            Free       1",
            ),
            &fabric,
            "file:20:1: found LID 0x0006, expected each LID of a table once; it has another entry \
             already",
        ),
        (
            replaced("3      1          1     3,", "3      0          1     3,"),
            &fabric,
            "file:10:1: found subgroup 0 of group 3, expected each subgroup once; it is listed before \
             already",
        ),
        (
            replaced(
                "1      0          0     2, 3,",
                "4096   0          0     2, 3,",
            ),
            &fabric,
            "file:8:1: found “4096   0          0     2, 3,”, expected an entry such as “1 0 0 19, \
             20, 21, (group 0 to 4095, subgroup 0 to 15, weight, ports)”",
        ),
        (
            replaced("PLFT_NUM: 0", "PLFT_NUM: 8"),
            &fabric,
            "file:13:1: found “PLFT_NUM: 8, top: 0x0008”, expected an entry such as “PLFT_NUM: 0, \
             top: 0x0017 (tables 0 to 7)”",
        ),
        (
            replaced(
                "\nSwitch 0x00000000000000b0",
                "\nPLFT_NUM: 0\nSwitch 0x00000000000000b0",
            ),
            &fabric,
            "file:22:1: found table 0 of a switch, expected each table of a switch once; it has this \
             one already",
        ),
        (
            FAR.replace("Switch 0x00000000000000", "Switch 0x00000000000001"),
            &fabric,
            "file:4:1: found switches of another fabric, expected switches of fabric “cluster”, of \
             which there is none; the tables are of another",
        ),
        (
            FAR.to_owned(),
            &fabric_of(&[1, 1], &[(0, 1)]),
            "file:4:1: found switch 0x00000000000000a0, expected switches of fabric “test”, which has \
             no GUIDs; make it from a discovery of the same cluster (ibnetdiscover)",
        ),
        (
            FAR.to_owned(),
            &without_lids(two_spines()),
            "file:16:1: found LID 0x0001, expected hosts of fabric “cluster” with LIDs, of which it \
             has none; make it from a discovery with LIDs (ibnetdiscover, .lst, .db_csv)",
        ),
    ] {
        assert_eq!(message(&text, fabric), expected);
    }
}

/// What is of another time than the wiring is judged as far as it goes, and told.
#[test]
fn what_does_not_fit_the_wiring_is_told_with_its_place() {
    let fabric = two_spines();
    let of = |text: &str| read(text.as_bytes(), "file", &fabric).unwrap();
    let unknown = FAR.replacen("00b0\n", "00e0\n", 1);
    assert_eq!(
        told(&of(&unknown)),
        [
            (
                Some(22),
                "file: switch 0x00000000000000e0",
                "fabric “cluster” does not have it; passed over",
            ),
            (
                None,
                "file: 1 switches without tables: “leaf b”",
                "the wiring has them and the files do not; packets end there",
            ),
        ]
    );
    for (from, to, expected) in [
        (
            "0x0002  2            Free       1",
            "0x0009  2            Free       1\n0x000a  2            Free       1",
            (
                Some(17),
                "file: LID 0x0009 and others, 2 in all",
                "fabric “cluster” does not have them; 2 entries; passed over",
            ),
        ),
        (
            "0x0006  2            Free       1",
            "0x0006  2            Free       7",
            (
                Some(19),
                "file: LIDs of groups that their switch does not have, or that are empty",
                "packets take the static port",
            ),
        ),
        (
            "0x0006  2            Free       1",
            "0x0006  2            Bounded    1",
            (
                Some(19),
                "file: LIDs in state Bounded",
                "a flow keeps its port for a while; read as Free, as it may take any",
            ),
        ),
        (
            "0x0006  2            Free       1",
            "0x0006  99           Free       1",
            (
                Some(19),
                "file: static ports that their switch does not have",
                "packets that may not choose end there",
            ),
        ),
        (
            "0x0006  2            Free       1",
            "0x0006  5            Free       1",
            (
                Some(19),
                "file: static ports that the wiring has no cable at",
                "packets that may not choose end there",
            ),
        ),
        (
            "1      0          0     2, 3,",
            "1      0          0     2, 3, 5,",
            (
                Some(8),
                "file: groups with ports that the wiring has no cable at",
                "they are kept as choices, by which packets end",
            ),
        ),
        (
            "1      0          0     2, 3,",
            "1      0          0     0, 2, 3, 60,",
            (
                Some(8),
                "file: ports in groups of switches that do not have them",
                "nothing can leave by them; 2 are passed over",
            ),
        ),
        (
            "File version: 1",
            "File version: 4",
            (
                Some(2),
                "file: File version: 4",
                "version 1 is known; the headings are the same; passed over",
            ),
        ),
        (
            "pfrn_enabled: 1",
            "pfrn_enabled: 1, warp: 3",
            (
                Some(4),
                "file: warp: 3",
                "nothing that is known of a switch; passed over",
            ),
        ),
    ] {
        assert!(FAR.contains(from), "{from}");
        let found = of(&FAR.replacen(from, to, 1));
        assert_eq!(told(&found), [expected]);
        // Whatever was told, the choice of leaf a for the other LID of host b is what it was.
        let tables = group_tables(&found.routing);
        let from = (PortNumber::new(1), Lane::ZERO);
        let choice = tables.choice(SwitchId::new(0), from, 2, 0);
        assert_eq!(choice.ports, [2, 3].map(PortNumber::new));
    }
}

#[test]
fn files_cut_anywhere_are_noticed() {
    let fabric = two_spines();
    let whole = read(FAR.as_bytes(), "file", &fabric).unwrap();
    let mut unnoticed = 0;
    for length in 0..FAR.len() {
        let Ok(found) = read(&FAR.as_bytes()[..length], "file", &fabric) else {
            continue;
        };
        if found.routing != whole.routing {
            // Between two switches: then the others are told.
            let is_told = found
                .notes
                .iter()
                .any(|note| note.text.contains("switches without tables"));
            let is_between = FAR[length..].trim_start().starts_with("Switch");
            assert!(is_told && is_between, "cut after {length} bytes");
        }
        unnoticed += usize::from(found.notes.is_empty());
    }
    assert_eq!(unnoticed, 0);
}

const PLFT: &str = "\
File version: 1
Switch 0x00000000000000a0
1 : 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1
";

fn with(plft: &str, vl2vl: &str) -> Result<ReadRoutes, String> {
    let files = GroupFiles {
        groups: Some((FAR.as_bytes(), "far")),
        private_tables: Some((plft.as_bytes(), "plft")),
        lane_switching: Some((vl2vl.as_bytes(), "vl2vl")),
        ..GroupFiles::default()
    };
    read_group_tables(&files, &two_spines()).map_err(first_line)
}

#[test]
fn private_tables_and_lanes_are_told_where_they_do_not_fit() {
    let found = with(PLFT, "").unwrap();
    assert_eq!(
        told(&found),
        [(
            Some(3),
            "plft: ports of switches with fewer tables",
            "the file of groups does not have them; packets that are looked up there end",
        )]
    );
    let tables = group_tables(&found.routing);
    let leads = |level| {
        let from = (PortNumber::new(1), Lane::new(level));
        tables.choice(SwitchId::new(0), from, 2, level).ports.len()
    };
    assert_eq!([leads(0), leads(8)], [2, 0]);
    let vl2vl = "Switch 0x00000000000000a0\nSLs by VL: 0, 3\n";
    let found = with("", vl2vl).unwrap();
    let switch = group_tables(&found.routing).switch(SwitchId::new(0));
    assert_eq!(switch.levels_by_lane, 0b1001);
    for (plft, vl2vl, expected) in [
        (
            PLFT.replace("1 1\n", "1 8\n"),
            "",
            "plft:3:1: found “1 : 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 8”, expected an entry such as “1 : 0 \
             0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 (16 tables, 0 to 7)”",
        ),
        (
            PLFT.replace("Switch", "# Switch"),
            "",
            "plft:3:1: found “1 : 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1”, expected a line “Switch 0x…” \
             before the first port",
        ),
        (
            PLFT.trim_end().to_owned(),
            "",
            "plft:3:36: found the end of the file, expected the rest of a switch's entries; the file \
             looks truncated: write or copy it again in full",
        ),
        (
            String::new(),
            "Switch 0x00000000000000a0\nSLs by VL: 0, 16\n",
            "vl2vl:2:1: found “SLs by VL: 0, 16”, expected an entry such as “SLs by VL: 0, 1, 2, 3 \
             (or none)”",
        ),
        (
            String::new(),
            "SLs by VL: 0\n",
            "vl2vl:1:1: found “SLs by VL: 0”, expected a line “Switch 0x…” before the first levels",
        ),
    ] {
        assert_eq!(with(&plft, vl2vl).unwrap_err(), expected);
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn changed_bytes_never_make_a_reader_panic(changes in any_changes()) {
        let bytes = changed(FAR.as_bytes(), &changes);
        match read(&bytes, "file", &two_spines()) {
            Err(error) => {
                let place = format!("file:{}:{}: ", error.line, error.column);
                prop_assert!(error.to_string().starts_with(&place));
            }
            Ok(found) => prop_assert!(found.notes.iter().all(|note| !note.reason.is_empty())),
        }
    }
}
