"""The mistakes planted in the cut-through engine."""

from __future__ import annotations

from mutants import Mutant


def _mutant(name: str, file: str, search: str, replace: str) -> Mutant:
    return Mutant(name, file, search, replace, "cut_through")


CUT_THROUGH = (
    _mutant(
        "lanes: the pointer stays at the lane served",
        "link.rs",
        "state.next_lane = if lane + 1 == self.lane_count { 0 } else { lane + 1 };",
        "state.next_lane = lane;",
    ),
    _mutant(
        "lanes with stop & go: the pointer does not move",
        "stream.rs",
        "state.next_lane = if lane + 1 == self.lane_count { 0 } else { lane + 1 };",
        "",
    ),
    _mutant(
        "requests of a cycle: the lane decides before the port",
        "switch.rs",
        "(self.inlets[inlet as usize].asked_at, port, self.lane_of(inlet))",
        "(self.inlets[inlet as usize].asked_at, self.lane_of(inlet), port)",
    ),
    _mutant(
        "requests: the latest comes first",
        "switch.rs",
        "if self.rank(last) < self.rank(inlet) {",
        "if false {",
    ),
    _mutant(
        "grants: no request may pass one that does not fit",
        "switch.rs",
        "inlet = asking.next_request;",
        "break;",
    ),
    _mutant(
        "grants: a packet needs more room than it takes",
        "switch.rs",
        "self.packets[asking.front].flits <= room",
        "self.packets[asking.front].flits < room",
    ),
    _mutant(
        "crossing: the port is free a flit early",
        "switch.rs",
        "granted.crossbar_free_at = released_at;",
        "granted.crossbar_free_at = released_at - self.crossbar;",
    ),
    _mutant(
        "crossing: flits that have not arrived cross",
        "switch.rs",
        "let last = last_arrival.max(first + (flits - 1) * self.crossbar);",
        "let last = first + (flits - 1) * self.crossbar;",
    ),
    _mutant(
        "store and forward: the head is enough",
        "switch.rs",
        "let is_slower = cycles_in > self.channels[self.channel_of(outlet)].cycles_per_flit;",
        "let is_slower = false && cycles_in > 0;",
    ),
    _mutant(
        "the next packet asks while the one before still crosses",
        "switch.rs",
        "let ask_at = cycle.max(self.packets[next].at + self.lookup_delay);",
        "let ask_at = (self.packets[next].at + self.lookup_delay).max(self.now + 1);",
    ),
    _mutant(
        "credits: given back without the flight",
        "switch.rs",
        "self.give_back(inlet, flits, cycle + flight);",
        "self.give_back(inlet, flits, cycle + 1 + 0 * flight);",
    ),
    _mutant(
        "credits: one flit of room is enough",
        "credit.rs",
        "(sender.credits >= flits, since)",
        "(sender.credits >= 1, since)",
    ),
    _mutant(
        "credits: nobody looks when one comes late",
        "credit.rs",
        "self.look(lane >> self.lane_bits, at);",
        "",
    ),
    _mutant(
        "blocked time: from the sending instead of the readiness",
        "link.rs",
        "since.saturating_sub(ready_at)",
        "since.saturating_sub(ready_at + 1)",
    ),
    _mutant(
        "output buffer: its room comes back at once",
        "link.rs",
        "sender.coming_room = flits;",
        "sender.room += flits; sender.coming_room = 0;",
    ),
    _mutant(
        "delivery: the last flit's own time is forgotten",
        "link.rs",
        "released_at - u64::from(state.cycles_per_flit) + state.latency",
        "released_at - 1 + u64::from(state.flight) - u64::from(state.cycles_per_flit > 1)",
    ),
    _mutant(
        "occupancy: the fullest moment is missed",
        "meter.rs",
        "self.waiting_flits(inlet, meter.last_release - 1)",
        "0",
    ),
    _mutant(
        "stop: the flit of the cycle it arrives in is still sent",
        "stream.rs",
        "self.cut(outlet, run.count_before(now));",
        "self.cut(outlet, run.count_before(now + 1));",
    ),
    _mutant(
        "stop: what was to come downstream still comes",
        "stream.rs",
        "if count < run.count {",
        "if false && count < run.count {",
    ),
    _mutant(
        "go: nobody looks at the channel",
        "stream.rs",
        "stream.symbols -= 1; stream.is_stopped = false; self.contest(channel);",
        "stream.symbols -= 1; stream.is_stopped = false;",
    ),
    _mutant(
        "a starving packet keeps the link",
        "stream.rs",
        "self.channels[channel as usize].holder = NO_LANE; } let state",
        "return; } let state",
    ),
    _mutant(
        "supply: a flit may leave as it crosses",
        "supply.rs",
        "(&buffer.departures, self.crossbar)",
        "(&buffer.departures, 0)",
    ),
    _mutant(
        "supply: slow flits are taken for fast ones",
        "supply.rs",
        "if run.step > step {",
        "if false && run.step > step {",
    ),
    _mutant(
        "symbols: the control delay is forgotten",
        "buffer.rs",
        "let arrives_at = now + flight + self.control_delay;",
        "let arrives_at = now + flight;",
    ),
    _mutant(
        "symbols: a go at the threshold, not below",
        "buffer.rs",
        "Bound::Below(go_below)",
        "Bound::Below(go_below + 1)",
    ),
    _mutant(
        "crossing with stop & go: no flit catches up",
        "buffer.rs",
        "gain => behind.div_ceil(gain).min(run.count)",
        "_ => 0",
    ),
    _mutant(
        "content: alternating flits count half",
        "runs.rs",
        "self.hold(before, (change.step - after) * (change.times - 1));",
        "",
    ),
    _mutant(
        "deadlock: an output that is full is taken for one that drains",
        "deadlock.rs",
        "is_full.then_some(wants)",
        "(is_full && false).then_some(wants)",
    ),
)
