//! Routes along one dimension of a grid after the other, as a function of their ends.

use crate::form::{Endpoints, Lane, StepsAhead};
use weft_fabric::{Fabric, Hop, Node, PortNumber, SwitchId, narrow};

/// A switch that is not on the grid, or a place without one.
const NOWHERE: u32 = u32::MAX;

/// Shortest routes along one dimension of a full mesh or torus after the other; on a ring on lane 1 until
/// they take the link that closes it, and on lane 0 from that on.
///
/// Nothing is held per pair: a few bytes per port, whatever the number of routes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GridRule {
    endpoints: Endpoints,
    axes: Vec<Axis>,
    /// Per switch and axis: where it lies.
    positions: Vec<u32>,
    /// Per switch: its place, positions by ascending strides.
    places: Vec<u32>,
    /// Per place: its switch.
    switches: Vec<u32>,
    /// Per switch, axis and way, back and then forth.
    links: Vec<Links>,
    /// The ports of links that have parallel ones.
    ports: Vec<PortNumber>,
    /// Where both ways round are as short, packets that begin along the ring at a place whose positions
    /// add up to an odd number go to smaller positions.
    alternates: bool,
}

/// A dimension along which switches differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Axis {
    /// Switches on a line.
    pub(crate) extent: u32,
    /// Whether lines are closed.
    pub(crate) is_ring: bool,
}

/// The links to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Links {
    /// The neighbour; [`NOWHERE`] without one.
    switch: u32,
    /// Where the ports begin among those of parallel links.
    first: u32,
    count: u8,
    /// The port of the first.
    port: PortNumber,
}

/// Switches of a grid that differ along one axis alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridLine {
    /// The axis; routes go along those with smaller numbers first.
    pub axis: usize,
    /// An endpoint of each switch.
    pub endpoints: Vec<usize>,
}

/// Which way round each ring where both are as short: a bit per axis, set for larger positions.
pub(crate) type Picks = u64;

/// What is left of a route.
#[derive(Clone, Debug)]
pub(crate) struct GridWalk<'a> {
    rule: &'a GridRule,
    to: u32,
    /// Which of parallel links, with the switch it leaves.
    turn: usize,
    picks: Picks,
    /// Steps left in all.
    left: u32,
    axis: usize,
    /// Steps left along the axis.
    left_on_axis: u32,
    is_forth: bool,
    lane: Lane,
    /// Where the next step leaves.
    here: u32,
    position: u32,
}

