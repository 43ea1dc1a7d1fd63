//! Pauses: cycles in which nothing changes are passed over, where that is asked for.
//!
//! A cycle that left all as it was, counters aside, is followed by others like it until something is due:
//! a flit, a symbol, a credit or a packet comes, or a delay is over. All of them add to the counters what
//! the first did.

use std::hash::{Hash, Hasher};

/// When something is due next.
#[derive(Debug)]
pub(crate) struct Due {
    from: u64,
    next: u64,
}

impl Due {
    /// Nothing is due so far, of what is from a cycle on.
    pub(crate) fn none_from(from: u64) -> Self {
        let next = u64::MAX;
        Self { from, next }
    }

    /// Something is due in a cycle; what was due before is over.
    pub(crate) fn at(&mut self, cycle: u64) {
        if cycle >= self.from {
            self.next = self.next.min(cycle);
        }
    }

    /// Something may be due.
    pub(crate) fn any<T>(&mut self, due: impl IntoIterator<Item = T>, at: impl Fn(T) -> u64) {
        for thing in due {
            self.at(at(thing));
        }
    }

    /// The cycles like the last one, at most those before `until`.
    pub(crate) fn pause_cycles(&self, until: u64) -> u64 {
        self.next.min(until) - self.from
    }
}

/// What there is, in one number: another as soon as anything changes.
#[derive(Debug, Default)]
pub(crate) struct Digest(u64);

impl Digest {
    pub(crate) fn add(&mut self, what: impl Hash) {
        what.hash(self);
    }
}

/// Plain, since it is asked for in every cycle without flits: the bits of a product spread over all that
/// follow.
impl Hasher for Digest {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for eight in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..eight.len()].copy_from_slice(eight);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Counts once more, so many times, what a cycle added.
pub(crate) fn count_again(counter: &mut u64, before: u64, times: u64) {
    *counter += (*counter - before) * times;
}
