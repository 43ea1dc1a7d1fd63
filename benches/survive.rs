//! What every single cable and switch of a fabric costs if it fails: tables repaired and proved, by failure.
//! Beside it the time of one repair that begins from nothing. CPU time of all cores.
//!
//! ```text
//! cargo bench --package weft-benches --bench survive
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use cpu_time::ProcessTime;
use std::sync::Arc;
use weft::Fabric;
use weft::fabric::generate::{JellyfishParameters, jellyfish, k_ary_n_tree, xgft};
use weft::routing::algorithms::{parse_spec, route};
use weft::routing::{Bisections, FailedParts, Routes, StandingTables, Survey, Survival, repair};
use weft_benches::Result;

/// Most failures of a kind that are tried, evenly spread.
const MOST: usize = 400;
/// Rounds of the effective bisection.
const ROUNDS: u32 = 8;

fn main() -> Result<()> {
    println!(
        "{:34} {:>8} {:>7} {:>9} {:>9} {:>10} {:>10} {:>8} {:>9}",
        "network and routing",
        "switches",
        "hosts",
        "prepare s",
        "repair s",
        "ms a cable",
        "ms a switch",
        "no way",
        "cleared"
    );
    let random = |switches, degree, hosts_per_switch| {
        jellyfish(&JellyfishParameters {
            switches,
            degree,
            hosts_per_switch,
            seed: 1,
        })
    };
    table(k_ary_n_tree(10, 3)?, "down_preferred:root=tops")?;
    table(random(174, 16, 12)?, "dfsssp:lanes=8")?;
    table(
        xgft(&[32, 16, 32], &[1, 12, 10])?,
        "down_preferred:root=tops",
    )?;
    table(random(1_024, 23, 16)?, "down_preferred:per=host")?;
    table(random(1_024, 23, 16)?, "dfsssp:lanes=8")
}

fn table(fabric: Fabric, spec: &str) -> Result<()> {
    let choice = parse_spec(spec)?;
    let routing = route(&fabric, &choice.name, &choice.parameters)?;
    let Routes::Tables(tables) = &routing.routes else {
        return Err("the routing makes no tables".into());
    };
    let fabric = Arc::new(fabric);
    let start = ProcessTime::now();
    let standing = StandingTables::new(Arc::clone(&fabric), tables)?;
    let prepared = start.elapsed().as_secs_f64();
    let start = ProcessTime::now();
    repair(&fabric, tables, &fabric)?;
    let alone = start.elapsed().as_secs_f64();
    let cables: Vec<_> = fabric
        .switch_channels()
        .step_by(2)
        .map(|channel| FailedParts {
            links: vec![channel.link()],
            ..FailedParts::default()
        })
        .collect();
    let switches: Vec<_> = fabric
        .switch_ids()
        .map(|switch| FailedParts {
            switches: vec![switch],
            ..FailedParts::default()
        })
        .collect();
    let survey = Survey::new(Arc::new(standing), Bisections::new(&fabric, ROUNDS, 1));
    let mut survivals: Vec<Survival> = Vec::new();
    let mut each = Vec::new();
    for failures in [cables, switches] {
        let step = failures.len().div_ceil(MOST);
        let failures: Vec<FailedParts> = failures.into_iter().step_by(step).collect();
        let start = ProcessTime::now();
        survivals.extend(survey.survive(&failures));
        each.push(1e3 * start.elapsed().as_secs_f64() / failures.len() as f64);
    }
    let repaired: Vec<_> = survivals
        .iter()
        .filter_map(|one| one.repaired.as_ref().ok())
        .collect();
    let cleared = repaired
        .iter()
        .filter(|one| one.cleared_destinations > 0)
        .count();
    println!(
        "{:34} {:8} {:7} {prepared:9.2} {alone:9.2} {:10.1} {:10.1} {:8} {cleared:9}",
        format!(
            "{} {}",
            fabric.name(),
            spec.split(':').next().unwrap_or(spec)
        ),
        fabric.switch_count(),
        fabric.host_count(),
        each[0],
        each[1],
        survivals.len() - repaired.len(),
    );
    Ok(())
}
