//! What single questions ask for besides parts.

/// Which of the pairs that cross a cable are shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shown {
    /// In small letters: the pairs with a host whose name holds it.
    pub(crate) search: String,
    /// The first of them.
    pub(crate) first: usize,
    /// So many at most.
    pub(crate) count: usize,
}

/// What is simulated to see packets move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moving {
    /// As a fraction of the rate of the hosts' links.
    pub(crate) load: f64,
    pub(crate) cycles: u64,
    pub(crate) seed: u64,
}
