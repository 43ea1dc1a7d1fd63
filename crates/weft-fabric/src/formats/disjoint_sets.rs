//! What belongs together by what is joined.

/// Members by what they are joined to (union-find with path halving).
pub(super) struct DisjointSets(Vec<usize>);

impl DisjointSets {
    /// So many, none of which are joined.
    pub(super) fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// The member that stands for all that one is joined to: itself, or one of a smaller number.
    pub(super) fn of(&mut self, mut member: usize) -> usize {
        while self.0[member] != member {
            self.0[member] = self.0[self.0[member]];
            member = self.0[member];
        }
        member
    }

    /// The smaller number stands for the whole, whatever the order of the links.
    pub(super) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
    }
}
