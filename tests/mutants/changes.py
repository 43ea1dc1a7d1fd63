"""The mistakes planted where parts of a cut-through network fail and tables change."""

from __future__ import annotations

from mutants import mutants

CHANGES = mutants(
    "changes",
    r"""
crates/weft-engine/src/cut_through/flow/credits/mod.rs
  links are given ahead of time though they change until then
    - (!S::CHANGES || turn.at < network.clock.horizon)
    + true
  what is on a channel when it fails is not noted
    - let is_beyond = S::CHANGES && sending.last_arrival >= network.clock.horizon;
    + let is_beyond = S::CHANGES && sending.last_arrival > network.clock.horizon;
crates/weft-engine/src/cut_through/core/mod.rs
  a network in which something happens is taken for one in which nothing does
    - if self.network.happening.is_any() {
    + if false {
crates/weft-engine/src/cut_through/flow/credits/passing.rs
  who meets nobody passes though the link changes until then
    - if S::CHANGES && leaves_at >= network.clock.horizon { return false; }
crates/weft-engine/src/cut_through/flow/credits/changing.rs
  what is discarded gives its room back at once
    - let released_at = crossbar.released_at(now, flits, last_arrival);
    + let released_at = last_arrival.max(now) + 1;
  cycles before a failure for which a packet was kept back are not counted
    - network.switches.waiting.keep_back(outlet, blocked);
  cycles for which a packet was kept back count twice
    - packet.at = packet.at.max(now);
  nobody looks again whether there is room
    - network.channels[channel].known = LaneSet::EMPTY; for
    + for
crates/weft-engine/src/cut_through/changes.rs
  what a failure breaks is delivered
    - self.packets[under_way.packet].is_broken = true;
  a number is taken for a packet that is gone
    - under_way.channel == channel && under_way.is_on(&self.packets)
    + under_way.channel == channel
  sources send again once more often
    - retries.filter(|retries| packet.attempt < retries.count)
    + retries.filter(|retries| packet.attempt <= retries.count)
  a source does not look when it is to send again
    - self.contest(self.hosts.sources[source].channel);
  deliveries to come are forgotten at a change
    - let least = if under_way.delivers { now } else { horizon };
    + let least = horizon;
crates/weft-engine/src/happening.rs
  a failed switch leaves the channels to it alone
    - .flat_map(|&channel| [channel, channel.reverse()]);
    + .flat_map(|&channel| [channel]);
  a channel works when its link returns, its switch or not
    - self.failures[channel] -= 1;
    + self.failures[channel] = 0;
crates/weft-engine/src/cut_through/packet_state.rs
  a packet that is sent again stands in the queue where it first did
    - joined_cycle, attempt: self.attempt + 1,
    + joined_cycle: self.generation_cycle, attempt: self.attempt + 1,
crates/weft-engine/src/cut_through/hosts.rs
  what is generated in the same cycle goes first
    - due_cycle <= train.packet.generation_cycle
    + due_cycle < train.packet.generation_cycle
crates/weft-engine/src/cut_through/network.rs
  what is sent again waits for ever behind queue pairs
    - while has_queue_pairs || self.channels[channel].loaded != self.lanes.all() {
    + while !has_queue_pairs && self.channels[channel].loaded != self.lanes.all() {
  what is sent again is told its way behind what is generated
    - self.feed::<Changing>(host, channel, self.clock.now());
    - self.join_queue_pairs(host, act.packets.drain(..));
    + self.join_queue_pairs(host, act.packets.drain(..));
crates/weft-engine/src/cut_through/waiting_hosts.rs
  the first of a queue pair is told its way by the tables of its generation
    - guide.header(host, packet.destination, above, now);
    + guide.header(host, packet.destination, above, packet.generation_cycle);
crates/weft-model/src/workload/program/execution/nic.rs
  what arrives after a failure is noticed in any order
    - self.arrivals.insert(place, arrival);
    + let _ = place; self.arrivals.push_back(arrival);
crates/weft-model/src/changes.rs
  a source sends again what is under way
    - timeout.max(loss_cycle + 1)
    + timeout
crates/weft-routing/src/form/changing_forwarding.rs
  entries written by themselves outlast other tables
    - self.written[switch.index()].clear();
  an entry to a port without a cable leads on
    - Some(Some(port).filter(|&port| is_wired(port)))
    + Some(Some(port).filter(|&port| is_wired(port) || port.number() == 200))
  hosts write headers by the tables they have now
    - had.iter().rev().find(|&&(since, _)| since <= joins_cycle);
    + had.iter().rev().next();
  an entry that leads to another host is taken
    - PortTarget::Host => tables.is_there(header, entry.switch),
    + PortTarget::Host => true,
""",
)
