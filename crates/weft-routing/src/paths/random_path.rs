//! Paths drawn, each with the same probability.

use crate::paths::{PathSpace, ShortestPaths, State};
use rand::{Rng, RngExt};
use weft_fabric::{PortNumber, narrow};

/// The shortest paths from one switch, laid out for drawing one to every other.
///
/// The last steps to each state lie together, so that a draw looks at those alone, not at all ways into it.
#[derive(Clone, Debug)]
pub(crate) struct RandomPaths {
    /// Per switch: the states in which paths there end, each as if by a last step.
    ends: Choices,
    /// Per state: the last steps of the paths there.
    lasts: Choices,
    /// Per switch: links of the paths there.
    links: Vec<u16>,
}

/// Steps to choose from, per switch or state.
#[derive(Clone, Debug)]
struct Choices {
    first_two: Vec<FirstTwo>,
    /// Draws below take the second.
    is_second: Vec<u64>,
    /// Those after the second.
    others: Vec<Other>,
}

/// The first two steps to choose from, all there are on most ways.
#[derive(Clone, Copy, Debug)]
struct FirstTwo {
    befores: [State; 2],
    ports: [PortNumber; 2],
    /// How many there are in all, and where those after the second begin.
    count: u16,
    others: u32,
}

const NONE: FirstTwo = FirstTwo {
    befores: [0; 2],
    ports: [PortNumber::new(0); 2],
    count: 0,
    others: 0,
};

#[derive(Clone, Copy, Debug)]
struct Other {
    before: State,
    port: PortNumber,
    /// Draws below take it.
    is_drawn: u64,
}

impl Choices {
    fn none(count: usize) -> Self {
        Self {
            first_two: vec![NONE; count],
            is_second: vec![0; count],
            others: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.first_two.fill(NONE);
        self.others.clear();
    }

    /// Adds a step. From the second on, draws below the threshold take it and none before.
    #[inline]
    fn push(
        &mut self,
        at: usize,
        (before, port): (State, PortNumber),
        threshold: impl FnOnce() -> u64,
    ) {
        let steps = &mut self.first_two[at];
        let place = usize::from(steps.count);
        steps.count += 1;
        if place < 2 {
            (steps.befores[place], steps.ports[place]) = (before, port);
        }
        match place {
            0 => {}
            1 => self.is_second[at] = threshold(),
            _ => {
                if place == 2 {
                    steps.others = narrow(self.others.len(), "steps are fewer than turns");
                }
                self.others.push(Other {
                    before,
                    port,
                    is_drawn: threshold(),
                });
            }
        }
    }

    /// Draws one of the steps; `None` of none. A single one takes no draw.
    #[inline]
    fn draw(&self, at: usize, random: &mut impl Rng) -> Option<(State, PortNumber)> {
        let steps = &self.first_two[at];
        let which = match steps.count {
            0 => return None,
            1 => 0,
            _ => usize::from(draw_bits(random) < self.is_second[at]),
        };
        let mut chosen = (steps.befores[which], steps.ports[which]);
        if steps.count > 2 {
            let first = steps.others as usize;
            for other in &self.others[first..first + usize::from(steps.count) - 2] {
                if draw_bits(random) < other.is_drawn {
                    chosen = (other.before, other.port);
                }
            }
        }
        Some(chosen)
    }
}

impl RandomPaths {
    /// Room for the paths of a space.
    pub(super) fn without_any(space: &PathSpace) -> Self {
        Self {
            ends: Choices::none(space.switch_count()),
            lasts: Choices::none(space.state_count()),
            links: vec![0; space.switch_count()],
        }
    }

    /// Takes all paths away.
    pub(super) fn clear(&mut self) {
        self.ends.clear();
        self.lasts.clear();
        self.links.fill(0);
    }

    /// The paths that were searched.
    pub(crate) fn of(space: &PathSpace, paths: &ShortestPaths) -> Self {
        let mut found = Self::without_any(space);
        let mut thresholds = Thresholds::default();
        let (mut last, mut total) = (None, 0.0);
        let counts = paths.count_by_steps(space, |at, [before, edge], share| {
            total = if last == Some(at) {
                total + share
            } else {
                share
            };
            last = Some(at);
            let step = (before, space.edge(edge).port);
            found.push(at, step, || thresholds.draws_below(share, total));
        });
        let distances = paths.distances();
        for switch in (0..).take(space.switch_count()) {
            let ends = distances.ends(space, switch);
            let links = distances.links_to(space, switch).unwrap_or(0);
            let ends = ends.map(|end| (end, counts[end as usize]));
            found.push_ends(switch, links, ends, &mut thresholds);
        }
        found
    }

    /// Adds the next last step to a state, after all those to other states that were begun: the state
    /// before it and its port, and below which draws it is taken from those told before.
    #[inline]
    pub(super) fn push(
        &mut self,
        at: State,
        step: (State, PortNumber),
        threshold: impl FnOnce() -> u64,
    ) {
        self.lasts.push(at as usize, step, threshold);
    }

    /// Tells how many links away a switch is, in which states paths there end, and how many in each.
    #[inline]
    pub(super) fn push_ends(
        &mut self,
        switch: u32,
        links: u16,
        ends: impl Iterator<Item = (State, f64)>,
        thresholds: &mut Thresholds,
    ) {
        self.links[switch as usize] = links;
        let mut total = 0.0;
        for (before, share) in ends {
            total += share;
            let step = (before, PortNumber::new(0));
            let threshold = || thresholds.draws_below(share, total);
            self.ends.push(switch as usize, step, threshold);
        }
    }

    /// Links to a switch; 0 where no path leads there.
    #[inline]
    pub(crate) fn links_to(&self, switch: u32) -> usize {
        self.links[switch as usize].into()
    }

