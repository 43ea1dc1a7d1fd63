//! How far all switches, and all hosts, are from one another.

use super::graph::SwitchGraph;
use crate::{Fabric, SwitchId, narrow};
use rayon::prelude::*;

/// Sources searched from at once, one to a bit.
const BATCH: usize = u64::BITS as usize;

/// Numbers of ordered pairs by their distance in links between switches; entry `d` counts those
/// `d` links apart. Pairs that cannot reach each other are in no entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distances {
    /// Pairs of switches, a switch with itself included (entry 0).
    pub switch_pairs: Vec<u64>,
    /// Pairs of distinct compute ends, by the distance of their switches.
    pub host_pairs: Vec<u64>,
}

impl Distances {
    /// Measures all pairs.
    ///
    /// Breadth-first searches run from 64 switches at once, one to a bit of a word, so that each
    /// pass over the neighbours of a switch serves all that reach it at the same distance.
    ///
    /// # Complexity
    /// Time O(S / 64 · D · E) at worst for S switches, E pairs of neighbours and diameter D, on
    /// all cores; memory O(S + E) a core.
    ///
    /// # Source
    /// Then et al., "The more the merrier: efficient multi-source graph traversal", VLDB 2014.
    pub fn of(fabric: &Fabric) -> Self {
        let graph = SwitchGraph::of(fabric);
        let hosts: Vec<u64> = fabric
            .switch_ids()
            .map(|switch| fabric.compute_hosts_of(switch) as u64)
            .collect();
        // All sources of a batch have the same number of hosts, so that a count of bits is a count
        // of pairs of hosts but for a factor.
        let mut sources: Vec<SwitchId> = fabric.switch_ids().collect();
        sources.sort_by_key(|source| hosts[source.index()]);
        let batches: Vec<&[SwitchId]> = sources
            .chunk_by(|a, b| hosts[a.index()] == hosts[b.index()])
            .flat_map(|alike| alike.chunks(BATCH))
            .collect();
        let mut sum = batches
            .par_iter()
            .map_init(
                || Search::new(graph.switch_count()),
                |search, batch| {
                    let mut found = Self::default();
                    let hosts_of_source = hosts[batch[0].index()];
                    search.run(&graph, batch, |links, switch, sources| {
                        found.switch_pairs.resize(links + 1, 0);
                        found.host_pairs.resize(links + 1, 0);
                        found.switch_pairs[links] += sources;
                        found.host_pairs[links] += sources * hosts_of_source * hosts[switch];
                    });
                    found
                },
            )
            .reduce(Self::default, Self::plus);
        // A host does not send to itself.
        if let Some(near) = sum.host_pairs.first_mut() {
            *near -= hosts.iter().sum::<u64>();
        }
        while sum.host_pairs.last() == Some(&0) {
            sum.host_pairs.pop();
        }
        sum
    }

    fn plus(self, other: Self) -> Self {
        Self {
            switch_pairs: added(self.switch_pairs, other.switch_pairs),
            host_pairs: added(self.host_pairs, other.host_pairs),
        }
    }

    /// The mean distance of ordered pairs of distinct switches that reach each other, in
    /// links; `None` where there are none.
    pub fn mean_of_switches(&self) -> Option<f64> {
        let pairs: u64 = self.switch_pairs.iter().skip(1).sum();
        (pairs > 0).then(|| self.total_links() as f64 / pairs as f64)
    }

    /// The mean length of shortest paths between distinct hosts that reach each other, in
    /// links, both host links included; `None` where there are none.
    pub fn mean_of_hosts(&self) -> Option<f64> {
        let pairs: u64 = self.host_pairs.iter().sum();
        let links: u64 = (2..)
            .zip(&self.host_pairs)
            .map(|(d, pairs)| d * pairs)
            .sum();
        (pairs > 0).then(|| links as f64 / pairs as f64)
    }

    /// Adds up the distances of all ordered pairs of switches, in links.
    pub(super) fn total_links(&self) -> u64 {
        (0..)
            .zip(&self.switch_pairs)
            .map(|(d, pairs)| d * pairs)
            .sum()
    }

    /// The largest distance of two switches that reach each other, in links.
    pub(super) fn longest(&self) -> u32 {
        let longest = self.switch_pairs.len().saturating_sub(1);
        narrow(longest, "a path is shorter than the fabric has switches")
    }
}

/// Adds up the links between each switch and some others, those that it cannot reach left out.
///
/// Shapes: one sum per switch of the fabric.
///
/// # Complexity
/// As [`Distances::of`], from these switches.
pub fn distance_sums(fabric: &Fabric, others: &[SwitchId]) -> Vec<u64> {
    let graph = SwitchGraph::of(fabric);
    let none = || vec![0; graph.switch_count()];
    let some = |mut sums: Vec<u64>, batch: &[SwitchId]| {
        let mut search = Search::new(graph.switch_count());
        search.run(&graph, batch, |links, switch, sources| {
            sums[switch] += links as u64 * sources;
        });
        sums
    };
    others
        .par_chunks(BATCH)
        .fold(none, some)
        .reduce(none, added)
}

fn added(mut longer: Vec<u64>, mut shorter: Vec<u64>) -> Vec<u64> {
    if longer.len() < shorter.len() {
        std::mem::swap(&mut longer, &mut shorter);
    }
    for (sum, more) in longer.iter_mut().zip(shorter) {
        *sum += more;
    }
    longer
}

/// Searches from the sources of one batch. Shapes: one word per switch, bit `i` for source `i`.
struct Search {
    seen: Vec<u64>,
    /// Sources for which the switch is at the present distance; zero but at `active`.
    frontier: Vec<u64>,
    /// Sources for which it is one link further; zero but at `reached`.
    next: Vec<u64>,
    active: Vec<u32>,
    reached: Vec<u32>,
}

impl Search {
    fn new(switches: usize) -> Self {
        Self {
            seen: vec![0; switches],
            frontier: vec![0; switches],
            next: vec![0; switches],
            active: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// Tells of each switch that some sources reach how many links away it is from how many.
    fn run(
        &mut self,
        graph: &SwitchGraph,
        sources: &[SwitchId],
        mut reach: impl FnMut(usize, usize, u64),
    ) {
        self.seen.fill(0);
        for (bit, source) in sources.iter().enumerate() {
            self.next[source.index()] |= 1 << bit;
            self.reached.push(source.number());
        }
        let mut links = 0;
        while !self.reached.is_empty() {
            std::mem::swap(&mut self.active, &mut self.reached);
            std::mem::swap(&mut self.frontier, &mut self.next);
            for &switch in &self.active {
                let new = self.frontier[switch as usize];
                self.seen[switch as usize] |= new;
                reach(links, switch as usize, new.count_ones().into());
            }
            links += 1;
            for &switch in &self.active {
                let here = std::mem::take(&mut self.frontier[switch as usize]);
                for neighbour in graph.of_switch(switch as usize) {
                    let there = neighbour.switch as usize;
                    let new = here & !self.seen[there];
                    if new != 0 {
                        if self.next[there] == 0 {
                            self.reached.push(neighbour.switch);
                        }
                        self.next[there] |= new;
                    }
                }
            }
            self.active.clear();
        }
    }
}
