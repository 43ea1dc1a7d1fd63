//! Scenarios with results worked out by hand, for any simulator of the wormhole model. Each is a
//! function; [`for_each_scenario`] makes a test of each.

pub use super::losses::*;
pub use super::policies::*;
pub use super::rates::*;
use super::{Expected, Listed, MYRINET, Scenario, fabric};
use weft_model::{NicModel, Overflow, WormholeModel};

/// Hosts on one switch, on ports 1, 2, ….
fn one_switch(hosts: usize, packets: &[Listed], expected: Expected) -> Scenario {
    Scenario::new(fabric(&vec![0; hosts], &[]), &[], packets, expected)
}

/// 14 flits each. Both routing flits arrive at 8; port 1 is first. Its 13 flits leave in 32…44, the
/// last arrives at 52. The other is granted at 45, leaves in 69…81, ends at 89.
pub fn two_packets_for_one_host_follow_each_other_by_a_routing_delay() -> Vec<Scenario> {
    let expected = Expected::Times(vec![(0, 0, 0, 52), (1, 0, 0, 89)]);
    vec![one_switch(3, &[(0, 2, 0, 10), (1, 2, 0, 10)], expected)]
}

/// 104 flits each. The first: granted at 8, 103 flits in 32…134, ends at 142. The second fills its
/// buffer from 8 on: 57 flits at the end of 64, stop takes effect at 72; 72 flits have left by then.
/// Granted at 135, it leaves from 159 on; 39 flits are left at the end of 190, so go takes effect at
/// 198, in time. It ends at 159 + 102 + 8 = 269. With go below 1 the buffer is empty at the end of
/// 229, go takes effect at 237, the 32 other flits arrive in 245…276 and end at 284; with go below 2
/// all this is one cycle earlier.
pub fn a_go_takes_effect_to_the_cycle() -> Vec<Scenario> {
    let scenario = |(go_below_flits, end)| {
        let expected = Expected::Times(vec![(0, 0, 0, 142), (1, 0, 0, end)]);
        one_switch(3, &[(0, 2, 0, 100), (1, 2, 0, 100)], expected).on(WormholeModel {
            go_below_flits,
            ..MYRINET
        })
    };
    [(40, 269), (1, 284), (2, 283)].map(scenario).into()
}

/// As before, but the second packet has 72 flits, exactly what leaves before the stop, and a third
/// of 14 flits follows it. The second leaves in 159…229 and ends at 237; the third begins with go at
/// 198, is granted at 230, leaves in 254…266 and ends at 274. With stop above 57 its first flit
/// leaves at 72, before the stop.
pub fn a_stop_takes_effect_to_the_cycle() -> Vec<Scenario> {
    let scenario = |(stop_above_flits, injection)| {
        let expected = vec![(0, 0, 0, 142), (1, 0, 0, 237), (1, 1, injection, 274)];
        let packets = [(0, 2, 0, 100), (1, 2, 0, 68), (1, 3, 0, 10)];
        one_switch(4, &packets, Expected::Times(expected)).on(WormholeModel {
            stop_above_flits,
            ..MYRINET
        })
    };
    [(56, 198), (57, 72)].map(scenario).into()
}

/// Three hosts send to a fourth: in turn; and, after one of them was served alone, from the next on.
pub fn round_robin_serves_in_turn_and_goes_on_where_it_was() -> Vec<Scenario> {
    let three = [(0, 3, 0, 20), (1, 3, 0, 20), (2, 3, 0, 20)];
    let later = three.map(|(source, destination, _, bytes)| (source, destination, 1_000, bytes));
    let alone = [(1, 3, 0, 20)];
    let sources = |sources: &[u32]| Expected::Sources(sources.to_vec());
    vec![
        one_switch(4, &three.repeat(3), sources(&[0, 1, 2, 0, 1, 2, 0, 1, 2])),
        one_switch(4, &[&alone, &later[..]].concat(), sources(&[1, 2, 0, 1])),
        // A port that does not ask is passed over.
        one_switch(4, &[&alone, &later[..2]].concat(), sources(&[1, 0, 1])),
    ]
}

/// The switch sends 515 of 516 flits and is granted anew a cycle after the last, so the second packet
/// follows the first by 515 + 24 cycles; the first ends at 8 + 24 + 8 + 514 = 554.
pub fn packets_on_a_link_follow_each_other_by_length_and_routing_delay() -> Vec<Scenario> {
    let expected = Expected::Times(vec![(0, 0, 0, 554), (0, 1, 516, 554 + 539)]);
    vec![one_switch(2, &[(0, 1, 0, 512); 2], expected)]
}

