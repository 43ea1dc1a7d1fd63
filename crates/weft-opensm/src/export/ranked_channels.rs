//! Ways that ascend an order of the channels.

use super::LaneOrder;
use weft_fabric::{ChannelId, Fabric, SwitchId};
use weft_routing::Lane;

/// The ranks of channels, and those between switches from the highest rank on.
pub(super) struct Ranked {
    pub(super) ranks: Vec<u32>,
    channels: Vec<ChannelId>,
}

impl Ranked {
    /// Those of the lane of a service level.
    pub(super) fn new(fabric: &Fabric, order: &LaneOrder<'_>, level: u8) -> Self {
        let rank = |channel| {
            let Some(rank) = order.rank(channel, Lane::new(level)) else {
                unreachable!("an order ranks the first lane of every channel");
            };
            rank
        };
        let ranks: Vec<u32> = fabric.channel_ids().map(rank).collect();
        let mut channels: Vec<ChannelId> = fabric.switch_channels().collect();
        channels.sort_by_key(|channel| (u32::MAX - ranks[channel.index()], channel.index()));
        Self { ranks, channels }
    }

    /// Leads every switch it can and may to a destination over channels of ascending rank. Those of highest
    /// rank are looked at first, so that a switch's next channel ranks as high as any could and no switch
    /// before it is barred that need not be.
    pub(super) fn ascending(
        &self,
        fabric: &Fabric,
        destination: SwitchId,
        is_free: impl Fn(SwitchId) -> bool,
        next: &mut [Option<ChannelId>],
    ) {
        if are_all_led(destination, next) {
            return;
        }
        for &channel in &self.channels {
            let [from, to] = fabric.switches_of(channel);
            let is_led = from == destination || next[from.index()].is_some();
            if from == to || is_led || !is_free(from) {
                continue;
            }
            let rank = |of: ChannelId| self.ranks[of.index()];
            let leads_on = to == destination
                || next[to.index()].is_some_and(|after| rank(channel) < rank(after));
            if leads_on {
                next[from.index()] = Some(channel);
            }
        }
    }
}

/// Tells whether all switches are led to a destination.
pub(super) fn are_all_led(destination: SwitchId, next: &[Option<ChannelId>]) -> bool {
    let mut others = next.iter().enumerate();
    others.all(|(at, next)| next.is_some() || at == destination.index())
}
