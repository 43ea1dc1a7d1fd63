//! Which lanes switches give packets, by old lane tables and new.

use super::TransitionError;
use super::edge::Edge;
use super::side::Side;
use crate::cycles::LaneSet;
use crate::form::{
    ForwardingTables, Lane, LaneKey, LaneRow, LaneTables, LanedLevels, LanedSet, numbers,
};
use weft_fabric::{Fabric, PortNumber, SwitchId};

/// Which rows of lane tables packets meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    Old,
    /// Each switch has old rows or new ones, whichever.
    Either,
    New,
}

impl Rows {
    /// Whether packets meet old ones, and whether new ones.
    fn sides(self) -> [bool; 2] {
        [self != Self::New, self != Self::Old]
    }
}

/// What becomes of packets of some service levels at a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Given {
    /// Levels on the lanes that they are given.
    pub(super) levels: LanedSet,
    /// Whether some are given none, and dropped.
    pub(super) drops: bool,
}

impl Given {
    /// The one level and lane that packets of one certainly have then; none where they may have several, or be
    /// dropped.
    pub(super) fn certain(self) -> LanedSet {
        if self.drops || self.levels.count_ones() != 1 {
            return 0;
        }
        self.levels
    }
}

/// The lanes of packets, old and new.
#[derive(Clone, Debug)]
pub(super) struct LaneChoice {
    pub(super) laned: LanedLevels,
    /// Without, every packet keeps the lane of its service level, by old tables and new.
    chosen: Option<Chosen>,
}

/// Lanes that switches choose.
#[derive(Clone, Debug)]
struct Chosen {
    /// Old and new.
    tables: [LaneTables; 2],
    /// Per switch of both fabrics: what it is in each.
    switches: Vec<[Option<Known>; 2]>,
    /// Per switch of both fabrics: ports of hosts, of those that are given the same lanes one.
    host_ports: Vec<Vec<PortNumber>>,
    /// Switches that are left whose rows change.
    changed: Vec<SwitchId>,
}

/// A switch of one fabric.
#[derive(Clone, Debug)]
struct Known {
    number: SwitchId,
    /// By number, from 0: whether a port has a cable.
    is_cabled: Vec<bool>,
}

impl Known {
    fn of(fabric: &Fabric, number: SwitchId) -> Self {
        let mut is_cabled = vec![false; usize::from(fabric.switch(number).port_count) + 1];
        for &channel in fabric.outgoing(number) {
            is_cabled[fabric.source(channel).port.index()] = true;
        }
        Self { number, is_cabled }
    }

    fn has(&self, ports: [PortNumber; 2]) -> bool {
        let is_cabled = |port: &PortNumber| self.is_cabled.get(port.index()) == Some(&true);
        ports.iter().all(is_cabled)
    }
}

impl LaneChoice {
    pub(super) fn new(
        [was, is]: [&Side<'_>; 2],
        (switch_count, lane_count): (usize, u8),
    ) -> Result<Self, TransitionError> {
        let tables = [was.tables, is.tables];
        let levels = tables.map(ForwardingTables::lanes_per_turn);
        let level_count = levels[0].max(levels[1]);
        if tables.iter().all(|tables| tables.lane_tables().is_none()) {
            let pairs = (0..level_count).map(|level| (level, Lane::new(level)));
            let laned = LanedLevels::new(pairs).ok_or(TransitionError::Levels)?;
            return Ok(Self {
                laned,
                chosen: None,
            });
        }
        let lanes = [was, is].map(|side| told(side, lane_count));
        let pairs = lanes.iter().flat_map(|lanes| lanes.pairs(level_count));
        let laned = LanedLevels::new(pairs).ok_or(TransitionError::Levels)?;
        let mut chosen = Chosen {
            tables: lanes,
            switches: vec![[const { None }; 2]; switch_count],
            host_ports: vec![Vec::new(); switch_count],
            changed: Vec::new(),
        };
        for (place, side) in [was, is].into_iter().enumerate() {
            for (at, &number) in side.fabric.switch_ids().zip(&side.switches) {
                chosen.switches[number as usize][place] = Some(Known::of(side.fabric, at));
            }
        }
        for side in [was, is] {
            for (at, &number) in side.fabric.switch_ids().zip(&side.switches) {
                chosen.add_hosts(side.fabric, at, number);
            }
        }
        let left = is.fabric.switch_ids();
        chosen.changed = left
            .filter(|&at| chosen.changes(is.fabric, at, level_count))
            .collect();
        Ok(Self {
            laned,
            chosen: Some(chosen),
        })
    }

    /// Tells whether switches choose lanes.
    pub(super) fn is_by_port(&self) -> bool {
        self.chosen.is_some()
    }

    /// The switches that are left whose rows change.
    pub(super) fn changed(&self) -> &[SwitchId] {
        self.chosen.as_ref().map_or(&[], |chosen| &chosen.changed)
    }

    /// What hosts of an edge's switch send over it by some service levels.
    pub(super) fn begun(&self, edge: &Edge, levels: LaneSet, rows: Rows) -> Given {
        let mut given = Given::default();
        let each = (0..).take_while(|level| u32::from(levels) >> level != 0);
        for level in each.filter(|level| levels >> level & 1 == 1) {
            let Some(chosen) = &self.chosen else {
                given.levels |= self.laned.one(level, Lane::new(level));
                continue;
            };
            // A host may be told by old rows still when its switch has new ones, or the other way round.
            let hosts = chosen.tables.iter().zip(rows.sides());
            for (tables, _) in hosts.filter(|(_, is_met)| *is_met) {
                let Some(first) = tables.host_lane(level) else {
                    given.drops = true;
                    continue;
                };
                for &input in &chosen.host_ports[edge.from as usize] {
                    chosen.each_row(edge.from, [input, edge.port], rows, |key, row| {
                        let place = match key {
                            LaneKey::ServiceLevel => usize::from(level),
                            LaneKey::IncomingLane => first.index(),
                        };
                        match row.get(place).copied().flatten() {
                            Some(lane) => given.levels |= self.laned.one(level, lane),
                            None => given.drops = true,
                        }
                    });
                }
            }
        }
        given
    }

    /// What becomes of packets that go on from one edge to the next. Those that have passed what failed may always meet
    /// old rows, as nobody need write those of ports without a cable.
    #[inline]
    pub(super) fn turned(&self, [held, wanted]: [&Edge; 2], levels: LanedSet, rows: Rows) -> Given {
        let Some(chosen) = &self.chosen else {
            return Given {
                levels,
                drops: false,
            };
        };
        let rows = match rows {
            Rows::New if held.channel.is_none() => Rows::Either,
            rows => rows,
        };
        let mut given = Given::default();
        chosen.each_row(wanted.from, [held.input, wanted.port], rows, |key, row| {
            for number in numbers(levels) {
                let found = self.laned.by_row(1 << number, key, row);
                given.levels |= found;
                given.drops |= found == 0;
            }
        });
        given
    }
}

impl Chosen {
    /// Looks at the rows that packets may meet at a switch. A port that had no cable before carries nothing until the
    /// subnet manager makes it active, by when it has its new rows.
    fn each_row(
        &self,
        at: u32,
        ports: [PortNumber; 2],
        rows: Rows,
        mut look: impl FnMut(LaneKey, &LaneRow),
    ) {
        let [old, new] = &self.switches[at as usize];
        let old = old.as_ref().filter(|known| known.has(ports));
        let is_known = |known: &&Known| {
            ports
                .iter()
                .all(|port| port.index() < known.is_cabled.len())
        };
        let new = new.as_ref().filter(is_known);
        let [meets_old, meets_new] = rows.sides();
        if let Some(old) = old.filter(|_| meets_old || new.is_none()) {
            let tables = &self.tables[0];
            look(tables.key(), tables.row(old.number, ports));
        }
        if let Some(new) = new.filter(|_| meets_new || old.is_none()) {
            let tables = &self.tables[1];
            look(tables.key(), tables.row(new.number, ports));
        }
    }