/// Three switches in a row with one host each, and the route from host 0 to host 2 with a stop at
/// host 1: port 2 of switch 0; port 1 (host 1), then port 3 of switch 1. Host 1 goes there directly.
fn row_with_stop(packets: &[Listed], model: WormholeModel, expected: Expected) -> Scenario {
    let fabric = fabric(&[0, 1, 2], &[[0, 1], [1, 2]]);
    let routes: [((u32, u32), &[u8]); 2] = [((0, 2), &[2, 1, 3]), ((1, 2), &[3])];
    Scenario::new(fabric, &routes, packets, expected).on(model)
}

/// The packet: 2 routing flits, mark, 2 routing flits, 3 + payload. The mark arrives at
/// 8 + 2·32 = 72, ready = 72 + 76 = 148. From there 8 + 2·32, and the tail follows
/// (2 + 3 + payload) − 2 − 1 cycles behind the head.
pub fn an_in_transit_stop_adds_recognition_and_dma_and_another_injection() -> Vec<Scenario> {
    let scenario = |payload_bytes: u32| {
        let expected = 148 + 72 + (5 + u64::from(payload_bytes) - 3);
        let expected = Expected::Times(vec![(0, 0, 0, expected)]);
        row_with_stop(&[(0, 2, 0, payload_bytes)], MYRINET, expected)
    };
    [1, 32, 512].map(scenario).into()
}

/// 37 flits behind the mark. From the pool: delivered at 148 + 72 + 34; from host memory 320 later.
pub fn a_packet_that_just_fits_stays_in_the_pool() -> Vec<Scenario> {
    let overflow = Overflow::HostMemory { delay_cycles: 320 };
    let scenario = |(pool_flits, expected)| {
        let model = WormholeModel {
            pool_flits,
            overflow,
            ..MYRINET
        };
        row_with_stop(
            &[(0, 2, 0, 32)],
            model,
            Expected::Times(vec![(0, 0, 0, expected)]),
        )
    };
    [(37, 254), (36, 574), (0, 574)].map(scenario).into()
}

/// Hosts 0 and 3 on switch 0 both send 32 bytes through host 1, whose pool holds one packet. Host
/// 0's 39 flits leave switch 0 in 32…70, so host 3's follow from 71 + 24 = 95 on, reach switch 1 at
/// 103, and the mark reaches host 1 at 103 + 24 + 8 = 135. The first packet is still there (ready at
/// 148): dropped, due again at 135 + 500 = 635. From there as if alone: 635 + 72 + 76 = 783 at host
/// 1, delivered at 783 + 72 + 34 = 889.
pub fn a_dropped_packet_is_sent_again_by_its_source() -> Vec<Scenario> {
    let fabric = fabric(&[0, 1, 2, 0], &[[0, 1], [1, 2]]);
    let routes: [((u32, u32), &[u8]); 2] = [((0, 2), &[3, 1, 3]), ((3, 2), &[3, 1, 3])];
    let model = WormholeModel {
        pool_flits: 37,
        overflow: Overflow::Drop,
        retransmit_after_cycles: 500,
        ..MYRINET
    };
    let packets = [(0, 2, 0, 32), (3, 2, 0, 32)];
    let expected = Expected::Times(vec![(0, 0, 0, 254), (3, 0, 635, 889)]);
    vec![Scenario::new(fabric, &routes, &packets, expected).on(model)]
}

