//! How a transition is planned.

/// How a transition is planned.
#[derive(Clone, Copy, Debug)]
pub(in crate::transition) struct Manner {
    /// What part of those that no order helps is drained at once; nobody is where there is none.
    pub(in crate::transition) parts: Option<usize>,
    /// Whether an address may change in several phases, some of its entries in each.
    pub(in crate::transition) is_by_entry: bool,
    pub(in crate::transition) renewing: Renewing,
    /// Whether the phases can be done one after the other from the last to the first as well.
    pub(in crate::transition) is_reversible: bool,
}

/// When hosts let go of old levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::transition) enum Renewing {
    /// Of all addresses together.
    Together,
    /// Of some addresses at a time, as soon as that closes no circle.
    Eagerly,
    /// The same of those first whose entries can be written then; of others where nothing else helps.
    Carefully,
}

impl Manner {
    /// Some entries and some levels of an address at a time.
    pub(in crate::transition) const ONE_BY_ONE: Self = Self {
        parts: Some(1),
        is_by_entry: true,
        renewing: Renewing::Eagerly,
        is_reversible: false,
    };
}
