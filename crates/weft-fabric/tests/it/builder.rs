//! The builder refuses whatever would break an invariant, and what it builds answers questions
//! consistently.

use weft_fabric::generate::{IrregularParameters, express_torus, irregular, mesh};
use weft_fabric::{
    CableLength, Endpoint, Fabric, FabricBuilder, FabricError, Host, HostId, Layout, LinkRate,
    Node, PortNumber, Switch, SwitchId,
};
use weft_testing::refusals;

fn switch(name: &str, port_count: u8) -> Switch {
    Switch::new(name, port_count)
}

fn host(name: &str) -> Host {
    Host::new(name)
}

fn end(node: Node, port: u8) -> Endpoint {
    node.at(port)
}

/// Two switches of four ports and two hosts; the first host hangs on port 1 of the first switch.
fn started() -> (FabricBuilder, [Node; 2], [HostId; 2]) {
    let mut builder = FabricBuilder::new("f");
    let switches = ["a", "b"].map(|name| builder.add_switch(switch(name, 4)).unwrap());
    let hosts = ["g", "h"].map(|name| builder.add_host(host(name)).unwrap());
    builder
        .attach_host(hosts[0], switches[0], PortNumber::new(1))
        .unwrap();
    (builder, switches.map(Node::Switch), hosts)
}

#[test]
fn each_broken_invariant_has_its_error() {
    let (builder, [a, b], [g, h]) = started();
    let link = |from: Endpoint, to: Endpoint| builder.clone().add_link(from, to, None);
    refusals! {
        builder.clone().add_switch(switch("h", 4)) =>
            "two nodes are named “h”; names must be unique";
        builder.clone().add_host(host("a")) => "two nodes are named “a”; names must be unique";
        builder.clone().add_host(host("")) => "a node has an empty name; give it one";
        builder.clone().add_switch(switch("c", 0)) => "ports of a switch is 0; expected 1 to 254";
        builder.clone().add_switch(switch("c", 255)) =>
            "ports of a switch is 255; expected 1 to 254";
        link(end(a, 5), end(b, 1)) => "port 5 of “a” does not exist; it has ports 1 to 4";
        link(end(a, 2), end(b, 0)) => "port 0 of “b” does not exist; it has ports 1 to 4";
        link(end(a, 2), end(Node::Host(h), 0)) =>
            "port 0 of “h” does not exist; it has ports 1 to 254";
        link(end(a, 1), end(b, 1)) =>
            "port 1 of “a” is used twice: by g[1] – a[1] and by a[1] – b[1]";
        link(end(b, 2), end(b, 2)) =>
            "port 2 of “b” is used twice: by b[2] – b[2] and by b[2] – b[2]";
        link(end(Node::Host(g), 2), end(b, 1)) =>
            "host “g” has two links, to “a” and to “b”; a host is one NIC port with exactly one \
             link (enter a NIC with two ports as two hosts)";
        link(end(Node::Host(g), 1), end(Node::Host(h), 1)) =>
            "a link joins the hosts “g” and “h”; a host's link must lead to a switch";
        builder.clone().build() => "host “h” has no link; a host needs exactly one, to a switch";
        FabricBuilder::new("empty").build() => "the fabric has no switch; at least one is needed";
    }
}

#[test]
fn a_refused_part_leaves_the_rest_as_it_was() {
    let (mut builder, [a, b], [_, h]) = started();
    builder.add_link(end(a, 1), end(b, 1), None).unwrap_err();
    builder.add_link(end(b, 1), end(b, 1), None).unwrap_err();
    builder
        .add_link(end(Node::Host(h), 1), end(b, 1), None)
        .unwrap();
    let fabric = builder.build().unwrap();
    assert_eq!(fabric.link_count(), 2);
    assert_eq!(fabric.host_switch(h), SwitchId::new(1));
}

#[test]
fn a_grid_has_as_many_places_as_there_are_switches() {
    for (extents, fits) in [
        (vec![2], true),
        (vec![1, 2, 1], true),
        (vec![2, 2], false),
        (vec![], false),
        (vec![u32::MAX, u32::MAX, u32::MAX], false),
    ] {
        let mut builder = FabricBuilder::new("f");
        for name in ["a", "b"] {
            builder.add_switch(switch(name, 1)).unwrap();
        }
        builder.set_layout(Layout::Grid {
            extents: extents.clone(),
        });
        let expected = if fits {
            Ok(())
        } else {
            Err(FabricError::LayoutMismatch {
                extents,
                switches: 2,
            })
        };
        assert_eq!(builder.build().map(|_| ()), expected);
    }
}

