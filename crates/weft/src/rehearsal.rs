//! A failure and its repair under traffic: what is lost, how long packets take meanwhile, and whether any wait for
//! one another for ever.

use crate::rehearsal_error::RehearsalError;
use crate::rehearsal_events::{Event, TimedEvent, changes_of_routes, changes_of_tables, to_cycle};
use crate::{Error, Machine, Network, OfferedTraffic};
use std::ops::ControlFlow;
use weft_engine::run::{Conditions, RunError};
use weft_engine::{Probe, Simulator, WaitingPacket, cut_through, wormhole};
use weft_model::changes::{Changes, Retries};
use weft_model::workload::Workload;
use weft_model::{LossCause, LossRecord, PacketRecord};

/// What is rehearsed.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// All that happens.
    pub events: Vec<TimedEvent>,
    /// How long a source waits before it sends again what was lost, in ns, and how often it does; without, what is
    /// lost is gone.
    pub retries: Option<(f64, u32)>,
    /// When it ends, in ns.
    pub until_ns: f64,
    /// What figures are told for, one after another, in ns.
    pub window_ns: f64,
}

/// The most windows there are.
const MOST_WINDOWS: f64 = 100_000.0;

/// What happened in a stretch of time. Packets count in the one that they arrive or are lost in.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// Where it begins, in ns.
    pub begin_ns: f64,
    /// Where it ends.
    pub end_ns: f64,
    /// Packets delivered.
    pub packets: u64,
    /// Payload delivered, as a share of what the links of all sending hosts carry.
    pub accepted_load: f64,
    /// Mean latency of these from their generation, in ns; not a number where there is none.
    pub mean_latency_ns: f64,
    /// The longest.
    pub most_latency_ns: f64,
    /// Packets lost on channels that were down, or broken by a failure: each time they were sent.
    pub lost_by_failure: u64,
    /// Packets lost where a switch had no entry, or their host no route.
    pub lost_without_entry: u64,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rehearsed {
    /// One after another.
    pub windows: Vec<Window>,
    /// What hosts offer, as a share of their links.
    pub offered_load: f64,
    /// Packets in the network at the end.
    pub under_way_packets: u64,
    /// At the end of which window packets were first found to wait for one another, and still do at the end, in ns.
    pub deadlock_ns: Option<f64>,
    /// These packets.
    pub waiting_cycle: Vec<WaitingPacket>,
}

/// What a window sums up.
#[derive(Default)]
struct Sums {
    packets: u64,
    payload_bytes: u64,
    latency_cycles: u64,
    most_cycles: u64,
    by_failure: u64,
    without_entry: u64,
}

impl Probe for Sums {
    fn delivered(&mut self, record: &PacketRecord) {
        let latency = record.delivery_cycle - record.generation_cycle;
        self.packets += 1;
        self.payload_bytes += u64::from(record.payload_bytes);
        self.latency_cycles += latency;
        self.most_cycles = self.most_cycles.max(latency);
    }

    fn lost(&mut self, record: &LossRecord) {
        match record.cause {
            LossCause::NoEntry => self.without_entry += 1,
            LossCause::Failure => self.by_failure += 1,
            // What happens on sound networks too.
            LossCause::Overflow | LossCause::Damage | LossCause::Timeout => {}
        }
    }
}

impl Network<'_> {
    /// Lets events happen to the network under random traffic. `on_window` is called after each window and ends the
    /// run with `ControlFlow::Break`.
    ///
    /// # Errors
    /// [`Error::Rehearsal`] where times, parts, tables or hardware do not fit; else as
    /// [`simulate`](Self::simulate).
    pub fn rehearse(
        &self,
        traffic: &OfferedTraffic,
        rehearsal: &Rehearsal,
        on_window: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Rehearsed, Error> {
        rehearsal.check()?;
        let fabric = self.fabric();
        let traffic = traffic.on(fabric, &self.machine)?;
        let (cycle_ns, flit_bytes) = (self.machine.cycle_ns(), self.machine.flit_bytes());
        let conditions = Conditions::of(fabric, &traffic, cycle_ns, flit_bytes);
        let workload = Workload::Traffic(traffic);
        let (events, retries) = (&rehearsal.events, rehearsal.retries(cycle_ns));
        match &self.machine {
            Machine::CutThrough(setup) => {
                let (changes, others) = changes_of_tables(events, self.routed, cycle_ns)?;
                let changes = Changes::new(changes, retries);
                let hardware = (&setup.model, &setup.channels);
                let routes = self.routed.checked()?;
                let mut engine = cut_through::Engine::with_changes(
                    fabric, routes, &others, &changes, hardware, &workload,
                )?;
                rehearsal.in_windows(&mut engine, cycle_ns, &conditions, on_window)
            }
            Machine::Wormhole { model, .. } => {
                let routes = self.routed.listed("wormhole switching")?;
                let (changes, others) = changes_of_routes(events, fabric, cycle_ns)?;
                let changes = Changes::new(changes, retries);
                let mut engine = wormhole::Engine::with_changes(
                    fabric, routes, &others, &changes, model, &workload,
                )?;
                rehearsal.in_windows(&mut engine, cycle_ns, &conditions, on_window)
            }
        }
    }
}

