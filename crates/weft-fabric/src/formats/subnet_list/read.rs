//! From the list to a fabric.

use super::super::FormatName;
use super::super::error::FormatError;
use super::super::infiniband::{
    Gathering, NO_LINE_END, Node, NodeKey, Peer, PortLine, TextLine, cut_line, finish, lines, note,
    unknown_reason,
};
use super::super::source::Source;
use super::super::{ReadFabric, ReadNote};
use super::line::{End, Line, Link, parse};
use std::collections::BTreeMap;

pub(super) fn read(source: Source<'_>) -> Result<ReadFabric, FormatError> {
    let mut notes = Vec::new();
    let mut gathering = Gathering::new(source);
    for line in lines(source) {
        take(&mut gathering, line, &mut notes)?;
    }
    let fabric = finish(source, gathering, &mut notes)?;
    Ok(ReadFabric {
        fabric,
        format: FormatName::SubnetList,
        notes,
    })
}

fn take<'a>(
    gathering: &mut Gathering<'a>,
    line: TextLine<'a>,
    notes: &mut Vec<ReadNote>,
) -> Result<(), FormatError> {
    let TextLine {
        text,
        mark,
        is_whole,
    } = line;
    match parse(text) {
        Line::Nothing => {}
        Line::Malformed(malformed) if !is_whole => {
            return Err(cut_line(gathering.source, line, malformed.expected));
        }
        Line::Malformed(malformed) => notes.push(note(mark, text, &malformed.reason())),
        Line::Unknown => notes.push(note(mark, text, &unknown_reason(text, "OpenSM"))),
        Line::Link(link) if link.is_down => {
            notes.push(note(mark, text, "the link is down; without a cable"));
        }
        Line::Link(link) => {
            if !is_whole {
                notes.push(note(mark, text, NO_LINE_END));
            }
            add(gathering, link, line, notes)?;
        }
    }
    Ok(())
}

fn add<'a>(
    gathering: &mut Gathering<'a>,
    link: Link<'a>,
    line: TextLine<'a>,
    notes: &mut Vec<ReadNote>,
) -> Result<(), FormatError> {
    let Link { ends, rate, .. } = link;
    let [here, far] = ends;
    let index = node(gathering, &here, line, notes);
    let port_line = PortLine {
        port: here.port,
        guid: Some(here.port_guid),
        lids: here.lids,
        peer: Peer {
            key: key(&far),
            kind: Some(far.kind),
            id: far.id,
            port: far.port,
            guid: Some(far.port_guid),
            lids: far.lids,
            description: Some(far.description),
        },
        rate,
    };
    gathering.add_port(index, port_line, line.text, line.mark, notes)
}

/// The index of the node a line belongs to, which is added when it is new.
fn node<'a>(
    gathering: &mut Gathering<'a>,
    here: &End<'a>,
    line: TextLine<'a>,
    notes: &mut Vec<ReadNote>,
) -> usize {
    let Some(&index) = gathering.index.get(&key(here)) else {
        let new = Node {
            kind: here.kind,
            id: here.id,
            guid: Some(here.guid),
            lids: here.lids,
            description: Some(here.description).filter(|text| !text.is_empty()),
            port_count: here.port_count,
            mark: Some(line.mark),
            ports: BTreeMap::new(),
        };
        return gathering.add_node(key(here), new);
    };
    let known = &mut gathering.nodes[index];
    if known.port_count != here.port_count {
        let reason = format!(
            "the node has {} ports here and had {} before; the larger number was taken",
            here.port_count, known.port_count
        );
        notes.push(note(line.mark, line.text, &reason));
        known.port_count = known.port_count.max(here.port_count);
    }
    index
}

fn key<'a>(end: &End<'a>) -> NodeKey<'a> {
    NodeKey::Guid(end.kind, end.guid)
}
