//! The cut-through model, plain: [`weft_model::cut_through`] says what happens in a cycle, and each
//! of its phases is one function here.
//!
//! | phase | function | file |
//! |---|---|---|
//! | before all | `change` | `changes` |
//! | 0 generation | `generation` | `hosts` |
//! | 1 arrivals | `arrivals` | `hosts` |
//! | 2 releases | `releases` | `crossbar` |
//! | 3 requests | `requests` | `choices` |
//! | 4 grants | `grants` | `choices` |
//! | 5 queue pairs | `queue_pairs` | `hosts` |
//! | 5 link arbitration | `link_arbitration` | `links` |
//! | 6 movement | `sending`, `crossing`, `discarding` | `links`, `crossbar`, `changes` |
//! | 7 flow control | `flow_control` | `links` |
//!
//! What routes tell a packet is in `ways`, what tables of groups do in `groups`, what tables that change do in
//! `tables`.

mod addresses;
mod changes;
mod choices;
mod crossbar;
mod groups;
mod hosts;
mod links;
mod pauses;
mod state;
mod tables;
mod ways;

use crate::program::Ranks;
use crate::queue_pairs::QueuePairs;
use addresses::Addresses;
use changes::Happening;
use choices::{Guide, Waiting};
use state::{Channel, PacketId, PacketState, Waits};
use std::collections::BTreeMap;
use tables::ChangingTables;
use weft_fabric::{ChannelId, Fabric, Node};
use weft_model::workload::{HostStream, Workload};
use weft_model::{
    Changes, ChannelTimings, CutThroughError, CutThroughModel, FlowControl, LaneUse, PacketRecord,
};
use weft_routing::{AnyRoutes, Lane, Routes};

/// The cut-through model cannot be simulated with what was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OracleError {
    /// The parameters contradict one another, or a packet does not fit.
    Model(CutThroughError),
    /// The routes use more lanes than the channels have.
    Lanes {
        /// Lanes the routes use.
        found: u8,
        /// Lanes the channels have for data.
        lanes: u8,
    },
    /// The timings are of another number of links.
    Timings,
    /// Tables alone change.
    Changes,
}

impl From<CutThroughError> for OracleError {
    fn from(error: CutThroughError) -> Self {
        Self::Model(error)
    }
}

/// Where the room of one lane's input buffer is, in flits. With credits, `free`, `taken` and
/// `returning` make up the buffer in every cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Free as the sender knows.
    pub free: u32,
    /// Taken by packets that are being sent, under way or in the buffer.
    pub taken: u32,
    /// Given back, the credit being under way.
    pub returning: u32,
    /// Flits in the buffer.
    pub held: u32,
}

/// The cut-through model, one cycle and one flit at a time.
#[derive(Debug)]
pub struct CutThroughOracle<'a> {
    fabric: &'a Fabric,
    guide: Guide<'a>,
    /// Packets in front of input buffers that have no output, in the order in which they asked.
    waiting: Vec<Waiting>,
    workload: &'a Workload,
    /// What hosts do, if the workload is a program.
    ranks: Option<Ranks<'a>>,
    model: CutThroughModel,
    now: u64,
    channels: Vec<Channel>,
    /// Per host: what it will send, the packet that comes next, and its number.
    streams: Vec<HostStream>,
    upcoming: Vec<Option<weft_model::workload::Packet>>,
    generated: Vec<u64>,
    /// Per host, if a program has queue pairs: what waits there.
    pairs: Vec<QueuePairs<Waits>>,
    happening: Happening,
    packets: BTreeMap<PacketId, PacketState>,
    /// Per host, where packets choose: those that left it, in that order, and were under way when the last of them arrived.
    left: Vec<Vec<PacketId>>,
    flit_hops: u64,
    packet_hops: u64,
    passes_pauses: bool,
    /// No flit was sent in the cycle before.
    is_quiet: bool,
}

impl<'a> CutThroughOracle<'a> {
    /// Prepares a simulation over fixed routes that starts with cycle 0.
    ///
    /// # Errors
    /// As [`with_routes`](Self::with_routes).
    pub fn new(
        fabric: &'a Fabric,
        routes: &'a Routes,
        model: &CutThroughModel,
        timings: &ChannelTimings,
        workload: &'a Workload,
    ) -> Result<Self, OracleError> {
        Self::with_routes(fabric, routes.into(), model, timings, workload)
    }

    /// Prepares a simulation that starts with cycle 0.
    ///
    /// # Errors
    /// [`OracleError`]: parameters, lanes, timings or packet sizes that do not fit. Routes that do not lead
    /// where they should end the simulation when a packet takes them.
    pub fn with_routes(
        fabric: &'a Fabric,
        routes: AnyRoutes<'a>,
        model: &CutThroughModel,
        timings: &ChannelTimings,
        workload: &'a Workload,
    ) -> Result<Self, OracleError> {
        let hardware = (model, timings);
        Self::with_changes(fabric, routes, &[], &Changes::default(), hardware, workload)
    }

