//! One subnet, told by every tool, is one fabric.

use super::samples::{FORMATS, IBNETDISCOVER, SAMPLES, nodes, read_text, wiring};
use weft_fabric::LidRange;
use weft_fabric::formats::write;

#[test]
fn what_the_tools_print_of_one_subnet_is_one_fabric() {
    let plain = read_text(IBNETDISCOVER).fabric;
    assert_eq!(
        wiring(&plain),
        [
            "MF0;sw3:MSB7700/U1[1] – host2 HCA-1 port 2[2] 4xFDR",
            "MF0;sw3:MSB7700/U1[2] – host3 mlx5_0[1] 4xHDR",
            "MF0;sw3:MSB7700/U1[36] – sw2 # rack 2; row 3[3] 4xFDR10",
            "host1 HCA-1[1] – sw1[3] 4xEDR",
            "host1 HCA-2[1] – sw2 # rack 2; row 3[4] 2xHDR",
            "host2 HCA-1 port 1[1] – sw1[4] 4xFDR",
            "sw1[1] – sw2 # rack 2; row 3[1] 4xEDR",
            "sw1[2] – sw2 # rack 2; row 3[2] 4xEDR",
            "sw1[7] – sw1[8] 4xEDR",
        ]
    );
    for (format, text) in SAMPLES {
        let read = read_text(text);
        assert_eq!(read.format, format);
        assert!(read.notes.is_empty(), "{format}: {:?}", read.notes);
        assert_eq!(wiring(&read.fabric), wiring(&plain), "{format}");
        assert_eq!(nodes(&read.fabric), nodes(&plain), "{format}");
    }
}

#[test]
fn identifiers_are_kept() {
    let fabric = read_text(IBNETDISCOVER).fabric;
    let host = |name: &str| {
        let id = fabric.host_ids().find(|&id| fabric.host(id).name == name);
        fabric.host(id.unwrap()).clone()
    };
    let second = host("host2 HCA-1 port 2");
    assert_eq!(second.guid, Some(0x0002_c903_0000_0022));
    assert_eq!(second.adapter_guid, Some(0x0002_c903_0000_0020));
    assert_eq!(second.lids, LidRange::new(22, 0));
    let with_mask = IBNETDISCOVER.replace("lid 22 lmc 0", "lid 24 lmc 3");
    let fabric = read_text(&with_mask).fabric;
    assert!(
        fabric
            .host_ids()
            .any(|id| fabric.host(id).lids == LidRange::new(24, 3))
    );
}

#[test]
fn one_fabric_written_in_every_format_is_one_fabric() {
    let plain = read_text(IBNETDISCOVER).fabric;
    for format in FORMATS {
        let read = read_text(&write(&plain, format).unwrap());
        assert_eq!(read.format, format);
        assert!(read.notes.is_empty(), "{format}: {:?}", read.notes);
        assert_eq!(wiring(&read.fabric), wiring(&plain), "{format}");
        assert_eq!(nodes(&read.fabric), nodes(&plain), "{format}");
    }
}

/// The prompts of shells, the complaints of tools, a byte-order mark and other line ends are read
/// past, and all but the last two are told.
#[test]
fn what_stands_around_the_data_is_told() {
    for (format, text) in SAMPLES {
        let plain = read_text(text).fabric;
        let around = format!(
            "\u{feff}[root@node1 ~]# tool\r\n# a comment\r\nibwarn: [7] mad_rpc: _do_madrpc \
             failed; dport (DR path)\r\n\r\n{}[root@node1 ~]# ",
            text.replace('\n', "\r\n")
        );
        let read = read_text(&around);
        assert_eq!(read.fabric, plain, "{format}");
        let lines: Vec<Option<u32>> = read.notes.iter().map(|note| note.line).collect();
        let last = u32::try_from(around.lines().count()).unwrap();
        assert_eq!(
            lines,
            [Some(1), Some(3), Some(last)],
            "{format}: {:?}",
            read.notes
        );
        assert!(read.notes[0].reason.starts_with("nothing "), "{format}");
        assert!(read.notes[1].reason.starts_with("a complaint"), "{format}");
    }
}
