//! How long a window must be at least, from the queues in it: a mean over less time than the slowest
//! queue takes to change is that of one of its moods, however even it looks.

use crate::conditions::Conditions;
use crate::histogram::Histogram;
use crate::probe::Simulator;
use weft_fabric::ChannelId;

/// A window lasts this many of the times in which waits change that were seen in it.
const CHANGES_OF_WAITS: f64 = 100.0;

/// A window lasts this many of the times in which the busiest channel's queue changes, if there is one
/// such channel. Where many are as busy, their queues average out within less; as those of one congested
/// region change together, *n* of them ask for a window shorter by √*n*.
const CHANGES_OF_ONE_QUEUE: f64 = 100.0;

/// Nor less than this many, however many channels are as busy.
const CHANGES_OF_ALL_QUEUES: f64 = 10.0;

/// The least share of time a channel is taken to be free.
const LEAST_FREE_SHARE: f64 = 1e-6;

/// The time in which waits change, in cycles: a queue in which packets wait for W grows and shrinks by
/// one packet's time S with each packet, at random, so it takes (W/S)² packets to forget how long it
/// was. Slow queues count as they do in a mean: W² is averaged as its root mean square.
pub(super) fn change_of_waits(latency: &Histogram, conditions: &Conditions) -> f64 {
    let fourth = latency.fourth_central_moment().unwrap_or(0.0);
    fourth.sqrt() / conditions.mean_packet_cycles()
}

/// Cycles a window must last for mean latencies to be known, by the waits seen in it and by how busy
/// channels were. A channel that is always busy has a queue that never settles, and the time is
/// infinite.
pub(super) fn least_window<S: Simulator>(
    simulator: &S,
    generation_latency: &Histogram,
    conditions: &Conditions,
    window_cycles: u64,
) -> f64 {
    let busy = (0..conditions.channel_count).map(|channel| {
        let used = simulator.channel_use(ChannelId::from_index(channel));
        (used.busy_cycles + used.blocked_cycles) as f64 / window_cycles as f64
    });
    let by_queues = least_window_by_use(busy, conditions.mean_packet_cycles());
    by_queues.max(CHANGES_OF_WAITS * change_of_waits(generation_latency, conditions))
}

/// The part of [`least_window`] that is due to channels, each busy for a share of the time. A queue
/// that is busy for a share ρ of the time takes about 2·S/(1-ρ)² to forget how long it was, and adds
/// to the spread of a mean in proportion to 1/(1-ρ)⁴.
///
/// # Source
/// W. Whitt, "Planning queueing simulations", Management Science 35 (1989), for queues near their
/// capacity.
fn least_window_by_use(busy: impl Iterator<Item = f64> + Clone, packet_cycles: f64) -> f64 {
    let free = |share: f64| (1.0 - share).max(LEAST_FREE_SHARE);
    let least_free = busy.clone().map(free).fold(1.0, f64::min);
    if least_free <= LEAST_FREE_SHARE {
        return f64::INFINITY;
    }
    let alike: f64 = busy.map(|share| (least_free / free(share)).powi(4)).sum();
    let changes = (CHANGES_OF_ONE_QUEUE / alike.sqrt()).max(CHANGES_OF_ALL_QUEUES);
    changes * 2.0 * packet_cycles / (least_free * least_free)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1e-9 * expected
    }

    #[test]
    fn one_busy_channel_asks_for_100_of_its_times() {
        // 2·512/(1 - 0.5)² = 4,096 cycles; idle channels count 1/16 each.
        let found = least_window_by_use([0.5].into_iter(), 512.0);
        assert!(close(found, 100.0 * 4096.0), "{found}");
        let found = least_window_by_use([0.0, 0.5, 0.0, 0.0, 0.0].into_iter(), 512.0);
        assert!(close(found, 100.0 * 4096.0 / 1.25_f64.sqrt()), "{found}");
    }

    #[test]
    fn channels_that_are_alike_ask_for_less_together_but_never_for_fewer_than_ten() {
        let found = least_window_by_use([0.9; 4].into_iter(), 100.0);
        assert!(close(found, 50.0 * 20_000.0), "{found}");
        let found = least_window_by_use([0.9; 1000].into_iter(), 100.0);
        assert!(close(found, 10.0 * 20_000.0), "{found}");
    }

    #[test]
    fn a_channel_without_a_pause_never_settles() {
        let busy = [0.2, 1.0, 0.3];
        assert!(least_window_by_use(busy.into_iter(), 100.0).is_infinite());
        assert!(least_window_by_use([1.7].into_iter(), 100.0).is_infinite());
    }

    #[test]
    fn waits_change_in_their_square_over_a_packets_time() {
        let conditions = Conditions {
            mean_payload_bytes: 50.0,
            link_bytes_per_cycle: 0.5,
            ..Conditions::SMALL
        };
        let mut latency = Histogram::default();
        assert!(change_of_waits(&latency, &conditions) < 1e-12);
        // Half 20, half 100: 40 from the mean each, and 40² / (50 / 0.5) = 16.
        for value in [20, 100, 100, 20] {
            latency.record(value);
        }
        assert!(close(change_of_waits(&latency, &conditions), 16.0));
    }
}
