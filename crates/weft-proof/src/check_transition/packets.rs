//! Packets to one address, each followed to wherever it may come.

use super::ends::{Arrival, Sent};
use super::entries::Timeline;
use weft_fabric::{ChannelId, Fabric, Node, PortNumber, SwitchId};
use weft_routing::Lane;

/// Packets that begin somewhere, not before a step and not after another.
#[derive(Clone, Copy)]
pub(super) struct Start {
    at: SwitchId,
    lane: Lane,
    from: u32,
    until: u32,
}

impl Start {
    pub(super) fn of((at, lane): Sent, from: u32, until: u32) -> Self {
        Self {
            at,
            lane,
            from,
            until,
        }
    }
}

/// What packets came to.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// Channels held and wanted, and the lane, each once and in order.
    pub(super) turns: Vec<(ChannelId, ChannelId, Lane)>,
    /// Whether some are dropped that have met an entry that is not the first one there was.
    pub(super) drops: bool,
    pub(super) dependencies: u64,
}

/// A packet somewhere.
#[derive(Clone, Copy)]
struct Packet {
    at: SwitchId,
    lane: Lane,
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

impl Known {
    fn new(switches: usize, steps: usize, starts: &[Start]) -> Self {
        let lanes = starts.iter().map(|start| start.lane.index() + 1);
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
            (2 * since + usize::from(packet.has_met_new)) * self.lanes + packet.lane.index();
        std::mem::replace(&mut self.met[place], true)
    }
}

pub(super) fn follow(
    fabric: &Fabric,
    arrival: Option<Arrival>,
    timeline: &Timeline,
    old: &[Option<PortNumber>],
    starts: &[Start],
) -> Followed {
    let mut found = Followed::default();
    let mut known = Known::new(fabric.switch_count(), timeline.step_count, starts);
    let mut open = Vec::new();
    for start in starts.iter().filter(|start| start.from <= start.until) {
        open.push(Packet {
            at: start.at,
            lane: start.lane,
            held: None,
            since: start.from,
            has_met_new: false,
        });
    }
    while let Some(packet) = open.pop() {
        let is_known = known.knows(packet);
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
            if let Some(held) = packet.held {
                found.turns.push((held, channel, packet.lane));
            }
            if !is_known {
                open.push(Packet {
                    at: next,
                    lane: packet.lane,
                    held: Some(channel),
                    since: packet.since.max(entry.from),
                    has_met_new,
                });
            }
        }
    }
    found.turns.sort_unstable();
    found.turns.dedup();
    found
}
