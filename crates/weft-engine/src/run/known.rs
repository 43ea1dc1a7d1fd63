//! What is known of a window: means with intervals, and whether it is long enough for them.

use super::slowest_queue::{LeastWindow, are_seen, are_slow, change_of_waits};
use crate::conditions::Conditions;
use crate::probe::Simulator;
use crate::recorder::Recorder;
use crate::statistics::{BatchSeries, Estimate, LEAST_CORRELATION};

/// Windows of less than this many mean latencies from generation have no interval of a latency.
const LEAST_LATENCIES: f64 = 100.0;

/// Nothing is said of less than this many mean network latencies: what is younger has not seen the
/// network turn over. Where no more can be simulated two are enough to tell that it is saturated, since
/// the warm-up has been as long.
const LEAST_TURNS: f64 = 10.0;
const LEAST_TURNS_AT_THE_END: f64 = 2.0;

/// The mean figures of a window, by its batches, and how long it should be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// Payload accepted by all hosts, in bytes per cycle.
    pub(crate) accepted: Estimate,
    /// The same where it did not end the run.
    accepted_at_the_end: Estimate,
    /// The same where it may drift for as long as one looks.
    pub(super) accepted_adrift: Estimate,
    /// Latency from generation, in cycles, known as slowly as waits change.
    pub(crate) generation: Estimate,
    /// The same where the budget is used up.
    generation_at_the_end: Estimate,
    /// Latency from injection, in cycles.
    pub(crate) network: Estimate,
    /// The same, known as slowly as waits change.
    network_as_queues_change: Estimate,
    /// The same where the budget is used up, by how slowly waits in the network change; where packets wait in
    /// pools, too, by how slowly those at hosts do.
    network_at_the_end: Estimate,
    /// Cycles the window lasts.
    pub(super) window_cycles: u64,
    /// Cycles in which the waits seen in it change.
    change_cycles: f64,
    /// Cycles it must last for mean latencies to be known.
    pub(super) latencies_need: f64,
    /// Cycles it must last for them to end the run before its budget.
    early_end_needs: f64,
    /// Whether pools of in-transit packets were used: they fill as source queues do, without end.
    has_pools: bool,
}

impl Known {
    /// What the packets of a window tell. How long it must last for latencies is told by
    /// [`look_at_queues`](Self::look_at_queues).
    pub(super) fn of(recorder: &Recorder, conditions: &Conditions) -> Self {
        let window_cycles = recorder.total.cycles;
        let [generation, network] = [&recorder.generation_series, &recorder.network_series];
        let change_cycles = change_of_waits(&recorder.generation_latency, conditions);
        let has_pools = recorder.in_transit_stops > 0;
        let network_change_cycles = if has_pools {
            change_cycles
        } else {
            change_of_waits(&recorder.network_latency, conditions)
        };
        let to_end = |series: &BatchSeries, change_cycles| {
            if are_slow(window_cycles, change_cycles) {
                series.estimate_of_slow()
            } else {
                series.estimate_with_sign()
            }
        };
        let at_the_end = |series: &BatchSeries, change_cycles| {
            if are_slow(window_cycles, change_cycles) && are_seen(window_cycles, change_cycles) {
                series.estimate_of_slow_at_the_end()
            } else {
                to_end(series, change_cycles)
            }
        };
        Self {
            accepted: recorder.accepted_series.estimate(),
            accepted_at_the_end: recorder.accepted_series.estimate_with_sign(),
            accepted_adrift: recorder.accepted_series.estimate_of_drifting(),
            generation: to_end(generation, change_cycles),
            generation_at_the_end: at_the_end(generation, change_cycles),
            network: network.estimate(),
            network_as_queues_change: to_end(network, change_cycles),
            network_at_the_end: at_the_end(network, network_change_cycles),
            window_cycles,
            change_cycles,
            latencies_need: f64::INFINITY,
            early_end_needs: f64::INFINITY,
            has_pools,
        }
    }

