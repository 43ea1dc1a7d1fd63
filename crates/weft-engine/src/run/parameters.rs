//! What a run is told, and the spans of time and the limits that follow from it.

use crate::conditions::Conditions;

/// How precise a run is to be, and what it may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunParameters {
    /// Half width of the 95 % interval of both mean latencies, as a share of the mean, at which a
    /// run ends.
    pub precision_latency: f64,
    /// The same for accepted traffic.
    pub precision_accepted: f64,
    /// Packets delivered in the window before a run may end as steady or saturated, unless the
    /// budget is used up; by default 20 per host and at least 50,000.
    pub min_packets: Option<u64>,
    /// Packets delivered in warm-up and window together after which a run ends in any case; by
    /// default 400,000, and more for fabrics whose `min_packets` need it (three times those).
    pub max_packets: Option<u64>,
    /// Interval in ns in which the occupancy of in-transit pools is followed; without, only the
    /// whole window's is.
    pub pool_interval_ns: Option<f64>,
}

impl Default for RunParameters {
    fn default() -> Self {
        Self {
            precision_latency: 0.05,
            precision_accepted: 0.01,
            min_packets: None,
            max_packets: None,
            pool_interval_ns: None,
        }
    }
}

impl RunParameters {
    /// Counts the packets that must be delivered in the window, where so many hosts send.
    pub fn packets_needed(&self, sending_hosts: usize) -> u64 {
        self.min_packets.unwrap_or_else(|| {
            let of_hosts = DEFAULT_MIN_PACKETS_PER_HOST.saturating_mul(sending_hosts as u64);
            of_hosts.max(DEFAULT_MIN_PACKETS)
        })
    }

    /// Counts the packets that may be delivered in all, where so many hosts send.
    pub fn packets_allowed(&self, sending_hosts: usize) -> u64 {
        self.max_packets.unwrap_or_else(|| {
            let needed = self.packets_needed(sending_hosts);
            needed.saturating_mul(3).max(DEFAULT_MAX_PACKETS)
        })
    }
}

/// A parameter of a run is out of range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunParameterError {
    /// A precision that no interval has.
    #[error("{name} is {found}; expected a share between 0 and 1, such as 0.05 for ±5 %")]
    Precision {
        /// Name of the parameter.
        name: &'static str,
        /// Value given.
        found: f64,
    },
    /// An interval that is no time.
    #[error("pool_interval_ns is {found}; expected a cycle, {cycle_ns} ns, or more")]
    PoolInterval {
        /// Value given.
        found: f64,
        /// Length of a cycle.
        cycle_ns: f64,
    },
    /// Nothing may be simulated.
    #[error("max_packets is 0; expected at least 1")]
    NoPackets,
}

/// Spans and limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Cycles of a slice, the shortest batch of the window.
    pub(crate) slice_cycles: u64,
    pub(crate) min_packets: u64,
    pub(crate) max_packets: u64,
    pub(crate) max_cycles: u64,
    /// Cycles of an interval in which pools are followed, if they are.
    pub(crate) pool_interval_cycles: Option<u64>,
}

const DEFAULT_MAX_PACKETS: u64 = 400_000;
const DEFAULT_MIN_PACKETS: u64 = 50_000;
const DEFAULT_MIN_PACKETS_PER_HOST: u64 = 20;

/// Fewest packets offered in a slice, so that small networks are not cut too fine.
const MIN_SLICE_PACKETS: f64 = 64.0;

/// Slices a budget is cut into at least.
const MIN_SLICES: u64 = 64;

/// Cycles end a run after this many times the packets allowed have been offered: a network that
/// accepts less than 1/64 of what is offered may end before it has delivered them.
const OFFERED_PER_PACKET_ALLOWED: f64 = 64.0;

/// No run is longer than this, 7.6 hours on a wire of 160 MB/s: generation times are 64-bit
/// numbers with 20 bits of fraction.
const LONGEST_RUN_CYCLES: f64 = 4_398_046_511_104.0;

/// Rounds a positive number to a positive integer.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "callers pass positive numbers; too large ones saturate"
)]
fn whole(value: f64) -> u64 {
    value.round().max(1.0) as u64
}

