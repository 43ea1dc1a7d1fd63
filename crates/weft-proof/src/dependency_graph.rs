//! The channel dependency graph: an arc wherever a packet may hold one channel and want the next.

use crate::wiring::Wiring;
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};

/// Source and destination of a route, as a witness that a dependency exists.
pub(crate) type Witness = (HostId, HostId);

/// The channels as vertices and, for each dependency, the first route that creates it.
///
/// A packet that holds a channel into a switch can only want a channel out of that switch, so every
/// dependency has its own place: one per channel and port of the switch the channel leads to.
#[derive(Clone, Debug)]
pub(crate) struct DependencyGraph<'a> {
    wiring: &'a Wiring,
    /// Per channel: the switch it leads to, unless it leads to a host.
    heads: Vec<Option<SwitchId>>,
    /// Per channel: where its dependencies begin.
    offsets: Vec<usize>,
    /// Per channel and port of the switch it leads to.
    witnesses: Vec<Option<Witness>>,
}

impl<'a> DependencyGraph<'a> {
    /// This is the graph of a fabric before any route.
    pub(crate) fn new(fabric: &Fabric, wiring: &'a Wiring) -> Self {
        let mut graph = Self {
            wiring,
            heads: Vec::with_capacity(fabric.channel_count()),
            offsets: vec![0],
            witnesses: Vec::new(),
        };
        let mut end = 0;
        for channel in fabric.channel_ids() {
            let head = match fabric.target(channel).node {
                Node::Switch(switch) => Some(switch),
                Node::Host(_) => None,
            };
            end += head.map_or(0, |switch| wiring.exits(switch).len());
            graph.heads.push(head);
            graph.offsets.push(end);
        }
        graph.witnesses = vec![None; end];
        graph
    }

    /// This adds a dependency unless it is there already: from a channel to the one that leaves
    /// the switch it leads to by `port`.
    #[inline]
    pub(crate) fn add(&mut self, held: ChannelId, port: PortNumber, witness: Witness) {
        self.witnesses[self.offsets[held.index()] + port.index()].get_or_insert(witness);
    }

    /// This counts the channels.
    pub(crate) fn channel_count(&self) -> usize {
        self.heads.len()
    }

    /// These are the channels that packets holding `held` may want, by ascending port, with a
    /// route for each.
    pub(crate) fn wanted(
        &self,
        held: ChannelId,
    ) -> impl Iterator<Item = (ChannelId, Witness)> + '_ {
        let exits = self.heads[held.index()].map_or(&[][..], |switch| self.wiring.exits(switch));
        let start = self.offsets[held.index()];
        let witnesses = &self.witnesses[start..start + exits.len()];
        exits
            .iter()
            .zip(witnesses)
            .filter_map(|(exit, witness)| witness.map(|route| (exit.channel, route)))
    }

    /// This counts the dependencies.
    pub(crate) fn dependency_count(&self) -> u64 {
        self.witnesses.iter().flatten().count() as u64
    }
}
