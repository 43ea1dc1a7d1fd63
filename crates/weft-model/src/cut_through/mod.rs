//! The cut-through model in the hardware's clock: switches with virtual lanes, virtual
//! cut-through, credits or stop & go. What engine and oracle are handed, and what both must do.
//!
//! # Parts
//! * A *channel* leads from a host or a port of a switch to a port of a switch or a host. Its
//!   [`ChannelTiming`] says how many cycles `k` a flit takes and how many, `flight`, a signal is under
//!   way: a flit *sent*, that is, beginning to leave, in cycle `t` arrives in `t + k − 1 + flight`, and
//!   the next may be sent in `t + k`.
//! * Every channel has `lanes` *lanes*. Per lane it has an *input buffer* at its end, where that is a
//!   switch, and an *output buffer* at its source, where that is a switch of a hardware that has any.
//!   Both are queues of packets, each of a size in flits.
//! * The *crossbar* of a switch has a port for each lane of each of its channels, so that neither
//!   inputs nor outputs share one. A crossbar port takes one packet at a time, a flit every
//!   `crossbar` cycles at most. A flit that *crosses*, that is, begins to, in cycle `t` leaves the
//!   input buffer then and is in the output buffer from `t + crossbar` on.
//! * A *host* has a queue without limit for each lane. What arrives at a host it takes at link rate: it
//!   always has room, and never sends a stop.
//!
//! # A packet
//! A packet has [`PacketFormat::packet_flits`] flits. When it is generated, its way is read from the
//! routes, and it joins the queue of its first lane ([queue pairs](#queue-pairs) aside):
//!
//! * *Source routes* have a port and a lane for each switch but the last; there the packet takes the port
//!   of its destination. The channels of both hosts have the lanes of the first step and of the last,
//!   lane 0 where there is no step.
//! * *Tables* have an address and a service level for the packet, and each switch a port for the address;
//!   the switch of the destination takes the port of the host. All channels have the lane of the level's
//!   number, unless there are lane tables: these have, by level, the lane of hosts' channels, and at each
//!   switch, by the ports that packets come and leave by, a lane for each level or for each lane that
//!   packets come on.
//! * Where tables let sources send to *any address* of a destination, hosts send to the first, to the one that the hash of
//!   the pair has by number (`docs/concepts/engine.md` has the formula), or to all in turn: of `n` addresses the packet
//!   number `j` of a source to an endpoint of the routes, from 0 on, in the order in which they are generated, to the one
//!   `j` modulo `n` places after that of the hash.
//! * *In turns* the packets of a source to an endpoint of the routes, a host or a switch, change lanes, in
//!   the order in which they are generated: in turn `t`, from 0 on, all lanes of a source route, and the
//!   service level of tables, are `t·n` higher, `n` being the lanes, or levels, of one turn.
//!
//! Where there are lanes for *control*, from lane `c` on, a packet of control is on lane `c + l` wherever
//! it would be on lane `l` as one of data: it takes its turn among the packets of its pair, and asks
//! tables, as if it were on `l`. Routes use no more lanes than there are of either kind. Where packets
//! choose on their way, those of control travel as data do.
//!
//! # A cycle
//! Each cycle `t` has these phases:
//!
//! 0. **Generation.** Packets with generation cycle `t` join their hosts' queues.
//! 1. **Arrivals.** Flits sent in `t − flight − k + 1` arrive, as do credits given back in
//!    `t − flight` and control symbols emitted in `t − flight − control_delay`, which take effect.
//! 2. **Releases.** What a last flit has left is free. The last flit crossed in `t − crossbar`: the
//!    crossbar ports at its input and its output, and the room of the packet in the input buffer, for
//!    which the credit is given back now. The last flit was sent on a link in `t − k`: the link, and the
//!    room of the packet in the output buffer.
//! 3. **Requests.** The packet in front of an input buffer asks, once, for the lane of the output that
//!    its route names: `lookup_delay` cycles after its head arrived or in the cycle of the release of the
//!    packet before it, whichever is later. The requests for a lane of an output form a queue, those
//!    of one cycle by number of the input port, then of the input lane.
//! 4. **Grants.** A free lane of an output takes the first request in its queue whose packet fits in
//!    its output buffer whole; the room is taken. Without output buffers it takes the first. From
//!    `first = t + routing_delay` on, flits of the packet may cross.
//! 5. **Link arbitration.** A link that is not in the middle of a flit, and free, goes to a
//!    *candidate* among its lanes, in turn: the first from the pointer on, which starts at lane 0 and
//!    moves to the lane after the one that was taken.
//! 6. **Movement.** On each link that a lane has and that is not in the middle of a flit, the next flit
//!    of its packet is sent. Then, with output buffers, each granted packet has a flit cross from its
//!    input buffer to its output buffer: from `first` on, one every `crossbar` cycles, each if it has
//!    arrived (it may have in this cycle).
//! 7. **Flow control** (stop & go). On the flits in each input buffer now: above `stop` and no stop
//!    outstanding, a stop is emitted; below `go` and a stop outstanding, a go.
//!
//! # Which lanes are candidates
//! The packet in front of a lane, the first of its output buffer or of the host's queue, must be
//! *ready*:
//!
//! * At a host it is.
//! * With output buffers it is if its head is in the output buffer; with credits, where the packet came
//!   by a slower channel than it leaves by (more cycles per flit), if its last flit is (store and
//!   forward).
//! * Without, the packet that was granted the lane is in front. It is ready from `first` on; with
//!   credits, where it came by a slower channel, once its last flit has arrived too. Its flits cross in
//!   the cycle they are sent in: when the last is sent in `t`, the link, both crossbar ports and the room in
//!   the input buffer are released in `t + k`, `k` being the link's.
//!
//! *Credits*: a lane is a candidate if the packet in front is ready and the input buffer at the end of
//! the channel has room for it whole, as far as the source of the channel knows. Then the room is
//! taken, and the link is the packet's until it is released. No flit of it is ever late.
//!
//! *Stop & go*: a lane is a candidate if the packet in front is ready, its next flit is there (with
//! output buffers: in the output buffer; without: in the input buffer; at a host: always) and the last
//! control symbol of the lane was no stop. The link is the packet's until it is released, or until
//! phase 5 of a cycle in which its next flit could be sent but its lane is no candidate any more. Then
//! the link is free in the same phase, and the rest of the packet a candidate like others, once it is
//! one again.
//!
//! # Where packets choose
//! With adaptive routes a host's packets take the lanes of its channel in turn, in the order in which
//! they are generated, from lane 0 on; with groups all take the one of their service level. What a packet is
//! *offered* at a switch are lanes of outputs in *classes*, those of a class where none of the ones before is open:
//!
//! * At its destination's switch, except with groups, the port of the host on the lane that it came on.
//! * *Tables*, elsewhere: any of the ports for the destination's switch on any adaptive lane, and the
//!   escape's port on lane 0 as a class behind them. A packet that came from a switch on lane 0, where there is an
//!   escape, is offered the escape alone.
//! * *Groups*: what the table, of those that the switch has, for the port that it came in by and its *key* says of the
//!   first address of its destination. Where that is free, the service level of the packet may choose and the group has
//!   ports, all ports of the group, each subgroup being a class. Where it is hashed instead, and flows of the service
//!   level may be, the one port of the group that the flow has by number (`docs/concepts/engine.md` has the formula).
//!   Otherwise the static port. The lane is that of the lane tables by both ports and the key; without such tables it
//!   keeps the lane. The key is the service level where the lane tables go by levels, except those that the switch looks
//!   up by lane; else the lane that the packet came on.
//! * *Two phases*: the next step of its way, first to an intermediate switch and then on from there, on
//!   lanes `n` higher, `n` being the lanes of the routes. The switch is drawn when the packet is generated,
//!   one draw for each packet that leaves its source's switch (`docs/concepts/engine.md` has the formula);
//!   if it is that of source or destination, the packet goes straight, in the second phase alone. So does,
//!   where that depends on congestion, one that finds so at its first request.
//!
//! That is so where switches select the *emptiest*. Where they select at *random* or by *hash*, of the first class of
//! tables, and of all ports of a free group, the packet is offered the one alone that it has by number: a draw of its own
//! for every switch, or the number of its flow (`docs/concepts/engine.md` has both formulas), by the weights of subgroups
//! where there are any. An escape stays.
//!
//! Phases 3 and 4 are these:
//!
//! 3. **Requests.** The packet in front of an input buffer, in the same cycle as above, is told what it is
//!    offered. A packet that is to decide between two ways does so first: it goes straight if
//!    `taken · links ≤ taken' · links' + threshold`, with what is taken of the buffers of the first channel
//!    straight on, all its lanes together, and the links of all the way; and the same by way of the switch
//!    (`'`).
//! 4. **Grants.** At each switch the packets in front that have no output take turns: by the cycle they
//!    asked in, those of one cycle by number of the input port, then of the input lane. A lane of an
//!    output is *open* if it is free and its output buffer, if there is one, has room for the packet
//!    whole. Of the first class with an open one the packet takes the open lane with least taken of its
//!    buffers, of equal ones the first by port, then lane. A packet that takes none waits, and is asked anew in
//!    every cycle.
//!
//! With a *choice delay* of `d > 0` cycles a packet that is offered more than one lane does not take the lane that it would
//! take in cycle `t`, but has *chosen* it: in its turn in `t + d` it takes that lane if it is open then, and else looks anew,
//! in the same turn. A packet that decided between two ways takes its first turn `d` cycles after it did.
//!
//! While parts fail, an output whose channel is down is not open to a packet unless all are down that it is offered; and
//! what a packet has by number is among those that are up when it asks, or all where none is.
//!
//! What is *taken* of the buffers of a lane, in flits: of its output buffer, what is not free; of the
//! input buffer at its end, with credits all but the room that the source of the channel knows of, with
//! stop & go the whole of it while the last control symbol was a stop, else nothing.
//!
//! Packets that are offered one lane are granted it as by a queue for each lane: with fixed routes both
//! rules are the same.
//!
//! # Queue pairs
//! Where hosts of a program have [queue pairs](crate::workload::program), a packet waits in one from its generation
//! on. It is told its way when it becomes the first of its queue pair; turns, lanes in turn and draws go by that
//! order, too. A queue pair stands in the line of the lane that its first packet begins on. Where
//! the packet behind one that was taken begins on another lane, the queue pair goes to the end of the line there,
//! and its turn is over.
//!
//! At the beginning of phase 5, as long as there is a lane of a host's channel with no packet in front, the one
//! that was sent last being released, and queue pairs in its line, the lowest such lane takes a packet. It is then in
//! front, and ready.
//!
//! # Figures
//! See [`LaneUse`]. A packet's injection is the cycle its first flit leaves its source in, its delivery
//! that in which its last flit arrives at its destination.
//!
//! What the papers leave open is decided thus: a flit crosses whole before it leaves; requests are
//! kept in order, but a packet that fits may pass one that does not; credits and control symbols take no
//! room on links; a stop acts between two flits, and a halted or starving packet gives up the link, so
//! that with stop & go no packet need be stored whole (nor could it, where it is longer than what calls
//! for a stop); hosts never hold back the network.

