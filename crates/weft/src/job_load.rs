//! What a job brings onto the channels, and how long that takes at least: what is known of it without simulating it.

use crate::{Error, Network};
use std::collections::BTreeMap;
use weft_fabric::{ChannelId, HostId};
use weft_model::workload::program::Tasks;
use weft_routing::load_of_pair;

/// What the messages of a job bring onto the channels. Messages inside nodes use none.
#[derive(Clone, Debug, PartialEq)]
pub struct JobLoad {
    /// Per channel: bytes of messages.
    pub channel_bytes: Vec<f64>,
    /// Per channel: the time that these take, in ns.
    pub channel_ns: Vec<f64>,
    /// The time that they take if ranks send in step: the first messages of all, then the second, and so on, each step
    /// as long as its busiest channel is, and the longest way, takes. In ns.
    pub steps_ns: f64,
}

impl Network<'_> {
    /// Adds up what the messages of a job's ranks on `hosts` bring onto the channels, with the number of the node of
    /// each host if hosts are not nodes by themselves.
    ///
    /// # Errors
    /// [`Error::Routing`] where packets choose on their way.
    ///
    /// # Panics
    /// When there are fewer hosts than ranks, or hosts or nodes that are not of this fabric, a bug of the caller.
    pub fn job_load(
        &self,
        tasks: &Tasks,
        hosts: &[HostId],
        nodes: Option<&[u32]>,
    ) -> Result<JobLoad, Error> {
        let fabric = self.fabric();
        let routing = self.routed.routing().fixed("the load of a job")?;
        let timings = self.machine.channels();
        let cycle_ns = self.machine.cycle_ns();
        let flit_bytes = f64::from(self.machine.flit_bytes());
        let byte_ns = |channel: ChannelId| {
            f64::from(timings.of(channel).cycles_per_flit) * cycle_ns / flit_bytes
        };
        let flight_ns = |channel: ChannelId| timings.of(channel).latency_cycles() as f64 * cycle_ns;
        let node = |host: HostId| nodes.map_or(host.number(), |nodes| nodes[host.index()]);

        let mut steps: Vec<BTreeMap<[HostId; 2], f64>> = Vec::new();
        let (mut sender, mut step) = (None, 0);
        for (from, to, bytes) in tasks.messages() {
            step = if sender == Some(from) { step + 1 } else { 0 };
            sender = Some(from);
            let ends = [hosts[from as usize], hosts[to as usize]];
            if steps.len() == step {
                steps.push(BTreeMap::new());
            }
            if node(ends[0]) != node(ends[1]) {
                *steps[step].entry(ends).or_default() += bytes as f64;
            }
        }

        let count = fabric.channel_count();
        let mut channel_bytes = vec![0.0; count];
        let mut steps_ns = 0.0;
        let mut own = vec![0.0; count];
        let mut used: Vec<ChannelId> = Vec::new();
        for step in steps {
            let mut longest_ns = 0.0_f64;
            for (ends, bytes) in step {
                let mut way_ns = 0.0;
                load_of_pair(fabric, &routing.routes, ends, bytes, |channel, part| {
                    own[channel.index()] += part;
                    used.push(channel);
                    way_ns += flight_ns(channel);
                });
                longest_ns = longest_ns.max(way_ns);
            }
            let mut busiest_ns = 0.0_f64;
            for channel in used.drain(..) {
                // What was taken once is 0 from then on.
                let bytes = std::mem::take(&mut own[channel.index()]);
                channel_bytes[channel.index()] += bytes;
                busiest_ns = busiest_ns.max(bytes * byte_ns(channel));
            }
            steps_ns += busiest_ns + longest_ns;
        }
        let channels = fabric.channel_ids().zip(&channel_bytes);
        let channel_ns = channels.map(|(channel, bytes)| bytes * byte_ns(channel));
        Ok(JobLoad {
            channel_ns: channel_ns.collect(),
            channel_bytes,
            steps_ns,
        })
    }
}
