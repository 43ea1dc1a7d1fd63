//! One source route per ordered pair: the output port, and the lane, at each switch.

use crate::form::grid_legs::GridLegs;
use crate::form::grid_rule::{GridLine, GridRule, GridWalk};
use crate::form::packed_row::{PackedRow, Span};
use crate::form::route_memory::RouteMemory;
use crate::form::rows::{FindsRows, Rows};
use crate::form::{Lane, PairGranularity, RouteRow, TooManyLanes};
use rayon::prelude::*;
use std::num::NonZeroU8;
use std::sync::Arc;
use weft_fabric::{Fabric, HostId, PortNumber};

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
/// Where a rule tells the steps of a pair from its ends, they are worked out when they are asked for.
/// Else two and a half bytes per pair are held, and 1, 2, 4 or 8 bits per step, by the different ports
/// that routes of a source take; lanes take a byte per pair where no route of a source changes its lane,
/// else one per step. Where routes of a source do not depend on those of others, they are found when
/// they are first asked for.
#[derive(Clone, Debug)]
pub struct SourceRoutes {
    granularity: PairGranularity,
    endpoint_count: usize,
    held: Held,
    lanes_per_turn: u8,
    turns: u8,
}

/// Where steps come from.
#[derive(Clone, Debug)]
enum Held {
    /// Per source: its routes to all destinations.
    Rows(Arc<Rows>),
    /// From the ends alone.
    Rule(Arc<GridRule>),
}

/// The same routes, however they are held.
impl PartialEq for SourceRoutes {
    fn eq(&self, other: &Self) -> bool {
        let shape = |routes: &Self| {
            (
                routes.granularity,
                routes.endpoint_count,
                routes.lanes_per_turn,
                routes.turns,
            )
        };
        if shape(self) != shape(other) {
            return false;
        }
        match (&self.held, &other.held) {
            (Held::Rows(rows), Held::Rows(others)) => Arc::ptr_eq(rows, others) || rows == others,
            (Held::Rule(rule), Held::Rule(another)) if rule == another => true,
            _ => (0..self.endpoint_count).all(|from| {
                (0..self.endpoint_count).all(|to| {
                    let [one, another] = [self, other].map(|routes| routes.steps_between(from, to));
                    one.on_lanes().eq(another.on_lanes())
                })
            }),
        }
    }
}

impl Eq for SourceRoutes {}

impl SourceRoutes {
    /// Collects routes row by row: `rows[s]` holds, for each destination in order, the
    /// number of steps, and all steps one after the other.
    ///
    /// Shapes: `endpoint_count` rows, each with `endpoint_count` lengths.
    ///
    /// # Panics
    /// When a row's shape is wrong, a bug of the caller.
    pub fn from_rows(granularity: PairGranularity, rows: Vec<RouteRow>) -> Self {
        // Each is dropped when it is packed.
        let packed = rows.into_par_iter().map(|row| PackedRow::from(&row));
        Self::from_packed(granularity, packed.collect())
    }

    /// Collects routes that were packed row by row, each when it was found.
    pub(crate) fn from_packed(granularity: PairGranularity, rows: Vec<PackedRow>) -> Self {
        let endpoint_count = rows.len();
        for row in &rows {
            assert_eq!(row.count(), endpoint_count, "one length per destination");
        }
        let most = rows.iter().filter_map(PackedRow::highest_lane).max();
        Self {
            granularity,
            endpoint_count,
            held: Held::Rows(Arc::new(Rows::from(rows))),
            lanes_per_turn: most.map_or(1, |lane| lane.number().saturating_add(1)),
            turns: 1,
        }
    }

    /// So many sources' routes, all on lane 0, that are found when they are asked for.
    pub(crate) fn found_by(
        granularity: PairGranularity,
        endpoint_count: usize,
        finder: Box<dyn FindsRows>,
    ) -> Self {
        Self {
            granularity,
            endpoint_count,
            held: Held::Rows(Arc::new(Rows::found_by(finder, endpoint_count))),
            lanes_per_turn: 1,
            turns: 1,
        }
    }

