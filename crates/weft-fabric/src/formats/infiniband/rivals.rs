//! Several cables of one port: which is taken.

use super::super::ReadNote;
use super::wiring::End;
use super::{Entry, Gathering, Node, NodeKey};
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
    pub(crate) fn in_order(&self) -> Vec<(usize, &Entry<'a>)> {
        let of_ports = self.0.iter();
        let all = of_ports.flat_map(|(end, of_port)| of_port.values().map(|entry| (end.0, entry)));
        let mut all: Vec<(usize, &Entry<'a>)> = all.collect();
        all.sort_by_key(|(_, entry)| entry.mark);
        all
    }

    /// The same, to be changed.
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
    fn told(&self) -> BTreeSet<[End; 2]> {
        let of_ports = self.0.iter();
        let lines =
            of_ports.flat_map(|(&end, of_port)| of_port.values().map(move |entry| (end, entry)));
        lines
            .filter_map(|(end, entry)| Some([end, (entry.peer?, entry.line.peer.port)]))
            .collect()
    }
}

impl<'a> Gathering<'a> {
    /// Chooses among the peers of each port that has several the first which lists the cable as well, else the first.
    /// Hands over these ports.
    pub(super) fn settle(
        &mut self,
        rivals: Rivals<'a>,
        notes: &mut Vec<ReadNote>,
    ) -> BTreeSet<End> {
        let told = rivals.told();
        let disputed = rivals.0.keys().copied().collect();
        for ((node, port), of_port) in rivals.0 {
            let mut passed_over: Vec<Entry<'a>> = of_port.into_values().collect();
            passed_over.sort_by_key(|entry| entry.mark);
            let chosen = self.chosen((node, port), &passed_over, &told);
            if let (Some(at), Some(first)) = (chosen, self.nodes[node].ports.get_mut(port)) {
                std::mem::swap(first, &mut passed_over[at]);
                passed_over.sort_by_key(|entry| entry.mark);
            }
            self.note_passed_over((node, port), &passed_over, notes);
        }
        disputed
    }

    /// The first of a port's further lines whose cable the other end lists, unless it lists that of the port's first line.
    fn chosen(&self, end: End, others: &[Entry<'a>], told: &BTreeSet<[End; 2]>) -> Option<usize> {
        let is_confirmed = |entry: &Entry<'a>| {
            let Some(peer) = entry.peer else { return false };
            let far = (peer, entry.line.peer.port);
            let back = self.nodes[peer].ports.get(far.1);
            back.is_some_and(|back| back.peer.map(|peer| (peer, back.line.peer.port)) == Some(end))
                || told.contains(&[far, end])
        };
        let first = self.nodes[end.0].ports.get(end.1)?;
        if is_confirmed(first) {
            return None;
        }
        others.iter().position(is_confirmed)
    }

    /// Notes the lines of a port whose cables were not taken.
    fn note_passed_over(
        &self,
        (node, port): End,
        passed_over: &[Entry<'a>],
        notes: &mut Vec<ReadNote>,
    ) {
        let label = |node: &Node<'a>| node.description.unwrap_or(node.id);
        let name = label(&self.nodes[node]);
        let Some(kept) = self.nodes[node].ports.get(port) else {
            return;
        };
        for entry in passed_over {
            let peer = entry.peer.map(|peer| label(&self.nodes[peer]));
            let far = peer.unwrap_or(entry.line.peer.id);
            notes.push(ReadNote {
                line: Some(entry.mark.line),
                text: format!("{name}[{port}] – {far}[{}]", entry.line.peer.port),
                reason: format!(
                    "the file lists another cable at port {port} of “{name}” (line {}), which was taken; passed over",
                    kept.mark.line
                ),
            });
        }
    }
}