fn assert_consistent(fabric: &Fabric) {
    for channel in fabric.channel_ids() {
        assert_eq!(fabric.source(channel), fabric.target(channel.reverse()));
        assert_eq!(channel.reverse().reverse(), channel);
        assert_eq!(channel.link(), channel.reverse().link());
        let source = fabric.source(channel);
        match source.node {
            Node::Switch(id) => assert_eq!(fabric.outgoing_at(id, source.port), Some(channel)),
            Node::Host(id) => assert_eq!(fabric.injection_channel(id), channel),
        }
    }
    for switch in fabric.switch_ids() {
        let ports: Vec<_> = fabric
            .outgoing(switch)
            .iter()
            .map(|&channel| fabric.source(channel))
            .collect();
        assert!(ports.is_sorted_by(|a, b| a.port < b.port));
        assert!(ports.iter().all(|end| end.node == Node::Switch(switch)));
        for hop in fabric.hops(switch) {
            assert_eq!(
                fabric.source(hop.channel),
                end(Node::Switch(switch), hop.port.number())
            );
            assert_eq!(fabric.target(hop.channel).node, Node::Switch(hop.switch));
            assert!(fabric.is_switch_channel(hop.channel) && hop.switch != switch);
        }
        for &host in fabric.hosts_of(switch) {
            assert_eq!(fabric.host_switch(host), switch);
            let ejection = fabric.ejection_channel(host);
            assert_eq!(
                fabric.outgoing_at(switch, fabric.host_port(host)),
                Some(ejection)
            );
            assert!(!fabric.is_switch_channel(ejection));
        }
        let loops = fabric
            .outgoing(switch)
            .iter()
            .filter(|&&channel| fabric.target(channel).node == Node::Switch(switch))
            .count();
        assert_eq!(
            fabric.outgoing(switch).len(),
            fabric.hops(switch).len() + fabric.hosts_of(switch).len() + loops
        );
        assert_eq!(fabric.outgoing_at(switch, PortNumber::new(255)), None);
    }
}

#[test]
fn every_view_of_a_fabric_tells_the_same() {
    assert_consistent(&mesh(3, 2, 2).unwrap());
    assert_consistent(&express_torus(5, 6, 1).unwrap());
    assert_consistent(&irregular(&IrregularParameters::default()).unwrap());
    // Cables back to the same switch and parallel ones, ends in either order.
    let (mut builder, [a, b], [_, h]) = started();
    builder
        .add_link(end(b, 4), end(Node::Host(h), 3), None)
        .unwrap();
    builder.add_link(end(b, 3), end(a, 3), None).unwrap();
    builder.add_link(end(a, 2), end(b, 2), None).unwrap();
    assert_consistent(&builder.build().unwrap());
    let (mut builder, [a, b], [_, h]) = started();
    builder.add_link(end(a, 4), end(a, 2), None).unwrap();
    builder
        .add_link(end(b, 4), end(Node::Host(h), 3), None)
        .unwrap();
    assert_consistent(&builder.build().unwrap());
}

#[test]
fn rates_are_written_as_they_are_read() {
    for width in [1, 2, 4, 8, 12] {
        for speed in "SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR".split('|') {
            let text = format!("{width}x{speed}");
            assert_eq!(text.parse::<LinkRate>().unwrap().to_string(), text);
        }
    }
    for text in [
        "1.28 Gbit/s",
        "0.64 Gbit/s",
        "2 Gbit/s",
        "0.000001 Gbit/s",
        "400 Gbit/s",
    ] {
        assert_eq!(text.parse::<LinkRate>().unwrap().to_string(), text);
    }
    let spellings = ["1.28Gbit/s", "1.280 Gbit/s", "01.28 Gbit/s"];
    for text in spellings {
        assert_eq!(text.parse::<LinkRate>().unwrap().to_string(), "1.28 Gbit/s");
    }
    for text in
        "|x|4x|xHDR|4HDR|3xHDR|-4xHDR|4xhdr|4x HDR|4xHDRR|04xHDR |1.28|Gbit/s| Gbit/s|0 Gbit/s|\
         -1 Gbit/s|+1 Gbit/s|1. Gbit/s|.5 Gbit/s|1.0000001 Gbit/s|1e3 Gbit/s|1  Gbit/s|\
         1000000 Gbit/s|1 Gbit/s "
            .split('|')
    {
        assert_eq!(
            text.parse::<LinkRate>().unwrap_err().to_string(),
            format!(
                "found link rate “{text}”, expected a data rate such as 1.28 Gbit/s, or width x \
                 speed such as 4xHDR (widths 1, 2, 4, 8, 12)"
            )
        );
    }
    let gbit_per_s = |text: &str| text.parse::<LinkRate>().unwrap().data_gbit_per_s();
    assert!((gbit_per_s("4xHDR") - 200.0).abs() < 1e-9);
    assert!((gbit_per_s("12xQDR") - 96.0).abs() < 1e-9);
    assert!((gbit_per_s("0.64 Gbit/s") - 0.64).abs() < 1e-9);
}

#[test]
fn lengths_are_whole_millimetres() {
    let text = |metres: f64| CableLength::from_metres(metres).map(|length| length.to_string());
    for (metres, expected) in [
        (10.0, "10"),
        (0.3, "0.3"),
        (2.0004, "2"),
        (100_000.0, "100000"),
    ] {
        assert_eq!(text(metres).as_deref(), Some(expected));
    }
    for metres in [0.0, 0.0004, -1.0, 100_000.001, f64::NAN, f64::INFINITY] {
        assert_eq!(text(metres), None, "{metres}");
    }
}
