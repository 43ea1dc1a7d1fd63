//! Switches led to one of them over those that are, the nearest first.

use super::tries::Tries;
use super::ways_to_one::{JoinsNearest, Leads, WaysToOne};
use crate::paths::{NO_EDGE, PathSpace};

/// The links of a switch that is not to be led.
const CLOSED: u32 = 0;

/// The links of a switch none of whose neighbours is led yet.
const UNKNOWN: u32 = u32::MAX;

/// Room in which switches are led, to one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Growth {
    /// Per switch that waits: the links by which it is tried next, or [`UNKNOWN`]; else [`CLOSED`].
    links: Vec<u32>,
    /// By links: switches that are tried by so many, and some that wait for others meanwhile.
    tried: Vec<Vec<u32>>,
    /// What is tried by as many links as it is the turn of.
    tries: Tries,
}

impl Growth {
    /// Leads switches that have no way, those given, over neighbours that have one, by fewest links first and then by
    /// least load, where `by` can hold that. Where none can be held, the entry of before stays.
    ///
    /// All ways of so many links are tried before any of more: who is led by one of them is a neighbour for the next.
    /// Time in proportion to the ports of these switches, but for what is refused or put off, as loads grow.
    pub(crate) fn lead<W: Leads, J: JoinsNearest>(
        &mut self,
        ways: &mut W,
        space: &PathSpace,
        apart: &[u32],
        by: &mut J,
    ) {
        self.links.resize(space.switch_count(), CLOSED);
        self.tries.forget(space.switch_count());
        let mut waiting = 0;
        for &at in apart.iter().filter(|&&at| ways.is_open(at)) {
            waiting += usize::from(self.links[at as usize] == CLOSED);
            self.links[at as usize] = UNKNOWN;
        }
        for &at in apart.iter().filter(|&&at| ways.is_open(at)) {
            let links = self.least_links(ways, space, at, by);
            self.put(at, links);
        }
        let mut links = 1;
        while waiting > 0 && (links as usize) < self.tried.len() {
            self.begin(ways, space, by, links);
            waiting -= self.try_all(ways, space, by, links);
            links += 1;
        }
        self.tried.iter_mut().for_each(Vec::clear);
        for &at in apart {
            self.links[at as usize] = CLOSED;
        }
    }

    /// Links of which none has fewer by which a switch can be tried now, if it can be by any.
    fn least_links<W: Leads, J: JoinsNearest>(
        &self,
        ways: &W,
        space: &PathSpace,
        at: u32,
        by: &J,
    ) -> Option<u32> {
        let (mut least, fewest) = (UNKNOWN, ways.least_links(at));
        for (edge, to) in led(&self.links, space, at) {
            let bound = ways.least_links(to) + 1;
            if bound < least && by.may_go(edge) {
                least = bound;
                if least == fewest {
                    break;
                }
            }
        }
        (least != UNKNOWN).then_some(least)
    }

    /// The fewest links by which a switch can be tried, of so many at least.
    fn next_links<W: Leads, J: JoinsNearest>(
        &self,
        ways: &W,
        space: &PathSpace,
        at: u32,
        by: &J,
        at_least: u32,
    ) -> Option<u32> {
        let mut least = UNKNOWN;
        for (edge, to) in led(&self.links, space, at) {
            if ways.least_links(to) + 1 < least
                && by.may_go(edge)
                && let Some(links) = ways.links(to)
                && links + 1 >= at_least
            {
                least = least.min(links + 1);
                if least == at_least {
                    break;
                }
            }
        }
        (least != UNKNOWN).then_some(least)
    }

    /// Lets a switch wait for its turn by so many links, if it can be tried by any.
    fn put(&mut self, at: u32, links: Option<u32>) {
        self.links[at as usize] = links.unwrap_or(UNKNOWN);
        if let Some(links) = links {
            if self.tried.len() <= links as usize {
                self.tried.resize(links as usize + 1, Vec::new());
            }
            self.tried[links as usize].push(at);
        }
    }

