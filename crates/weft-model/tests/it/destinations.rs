//! Laws of every pattern in the registry, and its packets against its own exact distribution.
//!
//! The chi-square bounds are 99.99 % quantiles: a correct generator fails one in ten thousand
//! seeds, and the seeds are fixed.

use weft_fabric::generate::{IrregularParameters, irregular, mesh, torus};
use weft_fabric::{Fabric, HostId};
use weft_model::workload::{
    Arrivals, ChosenPattern, Destinations, PATTERNS, Traffic, TrafficParameters, Workload,
};
use weft_registry::Kind;

fn fabrics() -> Vec<Fabric> {
    let random = IrregularParameters {
        switches: 9,
        hosts_per_switch: 4,
        ports_per_switch: 8,
        seed: 5,
        ..IrregularParameters::default()
    };
    vec![
        mesh(2, 1, 1).unwrap(),
        mesh(5, 1, 2).unwrap(),
        torus(4, 4, 1).unwrap(),
        irregular(&random).unwrap(),
        torus(4, 4, 4).unwrap(),
    ]
}

/// Every pattern with its defaults and with each word and several numbers of each parameter.
fn texts() -> Vec<String> {
    let mut texts = Vec::new();
    for pattern in PATTERNS {
        let has_default = pattern.parameters.iter().all(|spec| spec.default.is_some());
        if has_default {
            texts.push(pattern.name.to_owned());
        }
        for spec in pattern.parameters {
            let values: Vec<String> = match spec.kind {
                Kind::Choice(words) => words.iter().map(ToString::to_string).collect(),
                Kind::Whole { most, .. } if most == u64::MAX => {
                    vec!["7".to_owned(), u64::MAX.to_string()]
                }
                Kind::Whole { least, .. } => {
                    (least..least + 3).map(|value| value.to_string()).collect()
                }
                Kind::Positive { .. } if spec.unit == "%" => {
                    vec!["0.5".to_owned(), "100".to_owned()]
                }
                Kind::Positive { .. } => vec!["1000".to_owned()],
                Kind::Open(_) => vec!["host1".to_owned(), "0+host1".to_owned()],
                Kind::File => vec!["pairs.csv".to_owned()],
                other => unreachable!("no pattern has a parameter that is {other}"),
            };
            texts.extend(
                values
                    .iter()
                    .map(|value| format!("{}:{}={value}", pattern.name, spec.name)),
            );
        }
    }
    texts
}

/// Every pattern over every fabric it is defined on.
fn laid() -> Vec<(String, Fabric, Destinations)> {
    let mut laid = Vec::new();
    for fabric in fabrics() {
        let hosts = fabric.host_count();
        let lines: Vec<String> = (0..hosts)
            .map(|host| format!("{host},{}", (host * 3 + 1) % hosts))
            .collect();
        let shares: Vec<String> = (0..hosts * hosts)
            .filter(|pair| pair % 5 != 0)
            .map(|pair| format!("{},{},{}", pair / hosts, pair % hosts, pair % 7))
            .collect();
        for text in texts() {
            let chosen: ChosenPattern = text.parse().unwrap();
            let is_matrix = text.starts_with("matrix");
            let lines = if is_matrix { &shares } else { &lines };
            if let Ok(destinations) = chosen.destinations(&fabric, Some(&lines.join("\n"))) {
                let name = format!("{text} over {}", fabric.name());
                laid.push((name, fabric.clone(), destinations));
            }
        }
    }
    laid
}

#[test]
fn every_pattern_is_defined_on_some_fabric_here() {
    let laid = laid();
    for text in texts() {
        // With a radius of 1 no host link is left.
        if text != "local:radius=1" {
            let name = format!("{text} over ");
            assert!(
                laid.iter().any(|entry| entry.0.starts_with(&name)),
                "{text}"
            );
        }
    }
}

