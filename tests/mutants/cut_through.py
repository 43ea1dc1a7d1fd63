"""The mistakes planted in the cut-through engine."""

from __future__ import annotations

from mutants import mutants

CUT_THROUGH = mutants(
    "cut_through",
    r"""
crates/weft-engine/src/cut_through/channel_state.rs
  lanes: the pointer stays at the lane served
    - self.next_lane = lanes.after(lane);
    + self.next_lane = lane;
crates/weft-engine/src/cut_through/flow/stop_and_go/mod.rs
  lanes with stop & go: the pointer does not move
    - state.serve(lane, network.lanes);
  stop: the flit of the cycle it arrives in is still sent
    - self.cut(network, outlet, run.count_before(now))
    + self.cut(network, outlet, run.count_before(now + 1))
  go: nobody looks at the channel
    - self.senders[outlet].stopped_since = None; network.contest(channel);
    + self.senders[outlet].stopped_since = None;
  a starving packet keeps the link
    - network.channels[channel].holder = None; } for lane
    + return; } for lane
  symbols: the control delay is forgotten
    - let arrives_at = now + flight + self.control_delay;
    + let arrives_at = now + flight;
crates/weft-engine/src/cut_through/flow/stop_and_go/planning.rs
  stop: what was to come downstream still comes
    - if count < run.count {
    + if false && count < run.count {
crates/weft-engine/src/cut_through/switches/inlet.rs
  requests of a cycle: the lane decides before the port
    - (self.asked_at, self.port, self.lane)
    + (self.asked_at, self.lane, self.port)
  the next packet asks while the one before still crosses
    - let ask_at = cycle.max(packets[next].at + lookup_delay);
    + let ask_at = packets[next].at + lookup_delay;
  occupancy: the fullest moment is missed
    - flits + self.flits_there(cycle, packets)
    + 0
  occupancy: a packet that has left is still counted
    - self.there -= flits;
crates/weft-engine/src/cut_through/switches/requests.rs
  requests: the latest comes first
    - if inlets[last].rank() < rank {
    + if true {
  grants: no request may pass one that does not fit
    - here = asking.next_request;
    + break;
  grants: a packet needs more room than it takes
    - packets[asking.asking()].flits <= room
    + packets[asking.asking()].flits < room
  promises: of more room than there is
    - if packets[asking.asking()].flits > room { return None; }
crates/weft-engine/src/cut_through/flow/credits/passing.rs
  passing: a link that is not free yet
    - sender.crossbar_free_at <= now && state.free_at <= leaves_at;
    + sender.crossbar_free_at <= now;
  passing: a crossbar port that is not free yet
    - sender.crossbar_free_at <= now && state.free_at <= leaves_at;
    + state.free_at <= leaves_at;
  passing: the head of a packet from a slower link is enough
    - if !is_buffered && from.cycles_per_flit > state.cycles_per_flit {
    + if false {
crates/weft-engine/src/cut_through/flow/credits/measures.rs
  waits: those promised an output have none
    - .filter(|packet| packet.wait > 0);
    + .filter(|_| false);
crates/weft-engine/src/cut_through/flow/credits/mod.rs
  links: given away further ahead than it is known who comes
    - None => now + network.switches.crossbar.foresight,
    + None => now + 20 + network.switches.crossbar.foresight,
  links: the time of the packet sent before counts for the next one
    - state.known.remove(lane);
    + let _ = state.known;
  links: a lane without room is not looked at again
    - known.remove(network.lanes.lane(inlet));
    + let _ = known;
  crossing: the port is free a flit early
    - granted.crossbar_free_at = released_at;
    + granted.crossbar_free_at = released_at - cycles;
  store and forward: the head is enough
    - let is_slower = from.cycles_per_flit > state.cycles_per_flit;
    + let is_slower = false && from.cycles_per_flit > state.cycles_per_flit;
  credits: given back without the flight
    - let at = cycle + u64::from(from.flight);
    + let at = cycle + 1 + 0 * u64::from(from.flight);
  credits: nobody looks when one comes late
    - if far_room.give_back(flits, at, known_until, &mut self.given_back) {
    + if far_room.give_back(flits, at, known_until, &mut self.given_back) && false {
  credits: packets that choose take room for free before it is [2000 cases]
    - let known_until = if network.switches.choose() {
    + let known_until = if false {
  blocked time: from the sending instead of the readiness
    - room_at.saturating_sub(front.ready_at);
    + room_at.saturating_sub(front.ready_at + 1);
  delivery: the last flit's own time is forgotten
    - released_at - cycles_per_flit + state.latency
    + released_at - cycles_per_flit + state.latency - u64::from(cycles_per_flit > 1)
crates/weft-engine/src/cut_through/whole.rs
  parts: a window is two cycles longer than a flight
    - flights.min().unwrap_or(NEVER)
    + flights.min().map_or(NEVER, |flight: u64| flight + 2)
crates/weft-engine/src/cut_through/core/mod.rs
  parts: what is told of another part is known a cycle late
    - self.network.clock.end(until - 1);
    + self.network.clock.end(until);
  parts: a packet from another part arrives a cycle late
    - self.network.enter(arriving.inlet, packet, arriving.at);
    + self.network.enter(arriving.inlet, packet, arriving.at + 1);
crates/weft-engine/src/cut_through/occupancy.rs
  occupancy: what is held counts from the first cycle on
    - self.flit_cycles.wrapping_sub(before);
    + self.flit_cycles.wrapping_sub(0 * before);
crates/weft-engine/src/cut_through/far_room.rs
  credits: one flit of room is enough
    - if self.room >= flits {
    + if self.room >= 1 {
  credits: taken ahead of time, and the wait for them forgotten
    - let settled = self.taken_until.min(known_until);
    + let settled = at.min(known_until);
crates/weft-engine/src/cut_through/switches/outlet.rs
  output buffer: its room comes back at once
    - self.coming_room = freed;
    + self.room += freed; self.coming_room = 0;
crates/weft-engine/src/cut_through/flow/stop_and_go/buffer.rs
  supply: a flit may leave as it crosses
    - (&self.departures, crossbar)
    + (&self.departures, 0 * crossbar)
  supply: slow flits are taken for fast ones
    - if run.step > step {
    + if false && run.step > step {
  symbols: a go at the threshold, not below
    - Bound::Below(go_below)
    + Bound::Below(go_below + 1)
  crossing with stop & go: no flit catches up
    - gain => behind.div_ceil(gain).min(run.count)
    + _ => 0
  whole packets: what may be halted is taken for what comes for certain
    - (is_whole && !may_be_halted).then_some(run)
    + is_whole.then_some(run)
  whole packets: one that itself makes the buffer call for a stop
    - self.coming + u64::from(flits) <= stop_above
    + self.coming <= stop_above
  whole packets: the buffer was fullest with others
    - let fullest = count_before(&self.arrivals, crossing.start);
    + let fullest = crossing.count;
crates/weft-engine/src/cut_through/flow/stop_and_go/whole.rs
  whole packets: the pointer of lanes does not move
    - state.serve(network.lanes.lane(outlet), network.lanes);
  whole packets: a link is given away though others come before
    - let foreseen = now + crossbar.ready_after();
    + let foreseen = now + 20 + crossbar.ready_after();
crates/weft-engine/src/cut_through/flow/stop_and_go/content.rs
  content: alternating flits count half
    - self.hold(before, (change.step - after) * (change.times - 1));
crates/weft-engine/src/cut_through/switches/mod.rs
  crossing: flits that have not arrived cross
    - last_arrival.max(first + others * cycles) + cycles
    + first + others * cycles + cycles
  deadlock: an output that is full is taken for one that drains
    - self.is_full(wants, flits).then_some(wants)
    + (self.is_full(wants, flits) && false).then_some(wants)
  deadlock: who may choose waits for nobody
    - let all_are_full = offered.iter().all(
    + let all_are_full = offered.len() == 1 && offered.iter().all(
  deadlock: who may choose waits once a lane is full
    - let all_are_full = offered.iter().all(
    + let all_are_full = offered.iter().any(
crates/weft-engine/src/cut_through/switches/adaptive.rs
  choice delay: a choice counts before its time
    - if chosen.is_some_and(|chosen| now < chosen.at) {
    + if chosen.is_some_and(|chosen| now + 1 < chosen.at) {
  choice delay: what was chosen is taken when others have it
    - let chosen = chosen.map(|chosen| chosen.outlet).filter(is_open);
    + let chosen = chosen.map(|chosen| chosen.outlet).filter(|one| is_open(one) || true);
  choice delay: what leaves no choice is delayed too
    - let counts_later = chosen.is_none() && self.choices().offered(inlet).len() > 1;
    + let counts_later = chosen.is_none() && !self.choices().offered(inlet).is_empty();
  choice delay: a choice of the source counts at once
    - at: now + delay,
    + at: now,
  failures: a packet that chooses takes an output that is down
    - if !takes_down && is_down(
    + if false && !takes_down && is_down(
  failures: outputs that are down never take a packet that chooses
    - if !takes_down && is_down(
    + if is_down(
crates/weft-engine/src/cut_through/switches/selects.rs
  selection: all packets of a source have the same draw
    - packet.sequence,
    + 0,
crates/weft-routing/src/form/packet_addresses.rs
  addresses: all pairs begin with the first
    - let mut place = part_of(hash_of_flow([seed, 0], pair, 0), count);
    + let mut place = 0;
  addresses: nobody takes them in turn
    - let next = (usize::from(*sent) + 1) % count;
    + let next = usize::from(*sent);
crates/weft-engine/src/cut_through/order.rs
  order: packets to other hosts are overtaken, too
    - if before.header.destination == destination {
    + if before.header.destination == destination || true {
  order: packets that left later are overtaken
    - under_way.range(..place)
    + under_way.range(place..)
crates/weft-engine/src/queue_pairs.rs
  queue pairs: one begins with what the one before has sent
    - line.pairs.pop(pairs);
    -             line.bytes = 0;
    + line.pairs.pop(pairs);
crates/weft-engine/src/cut_through/switches/guide.rs
  queue pairs: packets that take lanes in turn are told their way once
    - Self::Fixed(forwarding) => !forwarding.takes_turns(),
    + Self::Fixed(_) => true,
crates/weft-engine/src/cut_through/waiting_hosts.rs
  queue pairs: a lane takes a packet before the one in front has left
    - is_released && !state.loaded.has(lane)
    + !state.loaded.has(lane)
  queue pairs: a packet is ready from its generation on
    - packet.at = now;
""",
)
