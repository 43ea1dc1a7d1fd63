//! Subnet lists, `opensm-subnet.lst` and `ibdiagnet.lst`: every wired port, a line each.
//!
//! ```text
//! { SW Ports:04 SystemGUID:0002c90200000001 NodeGUID:0002c90200000001 PortGUID:0002c90200000001
//! VenID:0002C9 DevID:BD36 Rev:000000A1 {sw0} LID:0002 PN:03 } { CA Ports:01 … {host 1} LID:0003
//! PN:01 } PHY=4x LOG=ACT SPD=10
//! ```
//!
//! All numbers are hexadecimal, those of ports and LIDs too; width and speed are not.
//!
//! Source: what `OpenSM` writes as `opensm-subnet.lst`, and the manual of `ibdmchk(1)` in ibutils.

mod line;
mod read;
mod write;

use super::infiniband::ListLine;
use super::{Format, FormatName, Reader};
use line::parse;

/// Subnet lists in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::SubnetList,
    id: "subnet-list",
    title: "subnet list (.lst)",
    summary: "The links of a subnet as OpenSM (opensm-subnet.lst) and ibdiagnet write them.",
    keeps: "Names, GUIDs with those of chassis, LIDs without their LMC, numbers of ports, order of switches and of \
            hosts, cables and rates in InfiniBand's words; GUIDs that are not known are made.",
    extensions: &["lst"],
    reader: Some(Reader(
        |text| {
            text.lines()
                .any(|line| matches!(parse(line), ListLine::Content(_)))
        },
        read::read,
    )),
    writer: Some(write::write),
};
