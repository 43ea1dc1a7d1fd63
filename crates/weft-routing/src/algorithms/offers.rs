//! Which routings are compared, audited and advised where a user names none.

use super::{ADAPTIVE, ALGORITHMS};

/// A set of routings that is taken where none are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultSet {
    /// What a comparison shows where hosts forward packets: each something that the others do not.
    Compared,
    /// What today's routing of a cluster is audited beside: what subnet managers offer, and what needs
    /// no more than tables.
    Audited,
    /// What a cluster may be advised to take, and what a comparison shows on hardware with virtual lanes,
    /// whose hosts forward nothing: what can stand in the tables of a subnet manager.
    Advised,
    /// What comes with those advised where switches can choose among groups of ports.
    Adaptive,
}

impl DefaultSet {
    /// All sets, by name.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("compared", Self::Compared),
        ("audited", Self::Audited),
        ("advised", Self::Advised),
        ("adaptive", Self::Adaptive),
    ];

    /// Its routings as on the command line, in order, for hardware with so many lanes.
    #[must_use]
    pub fn specifications(self, lanes: u8) -> Vec<String> {
        let algorithms = ALGORITHMS.iter().chain(ADAPTIVE);
        let mut offered: Vec<(u8, String)> = algorithms
            .flat_map(|algorithm| algorithm.offers.iter().map(move |offer| (algorithm, offer)))
            .filter(|(_, offer)| offer.set == self)
            .map(|(algorithm, offer)| {
                let parameters = offer.parameters.replace("{lanes}", &lanes.to_string());
                let separator = if parameters.is_empty() { "" } else { ":" };
                let text = format!("{}{separator}{parameters}", algorithm.name);
                (offer.place, text)
            })
            .collect();
        offered.sort_by_key(|(place, _)| *place);
        let mut texts: Vec<String> = offered.into_iter().map(|(_, text)| text).collect();
        // With one lane, what takes one and what takes all are the same.
        texts.dedup();
        texts
    }
}

/// An algorithm's place in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The set.
    pub set: DefaultSet,
    /// Place in it, ascending; places have gaps for others between them.
    pub place: u8,
    /// Parameters it is in with, as on the command line; `{lanes}` is as many as the hardware has.
    pub parameters: &'static str,
}

impl Offer {
    pub(super) const fn new(set: DefaultSet, place: u8, parameters: &'static str) -> Self {
        Self {
            set,
            place,
            parameters,
        }
    }
}
