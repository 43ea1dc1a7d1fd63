//! Lane tables as a phase goes on: which rows packets may meet, and the lanes of these.

use super::ends::{Ends, Sent};
use std::collections::BTreeMap;
use weft_fabric::{Fabric, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, Lane, LaneKey, LaneTables, Phase, Step};

/// The service level and the lane of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Label {
    pub(super) level: u8,
    pub(super) lane: Lane,
}

/// What a row has for a packet: `None` where that is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RowLane(Option<Lane>);

/// Old and new lane tables of the switches that are left.
pub(super) struct LaneRows<'a> {
    sides: [Side<'a>; 2],
    before: &'a Fabric,
    after: &'a Fabric,
    /// Lanes that packets of a level may have where tables say nothing of lanes.
    lane_count: u8,
}

/// Tables of one fabric.
struct Side<'a> {
    tables: Option<&'a LaneTables>,
    /// Per switch that is left: its number there, and its ports.
    switches: Vec<Option<(SwitchId, PortNumber)>>,
}

/// A lane that packets may be given, for those that are not there before a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GivenLane {
    /// `None` for packets that are dropped.
    pub(super) lane: Option<Lane>,
    pub(super) from: u32,
}

/// When the rows of switches are written in a phase.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneTimeline {
    /// Per switch whose rows are written.
    steps: BTreeMap<SwitchId, Written>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    Before,
    By(u32),
}

