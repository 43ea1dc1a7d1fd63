//! What an output can draw from the buffer or NIC memory behind it, and from when.

use super::Engine;
use super::state::LOCAL;

/// What an output can draw from its input from some cycle on.
pub(super) struct Supply {
    pub(super) start: u64,
    pub(super) flits: u64,
    /// Whether a pause follows these for certain, because the next flits arrive too late.
    pub(super) pauses: bool,
}

impl Engine<'_> {
    /// What the present packet of an output can draw from its input, from flit `sent` of the packet
    /// on and from cycle `from` on: the first cycle, and how many flits without a pause. `None`
    /// when it is not known when the flit will arrive.
    pub(super) fn supply(&self, channel: u32, sent: u64, from: u64) -> Option<Supply> {
        let output = &self.channels[channel as usize].output;
        let remaining = u64::from(output.flits) - sent;
        if output.input == LOCAL {
            return Some(Supply {
                start: from,
                flits: remaining,
                pauses: false,
            });
        }
        let feed = &self.channels[output.input as usize].output;
        let next = output.first_index + sent;
        let total = feed.total_before_run + feed.run.flits();
        if next >= total {
            return None;
        }
        if next >= feed.total_before_run {
            let arrival = feed.run.start + (next - feed.total_before_run) + self.flight;
            let flits = (total - next).min(remaining);
            return Some(Supply {
                start: from.max(arrival),
                flits,
                pauses: false,
            });
        }
        // The flit belongs to an earlier run. Find the run it is in, then follow the runs as long
        // as each begins to arrive before the flits so far have been sent.
        let mut available = feed.total_before_run - next;
        let mut start = from;
        if feed.history_end + self.flight > from {
            let mut age = 0;
            let mut run_total = feed.total_before_run;
            while let Some(run) = self.runs.get(output.input, age) {
                let before = run_total - run.flits();
                if before <= next {
                    start = from.max(run.start + (next - before) + self.flight);
                    break;
                }
                run_total = before;
                age += 1;
            }
            available = run_total - next;
            while age > 0 {
                age -= 1;
                let Some(run) = self.runs.get(output.input, age) else {
                    break;
                };
                if run.start + self.flight > start + available {
                    let pauses = available < remaining;
                    return Some(Supply {
                        start,
                        flits: available.min(remaining),
                        pauses,
                    });
                }
                available += run.flits();
            }
        }
        if feed.run.start + self.flight <= start + available {
            available += feed.run.flits();
        }
        let pauses = available < remaining && next + available < total;
        Some(Supply {
            start,
            flits: available.min(remaining),
            pauses,
        })
    }
}
