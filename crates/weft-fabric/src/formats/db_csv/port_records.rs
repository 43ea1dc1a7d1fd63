//! What the file counts at ports, and the cables plugged in there.

use super::super::infiniband::{guid, number, port};
use super::super::{FormatError, PortRecord, Source};
use super::section::Section;
use crate::{Endpoint, Fabric, Node, PortNumber};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Counters of errors, by the names of the specification (volume 1, §16.1.3.5, `PortCounters`); ibdiagnet
/// has the wider ones under the same names with an end of their own.
const ERRORS: [&str; 12] = [
    "SymbolErrorCounter",
    "LinkErrorRecoveryCounter",
    "LinkDownedCounter",
    "PortRcvErrors",
    "PortRcvRemotePhysicalErrors",
    "PortRcvSwitchRelayErrors",
    "PortXmitDiscards",
    "PortXmitConstraintErrors",
    "PortRcvConstraintErrors",
    "LocalLinkIntegrityErrors",
    "ExcessiveBufferOverrunErrors",
    "VL15Dropped",
];
const WIDER: [&str; 3] = ["", "ext", "extended"];
/// From here on a number says that there is none.
const NONE: u64 = u64::MAX - 1;

/// What is told of a cable: the column in small letters, and its name for people.
const CABLE: [(&str, &str); 5] = [
    ("vendor", "vendor"),
    ("pn", "part"),
    ("sn", "serial"),
    ("lengthcopperoractive", "length"),
    ("temperature", "temperature"),
];

/// The ports that count errors or whose cable is known, in the order of nodes and ports.
pub(in super::super) fn port_records(
    source: Source<'_>,
    fabric: &Fabric,
) -> Result<Vec<PortRecord>, FormatError> {
    let ends = ends(fabric);
    let mut records: BTreeMap<(Node, PortNumber), PortRecord> = BTreeMap::new();
    let mut texts = Texts::default();
    for (name, port_column) in [("PM_INFO", "portnumber"), ("CABLE_INFO", "portnum")] {
        let Some(section) = Section::find(source, name)? else {
            continue;
        };
        let guid_at = section.column(&["nodeguid"])?;
        let port_at = section.column(&[port_column, "portnum", "portnumber"])?;
        let counters = ERRORS.map(|name| {
            let column = name.to_ascii_lowercase();
            WIDER.map(|end| section.find_column(&[&format!("{column}{end}")]))
        });
        let cable = CABLE.map(|(column, name)| (section.find_column(&[column]), name));
        for row in section.rows() {
            let node = row.need(source, guid_at, "the GUID of a node", guid)?;
            let Some(at) = port(row.cell(Some(port_at))) else {
                continue;
            };
            let Some(&end) = ends.get(&(node, at)) else {
                continue;
            };
            let record = records.entry((end.node, end.port)).or_insert(PortRecord {
                end,
                errors: Vec::new(),
                cable: Vec::new(),
            });
            if name == "PM_INFO" {
                for (name, columns) in ERRORS.iter().zip(counters) {
                    let counts = columns.map(|column| number(row.cell(column)));
                    let most = counts
                        .into_iter()
                        .flatten()
                        .filter(|&count| count < NONE)
                        .max();
                    if let Some(count) = most.filter(|&count| count > 0) {
                        record.errors.push((name, count));
                    }
                }
            } else {
                for (column, name) in cable {
                    let text = row.cell(column);
                    if !["", "NA", "N/A"].contains(&text) {
                        record.cable.push((name, texts.shared(text)));
                    }
                }
            }
        }
    }
    let is_told = |record: &PortRecord| !record.errors.is_empty() || !record.cable.is_empty();
    Ok(records.into_values().filter(is_told).collect())
}

/// Texts that many cables share, each held once.
#[derive(Default)]
struct Texts(BTreeSet<Arc<str>>);

impl Texts {
    fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.0.insert(Arc::clone(&text));
        text
    }
}

/// The ports of the fabric by their node's GUID and their number.
fn ends(fabric: &Fabric) -> BTreeMap<(u64, u8), Endpoint> {
    let of_link = fabric.link_ids().flat_map(|id| fabric.link(id).ends);
    of_link
        .filter_map(|end| {
            let guid = match end.node {
                Node::Switch(id) => fabric.switch(id).guid,
                Node::Host(id) => fabric.host(id).adapter_guid,
            };
            Some(((guid?, end.port.number()), end))
        })
        .collect()
}
