//! Programs: hosts that act on what is delivered.

use super::Engine;
use super::event::Event;
use weft_fabric::HostId;
use weft_model::PacketRecord;

impl Engine<'_> {
    /// This plans the first acts of all hosts.
    pub(super) fn plan_first_acts(&mut self) {
        for host in 0..self.sources.len() {
            self.plan_act(HostId::from_index(host));
        }
    }

    /// This plans the next cycle in which a host has to act.
    fn plan_act(&mut self, host: HostId) {
        if let (Some(program), Some(execution)) = (self.workload.program(), &self.execution)
            && let Some(cycle) = execution.next_cycle(program, host)
        {
            self.queue.push(cycle, Event::Act.at(host.number()));
        }
    }

    /// This tells a program of a packet that is, or will be, delivered.
    #[cold]
    pub(super) fn tell_program(&mut self, record: &PacketRecord) {
        let (Some(program), Some(execution)) = (self.workload.program(), &mut self.execution)
        else {
            return;
        };
        let host = record.destination;
        let planned = execution.next_cycle(program, host);
        let name = (record.source, record.sequence);
        execution.deliver(program, record.delivery_cycle, host, name);
        if execution.next_cycle(program, host) != planned {
            self.plan_act(host);
        }
    }

    /// A host of a program may have something to do; not if it did so in this cycle already.
    pub(super) fn act(&mut self, host: u32) {
        let id = HostId::new(host);
        let (Some(program), Some(execution)) = (self.workload.program(), &mut self.execution)
        else {
            return;
        };
        if execution.next_cycle(program, id) != Some(self.now) {
            return;
        }
        let mut packets = Vec::new();
        execution.act(program, id, self.now, &mut packets);
        self.plan_act(id);
        if !packets.is_empty() {
            let source = &mut self.sources[host as usize];
            source.queue(packets);
            let channel = source.channel;
            self.contest(channel);
        }
    }
}
