//! CAMINOS (Cantabrian adaptable and modular interconnection open simulator), run as its own program.
//!
//! What is like Weft's wormhole model: the torus, hosts per switch, uniform traffic, packet lengths, links
//! of one flit a cycle and eight cycles of flight, buffers of 80 flits, one lane, wormhole switching,
//! up\*/down\* routing from switch 0. What is not: arrivals are Bernoulli trials, buffers are guarded by
//! credits instead of stop and go, routers take no time to route and choose among the shortest
//! up\*/down\* paths as they go, and packets carry no routing flits. The router that has a delay and
//! output buffers (`InputOutput`) sends packets only as a whole.

use crate::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version compared with.
pub const VERSION: &str = "0.6.3";

/// The load at which accepted traffic is highest is looked for in steps of this factor.
const LADDER_STEP: f64 = 1.2;

/// An installed CAMINOS and where it works.
#[derive(Debug)]
pub struct Caminos {
    program: PathBuf,
    folder: PathBuf,
}

/// What one run took and gave.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Payload accepted per host and cycle, in flits.
    pub accepted: f64,
    /// Packets that arrived times the channels they took, those of hosts included.
    pub packet_hops: f64,
    /// CPU time in seconds.
    pub cpu_seconds: f64,
}

impl Caminos {
    /// This installs the program with cargo into `folder`, unless it is there already.
    ///
    /// # Errors
    /// When cargo fails, as without a network.
    pub fn install(folder: &Path) -> Result<Self> {
        let program = folder.join("bin/caminos");
        if !program.exists() {
            let status = Command::new("cargo")
                .args([
                    "install",
                    "caminos",
                    "--locked",
                    "--quiet",
                    "--version",
                    VERSION,
                ])
                .arg("--root")
                .arg(folder)
                .status()?;
            if !status.success() {
                return Err(format!("cargo could not install CAMINOS {VERSION}").into());
            }
        }
        Ok(Self {
            program,
            folder: folder.to_owned(),
        })
    }

    /// This simulates `warm_up` cycles and measures `measured` more of the 8×8 torus.
    ///
    /// # Errors
    /// When the program fails or its result cannot be read.
    pub fn run(&self, flits: u32, load: f64, warm_up: u64, measured: u64) -> Result<Run> {
        let (input, output) = (self.folder.join("run.cfg"), self.folder.join("run.result"));
        std::fs::write(&input, configuration(flits, load, warm_up, measured))?;
        let outcome = Command::new(&self.program)
            .arg(&input)
            .arg(format!("--results={}", output.display()))
            .output()?;
        if !outcome.status.success() {
            let text = String::from_utf8_lossy(&outcome.stderr);
            return Err(format!("CAMINOS failed:\n{text}").into());
        }
        let result = std::fs::read_to_string(&output)?;
        let accepted = number(&result, "accepted_load")?;
        // Links between routers; the host's two channels come on top.
        let hops = number(&result, "average_packet_hops")? + 2.0;
        let packets = accepted * 512.0 * measured as f64 / f64::from(flits);
        Ok(Run {
            accepted,
            packet_hops: packets * hops,
            cpu_seconds: number(&result, "user_time")? + number(&result, "system_time")?,
        })
    }

    /// This is the highest accepted traffic over a ladder of loads.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn saturation(&self, flits: u32) -> Result<f64> {
        let cycles = 20_000 + 20 * u64::from(flits);
        let (mut best, mut load) = (0.0_f64, 0.01);
        loop {
            let accepted = self.run(flits, load, cycles, cycles)?.accepted;
            best = best.max(accepted);
            if accepted < 0.8 * load {
                return Ok(best);
            }
            load *= LADDER_STEP;
        }
    }
}

/// The number that follows a key of a result.
fn number(result: &str, key: &str) -> Result<f64> {
    let value = result
        .split_once(&format!("{key}:"))
        .and_then(|(_, rest)| rest.split(',').next())
        .ok_or_else(|| format!("the result of CAMINOS has no {key}"))?;
    Ok(value.trim().parse()?)
}

fn configuration(flits: u32, load: f64, warm_up: u64, measured: u64) -> String {
    format!(
        "Configuration
{{
    random_seed: 1,
    warmup: {warm_up},
    measured: {measured},
    topology: Torus {{ sides: [8, 8], servers_per_router: 8 }},
    traffic: HomogeneousTraffic
    {{
        pattern: Uniform,
        servers: 512,
        load: {load},
        message_size: {flits},
    }},
    maximum_packet_size: {flits},
    router: Basic
    {{
        virtual_channels: 1,
        virtual_channel_policies: [ EnforceFlowControl, Random ],
        delay: 0,
        buffer_size: 80,
        bubble: false,
        flit_size: 1,
        intransit_priority: false,
        allow_request_busy_port: false,
        output_prioritize_lowest_label: false,
        output_buffer_size: 0,
    }},
    routing: UpDownStar {{ root: 0 }},
    link_classes: [ LinkClass {{ delay: 8 }}, LinkClass {{ delay: 8 }}, LinkClass {{ delay: 8 }} ],
}}
"
    )
}
