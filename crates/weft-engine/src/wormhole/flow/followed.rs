//! Packets followed over channels, for whoever wants to see them move.
//!
//! It is seldom noted at once that a tail has left. The packet may be at its destination then, and another have
//! its number: what is told of a packet is kept from when it is given an output.

use super::{Flow, Run, Stride, Timing};
use crate::cycle::Cycle;
use crate::following::Following;
use crate::ids::Table;
use crate::probe::Motion;
use weft_fabric::ChannelId;

/// What is followed.
#[derive(Debug)]
pub(super) struct Followed {
    /// The packet that each channel was given last.
    last: Table<ChannelId, Option<Motion>>,
    seen: Following<ChannelId>,
}

impl<T: Timing> Flow<T> {
    /// Follows packets from now on.
    pub(crate) fn follow_packets(&mut self) {
        self.following = Some(Box::new(Followed {
            last: Table::of(None, self.channel_count),
            seen: Following::of(self.channel_count),
        }));
    }

    /// Whether packets are followed.
    #[inline]
    pub(crate) fn is_followed(&self) -> bool {
        self.following.is_some()
    }

    /// A packet is given an output; when its flits leave is not known.
    #[cold]
    pub(crate) fn follow(&mut self, packet: Motion) {
        let channel = packet.channel;
        if let Some(followed) = &mut self.following
            && channel.index() < self.channel_count
        {
            followed.last[channel] = Some(packet);
        }
    }

    /// A run has been sent.
    #[cold]
    pub(super) fn note_motion(&mut self, channel: ChannelId, sent: Run<T::Stride>) {
        if channel.index() < self.channel_count
            && let Some(followed) = &mut self.following
            && let Some(packet) = followed.last[channel]
        {
            let motion = Motion {
                start_cycle: sent.start.number(),
                end_cycle: (sent.end + sent.stride.cycles()).number(),
                ..packet
            };
            followed.seen.note(channel, motion);
        }
    }

    /// What was seen since the last call, and what of runs that have not ended was sent before now.
    pub(crate) fn motions(&mut self, now: Cycle) -> Vec<Motion> {
        if let Some(last) = now.before() {
            for channel in (0..self.channel_count).map(ChannelId::from_index) {
                let output = &self.channels[channel].output;
                if output.packet.is_some() && output.run.start <= last {
                    self.note_motion(channel, output.run.through(last));
                }
            }
        }
        let followed = self.following.as_mut();
        followed
            .map(|followed| followed.seen.take())
            .unwrap_or_default()
    }
}