mod error;
mod packet;
mod selection;

pub use error::CutThroughError;
pub use packet::PacketFormat;
pub use selection::{AddressChoice, Selection, random_selection};

use crate::{ChannelTiming, ChannelTimings};
use std::num::NonZeroU32;

/// The most lanes a channel has: `InfiniBand` numbers them with four bits.
pub const MOST_LANES: u8 = 16;

/// Every number of cycles or flits stays at or below this, so that sums of a few fit 32 bits.
const MAX_NUMBER: u32 = 1 << 30;

/// How a receiver keeps its input buffers from overflowing, each lane by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowControl {
    /// A packet is sent when the sender knows of room for it whole.
    Credits,
    /// The receiver stops the sender at one occupancy and lets it go on at another.
    StopAndGo {
        /// A stop is sent when the buffer holds more flits than this.
        stop_above_flits: u32,
        /// A go is sent when the buffer holds fewer flits than this; 1 ≤ go ≤ stop + 1.
        go_below_flits: u32,
        /// Cycles a control symbol takes beyond its flight.
        control_delay_cycles: u32,
    },
}

/// Virtual cut-through switching with virtual lanes, in integer cycles and flits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutThroughModel {
    /// Lanes of every channel, 1 to [`MOST_LANES`].
    pub lanes: u8,
    /// First of the lanes for control, less than [`lanes`](Self::lanes); 0 for none.
    pub control_lanes_from: u8,
    /// Flits an input buffer holds, per lane; at least 1.
    pub input_buffer_flits: u32,
    /// Flits an output buffer holds, per lane; without, the crossbar feeds the link directly.
    pub output_buffer_flits: Option<NonZeroU32>,
    /// Cycles from one flit to the next through a port of the crossbar; at least 1, and no more than
    /// any channel's.
    pub crossbar_cycles_per_flit: u32,
    /// Cycles from the arrival of a head at a switch to its packet's request, at least: the table is
    /// read meanwhile, whether or not others are in front.
    pub lookup_delay_cycles: u32,
    /// Cycles from the grant of a lane of an output to the first flit that crosses; nobody else can use
    /// the crossbar ports of both meanwhile.
    pub routing_delay_cycles: u32,
    /// How buffers are kept from overflowing.
    pub flow_control: FlowControl,
    /// How switches select among what a packet may take.
    pub selection: Selection,
    /// How hosts select among the addresses that they may send to.
    pub addresses: AddressChoice,
    /// Cycles from the look at what of several lanes is taken to the choice by it.
    pub choice_delay_cycles: u32,
    /// How long packets are.
    pub packets: PacketFormat,
}

