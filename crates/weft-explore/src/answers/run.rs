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

/// Stretches in which packets cross channels, at most, in one answer.
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
    type Outcome = Seen;

    fn run(self, simulator: &mut impl Simulator) -> Result<Seen, RunError> {
        let is_followed = simulator.follow_packets();
        debug_assert!(is_followed, "one thread simulates");
        let mut seen = Seen::default();
        while seen.cycles < self.0 && seen.motions.len() < MOST_MOTIONS {
            seen.cycles = self.0.min(seen.cycles + STEP_CYCLES);
            simulator.advance(seen.cycles, &mut seen);
            seen.motions.extend(simulator.motions());
        }
        seen.waiting = simulator.waiting_cycle();
        Ok(seen)
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
    let packet = |((generated, source, sequence), way): (_, Vec<&Motion>)| {
        let destination = way.first().map(|motion| left.host(motion.destination));
        let hops: Vec<Value> = crossings(way).iter().map(|one| hop(left, one)).collect();
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

/// A channel that a packet crosses, and when: from a cycle until another, once where it does not pause.
struct Crossing<'a> {
    first: &'a Motion,
    stretches: Vec<[u64; 2]>,
}

/// The channels of a way, in the order the packet came to them.
fn crossings(mut way: Vec<&Motion>) -> Vec<Crossing<'_>> {
    way.sort_by_key(|motion| motion.start_cycle);
    let mut found: Vec<Crossing> = Vec::new();
    for motion in way {
        let stretch = [motion.start_cycle, motion.end_cycle];
        let here = |one: &&mut Crossing| {
            (one.first.channel, one.first.lane) == (motion.channel, motion.lane)
        };
        match found.iter_mut().rev().find(here) {
            None => found.push(Crossing {
                first: motion,
                stretches: vec![stretch],
            }),
            Some(known) => match known.stretches.last_mut() {
                Some(last) if last[1] == stretch[0] => last[1] = stretch[1],
                _ => known.stretches.push(stretch),
            },
        }
    }
    found
}

/// A channel that a packet crosses. At a host, forward is to its switch.
fn hop(left: &Left, crossing: &Crossing<'_>) -> Value {
    let motion = crossing.first;
    let cable = left.cable(motion.channel);
    let host = host_of(&left.fabric, motion);
    json!({
        "cable": cable.map(|one| one.0),
        "host": host.map(|(host, _)| left.host(host)),
        "forward": cable.map_or(host.is_some_and(|one| one.1), |one| one.1),
        "lane": motion.lane.number(),
        "stretches": crossing.stretches,
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
