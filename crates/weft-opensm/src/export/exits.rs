//! Where packets leave switches to others.

use weft_fabric::{ChannelId, Fabric, PortNumber, SwitchId};

/// The channels between switches, by the ports that they leave by.
pub(super) struct Exits {
    /// Ports of a switch that there is room for.
    width: usize,
    /// Per switch and port: the channel, and the switch that it leads to.
    channels: Vec<Option<(ChannelId, SwitchId)>>,
}

impl Exits {
    pub(super) fn of(fabric: &Fabric) -> Self {
        let hops = |switch| fabric.hops(switch).iter();
        let ports = fabric.switch_ids().flat_map(hops);
        let width = ports.map(|hop| hop.port.index() + 1).max().unwrap_or(0);
        let mut channels = vec![None; fabric.switch_count() * width];
        for switch in fabric.switch_ids() {
            for hop in hops(switch) {
                let place = switch.index() * width + hop.port.index();
                channels[place] = Some((hop.channel, hop.switch));
            }
        }
        Self { width, channels }
    }

    /// The channel that leaves a switch by a port, and the switch that it leads to.
    #[inline]
    pub(super) fn at(&self, switch: SwitchId, port: PortNumber) -> Option<(ChannelId, SwitchId)> {
        if port.index() >= self.width {
            return None;
        }
        self.channels[switch.index() * self.width + port.index()]
    }
}
