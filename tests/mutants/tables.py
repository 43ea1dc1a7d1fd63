"""The mistakes planted in what goes to a cluster and comes from it: tables, LIDs, levels, lanes."""

from __future__ import annotations

from mutants import mutants

TABLES = [
    *mutants(
        "opensm",
        r"""
crates/weft-opensm/src/export/port_lids.rs
  lids: a port without one moves all others
    - Self::beside([&of_switches, own], lmc)
    + Self::beside([&none[0], &none[1]], lmc)
  lids: switches keep theirs before hosts
    - let [hosts, switches] = [keep(hosts), keep(switches)];
    + let switches = keep(switches);
    + let hosts = keep(hosts);
  LIDs: two ports may have the same
    - let is_free = !of_range.contains(&true);
    + let is_free = true;
  LIDs: more are asked for than are needed
    - let first_host = (fabric.switch_count() + 1).next_multiple_of(lids_per_host);
    + let first_host = fabric.switch_count() + lids_per_host;
crates/weft-opensm/src/export/exported_subnet.rs
  ports: those of the next address
    - Some(addresses.start + alias.checked_rem(addresses.len())?)
    + Some(addresses.start + (alias + 1).checked_rem(addresses.len())?)
  ports: of the destination's switch the table's
    - if switch == self.end {
    + if switch == self.end && self.address == Some(0) {
  levels: source and destination change places
    - .lane(self.endpoint(source), self.endpoint(destination))
    + .lane(self.endpoint(destination), self.endpoint(source))
  levels: the highest is left out
    - most.unwrap_or(0).saturating_add(1)
    + most.unwrap_or(0).max(1)
  lanes: those of adapters do not count
    - .chain([lanes.host()]);
    + .chain([]);
  lanes: those of levels nobody has count
    - row.iter().take(levels.into()).flatten()
    + row.iter().take(usize::from(levels) + 16).flatten()
  LIDs: sources send to the first
    - self.host_lids[destination.index()] + alias
    + self.host_lids[destination.index()] + 0 * alias
  GUIDs: those of adapters
    - let hosts = hosts.map(|host| known(host.guid, &host.name));
    + let hosts = hosts.map(|host| known(host.adapter_guid.or(host.guid), &host.name));
crates/weft-opensm/src/export/lft_file.rs
  tables: entries name the switch that has them
    - subnet.switch_guids[to.index()],
    + subnet.switch_guids[switch.index()],
  tables: the last LID is left out
    - destinations.last().map_or(0, |&(lid, _)| lid);
    + destinations.first().map_or(0, |&(lid, _)| lid);
crates/weft-opensm/src/export/opensm_conf.rs
  LIDs: a host has one more
    - let last = (1_u16 << subnet.lmc) - 1;
    + let last = 1_u16 << subnet.lmc;
  lanes: levels have those of other numbers
    - (level % usize::from(lanes)).to_string());
    + (level / usize::from(lanes)).to_string());
  lanes: ports are told exactly as many as there are
    - .find(|&count| count >= lane_count)
    + .find(|&count| count > lane_count)
crates/weft-opensm/src/export/plugin_lanes.rs
  plugin: input and output port change places
    - format!("{} {}", input.number(), output.number())
    + format!("{} {}", output.number(), input.number())
  plugin: levels of the way back
    - subnet.level(source, destination).number()
    + subnet.level(destination, source).number()
  plugin: adapters have the lanes of the first switch
    - digits(&rows.host())
    + digits(&rows.between(weft_fabric::SwitchId::new(0), [weft_fabric::PortNumber::new(1); 2]))
crates/weft-opensm/src/export/lanes_by_level.rs
  lanes: what is dropped goes on lane 0
    - None | Some(DROPPED) => DROPPED,
    + None | Some(DROPPED) => 0,
  lanes: one bit fewer
    - let bits = self.lanes_of_ports.next_power_of_two() - 1;
    + let bits = self.lanes_of_ports.next_power_of_two() / 2 - 1;
crates/weft-opensm/src/export/qos_policy.rs
  policy: sources that agree in one pair share their rules
    - pairs.all(|(one, other)| one.is_none() || other.is_none() || one == other)
    + pairs.any(|(one, other)| one.is_none() || other.is_none() || one == other)
  policy: what others are told for a host is forgotten
    - *entry = entry.or(level);
    + *entry = level;
  policy: source and destination change places
    - rule.source, rule.destination, rule.level
    + rule.destination, rule.source, rule.level
  policy: the first level has no rules
    - .filter(|level| level.number() != DEFAULT)
    + .filter(|level| level.number() > DEFAULT + 1)
crates/weft-opensm/src/export/guid_groups.rs
  groups: a range goes on over ports that are no members
    - Some(range) if is_in && is_open => range[1] = guid,
    + Some(range) if is_in => range[1] = guid,
  groups: ranges go on over switches
    - is_open = is_in;
    + is_open = is_in || (host.is_none() && is_open);
crates/weft-opensm/src/export/ibdmchk_files.rs
  path-SL: sources by their ports
    - .adapter_guid .unwrap_or(subnet.host_guids[source.index()]);
    + .guid .unwrap_or(subnet.host_guids[source.index()]);
  path-SL: the first LID alone
    - for lid in first..first + (1 << subnet.lmc) {
    + for lid in first..=first {
  SL2VL: input and output port change places
    - .between(switch, [input, output])
    + .between(switch, [output, input])
  hops: the link to the host does not count
    - Node::Host(_) => return links + 1,
    + Node::Host(_) => return links,
crates/weft-opensm/src/export/mod.rs
  paths: left out where they are needed
    - let needs_chosen_lids = !tables.sends_to_first_addresses() && !tables.sends_to_any_address();
    + let needs_chosen_lids = !tables.sends_to_first_addresses() && tables.sends_to_any_address();
  lanes: service levels alone are none
    - let has_levels = lane_count > 1 || level_count > 1;
    + let has_levels = lane_count > 1 && level_count > 1;
crates/weft-opensm/src/export/ranked_channels.rs
  switches: ways to them descend the order
    - rank(channel) < rank(after)
    + rank(channel) > rank(after)
crates/weft-opensm/src/export/ways_to_switches.rs
  switches: entries that descend the order are taken for ordered ways
    - rank < ranks[head.index()] || rank == u32::MAX
    + rank != ranks[head.index()] || rank == u32::MAX
  switches: ways that are short are counted as ordered
    - queue.push_back(from);
    -                 count += 1;
    + queue.push_back(from);
  switches: entries that lead nowhere are taken for ways
    - let lacking = bare.iter().filter(|&&switch| !arrives(switch));
    + let lacking = bare.iter().filter(|&&switch| entry(switch).is_none());
crates/weft-opensm/src/adaptive/group_file.rs
  groups: a switch may be listed twice
    - if let Some(&first) = self.met.get(&guid) {
    + if let Some(&first) = self.met.get(&guid).filter(|_| self.met.len() > 99) {
  groups: a table may be listed twice
    - if self.tables.contains(&number) {
    + if self.tables.contains(&number) && number > 7 {
  groups: one that is cut looks whole
    - if last_lid < expected && number == 0 {
    + if last_lid < expected && number > 8 {
  groups: weights count where none are in use
    - Some(false) => 0,
    + Some(false) if row.weight > 9 => 0,
crates/weft-opensm/src/adaptive/groups_of_switch.rs
  groups: numbers that are left out move the others
    - groups.resize_with(usize::from(number), PortGroup::default);
    + groups.reserve(usize::from(number));
crates/weft-opensm/src/adaptive/gathering.rs
  groups: a LID that is listed twice has its last entry
    - if *known != GroupEntry::NONE && *known != entry {
    + if *known != GroupEntry::NONE && *known != entry && ports > 254 {
  groups: an empty group is one
    - if row.state != LidState::Static && !has_group() {
    + if row.state == LidState::Hashed && !has_group() {
  groups: static ports where a hash may choose
    - let never = state.adaptive_levels() == 0 && state.hashed_levels().unwrap_or(0) == 0;
    + let never = state.adaptive_levels() == 0;
  groups: private tables for service levels of other numbers
    - for (key, table) in (0..).zip(row) {
    + for (key, table) in (0..).zip(row.into_iter().rev()) {
crates/weft-opensm/src/adaptive/switch_state.rs
  groups: the mask counts where levels are all alike
    - (_, Some(false)) => u16::MAX,
    + (_, Some(false)) => self.levels.unwrap_or(u16::MAX),
crates/weft-opensm/src/adaptive/static_ports.rs
  groups: static ports of a switch that chooses, too
    - Some(switch) if gathering.is_met(switch) => At::Compared(switch),
    + Some(switch) if gathering.is_met(switch) => At::Taken(switch),
crates/weft-opensm/src/tables/table_entries.rs
  read: entries by LID, whatever GUID they have
    - Some(guid) => self.ports.get(&guid),
    + Some(guid) => self.ports.get(&guid).or_else(|| self.lids.get(&lid)),
  read: a switch may be missing
    - .find(|id| self.met[id.index()].is_none());
    + .find(|id| self.met[id.index()].is_none() && id.number() == 0);
  read: sources send to the first LID alone
    - tables.send_to_any_address();
crates/weft-opensm/src/text.rs
  read: port 255 is one
    - Ok(number) => Ok(Some(number).filter(|&number| number != UNREACHABLE_PORT)),
    + Ok(number) => Ok(Some(number).filter(|&number| number <= UNREACHABLE_PORT)),
crates/weft-opensm/src/lanes/sl2vl_dump.rs
  read: lane 15 is one
    - lanes.map(|lane| (lane != DROPPED).then_some(Lane::new(lane)))
    + lanes.map(|lane| (lane <= DROPPED).then_some(Lane::new(lane)))
  read: maps of one level alone tell whether any are needed
    - self.is_kept[level] &= usize::from(lane) == level;
    + self.is_kept[level] = usize::from(lane) == level;
crates/weft-opensm/src/lanes/service_level_dump.rs
  read: levels of pairs by destination
    - let level = self.levels[source.index() * self.host_count + destination.index()];
    + let level = self.levels[destination.index() * self.host_count + source.index()];
  read: level 16 is one
    - let level = level.parse().ok().filter(|&level| level < LEVELS)?;
    -     (words
    + let level = level.parse().ok().filter(|&level| level <= LEVELS)?;
    +     (words
  read: a level that differs is the last one's
    - if *entry != NONE && *entry != level {
    + if *entry != NONE && *entry < level && level > LEVELS {
crates/weft-opensm/src/lanes/on_lanes.rs
  read: a lane more than the highest counts
    - let lanes = highest.max().unwrap_or(0) + 1;
    + let lanes = highest.max().unwrap_or(0) + 2;
  read: the address of a LID counts from 1
    - let alias = usize::from(lid) % addresses;
    + let alias = usize::from(lid.saturating_sub(1)) % addresses;
""",
    ),
    *mutants(
        "longer routes",
        r"""
crates/weft-routing/src/algorithms/best/longer_routes.rs
  best: channels that are full are no dearer than others
    - let filled = (load as f64 / full).powi(exponent) * slowness(edge);
    + let filled = (0.0 * load as f64 / full).powi(exponent) * slowness(edge);
crates/weft-routing/src/algorithms/best/race_of_starts.rs
  best: no longer ways are looked for where a link is slow
    - let is_tried = self.effort.is_thorough && !self.patterns.has_rails();
    + let mut edges = (0..).take(self.space.edge_count());
    + let is_tried = edges.all(|edge| self.space.slowness(edge) == 1);
""",
    ),
    *mutants(
        "traffic",
        r"""
crates/weft-routing/src/algorithms/best/patterns.rs
  best: of several demands the first alone counts
    - return self.apart[pattern - 1][place];
    + return self.apart[0][place];
crates/weft-routing/src/algorithms/best/shifts/turns.rs
  best: turns towards further addresses may close a circle
    - if self.leads(lane, wanted, held) {
    + if held == wanted && self.leads(lane, wanted, held) {
crates/weft-routing/src/algorithms/best/shifts/mod.rs
  best: all shifts load channels together
    - more(self.loads[shift * edges + edge as usize].into(), 1);
    + more(self.loads[edge as usize].into(), 1);
  best: further addresses carry shifts alone, whatever is told
    - told += slowness * more(load.into(), flow.into());
    + told += 0 * slowness * more(load.into(), flow.into());
  best: ways of a pair that was told are not laid together
    - trees.spread_told(asked, first);
    + trees.spread_told(asked, asked.addresses);
  best: routes to first addresses are laid for shifts, too
    - let first = usize::from(asked.keeps_first);
    + let first = 0;
crates/weft-routing/src/algorithms/best/balanced_tables.rs
  best: what is ended on the way is told as done
    - kept = Some((best.clone(), Starts::Made(starts)));
    + kept = Some((best.clone(), Starts::Made(starts + 1)));
  best: a search ends with what is fuller than what there was at once
    - if first.figure() < found.figure() =>
    + if patience.is_some() && first.figure() < found.figure() =>
  best: what is far above a bound is a first answer
    - .is_some_and(|found| !may_be_nearer(found));
    + .is_some();
crates/weft-routing/src/algorithms/best/race_of_starts.rs
  best: longer ways are looked for only where shortest ones alone fill some channel
    - let found = if around_any {
    + let found = if around_any && self.effort.lanes > 15 {
crates/weft-routing/src/algorithms/best/lean_races.rs
  best: longer ways are looked for only where short ones are a quarter above a bound
    - let is_near = figure.is_some_and(|figure| self.is_near(figure));
    + let is_near = figure.is_some_and(|figure| !self.is_far(figure));
crates/weft-routing/src/algorithms/best/first_answers.rs
  best: a first answer has the most lanes, however far above a bound it is
    - if tried > 0 && !is_far(&best) {
    + if tried > 0 {
  best: a first answer keeps to short ways, however unevenly hosts hang
    - if (self.has_heights() || self.effort.is_exhaustive) && is_far(&best) {
    + if self.effort.agreements > 32 && is_far(&best) {
  best: routes of a first answer negotiate only where hosts hang unevenly
    - if (self.has_heights() || self.effort.is_exhaustive) && is_far(&best) {
    + if self.has_heights() && is_far(&best) {
crates/weft-routing/src/algorithms/best/shifts/told_traffic.rs
  best: a way laid for what was told may close a circle
    - if !self.turn_anew(&mut laid, number) {
    + if !self.turn_anew(&mut laid, number) && number > laid.moved.len() {
""",
    ),
    *mutants(
        "amounts",
        r"""
crates/weft/src/demand.rs
  traffic: a bound counts small amounts as a part each
    - let weight = |from, to| whole(self.sent(from, to));
    + let weight = |from, to| self.weight(from, to);
  traffic: the largest amount is one that stays on a switch
    - .filter(|&(&ends, _)| parts(ends))
    + .filter(|&(&ends, _)| parts(ends) || ends.0 != ends.1)
""",
    ),
    *mutants(
        "rails",
        r"""
crates/weft-routing/src/algorithms/best/patterns.rs
  best: what stays on rails counts like all else
    - let Some(found) = Rails::of(fabric, &computers(fabric)) else {
    + let Some(found) = Rails::of(fabric, &[]) else {
  best: a rail counts what comes from others
    - if pattern == ALL || self.is_on(from, rail) {
    + if pattern == ALL || rail != ALL {
  best: largest loads count as equal a third apart
    - self.least[ALL] * NEARLY[0] / NEARLY[1]).max(1)
    + self.least[ALL] / 3).max(1)
crates/weft-routing/src/algorithms/best/loads_of_trees.rs
  best: loads of rails are not counted
    - for pattern in patterns.counting(tree.destination) {
    + for pattern in patterns.counting(tree.destination).take(1) {
""",
    ),
    *mutants(
        "balance",
        r"""
crates/weft-routing/src/algorithms/best/loads_of_trees.rs
  best: what passes a switch is counted on its first channel alone
    - coming[space.edge(edge).to as usize] += flow;
    + coming[space.edge(edge).to as usize] += 0 * flow;
  best: what came to a destination stays there for the next
    - coming[tree.switch as usize] = 0;
    + coming[tree.switch as usize] *= 1;
crates/weft-routing/src/load/whole_flows.rs
  best: a port that takes one destination more is not counted
    - (all - own).div_ceil(ports.max(1)) * own
    + (all - own) / ports.max(1) * own
  best: loads are multiples of the most hosts
    - numbers.iter().copied().fold(0, divisor).max(1)
    + numbers.iter().copied().max().unwrap_or(0).max(1)
crates/weft-routing/src/algorithms/best/known_tables.rs
  best: tables that are taken as they are stay on one lane
    - if known.places.is_none() || self.effort.lanes == 1 {
    + if known.places.is_none() || self.effort.lanes > 0 {
""",
    ),
    *mutants(
        "background",
        r"""
crates/weft-model/src/workload/program/background.rs
  background: it waits for its times on the processor that sends
    - const CLOCK_CPU: u8 = 1;
    + const CLOCK_CPU: u8 = 0;
crates/weft-model/src/workload/program/execution/step.rs
  background: it waits for as long as its time is after the beginning
    - cycle.saturating_sub(now - rank.begin_cycle)
    + cycle
""",
    ),
    *mutants(
        "routes",
        r"""
crates/weft-routing/src/json/write.rs
  written: lane tables have their ports the other way round
    - [{input},{output},
    + [{output},{input},
  written: lanes of the way back
    - let lane = |to| Lane::number(tables.lane(from, to));
    + let lane = |to| Lane::number(tables.lane(to, from));
  written: a lane that drops is lane 0
    - None => text.push_str("null"),
    + None => number(text, 0),
  written: tables of several turns have one
    - if turns > 1 {
    + if turns > 2 {
  written: lists on lanes have the lane of their first step
    - let mut lanes = steps.on_lanes().map(|(_, lane)| lane);
    + let mut lanes = steps.on_lanes().map(|(_, lane)| lane).collect::<Vec<_>>().into_iter().rev();
  written: which of its addresses a host is sent to is lost
    - number(text, address.map_or(0, |address| address - first));
    + number(text, address.map_or(0, |address| address - first - (address - first)));
""",
    ),
]
