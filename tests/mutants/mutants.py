"""The mistakes planted in the wormhole engine, one place each, as a tired programmer might."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One mistake.

    Attributes
    ----------
    name : str
        What goes wrong, in a few words.
    file : str
        File below the model's folder.
    search : str
        Source text that must occur exactly once in the file.
    replace : str
        Text in its place.
    model : str
        Folder below ``crates/weft-engine/src``.
    cases : int
        Differential cases among which it shows; few show what is rare.
    """

    name: str
    file: str
    search: str
    replace: str
    model: str = "wormhole"
    cases: int = 0


MUTANTS = (
    Mutant(
        "round robin: pointer not advanced",
        "switch.rs",
        "self.last_granted[output as usize] = self.channels[input as usize].ends.target_port;",
        "",
    ),
    Mutant(
        "round robin: the last port may win again",
        "arbitration.rs",
        "masks[word] & (u64::MAX << bit << 1)",
        "masks[word] & (u64::MAX << bit)",
    ),
    Mutant(
        "random: the same draw for every grant",
        "arbitration.rs",
        "self.grants[output as usize] += 1;",
        "",
    ),
    Mutant(
        "random: the last of the ports is never chosen",
        "arbitration.rs",
        "random_choice(seed, output, grants, ports.count())",
        "random_choice(seed, output, grants, ports.count().max(2) - 1)",
    ),
    Mutant(
        "injection time: generation counts",
        "arbitration.rs",
        "self.packet_at(output, port).injection_cycle",
        "self.packet_at(output, port).generation_cycle",
    ),
    Mutant(
        "injection time: ties in turn",
        "arbitration.rs",
        "injection_cycle, port)",
        "injection_cycle, turn(port))",
    ),
    Mutant(
        "waiting time: the time behind other packets does not count",
        "arbitration.rs",
        "self.visit_at(output, port).head_arrival",
        "self.visit_at(output, port).asking_since",
    ),
    Mutant(
        "waiting time: ties in turn",
        "arbitration.rs",
        "head_arrival, port)",
        "head_arrival, turn(port))",
    ),
    Mutant(
        "distance to travel: the farthest first",
        "arbitration.rs",
        "(packet.step_count - packet.step, turn(port))",
        "(Reverse(packet.step_count - packet.step), turn(port))",
    ),
    Mutant(
        "distance to travel: ties by port",
        "arbitration.rs",
        "(packet.step_count - packet.step, turn(port))",
        "(packet.step_count - packet.step, port)",
    ),
    Mutant(
        "distance to travel: stops in transit made count as well",
        "arbitration.rs",
        "(packet.step_count - packet.step, turn(port))",
        "(packet.step_count - packet.step + packet.in_transit_stops, turn(port))",
    ),
    Mutant(
        "distance travelled: the shortest first",
        "arbitration.rs",
        "Reverse(self.packet_at(output, port).step)",
        "self.packet_at(output, port).step",
    ),
    Mutant(
        "distance travelled: ties by port",
        "arbitration.rs",
        ".step), turn(port))",
        ".step), port)",
    ),
    Mutant(
        "the longest wait counts from the arrival",
        "switch.rs",
        "max(self.now - front.asking_since)",
        "max(self.now - front.head_arrival)",
    ),
    Mutant(
        "waits that go on do not count",
        "mod.rs",
        "longest_wait.max(self.longest_wait_now(channel.number()))",
        "longest_wait",
    ),
    Mutant(
        "the longest wait goes on over a reset",
        "mod.rs",
        "blocked.longest_wait = 0;",
        "",
    ),
    Mutant(
        "stop sent one flit too early",
        "forecast.rs",
        "(self.stop_above + 1 - self.flits, slope)",
        "(self.stop_above - self.flits, slope)",
    ),
    Mutant(
        "go sent one flit too early",
        "forecast.rs",
        "(self.flits - (self.go_below - 1), -slope)",
        "(self.flits - self.go_below, -slope)",
    ),
    Mutant(
        "go sent one cycle late when nothing arrives",
        "forecast.rs",
        "self.drain.start.max(self.cycle) + steps;",
        "self.drain.start.max(self.cycle) + steps + 1;",
    ),
    Mutant(
        "a buffer that just fills is thought to stay below the stop threshold",
        "forecast.rs",
        "if arrivals.end < first + room",
        "if arrivals.end <= first + room",
    ),
    Mutant(
        "a drain that starts one cycle late is thought to keep pace",
        "forecast.rs",
        "self.drain.start <= first + room",
        "self.drain.start <= first + room + 1",
    ),
    Mutant(
        "a symbol is forgotten while another is under way",
        "network.rs",
        "Rings::new(channel_count, longest + 1, 0)",
        "Rings::new(channel_count, 1, 0)",
    ),
    Mutant(
        "runs are forgotten while their flits are under way",
        "network.rs",
        "let history = 2 * longest + 2;",
        "let history = 2;",
    ),
    Mutant(
        "priority of local and in-transit packets swapped",
        "nic.rs",
        "!self.local_queue_is_long(host) || ",
        "self.local_queue_is_long(host) || ",
    ),
    Mutant(
        "local queue counts as long one packet too late",
        "nic.rs",
        "nic.generation_of(self.workload, missing - 1) <= now",
        "nic.generation_of(self.workload, missing) <= now",
    ),
    Mutant(
        "retransmissions do not count in the local queue",
        "nic.rs",
        ".take_while(|again| again.due <= now).count();",
        ".take_while(|again| again.due < again.due).count();",
    ),
    Mutant(
        "alternation forgets which queue was served",
        "nic.rs",
        "self.nics[host as usize].served_in_transit_last = in_transit_first;",
        "",
    ),
    Mutant(
        "in-transit packet ready one cycle early",
        "reception.rs",
        "let mut ready = now + self.in_transit_delay;",
        "let mut ready = now + self.in_transit_delay.saturating_sub(1);",
    ),
    Mutant(
        "in-transit packet sent from its mark on",
        "reception.rs",
        "first_index: mark.first_index + 1,",
        "first_index: mark.first_index,",
    ),
    Mutant(
        "a packet that just fits overflows",
        "reception.rs",
        "u64::from(packet.flits) <= self.pool_flits",
        "u64::from(packet.flits) < self.pool_flits",
    ),
    Mutant(
        "host memory costs nothing",
        "reception.rs",
        "ready += self.overflow_cycles();",
        "",
    ),
    Mutant(
        "lost packet sent again one cycle late",
        "loss.rs",
        "let due = cycle + self.retransmit_after;",
        "let due = cycle + self.retransmit_after + 1;",
    ),
    Mutant(
        "packets lost in one cycle queue in any order",
        "loss.rs",
        "(other.due, other.place) < (due, place)",
        "other.due <= due",
    ),
    Mutant(
        "a packet is discarded one cycle late",
        "loss.rs",
        "asking_since + self.timeout;",
        "asking_since + self.timeout + 1;",
    ),
    Mutant(
        "a packet is discarded after a routing delay",
        "loss.rs",
        "self.start(sink, packet, input, first_index, self.now);",
        "self.start(sink, packet, input, first_index, self.now + self.routing_delay);",
    ),
    Mutant(
        "discarded packets count as deadlocked before",
        "deadlock.rs",
        "if self.timeout != NEVER {",
        "if false {",
    ),
    Mutant(
        "only the last channel damages a packet",
        "way.rs",
        "hops + flits - 1",
        "flits - 1",
    ),
    Mutant(
        "a packet sent again goes on where it was lost",
        "loss.rs",
        "again.ports = self.ports_from(source, again.destination, 0);",
        "",
    ),
    Mutant(
        "host memory packets are counted in the pool",
        "nic.rs",
        "nic.sends_pooled = stop.pooled;",
        "nic.sends_pooled = true;",
    ),
    Mutant(
        "output granted again in the cycle of the tail",
        "arbitration.rs",
        "if self.channels[output as usize].output.packet != NONE {",
        "let busy = &self.channels[output as usize].output;\n"
        "            if busy.packet != NONE && busy.run.end != self.now {",
    ),
    Mutant(
        "routing delay one cycle longer",
        "switch.rs",
        "let earliest = self.now + self.routing_delay;",
        "let earliest = self.now + self.routing_delay + 1;",
    ),
    Mutant(
        "routing delay one cycle longer for who passes",
        "pass.rs",
        "self.routing_delay.max(pace.cycles())",
        "self.routing_delay.max(pace.cycles()) + 1",
    ),
    Mutant(
        "a packet passes that comes with a pause",
        "pass.rs",
        "|| feed.run.flits() != u64::from(feed.flits)",
        "",
    ),
    Mutant(
        "a packet in transit passes before its first flit is here",
        "nic.rs",
        "feed.run.cycle_of(1) + latency <= self.now",
        "feed.run.cycle_of(0) + latency <= self.now",
    ),
    Mutant(
        "a crossing soon after another is not looked for",
        "crossings.rs",
        "unsigned_abs()) + 1",
        "unsigned_abs()) + 20",
    ),
    Mutant(
        "runs are forgotten a flight too early",
        "flow.rs",
        "history_end + self.history_cycles",
        "history_end + self.history_cycles / 3",
    ),
    Mutant(
        "a head behind a leaving packet is forgotten",
        "switch.rs",
        "|| self.has_head_behind(input)",
        "",
    ),
    Mutant(
        "who lost the arbitration fills a buffer nobody looks at",
        "arbitration.rs",
        "self.touch_losers(output, switch);",
        "",
    ),
    Mutant(
        "blocked time not counted from the grant",
        "switch.rs",
        "self.blocked[channel as usize].since = self.now;",
        "",
    ),
    Mutant(
        "blocked time goes on over a reset",
        "mod.rs",
        "blocked.since = blocked.since.max(self.now);",
        "",
    ),
    Mutant(
        "a pool that empties counts its level before as the highest",
        "pool.rs",
        "self.held + cycles - 1",
        "self.held + cycles",
    ),
    Mutant(
        "packets that wait count as deadlocked before they are stopped",
        "deadlock.rs",
        "is_free || !stopped || !buffer.stop_outstanding || !settled",
        "is_free || !settled",
    ),
    Mutant(
        "a flit arrives before it is there as a whole",
        "run.rs",
        "timing.latency_cycles()",
        "u64::from(timing.flight_cycles)",
    ),
    Mutant(
        "one flit that comes too slowly is sent all the same",
        "supply.rs",
        "let in_time = (turn - arrivals.start) / (slower - pace) + 1;",
        "let in_time = (turn - arrivals.start) / (slower - pace) + 2;",
    ),
    Mutant(
        "flits that come slowly are sent at the pace of the channel",
        "supply.rs",
        "supply.stride = arrivals.stride;",
        "",
    ),
    Mutant(
        "a flit begins to leave while another is leaving",
        "flow.rs",
        "first.max(self.leaves_until(channel))",
        "first",
    ),
    Mutant(
        "blocked while a flit is leaving",
        "switch.rs",
        "now.max(self.leaves_until(channel))",
        "now",
    ),
    Mutant(
        "a flit that is leaving counts as sent",
        "mod.rs",
        "- (last + pace).saturating_sub(self.now)",
        "",
    ),
    Mutant(
        "packets are reported as they left, not as they arrive",
        "../reports.rs",
        "let is_over = record.delivery_cycle < cycle;",
        "let is_over = true;",
    ),
    Mutant(
        "thresholds are thought to be farther away than they are",
        "forecast.rs",
        "u64::try_from(missing - 2)",
        "u64::try_from(missing + 2)",
    ),
    Mutant(
        "a drain slower than the feed is thought to keep pace",
        "pass.rs",
        "|| feed.run.stride != pace",
        "",
    ),
    Mutant(
        "firmware: the early receive waits for the whole packet",
        "firmware.rs",
        "let needed = output.flits.min(EARLY_FLITS);",
        "let needed = output.flits;",
    ),
    Mutant(
        "firmware: packets of the host's go before those in transit",
        "firmware.rs",
        "if is_ready && !control.is_send_taken {",
        "if is_ready && !control.is_send_taken && control.ready.is_empty() {",
    ),
    Mutant(
        "firmware: receiving does not slow a transfer",
        "firmware.rs",
        "u32::from(sends) + u32::from(receives)",
        "u32::from(sends)",
    ),
    Mutant(
        "firmware: packets in host memory are sent on at once",
        "firmware.rs",
        "if packet.pooled { 0 } else { overflow_cycles }",
        "if packet.pooled { 0 } else { overflow_cycles / 2 }",
    ),
    Mutant(
        "firmware: a packet in transit overtakes one that waits",
        "firmware.rs",
        "in_transit && !waits && is_pooled",
        "in_transit && is_pooled",
    ),
    Mutant(
        "firmware: a packet that was dropped raises an event",
        "firmware.rs",
        "reception.what = Received::Nothing;",
        "",
        cases=2_000,
    ),
)
