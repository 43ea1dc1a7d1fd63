//! What a simulator offers to whoever measures it.

use std::iter::Sum;
use weft_fabric::{ChannelId, Fabric, HostId};
use weft_model::cut_through::LaneUse;
use weft_model::workload::Execution;
use weft_model::{ChannelUse, LossRecord, PacketRecord, PoolUse};
use weft_routing::Lane;

/// A listener told of every packet that reaches its destination or is lost on its way.
pub trait Probe {
    /// Takes note of a packet whose last flit has arrived. Within one call of
    /// [`Simulator::advance`] packets need not come in order of delivery.
    fn delivered(&mut self, record: &PacketRecord);

    /// Takes note of a packet that was lost and will be sent again; in any order, too.
    fn lost(&mut self, record: &LossRecord);
}

/// A packet that waits for ever in a deadlocked network, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingPacket {
    /// Channel the packet occupies, and its lane there.
    pub holds: ChannelId,
    /// Lane 0 of hardware that has no other.
    pub holds_lane: Lane,
    /// Channel the packet asks for, held by the next packet of the cycle.
    pub wants: ChannelId,
    /// Lane it asks for.
    pub wants_lane: Lane,
    /// Host that sent it.
    pub source: HostId,
    /// Host it goes to.
    pub destination: HostId,
    /// Its number among the packets of its source, from 0 in order of generation.
    pub sequence: u64,
}

/// Flits of a packet that cross a channel, one after the other without a pause. A packet that is stopped on its way
/// crosses in several such stretches; two that touch are one, told in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Motion {
    /// The channel, of a host too.
    pub channel: ChannelId,
    /// Its lane there.
    pub lane: Lane,
    /// Host that sent it.
    pub source: HostId,
    /// Host it goes to.
    pub destination: HostId,
    /// Its number among the packets of its source, from 0 in order of generation.
    pub sequence: u64,
    /// Cycle in which it was generated.
    pub generation_cycle: u64,
    /// Cycle in which the first of them begins to leave.
    pub start_cycle: u64,
    /// The cycle after that in which the last of them leaves.
    pub end_cycle: u64,
}

impl WaitingPacket {
    /// The channel it occupies and the one it asks for, with switches and ports by name, and with
    /// their lanes where the hardware has several.
    pub fn describe(&self, fabric: &Fabric, lane_count: usize) -> [String; 2] {
        let ends = [(self.holds, self.holds_lane), (self.wants, self.wants_lane)];
        ends.map(|(channel, lane)| match lane_count {
            0 | 1 => fabric.describe_channel(channel),
            _ => format!("{} on lane {lane}", fabric.describe_channel(channel)),
        })
    }
}

/// The work a simulator has done since it was made, and the packets it holds: what it knows without
/// asking its channels one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Events handled.
    pub events: u64,
    /// Channels taken by packets, or promised to them for a cycle to come, injection and ejection channels
    /// included.
    pub packet_hops: u64,
    /// Packets injected and not yet delivered.
    pub packets_alive: u64,
}

/// Of parts that count together: one that delivers what others injected counts what is alive below zero, from the
/// largest number.
impl Sum for Counters {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |sum, part| Self {
            events: sum.events + part.events,
            packet_hops: sum.packet_hops + part.packet_hops,
            packets_alive: sum.packets_alive.wrapping_add(part.packets_alive),
        })
    }
}

/// A network simulated in integer cycles.
pub trait Simulator {
    /// The first cycle not yet simulated.
    fn now(&self) -> u64;

    /// Simulates all cycles before `until_cycle` and reports the packets delivered in them.
    fn advance(&mut self, until_cycle: u64, probe: &mut impl Probe);

    /// Tells whether packets may overtake one another on their way, which is noted of each packet then.
    fn tells_order(&self) -> bool {
        false
    }

    /// How many threads simulate at a time.
    fn thread_count(&self) -> usize {
        1
    }

    /// Starts the counts of [`channel_use`](Self::channel_use) and
    /// [`pool_use`](Self::pool_use) anew at [`now`](Self::now).
    fn reset_use(&mut self);

    /// Starts the counts of [`pool_use`](Self::pool_use) alone anew; simulators without in-transit
    /// pools have nothing to do.
    fn reset_pools(&mut self) {}

    /// Tells how a channel spent its time since the last [`reset_use`](Self::reset_use).
    fn channel_use(&self, channel: ChannelId) -> ChannelUse;

    /// Counts the lanes whose use is told one by one; 0 where channels have no lanes.
    fn lane_count(&self) -> u8 {
        0
    }

    /// Tells how a lane of a channel, and the buffer at its end, were used since the last
    /// [`reset_use`](Self::reset_use).
    fn lane_use(&self, _channel: ChannelId, _lane: Lane) -> LaneUse {
        LaneUse::default()
    }

    /// Tells how a host's in-transit pool was used since the last
    /// [`reset_use`](Self::reset_use).
    fn pool_use(&self, host: HostId) -> PoolUse;

    /// How far a program is; `None` of other workloads.
    fn execution(&self) -> Option<&Execution> {
        None
    }

    /// Finds packets that wait for one another in a cycle: `Some` means that they are
    /// deadlocked for certain, each packet wanting the channel the next one holds.
    fn waiting_cycle(&self) -> Option<Vec<WaitingPacket>>;

    /// Whether nothing will happen any more but what hosts of a program do of themselves: nothing is on its way,
    /// and nobody sends again.
    fn is_at_rest(&self) -> bool;

    /// Begins to take note of packets that cross channels, for [`motions`](Self::motions); false where that is
    /// not told: on several threads.
    fn follow_packets(&mut self) -> bool {
        false
    }

    /// Hands over what was noted since the last call, channel by channel in the order of time: all flits that
    /// began to leave before [`now`](Self::now), and some that are certain to.
    fn motions(&mut self) -> Vec<Motion> {
        Vec::new()
    }

    /// Counts the work done since the simulator was made.
    fn counters(&self) -> Counters;

    /// Counts the channels that are promised to packets for a cycle not yet simulated, one by one.
    fn hops_to_come(&self) -> u64 {
        0
    }

    /// The counters without what is to come.
    fn work_done(&self) -> Counters {
        let counters = self.counters();
        Counters {
            packet_hops: counters.packet_hops - self.hops_to_come(),
            ..counters
        }
    }

    /// Counts the flits sent over channels since the simulator was made, channel by channel.
    fn flit_hops(&self) -> u64;
}
