//! One source route per ordered pair: the output port, and the lane, at each switch.

use crate::form::{Lane, PairGranularity, TooManyLanes};
use std::num::NonZeroU8;
use weft_fabric::{Fabric, HostId, PortNumber, narrow};

/// The routes hold more steps than 32 bits can number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the routes have {steps} steps in all, more than 2^32 can be held; keep routes per pair of \
     switches instead of hosts"
)]
pub struct RoutesTooLarge {
    /// Steps of all routes together.
    pub steps: u64,
}

/// One source route per ordered pair, as the output port taken at each switch.
///
/// A route is the sequence of output ports a packet takes, switch by switch, *without* the last
/// one (the port of the destination host), so that routes per pair of switches serve every host
/// of the destination's switch. A step whose port leads to a host is an in-transit stop there:
/// the host injects the packet again into the same switch, where the next step applies.
///
/// Every step has a lane: that of the channel the packet takes. The channel from the source host
/// has the lane of the first step, that to the destination host the lane of the last.
///
/// One byte per step and four per pair: 1,024 switches take 4 MiB and the length of the routes;
/// lanes take a byte per pair where no route changes its lane, else one per step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRoutes {
    granularity: PairGranularity,
    endpoint_count: usize,
    /// Per pair: steps of all pairs before; the steps of all pairs at the end.
    offsets: Vec<u32>,
    /// Per source: the steps to all destinations, as they were collected. Together they would be held
    /// twice while they are copied.
    steps: Vec<Box<[PortNumber]>>,
    lanes: Lanes,
    lanes_per_turn: u8,
    turns: u8,
}

/// Lanes as compactly as the routes allow.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Lanes {
    /// Lane 0 everywhere.
    One,
    /// A lane per pair, for all its steps.
    PerRoute(Vec<Lane>),
    /// A lane per step.
    PerStep(Vec<Lane>),
}

impl SourceRoutes {
    /// Collects routes row by row: `rows[s]` holds, for each destination in order, the
    /// number of steps, and all steps one after the other.
    ///
    /// Shapes: `endpoint_count` rows, each with `endpoint_count` lengths.
    ///
    /// # Errors
    /// [`RoutesTooLarge`] when all steps together exceed 32 bits.
    ///
    /// # Panics
    /// When a row's shape is wrong, a bug of the caller.
    pub fn from_rows(
        granularity: PairGranularity,
        rows: Vec<RouteRow>,
    ) -> Result<Self, RoutesTooLarge> {
        let endpoint_count = rows.len();
        let step_count: u64 = rows.iter().map(|row| row.steps.len() as u64).sum();
        if step_count > u64::from(u32::MAX) {
            return Err(RoutesTooLarge { steps: step_count });
        }
        let mut offsets = Vec::with_capacity(endpoint_count * endpoint_count + 1);
        let mut end = 0_u32;
        offsets.push(end);
        for row in &rows {
            assert_eq!(
                row.lengths.len(),
                endpoint_count,
                "one length per destination"
            );
            for &length in &row.lengths {
                end += u32::from(length);
                offsets.push(end);
            }
        }
        assert_eq!(u64::from(end), step_count, "lengths and steps agree");
        let lanes = Lanes::of(&rows, &offsets);
        let most = rows.iter().flat_map(|row| row.lanes.iter()).max();
        let lanes_per_turn = most.map_or(1, |lane| lane.number().saturating_add(1));
        let steps = rows.into_iter().map(|row| row.steps.into_boxed_slice());
        Ok(Self {
            granularity,
            endpoint_count,
            offsets,
            steps: steps.collect(),
            lanes,
            lanes_per_turn,
            turns: 1,
        })
    }

    /// Counts the lanes the hardware must have: one more than the highest in use.
    pub fn lane_count(&self) -> u8 {
        self.lanes_per_turn.saturating_mul(self.turns)
    }

    /// Counts the lanes of the steps: one more than the highest.
    pub(crate) fn lanes_per_turn(&self) -> u8 {
        self.lanes_per_turn
    }

    /// Counts the sets of lanes that the packets of a pair take in turn; see
    /// [`alternate`](Self::alternate).
    pub fn turns(&self) -> u8 {
        self.turns
    }

    /// The routes in so many turns, which must not be more than lanes can be numbered for.
    pub(crate) fn in_turns(self, turns: u8) -> Self {
        Self { turns, ..self }
    }

    /// Lets the packets of each pair alternate over `turns` sets of lanes: with `n` lanes in use, a
    /// packet in turn `t` has at each step the lane of the step and `t·n` more.
    ///
    /// # Errors
    /// [`TooManyLanes`] beyond 255 lanes.
    pub fn alternate(&mut self, turns: NonZeroU8) -> Result<(), TooManyLanes> {
        TooManyLanes::check(self.lanes_per_turn, turns)?;
        self.turns = turns.get();
        Ok(())
    }

