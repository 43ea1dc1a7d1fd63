//! CPU time per packet-hop of the cut-through engine: 64 switches, a random regular network and an 8×8
//! torus, two lanes, packets of 32 bytes in all on the buffers of InfiniBand 1x, at 90 % of the highest
//! accepted traffic, with credits and with stop & go; then a three-level fat tree of 36-port switches
//! with 11,664 hosts at half load, and its memory. Median of five runs, one core.
//!
//! ```text
//! cargo bench --package weft-benches --bench cut_through
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use cpu_time::ThreadTime;
use std::num::NonZeroU32;
use weft_benches::{Delivered, Result, median, peak_memory_mb, uniform};
use weft_engine::cut_through::Engine;
use weft_engine::{Counters, Simulator};
use weft_fabric::{Fabric, generate};
use weft_model::cut_through::{CutThroughModel, FlowControl, PacketFormat};
use weft_model::workload::Workload;
use weft_model::{ChannelTiming, ChannelTimings};
use weft_routing::{Routes, algorithms};

const RUNS: usize = 5;

/// Length of all packets.
const PACKET_BYTES: u32 = 32;

/// A byte takes a cycle of 4 ns, 20 m and a switch 100 ns each.
const TIMINGS: ChannelTimings = ChannelTimings::Alike(ChannelTiming {
    cycles_per_flit: 1,
    flight_cycles: 25,
});

/// Stops and gos on the same buffers: a packet and what is under way fit above the stop.
const STOP_AND_GO: FlowControl = FlowControl::StopAndGo {
    stop_above_flits: 512,
    go_below_flits: 480,
    control_delay_cycles: 0,
};

fn model(lanes: u8, flow_control: FlowControl) -> CutThroughModel {
    CutThroughModel {
        lanes,
        input_buffer_flits: 1024,
        output_buffer_flits: NonZeroU32::new(1024),
        crossbar_cycles_per_flit: 1,
        lookup_delay_cycles: 25,
        routing_delay_cycles: 0,
        flow_control,
        packets: PacketFormat {
            flit_bytes: 1,
            overhead_flits: 0,
            least_flits: 1,
            most_payload_bytes: 4096,
        },
    }
}

/// What a stretch of simulated time was, and took.
struct Stretch {
    counters: Counters,
    delivered: Delivered,
    cpu_ns: f64,
}

/// Simulates `warm_up` cycles, then measures `cycles` more.
fn measure(
    fabric: &Fabric,
    routes: &Routes,
    model: &CutThroughModel,
    workload: &Workload,
    [warm_up, cycles]: [u64; 2],
) -> Result<Stretch> {
    let mut engine = Engine::new(fabric, routes, model, &TIMINGS, workload)?;
    engine.advance(warm_up, &mut Delivered::default());
    let before = engine.counters();
    let mut delivered = Delivered::default();
    let start = ThreadTime::now();
    engine.advance(warm_up + cycles, &mut delivered);
    let cpu_ns = start.elapsed().as_secs_f64() * 1e9;
    let after = engine.counters();
    Ok(Stretch {
        counters: Counters {
            events: after.events - before.events,
            packet_hops: after.packet_hops - before.packet_hops,
            flit_hops: after.flit_hops - before.flit_hops,
            packets_alive: after.packets_alive,
        },
        delivered,
        cpu_ns,
    })
}

/// The highest accepted traffic over a ladder of loads 5 % apart, in bytes per cycle and host.
fn saturation(fabric: &Fabric, routes: &Routes, model: &CutThroughModel) -> Result<f64> {
    let mut best = 0.0_f64;
    let mut load = 0.1;
    while load < 1.0 {
        let workload = uniform(fabric, PACKET_BYTES, load)?;
        let cycles = 20_000;
        let stretch = measure(fabric, routes, model, &workload, [cycles, cycles])?;
        let hosts = fabric.host_count() as f64;
        let accepted = stretch.delivered.payload_bytes as f64 / cycles as f64 / hosts;
        best = best.max(accepted);
        if accepted < 0.8 * load {
            break;
        }
        load *= 1.05;
    }
    Ok(best)
}

/// Cycles in which about so many packets are sent.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a positive number of cycles far below 2^53"
)]
fn cycles_for(packets: f64, fabric: &Fabric, load: f64) -> u64 {
    (packets * f64::from(PACKET_BYTES) / load / fabric.host_count() as f64) as u64
}

fn at_90_percent(name: &str, fabric: &Fabric, spec: &str, flow_control: FlowControl) -> Result<()> {
    let routes = algorithms::route_spec(fabric, spec)?.routes;
    let model = model(routes.lane_count().max(2), flow_control);
    let load = 0.9 * saturation(fabric, &routes, &model)?;
    let workload = uniform(fabric, PACKET_BYTES, load)?;
    let cycles = cycles_for(400_000.0, fabric, load);
    let mut per_hop = Vec::new();
    let mut events_per_hop = 0.0;
    for _ in 0..RUNS {
        let run = measure(fabric, &routes, &model, &workload, [20_000, cycles])?;
        let hops = run.counters.packet_hops as f64;
        per_hop.push(run.cpu_ns / hops);
        events_per_hop = run.counters.events as f64 / hops;
    }
    println!(
        "{name:14} {spec:22} {load:.4}  {:17.1}  {events_per_hop:6.2}",
        median(per_hop)
    );
    Ok(())
}

fn main() -> Result<()> {
    println!("64 switches, 4 hosts each, packets of 32 bytes, two lanes of 1 KB + 1 KB");
    let regular = generate::irregular(&generate::IrregularParameters {
        switches: 64,
        hosts_per_switch: 4,
        ports_per_switch: 8,
        seed: 1,
        ..generate::IrregularParameters::default()
    })?;
    let torus = generate::torus(8, 8, 4)?;
    for (what, flow_control) in [
        ("credits", FlowControl::Credits),
        ("stop & go", STOP_AND_GO),
    ] {
        println!();
        println!("{what:14} routing                  load  ns per packet-hop  events");
        at_90_percent(
            "random regular",
            &regular,
            "multi_tree:trees=2",
            flow_control,
        )?;
        at_90_percent("8x8 torus", &torus, "dimension_order", flow_control)?;
    }

    let tree = generate::xgft(&[18, 18, 36], &[1, 18, 18])?;
    let routes = algorithms::route_spec(&tree, "down_preferred:per=switch,root=tops")?.routes;
    println!();
    println!(
        "fat tree of {} switches, {} hosts, at half load; after routing {:.0} MB",
        tree.switch_count(),
        tree.host_count(),
        peak_memory_mb()?
    );
    let model = model(1, FlowControl::Credits);
    let workload = uniform(&tree, PACKET_BYTES, 0.5)?;
    let cycles = cycles_for(2_000_000.0, &tree, 0.5);
    let run = measure(&tree, &routes, &model, &workload, [1_000, cycles])?;
    let hops = run.counters.packet_hops as f64;
    println!(
        "{} packets delivered, {:.2} million packet-hops per CPU second, {:.0} MB at most",
        run.delivered.packets,
        hops / run.cpu_ns * 1e3,
        peak_memory_mb()?
    );
    Ok(())
}
