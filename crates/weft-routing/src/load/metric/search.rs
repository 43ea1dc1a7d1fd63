//! The search for the metric that shows most.

use super::BoundedRoutes;
use super::ways_by_weight::WaysByWeight;
use crate::load::cuts::{Cuts, ROOM, fullest_cut, room};
use crate::load::halves::fullest_of_halves;
use crate::paths::PathSpace;
use rayon::prelude::*;
use weft_fabric::narrow;

/// Largest weight of a channel.
const LARGEST_WEIGHT: u32 = 1 << 24;

/// Rounds after which the weights found are those that the next ones start from, at first: twice as many each time that the
/// fullest channel gets fuller by them.
const ROUNDS_OF_A_STEP: u64 = 3;

/// By how much it does then, relatively: what little is sent another way in a few rounds no longer follows the weights, as on
/// dragonflies that have lost the one link between two groups.
const FULLER: f64 = 0.1;

/// By how much loads differ, relatively, that a step's weights differ between by as many times as there are channels.
const TEMPERATURE: f64 = 2.0;

/// How near the bound is to what split traffic reaches when the search ends.
const NEAR_ENOUGH: f64 = 1e-3;

/// Most rounds, whatever they cost.
const MOST_ROUNDS: u64 = 3000;

/// Halvings of the largest weight above which a channel counts when weights are rounded off.
const ROUNDED_SHARES: [u32; 4] = [1, 3, 6, 10];

/// Sources whose ways are added up by one thread; sums are the same with any number of threads.
const SOURCES_AT_ONCE: usize = 16;

/// Steps of the search for how far to go.
const HALVINGS: u32 = 20;

/// Least logarithm of a weight over the largest that is remembered: channels that carried little may come to matter.
const LEAST_LOGARITHM: f64 = -30.0;

/// What was found.
#[derive(Debug)]
pub(super) struct Found {
    /// Per edge.
    pub(super) weights: Vec<u32>,
    pub(super) least_load: u64,
    pub(super) mean_load: f64,
    pub(super) split_load: f64,
}

/// The search, round by round: traffic splits over paths, and more of it goes over the shortest ways by weights that
/// grow with what channels carry.
///
/// In a step the largest load is softened, to the logarithm of the sum of what grows exponentially with each; each
/// round goes from the traffic there is towards that over the shortest ways, as far as lowers it (Frank and Wolfe's
/// method). The next step multiplies its weights with those of the last, which is the proximal method for the best
/// weights with entropy as the distance, and so needs no sharp exponents.
///
/// # Source
/// Tseng, Bertsekas, "On the convergence of the exponential multiplier method for convex programming", Mathematical
/// Programming 60, 1993; Frank, Wolfe, "An algorithm for quadratic programming", Naval Research Logistics Quarterly
/// 3, 1956.
#[derive(Debug)]
pub(super) struct Search<'a> {
    space: &'a PathSpace,
    between: &'a [u64],
    routes: BoundedRoutes,
    /// The switches that send to others.
    sources: Vec<u32>,
    state: State,
}

/// How far a search has come.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// Per edge: what it carries, as traffic splits now, times its slowness.
    loads: Vec<f64>,
    /// Per edge: the logarithm of the weight that a step starts from.
    logarithms: Vec<f64>,
    /// By how much a load more makes the weight of a channel grow in this step.
    sharpness: f64,
    round: u64,
    rounds_of_a_step: u64,
    /// The round that the next step begins with.
    next_step: u64,
    /// Loads and logarithms at the end of the step whose fullest channel carried least.
    emptiest: Option<(Vec<f64>, Vec<f64>)>,
    /// The best so far, by the sum of lengths and that of weights times the [room](room) of their channels.
    best: (u128, u128, Vec<u32>),
    split_load: f64,
}

impl<'a> Search<'a> {
    /// Begins with the same weight for all channels.
    ///
    /// Shapes: `between`, per switch and switch what the one sends to the other; what a switch sends itself counts
    /// nowhere.
    pub(super) fn new(space: &'a PathSpace, between: &'a [u64], routes: BoundedRoutes) -> Self {
        let edges = space.edge_count();
        let state = State {
            loads: Vec::new(),
            logarithms: vec![0.0; edges],
            sharpness: 0.0,
            round: 0,
            rounds_of_a_step: ROUNDS_OF_A_STEP,
            next_step: 0,
            emptiest: None,
            best: (0, ROOM.into(), vec![1; edges]),
            split_load: 0.0,
        };
        let mut made = Self::from(space, between, routes, state);
        let weights = made.state.best.2.clone();
        made.state.loads = made.carried_by(weights);
        made.state.split_load = largest(&made.state.loads).max(0.0);
        made
    }

    /// Goes on from where a search for the same came to.
    pub(super) fn from(
        space: &'a PathSpace,
        between: &'a [u64],
        routes: BoundedRoutes,
        state: State,
    ) -> Self {
        let switches = space.switch_count();
        let sends = |&from: &u32| {
            let row = &between[from as usize * switches..][..switches];
            (0..).zip(row).any(|(to, &sent)| to != from && sent > 0)
        };
        Self {
            space,
            between,
            routes,
            sources: (0..).take(switches).filter(sends).collect(),
            state,
        }
    }

