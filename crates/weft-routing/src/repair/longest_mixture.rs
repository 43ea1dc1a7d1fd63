//! How many switches packets meet while some entries are old and some are new.

use super::broken_ways::{Broken, BrokenWays};
use super::mixing::Order;
use super::plan::Entries;
use crate::paths::NO_EDGE;

/// A search of the longest way among entries old and new of switches whose old way is broken.
struct Search<'a> {
    entries: Entries<'a>,
    broken: &'a BrokenWays,
    order: Order,
    /// Per broken switch: its old entry, which packets of before met though it leads over what failed.
    old: Vec<u32>,
    /// Per switch, entry, and whether a packet has met a new one: the switches that it meets from there on.
    known: Vec<Known>,
    /// Those that are asked about.
    way: Vec<Leaving>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Not,
    Asked,
    So(usize),
}

/// Leaving a broken switch by its old entry (0) or its new one (1), as a packet that has met a new one, or not.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    place: usize,
    which: usize,
    has_met: bool,
}

/// The most switches that packets to a destination meet by old entries and new ones, in an order in which they wait for
/// one another in no circle; `old` tells the entries of before, of what failed too.
///
/// Where lanes change on the way packets could come round: then each broken switch counts for both its entries.
pub(super) fn most_switches(
    entries: Entries<'_>,
    broken: &BrokenWays,
    order: Order,
    old: impl Fn(&Broken) -> u32,
) -> usize {
    let count = broken.switches.len();
    let mut search = Search {
        entries,
        broken,
        order,
        old: broken.switches.iter().map(old).collect(),
        known: vec![Known::Not; 4 * count],
        way: Vec::new(),
    };
    let mut most = 0;
    for place in 0..count {
        for which in 0..2 {
            let leaving = Leaving {
                place,
                which,
                has_met: false,
            };
            match search.longest(leaving) {
                Some(switches) => most = most.max(switches),
                None => return 2 * count + search.most_whole(),
            }
        }
    }
    most
}

impl Search<'_> {
    /// The edge that a packet leaves by; none where it does not come to that.
    fn edge(&self, leaving: Leaving) -> u32 {
        let broken = &self.broken.switches[leaving.place];
        let changes = broken.next != broken.old;
        match (leaving.which, leaving.has_met) {
            // Whoever has met a new entry comes over what failed no more.
            (0, true) if changes && self.order == Order::Outwards => NO_EDGE,
            (0, true) => broken.old,
            (0, false) => self.old[leaving.place],
            _ if changes => broken.next,
            _ => NO_EDGE,
        }
    }

    /// The switches from there on, with the one that is left and that where it ends; `None` where packets come round.
    fn longest(&mut self, start: Leaving) -> Option<usize> {
        let number = |of: Leaving| 4 * of.place + 2 * of.which + usize::from(of.has_met);
        self.way.clear();
        self.way.push(start);
        while let Some(&leaving) = self.way.last() {
            self.known[number(leaving)] = Known::Asked;
            let edge = self.edge(leaving);
            let found = if edge == NO_EDGE {
                Some(0)
            } else {
                let to = self.entries.plan.space.edge(edge).to;
                let has_met = leaving.has_met || leaving.which == 1;
                match self.broken.place(to) {
                    None => Some(1 + self.broken.whole_switches(self.entries, to)),
                    Some(place) => {
                        let next = [0, 1].map(|which| Leaving {
                            place,
                            which,
                            has_met,
                        });
                        let mut most = Some(1);
                        for next in next {
                            match self.known[number(next)] {
                                Known::Not => {
                                    self.way.push(next);
                                    most = None;
                                    break;
                                }
                                Known::Asked => return None,
                                Known::So(switches) => {
                                    most = most.map(|most| most.max(switches));
                                }
                            }
                        }
                        most.map(|most| 1 + most)
                    }
                }
            };
            if let Some(found) = found {
                self.known[number(leaving)] = Known::So(found);
                self.way.pop();
            }
        }
        match self.known[number(start)] {
            Known::So(switches) => Some(switches),
            Known::Not | Known::Asked => None,
        }
    }

    /// The most switches of a way that stands, from where a broken switch leads to it.
    fn most_whole(&self) -> usize {
        let edges = self.broken.switches.iter();
        let edges = edges.flat_map(|of| [of.old, of.next]);
        let whole = edges.filter(|&edge| edge != NO_EDGE).filter_map(|edge| {
            let to = self.entries.plan.space.edge(edge).to;
            (!self.broken.has(to)).then(|| self.broken.whole_switches(self.entries, to))
        });
        whole.max().unwrap_or(0)
    }
}