/// How one lane of a channel, and the input buffer at its end, were used since the last reset of the
/// counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneUse {
    /// Cycles in which a flit of the lane was on its way onto the link: `k` for each flit sent.
    pub busy_cycles: u64,
    /// Cycles (at phase 5) in which the packet in front of the lane was ready and flow control kept it
    /// back: it had not started and there was no room for it (credits), or it had a flit yet to send,
    /// be it there or not, and the last control symbol was a stop (stop & go).
    pub blocked_cycles: u64,
    /// Longest wait of a packet for the lane at the output of a switch: cycles from its request to the
    /// grant, or to now while it waits. A wait counts whole, its part before the last reset included.
    /// Where packets choose, a wait counts when it is over, at the lane that was taken.
    pub longest_wait_cycles: u64,
    /// Sum over cycles (end of cycle) of what the input buffer holds, as flow control counts it.
    ///
    /// Credits: whole packets, from the arrival of the head until their room is released. Stop & go:
    /// flits, from their arrival until they cross. 0 at hosts.
    pub occupancy_flit_cycles: u64,
    /// Most it held at the end of any cycle, counted in the same way.
    pub max_occupancy_flits: u32,
}

impl CutThroughModel {
    /// Checks that the parameters fit together and suit the channels.
    ///
    /// # Errors
    /// The first contradiction found, as [`CutThroughError`].
    pub fn check(&self, timings: &ChannelTimings) -> Result<(), CutThroughError> {
        if !(1..=MOST_LANES).contains(&self.lanes) {
            return Err(CutThroughError::Lanes {
                found: self.lanes,
                maximum: MOST_LANES,
            });
        }
        if self.control_lanes_from >= self.lanes {
            return Err(CutThroughError::ControlLanes {
                found: self.control_lanes_from,
                lanes: self.lanes,
            });
        }
        let output_flits = self.output_buffer_flits.map_or(0, NonZeroU32::get);
        for (parameter, found) in [
            ("the input buffer in flits", self.input_buffer_flits),
            ("the output buffer in flits", output_flits),
            ("the lookup delay in cycles", self.lookup_delay_cycles),
            ("the routing delay in cycles", self.routing_delay_cycles),
            ("the choice delay in cycles", self.choice_delay_cycles),
        ] {
            at_most(parameter, found)?;
        }
        if self.input_buffer_flits == 0 {
            return Err(CutThroughError::NoInputBuffer);
        }
        self.packets.check()?;
        if let FlowControl::StopAndGo {
            stop_above_flits: stop,
            go_below_flits: go,
            control_delay_cycles,
        } = self.flow_control
        {
            at_most("stop above flits", stop)?;
            at_most("the control delay in cycles", control_delay_cycles)?;
            if go == 0 || go > stop + 1 {
                return Err(CutThroughError::Thresholds { go, stop });
            }
        }
        match timings {
            ChannelTimings::Alike(timing) => self.check_timing(*timing),
            ChannelTimings::ByLink(timings) => timings
                .iter()
                .try_for_each(|&timing| self.check_timing(timing)),
        }
    }

