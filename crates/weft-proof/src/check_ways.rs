//! Where the ports of switches lead and how a certificate ranks what is there, laid out for the check.

use crate::certificate::Certificate;
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};
use weft_routing::Lane;

/// A rank that a certificate gives; nothing where it gives none.
pub(crate) type Rank = Option<u32>;

/// Per switch and port: what is there.
pub(crate) struct Ways<'a> {
    fabric: &'a Fabric,
    certificate: &'a Certificate,
    /// Per switch: where its ports begin.
    first: Vec<usize>,
    all: Vec<Option<Way>>,
    /// Per switch and lane: the highest rank of the channels from its hosts, the lowest of those to them.
    hosts: Vec<[Rank; 2]>,
    lanes: usize,
}

/// A channel that leaves a switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) channel: ChannelId,
    pub(crate) to: Node,
}

impl<'a> Ways<'a> {
    pub(crate) fn new(fabric: &'a Fabric, certificate: &'a Certificate) -> Self {
        let (mut first, mut all) = (vec![0], Vec::new());
        let mut hosts = Vec::new();
        let all_lanes = (0..certificate.lane_count).map(Lane::new);
        for switch in fabric.switch_ids() {
            let start = all.len();
            // Port 0, which does not exist, included.
            let ports = usize::from(fabric.switch(switch).port_count) + 1;
            all.resize(start + ports, None);
            for &channel in fabric.outgoing(switch) {
                let to = fabric.target(channel).node;
                all[start + fabric.source(channel).port.index()] = Some(Way { channel, to });
            }
            first.push(all.len());
            for lane in all_lanes.clone() {
                let of = fabric.hosts_of(switch).iter();
                let rank = |channel| certificate.rank(channel, lane);
                let injection = of.clone().map(|&host| rank(fabric.injection_channel(host)));
                let ejection = of.map(|&host| rank(fabric.ejection_channel(host)));
                hosts.push([injection.max().flatten(), ejection.min().flatten()]);
            }
        }
        Self {
            fabric,
            certificate,
            first,
            all,
            hosts,
            lanes: certificate.lane_count.into(),
        }
    }

    /// What is behind a port of a switch.
    #[inline]
    pub(crate) fn behind(&self, at: SwitchId, port: PortNumber) -> Option<Way> {
        let place = self.first[at.index()] + port.index();
        *self.all[..self.first[at.index() + 1]].get(place)?
    }

    #[inline]
    pub(crate) fn rank(&self, channel: ChannelId, lane: Lane) -> Rank {
        self.certificate.rank(channel, lane)
    }

    /// The highest rank of the channels from some hosts: one, or all of a switch.
    #[inline]
    pub(crate) fn injection(&self, hosts: &[HostId], lane: Lane) -> Rank {
        match hosts {
            [host] => self.rank(self.fabric.injection_channel(*host), lane),
            _ => self.of_all(hosts, lane)[0],
        }
    }

    /// The lowest rank of the channels to some hosts: one, or all of a switch.
    #[inline]
    pub(crate) fn ejection(&self, hosts: &[HostId], lane: Lane) -> Rank {
        match hosts {
            [host] => self.rank(self.fabric.ejection_channel(*host), lane),
            _ => self.of_all(hosts, lane)[1],
        }
    }

    #[inline]
    fn of_all(&self, hosts: &[HostId], lane: Lane) -> [Rank; 2] {
        let switch = self.fabric.host_switch(hosts[0]);
        self.hosts[switch.index() * self.lanes + lane.index()]
    }

    /// Tells whether hosts of a switch may send to each other.
    pub(crate) fn join(&self, [sources, destinations]: [&[HostId]; 2], lane: Lane) -> bool {
        let rank = |channel| self.rank(channel, lane);
        sources.iter().all(|from| {
            let injection = rank(self.fabric.injection_channel(*from));
            let mut others = destinations.iter().filter(|&to| to != from);
            others.all(|to| injection < rank(self.fabric.ejection_channel(*to)))
        })
    }
}
