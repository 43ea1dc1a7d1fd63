//! Loads of the channels under given destinations: worked out by hand, and against the load figures
//! of traffic between all hosts.

use weft_fabric::HostId;
use weft_fabric::generate::torus;
use weft_routing::algorithms::route_spec;
use weft_routing::{demand_figures, load};
use weft_testing::{fabric_of, irregular_of};

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    weft_testing::assert_near(found, expected, 1e-9 * expected.max(1.0));
}

/// Three switches in a row with two hosts, one and one. Hosts 0 and 1 send to host 3 (half of host
/// 1's packets go to host 0 instead), host 2 sends to host 0, host 3 sends nothing.
#[test]
fn loads_add_up_over_the_routes_by_weight() {
    let fabric = fabric_of(&[2, 1, 1], &[(0, 1), (1, 2)]);
    let routing = route_spec(&fabric, "updown:root=0").unwrap();
    let host = HostId::new;
    let figures = demand_figures(&fabric, &routing, |source| match source.number() {
        0 => vec![(host(3), 1.0)],
        1 => vec![(host(0), 0.5), (host(3), 0.5)],
        2 => vec![(host(0), 1.0)],
        _ => vec![],
    });
    let load = |channel: weft_fabric::ChannelId| figures.load_per_channel[channel.index()];
    for (number, injected, ejected) in [(0, 1.0, 1.5), (1, 1.0, 0.0), (2, 1.0, 0.0), (3, 0.0, 1.5)]
    {
        assert_near(load(fabric.injection_channel(host(number))), injected);
        assert_near(load(fabric.ejection_channel(host(number))), ejected);
    }
    let between = |from: u32, to: u32| {
        let mut channels = fabric.channel_ids().filter(|&c| {
            let is = |node, switch| {
                node == weft_fabric::Node::Switch(weft_fabric::SwitchId::new(switch))
            };
            is(fabric.source(c).node, from) && is(fabric.target(c).node, to)
        });
        load(channels.next().unwrap())
    };
    assert_near(between(0, 1), 1.5);
    assert_near(between(1, 2), 1.5);
    assert_near(between(1, 0), 1.0);
    assert_near(between(2, 1), 0.0);
    assert_eq!(figures.sending_hosts, 3);
    assert_near(figures.max_load, 1.5);
    assert_near(figures.saturation_bound, 1.0 / 1.5);
    // Links of a packet: 2 from host 0, 2 · ½ from host 1, 1 from host 2.
    assert_near(figures.mean_hops_links, 4.0 / 3.0);
    assert_near(figures.mean_in_transit_stops, 0.0);
}

#[test]
fn even_weights_load_as_routes_between_all_hosts_do() {
    let grid = torus(4, 4, 2).unwrap();
    for fabric in [grid, irregular_of(16, 3)] {
        let others = fabric.host_count() - 1;
        for spec in ["updown", "simple_routes", "ud_itb", "ud_itb:per=switch"] {
            let routing = route_spec(&fabric, spec).unwrap();
            let expected = load::figures(&fabric, &routing);
            let found = demand_figures(&fabric, &routing, |source| {
                let hosts = fabric.host_ids().filter(|&host| host != source);
                hosts.map(|host| (host, 1.0 / others as f64)).collect()
            });
            for (found, &routes) in found
                .load_per_channel
                .iter()
                .zip(&expected.routes_per_channel)
            {
                assert_near(*found, routes as f64 / others as f64);
            }
            assert_near(found.saturation_bound, expected.saturation_bound);
            assert_near(found.mean_hops_links, expected.mean_hops_links);
        }
    }
}

#[test]
fn stops_load_the_channels_of_their_hosts() {
    let fabric = torus(4, 4, 2).unwrap();
    let routing = route_spec(&fabric, "ud_itb").unwrap();
    let last = fabric.host_count() - 1;
    let figures = demand_figures(&fabric, &routing, |source| {
        let opposite = HostId::from_index(last - source.index());
        vec![(opposite, 1.0)]
    });
    let hosts = fabric.host_count() as f64;
    let ejected: f64 = fabric
        .host_ids()
        .map(|host| figures.load_per_channel[fabric.ejection_channel(host).index()])
        .sum();
    assert!(figures.mean_in_transit_stops > 0.1);
    assert_near(ejected, hosts * (1.0 + figures.mean_in_transit_stops));
}

#[test]
fn nobody_who_sends_loads_nothing() {
    let fabric = torus(4, 4, 2).unwrap();
    let routing = route_spec(&fabric, "updown").unwrap();
    let figures = demand_figures(&fabric, &routing, |_| Vec::new());
    assert_eq!(figures.sending_hosts, 0);
    assert_near(figures.max_load, 0.0);
    assert_near(figures.saturation_bound, 1.0);
    assert_near(figures.mean_hops_links, 0.0);
}
