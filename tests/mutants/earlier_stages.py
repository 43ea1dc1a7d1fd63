"""The mistakes planted in what engines ask of the stages before them: ways, draws, ranks."""

from __future__ import annotations

from mutants import Mutant

FORM = "crates/weft-routing/src/form"
MODEL = "crates/weft-model/src"
EXECUTION = "crates/weft-model/src/workload/program/execution"


def _way(name: str, file: str, search: str, replace: str) -> Mutant:
    return Mutant(name, file, search, replace, "cut_through", folder=FORM)


def _draw(name: str, file: str, search: str, replace: str) -> Mutant:
    return Mutant(name, file, search, replace, "wormhole", folder=MODEL)


def _rank(name: str, file: str, search: str, replace: str) -> Mutant:
    return Mutant(name, file, search, replace, "programs", folder=EXECUTION)


EARLIER_STAGES = (
    _way(
        "ways: all packets of a pair take the first turn",
        "packet_forwarding.rs",
        "(turn + 1) % self.routes.turns()",
        "turn",
    ),
    _way(
        "ways: input and output port of a lane table swapped",
        "packet_forwarding.rs",
        "[entry.port, port]",
        "[port, entry.port]",
    ),
    _way(
        "ways: in later turns the steps keep the lanes of the first",
        "packet_forwarding.rs",
        "own.number() + header.first_lane",
        "own.number()",
    ),
    _way(
        "choice: a packet on the escape may leave it",
        "adaptive/packet_choices.rs",
        "switches_before > 0 && tables.is_escape(entry.lane)",
        "false",
    ),
    _way(
        "choice: a packet from its host on lane 0 is on the escape",
        "adaptive/packet_choices.rs",
        "switches_before > 0 && tables.is_escape(entry.lane)",
        "tables.is_escape(entry.lane)",
    ),
    _way(
        "choice: the second phase has the lanes of the first",
        "adaptive/packet_choices.rs",
        "routes.step([by_way_of, to], 1, step)",
        "routes.step([by_way_of, to], 0, step)",
    ),
    _way(
        "choice: the links of a way do not count",
        "adaptive/packet_choices.rs",
        "taken_flits[way] * u64::from(branches[way].links)",
        "taken_flits[way]",
    ),
    _way(
        "choice: the first of the intermediate switches is never drawn",
        "adaptive/packet_choices.rs",
        "0..switches.len()",
        "1.min(switches.len() - 1)..switches.len()",
    ),
    _draw(
        "draws: output and grant change places in the key of arbitration",
        "arbitration.rs",
        "[u64::from(output), grant_number]",
        "[grant_number, u64::from(output)]",
    ),
    _draw(
        "draws: a flit has one bit that can be damaged",
        "loss.rs",
        "FLIT_BITS * flit_hops as f64",
        "flit_hops as f64",
    ),
    _draw(
        "firmware: other DMA engines do not slow a transfer",
        "firmware.rs",
        "(alone + longer).max(1)",
        "alone.max(1)",
    ),
    _draw(
        "firmware: the dispatch takes no time",
        "firmware.rs",
        "u64::from(self.dispatch_cycles) + u64::from(cost)",
        "u64::from(cost)",
    ),
    _rank(
        "ranks: tasks that wait for an end go on at the start",
        "window.rs",
        "self.pass(number, Phase::Started, Moment::Start)",
        "self.pass(number, Phase::Started, Moment::End)",
    ),
    _rank(
        "ranks: the receive posted last takes the message",
        "mailbox.rs",
        "self.posted.iter().position(|posted| suits(posted, &seen))",
        "self.posted.iter().rposition(|posted| suits(posted, &seen))",
    ),
    _rank(
        "ranks: a message as long as an eager one is announced",
        "step.rs",
        "is_own || bytes <= messaging.eager_bytes",
        "is_own || bytes < messaging.eager_bytes",
    ),
    _rank(
        "bus: what is to leave waits for all that has come",
        "bus.rs",
        "self.came.is_empty() || self.came_in",
        "self.came.is_empty()",
    ),
    _rank(
        "ack-wait: the next packet leaves with the acknowledgement",
        "nic.rs",
        "self.now + messaging.next_packet_cycles",
        "self.now",
    ),
    _rank(
        "PUSH: the NIC fetches a packet in no time",
        "nic.rs",
        "now + messaging.push_cycles",
        "now",
    ),
)
