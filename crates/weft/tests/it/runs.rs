//! Runs through the front door and through the engines themselves.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use weft::engine::run::{Conditions, ReplayLimits, RunError, replay, run};
use weft::engine::wormhole::idle_latency_cycles;
use weft::engine::{Simulator, cut_through, wormhole};
use weft::fabric::{Fabric, generate};
use weft::model::workload::program::{
    Acknowledged, Messaging, MessagingParameters, Program, transfers,
};
use weft::model::workload::{
    Arrivals, Destinations, ShareOf, SizeShare, Traffic, TrafficParameters, Workload,
};
use weft::routing::{CheckedRoutes, Routing, algorithms};
use weft::{
    Error, Hardware, Machine, Measurement, Network, OfferedTraffic, ReplayEnd, Replaying,
    RoutedFabric, RunParameters, Transfers, unwatched,
};

const LOAD: f64 = 0.1;

fn quick() -> RunParameters {
    RunParameters {
        max_packets: Some(8_000),
        ..RunParameters::default()
    }
}

fn torus() -> (Fabric, Routing) {
    let fabric = generate::torus(4, 4, 2).unwrap();
    let routing = algorithms::route_spec(&fabric, "updown:root=0").unwrap();
    (fabric, routing)
}

/// Uniform traffic as an engine is given it, and its conditions.
fn prepared(fabric: &Fabric, machine: &Machine) -> (Workload, Conditions) {
    let flit_bytes = machine.flit_bytes();
    let parameters = TrafficParameters {
        arrivals: Arrivals::Poisson,
        sizes: vec![SizeShare {
            payload_bytes: 512,
            share: 1.0,
        }],
        share_of: ShareOf::Packets,
        load_bytes_per_cycle: LOAD * f64::from(flit_bytes),
        seed: 1,
    };
    let destinations = Destinations::uniform(fabric.host_count()).unwrap();
    let traffic = Traffic::new(parameters, destinations).unwrap();
    let traffic = traffic.on_links(fabric, machine.channels()).unwrap();
    let conditions = Conditions::of(fabric, &traffic, machine.cycle_ns(), flit_bytes);
    (Workload::Traffic(traffic), conditions)
}

/// Whether two measurements are equal in all figures, those that cannot be given included.
fn is_same(found: &Measurement, expected: &Measurement) -> bool {
    format!("{found:?}") == format!("{expected:?}")
}

fn assert_a_point_is_that_of_the_engine(preset: &str, lanes: usize) {
    let (fabric, routing) = torus();
    let hardware = Hardware::preset(preset).unwrap();
    let machine = Machine::on(&hardware, &fabric).unwrap();
    let (workload, conditions) = prepared(&fabric, &machine);
    let expected = match &machine {
        Machine::Wormhole { model, .. } => {
            let routes = routing.routes.to_source_routes(&fabric);
            let routes = wormhole::ListedRoutes::new(&fabric, routes).unwrap();
            let mut engine = wormhole::Engine::new(&fabric, &routes, model, &workload).unwrap();
            run(
                &mut engine,
                Some(&workload),
                &conditions,
                &quick(),
                &mut unwatched,
            )
        }
        Machine::CutThrough(setup) => {
            let routes = CheckedRoutes::new(&fabric, &routing.routes).unwrap();
            let (model, channels) = (&setup.model, &setup.channels);
            let engine = cut_through::Engine::new(&fabric, &routes, model, channels, &workload);
            run(
                &mut engine.unwrap(),
                Some(&workload),
                &conditions,
                &quick(),
                &mut unwatched,
            )
        }
    };
    let expected = expected.unwrap();
    let routed = RoutedFabric::new(fabric, routing);
    let network = Network::new(&routed, &hardware).unwrap();
    let traffic = OfferedTraffic::uniform(LOAD);
    let found = network.simulate(&traffic, &quick(), &mut unwatched);
    assert!(is_same(&found.unwrap(), &expected));
    assert!((expected.accepted_load - LOAD).abs() < 0.01);
    assert!(expected.lane_count() >= lanes);
}

#[test]
fn a_wormhole_point_is_that_of_the_engine() {
    assert_a_point_is_that_of_the_engine("myrinet", 0);
}

