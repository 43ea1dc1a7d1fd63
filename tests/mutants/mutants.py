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
        File below its folder.
    search : str
        Source text that must occur exactly once in the file.
    replace : str
        Text in its place.
    model : str
        Whose tests are to notice it: those of an engine, or of programs.
    cases : int
        Differential cases among which it shows; few show what is rare.
    folder : str
        Folder of the workspace; that of the model's engine if empty.
    """

    name: str
    file: str
    search: str
    replace: str
    model: str = "wormhole"
    cases: int = 0
    folder: str = ""


MUTANTS = (
    Mutant(
        "round robin: pointer not advanced",
        "switching/mod.rs",
        "self.last_granted[output] = grant.port;",
        "",
    ),
    Mutant(
        "round robin: the last port may win again",
        "switching/arbitration.rs",
        "masks[word] & (u64::MAX << bit << 1)",
        "masks[word] & (u64::MAX << bit)",
    ),
    Mutant(
        "random: the same draw for every grant",
        "switching/arbitration.rs",
        "self.grants[output] += 1;",
        "",
    ),
    Mutant(
        "random: the last of the ports is never chosen",
        "switching/arbitration.rs",
        "random_choice(seed, output.number(), grants, count)",
        "random_choice(seed, output.number(), grants, count.max(2) - 1)",
    ),
    Mutant(
        "injection time: generation counts",
        "switching/arbitration.rs",
        "packet_at(port).injection_cycle",
        "packet_at(port).generation_cycle",
    ),
    Mutant(
        "injection time: ties in turn",
        "switching/arbitration.rs",
        "injection_cycle, port)",
        "injection_cycle, turn(port))",
    ),
    Mutant(
        "waiting time: the time behind other packets does not count",
        "switching/arbitration.rs",
        "visit_at(port).head_arrival",
        "visit_at(port).asking_since",
    ),
    Mutant(
        "waiting time: ties in turn",
        "switching/arbitration.rs",
        "head_arrival, port)",
        "head_arrival, turn(port))",
    ),
    Mutant(
        "distance to travel: the farthest first",
        "switching/arbitration.rs",
        "(packet.step_count - packet.step, turn(port))",
        "(Reverse(packet.step_count - packet.step), turn(port))",
    ),
    Mutant(
        "distance to travel: ties by port",
        "switching/arbitration.rs",
        "(packet.step_count - packet.step, turn(port))",
        "(packet.step_count - packet.step, port)",
    ),
    Mutant(
        "distance to travel: stops in transit made count as well",
        "switching/arbitration.rs",
        "(packet.step_count - packet.step, turn(port))",
        "(packet.step_count - packet.step + packet.in_transit_stops, turn(port))",
    ),
    Mutant(
        "distance travelled: the shortest first",
        "switching/arbitration.rs",
        "Reverse(packet_at(port).step)",
        "packet_at(port).step",
    ),
    Mutant(
        "distance travelled: ties by port",
        "switching/arbitration.rs",
        ".step), turn(port))",
        ".step), port)",
    ),
    Mutant(
        "the longest wait counts from the arrival",
        "switching/mod.rs",
        "let waited = now - self.front(input).asking_since;",
        "let waited = now - self.front(input).head_arrival;",
    ),
    Mutant(
        "waits that go on do not count",
        "switching/mod.rs",
        "longest_wait.max(waiting.map_or(0, |since| now - since))",
        "longest_wait",
    ),
    Mutant(
        "the longest wait goes on over a reset",
        "switching/mod.rs",
        "self.longest_waits[channel] = 0;",
        "",
    ),
    Mutant(
        "stop sent one flit too early",
        "flow/forecast.rs",
        "(self.stop_above + 1 - self.flits, slope)",
        "(self.stop_above - self.flits, slope)",
    ),
    Mutant(
        "go sent one flit too early",
        "flow/forecast.rs",
        "(self.flits - (self.go_below - 1), -slope)",
        "(self.flits - self.go_below, -slope)",
    ),
    Mutant(
        "go sent one cycle late when nothing arrives",
        "flow/forecast.rs",
        "self.drain.start.max(self.cycle) + steps;",
        "self.drain.start.max(self.cycle) + steps + 1;",
    ),
    Mutant(
        "a buffer that just fills is thought to stay below the stop threshold",
        "flow/forecast.rs",
        "if arrivals.end < first + room",
        "if arrivals.end <= first + room",
    ),
    Mutant(
        "a drain that starts one cycle late is thought to keep pace",
        "flow/forecast.rs",
        "self.drain.start <= first + room",
        "self.drain.start <= first + room + 1",
    ),
    Mutant(
        "a symbol is forgotten while another is under way",
        "flow/mod.rs",
        "Rings::new(channel_count, longest + 1, Cycle::ZERO)",
        "Rings::new(channel_count, 1, Cycle::ZERO)",
    ),
    Mutant(
        "runs are forgotten while their flits are under way",
        "flow/mod.rs",
        "let history = 2 * longest + 2;",
        "let history = 2;",
    ),
    Mutant(
        "priority of local and in-transit packets swapped",
        "hosts/backlog.rs",
        "!self.is_long(now, workload, local_equal_at) || ",
        "self.is_long(now, workload, local_equal_at) || ",
    ),
    Mutant(
        "local queue counts as long one packet too late",
        "hosts/backlog.rs",
        "self.generation_of(workload, missing - 1) <= now",
        "self.generation_of(workload, missing) <= now",
    ),
    Mutant(
        "retransmissions do not count in the local queue",
        "hosts/backlog.rs",
        ".take_while(|again| again.due <= now).count();",
        ".take_while(|again| again.due < again.due).count();",
    ),
    Mutant(
        "alternation forgets which queue was served",
        "hosts/backlog.rs",
        "self.served_in_transit_last = in_transit_first;",
        "",
    ),
    Mutant(
        "in-transit packet ready one cycle early",
        "hosts/mod.rs",
        "let mut ready = clock.now() + self.in_transit_delay;",
        "let mut ready = clock.now() + self.in_transit_delay.saturating_sub(1);",
    ),
    Mutant(
        "in-transit packet sent from its mark on",
        "hosts/mod.rs",
        "first_index: mark.first_index + 1,",
        "first_index: mark.first_index,",
    ),
    Mutant(
        "a packet that just fits overflows",
        "pools/mod.rs",
        "u64::from(flits) <= self.capacity",
        "u64::from(flits) < self.capacity",
    ),
    Mutant(
        "host memory costs nothing",
        "hosts/mod.rs",
        "ready += overflow_cycles(self.overflow);",
        "",
    ),
    Mutant(
        "lost packet sent again one cycle late",
        "hosts/mod.rs",
        "let due = cycle + self.retransmit_after;",
        "let due = cycle + self.retransmit_after + 1;",
    ),
    Mutant(
        "packets lost in one cycle queue in any order",
        "hosts/backlog.rs",
        "(other.due, other.place) < (due, place)",
        "other.due <= due",
    ),
    Mutant(
        "a packet is discarded one cycle late",
        "switching/mod.rs",
        "asking_since + timeout;",
        "asking_since + timeout + 1;",
    ),
    Mutant(
        "a packet is discarded after a routing delay",
        "core/losses.rs",
        "self.start(sink, origin, now);",
        "self.start(sink, origin, now + self.switching.routing_delay());",
    ),
    Mutant(
        "discarded packets count as deadlocked before",
        "core/deadlock.rs",
        "if self.switching.has_timeout() {",
        "if false {",
    ),
    Mutant(
        "only the last channel damages a packet",
        "core/receptions.rs",
        "hops + flits - 1",
        "flits - 1",
    ),
    Mutant(
        "a packet sent again goes on where it was lost",
        "traffic.rs",
        "packet.ports = self.ports_from(source, destination, 0);",
        "if packet.ports == 0 {\n"
        "            packet.ports = self.ports_from(source, destination, 0);\n        }",
    ),
    Mutant(
        "host memory packets are counted in the pool",
        "pools/mod.rs",
        "self.states[host].sends = pooled;",
        "self.states[host].sends = true;",
    ),
    Mutant(
        "output granted again in the cycle of the tail",
        "core/departures.rs",
        "if self.flow.packet(output).is_some() {",
        "let (run, _) = self.flow.run(output);\n"
        "            if self.flow.packet(output).is_some() && run.end != self.clock.now() {",
    ),
    Mutant(
        "routing delay one cycle longer",
        "core/departures.rs",
        "let earliest = now + self.switching.routing_delay();",
        "let earliest = now + self.switching.routing_delay() + 1;",
    ),
    Mutant(
        "routing delay one cycle longer for who passes",
        "flow/mod.rs",
        "routing_delay.max(pace.cycles())",
        "routing_delay.max(pace.cycles()) + 1",
    ),
    Mutant(
        "a packet passes that comes with a pause",
        "flow/mod.rs",
        "&& feed.is_whole() && !self.channels",
        "&& !self.channels",
    ),
    Mutant(
        "a packet in transit passes before its first flit is here",
        "flow/mod.rs",
        "feed.run.cycle_of(1) + latency <= now",
        "feed.run.cycle_of(0) + latency <= now",
    ),
    Mutant(
        "a crossing soon after another is not looked for",
        "flow/crossings.rs",
        "unsigned_abs()) + 1",
        "unsigned_abs()) + 20",
    ),
    Mutant(
        "runs are forgotten a flight too early",
        "flow/mod.rs",
        "history_end + self.history_cycles",
        "history_end + self.history_cycles / 3",
    ),
    Mutant(
        "a head behind a leaving packet is forgotten",
        "core/departures.rs",
        "self.switching.has_head_behind(&mut self.clock, input) ||",
        "",
    ),
    Mutant(
        "who lost the arbitration fills a buffer nobody looks at",
        "core/departures.rs",
        "self.touch_losers(output);",
        "",
    ),
    Mutant(
        "blocked time not counted from the grant",
        "flow/mod.rs",
        "self.blocked[channel].since = now;",
        "",
    ),
    Mutant(
        "blocked time goes on over a reset",
        "flow/tally.rs",
        "blocked.since = blocked.since.max(now);",
        "",
    ),
    Mutant(
        "a pool that empties counts its level before as the highest",
        "pools/meter.rs",
        "self.held + cycles - 1",
        "self.held + cycles",
    ),
    Mutant(
        "packets that wait count as deadlocked before they are stopped",
        "flow/mod.rs",
        "output.stopped && input.stop_outstanding && settled",
        "settled",
    ),
    Mutant(
        "a flit arrives before it is there as a whole",
        "flow/run.rs",
        "timing.latency_cycles()",
        "u64::from(timing.flight_cycles)",
    ),
    Mutant(
        "one flit that comes too slowly is sent all the same",
        "flow/supply.rs",
        "let in_time = (turn - arrivals.start) / (slower - pace) + 1;",
        "let in_time = (turn - arrivals.start) / (slower - pace) + 2;",
    ),
    Mutant(
        "flits that come slowly are sent at the pace of the channel",
        "flow/supply.rs",
        "supply.stride = arrivals.stride;",
        "",
    ),
    Mutant(
        "a flit begins to leave while another is leaving",
        "flow/plan.rs",
        "first.max(self.leaves_until(now, channel))",
        "first",
    ),
    Mutant(
        "blocked while a flit is leaving",
        "flow/mod.rs",
        "now.max(self.leaves_until(now, channel))",
        "now",
    ),
    Mutant(
        "a flit that is leaving counts as sent",
        "flow/tally.rs",
        "- (last + pace).since(now)",
        "",
    ),
    Mutant(
        "packets are reported as they left, not as they arrive",
        "../reporting.rs",
        "let is_over = record.delivery_cycle < cycle;",
        "let is_over = true;",
    ),
    Mutant(
        "thresholds are thought to be farther away than they are",
        "flow/forecast.rs",
        "u64::try_from(missing - 2)",
        "u64::try_from(missing + 2)",
    ),
    Mutant(
        "a drain slower than the feed is thought to keep pace",
        "flow/mod.rs",
        "&& feed.run.stride == pace && delay",
        "&& delay",
    ),
    Mutant(
        "firmware: the early receive waits for the whole packet",
        "hosts/firmware.rs",
        "let needed = head.flits.min(EARLY_FLITS);",
        "let needed = head.flits;",
    ),
    Mutant(
        "firmware: packets of the host's go before those in transit",
        "hosts/firmware.rs",
        "if is_ready && !self.is_send_taken {",
        "if is_ready && !self.is_send_taken && self.ready.is_empty() {",
    ),
    Mutant(
        "firmware: receiving does not slow a transfer",
        "hosts/firmware.rs",
        "u32::from(sends) + u32::from(receives)",
        "u32::from(sends)",
    ),
    Mutant(
        "firmware: packets in host memory are sent on at once",
        "hosts/firmware.rs",
        "if packet.pooled { 0 } else { overflow_cycles }",
        "if packet.pooled { 0 } else { overflow_cycles / 2 }",
    ),
    Mutant(
        "firmware: a packet in transit overtakes one that waits",
        "hosts/firmware.rs",
        "in_transit && !waits && is_pooled",
        "in_transit && is_pooled",
    ),
    Mutant(
        "firmware: a packet that was dropped raises an event",
        "hosts/firmware.rs",
        "reception.what = Received::Nothing;",
        "",
        cases=2_000,
    ),
)
