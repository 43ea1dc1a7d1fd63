//! The neighbour lists of CAMINOS.

use super::{error_after, found, links, notes};
use weft_fabric::formats::{FormatName, write};
use weft_fabric::generate::{mesh, rhinet_tree};
use weft_testing::table;

/// A star of three routers and one that is joined to none.
const STAR: &str = "NODOS 4\nGRADO 2\nN 0\n2 1\nN 1\n0\nN 2\n0\nN 3\n\n";

#[test]
fn ports_follow_the_order_of_the_list() {
    let found = found(STAR);
    assert_eq!(found.format, FormatName::Caminos);
    assert_eq!(links(&found.fabric), ["sw0[2] → sw1[1]", "sw0[1] → sw2[1]"]);
    let fabric = &found.fabric;
    assert_eq!((fabric.switch_count(), fabric.host_count()), (4, 0));
    assert_eq!(notes(&found), [(None, "no servers")]);
    assert_eq!(write(fabric, FormatName::Caminos).unwrap(), STAR);
}

#[test]
fn a_mesh_is_written_port_by_port() {
    let text = write(&mesh(3, 1, 2).unwrap(), FormatName::Caminos).unwrap();
    assert_eq!(text, "NODOS 3\nGRADO 2\nN 0\n1\nN 1\n2 0\nN 2\n1\n");
}

#[test]
fn every_mistake_is_named_with_its_place() {
    let cases = table(
        r"
        GRADO 2\n => ``
            file:2:1: found “N 0”, expected GRADO and a number
        NODOS 4 => NODOS four
            file:1:7: found “four”, expected a whole number
        N 2\n0 => N 2\n0 1
            file:8:3: found router 1 as a neighbour of 2, but not 2 as one of 1, expected every link
            listed at both its ends
        N 2\n0 => N 2\n0 2
            file:8:3: found router 2 as its own neighbour, expected another router
        2 1 => 2 1 2
            file:4:5: found router 2 twice among the neighbours of 0, expected it once: CAMINOS has
            no parallel links
        N 3 => N 2
            file:9:1: found router 2 a second time, expected each of routers 0 to 3 once
        N 3 => N 4
            file:9:1: found router 4, expected each of routers 0 to 3 once
        N 3\n\n => ``
            file:8:2: found the end of the file, expected the neighbours of router 3 of 4 (“N 3”);
            the file looks truncated: write or copy it again in full
        N 1\n0 => N 1\nzero
            file:6:1: found “zero”, expected the number of a router
        N 1\n => ``
            file:5:1: found “0”, expected N and a number
    ",
    );
    for [from, to, expected] in cases {
        assert_eq!(error_after(STAR, &from, &to), expected, "for {from}");
    }
}

#[test]
fn uneven_hosts_are_refused() {
    let tree = rhinet_tree(2, 4, 1, 4).unwrap();
    let text = write(&tree, FormatName::Caminos).unwrap_err().to_string();
    assert_eq!(
        text,
        "CAMINOS neighbour lists cannot hold 4 hosts at “sw0” beside 0 at “sw4”: CAMINOS gives \
         every router the same number of servers; choose another format"
    );
}
