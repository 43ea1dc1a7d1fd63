//! `run`: packets as they move, for a while.

use crate::asked::Moving;
use crate::error::ExploreError;
use crate::kept::Kept;
use crate::left::Left;
use crate::numbers::number;
use crate::state::State;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use weft::{Hardware, Network, OfferedTraffic, Task};
use weft_engine::run::RunError;
use weft_engine::{Motion, Probe, Simulator, WaitingPacket};
use weft_fabric::{Fabric, HostId, Node};
use weft_model::workload::Workload;
use weft_model::{LossRecord, PacketRecord};

/// Channels that packets cross, at most, in one answer.
const MOST_MOTIONS: usize = 200_000;

/// Cycles between two looks at how many there are.
const STEP_CYCLES: u64 = 256;

pub(crate) fn run(kept: &Kept, state: &State, asked: Moving) -> Result<Value, ExploreError> {
    let routed = kept.routed(state)?;
    let preset = state.hardware.as_deref().unwrap_or_default();
    let hardware = Hardware::preset(preset).map_err(weft::Error::from)?;
    let network = Network::new(&routed.network, &hardware)?;
    let offered = OfferedTraffic {
        pattern: state.pattern.clone(),
        seed: asked.seed,
        ..OfferedTraffic::uniform(asked.load)
    };
    let machine = network.machine();
    let left = &routed.left;
    let traffic = offered.on(&left.fabric, machine);
    let workload = Workload::Traffic(traffic.map_err(weft::Error::from)?);
    let seen = network.on_engine(&workload, Follow(asked.cycles))?;
    let seen = seen.ok_or_else(|| ExploreError::NotFollowed {
        preset: preset.to_owned(),
    })?;
    let waiting = seen.waiting.as_ref();
    Ok(json!({
        "unit_ns": number(machine.cycle_ns()),
        "cycles": seen.cycles,
        "whole": seen.cycles == asked.cycles,
        "packets": packets(left, &seen),
        "waiting": waiting.map(|circle| circle.iter().map(|one| held(left, one)).collect::<Vec<_>>()),
    }))
}

/// What was seen of a run.
#[derive(Default)]
struct Seen {
    cycles: u64,
    motions: Vec<Motion>,
    /// By source and number: the cycle it was delivered in.
    delivered: BTreeMap<(HostId, u64), u64>,
    waiting: Option<Vec<WaitingPacket>>,
}

impl Probe for Seen {
    fn delivered(&mut self, record: &PacketRecord) {
        let name = (record.source, record.sequence);
        self.delivered.insert(name, record.delivery_cycle);
    }

    fn lost(&mut self, _: &LossRecord) {}
}

/// Simulates so many cycles, fewer where too many packets move.
struct Follow(u64);

impl Task for Follow {
    /// Nothing where the engine does not tell how packets move.
    type Outcome = Option<Seen>;

    fn run(self, simulator: &mut impl Simulator) -> Result<Option<Seen>, RunError> {
        if !simulator.follow_packets() {
            return Ok(None);
        }
        let mut seen = Seen::default();
        while seen.cycles < self.0 && seen.motions.len() < MOST_MOTIONS {
            seen.cycles = self.0.min(seen.cycles + STEP_CYCLES);
            simulator.advance(seen.cycles, &mut seen);
            seen.motions.extend(simulator.motions());
        }
        seen.waiting = simulator.waiting_cycle();
        Ok(Some(seen))
    }
}

/// The packets that began to move, in the order of their generation.
fn packets(left: &Left, seen: &Seen) -> Vec<Value> {
    let mut ways: BTreeMap<(u64, HostId, u64), Vec<&Motion>> = BTreeMap::new();
    let begun = seen.motions.iter();
    for motion in begun.filter(|motion| motion.start_cycle < seen.cycles) {
        let name = (motion.generation_cycle, motion.source, motion.sequence);
        ways.entry(name).or_default().push(motion);
    }
    let packet = |((generated, source, sequence), mut way): (_, Vec<&Motion>)| {
        way.sort_by_key(|motion| motion.start_cycle);
        let destination = way.first().map(|motion| left.host(motion.destination));
        let hops: Vec<Value> = way.iter().map(|motion| hop(left, motion)).collect();
        json!({
            "source": left.host(source),
            "destination": destination,
            "generated": generated,
            "delivered": seen.delivered.get(&(source, sequence)),
            "hops": hops,
        })
    };
    ways.into_iter().map(packet).collect()
}

/// A channel that a packet crosses. At a host, forward is to its switch.
fn hop(left: &Left, motion: &Motion) -> Value {
    let cable = left.cable(motion.channel);
    let host = host_of(&left.fabric, motion);
    json!({
        "cable": cable.map(|one| one.0),
        "host": host.map(|(host, _)| left.host(host)),
        "forward": cable.map_or(host.is_some_and(|one| one.1), |one| one.1),
        "lane": motion.lane.number(),
        "head": motion.start_cycle,
        "tail": motion.end_cycle,
    })
}

/// The host at an end of a channel, and whether it leads away from it.
fn host_of(fabric: &Fabric, motion: &Motion) -> Option<(HostId, bool)> {
    let ends = [fabric.source(motion.channel), fabric.target(motion.channel)];
    match ends.map(|end| end.node) {
        [Node::Host(host), _] => Some((host, true)),
        [_, Node::Host(host)] => Some((host, false)),
        [Node::Switch(_), Node::Switch(_)] => None,
    }
}

/// A packet that waits for ever, and what it holds.
fn held(left: &Left, waiting: &WaitingPacket) -> Value {
    let cable = left.cable(waiting.holds);
    json!({
        "cable": cable.map(|one| one.0),
        "forward": cable.map(|one| one.1),
        "lane": waiting.holds_lane.number(),
        "source": left.host(waiting.source),
        "destination": left.host(waiting.destination),
        "words": left.fabric.describe_channel(waiting.holds),
    })
}
