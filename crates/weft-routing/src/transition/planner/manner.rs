//! How a transition is planned.

/// How a transition is planned.
#[derive(Clone, Copy, Debug)]
pub(in crate::transition) struct Manner {
    /// What part of those that no order helps is drained at once.
    pub(in crate::transition) parts: usize,
    /// Whether an address may change in several phases, some of its entries in each.
    pub(in crate::transition) is_by_entry: bool,
    /// Whether hosts let go of the old levels of some addresses at a time.
    pub(in crate::transition) renews_in_turn: bool,
}

impl Manner {
    /// Some entries and some levels of an address at a time.
    pub(in crate::transition) const ONE_BY_ONE: Self = Self {
        parts: 1,
        is_by_entry: true,
        renews_in_turn: true,
    };
}
