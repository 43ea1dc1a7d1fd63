//! From the list to a fabric.

use super::super::infiniband::{
    Gathering, Node, NodeKey, Peer, PortLine, PortLines, TextLine, finish, read_list,
};
use super::super::{FormatError, Found, ReadNote, Source};
use super::line::{End, Link, parse};

pub(super) fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let mut notes = Vec::new();
    let mut gathering = Gathering::new(source);
    read_list(source, "OpenSM", &mut notes, parse, |link, line, notes| {
        if link.is_down {
            notes.push(line.note("the link is down; without a cable"));
            return Ok(());
        }
        line.note_end(notes);
        add(&mut gathering, link, line, notes);
        Ok(())
    })?;
    let fabric = finish(source, gathering, &mut notes)?;
    Ok((fabric, notes))
}

fn add<'a>(
    gathering: &mut Gathering<'a>,
    link: Link<'a>,
    line: TextLine<'a>,
    notes: &mut Vec<ReadNote>,
) {
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
    gathering.add_port(index, port_line, line.text, line.mark, notes);
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
            system_image: here.system,
            device: None,
            ports: PortLines::default(),
        };
        return gathering.add_node(key(here), new);
    };
    let known = &mut gathering.nodes[index];
    if known.port_count != here.port_count {
        let reason = format!(
            "the node has {} ports here and had {} before; the larger number was taken",
            here.port_count, known.port_count
        );
        notes.push(line.note(&reason));
        known.port_count = known.port_count.max(here.port_count);
    }
    index
}

fn key<'a>(end: &End<'a>) -> NodeKey<'a> {
    NodeKey::Guid(end.kind, end.guid)
}