impl<'a> LaneRows<'a> {
    /// `None` where no switch chooses lanes.
    pub(super) fn new(ends: &Ends<'a>, lane_count: u8) -> Option<Self> {
        let tables: [&'a ForwardingTables; 2] = ends.tables;
        if tables.iter().all(|tables| tables.lane_tables().is_none()) {
            return None;
        }
        let [before, after] = ends.fabrics;
        let ports = |fabric: &Fabric, at| PortNumber::new(fabric.switch(at).port_count);
        let mut was = vec![None; after.switch_count()];
        for (at, left) in before.switch_ids().zip(&ends.left) {
            if let Some(left) = left {
                was[left.index()] = Some((at, ports(before, at)));
            }
        }
        let is = after.switch_ids().map(|at| Some((at, ports(after, at))));
        let side = |place: usize, switches| Side {
            tables: tables[place].lane_tables(),
            switches,
        };
        Some(Self {
            sides: [side(0, was), side(1, is.collect())],
            before,
            after,
            lane_count,
        })
    }

    /// The lane of a host's channel, by tables of a side.
    fn host_lane(&self, side: usize, level: u8) -> Option<Lane> {
        match self.sides[side].tables {
            Some(tables) => tables.host_lane(level),
            None => self.plain(level),
        }
    }

    fn plain(&self, level: u8) -> Option<Lane> {
        (level < self.lane_count).then(|| Lane::new(level))
    }

    /// What a side gives packets; `None` where it does not know the switch or the ports, or old tables have rows of ports
    /// without a cable: these carry nothing until they have their new ones and are made active.
    fn given(
        &self,
        side: usize,
        at: SwitchId,
        ports: [PortNumber; 2],
        label: Label,
    ) -> Option<RowLane> {
        let (is_old, side) = (side == 0, &self.sides[side]);
        let (switch, most) = side.switches[at.index()]?;
        let is_without_cable = |&port: &PortNumber| {
            port > most || is_old && self.before.outgoing_at(switch, port).is_none()
        };
        if ports.iter().any(is_without_cable) {
            return None;
        }
        let lane = match side.tables {
            Some(tables) => tables.lane(switch, ports, label.level, label.lane),
            None => self.plain(label.level),
        };
        Some(RowLane(lane))
    }

    /// The lanes that a packet may be given which is not at a switch before a step. Rows of ports without a cable are
    /// never known to be written.
    pub(super) fn lanes(
        &self,
        timeline: &LaneTimeline,
        (at, ports): (SwitchId, [PortNumber; 2]),
        (label, since): (Label, u32),
    ) -> Vec<GivenLane> {
        let [old, new] = [0, 1].map(|side| self.given(side, at, ports, label));
        let written = timeline.steps.get(&at).copied();
        let is_dead = self.after.outgoing_at(at, ports[0]).is_none();
        let meets_old = new.is_none()
            || is_dead
            || match written {
                None => true,
                Some(Written::By(step)) => step >= since,
                Some(Written::Before) => false,
            };
        let new_from = match written {
            _ if old.is_none() => Some(0),
            None => None,
            Some(Written::By(step)) => Some(step),
            Some(Written::Before) => Some(0),
        };
        let old = old
            .filter(|_| meets_old)
            .map(|RowLane(lane)| GivenLane { lane, from: 0 });
        let new = new
            .zip(new_from)
            .map(|(RowLane(lane), from)| GivenLane { lane, from });
        old.into_iter().chain(new).collect()
    }

    /// A switch whose rows for ports with cables are others by the new tables, of those that were not written.
    pub(super) fn unwritten(&self, timeline: &LaneTimeline, levels: u8) -> Option<SwitchId> {
        let mut left = self
            .after
            .switch_ids()
            .filter(|at| !timeline.steps.contains_key(at));
        left.find(|&at| {
            let ports = self.after.outgoing(at).iter();
            let ports: Vec<PortNumber> = ports.map(|&of| self.after.source(of).port).collect();
            let outputs = self.after.hops(at).iter().map(|hop| hop.port);
            let mut pairs =
                outputs.flat_map(|output| ports.iter().map(move |&input| [input, output]));
            pairs.any(|ports| self.differs(at, ports, levels))
        })
    }

    /// Whether packets of some level are given another lane by the new tables.
    fn differs(&self, at: SwitchId, ports: [PortNumber; 2], levels: u8) -> bool {
        let by_lane = self.sides.iter().any(|side| {
            side.tables
                .is_some_and(|tables| tables.key() == LaneKey::IncomingLane)
        });
        let lanes = if by_lane { self.lane_count } else { 1 };
        let mut labels = (0..levels).flat_map(|level| {
            (0..lanes).map(move |lane| Label {
                level,
                lane: Lane::new(lane),
            })
        });
        labels.any(|label| {
            let [old, new] = [0, 1].map(|side| self.given(side, at, ports, label));
            old.is_some() && old != new
        })
    }

    /// The lane that a packet is given whichever rows a switch has.
    pub(super) fn gives_certainly(
        &self,
        at: SwitchId,
        ports: [PortNumber; 2],
        label: Label,
    ) -> Option<Lane> {
        let both = [0, 1].map(|side| self.given(side, at, ports, label));
        let mut known = both.into_iter().flatten();
        let RowLane(first) = known.next()?;
        first.filter(|_| known.all(|RowLane(other)| other == first))
    }

    /// The lanes on which a packet may come from its host, whatever that was told; `None` where it may be given none.
    pub(super) fn begins_somehow(&self, sent: Sent) -> Option<Vec<Lane>> {
        let both = [0, 1].map(|side| self.host_lane(side, sent.level.number()));
        let mut lanes = both.into_iter().collect::<Option<Vec<Lane>>>()?;
        lanes.dedup();
        Some(lanes)
    }

    /// Packets as they begin, by old tables and new: hosts may have either.
    pub(super) fn begins(&self, sent: Sent) -> Vec<Label> {
        let both = [0, 1].map(|side| self.host_lane(side, sent.level.number()));
        let mut lanes: Vec<Lane> = both.into_iter().flatten().collect();
        lanes.dedup();
        let level = sent.level.number();
        lanes
            .into_iter()
            .map(|lane| Label { level, lane })
            .collect()
    }
}

impl LaneTimeline {
    /// What becomes of the rows in the next phase.
    pub(super) fn during(&self, phase: &Phase) -> Self {
        let before = self.steps.keys().map(|&at| (at, Written::Before));
        let mut steps: BTreeMap<SwitchId, Written> = before.collect();
        for (number, step) in (0..).zip(&phase.steps) {
            let Step::WriteLanes(switches) = step else {
                continue;
            };
            for &at in switches {
                steps.entry(at).or_insert(Written::By(number));
            }
        }
        Self { steps }
    }
}
