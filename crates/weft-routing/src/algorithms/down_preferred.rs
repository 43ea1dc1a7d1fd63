//! up*/down* in tables by destination alone: down wherever that leads to the destination.

use super::{Algorithm, DefaultSet, Lanes, Needs, Offer, PermittedTurns, RouteFunction};
use crate::error::RoutingError;
use crate::form::{Columns, Endpoints, ForwardingTables, Routes};
use crate::orient::routed_part;
use crate::parameters::{ORIENTATION, PER_OF_TABLES, Parameters, ROOT, SEED};
use crate::paths::{NextHops, PathSpace, TurnRule, UpDownNextHops, Way};
use crate::random::stream;
use rand::RngExt;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use weft_fabric::{Fabric, PortNumber, SwitchId};
use weft_registry::{Kind, Spec};

pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "down_preferred",
    title: "up*/down* tables, down preferred",
    summary: "Fills forwarding tables by destination alone: a switch sends down where a way down \
              alone leads to the destination, else up to the neighbour with the shortest way on.",
    turns: PermittedTurns::ByRoot,
    needs: Needs::lanes(Lanes::One).tables(),
    further: "Some routes are longer than the shortest legal ones.",
    offers: &[
        Offer::new(DefaultSet::Audited, 50, "root=tops"),
        Offer::new(DefaultSet::Advised, 40, "root=tops"),
        Offer::new(DefaultSet::Advised, 50, ""),
    ],
    source: "Sancho, Robles, Duato, “Effective strategy to compute forwarding tables for InfiniBand \
             networks”, ICPP 2001, of which only the abstract is known to us; the rule is \
             reconstructed, the balance is our own",
    parameters: &[
        ORIENTATION,
        ROOT,
        Spec::of(
            "selection",
            Kind::Choice(&["first", "random", "least_loaded"]),
            "least_loaded",
        )
        .says(
            "Which of the equally good next ports a switch takes for a destination: the \
                      first, any with the same probability, or the one whose way on carries \
                      fewest pairs of hosts so far, destinations taken in random order.",
        ),
        PER_OF_TABLES,
        SEED,
    ],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

/// How one of several next ports is chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    First,
    Random,
    LeastLoaded,
}

const CHOICES: [(&str, Choice); 3] = [
    ("first", Choice::First),
    ("random", Choice::Random),
    ("least_loaded", Choice::LeastLoaded),
];

/// Destination switches whose ways are searched at a time.
const BLOCK: usize = 64;

pub(super) fn route(fabric: &Fabric, parameters: &mut Parameters) -> Result<Routes, RoutingError> {
    Ok(fill(fabric, parameters)?.0.into())
}

/// Tables, and the switches in the order of their orientation, the uppermost first.
pub(super) fn fill(
    fabric: &Fabric,
    parameters: &mut Parameters,
) -> Result<(ForwardingTables, Vec<u32>), RoutingError> {
    let part = routed_part(fabric)?;
    let orientation = parameters.chosen_orientation(fabric, &part)?;
    let endpoints = Endpoints::new(fabric, parameters.granularity_of_tables(fabric));
    let choice = parameters.choice("selection", &CHOICES);
    let seed = parameters.seed();
    let space = PathSpace::new(fabric, [&orientation], TurnRule::Forbidden);
    let mut upward: Vec<SwitchId> = fabric.switch_ids().collect();
    upward.sort_unstable_by_key(|&switch| orientation.key(switch));
    let upward: Vec<u32> = upward.into_iter().map(SwitchId::number).collect();

    // The endpoints of each switch with hosts, in the order in which loads are laid.
    let mut destinations: Vec<Vec<usize>> = vec![Vec::new(); fabric.switch_count()];
    for endpoint in (0..endpoints.count()).filter(|&endpoint| endpoints.hosts(endpoint) > 0) {
        destinations[endpoints.switch(endpoint) as usize].push(endpoint);
    }
    destinations.retain(|of_switch| !of_switch.is_empty());
    destinations.shuffle(&mut stream(seed, "order of destinations", 0));

    let mut tables = Filling::new(fabric, &endpoints, &space, seed);
    for block in destinations.chunks(BLOCK) {
        let search = |of_switch: &Vec<usize>| {
            UpDownNextHops::to(&space, &upward, endpoints.switch(of_switch[0]))
        };
        let descents: Vec<UpDownNextHops> = block.par_iter().map(search).collect();
        for (of_switch, descent) in block.iter().zip(&descents) {
            let ways = descent.ways(&space);
            tables.fill_all(of_switch, &ways, choice);
        }
    }
    Ok((tables.tables, upward))
}

