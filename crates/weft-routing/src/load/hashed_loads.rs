//! What channels carry where a hash sends each flow its way: draw after draw.

use super::group_use::Flows;
use crate::form::GroupTables;
use rayon::prelude::*;
use weft_fabric::{Fabric, HostId};

/// Flows over every channel, draw by draw, in flows over those of a pair: every ordered pair of the hosts given has so
/// many, and each takes an address of its destination, and at every switch that has a choice for it a port, by a draw of
/// its own, which stands for the hash of its header.
///
/// Shapes: one entry per draw, of one per channel. Flows that are led nowhere count as far as they are led.
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
    hosts: &[HostId],
    [flows, draws]: [u32; 2],
    seed: u64,
) -> Vec<Vec<f64>> {
    let of_draw = |draw: u32| {
        let key = [seed, u64::from(draw)];
        let of_pairs = Flows::new(fabric, tables, service_level, flows, key);
        let mut counts = vec![0_u64; fabric.channel_count()];
        for &source in hosts {
            for &destination in hosts.iter().filter(|&&host| host != source) {
                of_pairs.follow([source, destination], |channel| {
                    counts[channel.index()] += 1;
                });
            }
        }
        let loads = counts.into_iter().map(|count| count as f64);
        loads.map(|load| load / f64::from(flows)).collect()
    };
    (0..draws).into_par_iter().map(of_draw).collect()
}
