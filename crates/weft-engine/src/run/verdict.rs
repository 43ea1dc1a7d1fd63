//! The rules that end a run, and the sentences that say which one did.

use super::parameters::{Plan, RunParameters};
use crate::conditions::Conditions;
use crate::measurement::Reason;
use crate::recorder::Recorder;
use crate::statistics::Estimate;

/// A network that accepts less than this share of what is offered is saturated.
const SATURATED_BELOW: f64 = 0.95;

/// The window opens, and ends, only after this many mean network latencies: what is younger has
/// not seen the network turn over.
pub(super) const MIN_LATENCIES: f64 = 10.0;

/// What a run is judged by.
pub(super) struct Verdict<'a> {
    pub(super) conditions: &'a Conditions,
    pub(super) parameters: &'a RunParameters,
    pub(super) plan: &'a Plan,
}

/// What is known of the window so far.
struct Estimates {
    accepted: Estimate,
    generation: Estimate,
    network: Estimate,
}

impl Estimates {
    fn of(recorder: &Recorder) -> Self {
        Self {
            accepted: recorder.accepted_series.estimate(),
            generation: recorder.generation_series.estimate(),
            network: recorder.network_series.estimate(),
        }
    }
}

/// Writes a precision for people: `±1.2 %`.
fn precision(estimate: &Estimate) -> String {
    let half_width = estimate.relative_half_width();
    if half_width.is_finite() {
        format!("±{:.1} %", 100.0 * half_width)
    } else {
        "no interval".to_owned()
    }
}

impl Verdict<'_> {
    /// Payload offered by all sending hosts together, in bytes per cycle.
    fn offered(&self) -> f64 {
        self.conditions.sending_bytes_per_cycle() * self.conditions.offered_load
    }

    /// Judges a window: `None` while it must go on. Once the budget is `spent`, an interval
    /// too wide to end a run by still tells a saturated network from one that may not be.
    pub(super) fn ended(&self, recorder: &Recorder, spent: bool) -> Option<(Reason, String)> {
        let packets = recorder.total.packets;
        let Estimates {
            accepted,
            generation,
            network,
        } = Estimates::of(recorder);
        let turned_over = recorder.total.cycles as f64 >= MIN_LATENCIES * network.mean;
        let is_precise = accepted.is_within(self.parameters.precision_accepted);
        if !turned_over || !(is_precise || spent) {
            return None;
        }
        let share = accepted.mean / self.offered();
        if accepted.mean + accepted.half_width < SATURATED_BELOW * self.offered() {
            let text = format!(
                "the network accepts {:.1} % ±{:.1} % of the traffic offered, less than {:.0} %, \
                 over {packets} packets",
                100.0 * share,
                100.0 * share * accepted.relative_half_width(),
                100.0 * SATURATED_BELOW,
            );
            return Some((Reason::Saturated, text));
        }
        let wanted = self.parameters.precision_latency;
        (is_precise && generation.is_within(wanted) && network.is_within(wanted)).then(|| {
            let text = format!(
                "over {packets} packets, accepted traffic is known to {}, latency from generation \
                 to {}, network latency to {}",
                precision(&accepted),
                precision(&generation),
                precision(&network),
            );
            (Reason::Steady, text)
        })
    }

    /// Says what is known when the budget is used up.
    pub(super) fn budget(
        &self,
        recorder: &Recorder,
        simulated_cycles: u64,
        delivered_packets: u64,
        settled: bool,
    ) -> String {
        if delivered_packets == 0 {
            return format!("no packet was delivered in {simulated_cycles} cycles");
        }
        let Estimates {
            accepted,
            generation,
            network,
        } = Estimates::of(recorder);
        let allowed = if delivered_packets >= self.plan.max_packets {
            format!(
                "all {} packets allowed were delivered",
                self.plan.max_packets
            )
        } else {
            format!(
                "all {simulated_cycles} cycles allowed were simulated, {delivered_packets} packets \
                 delivered"
            )
        };
        let warm_up = if settled {
            ""
        } else {
            "; the warm-up had not ended after half of that"
        };
        let wanted_latency = 100.0 * self.parameters.precision_latency;
        format!(
            "{allowed}; accepted traffic, {:.1} % of that offered, has {} (±{:.1} % wanted), \
             latency from generation {} (±{wanted_latency:.1} %), network latency {} \
             (±{wanted_latency:.1} %){warm_up}",
            100.0 * accepted.mean / self.offered(),
            precision(&accepted),
            100.0 * self.parameters.precision_accepted,
            precision(&generation),
            precision(&network),
        )
    }

    /// Says what was found when packets wait for one another.
    pub(super) fn deadlocked(
        waiting_packets: usize,
        simulated_cycles: u64,
        delivered_packets: u64,
    ) -> String {
        format!(
            "{waiting_packets} packets wait for one another in a cycle, found after \
             {simulated_cycles} cycles and {delivered_packets} packets delivered"
        )
    }
}
