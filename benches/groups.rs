//! Tables whose switches choose among groups of ports, judged: routes, proof, check of its certificate, loads and
//! findings. CPU time of all cores in seconds; beside it the proof of static tables on the same fabric.
//!
//! ```text
//! cargo bench --package weft-benches --bench groups
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use cpu_time::ProcessTime;
use weft::Fabric;
use weft::fabric::generate::{JellyfishParameters, jellyfish, xgft};
use weft::proof::{Verdict, check_adaptive_certificate, group_findings, verify, verify_adaptive};
use weft::routing::algorithms::{route_adaptive_spec, route_spec};
use weft::routing::{AdaptiveRoutes, group_loads};
use weft_benches::{Result, peak_memory_mb, reset_peak_memory};

fn main() -> Result<()> {
    println!(
        "{:30} {:12} {:>8} {:>6} {:>7} {:>7} {:>7} {:>7} {:>8} {:>7} {:>7}",
        "network",
        "routing",
        "switches",
        "hosts",
        "routes",
        "proof",
        "check",
        "loads",
        "findings",
        "MB",
        "static"
    );
    let tree = xgft(&[20, 20, 25], &[1, 10, 10])?;
    let random = jellyfish(&JellyfishParameters {
        switches: 1_000,
        degree: 20,
        hosts_per_switch: 10,
        seed: 1,
    })?;
    row(&tree, "ar_updn:root=tops", "updown:root=tops")?;
    row(&tree, "ar_ftree", "ftree")?;
    row(&random, "ar_updn:root=0", "updown:root=0")
}

/// CPU seconds of something, and what it gives.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = ProcessTime::now();
    let made = work();
    (start.elapsed().as_secs_f64(), made)
}

fn row(fabric: &Fabric, spec: &str, fixed: &str) -> Result<()> {
    let fixed = route_spec(fabric, fixed)?;
    let (rival, proof) = timed(|| verify(fabric, &fixed.routes));
    proof?;
    reset_peak_memory()?;
    let (routes_s, routed) = timed(|| route_adaptive_spec(fabric, spec));
    let routed = routed?;
    let (proof_s, proof) = timed(|| verify_adaptive(fabric, &routed.routes));
    let check_s = match proof?.verdict {
        Verdict::DeadlockFree(certificate) => {
            let check = || check_adaptive_certificate(fabric, &routed.routes, &certificate);
            let (check_s, checked) = timed(check);
            checked?;
            check_s
        }
        // A cycle was looked for as well.
        _ => f64::NAN,
    };
    let AdaptiveRoutes::Groups(tables) = &routed.routes else {
        return Err("the routing makes no groups".into());
    };
    let (loads_s, _) = timed(|| group_loads(fabric, tables, 0));
    let (findings_s, findings) = timed(|| group_findings(fabric, tables, 0));
    findings?;
    println!(
        "{:30} {:12} {:8} {:6} {routes_s:7.2} {proof_s:7.2} {check_s:7.2} {loads_s:7.2} {findings_s:8.2} {:7.0} {rival:7.2}",
        fabric.name(),
        spec.split(':').next().unwrap_or(spec),
        fabric.switch_count(),
        fabric.host_count(),
        peak_memory_mb()?,
    );
    Ok(())
}