#[test]
fn a_point_on_several_threads_is_that_of_one_but_for_its_costs() {
    let fabric = generate::k_ary_n_tree(4, 3).unwrap();
    let routing = algorithms::route_spec(&fabric, "d_mod_k").unwrap();
    let routed = RoutedFabric::new(fabric, routing);
    let hardware = Hardware::preset("myrinet").unwrap();
    let network = Network::new(&routed, &hardware).unwrap();
    let mut traffic = OfferedTraffic::uniform(0.4);
    traffic.sizes[0].payload_bytes = 8;
    let measure = |threads| {
        let network = network.clone().on_threads(threads);
        network
            .simulate(&traffic, &quick(), &mut unwatched)
            .unwrap()
    };
    let (one, several) = (measure(1), measure(3));
    assert_ne!(several.events, one.events, "it was simulated in parts");
    let events = one.events;
    // As texts, since an interval that is not known equals none.
    let several = Measurement { events, ..several };
    assert_eq!(format!("{several:?}"), format!("{one:?}"));
}

#[test]
fn a_cut_through_point_is_that_of_the_engine() {
    assert_a_point_is_that_of_the_engine("infiniband_1x", 1);
}

#[test]
fn a_program_is_replayed_as_by_the_engine() {
    let (fabric, routing) = torus();
    let hardware = Hardware::preset("myrinet").unwrap();
    let machine = Machine::on(&hardware, &fabric).unwrap();
    let Machine::Wormhole { model, cycle_ns } = &machine else {
        unreachable!("Myrinet is wormhole hardware")
    };
    let to: Vec<Option<u32>> = (0..32).map(|host| Some((host + 5) % 32)).collect();
    let tasks = || transfers(&to, 3, 2_000, true).unwrap();
    let messaging = MessagingParameters {
        acknowledged: Acknowledged::Waited,
        blocking: true,
        ..weft::messaging(&hardware, &BTreeMap::new()).unwrap()
    };
    let hosts: Vec<_> = fabric.host_ids().collect();
    let layer = Messaging::new(&messaging, *cycle_ns).unwrap();
    let program = Program::new(tasks(), layer, &hosts, hosts.len()).unwrap();
    let workload = Workload::Program(program);
    let routes = routing.routes.to_source_routes(&fabric);
    let routes = wormhole::ListedRoutes::new(&fabric, routes).unwrap();
    let mut engine = wormhole::Engine::new(&fabric, &routes, model, &workload).unwrap();
    let expected = replay(&mut engine, ReplayLimits::NONE, &mut unwatched).unwrap();

    let routed = RoutedFabric::new(fabric.clone(), routing.clone());
    let network = Network::new(&routed, &hardware).unwrap();
    let found = network
        .replay(
            tasks(),
            &messaging,
            &hosts,
            &Replaying::default(),
            &mut unwatched,
        )
        .unwrap();
    assert_eq!(found.end, ReplayEnd::Finished);
    assert_eq!(found.delivered_packets, expected.delivered_packets);
    assert_eq!(found.payload_bytes, expected.payload_bytes);
    assert!(
        found.payload_bytes >= 32 * 3 * 2_000,
        "acknowledgements on top"
    );
    let latency_ns = expected.mean_latency_cycles * cycle_ns;
    assert_eq!(found.mean_latency_ns.to_bits(), latency_ns.to_bits());
    let execution = engine.execution().unwrap();
    for (rank, times) in (0..).zip(&found.ranks) {
        let cycles = execution.finish_cycle(rank).unwrap();
        let finish_ns = cycles as f64 * cycle_ns;
        assert_eq!(times.finish_ns.to_bits(), finish_ns.to_bits());
    }
    let busy = fabric.channel_ids().map(|id| engine.channel_use(id));
    for (busy, &found_ns) in busy.zip(&found.channel_busy_ns) {
        let busy_ns = busy.busy_cycles as f64 * cycle_ns;
        assert_eq!(found_ns.to_bits(), busy_ns.to_bits());
    }
}

#[test]
fn what_is_compared_is_proved_first() {
    let fabric = Arc::new(generate::torus(4, 4, 1).unwrap());
    let routed = |spec| {
        let routing = algorithms::route_spec(&fabric, spec).unwrap();
        RoutedFabric::new(Arc::clone(&fabric), routing)
    };
    let routings = [routed("updown"), routed("minimal")];
    let hardware = Hardware::preset("myrinet").unwrap();
    let traffic = OfferedTraffic::uniform(0.02);
    let found = weft::compare(&hardware, &routings, &traffic, &quick(), &mut unwatched).unwrap();
    let [updown, minimal] = found.as_slice() else {
        panic!("one of each routing")
    };
    let network = Network::new(&routings[0], &hardware).unwrap();
    assert_eq!(updown.proof, network.prove().unwrap());
    assert!(updown.proof.is_deadlock_free() && updown.measurement.is_some());
    assert!(!minimal.proof.is_deadlock_free() && minimal.measurement.is_none());
}

