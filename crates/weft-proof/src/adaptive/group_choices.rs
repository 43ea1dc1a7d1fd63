//! Tables whose switches choose among groups of ports: everywhere packets may be, by any choice.
//!
//! Either of two things is enough. Where all that packets may want ascends one order of the channels, none can wait in
//! a cycle, and that remains so when ports are taken from groups. Else it is enough that wherever packets wait, one of
//! the ports that any of them may choose leads higher: whoever holds the highest channel of all that wait finds it free
//! at last. The channels from which packets surely go on are found from the hosts backwards, round after round; where
//! some are left, packets can fill those for ever, each with nothing but others of them to choose.

use super::address_walk::{AddressWalk, Flows, Setting, Way};
use crate::certificate::Certificate;
use crate::dependency_graph::{DependencyGraph, Vertex};
use crate::shortest_cycle::{Arc, cycle_of};
use crate::verdict::{Dependency, DependencyCycle, RestsOn, RouteLoop, UnreachedPair, Verdict};
use crate::wiring::Wiring;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use weft_fabric::{Fabric, HostId, Node, narrow};
use weft_routing::{GroupStates, GroupTables, LidState};

/// What holds for tables of groups.
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) rests_on: RestsOn,
    pub(super) dependencies: u64,
    pub(super) routes: u64,
}

/// Judges packets of some service levels to all addresses, all levels together.
pub(super) fn judge(
    fabric: &Fabric,
    wiring: &Wiring,
    tables: &GroupTables,
    levels: &[u8],
) -> Judged {
    let setting = setting(fabric, wiring, tables);
    All::of(&setting, levels).judge()
}

/// Whether all of them arrive and none can deadlock: the same without the cycle.
pub(super) fn is_sound(
    fabric: &Fabric,
    wiring: &Wiring,
    tables: &GroupTables,
    levels: &[u8],
) -> bool {
    let setting = setting(fabric, wiring, tables);
    let all = All::of(&setting, levels);
    let found = all.gathered();
    let lanes = found.graph.lane_count();
    found.unreached.is_empty()
        && found.route_loop.is_none()
        && (Certificate::of(&found.graph, lanes).is_some()
            || certificate_of_rounds(&all.rounds().0, lanes).is_some())
}

fn setting<'a>(fabric: &'a Fabric, wiring: &'a Wiring, tables: &'a GroupTables) -> Setting<'a> {
    Setting {
        fabric,
        wiring,
        tables,
        states: GroupStates::new(fabric, tables),
        lanes: tables.lane_count().into(),
    }
}

/// All packets over the tables.
struct All<'a> {
    setting: &'a Setting<'a>,
    /// Those together that are treated alike up to their last switch.
    flows: Vec<Vec<Flows>>,
}

/// What a core found of the packets that it followed.
struct Part<'a, T> {
    walk: AddressWalk<'a>,
    found: T,
}

impl<'a> All<'a> {
    fn of(setting: &'a Setting<'a>, levels: &[u8]) -> Self {
        let Setting { fabric, tables, .. } = *setting;
        let mut levels: Vec<u8> = levels
            .iter()
            .flat_map(|&level| tables.judged_with(level))
            .collect();
        levels.sort_unstable();
        levels.dedup();
        let flows = levels.iter().flat_map(|&service_level| {
            let classes = tables.alike_addresses(fabric, service_level);
            let flows = move |address| Flows {
                address,
                service_level,
            };
            classes
                .into_iter()
                .map(move |class| class.into_iter().map(flows).collect())
        });
        let flows = flows.collect();
        Self { setting, flows }
    }

