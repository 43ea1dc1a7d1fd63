//! How much there is to do at each switch, estimated from the first packets of each host.

use super::division::Division;
use weft_fabric::{ChannelId, Fabric, HostId, SwitchId};
use weft_model::workload::{Packet, Workload};

/// Packets that are followed, of all hosts together.
const FOLLOWED: usize = 1 << 17;

/// Hosts of which the first packets say how far to look.
const ASKED: usize = 64;

/// What one core takes for a hop of a packet, in ns.
const HOP_NS: f64 = 150.0;

/// What a window takes for each thread that comes to its end, in ns.
const MEETING_NS: f64 = 200.0;

/// How much less time threads must take than one, to be taken: their letters are not counted.
const WORTH_WHILE: f64 = 1.3;

/// What there is to do, as far as the first packets of each host tell.
pub(crate) struct FollowedWork {
    /// Hops, by switch.
    hops: Vec<u64>,
    /// Packets that cross each channel.
    crossing: Vec<u64>,
    /// Cycles in which they were generated.
    cycles: u64,
}

impl FollowedWork {
    /// Follows the first packets of each host: `follow` tells each switch a packet traverses, with the channel it
    /// takes to another, and the switches of the hosts it leaves.
    pub(crate) fn of(
        fabric: &Fabric,
        workload: &Workload,
        mut follow: impl FnMut(HostId, &Packet, &mut dyn FnMut(SwitchId, Option<ChannelId>)),
    ) -> Self {
        let host_count = fabric.host_count().max(1);
        let each = (FOLLOWED / host_count).clamp(2, 64);
        // Whoever sends more has more packets before some cycle: the one by which a typical host has sent so
        // many.
        let asked = fabric.host_ids().step_by(host_count.div_ceil(ASKED));
        let last = asked.filter_map(|host| packets(workload, host).nth(each - 1));
        let mut ends: Vec<u64> = last.map(|packet| packet.generation_cycle).collect();
        ends.sort_unstable();
        let end = ends.get(ends.len() / 2).copied().unwrap_or(u64::MAX - 1);
        let mut work = Self {
            hops: vec![0; fabric.switch_count()],
            crossing: vec![0; fabric.channel_count()],
            cycles: end + 1,
        };
        for host in fabric.host_ids() {
            let sent = packets(workload, host).take(4 * each);
            for packet in sent.take_while(|packet| packet.generation_cycle <= end) {
                follow(host, &packet, &mut |switch, channel| {
                    work.hops[switch.index()] += 1;
                    if let Some(channel) = channel {
                        work.crossing[channel.index()] += 1;
                    }
                });
            }
        }
        work
    }

    /// A division in which all parts have as much to do.
    pub(crate) fn division(&self, fabric: &Fabric, part_count: usize) -> Division {
        let crossing = |channel: ChannelId| self.crossing[channel.index()];
        Division::balanced(fabric, &self.hops, crossing, part_count)
    }

    /// The number of threads, at most so many, on which a window of `window` cycles takes the least time.
    ///
    /// Each takes its share of the hops, the busiest one some more, as chance spreads them (by the law of the
    /// largest of so many numbers), and the meeting of all at the end takes longer the more there are.
    pub(crate) fn paying_threads(&self, window: u64, most: usize) -> usize {
        let hops = self.hops.iter().sum::<u64>() as f64;
        let hops_a_window = hops / self.cycles as f64 * window as f64;
        let window_ns = |&threads: &usize| {
            let count = threads as f64;
            let share = hops_a_window / count;
            let busiest = share + (2.0 * count.ln() * share).sqrt();
            let meeting_ns = if threads > 1 { MEETING_NS * count } else { 0.0 };
            busiest * HOP_NS + meeting_ns
        };
        let fastest = (1..=most).min_by(|a, b| window_ns(a).total_cmp(&window_ns(b)));
        let is_worth_while = |threads: &usize| window_ns(&1) >= WORTH_WHILE * window_ns(threads);
        fastest.filter(is_worth_while).unwrap_or(1)
    }
}

/// The packets of a host's stream.
fn packets(workload: &Workload, host: HostId) -> impl Iterator<Item = Packet> + '_ {
    let mut stream = workload.stream(host);
    std::iter::from_fn(move || workload.next_packet(&mut stream))
}