    /// The routes that a rule gives.
    pub(crate) fn by_rule(rule: GridRule) -> Self {
        Self {
            granularity: rule.endpoints().granularity(),
            endpoint_count: rule.endpoints().count(),
            lanes_per_turn: rule.lane_count(),
            held: Held::Rule(Arc::new(rule)),
            turns: 1,
        }
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
    pub fn steps_between(&self, source_index: usize, destination_index: usize) -> Steps<'_> {
        match &self.held {
            Held::Rows(rows) => Steps::packed(rows.row(source_index), destination_index),
            Held::Rule(rule) => Steps(Way::Ruled(rule.walk(source_index, destination_index))),
        }
    }

    /// Where the route of such a pair lies in memory; nowhere where a rule gives it.
    #[inline]
    pub fn memory_of(
        &self,
        source_index: usize,
        destination_index: usize,
    ) -> Option<RouteMemory<'_>> {
        match &self.held {
            Held::Rows(rows) => Some(RouteMemory::new(rows.row(source_index), destination_index)),
            Held::Rule(_) => None,
        }
    }

    /// The port, and the lane in the first turn, of a step of the pair with the given endpoint offsets;
    /// `None` beyond its route.
    #[inline]
    pub fn step(
        &self,
        source_index: usize,
        destination_index: usize,
        step: usize,
    ) -> Option<(PortNumber, Lane)> {
        self.steps_after(source_index, destination_index, step)
            .next_on_lane()
    }

    /// The steps of such a pair without so many of the first.
    #[inline]
    pub(crate) fn steps_after(
        &self,
        source_index: usize,
        destination_index: usize,
        before: usize,
    ) -> Steps<'_> {
        let mut steps = self.steps_between(source_index, destination_index);
        steps.skip_some(before);
        steps
    }

    /// The legs of the rule that tells the steps, if one does and its grid is small.
    pub(super) fn legs(&self) -> Option<GridLegs<'_>> {
        match &self.held {
            Held::Rows(_) => None,
            Held::Rule(rule) => GridLegs::new(rule),
        }
    }

    /// The steps from one host to another, without the final port to the destination.
    pub fn steps(&self, fabric: &Fabric, source: HostId, destination: HostId) -> Steps<'_> {
        let endpoint = |host| self.granularity.endpoint(fabric, host);
        self.steps_between(endpoint(source), endpoint(destination))
    }

    /// Counts the [states](Steps::state) of packets, where a rule tells from the state and the switch of a
    /// packet, and where it goes, all that is left of its way, wherever it came from.
    pub fn state_count(&self) -> Option<usize> {
        match &self.held {
            Held::Rows(_) => None,
            Held::Rule(rule) => rule.state_count(),
        }
    }

    /// The lines of a grid on a fabric, where a rule leads along one after the other: a route's part along an axis is
    /// the route between the two switches of the line there, and every such pair is a part of some route. `None`
    /// where a place of the grid has no hosts, links are parallel, or routes are of no such rule.
    pub fn lines(&self, fabric: &Fabric) -> Option<Vec<GridLine>> {
        match &self.held {
            Held::Rows(_) => None,
            Held::Rule(rule) => rule.lines(fabric),
        }
    }

    /// Tells whether it is sure, by how they are found, that all routes lead where they should on a fabric,
    /// without a stop; `false` where nobody can tell without a look at each.
    pub fn lead_by_rule(&self, fabric: &Fabric) -> bool {
        match &self.held {
            Held::Rows(rows) => rows.finder().is_some_and(|finder| finder.lead_on(fabric)),
            Held::Rule(rule) => rule.holds_on(fabric),
        }
    }

    /// All sources in blocks, for whoever goes through all routes in any order; see
    /// [`visit`](Self::visit).
    pub fn blocks(&self) -> Vec<Vec<usize>> {
        match &self.held {
            Held::Rows(rows) => rows.blocks(),
            Held::Rule(_) => (0..self.endpoint_count)
                .map(|source| vec![source])
                .collect(),
        }
    }

    /// Shows the routes of some sources, one source after the other in any order, as long as `visit` says
    /// so, and tells whether it always did. Routes that are found for that are not all kept.
    pub fn visit(&self, sources: &[usize], mut visit: impl FnMut(RoutesFrom<'_>) -> bool) -> bool {
        let routes = self;
        match &self.held {
            Held::Rows(rows) => rows.visit(sources, |source, row| {
                let row = Some(row);
                visit(RoutesFrom {
                    routes,
                    source,
                    row,
                })
            }),
            Held::Rule(_) => sources.iter().all(|&source| {
                let row = None;
                visit(RoutesFrom {
                    routes,
                    source,
                    row,
                })
            }),
        }
    }

    /// Finds all routes that are found when they are asked for, and keeps them: less work than one source
    /// after the other.
    pub(crate) fn find_all(&self) {
        if let Held::Rows(rows) = &self.held {
            rows.find_all();
        }
    }
}

