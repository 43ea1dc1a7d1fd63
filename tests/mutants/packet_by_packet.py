"""The mistakes planted in what processors do for each packet, and in the order of exchanges."""

from __future__ import annotations

from mutants import mutants

PACKET_BY_PACKET = mutants(
    "packet_by_packet",
    r"""
crates/weft-model/src/workload/program/execution/by_packet.rs
  packets: a task that waits goes before the next
    - .ask_before_tasks(cpu, Job::Packet(index, number));
    + .ask(cpu, Job::Packet(index, number));
  packets: an announcement takes as long as the first
    - messaging.send.packet_cycles(0, true)
    + messaging.send.packet_cycles(messaging.payload_bytes(bytes, 0), true)
  packets: the last is taken without its message
    - messaging.receive.packet_cycles(payload, true)
    + messaging.receive.packet_cycles(payload, false)
  packets: the last ends no send
    - if number > 0 && stage == Stage::Eager && !messaging.blocking {
    + if number > 0 && stage == Stage::Called && !messaging.blocking {
  nodes: a message inside costs as much as one over the network
    - is_inside.then_some(self.messaging.inner_overhead)
    + is_inside.then_some(1.0)
  packets: each ends the send that blocks
    - ends: (ends_send && is_last).then_some(message.send),
    + ends: ends_send.then_some(message.send),
crates/weft-model/src/workload/program/execution/nic.rs
  packets: those before the last are taken in no time
    - self.own().processors.ask(0, Job::Take);
    + let _ = Job::Take;
crates/weft-model/src/workload/program/execution/step.rs
  packets: a send is over with its first
    - is_eager && is_whole && !messaging.blocking
    + is_eager && !messaging.blocking
crates/weft-model/src/workload/program/collective/all.rs
  in order: each rank begins with the one behind it
    - for other in (0..self.ranks).filter(|&other| other != own) {
    + for other in (own + 1..self.ranks).chain(0..own) {
""",
)
