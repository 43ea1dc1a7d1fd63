//! The occupancy of in-transit pools in time, of a network that needs them.

use crate::support::fixtures::traffic;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use weft_engine::measurement::Measurement;
use weft_engine::run::{Conditions, RunParameters, run};
use weft_engine::wormhole::{Engine, ListedRoutes};
use weft_fabric::generate::torus;
use weft_model::hardware::Hardware;
use weft_model::workload::{Arrivals, Destinations, Workload};
use weft_routing::algorithms;

const CYCLE_NS: f64 = 6.25;

/// A 4x4 torus with in-transit stops at half of what it can carry.
fn measure(pool_interval_ns: Option<f64>) -> Measurement {
    let fabric = torus(4, 4, 2).unwrap();
    let routing = algorithms::route(&fabric, "ud_itb", &BTreeMap::new()).unwrap();
    let routes = routing.routes.to_source_routes(&fabric);
    let routes = ListedRoutes::new(&fabric, routes).unwrap();
    let Hardware::Wormhole(hardware) = Hardware::preset("myrinet").unwrap() else {
        unreachable!("Myrinet is wormhole hardware")
    };
    let destinations = Destinations::uniform(fabric.host_count()).unwrap();
    let traffic = traffic(destinations, Arrivals::Constant, 512, 0.2);
    let conditions = Conditions::of(&fabric, &traffic, CYCLE_NS, 1);
    let workload = Workload::Traffic(traffic);
    let model = hardware.wormhole().unwrap();
    let mut engine = Engine::new(&fabric, &routes, &model, &workload).unwrap();
    let parameters = RunParameters {
        pool_interval_ns,
        ..RunParameters::default()
    };
    run(
        &mut engine,
        Some(&workload),
        &conditions,
        &parameters,
        &mut |_| ControlFlow::Continue(()),
    )
    .unwrap()
}

#[test]
fn the_series_adds_up_to_the_window_and_changes_nothing_else() {
    let whole = measure(None);
    assert!(whole.pool_interval_ns == 0.0 && whole.pool_series_max_bytes.is_empty());
    let mut followed = measure(Some(10_000.0));
    let interval_ns = std::mem::take(&mut followed.pool_interval_ns);
    let mean_bytes = std::mem::take(&mut followed.pool_series_mean_bytes);
    let max_bytes = std::mem::take(&mut followed.pool_series_max_bytes);
    // As text, since a figure that is none is not equal to itself.
    let [followed, unfollowed] = [&followed, &whole].map(|one| format!("{one:?}"));
    assert_eq!(
        followed, unfollowed,
        "following the pools changes no other figure"
    );

    let hosts = whole.pool_max_bytes.len();
    assert_eq!(hosts, 32);
    assert!((interval_ns - 10_000.0).abs() < 1e-9);
    let intervals = max_bytes.len() / hosts;
    let covered_ns = intervals as f64 * interval_ns;
    assert!(intervals >= 10, "{intervals} intervals");
    assert!(covered_ns <= whole.window_ns && whole.window_ns < covered_ns + interval_ns);
    for host in 0..hosts {
        let of_host = |values: &[f32]| -> Vec<f64> {
            let values = values.chunks(hosts).map(|row| f64::from(row[host]));
            values.collect()
        };
        let means = of_host(&mean_bytes);
        let maxima: Vec<u32> = max_bytes.chunks(hosts).map(|row| row[host]).collect();
        for (&mean, &max) in means.iter().zip(&maxima) {
            assert!(mean <= f64::from(max));
        }
        // What the last, unfinished interval brought lies between nothing and its whole length.
        let sum_ns: f64 = means.iter().sum::<f64>() * interval_ns;
        let total_ns = f64::from(whole.pool_mean_bytes[host]) * whole.window_ns;
        let rest_ns = total_ns - sum_ns;
        let most = f64::from(whole.pool_max_bytes[host]) * interval_ns;
        assert!(
            rest_ns >= -1e-3 * total_ns && rest_ns <= most + 1e-3 * total_ns,
            "{rest_ns}"
        );
        assert!(maxima.iter().max().unwrap() <= &whole.pool_max_bytes[host]);
    }
    let highest = max_bytes.iter().max().unwrap();
    assert!(*highest > 0, "packets stopped in transit");
}
