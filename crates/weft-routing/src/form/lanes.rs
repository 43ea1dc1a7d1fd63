//! Virtual lanes, and the tables by which switches choose them: from service level to lane, or from lane to
//! lane.

use std::collections::BTreeMap;
use std::fmt;
use weft_fabric::{Fabric, PortNumber, SwitchId, narrow};

/// A virtual lane: one of several buffer classes that share a channel, numbered from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(u8);

impl Lane {
    /// The lane of hardware that has no other.
    pub const ZERO: Self = Self(0);

    /// The lane with number `number`.
    pub const fn new(number: u8) -> Self {
        Self(number)
    }

    /// The lane as a number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The lane as an array offset.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What a switch looks up besides the two ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKey {
    /// The packet's service level, which its source decides and nobody changes (`InfiniBand`'s
    /// SL-to-VL tables).
    ServiceLevel,
    /// The lane the packet came on (the transitions of RHiNET-2).
    IncomingLane,
}

/// The lane for each service level, or incoming lane, where there is one.
pub type LaneRow = [Option<Lane>; LaneTables::KEYS];

/// At each switch, by input port, output port and a key: the lane a packet takes next.
///
/// # Memory
/// One row where all ports of a switch agree, else four bytes for every two ports.
#[derive(Clone, Debug)]
pub struct LaneTables {
    key: LaneKey,
    /// The lane of a host's channel, by service level.
    host: Box<LaneRow>,
    /// Distinct rows.
    rows: Vec<LaneRow>,
    /// The number of each of them.
    numbers: BTreeMap<LaneRow, u32>,
    switches: Vec<SwitchRows>,
}

/// Which rows a switch uses.
#[derive(Clone, Debug)]
enum SwitchRows {
    /// One, whatever the ports.
    One(u32),
    /// By input port, then output port.
    PerPorts { ports: usize, rows: Vec<u32> },
}

/// The same lanes, however rows are numbered.
impl PartialEq for LaneTables {
    fn eq(&self, other: &Self) -> bool {
        let mut switches = (0..self.switches.len()).map(SwitchId::from_index);
        self.key == other.key
            && self.host == other.host
            && self.switches.len() == other.switches.len()
            && switches.all(|switch| self.entries(switch).eq(other.entries(switch)))
    }
}

impl Eq for LaneTables {}

impl LaneTables {
    /// Service levels there are, and lanes.
    pub const KEYS: usize = 16;

    /// Tables that give every service level, or incoming lane, the lane of its number.
    pub fn new(fabric: &Fabric, key: LaneKey) -> Self {
        let mut same = [None; Self::KEYS];
        for (number, lane) in (0..).zip(&mut same) {
            *lane = Some(Lane::new(number));
        }
        Self {
            key,
            host: Box::new(same),
            rows: vec![same],
            numbers: BTreeMap::from([(same, 0)]),
            switches: vec![SwitchRows::One(0); fabric.switch_count()],
        }
    }

    /// What switches look up besides the two ports.
    pub fn key(&self) -> LaneKey {
        self.key
    }

    /// Counts the switches the tables are for.
    pub fn switch_count(&self) -> usize {
        self.switches.len()
    }

    /// Sets the lane of hosts' channels, by service level.
    pub fn set_host(&mut self, row: LaneRow) {
        *self.host = row;
    }

    /// Gives a service level, or incoming lane, one lane everywhere, on hosts' channels too.
    ///
    /// # Panics
    /// When there is no such level.
    pub fn set_level(&mut self, level: u8, lane: Lane) {
        for row in self.rows.iter_mut().chain([&mut *self.host]) {
            row[usize::from(level)] = Some(lane);
        }
        self.numbers = (0..)
            .zip(&self.rows)
            .map(|(number, row)| (*row, number))
            .collect();
    }

    /// The tables for levels below `levels` on so many lanes: higher levels have no lane, and where nothing was
    /// set, and on hosts' channels, lanes are taken in turn by the levels.
    #[must_use]
    pub fn in_use(mut self, levels: u8, lanes: u8) -> Self {
        let mut in_turn = [None; Self::KEYS];
        for (level, lane) in (0..levels).zip(&mut in_turn) {
            *lane = Some(Lane::new(level % lanes.max(1)));
        }
        for row in &mut self.rows {
            row.iter_mut()
                .skip(levels.into())
                .for_each(|lane| *lane = None);
        }
        // The first row is that of all that was not set.
        self.rows[0] = in_turn;
        *self.host = in_turn;
        self
    }

    /// Sets the row of a switch, for all its ports.
    ///
    /// # Panics
    /// When there is no such switch.
    pub fn set_switch(&mut self, switch: SwitchId, row: LaneRow) {
        let row = self.row_number(row);
        self.switches[switch.index()] = SwitchRows::One(row);
    }