#[test]
fn probabilities_are_a_distribution_over_other_hosts() {
    for (name, fabric, destinations) in laid() {
        assert_eq!(destinations.host_count(), fabric.host_count());
        let sending = fabric.host_ids().filter(|&host| destinations.sends(host));
        assert_eq!(sending.count(), destinations.sending_hosts(), "{name}");
        assert!(destinations.sending_hosts() > 0, "{name}");
        for host in fabric.host_ids() {
            let found = destinations.probabilities(host);
            assert!(found.is_sorted_by(|a, b| a.0 < b.0), "{name}");
            assert!(found.iter().all(|&(to, _)| to != host), "{name}");
            assert!(found.iter().all(|&(_, p)| p > 0.0), "{name}");
            let sum: f64 = found.iter().map(|entry| entry.1).sum();
            let expected = f64::from(u8::from(destinations.sends(host)));
            assert!((sum - expected).abs() < 1e-12, "{name}: {host} has {sum}");
        }
    }
}

/// The quantile of the chi-square distribution at p = 0.0001, by Wilson and Hilferty.
fn chi_square_bound(degrees: usize) -> f64 {
    let degrees = degrees as f64;
    let part = 2.0 / (9.0 * degrees);
    degrees * (1.0 - part + 3.719 * part.sqrt()).powi(3)
}

fn traffic(destinations: Destinations) -> Workload {
    let parameters = TrafficParameters::of_one_size(Arrivals::Poisson, 64, 0.5, 11);
    Workload::Traffic(Traffic::new(parameters, destinations).unwrap())
}

#[test]
fn packets_go_where_the_probabilities_say() {
    for (name, fabric, destinations) in laid() {
        let workload = traffic(destinations.clone());
        for host in [0, 1, fabric.host_count() - 1].map(HostId::from_index) {
            let mut stream = workload.stream(host);
            let expected = destinations.probabilities(host);
            let draws = 200 * expected.len().max(5);
            let mut observed = vec![0_u32; fabric.host_count()];
            for _ in 0..draws {
                let Some(packet) = workload.next_packet(&mut stream) else {
                    break;
                };
                observed[packet.destination.index()] += 1;
            }
            let mut chi_square = 0.0;
            for &(to, probability) in &expected {
                let (count, mean) = (observed[to.index()], probability * draws as f64);
                chi_square += (f64::from(count) - mean).powi(2) / mean;
                observed[to.index()] = 0;
            }
            assert!(observed.iter().all(|&count| count == 0), "{name}: {host}");
            match expected.len() {
                0 => assert_eq!(workload.next_packet(&mut stream), None, "{name}: {host}"),
                1 => assert!(chi_square < 1e-12, "{name}: {host}"),
                count => assert!(
                    chi_square < chi_square_bound(count - 1),
                    "{name}: {host} has {chi_square} ({} degrees)",
                    count - 1
                ),
            }
        }
    }
}

#[test]
fn sending_hosts_offer_the_load_under_every_pattern_or_in_proportion_to_their_amounts() {
    for (name, fabric, destinations) in laid() {
        let workload = traffic(destinations.clone());
        let mut bytes = 0;
        let horizon_cycles = 20_000;
        for host in fabric.host_ids() {
            let mut stream = workload.stream(host);
            let packets = std::iter::from_fn(|| workload.next_packet(&mut stream));
            bytes += packets
                .take_while(|packet| packet.generation_cycle < horizon_cycles)
                .map(|packet| u64::from(packet.payload_bytes))
                .sum::<u64>();
        }
        let hosts = fabric.host_ids();
        let shares: Vec<f64> = hosts.map(|host| destinations.share_of_most(host)).collect();
        let has_amounts = shares.iter().any(|&share| share > 0.0 && share < 1.0);
        assert_eq!(has_amounts, name.starts_with("matrix"), "{name}");
        assert!(shares.contains(&1.0), "{name}: {shares:?}");
        let expected = 0.5 * horizon_cycles as f64 * shares.iter().sum::<f64>();
        // Poisson: the standard error of a count is its root.
        let packets = expected / 64.0;
        let deviation = (bytes as f64 - expected) / 64.0 / packets.sqrt();
        assert!(deviation.abs() < 3.9, "{name}: {deviation} standard errors");
    }
}
