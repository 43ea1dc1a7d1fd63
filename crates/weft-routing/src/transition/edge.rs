//! Channels between the switches of two fabrics.

use weft_fabric::{ChannelId, PortNumber};

/// A channel between switches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) port: PortNumber,
    /// The port of the switch that it leads to.
    pub(super) input: PortNumber,
    /// The channel of the fabric that is left; `None` for one that failed.
    pub(super) channel: Option<ChannelId>,
}
