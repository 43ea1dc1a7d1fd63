"""The mistakes planted where switches choose: in tables, proof, its check and loads."""

from __future__ import annotations

from mutants import mutants

CHOICES = [
    *mutants(
        "choices",
        r"""
crates/weft-proof/src/adaptive/group_choices.rs
  choices: a hash decides like a packet
    - LidState::Free => !is_open.any(|is_open| is_open),
    -         LidState::Static | LidState::Hashed => !is_open.all(|is_open| is_open),
    + LidState::Free | LidState::Hashed => !is_open.any(|is_open| is_open),
    +         LidState::Static => !is_open.all(|is_open| is_open),
  choices: packets that are stuck at one address go on by another
    - stuck[vertex as usize] = true;
    + stuck[vertex as usize] ^= true;
  choices: the first level stands for all
    - let flows = levels.iter().flat_map(|&service_level| {
    + let flows = levels.iter().take(1).flat_map(|&service_level| {
  choices: later rounds are higher
    - let rank = rounds.iter().map(|round| last - round).collect();
    + let rank = rounds.iter().map(|&round| round.min(last)).collect();
crates/weft-proof/src/adaptive/address_walk.rs
  choices: all packets of a cycle go to the first LID of their host
    - self.fabric.host(host).lids?.lids().nth(place)
    + self.fabric.host(host).lids?.lids().nth(place & 0)
  choices: packets to another host of a switch leave it by their own port whatever its tables say
    - let leaves = exit.behind == Some(Node::Host(destination));
    + let leaves = exit.behind.is_some();
  choices: those who share a switch with the first host send it nothing more
    - last.push((injection, narrow(own, "states are fewer than 2^32")));
    + last.truncate(last.len().max(usize::from(injection < own as u32)));
  choices: a way round is followed on
    - } else if self.seen[next].1 && self.route_loop.is_none() {
    + } else if self.seen[next].1 && self.route_loop.is_none() && next == 0 {
  choices: an address without an entry leads somewhere
    - if choice.ports.is_empty() {
    + if choice.ports.is_empty() && destination.index() > 99 {
  choices: packets arrive at any host
    - (Some(Node::Host(host)), _) if host != destination => DeadEnd::OtherHost(host),
    + (Some(Node::Host(host)), _) if host.index() > 999 => DeadEnd::OtherHost(host),
  choices: sources send at all levels of pairs
    - *source != destination && tables.may_have(*source, flows.address, flows.service_level)
    + *source != destination && flows.service_level < 16
crates/weft-proof/src/check_groups.rs
  choices: the check looks at the lowest level of pairs alone
    - let looked_at = if tables.has_pair_levels() { 16 } else { 1 };
    + let looked_at = if tables.has_pair_levels() { 1 } else { 1 };
  choices: the check lets packets go round
    - filter(|(_, _, sight)| left[*sight] > 0);
    + filter(|(_, _, sight)| left[*sight] > 9);
  choices: the check looks at the best way of a hash alone
    - let least = if decides == LidState::Free {
    + let least = if decides != LidState::Static {
  choices: the check takes all addresses of a switch for alike
    - one.state == other.state && one.ports == other.ports
    + one.state == other.state || one.ports != other.ports
  choices: the check does not see that packets go on from their last switch
    - self.only_leave &= switch != fabric.host_switch(destination);
    + self.only_leave &= switch == fabric.host_switch(destination);
  choices: the check says more than it saw
    - if self.rank(lowest) <= self.rank(held) {
    + if self.rank(lowest).is_none() {
crates/weft-proof/src/dependency_graph.rs
  choices: what is noted begins at the second port
    - words[first + bit / 64] |= 1 << (bit % 64);
    -         }
    -         first..words.len()
    + words[first + bit / 64] |= 1 << ((bit + 1) % 64);
    +         }
    +         first..words.len()
crates/weft-proof/src/group_findings.rs
  choices: a port that leads as near counts as nearer
    - links[next.index()] >= links[switch.index()]
    + links[next.index()] > links[switch.index()]
  choices: two ports are one
    - if let [port] = *choice.ports {
    + if let [port, ..] = *choice.ports {
  choices: ports up alone are mixed
    - if ways.iter().any(|way| way.is_gt()) && ways.iter().any(|way| way.is_lt()) {
    + if ways.iter().any(|way| way.is_gt()) || ways.iter().any(|way| way.is_lt()) {
  choices: rates of groups are all alike
    - && rates.any(|rate| rate != first)
    + && rates.any(|rate| rate != first && rate.is_none())
crates/weft-routing/src/form/adaptive/group_tables.rs
  choices: hashed addresses go by the levels that choose
    - LidState::Hashed => self.hashed_levels.unwrap_or(self.adaptive_levels),
    -             LidState::Free => self.adaptive_levels,
    + LidState::Hashed | LidState::Free => self.adaptive_levels,
  choices: no switch goes by the lane before
    - tables.key() == LaneKey::IncomingLane || levels >> service_level & 1 == 1
    + tables.key() == LaneKey::IncomingLane || levels >> service_level & 1 == 2
crates/weft-routing/src/form/adaptive/group_states.rs
  choices: packets are alike whatever port they came by
    - let is_alike = tables.switch(switch).has_one_table()
    + let is_alike = tables.switch(switch).table_count() > 0
crates/weft-routing/src/form/adaptive/alike_addresses.rs
  choices: switches treat alike whom their first table does
    - for table in 0..switch.table_count() {
    + for table in 0..switch.table_count().min(1) {
crates/weft-routing/src/load/group_loads.rs
  choices: addresses of a host carry as much each
    - loads.mean[way.channel.index()] += part * of_address;
    + loads.mean[way.channel.index()] += part * of_address.max(1.0);
  choices: pairs of the destination itself count
    - pairs -= u64::from(has_own);
    + pairs -= u64::from(has_own && pairs > 99);
  choices: hosts that are alike have one cable
    - loads.mean[of.fabric.ejection_channel(host).index()] += part;
    + loads.mean[of.fabric.ejection_channel(first).index()] += part;
  choices: all pairs are at the level asked for
    - if of.is_sent(source, destination, address) {
    -                     loads.mean
    + if source != destination {
    +                     loads.mean
crates/weft-routing/src/form/adaptive/lane_groups.rs
  choices: ports that lead as near are added
    - links[next.index()].is_some_and(|links| Some(links) < own_links);
    + links[next.index()].is_some_and(|links| Some(links) <= own_links);
  choices: what is behind a port that is added is not looked at
    - .chain(between)
    -             .chain(after)
    +             .chain(between)
  choices: what packets hold before a port that is added is not looked at
    - let before = held.map(|&held| [held, first]);
    + let before = held.take(0).map(|&held| [held, first]);
  choices: lanes share their order
    - for (lane, order) in orders.iter_mut().enumerate() {
    -                 let mut found
    + for (lane, order) in orders.iter_mut().rev().enumerate() {
    +                 let mut found
crates/weft-routing/src/load/group_parts.rs
  what follows a state is left out
    - onward[state][place] += way.share * (here + later[place]);
    + onward[state][place] += way.share * here.max(later[place] / 2.0);
  addresses count once each
    - parts[place] += share * onward[start][place];
    + parts[place] += onward[start][place];
crates/weft-routing/src/load/group_walk.rs
  choices: pairs go by the level of the first
    - self.level = level.unwrap_or(of.service_level);
    + self.level = level.map_or(of.service_level, |_| of.service_level);
  choices: ports share without weights
    - let share = choice.group.map_or(1.0, |group| group.share(output));
    + let share = 1.0 / choice.ports.len() as f64;
  choices: hosts of a switch are alike whatever it does with them
    - choice.ports == [own_port] && next.is_some()
    + choice.ports.contains(&own_port) && next.is_some()
crates/weft-routing/src/algorithms/ar_ftree.rs
  choices: a leaf below is sent up to as well
    - let edges: Vec<u32> = if is_below {
    + let edges: Vec<u32> = if is_below && at > 1 {
crates/weft-routing/src/algorithms/omniwar.rs
  choices: a detour takes the last lane that is needed
    - } else if apart.len() < usize::from(left) {
    + } else if apart.len() <= usize::from(left) {
crates/weft-routing/src/algorithms/dfp.rs
  choices: packets that go up again keep their lane
    - !groups.is_spine(at) || leaves_group(groups, at, hop)
    + groups.is_spine(at) && leaves_group(groups, at, hop)
crates/weft-routing/src/form/adaptive/packet_levels.rs
  choices: switches that choose for nobody choose for those who may
    - *mask = if *mask == 0 { 0 } else { levels };
    + *mask = levels | *mask & levels;
crates/weft-proof/src/adaptive/mod.rs
  choices: packets that do not choose are taken for sound
    - } else if !is_sound(0) {
    + } else if !is_sound(0) && all.is_empty() {
crates/weft-routing/src/load/group_congestion.rs
  choices: the busiest channel of a pair is its first
    - .map(|(channel, _)| self.loads[channel.index()])
    + .map(|(channel, part)| self.loads[channel.index()] * part.floor())
  choices: flows of a pair wait for the slowest of them
    - flows.is_none() || next.0 != first;
    + flows.is_none() || next.0 != first || true;
  choices: a pair that is lost by its hash is counted as sent
    - (Some(flows), _) => flows.push(pair, &mut self.parts),
    + (Some(flows), _) => flows.push(pair, &mut self.parts) || true,
crates/weft-routing/src/load/group_use.rs
  choices: all flows of a pair have one hash
    - let hash = hash_of_flow(self.key, [source, destination], flow);
    + let hash = hash_of_flow(self.key, [source, destination], flow & 0);
  choices: all draws are one
    - let hash = hash_of_flow(self.key, [source,
    + let hash = hash_of_flow([self.key[0], 0], [source,
  choices: pairs that choose alike keep their parts
    - parts[kept] = (channel, 1.0);
    + parts[kept] = (channel, parts[place].1);
  choices: a channel of two lanes counts twice
    - if kept == first || parts[kept - 1].0 != channel {
    + if kept == first || parts[kept - 1].0 != channel || true {
  choices: all flows go to the first address
    - addresses.start + part_of(hash, addresses.len());
    + addresses.start + part_of(hash, 1);
crates/weft-routing/src/load/address_use.rs
  choices: addresses: first ones get what all get
    - parts[0] = PARTS;
    + parts[0] = PARTS / addresses as u64;
  choices: addresses: a hash gives each flow the whole
    - *part = *part * PARTS / u64::from(flows);
    + *part = (*part).min(1) * PARTS;
crates/weft-routing/src/load/demand_figures.rs
  choices: addresses: what is sent to one loads its way as all
    - let weight = weight * parts as f64 / PARTS as f64;
    + let weight = weight * (parts as f64 / PARTS as f64).ceil();
crates/weft-routing/src/load/congestion.rs
  choices: addresses: a pair gets what each of its routes gets
    - parts as f64 / PARTS as f64 * share.min(1.0);
    + share.min(1.0);
  choices: a share is one of the fastest link
    - left.fold(f64::INFINITY, f64::min) / room(first).min(room(last))
    + left.fold(f64::INFINITY, f64::min)
crates/weft-routing/src/load/link_room.rs
  choices: links are alike whatever their rates
    - shares: if differ { shares } else { Vec::new() },
    + shares: if differ && shares.is_empty() { shares } else { Vec::new() },
crates/weft-routing/src/load/group_demand.rs
  choices: a hash is forgotten under a pattern
    - Some(flows) => flows.push(pair, &mut parts),
    + Some(_) => walk.parts(pair, &mut even),
""",
    ),
]
