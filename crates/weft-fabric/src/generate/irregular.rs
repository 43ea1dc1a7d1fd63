//! Random irregular networks.

use super::Topology;
use super::population::Population;
use super::simple_graph::{NearRegular, random_connected, thinned};
use super::topology::{SEED, hosts_per_switch};
use crate::{Fabric, FabricError, Layout, PortNumber};
use weft_registry::Spec;

/// How many of the ports without a host are wired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IrregularLinks {
    /// All of them: every switch has as many links to others as any.
    EveryPort,
    /// As many as are drawn, evenly between a tree's and all.
    RandomCount,
}

/// What a random irregular network is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IrregularParameters {
    /// Switches in the fabric.
    pub switches: u32,
    /// Hosts on each switch.
    pub hosts_per_switch: u32,
    /// Ports of each switch; those without a host join switches.
    pub ports_per_switch: u32,
    /// How many of these are wired.
    pub links: IrregularLinks,
    /// Selects one of the networks with these parameters.
    pub seed: u64,
}

impl Default for IrregularParameters {
    /// 64 switches of eight ports with four hosts each, every port wired, seed 1.
    fn default() -> Self {
        Self {
            switches: 64,
            hosts_per_switch: 4,
            ports_per_switch: 8,
            links: IrregularLinks::EveryPort,
            seed: 1,
        }
    }
}

/// Makes a random connected network with single links in which every switch has the same
/// number of ports and hosts and every other port joins it to another switch. When that number of
/// ports is odd altogether, the last switch keeps one free.
///
/// With [`IrregularLinks::RandomCount`] that network loses random links, though never one that
/// would leave it in parts, until as many are left as were drawn.
///
/// Links lie in random order and ports are taken in that order, so a port's number says nothing
/// about where it leads.
///
/// # Errors
/// [`FabricError::InvalidParameter`] when no such network exists (too few or too many ports for
/// the number of switches), [`FabricError::TooLarge`], [`FabricError::NotFound`] when the draws
/// run out before a connected network came up.
///
/// # Determinism
/// Equal parameters give equal fabrics.
///
/// # Source
/// Flich, López, Malumbres, Duato, "Boosting the performance of Myrinet networks", §5.1: switches
/// of eight ports, four hosts, single links.
pub fn irregular(parameters: &IrregularParameters) -> Result<Fabric, FabricError> {
    let &IrregularParameters {
        switches,
        hosts_per_switch,
        ports_per_switch,
        links,
        seed,
    } = parameters;
    let invalid = |parameter, found: u32, expected: String| {
        Err(FabricError::InvalidParameter {
            parameter,
            found: found.to_string(),
            expected,
        })
    };
    if switches == 0 {
        return invalid("switches", switches, "1 or more".to_owned());
    }
    // One switch needs no link, two need one each, more need two to hold together; and with
    // single links nobody has more neighbours than there are other switches.
    let least_degree = (switches - 1).min(2);
    let least = hosts_per_switch.saturating_add(least_degree);
    let most = hosts_per_switch
        .saturating_add(switches - 1)
        .min(u32::from(PortNumber::MAX));
    if hosts_per_switch == 0 || least > u32::from(PortNumber::MAX) {
        let most_hosts = u32::from(PortNumber::MAX) - least_degree;
        return invalid(
            "hosts_per_switch",
            hosts_per_switch,
            format!("1 to {most_hosts}"),
        );
    }
    if ports_per_switch < least || ports_per_switch > most {
        let expected = format!(
            "{least} to {most} ({hosts_per_switch} for hosts; {switches} switches joined by single \
             links need {least_degree} to {} more each)",
            switches - 1
        );
        return invalid("ports_per_switch", ports_per_switch, expected);
    }
    let degree = ports_per_switch - hosts_per_switch;
    let population = Population {
        switches,
        hosts_per_switch,
        switch_ports: degree,
    };
    population.check()?;
    let wanted = NearRegular {
        vertices: switches,
        degree,
    };
    let every_port = random_connected(wanted, seed)?;
    let (name, edges) = match links {
        IrregularLinks::EveryPort => (format!("irregular-{switches}-seed{seed}"), every_port),
        IrregularLinks::RandomCount => (
            format!("irregular-{switches}-random-links-seed{seed}"),
            thinned(switches, every_port, seed),
        ),
    };
    let mut builder = population.start(name, Layout::Unstructured)?;
    let mut ports_used = vec![0; switches as usize];
    for ends in edges {
        let [a, b] = ends.map(|switch| {
            let nth = ports_used[switch as usize];
            ports_used[switch as usize] += 1;
            population.switch_port(switch, nth)
        });
        builder.add_link(a, b, None)?;
    }
    builder.build()
}

/// As listed.
pub(super) const TOPOLOGY: Topology = Topology {
    name: "irregular",
    title: "Random irregular network",
    summary: "Connected, single links, every port wired that can be, or a random number of them; \
              links and ports in random order.",
    source: "Flich, López, Malumbres, Duato, Boosting the performance of Myrinet networks, §5.1",
    parameters: &[
        Spec::whole("switches", 1, "64").says("Number of switches."),
        hosts_per_switch("4"),
        Spec::whole("ports_per_switch", 1, "8")
            .says("Ports of each switch; those without a host are wired to other switches.")
            .or("8"),
        Spec::choice("links", &["every_port", "random_count"]).says(
            "Whether all ports without a host are wired, or as many as are drawn, evenly between a \
             tree's links and all.",
        ),
        SEED,
    ],
    make: |values| {
        let links = [
            ("every_port", IrregularLinks::EveryPort),
            ("random_count", IrregularLinks::RandomCount),
        ];
        irregular(&IrregularParameters {
            switches: values.parsed("switches"),
            hosts_per_switch: values.parsed("hosts_per_switch"),
            ports_per_switch: values.parsed("ports_per_switch"),
            links: values.choice("links", &links),
            seed: values.seed(),
        })
    },
};
