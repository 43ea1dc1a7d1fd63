//! What routes by a rule load, gathered where they run together.

use crate::form::{GridLine, Routes, SourceRoutes};
use rayon::prelude::*;
use weft_fabric::{ChannelId, Fabric, Node, SwitchId};

/// A state of packets at a switch that none was seen in.
const NEW: u32 = u32::MAX;

/// Counts the pairs of hosts whose routes lead over each channel between switches, where a rule gives the
/// routes: each way on from a switch, and a state of packets there, is followed once for each destination, or
/// along the lines of a grid once for each of a line. `None` of other routes, and where the rule does not lead
/// everywhere.
pub(super) fn loads_by_state(fabric: &Fabric, routes: &Routes) -> Option<Vec<u64>> {
    let Routes::Source(listed) = routes else {
        return None;
    };
    let states = listed
        .state_count()
        .filter(|_| listed.lead_by_rule(fabric))?;
    let shared = routes.by_groups(fabric);
    let none = || Gathered {
        listed,
        fabric,
        loads: vec![0; fabric.channel_count()],
        number_of: vec![NEW; fabric.switch_count() * states],
        states,
        places: Vec::new(),
    };
    if let Some(lines) = listed.lines(fabric) {
        let mut gathered = none();
        gathered.follow_lines(&lines);
        return Some(gathered.loads);
    }
    let destinations = (0..shared.destinations().len()).into_par_iter();
    let all = destinations.fold(none, |mut gathered, to| {
        for route in shared.to(to).filter(|route| !route.is_further()) {
            let at = fabric.host_switch(route.sources[0]);
            gathered.follow(at, route.endpoints, route.compute_pairs);
        }
        gathered.settle();
        gathered
    });
    let add = |mut one: Vec<u64>, other: Vec<u64>| {
        add(&mut one, &other);
        one
    };
    let loads = all.map(|gathered| gathered.loads);
    Some(loads.reduce(|| vec![0; fabric.channel_count()], add))
}

/// Adds what others load to the loads of channels.
pub(super) fn add(loads: &mut [u64], others: &[u64]) {
    for (load, other) in loads.iter_mut().zip(others) {
        *load += other;
    }
}

/// Where packets to the destination at hand were met.
struct Place {
    /// Its switch and state.
    index: usize,
    channel: ChannelId,
    /// The number of the place after it; [`NEW`] at the end.
    next: u32,
    /// Pairs of hosts that meet others here, or begin.
    pairs: u64,
}

struct Gathered<'a> {
    listed: &'a SourceRoutes,
    fabric: &'a Fabric,
    loads: Vec<u64>,
    /// Per switch and state: the number of the place.
    number_of: Vec<u32>,
    states: usize,
    /// Each after those that it leads to.
    places: Vec<Place>,
}

impl Gathered<'_> {
    /// Follows the ways along lines, each for all pairs that go along it: those who come to its start along lines
    /// of axes before, and go on from its end along lines of axes behind.
    fn follow_lines(&mut self, lines: &[GridLine]) {
        let granularity = self.listed.granularity();
        let switch = |endpoint| granularity.endpoint_switch(self.fabric, endpoint);
        let switches = |line: &GridLine| -> Vec<SwitchId> {
            line.endpoints.iter().map(|&end| switch(end)).collect()
        };
        let sum_up = |hosts: &mut [u64], line: &GridLine| {
            let along = switches(line);
            let sum = along.iter().map(|at| hosts[at.index()]).sum();
            for at in along {
                hosts[at.index()] = sum;
            }
        };
        let own: Vec<u64> = self
            .fabric
            .switch_ids()
            .map(|switch| self.fabric.compute_hosts_of(switch) as u64)
            .collect();
        // Per line, and switch of it: the hosts behind it, going on along lines of axes behind.
        let mut behind = own.clone();
        let mut beyond = Vec::new();
        for of_axis in lines.chunk_by(|one, other| one.axis == other.axis).rev() {
            for line in of_axis.iter().rev() {
                let hosts = switches(line).into_iter().map(|at| behind[at.index()]);
                beyond.push(hosts.collect::<Vec<u64>>());
            }
            for line in of_axis {
                sum_up(&mut behind, line);
            }
        }
        let mut before = own;
        for of_axis in lines.chunk_by(|one, other| one.axis == other.axis) {
            for line in of_axis {
                let ends = beyond.pop().unwrap_or_default();
                for (&to, there) in line.endpoints.iter().zip(ends) {
                    for &from in line.endpoints.iter().filter(|&&from| from != to) {
                        let at = granularity.endpoint_switch(self.fabric, from);
                        self.follow(at, [from, to], before[at.index()] * there);
                    }
                    self.settle();
                }
            }
            for line in of_axis {
                sum_up(&mut before, line);
            }
        }
    }

    /// Follows a route to where packets were met before.
    fn follow(&mut self, mut at: SwitchId, [from, to]: [usize; 2], pairs: u64) {
        let first = self.places.len();
        let mut next = NEW;
        let mut steps = self.listed.steps_between(from, to);
        while let Some(port) = steps.next() {
            let index = at.index() * self.states + steps.state();
            next = self.number_of[index];
            let Some(channel) = self.fabric.outgoing_at(at, port) else {
                break;
            };
            let Node::Switch(after) = self.fabric.target(channel).node else {
                break;
            };
            if next != NEW {
                break;
            }
            self.places.push(Place {
                index,
                channel,
                next: NEW,
                pairs: 0,
            });
            at = after;
        }
        self.places[first..].reverse();
        for number in first..self.places.len() {
            let place = &mut self.places[number];
            place.next = next;
            next = SwitchId::from_index(number).number();
            self.number_of[place.index] = next;
        }
        if let Some(place) = self.places.get_mut(next as usize) {
            place.pairs += pairs;
        }
    }

    /// Adds up what the routes to the destination load.
    fn settle(&mut self) {
        while let Some(place) = self.places.pop() {
            self.number_of[place.index] = NEW;
            self.loads[place.channel.index()] += place.pairs;
            if let Some(next) = self.places.get_mut(place.next as usize) {
                next.pairs += place.pairs;
            }
        }
    }
}
