//! What an engine is made of, checked to fit together.

use super::borders::Borders;
use super::core::Core;
use super::error::EngineError;
use super::flow::Flow;
use super::lane_numbers::Lanes;
use super::network::Network;
use super::switches::{Guide, Selects};
use crate::event::MAX_PARTS;
use crate::parallel::FollowedWork;
use crate::queue::NEVER;
use weft_fabric::{ChannelId, Fabric, HostId, Node, SwitchId};
use weft_model::ChannelTimings;
use weft_model::changes::Changes;
use weft_model::cut_through::{AddressChoice, CutThroughModel, FlowControl};
use weft_model::workload::Workload;
use weft_routing::{
    AnyForwarding, AnyRoutes, ChangingForwarding, CheckedRoutes, Entry, Forwarding, HoldsRoutes,
    PacketAddresses, Routes,
};

/// What cores are made of, for the whole fabric or for its parts.
pub(super) struct Whole<'f, 'a, R> {
    pub(super) fabric: &'f Fabric,
    routes: &'a CheckedRoutes<R>,
    /// Tables that switches and hosts may be given.
    others: &'a [Routes],
    changes: &'f Changes,
    model: &'f CutThroughModel,
    timings: &'f ChannelTimings,
    workload: &'a Workload,
    pub(super) lanes: Lanes,
}

impl<'f, 'a, R: HoldsRoutes> Whole<'f, 'a, R> {
    /// What fits together.
    pub(super) fn checked(
        fabric: &'f Fabric,
        routes: &'a CheckedRoutes<R>,
        others: &'a [Routes],
        changes: &'f Changes,
        (model, timings): (&'f CutThroughModel, &'f ChannelTimings),
        workload: &'a Workload,
    ) -> Result<Self, EngineError> {
        if !timings.fits(fabric.link_count()) {
            return Err(EngineError::Timings {
                expected: fabric.link_count(),
            });
        }
        model.check(timings)?;
        model.check_packet(workload.most_payload_bytes())?;
        if let Some(unknown) = changes.unknown_part(fabric, others.len() + 1) {
            return Err(unknown.into());
        }
        let of_others = others.iter().map(Routes::lane_count);
        let used = of_others.fold(routes.routes().lane_count(), u8::max);
        if used > model.data_lanes() {
            return Err(EngineError::Lanes {
                used,
                available: model.data_lanes(),
            });
        }
        // Lanes that no packet takes need no state.
        let lanes = Lanes::new(model.control_lanes_from + used);
        let limit = lanes.channels_below(MAX_PARTS) - 1;
        if fabric.channel_count() > limit {
            return Err(EngineError::TooLarge {
                found: fabric.channel_count(),
                lanes: lanes.count(),
                limit,
            });
        }
        Ok(Self {
            fabric,
            routes,
            others,
            changes,
            model,
            timings,
            workload,
            lanes,
        })
    }

    /// Lanes of the hardware, those that no packet takes included.
    pub(super) fn lane_count(&self) -> u8 {
        self.model.lanes
    }

    /// Makes a core at cycle 0 with an empty network, for what lies within these borders.
    pub(super) fn core(&self, borders: Borders) -> Result<Core<'a>, EngineError> {
        let &Self {
            fabric,
            routes,
            model,
            workload,
            lanes,
            ..
        } = self;
        let numbers = lanes.numbers(fabric.channel_count());
        let guide = if self.changes.are_of_tables() {
            let mut forwarding = ChangingForwarding::new(fabric, routes, self.others)?;
            forwarding.send_to(self.addresses());
            Guide::Changing(Box::new(forwarding))
        } else {
            let selects = Selects::new(model.selection, workload.seed());
            Guide::new(fabric, self.forwarding()?, numbers, selects)
        };
        let hardware = (model, self.timings);
        let network = Network::new(
            fabric,
            guide,
            self.changes,
            hardware,
            workload,
            lanes,
            borders,
        );
        let flow = Flow::new(model, lanes, fabric.channel_count());
        Ok(Core::new(network, flow))
    }

    /// What tells packets their way from the first tables.
    fn forwarding(&self) -> Result<AnyForwarding<'a>, EngineError> {
        let mut forwarding = self.routes.forwarding(self.fabric)?;
        if let AnyForwarding::Fixed(forwarding) = &mut forwarding {
            forwarding.send_to(self.addresses());
        }
        Ok(forwarding)
    }

    fn addresses(&self) -> PacketAddresses {
        let seed = self.workload.seed();
        match self.model.addresses {
            AddressChoice::First => PacketAddresses::First,
            AddressChoice::Hash => PacketAddresses::Hashed { seed },
            AddressChoice::Even => PacketAddresses::InTurn { seed },
        }
    }

    /// Cycles of a window of parts between which these channels lead: nothing that happens in one part has an
    /// effect in another before. 0 where the fabric is not to be divided.
    pub(super) fn window_over(&self, cut: impl Iterator<Item = ChannelId>) -> u64 {
        let is_steady = self.changes.by_cycle().is_empty();
        let is_fixed = matches!(self.routes.routes(), AnyRoutes::Fixed(_));
        let has_credits = matches!(self.model.flow_control, FlowControl::Credits);
        if !(is_steady && is_fixed && has_credits) || self.workload.program().is_some() {
            return 0;
        }
        let flights = cut.map(|channel| self.timings.of(channel).flight_cycles.into());
        flights.min().unwrap_or(NEVER)
    }

    /// What there is to do, as far as the first packets of each host tell; those that choose their way are not
    /// followed.
    pub(super) fn work(&self) -> Result<FollowedWork, EngineError> {
        let mut forwarding = self.forwarding()?;
        Ok(FollowedWork::of(
            self.fabric,
            self.workload,
            |source, packet, tell| {
                if let AnyForwarding::Fixed(forwarding) = &mut forwarding {
                    follow(self.fabric, forwarding, [source, packet.destination], tell);
                }
            },
        ))
    }
}

/// Tells each switch a packet traverses, with the channel it takes to another, and the switch of the host it
/// leaves.
fn follow(
    fabric: &Fabric,
    forwarding: &mut Forwarding<'_>,
    [source, destination]: [HostId; 2],
    tell: &mut dyn FnMut(SwitchId, Option<ChannelId>),
) {
    let (header, mut ahead, mut lane) = forwarding.header(source, destination);
    let mut channel = fabric.injection_channel(source);
    tell(fabric.host_switch(source), None);
    for switches_before in 0.. {
        let end = fabric.target(channel);
        let Node::Switch(switch) = end.node else {
            return;
        };
        let entry = Entry {
            switch,
            port: end.port,
            lane,
        };
        let (port, next_lane) = forwarding.next(&header, &mut ahead, entry, switches_before);
        let Some(next) = fabric.outgoing_at(switch, port) else {
            return;
        };
        let leads_on = matches!(fabric.target(next).node, Node::Switch(_));
        tell(switch, leads_on.then_some(next));
        (channel, lane) = (next, next_lane);
    }
}
