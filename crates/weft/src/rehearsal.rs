//! A failure and its repair under traffic: what is lost, how long packets take meanwhile, and whether any wait for
//! one another for ever.

use crate::machine::Task;
use crate::rehearsal_error::RehearsalError;
use crate::rehearsal_events::{Happening, check_time, to_cycle};
use crate::{Error, Network, OfferedTraffic};
use std::ops::ControlFlow;
use weft_engine::run::{Conditions, RunError};
use weft_engine::{Probe, Simulator, WaitingPacket};
use weft_model::workload::Workload;
use weft_model::{LossCause, LossRecord, PacketRecord};

/// What is rehearsed.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// What happens.
    pub happening: Happening,
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
    /// Payload delivered, as a share of what all sending hosts offer at a load of 1: what their links carry, less where they
    /// have amounts.
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
        let rehearsing = Rehearsing {
            conditions: Conditions::of(fabric, &traffic, cycle_ns, flit_bytes),
            rehearsal,
            cycle_ns,
            on_window,
        };
        let changing = self.clone().with_happening(rehearsal.happening.clone())?;
        changing.on_engine(&Workload::Traffic(traffic), rehearsing)
    }
}

/// A rehearsal on an engine.
struct Rehearsing<'a> {
    conditions: Conditions,
    rehearsal: &'a Rehearsal,
    cycle_ns: f64,
    on_window: &'a mut dyn FnMut(usize) -> ControlFlow<()>,
}

impl Task for Rehearsing<'_> {
    type Outcome = Rehearsed;

    fn run(self, engine: &mut impl Simulator) -> Result<Rehearsed, RunError> {
        let (cycle_ns, on_window) = (self.cycle_ns, self.on_window);
        self.rehearsal
            .in_windows(engine, cycle_ns, &self.conditions, on_window)
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
    ) -> Result<Rehearsed, RunError> {
        let windows = (self.until_ns / self.window_ns).ceil();
        let full_load_bytes = conditions.full_load_bytes_per_cycle_of_all();
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
                accepted_load: sums.payload_bytes as f64 / (cycles * full_load_bytes),
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
                return Err(RunError::Interrupted);
            }
        }
        if found.deadlock_ns.is_none() {
            found.waiting_cycle.clear();
        }
        found.under_way_packets = engine.counters().packets_alive;
        Ok(found)
    }

    fn check(&self) -> Result<(), RehearsalError> {
        let until = self.until_ns;
        let is_end = until.is_finite() && until > 0.0;
        check_time("the end", until, is_end, "more than 0")?;
        let window = self.window_ns;
        let is_window = window > 0.0 && window <= until && until / window <= MOST_WINDOWS;
        let expected = "more than 0, no more than the end, and no less than a 100,000th of it";
        check_time("a window", window, is_window, expected)?;
        self.happening.check(until)
    }
}
