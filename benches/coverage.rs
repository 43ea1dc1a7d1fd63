//! How often intervals hold what they promise: runs of many seeds as a user would make them, each 95 %
//! interval beside the mean of runs a hundred times as long; three fabrics of 64 hosts, wormhole and
//! cut-through, one and eight lanes, up to and beyond saturation.
//!
//! ```text
//! cargo bench --package weft-benches --bench coverage -- [SEEDS [PART OF A ROW'S NAME [LOADS [PACKETS]]]]
//! ```
//!
//! 400 seeds unless told, in all rows, at 25, 50, 75, 90, 95 and 120 % of saturation, of as many packets at
//! most as a user would have who says nothing. Prints a row of a Markdown table for each.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use rayon::prelude::*;
use weft::engine::measurement::{Measurement, Reason};
use weft::engine::run::RunParameters;
use weft::fabric::generate;
use weft::routing::algorithms;
use weft::{Fabric, Hardware, Network, OfferedTraffic, RoutedFabric, unwatched};
use weft_benches::{Result, hardware, median};

const SEEDS: u64 = 400;
const LOADS: &str = "0.25,0.5,0.75,0.9,0.95,1.2";

/// Long runs that the truth is the mean of; together they are this many times as long as the mean run
/// that is judged, and each is no shorter than so many packets.
const LONG_RUNS: u64 = 40;
const TIMES_AS_LONG: u64 = 100;
const LEAST_LONG_PACKETS: u64 = 200_000;
/// Seeds of long runs begin beyond those of the runs that are judged.
const FIRST_LONG_SEED: u64 = 1_000_000;

/// Saturation is the largest load of which this share is accepted over so many packets.
const CARRIED: f64 = 0.985;
const CARRIED_PACKETS: u64 = 400_000;

/// Fabric, hardware, routing, arrivals.
const ROWS: [[&str; 4]; 10] = [
    ["irregular", "myrinet", "updown", "poisson"],
    ["irregular", "myrinet", "ud_itb", "poisson"],
    ["irregular", "infiniband_1x", "updown", "poisson"],
    ["irregular", "infiniband_1x", "dfsssp:lanes=8", "poisson"],
    ["torus", "myrinet", "updown", "poisson"],
    ["torus", "myrinet", "ud_itb", "poisson"],
    ["torus", "infiniband_1x", "updown", "poisson"],
    ["torus", "infiniband_1x", "dfsssp:lanes=8", "poisson"],
    ["tree", "myrinet", "updown", "poisson"],
    ["tree", "infiniband_1x", "updown", "poisson"],
];

struct Case {
    routed: RoutedFabric,
    hardware: Hardware,
    arrivals: String,
}

fn fabric(name: &str) -> Result<Fabric> {
    Ok(match name {
        "irregular" => generate::irregular(&generate::IrregularParameters {
            switches: 16,
            hosts_per_switch: 4,
            ports_per_switch: 8,
            seed: 1,
            ..generate::IrregularParameters::default()
        })?,
        "torus" => generate::torus(4, 4, 4)?,
        _ => generate::k_ary_n_tree(4, 3)?,
    })
}

impl Case {
    fn new([name, preset, routing, arrivals]: [&str; 4]) -> Result<Self> {
        let fabric = fabric(name)?;
        let routing = algorithms::route_spec(&fabric, routing)?;
        let mut hardware = hardware(preset, &[])?;
        if preset != "myrinet" {
            hardware = hardware.with("lanes", &routing.routes.lane_count().to_string())?;
        }
        Ok(Self {
            routed: RoutedFabric::new(fabric, routing),
            hardware,
            arrivals: arrivals.to_owned(),
        })
    }

    fn measure(&self, load: f64, seed: u64, parameters: &RunParameters) -> Result<Measurement> {
        let mut traffic = OfferedTraffic::uniform(load);
        traffic.arrivals.clone_from(&self.arrivals);
        traffic.seed = seed;
        let network = Network::new(&self.routed, &self.hardware)?;
        Ok(network.simulate(&traffic, parameters, &mut unwatched)?)
    }

    /// Measures with so many seeds side by side.
    fn measure_all(
        &self,
        load: f64,
        seeds: std::ops::Range<u64>,
        parameters: &RunParameters,
    ) -> Result<Vec<Measurement>> {
        let measured: std::result::Result<Vec<_>, String> = seeds
            .into_par_iter()
            .map(|seed| {
                self.measure(load, seed, parameters)
                    .map_err(|error| error.to_string())
            })
            .collect();
        Ok(measured?)
    }

