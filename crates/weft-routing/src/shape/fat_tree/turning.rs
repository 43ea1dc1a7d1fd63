//! Where ways between hosts above the leaves may turn up again.

use crate::paths::PathSpace;
use crate::shape::FatTree;

/// The switches at which a way between two switches above the leaves may turn up after it went down: a
/// leaf, and all above it.
///
/// Such ways close no circle as long as no other turns down between two of these switches: after one
/// turned up it climbs within them, so it would have to come down between two of them to turn up there
/// again.
#[derive(Clone, Debug)]
pub(super) struct Turning {
    /// Per switch; empty where no way needs it.
    is_in: Vec<bool>,
    /// Whether a way went down, and then up.
    is_used: bool,
    /// A switch at which a way turned down from one of these switches to another.
    crossed: Option<u32>,
}

impl Turning {
    /// Takes the leaf that most switches are above, of equals the first.
    /// Time O(n·E) for n leaves and E links.
    pub(super) fn new(space: &PathSpace, tree: &FatTree) -> Self {
        let mut found = Self {
            is_in: Vec::new(),
            is_used: false,
            crossed: None,
        };
        if tree.higher().len() < 2 {
            return found;
        }
        let mut most = 0;
        for &leaf in tree.leaves() {
            let mut is_in = vec![false; space.switch_count()];
            is_in[leaf as usize] = true;
            let mut above = vec![leaf];
            let mut next = 0;
            while let Some(&at) = above.get(next) {
                next += 1;
                for &edge in tree.ups(at) {
                    let to = space.edge(edge).to;
                    if !is_in[to as usize] {
                        is_in[to as usize] = true;
                        above.push(to);
                    }
                }
            }
            if above.len() > most {
                most = above.len();
                found.is_in = is_in;
            }
        }
        found
    }

    pub(super) fn has(&self, switch: u32) -> bool {
        self.is_in.get(switch as usize).is_some_and(|&is_in| is_in)
    }

    pub(super) fn turned_up(&mut self) {
        self.is_used = true;
    }

    /// Notes three switches that a way passes one after the other.
    pub(super) fn pass(&mut self, tree: &FatTree, [from, at, to]: [u32; 3]) {
        let is_top =
            tree.level_of(from) < tree.level_of(at) && tree.level_of(to) < tree.level_of(at);
        if is_top && from != to && self.has(from) && self.has(to) {
            self.crossed.get_or_insert(at);
        }
    }

    /// The switch at which the ways could close a circle.
    pub(super) fn doubtful(&self) -> Option<u32> {
        self.crossed.filter(|_| self.is_used)
    }
}