    /// Draws one of the paths to a switch, each with the same probability, and hands on its steps, the
    /// last one first: the state before each, and the port.
    pub(crate) fn draw_reversed(
        &self,
        to: u32,
        random: &mut impl Rng,
        mut take: impl FnMut(State, PortNumber),
    ) {
        let mut at = self.draw_end(to, random);
        while let Some((before, port)) = at.and_then(|at| self.draw_last(at, random)) {
            take(before, port);
            at = Some(before);
        }
    }

    /// The state in which a drawn path to a switch ends; `None` where no path leads there.
    #[inline]
    pub(crate) fn draw_end(&self, to: u32, random: &mut impl Rng) -> Option<State> {
        Some(self.ends.draw(to as usize, random)?.0)
    }

    /// The last step of a drawn path to a state: the state before and the port; `None` where it begins.
    #[inline]
    pub(crate) fn draw_last(
        &self,
        at: State,
        random: &mut impl Rng,
    ) -> Option<(State, PortNumber)> {
        self.lasts.draw(at as usize, random)
    }
}

/// The bits that a draw of a number below 1 has.
const DRAWN_BITS: u32 = f64::MANTISSA_DIGITS;

#[inline]
fn draw_bits(random: &mut impl Rng) -> u64 {
    random.next_u64() >> (u64::BITS - DRAWN_BITS)
}

/// What [`draws_below`] says of shares that were asked for last: where paths are short, few are different.
#[derive(Clone, Debug)]
pub(super) struct Thresholds(Box<[Threshold; 1 << THRESHOLD_DIGITS]>);

/// Binary digits of the number of shares that are known.
const THRESHOLD_DIGITS: u32 = 8;

#[derive(Clone, Copy, Debug)]
struct Threshold {
    share: u64,
    total: u64,
    below: u64,
}

impl Default for Thresholds {
    fn default() -> Self {
        // No total is 0.
        let nothing = Threshold {
            share: 0,
            total: 0,
            below: 0,
        };
        Self(Box::new([nothing; 1 << THRESHOLD_DIGITS]))
    }
}

impl Thresholds {
    #[inline]
    pub(super) fn draws_below(&mut self, share: f64, total: f64) -> u64 {
        let key = [share, total].map(f64::to_bits);
        // An odd factor spreads the digits in which small numbers differ over the highest.
        let mixed = (key[0].rotate_left(17) ^ key[1]).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let known = &mut self.0[(mixed >> (u64::BITS - THRESHOLD_DIGITS)) as usize];
        if [known.share, known.total] != key {
            *known = Threshold {
                share: key[0],
                total: key[1],
                below: draws_below(share, total),
            };
        }
        known.below
    }
}

/// As many of the draws, by their bits, make [`is_drawn`] true: the least do.
#[inline]
fn draws_below(share: f64, total: f64) -> u64 {
    const ALL: u64 = 1 << DRAWN_BITS;
    /// Numbers about the quotient that are tried, all of them, as which one it is cannot be foretold.
    const TRIED: u64 = 4;
    let is_drawn = |bits: u64| bits as f64 / ALL as f64 * total < share;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share is positive, and at most the total"
    )]
    let near = ((share / total * ALL as f64) as u64).min(ALL);
    let first = near.saturating_sub(TRIED / 2);
    let tried = (first..first + TRIED).map(|bits| u64::from(is_drawn(bits)));
    let mut below = (first + tried.sum::<u64>()).min(ALL);
    while below > 0 && !is_drawn(below - 1) {
        below -= 1;
    }
    while below < ALL && is_drawn(below) {
        below += 1;
    }
    below
}

/// Each item displaces those before it with the probability of its share among them.
#[inline]
fn is_drawn(share: f64, total: f64, random: &mut impl Rng) -> bool {
    random.random::<f64>() * total < share
}

/// Draws an item with a probability proportional to its weight; `None` of none. A single item takes no
/// draw.
pub(crate) fn draw<T>(
    mut items: impl Iterator<Item = T>,
    weight: impl Fn(&T) -> f64,
    random: &mut impl Rng,
) -> Option<T> {
    let mut chosen = items.next()?;
    let mut total = weight(&chosen);
    for item in items {
        let share = weight(&item);
        total += share;
        if is_drawn(share, total, random) {
            chosen = item;
        }
    }
    Some(chosen)
}

#[cfg(test)]
mod tests {
    use super::{DRAWN_BITS, draws_below, is_drawn};
    use proptest::prelude::*;
    use weft_testing::cases;

    /// Yields the same bits forever, at the places where a draw takes them.
    struct Same(u64);

    impl rand::TryRng for Same {
        type Error = std::convert::Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            unreachable!("draws take 64 bits")
        }

        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0 << (u64::BITS - DRAWN_BITS))
        }

        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            unreachable!("draws take 64 bits")
        }
    }

    proptest! {
        #![proptest_config(cases(2_000))]

        #[test]
        fn draws_below_a_number_are_those_that_take_a_share(
            share in 1.0_f64..1e6, rest in 0.0_f64..1e6, whole in any::<bool>(), exponent in -1_000_i32..600,
        ) {
            let round = |number: f64| if whole { number.round() } else { number };
            let scale = 2.0_f64.powi(exponent);
            let (share, total) = (round(share) * scale, (round(share) + round(rest)) * scale);
            let below = draws_below(share, total);
            let last = (1 << DRAWN_BITS) - 1;
            for bits in [0, 1, below.saturating_sub(1), below, below + 1, last / 2, last] {
                let bits = bits.min(last);
                prop_assert_eq!(is_drawn(share, total, &mut Same(bits)), bits < below);
            }
        }
    }
}
