//! torus-2QoS: dimension order in tables, its datelines in the service level.

use super::{Algorithm, Lanes, Length, Needs, Refusal, RouteFunction};
use crate::cycles::Dependencies;
use crate::error::RoutingError;
use crate::form::{ForwardingTables, Lane, LaneKey, LaneRow, LaneTables, PairGranularity, Routes};
use crate::orient::routed_part;
use crate::parameters::Parameters;
use crate::shape::{Grid, GridWays, Way};
use weft_fabric::{Fabric, PortNumber, SwitchId, narrow};

/// Dimension order with datelines told by service levels, around failures.
///
/// Bit d of a pair's service level says whether its short way along dimension d takes the link that
/// closes the ring. Every switch has a table that makes a lane of it: bit 0 of the lane is the bit of the
/// dimension along which the output port leads. Packets that take the closing link and those that do
/// not are on different lanes all the way round, so neither lane closes a cycle.
///
/// Where a link or a switch of a ring has failed, packets go round the other way; the ring is none any
/// more, and no service level changes. Where the switch has failed on which they would turn, they turn
/// beside it: then they come back to an earlier dimension, and bit 1 of the lane is set for the link
/// after that turn. They turn beside the failed switch alone, on whichever side is left; whatever would
/// let packets wait in a circle is refused. Parallel links are taken in turn by the hosts of the destination's switch.
///
/// One of the two levels of service that `OpenSM`'s engine has room for. A failed switch is
/// one without links and hosts in a fabric that says its extents. Ties are not described: where both
/// ways round are as short, odd positions go forth and even ones back, which agrees with the examples.
///
/// # Complexity
/// Time O(S²·n) for S switches and n dimensions; with failures, the steps of all routes.
pub(super) const ALGORITHM: Algorithm = Algorithm {
    name: "torus_2qos",
    title: "torus-2QoS",
    summary: "Goes by dimension order around failed links and switches of a mesh or torus; the service \
              level tells which rings' closing links a pair takes, and with it the lanes.",
    length: Length::ShortestWhereWhole,
    needs: Needs::lanes(Lanes::PerFabric).tables(),
    further: "The tables have lanes by ports: one lane on a mesh, two on a torus, four where a \
              switch has failed. Routes are shortest where nothing has failed.",
    refuses: &[Refusal::Grid, Refusal::Gaps],
    source: "OpenSM, torus-2QoS(8), “Unicast routing”",
    parameters: &[],
    route: RouteFunction::Plain(route),
    ..Algorithm::DEFAULT
};

/// Bits of a service level that tell datelines apart; the fourth is for the level of service.
pub(super) const MOST_DIMENSIONS: usize = 3;

fn route(fabric: &Fabric, _: &mut Parameters) -> Result<Routes, RoutingError> {
    fill(fabric).map(Routes::from)
}

/// The tables, with lanes by service level and ports.
pub(super) fn fill(fabric: &Fabric) -> Result<ForwardingTables, RoutingError> {
    let part = routed_part(fabric)?;
    let grid = Grid::with_gaps(fabric, &part, MOST_DIMENSIONS)?;
    // Dimensions along which there is something to go, each with its bit.
    let axes: Vec<usize> = (0..grid.dimensions())
        .filter(|&d| grid.extent(d) > 1)
        .collect();
    if axes.len() > MOST_DIMENSIONS {
        return Err(RoutingError::NoGrid {
            fabric: fabric.name().to_owned(),
            reason: format!(
                "it has {} dimensions, and service levels have bits for {MOST_DIMENSIONS}",
                axes.len()
            ),
        });
    }
    let ways = GridWays::new(&grid, &part);
    let torus = Torus {
        fabric,
        grid: &grid,
        ways,
        axes,
    };
    let mut tables = torus.tables(&part);
    tables.set_lane_tables(torus.lane_tables(&part));
    if part.iter().any(|&switch| torus.lacks_link(switch)) || torus.ways.lacks_switches() {
        torus.check(&part, &tables)?;
    }
    Ok(tables)
}

struct Torus<'a> {
    fabric: &'a Fabric,
    grid: &'a Grid,
    ways: GridWays<'a>,
    axes: Vec<usize>,
}

