//! What the busiest channel carries where a hash sends each flow its way: draw after draw.

use crate::form::{Entry, GroupTables};
use crate::random::stream;
use rand::Rng;
use rayon::prelude::*;
use weft_fabric::{Fabric, HostId, Node};

/// The most flows over a channel between switches, draw by draw, in flows over those of a pair: every ordered pair of
/// compute ends has so many, and each takes at every switch that has a choice for it a port by a draw of its own, which
/// stands for the hash of its header. Packets go to the first address of a host.
///
/// Shapes: one entry per draw. Flows that are led nowhere count as far as they are led.
///
/// # Complexity
/// Time in proportion to draws, flows and the links of their ways, on all cores.
///
/// # Determinism
/// A draw depends on its number and the seed alone.
///
/// # Panics
/// When the tables are for a fabric with other switches or hosts.
pub fn hashed_loads(
    fabric: &Fabric,
    tables: &GroupTables,
    service_level: u8,
    flows: u32,
    draws: u32,
    seed: u64,
) -> Vec<f64> {
    let hosts: Vec<HostId> = fabric.compute_hosts().collect();
    // A way is no longer than all states, or it goes round.
    let longest = fabric.channel_count() * usize::from(tables.lane_count());
    let over = Over {
        fabric,
        tables,
        longest,
    };
    let most_over = |draw: u32| {
        let mut random = stream(seed, "hashes of flows", u64::from(draw));
        let mut loads = vec![0_u64; fabric.channel_count()];
        for &source in &hosts {
            for &destination in hosts.iter().filter(|&&host| host != source) {
                for _ in 0..flows {
                    let ends = [source, destination];
                    over.follow(service_level, ends, &mut loads, || random.next_u64());
                }
            }
        }
        let between = fabric.channel_ids().filter(|&channel| {
            let ends = [fabric.source(channel).node, fabric.target(channel).node];
            ends.iter().all(|node| node.switch().is_some())
        });
        let most = between.map(|channel| loads[channel.index()]).max();
        most.unwrap_or(0) as f64 / f64::from(flows)
    };
    (0..draws).into_par_iter().map(most_over).collect()
}

/// What flows are led over.
struct Over<'a> {
    fabric: &'a Fabric,
    tables: &'a GroupTables,
    /// Links of the longest way that does not go round.
    longest: usize,
}

impl Over<'_> {
    /// Counts a flow at the channels it takes.
    fn follow(
        &self,
        service_level: u8,
        [source, destination]: [HostId; 2],
        loads: &mut [u64],
        mut hash: impl FnMut() -> u64,
    ) {
        let Self { fabric, tables, .. } = *self;
        let address = tables.addresses(destination).start;
        let pair_level = tables.pair_level(source, address);
        let service_level = pair_level.unwrap_or(service_level);
        let Some(mut lane) = tables.host_lane(service_level) else {
            return;
        };
        let (mut switch, mut port) = (fabric.host_switch(source), fabric.host_port(source));
        for _ in 0..self.longest {
            let entry = Entry { switch, port, lane };
            let choice = tables.choice(
                entry.switch,
                (entry.port, entry.lane),
                address,
                service_level,
            );
            let output = match choice.group {
                Some(group) => group.by_hash(hash()),
                None => choice.ports.first().copied(),
            };
            let Some(channel) = output.and_then(|output| fabric.outgoing_at(switch, output)) else {
                return;
            };
            loads[channel.index()] += 1;
            let output = fabric.source(channel).port;
            let next = tables.next_lane(switch, [port, output], service_level, lane);
            let (Node::Switch(next_switch), Some(next_lane)) = (fabric.target(channel).node, next)
            else {
                return;
            };
            (switch, port, lane) = (next_switch, fabric.target(channel).port, next_lane);
        }
    }
}
