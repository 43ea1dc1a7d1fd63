//! Traffic beside jobs, as ranks that send messages at drawn times to ranks that take them, for ever.

use super::{Dependency, Task, Work};
use crate::workload::Traffic;
use crate::workload::traffic::TrafficStream;
use weft_fabric::{HostId, narrow};

/// Traffic whose packets are messages. Rank *h* sends for host *h*, and rank *n + h* receives what comes to it, for
/// *n* hosts.
#[derive(Clone, Debug)]
pub struct Background {
    traffic: Traffic,
    host_count: u32,
}

/// How far one of its ranks is.
#[derive(Clone, Debug, Default)]
pub(super) struct BackgroundStream {
    drawn: Option<TrafficStream>,
    /// The message that is sent next.
    send: Option<Work>,
    /// Tasks taken.
    taken: u64,
}

/// Waits for the times of messages, beside the processor that sends them: what is called for meanwhile goes on.
const CLOCK_CPU: u8 = 1;

impl Background {
    /// Lets traffic among the hosts of a fabric be sent through a messaging layer: messages leave when the traffic
    /// says, or as soon after as the processor can.
    pub fn new(traffic: Traffic) -> Self {
        let hosts = traffic.destinations().host_count();
        Self {
            host_count: narrow(hosts, "hosts are numbers of 32 bits"),
            traffic,
        }
    }

    pub(super) fn rank_count(&self) -> usize {
        2 * self.host_count as usize
    }

    pub(super) fn next_task(
        &self,
        rank: u32,
        stream: &mut BackgroundStream,
        dependencies: &mut Vec<Dependency>,
    ) -> Option<Task> {
        let work = if rank >= self.host_count {
            Some(Work::Receive {
                from: None,
                tag: None,
            })
        } else {
            self.next_of_sender(rank, stream)
        };
        // A message that takes long holds up nothing behind it; its time has come before another's.
        let (cpu, waits_for): (_, fn(u64) -> Dependency) = match work {
            Some(Work::Until { .. }) => (CLOCK_CPU, Dependency::start),
            _ => (0, Dependency::end),
        };
        dependencies.extend(stream.taken.checked_sub(1).map(waits_for));
        stream.taken += 1;
        work.map(|work| Task {
            cpu,
            ..Task::new(work, 0)
        })
    }

    /// By turns: to wait for the time of the next message, and to send it.
    fn next_of_sender(&self, rank: u32, stream: &mut BackgroundStream) -> Option<Work> {
        if let Some(send) = stream.send.take() {
            return Some(send);
        }
        let host = HostId::new(rank);
        let drawn = match &mut stream.drawn {
            Some(drawn) => drawn,
            none => none.insert(self.traffic.stream(host)),
        };
        let packet = self.traffic.next_packet(drawn)?;
        stream.send = Some(Work::Send {
            to: self.host_count + packet.destination.number(),
            tag: 0,
            bytes: packet.payload_bytes.into(),
        });
        Some(Work::Until {
            cycle: packet.generation_cycle,
        })
    }
}
