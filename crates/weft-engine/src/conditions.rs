//! What a run must know of the network it measures.

use std::sync::Arc;
use weft_fabric::{Fabric, HostId};
use weft_model::workload::Traffic;

/// What a run must know of the network it measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// Switches of the fabric.
    pub switch_count: usize,
    /// Hosts of the fabric.
    pub host_count: usize,
    /// Hosts that send. Loads are theirs: a host that sends nothing counts neither in what is
    /// offered nor in what is accepted.
    pub sending_host_count: usize,
    /// What the link of one of them carries on average, in bytes per cycle: a flit, less where links
    /// are slower.
    pub link_bytes_per_cycle: f64,
    /// What one of them offers on average at a load of 1, in bytes per cycle: what its link carries, less where hosts
    /// send amounts of their own.
    pub full_load_bytes_per_cycle: f64,
    /// What each host offers at a load of 1, in bytes per cycle, where they differ: what is accepted of a host is a share of
    /// its own.
    pub host_full_load_bytes_per_cycle: Option<Arc<[f64]>>,
    /// Bytes of a flit.
    pub flit_bytes: u32,
    /// Channels of the fabric.
    pub channel_count: usize,
    /// Payload each sending host offers, as a fraction of its link's rate, or of what it offers at a load of 1.
    pub offered_load: f64,
    /// Mean payload of a packet in bytes.
    pub mean_payload_bytes: f64,
    /// Length of a cycle in ns.
    pub cycle_ns: f64,
}

impl Conditions {
    /// The conditions of random traffic on a fabric, with flits of so many bytes.
    pub fn of(fabric: &Fabric, traffic: &Traffic, cycle_ns: f64, flit_bytes: u32) -> Self {
        let parameters = traffic.parameters();
        let flit = f64::from(flit_bytes);
        Self {
            switch_count: fabric.switch_count(),
            host_count: fabric.host_count(),
            sending_host_count: traffic.destinations().sending_hosts(),
            channel_count: fabric.channel_count(),
            link_bytes_per_cycle: flit * traffic.mean_link_flits_per_cycle(),
            full_load_bytes_per_cycle: flit * traffic.mean_offered_flits_per_cycle(),
            host_full_load_bytes_per_cycle: traffic
                .offered_flits_per_cycle()
                .map(|flits| flits.map(|flits| flit * flits).collect()),
            flit_bytes,
            offered_load: parameters.load_bytes_per_cycle / flit,
            mean_payload_bytes: parameters.mean_payload_bytes(),
            cycle_ns,
        }
    }

    /// The number of packets all hosts together offer, or can send if that is less, per
    /// cycle.
    pub(crate) fn packets_per_cycle(&self) -> f64 {
        self.full_load_bytes_per_cycle_of_all() * self.offered_load.min(1.0)
            / self.mean_payload_bytes
    }

    /// The cycles in which the link of a sending host carries the payload of a packet, on average.
    pub(crate) fn mean_packet_cycles(&self) -> f64 {
        self.mean_payload_bytes / self.link_bytes_per_cycle
    }

    /// What a host offers at a load of 1, in bytes per cycle.
    pub(crate) fn full_load_bytes_per_cycle_of(&self, host: HostId) -> f64 {
        let own = self.host_full_load_bytes_per_cycle.as_ref();
        own.map_or(self.full_load_bytes_per_cycle, |own| own[host.index()])
    }

    /// What all sending hosts together offer at a load of 1, in bytes per cycle.
    pub fn full_load_bytes_per_cycle_of_all(&self) -> f64 {
        self.sending_host_count as f64 * self.full_load_bytes_per_cycle
    }

    /// Two hosts at a switch, for tests.
    #[cfg(test)]
    pub(crate) const SMALL: Self = Self {
        switch_count: 1,
        host_count: 2,
        sending_host_count: 2,
        link_bytes_per_cycle: 1.0,
        full_load_bytes_per_cycle: 1.0,
        host_full_load_bytes_per_cycle: None,
        flit_bytes: 1,
        channel_count: 4,
        offered_load: 0.5,
        mean_payload_bytes: 512.0,
        cycle_ns: 1.0,
    };
}
