//! Which of several cables of one port is taken.

use super::super::ReadNote;
use super::wiring::End;
use super::{Entry, Gathering, Node, Rivals};
use std::collections::BTreeSet;

impl<'a> Gathering<'a> {
    /// Chooses among the peers of each port that has several the first which lists the cable as well, else the first.
    /// Hands over these ports.
    pub(super) fn settle(
        &mut self,
        rivals: Rivals<'a>,
        notes: &mut Vec<ReadNote>,
    ) -> BTreeSet<End> {
        let told = rivals.told();
        let disputed = rivals.ports().collect();
        for ((node, port), mut passed_over) in rivals.into_ports() {
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
