//! Several cables of one port.

use super::wiring::End;
use super::{Entry, NodeKey};
use std::collections::{BTreeMap, BTreeSet};

/// Lines of ports that an earlier line gives another peer: by node and port, then by the port at the other end.
#[derive(Default)]
pub(crate) struct Rivals<'a>(BTreeMap<End, BTreeMap<(NodeKey<'a>, u8), Entry<'a>>>);

impl<'a> Rivals<'a> {
    /// Adds the line of a port of a node, or, where an earlier one tells the same cable, hands over that one's line.
    pub(super) fn add(&mut self, node: usize, entry: Entry<'a>) -> Option<u32> {
        let of_port = self.0.entry((node, entry.line.port)).or_default();
        let far = (entry.line.peer.key, entry.line.peer.port);
        if let Some(earlier) = of_port.get(&far) {
            return Some(earlier.mark.line);
        }
        of_port.insert(far, entry);
        None
    }

    /// All lines in the order of the file, each with its node.
    pub(crate) fn in_order_mut(&mut self) -> Vec<(usize, &mut Entry<'a>)> {
        let of_ports = self.0.iter_mut();
        let all =
            of_ports.flat_map(|(end, of_port)| of_port.values_mut().map(|entry| (end.0, entry)));
        let mut all: Vec<(usize, &mut Entry<'a>)> = all.collect();
        all.sort_by_key(|(_, entry)| entry.mark);
        all
    }

    /// Gives nodes their new places; lines of those without one are dropped.
    pub(super) fn renumber(&mut self, places: &[Option<usize>]) {
        let all = std::mem::take(&mut self.0).into_iter();
        self.0 = all
            .filter_map(|((node, port), of_port)| Some(((places[node]?, port), of_port)))
            .collect();
    }

    /// Tells whether a port has such lines.
    pub(super) fn is_of(&self, end: End) -> bool {
        self.0.contains_key(&end)
    }

    /// The lines of a port in the order of the file.
    pub(super) fn of(&self, end: End) -> impl Iterator<Item = &Entry<'a>> {
        let of_port = self.0.get(&end).into_iter().flat_map(BTreeMap::values);
        let mut all: Vec<&Entry<'a>> = of_port.collect();
        all.sort_by_key(|entry| entry.mark);
        all.into_iter()
    }

    /// Takes out the line that tells of a cable from one port to another.
    pub(super) fn remove(&mut self, end: End, far: End) {
        if let Some(of_port) = self.0.get_mut(&end) {
            of_port.retain(|_, entry| (entry.peer, entry.line.peer.port) != (Some(far.0), far.1));
            if of_port.is_empty() {
                self.0.remove(&end);
            }
        }
    }

    /// The cables that the lines tell of, each from the line's port to the one at its other end.
    pub(super) fn told(&self) -> BTreeSet<[End; 2]> {
        let of_ports = self.0.iter();
        let lines =
            of_ports.flat_map(|(&end, of_port)| of_port.values().map(move |entry| (end, entry)));
        lines
            .filter_map(|(end, entry)| Some([end, (entry.peer?, entry.line.peer.port)]))
            .collect()
    }

    /// The ports, each with its lines in the order of the file.
    pub(super) fn into_ports(self) -> impl Iterator<Item = (End, Vec<Entry<'a>>)> {
        self.0.into_iter().map(|(end, of_port)| {
            let mut lines: Vec<Entry<'a>> = of_port.into_values().collect();
            lines.sort_by_key(|entry| entry.mark);
            (end, lines)
        })
    }

    /// The ports.
    pub(super) fn ports(&self) -> impl Iterator<Item = End> {
        self.0.keys().copied()
    }
}
