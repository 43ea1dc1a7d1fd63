//! The rules that end a run, and the sentences that say which one did.

use super::known::Known;
use super::parameters::{Plan, RunParameters};
use crate::conditions::Conditions;
use crate::measurement::Reason;
use crate::statistics::Estimate;

/// A network that accepts less than this share of what is offered is saturated.
const SATURATED_BELOW: f64 = 0.95;

/// What a run is judged by.
pub(super) struct Verdict<'a> {
    pub(super) conditions: &'a Conditions,
    pub(super) parameters: &'a RunParameters,
    pub(super) plan: &'a Plan,
}

/// Why a run ended, and what is known then.
pub(super) struct Ended {
    pub(super) reason: Reason,
    pub(super) text: String,
    pub(super) known: Known,
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

/// Writes a time for people, in the unit it is read in best.
fn time(ns: f64) -> String {
    match ns {
        ns if ns >= 1e6 => format!("{:.3} ms", ns / 1e6),
        ns => format!("{:.1} us", ns / 1e3),
    }
}

impl Verdict<'_> {
    /// Payload offered by all sending hosts together, in bytes per cycle.
    fn offered(&self) -> f64 {
        self.conditions.full_load_bytes_per_cycle_of_all() * self.conditions.offered_load
    }

    /// Judges a window of so many packets: `None` while it must go on. Once the budget is `spent`, what
    /// is known too badly to end a run by still tells a saturated network from one that may not be.
    pub(super) fn ended(&self, known: Known, packets: u64, spent: bool) -> Option<Ended> {
        if !known.has_turned_over(spent) {
            return None;
        }
        if self.is_saturated(known.accepted_adrift, spent) {
            let is_precise = known.accepted.is_within(self.parameters.precision_accepted);
            let is_known = is_precise && known.has_settled_inside();
            return (is_known || spent).then(|| self.saturated(known, packets));
        }
        if !(spent || known.may_end_early()) {
            return None;
        }
        let known = if spent {
            known.at_the_end()
        } else {
            known.unsaturated()
        };
        self.are_precise(&known).then(|| {
            let text = format!(
                "over {packets} packets, accepted traffic is known to {}, latency from generation \
                 to {}, network latency to {}",
                precision(&known.accepted),
                precision(&known.generation),
                precision(&known.network),
            );
            Ended {
                reason: Reason::Steady,
                text,
                known,
            }
        })
    }

    /// Whether anything depends on what queues are like in a window: they are not asked in a network that is
    /// saturated, nor for figures that are too wide to end it.
    pub(super) fn depends_on_queues(&self, known: &Known, spent: bool) -> bool {
        let is_saturated =
            known.has_turned_over(spent) && self.is_saturated(known.accepted_adrift, spent);
        !is_saturated && (spent || self.are_precise(known))
    }

    /// Whether all figures of a network that carries what is offered are as precise as asked for.
    fn are_precise(&self, known: &Known) -> bool {
        let wanted = self.parameters;
        known.is_within(wanted.precision_accepted, wanted.precision_latency)
    }

    /// Whether what is accepted is less than what a network that carries all of it would.
    fn is_saturated(&self, adrift: Estimate, spent: bool) -> bool {
        let most = match adrift.half_width {
            unknown if unknown.is_nan() && spent => adrift.mean,
            half_width => adrift.mean + half_width,
        };
        most < SATURATED_BELOW * self.offered()
    }

    fn saturated(&self, known: Known, packets: u64) -> Ended {
        let has_settled_inside = known.has_settled_inside();
        let known = known.saturated();
        let share = 100.0 * known.accepted.mean / self.offered();
        let how_well = if known.accepted.half_width.is_finite() {
            let half_width = share * known.accepted.relative_half_width();
            format!("{share:.1} % ±{half_width:.1} %")
        } else {
            format!("about {share:.1} %")
        };
        let below = 100.0 * SATURATED_BELOW;
        let why = if has_settled_inside {
            ""
        } else {
            "; congestion comes and goes slowly, which the interval counts"
        };
        let text = format!(
            "the network accepts {how_well} of the traffic offered, less than {below:.0} %, over \
             {packets} packets{why}"
        );
        Ended {
            reason: Reason::Saturated,
            text,
            known,
        }
    }

    /// Says what is known when the budget is used up.
    pub(super) fn budget(
        &self,
        known: Known,
        simulated_cycles: u64,
        delivered_packets: u64,
        settled: bool,
    ) -> Ended {
        let known = known.at_the_end();
        let reason = Reason::Budget;
        if delivered_packets == 0 {
            let text = format!("no packet was delivered in {simulated_cycles} cycles");
            return Ended {
                reason,
                text,
                known,
            };
        }
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
        let queues = if known.has_seen_queues_change() {
            String::new()
        } else {
            let window = time(known.window_cycles as f64 * self.conditions.cycle_ns);
            let needed_ns = known.latencies_need * self.conditions.cycle_ns;
            if needed_ns.is_finite() {
                let needed = time(needed_ns);
                format!(
                    "; queues change too slowly for the latencies to be known from a window of \
                     {window}: {needed} would do"
                )
            } else {
                "; a channel was busy all the time, so that its queue has no steady length"
                    .to_owned()
            }
        };
        let wanted_latency = 100.0 * self.parameters.precision_latency;
        let text = format!(
            "{allowed}; accepted traffic, {:.1} % of that offered, has {} (±{:.1} % wanted), \
             latency from generation {} (±{wanted_latency:.1} %), network latency {} \
             (±{wanted_latency:.1} %){queues}{warm_up}",
            100.0 * known.accepted.mean / self.offered(),
            precision(&known.accepted),
            100.0 * self.parameters.precision_accepted,
            precision(&known.generation),
            precision(&known.network),
        );
        Ended {
            reason,
            text,
            known,
        }
    }

    /// Says what was found when packets wait for one another.
    pub(super) fn deadlocked(
        known: Known,
        waiting_packets: usize,
        simulated_cycles: u64,
        delivered_packets: u64,
    ) -> Ended {
        Ended {
            reason: Reason::Deadlocked,
            text: format!(
                "{waiting_packets} packets wait for one another in a cycle, found after \
                 {simulated_cycles} cycles and {delivered_packets} packets delivered"
            ),
            known: known.deadlocked(),
        }
    }
}
