//! Packets to one address, each followed to wherever it may come.

use super::ends::{Arrival, Passed, Sent};
use super::entries::Timeline;
use super::lanes::{GivenLane, Label, LaneRows, LaneTimeline};
use std::collections::BTreeSet;
use weft_fabric::{ChannelId, Fabric, Node, PortNumber, SwitchId};
use weft_routing::Lane;

/// Packets that begin somewhere, not before a step and not after another.
#[derive(Clone, Copy)]
pub(super) struct Start {
    at: SwitchId,
    input: PortNumber,
    label: Label,
    from: u32,
    until: u32,
}

impl Start {
    /// Packets of hosts, by their lanes.
    pub(super) fn of(
        sent: Sent,
        lanes: Option<&LaneRows<'_>>,
        (from, until): (u32, u32),
    ) -> Vec<Self> {
        let labels = match lanes {
            None => vec![Label {
                level: sent.level.number(),
                lane: sent.level,
            }],
            Some(rows) => rows.begins(sent),
        };
        let start = |label| Self {
            at: sent.at,
            input: sent.input,
            label,
            from,
            until,
        };
        labels.into_iter().map(start).collect()
    }

    /// Packets that were on their way before anything failed.
    pub(super) fn passed(passed: Passed, lanes: Option<&LaneRows<'_>>) -> Vec<Self> {
        let Some(lane) = passed.lane else {
            return Self::of(passed.sent, lanes, (0, u32::MAX));
        };
        let Sent { at, level, input } = passed.sent;
        vec![Self {
            at,
            input,
            label: Label {
                level: level.number(),
                lane,
            },
            from: 0,
            until: u32::MAX,
        }]
    }
}

/// What packets came to.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// Channels held and wanted, each with its lane, each once and in order.
    pub(super) turns: Vec<[(ChannelId, Lane); 2]>,
    /// Whether some are dropped that have met an entry that is not the first one there was.
    pub(super) drops: bool,
    pub(super) dependencies: u64,
}

/// A packet somewhere.
#[derive(Clone, Copy)]
struct Packet {
    at: SwitchId,
    input: PortNumber,
    label: Label,
    held: Option<ChannelId>,
    /// It is not there before this step.
    since: u32,
    has_met_new: bool,
}

/// Where packets have been: at a switch on a lane, since when, and whether they had met a new entry. What becomes of
/// one depends on that alone.
struct Known {
    steps: usize,
    lanes: usize,
    met: Vec<bool>,
}

/// The same where switches choose lanes: the port by which a packet came there counts, and its service level.
type KnownByPort = BTreeSet<(SwitchId, PortNumber, Label, u32, bool)>;

impl Known {
    fn new(switches: usize, steps: usize, starts: &[Start]) -> Self {
        let lanes = starts.iter().map(|start| start.label.lane.index() + 1);
        let lanes = lanes.max().unwrap_or(0);
        Self {
            steps,
            lanes,
            met: vec![false; switches * steps * 2 * lanes],
        }
    }

    /// Notes a packet, and tells whether one like it was there before.
    fn knows(&mut self, packet: Packet) -> bool {
        let since = packet.at.index() * self.steps + packet.since as usize;
        let place =
            (2 * since + usize::from(packet.has_met_new)) * self.lanes + packet.label.lane.index();
        std::mem::replace(&mut self.met[place], true)
    }
}

/// What is known of a fabric and an address.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) arrival: Option<Arrival>,
    /// The entries there were at first.
    pub(super) old: &'a [Option<PortNumber>],
    /// How switches choose lanes, where they do.
    pub(super) lanes: Option<(&'a LaneRows<'a>, &'a LaneTimeline)>,
}

pub(super) fn follow(ground: Ground<'_>, timeline: &Timeline, starts: &[Start]) -> Followed {
    let Ground {
        fabric,
        arrival,
        old,
        lanes,
    } = ground;
    let mut found = Followed::default();
    let switches = if lanes.is_some() {
        0
    } else {
        fabric.switch_count()
    };
    let mut known = Known::new(switches, timeline.step_count, starts);
    let mut known_by_port = KnownByPort::new();
    let mut open = Vec::new();
    for start in starts.iter().filter(|start| start.from <= start.until) {
        open.push(Packet {
            at: start.at,
            input: start.input,
            label: start.label,
            held: None,
            since: start.from,
            has_met_new: false,
        });
    }
    while let Some(packet) = open.pop() {
        let is_known = match lanes {
            None => known.knows(packet),
            Some(_) => !known_by_port.insert((
                packet.at,
                packet.input,
                packet.label,
                packet.since,
                packet.has_met_new,
            )),
        };
        for entry in timeline.from(packet.at, packet.since) {
            let is_old = !entry.is_written && entry.port == old[packet.at.index()];
            let has_met_new = packet.has_met_new || !is_old;
            let is_end = arrival.is_some_and(|end| {
                end.switch == packet.at && (end.port.is_none() || end.port == entry.port)
            });
            if is_end {
                continue;
            }
            let channel = entry
                .port
                .and_then(|port| fabric.outgoing_at(packet.at, port));
            let next = channel.and_then(|channel| match fabric.target(channel).node {
                Node::Switch(next) => Some((channel, next)),
                Node::Host(_) => None,
            });
            let Some((channel, next)) = next else {
                found.drops |= has_met_new;
                continue;
            };
            let since = packet.since.max(entry.from);
            let given = match lanes {
                None => vec![GivenLane {
                    lane: Some(packet.label.lane),
                    from: 0,
                }],
                Some((rows, rows_written)) => {
                    let ports = [packet.input, fabric.source(channel).port];
                    rows.lanes(rows_written, (packet.at, ports), (packet.label, since))
                }
            };
            for GivenLane { lane, from } in given {
                let Some(lane) = lane else {
                    found.drops = true;
                    continue;
                };
                if let Some(held) = packet.held {
                    found
                        .turns
                        .push([(held, packet.label.lane), (channel, lane)]);
                }
                if !is_known {
                    let label = Label {
                        lane,
                        ..packet.label
                    };
                    open.push(Packet {
                        at: next,
                        input: fabric.target(channel).port,
                        label,
                        held: Some(channel),
                        since: since.max(from),
                        has_met_new,
                    });
                }
            }
        }
    }
    found.turns.sort_unstable();
    found.turns.dedup();
    found
}
