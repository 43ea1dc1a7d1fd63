//! Time and memory of tables and proofs of large fabrics, on one core: a random regular network of 1,024
//! switches, a Jellyfish of 24-port switches, and a three-level fat tree of switches with 90
//! ports, 10,125 switches and 182,250 hosts. Nothing is asserted; the figures are for comparing.
//!
//! ```text
//! taskset --cpu-list 0 cargo bench --package weft-benches --bench scale
//! ```
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::time::Instant;
use weft::Fabric;
use weft::fabric::formats::{FormatName, read, write};
use weft::fabric::generate::{self, JellyfishParameters, jellyfish, xgft};
use weft::proof::{Verdict, check_certificate, verify};
use weft::routing::algorithms::route_spec;
use weft::routing::load::figures;
use weft_benches::{Result, peak_memory_mb};

fn main() -> Result<()> {
    println!(
        "rayon uses {} threads; memory is the process's peak so far",
        rayon::current_num_threads()
    );
    let regular = generate::IrregularParameters {
        switches: 1024,
        hosts_per_switch: 16,
        ports_per_switch: 32,
        seed: 1,
        ..generate::IrregularParameters::default()
    };
    let regular = generate::irregular(&regular)?;
    let random = JellyfishParameters {
        switches: 1024,
        degree: 15,
        hosts_per_switch: 9,
        seed: 1,
    };
    let random = jellyfish(&random)?;
    for fabric in [&regular, &random] {
        through(fabric, "down_preferred:per=switch")?;
        through(fabric, "prefix")?;
    }
    let start = Instant::now();
    let tree = xgft(&[45, 45, 90], &[1, 45, 45])?;
    told("generated", start)?;
    let start = Instant::now();
    let text = write(&tree, FormatName::Json)?;
    told(
        &format!("written, {:.0} MB", text.len() as f64 / 1e6),
        start,
    )?;
    let start = Instant::now();
    let again = read(text.as_bytes(), "tree.json")?.fabric;
    told("read", start)?;
    drop((text, again));
    through(&tree, "down_preferred:per=switch,root=tops")
}

/// Routes a fabric, proves the routes and checks the certificate.
fn through(fabric: &Fabric, spec: &str) -> Result<()> {
    println!(
        "\n{}: {} switches, {} hosts, {} links; {spec}",
        fabric.name(),
        fabric.switch_count(),
        fabric.host_count(),
        fabric.link_count()
    );
    let start = Instant::now();
    let routing = route_spec(fabric, spec)?;
    told("routed", start)?;
    let start = Instant::now();
    let proof = verify(fabric, &routing.routes)?;
    told(&format!("proved {}", proof.verdict.word()), start)?;
    if let Verdict::DeadlockFree(certificate) = &proof.verdict {
        let start = Instant::now();
        check_certificate(fabric, &routing.routes, certificate)?;
        told("certificate checked", start)?;
    }
    let start = Instant::now();
    let figures = figures(fabric, &routing);
    let most = figures.max_routes_per_channel;
    let mean = figures.mean_routes_per_channel;
    told(&format!("loads: at most {most}, mean {mean:.0}"), start)
}

fn told(what: &str, start: Instant) -> Result<()> {
    let seconds = start.elapsed().as_secs_f64();
    println!("{seconds:8.2} s  {:6.0} MB  {what}", peak_memory_mb()?);
    Ok(())
}
