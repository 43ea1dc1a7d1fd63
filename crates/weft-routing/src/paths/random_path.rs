//! Paths drawn, each with the same probability.

use crate::paths::{PathSpace, ShortestPaths, State};
use rand::{Rng, RngExt};

/// Draws one of the shortest paths to a switch, each with the same probability, and writes
/// its edges, the last one first.
pub(crate) fn random_path_reversed(
    space: &PathSpace,
    paths: &ShortestPaths,
    counts: &[f64],
    to: u32,
    random: &mut impl Rng,
    path: &mut Vec<u32>,
) {
    let weigh = |s: State| counts[s as usize];
    let distances = paths.distances();
    let Some(mut at) = draw(distances.ends(space, to), |&s| weigh(s), random) else {
        return;
    };
    while let Some((before, edge)) = draw(
        distances.last_steps(space, at),
        |&(before, _)| weigh(before),
        random,
    ) {
        path.push(edge);
        at = before;
    }
}

/// Draws an item with a probability proportional to its weight; `None` of none.
pub(crate) fn draw<T>(
    mut items: impl Iterator<Item = T>,
    weight: impl Fn(&T) -> f64,
    random: &mut impl Rng,
) -> Option<T> {
    let mut chosen = items.next()?;
    let mut total = weight(&chosen);
    // Each item displaces those before it with the probability of its share among them; a single
    // item takes no draw.
    for item in items {
        let share = weight(&item);
        total += share;
        if random.random::<f64>() * total < share {
            chosen = item;
        }
    }
    Some(chosen)
}
