"""The mistakes planted in the wormhole engine, one place each, as a tired programmer might.

Lists of mistakes are texts: a file, below it what goes wrong there, in a few words, and as in a
patch the source text that must occur once in the file and the text in its place, if any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MISTAKE = re.compile(
    r"(?m)^(?:(?P<file>\S+)\n)?  (?P<name>\S.*?)(?: \[(?P<cases>\d+) cases\])?\n"
    r"(?P<search>(?:    - .*\n)+)(?P<replace>(?:    \+ .*\n)*)"
)


@dataclass(frozen=True)
class Mutant:
    """One mistake, and the tests that are to notice it: those of an engine, or of programs.

    It shows among so many differential cases; few show what is rare.
    """

    name: str
    file: str
    search: str
    replace: str
    model: str
    cases: int


def mutants(model: str, text: str) -> list[Mutant]:
    """Read a list of mistakes that the tests of a model are to notice."""
    if left := MISTAKE.sub("", text).strip():
        raise ValueError(f"no mistake: {left}")
    found, file = [], ""
    for entry in MISTAKE.finditer(text):
        file = entry["file"] or file
        texts = (re.sub(r"(?m)^ {4}[-+] ", "", entry[of]) for of in ("search", "replace"))
        search, replace = (text.removesuffix("\n") for text in texts)
        found.append(Mutant(entry["name"], file, search, replace, model, int(entry["cases"] or 0)))
    return found


WORMHOLE = mutants(
    "wormhole",
    r"""
crates/weft-engine/src/wormhole/junction.rs
  round robin: pointer not advanced
    - self.last_granted = port;
crates/weft-engine/src/wormhole/core/departures.rs
  the longest wait counts from the arrival
    - let waited = now - self.traffic.packets[packet].asking_since;
    + let waited = now - self.traffic.packets[packet].head_arrival;
crates/weft-engine/src/wormhole/switching/mod.rs
  the third packet of a buffer is forgotten
    - queue.second = self.crowds.pop(input).into();
  waits that go on do not count
    - longest_wait.max(waiting.map_or(0, |since| now - since))
    + longest_wait
  the longest wait goes on over a reset
    - self.longest_waits[channel] = 0;
crates/weft-engine/src/wormhole/switching/timeouts.rs
  a packet is discarded one cycle late
    - asking_since + timeout;
    + asking_since + timeout + 1;
crates/weft-engine/src/wormhole/switching/arbitration.rs
  round robin: the last port may win again
    - masks[word] & (u64::MAX << bit << 1)
    + masks[word] & (u64::MAX << bit)
  random: the same draw for every grant
    - self.grants[output] += 1;
  random: the last of the ports is never chosen
    - random_choice(seed, output.number(), grants, count)
    + random_choice(seed, output.number(), grants, count.max(2) - 1)
  injection time: generation counts
    - packet_at(port).injection_cycle
    + packet_at(port).generation_cycle
  injection time: ties in turn
    - injection_cycle, port)
    + injection_cycle, turn(port))
  waiting time: the time behind other packets does not count
    - packet_at(port).head_arrival
    + packet_at(port).asking_since
  waiting time: ties in turn
    - head_arrival, port)
    + head_arrival, turn(port))
  distance to travel: the farthest first
    - (packet.step_count - packet.step, turn(port))
    + (Reverse(packet.step_count - packet.step), turn(port))
  distance to travel: ties by port
    - (packet.step_count - packet.step, turn(port))
    + (packet.step_count - packet.step, port)
  distance to travel: stops in transit made count as well
    - (packet.step_count - packet.step, turn(port))
    + (packet.step_count - packet.step + packet.in_transit_stops, turn(port))
  distance travelled: the shortest first
    - Reverse(packet_at(port).step)
    + packet_at(port).step
  distance travelled: ties by port
    - .step), turn(port))
    + .step), port)
