//! One simulation of a large network in parts, on one thread and on several, and what the windows
//! foretell for more processors than this machine has. Nothing is asserted; the figures are for comparing.
//!
//! ```text
//! cargo bench --package weft-benches --bench parts
//! ```
//!
//! The prediction: the time of all parts in turn on one thread, times the share of the events that are the
//! busiest part's of its window, and a meeting of all threads for each window.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use cpu_time::ThreadTime;
use std::time::Instant;
use weft::Fabric;
use weft::engine::wormhole::ListedRoutes;
use weft::engine::{Simulator, WindowCounts, cut_through, wormhole};
use weft::fabric::generate;
use weft::routing::CheckedRoutes;
use weft::{Machine, Network};
use weft_benches::{Measured, Result, Work};

const PAYLOAD_BYTES: u32 = 512;
/// Times that each is measured, in turn; the least counts.
const ROUNDS: usize = 3;
/// What a meeting takes for each thread that comes, in ns.
const MEETING_NS: f64 = 100.0;

fn main() -> Result<()> {
    let threads = std::thread::available_parallelism()?.get();
    println!(
        "{PAYLOAD_BYTES} bytes; times in ms, of the processor where one thread has it; speed-ups beside one \
         core; {threads} processors here"
    );
    wormhole(
        &generate::torus(16, 32, 8)?,
        "ud_itb:per=switch",
        0.003,
        40_000,
    )?;
    wormhole(
        &generate::torus(64, 32, 8)?,
        "updown:per=switch",
        0.002,
        20_000,
    )?;
    let trees = [
        (generate::k_ary_n_tree(16, 3)?, 3_000),
        (generate::k_ary_n_tree(24, 3)?, 1_000),
    ];
    for (tree, cycles) in &trees {
        wormhole(tree, "d_mod_k", 0.3, *cycles)?;
    }
    for (tree, cycles) in &trees {
        cut_through(tree, "d_mod_k", 0.5, *cycles)?;
    }
    cut_through(
        &generate::torus(64, 32, 8)?,
        "dimension_order",
        0.01,
        20_000,
    )
}

/// What all parts take in turn, and what their windows were like.
struct Found {
    time_ms: f64,
    work: Work,
    windows: u64,
    busiest_events: u64,
    letters: u64,
}

struct Bench<M> {
    /// Makes an engine of so many parts, on so many threads.
    make: M,
    cycles: u64,
}

/// An engine of either model.
trait Divided: Simulator {
    fn window_counts(&self) -> WindowCounts;
}

impl Divided for wormhole::Engine<'_> {
    fn window_counts(&self) -> WindowCounts {
        self.window_counts()
    }
}

impl Divided for cut_through::Engine<'_> {
    fn window_counts(&self) -> WindowCounts {
        self.window_counts()
    }
}

impl<E: Divided, M: Fn(usize, usize) -> Result<E>> Bench<M> {
    /// Simulates as many cycles again as for a warm-up.
    fn measure(&self, part_count: usize, thread_count: usize) -> Result<Found> {
        let mut engine = (self.make)(part_count, thread_count)?;
        engine.advance(self.cycles, &mut Work::default());
        let (counters, counts) = (engine.counters(), engine.window_counts());
        let mut work = Work::default();
        let (start, own_start) = (Instant::now(), ThreadTime::now());
        engine.advance(2 * self.cycles, &mut work);
        let time = if thread_count > 1 {
            start.elapsed()
        } else {
            own_start.elapsed()
        };
        let time_ms = time.as_secs_f64() * 1e3;
        let (after, windows) = (engine.counters(), engine.window_counts());
        work.counters.events = after.events - counters.events;
        work.counters.packet_hops = after.packet_hops - counters.packet_hops;
        Ok(Found {
            time_ms,
            work,
            windows: windows.windows - counts.windows,
            busiest_events: windows.events_of_busiest - counts.events_of_busiest,
            letters: windows.letters - counts.letters,
        })
    }

