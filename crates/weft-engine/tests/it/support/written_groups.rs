//! Tables of groups of ports as files, written from the grammar of `.far` alone: sound by how they are made, or with a
//! circle that is planted.
//!
//! Nothing here knows the program's tables, writer or proof: ways, groups and text are its own.

use super::random::Draws;
use std::collections::BTreeMap;
use std::fmt::Write;
use weft_fabric::{Fabric, FabricBuilder, Host, LidRange, Node, PortNumber, Switch, SwitchId};

/// A network, what ibdiagnet would dump of its switches, and packets for it.
pub(crate) struct WrittenGroups {
    pub(crate) fabric: Fabric,
    pub(crate) far: String,
    /// By hosts; those of a planted circle fill it.
    pub(crate) packets: Vec<(usize, usize)>,
}

/// A host: its switch and port there, its first LID and how many it has.
struct End {
    switch: usize,
    port: u8,
    lid: u16,
    lids: u16,
}

/// What a line of the table of a switch says of a LID.
#[derive(Clone)]
struct Line {
    static_port: u8,
    state: &'static str,
    ports: Vec<u8>,
}

/// A network in numbers of switches and ports, and its tables.
struct Plan {
    switches: usize,
    /// Pairs of switch and port.
    cables: Vec<[(usize, u8); 2]>,
    ends: Vec<End>,
    /// Switches round which there are cables.
    circle: Vec<usize>,
    /// Per switch: what its table says by LID.
    tables: Vec<BTreeMap<u16, Line>>,
}

/// Tables by which packets go up as long as nothing below leads to their host, then down: no channel down is ever
/// followed by one up, so that none can close a circle.
pub(crate) fn sound(draws: &mut Draws) -> WrittenGroups {
    let plan = Plan::sound(draws);
    let count = plan.ends.len();
    let mut packets = Vec::new();
    for _ in 0..12 * count {
        let (from, to) = (draws.index(count), draws.index(count));
        if from != to {
            packets.push((from, to));
        }
    }
    plan.written(draws, packets)
}

/// The same, but for a circle of three or more switches, round which each sends packets to the next but one, and the next
/// sends them on: every cable of the circle may be full of packets that all wait for the next. If `is_sure`, they have
/// no other way, and every packet any of those round the circle; else a hash may spare some the circle.
pub(crate) fn planted(draws: &mut Draws, is_sure: bool) -> WrittenGroups {
    let mut plan = Plan::sound(draws);
    let packets = plan.plant(draws, is_sure);
    plan.written(draws, packets)
}

impl Plan {
    fn sound(draws: &mut Draws) -> Self {
        let mut plan = Self::wired(draws);
        let above = plan.ranks(draws);
        for number in 0..plan.ends.len() {
            let end = &plan.ends[number];
            let (home, port, lids) = (end.switch, end.port, end.lid..end.lid + end.lids);
            let leads_down = plan.leading_down(home, &above);
            for lid in lids {
                for here in 0..plan.switches {
                    let ways = if here == home {
                        vec![port]
                    } else {
                        plan.ways(here, |next| {
                            if leads_down[here] {
                                above[next] > above[here] && leads_down[next]
                            } else {
                                above[next] < above[here]
                            }
                        })
                    };
                    let line = line_among(draws, &ways);
                    plan.tables[here].insert(lid, line);
                }
            }
        }
        plan
    }

    /// A circle of switches, others that hang on it, and further cables, some of them beside one another; each switch has a
    /// host or more.
    fn wired(draws: &mut Draws) -> Self {
        let switches = 4 + draws.index(5);
        let mut names: Vec<usize> = (0..switches).collect();
        draws.shuffle(&mut names);
        let round = 3 + draws.index(switches - 2);
        let mut joined: Vec<[usize; 2]> = (0..round).map(|n| [n, (n + 1) % round]).collect();
        joined.extend((round..switches).map(|n| [n, draws.index(n)]));
        for _ in 0..draws.index(switches) {
            let beside = *draws.choose(&joined);
            let across = [draws.index(switches), draws.index(switches)];
            let further = if draws.once_in(2) { beside } else { across };
            if further[0] != further[1] {
                joined.push(further);
            }
        }
        let mut ports: Vec<Vec<u8>> = (0..switches)
            .map(|_| {
                let mut free: Vec<u8> = (1..=36).collect();
                draws.shuffle(&mut free);
                free
            })
            .collect();
        let mut next = |switch: usize| (switch, ports[switch].pop().unwrap());
        let cables = joined
            .iter()
            .map(|ends| ends.map(|number| next(names[number])))
            .collect();
        let mut ends = Vec::new();
        let mut free_lid = 16 * (1 + number(draws, 100));
        for &switch in &names {
            for _ in 0..=draws.index(2) {
                let lids = *draws.choose(&[1, 1, 1, 2]);
                let (switch, port) = next(switch);
                ends.push(End {
                    switch,
                    port,
                    lid: free_lid,
                    lids,
                });
                free_lid += 2 + 2 * number(draws, 2);
            }
        }
        draws.shuffle(&mut ends);
        Self {
            switches,
            cables,
            ends,
            circle: names[..round].to_vec(),
            tables: vec![BTreeMap::new(); switches],
        }
    }