impl Rehearsal {
    /// Lets a network run window by window.
    fn in_windows(
        &self,
        engine: &mut impl Simulator,
        cycle_ns: f64,
        conditions: &Conditions,
        on_window: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Rehearsed, Error> {
        let windows = (self.until_ns / self.window_ns).ceil();
        let link_bytes = conditions.sending_host_count as f64 * conditions.link_bytes_per_cycle;
        let mut found = Rehearsed {
            windows: Vec::new(),
            offered_load: conditions.offered_load,
            under_way_packets: 0,
            deadlock_ns: None,
            waiting_cycle: Vec::new(),
        };
        let mut begin = 0;
        for number in 1..=to_cycle(windows) {
            let end_ns = (number as f64 * self.window_ns).min(self.until_ns);
            let end = to_cycle(end_ns / cycle_ns).max(begin);
            let mut sums = Sums::default();
            engine.advance(end, &mut sums);
            let cycles = (end - begin) as f64;
            found.windows.push(Window {
                begin_ns: begin as f64 * cycle_ns,
                end_ns: end as f64 * cycle_ns,
                packets: sums.packets,
                accepted_load: sums.payload_bytes as f64 / (cycles * link_bytes),
                mean_latency_ns: sums.latency_cycles as f64 / sums.packets as f64 * cycle_ns,
                most_latency_ns: sums.most_cycles as f64 * cycle_ns,
                lost_by_failure: sums.by_failure,
                lost_without_entry: sums.without_entry,
            });
            begin = end;
            // What waits in a circle may be freed by a failure yet.
            match engine.waiting_cycle() {
                None => found.deadlock_ns = None,
                Some(cycle) => {
                    found.deadlock_ns.get_or_insert(end as f64 * cycle_ns);
                    found.waiting_cycle = cycle;
                }
            }
            if on_window(found.windows.len()).is_break() {
                return Err(RunError::Interrupted.into());
            }
        }
        if found.deadlock_ns.is_none() {
            found.waiting_cycle.clear();
        }
        found.under_way_packets = engine.counters().packets_alive;
        Ok(found)
    }

    fn check(&self) -> Result<(), RehearsalError> {
        let time = |what, found: f64, is_right: bool, expected| {
            let error = RehearsalError::Time {
                what,
                found,
                expected,
            };
            if is_right { Ok(()) } else { Err(error) }
        };
        let until = self.until_ns;
        let is_end = until.is_finite() && until > 0.0;
        time("the end", until, is_end, "more than 0")?;
        let window = self.window_ns;
        let is_window = window > 0.0 && window <= until && until / window <= MOST_WINDOWS;
        let expected = "more than 0, no more than the end, and no less than a 100,000th of it";
        time("a window", window, is_window, expected)?;
        for TimedEvent { at_ns, event } in &self.events {
            let is_in = (0.0..until).contains(at_ns);
            time(
                "the time of an event",
                *at_ns,
                is_in,
                "0 or more, before the end",
            )?;
            if let &(Event::Tables { each_after_ns, .. } | Event::Entries { each_after_ns, .. }) =
                event
            {
                let is_right = each_after_ns.is_finite() && each_after_ns >= 0.0;
                let what = "the time from one switch to the next";
                time(what, each_after_ns, is_right, "0 or more")?;
            }
        }
        if let Some((timeout_ns, _)) = self.retries {
            let is_right = timeout_ns.is_finite() && timeout_ns > 0.0;
            time(
                "the timeout of sources",
                timeout_ns,
                is_right,
                "more than 0",
            )?;
        }
        Ok(())
    }

    fn retries(&self, cycle_ns: f64) -> Option<Retries> {
        self.retries.map(|(timeout_ns, count)| Retries {
            timeout_cycles: to_cycle(timeout_ns / cycle_ns).max(1),
            count,
        })
    }
}
