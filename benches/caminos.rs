//! CAMINOS (Cantabrian adaptable and modular interconnection open simulator), run as its own program.
//!
//! What is like Weft's models: the fabric, hosts per switch, uniform traffic, packet lengths, links of one
//! flit a cycle, flight times, sizes of buffers, number of lanes, up\*/down\* routing from switch 0. What
//! is not: arrivals are Bernoulli trials, and routers choose among the shortest up\*/down\* paths, and
//! among the lanes, as they go.
//!
//! - Wormhole, as Myrinet: the router `Basic` with one lane. Buffers are guarded by credits instead of
//!   stop and go, routers take no time to route, and packets carry no routing flits. The router that has
//!   a delay and output buffers sends packets only as a whole.
//! - Cut-through, as InfiniBand 1x: that router, `InputOutput`, with credits, a crossbar of the same
//!   delay, and a random allocator, as it has no queues of requests.

use crate::{Result, highest_accepted};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version compared with.
pub const VERSION: &str = "0.6.3";

/// The load at which accepted traffic is highest is looked for in steps of this factor.
const LADDER_STEP: f64 = 1.2;

/// A network as CAMINOS is told of it.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// Its topology, as in a configuration, without the number of servers.
    pub topology: &'a str,
    /// Switches.
    pub routers: u32,
    /// Hosts of each switch.
    pub servers_per_router: u32,
    /// Length of packets in flits.
    pub flits: u32,
    /// How switches switch.
    pub router: Router,
}

/// How switches switch.
#[derive(Clone, Copy, Debug)]
pub enum Router {
    /// As Myrinet: buffers of 80 flits, cables of 8 cycles.
    Wormhole,
    /// As InfiniBand 1x with two lanes: buffers of 1 KB on either side, cables and switches of 25 cycles.
    CutThrough,
}

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
    /// Installs the program with cargo into `folder`, unless it is there already.
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

    /// Where its files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Simulates `warm_up` cycles and measures `measured` more.
    ///
    /// # Errors
    /// When the program fails or its result cannot be read.
    pub fn run(&self, setup: &Setup, load: f64, warm_up: u64, measured: u64) -> Result<Run> {
        let (input, output) = (self.folder.join("run.cfg"), self.folder.join("run.result"));
        std::fs::write(&input, setup.configuration(load, [warm_up, measured]))?;
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
        let packets =
            accepted * f64::from(setup.servers()) * measured as f64 / f64::from(setup.flits);
        Ok(Run {
            accepted,
            packet_hops: packets * hops,
            cpu_seconds: number(&result, "user_time")? + number(&result, "system_time")?,
        })
    }

    /// The highest accepted traffic over a ladder of loads.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn saturation(&self, setup: &Setup) -> Result<f64> {
        let cycles = 20_000 + 20 * u64::from(setup.flits);
        highest_accepted(0.01, LADDER_STEP, |load| {
            Ok(self.run(setup, load, cycles, cycles)?.accepted)
        })
    }

    /// Packet-hops per CPU second at a load. The warm-up is simulated alone as well, and its
    /// time taken off.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn packet_hops_per_second(&self, setup: &Setup, load: f64) -> Result<f64> {
        let warm_up = 10_000 + 20 * u64::from(setup.flits);
        let alone = self.run(setup, load, warm_up, 1)?;
        let run = self.run(setup, load, warm_up, 40_000)?;
        Ok(run.packet_hops / (run.cpu_seconds - alone.cpu_seconds))
    }
}

impl Setup<'_> {
    fn servers(&self) -> u32 {
        self.routers * self.servers_per_router
    }

    /// What the program is told.
    fn configuration(&self, load: f64, [warm_up, measured]: [u64; 2]) -> String {
        let Self {
            topology,
            servers_per_router,
            flits,
            ..
        } = self;
        let servers = self.servers();
        let (router, delay) = match self.router {
            Router::Wormhole => (
                "Basic
    {
        virtual_channels: 1,
        delay: 0,
        buffer_size: 80,
        output_buffer_size: 0,
        flit_size: 1,
        allow_request_busy_port: false,
        output_prioritize_lowest_label: false,"
                    .to_owned(),
                8,
            ),
            Router::CutThrough => (
                format!(
                    "InputOutput
    {{
        virtual_channels: 2,
        crossbar_delay: 25,
        buffer_size: 1024,
        output_buffer_size: 1024,
        flit_size: {flits},
        allow_request_busy_port: true,
        allocator: Random,"
                ),
                25,
            ),
        };
        let link = format!("LinkClass {{ delay: {delay} }}");
        format!(
            "Configuration
{{
    random_seed: 1,
    warmup: {warm_up},
    measured: {measured},
    topology: {topology} servers_per_router: {servers_per_router} }},
    traffic: HomogeneousTraffic
    {{
        pattern: Uniform,
        servers: {servers},
        load: {load},
        message_size: {flits},
    }},
    maximum_packet_size: {flits},
    router: {router}
        virtual_channel_policies: [ EnforceFlowControl, Random ],
        bubble: false,
        intransit_priority: false,
    }},
    routing: UpDownStar {{ root: 0 }},
    link_classes: [ {link}, {link}, {link} ],
}}
"
        )
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
