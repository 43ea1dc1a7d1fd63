//! How long `best` searches and how even its tables are, fabric by fabric, beside routes of up*/down*: CPU time of all
//! cores, and largest loads.
//!
//! ```text
//! cargo bench --package weft-benches --bench best
//! cargo bench --package weft-benches --bench best -- tree 32 best:starts=0 1%
//! cargo bench --package weft-benches --bench best -- shapes 1100 best
//! ```
//!
//! Without arguments all fabrics are searched. With some: `tree`, `k-ary`, `random`, `irregular` or `torus`, its size, a
//! routing and, if wanted, the share of links that failed. A tree of size k has three levels of switches with 2k ports and
//! 2k³ hosts, one of `k-ary` k³ hosts, a torus k rows and columns with four hosts a switch; a random network has that many switches with 23 cables and 16 hosts each, an irregular one with four of each.
//! `shapes` are networks of all kinds with up to so many switches.
#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

use cpu_time::ProcessTime;
use weft::Fabric;
use weft::fabric::degrade::{Chosen, Failures, Keep, degrade};
use weft::fabric::formats;
use weft::fabric::generate::{
    IrregularParameters, JellyfishParameters, generate, irregular, jellyfish, k_ary_n_tree, xgft,
};
use weft::routing::algorithms;
use weft::routing::load::figures;
use weft_benches::Result;

const RIVAL: &str = "updown";

/// A topology with parameters, or a discovery, and the share of links that failed.
const SHAPES: [(&str, &str); 42] = [
    ("irregular:switches=16", "0%"),
    ("irregular:switches=32", "0%"),
    ("irregular:switches=64", "0%"),
    ("irregular:switches=64;seed=2", "0%"),
    ("irregular:switches=64;seed=3", "0%"),
    ("irregular:switches=72;seed=4", "0%"),
    ("irregular:switches=128;seed=3", "0%"),
    ("irregular:switches=256;seed=3", "0%"),
    ("irregular:switches=512;seed=3", "0%"),
    ("irregular:switches=1024;seed=3", "0%"),
    ("irregular:switches=1024", "0%"),
    ("jellyfish:switches=64;degree=5;hosts_per_switch=4", "0%"),
    ("jellyfish:switches=64;degree=8;hosts_per_switch=8", "0%"),
    ("jellyfish:switches=96;degree=6;hosts_per_switch=4", "0%"),
    ("jellyfish:switches=256;degree=16;hosts_per_switch=8", "0%"),
    (
        "jellyfish:switches=1024;degree=23;hosts_per_switch=16",
        "0%",
    ),
    ("torus:extents=8x8;hosts_per_switch=4", "0%"),
    ("torus:extents=8x8;hosts_per_switch=4", "3%"),
    ("torus:extents=4x4x4;hosts_per_switch=4", "0%"),
    ("torus:extents=4x4x4;hosts_per_switch=4", "3%"),
    ("torus:extents=8x8x4;hosts_per_switch=1", "3%"),
    ("torus:extents=16x16;hosts_per_switch=4", "3%"),
    ("torus:extents=32x32;hosts_per_switch=4", "0%"),
    ("dragonfly:p=2;a=4;h=2", "0%"),
    ("dragonfly:p=2;a=4;h=2", "3%"),
    ("dragonfly:p=3;a=6;h=3", "3%"),
    ("dragonfly:p=4;a=8;h=4", "0%"),
    ("dragonfly:p=6;a=12;h=6", "0%"),
    ("slim_fly:q=5;hosts_per_switch=4", "0%"),
    ("slim_fly:q=5;hosts_per_switch=4", "3%"),
    ("slim_fly:q=17;hosts_per_switch=13", "0%"),
    ("xgft:m=4,4,8;w=1,4,4", "0%"),
    ("xgft:m=4,4,8;w=1,4,4", "3%"),
    ("xgft:m=8,8,16;w=1,8,8", "1%"),
    ("xgft:m=16,16,32;w=1,16,16", "1%"),
    ("hyperx:extents=8x8;hosts_per_switch=4", "3%"),
    (
        "dragonfly_plus:groups=5;leaves=4;spines=4;hosts=4;links=4",
        "0%",
    ),
    ("examples/cluster.ibnetdiscover", "0%"),
    ("examples/quantum.ibnetdiscover", "0%"),
    (
        "jellyfish:switches=2048;degree=23;hosts_per_switch=16",
        "0%",
    ),
    ("irregular:switches=2048;seed=3", "0%"),
    ("xgft:m=32,32,64;w=1,32,32", "1%"),
];

fn main() -> Result<()> {
    println!(
        "{:58} {:>6} {:>8} {:>7} {:20} {:>9} {:>11} {:>9}",
        "network", "failed", "switches", "hosts", "routing", "CPU s", "over updown", "largest"
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
        ["shapes", most, spec] => {
            for (network, failed) in SHAPES {
                let whole = network_of(network)?;
                if whole.switch_count() <= most.parse()? {
                    measured(&whole, network, spec, failed)?;
                }
            }
            Ok(())
        }
        [network, spec] if network.contains([':', '.']) => {
            measured(&network_of(network)?, network, spec, "0%")
        }
        [network, spec, failed] if network.contains([':', '.']) => {
            measured(&network_of(network)?, network, spec, failed)
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
    measured(&whole, &format!("{kind} {size}"), spec, failed)
}

/// A topology by its name and parameters, or what was discovered.
fn network_of(text: &str) -> Result<Fabric> {
    if let Some((name, parameters)) = text.split_once(':') {
        let given = parameters.split(';').filter_map(|one| one.split_once('='));
        let given = given.map(|(key, value)| (key.to_owned(), value.to_owned()));
        return Ok(generate(name, &given.collect())?);
    }
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(text);
    Ok(formats::read(&std::fs::read(file)?, text)?.fabric)
}

fn measured(whole: &Fabric, network: &str, spec: &str, failed: &str) -> Result<()> {
    let failures = Failures {
        links: Chosen::parse("links", &[failed.to_owned()])?,
        keep: Keep::LargestPart,
        seed: 1,
        ..Failures::default()
    };
    let fabric = degrade(whole, &failures)?.fabric;
    let (cpu_s, largest) = searched(&fabric, spec)?;
    let (rival_s, _) = searched(&fabric, RIVAL)?;
    println!(
        "{network:58} {failed:>6} {:>8} {:>7} {spec:20} {cpu_s:>9.2} {:>11.1} {largest:>9}",
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
