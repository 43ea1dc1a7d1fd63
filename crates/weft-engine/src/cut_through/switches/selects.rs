//! By what switches select among the outputs that packets may take.

use crate::cut_through::packet_state::Packet;
use weft_fabric::SwitchId;
use weft_model::cut_through::{Selection, random_selection};
use weft_routing::flow_hash;

/// By what switches select.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selects {
    by: Selection,
    seed: u64,
}

impl Selects {
    /// With the seed of what is drawn.
    pub(crate) fn new(by: Selection, seed: u64) -> Self {
        Self { by, seed }
    }

    /// The number by which a packet's output is selected at a switch, where one is.
    pub(crate) fn number(
        self,
        packet: &Packet,
        switch: SwitchId,
        switches_before: usize,
    ) -> Option<u64> {
        let source = packet.source;
        match self.by {
            Selection::Emptiest => None,
            Selection::Random => {
                let name = (source.number(), packet.sequence, packet.attempt);
                Some(random_selection(self.seed, name, switches_before as u64))
            }
            Selection::Hash => Some(flow_hash(switch, source, packet.header.destination)),
        }
    }
}