impl GridRule {
    /// The rule on a grid: `axes` of more than one switch, `position` of each switch of `part` along
    /// them, and the parallel `links` to its neighbour back and forth.
    pub(crate) fn new<'l>(
        endpoints: Endpoints,
        switch_count: usize,
        part: &[SwitchId],
        axes: Vec<Axis>,
        position: impl Fn(SwitchId, usize) -> u32,
        links: impl Fn(SwitchId, usize, bool) -> &'l [Hop],
        alternates: bool,
    ) -> Self {
        let mut rule = Self {
            endpoints,
            positions: vec![0; switch_count * axes.len()],
            places: vec![NOWHERE; switch_count],
            switches: vec![NOWHERE; axes.iter().map(|axis| axis.extent as usize).product()],
            links: Vec::with_capacity(2 * switch_count * axes.len()),
            ports: Vec::new(),
            axes,
            alternates,
        };
        for &switch in part {
            let (mut place, mut stride) = (0, 1);
            for (number, axis) in rule.axes.iter().enumerate() {
                let at = position(switch, number);
                rule.positions[switch.index() * rule.axes.len() + number] = at;
                place += at * stride;
                stride *= axis.extent;
            }
            rule.places[switch.index()] = place;
            rule.switches[place as usize] = switch.number();
        }
        for at in 0..switch_count {
            for axis in 0..rule.axes.len() {
                for is_forth in [false, true] {
                    let hops = if rule.places[at] == NOWHERE {
                        &[]
                    } else {
                        links(SwitchId::from_index(at), axis, is_forth)
                    };
                    rule.push_links(hops);
                }
            }
        }
        rule
    }

    fn push_links(&mut self, hops: &[Hop]) {
        let first = hops.first();
        self.links.push(Links {
            switch: first.map_or(NOWHERE, |hop| hop.switch.number()),
            first: narrow(self.ports.len(), "a fabric has fewer than 2^32 ports"),
            count: narrow(hops.len(), "a switch has at most 255 ports"),
            port: first.map_or(PortNumber::new(0), |hop| hop.port),
        });
        if hops.len() > 1 {
            self.ports.extend(hops.iter().map(|hop| hop.port));
        }
    }

    pub(crate) fn endpoints(&self) -> &Endpoints {
        &self.endpoints
    }

    /// The dimensions along which switches differ.
    pub(super) fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Counts the switches of the fabric, those that are not on the grid included.
    pub(super) fn switch_count(&self) -> usize {
        self.places.len()
    }

    /// Where a switch lies along each axis.
    #[inline]
    pub(super) fn positions_of(&self, switch: u32) -> &[u32] {
        let axes = self.axes.len();
        let at = switch as usize * axes;
        &self.positions[at..at + axes]
    }

    /// The part of a route along an axis, from a switch to a position: its steps, the first eight if there are
    /// more, and where it ends; none from a switch that is not on the grid. No links are parallel.
    pub(super) fn leg_from(&self, switch: u32, axis: usize, position: u32) -> (StepsAhead, u32) {
        let mut steps = StepsAhead::NONE;
        let start = self.position(switch, axis);
        if self.places[switch as usize] == NOWHERE || start == position {
            return (steps, switch);
        }
        let stride: u32 = self.axes[..axis].iter().map(|axis| axis.extent).product();
        let place = self.places[switch as usize] - start * stride + position * stride;
        let to = self.switches[place as usize];
        if to == NOWHERE {
            return (steps, switch);
        }
        let mut walk = self.walk_from(switch, to);
        while !steps.is_full()
            && let Some((port, lane)) = walk.next_on_lane()
        {
            steps.push(port, lane);
        }
        (steps, to)
    }

    /// Counts the lanes that routes take.
    pub(super) fn lane_count(&self) -> u8 {
        let ends = self.endpoints.source_switches();
        let differ = |axis: usize| {
            let mut positions = ends.iter().map(|end| self.position(end.number(), axis));
            let first = positions.next();
            positions.any(|position| Some(position) != first)
        };
        let mut rings = (0..self.axes.len()).filter(|&axis| self.axes[axis].is_ring);
        1 + u8::from(rings.any(differ))
    }

    /// The way from one endpoint to another, no step where packets need none.
    #[inline]
    pub(super) fn walk(&self, from: usize, to: usize) -> GridWalk<'_> {
        self.walk_by(from, to, Picks::MAX)
    }

    fn is_odd(&self, switch: u32) -> bool {
        let positions = self.positions_of(switch).iter();
        positions.fold(0, |sum, position| sum ^ position) % 2 == 1
    }

    /// The way from one endpoint to another by picks of its own.
    #[inline]
    pub(crate) fn walk_by(&self, from: usize, to: usize, picks: Picks) -> GridWalk<'_> {
        let ends = [from, to].map(|end| self.endpoints.switch(end));
        let mut walk = self.unbegun(ends, to, picks);
        if self.endpoints.need_route(from, to) {
            walk.set_out();
        }
        walk
    }

    /// The way from one switch of the grid to another, where no links are parallel.
    fn walk_from(&self, from: u32, to: u32) -> GridWalk<'_> {
        let mut walk = self.unbegun([from, to], 0, Picks::MAX);
        walk.set_out();
        walk
    }

    /// A way without steps from one switch to another.
    #[inline]
    fn unbegun(&self, [here, to]: [u32; 2], turn: usize, picks: Picks) -> GridWalk<'_> {
        GridWalk {
            rule: self,
            to,
            turn,
            picks,
            left: 0,
            axis: 0,
            left_on_axis: 0,
            is_forth: true,
            lane: Lane::ZERO,
            here,
            position: 0,
        }
    }

    /// The axes on which both ways round are as short.
    pub(crate) fn ties(&self, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        let ends = [from, to].map(|end| self.endpoints.switch(end));
        (0..self.axes.len()).filter(move |&axis| {
            let [start, end] = ends.map(|end| self.position(end, axis));
            self.axes[axis].is_ring && 2 * start.abs_diff(end) == self.axes[axis].extent
        })
    }

    #[inline]
    fn position(&self, switch: u32, axis: usize) -> u32 {
        self.positions[switch as usize * self.axes.len() + axis]
    }

    /// Whether to go to larger positions, and how many steps.
    #[inline]
    fn leg(&self, axis: usize, [start, end]: [u32; 2], picks: Picks) -> (bool, u32) {
        let Axis { extent, is_ring } = self.axes[axis];
        let is_larger = end > start;
        let across = start.abs_diff(end);
        let round = extent - across;
        if !is_ring || across < round || across == 0 {
            (is_larger, across)
        } else if across > round {
            (!is_larger, round)
        } else {
            (picks >> axis & 1 == 1, across)
        }
    }

    /// The links from a switch to its neighbour along an axis.
    #[inline]
    fn links(&self, switch: u32, axis: usize, is_forth: bool) -> Links {
        self.links[2 * (switch as usize * self.axes.len() + axis) + usize::from(is_forth)]
    }

    /// The port of one of several parallel links.
    #[inline]
    fn port(&self, links: Links, turn: usize) -> PortNumber {
        match links.count {
            1 => links.port,
            count => self.ports[links.first as usize + turn % usize::from(count)],
        }
    }

    /// Counts the states of packets by which their ends, and the switch where they are, tell all that is
    /// left of their way: its lane; `None` where parallel links part them.
    pub(super) fn state_count(&self) -> Option<usize> {
        self.ports.is_empty().then_some(2)
    }

    /// All lines of the grid on a fabric, such that the route from one endpoint to another is that along a line of
    /// each axis on which they differ, one after the other, and every two switches of a line are the ends of such
    /// a part of a route; `None` where a place of the grid has no hosts, or parallel links part packets.
    pub(super) fn lines(&self, fabric: &Fabric) -> Option<Vec<GridLine>> {
        let endpoints = &self.endpoints;
        if self.state_count().is_none()
            || *endpoints != Endpoints::new(fabric, endpoints.granularity())
        {
            return None;
        }
        let mut of_places = vec![None; self.switches.len()];
        for endpoint in (0..endpoints.count()).rev() {
            if endpoints.hosts(endpoint) > 0 {
                let place = self.places[endpoints.switch(endpoint) as usize];
                *of_places.get_mut(place as usize)? = Some(endpoint);
            }
        }
        let of_places: Vec<usize> = of_places.into_iter().collect::<Option<_>>()?;
        let mut lines = Vec::new();
        let mut stride = 1;
        for (axis, &Axis { extent, .. }) in self.axes.iter().enumerate() {
            let extent = extent as usize;
            let is_first = |place: &usize| (place / stride).is_multiple_of(extent);
            for first in (0..of_places.len()).filter(is_first) {
                let places = (0..extent).map(|position| first + position * stride);
                let endpoints = places.map(|place| of_places[place]).collect();
                lines.push(GridLine { axis, endpoints });
            }
            stride *= extent;
        }
        Some(lines)
    }

    /// Tells whether the rule leads everywhere on a fabric: its hosts are where the rule has them, and
    /// each port leads to the neighbour that it is for. Time in proportion to the links.
    pub(super) fn holds_on(&self, fabric: &Fabric) -> bool {
        if self.endpoints != Endpoints::new(fabric, self.endpoints.granularity()) {
            return false;
        }
        let has_place = |switch: SwitchId| self.places.get(switch.index()) != Some(&NOWHERE);
        let mut switches = fabric.switch_ids().filter(|&switch| has_place(switch));
        fabric.switches_with_hosts().all(has_place)
            && switches.all(|switch| {
                let axes = 0..self.axes.len();
                axes.flat_map(|axis| [(axis, false), (axis, true)])
                    .all(|(axis, is_forth)| self.leads_on(fabric, switch, axis, is_forth))
            })
    }

    /// Tells whether the ports for an axis and a way lead to the neighbour there, if there is one.
    fn leads_on(&self, fabric: &Fabric, switch: SwitchId, axis: usize, is_forth: bool) -> bool {
        let Axis { extent, is_ring } = self.axes[axis];
        let position = self.position(switch.number(), axis);
        let last = if is_forth { extent - 1 } else { 0 };
        if position == last && !is_ring {
            return true;
        }
        let stride: u32 = self.axes[..axis].iter().map(|axis| axis.extent).product();
        let after = match is_forth {
            true if position == last => 0,
            true => position + 1,
            false if position == last => extent - 1,
            false => position - 1,
        };
        let place = self.places[switch.index()] - position * stride + after * stride;
        let neighbour = self.switches[place as usize];
        let links = self.links(switch.number(), axis, is_forth);
        let leads = |turn: usize| {
            let channel = fabric.outgoing_at(switch, self.port(links, turn));
            let end = channel.map(|channel| fabric.target(channel).node);
            end == Some(Node::Switch(SwitchId::new(neighbour)))
        };
        links.switch == neighbour && links.count > 0 && (0..links.count.into()).all(leads)
    }
}