    /// Searches until the bound is near enough, or so many ways out of switches were looked at, beyond what few channels
    /// show that much has to pass.
    pub(super) fn run(self, most_looks: u64) -> Found {
        self.run_on(most_looks).0
    }

    /// The same, and where it came to before weights were rounded off; `None` where a few channels showed most.
    pub(super) fn run_on(mut self, most_looks: u64) -> (Found, Option<State>) {
        let halves = fullest_of_halves(&Cuts::new(self.space, self.between));
        for cut in [fullest_cut(self.space, self.between), halves] {
            // Whether it shows more is seen at once where both of its sides are joined within.
            if cut.mean_load() > self.best_shown() || !cut.parts_in_two(self.space) {
                self.carried_by(cut.weights(self.space));
            }
        }
        let by_few = self.best_shown();
        self.search(most_looks, u64::MAX);
        let is_by_few = self.best_shown() <= by_few;
        let state = (!is_by_few).then(|| self.state.clone());
        self.round_off();
        (self.found(), state)
    }

    /// The best weights as they were found, none rounded off.
    pub(super) fn run_without_rounding(mut self, most_looks: u64) -> Found {
        self.search(most_looks, u64::MAX);
        self.found()
    }

    /// Tells whether a load is shown by a search that looks at so many ways out of switches, and ends as soon as that is
    /// known either way.
    pub(super) fn shows(&mut self, load: u64, most_looks: u64) -> bool {
        self.search(most_looks, load);
        self.least_load() >= load
    }

    /// Tells whether traffic was split so that no metric shows a load.
    pub(super) fn cannot_show(&self, load: u64) -> bool {
        self.state.split_load.ceil() < load as f64
    }

    fn found(self) -> Found {
        Found {
            least_load: self.least_load(),
            mean_load: self.best_shown(),
            weights: self.state.best.2,
            split_load: self.state.split_load,
        }
    }

    fn search(&mut self, most_looks: u64, enough: u64) {
        let looks = (self.sources.len() * self.space.edge_count()).max(1) as u64;
        let rounds = (most_looks / looks).min(MOST_ROUNDS);
        while self.state.round < rounds {
            let is_known = self.least_load() >= enough || self.cannot_show(enough);
            if self.is_near_enough() || enough < u64::MAX && is_known {
                break;
            }
            if self.state.round == self.state.next_step {
                if self.state.round > 0 {
                    self.go_back_if_fuller();
                    self.begin_step(self.state.sharpness);
                }
                self.state.next_step += self.state.rounds_of_a_step;
                let channels = self.state.loads.len() as f64;
                self.state.sharpness =
                    libm::log(channels).max(1.0) / (TEMPERATURE * self.state.split_load);
            }
            self.improve(self.state.sharpness);
            self.state.round += 1;
        }
    }

    /// What channels carry in the mean by the best metric.
    fn best_shown(&self) -> f64 {
        let (sum, room, _) = &self.state.best;
        mean(*sum, *room)
    }

    /// The load that the best metric shows; channels carry whole routes.
    fn least_load(&self) -> u64 {
        let (sum, room, _) = &self.state.best;
        narrow(
            (sum * u128::from(ROOM)).div_ceil(*room),
            "what all send, over all ways, is counted in 64 bits",
        )
    }

    fn is_near_enough(&self) -> bool {
        self.least_load() as f64 >= self.state.split_load * (1.0 - NEAR_ENOUGH)
    }

    /// Goes back to the step whose fullest channel carried least where it has got fuller since, to take longer steps from there.
    fn go_back_if_fuller(&mut self) {
        let State {
            loads,
            logarithms,
            emptiest,
            rounds_of_a_step,
            ..
        } = &mut self.state;
        let before = emptiest.as_ref().map(|(loads, _)| largest(loads));
        let now = largest(loads);
        match emptiest {
            Some((best, of_best)) if before.is_some_and(|before| now > before * (1.0 + FULLER)) => {
                loads.clone_from(best);
                logarithms.clone_from(of_best);
                *rounds_of_a_step *= 2;
            }
            _ if before.is_none_or(|before| now <= before) => {
                *emptiest = Some((loads.clone(), logarithms.clone()));
            }
            _ => {}
        }
    }

    /// The weights that a step ends with are those that the next starts from.
    fn begin_step(&mut self, sharpness: f64) {
        for (logarithm, load) in self.state.logarithms.iter_mut().zip(&self.state.loads) {
            *logarithm += sharpness * load;
        }
        let largest = largest(&self.state.logarithms);
        for logarithm in &mut self.state.logarithms {
            *logarithm = (*logarithm - largest).max(LEAST_LOGARITHM);
        }
    }

