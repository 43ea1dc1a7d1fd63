"""The mistakes planted in proofs and in the checks of certificates."""

from __future__ import annotations

from mutants import mutants

PROOFS = [
    *mutants(
        "bounds",
        r"""
crates/weft-proof/src/nearest_first.rs
  bound: ends of service send, too
    - fabric.compute_hosts_of(switch) as u128
    + fabric.hosts_of(switch).len() as u128
crates/weft-proof/src/check_load_bound.rs
  bound: channels of hosts may have weights
    - if weight > 0 && !fabric.is_switch_channel(channel) {
    + if weight > u32::MAX - 1 && !fabric.is_switch_channel(channel) {
  bound: loads of tables are no multiples of anything
    - let shown = shown.next_multiple_of(common.max(1));
    + let shown = shown.next_multiple_of(1);
  bound: weights out of several switches count as those of the first
    - if sources.any(|source| source != Node::Switch(switch))
    + if sources.count() == usize::MAX
  bound: ports without a weight take nothing
    - || !ports.iter().all(|hop| is_weighted(&hop.channel))
    + || !ports.iter().any(|hop| is_weighted(&hop.channel))
  bound: the next whole number above what is shown will do
    - if shown < u128::from(bound.least_load) {
    + if shown + 1 < u128::from(bound.least_load) {
  bound: shortest routes may take any way
    - from.zip(to).is_some_and(|(from, to)| from + 1 == to)
    + from.zip(to).is_some_and(|(from, to)| from <= to || to < from)
  bound: weights of other fabrics will do
    - if found != expected {
    + if found < expected {
crates/weft-routing/src/load/metric/ways_by_weight.rs
  bound: one of several shortest ways takes all
    - let part = passing / last_edges.len() as f64;
    + last_edges.truncate(1);
    +             let part = passing;
  bound: what others send over a switch ends there
    - let passing = std::mem::take(&mut self.passing[at]) + sent[at] as f64;
    + let passing = 0.0 * std::mem::take(&mut self.passing[at]) + sent[at] as f64;
crates/weft-routing/src/load/cuts.rs
  bound: what a neighbourhood sends within itself counts as leaving it
    - of_all.sum::<u64>() - within
    + of_all.sum::<u64>() - 0 * within
  bound: channels into a neighbourhood count as those out of it
    - space.edge(edge).reverse
    + edge
crates/weft-routing/src/load/whole_flows.rs
  bound: hosts of a switch may part ways to a host
    - (all - own).div_ceil(ports.max(1)) * own
    + ((all - own) * own).div_ceil(ports.max(1))
crates/weft-routing/src/load/metric/mod.rs
  bound: parts of routes are rounded up to whole ones
    - least_load: whole((self.mean_load + 0.5).floor()),
    + least_load: whole(self.mean_load.ceil()),
crates/weft-routing/src/load/metric/search.rs
  bound: a step starts from even weights again
    - *logarithm += sharpness * load;
    + *logarithm += 0.0 * sharpness * load;
  bound: steps stay as short as they are
    - *rounds_of_a_step *= 2;
    + *rounds_of_a_step *= 1;
  bound: the whole way is gone at each round
    - let share = lowest(softened);
    + let share = lowest(softened).ceil();
  bound: the last weights are taken for the best
    - if room > 0 && mean(sum, room) > self.best_shown() {
    + if room > 0 {
""",
    ),
    *mutants(
        "proof",
        r"""
crates/weft-routing/src/shape/grid_positions.rs
  rings of four: the second line goes on as the first does
    - own[one] = 3 - own[one];
    + own[one] += 2;
crates/weft-routing/src/shape/fat_tree/leaf_order.rs
  trees: leaves are met as a file has them
    - sort_as_manager(fabric, &mut leaves);
    + sort_as_manager(fabric, &mut leaves[..0]);
crates/weft-routing/src/service/ways.rs
  service ends: new turns are made near the first leaf that a file has
    - let middle = widest.map(SwitchId::new).or(leaves.first().copied());
    + let middle = ends.compute.switches_with_hosts().next().filter(|_| widest.is_some());
crates/weft-routing/src/algorithms/best/mod.rs
  best: grids are searched like all others
    - .chain(std::iter::once_with(of_small).flatten())
    + .chain(of_small().filter(|_| false))
crates/weft-proof/src/check.rs
  one by one: behind a stop the lane before it is held
    - let held_lane = if injected { step.lane } else { lane };
    + let held_lane = lane;
  one by one: a rank that is the same ascends
    - if held_rank < wanted_rank {
    + if held_rank <= wanted_rank {
  one by one: the first of the hosts stands for all
    - for &source in sources {
    + for &source in &sources[..1] {
  one by one: channels to hosts do not count
    - Some(held) => self.ascend((pair.0, destination), (held, lane), ejection)?,
    + Some(_) => {}
  one by one: a route may end anywhere
    - if walk.switch() != self.fabric.host_switch(pair.1) {
    + if false {
  one by one: lane tables are looked at as if there were none
    - tables.lane_tables().is_none() && check_by_address
    + check_by_address
  shape: a certificate of fewer lanes will do
    - if certificate.lane_count < lanes {
    + if certificate.lane_count + 1 < lanes {
  shape: ranks may be missing
    - if certificate.rank.len() != channels * usize::from(certificate.lane_count) {
    + if certificate.rank.len() > channels * usize::from(certificate.lane_count) {
crates/weft-proof/src/check_listed.rs
  lists: a rank that is the same ascends
    - if rank <= before {
    + if rank < before {
  lists: a route may end anywhere
    - if at != end {
    + if false {
  lists: channels to hosts do not count
    - last < self.ways.ejection(route.destinations, lane)
    + last.is_some()
  lists: behind a stop the lane before it is held
    - (Some(injection), _) => self.ways.rank(injection, lane),
    + (Some(injection), _) => self.ways.rank(injection, held.map_or(lane, |(_, lane)| lane)),
  lists: behind a stop the channel before it is held
    - (Some(injection), _) => self.ways.rank(injection, lane),
    + (Some(_), _) => held.and_then(|(rank, _)| rank),
  lists: the turns of a pair share their lanes
    - let shift = self.routes.lane_shift(route.turn);
    + let shift = 0;
  ladder: a rank that is the same ascends
    - if next == u32::MAX || held >= Some(rank) {
    + if next == u32::MAX || held > Some(rank) {
  ladder: channels to hosts do not count
    - last.is_some() && last < self.ways.ejection(group.hosts, Lane::ZERO)
    + last.is_some()
  ladder: a route may end anywhere
    - held.filter(|_| ascends && at == to.index() * self.width && from != to)
    + held.filter(|_| ascends && from != to)
crates/weft-proof/src/check_lines.rs
  lines: a rank that is the same ascends
    - rank <= before
    + rank < before
  lines: turns do not count
    - before.end.iter().all(|(held, _)| held < rank)
    + before.end.iter().all(|(held, _)| held < rank || true)
  lines: channels to hosts do not count
    - rank < ways.ejection(hosts, lane)
    + rank.is_some() || ways.ejection(hosts, lane).is_none()
  lines: channels from hosts do not count
    - ways.injection(hosts, lane) < rank
    + rank.is_some() || ways.injection(hosts, lane).is_none()
  lines: hosts of one switch do not count
    - fabric.switches_with_hosts().all(join)
    + fabric.switches_with_hosts().all(|switch| join(switch) || true)
crates/weft-proof/src/check_by_address.rs
  tables: a rank that is the same ascends
    - self.ways.rank(way.channel, lane) <= before
    + self.ways.rank(way.channel, lane) < before
  tables: channels to hosts do not count
    - rank < self.ways.ejection(destination.hosts, lane)
    + rank.is_some() || destination.hosts.is_empty()
  tables: the last switch may lead to another host
    - if sent & astray != 0
    + if sent & astray & here != 0
  tables: what was seen on one lane holds on all
    - let here = lane.index() * self.own.len() + at.index();
    + let here = at.index() + 0 * lane.index();
  tables: further addresses are not followed
    - sent[lane.index()] |= 1 << place;
    + sent[lane.index()] |= u64::from(own.start == address) << place;
  tables: of those that leave together the first alone goes on
    - room.wait(lane, next, passing);
    + room.wait(lane, next, passing & passing.wrapping_neg());
  tables: of all ports the first alone is compared
    - left &= !leaving;
    + left = 0 & leaving;
crates/weft-proof/src/check_ways.rs
  ways: of the hosts' channels the lowest stands for all
    - [injection.max().flatten(), ejection.min().flatten()]
    + [injection.min().flatten(), ejection.min().flatten()]
  ways: of the channels to hosts the highest stands for all
    - [injection.max().flatten(), ejection.min().flatten()]
    + [injection.max().flatten(), ejection.max().flatten()]
  ways: hosts of one switch need not ascend
    - injection < rank(self.fabric.ejection_channel(*to)))
    + injection.is_some())
crates/weft-proof/src/check_adaptive.rs
  choices: the second phase need not lie above the first
    - if let Some((port, lane)) = routes.step([by_way_of, to], 1, 0)
    + if let Some((port, lane)) = routes.step([by_way_of, by_way_of], 1, 0)
  choices: the first phase has the ranks of the second
    - let last = check_route(ascent, routes, [from, by_way_of], 0)?;
    + let last = check_route(ascent, routes, [from, by_way_of], 1)?;
  choices: packets come from hosts on the first lane
    - for first in (0..routes.lane_count()).map(Lane::new) {
    + for first in (0..1).map(Lane::new) {
  choices: the second phase need not end
    - ascent.ascend(
    -             (source, host),
    -             last,
    -             (fabric.ejection_channel(host), last.1),
    -         )?;
    + let _ = (source, host, last);
  choices: channels to hosts do not count
    - ascent.ascend((packet.source, host), packet.held, wanted)?;
    + let _ = wanted;
  choices: only packets on the escape wait for it
    - ways.extend(escape.map(|port| (port, AdaptiveTables::ESCAPE_LANE, true)));
    + ways.extend(escape.map(|port| (port, AdaptiveTables::ESCAPE_LANE, is_on_escape)));
  choices: packets may go round and round
    - Err(ascent.not_reached(packets[0].source, first))
    + let _ = first;
    +     Ok(())
  choices: hosts of one switch need not ascend
    - ascent.ascend((source, host), held, wanted)?;
    + let _ = (held, wanted);
crates/weft-proof/src/adaptive/intermediate_switch.rs
  junctions: only the first packet that comes goes on
    - for &held in ends.iter() {
    + for &held in ends.iter().take(1) {
  junctions: packets go on only by the first way
    - for &(port, lane) in beginnings.iter() {
    + for &(port, lane) in beginnings.iter().take(1) {
crates/weft-proof/src/adaptive/port_choices.rs
  choices: without an escape nothing is waited for
    - if is_escape || !self.tables.has_escape() {
    + if is_escape {
  choices: with an escape all ways are waited for
    - if is_escape || !self.tables.has_escape() {
    + if true {
  choices: where the escape has no entry any way will do
    - (has_escape && escape.is_none())
    + (has_escape && escape.is_none() && any.is_empty())
crates/weft-proof/src/dependency_graph.rs
  graph: beyond 64 ports and lanes the first words count again
    - let bit = place * 64 + bit;
    + let bit = place / usize::MAX + bit;
  graph: channels to hosts on the lane before alone
    - self.add((channel, lane), fabric.host_port(host), lane);
    + self.add((channel, Lane::ZERO), fabric.host_port(host), lane);
crates/weft-proof/src/walk.rs
  one by one: lane tables lead all packets to an address one way
    - walk.address().filter(|_| routes.lane_tables().is_none())
    + walk.address()
crates/weft-proof/src/sweep.rs
  at once: behind a stop the lane before it is held
    - Some((channel, _)) if is_injected => {
    + Some((channel, _)) if is_injected && lane == Lane::ZERO => {
  at once: the last switch may lead to another host
    - port == Some(self.fabric.host_port(to.hosts[0]));
    + port.is_some();
  at once: a route may pass the switch it ends at
    - if at != end || met.contains(&self.walks) {
    + if at != end {
  at once: hosts of a switch are counted with the others
    - let hosts = hosts_at_first - if here == 0 { 0 } else { hosts_at(are_first & here) };
    + let hosts = hosts_at_first;
crates/weft-routing/src/form/ways_together.rs
  together: what one lane has shown holds on all
    - let of_lane = lane.index() * self.switches;
    + let of_lane = 0 * lane.index();
  together: of those that leave by a port the first alone goes on
    - let going = together & !ending;
    + let going = together & !ending & together.wrapping_neg();
  together: circles are not seen
    - let is_in_a_circle = self.met[here] & new != 0;
    + let is_in_a_circle = self.met[here] & new != 0 && false;
    + let new = new & !self.met[here];
  together: what was known before wants nothing
    - let pass = self.all_ports(next, going, |port| {
    + let known = self.leads[of_lane + next.index()];
    +             let pass = self.all_ports(next, going & !known, |port| {
crates/weft-proof/src/sweep_lines.rs
  lines: nobody turns from one into another
    - of_axes[axis + 1..].iter().flat_map(|other| &other.first);
    + of_axes[axis..axis].iter().flat_map(|other| &other.first);
  lines: packets turn back into those they came along
    - of_axes[axis + 1..].iter().flat_map(|other| &other.first);
    + of_axes.iter().flat_map(|other| &other.first);
  lines: a way may lead past its end
    - let arrives = at == end && !met.contains(&self.walks);
    + let arrives = !met.contains(&self.walks);
  lines: hosts of one switch are not counted
    - found.count(&route);
crates/weft-proof/src/plain_steps.rs
  plain: a route may pass the switch it ends at
    - && lines[at + mark_column] != *mark;
    + ;
  plain: a route may meet a switch twice
    - || lines[at + mark_column] == *mark {
    + {
crates/weft-proof/src/findings.rs
  findings: routes to further addresses count as pairs
    - if shared.alias.is_some_and(|alias| alias + 1 < shared.choices) {
    + if shared.alias.is_some_and(|alias| alias > shared.choices) {
  findings: the first address alone counts
    - worst = worst.max(end(fabric, routes, &shared));
    + worst = end(fabric, routes, &SharedRoute { alias: shared.alias.map(|_| 0), ..shared });
  findings: what leads in a circle is not reached
    - if walk.is_in_a_circle() {
    + if false {
""",
    ),
    *mutants(
        "completion",
        r"""
crates/weft-routing/src/joining/growth.rs
  ways: entries there are change
    - let apart = switches.filter(|&at| !self.is_joined(at) && self.next(at) == NO_EDGE);
    + let apart = switches.filter(|&at| !self.is_joined(at));
crates/weft-routing/src/completion/ways_to_addresses.rs
  ways: they need not be held
    - ways.lead_nearest(space, &mut held);
    + ways.lead_nearest(space, &mut Shortest);
  ways: those that were there need not be held
    - path.is_none_or(|path| held.join(at, &path))
    + path.is_none_or(|path| held.join(at, &path) || true)
  ways: senders at other switches hold them
    - let of_switch = |senders: &&Senders| senders.switch.number() == at;
    + let of_switch = |senders: &&Senders| senders.switch.number() != at;
  lanes: those of the planned level on a new one
    - None => Lane::new(lanes + (level - levels)),
    + None => Lane::new(lanes - 1),
  levels: one way that is held is enough
    - self.release(&held);
    -                 return false;
    -             };
    -             held.push(way);
    -         }
    -         true
    + return !held.is_empty();
    +             };
    +             held.push(way);
    +         }
    +         true
  levels: new ones have no lanes in the tables
    - for level in levels..self.level_count {
    + for level in self.level_count..self.level_count {
  levels: the first of the senders alone is put on another
    - for source in &senders.endpoints {
    + for source in senders.endpoints.iter().take(1) {
""",
    ),
]