impl<'a> GridWalk<'a> {
    /// Counts the steps that are left.
    #[inline]
    pub(super) fn left(&self) -> usize {
        self.left as usize
    }

    /// Tells, with the switch it leaves, what comes after the last step; see
    /// [`GridRule::state_count`].
    #[inline]
    pub(super) fn state(&self) -> usize {
        self.lane.index()
    }

    /// Counts the steps, and begins the first leg.
    #[inline]
    fn set_out(&mut self) {
        let (rule, ends) = (self.rule, [self.here, self.to]);
        for axis in 0..rule.axes.len() {
            let [start, end] = ends.map(|end| rule.position(end, axis));
            self.left += rule.leg(axis, [start, end], self.picks).1;
        }
        self.begin();
    }

    /// Begins the leg along the axis at hand.
    #[inline]
    fn begin(&mut self) {
        let rule: &'a GridRule = self.rule;
        let Some(axis) = rule.axes.get(self.axis) else {
            return;
        };
        let [start, end] = [self.here, self.to].map(|switch| rule.position(switch, self.axis));
        let picks = if rule.alternates && rule.is_odd(self.here) {
            0
        } else {
            self.picks
        };
        (self.is_forth, self.left_on_axis) = rule.leg(self.axis, [start, end], picks);
        self.position = start;
        self.lane = Lane::new(u8::from(axis.is_ring));
    }

