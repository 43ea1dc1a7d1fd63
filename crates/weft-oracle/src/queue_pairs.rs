//! Queue pairs: what waits at a host, for each destination by itself.

use std::collections::{BTreeMap, VecDeque};

/// What waits at a host, by queue pairs.
#[derive(Debug)]
pub(crate) struct QueuePairs<T> {
    quantum_bytes: u64,
    /// By whether what they hold has to wait for others, and where they lead.
    pairs: BTreeMap<Name, QueuePair<T>>,
    /// The last place that was given to any.
    last_place: u64,
}

/// The name of a queue pair: whether it is not urgent, its destination, and its number among those to there.
pub(crate) type Name = (bool, usize, u8);

#[derive(Debug)]
struct QueuePair<T> {
    waiting: VecDeque<T>,
    /// Among the others: the lowest is served first.
    place: u64,
    /// Bytes sent in this turn.
    bytes: u64,
}

impl<T> QueuePairs<T> {
    pub(crate) fn new(quantum_bytes: u64) -> Self {
        Self {
            quantum_bytes,
            pairs: BTreeMap::new(),
            last_place: 0,
        }
    }

    /// Puts something behind all else for a destination; tells whether it is the first.
    pub(crate) fn join(&mut self, name: Name, thing: T) -> bool {
        let pair = self.pairs.entry(name).or_insert_with(|| QueuePair {
            waiting: VecDeque::new(),
            place: 0,
            bytes: 0,
        });
        pair.waiting.push_back(thing);
        let is_first = pair.waiting.len() == 1;
        if is_first {
            self.go_last(name);
        }
        is_first
    }

    /// The first of a queue pair.
    pub(crate) fn first(&mut self, name: Name) -> Option<&mut T> {
        self.pairs.get_mut(&name)?.waiting.front_mut()
    }

    /// The queue pair that is to be taken from, of those whose first suits: the one in the lowest place, after
    /// one whose turn is over has gone to the last.
    pub(crate) fn next(&mut self, suits: impl Fn(&T) -> bool) -> Option<Name> {
        loop {
            let pairs = self.pairs.iter();
            let suiting = pairs.filter(|(_, pair)| pair.waiting.front().is_some_and(&suits));
            let place =
                |((is_not_urgent, ..), pair): &(&Name, &QueuePair<T>)| (*is_not_urgent, pair.place);
            let (&name, pair) = suiting.min_by_key(place)?;
            if pair.bytes < self.quantum_bytes {
                return Some(name);
            }
            self.go_last(name);
        }
    }

    /// Takes the first of a queue pair.
    pub(crate) fn take(&mut self, name: Name) -> Option<T> {
        self.pairs.get_mut(&name)?.waiting.pop_front()
    }

    /// A queue pair has sent so many bytes.
    pub(crate) fn sent(&mut self, name: Name, bytes: u64) {
        if let Some(pair) = self.pairs.get_mut(&name) {
            pair.bytes += bytes.max(1);
        }
    }

    /// A queue pair comes after all others.
    pub(crate) fn go_last(&mut self, name: Name) {
        self.last_place += 1;
        if let Some(pair) = self.pairs.get_mut(&name) {
            pair.place = self.last_place;
            pair.bytes = 0;
        }
    }

    /// Counts all that waits.
    pub(crate) fn waiting(&self) -> usize {
        self.pairs.values().map(|pair| pair.waiting.len()).sum()
    }
}
