//! Paths dealt to layers, each of which stays free of cycles of channels.

use crate::cycles::AcyclicDependencies;
use crate::progress::Progress;
use crate::random::stream;
use rand::RngExt;

/// Layers of paths between pairs of switches; a path is the channels it takes, by their edges.
#[derive(Clone, Debug)]
pub(crate) struct Layers<'a> {
    edge_count: usize,
    /// The paths that go together, of one pair after the other: there and back.
    paths: &'a [[Vec<u32>; 2]],
    all: Vec<Layer>,
}

#[derive(Clone, Debug)]
struct Layer {
    dependencies: AcyclicDependencies,
    /// Pairs on the layer, in the order in which they came.
    pairs: Vec<usize>,
}

impl Layer {
    /// Adds a pair's paths, both or, if that would close a cycle, neither; and tells which.
    fn add(&mut self, paths: &[Vec<u32>; 2]) -> bool {
        if !self.dependencies.add_route(&paths[0]) {
            return false;
        }
        if !self.dependencies.add_route(&paths[1]) {
            self.dependencies.remove_route(&paths[0]);
            return false;
        }
        true
    }
}

impl<'a> Layers<'a> {
    /// Deals pairs, in the order given, each to the first layer where its paths close no cycle,
    /// or to a new one.
    pub(crate) fn dealt(
        edge_count: usize,
        paths: &'a [[Vec<u32>; 2]],
        order: Vec<usize>,
        progress: &Progress,
    ) -> Self {
        let mut dealt = Self {
            edge_count,
            paths,
            all: Vec::new(),
        };
        progress.begin(order.len());
        for pair in order {
            progress.advance();
            let mut layers = dealt.all.iter_mut();
            match layers.position(|layer| layer.add(&paths[pair])) {
                Some(layer) => dealt.all[layer].pairs.push(pair),
                None => dealt.open(pair),
            }
        }
        dealt
    }

    fn open(&mut self, pair: usize) {
        let mut layer = Layer {
            dependencies: AcyclicDependencies::new(self.edge_count),
            pairs: vec![pair],
        };
        // A shortest path meets no channel twice, nor do two that run to and fro: this succeeds.
        let added = layer.add(&self.paths[pair]);
        debug_assert!(added, "two shortest paths close no cycle");
        self.all.push(layer);
    }

    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = &[usize]> {
        self.all.iter().map(|layer| layer.pairs.as_slice())
    }

    /// Moves pairs, drawn one after the other, from the fullest layer to the emptiest wherever
    /// they close no cycle there, until both have the same number or no pair is left to try.
    pub(crate) fn balance(&mut self, seed: u64) {
        let mut random = stream(seed, "pairs to move", 0);
        // Per layer: how many pairs, the last ones, have been tried.
        let mut tried = vec![0; self.count()];
        loop {
            let size = |layer: usize| self.all[layer].pairs.len();
            let places = 0..self.count();
            let fullest = places.clone().min_by_key(|&layer| usize::MAX - size(layer));
            let emptiest = places.min_by_key(|&layer| size(layer));
            let (Some(from), Some(to)) = (fullest, emptiest) else {
                return;
            };
            let untried = size(from) - tried[from];
            if size(from) < size(to) + 2 || untried == 0 {
                return;
            }
            let place = random.random_range(0..untried);
            let pair = self.all[from].pairs[place];
            let paths = &self.paths[pair];
            if self.all[to].add(paths) {
                for path in paths {
                    self.all[from].dependencies.remove_route(path);
                }
                // The last one untried comes to its place, and the last of all to that one's.
                self.all[from].pairs.swap(place, untried - 1);
                self.all[from].pairs.swap_remove(untried - 1);
                let pairs = &mut self.all[to].pairs;
                pairs.push(pair);
                let last = pairs.len() - 1;
                pairs.swap(last, last - tried[to]);
            } else {
                self.all[from].pairs.swap(place, untried - 1);
                tried[from] += 1;
            }
        }
    }
}