    fn check_timing(&self, timing: ChannelTiming) -> Result<(), CutThroughError> {
        let ChannelTiming {
            cycles_per_flit,
            flight_cycles,
        } = timing;
        at_most("a channel's cycles per flit", cycles_per_flit)?;
        at_most("a channel's flight in cycles", flight_cycles)?;
        if cycles_per_flit == 0 || flight_cycles == 0 {
            return Err(CutThroughError::NoTime {
                cycles_per_flit,
                flight_cycles,
            });
        }
        let crossbar = self.crossbar_cycles_per_flit;
        if !(1..=cycles_per_flit).contains(&crossbar) {
            return Err(CutThroughError::Crossbar {
                crossbar,
                cycles_per_flit,
            });
        }
        let minimum = self.least_input_buffer_flits(timing);
        if u64::from(self.input_buffer_flits) < minimum {
            return Err(CutThroughError::BufferTooSmall {
                found: self.input_buffer_flits,
                minimum,
                flight: flight_cycles,
                cycles_per_flit,
            });
        }
        Ok(())
    }

    /// The number of lanes that routes can use: with lanes for control, no more than there are
    /// of either.
    pub fn data_lanes(&self) -> u8 {
        match self.control_lanes_from {
            0 => self.lanes,
            first => first.min(self.lanes - first),
        }
    }