/// On a tree there is one way from each host to each other, whatever the routing.
#[test]
fn routings_that_come_out_as_the_same_routes_are_simulated_once() {
    let fabric = Arc::new(generate::mesh(4, 1, 2).unwrap());
    let specs = [
        "updown:root=0",
        "down_preferred",
        "minimal",
        "updown:root=3",
    ];
    let routings = specs.map(|spec| {
        let routing = algorithms::route_spec(&fabric, spec).unwrap();
        RoutedFabric::new(Fabric::clone(&fabric), routing)
    });
    let hardware = Hardware::preset("myrinet").unwrap();
    let traffic = OfferedTraffic::uniform(LOAD);
    let found = weft::compare(&hardware, &routings, &traffic, &quick(), &mut unwatched).unwrap();
    let same: Vec<_> = found.iter().map(|one| one.same_routes_as).collect();
    assert_eq!(
        same,
        [None, None, Some(0), Some(0)],
        "the second makes tables"
    );
    for (routed, compared) in routings.iter().zip(&found) {
        let network = Network::new(routed, &hardware).unwrap();
        assert_eq!(compared.proof, network.prove().unwrap());
        let alone = network.simulate(&traffic, &quick(), &mut unwatched);
        assert!(is_same(
            compared.measurement.as_ref().unwrap(),
            &alone.unwrap()
        ));
    }
    let smaller = generate::mesh(3, 1, 2).unwrap();
    let routing = algorithms::route_spec(&smaller, "updown").unwrap();
    assert!(!routings[0].leads_as(&RoutedFabric::new(smaller, routing)));
}

#[test]
fn an_idle_network_is_as_quick_as_the_engine_says() {
    let (fabric, routing) = torus();
    let hardware = Hardware::preset("myrinet").unwrap();
    let Machine::Wormhole { model, cycle_ns } = Machine::on(&hardware, &fabric).unwrap() else {
        unreachable!("Myrinet is wormhole hardware")
    };
    let routes = routing.routes.to_source_routes(&fabric);
    let routes = wormhole::ListedRoutes::new(&fabric, routes).unwrap();
    let hosts: Vec<_> = fabric.host_ids().collect();
    let pair = [hosts[0], hosts[9]];
    let cycles = idle_latency_cycles(&fabric, &routes, &model, pair, 512).unwrap();
    let names = pair.map(|host| fabric.host(host).name.as_str());

    let routed = RoutedFabric::new(fabric.clone(), routing.clone());
    let network = Network::new(&routed, &hardware).unwrap();
    let found = network.idle_latencies_ns(names, &[512]).unwrap();
    assert_eq!(found, [cycles.map(|cycles| cycles as f64 * cycle_ns)]);

    let same = network.idle_latencies_ns([names[0], names[0]], &[512]);
    assert!(matches!(same, Err(Error::SameHost { .. })));
    let unknown = network.idle_latencies_ns([names[0], "hsot9"], &[512]);
    let text = unknown.unwrap_err().to_string();
    assert!(
        text.starts_with("found host “hsot9”, expected one of the fabric"),
        "{text}"
    );
}

#[test]
fn bandwidth_is_data_over_time() {
    let (fabric, routing) = torus();
    let routed = RoutedFabric::new(fabric, routing);
    let hardware = Hardware::preset("rhinet2").unwrap();
    let network = Network::new(&routed, &hardware).unwrap();
    let mut destinations = vec![None; 32];
    destinations[3] = Some(17);
    let mut asked = Transfers {
        destinations: &destinations,
        messages: 2,
        message_bytes: 1_792,
        messaging: weft::messaging(&hardware, &BTreeMap::new()).unwrap(),
    };
    let found = network.bandwidth(&asked, &mut unwatched).unwrap();
    for (to, rate) in destinations.iter().zip(&found.host_bytes_per_ns) {
        assert_eq!(to.is_some(), *rate > 0.0 && *rate < 0.6, "{rate}");
    }
    asked.messages = 0;
    let nothing = network.bandwidth(&asked, &mut unwatched);
    assert!(matches!(
        nothing,
        Err(Error::NothingToSend { name: "messages" })
    ));
}

#[test]
fn who_watches_a_run_may_end_it() {
    let (fabric, routing) = torus();
    let routed = RoutedFabric::new(fabric, routing);
    let hardware = Hardware::preset("myrinet").unwrap();
    let network = Network::new(&routed, &hardware).unwrap();
    let traffic = OfferedTraffic::uniform(LOAD);
    let ended = network.simulate(&traffic, &quick(), &mut |_| ControlFlow::Break(()));
    assert!(matches!(ended, Err(Error::Run(RunError::Interrupted))));
}