/// The routes of one source.
#[derive(Clone, Copy, Debug)]
pub struct RoutesFrom<'a> {
    routes: &'a SourceRoutes,
    source: usize,
    /// `None` where a rule gives them.
    row: Option<&'a PackedRow>,
}

impl<'a> RoutesFrom<'a> {
    /// The source's offset: of a switch or host, by the granularity.
    pub fn source(&self) -> usize {
        self.source
    }

    /// The steps to the endpoint with an offset.
    #[inline]
    pub fn steps_to(&self, destination_index: usize) -> Steps<'a> {
        match self.row {
            Some(row) => Steps::packed(row, destination_index),
            None => self.routes.steps_between(self.source, destination_index),
        }
    }

    /// Tells whether all steps are held, and on lane 0.
    pub fn are_held_on_one_lane(&self) -> bool {
        self.row.is_some_and(PackedRow::is_on_one_lane)
    }

    /// Hands on the ports of the steps to an endpoint, as long as `take` says so, and tells whether it
    /// always did: the same as [`steps_to`](Self::steps_to), in less time.
    #[inline]
    pub fn try_each_port(
        &self,
        destination_index: usize,
        mut take: impl FnMut(PortNumber) -> bool,
    ) -> bool {
        match self.row {
            Some(row) => row.try_each_port(destination_index, take),
            None => self.steps_to(destination_index).all(&mut take),
        }
    }
}

/// The steps of a route that are left: the output port at each switch.
#[derive(Clone, Debug)]
pub struct Steps<'a>(Way<'a>);

#[derive(Clone, Debug)]
enum Way<'a> {
    Packed {
        row: &'a PackedRow,
        to: usize,
        left: Span,
    },
    Ruled(GridWalk<'a>),
}

impl<'a> Steps<'a> {
    #[inline]
    fn packed(row: &'a PackedRow, to: usize) -> Self {
        let left = row.span(to);
        Self(Way::Packed { row, to, left })
    }

    /// The state of a packet that has taken the step that came last; see
    /// [`SourceRoutes::state_count`].
    #[inline]
    pub fn state(&self) -> usize {
        match &self.0 {
            Way::Packed { .. } => 0,
            Way::Ruled(walk) => walk.state(),
        }
    }

    /// The steps that are left, each with its lane in the first turn.
    pub fn on_lanes(mut self) -> impl Iterator<Item = (PortNumber, Lane)> + use<'a> {
        std::iter::from_fn(move || self.next_on_lane())
    }

    /// The next step's port and its lane in the first turn.
    #[inline]
    pub fn next_on_lane(&mut self) -> Option<(PortNumber, Lane)> {
        match &mut self.0 {
            Way::Packed { row, to, left } => {
                let step = left.next()?;
                Some((row.port(step), row.lane(*to, step)))
            }
            Way::Ruled(walk) => walk.next_on_lane(),
        }
    }

    #[inline]
    fn skip_some(&mut self, steps: usize) {
        match &mut self.0 {
            Way::Packed { left, .. } => left.start = left.end.min(left.start + steps),
            Way::Ruled(walk) => walk.skip(steps),
        }
    }
}

impl Iterator for Steps<'_> {
    type Item = PortNumber;

    #[inline]
    fn next(&mut self) -> Option<PortNumber> {
        match &mut self.0 {
            Way::Packed { row, left, .. } => left.next().map(|step| row.port(step)),
            Way::Ruled(walk) => Some(walk.next_on_lane()?.0),
        }
    }

    /// In a time that does not depend on the steps left out.
    #[inline]
    fn nth(&mut self, before: usize) -> Option<PortNumber> {
        self.skip_some(before);
        self.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = match &self.0 {
            Way::Packed { left, .. } => left.len(),
            Way::Ruled(walk) => walk.left(),
        };
        (left, Some(left))
    }
}

impl ExactSizeIterator for Steps<'_> {}
