//! A program as an engine runs it: what its hosts send, and when they act next. Of other workloads it
//! has nothing to say.

use weft_fabric::HostId;
use weft_model::PacketRecord;
use weft_model::workload::{Execution, Program, Train, Workload};

/// A program and how far its hosts are, if the workload is a program.
#[derive(Debug)]
pub(crate) struct Script<'a>(Option<Box<Running<'a>>>);

#[derive(Debug)]
struct Running<'a> {
    program: &'a Program,
    execution: Execution,
    /// Room for the packets of a host that acts.
    packets: Vec<Train>,
}

/// What a host does in one cycle.
#[derive(Debug)]
pub(crate) struct Act {
    /// Packets it sends from now on.
    pub(crate) packets: Vec<Train>,
    /// Cycle in which it acts again, if that is known.
    next_cycle: Option<u64>,
    /// Other hosts that act earlier because of it, and when.
    wakes: Vec<(HostId, u64)>,
}

impl<'a> Script<'a> {
    /// A workload of which nothing has been done.
    pub(crate) fn new(workload: &'a Workload) -> Self {
        let running = |program| Running {
            program,
            execution: Execution::new(program),
            packets: Vec::new(),
        };
        Self(workload.program().map(running).map(Box::new))
    }

    /// How far the hosts are.
    pub(crate) fn execution(&self) -> Option<&Execution> {
        self.0.as_deref().map(|running| &running.execution)
    }

    /// The first cycle in which each host acts, if that is known.
    pub(crate) fn first_acts(&self, host_count: usize) -> Vec<(HostId, u64)> {
        let Some(running) = &self.0 else {
            return Vec::new();
        };
        let hosts = (0..host_count).map(HostId::from_index);
        hosts
            .filter_map(|host| Some((host, running.next_cycle(host)?)))
            .collect()
    }

    /// Takes note of a packet that is, or will be, delivered; it returns the cycle in which the
    /// destination has to act next where that has changed.
    #[inline]
    pub(crate) fn deliver(&mut self, record: &PacketRecord) -> Option<u64> {
        self.0.as_mut()?.deliver(record)
    }

    /// The same of the last of those packets that were generated together, of which none was told, and which all
    /// were, or will be, delivered before.
    pub(crate) fn deliver_all(&mut self, record: &PacketRecord) -> Option<u64> {
        let Running {
            program, execution, ..
        } = self.0.as_deref_mut()?;
        let name = (record.source, record.sequence);
        let (cycle, host) = (record.delivery_cycle, record.destination);
        execution.deliver_all(program, cycle, host, name)
    }

    /// Takes note of a packet, the last of those it was generated with, that leaves its queue pair now; it
    /// returns the cycle in which its host has to act next where that has changed.
    pub(crate) fn leave(&mut self, host: HostId, sequence: u64, now: u64) -> Option<u64> {
        let running = self.0.as_mut()?;
        let program = running.program;
        running.execution.leave(program, now, host, sequence)
    }

    /// Lets a host act in cycle `now`; nothing where it has nothing to do in it, or did so
    /// already.
    pub(crate) fn act(&mut self, host: HostId, now: u64) -> Option<Act> {
        let running = self.0.as_mut()?;
        if running.next_cycle(host) != Some(now) {
            return None;
        }
        let (mut packets, mut wakes) = (std::mem::take(&mut running.packets), Vec::new());
        let Running {
            program, execution, ..
        } = &mut **running;
        execution.act(program, host, now, &mut packets, &mut wakes);
        let next_cycle = running.next_cycle(host);
        Some(Act {
            packets,
            next_cycle,
            wakes,
        })
    }
}

impl Script<'_> {
    /// What a host did is done, and its packets were taken out: their room is used again.
    pub(crate) fn use_again(&mut self, act: Act) {
        if let Some(running) = &mut self.0 {
            running.packets = act.packets;
            running.packets.clear();
        }
    }
}

impl Act {
    /// Who acts when because of it: the host itself, and others.
    pub(crate) fn next_acts(&self, host: HostId) -> impl Iterator<Item = (HostId, u64)> {
        let own = self.next_cycle.map(|cycle| (host, cycle));
        own.into_iter().chain(self.wakes.iter().copied())
    }
}

impl Running<'_> {
    /// The next cycle in which a host has to act, if that is known.
    fn next_cycle(&self, host: HostId) -> Option<u64> {
        self.execution.next_cycle(self.program, host)
    }

    fn deliver(&mut self, record: &PacketRecord) -> Option<u64> {
        let name = (record.source, record.sequence);
        let (cycle, host) = (record.delivery_cycle, record.destination);
        self.execution.deliver(self.program, cycle, host, name)
    }
}
