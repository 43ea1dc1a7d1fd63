//! Building an engine: the network as flat arrays, and the check of what it is handed.

use super::Engine;
use super::choices::Guide;
use super::event::{Event, MAX_PARTS};
use super::host::Source;
use super::meter::Meter;
use super::state::{Channel, Inlet, NONE, Outlet};
use super::stream::NO_LANE;
use super::supply::Stream;
use crate::queue::{EventQueue, NEVER};
use crate::reports::Reports;
use crate::script::Script;
use crate::slab::Slab;
use std::num::NonZeroU32;
use weft_fabric::{Fabric, Node};
use weft_model::ChannelTimings;
use weft_model::cut_through::{CutThroughError, CutThroughModel, FlowControl};
use weft_model::workload::Workload;
use weft_routing::{AnyRoutes, ForwardingError, Routes};

/// An engine cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The hardware's parameters contradict one another, or a packet does not fit.
    #[error(transparent)]
    Model(#[from] CutThroughError),
    /// The routes cannot carry packets over the fabric.
    #[error(transparent)]
    Routes(#[from] ForwardingError),
    /// The routes use more lanes than there are.
    #[error(
        "the routes use {used} virtual lanes, but channels of the hardware have {available}; give the \
         hardware more, or choose a routing with fewer"
    )]
    Lanes {
        /// Lanes the routes use.
        used: u8,
        /// Lanes the hardware has for data.
        available: u8,
    },
    /// The timings are those of another fabric.
    #[error(
        "the fabric has {expected} links, but the timings are for another number; make the clock of \
         this fabric"
    )]
    Timings {
        /// Links of the fabric.
        expected: usize,
    },
    /// More lanes of channels than events can number.
    #[error("the fabric has {found} channels; with {lanes} lanes at most {limit} can be simulated")]
    TooLarge {
        /// Channels of the fabric.
        found: usize,
        /// Lanes of each.
        lanes: u8,
        /// The most there can be.
        limit: usize,
    },
}

impl<'a> Engine<'a> {
    /// Makes an engine at cycle 0 with an empty network and fixed routes.
    ///
    /// # Errors
    /// As [`with_routes`](Self::with_routes).
    pub fn new(
        fabric: &Fabric,
        routes: &'a Routes,
        model: &CutThroughModel,
        timings: &ChannelTimings,
        workload: &'a Workload,
    ) -> Result<Self, EngineError> {
        Self::with_routes(fabric, routes.into(), model, timings, workload)
    }

    /// Makes an engine at cycle 0 with an empty network.
    ///
    /// # Errors
    /// [`EngineError`] when parameters contradict one another, or routes or packets do not fit.
    pub fn with_routes(
        fabric: &Fabric,
        routes: AnyRoutes<'a>,
        model: &CutThroughModel,
        timings: &ChannelTimings,
        workload: &'a Workload,
    ) -> Result<Self, EngineError> {
        let channel_count = fabric.channel_count();
        if !timings.fits(fabric.link_count()) {
            return Err(EngineError::Timings {
                expected: fabric.link_count(),
            });
        }
        model.check(timings)?;
        model.check_packet(workload.most_payload_bytes())?;
        if routes.lane_count() > model.data_lanes() {
            return Err(EngineError::Lanes {
                used: routes.lane_count(),
                available: model.data_lanes(),
            });
        }
        let lane_bits = model.lanes.next_power_of_two().trailing_zeros();
        let limit = (MAX_PARTS >> lane_bits) - 1;
        if channel_count > limit {
            return Err(EngineError::TooLarge {
                found: channel_count,
                lanes: model.lanes,
                limit,
            });
        }
        let guide = Guide::new(fabric, routes, channel_count << lane_bits)?;

        let mut channels = Vec::with_capacity(channel_count);
        for channel in fabric.channel_ids() {
            let timing = timings.of(channel);
            let (source, target) = (fabric.source(channel), fabric.target(channel));
            let host = |node| match node {
                Node::Host(host) => host.number(),
                Node::Switch(_) => NONE,
            };
            channels.push(Channel {
                free_at: 0,
                look_at: NEVER,
                flight: timing.flight_cycles,
                latency: timing.latency_cycles(),
                cycles_per_flit: timing.cycles_per_flit,
                source_host: host(source.node),
                target_host: host(target.node),
                target_switch: match target.node {
                    Node::Switch(switch) => switch.number(),
                    Node::Host(_) => NONE,
                },
                asked: 0,
                loaded: 0,
                target_port: target.port.number(),
                next_lane: 0,
                holder: NO_LANE,
                is_contested: false,
            });
        }
        let highest_port = channels.iter().map(|channel| channel.target_port).max();
        let ports_per_switch = (usize::from(highest_port.unwrap_or(0)) + 1).next_power_of_two();
        let mut port_channels = vec![NONE; fabric.switch_count() * ports_per_switch];
        for switch in fabric.switch_ids() {
            for &channel in fabric.outgoing(switch) {
                let port = fabric.source(channel).port.index();
                port_channels[switch.index() * ports_per_switch + port] = channel.number();
            }
        }
        let lanes = channel_count << lane_bits;
        let (streams, [stop_above, go_below, control_delay]) = match model.flow_control {
            FlowControl::Credits => (Vec::new(), [0; 3]),
            FlowControl::StopAndGo {
                stop_above_flits,
                go_below_flits,
                control_delay_cycles,
            } => (
                vec![Stream::new(); lanes],
                [stop_above_flits, go_below_flits, control_delay_cycles].map(u64::from),
            ),
        };
        let output_flits = model.output_buffer_flits.map_or(0, NonZeroU32::get);
        let mut engine = Self {
            lane_count: model.lanes,
            control_lanes_from: model.control_lanes_from,
            lane_bits,
            #[expect(clippy::cast_possible_truncation, reason = "at most 16 lanes")]
            all_lanes: ((1_u32 << model.lanes) - 1) as u16,
            crossbar: u64::from(model.crossbar_cycles_per_flit),
            lookup_delay: u64::from(model.lookup_delay_cycles),
            routing_delay: u64::from(model.routing_delay_cycles),
            has_output_buffers: model.output_buffer_flits.is_some(),
            input_buffer_flits: model.input_buffer_flits,
            output_buffer_flits: output_flits,
            packet_format: model.packets,
            stop_above,
            go_below,
            control_delay,
            workload,
            guide,
            port_channels,
            ports_per_switch,
            channels,
            outlets: vec![Outlet::new(output_flits, model.input_buffer_flits); lanes],
            inlets: vec![Inlet::EMPTY; lanes],
            meters: vec![Meter::ZERO; lanes],
            streams,
            sources: fabric
                .host_ids()
                .map(|host| Source::new(workload, host, fabric.injection_channel(host)))
                .collect(),
            script: Script::new(workload),
            packets: Slab::new(),
            credits: Slab::new(),
            reports: Reports::new(),
            now: 0,
            queue: EventQueue::new(),
            contested: Vec::new(),
            touched: Vec::new(),
            events: 0,
            packet_hops: 0,
            flits_started: 0,
            packets_injected: 0,
        };
        for host in fabric.host_ids() {
            let channel = fabric.injection_channel(host).number();
            engine.channels[channel as usize].look_at = 0;
            engine.queue.push(0, Event::Look.at(channel));
        }
        for (host, cycle) in engine.script.first_acts(fabric.host_count()) {
            engine.queue.push(cycle, Event::Act.at(host.number()));
        }
        Ok(engine)
    }
}