    /// The ports of a switch that lead to those that are wanted.
    fn ways(&self, here: usize, wanted: impl Fn(usize) -> bool) -> Vec<u8> {
        let mut ports = Vec::new();
        for [one, other] in &self.cables {
            for (from, to) in [(one, other), (other, one)] {
                if from.0 == here && wanted(to.0) {
                    ports.push(from.1);
                }
            }
        }
        ports
    }

    /// Places of switches in an order in which each but the first has one before it that it is cabled to.
    fn ranks(&self, draws: &mut Draws) -> Vec<usize> {
        let mut ranks = vec![usize::MAX; self.switches];
        ranks[draws.index(self.switches)] = 0;
        for rank in 1..self.switches {
            let joined = |here: usize| {
                ranks[here] == usize::MAX && !self.ways(here, |next| ranks[next] < rank).is_empty()
            };
            let next: Vec<usize> = (0..self.switches).filter(|&here| joined(here)).collect();
            ranks[*draws.choose(&next)] = rank;
        }
        ranks
    }

    /// Per switch: whether cables down alone lead from it to another.
    fn leading_down(&self, home: usize, above: &[usize]) -> Vec<bool> {
        let mut leads = vec![false; self.switches];
        leads[home] = true;
        for rank in (0..above[home]).rev() {
            let here = above.iter().position(|&known| known == rank).unwrap();
            let below = self.ways(here, |next| above[next] > rank && leads[next]);
            leads[here] = !below.is_empty();
        }
        leads
    }

    /// Plants a circle, and returns packets that go round it.
    fn plant(&mut self, draws: &mut Draws, is_sure: bool) -> Vec<(usize, usize)> {
        let round = self.circle.len();
        let at = |plan: &Self, place: usize| plan.circle[place % round];
        // The ports to the next switch that packets of the circle take.
        let ahead: Vec<Vec<u8>> = (0..round)
            .map(|place| {
                let next = at(self, place + 1);
                let mut ports = self.ways(at(self, place), |to| to == next);
                draws.shuffle(&mut ports);
                ports.truncate(1 + draws.index(ports.len()));
                ports
            })
            .collect();
        let mut packets = Vec::new();
        for place in 0..round {
            let [first, second, home] = [0, 1, 2].map(|links| at(self, place + links));
            let to = self.end_at(home);
            let lids = self.ends[to].lid..self.ends[to].lid + self.ends[to].lids;
            for lid in lids {
                let (one, two) = (&ahead[place], &ahead[(place + 1) % round]);
                // All that are filled by the first have to be waited for by it.
                let mut states = if one.len() > 1 {
                    vec!["Free", "HBF"]
                } else {
                    vec!["Free", "HBF", "Static"]
                };
                if is_sure {
                    states.retain(|state| *state != "HBF");
                }
                let mut line = Line {
                    static_port: one[0],
                    state: draws.choose::<&str>(&states),
                    ports: one.clone(),
                };
                if line.state == "HBF" {
                    line.ports.extend(&self.tables[first][&lid].ports);
                    line.ports.sort_unstable();
                    line.ports.dedup();
                }
                self.tables[first].insert(lid, line);
                let states: &[&str] = if is_sure {
                    &["Free", "Static"]
                } else {
                    &["Free", "HBF", "Static"]
                };
                let line = Line {
                    static_port: two[0],
                    state: states[draws.index(states.len())],
                    ports: two.clone(),
                };
                self.tables[second].insert(lid, line);
            }
            let sources: Vec<usize> = (0..self.ends.len())
                .filter(|&end| self.ends[end].switch == first)
                .collect();
            for _ in 0..60 {
                packets.push((*draws.choose(&sources), to));
            }
        }
        packets
    }

    fn end_at(&self, switch: usize) -> usize {
        self.ends
            .iter()
            .position(|end| end.switch == switch)
            .unwrap()
    }

    fn written(&self, draws: &mut Draws, packets: Vec<(usize, usize)>) -> WrittenGroups {
        let mut far = String::from("# Made for a test\nFile version: 1\n");
        let mut order: Vec<usize> = (0..self.switches).collect();
        draws.shuffle(&mut order);
        for switch in order {
            self.write_switch(draws, switch, &mut far);
        }
        WrittenGroups {
            fabric: self.fabric(),
            far,
            packets,
        }
    }

