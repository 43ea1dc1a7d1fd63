//! A fabric with one more cable.

use weft_fabric::{
    Cable, Fabric, FabricBuilder, LinkRate, Node, PortNumber, Switch, SwitchId, generate,
};

fn ports(fabric: &Fabric, switch: u32) -> Vec<u8> {
    let free = fabric.free_ports(SwitchId::new(switch)).into_iter();
    free.map(PortNumber::number).collect()
}

#[test]
fn the_inner_port_of_a_large_switch_is_not_free() {
    let free_of = |port_count: u8| {
        let mut builder = FabricBuilder::new("one");
        builder.add_switch(Switch::new("sw", port_count)).unwrap();
        ports(&builder.build().unwrap(), 0)
    };
    for (count, last) in [
        (1, 1),
        (5, 5),
        (36, 36),
        (37, 36),
        (40, 40),
        (41, 40),
        (65, 64),
    ] {
        assert_eq!(
            free_of(count),
            (1..=last).collect::<Vec<u8>>(),
            "{count} ports"
        );
    }
}

#[test]
fn a_cable_more_is_the_last_link_and_changes_nothing_else() {
    let mut builder = FabricBuilder::new("pair");
    let [a, b] = ["a", "b"].map(|name| builder.add_switch(Switch::new(name, 4)).unwrap());
    let end = |switch: SwitchId, port: u8| Node::Switch(switch).at(port);
    let slow: LinkRate = "4xQDR".parse().unwrap();
    let fast: LinkRate = "4xHDR".parse().unwrap();
    builder.add_link(end(a, 1), end(b, 1), Some(slow)).unwrap();
    builder.add_link(end(a, 2), end(b, 3), Some(fast)).unwrap();
    builder.add_link(end(a, 3), end(b, 4), Some(fast)).unwrap();
    let fabric = builder.build().unwrap();
    assert_eq!((ports(&fabric, 0), ports(&fabric, 1)), (vec![4], vec![2]));
    let usual = fabric.usual_cable([a, b]);
    assert_eq!(usual, Cable::from(Some(fast)));
    let more = fabric
        .with_cable([(a, PortNumber::new(4)), (b, PortNumber::new(2))], usual)
        .unwrap();
    assert_eq!(more.link_count(), 4);
    for id in fabric.link_ids() {
        assert_eq!(fabric.link(id), more.link(id));
    }
    let last = more.link_ids().last().unwrap();
    assert_eq!(more.describe_link(last), "a[4] – b[2]");
    // No port takes two cables.
    let twice = more.with_cable([(a, PortNumber::new(4)), (b, PortNumber::new(2))], usual);
    assert!(twice.is_err());
    let torus = generate::torus(4, 4, 1).unwrap();
    assert!(torus.switch_ids().all(|id| torus.free_ports(id).is_empty()));
}
