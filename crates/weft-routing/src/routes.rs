//! What a routing algorithm returns: one source route per ordered pair.

use std::collections::BTreeMap;
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};

/// Whether routes are held per ordered pair of switches (all hosts of a switch share them) or per
/// ordered pair of hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairGranularity {
    /// One route per ordered pair of switches.
    Switch,
    /// One route per ordered pair of hosts.
    Host,
}

/// One hop of a resolved route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteHop {
    /// The packet takes this switch-to-switch channel.
    Channel(ChannelId),
    /// The packet is ejected to this host and injected again (an in-transit buffer); the next hop
    /// leaves from the same switch.
    InTransit(HostId),
}

/// The routes hold more steps than 32 bits can number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the routes have {steps} steps in all, more than 2^32 can be held; keep routes per pair of \
     switches instead of hosts"
)]
pub struct RoutesTooLarge {
    /// Steps of all routes together.
    pub steps: u64,
}

/// One source route per ordered pair, as the output port taken at each switch.
///
/// A route is the sequence of output ports a packet takes, switch by switch, *without* the last
/// one (the port of the destination host), so that routes per pair of switches serve every host
/// of the destination's switch. A step whose port leads to a host is an in-transit stop there:
/// the host injects the packet again into the same switch, where the next step applies.
///
/// One byte per step and four per pair: 1,024 switches take 4 MiB and the length of the routes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRoutes {
    granularity: PairGranularity,
    endpoint_count: usize,
    offsets: Vec<u32>,
    steps: Vec<PortNumber>,
}

impl SourceRoutes {
    /// This collects routes row by row: `rows[s]` holds, for each destination in order, the
    /// number of steps, and all steps one after the other.
    ///
    /// Shapes: `endpoint_count` rows, each with `endpoint_count` lengths.
    ///
    /// # Errors
    /// [`RoutesTooLarge`] when all steps together exceed 32 bits.
    ///
    /// # Panics
    /// When a row's shape is wrong, a bug of the caller.
    pub fn from_rows(
        granularity: PairGranularity,
        rows: &[RouteRow],
    ) -> Result<Self, RoutesTooLarge> {
        let endpoint_count = rows.len();
        let steps: u64 = rows.iter().map(|row| row.steps.len() as u64).sum();
        if steps > u64::from(u32::MAX) {
            return Err(RoutesTooLarge { steps });
        }
        let mut offsets = Vec::with_capacity(endpoint_count * endpoint_count + 1);
        let mut end = 0_u32;
        offsets.push(end);
        for row in rows {
            assert_eq!(
                row.lengths.len(),
                endpoint_count,
                "one length per destination"
            );
            for &length in &row.lengths {
                end += u32::from(length);
                offsets.push(end);
            }
        }
        assert_eq!(u64::from(end), steps, "lengths and steps agree");
        let steps = rows
            .iter()
            .flat_map(|row| row.steps.iter().copied())
            .collect();
        Ok(Self {
            granularity,
            endpoint_count,
            offsets,
            steps,
        })
    }

    /// This tells whether routes are held per pair of switches or of hosts.
    pub fn granularity(&self) -> PairGranularity {
        self.granularity
    }

    /// This counts the sources (and destinations): switches or hosts, by the granularity.
    pub fn endpoint_count(&self) -> usize {
        self.endpoint_count
    }

    /// These are the steps of the pair with the given endpoint offsets (switches or hosts, by the
    /// granularity).
    pub fn steps_between(&self, source_index: usize, destination_index: usize) -> &[PortNumber] {
        let pair = source_index * self.endpoint_count + destination_index;
        &self.steps[self.offsets[pair] as usize..self.offsets[pair + 1] as usize]
    }

    /// These are the steps of all pairs, one after the other; [`step_range`](Self::step_range) tells
    /// which are whose.
    pub fn all_steps(&self) -> &[PortNumber] {
        &self.steps
    }

    /// This is where the steps of a pair begin among [`all_steps`](Self::all_steps), and how many
    /// there are.
    ///
    /// # Panics
    /// When an endpoint offset is out of range.
    #[inline]
    pub fn step_range(&self, source_index: usize, destination_index: usize) -> (u32, u16) {
        let pair = source_index * self.endpoint_count + destination_index;
        let (start, end) = (self.offsets[pair], self.offsets[pair + 1]);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "rows hold lengths of 16 bits"
        )]
        (start, (end - start) as u16)
    }

    /// These are the steps from one host to another, without the final port to the destination.
    pub fn steps(&self, fabric: &Fabric, source: HostId, destination: HostId) -> &[PortNumber] {
        match self.granularity {
            PairGranularity::Host => self.steps_between(source.index(), destination.index()),
            PairGranularity::Switch => self.steps_between(
                fabric.host_switch(source).index(),
                fabric.host_switch(destination).index(),
            ),
        }
    }

    /// This is the switch that routes of endpoint `index` start from (or end at).
    pub fn endpoint_switch(&self, fabric: &Fabric, index: usize) -> SwitchId {
        match self.granularity {
            PairGranularity::Switch => SwitchId::from_index(index),
            PairGranularity::Host => fabric.host_switch(HostId::from_index(index)),
        }
    }

    /// This resolves steps into hops, starting at a switch. It ends early, with `None` as the last
    /// item, at a step whose port is not wired.
    pub fn resolve<'a>(
        fabric: &'a Fabric,
        from: SwitchId,
        steps: &'a [PortNumber],
    ) -> impl Iterator<Item = Option<RouteHop>> + 'a {
        let mut here = Some(from);
        steps.iter().map_while(move |&port| {
            let at = here?;
            let Some(channel) = fabric.outgoing_at(at, port) else {
                here = None;
                return Some(None);
            };
            match fabric.target(channel).node {
                Node::Host(host) => Some(Some(RouteHop::InTransit(host))),
                Node::Switch(next) => {
                    here = Some(next);
                    Some(Some(RouteHop::Channel(channel)))
                }
            }
        })
    }
}

/// The routes of one source, while an algorithm collects them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouteRow {
    /// Per destination in order: number of steps.
    pub lengths: Vec<u16>,
    /// All steps, destination after destination.
    pub steps: Vec<PortNumber>,
}

impl RouteRow {
    /// This appends the route to the next destination.
    ///
    /// # Panics
    /// When a route has more than 65,535 steps, which no loop-free route over a fabric that fits
    /// memory has.
    pub fn push(&mut self, steps: impl IntoIterator<Item = PortNumber>) {
        let before = self.steps.len();
        self.steps.extend(steps);
        let length = u16::try_from(self.steps.len() - before);
        assert!(length.is_ok(), "a route has at most 65,535 steps");
        self.lengths.push(length.unwrap_or(u16::MAX));
    }
}

/// Routes with the record of how they were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routing {
    /// Name of the algorithm, as on the command line.
    pub algorithm: String,
    /// Every parameter of the algorithm with the value used, defaults included.
    pub parameters: BTreeMap<String, String>,
    /// The routes.
    pub routes: SourceRoutes,
}
