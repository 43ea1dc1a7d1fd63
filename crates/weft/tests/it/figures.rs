//! The table of figures: every figure has a column or an array, a unit, and the value it names.

use std::collections::BTreeSet;
use weft::fabric::{Cable, Fabric, FabricBuilder, Host, Node, Switch, generate};
use weft::model::workload::Arrivals;
use weft::routing::algorithms;
use weft::{
    FIGURES, Figure, Hardware, Kind, Machine, Measurement, Network, OfferedTraffic, RoutedFabric,
    RunParameters, Shape, Value,
};

fn measured(hardware: &str, changes: &[(&str, &str)]) -> Measurement {
    measured_on(
        generate::torus(4, 4, 2).unwrap(),
        hardware,
        changes,
        "uniform",
    )
}

fn measured_on(
    fabric: Fabric,
    hardware: &str,
    changes: &[(&str, &str)],
    pattern: &str,
) -> Measurement {
    let routing = algorithms::route_spec(&fabric, "updown").unwrap();
    let routed = RoutedFabric::new(fabric, routing);
    let hardware = changes
        .iter()
        .fold(Hardware::preset(hardware).unwrap(), |hardware, change| {
            hardware.with(change.0, change.1).unwrap()
        });
    let network = Network::new(&routed, &hardware).unwrap();
    let parameters = RunParameters {
        max_packets: Some(5_000),
        pool_interval_ns: Some(20_000.0),
        ..RunParameters::default()
    };
    let traffic = OfferedTraffic {
        pattern: pattern.to_owned(),
        ..OfferedTraffic::uniform(0.1)
    };
    network
        .simulate(&traffic, &parameters, &mut weft::unwatched)
        .unwrap()
}

fn figure(name: &str) -> &'static Figure {
    FIGURES.iter().find(|figure| figure.name == name).unwrap()
}

#[test]
fn every_figure_has_a_unit_a_meaning_and_a_name_of_its_own() {
    let mut names = BTreeSet::new();
    for figure in FIGURES {
        let is_text = matches!(figure.kind, Kind::Text | Kind::Reason | Kind::Waiting);
        assert_eq!(figure.unit.is_empty(), is_text, "{}", figure.name);
        assert!(!figure.summary().is_empty() && !figure.summary().ends_with('.'));
        let is_array = matches!(figure.kind, Kind::Reals | Kind::Integers);
        assert_eq!(figure.shape != Shape::Run, is_array, "{}", figure.name);
        let columns = figure.columns();
        let has_none = is_array || figure.kind == Kind::Histogram;
        assert_eq!(columns.is_empty(), has_none, "{}", figure.name);
        for column in columns {
            assert!(!column.summary.is_empty() && names.insert(column.name));
        }
    }
    let latency = figure("network_latency_ns").columns();
    assert_eq!(latency[1].name, "network_latency_mean_half_width_ns");
    assert_eq!(latency[6].name, "network_latency_packets");
    assert_eq!(
        latency[0].summary,
        "mean latency, from the injection of the head to the delivery of the tail"
    );
}

#[test]
fn every_value_is_of_its_figures_kind_and_shape() {
    for measured in [measured("myrinet", &[]), measured("rhinet2", &[])] {
        for figure in FIGURES {
            let entries = measured.extents(figure).iter().product::<usize>();
            match ((figure.value)(&measured), figure.kind) {
                (Value::Text(_), Kind::Text | Kind::Reason)
                | (Value::Waiting(_), Kind::Waiting)
                | (Value::Real(_), Kind::Real)
                | (Value::Integer(_), Kind::Integer)
                | (Value::Latency(_), Kind::Latency)
                | (Value::Histogram(_), Kind::Histogram) => {}
                (Value::Reals(found), Kind::Reals) => assert_eq!(found.len(), entries),
                (Value::Integers(found), Kind::Integers) => assert_eq!(found.len(), entries),
                found => panic!("{}: {found:?}", figure.name),
            }
        }
        let accepted = (figure("accepted_load").value)(&measured);
        assert_eq!(accepted, Value::Real(measured.accepted_load));
        assert!(measured.extents(figure("pool_series_max_bytes"))[0] > 1);
    }
}

/// Three hosts at a switch; the links of the outer ones carry 200 Gbit/s, that of the middle one 50: 25,
/// 6.25 and 25 bytes a ns.
fn uneven() -> Fabric {
    let mut builder = FabricBuilder::new("uneven");
    let switch = builder.add_switch(Switch::new("sw0", 8)).unwrap();
    for (port, rate) in [(1, "4xHDR"), (2, "1xHDR"), (3, "4xHDR")] {
        let host = builder.add_host(Host::new(format!("host{port}"))).unwrap();
        let ends = [(Node::Host(host), 1), (Node::Switch(switch), port)];
        let [first, second] = ends.map(|(node, port)| node.at(port));
        let cable = Cable {
            rate: Some(rate.parse().unwrap()),
            ..Cable::UNKNOWN
        };
        builder.add_link(first, second, cable).unwrap();
    }
    builder.build().unwrap()
}