    /// Collects the edges by which switches are tried by so many links.
    fn begin<W: Leads, J: JoinsNearest>(
        &mut self,
        ways: &W,
        space: &PathSpace,
        by: &J,
        links: u32,
    ) {
        let mut tried = std::mem::take(&mut self.tried[links as usize]);
        // Some wait for as many links again, after fewer.
        tried.sort_unstable();
        tried.dedup();
        for &at in &tried {
            if self.links[at as usize] != links {
                continue;
            }
            self.tries.begin(at);
            for (edge, to) in led(&self.links, space, at) {
                if ways.least_links(to) < links
                    && by.may_go(edge)
                    && ways.links(to) == Some(links - 1)
                {
                    self.tries.add((ways, by), edge, to);
                }
            }
            // Those that are nearest may have longer ways than they could.
            if !self.tries.has_begun() {
                let later = self.next_links(ways, space, at, by, links + 1);
                self.put(at, later);
            }
        }
        self.tried[links as usize] = tried;
        self.tries.sort();
    }

    /// Tries all switches by so many links, and returns how many are led.
    fn try_all<W: Leads, J: JoinsNearest>(
        &mut self,
        ways: &mut W,
        space: &PathSpace,
        by: &mut J,
        links: u32,
    ) -> usize {
        let mut led = 0;
        while let Some(next) = self.tries.next() {
            let at = self.tries.switch(next);
            if !self.tries.follow_unless_later((&*ways, space, &*by), next) {
                continue;
            }
            if by.join(at, self.tries.path()) {
                led += 1;
                self.links[at as usize] = CLOSED;
                ways.set_next(at, next.edge());
                ways.set_links(at, links);
                for back in space.edges_of(at) {
                    if self.links[back.to as usize] > links + 1 && by.may_go(back.reverse) {
                        self.put(back.to, Some(links + 1));
                    }
                }
            } else if !self.tries.go_on(next) {
                let later = self.next_links(ways, space, at, by, links + 1);
                self.put(at, later);
            }
        }
        led
    }
}

/// The edges of a switch to neighbours that do not wait themselves, each with its neighbour.
fn led(links: &[u32], space: &PathSpace, at: u32) -> impl Iterator<Item = (u32, u32)> {
    let edges = space.edge_ids(at).map(|edge| (edge, space.edge(edge).to));
    edges.filter(|&(_, to)| links[to as usize] == CLOSED)
}

impl WaysToOne {
    /// Leads switches that have neither a way nor an entry over neighbours that have a way, the nearest first.
    pub(crate) fn lead_nearest<J: JoinsNearest>(&mut self, space: &PathSpace, by: &mut J) {
        let switches = (0..).take(space.switch_count());
        let apart = switches.filter(|&at| !self.is_joined(at) && self.next(at) == NO_EDGE);
        let apart: Vec<u32> = apart.collect();
        Growth::default().lead(self, space, &apart, by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::{TurnRule, links_from};
    use proptest::prelude::*;
    use weft_fabric::SwitchId;
    use weft_fabric::generate::{JellyfishParameters, jellyfish};

    /// Loads channels by so much with each switch led over them, and refuses the first switches of some edges.
    #[derive(Clone)]
    struct Loading<'s> {
        space: &'s PathSpace,
        loads: Vec<u64>,
        weights: Vec<u64>,
        later: Vec<bool>,
        refused: Vec<bool>,
        /// All that was tried, and how that ended.
        tried: Vec<(u32, u32, bool)>,
    }

    impl JoinsNearest for Loading<'_> {
        fn least_load(&self) -> u64 {
            2
        }

        fn load(&self, edge: u32) -> u64 {
            self.loads[edge as usize].max(self.least_load())
        }

        fn comes_later<W: Leads>(&self, _: &W, _: u32, edge: u32) -> bool {
            self.later[edge as usize]
        }

        fn may_go(&self, edge: u32) -> bool {
            edge % 7 != 3
        }

        fn join(&mut self, at: u32, path: &[u32]) -> bool {
            let is_held = !path.iter().any(|&edge| self.refused[(edge + at) as usize]);
            self.tried.push((at, path[0], is_held));
            if is_held {
                for &edge in path {
                    self.loads[edge as usize] += self.weights[at as usize];
                }
            }
            is_held
        }
    }

    /// Ways with the links that each has at least.
    #[derive(Clone)]
    struct Bounded(WaysToOne, Vec<u32>);

