//! Scenarios of arbitration, worked out by hand: who goes next under each policy, and who when the
//! policy cannot tell.

use super::{Expected, Listed, MYRINET, Scenario, fabric};
use weft_fabric::{Fabric, HostId};
use weft_model::Arbitration::{
    DistanceToTravel, DistanceTravelled, InjectionTime, Random, RoundRobin, WaitingTime,
};
use weft_model::{Arbitration, WormholeModel, random_choice};

/// What each policy makes of the same packets: the sources in order of delivery.
fn by_policy(
    fabric: &Fabric,
    routes: &[((u32, u32), &[u8])],
    packets: &[Listed],
    orders: &[(Arbitration, &[u32])],
) -> Vec<Scenario> {
    let scenario = |&(arbitration, sources): &(Arbitration, &[u32])| {
        let expected = Expected::Sources(sources.to_vec());
        Scenario::new(fabric.clone(), routes, packets, expected).on(with(arbitration))
    };
    orders.iter().map(scenario).collect()
}

fn with(arbitration: Arbitration) -> WormholeModel {
    WormholeModel {
        arbitration,
        ..MYRINET
    }
}

/// Host 1 (port 2) sends alone; while it has the output, packets of hosts 0 and 2 (ports 1 and 3)
/// start and arrive in one cycle and have the same way behind and before them. In turn, port 3 is
/// next; by the lowest port, port 1.
pub fn ties_go_to_the_lowest_port_by_age_and_in_turn_by_distance() -> Vec<Scenario> {
    let fabric = fabric(&[0; 4], &[]);
    let packets = [(1, 3, 0, 100), (0, 3, 10, 20), (2, 3, 10, 20)];
    let orders: [(Arbitration, &[u32]); 5] = [
        (RoundRobin, &[1, 2, 0]),
        (InjectionTime, &[1, 0, 2]),
        (WaitingTime, &[1, 0, 2]),
        (DistanceToTravel, &[1, 2, 0]),
        (DistanceTravelled, &[1, 2, 0]),
    ];
    by_policy(&fabric, &[], &packets, &orders)
}

/// Host 1 has the output until 134. Host 0 starts at 0 one switch away and arrives at
/// 8 + 32 = 40, at port 4; host 2 starts at 5 and arrives at 13, at port 2, which is next in turn.
/// Neither has a switch left to traverse.
pub fn a_packet_from_afar_is_older_but_has_waited_less() -> Vec<Scenario> {
    let fabric = fabric(&[0, 1, 1, 1], &[[0, 1]]);
    let packets = [(1, 3, 0, 100), (0, 3, 0, 20), (2, 3, 5, 20)];
    let orders: [(Arbitration, &[u32]); 5] = [
        (RoundRobin, &[1, 2, 0]),
        (InjectionTime, &[1, 0, 2]),
        (WaitingTime, &[1, 2, 0]),
        (DistanceToTravel, &[1, 2, 0]),
        (DistanceTravelled, &[1, 0, 2]),
    ];
    by_policy(&fabric, &[], &packets, &orders)
}

/// All three wait for the link from switch 0 to switch 1; host 1's packet, older and next in turn,
/// goes on to switch 2, host 2's ends at switch 1. The second to go follows 24 + 24 cycles behind,
/// and the further switch takes 32, so packets are delivered in the order of the link.
pub fn the_packet_with_fewer_switches_to_go_overtakes() -> Vec<Scenario> {
    let fabric = fabric(&[0, 0, 0, 1, 2], &[[0, 1], [1, 2]]);
    let packets = [(0, 3, 0, 100), (1, 4, 2, 20), (2, 3, 3, 20)];
    let orders: [(Arbitration, &[u32]); 5] = [
        (RoundRobin, &[0, 1, 2]),
        (InjectionTime, &[0, 1, 2]),
        (WaitingTime, &[0, 1, 2]),
        (DistanceToTravel, &[0, 2, 1]),
        (DistanceTravelled, &[0, 1, 2]),
    ];
    by_policy(&fabric, &[], &packets, &orders)
}