    /// Where few channels limit all, as those between two halves, they alone count, and all alike; the best weights are
    /// then near to that, and it shows a little more than they do.
    fn round_off(&mut self) {
        let largest = self.state.best.2.iter().copied().max().unwrap_or(0);
        // What all channels alike show is known from the beginning, and none show nothing.
        let best = self.state.best.2.clone();
        let mut known = vec![vec![1; best.len()], vec![0; best.len()], best];
        for share in ROUNDED_SHARES {
            let is_counted = |&weight: &u32| weight > largest >> share;
            let weights = self.state.best.2.iter();
            let rounded: Vec<u32> = weights.map(is_counted).map(u32::from).collect();
            if !known.contains(&rounded) {
                known.push(rounded.clone());
                self.carried_by(rounded);
            }
        }
    }

    /// Sends more over the ways that are shortest now.
    fn improve(&mut self, sharpness: f64) {
        let heats = self.state.logarithms.iter().zip(&self.state.loads);
        let heats: Vec<f64> = heats
            .map(|(logarithm, load)| logarithm + sharpness * load)
            .collect();
        let hottest = largest(&heats);
        // What a slower channel carries makes it fuller by as much.
        let slowness = |edge: u32| self.space.slowness(edge) as f64;
        let slowest = (0..).take(heats.len()).map(slowness).fold(1.0, f64::max);
        let weights = (0..)
            .zip(&heats)
            .map(|(edge, heat)| weight(libm::exp(heat - hottest) * slowness(edge) / slowest))
            .collect();
        let shortest = self.carried_by(weights);
        let softened = |share: f64| {
            let both = self.state.loads.iter().zip(&shortest);
            let heat = |(logarithm, (now, then)): (&f64, (&f64, &f64))| {
                logarithm + sharpness * (now + share * (then - now))
            };
            let heats: Vec<f64> = self.state.logarithms.iter().zip(both).map(heat).collect();
            let hottest = largest(&heats);
            let parts = heats.iter().map(|heat| libm::exp(heat - hottest));
            hottest + libm::log(parts.sum::<f64>())
        };
        let share = lowest(softened);
        for (now, then) in self.state.loads.iter_mut().zip(&shortest) {
            *now += share * (then - *now);
        }
        self.state.split_load = self.state.split_load.min(largest(&self.state.loads));
    }

    /// What channels carry when all goes over the shortest ways by these weights, which are kept if they show more
    /// than any before.
    fn carried_by(&mut self, weights: Vec<u32>) -> Vec<f64> {
        let switches = self.space.switch_count();
        let is_even = weights.windows(2).all(|pair| pair[0] == pair[1]);
        let of_some = |sources: &[u32]| {
            let mut ways = WaysByWeight::new(self.space, self.routes, is_even);
            let mut loads = vec![0.0; self.space.edge_count()];
            let mut sum = 0;
            for &source in sources {
                let sent = &self.between[source as usize * switches..][..switches];
                sum += ways.carry(source, &weights, sent, &mut loads);
            }
            (sum, loads)
        };
        let parts: Vec<(u128, Vec<f64>)> = self
            .sources
            .par_chunks(SOURCES_AT_ONCE)
            .map(of_some)
            .collect();
        let mut loads = vec![0.0; self.space.edge_count()];
        let mut sum = 0;
        for (part, of_part) in parts {
            sum += part;
            for (load, more) in loads.iter_mut().zip(of_part) {
                *load += more;
            }
        }
        for (edge, load) in (0..).zip(&mut loads) {
            *load *= self.space.slowness(edge) as f64;
        }
        let weights_by_room = (0..).zip(&weights).map(|(edge, &weight)| {
            let room = room(self.space, edge);
            u128::from(weight) * u128::from(room)
        });
        let room: u128 = weights_by_room.sum();
        if room > 0 && mean(sum, room) > self.best_shown() {
            self.state.best = (sum, room, weights);
        }
        loads
    }
}

/// What channels carry in the mean by a metric, of the sum of lengths and that of weights times rooms.
fn mean(sum: u128, room: u128) -> f64 {
    sum as f64 * ROOM as f64 / room as f64
}

/// A weight of at least 1: then each way is longer than what it begins with.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "shares are from 0 to 1"
)]
fn weight(share: f64) -> u32 {
    1 + (share * f64::from(LARGEST_WEIGHT)) as u32
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The share from 0 to 1 at which a convex function is lowest, by the golden section.
fn lowest(value: impl Fn(f64) -> f64) -> f64 {
    const SECTION: f64 = 0.381_966;
    let (mut low, mut high) = (0.0, 1.0);
    let [mut left, mut right] = [SECTION, 1.0 - SECTION];
    let [mut at_left, mut at_right] = [left, right].map(&value);
    for _ in 0..HALVINGS {
        if at_left < at_right {
            (high, right, at_right) = (right, left, at_left);
            left = low + SECTION * (high - low);
            at_left = value(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = high - SECTION * (high - low);
            at_right = value(right);
        }
    }
    f64::midpoint(low, high)
}
