//! An order of the channels, where there is one.

use crate::dependency_graph::DependencyGraph;
use weft_fabric::ChannelId;

/// An order of the channels that every route ascends between its in-transit stops.
///
/// Where there is one, packets cannot deadlock: among packets that wait, the one that holds the
/// highest channel wants a higher one, which nobody who waits holds.
///
/// # Source
/// Dally, Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
/// Trans. Computers C-36(5), 1987, theorem 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Per channel: its rank; a packet that holds a channel wants only channels of higher rank.
    pub rank: Vec<u32>,
}

impl Certificate {
    /// This ranks every channel by the longest chain of dependencies that leads to it; `None` where
    /// some chain never ends.
    pub(crate) fn of(graph: &DependencyGraph<'_>) -> Option<Self> {
        let channels = (0..graph.channel_count()).map(ChannelId::from_index);
        let mut waiting = vec![0_u32; graph.channel_count()];
        for held in channels.clone() {
            for (wanted, _) in graph.wanted(held) {
                waiting[wanted.index()] += 1;
            }
        }
        let mut rank = vec![0_u32; graph.channel_count()];
        let mut ranked: Vec<ChannelId> = channels.filter(|c| waiting[c.index()] == 0).collect();
        let mut place = 0;
        while let Some(&held) = ranked.get(place) {
            place += 1;
            for (wanted, _) in graph.wanted(held) {
                let least = rank[held.index()] + 1;
                rank[wanted.index()] = rank[wanted.index()].max(least);
                waiting[wanted.index()] -= 1;
                if waiting[wanted.index()] == 0 {
                    ranked.push(wanted);
                }
            }
        }
        (ranked.len() == graph.channel_count()).then_some(Self { rank })
    }
}
