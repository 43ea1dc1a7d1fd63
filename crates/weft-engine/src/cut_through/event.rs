//! What happens in the engine, each in a cycle.

use crate::event::events;
use crate::ids::{InletId, OutletId};
use weft_fabric::{ChannelId, HostId};

events! {
    /// Something that happens.
    enum Event {
        /// Something may have changed at the source of a channel: grants, then the link.
        Look(ChannelId),
        /// A head is in front of an input buffer: its packet asks for an output.
        Request(InletId),
        /// The last flit of a packet may have crossed from an input buffer.
        Crossed(InletId),
        /// An input buffer may have to emit a control symbol.
        Symbol(InletId),
        /// A stop reaches the source of a lane.
        Stop(OutletId),
        /// A go reaches the source of a lane.
        Go(OutletId),
        /// A host of a program may have something to do.
        Act(HostId),
        /// The last flit of a packet arrives at a host, where something changed since it was sent.
        Arrive(ChannelId),
    }
}
