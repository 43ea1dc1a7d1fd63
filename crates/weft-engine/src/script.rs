//! A program as an engine runs it: what its hosts send, and when they act next.

use weft_fabric::HostId;
use weft_model::PacketRecord;
use weft_model::workload::{Execution, Packet, Program};

/// A program and how far its hosts are.
#[derive(Debug)]
pub(crate) struct Script<'a> {
    program: &'a Program,
    execution: Execution,
}

/// What a host does in one cycle.
#[derive(Debug)]
pub(crate) struct Act {
    /// Packets it sends from now on.
    pub(crate) packets: Vec<Packet>,
    /// Cycle in which it acts again, if that is known.
    pub(crate) next_cycle: Option<u64>,
}

impl<'a> Script<'a> {
    /// A program of which nothing has been done.
    pub(crate) fn new(program: &'a Program) -> Self {
        Self {
            program,
            execution: Execution::new(program),
        }
    }

    /// How far the hosts are.
    pub(crate) fn execution(&self) -> &Execution {
        &self.execution
    }

    /// The next cycle in which a host has to act, if that is known.
    pub(crate) fn next_cycle(&self, host: HostId) -> Option<u64> {
        self.execution.next_cycle(self.program, host)
    }

    /// Takes note of a packet that is, or will be, delivered; it returns the cycle in which the
    /// destination has to act next where that has changed.
    #[cold]
    pub(crate) fn deliver(&mut self, record: &PacketRecord) -> Option<u64> {
        let host = record.destination;
        let planned = self.next_cycle(host);
        let name = (record.source, record.sequence);
        self.execution
            .deliver(self.program, record.delivery_cycle, host, name);
        self.next_cycle(host)
            .filter(|&cycle| planned != Some(cycle))
    }

    /// Lets a host act in cycle `now`; nothing where it has nothing to do in it, or did so
    /// already.
    pub(crate) fn act(&mut self, host: HostId, now: u64) -> Option<Act> {
        if self.next_cycle(host) != Some(now) {
            return None;
        }
        let mut packets = Vec::new();
        self.execution.act(self.program, host, now, &mut packets);
        let next_cycle = self.next_cycle(host);
        Some(Act {
            packets,
            next_cycle,
        })
    }
}
