//! The ports report of `ibnetdiscover -p`: every port of every node, wired or not, a line each.
//!
//! ```text
//! CA     6  1 0x0002c90300000009 4x QDR - SW     3  2 0x0002c90200000002 ( 'host3 HCA-1' - 'sw1' )
//! SW     3  4 0x0002c90200000002 4x SDR                                    'sw1'
//! ```
//!
//! Kind of node, LID, port, the port's GUID (of a switch: the switch's), width and speed; then the
//! other end and both descriptions, or the node's own description where no cable leads on. Of an
//! adapter the report knows the ports alone.
//!
//! Source: `ibnetdiscover(8)` of infiniband-diags, option `--ports`.

mod line;
mod write;

use super::infiniband::{
    ListLine, Listed, Listing, NodeKey, NodeKind, Peer, PortLine, TextLine, finish, read_list,
};
use super::{Format, FormatError, FormatName, Found, ReadNote, Reader, Source};
use line::{End, Port, parse};

/// The ports report in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::PortsReport,
    id: "ibnetdiscover-p",
    title: "ibnetdiscover -p",
    summary: "The ports report that ibnetdiscover -p prints of a cluster.",
    keeps: "Names, GUIDs of switches and ports, LIDs without their LMC, numbers of ports, order of \
            switches and of hosts, cables and rates in InfiniBand's words; GUIDs that are not known are made.",
    extensions: &["ibnetdiscover-p"],
    reader: Some(Reader(
        |text| {
            text.lines()
                .any(|line| matches!(parse(line), ListLine::Content(_)))
        },
        read,
    )),
    writer: Some(write::write),
};

fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let mut notes = Vec::new();
    let mut listing = Listing::new(source);
    read_list(
        source,
        "ibnetdiscover -p",
        &mut notes,
        parse,
        |port, line, notes| {
            line.note_end(notes);
            add(&mut listing, port, line, notes);
            Ok(())
        },
    )?;
    listing.note_gaps(&mut notes);
    let fabric = finish(source, listing.gathering, &mut notes)?;
    Ok((fabric, notes))
}

fn add<'a>(
    listing: &mut Listing<'a>,
    port: Port<'a>,
    line: TextLine<'a>,
    notes: &mut Vec<ReadNote>,
) {
    let (here, far, names) = (port.here, port.far, port.names);
    if far.is_none() && here.kind != NodeKind::Switch {
        // A port without a cable is no host.
        return;
    }
    let is_switch = here.kind == NodeKind::Switch;
    let node = Listed {
        key: key(&here),
        kind: here.kind,
        id: here.id,
        guid: is_switch.then_some(here.guid),
        lids: here.lids,
        description: names[0],
        mark: line.mark,
    };
    let index = listing.list(&node, here.port);
    let Some(far) = far else { return };
    if names == [None; 2] {
        let reason = "where one name ends and the other begins cannot be told; they are taken from \
                      other lines";
        notes.push(line.note(reason));
    }
    let port_line = PortLine {
        port: here.port,
        guid: Some(here.guid),
        lids: here.lids,
        peer: Peer {
            key: key(&far),
            kind: Some(far.kind),
            id: far.id,
            port: far.port,
            guid: Some(far.guid),
            lids: far.lids,
            description: names[1],
        },
        rate: port.rate,
    };
    let (text, mark) = (line.text, line.mark);
    (listing.gathering).add_port(index, port_line, text, mark, notes);
}

/// Of a switch the report has the GUID, of others that of the port alone.
fn key<'a>(end: &End<'a>) -> NodeKey<'a> {
    match end.kind {
        NodeKind::Switch => NodeKey::Guid(end.kind, end.guid),
        NodeKind::Adapter | NodeKind::Router => NodeKey::PortGuid(end.guid),
    }
}