    /// The least time of several, here and there in turn.
    fn least(&self, layouts: &[[usize; 2]]) -> Result<Vec<Found>> {
        let mut best: Vec<Option<Found>> = layouts.iter().map(|_| None).collect();
        for _ in 0..ROUNDS {
            for (best, &[parts, threads]) in best.iter_mut().zip(layouts) {
                let found = self.measure(parts, threads)?;
                if best
                    .as_ref()
                    .is_none_or(|best| found.time_ms < best.time_ms)
                {
                    *best = Some(found);
                }
            }
        }
        Ok(best.into_iter().flatten().collect())
    }
}

fn wormhole(fabric: &Fabric, routing: &str, load: f64, cycles: u64) -> Result<()> {
    let network = Measured::myrinet(fabric, routing, &[])?;
    let asked = Network::new(&network.routed, &network.hardware)?;
    let Machine::Wormhole { model, .. } = asked.machine() else {
        return Err("myrinet is wormhole hardware".into());
    };
    let fixed = network.routed.routing().fixed("a division")?;
    let routes = ListedRoutes::new(fabric, fixed.routes.to_source_routes(fabric))?;
    let workload = network.workload(PAYLOAD_BYTES, load)?;
    let make = |parts, threads| {
        use wormhole::Engine;
        if parts < 2 {
            return Ok(Engine::new(fabric, &routes, model, &workload)?);
        }
        let division = Engine::balanced(fabric, &routes, model, &workload, parts)?;
        let engine = Engine::divided(fabric, &routes, model, &workload, division, threads)?;
        Ok(engine)
    };
    report(fabric, routing, load, &Bench { make, cycles })
}

fn cut_through(fabric: &Fabric, routing: &str, load: f64, cycles: u64) -> Result<()> {
    let network = Measured::infiniband(fabric, routing, &[])?;
    let asked = Network::new(&network.routed, &network.hardware)?;
    let Machine::CutThrough(setup) = asked.machine() else {
        return Err("infiniband_1x is cut-through hardware".into());
    };
    let hardware = (&setup.model, &setup.channels);
    let routes = CheckedRoutes::new(fabric, network.routed.routing().clone())?;
    let workload = network.workload(PAYLOAD_BYTES, load)?;
    let make = |parts, threads| {
        use cut_through::Engine;
        if parts < 2 {
            return Ok(Engine::on_threads(fabric, &routes, hardware, &workload, 1)?);
        }
        let division = Engine::balanced(fabric, &routes, hardware, &workload, parts)?;
        let engine = Engine::divided(fabric, &routes, hardware, &workload, &division, threads)?;
        Ok(engine)
    };
    report(fabric, routing, load, &Bench { make, cycles })
}

fn report<E: Divided>(
    fabric: &Fabric,
    routing: &str,
    load: f64,
    bench: &Bench<impl Fn(usize, usize) -> Result<E>>,
) -> Result<()> {
    let cycles = bench.cycles;
    let layouts = [[1, 1], [2, 1], [2, 2], [16, 1], [64, 1]];
    let found = bench.least(&layouts)?;
    let one = &found[0];
    println!(
        "\n{} {routing}, {} hosts, load {load}, {cycles} cycles: one core {:.0} ms, {} events, {:.1} ns each, {} hops",
        fabric.name(),
        fabric.host_count(),
        one.time_ms,
        one.work.counters.events,
        one.time_ms * 1e6 / one.work.counters.events as f64,
        one.work.counters.packet_hops,
    );
    println!(
        "parts  in turn  events  windows  events a window  busiest  letters a window  foretold"
    );
    for (&[parts, threads], in_turn) in layouts.iter().zip(&found).skip(1) {
        if threads > 1 {
            println!(
                "measured on {threads} threads: {:.2} times",
                one.time_ms / in_turn.time_ms
            );
            continue;
        }
        let events = in_turn.work.counters.events as f64;
        let windows = in_turn.windows as f64;
        let busiest = in_turn.busiest_events as f64 / events;
        let meetings_ms = windows * MEETING_NS * parts as f64 / 1e6;
        let foretold_ms = in_turn.time_ms * busiest + meetings_ms;
        println!(
            "{parts:5}  {:7.0}  {:6.2}  {windows:7}  {:15.0}  {:5.2} %  {:16.2}  {:8.2}",
            in_turn.time_ms,
            events / one.work.counters.events as f64,
            events / windows,
            100.0 * busiest,
            in_turn.letters as f64 / windows,
            one.time_ms / foretold_ms
        );
    }
    Ok(())
}
