//! What is accepted, known by what is generated: of networks with a single link between two switches.

use crate::support::fixtures::{cut_through_model, traffic};
use weft_engine::cut_through::Engine;
use weft_engine::measurement::{Measurement, Reason};
use weft_engine::run::{Conditions, RunParameters, run};
use weft_fabric::generate;
use weft_model::workload::{Arrivals, Destinations, Workload};
use weft_model::{ChannelTiming, ChannelTimings};
use weft_routing::{CheckedRoutes, algorithms};

/// Four hosts at each of two switches, whose link carries 4/7 of what four hosts send, and no more than a load of 0.274.
/// Measured with the workload and without.
fn measured(load: f64, max_packets: u64) -> [Measurement; 2] {
    let fabric = generate::mesh(2, 1, 4).unwrap();
    let routes = algorithms::route_spec(&fabric, "updown").unwrap().routes;
    let routes = CheckedRoutes::new(&fabric, &routes).unwrap();
    let destinations = Destinations::uniform(fabric.host_count()).unwrap();
    let traffic = traffic(destinations, Arrivals::Poisson, 64, load);
    let conditions = Conditions::of(&fabric, &traffic, 4.0, 1);
    let workload = Workload::Traffic(traffic);
    let model = cut_through_model(1, 200, 0, 25);
    let timings = ChannelTimings::Alike(ChannelTiming {
        cycles_per_flit: 1,
        flight_cycles: 1,
    });
    let parameters = RunParameters {
        max_packets: Some(max_packets),
        ..RunParameters::default()
    };
    [Some(&workload), None].map(|told| {
        let mut engine = Engine::new(&fabric, &routes, &model, &timings, &workload).unwrap();
        run(&mut engine, told, &conditions, &parameters, &mut |_| {
            std::ops::ControlFlow::Continue(())
        })
        .unwrap()
    })
}

/// So many packets at random times are known to one in their root, two and a half standard deviations wide at most.
#[test]
fn what_is_accepted_is_known_as_well_as_what_is_generated() {
    let [told, untold] = measured(0.15, 400_000);
    assert_eq!(told.reason, Reason::Steady, "{}", told.reason_text);
    let packets = told.delivered_packets as f64;
    let errors = told.accepted_load_half_width / told.accepted_load * packets.sqrt();
    assert!((1.6..2.5).contains(&errors), "{errors}");
    assert!((told.accepted_load - untold.accepted_load).abs() < 0.01);
    assert!((told.accepted_load_half_width - untold.accepted_load_half_width).abs() > 0.0);
}

#[test]
fn what_a_queue_without_an_end_lets_through_is_known_by_itself() {
    let [told, untold] = measured(0.28, 100_000);
    assert_eq!(told.reason, Reason::Budget, "{}", told.reason_text);
    assert!(told.accepted_load > 0.95 * 0.28, "{}", told.accepted_load);
    let difference = told.accepted_load_half_width - untold.accepted_load_half_width;
    assert!(difference.abs() < 1e-12, "{difference}");
}
