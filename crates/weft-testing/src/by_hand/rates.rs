//! Links of several rates and lengths, worked out by hand.

use super::{Expected, Listed, MYRINET, Scenario, by_link, fabric};
use weft_model::WormholeModel;

/// Two switches, a host on each, with these cycles per flit of the first host's link, the second's and
/// the one between the switches. A packet of host 0 has 2 routing flits, 2 of type, the payload and 1
/// of checksum.
fn two_switches(cycles_per_flit: [u32; 3], packets: &[Listed], expected: Expected) -> Scenario {
    let fabric = fabric(&[0, 1], &[[0, 1]]);
    Scenario::new(fabric, &[], packets, expected).on(WormholeModel {
        channels: by_link(&cycles_per_flit.map(|cycles| (cycles, 8))),
        ..MYRINET
    })
}

/// 15 flits arrive at the first switch in 8…22. Granted at 8, the 14 others leave every third cycle
/// from 32 on and arrive 10 cycles later, the first at 42, flit j at 42 + 3j. Granted at 42, flit j may
/// leave in 65 + j, which flits 12 and 13 miss: they leave as they come, in 78 and 81.
pub fn a_slow_link_makes_bubbles_in_the_one_behind_it() -> Vec<Scenario> {
    let expected = Expected::Times(vec![(0, 0, 0, 89)]);
    vec![two_switches([1, 1, 3], &[(0, 1, 0, 10)], expected)]
}

/// The first packet's 13 flits leave the last switch every second cycle from 64 on, the last one in 88
/// and 89: it is there as a whole at 97, and the output is granted again at 90. The second leaves the
/// first switch in 70…83, waits from 78 on, leaves in 114, 116, … 138 and is there at 147.
pub fn a_slow_output_is_free_when_the_last_flit_has_left_as_a_whole() -> Vec<Scenario> {
    let expected = Expected::Times(vec![(0, 0, 0, 97), (0, 1, 15, 147)]);
    vec![two_switches([1, 2, 1], &[(0, 1, 0, 10); 2], expected)]
}

/// Flit j arrives at the first switch at 9 + 2j and may leave at 32 + j, so from j = 24 on the flits
/// leave as they come. With 15 flits none of them does: 33…46, then 65…77, there at 85. With 105 the
/// last arrives at the second switch at 9 + 2 · 104 + 8, passes it at once, and is there at 233. The
/// host sends its next packet two cycles after the beginning of the last flit; that one is granted the
/// first switch's output a cycle after the one before has left in 533…546, 24 + 24 + 8 + 8 + 12 cycles
/// before it is there.
pub fn a_slow_host_is_heard_as_it_sends() -> Vec<Scenario> {
    let short = Expected::Times(vec![(0, 0, 0, 85), (0, 1, 500, 585), (0, 2, 530, 623)]);
    let packets = [(0, 1, 0, 10), (0, 1, 500, 10), (0, 1, 500, 10)];
    let long = Expected::Times(vec![(0, 0, 0, 233)]);
    vec![
        two_switches([2, 1, 1], &packets, short),
        two_switches([2, 1, 1], &[(0, 1, 0, 100)], long),
    ]
}