    /// The same, to which things happen: the tables of switches and hosts are those of `routes`, 0, or
    /// `others`, from 1 on.
    ///
    /// # Errors
    /// The same, and [`OracleError::Changes`].
    pub fn with_changes(
        fabric: &'a Fabric,
        routes: AnyRoutes<'a>,
        others: &'a [Routes],
        changes: &Changes,
        (model, timings): (&CutThroughModel, &ChannelTimings),
        workload: &'a Workload,
    ) -> Result<Self, OracleError> {
        if changes.are_of_tables() && !matches!(routes, AnyRoutes::Fixed(_)) {
            return Err(OracleError::Changes);
        }
        model.check(timings)?;
        model.check_packet(workload.most_payload_bytes())?;
        if !timings.fits(fabric.link_count()) {
            return Err(OracleError::Timings);
        }
        let lanes = others.iter().map(Routes::lane_count).max().unwrap_or(0);
        let found = routes.lane_count().max(lanes);
        if found > model.data_lanes() {
            return Err(OracleError::Lanes {
                found,
                lanes: model.data_lanes(),
            });
        }
        let addresses = Addresses::new(model.addresses, workload.seed());
        let guide = match routes {
            AnyRoutes::Fixed(first) if changes.are_of_tables() => {
                let tables = ChangingTables::new(fabric, first, others, addresses);
                Guide::Changing(tables.ok_or(OracleError::Changes)?)
            }
            _ => Guide::new(fabric, routes, addresses),
        };
        let mut streams: Vec<HostStream> = fabric
            .host_ids()
            .map(|host| workload.stream(host))
            .collect();
        let upcoming = streams
            .iter_mut()
            .map(|stream| workload.next_packet(stream))
            .collect();
        Ok(Self {
            fabric,
            guide,
            waiting: Vec::new(),
            workload,
            ranks: workload
                .program()
                .map(|program| Ranks::new(program, fabric.host_ids())),
            model: *model,
            now: 0,
            channels: fabric
                .channel_ids()
                .map(|channel| Channel::new(timings.of(channel), model))
                .collect(),
            generated: vec![0; streams.len()],
            pairs: workload
                .program()
                .and_then(|program| program.messaging().quantum_bytes)
                .map_or_else(Vec::new, |quantum_bytes| {
                    let hosts = fabric.host_ids();
                    hosts.map(|_| QueuePairs::new(quantum_bytes)).collect()
                }),
            happening: Happening::new(changes, streams.len()),
            left: vec![Vec::new(); streams.len()],
            streams,
            upcoming,
            packets: BTreeMap::new(),
            flit_hops: 0,
            packet_hops: 0,
            passes_pauses: false,
            is_quiet: true,
        })
    }

    /// The first cycle not yet simulated.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Simulates all cycles before `until_cycle` and appends the packets delivered, by cycle.
    pub fn advance(&mut self, until_cycle: u64, delivered: &mut Vec<PacketRecord>) {
        while self.now < until_cycle {
            let (before, hops) = (self.before_a_pause(), self.flit_hops);
            self.change();
            self.generation();
            self.arrivals(delivered);
            self.releases();
            self.requests();
            self.grants();
            self.queue_pairs();
            self.link_arbitration();
            self.sending();
            self.crossing();
            self.discarding();
            self.flow_control();
            self.occupancy();
            self.now += 1;
            self.is_quiet = self.flit_hops == hops;
            if let Some(before) = before {
                self.pass_pause(&before, until_cycle);
            }
        }
    }

    /// Lets the counters of lanes start anew.
    pub fn reset_use(&mut self) {
        for lane in self.channels.iter_mut().flat_map(|c| &mut c.lanes) {
            lane.usage = LaneUse::default();
        }
    }

    /// How a lane spent the cycles since the last reset.
    pub fn lane_use(&self, channel: ChannelId, lane: Lane) -> LaneUse {
        let state = &self.channels[channel.index()].lanes[lane.index()];
        let mut usage = state.usage;
        if let Some(since) = self.waiting_since(channel, lane) {
            usage.longest_wait_cycles = usage.longest_wait_cycles.max(self.now - since);
        }
        usage
    }

    /// Counts the flits sent so far, on every channel, host links included.
    pub fn flit_hops(&self) -> u64 {
        self.flit_hops
    }

    /// Counts the channels taken by packets so far: lanes of outputs granted, and packets that
    /// hosts began to send.
    pub fn packet_hops(&self) -> u64 {
        self.packet_hops
    }

    /// How far a program is; `None` of other workloads.
    pub fn ranks(&self) -> Option<&Ranks<'a>> {
        self.ranks.as_ref()
    }

    /// Counts the packets that left their source's queue and are neither delivered nor lost.
    pub fn packets_under_way(&self) -> usize {
        let is_under_way =
            |packet: &&PacketState| packet.injection_cycle.is_some() && !packet.is_lost;
        self.packets.values().filter(is_under_way).count()
    }

    /// Where the room of the buffer at the end of a channel is.
    pub fn room(&self, channel: ChannelId, lane: Lane) -> Room {
        let channel = &self.channels[channel.index()];
        let state = &channel.lanes[lane.index()];
        let credits = channel.credits.iter().map(|(_, credit)| credit);
        let returning = credits.filter(|credit| credit.lane == lane.index());
        Room {
            free: state.known_room,
            taken: state.taken.iter().map(|&(_, flits)| flits).sum(),
            returning: returning.map(|credit| credit.flits).sum(),
            held: state.held_flits(),
        }
    }

    /// The end of the cycle: what input buffers hold.
    fn occupancy(&mut self) {
        for index in 0..self.channels.len() {
            let target = self.fabric.target(ChannelId::from_index(index)).node;
            for lane in 0..usize::from(self.model.lanes) {
                let state = &self.channels[index].lanes[lane];
                let held = match (target, self.model.flow_control) {
                    (Node::Host(_), _) => 0,
                    (Node::Switch(_), FlowControl::StopAndGo { .. }) => state.held_flits(),
                    (Node::Switch(_), FlowControl::Credits) => {
                        state.buffer.iter().map(|stored| stored.flits).sum()
                    }
                };
                let usage = &mut self.channels[index].lanes[lane].usage;
                usage.occupancy_flit_cycles += u64::from(held);
                usage.max_occupancy_flits = usage.max_occupancy_flits.max(held);
            }
        }
    }
}
