//! The core of a part of the fabric: a window at a time, with what other parts tell.

use super::Core;
use crate::cycle::Cycle;
use crate::ids::{Maybe, PacketId};
use crate::parallel::Part;
use crate::wormhole::borders::{Letter, Loss, Move};
use crate::wormhole::event::Event;
use crate::wormhole::flow::{Change, Departure, Timing};
use weft_fabric::{ChannelId, HostId};

impl<T: Timing + Send> Part for Core<'_, T>
where
    T::Stride: Send,
{
    type Letter = Letter<T::Stride>;

    fn now(&self) -> u64 {
        self.now()
    }

    fn advance_window(&mut self, until: u64) {
        for from in 0..self.borders.unread.len() {
            if !self.borders.unread[from].is_empty() {
                let mut letter = std::mem::take(&mut self.borders.unread[from]);
                self.read(&mut letter);
                self.borders.unread[from] = letter;
            }
        }
        while self.run_before(Cycle::new(until)) {}
        for (ends, channel, cycle) in self.flow.end_window(&mut self.clock) {
            let sender = ends.far_switch();
            if let Some(letter) = sender.and_then(|switch| self.borders.letter_to(switch)) {
                letter.symbols.push((channel, cycle));
            }
        }
    }

    fn letters(&mut self) -> &mut [Letter<T::Stride>] {
        &mut self.borders.letters
    }

    fn receive(&mut self, from: usize, letter: &mut Letter<T::Stride>) {
        std::mem::swap(&mut self.borders.unread[from], letter);
    }

    fn next_event_cycle(&self) -> u64 {
        self.clock.next_cycle().number()
    }

    fn events(&self) -> u64 {
        self.clock.events
    }
}

impl<T: Timing> Core<'_, T> {
    /// Takes note of what another part has told.
    fn read(&mut self, letter: &mut Letter<T::Stride>) {
        let now = self.clock.now();
        for (channel, cycle) in letter.symbols.drain(..) {
            self.flow.expect_symbol(&mut self.clock, channel, cycle);
        }
        if let Some(&(Move::Take { channel, .. } | Move::Change { channel, .. })) =
            letter.moves.first()
        {
            // What is to be looked at in the present cycle is so if there is an event in it.
            self.clock.plan(now, Event::Control(channel));
        }
        let mut packets = letter.packets.drain(..);
        for next in letter.moves.drain(..) {
            match next {
                Move::Take {
                    channel,
                    earliest,
                    flits,
                    passes,
                } => {
                    let Some(packet) = packets.next() else {
                        unreachable!("a packet is told with its record")
                    };
                    let departure = Departure {
                        packet: self.traffic.packets.insert(packet),
                        from: Maybe::NONE,
                        earliest,
                        flits,
                        delivers: false,
                        awaited: false,
                    };
                    self.take_over_border(channel, &departure, passes);
                }
                Move::Change {
                    channel,
                    run,
                    closed,
                } => {
                    let (old, _) = self.flow.run(channel);
                    self.change_over_border(channel, &Change::told(run, old, closed));
                }
            }
        }
        drop(packets);
        for Loss { packet, lost } in letter.losses.drain(..) {
            let source = packet.source;
            let again = self.traffic.packets.insert(packet);
            self.clock.plan(now, Event::Nic(source));
            self.hosts.send_again(&mut self.clock, source, lost, again);
        }
    }

    /// The output of a channel from another part has taken a packet.
    fn take_over_border(&mut self, channel: ChannelId, departure: &Departure, passes: bool) {
        let now = self.clock.now();
        let is_draining = self.is_draining(channel);
        self.flow.end_copy(now, channel);
        let coming = if passes {
            self.flow.launch(&mut self.clock, channel, departure)
        } else {
            self.flow.start(now, channel, departure)
        };
        self.enter(channel, &coming, is_draining);
    }

    /// The output of a channel from another part has changed what it sends.
    fn change_over_border(&mut self, channel: ChannelId, change: &Change<T::Stride>) {
        if let Some(head) = self.flow.carry_out(&mut self.clock, channel, change) {
            self.announce_head(channel, head.arrival);
        }
        if let Some(next) = self.flow.drawing_output(channel) {
            self.plan(next);
        }
    }

    /// An output to another part has taken a packet.
    #[cold]
    pub(super) fn cross_border(&mut self, output: ChannelId, departure: &Departure, passes: bool) {
        let packet = self.traffic.packets[departure.packet].clone();
        let letter = self.letter_over(output);
        letter.packets.push(packet);
        letter.moves.push(Move::Take {
            channel: output,
            earliest: departure.earliest,
            flits: departure.flits,
            passes,
        });
        self.borders.packets_gone += 1;
    }

    /// An output to another part sends by another plan.
    #[cold]
    pub(super) fn tell_change(&mut self, output: ChannelId, change: &Change<T::Stride>) {
        let (run, closed) = (change.run, change.closed);
        self.letter_over(output).moves.push(Move::Change {
            channel: output,
            run,
            closed,
        });
    }

    /// The tail of a packet has left for another part.
    #[cold]
    pub(super) fn tail_sent_over_border(&mut self, packet: PacketId) {
        self.traffic.packets.remove(packet);
        self.borders.packets_gone -= 1;
    }

    fn letter_over(&mut self, output: ChannelId) -> &mut Letter<T::Stride> {
        let receiver = self.flow.channels[output].ends.far_switch();
        let letter = receiver.and_then(|switch| self.borders.letter_to(switch));
        let Some(letter) = letter else {
            unreachable!("a channel over a border leads to another part")
        };
        letter
    }

    /// The channel out of a host.
    pub(in crate::wormhole) fn injection(&self, host: HostId) -> ChannelId {
        self.hosts.injection(host)
    }

    /// Flits sent on a channel of the part's.
    pub(in crate::wormhole) fn flits_sent(&self, channel: ChannelId) -> u64 {
        self.flow.flits_sent(self.clock.now(), channel)
    }
}
