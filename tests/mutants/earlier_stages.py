"""The mistakes planted in what engines ask of the stages before them: ways, draws, ranks."""

from __future__ import annotations

from mutants import mutants

EARLIER_STAGES = [
    *mutants(
        "cut_through",
        r"""
crates/weft-routing/src/form/packet_forwarding.rs
  ways: all packets of a pair take the first turn
    - (turn + 1) % self.routes.turns()
    + turn
  ways: input and output port of a lane table swapped
    - [entry.port, port]
    + [port, entry.port]
  ways: in later turns the steps keep the lanes of the first
    - own.number() + shift
    + own.number()
crates/weft-routing/src/form/adaptive/packet_choices.rs
  choice: a packet on the escape may leave it
    - switches_before == 0 || !tables.is_escape(entry.lane)
    + true
  choice: a packet from its host on lane 0 is on the escape
    - switches_before == 0 || !tables.is_escape(entry.lane)
    + !tables.is_escape(entry.lane)
  groups: the last subgroup comes first
    - for subgroup in group.subgroups() {
    + for subgroup in group.subgroups().iter().rev() {
  groups: flows are numbered by their destination first
    - flow_hash(entry.switch, source, header.destination)
    + flow_hash(entry.switch, header.destination, source)
  groups: a hash decides among ports that do not work
    - group.by_hash_among(number, works)
    + group.by_hash_among(number, |_| true)
  groups: lanes go by the port that a packet leaves by alone
    - tables.next_lane(entry.switch, [entry.port, port], level, entry.lane)
    + tables.next_lane(entry.switch, [port, port], level, entry.lane)
  choice: the second phase has the lanes of the first
    - routes.step([by_way_of, to], 1, step)
    + routes.step([by_way_of, to], 0, step)
  choice: the links of a way do not count
    - taken_flits[way] * u64::from(branches[way].links)
    + taken_flits[way]
  choice: the first of the intermediate switches is never drawn
    - 0..switches.len()
    + 1.min(switches.len() - 1)..switches.len()
""",
    ),
    *mutants(
        "routes",
        r"""
crates/weft-routing/src/form/packet_forwarding.rs
  ways: steps that are told leg by leg keep the lanes of the first turn
    - ahead = ahead.above(shift);
crates/weft-routing/src/form/grid_legs.rs
  ways: the next leg begins where the first did
    - here = self.ends[leg].into();
""",
    ),
    *mutants(
        "wormhole",
        r"""
crates/weft-model/src/arbitration.rs
  draws: output and grant change places in the key of arbitration
    - [u64::from(output), grant_number]
    + [grant_number, u64::from(output)]
crates/weft-model/src/loss.rs
  draws: a flit has one bit that can be damaged
    - FLIT_BITS * flit_hops as f64
    + flit_hops as f64
crates/weft-model/src/firmware.rs
  firmware: other DMA engines do not slow a transfer
    - (alone + longer).max(1)
    + alone.max(1)
  firmware: the dispatch takes no time
    - u64::from(self.dispatch_cycles) + u64::from(cost)
    + u64::from(cost)
""",
    ),
    *mutants(
        "programs",
        r"""
crates/weft-engine/src/queue_pairs.rs
  queue pairs: a turn has no end
    - if line.bytes >= quantum_bytes {
    + if line.bytes == u64::MAX {
  queue pairs: control waits like data
    - let place = usize::from(!self.pairs[number].is_urgent);
    + let place = 1;
  queue pairs: a turn goes on with the bytes of the one before
    - // Its turn is over, and others may have come since.
    -             line.bytes = 0;
    + // Its turn is over, and others may have come since.
  queue pairs: what is for one far behind is another
    - if self.far.as_ref().is_some_and(|far| far.has(name)) {
    + if self.far.as_ref().is_some_and(|far| far.has(name)) && name.2 > 200 {
  queue pairs: those far behind are passed over
    - let are_enough = self.near >= NEAR || self.far.is_some();
    + let are_enough = self.near >= NEAR;
crates/weft-engine/src/waiting_pair.rs
  queue pairs: the message that came last is sent first
    - others.pop_front() else {
    + others.pop_back() else {
crates/weft-model/src/workload/program/execution/handed.rs
  queue pairs before the NIC: a turn has no end
    - self.turns.rotate_left(1);
  queue pairs before the NIC: the next begins with the bytes of the one before
    - self.turns.pop_front();
    - self.bytes = 0;
    + self.turns.pop_front();
  queue pairs: those before the NIC are one for each host
    - let name = (transfer.place, transfer.nic);
    + let name = (transfer.place, 0);
  queue pairs: what goes to one host twice before the NIC has two of them
    - behind(first, last) < behind(first, transfer)
    + behind(first, last) <= behind(first, transfer)
crates/weft-model/src/workload/program/execution/step.rs
  processors: what asks for one asks for the first
    - self.processors.ask(cpu, job);
    + self.processors.ask(0 * cpu, job);
  processors: of several, the last of what counts first is told
    - does.min_by_key(
    + does.max_by_key(
crates/weft-model/src/workload/program/execution/window.rs
  ranks: tasks that wait for an end go on at the start
    - self.pass(number, Phase::Started, Moment::Start)
    + self.pass(number, Phase::Started, Moment::End)
crates/weft-model/src/workload/program/execution/mailbox.rs
  ranks: the receive posted last takes the message
    - peer.set_last_posted(Some(lowest_of(task)));
    + let last = peer.last_posted().unwrap_or(lowest_of(task));
    +                 peer.set_last_posted(Some(last));
crates/weft-model/src/workload/program/execution/mod.rs
  ranks: a host that hears of a packet has nothing to do before
    - let is_earlier = cycle < *planned;
    + let is_earlier = true;
  ranks: what is told later puts off what is to be done before
    - *planned = cycle.min(*planned);
    + *planned = cycle;
  ranks: only the first send is over when its last packet leaves
    - self.leaving[place] -= 1;
    + self.leaving[place] = 0;
  ranks: a message is there with its first packet
    - let stored_cycle = if program.messaging.stores_as_one() {
    + let stored_cycle = if program.messaging.stores_as_one() && all_cycle.is_some() {
crates/weft-model/src/workload/program/execution/under_way.rs
  ranks: a message is there with the packet that is told of last
    - count.latest_cycle.max(cycle)
    + cycle
  ranks: what is sent before others is taken for the first of them
    - places.find(|&place| sequence < sent[place].0.end) {
    + places.find(|&place| sequence <= sent[place].0.end) {
crates/weft-model/src/workload/program/execution/block.rs
  ranks: how far a task among those alike was stays with how far it is
    - self.0 &= !(3 << (2 * place));
    + self.0 &= !0;
  ranks: tasks that wait are taken for alike where the last is not
    - left.all(|(place, &slot)| alike.get(place.into()) == slot)
    + left.all(|(place, &slot)| place == 31 || alike.get(place.into()) == slot)
crates/weft-model/src/workload/program/execution/posted.rs
  ranks: any receive posted for a rank takes its next message
    - let suits = |slot: &Slot| slot.suits(tag)
    + let suits = |slot: &Slot| slot.suits(slot.tag)
crates/weft-model/src/workload/program/execution/waiters.rs
  ranks: of several that wait, those that wait for the end go on at the start
    - if awaited == moment {
    + if awaited == moment || moment == Moment::Start {
crates/weft-model/src/workload/program/execution/step.rs
  ranks: a message as long as an eager one is announced
    - is_inside || bytes <= messaging.eager_bytes
    + is_inside || bytes < messaging.eager_bytes
  ranks: one acts before it begins
    - rank.has_begun |= rank.begin_cycle <= now;
    + rank.has_begun = true;
crates/weft-model/src/workload/program/execution/adapters.rs
  adapters: a rank is told in the same cycle
    - let noticed_cycle = self.now + 1;
    + let noticed_cycle = self.now;
  adapters: what is handed over is taken two cycles later
    - let taken_cycle = self.now + 1;
    + let taken_cycle = self.now + 2;
  adapters: the host that a rank hands something to is not woken
    - self.wake(place, taken_cycle);
    + let _ = (place, taken_cycle);
  adapters: a rank on another host knows at once
    - self.program.placement.place(rank) == self.place
    + self.program.placement.place(rank) == self.place || self.place > 0
crates/weft-model/src/workload/program/execution/inner.rs
  nodes: messages leave a rank side by side
    - now.max(inner.free_cycle) + messaging.inner_cycles_of(bytes)
    + now + messaging.inner_cycles_of(bytes)
  nodes: a send is over before its message has left
    - let is_over = left == now;
    + let is_over = true;
  nodes: what is there is not told to another host
    - self.wake(place, there);
    + let _ = (place, there);
  nodes: what takes no time is there at once
    - (left + messaging.inner_cycles).max(now + 1)
    + left + messaging.inner_cycles
crates/weft-model/src/workload/program/placement.rs
  placement: a message beyond the last adapter takes the last
    - adapters[usize::from(nic) % adapters.len()]
    + adapters[usize::from(nic).min(adapters.len() - 1)]
  nodes: hosts of one node use the network
    - one == other || self.nodes.as_ref().is_some_and(are_in_one)
    + one == other || (self.nodes.as_ref().is_some_and(are_in_one) && one == other)
crates/weft-model/src/workload/program/execution/bus.rs
  bus: what is to leave waits for all that has come
    - self.came.is_empty() || self.came_in
    + self.came.is_empty()
crates/weft-model/src/workload/program/execution/nic.rs
  ack-wait: the next packet leaves with the acknowledgement
    - self.now + messaging.next_packet_cycles
    + self.now
  PUSH: the NIC fetches a packet in no time
    - now + messaging.push_cycles
    + now
  room: one message more than there is room for
    - (untaken.len() as u64) < most
    + (untaken.len() as u64) <= most
  room: what was sent after a refused message is not
    - < most && seen == message.number;
    + < most && seen <= message.number;
  room: what was refused is sent again at once
    - self.now + messaging.resend_cycles
    + self.now
""",
    ),
    *mutants(
        "traces",
        r"""
crates/weft-model/src/workload/program/trace/goal.rs
  goal: the processor that is named is that of another
    - task.cpu = cpu.parse().ok()?;
    + task.nic = cpu.parse().ok()?;
  goal: what starts is waited for to its end
    - Some("irequires") => Moment::Start,
    + Some("irequires") => Moment::End,
crates/weft-model/src/workload/program/trace/schedule.rs
  goal: who waits for a circle is said to be in it
    - while !std::mem::replace(&mut seen[place], true) {
    + while false {
crates/weft-model/src/workload/program/trace/goal_binary.rs
  goal: tasks may take processors beyond those that the file tells
    - if cpu > most_cpu || nic > most_nic {
    + if nic > most_nic {
  goal: what waits for starts and ends is mixed up
    - [Moment::End, Moment::Start].into_iter().zip(told.counts)
    + [Moment::Start, Moment::End].into_iter().zip(told.counts)
crates/weft-model/src/workload/program/trace/goal_rooms.rs
  goal: messages of all ranks but the last find room
    - check_rooms_of(graph, begin..ranks)
    + check_rooms_of(graph, begin..ranks - 1)
crates/weft-model/src/workload/program/graph/store.rs
  graph: tasks far into a rank's are found at the mark before theirs
    - let number = number / EVERY * EVERY;
    + let number = number / EVERY;
crates/weft-model/src/workload/program/trace/chakra/node.rs
  chakra: durations are ns
    - .checked_mul(1000)
    + .checked_mul(1)
  chakra: a trace begins with a version
    - Ok(Some((2, value))) if is_attribute(value) => is_told = true,
    + Ok(Some((2, value))) if is_attribute(value) => {}
  chakra: groups are told by metadata alone
    - matches!(kind, 1 | 4)
    + kind == 1
  chakra: what waits for data waits for nothing
    - 5 => waits_for
    + 11 => waits_for
  chakra: callers that were left out are waited for
    - callers.filter(|id| ids.contains(id))
    + callers
crates/weft-model/src/workload/program/trace/chakra/graph.rs
  chakra: an all-to-all gives each rank all of it
    - bytes: bytes.div_ceil(each),
    + bytes,
crates/weft-model/src/workload/program/group_operation.rs
  groups: they number their ranks as all do
    - to: self.group[to as usize],
    + to,
  groups: channels of one operation have one tag
    - group_tag(self.number, flow_of(tag).unwrap_or(0))
    + group_tag(self.number, flow_of(tag).unwrap_or(0) * 0)
crates/weft-model/src/workload/program/trace/arguments.rs
  datatypes: REAL*8 has four bytes
    - 4, 4, 8, 16, 8, 16, 32, // REAL
    + 4, 4, 4, 16, 8, 16, 32, // REAL
crates/weft-model/src/workload/program/trace/evened.rs
  evened: receives with other rooms are other actions
    - action.without_expectations()
    + action
crates/weft-model/src/workload/program/collective/mod.rs
  evened: exchanges that expect other lengths are other actions
    - from.clear()
    + from.truncate(from.len())
""",
    ),
]