/// The tables while they are filled, destination by destination.
struct Filling<'a> {
    fabric: &'a Fabric,
    endpoints: &'a Endpoints,
    space: &'a PathSpace,
    seed: u64,
    tables: ForwardingTables,
    /// Per edge: pairs of hosts whose routes lead over it so far.
    load: Vec<u64>,
    /// Per switch, and per endpoint of those that are filled in together: the next port.
    entries: Vec<PortNumber>,
    /// Per switch: first edge of its way to the destination at hand.
    way: Vec<u32>,
    /// Per switch: what its way carried when last looked at; less than now, or as much.
    carried: Vec<Carried>,
}

/// Largest load of a channel of a way, and the sum over all; ways that carry less compare as less.
type Carried = (u64, u64);

/// The end of a way.
const NO_EDGE: u32 = u32::MAX;

impl<'a> Filling<'a> {
    fn new(fabric: &'a Fabric, endpoints: &'a Endpoints, space: &'a PathSpace, seed: u64) -> Self {
        let switches = fabric.switch_count();
        Self {
            fabric,
            endpoints,
            space,
            seed,
            tables: ForwardingTables::with_one_address(fabric, endpoints.granularity()),
            load: vec![0; space.edge_count()],
            entries: Vec::new(),
            way: vec![NO_EDGE; switches],
            carried: vec![(0, 0); switches],
        }
    }

    /// Fills in the next ports toward the endpoints of a switch.
    fn fill_all(&mut self, endpoints: &[usize], ways: &NextHops, choice: Choice) {
        let count = endpoints.len();
        self.entries.clear();
        self.entries
            .resize(self.space.switch_count() * count, PortNumber::new(0));
        for (place, &endpoint) in endpoints.iter().enumerate() {
            self.fill(endpoint, [place, count], ways, choice);
        }
        let first_address = |&endpoint: &usize| self.tables.addresses(endpoint).start;
        let columns = Columns::new(endpoints.iter().map(first_address));
        let rows = self.tables.rows_mut();
        for (row, entries) in rows.zip(self.entries.chunks_exact(count)) {
            columns.write(entries, row);
        }
    }

    /// Finds the next ports toward an endpoint, one of so many, the nearest switches first, so that the whole
    /// way behind a port is known when it is chosen.
    fn fill(
        &mut self,
        endpoint: usize,
        [place, count]: [usize; 2],
        ways: &NextHops,
        choice: Choice,
    ) {
        let end = self.endpoints.switch(endpoint) as usize;
        self.way[end] = NO_EDGE;
        self.carried[end] = (0, 0);
        let mut random = stream(self.seed, "next ports", endpoint as u64);
        for (at, next) in ways.iter() {
            let chosen = match choice {
                Choice::First => next.first().map(|way| way.edge),
                Choice::LeastLoaded => self.least_loaded(at, next),
                Choice::Random => {
                    let drawn = match next.len() {
                        count if count > 1 => random.random_range(0..count),
                        _ => 0,
                    };
                    next.get(drawn).map(|way| way.edge)
                }
            };
            let Some(edge) = chosen else { continue };
            self.way[at as usize] = edge;
            let switch = SwitchId::new(at);
            self.entries[at as usize * count + place] = self.space.edge(edge).port;
            if choice == Choice::LeastLoaded {
                let senders = self.fabric.hosts_of(switch).len() as u64;
                self.lay(at, senders * self.endpoints.hosts(endpoint));
            }
        }
    }

    /// Chooses, of several first edges, the one whose way carries least.
    fn least_loaded(&mut self, at: u32, ways: &[Way]) -> Option<u32> {
        let mut best: Option<(Carried, u32)> = None;
        for &Way { edge, to } in ways {
            let next = to as usize;
            let here = self.load[edge as usize];
            let with_rest = |rest: Carried| (here.max(rest.0), here + rest.1);
            // Loads only grow: a way that carried too much does so still.
            if best.is_some_and(|(least, _)| least <= with_rest(self.carried[next])) {
                continue;
            }
            self.carried[next] = self.carried_from(next);
            let now = with_rest(self.carried[next]);
            if best.is_none_or(|(least, _)| now < least) {
                best = Some((now, edge));
            }
        }
        let (carried, edge) = best?;
        self.carried[at as usize] = carried;
        Some(edge)
    }

    fn carried_from(&self, switch: usize) -> Carried {
        let (mut most, mut sum) = (0, 0);
        let mut edge = self.way[switch];
        while edge != NO_EDGE {
            let load = self.load[edge as usize];
            (most, sum) = (load.max(most), sum + load);
            edge = self.way[self.space.edge(edge).to as usize];
        }
        (most, sum)
    }

    fn lay(&mut self, switch: u32, pairs: u64) {
        let mut edge = self.way[switch as usize];
        while edge != NO_EDGE {
            self.load[edge as usize] += pairs;
            edge = self.way[self.space.edge(edge).to as usize];
        }
    }
}