    fn saturation(&self) -> Result<f64> {
        let parameters = exactly(CARRIED_PACKETS);
        let carries = |load: f64| -> Result<bool> {
            let found = self.measure(load, FIRST_LONG_SEED, &parameters)?;
            Ok(found.accepted_load >= CARRIED * load)
        };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..8 {
            let middle = f64::midpoint(low, high);
            *(if carries(middle)? {
                &mut low
            } else {
                &mut high
            }) = middle;
        }
        Ok(low)
    }
}

/// A run of so many packets, however precise.
fn exactly(packets: u64) -> RunParameters {
    RunParameters {
        precision_latency: 1e-6,
        precision_accepted: 1e-6,
        min_packets: Some(packets),
        max_packets: Some(packets),
        ..RunParameters::default()
    }
}

/// Mean and half width of a figure.
type Read = fn(&Measurement) -> (f64, f64);

const FIGURES: [Read; 3] = [
    |found| (found.accepted_load, found.accepted_load_half_width),
    |found| {
        let latency = found.generation_latency_ns;
        (latency.mean, latency.mean_half_width)
    },
    |found| {
        let latency = found.network_latency_ns;
        (latency.mean, latency.mean_half_width)
    },
];

/// In a table: of the intervals given those that hold the truth, how many were given, how wide they
/// are and how far the truth itself is known.
fn judged(found: &[Measurement], long: &[Measurement], read: Read) -> String {
    let truths: Vec<f64> = long.iter().map(|run| read(run).0).collect();
    let count = truths.len() as f64;
    let truth = truths.iter().sum::<f64>() / count;
    let spread: f64 = truths.iter().map(|value| (value - truth).powi(2)).sum();
    let error = (spread / (count - 1.0) / count).sqrt();
    let given: Vec<(f64, f64)> = found
        .iter()
        .map(read)
        .filter(|(_, half)| !half.is_nan())
        .collect();
    if given.is_empty() {
        return "none".to_owned();
    }
    let held = given
        .iter()
        .filter(|(mean, half)| (mean - truth).abs() <= *half)
        .count();
    let share = 100.0 * given.len() as f64 / found.len() as f64;
    let held = 100.0 * held as f64 / given.len() as f64;
    let width = 100.0 * median(given.iter().map(|(_, half)| half / truth).collect());
    format!(
        "{held:.1} of {share:.0} %, ±{width:.2} (truth ±{:.2})",
        100.0 * error / truth
    )
}

fn main() -> Result<()> {
    let mut given = std::env::args().skip(1).filter(|text| text != "--bench");
    let seeds = given.next().map_or(Ok(SEEDS), |text| text.parse())?;
    let part = given.next().unwrap_or_default();
    let loads = given.next().unwrap_or_else(|| LOADS.to_owned());
    let judged_runs = RunParameters {
        max_packets: given.next().map(|text| text.parse()).transpose()?,
        ..RunParameters::default()
    };
    println!(
        "| network | of saturation | ended | packets | accepted | from generation | network latency |"
    );
    println!("|---|---|---|---|---|---|---|");
    for row in ROWS {
        let name = row.join(" ");
        if !name.contains(&part) {
            continue;
        }
        let case = Case::new(row)?;
        let saturation = case.saturation()?;
        for share in loads.split(',') {
            let load = saturation * share.parse::<f64>()?;
            let found = case.measure_all(load, 1..seeds + 1, &judged_runs)?;
            let long_seeds = FIRST_LONG_SEED..FIRST_LONG_SEED + LONG_RUNS;
            let packets: u64 = found.iter().map(|run| run.delivered_packets).sum();
            let long_packets =
                (TIMES_AS_LONG * packets / seeds / LONG_RUNS).max(LEAST_LONG_PACKETS);
            let long = case.measure_all(load, long_seeds, &exactly(long_packets))?;
            let ended = |reason| found.iter().filter(|run| run.reason == reason).count();
            let reasons = [Reason::Steady, Reason::Saturated, Reason::Budget].map(ended);
            let figures = FIGURES.map(|read| judged(&found, &long, read));
            println!(
                "| {name} | {share} | {} | {} | {} |",
                reasons.map(|count| count.to_string()).join("/"),
                packets / seeds,
                figures.join(" | "),
            );
        }
    }
    Ok(())
}
