//! An order of the channels, where there is one.

use crate::dependency_graph::{DependencyGraph, Vertex};
use weft_fabric::ChannelId;
use weft_routing::Lane;

/// An order of the channels, each of its lanes by itself, that every route ascends between its
/// in-transit stops.
///
/// Where there is one, packets cannot deadlock: among packets that wait, the one that holds the
/// highest channel wants a higher one, which nobody who waits holds. Where packets choose, it is ascended
/// by the way that is always open to them.
///
/// # Source
/// Dally, Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
/// Trans. Computers C-36(5), 1987, theorem 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Lanes of each channel.
    pub lane_count: u8,
    /// Per channel and lane, the lanes of channel 0 first: the rank; a packet that holds a channel
    /// wants only channels of higher rank.
    pub rank: Vec<u32>,
}

impl Certificate {
    /// The rank of a lane of a channel; `None` where the certificate has none.
    pub fn rank(&self, channel: ChannelId, lane: Lane) -> Option<u32> {
        let lanes = usize::from(self.lane_count);
        let place = channel.index() * lanes + lane.index();
        self.rank
            .get(place)
            .filter(|_| lane.index() < lanes)
            .copied()
    }

    /// Ranks every lane of every channel by the longest chain of dependencies that leads to it;
    /// `None` where some chain never ends.
    pub(crate) fn of(graph: &DependencyGraph<'_>, lane_count: u8) -> Option<Self> {
        let mut waiting = vec![0_u32; graph.vertex_count()];
        for held in graph.vertices() {
            for wanted in graph.wanted(held) {
                waiting[wanted.index()] += 1;
            }
        }
        let mut rank = vec![0_u32; graph.vertex_count()];
        let mut ranked: Vec<Vertex> = graph
            .vertices()
            .filter(|vertex| waiting[vertex.index()] == 0)
            .collect();
        let mut place = 0;
        while let Some(&held) = ranked.get(place) {
            place += 1;
            for wanted in graph.wanted(held) {
                let least = rank[held.index()] + 1;
                rank[wanted.index()] = rank[wanted.index()].max(least);
                waiting[wanted.index()] -= 1;
                if waiting[wanted.index()] == 0 {
                    ranked.push(wanted);
                }
            }
        }
        (ranked.len() == graph.vertex_count()).then_some(Self { lane_count, rank })
    }
}
