//! Verdicts in words.

use crate::verdict::{
    DependencyCycle, Proof, RestsOn, RouteLoop, UnreachedPair, UnreachedReason, Verdict,
};
use weft_fabric::{Fabric, HostId, Node};
use weft_routing::{DeadEnd, Lane};

/// Pairs named when many are not reached.
const MOST_PAIRS_NAMED: usize = 10;

impl Proof {
    /// The verdict in full, by the names of the fabric, one fact a line.
    pub fn describe(&self, fabric: &Fabric) -> String {
        let checked = format!("{} host pairs over {} routes", self.host_pairs, self.routes);
        match &self.verdict {
            Verdict::DeadlockFree(_) if self.is_adaptive => format!(
                "deadlock-free: whatever they choose, packets of {} host pairs arrive without a loop, and \
                 {} one order of the {} channels on {} ({} dependencies)",
                self.host_pairs,
                match self.rests_on {
                    RestsOn::EveryWay => "all that they may want ascends",
                    RestsOn::OneWay => "wherever they wait, a way is open to them that ascends",
                },
                fabric.channel_count(),
                match self.lane_count {
                    1 => "1 lane".to_owned(),
                    lanes => format!("{lanes} lanes"),
                },
                self.dependencies,
            ),
            Verdict::Deadlock(cycle) if self.is_adaptive => format!(
                "not proved deadlock-free: packets of {} host pairs choose, but some may be left with \
                 ways that form a cycle\n{}",
                self.host_pairs,
                cycle.describe(fabric)
            ),
            Verdict::DeadlockFree(_) => format!(
                "deadlock-free: {checked} all lead to their destination without a loop, and their \
                 {} dependencies ascend one order of the {} channels{}{}",
                self.dependencies,
                fabric.channel_count(),
                match self.lane_count {
                    1 => String::new(),
                    lanes => format!(" on {lanes} lanes"),
                },
                match self.in_transit_stops {
                    0 => String::new(),
                    stops => format!(" between {stops} in-transit stops"),
                }
            ),
            Verdict::Deadlock(cycle) => format!(
                "not deadlock-free: of {checked}, some can wait for one another\n{}",
                cycle.describe(fabric)
            ),
            Verdict::Unreachable(pairs) => {
                let mut lines = vec![format!(
                    "not all reached: of {checked}, {} routes do not lead to their destination",
                    pairs.len()
                )];
                let named = pairs.iter().take(MOST_PAIRS_NAMED);
                lines.extend(named.map(|pair| format!("  {}", pair.describe(fabric))));
                if pairs.len() > MOST_PAIRS_NAMED {
                    lines.push(format!("  and {} more", pairs.len() - MOST_PAIRS_NAMED));
                }
                lines.join("\n")
            }
            Verdict::Loop(route) => {
                format!(
                    "loops: of {checked}, one meets a switch twice\n  {}",
                    route.describe(fabric)
                )
            }
        }
    }
}

impl DependencyCycle {
    /// Describes the cycle by the names of the fabric, one channel held a line.
    pub fn describe(&self, fabric: &Fabric) -> String {
        let mut lanes = self.dependencies.iter().map(|one| one.held_lane);
        let lane: fn(Lane) -> String = if lanes.any(|lane| lane != Lane::ZERO) {
            |lane| format!(" on lane {lane}")
        } else {
            |_| String::new()
        };
        let mut lines = vec![format!(
            "shortest cycle, {} channels, each held by a packet that wants the next, the last by \
             one that wants the first:",
            self.dependencies.len()
        )];
        lines.extend(self.dependencies.iter().map(|dependency| {
            let pair = [dependency.source, dependency.destination];
            let to_lid = dependency.lid.map(|lid| format!(" by LID 0x{lid:04x}"));
            format!(
                "  {}{}  by {}{}",
                fabric.describe_channel(dependency.held),
                lane(dependency.held_lane),
                describe_route(fabric, pair, &dependency.nodes),
                to_lid.unwrap_or_default()
            )
        }));
        lines.join("\n")
    }
}

impl RouteLoop {
    /// Describes the route by the names of the fabric.
    pub fn describe(&self, fabric: &Fabric) -> String {
        format!(
            "{} meets {} again without a stop in between",
            describe_route(fabric, [self.source, self.destination], &self.nodes),
            fabric.switch(self.switch).name
        )
    }
}

impl UnreachedPair {
    /// Says by the names of the fabric which route fails and why.
    pub fn describe(&self, fabric: &Fabric) -> String {
        let [source, destination] = [self.source, self.destination].map(|h| &fabric.host(h).name);
        match self.reason {
            UnreachedReason::DeadEnd {
                switch,
                port,
                dead_end,
            } => {
                let name = &fabric.switch(switch).name;
                let end = match dead_end {
                    DeadEnd::NoCable => format!("takes port {port} of {name}, where no cable is"),
                    DeadEnd::NoEntry => {
                        format!("{name} has no entry for {destination}")
                    }
                    DeadEnd::OtherHost(host) => format!(
                        "takes port {port} of {name}, which leads to {}",
                        fabric.host(host).name
                    ),
                    DeadEnd::NoLane { service_level } => format!(
                        "service level {service_level} has no lane at {name} for port {port}"
                    ),
                };
                format!("{source} → {destination}: {end}")
            }
            UnreachedReason::EndsAt(switch) => format!(
                "{source} → {destination}: ends at {}, expected {}",
                fabric.switch(switch).name,
                fabric.switch(fabric.host_switch(self.destination)).name
            ),
        }
    }
}

fn describe_route(fabric: &Fabric, pair: [HostId; 2], nodes: &[Node]) -> String {
    let [source, destination] = pair.map(|host| &fabric.host(host).name);
    let names: Vec<&str> = nodes.iter().map(|&node| fabric.node_name(node)).collect();
    let names = names.join(", ");
    format!("{source} → {destination} (by way of {names})")
}