    /// The lane of a step of a pair with the given endpoint offsets, in the first turn.
    pub fn lane(&self, source_index: usize, destination_index: usize, step: usize) -> Lane {
        let pair = source_index * self.endpoint_count + destination_index;
        match &self.lanes {
            Lanes::One => Lane::ZERO,
            Lanes::PerRoute(lanes) => lanes[pair],
            Lanes::PerStep(lanes) => lanes[self.offsets[pair] as usize + step],
        }
    }

    /// Tells whether routes are held per pair of switches or of hosts.
    pub fn granularity(&self) -> PairGranularity {
        self.granularity
    }

    /// Counts the sources (and destinations): switches or hosts, by the granularity.
    pub fn endpoint_count(&self) -> usize {
        self.endpoint_count
    }

    /// The steps of the pair with the given endpoint offsets (switches or hosts, by the
    /// granularity).
    #[inline]
    pub fn steps_between(&self, source_index: usize, destination_index: usize) -> &[PortNumber] {
        let row = source_index * self.endpoint_count;
        let pair = row + destination_index;
        let [before, start, end] = [row, pair, pair + 1].map(|at| self.offsets[at]);
        &self.steps[source_index][(start - before) as usize..(end - before) as usize]
    }

    /// The steps from one host to another, without the final port to the destination.
    pub fn steps(&self, fabric: &Fabric, source: HostId, destination: HostId) -> &[PortNumber] {
        let endpoint = |host| self.granularity.endpoint(fabric, host);
        self.steps_between(endpoint(source), endpoint(destination))
    }
}

impl Lanes {
    fn of(rows: &[RouteRow], offsets: &[u32]) -> Self {
        if rows
            .iter()
            .all(|row| row.lanes.iter().all(|&lane| lane == Lane::ZERO))
        {
            return Self::One;
        }
        let per_step: Vec<Lane> = rows.iter().flat_map(RouteRow::lanes).collect();
        let routes = offsets
            .windows(2)
            .map(|ends| &per_step[ends[0] as usize..ends[1] as usize]);
        if routes
            .clone()
            .all(|lanes| lanes.windows(2).all(|two| two[0] == two[1]))
        {
            return Self::PerRoute(
                routes
                    .map(|lanes| lanes.first().copied().unwrap_or_default())
                    .collect(),
            );
        }
        Self::PerStep(per_step)
    }
}

/// The routes of one source, while an algorithm collects them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouteRow {
    /// Per destination in order: number of steps.
    pub lengths: Vec<u16>,
    /// All steps, destination after destination.
    pub steps: Vec<PortNumber>,
    /// The lane of each step; steps beyond its end have lane 0.
    lanes: Vec<Lane>,
}

impl RouteRow {
    /// A row of steps that all have lane 0.
    pub fn new(lengths: Vec<u16>, steps: Vec<PortNumber>) -> Self {
        Self {
            lengths,
            steps,
            lanes: Vec::new(),
        }
    }

    /// The steps of each route, destination after destination.
    pub(crate) fn routes(&self) -> impl Iterator<Item = &[PortNumber]> {
        let mut rest = self.steps.as_slice();
        self.lengths.iter().map(move |&length| {
            let (route, after) = rest.split_at(usize::from(length));
            rest = after;
            route
        })
    }

    /// Appends the route to the next destination, all on lane 0.
    ///
    /// # Panics
    /// When a route has more than 65,535 steps, which no loop-free route over a fabric that fits
    /// memory has.
    pub fn push(&mut self, steps: impl IntoIterator<Item = PortNumber>) {
        let before = self.steps.len();
        self.steps.extend(steps);
        let length = self.steps.len() - before;
        self.lengths
            .push(narrow(length, "a route has at most 65,535 steps"));
    }

    /// Appends the route to the next destination, each step with its lane.
    ///
    /// # Panics
    /// As [`push`](Self::push).
    pub fn push_on_lanes(&mut self, steps: impl IntoIterator<Item = (PortNumber, Lane)>) {
        self.lanes.resize(self.steps.len(), Lane::ZERO);
        let (ports, lanes): (Vec<_>, Vec<_>) = steps.into_iter().unzip();
        self.lanes.extend(lanes);
        self.push(ports);
    }

    /// A row of routes, each step with its lane.
    ///
    /// # Panics
    /// As [`push`](Self::push).
    pub fn on_lanes<R: IntoIterator<Item = (PortNumber, Lane)>>(
        routes: impl IntoIterator<Item = R>,
    ) -> Self {
        let mut row = Self::default();
        for route in routes {
            row.push_on_lanes(route);
        }
        row
    }

    /// The lanes of all steps.
    fn lanes(&self) -> impl Iterator<Item = Lane> + '_ {
        let rest = self.steps.len() - self.lanes.len();
        self.lanes
            .iter()
            .copied()
            .chain(std::iter::repeat_n(Lane::ZERO, rest))
    }
}

impl<R: IntoIterator<Item = PortNumber>> FromIterator<R> for RouteRow {
    fn from_iter<I: IntoIterator<Item = R>>(routes: I) -> Self {
        let mut row = Self::default();
        for route in routes {
            row.push(route);
        }
        row
    }
}
