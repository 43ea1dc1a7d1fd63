//! Which ranks are on which hosts, and which hosts are one node.

use super::ProgramError;
use weft_fabric::{HostId, narrow};

/// Ranks on hosts, hosts in nodes.
///
/// Hosts with ranks have numbers of their own, in the order of their first ranks: where each rank has a host
/// of its own, that of its rank.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    /// Per rank.
    hosts: Vec<HostId>,
    /// Per rank: the number of its host among those with ranks.
    places: Vec<u32>,
    /// Per host with ranks: its ranks, in ascending order.
    ranks: Vec<Vec<u32>>,
    /// Per host: its number among those with ranks.
    numbers: Vec<Option<u32>>,
    /// Per host: its node; each is one of its own if none.
    nodes: Option<Vec<u32>>,
}

impl Placement {
    pub(super) fn new(
        rank_count: usize,
        hosts: &[HostId],
        host_count: usize,
    ) -> Result<Self, ProgramError> {
        if hosts.len() != rank_count {
            return Err(ProgramError::PlaceCount {
                found: hosts.len(),
                ranks: rank_count,
            });
        }
        let mut placement = Self {
            hosts: hosts.to_vec(),
            places: Vec::with_capacity(rank_count),
            ranks: Vec::new(),
            numbers: vec![None; host_count],
            nodes: None,
        };
        for (rank, host) in (0..).zip(hosts) {
            let Some(number) = placement.numbers.get_mut(host.index()) else {
                return Err(ProgramError::UnknownHost {
                    rank,
                    host: host.number(),
                    last: HostId::from_index(host_count.saturating_sub(1)).number(),
                });
            };
            let next = narrow(placement.ranks.len(), "ranks are numbers of 32 bits");
            let place = *number.get_or_insert(next);
            placement.places.push(place);
            match placement.ranks.get_mut(place as usize) {
                Some(ranks) => ranks.push(rank),
                None => placement.ranks.push(vec![rank]),
            }
        }
        Ok(placement)
    }

    /// Puts hosts into nodes: the number of each one's.
    pub(super) fn in_nodes(&mut self, nodes: &[u32]) -> Result<(), ProgramError> {
        let hosts = self.numbers.len();
        if nodes.len() != hosts {
            return Err(ProgramError::NodeCount {
                found: nodes.len(),
                hosts,
            });
        }
        self.nodes = Some(nodes.to_vec());
        Ok(())
    }

    pub(super) fn rank_count(&self) -> usize {
        self.hosts.len()
    }

    /// The number of hosts with ranks.
    pub(super) fn place_count(&self) -> usize {
        self.ranks.len()
    }

    pub(super) fn host(&self, rank: u32) -> HostId {
        self.hosts[rank as usize]
    }

    /// The number of a rank's host among those with ranks.
    pub(super) fn place(&self, rank: u32) -> usize {
        self.places[rank as usize] as usize
    }

    /// The number of a host among those with ranks, if it has any.
    pub(super) fn place_on(&self, host: HostId) -> Option<usize> {
        self.numbers[host.index()].map(|place| place as usize)
    }

    /// The ranks of a host with ranks, in ascending order.
    pub(super) fn ranks(&self, place: usize) -> &[u32] {
        &self.ranks[place]
    }

    /// Whether two ranks are in one node.
    pub(super) fn are_neighbours(&self, one: u32, other: u32) -> bool {
        let (one, other) = (self.host(one), self.host(other));
        let are_in_one = |nodes: &Vec<u32>| nodes[one.index()] == nodes[other.index()];
        one == other || self.nodes.as_ref().is_some_and(are_in_one)
    }
}