    impl Leads for Bounded {
        fn to(&self) -> u32 {
            self.0.to()
        }

        fn next(&self, at: u32) -> u32 {
            self.0.next(at)
        }

        fn links(&self, at: u32) -> Option<u32> {
            self.0.links(at)
        }

        fn least_links(&self, at: u32) -> u32 {
            self.1[at as usize]
        }

        fn is_open(&self, at: u32) -> bool {
            self.0.is_open(at)
        }

        fn set_next(&mut self, at: u32, edge: u32) {
            self.0.set_next(at, edge);
        }

        fn set_links(&mut self, at: u32, links: u32) {
            self.0.set_links(at, links);
        }
    }

    /// Always tries the edge that comes first of all that were not tried, by definition.
    fn lead_by_definition(ways: &mut WaysToOne, apart: &[u32], by: &mut Loading<'_>) {
        let space = by.space;
        let mut is_tried = vec![false; space.edge_count()];
        loop {
            let open = apart.iter().filter(|&&at| ways.is_open(at));
            let edges = open.flat_map(|&at| space.edge_ids(at).map(move |edge| (at, edge)));
            let edges = edges.filter(|&(_, edge)| by.may_go(edge) && !is_tried[edge as usize]);
            let ordered = edges.filter_map(|(at, edge)| {
                let over = space.edge(edge).to;
                let mut path = vec![edge];
                path.extend(ways.path(space, over)?);
                let load = path.iter().map(|&edge| by.load(edge)).max()?;
                Some(((path.len(), load, by.later[edge as usize], edge), at, path))
            });
            let Some(((links, .., edge), at, path)) = ordered.min() else {
                return;
            };
            is_tried[edge as usize] = true;
            if by.join(at, &path) {
                ways.set_next(at, edge);
                ways.set_links(at, links.try_into().unwrap());
            }
        }
    }

    proptest! {
        /// What is tried, in which order, and what comes of it is as defined.
        #[test]
        fn edges_are_tried_in_order(
            seed in 0_u64..1_000,
            switches in 8_u32..24,
            led in prop::collection::vec(any::<bool>(), 24),
            loads in prop::collection::vec(0_u64..6, 24 * 5),
            weights in prop::collection::vec(0_u64..3, 24),
            later in prop::collection::vec(any::<bool>(), 24 * 5),
            refused in prop::collection::vec(0_u8..12, 24 * 6),
        ) {
            let switches = switches & !1;
            let parameters = JellyfishParameters { switches, degree: 5, hosts_per_switch: 1, seed };
            let fabric = jellyfish(&parameters).unwrap();
            let space = PathSpace::new(&fabric, None, TurnRule::Free);
            let by = Loading {
                space: &space,
                loads,
                weights,
                later,
                refused: refused.into_iter().map(|of| of == 0).collect(),
                tried: Vec::new(),
            };
            let mut ways = WaysToOne::new(&space, SwitchId::new(0), vec![NO_EDGE; switches as usize]);
            // Some are led already, by whatever ways, and loads and refusals begin then.
            let all: Vec<u32> = (1..switches).collect();
            lead_by_definition(&mut ways, &all, &mut by.clone());
            let kept = |at: u32| led[at as usize] && ways.is_joined(at);
            let next = (0..switches).map(|at| if kept(at) { ways.next(at) } else { NO_EDGE });
            let ways = WaysToOne::new(&space, SwitchId::new(0), next.collect());
            let apart: Vec<u32> = all.into_iter().filter(|&at| !ways.is_joined(at)).collect();
            let (mut defined, mut by_definition) = (ways.clone(), by.clone());
            lead_by_definition(&mut defined, &apart, &mut by_definition);
            // Whether what is least is known, or not.
            let mut growth = Growth::default();
            for least in [vec![0; switches as usize], links_from(&space, 0)] {
                let mut by = by.clone();
                let mut led = Bounded(ways.clone(), least);
                growth.lead(&mut led, &space, &apart, &mut by);
                prop_assert_eq!(&by.tried, &by_definition.tried);
                prop_assert_eq!(&led.0, &defined);
            }
        }
    }
}
