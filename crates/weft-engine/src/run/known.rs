//! What is known of a window: means with intervals, and whether it is long enough for them.

use super::slowest_queue::{change_of_waits, least_window};
use crate::conditions::Conditions;
use crate::probe::Simulator;
use crate::recorder::Recorder;
use crate::statistics::Estimate;

/// Windows of less than this many mean latencies from generation have no interval of a latency.
const LEAST_LATENCIES: f64 = 100.0;

/// Nothing is said of less than this many mean network latencies: what is younger has not seen the
/// network turn over.
const LEAST_TURNS: f64 = 10.0;

/// Once saturated, a window of less than this many of the times in which waits in the network
/// change does not tell how much is accepted.
const LEAST_CHANGES_SATURATED: f64 = 20.0;

/// The mean figures of a window, by its batches, and how long it should be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    /// Payload accepted by all hosts, in bytes per cycle.
    pub(crate) accepted: Estimate,
    /// Latency from generation, in cycles.
    pub(crate) generation: Estimate,
    /// Latency from injection, in cycles.
    pub(crate) network: Estimate,
    /// Cycles the window lasts.
    pub(super) window_cycles: u64,
    /// Cycles it must last for mean latencies to be known.
    pub(super) latencies_need: f64,
    /// Cycles it must last for what a saturated network accepts to be known.
    pub(super) saturation_needs: f64,
}

impl Known {
    pub(super) fn of<S: Simulator>(
        simulator: &S,
        recorder: &Recorder,
        conditions: &Conditions,
    ) -> Self {
        let window_cycles = recorder.total.cycles;
        let network = recorder.network_series.estimate();
        let generation = recorder.generation_series.estimate();
        let by_queues = least_window(
            simulator,
            &recorder.generation_latency,
            conditions,
            window_cycles,
        );
        // Pools of in-transit packets fill as source queues do, without end, and say nothing of
        // what lies between them.
        let saturation_needs = if recorder.in_transit_stops > 0 {
            0.0
        } else {
            LEAST_CHANGES_SATURATED * change_of_waits(&recorder.network_latency, conditions)
        };
        Self {
            accepted: recorder.accepted_series.estimate(),
            generation,
            network,
            window_cycles,
            latencies_need: by_queues.max(LEAST_LATENCIES * generation.mean),
            saturation_needs,
        }
    }

    /// Whether the network has delivered what it held, several times over.
    pub(super) fn has_turned_over(&self) -> bool {
        self.window_cycles as f64 >= LEAST_TURNS * self.network.mean
    }

    /// Whether the window is long enough for mean latencies.
    pub(super) fn has_seen_queues_change(&self) -> bool {
        self.window_cycles as f64 >= self.latencies_need
    }

    /// Whether it is long enough for what a saturated network accepts.
    pub(super) fn has_seen_saturation(&self) -> bool {
        self.window_cycles as f64 >= self.saturation_needs
    }

    /// The figures, with the intervals that can be given where the network carries what is offered.
    pub(super) fn unsaturated(mut self) -> Self {
        if !self.has_seen_queues_change() {
            self.generation = self.generation.without_interval();
            self.network = self.network.without_interval();
        }
        self
    }

    /// The same where it does not: source queues grow as long as one looks.
    pub(super) fn saturated(mut self) -> Self {
        self.generation = self.generation.without_interval();
        if !self.has_seen_saturation() {
            self.accepted = self.accepted.without_interval();
            self.network = self.network.without_interval();
        }
        self
    }

    /// The same where nothing moves any more.
    pub(super) fn deadlocked(mut self) -> Self {
        self.accepted = self.accepted.without_interval();
        self.generation = self.generation.without_interval();
        self.network = self.network.without_interval();
        self
    }
}
