//! How long a window must be at least, from the queues in it: a mean over less time than the slowest
//! queue takes to change is that of one of its moods, however even it looks.

use crate::conditions::Conditions;
use crate::histogram::Histogram;
use crate::probe::Simulator;
use weft_fabric::ChannelId;

/// A window lasts this many of the times in which waits change that were seen in it.
const CHANGES_OF_WAITS: f64 = 150.0;

/// A window lasts this many of the times in which the busiest channel's queue changes: that is known
/// after few packets, also where long waits have not come yet.
const CHANGES_OF_BUSIEST_QUEUE: f64 = 100.0;

/// A batch of latencies lasts this many of the times in which waits change.
const CHANGES_IN_A_BATCH: f64 = 8.0;

/// The least share of time a channel is taken to be free.
const LEAST_FREE_SHARE: f64 = 1e-6;

/// The time in which waits change, in cycles: a queue in which packets wait for W grows and shrinks by
/// one packet's time S with each packet, at random, so it takes (W/S)² packets to forget how long it
/// was. Slow queues count as they do in a mean: W² is averaged as its root mean square.
pub(super) fn change_of_waits(latency: &Histogram, conditions: &Conditions) -> f64 {
    let fourth = latency.fourth_central_moment().unwrap_or(0.0);
    fourth.sqrt() / conditions.mean_packet_cycles()
}

/// Most batches of latencies that a window has, if waits change in so many cycles.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "conversion saturates; the quotient is positive or, of an empty window, no number"
)]
pub(super) fn most_batches(window_cycles: u64, change_cycles: f64) -> usize {
    (window_cycles as f64 / (CHANGES_IN_A_BATCH * change_cycles)) as usize
}

/// Cycles a window must last for mean latencies to be known, by the time in which the waits seen in it
/// change and by how busy channels were. A channel that is always busy has a queue that never
/// settles, and the time is infinite.
pub(super) fn least_window<S: Simulator>(
    simulator: &S,
    change_cycles: f64,
    conditions: &Conditions,
    window_cycles: u64,
) -> f64 {
    let busy = (0..conditions.channel_count).map(|channel| {
        let used = simulator.channel_use(ChannelId::from_index(channel));
        (used.busy_cycles + used.blocked_cycles) as f64 / window_cycles as f64
    });
    let by_use = least_window_by_use(busy.fold(0.0, f64::max), conditions.mean_packet_cycles());
    by_use.max(CHANGES_OF_WAITS * change_cycles)
}

/// The part of [`least_window`] that is due to the channel busiest of all. A queue that is busy for a
/// share ρ of the time takes about 2·S/(1-ρ)² to forget how long it was.
///
/// # Source
/// W. Whitt, "Planning queueing simulations", Management Science 35 (1989), for queues near their
/// capacity.
fn least_window_by_use(busiest: f64, packet_cycles: f64) -> f64 {
    let free = 1.0 - busiest;
    if free <= LEAST_FREE_SHARE {
        return f64::INFINITY;
    }
    CHANGES_OF_BUSIEST_QUEUE * 2.0 * packet_cycles / (free * free)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1e-9 * expected
    }

    #[test]
    fn the_busiest_channel_asks_for_100_of_its_times() {
        // 2·512/(1 - 0.5)² = 4,096 cycles.
        let found = least_window_by_use(0.5, 512.0);
        assert!(close(found, 100.0 * 4096.0), "{found}");
        let found = least_window_by_use(0.9, 100.0);
        assert!(close(found, 100.0 * 20_000.0), "{found}");
    }

    #[test]
    fn a_channel_without_a_pause_never_settles() {
        assert!(least_window_by_use(1.0, 100.0).is_infinite());
        assert!(least_window_by_use(1.7, 100.0).is_infinite());
    }

    #[test]
    fn batches_last_eight_changes_of_waits() {
        assert_eq!(most_batches(16_000, 100.0), 20);
        assert_eq!(most_batches(16_000, 101.0), 19);
        assert!(
            most_batches(16_000, 0.0) > 1_000_000,
            "as many as there are"
        );
        assert_eq!(most_batches(0, 0.0), 0);
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
