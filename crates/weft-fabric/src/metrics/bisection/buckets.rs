//! Switches by what a move to the other half would gain, so that the best is at hand.

use super::super::graph::SwitchGraph;
use crate::narrow::narrow;

/// No switch.
const NONE: u32 = u32::MAX;
/// Classes of switches: with hosts or without, in the first half or the second.
pub(super) const CLASSES: usize = 4;

/// Doubly linked lists of switches, one for every class and gain. The last one put in comes out
/// first.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    /// The largest gain there can be; list `most + gain` holds the switches of a gain.
    most: i64,
    /// First switch of each list, class by class.
    heads: Vec<u32>,
    /// Per class: no list above this one has a switch.
    tops: [usize; CLASSES],
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl Buckets {
    pub(super) fn new(graph: &SwitchGraph) -> Self {
        let links = |switch| {
            graph
                .of_switch(switch)
                .iter()
                .map(|n| i64::from(n.links))
                .sum()
        };
        let most: i64 = (0..graph.switch_count()).map(links).max().unwrap_or(0);
        Self {
            most,
            heads: vec![NONE; CLASSES * Self::lists(most)],
            tops: [0; CLASSES],
            next: vec![NONE; graph.switch_count()],
            previous: vec![NONE; graph.switch_count()],
        }
    }

    /// Lists a class has: gains from `-most` to `most`.
    fn lists(most: i64) -> usize {
        narrow(2 * most + 1, "links are no negative number")
    }

    pub(super) fn clear(&mut self) {
        self.heads.fill(NONE);
        self.tops = [0; CLASSES];
    }

    fn list(&self, class: usize, gain: i64) -> usize {
        let place: usize = narrow(self.most + gain, "no gain lies outside ±most");
        class * Self::lists(self.most) + place
    }

    pub(super) fn insert(&mut self, switch: u32, class: usize, gain: i64) {
        let list = self.list(class, gain);
        let head = self.heads[list];
        self.next[switch as usize] = head;
        self.previous[switch as usize] = NONE;
        if head != NONE {
            self.previous[head as usize] = switch;
        }
        self.heads[list] = switch;
        let top = list - class * Self::lists(self.most);
        self.tops[class] = self.tops[class].max(top);
    }

    pub(super) fn remove(&mut self, switch: u32, class: usize, gain: i64) {
        let (next, previous) = (self.next[switch as usize], self.previous[switch as usize]);
        if previous == NONE {
            let list = self.list(class, gain);
            self.heads[list] = next;
        } else {
            self.next[previous as usize] = next;
        }
        if next != NONE {
            self.previous[next as usize] = previous;
        }
    }

    /// A switch of a class that gains most, and its gain.
    pub(super) fn best(&mut self, class: usize) -> Option<(u32, i64)> {
        let first = class * Self::lists(self.most);
        loop {
            let top = self.tops[class];
            let head = self.heads[first + top];
            if head != NONE {
                let place: i64 = narrow(top, "there are as many lists as links");
                return Some((head, place - self.most));
            }
            if top == 0 {
                return None;
            }
            self.tops[class] -= 1;
        }
    }
}
