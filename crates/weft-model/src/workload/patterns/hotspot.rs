//! Hotspots: one or several hosts that receive more than the others.

use super::names::HostNames;
use super::{Pattern, Request};
use crate::workload::Destinations;
use crate::workload::error::TrafficError;
use crate::workload::random::{HOTSPOTS, below, bound_of, stream};
use crate::workload::rules::Hotspots;
use weft_registry::{Kind, Open, Spec};

/// Hosts by name or number, which only a fabric can tell.
const HOSTS: Kind = Kind::Open(Open {
    expected: "random, or hosts by name or number, joined by +",
    words: &["random"],
    accepts: |text| !text.is_empty(),
});

/// As listed.
pub(super) const PATTERN: Pattern = Pattern {
    name: "hotspot",
    title: "Hotspots",
    summary: "A share of every host's packets goes to one of the hotspots, all alike; the rest is \
              uniform over all other hosts, hotspots among them. A hotspot sends its share to the \
              other hotspots, or uniformly where it is the only one.",
    defined_on: "every fabric that has the hotspots",
    source: "Flich, López, Malumbres, Duato, Boosting the performance of Myrinet networks, \
             2002",
    parameters: &[
        Spec::of("share", Kind::Positive { most: 100.0 }, "5").says("Share of the packets that go to the hotspots on top of the uniform rest, in percent.")
        .unit("%"),
        Spec::of("hosts", HOSTS, "random").says("The hotspots, such as host3 or host3+host7, or random ones; a name goes before a \
             number."),
        Spec::of("count", Kind::whole(1), "1").says("How many random hotspots; no part of it where hosts are given."),
        Spec::of("seed", Kind::SEED, "1").says("Another seed, other random hotspots; they do not depend on the seed of the traffic."),
        Spec::choice("own_traffic", &["yes", "no"]).says("Whether the hotspots send as all others do."),
    ],
    destinations: |request| {
        let hotspots = Hotspots {
            host_count: request.host_count(),
            hosts: hosts(request)?.into(),
            share: request.values.parsed::<f64>("share") / 100.0,
            bound: bound_of(request.values.parsed::<f64>("share") / 100.0),
            has_own_traffic: request.values.is("own_traffic", "yes"),
        };
        Destinations::hotspots(hotspots)
            .ok_or_else(|| request.nobody_sends("all hosts are hotspots that do not send"))
    },
};

/// The hotspots in ascending order.
fn hosts(request: &Request<'_>) -> Result<Vec<u32>, TrafficError> {
    if request.values.is("hosts", "random") {
        return random_hosts(request);
    }
    let names = HostNames::of(request);
    let mut hosts = Vec::new();
    for text in request.values.text("hosts").split('+').map(str::trim) {
        let host = names
            .find(text)
            .ok_or_else(|| names.unknown(request, text))?;
        if hosts.contains(&host) {
            let expected = format!("each host once, and “{text}” is given twice");
            return Err(request.values.invalid("hosts", expected).into());
        }
        hosts.push(host);
    }
    hosts.sort_unstable();
    Ok(hosts)
}

/// Draws distinct hosts: the first of a random order.
fn random_hosts(request: &Request<'_>) -> Result<Vec<u32>, TrafficError> {
    let (hosts, count) = (request.host_count(), request.values.parsed("count"));
    if count > hosts {
        let expected = format!("at most the {hosts} hosts of the fabric");
        return Err(request.values.invalid("count", expected).into());
    }
    let mut random = stream(request.values.seed(), HOTSPOTS, 0);
    let mut order: Vec<u32> = (0..hosts).collect();
    for place in 0..count {
        let other = place + below(&mut random, hosts - place);
        order.swap(place as usize, other as usize);
    }
    order.truncate(count as usize);
    order.sort_unstable();
    Ok(order)
}