    /// Asks all channels how long the window must be, which takes a walk over every packet that waits.
    pub(super) fn look_at_queues<S: Simulator>(&mut self, simulator: &S, conditions: &Conditions) {
        let (change, window) = (self.change_cycles, self.window_cycles);
        let by_queues = LeastWindow::of(simulator, change, conditions, window);
        self.latencies_need = by_queues
            .to_tell
            .max(LEAST_LATENCIES * self.generation.mean);
        self.early_end_needs = by_queues.to_end;
    }

    /// Tells what is accepted by what was generated meanwhile, in a window that is long enough for its queues: what
    /// they hold more at its end than at its beginning is then little.
    pub(super) fn look_at_generated(&mut self, recorder: &Recorder, generated: &BatchSeries) {
        let accepted = &recorder.accepted_series;
        for (known, least_correlation) in [
            (&mut self.accepted, 0.0),
            (&mut self.accepted_at_the_end, LEAST_CORRELATION),
        ] {
            let by_generated = accepted.estimate_by_generated(generated, least_correlation);
            if !by_generated.half_width.is_nan() {
                *known = by_generated;
            }
        }
    }

    /// Whether the network has delivered what it held, several times over.
    pub(super) fn has_turned_over(&self, is_end: bool) -> bool {
        let turns = if is_end {
            LEAST_TURNS_AT_THE_END
        } else {
            LEAST_TURNS
        };
        self.window_cycles as f64 >= turns * self.network.mean
    }

    /// Whether accepted traffic and both latencies of a network that carries what is offered are known to
    /// these shares, if the window is long enough for them.
    pub(super) fn is_within(&self, accepted: f64, latencies: f64) -> bool {
        let of_latencies = [self.generation, self.network_as_queues_change];
        self.accepted.is_within(accepted) && of_latencies.iter().all(|one| one.is_within(latencies))
    }

    /// Whether the window is long enough for mean latencies; it is not while queues were not looked at.
    pub(super) fn has_seen_queues_change(&self) -> bool {
        self.window_cycles as f64 >= self.latencies_need
    }

    /// Whether it is long enough for a run to end by what it tells of them: which runs end early must
    /// not depend on whether they have seen long queues.
    pub(super) fn may_end_early(&self) -> bool {
        self.window_cycles as f64 >= self.early_end_needs
    }

    /// Whether the inside of a network that is saturated has settled: latencies in it have an
    /// interval. Where there are pools they say nothing of what lies between them.
    pub(super) fn has_settled_inside(&self) -> bool {
        self.has_pools || !self.network.half_width.is_nan()
    }

    /// The figures, with the intervals that can be given where the network carries what is offered.
    pub(super) fn unsaturated(mut self) -> Self {
        if !self.has_seen_queues_change() {
            self.generation = self.generation.without_interval();
            self.network_as_queues_change = self.network_as_queues_change.without_interval();
        }
        self.network = self.network_as_queues_change;
        self
    }

    /// The same where it does not: source queues grow as long as one looks. Latency in the network has a
    /// mean and no interval, as congestion drifts between the lanes for longer than a run lasts.
    pub(super) fn saturated(mut self) -> Self {
        self.accepted = self.accepted_adrift;
        self.generation = self.generation.without_interval();
        self.network = self.network.without_interval();
        self
    }

    /// The same where no more can be simulated: all is then told as well as it is known.
    pub(super) fn at_the_end(mut self) -> Self {
        self.generation = self.generation_at_the_end;
        self.network_as_queues_change = self.network_at_the_end;
        self.accepted = self.accepted_at_the_end;
        if self.accepted.half_width.is_nan() {
            self.accepted = self.accepted_adrift;
        }
        self.unsaturated()
    }