/// Switches 0 to 3 in a row. Host S on switch 0 sends 32 bytes through Y on switch 3, then 32 bytes
/// through X on switch 1; both pools (60 flits) are filled from the start, for a thousand cycles, by
/// packets of 54 flits of neighbours, whose marks arrive at 40 and which end at
/// 1040 + 8 + 32 + 52 = 1132.
///
/// The first packet has 41 flits, and its mark reaches Y at 8 + 4·32 = 136. The second is granted at
/// switch 0 at 31 + 41, reaches switch 1 at 63 + 41, and its mark X at 95 + 41 = 136, too. Both are
/// dropped in that cycle and due at 3136, the one first that was dropped by the host with the
/// smaller number.
///
/// If X has it: the second packet (39 flits) leaves at 3136, its mark arrives at 3208, it leaves X at
/// 4208 and ends at 4208 + 8 + 32 + 34 = 4282. The first leaves at 3175, is granted at switch 0 when
/// the other's 38 flits have left (3168…3205), at 3206, reaches switch 1 at 3238, Y at
/// 3238 + 3·32 = 3334, ends at 4334 + 74 = 4408. If Y has it, all goes as at first, 3136 cycles
/// later: marks at 3272, ends at 4272 + 74 = 4346.
pub fn packets_dropped_in_one_cycle_queue_by_dropping_host() -> Vec<Scenario> {
    let scenario = |near_first: bool| {
        // On switch 1: neighbour, X, destination; on switch 3: neighbour, Y, destination.
        let (near, far) = if near_first { (1, 4) } else { (4, 1) };
        let switches = if near_first {
            [0, 1, 1, 1, 3, 3, 3]
        } else {
            [0, 3, 3, 3, 1, 1, 1]
        };
        let fabric = fabric(&switches, &[[0, 1], [1, 2], [2, 3]]);
        let routes: [((u32, u32), &[u8]); 4] = [
            ((near, near + 2), &[2]),
            ((far, far + 2), &[2]),
            ((0, far + 2), &[2, 5, 2, 2]),
            ((0, near + 2), &[2, 2]),
        ];
        let model = WormholeModel {
            pool_flits: 60,
            nic: NicModel::Delays {
                in_transit_cycles: 1_000,
            },
            overflow: Overflow::Drop,
            retransmit_after_cycles: 3_000,
            ..MYRINET
        };
        let packets = [
            (near, near + 2, 0, 50),
            (far, far + 2, 0, 50),
            (0, far + 2, 0, 32),
            (0, near + 2, 0, 32),
        ];
        let again = if near_first {
            [(0, 1, 3136, 4282), (0, 0, 3175, 4408)]
        } else {
            [(0, 0, 3136, 4346), (0, 1, 3177, 4346)]
        };
        let expected = [[(1, 0, 0, 1132), (4, 0, 0, 1132)], again].concat();
        Scenario::new(fabric, &routes, &packets, Expected::Times(expected)).on(model)
    };
    vec![scenario(true), scenario(false)]
}

/// Host 1 sends four long packets of its own; four short ones from host 0 are in transit there and
/// ready when the first long one ends, with three local ones waiting. While at least as many local
/// packets wait as make them equal, the queues alternate, beginning with the in-transit one; with
/// fewer, in-transit packets go first.
pub fn in_transit_packets_go_first_until_the_local_queue_is_long() -> Vec<Scenario> {
    let packets: Vec<Listed> = (0..4)
        .flat_map(|_| [(1, 2, 0, 900), (0, 2, 0, 10)])
        .collect();
    let scenario = |(local_equal_at_packets, sources): (u32, [u32; 8])| {
        let model = WormholeModel {
            local_equal_at_packets,
            ..MYRINET
        };
        row_with_stop(&packets, model, Expected::Sources(sources.to_vec()))
    };
    let orders = [
        (1, [1, 0, 1, 0, 1, 0, 1, 0]),
        (2, [1, 0, 1, 0, 1, 0, 0, 1]),
        (3, [1, 0, 1, 0, 0, 0, 1, 1]),
        (4, [1, 0, 0, 0, 0, 1, 1, 1]),
    ];
    orders.map(scenario).into()
}

/// Makes a test of each scenario that hands it to `$simulate(&Scenario) -> Vec<PacketRecord>`.
#[macro_export]
macro_rules! for_each_scenario {
    ($simulate:path) => {
        $crate::for_each_scenario! { $simulate;
            two_packets_for_one_host_follow_each_other_by_a_routing_delay,
            a_go_takes_effect_to_the_cycle,
            a_stop_takes_effect_to_the_cycle,
            round_robin_serves_in_turn_and_goes_on_where_it_was,
            packets_on_a_link_follow_each_other_by_length_and_routing_delay,
            an_in_transit_stop_adds_recognition_and_dma_and_another_injection,
            a_packet_that_just_fits_stays_in_the_pool,
            a_dropped_packet_is_sent_again_by_its_source,
            packets_dropped_in_one_cycle_queue_by_dropping_host,
            in_transit_packets_go_first_until_the_local_queue_is_long,
            ties_go_to_the_lowest_port_by_age_and_in_turn_by_distance,
            a_packet_from_afar_is_older_but_has_waited_less,
            the_packet_with_fewer_switches_to_go_overtakes,
            age_and_way_travelled_outlast_a_stop_in_transit,
            switches_behind_a_stop_in_transit_are_still_to_travel,
            a_steady_stream_from_afar_starves_a_near_packet,
            random_grants_follow_the_keyed_draws,
            a_packet_waits_for_the_timeout_and_no_longer,
            a_discarded_packet_drains_like_any_other,
            a_damaged_packet_is_sent_until_it_arrives_whole,
            a_slow_link_makes_bubbles_in_the_one_behind_it,
            a_slow_output_is_free_when_the_last_flit_has_left_as_a_whole,
            a_slow_host_is_heard_as_it_sends,
        }
    };
    ($simulate:path; $($name:ident,)*) => {
        $(
            #[test]
            fn $name() {
                for scenario in $crate::by_hand::scenarios::$name() {
                    scenario.check($simulate(&scenario));
                }
            }
        )*
    };
}