    /// Follows all packets on all cores, each with what it finds of them: of those that are treated alike up to their last
    /// switch all for the first of them, and for the others what is at that switch.
    fn follow<T: Send>(
        &self,
        start: impl Fn() -> T + Sync,
        note: impl Fn(&mut T, usize, &mut AddressWalk<'a>) + Sync,
    ) -> Vec<T> {
        let all: Vec<usize> = (0..self.flows.len()).collect();
        self.follow_some(&all, start, note)
    }

    /// The same of some packets, by their numbers.
    fn follow_some<T: Send>(
        &self,
        numbers: &[usize],
        start: impl Fn() -> T + Sync,
        note: impl Fn(&mut T, usize, &mut AddressWalk<'a>) + Sync,
    ) -> Vec<T> {
        let next = AtomicUsize::new(0);
        let follow_some = |_| {
            let mut part = Part {
                walk: AddressWalk::new(self.setting),
                found: start(),
            };
            loop {
                let Some(&number) = numbers.get(next.fetch_add(1, Relaxed)) else {
                    return part.found;
                };
                for (place, &flows) in self.flows[number].iter().enumerate() {
                    part.walk.follow_next(place, flows);
                    note(&mut part.found, number, &mut part.walk);
                }
            }
        };
        let cores = rayon::current_num_threads().clamp(1, numbers.len().max(1));
        (0..cores).into_par_iter().map(follow_some).collect()
    }

    fn graph(&self) -> DependencyGraph<'a> {
        let Setting {
            fabric,
            wiring,
            lanes,
            ..
        } = *self.setting;
        DependencyGraph::new(fabric, wiring, narrow(lanes, "there are at most 255 lanes"))
    }

    fn judge(&self) -> Judged {
        let mut all = self.gathered();
        let (verdict, rests_on) = self.verdict(&mut all);
        Judged {
            verdict,
            rests_on,
            dependencies: all.graph.dependency_count(),
            routes: self.flows.iter().flatten().count() as u64,
        }
    }

    /// What all packets may want, and what is wrong.
    fn gathered(&self) -> Gathered<'a> {
        let start = || Gathered {
            graph: self.graph(),
            wanted: Vec::new(),
            unreached: Vec::new(),
            route_loop: None,
        };
        let parts = self.follow(start, |gathered, number, walk| {
            gathered.unreached.append(&mut walk.unreached);
            if let Some(found) = walk.route_loop.take() {
                let is_first = gathered
                    .route_loop
                    .as_ref()
                    .is_none_or(|one| number < one.0);
                if is_first {
                    gathered.route_loop = Some((number, found));
                }
            }
            let Gathered { graph, wanted, .. } = gathered;
            wanted.clear();
            wanted.resize(self.setting.states.count(), None);
            let mut words = Vec::new();
            for state in walk.states() {
                let (ways, _) = walk.choice(state);
                let switch = self.setting.states.entry(state).switch;
                let wants = ways.iter().map(|way| (way.port, way.lane));
                wanted[state] = Some(graph.note_wanted(switch, wants, &mut words));
            }
            for (vertex, state) in walk.reached() {
                if let Some(place) = &wanted[state] {
                    graph.add_wanted(Vertex::new(vertex), &words[place.clone()]);
                }
            }
        });
        let mut parts = parts.into_iter();
        let Some(mut all) = parts.next() else {
            unreachable!("one core at least follows packets");
        };
        for part in parts {
            all.graph.join(&part.graph);
            all.unreached.extend(part.unreached);
            let loops = all.route_loop.into_iter().chain(part.route_loop);
            all.route_loop = loops.min_by_key(|one| one.0);
        }
        all
    }

    fn verdict(&self, all: &mut Gathered<'a>) -> (Verdict, RestsOn) {
        if !all.unreached.is_empty() {
            let mut unreached = std::mem::take(&mut all.unreached);
            unreached.sort_by_key(|pair| (pair.source, pair.destination));
            unreached.dedup();
            return (Verdict::Unreachable(unreached), RestsOn::EveryWay);
        }
        if let Some((_, found)) = all.route_loop.take() {
            return (Verdict::Loop(found), RestsOn::EveryWay);
        }
        let lanes = all.graph.lane_count();
        if let Some(certificate) = Certificate::of(&all.graph, lanes) {
            return (Verdict::DeadlockFree(certificate), RestsOn::EveryWay);
        }
        let (rounds, stuck) = self.rounds();
        let verdict = match certificate_of_rounds(&rounds, lanes) {
            Some(certificate) => Verdict::DeadlockFree(certificate),
            None => Verdict::Deadlock(self.stuck_cycle(&rounds, &stuck)),
        };
        (verdict, RestsOn::OneWay)
    }

    /// Per channel and lane: the round in which packets there are known to go on whatever others do; `None` where they
    /// never are. With the numbers of the packets that may be stuck for ever.
    fn rounds(&self) -> (Vec<Option<u32>>, Vec<usize>) {
        let Setting { fabric, lanes, .. } = *self.setting;
        let mut rounds: Vec<Option<u32>> = vec![None; fabric.channel_count() * lanes];
        for host in fabric.host_ids() {
            let first = fabric.ejection_channel(host).index() * lanes;
            rounds[first..first + lanes].fill(Some(0));
        }
        // Who is not stuck in a round is in none that follows.
        let mut left: Vec<usize> = (0..self.flows.len()).collect();
        for round in 1.. {
            let start = || (vec![false; rounds.len()], Vec::new());
            let parts = self.follow_some(&left, start, |(stuck, stuck_flows), number, walk| {
                for (vertex, state) in walk.reached() {
                    if is_stuck(walk.choice(state), &rounds) {
                        stuck[vertex as usize] = true;
                        if stuck_flows.last() != Some(&number) {
                            stuck_flows.push(number);
                        }
                    }
                }
            });
            let goes_on = |vertex: usize| parts.iter().all(|(stuck, _)| !stuck[vertex]);
            let found: Vec<usize> = (0..rounds.len())
                .filter(|&vertex| rounds[vertex].is_none() && goes_on(vertex))
                .collect();
            left = parts.into_iter().flat_map(|(_, flows)| flows).collect();
            left.sort_unstable();
            if found.is_empty() {
                break;
            }
            for vertex in found {
                rounds[vertex] = Some(round);
            }
        }
        (rounds, left)
    }

