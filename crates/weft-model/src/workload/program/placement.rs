//! Which ranks are on which hosts, which hosts are one node, and by which a rank sends.

use super::ProgramError;
use std::collections::BTreeMap;
use weft_fabric::{HostId, narrow};

/// Ranks on hosts, hosts in nodes.
///
/// Hosts with ranks, and those that are only adapters of some, have numbers of their own, in the order of their first
/// ranks: where each rank has a host of its own, that of its rank.
#[derive(Clone, Debug)]
pub(super) struct Placement {
    /// Per rank.
    hosts: Vec<HostId>,
    /// Per rank: the number of its host among those with ranks.
    places: Vec<u32>,
    /// Per numbered host: its ranks, in ascending order.
    ranks: Vec<Vec<u32>>,
    /// Per numbered host: which it is.
    numbered: Vec<HostId>,
    /// Per rank: the hosts it sends and receives by, first its own; each has its own alone if empty.
    adapters: Vec<Vec<HostId>>,
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
            numbered: Vec::new(),
            adapters: Vec::new(),
            numbers: vec![None; host_count],
            nodes: None,
        };
        for (rank, host) in (0..).zip(hosts) {
            let place = placement.number(rank, *host)?;
            placement.places.push(place);
            placement.ranks[place as usize].push(rank);
        }
        Ok(placement)
    }

    /// The number of a host of a rank, which it gets if it has none.
    fn number(&mut self, rank: u32, host: HostId) -> Result<u32, ProgramError> {
        let last = self.numbers.len().saturating_sub(1);
        let Some(number) = self.numbers.get_mut(host.index()) else {
            return Err(ProgramError::UnknownHost {
                rank,
                host: host.number(),
                last: HostId::from_index(last).number(),
            });
        };
        if let Some(number) = *number {
            return Ok(number);
        }
        let next = narrow(self.ranks.len(), "hosts are numbers of 32 bits");
        *number = Some(next);
        self.ranks.push(Vec::new());
        self.numbered.push(host);
        Ok(next)
    }

    /// Lets ranks send by several hosts: those of each, of which the first is its own.
    /// Those that `is_apart` tells have their own alone, which may be another's as well.
    pub(super) fn by_adapters(
        &mut self,
        adapters: &[Vec<HostId>],
        is_apart: impl Fn(u32) -> bool,
    ) -> Result<(), ProgramError> {
        let ranks = self.rank_count();
        if adapters.len() != ranks {
            return Err(ProgramError::AdapterCount {
                found: adapters.len(),
                ranks,
            });
        }
        let mut owners: BTreeMap<HostId, u32> = BTreeMap::new();
        let of_ranks = (0..).zip(adapters);
        for (rank, hosts) in of_ranks.filter(|&(rank, _)| !is_apart(rank)) {
            if hosts.first() != Some(&self.host(rank)) {
                return Err(ProgramError::OtherFirstAdapter { rank });
            }
            for (place, &host) in hosts.iter().enumerate() {
                self.number(rank, host)?;
                let owner = *owners.entry(host).or_insert(rank);
                let is_shared = owner != rank && adapters[owner as usize] != *hosts;
                if is_shared || hosts[..place].contains(&host) {
                    return Err(ProgramError::SharedAdapter {
                        rank,
                        owner,
                        host: host.number(),
                    });
                }
            }
        }
        self.adapters = adapters.to_vec();
        Ok(())
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

    /// The number of numbered hosts.
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

    /// The hosts that a rank sends and receives by, first its own.
    pub(super) fn adapters(&self, rank: u32) -> &[HostId] {
        let of_rank = self.adapters.get(rank as usize);
        of_rank.map_or(
            std::slice::from_ref(&self.hosts[rank as usize]),
            Vec::as_slice,
        )
    }

    /// The host by which a rank sends and receives what has this number.
    pub(super) fn adapter(&self, rank: u32, nic: u8) -> HostId {
        let adapters = self.adapters(rank);
        // Invariant: each rank has one at least.
        adapters[usize::from(nic) % adapters.len()]
    }

    /// The number of that host.
    pub(super) fn adapter_place(&self, rank: u32, nic: u8) -> usize {
        if self.adapters.is_empty() {
            return self.place(rank);
        }
        let host = self.adapter(rank, nic);
        // Invariant: adapters have numbers.
        self.place_on(host)
            .unwrap_or_else(|| unreachable!("{host:?} is an adapter"))
    }

    /// The host of a number.
    pub(super) fn host_of(&self, place: usize) -> HostId {
        self.numbered[place]
    }

    /// The number of a host, if it has ranks or is an adapter of some.
    pub(super) fn place_on(&self, host: HostId) -> Option<usize> {
        self.numbers[host.index()].map(|place| place as usize)
    }

    /// The ranks of a numbered host, in ascending order.
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
