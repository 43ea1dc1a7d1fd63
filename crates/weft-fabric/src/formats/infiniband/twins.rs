//! Several records of one GUID.
//!
//! A GUID is one device's own. A file with two records of one, whose ports lead to different peers, has found two
//! devices that were given the same, and both are read. Where the records share a cable they are of one device, which is
//! listed again.

use super::super::ReadNote;
use super::gathering::is_same_cable;
use super::{Gathering, Mark, Node, NodeKey, PortLine, note};

/// A record whose GUID an earlier one has, as far as it is read.
pub(crate) struct Again<'a> {
    pub(crate) key: NodeKey<'a>,
    pub(crate) node: Node<'a>,
    pub(crate) text: &'a str,
    pub(crate) mark: Mark,
    /// Its lines, each with its text and place.
    pub(crate) lines: Vec<(PortLine<'a>, &'a str, Mark)>,
}

impl<'a> Gathering<'a> {
    /// Adds what a record says whose GUID an earlier one has: to that, or, where no cable is told by both and one of a
    /// port's is another, as a device of its own.
    pub(crate) fn add_again(&mut self, again: Again<'a>, notes: &mut Vec<ReadNote>) {
        let known: Vec<usize> = self.of_key(again.key).collect();
        let of_port = |index: usize, line: &PortLine<'a>| self.nodes[index].ports.get(line.port);
        let is_same = |index: usize, line: &PortLine<'a>| {
            of_port(index, line).is_some_and(|entry| is_same_cable(&entry.line, line))
        };
        // A cable between two of one GUID looks like one of either.
        let is_told = |index: usize| {
            let mut lines = again.lines.iter().map(|(line, ..)| line);
            lines.clone().all(|line| is_same(index, line))
                || lines.any(|line| line.peer.key != again.key && is_same(index, line))
        };
        let is_free = |index: usize| {
            let mut lines = again.lines.iter();
            lines.all(|(line, ..)| of_port(index, line).is_none())
        };
        let mut found = known.iter().copied();
        let same =
            (found.clone().find(|&index| is_told(index))).or_else(|| found.find(|&at| is_free(at)));
        let first = known.first().and_then(|&index| self.nodes[index].mark);
        let first = first.map_or(0, |mark| mark.line);
        let index = if let Some(index) = same {
            self.add_repeat(again.mark, again.text, first);
            index
        } else {
            let reason = format!(
                "another device with other cables has this GUID (line {first}); both are read: give one of them \
                 another GUID, or discover the fabric again if cables were moved meanwhile"
            );
            notes.push(note(again.mark, again.text, &reason));
            let index = self.nodes.len();
            self.nodes.push(again.node);
            self.twins.entry(again.key).or_default().push(index);
            index
        };
        for (line, text, mark) in again.lines {
            self.add_port(index, line, text, mark, notes);
        }
    }

    /// The nodes of a key, in the order of the file.
    fn of_key(&self, key: NodeKey<'a>) -> impl Iterator<Item = usize> {
        let first = self.index.get(&key).copied();
        let twins = self.twins.get(&key).into_iter().flatten().copied();
        first.into_iter().chain(twins)
    }

    /// The node that a line leads to, where it is known: of several with one GUID the one that lists the cable as well,
    /// and of several that do the one with the description that the line gives.
    pub(super) fn peer_of(&self, here: usize, line: &PortLine<'a>) -> Option<usize> {
        let peer = &line.peer;
        if !self.twins.contains_key(&peer.key) {
            return self.index.get(&peer.key).copied();
        }
        let lists_it = |index: usize| {
            let back = self.nodes[index].ports.get(peer.port);
            back.is_some_and(|back| {
                back.line.peer.port == line.port
                    && self.of_key(back.line.peer.key).any(|node| node == here)
            })
        };
        let is_described = |index: usize| {
            peer.description.is_some() && self.nodes[index].description == peer.description
        };
        // The first of those that fit best.
        let fit = |&index: &usize| (!lists_it(index), !is_described(index));
        self.of_key(peer.key).min_by_key(fit)
    }
}