    /// Sets the row of a switch for packets that come in by one port and leave by another.
    ///
    /// # Panics
    /// When the fabric has no such switch or the switch no such ports.
    pub fn set(
        &mut self,
        fabric: &Fabric,
        switch: SwitchId,
        [input, output]: [PortNumber; 2],
        row: LaneRow,
    ) {
        let row = self.row_number(row);
        let rows = &mut self.switches[switch.index()];
        if let SwitchRows::One(one) = *rows {
            let ports = usize::from(fabric.switch(switch).port_count) + 1;
            *rows = SwitchRows::PerPorts {
                ports,
                rows: vec![one; ports * ports],
            };
        }
        if let SwitchRows::PerPorts { ports, rows } = rows {
            assert!(
                input.index() < *ports && output.index() < *ports,
                "the switch has both ports"
            );
            rows[input.index() * *ports + output.index()] = row;
        }
    }

    /// Counts the lanes the tables name: one more than the highest.
    pub fn lane_count(&self) -> u8 {
        let rows = self.switches.iter().flat_map(|switch| match switch {
            SwitchRows::One(row) => std::slice::from_ref(row),
            SwitchRows::PerPorts { rows, .. } => rows,
        });
        let named = rows.flat_map(|&row| &self.rows[row as usize]);
        let most = named.chain(&*self.host).flatten().max();
        most.map_or(1, |lane| lane.number().saturating_add(1))
    }

    fn row_number(&mut self, row: LaneRow) -> u32 {
        *self.numbers.entry(row).or_insert_with(|| {
            self.rows.push(row);
            narrow(
                self.rows.len() - 1,
                "rows are as many as pairs of ports at most",
            )
        })
    }

    /// The row of a switch for packets that come in by one port and leave by another.
    #[inline]
    pub fn row(&self, switch: SwitchId, [input, output]: [PortNumber; 2]) -> &LaneRow {
        let row = match &self.switches[switch.index()] {
            SwitchRows::One(row) => *row,
            SwitchRows::PerPorts { ports, rows } => rows[input.index() * ports + output.index()],
        };
        &self.rows[row as usize]
    }

    /// The distinct rows of all switches.
    pub(crate) fn rows(&self) -> &[LaneRow] {
        &self.rows
    }

    /// Levels below `levels`, each with every lane that the tables let its packets be on; some more than once.
    pub(crate) fn pairs(&self, levels: u8) -> impl Iterator<Item = (u8, Lane)> + '_ {
        (0..levels).flat_map(move |level| {
            let given = self.rows.iter().flat_map(move |row| {
                let all: &[Option<Lane>] = match self.key {
                    LaneKey::ServiceLevel => row
                        .get(usize::from(level))
                        .map_or(&[], std::slice::from_ref),
                    LaneKey::IncomingLane => row,
                };
                all.iter().copied().flatten()
            });
            let host = self.host_lane(level).into_iter();
            host.chain(given).map(move |lane| (level, lane))
        })
    }

    /// The tables of some of the switches, in the order given.
    pub(crate) fn of_switches(&self, switches: &[SwitchId]) -> Self {
        let rows = |at: &SwitchId| self.switches[at.index()].clone();
        Self {
            switches: switches.iter().map(rows).collect(),
            ..self.clone()
        }
    }

    /// The lanes of hosts' channels, by service level.
    pub fn host(&self) -> &LaneRow {
        &self.host
    }

    /// The rows of a switch: first one for all its ports, then those by input and output port
    /// that differ from it.
    pub fn entries(
        &self,
        switch: SwitchId,
    ) -> impl Iterator<Item = (Option<[PortNumber; 2]>, &LaneRow)> {
        let (one, ports, rows) = match &self.switches[switch.index()] {
            SwitchRows::One(row) => (*row, 1, [].as_slice()),
            SwitchRows::PerPorts { ports, rows } => (rows[0], *ports, rows.as_slice()),
        };
        let differing = rows.iter().enumerate().filter(move |(_, row)| **row != one);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a switch has at most 254 ports"
        )]
        let named = differing.map(move |(place, &row)| {
            let pair = [place / ports, place % ports].map(|port| PortNumber::new(port as u8));
            (Some(pair), row)
        });
        let all = std::iter::once((None, one)).chain(named);
        all.map(|(pair, row)| (pair, &self.rows[row as usize]))
    }

    /// The lane of a host's channel for packets of a service level, if there is one.
    #[inline]
    pub fn host_lane(&self, service_level: u8) -> Option<Lane> {
        self.host.get(usize::from(service_level)).copied().flatten()
    }

    /// The next lane of a packet, if there is one.
    #[inline]
    pub fn lane(
        &self,
        switch: SwitchId,
        ports: [PortNumber; 2],
        service_level: u8,
        incoming: Lane,
    ) -> Option<Lane> {
        let key = match self.key {
            LaneKey::ServiceLevel => service_level,
            LaneKey::IncomingLane => incoming.number(),
        };
        let row = self.row(switch, ports);
        row.get(usize::from(key)).copied().flatten()
    }
}