    /// The smallest input buffer that never overflows at the end of a channel, in flits.
    ///
    /// With stop & go it holds the flit that calls for the stop and what is sent until the stop takes
    /// effect: a flit every `k` cycles of two flights and the control delay.
    pub fn least_input_buffer_flits(&self, timing: ChannelTiming) -> u64 {
        match self.flow_control {
            FlowControl::Credits => 1,
            FlowControl::StopAndGo {
                stop_above_flits,
                control_delay_cycles,
                ..
            } => {
                let cycles =
                    2 * u64::from(timing.flight_cycles) + u64::from(control_delay_cycles) - 1;
                u64::from(stop_above_flits) + 1 + cycles.div_ceil(u64::from(timing.cycles_per_flit))
            }
        }
    }

    /// The length in flits of a packet with the payload given.
    ///
    /// # Errors
    /// [`CutThroughError::PayloadTooLarge`] beyond what a packet may carry, and
    /// [`CutThroughError::PacketTooLarge`] when a buffer cannot hold it whole.
    pub fn check_packet(&self, payload_bytes: u32) -> Result<u32, CutThroughError> {
        let maximum = self.packets.most_payload_bytes;
        if payload_bytes > maximum {
            return Err(CutThroughError::PayloadTooLarge {
                found: payload_bytes,
                maximum,
            });
        }
        let flits = self.packets.packet_flits(payload_bytes);
        let output = self
            .output_buffer_flits
            .map(|flits| ("output", flits.get()));
        let input = Some(("input", self.input_buffer_flits));
        for (buffer, held) in [input, output].into_iter().flatten() {
            if flits > held {
                return Err(CutThroughError::PacketTooLarge {
                    payload_bytes,
                    flits,
                    buffer,
                    held,
                });
            }
        }
        Ok(flits)
    }
}

/// Refuses a number beyond all hardware.
fn at_most(parameter: &'static str, found: u32) -> Result<(), CutThroughError> {
    if found > MAX_NUMBER {
        return Err(CutThroughError::TooLarge {
            parameter,
            found,
            maximum: MAX_NUMBER,
        });
    }
    Ok(())
}
