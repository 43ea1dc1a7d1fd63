//! What a job brings onto the channels, known without simulating it.

use crate::{Error, Network};
use std::collections::BTreeMap;
use weft_fabric::{ChannelId, HostId};
use weft_model::workload::program::Tasks;
use weft_routing::{GroupUse, group_demand_figures, load_of_pair};

/// What the messages of a job bring onto the channels. Messages inside nodes use none.
#[derive(Clone, Debug, PartialEq)]
pub struct JobLoad {
    /// Per channel: bytes of messages.
    pub channel_bytes: Vec<f64>,
    /// Per channel: the time that these take, in ns.
    pub channel_ns: Vec<f64>,
}

impl Network<'_> {
    /// Adds up what the messages of a job's ranks on `hosts`, so many adapters of each one after another, bring onto the
    /// channels, with the number of the node of each host if hosts are not nodes by themselves; evenly over the ports of the groups that switches choose among.
    ///
    /// # Errors
    /// [`Error::Routing`] where packets choose on their way otherwise.
    ///
    /// # Panics
    /// When there are fewer hosts than ranks have adapters, or hosts or nodes that are not of this fabric, a bug of the caller.
    pub fn job_load(
        &self,
        tasks: &Tasks,
        (hosts, adapters): (&[HostId], usize),
        nodes: Option<&[u32]>,
    ) -> Result<JobLoad, Error> {
        let fabric = self.fabric();
        let routing = self.routed.routing();
        let timings = self.machine.channels();
        let cycle_ns = self.machine.cycle_ns();
        let flit_bytes = f64::from(self.machine.flit_bytes());
        let byte_ns = |channel: ChannelId| {
            f64::from(timings.of(channel).cycles_per_flit) * cycle_ns / flit_bytes
        };
        let node = |host: HostId| nodes.map_or(host.number(), |nodes| nodes[host.index()]);

        let mut pairs: BTreeMap<[HostId; 2], f64> = BTreeMap::new();
        for (from, to, bytes, nic) in tasks.messages_by(adapters) {
            let first = [from, to].map(|rank| rank as usize * adapters);
            let are_apart = node(hosts[first[0]]) != node(hosts[first[1]]);
            let ends = first.map(|first| hosts[first + nic]);
            if are_apart {
                *pairs.entry(ends).or_default() += bytes as f64;
            }
        }
        let channel_bytes = if let Some(tables) = routing.groups() {
            let to = |from: HostId| {
                let (first, last) = (HostId::new(0), HostId::new(u32::MAX));
                let of_host = pairs.range([from, first]..=[from, last]);
                of_host.map(|(ends, &bytes)| (ends[1], bytes)).collect()
            };
            let level = tables.service_level();
            group_demand_figures(fabric, tables, level, GroupUse::Even, to).load_per_channel
        } else {
            let routes = &routing.fixed("the load of a job")?.routes;
            let mut channel_bytes = vec![0.0; fabric.channel_count()];
            for (ends, bytes) in pairs {
                load_of_pair(fabric, routes, ends, bytes, |channel, part| {
                    channel_bytes[channel.index()] += part;
                });
            }
            channel_bytes
        };
        let channels = fabric.channel_ids().zip(&channel_bytes);
        let channel_ns = channels.map(|(channel, bytes)| bytes * byte_ns(channel));
        Ok(JobLoad {
            channel_ns: channel_ns.collect(),
            channel_bytes,
        })
    }
}
