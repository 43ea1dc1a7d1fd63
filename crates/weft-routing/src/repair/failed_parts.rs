//! What fails together, and what of a fabric is left then.

use crate::paths::{NO_EDGE, PathSpace};
use weft_fabric::{Fabric, HostId, LinkId, Node, SwitchId};

/// Parts of a fabric that fail together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedParts {
    /// Links, of hosts too.
    pub links: Vec<LinkId>,
    /// Switches, with all their links and hosts.
    pub switches: Vec<SwitchId>,
    /// Hosts.
    pub hosts: Vec<HostId>,
}

/// What is left.
#[derive(Clone, Debug)]
pub(super) struct Left {
    /// Per switch: whether it stands.
    pub(super) switches: Vec<bool>,
    /// Per host: whether it stands, in the part with most hosts.
    pub(super) hosts: Vec<bool>,
    /// Per edge: whether it stands.
    edges: Vec<bool>,
    /// Edges that failed last, by number.
    pub(super) gone: Vec<u32>,
    /// Per switch: whether it stands in the part with most hosts, where the subnet manager is.
    pub(super) answers: Vec<bool>,
    /// Per switch: whether any of its hosts is left.
    pub(super) sends: Vec<bool>,
    /// Per switch: whether none of its hosts was left when parts failed last, so that its entries are those of a switch
    /// without hosts.
    pub(super) bare: Vec<bool>,
    /// Per switch: its compute ends that are left.
    pub(super) compute: Vec<u64>,
    /// Whether what switches send counts that [manage](super::plan::Plan::manages): they answer the subnet manager,
    /// wherever that is.
    pub(super) counts_management: bool,
}

impl Left {
    /// What is left of all, where nothing failed and nothing counts that switches send.
    pub(super) fn all(fabric: &Fabric, space: &PathSpace) -> Self {
        let mut left = Self {
            switches: vec![true; fabric.switch_count()],
            hosts: vec![true; fabric.host_count()],
            edges: vec![true; space.edge_count()],
            gone: Vec::new(),
            answers: vec![true; fabric.switch_count()],
            sends: Vec::new(),
            bare: Vec::new(),
            compute: Vec::new(),
            counts_management: false,
        };
        left.settle(fabric, space);
        left.note_bare();
        left
    }

    /// What is left after more parts failed. Hosts that are cut off once stay so.
    pub(super) fn without(&self, fabric: &Fabric, space: &PathSpace, failed: &FailedParts) -> Self {
        let mut left = Self {
            gone: Vec::new(),
            ..self.clone()
        };
        for switch in &failed.switches {
            left.switches[switch.index()] = false;
            for edge in space.edge_ids(switch.number()) {
                left.lose(space, edge);
            }
        }
        for &host in &failed.hosts {
            left.hosts[host.index()] = false;
        }
        for &link in &failed.links {
            let [one, other] = fabric.link(link).ends;
            match [one.node, other.node] {
                [Node::Host(host), _] | [_, Node::Host(host)] => left.hosts[host.index()] = false,
                [Node::Switch(switch), _] => {
                    // A cable back to its own switch is no edge.
                    if let Some(edge) = space.edge_by_port(switch.number(), one.port) {
                        left.lose(space, edge);
                    }
                }
            }
        }
        left.gone.sort_unstable();
        left.settle(fabric, space);
        left
    }

    /// Leaves out hosts that nothing joins to the part with most of them, and counts those of switches.
    fn settle(&mut self, fabric: &Fabric, space: &PathSpace) {
        self.keep_largest_part(fabric, space);
        self.sends.clear();
        self.compute.clear();
        for switch in fabric.switch_ids() {
            let hosts = fabric.hosts_of(switch);
            let stand = hosts.iter().filter(|host| self.hosts[host.index()]);
            self.sends.push(stand.clone().next().is_some());
            self.compute
                .push(stand.filter(|&&host| !fabric.is_service(host)).count() as u64);
        }
    }

    /// Takes switches for bare that have no hosts left, and tells whether more are that answer than before.
    pub(super) fn note_bare(&mut self) -> bool {
        let now: Vec<bool> = self.sends.iter().map(|sends| !sends).collect();
        let before = std::mem::replace(&mut self.bare, now);
        let both = before.iter().zip(&self.bare).zip(&self.answers);
        both.into_iter()
            .any(|((was, is), answers)| was != is && *answers)
    }

    fn lose(&mut self, space: &PathSpace, edge: u32) {
        for edge in [edge, space.edge(edge).reverse] {
            if std::mem::replace(&mut self.edges[edge as usize], false) {
                self.gone.push(edge);
            }
        }
    }

    /// Tells whether an edge stands.
    pub(super) fn has(&self, edge: u32) -> bool {
        self.edges[edge as usize]
    }

    /// Tells whether the same hosts and switches are left of others that send.
    pub(super) fn all_send(&self, before: &Self) -> bool {
        self.hosts == before.hosts && self.answers == before.answers
    }

    /// The switches that lost compute ends, and how many.
    pub(super) fn lost(&self, before: &Self) -> Vec<(u32, u64)> {
        let both = before.compute.iter().zip(&self.compute);
        let lost = (0..).zip(both.map(|(was, is)| was - is));
        lost.filter(|lost| lost.1 > 0).collect()
    }

    /// Tells whether all that is left of another is left here.
    pub(super) fn includes(&self, other: &Self) -> bool {
        let has = |own: &[bool], others: &[bool]| {
            let mut both = own.iter().zip(others);
            both.all(|(&own, &other)| own || !other)
        };
        has(&self.switches, &other.switches)
            && has(&self.hosts, &other.hosts)
            && has(&self.edges, &other.edges)
    }

    /// The edge of an entry, if it stands.
    pub(super) fn standing(&self, edge: u32) -> u32 {
        if edge != NO_EDGE && self.has(edge) {
            edge
        } else {
            NO_EDGE
        }
    }

    /// Leaves out the hosts beyond the part that has most of them; of equals the one with most switches,
    /// then the first, as where a fabric is degraded.
    fn keep_largest_part(&mut self, fabric: &Fabric, space: &PathSpace) {
        let mut part_of = vec![usize::MAX; space.switch_count()];
        let mut sizes: Vec<(usize, usize)> = Vec::new();
        for start in (0..).take(space.switch_count()) {
            if part_of[start as usize] != usize::MAX || !self.switches[start as usize] {
                continue;
            }
            let part = sizes.len();
            let (mut hosts, mut open) = (0, vec![start]);
            let mut switches = 0;
            part_of[start as usize] = part;
            while let Some(at) = open.pop() {
                switches += 1;
                let here = fabric.hosts_of(SwitchId::new(at)).iter();
                hosts += here.filter(|host| self.hosts[host.index()]).count();
                for edge in space.edge_ids(at).filter(|&edge| self.has(edge)) {
                    let next = space.edge(edge).to;
                    if part_of[next as usize] == usize::MAX {
                        part_of[next as usize] = part;
                        open.push(next);
                    }
                }
            }
            sizes.push((hosts, switches));
        }
        let largest = (0..sizes.len()).rev().max_by_key(|&part| sizes[part]);
        for (answers, part) in self.answers.iter_mut().zip(&part_of) {
            *answers = Some(*part) == largest;
        }
        for host in fabric.host_ids() {
            self.hosts[host.index()] &= self.answers[fabric.host_switch(host).index()];
        }
    }
}
