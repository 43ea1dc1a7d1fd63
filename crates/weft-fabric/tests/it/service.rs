//! Service ends: who is one, and what they have no say in.

use crate::reading::notes;
use std::borrow::Cow;
use weft_fabric::formats::{FormatName, read, write};
use weft_fabric::{
    Fabric, FabricBuilder, HostId, PortNumber, ServiceReason, Switch, SwitchId, generate, metrics,
};

/// A two-level tree of so many leaves, spines and hosts on each leaf, as wired: spine `s` at leaf port
/// `hosts + 1 + s`, leaf `l` at spine port `1 + l`.
fn tree(leaves: u8, spines: u8, hosts: u8) -> FabricBuilder {
    let mut builder = FabricBuilder::new("tree");
    let switch = |name: String| Switch::new(name, 36);
    let leaf_ids: Vec<SwitchId> = (0..leaves)
        .map(|l| builder.add_switch(switch(format!("leaf{l}"))).unwrap())
        .collect();
    let spine_ids: Vec<SwitchId> = (0..spines)
        .map(|s| builder.add_switch(switch(format!("spine{s}"))).unwrap())
        .collect();
    for (l, leaf) in (0..).zip(&leaf_ids) {
        for host in 0..hosts {
            attach(&mut builder, &format!("node{l}-{host}"), *leaf, 1 + host);
        }
        for (s, spine) in (0..).zip(&spine_ids) {
            let ends = [
                weft_fabric::Node::Switch(*leaf).at(hosts + 1 + s),
                weft_fabric::Node::Switch(*spine).at(1 + l),
            ];
            builder.add_link(ends[0], ends[1], None).unwrap();
        }
    }
    builder
}

fn attach(builder: &mut FabricBuilder, name: &str, switch: SwitchId, port: u8) -> HostId {
    let host = builder.add_host(weft_fabric::Host::new(name)).unwrap();
    builder
        .attach_host(host, switch, PortNumber::new(port))
        .unwrap();
    host
}

/// The names of the service ends, each with what says so.
fn service_ends(fabric: &Fabric) -> Vec<(&str, ServiceReason)> {
    let hosts = fabric.host_ids().map(|id| fabric.host(id));
    hosts
        .filter_map(|host| Some((host.name.as_str(), host.service?)))
        .collect()
}

#[test]
fn a_lone_end_on_a_spine_is_one_by_its_place_and_a_light_leaf_keeps_its_ends() {
    // Six leaves of eight, four spines; a lone end on one of the spines; and a leaf of one end alone.
    let mut builder = tree(6, 4, 8);
    attach(&mut builder, "manager", SwitchId::new(6), 30);
    let light = builder.add_switch(Switch::new("light", 36)).unwrap();
    attach(&mut builder, "login", light, 1);
    for spine in 0..4 {
        let ends = [
            weft_fabric::Node::Switch(light).at(9 + spine),
            weft_fabric::Node::Switch(SwitchId::new(6 + u32::from(spine))).at(20),
        ];
        builder.add_link(ends[0], ends[1], None).unwrap();
    }
    let fabric = metrics::with_service_by_place(builder.build().unwrap());
    assert_eq!(service_ends(&fabric), [("manager", ServiceReason::Place)]);
    let levels = metrics::levels(&fabric);
    let expected = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0].map(Some);
    assert_eq!(levels, expected);
}

#[test]
fn ends_on_every_spine_are_service_where_they_are_few_for_its_links() {
    // Ten leaves: 10 links of a spine down, two ends on each of both spines are a fifth.
    let mut builder = tree(10, 2, 4);
    for (spine, port) in [(10, 30), (10, 31), (11, 30), (11, 31)] {
        attach(
            &mut builder,
            &format!("s{spine}-{port}"),
            SwitchId::new(spine),
            port,
        );
    }
    let few = metrics::with_service_by_place(builder.clone().build().unwrap());
    assert_eq!(service_ends(&few).len(), 4);
    // A third end on each is no few any more: nobody knows what these are, and nothing is said.
    for (spine, port) in [(10, 32), (11, 32)] {
        attach(
            &mut builder,
            &format!("s{spine}-{port}"),
            SwitchId::new(spine),
            port,
        );
    }
    let many = metrics::with_service_by_place(builder.build().unwrap());
    assert_eq!(service_ends(&many), []);
}

#[test]
fn fabrics_that_are_no_trees_have_no_ends_out_of_place() {
    for fabric in [
        generate::torus(4, 4, 1).unwrap(),
        generate::mesh(3, 3, 2).unwrap(),
        generate::hypercube(4, 1).unwrap(),
    ] {
        assert_eq!(service_ends(&metrics::with_service_by_place(fabric)), []);
    }
}

