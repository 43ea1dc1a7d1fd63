"""The mistakes planted in what load means, and in what a flit and a cycle are worth."""

from __future__ import annotations

from mutants import mutants

LOADS = [
    *mutants(
        "load",
        r"""
crates/weft-model/src/workload/sizes.rs
  sizes: the mean payload takes shares of bytes for those of packets
    - let total: f64 = sizes.iter().map(|size| weight(size, share_of)).sum();
    -     let bytes = |size: &SizeShare| f64::from(size.payload_bytes) * weight(size, share_of);
    + let total: f64 = sizes.iter().map(|size| size.share).sum();
    +     let bytes = |size: &SizeShare| f64::from(size.payload_bytes) * size.share;
  sizes: shares of bytes are drawn as those of packets
    - sum += weight(size, share_of);
    + sum += size.share;
  sizes: of shares that do not add up to 1 the rest is the last size
    - bound_of(sum / total)
    + bound_of(sum / total.min(1.0))
  sizes: the draw at a bound is that of the size before
    - partition_point(|&bound| bound <= draw)
    + partition_point(|&bound| bound < draw >> 1)
crates/weft-model/src/workload/traffic.rs
  load: that of a link which takes a flit a cycle
    - self.mean_payload_bytes() / load * f64::from(cycles_per_flit)
    + self.mean_payload_bytes() / load / f64::from(cycles_per_flit)
  load: hosts of every rate offer the same bytes
    - pace: self.parameters.pace_of(cycles_per_flit, share)?,
    + pace: self.parameters.pace_of(1, share)?,
  load: hosts offer the same whatever a matrix has for them
    - let is_own = have_amounts && self.destinations.sends(host);
    + let is_own = false && have_amounts && self.destinations.sends(host);
  load: what a matrix has is a share of the link, be it slow or fast
    - let busy = |host| self.destinations.share_of_most(host) * f64::from(cycles_per_flit(host));
    + let busy = |host| self.destinations.share_of_most(host);
  load: the mean rate of hosts is harmonic
    - let rates: Vec<f64> = sending.map(|(_, own)| of(own)).collect();
    + let rates: Vec<f64> = sending.map(|(_, own)| 1.0 / of(own)).collect();
    +         if true { return rates.len() as f64 / rates.iter().sum::<f64>(); }
  load: hosts that do not send count in the mean rate
    - hosts.filter(|(host, _)| self.destinations.sends(*host));
    + hosts.filter(|(host, _)| self.destinations.sends(*host) || true);
  load: hosts that do not send begin to
    - let clock = if self.destinations.sends(host) {
    + let clock = if self.destinations.sends(host) || host.number() == 0 {
  load: links of one slower rate alike are as fast as the fastest
    - hosts().all(|host| cycles_per_flit(host) == 1) {
    + hosts().all(|host| cycles_per_flit(host) == cycles_per_flit(HostId::new(0))) {
  load: a load of 1,000 is too large
    - if !(load > 0.0 && load <= MAX_LOAD) {
    + if !(load > 0.0 && load < MAX_LOAD) {
  streams: the seed does not count
    - let mut random = stream(self.parameters.seed, TRAFFIC, host.number());
    + let mut random = stream(0 * self.parameters.seed, TRAFFIC, host.number());
crates/weft-model/src/workload/arrivals.rs
  bursts: the load is that while a host is on
    - let interval = mean_interval * share_on;
    + let interval = mean_interval + 0.0 * share_on;
  bursts: the share of time off
    - let share_on = mean_on_cycles / (mean_on_cycles + mean_off_cycles);
    + let share_on = mean_off_cycles / (mean_on_cycles + mean_off_cycles);
  bursts: every host begins on
    - let is_on = unit(random) * (on + off) < on;
    + let is_on = unit(random) * (on + off) < on + off;
  bursts: a packet takes no time of the burst
    - self.on_left = self.on_left.saturating_sub(needed);
    + self.on_left = self.on_left.saturating_sub(0 * needed);
  constant: all hosts begin at once
    - next_time: whole(interval * unit(random)),
    + next_time: whole(interval * 0.0 * unit(random)),
  poisson: the first packet comes at the start
    - next_time: exponential(mean_interval, random),
    + next_time: exponential(mean_interval, random) / 1_000_000,
crates/weft-model/src/workload/destinations.rs
  destinations: hosts that send to themselves count as senders
    - let sending_hosts = HostId::from_index(moved.count()).number();
    + let sending_hosts = HostId::from_index(moved.count()).number().max(host_count);
  destinations: probabilities count the host itself
    - let each = 1.0 / f64::from(count - 1);
    + let each = 1.0 / f64::from(count);
crates/weft-model/src/workload/patterns/mod.rs
  service ends: send and receive like compute ends
    - if !fabric.has_service() {
    + if fabric.host_count() > 0 {
  service ends: those that a pattern names take no part
    - reason.filter(|_| !named.contains(&id))
    + reason.filter(|_| named.len() < 99)
""",
    ),
    *mutants(
        "units",
        r"""
crates/weft-engine/src/conditions.rs
  load: offered in bytes per cycle, not in flits
    - offered_load: parameters.load_bytes_per_cycle / flit,
    + offered_load: parameters.load_bytes_per_cycle,
  load: links carry a byte per cycle
    - full_load_bytes_per_cycle: flit * traffic.mean_offered_flits_per_cycle(),
    + full_load_bytes_per_cycle: traffic.mean_offered_flits_per_cycle(),
  load: links of every rate carry a flit per cycle
    - full_load_bytes_per_cycle: flit * traffic.mean_offered_flits_per_cycle(),
    + full_load_bytes_per_cycle: flit,
  load: hosts that do not send offer as well
    - self.sending_host_count as f64 * self.full_load_bytes_per_cycle
    + self.host_count as f64 * self.full_load_bytes_per_cycle
crates/weft-engine/src/measurement/seen.rs
  figures: ns are cycles
    - cycles as f64 * self.conditions.cycle_ns
    + cycles as f64
  figures: of latencies alone
    - cycles.map_or(f64::NAN, |cycles| cycles * self.conditions.cycle_ns)
    + cycles.map_or(f64::NAN, |cycles| cycles / self.conditions.cycle_ns)
  figures: bytes per cycle are bytes per ns
    - load * (bytes_per_cycle / conditions.switch_count as f64 / conditions.cycle_ns)
    + load * (bytes_per_cycle / conditions.switch_count as f64)
  figures: per host instead of per switch
    - load * (bytes_per_cycle / conditions.switch_count as f64 / conditions.cycle_ns)
    + load * (bytes_per_cycle / conditions.host_count as f64 / conditions.cycle_ns)
  figures: the 95th percentile is the 99th
    - p95: ns(cycles.percentile(0.95)),
    + p95: ns(cycles.percentile(0.99)),
  figures: the mean of what fills buffers is in flits
    - share(flit_cycles, self.window_cycles()) * self.conditions.flit_bytes as f32
    + share(flit_cycles, self.window_cycles())
  figures: the most that fills buffers is in flits
    - flits * self.conditions.flit_bytes
    + flits
  figures: a host's load is in bytes per cycle
    - let full = |host| self.conditions.full_load_bytes_per_cycle_of(host) as f32;
    + let full = |_| 1.0_f32;
  figures: a host's load is of the mean link
    - self.conditions.full_load_bytes_per_cycle_of(host) as f32
    + self.conditions.full_load_bytes_per_cycle as f32
  figures: work before the run counts
    - of(&self.simulator.work_done()) - of(&self.outcome.counters_before)
    + of(&self.simulator.work_done())
crates/weft-engine/src/measurement/table.rs
  figures: the interval of the accepted load is in bytes per cycle
    - seen.outcome.known.accepted.half_width / seen.conditions.full_load_bytes_per_cycle_of_all()
    + seen.outcome.known.accepted.half_width
  figures: what is offered is what is accepted
    - |seen| seen.per_switch(seen.conditions.offered_load);
    + |seen| seen.per_switch(seen.accepted_load());
  figures: the network's latency has the interval of that from generation
    - |seen| seen.latency(&seen.recorder.network_latency, &seen.outcome.known.network);
    + |seen| seen.latency(&seen.recorder.network_latency, &seen.outcome.known.generation);
  figures: the warm-up is all that was simulated
    - |seen| seen.ns(seen.outcome.warm_up_cycles);
    + |seen| seen.ns(seen.outcome.simulated_cycles);
  figures: halted channels are busy
    - |seen| seen.of_channels(|channel| channel.blocked_cycles);
    + |seen| seen.of_channels(|channel| channel.busy_cycles);
crates/weft/src/traffic.rs
  load: a flit is a byte
    - load_bytes_per_cycle: self.load * f64::from(flit_bytes),
    + load_bytes_per_cycle: self.load,
  bursts: a cycle lasts 1 ns
    - arrivals: Arrivals::parse(&self.arrivals, cycle_ns)?,
    + arrivals: Arrivals::parse(&self.arrivals, 1.0)?,
crates/weft-model/src/workload/arrivals.rs
  bursts: nanoseconds are cycles
    - mean_on_cycles: values.parsed::<f64>("on_ns") / cycle_ns,
    + mean_on_cycles: values.parsed::<f64>("on_ns"),
crates/weft-model/src/timing.rs
  cycles: times are cut, not rounded
    - (time_ns / cycle_ns).round() as u32
    + (time_ns / cycle_ns) as u32
  cycles: a flight is rounded
    - ((cycles - 1e-9).ceil() as u32).max(1)
    + (cycles.round() as u32).max(1)
  cycles: ports count at one end of a cable
    - (metres * self.ns_per_metre + 2.0 * port_ns) / cycle_ns
    + (metres * self.ns_per_metre + port_ns) / cycle_ns
  rates: the clock is that of the slowest link
    - rates.sort_by(|a, b| b.0.total_cmp(&a.0));
    + rates.sort_by(|a, b| a.0.total_cmp(&b.0));
  rates: InfiniBand's words always count
    - rate.filter(|rate| self.uses_lanes || rate.lanes().is_none())
    + rate.filter(|rate| self.uses_lanes || rate.lanes().is_some() || rate.lanes().is_none())
  rates: a cycle is a flit of the fastest link, whatever the others need
    - let cycle_ns = self.flit_bits / fastest / f64::from(divisor);
    + let cycle_ns = self.flit_bits / fastest;
crates/weft-model/src/hardware/cut_through_hardware/mod.rs
  flits: headers are cut to whole ones
    - overhead_flits: self.overhead_bytes.div_ceil(self.flit_bytes),
    + overhead_flits: self.overhead_bytes / self.flit_bytes,
  flits: buffers are in bytes
    - input_buffer_flits: flits(self.input_buffer_bytes),
    + input_buffer_flits: self.input_buffer_bytes,
  flits: the least packet is in bytes
    - least_flits: self.least_packet_bytes.div_ceil(self.flit_bytes).max(1),
    + least_flits: self.least_packet_bytes.max(1),
  flits: the crossbar is as fast as the slowest link
    - timings.iter().map(cycles).min().unwrap_or(1)
    + timings.iter().map(cycles).max().unwrap_or(1)
  flits: thresholds of stop and go change places
    - stop_above_flits: flits(self.stop_above_bytes),
    -                     go_below_flits: flits(self.go_below_bytes),
    + stop_above_flits: flits(self.go_below_bytes),
    +                     go_below_flits: flits(self.stop_above_bytes),
crates/weft-model/src/hardware/wormhole_hardware/mod.rs
  Myrinet: in-transit packets wait for the DMA alone
    - nearest_cycles(self.in_transit_recognition_ns + self.in_transit_dma_ns),
    + nearest_cycles(self.in_transit_dma_ns),
  Myrinet: the timeout is in cycles of 1 ns
    - .then(|| NonZeroU32::new(nearest_cycles(self.timeout_ns)))
    + .then(|| NonZeroU32::new(self.timeout_ns as u32))
  Myrinet: transfers per KiB take as long as those of a byte
    - transfer_cycles_per_kib: cycles(self.transfer_ns_per_byte * 1024.0),
    + transfer_cycles_per_kib: cycles(self.transfer_ns_per_byte * 1000.0),
""",
    ),
]
