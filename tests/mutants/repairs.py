"""The mistakes planted in repairs and in transitions."""

from __future__ import annotations

from mutants import mutants

REPAIRS = [
    *mutants(
        "repair",
        r"""
crates/weft-routing/src/repair/mixing.rs
  any order: mixtures on the lane before do not count
    - own(0) | own(1)
    + own(1)
  any order: nothing is in its way
    - held != Held::Not
    + true
  any order: packets keep their lanes from channel to channel
    - let come = levels.map(|levels| plan.rules.turned(space, [edge, wanted], levels));
    + let come = levels;
  any order: old entries are not met any more
    - [was, if is == was { NO_EDGE } else { is }]
    + [if is == NO_EDGE { was } else { NO_EDGE }, is]
  in rounds: all is written in the first
    - round += u32::from(changes(ahead));
    + round += u32::from(changes(ahead) && false);
  any order: what is met behind the broken switches does not count
    - if !hold(levels, [before, wanted]) {
    + if before == edge && !hold(levels, [before, wanted]) {
crates/weft-routing/src/repair/broken_ways.rs
  any order: packets that have passed what failed do not meet new entries
    - self.switches[place].old_levels |= levels;
    -                 // Who
    +                 // Who
  broken: switches behind those beside the failure keep their ways
    - self.push(to, left.standing(space.edge(edge).reverse));
crates/weft-routing/src/repair/holding.rs
  lanes: a pair may take any lane but its own
    - let mut levels = Some(had).filter(|&had| had < count).into_iter().chain(others);
    + let mut levels = others;
  lanes: the first host of a switch alone changes its lane
    - for source in sources {
    + for source in sources.take(1) {
  lanes: one host of a switch alone has to have a way
    - Coming::All(levels) => numbers(levels).all(&mut hold),
    + Coming::All(levels) => numbers(levels).any(&mut hold),
  entries: loads do not count
    - (load * self.plan.space.slowness(edge)).max(self.most)
    + (load * self.plan.space.slowness(edge)).min(self.most)
  entries: what a switch brings is not counted
    - let load = self.loads[edge as usize] + self.own;
    + let load = self.loads[edge as usize];
  entries: an old one is no better than another
    - ways.next(at) != edge
    + edge == u32::MAX && ways.next(at) != edge
  turns: a turn that nobody makes yet is not held
    - &path[..path.len().min(2)]
    + &path[..path.len().min(1)]
crates/weft-routing/src/repair/mending.rs
  kept: what lost hosts sent still counts
    - self.loads[edge as usize] -= lost * weights[0];
  entries: those that lead nowhere any more do not count
    - let counts = could_lead || broken.next != broken.old;
    + let counts = broken.next != broken.old;
crates/weft-routing/src/repair/barred_first.rs
  management: ways that others bar stay barred
    - order.splice(..0, barred);
    + order.extend(barred);
  management: what is barred is not led first
    - order.splice(..0, barred);
    + order.clear();
crates/weft-routing/src/repair/answering.rs
  management: ways of hosts may be cleared for it
    - let price = (barred.len(), lacking.len());
    + let price = (lacking.len(), barred.len());
crates/weft-routing/src/repair/packets.rs
  kept: what old routes held is held for ever
    - for (turn, levels) in was.filter(|(turn, _)| turn.iter().all(|&edge| left.has(edge))) {
    + for (turn, levels) in was.filter(|_| false) {
crates/weft-routing/src/repair/broken_ways.rs
  others: a switch without an entry stays so beside the old ways
    - for at in without_entry(entries, left) {
    + for at in without_entry(entries, left).take(0) {
crates/weft-routing/src/repair/draining/others.rs
  others: a switch without an entry stays so where others make way
    - apart.extend(others.map(|at| (at, NO_EDGE)));
    + apart.extend(others.take(0).map(|at| (at, NO_EDGE)));
crates/weft-routing/src/repair/legal_turns.rs
  draining: ways go up again after they went down
    - self.is_up(space, held) || !self.is_up(space, wanted)
    + true
crates/weft-routing/src/repair/turns_nearby.rs
  nearby: who leads to a changed entry turns as before
    - nearby.extend(before.map(|edge| edge.to));
    + let _ = before.map(|edge| edge.to);
crates/weft-routing/src/joining/held_ways.rs
  lanes: a way on a lane that does not hold it
    - let is_held = add(&mut self.steps) && held.hold(&self.steps[first..]);
    + let is_held = add(&mut self.steps)
    +             && held.hold(&self.steps[first..self.steps.len().min(first + 2)]);
  lanes: of ways that were held the last ones stay
    - for (place, &end) in self.ends.iter().enumerate().skip(kept) {
    + for (place, &end) in self.ends.iter().enumerate().skip(kept + 1) {
crates/weft-routing/src/cycles/landmarks.rs
  landmarks: who leads over what failed still does, but for those beside it
    - self.set_reach(vertex, side, was & !lost);
    + self.set_reach(vertex, side, was & !lost);
    +                 continue;
  landmarks: what was lost is not known again
    - Before::Lost(group, was) => self.lost[group] = was,
    + Before::Lost(group, was) => self.lost[group] |= was,
crates/weft-routing/src/repair/plan.rs
  nearest: ways are taken for longer than they are
    - found.map_or(0, |fewest| fewest[place].into())
    + found.map_or(0, |fewest| u32::from(fewest[place]) + 1)
crates/weft-routing/src/repair/mixing.rs
  mixtures: packets on levels of before meet new entries unseen
    - (has_failed || of.old == of.next) && !leads_to_one && was & !is == 0
    + (has_failed || of.old == of.next) && !leads_to_one
  mixtures: packets past what failed meet new entries unseen
    - (has_failed || of.old == of.next) && !leads_to_one && was & !is == 0
    + (has_failed || of.old == of.next) && was & !is == 0
crates/weft-routing/src/joining/held_lanes.rs
  refused: what closed a circle once does for ever
    - let is_held = self.graph.is_chain(&of.chain);
    + let is_held = true;
  refused: what was let go of since is held still
    - self.releases = self.releases.wrapping_add(1);
    -         self.let_go(way);
    + self.let_go(way);
crates/weft-routing/src/joining/growth.rs
  entries: longer ways are not tried where no shortest one can be held
    - } else if !self.tries.go_on(next) {
    + } else if !self.tries.go_on(next) && false {
  entries: longer ways are not tried where the nearest go round
    - if !self.tries.has_begun() {
    + if !self.tries.has_begun() && false {
  entries: who waits for as many links again is tried twice
    - tried.dedup();
    + ;
crates/weft-routing/src/joining/tries.rs
  entries: loads that have grown are not asked for anew
    - if load > next.of.load {
    + if false {
  entries: what a way carried to another destination counts
    - if destination == self.destination {
    + if true {
crates/weft-routing/src/cycles/acyclic_dependencies.rs
  held: a circle is not seen where a search from behind meets one from ahead
    - known == of_ahead
    + false
  held: what leads to the one goes behind the other
    - order.move_before(wanted, moved);
    + order.move_after(held, moved);
crates/weft-routing/src/cycles/linked_order.rs
  held: room is made behind a vertex alone
    - let low = label & lowest(bits);
    + let low = label;
crates/weft-routing/src/repair/level_rules.rs
  lanes: that of the level, whatever switches choose
    - self.laned.by_row(levels, tables.key(), row)
    + levels
  lanes: hosts' packets come by a port without a host
    - tables.lane(at, [input, space.edge(edge).port], level, lane)
    + tables.lane(at, [space.edge(edge).port; 2], level, lane)
crates/weft-routing/src/repair/standing_tables.rs
  entries: pairs with several levels in turn are repaired
    - if tables.most_addresses() > 1 || tables.turns() > 1 {
    + if tables.most_addresses() > 1 {
  management: of several lanes what switches send does not count
    - let beside = (!plan.rules.are_by_port()).then(|| held(true)).flatten();
    + let beside = plan.rules.is_one_lane().then(|| held(true)).flatten();
  management: of switches that have lost their hosts it does not count
    - let more_are_bare = left.note_bare() && !rules.is_one_lane();
    + let more_are_bare = false;
  management: what did not count once does never
    - if rules.are_by_port() || did_count && !more_are_bare {
    + if !did_count || !more_are_bare {
crates/weft-routing/src/paths/path_space.rs
  standing: an entry leads over the link of another port
    - let edge = self.edge_of_port[first..end].get(port.index()).copied();
    + let edge = self.edge_of_port[first..end].get(port.index() + 1).copied();
crates/weft-routing/src/repair/plan.rs
  standing: whoever is gone asks for a level
    - left.sends[at as usize] && (!each_alone || left.hosts[self.sources[source]])
    + !each_alone || left.hosts[self.sources[source]]
  standing: what the old lanes hold is not known
    - wanted.add(&steps);
    + wanted.add(&steps[..1]);
crates/weft-routing/src/repair/after.rs
  standing: an entry is that of another switch
    - let exit = standing.exits[first + before.index()];
    + let exit = standing.exits[first + at.index()];
  standing: lanes of the endpoints of before
    - let row = standing.lane_row(was(destination));
    + let row = standing.lane_row(destination);
crates/weft-routing/src/repair/longest_mixture.rs
  longest: the switch that is left does not count
    - None => Some(1 + self.broken.whole_switches(self.entries, to)),
    + None => Some(self.broken.whole_switches(self.entries, to)),
crates/weft-routing/src/repair/failed_parts.rs
  left: the part with fewest hosts goes on
    - let largest = (0..sizes.len()).rev().max_by_key(|&part| sizes[part]);
    + let largest = (0..sizes.len()).rev().min_by_key(|&part| sizes[part]);
""",
    ),
    *mutants(
        "transition",
        r"""
crates/weft-routing/src/transition/mixtures.rs
  mixtures: old packets do not meet new entries
    - turned: self.untouched | self.turned,
    + turned: self.turned,
  mixtures: what has passed a link that failed is gone
    - self.arrive(edge, packets, open);
    -                 }
    +                 let _ = packets;
    +                 }
  mixtures: in any order new packets meet no old entries
    - Entry::Old if !self.meets_old() => Packets {
    + Entry::Old => Packets {
  rounds: who is nearest the destination is last
    - round += u32::from((at as usize) < left && address.changes(at));
    + round = 1;
crates/weft-routing/src/transition/phase.rs
  phases: nothing closes a cycle
    - if !self.graph.add(turn[0], turn[1]) {
    + if !self.graph.add(turn[0], turn[1]) && false {
  tables: new ones may deadlock
    - .ok_or(TransitionError::Deadlock)
    + .map_or(Ok(()), Ok)
crates/weft-routing/src/transition/planner/mod.rs
  phases: those that wait go along with the others
    - if is_outwards && self.holds(phase, number, Order::Outwards) {
    + if is_outwards {
  removed: old entries stay until all is done
    - if !was_done || phase.has_something() {
    + if false {
crates/weft-routing/src/transition/planner/draining.rs
  drained: set in the phase in which they are cleared
    - if phase.cleared.contains(&number) {
    + if false {
  levels: nobody is told when to let go of old ones
    - phase.renewed.push(index(number));
    -         }
    -         self.set_levels(number, Levels::New);
    +         }
    +         self.set_levels(number, Levels::New);
crates/weft-routing/src/transition/planner/removing.rs
  removed: in the phase in which the new entries are written
    - if self.stood.contains_key(&number) || unused.len() < removed.len() {
    + if unused.len() < removed.len() {
crates/weft-routing/src/transition/planner/level_changes.rs
  levels: new levels are told without looking
    - if standing.is_some_and(|mixture| mixture.has_lanes() && phase.hold(&mixture)) {
    -                 phase.answered.push(index(number));
    -                 self.set_levels(number, Levels::Either);
    + if standing.is_some() {
    +                 phase.answered.push(index(number));
    +                 self.set_levels(number, Levels::Either);
  levels: in turn hosts let go without looking
    - let may = standing.is_some_and(|mixture| mixture.has_lanes() && phase.hold(&mixture));
    + let may = standing.is_some();
crates/weft-routing/src/transition/planner/one_by_one.rs
  single changes: whatever they close beside what changed before
    - mixture.goes_on() && phase.hold(&mixture)
    + mixture.goes_on()
  single changes: hosts that are told levels had none before
    - let senders = self.joint.senders(number, [&before, sent], meeting);
    + let senders = self.joint.senders(number, [&[], sent], meeting);
  single changes: none is done before its turn
    - let waits = waiting > most_waiting
    + let waits = waiting > 0
crates/weft-routing/src/transition/changes_done.rs
  single changes: who met a new entry may come to an old one that leads nowhere
    - let loses = !(mixture.goes_on() && self.leads_on(number, at, both[1]));
    + let loses = !mixture.goes_on();
  single changes: what closed a circle once does so for ever
    - for &place in self.own[number].iter().chain(&self.lanes) {
    + for &place in &self.own[number][..0] {
crates/weft-routing/src/transition/dead_ends.rs
  dead ends: what was met on the way there does not count
    - let met = found.values().flat_map(|(needs, _)| needs).copied();
    -         let met = met.filter(|&of| self.done.is_met[of]).collect();
    + let met = BTreeSet::new();
crates/weft-routing/src/transition/by_trees.rs
  trees: hosts keep their levels while packets go by them
    - Some(Step::RenewForTrees(each.collect()))
    + each.last().and(None)
crates/weft-routing/src/transition/spanning_trees.rs
  trees: whatever circles their turns close
    - if !hold_in_all(&mut graphs, &turns) {
    + if false {
  trees: pairs of hosts of one side count
    - let pairs = behind.iter().map(|count| count * (all - count));
    + let pairs = behind.iter().map(|count| count * all);
crates/weft-routing/src/transition/planner/entry_by_entry.rs
  entries: some are written whatever they close
    - if mixture.goes_on() && phase.hold(&mixture) {
    + if mixture.goes_on() {
crates/weft-routing/src/transition/joint.rs
  tables: a port may have another cable
    - if behind(before, other) != behind(after, channel) {
    + if false {
crates/weft-proof/src/check_transition/mod.rs
  transitions: what is sent by the level of trees is not followed
    - starts.extend(Start::of(Sent { level, ..sent }, rows, steps));
    + starts.extend(Start::of(Sent { level, ..sent }, rows, steps).into_iter().take(0));
  check: a rank that is the same ascends
    - if ranks[0] < ranks[1] {
    + if ranks[0] <= ranks[1] {
crates/weft-proof/src/check_transition/shape.rs
  check: more than to clear needs no proof
    - if number > 0 || !phase.steps.iter().all(clears) {
    + if false {
  transitions: trees may have a level without a lane
    - if found.is_some_and(|level| level >= lanes) {
    + if false {
  transitions: hosts may go back to trees when they are told
    - if let Some(late) = all.find(|&one| is_told[one]) {
    + if let Some(late) = all.find(|_| false) {
crates/weft-proof/src/check_transition/told.rs
  transitions: who was told for trees goes on by old levels
    - self.on_trees.extend(timeline.for_trees.keys());
    + self.on_trees.clear();
  transitions: who has the same level afterwards keeps it while there are trees
    - let differing = old.symmetric_difference(&new).chain(others);
    + let differing = old.symmetric_difference(&new).chain(others.take(0));
  check: hosts that renew go on with old levels
    - if self.is_renewed || self.renewed.contains(&at) {
    + if self.is_renewed {
  check: who is back sends when hosts are told
    - self.is_answered || self.renewed.contains(&at) || !self.differing.contains(&at)
    + self.is_answered || self.renewed.contains(&at)
crates/weft-proof/src/check_transition/mod.rs
  check: packets behind what failed do not count
    - if phase_number == 0 {
    + if false {
  check: hosts need not be told
    - if !is_told && address.is_left() {
    + if false {
  check: entries may be missing at the end
    - .find(|(_, (found, new))| new.is_some() && found != new);
    + .find(|(_, (found, new))| new.is_some() && found.is_none());
crates/weft-routing/src/transition/standing_ways.rs
  obstructions: hosts are where old tables have them send
    - let same = one.levels & two.levels;
    + let same = one.levels | two.levels;
  obstructions: what may be first keeps standing
    - self.exits[at as usize] = NOWHERE;
    + self.exits[at as usize] = self.exits[at as usize];
crates/weft-routing/src/transition/witnesses.rs
  obstructions: the level that a packet is sent by may change before
    - if ways.other_levels.contains_key(&from) {
    + if false {
crates/weft-proof/src/check_transition/obstructions.rs
  obstructions: all entries are certain
    - stands.filter(|_| is_certain)
    + stands.filter(|_| is_certain || true)
  obstructions: destinations are counted twice
    - if !known.insert(destination.clone()) {
    + if !known.insert(destination.clone()) && false {
  obstructions: packets change lanes
    - held == Some(wait.channel) && lane == wait.lane;
    -             if holds && channel == next.channel && given == next.lane {
    + held == Some(wait.channel);
    +             if holds && channel == next.channel {
  obstructions: an entry that stays is written
    - stands.is_some() && other.is_some() && stands != other
    + true
  obstructions: what leads to a dead end may be met in part
    - met.all(|met| *met == place || self.stand.met.contains(met))
    + met.all(|_| true)
  obstructions: a dead end may leave over what may be done before
    - && of.left.is_subset(&self.stand.left)
    + && !of.left.is_empty()
crates/weft-proof/src/check_transition/entries.rs
  check: an entry is gone before the step that writes another
    - all.filter(move |entry| entry.until >= step)
    + all.filter(move |entry| entry.until > step)
crates/weft-proof/src/check_transition/packets.rs
  check: who has met a new entry may come back in time
    - let since = packet.since.max(entry.from);
    + let since = packet.since;
  check: who has met new lane tables may meet old ones
    - since: since.max(from),
    + since,
crates/weft-proof/src/check_transition/lanes.rs
  obstructions: lanes that old rows give are certain
    - first.filter(|_| known.all(|RowLane(other)| other == first))
    + first
  check: lane tables stand from when they are written
    - Some(Written::By(step)) => step >= since,
    + Some(Written::By(_)) => false,
  check: lane tables may be missing at the end
    - old.is_some() && old != new
    + old.is_some() && old != new && old.is_none()
crates/weft-routing/src/transition/lane_choice.rs
  lanes: packets meet new lane tables alone while those are written
    - [self != Self::New, self != Self::Old]
    + [self == Self::Old, self != Self::Old]
  lanes: of the ports of hosts the first counts
    - if !known.iter().any(|&known| is_like(known)) {
    + if known.is_empty() {
""",
    ),
]
