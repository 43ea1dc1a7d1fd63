//! From the sections to a fabric.

use super::super::infiniband::{
    CableEnd, Device, Gathering, Lids, Node, NodeKey, NodeKind, PortLines, Rate, Row, active,
    finish, guid, number, port,
};
use super::super::{FormatError, Found, ReadNote, Source};
use super::section::{Section, note_strays};
use std::collections::BTreeMap;

/// What the section of ports says of one.
#[derive(Clone, Copy)]
struct Port<'a> {
    guid: Option<u64>,
    lids: Option<Lids>,
    rate: Rate<'a>,
    is_active: bool,
}

pub(super) fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let mut notes = Vec::new();
    note_strays(source, &mut notes);
    let mut gathering = Gathering::new(source);
    let ports = ports(source)?;
    let keys = add_nodes(source, &mut gathering, &ports)?;
    let links = Section::need(source, "LINKS")?;
    let columns = [
        (links.column(&["nodeguid1"])?, links.column(&["portnum1"])?),
        (links.column(&["nodeguid2"])?, links.column(&["portnum2"])?),
    ];
    for row in links.rows() {
        let end = |(guid_at, port_at)| -> Result<_, FormatError> {
            let guid = row.need(source, guid_at, GUID, guid)?;
            let port = row.need(source, port_at, "a port, 1 to 254", port)?;
            let known = "the GUID of a node in the section NODES";
            let key = row.need(source, guid_at, known, |_| keys.get(&guid).copied())?;
            Ok((key, port, ports.get(&(guid, port)).copied()))
        };
        let ends = [end(columns[0])?, end(columns[1])?];
        let rate = (ends.iter()).find_map(|(.., known)| known.map(|port| port.rate));
        let ends = ends.map(|(key, port, known)| CableEnd {
            key,
            port,
            guid: known.and_then(|port| port.guid),
            lids: known.and_then(|port| port.lids),
        });
        let (text, mark) = (row.line.text, row.line.mark);
        gathering.join(ends, rate.unwrap_or(Rate::Absent), text, mark, &mut notes);
    }
    note_unlinked(&gathering, &keys, &ports, &mut notes);
    let fabric = finish(source, gathering, &mut notes)?;
    Ok((fabric, notes))
}

/// The state of a port that carries data.
const ACTIVE: u64 = 4;

/// Notes active ports that no link leads from.
fn note_unlinked(
    gathering: &Gathering<'_>,
    keys: &BTreeMap<u64, NodeKey<'_>>,
    ports: &BTreeMap<(u64, u8), Port<'_>>,
    notes: &mut Vec<ReadNote>,
) {
    for (&(guid, at), port) in ports {
        let node = keys.get(&guid).and_then(|key| gathering.index.get(key));
        let Some(node) = node.map(|&index| &gathering.nodes[index]) else {
            continue;
        };
        if port.is_active && at > 0 && node.ports.get(at).is_none() {
            notes.push(ReadNote {
                line: None,
                text: format!("{}[{at}]", node.description.unwrap_or(node.id)),
                reason: "the port is active, but the section LINKS has no cable of it".to_owned(),
            });
        }
    }
}

/// What a GUID looks like, for those who gave another text.
const GUID: &str = "a GUID such as 0xb8599f0300000100";

/// What the section of ports says, by node and port; that of a switch has its LID at port 0.
fn ports(source: Source<'_>) -> Result<BTreeMap<(u64, u8), Port<'_>>, FormatError> {
    let mut ports = BTreeMap::new();
    let Some(section) = Section::find(source, "PORTS")? else {
        return Ok(ports);
    };
    let node_at = section.column(&["nodeguid"])?;
    let number_at = section.column(&["portnum", "portnumber"])?;
    let [guid_at, lid_at, lmc_at, width_at, speed_at, state_at] = [
        "portguid",
        "lid",
        "lmc",
        "linkwidthactv",
        "linkspeedactv",
        "portstate",
    ]
    .map(|name| section.find_column(&[name]));
    for row in section.rows() {
        let node = row.need(source, node_at, GUID, guid)?;
        let at = row.need(source, number_at, "a port, 0 to 254", |text| {
            u8::try_from(number(text)?).ok()
        })?;
        let small = |column| number(row.cell(column)).and_then(|n| u32::try_from(n).ok());
        let mask_bits = number(row.cell(lmc_at)).map_or(Some(0), |bits| u8::try_from(bits).ok());
        let port = Port {
            guid: guid(row.cell(guid_at)),
            lids: small(lid_at)
                .zip(mask_bits)
                .and_then(|(lid, bits)| Lids::new(lid, bits)),
            rate: rate(&row, width_at, speed_at),
            is_active: number(row.cell(state_at)) == Some(ACTIVE),
        };
        ports.insert((node, at), port);
    }
    Ok(ports)
}

fn rate<'a>(row: &Row<'a>, width: Option<usize>, speed: Option<usize>) -> Rate<'a> {
    let speed_text = row.cell(speed);
    match (number(row.cell(width)), number(speed_text)) {
        (Some(width), Some(speed)) => active(width, speed, speed_text),
        _ => Rate::Absent,
    }
}

/// Adds the nodes and hands over their keys by GUID.
fn add_nodes<'a>(
    source: Source<'a>,
    gathering: &mut Gathering<'a>,
    ports: &BTreeMap<(u64, u8), Port<'a>>,
) -> Result<BTreeMap<u64, NodeKey<'a>>, FormatError> {
    let section = Section::need(source, "NODES")?;
    let guid_at = section.column(&["nodeguid"])?;
    let kind_at = section.column(&["nodetype"])?;
    let count_at = section.column(&["numports"])?;
    let [description_at, system_at, device_at, vendor_at] =
        ["nodedesc", "systemimageguid", "deviceid", "vendorid"]
            .map(|name| section.find_column(&[name]));
    let mut keys = BTreeMap::new();
    for row in section.rows() {
        let id = row.need(source, guid_at, GUID, |text| guid(text).map(|_| text))?;
        let guid_number = row.need(source, guid_at, GUID, guid)?;
        let kind = row.need(
            source,
            kind_at,
            "1 (channel adapter), 2 (switch) or 3 (router)",
            kind,
        )?;
        let port_count = row.need(source, count_at, "a number of ports, 1 to 254", port)?;
        let small = |column| number(row.cell(column)).and_then(|n| u32::try_from(n).ok());
        let key = NodeKey::Guid(kind, guid_number);
        if let Some(&known) = gathering.index.get(&key) {
            let first = gathering.nodes[known].mark.map_or(0, |mark| mark.line);
            gathering.add_repeat(row.line.mark, row.line.text, first);
            continue;
        }
        keys.insert(guid_number, key);
        let at_zero = ports.get(&(guid_number, 0)).and_then(|port| port.lids);
        let device = small(vendor_at)
            .zip(small(device_at))
            .map(|(vendor, id)| Device { vendor, id });
        gathering.add_node(
            key,
            Node {
                kind,
                id,
                guid: Some(guid_number),
                lids: at_zero.filter(|_| kind == NodeKind::Switch),
                description: Some(row.cell(description_at)).filter(|text| !text.is_empty()),
                port_count,
                system_image: guid(row.cell(system_at)).filter(|&guid| guid != 0),
                device,
                mark: Some(row.line.mark),
                ports: PortLines::default(),
            },
        );
    }
    Ok(keys)
}

fn kind(text: &str) -> Option<NodeKind> {
    match number(text)? {
        1 => Some(NodeKind::Adapter),
        2 => Some(NodeKind::Switch),
        3 => Some(NodeKind::Router),
        _ => None,
    }
}
