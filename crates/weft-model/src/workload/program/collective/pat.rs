//! Parallel aggregated trees: a binomial tree from each rank to all, far ranks first, whose steps are taken
//! together for as many trees as messages have room for.
//!
//! The part of a rank has the *place* `s` at the rank `s` before it. It gets there from the place `s` less its
//! lowest bit. A step serves places that differ by multiples of `2^m / aggregate` at once, where `2^m` is the
//! number of ranks or the next power of two: first those multiples themselves, the farther the sooner, in
//! `log2 aggregate` steps, then, depth first, each place between them. So few parts wait in between: a
//! reduction has room for `aggregate` parts a bit of a place. Reduce-scatter is the same backwards.

use super::Member;
use super::flow::{Channel, Flow, Slot};
use super::parts::Parts;
use super::parts::piece_bytes;
use super::pipeline::Pipeline;
use super::rooted::part_bytes;

/// A step of an all-gather.
struct Step {
    /// How far parts go.
    distance: u32,
    /// The places that they come to.
    places: Vec<u32>,
}

/// The place a part comes from.
fn origin(place: u32) -> u32 {
    place & place.wrapping_sub(1)
}

/// Those of places that so many ranks have, by what they have in common.
fn step(places: impl Iterator<Item = u32>, ranks: u32) -> Option<Step> {
    let places: Vec<u32> = places.filter(|&place| place < ranks).collect();
    let distance = places.first()? - origin(*places.first()?);
    Some(Step { distance, places })
}

/// The steps of an all-gather, in order.
fn steps(ranks: u32, aggregate: u32) -> Vec<Step> {
    let all = ranks.next_power_of_two();
    let aggregate = match aggregate {
        0 => Pipeline::most_aggregated(ranks),
        given => given,
    };
    let spacing = all / aggregate;
    let mut found = Vec::new();
    let mut scale = aggregate / 2;
    while scale > 0 {
        let odd = (0..aggregate / (2 * scale)).map(|number| (2 * number + 1) * scale * spacing);
        found.extend(step(odd, ranks));
        scale /= 2;
    }
    // Depth first: below a place those with one of its lower zeros set, the farther the sooner.
    let mut waiting: Vec<u32> = children(0, spacing);
    while let Some(place) = waiting.pop() {
        found.extend(step(
            (0..aggregate).map(|number| number * spacing + place),
            ranks,
        ));
        waiting.extend(children(place, spacing));
    }
    found
}

/// The places below one, of so many, the nearest first.
fn children(place: u32, places: u32) -> Vec<u32> {
    let bits = (0..places.trailing_zeros()).map(|bit| 1 << bit);
    let below = bits.take_while(|&bit: &u32| place & bit == 0);
    below.map(|bit| place + bit).collect()
}

impl Member<'_> {
    pub(super) fn all_gather_pat(&mut self, pipeline: Pipeline, parts: Parts) {
        self.pat(pipeline, parts, false);
    }

    pub(super) fn reduce_scatter_pat(&mut self, pipeline: Pipeline, parts: Parts) {
        self.pat(pipeline, parts, true);
    }

    fn pat(&mut self, pipeline: Pipeline, parts: Parts, reduces: bool) {
        let mut steps = steps(self.ranks, pipeline.aggregate);
        if reduces {
            steps.reverse();
        }
        let after = waits(&steps, reduces);
        let longest = (0..self.ranks)
            .map(|rank| parts.of(rank))
            .max()
            .unwrap_or(0);
        let flows: Vec<Flow> = (0..pipeline.channels)
            .map(|channel| {
                let share = |rank: u32| part_bytes(parts.of(rank), channel, 1, pipeline.channels);
                let pieces = pipeline.pieces(longest.div_ceil(u64::from(pipeline.channels)));
                let mut slots = Vec::new();
                for number in 0..pieces {
                    let first = slots.len();
                    for (step, after) in steps.iter().zip(&after) {
                        let bytes_of = |from: u32| -> u64 {
                            let places = step.places.iter();
                            places
                                .map(|place| share((from + place) % self.ranks))
                                .map(|bytes| piece_bytes(bytes, number, pieces))
                                .sum()
                        };
                        let (far, near) = (self.after(step.distance), self.before(step.distance));
                        let (from, to, sent, combined) = if reduces {
                            // What has one of these places here is nearer to its rank there.
                            (near, far, bytes_of(self.rank), bytes_of(near))
                        } else {
                            (far, near, bytes_of(near), 0)
                        };
                        slots.push(Slot {
                            from: vec![from],
                            combined,
                            to: vec![to],
                            bytes: sent,
                            after: after.iter().map(|slot| first + slot).collect(),
                        });
                    }
                }
                Flow {
                    channel: Channel::Number(channel),
                    in_flight: pipeline.in_flight as usize,
                    slots,
                }
            })
            .collect();
        self.flow(&flows);
    }
}

/// For each step the earlier ones whose parts it passes on.
fn waits(steps: &[Step], reduces: bool) -> Vec<Vec<usize>> {
    let gives = |earlier: &Step, later: &Step| {
        if reduces {
            // What came for a place is combined with what goes on from there.
            earlier
                .places
                .iter()
                .any(|&place| later.places.contains(&origin(place)))
        } else {
            later
                .places
                .iter()
                .any(|&place| earlier.places.contains(&origin(place)))
        }
    };
    let of = |(number, later): (usize, &Step)| {
        let earlier = steps[..number].iter().enumerate();
        earlier
            .filter(|(_, earlier)| gives(earlier, later))
            .map(|(number, _)| number)
            .collect()
    };
    steps.iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_served_in_the_order_of_nccl() {
        let order = |ranks, aggregate| -> Vec<Vec<u32>> {
            let steps = steps(ranks, aggregate).into_iter();
            steps.map(|step| step.places).collect()
        };
        // As PatAGAlgorithm::nextAs has them.
        let one_each = |places: &[u32]| places.iter().map(|&place| vec![place]).collect::<Vec<_>>();
        assert_eq!(order(8, 1), one_each(&[4, 6, 7, 5, 2, 3, 1]));
        let sixteen = [8, 12, 14, 15, 13, 10, 11, 9, 4, 6, 7, 5, 2, 3, 1];
        assert_eq!(order(16, 1), one_each(&sixteen));
        assert_eq!(order(8, 4), [vec![4], vec![2, 6], vec![1, 3, 5, 7]]);
        assert_eq!(order(8, 2), [vec![4], vec![2, 6], vec![3, 7], vec![1, 5]]);
        assert_eq!(order(6, 4), [vec![4], vec![2], vec![1, 3, 5]]);
    }

    #[test]
    fn every_place_is_served_once_after_the_one_it_comes_from() {
        for ranks in 2..=64 {
            let mut aggregate = 1;
            while aggregate <= Pipeline::most_aggregated(ranks) {
                let mut served = vec![false; ranks as usize];
                served[0] = true;
                let all = steps(ranks, aggregate);
                let most = ranks.next_power_of_two() / aggregate - 1 + aggregate.ilog2();
                assert!(all.len() <= most as usize, "{ranks} ranks, {aggregate}");
                for step in all {
                    assert!(step.places.len() <= aggregate as usize);
                    for place in step.places {
                        assert_eq!(place - origin(place), step.distance);
                        assert!(served[origin(place) as usize] && !served[place as usize]);
                        served[place as usize] = true;
                    }
                }
                assert!(served.into_iter().all(|place| place));
                aggregate *= 2;
            }
        }
    }
}