#[test]
fn the_compute_part_has_all_switches_and_ports_as_they_are() {
    let mut builder = tree(3, 2, 2);
    let manager = attach(&mut builder, "manager", SwitchId::new(3), 30);
    let fabric = builder.build().unwrap();
    assert!(matches!(fabric.compute_part(), Cow::Borrowed(_)));
    let mut reasons = vec![None; fabric.host_count()];
    reasons[manager.index()] = Some(ServiceReason::Told);
    reasons[1] = Some(ServiceReason::Told);
    let fabric = fabric.with_service(reasons);
    let part = fabric.compute_part();
    let names = |fabric: &Fabric| -> Vec<String> {
        let hosts = fabric.host_ids();
        hosts.map(|id| fabric.host(id).name.clone()).collect()
    };
    assert_eq!(
        names(&part),
        ["node0-0", "node1-0", "node1-1", "node2-0", "node2-1"]
    );
    assert_eq!(part.switch_count(), fabric.switch_count());
    for switch in fabric.switch_ids() {
        let ways = |fabric: &Fabric| -> Vec<_> {
            let hops = fabric.hops(switch).iter();
            hops.map(|hop| (hop.port, hop.switch)).collect()
        };
        assert_eq!(ways(&part), ways(&fabric));
        assert_eq!(part.hosts_of(switch).len(), fabric.compute_hosts_of(switch));
    }
    assert_eq!(part.host_port(HostId::new(2)), PortNumber::new(2));
}

/// One switch as `ibnetdiscover` prints it, with an adapter at its last port.
fn switch_with(ports: u8, identity: &str, description: &str) -> String {
    format!(
        "vendid=0x2c9\ndevid=0xd2f2\nsysimgguid=0x1\nswitchguid=0x1(1)\n\
         Switch\t{ports} \"S-0000000000000001\"\t\t# \"sw\" base port 0 lid 1 lmc 0\n\
         [1]\t\"H-00000000000000a1\"[1](b001)\t\t# \"node1\" lid 2 4xNDR\n\
         [{ports}]\t\"H-00000000000000a2\"[1](b002)\t\t# \"{description}\" lid 3 4xNDR\n\n\
         vendid=0x2c9\ndevid=0x1021\nsysimgguid=0xa1\ncaguid=0xa1\n\
         Ca\t1 \"H-00000000000000a1\"\t\t# \"node1\"\n\
         [1](b001)\t\"S-0000000000000001\"[1]\t\t# lid 2 lmc 0 \"sw\" lid 1 4xNDR\n\n\
         {identity}\n\
         Ca\t1 \"H-00000000000000a2\"\t\t# \"{description}\"\n\
         [1](b002)\t\"S-0000000000000001\"[{ports}]\t\t# lid 3 lmc 0 \"sw\" lid 1 4xNDR\n"
    )
}

#[test]
fn adapters_inside_switches_are_found_by_each_of_their_signs() {
    use ServiceReason::{Description, InsideSwitch};
    let plain = "vendid=0x2c9\ndevid=0x1021\nsysimgguid=0xa2\ncaguid=0xa2";
    let of_its_switch = "vendid=0x2c9\ndevid=0x1021\nsysimgguid=0x1\ncaguid=0xa2";
    let switch_device = "vendid=0x2c9\ndevid=0xd2f3\nsysimgguid=0xa2\ncaguid=0xa2";
    let other_vendor = "vendid=0x66a\ndevid=0xd2f3\nsysimgguid=0xa2\ncaguid=0xa2";
    let aggregation = "Mellanox Technologies Aggregation Node";
    for (ports, identity, description, expected) in [
        (36, plain, aggregation, Some(Description)),
        (36, of_its_switch, "x", Some(InsideSwitch)),
        (36, switch_device, "x", Some(InsideSwitch)),
        (65, plain, "x", Some(InsideSwitch)),
        (36, plain, "x", None),
        (36, other_vendor, "x", None),
        (33, plain, "x", None),
    ] {
        let text = switch_with(ports, identity, description);
        let found = read(text.as_bytes(), "one").unwrap();
        let fabric = &found.fabric;
        let services: Vec<_> = fabric
            .host_ids()
            .map(|id| fabric.host(id).service)
            .collect();
        assert_eq!(services, [None, expected], "{text}");
        assert_eq!(
            notes(&found).len(),
            usize::from(expected.is_some()),
            "{text}"
        );
    }
}

#[test]
fn a_service_end_stays_one_in_our_format_and_is_no_node_of_slurm() {
    let text = switch_with(41, "vendid=0x2c9", "x");
    let fabric = read(text.as_bytes(), "one").unwrap().fabric;
    let json = write(&fabric, FormatName::Json).unwrap();
    assert!(json.contains(r#""service": "inside_switch""#), "{json}");
    assert_eq!(read(json.as_bytes(), "one").unwrap().fabric, fabric);
    let wrong = json.replace("inside_switch", "inside");
    let error = read(wrong.as_bytes(), "one").unwrap_err().to_string();
    let expected = "found “inside”, expected description, inside_switch, place or told";
    assert!(error.contains(expected), "{error}");
    let slurm = write(&fabric, FormatName::SlurmConf).unwrap();
    assert!(slurm.contains("Nodes=node1\n"), "{slurm}");
}