/// A tenth of what hosts' links carry, in bytes a ns over the switches, is what is offered and, far from
/// saturation, accepted: whatever a flit, a cycle and the rates of the links are.
#[test]
fn a_load_is_a_share_of_what_links_carry_on_any_hardware() {
    let torus = || generate::torus(4, 4, 2).unwrap();
    for (hardware, fabric, bytes_per_ns) in [
        // A byte in 6.25 ns, at two hosts a switch.
        ("myrinet", torus(), 0.1 * 2.0 / 6.25),
        // Six Gbit/s, in flits of eight bytes.
        ("rhinet2", torus(), 0.1 * 2.0 * 6.0 / 8.0),
        // A byte in 4 ns.
        ("infiniband_1x", torus(), 0.1 * 2.0 / 4.0),
        ("infiniband_hdr", uneven(), 0.1 * (25.0 + 6.25 + 25.0)),
    ] {
        let found = measured_on(fabric, hardware, &[], "uniform");
        let offered = found.offered_bytes_per_ns_per_switch;
        assert!((found.offered_load - 0.1).abs() < 1e-12, "{hardware}");
        assert!(
            (offered / bytes_per_ns - 1.0).abs() < 1e-9,
            "{hardware}: {offered} for {bytes_per_ns}"
        );
        let half_width = found.accepted_load_half_width;
        assert!(
            0.0 < half_width && half_width < 0.01,
            "{hardware}: {half_width}"
        );
        for latency in [found.generation_latency_ns, found.network_latency_ns] {
            assert!(latency.p50 < latency.p95 && latency.p95 < latency.p99);
            assert!(latency.p99 <= latency.max, "{latency:?}");
        }
        for (accepted, expected) in [
            (found.accepted_load, 0.1),
            (found.accepted_bytes_per_ns_per_switch, bytes_per_ns),
        ] {
            assert!(
                (accepted / expected - 1.0).abs() < 0.06,
                "{hardware}: {accepted} for {expected}"
            );
        }
    }
}

/// Of 16 hosts the four on the diagonal would send to themselves: a load is that of the other twelve.
#[test]
fn hosts_that_do_not_send_offer_nothing() {
    let torus = generate::torus(4, 4, 1).unwrap();
    let found = measured_on(torus, "myrinet", &[], "transpose");
    let offered = found.offered_bytes_per_ns_per_switch;
    assert!(
        (offered / (0.1 * 12.0 / 16.0 / 6.25) - 1.0).abs() < 1e-9,
        "{offered}"
    );
    assert!(
        (found.accepted_load / 0.1 - 1.0).abs() < 0.06,
        "{}",
        found.accepted_load
    );
}

/// A mean time on of 20,000 ns is 3,200 cycles of 6.25 ns, one off of 60,000 ns 9,600.
#[test]
fn times_of_bursts_are_ns_on_any_hardware() {
    let fabric = generate::torus(4, 4, 2).unwrap();
    let machine = Machine::on(&Hardware::preset("myrinet").unwrap(), &fabric).unwrap();
    let traffic = OfferedTraffic {
        arrivals: "bursts:on_ns=20000,off_ns=60000".to_owned(),
        ..OfferedTraffic::uniform(0.1)
    };
    let parameters = traffic.on(&fabric, &machine).unwrap().parameters().clone();
    let expected = Arrivals::Bursts {
        mean_on_cycles: 3200.0,
        mean_off_cycles: 9600.0,
    };
    assert_eq!(parameters.arrivals, expected);
}

#[test]
fn buffers_are_told_in_bytes_whatever_a_flit_has() {
    // Flits of eight bytes, and credits for whole packets of at least five flits.
    let found = measured("rhinet2", &[]);
    let most = found.buffer_max_bytes.iter().copied();
    assert!(most.clone().all(|bytes| bytes % 8 == 0));
    assert!(most.max().unwrap() >= 512);
    let pairs = found.buffer_mean_bytes.iter().zip(&found.buffer_max_bytes);
    assert!(pairs.clone().any(|(&mean, _)| mean > 0.0));
    for (&mean, &most) in pairs {
        assert!(f64::from(mean) <= f64::from(most));
    }
    let hosts = found.host_accepted_load.iter().map(|&load| f64::from(load));
    let mean = hosts.sum::<f64>() / found.host_accepted_load.len() as f64;
    assert!((mean / found.accepted_load - 1.0).abs() < 1e-5);
}
