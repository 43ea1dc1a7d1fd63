//! From the output to a fabric.

use super::super::infiniband::{
    Lids, Listed, Listing, Mark, NodeKey, NodeKind, Peer, PortLine, TextLine, cut_line, finish,
    lines, note, unknown_reason,
};
use super::super::{FormatError, Found, ReadNote, Source};
use super::kinds::tell_kinds;
use super::line::{End, Far, Header, Line, Port, parse};
use super::peers::find_peers;

pub(super) fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let mut notes = Vec::new();
    let mut reading = Reading {
        listing: Listing::new(source),
        block: None,
    };
    for line in lines(source) {
        reading.take(line, &mut notes)?;
    }
    if let Some(block) = reading.block.filter(|block| !block.has_ports) {
        return Err(source.truncated(
            block.mark.offset,
            "the end of the file after the first line of a node",
            "the ports of the node",
        ));
    }
    let mut listing = reading.listing;
    find_peers(&mut listing.gathering)?;
    tell_kinds(&mut listing);
    listing.note_gaps(&mut notes);
    listing.forget_unwired_adapters();
    let fabric = finish(source, listing.gathering, &mut notes)?;
    Ok((fabric, notes))
}

struct Reading<'a> {
    listing: Listing<'a>,
    block: Option<Block<'a>>,
}

/// Tells whether a line may be a port's of which the end is missing.
fn may_go_on(text: &str) -> bool {
    let content = text.trim_start();
    content.starts_with("0x")
        || content
            .chars()
            .all(|c| c.is_ascii_digit() || " []".contains(c))
}

/// A node's block.
#[derive(Clone, Copy)]
struct Block<'a> {
    header: Header<'a>,
    mark: Mark,
    /// What the node goes by: of an adapter the GUID of the first port listed.
    key: Option<NodeKey<'a>>,
    /// Whether a port's line followed, even one that cannot be read.
    has_ports: bool,
}

impl<'a> Reading<'a> {
    fn take(&mut self, line: TextLine<'a>, notes: &mut Vec<ReadNote>) -> Result<(), FormatError> {
        let source = self.listing.gathering.source;
        match parse(line.text) {
            Line::Nothing => {}
            Line::Malformed(malformed) if !line.is_whole => {
                return Err(cut_line(source, line, malformed.expected));
            }
            Line::Malformed(malformed) => return Err(malformed.error(source, line.mark)),
            Line::Unknown if !line.is_whole && may_go_on(line.text) => {
                return Err(cut_line(source, line, "a whole line"));
            }
            Line::Unknown => notes.push(line.note(&unknown_reason(line.text, "iblinkinfo"))),
            Line::Header(_) if !line.is_whole => {
                return Err(cut_line(source, line, "the ports of the node"));
            }
            Line::Header(header) => {
                if let Some(block) = self.block.filter(|block| !block.has_ports) {
                    let reason = "no port of the node is listed; passed over";
                    notes.push(note(block.mark, block.header.id, reason));
                }
                let guid = header.guid.map(|guid| NodeKey::Guid(header.kind, guid));
                self.block = Some(Block {
                    header,
                    mark: line.mark,
                    key: guid,
                    has_ports: false,
                });
            }
            Line::Port(port) => {
                line.note_end(notes);
                self.add(&port, line, notes);
            }
        }
        Ok(())
    }

    fn add(&mut self, port: &Port<'a>, line: TextLine<'a>, notes: &mut Vec<ReadNote>) {
        let here = &port.here;
        let Some(node) = self.node(here, line.mark) else {
            let reason = "the line belongs to no node; passed over";
            notes.push(line.note(reason));
            return;
        };
        let index = self.listing.list(&node, here.port);
        let far = match &port.far {
            Far::Down => return,
            Far::Unreached => {
                let reason = "the tool did not reach the other end; without a cable";
                notes.push(line.note(reason));
                return;
            }
            Far::End(far) => far,
        };
        let description = far.description;
        let lid = far.lids.map_or(0, Lids::base);
        let described = NodeKey::Described(lid, description.unwrap_or(""));
        let port_line = PortLine {
            port: here.port,
            guid: here.guid.map(|(_, guid)| guid),
            lids: here.lids,
            peer: Peer {
                key: far
                    .guid
                    .map_or(described, |(_, guid)| NodeKey::PortGuid(guid)),
                kind: None,
                id: far.guid.map_or(description.unwrap_or(""), |(id, _)| id),
                port: far.port,
                guid: far.guid.map(|(_, guid)| guid),
                lids: far.lids,
                description,
            },
            rate: port.rate,
        };
        let (text, mark) = (line.text, line.mark);
        (self.listing.gathering).add_port(index, port_line, text, mark, notes);
    }

    /// The node a port line belongs to: the one it names, or that of the block.
    fn node(&mut self, here: &End<'a>, mark: Mark) -> Option<Listed<'a>> {
        if let (Some((id, guid)), Some(_)) = (here.guid, here.description) {
            self.block = None;
            return Some(Listed {
                key: NodeKey::PortGuid(guid),
                kind: NodeKind::Adapter,
                id,
                guid: None,
                lids: here.lids,
                description: here.description,
                mark,
            });
        }
        let block = self.block.as_mut()?;
        block.has_ports = true;
        let port_key = here
            .guid
            .map(|(_, guid)| NodeKey::Guid(block.header.kind, guid));
        let key = block.key.or(port_key)?;
        block.key = Some(key);
        let header = block.header;
        Some(Listed {
            key,
            kind: header.kind,
            id: here.guid.map_or(header.id, |(id, _)| id),
            guid: header.guid,
            lids: here.lids,
            description: Some(header.description),
            mark: block.mark,
        })
    }
}
