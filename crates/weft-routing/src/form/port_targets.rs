//! Where ports lead, as one flat table: to walk routes by the hundred million.

use weft_fabric::{Fabric, Node, PortNumber, SwitchId};

/// Per switch and port: the switch at the other end, or what else is there.
#[derive(Clone, Debug)]
pub(crate) struct PortTargets {
    targets: Vec<u32>,
    /// Entries of a switch: one more than the highest port of all.
    per_switch: usize,
}

/// What a port leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PortTarget {
    Nothing,
    Host,
    Switch(usize),
}

const NOTHING: u32 = u32::MAX;
const HOST: u32 = u32::MAX - 1;

impl PortTargets {
    pub(crate) fn new(fabric: &Fabric) -> Self {
        let ends = || {
            let channels = |switch| fabric.outgoing(switch).iter();
            let all = fabric.switch_ids().flat_map(channels);
            all.map(|&channel| (fabric.source(channel), fabric.target(channel).node))
        };
        let highest = ends().map(|(source, _)| source.port.index()).max();
        let per_switch = highest.unwrap_or(0) + 1;
        let mut targets = vec![NOTHING; fabric.switch_count() * per_switch];
        for (source, target) in ends() {
            let Node::Switch(switch) = source.node else {
                continue;
            };
            targets[switch.index() * per_switch + source.port.index()] = match target {
                Node::Host(_) => HOST,
                Node::Switch(next) => next.number(),
            };
        }
        Self {
            targets,
            per_switch,
        }
    }

    /// What a port of a switch leads to.
    #[inline]
    pub(crate) fn of(&self, switch: usize, port: PortNumber) -> PortTarget {
        if port.index() >= self.per_switch {
            return PortTarget::Nothing;
        }
        match self.targets[switch * self.per_switch + port.index()] {
            NOTHING => PortTarget::Nothing,
            HOST => PortTarget::Host,
            next => PortTarget::Switch(next as usize),
        }
    }

    /// The switch that a port of another leads to, if it leads to one.
    #[inline]
    pub(crate) fn switch_behind(&self, at: SwitchId, port: PortNumber) -> Option<SwitchId> {
        match self.of(at.index(), port) {
            PortTarget::Switch(next) => Some(SwitchId::from_index(next)),
            PortTarget::Host | PortTarget::Nothing => None,
        }
    }

    /// In-transit stops on the way by a list of ports; `None` when it does not lead from one switch to
    /// the other, or has more stops than a byte counts.
    #[inline]
    pub(crate) fn stops(
        &self,
        [from, to]: [usize; 2],
        steps: impl Iterator<Item = PortNumber>,
    ) -> Option<u8> {
        let (mut here, mut stops) = (from, 0_u8);
        for port in steps {
            match self.of(here, port) {
                PortTarget::Switch(next) => here = next,
                PortTarget::Host => stops = stops.checked_add(1)?,
                PortTarget::Nothing => return None,
            }
        }
        (here == to).then_some(stops)
    }
}
