//! The output of `iblinkinfo`, in blocks or (`-l`) in lines.
//!
//! ```text
//! Switch: 0x0002c90200000002 sw1:
//!            3    1[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       5    1[  ] "host2 HCA-1" ( )
//!            3    4[  ] ==(                Down/ Polling)==>             [  ] "" ( )
//! CA: host2 HCA-1:
//!       0x0002c90300000007      5    1[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       3    1[  ] "sw1" ( )
//!
//! 0x0002c90200000002 "sw1"      3    1[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>  0x0002c90300000007      5    1[  ] "host2 HCA-1" ( )
//! ```
//!
//! LID and port at both ends, width, speed and state. Blocks name the other end by LID and
//! description alone ([`peers`]); lines add the GUIDs of both ports (of a switch: the switch's) but
//! do not say which node is a switch ([`kinds`]).
//!
//! Source: `iblinkinfo(8)` of infiniband-diags.

mod kinds;
mod line;
mod peers;
mod read;
mod write;

use super::{Format, FormatName, Reader};
use line::{Line, parse};

/// The output of `iblinkinfo` in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::Iblinkinfo,
    id: "iblinkinfo",
    title: "iblinkinfo",
    summary: "What iblinkinfo prints of a cluster, with -l (one line a port, as it is written) or \
              without.",
    keeps: "Names, GUIDs of switches and ports, LIDs without their LMC, numbers of ports, order of \
            switches and of hosts, cables and rates in InfiniBand's words; GUIDs that are not known are made.",
    extensions: &["iblinkinfo"],
    reader: Some(Reader(
        |text| {
            text.lines()
                .any(|line| matches!(parse(line), Line::Port(_)))
        },
        read::read,
    )),
    writer: Some(write::write),
};