impl Plan {
    /// Plans a run.
    pub(super) fn new(
        conditions: &Conditions,
        parameters: &RunParameters,
    ) -> Result<Self, RunParameterError> {
        for (name, found) in [
            ("precision_latency", parameters.precision_latency),
            ("precision_accepted", parameters.precision_accepted),
        ] {
            if !(found > 0.0 && found < 1.0) {
                return Err(RunParameterError::Precision { name, found });
            }
        }
        let min_packets = parameters.packets_needed(conditions.sending_host_count);
        let max_packets = parameters.packets_allowed(conditions.sending_host_count);
        if max_packets == 0 {
            return Err(RunParameterError::NoPackets);
        }
        let packets_per_cycle = conditions.packets_per_cycle();
        let max_cycles = (OFFERED_PER_PACKET_ALLOWED * max_packets as f64 / packets_per_cycle)
            .clamp(MIN_SLICES as f64 * 5.0, LONGEST_RUN_CYCLES);
        // Whole intervals between a host's packets: with a constant rate every slice then holds
        // the same number of packets, and their phases do not pass for noise.
        let senders = conditions.sending_host_count as f64;
        let intervals = (MIN_SLICE_PACKETS / senders).ceil().max(1.0);
        let slice_packets = (intervals * senders).min(max_packets as f64 / MIN_SLICES as f64);
        let slice_cycles =
            (slice_packets / packets_per_cycle).clamp(5.0, max_cycles / MIN_SLICES as f64);
        let pool_interval_cycles = match parameters.pool_interval_ns {
            Some(found) if !(found >= conditions.cycle_ns && found.is_finite()) => {
                let cycle_ns = conditions.cycle_ns;
                return Err(RunParameterError::PoolInterval { found, cycle_ns });
            }
            interval_ns => interval_ns.map(|ns| whole(ns / conditions.cycle_ns)),
        };
        Ok(Self {
            slice_cycles: whole(slice_cycles),
            min_packets,
            max_packets,
            max_cycles: whole(max_cycles),
            pool_interval_cycles,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TORUS: Conditions = Conditions {
        switch_count: 64,
        host_count: 512,
        sending_host_count: 512,
        link_bytes_per_cycle: 1.0,
        full_load_bytes_per_cycle: 1.0,
        host_full_load_bytes_per_cycle: None,
        flit_bytes: 1,
        channel_count: 1280,
        offered_load: 0.2,
        mean_payload_bytes: 512.0,
        cycle_ns: 6.25,
    };

    fn plan(conditions: &Conditions) -> Plan {
        Plan::new(conditions, &RunParameters::default()).unwrap()
    }

    #[test]
    fn a_slice_is_one_packet_of_every_host() {
        assert_eq!(plan(&TORUS).slice_cycles, 2560);
    }

    #[test]
    fn small_networks_get_slices_of_several_packets_per_host() {
        let pair = Conditions {
            sending_host_count: 2,
            ..TORUS
        };
        assert_eq!(plan(&pair).slice_cycles, 32 * 2560);
    }

    #[test]
    fn hosts_that_send_nothing_do_not_count() {
        let few = Conditions {
            sending_host_count: 128,
            ..TORUS
        };
        let packets_per_cycle = few.packets_per_cycle();
        assert!((packets_per_cycle - 128.0 * 0.2 / 512.0).abs() < 1e-15);
        assert_eq!(plan(&few).min_packets, 50_000);
        assert_eq!(plan(&few).slice_cycles, 2560, "an interval of each");
    }

    #[test]
    fn loads_are_shares_of_what_hosts_offer_at_a_load_of_1() {
        let half = Conditions {
            full_load_bytes_per_cycle: 0.5,
            ..TORUS
        };
        let packets_per_cycle = half.packets_per_cycle();
        assert!((packets_per_cycle - 256.0 * 0.2 / 512.0).abs() < 1e-15);
        assert_eq!(
            plan(&half).slice_cycles,
            5120,
            "intervals are twice as long"
        );
    }

    #[test]
    fn large_fabrics_get_a_larger_budget_by_default() {
        let large = plan(&Conditions {
            sending_host_count: 16_384,
            ..TORUS
        });
        assert_eq!((large.min_packets, large.max_packets), (327_680, 983_040));
    }

    #[test]
    fn a_budget_is_cut_into_at_least_64_slices() {
        let parameters = RunParameters {
            max_packets: Some(6400),
            ..RunParameters::default()
        };
        let plan = Plan::new(&TORUS, &parameters).unwrap();
        assert_eq!(plan.slice_cycles, 500, "100 packets at 0.2 packets a cycle");
    }

    #[test]
    fn the_lightest_load_still_has_an_end() {
        let light = plan(&Conditions {
            offered_load: 1e-18,
            ..TORUS
        });
        assert_eq!(light.max_cycles, 1 << 42);
        assert_eq!(light.slice_cycles, 1 << 36);
    }

    #[test]
    fn loads_beyond_the_link_rate_count_as_the_link_rate() {
        let full = plan(&Conditions {
            offered_load: 1.0,
            ..TORUS
        });
        assert_eq!(
            plan(&Conditions {
                offered_load: 50.0,
                ..TORUS
            }),
            full
        );
    }

    #[test]
    fn parameters_out_of_range_are_named() {
        let refusal = |parameters| Plan::new(&TORUS, &parameters).unwrap_err().to_string();
        for found in [0.0, -0.1, 1.0, f64::NAN] {
            let text = refusal(RunParameters {
                precision_latency: found,
                ..Default::default()
            });
            assert!(
                text.starts_with(&format!("precision_latency is {found}; expected")),
                "{text}"
            );
        }
        let text = refusal(RunParameters {
            max_packets: Some(0),
            ..Default::default()
        });
        assert_eq!(text, "max_packets is 0; expected at least 1");
        for found in [0.0, -1.0, 6.24, f64::NAN, f64::INFINITY] {
            let text = refusal(RunParameters {
                pool_interval_ns: Some(found),
                ..Default::default()
            });
            let expected =
                format!("pool_interval_ns is {found}; expected a cycle, 6.25 ns, or more");
            assert_eq!(text, expected);
        }
    }
}
