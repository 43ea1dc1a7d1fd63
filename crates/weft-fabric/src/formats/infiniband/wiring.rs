//! Which cables there are: what the two ends of each say, compared.

use super::super::ReadNote;
use super::records::Records;
use super::{Entry, Lids, Mark, NodeKind};
use crate::LinkRate;
use std::collections::{BTreeMap, BTreeSet};

/// A port of a node: index of the node, port.
pub(super) type End = (usize, u8);

/// A cable between two ports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cable {
    /// The end of the node that stands first in the file, and of two ports of one node the lesser,
    /// then the other.
    pub(super) ends: [End; 2],
    pub(super) rate: Option<LinkRate>,
    /// Where it is listed first.
    pub(super) mark: Mark,
    /// GUIDs of the ports at both ends, where the file gives them.
    pub(super) guids: [Option<u64>; 2],
    /// LIDs of the ports at both ends, where the file gives them.
    pub(super) lids: [Option<Lids>; 2],
    /// Whether the other end has a record that does not list it.
    pub(super) is_one_way: bool,
    /// Whether the file lists another cable at one of its ports.
    pub(super) is_disputed: bool,
}

/// Finds the cables, in the order of the nodes and of their ports.
pub(super) fn cables(records: &Records<'_>, notes: &mut Vec<ReadNote>) -> Vec<Cable> {
    let mut wiring = Wiring {
        records,
        disputed: records.disputed.clone(),
        cables: Vec::new(),
        taken: BTreeMap::new(),
    };
    let mut doubtful = Vec::new();
    for (node, record) in records.nodes.iter().enumerate() {
        for entry in record.ports.iter() {
            let port = entry.line.port;
            // Invariant: peers are resolved before the cables are.
            let Some(peer) = entry.peer else { continue };
            let (here, there) = ((node, port), (peer, entry.line.peer.port));
            if here == there {
                let reason = "the port leads to itself (a loopback plug); passed over";
                notes.push(wiring.note(here, entry, reason));
                continue;
            }
            match wiring.entry(there) {
                Some(back) if (back.peer, back.line.peer.port) == (Some(node), port) => {
                    if !wiring.taken.contains_key(&here) {
                        wiring.lay_agreed(here, there, entry, back, notes);
                    }
                }
                _ => doubtful.push((here, there, entry)),
            }
        }
    }
    doubtful.sort_by_key(|(.., entry)| entry.mark);
    for (here, there, entry) in doubtful {
        wiring.lay_doubtful(here, there, entry, notes);
    }
    // Neither the order of lines nor the end that tells of a cable makes another fabric.
    wiring.cables.sort_by_key(|cable| cable.ends);
    for cable in &mut wiring.cables {
        cable.is_disputed = cable.ends.iter().any(|end| wiring.disputed.contains(end));
    }
    wiring.cables
}

/// How a port came to be taken.
#[derive(Clone, Copy)]
struct Taken {
    mark: Mark,
    /// Whether both ends of the cable name each other.
    is_agreed: bool,
}

struct Wiring<'r, 'a> {
    records: &'r Records<'a>,
    cables: Vec<Cable>,
    taken: BTreeMap<End, Taken>,
    /// Ports of which the file lists several cables.
    disputed: BTreeSet<End>,
}

impl<'r, 'a> Wiring<'r, 'a> {
    fn entry(&self, (node, port): End) -> Option<&'r Entry<'a>> {
        self.records.nodes[node].ports.get(port)
    }

    fn name(&self, (node, _): End) -> &'a str {
        let node = &self.records.nodes[node];
        node.description.unwrap_or(node.id)
    }

    fn describe(&self, end: End) -> String {
        format!("{}[{}]", self.name(end), end.1)
    }

    fn note(&self, here: End, entry: &Entry<'_>, reason: &str) -> ReadNote {
        let there = entry.peer.map(|peer| (peer, entry.line.peer.port));
        let there = there.map_or_else(String::new, |there| self.describe(there));
        let text = format!("{} – {there}", self.describe(here));
        ReadNote {
            line: Some(entry.mark.line),
            text,
            reason: reason.to_owned(),
        }
    }

    fn lay_agreed(
        &mut self,
        here: End,
        there: End,
        entry: &Entry<'_>,
        back: &Entry<'_>,
        notes: &mut Vec<ReadNote>,
    ) {
        let rates = (entry.line.rate.known(), back.line.rate.known());
        if let (Some(ours), Some(theirs)) = rates
            && ours != theirs
        {
            let reason = format!(
                "the rate is {ours} here and {theirs} at line {}; {ours} was taken",
                back.mark.line
            );
            notes.push(self.note(here, entry, &reason));
        }
        let guids = [
            entry.line.guid.or(back.line.peer.guid),
            back.line.guid.or(entry.line.peer.guid),
        ];
        let lids = [
            entry.line.lids.or(back.line.peer.lids),
            back.line.lids.or(entry.line.peer.lids),
        ];
        let cable = Cable {
            ends: [here, there],
            rate: rates.0.or(rates.1),
            mark: entry.mark,
            guids,
            lids,
            is_one_way: false,
            is_disputed: false,
        };
        self.lay(cable, true);
    }

    /// Lays a cable that only one end lists, unless another holds one of its ports.
    fn lay_doubtful(
        &mut self,
        here: End,
        there: End,
        entry: &Entry<'_>,
        notes: &mut Vec<ReadNote>,
    ) {
        for end in [here, there] {
            let Some(&taken) = self.taken.get(&end) else {
                continue;
            };
            let listed = if taken.is_agreed {
                "which both its ends list"
            } else {
                "listed first"
            };
            let reason = format!(
                "port {} of “{}” has another cable, {listed} (line {}); passed over",
                end.1,
                self.name(end),
                taken.mark.line
            );
            notes.push(self.note(here, entry, &reason));
            self.disputed.insert(end);
            return;
        }
        let is_one_way = self.records.nodes[there.0].mark.is_some();
        if is_one_way {
            let reason = match self.entry(there) {
                None => "only this end lists the cable; kept".to_owned(),
                Some(back) => format!(
                    "the other end leads elsewhere (line {}), but nothing there confirms it; kept",
                    back.mark.line
                ),
            };
            notes.push(self.note(here, entry, &reason));
        }
        let cable = Cable {
            ends: [here, there],
            rate: entry.line.rate.known(),
            mark: entry.mark,
            guids: [entry.line.guid, entry.line.peer.guid],
            lids: [entry.line.lids, entry.line.peer.lids],
            is_one_way,
            is_disputed: false,
        };
        self.lay(cable, false);
    }

    fn lay(&mut self, mut cable: Cable, is_agreed: bool) {
        if cable.ends[0] > cable.ends[1] {
            cable.ends.reverse();
            cable.guids.reverse();
            cable.lids.reverse();
        }
        let mark = cable.mark;
        for end in cable.ends {
            self.taken.insert(end, Taken { mark, is_agreed });
        }
        self.cables.push(cable);
    }
}

/// Tells what keeps a cable out of a fabric, if anything does.
pub(super) fn obstacle(kinds: [NodeKind; 2]) -> Option<&'static str> {
    match kinds {
        [NodeKind::Router, _] | [_, NodeKind::Router] => {
            Some("a router is at one end; routers and their cables are left out")
        }
        [NodeKind::Adapter, NodeKind::Adapter] => {
            Some("it joins two hosts without a switch; left out")
        }
        _ => None,
    }
}