crates/weft-engine/src/wormhole/flow/forecast.rs
  stop sent one flit too early
    - (self.stop_above + 1 - self.flits, slope)
    + (self.stop_above - self.flits, slope)
  go sent one flit too early
    - (self.flits - (self.go_below - 1), -slope)
    + (self.flits - self.go_below, -slope)
  go sent one cycle late
    - let mut cycle = self.drain.start.max(self.cycle) + above;
    + let mut cycle = self.drain.start.max(self.cycle) + above + 1;
  flits on the way do not put a go off
    - cycle += (arrivals.end + 1).since(arrivals.start.max(self.cycle));
  a buffer that just fills is thought to be above the stop threshold
    - let mut cycle = arrivals.start.max(self.cycle) + room;
    + let mut cycle = arrivals.start.max(self.cycle) + room.saturating_sub(1);
  a drain that starts one cycle late is thought to put a stop off
    - if cycle >= self.drain.start {
    + if cycle + 1 >= self.drain.start {
  thresholds are thought to be farther away than they are
    - u64::from((missing - 2).unsigned_abs())
    + u64::from((missing + 2).unsigned_abs())
crates/weft-engine/src/wormhole/flow/supply.rs
  an output is thought to be fed by what arrives one cycle later
    - self.timing.latency(input) <= now;
    + self.timing.latency(input) <= now + 1;
  an output is thought to be fed to the tail by less than that
    - since.is_some_and(is_here) && next + u64::from(output.flits) - sent <= last
    + since.is_some_and(is_here) && next < last
crates/weft-engine/src/wormhole/pools/meter.rs
  what leaves a pool does not count where it is fullest
    - most = most.max(held - leaves.flits_through(comes.last));
    + most = most.max(held);
  what leaves a pool counts one cycle longer
    - flit_cycles - leaves.flit_cycles_until(now);
    + flit_cycles - leaves.flit_cycles_until(now) + leaves.flits;
crates/weft-engine/src/wormhole/flow/mod.rs
  runs are forgotten while their flits are under way
    - let two_flights = 2 * self.timing.latency(channel) + 2;
    + let two_flights = 2;
  a packet in transit passes before its first flit is here
    - feed.run.cycle_of(1) + latency <= now
    + feed.run.cycle_of(0) + latency <= now
  blocked time not counted from the grant
    - self.blocked[channel].since = now;
crates/weft-engine/src/wormhole/core/claims.rs
  routing delay one cycle longer for who passes
    - self.switching.routing_delay.max(pace)
    + self.switching.routing_delay.max(pace) + 1
crates/weft-engine/src/wormhole/flow/channel.rs
  a packet passes that comes with a pause
    - stop_above.unsigned_abs()) && feed.is_whole()
    + stop_above.unsigned_abs())
  a drain slower than the feed is thought to keep pace
    - feed.run.stride == pace && delay
    + delay
crates/weft-engine/src/wormhole/flow/history.rs
  a run is forgotten while its last flits are under way
    - self.runs[before].run.end < since
    + self.runs[before].run.start < since
crates/weft-engine/src/wormhole/flow/symbols.rs
  a symbol is forgotten while another is under way
    - self.later_symbols.push(channel, cycle);
  blocked while a flit is leaving
    - now.max(self.leaves_until(now, channel))
    + now
crates/weft-engine/src/wormhole/hosts/backlog.rs
  priority of local and in-transit packets swapped
    - !self.is_long(now, workload, local_equal_at) ||
    + self.is_long(now, workload, local_equal_at) ||
  local queue counts as long one packet too late
    - self.has_waiting(workload, missing, now)
    + self.has_waiting(workload, missing + 1, now)
  packets of a long local queue that are sent meanwhile count on
    - ahead.counted -= 1;
    + ahead.counted -= 0;
  retransmissions do not count in the local queue
    - .take_while(|again| again.lost.due <= now).count();
    + .take_while(|again| again.lost.due < again.lost.due).count();
  alternation forgets which queue was served
    - self.served_in_transit_last = in_transit_first;
  packets lost in one cycle queue in any order
    - other.lost <= lost
    + other.lost.due <= lost.due
crates/weft-engine/src/wormhole/hosts/mod.rs
  in-transit packet ready one cycle early
    - let mut ready = clock.now() + self.in_transit_delay;
    + let mut ready = clock.now() + self.in_transit_delay.saturating_sub(1);
  in-transit packet sent from its mark on
    - first_index: mark.first_index + 1,
    + first_index: mark.first_index,
  host memory costs nothing
    - ready += overflow_cycles(self.overflow);
crates/weft-engine/src/wormhole/pools/mod.rs
  a packet that just fits overflows
    - u64::from(flits) <= self.capacity
    + u64::from(flits) < self.capacity
  host memory packets are counted in the pool
    - self.states[host].sends = pooled;
    + self.states[host].sends = true;
crates/weft-engine/src/wormhole/core/losses.rs
  a packet is discarded after a routing delay
    - self.departure(Origin::at(input, packet), now, true);
    + self.departure(Origin::at(input, packet), now + self.switching.routing_delay, true);