impl Torus<'_> {
    /// Tells whether a switch has no link along some line, though there is a neighbour's place.
    fn lacks_link(&self, switch: SwitchId) -> bool {
        self.axes.iter().any(|&d| {
            let last = self.grid.extent(d) - 1;
            let at = self.grid.position(switch, d);
            let lacks = |way: Way, end: u32| {
                let has_place = self.grid.is_closed(d) || at != end;
                has_place && self.grid.links(switch, d, way).is_empty()
            };
            lacks(Way::Forth, last) || lacks(Way::Back, 0)
        })
    }

    fn tables(&self, part: &[SwitchId]) -> ForwardingTables {
        let (fabric, count) = (self.fabric, self.fabric.host_count());
        let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Host);
        let mut levels = vec![Lane::ZERO; fabric.switch_count() * count];
        for &to in part.iter().filter(|&&to| !fabric.hosts_of(to).is_empty()) {
            for &from in part.iter().filter(|&&from| from != to) {
                let Some((dimension, way)) = self.ways.step(from, to) else {
                    // Nobody may come by there.
                    continue;
                };
                let links = self.grid.links(from, dimension, way);
                let level = self.service_level(from, to);
                for (turn, &host) in fabric.hosts_of(to).iter().enumerate() {
                    let hop = links[turn % links.len()];
                    tables.set_next_port(from, host.index(), hop.port);
                    levels[from.index() * count + host.index()] = Lane::new(level);
                }
            }
        }
        let switch_of = |host| fabric.host_switch(host).number();
        tables.set_lanes_by_switch(fabric.host_ids().map(switch_of).collect(), levels);
        tables
    }

    fn service_level(&self, from: SwitchId, to: SwitchId) -> u8 {
        let mut level = 0;
        for (bit, &d) in self.axes.iter().enumerate() {
            let end = self.grid.position(to, d);
            let is_on_way = self.grid.position(from, d) != end;
            level |= u8::from(is_on_way && self.ways.crosses_dateline(from, d, end)) << bit;
        }
        level
    }

    fn lane_tables(&self, part: &[SwitchId]) -> LaneTables {
        let mut tables = LaneTables::new(self.fabric, LaneKey::ServiceLevel);
        // Levels whose bits are those of rings; channels to and from hosts need one lane.
        let closed = self.axes.iter().enumerate();
        let closed = closed.filter(|(_, d)| self.grid.is_closed(**d));
        let bits = closed.fold(0, |bits, (bit, _)| bits | 1_u8 << bit);
        let row = |lane: &dyn Fn(u8) -> u8| -> LaneRow {
            let mut row = [None; LaneTables::KEYS];
            for (level, entry) in (0_u8..).zip(&mut row) {
                *entry = (level & !bits == 0).then(|| Lane::new(lane(level)));
            }
            row
        };
        tables.set_host(row(&|_| 0));
        for switch in self.fabric.switch_ids() {
            tables.set_switch(switch, row(&|_| 0));
        }
        for &switch in part {
            let hosts = self.fabric.hosts_of(switch).iter();
            let ports = hosts.map(|&host| (self.fabric.host_port(host), None));
            let inputs: Vec<(PortNumber, Option<usize>)> = ports
                .chain(self.ports(switch).map(|(p, bit)| (p, Some(bit))))
                .collect();
            for (output, out_bit) in self.ports(switch) {
                for &(input, in_bit) in &inputs {
                    let is_back = in_bit.is_some_and(|bit| bit > out_bit);
                    let turned = u8::from(is_back && self.ways.lacks_switches()) << 1;
                    let lane = |level: u8| level >> out_bit & 1 | turned;
                    tables.set(self.fabric, switch, [input, output], row(&lane));
                }
            }
        }
        tables
    }

    /// The ports of a switch to its neighbours, with the bit of the dimension of each.
    fn ports(&self, switch: SwitchId) -> impl Iterator<Item = (PortNumber, usize)> + '_ {
        let axes = self.axes.iter().enumerate();
        axes.flat_map(move |(bit, &d)| {
            let links = [Way::Forth, Way::Back].map(|way| self.grid.links(switch, d, way));
            let hops = links.into_iter().flatten();
            hops.map(move |hop| (hop.port, bit))
        })
    }

    /// Makes sure that every way arrives and that no packets can wait in a circle.
    fn check(&self, part: &[SwitchId], tables: &ForwardingTables) -> Result<(), RoutingError> {
        let name = |switch: SwitchId| &self.fabric.switch(switch).name;
        let refusal = |reason| RoutingError::NoWayAroundGap {
            algorithm: ALGORITHM.name,
            fabric: self.fabric.name().to_owned(),
            reason,
        };
        let lanes = usize::from(tables.lane_count());
        let mut graph = Dependencies::new(self.fabric.channel_count() * lanes);
        let with_hosts = || {
            part.iter()
                .filter(|&&s| !self.fabric.hosts_of(s).is_empty())
        };
        for (&from, &to) in with_hosts().flat_map(|from| with_hosts().map(move |to| (from, to))) {
            let Some(path) = self.path(from, to) else {
                return Err(refusal(format!(
                    "no way leads from “{}” to “{}”, as a line is cut in two",
                    name(from),
                    name(to)
                )));
            };
            let level = self.service_level(from, to);
            let turns = (path.iter()).scan(None, |before, &(bit, channel)| {
                let is_back = before.replace(bit).is_some_and(|before| before > bit);
                let lane = level >> bit & 1 | u8::from(is_back && self.ways.lacks_switches()) << 1;
                let vertex = channel * lanes + usize::from(lane);
                Some(narrow(
                    vertex,
                    "channels of all lanes have numbers of 32 bits",
                ))
            });
            let vertices: Vec<u32> = turns.collect();
            for pair in vertices.windows(2) {
                if graph.uses(pair[0], pair[1]) == 0 {
                    graph.add(pair[0], pair[1]);
                }
            }
        }
        if let Some(vertex) = graph.cycle().and_then(|cycle| cycle.first().copied()) {
            let channel = weft_fabric::ChannelId::from_index(vertex as usize / lanes);
            return Err(refusal(format!(
                "ways around failed switches would let packets wait in a circle, through {}",
                self.fabric.describe_channel(channel)
            )));
        }
        Ok(())
    }

    /// The way from one switch to another by bits of dimensions and channels, over the first of
    /// parallel links; `None` where it ends before or never.
    fn path(&self, from: SwitchId, to: SwitchId) -> Option<Vec<(usize, usize)>> {
        let mut path = Vec::new();
        let mut at = from;
        while at != to {
            let (dimension, way) = self.ways.step(at, to)?;
            let hop = self.grid.links(at, dimension, way).first()?;
            let bit = self.axes.iter().position(|&axis| axis == dimension)?;
            path.push((bit, hop.channel.index()));
            at = hop.switch;
            if path.len() > self.fabric.switch_count() {
                return None;
            }
        }
        Some(path)
    }
}