    /// Adds ports of hosts at a switch that are given other lanes than those known.
    fn add_hosts(&mut self, fabric: &Fabric, at: SwitchId, number: u32) {
        for &host in fabric.hosts_of(at) {
            let port = fabric.host_port(host);
            let is_like = |known: PortNumber| {
                let mut outputs = fabric.hops(at).iter().map(|hop| hop.port);
                outputs.all(|output| {
                    let given = |input| {
                        let mut all = Vec::new();
                        self.each_row(number, [input, output], Rows::Either, |key, row| {
                            all.push((key, *row));
                        });
                        all
                    };
                    given(known) == given(port)
                })
            };
            let known = &self.host_ports[number as usize];
            if !known.iter().any(|&known| is_like(known)) {
                self.host_ports[number as usize].push(port);
            }
        }
    }

    /// Tells whether new rows of a switch that is left differ from old ones, of ports that have cables and had them, or
    /// those of hosts do: by these they know for which levels they have a lane.
    fn changes(&self, after: &Fabric, at: SwitchId, level_count: u8) -> bool {
        let [Some(was), Some(is)] = &self.switches[at.index()] else {
            return false;
        };
        let [old, new] = &self.tables;
        let count = match [old.key(), new.key()] {
            [LaneKey::ServiceLevel, LaneKey::ServiceLevel] => usize::from(level_count),
            _ => LaneTables::KEYS,
        };
        let inputs = after.outgoing(at).iter();
        let inputs: Vec<PortNumber> = inputs.map(|&channel| after.source(channel).port).collect();
        let outputs = after.hops(at).iter().map(|hop| hop.port);
        let mut pairs = outputs.flat_map(|output| inputs.iter().map(move |&input| [input, output]));
        let differs = |ports: [PortNumber; 2]| {
            let rows = [old.row(was.number, ports), new.row(is.number, ports)];
            rows[0][..count] != rows[1][..count]
        };
        let hosts = [old.host(), new.host()];
        let differ_by = match old.key() {
            LaneKey::IncomingLane => hosts[0] != hosts[1],
            LaneKey::ServiceLevel => {
                let has_lane = |level: usize| hosts.map(|row| row[level].is_some());
                (0..count).map(has_lane).any(|[was, is]| was != is)
            }
        };
        old.key() != new.key() || differ_by || pairs.any(|ports| was.has(ports) && differs(ports))
    }
}

/// The lane tables of a side; where it has none, those that say so.
fn told(side: &Side<'_>, lane_count: u8) -> LaneTables {
    if let Some(tables) = side.tables.lane_tables() {
        return tables.clone();
    }
    let mut tables = LaneTables::new(side.fabric, LaneKey::ServiceLevel);
    let mut row = [None; LaneTables::KEYS];
    for (level, lane) in (0..lane_count).zip(&mut row) {
        *lane = Some(Lane::new(level));
    }
    tables.set_host(row);
    for switch in side.fabric.switch_ids() {
        tables.set_switch(switch, row);
    }
    tables
}
