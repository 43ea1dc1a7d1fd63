//! The database of ibdiagnet, `ibdiagnet2.db_csv`: sections of comma-separated values.
//!
//! ```text
//! START_NODES
//! NodeDesc,NumPorts,NodeType,…,SystemImageGUID,NodeGUID,PortGUID,DeviceID,…,VendorID,LocalPortNum
//! "MF0;leaf1:MQM8700/U1",41,2,…,0xb8599f0300000100,0xb8599f0300000100,0xb8599f0300000100,54000,…,713,1
//! END_NODES
//! START_LINKS
//! NodeGuid1,PortNum1,NodeGuid2,PortNum2
//! 0xb8599f0300000100,1,0xb8599f0300000201,1
//! END_LINKS
//! ```
//!
//! A section opens with the names of its columns, which differ in order and case between releases. Read
//! are NODES and LINKS, which must be there, PORTS (LIDs, widths and speeds as numbers of the
//! specification), `PM_INFO` (counters) and `CABLE_INFO`; all others are passed over.
//!
//! Source: NVIDIA's manual of ibdiagnet 2.19 to 2.24, "ibdiagnet Dump Files" and "Fabric Information
//! Gathering"; the numbers are those of the InfiniBand Architecture Specification, volume 1, §14.2.5.

mod port_records;
mod read;
mod section;

use super::{Format, FormatName, Reader};

pub(super) use port_records::port_records;

/// The database in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::DbCsv,
    id: "db_csv",
    title: "ibdiagnet's db_csv",
    summary: "The database of ibdiagnet (ibdiagnet2.db_csv): nodes, ports and links, counters and cables of ports.",
    keeps: "Nothing, as it is only read.",
    extensions: &[],
    reader: Some(Reader(
        |text| {
            text.lines()
                .any(|line| matches!(line.trim(), "START_NODES" | "START_LINKS"))
        },
        read::read,
    )),
    writer: None,
};
