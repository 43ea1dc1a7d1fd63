//! Programs: hosts that act on what is delivered.

use super::Core;
use super::event::Event;
use super::run::Timing;
use weft_fabric::HostId;
use weft_model::PacketRecord;

impl<T: Timing> Core<'_, T> {
    /// Plans the first acts of all hosts.
    pub(super) fn plan_first_acts(&mut self) {
        let Some(script) = &self.script else { return };
        for host in (0..self.nics.len()).map(HostId::from_index) {
            if let Some(cycle) = script.next_cycle(host) {
                self.queue.push(cycle, Event::Act.on(host.number()));
            }
        }
    }

    /// Tells a program of a packet that is, or will be, delivered.
    #[cold]
    pub(super) fn tell_program(&mut self, record: &PacketRecord) {
        let cycle = self
            .script
            .as_mut()
            .and_then(|script| script.deliver(record));
        if let Some(cycle) = cycle {
            let host = record.destination.number();
            self.queue.push(cycle, Event::Act.on(host));
        }
    }

    /// A host of a program may have something to do.
    pub(super) fn handle_act(&mut self, host: u32) {
        let Some(script) = &mut self.script else {
            return;
        };
        let Some(act) = script.act(HostId::new(host), self.now) else {
            return;
        };
        if let Some(cycle) = act.next_cycle {
            self.queue.push(cycle, Event::Act.on(host));
        }
        if !act.packets.is_empty() {
            self.nics[host as usize].queue(act.packets);
            self.undecided.push(host);
        }
    }
}