    /// A shortest cycle of packets that have nothing to choose but what others of them hold.
    fn stuck_cycle(&self, rounds: &[Option<u32>], stuck: &[usize]) -> DependencyCycle {
        let graphs = self.follow_some(
            stuck,
            || self.graph(),
            |graph, _, walk| {
                stuck_wants(walk, rounds, |held, way| {
                    let held = graph.channel(Vertex::new(held));
                    graph.add(held, way.port, way.lane);
                });
            },
        );
        let mut graphs = graphs.into_iter();
        let Some(mut graph) = graphs.next() else {
            unreachable!("one core at least follows packets");
        };
        graphs.for_each(|other| graph.join(&other));
        let arcs = cycle_of(&graph);
        DependencyCycle {
            dependencies: self.witnesses(&graph, rounds, stuck, &arcs),
        }
    }

    /// The first packets that are stuck so, each with its way to there.
    fn witnesses(
        &self,
        graph: &DependencyGraph<'_>,
        rounds: &[Option<u32>],
        stuck: &[usize],
        arcs: &[Arc],
    ) -> Vec<Dependency> {
        let mut walk = AddressWalk::new(self.setting);
        let mut found: Vec<Option<Dependency>> = vec![None; arcs.len()];
        let of_class = |&number: &usize| self.flows[number].iter().enumerate();
        for (place, &flows) in stuck.iter().flat_map(of_class) {
            walk.follow_next(place, flows);
            let mut met = Vec::new();
            stuck_wants(&walk, rounds, |held, way| {
                let arc = [held, way.vertex].map(|vertex| graph.channel(Vertex::new(vertex)));
                let place = arcs
                    .iter()
                    .position(|&(held, wanted)| [held, wanted] == arc);
                met.extend(place.map(|place| (place, held)));
            });
            for (place, held) in met {
                let destination = self.setting.tables.host_of(flows.address);
                found[place].get_or_insert_with(|| {
                    let (source, mut nodes): (HostId, Vec<Node>) = walk.way_to(held);
                    nodes.push(self.setting.fabric.target(arcs[place].1.0).node);
                    Dependency {
                        lid: self.setting.lid(flows.address),
                        ..Dependency::of(arcs[place], [source, destination], nodes)
                    }
                });
            }
            if found.iter().all(Option::is_some) {
                break;
            }
        }
        found.into_iter().flatten().collect()
    }
}

/// What a core gathers.
struct Gathered<'a> {
    graph: DependencyGraph<'a>,
    /// Per state of the present walk: where what its packets want is noted.
    wanted: Vec<Option<std::ops::Range<usize>>>,
    unreached: Vec<UnreachedPair>,
    /// With the number of its packets.
    route_loop: Option<(usize, RouteLoop)>,
}

/// Whether packets may have nothing to choose but channels from which nobody is known to go on.
fn is_stuck((ways, decides): (&[Way], LidState), rounds: &[Option<u32>]) -> bool {
    let mut is_open = ways.iter().map(|way| rounds[way.vertex as usize].is_some());
    match decides {
        LidState::Free => !is_open.any(|is_open| is_open),
        LidState::Static | LidState::Hashed => !is_open.all(|is_open| is_open),
    }
}

/// Tells `wants` of what stuck packets hold and want.
fn stuck_wants(walk: &AddressWalk<'_>, rounds: &[Option<u32>], mut wants: impl FnMut(u32, &Way)) {
    for (held, state) in walk.reached() {
        let (ways, decides) = walk.choice(state);
        if is_stuck((ways, decides), rounds) {
            let stuck = ways
                .iter()
                .filter(|way| rounds[way.vertex as usize].is_none());
            stuck.for_each(|way| wants(held, way));
        }
    }
}

/// The order in which channels of earlier rounds are higher; `None` where some are of none.
fn certificate_of_rounds(rounds: &[Option<u32>], lane_count: u8) -> Option<Certificate> {
    let rounds: Vec<u32> = rounds.iter().copied().collect::<Option<_>>()?;
    let last = rounds.iter().copied().max().unwrap_or(0);
    let rank = rounds.iter().map(|round| last - round).collect();
    Some(Certificate { lane_count, rank })
}
