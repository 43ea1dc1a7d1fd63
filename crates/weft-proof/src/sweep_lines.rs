//! Routes that go along one line of a grid after the other.
//!
//! What packets want along a line depends on where they get on and off alone, and where they turn from one line
//! into another, whoever came along the first may go on along the second in any way. So the lines are followed,
//! each from every switch to every other, and no pair of hosts is taken in hand.

use crate::host_ends::{HostEnds, without_itself};
use crate::walk::Walked;
use crate::wiring::Wiring;
use weft_fabric::{ChannelId, Fabric, Node, PortNumber, SwitchId};
use weft_routing::{GridLine, HostGroup, Lane, Routes, SharedRoutes, SourceRoutes};

/// What begins and ends at a switch, of the ways along one axis.
#[derive(Clone, Debug, Default)]
struct Meets {
    /// The first steps of those that begin there.
    first: Vec<(PortNumber, Lane)>,
    /// The last channels of those that end there.
    last: Vec<(ChannelId, Lane)>,
}

/// Follows all routes by the lines they go along; `None` where one does not lead along its line.
pub(crate) fn sweep_lines<'a>(
    fabric: &'a Fabric,
    wiring: &'a Wiring,
    routes: &'a Routes,
    listed: &'a SourceRoutes,
    lines: &[GridLine],
) -> Option<Walked<'a>> {
    let shared = routes.by_groups(fabric);
    let mut sweep = LineSweep {
        wiring,
        listed,
        found: Walked::nothing(fabric, wiring, routes),
        met: vec![0; fabric.switch_count() * listed.state_count()?],
        states: listed.state_count()?,
        walks: 0,
    };
    let switches = switches_of_endpoints(&shared, routes.endpoint_count());
    let axes = lines.iter().map(|line| line.axis + 1).max().unwrap_or(0);
    let mut meets = vec![Meets::default(); fabric.switch_count() * axes];
    for line in lines {
        for &to in &line.endpoints {
            let known_after = sweep.walks;
            for &from in line.endpoints.iter().filter(|&&from| from != to) {
                let ends = [switches[from]?, switches[to]?];
                let (first, last) = sweep.follow([from, to], ends, known_after)?;
                let place = |switch: SwitchId| switch.index() * axes + line.axis;
                add(&mut meets[place(ends[0])].first, first);
                if let Some(last) = last {
                    add(&mut meets[place(ends[1])].last, last);
                }
            }
        }
    }
    let mut found = sweep.found;
    for of_axes in meets.chunks(axes.max(1)) {
        for (axis, meets) in of_axes.iter().enumerate() {
            let others = of_axes[axis + 1..].iter().flat_map(|other| &other.first);
            for &(port, lane) in others {
                for &held in &meets.last {
                    found.graph.add(held, port, lane);
                }
            }
        }
    }
    let mut ends = HostEnds::new(fabric, wiring, routes.lane_count());
    for group in shared.sources() {
        let at = group.switch;
        for meets in &meets[at.index() * axes..][..axes] {
            for &(port, lane) in &meets.first {
                ends.start(&mut found.graph, group.hosts, (at, port), [lane; 2]);
            }
        }
    }
    for group in shared.destinations() {
        for meets in &meets[group.switch.index() * axes..][..axes] {
            for &held in &meets.last {
                ends.end(&mut found.graph, group.hosts, held, held.1);
            }
        }
    }
    count(&mut found, &ends, fabric, &shared);
    ends.finish(&mut found.graph);
    Some(found)
}

/// Per endpoint: its switch, where it has hosts.
fn switches_of_endpoints(shared: &SharedRoutes<'_>, endpoints: usize) -> Vec<Option<SwitchId>> {
    let mut switches = vec![None; endpoints];
    for group in shared.destinations() {
        switches[group.endpoint] = Some(group.switch);
    }
    switches
}

/// Adds what is not there yet; there are a few.
fn add<T: PartialEq>(all: &mut Vec<T>, one: T) {
    if !all.contains(&one) {
        all.push(one);
    }
}

/// Counts routes and pairs of hosts, and joins hosts of one switch.
fn count<'a>(
    found: &mut Walked<'a>,
    ends: &HostEnds<'a>,
    fabric: &Fabric,
    shared: &SharedRoutes<'a>,
) {
    let numbers = |groups: &[HostGroup<'_>]| {
        let mut numbers = vec![Vec::new(); fabric.switch_count()];
        for (number, group) in groups.iter().enumerate() {
            numbers[group.switch.index()].push(number);
        }
        numbers
    };
    let hosts = |groups: &[HostGroup<'_>], of: &[usize]| -> u64 {
        of.iter()
            .map(|&number| groups[number].hosts.len() as u64)
            .sum()
    };
    let (sources, destinations) = (shared.sources(), shared.destinations());
    let all: u64 = destinations
        .iter()
        .map(|group| group.hosts.len() as u64)
        .sum();
    for (from, to) in numbers(sources).iter().zip(&numbers(destinations)) {
        found.routes += (from.len() * (destinations.len() - to.len())) as u64;
        found.host_pairs += hosts(sources, from) * (all - hosts(destinations, to));
        for route in from.iter().flat_map(|&source| {
            let own = to.iter();
            own.flat_map(move |&destination| shared.between(source, destination))
        }) {
            found.count(&route);
            let (_, route) = without_itself(route);
            let hosts = [route.sources, route.destinations];
            ends.join(&mut found.graph, hosts, [Lane::ZERO; 2]);
        }
    }
}

/// Ways along lines, as far as they were followed.
struct LineSweep<'a> {
    wiring: &'a Wiring,
    listed: &'a SourceRoutes,
    found: Walked<'a>,
    /// Per switch and state of a packet there: the number of the way that met it last.
    met: Vec<u64>,
    states: usize,
    /// Ways so far.
    walks: u64,
}

type Step = (PortNumber, Lane);

impl LineSweep<'_> {
    /// Follows the way from one endpoint to another up to where it is known since so many ways, all to the same
    /// one: the first step, and the last channel where it is not known yet.
    fn follow(
        &mut self,
        [from, to]: [usize; 2],
        [mut at, end]: [SwitchId; 2],
        known_after: u64,
    ) -> Option<(Step, Option<(ChannelId, Lane)>)> {
        self.walks += 1;
        let mut first = None;
        let mut held: Option<(ChannelId, Lane)> = None;
        let mut steps = self.listed.steps_between(from, to);
        while let Some((port, lane)) = steps.next_on_lane() {
            let exit = self.wiring.exit(at, port);
            let Some(Node::Switch(next)) = exit.behind else {
                return None;
            };
            match held {
                None => first = Some((port, lane)),
                Some(held) => self.found.graph.add(held, port, lane),
            }
            let met = &mut self.met[at.index() * self.states + steps.state()];
            if *met > known_after {
                return (*met != self.walks).then_some((first?, None));
            }
            *met = self.walks;
            held = Some((exit.channel, lane));
            at = next;
        }
        let met = &self.met[end.index() * self.states..][..self.states];
        let arrives = at == end && !met.contains(&self.walks);
        arrives.then_some((first?, held))
    }
}