/// Host 0's packet stops at host 1 (port 1 of switch 1), is ready at 72 + 76 = 148 and asks for the
/// link to switch 2 at 156. Host 3 (port 2) has that from 108 to 235; host 4's packet (port 3, next
/// in turn) started at 140 and asks since 148. Before the stop the other was injected, at 0, and
/// traversed two switches; both have one left.
pub fn age_and_way_travelled_outlast_a_stop_in_transit() -> Vec<Scenario> {
    let fabric = fabric(&[0, 1, 2, 1, 1], &[[0, 1], [1, 2]]);
    let packets = [(0, 2, 0, 20), (3, 2, 100, 100), (4, 2, 140, 20)];
    let orders: [(Arbitration, &[u32]); 5] = [
        (RoundRobin, &[3, 4, 0]),
        (InjectionTime, &[3, 0, 4]),
        (WaitingTime, &[3, 4, 0]),
        (DistanceToTravel, &[3, 4, 0]),
        (DistanceTravelled, &[3, 0, 4]),
    ];
    by_policy(&fabric, &[((0, 2), &[2, 1, 5])], &packets, &orders)
}

/// Hosts 0 to 2 share the link from switch 0 to 1, which host 0's packet (104 flits there) has in
/// 32…135; it ends at 174. Host 1's goes through host 3 at switch 1, so it has three more switches
/// to traverse, host 2's has two. Host 1 first: granted at 136, at host 3 at 136 + 2·32 = 200, sent
/// on at 276, 72 cycles to host 4 and 22 flits behind the head: 370; its 27 flits leave the link
/// free at 187, so host 2's packet is granted then and ends at 187 + 3·32 + 22 = 305. Host 2 first:
/// it ends at 136 + 96 + 22 = 254; host 1's is granted when its 25 flits are gone, at 185: 419.
pub fn switches_behind_a_stop_in_transit_are_still_to_travel() -> Vec<Scenario> {
    let fabric = fabric(&[0, 0, 0, 1, 2], &[[0, 1], [1, 2]]);
    let scenario = |arbitration| {
        let (second, third) = match arbitration {
            DistanceToTravel => (254, 419),
            _ => (305, 370),
        };
        let times = vec![(0, 0, 0, 174), (2, 0, 3, second), (1, 0, 2, third)];
        let packets = [(0, 3, 0, 100), (1, 4, 2, 20), (2, 4, 3, 20)];
        let routes: [((u32, u32), &[u8]); 1] = [((1, 4), &[4, 1, 3])];
        let expected = Expected::Times(times);
        Scenario::new(fabric.clone(), &routes, &packets, expected).on(with(arbitration))
    };
    let policies = [
        RoundRobin,
        InjectionTime,
        WaitingTime,
        DistanceToTravel,
        DistanceTravelled,
    ];
    policies.map(scenario).into()
}

/// Hosts 0 and 1, a switch away from switch 2, send four packets each (25 flits, one every 48 cycles
/// on their links) to host 3 there, which takes one every 47: from 40 on, some of them always wait.
/// One packet of host 2, beside host 3, starts at 40 and asks since 48. By distance travelled it
/// waits for all the others. Otherwise it waits its turn; by age, the second packets, which started
/// at 25, still go before it.
pub fn a_steady_stream_from_afar_starves_a_near_packet() -> Vec<Scenario> {
    let fabric = fabric(&[0, 1, 2, 2], &[[0, 2], [1, 2]]);
    let mut packets = [(0, 3, 0, 20), (1, 3, 0, 20)].repeat(4);
    packets.push((2, 3, 40, 20));
    // After as many packets of the others.
    let order = |others: usize| {
        let mut sources = [0, 1].repeat(4);
        sources.insert(others, 2);
        sources
    };
    let (third, fifth, last) = (order(2), order(4), order(8));
    let orders: [(Arbitration, &[u32]); 5] = [
        (RoundRobin, &third),
        (InjectionTime, &fifth),
        (WaitingTime, &third),
        (DistanceToTravel, &third),
        (DistanceTravelled, &last),
    ];
    by_policy(&fabric, &[], &packets, &orders)
}

/// Three hosts with ten packets each for a fourth; a buffer holds more than two of them, so every
/// host that is not done asks at every grant.
pub fn random_grants_follow_the_keyed_draws() -> Vec<Scenario> {
    let fabric = fabric(&[0; 4], &[]);
    let packets = [(0, 3, 0, 20), (1, 3, 0, 20), (2, 3, 0, 20)].repeat(10);
    let output = fabric.ejection_channel(HostId::new(3)).number();
    let mut left = vec![(0, 10), (1, 10), (2, 10)];
    let sources: Vec<u32> = (0..30)
        .map(|grant| {
            let index = random_choice(0, output, grant, left.len());
            left[index].1 -= 1;
            let source = left[index].0;
            left.retain(|host| host.1 > 0);
            source
        })
        .collect();
    by_policy(&fabric, &[], &packets, &[(Random, &sources)])
}
