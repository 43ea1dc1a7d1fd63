"""The mistakes planted in the cut-through engine."""

from __future__ import annotations

from mutants import Mutant


def _mutant(name: str, file: str, search: str, replace: str) -> Mutant:
    return Mutant(name, file, search, replace, "cut_through")


CUT_THROUGH = (
    _mutant(
        "lanes: the pointer stays at the lane served",
        "channel_state.rs",
        "self.next_lane = lanes.after(lane);",
        "self.next_lane = lane;",
    ),
    _mutant(
        "lanes with stop & go: the pointer does not move",
        "flow/stop_and_go/mod.rs",
        "state.serve(lane, network.lanes);",
        "",
    ),
    _mutant(
        "requests of a cycle: the lane decides before the port",
        "switches/inlet.rs",
        "(self.asked_at, self.port, self.lane)",
        "(self.asked_at, self.lane, self.port)",
    ),
    _mutant(
        "requests: the latest comes first",
        "switches/requests.rs",
        "if inlets[last].rank() < rank {",
        "if false {",
    ),
    _mutant(
        "grants: no request may pass one that does not fit",
        "switches/requests.rs",
        "here = asking.next_request();",
        "break;",
    ),
    _mutant(
        "grants: a packet needs more room than it takes",
        "switches/requests.rs",
        "packets[asking.asking()].flits() <= room",
        "packets[asking.asking()].flits() < room",
    ),
    _mutant(
        "crossing: the port is free a flit early",
        "flow/credits.rs",
        "granted.hold_crossbar(released_at);",
        "granted.hold_crossbar(released_at - cycles);",
    ),
    _mutant(
        "crossing: flits that have not arrived cross",
        "flow/credits.rs",
        "let last = last_arrival.max(first + others * cycles);",
        "let last = first + others * cycles;",
    ),
    _mutant(
        "store and forward: the head is enough",
        "flow/credits.rs",
        "let is_slower = cycles_in > cycles_out;",
        "let is_slower = false && cycles_in > cycles_out;",
    ),
    _mutant(
        "the next packet asks while the one before still crosses",
        "switches/inlet.rs",
        "let ask_at = cycle.max(packets[next].at() + lookup_delay);",
        "let ask_at = packets[next].at() + lookup_delay;",
    ),
    _mutant(
        "credits: given back without the flight",
        "flow/credits.rs",
        "let at = cycle + network.channels[channel].flight();",
        "let at = cycle + 1 + 0 * network.channels[channel].flight();",
    ),
    _mutant(
        "credits: one flit of room is enough",
        "flow/credits.rs",
        "(self.room >= flits, since)",
        "(self.room >= 1, since)",
    ),
    _mutant(
        "credits: nobody looks when one comes late",
        "flow/credits.rs",
        "if self.give_back(outlet, flits, at) {",
        "if self.give_back(outlet, flits, at) && false {",
    ),
    _mutant(
        "blocked time: from the sending instead of the readiness",
        "flow/credits.rs",
        "since.saturating_sub(front.ready_at);",
        "since.saturating_sub(front.ready_at + 1);",
    ),
    _mutant(
        "output buffer: its room comes back at once",
        "switches/outlet.rs",
        "self.coming_room = flits;",
        "self.room += flits; self.coming_room = 0;",
    ),
    _mutant(
        "delivery: the last flit's own time is forgotten",
        "flow/credits.rs",
        "released_at - state.cycles_per_flit() + state.latency()",
        "released_at - 1 + state.flight() - u64::from(state.cycles_per_flit() > 1)",
    ),
    _mutant(
        "occupancy: the fullest moment is missed",
        "flow/occupancy.rs",
        "flits + waiting_flits(buffer, packets, cycle)",
        "0",
    ),
    _mutant(
        "stop: the flit of the cycle it arrives in is still sent",
        "flow/stop_and_go/mod.rs",
        "self.cut(network, outlet, run.count_before(now))",
        "self.cut(network, outlet, run.count_before(now + 1))",
    ),
    _mutant(
        "stop: what was to come downstream still comes",
        "flow/stop_and_go/mod.rs",
        "if count < run.count {",
        "if false && count < run.count {",
    ),
    _mutant(
        "go: nobody looks at the channel",
        "flow/stop_and_go/mod.rs",
        "self.senders[outlet].stopped_since = None; network.clock.contest(channel);",
        "self.senders[outlet].stopped_since = None;",
    ),
    _mutant(
        "a starving packet keeps the link",
        "flow/stop_and_go/mod.rs",
        "network.channels[channel].set_holder(None); } let turns",
        "return; } let turns",
    ),
    _mutant(
        "supply: a flit may leave as it crosses",
        "flow/stop_and_go/buffer.rs",
        "(&self.departures, crossbar)",
        "(&self.departures, 0 * crossbar)",
    ),
    _mutant(
        "supply: slow flits are taken for fast ones",
        "flow/stop_and_go/buffer.rs",
        "if run.step > step {",
        "if false && run.step > step {",
    ),
    _mutant(
        "symbols: the control delay is forgotten",
        "flow/stop_and_go/mod.rs",
        "let arrives_at = now + flight + self.control_delay;",
        "let arrives_at = now + flight;",
    ),
    _mutant(
        "symbols: a go at the threshold, not below",
        "flow/stop_and_go/buffer.rs",
        "Bound::Below(go_below)",
        "Bound::Below(go_below + 1)",
    ),
    _mutant(
        "crossing with stop & go: no flit catches up",
        "flow/stop_and_go/buffer.rs",
        "gain => behind.div_ceil(gain).min(run.count)",
        "_ => 0",
    ),
    _mutant(
        "content: alternating flits count half",
        "flow/stop_and_go/content.rs",
        "self.hold(before, (change.step - after) * (change.times - 1));",
        "",
    ),
    _mutant(
        "deadlock: an output that is full is taken for one that drains",
        "switches/mod.rs",
        "is_full.then_some(wants)",
        "(is_full && false).then_some(wants)",
    ),
)