crates/weft-engine/src/wormhole/core/deadlock.rs
  packets that wait count as deadlocked before they are stopped
    - !is_free && self.flow.heeds_stop(output)
    + !is_free
  discarded packets count as deadlocked before
    - if any.switching.timeout.is_some() {
    + if false {
crates/weft-engine/src/wormhole/core/receptions.rs
  lost packet sent again one cycle late
    - Some(cycle + self.hosts.retransmit_after)
    + Some(cycle + self.hosts.retransmit_after + 1)
  only the last channel damages a packet
    - hops + flits - 1
    + flits - 1
crates/weft-engine/src/wormhole/traffic.rs
  a packet sent again goes on where it was lost
    - packet.step = 0;
  a packet that takes a step back carries the ports from further back on
    - self.packets[packet].ports = ports >> (8 * (step - carried_from));
    + self.packets[packet].ports = ports;
crates/weft-engine/src/wormhole/core/claims.rs
  who comes in the same cycle finds a claim that stands
    - record.junction.is_claimed() && self.asks_in(output) >= self.clock.now()
    + record.junction.is_claimed() && self.asks_in(output) > self.clock.now()
  what others ask for is claimed
    - if !self.settle(output) || self.switching.has_requests(&self.flow.channels, output) {
    + if !self.settle(output) {
  a head that is to ask again arrives when it was last to
    - self.traffic.packets[packet].head_arrival = asks_in;
  claims stand when what they rest on changes
    - && self.flow.packet(output) == self.flow.packet(channel)
    + && false
crates/weft-engine/src/wormhole/junction.rs
  round robin goes on behind who gave a claim up
    - self.last_granted = std::mem::replace(&mut self.granted_before, UNCLAIMED);
    + self.granted_before = UNCLAIMED;
crates/weft-engine/src/wormhole/switching/mod.rs
  grants by chance are not counted where they are claimed
    - self.grants.is_empty()
    + true
crates/weft-engine/src/wormhole/core/departures.rs
  output granted again in the cycle of the tail
    - if self.flow.packet(output).is_some() {
    + let (run, _) = self.flow.run(output);
    + if self.flow.packet(output).is_some() && run.end != self.clock.now() {
  routing delay one cycle longer
    - self.next_departure(origin, now + self.switching.routing_delay, awaited)
    + self.next_departure(origin, now + self.switching.routing_delay + 1, awaited)
  a head behind a leaving packet is forgotten
    - is_followed ||
  who lost the arbitration fills a buffer nobody looks at
    - self.touch_losers(output);
crates/weft-engine/src/wormhole/flow/crossings.rs
  a crossing soon after another is not looked for
    - unsigned_abs()) + 1
    + unsigned_abs()) + 20
crates/weft-engine/src/wormhole/flow/tally.rs
  blocked time goes on over a reset
    - blocked.since = blocked.since.max(now);
  a flit that is leaving counts as sent
    - - (last + pace).since(now)
crates/weft-engine/src/wormhole/pools/meter.rs
  a pool that empties counts its level before as the highest
    - held.saturating_sub(leaves.flits_through(self.cycle));
    + held;
crates/weft-engine/src/wormhole/flow/run.rs
  a flit arrives before it is there as a whole
    - timing.latency_cycles()
    + u64::from(timing.flight_cycles)
crates/weft-engine/src/wormhole/flow/supply.rs
  one flit that comes too slowly is sent all the same
    - let in_time = (turn - arrivals.start) / (slower - pace) + 1;
    + let in_time = (turn - arrivals.start) / (slower - pace) + 2;
  flits that come slowly are sent at the pace of the channel
    - supply.stride = arrivals.stride;
crates/weft-engine/src/wormhole/flow/plan.rs
  a flit begins to leave while another is leaving
    - first.max(self.leaves_until(now, channel))
    + first
crates/weft-engine/src/reporting.rs
  packets are reported as they left, not as they arrive
    - record.delivery_cycle < cycle
    + record.delivery_cycle < u64::MAX
crates/weft-engine/src/wormhole/hosts/firmware.rs
  firmware: the early receive waits for the whole packet
    - let needed = head.flits.min(EARLY_FLITS);
    + let needed = head.flits;
  firmware: packets of the host's go before those in transit
    - if is_ready && can_send {
    + if is_ready && !self.is_send_taken && self.ready.is_empty() {
  firmware: receiving does not slow a transfer
    - u32::from(sends) + u32::from(receives)
    + u32::from(sends)
  firmware: packets in host memory are sent on at once
    - if packet.pooled { 0 } else { overflow_cycles }
    + if packet.pooled { 0 } else { overflow_cycles / 2 }
  firmware: a packet in transit overtakes one that waits
    - in_transit && !waits && is_pooled
    + in_transit && is_pooled
  firmware: a packet that was dropped raises an event [2000 cases]
    - reception.what = Received::Nothing;
""",
)
