//! What every single cable and switch of a fabric costs if it fails: tables repaired and proved, by failure, in the
//! mean and at most.
//! Beside it the time of one repair that begins from nothing. CPU time of all cores.
//!
//! ```text
//! cargo bench --package weft-benches --bench survive [-- failures-of-a-kind [number-of-the-first-network]]
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use cpu_time::ProcessTime;
use std::sync::Arc;
use weft::Fabric;
use weft::fabric::generate::{JellyfishParameters, jellyfish, k_ary_n_tree, xgft};
use weft::routing::algorithms::{parse_spec, route};
use weft::routing::{Bisections, FailedParts, Routes, StandingTables, Survey, Survival, repair};
use weft_benches::Result;

/// Most failures of a kind that are tried, evenly spread, where nothing else is asked for.
const MOST: usize = 400;
/// Rounds of the effective bisection.
const ROUNDS: u32 = 8;

fn main() -> Result<()> {
    println!(
        "{:34} {:>8} {:>7} {:>9} {:>9} {:>14} {:>14} {:>8} {:>9}",
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
    let networks = [
        (k_ary_n_tree(10, 3)?, "down_preferred:root=tops"),
        (random(174, 16, 12)?, "dfsssp:lanes=8"),
        (
            xgft(&[32, 16, 32], &[1, 12, 10])?,
            "down_preferred:root=tops",
        ),
        (random(1_024, 23, 16)?, "down_preferred:per=host"),
        (random(1_024, 23, 16)?, "dfsssp:lanes=14"),
    ];
    let given = std::env::args().skip(1).filter(|text| text != "--bench");
    let given: Vec<usize> = given
        .map(|text| text.parse())
        .collect::<std::result::Result<_, _>>()?;
    let most = given.first().copied().unwrap_or(MOST);
    let first = given.get(1).map_or(0, |number| number.saturating_sub(1));
    for (fabric, spec) in networks.into_iter().skip(first) {
        table(fabric, spec, most)?;
    }
    Ok(())
}

fn table(fabric: Fabric, spec: &str, most: usize) -> Result<()> {
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
        let step = failures.len().div_ceil(most);
        let failures: Vec<FailedParts> = failures.into_iter().step_by(step).collect();
        let (mut all, mut longest) = (0.0, 0.0_f64);
        for failed in &failures {
            let start = ProcessTime::now();
            survivals.extend(survey.survive(std::slice::from_ref(failed)));
            let took = 1e3 * start.elapsed().as_secs_f64();
            all += took;
            longest = longest.max(took);
        }
        each.push(format!("{:.1} {longest:.1}", all / failures.len() as f64));
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
        "{:34} {:8} {:7} {prepared:9.2} {alone:9.2} {:>14} {:>14} {:8} {cleared:9}",
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