    fn write_switch(&self, draws: &mut Draws, switch: usize, far: &mut String) {
        let told = draws.choose(&[
            "ar_en: 1, by_sl_en: 0",
            "ar_en: 1, by_sl_en: 1, enable_by_sl_mask: 0xffff, pfrn_enabled: 1",
            "ar_en: 1, by_sl_en: 1, enable_by_sl_mask: 0x0001",
            "ar_en: 1, by_sl_en: 1, enable_by_sl_mask: 0xfffe",
            "ar_en: 0",
        ]);
        writeln!(
            far,
            "\nSwitch {:#018x}, {told}\nGroups Definition:",
            guid(switch)
        )
        .unwrap();
        far.push_str("Group  Sub Group  WHBF  Ports\n-----------------------------\n");
        // Lines of equal ports may share a group, and numbers may leave some out.
        let mut groups: Vec<(u16, Vec<u8>)> = Vec::new();
        let mut rows = String::new();
        let mut free_number = 1 + number(draws, 3);
        for (lid, line) in &self.tables[switch] {
            let mut group = 0;
            if line.state != "Static" {
                let known = groups.iter().find(|(_, ports)| *ports == line.ports);
                let shared = known
                    .filter(|_| !draws.once_in(4))
                    .map(|(number, _)| *number);
                group = shared.unwrap_or(free_number);
                if shared.is_none() {
                    groups.push((group, line.ports.clone()));
                    write_group(draws, group, &line.ports, far);
                    free_number += 1 + number(draws, 2);
                }
            }
            let (port, state) = (line.static_port, line.state);
            writeln!(rows, "{lid:#06x}  {port:<11}  {state:<9}  {group}").unwrap();
        }
        let top = self.tables[switch].keys().last().unwrap();
        write!(far, "\nLFT Definition:\nPLFT_NUM: 0, top: {top:#06x}\n").unwrap();
        far.push_str("LID     Static Port  Lid State  Group\n");
        far.push_str("-------------------------------------\n");
        far.push_str(&rows);
    }

    fn fabric(&self) -> Fabric {
        let mut builder = FabricBuilder::new("written");
        for number in 0..self.switches {
            let switch = Switch {
                guid: Some(guid(number)),
                lids: LidRange::new(1 + u16::try_from(number).unwrap(), 0),
                ..Switch::new(format!("sw{number}"), 36)
            };
            builder.add_switch(switch).unwrap();
        }
        for (number, end) in self.ends.iter().enumerate() {
            let host = Host {
                guid: Some(0x1000 + number as u64),
                adapter_guid: Some(0x2000 + number as u64),
                lids: LidRange::new(end.lid, u8::from(end.lids == 2)),
                ..Host::new(format!("host{number}"))
            };
            let host = builder.add_host(host).unwrap();
            let at = SwitchId::from_index(end.switch);
            builder
                .attach_host(host, at, PortNumber::new(end.port))
                .unwrap();
        }
        for ends in &self.cables {
            let [one, other] =
                ends.map(|(switch, port)| Node::Switch(SwitchId::from_index(switch)).at(port));
            builder.add_link(one, other, None).unwrap();
        }
        builder.build().unwrap()
    }
}

/// A whole number from 0 to a most.
fn number(draws: &mut Draws, most: u64) -> u16 {
    u16::try_from(draws.between(0, most)).unwrap()
}

fn guid(switch: usize) -> u64 {
    0xa000 + switch as u64
}

/// A line by some of the ports that lead on, at least one, and a static port of all.
fn line_among(draws: &mut Draws, ways: &[u8]) -> Line {
    let static_port = *draws.choose(ways);
    let mut ports = ways.to_vec();
    draws.shuffle(&mut ports);
    ports.truncate(1 + draws.index(ports.len()));
    ports.sort_unstable();
    Line {
        static_port,
        state: draws.choose::<&str>(&["Free", "Free", "HBF", "Static"]),
        ports,
    }
}

/// Writes a group whose ports stand in one subgroup or are parted to two, with weights or without.
fn write_group(draws: &mut Draws, number: u16, ports: &[u8], far: &mut String) {
    let mut ports = ports.to_vec();
    draws.shuffle(&mut ports);
    let first = if draws.once_in(3) {
        1 + draws.index(ports.len())
    } else {
        ports.len()
    };
    let weight = draws.between(0, 2);
    for (subgroup, part) in [&ports[..first], &ports[first..]].into_iter().enumerate() {
        if !part.is_empty() {
            let list: Vec<String> = part.iter().map(|port| format!("{port},")).collect();
            let list = list.join(" ");
            writeln!(far, "{number:<5}  {subgroup:<9}  {weight:<4}  {list}").unwrap();
        }
    }
}
