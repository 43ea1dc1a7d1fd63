//! BookSim's network files.

use super::{error, error_after, found, links, notes};
use weft_fabric::formats::{FormatName, write};
use weft_fabric::generate::mesh;
use weft_fabric::{FabricBuilder, Node, Switch, SwitchId};
use weft_testing::table;

/// Three routers in a line, the second joined only by the others' lines.
const LINE: &str = "router 0 node 0 node 1 router 1\nrouter 1 node 2\nrouter 2 node 3 router 1\n";

#[test]
fn ports_are_those_that_booksim_gives_out() {
    let found = found(LINE);
    assert_eq!(found.format, FormatName::Anynet);
    assert_eq!(notes(&found), []);
    // Hosts by number, then neighbours by number.
    let expected = [
        "host0[1] → sw0[1]",
        "host1[1] → sw0[2]",
        "host2[1] → sw1[1]",
        "host3[1] → sw2[1]",
        "sw0[3] → sw1[2]",
        "sw1[3] → sw2[2]",
    ];
    assert_eq!(links(&found.fabric), expected);
    let ports = |id| found.fabric.switch(SwitchId::new(id)).port_count;
    assert_eq!([0, 1, 2].map(ports), [3, 3, 2]);
}

#[test]
fn a_line_may_start_with_a_node_or_have_capitals_blanks_and_latencies() {
    let text = "\r\nNode 0   Router 0 \r\nRouter 0 Router 1 10\r\nnode 1 router 1 1\r\n";
    let found = found(text);
    assert_eq!(
        links(&found.fabric),
        ["host0[1] → sw0[1]", "host1[1] → sw1[1]", "sw0[2] → sw1[2]"]
    );
    assert_eq!(notes(&found), [(Some(3), "latencies of 1 channels")]);
}

#[test]
fn a_mesh_is_written_as_booksim_reads_it() {
    let text = write(&mesh(2, 2, 1).unwrap(), FormatName::Anynet).unwrap();
    assert_eq!(
        text,
        "router 0 node 0 router 1 router 2\nrouter 1 node 1 router 0 router 3\n\
         router 2 node 2 router 3 router 0\nrouter 3 node 3 router 2 router 1\n"
    );
}

#[test]
fn a_link_that_one_end_does_not_list_is_noted_where_others_are_listed_twice() {
    let text = "router 0 router 1\nrouter 1 router 0 router 2\nrouter 2 node 0\n";
    let lone = found(text);
    assert_eq!(notes(&lone), [(Some(2), "1 links listed at one end only")]);
    let twice = found("router 0 node 0 router 1 router 1\n");
    assert_eq!(twice.fabric.link_count(), 2);
    assert_eq!(
        notes(&twice),
        [
            (Some(1), "1 links listed twice by one router"),
            (Some(1), "1 routers without a line of their own"),
        ]
    );
    let cut = found("router 0 node 0");
    assert_eq!(notes(&cut), [(Some(1), "the last line does not end")]);
}

#[test]
fn every_mistake_is_named_with_its_place() {
    let cases = table(
        r"
        router 1 node 2 => router 1 node 2 nod 3
            file:2:17: found “nod”, expected a latency in cycles, or router or node
        router 1 node 2 => router one node 2
            file:2:8: found “one”, expected a whole number
        router 1 node 2\n => router 1 node\n
            file:2:14: found the end of the line, expected the number of a node
        node 3 router 1\n => node 3 router
            file:3:23: found the end of the file, expected the number of a router; the file looks
            truncated: write or copy it again in full
        router 2 node 3 => router 2 node 2
            file:3:10: host “node 2” has two links, to “router 1” and to “router 2”; a host is one
            NIC port with exactly one link (enter a NIC with two ports as two hosts) (first at line
            2)
        router 2 node 3 => router 2 node 4
            file:3:10: found node 4 but no node 3, expected nodes numbered from 0 without a gap; is
            a line missing?
        router 2 node 3 => router 5 node 3
            file:3:1: found router 5 but no router 2, expected routers numbered from 0 without a
            gap; is a line missing?
        router 2 node 3 => router 2 router 2
            file:3:10: found router 2 joined to itself, expected another router or a node: BookSim
            has no such link
        router 1 node 2 => node 1 node 2
            file:2:8: found node 1 joined to node 2, expected a router: a node hangs on a router
    ",
    );
    for [from, to, expected] in cases {
        assert_eq!(error_after(LINE, &from, &to), expected, "for {from}");
    }
    let neighbours: Vec<String> = (1..=255).map(|n| format!(" router {n}")).collect();
    assert_eq!(
        error(&format!("router 0{}\n", neighbours.concat())),
        "file:1:1: a switch would need 255 ports; at most 254 are possible, so choose smaller \
         parameters"
    );
}

#[test]
fn what_booksim_cannot_tell_apart_is_refused() {
    let mut builder = FabricBuilder::new("double");
    let switch = |name: &str| Switch::new(name, 4);
    let a = builder.add_switch(switch("a")).unwrap();
    let b = builder.add_switch(switch("b")).unwrap();
    let end = |switch, port| Node::Switch(switch).at(port);
    builder.add_link(end(a, 1), end(b, 1), None).unwrap();
    let mut parallel = builder.clone();
    parallel.add_link(end(b, 3), end(a, 4), None).unwrap();
    let text = write(&parallel.build().unwrap(), FormatName::Anynet).unwrap_err();
    assert_eq!(
        text.to_string(),
        "BookSim anynet cannot hold the parallel links a[1] – b[1] and b[3] – a[4]: BookSim knows \
         one link between two routers and none from a router to itself; choose another format"
    );
    builder.add_link(end(b, 3), end(b, 4), None).unwrap();
    let text = write(&builder.build().unwrap(), FormatName::Caminos).unwrap_err();
    assert_eq!(
        text.to_string(),
        "CAMINOS neighbour lists cannot hold the cable b[3] – b[4], which joins a switch to \
         itself: CAMINOS knows one link between two routers and none from a router to itself; \
         choose another format"
    );
}
