//! One of two fabrics, with its tables, by the numbers of both.

use crate::form::ForwardingTables;
use weft_fabric::{ChannelId, Fabric, PortNumber, SwitchId};

/// No entry.
pub(super) const NOWHERE: u32 = u32::MAX;
/// An entry that leads to the destination itself.
pub(super) const HERE: u32 = u32::MAX - 1;

/// A fabric as part of both.
pub(super) struct Side<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) tables: &'a ForwardingTables,
    /// Per switch: its number among those of both.
    pub(super) switches: Vec<u32>,
    /// Per switch and port, 256 to a switch: the edge.
    edges: Vec<u32>,
}

const PORTS: usize = 256;

impl<'a> Side<'a> {
    pub(super) fn new(
        fabric: &'a Fabric,
        tables: &'a ForwardingTables,
        switches: Vec<u32>,
    ) -> Self {
        Self {
            fabric,
            tables,
            switches,
            edges: vec![NOWHERE; fabric.switch_count() * PORTS],
        }
    }

    /// The edge that an entry leads over.
    pub(super) fn edge(&self, at: SwitchId, port: Option<PortNumber>) -> u32 {
        port.map_or(NOWHERE, |port| {
            self.edges[at.index() * PORTS + port.index()]
        })
    }

    /// The ends of its channels between switches, by the numbers of both fabrics.
    pub(super) fn ends(&self) -> impl Iterator<Item = (ChannelId, [(u32, PortNumber); 2])> + '_ {
        self.fabric.switch_channels().map(|channel| {
            let [from, to] = self.fabric.switches_of(channel);
            let numbers = [from, to].map(|switch| self.switches[switch.index()]);
            let ports = [self.fabric.source(channel), self.fabric.target(channel)];
            let ends = [0, 1].map(|end| (numbers[end], ports[end].port));
            (channel, ends)
        })
    }

    pub(super) fn set_edge(&mut self, channel: ChannelId, edge: u32) {
        let from = self.fabric.source(channel);
        let [at, _] = self.fabric.switches_of(channel);
        self.edges[at.index() * PORTS + from.port.index()] = edge;
    }
}