    /// The same where nothing moves any more.
    pub(super) fn deadlocked(mut self) -> Self {
        self.accepted = self.accepted.without_interval();
        self.generation = self.generation.without_interval();
        self.network = self.network.without_interval();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Observation;

    /// Cycles from the mean that all latencies of a window lie, and how often they change in it: packets of 512 cycles take
    /// D² / 512 cycles each time.
    const NEVER_WAIT: u64 = 0;
    const CHANGE_50_TIMES: u64 = 1012;
    const CHANGE_200_TIMES: u64 = 506;
    const CHANGE_500_TIMES: u64 = 320;
    const CHANGE_2000_TIMES: u64 = 160;

    /// A window of 100,000 cycles, latency from generation and that in the network being the same series but for how
    /// slowly they change: twenty by threes, whose pairs are independent. Batches of one have the wider interval, as they
    /// are correlated.
    fn window(deviation: u64, deviation_in_the_network: u64) -> Recorder {
        let mut recorder = Recorder::default();
        recorder.total.cycles = 100_000;
        let by_threes = [6.0, 6.0, 6.0, 4.0, 4.0, 4.0].repeat(3);
        for total in by_threes.into_iter().chain([6.0, 4.0]) {
            let observation = Observation { total, weight: 1.0 };
            recorder.accepted_series.push(observation);
            recorder.generation_series.push(observation);
            recorder.network_series.push(observation);
        }
        for (histogram, deviation) in [
            (&mut recorder.generation_latency, deviation),
            (&mut recorder.network_latency, deviation_in_the_network),
        ] {
            histogram.record(0);
            histogram.record(2 * deviation);
        }
        recorder
    }

    /// Whether latency from generation and that in the network are told by the widest interval at the end.
    fn told_widest(recorder: &Recorder) -> [bool; 2] {
        let mut known = Known::of(recorder, &Conditions::SMALL);
        known.latencies_need = 0.0;
        let known = known.at_the_end();
        [known.generation, known.network].map(is_widest)
    }

    /// Whether the interval is that of batches of one, which is the widest.
    fn is_widest(estimate: Estimate) -> bool {
        let by_one = 2.093_024 * (1.3 / 0.7 * 20.0_f64 / 19.0 / 20.0).sqrt();
        let by_two = 2.262_157 * (0.75 / 1.25 * 24.0_f64 / 9.0 / 10.0).sqrt() / 2.0;
        let is = |width: f64| (estimate.half_width - width).abs() < 1e-5;
        assert!(is(by_one) || is(by_two), "{estimate:?}");
        is(by_one)
    }

    #[test]
    fn slow_latencies_end_a_run_by_the_widest_interval_alone() {
        let widest = |deviation| {
            let known = Known::of(&window(deviation, NEVER_WAIT), &Conditions::SMALL);
            [known.generation, known.network_as_queues_change].map(is_widest)
        };
        assert_eq!(widest(CHANGE_500_TIMES), [true; 2]);
        assert_eq!(widest(CHANGE_2000_TIMES), [false; 2]);
    }

    #[test]
    fn at_the_end_slow_latencies_have_the_widest_interval_where_few_changes_were_seen() {
        let widest = |deviation, in_the_network| told_widest(&window(deviation, in_the_network));
        assert_eq!(widest(CHANGE_50_TIMES, CHANGE_50_TIMES), [true; 2]);
        assert_eq!(widest(CHANGE_50_TIMES, CHANGE_200_TIMES), [true, false]);
        assert_eq!(widest(CHANGE_50_TIMES, CHANGE_2000_TIMES), [true, false]);
        assert_eq!(widest(CHANGE_200_TIMES, CHANGE_2000_TIMES), [false; 2]);
    }

    #[test]
    fn where_there_are_pools_waits_in_the_network_are_as_slow_as_at_hosts() {
        let mut recorder = window(CHANGE_50_TIMES, CHANGE_2000_TIMES);
        assert_eq!(told_widest(&recorder), [true, false]);
        recorder.in_transit_stops = 1;
        assert_eq!(told_widest(&recorder), [true; 2]);
    }
}
