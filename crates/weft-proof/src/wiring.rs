//! Where the ports of the switches lead, laid out for walking millions of routes.

use weft_fabric::{ChannelId, Fabric, Node, PortNumber, SwitchId};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit {
    /// The channel that leaves here; meaningless where there is none.
    pub(crate) channel: ChannelId,
    /// What is behind the port, if anything.
    pub(crate) behind: Option<Node>,
}

/// A port without a cable, or none.
const NOTHING: Exit = Exit {
    channel: ChannelId::new(u32::MAX),
    behind: None,
};

/// All ports of all switches, in one array.
#[derive(Clone, Debug)]
pub(crate) struct Wiring {
    /// Per switch: where its ports begin; port 0, which does not exist, included.
    offsets: Vec<usize>,
    exits: Vec<Exit>,
}

impl Wiring {
    pub(crate) fn new(fabric: &Fabric) -> Self {
        let mut wiring = Self {
            offsets: vec![0],
            exits: Vec::new(),
        };
        for switch in fabric.switch_ids() {
            let start = wiring.exits.len();
            let ports = usize::from(fabric.switch(switch).port_count) + 1;
            wiring.exits.resize(start + ports, NOTHING);
            for &channel in fabric.outgoing(switch) {
                wiring.exits[start + fabric.source(channel).port.index()] = Exit {
                    channel,
                    behind: Some(fabric.target(channel).node),
                };
            }
            wiring.offsets.push(start + ports);
        }
        wiring
    }

    /// The ports of a switch by number, starting with port 0, which does not exist.
    pub(crate) fn exits(&self, switch: SwitchId) -> &[Exit] {
        &self.exits[self.offsets[switch.index()]..self.offsets[switch.index() + 1]]
    }

    /// A port of a switch; one without anything behind it where there is no such port.
    pub(crate) fn exit(&self, switch: SwitchId, port: PortNumber) -> Exit {
        let exit = self.exits(switch).get(port.index());
        exit.copied().unwrap_or(NOTHING)
    }

    pub(crate) fn place(&self, switch: SwitchId, port: PortNumber) -> usize {
        self.offsets[switch.index()] + port.index()
    }

    /// Counts all ports, for arrays indexed by [`Wiring::place`].
    pub(crate) fn place_count(&self) -> usize {
        self.exits.len()
    }
}
