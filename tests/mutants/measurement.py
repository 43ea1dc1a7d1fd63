"""The mistakes planted in how long runs last and what is said of their figures."""

from __future__ import annotations

from mutants import mutants

MEASUREMENT = mutants(
    "measurement",
    r"""
crates/weft-engine/src/run/control.rs
  end: at the first look that finds a run precise
    - spent || (is_precise && was_precise)
    + spent || is_precise
  warm-up: may last less than ten latencies
    - WARM_UP_LATENCIES * network_latency
    + 0.0 * network_latency
  warm-up: waits need not have changed
    - latencies.max(WARM_UP_CHANGES * change)
    + latencies.max(0.0 * change)
  window: what was noted before it stays
    - self.warm_up_packets = self.delivered_packets(); self.recorder = Recorder::default();
    + self.warm_up_packets = self.delivered_packets();
  accepted: known by what is generated, however fast queues grow
    - && known.has_seen_queues_change()
    + && known.window_cycles > 0
crates/weft-engine/src/run/generated.rs
  accepted: what was generated before the window counts
    - packet.generation_cycle < cycle
    + packet.generation_cycle < 0 * cycle
  accepted: what is generated when a slice ends belongs to it
    - packet.generation_cycle < self.end_cycle
    + packet.generation_cycle <= self.end_cycle
crates/weft-engine/src/run/known.rs
  window: queues need not have changed
    - self.window_cycles as f64 >= self.latencies_need
    + true
  window: the network need not have turned over
    - self.window_cycles as f64 >= turns * self.network.mean
    + true
  window: latencies from generation have an interval beyond saturation
    - self.accepted = self.accepted_adrift; self.generation = self.generation.without_interval();
    + self.accepted = self.accepted_adrift;
  end: latency in a network with pools changes as fast as waits in it
    - let network_change_cycles = if has_pools {
    + let network_change_cycles = if false {
  end: network latency changes as slowly as waits at hosts do
    - network_at_the_end: at_the_end(network, network_change_cycles),
    + network_at_the_end: at_the_end(network, change_cycles),
crates/weft-engine/src/run/verdict.rs
  saturation: below 0.90
    - const SATURATED_BELOW: f64 = 0.95;
    + const SATURATED_BELOW: f64 = 0.90;
  saturation: what it accepts is always known by few batches
    - let has_settled_inside = known.has_settled_inside();
    + let has_settled_inside = false;
  end: early however long queues may still become
    - spent || known.may_end_early()
    + true
  saturation: by the mean, whatever its interval
    - adrift.mean + half_width,
    + adrift.mean,
crates/weft-engine/src/run/slowest_queue.rs
  change: by the mean of squares
    - fourth.sqrt() / conditions.mean_packet_cycles()
    + fourth.sqrt().sqrt()
  channels: the least busy one
    - busy.fold(0.0, f64::max)
    + busy.fold(1.0, f64::min)
  interval: waits are slow only where they change less than eight times
    - const CHANGES_OF_FAST_WAITS: f64 = 63.0 * 16.0;
    + const CHANGES_OF_FAST_WAITS: f64 = 8.0;
  interval: at the end the second widest counts however little was seen
    - const CHANGES_TO_NARROW: f64 = 100.0;
    + const CHANGES_TO_NARROW: f64 = 3.0;
  end: early after as few changes as an interval asks for
    - CHANGES_TO_END * change_cycles
    + CHANGES_TO_TELL * change_cycles
  channels: one that never rests settles
    - return f64::INFINITY;
    + return 0.0;
crates/weft-engine/src/run/parameters.rs
  window: 2,000 packets
    - DEFAULT_MIN_PACKETS: u64 = 50_000
    + DEFAULT_MIN_PACKETS: u64 = 2_000
crates/weft-engine/src/statistics/intervals.rs
  interval: batches that depend on one another count
    - lengths.iter().find(|length| length.are_independent())
    + lengths.first()
  interval: a trend has one
    - .filter(|length| !length.have_trend()).map_or(f64::NAN, |length| length.half_width(0.0))
    + .map_or(f64::NAN, |length| length.half_width(0.0))
  interval: slow series that are correlated to the end have none
    - &lengths[independent.unwrap_or(lengths.len().saturating_sub(1))..]
    + &lengths[independent.unwrap_or(lengths.len())..]
  accepted: what queues hold more at the end than at the beginning does not count
    - length.half_width_beside(least_correlation, at_ends)
    + length.half_width_beside(least_correlation, 0.0 * at_ends)
  accepted: what batches vary beyond what is generated counts in each of them
    - length.half_width_beside(least_correlation, at_ends)
    + length.half_width_beside(least_correlation, at_ends * of_own.len() as f64 * 20.0)
crates/weft-engine/src/statistics/slow_series.rs
  interval: slow series have one where they rise or fall all along
    - independent.is_none_or(Deviations::have_trend)
    + independent.is_none()
  interval: of slow series short batches alone count
    - let widths = widest_first(&lengths);
    + let widths = widest_first(&lengths[..1]);
  interval: of slow series correlated batches do not count
    - let widths = widest_first(&lengths);
    + let widths = widest_first(from_first_independent(&lengths));
  interval: of slow series the widest one counts where no run ends by it
    - self.by_all_lengths(1)
    + self.by_all_lengths(0)
  interval: of slow series the narrowest one counts where no run ends by it
    - self.by_all_lengths(1)
    + self.by_all_lengths(9)
crates/weft-engine/src/statistics/deviations.rs
  interval: skewness does not count
    - self.adjusted_quantile(variance) * error
    + two_sided_quantile(CONFIDENCE, self.degrees()) * error
  interval: correlation does not count
    - (1.0 + correlation) / (1.0 - correlation)
    + 1.0 + 0.0 * correlation
  interval: batches that alternate by chance widen it and never narrow it
    - self.correlation().max(least_correlation)
    + self.correlation().max(0.0)
  interval: one degree of freedom too many
    - self.each.len() as u32 - 1
    + self.each.len() as u32
crates/weft-engine/src/statistics/warm_up.rs
  warm-up: may end in the last half
    - 2 * best_first < groups.len()
    + 4 * best_first < 3 * groups.len()
crates/weft-engine/src/histogram.rs
  moment: about zero
    - (middle - mean).powi(4)
    + middle.powi(4)
""",
)
