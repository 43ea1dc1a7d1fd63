//! Where routes that are longer than shortest ones relieve the fullest channels.

use super::search::{Found, Search};
use super::{BoundedRoutes, Shown};
use crate::load::whole;
use crate::paths::{Lengths, PathSpace};
use weft_fabric::narrow;

/// How far a bound of shortest routes is at least above what split traffic reaches on any, as a fraction, where longer
/// ones are worth a search.
const WORTH: [u64; 2] = [1, 100];

/// What a channel of mean weight adds to the length of a way, besides its link.
const LENGTH_OF_MEAN_WEIGHT: u32 = 64;

/// What every link does.
const LENGTH_OF_LINK: u32 = LENGTH_OF_MEAN_WEIGHT / 5;

/// By how much ways differ that count as equally long.
const SLACK: u32 = LENGTH_OF_MEAN_WEIGHT * 3 / 10;

/// Lengths of the channels by which ways around full ones are the shorter.
#[derive(Clone, Debug)]
pub(crate) struct Detours {
    /// Per edge.
    lengths: Vec<u32>,
    /// What the fullest channel carries where traffic splits over all paths.
    pub(crate) split_load: f64,
}

/// What a bound of shortest routes has to show for longer ones to be worth a search, by what split traffic reaches on any.
fn worth(split_load: f64) -> u64 {
    whole((split_load * (WORTH[0] + WORTH[1]) as f64 / WORTH[1] as f64).ceil())
}

/// The share of all looks at ways out of switches after which shortest routes may be seen to be no fuller than others.
const LOOKS_AT_FIRST: u64 = 8;

impl Detours {
    pub(crate) fn lengths(&self) -> Lengths<'_> {
        Lengths::by(&self.lengths, SLACK)
    }

    /// The lengths, by a metric of any routes; `None` where no bound shows that shortest routes alone fill some channel
    /// by 1 % more.
    ///
    /// Shapes: `between`, per switch and switch what the one sends to the other.
    /// Each of the two searches for weights looks at so many ways out of switches at most; that of any routes goes on from
    /// what has been shown before.
    pub(crate) fn find(
        space: &PathSpace,
        between: &[u64],
        shown: Option<&Shown>,
        most_looks: u64,
    ) -> Option<Self> {
        let mut shortest = Search::new(space, between, BoundedRoutes::Shortest);
        if let Some(shown) = shown {
            // What is shown is rounded up, and split traffic reaches no less.
            let least = worth(shown.least_load.saturating_sub(1) as f64);
            shortest.shows(least, most_looks / LOOKS_AT_FIRST);
            if shortest.cannot_show(least) {
                return None;
            }
        }
        let any = any_routes(space, between, shown, most_looks);
        let is_worth_it = shortest.shows(worth(any.split_load).max(1), most_looks);
        is_worth_it.then(|| Self::by(&any))
    }

    /// The lengths, by a metric of any routes, whether shortest ones fill some channel or not.
    ///
    /// Shapes and looks are those of [`find`](Self::find).
    pub(crate) fn of_any(
        space: &PathSpace,
        between: &[u64],
        shown: Option<&Shown>,
        most_looks: u64,
    ) -> Self {
        Self::by(&any_routes(space, between, shown, most_looks))
    }

    fn by(any: &Found) -> Self {
        let sum: u64 = any.weights.iter().copied().map(u64::from).sum();
        let scale = u64::from(LENGTH_OF_MEAN_WEIGHT) * any.weights.len() as u64;
        let length = |&weight: &u32| {
            let of_weight = u64::from(weight) * scale / sum;
            let of_weight: u32 = narrow(of_weight, "a weight is no more than all are");
            LENGTH_OF_LINK + of_weight
        };
        Self {
            lengths: any.weights.iter().map(length).collect(),
            split_load: any.split_load,
        }
    }
}

/// What a search for weights of any routes finds, from what has been shown before.
fn any_routes(space: &PathSpace, between: &[u64], shown: Option<&Shown>, most_looks: u64) -> Found {
    let any = match shown.and_then(|shown| shown.begun.clone()) {
        Some(begun) => Search::from(space, between, BoundedRoutes::Any, begun),
        None => Search::new(space, between, BoundedRoutes::Any),
    };
    any.run_without_rounding(most_looks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::metric::least_by_metric;
    use crate::paths::TurnRule;
    use weft_fabric::Fabric;
    use weft_fabric::generate::{IrregularParameters, irregular, mesh, torus};

    /// Whether longer routes are worth it, and what split traffic reaches, is the same with what was shown before and without.
    #[test]
    fn what_was_shown_before_changes_nothing() {
        let drawn = |seed| {
            let parameters = IrregularParameters {
                switches: 20,
                seed,
                ..IrregularParameters::default()
            };
            irregular(&parameters).unwrap()
        };
        let mut fabrics: Vec<Fabric> = (0..8).map(drawn).collect();
        fabrics.extend([torus(5, 5, 2).unwrap(), mesh(4, 5, 2).unwrap()]);
        let mut worth = Vec::new();
        for fabric in &fabrics {
            let space = PathSpace::new(fabric, None, TurnRule::Free);
            let switches = space.switch_count();
            let between = vec![4; switches * switches];
            let looks = 1 << 21;
            let shown = least_by_metric(&space, &between, looks);
            let [before, after] = [None, Some(&shown)].map(|shown| {
                let found = Detours::find(&space, &between, shown, looks);
                found.map(|found| (found.lengths, found.split_load.to_bits()))
            });
            assert_eq!(before, after, "{}", fabric.name());
            worth.push(after.is_some());
        }
        assert!(worth.contains(&true) && worth.contains(&false), "{worth:?}");
    }
}
