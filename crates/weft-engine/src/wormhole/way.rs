//! The way of a packet: a few ports of its route are carried along, so that the routes of all pairs, too
//! many for any cache, are looked at seldom.

use super::Core;
use super::run::Timing;
use super::state::Packet;

/// Ports carried along.
const CARRIED: u16 = 8;

impl Packet {
    /// The output port it takes at the switch its head is in front of.
    #[inline]
    pub(super) fn next_port(&self) -> usize {
        usize::from(self.ports.to_le_bytes()[0])
    }
}

impl<T: Timing> Core<'_, T> {
    /// The head of a packet takes its next step.
    #[inline]
    pub(super) fn take_step(&mut self, packet: u32) {
        let state = &mut self.packets[packet];
        state.step += 1;
        state.ports >>= 8;
        if state.step.is_multiple_of(CARRIED) {
            let (source, destination, step) = (state.source, state.destination, state.step);
            let ports = self.ports_from(source, destination, step);
            self.packets[packet].ports = ports;
        }
    }

    /// The ports taken from a step on, as [`Packet::ports`] holds them.
    pub(super) fn ports_from(&self, source: u32, destination: u32, step: u16) -> u64 {
        let steps = self.steps(source, destination);
        let mut ports = [0; CARRIED as usize];
        let left = steps.iter().skip(step.into()).map(|port| port.number());
        let last = self.host_ports[destination as usize];
        for (place, port) in ports.iter_mut().zip(left.chain([last])) {
            *place = port;
        }
        u64::from_le_bytes(ports)
    }

    /// Flits that a packet at the end of its way, on its last channel, has sent over all of them.
    pub(super) fn flit_hops(&self, packet: &Packet) -> u64 {
        let steps = self.steps(packet.source, packet.destination);
        let mut here = self.host_switches[packet.source as usize];
        let mut flits = u64::from(packet.flits)
            + u64::from(packet.step_count)
            + 1
            + u64::from(packet.in_transit_stops);
        let mut hops = flits;
        for port in steps {
            flits -= 1;
            hops += flits;
            let channel = self.port_channels[here as usize * self.ports_per_switch + port.index()];
            let ends = &self.channels[channel as usize].ends;
            if ends.target_host() == super::state::NONE {
                here = ends.target_switch();
            } else {
                // The mark stays at the host, which sends the rest back.
                flits -= 1;
                hops += flits;
            }
        }
        hops + flits - 1
    }
}