    /// Notes so many steps along the axis, no more than are left on it.
    #[inline]
    fn go(&mut self, steps: u32) {
        let extent = self.rule.axes[self.axis].extent;
        let (after, closes) = match self.is_forth {
            true if steps < extent - self.position => (self.position + steps, false),
            true => (steps - (extent - self.position), true),
            false if steps <= self.position => (self.position - steps, false),
            false => (extent - (steps - self.position), true),
        };
        if closes {
            self.lane = Lane::ZERO;
        }
        self.position = after;
        self.left_on_axis -= steps;
        self.left -= steps;
    }

    /// The next step's port and lane.
    #[inline]
    pub(crate) fn next_on_lane(&mut self) -> Option<(PortNumber, Lane)> {
        if self.left == 0 {
            return None;
        }
        while self.left_on_axis == 0 {
            self.axis += 1;
            self.begin();
        }
        let links = self.rule.links(self.here, self.axis, self.is_forth);
        let turn = self.turn + self.here as usize;
        self.here = links.switch;
        self.go(1);
        // The link that closes a ring is taken on the lane after it.
        Some((self.rule.port(links, turn), self.lane))
    }

    /// Leaves steps out.
    #[inline]
    pub(super) fn skip(&mut self, steps: usize) {
        let mut rest = u32::try_from(steps).map_or(self.left, |steps| steps.min(self.left));
        while rest > 0 {
            while self.left_on_axis == 0 {
                self.axis += 1;
                self.begin();
            }
            let along = rest.min(self.left_on_axis);
            let before = self.position;
            self.go(along);
            let axes = &self.rule.axes[..self.axis];
            let stride: u32 = axes.iter().map(|axis| axis.extent).product();
            let place = self.rule.places[self.here as usize] - before * stride;
            self.here = self.rule.switches[(place + self.position * stride) as usize];
            rest -= along;
        }
    }
}
