//! How long a window must be at least, from the queues in it: a mean over less time than the slowest
//! queue takes to change is that of one of its moods, however even it looks.

use crate::conditions::Conditions;
use crate::histogram::Histogram;
use crate::probe::Simulator;
use weft_fabric::ChannelId;

/// A window lasts this many of the times in which waits change that were seen in it, for its mean latencies
/// to be told. No more: windows that have seen long queues would be left out, and the others' means are too low.
const CHANGES_TO_TELL: f64 = 3.0;

/// And this many for them to end a run before its budget: of shorter windows those would that have seen
/// few long queues.
const CHANGES_TO_END: f64 = 300.0;

/// For both it lasts this many of the times in which the busiest channel's queue changes: that is known
/// after few packets, also where long waits have not come yet.
const CHANGES_OF_BUSIEST_QUEUE: f64 = 100.0;

/// Waits are slow in a window of fewer of the times in which they change: of 63 batches some would see fewer than sixteen.
const CHANGES_OF_FAST_WAITS: f64 = 63.0 * 16.0;

/// A window that has used up its budget and has seen this many of the times in which waits change is known by less than
/// the widest interval there is.
const CHANGES_TO_NARROW: f64 = 100.0;

/// The least share of time a channel is taken to be free.
const LEAST_FREE_SHARE: f64 = 1e-6;

/// The time in which waits change, in cycles: a queue in which packets wait for W grows and shrinks by
/// one packet's time S with each packet, at random, so it takes (W/S)² packets to forget how long it
/// was. Slow queues count as they do in a mean: W² is averaged as its root mean square.
pub(super) fn change_of_waits(latency: &Histogram, conditions: &Conditions) -> f64 {
    let fourth = latency.fourth_central_moment().unwrap_or(0.0);
    fourth.sqrt() / conditions.mean_packet_cycles()
}

/// Whether the waits of a window, which change in so many cycles, are slow: then no batches of it are known to be long
/// enough.
pub(super) fn are_slow(window_cycles: u64, change_cycles: f64) -> bool {
    (window_cycles as f64) < CHANGES_OF_FAST_WAITS * change_cycles
}

/// Whether so many have been seen of slow waits that the widest interval, were no run to end by it, would hold too often.
pub(super) fn are_seen(window_cycles: u64, change_cycles: f64) -> bool {
    window_cycles as f64 >= CHANGES_TO_NARROW * change_cycles
}

/// Cycles a window must last by its queues.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeastWindow {
    /// For mean latencies to be told.
    pub(super) to_tell: f64,
    /// For them to end a run before its budget.
    pub(super) to_end: f64,
}

impl LeastWindow {
    /// By the time in which the waits seen in a window
    /// change and by how busy channels were. A channel that is always busy has a queue that never
    /// settles, and the times are infinite.
    pub(super) fn of<S: Simulator>(
        simulator: &S,
        change_cycles: f64,
        conditions: &Conditions,
        window_cycles: u64,
    ) -> Self {
        let busy = (0..conditions.channel_count).map(|channel| {
            let used = simulator.channel_use(ChannelId::from_index(channel));
            (used.busy_cycles + used.blocked_cycles) as f64 / window_cycles as f64
        });
        Self::by(
            change_cycles,
            change_of_busiest_queue(busy.fold(0.0, f64::max), conditions.mean_packet_cycles()),
        )
    }

    fn by(change_cycles: f64, busiest_cycles: f64) -> Self {
        let by_use = CHANGES_OF_BUSIEST_QUEUE * busiest_cycles;
        Self {
            to_tell: by_use.max(CHANGES_TO_TELL * change_cycles),
            to_end: by_use.max(CHANGES_TO_END * change_cycles),
        }
    }
}

/// The time in which the queue of the channel busiest of all changes, in cycles. A queue that is busy for a
/// share ρ of the time takes about 2·S/(1-ρ)² to forget how long it was.
///
/// # Source
/// W. Whitt, "Planning queueing simulations", Management Science 35 (1989), for queues near their
/// capacity.
fn change_of_busiest_queue(busiest: f64, packet_cycles: f64) -> f64 {
    let free = 1.0 - busiest;
    if free <= LEAST_FREE_SHARE {
        return f64::INFINITY;
    }
    2.0 * packet_cycles / (free * free)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1e-9 * expected
    }

    #[test]
    fn a_queue_changes_the_more_slowly_the_busier_its_channel() {
        // 2·512/(1 - 0.5)² = 4,096 cycles.
        let found = change_of_busiest_queue(0.5, 512.0);
        assert!(close(found, 4096.0), "{found}");
        let found = change_of_busiest_queue(0.9, 100.0);
        assert!(close(found, 20_000.0), "{found}");
    }

    #[test]
    fn a_channel_without_a_pause_never_settles() {
        assert!(change_of_busiest_queue(1.0, 100.0).is_infinite());
        assert!(change_of_busiest_queue(1.7, 100.0).is_infinite());
    }

    #[test]
    fn a_window_is_told_of_after_3_changes_and_ends_a_run_after_300() {
        let by_waits = LeastWindow::by(20.0, 0.1);
        assert!(close(by_waits.to_tell, 60.0) && close(by_waits.to_end, 6000.0));
        let by_use = LeastWindow::by(1.0, 20.0);
        assert!(close(by_use.to_tell, 2000.0) && close(by_use.to_end, 2000.0));
    }

    #[test]
    fn waits_are_slow_that_change_less_than_1008_times() {
        assert!(!are_slow(100_800, 100.0));
        assert!(are_slow(100_800, 100.1));
        assert!(!are_slow(1, 0.0), "nothing waits");
    }

    #[test]
    fn slow_waits_are_seen_once_they_have_changed_100_times() {
        assert!(are_seen(10_000, 100.0));
        assert!(!are_seen(10_000, 100.1));
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
