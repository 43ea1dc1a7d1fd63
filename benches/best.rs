//! How long `best` searches and how even its tables are, fabric by fabric, beside routes of up*/down*: CPU time of all
//! cores, and largest loads.
//!
//! ```text
//! cargo bench --package weft-benches --bench best
//! cargo bench --package weft-benches --bench best -- tree 32 best:starts=0 1%
//! ```
//!
//! Without arguments all fabrics are searched. With some: `tree`, `k-ary`, `random`, `irregular` or `torus`, its size, a
//! routing and, if wanted, the share of links that failed. A tree of size k has three levels of switches with 2k ports and
//! 2k³ hosts, one of `k-ary` k³ hosts, a torus k rows and columns with four hosts a switch; a random network has that many switches with 23 cables and 16 hosts each, an irregular one with four of each.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use cpu_time::ProcessTime;
use weft::Fabric;
use weft::fabric::degrade::{Chosen, Failures, Keep, degrade};
use weft::fabric::generate::{
    IrregularParameters, JellyfishParameters, irregular, jellyfish, k_ary_n_tree, xgft,
};
use weft::routing::algorithms;
use weft::routing::load::figures;
use weft_benches::Result;

const RIVAL: &str = "updown";

fn main() -> Result<()> {
    println!(
        "{:8} {:>5} {:>6} {:>8} {:>7} {:20} {:>9} {:>11} {:>9}",
        "network",
        "size",
        "failed",
        "switches",
        "hosts",
        "routing",
        "CPU s",
        "over updown",
        "largest"
    );
    let given: Vec<String> = std::env::args()
        .skip(1)
        .filter(|text| text != "--bench")
        .collect();
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    match given[..] {
        [] => {
            for failed in ["0%", "1%"] {
                for size in [4, 8, 16, 32] {
                    row("tree", size, "best", failed)?;
                }
            }
            for size in [64, 256, 1_024, 2_048] {
                row("random", size, "best", "0%")?;
            }
            for size in [16, 64, 256, 1_024] {
                row("irregular", size, "best", "0%")?;
            }
            Ok(())
        }
        [kind, size] => row(kind, size.parse()?, "best", "0%"),
        [kind, size, spec] => row(kind, size.parse()?, spec, "0%"),
        [kind, size, spec, failed, ..] => row(kind, size.parse()?, spec, failed),
        [_] => Err("a network, its size, a routing, a share of failed links".into()),
    }
}

fn row(kind: &str, size: u32, spec: &str, failed: &str) -> Result<()> {
    let whole = match kind {
        "tree" => xgft(&[size, size, 2 * size], &[1, size, size])?,
        "random" => jellyfish(&JellyfishParameters {
            switches: size,
            degree: 23,
            hosts_per_switch: 16,
            seed: 1,
        })?,
        "irregular" => irregular(&IrregularParameters {
            switches: size,
            ..IrregularParameters::default()
        })?,
        "k-ary" => k_ary_n_tree(size, 3)?,
        "torus" => weft::fabric::generate::torus(size, size, 4)?,
        other => {
            return Err(format!("{other} is no tree, k-ary, random, irregular or torus").into());
        }
    };
    let failures = Failures {
        links: Chosen::parse("links", &[failed.to_owned()])?,
        keep: Keep::LargestPart,
        seed: 1,
        ..Failures::default()
    };
    let fabric = degrade(&whole, &failures)?.fabric;
    let (cpu_s, largest) = searched(&fabric, spec)?;
    let (rival_s, _) = searched(&fabric, RIVAL)?;
    println!(
        "{kind:8} {size:>5} {failed:>6} {:>8} {:>7} {spec:20} {cpu_s:>9.2} {:>11.1} {largest:>9}",
        fabric.switch_count(),
        fabric.host_count(),
        cpu_s / rival_s,
    );
    Ok(())
}

/// CPU seconds, and the largest load.
fn searched(fabric: &Fabric, spec: &str) -> Result<(f64, u64)> {
    let start = ProcessTime::now();
    let routing = algorithms::route_spec(fabric, spec)?;
    let cpu_s = start.elapsed().as_secs_f64();
    Ok((cpu_s, figures(fabric, &routing).max_routes_per_channel))
}
