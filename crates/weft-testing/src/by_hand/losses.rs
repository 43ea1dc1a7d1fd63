//! Scenarios of lost packets, worked out by hand: how long a packet waits before it is discarded,
//! how its flits make room, when it is sent again.

use super::{Expected, Listed, MYRINET, Scenario, fabric};
use std::num::NonZeroU32;
use weft_fabric::HostId;
use weft_model::WormholeModel;

fn one_switch(
    model: WormholeModel,
    packets: &[Listed],
    times: Vec<(u32, u64, u64, u64)>,
) -> Scenario {
    let fabric = fabric(&[0; 4], &[]);
    let scenario = Scenario::new(fabric, &[], packets, Expected::Times(times)).on(model);
    Scenario {
        until_cycle: 100_000,
        ..scenario
    }
}

/// Host 0 has the output from 8 to 134. Host 1's 14 flits ask for it since 8: granted at 135, they end
/// at 135 + 24 + 8 + 12 = 179. After 127 cycles that is in time; after fewer they are discarded, sent
/// again 500 cycles later, and end 52 after that, alone by then.
pub fn a_packet_waits_for_the_timeout_and_no_longer() -> Vec<Scenario> {
    let scenario = |(timeout_cycles, injection, delivery)| {
        let model = WormholeModel {
            timeout_cycles: NonZeroU32::new(timeout_cycles),
            ..MYRINET
        };
        let packets = [(0, 2, 0, 100), (1, 2, 0, 10)];
        one_switch(
            model,
            &packets,
            vec![(0, 0, 0, 142), (1, 0, injection, delivery)],
        )
    };
    [(127, 0, 179), (126, 634, 686), (100, 608, 660)]
        .map(scenario)
        .into()
}

/// Host 1's first packet has 104 flits; 72 are in the buffer, stopped, when it is discarded at 108:
/// the routing flit at once, the others one a cycle from 108 on. 39 are left at the end of 139, so
/// the 32 others leave from 147 to 178 and the last is gone in 210. The next packet, 14 flits for
/// another host, begins at 179, is granted at 211 and ends at 211 + 24 + 8 + 12. The first is sent
/// again at 608 and takes 142 alone.
pub fn a_discarded_packet_drains_like_any_other() -> Vec<Scenario> {
    let model = WormholeModel {
        timeout_cycles: NonZeroU32::new(100),
        ..MYRINET
    };
    let packets = [(0, 2, 0, 100), (1, 2, 0, 100), (1, 3, 0, 10)];
    let times = vec![(0, 0, 0, 142), (1, 1, 179, 255), (1, 0, 608, 750)];
    vec![one_switch(model, &packets, times)]
}

/// Its 14 and 13 flits have 216 bits, one of which is damaged with a probability of 0.89: the packet
/// ends after 52 cycles, if damaged in vain, and is sent again 500 later.
pub fn a_damaged_packet_is_sent_until_it_arrives_whole() -> Vec<Scenario> {
    let model = WormholeModel {
        bit_error_rate: 0.01,
        ..MYRINET
    };
    let mut injection = 1;
    while model.is_damaged(0, (HostId::new(0), 0, injection), 27) {
        injection += 52 + 500;
    }
    assert!(injection > 1, "the first attempt is meant to fail");
    let times = vec![(0, 0, injection, injection + 52)];
    vec![one_switch(model, &[(0, 1, 1, 10)], times)]
}
