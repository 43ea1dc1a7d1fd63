//! Links of several rates: `best` lets slow ones carry less.

use weft_fabric::generate::xgft;
use weft_fabric::{
    Cable, ChannelId, Fabric, FabricBuilder, HostId, LinkId, LinkRate, Node, SwitchId,
};
use weft_proof::verify;
use weft_routing::Routes;
use weft_routing::algorithms::route_spec;
use weft_routing::load::channel_loads;
use weft_testing::{fabric_of, with_rates};

/// A tree of two levels, eight leaves of four hosts and four spines, of which the first cable from a leaf to a
/// spine runs at a quarter of the others' rate.
fn with_a_slow_trunk() -> Fabric {
    let tree = xgft(&[4, 8], &[1, 4]).unwrap();
    let mut builder = FabricBuilder::new("slow trunk");
    for id in tree.switch_ids() {
        builder.add_switch(tree.switch(id).clone()).unwrap();
    }
    for host in tree.host_ids().map(|id| tree.host(id)) {
        builder.add_host(host.clone()).unwrap();
    }
    let [full, slow]: [LinkRate; 2] = ["4xHDR", "1xHDR"].map(|rate| rate.parse().unwrap());
    let mut is_first = true;
    for link in tree.link_ids().map(|id| tree.link(id)) {
        let is_trunk = link
            .ends
            .iter()
            .all(|end| matches!(end.node, Node::Switch(_)));
        let rate = if is_trunk && std::mem::take(&mut is_first) {
            slow
        } else {
            full
        };
        let cable = Cable {
            rate: Some(rate),
            ..link.cable
        };
        builder.add_link(link.ends[0], link.ends[1], cable).unwrap();
    }
    builder.build().unwrap()
}

/// The largest load of the channels between switches, where a route counts four times on a link of a quarter of the rate.
fn largest_by_rate(fabric: &Fabric, routes: &Routes, hosts: &[HostId]) -> Option<u64> {
    let loads = channel_loads(fabric, routes, hosts);
    let times = |channel: ChannelId| {
        let slow = fabric.link(channel.link()).cable.rate == "1xHDR".parse().ok();
        loads[channel.index()] * if slow { 4 } else { 1 }
    };
    fabric.switch_channels().map(times).max()
}

/// What the fullest channel carries between all hosts, as the slowest counts it, by routes that are proved.
#[track_caller]
fn largest_proved(fabric: &Fabric, spec: &str) -> Option<u64> {
    let routing = route_spec(fabric, spec).unwrap();
    let proof = verify(fabric, &routing.routes).unwrap();
    assert!(proof.is_deadlock_free());
    let hosts: Vec<HostId> = fabric.host_ids().collect();
    largest_by_rate(fabric, &routing.routes, &hosts)
}

/// Of a leaf with four hosts 4 · 28 routes lead out, four to a destination: 28 on each of four links of one rate.
/// Where a route counts four times on one, 36 on three and 16 there is the least; as of one rate it would be 112.
#[test]
fn slow_links_carry_less() {
    let fabric = with_a_slow_trunk();
    for spec in ["best:lanes=1", "best:lanes=2"] {
        assert_eq!(largest_proved(&fabric, spec), Some(36), "{spec}");
    }
}

/// Of three switches with two hosts each two have a slow link: 16 by shortest ways, 8 where all or half of that goes over the
/// third switch.
#[test]
fn what_a_slow_link_would_carry_goes_around_it() {
    let ring = fabric_of(&[2, 2, 2], &[(0, 1), (1, 2), (2, 0)]);
    let is_slow = |link: LinkId| {
        let of_ends = ring.link(link).ends.map(|end| end.node.switch());
        of_ends == [0, 1].map(|number| Some(SwitchId::new(number)))
    };
    let fabric = with_rates(&ring, |link| {
        Some(if is_slow(link) { "1xHDR" } else { "4xHDR" })
    });
    for spec in ["best:lanes=2", "best:lanes=8", "best:starts=0"] {
        assert_eq!(largest_proved(&fabric, spec), Some(8), "{spec}");
    }
}

/// Two switches send to the second by a slow link next to it, 8, or around it over what six routes take then: nothing else
/// fills that link, but what is sent itself.
#[test]
fn a_slow_link_is_filled_by_few() {
    let whole = fabric_of(&[1, 1, 1, 2], &[(0, 1), (0, 2), (1, 3), (0, 3)]);
    let is_slow = |link: LinkId| {
        let of_ends = whole.link(link).ends.map(|end| end.node.switch());
        of_ends == [0, 1].map(|number| Some(SwitchId::new(number)))
    };
    let fabric = with_rates(&whole, |link| {
        Some(if is_slow(link) { "1xHDR" } else { "4xHDR" })
    });
    assert_eq!(largest_proved(&fabric, "best:lanes=4"), Some(6));
}
