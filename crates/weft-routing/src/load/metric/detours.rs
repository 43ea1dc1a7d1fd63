//! Where routes that are longer than shortest ones relieve the fullest channels.

use super::BoundedRoutes;
use super::search::Search;
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

impl Detours {
    pub(crate) fn lengths(&self) -> Lengths<'_> {
        Lengths::by(&self.lengths, SLACK)
    }

    /// The lengths, by a metric of any routes; `None` where no bound shows that shortest routes alone fill some channel
    /// by 1 % more.
    ///
    /// The links of `space` have one rate. Shapes: `between`, per switch and switch what the one sends to the other.
    /// Each of the two searches for weights looks at so many ways out of switches at most.
    pub(crate) fn find(space: &PathSpace, between: &[u64], most_looks: u64) -> Option<Self> {
        let search = |routes| Search::new(space, between, routes);
        let any = search(BoundedRoutes::Any).run_without_rounding(most_looks, u64::MAX);
        let worth = any.split_load * (WORTH[0] + WORTH[1]) as f64 / WORTH[1] as f64;
        let worth = whole(worth.ceil());
        let shortest = search(BoundedRoutes::Shortest).run_without_rounding(most_looks, worth);
        if shortest.least_load < worth.max(1) {
            return None;
        }
        let sum: u64 = any.weights.iter().copied().map(u64::from).sum();
        let scale = u64::from(LENGTH_OF_MEAN_WEIGHT) * any.weights.len() as u64;
        let length = |&weight: &u32| {
            let of_weight = u64::from(weight) * scale / sum;
            let of_weight: u32 = narrow(of_weight, "a weight is no more than all are");
            LENGTH_OF_LINK + of_weight
        };
        Some(Self {
            lengths: any.weights.iter().map(length).collect(),
            split_load: any.split_load,
        })
    }
}
